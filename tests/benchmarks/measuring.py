"""Time and memory of a call, and the table that is printed of them."""

import ctypes
import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

# A machine is quiet if it is busy for no more than this share; so many seconds are spent waiting for it, in all.
QUIET, MOST_WAIT, PAUSE = 0.15, 60.0, 0.15


@dataclass(frozen=True, slots=True)
class Measured:
    """seconds: the best of all repeats. megabytes: the most memory above what was held before, of the first."""

    seconds: float
    megabytes: float
    value: Any = None


def measure(call: Callable[[], Any], *, repeats: int = 3) -> Measured:
    megabytes, value = _peak(call)
    best = float("inf")
    for _ in range(repeats):
        best = min(best, timed(call))
    return Measured(best, megabytes, value)


def measure_in_turn(calls: Mapping[str, Callable[[], Any]], *, repeats: int = 3) -> dict[str, Measured]:
    """The same for several calls, one after the other in every repeat, so that noise meets all of them."""
    found = {name: measure(call, repeats=0) for name, call in calls.items()}
    for _ in range(repeats):
        for name, call in calls.items():
            once = timed(call)
            found[name] = replace(found[name], seconds=min(found[name].seconds, once))
    return found


def timed(call: Callable[[], Any]) -> float:
    wait_for_quiet()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


waited = {"seconds": 0.0}


def wait_for_quiet() -> None:
    """Wait, for a while at most, until others leave the processors alone; Linux alone tells."""
    while waited["seconds"] < MOST_WAIT and Path("/proc/stat").exists():
        before = _processor_time()
        time.sleep(PAUSE)
        waited["seconds"] += PAUSE
        busy, idle = (now - then for now, then in zip(_processor_time(), before, strict=True))
        if busy <= QUIET * (busy + idle):
            return


def _processor_time() -> tuple[int, int]:
    """Busy and idle ticks of all processors since the start."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, idle


def _peak(call: Callable[[], Any]) -> tuple[float, Any]:
    """Linux alone tells the peak and lets it be set back."""
    clear = Path("/proc/self/clear_refs")
    if not clear.exists():
        return float("nan"), call()
    gc.collect()
    # What was freed before must not be there for the call to use unseen.
    ctypes.CDLL(None).malloc_trim(0)
    clear.write_text("5")
    before = _status("VmRSS")
    value = call()
    return max(0.0, (_status("VmHWM") - before) / 1024), value


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


@dataclass(slots=True)
class Results:
    """What was measured beside what was asked for."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def faster(self, what: str, ours: float, theirs: float, *, goal: float, note: str = "") -> None:
        """Ours must be at least `goal` times as fast."""
        ratio = theirs / ours
        figures = f"{ratio:,.1f}× ({seconds(ours)} against {seconds(theirs)}{note})"
        self._add(what, f"≥ {goal:g}×", figures, ratio >= goal)

    def within(self, what: str, ours: float, theirs: float, *, goal: float) -> None:
        """Ours must take at most `goal` times as long."""
        ratio = ours / theirs
        figures = f"{ratio:.2f}× ({seconds(ours)} against {seconds(theirs)})"
        self._add(what, f"≤ {goal:g}×", figures, ratio <= goal)

    def at_most(self, what: str, value: float, *, goal: float, unit: str) -> None:
        figure = f"{value:.1f}" if value >= 10 else f"{value:.2g}"
        self._add(what, f"≤ {goal:g} {unit}".strip(), f"{figure} {unit}".strip(), value <= goal)

    def _add(self, what: str, goal: str, figures: str, is_met: bool) -> None:
        self.rows.append((what, goal, figures, "yes" if is_met else "no"))
        print(f"{what}: {figures}, goal {goal}{'' if is_met else ' – not met'}", flush=True)

    def markdown(self) -> str:
        lines = ["| what | goal | measured | met |", "|---|---|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join([*lines, "", *(f"* {note}" for note in self.notes)])


def seconds(value: float) -> str:
    if value < 0.1:
        return f"{value * 1000:.1f} ms"
    return f"{value:.2f} s" if value < 100 else f"{value:,.0f} s"
