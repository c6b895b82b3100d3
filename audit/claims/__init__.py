"""What is said about claims? Their statements in words, and what follows from what. No judge stands here."""
