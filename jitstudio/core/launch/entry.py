"""The kernel that a name means in LLVM IR, where nothing marks the function as a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest


def base_name(title: str) -> str:
    """Returns the name of a kernel without template arguments, parameters and module."""
    return re.split(r"[<(\[]", title, maxsplit=1)[0].strip()


def unqualified(name: str) -> str:
    """Returns the name of a kernel without namespaces."""
    base = base_name(name)
    return name[base.rfind("::") + 2 :] if "::" in base else name


def with_entry(request: BuildRequest, kernel: str = "") -> BuildRequest:
    """Returns the same build, which marks the function of LLVM IR that is launched as a kernel.

    LTO-IR stays as it is: what that is linked to may call the function.

    Args:
        request: The build.
        kernel: The kernel to launch; empty for the only function that can be launched.
    """
    is_ir = any(source.kind is CodeKind.LLVM_IR for source in request.sources)
    can_mark = is_ir and CodeKind.LTOIR not in request.emit
    return replace(request, entry=_unmarked_kernel(request.sources, kernel) if can_mark else "")


def _unmarked_kernel(sources: Sequence[Source], kernel: str) -> str:
    """Returns the function of LLVM IR that a launch means and that nothing marks as a kernel.

    Without a name it is the only one that can be marked, where all is LLVM IR and has no kernel.
    Empty where there is none, or several may be meant.
    """
    # It loads a reader, and few builds are of LLVM IR.
    from jitstudio.core.ir_functions import functions_of  # noqa: PLC0415

    functions = functions_of(sources)
    markable = [f.name for f in functions if f.can_be_marked]
    if kernel in markable or any(f.is_kernel for f in functions):
        return kernel if kernel in markable else ""
    if not kernel and any(source.kind is not CodeKind.LLVM_IR for source in sources):
        return ""
    length = len(base_name(unqualified(kernel)))
    mangled = f"{length}{base_name(unqualified(kernel))}" if kernel else ""
    meant = [n for n in markable if not kernel or (n.startswith("_Z") and mangled in n)]
    return meant[0] if len(meant) == 1 else ""
