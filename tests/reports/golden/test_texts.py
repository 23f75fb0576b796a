"""Methods and results of every kind of study, word for word: WRITE_GOLDEN=1 writes the texts that have changed."""

import os
from pathlib import Path

import pytest

from raters.models import Label, Rater
from reports.models import Report
from reports.results.paper import text_of
from reports.results.prose import Style
from tests.reports.golden.language import faults, numbers_in, numbers_stored
from tests.reports.golden.studies import STUDIES

HERE = Path(__file__).parent


def golden_text(report: Report, style: Style) -> str:
    """With what no two runs have in common named."""
    text = text_of(report, style)
    text = text.replace(f"report {report.pk};", "report {report};").replace(report.digest[:16], "{digest}")
    return text.replace(f"Version {report.code_version}", "Version {version}")


@pytest.mark.parametrize("name", STUDIES)
def test_the_text_of_a_study_is_its_golden_text(lead, name):
    report = STUDIES[name](lead)

    for style in Style:
        file = HERE / f"{name}.{style}.txt"
        text = golden_text(report, style)
        if os.environ.get("WRITE_GOLDEN"):
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")
        assert faults(text, is_apa=style is Style.APA) == []
        # What adjudicators decided is kept with the labels, not with the report.
        decided = Label.objects.filter(question__project=report.project, rater__kind=Rater.Kind.CONSENSUS)
        known = numbers_stored(report, more=[decided.count(), int(decided.exists())])
        assert [number for number in numbers_in(text) if number not in known] == []
