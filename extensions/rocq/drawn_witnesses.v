(* What theorems about Thompson sampling with numbers assume can hold: of two arms, of any number of them, and after pre-pulls
   of both arms. *)
From Coq Require Import Reals Lia List Bool.
From Dpbandits Require Import moments rewards thompson witnesses.
Import ListNotations.
Open Scope R_scope.

Lemma neighbours_exist r : exists (x y : rewards bool) (_ : list bool -> bool) (_ : nat),
  neighbours bool bool_dec r x y /\ in_range bool x /\ in_range bool y.
Proof.
destruct (different_rewards bool bool_dec true 0 r) as (x & y & N & X & Y). now exists x, y, (fun _ => true), 4%nat.
Qed.

Lemma two_arms_witness : exists (r : relation) (x y : rewards bool) (_ : list bool -> bool) (_ : nat),
  neighbours bool bool_dec r x y /\ in_range bool x /\ in_range bool y.
Proof. exists pull. apply neighbours_exist. Qed.

Lemma any_arms_witness : exists (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
  NoDup arms /\ (2 <= length arms)%nat /\ (forall a, In a arms) /\
  exists (r : relation) (x y : rewards A) (_ : list A -> bool) (_ : nat),
    neighbours A same r x y /\ in_range A x /\ in_range A y.
Proof.
exists bool, bool_dec, both_arms. split; [exact both_different|split; [apply le_n|]].
split; [intros [|]; simpl; tauto|exact two_arms_witness].
Qed.

Lemma pulls_of_repeated (a b : bool) n : moments.pulls bool bool_dec a (repeat b n) = if bool_dec a b then n else 0%nat.
Proof. induction n as [|n IH]; simpl; [now destruct (bool_dec a b)|]. rewrite IH. now destruct (bool_dec a b). Qed.

Lemma pulls_of_both (a : bool) l l' :
  moments.pulls bool bool_dec a (l ++ l') = (moments.pulls bool bool_dec a l + moments.pulls bool bool_dec a l')%nat.
Proof. induction l as [|b l IH]; simpl; [reflexivity|]. rewrite IH. now destruct (bool_dec a b). Qed.

Lemma prepulled_witness r T many : (many + many <= T)%nat ->
  exists (_ : bool) (first : releases bool), prepulled bool_dec T many first /\
  exists (x y : rewards bool) (_ : list bool -> bool) (_ : nat),
    neighbours bool bool_dec r x y /\ in_range bool x /\ in_range bool y.
Proof.
intros L. exists true, (repeat true many ++ repeat false many). split; [split|apply neighbours_exist].
- rewrite app_length, !repeat_length. exact L.
- intros a. rewrite pulls_of_both, !pulls_of_repeated. destruct a; simpl; lia.
Qed.
