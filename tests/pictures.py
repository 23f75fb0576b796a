"""Small media files, made on the spot: images of any size, a second of sound, and what is not taken."""

import base64
import io
import struct
import wave
import zipfile
import zlib
from collections.abc import Mapping

from PIL import Image

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def png(width: int = 4, height: int = 3, color: str = "teal") -> bytes:
    return image("PNG", width, height, color)


def image(kind: str, width: int = 4, height: int = 3, color: str = "teal", *, orientation: int = 1) -> bytes:
    """An image as Pillow writes it; orientation is that of a photo: from 5 on, it lies on its side."""
    file = io.BytesIO()
    made = Image.new("RGB", (width, height), color)
    about = made.getexif()
    about[0x0112] = orientation
    made.save(file, kind, **({"exif": about} if orientation > 1 else {}))
    return file.getvalue()


def wav(seconds: float = 1.0, rate: int = 8000) -> bytes:
    """Silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(b"\0\0" * int(rate * seconds))
    return file.getvalue()


def mp4(brand: bytes = b"isom") -> bytes:
    """The beginning of an MP4, which is all that is looked at."""
    return struct.pack(">I", 24) + b"ftyp" + brand + b"\0\0\0\1" + b"isommp42" + b"\0" * 40


# Ten seconds of 32 x 24 teal pixels, one picture a second, as VP8 in WebM.
_FILM = (
    "eNqTcr2/eL5TWyOj03cg/tTI4vS5kcOpqaU8NSnXqb2Ryam1kUkiuCGdkQEEWL4I+s4u2eW7uzt4dYuo58q04DWNCyE8sZB12UDe"
    "Nd/dPUCeUMjh9OA1TYxGEK5M8G6gZBOL1RuIOQyRDLQCIFdt0Lq+sZnfycG3occnsSzNzFjPUM/QwCjcEYXr0tnhcLgDrAnk+Ovr"
    "oG7zu97IWHy0o8E7ynnSm3vVcxoZlLbOaS7NS+loZGhrDYsPC7BobmRUftzcYj3rFMODCRsaFXY1SsxqZArd0BK6s5Ex9F0jA8yf"
    "TAwMoKD4VVw8P/lAQ/qJma6L2139nP1dXINc2lFcU1x8NflAdzLC3vQTC5AVTwYqToYpVsjJTCorqEg/sdB1cYdLaJBjiKe/H1CN"
    "gYEVEBka6BnAAIO887ZSx9rnjQyL9zYyMDRcYGKYy6ilwCDBwODO0draMbOlg4mJqXQV8w8mDkWZTxf+/c6Y/t9z85Gbj3J+qtT/"
    "dr+/pRZI/HZUAGpnfkGRdvYLFGnn3kGRdv4FFGkX7iBfOzgKGJ43iReM5DgAlQEOW3b3b25k2N4FLGw+NjFu/NDIvHvC5ibmF0gi"
    "TiAR9gtIIo0gEe4dSCIHQCL8C5BE/u+euLlJuGN7N0ykidEOpEi8AKqI2eRDIwtIRDoCScQZJCLvgCTSBBJR1kASOQgAOawa5g=="
)


def webm() -> bytes:
    """A film that a browser plays; it lasts ten seconds."""
    return zlib.decompress(base64.b64decode(_FILM))


def archive(files: Mapping[str, bytes], *, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()
