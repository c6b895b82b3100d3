"""What is said about claims? Their statements in words, and implications between claims. Nothing is checked here."""
