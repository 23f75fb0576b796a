"""Media files in a bucket of an object storage (S3), which all web servers share without a common folder."""

import io
from collections.abc import Iterator
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from core.web.unavailable import FILES_AWAY, count_as

# Seconds. A storage that hangs must not hold a thread for long.
CONFIG = {"connect_timeout": 3, "read_timeout": 30, "retries": {"mode": "standard", "max_attempts": 3}}
# In this thread, so that one part of a large file is in memory, not ten.
TRANSFER = TransferConfig(use_threads=False)
_BUFFER = 256 * 1024

count_as(FILES_AWAY, BotoCoreError, ClientError)


class ObjectStorage(S3Storage):
    """An object is there once it was sent completely, so it is stored completely or not at all, as a file is."""

    def __init__(self, **options: Any) -> None:
        # Other services than Amazon's rarely have a host name for each bucket.
        style = "path" if options.get("endpoint_url") else "auto"
        config = Config(s3={"addressing_style": style}, **CONFIG)
        super().__init__(client_config=config, transfer_config=TRANSFER, **options)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        # A name is the digest of its content, so an existing file is identical.
        return name

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        """A file that fetches what is read of it: a player that asks for a range gets no more."""
        reader = ObjectReader(self.connection.meta.client, bucket=self.bucket_name, key=name)
        return File(io.BufferedReader(reader, _BUFFER), name)

    def _save(self, name: str, content: "File[Any]") -> str:
        client = self.connection.meta.client
        client.upload_fileobj(
            ChunkReader(content.chunks()), self.bucket_name, name, Config=self.transfer_config
        )
        return name


class ChunkReader:
    """What is uploaded, read once from its beginning: a part of a backup cannot go back."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._left = chunks, b""

    def read(self, n: int = -1) -> bytes:
        while n < 0 or len(self._left) < n:
            if not (chunk := next(self._chunks, b"")):
                n = len(self._left)
                break
            self._left += chunk
        found, self._left = self._left[:n], self._left[n:]
        return found


class ObjectReader(io.RawIOBase):
    """An object from a position on, requested when it is first read there."""

    def __init__(self, client: Any, *, bucket: str, key: str) -> None:
        self._client, self._named = client, {"Bucket": bucket, "Key": key}
        self._at = 0
        self._body: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at}.get(whence)
        if base is None:
            base = self._client.head_object(**self._named)["ContentLength"]
        if base + offset != self._at:
            self._leave()
            self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._body is None:
            self._body = self._requested()
        block = self._body.read(len(buffer))
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)

    def _requested(self) -> Any:
        try:
            return self._client.get_object(**self._named, Range=f"bytes={self._at}-")["Body"]
        except ClientError as error:
            match error.response["ResponseMetadata"]["HTTPStatusCode"]:
                case 404:
                    raise FileNotFoundError(f"There is no object {self._named['Key']}.") from None
                case 416:
                    return io.BytesIO()
            raise

    def _leave(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None

    def close(self) -> None:
        self._leave()
        super().close()
