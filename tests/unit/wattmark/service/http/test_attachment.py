"""Names under which a browser saves an answer."""

from __future__ import annotations

import pytest
from starlette.responses import Response
from wattmark.web.attachment import attachment


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("wattmark-samples-r1.csv", 'attachment; filename="wattmark-samples-r1.csv"'),
        ('a"b.csv', "attachment; filename=\"a_b.csv\"; filename*=UTF-8''a%22b.csv"),
        ("a\r\nX: y", "attachment; filename=\"a__X_ y\"; filename*=UTF-8''a%0D%0AX%3A%20y"),
        ("计.csv", "attachment; filename=\"_.csv\"; filename*=UTF-8''%E8%AE%A1.csv"),
    ],
)
def test_any_name_makes_a_header(name: str, header: str) -> None:
    """RFC 6266 and RFC 8187: ASCII in quotation marks, and the exact name beside it where that says less."""
    assert attachment(name) == {"Content-Disposition": header}
    assert Response(headers=attachment(name)).headers["content-disposition"] == header
