"""The pages of raters: all, one, and the items behind the figures of one."""
