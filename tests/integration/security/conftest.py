"""The service as strangers, guests and administrators meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..service.conftest import Service, Start, start

__all__ = ["Lab", "start"]


class Lab:
    """A service that asks for a sign-in, and the tokens to it."""

    def __init__(self, start: Start, data: Path, bench: Path | None = None) -> None:
        self.service: Service = start(data, "--host", "0.0.0.0", bench=bench)
        self.first_token_file = data / "first-token"
        self.secrets = {"first": self.first_token_file.read_text().strip()}

    def ask(self, method: str, path: str, who: str = "first", body: object = None) -> tuple[int, object]:
        return self.service.ask(method, path, body, Authorization=f"Bearer {self.secrets[who]}")

    def make(self, name: str, role: str) -> None:
        status, made = self.ask("POST", "/api/tokens", body={"name": name, "role": role})
        assert status == 201, made
        assert isinstance(made, dict)
        self.secrets[name] = made["secret"]


@pytest.fixture
def guarded(start: Start, tmp_path: Path) -> Lab:
    return Lab(start, tmp_path / "data")
