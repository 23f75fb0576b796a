"""What a worker computes for each kind of stored figures, by functions of the areas that show them."""

from raters.adjudication.stored_disputes import disputes_to_store
from raters.figures.computing import Kinds
from raters.items.stored_search import found_to_store
from raters.models import StoredFigures
from raters.progress.progress_queries import progress_to_store
from raters.progress.stored_lists import list_to_store
from raters.rounds.disputed_items import disputes_as_json
from raters.writing.stored_contents import contents_to_store

KINDS: Kinds = {
    StoredFigures.What.PROGRESS: lambda project, asked: progress_to_store(project, asked["hidden"]),
    StoredFigures.What.DISPUTES: disputes_to_store,
    StoredFigures.What.DISPUTED: disputes_as_json,
    StoredFigures.What.LIST: list_to_store,
    StoredFigures.What.SEARCH: found_to_store,
    StoredFigures.What.CONTENTS: contents_to_store,
}
