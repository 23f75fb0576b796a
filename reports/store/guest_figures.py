"""On-demand figures for guests of finished reports, who cannot write and so cannot queue work for a worker."""

import json
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached
from django.conf import settings

from core.refusals import Refused
from raters.lettered import letters_in_force
from reports.analysis.results import Json, to_json
from reports.models import OnDemandFigures, QuestionAgreement
from reports.store.computing_on_demand import computed

What = OnDemandFigures.What
# For more labels, guests see only what members have had computed.
MAX_LABELS = 500_000
# Figures that name no rater are the same with letters in force.
NAMES_NOBODY = frozenset({What.OVER_TIME, What.SUBGROUPS})
TOO_MANY = (
    f"In reports of more than {MAX_LABELS:,} labels, people with a link can read these figures once a member "
    "of the project has opened them."
)


def figures_for_guest(
    agreement: QuestionAgreement,
    what: OnDemandFigures.What,
    asked: Json,
    *,
    before: QuestionAgreement | None,
    refused: type[Refused],
) -> Json:
    """Return figures computed for members, or compute them in the request. Raises `refused` if there are too many
    labels.
    """
    in_force = letters_in_force()
    if in_force is None or what in NAMES_NOBODY:
        done = OnDemandFigures.objects.filter(
            agreement=agreement, before=before, what=what, asked=asked, code_version=settings.VERSION,
            state=OnDemandFigures.State.DONE,
        ).first()  # fmt: skip
        if done is not None:
            return done.result or {}
    if agreement.n_labels + (before.n_labels if before else 0) > MAX_LABELS:
        raise refused(TOO_MANY)
    return _computed(agreement, before, what, json.dumps(asked, sort_keys=True), in_force and in_force.ids)


def _key(agreement: QuestionAgreement, before: QuestionAgreement | None, *asked: Any) -> tuple[Any, ...]:
    return agreement.pk, before and before.pk, *asked


@cached(LRUCache(64), key=_key, lock=Lock())
def _computed(
    agreement: QuestionAgreement, before: QuestionAgreement | None, what: str, asked: str, letters: Any
) -> Json:
    """Compute the figures. letters: those in force, as part of the cache key."""
    figures = OnDemandFigures(agreement=agreement, before=before, what=what, asked=json.loads(asked))
    return to_json(computed(figures, agreement, lambda words, share: None))
