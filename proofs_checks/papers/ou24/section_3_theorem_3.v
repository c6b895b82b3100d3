(* Theorem 3: Lemma 3, in numbers eps and delta. *)
From Coq Require Import Reals Lra List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas.
Import ListNotations.
Open Scope R_scope.

(* The formula of Theorems 3 and 4, as it is printed. *)
Definition printed_delta (m eps : R) := Phi (- eps / m + 1 / 2 * m) - exp eps * Phi (- eps / m - 1 / 2 * m).

Lemma printed_delta_is_gaussian m eps : printed_delta m eps = gaussian_delta m eps.
Proof. unfold printed_delta, gaussian_delta. now replace (1 / 2 * m) with (m / 2) by field. Qed.

Theorem theorem_3 A same (arms : list A) T r eps : NoDup arms -> (1 <= T)%nat -> 0 <= eps ->
  pulls_private same arms [] 1 T r true eps (printed_delta (sqrt (INR T / 2)) eps).
Proof. intros D N _ x y event draws near X Y. rewrite printed_delta_is_gaussian. now apply lemma_3 with (r := r). Qed.

Lemma printed_delta_informative m eps : printed_delta m eps < 1.
Proof.
unfold printed_delta. set (far := - eps / m - 1 / 2 * m).
generalize (proj2 (Phi_inside (- eps / m + 1 / 2 * m))) (Rmult_lt_0_compat _ _ (exp_pos eps) (proj1 (Phi_inside far))). lra.
Qed.

(* Theorem 1, informal: it is private. For every eps, and every T, the delta of Theorem 3 is less than 1. *)
Theorem theorem_1 A same (arms : list A) T r eps : NoDup arms -> (1 <= T)%nat -> 0 <= eps ->
  printed_delta (sqrt (INR T / 2)) eps < 1 /\
  pulls_private same arms [] 1 T r true eps (printed_delta (sqrt (INR T / 2)) eps).
Proof. intros D N E. split; [apply printed_delta_informative|now apply theorem_3]. Qed.

(** * The hypotheses can hold together *)
Lemma theorem_1_witness : satisfiable theorem_1.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull, 1. hold. now exists x, y, (fun _ => true), 4%nat.
Qed.

Lemma theorem_3_witness : satisfiable theorem_3.
Proof.
destruct (different_rewards bool bool_dec true 0 round) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, round, 1. hold. now exists x, y, (fun _ => true), 4%nat.
Qed.
