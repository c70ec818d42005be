"""What the routes of all subjects share: how a problem is told, how files and streams are sent. Knows no subject."""
