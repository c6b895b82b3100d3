(* Figure 1: more pre-pulls, or more variance, never promise less. *)
From Coq Require Import Reals Lra Lia.
From Dpbandits Require Import normal gaussian gaussian_profile.
From Dpbandits.ou24 Require Import section_2.
Open Scope R_scope.

Theorem figure_1_monotone eps T b c more_b more_c : 0 <= eps -> (1 <= T)%nat -> 1 <= c -> 0 <= more_c ->
  gaussian_delta (sqrt (INR T / ((c + more_c) * (INR (b + more_b) + 1)))) eps <=
    gaussian_delta (sqrt (INR T / (c * (INR b + 1)))) eps.
Proof.
intros E H C M. assert (N := lt_0_INR T H). assert (B := pos_INR b). assert (B' := pos_INR more_b). rewrite plus_INR.
apply delta_rises; [exact E| |].
- apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact N|]. apply Rmult_lt_0_compat; lra.
- apply sqrt_le_1_alt. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|].
  apply Rmult_le_compat; lra.
Qed.
