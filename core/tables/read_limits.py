"""Limits how much of an upload is read."""

from collections.abc import Callable
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.core.handlers.wsgi import LimitedStream
from django.http import HttpRequest

from core.refusals import RefusedWithCode

# Allowance for the parts of a form other than its files.
_FORM = 1024 * 1024
_UNSIZED = "interrater.unsized"


class LimitedUpload(TemporaryFileUploadHandler):
    """Refuses an upload whose declared length exceeds the limit, or else at the byte where it does."""

    def __init__(self, request: HttpRequest, *, most: int, too_large: Callable[[], RefusedWithCode]) -> None:
        super().__init__(request)
        self.most, self.too_large = most, too_large
        self.whole: list[Any] = []

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803  Django's name.
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        if content_length > self.most + _FORM and not META.get(_UNSIZED):
            raise self.too_large()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > self.most:
            self.file.close()
            for file in self.whole:
                file.close()
            raise self.too_large()
        super().receive_data_chunk(raw_data, start)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.is_whole = False

    def file_complete(self, file_size: int) -> Any:
        self.is_whole = True
        file = super().file_complete(file_size)
        self.whole.append(file)
        return file

    def upload_complete(self) -> None:
        """An incomplete file reaches no view, so it is closed here."""
        if hasattr(self, "file") and not self.is_whole:
            self.file.close()


def limit_upload(request: HttpRequest, *, most: int, too_large: Callable[[], RefusedWithCode]) -> None:
    """Must be called before the body is read; also allows a body of undeclared length."""
    request.upload_handlers = [LimitedUpload(request, most=most, too_large=too_large)]
    if request.META.get("HTTP_TRANSFER_ENCODING", "").lower() != "chunked":
        return
    # Django treats a body without a length as empty; the server marks its end itself.
    longest = most + 2 * _FORM
    del request.META["HTTP_TRANSFER_ENCODING"]
    request.META["CONTENT_LENGTH"] = str(longest)
    request.META[_UNSIZED] = True
    request._stream = LimitedStream(request.META["wsgi.input"], longest)  # type: ignore[assignment]
