"""Plugs and energy meters that give JSON over HTTP."""
