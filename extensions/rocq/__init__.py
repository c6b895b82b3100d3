"""Is this argument right? A kernel says so: proofs in Rocq, and what asks coqc about them."""
