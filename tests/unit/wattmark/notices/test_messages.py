"""A notice as JSON and as a mail: nothing in it is a secret, and no word becomes a header."""

from __future__ import annotations

import json
from email import message_from_bytes
from email.policy import default

import pytest
from wattmark.notices.messages import mail, ntfy_body, webhook_body
from wattmark.notices.notice import make_notice

from .conftest import AT_NS, notice

EVIL = "night\r\nBcc: evil@example.org\r\nX-Priority: 1\r\n\r\nbody\x1b[2J\u202e"


def test_a_webhook_gets_one_text_that_says_all_and_fields_for_programs() -> None:
    assert json.loads(webhook_body(notice(), "Power lab")) == {
        "text": "Power lab: wall power is above its limit. 320 W is above the limit of 300 W.",
        "event": "alarm",
        "title": "wall power is above its limit",
        "details": "320 W is above the limit of 300 W.",
        "lab": "Power lab",
        "at": "2026-09-21T14:13:20+00:00",
        "simulated": False,
    }


def test_ntfy_gets_its_own_json_of_which_the_documentation_lists_the_keys() -> None:
    """https://docs.ntfy.sh/publish/#publish-as-json: topic, title, message, priority 1 to 5, tags."""
    assert json.loads(ntfy_body(notice(), "Power lab", "power")) == {
        "topic": "power",
        "title": "Power lab: wall power is above its limit",
        "message": "320 W is above the limit of 300 W.",
        "priority": 4,
        "tags": ["rotating_light"],
    }


def test_words_of_others_stay_words() -> None:
    """A reader of the standard library finds the headers that were meant, and no other."""
    evil = make_notice("needs-hands", EVIL, EVIL, AT_NS)
    sent = mail(evil, f"Lab {EVIL}", ["lab@example.org"], None)
    read = message_from_bytes(sent, policy=default)
    assert set(read.keys()) == {
        "Subject", "To", "Date", "Auto-Submitted", "Content-Type", "Content-Transfer-Encoding", "MIME-Version"
    }  # fmt: skip
    assert read["To"] == "lab@example.org"
    assert "night Bcc: evil@example.org" in read["Subject"]
    for body in (webhook_body(evil, "Lab"), ntfy_body(evil, "Lab", "power")):
        for text in json.loads(body).values():
            assert not isinstance(text, str) or text.isprintable()


def test_a_mail_is_one_that_programs_do_not_answer() -> None:
    read = message_from_bytes(mail(notice(), "Power läb", ["a@example.org", "root"], "w@example.org"), policy=default)
    assert read["From"] == "w@example.org"
    assert read["To"] == "a@example.org, root"
    assert read["Subject"] == "Power läb: wall power is above its limit"
    assert read["Auto-Submitted"] == "auto-generated"  # RFC 3834
    assert read["Date"].datetime.isoformat() == "2026-09-21T14:13:20+00:00"
    assert read.get_content().startswith("wall power is above its limit.\n320 W is above the limit of 300 W.\n")


@pytest.mark.parametrize(
    "text",
    [
        "No answer from ipmi://admin:hunter2@192.0.2.1",
        "http://192.0.2.2/read?password=hunter2 is refused",
        "snmp://192.0.2.3?community=hunter2&port=161",
        "https://h/x?api_token=hunter2",
    ],
)
def test_no_secret_of_an_address_is_in_a_message(text: str) -> None:
    told = make_notice("meter-lost", text, text, AT_NS)
    for body in (webhook_body(told, "L"), ntfy_body(told, "L", "t"), mail(told, "L", ["a@example.org"], None)):
        assert b"hunter2" not in body


def test_a_long_text_is_cut() -> None:
    told = make_notice("alarm", "a" * 500, "b" * 5000, AT_NS, simulated=True)
    assert (len(told.title), len(told.text)) == (112, 1000)
    assert told.title.endswith("… (simulated)")
