"""A reader process with an interpreter of its own; its argument is the number of the inherited control socket."""

from __future__ import annotations

import socket
import sys

from wattmark.service.reader.work import work

work(socket.socket(fileno=int(sys.argv[1])))
