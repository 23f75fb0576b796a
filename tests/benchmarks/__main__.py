"""python -m tests.benchmarks [WORKLOAD …] [--full] [--no-database]

Workloads: a1 a2 a2m a3 b c d coefficients bootstrap imports pages filters labeling saving crowd shards hosts large
exports growing growing-reports growing-copy
"""

import os
import sys


def main() -> int:
    # As for a worker: blocks are counted by threads of our own. NumPy reads this when it is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from tests.benchmarks import running

    return running.main()


if __name__ == "__main__":
    sys.exit(main())
