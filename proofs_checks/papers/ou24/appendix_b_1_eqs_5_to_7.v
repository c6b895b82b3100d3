(* Appendix B.1: the event E_i^mu becomes certain as the number of pulls grows; and eq. (6), Lemma 7 in expectation. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments laplace normal half_planes expectation concentration coin_tosses regret_rounds satisfiable.
Import ListNotations.
Open Scope R_scope.

(* E_i^mu: the mean mu-hat of n rewards, their sum over n + 1, is at most x_i = mu_i + Delta_i/3. *)
Definition mean_not_too_high {W : sample_space} (P : probability_measure W) (X : nat -> W -> R) (mu gap : R) (n : nat) : R :=
  mean P (fun w => if Rle_dec (sum_to n (fun i => X i w) / (INR n + 1)) (mu + gap / 3) then 1 else 0).

Lemma mean_not_too_high_bounds (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) mu gap n :
  independent P X n -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) ->
  (forall i, mean P (X i) = mu) -> 0 < gap ->
  1 - exp ((0 - INR n) / (9 / (2 * gap ^ 2))) <= mean_not_too_high P X mu gap n <= 1.
Proof.
intros I V B M G.
assert (m0 : 0 <= mu).
{ rewrite <- (M 0%nat). apply mean_positive; [apply (bounded_has_mean W P _ 0 1); auto|apply B]. }
set (S := fun w => sum_to n (fun i => X i w)).
assert (VS : random_variable S) by (now apply variable_sum).
assert (N0 := pos_INR n). assert (g2 : 0 < gap ^ 2) by nra.
assert (E : mean_not_too_high P X mu gap n = 1 - strict_upper_tail P S ((mu + gap / 3) * (INR n + 1))).
{ assert (F := has_mean_above W P ((mu + gap / 3) * (INR n + 1)) S VS).
  transitivity (mean P (fun w => - 1 * (if Rlt_dec ((mu + gap / 3) * (INR n + 1)) (S w) then 1 else 0) + 1)).
  - apply mean_same. intros w. fold (S w). assert (Q : S w / (INR n + 1) * (INR n + 1) = S w) by (field; lra).
    destruct (Rle_dec (S w / (INR n + 1)) (mu + gap / 3)) as [L|L], (Rlt_dec ((mu + gap / 3) * (INR n + 1)) (S w)) as [H|H]; try lra; exfalso.
    + apply (Rmult_le_compat_r (INR n + 1)) in L; lra.
    + apply L. apply Rmult_le_reg_r with (INR n + 1); lra.
  - rewrite mean_affine by exact F. unfold strict_upper_tail. ring. }
rewrite E. assert (T0 : 0 <= strict_upper_tail P S ((mu + gap / 3) * (INR n + 1))).
{ apply mean_positive; [now apply has_mean_above|]. intros w. destruct (Rlt_dec _ (S w)); lra. }
split; [|lra]. assert (T : strict_upper_tail P S ((mu + gap / 3) * (INR n + 1)) <= exp ((0 - INR n) / (9 / (2 * gap ^ 2)))); [|lra].
destruct n as [|n].
- (* no reward yet *)
  replace ((0 - INR 0) / (9 / (2 * gap ^ 2))) with 0 by (simpl INR; field; lra). rewrite exp_0.
  apply Rle_trans with (1 := strict_upper_tail_le W P S _ VS). now apply upper_tail_inside.
- assert (D : sum_to (Datatypes.S n) (fun _ => (1 - 0) ^ 2) = INR (Datatypes.S n)) by (rewrite sum_to_const; ring).
  assert (N1 : 0 < INR (Datatypes.S n)) by (apply lt_0_INR; lia).
  assert (D0 : 0 < sum_to (Datatypes.S n) (fun _ => (1 - 0) ^ 2)) by (rewrite D; exact N1).
  assert (H := hoeffding W P X (fun _ => 0) (fun _ => 1) (Datatypes.S n) (INR (Datatypes.S n) * (gap / 3)) I
    (fun i _ => V i) (fun i w _ => B i w) ltac:(nra) D0). cbv beta in H. rewrite D in H.
  replace (- 2 * (INR (Datatypes.S n) * (gap / 3)) ^ 2 / INR (Datatypes.S n)) with ((0 - INR (Datatypes.S n)) / (9 / (2 * gap ^ 2)))
    in H by (field; lra).
  apply Rle_trans with (2 := H). rewrite (sum_to_same _ _ (fun _ => mu)) by auto. rewrite sum_to_const.
  apply mean_le; [now apply has_mean_above|apply has_mean_from, variable_minus; [exact VS|apply variable_const]|].
  intros w. fold (S w). destruct (Rlt_dec ((mu + gap / 3) * (INR (Datatypes.S n) + 1)) (S w)) as [L|L],
    (Rle_dec (INR (Datatypes.S n) * (gap / 3)) (S w - INR (Datatypes.S n) * mu)) as [K|K]; lra.
Qed.

Theorem events_mean (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) mu gap :
  (forall n, independent P X n) -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) ->
  (forall i, mean P (X i) = mu) -> 0 < gap -> is_lim_seq (mean_not_too_high P X mu gap) 1.
Proof.
intros I V B M G. assert (Bound := fun n => mean_not_too_high_bounds W P X mu gap n (I n) V B M G).
apply (is_lim_seq_le_le (fun n => 1 - exp ((0 - INR n) / (9 / (2 * gap ^ 2)))) _ (fun _ => 1) 1 Bound).
- replace (Finite 1) with (Finite (1 - 0)) by (f_equal; ring).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply laplace_far. apply Rdiv_lt_0_compat; nra.
- apply is_lim_seq_const.
Qed.

(* Rewards that are always 1/2. *)
Lemma events_mean_witness : satisfiable events_mean.
Proof.
exists two_tosses, fair, (fun _ _ => 1 / 2), (1 / 2), 1. split.
{ intros n h _ _. split; [exact I|]. rewrite (mean_const two_tosses fair). apply product_to_same. intros i _.
  now rewrite (mean_const two_tosses fair). }
split; [intros; exact I|]. split; [intros i w; cbv beta; lra|]. split; [intros i; simpl; field|].
split; [lra|]. exists (fun _ => True). apply filter_true.
Qed.

(** * Eq. (6) *)

(* one is arm 1, gap is Delta_i, y is y_i; the pulls h before a round say with the rewards w whether E_i^mu holds. *)
Theorem eq_6 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A)
  (one i : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> In one arms -> In i arms -> i <> one -> 1 <= c ->
  let gap := mu one - mu i in let y := mu one - gap / 3 in 0 < gap -> levels y ->
  let mean_holds w h := if Rle_dec (mu_hat same X b i h w) (mu i + gap / 3) then 1 else 0 in
  let p w h := Phi ((mu_hat same X b one h w - y) / sqrt (c / (INR (read same b one h) + 1))) in
  let left := given_rewards same arms rounds (fun w h => mean_holds w h * pull_below same (rounds w h) i i y) T [] in
  let right := given_rewards same arms rounds
    (fun w h => (1 - p w h) / p w h * (mean_holds w h * pull_below same (rounds w h) one i y)) T [] in
  has_mean P left /\ has_mean P right /\ mean P left <= mean P right.
Proof.
intros run Io Ii D C gap y G L mean_holds p left right.
assert (Held : forall w h, 0 <= mean_holds w h <= 1) by (intros w h; unfold mean_holds; destruct (Rle_dec _ _); lra).
assert (Inside : forall w h a, 0 <= pull_below same (rounds w h) a i y <= 1).
{ intros w h a. assert (Th := rounds_thompson _ _ _ _ _ _ _ _ _ _ _ run w h). split; [exact (pull_below_inside _ _ _ _ _ _ _ _ Th a i y)|].
  apply Rle_trans with (1 := pull_below_le _ _ _ _ _ _ _ _ Th a i y).
  apply Rle_trans with (mean (round_law (rounds w h)) (fun _ => 1)); [|rewrite mean_const; lra].
  apply mean_le; [exact (pull_mean _ _ _ _ _ _ _ _ Th a)|apply has_mean_const|]. intros d. destruct (same _ a); lra. }
assert (mu1 : 0 <= mu one <= 1).
{ rewrite <- (rewards_mean _ _ _ _ _ _ _ _ _ _ _ run one 0%nat).
  assert (V := rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run one 0%nat).
  assert (B := rewards_inside _ _ _ _ _ _ _ _ _ _ _ run one 0%nat).
  assert (F := bounded_has_mean W P _ 0 1 V B). split; [apply mean_positive; [exact F|intros w; apply B]|].
  rewrite <- (mean_const W P 1). apply mean_le; [exact F|apply has_mean_const|intros w; apply B]. }
assert (Mh := fun a h => mu_hat_variable A same arms W P X mu b c levels rounds run a h).
assert (Vm : forall h, random_variable (fun w => mean_holds w h)).
{ intros h. exact (not_high_variable A same arms W P X mu b c levels rounds run i (mu i + gap / 3) h). }
assert (Vb : forall h a, random_variable (fun w => pull_below same (rounds w h) a i y)).
{ intros h a. apply (events_measurable _ _ _ _ _ _ _ _ _ _ _ run). }
assert (Fl : has_mean P left).
{ apply (given_has_mean A same arms W P X mu b c levels rounds run).
  - intros h. apply variable_times; [apply Vm|apply Vb].
  - intros h. exists 1. intros w. specialize (Held w h). specialize (Inside w h i). nra. }
assert (Fr : has_mean P right).
{ apply (given_has_mean A same arms W P X mu b c levels rounds run).
  - intros h. apply variable_times; [|apply variable_times; [apply Vm|apply Vb]].
    set (sd := sqrt (c / (INR (read same b one h) + 1))).
    apply (variable_same W (fun w => / Phi (- (y / sd + - / sd * mu_hat same X b one h w)) - 1)).
    + intros w. unfold p. fold sd. replace (- (y / sd + - / sd * mu_hat same X b one h w)) with
        ((mu_hat same X b one h w - y) / sd) by (unfold Rdiv; ring).
      assert (Q := Phi_inside ((mu_hat same X b one h w - y) / sd)). field. lra.
    + apply variable_minus; [|apply variable_const]. apply (variable_continuous W (fun x => / Phi (- (y / sd + - / sd * x)))); [|apply Mh].
      intros x. apply (continuous_comp (fun x => - (y / sd + - / sd * x)) (fun z => / Phi z)).
      * apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
      * apply (continuous_comp Phi Rinv); [apply Phi_continuous|]. apply continuous_Rinv.
        generalize (Phi_inside (- (y / sd + - / sd * x))). lra.
  - intros h. set (sd := sqrt (c / (INR (read same b one h) + 1))).
    assert (sd0 : 0 < sd) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; [lra|generalize (pos_INR (read same b one h)); lra]).
    exists (/ Phi (- / sd)). intros w. assert (m := mu_hat_inside A same arms W P X mu b c levels rounds run one h w).
    assert (P1 := Phi_inside (- / sd)). assert (P2 : 0 < p w h < 1) by apply Phi_inside.
    assert (Le : Phi (- / sd) <= p w h).
    { apply Phi_le. fold sd. unfold Rdiv. assert (i0 : 0 < / sd) by now apply Rinv_0_lt_compat.
      assert (0 <= (mu_hat same X b one h w - y + 1) * / sd) by (apply Rmult_le_pos; [unfold y|]; lra). lra. }
    assert (In1 : / p w h <= / Phi (- / sd)) by (apply Rinv_le_contravar; lra). 
    assert (E : (1 - p w h) / p w h = / p w h - 1) by (field; lra). rewrite E.
    assert (I1 : 1 <= / p w h) by (rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra).
    specialize (Held w h). specialize (Inside w h one).
    assert (0 <= mean_holds w h * pull_below same (rounds w h) one i y <= 1) by nra. nra. }
split; [exact Fl|]. split; [exact Fr|]. apply mean_le; [exact Fl|exact Fr|]. intros w.
apply (given_le A same arms W P X mu b c levels rounds run). intros h.
assert (Th := rounds_thompson _ _ _ _ _ _ _ _ _ _ _ run w h).
assert (Q := pull_compared _ _ _ _ _ _ _ _ Th one i y L Ii Io D (arms_differ _ _ _ _ _ _ _ _ _ _ _ run)). cbv zeta in Q.
change (above A (fun a => read same b a h) (fun a => mu_hat same X b a h w) c one y) with (p w h) in Q.
specialize (Held w h). replace ((1 - p w h) / p w h * (mean_holds w h * pull_below same (rounds w h) one i y)) with
  (mean_holds w h * ((1 - p w h) / p w h * pull_below same (rounds w h) one i y)) by ring.
apply Rmult_le_compat_l; [lra|exact Q].
Qed.

Lemma eq_6_witness : satisfiable eq_6.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 0%nat, 1,
  (fun z => z = example_level), (example_rounds 0 1), true, false, 2%nat. split; [apply example_run|]. split; [now left|].
split; [right; now left|]. split; [discriminate|]. split; [lra|]. split; [cbn [example_mean]; lra|]. reflexivity.
Qed.
