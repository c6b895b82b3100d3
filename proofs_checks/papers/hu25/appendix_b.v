(* Appendix B: Lemma 4.1, and of its printed proof step (a), and step (b) where it holds. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments normal_tails half_planes expectation concentration inverse_tails satisfiable.
From Dpbandits.hu25 Require Import appendix_c appendix_d_theorem_4_2.
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

(** * Lemma 4.1 *)

(* All of B independent normal samples around the mean of s rewards are below z: the probability, given the rewards. *)
Definition all_below {W : sample_space} (X : nat -> W -> R) (alpha T : R) (s B : nat) (z : R) (w : W) : R :=
  Phi ((z - average X s w) / deviation alpha T s) ^ B.

Lemma ln_second_order q : 0 <= q < 1 -> ln (1 - q) <= - q - q * q / 2.
Proof.
intros Q. set (f x := - x - x * x / 2 - ln (1 - x)). assert (F0 : f 0 = 0) by (unfold f; rewrite Rminus_0_r, ln_1; field).
assert (H : f 0 <= f q); [|rewrite F0 in H; unfold f in H; lra].
destruct (Req_dec q 0) as [->|N]; [lra|].
destruct (MVT_cor2 f (fun x => x * x / (1 - x)) 0 q) as (x & E & Hx); [lra| |].
- intros x Hx. apply is_derive_Reals. unfold f. auto_derive; [lra|]. field. lra.
- assert (0 <= x * x / (1 - x)) by (apply Rle_mult_inv_pos; [nra|lra]). nra.
Qed.

(* The rate at which the samples fail, for z^2 = w^2/2. *)
Lemma rate w : 1 <= w -> 1 <= sqrt (2 * PI * exp 1) * exp ((w * w - 1) / 2) * w * - ln (Phi (w * sqrt (1 / 2))).
Proof.
intros W1. set (y := w * sqrt (1 / 2)). assert (h2 : sqrt (1 / 2) * sqrt (1 / 2) = 1 / 2) by (apply sqrt_sqrt; lra).
assert (h0 : 0 < sqrt (1 / 2)) by (apply sqrt_lt_R0; lra). assert (y2 : y * y = w * w / 2) by (unfold y; nra).
assert (y0 : 0 < y) by (unfold y; nra). assert (B := birnbaum y). set (r := sqrt (4 + y * y)) in B.
assert (R2 : r * r = 4 + y * y) by (apply sqrt_sqrt; nra). assert (R0 : 0 < r) by (apply sqrt_lt_R0; nra).
assert (ry : y < r) by nra. set (d := density y * (r - y) / 2) in *. assert (P0 := Phi_inside (- y)).
assert (D0 := density_positive y). assert (d0 : 0 < d) by (unfold d; nra).
assert (Lq : ln (Phi y) <= - d - d * d / 2).
{ replace (Phi y) with (1 - Phi (- y)) by (rewrite Phi_opp; ring).
  assert (H := ln_second_order (Phi (- y)) ltac:(lra)). nra. }
set (c := sqrt (2 * PI * exp 1) * exp ((w * w - 1) / 2) * w).
assert (s0 := root_two_pi). assert (Ec : c * density y = w * exp (w * w / 4)).
{ unfold c, density. rewrite sqrt_mult by (generalize PI_RGT_0 (exp_pos 1); lra).
  replace (sqrt (exp 1)) with (exp (1 / 2)).
  2:{ apply Rsqr_inj; [left; apply exp_pos|apply sqrt_pos|]. rewrite Rsqr_sqrt by (left; apply exp_pos). unfold Rsqr. rewrite <- exp_plus. f_equal. field. }
  replace (w * exp (w * w / 4)) with (w * exp (1 / 2 + (w * w - 1) / 2 + - (y * y) / 2)) by (rewrite y2; do 2 f_equal; field).
  rewrite !exp_plus. field. lra. }
assert (c0 : 0 < c) by (unfold c; repeat apply Rmult_lt_0_compat; [apply sqrt_lt_R0; generalize PI_RGT_0 (exp_pos 1); nra|apply exp_pos|lra]).
apply Rle_trans with (c * (d + d * d / 2)); [|apply Rmult_le_compat_l; lra].
assert (Cd : c * d = w * exp (w * w / 4) * (2 / (r + y))).
{ unfold d. replace (c * (density y * (r - y) / 2)) with (c * density y * ((r - y) / 2)) by field. rewrite Ec. f_equal.
  apply Rmult_eq_reg_r with (r + y); [|lra]. replace (2 / (r + y) * (r + y)) with 2 by (field; lra).
  replace ((r - y) / 2 * (r + y)) with ((r * r - y * y) / 2) by field. rewrite R2. field. }
replace (c * (d + d * d / 2)) with (c * d * (1 + d / 2)) by field. rewrite Cd.
assert (Er : r = sqrt (4 + w * w / 2)) by (unfold r; now rewrite y2).
destruct (Rle_lt_dec w (11 / 10)) as [L|L].
- assert (Dd : d = exp (- (w * w / 4)) / sqrt (2 * PI) * (2 / (r + y))).
  { apply Rmult_eq_reg_l with c; [|lra]. rewrite Cd. transitivity (c * density y * (2 / (r + y))); [now rewrite Ec|].
    unfold density. rewrite y2. replace (- (w * w / 2) / 2) with (- (w * w / 4)) by field. field. lra. }
  rewrite Dd, Er. unfold y. interval with (i_bisect w, i_prec 60).
- assert (1 <= w * exp (w * w / 4) * (2 / (r + y))); [|nra].
  replace (w * exp (w * w / 4) * (2 / (r + y))) with (2 * exp (w * w / 4) / ((r + y) / w)) by (field; lra).
  assert (Ry : (r + y) / w <= 266 / 100).
  { apply Rmult_le_reg_r with w; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (H1 : r <= 1952 / 1000 * w) by (apply Rsqr_incr_0; unfold Rsqr; nra).
    assert (H2 : sqrt (1 / 2) <= 708 / 1000) by interval with (i_prec 60). unfold y. nra. }
  assert (E1 : 1352 / 1000 <= exp (w * w / 4)).
  { apply Rle_trans with (exp (121 / 400)); [interval with (i_prec 60)|apply exp_le; nra]. }
  assert (q0 : 0 < (r + y) / w) by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_reg_r with ((r + y) / w); [exact q0|].
  replace (2 * exp (w * w / 4) / ((r + y) / w) * ((r + y) / w)) with (2 * exp (w * w / 4)) by (field; lra). lra.
Qed.

Theorem lemma_4_1 (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (s B : nat) mu alpha T :
  (1 <= s)%nat -> 3 <= T -> 0 <= alpha <= 1 -> INR B <= phi T alpha < INR B + 1 -> independent P X s ->
  (forall i, (i < s)%nat -> random_variable (X i)) -> (forall i w, (i < s)%nat -> 0 <= X i w <= 1) ->
  (forall i, (i < s)%nat -> mean P (X i) = mu) ->
  has_mean P (all_below X alpha T s B mu) /\ 1 - 3 / T <= 1 - mean P (all_below X alpha T s B mu).
Proof.
intros S1 T3 A HB In V Bd M. assert (s0 : 0 < INR s) by (apply lt_0_INR; lia).
assert (L1 : 1 <= ln T).
{ apply Rle_trans with (ln 3); [interval with (i_prec 60)|]. destruct (Req_dec 3 T) as [<-|N]; [lra|]. left. apply ln_increasing; lra. }
set (L := ln T) in *. set (u := 1 - alpha). assert (u0 : 0 <= u <= 1) by (unfold u; lra).
set (w := Rpower L (u / 2)). assert (w1 : 1 <= w) by (unfold w; rewrite <- (Rpower_O L) by lra; apply Rle_Rpower; lra).
set (sd := sqrt (Rpower L alpha)). assert (q1 : 1 <= Rpower L alpha) by (rewrite <- (Rpower_O L) by lra; apply Rle_Rpower; lra).
assert (sd1 : 1 <= sd) by (rewrite <- sqrt_1; now apply sqrt_le_1_alt).
assert (sdw : sd * w = sqrt L).
{ apply Rsqr_inj; [nra|apply sqrt_pos|]. rewrite Rsqr_sqrt by lra. unfold Rsqr. replace (sd * w * (sd * w)) with (sd * sd * (w * w)) by ring.
  unfold sd, w. rewrite sqrt_sqrt by lra. rewrite <- !Rpower_plus. replace (alpha + (u / 2 + u / 2)) with 1 by (unfold u; field). apply Rpower_1. lra. }
assert (Dev : deviation alpha T s = sd / sqrt (INR s)) by (unfold deviation; apply sqrt_div; [fold L; lra|exact s0]).
set (Vx := shortfall W X s mu). assert (Sm := shortfall_small W P X s mu S1 In V Bd M).
assert (r0 : 0 < sqrt (INR s)) by now apply sqrt_lt_R0. assert (rr : sqrt (INR s) * sqrt (INR s) = INR s) by (apply sqrt_sqrt; lra).
assert (Same : forall x, all_below X alpha T s B mu x = Phi (Vx x / sd) ^ B).
{ intros x. unfold all_below. rewrite Dev. do 2 f_equal. unfold Vx, shortfall, average. set (r := sqrt (INR s)) in *. rewrite <- rr. field. lra. }
set (x0 := sqrt (L / 2)). assert (x2 : x0 * x0 = L / 2) by (apply sqrt_sqrt; lra). assert (x00 : 0 <= x0) by apply sqrt_pos.
assert (Vv : random_variable (fun x => Phi (Vx x / sd) ^ B)).
{ apply (variable_continuous W (fun v => Phi (v / sd) ^ B)); [|exact (proj1 Sm)]. intros v.
  assert (Cv : continuous (fun v => Phi (v / sd)) v).
  { apply (continuous_comp (fun v => v / sd) Phi); [|apply Phi_continuous]. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; lra. }
  generalize B. intros n. induction n as [|n IH]; [apply continuous_const|]. simpl.
  now apply (continuous_mult (K := R_AbsRing) (fun v => Phi (v / sd)) (fun v => Phi (v / sd) ^ n)). }
assert (P01 : forall v, 0 <= Phi v ^ B <= 1).
{ intros v. assert (Q := Phi_inside v). split; [apply pow_le; lra|]. rewrite <- (pow1 B). apply pow_incr. lra. }
assert (F : has_mean P (fun x => Phi (Vx x / sd) ^ B)) by (apply (bounded_has_mean W P _ 0 1 Vv); intros; apply P01).
split; [exact (has_mean_same W P _ _ (fun x => eq_sym (Same x)) F)|]. rewrite (mean_same W P _ _ Same).
set (p := Phi (x0 / sd)). assert (p01 := Phi_inside (x0 / sd)). fold p in p01.
assert (Tail : upper_tail P Vx x0 <= / T).
{ destruct Sm as (Vs & _ & Mo). destruct (Mo (4 * x0) ltac:(lra)) as [F1 M1].
  apply Rle_trans with (1 := chernoff W P Vx (4 * x0) x0 _ ltac:(lra) Vs F1 M1). rewrite <- exp_plus.
  replace (- (4 * x0 * x0) + 4 * x0 * (4 * x0) / 8) with (- L) by nra. rewrite exp_Ropp. unfold L. rewrite exp_ln by lra. lra. }
assert (Rest : p ^ B <= 2 / T).
{ assert (py : x0 / sd = w * sqrt (1 / 2)).
  { apply Rmult_eq_reg_r with sd; [|lra]. replace (x0 / sd * sd) with x0 by (field; lra). replace (w * sqrt (1 / 2) * sd) with (sd * w * sqrt (1 / 2)) by ring.
    rewrite sdw, <- sqrt_mult by lra. unfold x0. f_equal. field. }
  assert (Rt := rate w w1). rewrite <- py in Rt. fold p in Rt.
  assert (Half : 1 / 2 <= p).
  { assert (Z : Phi 0 = 1 / 2) by (generalize (Phi_opp 0); rewrite Ropp_0; lra). rewrite <- Z. apply Phi_le. rewrite py.
    apply Rmult_le_pos; [lra|apply sqrt_pos]. }
  assert (Lp : ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Fa : w * w <= u * L + 1).
  { unfold w. rewrite <- Rpower_plus. replace (u / 2 + u / 2) with u by field. unfold Rpower.
    assert (H := exp_chord u (ln L) u0). rewrite exp_ln in H by lra. lra. }
  set (k := sqrt (2 * PI * exp 1) * exp ((w * w - 1) / 2) * w) in *.
  assert (Ph : k * L <= phi T alpha).
  { unfold phi, k. fold L. replace (Rpower T ((1 - alpha) / 2)) with (exp (u * L / 2)) by (unfold Rpower, u; fold L; f_equal; field).
    replace (Rpower L ((3 - alpha) / 2)) with (L * w).
    2:{ unfold w. rewrite <- (Rpower_1 L) at 1 by lra. rewrite <- Rpower_plus. f_equal. unfold u. field. }
    assert (E1 : exp ((w * w - 1) / 2) <= exp (u * L / 2)) by (apply exp_le; lra).
    assert (c0 : 0 <= sqrt (2 * PI * exp 1)) by apply sqrt_pos.
    apply Rle_trans with (sqrt (2 * PI * exp 1) * exp (u * L / 2) * w * L); [|right; ring].
    repeat apply Rmult_le_compat_r; try lra. now apply Rmult_le_compat_l. }
  assert (Lin : INR B * ln p <= - L - ln p).
  { assert ((INR B + 1) * ln p <= k * L * ln p) by nra. assert (L <= k * - ln p * L) by nra. lra. }
  rewrite <- (exp_ln (p ^ B)) by (apply pow_lt; lra). rewrite ln_pow by lra.
  apply Rle_trans with (exp (- L - ln p)); [now apply exp_le|]. unfold Rminus. rewrite exp_plus, !exp_Ropp. unfold L. rewrite !exp_ln by lra.
  assert (i2 : / p <= 2) by (replace 2 with (/ (1 / 2)) by field; apply Rinv_le_contravar; lra).
  assert (0 < / T) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. nra. }
assert (Ft := has_mean_from W P x0 Vx (proj1 Sm)).
assert (Le : mean P (fun x => Phi (Vx x / sd) ^ B) <= 1 * upper_tail P Vx x0 + p ^ B).
{ unfold upper_tail. rewrite <- mean_affine by exact Ft. apply mean_le; [exact F|now apply has_mean_affine|]. intros x.
  assert (H := P01 (Vx x / sd)). assert (H' : 0 <= p ^ B) by (apply pow_le; lra). destruct (Rle_dec x0 (Vx x)) as [Q|Q]; [lra|].
  rewrite Rmult_0_r, Rplus_0_l. apply pow_incr. assert (Q' := Phi_inside (Vx x / sd)). split; [lra|]. apply Phi_le.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]. }
unfold Rdiv in *. lra.
Qed.

Lemma lemma_4_1_witness : satisfiable lemma_4_1.
Proof.
destruct (nfloor_ex (phi 3 0)) as (N & HN); [generalize (phi_at_least_1 3 0 exp_le_3 ltac:(lra)); lra|].
exists two_tosses, fair, (toss 1 0), 2%nat, N, (1 / 2), 0, 3. split; [lia|]. split; [lra|]. split; [lra|]. split; [exact HN|].
split; [apply tosses_independent|]. split; [intros; exact I|]. split; [intros i w _; apply toss_inside; lra|].
intros i _. rewrite toss_mean. field.
Qed.
