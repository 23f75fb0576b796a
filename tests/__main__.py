"""`python -m tests`: the whole suite as two runs at once, on services of their own each.

Tests that start servers, break them and wait for them to recover mostly wait; all the others mostly compute. Side by
side they take the time of the longer half.
"""

import subprocess
import sys
import tempfile
import time

WAITING = ["tests/config", "tests/browser", "tests/faults"]
COMPUTING = ["tests", *(f"--ignore={folder}" for folder in WAITING)]


def main() -> int:
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        waiting = subprocess.Popen(_pytest(*WAITING), stdout=output, stderr=subprocess.STDOUT)
        try:
            computing = subprocess.call(_pytest(*COMPUTING))
            code = waiting.wait()
        finally:
            waiting.terminate()
            waiting.wait()
        output.seek(0)
        sys.stdout.write(output.read())
    print(f"Both halves took {time.monotonic() - started:.0f} s.")
    return computing or code


def _pytest(*arguments: str) -> list[str]:
    # The two must not write one cache.
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]


if __name__ == "__main__":
    sys.exit(main())
