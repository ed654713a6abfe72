"""Methods that look at each person: byte-equal to the command line, in one task and by wards in many."""

import sys

import pytest
from made import LONG_SPEC, WIDE_SPEC, long_tables, rows_of, wide_tables, write

import hyobscure.spark as hs
from hyobscure._errors import InputError


def assert_same_release(made, folder):
    for name in ["people.parquet", "events.parquet"][: 1 + made.is_long]:
        expected = rows_of(made.published() / name)
        assert len(expected) > 100
        assert rows_of(folder / name) == expected


def fitted(spark, made, work, partitions=3):
    frames = made.frames(spark, partitions)
    return hs.fit(hs.census(*frames, spec=made.spec, work=work), *frames, work=work)


def published(spark, made, mechanism, work, folder):
    frames = made.frames(spark, 3)
    return hs.publish(*frames, mechanism, folder, spec=made.spec, work=work, accept_leakage=True)


@pytest.mark.parametrize("method", ["fine", "dp", "simp"])
def test_in_one_task(spark, work, tmp_path, method):
    spec = LONG_SPEC.replace('"exact"', f'"{method}"')
    made = write(tmp_path / method, spec, **long_tables(240, seed=31))
    mechanism = fitted(spark, made, work)
    assert mechanism.text == made.fitted().read_text()
    release = published(spark, made, mechanism, work, tmp_path / "release")
    assert_same_release(made, tmp_path / "release")
    assert 0 <= release.people_unchanged < 240


def by_wards(monkeypatch):
    monkeypatch.setattr(sys.modules["hyobscure.spark.fit"], "_PEOPLE_OF_ONE_TASK", 0)


WARDS = LONG_SPEC.replace('"exact"', '"fine"\nward = {}').replace("count = 3", "fixed = [[20, 34], [35, 49]]")


@pytest.mark.parametrize("most", [100, 40])
def test_by_wards(spark, work, tmp_path, monkeypatch, most):
    """Wards of up to 100 are solved as one problem, those of up to 40 one by one at a common price."""
    by_wards(monkeypatch)
    made = write(tmp_path / "wards", WARDS.format(most), **long_tables(400, seed=31))
    mechanism = fitted(spark, made, work)
    assert mechanism.text == made.fitted().read_text()
    assert "wards" in mechanism.text
