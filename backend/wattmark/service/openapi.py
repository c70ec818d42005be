"""Print the OpenAPI description of the service; the web app's types are generated from it."""

from __future__ import annotations

import json
import sys

from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app


def main() -> None:
    """Write the description to standard output."""
    app = create_app(None, AccessPolicy.for_address("127.0.0.1", None))
    description = app.openapi()
    description["info"]["version"] = "0"
    json.dump(description, sys.stdout, indent=1, ensure_ascii=False, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
