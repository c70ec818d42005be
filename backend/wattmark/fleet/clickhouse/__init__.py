"""ClickHouse, the store of a fleet: recorded data is sent there, read back and compared."""
