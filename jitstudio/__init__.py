"""jitstudio: see what NVIDIA's compilers make of CUDA C++, LLVM IR and PTX, also from Python.

Loads what it offers when it is first used: importing it takes neither Qt nor a native library.
`__init__.pyi` has the types.
"""

from importlib import import_module

__version__ = "0.4.0"
_HOMES = {
    **dict.fromkeys(("build", "diff", "inspect", "passes", "run"), "jitstudio.api.commands"),
    **dict.fromkeys(
        ("BuildReport", "DiffReport", "InspectReport", "LaunchReport", "PassesReport"),
        "jitstudio.api.reports",
    ),
    "Session": "jitstudio.commands.sessions",
    "show": "jitstudio.api.show",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
