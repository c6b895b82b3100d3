(* What arms pay, and what one change does to their sums: of one reward of the table of pulls, or of all rewards of a
   round. Any number of arms. *)
From Coq Require Import Reals Lra Lia List Arith.
From Dpbandits Require Import moments.
Import ListNotations.
Open Scope R_scope.

Section Rewards.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).
Notation releases := (releases A).
Notation pulls := (pulls A same).

(* What a pull of an arm pays after these releases; rewards lie in [0, 1]. *)
Definition rewards := releases -> A -> R.
Definition in_range (x : rewards) := forall h a, 0 <= x h a <= 1.

(* A table says what the n-th pull of an arm pays, or what an arm pays in the t-th round; n and t from 0. *)
Definition table := A -> nat -> R.
Definition by_pull (t : table) : rewards := fun h a => t a (pulls a h).
Definition by_round (t : table) : rewards := fun h a => t a (length h).

(* The neighbours of both relations: one reward of one arm is another one, or all rewards of a round are. *)
Definition pull_neighbours (x y : rewards) := exists t u j m,
  (forall a n, ~ (a = j /\ n = m) -> t a n = u a n) /\ x = by_pull t /\ y = by_pull u.
Definition round_neighbours (x y : rewards) := exists t u m,
  (forall a n, n <> m -> t a n = u a n) /\ x = by_round t /\ y = by_round u.
Inductive relation := pull | round.
Definition neighbours (r : relation) := match r with pull => pull_neighbours | round => round_neighbours end.

(* The sum of an arm's rewards, and its mean with one reward of 0 more. *)
Fixpoint total (x : rewards) (a : A) (h : releases) : R :=
  match h with [] => 0 | b :: h' => (if same a b then x h' a else 0) + total x a h' end.
Definition mean (x : rewards) a h := total x a h / (INR (pulls a h) + 1).

Lemma mean_in_range x a h : in_range x -> 0 <= mean x a h <= 1.
Proof.
intros H. assert (N := pos_INR (pulls a h)). unfold mean.
assert (B : 0 <= total x a h <= INR (pulls a h)).
{ clear N. induction h as [|b h IH]; simpl; [lra|]. destruct (same a b) as [<-|_]; [|lra].
  rewrite S_INR. generalize (H h a); lra. }
split; [apply Rle_mult_inv_pos; lra|].
apply Rmult_le_reg_r with (INR (pulls a h) + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Rewards that differ in what one pull pays at most, whichever pull it is: one that `hit` names. *)
Fixpoint begun (hit : releases -> A -> bool) (h : releases) : bool :=
  match h with [] => false | b :: h' => if hit h' b then true else begun hit h' end.
Definition once (hit : releases -> A -> bool) (x y : rewards) :=
  (forall h a, hit h a = false -> x h a = y h a) /\ (forall h a, begun hit h = true -> hit h a = false).

(* One entry of a table of pulls: the pull of arm j that has m before it. *)
Definition at_pull j m (h : releases) a := if same a j then Nat.eqb (pulls j h) m else false.

Lemma pull_once t u j m : (forall a n, ~ (a = j /\ n = m) -> t a n = u a n) -> once (at_pull j m) (by_pull t) (by_pull u).
Proof.
intros E. split; unfold at_pull.
- intros h a H. unfold by_pull. apply E. intros [-> L]. destruct (same j j) as [_|N]; [|now apply N].
  rewrite L, Nat.eqb_refl in H; discriminate.
- intros h a H. destruct (same a j) as [_|_]; [|reflexivity]. apply Nat.eqb_neq.
  assert (M : (m < pulls j h)%nat); [|lia]. clear a. induction h as [|b h IH]; [discriminate|]. simpl in *.
  destruct (same b j) as [->|N].
  + destruct (same j j) as [_|N]; [|now destruct N]. destruct (Nat.eqb_spec (pulls j h) m) as [->|_]; [lia|].
    specialize (IH H); lia.
  + destruct (same j b) as [->|_]; [now destruct N|]. now apply IH.
Qed.

Theorem neighbours_once r x y : neighbours r x y -> exists hit, once hit x y.
Proof.
destruct r.
- intros (t & u & j & m & E & -> & ->). exists (at_pull j m). now apply pull_once.
- intros (t & u & m & E & -> & ->). exists (fun h _ => Nat.eqb (length h) m). split.
  + intros h a H. apply E. now apply Nat.eqb_neq.
  + intros h _ H. apply Nat.eqb_neq. assert (M : (m < length h)%nat); [|lia].
    induction h as [|b h IH]; [discriminate|]. simpl in *.
    destruct (Nat.eqb_spec (length h) m) as [->|_]; [lia|]. specialize (IH H); lia.
Qed.

Section Change.
Variables (hit : releases -> A -> bool) (x y : rewards).
Hypotheses (change : once hit x y) (x_range : in_range x) (y_range : in_range y).

Lemma mean_before a h : begun hit h = false -> mean y a h = mean x a h.
Proof.
intros H. unfold mean. f_equal. destruct change as [E _]. induction h as [|b h IH]; [reflexivity|]. simpl in *.
destruct (hit h b) eqn:F; [discriminate|]. rewrite IH by assumption. destruct (same a b) as [<-|_]; [|reflexivity].
now rewrite (E _ _ F).
Qed.

(* The change was one of arm j, by d. *)
Definition moved (j : A) (d : R) (h : releases) := begun hit h = true /\ (1 <= pulls j h)%nat /\
  total y j h = total x j h + d /\ forall a, a <> j -> total y a h = total x a h.

Lemma moved_stays j d h a : moved j d h -> moved j d (a :: h).
Proof.
intros (B & L & S & O). destruct change as [E once_only]. assert (H := once_only h a B).
unfold moved; simpl. rewrite H. split; [exact B|]. split; [destruct (same j a); lia|].
split; [|intros b N]; rewrite ?S, ?(O b N); destruct (same _ a) as [->|_]; rewrite ?(E h a H); lra.
Qed.

Lemma change_moves h : begun hit h = true -> exists j d, -1 <= d <= 1 /\ moved j d h.
Proof.
induction h as [|b h IH]; [discriminate|]. intros H. simpl in H. destruct (begun hit h) eqn:B.
- destruct (IH eq_refl) as (j & d & D & M). exists j, d. split; [exact D|]. now apply moved_stays.
- destruct (hit h b) eqn:F; [|discriminate]. exists b, (y h b - x h b).
  split; [generalize (x_range h b) (y_range h b); lra|].
  assert (T : forall a, total y a h = total x a h).
  { intros a. clear H F IH. destruct change as [E _]. induction h as [|c h IH]; [reflexivity|]. simpl in *.
    destruct (hit h c) eqn:F; [discriminate|]. rewrite IH by assumption. destruct (same a c) as [<-|_]; [|reflexivity].
    now rewrite (E _ _ F). }
  unfold moved; simpl. rewrite F. destruct (same b b) as [_|N]; [|now destruct N].
  split; [reflexivity|]. split; [lia|]. split; [rewrite T; lra|].
  intros a N. rewrite T. destruct (same a b) as [E|_]; [now destruct N|]. lra.
Qed.

Lemma mean_moved j d h : moved j d h -> mean y j h = mean x j h + d / (INR (pulls j h) + 1).
Proof. intros (_ & _ & E & _). unfold mean. rewrite E. field. generalize (pos_INR (pulls j h)); lra. Qed.

Lemma mean_unmoved j d a h : moved j d h -> a <> j -> mean y a h = mean x a h.
Proof. intros (_ & _ & _ & E) N. unfold mean. now rewrite (E a N). Qed.
End Change.
End Rewards.
