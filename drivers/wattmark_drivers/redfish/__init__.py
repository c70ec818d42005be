"""BMCs by Redfish: JSON over HTTPS."""
