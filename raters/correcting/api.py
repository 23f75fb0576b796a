"""API for correcting the answer type of a question."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from core.web.strict import StrictBooleanField, StrictChoiceField, StrictSerializer
from projects.codebook.api import api_refusals, question_to_edit
from projects.models import Question
from raters.correcting.actions import check_correction, correct_kind
from raters.correcting.plan import KINDS, key_of


class QuestionKindInput(StrictSerializer):
    kind = StrictChoiceField(choices=KINDS)
    level = StrictChoiceField(choices=Question.Level.choices, required=False)
    dry_run = StrictBooleanField(required=False, help_text="Whether to only report what would change.")


class CorrectionSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    n_labels = serializers.IntegerField(help_text="Labels that are converted.")
    n_abstentions = serializers.IntegerField(help_text="“Cannot tell” answers, which stay as they are.")
    categories_added = serializers.ListField(child=serializers.CharField())
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="Why it can’t be done; empty if it can."
    )


class QuestionKindChange(View):
    @extend_schema(request=QuestionKindInput, responses=CorrectionSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Change the answer type of a question that has labels. All labels are converted without loss, or none.

        Fails if a report that uses the question has been shared, or while raters are labeling.
        """
        question = question_to_edit(request.user, slug, pk)
        asked = self.checked(QuestionKindInput)
        with api_refusals():
            if asked.get("dry_run"):
                found = check_correction(question, asked["kind"])
            else:
                level = asked.get("level", "")
                found = correct_kind(question, asked["kind"], level=level, by=request.user, source="api")
        shown = {
            "kind": found.kind,
            "n_labels": found.n_labels,
            "n_abstentions": found.n_abstentions,
            "categories_added": [key_of(number) for number in found.added],
            "problems": found.problems,
        }
        return Response(CorrectionSerializer(shown).data)
