"""Every log format, most telling first. To add one: a line here."""

from __future__ import annotations

from wattmark.importers.logs.collectd import COLLECTD
from wattmark.importers.logs.hwinfo import HWINFO
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_import import log_importer
from wattmark.importers.logs.sar import SAR
from wattmark.importers.logs.telegraf import TELEGRAF
from wattmark.importers.logs.wattsup import WATTS_UP

LOG_FORMATS: tuple[LogFormat, ...] = (WATTS_UP, HWINFO, SAR, COLLECTD, TELEGRAF)
LOG_IMPORTERS = tuple(log_importer(form) for form in LOG_FORMATS)
