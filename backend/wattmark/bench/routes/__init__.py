"""The HTTP of the bench: its text, its entries, what every change shares."""
