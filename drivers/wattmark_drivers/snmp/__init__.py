"""Power distribution units by SNMP."""
