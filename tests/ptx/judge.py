"""ptxas, as it is in nvJitLink, asked whether it takes a text of PTX.

It runs in a process of its own, as a program: a text may crash it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from types import TracebackType

_AT_LINE = re.compile(r"line (\d+); (?:error|fatal)\s*: (.*)")


class Judge:
    """Answers for one text after the other; each takes some 12 ms."""

    def __enter__(self) -> Judge:
        self._begin()
        return self

    def _begin(self) -> None:
        self._child = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._child.communicate(timeout=60)

    def refusal(self, text: str, target: str = "sm_90a") -> str:
        """Return what ptxas says against a text; empty where it takes it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps([text, target]) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if answer:
            return str(json.loads(answer))
        self._child.communicate(timeout=60)
        self._begin()
        return "ptxas has died"

    def errors(self, text: str, target: str = "sm_90a") -> dict[int, str]:
        """Return the errors of a text by their lines; 0 is the line of those without."""
        said = self.refusal(text, target)
        errors: dict[int, str] = {}
        for match in _AT_LINE.finditer(said):
            errors.setdefault(int(match[1]), match[2])
        return errors or ({0: said} if said else {})


def _refusal(text: str, target: str) -> str:
    from cuda.bindings import nvjitlink

    handle = nvjitlink.create(1, [f"-arch={target}"])
    data = text.encode()
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, data, len(data), "text")
        nvjitlink.complete(handle)
        status = ""
    except nvjitlink.nvJitLinkError as error:
        status = str(error)
    log = bytearray(nvjitlink.get_error_log_size(handle))
    if log:
        nvjitlink.get_error_log(handle, log)
    nvjitlink.destroy(handle)
    said = bytes(log).rstrip(b"\0").decode("utf-8", "replace").strip()
    return status and (said or status)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_refusal(*json.loads(line))), flush=True)
