"""Why a file is not taken."""

from core.refusals import Refusal


class MediaRefused(Refusal):
    """A file that is not taken, while others of the same upload may be."""
