"""The parameters of the tools: types, limits, and words with an example of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from jitstudio.checks.budgets import MOST_CONDITIONS
from jitstudio.core.alike import did_you_mean
from jitstudio.core.launch.spec import LaunchSpec

_LONGEST_SOURCE = 1 << 20
_MOST = 50
_SHORT = 1_000
_LONGEST_QUOTED = 60

Word = Annotated[str, Field(max_length=_SHORT)]
_FileName = Annotated[str, Field(max_length=200)]
_Text = Annotated[str, Field(max_length=_LONGEST_SOURCE)]
Modules = Annotated[
    dict[_FileName, _Text] | list[Word],
    Field(
        max_length=_MOST,
        description="Texts, {'k.cu': '...'}, or files of the server's folder, ['k.cu'].",
    ),
]
Side = Annotated[
    dict[_FileName, _Text] | list[Word],
    Field(max_length=_MOST, description="Like 'sources'."),
]
Target = Annotated[str, Field(max_length=20, description="'sm_90'; empty: the usual one.")]
Options = Annotated[
    list[Word],
    Field(max_length=100, description="['--use_fast_math', '-lineinfo']."),
]
Names = Annotated[
    list[Word], Field(max_length=100, description="Template instances, ['saxpy<float>'].")
]
Headers = Annotated[
    dict[_FileName, _Text],
    Field(max_length=_MOST, description="Included texts, {'k.h': '...'}."),
]
Link = Annotated[Literal["none", "ptx", "lto"], Field(description="How to link, 'lto'.")]
Kernel = Annotated[str, Field(max_length=_SHORT, description="Only this, 'saxpy<float>'.")]
Emit = Annotated[
    list[Literal["ptx", "sass"]],
    Field(max_length=2, description="Texts to return, ['sass']; []: figures only."),
]
Threads = Annotated[int, Field(ge=0, le=1024, description="Threads per block, 256.")]
Code = Annotated[bool, Field(description="List the instructions, true.")]
Normalised = Annotated[bool, Field(description="Ignore register names, true.")]
Require = Annotated[
    list[Word],
    Field(
        min_length=1,
        max_length=MOST_CONDITIONS,
        description="['registers <= 64', 'spills == 0', 'no double', 'LDG.128 >= 1', "
        "'occupancy(256) >= 50%', 'no finding:strided'].",
    ),
]
Explained = Annotated[
    str, Field(max_length=200, min_length=1, description="'LDG.E.128', 'maxrregcount'.")
]
Language = Annotated[Literal["sass", "ptx", "option"], Field(description="What it is of, 'sass'.")]
Arguments = Annotated[
    dict[Word, Word],
    Field(
        max_length=_MOST,
        description="Values and buffers LENGTH[:FILL][:in|out|inout], {'n': '99', 'x': "
        "'n:random', 'y': 'n:zeros:out'}; fills: zeros, constant(V), range, random, file(PATH), "
        "expr(NUMPY).",
    ),
]
Variables = Annotated[
    dict[Word, Word],
    Field(
        max_length=_MOST,
        description="Of module variables, {'c': '{1, 2}', 'sum': 'out'}.",
    ),
]
Grid = Annotated[Word, Field(description="Blocks, '8,4'.")]
Cover = Annotated[Word, Field(description="Instead of grid: threads at least, 'n'.")]
Block = Annotated[
    Word, Field(description=f"Threads per block, '16,16' (default {LaunchSpec().block}).")
]
Cluster = Annotated[Word, Field(description="Blocks per cluster, '2'.")]
Cooperative = Annotated[bool, Field(description="Allow grid.sync(), true.")]
Shared = Annotated[Word, Field(description="Bytes of dynamic shared memory, '4 * 256'.")]
Expect = Annotated[list[Word], Field(max_length=_MOST, description="In NumPy, ['y = a * x + y'].")]
Seed = Annotated[int, Field(ge=0, description="Another order of warps, 7.")]
Repeat = Annotated[int, Field(ge=0, le=1000, description="Timed launches on a GPU, 10.")]
Device = Annotated[
    Literal["sim", "gpu"],
    Field(description="'sim' counts; 'gpu' times, if allowed."),
]
Launch = Annotated[
    dict[Word, Any],
    Field(
        max_length=_MOST,
        description="Fields of 'run', {'kernel': 'k', 'arguments': {'x': '64'}, 'grid': '2'}; "
        "{}: code only.",
    ),
]
Detail = Annotated[Word, Field(description="List of the answer, 'kernels'.")]
Offset = Annotated[int, Field(ge=0, description="From its entry 20.")]
Lines = Annotated[int, Field(ge=0, le=5_000, description="Entries of lists, uncut, 50.")]

_FOR_CHECKS_ONLY = frozenset(
    {
        *("title", "maxLength", "minLength", "maxItems", "minItems", "maxProperties"),
        *("maximum", "minimum", "propertyNames", "additionalProperties", "default"),
    }
)


def lean_schema(schema: Any, *, is_fields: bool = False) -> Any:
    """Returns the JSON schema of a tool without what only the server needs, and what is empty.

    Args:
        schema: The schema, or a part.
        is_fields: Whether its keys are names of fields, and no words of JSON schema.
    """
    if isinstance(schema, list):
        return [lean_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "anyOf" in schema and not is_fields:
        kinds = [part["type"] for part in schema["anyOf"]]
        return {"type": kinds, "description": schema["description"]}
    return {
        key: lean_schema(part, is_fields=key == "properties" and not is_fields)
        for key, part in schema.items()
        if is_fields or key not in _FOR_CHECKS_ONLY
    }


def unknown_field(name: str, fields: Iterable[str]) -> str:
    """Returns the refusal of a field that a tool has not."""
    name = _shortened(name)
    known = ", ".join(fields)
    return f"There is no field '{name}'.{did_you_mean(name, fields)} There are: {known}."


def wrong_fields(errors: Iterable[Any], fields: Mapping[str, Any]) -> str:
    """Returns the refusal of values that do not fit their fields.

    Args:
        errors: Those of Pydantic's, one for each type that a field may have.
        fields: The schemas of the fields.
    """
    problems: dict[str, list[str]] = {}
    for error in errors:
        name = str(error["loc"][0])
        if error["type"] == "missing":
            problems[name] = ["this field is missing"]
            continue
        text = error["msg"].replace("Input should be", "the value has to be")
        problems.setdefault(name, []).append(f"{text}, not {_shortened(repr(error['input']))}")
    return " ".join(
        f"{name}: {'; '.join(texts[:2])}. It takes: {fields[name]['description']}"
        for name, texts in problems.items()
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]} …"
