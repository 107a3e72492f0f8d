"""A kernel as its source declares it, and as it can be filled in."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.types import Type


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel in the source.

    Attributes:
        name: Empty where the source gives none.
        spelling: The type as the source writes it.
        type: What it is; None where the source alone does not tell, as for an unknown struct.
    """

    name: str
    spelling: str
    type: Type | None


@dataclass(frozen=True)
class Signature:
    """A kernel in the source.

    Attributes:
        name: With its namespaces, without template arguments, such as ``math::saxpy``.
        parameters: In order.
        module: The module it is in.
        line: Where it is declared, from 1.
        template_parameters: Names in order; empty for no template.
        block_hint: Most threads per block by ``__launch_bounds__``, or None.
        cluster: Blocks per cluster by ``__cluster_dims__``, or None.
    """

    name: str
    parameters: tuple[Parameter, ...]
    module: str = ""
    line: int = 0
    template_parameters: tuple[str, ...] = ()
    block_hint: int | None = None
    cluster: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Slot:
    """Where one parameter lies in the parameter space: bytes from its start, and its bytes."""

    offset: int
    size: int
    align: int


@dataclass(frozen=True)
class FormParameter:
    """One parameter to be filled in: what it is and where it lies.

    Attributes:
        name: The source's name, else ``arg0``, ``arg1`` and so on; unique in its form.
        type: What it is; `Opaque` where only its size is known.
        slot: Where it lies.
        spelling: The type as the source writes it; empty where there is no source.
        access: What the kernel does behind a pointer; None where that is not known, or nothing.
    """

    name: str
    type: Type
    slot: Slot
    spelling: str = ""
    access: Direction | None = None


@dataclass(frozen=True)
class KernelForm:
    """A kernel ready to be filled in.

    Attributes:
        lowered: The name to launch it by.
        title: Its name in words of C++, such as ``saxpy<float>``.
        parameters: In order.
        notes: Where source and PTX disagree, or what could not be found out; sentences.
        block_hint: See `Signature`.
        cluster: See `Signature`.
        module: The module that declares it; empty where unknown.
        line: Where; 0 where unknown.
        complete: Whether the layout of all parameters is known; where not, it cannot be launched.
    """

    lowered: str
    title: str
    parameters: tuple[FormParameter, ...]
    notes: tuple[str, ...] = ()
    block_hint: int | None = None
    cluster: tuple[int, int, int] | None = None
    module: str = ""
    line: int = 0
    complete: bool = True
