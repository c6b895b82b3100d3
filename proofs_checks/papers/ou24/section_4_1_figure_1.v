(* Figure 1: more pre-pulls, or more variance, never promise less; and how much more one pre-pull promises. *)
From Coq Require Import Reals Lra Lia.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments gaussian gaussian_profile normal_tails satisfiable.
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

(* x is eps/mu - mu/2, in deviations of the normal law. *)
Lemma far_enough x y m : 0 <= x <= 7 -> m = sqrt 1000 -> y = 6 / 10 * (m * x + 500) / sqrt 500 - sqrt 500 / 2 ->
  Phi (- y) + density x / (x + m) <= Phi (- x).
Proof.
intros X M Y. assert (m0 : 0 < m) by (rewrite M; apply sqrt_lt_R0; lra).
assert (y0 : 2 <= y) by (rewrite Y, M; interval with (i_bisect x, i_prec 60)). assert (H := half_tail y ltac:(lra)).
destruct (Rle_lt_dec x 1) as [L|L].
- assert (B := mills_below 1 ltac:(lra)). assert (Phi (- (1)) <= Phi (- x)) by (apply Phi_le; lra).
  assert (D : density x / (x + m) <= 1 / 2 * / 31).
  { apply Rmult_le_compat; [left; apply density_positive|left; apply Rinv_0_lt_compat; lra|apply density_below_half|].
    apply Rinv_le_contravar; [lra|]. rewrite M. assert (31 <= sqrt 1000) by interval with (i_prec 60). lra. }
  assert (E : exp (- (y * y) / 2) <= exp (- 2)) by (apply exp_le; nra).
  assert (C : exp (- 2) / 2 + 1 / 2 * / 31 <= density 1 * (1 / (1 * 1 + 1))); [|lra].
  unfold density. interval with (i_prec 60).
- assert (B := mills_below x ltac:(lra)). assert (P := density_positive x).
  assert (E : exp (- (y * y) / 2) / 2 = density x * (sqrt (2 * PI) / 2 * exp ((x * x - y * y) / 2))).
  { unfold density. replace (exp (- (y * y) / 2)) with (exp (- (x * x) / 2) * exp ((x * x - y * y) / 2))
      by (rewrite <- exp_plus; f_equal; field). field. generalize root_two_pi; lra. }
  assert (C : sqrt (2 * PI) / 2 * exp ((x * x - y * y) / 2) + / (x + m) - x / (x * x + 1) <= 0).
  { rewrite Y, M. interval with (i_bisect x, i_prec 60). }
  rewrite E in H. unfold Rdiv at 1. nra.
Qed.

Theorem figure_1_dramatic eps : 500 <= eps <= 720 ->
  gaussian_delta (sqrt 500) (6 / 10 * eps) <= gaussian_delta (sqrt 1000) eps.
Proof.
intros E. set (m := sqrt 1000). assert (m2 : m * m = 1000) by (apply sqrt_sqrt; lra).
assert (m0 : 0 < m) by (apply sqrt_lt_R0; lra). set (x := eps / m - m / 2).
assert (Eps : eps = m * x + 500) by (unfold x; replace 500 with (m * m / 2) by lra; field; lra).
assert (X : 0 <= x <= 7).
{ assert (Low : 31 <= m) by (unfold m; interval with (i_prec 60)).
  split; apply Rmult_le_reg_l with m; try exact m0; nra. }
set (w := sqrt 500). assert (w0 : 0 < w) by (apply sqrt_lt_R0; lra).
assert (F := far_enough x (6 / 10 * (m * x + 500) / w - w / 2) m X eq_refl eq_refl).
assert (Left : gaussian_delta w (6 / 10 * eps) <= Phi (- (6 / 10 * (m * x + 500) / w - w / 2))).
{ unfold gaussian_delta. rewrite <- Eps.
  replace (- (6 / 10 * eps / w - w / 2)) with (- (6 / 10 * eps) / w + w / 2) by (field; lra).
  set (far := - (6 / 10 * eps) / w - w / 2).
  generalize (Rmult_lt_0_compat _ _ (exp_pos (6 / 10 * eps)) (proj1 (Phi_inside far))). lra. }
assert (Right : exp eps * Phi (- (x + m)) <= density x / (x + m)).
{ assert (A := mills_above (x + m)). assert (D : density x = exp eps * density (x + m)).
  { unfold density. replace (- (x * x) / 2) with (eps + - ((x + m) * (x + m)) / 2).
    - rewrite exp_plus. unfold Rdiv. ring.
    - rewrite Eps. replace 500 with (m * m / 2) by lra. field. }
  rewrite D. apply Rmult_le_reg_r with (x + m); [lra|].
  replace (exp eps * density (x + m) / (x + m) * (x + m)) with (exp eps * density (x + m)) by (field; lra).
  replace (exp eps * Phi (- (x + m)) * (x + m)) with (exp eps * ((x + m) * Phi (- (x + m)))) by ring.
  apply Rmult_le_compat_l; [left; apply exp_pos|exact A]. }
apply Rle_trans with (1 := Left). unfold gaussian_delta.
replace (- eps / m + m / 2) with (- x) by (unfold x; field; lra).
replace (- eps / m - m / 2) with (- (x + m)) by (unfold x; field; lra). lra.
Qed.

(** * The hypotheses can hold together *)

Lemma figure_1_monotone_witness : satisfiable figure_1_monotone.
Proof. exists 0, 1%nat, 0%nat, 1, 1%nat, 1. repeat split; lra || lia. Qed.

Lemma figure_1_dramatic_witness : satisfiable figure_1_dramatic.
Proof. exists 600. lra. Qed.
