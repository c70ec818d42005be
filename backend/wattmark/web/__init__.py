"""Shared by the routes of all subjects: problem answers, sending of files and streams. Knows no subject."""
