"""Answers that are kept: the same while nothing changes, made anew after a change."""

from __future__ import annotations

import itertools

from wattmark.appliance.kept import KeptAnswers, Newest


class Store:
    """A number that a test changes."""

    revision = 0


def test_an_answer_is_found_once_until_a_change() -> None:
    store, found = Store(), itertools.count()
    answers = KeptAnswers(lambda: store.revision)
    ask = lambda question: answers.answer(question, lambda: (question, next(found)))  # noqa: E731
    assert [ask("a"), ask("b"), ask("a")] == [("a", 0), ("b", 1), ("a", 0)]
    store.revision = 1
    assert [ask("a"), ask("a")] == [("a", 2), ("a", 2)]


def test_an_answer_that_a_change_overtook_is_not_kept() -> None:
    store = Store()
    answers = KeptAnswers(lambda: store.revision)

    def overtaken() -> str:
        store.revision += 1
        answers.answer("other", lambda: "newer")
        return "old"

    assert answers.answer("a", overtaken) == "old"
    assert answers.answer("a", lambda: "new") == "new"


def test_an_answer_that_does_not_hold_is_not_kept() -> None:
    answers, found = KeptAnswers(lambda: 0, most=2), itertools.count()
    assert [answers.answer("a", lambda: next(found), lambda n: n > 0) for _ in range(3)] == [0, 1, 1]
    for question in "bc":
        answers.answer(question, lambda: -1)
    assert answers.answer("a", lambda: next(found)) == 2


def test_of_values_the_one_that_came_first_gives_way() -> None:
    kept: Newest[str, int] = Newest(2)
    for value, key in enumerate("abac"):
        kept.put(key, value)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (None, 1, 3)
    assert ("a" in kept, list(kept)) == (False, ["b", "c"])
