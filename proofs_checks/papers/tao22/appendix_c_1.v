(* The proof of Theorem 6: what a message of Algorithm 4 reveals of its user's reward. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import moments laplace satisfiable.
From Dpbandits.tao22 Require Import section_4_theorem_3.
Open Scope R_scope.

(* Lines 15 and 16: the density of the message of a user with reward x. *)
Definition message (eps bound x : R) : R -> R := laplace (2 * bound / eps) (truncated bound x).

Theorem theorem_6_range eps bound : 0 < eps -> 0 < bound ->
  (forall x y z, message eps bound x z <= exp eps * message eps bound y z) /\
  exists x y, forall z, z <= x -> message eps bound x z = exp eps * message eps bound y z.
Proof.
intros E B. assert (S : 0 < 2 * bound / eps) by (apply Rdiv_lt_0_compat; lra). split.
- intros x y z. replace (exp eps) with (exp (2 * bound / (2 * bound / eps))) by (f_equal; field; lra).
  now apply laplace_moved, truncated_moved.
- exists (- bound), bound. intros z Z. unfold message, truncated, laplace.
  destruct (Rle_dec (Rabs (- bound)) bound) as [_|N]; [|destruct N; rewrite Rabs_Ropp, Rabs_right; lra].
  destruct (Rle_dec (Rabs bound) bound) as [_|N]; [|destruct N; rewrite Rabs_right; lra].
  rewrite !Rabs_left1 by lra. set (c := 2 * bound / eps) in *.
  replace (- (- (z - - bound) / c)) with (eps + - (- (z - bound) / c)) by (unfold c; field; lra).
  rewrite exp_plus. unfold Rdiv. ring.
Qed.

Lemma theorem_6_range_witness : satisfiable theorem_6_range.
Proof. exists 1, 1. split; [lra|split; [lra|now exists 0, 1, 0]]. Qed.
