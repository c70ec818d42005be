"""InfluxDB and compatible servers: a sink for recorded data, and a store to read it back from."""
