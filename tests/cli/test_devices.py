def test_devices_or_why_there_are_none(run):
    ran = run("devices", "--json")
    told = ran.json
    assert set(told) == {"cuda_version", "problem", "devices", "simulator"}
    assert told["simulator"] == {"id": "sim", "name": "Simulator (no GPU)"}
    assert ran.code == (0 if told["devices"] else 3)
    assert bool(told["problem"]) == (not told["devices"])


def test_the_terminal_says_that_building_works_all_the_same(run):
    ran = run("devices")
    if ran.code == 0:
        assert "compute capability" in ran.out
    else:
        assert "driver" in ran.err
        assert "'jitstudio build' works all the same" in ran.err
