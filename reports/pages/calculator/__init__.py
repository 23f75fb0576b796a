"""Agreement without an account: a file, pasted text, or typed matrix, analyzed as in a report but not stored."""
