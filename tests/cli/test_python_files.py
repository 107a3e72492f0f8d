"""Python files on the command line."""

import json
import sys

import pytest

SCRIPT = """
from cuda.core import Program

CODE = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
Program(CODE, "c++").compile("cubin")
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "s.py"
    path.write_text(SCRIPT)
    return path


def test_a_script_is_built_inspected_and_compared(run, script):
    ran = run("build", script, "--emit", "sass", "--json", "--arch", "sm_80")
    told = json.loads(ran.out)
    assert (ran.code, told["outcome"], told["arch"]) == (0, "built", "sm_80")
    assert [(stage["tool"], stage["source"]) for stage in told["stages"]] == [
        ("Python", str(script)),
        ("cuobjdump", "twice"),
        ("nvdisasm", "twice"),
    ]
    ran = run("build", script, "--emit", "captured", "-o", "out")
    assert ran.code == 0, ran.err
    assert (script.parent / "out" / "twice.jitkernel").read_bytes().startswith(b"PK")
    ran = run("inspect", script, "--kernel", "twice")
    assert ran.code == 0
    assert "twice" in ran.out
    ran = run("diff", script, script)
    assert (ran.code, ran.err) == (0, "equal\n")


def test_a_project_runs_no_script_before_it_is_trusted(run, script):
    project = {"version": 1, "modules": [{"name": "s.py", "kind": "python", "path": "s.py"}]}
    path = script.with_name("p.jitproj")
    path.write_text(json.dumps(project))
    ran = run("build", path)
    assert ran.code == 2, ran.err
    assert "This project is not trusted. Building 's.py' runs it" in ran.err
    ran = run("build", path, "--trust", "--python", sys.executable)
    assert ran.code == 0, ran.err


def test_the_doctor_looks_at_the_interpreter(run):
    ran = run("doctor", "--json", "--python", "/no/python")
    told = json.loads(ran.out)
    assert "cannot be used as the Python interpreter" in told["python"]["problem"]
