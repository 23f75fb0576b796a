"""The calculator: agreement in a file, pasted text, or a typed matrix, without an account. Nothing is stored."""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from core.refusals import RefusedWithCode
from core.tables.read_limits import limit_upload
from core.web.forms import require_form
from raters.imports.draft_form import OptionsForm
from raters.imports.label_options import LabelOptions
from raters.imports.uploads import one_of
from reports.pages.calculator.choices import FILE, RESULTS, ResultChoices
from reports.pages.calculator.embedded_file import EmbeddedFile
from reports.pages.calculator.exchange import CalculatorResponse
from reports.pages.calculator.figures_file import figures_file
from reports.pages.calculator.isolation import run_calculation
from reports.pages.calculator.limits import (
    MAX_BYTES,
    MAX_CATEGORIES,
    MAX_RATERS,
    MAX_ROWS,
    TOO_LARGE,
    too_large,
)
from reports.pages.calculator.rate_limits import one_at_a_time, refuse_too_often
from reports.pages.calculator.result_page import result_context
from reports.pages.calculator.typed_matrix import TypedMatrix
from reports.pages.calculator.unsaved_results import unstored_result
from reports.pages.contexts import context_of

EXAMPLE = Path(settings.BASE_DIR) / "raters" / "demo" / "messages" / "labels.csv"
LIMITS = {
    "max_megabytes": MAX_BYTES // 1024**2,
    "max_rows": MAX_ROWS,
    "max_raters": MAX_RATERS,
    "max_categories": MAX_CATEGORIES,
}
TOO_MUCH_TEXT = f"This is too much text to paste. Save it as a file. {TOO_LARGE}"


@csrf_exempt
@login_not_required
@require_form
def calculate(request: HttpRequest) -> HttpResponse:
    """Show the calculator. The request's size is checked before its body, including the CSRF token, is read."""
    if not settings.CALCULATOR:
        raise Http404("The calculator is turned off.")
    if request.method == "POST":
        limit_upload(request, most=MAX_BYTES, too_large=too_large)
    try:
        return _calculate(request)
    except RefusedWithCode as refusal:
        return _start(request, refusal=str(refusal), status=refusal.status_code)
    except RequestDataTooBig:
        return _start(request, refusal=TOO_MUCH_TEXT, status=413)


@csrf_protect
def _calculate(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _start(request)
    data = request.POST.dict()
    if data.get("way") == "size":
        return _start(request, matrix=TypedMatrix(data))
    refuse_too_often(request)
    if "carried" in data:
        return _go_on(request, EmbeddedFile.unpacked(data["carried"]), data)
    if data.get("way") == "matrix":
        matrix = TypedMatrix(data)
        typed = matrix.file()
        if typed is None:
            return _start(request, matrix=matrix, status=400)
        return _result(request, typed, ResultChoices.sent(data))
    return _preview(request, _sent_file(request, data), ResultChoices())


def _go_on(request: HttpRequest, embedded: EmbeddedFile, data: dict[str, str]) -> HttpResponse:
    """Continue from a preview, whose form has the reading options, or from a result."""
    sent = data if "understood" in data else None
    choices = ResultChoices.sent(data)
    if data.get("do") in RESULTS:
        return _result(request, embedded, choices, sent=sent)
    return _preview(request, embedded, choices, sent=sent)


def _sent_file(request: HttpRequest, data: Mapping[str, str]) -> EmbeddedFile:
    """Return the submitted file. Raises RefusedWithCode."""
    if data.get("way") == "example":
        return EmbeddedFile("example.csv", EXAMPLE.read_bytes(), LabelOptions())
    if files := request.FILES.getlist("file"):
        file = one_of(files)
        name, content = str(file.name), b"".join(file.chunks())
        if len(content) > MAX_BYTES:
            raise too_large()
    else:
        name, content = "pasted text", data.get("text", "").strip("\r\n").encode()
    if not content.strip():
        raise RefusedWithCode("not_a_file", "Choose a file that is not empty, or paste labels.")
    return EmbeddedFile(name[:200], content, LabelOptions())


def _start(
    request: HttpRequest, *, matrix: TypedMatrix | None = None, refusal: str = "", status: int = 200
) -> HttpResponse:
    context = {"matrix": matrix or TypedMatrix(), "refusal": refusal, **LIMITS}
    return render(request, "calculator/start.html", context, status=status)


def _preview(
    request: HttpRequest,
    embedded: EmbeddedFile,
    choices: ResultChoices,
    *,
    sent: dict[str, str] | None = None,
) -> HttpResponse:
    with one_at_a_time():
        answer = run_calculation(embedded, sent=sent, round=choices.round)
    return _preview_response(request, embedded, choices, answer)


def _preview_response(
    request: HttpRequest, embedded: EmbeddedFile, choices: ResultChoices, answer: CalculatorResponse
) -> HttpResponse:
    options, found = LabelOptions.from_json(answer["options"]), answer["preview"]
    form = OptionsForm(None, options=options, preview=found)
    form.errors = answer["wrong"]
    context = {
        "name": embedded.name,
        "n_bytes": len(embedded.content),
        "carried": embedded.with_options(options).packed(),
        "form": form,
        "found": found,
        "rounds": choices.rounds(found["rounds"]),
        "faults": answer["faults"],
        "n_faults": answer["n_faults"],
        "questions": answer["questions"],
        "n_labels": sum(question["n_labels"] for question in answer["questions"]),
        **LIMITS,
    }
    return render(request, "calculator/preview.html", context, status=400 if answer["wrong"] else 200)


def _result(
    request: HttpRequest,
    embedded: EmbeddedFile,
    choices: ResultChoices,
    *,
    sent: dict[str, str] | None = None,
) -> HttpResponse:
    with one_at_a_time():
        answer = run_calculation(
            embedded,
            sent=sent,
            round=choices.round,
            question=choices.question,
            analysis=choices.options.as_json(),
        )
    if "result" not in answer:
        return _preview_response(request, embedded, choices, answer)
    result = unstored_result(answer["result"], choices.options, choices.scale)
    if choices.result == FILE:
        return figures_file(result)
    key = result.question.key
    context: dict[str, object] = {
        "name": embedded.name,
        "carried": embedded.with_options(LabelOptions.from_json(answer["options"])).packed(),
        "question": key,
        "rounds": choices.rounds(answer["preview"]["rounds"]),
        "questions": choices.questions(answer["questions"], key),
        "weightings": choices.weightings(result),
        "confidences": choices.confidences(),
        "scales": choices.scales(),
        "found": answer["preview"],
        **context_of(result_context(result, choices.pair)),
    }
    return render(request, "calculator/result.html", context)
