"""API serializers for missing answers."""

from collections.abc import Iterable
from typing import Any, TypedDict

from rest_framework import serializers

from raters.labeling.lacking import Lacking


class LackingSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    n = serializers.IntegerField(
        help_text="Labeled assignments that have no answer to this required question."
    )
    n_asked = serializers.IntegerField(help_text="Of these, assignments that are asked again.")


class ShownLacking(TypedDict):
    """Output of `LackingSerializer`."""

    question: str
    n: int
    n_asked: int


def lacking_shown(lacking: Iterable[Lacking]) -> list[ShownLacking]:
    return [{"question": each.question.key, "n": each.n, "n_asked": each.n_asked} for each in lacking]
