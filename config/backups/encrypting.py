"""Encrypted backups in the age format: for recipients by their public keys, or with a passphrase.

For recipients, `age` can open the file. With a passphrase, it is a tar of two files: key.age, an age key encrypted with
the passphrase, and backup.tar.age, which that key opens; the library supports passphrases for small files only.
"""

import io
import os
import tarfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

import pyrage

from config.backups.manifest import BackupError

AGE = b"age-encryption.org/v1"
KEY, SEALED = "key.age", "backup.tar.age"
_BLOCK = tarfile.BLOCKSIZE
# The library measures the machine's current speed, and refuses a passphrase that would take too long,
# even if the key was made on this machine when it was less busy.
TRIES = 5
TOO_MUCH_WORK = "Excessive work parameter"


@dataclass(frozen=True, slots=True)
class Keys:
    """passphrase: encrypts and decrypts. recipients: public keys that encrypt. identities: secret keys that decrypt."""

    passphrase: str = ""
    recipients: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.passphrase and self.recipients:
            raise BackupError("Use a passphrase or recipients, not both.")

    @property
    def are_for_locking(self) -> bool:
        return bool(self.passphrase or self.recipients)


def keys_from(
    *, passphrase_file: Path | None, recipients: Sequence[str] = (), identity_file: Path | None
) -> Keys:
    """Files that are not given come from the environment. Raises BackupError for one that can't be read."""
    passphrase_file = passphrase_file or _named(os.environ.get("BACKUP_PASSPHRASE_FILE"))
    identity_file = identity_file or _named(os.environ.get("BACKUP_IDENTITY_FILE"))
    passphrase = _lines_of(passphrase_file)[0] if passphrase_file else ""
    lines = _lines_of(identity_file) if identity_file else []
    identities = [line for line in lines if line.strip() and not line.startswith("#")]
    return Keys(passphrase, tuple(recipients), tuple(identities))


def _named(path: str | None) -> Path | None:
    return Path(path) if path else None


def _lines_of(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"Cannot read {file}: {error}") from error
    if not lines or not lines[0].strip():
        raise BackupError(f"{file} is empty.")
    return lines


@contextmanager
def locked(out: BinaryIO, keys: Keys) -> Iterator[IO[bytes]]:
    """What is written here goes to `out`, encrypted if there are keys."""
    if keys.passphrase:
        with _locked_by_passphrase(out, keys.passphrase) as stream:
            yield stream
    elif keys.recipients:
        with _locked_for([_recipient(text) for text in keys.recipients], out) as stream:
            yield stream
    else:
        yield out


def _recipient(text: str) -> Any:
    try:
        return (
            pyrage.ssh.Recipient.from_str(text)
            if text.startswith("ssh-")
            else pyrage.x25519.Recipient.from_str(text)
        )
    except pyrage.RecipientError as error:
        raise BackupError(f"{text[:30]} is not an age recipient (age1…): {error}") from error


@contextmanager
def _locked_for(recipients: list[Any], out: BinaryIO) -> Iterator[IO[bytes]]:
    reader, writer = _pipe()
    with _in_thread(lambda: pyrage.encrypt_io(reader, out, recipients), ends=reader, other=writer):
        yield writer


@contextmanager
def _locked_by_passphrase(out: BinaryIO, passphrase: str) -> Iterator[IO[bytes]]:
    identity = pyrage.x25519.Identity.generate()
    key = pyrage.passphrase.encrypt(str(identity).encode(), passphrase)
    out.write(_header(KEY, len(key)) + key + _padding(len(key)))
    # The length of the other member is written once it is known.
    start = out.tell()
    out.write(bytes(_BLOCK))
    with _locked_for([identity.to_public()], out) as stream:
        yield stream
    n_bytes = out.tell() - start - _BLOCK
    out.write(_padding(n_bytes) + bytes(2 * _BLOCK))
    out.seek(start)
    out.write(_header(SEALED, n_bytes))
    out.seek(0, io.SEEK_END)


def _header(name: str, n_bytes: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode = n_bytes, 0o600
    return member.tobuf(tarfile.GNU_FORMAT)


def _padding(n_bytes: int) -> bytes:
    return bytes(-n_bytes % _BLOCK)


def _identity_under(key: bytes, passphrase: str) -> Any:
    """The age key encrypted with the passphrase. Raises BackupError."""
    for _ in range(TRIES):
        try:
            return pyrage.x25519.Identity.from_str(pyrage.passphrase.decrypt(key, passphrase).decode())
        except (pyrage.DecryptError, pyrage.IdentityError, UnicodeDecodeError) as error:
            if TOO_MUCH_WORK not in str(error):
                raise BackupError("The passphrase is wrong, or the file is damaged.") from error
    raise BackupError(
        "This machine is too slow or too busy to open the backup with its passphrase. Try again when it is idle, or "
        "on a faster machine."
    )


@contextmanager
def opened(file: BinaryIO, keys: Keys) -> Iterator[IO[bytes]]:
    """The decrypted tar of a backup, to be read sequentially. Raises BackupError."""
    file.seek(0)
    if file.read(len(AGE)) == AGE:
        file.seek(0)
        with _opened_with([_identity(text) for text in keys.identities], file) as stream:
            yield stream
        return
    file.seek(0)
    if (key := _key_in(file)) is None:
        file.seek(0)
        yield file
        return
    if not keys.passphrase:
        raise BackupError(
            "This backup is encrypted with a passphrase. Name the file that contains it: --passphrase-file, or "
            "BACKUP_PASSPHRASE_FILE with make run."
        )
    identity = _identity_under(key, keys.passphrase)
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r:") as tar:
        sealed = _member(tar, SEALED)
        with _opened_with([identity], sealed) as stream:
            yield stream


def _key_in(file: BinaryIO) -> bytes | None:
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            first = tar.next()
            if first is None or first.name != KEY or first.size > 1 << 16:
                return None
            found = tar.extractfile(first)
            return found.read() if found else None
    except tarfile.TarError as error:
        raise BackupError("This file is not a backup, or its beginning is damaged.") from error


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    try:
        found = tar.extractfile(name)
    except (KeyError, tarfile.TarError) as error:
        raise BackupError("This backup is incomplete or damaged.") from error
    if found is None:
        raise BackupError("This backup is damaged.")
    return found


def _identity(text: str) -> Any:
    try:
        return pyrage.x25519.Identity.from_str(text.strip())
    except pyrage.IdentityError as error:
        raise BackupError("The identity file does not contain an age key (AGE-SECRET-KEY-1…).") from error


@contextmanager
def _opened_with(identities: list[Any], file: IO[bytes]) -> Iterator[IO[bytes]]:
    if not identities:
        raise BackupError("This backup is encrypted for a key. Pass the key with --identity-file.")
    reader, writer = _pipe()

    def decrypt() -> None:
        try:
            pyrage.decrypt_io(file, writer, identities)
        except BrokenPipeError:
            raise
        except (pyrage.DecryptError, OSError) as error:
            raise BackupError(
                f"The key does not decrypt this backup, or the file is damaged: {error}"
            ) from error

    with _in_thread(decrypt, ends=writer, other=reader):
        yield reader


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    read_end, write_end = os.pipe()
    return os.fdopen(read_end, "rb"), os.fdopen(write_end, "wb")


@contextmanager
def _in_thread(work: Callable[[], object], *, ends: IO[bytes], other: IO[bytes]) -> Iterator[None]:
    """Do the work in a thread while the body uses the other end of a pipe; the first failure is raised."""

    def run() -> None:
        try:
            work()
        finally:
            # Otherwise the body would wait forever.
            _close(ends)

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run)
        try:
            yield
            other.close()
        except BaseException as error:
            _close(other)
            failed = done.exception()
            # The body's error is only a consequence of the work's failure; a pipe that the body closed is no failure.
            if failed is not None and not isinstance(failed, BrokenPipeError) and _is_of_pipe(error):
                raise failed from error
            raise
        done.result()


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):
        pipe.close()


def _is_of_pipe(error: BaseException) -> bool:
    """Whether an error may be caused by a stream that ended early."""
    return isinstance(error, OSError | EOFError | tarfile.TarError | BackupError)
