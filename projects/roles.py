"""The permissions of each role in a project, defined only here."""

from enum import Enum

from projects.models import Membership

Role = Membership.Role


class Permission(Enum):
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


READ = frozenset({Permission.SEE_PROJECT, Permission.SEE_LABELS})

PERMISSIONS: dict[str, frozenset[Permission]] = {
    Role.LEAD: frozenset(Permission),
    Role.ADJUDICATOR: READ | {Permission.ASK_REPORTS, Permission.SEE_DISPUTES, Permission.ADJUDICATE},
    Role.AUDITOR: READ | {Permission.SEE_LOG, Permission.SEE_DISPUTES, Permission.SEE_ORIGINS},
    Role.RATER: frozenset({Permission.SEE_PROJECT, Permission.LABEL}),
}

# Without one of these permissions, a person may not even know that the object exists.
VIEW_PERMISSIONS = READ
# The permission needed to know that what another permission concerns exists: for a blind rater, there are no reports or
# disputes.
NEEDED_TO_KNOW = dict.fromkeys(
    (
        *(Permission.ASK_REPORTS, Permission.SHARE_REPORTS, Permission.SEE_DISPUTES, Permission.ADJUDICATE),
        *(Permission.SEE_ORIGINS, Permission.SEE_LOG),
    ),
    Permission.SEE_LABELS,
)
