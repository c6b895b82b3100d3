(* What a round costs, to first order: the two tilted probabilities of a coin, and the inequalities in one variable by which
   `late_pulls.v` and `early_pulls.v` bound them. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes normal_tails.
Open Scope R_scope.

(** * The coins of a round *)
Section Coin.
Variables (lam s c x : R).
Hypotheses (lam_range : 0 < lam <= 1 / 2) (s_range : 0 <= s).
Notation p := (Phi (- x)).
Notation q := (Phi (s - x)).
Notation y := (ln (Phi (s - x)) - ln (Phi (- x))).
Notation L := (- ln (Phi (- x))).

Lemma chances : 0 < p < 1 /\ 0 < q < 1 /\ p <= q.
Proof. split; [apply Phi_inside|split; [apply Phi_inside|apply Phi_le; lra]]. Qed.

Lemma y_range : 0 <= y /\ y <= s * hazard x /\ y * y <= 2 * (s * s) * L /\ q = p * exp y.
Proof.
destruct chances as (P & Q & Le). assert (H0 := hazard_positive x). assert (H2 := hazard_square x).
assert (Y0 : 0 <= y).
{ destruct Le as [Le|Le]; [|rewrite Le; lra]. assert (ln p < ln q) by (apply ln_increasing; lra). lra. }
assert (Y1 : y <= s * hazard x).
{ assert (T := earlier_tail s x ltac:(lra)). replace (- (x - s)) with (s - x) in T by ring.
  assert (ln q <= ln (p * exp (hazard x * s))).
  { destruct T as [T|T]; [left; apply ln_increasing; lra|rewrite T; lra]. }
  rewrite ln_mult, ln_exp in H by (lra || apply exp_pos). lra. }
split; [exact Y0|split; [exact Y1|split]].
- apply Rle_trans with (s * hazard x * (s * hazard x)); [apply Rmult_le_compat; assumption|].
  replace (s * hazard x * (s * hazard x)) with (s * s * (hazard x * hazard x)) by ring.
  replace (2 * (s * s) * - ln (Phi (- x))) with (s * s * (- 2 * ln (Phi (- x)))) by ring. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact H2].
- replace y with (ln q + - ln p) by ring. rewrite exp_plus, exp_Ropp, !exp_ln by lra. field. lra.
Qed.

Lemma tilted_pq : tilted lam p q = p * exp (- (lam * y)) /\ tilted lam q p = q * exp (lam * y).
Proof. unfold tilted. split; do 2 f_equal; ring. Qed.

(* (1 + z)^lam <= 1 + lam z. *)
Lemma bernoulli z : 0 < 1 + z -> exp (lam * ln (1 + z)) <= 1 + lam * z.
Proof.
intros Z. assert (C := exp_chord lam (ln (1 + z)) ltac:(lra)). rewrite exp_ln in C by exact Z. lra.
Qed.

Lemma others_right : tilted lam (1 - p) (1 - q) <= (1 - p) + lam * (q - p) + lam * ((q - p) * (q - p) / (1 - q)).
Proof.
destruct chances as (P & Q & Le). unfold tilted.
replace (ln (1 - p) - ln (1 - q)) with (ln (1 + (q - p) / (1 - q))).
- assert (Z : 0 <= (q - p) / (1 - q)) by (apply Rle_mult_inv_pos; lra).
  assert (B := bernoulli ((q - p) / (1 - q)) ltac:(lra)). apply (Rmult_le_compat_l (1 - p)) in B; [|lra].
  apply Rle_trans with (1 := B). right. field. lra.
- replace (1 + (q - p) / (1 - q)) with ((1 - p) * / (1 - q)) by (field; lra).
  rewrite ln_mult, ln_Rinv by (lra || (apply Rinv_0_lt_compat; lra)). ring.
Qed.

Lemma others_left : tilted lam (1 - q) (1 - p) <= (1 - q) - lam * (q - p) + lam * ((q - p) * (q - p) / (1 - p)).
Proof.
destruct chances as (P & Q & Le). unfold tilted.
replace (ln (1 - q) - ln (1 - p)) with (ln (1 + - (q - p) / (1 - p))).
- assert (Z : 1 + - (q - p) / (1 - p) = (1 - q) / (1 - p)) by (field; lra).
  assert (Zp : 0 < 1 + - (q - p) / (1 - p)) by (rewrite Z; apply Rdiv_lt_0_compat; lra).
  assert (B := bernoulli (- (q - p) / (1 - p)) Zp). apply (Rmult_le_compat_l (1 - q)) in B; [|lra].
  apply Rle_trans with (1 := B). right. field. lra.
- replace (1 + - (q - p) / (1 - p)) with ((1 - q) * / (1 - p)) by (field; lra).
  rewrite ln_mult, ln_Rinv by (lra || (apply Rinv_0_lt_compat; lra)). ring.
Qed.
(* Where a pull is the likelier one: a half-line's tilted probabilities are at most the tilted normal's. *)
Definition tilt := exp ((1 + lam) * lam * (s * s) / 2).

Lemma whole_right : tilted lam p q + tilted lam (1 - p) (1 - q) <= tilt.
Proof.
assert (L0 : 0 < lam) by lra.
assert (X := tilted_half_line lam L0 (- s) (x - s)). assert (X' := tilted_half_line lam L0 s (s - x)).
replace (- s - (x - s)) with (- x) in X by ring. replace (- (x - s)) with (s - x) in X by ring.
replace (s - (s - x)) with x in X' by ring. replace (- (s - x)) with (x - s) in X' by ring.
replace ((1 + lam) * - s - (x - s)) with (- (lam * s + x)) in X by ring.
replace ((1 + lam) * s - (s - x)) with (lam * s + x) in X' by ring.
replace ((1 + lam) * lam * (- s * - s) / 2) with ((1 + lam) * lam * (s * s) / 2) in X by field.
rewrite <- !Phi_opp, Ropp_involutive. replace (- (s - x)) with (x - s) by ring. rewrite (Phi_opp (lam * s + x)) in X.
unfold tilt. lra.
Qed.

Lemma whole_left : tilted lam q p + tilted lam (1 - q) (1 - p) <= tilt.
Proof.
assert (L0 : 0 < lam) by lra.
assert (X := tilted_half_line lam L0 s x). assert (X' := tilted_half_line lam L0 (- s) (- x)).
replace (- s - - x) with (- (s - x)) in X' by ring. rewrite Ropp_involutive in X'.
replace ((1 + lam) * - s - - x) with (- ((1 + lam) * s - x)) in X' by ring.
replace ((1 + lam) * lam * (- s * - s) / 2) with ((1 + lam) * lam * (s * s) / 2) in X' by field.
rewrite <- !Phi_opp, Ropp_involutive. rewrite (Phi_opp ((1 + lam) * s - x)) in X'. unfold tilt. lra.
Qed.
End Coin.

(** * Inequalities in one variable *)
Lemma exp_second v : 0 <= v -> exp v - 1 - v <= v * v / 2 * exp v.
Proof.
intros V. assert (H := rises_between (fun v => v * v / 2 * exp v - exp v + v) (fun v => v * exp v + v * v / 2 * exp v - exp v + 1) 0 v).
cbv beta in H. rewrite exp_0 in H. assert (0 * 0 / 2 * 1 - 1 + 0 <= v * v / 2 * exp v - exp v + v); [|lra]. apply H; [| |exact V].
- intros u. auto_derive; [auto|field].
- intros u U. assert (E := exp_pos u). assert (X := exp_ineq1_le (- u)). rewrite exp_Ropp in X.
  assert (Y : exp u * (1 + - u) <= 1).
  { apply (Rmult_le_compat_l (exp u)) in X; [|lra]. rewrite Rinv_r in X by lra. lra. }
  assert (0 <= u * u / 2 * exp u) by (apply Rmult_le_pos; nra). lra.
Qed.

Lemma exp_first v : 0 <= v -> exp v - 1 <= v * exp v.
Proof.
intros V. assert (E := exp_pos v). assert (X := exp_ineq1_le (- v)). rewrite exp_Ropp in X.
apply (Rmult_le_compat_l (exp v)) in X; [|lra]. rewrite Rinv_r in X by lra. lra.
Qed.

Lemma exp_down v : 0 <= v -> 1 - v <= exp (- v) <= 1 - v + v * v / 2.
Proof.
intros V. split; [generalize (exp_ineq1_le (- v)); lra|].
assert (H := rises_between (fun v => 1 - v + v * v / 2 - exp (- v)) (fun v => - 1 + v + exp (- v)) 0 v).
cbv beta in H. rewrite Ropp_0, exp_0 in H. assert (1 - 0 + 0 * 0 / 2 - 1 <= 1 - v + v * v / 2 - exp (- v)); [|lra]. apply H; [| |exact V].
- intros u. auto_derive; [auto|field].
- intros u U. generalize (exp_ineq1_le (- u)). lra.
Qed.

(** * A round in which the pull is the less likely one, with q first *)

(* What a pull is worth, b, and what a round costs, c: enough where e^(lam y - b) is at most 1 + w + lam c/q. *)
Lemma left_from lam s c x b : 0 < lam <= 1 / 2 -> 0 <= s -> 0 < c -> let p := Phi (- x) in let q := Phi (s - x) in
  let y := ln q - ln p in let E := 1 - exp (- y) in let w := lam * (E * (1 - 2 * q * E)) in let k := lam * c / q in
  q <= 1 / 2 ->
  (0 <= E <= y /\ y - E <= y * y / 2 /\ E <= 1 -> q - p = q * E -> 0 < k -> 0 <= w <= lam * y ->
    exp (lam * y - b) <= 1 + w + k) ->
  exp (- b) * tilted lam q p + tilted lam (1 - q) (1 - p) <= 1 + lam * c.
Proof.
intros L S C p q y E w k Half Main. destruct (chances s x S) as (P & Q & Le). destruct (y_range s x S) as (Y0 & _ & _ & Eq).
assert (O := others_left lam s x L S). assert (Tilted := proj2 (tilted_pq lam s x)).
fold p in P, Q, Le, Eq, Y0, O, Tilted. fold q in Q, Le, Eq, Y0, O, Tilted. fold y in Eq, Y0, Tilted.
destruct (exp_down y Y0) as [E1 E2].
assert (I1 : exp (- y) <= 1) by (rewrite <- exp_0; apply exp_le; lra). assert (Iy := exp_pos (- y)).
assert (E0 : 0 <= E <= y /\ y - E <= y * y / 2 /\ E <= 1) by (unfold E; lra).
assert (Qp : q - p = q * E).
{ assert (Pq : p = q * exp (- y)) by (rewrite Eq, Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0; ring).
  unfold E. rewrite Pq at 1. ring. }
assert (K : 0 < k) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
assert (QE0 : 0 <= 2 * q * E <= 1).
{ split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra|lra]. }
assert (W : 0 <= w <= lam * y).
{ split; [unfold w; apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|]. apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (E * 1); [apply Rmult_le_compat_l; lra|lra]. }
specialize (Main E0 Qp K W).
assert (D : (q - p) * (q - p) / (1 - p) <= 2 * (q * q) * (E * E)).
{ rewrite Qp. apply Rmult_le_reg_r with (1 - p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  replace (2 * (q * q) * (E * E) * (1 - p)) with (q * E * (q * E) * (2 * (1 - p))) by ring.
  apply Rle_trans with (q * E * (q * E) * 1); [lra|]. apply Rmult_le_compat_l; [apply (Rle_0_sqr (q * E))|lra]. }
assert (T : exp (- b) * (q * exp (lam * y)) <= q * (1 + w + k)).
{ replace (exp (- b) * (q * exp (lam * y))) with (q * exp (lam * y - b)).
  - apply Rmult_le_compat_l; lra.
  - unfold Rminus. rewrite exp_plus. ring. }
assert (Zp : q * (w + k) = lam * (q * E) - 2 * lam * (q * q) * (E * E) + lam * c) by (unfold w, k; field; lra).
assert (lam * ((q - p) * (q - p) / (1 - p)) <= lam * (2 * (q * q) * (E * E))) by (apply Rmult_le_compat_l; lra).
rewrite Tilted. rewrite Qp in *. lra.
Qed.

(* The same with p first: enough where e^(- lam y - b) is at most 1 - lam (E + 2 p E^2) + lam c/p. *)
Lemma right_from lam s c x b : 0 < lam <= 1 / 2 -> 0 <= s -> let p := Phi (- x) in let q := Phi (s - x) in
  let y := ln q - ln p in let E := exp y - 1 in q <= 1 / 2 ->
  exp (- (b + lam * y)) <= 1 - lam * (E + 2 * p * (E * E)) + lam * (c / p) ->
  exp (- b) * tilted lam p q + tilted lam (1 - p) (1 - q) <= 1 + lam * c.
Proof.
intros L S p q y E Half Main. destruct (chances s x S) as (P & Q & Le). destruct (y_range s x S) as (_ & _ & _ & Eq).
assert (O := others_right lam s x L S). assert (Tilted := proj1 (tilted_pq lam s x)).
fold p in P, Le, Eq, O, Tilted. fold q in Q, Le, Eq, O, Tilted. fold y in Eq, Tilted.
assert (Qp : q - p = p * E) by (unfold E; rewrite Eq; ring).
assert (D : (q - p) * (q - p) / (1 - q) <= 2 * (p * p) * (E * E)).
{ rewrite Qp. apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  replace (2 * (p * p) * (E * E) * (1 - q)) with (p * E * (p * E) * (2 * (1 - q))) by ring.
  apply Rle_trans with (p * E * (p * E) * 1); [lra|]. apply Rmult_le_compat_l; [apply (Rle_0_sqr (p * E))|lra]. }
assert (T : exp (- b) * (p * exp (- (lam * y))) <= p * (1 - lam * (E + 2 * p * (E * E)) + lam * (c / p))).
{ replace (exp (- b) * (p * exp (- (lam * y)))) with (p * exp (- (b + lam * y))).
  - apply Rmult_le_compat_l; lra.
  - rewrite Ropp_plus_distr, exp_plus. ring. }
assert (Zp : p * (lam * (c / p)) = lam * c) by (field; lra).
assert (lam * ((q - p) * (q - p) / (1 - q)) <= lam * (2 * (p * p) * (E * E))) by (apply Rmult_le_compat_l; lra).
rewrite Tilted. rewrite Qp in *. lra.
Qed.

(* ln (1 - z) >= - z - z^2/(2 (1 - z)). *)
Lemma log_down z : 0 <= z < 1 -> exp (- (z + z * z / (2 * (1 - z)))) <= 1 - z.
Proof.
intros Z. set (v := - ln (1 - z)). assert (V : 0 <= v).
{ unfold v. assert (ln (1 - z) <= 0); [|lra]. rewrite <- ln_1. destruct (Req_dec z 0) as [->|N]; [rewrite Rminus_0_r; lra|].
  left. apply ln_increasing; lra. }
assert (E : exp (- v) = 1 - z) by (unfold v; rewrite Ropp_involutive, exp_ln; lra).
assert (S : v <= (exp v - exp (- v)) / 2).
{ assert (H := rises_between (fun v => (exp v - exp (- v)) / 2 - v) (fun v => (exp v + exp (- v)) / 2 - 1) 0 v).
  cbv beta in H. rewrite Ropp_0, exp_0 in H. assert ((1 - 1) / 2 - 0 <= (exp v - exp (- v)) / 2 - v); [|lra]. apply H; [| |exact V].
  - intros u. auto_derive; [auto|field].
  - intros u U. rewrite exp_Ropp. assert (P := exp_pos u). assert (exp u * / exp u = 1) by (apply Rinv_r; lra).
    assert (I : 0 < / exp u) by (now apply Rinv_0_lt_compat). assert (0 <= (exp u - 1) * (exp u - 1) * / exp u) by (apply Rmult_le_pos; [apply (Rle_0_sqr (exp u - 1))|lra]).
    replace ((exp u - 1) * (exp u - 1) * / exp u) with (exp u * (exp u * / exp u) - 2 * (exp u * / exp u) + / exp u) in H1 by ring.
    rewrite H0 in H1. lra. }
apply Rle_trans with (exp (- v)); [apply exp_le|rewrite E; apply Rle_refl]. rewrite E in S. assert (E' : exp v = / (1 - z)) by (rewrite <- E, exp_Ropp, Rinv_inv; reflexivity).
rewrite E' in S. replace (z + z * z / (2 * (1 - z))) with ((/ (1 - z) - (1 - z)) / 2) by (field; lra). lra.
Qed.

(* ln (1 + u + v) >= u - u^2/2 + v/(1 + u + v). *)
Lemma log_up u v : 0 <= u -> 0 <= v -> exp (u - u * u / 2 + v / (1 + u + v)) <= 1 + u + v.
Proof.
intros U V. assert (A : exp (u - u * u / 2) <= 1 + u).
{ assert (H := rises_between (fun u => (1 + u) * exp (- u + u * u * / 2)) (fun u => u * u * exp (- u + u * u * / 2)) 0 u).
  cbv beta in H. replace (- 0 + 0 * 0 * / 2) with 0 in H by field. rewrite exp_0 in H.
  assert (G : (1 + 0) * 1 <= (1 + u) * exp (- u + u * u * / 2)).
  { apply H; [| |exact U].
    - intros z. auto_derive; [auto|field].
    - intros z _. apply Rmult_le_pos; [nra|left; apply exp_pos]. }
  replace (- u + u * u * / 2) with (- (u - u * u / 2)) in G by field. rewrite exp_Ropp in G.
  assert (P := exp_pos (u - u * u / 2)). apply (Rmult_le_compat_r (exp (u - u * u / 2))) in G; [|lra].
  rewrite (Rmult_assoc (1 + u)), Rinv_l in G by lra. lra. }
assert (B : exp (v / (1 + u + v)) <= (1 + u + v) / (1 + u)).
{ set (r := v / (1 + u + v)). assert (R0 : r < 1).
  { unfold r. apply Rmult_lt_reg_r with (1 + u + v); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (X := exp_ineq1_le (- r)). rewrite exp_Ropp in X. assert (P := exp_pos r).
  apply (Rmult_le_compat_l (exp r)) in X; [|lra]. rewrite Rinv_r in X by lra.
  assert (Q : 1 + - r = (1 + u) / (1 + u + v)) by (unfold r; field; lra). rewrite Q in X.
  apply Rmult_le_reg_r with ((1 + u) / (1 + u + v)); [apply Rdiv_lt_0_compat; lra|].
  replace ((1 + u + v) / (1 + u) * ((1 + u) / (1 + u + v))) with 1 by (field; lra). exact X. }
rewrite exp_plus. apply Rle_trans with ((1 + u) * ((1 + u + v) / (1 + u))); [|right; field; lra].
apply Rmult_le_compat; [left; apply exp_pos|left; apply exp_pos|exact A|exact B].
Qed.

(* z ln(1/z) <= 3/8. *)
Lemma entropy z : 0 < z -> z * - ln z <= 3 / 8.
Proof.
intros Z. assert (X := exp_ineq1_le (- ln z - 1)). unfold Rminus in X. rewrite exp_plus, exp_Ropp, exp_ln in X by exact Z.
apply (Rmult_le_compat_l z) in X; [|lra]. replace (z * (/ z * exp (- (1)))) with (exp (- (1))) in X by (field; lra).
assert (exp (- (1)) <= 3 / 8) by interval with (i_prec 60). lra.
Qed.

(* a ln(1/z) - k/z is largest at z = k/a. *)
Lemma best_place a k z : 0 < a -> 0 < k -> 0 < z -> a * - ln z - k / z <= a * (ln (a / k) - 1).
Proof.
intros A K Z. assert (R0 : 0 < k / (a * z)) by (apply Rdiv_lt_0_compat; nra).
assert (X := exp_ineq1_le (ln (k / (a * z)))). rewrite exp_ln in X by exact R0.
assert (L : ln (k / (a * z)) = - ln (a / k) - ln z).
{ unfold Rdiv. rewrite !ln_mult, !ln_Rinv, ln_mult by (try apply Rinv_0_lt_compat; nra). ring. }
rewrite L in X. apply (Rmult_le_compat_l a) in X; [|lra].
replace (a * (k / (a * z))) with (k / z) in X by (field; lra). lra.
Qed.
