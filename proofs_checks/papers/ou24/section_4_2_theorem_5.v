(* Theorem 5: the expected regret of Algorithm 2, with explicit constants. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments largest expectation concentration coin_tosses regret_rounds arm_sums satisfiable.
From Dpbandits.ou24 Require Import appendix_b_1_eqs_9_and_10.
Import ListNotations.
Open Scope R_scope.

(* Eq. (2), given the rewards: each of the b pre-pulls and each later pull of arm a costs its gap. one is an arm with the
   largest mean, and T the number of rounds after the pre-pulls. *)
Definition regret {A : Type} (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) {W : sample_space} (mu : A -> R) (b : nat)
  (rounds : W -> releases A -> round A) (one : A) (T : nat) (w : W) : R :=
  sum (fun a => (mu one - mu a) * (INR b + later_pulls A same arms W rounds a T w)) arms.

Definition best {A : Type} (arms : list A) (mu : A -> R) (one : A) : Prop := In one arms /\ forall a, In a arms -> mu a <= mu one.
(* All the numbers y_i. *)
Definition midpoints {A : Type} (arms : list A) (mu : A -> R) (one : A) (levels : R -> Prop) : Prop :=
  forall a, In a arms -> mu a < mu one -> levels (mu one - (mu one - mu a) / 3).

Lemma sum_exchanged {A : Type} (u p : A -> R) (f : A -> A -> R) l l' :
  sum (fun a => u a + sum (fun x => p x * f x a) l') l = sum u l + sum (fun x => p x * sum (f x) l) l'.
Proof.
induction l as [|a l IH].
- simpl. rewrite (sum_eq A _ (fun x => 0 * 0)) by (intros; ring). rewrite sum_scaled. ring.
- cbn [sum]. rewrite IH. rewrite (sum_eq A (fun x => p x * (f x a + sum (f x) l)) (fun x => p x * f x a + p x * sum (f x) l)) by (intros; ring).
  rewrite sum_plus. ring.
Qed.

Section Run.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat).
Hypotheses (run : thompson_run same arms P X mu b c levels rounds) (largest : best arms mu one) (C : 1 <= c)
  (all_levels : midpoints arms mu one levels).

Let later a := later_pulls A same arms W rounds a T.
Let cost := regret same arms mu b rounds one T.
Let N := INR (length arms).

Lemma gap_inside a : In a arms -> 0 <= mu one - mu a <= 1.
Proof.
intros I. generalize (proj2 largest a I) (means_inside A same arms W P X mu b c levels rounds run one)
  (means_inside A same arms W P X mu b c levels rounds run a). lra.
Qed.

Lemma later_mean a : In a arms -> has_mean P (later a).
Proof. intros I. exact (later_has_mean A same arms W P X mu b c levels rounds run a T I). Qed.

Lemma later_positive a w : 0 <= later a w.
Proof.
unfold later, later_pulls, given_rewards. generalize (@nil A). induction T as [|k IH]; intros h; simpl; [lra|].
assert (Pos : forall x, 0 <= pull_of same (rounds w h) x).
{ intros x. exact (pull_inside _ _ _ _ _ _ _ _ (rounds_thompson _ _ _ _ _ _ _ _ _ _ _ run w h) x). }
apply Rplus_le_le_0_compat; [apply Pos|]. apply sum_positive. intros x. apply Rmult_le_pos; [apply Pos|apply IH].
Qed.

Lemma cost_mean : has_mean P cost /\ mean P cost = sum (fun a => (mu one - mu a) * (INR b + mean P (later a))) arms.
Proof.
assert (Each : forall a, In a arms -> has_mean P (fun w => (mu one - mu a) * (INR b + later a w)) /\
  mean P (fun w => (mu one - mu a) * (INR b + later a w)) = (mu one - mu a) * (INR b + mean P (later a))).
{ intros a I. assert (F := later_mean a I). set (d := mu one - mu a).
  assert (E : forall w, d * later a w + d * INR b = d * (INR b + later a w)) by (intros; ring).
  split; [now apply (has_mean_same W P _ _ E), has_mean_affine|]. rewrite <- (mean_same W P _ _ E), mean_affine by exact F. ring. }
destruct (mean_of_arms P (fun a w => (mu one - mu a) * (INR b + later a w)) arms) as [F E]; [intros a I; now apply Each|].
split; [exact F|]. apply (eq_trans E), sum_eq. intros a I. now apply Each.
Qed.

(* T pulls, in all. *)
Lemma all_pulls : sum (fun a => mean P (later a)) arms = INR T.
Proof.
assert (Q : forall k w h, sum (fun a => given_rewards same arms rounds (fun w h => pull_of same (rounds w h) a) k h w) arms = INR k).
{ induction k as [|k IH]; intros w h.
  - unfold given_rewards. simpl. generalize arms. intros l. induction l as [|a l IHl]; simpl; [reflexivity|lra].
  - assert (Whole := pulls_whole A same arms W P X mu b c levels rounds run w h).
    transitivity (sum (pull_of same (rounds w h)) arms + sum (fun x => pull_of same (rounds w h) x * INR k) arms).
    + rewrite (sum_eq A (fun x => pull_of same (rounds w h) x * INR k)
        (fun x => pull_of same (rounds w h) x * sum (fun a => given_rewards same arms rounds (fun w h => pull_of same (rounds w h) a) k (x :: h) w) arms))
        by (intros x _; now rewrite IH).
      unfold given_rewards at 1. cbn [expected].
      apply (sum_exchanged (pull_of same (rounds w h)) (pull_of same (rounds w h))
        (fun x a => given_rewards same arms rounds (fun w h => pull_of same (rounds w h) a) k (x :: h) w)).
    + rewrite sum_scaled, Whole, S_INR. ring. }
destruct (mean_of_arms P later arms) as [_ E]; [exact later_mean|].
rewrite <- E, <- (mean_const W P (INR T)). apply mean_same. intros w. exact (Q T w []).
Qed.

Lemma pulls_at_most_all a : In a arms -> mean P (later a) <= INR T.
Proof.
intros I. rewrite <- all_pulls. apply (sum_single A (fun a => mean P (later a))); [|exact I]. intros x Ix.
apply mean_positive; [now apply later_mean|apply later_positive].
Qed.

(* Eq. (10) for one arm. *)
Lemma one_arm a : In a arms -> mu a < mu one -> 4 <= INR T * (mu one - mu a) ^ 2 ->
  (mu one - mu a) * mean P (later a) <= (14 + 5130 * c * ln (INR T * (mu one - mu a) ^ 2)) / (mu one - mu a).
Proof.
intros I L Y. destruct (eq_10 A same arms W P X mu b c levels rounds one a T run (proj1 largest) I C ltac:(lra) (all_levels a I L) Y)
  as (_ & H & _). fold (later a) in H. apply Rle_trans with (1 := H). right. field. lra.
Qed.

(* Each arm costs at most f of its gap in the later rounds. *)
Lemma cost_at_most (f : R -> R) : (forall a, In a arms -> mu a < mu one -> (mu one - mu a) * mean P (later a) <= f (mu one - mu a)) ->
  mean P cost <= INR b * N + over_suboptimal arms mu one f.
Proof.
intros H. rewrite (proj2 cost_mean). unfold over_suboptimal, N. rewrite (Rmult_comm (INR b)), <- sum_const, <- sum_plus. apply sum_le. intros a I.
assert (G := gap_inside a I). assert (b0 := pos_INR b). destruct (Rlt_dec (mu a) (mu one)) as [L|L].
- specialize (H a I L). nra.
- replace (mu one - mu a) with 0 by (generalize (proj2 largest a I); lra). lra.
Qed.

Lemma spread_bound l : ln 2 <= l -> 14 + 5130 * (2 + l + ln l) <= 6344 * exp 1 * l.
Proof.
intros L. assert (P0 : 0 < ln 2) by interval with (i_prec 60). set (d := l - ln 2). assert (d0 : 0 <= d) by (unfold d; lra).
assert (T1 : ln l <= ln (ln 2) + d / ln 2).
{ replace l with (ln 2 * (1 + d / ln 2)) at 1 by (unfold d; field; lra).
  assert (0 <= d / ln 2) by now apply Rle_mult_inv_pos. rewrite ln_mult by lra. apply Rplus_le_compat_l.
  replace (d / ln 2) with (1 + d / ln 2 - 1) at 2 by ring.
  generalize (exp_ineq1_le (ln (1 + d / ln 2))). rewrite exp_ln by lra. lra. }
assert (I1 : 14 + 5130 * (2 + ln 2 + ln (ln 2)) <= 6344 * exp 1 * ln 2) by interval with (i_prec 60).
assert (I2 : 5130 * (1 + / ln 2) <= 6344 * exp 1) by interval with (i_prec 60).
replace l with (ln 2 + d) in * by (unfold d; ring). unfold Rdiv in T1. nra.
Qed.

Lemma cost_without_gaps : mean P cost <= INR b * N + 6347 * c * sqrt (N * INR T * ln N).
Proof.
destruct largest as [Io Big]. assert (b0 := pos_INR b). assert (T0 := pos_INR T).
assert (Sum : mean P cost <= INR b * N + sum (fun a => (mu one - mu a) * mean P (later a)) arms).
{ rewrite (proj2 cost_mean). unfold N. rewrite (Rmult_comm (INR b)), <- sum_const, <- sum_plus. apply sum_le. intros a I. assert (G := gap_inside a I). nra. }
apply Rle_trans with (1 := Sum). apply Rplus_le_compat_l.
assert (Lm : forall a, In a arms -> 0 <= mean P (later a)).
{ intros a I. apply mean_positive; [now apply later_mean|apply later_positive]. }
destruct (Nat.le_gt_cases (length arms) 1) as [Few|Many].
- (* the best arm is the only one *)
  destruct arms as [|x [|z l]]; [destruct Io| |simpl in Few; lia]. destruct Io as [->|[]]. simpl. unfold N. simpl.
  rewrite ln_1, Rmult_0_r, sqrt_0. lra.
- assert (N2 : 2 <= N) by (apply (le_INR 2) in Many; exact Many). set (l := ln N).
  assert (l2 : ln 2 <= l).
  { unfold l. destruct (Req_dec 2 N) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
  assert (l0 : 0 < l) by (apply Rlt_le_trans with (2 := l2); interval with (i_prec 60)). assert (e1 := exp_pos 1).
  destruct (Req_dec (INR T) 0) as [Z|Z].
  + assert (Z' : sum (fun a => (mu one - mu a) * mean P (later a)) arms <= sum (fun a => mean P (later a)) arms).
    { apply sum_le. intros a I. generalize (gap_inside a I) (Lm a I). nra. }
    rewrite all_pulls, Z in Z'. rewrite Z, Rmult_0_r, Rmult_0_l, sqrt_0. lra.
  + assert (Tp : 0 < INR T) by lra. assert (Q0 : 0 < N * INR T * l) by (repeat apply Rmult_lt_0_compat; lra).
    set (r := sqrt (N * INR T * l)). assert (r0 : 0 < r) by now apply sqrt_lt_R0.
    assert (r2 : r * r = N * INR T * l) by (apply sqrt_sqrt; lra).
    set (g := exp 1 * r / INR T). assert (g0 : 0 < g) by (apply Rdiv_lt_0_compat; [nra|exact Tp]).
    set (y := exp 2 * (N * l)). assert (Ee : exp 1 * exp 1 = exp 2) by (rewrite <- exp_plus; f_equal; lra).
    assert (yg : INR T * g ^ 2 = y).
    { unfold y. rewrite <- Ee. replace (INR T * g ^ 2) with (exp 1 * exp 1 * (r * r) / INR T) by (unfold g; field; exact Z).
      rewrite r2. field. exact Z. }
    assert (Nl : 0 < N * l) by nra. assert (e2 := exp_pos 2).
    assert (ly : ln y = 2 + l + ln l) by (unfold y; rewrite ln_mult, ln_mult, ln_exp by lra; unfold l; ring).
    assert (y2 : 2 <= ln y).
    { unfold y. rewrite ln_mult, ln_exp by lra. assert (1 <= N * l); [|assert (0 <= ln (N * l)); [|lra]].
      - assert (1 <= 2 * ln 2) by interval with (i_prec 60). nra.
      - rewrite <- ln_1. destruct (Req_dec 1 (N * l)) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
    assert (y4 : 4 <= y).
    { assert (1 <= N * l) by (assert (1 <= 2 * ln 2) by interval with (i_prec 60); nra).
      assert (4 <= exp 2) by interval with (i_prec 60). unfold y. nra. }
    set (Q := (14 + 5130 * c * ln y) / g).
    assert (Q1 : 0 <= Q) by (apply Rle_mult_inv_pos; [nra|exact g0]).
    assert (Each : forall a, In a arms -> (mu one - mu a) * mean P (later a) <= Q + mean P (later a) * g).
    { intros a I. assert (La := Lm a I). assert (G := gap_inside a I). destruct (Rle_lt_dec (mu one - mu a) g) as [S1|S1]; [nra|].
      assert (Y : 4 <= INR T * (mu one - mu a) ^ 2).
      { apply Rle_trans with (1 := y4). rewrite <- yg. apply Rmult_le_compat_l; [lra|]. nra. }
      assert (H := one_arm a I ltac:(lra) Y). set (d := mu one - mu a) in *.
      assert (B : (14 + 5130 * c * ln (INR T * d ^ 2)) / d <= Q); [|assert (0 <= mean P (later a) * g) by nra; lra].
      set (s := d / g). assert (s1 : 1 < s) by (apply Rmult_lt_reg_r with g; [exact g0|unfold s, Rdiv; rewrite Rmult_assoc, Rinv_l; lra]).
      assert (ds : d = s * g) by (unfold s; field; lra).
      assert (E : INR T * d ^ 2 = y * (s * s)) by (rewrite ds, <- yg; ring).
      assert (Ls : ln s <= s - 1) by (generalize (exp_ineq1_le (ln s)); rewrite exp_ln by lra; lra).
      rewrite E, ln_mult, ln_mult by nra. unfold Q. rewrite ds.
      replace ((14 + 5130 * c * (ln y + (ln s + ln s))) / (s * g)) with ((14 + 5130 * c * (ln y + (ln s + ln s))) / s / g) by (field; lra).
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_reg_r with s; [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (K : ln y + (ln s + ln s) <= ln y * s) by nra. assert (0 < 5130 * c) by lra.
      apply (Rmult_le_compat_l (5130 * c)) in K; lra. }
    apply Rle_trans with (sum (fun a => Q + mean P (later a) * g) arms); [apply sum_le; exact Each|].
    rewrite sum_plus, sum_const, sum_scaled, all_pulls, (Rmult_comm (INR (length arms))). fold N.
    replace (INR T * g) with (exp 1 * r) by (unfold g; field; exact Z).
    assert (QN : Q * N = (14 + 5130 * c * ln y) / (exp 1 * l) * r).
    { unfold Q, g. replace ((14 + 5130 * c * ln y) / (exp 1 * l) * r) with ((14 + 5130 * c * ln y) * (r * r) / (exp 1 * l * r)) by (field; lra).
      rewrite r2. field. lra. }
    rewrite QN. assert (K := spread_bound l l2). rewrite <- ly in K.
    assert (H1 : (14 + 5130 * c * ln y) / (exp 1 * l) <= 6344 * c).
    { assert (el : 0 < exp 1 * l) by nra. apply Rmult_le_reg_r with (exp 1 * l); [exact el|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
    assert (H2 : exp 1 <= 3) by apply exp_le_3. fold l. fold r. nra.
Qed.
End Run.

(** * The theorem *)

(* With T > bN + 4/Delta_i^2 for all suboptimal arms, where T rounds follow the bN pre-pulls. *)
Definition long_enough {A : Type} (arms : list A) (mu : A -> R) (one : A) (T : nat) : Prop :=
  forall a, In a arms -> mu a < mu one -> 4 / (mu one - mu a) ^ 2 < INR T.

Theorem problem_dependent (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> best arms mu one -> midpoints arms mu one levels -> 1 <= c ->
  long_enough arms mu one T -> has_mean P (regret same arms mu b rounds one T) /\
  mean P (regret same arms mu b rounds one T) <= INR b * INR (length arms) +
    over_suboptimal arms mu one (fun gap => (14 + 5130 * c * ln (INR T * gap ^ 2)) / gap).
Proof.
intros run B Lv C Long. split; [exact (proj1 (cost_mean A same arms W P X mu b c levels rounds one T run))|].
apply (cost_at_most A same arms W P X mu b c levels rounds one T run B). intros a I L.
apply (one_arm A same arms W P X mu b c levels rounds one T run B C Lv a I L).
specialize (Long a I L). assert (g2 : 0 < (mu one - mu a) ^ 2) by nra. apply (Rmult_lt_compat_r _ _ _ g2) in Long.
unfold Rdiv in Long. rewrite Rmult_assoc, Rinv_l in Long; lra.
Qed.

Theorem problem_independent (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> best arms mu one -> midpoints arms mu one levels -> 1 <= c ->
  let N := INR (length arms) in has_mean P (regret same arms mu b rounds one T) /\
  mean P (regret same arms mu b rounds one T) <= INR b * N + 6347 * c * sqrt (N * INR T * ln N).
Proof.
intros run B Lv C N. split; [exact (proj1 (cost_mean A same arms W P X mu b c levels rounds one T run))|].
exact (cost_without_gaps A same arms W P X mu b c levels rounds one T run B C Lv).
Qed.

(* log(T - bN) in the place of log((T - bN) Delta_i^2), and no constant beside it. *)
Theorem asymptotic (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> best arms mu one -> midpoints arms mu one levels -> 1 <= c ->
  let N := INR (length arms) in has_mean P (regret same arms mu b rounds one T) /\
  mean P (regret same arms mu b rounds one T) <= INR b * N + 6347 * c * sqrt (N * INR T * ln N) /\
  (long_enough arms mu one T -> mean P (regret same arms mu b rounds one T) <=
    INR b * N + over_suboptimal arms mu one (fun gap => 5141 * c * ln (INR T) / gap)).
Proof.
intros run B Lv C N. destruct (problem_independent A same arms W P X mu b c levels rounds one T run B Lv C) as [F H].
split; [exact F|]. split; [exact H|]. intros Long.
apply Rle_trans with (1 := proj2 (problem_dependent A same arms W P X mu b c levels rounds one T run B Lv C Long)).
apply Rplus_le_compat_l. apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|_]; [|lra].
assert (G := gap_inside A same arms W P X mu b c levels rounds one run B a I). specialize (Long a I L).
set (d := mu one - mu a) in *. assert (d0 : 0 < d) by (unfold d; lra). assert (g2 : 0 < d ^ 2 <= 1) by nra.
apply (Rmult_lt_compat_r (d ^ 2)) in Long; [|lra]. unfold Rdiv in Long. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Long by lra.
apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
assert (l4 : 14 <= 11 * ln (INR T * d ^ 2)).
{ apply Rle_trans with (11 * ln 4); [interval with (i_prec 60)|]. apply Rmult_le_compat_l; [lra|]. left. apply ln_increasing; lra. }
assert (T0 : INR T * d ^ 2 <= INR T) by (generalize (pos_INR T); nra).
assert (lT : ln (INR T * d ^ 2) <= ln (INR T)).
{ destruct (Req_dec (INR T * d ^ 2) (INR T)) as [->|Ne]; [lra|]. left. apply ln_increasing; lra. }
assert (14 <= 11 * c * ln (INR T)) by nra. assert (0 < 5130 * c) by lra. nra.
Qed.

(* log N outside the root. *)
Theorem restated (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> best arms mu one -> midpoints arms mu one levels -> 1 <= c ->
  let N := INR (length arms) in has_mean P (regret same arms mu b rounds one T) /\
  mean P (regret same arms mu b rounds one T) <= INR b * N + 2 * 6347 * (c * sqrt (N * INR T) * ln N).
Proof.
intros run B Lv C N. destruct (problem_independent A same arms W P X mu b c levels rounds one T run B Lv C) as [F H].
split; [exact F|]. apply Rle_trans with (1 := H). apply Rplus_le_compat_l. fold N.
assert (T0 := pos_INR T). assert (N1 : 1 <= N).
{ unfold N. destruct B as [I _]. destruct arms as [|x l]; [destruct I|]. apply (le_INR 1). simpl. lia. }
assert (l0 : 0 <= ln N).
{ rewrite <- ln_1. destruct (Req_dec 1 N) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
assert (S0 : sqrt (ln N) <= 2 * ln N).
{ destruct (Nat.le_gt_cases (length arms) 1) as [Few|Many].
  - assert (N = 1) by (apply (le_INR _ 1) in Few; change (INR 1) with 1 in Few; unfold N in *; lra). rewrite H0, ln_1, sqrt_0. lra.
  - assert (N2 : 2 <= N) by (apply (le_INR 2) in Many; exact Many).
    assert (l2 : 1 / 4 <= ln N).
    { apply Rle_trans with (ln 2); [interval with (i_prec 60)|]. destruct (Req_dec 2 N) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
    apply Rle_trans with (sqrt ((2 * ln N) * (2 * ln N))); [apply sqrt_le_1_alt; nra|]. rewrite sqrt_square; lra. }
rewrite sqrt_mult by (try apply Rmult_le_pos; lra). assert (q0 := sqrt_pos (N * INR T)).
assert (K : c * sqrt (N * INR T) * sqrt (ln N) <= c * sqrt (N * INR T) * (2 * ln N)) by (apply Rmult_le_compat_l; [nra|exact S0]). lra.
Qed.

(** * The hypotheses can hold together *)
Lemma example_best : best [true; false] example_mean true.
Proof. split; [now left|]. intros [] _; cbn [example_mean]; lra. Qed.

Lemma example_midpoints : midpoints [true; false] example_mean true (fun z => z = example_level).
Proof. intros [] _ L; [lra|reflexivity]. Qed.

(* One pre-pull of each arm, variance 2, and 17 rounds after the pre-pulls: the gap is 1/2. *)
Lemma problem_dependent_witness : satisfiable problem_dependent.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 1%nat, 2,
  (fun z => z = example_level), (example_rounds 1 2), true, 17%nat.
split; [apply example_run|]. split; [apply example_best|]. split; [apply example_midpoints|]. split; [lra|].
intros [] _ L; cbn [example_mean] in *; [lra|]. simpl INR. lra.
Qed.

Lemma problem_independent_witness : satisfiable problem_independent.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 1%nat, 2,
  (fun z => z = example_level), (example_rounds 1 2), true, 17%nat.
split; [apply example_run|]. split; [apply example_best|]. split; [apply example_midpoints|]. lra.
Qed.

Lemma asymptotic_witness : satisfiable asymptotic.
Proof. exact problem_dependent_witness. Qed.

Lemma restated_witness : satisfiable restated.
Proof. exact problem_independent_witness. Qed.
