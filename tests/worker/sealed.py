"""Worker programs of the tests: they run whatever Python they are sent, once they are sealed."""

import errno
from functools import partial

from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.worker.children.serving import Answer, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.protocol import Program, Service
from jitstudio.worker.sandbox.seal import Role

ROLE = Role()


_SERVICES = (Service(str, 1 << 20, str),)
PLAIN = Program("tests.worker.sealed", _SERVICES)
PROGRAMS = Program("tests.worker.sealed_with_programs", _SERVICES)
NUMPY = Program("tests.worker.sealed_with_numpy", _SERVICES)


def main(memory_limit, role=ROLE):
    wire = take_wire()
    limit_memory(memory_limit)
    serve(wire, PLAIN, work, role)


def work(request, tell):
    scope = {}
    try:
        exec(request, scope)
    except OSError as error:
        return Answer(errno.errorcode[error.errno])
    return Answer(str(scope.get("answer", "done")))


def role_with_programs():
    return Role(partial(locate.programs, Tool.NVDISASM))
