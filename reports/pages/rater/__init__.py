"""The pages of raters: everyone, one, and the items behind the figures of one."""
