import pytest

from jitstudio.listing.kernel_names import (
    DemangledListing,
    KernelName,
    lowered_names,
    meanings,
    read_name,
    short_names,
    spelled,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plain", KernelName("plain")),
        ("ns::k(float*, int)", KernelName("ns::k", (), ("float*", "int"))),
        ("k()", KernelName("k", (), ())),
        ("k(void)", KernelName("k", (), ())),
        (
            "void saxpy<float>(float, float const*, float*, int)",
            KernelName("saxpy", ("float",), ("float", "float const*", "float*", "int")),
        ),
        (
            "void ns::k<ns::Vec<float, 2>, 4>(ns::Vec<ns::Vec<float, 2>, 4>, void (*)(int))",
            KernelName(
                "ns::k",
                ("ns::Vec<float, 2>", "4"),
                ("ns::Vec<ns::Vec<float, 2>, 4>", "void (*)(int)"),
            ),
        ),
        ("void nt<(E)1, (char)65>(int)", KernelName("nt", ("(E)1", "(char)65"), ("int",))),
        (
            "a::(anonymous namespace)::k(a::(anonymous namespace)::P*)",
            KernelName("a::k", (), ("a::P*",)),
        ),
        ("saxpy<float>", KernelName("saxpy", ("float",))),
        ("&ns::k<__half, 1+2>", KernelName("ns::k", ("__half", "1+2"))),
        ("(void(*)(float*,int))ns::over", KernelName("ns::over")),
        ("_ZN2ns4overEPfi", KernelName("ns::over")),
        ("_Z5saxpyIfEvT_PKS0_PS0_i", KernelName("saxpy")),
        ("_ZL4stati", KernelName("stat")),
        ("_ZZ4convPKfPfiE5calls", KernelName("calls")),
        ("_ZZN1a4convEPfE5E1CAL_0", KernelName("E1CAL")),
        (
            "_ZN32_INTERNAL_00000000_4_v_cu_retire34_GLOBAL__N__00000000_4_v_cu_retire6hiddenE",
            KernelName("hidden"),
        ),
        ("_ZN2ns36_GLOBAL__N__00000000_4_k_cu_b161fb974anonEPi", KernelName("ns::anon")),
    ],
)
def test_names_are_taken_apart(text, name):
    assert read_name(text) == name


@pytest.mark.parametrize("text", ["", "(", ")", ">", "<", "k<", "k)", "((", "&", "_Z", "_Z9k", ","])
def test_odd_names_have_some_path(text):
    assert isinstance(read_name(text).path, str)


def test_a_title_has_no_parameters():
    assert read_name("void ns::k<float,4>(float*)").title == "ns::k<float, 4>"
    assert read_name("k(int)").title == "k"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("void transpose<float, 8>(float*, float const*, int, int)", "transpose<float, 8>"),
        ("f(int)::tile", "f::tile"),
        ("ns::(anonymous namespace)::k(int)", "ns::(anonymous namespace)::k"),
        ("void f<void (*)(int)>(void (*)(int))", "f<void (*)(int)>"),
        ("float4 operator+(float4, float4)", "float4 operator+"),
        ("Foo::operator()(int) const", "Foo::operator()(int) const"),
        ("k", "k"),
    ],
)
def test_a_short_name_says_neither_what_is_returned_nor_what_is_taken(text, short):
    assert short_names({"_Z": text}) == {"_Z": short}


def test_overloads_keep_what_tells_them_apart():
    names = {"_Z1fi": "f(int)", "_Z1ff": "f(float)", "_Z1gv": "g()"}
    assert short_names(names) == {"_Z1fi": "f(int)", "_Z1ff": "f(float)", "_Z1gv": "g"}


def test_tags_of_the_compiler_stay_only_where_they_alone_tell_two_apart():
    names = {
        "_Za": "m::dot[abi:v1][abi:cw51cXT](Array<float, 2, C>)",
        "_Zb": "m::sum[abi:v1][abi:cw51cXT](float)",
        "_Zc": "m::sum[abi:v2][abi:cw51cXT](float)",
    }
    assert short_names(names) == {"_Za": "m::dot", "_Zb": names["_Zb"], "_Zc": names["_Zc"]}


def test_a_function_inside_of_machine_code_hangs_together_of_two_names():
    kernel, callee = "_ZN1t4axpyIfEEvPT_", "_ZN1t6scaledIfEET_S1_"
    line = f"        CALL.REL.NOINC `(${kernel}${callee}) ;"
    assert lowered_names([line]) == {kernel, callee}
    known = {kernel: "void t::axpy<float>(float*)", callee: "float t::scaled<float>(float)"}
    shown = DemangledListing.of([line], meanings(known, known))
    assert shown.lines == ("        CALL.REL.NOINC `($t::axpy<float>$t::scaled<float>) ;",)
    assert shown.name(f"${kernel}${callee}") == "$t::axpy<float>$t::scaled<float>"
    # A lambda has such a sign in its own name.
    assert lowered_names(["call _ZNK3$_0clEv;"]) == {"_ZNK3$_0clEv"}


def test_a_message_has_names_as_people_write_them():
    shown = {"_Z1fi": "f", "_Z1gv": "g"}
    assert spelled("'_Z1fi' calls _Z1gv and _Z1hv", shown) == "'f' calls g and _Z1hv"
