"""The server: calls run beside each other in threads, and one that is cancelled ends at once."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from jitstudio import __version__
from jitstudio.checks.budgets import BudgetError
from jitstudio.checks.conditions import ConditionError
from jitstudio.command_options.values import UsageError, WrongValueError
from jitstudio.commands.sessions import WorkerSession
from jitstudio.commands.workers import Workers
from jitstudio.mcp.answers import LONGEST, Json, Page, answer_text
from jitstudio.mcp.parameters import (
    Detail,
    Lines,
    Offset,
    lean_schema,
    unknown_field,
    wrong_fields,
)
from jitstudio.mcp.tools import Tools
from jitstudio.mcp.wording import in_our_words
from jitstudio.system.paths import settle_own_folders
from jitstudio.worker.host import WorkerError
from jitstudio.worker.pool import default_size

_NAMES = {"arch": "target", "repeats": "repeat", "set": "variables"}
"""The names of fields of the tools that commands call otherwise."""
_OFFERED = ("build", "inspect", "diff", "compare", "check", "explain", "run")
_INSTRUCTIONS = """\
Compiles CUDA C++, LLVM IR and PTX with NVIDIA's compilers, reads the machine code and simulates \
kernels, without a GPU. Answers are short; 'more' in them says how to get the rest."""


def serve(folder: Path, timeout: float, *, allow_run: bool) -> None:
    """Answers requests from stdin until stdin is closed.

    Args:
        folder: Where files may be read.
        timeout: Seconds that a build, a reading or a launch may take.
        allow_run: Whether kernels may be launched on a GPU.
    """
    settle_own_folders()
    # Whoever asks knows files as from this folder: answers call them so.
    os.chdir(folder)
    with WorkerSession() as session:
        try:
            server_of(partial(Tools, folder, timeout, allow_run=allow_run), session).run("stdio")
        except* BrokenPipeError:
            # The client has gone, and nobody is there who would read an answer.
            pass


def server_of(tools_with: Callable[..., Tools], session: WorkerSession) -> MCPServer:
    """Returns the server of all tools.

    Args:
        tools_with: Makes the tools of a call with its `workers`.
        session: The workers that stay from call to call.
    """
    calls = Calls(tools_with, session)
    tools = []
    for name in _OFFERED:
        tool = _Tool.from_function(calls.tool(name), structured_output=False)
        tool.annotations = ToolAnnotations(read_only_hint=True)
        tool.parameters = lean_schema(tool.parameters)
        tools.append(tool)
    return MCPServer(
        "jitstudio",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        tools=tools,
    )


class _Tool(Tool):
    """A tool that says in sentences which fields of a call are wrong."""

    async def run(
        self, arguments: dict[str, Any], context: Any, convert_result: bool = False
    ) -> Any:
        """Runs the tool.

        Raises:
            ToolError: The call is wrong.
        """
        fields: dict[str, Json] = self.parameters["properties"]
        for name in arguments:
            if name not in fields:
                raise ToolError(unknown_field(name, fields))
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(wrong_fields(error.__cause__.errors(), fields)) from None
            raise


class Calls:
    """The tools as coroutines, as many at work at a time as there are cores."""

    def __init__(self, tools_with: Callable[..., Tools], session: WorkerSession) -> None:
        self._tools_with, self._session = tools_with, session
        self._cores = anyio.CapacityLimiter(default_size())

    def tool(self, name: str) -> Callable[..., Awaitable[str]]:
        """Returns a tool whose mistakes are sentences, and whose answers have bounds."""
        method = getattr(Tools, name)

        async def call(
            detail: Detail = "", offset: Offset = 0, lines: Lines = 0, **words: Any
        ) -> str:
            page = Page(detail, offset, lines)
            if name == "explain":
                # It needs no process, and so does not wait for those of others.
                with Workers() as workers:
                    return self._answer(name, words, page, workers)
            at_work = _AtWork()
            try:
                return await anyio.to_thread.run_sync(
                    self._in_thread,
                    name,
                    words,
                    page,
                    at_work,
                    abandon_on_cancel=True,
                    limiter=self._cores,
                )
            finally:
                at_work.end()

        own = inspect.signature(method, eval_str=True)
        paging = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(call, eval_str=True).parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        parameters = [*own.parameters.values()][1:]
        signature = own.replace(parameters=[*parameters, *paging], return_annotation=str)
        vars(call)["__signature__"] = signature
        call.__name__, call.__doc__ = name, method.__doc__
        return call

    def _in_thread(self, name: str, words: dict[str, Any], page: Page, at_work: _AtWork) -> str:
        with self._session.workers() as workers:
            at_work.begin(workers)
            try:
                return self._answer(name, words, page, workers)
            finally:
                at_work.done()

    def _answer(self, name: str, words: dict[str, Any], page: Page, workers: Workers) -> str:
        tools = self._tools_with(workers=workers)
        try:
            return answer_text(getattr(tools, name)(**words), page)
        except WrongValueError as error:
            message = error.about(_NAMES.get(error.name, error.name))
        except (UsageError, BudgetError, ConditionError, WorkerError) as error:
            message = str(error)
        message = in_our_words(message)
        if len(message) > LONGEST // 2:
            message = f"{message[: LONGEST // 2]} … ('inspect' and 'build' list all names)"
        raise ToolError(message)


class _AtWork:
    """The workers of a call that may be cancelled."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        self._is_over = False

    def begin(self, workers: Workers) -> None:
        """Says which workers the call has.

        Raises:
            WorkerError: The call was cancelled before.
        """
        with self._lock:
            if self._is_over:
                raise WorkerError("The call was cancelled.")
            self._workers = workers

    def done(self) -> None:
        """Says that the call needs the workers no more."""
        with self._lock:
            self._workers = None

    def end(self) -> None:
        """Ends the processes of a call that is not done."""
        with self._lock:
            self._is_over = True
            workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()
