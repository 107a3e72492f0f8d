"""`jitstudio sample` writes samples that build and run as they do in the window."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.project.format import load
from jitstudio.help.samples import find_sample, project_of, samples


def test_samples_are_listed_by_names_of_their_own(run):
    ran = run("sample")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == [x.name for x in samples()]
    assert len({sample.name for sample in samples()}) == len(samples())
    for sample in samples():
        assert sample.summary in ran.out
        assert find_sample(sample.name) is sample


@pytest.mark.parametrize("sample", samples(), ids=[sample.name for sample in samples()])
def test_each_sample_is_written_whole(run, tmp_path, sample):
    folder = tmp_path / "here"
    ran = run("sample", sample.name, "-o", str(folder))
    assert ran.code == 0
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {str(folder / name) for name in written} == set(ran.out.split("\n")) - {""}
    for file in sample.files:
        assert written.pop(file.path.name) == file.path.read_bytes()
    project = project_of(sample)
    if project is None:
        assert sample.files[0].path.suffix == ".jitkernel"
        assert [*written] == [sample.script.name]
    else:
        ((name, content),) = written.items()
        assert name == f"{sample.name}.jitproj"
        assert load(content) == project


def test_a_sample_has_its_target_link_headers_and_expressions():
    assert str(project_of(find_sample("fill_opaque")).arch) == "sm_100"
    assert project_of(find_sample("apply_transform")).link.value == "lto"
    assert [h.name for h in project_of(find_sample("histogram")).headers] == ["atomic_ops.cuh"]
    (module,) = project_of(find_sample("saxpy")).modules
    assert (module.kind, module.path) == (CodeKind.CUDA, "saxpy.cu")
    assert module.name_expressions == ("saxpy<float>", "saxpy<double>")


def test_a_written_sample_runs_in_the_simulator(run, tmp_path):
    assert run("sample", "vector_add", "-o", str(tmp_path / "v")).code == 0
    project = str(tmp_path / "v" / "vector_add.jitproj")
    ran = run("run", project, "--device", "sim", "--arg", "n=4096")
    assert ran.code == 0
    assert "all 4,096 elements as expected" in ran.out


def test_no_file_is_changed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "vector_add" / "vector_add.cu"
    source.parent.mkdir()
    source.write_text("// mine\n")
    ran = run("sample", "vector_add")
    assert (ran.code, ran.out) == (2, "")
    assert "'vector_add.cu' would be replaced in 'vector_add'" in ran.err
    assert [path.name for path in source.parent.iterdir()] == ["vector_add.cu"]
    assert source.read_text() == "// mine\n"


def test_an_unknown_sample_names_the_nearest(run):
    ran = run("sample", "sax")
    assert ran.code == 2
    assert "There is no sample 'sax'. Did you mean 'saxpy'?" in ran.err
