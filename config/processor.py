"""Configures NumPy for the processor, before it is first imported."""

import os
import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
# Zen 3 and Zen 4 are one family; only Zen 4 has AVX-512.
ZEN_4_FAMILY = "25"


def prepare_numpy() -> None:
    """Disable AVX-512 in NumPy on AMD Zen 4, unless the environment already disables features.

    NumPy's AVX-512 sort compresses vectors to memory, which Zen 4 does in microcode: it is five times
    slower there than the AVX2 sort. Everywhere else it is the fastest.
    """
    if is_zen_4(_first_processor()):
        # NumPy's name (since 2.4) for the features of its AVX-512 loops; it warns about unknown names.
        os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4")


def is_zen_4(cpuinfo: str) -> bool:
    """Whether this entry of /proc/cpuinfo describes a Zen 4 processor with all features of X86_V4."""
    fields = dict(re.findall(r"^(vendor_id|cpu family|flags)\s*:\s*(.*)$", cpuinfo, flags=re.MULTILINE))
    needed = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
    return (
        fields.get("vendor_id") == "AuthenticAMD"
        and fields.get("cpu family") == ZEN_4_FAMILY
        and needed <= set(fields.get("flags", "").split())
    )


def _first_processor() -> str:
    """Empty if the file does not exist, as on macOS."""
    try:
        return CPUINFO.read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError:
        return ""
