"""The process that reads a file and computes, without database or secrets, and with little time and memory.

Standard input: a line of JSON (`exchange.CalculatorRequest`), then the file. Standard output: JSON
(`exchange.CalculatorResponse`).
"""

import json
import os
import sys

from reports.pages.calculator.limits import CPU_SECONDS, INSTEAD, MEMORY, TOO_MUCH


def main() -> None:
    _limit()
    import django

    django.setup()
    from reports.pages.calculator.answering import answer_of

    asked = json.loads(sys.stdin.buffer.readline())
    try:
        answer = json.dumps(answer_of(asked, sys.stdin.buffer.read()))
    except MemoryError:
        answer = json.dumps({"refusal": f"{TOO_MUCH} {INSTEAD}"})
    sys.stdout.write(answer)


def _limit() -> None:
    # Give priority to requests for other pages.
    os.nice(10)
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
