"""API serializers for rounds, with strict input."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictNameField,
    StrictSerializer,
)
from projects.models import Round, RoundAttempt
from raters.figures.stored_figures import FigureFreshness
from raters.labeling.missing_answer_serializers import (
    MissingAnswersSerializer,
    SerializedMissingAnswers,
    serialized_missing_answers,
)
from raters.labeling.missing_answers import MissingAnswers
from raters.rounds.assigning.assignment_design import AssignmentDesign
from raters.rounds.attempts import AttemptItems
from raters.rounds.choice_api import ItemChoiceSerializer, ItemsInput
from raters.rounds.chosen_items import StoredItemSource
from raters.rounds.coverage_serializers import CoverageSerializer
from raters.rounds.forms import MAX_IDLE_MINUTES, MAX_SEED
from raters.rounds.pausing import MAX_NOTE
from raters.rounds.reminding import MAX_REMIND_DAYS
from raters.rounds.round_forms import LAST_DAY

MAX_RATERS = 1000
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
LEFT_OUT = (
    "Items that were drawn but left out, as their disputes had been resolved since a worker found them."
)
DESIGNS = [(design.value, design.value) for design in AssignmentDesign]


class PrecisionInput(StrictSerializer):
    kappa = StrictFloatField(
        required=False, min_value=-0.99, max_value=0.99, help_text="Expected kappa. Default: 0.7."
    )
    prevalence = StrictFloatField(
        required=False,
        min_value=0.01,
        max_value=0.99,
        help_text="Prevalence of the more common of two categories. Default: 0.5.",
    )


class RepeatedItemsInput(PrecisionInput):
    raters = serializers.ListField(
        child=StrictCharField(max_length=150),
        min_length=1,
        max_length=MAX_RATERS,
        help_text="Usernames of members who can label.",
    )
    seed = StrictIntegerField(
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text="The same seed gives the same plan. Default: one is drawn, and returned as `seed`.",
    )


class DesignInput(RepeatedItemsInput):
    design = StrictChoiceField(
        choices=DESIGNS,
        help_text="`everyone`: every rater labels every item. `some`: each item is labeled by `raters_per_item` "
        "raters. `share_twice`: a `share` of the items is labeled by two raters, the rest by one. `same`: each item is "
        "labeled by those of the raters who labeled it before.",
    )
    items = ItemsInput(required=False, help_text="Which items. Default: those in no round yet.")
    raters_per_item = StrictIntegerField(required=False, min_value=1, max_value=MAX_RATERS)
    share = StrictFloatField(required=False, min_value=0, max_value=1)
    is_on_demand = StrictBooleanField(required=False)
    n_items = StrictIntegerField(required=False, allow_null=True, min_value=1, max_value=10**7)
    repeat_share = StrictFloatField(
        required=False, min_value=0, max_value=0.5, help_text="Share of each rater's items to repeat blindly."
    )
    n_reference_items = StrictIntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=10**7,
        help_text="Number of items with a reference answer to give to every rater. Without it and `reference_share`, "
        "they are assigned like any other item.",
    )
    reference_share = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=0.5,
        help_text="As `n_reference_items`, but as a share of the round.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("n_reference_items") is not None and attrs.get("reference_share") is not None:
            raise serializers.ValidationError(
                {"reference_share": "Use either n_reference_items or reference_share, not both."}
            )
        return attrs


class RoundPreviewInput(DesignInput):
    pass


class DayField(serializers.DateField):
    """A date in the form 2026-11-30 only."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(input_formats=["iso-8601"], **kwargs)

    def to_internal_value(self, value: Any) -> date:
        if not isinstance(value, str) or not DAY.fullmatch(value):
            self.fail("invalid", format="YYYY-MM-DD")
        day: date = super().to_internal_value(value)
        return day if day <= LAST_DAY else self.fail("invalid", format="YYYY-MM-DD")


class RoundChange(StrictSerializer):
    key = StrictNameField(required=False, max_length=MAX_KEY)
    due_on = DayField(
        required=False,
        allow_null=True,
        help_text="The deadline; null for none. The round does not close automatically.",
    )
    remind_days = StrictIntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_REMIND_DAYS,
        help_text="Number of days before the deadline on which raters with items left get one reminder by "
        "email. Null: never.",
    )
    idle_minutes = StrictIntegerField(required=False, min_value=1, max_value=MAX_IDLE_MINUTES)
    reference_use = StrictChoiceField(choices=Round.ReferenceUse.choices, required=False)
    pass_mark = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0.01,
        max_value=1,
        help_text="The share of reference answers for their items that raters must match to pass; null for "
        "none.",
    )
    gates = serializers.ListField(
        child=StrictIntegerField(min_value=1, max_value=10**18 - 1),
        required=False,
        max_length=100,
        help_text="IDs of rounds with a pass mark. Raters get items of this round after they pass one of "
        "them.",
    )


class NewRound(DesignInput):
    key = StrictNameField(max_length=MAX_KEY)
    idle_minutes = StrictIntegerField(required=False, min_value=1, max_value=MAX_IDLE_MINUTES)
    reference_use = StrictChoiceField(choices=Round.ReferenceUse.choices, required=False)
    digest = StrictCharField(
        max_length=64,
        required=False,
        help_text="The digest of the preview you saw, sent with its `seed`. The round is planned only if it would be "
        "as shown.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if attrs.get("digest") and "seed" not in attrs:
            raise serializers.ValidationError(
                {"seed": "With a digest, send the seed of the preview, too: another seed gives another plan."}
            )
        return attrs


class TrainingAttemptInput(StrictSerializer):
    items = StrictChoiceField(
        choices=[(each.value, each.value) for each in AttemptItems],
        help_text="`other`: items with a reference answer that the rater has never had. `same`: the same "
        "items as before.",
    )


class PauseInput(StrictSerializer):
    note = StrictLineField(
        required=False, allow_blank=True, max_length=MAX_NOTE, help_text="Message shown to raters."
    )


class RoundSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    state = serializers.ChoiceField(choices=Round.State.choices)
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    revealed_at = serializers.DateTimeField(allow_null=True)
    idle_minutes = serializers.IntegerField()
    reference_use = serializers.ChoiceField(choices=Round.ReferenceUse.choices)
    pass_mark = serializers.FloatField(
        allow_null=True, help_text="The share of reference answers that a rater must match to pass."
    )
    gates = serializers.SerializerMethodField(
        help_text="IDs of rounds; a rater has to pass one of them first."
    )
    attempt_of = serializers.SerializerMethodField(
        help_text="ID of the round that this one is another attempt at; null for none."
    )
    due_on = serializers.DateField(allow_null=True, help_text="The deadline: the last day to label.")
    remind_days = serializers.IntegerField(allow_null=True)
    reminded_at = serializers.DateTimeField(allow_null=True, help_text="When raters were last reminded.")
    paused_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was paused; null if it is not paused."
    )
    pause_note = serializers.CharField()
    n_assignments = serializers.IntegerField(
        source="n_places",
        allow_null=True,
        help_text="Null, like `n_done` and `missing_answers`, in the response to a change in a large project whose "
        "figures have never been computed, and in a round of raters added where those of a round disagree, while you "
        "label items of that round yourself in a round that is not closed.",
    )
    n_done = serializers.IntegerField(allow_null=True)
    items = serializers.SerializerMethodField()
    seed = serializers.SerializerMethodField(
        help_text="The seed of its latest plan; null for a round that was not planned, such as an imported one."
    )
    n_left_out = serializers.SerializerMethodField(help_text=LEFT_OUT)
    missing_answers = serializers.SerializerMethodField()
    as_of = serializers.SerializerMethodField(
        help_text="When the figures of a large project were counted; null if just now."
    )
    is_current = serializers.SerializerMethodField(
        help_text="False if the project has changed since; newer figures are being computed."
    )

    def get_attempt_of(self, round_: Round) -> int | None:
        attempt: RoundAttempt | None = getattr(round_, "attempt", None)
        return None if attempt is None else attempt.first_id

    def get_gates(self, round_: Round) -> list[int]:
        return sorted(each.gate_id for each in round_.gates.all())

    @extend_schema_field(ItemChoiceSerializer(allow_null=True))
    def get_items(self, round_: Round) -> StoredItemSource | None:
        """Null for items that were in no round before, and for imported rounds."""
        kept: StoredItemSource | None = round_.plans[0].get("chosen") if round_.plans else None
        return kept

    def get_seed(self, round_: Round) -> int | None:
        return round_.plans[-1].get("seed") if round_.plans else None

    def get_n_left_out(self, round_: Round) -> int:
        return int(round_.plans[0].get("n_left_out", 0)) if round_.plans else 0

    @extend_schema_field(MissingAnswersSerializer(many=True, allow_null=True))
    def get_missing_answers(self, round_: Round) -> list[SerializedMissingAnswers] | None:
        found: Mapping[int, list[MissingAnswers] | None] = self.context["missing_answers"]
        missing_answers = found[round_.pk]
        return None if missing_answers is None else serialized_missing_answers(missing_answers)

    def get_as_of(self, _round: Round) -> datetime | None:
        counted: FigureFreshness = self.context["counted"]
        return counted.as_of

    def get_is_current(self, _round: Round) -> bool:
        counted: FigureFreshness = self.context["counted"]
        return counted.is_current


class RemindersSerializer(serializers.Serializer[Any]):
    sent = serializers.ListField(
        child=serializers.CharField(), help_text="The raters who were sent an email."
    )
    without_address = serializers.ListField(
        child=serializers.CharField(), help_text="Raters with items left and without a confirmed address."
    )


class RoundRaterStatusSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField(source="key")
    n_assignments = serializers.IntegerField(source="n")
    n_done = serializers.IntegerField()
    n_left = serializers.IntegerField()
    last_done_at = serializers.DateTimeField(allow_null=True)
    is_member = serializers.BooleanField(help_text="False if the rater can no longer label in the project.")


class RoundStatusSerializer(serializers.Serializer[Any]):
    n_assignments = serializers.IntegerField(source="status.n")
    n_done = serializers.IntegerField(source="status.n_done")
    n_left = serializers.IntegerField(source="status.n_left")
    n_free = serializers.IntegerField(
        source="status.n_free", help_text="Assignments on demand that nobody has taken yet."
    )
    is_empty = serializers.BooleanField(
        source="status.is_empty", help_text="Nobody has labeled in it: it can be set back, or deleted."
    )
    raters = RoundRaterStatusSerializer(source="status.raters", many=True)
    as_of = serializers.DateTimeField(
        source="counted.as_of",
        allow_null=True,
        help_text="When the figures of a large project were counted; null if just now.",
    )
    is_current = serializers.BooleanField(
        source="counted.is_current",
        help_text="False if the project has changed since; newer figures are being computed.",
    )


class RoundPreviewSerializer(CoverageSerializer):
    n_left_out = serializers.IntegerField(help_text=LEFT_OUT)
    digest = serializers.CharField(help_text="Send it to plan the round as shown.")
