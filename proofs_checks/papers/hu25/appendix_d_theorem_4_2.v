(* The proof of Theorem 4.2, eqs. (18) and (24). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration satisfiable.
Open Scope R_scope.

Theorem theorem_4_2_eq_24 T gap : 0 < T -> 0 < gap <= 1 -> 1 <= ln (T * gap * gap) ->
  ln T <= ln (T * gap * gap) / (gap * gap).
Proof.
intros P G H. assert (u0 : 0 < gap * gap) by nra. assert (u1 : gap * gap <= 1) by nra.
rewrite Rmult_assoc in *. set (u := gap * gap) in *. rewrite ln_mult in * by assumption.
assert (E := exp_ineq1_le (- ln u)). rewrite exp_Ropp, exp_ln in E by exact u0.
apply Rmult_le_reg_r with u; [exact u0|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (- ln u * u <= 1 - u). { replace (1 - u) with ((/ u - 1) * u) by (field; lra). apply Rmult_le_compat_r; lra. }
nra.
Qed.

Lemma theorem_4_2_eq_24_witness : satisfiable theorem_4_2_eq_24.
Proof. exists (exp 1), 1. rewrite !Rmult_1_r, ln_exp. generalize (exp_pos 1). lra. Qed.

(** * Eq. (18) *)
Definition phi (T alpha : R) : R := sqrt (2 * PI * exp 1) * Rpower T ((1 - alpha) / 2) * Rpower (ln T) ((3 - alpha) / 2).
(* L_i with the 4 in the numerator. *)
Definition enough (T alpha gap : R) : R :=
  4 * (sqrt 2 + 1) ^ 2 * ln (T * gap ^ 2 * phi T alpha) * Rpower (ln T) alpha / gap ^ 2.
(* E_i^mu(t-1) and E_i^theta(t), where arm i's mean is that of n rewards. *)
Definition mean_near (T gap mu n mu_hat : R) : Prop := Rabs (mu_hat - mu) <= sqrt (ln (T * gap ^ 2) / n).
Definition sample_near (T alpha gap n mu_hat theta : R) : Prop :=
  theta <= mu_hat + sqrt (2 * ln (T * gap ^ 2 * phi T alpha)) * sqrt (Rpower (ln T) alpha / n).

Lemma phi_at_least_1 T alpha : exp 1 <= T -> 0 <= alpha <= 1 -> 1 <= phi T alpha.
Proof.
intros E A. assert (e2 := exp_ineq1_le 1). assert (P := PI2_3_2).
assert (L : 1 <= ln T).
{ rewrite <- (ln_exp 1). destruct (Req_dec (exp 1) T) as [->|N]; [lra|]. left. apply ln_increasing; [apply exp_pos|lra]. }
assert (One : forall x p, 1 <= x -> 0 <= p -> 1 <= Rpower x p).
{ intros x p X Q. rewrite <- (Rpower_O x) by lra. apply Rle_Rpower; lra. }
assert (R1 := One T ((1 - alpha) / 2) ltac:(lra) ltac:(lra)). assert (R2 := One (ln T) ((3 - alpha) / 2) L ltac:(lra)).
assert (R3 : 1 <= sqrt (2 * PI * exp 1)) by (rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; unfold PI2 in P; nra).
unfold phi. assert (1 <= sqrt (2 * PI * exp 1) * Rpower T ((1 - alpha) / 2)) by nra. nra.
Qed.

Lemma near_enough T alpha gap mu n mu_hat theta : exp 1 <= T * gap ^ 2 -> 0 < gap <= 1 -> 0 <= alpha <= 1 -> enough T alpha gap <= n ->
  mean_near T gap mu n mu_hat -> sample_near T alpha gap n mu_hat theta -> theta <= mu + gap / 2.
Proof.
intros Y G A N M S. unfold mean_near, sample_near, enough in *. set (y := T * gap ^ 2) in *. assert (e0 := exp_pos 1).
assert (g2 : 0 < gap ^ 2 <= 1) by (split; nra). assert (yT : exp 1 <= T) by (unfold y in Y; nra).
assert (Ph := phi_at_least_1 T alpha yT A). set (f := phi T alpha) in *.
assert (ly : 1 <= ln y).
{ rewrite <- (ln_exp 1). destruct (Req_dec (exp 1) y) as [->|D]; [lra|]. left. apply ln_increasing; lra. }
assert (lT : 1 <= ln T).
{ rewrite <- (ln_exp 1). destruct (Req_dec (exp 1) T) as [->|D]; [lra|]. left. apply ln_increasing; lra. }
assert (l1 : ln y <= ln (y * f)).
{ rewrite ln_mult by lra. assert (0 <= ln f); [|lra]. rewrite <- ln_1. destruct (Req_dec 1 f) as [<-|D]; [lra|].
  left. apply ln_increasing; lra. }
set (l := ln (y * f)) in *. assert (q1 : 1 <= Rpower (ln T) alpha) by (rewrite <- (Rpower_O (ln T)) by lra; apply Rle_Rpower; lra).
set (q := Rpower (ln T) alpha) in *. assert (r2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
assert (r0 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra). set (k := 2 * (sqrt 2 + 1)) in *.
assert (Lq : l * q <= n * (gap / k) ^ 2).
{ assert (K : 4 * (sqrt 2 + 1) ^ 2 * l * q <= n * gap ^ 2).
  { apply (Rmult_le_compat_r (gap ^ 2)) in N; [|lra]. unfold Rdiv in N. rewrite (Rmult_assoc _ (/ gap ^ 2)), Rinv_l, Rmult_1_r in N by lra. exact N. }
  apply Rmult_le_reg_r with (k ^ 2); [unfold k; nra|]. replace (n * (gap / k) ^ 2 * k ^ 2) with (n * gap ^ 2) by (field; unfold k; lra).
  unfold k. lra. }
assert (n0 : 0 < n) by (assert (0 < l * q) by nra; assert (0 < (gap / k) ^ 2) by (apply pow_lt, Rdiv_lt_0_compat; unfold k; lra); nra).
assert (Root : sqrt (l * q / n) <= gap / k).
{ rewrite <- (sqrt_pow2 (gap / k)) by (left; apply Rdiv_lt_0_compat; unfold k; lra). apply sqrt_le_1_alt.
  apply Rmult_le_reg_r with n; [exact n0|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
assert (i0 : 0 < / n) by now apply Rinv_0_lt_compat.
assert (S1 : sqrt (ln y / n) <= sqrt (l * q / n)) by (apply sqrt_le_1_alt; unfold Rdiv; apply Rmult_le_compat_r; nra).
assert (S2 : sqrt (2 * l) * sqrt (q / n) = sqrt 2 * sqrt (l * q / n)).
{ rewrite <- !sqrt_mult; try lra; try (apply Rle_mult_inv_pos; nra). f_equal. unfold Rdiv. ring. }
rewrite S2 in S. assert (H : (1 + sqrt 2) * sqrt (l * q / n) <= gap / 2).
{ apply Rle_trans with ((1 + sqrt 2) * (gap / k)); [apply Rmult_le_compat_l; lra|]. right. unfold k. field. lra. }
unfold Rabs in M. destruct (Rcase_abs (mu_hat - mu)); lra.
Qed.

(* Round t pulls arm (pulled t), n t is n_i(t-1), and theta t the score of arm i. *)
Theorem theorem_4_2_eq_18 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (i : A) (W : sample_space) (P : probability_measure W)
  (pulled : nat -> W -> A) (n : nat -> W -> nat) (mu_hat theta : nat -> W -> R) (omega : nat -> W -> R) (rounds : nat) T alpha gap mu :
  exp 1 <= T * gap ^ 2 -> 0 < gap <= 1 -> 0 <= alpha <= 1 ->
  let held t w := pulled t w = i /\ sample_near T alpha gap (INR (n t w)) (mu_hat t w) (theta t w) /\
    mean_near T gap mu (INR (n t w)) (mu_hat t w) /\ enough T alpha gap <= INR (n t w) in
  (forall t, random_variable (omega t)) -> (forall t w, (held t w -> omega t w = 1) /\ (~ held t w -> omega t w = 0)) ->
  (forall t, random_variable (fun w => if same (pulled t w) i then if Rle_dec (theta t w) (mu + gap / 2) then 1 else 0 else 0)) ->
  sum_to rounds (fun t => mean P (omega t)) <=
    sum_to rounds (fun t => mean P (fun w => if same (pulled t w) i then if Rle_dec (theta t w) (mu + gap / 2) then 1 else 0 else 0)).
Proof.
intros Y G A0 held V Om V'. apply sum_to_le. intros t _.
apply mean_le; [apply (bounded_has_mean W P _ 0 1); [apply V|]|apply (bounded_has_mean W P _ 0 1); [apply V'|]|]; intros w; cbv beta.
- destruct (Classical_Prop.classic (held t w)) as [H|H]; [rewrite (proj1 (Om t w) H)|rewrite (proj2 (Om t w) H)]; lra.
- destruct (same (pulled t w) i), (Rle_dec (theta t w) (mu + gap / 2)); lra.
- destruct (Classical_Prop.classic (held t w)) as [H|H].
  2:{ rewrite (proj2 (Om t w) H). destruct (same (pulled t w) i), (Rle_dec (theta t w) (mu + gap / 2)); lra. }
  rewrite (proj1 (Om t w) H). destruct H as (E & S & M & N).
  destruct (same (pulled t w) i) as [_|D]; [|contradiction].
  destruct (Rle_dec (theta t w) (mu + gap / 2)) as [_|D]; [lra|]. exfalso. apply D.
  exact (near_enough T alpha gap mu (INR (n t w)) (mu_hat t w) (theta t w) Y G A0 N M S).
Qed.

(* An arm that is pulled in both rounds, with scores of 0 and a mean of 1/2 from many rewards. *)
Lemma theorem_4_2_eq_18_witness : satisfiable theorem_4_2_eq_18.
Proof.
destruct (nfloor_ex (Rabs (enough 3 0 1)) (Rabs_pos _)) as (N & _ & HN).
exists bool, Bool.bool_dec, true, two_tosses, fair, (fun _ _ => true), (fun _ _ => S N), (fun _ _ => 1 / 2), (fun _ _ => 0),
  (fun _ _ => 1), 2%nat, 3, 0, 1, (1 / 2). split; [generalize exp_le_3; lra|]. split; [lra|]. split; [lra|].
split; [intros; exact I|]. split; [|intros; exact I]. intros t w. split; [reflexivity|]. intros H. exfalso. apply H.
split; [reflexivity|]. split; [|split].
- unfold sample_near. assert (H1 := sqrt_pos (2 * ln (3 * 1 ^ 2 * phi 3 0))). assert (H2 := sqrt_pos (Rpower (ln 3) 0 / INR (S N))). nra.
- unfold mean_near. replace (1 / 2 - 1 / 2) with 0 by ring. rewrite Rabs_R0. apply sqrt_pos.
- rewrite S_INR. generalize (Rle_abs (enough 3 0 1)). lra.
Qed.
