import pytest

from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.lowered_names import LoweredNames


class Service:
    """Takes questions; answers come when a test says so."""

    def __init__(self):
        self.asked = []
        self.handle = None

    def demangle(self, names):
        self.asked.append(list(names))
        self.handle = RequestHandle()
        return self.handle


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
        service.handle.finished.emit({"_Z1fv": "f()", "_Z1gv": "g()"})
    names.want({"_Z1fv"})
    assert service.asked == [["_Z1fv", "_Z1gv"]]
    assert names.known == {"_Z1fv": "f()", "_Z1gv": "g()"}


def test_what_is_wanted_meanwhile_is_asked_for_afterwards(names, service):
    names.want({"_Z1fv"})
    names.want({"_Z1gv"})
    assert service.asked == [["_Z1fv"]]
    service.handle.finished.emit({"_Z1fv": "f()"})
    assert service.asked == [["_Z1fv"], ["_Z1gv"]]


def test_a_worker_that_broke_is_asked_again(names, service):
    names.want({"_Z1fv"})
    service.handle.failed.emit("It is gone.")
    names.want({"_Z1fv"})
    assert service.asked == [["_Z1fv"], ["_Z1fv"]]


def test_a_text_is_spelt_as_far_as_its_names_are_known(names, service):
    text = "undefined reference to '_Z1fi' in '_Z1fv'"
    assert names.spelled(text) == text
    assert service.asked == [["_Z1fi", "_Z1fv"]]
    service.handle.finished.emit({"_Z1fi": "f(int)", "_Z1fv": "f()"})
    # Both are called f: what they take tells them apart.
    assert names.spelled(text) == "undefined reference to 'f(int)' in 'f()'"
    assert len(service.asked) == 1
