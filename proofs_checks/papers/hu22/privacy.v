(* Lazy-DP-TS is eps-differentially private: an arm's sample depends on the noisy mean of its last batch alone. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means lazy_doubling witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Lazy.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (first : A) (others : list A) (T : nat).
(* Lines 3 to 5: the density of an arm's sample theta, from its noisy mean mu, how many rewards O that is made of, and
   the round. *)
Variable theta : R -> nat -> nat -> R -> R.
Hypothesis theta_proper : forall mu n round, proper (theta mu n round).

(* The pulls so far, the last first; the batches with their means; the samples of this round; the batch whose mean comes
   next. *)
Record state := { pulled : list A; batches : list (batch A); samples : list R; due : option (A * nat) }.
Notation arms := (first :: others).

Definition pull_arm (a : A) (p : list A) (l : list (batch A)) : state :=
  {| pulled := a :: p; batches := l; samples := []; due := whole_batch A same a (a :: p) l |}.
(* Line 6. *)
Definition largest_sample (l : list R) : A :=
  match combine arms l with [] => first | one :: rest => fst (argmax (fun one => snd one) one rest) end.
(* Lines 8 and 9, and line 1 where an arm was not pulled yet; or a sample is drawn, line 5, and after the last one of
   the round the arm with the largest is pulled. *)
Definition after (s : state) (z : R) : state :=
  match due s with
  | Some b => let l := (b, z) :: batches s in
      match skipn (length (pulled s)) arms with
      | a :: _ => pull_arm a (pulled s) l
      | [] => {| pulled := pulled s; batches := l; samples := []; due := None |}
      end
  | None => let drawn := samples s ++ [z] in
      if Nat.eqb (length drawn) (length arms) then pull_arm (largest_sample drawn) (pulled s) (batches s)
      else {| pulled := pulled s; batches := batches s; samples := drawn; due := None |}
  end.
Fixpoint state_after (h : outcomes) : state :=
  match h with [] => pull_arm first [] [] | z :: h' => after (state_after h') z end.

Definition lazy_ts (h : outcomes) : step A :=
  let s := state_after h in
  match due s with
  | Some (a, n) => Mean A a n
  | None => let a := nth (length (samples s)) arms first in
      Coin A (theta (noisy_mean A same a (batches s)) (used A same a (batches s)) (S (length (pulled s))))
  end.
Definition lazy_ts_ended (h : outcomes) : bool := Nat.leb T (length (pulled (state_after h))).
Definition lazy_ts_pulls (h : outcomes) : list A := rev (pulled (state_after h)).

Lemma pull_arm_due a p l : match due (pull_arm a p l) with None => True | Some (_, n) => (1 <= n)%nat end.
Proof.
simpl. assert (W := whole_batch_positive A same a (a :: p) l).
destruct (whole_batch A same a (a :: p) l) as [[b n]|]; [exact (W b n eq_refl)|exact I].
Qed.

Lemma lazy_ts_sound : sound A lazy_ts.
Proof.
intros h. unfold lazy_ts.
assert (D : match due (state_after h) with None => True | Some (_, n) => (1 <= n)%nat end).
{ destruct h as [|z h]; [apply pull_arm_due|]. simpl. unfold after. destruct (due (state_after h)) as [b|].
  - destruct (skipn _ _); [exact I|apply pull_arm_due].
  - destruct (Nat.eqb _ _); [apply pull_arm_due|exact I]. }
destruct (due (state_after h)) as [[a n]|]; [exact D|apply theta_proper].
Qed.

(* The chance of an event of the pulls. A round takes a sample of each arm and at most one mean, so that T (K + 1) draws
   are enough; more change nothing. *)
Definition lazy_ts_chance (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy A same pull lazy_ts eps t) lazy_ts_ended (fun h => event (lazy_ts_pulls h)) draws [].

Theorem lazy_ts_private eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A pull t u ->
  lazy_ts_chance eps t event draws <= exp eps * lazy_ts_chance eps u event draws.
Proof. intros. apply noisy_means_private; auto. apply lazy_ts_sound. Qed.
End Lazy.

Lemma lazy_ts_private_witness : satisfiable lazy_ts_private.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, true, [false], 2%nat, (fun mu _ _ => laplace 1 mu). split.
- intros mu _ _. split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
- exists 1, t, u, (fun _ => true), 6%nat. hold.
Qed.
