"""Does Rocq's kernel accept this proof? Proofs in Rocq, and the code that runs coqc."""
