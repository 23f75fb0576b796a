"""Whole numbers that people and programs write in addresses, forms and files, and letters in place of numbers."""

MAX_ID = 10**18 - 1


def whole_number(text: str, *, least: int = 0, most: int = MAX_ID) -> int | None:
    """The number, if it is written in plain digits and not out of these bounds; else None."""
    # Before it is read: digits of other scripts count as digits too, and the time to read them grows with their square.
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
