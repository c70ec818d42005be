"""Access: tokens, roles, sign-in, and the audit log. Independent of HTTP."""
