"""Steps of GitHub workflows and actions, carried out as the runner does, without other actions."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jitstudio import __version__
from jitstudio.toolchain.locate import nvdisasm
from tests.support import ROOT

_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
# What the runner calls for `shell: bash`, and for a step of a workflow that names no shell.
_SHELLS = {
    "bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail"),
    None: ("bash", "-e"),
}


@dataclass
class Job:
    """A job with its working folder.

    Attributes:
        workspace: The checked out repository.
        temp: The folder for files that last as long as the job.
        actions: The outputs of each action that steps may use, by its name without a version.
        environment: The variables of the machine.
        action_path: The folder of the composite action whose steps run.
        used: The actions of the steps that ran, with their values.
        log: What each step printed.
    """

    workspace: Path
    temp: Path
    actions: Mapping[str, Mapping[str, str]]
    environment: Mapping[str, str]
    action_path: Path | None = None
    used: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    log: str = ""
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)

    def run(self, steps: Sequence[Mapping[str, Any]], inputs: Mapping[str, str]) -> bool:
        """Carries steps out; returns whether all went well."""
        self.temp.mkdir(exist_ok=True)
        known = {"inputs": inputs, "runner": self._runner(), "steps": self.steps}
        went_well = True
        for step in steps:
            if not went_well and step.get("if") != "always()":
                continue
            outputs: dict[str, str] = {}
            if "id" in step:
                self.steps[step["id"]] = {"outputs": outputs}
            if "uses" in step:
                name, _, version = step["uses"].partition("@")
                assert re.fullmatch(r"v\d+", version), step
                values = {k: evaluated(str(v), known) for k, v in step.get("with", {}).items()}
                self.used.append((name, values))
                outputs |= self.actions[name]
            else:
                went_well &= self._ran(step, known, outputs)
        return went_well

    def _runner(self) -> dict[str, str]:
        return {"os": "Linux", "arch": "X64", "temp": str(self.temp)}

    def _ran(self, step: Mapping[str, Any], known: Any, outputs: dict[str, str]) -> bool:
        written, script = self.temp / "outputs", self.temp / "script.sh"
        written.write_text("")
        script.write_text(evaluated(step["run"], known))
        values = {k: evaluated(str(v), known) for k, v in step.get("env", {}).items()}
        done = subprocess.run(
            [*_SHELLS[step.get("shell")], script],
            cwd=self.workspace / evaluated(step.get("working-directory", "."), known),
            env=self._variables() | values | {"GITHUB_OUTPUT": str(written)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        self.log += done.stdout
        outputs |= dict(line.split("=", 1) for line in written.read_text().splitlines())
        return done.returncode == 0

    def _variables(self) -> dict[str, str]:
        more = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"),
            "RUNNER_TEMP": str(self.temp),
        }
        if self.action_path is not None:
            more["GITHUB_ACTION_PATH"] = str(self.action_path)
        return {**self.environment, **more}


def evaluated(text: str, known: Mapping[str, Any]) -> str:
    """Returns a text with its expressions evaluated; a name that is not known is an error."""

    def value(match: re.Match[str]) -> str:
        at: Any = known
        for name in match[1].split("."):
            at = at[name]
        return str(at)

    text = _EXPRESSION.sub(value, text)
    assert "${{" not in text, text
    return text


def wheel_of_checkout(folder: Path) -> Path:
    """Writes a wheel that leads to this checkout and to the packages of these tests.

    pip installs it as it does jitstudio's own, in a moment and without an index.
    """
    info = f"jitstudio-{__version__}.dist-info"
    texts = {
        "checkout.pth": f"{ROOT}\n{sysconfig.get_path('purelib')}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: jitstudio\nVersion: {__version__}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\njitstudio = jitstudio.__main__:main\n",
    }
    record = "".join(f"{name},{_digest(text)},{len(text)}\n" for name, text in texts.items())
    texts[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    path = folder / f"jitstudio-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in texts.items():
            file.writestr(name, text)
    return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def new_python(folder: Path) -> Path:
    """Makes an environment of Python's own, as the action that sets Python up; returns its bin."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder / "bin"


def machine(wheel: Path, *path: Path) -> dict[str, str]:
    """Returns the variables of a machine with a CUDA toolkit, where pip finds this wheel alone."""
    programs = os.pathsep.join([*map(str, path), os.environ["PATH"]])
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_"))}
    more = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent)}
    more["CUDA_PATH"] = str(Path(nvdisasm()).parents[1])
    return {**kept, **more, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PATH": programs}
