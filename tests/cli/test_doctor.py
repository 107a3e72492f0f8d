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
    assert set(told) == {"tools", "archs", "driver", "sandbox", "window"}
    assert [tool["tool"] for tool in told["tools"]] == [
        "NVRTC",
        "libNVVM",
        "nvJitLink",
        "nvFatbin",
        "nvdisasm",
        "cuobjdump",
        "nvcc",
    ]
    assert all(tool["version"] and not tool["problem"] for tool in told["tools"][:-1])
    assert {"arch": "sm_90", "llvm": 7} in told["archs"]
    assert set(told["driver"]) == {"cuda_version", "problem", "devices"}
    assert set(told["window"]) == {"problem", "missing", "remedy"}


def test_without_a_display_it_says_that_no_window_can_be_opened(run_apart):
    ran = run_apart("doctor", "--json", QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    assert ran.code == 0
    assert ran.json["window"]["problem"]
