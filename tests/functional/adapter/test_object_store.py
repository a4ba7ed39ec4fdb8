"""Tables on S3, through the profile that the project ships, with Hive's metastore."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from object_store import BUCKET, CREDENTIALS, TABLES, ObjectStore

PROFILES = Path(__file__).parents[3] / "profiles" / "profiles.yml"
KEY, NAMES = "person-4711", ("Zoe Quist", "Zoe Quince")
MODEL = """
{{ config(materialized='differential', unique_key='account_id', meta={'strategy': 'outer_join'}) }}
select * from values ('person-4711', '{{ var("name") }}'), ('b', 'bob') as t(account_id, name)
"""
FOLLOWER = """
{{ config(materialized='current_state') }}
select * from {{ ref('accounts') }}
"""
RUNS = [f"run --vars 'name: {name}'" for name in NAMES]
ERASE = f"run-operation deltawave.erase --args '{{model: accounts, keys: [{KEY}]}}' --log-level-file none"


def test_a_log_is_written_and_a_person_erased(own_process, monkeypatch):
    """All files are in the bucket; what is erased is in no object; and no log has the secret of the environment."""
    output = yaml.safe_load(PROFILES.read_text())["deltawave_demo"]["outputs"]["s3"]
    output["server_side_parameters"] |= {"spark.master": "local[2]"}
    own_process.install_package()
    own_process.profile(**output | {"schema": "own", "threads": 1})
    own_process.write("models/accounts.sql", MODEL)
    own_process.write("models/now.sql", FOLLOWER)
    with ObjectStore() as store:
        for name, value in CREDENTIALS.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("DELTAWAVE_WAREHOUSE", f"s3a://{BUCKET}/{TABLES}")
        monkeypatch.setenv("DELTAWAVE_S3_ENDPOINT", store.endpoint)

        def stored() -> str:
            files = {key: store.content(key) for key in store.objects()}
            rows = [pq.read_table(pa.BufferReader(files[key])).to_pylist() for key in files if key.endswith(".parquet")]
            return f"{rows} {files}"

        built = own_process.dbt(*RUNS)
        assert built.returncode == 0, built.stdout
        assert "batch 2: +0 -0 ~1 of 2" in built.stdout
        assert any(key.startswith(f"{TABLES}/own.db/now__rows_") for key in store.objects())
        assert all(name in stored() for name in (KEY, *NAMES))
        erased = own_process.dbt(ERASE)
        assert erased.returncode == 0, erased.stdout
        assert not any(name in stored() for name in (KEY, *NAMES))
        assert store.unfinished() == []
    written = [path for path in own_process.root.rglob("*") if path.is_file()]
    assert [path for path in written if path.suffix == ".parquet"] == []
    said = [built.stdout, built.stderr, erased.stdout, *(path.read_text() for path in written if path.suffix == ".log")]
    assert any("Spark" in text for text in said)
    assert not any(CREDENTIALS["AWS_SECRET_ACCESS_KEY"] in text for text in said)
