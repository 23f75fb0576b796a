"""Refused changes of a codebook, with the reason and an alternative."""

from core.refusals import Refused


class CodebookRefused(Refused):
    """field: of the form that it concerns, if any."""

    def __init__(self, code: str, sentence: str, *, field: str = "") -> None:
        super().__init__(sentence)
        self.code, self.field = code, field
        self.errors = [{"field": field, "code": code, "detail": sentence}] if field else []
