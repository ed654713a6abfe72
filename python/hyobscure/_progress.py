"""Progress of long work: nothing, a bar of tqdm, or a function of the caller's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

Report = Callable[[str, float, float], None]
Progress = Union[bool, Report, None]


class _Bar:
    """One bar of tqdm for each stage."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: float, total: float) -> None:
        if not stage:
            return
        if self._bar is None or stage != self._stage:
            self.close()
            self._stage = stage
            shape = "{desc} {percentage:3.0f}% {bar} {elapsed}" if total else "{desc} {elapsed}"
            self._bar = self._tqdm(desc=stage, total=total or None, leave=False, bar_format=shape)
        if total:
            self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def reports(progress: Progress) -> Iterator[Optional[Report]]:
    """The function that the core calls with (stage, done, total); total 0 means unknown."""
    if not progress:
        yield None
    elif callable(progress):
        yield progress
    else:
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()
