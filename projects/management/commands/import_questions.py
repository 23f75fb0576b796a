"""Import a codebook from the command line."""

from projects.codebook.imports import QuestionFile
from projects.imports.import_commands import ImportCommand
from projects.imports.read_options import ReadOptions


class Command(ImportCommand):
    help = (
        "Import questions from a file with the columns question, prompt, scale, labels (such as no|yes) "
        "and label_meanings."
    )
    what = "questions"
    open = QuestionFile
    options = ReadOptions
