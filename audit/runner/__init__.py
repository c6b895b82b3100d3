"""What runs when, and what is stored? The loop over claims, the choice of a method for each claim, and files."""
