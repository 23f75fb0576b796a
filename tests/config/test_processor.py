"""NumPy is kept from its slow sort on one family of processors, and nowhere else."""

import os
import platform
import subprocess
import sys

import pytest

from config import processor
from config.environment import BASE_DIR

ZEN_4 = """\
processor	: 0
vendor_id	: AuthenticAMD
cpu family	: 25
model		: 17
flags		: fpu sse4_2 avx2 avx512f avx512dq avx512cd avx512bw avx512vl avx512_vbmi2
"""
ZEN_3 = ZEN_4.replace(" avx512f avx512dq avx512cd avx512bw avx512vl avx512_vbmi2", "")
ZEN_5 = ZEN_4.replace(": 25", ": 26")
INTEL = ZEN_4.replace("AuthenticAMD", "GenuineIntel").replace(": 25", ": 6")
# A virtual machine that shows a part only; NumPy would warn of a feature that is not there.
MASKED = ZEN_4.replace(" avx512vl", "")
VARIABLE = "NPY_DISABLE_CPU_FEATURES"


@pytest.fixture
def cpuinfo(tmp_path, monkeypatch):
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(processor, "CPUINFO", path)
    # Set first, so that what the test sets is taken back.
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    return path


def test_zen_4_sorts_without_avx_512(cpuinfo):
    cpuinfo.write_text(ZEN_4 + "\n" + ZEN_4)

    processor.prepare_numpy()

    assert os.environ[VARIABLE] == "X86_V4"


@pytest.mark.parametrize("text", [ZEN_3, ZEN_5, INTEL, MASKED, "", "model name : ARM\n"])
def test_no_other_processor_is_held_back(cpuinfo, text):
    cpuinfo.write_text(text)

    processor.prepare_numpy()

    assert VARIABLE not in os.environ


def test_a_system_that_does_not_tell_is_left_alone(cpuinfo):
    processor.prepare_numpy()

    assert VARIABLE not in os.environ


@pytest.mark.parametrize("value", ["", "X86_V3"])
def test_the_environment_takes_precedence(cpuinfo, monkeypatch, value):
    cpuinfo.write_text(ZEN_4)
    monkeypatch.setenv(VARIABLE, value)

    processor.prepare_numpy()

    assert os.environ[VARIABLE] == value


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="the name is of these processors")
def test_numpy_knows_the_name():
    printed = run_python(
        "from numpy._core._multiarray_umath import __cpu_dispatch__ as known; print('X86_V4' in known)"
    )

    assert printed.strip() == "True"


@pytest.mark.skipif("avx512vl" not in processor._first_processor(), reason="there is no AVX-512 to turn off")
def test_numpy_takes_the_name_without_a_warning():
    printed = run_python(
        "from numpy._core._multiarray_umath import __cpu_features__ as found; print(found['X86_V4'])",
        **{VARIABLE: "X86_V4"},
    )

    assert printed.strip() == "False"


def test_numpy_is_configured_before_a_worker_imports_it():
    printed = run_python(
        "import os, sys; import config; assert 'numpy' not in sys.modules;"
        "config.celery_app.loader.import_default_modules();"
        "from config import processor;"
        "print('numpy' in sys.modules, processor.is_zen_4(processor._first_processor()),"
        f" os.environ.get('{VARIABLE}'))"
    )

    has_numpy, is_zen_4, value = printed.split()
    assert has_numpy == "True"
    assert value == ("X86_V4" if is_zen_4 == "True" else "None")


def run_python(code: str, **variables: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-W", "error::ImportWarning", "-c", code]
    done = subprocess.run(
        command,
        cwd=BASE_DIR,
        env={**environment, **variables, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
