"""The HTTP of campaigns, plans and markers."""
