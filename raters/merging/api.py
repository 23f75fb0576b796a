"""API for merging categories."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from projects.codebook.api import api_refusals, category_to_edit
from projects.codebook.refusals import CodebookRefused
from projects.codebook.serializers import CategoryMergeInput, MergeResultSerializer
from raters.merging.actions import merge_category


class CategoryMerge(View):
    @extend_schema(request=CategoryMergeInput, responses=MergeResultSerializer)
    def post(self, request: Request, slug: str, question: int, pk: int) -> Response:
        """Merge a category into another. Its labels change to that category. This cannot be undone."""
        category = category_to_edit(request.user, slug, question, pk)
        asked = self.checked(CategoryMergeInput)["into"]
        with api_refusals():
            into = category.question.categories.filter(pk=asked).first()
            if into is None:
                raise CodebookRefused(
                    "into", "Choose a different category of the same question.", field="into"
                )
            n_labels = merge_category(category, into, by=request.user, source="api")
        return Response(MergeResultSerializer({"id": pk, "n_labels": n_labels, "merged_into": into.pk}).data)
