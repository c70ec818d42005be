"""The memory slots of the bench file against the firmware's tables and what the BMC lists by Redfish."""
