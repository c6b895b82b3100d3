"""The meanings of formulas: decimals, intervals, boxes, slopes, rationals, text."""
