"""Accounts and their API tokens."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from knox.models import AuthToken

from projects.events import record
from projects.models import Event


class User(AbstractUser):
    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def is_erased(self) -> bool:
        return not self.is_active and self.username.startswith(f"erased-{self.pk}")

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user. A new password revokes all tokens, since anyone who knew the old one may have made them."""
        is_new_password = getattr(self, "_password", None) is not None and not self._state.adding
        super().save(*args, **kwargs)
        if is_new_password:
            self.auth_token_set.all().delete()  # type: ignore[attr-defined]
            record(Event.Kind.PASSWORD_CHANGED, by=self, about=self.username)


class CachedValue(models.Model):
    """Values of `raters.cache`, shared by all processes: counts of attempts, and used codes."""

    key = models.CharField(max_length=300, primary_key=True)
    value = models.JSONField()
    expires_at = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return self.key


class TokenGrant(models.Model):
    """The name and scope of an API token. Tokens older than scopes have none until they are used."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        LABEL = "label", "Label"
        MANAGE = "manage", "Manage"

    token = models.OneToOneField(AuthToken, models.CASCADE, primary_key=True, related_name="grant")
    name = models.CharField(max_length=80, blank=True)
    scope = models.CharField(max_length=10, choices=Scope)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "label", "manage"]), name="token_scope_is_known"
            )
        ]

    def __str__(self) -> str:
        return self.name or self.token_id
