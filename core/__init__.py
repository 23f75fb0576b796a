"""What every app uses and none owns: runs, tables, the base of pages and API, the history chain, and database roles."""
