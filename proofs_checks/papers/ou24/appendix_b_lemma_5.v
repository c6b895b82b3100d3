(* Lemma 9, Hoeffding's inequality, for rewards of 0 or 1; and Lemma 5 for an arm that pays them. *)
From Coq Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments concentration satisfiable.
Open Scope R_scope.

(* P(S = j), and the chance of an event of S. *)
Definition binomial_term (n : nat) (mu : R) (j : nat) := Binomial.C n j * mu ^ j * (1 - mu) ^ (n - j).
Definition binomial_chance (n : nat) (mu : R) (event : nat -> bool) :=
  sum_f_R0 (fun j => if event j then binomial_term n mu j else 0) n.
Definition at_most n k mu := binomial_chance n mu (fun j => Nat.leb j k).
Definition at_least n k mu := binomial_chance n mu (fun j => Nat.leb k j).

Lemma exp_power x n : exp x ^ n = exp (x * INR n).
Proof.
induction n as [|n IH]; [simpl; now rewrite Rmult_0_r, exp_0|].
rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. ring.
Qed.

(* Markov's inequality for exp(t S). *)
Lemma tilted_event n mu event t c : 0 <= mu <= 1 -> (forall j, (j <= n)%nat -> event j = true -> 0 <= t * INR j + c) ->
  binomial_chance n mu event <= exp c * (mu * exp t + (1 - mu)) ^ n.
Proof.
intros M E. rewrite binomial, scal_sum. apply sum_Rle. intros j J.
assert (Pos : 0 <= binomial_term n mu j).
{ unfold binomial_term, Binomial.C. apply Rmult_le_pos; [apply Rmult_le_pos; [|apply pow_le; lra]|apply pow_le; lra].
  apply Rle_mult_inv_pos; [apply pos_INR|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0. }
replace (Binomial.C n j * (mu * exp t) ^ j * (1 - mu) ^ (n - j) * exp c) with
  (binomial_term n mu j * exp (t * INR j + c)).
2:{ unfold binomial_term. rewrite Rpow_mult_distr, exp_power, exp_plus. ring. }
destruct (event j) eqn:H; [|apply Rmult_le_pos; [exact Pos|left; apply exp_pos]].
rewrite <- (Rmult_1_r (binomial_term n mu j)) at 1. apply Rmult_le_compat_l; [exact Pos|].
rewrite <- exp_0. apply exp_le. now apply E.
Qed.

Theorem lemma_9 n k mu : (1 <= n)%nat -> 0 <= mu <= 1 -> INR k <= INR n * mu ->
  at_most n k mu <= exp (- 2 * (INR n * mu - INR k) ^ 2 / INR n).
Proof.
intros N M K. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (a := INR n * mu - INR k).
set (t := 4 * a / INR n). assert (T : 0 <= t) by (apply Rle_mult_inv_pos; unfold a; lra).
apply Rle_trans with (exp (t * INR k) * (mu * exp (- t) + (1 - mu)) ^ n).
- apply tilted_event; [exact M|]. intros j _ J. apply Nat.leb_le, le_INR in J. nra.
- apply Rle_trans with (exp (t * INR k) * exp (t * t / 8 - mu * t) ^ n).
  + apply Rmult_le_compat_l; [left; apply exp_pos|]. assert (E := exp_pos (- t)).
    apply pow_incr. split; [nra|now apply coin_moment].
  + rewrite exp_power, <- exp_plus. right. f_equal. unfold t, a. field. lra.
Qed.

(** * Lemma 5 *)
Theorem eq_11_second n k mu gap : 0 <= mu <= 1 -> 0 < gap < 1 -> (INR n + 1) * (mu + gap / 3) <= INR k ->
  at_least n k mu <= exp (- 2 * INR n * gap ^ 2 / 9).
Proof.
intros M G K. assert (N := pos_INR n). set (t := 4 * gap / 3). assert (T : 0 <= t) by (unfold t; lra).
apply Rle_trans with (exp (- (t * INR k)) * (mu * exp t + (1 - mu)) ^ n).
- apply tilted_event; [exact M|]. intros j _ J. apply Nat.leb_le, le_INR in J. nra.
- assert (H := coin_moment (1 - mu) t ltac:(lra) T).
  assert (B : mu * exp t + (1 - mu) <= exp (t * t / 8 + mu * t)).
  { replace (t * t / 8 + mu * t) with (t + (t * t / 8 - (1 - mu) * t)) by ring. rewrite exp_plus.
    replace (mu * exp t + (1 - mu)) with (exp t * ((1 - mu) * exp (- t) + (1 - (1 - mu)))).
    - apply Rmult_le_compat_l; [left; apply exp_pos|exact H].
    - replace (exp t * ((1 - mu) * exp (- t) + (1 - (1 - mu)))) with ((1 - mu) * (exp t * exp (- t)) + mu * exp t) by ring.
      rewrite <- exp_plus, Rplus_opp_r, exp_0. ring. }
  apply Rle_trans with (exp (- (t * INR k)) * exp (t * t / 8 + mu * t) ^ n).
  + apply Rmult_le_compat_l; [left; apply exp_pos|]. assert (E := exp_pos t). apply pow_incr. split; [nra|exact B].
  + rewrite exp_power, <- exp_plus. apply exp_le.
    assert (t * (INR n * (mu + gap / 3)) <= t * INR k) by (apply Rmult_le_compat_l; nra). unfold t in *. nra.
Qed.

(* An arm that is pulled in every round; first n is the least number of ones of n with a mean, k/(n + 1), that is too
   high. *)
Fixpoint mean_too_high (first : nat -> nat) (rounds b : nat) (mu : R) : R :=
  match rounds with O => 0 | S r => mean_too_high first r b mu + at_least (b + r) (first (b + r)%nat) mu end.

(* The sum of the bounds of eq. (11) over the rounds. *)
Lemma decaying_sum rounds b gap : 0 < gap <= 1 ->
  sum_to rounds (fun r => exp (- 2 * INR (b + r) * gap ^ 2 / 9)) <= 9 / gap ^ 2 * exp (- 2 * INR b * gap ^ 2 / 9).
Proof.
intros G. set (x := 2 * gap ^ 2 / 9). assert (X : 0 < x <= 1) by (unfold x; nra).
assert (Q : exp (- x) <= 1 - x / 2).
{ assert (H := exp_chord x (- 1) ltac:(lra)). replace (x * - 1) with (- x) in H by ring.
  assert (One : exp (- 1) * exp 1 = 1) by (rewrite <- exp_plus; replace (- 1 + 1) with 0 by ring; apply exp_0).
  assert (exp (- 1) <= 1 / 2); [|nra]. generalize (exp_ineq1_le 1) (exp_pos (- 1)). nra. }
assert (S : sum_to rounds (fun r => exp (- 2 * INR (b + r) * gap ^ 2 / 9)) =
  (exp (- x * INR b) - exp (- x * INR (b + rounds))) / (1 - exp (- x))).
{ induction rounds as [|r IH]; [simpl; rewrite Nat.add_0_r; field; lra|]. cbn [sum_to]. rewrite IH.
  replace (- 2 * INR (b + r) * gap ^ 2 / 9) with (- x * INR (b + r)) by (unfold x; field).
  rewrite Nat.add_succ_r, S_INR. replace (- x * (INR (b + r) + 1)) with (- x * INR (b + r) + - x) by ring.
  rewrite exp_plus. field. lra. }
rewrite S. replace (- 2 * INR b * gap ^ 2 / 9) with (- x * INR b) by (unfold x; field).
replace (9 / gap ^ 2) with (/ (x / 2)) by (unfold x; field; nra).
assert (P := exp_pos (- x * INR b)). assert (P' := exp_pos (- x * INR (b + rounds))).
apply Rle_trans with (exp (- x * INR b) / (1 - exp (- x))).
- apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
- rewrite (Rmult_comm (/ (x / 2))). apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Theorem lemma_5 first rounds b mu gap : 0 <= mu <= 1 -> 0 < gap < 1 ->
  (forall n, (INR n + 1) * (mu + gap / 3) <= INR (first n)) ->
  mean_too_high first rounds b mu <= 9 / gap ^ 2 * exp (- 2 * INR b * gap ^ 2 / 9).
Proof.
intros M G F. apply Rle_trans with (2 := decaying_sum rounds b gap ltac:(lra)).
induction rounds as [|r IH]; simpl; [lra|]. apply Rplus_le_compat; [exact IH|]. now apply eq_11_second.
Qed.

(* Two rewards of which none is 1, below their expectation; and of three rewards, all above. *)

(** * The hypotheses can hold together *)

Lemma lemma_9_witness : satisfiable lemma_9.
Proof. exists 2%nat, 1%nat, (1 / 2). simpl INR. split; [lia|lra]. Qed.

Lemma eq_11_second_witness : satisfiable eq_11_second.
Proof. exists 1%nat, 2%nat, (1 / 2), (1 / 2). simpl INR. lra. Qed.

Lemma lemma_5_witness : satisfiable lemma_5.
Proof.
exists S, 2%nat, 1%nat, (1 / 2), (1 / 2). split; [lra|split; [lra|]]. intros n. rewrite S_INR.
generalize (pos_INR n). lra.
Qed.
