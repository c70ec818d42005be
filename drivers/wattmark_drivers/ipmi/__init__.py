"""BMC power and sensors through ipmitool."""
