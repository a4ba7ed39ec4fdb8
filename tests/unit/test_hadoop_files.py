"""Folders on Hadoop's file systems."""

from types import SimpleNamespace

import pytest

from deltawave.meshjoin.hadoop_files import HadoopFiles


def test_a_session_without_a_jvm_is_refused():
    with pytest.raises(ValueError, match=r"not through Spark Connect\. .* `deltawave server` runs, stop it"):
        HadoopFiles(SimpleNamespace(), "results")
