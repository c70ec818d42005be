"""Speaks IPMI for a BMC, by ipmi_sim."""
