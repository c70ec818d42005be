"""Give snmpd the objects of a JSON file by its pass_persist dialogue, snmpd.conf(5): OID to [type, value]."""

import json
import sys
from pathlib import Path


def objects():
    return json.loads(Path(sys.argv[1]).read_text("utf-8"))


def order(oid):
    return [int(part) for part in oid.strip(".").split(".")]


def answer(command, asked):
    if command == "PING":
        return "PONG"
    known = objects()
    if command == "getnext":
        asked = min((oid for oid in known if order(oid) > order(asked)), key=order, default="")
    return "\n".join([asked, *map(str, known[asked])]) if asked in known else "NONE"


for line in sys.stdin:
    command = line.strip()
    sys.stdout.write(answer(command, "" if command == "PING" else sys.stdin.readline().strip()) + "\n")
    sys.stdout.flush()
