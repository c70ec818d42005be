"""How the service itself is doing, for Prometheus. Nothing of a measurement is read from here."""
