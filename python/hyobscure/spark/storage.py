"""Files wherever Spark keeps its own: a local folder, HDFS, an object store."""

from __future__ import annotations

import uuid
from types import TracebackType

from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, SparkSession


# Options of a write: no _SUCCESS, and of local files no checksums beside them.
NOTHING_BUT_PARTS = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}


class Storage:
    """What the driver itself does with files, by the file systems that Spark knows."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def _path(self, path: str) -> JavaObject:
        return self._spark._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> JavaObject:
        return self._path(path).getFileSystem(self._spark._jsc.hadoopConfiguration())

    def exists(self, path: str) -> bool:
        return bool(self._system(path).exists(self._path(path)))

    def delete(self, path: str) -> None:
        self._system(path).delete(self._path(path), True)

    def rename(self, old: str, new: str) -> bool:
        return bool(self._system(old).rename(self._path(old), self._path(new)))

    def names(self, folder: str) -> list[str]:
        """Of what is in the folder, without hidden files (checksums of the file system)."""
        found = [status.getPath().getName() for status in self._system(folder).listStatus(self._path(folder))]
        return sorted(name for name in found if not name.startswith("."))

    def write_text(self, path: str, text: str) -> None:
        # A system of its own: that it writes no checksums must not concern others.
        system = self._spark._jvm.org.apache.hadoop.fs.FileSystem.newInstance(
            self._path(path).toUri(), self._spark._jsc.hadoopConfiguration()
        )
        try:
            system.setWriteChecksum(False)
            stream = system.create(self._path(path), True)
            stream.write(bytearray(text.encode()))
            stream.close()
        finally:
            system.close()

    def read_text(self, path: str) -> str:
        stream = self._system(path).open(self._path(path))
        try:
            return bytes(self._spark._jvm.org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
        finally:
            stream.close()


class Work:
    """A folder for tables between jobs, deleted at the end in every case.

    What several jobs read is written once: a task that runs twice, or an executor that is lost, then cannot
    number or order anything again. The tables are as private as the data.
    """

    def __init__(self, spark: SparkSession, parent: str) -> None:
        self.spark = spark
        self.storage = Storage(spark)
        self.path = f"{str(parent).rstrip('/')}/hyobscure-{uuid.uuid4().hex}"

    def __enter__(self) -> Work:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.spark.sparkContext.setJobDescription(None)
        self.storage.delete(self.path)

    def step(self, description: str) -> None:
        """What the jobs from here on are called in Spark's pages."""
        self.spark.sparkContext.setJobDescription(f"hyobscure: {description}")

    def store(self, name: str, frame: DataFrame) -> DataFrame:
        path = f"{self.path}/{name}"
        frame.write.parquet(path)
        return self.spark.read.schema(frame.schema).parquet(path)
