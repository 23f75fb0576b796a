"""The limits of the calculator."""

from core.refusals import RefusedWithCode

# The size of a file, and its packed size in the form; a form may have a megabyte.
MAX_BYTES = 2 * 1024 * 1024
MAX_PACKED = 600_000
MAX_ROWS = 100_000
MAX_RATERS = 50
MAX_CATEGORIES = 50
# Processor and wall-clock time in seconds, and memory, of one calculation.
CPU_SECONDS, SECONDS = 20, 40
MEMORY = 768 * 1024 * 1024
# More than the output of any calculation within these limits.
MAX_ANSWER = 64 * 1024 * 1024

TOO_LARGE = (
    f"The calculator takes files of up to {MAX_BYTES // 1024**2} MB. Import larger ones into a project."
)
TOO_PACKED = (
    "This file does not compress enough for the calculator: Excel files and other packed files can have about"
    f" {MAX_PACKED // 1000} kB. Save it as CSV, or import it into a project."
)
TOO_SLOW = f"This would take longer than the {CPU_SECONDS} seconds that a calculation may take."
TOO_MUCH = "This would take more memory than a calculation may use."
INSTEAD = "Use fewer labels, or import the file into a project, where a report has more time."


def too_large() -> RefusedWithCode:
    return RefusedWithCode("too_large", TOO_LARGE, status_code=413)
