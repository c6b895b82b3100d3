(* Fact A.2, Hoeffding's inequality, on any probability space. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import expectation concentration satisfiable.
Open Scope R_scope.

Theorem fact_a_2 (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) n a : (1 <= n)%nat -> 0 < a ->
  independent P X n -> (forall i, (i < n)%nat -> random_variable (X i)) ->
  (forall i w, (i < n)%nat -> 0 <= X i w <= 1) ->
  let average w := / INR n * sum_to n (fun i => X i w) in
  far_from W P average (mean P average) a <= 2 * exp (- 2 * INR n * a ^ 2).
Proof.
intros N A I V B average. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia).
assert (F : forall i, (i < n)%nat -> has_mean P (X i)) by (intros i L; apply (bounded_has_mean W P _ 0 1); auto).
destruct (mean_sum W P X n F) as [F' M].
assert (E : mean P average = / INR n * sum_to n (fun i => mean P (X i))) by (unfold average; rewrite mean_scaled, M; auto).
assert (D : sum_to n (fun _ => (1 - 0) ^ 2) = INR n) by (rewrite sum_to_const; ring).
assert (D0 : 0 < sum_to n (fun _ => (1 - 0) ^ 2)) by (rewrite D; exact n0).
assert (H := hoeffding_both W P X (fun _ => 0) (fun _ => 1) n (INR n * a) I V B ltac:(nra) D0).
cbv beta in H. rewrite D in H. replace (- 2 * (INR n * a) ^ 2 / INR n) with (- 2 * INR n * a ^ 2) in H by (field; lra).
apply Rle_trans with (2 := H). right. apply mean_same. intros w. rewrite E. unfold average.
set (x := sum_to n (fun i => X i w)). set (m := sum_to n (fun i => mean P (X i))).
replace (Rabs (x - m)) with (INR n * Rabs (/ INR n * x - / INR n * m)).
- set (y := Rabs (/ INR n * x - / INR n * m)).
  destruct (Rle_dec a y) as [Q|Q], (Rle_dec (INR n * a) (INR n * y)) as [Q'|Q']; try reflexivity; exfalso.
  + apply Q'. apply Rmult_le_compat_l; lra.
  + apply Q. apply Rmult_le_reg_l with (INR n); lra.
- rewrite <- (Rabs_right (INR n)) at 1 by lra. rewrite <- Rabs_mult. f_equal. field. lra.
Qed.

(** * The hypotheses can hold together *)

Lemma fact_a_2_witness : satisfiable fact_a_2.
Proof.
exists two_tosses, fair, (toss 1 0), 2%nat, 1. split; [lia|]. split; [lra|]. split; [apply tosses_independent|].
split; [intros; exact I|]. intros i w _. apply toss_inside. lra.
Qed.
