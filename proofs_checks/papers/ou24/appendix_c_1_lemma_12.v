(* Lemma 12, repaired: which shifts of a normal number keep (eps, delta). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments densities gaussian gaussian_profile noisy_values normal_tails.
From Dpbandits Require Import witnesses satisfiable.
From Dpbandits.ou24 Require Import section_2.
Import ListNotations.
Open Scope R_scope.

Lemma delta_below_tail a eps z : 0 <= z -> 0 < a -> z <= eps / a - a / 2 ->
  gaussian_delta a eps <= exp (- (z * z) / 2) / 2.
Proof.
intros Z A H. apply Rle_trans with (Phi (- z)); [|now apply half_tail].
unfold gaussian_delta. assert (Q := Rmult_lt_0_compat _ _ (exp_pos eps) (proj1 (Phi_inside (- eps / a - a / 2)))).
assert (Phi (- eps / a + a / 2) <= Phi (- z)); [|lra]. apply Phi_le.
replace (- eps / a + a / 2) with (- (eps / a - a / 2)) by (field; lra). lra.
Qed.

(* Smaller moves, to the right, show less. *)
Lemma share_below a eps share t delta : 0 < eps -> 0 < a -> 0 <= share <= 1 -> gaussian_delta a eps <= delta ->
  threshold_delta (share * a) eps t <= delta.
Proof.
intros E A S H. apply Rle_trans with (2 := H). replace (share * a) with (share * a / 1) by field.
replace (gaussian_delta a eps) with (gaussian_delta (a / 1) eps) by (f_equal; field). apply gaussian_mechanism; lra.
Qed.

Lemma exp_log delta c : 0 < c -> 0 < delta -> exp (- ln (c / delta)) = delta / c.
Proof. intros C D. rewrite exp_Ropp, exp_ln by now apply Rdiv_lt_0_compat. field; lra. Qed.

Lemma square_positive delta : 0 < delta < 1 / 2 -> 0 < 2 * ln (1 / (2 * delta)).
Proof.
intros D. assert (0 < ln (1 / (2 * delta))); [|lra]. rewrite <- ln_1. apply ln_increasing; [lra|].
apply Rmult_lt_reg_r with (2 * delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* sqrt(z^2 + 2 eps) - z with z^2 = 2 log(1/(2 delta)). *)
Definition tail_shift eps delta := let square := 2 * ln (1 / (2 * delta)) in sqrt (square + 2 * eps) - sqrt square.

Theorem lemma_12_every_eps eps delta share t : 0 < eps -> 0 < delta < 1 / 2 -> 0 <= share <= 1 ->
  threshold_delta (share * tail_shift eps delta) eps t <= delta.
Proof.
intros E D S. unfold tail_shift. cbv zeta. set (q := 2 * ln (1 / (2 * delta))).
assert (Q : 0 < q) by now apply square_positive.
set (z := sqrt q). assert (z0 : 0 < z) by now apply sqrt_lt_R0. assert (z2 : z * z = q) by (apply sqrt_sqrt; lra).
set (w := sqrt (q + 2 * eps)). assert (w2 : w * w = q + 2 * eps) by (apply sqrt_sqrt; lra).
assert (zw : z < w) by (apply sqrt_lt_1; lra). apply share_below; [exact E|lra|exact S|].
apply Rle_trans with (exp (- (z * z) / 2) / 2).
- apply delta_below_tail; [lra|lra|]. right. replace eps with ((w * w - z * z) / 2) by lra. field; lra.
- rewrite z2. unfold q. replace (- (2 * ln (1 / (2 * delta))) / 2) with (- ln (1 / (2 * delta))) by field.
  replace (1 / (2 * delta)) with (/ 2 / delta) by (field; lra). rewrite exp_log by lra. lra.
Qed.

(** * The classical Gaussian mechanism *)
Definition classical_shift eps delta := eps / sqrt (2 * ln (125 / 100 / delta)).

Lemma log_below x : 0 < x -> 1 - / x <= ln x.
Proof.
intros H. assert (E := exp_ineq1_le (- ln x)). rewrite exp_Ropp, exp_ln in E by exact H. lra.
Qed.

Theorem lemma_12_classical eps delta share t : 0 < eps < 1 -> 0 < delta < 1 -> 0 <= share <= 1 ->
  threshold_delta (share * classical_shift eps delta) eps t <= delta.
Proof.
intros E D S. unfold classical_shift. set (l := ln (125 / 100 / delta)).
assert (El : exp (- l) = 4 / 5 * delta) by (unfold l; rewrite exp_log by lra; field).
assert (L : 1 / 5 <= l).
{ unfold l. apply Rle_trans with (ln (125 / 100)).
  { assert (M := log_below (125 / 100) ltac:(lra)). replace (/ (125 / 100)) with (4 / 5) in M by field. lra. }
  left. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  replace (125 / 100 / delta * delta) with (125 / 100) by (field; lra). lra. }
set (k := sqrt (2 * l)). assert (k0 : 0 < k) by (apply sqrt_lt_R0; lra).
assert (k2 : k * k = 2 * l) by (apply sqrt_sqrt; lra). assert (I := Rinv_0_lt_compat _ k0).
assert (A : 0 < eps / k) by (apply Rdiv_lt_0_compat; lra). apply share_below; [lra|exact A|exact S|].
assert (Z : k - 1 / (2 * k) <= eps / (eps / k) - eps / k / 2).
{ replace (eps / (eps / k) - eps / k / 2) with (k - eps * / k / 2) by (field; lra).
  replace (1 / (2 * k)) with (1 * / k / 2) by (field; lra). nra. }
destruct (Rle_lt_dec (1 / 2) (k * k)) as [B|B].
- apply Rle_trans with (exp (- ((k - 1 / (2 * k)) * (k - 1 / (2 * k))) / 2) / 2).
  + apply delta_below_tail; [|exact A|exact Z]. replace (k - 1 / (2 * k)) with ((k * k - 1 / 2) * / k) by (field; lra).
    apply Rmult_le_pos; lra.
  + assert (Q : - ((k - 1 / (2 * k)) * (k - 1 / (2 * k))) / 2 <= 1 / 2 + - l).
    { replace ((k - 1 / (2 * k)) * (k - 1 / (2 * k))) with (k * k - 1 + / k * / k / 4) by (field; lra). nra. }
    apply exp_le in Q. rewrite exp_plus, El in Q.
    assert (T : exp (1 / 2) * exp (1 / 2) <= 3).
    { rewrite <- exp_plus. replace (1 / 2 + 1 / 2) with 1 by field. apply exp_le_3. }
    assert (exp (1 / 2) <= 2) by (generalize (exp_pos (1 / 2)); nra).
    assert (exp (1 / 2) * (4 / 5 * delta) <= 2 * (4 / 5 * delta)) by (apply Rmult_le_compat_r; lra). lra.
- assert (W : Phi (- eps / (eps / k) + eps / k / 2) <= Phi (1 / 5)).
  { apply Phi_le. replace (- eps / (eps / k)) with (- (eps / (eps / k))) by (field; lra).
    assert (1 / (2 * k) - k <= 1 / 5); [|lra]. replace (1 / (2 * k) - k) with ((1 / 2 - k * k) * / k) by (field; lra).
    apply Rmult_le_reg_r with k; [exact k0|]. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (V := Phi_near (1 / 5) ltac:(lra)). assert (G := exp_ineq1_le (- l)). rewrite El in G.
  unfold gaussian_delta. assert (Q := Rmult_lt_0_compat _ _ (exp_pos eps)
    (proj1 (Phi_inside (- eps / (eps / k) - eps / k / 2)))). lra.
Qed.

(** * All events of d standard normal numbers *)
(* Z is drawn coordinate by coordinate; Z lies in S + a where Z - a lies in S. *)
Definition kept_events {A} (coordinates : list A) (a : A -> R) eps delta := forall event draws,
  let chance mean := values_chance A coordinates (fun _ => 1) mean event draws in
  chance (fun _ => 0) <= exp eps * chance (fun i => - a i) + delta.

Lemma squares_below {A} (a : A -> R) l : 0 <= sum (fun i => Rabs (a i)) l /\
  sum (fun i => a i ^ 2) l <= sum (fun i => Rabs (a i)) l ^ 2.
Proof.
induction l as [|i l [P IH]]; cbn [sum]; [split; lra|]. assert (Q := Rabs_pos (a i)). rewrite <- (pow2_abs (a i)).
split; [lra|nra].
Qed.

Lemma events_below {A} (coordinates : list A) a eps delta shift : 0 < shift -> 0 <= eps ->
  (forall t, threshold_delta (1 * shift) eps t <= delta) -> sum (fun i => Rabs (a i)) coordinates <= shift ->
  kept_events coordinates a eps delta.
Proof.
intros S E T H event draws chance. destruct (squares_below a coordinates) as [P Q].
assert (G := gaussian_mechanism_events A coordinates (fun _ => 0) (fun i => - a i) shift 1 eps event draws S Rlt_0_1).
cbv zeta in G. fold (chance (fun _ => 0)) in G. fold (chance (fun i => - a i)) in G.
assert (D : gaussian_delta (shift / 1) eps <= delta).
{ replace (shift / 1) with shift by field. apply Rle_trans with (2 := T (eps / shift + shift / 2)).
  unfold gaussian_delta, threshold_delta. right. f_equal; [f_equal; field; lra|]. do 2 f_equal. field; lra. }
assert (Near : sum (fun i => (0 - - a i) ^ 2) coordinates <= shift ^ 2);
  [|apply Rle_trans with (1 := G Near), Rplus_le_compat_l; exact D].
rewrite (sum_eq _ _ (fun i => a i ^ 2)) by (intros; ring). apply Rle_trans with (1 := Q). apply pow_incr. now split.
Qed.

Lemma classical_shift_positive eps delta : 0 < eps -> 0 < delta < 1 -> 0 < classical_shift eps delta.
Proof.
intros E D. apply Rdiv_lt_0_compat; [exact E|]. apply sqrt_lt_R0. assert (0 < ln (125 / 100 / delta)); [|lra].
rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
replace (125 / 100 / delta * delta) with (125 / 100) by (field; lra). lra.
Qed.

Lemma tail_shift_positive eps delta : 0 < eps -> 0 < delta < 1 / 2 -> 0 < tail_shift eps delta.
Proof.
intros E D. unfold tail_shift. cbv zeta. set (q := 2 * ln (1 / (2 * delta))).
assert (Q : 0 < q) by now apply square_positive.
assert (sqrt q < sqrt (q + 2 * eps)) by (apply sqrt_lt_1; lra). lra.
Qed.

Theorem lemma_12_classical_events A (coordinates : list A) a eps delta : 0 < eps < 1 -> 0 < delta < 1 ->
  sum (fun i => Rabs (a i)) coordinates <= classical_shift eps delta -> kept_events coordinates a eps delta.
Proof.
intros E D H. apply (events_below coordinates a eps delta (classical_shift eps delta)); [|lra| |exact H].
- now apply classical_shift_positive.
- intros t. apply lemma_12_classical; lra.
Qed.

Theorem lemma_12_every_eps_events A (coordinates : list A) a eps delta : 0 < eps -> 0 < delta < 1 / 2 ->
  sum (fun i => Rabs (a i)) coordinates <= tail_shift eps delta -> kept_events coordinates a eps delta.
Proof.
intros E D H. apply (events_below coordinates a eps delta (tail_shift eps delta)); [|lra| |exact H].
- now apply tail_shift_positive.
- intros t. apply lemma_12_every_eps; lra.
Qed.

(** * The hypotheses can hold together *)

Lemma lemma_12_classical_witness : satisfiable lemma_12_classical.
Proof. exists (1 / 2), (1 / 4), 1, 0. hold. Qed.

Lemma lemma_12_every_eps_witness : satisfiable lemma_12_every_eps.
Proof. exists (1 / 2), (1 / 4), 1, 0. hold. Qed.

(* The largest shift, in one coordinate. *)
Lemma lemma_12_classical_events_witness : satisfiable lemma_12_classical_events.
Proof.
assert (C := classical_shift_positive (1 / 2) (1 / 4) ltac:(lra) ltac:(lra)).
exists unit, [tt], (fun _ => classical_shift (1 / 2) (1 / 4)), (1 / 2), (1 / 4). cbn [sum].
rewrite Rabs_right, Rplus_0_r by lra. hold. now exists (fun _ => true), 1%nat.
Qed.

Lemma lemma_12_every_eps_events_witness : satisfiable lemma_12_every_eps_events.
Proof.
assert (T := tail_shift_positive (1 / 2) (1 / 4) ltac:(lra) ltac:(lra)).
exists unit, [tt], (fun _ => tail_shift (1 / 2) (1 / 4)), (1 / 2), (1 / 4). cbn [sum].
rewrite Rabs_right, Rplus_0_r by lra. hold. now exists (fun _ => true), 1%nat.
Qed.
