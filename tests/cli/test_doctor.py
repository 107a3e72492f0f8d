from jitstudio.core.toolchain_folders import AddedToolchains


def test_it_tells_of_every_tool_in_words(run):
    ran = run("doctor")
    assert ran.code == 0
    heads = [line[:11].strip() for line in ran.out.splitlines()]
    for head in ("NVRTC", "libNVVM", "nvJitLink", "nvdisasm", "targets", "driver", "window"):
        assert head in heads
    assert "sm_90 (LLVM 7)" in ran.out


def test_its_json_has_the_promised_keys(run):
    ran = run("doctor", "--json")
    assert ran.code == 0
    told = ran.json
    assert set(told) == {"tools", "archs", "toolchains", "driver", "sandbox", "python", "window"}
    assert [tool["tool"] for tool in told["tools"]] == [
        "NVRTC",
        "libNVVM",
        "nvJitLink",
        "nvFatbin",
        "nvdisasm",
        "cuobjdump",
        "nvcc",
        "tileiras",
        "tileirdisasm",
    ]
    assert all(tool["version"] and not tool["problem"] for tool in told["tools"][:6])
    assert {"arch": "sm_90", "llvm": 7} in told["archs"]
    assert set(told["driver"]) == {"cuda_version", "problem", "devices"}
    assert set(told["window"]) == {"problem", "missing", "remedy"}


def test_without_a_display_it_says_that_no_window_can_be_opened(run_apart):
    ran = run_apart("doctor", "--json", QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    assert ran.code == 0
    assert ran.json["window"]["problem"]


def test_it_tells_what_other_versions_can_and_lack(run, tmp_path):
    library = next(
        tool["path"] for tool in run("doctor", "--json").json["tools"] if tool["tool"] == "libNVVM"
    )
    partial, broken, empty = (tmp_path / name for name in ("partial", "broken", "empty"))
    for folder in (partial, broken, empty):
        folder.mkdir()
    (partial / "libnvvm.so.4").symlink_to(library)
    (broken / "libnvrtc.so.13").write_bytes(b"no library")
    AddedToolchains().keep([str(partial)])
    words = [word for folder in (broken, empty, partial) for word in ("--toolchain", folder)]
    ran = run("doctor", "--json", *words)
    assert ran.code == 0
    told = {one["folder"]: one for one in ran.json["toolchains"]}
    assert list(told) == [str(partial), str(broken), str(empty)]
    versions = {tool["tool"]: tool["version"] for tool in told[str(partial)]["tools"]}
    assert versions["libNVVM"]
    assert versions["nvdisasm"]
    assert not versions["NVRTC"]
    problems = {tool["tool"]: tool["problem"] for tool in told[str(broken)]["tools"]}
    assert "cannot be loaded" in problems["NVRTC"]
    assert "no libNVVM" in problems["libNVVM"]
    assert "holds none of" in told[str(empty)]["problem"]
    text = run("doctor", *words).out
    assert f"toolchain    {partial}" in text
    assert "Not there, so not to be used: NVRTC, nvJitLink, nvFatbin" in text
    assert "From jitstudio's environment: nvdisasm, cuobjdump" in text


def test_devices_or_why_there_are_none(run):
    ran = run("devices", "--json")
    told = ran.json
    assert set(told) == {"cuda_version", "problem", "devices", "simulator"}
    assert told["simulator"] == {"id": "sim", "name": "Simulator (no GPU)"}
    assert ran.code == (0 if told["devices"] else 3)
    assert bool(told["problem"]) == (not told["devices"])


def test_the_terminal_says_that_building_works_all_the_same(run):
    ran = run("devices")
    if ran.code == 0:
        assert "compute capability" in ran.out
    else:
        assert "driver" in ran.err
        assert "'jitstudio build' works all the same" in ran.err
