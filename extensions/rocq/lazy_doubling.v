(* Batches of an arm's rewards that double: the first, the next two, the next four. Each is used once, as a noisy mean,
   and older ones are forgotten. *)
From Coq Require Import Reals List Arith.
Import ListNotations.
Open Scope R_scope.

Section Batches.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).

(* Batches whose noisy mean is drawn, the last first: the arm, how many rewards, the mean. *)
Definition batch := (A * nat * R)%type.
Fixpoint batched (a : A) (l : list batch) : nat :=
  match l with [] => 0 | (b, n, _) :: l' => (if same a b then n else 0) + batched a l' end.
(* O_a and mu_a; 0 before the first batch. *)
Fixpoint used (a : A) (l : list batch) : nat :=
  match l with [] => 0 | (b, n, _) :: l' => if same a b then n else used a l' end.
Fixpoint noisy_mean (a : A) (l : list batch) : R :=
  match l with [] => 0 | (b, _, z) :: l' => if same a b then z else noisy_mean a l' end.

(* The batch of an arm that has just been pulled, once it is whole. *)
Definition whole_batch (a : A) (pulled : list A) (l : list batch) : option (A * nat) :=
  let n := Nat.max 1 (2 * used a l) in
  if Nat.eqb (count_occ same pulled a - batched a l) n then Some (a, n) else None.

Lemma whole_batch_positive a pulled l b n : whole_batch a pulled l = Some (b, n) -> (1 <= n)%nat.
Proof.
unfold whole_batch. assert (P := Nat.le_max_l 1 (2 * used a l)). revert P. generalize (Nat.max 1 (2 * used a l)).
intros k P. destruct (Nat.eqb _ _); [|discriminate]. intros E. injection E as _ <-. exact P.
Qed.

(* Among ties the first one. *)
Fixpoint argmax {B} (f : B -> R) (a : B) (l : list B) : B :=
  match l with [] => a | b :: l' => if Rlt_dec (f a) (f b) then argmax f b l' else argmax f a l' end.
End Batches.
