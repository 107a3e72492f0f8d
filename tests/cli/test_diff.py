import pytest

from tests.support import SAMPLES

pytestmark = pytest.mark.usefixtures("shared_cache")


@pytest.fixture(scope="module")
def tmp_path(one_folder):
    """The same for all tests: what one has built and read the others need not."""
    return one_folder


ADD = (SAMPLES / "vector_add.cu").read_text()
OTHERS = {
    "subtract.cu": ADD.replace("a[i] + b[i]", "a[i] - b[i]"),
    "renamed.cu": ADD.replace("sum", "total"),
}


def written(folder, name):
    path = folder / name
    path.write_text(OTHERS.get(name, ADD))
    return path


def test_a_file_is_equal_to_itself(run):
    path = SAMPLES / "vector_add.cu"
    ran = run("diff", path, path, "--json")
    assert ran.code == 0
    assert ran.json["equal"] is True
    assert ran.json["hunks"] == []
    figures = {figure["figure"]: figure for figure in ran.json["report"]}
    assert figures["instructions"]["a"] == figures["instructions"]["b"] > 0
    assert figures["instructions"]["delta"] == 0


def test_other_names_in_the_source_make_the_same_program(run, tmp_path):
    path = written(tmp_path, "renamed.cu")
    assert run("diff", SAMPLES / "vector_add.cu", path).code == 0
    assert run("diff", SAMPLES / "vector_add.cu", path, "--what", "source").code == 1


def test_another_operator_is_a_difference(run, tmp_path):
    path = written(tmp_path, "subtract.cu")
    for normalised in ((), ("--normalised",)):
        ran = run("diff", SAMPLES / "vector_add.cu", path, "--json", *normalised)
        assert ran.code == 1
        assert ran.json["equal"] is False
        assert ran.json["normalised"] is bool(normalised)
        ((row,),) = (hunk["rows"] for hunk in ran.json["hunks"])
        assert row["change"] == "changed"
        assert "FADD" in row["a"]
        ((start, end),) = row["b_marks"]
        assert row["b"][start:end] == "-"


def test_options_for_one_side_leave_the_other_as_it_is(run, tmp_path):
    path = written(tmp_path, "renamed.cu")
    sides = ("diff", SAMPLES / "vector_add.cu", path)
    assert run(*sides, "--options-for=renamed.cu=-G").code == 1
    assert run(*sides, "--options-for=renamed.cu=-DN=1").code == 0
    assert run(*sides, "--options-for=no.cu=-G").code == 2


def test_the_terminal_shows_a_unified_diff(run, tmp_path):
    path = written(tmp_path, "subtract.cu")
    ran = run("diff", SAMPLES / "vector_add.cu", path)
    lines = ran.out.splitlines()
    assert lines[:2] == [f"--- {SAMPLES / 'vector_add.cu'}", f"+++ {path}"]
    assert lines[2].startswith("@@ -")
    changed = [line for line in lines[3:] if line[:1] in ("-", "+")]
    assert [line[0] for line in changed] == ["-", "+"]
    assert "1 difference" in ran.err


def test_options_go_to_both(run, tmp_path):
    path = tmp_path / "loop.cu"
    path.write_text("""\
    extern "C" __global__ void k(float* p) {
    #ifdef TWICE
        p[0] *= 2.0f;
    #else
        p[0] *= 3.0f;
    #endif
    }""")
    other = tmp_path / "twice.cu"
    other.write_text('extern "C" __global__ void k(float* p) { p[0] *= 2.0f; }')
    assert run("diff", path, other).code == 1
    assert run("diff", path, other, "--option=-DTWICE", "--arch", "sm_80").code == 0


def test_machine_code_is_compared_with_the_source_it_was_made_from(run, tmp_path):
    source = SAMPLES / "vector_add.cu"
    made = run("build", source, "--emit", "cubin,sass", "-o", tmp_path)
    assert made.code == 0
    assert run("diff", tmp_path / "vector_add.cubin", source).code == 0
    assert run("diff", tmp_path / "vector_add.sass", source, "--normalised").code == 0
    other = written(tmp_path, "subtract.cu")
    assert run("diff", tmp_path / "vector_add.sass", other, "--normalised").code == 1


def test_ptx_is_compared_without_its_line_tables(run, tmp_path):
    spaced = tmp_path / "spaced.cu"
    spaced.write_text("\n\n" + ADD)
    source = SAMPLES / "vector_add.cu"
    assert run("diff", source, spaced, "--what", "ptx").code == 0
    assert run("diff", source, written(tmp_path, "subtract.cu"), "--what", "ptx").code == 1


def test_the_report_tells_what_became_of_a_kernel(run, tmp_path):
    more = tmp_path / "more.cu"
    more.write_text(ADD + 'extern "C" __global__ void more(int* p) { *p = 1; }')
    ran = run("diff", SAMPLES / "vector_add.cu", more, "--json")
    assert ran.code == 1
    added = [one for one in ran.json["report"] if one["name"] == "more"]
    assert {one["a"] for one in added} == {None}
    assert next(one for one in added if one["figure"] == "instructions")["b"] > 0


def test_what_cannot_be_built_is_not_called_different(run):
    ran = run("diff", SAMPLES / "vector_add.cu", SAMPLES / "broken.cu", "--json")
    assert ran.code == 2
    assert ran.json["equal"] is None
    assert ran.json["a"]["outcome"] == "built"
    assert ran.json["b"]["outcome"] == "failed"
    assert ran.json["b"]["diagnostics"]


def test_wrong_words_are_told(run, tmp_path):
    assert run("diff", SAMPLES / "vector_add.cu").code == 2
    ran = run("diff", SAMPLES / "vector_add.cu", tmp_path / "missing.cu")
    assert ran.code == 2
    assert "missing.cu" in ran.err
    ran = run("diff", SAMPLES / "scale.ptx", SAMPLES / "scale.ptx", "--what=ptx", "--normalised")
    assert ran.code == 2
    assert "--normalised" in ran.err
    empty = tmp_path / "empty.sass"
    empty.write_text("nothing\n")
    assert "no function" in run("diff", empty, empty).err


CONSTANTS = """\
__constant__ int table[2] = {1, 2};
extern "C" __global__ void k(int* p, int i) { *p = table[i]; }
"""
# As nvdisasm writes it without -c.
LISTED = """
\t.section\t.nv.constant3,"a",@progbits
        /*0000*/ \t.byte\t0x01, 0x00, 0x00, 0x00, {}, 0x00, 0x00, 0x00
"""


def test_a_listing_of_code_is_not_said_to_have_equal_data(run, tmp_path):
    for name, text in (("a", CONSTANTS), ("b", CONSTANTS.replace("2};", "3};"))):
        (tmp_path / f"{name}.cu").write_text(text)
        assert run("build", tmp_path / f"{name}.cu", "--emit=cubin,sass", "-o", tmp_path).code == 0
    a_cubin, b_cubin, a, b = (tmp_path / f"{n}.{e}" for e in ("cubin", "sass") for n in "ab")
    assert run("diff", a_cubin, b_cubin, "--json").json["data_compared"] is True
    for left, right in ((a, b), (a_cubin, b)):
        ran = run("diff", left, right, "--normalised")
        assert ran.code == 0
        assert ran.err.strip() == "the code is equal; data was not compared"
        assert run("diff", left, right, "--normalised", "--json").json["data_compared"] is False
    for path, byte in ((a, "0x02"), (b, "0x03")):
        path.write_text(path.read_text() + LISTED.format(byte))
    ran = run("diff", a, b, "--json")
    assert ran.code == 1
    assert ran.json["data_compared"] is True
    ((row,),) = (hunk["rows"] for hunk in ran.json["hunks"])
    assert "0x03" in row["b"]
    assert run("diff", a, a).err.strip() == "equal"


def test_machine_code_for_another_target_is_different(run, tmp_path):
    source = SAMPLES / "vector_add.cu"
    for arch in ("sm_90", "sm_90a"):
        made = run("build", source, "--emit=cubin", "--arch", arch, "-o", tmp_path / arch)
        assert made.code == 0
    left, right = (tmp_path / arch / "vector_add.cubin" for arch in ("sm_90", "sm_90a"))
    ran = run("diff", left, right, "--normalised")
    assert ran.code == 1
    changed = [line for line in ran.out.splitlines()[3:] if line[:1] in ("-", "+")]
    assert changed == ["-.target sm_90", "+.target sm_90a"]


def test_ptx_that_a_cubin_has_kept_is_compared_without_what_it_lacks(run, tmp_path):
    source = SAMPLES / "vector_add.cu"
    assert run("build", source, "--emit=cubin", "-o", tmp_path).code == 0
    cubin = tmp_path / "vector_add.cubin"
    ran = run("diff", cubin, source, "--what", "ptx", "--json")
    assert ran.code == 0
    assert ran.json["data_compared"] is None
    assert run("diff", cubin, written(tmp_path, "subtract.cu"), "--what", "ptx").code == 1


def test_the_help_tells_that_a_program_and_its_ptx_may_differ(run):
    told = " ".join(run("diff", "--help").out.split())
    assert "A .cu file and the .ptx file of the same program may differ" in told


def test_one_file_is_compared_as_two_versions_of_the_compilers_make_it(run, twin):
    path = SAMPLES / "vector_add.cu"
    ran = run("diff", path, "--toolchain", twin.folder, "--json")
    assert (ran.code, ran.json["equal"]) == (0, True)
    sides = [(ran.json[side]["name"], ran.json[side]["toolchain"]) for side in "ab"]
    assert sides == [(str(path), "own"), (str(path), twin.folder)]
    assert ran.json["b"]["compilers"] == [{"tool": "NVRTC", "version": twin.version}]
    both = run("diff", path, path, "--toolchain", twin.folder, "--json").json
    assert [both[side]["toolchain"] for side in "ab"] == [twin.folder] * 2
    turned = run("diff", path, "--toolchain", twin.folder, "--toolchain", "own", "--json").json
    assert [turned[side]["toolchain"] for side in "ab"] == [twin.folder, "own"]


def test_one_file_alone_needs_a_toolchain(run, twin):
    path = SAMPLES / "vector_add.cu"
    assert "Name two files; or one" in run("diff", path).err
    assert run("diff", path, "--what", "source", "--toolchain", twin.folder).code == 2
    assert "more than twice" in run("diff", path, *("--toolchain", "own") * 3).err
    assert "neither a folder nor" in run("diff", path, "--toolchain", "9.9").err
