"""Speaks Redfish for a BMC."""
