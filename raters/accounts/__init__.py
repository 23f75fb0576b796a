"""User accounts: signing in, sessions, tokens, invitations, and erasure."""
