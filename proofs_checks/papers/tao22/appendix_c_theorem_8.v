(* Theorem 8 and what its proof gives: K arms, of which every one that is not the best could be raised. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits private_learner satisfiable.
From Dpbandits.tao22 Require Import appendix_c_theorem_11.
Open Scope R_scope.

Definition s_of (v mean : R) : R := Rpower (2 * mean) (1 / v).
(* nu_a, and nu'_a for the gap Delta_a. *)
Definition nu (v mean : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (s_of v mean) (1 + v) / 2) (/ s_of v mean).
Definition nu_changed (v mean gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (s_of v mean) (1 + v) / 2 + 2 * gap * s_of v mean) (/ s_of v mean).
(* The means mu 0 >= mu a of the proof, the instance D, and Q a, in which arm a alone is changed. *)
Definition instances_of_theorem_8 (v : R) (K : nat) (mu : nat -> R) (D : nat -> probability_measure real_numbers)
  (Q : nat -> nat -> probability_measure real_numbers) :=
  (forall a, (a < K)%nat -> 0 < mu a <= mu 0%nat /\ nu v (mu a) (D a)) /\ mu 0%nat <= 1 / 2 /\
  forall a, (a < K)%nat -> let gap := mu 0%nat - mu a in
  0 < gap -> mu a / 5 <= gap <= mu a / 2 /\ nu_changed v (mu a) gap (Q a a) /\
    forall b, (b < K)%nat -> b <> a -> nu v (mu b) (Q a b).

Section Arm.
Variables v m : R.
Hypotheses (v01 : 0 < v <= 1) (m0 : 0 < m <= 1 / 2).

Lemma s_inside : 0 < s_of v m <= 1.
Proof.
split; [apply exp_pos|]. unfold s_of, Rpower. apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0; lra].
assert (L : ln (2 * m) <= 0) by (rewrite <- ln_1; apply ln_le; lra).
assert (0 < 1 / v) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

Lemma s_power : Rpower (s_of v m) (1 + v) = 2 * m * s_of v m.
Proof.
rewrite Rpower_plus, Rpower_1 by apply exp_pos. unfold s_of at 2. rewrite Rpower_mult.
replace (1 / v * v) with 1 by (field; lra). rewrite Rpower_1 by lra. ring.
Qed.

Lemma nu_mean P : nu v m P -> mean_reward P = m.
Proof.
unfold nu. rewrite s_power. intros H. assert (S := s_inside). rewrite (two_valued_mean _ _ _ H). field. lra.
Qed.

Lemma nu_moment P : nu v m P -> moment_at_most_1 v P.
Proof.
intros H. assert (S := s_inside). split; [apply (H (abs_power (1 + v)))|].
rewrite (two_valued_moment _ _ _ H) by (apply Rinv_0_lt_compat; lra).
unfold Rpower at 2. rewrite ln_Rinv by lra. replace ((1 + v) * - ln (s_of v m)) with (- ((1 + v) * ln (s_of v m))) by ring.
rewrite exp_Ropp. fold (Rpower (s_of v m) (1 + v)). rewrite s_power.
replace (2 * m * s_of v m / 2 * / (2 * m * s_of v m)) with (1 / 2) by (field; lra). lra.
Qed.

Variable gap : R.
Hypothesis close : 0 < gap /\ m / 5 <= gap <= m / 2.

Lemma changed_mean P : nu_changed v m gap P -> mean_reward P = m + 2 * gap.
Proof.
unfold nu_changed. rewrite s_power. intros H. assert (S := s_inside). rewrite (two_valued_mean _ _ _ H). field. lra.
Qed.

Lemma variation P P' : nu v m P -> nu_changed v m gap P' -> total_variation_at_most P P' (2 * gap * s_of v m).
Proof.
intros H H'. apply (two_valued_variation _ _ _ _ _ H H'). assert (S := s_inside).
assert (0 <= 2 * gap * s_of v m) by (repeat apply Rmult_le_pos; lra). rewrite Rabs_left1; lra.
Qed.

(* 16 10^(2/v) eps^2 gap^(1 + 2/v) bounds the price of a pull, divided by the gap. *)
Lemma variation_below : (2 * gap * s_of v m) * (2 * gap * s_of v m) <= 4 * Rpower 10 (2 / v) * (gap * Rpower gap (1 + 2 / v)).
Proof.
assert (S := s_inside). assert (I : 0 < 1 / v) by (apply Rdiv_lt_0_compat; lra).
assert (L : s_of v m <= Rpower 10 (1 / v) * Rpower gap (1 / v)).
{ rewrite Rpower_mult_distr by lra. unfold s_of. apply Rle_Rpower_l; [lra|split; lra]. }
replace (2 / v) with (1 / v + 1 / v) by (field; lra). rewrite <- Rplus_assoc, !Rpower_plus, Rpower_1 by lra.
set (x := Rpower 10 (1 / v)) in *. set (y := Rpower gap (1 / v)) in *.
replace (4 * (x * x) * (gap * (gap * y * y))) with ((2 * gap * (x * y)) * (2 * gap * (x * y))) by ring.
assert (0 <= 2 * gap * s_of v m) by (apply Rmult_le_pos; lra).
assert (2 * gap * s_of v m <= 2 * gap * (x * y)) by (apply Rmult_le_compat_l; lra).
apply Rmult_le_compat; lra.
Qed.
End Arm.

Section ManyArms.
Variables (v eps : R) (Z : sample_space) (K : nat) (alg : nat -> local_algorithm real_numbers Z K eps) (mu : nat -> R)
  (D : nat -> probability_measure real_numbers) (Q : nat -> nat -> probability_measure real_numbers).
Hypotheses (v01 : 0 < v <= 1) (e01 : 0 < eps <= 1) (K1 : (1 <= K)%nat) (I : instances_of_theorem_8 v K mu D Q).

Lemma means a : (a < K)%nat -> 0 < mu a <= 1 / 2 /\ mean_reward (D a) = mu a.
Proof.
intros L. destruct I as (P & H & _). destruct (P a L) as (B & N). assert (M : 0 < mu a <= 1 / 2) by lra.
split; [exact M|now apply (nu_mean v (mu a) v01 M)].
Qed.

Lemma gaps a : (a < K)%nat -> gap_of K D a = mu 0%nat - mu a.
Proof.
intros L. unfold gap_of. rewrite (highest_is _ (K - 1) 0); [|lia|].
- rewrite (proj2 (means 0 ltac:(lia))), (proj2 (means a L)). reflexivity.
- intros b B. rewrite (proj2 (means 0 ltac:(lia))), (proj2 (means b ltac:(lia))). destruct I as (P & _).
  destruct (P b ltac:(lia)) as (X & _). lra.
Qed.

Variable a : nat.
Hypotheses (L : (a < K)%nat) (g0 : 0 < mu 0%nat - mu a).
Let gap := mu 0%nat - mu a.

Lemma changed_gaps b : (b < K)%nat -> b <> a -> gap <= gap_of K (Q a) b.
Proof.
intros B N. destruct I as (P & H & C). destruct (C a L g0) as (R0 & NC & O). destruct (means a L) as (Ma & _).
assert (X : mean_reward (Q a a) = mu a + 2 * gap) by apply (changed_mean v (mu a) v01 Ma gap _ NC).
assert (Y : forall c, (c < K)%nat -> c <> a -> mean_reward (Q a c) = mu c).
{ intros c Lc Nc. apply (nu_mean v (mu c) v01 (proj1 (means c Lc))). now apply O. }
assert (top : forall c, (c < K)%nat -> mu c <= mu 0%nat) by (intros c Lc; destruct (P c Lc) as (W & _); lra).
unfold gap_of. rewrite (highest_is _ (K - 1) a); [|lia|].
- rewrite X, (Y b B N). assert (T := top b B). unfold gap. lra.
- intros c Lc. rewrite X. destruct (Nat.eq_dec c a) as [->|Nc]; [rewrite X; lra|].
  rewrite (Y c ltac:(lia) Nc). assert (T := top c ltac:(lia)). unfold gap. lra.
Qed.

Hypotheses (V : forall T, pulls_measurable (alg T) D) (V' : forall T, pulls_measurable (alg T) (Q a)).
Hypotheses (S : below_all_powers (fun T => regret (alg T) D T)) (S' : below_all_powers (fun T => regret (alg T) (Q a) T)).

Lemma one_arm : liminf_per_log (fun T => gap * expected (alg T) D T (pulls_of Z a))
  (1 / (16 * Rpower 10 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v))).
Proof.
destruct I as (P & H & C). destruct (C a L g0) as (R0 & NC & O). destruct (means a L) as (Ma & _).
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra). assert (A : 0 < Rpower 10 (2 / v)) by apply exp_pos.
assert (B : 0 < Rpower gap (1 + 2 / v)) by apply exp_pos.
set (price := 16 * Rpower 10 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v)).
assert (P0 : 0 < price) by (unfold price; repeat apply Rmult_lt_0_compat; lra).
unfold Rdiv. rewrite Rmult_1_l.
apply (regret_per_log _ (fun T => regret (alg T) D T) (fun T => regret (alg T) (Q a) T) gap price); auto.
intros T. assert (R := regrets Z K eps (alg T) D (Q a) ltac:(lra) (V T) (V' T) a gap (2 * gap * s_of v (mu a)) T L g0).
assert (Same : forall b, (b < K)%nat -> b <> a -> total_variation_at_most (D b) (Q a b) 0).
{ intros b Lb N. apply (two_valued_variation _ _ _ _ _ (proj2 (P b Lb)) (O b Lb N)). rewrite Rminus_eq_0, Rabs_R0. lra. }
assert (cl : 0 < gap /\ mu a / 5 <= gap <= mu a / 2) by (unfold gap; split; lra).
specialize (R Same (variation v (mu a) v01 Ma gap cl _ _ (proj2 (P a L)) NC)).
specialize (R (Req_le _ _ (eq_sym (gaps a L))) changed_gaps). apply Rle_trans with (2 := R). apply Rmult_le_compat_l.
{ assert (X := pos_INR T). assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). lra. }
apply exp_le, Ropp_le_contravar. set (n := expected (alg T) D T (pulls_of Z a)).
assert (n0 : 0 <= n) by (apply (expected_pulls Z K eps (alg T) D a T (V T))).
replace (price * (gap * n)) with (price * gap * n) by ring. apply Rmult_le_compat_r; [exact n0|].
replace ((exp eps - 1) * (2 * gap * s_of v (mu a)) * ((exp eps - 1) * (2 * gap * s_of v (mu a)))) with
  ((exp eps - 1) * (exp eps - 1) * ((2 * gap * s_of v (mu a)) * (2 * gap * s_of v (mu a)))) by ring.
assert (X := exp_twice eps ltac:(lra)). assert (Y := variation_below v (mu a) v01 Ma gap cl).
apply Rle_trans with (2 * eps * (2 * eps) * (4 * Rpower 10 (2 / v) * (gap * Rpower gap (1 + 2 / v)))).
- apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rle_0_sqr| |exact Y]. apply Rmult_le_compat; lra.
- unfold price. right. ring.
Qed.
End ManyArms.

(* The sum over Delta_a > 0. *)
Definition over_gaps (K : nat) (mu : nat -> R) (f : R -> R) : R :=
  sum_to K (fun a => if Rlt_dec 0 (mu 0%nat - mu a) then f (mu 0%nat - mu a) else 0).

Theorem theorem_8_raised v eps (Z : sample_space) K (alg : nat -> local_algorithm real_numbers Z K eps) (mu : nat -> R)
  (D : nat -> probability_measure real_numbers) (Q : nat -> nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < eps <= 1 -> (1 <= K)%nat -> instances_of_theorem_8 v K mu D Q ->
  (forall T, pulls_measurable (alg T) D) -> below_all_powers (fun T => regret (alg T) D T) ->
  (forall a, (a < K)%nat -> 0 < mu 0%nat - mu a -> (forall T, pulls_measurable (alg T) (Q a)) /\
    below_all_powers (fun T => regret (alg T) (Q a) T)) ->
  (forall a, (a < K)%nat -> mean_reward (D a) = mu a /\ moment_at_most_1 v (D a) /\ mu 0%nat - mu a < 1 / 5) /\
  liminf_per_log (fun T => regret (alg T) D T)
    (over_gaps K mu (fun gap => 1 / (16 * Rpower 10 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v)))).
Proof.
intros v01 e01 K1 I V S C. split.
- intros a L. destruct (means v K mu D Q v01 I a L) as (M & ->). split; [reflexivity|].
  destruct I as (P & H & C'). split; [now apply (nu_moment v (mu a) v01 M), P|].
  destruct (Rle_lt_dec (mu 0%nat - mu a) 0) as [N|N]; [lra|]. destruct (C' a L N) as (X & _). lra.
- unfold regret, over_gaps. apply liminf_sum. intros a L. rewrite (gaps v K mu D Q v01 K1 I a L).
  destruct (Rlt_dec 0 (mu 0%nat - mu a)) as [G|G].
  + destruct (C a L G) as [V' S']. now apply (one_arm v eps Z K alg mu D Q v01 e01 K1 I a L G V V' S S').
  + assert (E : mu 0%nat - mu a = 0) by (destruct I as (P & _); destruct (P a L) as (B & _); lra).
    rewrite E. intros e E0. exists 0%nat. intros T _. unfold Rdiv. rewrite !Rmult_0_l. lra.
Qed.

Theorem theorem_8 v eps (Z : sample_space) K (alg : nat -> local_algorithm real_numbers Z K eps) (mu : nat -> R)
  (D : nat -> probability_measure real_numbers) (Q : nat -> nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < eps <= 1 -> (1 <= K)%nat -> instances_of_theorem_8 v K mu D Q ->
  (forall T, pulls_measurable (alg T) D) -> below_all_powers (fun T => regret (alg T) D T) ->
  (forall a, (a < K)%nat -> 0 < mu 0%nat - mu a -> (forall T, pulls_measurable (alg T) (Q a)) /\
    below_all_powers (fun T => regret (alg T) (Q a) T)) ->
  (forall a, (a < K)%nat -> mean_reward (D a) = mu a /\ moment_at_most_1 v (D a) /\ mu 0%nat - mu a < 1 / 5) /\
  liminf_per_log (fun T => regret (alg T) D T)
    (1 / (16 * Rpower 10 (2 / v)) * (1 / eps ^ 2 * over_gaps K mu (fun gap => Rpower (1 / gap) (1 / v)))).
Proof.
intros v01 e01 K1 I V S C. destruct (theorem_8_raised v eps Z K alg mu D Q v01 e01 K1 I V S C) as [M L].
split; [exact M|]. apply liminf_smaller with (2 := L). unfold over_gaps.
rewrite <- !sum_to_scaled. apply sum_to_le. intros a La. destruct (Rlt_dec 0 (mu 0%nat - mu a)) as [G|G]; [|lra].
set (gap := mu 0%nat - mu a) in *. assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra).
assert (A : 0 < Rpower 10 (2 / v)) by apply exp_pos. assert (B : 0 < Rpower gap (1 + 2 / v)) by apply exp_pos.
assert (gl : gap <= 1). { destruct I as (P & H & _). destruct (P a La) as (X & _). unfold gap. lra. }
assert (L0 : ln gap <= 0) by (rewrite <- ln_1; apply ln_le; lra). assert (I0 : 0 < 1 / v) by (apply Rdiv_lt_0_compat; lra).
assert (Y : Rpower (1 / gap) (1 / v) = / Rpower gap (1 / v)).
{ unfold Rpower. replace (1 / gap) with (/ gap) by (field; lra). rewrite ln_Rinv by lra.
  replace (1 / v * - ln gap) with (- (1 / v * ln gap)) by ring. apply exp_Ropp. }
assert (B1 : 0 < Rpower gap (1 / v)) by apply exp_pos.
assert (Le : Rpower gap (1 + 2 / v) <= Rpower gap (1 / v)).
{ unfold Rpower. apply exp_le. replace (1 + 2 / v) with (1 / v + (1 / v + 1)) by (field; lra). nra. }
rewrite Y. replace (1 / (16 * Rpower 10 (2 / v)) * (1 / eps ^ 2 * / Rpower gap (1 / v))) with
  (/ (16 * Rpower 10 (2 / v) * eps ^ 2) * / Rpower gap (1 / v)) by (field; repeat split; lra).
replace (1 / (16 * Rpower 10 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v))) with
  (/ (16 * Rpower 10 (2 / v) * eps ^ 2) * / Rpower gap (1 + 2 / v)) by (field; repeat split; lra).
apply Rmult_le_compat_l; [|now apply Rinv_le_contravar].
left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra.
Qed.

(** * The hypotheses can hold together *)

(* Instances for every v and K: the best arm has the mean 1/2, and all others 2/5. *)
Definition two_means (a : nat) : R := if Nat.eqb a 0 then 1 / 2 else 2 / 5.

Section Family.
Variable v : R.
Hypothesis v01 : 0 < v <= 1.

Lemma first_inside : 0 <= Rpower (s_of v (1 / 2)) (1 + v) / 2 <= 1.
Proof. rewrite s_power by lra. assert (S := s_inside v (1 / 2) v01). lra. Qed.
Lemma second_inside : 0 <= Rpower (s_of v (2 / 5)) (1 + v) / 2 <= 1.
Proof. rewrite s_power by lra. assert (S := s_inside v (2 / 5) v01). lra. Qed.
Lemma changed_inside : 0 <= Rpower (s_of v (2 / 5)) (1 + v) / 2 + 2 * (1 / 2 - 2 / 5) * s_of v (2 / 5) <= 1.
Proof. rewrite s_power by lra. assert (S := s_inside v (2 / 5) v01). lra. Qed.
Definition best := pays _ (/ s_of v (1 / 2)) first_inside.
Definition other := pays _ (/ s_of v (2 / 5)) second_inside.
Definition these (a : nat) := if Nat.eqb a 0 then best else other.
Definition others (i a : nat) := if Nat.eqb a i then pays _ (/ s_of v (2 / 5)) changed_inside else these a.

Lemma these_are K : instances_of_theorem_8 v K two_means these others.
Proof.
assert (N : forall a, nu v (two_means a) (these a)).
{ intros a. unfold nu, two_means, these, best, other. destruct (Nat.eqb a 0); apply pays_two_valued. }
split; [|split].
- intros a _. split; [unfold two_means; simpl; destruct (Nat.eqb a 0); lra|apply N].
- unfold two_means. simpl. lra.
- intros a _ gap G. unfold gap, two_means, others in *. simpl in *. rewrite Nat.eqb_refl. destruct (Nat.eqb a 0) eqn:A; [lra|].
  split; [lra|]. split; [apply pays_two_valued|]. intros c _ D. destruct (Nat.eqb_spec c a); [easy|apply N].
Qed.
End Family.

Lemma small_regret_8 : exists alg : nat -> local_algorithm real_numbers one_toss 2 1,
  below_all_powers (fun T => regret (alg T) (these 1 v_1) T) /\ below_all_powers (fun T => regret (alg T) (others 1 v_1 1) T).
Proof.
assert (K1 : (1 <= 2)%nat) by lia. assert (H := these_are 1 v_1 2). set (these := these 1 v_1) in *. set (others := others 1 v_1) in *.
assert (G0 := gaps 1 2 two_means these others v_1 K1 H 0 ltac:(lia)).
assert (G1 := gaps 1 2 two_means these others v_1 K1 H 1 ltac:(lia)). unfold two_means in G0, G1. simpl Nat.eqb in G0, G1. cbv iota in G0, G1.
assert (G0' := changed_gaps 1 2 two_means these others v_1 K1 H 1 ltac:(lia) ltac:(unfold two_means; simpl; lra) 0 ltac:(lia) ltac:(lia)).
unfold two_means in G0'. simpl Nat.eqb in G0'. cbv iota in G0'.
assert (M0 : mean_reward (others 1%nat 0%nat) = 1 / 2) by (apply (nu_mean 1 (1 / 2)); [lra|lra|apply pays_two_valued]).
assert (M1 : mean_reward (others 1%nat 1%nat) = 2 / 5 + 2 * (1 / 2 - 2 / 5)).
{ apply (changed_mean 1 (2 / 5) v_1 ltac:(lra) (1 / 2 - 2 / 5)), pays_two_valued. }
assert (G1' : gap_of 2 (others 1%nat) 1 = 0).
{ unfold gap_of. rewrite (highest_is _ (2 - 1) 1); [lra|lia|]. intros [|[|a]] L; [| |lia]; lra. }
assert (S := s_inside 1 (2 / 5) v_1 ltac:(lra)).
apply (some_learner _ _ (/ s_of 1 (2 / 5)) (proj1 (second_inside 1 v_1))) with (2 := proj2 (changed_inside 1 v_1)); try apply pays_two_valued; try lra.
apply Rinv_neq_0_compat. lra.
Qed.

Lemma theorem_8_raised_witness : satisfiable theorem_8_raised.
Proof.
destruct small_regret_8 as (alg & S & S').
exists 1, 1, one_toss, 2%nat, alg, two_means, (these 1 v_1), (others 1 v_1).
split; [lra|]. split; [lra|]. split; [lia|]. split; [exact (these_are 1 v_1 2)|].
split; [intros T T' f; apply bits_measurable|]. split; [exact S|]. split.
- intros [|[|a]] L G; [|split; [intros T T' f; apply bits_measurable|exact S']|lia].
  unfold two_means in G. simpl in G. lra.
- split; [exists 0%nat; lia|exists 1; lra].
Qed.

Lemma theorem_8_witness : satisfiable theorem_8.
Proof. exact theorem_8_raised_witness. Qed.
