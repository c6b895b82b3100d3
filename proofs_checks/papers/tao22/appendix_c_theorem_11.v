(* The proof of Theorem 11: the divergence of two coins. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import satisfiable.
Open Scope R_scope.

Definition coins_divergence (p q : R) := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).

Lemma term x y : 0 < x -> 0 < y -> x * ln (x / y) <= x * (x / y - 1).
Proof.
intros X Y. assert (P : 0 < x / y) by now apply Rdiv_lt_0_compat. apply Rmult_le_compat_l; [lra|].
assert (E := exp_ineq1_le (ln (x / y))). rewrite exp_ln in E by exact P. lra.
Qed.

Theorem chi_square p q : 0 < p < 1 -> 0 < q < 1 -> coins_divergence p q <= (p - q) * (p - q) / (q * (1 - q)).
Proof.
intros P Q. unfold coins_divergence. assert (A := term p q ltac:(lra) ltac:(lra)).
assert (B := term (1 - p) (1 - q) ltac:(lra) ltac:(lra)).
replace ((p - q) * (p - q) / (q * (1 - q))) with (p * (p / q - 1) + (1 - p) * ((1 - p) / (1 - q) - 1)) by (field; lra).
lra.
Qed.

Lemma chi_square_witness : satisfiable chi_square.
Proof. exists (1 / 3), (1 / 2). lra. Qed.
