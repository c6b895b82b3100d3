(* Proposition 4.1: DP-BAI is eps-differentially private. So is every policy that pulls in phases and hears of their
   rewards by noisy means alone, one of each arm in each phase, whatever it makes of these means. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Phases.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (M : nat).
(* From the noisy means of the phases so far, the last first: lines 3 to 7 and 19 to 21, which arms the next phase
   pulls; lines 8 and 14, how often each; lines 22 and 23, which arm is recommended. *)
Variables (block : list (list R) -> list A) (each : list (list R) -> nat) (recommended : list (list R) -> A).

(* The noisy means of all phases that have ended, and those of this one so far. *)
Record state := { ended_phases : list (list R); drawn : list R }.
Definition after (s : state) (z : R) : state :=
  let l := drawn s ++ [z] in
  if Nat.eqb (length l) (length (block (ended_phases s))) then {| ended_phases := l :: ended_phases s; drawn := [] |}
  else {| ended_phases := ended_phases s; drawn := l |}.
Fixpoint state_after (h : outcomes) : state :=
  match h with [] => {| ended_phases := []; drawn := [] |} | z :: h' => after (state_after h') z end.

(* Lines 9, 10, 15 and 16; what comes in a phase that pulls no arm has no effect. *)
Definition phase_means (h : outcomes) : step A :=
  let s := state_after h in
  match nth_error (block (ended_phases s)) (length (drawn s)) with
  | Some a => Mean A a (each (ended_phases s))
  | None => Coin A (laplace 1 0)
  end.
Definition phases_ended (h : outcomes) : bool := Nat.leb M (length (ended_phases (state_after h))).

(* What is released: which arms each phase has pulled, and how often; and the recommendation. *)
Fixpoint pulled (w : list (list R)) : list (list A * nat) :=
  match w with [] => [] | _ :: w' => pulled w' ++ [(block w', each w')] end.
Definition told (h : outcomes) : list (list A * nat) * A :=
  let w := ended_phases (state_after h) in (pulled w, recommended w).

(* A phase takes as many draws as it pulls arms; more than all phases take change nothing. *)
Definition phases_chance (eps : R) (t : table A) (event : list (list A * nat) * A -> bool) (draws : nat) : R :=
  chance_of (noisy A same pull phase_means eps t) phases_ended (fun h => event (told h)) draws [].

Lemma phase_means_sound : (forall w, (1 <= each w)%nat) -> sound A phase_means.
Proof.
intros P h. unfold phase_means. destruct (nth_error _ _); [apply P|].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.

Theorem proposition_4_1 eps t u event draws : 0 < eps -> (forall w, (1 <= each w)%nat) -> bounded A t -> bounded A u ->
  near A pull t u -> phases_chance eps t event draws <= exp eps * phases_chance eps u event draws.
Proof. intros E P T U N. apply noisy_means_private; auto. now apply phase_means_sound. Qed.
End Phases.

Lemma proposition_4_1_witness : satisfiable proposition_4_1.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, 2%nat, (fun _ => [true; false]), (fun _ => 1%nat), (fun _ => true), 1, t, u, (fun _ => true), 4%nat.
hold.
Qed.

(** * The hardness terms (15) *)

(* The largest f i over low <= i <= high. *)
Fixpoint largest_up_to (f : nat -> R) (low steps : nat) : R :=
  match steps with O => f low | S k => Rmax (largest_up_to f low k) (f (low + S k)%nat) end.
Definition largest_over (f : nat -> R) (low high : nat) : R := largest_up_to f low (high - low).
(* delta i is Delta_(i), the i-th smallest gap, i = 1, ..., K. *)
Definition H_BAI (delta : nat -> R) (d K : nat) : R := largest_over (fun i => INR i / delta i ^ 2) 2 (Nat.min (d * d) K).
Definition H_pri (eps : R) (delta : nat -> R) (d K : nat) : R :=
  1 / eps * largest_over (fun i => INR i / delta i) 2 (Nat.min (d * d) K).
Definition H_2 (delta : nat -> R) (K : nat) : R := largest_over (fun i => INR i / delta i ^ 2) 1 K.

Lemma largest_from_next f low steps : f low <= f (S low) -> largest_up_to f low (S steps) = largest_up_to f (S low) steps.
Proof.
intros L. induction steps as [|k IH].
- simpl. replace (low + 1)%nat with (S low) by lia. now apply Rmax_right.
- change (largest_up_to f low (S (S k))) with (Rmax (largest_up_to f low (S k)) (f (low + S (S k))%nat)). rewrite IH.
  simpl. do 2 f_equal. lia.
Qed.

Theorem same_hardness (delta : nat -> R) (d K : nat) : (2 <= K <= d * d)%nat ->
  (forall i, (2 <= i <= K)%nat -> 0 < delta i) -> delta 1%nat = delta 2%nat ->
  H_BAI delta d K = H_2 delta K /\
  forall e, 0 < e -> exists e0, forall eps, e0 <= eps -> - e < H_pri eps delta d K < e.
Proof.
intros I P E. unfold H_BAI, H_pri, H_2, largest_over. replace (Nat.min (d * d) K) with K by lia. split.
- replace (K - 1)%nat with (S (K - 2)) by lia. symmetry. apply largest_from_next. rewrite E.
  assert (Q : 0 < delta 2%nat ^ 2) by (apply pow_lt, P; lia).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. simpl. lra.
- intros e E0. set (m := largest_up_to (fun i => INR i / delta i) 2 (K - 2)). assert (A := Rabs_pos m).
  exists ((Rabs m + 1) / e). intros eps L. assert (X : 0 < (Rabs m + 1) / e) by (apply Rdiv_lt_0_compat; lra).
  assert (Y : Rabs m < e * eps).
  { apply (Rmult_le_compat_l e) in L; [|lra]. replace (e * ((Rabs m + 1) / e)) with (Rabs m + 1) in L by (field; lra). lra. }
  apply Rabs_def2 in Y. replace (1 / eps * m) with (m / eps) by (field; lra).
  split; apply Rmult_lt_reg_r with eps; try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r; lra.
Qed.

Lemma same_hardness_witness : satisfiable same_hardness.
Proof.
exists (fun _ => 1), 2%nat, 3%nat. split; [lia|]. split; [intros; lra|]. split; [reflexivity|exists 1; lra].
Qed.
