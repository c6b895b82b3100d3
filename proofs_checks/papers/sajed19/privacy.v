(* DP-SE is eps-differentially private: epochs of fresh rewards, whose means meet Laplace noise, decide who is left. *)
From Coq Require Import Reals List.
From Dpbandits Require Import moments rewards densities laplace noisy_means elimination witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Elimination.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat).
(* Lines 4, 5 and lines 8, 9, 11: R and 2 h + 2 c in epoch e with s active arms. *)
Variables (rounds : nat -> nat -> nat) (width : nat -> nat -> R).
Hypothesis rounds_positive : forall e s, (1 <= rounds e s)%nat.

(* The chance of an event of the pulls. Lines 2, 3, 6, 10 to 12 are `elimination`, and line 7 is `noisy`. *)
Definition dp_se_chance (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy A same pull (elimination A arms rounds width) eps t) (elimination_ended A arms T rounds width)
    (fun h => event (eliminated_pulls A arms T rounds width h)) draws [].

Theorem dp_se_private eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A pull t u ->
  dp_se_chance eps t event draws <= exp eps * dp_se_chance eps u event draws.
Proof. intros. apply noisy_means_private; auto. now apply elimination_sound. Qed.
End Elimination.

Lemma dp_se_private_witness : satisfiable dp_se_private.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, [true; false], 4%nat, (fun _ _ => 1%nat), (fun _ _ => 0). split; [intros; apply le_n|].
exists 1, t, u, (fun _ => true), 4%nat. hold.
Qed.
