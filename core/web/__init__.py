"""What pages and API of every app stand on."""
