"""Runs in which a model labels items through the endpoint that the operator has set."""
