"""TP-Link Kasa and Tapo plugs and strips with energy monitoring."""
