(* DP-SE is eps-differentially private: epochs of fresh rewards, whose means meet Laplace noise, decide who is left. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means.
Import ListNotations.
Open Scope R_scope.

Section Elimination.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat).
(* Lines 4, 5 and lines 8, 9, 11: the pulls R >= 1 of every active arm, and 2 h + 2 c, in epoch e with s active arms. *)
Variables (rounds : nat -> nat -> nat) (width : nat -> nat -> R).
Hypothesis rounds_positive : forall e s, (1 <= rounds e s)%nat.

(* Between two draws: the epoch, its arms, the noisy means drawn in it, the last first, and the pulls before it. *)
Record state := { epoch : nat; active : list A; drawn : list (A * R); pulled : list A }.
Definition first_state := {| epoch := 1; active := arms; drawn := []; pulled := [] |}.

Definition each (s : state) : nat := rounds (epoch s) (length (active s)).
Definition in_turns (n : nat) (l : list A) : list A := concat (repeat l n).
Definition undrawn (s : state) : list A := skipn (length (drawn s)) (active s).

(* Lines 10 and 11. *)
Definition best (l : list (A * R)) : R :=
  match l with [] => 0 | (_, z) :: l' => fold_right (fun one => Rmax (snd one)) z l' end.
Definition kept (far : R) (l : list (A * R)) : list A :=
  map fst (filter (fun one => if Rle_dec (best l - snd one) far then true else false) (rev l)).

(* A noisy mean z is drawn, line 7; after the last one of the epoch the next epoch begins, lines 2 and 3. *)
Definition after (s : state) (z : R) : state :=
  match undrawn s with
  | [] => s
  | [a] => {| epoch := S (epoch s); active := kept (width (epoch s) (length (active s))) ((a, z) :: drawn s);
      drawn := []; pulled := pulled s ++ in_turns (each s) (active s) |}
  | a :: _ => {| epoch := epoch s; active := active s; drawn := (a, z) :: drawn s; pulled := pulled s |}
  end.
Fixpoint state_after (h : outcomes) : state := match h with [] => first_state | z :: h' => after (state_after h') z end.

(* Line 6: the next rewards of the next arm. Without any arm nothing hangs on what comes next. *)
Definition dp_se (h : outcomes) : step A :=
  match undrawn (state_after h) with [] => Coin A (laplace 1 0) | a :: _ => Mean A a (each (state_after h)) end.
(* One arm is left, or T ends the epoch. *)
Definition dp_se_ended (h : outcomes) : bool :=
  let s := state_after h in
  Nat.leb (length (active s)) 1 || Nat.leb T (length (pulled s) + each s * length (active s)).
(* The arms of all T pulls: of epochs, of one that T cuts short, or of the survivor, line 12. *)
Definition dp_se_pulls (h : outcomes) : list A :=
  let s := state_after h in firstn T (pulled s ++ in_turns T (active s)).

Lemma dp_se_sound : sound A dp_se.
Proof.
intros h. unfold dp_se. destruct (undrawn (state_after h)); [|apply rounds_positive].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.

(* The chance of an event of the pulls. A mean takes a pull at least: T draws are enough, and more change nothing. *)
Definition dp_se_chance (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy A same pull dp_se eps t) dp_se_ended (fun h => event (dp_se_pulls h)) draws [].

Theorem dp_se_private eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A pull t u ->
  dp_se_chance eps t event draws <= exp eps * dp_se_chance eps u event draws.
Proof. intros. apply noisy_means_private; auto. apply dp_se_sound. Qed.
End Elimination.
