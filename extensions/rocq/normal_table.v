(* Phi and the normal density at multiples of 1/64, enclosed by computation. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Interval.Real Require Import Xreal.
From Dpbandits Require Import normal game_numbers normal_series.
Import ListNotations.
Open Scope R_scope.

(** * Phi and its density at multiples of 1/64 *)
Definition sixty_fourth : Z := 17179869184. (* in units of 1/fine *)
Lemma in_sixty_fourths k : IZR (k * sixty_fourth) / IZR fine = IZR k / 64.
Proof. rewrite mult_IZR. unfold sixty_fourth, fine. field. Qed.

Lemma bell_ok k : holds (bell_at (k * sixty_fourth)) (exp (- (IZR k / 64 * (IZR k / 64)) / 2)).
Proof. rewrite <- in_sixty_fourths. apply bell_at_ok. Qed.

Lemma Phi_ok k : holds (Phi_at root_2pi (bell_at (k * sixty_fourth)) (k * sixty_fourth)) (Phi (IZR k / 64)).
Proof. rewrite <- in_sixty_fourths. apply Phi_at_ok, bell_at_ok. Qed.

(** * Intervals around Phi(k/64) *)
Definition Phi_table (root : I.type) (size : nat) : list I.type :=
  List.map (fun k => let z := (Z.of_nat k * sixty_fourth)%Z in Phi_at root (bell_at z) z) (seq 0 size).
Definition Phi_table_good (t : list I.type) := forall n, holds (nth n t I.nai) (Phi (IZR (Z.of_nat n) / 64)).

Lemma unknown_holds x : holds I.nai x.
Proof. apply any_holds. now rewrite I.nai_correct. Qed.

Lemma Phi_table_ok size : Phi_table_good (Phi_table root_2pi size).
Proof.
intros n. unfold Phi_table. destruct (Nat.lt_ge_cases n size) as [L|L].
- set (f := fun k => _). rewrite (nth_indep _ I.nai (f 0%nat)) by now rewrite map_length, seq_length.
  rewrite map_nth, seq_nth by exact L. apply Phi_ok.
- rewrite nth_overflow by now rewrite map_length, seq_length. apply unknown_holds.
Qed.

(* Computed once, so that no proof has to repeat it. *)
Definition Phi_places : list I.type := Eval vm_compute in Phi_table root_2pi 400.
Lemma Phi_places_ok : Phi_table_good Phi_places.
Proof.
assert (E : Phi_places = Phi_table root_2pi 400) by (vm_cast_no_check (eq_refl Phi_places)).
rewrite E. apply Phi_table_ok.
Qed.

(* An interval around Phi(k/64), for k of either sign. *)
Definition tabled_Phi (t : list I.type) (k : Z) : I.type := let i := nth (Z.to_nat (Z.abs k)) t I.nai in
  if (0 <=? k)%Z then i else I.sub bits (I.fromZ bits 1) i.

Lemma tabled_Phi_ok t k : Phi_table_good t -> holds (tabled_Phi t k) (Phi (IZR k / 64)).
Proof.
intros G. unfold tabled_Phi. assert (H := G (Z.to_nat (Z.abs k))). rewrite Z2Nat.id in H by apply Z.abs_nonneg.
cbv zeta. set (i := nth (Z.to_nat (Z.abs k)) t I.nai) in *. destruct (Z.leb_spec 0 k) as [K|K].
- rewrite Z.abs_eq in H by exact K. exact H.
- rewrite Z.abs_neq, opp_IZR in H by lia. replace (IZR k / 64) with (- (- IZR k / 64)) by field. rewrite Phi_opp.
  apply in_sub; [apply (in_whole bits 1)|exact H].
Qed.

(** * The table of the threshold game, in whole numbers *)
Definition table_unit : Z := 281474976710656.
Definition between (lo : bigZ) (i : I.type) (hi : bigZ) : bool :=
  is_at_most bits (part (BigZ.to_Z lo) table_unit) i && is_at_most bits i (part (BigZ.to_Z hi) table_unit).
Definition entry_right (root : I.type) (k : Z) (e : entry) : bool := let '(lo, hi, least, most) := e in
  let z := (k * sixty_fourth)%Z in let bell := bell_at z in
  (0 <=? least)%bigZ && between lo (Phi_at root bell z) hi && between least (I.div bits bell root) most.
Fixpoint entries_right (root : I.type) (k : Z) (l : list entry) : bool :=
  match l with [] => true | e :: rest => entry_right root k e && entries_right root (k + 1) rest end.

Lemma between_ok lo i hi x : between lo i hi = true -> holds i x -> real lo <= x * 281474976710656 <= real hi.
Proof.
intros H X. apply andb_prop in H. destruct H as [L U]. assert (A := is_at_most_ok bits _ _ _ _ L (part_holds _ _) X).
assert (B := is_at_most_ok bits _ _ _ _ U X (part_holds _ _)). change (IZR table_unit) with 281474976710656 in A, B.
unfold real. lra.
Qed.

Lemma entries_ok l : forall k, entries_right root_2pi k l = true -> tabled k l.
Proof.
induction l as [|[[[lo hi] least] most] l IH]; intros k H; [exact Logic.I|]. cbn [entries_right] in H.
apply andb_prop in H. destruct H as [H Rest]. split; [|now apply IH]. unfold entry_right in H.
apply andb_prop in H. destruct H as [H D]. apply andb_prop in H. destruct H as [Least P].
apply real_le in Least. change (real 0) with 0 in Least. unfold good_entry.
split; [exact (between_ok _ _ _ _ P (Phi_ok k))|split; [exact Least|]].
apply (between_ok _ _ _ _ D). apply in_div; [apply bell_ok|apply root_2pi_holds].
Qed.
