import json
import os
from pathlib import Path

import pytest

from jitstudio.core.toolchain_folders import (
    AddedToolchains,
    ToolchainError,
    ToolchainFolder,
    chosen,
    named,
    toolchain_in,
)
from jitstudio.core.tools import Tool

_RUNTIME = "#define CUDART_VERSION  12090\n"


def _files(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(_RUNTIME if name.endswith("runtime_api.h") else "")


_NVRTC = ("libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13")
_LAYOUTS = {
    "environment": "lib/python3.12/site-packages/nvidia/cu13/lib",
    "packages": "nvidia/cu13/lib",
    "older packages": "nvidia/cuda_nvrtc/lib",
    "toolkit": "lib64",
    "distribution": "targets/x86_64-linux/lib",
    "flat": "",
}


@pytest.mark.parametrize("layout", _LAYOUTS.values(), ids=_LAYOUTS)
def test_a_library_is_found_wherever_installers_put_it(layout, tmp_path):
    _files(tmp_path / layout, *_NVRTC)
    found = toolchain_in(str(tmp_path))
    assert found.files == {Tool.NVRTC: str(tmp_path / layout / "libnvrtc.so.13")}
    assert (found.version, found.problem) == ("13.0", "")
    assert str(tmp_path / layout / "libnvrtc-builtins.so.13.0") in found.places


def test_a_toolkit_has_headers_programs_and_libdevice(tmp_path):
    headers = ("include/cuda_fp16.h", "include/cuda_runtime_api.h", "include/cccl/cuda/std/version")
    _files(tmp_path, *headers, "bin/nvdisasm", "nvvm/lib64/libnvvm.so")
    _files(tmp_path, "nvvm/lib64/libnvvm.so.4", "nvvm/libdevice/libdevice.10.bc")
    found = toolchain_in(str(tmp_path))
    assert found == ToolchainFolder(
        str(tmp_path),
        "12.9",
        {
            Tool.NVVM: str(tmp_path / "nvvm/lib64/libnvvm.so.4"),
            Tool.NVDISASM: str(tmp_path / "bin/nvdisasm"),
        },
        (str(tmp_path / "include"), str(tmp_path / "include/cccl")),
        str(tmp_path / "nvvm/libdevice/libdevice.10.bc"),
    )


def test_a_folder_without_compilers_says_so(tmp_path):
    _files(tmp_path, "bin/nvdisasm")
    assert "holds none of libnvrtc.so" in toolchain_in(str(tmp_path)).problem
    assert "There is no folder" in toolchain_in(str(tmp_path / "gone")).problem


def test_a_text_means_an_added_version_or_a_folder(tmp_path):
    old, new, twin = (tmp_path / name for name in ("old", "new", "twin"))
    for folder, version in ((old, "12.9"), (new, "13.0"), (twin, "13.0")):
        _files(folder, "libnvrtc.so.13", f"libnvrtc-builtins.so.{version}")
    added = named(map(toolchain_in, map(str, (old, new, twin))))
    assert list(added) == ["12.9", "13.0 (new)", "13.0 (twin)"]
    assert chosen("13.0 (twin)", added) == str(twin)
    assert chosen("own", added) == ""
    assert chosen("12.9", added) == chosen(str(old), {}) == str(old)
    with pytest.raises(ToolchainError, match=r"'13\.0' is neither .* Known: own, 12\.9, "):
        chosen("13.0", added)
    with pytest.raises(ToolchainError, match="holds none of"):
        chosen(str(tmp_path), added)


def test_what_was_added_is_kept_and_nobody_elses_file_is_believed(tmp_path):
    file = tmp_path / "settings" / "toolchains.json"
    added = AddedToolchains(file)
    assert added.folders == ()
    added.keep([str(tmp_path), str(tmp_path / "x/.."), "/somewhere"])
    assert AddedToolchains(file).folders == (str(tmp_path), "/somewhere")
    assert file.stat().st_mode & 0o777 == 0o600
    os.chmod(file, 0o622)
    assert added.folders == ()
    os.chmod(file, 0o600)
    for text in ("", "{", "[]", '{"version": 2, "folders": ["/a"]}', '{"version": 1}'):
        file.write_text(text)
        assert added.folders == ()
    file.write_text(json.dumps({"version": 1, "folders": ["relative", "/a"]}))
    assert added.folders == ("/a",)
