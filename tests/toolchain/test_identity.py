from pathlib import Path

import pytest

from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.errors import ToolMissing
from jitstudio.toolchain.identity import identity


@pytest.mark.parametrize("tool", [Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK, Tool.NVDISASM])
def test_a_tool_is_known_by_its_file(tool):
    file = identity(tool)
    assert file.path == locate.locate(tool)[0]
    assert (file.size, file.mtime_ns) == (
        Path(file.path).stat().st_size,
        Path(file.path).stat().st_mtime_ns,
    )
    assert identity(tool) is file


def test_the_headers_that_nvrtc_brings_along_belong_to_it():
    folders = [Path(folder) for folder, _ in identity(Tool.NVRTC).folders]
    assert any((folder / "cuda_fp16.h").is_file() for folder in folders)


def test_a_tool_that_is_missing_has_no_file(monkeypatch):
    def missing(tool):
        raise ToolMissing(tool, "not here")

    monkeypatch.setattr(locate, "locate", missing)
    identity.cache_clear()
    assert identity(Tool.NVRTC) is None
    identity.cache_clear()
