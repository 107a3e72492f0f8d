"""Worker programs of the tests: they run whatever Python they are sent, once they are sealed."""

import errno
from functools import partial

from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.worker.children.serving import CallResult, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.protocol import RequestType, WorkerProgram
from jitstudio.worker.sandbox.seal import ProgramNeeds

ROLE = ProgramNeeds()


_SERVICES = (RequestType(str, 1 << 20, str),)
PLAIN = WorkerProgram("tests.worker.sealed", _SERVICES)
PROGRAMS = WorkerProgram("tests.worker.sealed_with_programs", _SERVICES)
NUMPY = WorkerProgram("tests.worker.sealed_with_numpy", _SERVICES)


def main(memory_limit, role=ROLE):
    wire = take_wire()
    limit_memory(memory_limit)
    serve(wire, PLAIN, work, role)


def work(request, tell):
    scope = {}
    try:
        exec(request, scope)
    except OSError as error:
        return CallResult(errno.errorcode[error.errno])
    return CallResult(str(scope.get("answer", "done")))


def role_with_programs():
    return ProgramNeeds(partial(locate.programs, Tool.NVDISASM))
