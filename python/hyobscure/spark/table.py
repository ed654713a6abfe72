"""A DataFrame in a role, with cells read as the command line reads them."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .errors import refusal

# Their texts are the same in DuckDB and Spark; fractions and times of day are not.
_SAME_TEXT = (T.StringType, T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.BooleanType, T.DateType)
_NUMBERS = (
    T.ByteType,
    T.ShortType,
    T.IntegerType,
    T.LongType,
    T.FloatType,
    T.DoubleType,
    T.DecimalType,
    T.BooleanType,
)

# Java also takes "1d" and "0x1p3", DuckDB does not.
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_NOT_FINITE = r"(?i)^\s*[+-]?(inf|infinity|nan)\s*$"


def quoted(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


def number_in(name: str) -> Column:
    """Of a column of ours; null where a text is no number, also where Spark is told to fail there (ANSI)."""
    return F.expr(f"try_cast({name} AS double)")


def is_finite(number: Column) -> Column:
    """NaN is the largest number of Spark."""
    return (number > float("-inf")) & (number < float("inf"))


@dataclass(frozen=True)
class Table:
    frame: DataFrame
    place: str  # for messages: "people" or "events"

    def name(self, wanted: str) -> str:
        """The column as it is spelt; SQL takes names in any case."""
        found = [name for name in self.frame.columns if name.lower() == wanted.lower()]
        if len(found) > 1:
            raise refusal(self.place, "there are two columns so named", "Rename one of them.", wanted)
        if not found:
            there = len(self.frame.columns)
            raise refusal(
                self.place,
                f"there is no such column; there {'is' if there == 1 else 'are'} {there}",
                "Correct the name.",
                wanted,
            )
        return found[0]

    def cell(self, wanted: str) -> Column:
        return quoted(self.name(wanted))

    def type(self, wanted: str) -> T.DataType:
        return self.frame.schema[self.name(wanted)].dataType

    def text(self, wanted: str) -> Column:
        kind = self.type(wanted)
        if not isinstance(kind, _SAME_TEXT):
            raise refusal(
                self.place,
                f"cells of type {kind.simpleString()} have no text that all engines share",
                "Cast the column to text, a whole number or a date.",
                wanted,
            )
        return self.cell(wanted).cast("string")

    def is_number(self, wanted: str) -> bool:
        return isinstance(self.type(wanted), _NUMBERS)

    def number(self, wanted: str) -> Column:
        """As double; null where the cell is empty or no number."""
        cell = self.cell(wanted)
        if self.is_number(wanted):
            return cell.cast("double")
        if not isinstance(self.type(wanted), T.StringType):
            return F.lit(None).cast("double")
        name = "`" + self.name(wanted).replace("`", "``") + "`"
        number = F.expr(f"try_cast(trim({name}) AS double)")
        return F.when(cell.rlike(_NUMBER) | cell.rlike(_NOT_FINITE), number)
