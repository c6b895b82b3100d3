(* Adaptive composition of mechanisms with discrete outcomes: each round's law may depend on all that was released before.
   Pure differential privacy, Renyi's, rounds of which one alone reads the changed datum, and post-processing. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments.
Import ListNotations.
Open Scope R_scope.

Section Composition.
Variables (A : Type) (outcomes : list A) (p q : law A).
Notation releases := (releases A).
Notation chance := (chance A outcomes).

Definition chances (r : law A) := forall h a, In a outcomes -> 0 <= r h a.

Lemma chance_positive r k h event : chances r -> 0 <= chance r k h event.
Proof.
intros R0. revert h. induction k as [|k IH]; intros h; simpl; [destruct (event h); lra|].
rewrite <- (Rmult_0_r (sum (r h) outcomes)), <- sum_scaled. apply sum_le. intros a I.
apply Rmult_le_compat_l; auto.
Qed.

Section Pure.
Variables (cost : releases -> R) (left : releases -> R).
Hypotheses (p_chances : chances p) (q_chances : chances q).
(* left: what the rounds from here on may cost. *)
Hypothesis round : forall h a, In a outcomes -> p h a <= exp (cost h) * q h a.
Hypothesis left_positive : forall h, 0 <= left h.
Hypothesis pays : forall h a, In a outcomes -> cost h + left (a :: h) <= left h.

Theorem pure_composition k h event : chance p k h event <= exp (left h) * chance q k h event.
Proof.
revert h. induction k as [|k IH]; intros h; simpl.
- assert (1 <= exp (left h)) by (rewrite <- exp_0; apply exp_le, left_positive). destruct (event h); lra.
- rewrite Rmult_comm, <- sum_scaled. apply sum_le. intros a I.
  assert (C := chance_positive q k (a :: h) event q_chances). assert (Q := q_chances h a I).
  apply Rle_trans with (exp (cost h) * q h a * (exp (left (a :: h)) * chance q k (a :: h) event)).
  + apply Rmult_le_compat; [now apply p_chances|now apply chance_positive|now apply round|apply IH].
  + replace (exp (cost h) * q h a * (exp (left (a :: h)) * chance q k (a :: h) event)) with
      (q h a * chance q k (a :: h) event * exp (cost h + left (a :: h))) by (rewrite exp_plus; ring).
    apply Rmult_le_compat_l; [now apply Rmult_le_pos|]. apply exp_le. now apply pays.
Qed.
End Pure.

(* k rounds, each eps-DP whatever came before, are k eps-DP. *)
Theorem adaptive_composition eps k event : 0 <= eps -> chances p -> chances q ->
  (forall h a, In a outcomes -> p h a <= exp eps * q h a) ->
  chance p k [] event <= exp (INR k * eps) * chance q k [] event.
Proof.
intros E P Q H. revert P Q H. generalize (@nil A) as h. induction k as [|k IH]; intros h P Q H.
- simpl. rewrite Rmult_0_l, exp_0. lra.
- simpl chance. rewrite Rmult_comm, <- sum_scaled. apply sum_le. intros a I.
  replace (INR (S k) * eps) with (eps + INR k * eps) by (rewrite S_INR; ring). rewrite exp_plus.
  apply Rle_trans with (exp eps * q h a * (exp (INR k * eps) * chance q k (a :: h) event)); [|right; ring].
  apply Rmult_le_compat; [now apply P|now apply chance_positive|now apply H|now apply IH].
Qed.

(* Rounds of fresh data: the changed datum is read in one round at most, which the past determines; that round is eps-DP, and
   all others have the same law. Then all of them together are eps-DP. *)
Theorem fresh_rounds eps (reads : releases -> bool) k event : 0 <= eps -> chances p -> chances q ->
  (forall h a, In a outcomes -> reads h = false -> p h a = q h a) ->
  (forall h a, In a outcomes -> reads h = true -> p h a <= exp eps * q h a) ->
  (forall h z, reads h = true -> reads (z ++ h) = true -> z = []) ->
  chance p k [] event <= exp eps * chance q k [] event.
Proof.
intros E P Q same read once.
set (over := fix over (h : releases) := match h with [] => false | _ :: h' => if reads h' then true else over h' end).
assert (O : forall h, over h = true -> reads h = false).
{ intros h O. destruct (reads h) eqn:R0; [|reflexivity]. exfalso.
  assert (F : exists z h', z <> [] /\ h = z ++ h' /\ reads h' = true).
  { clear R0. induction h as [|a h IH]; [discriminate|]. simpl in O. destruct (reads h) eqn:R1.
    - exists [a], h. now split; [|split].
    - destruct (IH O) as (z & h' & N & -> & R2). exists (a :: z), h'. now split; [|split]. }
  destruct F as (z & h' & N & -> & R1). apply N. now apply (once h'). }
change (exp eps * chance q k [] event) with (exp (if over [] then 0 else eps) * chance q k [] event).
apply (pure_composition (fun h => if reads h then eps else 0) (fun h => if over h then 0 else eps)); auto.
- intros h a I. destruct (reads h) eqn:R0; [now apply read|]. rewrite exp_0, (same h a I R0). lra.
- intros h. destruct (over h); lra.
- intros h a I. simpl. destruct (reads h) eqn:R0.
  + destruct (over h) eqn:V; [rewrite (O h V) in R0; discriminate|lra].
  + destruct (over h); lra.
Qed.

(* Whatever is computed from the releases alone is as private as they are. *)
Theorem post_processing B (g : releases -> B) eps delta k :
  (forall event, chance p k [] event <= exp eps * chance q k [] event + delta) ->
  forall event : B -> bool, chance p k [] (fun h => event (g h)) <=
    exp eps * chance q k [] (fun h => event (g h)) + delta.
Proof. intros H event. apply (H (fun h => event (g h))). Qed.

(* Renyi's: rounds whose moments of order 1 + lam are at most exp(lam rho (1 + lam)) each, whatever came before; zCDP is
   this for every lam. *)
Theorem renyi_composition lam rho k h : 0 < lam -> positive_law A outcomes p -> positive_law A outcomes q ->
  (forall h, sum (fun a => tilted lam (p h a) (q h a)) outcomes <= exp rho) ->
  moment lam A outcomes p q k h <= exp (INR k * rho).
Proof.
intros L P Q H. revert h. induction k as [|k IH]; intros h; [simpl; rewrite Rmult_0_l, exp_0; lra|].
apply Rle_trans with (sum (fun a => tilted lam (p h a) (q h a) * exp (INR k * rho)) outcomes).
- simpl. apply sum_le. intros a I. apply Rmult_le_compat_l; [|apply IH].
  left. apply tilted_positive. now apply P.
- rewrite sum_scaled, S_INR. replace ((INR k + 1) * rho) with (rho + INR k * rho) by ring. rewrite exp_plus.
  apply Rmult_le_compat_r; [left; apply exp_pos|apply H].
Qed.

Theorem renyi_private lam rho k eps delta event : 0 < lam -> 0 < delta ->
  positive_law A outcomes p -> positive_law A outcomes q ->
  (forall h, sum (fun a => tilted lam (p h a) (q h a)) outcomes <= exp rho) ->
  ln (best_share lam) + INR k * rho - lam * eps <= ln delta ->
  chance p k [] event <= exp eps * chance q k [] event + delta.
Proof.
intros L D P Q H E. apply (private_by_moment lam L A outcomes p q P Q).
rewrite <- (exp_ln delta) by exact D. assert (M := renyi_composition lam rho k [] L P Q H).
apply Rle_trans with (best_share lam * exp (- (lam * eps)) * exp (INR k * rho)).
- apply Rmult_le_compat_l; [|exact M]. apply Rmult_le_pos; left; apply exp_pos.
- rewrite <- (exp_ln (best_share lam)) by apply exp_pos. rewrite <- !exp_plus. apply exp_le. lra.
Qed.
End Composition.
