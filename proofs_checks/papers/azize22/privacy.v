(* AdaP-UCB is eps-differentially private: an arm's index is made of the noisy mean of its last episode alone. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Episodes.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (first : A) (others : list A) (T : nat).
(* Line 4: an arm's index, from its noisy mean mu_a, how many rewards n_a that is made of, and the round. *)
Variable index : R -> nat -> nat -> R.

(* Episodes that have ended, the last first: the arm, its pulls, their noisy mean. *)
Definition episode := (A * nat * R)%type.
Definition total_pulls (l : list episode) : nat := fold_right (fun one n => (snd (fst one) + n)%nat) 0%nat l.
Fixpoint pulls_of (a : A) (l : list episode) : nat :=
  match l with [] => 0 | (b, n, _) :: l' => (if same a b then n else 0) + pulls_of a l' end.
Fixpoint index_of (a : A) (l : list episode) (round : nat) : R :=
  match l with [] => 0 | (b, n, z) :: l' => if same a b then index z n round else index_of a l' round end.
Fixpoint lowest_argmax (f : A -> R) (a : A) (l : list A) : A :=
  match l with [] => a | b :: l' => if Rlt_dec (f a) (f b) then lowest_argmax f b l' else lowest_argmax f a l' end.

(* Which arm is pulled next, and how often: lines 1, 4 and 5; N_A is at least 1 there. *)
Definition next_episode (l : list episode) : A * nat :=
  match skipn (length l) (first :: others) with
  | a :: _ => (a, 1%nat)
  | [] => let a := lowest_argmax (fun b => index_of b l (S (total_pulls l))) first others in
      (a, Nat.max 1 (pulls_of a l))
  end.
(* Lines 2, 6 and 7. *)
Fixpoint episodes (h : outcomes) : list episode :=
  match h with [] => [] | z :: h' => let l := episodes h' in (next_episode l, z) :: l end.

Definition adap_ucb (h : outcomes) : step A := let (a, n) := next_episode (episodes h) in Mean A a n.
(* T ends the episode, whose noisy mean decides nothing any more. *)
Definition adap_ucb_ended (h : outcomes) : bool :=
  Nat.leb T (total_pulls (episodes h) + snd (next_episode (episodes h))).
Definition adap_ucb_pulls (h : outcomes) : list A :=
  let l := episodes h in
  firstn T (concat (map (fun one => repeat (fst one) (snd one)) (rev (next_episode l :: map fst l)))).

Lemma adap_ucb_sound : sound A adap_ucb.
Proof.
intros h. unfold adap_ucb, next_episode. destruct (skipn _ _) as [|a l]; [apply Nat.le_max_l|apply Nat.le_refl].
Qed.

(* The chance of an event of the pulls. A mean takes a pull at least: T draws are enough, and more change nothing. *)
Definition adap_ucb_chance (r : relation) (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy A same r adap_ucb eps t) adap_ucb_ended (fun h => event (adap_ucb_pulls h)) draws [].

Theorem adap_ucb_private r eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A r t u ->
  adap_ucb_chance r eps t event draws <= exp eps * adap_ucb_chance r eps u event draws.
Proof. intros. apply noisy_means_private; auto. apply adap_ucb_sound. Qed.
End Episodes.

Lemma adap_ucb_private_witness : satisfiable adap_ucb_private.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 round) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, true, [false], 4%nat, (fun z _ _ => z), round, 1, t, u, (fun _ => true), 4%nat. hold.
Qed.
