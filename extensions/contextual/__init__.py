"""Linear contextual bandits: policies that belong to no paper, and certificates about privacy."""
