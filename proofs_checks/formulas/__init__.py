"""Is this inequality true? The ladder that formulas climb, its rungs, and refutations as data. No page stands here."""
