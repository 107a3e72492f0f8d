"""Claims of the schemas' descriptions about several fields of one object, held to an answer.

What a description claims of its field alone (type, range, words, example) is a keyword of the
schema. Tests of commands hold each answer to both: see `Ran.json`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from tests.schemas import NAMES, fields, schema, schema_of

Json = dict[str, Any]

# "one for each run; only with `--repeat`", "with `--both` or `--compare-option`: …"
_WITH = re.compile(r"(?:^|; )(?:only )?with (?P<options>`--[^`]+`(?: or `--[^`]+`)*)")
_LOWERED = re.compile(r"[\w$.@]*")


def _times(x: Json) -> bool:
    """Times in order; the median is that of the samples."""
    names = ("minimum_ms", "first_quartile_ms", "median_ms", "third_quartile_ms", "maximum_ms")
    times, samples = [x[name] for name in names], sorted(x["samples_ms"])
    middle = (samples[(len(samples) - 1) // 2] + samples[len(samples) // 2]) / 2
    ends = (times[0], times[-1]) == (samples[0], samples[-1])
    return times == sorted(times) and ends and abs(times[2] - middle) < 1e-9 * (1 + middle)


def _counts(x: Json) -> bool:
    """At most 32 threads are in a warp, 4 sectors in a line; a part is no more than the whole."""
    threads, warps = x["thread_executions"], x["executions"]
    return (
        warps <= threads <= 32 * warps
        and abs(x["mean_active_lanes"] * warps - threads) < 1e-6 * (1 + threads)
        and x["divergent"] <= warps
        and x["sector_requests"] <= x["requests"]
        and x["bank_conflicts"] <= x["wavefronts"]
        and x["lines_touched"] <= x["sectors"]
        and x["lanes_per_address"] <= 32
        and x["beside_copies"] <= x["requests"]
    )


def _is_listed(x: Json) -> bool:
    is_ptx = x["kind"] == "ptx"
    targets_agree = x["target"].startswith("compute_") == is_ptx
    return (
        x["spill_stores"] is x["spill_loads"] is None
        and targets_agree
        and ((x["code_bytes"] is None) == is_ptx)
    )


def _is_sweep(x: Json) -> bool:
    rows = x["variants"]
    is_counted = any(row["outcome"] == "ran" and row["executed"] is not None for row in rows)
    return (
        x["ok"] == (x["best"] is not None or is_counted)
        and [row["index"] for row in rows] == list(range(len(rows)))
        and all(len(row["values"]) == len(x["axes"]) for row in rows)
    )


def _is_built(x: Json) -> bool:
    return x["ok"] == (x["outcome"] == "built")


CLAIMS: dict[str, tuple[Callable[[Json], bool], str]] = {
    "build": (_is_built, "ok: everything was built"),
    "common#build": (_is_built, "ok: everything was built"),
    "build.runs": (lambda x: x["tool_ms"] <= x["total_ms"], "tool_ms: a part of total_ms"),
    "common#artifact": (
        lambda x: "text" not in x or x["bytes"] == len(x["text"].encode()),
        "bytes: the size of the text",
    ),
    "common#artifact.entries": (
        lambda x: (x["kind"] == "ptx") == x["target"].startswith("compute_"),
        "target: compute_ for PTX, and sm_ otherwise",
    ),
    "common#kernel": (lambda x: bool(_LOWERED.fullmatch(x["name"])), "name: a lowered name"),
    "common#lowered_name": (
        lambda x: (x["lowered"] is None) == (x["demangled"] is None),
        "demangled: the same in C++",
    ),
    "common#stage.host_code": (
        lambda x: x["lines"] == sum(last - first + 1 for first, last in x["ranges"]),
        "lines: their number in the ranges",
    ),
    "common#timing": (_times, "times in order"),
    "common#facts": (
        lambda x: x["binary_version"] >= 10 and x["max_threads"] <= 1024,
        "binary_version: ten times the compute capability",
    ),
    "capture#kernel": (
        lambda x: x["spill_stores"] is x["spill_loads"] is None,
        "spill_stores and spill_loads: null, as no cubin says it",
    ),
    "check": (lambda x: x["ok"] == all(b["ok"] for b in x["budgets"]), "ok: every condition holds"),
    "inspect#function.report": (
        # An instruction has 16 bytes on all targets that there are.
        lambda x: x["code_bytes"] == 16 * (x["instructions"] + x["padding"]),
        "code_bytes: instructions and padding",
    ),
    "list#listed": (
        _is_listed,
        "spills: null; code_bytes: null for PTX; target: compute_ for PTX",
    ),
    "run#launch": (lambda x: x["ok"] == (x["outcome"] == "ran"), "ok: it ran, all checks passed"),
    "run#launch.buffers": (
        lambda x: (
            (x["unwritten"] or 0) <= x["length"]
            and (x["first_unwritten"] is None) == (not x["unwritten"])
        ),
        "unwritten: some of the elements; first_unwritten: index of the first of them",
    ),
    "run#check": (
        lambda x: (
            x["wrong"] + x["nans"] <= x["count"]
            and len(x["mismatches"]) <= x["wrong"]
            and (x["ok"] or x["wrong"] > 0 or x["problem"] is not None)
        ),
        "wrong and nans: some of the compared elements; mismatches: the first of the wrong ones",
    ),
    "run#place": (
        lambda x: len(x["block"]) == len(x["thread"]) == 3,
        "block, thread: indexes by three axes",
    ),
    "run#simulation": (
        lambda x: (
            x["blocks"] <= x["of_blocks"]
            and x["instructions"] == sum(line["thread_executions"] for line in x["lines"])
            and x["exact"] == (not x["inexact_functions"])
        ),
        "instructions: each once for each thread; exact: no function is inexact",
    ),
    "run#simulation.lines": (_counts, "counts of a line"),
    "run#simulation.races": (
        lambda x: x["lost"] is None or bool(re.fullmatch("[0-9a-f]+", x["lost"])),
        "lost: in hexadecimal",
    ),
    "sweep": (
        _is_sweep,
        "ok: a variant was timed, or counted; index: from 0; values: one for each axis",
    ),
}
"""By the place of an object in the schemas: whether the claims hold, and what they are."""


def _asked_for() -> Iterator[tuple[str, list[str]]]:
    for field in (field for name in NAMES for field in fields(name)):
        if match := _WITH.search(field.description):
            yield field.place, re.findall("`([^`]+)`", match["options"])


ASKED_FOR = dict(_asked_for())
"""The fields that are there only with one of these options, by their place."""


def broken_claims(words: Sequence[str], answer: Any) -> list[str]:
    """The claims of its schema that do not hold in the answer to a command."""
    command = " ".join(words).replace("=", " ")
    broken = []
    for place, part in objects(schema_of(words), answer):
        holds, claim = CLAIMS.get(place, (bool, ""))
        broken += [f"{place}: {claim}"] * (not holds(part))
        for key, value in part.items():
            options = ASKED_FOR.get(f"{place}.{key}")
            if options and value is not None and not any(o in command for o in options):
                broken.append(f"{place}.{key}: with {' or '.join(options)}")
    return broken


def objects(name: str, value: Any) -> Iterator[tuple[str, Json]]:
    """The objects in an answer with their places in the schemas, such as ``run#launch.buffers``."""
    return _objects(schema(name), name, value)


def _objects(part: Json, place: str, value: Any) -> Iterator[tuple[str, Json]]:
    if reference := part.get("$ref"):
        yield from _objects(*_target(reference, place), value)
    for alternative in part.get("anyOf", ()):
        yield from _objects(alternative, place, value)
    if isinstance(value, list):
        for element in value if "items" in part else ():
            yield from _objects(part["items"], place, element)
    if isinstance(value, dict):
        properties, others = part.get("properties", {}), part.get("additionalProperties")
        # Of several alternatives it is that one whose fields it has.
        if not value.keys() >= set(part.get("required", ())):
            return
        if properties:
            yield place, value
        for key, inner in value.items():
            if key in properties:
                yield from _objects(properties[key], f"{place}.{key}", inner)
            elif isinstance(others, dict):
                yield from _objects(others, place, inner)


def _target(reference: str, place: str) -> tuple[Json, str]:
    """What a reference such as ``common.json#/$defs/kernel`` leads to, and its place."""
    file, _, pointer = reference.partition("#/")
    name = file.removesuffix(".json") or re.split("[#.]", place)[0]
    steps = pointer.split("/")
    part = reduce(lambda content, step: content[step], steps, schema(name))
    names = [step for step in steps if step not in ("$defs", "properties", "items")]
    return part, ("#" if steps[0] == "$defs" else ".").join((name, *names))
