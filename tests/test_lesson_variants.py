"""Programs of the kind that pupils write: the right ones pass their lesson, no others."""

import json
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from jitstudio.help.lesson_copies import copy_lesson
from jitstudio.help.lessons import find_lesson
from tests.support import QUICK_ARCH

FOLDER = Path(__file__).parent / "data" / "lesson_variants"
KINDS = ("right", "wrong")
LEAST = 6
pytestmark = pytest.mark.usefixtures("shared_cache")


@dataclass(frozen=True)
class Variant:
    """A pupil's program for a lesson.

    Attributes:
        lesson: The name of the lesson.
        is_right: Whether it does what the lesson asks for.
        text: In place of the first module of the lesson's project.
        settings: In place of values of the project; those of its launch where it has them.
        module: Which other module the text is in place of; all others are those of the solution.
        is_usual: Whether it is tried by default.
    """

    lesson: str
    name: str
    is_right: bool
    text: str
    settings: dict[str, str]
    module: str = ""
    is_usual: bool = False

    def __str__(self):
        return f"{self.lesson[:2]} {'right' if self.is_right else 'wrong'}: {self.name}"

    def can_be_for(self, arch):
        """Whether the target has what the lesson is about."""
        least = find_lesson(self.lesson).least_target
        return not least or Arch.parse(least) <= Arch.parse(arch)

    def hand_in(self, folder):
        """The pupil's folder."""
        assert copy_lesson(find_lesson(self.lesson), folder)
        place = folder / "lesson.jitproj"
        project = json.loads(place.read_text())
        for key, value in self.settings.items():
            (project["launches"][0] if key in project["launches"][0] else project)[key] = value
        place.write_text(json.dumps(project))
        if self.module:
            for module in project["modules"]:
                solution = find_lesson(self.lesson).folder / "solution" / module["path"]
                shutil.copyfile(solution, folder / module["path"])
        (folder / (self.module or project["modules"][0]["path"])).write_text(self.text)
        return folder


def variants():
    for path in sorted(FOLDER.iterdir()):
        tables = tomllib.loads(path.read_text())
        for kind in KINDS:
            assert len(tables[kind]) >= LEAST
            for table in tables[kind]:
                name, text = table.pop("name"), table.pop("text")
                module, is_usual = table.pop("module", ""), table.pop("usual", False)
                yield Variant(path.stem, name, kind == "right", text, table, module, is_usual)


VARIANTS = list(variants())
TARGETS = ("sm_75", "sm_90", "sm_120")


def judged(run, variant, folder, arch):
    ran = run("lesson", "check", "--json", variant.hand_in(folder), "--arch", arch)
    missed = [g for g in ran.json["goals"] if not g["reached"] and not g["skipped"]]
    return ran.code, [(g["goal"], *g["reasons"]) for g in missed]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.is_usual], ids=str)
def test_programs_that_are_easily_misjudged(run, tmp_path, variant):
    is_quick = variant.can_be_for(str(QUICK_ARCH))
    arch = QUICK_ARCH if is_quick else find_lesson(variant.lesson).least_target
    code, missed = judged(run, variant, tmp_path / "mine", arch)
    assert (code == 0) == variant.is_right, missed


@pytest.mark.bench
@pytest.mark.parametrize(
    ("variant", "arch"),
    [(v, arch) for v in VARIANTS for arch in TARGETS if v.can_be_for(arch)],
    ids=str,
)
def test_right_programs_pass_and_wrong_ones_do_not(run, tmp_path, variant, arch):
    code, missed = judged(run, variant, tmp_path / "mine", arch)
    assert (code == 0) == variant.is_right, missed
