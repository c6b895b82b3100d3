(* Theorem 2: the expected regret of Algorithm 1, which is Algorithm 2 without pre-pulls and with c = 1. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments expectation coin_tosses regret_rounds arm_sums satisfiable.
From Dpbandits.ou24 Require Import appendix_b_1_eqs_9_and_10 section_4_2_theorem_5.
Import ListNotations.
Open Scope R_scope.

Theorem theorem_2 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (levels : R -> Prop) (rounds : W -> releases A -> round A) (one : A) (T : nat) :
  thompson_run same arms P X mu 0 1 levels rounds -> best arms mu one -> midpoints arms mu one levels -> (2 <= T)%nat ->
  let N := INR (length arms) in let cost := regret same arms mu 0 rounds one T in has_mean P cost /\
  mean P cost <= over_suboptimal arms mu one (fun gap => 5141 * (ln (INR T) / gap)) /\
  ((2 <= length arms)%nat -> mean P cost <= 6347 * sqrt (N * INR T * ln N)).
Proof.
intros run B Lv T2 N cost. assert (T2' : 2 <= INR T) by (apply (le_INR 2) in T2; exact T2).
assert (l2 : 1 / 2 <= ln (INR T)).
{ apply Rle_trans with (ln 2); [interval with (i_prec 60)|]. destruct (Req_dec 2 (INR T)) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
destruct (problem_independent A same arms W P X mu 0 1 levels rounds one T run B Lv (Rle_refl 1)) as [F H].
split; [exact F|]. split; [|intros _; apply Rle_trans with (1 := H); fold N; simpl INR; lra].
apply Rle_trans with (INR 0 * INR (length arms) + over_suboptimal arms mu one (fun gap => 5141 * (ln (INR T) / gap)));
  [|simpl INR; lra].
apply (cost_at_most A same arms W P X mu 0 1 levels rounds one T run B). intros a I L.
assert (G := gap_inside A same arms W P X mu 0 1 levels rounds one run B a I).
set (d := mu one - mu a) in *. assert (d0 : 0 < d) by (unfold d; lra). assert (g2 : 0 < d ^ 2 <= 1) by nra.
assert (i0 : 0 < / d) by now apply Rinv_0_lt_compat.
destruct (Rle_lt_dec 4 (INR T * d ^ 2)) as [Y|Y].
- apply Rle_trans with (1 := one_arm A same arms W P X mu 0 1 levels rounds one T run B (Rle_refl 1) Lv a I L Y). fold d.
  assert (l4 : 14 <= 11 * ln (INR T * d ^ 2)).
  { apply Rle_trans with (11 * ln 4); [interval with (i_prec 60)|]. apply Rmult_le_compat_l; [lra|].
    destruct (Req_dec 4 (INR T * d ^ 2)) as [<-|Ne]; [lra|]. left. apply ln_increasing; lra. }
  assert (lT : ln (INR T * d ^ 2) <= ln (INR T)).
  { assert (INR T * d ^ 2 <= INR T) by nra. destruct (Req_dec (INR T * d ^ 2) (INR T)) as [->|Ne]; [lra|]. left. apply ln_increasing; lra. }
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
- (* at most T pulls *)
  assert (Le := pulls_at_most_all A same arms W P X mu 0 1 levels rounds one T run a I).
  apply Rle_trans with (d * INR T); [apply Rmult_le_compat_l; lra|].
  apply Rmult_le_reg_r with d; [exact d0|]. replace (5141 * (ln (INR T) / d) * d) with (5141 * ln (INR T)) by (field; lra). nra.
Qed.

(* Three rounds. *)
Lemma theorem_2_witness : satisfiable theorem_2.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean,
  (fun z => z = example_level), (example_rounds 0 1), true, 3%nat.
split; [apply example_run|]. split; [apply example_best|]. split; [apply example_midpoints|]. split; simpl; lia.
Qed.
