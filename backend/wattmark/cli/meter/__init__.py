"""`wattmark meter`: everything about one device, without a campaign."""
