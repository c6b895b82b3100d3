(* chen24, Appendix J, after (117): the tail of the normal law. *)
From Coq Require Import Reals.
From Dpbandits Require Import normal coins satisfiable.
Open Scope R_scope.

Theorem after_117 z : 0 <= z -> Phi (- z) <= exp (- z * z / 2).
Proof. intros H. replace (- z * z) with (- (z * z)) by ring. now apply Phi_tail. Qed.

Lemma after_117_witness : satisfiable after_117.
Proof. exists 1. exact Rle_0_1. Qed.
