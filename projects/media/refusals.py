"""Why a file is not taken."""


class MediaRefused(Exception):
    """A file that is not taken, with a code for programs and a sentence for people."""

    def __init__(self, code: str, sentence: str, *, status_code: int = 400) -> None:
        super().__init__(sentence)
        self.code, self.status_code = code, status_code
