"""The text of a paper on how agreement was measured: coefficients, weights, metric, intervals, and criterion."""

import re
from collections.abc import Collection, Iterator, Sequence

from reports.agreement.interpretation.families import Family, family_of
from reports.agreement.results import FITTED, NORMAL
from reports.agreement.weights import Level, Weights
from reports.analysis.catalog import CATALOG, title_of
from reports.analysis.measure import COHEN
from reports.analysis.options import Options
from reports.results.bibliography import cited_together, works_named
from reports.results.kinds import COMMON, result_kind
from reports.results.marked import italic
from reports.results.paper_figures import PaperFigure, QuestionFigures, first_small, spoken
from reports.results.prose_style import Style
from reports.results.prose_words import apa_number, capitalized, listed, number, quoted
from reports.results.wording import WEIGHTS, method_shown
from reports.store.stored_result import StoredResult

WEIGHTED, JACCARD = ", weighted", ", Jaccard"
# Suffixes of names and titles of intraclass correlations for incomplete designs.
REML, BY_REML = "_reml", ", REML"
# Titles that are too short for a sentence.
SPELLED = {
    "brennan_prediger": "Brennan and Prediger’s κ",
    "brennan_prediger_weighted": "Brennan and Prediger’s κ, weighted",
}
ICC_FORMS = {
    "icc_1_1": "one-way random-effects model, single rating",
    "icc_a_1": "two-way model, absolute agreement, single rating",
    "icc_c_1": "two-way model, consistency, single rating",
    "icc_1_k": "one-way random-effects model, mean of the ratings",
    "icc_a_k": "two-way model, absolute agreement, mean of the ratings",
    "icc_c_k": "two-way model, consistency, mean of the ratings",
}
ICC_FORMS |= {
    f"{name}{REML}": f"{form}, variance components estimated by restricted maximum likelihood"
    for name, form in ICC_FORMS.items()
}
# Coefficients for which the catalog lists more works than the ones that define them.
DEFINED_IN = {"cohen_kappa": ["Cohen 1960"], "percent_agreement": []}
MASI = "MASI"
BY_ITEMS, WILSON, EFFECTIVE = "t over items", "Wilson", "Wilson, effective number"
# Metrics of alpha, in plain words.
PLAIN_METRICS = {
    Level.NOMINAL: "for unordered categories",
    Level.ORDINAL: "for an ordered scale",
    Level.INTERVAL: "for an interval scale",
    Level.RATIO: "for a ratio scale",
}
# Coefficients that use only complete items: the methods in results that say so, and those whose method does not.
COMPLETE = ("items that all raters labelled", "items with a label of every rater")
OF_COMPLETE = {"kendall_w", "all_agree"}
# Their expected agreement is computed from all labels.
BY_ALL_LABELS = {Family.KAPPA, Family.WEIGHTED_KAPPA, Family.AC}
BY_CHANCE = "{of} of zero means no more agreement than expected by chance, and one means perfect agreement."
BY_VARIANCE = (
    "The intraclass correlation is the share of the variation in the ratings"
    " that comes from differences between items."
)
# Interval methods, by the name in results: for a paper, in plain words, and the works to cite.
METHODS: dict[str, tuple[str, str, list[str]]] = {
    BY_ITEMS: (
        f"from a linearized standard error and the {italic('t')} distribution, with items as the sampling units",
        "from how much agreement varied from item to item",
        ["Gwet 2014"],
    ),
    "jackknife, t over items": (
        f"with the jackknife over items and the {italic('t')} distribution",
        "by leaving out one item at a time (jackknife)",
        [],
    ),
    NORMAL: (
        "from the large-sample standard error and the normal distribution",
        "from the standard error for large samples",
        ["Fleiss, Cohen & Everitt 1969"],
    ),
    FITTED: (
        "with the goodness-of-fit method",
        "with the goodness-of-fit method",
        ["Donner & Eliasziw 1992"],
    ),
    "F": (f"from the {italic('F')} distribution", "from the F distribution", []),
    "generalized": (
        "with generalized pivotal quantities",
        "with generalized pivotal quantities",
        ["Weerahandi 1993"],
    ),
    WILSON: ("with Wilson’s score method", "with Wilson’s method", ["Wilson 1927"]),
    EFFECTIVE: (
        "with Wilson’s score method for the effective number of items",
        "with Wilson’s method",
        ["Korn & Graubard 1998", "Wilson 1927"],
    ),
    "percentile bootstrap": ("with the percentile bootstrap", "with the percentile bootstrap", []),
    "bca bootstrap": (
        "with the bias-corrected and accelerated (BCa) bootstrap",
        "with the bias-corrected and accelerated (BCa) bootstrap",
        ["Efron 1987"],
    ),
}
DISTANCES_IN = {MASI: ["Passonneau 2006"]}


def name_of(figure: PaperFigure, style: Style) -> str:
    """Return the name of a coefficient within a sentence: “weighted Cohen’s κ”."""
    if style is Style.PLAIN and family_of(figure.name) is Family.ICC:
        return f"the intraclass correlation {_title(figure.name)}"
    if style is Style.PLAIN:
        return first_small(spoken(figure.name, is_of_weighted=figure.is_of_weighted))
    name = _title(figure.name)
    return f"weighted {name}" if is_weighted(figure.name) or figure.is_of_weighted else name


def is_weighted(name: str) -> bool:
    return name.endswith("_weighted")


def _title(name: str) -> str:
    title = SPELLED.get(name, title_of(name)).removesuffix(WEIGHTED).removesuffix(BY_REML)
    if title.endswith(JACCARD):
        title = f"{title.removesuffix(JACCARD)} with the Jaccard distance"
    title = re.sub(r"’s ([A-Zr])$", lambda found: f"’s {italic(found[1])}", title)
    return title[:1].lower() + title[1:] if title.startswith(("Percent", "Mean")) else title


def works_cited(figures: Collection[PaperFigure], question: QuestionFigures) -> list[str]:
    """Return the works that the sentences below cite."""
    found = [work for figure in figures for work in _defined_in(figure.name, question)]
    found += [work for figure in figures if _distance(figure, question) for work in _distance_works(question)]
    methods = _methods(figures, question)
    found += [work for method in methods for work in METHODS.get(method, ("", "", []))[2]]
    return sorted(set(found), key=str.casefold)


def measure_sentences(
    primary: PaperFigure, second: PaperFigure | None, question: QuestionFigures, style: Style
) -> list[str]:
    figures = [primary] if second is None else [primary, second]
    described = _described_coefficient(primary, question, style)
    if second is not None:
        other = _described_coefficient(second, question, style)
        described = f"{described} as the primary coefficient; {other} was computed as well"
    return [
        f"Interrater agreement was assessed with {described.rstrip(',')}.",
        *(_explained(primary) if style is Style.PLAIN else ()),
        *_entered(figures, question, style),
        *_intervals(figures, question, style),
        *_criterion(primary, question, style),
    ]


def _described_coefficient(figure: PaperFigure, question: QuestionFigures, style: Style) -> str:
    """Return a coefficient with its model, its metric or weights, and its source."""
    name, form = figure.name, ICC_FORMS.get(figure.name, "")
    inside = "; ".join(filter(None, [form, cited_together(_defined_in(name, question))]))
    aside = f" ({inside})" if inside else ""
    if family_of(name) is Family.ICC:
        return f"the intraclass correlation {_title(name)}{aside}"
    if distance := _distance(figure, question):
        cited = cited_together(_distance_works(question))
        metric = f"with {distance}{f' ({cited})' if cited else ''}"
        if style is Style.PLAIN and not cited:
            metric = PLAIN_METRICS[Level(question.result.question.level)]
        return f"{name_of(figure, style)}{aside} {metric}"
    if is_weighted(name) or name == "gwet_ac2":
        bare = _title(name) if style is Style.APA else first_small(spoken(name.removesuffix("_weighted")))
        return f"{bare}{aside} with {_weights(question.result)}"
    if name == "percent_agreement":
        sets = " on identical sets" if result_kind(question.result.question.kind).has_sets else ""
        if question.counted.n_raters > 2:
            return f"{name_of(figure, style)}{sets}, averaged over items{aside},"
        return f"{name_of(figure, style)}{sets}{aside}"
    # Weighted forms are common for two raters; for more, if categories are ordered.
    has_weighted = name == COHEN or question.result.question.level != Level.NOMINAL
    is_unweighted = has_weighted and family_of(name) is Family.KAPPA
    return f"{'unweighted ' if is_unweighted else ''}{name_of(figure, style)}{aside}"


def _defined_in(name: str, question: QuestionFigures) -> list[str]:
    """Return the works that define a coefficient, without those for standard errors."""
    if name == "percent_agreement" and question.counted.n_raters > 2:
        return ["Fleiss 1971"]
    if name in DEFINED_IN:
        return DEFINED_IN[name]
    source = CATALOG[name].source if name in CATALOG else ""
    parts = [part.strip() for part in source.split(";")]
    named = works_named("; ".join(part for part in parts if not part.startswith("standard error:")))
    return sorted(named, key=str.casefold)


def _distance(figure: PaperFigure, question: QuestionFigures) -> str:
    """Return the distance between labels that alpha uses; "" for other coefficients."""
    if figure.name != COMMON:
        return ""
    then = question.result.question
    return result_kind(then.kind).distance or f"the {then.level} metric"


def _distance_works(question: QuestionFigures) -> list[str]:
    distance = result_kind(question.result.question.kind).distance
    return [work for name, works in DISTANCES_IN.items() if name in distance for work in works]


def _weights(result: StoredResult) -> str:
    weights = result.scope.weights
    return (
        "custom weights for pairs of categories"
        if weights is Weights.CUSTOM
        else WEIGHTS[str(weights)].lower()
    )


def _explained(primary: PaperFigure) -> Iterator[str]:
    family = family_of(primary.name)
    if family is Family.ICC:
        yield BY_VARIANCE
    elif family is not None:
        word = "An alpha" if family is Family.ALPHA else "A kappa" if "kappa" in primary.name else "A value"
        yield BY_CHANCE.format(of=word)


def _entered(figures: Sequence[PaperFigure], question: QuestionFigures, style: Style) -> Iterator[str]:
    """Yield which items coefficients leave out, and how single labels enter the others."""
    kept: dict[str, list[PaperFigure]] = {}
    for figure in figures:
        if figure.left_items:
            kept.setdefault(_labeled_by(figure, question), []).append(figure)
    for items, those in kept.items() if any(figure.value is not None for figure in figures) else ():
        names = listed([name_of(each, style) for each in those])
        if those == list(figures):
            names = "the analysis" if len(those) == 1 else "the coefficients"
        yield f"Only items {items} entered {names}."
    primary = figures[0]
    is_by_all = family_of(primary.name) in BY_ALL_LABELS and question.counted.n_raters > 2
    if is_by_all and not primary.left_items and question.study.n_single:
        name = name_of(primary, style)
        error = ", and to its standard error," if primary.interval_method == BY_ITEMS else ""
        yield f"Items with one label contributed to {name}{error} only through the agreement expected by chance."


def _labeled_by(figure: PaperFigure, question: QuestionFigures) -> str:
    found = question.result.figures.coefficients.get(figure.name)
    if figure.name in OF_COMPLETE or (found and str(found.method).startswith(COMPLETE)):
        return "labeled by every rater"
    return "labeled by both raters" if question.study.n_raters == 2 else "with at least two labels"


def _methods(figures: Collection[PaperFigure], question: QuestionFigures) -> list[str]:
    """Return the methods of the intervals, without duplicates."""
    return list(
        dict.fromkeys(_method(figure, question) for figure in figures if _has_reported_interval(figure))
    )


def _method(figure: PaperFigure, question: QuestionFigures) -> str:
    """Return the interval method. More than two raters can agree partly, so Wilson’s then has an effective number."""
    is_of_more = question.counted.n_raters > 2
    return EFFECTIVE if figure.interval_method == WILSON and is_of_more else figure.interval_method


def _has_reported_interval(figure: PaperFigure) -> bool:
    return figure.has_interval and bool(figure.interval_method)


def _intervals(figures: Sequence[PaperFigure], question: QuestionFigures, style: Style) -> Iterator[str]:
    methods, options = _methods(figures, question), question.result.report.chosen
    if not methods:
        return
    start = f"{options.percent}% confidence interval"
    if len(methods) == 1 and all(map(_has_reported_interval, figures)):
        name, were = (f"{start} (CI)", "was") if len(figures) == 1 else (f"{start}s (CIs)", "were")
        yield f"The {name} {were} computed {_how(methods[0], options, style)}."
        return
    parts = [
        (name_of(figure, style), _how(_method(figure, question), options, style))
        for figure in figures
        if _has_reported_interval(figure)
    ]
    (first, how), *rest = parts
    others = "".join(f", and that of {name} {way}" for name, way in rest)
    yield f"The {start} (CI) of {first} was computed {how}{others}."


def _how(method: str, options: Options, style: Style) -> str:
    apa, words, works = METHODS.get(method, (f"by this method: {method_shown(method)}",) * 2 + ([],))
    cited = f" ({cited_together(works)})" if works else ""
    drawn = ""
    if method.endswith("bootstrap"):
        drawn = f", with {options.replicates:,} resamples of the items (random seed {options.seed})"
    return f"{apa if style is Style.APA else words}{cited}{drawn}"


def _criterion(primary: PaperFigure, question: QuestionFigures, style: Style) -> Iterator[str]:
    """Yield the criterion if the lead set one; a default is not a decision of the authors."""
    criterion = question.result.scope.measure["criterion"]
    if criterion is not None:
        shown = criterion_shown(criterion, style, is_share=primary.is_share)
        yield (
            f"{capitalized(name_of(primary, style))} was compared with a criterion of {shown}, which counted as met if"
            " the whole CI lay at or above it and as not met if the whole CI lay below it."
        )


def criterion_shown(criterion: float, style: Style, *, is_share: bool) -> str:
    if is_share:
        return f"{100 * criterion:.4g}%"
    digits = 2 if round(criterion, 2) == criterion else 3
    return apa_number(criterion, digits) if style is Style.APA else number(criterion, digits)


def weights_sentence(results: Sequence[StoredResult], names: Collection[str]) -> str:
    """Return a sentence on the weights of questions, by weighting if they differ."""
    alike: dict[Weights, list[str]] = {}
    for result in results:
        if result_kind(result.question.kind).has_counts and not result.reason:
            alike.setdefault(result.scope.weights, []).append(quoted(result.question.key))
    if not alike.keys() - {Weights.UNWEIGHTED}:
        return "Coefficients were unweighted."
    ac2 = " and Gwet’s AC2" if "gwet_ac2" in names else ""
    parts = []
    for weights, keys in alike.items():
        of = "" if len(alike) == 1 else f" for {listed(keys)}"
        is_own = weights is Weights.CUSTOM
        used = "custom weights for each pair of categories" if is_own else WEIGHTS[str(weights)].lower()
        parts.append(
            f"Coefficients{of} were unweighted."
            if weights is Weights.UNWEIGHTED
            else f"Weighted coefficients{ac2}{of} used {used}."
        )
    return " ".join(parts)
