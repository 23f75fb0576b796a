"""Links that open the pages of a report for readers without an account."""
