"""The service: composition, HTTP shell, reader process, health."""
