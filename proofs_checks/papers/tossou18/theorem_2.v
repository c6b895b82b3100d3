(* The abstract: enough variance gives any level of privacy; T/mu^2 is enough for mu-GDP. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3 section_4_1_lemma_4.
Import ListNotations.
Open Scope R_scope.

Theorem any_level A same (arms : list A) T r mu : NoDup arms -> (1 <= T)%nat -> 0 < mu ->
  0 < INR T / (mu * mu) /\ pulls_gdp A same arms [] (INR T / (mu * mu)) 1 T r true mu.
Proof.
intros D N M. assert (L := lt_0_INR T N). assert (V : 0 < INR T / (mu * mu)) by (apply Rdiv_lt_0_compat; nra).
split; [exact V|]. assert (P : prepulled same T 0 []) by (split; [apply le_0_n|reflexivity]).
apply (pulls_gdp_above A same arms [] (INR T / (mu * mu)) 1 T 0 V D P ltac:(simpl; lra)); [exact M|].
apply Rle_trans with (1 := rounds_cost (INR T / (mu * mu)) T (length (@nil A)) 0 V). right. simpl (INR 0). field. lra.
Qed.

Lemma any_level_witness : satisfiable any_level.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull, 1. hold. now exists 1, x, y, (fun _ => true), 4%nat.
Qed.
