"""Who may do what: tokens, roles, sign-in, and the log of who did what. Knows nothing of HTTP."""
