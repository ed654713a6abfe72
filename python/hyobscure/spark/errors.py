"""Errors that the caller can correct: place, cause, remedy. None of them quotes a cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from hyobscure._errors import InputError

try:
    from py4j.protocol import Py4JJavaError
except ImportError:  # a client of Spark Connect alone

    class Py4JJavaError(Exception):
        """What such a client never sees."""


_MARK = "hyobscure refuses "


def refusal(place: str, cause: str, remedy: str, column: str = "") -> InputError:
    where = f'{place}, column "{column}"' if column else place
    return InputError(f"{where}: {cause}. {remedy}", (place, 0, column), cause, remedy)


def plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def carried(error: InputError) -> RuntimeError:
    """An executor's refusal as an error that reaches the driver: Spark hands on nothing but text."""
    parts = [str(error), error.place, error.problem, error.remedy]
    return RuntimeError(_MARK + json.dumps(parts).encode().hex())


@contextmanager
def refusals_of_tasks() -> Iterator[None]:
    """Jobs inside: what an executor refused is refused here."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        found = re.search(_MARK + "([0-9a-f]+)", str(error))
        if found is None:
            raise
        raise InputError(*json.loads(bytes.fromhex(found[1]))) from None
