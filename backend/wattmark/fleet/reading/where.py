"""Conditions on the rows of a fleet's tables, as SQL with named parameters. Pure.

The SQL is what ClickHouse 18.16 and current servers both understand. The client binds parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

BUILD = "cityHash64(lab, server, configuration)"
"""A configuration of a server as one number, which is counted faster than three texts."""
SEARCHED = ("lab", "server", "server_model", "processor", "configuration", "configuration_title")
"""Columns that words are searched in."""


class Where:
    """Conditions that all hold, with their parameters."""

    def __init__(self) -> None:
        self._conditions = ["deleted = 0"]
        self.parameters: dict[str, object] = {}

    @property
    def sql(self) -> str:
        """Return the conditions joined."""
        return " AND ".join(self._conditions)

    def copy(self) -> Where:
        """Return the same conditions, to which others can be added."""
        other = Where()
        other._conditions, other.parameters = [*self._conditions], dict(self.parameters)
        return other

    def add(self, condition: str) -> None:
        """Add a condition without parameters."""
        self._conditions.append(condition)

    def parameter(self, value: object) -> str:
        """Add a value; return its placeholder."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"%({name})s"

    def equal(self, expression: str, value: object) -> None:
        """Add the condition of one value; None: any."""
        if value is not None:
            self.add(f"{expression} = {self.parameter(value)}")

    def among(self, expression: str, values: Sequence[object]) -> None:
        """Add the condition of one of some values; empty: any."""
        if values:
            self.add(in_values(expression, self.parameter(tuple(values))))

    def words(self, text: str, columns: Sequence[str] = SEARCHED) -> None:
        """Require every word of a text in one of some columns, in any case."""
        for word in text.split():
            placeholder = self.parameter(word)
            anywhere = (f"positionCaseInsensitiveUTF8({column}, {placeholder}) > 0" for column in columns)
            self.add(f"({' OR '.join(anywhere)})")


def in_values(expression: str, placeholder: str) -> str:
    """Return the condition that an expression is one of the values of a placeholder."""
    return f"{expression} IN {placeholder}"


def natural(expression: str) -> str:
    """Return the sort key of a text by which "fb10" comes after "fb4"."""
    padded = f"replaceRegexpAll(lower({expression}), '([0-9]+)', '000000000000\\\\1')"
    return f"replaceRegexpAll({padded}, '[0-9]*([0-9]{{12}})', '\\\\1')"
