"""Speaks SNMP for PDUs."""
