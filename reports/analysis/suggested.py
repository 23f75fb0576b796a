"""Labels accepted from a suggestion, in words: a person who was shown an answer did not judge independently."""

# The key of their number among the statistics of a question; absent without any.
SUGGESTED = "suggested"


def suggested_sentence(n: int, *, is_taken: bool) -> str:
    """Return whether they are left out, or taken; "" without any."""
    if not n:
        return ""
    labels = "1 label" if n == 1 else f"{n:,} labels"
    what = "is" if n == 1 else "are"
    if is_taken:
        return f"{labels} accepted from a suggestion {what} included, so agreement may be too high."
    return f"{labels} accepted from a suggestion {what} left out."


def suggested_then(n: int, *, is_taken: bool) -> str:
    """Return the same in the past tense of a paper."""
    if not n:
        return ""
    labels = "One label" if n == 1 else f"{n:,} labels"
    were = "was" if n == 1 else "were"
    outcome = "included" if is_taken else "left out, since it was not given independently"
    if n > 1:
        outcome = outcome.replace("it was", "they were")
    return f"{labels} that raters had accepted from a suggestion {were} {outcome}."
