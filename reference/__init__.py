"""What the papers say: claims, policies, and one page for each paper. It contains no verdicts."""
