"""The choices for one question: its kind and level, default weights, and refusals of what its kind does not support."""

from dataclasses import replace

from reports.agreement.weights import Level, Weights
from reports.analysis.measure import fitting_weights
from reports.analysis.options import Options
from reports.analysis.question import Kind
from reports.command.choices import CommandChoices, UnsuitableOptions
from reports.sources.file_labels import FileOptions, FileQuestion


def choices_for(question: FileQuestion, reading: FileOptions, choices: CommandChoices) -> CommandChoices:
    """Return the choices with the kind, level, and weights of this question.

    Raises UnsuitableOptions for what the kind does not support.
    """
    choices = replace(choices, kind=question.kind, level=question.level)
    refuse_unsuitable(reading, choices)
    return replace(choices, options=with_default_weights(choices))


def with_default_weights(choices: CommandChoices) -> Options:
    """Return the options with the weights of a report on such a question, unless others were requested."""
    if not choices.options.weights_by_question:
        return choices.options
    weights = fitting_weights(choices.kind, choices.level)
    return replace(choices.options, weights=weights, weights_by_question=False)


def refuse_unsuitable(reading: FileOptions, choices: CommandChoices) -> None:
    """Raise UnsuitableOptions for what the kind of question does not support."""
    UNSUITABLE[choices.kind](reading, choices)


def _anything(reading: FileOptions, choices: CommandChoices) -> None:
    """Accept all options: for single choices, level and weights are checked against the categories."""


def _of_numbers(reading: FileOptions, choices: CommandChoices) -> None:
    _without_categories(choices)
    if reading.categories:
        raise UnsuitableOptions("Numbers have no categories. Remove --categories.")


def _of_sets(reading: FileOptions, choices: CommandChoices) -> None:
    _without_categories(choices)
    if choices.level is not Level.NOMINAL:
        raise UnsuitableOptions(
            "Sets of categories have no level of measurement; alpha uses the MASI and Jaccard distances. Remove "
            "--level."
        )


def _without_categories(choices: CommandChoices) -> None:
    if choices.options.weights is not Weights.UNWEIGHTED:
        raise UnsuitableOptions("Weights apply to single categories, not to numbers or sets.")
    if choices.options.reference:
        raise UnsuitableOptions(
            "--reference applies to single categories only. For numbers and sets, see the pairs."
        )


UNSUITABLE = {Kind.SINGLE: _anything, Kind.NUMBER: _of_numbers, Kind.MULTIPLE: _of_sets}
