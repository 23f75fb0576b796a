"""The pages of two raters: their figures, table of counts, and the items behind them."""
