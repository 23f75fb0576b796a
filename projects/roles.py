"""What each role may do in a project; the only place that says so."""

from enum import Enum

from projects.models import Membership

Role = Membership.Role


class Right(Enum):
    # Every member: the project's page and guidelines.
    SEE_PROJECT = "view the project"
    # One's own queue and one's own labels, nothing of others.
    LABEL = "label items"
    # Items, everyone's labels, agreement. Raters are blind, so for them these pages do not exist.
    SEE_LABELS = "view other raters' labels"
    ASK_REPORTS = "request agreement reports"
    SHARE_REPORTS = "share reports"
    SEE_DISPUTES = "view disputes"
    ADJUDICATE = "adjudicate"
    # How the labels came about: rounds and imports.
    SEE_ORIGINS = "view rounds and imports"
    IMPORT = "import labels and items"
    EDIT_PROJECT = "change the project"
    SEE_LOG = "view the activity log"


READ = frozenset({Right.SEE_PROJECT, Right.SEE_LABELS})

RIGHTS: dict[str, frozenset[Right]] = {
    Role.LEAD: frozenset(Right),
    Role.ADJUDICATOR: READ | {Right.ASK_REPORTS, Right.SEE_DISPUTES, Right.ADJUDICATE},
    Role.AUDITOR: READ | {Right.SEE_LOG, Right.SEE_DISPUTES, Right.SEE_ORIGINS},
    Role.RATER: frozenset({Right.SEE_PROJECT, Right.LABEL}),
}

# Without one of these a person may not even know that the thing exists.
RIGHTS_TO_SEE = READ
# Who lacks the second may not know of what the first is for: to a blind rater reports and disputes do not exist.
NEEDED_TO_KNOW = dict.fromkeys(
    (
        *(Right.ASK_REPORTS, Right.SHARE_REPORTS, Right.SEE_DISPUTES, Right.ADJUDICATE),
        *(Right.SEE_ORIGINS, Right.SEE_LOG),
    ),
    Right.SEE_LABELS,
)
