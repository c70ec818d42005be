"""A power daemon that speaks the protocol of SPEC's PTDaemon: conversation, samples, ranges, console and log."""
