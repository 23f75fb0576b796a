"""Quality control of raters: pass marks, quality rules, alerts, and pauses."""
