"""How often Python's garbage collector looks for circles of objects that nobody uses.

While a program starts it imports thousands of modules, all of which stay. By default the collector looks through them
again and again, which takes a quarter of the start.
"""

import gc

# New objects before it looks at them; rounds of that before it looks at older ones, and then at the oldest.
THRESHOLDS = (10_000, 20, 10)


def collect_rarely() -> None:
    gc.set_threshold(*THRESHOLDS)


def keep_what_is_loaded() -> None:
    """What is there by now stays until the end: the collector need not look at it again."""
    gc.freeze()
