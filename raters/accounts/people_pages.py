"""Pages for server owners to find and erase accounts, and to help people who forgot their password."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.web.forms import SearchForm, posted, require_form
from core.web.paging import page_of
from core.web.refusals import refusals_in_form
from projects.access import refuse_all_but_owners
from projects.events import record
from projects.models import Event
from raters.accounts import erasing
from raters.accounts.forms import EraseForm
from raters.models import User


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    refuse_all_but_owners(request.user)
    form = SearchForm(request.GET or None)
    rows = User.objects.filter(username__icontains=form.words).order_by("username")
    context: dict[str, object] = {"form": form, "page": page_of(request, rows)}
    return render(request, "people/list.html", context, status=400 if form.errors else 200)


@require_form
def erase(request: HttpRequest, pk: int) -> HttpResponse:
    refuse_all_but_owners(request.user)
    person = get_object_or_404(User, pk=pk)
    form = EraseForm(posted(request))
    if form.is_valid():
        with refusals_in_form(form, "username"):
            erasing.erase(person, by=request.user, username=form.cleaned_data["username"])
            messages.success(request, f"Erased account {pk}.")
            return redirect("people")
    context = {"person": person, "form": form}
    return render(request, "people/erase.html", context, status=400 if form.errors else 200)


@require_form
def password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """On POST, show a link with which the person sets a new password: once, and within PASSWORD_RESET_TIMEOUT."""
    refuse_all_but_owners(request.user)
    person = get_object_or_404(User, pk=pk, is_active=True)
    link = ""
    if request.method == "POST":
        key = {"uidb36": user_pk_to_url_str(person), "key": default_token_generator.make_token(person)}
        link = request.build_absolute_uri(reverse("account_reset_password_from_key", kwargs=key))
        record(Event.Kind.PASSWORD_LINK_MADE, by=request.user, user=person.username)
    return render(request, "people/password.html", {"person": person, "link": link})
