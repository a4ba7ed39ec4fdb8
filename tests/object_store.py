"""An S3 of this machine: moto's server, which keeps objects in memory, and what Spark needs to put its tables there."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from maven import artifacts_of
from server import Server

from dbt.adapters.deltawave.settings import as_spark_value

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = "spark.jars.packages"
EXCLUDES = "spark.jars.excludes"
BUCKET = "warehouse"
TABLES = "tables"
# As a user has them: the keys are in the environment of the process that starts Spark, not in the profile.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "deltawave-test", "AWS_SECRET_ACCESS_KEY": "not-for-a-log-4711"}
_REGION = "eu-central-1"


class ObjectStore(Server):
    """An S3 with an empty bucket."""

    name = "S3"

    @property
    def settings(self) -> dict[str, str]:
        """Spark's settings, those of the profile's output `s3`."""
        profiles = yaml.safe_load((ROOT / "profiles" / "profiles.yml").read_text())
        settings = profiles["deltawave_demo"]["outputs"]["s3"]["server_side_parameters"]
        return settings | {
            "spark.sql.warehouse.dir": f"s3a://{BUCKET}/{TABLES}",
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": _REGION,
        }

    @property
    def hadoop_settings(self) -> dict[str, str]:
        """Those of a process that has no Spark."""
        prefix = "spark.hadoop."
        settings = {name.removeprefix(prefix): value for name, value in self.settings.items()}
        return {name: as_spark_value(settings[name]) for name in settings if name.startswith("fs.s3a.")}

    @property
    def jars(self) -> list[Path]:
        """What such a process needs to reach it."""
        return artifacts_of(self.settings[PACKAGES], self.settings[EXCLUDES])

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def objects(self, prefix: str = "") -> Iterator[str]:
        """The keys of all objects that begin in this way, but for those that stand for an empty folder."""
        for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix):
            yield from (each["Key"] for each in page.get("Contents", []) if not each["Key"].endswith("/"))

    def content(self, key: str) -> bytes:
        content: bytes = self._client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return content

    def empty(self) -> None:
        """Delete all objects, also those that stand for a folder."""
        for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            if found := [{"Key": each["Key"]} for each in page.get("Contents", [])]:
                self._client.delete_objects(Bucket=BUCKET, Delete={"Objects": found})

    def unfinished(self) -> list[str]:
        """The keys of objects that were begun in parts: nobody sees the parts, but they are kept."""
        return [each["Key"] for each in self._client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])]

    def start(self) -> None:
        # Only here: it takes a third of a second, also of tests without it.
        import boto3

        super().start()
        self._client: Any = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=_REGION,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )
        self._client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": _REGION})

    def _prepare(self) -> None:
        pass

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(self.port)]


def joined(*settings: Mapping[str, str]) -> dict[str, str]:
    """Settings of Spark, with the packages of each."""
    packages = [each[PACKAGES] for each in settings if PACKAGES in each]
    together: dict[str, str] = {}
    for each in settings:
        together |= each
    return together | ({PACKAGES: ",".join(packages)} if packages else {})
