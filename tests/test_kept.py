"""What is kept from run to run is what the tools gave, and only as long as the code is the same."""

import subprocess
from contextlib import closing

import pytest

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.toolchain import locate
from jitstudio.worker.builder import Builder
from tests import kept
from tests.nvdisasm_texts import KeptNvdisasm, NvdisasmTexts
from tests.support import GOOD, KERNEL, cuda
from tests.support import request as asked

KEY, OTHER = b"k" * 32, b"o" * 32


def test_a_text_is_found_by_other_processes(tmp_path):
    ours, theirs = (NvdisasmTexts(tmp_path / "texts") for _ in range(2))
    assert theirs.find(KEY) is None
    ours.add(KEY, b"listing")
    theirs.add(OTHER, b"")
    assert [texts.find(KEY) for texts in (ours, theirs)] == [b"listing"] * 2
    assert ours.find(OTHER) == b""


@pytest.mark.parametrize("left", [1, 40, 73])
def test_a_text_cut_off_is_none(tmp_path, left):
    path = tmp_path / "texts"
    NvdisasmTexts(path).add(KEY, b"a listing of some length")
    path.write_bytes(path.read_bytes()[:left])
    assert NvdisasmTexts(path).find(KEY) is None


def test_a_damaged_text_is_none(tmp_path):
    path = tmp_path / "texts"
    NvdisasmTexts(path).add(KEY, b"a listing of some length")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert NvdisasmTexts(path).find(KEY) is None


@pytest.mark.tools
def test_what_nvdisasm_prints_is_kept_by_options_and_content(tools, tmp_path):
    cubin = tmp_path / "good.cubin"
    cubin.write_bytes(tools.cubin(asked(*GOOD.sources, emit="cubin", arch="sm_75")).content)
    texts = tmp_path / "texts"
    nvdisasm = KeptNvdisasm(texts)
    sizes = []

    def printed(*options):
        with open(tmp_path / "printed", "w+b") as output:
            words = [locate.nvdisasm(), *options, str(cubin)]
            with nvdisasm.Popen(words, stdout=output, stderr=subprocess.PIPE) as running:
                assert running.communicate(timeout=60) == (None, b"")
            assert running.returncode == 0
            output.seek(0)
            content = output.read()
        assert nvdisasm.run(words, capture_output=True).stdout == content
        sizes.append(texts.stat().st_size)
        return content

    for options in (CODE_OPTIONS, LIVE_OPTIONS):
        words = [locate.nvdisasm(), *options, str(cubin)]
        real = subprocess.run(words, capture_output=True, check=True).stdout
        assert [printed(*options), printed(*options)] == [real, real]
    assert sizes[0] == sizes[1] < sizes[2] == sizes[3]

    cubin.write_bytes(b"no cubin")
    assert nvdisasm.run([locate.nvdisasm(), str(cubin)], capture_output=True).returncode != 0
    assert texts.stat().st_size == sizes[3]


@pytest.mark.tools
def test_of_another_folder_only_the_path_is_another(run_folder, tmp_path, monkeypatch):
    texts, cubin, sizes, printed = tmp_path / "texts", tmp_path / "k.cubin", [], []
    nvdisasm = KeptNvdisasm(texts)
    words = [locate.nvdisasm(), *CODE_OPTIONS, str(cubin)]
    wanted = asked(cuda(KERNEL), emit="cubin", arch="sm_75", options=("-lineinfo",))
    for name in ("a", f"of_words[{'b' * 40}]", "\xe9"):
        folder = kept.folder_of(run_folder, f"{__file__}::test_{name}")
        monkeypatch.chdir(folder)
        with closing(Builder()) as worker:
            (artifact,) = worker.build(wanted).artifacts
        cubin.write_bytes(artifact.content)
        printed.append(nvdisasm.run(words, capture_output=True).stdout)
        sizes.append(texts.stat().st_size)
        assert f'File "{folder}/kernel.cu"'.encode() in printed[-1]
    assert printed[-1] == subprocess.run(words, capture_output=True, check=True).stdout
    assert len(set(printed)) == 3
    assert len(set(sizes)) == 1


@pytest.mark.parametrize(
    ("changed", "is_other"),
    [
        ("jitstudio/toolchain/nvrtc.py", True),
        ("jitstudio/core/plan.py", True),
        ("jitstudio/analysis/sass/reading.py", True),
        ("jitstudio/__init__.py", True),
        ("resources/explanations.toml", True),
        ("resources/reference/sass.toml", True),
        ("jitstudio/gui/kit/theme.py", False),
        ("resources/help/index.md", False),
    ],
)
def test_results_are_of_the_code_that_makes_them(monkeypatch, tmp_path, changed, is_other):
    assert (kept.ROOT / changed).is_file()
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    path = tmp_path / changed
    for folder in (path.parent, tmp_path / "jitstudio", tmp_path / "resources"):
        folder.mkdir(parents=True, exist_ok=True)
    states = []
    for text in ("before", "after"):
        path.write_text(text)
        states.append(kept._state())
    assert (states[0] != states[1]) is is_other


def test_two_runs_have_two_folders():
    # The run of this test has one itself.
    folders = [kept.take_temporary_folder() for _ in range(2)]
    try:
        assert len({folder for folder, _ in folders}) == 2
    finally:
        for _, lock in folders:
            kept.os.close(lock)
