"""Safe parsing of untrusted XML. Nothing outside the given bytes is ever read."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from wattmark_calibration.errors import CertificateError

LARGEST_FILE = 16 * 1024 * 1024
DEEPEST = 100
MOST_ELEMENTS = 200_000
MOST_ATTRIBUTES = 100


class _HostileError(CertificateError):
    """XML constructs that attacks use and certificates never need."""


class _Reader:
    """Builds the tree, and stops at a document type, a processing target out of place, depth or number."""

    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._elements = 0

    def read(self, content: bytes) -> Element:
        """Parse all bytes at once; expat reads namespaces and never loads anything."""
        parser = expat.ParserCreate(namespace_separator="}")
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.ExternalEntityRefHandler = self._entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._tree.data
        parser.Parse(content, True)
        return self._tree.close()

    def _doctype(self, *_: object) -> None:
        raise _HostileError("The XML file declares a document type (DTD); certificates must not contain any.")

    def _entity(self, *_: object) -> int:
        raise _HostileError("The XML file declares or refers to entities; certificates must not contain any.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > DEEPEST:
            raise _HostileError(
                f"The XML file is nested deeper than {DEEPEST} levels, more than any certificate needs."
            )
        if self._elements > MOST_ELEMENTS or len(attributes) > MOST_ATTRIBUTES:
            raise _HostileError(
                f"The XML file has more than {MOST_ELEMENTS} elements, or {MOST_ATTRIBUTES} attributes on one."
            )
        self._tree.start(_qualified(name), {_qualified(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(_qualified(name))


def parse_xml(content: bytes) -> Element:
    """Parse XML without DTD, entities or outside references, bounded in size, depth and number of elements.

    Entity expansion needs a declaration and a declaration needs a DTD, which ends the parse at its first byte; so no
    expansion ever starts. Raises `CertificateError` with one line.
    """
    if len(content) > LARGEST_FILE:
        raise CertificateError(f"The file has {len(content)} bytes; a certificate has at most {LARGEST_FILE}.")
    try:
        return _Reader().read(content)
    except expat.ExpatError as error:
        raise CertificateError(f"The file is not well-formed XML: {error}.") from None
    except _HostileError:
        raise
    except (LookupError, ValueError) as error:
        raise CertificateError(f"The file is not XML in a known encoding: {error}.") from None


def _qualified(name: str) -> str:
    """Write a name as ElementTree does: {namespace}local."""
    return "{" + name if "}" in name else name
