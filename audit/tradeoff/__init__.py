"""From scores on fresh trials to certified points of a trade-off curve, and what they could have shown."""
