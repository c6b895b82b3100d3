"""Numbers and formulas with the same meaning on every processor: exp, log and related functions from + - * / alone,
sums of products, the operations that formulas use, and checks of constructor arguments. No bandits."""
