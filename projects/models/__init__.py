"""What is rated: projects with members, codebook, rounds, and items."""

from projects.models.codebook import (
    MAX_ANSWER_TEXT,
    MAX_TEXT,
    MAX_UNIT,
    MAX_VALUE,
    Category,
    CodebookDraft,
    CodebookVersion,
    FormerQuestion,
    GuidelinesVersion,
    PresentCategories,
    Question,
)
from projects.models.item_lists import ItemList, ItemListEntry
from projects.models.items import Item, ItemVersion, MediaFile, Round, RoundAttempt, RoundGate
from projects.models.log import Event
from projects.models.projects import Invitation, Membership, Project, Redemption, slug_of_letters
from projects.models.webhooks import Delivery, Webhook

__all__ = [
    "MAX_ANSWER_TEXT",
    "MAX_TEXT",
    "MAX_UNIT",
    "MAX_VALUE",
    "Category",
    "CodebookDraft",
    "CodebookVersion",
    "Delivery",
    "Event",
    "FormerQuestion",
    "GuidelinesVersion",
    "Invitation",
    "Item",
    "ItemList",
    "ItemListEntry",
    "ItemVersion",
    "MediaFile",
    "Membership",
    "PresentCategories",
    "Project",
    "Question",
    "Redemption",
    "Round",
    "RoundAttempt",
    "RoundGate",
    "Webhook",
    "slug_of_letters",
]
