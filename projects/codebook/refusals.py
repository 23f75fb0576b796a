"""What a codebook does not let anybody do, each with its reason and the way round."""

from core.refusals import Refused


class CodebookRefused(Refused):
    """field: what it is about, if it is a field of a form."""

    def __init__(self, code: str, sentence: str, *, field: str = "") -> None:
        super().__init__(sentence)
        self.code, self.field = code, field
        self.errors = [{"field": field, "code": code, "detail": sentence}] if field else []
