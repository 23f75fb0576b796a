"""How a project describes its coefficients: on a published scale, by custom thresholds, or without words."""

import itertools
import math
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

MAX_THRESHOLDS = 12
MAX_NAME = 60
LOWEST, HIGHEST = -1.0, 1.0


class ReadingScaleChoice(models.TextChoices):
    """The keys of `reports.agreement.interpretation.scales.SCALES`, none, and custom."""

    LANDIS_KOCH = "landis_koch", "Landis & Koch 1977 (kappa)"
    FLEISS = "fleiss", "Fleiss 1981 (kappa)"
    ALTMAN = "altman", "Altman 1991 (kappa)"
    CICCHETTI = "cicchetti", "Cicchetti 1994 (kappa, weighted kappa, ICC)"
    REGIER = "regier", "Regier et al. 2013 (kappa)"
    MCHUGH = "mchugh", "McHugh 2012 (kappa)"
    KOO_LI = "koo_li", "Koo & Li 2016 (ICC)"
    KRIPPENDORFF = "krippendorff", "Krippendorff 2004 (alpha)"
    OWN = "own", "Custom thresholds"
    NONE = "none", "None (values only)"


class CoefficientChoice(models.TextChoices):
    """The coefficient by which a project judges questions: names of overall coefficients as stored in reports."""

    FITTING = "fitting", "Chosen for each question from its scale and raters"
    FLEISS_KAPPA = "fleiss_kappa", "Fleiss’ kappa"
    KRIPPENDORFF_ALPHA = "krippendorff_alpha", "Krippendorff’s alpha"
    GWET_AC1 = "gwet_ac1", "Gwet’s AC1 (AC2 with weights)"
    CONGER_KAPPA = "conger_kappa", "Conger’s kappa"
    LIGHT_KAPPA = "light_kappa", "Light’s kappa (mean pairwise Cohen’s kappa)"
    BRENNAN_PREDIGER = "brennan_prediger", "Brennan–Prediger"
    PERCENT_AGREEMENT = "percent_agreement", "Percent agreement"


class ThresholdsFor(models.TextChoices):
    """The coefficients to which thresholds can apply: `reports.agreement.interpretation.families.Family`."""

    KAPPA = "kappa", "Kappa (Cohen, Fleiss, Conger, Light, Scott)"
    WEIGHTED_KAPPA = "weighted_kappa", "Weighted kappa"
    ALPHA = "alpha", "Krippendorff’s alpha"
    AC = "ac", "Gwet’s AC1 and AC2"
    BRENNAN_PREDIGER = "brennan_prediger", "Brennan–Prediger, PABAK"
    ICC = "icc", "Intraclass correlation"


def validate_thresholds(value: Any) -> None:
    """Raise ValidationError unless the value is a list of {"from": number, "name": text} in ascending order."""
    if not isinstance(value, list) or not all(_is_threshold(entry) for entry in value):
        raise ValidationError(
            'Thresholds must be a list of objects such as {"from": 0.8, "name": "good"}.', "shape"
        )
    if len(value) > MAX_THRESHOLDS:
        raise ValidationError(
            f"There can be at most {MAX_THRESHOLDS} thresholds, got {len(value)}.", "too_many"
        )
    starts, names = [entry["from"] for entry in value], [entry["name"].strip() for entry in value]
    for start in starts:
        if not LOWEST <= start <= HIGHEST:
            raise ValidationError(f"A threshold must be from -1 to 1, got {start:g}.", "range")
    for earlier, later in itertools.pairwise(starts):
        if later <= earlier:
            raise ValidationError(
                f"Each threshold must be higher than the one before it, but {later:g} comes after {earlier:g}.",
                "order",
            )
    for name in names:
        if not name or len(name) > MAX_NAME:
            raise ValidationError(f"A threshold needs a name of 1 to {MAX_NAME} characters.", "name")
        if names.count(name) > 1:
            raise ValidationError(f"Two thresholds have the name “{name}”. Rename one.", "same_name")


def _is_threshold(entry: Any) -> bool:
    if not isinstance(entry, dict) or set(entry) != {"from", "name"}:
        return False
    start, name = entry["from"], entry["name"]
    is_number = isinstance(start, int | float) and not isinstance(start, bool) and math.isfinite(start)
    return is_number and isinstance(name, str) and name.isprintable()


def thresholds_in(text: str) -> list[dict[str, object]]:
    """Parse typed thresholds, one per line: a number and a name. Raises ValidationError."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        start, _, name = line.strip().partition(" ")
        if not start:
            continue
        try:
            found.append({"from": float(start.replace(",", ".")), "name": name.strip()})
        except ValueError:
            raise ValidationError(
                f"Line {number} must start with a number, as in “0.8 good”.", "number"
            ) from None
    validate_thresholds(found)
    return found


def as_lines(thresholds: list[dict[str, object]]) -> str:
    """Return thresholds as lines for editing."""
    return "\n".join(f"{entry['from']:g} {entry['name']}" for entry in thresholds)
