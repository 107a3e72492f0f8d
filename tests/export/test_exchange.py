"""Links of Compiler Explorer and projects as text, there and back, and damaged ones."""

import base64
import contextlib
import io
import json
import random
import zipfile
import zlib
from dataclasses import replace
from urllib.parse import quote

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.project.format import LARGEST, load
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.export.compiler_explorer import (
    ForeignStateError,
    link_of,
    project_from_file,
    project_from_link,
)
from jitstudio.export.link_codings import LzStringError, RisonError, decode, decompress
from jitstudio.export.project_text import (
    ProjectTextError,
    is_project_text,
    pack,
    project_of,
    texts_of,
    unpack,
)
from jitstudio.export.recipe import ExportError, carried_headers, exported_request, recipe_of
from tests.support import SAMPLES, cuda, request, sample, sample_header

# The examples of the format's own page.
RISON = {
    "(a:0,b:1)": {"a": 0, "b": 1},
    "(a:0,b:foo,c:'23skidoo')": {"a": 0, "b": "foo", "c": "23skidoo"},
    "(id:!n,type:/common/document)": {"id": None, "type": "/common/document"},
    "!(!t,!f,!n,'')": [True, False, None, ""],
    "!()": [],
    "()": {},
    "0": 0,
    "-3": -3,
    "1.5": 1.5,
    "1e30": 1e30,
    "1e-30": 1e-30,
    "a-z": "a-z",
    "'0a'": "0a",
    "'-h'": "-h",
    "'abc def'": "abc def",
    "'can!'t'": "can't",
    "'wow!!'": "wow!",
    "'user@domain.com'": "user@domain.com",
    "'US $10'": "US $10",
    "domain.com": "domain.com",
}


@pytest.mark.parametrize("text", RISON)
def test_rison_is_read_as_its_page_says(text):
    assert decode(text) == RISON[text]


@pytest.mark.parametrize(
    "text",
    ["", "(", "(a", "(a:)", "!(1,", "!(,1)", "'a", "'a!b'", "!x", "a b", "(" * 500, "!(" * 500],
)
def test_what_is_no_rison_is_refused(text):
    with pytest.raises(RisonError):
        decode(text)


# Made by lz-string itself, as its users' own tests have them.
LZ = {
    "BIUwNmD2A0AEDukBOYAmBCIA": "Hello, world!",
    "M4ewrgTgxgpgBMALhAlgOwOZAAA=": "source string",
    "Q===": "",
}


def test_lz_string_is_read_as_it_writes():
    for packed, text in LZ.items():
        assert decompress(packed, 100) == text
    with pytest.raises(LzStringError, match="more than 5"):
        decompress("BIUwNmD2A0AEDukBOYAmBCIA", 5)
    for wrong in ("", "BIUw", "BIU*", "/" * 40):
        with pytest.raises(LzStringError):
            decompress(wrong, 100)


def packed_by_lz(text):
    """Returns what lz-string makes of ASCII: the algorithm once more, by bits and not by codes."""
    bits, known, new, width, room, word = [], {}, set(), 2, 2, ""

    def put(value, count):
        bits.extend(value >> place & 1 for place in range(count))

    def grow():
        nonlocal room, width
        room -= 1
        if not room:
            room, width = 1 << width, width + 1

    def flush(word):
        if word in new:
            put(0, width)
            put(ord(word), 8)
            grow()
            new.discard(word)
        else:
            put(known[word], width)
        grow()

    for letter in text:
        if letter not in known:
            known[letter] = len(known) + 3
            new.add(letter)
        if word + letter in known:
            word += letter
            continue
        flush(word)
        known[word + letter] = len(known) + 3
        word = letter
    flush(word)
    put(2, width)
    bits += [0] * (-len(bits) % 6 or 6)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    values = (int("".join(map(str, bits[at : at + 6])), 2) for at in range(0, len(bits), 6))
    return "".join(letters[value] for value in values)


def test_long_texts_come_back_from_lz_string():
    assert packed_by_lz("Hello, world!").rstrip("A") == "BIUwNmD2A0AEDukBOYAmBCI"
    for seed in range(4):
        rng = random.Random(seed)
        text = "".join(rng.choice("abc \n{}%") for _ in range(rng.randrange(1, 6000)))
        assert decompress(packed_by_lz(text), 10_000) == text


SOURCE = "// 100% of it's $ü\n__global__ void k(float *x) { x[0] = 1; }\n"
LAYOUT = (
    "g:!((g:!((h:codeEditor,i:(j:1,lang:cuda,source:{source}),k:50,l:'5',n:'0',o:'CUDA+C%2B%2B',"
    "t:'0'),(h:compiler,i:(compiler:nvcc125u1,filters:(b:'0',binary:'1'),lang:cuda,libs:!(),"
    "options:'--use_fast_math+-arch%3Dsm_80+-Xcompiler+-O2',source:1),l:'5')),k:50,l:'2')),version:4"
)


def address(source):
    quoted = quote("'" + source.replace("!", "!!").replace("'", "!'") + "'", safe="'!/")
    return LAYOUT.replace("{source}", quoted)


@pytest.mark.parametrize("is_packed", [False, True])
def test_the_address_bar_is_imported(is_packed):
    fragment = address(SOURCE)
    if is_packed:
        fragment = f"z:'{quote(packed_by_lz(fragment))}'"
    found = project_from_link(f"https://cuda.godbolt.org/#{fragment}")
    (module,) = found.project.modules
    assert (module.kind, module.text) == (CodeKind.CUDA, SOURCE)
    assert found.project.options == "--use_fast_math"
    assert found.project.arch.sm == "sm_80"
    assert found.notes == ()


def exported(builder, wanted):
    wanted = exported_request(wanted)
    result = builder.build(wanted)
    return recipe_of(wanted, result, carried_headers(wanted, result))


HOST = "template <int N> __global__ void f(int* p) { *p = N; }\nint main() { f<3><<<1, 1>>>(0); }\n"
BUILDS = {
    "one": request(sample("vector_add.cu"), arch="sm_80"),
    "header": request(sample("histogram.cu"), headers=(sample_header("atomic_ops.cuh"),)),
    "template": request(sample("saxpy.cu", "saxpy<float>")),
    "host": request(cuda(HOST + "// ü 榛\x7f")),
    "ptx": request(sample("scale.ptx"), sample("multiply.ptx")),
}
BUILDS["ptx"] = replace(BUILDS["ptx"], link=LinkMode.PTX)


@pytest.mark.parametrize("name", BUILDS)
def test_a_link_comes_back_as_what_it_was(builder, name):
    wanted = replace(BUILDS[name], options=("-use_fast_math", "-DMACRO=3"))
    recipe = exported(builder, wanted)
    link, notes = link_of(recipe)
    assert link.startswith("https://godbolt.org/clientstate/")
    assert link.isascii()
    assert "/" not in link.partition("clientstate/")[2]
    found = project_from_link(link).project
    assert len(found.modules) == len(wanted.sources)
    text = found.modules[0].text
    assert text is not None
    assert text.startswith(wanted.sources[0].content.decode())
    assert found.arch == wanted.arch
    assert [(h.name, h.text.encode()) for h in found.headers] == [
        (header.name, header.content) for header in wanted.headers
    ]
    if wanted.sources[0].kind is CodeKind.CUDA:
        assert "-DMACRO=3" in found.options or "MACRO=3" in found.options
        assert "--use_fast_math" in found.options
    if name == "template":
        assert "&saxpy<float>;" in text
        assert any("Name expressions" in note for note in notes)
    if name == "ptx":
        assert any("multiply.ptx" in note for note in notes)


def test_a_link_is_packed_where_that_is_shorter(builder):
    link, _ = link_of(exported(builder, BUILDS["one"]))
    data = base64.urlsafe_b64decode(link.partition("/clientstate/")[2])
    state = json.loads(zlib.decompress(data))
    (session,) = state["sessions"]
    (compiler,) = session["compilers"]
    assert (session["language"], session["filename"]) == ("cuda", "vector_add.cu")
    assert compiler["id"].startswith("nvrtc")
    assert compiler["options"].startswith("-arch=sm_80")


def test_llvm_ir_has_no_compiler_there(builder):
    with pytest.raises(ExportError, match="libNVVM"):
        link_of(exported(builder, request(sample("fill_typed.ll"), arch="sm_90")))


def client_state(state):
    data = state if isinstance(state, bytes) else json.dumps(state).encode()
    return f"https://godbolt.org/clientstate/{base64.b64encode(data).decode()}"


def state(**changed):
    session = {"id": 1, "language": "cuda", "source": SOURCE, "compilers": []} | changed
    return {"sessions": [session]}


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("https://godbolt.org/z/abc123", "short link"),
        ("https://godbolt.org/", "short link"),
        ("godbolt", "not a link"),
        ("https://godbolt.org/clientstate/%%%", "damaged"),
        ("https://godbolt.org/clientstate/eNqrVipOLS7OzM8rVrKK", "damaged"),
        ("https://godbolt.org/#g:!((", "damaged"),
        ("https://godbolt.org/#z:OYLghAFBqd5", "damaged"),
        (client_state([]), "no sessions"),
        (client_state({"sessions": []}), "no source"),
        (client_state(state(language="rust", filename="a.rs")), "rust"),
        (client_state(zlib.compress(b" " * (17 << 20))), "more than"),
        (client_state(b'{"a":' + b"[" * 100_000), "damaged"),
    ],
)
def test_a_link_that_cannot_be_imported_says_why(link, said):
    with pytest.raises(ForeignStateError, match=said):
        project_from_link(link)


def test_a_link_without_a_host_is_refused():
    with pytest.raises(ForeignStateError, match="not a link"):
        project_from_link("https://[godbolt.org/#g:!()")


def test_what_is_unknown_is_named_and_the_rest_is_taken():
    compilers = [{"id": "g142", "options": "-O2 -weird -arch=sm_75"}, {"id": "nvcc130"}]
    found = project_from_link(client_state(state(compilers=compilers)))
    assert found.project.modules[0].text == SOURCE
    assert found.project.arch.sm == "sm_75"
    assert any("'g142' is none" in note for note in found.notes)
    assert any("nvcc130" in note for note in found.notes)
    assert any("-weird" in note for note in found.notes)


def test_a_tree_that_was_downloaded_is_imported_into_its_folder(run, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("example.cu", '#include "deep/f.cuh"\n' + SOURCE)
        archive.writestr("deep/f.cuh", "#define F 1\n")
        archive.writestr("../../evil.cu", "// inside\n")
    (tmp_path / "project.zip").write_bytes(packed.getvalue())
    ended = run("import", "project.zip", "-o", "got")
    assert ended.code == 0
    assert (tmp_path / "got" / "deep" / "f.cuh").read_text() == "#define F 1\n"
    assert (tmp_path / "got" / "evil.cu").read_text() == "// inside\n"
    assert not (tmp_path.parent / "evil.cu").exists()
    (tmp_path / "broken.zip").write_bytes(packed.getvalue()[:60])
    ended = run("import", "broken.zip", "-o", "other")
    assert (ended.code, "not a sound zip" in ended.err) == (2, True)
    with pytest.raises(ForeignStateError, match="no file extension"):
        project_from_file("readme", b"text")


def test_commands_there_and_back(run, tmp_path):
    files = [SAMPLES / name for name in ("apply_transform.cu", "user_transform.cu")]
    assert run("export", "text", *files, "--lto", "-o", "project.txt").code == 0
    assert run("import", "project.txt", "-o", "got").code == 0
    ended = run("build", "got/got.jitproj", "--emit", "cubin", "--json")
    assert ended.code == 0
    assert ended.json["artifacts"][0]["name"] == "linked"
    assert run("import", "https://godbolt.org/z/1", "-o", "no").code == 2
    assert not (tmp_path / "no").exists()


def test_an_import_writes_all_files_or_none_and_names_those_in_its_way(run, tmp_path):
    members = [Member(name, CodeKind.CUDA, SOURCE) for name in ("a.cu", "sub/b.cu", "c/d.cu")]
    (tmp_path / "project.txt").write_text(pack(Project(modules=tuple(members))))
    (tmp_path / "got" / "sub").mkdir(parents=True)
    (tmp_path / "got" / "sub" / "b.cu").symlink_to("nowhere")
    (tmp_path / "got" / "got.jitproj").write_text("mine")
    ended = run("import", "project.txt", "-o", "got")
    assert ended.code == 2
    assert "'sub/b.cu', 'got.jitproj' would be replaced" in ended.err
    assert "-o, or move" in ended.err
    assert {path.name for path in (tmp_path / "got").rglob("*")} == {"sub", "b.cu", "got.jitproj"}
    # What turns up only while files are written takes back those before it.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c").write_text("a file, and no folder")
    ended = run("import", "project.txt", "-o", "other")
    assert (ended.code, "cannot be written" in ended.err) == (2, True)
    assert [path.name for path in (tmp_path / "other").rglob("*")] == ["c"]


def test_an_imported_project_writes_below_its_folder_only(run, tmp_path):
    names = ("../out.cu", f"{tmp_path}/out.cu", ".git/out.cu", "conftest.py", "a\nb.cu", "in/k.cu")
    project = Project(modules=tuple(Member(name, CodeKind.CUDA, SOURCE) for name in names))
    (tmp_path / "project.txt").write_text(pack(project))
    assert run("import", "project.txt", "-o", "got").code == 0
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"project.txt", "got/got.jitproj", "got/in/k.cu"}
    opened = load((tmp_path / "got" / "got.jitproj").read_bytes())
    assert [one.text is None for one in opened.members] == [False] * 5 + [True]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_refused_whatever_packed_it(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.cu", SOURCE * 9)
    content = packed.getvalue()
    for at in range(4, len(content), 3):
        damaged = content[:at] + bytes((content[at] ^ 0xFF,)) + content[at + 1 :]
        with contextlib.suppress(ForeignStateError):
            project_from_file("a.zip", damaged)


def test_halves_of_characters_become_question_marks():
    session = {"language": "cuda", "source": "// \ud800", "filename": "a\ud800.cu"}
    found = project_from_file("state.json", json.dumps({"sessions": [session]}).encode())
    assert [(one.name, one.text) for one in found.project.members] == [("a?.cu", "// ?")]


def test_a_project_as_text_is_the_same_again(builder):
    project = project_of(exported(builder, BUILDS["header"]))
    text = pack(project)
    assert is_project_text(text)
    assert "\n" not in text
    assert unpack(text) == project
    assert unpack("\n".join(text[at : at + 60] for at in range(0, len(text), 60))) == project
    assert project.modules[0].text == (SAMPLES / "histogram.cu").read_text()


def test_a_text_that_is_damaged_opens_nothing():
    text = pack(Project(modules=(Member("k.cu", CodeKind.CUDA, SOURCE),)))
    head, _, code = text.rpartition(":")
    wrong = {
        "hello": "not a project",
        text[:-9]: "damaged",
        head.replace(":1:", ":2:") + ":" + code: "later version",
        head + ":" + code[:20] + ("A" if code[20] != "A" else "B") + code[21:]: "damaged",
        text + "€": "not a project",
    }
    for given, said in wrong.items():
        with pytest.raises(ProjectTextError, match=said):
            unpack(given)
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * (LARGEST + 2))).rstrip(b"=").decode()
    with pytest.raises(ProjectTextError, match="more than"):
        unpack(f"jitstudio-project:1:{'0' * 32}:{bomb}")
    with pytest.raises(ExportError, match="is in a file"):
        pack(Project(modules=(Member("k.cubin", CodeKind.CUBIN, path="k.cubin"),)))
    named = Project(modules=(Member("k.cu", CodeKind.CUDA, path="/etc/passwd"),))
    with pytest.raises(ExportError):
        pack(named)


@pytest.mark.parametrize("has_text", [True, False])
@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("kind", [CodeKind.CUDA, CodeKind.CUBIN])
def test_a_text_takes_the_place_of_a_file_that_was_read(kind, is_read, has_text):
    own = Member("k", kind, "own") if has_text else Member("k", kind, None, "in/k")
    header = replace(own, name="h", kind=CodeKind.CUDA)
    contents = {"k": b"read", "h": b"read"} if is_read else {}
    project = texts_of(Project((own,), (header,)), contents)
    read = Member("k", kind, "read")
    is_replaced = is_read and not has_text
    assert project.modules == (read if is_replaced and kind is CodeKind.CUDA else own,)
    expected = replace(read, name="h", kind=CodeKind.CUDA) if is_replaced else header
    assert project.headers == (expected,)
