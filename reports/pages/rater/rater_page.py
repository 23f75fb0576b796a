"""The page of one rater on a question."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import NO_BREAK, count, percent
from reports.access import RaterAccess
from reports.analysis.catalog import in_sentence, title_of
from reports.analysis.question import QuestionScope
from reports.analysis.results import SIGNIFICANT, Drift, RaterBias, RaterFigures, RaterVersusConsensus
from reports.drawing.picture import Picture
from reports.pages.contexts import PageSection
from reports.pages.heads import RaterHead, about, owner_words, rater_address, rater_head
from reports.pages.question.verdict import StatisticTile
from reports.pages.rater.drift_windows import DriftSection, drift_section
from reports.pages.rater.peers import PeersSection, peers_section
from reports.pages.rater.sections import (
    CONSENSUS,
    REPEATS,
    SAME,
    BiasSection,
    ComparisonLinks,
    PaceSection,
    RaterErrorsSection,
    ReferenceSection,
    SeriesSection,
    bias_section,
    errors_section,
    pace_section,
    reference_section,
    series_section,
    tile,
)
from reports.pictures.bars import bars_of
from reports.results.kinds import result_kind
from reports.results.prose_words import capitalized
from reports.results.rater_figures import rater_figures
from reports.results.statistic_rows import p_in_sentence
from reports.results.wording import measured

# The most categories named in a sentence.
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPage(PageSection):
    """consensus_is: the definition of the consensus on an item. has_differences: whether figures are differences of
    numbers. questions: those the rater also labeled, from `_questions`.
    """

    head: RaterHead
    figures: RaterFigures
    consensus_is: str
    has_differences: bool
    questions: Sequence[tuple[str, str, bool]]
    percent: str
    sentences: Sequence[str]
    tiles: Sequence[StatisticTile]
    others: PeersSection
    consensus: SeriesSection
    bias: BiasSection
    bars: Picture | None
    pictures: str
    drift: DriftSection
    pace: PaceSection
    repeats: SeriesSection
    errors: RaterErrorsSection
    reference: ReferenceSection


def rater_page(request: HttpRequest, access: RaterAccess) -> RaterPage:
    agreement, scope = access.agreement, access.scope
    kind = result_kind(scope.kind)
    reference = request.GET.get("reference", "")[:200]
    figures = rater_figures(scope, access, reference=reference)
    consensus, repeats = figures.consensus, figures.repeats
    sentences = (
        _of_consensus(access, figures.consensus),
        _bias_sentence(access, figures.bias),
        _of_drift(figures.drift),
    )
    items = reverse("report_items", args=[access.project.slug, agreement.report_id, agreement.question_id])
    return RaterPage(
        head=rater_head(access),
        figures=figures,
        consensus_is=kind.consensus,
        has_differences=kind.has_differences,
        questions=_questions(access),
        percent=agreement.report.chosen.percent,
        sentences=[sentence for sentence in sentences if sentence],
        tiles=tiles_of(scope, figures),
        others=peers_section(request, scope, access, figures.peers),
        consensus=series_section(
            scope,
            consensus.figures,
            {"rater_a": owner_words(access), "rater_b": "most others"},
            CONSENSUS,
            n_same=consensus.n_same,
        ),
        bias=bias_section(scope, figures.bias, consensus.figures),
        bars=visible_bars(access, address=items),
        pictures=f"{rater_address(agreement, access.rater.id)}pictures/",
        drift=drift_section(figures.drift, consensus.figures, percent=agreement.report.chosen.percent),
        pace=pace_section(figures.pace),
        repeats=series_section(
            scope,
            repeats.figures,
            {"rater_a": "first", "rater_b": "again"},
            REPEATS,
            n_same=repeats.n_same,
        ),
        errors=errors_section(access.result.category_names, figures.dawid_skene),
        reference=reference_section(scope, access, figures.reference),
    )


def visible_bars(access: RaterAccess, *, address: str = "") -> Picture | None:
    """Draw the rater's use of the categories with that of all raters, which is hidden from raters themselves."""
    if access.is_own:
        return None
    return bars_of(access.result, address=address, only=access.rater.id)


def distribution_picture(access: RaterAccess) -> Picture | None:
    """Return the picture as a separate file."""
    found = visible_bars(access)
    return found and found.named(
        f"{access.rater.key}: use of the categories, compared with all raters",
        about(access.agreement, f"{count(access.rater.n_labels)} labels"),
    )


def _questions(access: RaterAccess) -> list[tuple[str, str, bool]]:
    """Return the questions that the rater labeled: key, URL, and whether it is this one; [] if there is only one."""
    report = access.agreement.report
    found = report.questions.select_related("question").only("raters", "question__key")
    rows = [
        (each.question_id, each.question.key)
        for each in found.order_by("question__position", "question_id")
        if any(rater["id"] == access.rater.id for rater in each.raters)
    ]
    slug = access.project.slug
    shown = [
        (key, reverse("report_rater", args=[slug, report.pk, pk, access.rater.id]), pk == this)
        for this in [access.agreement.question_id]
        for pk, key in rows
    ]
    return shown if len(shown) > 1 else []


def tiles_of(scope: QuestionScope, figures: RaterFigures) -> list[StatisticTile]:
    consensus, repeats = figures.consensus.figures, figures.repeats.figures
    is_weighted = scope.is_weighted
    names = [
        "cohen_kappa_weighted" if name == "cohen_kappa" and is_weighted else name
        for name in result_kind(scope.kind).rater
    ]
    tiles = [
        tile(
            f"{capitalized(in_sentence(title_of(name)))} with the consensus of the others",
            name,
            consensus,
            _items_address(CONSENSUS, name),
        )
        for name in names
    ]
    if repeats.n:
        title = f"{title_of(names[0])}, intra-rater"
        tiles.append(tile(title, names[0], repeats, _items_address(REPEATS, names[0])))
    reference = figures.reference
    if "accuracy" in reference.values:
        title = f"Accuracy (reference: {reference.reference})"
        tiles.append(tile(title, "accuracy", reference, "#reference"))
    return tiles


def _items_address(lists: ComparisonLinks, name: str) -> str:
    return lists.same if name in SAME else lists.all


def _of_consensus(access: RaterAccess, found: RaterVersusConsensus) -> str:
    who, agrees, chooses = (
        ("you", "agree", "choose") if access.is_own else (access.rater.key, "agrees", "chooses")
    )
    n, values = found.figures.n, found.figures.values
    if not n:
        return f"The others have no consensus on any item labeled by {who}."
    items = f"the {count(n)} items" if n > 1 else "the one item"
    where = f"{items} on which the others have a consensus"
    if "bland_altman_bias" in values:
        return _of_means(access, values["bland_altman_bias"].value or 0.0, where)
    same = f"{agrees} with it" if "percent_agreement" in values else f"{chooses} exactly the same categories"
    return f"On {percent(found.n_same / n)} of {where}, {who} {same}."


def _of_means(access: RaterAccess, bias: float, where: str) -> str:
    owner = "your numbers" if access.is_own else f"the numbers of {access.rater.key}"
    if not bias:
        return f"On average, {owner} equal the mean of the others, over {where}."
    way = "higher" if bias > 0 else "lower"
    return f"On average, {owner} are {measured(abs(bias))} {way} than the mean of the others, over {where}."


def _bias_sentence(access: RaterAccess, found: RaterBias) -> str:
    rows = [row for row in found.categories or () if row.difference.value is not None]
    if not rows:
        return ""
    beyond = [(row.difference.value or 0.0, row.category) for row in rows if row.is_beyond_chance]
    who, uses = ("you", "use") if access.is_own else (access.rater.key, "uses")
    if not beyond:
        return (
            f"On the same items, {who} {uses} no category significantly more or less often than the others."
        )
    names = {c["key"]: c["name"] or c["key"] for c in access.agreement.categories}
    parts = []
    for words, sign in (("significantly more", 1), ("significantly less", -1)):
        leaning = sorted((row for row in beyond if sign * row[0] > 0), key=lambda row: -abs(row[0]))
        named = " and ".join(f"“{names[key]}”" for _, key in leaning[:MOST_NAMED])
        parts += [f"{named} {words}"] if leaning else []
    return f"On the same items, {who} {uses} {' and '.join(parts)} often than the others."


def _of_drift(found: Drift) -> str:
    p = found.trend.p_value if found.trend else None
    if p is None:
        return ""
    in_words = p_in_sentence(p).replace("= ", f"={NO_BREAK}")
    thing = "The difference from the others’ mean" if found.measure == "bland_altman_bias" else "Agreement"
    if p >= SIGNIFICANT:
        return f"{thing} does not change significantly over time ({in_words})."
    return f"{thing} changes significantly over time ({in_words}); see the windows below."
