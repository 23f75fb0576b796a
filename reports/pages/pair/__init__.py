"""The pages of two raters: their figures, confusion matrix, and the items behind them."""
