"""Builds before and after a change on disk or of the options, made at random from a seed.

Each scenario is a small CUDA C++ module the result of which hangs on a header: how the module
names it, where it lies, and what becomes of it between two builds are drawn independently.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.request import BuildRequest
from tests.support import request, sample

KERNEL = 'extern "C" __global__ void k(int* p) { *p = VALUE; }\n'
# Keeps the front end busy before it comes to the header.
SLOW = """\
__device__ constexpr unsigned busy(unsigned n) {
    unsigned x = 0;
    for (unsigned i = 0; i < n; ++i) x += i * i;
    return x;
}
static_assert(busy(300000) != 1, "");
"""

# How a text names the file NAME.
INCLUDES = {
    "quoted": '#include "NAME"\n',
    "angled": "#include <NAME>\n",
    "comments": '#/**/include/* why */"NAME"\n',
    "long comment": "#/*" + 300 * "-" + '*/include "NAME"\n',
    "comment of two lines": '#/* two\nlines */include "NAME"\n',
    "spliced": '#inc\\\nlude "NAME"\n',
    "spliced after a blank": '#inc\\ \nlude "NAME"\n',
    "digraph": '%:include "NAME"\n',
    "macro": '#define WHERE "NAME"\n#include WHERE\n',
    "macro of the options": "#include WHERE\n",
    "next": '#include_next "NAME"\n',
    "after a comment": '/* why */ #include "NAME"\n',
    "behind another name": '#include "./NAME"\n',
}
# How a text asks whether the file NAME is there: what stands before, and the question.
QUESTIONS = {
    "plain": ("", "__has_include(<NAME>)"),
    "quoted": ("", '__has_include("NAME")'),
    "comments": ("", "__has_include/**/( /**/ <NAME>)"),
    "spliced": ("", "__has_inc\\\nlude(<NAME>)"),
    "alias": ("#define HAS __has_include\n", "HAS(<NAME>)"),
    "pasted": ("#define GLUE(a, b) a##b\n", "GLUE(__has_,include)(<NAME>)"),
    "macro": ("#define ASKED __has_include(<NAME>)\n", "ASKED"),
    "next": ("", "__has_include_next(<NAME>)"),
    "of the options": ("", "HERE(<NAME>)"),
}
ASKING = """\
#if QUESTION
#define VALUE 31
#else
#define VALUE 32
#endif
"""


@dataclass
class Scenario:
    """A build, a change, the same build or another.

    Attributes:
        name: What it is, in words.
        before, after: What to build.
        change: What happens in between.
        during: What happens while the first build runs, if anything does.
        back: What undoes the change, if anything can.
    """

    name: str
    before: BuildRequest
    after: BuildRequest
    change: Callable[[], object] = lambda: None
    during: Callable[[], object] | None = None
    back: Callable[[], object] | None = None


@dataclass
class Place:
    """Where the header lies, and how the compiler is led there.

    Attributes:
        header: The file.
        earlier: A file of the same name that would be found first.
        options: What leads there.
        name: How the text names it.
        folder: The folder of the module's file.
    """

    header: Path
    earlier: Path
    options: tuple[str, ...] = ()
    name: str = "value.h"
    folder: str = ""
    link: Path | None = None


def scenario(seed: int, folder: Path) -> Scenario:
    """The scenario of a seed, with its files in an empty folder."""
    chance = random.Random(seed)
    make = chance.choices((_edited, _asking, _raced, _optioned), (10, 4, 2, 1))[0]
    return make(chance, folder)


def write(path: Path, value: int, stamp: os.stat_result | None = None) -> None:
    """Give the header a value, of two digits; with the times of another if wanted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#define VALUE {value:02}\n")
    if stamp:
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def _edited(chance: random.Random, folder: Path) -> Scenario:
    place_kind = chance.choice(sorted(PLACES))
    place = PLACES[place_kind](folder)
    spelled = chance.choice(sorted(INCLUDES))
    change_kind = chance.choice(sorted(CHANGES))
    write(place.header, 11)
    if place.earlier != place.header and change_kind == "hidden no more":
        write(place.earlier, 12)
    if chance.random() < 0.7:
        os.utime(place.header, (1e9, 1e9))
    chain = chance.choice(("module", "header", "memory", "forced"))
    wanted = _request(chain, folder, place, INCLUDES[spelled].replace("NAME", place.name))
    change, back = CHANGES[change_kind](place)
    name = f"{change_kind}; {place_kind}; include: {spelled}; named in: {chain}"
    return Scenario(name, wanted, wanted, change, back=back)


def _request(chain: str, folder: Path, place: Place, include: str) -> BuildRequest:
    options = (*place.options, f'-DWHERE="{place.name}"')
    headers: tuple[Header, ...] = ()
    match chain:
        case "header":
            write_text(place.header.parent / "outer.h", include)
            options += (f"-I{place.header.parent}",)
            include = '#include "outer.h"\n'
        case "memory":
            headers = (Header("tab.cuh", include.encode()),)
            include = '#include "tab.cuh"\n'
        case "forced":
            include = ""
            options += (f"--pre-include={place.name}",)
    source = Source("k.cu", CodeKind.CUDA, f"{include}{KERNEL}".encode(), folder=place.folder)
    return request(source, options=options, headers=headers)


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _two_folders(folder: Path) -> Place:
    (folder / "one").mkdir()
    options = (f"-I{folder / 'one'}", f"--include-path={folder / 'two'}")
    return Place(folder / "two" / "value.h", folder / "one" / "value.h", options)


def _beside(folder: Path) -> Place:
    options = (f"-I{folder / 'include'}",)
    (folder / "src").mkdir()
    header = folder / "include" / "value.h"
    return Place(header, folder / "src" / "value.h", options, folder=str(folder / "src"))


def _deep(folder: Path) -> Place:
    place = _two_folders(folder)
    place.header = folder / "two" / "sub" / "value.h"
    place.earlier = folder / "one" / "sub" / "value.h"
    place.name = "sub/value.h"
    return place


def _through_a_link(folder: Path) -> Place:
    """`-Ibuild/../include`, and build is a link to somewhere else."""
    (folder / "else" / "where").mkdir(parents=True)
    (folder / "build").symlink_to(folder / "else" / "where")
    header = folder / "else" / "include" / "value.h"
    decoy = folder / "include" / "value.h"
    write(decoy, 99)
    return Place(header, header, (f"-I{folder}/build/../include",))


def _linked_folder(folder: Path) -> Place:
    header = folder / "real" / "value.h"
    (folder / "include").symlink_to(folder / "real")
    return Place(header, header, (f"-I{folder / 'include'}",), link=folder / "include")


def _linked_file(folder: Path) -> Place:
    header = folder / "real" / "value.h"
    write_text(folder / "include" / "other.h", "")
    (folder / "include" / "value.h").symlink_to(header)
    return Place(header, header, (f"-I{folder / 'include'}",), link=folder / "include" / "value.h")


def _toolkit(folder: Path) -> Place:
    for place in ("bin", "nvvm", "include"):
        (folder / place).mkdir()
    (folder / "bin" / "nvcc").touch()
    header = folder / "include" / "value.h"
    return Place(header, header, (f"-I{folder / 'include'}",))


def _wheel(folder: Path) -> Place:
    include = folder / "site-packages" / "nvidia" / "cu13" / "include"
    include.mkdir(parents=True)
    return Place(include / "value.h", include / "value.h", ("-I", str(include)))


def _forced(folder: Path) -> Place:
    header = folder / "settings.h"
    return Place(header, header, (f"-I={folder}",), name=str(header))


PLACES: dict[str, Callable[[Path], Place]] = {
    "two folders": _two_folders,
    "beside": _beside,
    "deep": _deep,
    "through a link": _through_a_link,
    "linked folder": _linked_folder,
    "linked file": _linked_file,
    "like a toolkit": _toolkit,
    "like a wheel": _wheel,
    "whole path": _forced,
}

_Change = tuple[Callable[[], object], Callable[[], object] | None]


def _edit(place: Place) -> _Change:
    return lambda: write(place.header, 22), lambda: write(place.header, 11)


def _edit_unseen(place: Place) -> _Change:
    """Same size, same time."""
    stamp = place.header.stat()
    return lambda: write(place.header, 22, stamp), lambda: write(place.header, 11, stamp)


def _replace_unseen(place: Place) -> _Change:
    """Another file of the same size and time in its place."""
    stamp = place.header.stat()
    other = place.header.with_name("other.tmp")

    def change(value: int) -> None:
        write(other, value, stamp)
        other.replace(place.header)

    return lambda: change(22), lambda: change(11)


def _remove(place: Place) -> _Change:
    return place.header.unlink, lambda: write(place.header, 11)


def _hide(place: Place) -> _Change:
    if place.earlier == place.header:
        return _edit(place)
    return lambda: write(place.earlier, 33), place.earlier.unlink


def _hide_less(place: Place) -> _Change:
    if place.earlier == place.header:
        return _remove(place)
    return place.earlier.unlink, lambda: write(place.earlier, 12)


def _switch(place: Place) -> _Change:
    """The link leads somewhere else; size and time are the same there."""
    if place.link is None:
        return _replace_unseen(place)
    link, target, old = place.link, place.link.resolve(), place.link.readlink()
    other = target.with_name(f"other-{target.name}")
    to = other / "value.h" if target.is_dir() else other
    write(to, 44, place.header.stat())
    for name in ("outer.h",):
        if target.is_dir() and (target / name).exists():
            (other / name).write_text((target / name).read_text())

    def point(where: Path) -> None:
        link.unlink()
        link.symlink_to(where)

    return lambda: point(other), lambda: point(old)


def _replace_folder(place: Place) -> _Change:
    """Another folder by the same name, the header in it of the same size and time."""
    folder = place.header.parent
    other, kept = folder.with_name("spare"), folder.with_name("kept")
    write(other / "value.h", 55, place.header.stat())

    def change() -> None:
        for file in folder.iterdir():
            if file.name == "outer.h":
                (other / file.name).write_text(file.read_text())
        folder.rename(kept)
        other.rename(folder)

    def back() -> None:
        folder.rename(other)
        kept.rename(folder)

    return change, back


CHANGES: dict[str, Callable[[Place], _Change]] = {
    "edited": _edit,
    "edited unseen": _edit_unseen,
    "replaced unseen": _replace_unseen,
    "removed": _remove,
    "hidden by another": _hide,
    "hidden no more": _hide_less,
    "link switched": _switch,
    "folder replaced": _replace_folder,
    "nothing": lambda place: (lambda: None, None),
}


def _asking(chance: random.Random, folder: Path) -> Scenario:
    """The module asks for a file, which comes or goes."""
    kind = chance.choice(sorted(QUESTIONS))
    place = folder / "include" / "there.h"
    place.parent.mkdir()
    before, question = QUESTIONS[kind]
    text = before + ASKING.replace("QUESTION", question)
    text = text.replace("NAME", place.name) + KERNEL
    options = (f"-I{place.parent}", "-DHERE=__has_include")
    chain = chance.choice(("module", "header"))
    if chain == "header":
        write_text(place.parent / "asks.h", text)
        text = '#include "asks.h"\n'
    wanted = request(Source("k.cu", CodeKind.CUDA, text.encode()), options=options)
    comes = chance.random() < 0.7
    if not comes:
        place.touch()
    pair = (place.touch, place.unlink) if comes else (place.unlink, place.touch)
    name = f"asked for: {kind}; {'comes' if comes else 'goes'}; named in: {chain}"
    return Scenario(name, wanted, wanted, pair[0], back=pair[1])


def _raced(chance: random.Random, folder: Path) -> Scenario:
    """The header changes while the build runs, and is as before when the next begins."""
    place = PLACES[chance.choice(["two folders", "beside", "deep", "linked file"])](folder)
    write(place.header, 11)
    write_text(folder / "slow" / "slow.h", SLOW)
    text = f'#include "slow.h"\n#include "{place.name}"\n{KERNEL}'
    options = (*place.options, f"-I{folder / 'slow'}")
    source = Source("k.cu", CodeKind.CUDA, text.encode(), folder=place.folder)
    kind = chance.choice(
        ["edited", "edited unseen", "replaced unseen", "link switched", "hidden by another"]
    )
    os.utime(place.header, (1e9, 1e9))
    during, change = CHANGES[kind](place)
    assert change is not None
    wanted = request(source, options=options)
    return Scenario(f"{kind} while it is built, and back", wanted, wanted, change, during)


# What changes a build, and may change the next one in the same process.
_TRACES = {
    "LLVM": (("fill_typed.ll",), "none", ("nvvm:-Xopt", "nvvm:-opt-bisect-limit=0")),
    "LLVM of the link": (
        ("apply_transform.cu", "user_transform.cu"),
        "lto",
        ("-Xnvvm=-Xopt", "-Xnvvm=-opt-bisect-limit=0"),
    ),
    "front end": (("vector_add.cu",), "none", ("-Xcudafe", "--no_remove_unneeded_entities")),
    "remarks": (("vector_add.cu",), "none", ("--optimization-info=inline",)),
}


def _optioned(chance: random.Random, folder: Path) -> Scenario:
    """Options that outlast their build."""
    kind = chance.choice(sorted(_TRACES))
    names, link, options = _TRACES[kind]
    emit = "cubin" if link == "lto" else "ptx"
    # In a place of its own in the cache.
    own = f"-DSEED={chance.random()}" if names[0].endswith(".cu") else f"-maxrregcount={64}"
    sources = [replace(sample(name), name=f"{folder.name}-{name}") for name in names]
    before, after = (
        request(*sources, link=link, emit=emit, options=(own, *more)) for more in (options, ())
    )
    return Scenario(f"options: {kind}", before, after)
