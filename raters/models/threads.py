"""Questions of raters about items, and leads' answers."""

from django.db import models
from django.db.models.functions import Now

from projects.models import Item
from raters.models.accounts import User
from raters.models.assignments import Rater

MAX_MESSAGE = 4_000


class Thread(models.Model):
    """A thread with one rater about one item, never visible to other raters."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="threads")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="threads")
    # Whether the rater wrote last and is waiting for an answer.
    is_open = models.BooleanField(default=True)
    # Whether a lead wrote last and the rater has not marked it as read.
    has_news = models.BooleanField(default=False)
    # When it was added to the guidelines or their draft.
    in_guidelines_at = models.DateTimeField(null=True, blank=True)
    last_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "rater"], name="thread_once_per_item_rater")]
        indexes = [models.Index(fields=["rater", "-last_at"], name="thread_of_rater")]

    def __str__(self) -> str:
        return f"{self.rater} about {self.item}"


class Message(models.Model):
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="messages")
    author = models.ForeignKey(User, models.PROTECT, related_name="+")
    is_answer = models.BooleanField(default=False)
    text = models.TextField(max_length=MAX_MESSAGE)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"message {self.pk} of {self.thread}"
