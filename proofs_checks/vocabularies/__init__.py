"""What else can a formula mean? Decimals, intervals, boxes, slopes, rationals, text. Of doubles: `vocabulary`."""
