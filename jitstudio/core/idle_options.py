"""Tells of options that reach no tool of a build.

The window dims them in its form; where there is no form, they are told with the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.severity import Severity
from jitstudio.core.step_options import idle_options


def with_idle_options(request: BuildRequest, result: BuildResult) -> BuildResult:
    """The result with a warning for each option that its build has made nothing of."""
    told = dict.fromkeys(_warnings(request))
    return replace(result, diagnostics=(*result.diagnostics, *told)) if told else result


def _warnings(request: BuildRequest) -> Iterator[Diagnostic]:
    try:
        steps = plan(request)
    except PlanError:
        # The result tells why.
        return
    for given, tools in idle_options(request, {step.tool for step in steps}):
        wanted = " and ".join(tool.value for tool in tools)
        message = f"No tool of this build takes '{' '.join(given.words)}': it is for {wanted}."
        yield Diagnostic(Severity.WARNING, "", None, None, message)
