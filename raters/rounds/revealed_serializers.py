"""Serializers for what raters see of a revealed round."""

from typing import Any, TypedDict

from rest_framework import serializers

from raters.plain_figures import PlainFigureSerializer, ShownFigure, figure_shown
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
    kappa = PlainFigureSerializer(allow_null=True)


class AgreementSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    others = RevealedPairSerializer(many=True)


class OtherLabelSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    said = serializers.CharField()
    is_same = serializers.BooleanField()


class LabelsBesideSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    own = serializers.CharField(allow_null=True)
    others = OtherLabelSerializer(many=True)


class RevealedItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    assignment = serializers.IntegerField(allow_null=True)
    labels = LabelsBesideSerializer(many=True)


class ShownComparison(TypedDict):
    """Agreement of the rater with one other rater."""

    rater: str
    n_shared: int
    n_same: int
    share: ShownFigure
    kappa: ShownFigure | None


class ShownAgreement(TypedDict):
    """Output of `AgreementSerializer`."""

    question: str
    others: list[ShownComparison]


def agreement_shown(of_question: OwnAgreement) -> ShownAgreement:
    return {
        "question": of_question.question.key,
        "others": [
            {
                "rater": row.name,
                "n_shared": row.n_shared,
                "n_same": row.n_same,
                "share": figure_shown(row.share),
                "kappa": None if row.kappa is None else figure_shown(row.kappa),
            }
            for row in of_question.rows
        ],
    }
