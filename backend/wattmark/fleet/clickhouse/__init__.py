"""ClickHouse, the store of a fleet: what is recorded is sent there, and read back and compared from there."""
