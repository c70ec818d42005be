"""InfluxDB and what speaks like it: a sink for what is recorded, and a store to read it back from."""
