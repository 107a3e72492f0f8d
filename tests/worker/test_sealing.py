"""Sealing where the kernel lacks something, and what is said of it."""

import errno
import os
import subprocess
import sys

import pytest

import jitstudio
from jitstudio.commands.json_output import doctor_object
from jitstudio.core.toolchain_info import SandboxState, ToolchainInfo, tool_findings
from jitstudio.system.display import WindowCheck
from jitstudio.worker.crash_report import crash_after_death
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.sandbox import system_paths

pytestmark = [
    pytest.mark.tools,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's"),
]

SEAL = """
import os, sys
from jitstudio.worker.sandbox import seal
from jitstudio.worker.sandbox.access import SandboxAccess
real = seal._syscall
def lacking(number, *arguments):
    if number in {missing}:
        raise OSError({error}, os.strerror({error}))
    return real(number, *arguments)
seal.seal(SandboxAccess(), seal.ProgramNeeds(), lacking)
try:
    open("/etc/passwd").close(); files = "open"
except OSError:
    files = "closed"
try:
    import socket; socket.socket().close(); network = "open"
except OSError:
    network = "closed"
state = seal.state()
print(state.landlock > 0, state.seccomp, files, network, state.problem, sep="|")
"""
LANDLOCK, SECCOMP = (444, 445, 446), (277, 317)
NO_LANDLOCK = "this kernel has no landlock for us"


def sealed(missing, error=errno.ENOSYS, **variables):
    code = SEAL.format(missing=missing, error=error)
    environment = os.environ | variables
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.strip().split("|")


def test_all_of_it_holds():
    assert sealed(()) == ["True", "True", "closed", "closed", ""]


def test_a_kernel_without_landlock_goes_on_with_seccomp():
    told = f"{NO_LANDLOCK} ({os.strerror(errno.ENOSYS)})"
    assert sealed(LANDLOCK) == ["False", "True", "open", "closed", told]


def test_a_container_that_refuses_landlock_is_the_same():
    told = f"{NO_LANDLOCK} ({os.strerror(errno.EPERM)})"
    assert sealed(LANDLOCK, errno.EPERM)[-1] == told


def test_a_kernel_without_seccomp_goes_on_with_landlock():
    told = "this kernel has no seccomp for us (Function not implemented)"
    assert sealed(SECCOMP) == ["True", "False", "closed", "open", told]


def test_it_can_be_switched_off():
    told = "it is switched off by JITSTUDIO_SANDBOX=off"
    assert sealed((), JITSTUDIO_SANDBOX="off") == ["False", "False", "open", "open", told]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (
            SandboxState(7, True),
            "compilers reach what they need only: landlock 7 guards your files",
        ),
        (SandboxState(0, True, "why"), "Compilers have no network, but can read and write all"),
        (SandboxState(7, False, "why"), "Compilers reach no file that they do not need, but all"),
        (SandboxState(0, False, "why"), "Compilers can do all that you can: why. Build only what"),
    ],
)
def test_the_doctor_says_what_holds(state, words):
    info = ToolchainInfo((), (), sandbox=state)
    *_, finding = tool_findings(info)
    assert finding.name == "sandbox"
    assert (finding.problem or finding.state).startswith(words)
    assert bool(finding.problem) == bool(state.problem)
    assert doctor_object(info, WindowCheck(), "")["sandbox"] == {
        "landlock": state.landlock or None,
        "seccomp": state.seccomp,
        "problem": state.problem or None,
    }


def test_a_death_by_seccomp_is_told_in_words():
    crash = crash_after_death(None, ChildDeath(killed=False, status=-31))
    assert "SIGSYS: its sandbox ended it" in crash.message


def test_the_real_doctor_tells_of_it(run):
    told = run("doctor", "--json").json["sandbox"]
    assert told["seccomp"]
    assert "sandbox " in run("doctor").out


@pytest.mark.parametrize("beside", [(), ("pyproject.toml",)], ids=["installed", "checkout"])
def test_packages_are_read_wherever_they_are_installed(tmp_path, monkeypatch, beside):
    packages = tmp_path / "site-packages"
    store = tmp_path / "store" / "numpy"
    for folder in (packages / "jitstudio", store):
        folder.mkdir(parents=True)
    (packages / "numpy").symlink_to(store)
    for name in beside:
        (packages / name).touch()
    monkeypatch.setattr(jitstudio, "__file__", str(packages / "jitstudio" / "__init__.py"))
    monkeypatch.setattr(sys, "path", [str(packages)])
    found = set(system_paths.toolchain(()))
    assert (str(packages) in found, str(store) in found) == (not beside, not beside)
