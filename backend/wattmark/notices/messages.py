"""A notice as a body of JSON for a webhook and for ntfy, and as a mail. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default as one_line_each
from email.utils import format_datetime

from wattmark.core.instants import iso
from wattmark.notices.notice import Notice

_PRIORITY: Mapping[str, int] = {"campaign-failed": 4, "needs-hands": 4, "alarm": 4, "meter-lost": 4}
"""Of ntfy: 3 is its default, 4 is high."""
_TAGS: Mapping[str, str] = {
    "campaign-ended": "white_check_mark",
    "campaign-failed": "x",
    "needs-hands": "raised_hand",
    "alarm": "rotating_light",
    "meter-lost": "electric_plug",
}
"""Names of the signs that ntfy shows."""


def headline(notice: Notice, lab: str) -> str:
    """Return the title of a message: the lab first, for who hears of several."""
    return f"{lab}: {notice.title}"


def webhook_body(notice: Notice, lab: str) -> bytes:
    """Write a notice for a webhook: ``text`` alone says all, the other fields are for programs."""
    return _json(
        {
            "text": f"{headline(notice, lab)}. {notice.text}".strip(),
            "event": notice.event,
            "title": notice.title,
            "details": notice.text,
            "lab": lab,
            "at": iso(notice.at_ns),
            "simulated": notice.simulated,
        }
    )


def ntfy_body(notice: Notice, lab: str, topic: str) -> bytes:
    """Write a notice as ntfy publishes JSON, posted to the root of its server: no header holds a word of it."""
    tag = _TAGS.get(notice.event)
    return _json(
        {
            "topic": topic,
            "title": headline(notice, lab),
            "message": notice.text or notice.title,
            "priority": _PRIORITY.get(notice.event, 3),
            "tags": [] if tag is None else [tag],
        }
    )


def mail(notice: Notice, lab: str, to: Sequence[str], sender: str | None) -> bytes:
    """Write a notice as a mail; its subject is one line, whatever the lab and the plan are called."""
    message = EmailMessage(policy=one_line_each)
    message["Subject"] = " ".join(headline(notice, lab).split())
    message["To"] = ", ".join(to)
    if sender is not None:
        message["From"] = sender
    message["Date"] = format_datetime(datetime.fromtimestamp(notice.at_ns / 1e9, UTC))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"{notice.title}.\n{notice.text}\n\nAt {iso(notice.at_ns)}, wattmark of {lab}\n")
    return message.as_bytes()


def _json(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()
