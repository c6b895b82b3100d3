"""Is this certificate about this claim? Whether it is right, the checker says, which knows no claims."""
