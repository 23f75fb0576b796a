"""Answers requests about a file; runs in a separate process, but can be called anywhere."""

from core.tables.sources import bytes_of
from raters.imports.draft_form import OptionsForm
from raters.imports.label_options import LabelOptions
from reports.analysis.options import options_of
from reports.pages.calculator.analyzed import TooManyToCalculate, analyzed
from reports.pages.calculator.exchange import CalculatorRequest, CalculatorResponse, QuestionChoice
from reports.pages.calculator.interpreted_file import InterpretedFile, read_file

MAX_FAULTS = 100


def answer_of(request: CalculatorRequest, content: bytes) -> CalculatorResponse:
    source = bytes_of(content)
    name, only = request["name"], request["round"]
    read, wrong = read_file(name, source, LabelOptions.from_json(request["options"]), only), ""
    if request["sent"] is not None:
        form = OptionsForm(request["sent"], options=read.options, preview=read.preview())
        if not form.is_valid():
            wrong = form.errors
        elif form.cleaned_data["options"] != read.options:
            read = read_file(name, source, form.cleaned_data["options"], only)
    questions = _questions(read)
    answer = CalculatorResponse(
        preview=read.preview(),
        options=read.options.as_json(),
        faults=[fault.as_json() for fault in read.faults.listed[:MAX_FAULTS]],
        n_faults=read.faults.n,
        questions=questions,
        wrong=wrong,
        refusal="",
    )
    if request["analysis"] is None or read.faults or wrong or not questions:
        return answer
    try:
        key = _chosen(questions, request["question"])
        answer["result"] = analyzed(read, key, options_of(request["analysis"]), request["categories"])
    except TooManyToCalculate as refused:
        answer["refusal"] = str(refused)
    return answer


def _questions(read: InterpretedFile) -> list[QuestionChoice]:
    if read.resolved is None:
        return []
    return [
        QuestionChoice(key=key, kind=found.kind, n_raters=len(set(found.raters)), n_labels=len(found.answers))
        for key, found in read.resolved.questions.items()
    ]


def _chosen(questions: list[QuestionChoice], key: str) -> str:
    """Return the requested question, or else the first that two raters answered."""
    keys = [question["key"] for question in questions]
    if key in keys:
        return key
    return next((question["key"] for question in questions if question["n_raters"] > 1), keys[0])
