"""What an answer means. The texts are those of the named servers, as they gave them."""

from __future__ import annotations

import json

import pytest
from wattmark.fleet.influx.answers import Verdict, judge, server_message

SERVERS = {
    "1.6.7 has no /api/v2/write": (404, "404 page not found\n", Verdict.NO_SUCH_PATH),
    "1.8.3 without the database": (404, '{"error":"database not found: \\"x\\""}', Verdict.LATER),
    "2.9.1 without the bucket": (404, '{"code":"not found","message":"bucket \\"x\\" not found"}', Verdict.LATER),
    "1.8.3 type conflict": (
        400,
        '{"error":"partial write: field type conflict: input field \\"value\\" on measurement \\"wattmark\\" is type '
        'string, already exists as type float dropped=1"}',
        Verdict.SPLIT,
    ),
    "1.8.3 too old": (400, '{"error":"partial write: points beyond retention policy dropped=5"}', Verdict.REFUSED),
    "1.8.3 some too old": (400, '{"error":"partial write: points beyond retention policy dropped=4"}', Verdict.SPLIT),
    "1.8.3 unparsable": (400, '{"error":"unable to parse \'x\': missing fields"}', Verdict.SPLIT),
    "2.9.1 type conflict": (
        422,
        '{"code":"unprocessable entity","message":"failure writing points to database: partial write: field type '
        'conflict: input field \\"value\\" on measurement \\"wattmark\\" is type string dropped=1"}',
        Verdict.SPLIT,
    ),
    "2.9.1 without organisation": (
        400,
        '{"code":"invalid","message":"Please provide either orgID or org"}',
        Verdict.LATER,
    ),
    "2.9.1 wrong token": (401, '{"code":"unauthorized","message":"unauthorized access"}', Verdict.LATER),
    "nginx": (413, "<html><h1>413 Request Entity Too Large</h1></html>", Verdict.SPLIT),
    "a login page": (200, "<html>Please log in</html>", Verdict.LATER),
    "teapot": (418, "", Verdict.LATER),
    "accepted": (204, "", Verdict.ACCEPTED),
}


@pytest.mark.parametrize("name", SERVERS)
def test_each_answer_has_one_meaning(name):
    status, text, verdict = SERVERS[name]
    answer = judge(status, text, {}, lines=5)
    assert answer.verdict is verdict
    if verdict is not Verdict.ACCEPTED:
        assert answer.cause
        assert answer.remedy


def test_nothing_but_204_acknowledges_and_only_words_about_points_give_up_points():
    for status in range(100, 600):
        verdict = judge(status, json.dumps({"error": "something"}), {}, lines=1).verdict
        assert (verdict is Verdict.ACCEPTED) == (status == 204)
        assert verdict is not Verdict.REFUSED
        assert (verdict is Verdict.SPLIT) == (status == 413)


def test_the_wait_that_is_asked_for_is_read():
    assert judge(429, "", {"Retry-After": "17"}, 1).retry_after_s == 17.0
    assert judge(503, "", {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 1).retry_after_s is None


@pytest.mark.parametrize("text", ["", "null", "[]", "3", '"x"', "{}", '{"error": ""}', "{" * 10_000, "[" * 100_000])
def test_strange_answers_say_nothing(text):
    assert server_message(text) is None
