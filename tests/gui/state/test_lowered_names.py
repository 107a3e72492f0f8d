import pytest
from PySide6.QtCore import QObject, Signal

from jitstudio.gui.state.lowered_names import LoweredNames


class Service(QObject):
    """Takes questions; answers come when a test says so."""

    demangled = Signal(dict)
    broke = Signal(int, str)

    def __init__(self):
        super().__init__()
        self.asked = []

    def demangle(self, names):
        self.asked.append(list(names))


@pytest.fixture
def service(qapp):
    return Service()


@pytest.fixture
def names(service):
    return LoweredNames(service)


def test_each_name_is_asked_for_once(names, service, qtbot):
    names.want({"_Z1fv", "_Z1gv"})
    names.want({"_Z1fv"})
    assert service.asked == [["_Z1fv", "_Z1gv"]]
    with qtbot.waitSignal(names.learnt):
        service.demangled.emit({"_Z1fv": "f()", "_Z1gv": "g()"})
    names.want({"_Z1fv"})
    assert service.asked == [["_Z1fv", "_Z1gv"]]
    assert names.known == {"_Z1fv": "f()", "_Z1gv": "g()"}


def test_what_is_wanted_meanwhile_is_asked_for_afterwards(names, service):
    names.want({"_Z1fv"})
    names.want({"_Z1gv"})
    assert service.asked == [["_Z1fv"]]
    service.demangled.emit({"_Z1fv": "f()"})
    assert service.asked == [["_Z1fv"], ["_Z1gv"]]


def test_a_worker_that_broke_is_asked_again(names, service):
    names.want({"_Z1fv"})
    service.broke.emit(1, "It is gone.")
    names.want({"_Z1fv"})
    assert service.asked == [["_Z1fv"], ["_Z1fv"]]
