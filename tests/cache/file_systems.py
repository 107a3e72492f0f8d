"""Programs whose value depends on which files there are, drawn at random from a seed.

A world is three folders with the same few names in each: a file, a link, a second name of a file, a
folder, nothing. Texts stand inside of a function and compute a number, so that which of them are
read, in which order and how often, is in the PTX. They name each other in every way that there is,
also by macros that spell directives, by trigraphs and by words that are pasted together.
"""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest
from tests.support import request

NAMES = tuple(f"f{number}.h" for number in range(4))
FOLDERS = ("src", "one", "two")
PROGRAM = """\
#define GLUE(a, b) a##b
#define QUOTE(x) #x
#define NAMED(x) QUOTE(x)
extern "C" __global__ void k(unsigned* p) {{
unsigned v = 1;
{body}
*p = v;
}}
"""
PLAIN_INCLUDES = ('#include "{0}"', "#include <{0}>")
NEXT_INCLUDES = ('#include_next "{0}"', "#include_next <{0}>")
INCLUDES = (
    '#include "./{0}"',
    '#include "../two/{0}"',
    '#inc\\\nlude "{0}"',
    '%:include "{0}"',
    '#/**/include/* why */"{0}"',
    '/* why */ #include "{0}"',
    '#define WHERE "{0}"\n#include WHERE\n#undef WHERE',
    '#define inc include\n#include "{0}"\n#undef inc',
    "#include NAMED({0})",
)
# What stands before a question, the question, and what takes away what was before.
PLAIN_QUESTIONS = (
    ("", '__has_include("{0}")', ""),
    ("", "__has_include(<{0}>)", ""),
    ("", 'defined(__has_include) && __has_include("{0}")', ""),
)
QUESTIONS = (
    ("", '__has_inc\\\nlude("{0}")', ""),
    ("", '__has_include/**/( "{0}" )', ""),
    ("#define ifdef __has_include\n", 'ifdef("{0}")', "#undef ifdef\n"),
    ("#define ifndef __has_include\n", "ifndef(<{0}>)", "#undef ifndef\n"),
    ("#define elifdef __has_include\n", 'elifdef("{0}")', "#undef elifdef\n"),
    ("#define HAS __has_include\n", 'HAS("{0}")', "#undef HAS\n"),
    ("#define HAS(x) __has_include(x)\n", 'HAS("{0}")', "#undef HAS\n"),
    ('#define HAS __has_include("{0}")\n', "HAS", "#undef HAS\n"),
    ("", 'GLUE(__has_,include)("{0}")', ""),
    ("#define CAT(a,b) a%:%:b\n", 'CAT(__has_inc,lude)("{0}")', "#undef CAT\n"),
)
# Up to C++ 14 only: later ones have no trigraphs.
OLD_INCLUDES = ('#inc??/\nlude "{0}"', '??=include "{0}"')
OLD_QUESTIONS = (
    ("#define CAT(a,b) a??=??=b\n", 'CAT(__has_,include)("{0}")', "#undef CAT\n"),
    ("#define CAT(a,b) a#??=b\n", 'CAT(__has_in,clude)("{0}")', "#undef CAT\n"),
)
OLD, *NEW = STANDARDS = ("--std=c++14", "--std=c++17", "--std=c++20")
GUARDS = ("", "#pragma once\n", "#pragma once\n", "#pragma once\n", '_Pragma("once")\n')


class World:
    """The files of a seed, and what becomes of them.

    Args:
        seed: The seed.
        folder: An empty folder.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self._numbers = iter(range(2, 10_000))
        self._standard = self._chance.choice(STANDARDS)
        # Few, so that what was there before comes back.
        self._texts = [[self._header(level) for _ in range(3)] for level in range(len(NAMES))]
        body = "\n".join(self._statements(-1, 6))
        self._text = PROGRAM.format(body=body)
        for name in FOLDERS:
            (folder / name).mkdir()
        for _ in range(8):
            self.change()

    def request(self) -> BuildRequest:
        """The build of this world, the same as long as it is."""
        src, one, two = (str(self._folder / name) for name in FOLDERS)
        source = Source("k.cu", CodeKind.CUDA, self._text.encode(), folder=src)
        return request(source, options=(f"-I{one}", f"-I{two}", self._standard))

    def change(self) -> str:
        """Changes one file, and returns how."""
        chance = self._chance
        level = chance.randrange(len(NAMES))
        path = self._folder / chance.choice(FOLDERS) / NAMES[level]
        # Of the same name or a later one, so that nothing includes itself for ever.
        others = [at for at in self._files() if at != path and at.name >= path.name]
        deed = chance.choice(DEEDS if others else (_write,))
        if deed is _write:
            _write(path, chance.choice(self._texts[level]))
        else:
            deed(path, chance.choice(others))
        return f"{deed.__name__} {path.relative_to(self._folder)}"

    def _files(self) -> list[Path]:
        paths = (self._folder / folder / name for folder in FOLDERS for name in NAMES)
        return [path for path in paths if path.is_file()]

    def _header(self, level: int) -> str:
        guard = self._chance.choice((*GUARDS, f"#ifndef G{level}\n#define G{level}\n"))
        end = "\n#endif\n" if guard.startswith("#ifndef") else "\n"
        return guard + "\n".join(self._statements(level, self._chance.randrange(1, 4))) + end

    def _statements(self, level: int, count: int) -> Iterator[str]:
        chance = self._chance
        old = self._standard == OLD
        for _ in range(count):
            yield f"v = v * 31 + {next(self._numbers)};"
            rare = chance.random() < 0.12
            if (later := NAMES[level + 1 :]) and chance.random() < 0.65:
                name = chance.choice(later)
                forms = (*INCLUDES, *(OLD_INCLUDES * old)) if rare else PLAIN_INCLUDES
                if level >= 0:  # no text of a module has a next one
                    forms += NEXT_INCLUDES
                # A file that is missing ends a compile, of which nothing is kept.
                yield f'#if __has_include("{name}")\n{chance.choice(forms).format(name)}\n#endif'
            else:
                rows = (*QUESTIONS, *(OLD_QUESTIONS * 4 * old)) if rare else PLAIN_QUESTIONS
                before, question, after = chance.choice(rows)
                name = chance.choice(NAMES)
                yield (
                    f"{before.format(name)}#if {question.format(name)}\n"
                    f"v = v * 31 + {next(self._numbers)};\n#else\nv = v * 17 + 1;\n#endif\n{after}"
                )


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    _clear(path)
    path.write_text(text)


def _remove(path: Path, other: Path) -> None:
    _clear(path)


def _link(path: Path, other: Path) -> None:
    _clear(path)
    path.symlink_to(other)


def _link_hard(path: Path, other: Path) -> None:
    real = other.resolve()
    if real != path:
        _clear(path)
        os.link(real, path)


def _copy(path: Path, other: Path) -> None:
    content = other.read_bytes()
    _clear(path)
    path.write_bytes(content)


def _copy_with_times(path: Path, other: Path) -> None:
    _copy(path, other)
    status = other.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _part(path: Path, other: Path) -> None:
    """What a link or a second name leads to becomes a file of its own."""
    if path.is_file():
        _copy_with_times(path, path) if path.is_symlink() else _copy(path, path)


def _make_folder(path: Path, other: Path) -> None:
    _clear(path)
    path.mkdir()


def _lead_nowhere(path: Path, other: Path) -> None:
    _clear(path)
    path.symlink_to("nowhere.h")


DEEDS: tuple[Callable[..., None], ...] = (
    *(_write, _write, _write, _remove, _remove, _link, _link, _link_hard),
    *(_copy, _copy_with_times, _part, _part, _part, _link_hard, _make_folder, _lead_nowhere),
)
