"""A launch as JSON has it, field by field under the names of `LaunchSpec`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer

_Read = Callable[[Any], Any]


def spec_object(spec: LaunchSpec) -> dict[str, Any]:
    """A launch as JSON has it."""
    told: dict[str, Any] = {f.name: getattr(spec, f.name) for f in fields(LaunchSpec)}
    return told | {
        "arguments": dict(spec.arguments),
        "load": spec.load.value,
        "sanitizer": spec.sanitizer and spec.sanitizer.value,
        "expectations": list(spec.expectations),
    }


def spec_from(saved: Mapping[str, Any]) -> LaunchSpec:
    """A launch from what `spec_object` gave; what it does not say stands as at first.

    Raises:
        ValueError, TypeError, AttributeError: It is damaged.
    """
    return LaunchSpec(
        **{name: _READ[name](value) for name, value in saved.items() if name in _READ}
    )


def _exactly(*kinds: type) -> _Read:
    def read(value: Any) -> Any:
        # Not `isinstance`, to which True is a number.
        if type(value) not in kinds:
            raise TypeError(
                f"{value!r} where {' or '.join(kind.__name__ for kind in kinds)} belongs"
            )
        return value

    return read


_TEXT = _exactly(str)


def _arguments(value: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((_TEXT(name), _TEXT(text)) for name, text in value.items())


def _sanitizer(value: Any) -> Sanitizer | None:
    return None if value is None else Sanitizer(value)


def _expectations(value: Any) -> tuple[str, ...]:
    return tuple(map(_TEXT, _exactly(list)(value)))


_PLAIN: dict[type, _Read] = {
    str: _TEXT,
    bool: _exactly(bool),
    int: _exactly(int),
    float: _exactly(float, int),
}
_SPECIAL: dict[str, _Read] = {
    "arguments": _arguments,
    "load": LoadMode,
    "sanitizer": _sanitizer,
    "expectations": _expectations,
}
_READ: dict[str, _Read] = {
    f.name: _SPECIAL.get(f.name) or _PLAIN[type(f.default)] for f in fields(LaunchSpec)
}
