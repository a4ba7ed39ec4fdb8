"""A local file system for tests: files without permissions of their own and without checksums.

Without its native library, Hadoop starts a process of ``chmod`` for every file and folder that it writes: a dozen for a
small table. Janino, which Spark compiles its queries with, compiles the class, so that a JRE is enough.

Of Hadoop's defaults, only those that a local file system needs are kept: each statement copies all of them, and each
task reads them.
"""

import os
from pathlib import Path

import pyspark
from py4j.java_gateway import JavaGateway

from deltawave.environment import java_command

NAME = "TestFileSystem"
_SOURCE = """
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

public class TestFileSystem extends LocalFileSystem {
    public TestFileSystem() {
        super(new RawLocalFileSystem() {
            public void setPermission(Path path, FsPermission permission) {}
        });
        setWriteChecksum(false);
    }
}
"""

# Where the code has no default of its own.
_DEFAULTS = {
    "fs.defaultFS": "file:///",
    "fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.LocalFs",
    "fs.AbstractFileSystem.viewfs.impl": "org.apache.hadoop.fs.viewfs.ViewFs",
    "hadoop.security.authentication": "simple",
    "hadoop.security.authorization": "false",
    "io.serializations": "org.apache.hadoop.io.serializer.WritableSerialization",
}


def file_system(folder: Path) -> dict[str, str]:
    """Write its classes into ``folder``; the settings of a Spark session that takes it."""
    jars = Path(pyspark.__file__).parent / "jars"
    (py4j,) = jars.glob("py4j-*.jar")
    gateway = JavaGateway.launch_gateway(
        jarpath=str(py4j), classpath=f"{jars}/*", java_path=java_command(os.environ), die_on_exit=True
    )
    try:
        compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_SOURCE)
        for name, code in compiler.getBytecodes().items():
            (folder / f"{name}.class").write_bytes(code)
    finally:
        gateway.shutdown()
    defaults = _DEFAULTS | {"hadoop.tmp.dir": str(folder)}
    properties = (f"<property><name>{name}</name><value>{value}</value></property>" for name, value in defaults.items())
    (folder / "core-default.xml").write_text(f"<configuration>{''.join(properties)}</configuration>")
    for part in ("hdfs", "mapred", "yarn"):
        (folder / f"{part}-default.xml").write_text("<configuration/>")
    return {"spark.driver.extraClassPath": str(folder), "spark.hadoop.fs.file.impl": NAME}
