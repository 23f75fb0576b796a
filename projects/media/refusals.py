"""Why a file is refused."""

from core.refusals import Refusal


class MediaRefused(Refusal):
    """The file is refused; others of the same upload may be accepted."""
