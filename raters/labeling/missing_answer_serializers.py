"""API serializers for missing answers."""

from collections.abc import Iterable
from typing import Any, TypedDict

from rest_framework import serializers

from raters.labeling.missing_answers import MissingAnswers


class MissingAnswersSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    n = serializers.IntegerField(
        help_text="Labeled assignments that have no answer to this required question."
    )
    n_asked = serializers.IntegerField(help_text="Of these, assignments that are asked again.")


class SerializedMissingAnswers(TypedDict):
    """Output of `MissingAnswersSerializer`."""

    question: str
    n: int
    n_asked: int


def serialized_missing_answers(missing_answers: Iterable[MissingAnswers]) -> list[SerializedMissingAnswers]:
    return [{"question": each.question.key, "n": each.n, "n_asked": each.n_asked} for each in missing_answers]
