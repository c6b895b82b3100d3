(* The budget of DP-BAI, with as many pulls kept as its phases round up. *)
From Coq Require Import List Arith Lia.
From Dpbandits Require Import satisfiable.
Import ListNotations.

(* The least integer that is at least a/b. *)
Definition ceiling (a b : nat) : nat := (a + b - 1) / b.

(* Of phases 1, ..., M. *)
Definition over_phases (M : nat) (f : nat -> nat) : nat := list_sum (map f (seq 1 M)).

(* Line 6: how many arms a phase pulls, of s active ones whose features have this rank: a collection of so many arms as
   the rank, or all. A rank of 0 means that all features are 0, and one arm is pulled. *)
Definition pulled_arms (s rank : nat) : nat := if s <=? rank * rank then s else Nat.max 1 rank.

Lemma ceiling_above a b : 0 < b -> a <= b * ceiling a b < a + b.
Proof.
intros B. unfold ceiling. assert (D := Nat.div_mod (a + b - 1) b ltac:(lia)).
assert (R := Nat.mod_upper_bound (a + b - 1) b ltac:(lia)). lia.
Qed.

(* Phases that pull k p arms each, every one of them ceil(T'/(M k p)) times. *)
Lemma phases_within M k left : 1 <= M -> 1 <= left -> (forall p, 1 <= p <= M -> 1 <= k p) ->
  over_phases M (fun p => k p * ceiling left (M * k p)) < left + over_phases M k.
Proof.
intros M1 L K. assert (H : forall n, n <= M ->
  M * over_phases n (fun p => k p * ceiling left (M * k p)) + n <= n * left + M * over_phases n k).
{ induction n as [|n IH]; intros N; [unfold over_phases; simpl; lia|]. specialize (IH ltac:(lia)).
  unfold over_phases in *. rewrite seq_S, !map_app, !list_sum_app. simpl.
  assert (C := ceiling_above left (M * k (S n))). specialize (K (S n) ltac:(lia)). specialize (C ltac:(nia)).
  set (c := ceiling left (M * k (S n))) in *. nia. }
specialize (H M (le_n M)). nia.
Qed.

(* s p: the active arms of phase p; rank p: of their features. *)
Theorem budget_repaired M d T (s rank : nat -> nat) : 1 <= M -> 1 <= d ->
  (forall p, 1 <= p <= M -> 1 <= s p /\ rank p <= d) ->
  over_phases M (fun p => Nat.min (s p) (d * d)) < T ->
  let left := T - over_phases M (fun p => Nat.min (s p) (d * d)) in
  let pulled p := pulled_arms (s p) (rank p) in
  over_phases M (fun p => pulled p * ceiling left (M * pulled p)) < T.
Proof.
intros M1 D S L left pulled.
assert (P : forall p, 1 <= p <= M -> 1 <= pulled p <= Nat.min (s p) (d * d)).
{ intros p Hp. destruct (S p Hp) as [S1 R]. unfold pulled, pulled_arms. destruct (Nat.leb_spec (s p) (rank p * rank p)); nia. }
assert (W := phases_within M pulled left M1 ltac:(unfold left; lia) (fun p H => proj1 (P p H))).
assert (Sum : over_phases M pulled <= over_phases M (fun p => Nat.min (s p) (d * d))).
{ unfold over_phases. assert (Q : forall p, In p (seq 1 M) -> pulled p <= Nat.min (s p) (d * d)).
  { intros p I. apply in_seq in I. apply P. lia. }
  revert Q. generalize (seq 1 M). intros l. induction l as [|p l IH]; intros Q; simpl; [lia|].
  assert (A := Q p (or_introl eq_refl)). assert (B := IH (fun r I => Q r (or_intror I))). lia. }
unfold left in *. lia.
Qed.

(** * The hypotheses can hold together *)
Lemma budget_repaired_witness : satisfiable budget_repaired.
Proof.
exists 2, 2, 20, (fun p => 4 / p), (fun _ => 2). split; [lia|]. split; [lia|]. split.
- intros [|[|[|p]]] H; simpl; lia.
- unfold over_phases. simpl. lia.
Qed.
