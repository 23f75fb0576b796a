"""Why a file is refused."""

from core.refusals import RefusedWithCode


class MediaRefused(RefusedWithCode):
    """The file is refused; others of the same upload may be accepted."""
