"""The supervisor behind `make run`: it starts PostgreSQL, Valkey, worker, dispatcher and web server (ADR 0006)."""
