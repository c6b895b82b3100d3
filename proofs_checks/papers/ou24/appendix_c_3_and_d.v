(* Appendix C.3: Renyi's numbers at the best order are no better than Theorem 3's, and Corollary 1's grow with N. *)
From Coq Require Import Reals Lra Lia.
From Dpbandits Require Import normal moments gaussian satisfiable.
From Dpbandits.ou24 Require Import appendix_c_2 appendix_c_1_standard_dp.
Open Scope R_scope.

Theorem c3_no_worse T delta : (1 <= T)%nat -> 0 < delta < 1 ->
  gaussian_delta (sqrt (1 / 2 * INR T)) (INR T / 4 + sqrt (INR T * ln (1 / delta))) <= delta.
Proof.
intros N D. assert (L := lt_0_INR T N). set (l := ln (1 / delta)). assert (l0 : 0 < l).
{ unfold l. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (P : 0 < INR T * l) by now apply Rmult_lt_0_compat. set (q := sqrt (INR T * l)).
assert (q0 : 0 < q) by now apply sqrt_lt_R0. assert (q2 : q * q = INR T * l) by (apply sqrt_sqrt; lra).
assert (O : 0 < 2 * l / q) by (apply Rdiv_lt_0_compat; lra).
assert (F := theorem_8_formula T (1 + 2 * l / q) delta N ltac:(lra) D).
replace (renyi_eps T (1 + 2 * l / q) delta) with (INR T / 4 + q) in F; [exact F|].
unfold renyi_eps. fold l. replace (INR T) with (q * q / l) by (rewrite q2; field; lra). field. lra.
Qed.

Theorem c3_depends_on_N N delta slack : (2 <= N)%nat -> 0 < delta < 1 / 1000 -> 0 < slack < 1 ->
  corollary_1_eps 1000 (INR N) delta slack < corollary_1_eps 1000 (INR N + 1) delta slack.
Proof.
intros H D S. assert (n2 : 2 <= INR N) by (change 2 with (INR 2); now apply le_INR). unfold corollary_1_eps.
assert (l0 : 0 < ln (1 / slack)).
{ rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with slack; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (r0 : 0 < sqrt (2 * 1000 * ln (1 / slack))) by (apply sqrt_lt_R0; lra).
assert (E : 0 <= step_eps (INR N) delta < step_eps (INR N + 1) delta).
{ unfold step_eps. assert (W : 0 < 2 * sqrt 2) by (generalize (sqrt_lt_R0 2); lra). assert (I := Rinv_0_lt_compat _ W).
  assert (B : ln ((INR N - 1) / (2 * delta)) < ln ((INR N + 1 - 1) / (2 * delta))).
  { apply ln_increasing; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|lra]. }
  assert (C : 0 <= ln ((INR N - 1) / (2 * delta))).
  { rewrite <- ln_1. left. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with (2 * delta); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  split; [apply Rle_mult_inv_pos; [apply sqrt_pos|exact W]|].
  apply Rmult_lt_compat_r; [exact I|]. apply sqrt_lt_1; lra. }
set (e := step_eps (INR N) delta) in *. set (e' := step_eps (INR N + 1) delta) in *.
assert (X : 0 <= exp e - 1 < exp e' - 1).
{ assert (exp e < exp e') by (apply exp_increasing; lra). generalize (exp_ineq1_le e). lra. }
assert (e * sqrt (2 * 1000 * ln (1 / slack)) < e' * sqrt (2 * 1000 * ln (1 / slack))) by (apply Rmult_lt_compat_r; lra).
assert (e * (exp e - 1) <= e' * (exp e' - 1)) by (apply Rmult_le_compat; lra). lra.
Qed.

(** * The hypotheses can hold together *)

Lemma c3_depends_on_N_witness : satisfiable c3_depends_on_N.
Proof. exists 2%nat, (1 / 2000), (1 / 2). split; [lia|lra]. Qed.

Lemma c3_no_worse_witness : satisfiable c3_no_worse.
Proof. exists 1%nat, (1 / 2). split; [lia|lra]. Qed.
