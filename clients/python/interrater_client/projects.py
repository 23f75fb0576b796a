"""A project and what runs in it: imports and reports."""

import io
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self, TypeAlias
from urllib.parse import quote

from interrater_client import schemas
from interrater_client.api import API

if TYPE_CHECKING:
    import pandas as pd

# A file: its path, its content, or a table.
Data: TypeAlias = "str | Path | bytes | pd.DataFrame"
Kind = Literal["labels", "items", "questions"]
# JSON objects as the API takes them.
Json = Mapping[str, Any]
FINAL = {"done", "failed", "cancelled"}
# Seconds between looks at a run: short for small files, long for large ones.
FIRST_LOOK, LAST_LOOK = 0.1, 5.0


class RunFailed(Exception):
    """An import or report that failed; the message says why."""


class _Run:
    """Work that the server does in the background; `data` is its last response about it."""

    def __init__(self, api: API, path: str, data: Any) -> None:
        self._api, self._path, self.data = api, path, data

    @property
    def id(self) -> int:
        return int(self.data["id"])

    @property
    def state(self) -> str:
        """draft, queued, running, done, failed, or cancelled."""
        return str(self.data["state"])

    def refresh(self) -> Self:
        self.data = self._api.get(self._path)
        return self

    def wait(self, timeout: float = 3600.0) -> Self:
        """Wait until it is done. Raises RunFailed, or TimeoutError after `timeout` seconds."""
        until, pause = time.monotonic() + timeout, FIRST_LOOK
        while self.state not in FINAL:
            if time.monotonic() > until:
                raise TimeoutError(f"{self._path} is still {self.state} after {timeout:g} seconds.")
            time.sleep(pause)
            pause = min(pause * 1.5, LAST_LOOK)
            self.refresh()
        if self.state != "done":
            raise RunFailed(self.data["failure"] or f"{self._path} is {self.state}.")
        return self


class Import(_Run):
    data: schemas.Import

    def undo(self) -> Self:
        """Withdraw what this import created and nothing else uses, and give changed labels their former values."""
        self.data = self._api.post(f"{self._path}undo/")
        return self


@dataclass(frozen=True, slots=True)
class Matrix:
    """One value for each pair of raters. values: (raters, raters), NaN where there is none; n: items both labeled."""

    raters: Sequence[str]
    values: Sequence[Sequence[float]]
    n: Sequence[Sequence[int]]

    def to_frame(self) -> "pd.DataFrame":
        import pandas as pd

        return pd.DataFrame([*self.values], index=[*self.raters], columns=[*self.raters], dtype=float)


class Labels(Iterator[schemas.Label]):
    """Labels as they are now, including withdrawn ones, each listed once.

    next: pass it as changed_since the next time. It says how far this iteration has come, so you can also continue one
    that was interrupted.
    """

    def __init__(self, api: API, path: str, changed_since: str | None, filters: Mapping[str, str]) -> None:
        self._api, self._path, self._filters = api, path, filters
        self.next = changed_since
        self._page: Iterator[schemas.Label] = iter(())
        self._after: str | None = changed_since
        self._has_more = True

    def __next__(self) -> schemas.Label:
        while True:
            for label in self._page:
                return label
            self.next = self._after
            if not self._has_more:
                raise StopIteration
            found: schemas.Labels = self._api.get(
                self._path, changed_since=self.next, page_size=1000, **self._filters
            )
            self._page, self._after, self._has_more = iter(found["results"]), found["next"], found["has_more"]


class Report(_Run):
    data: schemas.Report

    def _question(self, key: str) -> str:
        return f"{self._path}questions/{quote(key, safe='')}/"

    def matrix(self, question: str, *, statistic: str = "kappa", weights: str | None = None) -> Matrix:
        """The values of all pairs.

        statistic: kappa, or for numbers and sets, one of the keys of `figures`, such as "icc_a1". weights: instead of
        the report's.
        """
        found: schemas.Matrix = self._api.get(f"{self._question(question)}matrix/", weights=weights)
        values = found["kappa"] if statistic == "kappa" else (found["figures"] or {}).get(statistic)
        if values is None:
            known = ", ".join(found["figures"] or ["kappa"])
            raise ValueError(f"{question} has no matrix of {statistic}. It has: {known}.")
        return Matrix(
            [rater["key"] for rater in found["raters"]],
            [[math.nan if value is None else value for value in row or []] for row in values],
            found["n"],
        )

    def pairs(self, question: str) -> Iterator[schemas.Pair]:
        """Each pair of raters with its confusion matrix, kappa, and interval."""
        return self._api.pages(f"{self._question(question)}pairs/")

    def pair(self, question: str, a: int, b: int) -> schemas.PairDetail:
        """Every statistic of two raters, by their ids."""
        found: schemas.PairDetail = self._api.get(f"{self._question(question)}pairs/{a}/{b}/")
        return found

    def statistics(self, question: str) -> schemas.QuestionStatistics:
        """Every statistic of all raters together."""
        found: schemas.QuestionStatistics = self._api.get(f"{self._question(question)}statistics/")
        return found

    def export(self, name: str, to: BinaryIO) -> None:
        """Write one of the report's exports, such as "labels-long.csv"."""
        to.write(self._api.send("GET", f"{self._path}exports/{quote(name, safe='')}").content)


class Project:
    """data: the server's response when the project was opened or created."""

    def __init__(self, api: API, data: schemas.Project) -> None:
        self._api, self.data = api, data
        self._path = f"projects/{self.slug}/"

    @property
    def slug(self) -> str:
        return self.data["slug"]

    def questions(self) -> Sequence[schemas.Question]:
        found: Sequence[schemas.Question] = self._api.get(f"{self._path}questions/")
        return found

    def create_question(self, key: str, **settings: Any) -> schemas.Question:
        """settings: kind, level, prompt, categories, and the others of the API."""
        found: schemas.Question = self._api.post(f"{self._path}questions/", {"key": key, **settings})
        return found

    def raters(self) -> Iterator[schemas.Rater]:
        return self._api.pages(f"{self._path}raters/")

    def items(self, **filters: str) -> Iterator[schemas.Item]:
        """filters: key, key_prefix, round, attribute, and withdrawn, as in the API."""
        return self._api.pages(f"{self._path}items/", **filters)

    def add_items(self, items: Sequence[schemas.NewItem], *, replace: bool = False) -> schemas.SavedItems:
        """Create up to 5,000 items, all or none. Identical existing items are left alone.

        replace: overwrite existing items that differ; otherwise they are refused.
        """
        found: schemas.SavedItems = self._api.post(f"{self._path}items/", [*items], **_on_conflict(replace))
        return found

    def add_labels(
        self, labels: Sequence[schemas.NewLabel], *, replace: bool = False
    ) -> schemas.SavedLabelCounts:
        """Save up to 5,000 labels, all or none. Sending the same labels again changes nothing.

        replace: overwrite an existing label that differs, if no source_id identifies it; otherwise it is refused.
        """
        found: schemas.SavedLabelCounts = self._api.post(
            f"{self._path}labels/", [*labels], **_on_conflict(replace)
        )
        return found

    def labels(self, *, changed_since: str | None = None, **filters: str) -> Labels:
        """The labels that have changed since then, or all of them, earliest change first.

        filters: question, rater, round, and item.
        """
        return Labels(self._api, f"{self._path}labels/", changed_since, filters)

    def progress(self, timeout: float = 3600.0, *, page: int = 1) -> schemas.ProjectProgress:
        """The progress. In a large project, it is as of the last count; this waits for the first count.

        page: of its raters, with 1,000 on a page. Raises TimeoutError after `timeout` seconds.
        """
        found: schemas.ProjectProgress = self._api.get_when_ready(
            f"{self._path}progress/?page={page}", timeout
        )
        return found

    def preview(self, data: Data, *, kind: Kind = "labels", **settings: str | bool | Json) -> Json:
        """How a file would be read, and what it would change; nothing is stored.

        If the file is large, only its first part is read, and `is_whole` is false.
        """
        found: Json = self._send(data, kind, {**settings, "dry_run": True})
        return found

    def import_file(self, data: Data, *, kind: Kind = "labels", **settings: str | bool | Json) -> Import:
        """Import all of a file, or raise APIError with the problems in each line.

        A worker loads labels and many items: call `wait`.

        data: a path, bytes, or a DataFrame. settings: those of the API, such as question="tone",
        columns={"coder": "rater"}, replace=True, or mapping=MAPPING as a preview returned it.
        """
        found: schemas.Import = self._send(data, kind, settings)
        return Import(self._api, f"{self._path}imports/{found['id']}/", found)

    def _send(self, data: Data, kind: Kind, settings: Mapping[str, str | bool | Json]) -> Any:
        form = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in settings.items()
        }
        files = {"file": _named(data)}
        return self._api.send(
            "POST", f"{self._path}imports/", data={"kind": kind, **form}, files=files
        ).json()

    def imports(self) -> Iterator[schemas.Import]:
        return self._api.pages(f"{self._path}imports/")

    def request_report(self, **options: Any) -> Report:
        """Ask for a report; an identical one that is up to date is returned at once.

        options: questions, rounds, pooled, weights, interval, replicates, seed, confidence, reference, counted,
        smoothing. Without weights, or with "by_question", each question has its own.
        """
        return self._report(self._api.post(f"{self._path}reports/", options))

    def report(self, pk: int) -> Report:
        return self._report(self._api.get(f"{self._path}reports/{pk}/"))

    def reports(self) -> Iterator[schemas.Report]:
        """The newest first."""
        return self._api.pages(f"{self._path}reports/")

    def _report(self, data: schemas.Report) -> Report:
        return Report(self._api, f"{self._path}reports/{data['id']}/", data)


def _on_conflict(replace: bool) -> Mapping[str, str]:
    return {"on_conflict": "replace"} if replace else {}


def _named(data: Data) -> tuple[str, bytes | BinaryIO]:
    """The name and content of a file."""
    if isinstance(data, bytes):
        return "labels", data
    if isinstance(data, str | Path):
        path = Path(data)
        return path.name, path.read_bytes()
    written = io.BytesIO()
    data.to_csv(written, index=False)
    return "labels.csv", written.getvalue()
