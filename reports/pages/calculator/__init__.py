"""Agreement without an account: a file, pasted text, or a typed matrix, analyzed as in a report and stored nowhere."""
