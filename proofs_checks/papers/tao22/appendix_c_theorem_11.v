(* Lemma 15 with the total variation, and as printed; Theorem 11 and what its proof gives; the divergence of two coins. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits private_learner satisfiable.
Import ListNotations.
Open Scope R_scope.

Definition coins_divergence (p q : R) := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).

Lemma term x y : 0 < x -> 0 < y -> x * ln (x / y) <= x * (x / y - 1).
Proof.
intros X Y. assert (P : 0 < x / y) by now apply Rdiv_lt_0_compat. apply Rmult_le_compat_l; [lra|].
assert (E := exp_ineq1_le (ln (x / y))). rewrite exp_ln in E by exact P. lra.
Qed.

Theorem chi_square p q : 0 < p < 1 -> 0 < q < 1 -> coins_divergence p q <= (p - q) * (p - q) / (q * (1 - q)).
Proof.
intros P Q. unfold coins_divergence. assert (A := term p q ltac:(lra) ltac:(lra)).
assert (B := term (1 - p) (1 - q) ltac:(lra) ltac:(lra)).
replace ((p - q) * (p - q) / (q * (1 - q))) with (p * (p / q - 1) + (1 - p) * ((1 - p) / (1 - q) - 1)) by (field; lra).
lra.
Qed.

(** * Lemma 15 *)

(* d is at least KL of the histories of T rounds: E f - ln E' e^f is at most d for all bounded functions f of the history. *)
Definition histories_divergence_at_most {W Z : sample_space} {K : nat} {eps : R} (alg : local_algorithm W Z K eps)
  (D D' : nat -> probability_measure W) (T : nat) (d : R) :=
  forall (f : seen Z -> R) low high, (forall h, low <= f h <= high) ->
  measurable alg D T f -> measurable alg D' T (fun h => exp (f h)) ->
  expected alg D T f <= ln (expected alg D' T (fun h => exp (f h))) + d.

Theorem lemma_15_sharp (W Z : sample_space) K eps (alg : local_algorithm W Z K eps) (D D' : nat -> probability_measure W)
  (tv : nat -> R) T :
  0 < eps -> (forall a, (a < K)%nat -> total_variation_at_most (D a) (D' a) (tv a)) ->
  (forall a, (a < K)%nat -> measurable alg D T (pulls_of Z a)) ->
  histories_divergence_at_most alg D D' T
    ((exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * tv a ^ 2)).
Proof.
intros E V M f low high B Mf Me.
set (d := fun a => ((exp eps - 1) * tv a) * ((exp eps - 1) * tv a)).
assert (Close : forall h a, (a < K)%nat -> divergence_at_most (messages alg D h a) (messages alg D' h a) (d a)).
{ intros h a L. exact (message_divergence W Z (D a) (D' a) _ (channel_measurable alg h a) eps (tv a) (Rlt_le _ _ E)
    (channel_private alg h a) (V a L)). }
assert (dp : forall a, (a < K)%nat -> 0 <= d a) by (intros a _; apply Rle_0_sqr).
assert (H := divergence_of_all Z K (choice alg) (choice_chooses alg) (messages alg D) (messages alg D') d Close dp f low high
  T (fun h _ => B h) Mf Me M).
apply Rle_trans with (1 := H). apply Rplus_le_compat_l. rewrite <- sum_to_scaled. right. apply sum_to_same.
intros a _. unfold d, expected. ring.
Qed.

Theorem lemma_15 (W Z : sample_space) K eps (alg : local_algorithm W Z K eps) (D D' : nat -> probability_measure W)
  (kl : nat -> R) T :
  0 < eps -> (forall a, (a < K)%nat -> measurable alg D T (pulls_of Z a)) ->
  (forall a, (a < K)%nat -> 0 < expected alg D T (pulls_of Z a) -> divergence_at_most (D a) (D' a) (kl a)) ->
  histories_divergence_at_most alg D D' T
    (2 * Rmin 4 (exp (2 * eps)) * (exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a)).
Proof.
intros E M V f low high B Mf Me.
assert (N : forall a, (a < K)%nat -> 0 <= expected alg D T (pulls_of Z a)).
{ intros a L. apply (run_inside Z K (choice alg) (choice_chooses alg) (messages alg D) T [] _ 0 (INR T)); [|now apply M].
  intros h Len. assert (H := pulls_inside Z a h). rewrite Len in H. simpl in H. now rewrite Nat.add_0_r in H. }
set (tv := fun a => if Rlt_dec 0 (expected alg D T (pulls_of Z a)) then sqrt (kl a / 2) else 1).
assert (T1 : forall a, (a < K)%nat -> total_variation_at_most (D a) (D' a) (tv a)).
{ intros a L. unfold tv. destruct (Rlt_dec 0 (expected alg D T (pulls_of Z a))) as [P|P].
  - apply pinsker. now apply V.
  - intros A VA. assert (I : forall x, 0 <= (if A x then 1 else 0) <= 1) by (intros x; destruct (A x); lra).
    assert (U : mean (D a) (fun x => if A x then 1 else 0) <= 1).
    { apply Rle_trans with (mean (D a) (fun _ => 1)); [|rewrite mean_const; lra].
      apply mean_le; [now apply (bounded_has_mean W _ _ 0 1)|apply has_mean_const|apply I]. }
    assert (O : 0 <= mean (D' a) (fun x => if A x then 1 else 0)).
    { apply mean_positive; [now apply (bounded_has_mean W _ _ 0 1)|apply I]. }
    lra. }
assert (H := lemma_15_sharp W Z K eps alg D D' tv T E T1 M f low high B Mf Me).
apply Rle_trans with (1 := H). apply Rplus_le_compat_l.
replace (2 * Rmin 4 (exp (2 * eps)) * (exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a)) with
  ((exp eps - 1) ^ 2 * (2 * Rmin 4 (exp (2 * eps)) * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a))) by ring.
apply Rmult_le_compat_l; [apply pow2_ge_0|]. rewrite <- sum_to_scaled. apply sum_to_le. intros a L.
assert (m1 : 1 <= Rmin 4 (exp (2 * eps))).
{ apply Rmin_glb; [lra|]. rewrite <- exp_0. apply exp_le. lra. }
unfold tv. specialize (N a L). destruct (Rlt_dec 0 (expected alg D T (pulls_of Z a))) as [P|P].
- assert (k0 : 0 <= kl a).
  { assert (X := V a L P (fun _ => 0) 0 0 (variable_const W 0) ltac:(intros; lra)).
    cbv beta in X. rewrite !mean_const, exp_0, ln_1 in X. lra. }
  replace (sqrt (kl a / 2) ^ 2) with (kl a / 2); [|simpl; rewrite Rmult_1_r, sqrt_sqrt by lra; reflexivity].
  assert (Y : 0 <= expected alg D T (pulls_of Z a) * kl a) by (apply Rmult_le_pos; lra). nra.
- replace (expected alg D T (pulls_of Z a)) with 0 by lra. lra.
Qed.

(** * The two instances of Theorems 11 and 9 *)

Definition gamma (v gap : R) : R := Rpower (5 * gap) (/ v).
(* nu_1, nu_2 and nu'_2. *)
Definition nu_1 (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2) (/ gamma v gap).
Definition nu_2 (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2 - gap * gamma v gap) (/ gamma v gap).
Definition nu_2_changed (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2 + gap * gamma v gap) (/ gamma v gap).
(* E|X|^(1+v) <= 1. *)
Definition moment_at_most_1 (v : R) (P : probability_measure real_numbers) :=
  has_mean P (abs_power (1 + v)) /\ mean P (abs_power (1 + v)) <= 1.

Section Instances.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).

Lemma gamma_inside : 0 < gamma v gap < 1.
Proof.
split; [apply exp_pos|]. unfold gamma, Rpower. rewrite <- exp_0. apply exp_increasing.
assert (L : ln (5 * gap) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (I := Rinv_0_lt_compat v ltac:(lra)). nra.
Qed.

Lemma gamma_power : Rpower (gamma v gap) (1 + v) = 5 * gap * gamma v gap.
Proof.
rewrite Rpower_plus, Rpower_1 by apply exp_pos. unfold gamma at 2. rewrite Rpower_mult.
replace (/ v * v) with 1 by (field; lra). rewrite Rpower_1 by lra. ring.
Qed.

Lemma moments_of p P : two_valued P p (/ gamma v gap) -> mean P (abs_power (1 + v)) = p / (5 * gap * gamma v gap).
Proof.
intros H. assert (G := gamma_inside). rewrite (two_valued_moment P p _ H) by (apply Rinv_0_lt_compat; lra).
unfold Rpower at 1. rewrite ln_Rinv by lra. replace ((1 + v) * - ln (gamma v gap)) with (- ((1 + v) * ln (gamma v gap))) by ring.
rewrite exp_Ropp. fold (Rpower (gamma v gap) (1 + v)). now rewrite gamma_power.
Qed.

Lemma instance_facts P1 P2 P3 : nu_1 v gap P1 -> nu_2 v gap P2 -> nu_2_changed v gap P3 ->
  mean_reward P1 = 5 / 2 * gap /\ mean_reward P2 = 3 / 2 * gap /\ mean_reward P3 = 7 / 2 * gap /\
  moment_at_most_1 v P1 /\ moment_at_most_1 v P2 /\ moment_at_most_1 v P3 /\
  total_variation_at_most P2 P3 (2 * gap * gamma v gap).
Proof.
unfold nu_1, nu_2, nu_2_changed, moment_at_most_1. rewrite gamma_power. intros H1 H2 H3. assert (G := gamma_inside).
rewrite (two_valued_mean _ _ _ H1), (two_valued_mean _ _ _ H2), (two_valued_mean _ _ _ H3).
rewrite (moments_of _ _ H1), (moments_of _ _ H2), (moments_of _ _ H3).
repeat split; try (field; lra); try apply H1; try apply H2; try apply H3.
- replace (5 * gap * gamma v gap / 2 / (5 * gap * gamma v gap)) with (1 / 2) by (field; lra). lra.
- replace ((5 * gap * gamma v gap / 2 - gap * gamma v gap) / (5 * gap * gamma v gap)) with (3 / 10) by (field; lra). lra.
- replace ((5 * gap * gamma v gap / 2 + gap * gamma v gap) / (5 * gap * gamma v gap)) with (7 / 10) by (field; lra). lra.
- apply (two_valued_variation _ _ _ _ _ H2 H3). assert (0 < gap * gamma v gap) by (apply Rmult_lt_0_compat; lra).
  rewrite Rabs_left; lra.
Qed.

Lemma chances_inside : 0 <= Rpower (gamma v gap) (1 + v) / 2 <= 1 /\
  0 <= Rpower (gamma v gap) (1 + v) / 2 - gap * gamma v gap <= 1 /\
  0 <= Rpower (gamma v gap) (1 + v) / 2 + gap * gamma v gap <= 1.
Proof.
rewrite gamma_power. assert (G := gamma_inside). assert (0 < gap * gamma v gap) by (apply Rmult_lt_0_compat; lra).
assert (gap * gamma v gap <= 1 / 5 * 1) by (apply Rmult_le_compat; lra). lra.
Qed.

(* The squared total variation. *)
Lemma variation_power : (2 * gap * gamma v gap) * (2 * gap * gamma v gap) = 4 * Rpower 5 (2 / v) * Rpower gap (2 + 2 / v).
Proof.
unfold gamma. rewrite <- Rpower_mult_distr by lra. rewrite Rpower_plus.
replace (Rpower gap 2) with (gap * gap); [|replace 2 with (INR 2) by (simpl; ring); rewrite Rpower_pow by lra; simpl; ring].
replace (2 / v) with (/ v + / v) by (field; lra). rewrite !Rpower_plus. ring.
Qed.

Lemma gap_power : Rpower gap (2 + 2 / v) = gap * Rpower gap (1 + 2 / v).
Proof. replace (2 + 2 / v) with (1 + (1 + 2 / v)) by ring. now rewrite Rpower_plus, Rpower_1 by lra. Qed.
End Instances.

(* Measures with these laws, and instances of K arms: the first arm is the best one, or arm i is. *)
Section Measures.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).

Definition first_arm := pays _ (/ gamma v gap) (proj1 (chances_inside v gap v01 g01)).
Definition other_arm := pays _ (/ gamma v gap) (proj1 (proj2 (chances_inside v gap v01 g01))).
Definition raised_arm := pays _ (/ gamma v gap) (proj2 (proj2 (chances_inside v gap v01 g01))).
Definition usual (a : nat) := if Nat.eqb a 0 then first_arm else other_arm.
Definition raised (i a : nat) := if Nat.eqb a i then raised_arm else usual a.

Lemma facts : mean_reward first_arm = 5 / 2 * gap /\ mean_reward other_arm = 3 / 2 * gap /\
  mean_reward raised_arm = 7 / 2 * gap /\ moment_at_most_1 v first_arm /\ moment_at_most_1 v other_arm /\
  moment_at_most_1 v raised_arm /\ total_variation_at_most other_arm raised_arm (2 * gap * gamma v gap).
Proof. apply instance_facts; auto; apply pays_two_valued. Qed.

Lemma usual_moment a : moment_at_most_1 v (usual a).
Proof. unfold usual. destruct (Nat.eqb a 0); apply facts. Qed.

Lemma raised_moment i a : moment_at_most_1 v (raised i a).
Proof. unfold raised. destruct (Nat.eqb a i); [apply facts|apply usual_moment]. Qed.

Lemma usual_gap K a : (0 < a < K)%nat -> gap_of K usual a = gap.
Proof.
intros L. destruct facts as (M1 & M2 & _). unfold gap_of.
rewrite (highest_is _ (K - 1) 0); [|lia|].
- unfold usual. destruct (Nat.eqb_spec a 0); [lia|]. rewrite Nat.eqb_refl, M1, M2. lra.
- intros b _. unfold usual. rewrite Nat.eqb_refl. destruct (Nat.eqb b 0); rewrite ?M1, ?M2; lra.
Qed.

Lemma raised_gap K i a : (0 < i < K)%nat -> (a < K)%nat -> a <> i -> gap <= gap_of K (raised i) a.
Proof.
intros I L N. destruct facts as (M1 & M2 & M3 & _). unfold gap_of.
rewrite (highest_is _ (K - 1) i); [|lia|].
- unfold raised, usual. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec a i); [lia|]. rewrite M3.
  destruct (Nat.eqb a 0); rewrite ?M1, ?M2; lra.
- intros b _. unfold raised, usual. rewrite Nat.eqb_refl. rewrite M3.
  destruct (Nat.eqb b i); [lra|]. destruct (Nat.eqb b 0); rewrite ?M1, ?M2; lra.
Qed.

Lemma raised_elsewhere i a : a <> i -> total_variation_at_most (usual a) (raised i a) 0.
Proof. intros N A _. unfold raised. destruct (Nat.eqb_spec a i); [easy|lra]. Qed.

Lemma raised_here i : (0 < i)%nat -> total_variation_at_most (usual i) (raised i i) (2 * gap * gamma v gap).
Proof.
intros P. unfold raised, usual. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec i 0); [lia|apply facts].
Qed.
End Measures.

Lemma exp_twice eps : 0 <= eps <= 1 -> 0 <= exp eps - 1 <= 2 * eps.
Proof.
intros E. assert (C := exp_chord eps 1 E). rewrite Rmult_1_r in C. assert (X := exp_le_3).
assert (1 <= exp eps) by (rewrite <- exp_0; apply exp_le; lra). nra.
Qed.

(* 16 5^(2/v) eps^2 gap^(1 + 2/v). *)
Definition price (v gap eps : R) : R := 16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v).

Lemma price_positive v gap eps : 0 < eps -> 0 < price v gap eps.
Proof.
intros E. unfold price. assert (A := exp_pos (2 / v * ln 5)). assert (B := exp_pos ((1 + 2 / v) * ln gap)).
assert (0 < eps ^ 2) by (apply pow_lt; exact E). unfold Rpower. repeat apply Rmult_lt_0_compat; lra.
Qed.

Section TwoArms.
Variables (v gap eps : R) (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers).
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5) (e01 : 0 < eps <= 1).
Hypotheses (N1 : nu_1 v gap (D 0%nat)) (N2 : nu_2 v gap (D 1%nat)) (N1' : nu_1 v gap (D' 0%nat))
  (N2' : nu_2_changed v gap (D' 1%nat)).

Lemma two_arms_gaps : gap_of 2 D 0 = 0 /\ gap_of 2 D 1 = gap /\ gap_of 2 D' 0 = gap /\ gap_of 2 D' 1 = 0.
Proof.
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (M1 & M2 & M3 & _).
destruct (instance_facts v gap v01 g01 _ _ _ N1' N2 N2') as (M1' & _).
unfold gap_of. simpl. rewrite M1, M2, M3, M1'. unfold Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra.
Qed.

Hypotheses (V : forall T, pulls_measurable (alg T) D) (V' : forall T, pulls_measurable (alg T) D').

Lemma two_arms_regrets T : INR T * gap / 4 * exp (- (price v gap eps * regret (alg T) D T)) <=
  regret (alg T) D T + regret (alg T) D' T.
Proof.
destruct two_arms_gaps as (G0 & G1 & G0' & G1').
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (_ & _ & _ & _ & _ & _ & TV).
assert (H := regrets Z 2 eps (alg T) D D' ltac:(lra) (V T) (V' T) 1 gap (2 * gap * gamma v gap) T ltac:(lia) ltac:(lra)).
assert (Same : forall a, (a < 2)%nat -> a <> 1%nat -> total_variation_at_most (D a) (D' a) 0).
{ intros a L N. replace a with 0%nat by lia. apply (two_valued_variation _ _ _ _ _ N1 N1').
  rewrite Rminus_eq_0, Rabs_R0. lra. }
specialize (H Same TV ltac:(lra)).
assert (Better : forall a, (a < 2)%nat -> a <> 1%nat -> gap <= gap_of 2 D' a).
{ intros a L N. replace a with 0%nat by lia. lra. }
specialize (H Better). apply Rle_trans with (2 := H). apply Rmult_le_compat_l.
{ assert (X := pos_INR T). assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). lra. }
apply exp_le. apply Ropp_le_contravar.
assert (R1 := regret_here Z 2 eps (alg T) D (V T) 1 gap T ltac:(lia) ltac:(lra)).
assert (P := expected_pulls Z 2 eps (alg T) D 1 T (V T)). set (n := expected (alg T) D T (pulls_of Z 1)) in *.
apply Rle_trans with (price v gap eps * (gap * n)).
- replace ((exp eps - 1) * (2 * gap * gamma v gap) * ((exp eps - 1) * (2 * gap * gamma v gap)) * n) with
    ((exp eps - 1) * (exp eps - 1) * ((2 * gap * gamma v gap) * (2 * gap * gamma v gap)) * n) by ring.
  rewrite variation_power, gap_power by assumption. unfold price.
  assert (X := exp_twice eps ltac:(lra)). assert (A := exp_pos (2 / v * ln 5)). assert (B := exp_pos ((1 + 2 / v) * ln gap)).
  fold (Rpower 5 (2 / v)) in A. fold (Rpower gap (1 + 2 / v)) in B.
  replace (16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v) * (gap * n)) with
    (2 * eps * (2 * eps) * (4 * Rpower 5 (2 / v) * (gap * Rpower gap (1 + 2 / v))) * n) by ring.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r.
  + assert (0 < Rpower 5 (2 / v) * (gap * Rpower gap (1 + 2 / v))) by (repeat apply Rmult_lt_0_compat; lra). lra.
  + apply Rmult_le_compat; lra.
- apply Rmult_le_compat_l; [left; apply price_positive; lra|exact R1].
Qed.
End TwoArms.

(** * Theorem 11 *)

Definition instances_of_theorem_11 (v gap : R) (D D' : nat -> probability_measure real_numbers) :=
  nu_1 v gap (D 0%nat) /\ nu_2 v gap (D 1%nat) /\ nu_1 v gap (D' 0%nat) /\ nu_2_changed v gap (D' 1%nat).

Theorem theorem_11_raised v gap eps (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < gap < 1 / 5 -> 0 < eps <= 1 -> instances_of_theorem_11 v gap D D' ->
  (forall T, pulls_measurable (alg T) D) -> (forall T, pulls_measurable (alg T) D') ->
  below_all_powers (fun T => regret (alg T) D T) -> below_all_powers (fun T => regret (alg T) D' T) ->
  (forall a, (a < 2)%nat -> moment_at_most_1 v (D a)) /\ mean_reward (D 0%nat) - mean_reward (D 1%nat) = gap /\
  liminf_per_log (fun T => regret (alg T) D T) (1 / (16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v))).
Proof.
intros v01 g01 e01 (N1 & N2 & N1' & N2') V V' S S'.
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (M1 & M2 & _ & B1 & B2 & _).
split; [|split; [rewrite M1, M2; lra|]].
- intros [|[|a]] L; [exact B1|exact B2|lia].
- unfold Rdiv. rewrite Rmult_1_l. fold (price v gap eps).
  apply (regret_per_log _ (fun T => regret (alg T) D T) (fun T => regret (alg T) D' T) gap (price v gap eps)); auto; [lra|apply price_positive; lra|].
  intros T. now apply two_arms_regrets.
Qed.

Theorem theorem_11 v gap eps (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < gap < 1 / 5 -> 0 < eps <= 1 -> instances_of_theorem_11 v gap D D' ->
  (forall T, pulls_measurable (alg T) D) -> (forall T, pulls_measurable (alg T) D') ->
  below_all_powers (fun T => regret (alg T) D T) -> below_all_powers (fun T => regret (alg T) D' T) ->
  (forall a, (a < 2)%nat -> moment_at_most_1 v (D a)) /\ mean_reward (D 0%nat) - mean_reward (D 1%nat) = gap /\
  liminf_per_log (fun T => regret (alg T) D T) (5 / (16 * Rpower 5 (1 / v) * eps ^ 2 * Rpower gap (1 / v))).
Proof.
intros v01 g01 e01 I V V' S S'.
destruct (theorem_11_raised v gap eps Z alg D D' v01 g01 e01 I V V' S S') as (B & M & L).
split; [exact B|split; [exact M|]]. apply liminf_smaller with (2 := L).
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra).
assert (I0 := Rinv_0_lt_compat v ltac:(lra)).
assert (P5 : Rpower 5 (2 / v) = Rpower 5 (1 / v) * Rpower 5 (1 / v)).
{ replace (2 / v) with (1 / v + 1 / v) by (field; lra). apply Rpower_plus. }
assert (Pg : Rpower gap (1 + 2 / v) = gap * Rpower gap (1 / v) * Rpower gap (1 / v)).
{ replace (1 + 2 / v) with (1 + 1 / v + 1 / v) by (field; lra). now rewrite !Rpower_plus, Rpower_1 by lra. }
rewrite P5, Pg. set (x := Rpower 5 (1 / v)). set (y := Rpower gap (1 / v)).
assert (x0 : 0 < x) by apply exp_pos. assert (y0 : 0 < y) by apply exp_pos.
assert (xy : x * y <= 1).
{ unfold x, y. rewrite Rpower_mult_distr by lra. apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0; lra].
  assert (ln (5 * gap) <= 0) by (rewrite <- ln_1; apply ln_le; lra). unfold Rdiv. nra. }
apply Rmult_le_reg_r with (16 * (x * x) * eps ^ 2 * (gap * y * y)).
{ repeat apply Rmult_lt_0_compat; lra. }
replace (5 / (16 * x * eps ^ 2 * y) * (16 * (x * x) * eps ^ 2 * (gap * y * y))) with (5 * gap * (x * y))
  by (field; repeat split; lra).
replace (1 / (16 * (x * x) * eps ^ 2 * (gap * y * y)) * (16 * (x * x) * eps ^ 2 * (gap * y * y))) with 1
  by (field; repeat split; lra).
nra.
Qed.

(** * The hypotheses can hold together *)

Lemma chi_square_witness : satisfiable chi_square.
Proof. exists (1 / 3), (1 / 2). lra. Qed.

Lemma half_inside : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Lemma whole_inside : 0 <= 1 <= 1. Proof. lra. Qed.

(* Arm 0 has the same law in both instances, and arm 1 another one. *)
Lemma lemma_15_sharp_witness : satisfiable lemma_15_sharp.
Proof.
exists one_toss, one_toss, 2%nat, 1, (silent one_toss 1 Rle_0_1), (fun _ => coin (1 / 2) half_inside),
  (fun a => if Nat.eqb a 0 then coin (1 / 2) half_inside else coin 1 whole_inside),
  (fun a => if Nat.eqb a 0 then 0 else 1 / 2), 2%nat.
split; [lra|]. split; [intros [|a] _ A _; simpl; destruct (A true), (A false); lra|].
split; [intros; apply bits_measurable|]. exists (fun _ => 0), 0, 1. split; [intros; lra|]. split; apply bits_measurable.
Qed.

Lemma quarter_inside : 0 <= 1 / 4 <= 1. Proof. lra. Qed.

Lemma lemma_15_witness : satisfiable lemma_15.
Proof.
exists one_toss, one_toss, 2%nat, 1, (silent one_toss 1 Rle_0_1), (fun _ => coin (1 / 2) half_inside),
  (fun _ => coin (1 / 4) quarter_inside), (fun _ => 1 * 1), 2%nat.
split; [lra|]. split; [intros; apply bits_measurable|]. split.
- intros a _ _. apply close_divergence; [lra|]. intros event _. simpl. destruct (event true), (event false); split_Rabs; lra.
- exists (fun _ => 0), 0, 1. split; [intros; lra|]. split; apply bits_measurable.
Qed.

Lemma tenth_inside : 0 < 1 / 10 < 1 / 5. Proof. lra. Qed.
Lemma v_1 : 0 < 1 <= 1. Proof. lra. Qed.

Lemma small_regret : exists alg : nat -> local_algorithm real_numbers one_toss 2 1,
  below_all_powers (fun T => regret (alg T) (usual 1 (1 / 10) v_1 tenth_inside) T) /\
  below_all_powers (fun T => regret (alg T) (raised 1 (1 / 10) v_1 tenth_inside 1) T).
Proof.
set (D := usual 1 (1 / 10) v_1 tenth_inside). set (D' := raised 1 (1 / 10) v_1 tenth_inside 1).
assert (N1 : nu_1 1 (1 / 10) (D 0%nat)) by apply pays_two_valued.
assert (N2 : nu_2 1 (1 / 10) (D 1%nat)) by apply pays_two_valued.
assert (N1' : nu_1 1 (1 / 10) (D' 0%nat)) by apply pays_two_valued.
assert (N2' : nu_2_changed 1 (1 / 10) (D' 1%nat)) by apply pays_two_valued.
destruct (two_arms_gaps 1 (1 / 10) D D' v_1 tenth_inside N1 N2 N1' N2') as (G0 & G1 & G0' & G1').
destruct (chances_inside 1 (1 / 10) v_1 tenth_inside) as (_ & I2 & I3).
assert (G := gamma_inside 1 (1 / 10) v_1 tenth_inside).
apply (some_learner _ _ (/ gamma 1 (1 / 10)) (proj1 I2)) with (2 := proj2 I3); auto; try lra.
apply Rinv_neq_0_compat. lra.
Qed.

Lemma theorem_11_raised_witness : satisfiable theorem_11_raised.
Proof.
destruct small_regret as (alg & S & S').
exists 1, (1 / 10), 1, one_toss, alg, (usual 1 (1 / 10) v_1 tenth_inside), (raised 1 (1 / 10) v_1 tenth_inside 1).
split; [lra|]. split; [lra|]. split; [lra|]. split; [split; [|split; [|split]]; apply pays_two_valued|].
split; [intros T T' f; apply bits_measurable|]. split; [intros T T' f; apply bits_measurable|]. split; [exact S|]. split; [exact S'|]. split; [exists 0%nat; lia|exists 1; lra].
Qed.

Lemma theorem_11_witness : satisfiable theorem_11.
Proof. exact theorem_11_raised_witness. Qed.
