"""What is wrong with a text for a paper, as an editor with a ruler would find it, and the numbers that it tells."""

import re
from collections.abc import Iterator

from reports.models import Report
from reports.results.prose_words import SMALL

Json = dict[str, object] | list[object] | str | float | bool | None

WRONG = {
    "two spaces": r"[^\S\n]{2}",
    "None": r"\b(None|nan|inf|Infinity|True|False)\b",
    "an empty clause": r"\(\s*\)|\[\s*\]|“\s*”|\(\s*[,;:]|[,;:]\s*[,;:)\]]|\s[,;:)]|\s\.(?!\d)|\(\s|\.\.|[,;:]\.",
    "a straight quote": r"[\"']",
    "a sentence that begins with a numeral": r"(?:^|[.!?] )\d",
    "a sentence that begins small": r"(?:^|[.!?] )[a-z]",
    # Where it is no statistic.
    "a numeral below 10": r"(?<!= )(?<![\d.,])\b[1-9] (?:raters?|items?|labels?|models?|rounds?|people)\b",
    "a mark that is not for readers": "[\ufdd0-\ufdef]",
}
# A coefficient with its value: an interval follows, or the reason why there is none.
VALUE = re.compile(r"was (−?\d*\.\d+%?)(?P<after>(?:(?!; [\w’(), ]+ was ).)*)")
CITED = re.compile(r"\(([^()]*?\b\d{4}(?:, \d{4})*)\)")
ZERO = re.compile(r"(?<![\d.])−?0\.\d")
# What is no count of anything in the report.
IDIOMS = (
    "at least two", "had two labels", "one rater each", "only one rater", "by one of them", "one label",
    "of zero means", "and one means", "one-way", "two-way", "two raters gave", "two raters chose",
)  # fmt: skip
NO_FIGURES = (
    r"“[^”]*”",
    r"Version [^;)]+",
    r"report \d+",
    r"label digest \w+",
    r"ICC\(\S+\)",
    r"AC[12]",
    # The confidence level, and years.
    r"[\d.]+% (?=CI|confidence)",
    r"\b(?:1[89]|20)\d\d\b(?=[;,)])",
)


def parts_of(text: str) -> tuple[str, str, list[str]]:
    """Method, results, and references."""
    body, _, references = text.partition("\n\nReferences\n\n")
    method, _, results = body.removeprefix("Method\n\n").partition("\n\nResults\n\n")
    return method, results, references.strip().split("\n\n") if references else []


def faults(text: str, *, is_apa: bool) -> list[str]:
    method, results, references = parts_of(text)
    paragraphs = [each for each in f"{method}\n\n{results}".strip().split("\n\n") if each]
    return [
        *(
            f"{what}: {each}"
            for each in paragraphs
            for what, found in WRONG.items()
            if re.search(found, each)
        ),
        *(f"does not end: {each}" for each in paragraphs if not each.endswith((".", ".]"))),
        *(
            f"unbalanced: {each}"
            for each in paragraphs
            for a, b in ("()", "[]", "“”")
            if each.count(a) != each.count(b)
        ),
        *(f"no interval: {found[0]}" for found in VALUE.finditer(results) if not _is_told(found["after"])),
        *(
            f"a zero before the point: {each}"
            for each in ZERO.findall(re.sub("Version [^;)]+", "", method) + results)
            if is_apa
        ),
        *_citation_faults(method, references),
    ]


def _is_told(after: str) -> bool:
    return "CI [" in after or "no CI: " in after or "confidence interval: " in after


def _citation_faults(method: str, references: list[str]) -> Iterator[str]:
    """Whoever is cited is listed, and whoever is listed is cited."""
    cited = set()
    for inside in CITED.findall(method):
        for each in inside.split("; "):
            names, *years = each.split(", ")
            if years and all(re.fullmatch(r"\d{4}", year) for year in years):
                cited |= {(re.split(r" & | et al\.", names)[0], year) for year in years}
    listed = {
        (each.partition(",")[0], found[1])
        for each in references
        if (found := re.search(r"\((\d{4})\)", each))
    }
    yield from (f"cited and not listed: {each}" for each in cited - listed)
    yield from (f"listed and not cited: {each}" for each in listed - cited)


def numbers_in(text: str) -> list[str]:
    """All that the text tells in numerals or in words, but names, years, versions, and idioms."""
    method, results, _ = parts_of(text)
    told = re.sub("|".join(NO_FIGURES), " ", f"{method} {results}")
    for idiom in IDIOMS:
        told = re.sub(idiom, " ", told, flags=re.IGNORECASE)
    words = re.findall(rf"\b({'|'.join(SMALL[1:])})\b", told, flags=re.IGNORECASE)
    return re.findall(r"−?\d[\d,]*\.?\d*%?|−?\.\d+%?", told) + [word.lower() for word in words]


def numbers_stored(report: Report, *, more: list[int]) -> set[str]:
    """Every number in the stored results, as it may be written; counts of their lists, and what counts leave.

    more: of what is kept elsewhere.
    """
    values: list[float] = [*more, report.chosen.replicates, report.chosen.seed]
    counts: set[int] = set(more)
    for row in report.questions.all():
        for stored in (row.coefficients, row.statistics, row.asked.get("measure")):
            values += _numbers(stored)
        pairs = row.pairs.values_list("n", "kappa", "ci_low", "ci_high")
        values += [value for pair in pairs for value in pair if value is not None]
        kinds = [rater["kind"] for rater in row.raters]
        sizes = {row.n_items, row.n_raters, row.n_labels, row.n_abstentions, len(row.categories)}
        sizes |= {kinds.count(kind) for kind in kinds} | {
            int(v) for v in values if float(v).is_integer() and v >= 0
        }
        # Items less items; labels and those who could not tell; items by raters; labels for each item.
        counted = row.statistics.get("counted", {})
        n_items, n_labels = counted.get("n_items", row.n_items), counted.get("n_labels", row.n_labels)
        n_raters = max((each.get("n_raters", 0) for each in row.coefficients.values()), default=row.n_raters)
        sizes |= {n_items - size for size in sizes if size <= n_items} | {n_labels + row.n_abstentions}
        sizes |= {
            n_items * n_raters,
            n_labels // max(1, n_items),
            *((n_labels + row.n_abstentions) // max(1, n_items),),
        }
        values += (
            [n_labels / (n_items * n_raters), *(size / n_items for size in sizes)]
            if n_items and n_raters
            else []
        )
        counts |= sizes
    scope = report.scope["rounds"]
    counts.add(report.project.rounds.count() if scope is None else len(scope))
    return {form for value in values for form in _forms(value)} | {
        form for n in counts for form in _counts(n)
    }


def _numbers(stored: Json) -> list[float]:
    if isinstance(stored, dict):
        return [each for value in stored.values() for each in _numbers(value)]
    if isinstance(stored, list):
        return [each for value in stored for each in _numbers(value)]
    return [stored] if isinstance(stored, (int, float)) and not isinstance(stored, bool) else []


def _forms(value: float) -> Iterator[str]:
    for digits in (2, 3):
        text = f"{value:.{digits}f}".replace("-", "−")
        yield text
        yield text.replace("0.", ".", 1)
    yield f"{100 * value:.1f}"
    yield f"{100 * value:.1f}%"


def _counts(n: int) -> Iterator[str]:
    yield f"{n:,}"
    if 0 < n < len(SMALL):
        yield SMALL[n]
