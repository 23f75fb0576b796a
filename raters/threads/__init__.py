"""Questions of raters about items, and the answers of leads."""
