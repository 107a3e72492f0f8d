"""The walk of a build: the functions that a reader passes from the command line to the compiler.

`python3 -m tests.bench.walk` builds a kernel by `jitstudio build` and counts, along these
hand-overs: the options of the command are made, the source is read, the request is made, it is
planned, a step becomes a job, the job is sent, the child takes it up, and NVRTC is called.

A *station* is a function of jitstudio that is on the stack at a hand-over; a *room* is a module
with a station; a *return* is a frame that is left between a hand-over and the next: there the
reader goes back to where the walk came from. Modules and comprehensions are no functions. Helpers
that a station calls, and that lead to no hand-over, are no stations: the walk can be followed
without them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[2]
GOALS = {"stations": 35, "rooms": 18, "returns": 15}
KERNEL = 'extern "C" __global__ void k(int *p) { *p = 1; }\n'
HAND_OVERS = {
    "options": "command_options/fields.py CommandOptions.__post_init__",
    "source": "core/plain_files.py read_file",
    "request": "commands/module_request.py with_options",
    "build": "worker/builder.py Builder.build",
    "plan": "core/plan.py plan",
    "job": "worker/execution.py Schedule._job",
    "call": "worker/protocol.py Wire.send",
    "child": "worker/children/serving.py _carry_out",
    "NVRTC": "toolchain/nvrtc.py _compile",
}
_IN_CHILD = ("child", "NVRTC")

Stack: TypeAlias = list[str]

# Runs in the command and, by way of PYTHONPATH, in its workers before their first line.
_RECORDER = """
import json, os, sys
folder, hand_overs = os.environ["WALK"], json.loads(os.environ["HAND_OVERS"])
is_child = "-c" in sys.orig_argv
log = open(os.path.join(folder, f"{'child' if is_child else 'command'}-{os.getpid()}"), "a", 1)
root = os.path.join(os.environ["WALK_ROOT"], "jitstudio", "")
seen = set()

def station(frame):
    return frame.f_code.co_filename.removeprefix(root) + " " + frame.f_code.co_qualname

def record(frame, event, _argument):
    if event != "call" or not frame.f_code.co_filename.startswith(root):
        return
    name = station(frame)
    if name in hand_overs and name not in seen:
        seen.add(name)
        stack = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(root) and "<" not in frame.f_code.co_name:
                stack.insert(0, station(frame))
            frame = frame.f_back
        log.write(json.dumps(stack) + "\\n")

import threading
threading.setprofile(record)
sys.setprofile(record)
"""


def stacks() -> dict[str, Stack]:
    """Returns the functions of jitstudio on the stack at each hand-over of a build."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(_RECORDER)
        (folder / "k.cu").write_text(KERNEL)
        environment = os.environ | {
            "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
            "WALK": name,
            "WALK_ROOT": str(ROOT),
            "HAND_OVERS": json.dumps(list(HAND_OVERS.values())),
            "JITSTUDIO_CACHE_DIR": str(folder / "cache"),
        }
        command = [sys.executable, "-m", "jitstudio", "build", str(folder / "k.cu"), "--emit=ptx"]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        logs = [p for kind in ("command", "child") for p in folder.glob(f"{kind}-*")]
        seen: dict[str, dict[str, Stack]] = {"command": {}, "child": {}}
        for log in logs:
            for line in log.read_text().splitlines():
                stack = json.loads(line)
                seen[log.name.partition("-")[0]].setdefault(stack[-1], stack)
    return {
        title: seen["child" if title in _IN_CHILD else "command"][station]
        for title, station in HAND_OVERS.items()
    }


def counts(walk: Sequence[Stack]) -> dict[str, int]:
    """Returns the numbers of stations, rooms and returns of a walk."""
    stations = {station for stack in walk for station in stack}
    left = 0
    for before, after in pairwise(walk):
        shared = next(
            (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
            min(len(before), len(after)),
        )
        # Another process begins anew: nothing is left.
        left += len(before) - shared if shared else 0
    return {
        "stations": len(stations),
        "rooms": len({station.partition(" ")[0] for station in stations}),
        "returns": left,
    }


def main() -> int:
    """Prints the walk and its counts; returns 1 where a goal is missed."""
    walk = stacks()
    shown: set[str] = set()
    for title, stack in walk.items():
        print(f"{title}:")
        for station in stack:
            print(f"  {'  ' if station in shown else '+ '}{station}")
            shown.add(station)
    numbers = counts(list(walk.values()))
    for name, number in numbers.items():
        print(f"{name}: {number} (goal: at most {GOALS[name]})")
    return int(any(number > GOALS[name] for name, number in numbers.items()))


if __name__ == "__main__":
    sys.exit(main())
