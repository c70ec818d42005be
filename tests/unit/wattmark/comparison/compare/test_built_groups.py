"""What was built before is used again for the very same results, and for no others."""

import threading

from wattmark.comparison.compare.built_groups import BuiltGroups, Remembered


def test_the_same_results_are_built_once_and_others_anew(measure):
    first, second = measure("a"), measure("b")
    fitted = {"a": "s1, 0", "b": "s1, 0"}
    groups = BuiltGroups()
    built = groups.build([first, second], fitted)
    assert groups.build([first, second], fitted) is built
    assert groups.build([first, second.model_copy()], fitted) is not built, (
        "an equal result may stand for another state"
    )
    assert groups.build([first], fitted).view.n == 1
    refitted = groups.build([first, second], {**fitted, "b": "s1, 1"})
    assert (built.system.installations, refitted.system.installations) == (1, 2)


def test_the_oldest_is_forgotten(measure):
    result = measure("a")
    remembered = Remembered(2)
    made = []

    def build():
        made.append(None)
        return object()

    for name in ("x", "y", "x", "z", "x"):
        remembered.of(name, [result], {"a": ""}, build)
    assert len(made) == 4, "x is the oldest when z comes"


def test_results_are_not_kept_alive(measure):
    remembered = Remembered(2)
    first = remembered.of("x", [measure("a")], {"a": ""}, object)
    assert remembered.of("x", [measure("a")], {"a": ""}, object) is not first


def test_who_asks_while_it_is_built_waits_for_the_same(measure):
    remembered, result = Remembered(2), measure("a")
    begun, may_end, made = threading.Event(), threading.Event(), []

    def build():
        begun.set()
        assert may_end.wait(10)
        made.append(object())
        return made[-1]

    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(remembered.of("x", [result], {"a": ""}, build)))
        for _ in range(2)
    ]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert answers == [made[0]] * 2
