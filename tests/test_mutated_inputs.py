"""A fixed sample of the spoilt inputs of mutated_inputs.py, which tries them all: `python3 tests/mutated_inputs.py`."""

import pytest
from mutated_inputs import CASES, COUNTS, make_bases, try_kinds

EVERY = 7  # one in so many; a prime, so that each way and each file has its turn


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    return make_bases(tmp_path_factory.mktemp("bases"))


def test_there_are_as_many_kinds_and_inputs_as_the_trust_document_asks_for():
    assert set(CASES) == set(COUNTS) and sum(COUNTS.values()) >= 1300


@pytest.mark.parametrize("kind", CASES)
def test_spoilt_inputs_get_an_answer_and_nothing_false_is_published(kind, bases, tmp_path):
    table, faults = try_kinds([kind], EVERY, tmp_path, bases, tell=lambda fault: None)
    assert not faults, "\n".join(faults)
    accepted, refused = map(int, table.splitlines()[1].split()[2:4])
    assert refused > COUNTS[kind] / EVERY / 3, table  # spoiling does spoil
    assert accepted + refused == -(-COUNTS[kind] // EVERY), table
