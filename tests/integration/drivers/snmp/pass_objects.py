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
    values = objects()
    if command == "getnext":
        asked = min((oid for oid in values if order(oid) > order(asked)), key=order, default="")
    return "\n".join([asked, *map(str, values[asked])]) if asked in values else "NONE"


for line in sys.stdin:
    command = line.strip()
    sys.stdout.write(answer(command, "" if command == "PING" else sys.stdin.readline().strip()) + "\n")
    sys.stdout.flush()
