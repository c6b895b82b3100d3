"""What do numbers and formulas mean, on every processor? exp, log and their kin from + - * / alone, sums of products,
what formulas are written in, and what constructors ask of their numbers. No bandits."""
