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
