"""What the command line is made of: how it ends, what it reads, and what it says of certificates."""
