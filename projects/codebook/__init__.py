"""Questions and categories: how they are changed, copied and begun, and what labels forbid."""
