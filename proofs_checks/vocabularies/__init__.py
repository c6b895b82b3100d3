"""Further vocabularies in which formulas are evaluated: decimals, intervals, boxes, slopes, rationals, text. For
doubles see `reference.arithmetic.vocabulary`."""
