"""The signed-in user's notifications, and the page for unsubscribing without signing in."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from core.web.forms import require_form
from core.web.paging import page_of
from raters.notifications.inbox import notifications_of
from raters.notifications.notification_kinds import path_of, sentence_of
from raters.notifications.notifying import mark_read
from raters.notifications.preferences import stop, stop_of


@require_safe
def notifications(request: HttpRequest) -> HttpResponse:
    page = page_of(request, notifications_of(request.user))
    rows = [(each, sentence_of(each)) for each in page]
    return render(request, "notifications/notifications.html", {"page": page, "rows": rows})


@require_POST
def open_notification(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark the notification as read, and redirect to its page."""
    rows = notifications_of(request.user)
    found = get_object_or_404(rows, pk=pk)
    mark_read(rows.filter(pk=pk))
    return redirect(path_of(found))


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    n = mark_read(notifications_of(request.user))
    messages.success(request, f"{n} notification{'' if n == 1 else 's'} marked as read.")
    return redirect("notifications")


# The signed link authorizes it: mail programs send the POST of RFC 8058 themselves, without a cookie.
@csrf_exempt
@login_not_required
@require_form
def stop_emails(request: HttpRequest, token: str) -> HttpResponse:
    """Show on GET what would be stopped, and stop it on POST: programs that follow links must not unsubscribe."""
    asked = stop_of(token)
    if asked is None:
        raise Http404("This link is not valid.")
    if request.method == "POST":
        stop(asked, everything="all" in request.POST)
    context = {
        "what": asked.words,
        "is_stopped": request.method == "POST",
        "is_all": "all" in request.POST,
    }
    return render(request, "notifications/stop.html", context)
