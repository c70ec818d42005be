"""Texts of a DCC, which come in several languages."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from wattmark_calibration.dcc.quantities import DCC


def english(element: Element | None) -> str | None:
    """Return the English text of a dcc:name or dcc:description, else the first; None where there is none."""
    if element is None:
        return None
    texts = [(content.get("lang"), one_line(content.text)) for content in element.iterfind(f"{DCC}content")]
    texts = [(lang, text) for lang, text in texts if text]
    return next((text for lang, text in texts if lang == "en"), texts[0][1] if texts else None)


def one_line(text: str | None) -> str | None:
    """Join the words of a text; None for an empty one."""
    return " ".join((text or "").split()) or None


def found_text(root: Element, path: str) -> str | None:
    """Read the text at a path of dcc names ("coreData/uniqueIdentifier"); None where it is empty or absent."""
    return one_line(root.findtext("/".join(DCC + step for step in path.split("/"))))
