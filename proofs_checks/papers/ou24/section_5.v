(* Section 5.1: at T = 10^5 standard Thompson sampling is 316-GDP. *)
From Coq Require Import Reals Lra Lia List Bool ZArith.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Theorem bound_316 A same (arms : list A) T r : NoDup arms -> INR T = 100000 -> pulls_gdp A same arms [] 1 1 T r true 316.
Proof.
intros D N. apply (pulls_gdp_above A same arms [] 1 1 T 0); try assumption; try (simpl; lra).
- split; [simpl; lia|reflexivity].
- simpl length. change (Nat.max 0 1) with 1%nat. assert (INR (T - 1) <= INR T) by (apply le_INR; lia).
  change (INR 1) with 1. lra.
Qed.

Lemma bound_316_witness : satisfiable bound_316.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, (Z.to_nat 100000), pull. split; [exact both_different|]. split.
- rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
- now exists 1, x, y, (fun _ => true), 4%nat.
Qed.
