"""The rounds of a file: agreement is computed on one, or on all if nobody labeled an item in several."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.tables.faults import Fault, Faults
from raters.reading.records import LabelRecord, Record


@dataclass(slots=True)
class FileRounds:
    """only: the chosen round; "" for all. names: those of the file, in order of appearance."""

    only: str = ""
    names: dict[str, None] = field(default_factory=dict)

    def labels_of(self, records: Iterator[Record]) -> Iterator[Record]:
        """Yield the records without the labels of other rounds."""
        for record in records:
            if isinstance(record, LabelRecord):
                self.names.setdefault(record.round)
                if self.only not in ("", record.round):
                    continue
            yield record

    def check(self, faults: Faults, *, choose: str) -> None:
        """Add an error if the chosen round is not in the file, and name the rounds in place of the labels that repeat
        others because none was chosen. choose: how to choose one.
        """
        found = ", ".join(filter(None, self.names)) or "no rounds"
        if self.only and self.only not in self.names:
            faults.add(0, "round", self.only, "unknown_round", f"the file has no such round; it has {found}")
        repeats = [fault for fault in faults.listed if fault.code == "duplicate_label"]
        if self.only or not repeats or len(self.names) < 2:
            return
        rule = (
            f"the file has {len(self.names)} rounds ({found}), and raters labeled the same items in several. Agreement"
            f" is computed on one round: {choose}"
        )
        others = [fault for fault in faults.listed if fault.code != "duplicate_label"]
        # Errors that were only counted are found again when a round has been chosen.
        faults.listed = [Fault(0, "", "", "several_rounds", rule), *others]
        faults.n = len(faults.listed)
