"""How a Python file ends, and what is said of it; without the sandbox, which costs a worker."""

import re
import sys
import textwrap

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.system.interpreters import InterpreterError, interpreter
from jitstudio.toolchain.python_scripts import run_script

pytestmark = pytest.mark.slow


def ran(text, folder=""):
    """What running a script comes to."""
    content = textwrap.dedent(text).encode()
    inputs = ((Ref(CodeKind.PYTHON, "s.py"), content),)
    return run_script(
        Job(Tool.PYTHON, "s.py", inputs, (CodeKind.CAPTURED,), ("-arch=sm_90",), folder=str(folder))
    )


def failure(text, *folder):
    """The line and the message of the only error."""
    report = ran(text, *folder)
    ((said),) = report.diagnostics
    assert not report.ok
    assert (said.severity, said.file) == (Severity.ERROR, "s.py")
    return said.line, said.message


def test_an_error_has_its_line(tmp_path):
    (tmp_path / "beside.py").write_text("def fail():\n    raise ValueError('no\\nway')\n")
    text = "from beside import fail\n\ndef go():\n    fail()\n\ngo()\n"
    report = ran(text, tmp_path)
    assert report.log.startswith(
        f'Traceback (most recent call last):\n  File "{tmp_path}/s.py", line 6, in <module>'
    )
    assert [(d.line, d.message) for d in report.diagnostics] == [(4, "ValueError: no way")]
    log = ran("import json\ntry:\n    1 / 0\nexcept Exception:\n    import of.nobody\n").log
    assert "ZeroDivisionError" in log
    assert "jitstudio/" not in ran("x = 1\nif x").log + log
    assert failure("x = 1\nif x\n    pass\n") == (2, "SyntaxError: expected ':'")


def test_folders_of_the_environment_stay_those_of_the_script(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text("NAME = 'theirs'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for safe in ("", "1"):
        monkeypatch.setenv("PYTHONSAFEPATH", safe)
        assert ran("import theirs\nprint(theirs.NAME)").log.startswith("theirs")


def test_an_exception_may_fail_in_what_it_is_asked_for():
    odd = "class Odd(Exception):\n    def __str__(self):\n        1 / 0\n    {}\nraise Odd"
    assert failure(odd.format("")) == (5, "Odd: <exception str() failed>")
    assert failure(odd.format("__cause__ = property(__str__)")) == (5, "Odd")
    assert failure(odd.format("src = property(__str__)")) == (5, "Odd")


def test_a_missing_package_is_named_with_what_brings_it():
    (said,) = ran("\nimport triton.of.nobody").diagnostics
    assert said.message in (
        "ModuleNotFoundError: No module named 'triton'",
        "ModuleNotFoundError: No module named 'triton.of'",
    )
    assert f"{sys.executable} -m pip install 'triton'" in said.explanation


def test_what_an_interpreter_lacks_is_said_with_what_brings_it():
    lacks = f"The interpreter {sys.executable} lacks"
    (said,) = ran("import nobodys_package").diagnostics
    assert said.explanation.startswith(f"{lacks} this package. Install it there. Or choose")
    (said,) = ran(
        """
        import cuda.core
        from cuda.pathfinder import DynamicLibNotFoundError
        raise DynamicLibNotFoundError('Failure finding "libnvrtc.so": No such file: /a, /b')
        """
    ).diagnostics
    assert said.message.endswith('DynamicLibNotFoundError: Failure finding "libnvrtc.so".')
    assert f"{lacks} this library of CUDA" in said.explanation
    assert f"{sys.executable} -m pip install 'cuda-core[cu13]'" in said.explanation


def test_a_script_without_kernels():
    assert "imports none of triton, numba.cuda, cupy" in failure("print('hello')")[1]
    words = "The script has compiled no kernel. Launch one, such as kernel[grid]"
    assert words in failure("import cuda.core")[1]


def test_a_script_that_shows_its_kernel_by_itself():
    report = ran("import jitstudio\nprint(jitstudio.show(object(), name='k').wait(5).tabs)")
    assert report.log.startswith("()\n")
    assert "jitstudio.show opens nothing here" in report.log
    assert "compiled no kernel" in failure("from jitstudio import show\nshow('k.cu')")[1]


@pytest.mark.parametrize("call", ["inspect('k.cu')", "run('k.cu')", "show('k.cu').report()"])
def test_a_script_of_a_build_starts_no_compilers(call):
    line, message = failure(f"import jitstudio\njitstudio.{call}")
    assert line == 2
    assert "starts compilers, which a script that jitstudio itself runs may not" in message


def test_a_script_that_ends_itself():
    told = "The script ended itself: with exit status 3."
    assert failure("import sys\nsys.exit(3)") == (2, told)
    _, message = failure("import os\nos._exit(7)")
    assert message == "The script ended its process itself, with exit status 7."
    deep = "open(os.environ['TMPDIR'] + '/../kernels/result.json', 'w').write('[' * 100_000)"
    _, message = failure(f"import os\n{deep}\nos._exit(7)")
    assert message == "The script ended its process itself, with exit status 7."
    _, message = failure("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert message == "The script crashed: its process was ended by SIGSEGV."


def test_an_error_in_cuda_has_its_line_in_the_script():
    text = """
        from cuda.core import Program
        good = "extern \'C\' __global__ void k() {}".replace("'", '"')
        Program(good, "c++").compile("cubin")
        code = '''

        int f( {
        '''
        Program(code, "c++").compile("ptx")
    """
    report = ran(text)
    ((said),) = report.diagnostics
    assert said.line == 7
    assert said.message.startswith("error: A namespace scope variable")
    assert len(report.captured) == 1


def test_what_needs_a_gpu_is_said_and_the_kernels_before_are_kept():
    text = """
        from cuda.bindings import driver
        driver.cuInit(0)
    """
    (said,) = ran(text).diagnostics
    assert (said.severity, said.line) == (Severity.ERROR, 3)
    assert "A script that is built has no GPU" in said.message


def test_what_is_printed_is_cut():
    report = ran("import sys\nsys.stdout.write('x' * (3 << 20))\nraise ValueError(1)")
    assert 1 << 20 < len(report.log) < (1 << 20) + 500
    assert "more than 1,048,576 bytes: the rest is cut" in report.log
    assert report.diagnostics[0].message == "ValueError: 1"


def test_an_interpreter_is_named_from_the_current_folder(tmp_path, monkeypatch):
    folder = tmp_path / "env" / "bin"
    folder.mkdir(parents=True)
    (folder / "own-python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    assert interpreter("env/bin/own-python").version == interpreter("").version


def test_a_wrong_interpreter(tmp_path):
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\necho '\"2.7.18\"'\n")
    old.chmod(0o755)
    said = "cannot be used as the Python interpreter"
    for python, why in (
        (tmp_path / "python", "no such program"),
        ("/bin/true", "it says nothing"),
        (
            "/bin/false",
            "it is not a Python interpreter: asked for its version, it ended with status 1",
        ),
        ("/bin/echo", "it is not a Python interpreter"),
        (old, "it is Python 2.7.18, and scripts need 3.11 or later"),
    ):
        with pytest.raises(InterpreterError, match=re.escape(f"{said} ({why})")):
            interpreter(str(python))
