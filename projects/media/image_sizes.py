"""Width and height of an image as browsers show it; only its header is read."""

from typing import BinaryIO

from PIL import Image

from projects.media.refusals import MediaRefused

FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/avif": "AVIF",
}
# Beyond this, browsers on phones fail or freeze.
MAX_PIXELS = 80_000_000
_ORIENTATION = 0x0112
# Pillow warns about images that are large when decoded; none is decoded here, and we have our own limit.
Image.MAX_IMAGE_PIXELS = None


def size_of(file: BinaryIO, media_type: str) -> tuple[int, int]:
    """(width, height) of an image; raises MediaRefused if it is broken or larger than a browser can show."""
    file.seek(0)
    try:
        with Image.open(file, formats=[FORMATS[media_type]]) as image:
            width, height = image.size
            # Pillow would decode the whole PNG to find one.
            about = Image.Image.getexif(image)
            is_on_its_side = about.get(_ORIENTATION, 1) in {5, 6, 7, 8}
    except Exception as error:
        # A crafted file may make the library fail in any way; in each case, the image is broken.
        raise MediaRefused("broken", "The image is damaged or incomplete.") from error
    finally:
        file.seek(0)
    if width * height > MAX_PIXELS:
        raise MediaRefused(
            "too_many_pixels",
            f"The image is {width:,} × {height:,} pixels; the maximum is {MAX_PIXELS:,}. Make it smaller.",
        )
    return (height, width) if is_on_its_side else (width, height)
