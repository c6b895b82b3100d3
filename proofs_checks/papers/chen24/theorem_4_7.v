(* Appendix H: the change of measure, Lemma H.1 with its constants, and what follows from it for consistent policies. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits best_arm_policies satisfiable.
Import ListNotations.
Open Scope R_scope.

(** * Policies that recommend an arm *)

Section Policy.
Variables (W : sample_space) (K : nat) (pol : bai_policy W K).
(* The expectation after T pulls, where D a is the law of the rewards of arm a. *)
Definition after_pulls (D : nat -> probability_measure W) (T : nat) (f : seen W -> R) : R :=
  run W K (pick pol) (fun _ a => D a) T [] f.
Definition recommended (D : nat -> probability_measure W) (T a : nat) : R := after_pulls D T (fun h => recommend pol h a).
Definition expected_pulls_of (D : nat -> probability_measure W) (T i : nat) : R := after_pulls D T (pulls_of W i).
(* What Fubini's theorem says of a measurable policy. *)
Definition policy_measurable (D : nat -> probability_measure W) (T : nat) : Prop :=
  (forall i, run_measurable W K (pick pol) (fun _ a => D a) T [] (pulls_of W i)) /\
  forall a (g : R -> R), (a < K)%nat -> (forall x, continuous g x) ->
  run_measurable W K (pick pol) (fun _ a => D a) T [] (fun h => g (recommend pol h a)).
End Policy.
Arguments after_pulls {W K}.
Arguments recommended {W K}.
Arguments expected_pulls_of {W K}.
Arguments policy_measurable {W K}.

Section Transport.
Variables (W : sample_space) (K : nat) (pol : bai_policy W K) (nu nu' : nat -> probability_measure W) (i a T : nat).
Hypotheses (iK : (i < K)%nat) (same : forall b, (b < K)%nat -> b <> i -> nu b = nu' b).
Hypotheses (V : policy_measurable pol nu T) (V' : policy_measurable pol nu' T).
Let law (D : nat -> probability_measure W) (h : seen W) (b : nat) := D b.

Lemma recommend_inside (h : seen W) b : (b < K)%nat -> 0 <= recommend pol h b <= 1.
Proof.
intros L. destruct (recommend_chooses pol h) as [P S]. split; [apply P|]. rewrite <- S.
apply (sum_to_term K (recommend pol h) b); auto.
Qed.

(* Where arm i is hardly pulled, little changes. *)
Lemma coupled k h f : (forall h', 0 <= f h' <= 1) -> run_measurable W K (pick pol) (law nu) k h f ->
  run_measurable W K (pick pol) (law nu') k h f -> run_measurable W K (pick pol) (law nu) k h (pulls_of W i) ->
  run W K (pick pol) (law nu) k h f + pulls_of W i h <=
  run W K (pick pol) (law nu') k h f + run W K (pick pol) (law nu) k h (pulls_of W i).
Proof.
intros B. revert h. induction k as [|k IH]; intros h M M' C; [simpl; lra|].
assert (C0 := pick_chooses pol). simpl. rewrite <- sum_to_plus.
rewrite <- (average_of_constant W K (pick pol) C0 h (pulls_of W i h)), <- sum_to_plus. apply sum_to_le. intros b L.
rewrite <- !Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply C0|].
assert (Fb : forall h', length h' = (S k + length h)%nat -> 0 <= f h' <= 1) by (intros; apply B).
assert (Cb : forall h' : seen W, length h' = (S k + length h)%nat -> 0 <= pulls_of W i h' <= INR (S k + length h)).
{ intros h' E. rewrite <- E. apply pulls_inside. }
assert (F1 := next_has_mean W K (pick pol) C0 (law nu) (nu b) k h f 0 1 b Fb M L).
assert (F2 := next_has_mean W K (pick pol) C0 (law nu') (nu b) k h f 0 1 b Fb M' L).
assert (F2' := next_has_mean W K (pick pol) C0 (law nu') (nu' b) k h f 0 1 b Fb M' L).
assert (F3 := next_has_mean W K (pick pol) C0 (law nu) (nu b) k h (pulls_of W i) 0 _ b Cb C L).
unfold law. unfold law in F1, F2, F2', F3.
assert (Step : forall w, run W K (pick pol) (law nu) k ((b, w) :: h) f + pulls_of W i ((b, w) :: h) <=
  run W K (pick pol) (law nu') k ((b, w) :: h) f + run W K (pick pol) (law nu) k ((b, w) :: h) (pulls_of W i)).
{ intros w. apply IH; [apply (M b L)|apply (M' b L)|apply (C b L)]. }
set (x := if Nat.eqb i b then 1 else 0).
assert (One : mean (nu b) (fun w => run W K (pick pol) (law nu) k ((b, w) :: h) f) + (pulls_of W i h + x) <=
  mean (nu b) (fun w => run W K (pick pol) (law nu') k ((b, w) :: h) f) +
  mean (nu b) (fun w => run W K (pick pol) (law nu) k ((b, w) :: h) (pulls_of W i))).
{ rewrite <- (mean_const W (nu b) (pulls_of W i h + x)).
  rewrite <- !mean_plus by (assumption || apply has_mean_const).
  apply mean_le; [apply has_mean_plus; [exact F1|apply has_mean_const]|now apply has_mean_plus|exact Step]. }
destruct (Nat.eqb_spec i b) as [->|N].
- assert (A : mean (nu b) (fun w => run W K (pick pol) (law nu') k ((b, w) :: h) f) <= 1).
  { apply Rle_trans with (mean (nu b) (fun _ => 1)); [|rewrite mean_const; lra].
    apply mean_le; [exact F2|apply has_mean_const|]. intros w.
    apply (run_inside W K (pick pol) C0 (law nu') k _ f 0 1); [intros; apply B|apply (M' b L)]. }
  assert (A' : 0 <= mean (nu' b) (fun w => run W K (pick pol) (law nu') k ((b, w) :: h) f)).
  { apply mean_positive; [exact F2'|]. intros w.
    apply (run_inside W K (pick pol) C0 (law nu') k _ f 0 1); [intros; apply B|apply (M' b L)]. }
  unfold x in One. unfold law in *. lra.
- unfold x in One. rewrite <- (same b L) by auto. unfold law in *. lra.
Qed.

Variable kl : R.
Hypothesis close : 0 < expected_pulls_of pol nu T i -> divergence_at_most (nu i) (nu' i) kl.

Lemma transport_bound : (a < K)%nat -> 0 < recommended pol nu T a ->
  exp (- (expected_pulls_of pol nu T i * kl + ln 2) / recommended pol nu T a) <= recommended pol nu' T a.
Proof.
intros L P. assert (C0 := pick_chooses pol). destruct V as [Vp Vr], V' as [Vp' Vr'].
assert (Id : forall x, continuous (fun y : R => y) x) by (intros; apply continuous_id).
set (rec := fun h => recommend pol h a). set (p := recommended pol nu T a) in *. set (p' := recommended pol nu' T a).
assert (B : forall h, 0 <= rec h <= 1) by (intros; now apply recommend_inside).
assert (Mr := Vr a (fun y => y) L Id). assert (Mr' := Vr' a (fun y => y) L Id). cbv beta in Mr, Mr'.
assert (p1 : 0 <= p <= 1) by (apply (run_inside W K (pick pol) C0 _ T [] rec); [intros; apply B|exact Mr]).
assert (p1' : 0 <= p' <= 1) by (apply (run_inside W K (pick pol) C0 _ T [] rec); [intros; apply B|exact Mr']).
assert (l2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
set (n := expected_pulls_of pol nu T i) in *.
assert (n0 : 0 <= n).
{ apply (run_inside W K (pick pol) C0 _ T [] (pulls_of W i) 0 (INR (T + 0))); [|apply Vp].
  intros h E. simpl in E. rewrite <- E. apply pulls_inside. }
destruct (Rle_lt_dec n 0) as [N|N].
- (* the same probability *)
  assert (n = 0) by lra. assert (H' := coupled T [] rec B Mr Mr' (Vp i)). simpl pulls_of in H'.
  assert (G : p <= p') by (unfold p, p', recommended, n, expected_pulls_of, after_pulls, rec, law in *; lra).
  rewrite H, Rmult_0_l, Rplus_0_l. apply Rle_trans with (2 := G).
  rewrite <- (exp_ln p) at 2 by exact P. apply exp_le. apply Rmult_le_reg_r with p; [exact P|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (Lp := ln_below (/ p) 2 (Rinv_0_lt_compat p P) ltac:(lra)). rewrite ln_Rinv in Lp by exact P.
  apply (Rmult_le_compat_l p) in Lp; [|lra]. replace (p * (/ p / 2 - 1 + ln 2)) with (1 / 2 - p + p * ln 2) in Lp by (field; lra).
  assert (Q : 1 / 2 <= ln 2).
  { assert (Z := ln_below (/ 2) 1 ltac:(lra) ltac:(lra)). rewrite ln_Rinv, ln_1 in Z by lra. lra. }
  nra.
- specialize (close N).
  assert (kl0 : 0 <= kl).
  { assert (X := close (fun _ => 0) 0 0 (variable_const W 0) ltac:(intros; lra)). cbv beta in X.
    rewrite !mean_const, exp_0, ln_1 in X. lra. }
  set (d := fun b => if Nat.eqb b i then kl else 0).
  assert (Close : forall (h : seen W) b, (b < K)%nat -> divergence_at_most (nu b) (nu' b) (d b)).
  { intros h b Lb. unfold d. destruct (Nat.eqb_spec b i) as [->|Nb]; [exact close|]. rewrite (same b Lb Nb).
    intros f low high Vf Bf. (* Jensen *)
    assert (E : forall w, exp low <= exp (f w) <= exp high) by (intros w; specialize (Bf w); split; apply exp_le; lra).
    assert (Ef : random_variable (fun w => exp (f w))).
    { apply (variable_continuous W exp); [|exact Vf]. intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
    assert (Fe := bounded_has_mean W (nu' b) _ (exp low) (exp high) Ef E).
    assert (Ff := bounded_has_mean W (nu' b) f low high Vf Bf).
    set (N0 := mean (nu' b) (fun w => exp (f w))).
    assert (N1 : 0 < N0).
    { apply Rlt_le_trans with (exp low); [apply exp_pos|]. unfold N0. rewrite <- (mean_const W (nu' b) (exp low)).
      apply mean_le; [apply has_mean_const|exact Fe|apply E]. }
    rewrite Rplus_0_r. apply Rle_trans with (mean (nu' b) (fun w => / N0 * exp (f w) + (ln N0 - 1))).
    - apply mean_le; [exact Ff|now apply has_mean_affine|]. intros w.
      assert (Z := ln_below (exp (f w)) N0 (exp_pos _) N1). rewrite ln_exp in Z. unfold Rdiv in Z. lra.
    - rewrite mean_affine by exact Fe. fold N0. right. field. lra. }
  assert (dp : forall b, (b < K)%nat -> 0 <= d b) by (intros b _; unfold d; destruct (Nat.eqb b i); lra).
  assert (Sum : sum_to K (fun b => d b * run W K (pick pol) (law nu) T [] (pulls_of W b)) = n * kl).
  { rewrite (sum_to_same K _ (fun b => if Nat.eqb b i then n * kl else 0)); [now apply sum_to_one|].
    intros b _. unfold d. destruct (Nat.eqb_spec b i) as [->|_]; [unfold n, expected_pulls_of, after_pulls, law; ring|ring]. }
  assert (One : forall x, 0 <= x -> x * p <= ln (1 - p' + p' * exp x) + n * kl).
  { intros x X. assert (Ex : forall y : R, continuous (fun y => exp (x * y)) y).
    { intros y. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
    assert (I : forall h : seen W, length h = (T + length (@nil (nat * W)))%nat -> 0 <= rec h <= 1) by (intros; apply B).
    assert (I1 : forall h : seen W, length h = (T + length (@nil (nat * W)))%nat -> 1 <= (fun _ : seen W => 1) h <= 1) by (intros; lra).
    destruct (constant_run W K (pick pol) C0 (law nu) T [] 1) as [K1 K2].
    destruct (constant_run W K (pick pol) C0 (law nu') T [] 1) as [K1' K2'].
    destruct (run_linear W K (pick pol) C0 (law nu) T [] rec (fun _ => 1) 0 1 1 1 x 0 I I1 Mr K1) as [M1 E1].
    destruct (run_linear W K (pick pol) C0 (law nu') T [] rec (fun _ => 1) 0 1 1 1 (exp x - 1) 1 I I1 Mr' K1') as [M2 E2].
    rewrite K2 in E1. rewrite K2' in E2.
    assert (Me : run_measurable W K (pick pol) (law nu') T [] (fun h => exp (x * rec h + 0 * 1))).
    { apply (run_measurable_same W K (pick pol) (law nu') T [] (fun h => exp (x * recommend pol h a))); [|exact (Vr' a _ L Ex)].
      intros h _. f_equal. unfold rec. ring. }
    assert (H := divergence_of_all W K (pick pol) C0 (law nu) (law nu') d Close dp (fun h => x * rec h + 0 * 1) 0 x T
      ltac:(intros h _; specialize (B h); nra) M1 Me (fun b _ => Vp b)).
    rewrite Sum, E1 in H. apply Rle_trans with (x * p + 0 * 1); [lra|]. apply Rle_trans with (1 := H). apply Rplus_le_compat_r.
    assert (Z : forall h, 1 <= exp (x * rec h + 0 * 1) <= exp x).
    { intros h. specialize (B h). split; [rewrite <- exp_0|]; apply exp_le; nra. }
    apply ln_le.
    - apply Rlt_le_trans with 1; [lra|]. apply (run_inside W K (pick pol) C0 (law nu') T [] _ 1 (exp x)); [intros; apply Z|exact Me].
    - apply Rle_trans with (run W K (pick pol) (law nu') T [] (fun h => (exp x - 1) * rec h + 1 * 1)).
      2: { right. etransitivity; [exact E2|]. change (run W K (pick pol) (law nu') T [] rec) with p'. ring. }
      assert (e1 : 1 <= exp x) by (rewrite <- exp_0; now apply exp_le).
      apply (run_le W K (pick pol) C0 (law nu') T [] _ _ 1 (exp x) 1 (exp x)); auto.
      + intros h _. specialize (B h). nra.
      + intros h _. replace (x * rec h + 0 * 1) with (rec h * x) by ring. assert (Ch := exp_chord (rec h) x (B h)). lra. }
  destruct (Rle_lt_dec p' 0) as [Z|Z].
  + exfalso. assert (Zero : p' = 0) by lra. assert (X := One ((n * kl + 1) / p) ltac:(apply Rle_mult_inv_pos; nra)).
    rewrite Zero in X. replace (1 - 0 + 0 * exp ((n * kl + 1) / p)) with 1 in X by ring. rewrite ln_1 in X.
    replace ((n * kl + 1) / p * p) with (n * kl + 1) in X by (field; lra). lra.
  + assert (I := Rinv_0_lt_compat p' Z).
    assert (X0 : 0 <= ln (/ p')).
    { rewrite <- ln_1. apply ln_le; [lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (X := One (ln (/ p')) X0). rewrite exp_ln in X by exact I. replace (p' * / p') with 1 in X by (field; lra).
    assert (Y : ln (1 - p' + 1) <= ln 2) by (apply ln_le; lra).
    rewrite ln_Rinv in X by exact Z. rewrite <- (exp_ln p') by exact Z. apply exp_le.
    apply Rmult_le_reg_r with p; [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.
End Transport.

Theorem transport (W : sample_space) K (pol : bai_policy W K) (nu nu' : nat -> probability_measure W) i a T kl :
  (i < K)%nat -> (a < K)%nat -> (forall b, (b < K)%nat -> b <> i -> nu b = nu' b) ->
  (0 < expected_pulls_of pol nu T i -> divergence_at_most (nu i) (nu' i) kl) ->
  policy_measurable pol nu T -> policy_measurable pol nu' T -> 0 < recommended pol nu T a ->
  exp (- (expected_pulls_of pol nu T i * kl + ln 2) / recommended pol nu T a) <= recommended pol nu' T a.
Proof. intros. now apply transport_bound. Qed.

(** * The instances (95) *)

(* Rewards are 1 with probability q, and else 0; q is meant to be in [0, 1]. *)
Definition chance_in_range (q : R) : R := Rmax 0 (Rmin 1 q).
Lemma chance_inside q : 0 <= chance_in_range q <= 1.
Proof. unfold chance_in_range, Rmax, Rmin. destruct (Rle_dec 1 q), (Rle_dec _ _); lra. Qed.
Definition bernoulli (q : R) : probability_measure real_numbers := pays (chance_in_range q) 1 (chance_inside q).
Definition bernoulli_arms (mu : nat -> R) (a : nat) : probability_measure real_numbers := bernoulli (mu a).

(* The probability that another arm than b is recommended, if arm a has the mean mu a. *)
Definition error {K : nat} (pol : bai_policy real_numbers K) (mu : nat -> R) (b T : nat) : R :=
  1 - recommended pol (bernoulli_arms mu) T b.

(* The largest i f(Delta_(i)) over 2 <= i <= K, where b is the best arm: Delta_(i) is the gap of an arm j, and i is the
   number of arms, arm b included, whose gaps are at most that of j. (Of equal gaps the last one counts, which has the
   largest i.) Features along the axes have d = K, so the maxima of (15) are over all i. *)
Definition rank (K : nat) (mu : nat -> R) (b j : nat) : R :=
  sum_to K (fun k => if Rle_dec (mu b - mu k) (mu b - mu j) then 1 else 0).
Definition hardness (K : nat) (mu : nat -> R) (b : nat) (f : R -> R) : R :=
  highest (fun j => if Nat.eqb j b then 0 else rank K mu b j * f (mu b - mu j)) (K - 1).
Definition H_BAI (K : nat) (mu : nat -> R) (b : nat) : R := hardness K mu b (fun gap => 1 / gap ^ 2).
Definition H_pri (K : nat) (mu : nat -> R) (b : nat) (eps : R) : R := hardness K mu b (fun gap => 1 / (eps * gap)).

(* gamma_(k+1) = gamma_1 K^k; the means of instance 0, and of the instance in which arm i is raised. *)
Definition gam (g : R) (K k : nat) : R := g * INR K ^ k.
Definition lowered (g : R) (K k : nat) : R := 1 / 2 - gam g K k.
Definition one_raised (g : R) (K i k : nat) : R := if Nat.eqb k i then 1 / 2 + gam g K k else 1 / 2 - gam g K k.

Lemma highest_at_most x n c : (forall k, (k <= n)%nat -> x k <= c) -> highest x n <= c.
Proof. induction n as [|n IH]; simpl; intros H; [now apply H|]. apply Rmax_lub; [apply IH; auto|apply H; lia]. Qed.

Section Hard.
Variables (K : nat) (g : R).
Hypotheses (K4 : (4 <= K)%nat) (g0 : 0 < g) (small : gam g K (K - 1) <= 1 / 64).

Lemma K_4 : 4 <= INR K.
Proof. replace 4 with (INR 4) by (simpl; ring). now apply le_INR. Qed.

Lemma gam_positive k : 0 < gam g K k.
Proof. assert (X := K_4). apply Rmult_lt_0_compat; [exact g0|]. apply pow_lt. lra. Qed.

Lemma gam_grows j k : (j < k)%nat -> INR K * gam g K j <= gam g K k.
Proof.
intros L. assert (X := K_4). unfold gam. replace k with (S j + (k - S j))%nat by lia. rewrite pow_add. simpl.
assert (P : 0 < INR K ^ j) by (apply pow_lt; lra). assert (Q : 1 <= INR K ^ (k - S j)) by (apply pow_R1_Rle; lra).
replace (g * (INR K * INR K ^ j * INR K ^ (k - S j))) with (INR K * (g * INR K ^ j) * INR K ^ (k - S j)) by ring.
assert (0 < INR K * (g * INR K ^ j)) by (repeat apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma gam_below j k : (j <= k)%nat -> gam g K j <= gam g K k.
Proof.
intros L. destruct (Nat.eq_dec j k) as [->|N]; [lra|]. assert (X := K_4). assert (P := gam_positive j).
assert (G := gam_grows j k ltac:(lia)). nra.
Qed.

Lemma gam_small k : (k < K)%nat -> gam g K k <= 1 / 64.
Proof. intros L. apply Rle_trans with (2 := small). apply gam_below. lia. Qed.

Lemma sum_below n j : (j < n)%nat -> sum_to n (fun k => if Nat.leb k j then 1 else 0) = INR (S j).
Proof.
induction n as [|n IH]; intros L; [lia|]. simpl sum_to. destruct (Nat.eq_dec j n) as [->|N].
- rewrite (sum_to_same n _ (fun _ => 1)).
  + rewrite sum_to_const, Nat.leb_refl, S_INR. ring.
  + intros k Lk. destruct (Nat.leb_spec k n); [reflexivity|lia].
- rewrite IH by lia. destruct (Nat.leb_spec n j); [lia|ring].
Qed.

Variable i : nat.
Hypothesis iK : (0 < i < K)%nat.
Notation mu := (one_raised g K i).

Lemma raised_gap_is j : j <> i -> mu i - mu j = gam g K i + gam g K j.
Proof. intros N. unfold one_raised. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec j i); [easy|]. lra. Qed.

Lemma rank_below j : (j < i)%nat -> rank K mu i j <= INR i + 1.
Proof.
intros L. unfold rank.
apply Rle_trans with (sum_to K (fun k => (if Nat.leb k j then 1 else 0) + if Nat.eqb k i then 1 else 0)).
- apply sum_to_le. intros k Lk. rewrite (raised_gap_is j) by lia.
  destruct (Nat.eqb_spec k i) as [->|N]; [destruct (Rle_dec _ _), (Nat.leb i j); lra|].
  rewrite (raised_gap_is k N). destruct (Nat.leb_spec k j); [destruct (Rle_dec _ _); lra|].
  destruct (Rle_dec _ _) as [H'|H']; [|lra]. assert (X := K_4). assert (P := gam_positive j).
  assert (G := gam_grows j k ltac:(lia)). nra.
- rewrite sum_to_plus, sum_below, sum_to_one by lia. assert (INR (S j) <= INR i) by (apply le_INR; lia). lra.
Qed.

Lemma rank_at_most j : rank K mu i j <= INR K.
Proof.
unfold rank. replace (INR K) with (INR K * 1) by ring. rewrite <- sum_to_const. apply sum_to_le. intros k _.
destruct (Rle_dec _ _); lra.
Qed.

Lemma rank_first : 2 <= rank K mu i 0.
Proof.
unfold rank. apply Rle_trans with (sum_to K (fun k => (if Nat.eqb k 0 then 1 else 0) + if Nat.eqb k i then 1 else 0)).
- rewrite sum_to_plus, !sum_to_one by lia. lra.
- apply sum_to_le. intros k Lk. assert (P := gam_positive i). assert (P0 := gam_positive 0). rewrite (raised_gap_is 0) by lia.
  destruct (Nat.eqb_spec k 0) as [->|N0].
  + destruct (Nat.eqb_spec 0 i); [lia|]. rewrite (raised_gap_is 0) by lia. destruct (Rle_dec _ _); lra.
  + destruct (Nat.eqb_spec k i) as [->|Ni]; [|destruct (Rle_dec _ _); lra].
    rewrite Rminus_eq_0. destruct (Rle_dec _ _); lra.
Qed.

Lemma hardness_above : 1 / (2 * gam g K (K - 1) ^ 2) <= H_BAI K mu i.
Proof.
assert (P := gam_positive i). assert (P0 := gam_positive 0). assert (PK := gam_positive (K - 1)).
assert (Ai := gam_below i (K - 1) ltac:(lia)). assert (A0 := gam_below 0 (K - 1) ltac:(lia)).
apply Rle_trans with (2 := highest_above _ (K - 1) 0 ltac:(lia)). destruct (Nat.eqb_spec 0 i); [lia|].
rewrite (raised_gap_is 0) by lia. set (x := gam g K i + gam g K 0). set (G := gam g K (K - 1)) in *.
assert (x0 : 0 < x <= 2 * G) by (unfold x; lra).
assert (Q : 1 / (2 * G) ^ 2 <= 1 / x ^ 2).
{ unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; [nra|simpl; nra]. }
assert (Q0 : 0 < 1 / (2 * G) ^ 2) by (apply Rdiv_lt_0_compat; [lra|simpl; nra]).
replace (1 / (2 * G ^ 2)) with (2 * (1 / (2 * G) ^ 2)) by (field; lra).
assert (R := rank_first). apply Rmult_le_compat; lra.
Qed.

Lemma hardness_below : H_BAI K mu i <= (INR i + 1) / gam g K i ^ 2.
Proof.
assert (P := gam_positive i). assert (X := K_4). assert (i0 := pos_INR i).
assert (P2 : 0 < gam g K i ^ 2) by now apply pow_lt.
apply highest_at_most. intros j L. destruct (Nat.eqb_spec j i) as [->|N]; [apply Rle_mult_inv_pos; lra|].
rewrite (raised_gap_is j N). assert (Pj := gam_positive j). set (x := gam g K i + gam g K j).
assert (x0 : 0 < x /\ gam g K i <= x /\ gam g K j <= x) by (unfold x; lra). destruct x0 as (x0 & xi & xj). assert (x2 : 0 < x ^ 2) by now apply pow_lt. clearbody x.
assert (Positive : 0 <= rank K mu i j).
{ apply Rle_trans with (INR K * 0); [lra|]. unfold rank. rewrite <- sum_to_const. apply sum_to_le. intros k _.
  destruct (Rle_dec _ _); lra. }
apply Rmult_le_reg_r with (x ^ 2 * gam g K i ^ 2); [now apply Rmult_lt_0_compat|].
replace (rank K mu i j * (1 / x ^ 2) * (x ^ 2 * gam g K i ^ 2)) with (rank K mu i j * gam g K i ^ 2)
  by (field; repeat split; apply Rgt_not_eq; assumption).
replace ((INR i + 1) / gam g K i ^ 2 * (x ^ 2 * gam g K i ^ 2)) with ((INR i + 1) * x ^ 2)
  by (field; lra).
destruct (Nat.lt_ge_cases j i) as [Lj|Lj].
- apply Rmult_le_compat; [exact Positive|lra|now apply rank_below|]. apply pow_incr. lra.
- assert (G := gam_grows i j ltac:(lia)). assert (R := rank_at_most j).
  apply Rle_trans with (INR K * gam g K i ^ 2); [apply Rmult_le_compat_r; lra|].
  apply Rle_trans with (1 * x ^ 2); [|apply Rmult_le_compat_r; lra]. rewrite Rmult_1_l.
  assert (K * 1 <= K * K)%nat by nia. assert (INR K * gam g K i <= x) by lra.
  apply Rle_trans with ((INR K * gam g K i) ^ 2); [|apply pow_incr; split; [apply Rmult_le_pos; lra|assumption]].
  rewrite Rpow_mult_distr. apply Rmult_le_compat_r; [lra|]. simpl. nra.
Qed.
End Hard.

Lemma bernoulli_divergence y : 0 < y <= 1 / 64 -> divergence_at_most (bernoulli (1 / 2 - y)) (bernoulli (1 / 2 + y)) (9 * y ^ 2).
Proof.
intros Y f low high _ _. unfold bernoulli. cbn [mean pays].
assert (E : chance_in_range (1 / 2 - y) = 1 / 2 - y).
{ unfold chance_in_range. rewrite Rmin_right, Rmax_right; lra. }
assert (E' : chance_in_range (1 / 2 + y) = 1 / 2 + y).
{ unfold chance_in_range. rewrite Rmin_right, Rmax_right; lra. }
rewrite E, E'. set (p := 1 / 2 - y). set (q := 1 / 2 + y). set (N := q * exp (f 1) + (1 - q) * exp (f 0)).
assert (A1 := exp_pos (f 1)). assert (A0 := exp_pos (f 0)). assert (p0 : 0 < p < 1 /\ 0 < q < 1) by (unfold p, q; lra).
assert (N0 : 0 < N) by (unfold N; apply Rplus_lt_0_compat; apply Rmult_lt_0_compat; lra).
assert (I := Rinv_0_lt_compat N N0).
assert (B1 := ln_below (q * exp (f 1) * / N) p ltac:(repeat apply Rmult_lt_0_compat; lra) ltac:(lra)).
assert (B0 := ln_below ((1 - q) * exp (f 0) * / N) (1 - p) ltac:(repeat apply Rmult_lt_0_compat; lra) ltac:(lra)).
rewrite !ln_mult, ln_exp, ln_Rinv in B1, B0 by (try apply Rmult_lt_0_compat; lra).
apply (Rmult_le_compat_l p) in B1; [|lra]. apply (Rmult_le_compat_l (1 - p)) in B0; [|lra].
replace (p * (q * exp (f 1) * / N / p - 1 + ln p)) with (q * exp (f 1) * / N - p + p * ln p) in B1 by (field; lra).
replace ((1 - p) * ((1 - q) * exp (f 0) * / N / (1 - p) - 1 + ln (1 - p))) with
  ((1 - q) * exp (f 0) * / N - (1 - p) + (1 - p) * ln (1 - p)) in B0 by (field; lra).
assert (One : q * exp (f 1) * / N + (1 - q) * exp (f 0) * / N = 1) by (unfold N; field; fold N; lra).
assert (Sq : 1 - p = q /\ 1 - q = p) by (unfold p, q; lra). destruct Sq as [S1 S2]. rewrite S1, S2 in *.
assert (D : (q - p) * (ln q - ln p) <= 9 * y ^ 2).
{ assert (Z := ln_below q p ltac:(lra) ltac:(lra)). assert (W : q - p = 2 * y) by (unfold p, q; lra).
  assert (Z' : ln q - ln p <= 9 / 2 * y).
  { apply Rle_trans with (q / p - 1); [lra|]. replace (q / p - 1) with ((q - p) / p) by (field; lra). rewrite W.
    apply Rmult_le_reg_r with p; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold p. nra. }
  rewrite W. replace (9 * y ^ 2) with (2 * y * (9 / 2 * y)) by field. apply Rmult_le_compat_l; lra. }
assert (Whole : p * ln N + q * ln N = ln N).
{ replace (p * ln N + q * ln N) with ((p + q) * ln N) by ring. replace (p + q) with 1 by (unfold p, q; lra). ring. }
assert (PQ : p + q = 1) by (unfold p, q; lra). lra.
Qed.

Lemma harmonic n : ln (INR n + 1) - ln 2 <= sum_to n (fun k => if Nat.eqb k 0 then 0 else / (INR k + 1)).
Proof.
induction n as [|n IH]; [simpl; rewrite Rplus_0_l, ln_1; assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra); lra|].
simpl sum_to. rewrite S_INR. destruct n as [|n]; [simpl; replace (0 + 1 + 1) with 2 by ring; lra|].
assert (P := pos_INR (S n)). cbn [Nat.eqb]. set (x := INR (S n)) in *.
assert (L := ln_below (x + 1 + 1) (x + 1) ltac:(lra) ltac:(lra)).
replace ((x + 1 + 1) / (x + 1) - 1) with (/ (x + 1)) in L by (field; lra). lra.
Qed.

Lemma reals_measurable K (pol : bai_policy real_numbers K) D T : policy_measurable pol D T.
Proof. split; intros; apply all_measurable; intros; exact I. Qed.

Theorem lemma_h_1_explicit K g (pol : bai_policy real_numbers K) T :
  (4 <= K)%nat -> 0 < g -> gam g K (K - 1) <= 1 / 64 -> 1 / 2 <= recommended pol (bernoulli_arms (lowered g K)) T 0 ->
  (forall i, (0 < i < K)%nat -> ln 4 * ln (INR K) * H_BAI K (one_raised g K i) i < INR T) ->
  exists i, (0 < i < K)%nat /\
    exp (- (37 * INR T / (ln (INR K) * H_BAI K (one_raised g K i) i))) < error pol (one_raised g K i) i T.
Proof.
intros K4 g0 small Half Large. assert (X := K_4 K K4). set (D := bernoulli_arms (lowered g K)) in *.
set (n := fun i => expected_pulls_of pol D T i). assert (l4 : ln 4 = 2 * ln 2).
{ replace 4 with (2 * 2) by ring. rewrite ln_mult by lra. ring. }
assert (l2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (lK : 2 * ln 2 <= ln (INR K)) by (rewrite <- l4; apply ln_le; lra).
assert (n0 : forall i, 0 <= n i).
{ intros i. apply (run_inside real_numbers K (pick pol) (pick_chooses pol) _ T [] (pulls_of real_numbers i) 0 (INR (T + 0)));
    [|apply reals_measurable]. intros h E. simpl in E. rewrite <- E. apply pulls_inside. }
assert (Total : sum_to K n = INR T).
{ apply (total_pulls real_numbers K (pick pol) (pick_chooses pol)). intros a _. apply reals_measurable. }
assert (Ex : exists i, (0 < i < K)%nat /\ n i * (ln (INR K) * (INR i + 1)) <= 2 * INR T).
{ apply Classical_Prop.NNPP. intros No.
  assert (Big : forall i, (i < K)%nat -> 2 * INR T / ln (INR K) * (if Nat.eqb i 0 then 0 else / (INR i + 1)) <= n i).
  { intros i L. destruct (Nat.eqb_spec i 0) as [->|N]; [rewrite Rmult_0_r; apply n0|].
    destruct (Rle_lt_dec (n i * (ln (INR K) * (INR i + 1))) (2 * INR T)) as [B|B]; [exfalso; apply No; exists i; split; [lia|exact B]|].
    assert (i0 := pos_INR i). apply Rmult_le_reg_r with (ln (INR K) * (INR i + 1)); [apply Rmult_lt_0_compat; lra|].
    replace (2 * INR T / ln (INR K) * / (INR i + 1) * (ln (INR K) * (INR i + 1))) with (2 * INR T) by (field; lra). lra. }
  apply sum_to_le in Big. rewrite sum_to_scaled, Total in Big. assert (H := harmonic K).
  assert (T0 : 0 < INR T).
  { assert (L := Large 1%nat ltac:(lia)). apply Rle_lt_trans with (2 := L).
    assert (A := hardness_above K g K4 g0 1 ltac:(lia)). assert (G := gam_positive K g K4 g0 (K - 1)).
    assert (G2 : 0 < gam g K (K - 1) ^ 2) by now apply pow_lt.
    assert (0 <= 1 / (2 * gam g K (K - 1) ^ 2)) by (apply Rle_mult_inv_pos; lra).
    repeat apply Rmult_le_pos; lra. }
  assert (lK1 : ln (INR K) < ln (INR K + 1)) by (apply ln_increasing; lra).
  assert (c0 : 0 < 2 * INR T / ln (INR K)) by (apply Rdiv_lt_0_compat; lra).
  assert (2 * INR T / ln (INR K) * (ln (INR K) / 2) < INR T).
  { apply Rlt_le_trans with (2 := Big). apply Rmult_lt_compat_l; [exact c0|]. lra. }
  replace (2 * INR T / ln (INR K) * (ln (INR K) / 2)) with (INR T) in H0 by (field; lra). lra. }
destruct Ex as (i & Li & Few). exists i. split; [exact Li|]. specialize (Large i Li).
set (mu := one_raised g K i) in *. set (H := H_BAI K mu i) in *. assert (G := gam_positive K g K4 g0 i).
assert (Up := hardness_below K g K4 g0 i Li). fold mu H in Up. assert (i0 := pos_INR i).
assert (H0 : 0 < H).
{ apply Rlt_le_trans with (2 := hardness_above K g K4 g0 i Li). assert (GK := gam_positive K g K4 g0 (K - 1)).
  apply Rdiv_lt_0_compat; [lra|]. assert (0 < gam g K (K - 1) ^ 2) by now apply pow_lt. lra. }
assert (lH : 0 < ln (INR K) * H) by (apply Rmult_lt_0_compat; lra).
set (r := INR T / (ln (INR K) * H)).
assert (r4 : ln 4 < r).
{ unfold r. apply Rmult_lt_reg_r with (ln (INR K) * H); [exact lH|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; lra. }
assert (G2 : 0 < gam g K i ^ 2) by now apply pow_lt.
assert (Bound : n i * (9 * gam g K i ^ 2) <= 18 * r).
{ unfold r. apply Rmult_le_reg_r with (ln (INR K) * H); [exact lH|].
  replace (18 * (INR T / (ln (INR K) * H)) * (ln (INR K) * H)) with (18 * INR T) by (field; lra).
  assert (H * gam g K i ^ 2 <= INR i + 1).
  { apply (Rmult_le_compat_r (gam g K i ^ 2)) in Up; [|lra]. unfold Rdiv in Up. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Up by lra. exact Up. }
  replace (n i * (9 * gam g K i ^ 2) * (ln (INR K) * H)) with (9 * (n i * ln (INR K)) * (H * gam g K i ^ 2)) by ring.
  apply Rle_trans with (9 * (n i * ln (INR K)) * (INR i + 1)).
  - apply Rmult_le_compat_l; [|assumption]. assert (0 <= n i * ln (INR K)) by (apply Rmult_le_pos; [apply n0|lra]). lra.
  - lra. }
assert (Same : forall b, (b < K)%nat -> b <> i -> D b = bernoulli_arms mu b).
{ intros b _ N. unfold D, bernoulli_arms, lowered, mu, one_raised. destruct (Nat.eqb_spec b i); [easy|reflexivity]. }
assert (KL : 0 < expected_pulls_of pol D T i -> divergence_at_most (D i) (bernoulli_arms mu i) (9 * gam g K i ^ 2)).
{ intros _. unfold D, bernoulli_arms, lowered, mu, one_raised. rewrite Nat.eqb_refl. apply bernoulli_divergence.
  split; [exact G|apply (gam_small K g K4 g0 small); lia]. }
set (p := recommended pol D T 0) in *.
assert (Tr := transport real_numbers K pol D (bernoulli_arms mu) i 0 T _ ltac:(lia) ltac:(lia) Same KL
  (reals_measurable K pol D T) (reals_measurable K pol _ T) ltac:(fold p; lra)). fold p in Tr. fold (n i) in Tr.
assert (Err : recommended pol (bernoulli_arms mu) T 0 <= error pol mu i T).
{ unfold error, recommended, after_pulls. set (law := fun (_ : seen real_numbers) (a : nat) => bernoulli_arms mu a).
  assert (I0 : forall b, (b < K)%nat -> forall h : seen real_numbers, length h = (T + length (@nil (nat * real_numbers)))%nat -> 0 <= recommend pol h b <= 1)
    by (intros; now apply recommend_inside).
  assert (A : forall f, run_measurable real_numbers K (pick pol) law T [] f) by (intros; apply all_measurable; intros; exact I).
  destruct (run_linear real_numbers K (pick pol) (pick_chooses pol) law T [] (fun h => recommend pol h 0%nat) (fun h => recommend pol h i)
    0 1 0 1 1 1 (I0 0%nat ltac:(lia)) (I0 i ltac:(lia)) (A _) (A _)) as [_ E].
  assert (L : run real_numbers K (pick pol) law T [] (fun h => 1 * recommend pol h 0%nat + 1 * recommend pol h i) <= 1).
  { apply (run_inside real_numbers K (pick pol) (pick_chooses pol) law T [] _ 0 1); [|apply A]. intros h Lh.
    destruct (recommend_chooses pol h) as [Pr One]. assert (P1 := Pr 0%nat). assert (P2 := Pr i). split; [lra|].
    apply Rle_trans with (sum_to K (recommend pol h)); [|rewrite One; lra].
    apply Rle_trans with (sum_to K (fun k => (if Nat.eqb k 0 then recommend pol h 0%nat else 0) + if Nat.eqb k i then recommend pol h i else 0)).
    - rewrite sum_to_plus, !sum_to_one by lia. lra.
    - apply sum_to_le. intros k _. assert (Pk := Pr k). destruct (Nat.eqb_spec k 0) as [->|N0].
      + destruct (Nat.eqb_spec 0 i); [lia|lra].
      + destruct (Nat.eqb_spec k i) as [->|_]; lra. }
  rewrite E in L. lra. }
apply Rlt_le_trans with (2 := Err), Rlt_le_trans with (2 := Tr). apply exp_increasing.
replace (37 * INR T / (ln (INR K) * H)) with (37 * r) by (unfold r; field; lra).
assert (p0 : 0 < p) by lra. apply Rmult_lt_reg_r with p; [exact p0|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (r0 : 0 < r) by lra. assert (37 * r / 2 <= 37 * r * p) by nra. lra.
Qed.

(** * Consistent policies *)

(* An instance of P' with Bernoulli rewards, K > 3 arms along the axes of K dimensions, and the only best arm b. *)
Definition best_arm (K : nat) (mu : nat -> R) (b : nat) := (4 <= K)%nat /\ (b < K)%nat /\
  (forall a, (a < K)%nat -> 0 <= mu a <= 1) /\ forall a, (a < K)%nat -> a <> b -> mu a < mu b.
(* pol k T is the policy for K = k + 1 arms and the budget T. Definition 4.6, on these instances. *)
Definition consistent (pol : forall k : nat, nat -> bai_policy real_numbers (S k)) := forall k mu b,
  best_arm (S k) mu b -> forall e, 0 < e -> exists T0, forall T, (T0 <= T)%nat -> error (pol k T) mu b T < e.

Section Consistent.
Variable pol : forall k : nat, nat -> bai_policy real_numbers (S k).
Hypothesis fine : consistent pol.

Section Instances.
Variables (k : nat) (g : R).
Notation K := (S k).
Hypotheses (K4 : (4 <= K)%nat) (g0 : 0 < g) (small : gam g K (K - 1) <= 1 / 64).

Lemma lowered_best : best_arm K (lowered g K) 0.
Proof.
split; [exact K4|]. split; [lia|]. split.
- intros a L. assert (A := gam_positive K g K4 g0 a). assert (B := gam_small K g K4 g0 small a L). unfold lowered. lra.
- intros a L N. assert (A := gam_positive K g K4 g0 0). assert (B := gam_grows K g K4 g0 0 a ltac:(lia)).
  assert (X := K_4 K K4). unfold lowered. nra.
Qed.

Lemma raised_best i : (0 < i < K)%nat -> best_arm K (one_raised g K i) i.
Proof.
intros I. split; [exact K4|]. split; [lia|]. split.
- intros a L. assert (A := gam_positive K g K4 g0 a). assert (B := gam_small K g K4 g0 small a L). unfold one_raised.
  destruct (Nat.eqb a i); lra.
- intros a L N. assert (A := gam_positive K g K4 g0 a). assert (B := gam_positive K g K4 g0 i). unfold one_raised.
  rewrite Nat.eqb_refl. destruct (Nat.eqb_spec a i); [easy|lra].
Qed.

Lemma hard_instances : exists T0, forall T, (T0 <= T)%nat -> exists i, (0 < i < K)%nat /\
  exp (- (37 * INR T / (ln (INR K) * H_BAI K (one_raised g K i) i))) < error (pol k T) (one_raised g K i) i T.
Proof.
destruct (fine k (lowered g K) 0%nat lowered_best (1 / 2) ltac:(lra)) as (T1 & H1). assert (X := K_4 K K4).
assert (l4 : 0 < ln 4) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (lK : 0 < ln (INR K)) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (g2 : 0 < g ^ 2) by now apply pow_lt.
destruct (archimed (ln 4 * ln (INR K) * (INR K / g ^ 2))) as [U _].
exists (Nat.max T1 (Z.to_nat (up (ln 4 * ln (INR K) * (INR K / g ^ 2))))). intros T L.
apply lemma_h_1_explicit; auto.
- specialize (H1 T ltac:(lia)). unfold error in H1. lra.
- intros i I. assert (B := hardness_below K g K4 g0 i I). assert (G := gam_below K g K4 g0 0 i ltac:(lia)).
  assert (Gg : gam g K 0 = g) by (unfold gam; simpl; ring). rewrite Gg in G.
  apply Rle_lt_trans with (ln 4 * ln (INR K) * (INR K / g ^ 2)).
  + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 := B).
    assert (INR i + 1 <= INR K) by (rewrite <- S_INR; apply le_INR; lia). assert (i0 := pos_INR i).
    apply Rmult_le_compat; [lra| |lra|].
    * left. apply Rinv_0_lt_compat. apply pow_lt. lra.
    * apply Rinv_le_contravar; [exact g2|]. apply pow_incr. lra.
  + assert (P : 0 <= ln 4 * ln (INR K) * (INR K / g ^ 2)).
    { repeat apply Rmult_le_pos; try lra. left. now apply Rinv_0_lt_compat. }
    apply Rlt_le_trans with (INR (Z.to_nat (up (ln 4 * ln (INR K) * (INR K / g ^ 2))))); [|apply le_INR; lia].
    rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id; [lra|]. apply le_IZR. lra.
Qed.

Lemma private_hardness i eps : (0 < i < K)%nat -> 0 < eps ->
  0 <= H_pri K (one_raised g K i) i eps <= 2 * gam g K (K - 1) / eps * H_BAI K (one_raised g K i) i.
Proof.
intros I E. assert (Gi := gam_positive K g K4 g0 i). assert (Bi := gam_below K g K4 g0 i (K - 1) ltac:(lia)).
assert (GK := gam_positive K g K4 g0 (K - 1)).
assert (Rk : forall j, 0 <= rank K (one_raised g K i) i j).
{ intros j. apply Rle_trans with (INR K * 0); [lra|]. unfold rank. rewrite <- sum_to_const. apply sum_to_le. intros m _.
  destruct (Rle_dec _ _); lra. }
split.
- apply Rle_trans with (2 := highest_above _ (K - 1) i ltac:(lia)). rewrite Nat.eqb_refl. lra.
- apply highest_at_most. intros j L. destruct (Nat.eqb_spec j i) as [->|N].
  + apply Rmult_le_pos; [apply Rle_mult_inv_pos; lra|].
    apply Rle_trans with (2 := highest_above _ (K - 1) i ltac:(lia)). rewrite Nat.eqb_refl. lra.
  + apply Rle_trans with (2 * gam g K (K - 1) / eps * (rank K (one_raised g K i) i j * (1 / (one_raised g K i i - one_raised g K i j) ^ 2))).
    * rewrite (raised_gap_is K g i j N). assert (Gj := gam_positive K g K4 g0 j).
      assert (Bj := gam_below K g K4 g0 j (K - 1) ltac:(lia)).
      assert (x0 : 0 < gam g K i + gam g K j <= 2 * gam g K (K - 1)) by lra. set (x := gam g K i + gam g K j) in *.
      set (G := gam g K (K - 1)) in *. set (r := rank K (one_raised g K i) i j) in *.
      replace (r * (1 / (eps * x))) with (x / eps * (r * (1 / x ^ 2))) by (field; split; lra).
      apply Rmult_le_compat_r.
      -- apply Rmult_le_pos; [apply Rk|]. apply Rle_mult_inv_pos; [lra|]. apply pow_lt. lra.
      -- apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
    * apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; lra|].
      assert (A := highest_above (fun j => if Nat.eqb j i then 0 else rank K (one_raised g K i) i j *
        (1 / (one_raised g K i i - one_raised g K i j) ^ 2)) (K - 1) j ltac:(lia)). cbv beta in A.
      destruct (Nat.eqb_spec j i); [easy|exact A].
Qed.
End Instances.

(* For every K there are instances with gaps as small as one likes. *)
Lemma some_gamma K G : (4 <= K)%nat -> 0 < G -> exists g, 0 < g /\ gam g K (K - 1) = G.
Proof.
intros K4 P. assert (X := K_4 K K4). assert (Q : 0 < INR K ^ (K - 1)) by (apply pow_lt; lra).
exists (G / INR K ^ (K - 1)). split; [now apply Rdiv_lt_0_compat|]. unfold gam. field. lra.
Qed.

Lemma hard_for k G : let K := S k in (4 <= K)%nat -> 0 < G <= 1 / 64 ->
  exists T0, forall T, (T0 <= T)%nat -> exists mu b, best_arm K mu b /\ 1 / (2 * G ^ 2) <= H_BAI K mu b /\
    (forall eps, 0 < eps -> 0 <= H_pri K mu b eps <= 2 * G / eps * H_BAI K mu b) /\
    exp (- (37 * INR T / (ln (INR K) * H_BAI K mu b))) < error (pol k T) mu b T.
Proof.
intros K K4 [G0 G1]. destruct (some_gamma K G K4 G0) as (g & g0 & E). assert (small : gam g K (K - 1) <= 1 / 64) by lra.
destruct (hard_instances k g K4 g0 small) as (T0 & H). exists T0. intros T L. destruct (H T L) as (i & I & Err).
exists (one_raised g K i), i. split; [now apply raised_best|]. rewrite <- E.
split; [now apply (hardness_above K g)|]. split; [intros eps E0; now apply private_hardness|exact Err].
Qed.
End Consistent.

(* (82) and (83): for every eps, which the instances do not depend on. *)
Theorem corollary_h_2 (pol : forall k : nat, nat -> bai_policy real_numbers (S k)) (K0 : nat) (H0 : R) : consistent pol ->
  exists T0, forall T, (T0 <= T)%nat -> exists k mu b, let K := S k in (K0 <= K)%nat /\ best_arm K mu b /\
    H0 < H_BAI K mu b /\ exp (- (401 * INR T / (ln (INR K) * H_BAI K mu b))) < error (pol k T) mu b T.
Proof.
intros C. set (k := Nat.max K0 4). set (K := S k). set (G := / (64 * (Rabs H0 + 1))). assert (A := Rabs_pos H0).
assert (G1 : 0 < G <= 1 / 64).
{ unfold G. split; [apply Rinv_0_lt_compat; lra|]. replace (1 / 64) with (/ 64) by field. apply Rinv_le_contravar; lra. }
destruct (hard_for pol C k G ltac:(unfold k; lia) G1) as (T0 & H). exists (Nat.max T0 1). intros T L.
destruct (H T ltac:(lia)) as (mu & b & B & Hard & _ & Err). exists k, mu, b. cbv zeta in *. fold K in Hard, Err |- *.
assert (Big : Rabs H0 + 1 <= 1 / (2 * G ^ 2)).
{ replace (1 / (2 * G ^ 2)) with (/ G * / G / 2) by (field; lra). unfold G. rewrite Rinv_inv. nra. }
assert (Abs := Rle_abs H0). split; [unfold K, k; lia|]. split; [exact B|]. split; [lra|].
apply Rlt_trans with (2 := Err). apply exp_increasing, Ropp_lt_contravar.
assert (K4 := K_4 K ltac:(unfold K, k; lia)). assert (lK : 0 < ln (INR K)) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (P : 0 < ln (INR K) * H_BAI K mu b) by (apply Rmult_lt_0_compat; lra).
assert (T1 : 0 < INR T) by (apply lt_0_INR; lia).
apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra].
Qed.

(* eps is part of an instance: pol eps k T. *)
Theorem lemma_h_1 (pol : R -> forall k : nat, nat -> bai_policy real_numbers (S k)) (K0 : nat) (H0 : R) :
  (forall eps, 0 < eps < 1 -> consistent (pol eps)) ->
  exists T0, forall T, (T0 <= T)%nat -> exists eps k mu b, let K := S k in 0 < eps < 1 /\ (K0 <= K)%nat /\
    best_arm K mu b /\ H0 < H_BAI K mu b /\
    exp (- (401 * INR T / (ln (INR K) * H_BAI K mu b))) < error (pol eps k T) mu b T.
Proof.
intros C. assert (half : 0 < 1 / 2 < 1) by lra.
destruct (corollary_h_2 (pol (1 / 2)) K0 H0 (C _ half)) as (T0 & H). exists T0. intros T L.
destruct (H T L) as (k & mu & b & X). exists (1 / 2), k, mu, b. split; [exact half|exact X].
Qed.

(* x is at least a x^beta from some x on. *)
Lemma power_below a beta x : 0 < a -> 0 <= beta < 1 -> Rmax 1 (Rpower a (/ (1 - beta))) <= x -> a * Rpower x beta <= x.
Proof.
intros A B X. assert (X1 : 1 <= x) by (apply Rle_trans with (2 := X), Rmax_l).
assert (X2 : Rpower a (/ (1 - beta)) <= x) by (apply Rle_trans with (2 := X), Rmax_r).
assert (P : 0 < Rpower a (/ (1 - beta))) by apply exp_pos. apply ln_le in X2; [|exact P]. unfold Rpower in X2.
rewrite ln_exp in X2. apply (Rmult_le_compat_l (1 - beta)) in X2; [|lra].
replace ((1 - beta) * (/ (1 - beta) * ln a)) with (ln a) in X2 by (field; lra).
apply Rle_trans with (exp (ln a + beta * ln x)); [rewrite exp_plus, exp_ln by lra; unfold Rpower; lra|].
rewrite <- (exp_ln x) at 2 by lra. apply exp_le. lra.
Qed.

Theorem lemma_h_3 (pol : R -> forall k : nat, nat -> bai_policy real_numbers (S k)) (beta c : R) :
  0 <= beta < 1 -> 0 < c -> (forall eps, 0 < eps < 1 -> consistent (pol eps)) ->
  exists T0, forall T, (T0 <= T)%nat -> exists eps k mu b, let K := S k in 0 < eps < 1 /\ best_arm K mu b /\
    exp (- (INR T / (c * Rpower (ln (INR K)) beta * (H_BAI K mu b + H_pri K mu b eps)))) < error (pol eps k T) mu b T.
Proof.
intros B C0 C. assert (half : 0 < 1 / 2 < 1) by lra.
set (need := Rmax 1 (Rpower (74 * c) (/ (1 - beta)))). destruct (archimed (exp need)) as [U _].
set (k := Nat.max 4 (Z.to_nat (up (exp need)))). set (K := S k). assert (K4 : (4 <= K)%nat) by (unfold K, k; lia).
assert (X := exp_pos need). assert (KX : exp need <= INR K).
{ apply Rle_trans with (INR (Z.to_nat (up (exp need)))); [|apply le_INR; unfold K, k; lia].
  rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id; [lra|]. apply le_IZR. lra. }
apply ln_le in KX; [|exact X]. rewrite ln_exp in KX.
assert (lK : 1 <= ln (INR K)) by (apply Rle_trans with (2 := KX), Rmax_l).
assert (Pw := power_below (74 * c) beta (ln (INR K)) ltac:(lra) B KX).
destruct (hard_for (pol (1 / 2)) (C _ half) k (1 / 64) K4 ltac:(lra)) as (T0 & H). exists T0. intros T L.
destruct (H T L) as (mu & b & Best & Hard & Pri & Err). exists (1 / 2), k, mu, b. cbv zeta in *. fold K in Hard, Pri, Err |- *.
split; [exact half|]. split; [exact Best|]. apply Rle_lt_trans with (2 := Err). apply exp_le, Ropp_le_contravar.
specialize (Pri (1 / 2) ltac:(lra)). set (h := H_BAI K mu b) in *. set (h' := H_pri K mu b (1 / 2)) in *.
assert (h0 : 0 < h) by lra. assert (hh : h' <= h) by lra. set (y := Rpower (ln (INR K)) beta) in *.
assert (y0 : 0 < y) by apply exp_pos. assert (T1 := pos_INR T).
assert (Z0 : 0 < c * y * (h + h')) by (repeat apply Rmult_lt_0_compat; lra).
assert (Z1 : 0 < ln (INR K) * h) by (apply Rmult_lt_0_compat; lra).
apply Rmult_le_reg_r with ((ln (INR K) * h) * (c * y * (h + h'))); [now apply Rmult_lt_0_compat|].
replace (37 * INR T / (ln (INR K) * h) * ((ln (INR K) * h) * (c * y * (h + h')))) with (INR T * (37 * (c * y * (h + h')))) by (field; lra).
replace (INR T / (c * y * (h + h')) * ((ln (INR K) * h) * (c * y * (h + h')))) with (INR T * (ln (INR K) * h))
  by (field; repeat split; lra).
apply Rmult_le_compat_l; [exact T1|]. apply Rle_trans with (74 * c * y * h); [|apply Rmult_le_compat_r; lra].
assert (0 < c * y) by now apply Rmult_lt_0_compat. nra.
Qed.

Theorem lemma_h_4 (pol : R -> forall k : nat, nat -> bai_policy real_numbers (S k)) (beta c : R) :
  0 <= beta < 1 -> 0 < c -> (forall eps, 0 < eps < 1 -> consistent (pol eps)) ->
  exists T0, forall T, (T0 <= T)%nat -> exists eps k mu b, let K := S k in 0 < eps < 1 /\ best_arm K mu b /\
    exp (- (INR T / (c * ln (INR K) * (Rpower (H_BAI K mu b) beta + H_pri K mu b eps)))) < error (pol eps k T) mu b T.
Proof.
intros B C0 C. assert (half : 0 < 1 / 2 < 1) by lra. assert (K4 : (4 <= 4)%nat) by lia.
set (need := Rmax 1 (Rpower (74 * c) (/ (1 - beta)))). assert (n1 : 1 <= need) by apply Rmax_l.
set (G := / (64 * need + 296 * c)). assert (D : 0 < 64 * need + 296 * c) by lra.
assert (G0 : 0 < G) by now apply Rinv_0_lt_compat.
assert (Gl : G <= / 64 /\ G <= / (64 * need) /\ G <= / (296 * c)).
{ unfold G. repeat split; apply Rinv_le_contravar; lra. }
destruct Gl as (Ga & Gb & Gc).
destruct (hard_for (pol (1 / 2)) (C _ half) 3%nat G K4 ltac:(lra)) as (T0 & H). exists T0. intros T L.
destruct (H T L) as (mu & b & Best & Hard & Pri & Err). exists (1 / 2), 3%nat, mu, b. cbv zeta in *.
split; [exact half|]. split; [exact Best|]. apply Rle_lt_trans with (2 := Err). apply exp_le, Ropp_le_contravar.
specialize (Pri (1 / 2) ltac:(lra)). set (h := H_BAI 4 mu b) in *. set (h' := H_pri 4 mu b (1 / 2)) in *.
assert (hn : need <= h).
{ apply Rle_trans with (2 := Hard). replace (1 / (2 * G ^ 2)) with (/ G * / G / 2) by (field; lra).
  assert (I : 64 * need + 296 * c = / G) by (unfold G; rewrite Rinv_inv; ring). rewrite <- I.
  assert (64 * need <= 64 * need + 296 * c) by lra. nra. }
assert (h1 : 1 <= h) by lra. assert (Pw := power_below (74 * c) beta h ltac:(lra) B hn).
assert (Ph : 74 * c * h' <= h).
{ assert (E : 2 * G / (1 / 2) = 4 * G) by field. rewrite E in Pri.
  apply (Rmult_le_compat_l (296 * c)) in Gc; [|lra]. rewrite Rinv_r in Gc by lra.
  apply Rle_trans with (74 * c * (4 * G * h)); [apply Rmult_le_compat_l; lra|].
  replace (74 * c * (4 * G * h)) with (296 * c * G * h) by ring. rewrite <- (Rmult_1_l h) at 2. apply Rmult_le_compat_r; lra. }
set (y := Rpower h beta) in *. assert (y0 : 0 < y) by apply exp_pos. assert (T1 := pos_INR T).
assert (lK : 0 < ln (INR 4)) by (rewrite <- ln_1; apply ln_increasing; simpl; lra). set (l := ln (INR 4)) in *.
assert (Z0 : 0 < c * l * (y + h')) by (repeat apply Rmult_lt_0_compat; lra).
assert (Z1 : 0 < l * h) by (apply Rmult_lt_0_compat; lra).
apply Rmult_le_reg_r with ((l * h) * (c * l * (y + h'))); [now apply Rmult_lt_0_compat|].
replace (37 * INR T / (l * h) * ((l * h) * (c * l * (y + h')))) with (INR T * (37 * (c * l * (y + h')))) by (field; lra).
replace (INR T / (c * l * (y + h')) * ((l * h) * (c * l * (y + h')))) with (INR T * (l * h)) by (field; repeat split; lra).
apply Rmult_le_compat_l; [exact T1|]. replace (37 * (c * l * (y + h'))) with (l * (37 * c * y + 37 * c * h')) by ring.
apply Rmult_le_compat_l; lra.
Qed.

(** * The hypotheses can hold together *)

(* A consistent policy: it pulls all arms with equal probability, and recommends the arm with the largest sum. *)
Section Uniform.
Variable k : nat.
Notation K := (S k).

Fixpoint total (a : nat) (h : seen real_numbers) : R :=
  match h with [] => 0 | (b, x) :: h' => total a h' + if Nat.eqb a b then x else 0 end.
Fixpoint first_largest (x : nat -> R) (n : nat) : nat :=
  match n with O => O | S m => if Rle_dec (x (S m)) (x (first_largest x m)) then first_largest x m else S m end.

Lemma first_largest_below x n : (first_largest x n <= n)%nat.
Proof. induction n as [|n IH]; simpl; [lia|]. destruct (Rle_dec _ _); lia. Qed.

Lemma first_largest_top x n a : (a <= n)%nat -> x a <= x (first_largest x n).
Proof.
induction n as [|n IH]; simpl; intros L; [replace a with O by lia; lra|].
destruct (Nat.eq_dec a (S n)) as [->|N]; [destruct (Rle_dec _ _); lra|]. assert (H := IH ltac:(lia)).
destruct (Rle_dec _ _); lra.
Qed.

Definition equal_share (h : seen real_numbers) (a : nat) : R := / INR K.
Definition largest_total (h : seen real_numbers) (a : nat) : R :=
  if Nat.eqb a (first_largest (fun b => total b h) k) then 1 else 0.

Lemma equal_share_chooses : chooses real_numbers K equal_share.
Proof.
assert (P : 0 < INR K) by (apply lt_0_INR; lia). intros h. split; [intros a; left; now apply Rinv_0_lt_compat|].
unfold equal_share. rewrite sum_to_const. field. lra.
Qed.

Lemma largest_total_chooses : chooses real_numbers K largest_total.
Proof.
intros h. split; [intros a; unfold largest_total; destruct (Nat.eqb _ _); lra|]. apply sum_to_one.
assert (H := first_largest_below (fun b => total b h) k). lia.
Qed.

Definition uniform_policy : bai_policy real_numbers K :=
  {| pick := equal_share; pick_chooses := equal_share_chooses; recommend := largest_total;
     recommend_chooses := largest_total_chooses |}.

Variables (mu : nat -> R) (b : nat).
Hypothesis best : best_arm K mu b.
Notation law := (fun (_ : seen real_numbers) (c : nat) => bernoulli_arms mu c).

Lemma bernoulli_mean c g : (c < K)%nat -> mean (bernoulli_arms mu c) g = mu c * g 1 + (1 - mu c) * g 0.
Proof.
intros L. destruct best as (_ & _ & I & _). specialize (I c L). unfold bernoulli_arms, bernoulli. cbn [mean pays].
unfold chance_in_range. rewrite Rmin_right, Rmax_right; lra.
Qed.

(* The exponential moment of the difference between two sums, for e^lam = w. *)
Lemma moment_of_difference lam a T h : (a < K)%nat -> a <> b ->
  run real_numbers K equal_share law T h (fun h' => exp (lam * (total a h' - total b h'))) =
  exp (lam * (total a h - total b h)) *
    (1 + (mu a * (exp lam - 1) + mu b * (exp (- lam) - 1)) / INR K) ^ T.
Proof.
intros L N. assert (P : 0 < INR K) by (apply lt_0_INR; lia). destruct best as (_ & Lb & _ & _).
set (rho := 1 + (mu a * (exp lam - 1) + mu b * (exp (- lam) - 1)) / INR K).
revert h. induction T as [|T IH]; intros h; [simpl; ring|]. cbn [run]. set (e := exp (lam * (total a h - total b h))).
rewrite (sum_to_same K _ (fun c => / INR K * (e * rho ^ T) * (1 + ((if Nat.eqb c a then mu a * (exp lam - 1) else 0) +
  if Nat.eqb c b then mu b * (exp (- lam) - 1) else 0)))).
- rewrite sum_to_scaled, sum_to_plus, sum_to_plus, sum_to_const, !sum_to_one by assumption.
  change (rho ^ S T) with (rho * rho ^ T). set (r := rho ^ T). clearbody r. unfold rho. field. lra.
- intros c Lc. unfold equal_share at 1. rewrite Rmult_assoc. apply Rmult_eq_compat_l. rewrite (bernoulli_mean c _ Lc), !IH.
  cbn [total]. destruct (Nat.eqb_spec a c) as [->|Na], (Nat.eqb_spec b c) as [->|Nb]; [easy| | |].
  + rewrite Nat.eqb_refl. destruct (Nat.eqb_spec c b); [congruence|].
    replace (lam * (total c h + 1 - (total b h + 0))) with (lam * (total c h - total b h) + lam) by ring.
    replace (lam * (total c h + 0 - (total b h + 0))) with (lam * (total c h - total b h)) by ring.
    rewrite exp_plus. fold e. ring.
  + rewrite Nat.eqb_refl. destruct (Nat.eqb_spec c a); [congruence|].
    replace (lam * (total a h + 0 - (total c h + 1))) with (lam * (total a h - total c h) + - lam) by ring.
    replace (lam * (total a h + 0 - (total c h + 0))) with (lam * (total a h - total c h)) by ring.
    rewrite exp_plus. fold e. ring.
  + destruct (Nat.eqb_spec c a); [congruence|]. destruct (Nat.eqb_spec c b); [congruence|].
    replace (lam * (total a h + 0 - (total b h + 0))) with (lam * (total a h - total b h)) by ring. fold e. ring.
Qed.

(* Some lam makes it small. *)
Lemma small_moment a : (a < K)%nat -> a <> b -> exists lam, 0 < lam /\
  0 <= 1 + (mu a * (exp lam - 1) + mu b * (exp (- lam) - 1)) / INR K < 1.
Proof.
intros L N. destruct best as (K4 & Lb & I & B). specialize (B a L N). assert (Ia := I a L). assert (Ib := I b Lb).
set (y := (mu b - mu a) / 2). assert (y0 : 0 < y) by (unfold y; lra). exists (ln (1 + y)).
split; [rewrite <- ln_1; apply ln_increasing; lra|]. rewrite exp_Ropp, exp_ln by lra.
assert (P : 4 <= INR K) by now apply K_4. assert (V := Rinv_0_lt_compat (1 + y) ltac:(lra)).
assert (Small : mu a * (1 + y - 1) + mu b * (/ (1 + y) - 1) = y * (mu a - mu b * / (1 + y))) by (field; lra).
rewrite Small. assert (v1 : / (1 + y) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
assert (E : (1 + y) * / (1 + y) = 1) by (field; lra).
assert (Neg : mu a - mu b * / (1 + y) < 0).
{ apply Rmult_lt_reg_r with (1 + y); [lra|]. replace ((mu a - mu b * / (1 + y)) * (1 + y)) with (mu a + mu a * y - mu b) by (field; lra).
  unfold y. nra. }
assert (Low : -1 <= mu a - mu b * / (1 + y)) by nra.
assert (Iv := Rinv_0_lt_compat (INR K) ltac:(lra)). assert (i1 : / INR K <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
assert (yl : y <= 1 / 2) by (unfold y; lra). unfold Rdiv. split.
- assert (-1 <= y * (mu a - mu b * / (1 + y))) by nra. nra.
- assert (y * (mu a - mu b * / (1 + y)) < 0) by nra. nra.
Qed.

Lemma sums_vanish n (x : nat -> nat -> R) : (forall a, (a < n)%nat -> forall e, 0 < e -> exists T0, forall T, (T0 <= T)%nat -> x a T < e) ->
  forall e, 0 < e -> exists T0, forall T, (T0 <= T)%nat -> sum_to n (fun a => x a T) < e.
Proof.
induction n as [|n IH]; intros H e E; [exists 0%nat; intros; simpl; lra|].
destruct (IH ltac:(auto) (e / 2) ltac:(lra)) as (T1 & H1). destruct (H n (Nat.lt_succ_diag_r n) (e / 2) ltac:(lra)) as (T2 & H2).
exists (Nat.max T1 T2). intros T L. specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). simpl. lra.
Qed.

Lemma uniform_error e : 0 < e -> exists T0, forall T, (T0 <= T)%nat -> error uniform_policy mu b T < e.
Proof.
assert (All : forall T f, run_measurable real_numbers K equal_share law T [] f) by (intros; apply all_measurable; intros; exact I).
assert (Each : forall a, exists lam rho, 0 < lam /\ 0 <= rho < 1 /\ forall T, (a < K)%nat -> a <> b ->
  run real_numbers K equal_share law T [] (fun h' => exp (lam * (total a h' - total b h'))) = rho ^ T).
{ intros a. destruct (Nat.lt_ge_cases a K) as [L|L]; [|exists 1, 0; repeat split; try lra; intros; lia].
  destruct (Nat.eq_dec a b) as [E|N]; [exists 1, 0; repeat split; try lra; intros; easy|].
  destruct (small_moment a L N) as (lam & L0 & R0). exists lam. eexists. split; [exact L0|]. split; [exact R0|].
  intros T _ _. rewrite (moment_of_difference lam a T [] L N). simpl total.
  replace (lam * (0 - 0)) with 0 by ring. rewrite exp_0. ring. }
(* the error is at most the sum of these *)
intros E. destruct (sums_vanish K (fun a T => if Nat.eqb a b then 0 else run real_numbers K equal_share law T []
  (fun h' => if Rle_dec (total b h') (total a h') then 1 else 0))) with (e := e) as (T0 & H); [|exact E|].
- intros a L e' E'. destruct (Each a) as (lam & rho & L0 & R0 & M).
  destruct (pow_lt_1_zero rho ltac:(rewrite Rabs_right; lra) e' E') as (T0 & H). exists T0. intros T LT.
  destruct (Nat.eqb_spec a b) as [_|N]; [exact E'|]. specialize (H T LT). specialize (M T L N).
  assert (Rp : 0 <= rho ^ T) by (apply pow_le; lra). rewrite Rabs_right in H by lra.
  apply Rle_lt_trans with (2 := H). rewrite <- M.
  (* exp is unbounded in the rewards, so both are compared by induction *)
  assert (Mono : forall m h, run real_numbers K equal_share law m h (fun h' => if Rle_dec (total b h') (total a h') then 1 else 0) <=
    run real_numbers K equal_share law m h (fun h' => exp (lam * (total a h' - total b h')))).
  { induction m as [|m IH]; intros h.
    - simpl. destruct (Rle_dec _ _) as [Y|_]; [|left; apply exp_pos]. rewrite <- exp_0. apply exp_le.
      apply Rmult_le_pos; lra.
    - cbn [run]. apply sum_to_le. intros c Lc. apply Rmult_le_compat_l; [apply (equal_share_chooses h)|].
      rewrite !(bernoulli_mean c _ Lc). destruct best as (_ & _ & In & _). specialize (In c Lc).
      apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|apply IH]). }
  apply Mono.
- exists T0. intros T LT. specialize (H T LT). apply Rle_lt_trans with (2 := H).
  rewrite (sum_to_same K _ (fun a => 1 * (if Nat.eqb a b then 0 else run real_numbers K equal_share law T []
    (fun h' => if Rle_dec (total b h') (total a h') then 1 else 0)))).
  2: { intros a _. destruct (Nat.eqb a b); ring. }
  set (wins := fun (a : nat) (h' : seen real_numbers) => if Nat.eqb a b then 0 else if Rle_dec (total b h') (total a h') then 1 else 0).
  destruct (sums_measurable real_numbers K equal_share equal_share_chooses law T [] (fun _ => 1) wins K 1) as (_ & S & B);
    [intros; lra| |intros; apply All|].
  { intros a h' _ _. unfold wins. destruct (Nat.eqb a b); [lra|destruct (Rle_dec _ _); lra]. }
  rewrite (sum_to_same K _ (fun a => 1 * run real_numbers K equal_share law T [] (wins a))).
  2: { intros a _. unfold wins. destruct (Nat.eqb a b); [|reflexivity].
    rewrite (proj2 (constant_run real_numbers K equal_share equal_share_chooses law T [] 0)). reflexivity. }
  rewrite <- S. unfold error, recommended, after_pulls. cbn [pick recommend uniform_policy].
  assert (RI : forall h : seen real_numbers, length h = (T + length (@nil (nat * real_numbers)))%nat -> 0 <= largest_total h b <= 1).
  { intros h _. unfold largest_total. destruct (Nat.eqb _ _); lra. }
  destruct (run_linear real_numbers K equal_share equal_share_chooses law T [] (fun h => largest_total h b) (fun _ => 1) 0 1 1 1
    (- 1) 1 RI (fun _ _ => conj (Rle_refl 1) (Rle_refl 1)) (All _ _) (All _ _)) as [_ Lin].
  rewrite (proj2 (constant_run real_numbers K equal_share equal_share_chooses law T [] 1)) in Lin.
  apply Rle_trans with (run real_numbers K equal_share law T [] (fun h => -1 * largest_total h b + 1 * 1)); [right; rewrite Lin; ring|].
  apply (run_le real_numbers K equal_share equal_share_chooses law T [] _ _ 0 1 0 (sum_to K (fun _ => 1 * 1))); auto.
  + intros h Lh. specialize (RI h Lh). lra.
  + intros h _. unfold largest_total. destruct (Nat.eqb_spec b (first_largest (fun c => total c h) k)) as [_|N].
    * replace (-1 * 1 + 1 * 1) with 0 by ring. replace 0 with (INR K * 0) by ring. rewrite <- sum_to_const. apply sum_to_le.
      intros a _. unfold wins. destruct (Nat.eqb a b); [lra|destruct (Rle_dec _ _); lra].
    * set (a := first_largest (fun c => total c h) k) in *. assert (La : (a < K)%nat).
      { assert (X := first_largest_below (fun c => total c h) k). fold a in X. lia. }
      destruct best as (_ & Lb & _ & _). assert (Top := first_largest_top (fun c => total c h) k b ltac:(lia)). fold a in Top. cbv beta in Top.
      apply Rle_trans with (1 * wins a h).
      -- unfold wins. destruct (Nat.eqb_spec a b); [congruence|]. destruct (Rle_dec _ _); lra.
      -- apply (sum_to_term K (fun c => 1 * wins c h) a); [|exact La]. intros c _. unfold wins. destruct (Nat.eqb c b); [lra|destruct (Rle_dec _ _); lra].
Qed.
End Uniform.

Lemma uniform_consistent : consistent (fun k _ => uniform_policy k).
Proof. intros k mu b B e E. now apply uniform_error. Qed.

Lemma half_in : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Lemma quarter_in : 0 <= 1 / 4 <= 1. Proof. lra. Qed.

Definition first_arm_policy (W : sample_space) : bai_policy W 2.
Proof.
assert (C : chooses W 2 (fun _ a => if Nat.eqb a 0 then 1 else 0)).
{ intros h. split; [intros a; destruct (Nat.eqb a 0); lra|simpl; ring]. }
exact {| pick := _; pick_chooses := C; recommend := _; recommend_chooses := C |}.
Defined.

Lemma transport_witness : satisfiable transport.
Proof.
exists one_toss, 2%nat, (first_arm_policy one_toss), (fun _ => coin (1 / 2) half_in),
  (fun a => if Nat.eqb a 0 then coin (1 / 4) quarter_in else coin (1 / 2) half_in), 0%nat, 0%nat, 3%nat, (1 * 1).
split; [lia|]. split; [lia|]. split; [intros b _ N; destruct (Nat.eqb_spec b 0); [easy|reflexivity]|]. split.
- intros _. apply close_divergence; [lra|]. intros event _. simpl. destruct (event true), (event false); split_Rabs; lra.
- assert (A : forall D, policy_measurable (first_arm_policy one_toss) D 3) by (intros; split; intros; apply all_measurable; intros; exact I).
  split; [apply A|]. split; [apply A|]. unfold recommended, after_pulls. cbn [recommend first_arm_policy].
  change (fun h : seen one_toss => if (0 =? 0)%nat then 1 else 0) with (fun _ : seen one_toss => 1).
  rewrite (proj2 (constant_run one_toss 2 _ (pick_chooses (first_arm_policy one_toss)) _ _ [] 1)). lra.
Qed.

Definition first_of_four : bai_policy real_numbers 4.
Proof.
assert (C : chooses real_numbers 4 (fun _ a => if Nat.eqb a 0 then 1 else 0)).
{ intros h. split; [intros a; destruct (Nat.eqb a 0); lra|simpl; ring]. }
exact {| pick := _; pick_chooses := C; recommend := _; recommend_chooses := C |}.
Defined.

Lemma lemma_h_1_explicit_witness : satisfiable lemma_h_1_explicit.
Proof.
set (g := 1 / 4096). assert (G : gam g 4 (4 - 1) = 1 / 64) by (unfold gam, g; simpl; field).
set (M := highest (fun i => ln 4 * ln (INR 4) * H_BAI 4 (one_raised g 4 i) i) 3).
destruct (archimed (Rmax M 0)) as [U _]. assert (M0 := Rmax_r M 0).
exists 4%nat, g, first_of_four, (Z.to_nat (up (Rmax M 0))).
split; [lia|]. split; [unfold g; lra|]. split; [simpl Nat.sub in *; lra|]. split.
- unfold recommended, after_pulls. cbn [recommend first_of_four].
  change (fun h : seen real_numbers => if (0 =? 0)%nat then 1 else 0) with (fun _ : seen real_numbers => 1).
  rewrite (proj2 (constant_run real_numbers 4 _ (pick_chooses first_of_four) _ _ [] 1)). lra.
- intros i L. apply Rle_lt_trans with (Rmax M 0).
  + apply Rle_trans with (2 := Rmax_l _ _).
    apply (highest_above (fun i => ln 4 * ln (INR 4) * H_BAI 4 (one_raised g 4 i) i) 3 i). lia.
  + rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id; [lra|]. apply le_IZR. lra.
Qed.

Lemma corollary_h_2_witness : satisfiable corollary_h_2.
Proof. exists (fun k _ => uniform_policy k), 7%nat, 5. exact uniform_consistent. Qed.

Lemma lemma_h_1_witness : satisfiable lemma_h_1.
Proof. exists (fun _ k _ => uniform_policy k), 7%nat, 5. intros eps _. exact uniform_consistent. Qed.

Lemma lemma_h_3_witness : satisfiable lemma_h_3.
Proof.
exists (fun _ k _ => uniform_policy k), (1 / 2), 1. split; [lra|]. split; [lra|]. intros eps _. exact uniform_consistent.
Qed.

Lemma lemma_h_4_witness : satisfiable lemma_h_4.
Proof.
exists (fun _ k _ => uniform_policy k), (1 / 2), 1. split; [lra|]. split; [lra|]. intros eps _. exact uniform_consistent.
Qed.
