(* Neighbours that differ, for the witnesses of several papers: one reward of one arm is 1 instead of 0, which is one entry
   of a table of pulls, and in a table of rounds a change of one round. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import moments rewards noisy_means.
Import ListNotations.
Open Scope R_scope.

Section Different.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (j : A) (m : nat).

Definition nothing : table A := fun _ _ => 0.
Definition one_reward : table A := fun a n => if same a j then if Nat.eqb n m then 1 else 0 else 0.

Lemma one_reward_inside a n : 0 <= one_reward a n <= 1.
Proof. unfold one_reward. destruct (same a j), (Nat.eqb n m); lra. Qed.

Lemma one_reward_elsewhere a n : a <> j \/ n <> m -> nothing a n = one_reward a n.
Proof. unfold one_reward, nothing. destruct (same a j), (Nat.eqb_spec n m); tauto. Qed.

Lemma one_reward_there : nothing j m <> one_reward j m.
Proof. unfold one_reward, nothing. destruct (same j j) as [_|N]; [rewrite Nat.eqb_refl; lra|now destruct N]. Qed.

Lemma different_tables r : exists t u : table A, bounded A t /\ bounded A u /\ near A r t u /\ t <> u.
Proof.
exists nothing, one_reward. split; [unfold bounded, nothing; intros; lra|]. split; [exact one_reward_inside|]. split.
- exists j, m. intros a n D. apply one_reward_elsewhere. unfold differs in D. destruct (same a j), (Nat.eq_dec n m); auto.
  exfalso. apply D. split; [assumption|]. now destruct r.
- intros E. apply one_reward_there. now rewrite <- E.
Qed.

Lemma different_rewards r : exists x y : rewards A, neighbours A same r x y /\ in_range A x /\ in_range A y.
Proof.
destruct r.
- exists (by_pull A same nothing), (by_pull A same one_reward).
  split; [|split; intros h a; [unfold by_pull, nothing; lra|apply one_reward_inside]].
  exists nothing, one_reward, j, m. split; [|split; reflexivity]. intros a n N. apply one_reward_elsewhere.
  destruct (same a j), (Nat.eq_dec n m); tauto.
- exists (by_round A nothing), (by_round A one_reward).
  split; [|split; intros h a; [unfold by_round, nothing; lra|apply one_reward_inside]].
  exists nothing, one_reward, m. split; [|split; reflexivity]. intros a n N. apply one_reward_elsewhere. now right.
Qed.
End Different.

Lemma both_different : NoDup [true; false].
Proof. repeat constructor; simpl; intuition discriminate. Qed.

(* Premises one by one: what is assumed, and what is plain arithmetic. *)
Ltac hold := repeat first
  [assumption | exact both_different | lra | lia | solve [simpl; lra] | solve [simpl; lia] | match goal with |- _ /\ _ => split end].
