(* The budget of Baseline, which pulls every active arm in every phase. *)
From Coq Require Import List Arith Lia.
From Dpbandits Require Import satisfiable.
From Dpbandits.chen24 Require Import section_3_budget.

(* s p: the active arms of phase p. *)
Theorem baseline_budget M T (s : nat -> nat) : 1 <= M -> (forall p, 1 <= p <= M -> 1 <= s p) -> over_phases M s < T ->
  let left := T - over_phases M s in over_phases M (fun p => s p * ceiling left (M * s p)) < T.
Proof.
intros M1 S L left. assert (W := phases_within M s left M1 ltac:(unfold left; lia) S). unfold left in *. lia.
Qed.

(** * The hypotheses can hold together *)
Lemma baseline_budget_witness : satisfiable baseline_budget.
Proof.
exists 2, 20, (fun p => 4 / p). split; [lia|]. split; [intros [|[|[|p]]] H; simpl; lia|]. unfold over_phases. simpl. lia.
Qed.
