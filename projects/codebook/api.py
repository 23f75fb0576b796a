"""The codebook over the API, with the same operations as its page."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import View
from projects.access import project_to, projects_of
from projects.codebook import categories, copying, questions
from projects.codebook.guidelines import write_guidelines
from projects.codebook.serializers import (
    CategoryChange,
    CategorySerializer,
    CodebookCopyInput,
    CodebookSerializer,
    GuidelinesSerializer,
    GuidelinesTextSerializer,
    NewCategory,
    NewGuidelines,
    NewQuestion,
    OrderInput,
    QuestionChange,
    QuestionSerializer,
    StarterSerializer,
)
from projects.codebook.starters import starters
from projects.imports.import_lock import lock_timeout_refusals
from projects.models import Category, Project, Question
from projects.queries import current_guidelines_version
from projects.roles import Permission


@contextmanager
def api_refusals() -> Iterator[None]:
    """Turn concurrent deletions and changes into refusals of the API."""
    try:
        with lock_timeout_refusals():
            yield
    except (Question.DoesNotExist, Category.DoesNotExist) as gone:
        raise RefusedWithCode("not_found", "Not found.", status_code=404) from gone


def question_to_edit(user: Any, slug: str, pk: int) -> Question:
    project = project_to(user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.questions.select_related("project"), pk=pk)


def category_to_edit(user: Any, slug: str, question: int, pk: int) -> Category:
    return get_object_or_404(
        question_to_edit(user, slug, question).categories.select_related("question"), pk=pk
    )


def serialized_question(pk: int) -> Json:
    return dict(QuestionSerializer(Question.objects.prefetch_related("categories").get(pk=pk)).data)


class Codebook(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=CodebookSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Get the questions in order, and the current version number of the guidelines."""
        project = project_to(request.user, slug, Permission.SEE_PROJECT)
        return Response(_codebook(project))


def _codebook(project: Project) -> Json:
    found = {
        "questions": project.questions.prefetch_related("categories"),
        "guidelines_version": current_guidelines_version(project),
        "is_closed": project.is_closed or project.is_codebook_closed,
    }
    return dict(CodebookSerializer(found).data)


class CodebookOrder(View):
    @extend_schema(request=OrderInput, responses=CodebookSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Reorder the questions."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        with api_refusals():
            questions.order_questions(project, self.checked(OrderInput)["ids"], by=request.user)
        return Response(_codebook(project))


class CodebookCopy(View):
    @extend_schema(request=CodebookCopyInput, responses={201: CodebookSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Copy all questions from another of your projects or from a template. All are copied, or none."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        asked = self.checked(CodebookCopyInput)
        with api_refusals():
            if "starter" in asked:
                copying.start_from(starters()[asked["starter"]], project, by=request.user)
            else:
                source = projects_of(request.user).filter(slug=asked["project"]).first()
                if source is None:
                    raise RefusedWithCode(
                        "no_such_project", "You are not a member of a project with this slug."
                    )
                with_guidelines = asked.get("with_guidelines", False)
                copying.copy_codebook(source, project, by=request.user, with_guidelines=with_guidelines)
        project.refresh_from_db()
        return Response(_codebook(project), status=201)


class StarterList(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=StarterSerializer(many=True), operation_id="codebook_starters_list")
    def get(self, request: Request) -> Response:
        """List the codebook templates."""
        return Response(StarterSerializer(starters().values(), many=True).data)


class QuestionDetail(View):
    @extend_schema(request=QuestionChange, responses=QuestionSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Update a question. The key can’t be changed, nor the kind once the question has labels."""
        question = question_to_edit(request.user, slug, pk)
        with api_refusals():
            questions.change_question(question, by=request.user, **self.checked(QuestionChange, partial=True))
        return Response(serialized_question(pk))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a question. Questions with labels, now or in the history, can’t be deleted."""
        question = question_to_edit(request.user, slug, pk)
        with api_refusals():
            questions.delete_question(question, by=request.user)
        return Response(status=204)


class CategoryList(View):
    @extend_schema(request=NewCategory, responses={201: CategorySerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Add a category after the existing ones."""
        question = question_to_edit(request.user, slug, pk)
        with api_refusals():
            category = categories.add_category(question, by=request.user, **self.checked(NewCategory))
        return Response(CategorySerializer(category).data, status=201)


class CategoryOrder(View):
    @extend_schema(request=OrderInput, responses=QuestionSerializer)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Reorder the categories. For an ordinal question, the order is the scale."""
        question = question_to_edit(request.user, slug, pk)
        with api_refusals():
            categories.order_categories(question, self.checked(OrderInput)["ids"], by=request.user)
        return Response(serialized_question(pk))


class CategoryDetail(View):
    @extend_schema(request=CategoryChange, responses=CategorySerializer)
    def patch(self, request: Request, slug: str, question: int, pk: int) -> Response:
        """Update a category. The key can’t be changed."""
        category = category_to_edit(request.user, slug, question, pk)
        with api_refusals():
            fields = self.checked(CategoryChange, partial=True)
            category = categories.change_category(category, by=request.user, **fields)
        return Response(CategorySerializer(category).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, question: int, pk: int) -> Response:
        """Delete a category. Categories used in labels or their history can’t be deleted; merge them instead."""
        category = category_to_edit(request.user, slug, question, pk)
        with api_refusals():
            categories.delete_category(category, by=request.user)
        return Response(status=204)


class GuidelinesList(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=GuidelinesSerializer(many=True), operation_id="guidelines_list")
    def get(self, request: Request, slug: str) -> Response:
        """List all versions of the guidelines, newest first."""
        project = project_to(request.user, slug, Permission.SEE_PROJECT)
        versions = project.guidelines_versions.select_related("made_by").defer("text")
        return Response(GuidelinesSerializer(versions, many=True).data)

    @extend_schema(request=NewGuidelines, responses=GuidelinesTextSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Update the guidelines. If the text has not changed, no new version is created."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        asked = self.checked(NewGuidelines)
        number = write_guidelines(project, asked["text"], by=request.user, seen=asked.get("seen"))
        version = project.guidelines_versions.select_related("made_by").filter(number=number).first()
        if version is None:
            raise RefusedWithCode("nothing_written", "There are no guidelines, and the text is empty.")
        return Response(GuidelinesTextSerializer(version).data)


class GuidelinesDetail(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=GuidelinesTextSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Get one version of the guidelines."""
        project = project_to(request.user, slug, Permission.SEE_PROJECT)
        version = get_object_or_404(
            project.guidelines_versions.select_related("made_by"), number=min(number, 32_767)
        )
        return Response(GuidelinesTextSerializer(version).data)


class QuestionList(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=QuestionSerializer(many=True), operation_id="questions_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the questions in order."""
        project = project_to(request.user, slug, Permission.SEE_PROJECT)
        return Response(QuestionSerializer(project.questions.prefetch_related("categories"), many=True).data)

    @extend_schema(request=NewQuestion, responses={201: QuestionSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Add a question to the end of the codebook."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        fields = self.checked(NewQuestion)
        with api_refusals():
            question = questions.create_question(
                project, by=request.user, categories=fields.pop("categories", []), **fields
            )
        return Response(QuestionSerializer(question).data, status=201)
