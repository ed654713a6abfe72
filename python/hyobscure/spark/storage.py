"""Files wherever Spark keeps its own: a folder that all machines mount, HDFS, an object store."""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from types import TracebackType
from urllib.parse import unquote, urlparse

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from .errors import refusal

# Options of a write: no _SUCCESS, and of local files no checksums beside them.
NOTHING_BUT_PARTS = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}

# Tables that are as private as the data: their folder is closed to others, and so are they. Their rows are large:
# Parquet's Snappy takes time quadratic in a page, and a page has at least a hundred rows unless they are looked at.
PRIVATE = {
    **NOTHING_BUT_PARTS,
    "fs.permissions.umask-mode": "077",
    "compression": "zstd",
    "parquet.enable.dictionary": "false",
    "parquet.page.size.row.check.min": "1",
    "parquet.page.size.row.check.max": "16",
}


def is_connect(spark: SparkSession) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


def cores_of(spark: SparkSession) -> int:
    """How many tasks run at once, about."""
    if not is_connect(spark):
        return int(spark.sparkContext.defaultParallelism)
    told = spark.conf.get("spark.default.parallelism", None)
    return int(told) if told else int(spark.conf.get("spark.sql.shuffle.partitions"))


class LocalFiles:
    """A disk, or what is mounted like one. Every call may be repeated: so a task that runs twice does no harm."""

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)

    def delete(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.lexists(path):
            os.unlink(path)

    def names(self, folder: str) -> list[str]:
        try:
            return os.listdir(folder)
        except FileNotFoundError:
            return []

    def read_text(self, path: str) -> str:
        with open(path, encoding="utf-8", newline="") as stream:  # a signature is of the bytes as they are
            return stream.read()

    def write_text(self, path: str, text: str) -> None:
        with open(path, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)

    def make_private(self, folder: str) -> None:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise

    def write_new(self, path: str, text: str) -> bool:
        """Whether this text is the first to get the name. The whole text appears at once."""
        written = f"{path}.{uuid.uuid4().hex}"
        with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(written, path)
            return True
        except FileExistsError:
            return self.read_text(path) == text
        except OSError:  # a file system without links
            return self._create(path, text)
        finally:
            os.unlink(written)

    def _create(self, path: str, text: str) -> bool:
        try:
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return self.read_text(path) == text
        with open(opened, "w", encoding="utf-8") as stream:
            stream.write(text)
        return True

    def rename_new(self, old: str, new: str) -> bool:
        """Whether the folder got the name: not where another one has it, which stays as it is."""
        try:
            os.rename(old, new)  # fails for a folder with anything in it
            return True
        except OSError:
            return not os.path.lexists(old) and os.path.lexists(new)


class HadoopFiles:
    """Any file system that Spark knows, by Hadoop's own interface, from the driver."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm, self._gateway = spark._jvm, spark.sparkContext._gateway
        self._settings = spark._jsc.hadoopConfiguration()

    def _path(self, path: str):  # noqa: ANN202
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str):  # noqa: ANN202
        return self._path(path).getFileSystem(self._settings)

    def scheme(self, path: str) -> str:
        return str(self._system(path).getUri().getScheme())

    def exists(self, path: str) -> bool:
        return bool(self._system(path).exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        return self.exists(path) and bool(self._system(path).getFileStatus(self._path(path)).isDirectory())

    def delete(self, path: str) -> None:
        self._system(path).delete(self._path(path), True)

    def names(self, folder: str) -> list[str]:
        if not self.exists(folder):
            return []
        return [str(status.getPath().getName()) for status in self._system(folder).listStatus(self._path(folder))]

    def read_text(self, path: str) -> str:
        stream = self._system(path).open(self._path(path))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
        finally:
            stream.close()

    def write_text(self, path: str, text: str) -> None:
        self._write(path, text, True)

    def _write(self, path: str, text: str, overwrite: bool) -> None:
        stream = self._system(path).create(self._path(path), overwrite)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def make_private(self, folder: str) -> None:
        permission = self._jvm.org.apache.hadoop.fs.permission.FsPermission("700")
        if not self.exists(folder):
            self._system(folder).mkdirs(self._path(folder), permission)
            self._system(folder).setPermission(self._path(folder), permission)  # whatever the mask says

    def write_new(self, path: str, text: str) -> bool:
        """Whether this text is the first to get the name, which is there a moment before the text is."""
        try:
            self._write(path, text, False)
            return True
        except Exception as error:
            if "FileAlreadyExists" in str(error) or self.exists(path):
                return False
            raise

    def rename_new(self, old: str, new: str) -> bool:
        kind = getattr(self._jvm.org.apache.hadoop.fs, "Options$Rename")
        nothing = self._gateway.new_array(kind, 0)  # no overwriting, no moving into a folder of that name
        try:
            context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(self._path(old).toUri(), self._settings)
            context.rename(self._path(old), self._path(new), nothing)
            return True
        except Exception as error:
            if "UnsupportedFileSystem" not in str(error):
                return False
        return not self.exists(new) and bool(self._system(old).rename(self._path(old), self._path(new)))


class TaskFiles:
    """LocalFiles in a task of the cluster: what Spark Connect offers in place of the driver's file systems."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def __getattr__(self, name: str):  # noqa: ANN204
        def call(*given: str) -> object:
            frame = self._spark.range(0, 1, 1, 1).mapInArrow(_FileCall(name, given), "answer string")
            found = json.loads(frame.collect()[0]["answer"])
            if "error" in found:
                raise OSError(found["error"])
            return found["answer"]

        return call


class _FileCall:
    def __init__(self, name: str, given: tuple[str, ...]) -> None:
        self.name, self.given = name, given

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        try:
            answer = {"answer": getattr(LocalFiles(), self.name)(*self.given)}
        except OSError as error:
            answer = {"error": f"{type(error).__name__}: {os.strerror(error.errno or 0)}"}
        yield pa.RecordBatch.from_arrays([pa.array([json.dumps(answer)])], names=["answer"])


def local_path(path: str) -> str:
    """Of a local path or file: URI."""
    parsed = urlparse(path)
    return unquote(parsed.path) if parsed.scheme == "file" else path


class Storage:
    """What is done with single files. Paths may have any scheme that the session can reach."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._hadoop = None if is_connect(spark) else HadoopFiles(spark)
        self._local = TaskFiles(spark) if is_connect(spark) else LocalFiles()

    def scheme(self, path: str) -> str:
        named = urlparse(path).scheme
        if self._hadoop:
            return named or self._hadoop.scheme(path)
        found = named or "file"
        if found != "file":
            raise refusal(
                path,
                f"Spark Connect does not reach single files of {found}:",
                "Name a folder that all machines of the cluster mount, or run the same lines in a classic session "
                "(spark-submit), which reaches every file system of Spark.",
            )
        return found

    def whole(self, path: str | os.PathLike) -> str:
        """The path as executors and later sessions understand it, without a slash at its end."""
        text = os.fspath(path).rstrip("/")
        if self.scheme(text) != "file" or urlparse(text).scheme or os.path.isabs(text):
            return text
        if self._hadoop:
            return os.path.abspath(text)
        raise refusal(text, "is relative, and a client of Spark Connect is in another folder", "Give the whole path.")

    def _files(self, path: str) -> tuple[LocalFiles | HadoopFiles | TaskFiles, str]:
        return (self._local, local_path(path)) if self.scheme(path) == "file" else (self._hadoop, path)

    def exists(self, path: str) -> bool:
        files, at = self._files(path)
        return bool(files.exists(at))

    def is_folder(self, path: str) -> bool:
        files, at = self._files(path)
        return bool(files.is_folder(at))

    def delete(self, path: str) -> None:
        files, at = self._files(path)
        files.delete(at)

    def names(self, folder: str) -> list[str]:
        """Of what is in the folder, without hidden files (checksums of the file system)."""
        files, at = self._files(folder)
        return sorted(name for name in files.names(at) if not name.startswith("."))

    def read_text(self, path: str) -> str:
        files, at = self._files(path)
        return str(files.read_text(at))

    def write_text(self, path: str, text: str) -> None:
        files, at = self._files(path)
        files.write_text(at, text)

    def make_private(self, folder: str) -> None:
        """A folder that nobody else can look into, where the file system has permissions."""
        files, at = self._files(folder)
        files.make_private(at)

    def write_new(self, path: str, text: str) -> bool:
        """Of several writers of one name exactly one is told True; `text` must be another for each."""
        files, at = self._files(path)
        return bool(files.write_new(at, text))

    def rename_new(self, old: str, new: str) -> bool:
        """False where `new` is there already, which is left as it is."""
        files, at = self._files(old)
        return bool(files.rename_new(at, local_path(new) if self.scheme(new) == "file" else new))


class Work:
    """A folder for tables between jobs, deleted at the end in every case.

    What several jobs read is written once: a task that runs twice, or an executor that is lost, then cannot
    number or order anything again. The tables are as private as the data, and only their owner can read them.
    """

    def __init__(self, spark: SparkSession, parent: str) -> None:
        self.spark = spark
        self.storage = Storage(spark)
        self.path = f"{self.storage.whole(parent)}/hyobscure-{uuid.uuid4().hex}"

    def __enter__(self) -> Work:
        try:
            self.storage.make_private(self.path)
        except OSError as error:
            raise refusal(
                self.path, f"cannot be made ({error})", "Name a folder for work that you can write."
            ) from None
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.step(None)
        self.storage.delete(self.path)
        if self.storage.exists(self.path):  # a task that was overtaken has written meanwhile
            time.sleep(0.5)
            self.storage.delete(self.path)

    def step(self, description: str | None) -> None:
        """What the jobs from here on are called in Spark's pages."""
        if not is_connect(self.spark):
            self.spark.sparkContext.setJobDescription(description and f"hyobscure: {description}")

    def store(self, name: str, frame: DataFrame) -> DataFrame:
        path = f"{self.path}/{name}"
        frame.write.options(**PRIVATE).parquet(path)
        return self.spark.read.schema(frame.schema).parquet(path)
