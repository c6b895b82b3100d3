(* The abstract: Thompson sampling is already private. By another route than theirs, Theorem 3 of ou24. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3.
Import ListNotations.
Open Scope R_scope.

Theorem already_private A same (arms : list A) T r : NoDup arms -> (1 <= T)%nat ->
  pulls_gdp A same arms [] 1 1 T r true (sqrt (INR T / 2)) /\
  (forall eps, 0 <= eps -> printed_delta (sqrt (INR T / 2)) eps < 1 /\
     pulls_private same arms [] 1 T r true eps (printed_delta (sqrt (INR T / 2)) eps)).
Proof. intros D N. split; [now apply lemma_3|]. intros eps E. now apply theorem_1. Qed.

Lemma already_private_witness : satisfiable already_private.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull. hold; [now exists 1, x, y, (fun _ => true), 4%nat|].
exists 1. hold. now exists x, y, (fun _ => true), 4%nat.
Qed.
