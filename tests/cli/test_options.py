from jitstudio.core.options import OPTIONS


def test_all_options_are_listed_under_their_headings(run_apart):
    ran = run_apart("options", COLUMNS="100")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "Floating point" in lines
    assert [line.strip() for line in lines if line.startswith("  -")] == [s.usage for s in OPTIONS]


def test_a_search_finds_words_and_flags(run):
    ran = run("options", "denormal", "zero")
    assert ran.code == 0
    assert "  -ftz=<true|false>" in ran.out
    assert "Sent to NVRTC -ftz, libNVVM -ftz, nvJitLink -ftz. Also written --ftz." in ran.out
    assert ran.out.count("Sent to") == 1


def test_one_tool_can_be_asked_for(run):
    told = run("options", "--tool", "nvdisasm", "--json").json["options"]
    assert {tuple(row["flags"]) for row in told} == {("nvdisasm",)}
    assert {row["group"] for row in told} == {"Disassembly"}


def test_its_json_has_the_promised_keys(run):
    (row,) = run("options", "--json", "bundled", "headers").json["options"]
    sentence = row.pop("help")
    assert sentence.startswith("The folder into which NVRTC unpacks the CUDA headers")
    assert row == {
        "name": "Folder for bundled headers",
        "group": "Preprocessor",
        "usage": "--use-bundled-headers=<path>",
        "flags": {"NVRTC": "--use-bundled-headers"},
        "aliases": ["-use-bundled-headers"],
        "value": "path",
        "choices": [],
        "default": None,
        "repeated": False,
        "since": {"NVRTC": "13.3"},
        "managed": None,
        "effect": "writes",
    }


def test_what_a_project_may_not_use_is_told(run):
    def told(*words):
        return " ".join(run("options", *words).out.split())

    assert "Not before a project is trusted." in told("trace", "flame")
    assert "within its folder only." in told("include", "folder")
    assert "with values only that are known as harmless." in told("front", "inside")
    assert "trusted" not in told("denormal")


def test_nothing_found_is_told(run):
    ran = run("options", "frobnicate")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "jitstudio: no option is described by 'frobnicate'.\n"


def test_an_option_that_jitstudio_sends_is_refused_in_words(run):
    ran = run("options", "target architecture")
    assert "Cannot be given: the target says it" in " ".join(ran.out.split())
