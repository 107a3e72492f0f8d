from jitstudio.gui.features.history.controller import History, Spot

A1, A50, B1, B7 = (
    Spot("a", 1),
    Spot("a", 50),
    Spot("b", 1),
    Spot("b", 7),
)


def test_back_and_forward():
    history = History()
    assert not history.can_go_back
    history.add(A1)
    history.add(A50)
    assert history.back(B7) == A50
    assert history.can_go_forward
    assert history.back(A50) == A1
    assert history.back(A1) is None
    assert history.forward(A1) == A50
    assert history.forward(A50) == B7
    assert history.forward(B7) is None


def test_a_jump_forgets_what_was_ahead():
    history = History()
    history.add(A1)
    assert history.back(B1) == A1
    history.add(A1)
    assert not history.can_go_forward
    assert history.back(A50) == A1


def test_the_same_place_twice_is_one_and_the_place_itself_none():
    history = History()
    history.add(A1)
    history.add(B7)
    history.add(Spot("b", 7, column=3))
    assert history.back(B7) == A1
    assert history.back(A1) is None


def test_the_oldest_are_forgotten():
    history = History(most=3)
    for line in range(1, 10):
        history.add(Spot("a", line))
    gone = [history.back(Spot("b", line)) for line in range(1, 5)]
    assert gone == [Spot("a", 9), Spot("a", 8), Spot("a", 7), None]


def test_texts_that_are_gone_are_left_out():
    history = History()
    history.add(A1)
    history.add(B1)
    history.add(A50)
    history.forget(lambda text: text == "a")
    assert history.back(B7) == B1
    assert not history.can_go_back
