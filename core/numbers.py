"""Whole numbers written in URLs, forms and files, and letters in place of numbers."""

MAX_ID = 10**18 - 1


def whole_number(text: str, *, least: int = 0, most: int = MAX_ID) -> int | None:
    """The number, if it is written in plain digits and within these bounds; else None."""
    # Checked first: int() accepts digits of other scripts, and takes time quadratic in their number.
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ID))):
        return None
    number = int(text)
    return number if least <= number <= most else None


def letters(number: int) -> str:
    """A to Z for 0 to 25, then AA, AB and so on."""
    text, rest = "", number + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        text = chr(ord("A") + letter) + text
    return text
