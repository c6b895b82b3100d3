(* Lemma 1, parallel composition, of mechanisms with finitely many outcomes: each is run on its own data set, and
   neighbours differ in one of these. Definition 3, the Laplace mechanism. *)
From Coq Require Import Reals Lra Lia List Arith.
From Dpbandits Require Import moments composition densities laplace.
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

(* Definition 3: d numbers, each with noise of its own; sums of their distances from the i-th on. *)
Definition laplace_mechanism (scale : R) (f : nat -> R) : densities := fun h => laplace scale (f (length h)).
Fixpoint distance (f g : nat -> R) (i k : nat) : R :=
  match k with O => 0 | S k' => Rabs (f i - g i) + distance f g (S i) k' end.

Theorem definition_3 (D : Type) (near : D -> D -> Prop) (f : D -> nat -> R) d sensitivity eps x y event :
  0 < eps -> 0 < sensitivity -> (forall x y, near x y -> distance (f x) (f y) 0 d <= sensitivity) -> near x y ->
  let M z := chance_of (laplace_mechanism (sensitivity / eps) (f z)) (fun h => Nat.leb d (length h)) event d [] in
  M x <= exp eps * M y.
Proof.
intros E S0 H N. assert (B : 0 < sensitivity / eps) by now apply Rdiv_lt_0_compat.
assert (P : forall z h, proper (laplace_mechanism (sensitivity / eps) (f z) h)).
{ intros z h. split; [intros w; now apply laplace_positive|now apply laplace_whole]. }
assert (positive : forall i k, 0 <= distance (f x) (f y) i k).
{ intros i k. revert i. induction k as [|k IH]; intros i; simpl; [lra|].
  generalize (IH (S i)) (Rabs_pos (f x i - f y i)); lra. }
assert (I := Rinv_0_lt_compat _ B).
set (left := fun h : outcomes => distance (f x) (f y) (length h) (d - length h) / (sensitivity / eps)).
assert (Total : left [] <= eps).
{ unfold left. simpl length. rewrite Nat.sub_0_r. apply Rmult_le_reg_r with (sensitivity / eps); [exact B|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (eps * (sensitivity / eps)) with sensitivity by (field; lra). now apply H. }
intros M. apply Rle_trans with (exp (left []) * M y).
- apply (density_composition _ _ (fun h => Nat.leb d (length h)) event (P x) (P y)
    (fun h => Rabs (f x (length h) - f y (length h)) / (sensitivity / eps)) left).
  + intros h. apply Rmult_le_pos; [apply positive|lra].
  + intros h z _. apply laplace_moved; [exact B|apply Rle_refl].
  + intros h z L. apply Nat.leb_gt in L. unfold left. simpl length.
    replace (d - length h)%nat with (S (d - S (length h))) by lia. simpl distance. unfold Rdiv. lra.
- apply Rmult_le_compat_r; [|now apply exp_le]. now apply (chance_inside _ event _ d []).
Qed.
