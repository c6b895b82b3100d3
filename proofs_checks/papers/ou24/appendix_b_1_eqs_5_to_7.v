(* Appendix B.1: the event E_i^mu becomes certain as the number of pulls grows. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments laplace expectation concentration satisfiable.
Open Scope R_scope.

(* E_i^mu: the mean mu-hat of n rewards, their sum over n + 1, is at most x_i = mu_i + Delta_i/3. *)
Definition mean_not_too_high {W : sample_space} (P : probability_measure W) (X : nat -> W -> R) (mu gap : R) (n : nat) : R :=
  mean P (fun w => if Rle_dec (sum_to n (fun i => X i w) / (INR n + 1)) (mu + gap / 3) then 1 else 0).

Theorem events_mean (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) mu gap :
  (forall n, independent P X n) -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) ->
  (forall i, mean P (X i) = mu) -> 0 < gap -> is_lim_seq (mean_not_too_high P X mu gap) 1.
Proof.
intros I V B M G.
assert (m0 : 0 <= mu).
{ rewrite <- (M 0%nat). apply mean_positive; [apply (bounded_has_mean W P _ 0 1); auto|apply B]. }
assert (Bound : forall n, 1 - exp ((0 - INR n) / (9 / (2 * gap ^ 2))) <= mean_not_too_high P X mu gap n <= 1).
{ intros n. set (S := fun w => sum_to n (fun i => X i w)).
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
    assert (H := hoeffding W P X (fun _ => 0) (fun _ => 1) (Datatypes.S n) (INR (Datatypes.S n) * (gap / 3)) (I _)
      (fun i _ => V i) (fun i w _ => B i w) ltac:(nra) D0). cbv beta in H. rewrite D in H.
    replace (- 2 * (INR (Datatypes.S n) * (gap / 3)) ^ 2 / INR (Datatypes.S n)) with ((0 - INR (Datatypes.S n)) / (9 / (2 * gap ^ 2)))
      in H by (field; lra).
    apply Rle_trans with (2 := H). rewrite (sum_to_same _ _ (fun _ => mu)) by auto. rewrite sum_to_const.
    apply mean_le; [now apply has_mean_above|apply has_mean_from, variable_minus; [exact VS|apply variable_const]|].
    intros w. fold (S w). destruct (Rlt_dec ((mu + gap / 3) * (INR (Datatypes.S n) + 1)) (S w)) as [L|L],
      (Rle_dec (INR (Datatypes.S n) * (gap / 3)) (S w - INR (Datatypes.S n) * mu)) as [K|K]; lra. }
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
