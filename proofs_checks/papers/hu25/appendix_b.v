(* Appendix B, the proof of Lemma 4.1: step (a), and step (b) where it holds. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments normal_tails satisfiable.
Open Scope R_scope.

(* Eq. (5). *)
Definition anti_concentration (z : R) := z / (z * z + 1) * exp (- z * z / 2) / sqrt (2 * PI).

Theorem step_a log_T alpha : let z := sqrt (Rpower log_T (1 - alpha)) in anti_concentration z <= Phi (- z).
Proof.
intros z. apply Rle_trans with (2 := mills_below z (sqrt_pos _)). right.
unfold anti_concentration, density. replace (- z * z) with (- (z * z)) by ring. unfold Rdiv. ring.
Qed.

(* alpha = 0. *)
Theorem step_b_alpha_0 T : 21 <= T ->
  exp (- ((1 * ln T + 1) / 2)) / (sqrt (2 * PI) * sqrt (ln T)) <= anti_concentration (sqrt (ln T)).
Proof.
intros H. assert (L : 3 <= ln T).
{ apply Rle_trans with (ln 21); [interval with (i_prec 60)|]. destruct H as [H|<-]; [left; apply ln_increasing; lra|lra]. }
unfold anti_concentration. set (l := ln T) in *. set (z := sqrt l).
assert (Z : z * z = l) by (apply sqrt_sqrt; lra). assert (z0 : 0 < z) by (apply sqrt_lt_R0; lra).
replace (- z * z) with (- (z * z)) by ring. rewrite Z. replace (- ((1 * l + 1) / 2)) with (- l / 2 + - (1 / 2)) by field.
rewrite exp_plus. assert (R0 := root_two_pi). assert (E := exp_pos (- l / 2)).
assert (C : exp (- (1 / 2)) <= l / (l + 1)).
{ apply Rle_trans with (3 / 4); [interval with (i_prec 60)|]. apply Rmult_le_reg_r with (l + 1); [lra|].
  unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l; lra. }
apply Rmult_le_reg_r with (sqrt (2 * PI) * z); [now apply Rmult_lt_0_compat|].
replace (exp (- l / 2) * exp (- (1 / 2)) / (sqrt (2 * PI) * z) * (sqrt (2 * PI) * z)) with
  (exp (- l / 2) * exp (- (1 / 2))) by (field; lra).
replace (z / (l + 1) * exp (- l / 2) / sqrt (2 * PI) * (sqrt (2 * PI) * z)) with (exp (- l / 2) * (z * z / (l + 1)))
  by (field; lra). rewrite Z. apply Rmult_le_compat_l; lra.
Qed.

(* Bernoulli's inequality: Fact A.1. *)
Lemma power_below L u : 1 <= L -> 0 <= u <= 1 -> 1 <= Rpower L u <= u * L + (1 - u).
Proof.
intros H U. assert (l0 : 0 <= ln L). { rewrite <- ln_1. destruct H as [H|<-]; [left; apply ln_increasing|]; lra. }
unfold Rpower. set (x := ln L) in *. assert (Ex : exp x = L) by (apply exp_ln; lra). rewrite <- Ex. split.
- rewrite <- exp_0. apply exp_le. now apply Rmult_le_pos.
- generalize (exp_chord u x U). lra.
Qed.

Theorem step_b_doubled log_T u : 1 <= log_T -> 0 <= u <= 1 -> let p := Rpower log_T u in
  exp (- (u * log_T + 1) / 2) <= exp (- p / 2) * 2 * p / (p + 1).
Proof.
intros L U p. destruct (power_below log_T u L U) as [P Q]. fold p in P, Q.
apply Rle_trans with (exp (- p / 2)); [apply exp_le; lra|]. assert (E := exp_pos (- p / 2)).
apply Rmult_le_reg_r with (p + 1); [lra|].
replace (exp (- p / 2) * 2 * p / (p + 1) * (p + 1)) with (exp (- p / 2) * (2 * p)) by (field; lra).
apply Rmult_le_compat_l; lra.
Qed.

(** * The hypotheses can hold together *)

Lemma step_a_witness : satisfiable step_a.
Proof. now exists 2, 0. Qed.

Lemma step_b_alpha_0_witness : satisfiable step_b_alpha_0.
Proof. exists 21. lra. Qed.

Lemma step_b_doubled_witness : satisfiable step_b_doubled.
Proof. exists 2, (1 / 2). lra. Qed.
