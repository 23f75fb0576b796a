"""Serializers for what raters see of a revealed round."""

from typing import Any, TypedDict

from rest_framework import serializers

from raters.plain_figures import PlainFigureSerializer, SerializedPlainFigure, serialized_figure
from raters.rounds.revealed_agreement import OwnAgreement


class RevealedRoundSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    revealed_at = serializers.DateTimeField()


class RevealedPairSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    n_shared = serializers.IntegerField()
    n_same = serializers.IntegerField()
    share = PlainFigureSerializer()
    kappa = PlainFigureSerializer(
        allow_null=True, help_text="Unweighted Cohen’s kappa; null for numbers and sets."
    )


class RevealedAgreementSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    others = RevealedPairSerializer(many=True)


class OtherLabelSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    answer = serializers.CharField()
    is_same = serializers.BooleanField()


class AnswerComparisonSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    own = serializers.CharField(allow_null=True)
    others = OtherLabelSerializer(many=True)


class RevealedItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    assignment = serializers.IntegerField(allow_null=True)
    labels = AnswerComparisonSerializer(many=True)


class SerializedRevealedPair(TypedDict):
    """Agreement of the rater with one other rater."""

    rater: str
    n_shared: int
    n_same: int
    share: SerializedPlainFigure
    kappa: SerializedPlainFigure | None


class SerializedAgreement(TypedDict):
    """Output of `RevealedAgreementSerializer`."""

    question: str
    others: list[SerializedRevealedPair]


def serialized_agreement(of_question: OwnAgreement) -> SerializedAgreement:
    return {
        "question": of_question.question.key,
        "others": [
            {
                "rater": row.name,
                "n_shared": row.n_shared,
                "n_same": row.n_same,
                "share": serialized_figure(row.share),
                "kappa": None if row.kappa is None else serialized_figure(row.kappa),
            }
            for row in of_question.rows
        ],
    }
