"""Accounts of people: signing in, sessions, tokens, invitations, erasing."""
