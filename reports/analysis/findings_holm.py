"""Select the findings beyond chance, without duplicates, in the order of their gain."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reports.agreement.intervals.difference import Difference
from reports.analysis.findings_tests import Candidates, joined
from reports.analysis.results import Finding, FindingKind, Findings
from reports.analysis.results.raters import SIGNIFICANT


def searched(each: Iterable[Candidates], *, coefficient: str, are_raters_tested: bool) -> Findings:
    candidates, n_tested = joined(each)
    return Findings(
        coefficient=coefficient,
        n_tested=n_tested,
        found=ranked(candidates, n_tested),
        are_raters_tested=are_raters_tested,
    )


def ranked(candidates: Sequence[Finding], n_tested: int) -> tuple[Finding, ...]:
    """n_tested: number of all tests; those that cannot be below the level need not be candidates."""
    return tuple(sorted(_one_of_each(beyond_chance(candidates, n_tested)), key=_rank))


def beyond_chance(candidates: Sequence[Finding], n_tested: int) -> list[Finding]:
    """Return the findings below the level after Holm's correction for all tests, with corrected p-values.

    Only tests below the level need be among the candidates.
    Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    found, least = [], 0.0
    for rank, each in enumerate(sorted(candidates, key=lambda each: each.p_value)):
        least = max(least, min(1.0, each.p_value * (n_tested - rank)))
        if least >= SIGNIFICANT:
            break
        found.append(replace(each, p_value=least))
    return found


def _one_of_each(found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield one finding for each rater and each mistake: of uses of categories, the one that differs most.

    For a rater without whom agreement is higher, the level or use of a category is part of the same finding.
    """
    uses: dict[tuple[str, ...], Finding] = {}
    for each in found:
        if each.use is not None:
            kept = uses.get(each.raters)
            if kept is None or kept.use is None or abs(each.use.difference) > abs(kept.use.difference):
                uses[each.raters] = each
    levels = {each.raters: each for each in found if each.kind == FindingKind.LEVEL}
    of_one = {(each.raters, each.categories) for each in found if each.kind == FindingKind.ONLY}
    mistaken: set[tuple[str, str]] = set()
    explained = {
        frozenset(each.raters) for each in found if each.kind in {FindingKind.SWAPPED, FindingKind.SHIFTED}
    }
    for each in found:
        if each.kind in {FindingKind.USE, FindingKind.LEVEL}:
            continue
        if each.kind == FindingKind.RATER:
            use, level = uses.pop(each.raters, None), levels.pop(each.raters, None)
            of_use = each if use is None else replace(each, use=use.use, categories=use.categories)
            yield of_use if level is None else replace(of_use, contrast=level.contrast)
        elif each.kind in {FindingKind.SWAPPED, FindingKind.SHIFTED}:
            if (each.kind, each.raters[-1]) not in mistaken:
                mistaken.add((each.kind, each.raters[-1]))
                yield each
        elif each.kind != FindingKind.BELOW or frozenset(each.raters) not in explained:
            yield each
    yield from levels.values()
    yield from (use for use in uses.values() if (use.raters, use.categories) not in of_one)


def is_gain(found: Difference) -> bool:
    return (
        found.value is not None
        and found.value > 0
        and found.p_value is not None
        and found.p_value < SIGNIFICANT
    )


def with_gain(about: Finding, gain: Difference) -> Finding:
    return replace(
        about,
        before=gain.second,
        after=gain.first,
        difference=gain.value,
        ci_low=gain.ci_low,
        ci_high=gain.ci_high,
    )


def _rank(found: Finding) -> tuple[float, float, str, tuple[str, ...], tuple[str, ...]]:
    gain = max(0.0, found.difference or 0.0)
    # Rounded as displayed: gains equal to three digits do not outrank a difference in use.
    use = 0.0 if found.use is None else abs(found.use.difference)
    return (-round(gain, 3), -use, found.kind, found.raters, found.categories)
