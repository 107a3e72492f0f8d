"""A worker process that does harm: what it says depends on the name that it is asked to demangle.

Each function of `TRICKS` gets the raw pipe, the ticket and the names of the call. It is started in
the place of the real child by `tests/worker/test_hostile.py`.
"""

import os
import pickle
import struct
import subprocess
import sys
import time
from dataclasses import replace

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.events import Notice, StageFinished, StageStarted
from jitstudio.core.plan import Job, JobDependencies, Search
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.core.tools import Tool, ToolFile
from jitstudio.worker.children.serving import take_wire
from jitstudio.worker.programs.build import BUILDING
from jitstudio.worker.protocol import Done, EventMessage

DEMANGLING = next(s for s in BUILDING.services if s.request.__name__ == "DemangleRequest")
BASIS = JobDependencies(tool=None, searches=(), folder="", began_ns=0)
JOBS = next(s for s in BUILDING.services if s.request is Job)
PROBING = next(s for s in BUILDING.services if s.request.__name__ == "ProbeRequest")


def main(_memory_limit):
    """Answer every call with the trick that it names; `good` is a proper answer."""
    wire = take_wire()
    raw = wire._writer
    while True:
        try:
            call = BUILDING.calls.load(wire.receive())
        except EOFError:
            return
        name = call.request.name if isinstance(call.request, Job) else call.request.names[0]
        TRICKS[name](raw, call)


def frame(data):
    return struct.pack("<I", len(data)) + data


def json_frame(head, rest=b""):
    return frame(struct.pack("<I", len(head)) + head + rest)


def say(raw, data):
    raw.write(data)
    raw.flush()


def reply(raw, service, value):
    say(raw, frame(b"".join(service.replies.dump(value))))


def good(raw, call):
    reply(raw, DEMANGLING, Done(call.ticket, {name: name for name in call.request.names}))


class Harm:
    def __reduce__(self):
        return (os.system, (f"touch {os.environ['HARM']}",))


def finished(job, **changes):
    started = StageStarted(job.tool, "13.4", job.name, job.options)
    artifact = Artifact(CodeKind.PTX, job.name, b".version 9.4")
    return StageFinished(started.stage(), **{"artifacts": (artifact,)} | changes)


def told(raw, call, event):
    reply(raw, JOBS, EventMessage(call.ticket, event))
    reply(raw, JOBS, Done(call.ticket, BASIS))


def flood(raw, call):
    said = Notice(Diagnostic(Severity.INFO, "", None, None, "x"))
    data = frame(b"".join(JOBS.replies.dump(EventMessage(call.ticket, said))))
    while True:
        say(raw, data * 100)


def half_a_frame(raw, call):
    say(raw, struct.pack("<I", 1_000) + b"half")
    time.sleep(60)


def outlived(raw, call):
    """Leave somebody behind who holds the pipe, out of reach of a kill, and die."""
    code = "import os, sys, time; os.setsid(); print('ready', file=sys.stderr); time.sleep(8)"
    left = subprocess.Popen(
        [sys.executable, "-c", code], stdout=raw, stderr=subprocess.PIPE, start_new_session=True
    )
    left.stderr.readline()
    time.sleep(60)


def deaf(raw, call):
    good(raw, call)
    time.sleep(60)


def late_event(raw, call):
    good(raw, call)
    good(raw, call)
    time.sleep(0.2)


def chatter(raw, call):
    good(raw, call)
    os.set_blocking(raw.fileno(), False)
    for _ in range(1_000):
        try:
            os.write(raw.fileno(), b"chatter" * 1_000)
        except BlockingIOError:
            break


def noise(raw, call):
    os.write(1, b"printed by native code\n")
    print("and by Python", flush=True)
    good(raw, call)


def wide_text(raw, call):
    """A text whose last letter makes each of the others take four bytes."""
    text = b"x" * 200_000_000 + "\U0001f600".encode()
    reply = b'["Done",[%d,[["a"],[%d]]]]' % (call.ticket, len(text))
    say(raw, json_frame(reply, text))


TRICKS = {
    "wide text": wide_text,
    "long head": lambda raw, call: say(raw, json_frame(b" " * 100_000_000)),
    "good": good,
    "noise": noise,
    "late event": late_event,
    "chatter": chatter,
    "half a frame": half_a_frame,
    "outlived": outlived,
    "deaf": deaf,
    # No answers, of no type.
    "pickle": lambda raw, call: say(raw, frame(pickle.dumps(Harm()))),
    "over-long": lambda raw, call: say(raw, struct.pack("<I", 0xFFFFFFFF) + b"x" * 10_000),
    "claim": lambda raw, call: say(raw, struct.pack("<I", 1 << 30)),
    "no frame": lambda raw, call: say(raw, b"Traceback (most recent call last):\n" * 10_000),
    "empty": lambda raw, call: say(raw, frame(b"")),
    "nesting": lambda raw, call: say(raw, json_frame(b"[" * 1_000_000)),
    "deep text": lambda raw, call: say(raw, json_frame(b'["Done",[' + b"[" * 900 + b"]" * 902)),
    "head lies": lambda raw, call: say(raw, frame(struct.pack("<I", 1 << 31) + b"[]")),
    "fields": lambda raw, call: say(raw, json_frame(b'["Done",[%d,7,false,false]]' % call.ticket)),
    "more fields": lambda raw, call: say(
        raw, json_frame(b'["Done",[%d,[],false,false,1]]' % call.ticket)
    ),
    "trailing": lambda raw, call: say(
        raw, frame(b"".join(DEMANGLING.replies.dump(Done(call.ticket, {"trailing": ""}))) + b"x")
    ),
    "ticket": lambda raw, call: reply(raw, DEMANGLING, Done(call.ticket + 1, {"ticket": ""})),
    "other program": lambda raw, call: reply(
        raw, PROBING, Done(call.ticket, ToolchainInfo((), ()))
    ),
    "event": lambda raw, call: reply(
        raw, JOBS, EventMessage(call.ticket, StageStarted(Tool.NVRTC, "", "event", ()))
    ),
    # Of the right type.
    "other names": lambda raw, call: reply(raw, DEMANGLING, Done(call.ticket, {"rm": "-rf"})),
    # Answers to jobs.
    "flood": flood,
    "nothing": lambda raw, call: reply(raw, JOBS, Done(call.ticket, BASIS)),
    "other tool": lambda raw, call: told(
        raw, call, StageStarted(Tool.DRIVER, "", call.request.name, ())
    ),
    "other module": lambda raw, call: told(
        raw,
        call,
        finished(call.request, artifacts=(Artifact(CodeKind.PTX, "../.bashrc", b""),)),
    ),
    "other kind": lambda raw, call: told(
        raw,
        call,
        finished(call.request, artifacts=(Artifact(CodeKind.CUBIN, "other kind", b""),)),
    ),
    "fix": lambda raw, call: told(
        raw,
        call,
        finished(
            call.request,
            diagnostics=(
                Diagnostic(
                    Severity.ERROR,
                    "fix",
                    1,
                    None,
                    "x",
                    fix=Fix("Mend it", FixKind.ADD_OPTION, "-Xopt -load=./data.bin"),
                ),
            ),
        ),
    ),
    "tool file": lambda raw, call: reply(
        raw, JOBS, Done(call.ticket, replace(BASIS, tool=ToolFile("/proc/self/\0mem", ())))
    ),
    "search": lambda raw, call: reply(
        raw, JOBS, Done(call.ticket, replace(BASIS, searches=(Search(("../..",), ("a.h",)),)))
    ),
}
