(* Appendix D: the two rivals of Thompson sampling are (eps, 0)-DP. *)
From Coq Require Import Reals Lra List Bool.
From Dpbandits Require Import moments rewards densities noisy_means witnesses satisfiable.
From Dpbandits.sajed19 Require Import privacy.
From Dpbandits.hu21 Require Import privacy.
Import ListNotations.
Open Scope R_scope.

Theorem rivals_private A (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (first : A) (others : list A) T
  rounds width index eps t u : (forall e s, (1 <= rounds e s)%nat) -> 0 < eps ->
  bounded A t -> bounded A u -> near A pull t u ->
  (forall event draws, dp_se_chance A same arms T rounds width eps t event draws <=
     exp eps * dp_se_chance A same arms T rounds width eps u event draws) /\
  (forall event draws, lazy_ucb_chance A same first others T index eps t event draws <=
     exp eps * lazy_ucb_chance A same first others T index eps u event draws).
Proof. intros P E B B' N. split; intros; [now apply dp_se_private|now apply lazy_ucb_private]. Qed.

Lemma rivals_private_witness : satisfiable rivals_private.
Proof.
destruct (different_tables bool bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, bool_dec, [true; false], true, [false], 4%nat, (fun _ _ => 1%nat), (fun _ _ => 0), (fun z _ _ => z), 1, t, u.
hold; now exists (fun _ => true), 4%nat.
Qed.
