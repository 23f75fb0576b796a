"""Small media files, made on the spot: images of any size, a second of sound, and what is not taken."""

import io
import struct
import wave
import zipfile
from collections.abc import Mapping

from PIL import Image

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def png(width: int = 4, height: int = 3, colour: str = "teal") -> bytes:
    return image("PNG", width, height, colour)


def image(kind: str, width: int = 4, height: int = 3, colour: str = "teal", *, orientation: int = 1) -> bytes:
    """An image as Pillow writes it; orientation is that of a photo: from 5 on, it lies on its side."""
    file = io.BytesIO()
    made = Image.new("RGB", (width, height), colour)
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


def archive(files: Mapping[str, bytes], *, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()
