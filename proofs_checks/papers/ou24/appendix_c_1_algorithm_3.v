(* Appendix C.1, Algorithm 3: two queries with Laplace noise whose difference changes. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments half_planes satisfiable.
Open Scope R_scope.

(* The chance that the difference of two standard Laplace variables is larger than x. *)
Definition difference_tail (x : R) : R :=
  exp (- Rmax x 0) * (2 + Rmax x 0) / 4 - exp (- Rmax (- x) 0) * (2 + Rmax (- x) 0) / 4 + 1 / 2.

Lemma tail_right x : 0 <= x -> difference_tail x = exp (- x) * (2 + x) / 4.
Proof.
intros H. unfold difference_tail. rewrite (Rmax_left x 0), (Rmax_right (- x) 0) by lra. rewrite Ropp_0, exp_0. field.
Qed.

Lemma tail_left x : x <= 0 -> difference_tail x = 1 - exp x * (2 - x) / 4.
Proof.
intros H. unfold difference_tail. rewrite (Rmax_right x 0), (Rmax_left (- x) 0) by lra.
rewrite Ropp_involutive, Ropp_0, exp_0. field.
Qed.

(* The tail times e^x rises, on either side of 0. *)
Lemma rises_right x y : 0 <= x <= y -> exp x * difference_tail x <= exp y * difference_tail y.
Proof.
intros H. rewrite !tail_right by lra.
assert (E : forall z, exp z * (exp (- z) * (2 + z) / 4) = (2 + z) / 4).
{ intros z. replace (exp z * (exp (- z) * (2 + z) / 4)) with (exp z * exp (- z) * ((2 + z) / 4)) by field.
  rewrite <- exp_plus, Rplus_opp_r, exp_0. ring. }
rewrite !E. lra.
Qed.

Lemma rises_left x y : x <= y <= 0 -> exp x * difference_tail x <= exp y * difference_tail y.
Proof.
intros H. rewrite !tail_left by lra. set (f z := exp z * (1 - exp z * (2 - z) / 4)). change (f x <= f y).
apply (rises_between f (fun z => exp z * (1 - exp z * (3 - 2 * z) / 4))); [| |lra].
- intros z. unfold f. auto_derive; [auto|field].
- intros z Z. apply Rmult_le_pos; [left; apply exp_pos|].
  assert (U := exp_ineq1_le (- z)). assert (P := exp_pos z).
  assert (O : exp z * exp (- z) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra.
Qed.

Theorem algorithm_3_gap gap move : 0 <= move -> difference_tail gap <= exp move * difference_tail (gap + move).
Proof.
intros M. assert (H : exp gap * difference_tail gap <= exp (gap + move) * difference_tail (gap + move)).
{ destruct (Rle_lt_dec 0 gap) as [G|G]; [apply rises_right; lra|].
  destruct (Rle_lt_dec (gap + move) 0) as [L|L]; [apply rises_left; lra|].
  apply Rle_trans with (exp 0 * difference_tail 0); [apply rises_left|apply rises_right]; lra. }
rewrite exp_plus in H. apply Rmult_le_reg_l with (exp gap); [apply exp_pos|]. lra.
Qed.

(** * The hypotheses can hold together *)
Lemma algorithm_3_gap_witness : satisfiable algorithm_3_gap.
Proof. exists 0, 1. lra. Qed.
