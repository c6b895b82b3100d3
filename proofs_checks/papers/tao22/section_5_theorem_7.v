(* No locally private algorithm has the rates of Theorem 7 with one constant for all instances. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits satisfiable.
From Dpbandits.tao22 Require Import appendix_c_theorem_11 appendix_c_theorem_9.
Open Scope R_scope.

(* The sum over Delta_a > 0 of (1/Delta_a)^(1/v), and max_a Delta_a. *)
Definition inverse_gaps (v : R) (K : nat) (D : nat -> probability_measure real_numbers) : R :=
  sum_to K (fun a => if Rlt_dec 0 (gap_of K D a) then Rpower (1 / gap_of K D a) (1 / v) else 0).
Definition largest_gap (K : nat) (D : nat -> probability_measure real_numbers) : R := highest (gap_of K D) (K - 1).

(* (10): from some T on, which may depend on the instance, with the constant C for all instances of two arms, u = 1. *)
Theorem theorem_7_no_algorithm v eps (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps) C :
  0 < v <= 1 -> 0 < eps <= 1 -> (forall T D, simple D -> pulls_measurable (alg T) D) ->
  ~ (forall D : nat -> probability_measure real_numbers, simple D -> (forall a, (a < 2)%nat -> moment_at_most_1 v (D a)) ->
     exists T0, forall T, (T0 <= T)%nat ->
     regret (alg T) D T <= C * (ln (INR T) / eps ^ 2 * inverse_gaps v 2 D + largest_gap 2 D)).
Proof.
intros v01 e01 V H. set (C1 := Rmax C 1). assert (C1' : 1 <= C1) by apply Rmax_r. assert (CC : C <= C1) by apply Rmax_l.
assert (P5 : 0 < Rpower 5 (2 / v)) by apply exp_pos. set (x := Rpower 5 (2 / v)) in *.
set (gap := Rmin (1 / 10) (/ (32 * C1 * x))).
assert (Cx : 0 < 32 * C1 * x) by (repeat apply Rmult_lt_0_compat; lra).
assert (g1 : gap <= 1 / 10) by apply Rmin_l.
assert (g2 : gap <= / (32 * C1 * x)) by apply Rmin_r.
assert (g0 : 0 < gap) by (apply Rmin_glb_lt; [lra|now apply Rinv_0_lt_compat]).
assert (g01 : 0 < gap < 1 / 5) by lra.
set (D := usual v gap v01 g01). set (D' := raised v gap v01 g01 1).
assert (SD : simple D) by apply usual_simple. assert (SD' : simple D') by apply raised_simple.
assert (N : nu_1 v gap (D 0%nat) /\ nu_2 v gap (D 1%nat) /\ nu_1 v gap (D' 0%nat) /\ nu_2_changed v gap (D' 1%nat)).
{ repeat split; apply pays_two_valued. }
destruct N as (N1 & N2 & N1' & N2').
destruct (two_arms_gaps v gap D D' v01 g01 N1 N2 N1' N2') as (G0 & G1 & G0' & G1').
set (A := Rpower (1 / gap) (1 / v)). assert (A0 : 0 < A) by apply exp_pos.
assert (S : inverse_gaps v 2 D = A /\ largest_gap 2 D = gap /\ inverse_gaps v 2 D' = A /\ largest_gap 2 D' = gap).
{ unfold inverse_gaps, largest_gap. simpl sum_to. simpl highest. rewrite G0, G1, G0', G1'. unfold Rmax, A.
  destruct (Rlt_dec 0 0), (Rlt_dec 0 gap), (Rle_dec 0 gap), (Rle_dec gap 0); repeat split; lra. }
destruct S as (S1 & S2 & S3 & S4).
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra).
assert (Bound : forall B : nat -> probability_measure real_numbers, simple B -> (forall a, (a < 2)%nat -> moment_at_most_1 v (B a)) ->
  inverse_gaps v 2 B = A -> largest_gap 2 B = gap ->
  exists T1, forall T, (T1 <= T)%nat -> regret (alg T) B T <= C1 * A / eps ^ 2 * ln (INR T) + C1 * gap).
{ intros B Si M E1 E2. destruct (H B Si M) as (T0 & H0). exists (Nat.max T0 1). intros T L. specialize (H0 T ltac:(lia)).
  rewrite E1, E2 in H0. apply Rle_trans with (1 := H0).
  assert (T1 : 1 <= INR T) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  assert (L0 : 0 <= ln (INR T)) by (rewrite <- ln_1; apply ln_le; lra).
  assert (0 <= ln (INR T) / eps ^ 2 * A + gap).
  { apply Rplus_le_le_0_compat; [|lra]. apply Rmult_le_pos; [now apply Rle_mult_inv_pos|lra]. }
  apply Rle_trans with (C1 * (ln (INR T) / eps ^ 2 * A + gap)); [apply Rmult_le_compat_r; lra|].
  right. field. lra. }
destruct (Bound D SD ltac:(intros; apply usual_moment) S1 S2) as (T1 & B1).
destruct (Bound D' SD' ltac:(intros; apply raised_moment) S3 S4) as (T2 & B2).
assert (CA : 0 <= C1 * A / eps ^ 2) by (apply Rle_mult_inv_pos; [apply Rmult_le_pos; lra|exact e2]).
assert (Cg : 0 <= C1 * gap) by (apply Rmult_le_pos; lra).
assert (L := regret_per_log (fun T => regret (alg T) D T) (fun T => regret (alg T) D T) (fun T => regret (alg T) D' T) gap (price v gap eps) g0
  (price_positive v gap eps ltac:(lra))
  (fun T => two_arms_regrets v gap eps Z alg D D' v01 g01 e01 N1 N2 N1' N2' (fun T => V T D SD) (fun T => V T D' SD') T)
  (logarithm_below_powers _ _ _ T1 CA Cg B1) (logarithm_below_powers _ _ _ T2 CA Cg B2)).
(* so the constant is too small *)
set (low := C1 * A / eps ^ 2) in *.
assert (Twice : 2 * low <= / price v gap eps).
{ unfold low, price. fold x. replace (1 + 2 / v) with (1 + 1 / v + 1 / v) by (field; lra).
  rewrite !Rpower_plus, Rpower_1 by lra.
  assert (EA : A = / Rpower gap (1 / v)).
  { unfold A, Rpower. replace (1 / gap) with (/ gap) by (field; lra). rewrite ln_Rinv by lra.
    replace (1 / v * - ln gap) with (- (1 / v * ln gap)) by ring. apply exp_Ropp. }
  rewrite EA. set (y := Rpower gap (1 / v)). assert (y0 : 0 < y) by apply exp_pos.
  assert (y1 : y <= 1).
  { unfold y, Rpower. apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0; lra].
    assert (ln gap <= 0) by (rewrite <- ln_1; apply ln_le; lra).
    assert (0 < 1 / v) by (apply Rdiv_lt_0_compat; lra). nra. }
  apply Rmult_le_reg_r with (16 * x * eps ^ 2 * (gap * y * y)); [repeat apply Rmult_lt_0_compat; lra|].
  rewrite Rinv_l by (apply Rgt_not_eq; repeat apply Rmult_lt_0_compat; lra).
  replace (2 * (C1 * / y / eps ^ 2) * (16 * x * eps ^ 2 * (gap * y * y))) with (32 * C1 * x * gap * y)
    by (field; repeat split; lra).
  assert (32 * C1 * x * gap <= 1).
  { apply (Rmult_le_compat_l (32 * C1 * x)) in g2; [|lra]. rewrite Rinv_r in g2 by lra. exact g2. }
  assert (0 <= 32 * C1 * x * gap) by (apply Rmult_le_pos; lra). nra. }
assert (low0 : 0 < low) by (unfold low; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|exact e2]).
destruct (L (low / 4) ltac:(lra)) as (T3 & B3). clear L.
destruct (archimed (exp (4 * (C1 * gap) / low))) as [U _].
set (T := Nat.max (Nat.max T1 T3) (Nat.max 2 (Z.to_nat (up (exp (4 * (C1 * gap) / low)))))).
specialize (B1 T ltac:(lia)). specialize (B3 T ltac:(lia)). assert (X := exp_pos (4 * (C1 * gap) / low)).
assert (T2' : 2 <= INR T) by (replace 2 with (INR 2) by (simpl; ring); apply le_INR; lia).
assert (L0 : 0 < ln (INR T)) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (Big : exp (4 * (C1 * gap) / low) <= INR T).
{ apply Rle_trans with (INR (Z.to_nat (up (exp (4 * (C1 * gap) / low))))); [|apply le_INR; lia].
  rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
apply ln_le in Big; [|exact X]. rewrite ln_exp in Big.
assert (Small : C1 * gap <= low / 4 * ln (INR T)).
{ apply (Rmult_le_compat_l (low / 4)) in Big; [|lra].
  replace (low / 4 * (4 * (C1 * gap) / low)) with (C1 * gap) in Big by (field; lra). exact Big. }
assert (B4 : (/ price v gap eps - low / 4) * ln (INR T) <= regret (alg T) D T).
{ apply (Rmult_le_compat_r (ln (INR T))) in B3; [|lra]. unfold Rdiv at 2 in B3.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r in B3 by lra. exact B3. }
assert ((2 * low - low / 4) * ln (INR T) <= (/ price v gap eps - low / 4) * ln (INR T)) by (apply Rmult_le_compat_r; lra).
assert (0 < low * ln (INR T)) by now apply Rmult_lt_0_compat. lra.
Qed.

(* (11): from one T on for all instances with K arms and u = 1, with the constant C for all of them. *)
Theorem theorem_7_independent_no_algorithm v eps (Z : sample_space) K (alg : nat -> local_algorithm real_numbers Z K eps) C T0 :
  0 < v <= 1 -> 0 < eps <= 1 -> (2 <= K)%nat -> (forall T D, simple D -> pulls_measurable (alg T) D) ->
  ~ (forall T (D : nat -> probability_measure real_numbers), (T0 <= T)%nat -> simple D ->
     (forall a, (a < K)%nat -> moment_at_most_1 v (D a)) ->
     regret (alg T) D T <= C * Rpower (INR K * ln (INR T) / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v))).
Proof.
intros v01 e01 K2 V H. set (q := v / (2 * (1 + v))). assert (q0 : 0 < q) by (unfold q; apply Rdiv_lt_0_compat; lra).
assert (K2' : 2 <= INR K) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra).
set (k := INR K / eps ^ 2). assert (k0 : 0 < k) by (apply Rdiv_lt_0_compat; lra).
set (c := exp (- (32 * Rpower 25 (1 / v))) / 8). assert (c0 : 0 < c) by (unfold c; assert (X := exp_pos (- (32 * Rpower 25 (1 / v)))); lra).
set (C1 := Rmax C 1). assert (C1' : 1 <= C1) by apply Rmax_r. assert (CC : C <= C1) by apply Rmax_l.
set (B := Rpower 25 ((1 + v) / v) * k). set (M := 2 / q * (Rabs (ln (C1 * Rpower k q / c)) + 2 * q) + 1).
destruct (archimed (Rmax B (exp M))) as [U _].
set (T := Nat.max (Nat.max T0 3) (Z.to_nat (up (Rmax B (exp M))))).
assert (X : 0 < Rmax B (exp M)) by (apply Rlt_le_trans with (2 := Rmax_r _ _), exp_pos).
assert (Big : Rmax B (exp M) < INR T).
{ apply Rlt_le_trans with (INR (Z.to_nat (up (Rmax B (exp M))))); [|apply le_INR; lia].
  rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
assert (B1 : B < INR T) by (apply Rle_lt_trans with (2 := Big), Rmax_l).
assert (M1 : exp M < INR T) by (apply Rle_lt_trans with (2 := Big), Rmax_r).
assert (T1 : 0 < INR T) by (apply Rlt_trans with (2 := M1), exp_pos).
assert (L : M < ln (INR T)) by (rewrite <- (ln_exp M); apply ln_increasing; [apply exp_pos|exact M1]).
assert (M0 : 1 <= M).
{ unfold M. assert (0 <= 2 / q * (Rabs (ln (C1 * Rpower k q / c)) + 2 * q)); [|lra].
  apply Rmult_le_pos; [apply Rle_mult_inv_pos; lra|]. assert (Y := Rabs_pos (ln (C1 * Rpower k q / c))). lra. }
destruct (theorem_9_raised v eps Z K T (alg T) v01 e01 K2 B1 (V T)) as (D & Si & Mo & Low).
specialize (H T D ltac:(lia) Si Mo). fold q k c in Low. clearbody c.
set (y := ln (INR T)) in *. assert (y0 : 0 < y) by lra.
assert (P1 : 0 < Rpower k q) by apply exp_pos. assert (P2 : 0 < Rpower (INR T) (1 - q)) by apply exp_pos.
assert (P3 : 0 < Rpower y (q + q)) by apply exp_pos. assert (P4 : 0 < Rpower (INR T) (- q)) by apply exp_pos.
assert (E : Rpower (INR K * y / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v)) =
  Rpower k q * Rpower k q * Rpower y (q + q) * (Rpower (INR T) (1 - q) * Rpower (INR T) (- q))).
{ replace (INR K * y / eps ^ 2) with (k * y) by (unfold k; field; lra). rewrite <- Rpower_mult_distr by assumption.
  replace (v / (1 + v)) with (q + q) by (unfold q; field; lra). rewrite (Rpower_plus q q k).
  replace (1 / (1 + v)) with (1 - q + - q) by (unfold q; field; lra). rewrite (Rpower_plus (1 - q) (- q) (INR T)). ring. }
rewrite Rmult_assoc, E in H.
assert (H1 : c * Rpower k q * Rpower (INR T) (1 - q) <=
  C1 * (Rpower k q * Rpower k q * Rpower y (q + q) * (Rpower (INR T) (1 - q) * Rpower (INR T) (- q)))).
{ apply Rle_trans with (1 := Low), Rle_trans with (1 := H). apply Rmult_le_compat_r; [|exact CC].
  left. repeat apply Rmult_lt_0_compat; assumption. }
assert (H2 : 1 <= C1 * Rpower k q / c * (Rpower y (q + q) * Rpower (INR T) (- q))).
{ apply Rmult_le_reg_l with (c * Rpower k q * Rpower (INR T) (1 - q)); [repeat apply Rmult_lt_0_compat; assumption|].
  rewrite Rmult_1_r. apply Rle_trans with (1 := H1). right. field. lra. }
assert (F : 0 < C1 * Rpower k q / c) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|exact c0]).
apply ln_le in H2; [|lra]. assert (F2 := Rmult_lt_0_compat _ _ P3 P4). rewrite ln_1, (ln_mult _ _ F F2), (ln_mult _ _ P3 P4) in H2.
unfold Rpower in H2 at 2 3. rewrite !ln_exp in H2. fold y in H2.
assert (Ly := ln_below y 4 y0 ltac:(lra)). assert (L4 : ln 4 <= 3).
{ apply Rle_trans with (4 - 1); [|lra]. assert (Z1 := ln_below 4 1 ltac:(lra) ltac:(lra)). rewrite ln_1 in Z1. lra. }
assert (L2 : ln 4 <= 2).
{ replace 4 with (2 * 2) by ring. rewrite ln_mult by lra. assert (Z1 := ln_below 2 1 ltac:(lra) ltac:(lra)). rewrite ln_1 in Z1. lra. }
assert (A := Rle_abs (ln (C1 * Rpower k q / c))).
assert (G : q * y / 2 <= Rabs (ln (C1 * Rpower k q / c)) + 2 * q).
{ assert (q * ln y <= q * (y / 4 - 1 + ln 4)) by (apply Rmult_le_compat_l; lra).
  assert (q * (y / 4 - 1 + ln 4) <= q * (y / 4 + 1)) by (apply Rmult_le_compat_l; lra). lra. }
apply (Rmult_le_compat_l (2 / q)) in G; [|apply Rle_mult_inv_pos; lra].
replace (2 / q * (q * y / 2)) with y in G by (field; lra). unfold M in L. lra.
Qed.

(** * The hypotheses can hold together *)

Lemma theorem_7_no_algorithm_witness : satisfiable theorem_7_no_algorithm.
Proof.
exists 1, 1, one_toss, (fun _ => silent real_numbers 1 Rle_0_1), 0. split; [lra|]. split; [lra|].
intros T D _ T' f. apply bits_measurable.
Qed.

Lemma theorem_7_independent_no_algorithm_witness : satisfiable theorem_7_independent_no_algorithm.
Proof.
exists 1, 1, one_toss, 2%nat, (fun _ => silent real_numbers 1 Rle_0_1), 0, 0%nat. split; [lra|]. split; [lra|]. split; [lia|].
intros T D _ T' f. apply bits_measurable.
Qed.
