"""The parts of a session whose owners come after the first texts are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import SignalInstance

_Value = TypeVar("_Value")


class SessionPart(Generic[_Value]):
    """A value of the session: the restored one, until an owner says what it is now.

    Args:
        value: The value of a session without a file.
        changed: Is called when the owner has another value.
    """

    def __init__(self, value: _Value, changed: Callable[[], None]) -> None:
        self._restored = value
        self._changed = changed
        self._read: Callable[[], _Value] | None = None
        self._take: Callable[[_Value], None] | None = None

    @property
    def value(self) -> _Value:
        """The present value."""
        return self._restored if self._read is None else self._read()

    def restore(self, value: _Value) -> None:
        """Brings back a value; its owner takes it, now or once there is one."""
        self._restored = value
        if self._take is not None:
            self._take(value)

    def give(
        self,
        read: Callable[[], _Value],
        take: Callable[[_Value], None],
        *signals: SignalInstance,
    ) -> None:
        """Gives the part to an owner, who takes the restored value.

        Args:
            read: Returns the present value.
            take: Takes a restored value.
            signals: Emitted when there is another value.
        """
        take(self._restored)
        self._read, self._take = read, take
        for signal in signals:
            signal.connect(self._changed)
