(* Lemma 2 repaired: one stream, and as many shares of eps as there are levels. *)
From Coq Require Import Reals.
From Dpbandits Require Import rewards densities noisy_means tree witnesses satisfiable.
Open Scope R_scope.

(* The stream is that of a single arm. *)
Theorem lemma_2_repaired (same : forall a b : unit, {a = b} + {a <> b}) T (bound : nat -> R) eps
  (t u : unit -> nat -> R) event : (1 <= T)%nat -> 0 < eps -> (forall n, 0 < bound n) ->
  (forall m n, (m <= n)%nat -> bound m <= bound n) -> near unit pull t u ->
  let chance z := sums_chance unit same pull T (fun _ => tt) bound (eps / INR (S (Nat.log2 T))) z event in
  chance t <= exp eps * chance u.
Proof. intros. now apply trees_private. Qed.

Lemma lemma_2_repaired_witness : satisfiable lemma_2_repaired.
Proof.
assert (same : forall a b : unit, {a = b} + {a <> b}) by (intros [] []; now left).
destruct (different_tables unit same tt 0 pull) as (t & u & _ & _ & N & _).
exists same, 4%nat, (fun _ => 1), 1, t, u, (fun _ => true). hold; intros; apply Rlt_0_1 || apply Rle_refl.
Qed.
