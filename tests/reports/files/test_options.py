"""manage.py agreement: its help, its width, and options that it refuses; no database."""

import pytest
from django.core.management import CommandError, call_command

from reports.command.text_tables import WIDTH
from tests.reports.files.gwet import GWET, SCALE
from tests.reports.files.test_agreement import CATS_AND_DOGS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--weights", "custom"], "custom weights require a matrix. Pass it with --weights-file"),
        (["--weights", "linear", "--weights-file", "x"], "--weights-file requires --weights custom"),
        (["--weights-file", "nowhere"], "nowhere cannot be read"),
        (["--statistics", "pairs,all,more"], "--statistics must be any of all, pairs"),
        (["--statistics", "reference"], "--statistics reference requires --reference"),
        (["--reference", "Z"], "there is no rater 'Z'"),
        (["--replicates", "5", "--interval", "bca"], "replicates must be from 1,000"),
        (["--confidence", "95"], "confidence must be from 0.8 to 0.999"),
        (["--compare-pairs", "A,B"], "--compare-pairs requires four raters"),
        (["--compare-pairs", "A,B,A,Z"], "there is no rater 'Z' to compare"),
        (["--compare-groups", "A,B", "B"], "--compare-groups requires two groups of at least two raters"),
        (["--compare-groups", "A,B", "B,Z"], "there is no rater 'Z' to compare"),
        (["--compare-file", "nowhere.csv"], "There is no file nowhere.csv"),
        (["--level", "ratio"], "--level ratio requires numeric categories"),
    ],
)
def test_a_bad_option_is_refused_with_a_sentence(run_agreement, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run_agreement(CATS_AND_DOGS, *arguments)


def test_text_stays_within_its_width(run_agreement):
    arguments = [*SCALE, "--weights", "linear", "--interval", "percentile", "--replicates", "1000"]
    more = [
        "--statistics",
        "everything",
        "--reference",
        "r4",
        "--compare-pairs",
        "r1,r2,r1,r3",
        "--scale",
        "cicchetti",
    ]

    lines = run_agreement(GWET, *arguments, *more).splitlines()

    assert max(map(len, lines)) <= WIDTH
    for heading in ("By category", "Tests of all raters", "Consensus", "Reference: r4", "r1 x r2 - r1 x r3"):
        assert any(line.startswith(heading) for line in lines)


def test_help_tells_all_in_groups(capsys):
    with pytest.raises(SystemExit):
        call_command("agreement", "--help")

    text = capsys.readouterr().out
    for group in ("input", "statistics", "confidence intervals of overall coefficients", "output"):
        assert f"{group}" in text
    for option in (
        "--weights-file",
        "--compare-pairs",
        "--compare-file",
        "--statistics",
        "--reference",
        "--seed",
    ):
        assert option in text


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--thresholds", "kap", "fair=.4"], "--thresholds must be for one of kappa, weighted_kappa"),
        (["--thresholds", "kappa", "fair"], "names with numbers, such as fair=.4,good=.75, got 'fair'"),
        (["--thresholds", "kappa", "fair=.5,good=.3"], "each threshold must be above the one before it"),
        (
            ["--thresholds", "kappa", "fair=.5", "--scale", "altman"],
            "Use either --scale or --thresholds, not both",
        ),
        (["--smoothing", "1"], "--smoothing requires --statistics consensus or everything"),
        (["--smoothing", "-1", "--statistics", "consensus"], "smoothing must be from 0 to 100"),
    ],
)
def test_invalid_thresholds_and_smoothing_are_reported(run_agreement, given, sentence):
    with pytest.raises(CommandError, match=sentence):
        run_agreement(GWET, *SCALE, *given)
