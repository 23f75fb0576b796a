"""API for server owners to list and erase accounts."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictCharField, StrictSerializer
from projects.access import refuse_all_but_owners
from raters.accounts import erasing
from raters.models import User


class PersonSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    is_active = serializers.BooleanField()


class ErasureInput(StrictSerializer):
    username = StrictCharField(max_length=150, help_text="The username, to confirm.")


class People(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Person", PersonSerializer),
        operation_id="people_list",
    )
    def get(self, request: Request) -> Response:
        """List all accounts. For server owners."""
        refuse_all_but_owners(request.user)
        return self.paged(User.objects.order_by("id"), lambda user: dict(PersonSerializer(user).data))


class Erasure(View):
    @extend_schema(request=ErasureInput, responses=PersonSerializer, operation_id="person_erase")
    def post(self, request: Request, pk: int) -> Response:
        """Erase a person permanently. Their account and names are removed; their labels are kept under a pseudonym."""
        refuse_all_but_owners(request.user)
        person = get_object_or_404(User, pk=pk)
        erasing.erase(person, by=request.user, **self.checked(ErasureInput))
        return Response(PersonSerializer(User.objects.get(pk=pk)).data)
