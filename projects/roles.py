"""The rights of each role in a project, defined only here."""

from enum import Enum

from projects.models import Membership

Role = Membership.Role


class Right(Enum):
    # Every member: the project's page and guidelines.
    SEE_PROJECT = "view the project"
    # The user's own queue and labels, nothing of others.
    LABEL = "label items"
    # Items, everyone's labels, and agreement. Raters are blind, so for them these pages do not exist.
    SEE_LABELS = "view other raters' labels"
    ASK_REPORTS = "request agreement reports"
    SHARE_REPORTS = "share reports"
    SEE_DISPUTES = "view disputes"
    ADJUDICATE = "adjudicate"
    # The origin of labels: rounds and imports.
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

# Without one of these rights, a person may not even know that the object exists.
RIGHTS_TO_SEE = READ
# The right needed to know that what another right concerns exists: for a blind rater, there are no reports or disputes.
NEEDED_TO_KNOW = dict.fromkeys(
    (
        *(Right.ASK_REPORTS, Right.SHARE_REPORTS, Right.SEE_DISPUTES, Right.ADJUDICATE),
        *(Right.SEE_ORIGINS, Right.SEE_LOG),
    ),
    Right.SEE_LABELS,
)
