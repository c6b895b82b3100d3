(* Private linear UCB is jointly (eps, delta)-private up to eps = 16 ln(4/delta)^2. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import normal moments gaussian normal_tails satisfiable.
From Dpbandits.shariff18 Require Import calibration.
Open Scope R_scope.

Theorem abstract_joint X A size T arm vector most eps delta s (x y : nat -> X) event draws :
  0 < delta < 1 -> 0 < eps <= 16 * (ln (4 / delta) * ln (4 / delta)) -> 0 < most -> (1 <= size)%nat -> (1 <= T)%nat ->
  (forall n, n <> s -> x n = y n) -> (forall u h, dot (vector u h) (vector u h) size <= most) ->
  let chance z := others_chance X A size T (sigma_squared T most eps delta) arm vector s z event draws in
  chance x <= exp eps * chance y + delta.
Proof.
intros D E M Size Rounds Alike Short chance.
assert (G := calibration_gaussian X A size T arm vector most eps delta s x y eps event draws (proj1 E) D M Size Rounds
  Alike Short). assert (L := log_positive delta D). set (l := ln (4 / delta)) in *.
change (chance x <= exp eps * chance y + gaussian_delta (eps / (4 * l)) eps) in G.
assert (Z : gaussian_delta (eps / (4 * l)) eps <= exp (- (2 * l * (2 * l)) / 2) / 2).
{ apply Rle_trans with (2 := half_tail (2 * l) ltac:(lra)). unfold gaussian_delta.
  assert (Phi (- eps / (eps / (4 * l)) + eps / (4 * l) / 2) <= Phi (- (2 * l))).
  { apply Phi_le. replace (- eps / (eps / (4 * l))) with (- (4 * l)) by (field; lra).
    assert (eps / (4 * l) / 2 <= 2 * l); [|lra]. replace (2 * l) with (16 * (l * l) / (4 * l) / 2) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra. }
  set (far := - eps / (eps / (4 * l)) - eps / (4 * l) / 2).
  generalize (Rmult_lt_0_compat _ _ (exp_pos eps) (proj1 (Phi_inside far))). lra. }
assert (S : 3 / 4 * l <= l * l) by (apply Rmult_le_compat_r; lra).
assert (Q : exp (- (2 * l * (2 * l)) / 2) <= exp (- l)) by (apply exp_le; lra).
replace (exp (- l)) with (delta / 4) in Q; [lra|].
unfold l. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

Lemma abstract_joint_witness : satisfiable abstract_joint.
Proof.
exists bool, bool, 1%nat, 2%nat, (fun x _ => x), ones, 1, 1, (1 / 2), 1%nat, (fun _ => true), one_other,
  (fun _ => true), 6%nat.
assert (L := log_positive (1 / 2) ltac:(lra)). split; [lra|]. split; [split; [lra|nra]|]. split; [lra|].
split; [apply le_n|]. split; [now apply le_S|]. split; [exact one_other_elsewhere|exact ones_short].
Qed.
