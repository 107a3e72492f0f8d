"""Launches whose numbers only a run of the host code would tell: assumed, marked and consistent."""

from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.launch.host_words import words_on_host_launch
from jitstudio.core.launch.request import HostAssumption, HostBuffer, HostLaunch
from jitstudio.listing.cuda.declarations import declarations
from jitstudio.listing.cuda.host_launches.program import host_launches
from jitstudio.listing.cuda.types import Types
from tests.core.launch.forms import form, pointer

KERNEL = "__global__ void k(const float *a, float *b, int n) { }\n"


def launches(text, assume=True):
    content = f"{KERNEL}{text}".encode()
    source = Source("k.cu", CodeKind.CUDA, content)
    return host_launches(source, Types([declarations(content)]), assume=assume)


def launched(text):
    (found,) = launches(text)
    return found


BUFFERS = "float *a, *b; cudaMalloc(&a, n * sizeof(float)); cudaMallocManaged(&b, 4 * n);\n"
LAUNCH = "k<<<(n + 127) / 128, 128>>>(a, b, n); }"


MAIN = "int main(int argc, char **argv) {"


@pytest.mark.parametrize(
    ("begin", "value"),
    [
        (f"{MAIN} if (argc != 2) exit(1); int n = atoi(argv[1]);", 512),
        ('int main() { int n; scanf("%d", &n);', 512),
        ("int main() { int n = 300; std::cin >> n;", 300),
        (f"{MAIN} auto n = std::stoi(argv[1]);", 512),
        (f"int n; {MAIN} n = strtol(argv[1], 0, 10);", 512),
        ("int main() { int n = 8; if (rand()) n = 80;", 8),
        ("int main() { int n = 2; while (n < 100) n *= 2;", 2),
        ("int get() { int n; fread(&n, 4, 1, f); return n; } int main() { int n = get();", 512),
        (f"{MAIN} int n = 0; for (int i = 1; i < argc; i++) n = atoi(argv[i]);", 512),
        (f"{MAIN} int n = 0; if (argc > 1) n = atoi(argv[1]);", 512),
        ("int main() { int n; cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0);", 64),
    ],
)
def test_one_number_is_taken_for_a_variable_everywhere(begin, value):
    found = launched(f"{begin}\n{BUFFERS}{LAUNCH}")
    assert found.arguments == (HostBuffer(4 * value), HostBuffer(4 * value), value)
    assert (found.grid, found.block) == ((-(-value // 128),), (128,))
    assert [(a.name, a.value) for a in found.assumed] == [("n", value)]
    # Nobody takes it for known.
    assert launches(f"{begin}\n{BUFFERS}{LAUNCH}", assume=False)[0].grid is None


def test_what_is_known_depends_on_nothing():
    found = launched("int main() { int n = 256, unused = atoi(v[1]);" + BUFFERS + LAUNCH)
    assert (found.grid, found.assumed) == ((2,), ())


def test_members_of_objects_and_of_structs_of_the_driver_are_taken_too():
    found = launched(
        "struct Image { int w, h; }; Image load(char *p) { Image i; fread(&i.w, 4, 1, f); "
        "fread(&i.h, 4, 1, f); return i; }\n"
        "int main(int c, char **v) { Image im = load(v[1]); int n = im.w * im.h; cudaDeviceProp p; "
        "cudaGetDeviceProperties(&p, 0); float *a; cudaMalloc(&a, 4 * n); "
        "k<<<p.multiProcessorCount * 2, p.maxThreadsPerBlock>>>(a, a, n); }"
    )
    assert (found.grid, found.block, found.arguments[2]) == ((128,), (1024,), 512 * 512)
    names = {a.name for a in found.assumed}
    assert names == {"im.w", "im.h", "p.multiProcessorCount", "p.maxThreadsPerBlock"}


@pytest.mark.parametrize(
    ("sizes", "known"),
    [
        # More threads, blocks or shared memory than a GPU has.
        ("n, dim3(tile_x, 128)", ((512,), None, 0)),
        ("dim3(1, n * 200), 64", (None, (64,), 0)),
        ("4, 64, n * n * 4", ((4,), (64,), None)),
        # What is written is said, whatever it is.
        ("4, 2048", ((4,), (2048,), 0)),
    ],
)
def test_what_is_assumed_makes_no_launch_that_cannot_be(sizes, known):
    text = "int main(int c, char **v) { int n = atoi(v[1]), tile_x = atoi(v[2]);" + BUFFERS
    found = launched(f"{text} k<<<{sizes}>>>(a, b, n); }}")
    assert (found.grid, found.block, found.shared) == known
    assert found.arguments[2] == 512


def test_no_number_is_taken_for_a_parameter_of_a_template():
    found = launched(
        "template <int N> void run(float *a, int w) { k<<<w, N, N * 4>>>(a, a, N); }\n"
        "int main(int c, char **v) { int n = 9;" + BUFFERS + "run<other()>(a, n); }"
    )
    assert (found.grid, found.block, found.shared, found.arguments[2]) == ((9,), None, None, None)


@pytest.mark.parametrize(
    "asked",
    [
        "cudaDeviceGetAttribute(&x, cudaDevAttrMultiProcessorCount, 0);",
        "cuDeviceGetAttribute(&x, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);",
        "cuOccupancyMaxPotentialBlockSize(&x, &y, k, 0, 0, 0);",
        "cudaOccupancyMaxPotentialBlockSizeVariableSMem(&x, &y, k, f);",
        "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); x = p.multiProcessorCount;",
        "int num_sms = ask(); x = num_sms;",
        "int smCount = ask(); x = smCount;",
    ],
)
def test_there_is_but_one_number_of_multiprocessors(asked):
    found = launched(f"int main() {{ int n = 9, x, y; {BUFFERS} {asked} k<<<x, 64>>>(a, b, n); }}")
    assert found.grid == (SIMULATED_DEVICE.multiprocessors,)


def test_a_cooperative_launch_is_of_so_many_blocks_as_are_resident():
    found = launched(
        "#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)\n"
        "int main() { int per = 0, n = 9; float *a; cudaMalloc(&a, 36); cudaDeviceProp p; "
        "CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, k, 64, 0)); "
        "void *l[] = {&a, &a, &n}; "
        "cudaLaunchCooperativeKernel((void *)k, per * p.multiProcessorCount, 64, l); }"
    )
    assert (found.grid, found.cooperative) == ((64,), True)


@pytest.mark.parametrize(
    ("argument", "start"),
    [
        ("a + 3", 12),
        ("2 + a", 8),
        ("(a + 4) - 1", 12),
        ("&a[5]", 20),
        ("&(a + 1)[n]", 40),
        ("(const float *)(a + n)", 36),
        ("a", 0),
        ("p", 28),
    ],
)
def test_a_pointer_into_a_buffer_is_told_from_its_start(argument, start):
    found = launched(
        f"int main() {{ int n = 9; float *a; cudaMalloc(&a, 80); float *p = a + 7; "
        f"k<<<1, 32>>>({argument}, a, n); }}"
    )
    assert found.arguments[:2] == (HostBuffer(80, start), HostBuffer(80))


FORM = form(("a", pointer(const=True)), ("b", pointer()), ("n", "int"))


def begun(text):
    return replace(FORM, host_launch=launched(text))


def test_a_form_says_what_was_taken_what_was_assumed_and_what_nobody_knows():
    known = begun("int main() { int n = 256;" + BUFFERS + LAUNCH)
    assert words_on_host_launch(known) == (
        (
            "Begins as the launch in line 3 of k.cu: grid 2, block 128, a of 1.0 KiB, b of 1.0 KiB "
            "and n = 256."
        ),
    )
    assumed = begun("int main(int c, char **v) { int n = atoi(v[1]);" + BUFFERS + LAUNCH)
    assert words_on_host_launch(assumed)[1:] == (
        "Assumed, as only a run of the host code would show: n = 512 (line 2).",
    )
    unknown = begun("int main() { k<<<grid(), 32>>>(make(), nullptr, 7); }")
    assert words_on_host_launch(unknown) == (
        "Begins as the launch in line 2 of k.cu: block 32, b = null and n = 7.",
        "Not known from the host code, and begin as in any form: the grid and a.",
    )
    assert dict(first_launch(unknown).arguments)["b"] == "null"
    assert words_on_host_launch(FORM) == ()


@pytest.mark.parametrize(
    ("arguments", "grid", "taken", "others"),
    [
        # A fraction is no number of elements, and without that nobody knows those of the buffers.
        (
            (HostBuffer(4096), HostBuffer(4096), 50.9),
            (2,),
            "block 128",
            ("any form: the grid, a, b and n.",),
        ),
        (
            (HostBuffer(4096), 0, None),
            (2,),
            "block 128 and b = null",
            ("Not taken from the host code, as a size is unknown", "n."),
        ),
        ((HostBuffer(4096), 0, 7), (2,), "grid 2, block 128, a of 4.0 KiB, b = null and n = 7", ()),
        ((HostBuffer(4096), 0, 7), None, "block 128, a of 4.0 KiB, b = null and n = 7", ("grid.",)),
    ],
)
def test_what_was_taken_is_what_the_first_launch_has(arguments, grid, taken, others):
    host = HostLaunch("k", "", "k.cu", 3, grid, (128,), 0, arguments)
    form_of_host = replace(FORM, host_launch=host)
    first, *rest = words_on_host_launch(form_of_host)
    assert first.endswith(f" in line 3 of k.cu: {taken}.")
    assert len(rest) == len(others)
    assert all(words in sentence for words, sentence in zip(others, rest, strict=True))
    texts, without = (dict(first_launch(each).arguments) for each in (form_of_host, replace(FORM)))
    for name in ("a", "b", "n"):
        assert (texts[name] == without[name]) == (f"{name} " not in taken)
    assert (first_launch(form_of_host).grid == "2") == ("grid 2" in taken)


def test_a_first_launch_has_squares_and_places_in_buffers():
    text = (
        "int main(int c, char **v) { int n = atoi(v[1]); float *a, *b; cudaMalloc(&a, 4 * n * n); "
        "cudaMalloc(&b, 4 * n * n); k<<<n / 32, 32>>>(a, b + n, n); }"
    )
    spec = first_launch(begun(text))
    assert dict(spec.arguments) == {
        "a": "n*n:random",
        "b": "n*n@512:random:inout",
        "n": "512",
    }
    assert spec.cover == "n"


def test_an_assumption_is_of_its_line():
    text = "int main(int c, char **v) {\nint n = atoi(v[1]);\n" + BUFFERS + LAUNCH
    assert launched(text).assumed == (HostAssumption(3, "n", 512),)


@pytest.mark.parametrize(
    ("host", "a", "b"),
    [
        ("k<<<2, 128>>>(a, a, n);", "same(b)", "n:random"),
        ("b = a; k<<<2, 128>>>(a, b, n);", "same(b)", "n:random"),
        ("k<<<2, 128>>>(a + 16, a, n);", "same(b+16)", "n:random"),
        ("k<<<2, 128>>>(a, a + 16, n);", "n:random", "same(a+16)"),
        # Of the same size is not the same.
        ("k<<<2, 128>>>(a, b, n);", "n:random", "n:"),
        ("float *c = argc > 3 ? a : b; k<<<2, 128>>>(a, c, n);", "n:random", ""),
        ("float *c = a; if (other()) c = b; k<<<2, 128>>>(a, c, n);", "n:random", ""),
        ("float *c = a; while (other()) c = b; k<<<2, 128>>>(a, c, n);", "n:random", ""),
    ],
)
def test_memory_that_is_passed_twice_is_the_same(host, a, b):
    found = begun("int main(int argc, char **v) { int n = 256;" + BUFFERS + host + " }")
    texts = dict(first_launch(found).arguments)
    assert texts["a"].startswith(a)
    assert texts["b"].startswith(b)
    assert [name for name in "ab" if texts[name].startswith("same(")] == [
        name for name, text in (("a", a), ("b", b)) if text.startswith("same(")
    ]
    said = words_on_host_launch(found)[0]
    assert ("= same(" in said) == ("same(" in a + b)
