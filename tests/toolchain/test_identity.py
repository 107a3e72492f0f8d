import shutil
from pathlib import Path

import pytest

from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.probe import identity
from jitstudio.toolchain.tool_output import ToolMissing


@pytest.mark.parametrize("tool", [Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK, Tool.NVDISASM])
def test_a_tool_is_known_by_its_files(tool):
    file = identity(tool)
    assert file.path == locate.locate(tool)[0]
    assert file.path in {part.path for part in file.parts}
    assert file.is_there
    assert identity(tool) is file


@pytest.mark.parametrize(
    ("tool", "part"), [(Tool.NVRTC, "libnvrtc-builtins.so"), (Tool.NVVM, "libdevice.10.bc")]
)
def test_what_a_tool_loads_by_itself_belongs_to_it(tool, part):
    names = [Path(found.path).name for found in identity(tool).parts]
    assert any(name.startswith(part) for name in names)


def test_a_tool_that_has_changed_since_the_process_began_is_not_known(tmp_path, monkeypatch):
    program = tmp_path / "nvdisasm"
    shutil.copy2(locate.locate(Tool.NVDISASM)[0], program)
    monkeypatch.setattr(locate, "locate", lambda tool: (str(program), ""))
    identity.cache_clear()
    assert identity(Tool.NVDISASM) is None
    identity.cache_clear()


def test_a_tool_that_is_missing_has_no_file(monkeypatch):
    def missing(tool):
        raise ToolMissing(tool, "not here")

    monkeypatch.setattr(locate, "locate", missing)
    identity.cache_clear()
    assert identity(Tool.NVRTC) is None
    identity.cache_clear()
