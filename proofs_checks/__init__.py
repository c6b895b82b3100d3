"""The mathematical judge: formulas, exact laws, certificates."""
