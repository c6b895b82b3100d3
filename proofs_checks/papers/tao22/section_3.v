(* Lemma 1, parallel composition, of mechanisms with finitely many outcomes: each is run on its own data set, and
   neighbours differ in one of these. *)
From Coq Require Import Reals Lra Lia List Arith.
From Dpbandits Require Import moments composition.
Import ListNotations.
Open Scope R_scope.

(* A mechanism's chance of an outcome, from its data set; eps-DP for data sets that are `near`. *)
Definition mechanism (D A : Type) := D -> A -> R.
Definition private {D A} (outcomes : list A) (near : D -> D -> Prop) eps (M : mechanism D A) :=
  forall x y, near x y -> forall a, In a outcomes -> M x a <= exp eps * M y a.

(* The outcomes of all of them, the first one's last: mechanism i is run on data set i. *)
Definition together {D A} (M : nat -> mechanism D A) (x : nat -> D) : law A := fun h => M (length h) (x (length h)).

Theorem lemma_1 (D A : Type) (outcomes : list A) (near : D -> D -> Prop) eps (M : nat -> mechanism D A) n x y i :
  0 <= eps -> (forall k z a, In a outcomes -> 0 <= M k z a) -> (forall k, private outcomes near eps (M k)) ->
  near (x i) (y i) -> (forall k, k <> i -> x k = y k) -> forall event,
  chance A outcomes (together M x) n [] event <= exp eps * chance A outcomes (together M y) n [] event.
Proof.
intros E P H N S event. apply (fresh_rounds A outcomes _ _ eps (fun h => Nat.eqb (length h) i)); [exact E| | | | |].
- intros h a I. now apply P.
- intros h a I. now apply P.
- intros h a I J. apply Nat.eqb_neq in J. unfold together. now rewrite (S _ J).
- intros h a I J. apply Nat.eqb_eq in J. unfold together. rewrite J. now apply H.
- intros h z J K. apply Nat.eqb_eq in J, K. rewrite app_length in K. destruct z; [reflexivity|simpl in K; lia].
Qed.
