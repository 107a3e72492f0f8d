"""`jitstudio.show` and `jitstudio show`, with a window that is open, is started, or cannot be."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import jitstudio
from jitstudio.commands.handover import HandoverServer
from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.captured import unpack
from jitstudio.core.handover import HandoverAnswer, HandoverError

RECORDED = Path(__file__).parent / "data/captured/add_kernel.jitkernel"
CUBIN = unpack(RECORDED.read_bytes()).representation(L.CUBIN).content


@pytest.fixture(autouse=True)
def _own_sockets(tmp_path, monkeypatch):
    monkeypatch.setenv("JITSTUDIO_RUNTIME_DIR", str(tmp_path / "sockets"))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def taken():
    """Return what a window has taken, as soon as it has."""
    handed = []

    def take(handover):
        handed.append(handover)
        return HandoverAnswer(("k.cubin",), "" if len(handed) < 2 else "Enough.")

    server = HandoverServer(take)
    yield handed
    server.close()


@pytest.mark.tools
def test_a_report_is_that_of_what_was_shown(taken):
    kernel = SimpleNamespace(code=CUBIN, code_type="cubin", name="mine")
    shown = jitstudio.show(kernel)
    kernel.code = b""
    assert (shown.wait().tabs, taken[0].code[0].name) == (("k.cubin",), "mine.cubin")
    assert shown.report().kernels[0].name == "add_kernel"
    assert "Shown in the window: k.cubin" in shown._repr_html_()
    with pytest.raises(HandoverError, match=r"Enough\."):
        shown.deliver()


@pytest.mark.tools
def test_without_a_window_a_terminal_has_text_and_a_notebook_html(monkeypatch, capsys):
    shown = jitstudio.show(CUBIN)
    printed = capsys.readouterr()
    assert "no display, as " in printed.err
    assert "add_kernel" in printed.out
    displayed = []
    shell = SimpleNamespace(config={"IPKernelApp": {}}, execution_count=1)
    display = SimpleNamespace(display=displayed.append, HTML=str)
    notebook = SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    shown = jitstudio.show(CUBIN)
    # IPython asks for it once more where it is the last value of the cell.
    shown._ipython_display_()
    (html,) = displayed
    assert "no display, as " in html
    assert "<td" in html
    shell.execution_count = 2
    shown._ipython_display_()
    assert displayed == [html, html]
    assert capsys.readouterr().out == ""
    monkeypatch.delitem(sys.modules, "IPython")
    shown._ipython_display_()
    assert "no display, as " in capsys.readouterr().out


def test_the_command_hands_over_paths(run, taken, tmp_path):
    (tmp_path / "k.cu").write_text("")
    assert run("show", "k.cu").code == 0
    assert taken[0].paths == (str(tmp_path / "k.cu"),)
    refused = run("show", "k.cu")
    assert (refused.code, refused.err) == (1, "jitstudio: Enough.\n")
    absent = run("show", "absent.cu")
    said = "'absent.cu' is not a file or folder that is there."
    assert (absent.code, said in absent.err) == (2, True)


def test_the_command_takes_the_folder_of_a_cache(run, taken, tmp_path):
    (tmp_path / "cache").mkdir()
    assert run("show", "cache").code == 0
    assert taken[0].paths == (str(tmp_path / "cache"),)


def test_the_command_without_a_window_or_a_display(run, tmp_path):
    (tmp_path / "k.cu").write_text("")
    ran = run("show", "k.cu")
    assert (ran.code, "no display, as " in ran.err) == (3, True)


@pytest.mark.slow
def test_a_window_is_started_and_takes_it(monkeypatch, tmp_path):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    started = []
    opened = subprocess.Popen
    monkeypatch.setattr(
        "subprocess.Popen", lambda *a, **k: started.append(opened(*a, **k)) or started[0]
    )
    shown = jitstudio.show(CUBIN, name="mine")
    try:
        assert repr(shown) == "A window is starting."
        assert shown.wait(60).tabs == ("mine.cubin",)
        assert jitstudio.show(CUBIN, name="mine").tabs == ("mine.cubin",)
    finally:
        started[0].terminate()
        started[0].wait(20)
