"""Serializers for labeling: strict input, plain output."""

from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
)
from projects.items.serializers import ItemContentField
from projects.models import MediaFile, Round
from raters.labeling.answer_serializers import (
    MAX_ANSWERS,
    AnswerValueInput,
    AnswerValueSerializer,
    ReasonedValueSerializer,
)
from raters.labeling.saving_records import MAX_SECONDS
from raters.models import Assignment

MAX_REVISION = 2**31 - 1
# Assignments a client may hold: the one on screen, and those fetched ahead.
MAX_IN_HAND = 20
CODEBOOK_VERSION = (
    "The current version of the codebook and its guidelines; 0 before the first round opens. "
    "If it is newer than the version you loaded, reload your assignments."
)


class AnswerInput(AnswerValueInput):
    """Exactly one of category, categories, number, text, and cannot_tell."""

    question = StrictCharField(max_length=MAX_KEY)
    confidence = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=1,
        help_text="Probability that the answer is right. Some questions require it.",
    )


class RevisionInput(StrictSerializer):
    question = StrictCharField(max_length=MAX_KEY)
    revision = StrictIntegerField(min_value=0, max_value=MAX_REVISION)


class RevisionsInput(StrictSerializer):
    revisions = serializers.ListField(
        child=RevisionInput(),
        max_length=MAX_ANSWERS,
        required=False,
        help_text="Required. The revision of each label you saw. Omit questions without a label.",
    )


class AnswersInput(RevisionsInput):
    answers = serializers.ListField(child=AnswerInput(), max_length=MAX_ANSWERS)
    seconds = StrictFloatField(required=False, allow_null=True, min_value=0, max_value=MAX_SECONDS)
    is_guideline_unclear = StrictBooleanField(required=False)
    guidelines_version = StrictIntegerField(required=False, min_value=0, max_value=32_767)
    codebook_version = StrictIntegerField(
        required=False,
        min_value=0,
        max_value=MAX_REVISION,
        help_text="The version of the codebook that the rater was shown.",
    )


class ExcludedAssignmentsInput(StrictSerializer):
    held = serializers.ListField(
        child=StrictIntegerField(min_value=1, max_value=10**18 - 1),
        required=False,
        max_length=MAX_IN_HAND,
        help_text="IDs of assignments you have already loaded. Assignments on demand among them stay yours.",
    )


class OwnRoundSerializer(serializers.Serializer[Any]):
    round = serializers.CharField(source="key")
    n_left = serializers.IntegerField(help_text="Your assignments that are not done.")
    has_free = serializers.BooleanField(help_text="Whether more assignments are available on demand.")
    due_on = serializers.DateField(allow_null=True, help_text="The deadline: the last day to label.")
    paused_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When the round was paused; null if it is not paused. You get no items while it is.",
    )
    paused_by = serializers.CharField()
    pause_note = serializers.CharField(source="note")
    gates = serializers.ListField(
        child=serializers.CharField(),
        help_text="You get items from this round after you pass one of these rounds.",
    )


class ProgressSerializer(serializers.Serializer[Any]):
    n_done = serializers.IntegerField()
    n_total = serializers.IntegerField(
        help_text="The number of your assignments so far, in rounds open to you."
    )
    has_free = serializers.BooleanField(help_text="Whether more assignments are available on demand.")
    seconds_left = serializers.FloatField(
        allow_null=True,
        help_text="Estimated from your pace; null if unknown, or while more assignments are available.",
    )
    rounds = OwnRoundSerializer(
        many=True, help_text="The open rounds in which you have something left to label, in order."
    )


class AnswerSerializer(ReasonedValueSerializer):
    question = serializers.CharField()
    confidence = serializers.FloatField(allow_null=True, help_text="From 0 to 1; null if you did not say.")
    revision = serializers.IntegerField()


class ReferenceAnswerSerializer(AnswerValueSerializer):
    question = serializers.CharField()


def reference_field() -> serializers.Serializer[Any]:
    return ReferenceAnswerSerializer(
        many=True,
        allow_null=True,
        help_text="In a training round, the reference answers, once you have saved yours. "
        "After that, you can’t change your answers. Otherwise null.",
    )


class AssignmentFileSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(help_text="The field of the content that shows the file.")
    name = serializers.CharField()
    type = serializers.ChoiceField(choices=MediaFile.Type.choices)
    file = serializers.CharField(help_text="Where to download the file.")


class AssignmentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField()
    round = serializers.CharField()
    round_state = serializers.ChoiceField(choices=Round.State.choices)
    state = serializers.ChoiceField(choices=Assignment.State.choices)
    content = ItemContentField()
    media = AssignmentFileSerializer(
        many=True, help_text="The files that the content shows: images, audio, and video."
    )
    answers = AnswerSerializer(many=True)
    is_guideline_unclear = serializers.BooleanField()
    guidelines_version = serializers.IntegerField()
    codebook_version = serializers.IntegerField(help_text=CODEBOOK_VERSION)
    before = serializers.IntegerField(allow_null=True, help_text="The previous assignment, to go back to.")
    replaced_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When an import replaced the content you had labeled; null if it was not replaced.",
    )
    asked_again = serializers.ListField(
        child=serializers.CharField(),
        help_text="The questions that you are asked again, if only these are open. Send answers and "
        "revisions for these only; your other answers are kept. Otherwise empty.",
    )
    reference = reference_field()


class NextAssignmentSerializer(serializers.Serializer[Any]):
    assignment = AssignmentSerializer(allow_null=True)


class RevisionSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    revision = serializers.IntegerField()


class SavedAnswersSerializer(serializers.Serializer[Any]):
    assignment = serializers.IntegerField()
    revisions = RevisionSerializer(many=True)
    reference = reference_field()
    codebook_version = serializers.IntegerField(help_text=CODEBOOK_VERSION)
    is_paused = serializers.BooleanField(
        help_text="Whether the round or your labeling is paused. Your answers are still saved, but you get "
        "no more items."
    )


class SkippedAssignmentSerializer(serializers.Serializer[Any]):
    assignment = serializers.IntegerField()
