"""One bounded, honest HTTP client for all devices that speak JSON over HTTP."""
