"""Serializers for what raters see of a revealed round."""

from typing import Any, TypedDict

from rest_framework import serializers

from raters.plain_figures import PlainFigureShown, ShownFigure, figure_shown
from raters.rounds.revealed_agreement import OwnAgreement


class RevealedRoundShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    revealed_at = serializers.DateTimeField()


class WithOtherShown(serializers.Serializer[Any]):
    rater = serializers.CharField()
    n_shared = serializers.IntegerField()
    n_same = serializers.IntegerField()
    share = PlainFigureShown()
    kappa = PlainFigureShown(allow_null=True)


class AgreementShown(serializers.Serializer[Any]):
    question = serializers.CharField()
    others = WithOtherShown(many=True)


class OtherLabelShown(serializers.Serializer[Any]):
    rater = serializers.CharField()
    said = serializers.CharField()
    is_same = serializers.BooleanField()


class LabelsBesideShown(serializers.Serializer[Any]):
    question = serializers.CharField()
    own = serializers.CharField(allow_null=True)
    others = OtherLabelShown(many=True)


class RevealedItemShown(serializers.Serializer[Any]):
    item = serializers.CharField()
    assignment = serializers.IntegerField(allow_null=True)
    labels = LabelsBesideShown(many=True)


class ShownComparison(TypedDict):
    """Agreement of the rater with one other rater."""

    rater: str
    n_shared: int
    n_same: int
    share: ShownFigure
    kappa: ShownFigure | None


class ShownAgreement(TypedDict):
    """Output of `AgreementShown`."""

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
