"""Single files by all three ways: the driver's own disk, Hadoop's file systems, tasks."""

import os
import stat
import threading

import pytest

from hyobscure.spark.storage import HadoopFiles, LocalFiles, TaskFiles, Work


@pytest.fixture(params=[LocalFiles, HadoopFiles, TaskFiles])
def files(request, spark):
    return request.param() if request.param is LocalFiles else request.param(spark)


def test_files_and_folders(files, tmp_path):
    folder = f"{tmp_path}/deep/folder"
    files.make_private(folder)
    files.make_private(folder)  # a task may run twice
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert files.is_folder(folder) and not files.exists(f"{folder}/a") and files.names(f"{folder}/none") == []
    assert files.write_new(f"{folder}/a", "ä 1") is True
    assert files.write_new(f"{folder}/a", "another") is False
    assert files.read_text(f"{folder}/a") == "ä 1" and not files.is_folder(f"{folder}/a")
    files.write_text(f"{folder}/a", "2")
    assert files.read_text(f"{folder}/a") == "2"
    files.delete(folder)
    files.delete(folder)
    assert not files.exists(folder)


def test_a_folder_gets_a_name_that_is_free_and_no_other(files, tmp_path):
    for name in ("old", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert files.rename_new(f"{tmp_path}/old", f"{tmp_path}/there") is False
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["old", "old", "there", "there"]
    assert files.rename_new(f"{tmp_path}/old", f"{tmp_path}/new") is True
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["new", "old", "there", "there"]


def test_of_many_writers_of_one_name_one_is_told_that_it_was_first(tmp_path):
    for trial in range(20):
        told, start = [], threading.Barrier(8)

        def write(writer, path=f"{tmp_path}/{trial}"):
            start.wait()
            told.append(LocalFiles().write_new(path, f"text of {writer}"))

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert sorted(told) == [False] * 7 + [True]
    assert len(os.listdir(tmp_path)) == 20


def test_tables_between_jobs_are_closed_to_others(spark, work):
    with Work(spark, work) as folder:
        folder.store("table", spark.range(10))
        assert stat.S_IMODE(os.stat(folder.path).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(f"{folder.path}/table").st_mode) == 0o700
        parts = [f"{folder.path}/table/{name}" for name in os.listdir(f"{folder.path}/table")]
        assert parts and {stat.S_IMODE(os.stat(part).st_mode) for part in parts} == {0o600}
