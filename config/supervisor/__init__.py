"""What `make run` starts and owns: Postgres, Valkey, the worker, the dispatcher and the web server (ADR 0006)."""
