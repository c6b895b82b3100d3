(* Theorem 8: the numbers that Renyi divergences give are no better than those of Lemma 3. *)
From Coq Require Import Reals Lra List Bool.
From Dpbandits Require Import normal moments rewards thompson densities coins gaussian thompson_samples.
From Dpbandits Require Import witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3.
Import ListNotations.
Open Scope R_scope.

Definition renyi_eps T alpha delta := alpha * INR T / 4 + ln (1 / delta) / (alpha - 1).

Theorem theorem_8_formula T alpha delta : (1 <= T)%nat -> 1 < alpha -> 0 < delta < 1 ->
  gaussian_delta (sqrt (1 / 2 * INR T)) (renyi_eps T alpha delta) <= delta.
Proof.
intros N A D. assert (L := lt_0_INR T N). set (mu := sqrt (1 / 2 * INR T)).
assert (M : 0 < mu) by (apply sqrt_lt_R0; lra). assert (M2 : mu * mu = 1 / 2 * INR T) by (apply sqrt_sqrt; lra).
set (l := ln (1 / delta)). assert (El : exp (- l) = delta).
{ unfold l. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra. }
assert (l0 : 0 < l).
{ unfold l. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
set (a := (alpha - 1) * mu / 2). set (b := l / ((alpha - 1) * mu)).
assert (P : 0 < (alpha - 1) * mu) by (apply Rmult_lt_0_compat; lra).
assert (a0 : 0 < a) by (unfold a; lra). assert (b0 : 0 < b) by now apply Rdiv_lt_0_compat.
assert (ab : a * b = l / 2) by (unfold a, b; field; lra).
assert (Z : - renyi_eps T alpha delta / mu + mu / 2 = - (a + b)).
{ unfold renyi_eps, a, b. fold l. replace (INR T) with (2 * (mu * mu)) by lra. field; lra. }
unfold gaussian_delta. rewrite Z.
apply Rle_trans with (Phi (- (a + b))).
- assert (Q := Rmult_lt_0_compat _ _ (exp_pos (renyi_eps T alpha delta))
    (proj1 (Phi_inside (- renyi_eps T alpha delta / mu - mu / 2)))). lra.
- apply Rle_trans with (exp (- ((a + b) * (a + b)) / 2)); [apply Phi_tail; lra|].
  rewrite <- El. assert (S : - ((a + b) * (a + b)) / 2 <= - l).
  { replace ((a + b) * (a + b)) with ((a - b) * (a - b) + 4 * (a * b)) by ring. rewrite ab.
    generalize (Rle_0_sqr (a - b)). unfold Rsqr. lra. }
  destruct S as [S| ->]; [left; now apply exp_increasing|apply Rle_refl].
Qed.

Theorem theorem_8 A same (arms : list A) T r alpha delta :
  NoDup arms -> (1 <= T)%nat -> 1 < alpha -> 0 < delta < 1 ->
  pulls_private same arms [] 1 T r true (renyi_eps T alpha delta) delta.
Proof.
intros U N H D x y event draws near X Y.
assert (F := theorem_8_formula T alpha delta N H D). replace (1 / 2 * INR T) with (INR T / 2) in F by field.
assert (G := lemma_3 A same arms T r U N (renyi_eps T alpha delta) x y event draws near X Y). lra.
Qed.

(** * The hypotheses can hold together *)

Lemma theorem_8_formula_witness : satisfiable theorem_8_formula.
Proof. exists 1%nat, 2, (1 / 2). hold. Qed.

Lemma theorem_8_witness : satisfiable theorem_8.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull, 2, (1 / 2). hold. now exists x, y, (fun _ => true), 4%nat.
Qed.
