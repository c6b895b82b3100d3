(* Anytime-Lazy-UCB is eps-differentially private: an arm's index is made of the noisy mean of its last batch alone. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means lazy_doubling witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Lazy.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (first : A) (others : list A) (T : nat).
(* Lines 3 and 4: an arm's index, from its noisy mean mu, how many rewards O that is made of, and the round. *)
Variable index : R -> nat -> nat -> R.

(* The pulls so far, the last first; the batches with their means; the batch whose mean comes next. *)
Record state := { pulled : list A; batches : list (batch A); due : option (A * nat) }.

(* Lines 1 and 4. *)
Definition choice (p : list A) (l : list (batch A)) : A :=
  match skipn (length p) (first :: others) with
  | a :: _ => a
  | [] => argmax (fun a => index (noisy_mean A same a l) (used A same a l) (S (length p))) first others
  end.
(* Rounds until a batch is whole, line 5, or none is left. *)
Fixpoint play (left : nat) (p : list A) (l : list (batch A)) : state :=
  match left with
  | O => {| pulled := p; batches := l; due := None |}
  | S left' => let a := choice p l in
      match whole_batch A same a (a :: p) l with
      | Some b => {| pulled := a :: p; batches := l; due := Some b |}
      | None => play left' (a :: p) l
      end
  end.
(* Lines 6 and 7. *)
Fixpoint state_after (h : outcomes) : state :=
  match h with
  | [] => play T [] []
  | z :: h' => let s := state_after h' in
      match due s with
      | None => s
      | Some b => play (T - length (pulled s)) (pulled s) ((b, z) :: batches s)
      end
  end.

(* No batch is due: no round is left, and what comes next has no effect. *)
Definition lazy_ucb (h : outcomes) : step A :=
  match due (state_after h) with None => Coin A (laplace 1 0) | Some (a, n) => Mean A a n end.
Definition lazy_ucb_ended (h : outcomes) : bool := match due (state_after h) with None => true | Some _ => false end.
Definition lazy_ucb_pulls (h : outcomes) : list A := rev (pulled (state_after h)).

Lemma play_due left p l : match due (play left p l) with None => True | Some (_, n) => (1 <= n)%nat end.
Proof.
revert p. induction left as [|left IH]; intros p; simpl; [exact I|]. set (a := choice p l).
assert (W := whole_batch_positive A same a (a :: p) l).
destruct (whole_batch A same a (a :: p) l) as [[b n]|]; [exact (W b n eq_refl)|apply IH].
Qed.

Lemma lazy_ucb_sound : sound A lazy_ucb.
Proof.
intros h. unfold lazy_ucb. assert (D : match due (state_after h) with None => True | Some (_, n) => (1 <= n)%nat end).
{ destruct h as [|z h]; [apply play_due|]. simpl. destruct (due (state_after h)) eqn:E; [apply play_due|].
  now rewrite E. }
destruct (due (state_after h)) as [[a n]|]; [exact D|].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.

(* The chance of an event of the pulls. A mean takes a pull at least, so that T + 1 draws are enough; more change
   nothing. *)
Definition lazy_ucb_chance (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy A same pull lazy_ucb eps t) lazy_ucb_ended (fun h => event (lazy_ucb_pulls h)) draws [].

Theorem lazy_ucb_private eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A pull t u ->
  lazy_ucb_chance eps t event draws <= exp eps * lazy_ucb_chance eps u event draws.
Proof. intros. apply noisy_means_private; auto. apply lazy_ucb_sound. Qed.
End Lazy.

Lemma lazy_ucb_private_witness : satisfiable lazy_ucb_private.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, true, [false], 4%nat, (fun z _ _ => z), 1, t, u, (fun _ => true), 5%nat. hold.
Qed.
