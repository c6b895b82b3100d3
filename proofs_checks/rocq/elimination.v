(* Successive elimination: epochs of fresh rewards, whose noisy means decide who is left. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means.
Import ListNotations.
Open Scope R_scope.

Section Elimination.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat).
(* In epoch e, from 1 on, with s active arms: the pulls of each of them, and how far below the best an arm may be. *)
Variables (rounds : nat -> nat -> nat) (width : nat -> nat -> R).
Hypothesis rounds_positive : forall e s, (1 <= rounds e s)%nat.

(* Between two draws: the epoch, its arms, the noisy means drawn in it, the last first, and the pulls before it. *)
Record state := { epoch : nat; active : list A; drawn : list (A * R); pulled : list A }.
Definition first_state := {| epoch := 1; active := arms; drawn := []; pulled := [] |}.

Definition each (s : state) : nat := rounds (epoch s) (length (active s)).
Definition in_turns (n : nat) (l : list A) : list A := concat (repeat l n).
Definition undrawn (s : state) : list A := skipn (length (drawn s)) (active s).

(* Who is left: an arm goes if it is farther below the best. *)
Definition best (l : list (A * R)) : R :=
  match l with [] => 0 | (_, z) :: l' => fold_right (fun one => Rmax (snd one)) z l' end.
Definition kept (far : R) (l : list (A * R)) : list A :=
  map fst (filter (fun one => if Rle_dec (best l - snd one) far then true else false) (rev l)).

(* A noisy mean z is drawn; after the last one of the epoch the next epoch begins. *)
Definition after (s : state) (z : R) : state :=
  match undrawn s with
  | [] => s
  | [a] => {| epoch := S (epoch s); active := kept (width (epoch s) (length (active s))) ((a, z) :: drawn s);
      drawn := []; pulled := pulled s ++ in_turns (each s) (active s) |}
  | a :: _ => {| epoch := epoch s; active := active s; drawn := (a, z) :: drawn s; pulled := pulled s |}
  end.
Fixpoint state_after (h : outcomes) : state := match h with [] => first_state | z :: h' => after (state_after h') z end.

(* The next rewards of the next arm. Without any arm nothing hangs on what comes next. *)
Definition elimination (h : outcomes) : step A :=
  match undrawn (state_after h) with [] => Coin A (laplace 1 0) | a :: _ => Mean A a (each (state_after h)) end.
(* One arm is left, or T ends the epoch. *)
Definition elimination_ended (h : outcomes) : bool :=
  let s := state_after h in
  Nat.leb (length (active s)) 1 || Nat.leb T (length (pulled s) + each s * length (active s)).
(* The arms of all T pulls: of epochs, of one that T cuts short, or of the survivor. A mean takes a pull
   at least: T draws are enough, and more change nothing. *)
Definition eliminated_pulls (h : outcomes) : list A :=
  let s := state_after h in firstn T (pulled s ++ in_turns T (active s)).

Lemma elimination_sound : sound A elimination.
Proof.
intros h. unfold elimination. destruct (undrawn (state_after h)); [|apply rounds_positive].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.
End Elimination.
