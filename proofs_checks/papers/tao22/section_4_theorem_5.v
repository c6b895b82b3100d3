(* Section 4: how often Algorithm 3 removes arms. *)
From Coq Require Import Reals Lra Lia List Arith.
From Dpbandits Require Import densities elimination satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Removals.
Variables (A : Type) (arms : list A) (rounds : nat -> nat -> nat) (width : nat -> nat -> R).
Notation state_after := (state_after A arms rounds width).

(* How many arms are active after these noisy means, and after how many of them fewer arms were active than before. *)
Definition still_active (h : outcomes) : nat := length (active A (state_after h)).
Fixpoint removals (h : outcomes) : nat :=
  match h with [] => 0 | z :: h' => removals h' + if Nat.ltb (still_active (z :: h')) (still_active h') then 1 else 0 end.

Lemma best_attained (l : list (A * R)) : l <> [] -> exists one, In one l /\ snd one = best A l.
Proof.
destruct l as [|[a z] l]; [easy|]. intros _. simpl. induction l as [|[b y] l (one & I & E)]; simpl.
- exists (a, z). auto.
- unfold Rmax at 1. destruct (Rle_dec _ _) as [H|H].
  + exists one. split; [destruct I; auto|exact E].
  + exists (b, y). auto.
Qed.

Lemma kept_some far l : 0 <= far -> l <> [] -> (1 <= length (kept A far l))%nat.
Proof.
intros F N. destruct (best_attained l N) as (one & I & E). unfold kept. rewrite map_length.
set (f := fun one => _). assert (J : In one (filter f (rev l))).
{ apply filter_In. split; [now apply -> in_rev|]. unfold f. rewrite E. destruct (Rle_dec _ _); [reflexivity|lra]. }
destruct (filter f (rev l)); [destruct J|simpl; lia].
Qed.

Lemma kept_few far l : (length (kept A far l) <= length l)%nat.
Proof.
unfold kept. rewrite map_length, <- (rev_length l). generalize (rev l). intros k.
induction k as [|a k IH]; simpl; [lia|]. destruct (if Rle_dec _ _ then true else false); simpl; lia.
Qed.

Hypothesis width_positive : forall e s, 0 <= width e s.

(* The means drawn in an epoch are of different active arms. *)
Lemma drawn_some h : (still_active h <= length arms)%nat /\ ((1 <= length arms)%nat -> (1 <= still_active h)%nat) /\
  (length (drawn A (state_after h)) <= still_active h)%nat.
Proof.
induction h as [|z h (U & P & D)]; [simpl; unfold still_active; simpl; lia|].
unfold still_active in *. simpl state_after. unfold after.
assert (Len : length (undrawn A (state_after h)) = (length (active A (state_after h)) - length (drawn A (state_after h)))%nat).
{ unfold undrawn. apply skipn_length. }
destruct (undrawn A (state_after h)) as [|a [|b l]] eqn:E; simpl in *; [auto|..].
- assert (F := kept_few (width (epoch A (state_after h)) (length (active A (state_after h)))) ((a, z) :: drawn A (state_after h))).
  assert (S := kept_some (width (epoch A (state_after h)) (length (active A (state_after h)))) ((a, z) :: drawn A (state_after h))
    (width_positive _ _) ltac:(discriminate)). simpl in F. lia.
- lia.
Qed.

Lemma active_falls z h : (still_active (z :: h) <= still_active h)%nat.
Proof.
destruct (drawn_some h) as (_ & _ & D). unfold still_active in *. simpl state_after. unfold after.
assert (Len : length (undrawn A (state_after h)) = (length (active A (state_after h)) - length (drawn A (state_after h)))%nat).
{ unfold undrawn. apply skipn_length. }
destruct (undrawn A (state_after h)) as [|a [|b l]] eqn:E; simpl in *; [lia|..|lia].
assert (F := kept_few (width (epoch A (state_after h)) (length (active A (state_after h)))) ((a, z) :: drawn A (state_after h))).
simpl in F. lia.
Qed.
End Removals.

Theorem special_rounds (A : Type) (arms : list A) (rounds : nat -> nat -> nat) (width : nat -> nat -> R) h :
  (forall e s, 0 <= width e s) -> (removals A arms rounds width h <= length arms - 1)%nat.
Proof.
intros W. assert (H : (removals A arms rounds width h + still_active A arms rounds width h <= length arms)%nat).
{ induction h as [|z h IH]; [simpl; unfold still_active; simpl; lia|].
  assert (F := active_falls A arms rounds width W z h). simpl removals.
  destruct (Nat.ltb_spec (still_active A arms rounds width (z :: h)) (still_active A arms rounds width h)); lia. }
destruct (drawn_some A arms rounds width W h) as (_ & P & _).
destruct (Nat.eq_dec (length arms) 0) as [Z|Z]; lia.
Qed.

(** * The hypotheses can hold together *)
Lemma special_rounds_witness : satisfiable special_rounds.
Proof. exists bool, [true; false], (fun _ _ => 1%nat), (fun _ _ => 1), [0; 3]. intros; lra. Qed.
