"""verify finds what was changed in a release, and says what it is."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyobscure.spark as hs


@pytest.fixture(scope="module")
def released(spark, long, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    hs.publish(
        *long.frames(spark),
        hs.Mechanism.load(long.fitted()),
        folder / "release",
        spec=long.spec,
        work=str(folder / "work"),
        accept_leakage=True,
    )
    return folder / "release"


@pytest.fixture
def release(released, tmp_path):
    return shutil.copytree(released, tmp_path / "release")


def failed(spark, made, release, work):
    found = hs.verify(release, *made.frames(spark), spec=made.spec, work=work)
    return {check.name for check in found.checks if not check.passed and not check.warning}


def rewrite(release, name, change):
    """The first part of a table becomes what `change` makes of it, without a checksum of the file system."""
    part = sorted((release / name).glob("*.parquet"))[0]
    for checksum in (release / name).glob(".*"):
        checksum.unlink()
    pq.write_table(change(pq.read_table(part, partitioning=None)), part)


def test_a_wrong_label(spark, long, release, work):
    def swap(people):
        labels = people["age"].to_pylist()
        other = next(row for row, label in enumerate(labels) if label != labels[0])
        labels[0], labels[other] = labels[other], labels[0]
        return people.set_column(1, "age", pa.array(labels))

    rewrite(release, "people.parquet", swap)
    assert failed(spark, long, release, work) >= {
        "the files are as they were written",
        "every label covers the true secret",
        "every donor is of the same group",
    }


def test_features_of_nobody(spark, long, release, work):
    rewrite(release, "events.parquet", lambda events: events.slice(1))
    assert failed(spark, long, release, work) >= {
        "the files are as they were written",
        "events.parquet has the declared number of rows",
        "published features are the true features of a person",
    }


def test_an_exact_secret(spark, long, release, work):
    def reveal(people):
        return people.set_column(1, "age", pa.array(["33", *people["age"].to_pylist()[1:]]))

    rewrite(release, "people.parquet", reveal)
    assert failed(spark, long, release, work) >= {
        "every label is a declared group",
        "the secret column holds no plain numbers",
        "no exact secret is published",
    }


def test_an_edited_manifest_and_a_file_too_many(spark, long, release, work):
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["groups"][0]["people"] += 1
    (release / ".manifest.json.crc").unlink(missing_ok=True)
    (release / "manifest.json").write_text(json.dumps(manifest, indent=2))
    (release / "donors.csv").write_text("who,whose\n")
    assert failed(spark, long, release, work) >= {
        "the manifest is as it was written",
        "there are no other files",
        "people per group are as declared",
        "the manifest counts people truly, and lists the secrets there are",
    }


@pytest.mark.parametrize(
    ("name", "check"),
    [("groups.csv", "groups.csv is written in the one way"), ("README.txt", "README.txt is written in the one way")],
)
def test_what_lies_beside_the_tables_follows_from_the_manifest(spark, long, release, work, name, check):
    text = (release / name).read_text() + "more\n"
    (release / f".{name}.crc").unlink(missing_ok=True)
    (release / name).write_text(text)
    assert failed(spark, long, release, work) == {check, "the files are as they were written"}


@pytest.mark.parametrize("change", [{"distance": 0.4187}, {"leakage_added_bits": 0.1234}, {"secret_entropy_bits": 4.5}])
def test_a_figure_from_which_secrets_can_be_computed(spark, long, release, work, change):
    manifest = {**json.loads((release / "manifest.json").read_text()), **change}
    (release / ".manifest.json.crc").unlink(missing_ok=True)
    (release / "manifest.json").write_text(json.dumps(manifest, indent=2))
    assert "no figure of the manifest is fine enough to compute a secret from" in failed(spark, long, release, work)
