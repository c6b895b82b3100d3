(* With two arms thresholds lie within sqrt N, where N - 1 is the number of pulls of the changed arm. So the ratio of the two
   probabilities of a pull is bounded, whatever N is: its logarithm y is at most 29/25, and at most 113/100 from N = 7 on.
   Inequalities in y alone, for these y. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes normal_tails tilted_rounds.
Open Scope R_scope.

(** * The largest ratio *)
Section Ratio.
Variables (N s x : R).
Hypotheses (N_range : 2 <= N) (s_range : 0 <= s <= / sqrt N) (x_range : x <= sqrt N).
Notation p := (Phi (- x)).
Notation q := (Phi (s - x)).
Notation y := (ln (Phi (s - x)) - ln (Phi (- x))).

Lemma root_facts : 0 < sqrt N /\ sqrt N * sqrt N = N /\ sqrt N * / sqrt N = 1 /\ 0 < / sqrt N.
Proof.
assert (R0 : 0 < sqrt N) by (apply sqrt_lt_R0; lra). repeat split; [exact R0|apply sqrt_sqrt; lra|apply Rinv_r; lra|].
now apply Rinv_0_lt_compat.
Qed.

(* The ratio rises with the shift and with the threshold. *)
Lemma ratio_top : y <= ln (Phi (/ sqrt N - sqrt N)) - ln (Phi (- sqrt N)).
Proof.
set (d := / sqrt N). set (r := sqrt N) in *. assert (P := Phi_inside (- x)). assert (Q := Phi_inside (s - x)).
assert (P' := Phi_inside (- r)). assert (Q' := Phi_inside (d - r)).
assert (M : Phi (s - x) <= Phi (d - x)) by (apply Phi_le; unfold d; lra).
assert (R1 := earlier_rises 1 d x r ltac:(lra) x_range). assert (D0 : 0 <= d) by (unfold d; lra).
replace (- (1 * x - d)) with (d - x) in R1 by ring. replace (- (1 * r - d)) with (d - r) in R1 by ring.
assert (R2 : Phi (d - x) * Phi (- r) <= Phi (d - r) * Phi (- x)) by (apply R1; intros; lra).
assert (R3 : Phi (s - x) * Phi (- r) <= Phi (d - r) * Phi (- x)).
{ apply Rle_trans with (2 := R2). apply Rmult_le_compat_r; lra. }
assert (L : ln (Phi (s - x) * Phi (- r)) <= ln (Phi (d - r) * Phi (- x))).
{ destruct R3 as [R3|R3]; [left; apply ln_increasing; [apply Rmult_lt_0_compat|]; lra|rewrite R3; lra]. }
rewrite !ln_mult in L by lra. lra.
Qed.

Lemma ratio_early : N <= 6 -> y <= 29 / 25.
Proof.
intros U. apply Rle_trans with (1 := ratio_top). destruct root_facts as (R0 & R2 & RI & I0).
set (w := sqrt N - / sqrt N). replace (/ sqrt N - sqrt N) with (- w) by (unfold w; ring).
assert (W : - (215 / 100) <= w <= 215 / 100) by (unfold w; split; interval with (i_bisect N, i_prec 40)).
assert (Up := tail_near w W). assert (Low := birnbaum (sqrt N)). rewrite R2 in Low.
assert (Q := Phi_inside (- w)). assert (P := Phi_inside (- sqrt N)).
set (up := 1 / 2 + (25 / 100000 - near_area w) / sqrt (2 * PI)) in *.
set (low := density (sqrt N) * (sqrt (4 + N) - sqrt N) / 2) in *.
assert (L0 : 0 < low).
{ unfold low, density. rewrite R2. interval with (i_bisect N, i_prec 40). }
assert (A : ln (Phi (- w)) <= ln up) by (destruct Up as [Up|Up]; [left; apply ln_increasing; lra|rewrite Up; lra]).
assert (B : ln low <= ln (Phi (- sqrt N))) by (destruct Low as [Low|Low]; [left; apply ln_increasing; lra|rewrite Low; lra]).
assert (C : ln up - ln low <= 29 / 25); [|lra].
unfold up, low, w, near_area, density. rewrite R2. interval with (i_bisect N, i_taylor N, i_prec 50, i_degree 8).
Qed.

Lemma ratio_late : 7 <= N -> y <= 113 / 100.
Proof.
intros U. destruct root_facts as (R0 & R2 & RI & I0). destruct (y_range s x ltac:(lra)) as (_ & Y1 & _).
assert (H0 := hazard_positive (sqrt N)). assert (Hs := hazard_slope (sqrt N)).
assert (Hr := hazard_rises x (sqrt N) x_range). assert (Hx := hazard_positive x).
set (t := / sqrt N * hazard (sqrt N)). assert (T : y <= t).
{ apply Rle_trans with (1 := Y1). unfold t. apply Rmult_le_compat; lra. }
apply Rle_trans with (1 := T). apply Rnot_lt_le. intros G.
assert (E : hazard (sqrt N) = sqrt N * t) by (unfold t; rewrite <- Rmult_assoc, RI; ring).
rewrite E in Hs. replace (sqrt N * t * (sqrt N * t - sqrt N)) with (sqrt N * sqrt N * (t * (t - 1))) in Hs by ring.
rewrite R2 in Hs. assert (113 / 100 * (13 / 100) <= t * (t - 1)) by (apply Rmult_le_compat; lra). nra.
Qed.
End Ratio.

(** * Inequalities in one variable *)
Lemma exp_third v : 0 <= v -> exp v - 1 - v - v * v / 2 <= v * v * v / 6 * exp v.
Proof.
intros V. assert (H := rises_between (fun v => v * v * v / 6 * exp v - exp v + v + v * v / 2)
  (fun v => v * v / 2 * exp v + v * v * v / 6 * exp v - exp v + 1 + v) 0 v).
cbv beta in H. rewrite exp_0 in H.
assert (0 * 0 * 0 / 6 * 1 - 1 + 0 + 0 * 0 / 2 <= v * v * v / 6 * exp v - exp v + v + v * v / 2); [|lra]. apply H; [| |exact V].
- intros u. auto_derive; [auto|field].
- intros u U. assert (E := exp_pos u). assert (S := exp_second u ltac:(lra)).
  assert (0 <= u * u * u / 6 * exp u).
  { apply Rmult_le_pos; [|lra]. assert (0 <= u * u * u) by (repeat apply Rmult_le_pos; lra). lra. }
  lra.
Qed.

Definition slope_at (v : R) := 1 + v / 2 + 57 / 250 * (v * v).

Lemma exp_cubic v : 0 <= v <= 113 / 100 -> exp v - 1 <= v * slope_at v.
Proof.
intros V. unfold slope_at. destruct (Rle_lt_dec v (3 / 10)) as [S|S].
- assert (T := exp_third v ltac:(lra)). assert (E : exp v <= 1351 / 1000).
  { apply Rle_trans with (exp (3 / 10)); [now apply exp_le|interval with (i_prec 40)]. }
  assert (0 <= v * v * v) by (repeat apply Rmult_le_pos; lra).
  assert (v * v * v / 6 * exp v <= v * v * v / 6 * (1351 / 1000)) by (apply Rmult_le_compat_l; lra). nra.
- assert (0 <= 1 + v * (1 + v / 2 + 57 / 250 * (v * v)) - exp v); [|lra].
  interval with (i_bisect v, i_taylor v, i_prec 50).
Qed.

(* - ln (1 - lam (e^v - 1)) is at most lam (v + (1 + lam) v^2/2 + 2 v^3/3). *)
Definition above_v (lam v : R) := (1 + lam) / 2 * (v * v) + 2 / 3 * (v * v * v).

Lemma log_cubic lam v : 0 < lam <= 1 / 5 -> 0 <= v <= 113 / 100 ->
  exp (- (lam * (v + above_v lam v))) <= 1 - lam * (exp v - 1).
Proof.
intros L V. assert (C := exp_cubic v V). assert (E1 := exp_ineq1_le v).
set (r := slope_at v) in *. assert (R1 : 1 <= r) by (unfold r, slope_at; nra).
assert (R2 : r <= 1857 / 1000) by (unfold r, slope_at; nra).
set (E := exp v - 1) in *. assert (E0 : 0 <= E) by (unfold E; lra).
assert (VR : 0 <= v * r <= 21 / 10) by (split; nra). set (z := lam * (v * r)).
assert (Z : 0 <= z < 1) by (unfold z; split; nra).
apply Rle_trans with (1 - z); [|unfold z; assert (lam * E <= lam * (v * r)) by (apply Rmult_le_compat_l; lra); lra].
apply Rle_trans with (2 := log_down z Z). apply exp_le.
assert (Main : z + z * z / (2 * (1 - z)) <= lam * (v + above_v lam v)); [|lra].
assert (Half : z * z / (2 * (1 - z)) = lam * (lam * (v * v) * (r * r) / (2 * (1 - z)))) by (unfold z; field; unfold z in Z; lra).
rewrite Half. unfold z at 1. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|].
(* over v^2 *)
assert (Key : lam * (r * r) / (2 * (1 - z)) <= lam / 2 + 329 / 750 * v).
{ apply Rmult_le_reg_r with (2 * (1 - z)); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (Small : lam * (lam * r + 329 / 375 * (v * r) + (1 + 57 / 125 * v + v * ((1 / 2 + 57 / 250 * v) * (1 / 2 + 57 / 250 * v)))) <=
    329 / 375).
  { set (k := (1 / 2 + 57 / 250 * v) * (1 / 2 + 57 / 250 * v)). assert (K : 0 <= k) by (unfold k; nra).
    assert (VK : 0 <= v * k) by (apply Rmult_le_pos; lra).
    assert (lam * r <= 1 / 5 * r) by (apply Rmult_le_compat_r; lra).
    apply Rle_trans with (1 / 5 * (1 / 5 * r + 329 / 375 * (v * r) + (1 + 57 / 125 * v + v * k))).
    - apply Rmult_le_compat; try lra. apply Rplus_le_le_0_compat; [|lra]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|lra].
    - unfold k, r, slope_at. assert (0 <= 329 / 375 - 1 / 5 * (1 / 5 * (1 + v / 2 + 57 / 250 * (v * v)) +
        329 / 375 * (v * (1 + v / 2 + 57 / 250 * (v * v))) + (1 + 57 / 125 * v + v * ((1 / 2 + 57 / 250 * v) * (1 / 2 + 57 / 250 * v))))); [|lra].
      interval with (i_bisect v, i_taylor v, i_prec 50). }
  assert (Rr : r * r = 1 + v * (1 + 57 / 125 * v + v * ((1 / 2 + 57 / 250 * v) * (1 / 2 + 57 / 250 * v)))) by (unfold r, slope_at; field).
  rewrite Rr. unfold z.
  set (m := 1 + 57 / 125 * v + v * ((1 / 2 + 57 / 250 * v) * (1 / 2 + 57 / 250 * v))) in *.
  apply (Rmult_le_compat_l v) in Small; [|lra].
  replace ((lam / 2 + 329 / 750 * v) * (2 * (1 - lam * (v * r)))) with
    (lam + 329 / 375 * v - v * (lam * (lam * r + 329 / 375 * (v * r)))) by field. lra. }
apply (Rmult_le_compat_l (v * v)) in Key; [|apply (Rle_0_sqr v)].
replace (lam * (v * v) * (r * r) / (2 * (1 - z))) with (v * v * (lam * (r * r) / (2 * (1 - z)))) by (field; lra).
unfold above_v, r, slope_at in *. lra.
Qed.

(* What e^v - 1 is times 2 - e^-v: it bounds E + 2 p E^2 where the larger probability is at most 1/2. *)
Definition doubled (v : R) := (exp v - 1) * (2 - exp (- v)).

Lemma doubled_rises v w : 0 <= v -> v <= w -> 0 <= doubled v <= doubled w.
Proof.
intros V W. assert (exp v <= exp w) by now apply exp_le. assert (exp (- w) <= exp (- v)) by (apply exp_le; lra).
assert (exp (- v) <= 1) by (rewrite <- exp_0; apply exp_le; lra). assert (1 <= exp v) by (rewrite <- exp_0; now apply exp_le).
unfold doubled. split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
Qed.

Lemma doubled_early lam v : 0 < lam <= 1 / 5 -> 0 <= v <= 29 / 25 -> exp (- (27 / 4 * lam)) <= 1 - lam * doubled v.
Proof.
intros L V. destruct (doubled_rises v (29 / 25)) as [D0 D]; [lra|lra|].
assert (T : doubled (29 / 25) <= 3695 / 1000) by (unfold doubled; interval with (i_prec 50)).
assert (C := exp_chord (5 * lam) (- (27 / 20)) ltac:(lra)).
replace (5 * lam * - (27 / 20)) with (- (27 / 4 * lam)) in C by field.
assert (X : exp (- (27 / 20)) <= 2595 / 10000) by interval with (i_prec 50). nra.
Qed.

(* The share of a round that is in p E^2, where p v^2 N <= 3/4 and p <= exp(- N v^2/2). *)
Lemma square_share N p v : 7 <= N -> 0 < p -> 0 <= v <= 113 / 100 -> N * (p * (v * v)) <= 3 / 4 -> p <= exp (- (N * (v * v) / 2)) ->
  N * (2 * p * ((exp v - 1) * (exp v - 1))) <= 15 / 4 * (1 - 1 / 5 * doubled v).
Proof.
intros HN P V Near Far. assert (E0 := exp_ineq1_le v). destruct (Rle_lt_dec v (55 / 100)) as [S|S].
- assert (C := exp_cubic v V). set (r := slope_at v) in *. assert (R1 : 1 <= r) by (unfold r, slope_at; nra).
  assert (Sq : (exp v - 1) * (exp v - 1) <= v * r * (v * r)) by (apply Rmult_le_compat; lra).
  apply Rle_trans with (3 / 2 * (r * r)).
  + apply Rle_trans with (2 * (r * r) * (N * (p * (v * v)))).
    * replace (2 * (r * r) * (N * (p * (v * v)))) with (N * (2 * p * (v * r * (v * r)))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
    * replace (3 / 2 * (r * r)) with (2 * (r * r) * (3 / 4)) by field. apply Rmult_le_compat_l; [nra|exact Near].
  + assert (0 <= 15 / 4 * (1 - 1 / 5 * doubled v) - 3 / 2 * (r * r)); [|lra]. unfold doubled, r, slope_at.
    interval with (i_bisect v, i_taylor v, i_prec 50).
- assert (Np : N * p <= 7 * exp (- (7 * (v * v) / 2))).
  { apply Rle_trans with (N * exp (- (N * (v * v) / 2))); [apply Rmult_le_compat_l; lra|].
    assert (X := exp_ineq1_le ((N - 7) / 7)). assert (V2 : 2 / 7 <= v * v) by nra.
    assert (Y : exp ((N - 7) / 7) <= exp ((N - 7) * (v * v) / 2)) by (apply exp_le; nra).
    replace (- (7 * (v * v) / 2)) with ((N - 7) * (v * v) / 2 + - (N * (v * v) / 2)) by field. rewrite exp_plus.
    rewrite <- (Rmult_assoc 7). apply Rmult_le_compat_r; [left; apply exp_pos|]. lra. }
  apply Rle_trans with (14 * exp (- (7 * (v * v) / 2)) * ((exp v - 1) * (exp v - 1))).
  + replace (N * (2 * p * ((exp v - 1) * (exp v - 1)))) with (2 * (N * p) * ((exp v - 1) * (exp v - 1))) by ring.
    apply Rmult_le_compat_r; [apply (Rle_0_sqr (exp v - 1))|lra].
  + assert (0 <= 15 / 4 * (1 - 1 / 5 * doubled v) - 14 * exp (- (7 * (v * v) / 2)) * ((exp v - 1) * (exp v - 1))); [|lra].
    unfold doubled. interval with (i_bisect v, i_taylor v, i_prec 50).
Qed.
