"""One run: window, steadiness, throughput, work per joule."""
