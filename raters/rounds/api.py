"""API for rounds: list, plan, open, close, and reveal them."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NotRequired, TypedDict, cast

from django.contrib.auth import get_user_model
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View, choice_parameter
from projects.access import project_to
from projects.models import Project, Round
from projects.roles import Permission
from projects.webhooks.event_queue import site_of
from raters.access import refuse_hidden_assignments
from raters.figures.pending_figures import ACCEPTED, StoredView
from raters.models import Rater
from raters.rounds import states
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.attempts import AttemptItems, give_attempt
from raters.rounds.choice_api import ValidatedItemChoice, choice_of
from raters.rounds.coverage import coverage_of
from raters.rounds.coverage_serializers import serialized_coverage
from raters.rounds.forms import who_may_label
from raters.rounds.pausing import pause_round, resume_round
from raters.rounds.plan_storage import plan_round, preview, preview_replan, replan, when_found
from raters.rounds.planning import items_of_round
from raters.rounds.precision import Precision, coverage_table, precision_plan
from raters.rounds.reminding import remind
from raters.rounds.resetting import delete_round, set_back
from raters.rounds.round_plan import ReferenceItems, RoundPlan, draw_seed
from raters.rounds.round_representations import changed_round_in_full, planned_round_in_full, rounds_in_full
from raters.rounds.serializers import (
    CoverageSerializer,
    NewRound,
    PauseInput,
    RemindersSerializer,
    RepeatedItemsInput,
    RoundChange,
    RoundPreviewInput,
    RoundPreviewSerializer,
    RoundSerializer,
    RoundStatusSerializer,
    TrainingAttemptInput,
)
from raters.rounds.stored_progress import round_list_context, round_status_context

KAPPA, PREVALENCE = 0.7, 0.5


class RoundList(StoredView):
    @extend_schema(responses={200: RoundSerializer(many=True), 202: ACCEPTED}, operation_id="rounds_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the rounds in the order in which raters receive them."""
        project = project_to(request.user, slug, Permission.SEE_ORIGINS)
        return Response(rounds_in_full(round_list_context(project, by=request.user)))

    @extend_schema(request=NewRound, responses={201: RoundSerializer, 202: ACCEPTED})
    def post(self, request: Request, slug: str) -> Response:
        """Plan a round and assign its items. The round is not open yet.

        A 202 response means that the items in dispute of a large project are being found, and nothing has been planned.
        With the `digest` of a preview, the round is planned as shown or, if something has changed since, refused (409).
        """
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        asked = self.checked(NewRound)
        plan = _plan(project, cast(ValidatedDesign, asked))
        when_found(project, [plan], by=request.user)
        round_ = plan_round(
            project,
            asked["key"],
            plan,
            _users(project, asked["raters"]),
            by=request.user,
            idle_minutes=asked.get("idle_minutes", 60),
            reference_use=asked.get("reference_use", Round.ReferenceUse.CHECK),
            digest=asked.get("digest", ""),
        )
        return Response(planned_round_in_full(round_), status=201)


class RoundRetry(View):
    @extend_schema(
        request=TrainingAttemptInput, responses={201: RoundSerializer}, operation_id="round_attempt_give"
    )
    def post(self, request: Request, slug: str, pk: int, rater: int) -> Response:
        """Give a rater who missed the pass mark another attempt, in a new round that counts as this one."""
        project, round_ = _round(request, slug, pk)
        raters = Rater.objects.filter(project=project, assignments__round=round_).distinct()
        who = get_object_or_404(raters, pk=rater)
        items = AttemptItems(self.checked(TrainingAttemptInput)["items"])
        further = give_attempt(round_, who, items=items, by=request.user)
        return Response(planned_round_in_full(further), status=201)


class RoundPreview(StoredView):
    @extend_schema(
        request=RoundPreviewInput,
        responses={200: RoundPreviewSerializer, 202: ACCEPTED},
        operation_id="round_preview",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Preview a round: the items for each rater and each pair of raters. Nothing is saved."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        asked = self.checked(RoundPreviewInput)
        users = _users(project, asked["raters"])
        plan = _plan(project, cast(ValidatedDesign, asked))
        [planned] = preview(project, [plan], users, by=request.user)
        shown = precision_plan("", planned, users, _precision(cast(ValidatedPrecision, asked)))
        n_items, n_reference_items = len(planned.items), planned.n_reference_items
        found = serialized_coverage(
            shown.coverage, n_items, planned.n_assignments, n_reference_items, plan.seed
        )
        return Response({**found, "n_left_out": planned.n_left_out, "digest": shown.digest})


class RoundDetail(StoredView):
    @extend_schema(responses={200: RoundSerializer, 202: ACCEPTED})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a round."""
        project, round_ = _round(request, slug, pk, Permission.SEE_ORIGINS)
        [shown] = rounds_in_full(round_list_context(project, round_.pk, by=request.user))
        return Response(shown)

    @extend_schema(request=RoundChange, responses=RoundSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the settings of a round that is not closed."""
        project, round_ = _round(request, slug, pk)
        fields = self.checked(RoundChange, partial=True)
        if {"due_on", "remind_days"} & set(fields):
            fields |= {"site": site_of(request)}
        if "gates" in fields:
            fields["gates"] = _gates(project, fields["gates"])
        states.change_round(round_, by=request.user, **fields)
        return Response(changed_round_in_full(round_, by=request.user))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a round in which nobody has ever labeled. Its items become available again."""
        _, round_ = _round(request, slug, pk)
        delete_round(round_, by=request.user)
        return Response(status=204)


class RoundProgressDetail(StoredView):
    @extend_schema(responses={200: RoundStatusSerializer, 202: ACCEPTED}, operation_id="round_progress")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get how much each rater of a round has done, and how much is left.

        Of a round of raters added where those of a round disagree, you get only your own assignments while you label
        items of that round yourself in a round that is not closed.
        """
        _, round_ = _round(request, slug, pk)
        return Response(RoundStatusSerializer(round_status_context(round_, by=request.user)).data)


class RoundPause(View):
    @extend_schema(request=PauseInput, responses=RoundSerializer, operation_id="round_pause")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pause an open round. Raters get no more of its items, but answers they have already given are still
        saved.
        """
        note = (
            self.checked(PauseInput).get("note", "")
            if request.META.get("CONTENT_LENGTH") not in {None, "", "0"}
            else ""
        )
        return _step(request, slug, pk, partial(pause_round, note=note))


class RoundResume(View):
    @extend_schema(request=None, responses=RoundSerializer, operation_id="round_resume")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Resume a paused round."""
        return _step(request, slug, pk, resume_round)


class RoundSetBack(View):
    @extend_schema(request=None, responses=RoundSerializer, operation_id="round_set_back")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Set a round back to planned. Possible only while nobody has labeled in it."""
        return _step(request, slug, pk, set_back)


class RoundRemind(View):
    @extend_schema(request=None, responses=RemindersSerializer, operation_id="round_remind")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Email a reminder to the raters who have items left. Nobody is reminded twice within an hour.

        For a round of raters added where those of a round disagree, this is refused while you label items of that
        round yourself in a round that is not closed.
        """
        _, round_ = _round(request, slug, pk)
        return Response(RemindersSerializer(remind(round_, by=request.user, site=site_of(request))).data)


class RoundRaters(View):
    parameters = {"put": ["preview"]}

    @extend_schema(
        parameters=[OpenApiParameter("preview", str, enum=["yes", "no"], description="Default: `no`.")],
        request=RepeatedItemsInput,
        responses=CoverageSerializer,
        operation_id="round_raters",
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Reassign pending assignments to these raters; completed ones stay. With `preview=yes`, nothing is saved."""
        project, round_ = _round(request, slug, pk)
        refuse_hidden_assignments(request.user, round_)
        asked = self.checked(RepeatedItemsInput)
        is_preview = choice_parameter(request, "preview", ["yes", "no"], default="no") == "yes"
        users, seed = _users(project, asked["raters"]), _seed(asked)
        precision = _precision(cast(ValidatedPrecision, asked))
        if is_preview:
            found = preview_replan(round_, users, by=request.user, seed=seed)
        else:
            replan(round_, users, by=request.user, seed=seed)
            found = coverage_of(round_)
        n_items = len(items_of_round(round_.pk))
        n = int(found.work.sum() + found.repeats.sum())
        return Response(serialized_coverage(coverage_table(found, precision), n_items, n, None, seed))


class RoundOpen(View):
    @extend_schema(request=None, responses=RoundSerializer, operation_id="round_open")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Open a round, or reopen a closed one that has not been revealed."""
        return _step(request, slug, pk, states.open_round)


class RoundClose(View):
    @extend_schema(request=None, responses=RoundSerializer, operation_id="round_close")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Close a round. Its labels can no longer be changed."""
        return _step(request, slug, pk, states.close_round)


class RoundReveal(View):
    @extend_schema(request=None, responses=RoundSerializer, operation_id="round_reveal")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Reveal the labels of a round to its raters. This cannot be undone, and the round cannot be reopened."""
        return _step(request, slug, pk, states.reveal_round)


class ValidatedReferenceItems(TypedDict, total=False):
    reference_share: float | None
    n_reference_items: int | None


class ValidatedPrecision(TypedDict, total=False):
    kappa: float
    prevalence: float


class ValidatedDesign(ValidatedReferenceItems, ValidatedPrecision):
    """Validated input of `DesignInput`."""

    design: str
    items: NotRequired[ValidatedItemChoice]
    raters_per_item: NotRequired[int]
    share: NotRequired[float]
    seed: NotRequired[int]
    repeat_share: NotRequired[float]
    is_on_demand: NotRequired[bool]
    n_items: NotRequired[int | None]


def _round(
    request: Request, slug: str, pk: int, permission: Permission = Permission.EDIT_PROJECT
) -> tuple[Project, Round]:
    project = project_to(request.user, slug, permission)
    return project, get_object_or_404(project.rounds, pk=pk)


def _step(request: Request, slug: str, pk: int, step: Any) -> Response:
    _, round_ = _round(request, slug, pk)
    step(round_, by=request.user)
    return Response(changed_round_in_full(round_, by=request.user))


def _gates(project: Project, ids: list[int]) -> list[Round]:
    """Return the rounds with these IDs. Raises RefusedWithCode."""
    found = {round_.pk: round_ for round_ in project.rounds.filter(pk__in=ids)}
    if missing := sorted(set(ids) - set(found)):
        raise RefusedWithCode("no_such_round", f"Round {missing[0]} is not a round of this project.")
    return list(found.values())


def _users(project: Project, names: list[str]) -> list[Any]:
    """Return the members with these usernames who may label, sorted by name. Raises RefusedWithCode."""
    found = {user.username: user for user in who_may_label(project).filter(username__in=names)}
    if missing := sorted(set(names) - set(found)):
        raise RefusedWithCode(
            "no_such_rater", f"{missing[0][:100]!r} is not a member of this project who can label."
        )
    return list(get_user_model().objects.filter(username__in=found).order_by("username"))


def _plan(project: Project, validated: ValidatedDesign) -> RoundPlan:
    design = AssignmentDesign(validated["design"])
    return RoundPlan(
        overlap=Overlap(design, validated.get("raters_per_item", 2), validated.get("share", 0.2)),
        seed=_seed(validated),
        repeat_share=validated.get("repeat_share", 0.0),
        is_on_demand=validated.get("is_on_demand", False),
        n_items=validated.get("n_items"),
        reference_items=_reference_items(validated),
        chosen=choice_of(project, validated.get("items")),
    )


def _seed(validated: Mapping[str, Any]) -> int:
    return int(validated["seed"]) if "seed" in validated else draw_seed()


def _reference_items(validated: ValidatedReferenceItems) -> ReferenceItems | None:
    share, number = validated.get("reference_share"), validated.get("n_reference_items")
    if share is None and number is None:
        return None
    return ReferenceItems(number=number or 0, share=share)


def _precision(validated: ValidatedPrecision) -> Precision:
    return Precision.of(kappa=validated.get("kappa", KAPPA), share=validated.get("prevalence", PREVALENCE))
