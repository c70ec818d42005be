"""Plans that wait to be started: queued by a person, or by the calendar of their schedule."""
