"""`jitstudio mcp`: what its tools answer and refuse, and how long that is."""

import json
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from tests.mcp_client import MARKS, characters_of_schemas, conversation, text_of
from tests.support import QUICK_ARCH, refusal

pytestmark = MARKS

KERNEL = 'extern "C" __global__ void k(float* a) { a[threadIdx.x] = a[threadIdx.x] * 2.1; }\n'
TEXTS = {"k.cu": KERNEL}
FLOAT = {"k.cu": KERNEL.replace("2.1", "2.1f")}
LAUNCH = {"arguments": {"a": "32:constant(2):inout"}, "grid": "1", "block": "32"}
RUN = {"sources": ["there.cu"], **LAUNCH}
CALLS = {
    "built": ("build", {"sources": TEXTS, "target": QUICK_ARCH.sm, "lines": 100}),
    "figures": ("build", {"sources": TEXTS, "target": QUICK_ARCH.sm, "emit": []}),
    "read": (
        "inspect",
        {"sources": ["there.cu"], "target": QUICK_ARCH.sm, "code": True, "lines": 99},
    ),
    "short": ("inspect", {"sources": TEXTS, "target": QUICK_ARCH.sm}),
    "different": ("diff", {"a": TEXTS, "b": FLOAT, "target": QUICK_ARCH.sm}),
    "equal": ("diff", {"a": TEXTS, "b": ["there.cu"]}),
    "compared": ("compare", {"a": TEXTS, "b": FLOAT, "target": QUICK_ARCH.sm, "launch": LAUNCH}),
    "checked": ("check", {"sources": TEXTS, "require": ["no double", "registers <= 99"]}),
    "opcode": ("explain", {"word": "LDG.E.128"}),
    "option": ("explain", {"word": "maxrregcount", "language": "option"}),
    "broken": ("build", {"sources": {"k.cu": "__global__ void k( {"}}),
    "reads": ("build", {"sources": {"k.cu": '#include "/etc/passwd"\n'}}),
    "harmful": ("build", {"sources": TEXTS, "options": ["-I/etc"]}),
    "outside": ("build", {"sources": ["../../etc/passwd.cu"]}),
    "ending": ("build", {"sources": {"k.so": "x"}}),
    "typo": ("check", {"sources": TEXTS, "require": ["no duble"]}),
    "target": ("inspect", {"sources": TEXTS, "target": "sm_1"}),
    "right": ("run", {**RUN, "expect": ["a = full(32, 4.2)"]}),
    "wrong": ("run", {**RUN, "expect": ["a = full(32, 4.3)"]}),
    "stolen": ("run", {**RUN, "arguments": {"a": "32:file(/etc/passwd)"}}),
    "gpu": ("run", {**RUN, "device": "gpu"}),
    "field": ("compare", {"a": TEXTS, "b": FLOAT, "launch": {"gird": "1"}}),
    "section": ("inspect", {"sources": TEXTS, "detail": "codes"}),
    "offset": ("inspect", {"sources": TEXTS, "detail": "kernels", "offset": 7}),
    "large": ("build", {"sources": {"k.cu": "/" * (2 << 20)}}),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The tools of a server that may not launch on a GPU, and what it answers to all calls."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "there.cu").write_text(KERNEL)

    async def talk(client):
        tools = (await client.list_tools()).tools
        return tools, {name: await client.call_tool(*call) for name, call in CALLS.items()}

    return conversation(folder, talk)


def test_the_tools_do_what_the_commands_do(answers, run, tmp_path):
    tools, results = answers
    names = ["build", "inspect", "diff", "compare", "check", "explain", "run"]
    assert [tool.name for tool in tools] == names
    said = {
        name: json.loads(text_of(result)) for name, result in results.items() if not result.is_error
    }
    assert ".visible .entry k(" in said["built"]["ptx"]
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    (kernel,) = run("inspect", path, "--arch", QUICK_ARCH.sm, "--json").json["kernels"]
    report = kernel["report"]
    needs = f"k: {report['registers']} registers"
    assert said["built"]["kernels"][0].startswith(needs)
    assert said["figures"]["kernels"] == said["built"]["kernels"]
    assert "ptx" not in said["figures"]
    for name in ("read", "short"):
        (row,) = said[name]["kernels"]
        assert row.startswith(needs)
        assert f"{report['instructions']} instructions" in row
    assert len(said["read"]["code"]) == report["instructions"]
    assert any("DMUL" in line and line.endswith("// there.cu:1") for line in said["read"]["code"])
    assert "code" not in said["short"]
    assert said["different"]["equal"] is False
    assert any("DMUL" in line and line[0] == "-" for line in said["different"]["lines"])
    assert said["equal"]["equal"] is True
    assert said["checked"]["holding"] == "1 of 2"
    assert said["checked"]["conditions"][0].startswith("k at k.cu:1: FAILS no double: ")
    assert said["opcode"]["entries"][0]["text"] == "Loads from global memory."
    assert said["option"]["options"][0]["flags"]["NVRTC"].startswith("-")


def test_the_simulator_needs_no_leave(answers, run, tmp_path):
    said = {name: json.loads(text_of(answers[1][name])) for name in ("right", "wrong")}
    path = tmp_path / "there.cu"
    path.write_text(KERNEL)
    words = ("--arg", "a=32:constant(2):inout", "--grid", "1", "--block", "32", "--device", "sim")
    simulation = run("run", path, *words, "--json").json["simulation"]
    assert said["right"]["ok"] is True
    assert said["right"]["simulated"]["instructions"] == simulation["instructions"]
    assert said["right"]["simulated"]["sectors"] == sum(
        line["sectors"] for line in simulation["lines"]
    )
    assert said["wrong"]["outcome"] == "wrong"


def test_a_comparison_tells_figures_findings_counts_and_outputs(answers, run, tmp_path):
    said = json.loads(text_of(answers[1]["compared"]))
    counts = []
    reports = []
    for number, texts in enumerate((TEXTS, FLOAT)):
        path = tmp_path / f"{number}.cu"
        path.write_text(texts["k.cu"])
        words = ("--arg", "a=32:constant(2):inout", "--grid", "1", "--block", "32")
        ran = run("run", path, "--arch", QUICK_ARCH.sm, *words, "--device", "sim", "--json").json
        counts.append(ran["simulation"]["instructions"])
        (kernel,) = run("inspect", path, "--arch", QUICK_ARCH.sm, "--json").json["kernels"]
        reports.append(kernel["report"]["instructions"])
    assert said["simulated"]["instructions"] == f"{counts[0]} → {counts[1]}"
    assert f"instructions {reports[0]} → {reports[1]}" in said["figures"][0]
    assert said["gone"] == ["Probably accidental double precision"]
    assert "new" not in said
    # 2 * 2.1 in double precision and rounded is 2 * 2.1f, as doubling is exact.
    assert said["outputs"] == "agree"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("outside", "'../../etc/passwd.cu' lies outside"),
        ("ending", "has to end in .cu, .ll or .ptx"),
        ("typo", "Did you mean 'double'?"),
        ("target", refusal(Arch.parse, "sm_1")),
        ("stolen", "'/etc/passwd' lies outside"),
        ("gpu", "device='sim' runs the kernel"),
        ("field", "'gird'. Did you mean 'grid'? There are: kernel, "),
        ("section", "no 'codes'. It has: kernels, findings."),
        ("offset", "'kernels' has 1 entries"),
        ("large", "at most 1048576 characters"),
    ],
)
def test_what_cannot_be_asked_is_told(answers, name, part):
    result = answers[1][name]
    assert result.is_error
    assert part in text_of(result)


def test_nothing_outside_the_folder_is_read_and_no_harmful_option_sent(answers):
    for name in ("reads", "harmful"):
        said = json.loads(text_of(answers[1][name]))
        assert said["ok"] is False
        assert "not trusted" in said["diagnostics"][0]
        assert "root:" not in json.dumps(said)
    assert json.loads(text_of(answers[1]["broken"]))["outcome"] == "failed"


def test_schemas_are_short_and_describe_each_parameter(answers):
    tools, _ = answers
    assert characters_of_schemas(tools) <= 4 * 2_000
    for tool in tools:
        for name, parameter in tool.input_schema["properties"].items():
            assert parameter["description"], f"{tool.name}: {name}"


# -- Sizes -----------------------------------------------------------------------------------------

BODY = """
extern "C" __global__ void k{n}(const float* x, float* y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < {n} + 2; ++j) sum += x[(i * 33 + j) % n] * {n}.1;
    if (i % 2) sum = sum / n;
    if (i < n) y[i] = sum;
}}
"""
# A middle one is between the limits of the others: what is cut there is cut at the last, too.
FEW_AND_MANY, COUNTS = (1, 30), (1, 6, 30)


def of_many(count):
    """Calls about a module of many kernels, and one of as many mistakes."""
    texts = {"many.cu": "".join(BODY.format(n=number) for number in range(count))}
    wrong = {"many.cu": texts["many.cu"].replace("sum = 0;", "sum = nothing;")}
    faster = {"many.cu": texts["many.cu"].replace(".1;", ".1f;")}
    launch = {
        "kernel": f"k{count - 1}",
        "arguments": {"x": "n:random", "y": "n:out", "n": "500"},
        "cover": "n",
        "block": "64",
    }
    lines = {"options": ["-lineinfo"]}
    require = ["registers <= 8", "no double", "spills == 0"]
    calls = {
        "build": ("build", {"sources": texts}),
        "sass": ("build", {"sources": texts, "emit": ["ptx", "sass"]}),
        "failing": ("build", {"sources": wrong}),
        "inspect": ("inspect", {"sources": texts}),
        "code": ("inspect", {"sources": texts, "code": True, **lines}),
        "diff": ("diff", {"a": texts, "b": faster}),
        "check": ("check", {"sources": texts, "require": require}),
        "missing": ("inspect", {"sources": texts, "kernel": "none"}),
        "run": ("run", {"sources": texts, **launch, **lines, "expect": ["y = x * 0"]}),
        "compare": ("compare", {"a": texts, "b": faster, "launch": launch}),
    }
    target = {"target": str(QUICK_ARCH)}
    return {name: (tool, words | target) for name, (tool, words) in calls.items()}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(FEW_AND_MANY, id="few and many"),
        pytest.param(COUNTS, id="all", marks=pytest.mark.bench),
    ],
)
def sized(request, tmp_path_factory):
    """Answers about modules of 1 to 30 kernels, and all pages of the PTX of 3."""

    async def talk(client):
        results = {}
        for count in request.param:
            calls = of_many(count)
            for name, call in calls.items():
                results[name, count] = text_of(await client.call_tool(*call))
        tool, words = of_many(3)["build"]
        words = words | {"target": QUICK_ARCH.sm}
        pages, offset = [], 0
        while True:
            words = words | {"detail": "ptx", "offset": offset}
            pages.append(json.loads(text_of(await client.call_tool(tool, words))))
            offset += len(pages[-1]["ptx"])
            if "more" not in pages[-1]:
                break
        return results, [line for page in pages for line in page["ptx"]]

    return conversation(tmp_path_factory.mktemp("sized"), talk)


def test_answers_are_at_most_a_thousand_tokens(sized):
    results, _ = sized
    sizes = {call: len(text) for call, text in results.items()}
    limits = {call: 4 * (400 if call[0] == "compare" else 1_000) for call in sizes}
    assert {call: size for call, size in sizes.items() if size > limits[call]} == {}
    for (name, _), text in results.items():
        assert "\n" not in text, name
        assert name == "missing" or json.loads(text)


def without_files(lines):
    return [line.rstrip() for line in lines if not line.startswith("\t.file")]


def test_what_is_cut_says_how_to_get_the_rest(sized, run, tmp_path):
    results, ptx = sized
    for name, section in (("build", "ptx"), ("inspect", "kernels"), ("code", "code")):
        said = json.loads(results[name, 30])
        assert f"detail='{section}', offset={len(said[section])}" in said["more"][section]
    (name, text), *_ = of_many(3)["build"][1]["sources"].items()
    path = tmp_path / name
    path.write_text(text)
    printed = run("build", path, "--arch", QUICK_ARCH.sm, "--emit", "ptx").out.splitlines()
    # The folders differ.
    assert without_files(ptx) == without_files(printed)
    (finding,) = (
        row
        for row in json.loads(results["inspect", 30])["findings"]
        if "double precision" in row["finding"]
    )
    assert finding["of_kernels"] == 30


def test_a_folder_that_is_none_is_told(run):
    ran = run("mcp", "--folder", Path("nowhere"))
    assert ran.code == 2
    assert "'nowhere' is not a folder" in ran.err
