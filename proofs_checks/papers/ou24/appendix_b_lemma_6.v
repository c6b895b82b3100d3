(* Lemma 6: how often an arm is pulled by a sample above y_i although its mean is at most x_i. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments normal normal_tails expectation concentration coin_tosses regret_rounds satisfiable.
Import ListNotations.
Open Scope R_scope.

(* The probability of a sample that is gap/3 above a mean of more than 18 c ln(y)/gap^2 - 1 rewards. *)
Lemma sample_seldom_above (n : nat) c gap y z : 0 < c -> 0 < gap -> 1 <= y -> 18 * c * ln y / gap ^ 2 < INR n + 1 -> z <= - (gap / 3) ->
  Phi (z / sqrt (c / (INR n + 1))) <= / y.
Proof.
intros C G Y M Z. assert (N := pos_INR n). set (v := c / (INR n + 1)). assert (v0 : 0 < v) by (apply Rdiv_lt_0_compat; lra).
assert (s0 : 0 < sqrt v) by now apply sqrt_lt_R0. assert (s2 : sqrt v * sqrt v = v) by (apply sqrt_sqrt; lra).
set (t := gap / 3 / sqrt v). assert (t0 : 0 <= t) by (apply Rle_mult_inv_pos; lra).
assert (T : 2 * ln y <= t * t).
{ replace (t * t) with (gap ^ 2 / 9 / v) by (rewrite <- s2 at 1; unfold t; field; lra). unfold v.
  replace (gap ^ 2 / 9 / (c / (INR n + 1))) with (gap ^ 2 * (INR n + 1) / (9 * c)) by (field; lra).
  assert (g2 : 0 < gap ^ 2) by nra. apply Rmult_le_reg_r with (9 * c); [lra|].
  replace (gap ^ 2 * (INR n + 1) / (9 * c) * (9 * c)) with (gap ^ 2 * (INR n + 1)) by (field; lra).
  apply (Rmult_lt_compat_r (gap ^ 2)) in M; [|exact g2]. unfold Rdiv in M. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in M by lra. lra. }
apply Rle_trans with (Phi (- t)).
- apply Phi_le. unfold t, Rdiv in *. assert (0 < / sqrt v) by now apply Rinv_0_lt_compat. nra.
- apply Rle_trans with (1 := half_tail t t0). assert (E := exp_pos (- (t * t) / 2)).
  apply Rle_trans with (exp (- ln y)); [|rewrite exp_Ropp, exp_ln; lra].
  apply Rle_trans with (exp (- (t * t) / 2)); [lra|]. apply exp_le. lra.
Qed.

(* one is arm 1, gap is Delta_i, level is y_i, T the number of rounds after the pre-pulls, and y is T gap^2. *)
Theorem lemma_6 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A)
  (one i : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> In one arms -> In i arms -> 1 <= c ->
  let gap := mu one - mu i in let level := mu one - gap / 3 in let y := INR T * gap ^ 2 in
  0 < gap -> levels level -> exp (1 / (4 * PI)) <= y ->
  let mean_holds w h := if Rle_dec (mu_hat same X b i h w) (mu i + gap / 3) then 1 else 0 in
  let total := given_rewards same arms rounds (fun w h => mean_holds w h * pull_above same (rounds w h) i i level) T [] in
  has_mean P total /\ mean P total <= Rmax 0 (18 * c * ln y / gap ^ 2 - INR b) + 1 / gap ^ 2.
Proof.
intros run Io Ii C gap level y G L Y mean_holds total.
assert (y1 : 1 <= y).
{ apply Rle_trans with (2 := Y). apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_le. left. apply Rdiv_lt_0_compat; [lra|]. generalize PI_RGT_0. lra. }
assert (Held : forall w h, 0 <= mean_holds w h <= 1) by (intros w h; unfold mean_holds; destruct (Rle_dec _ _); lra).
assert (Th := rounds_thompson _ _ _ _ _ _ _ _ _ _ _ run).
assert (Pos : forall w h a, 0 <= pull_of same (rounds w h) a) by (intros w h a; exact (pull_inside _ _ _ _ _ _ _ _ (Th w h) a)).
assert (Whole := pulls_whole A same arms W P X mu b c levels rounds run).
assert (Inside : forall w h, 0 <= pull_above same (rounds w h) i i level <= pull_of same (rounds w h) i).
{ intros w h. split; [exact (pull_above_inside _ _ _ _ _ _ _ _ (Th w h) i i level)|].
  rewrite (pull_split _ _ _ _ _ _ _ _ (Th w h) i i level).
  generalize (pull_below_inside _ _ _ _ _ _ _ _ (Th w h) i i level). lra. }
assert (One : forall w h, pull_of same (rounds w h) i <= 1).
{ intros w h. apply (pull_at_most_1 A arms (fun h a => pull_of same (rounds w h) a) (Pos w) (Whole w)). exact Ii. }
assert (F : has_mean P total).
{ apply (given_has_mean A same arms W P X mu b c levels rounds run).
  - intros h. apply variable_times; [exact (not_high_variable A same arms W P X mu b c levels rounds run i (mu i + gap / 3) h)|].
    exact (gain_pull_variable A same arms W P X mu b c levels rounds run i level h).
  - intros h. exists 1. intros w. specialize (Held w h). specialize (Inside w h). specialize (One w h). nra. }
split; [exact F|]. rewrite <- (mean_const W P (Rmax 0 (18 * c * ln y / gap ^ 2 - INR b) + 1 / gap ^ 2)).
apply mean_le; [exact F|apply has_mean_const|]. intros w. set (M := 18 * c * ln y / gap ^ 2).
assert (y0 : 0 < / y) by (apply Rinv_0_lt_compat; lra).
assert (Gain : forall h, mean_holds w h * pull_above same (rounds w h) i i level <= 0 * pull_of same (rounds w h) i +
  (if Rle_dec (INR (read same b i h) + 1) M then pull_of same (rounds w h) i else 0) + / y + 0 * pull_of same (rounds w h) one).
{ intros h. specialize (Inside w h). specialize (Held w h). specialize (Pos w h i).
  destruct (Rle_dec (INR (read same b i h) + 1) M) as [Q|Q]; [nra|].
  assert (S0 := pull_above_le _ _ _ _ _ _ _ _ (Th w h) i level L Ii). unfold above in S0.
  unfold mean_holds. destruct (Rle_dec (mu_hat same X b i h w) (mu i + gap / 3)) as [H|H]; [|lra].
  assert (S1 := sample_seldom_above (read same b i h) c gap y (mu_hat same X b i h w - level) ltac:(lra) G y1 ltac:(apply Rnot_le_lt, Q)
    ltac:(unfold level, gap in *; lra)). lra. }
apply Rle_trans with (1 := expected_at_most A same arms (fun h a => pull_of same (rounds w h) a) (Pos w) (Whole w)
  (arms_differ _ _ _ _ _ _ _ _ _ _ _ run) i one b (fun h => mean_holds w h * pull_above same (rounds w h) i i level)
  (fun _ => 0) (fun _ => 0) M (/ y) Ii Io (fun _ => Rle_refl 0) (fun _ => Rle_refl 0) Gain T []).
rewrite !sum_to_const. replace (INR (read same b i [])) with (INR b) by (unfold read; simpl; now rewrite Nat.add_0_r).
fold M. assert (E : INR T * / y = 1 / gap ^ 2).
{ unfold y. field. split; [lra|]. intros Z. unfold y in y1. rewrite Z in y1. lra. }
rewrite E. lra.
Qed.

Lemma lemma_6_witness : satisfiable lemma_6.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 0%nat, 1,
  (fun z => z = example_level), (example_rounds 0 1), true, false, 17%nat.
split; [apply example_run|]. split; [now left|]. split; [right; now left|]. split; [lra|]. split; [cbn [example_mean]; lra|]. split; [reflexivity|].
replace (INR 17 * (3 / 4 - 1 / 4) ^ 2) with (17 / 4) by (simpl; field). interval with (i_prec 60).
Qed.
