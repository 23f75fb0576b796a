"""What a worker computes for each kind of stored figures."""

from collections.abc import Callable, Mapping

from core.shapes import Json
from projects.models import Project
from raters.adjudication.stored_disputes import disputes_to_store
from raters.items.stored_search import found_to_store
from raters.models import StoredFigures
from raters.progress.counting import progress_to_store
from raters.progress.stored_lists import list_to_store
from raters.writing.stored_contents import contents_to_store

KINDS: Mapping[StoredFigures.What, Callable[[Project, Json], Json]] = {
    StoredFigures.What.PROGRESS: lambda project, asked: progress_to_store(project, asked["hidden"]),
    StoredFigures.What.DISPUTES: disputes_to_store,
    StoredFigures.What.LIST: list_to_store,
    StoredFigures.What.SEARCH: found_to_store,
    StoredFigures.What.CONTENTS: contents_to_store,
}
