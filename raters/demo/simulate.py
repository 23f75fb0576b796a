"""Generate the labels of the demo project "Customer messages": `python -m raters.demo.simulate`.

The raters are not real. Each is defined by a chance of agreeing with the reference, a bias toward milder or sharper
urgency, and a share of unlabeled items. The seed is fixed, so that the file is the same each time.
"""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "messages"
SEED = 1960
TOPICS = ("delivery", "billing", "product", "account", "praise")
LEVELS = ("low", "normal", "high")
# The first messages were labeled by all raters in a pilot.
N_PILOT = 20


@dataclass(frozen=True, slots=True)
class SimulatedRater:
    """lean: the chance of going one level up (or, if negative, down) when the rater deviates from the reference."""

    name: str
    keeps_topic: float
    keeps_urgency: float
    lean: float
    leaves_out: float


RATERS = (
    SimulatedRater("simulated-1", 0.93, 0.86, 0.5, 0.0),
    SimulatedRater("simulated-2", 0.90, 0.80, 0.2, 0.0),
    SimulatedRater("simulated-3", 0.86, 0.72, 0.8, 0.05),
    SimulatedRater("simulated-4", 0.82, 0.76, 0.5, 0.0),
    SimulatedRater("simulated-5", 0.88, 0.62, 0.9, 0.3),
)
MODEL = SimulatedRater("simulated-model", 0.87, 0.70, 0.35, 0.0)


def labels(rater: SimulatedRater, chance: random.Random) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (item, rater, question, label, round)."""
    for place, row in enumerate(messages()):
        round_ = "pilot" if place < N_PILOT else "main"
        if round_ == "main" and chance.random() < rater.leaves_out:
            continue
        yield row["item"], rater.name, "topic", _topic(row["topic"], rater, chance), round_
        yield row["item"], rater.name, "urgency", _urgency(row["urgency"], rater, chance), round_


def messages() -> list[dict[str, str]]:
    with (FOLDER / "messages.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _topic(true: str, rater: SimulatedRater, chance: random.Random) -> str:
    if chance.random() < rater.keeps_topic:
        return true
    return chance.choice([topic for topic in TOPICS if topic != true])


def _urgency(true: str, rater: SimulatedRater, chance: random.Random) -> str:
    if chance.random() < rater.keeps_urgency:
        return true
    step = 1 if chance.random() < rater.lean else -1
    return LEVELS[min(max(LEVELS.index(true) + step, 0), len(LEVELS) - 1)]


def write(name: str, raters: tuple[SimulatedRater, ...]) -> None:
    chance = random.Random(f"{SEED} {name}")  # noqa: S311  Not for secrets.
    with (FOLDER / name).open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("item", "rater", "question", "label", "round"))
        for rater in raters:
            rows.writerows(labels(rater, chance))


if __name__ == "__main__":
    write("labels.csv", RATERS)
    write("model.csv", (MODEL,))
