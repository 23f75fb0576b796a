"""docs/statistics.md: its figures are those that we compute, and it leaves out nothing that is shown."""

import re
from pathlib import Path

import pytest

from reports.agreement.interpretation.scales import SCALES
from reports.agreement.results import Reason
from reports.agreement.weights import Weights
from reports.analysis.catalog import CATALOG
from tests.docs.examples import filled, n_examples
from tests.docs.kinds import KINDS
from tests.sizes import FULL

DOCUMENT = Path(__file__).parents[2] / "docs" / "statistics.md"
TEXT = DOCUMENT.read_text()
HEADINGS = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
# What nobody outside the library meets: a cell of a table of reasons says what a reader sees.
REASONS = [reason for reason in Reason if reason]


def anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


# How often intervals hold is simulated, which takes longer than everything else together.
SIMULATED = re.compile(r"^```text example coverage\n.*?^```$", re.DOTALL | re.MULTILINE)


def test_every_figure_is_the_one_that_we_compute():
    text = TEXT if FULL else SIMULATED.sub("", TEXT)

    assert filled(text, KINDS) == text
    assert n_examples(text) >= 30


def test_every_figure_of_the_worked_audit_is_the_one_that_we_compute():
    text = (DOCUMENT.parent / "how-to" / "audits.md").read_text()

    assert filled(text, KINDS) == text
    assert n_examples(text) == 2


def test_another_figure_would_be_found():
    example = "```text example pair\n   a  b\na  4  1\nb  1  4\n\nCohen's kappa  {}\n```"
    right = filled(example.format("0"), KINDS)

    assert "Cohen's kappa  0.6000  SE" in right
    assert filled(right, KINDS) == right
    assert filled(right.replace("0.6000", "0.6001"), KINDS) == right


def test_a_label_that_nothing_computes_is_an_error():
    with pytest.raises(KeyError):
        filled("```text example pair\n   a  b\na  4  1\nb  1  4\n\nCohen's kapa  0\n```", KINDS)


@pytest.mark.parametrize("section", sorted({entry.section for entry in CATALOG.values()}))
def test_every_statistic_of_a_report_has_its_section(section):
    assert section in {anchor(heading) for heading in HEADINGS}


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_explained(reason):
    assert f"`{reason}`" in TEXT[TEXT.index("\n## Undefined\n") :]


@pytest.mark.parametrize("scale", SCALES.values(), ids=lambda scale: scale.key)
def test_every_scale_is_listed_with_its_cut_points(scale):
    line = next(line for line in TEXT.splitlines() if line.startswith(f"| {scale.title} |"))

    for step in scale.steps[1:]:
        assert f"{step.name} {_short(step.start)}" in line.replace("above ", "")
    assert scale.steps[0].name in line


def _short(start: float) -> str:
    return "0" if start == 0 else f"{start:.3f}".removeprefix("0").removesuffix("0")


@pytest.mark.parametrize("weights", list(Weights))
def test_every_weighting_is_listed(weights):
    section = TEXT[TEXT.index("\n## Weights\n") : TEXT.index("\n## More raters\n")]

    assert f"| {weights} |" in section


def test_links_within_lead_somewhere():
    targets = re.findall(r"\]\(#([^)]+)\)", TEXT)

    assert targets
    assert set(targets) <= {anchor(heading) for heading in HEADINGS}
