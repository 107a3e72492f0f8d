import json
import random
from contextlib import suppress
from dataclasses import MISSING, fields, replace
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.project.format import LARGEST, VERSION, ProjectFormatError, dump, load
from jitstudio.core.project.project import (
    BreakLine,
    Member,
    Project,
    RunRecording,
    StepRecording,
)
from jitstudio.core.request import CudaCompiler, LinkMode

_OLD = Path(__file__).parents[2] / "data" / "projects"
_SMALL = Project(
    modules=(
        Member("a.cu", CodeKind.CUDA, "int x;\r\n", "", ("f<int>",), False),
        Member("b.bc", CodeKind.LLVM_IR, None, "lib/b.bc", is_library=True),
    ),
    headers=(Member("h.cuh", CodeKind.CUDA, "#define N 1"),),
    launches=(LaunchSpec("f", (("n", "4"),)),),
    sweeps=(VariantDraft("f", (AxisText(AxisKind.MACRO, "N", "1,2"),)),),
    steps=(
        StepRecording("f", 58, (1, 0, 0), (5, 2, 0), ((BreakLine("a.cu", 8), "tid.x < 4"),)),
        StepRecording("g", 1, breakpoints=((BreakLine("a", 9, True), ""),)),
    ),
    recordings=(RunRecording("f", bytes(range(256))),),
)

_UNLIKE = Project(
    modules=(
        Member(
            *("a.ptx", CodeKind.PTX, ".\n"),
            name_expressions=("f<int>",),
            included=False,
            options="-G",
        ),
        Member("b.bc", CodeKind.LLVM_IR, None, "b.bc", (), False, is_library=True, program="p"),
    ),
    headers=(Member("h.ptx", CodeKind.PTX, "."),),
    arch=Arch.parse("sm_120f"),
    options="-G",
    link=LinkMode.LTO,
    libdevice=True,
    join_ir=True,
    driver_jit=True,
    compiler=CudaCompiler.NVCC,
    keep_host_code=True,
    toolchain="13.0",
    launches=(
        LaunchSpec(
            warmup=2,
            repeats=3,
            flush_l2=not LaunchSpec.flush_l2,
            relative=0.5,
            absolute=0.25,
            integer_tolerance=4,
            poison=False,
            guards=False,
            sanitizer=Sanitizer.MEMCHECK,
            timeout=5.0,
            blocks=6,
            seed=7,
            seeds=8,
            both=True,
            kernel="f",
            arguments=(("n", "4"),),
            grid="1",
            cover="2",
            block="3",
            cluster="4",
            shared="5",
            cooperative=True,
            load=next(mode for mode in LoadMode if mode is not LaunchSpec.load),
            expectations=("n == 4",),
        ),
    ),
    kernel="f",
    sweeps=(VariantDraft("f", (AxisText(AxisKind.MACRO, "N", "1,2"),)),),
    steps=(StepRecording("f", 58, (1, 2, 3), (4, 5, 6), ((BreakLine("a", 9, True), "n < 4"),)),),
    recordings=(RunRecording("f", b"run"),),
    layout="compare",
    current="a.ptx",
    links={"p": LinkMode.PTX},
)
"""No field has its default."""

_OWNERS = (Project, Member, LaunchSpec, VariantDraft, AxisText)
_OWNERS += (StepRecording, BreakLine, RunRecording)


def _changed(**keys):
    """The file of a small project, with other values of these keys."""
    return json.dumps(json.loads(dump(_SMALL)) | keys).encode()


def _with_module(**keys):
    state = json.loads(dump(_SMALL))
    state["modules"][1] |= keys
    return json.dumps(state).encode()


def _with_launch(**keys):
    state = json.loads(dump(_SMALL))
    state["launches"][0] |= keys
    return json.dumps(state).encode()


def test_all_old_versions_are_read():
    for version in range(1, VERSION + 1):
        assert (_OLD / f"version-{version}.jitproj").is_file()


def test_the_first_version_says_what_it_said():
    project = load((_OLD / "version-1.jitproj").read_bytes())
    assert project.arch == Arch.parse("sm_90a")
    assert project.options == "-lineinfo -DN=4"
    assert project.link is LinkMode.LTO
    assert (project.libdevice, project.join_ir, project.driver_jit) == (True, False, False)
    scale, shared = project.modules
    assert scale.name == "scale.cu"
    assert scale.text is not None
    assert scale.text.startswith('#include "factor.cuh"\n')
    assert scale.text.endswith("}\n")
    assert scale.name_expressions == ("scale<float>",)
    assert shared == Member("shared.ptx", CodeKind.PTX, None, "kernels/shared.ptx", included=False)
    assert project.headers == (Member("factor.cuh", CodeKind.CUDA, "#define FACTOR 2"),)
    assert project.launches[0].arguments == (("out", "n:range:inout"), ("n", "1000"))
    assert project.sweeps[0].axes[0].values == "64, 128"
    assert (project.kernel, project.layout, project.current) == (
        "scale<float>",
        "compare",
        "scale.cu",
    )


def test_a_file_is_written_back_as_it_was_with_what_is_not_known():
    data = (_OLD / "version-1.jitproj").read_bytes()
    assert b"mascot" in data
    # What is not known goes behind what is.
    assert json.loads(dump(load(data))) == json.loads(data)
    assert dump(load(dump(load(data)))) == dump(load(data))


def test_programs_beside_the_own_are_read_and_written_back():
    data = (_OLD / "version-1-programs.jitproj").read_bytes()
    project = load(data)
    assert project.links == {"caller.cu": LinkMode.LTO}
    told = [(module.name, module.program, module.included) for module in project.modules]
    assert told == [
        ("alone.cu", "", True),
        ("caller.cu", "caller.cu", True),
        ("called.cu", "caller.cu", False),
    ]
    assert [module.name for module in project.modules if module.is_linked] == ["alone.cu"]
    assert dump(project) == data


def test_what_is_not_known_follows_its_module():
    project = load((_OLD / "version-1.jitproj").read_bytes())
    turned = json.loads(dump(replace(project, modules=project.modules[::-1])))
    assert [module.get("colour") for module in turned["modules"]] == [None, "blue"]


def test_a_changed_line_is_a_changed_line_of_the_file():
    module = _SMALL.modules[0]
    texts = ("one\ntwo\nthree\n", "one\nTWO\nthree\n")
    before, after = (
        dump(replace(_SMALL, modules=(replace(module, text=text),))).decode().split("\n")
        for text in texts
    )
    assert [line for line in after if line not in before] == ['        "TWO",']


def test_the_version_comes_first_and_the_file_ends_its_last_line():
    lines = dump(_SMALL).decode().split("\n")
    assert lines[:2] == ["{", f'  "version": {VERSION},']
    assert lines[-2:] == ["}", ""]


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "a\r\nb\n", "a\rb", "\ufeffa\n\n", "\u2028\x85\0\x1b\n", "π🧪"]
)
def test_texts_come_back_to_the_byte(text):
    project = Project((Member("a.cu", CodeKind.CUDA, text),))
    assert load(dump(project)) == project


def test_random_projects_come_back():
    rng = random.Random(5)
    for _ in range(300):
        project = _random_project(rng)
        assert load(dump(project)) == project


def test_damage_at_any_byte_is_told_in_words_or_harmless():
    data = dump(_SMALL)
    told = 0
    for place in range(len(data)):
        for damaged in (
            data[:place],
            data[:place] + data[place + 1 :],
            data[:place] + b"\xff" + data[place + 1 :],
            data[:place] + b"]" + data[place + 1 :],
            data[:place] + b"9" + data[place + 1 :],
        ):
            with suppress(ProjectFormatError):
                load(damaged)
                continue
            told += 1
    assert told > 3 * len(data)


def test_half_a_character_does_not_keep_a_project_from_being_written():
    project = replace(_SMALL, options="-D\ud800")
    assert load(dump(project)).options == "-D?"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "damaged in line 1, column 1"),
        (b"[]", "The file: an object belongs here, not a list"),
        (b'{"a": 1}', "does not say its version"),
        (b'{"version": 0}', "version: there is no version 0"),
        (b'{"version": true}', "version: a whole number belongs here, not true or false"),
        (b'{"version": 1, "version": 1}', "'version' stands twice"),
        (b'{"version": 1, "x": NaN}', "'NaN' is not a number"),
        (b'{"version": 1, "x": -Infinity}', "'-Infinity' is not a number"),
        (b'{"version": 1, "x": 1e999}', "'1e999' is not a number"),
        (b'{"version": 1, "x": 9' + 5000 * b"9" + b"}", "number that is too large"),
        (b'{"version": 1, "x": 9' + 50 * b"9" + b"}", "number that is too large"),
        (b'{"version": 1, "x": "\\ud800"}', "surrogate"),
        (b'{"version": 1, "\\udfff": 0}', "surrogate"),
        (b'{"version": 1, "x": ' + 90 * b"[" + 90 * b"]" + b"}", "nested too deeply"),
        (100_000 * b'{"x":', "nested too deeply"),
        (b'{"version": 1, "x": "\xff"}', "byte 21 is not UTF-8"),
        (b" " * (LARGEST + 1), "larger than the 64 MiB"),
        (_changed(version=VERSION + 1, modules=5), "A newer jitstudio has written it"),
        (_changed(target="sm90x"), "target: 'sm90x' is not a target"),
        (_changed(target=None), "target: a text belongs here, not null"),
        (_changed(link="hard"), "link: 'hard' is unknown here. Known: none, ptx, lto"),
        (_changed(links={"p": "hard"}), "links.p: 'hard' is unknown here. Known: none, ptx, lto"),
        (_changed(links=["p"]), "links: an object belongs here, not a list"),
        (_changed(options=["-O3"]), "options: a text belongs here, not a list"),
        (_changed(libdevice=1), "libdevice: true or false belongs here, not a whole number"),
        (_changed(modules={}), "modules: a list belongs here, not an object"),
        (_changed(modules=[3]), "modules[0]: an object belongs here, not a whole number"),
        (_changed(modules=1001 * [0]), "modules: 1001 entries are more than the 1000"),
        (_changed(headers=[{"name": "a.cu", "text": []}]), "headers[0].name: a module is called"),
        (_changed(steps=[{"step": -1}]), "steps[0].step: -1 is below 0"),
        (_changed(steps=[{"block": [1, 2]}]), "steps[0].block: three whole numbers"),
        (_changed(sweeps=[{"axes": [{"kind": "x"}]}]), "sweeps[0].axes[0].kind: 'x' is unknown"),
        (_with_module(kind="cudaa"), "modules[1].kind: 'cudaa' is unknown"),
        (_with_module(kind=7), "modules[1].kind: a text belongs here"),
        (_with_module(name=""), "modules[1].name: a name belongs here"),
        (_with_module(program="p"), "modules[1].program: an object belongs here, not a text"),
        (_with_module(program={}), "modules[1].program.name: a name belongs here"),
        (_with_module(name="a.cu"), "modules[1].name: 'a.cu' stands in this list already"),
        (_with_module(path=""), "modules[1].path: a name belongs here"),
        (_with_module(text=["x"]), "modules[1].text: either a text or a path"),
        (_with_module(name_expressions=[1]), "modules[1].name_expressions[0]: a text belongs"),
        (_changed(modules=[{"name": "a", "kind": "cubin", "text": []}]), "cubin is kept in a file"),
        (_with_launch(block=32), "launches[0].block: this cannot be"),
        (_with_launch(arguments=[]), "launches[0].arguments: this cannot be"),
        (_with_launch(arguments={"n": 4}), "launches[0].arguments: this cannot be"),
        (_with_launch(sanitizer="x"), "launches[0].sanitizer: this cannot be"),
        (_with_launch(kernel=None), "launches[0].kernel: this cannot be"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(data, words):
    with pytest.raises(ProjectFormatError) as told:
        load(data)
    assert words in str(told.value)


def test_what_a_file_does_not_say_stands_as_at_first():
    assert load(b'{"version": 1}') == Project()


def test_a_key_left_out_is_the_default_of_its_field():
    """The dataclasses say the defaults; each key of each object is left out of the file in turn."""
    state = json.loads(dump(_UNLIKE))
    refused, defaulted = set(), set()
    for record in [*_objects(state)]:
        for key in [*record]:
            whole = dict(record)
            del record[key]
            try:
                project = load(json.dumps(state).encode())
            except ProjectFormatError:
                refused.add(key)
            else:
                for owner, name, value in _differences(_UNLIKE, project):
                    default = _default(owner, name)
                    # The condition of a breakpoint, the empty text, stands in a tuple.
                    assert value == default or not (value or default), f"{key}: {owner}.{name}"
                    defaulted.add((owner, name))
            record.update(whole)
    assert refused == {"version", "name", "text", "path"}
    expected = {(owner, field.name) for owner in _OWNERS for field in fields(owner)}
    needed = {(Member, "name"), (Member, "text"), (Member, "path"), (BreakLine, "name")}
    assert defaulted == expected - needed - {(Project, "unknown")}


def _objects(value):
    """Yields the objects of a JSON value at any depth."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _objects(entry)


def _differences(old, new, owner=None, name=""):
    """Yields class, field and new value where two values, of dataclasses or texts, differ."""
    if isinstance(old, _OWNERS):
        for field in fields(old):
            pair = (getattr(value, field.name) for value in (old, new))
            yield from _differences(*pair, type(old), field.name)
    elif isinstance(old, tuple) and len(old) == len(new) and not {*map(type, old)} <= {int}:
        for pair in zip(old, new, strict=True):
            yield from _differences(*pair, owner, name)
    elif old != new:
        yield owner, name, new


def _default(owner, name):
    field = next(field for field in fields(owner) if field.name == name)
    if field.default_factory is not MISSING:
        return field.default_factory()
    least = {"str": "", "bytes": b"", "CodeKind": CodeKind.CUDA, "int": 1}
    return least.get(field.type, ()) if field.default is MISSING else field.default


def _random_text(rng):
    return "".join(rng.choices('ab{}[]"\\,: \n\r\t\0é\u2028🧪', k=rng.randrange(30)))


def _random_names(rng, ending):
    return [f"{number}{rng.choice('aé /')}{ending}" for number in range(rng.randrange(4))]


def _random_member(rng, name, kinds):
    if rng.random() < 0.4:
        return Member(name, rng.choice(list(CodeKind)), None, f"in/{name}")
    return Member(name, rng.choice(sorted(kinds, key=str)), _random_text(rng))


def _random_project(rng):
    modules = (
        replace(
            _random_member(rng, name, TEXT_KINDS),
            name_expressions=tuple(_random_text(rng) for _ in range(rng.randrange(3))),
            included=rng.random() < 0.5,
            is_library=rng.random() < 0.5,
            program=rng.choice(["", "p", "ü"]),
        )
        for name in _random_names(rng, ".cu")
    )
    launches = (
        LaunchSpec(
            kernel=name,
            arguments=((f"{name} n", _random_text(rng)),),
            block=_random_text(rng),
            load=rng.choice(list(LoadMode)),
            sanitizer=rng.choice([None, *Sanitizer]),
            relative=rng.choice([0.0, 1e-300, 0.1 + 0.2, 3]),
            expectations=(_random_text(rng),),
        )
        for name in _random_names(rng, "k")
    )
    sweeps = (
        VariantDraft(
            name, (AxisText(rng.choice(list(AxisKind)), _random_text(rng), _random_text(rng)),)
        )
        for name in _random_names(rng, "<{T}>")
    )
    return Project(
        modules=tuple(modules),
        headers=tuple(_random_member(rng, n, TEXT_KINDS) for n in _random_names(rng, ".h")),
        arch=Arch.parse(rng.choice(["sm_75", "sm_90a", "sm_120f"])),
        options=_random_text(rng),
        link=rng.choice(list(LinkMode)),
        links=rng.choice([{}, {"p": LinkMode.PTX, "ü": LinkMode.LTO}]),
        libdevice=rng.random() < 0.5,
        join_ir=rng.random() < 0.5,
        driver_jit=rng.random() < 0.5,
        compiler=rng.choice(list(CudaCompiler)),
        keep_host_code=rng.random() < 0.5,
        toolchain=rng.choice(["", "13.0 (cuda)"]),
        launches=tuple(launches),
        kernel=_random_text(rng),
        sweeps=tuple(sweeps),
        layout=_random_text(rng),
        current=_random_text(rng),
        unknown={("", ""): {"later": [_random_text(rng), None, 1.5]}},
    )
