"""Who has been drawn for already, on storage that all drivers share: the ledger of src/hyobscure/release/ledger.h
as a folder.

    ledger.json                  the salt of the hashes
    people/TOKEN/                a table of keyed hashes, of all people of a publication
    draws/00000003.json          a claim: a publication that drew, or is about to draw, for people/TOKEN
    draws/00000003.published     its release appeared
    draws/00000003.withdrawn     it failed: nothing appeared

Claims are numbered without gaps, and a number is taken by creating its file, which succeeds for exactly one
driver. Who takes a number has looked at all claims before it; who does not get it looks again. So of two drivers
that race for the same people the second sees the first, whatever the order of their steps.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import reduce
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hyobscure._core import kernels
from hyobscure._errors import InputError

from .blobs import small_batches
from .errors import refusal
from .release_tasks import HashPeople
from .settings import word
from .storage import PRIVATE, Storage

_KEY = "release.ledger"
_KIND = "hyobscure ledger"
_PATIENCE = 10.0  # seconds until a file that another driver has just created has its content

# A file of theirs is replaced by whoever writes last: two drivers can both believe that they created it.
_WITHOUT_CREATION = ("s3", "s3a", "s3n", "http", "https", "ftp")


@dataclass(frozen=True)
class Draw:
    """A claim, as its file tells."""

    number: int
    name: str  # of the key
    claimed: str
    release: str
    mechanism: str
    driver: str
    people: int
    hashes: str  # folder below people/
    published: bool

    @staticmethod
    def read(number: int, content: dict, published: bool) -> Draw:
        texts = [str(content[key]) for key in ("draw", "claimed", "release", "mechanism", "driver")]
        return Draw(number, *texts, int(content["people"]), str(content["hashes"]), published)


class Ledger:
    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder, self.storage = spark, folder.rstrip("/"), Storage(spark)

    @staticmethod
    def of(spec: kernels.Spec, name: str, draws: kernels.Draws, spark: SparkSession) -> Ledger | None:
        """The one that the spec names; None: nothing is to be remembered. Opened before any job runs."""
        folder = word(spec, _KEY)
        if draws.seeded or folder == "none":
            return None
        if "://" not in folder and not os.path.isabs(folder.removeprefix("file:")):
            raise refusal(
                name,
                "a ledger that drivers share needs a place that does not depend on where they run",
                'Name a folder by its whole path or URI, such as "hdfs:///private/ledger"; "none" for a trial that '
                "nobody will see.",
                _KEY,
            )
        ledger = Ledger(spark, folder)
        ledger._open()
        return ledger

    def _open(self) -> None:
        scheme = self.storage.scheme(self.folder)
        if scheme in _WITHOUT_CREATION:
            raise refusal(
                self.folder,
                f"{scheme}: cannot create a file for one of two drivers only, so both might draw for the same people",
                "Keep the ledger on HDFS, ABFS, Google Cloud Storage or a disk that the drivers mount; the release "
                "may be anywhere.",
                _KEY,
            )
        try:
            if self.storage.exists(self.folder) and not self.storage.is_folder(self.folder):
                raise refusal(
                    self.folder,
                    "is a file, the ledger of the command line perhaps; on Spark a ledger is a folder",
                    "Name another place, and do not publish people of the one with the other.",
                    _KEY,
                )
            self.storage.make_private(self.folder)
            for part in ("people", "draws"):
                self.storage.make_private(f"{self.folder}/{part}")
            salt = {"kind": _KIND, "format": 3, "salt": secrets.token_hex(32)}
            if not self.storage.exists(f"{self.folder}/ledger.json"):
                self.storage.write_new(f"{self.folder}/ledger.json", json.dumps(salt) + "\n")
        except OSError as error:
            raise refusal(
                self.folder,
                f"cannot be written ({error}), so nothing would remember whom this release draws for",
                'Name a folder of yours, or "none" for a trial that nobody will see.',
                _KEY,
            ) from None
        content = self._content("ledger.json")
        if content.get("kind") != _KIND or content.get("format") != 3:
            raise self._damaged("ledger.json")
        self.salt = str(content["salt"])

    def _damaged(self, name: str) -> InputError:
        return refusal(
            f"{self.folder}/{name}",
            "this is no part of a ledger of published draws, or it is damaged",
            "Restore it from a copy, or name another folder in release.ledger.",
        )

    def _content(self, name: str) -> dict:
        """Where files appear before their content, it is waited for."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                found = json.loads(self.storage.read_text(f"{self.folder}/{name}"))
                return found if isinstance(found, dict) else {}
            except ValueError:
                if time.monotonic() > until:
                    raise self._damaged(name) from None
                time.sleep(0.2)

    def draws(self) -> tuple[list[Draw], int]:
        """The claims that were not withdrawn, and the first number that is free."""
        names = set(self.storage.names(f"{self.folder}/draws"))
        numbers = sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit())
        found = []
        for number in numbers:
            if f"{number:08}.withdrawn" in names:
                continue
            name = f"draws/{number:08}.json"
            try:
                found.append(Draw.read(number, self._content(name), f"{number:08}.published" in names))
            except (KeyError, ValueError) as error:
                raise error if isinstance(error, InputError) else self._damaged(name) from None
        return found, numbers[-1] + 1 if numbers else 1

    # --- claims

    def claim(self, blocks: DataFrame, draws: kernels.Draws, release: str, mechanism: str, second_draw: bool) -> Claim:
        """Takes a number for these people, or refuses those who were drawn for by another key."""
        token = uuid.uuid4().hex
        hashes = f"{self.folder}/people/{token}"
        task = HashPeople(self.salt)
        with small_batches(self.spark):
            blocks.select("block", "payload").mapInArrow(task, task.schema).write.options(**PRIVATE).parquet(hashes)
        mine = self.spark.read.schema(task.schema).parquet(hashes)
        content = {
            "kind": "hyobscure claim",
            "draw": draws.name,
            "claimed": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S"),
            "release": release,
            "mechanism": mechanism,
            "driver": f"{socket.gethostname()}, process {os.getpid()}",
            "people": draws.people,
            "hashes": token,
        }
        seen: dict[int, int] = {}
        try:
            while True:
                known, free = self.draws()
                if any(each.name == draws.name and each.published for each in known):  # the same draw again
                    self.storage.delete(hashes)
                    return Claim(self, None, self._count_earlier(known, seen, mine, draws, second_draw))
                earlier = self._count_earlier(known, seen, mine, draws, second_draw)
                if self._take(free, content):
                    return Claim(self, free, earlier)
        except BaseException:
            self.storage.delete(hashes)
            raise

    def _take(self, number: int, content: dict) -> bool:
        return self.storage.write_new(f"{self.folder}/draws/{number:08}.json", json.dumps(content) + "\n")

    def _count_earlier(
        self, known: list[Draw], seen: dict[int, int], mine: DataFrame, draws: kernels.Draws, second_draw: bool
    ) -> int:
        """How many other draws had some of these people; refuses them unless a second draw is wanted."""
        others = [each for each in known if each.name != draws.name]
        unseen = [each for each in others if each.number not in seen]
        if unseen:
            seen |= {each.number: 0 for each in unseen} | self._overlaps(unseen, mine)
        earlier = [each for each in others if seen[each.number] > 0]
        if earlier and not second_draw:
            raise _second_draw(self.folder, earlier, seen[earlier[-1].number], draws)
        return len(earlier)

    def _overlaps(self, others: list[Draw], mine: DataFrame) -> dict[int, int]:
        tables = []
        for each in others:
            path = f"{self.folder}/people/{each.hashes}"
            if not self.storage.exists(path):
                raise self._damaged(f"people/{each.hashes}")
            tables.append(self.spark.read.schema("hash long").parquet(path).withColumn("draw", F.lit(each.number)))
        theirs = reduce(lambda one, other: one.unionByName(other), tables)
        return dict(theirs.join(mine, "hash", "left_semi").groupBy("draw").count().collect())


class Claim:
    """Of the people of one publication. Withdrawn where that fails before its release can be there."""

    def __init__(self, ledger: Ledger, number: int | None, earlier_draws: int) -> None:
        self.ledger, self.number, self.earlier_draws = ledger, number, earlier_draws
        self._is_held = False

    def __enter__(self) -> Claim:
        return self

    def hold(self) -> None:
        """From here on the release may have appeared, whatever happens."""
        self._is_held = True

    def appeared(self) -> None:
        self._mark("published")

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None and not self._is_held:
            self._mark("withdrawn")

    def _mark(self, word: str) -> None:
        if self.number is not None:
            self.ledger.storage.write_text(f"{self.ledger.folder}/draws/{self.number:08}.{word}", "")


def _second_draw(folder: str, earlier: list[Draw], overlap: int, draws: kernels.Draws) -> InputError:
    last = earlier[-1]
    share = overlap / max(1, last.people)
    who = f"{100 * share:.0f} % of the people" if share >= 0.01 else f"{overlap} of the {last.people} people"
    if not last.published:
        return refusal(
            folder,
            f"{who} that a publication into {last.release} claimed ({last.claimed} UTC, {last.driver}) would be drawn "
            "for a second time; that publication has not ended: it is still running, or its driver died",
            f"Wait for it. If its driver died, publish {last.mechanism} again, which gives the same release; or, "
            f"if nothing appeared in {last.release}, create an empty file draws/{last.number:08}.withdrawn in the "
            "ledger.",
        )
    return refusal(
        folder,
        f"{who} in {last.release} (published {last.claimed}) would be drawn for a second time: anyone who sees "
        f"{'both' if len(earlier) == 1 else f'all {len(earlier) + 1}'} releases learns up to "
        f"{draws.secret_entropy:.4f} of {draws.secret_entropy:.4f} bits, where this release alone leaks "
        f"{draws.leakage:.4f}",
        f"Publish {last.mechanism} again, which gives the same release. If the earlier one never left your hands, "
        f"create an empty file draws/{last.number:08}.withdrawn in the ledger. second_draw=True publishes all the "
        "same, and the manifest says so.",
    )
