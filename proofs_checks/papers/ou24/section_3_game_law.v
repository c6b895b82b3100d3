(* The static potential, theorem-3/law/potential: numbers that pay for every coin of every round bound the loss of a run
   of any length, for either relation, two arms or any number of them. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments coins rewards thompson largest arms.
Import ListNotations.
Open Scope R_scope.

(* Numbers of one order: lam, the price c of a round, and b n for a round with n pulls of the changed arm. *)
Record numbers := { order : R; c : R; b : nat -> R }.

(* Coins (p, q): the chance of a pull on the side where the arm pays less, and on the other side. rises: P's is p. *)
Definition pays (coin : nat -> R -> R -> Prop) (rises : bool) (T : nat) (N : numbers) :=
  let lam := order N in 0 < lam /\ 0 <= c N /\ (forall n, 0 <= b N n) /\
  forall n p q, (1 <= n < T)%nat -> coin n p q ->
    (if rises then exp (- b N n) * tilted lam p q + tilted lam (1 - p) (1 - q)
     else exp (- b N n) * tilted lam q p + tilted lam (1 - q) (1 - p)) <= exp (lam * c N).

(* b n + ... + b (n + k - 1), and the eps of these numbers at delta. *)
Fixpoint added (f : nat -> R) (n k : nat) : R := match k with O => 0 | S k' => f n + added f (S n) k' end.
Definition loss (T : nat) (delta : R) (N : numbers) := let lam := order N in
  c N * INR (T - 1) + (added (b N) 1 (T - 1) + ln (1 / delta) + lam * ln lam - (1 + lam) * ln (1 + lam)) / lam.

Definition priced (T : nat) (N : numbers) : prices :=
  Build_prices (order N) (order N * c N) (fun n => added (b N) n (T - n)).

Lemma added_positive f n k : (forall m, 0 <= f m) -> 0 <= added f n k.
Proof. intros H. revert n. induction k as [|k IH]; intros n; simpl; [lra|]. generalize (H n) (IH (S n)); lra. Qed.

Lemma enough_if_paid coin rises eps delta T N : 0 < delta -> pays coin rises T N -> loss T delta N <= eps ->
  enough coin eps delta T rises (priced T N).
Proof.
intros D (L & C & B & P) E. set (l := order N) in *.
assert (Step : forall n, (n < T)%nat -> added (b N) n (T - n) = b N n + added (b N) (S n) (T - S n)).
{ intros n Hn. replace (T - n)%nat with (S (T - S n)) by lia. reflexivity. }
unfold enough, priced; cbn [thompson.lam thompson.price thompson.left]. fold l. repeat split.
- exact L.
- apply Rmult_le_pos; lra.
- now apply added_positive.
- destruct (Nat.lt_ge_cases n T) as [H|H]; [rewrite (Step n H); generalize (B n); lra|].
  replace (T - S n)%nat with 0%nat by lia. replace (T - n)%nat with 0%nat by lia. simpl; lra.
- unfold best_share. rewrite ln_exp. unfold Rdiv at 1.
  rewrite ln_mult, ln_Rinv by (lra || (apply Rinv_0_lt_compat; lra)).
  unfold loss in E. fold l in E. replace (pred T) with (T - 1)%nat by lia.
  unfold Rdiv in E. rewrite Rmult_1_l, ln_Rinv in E by exact D.
  apply (Rmult_le_compat_l l) in E; [|lra].
  replace (l * (c N * INR (T - 1) + (added (b N) 1 (T - 1) + - ln delta + l * ln l - (1 + l) * ln (1 + l)) * / l)) with
    (l * c N * INR (T - 1) + (added (b N) 1 (T - 1) + - ln delta + l * ln l - (1 + l) * ln (1 + l))) in E
      by (field; lra).
  lra.
- intros n p q Hn Hc. rewrite (Step n (proj2 Hn)).
  replace (b N n + added (b N) (S n) (T - S n) - added (b N) (S n) (T - S n)) with (b N n) by ring.
  assert (G := P n p q Hn Hc). unfold tilted_cost, cost. destruct rises; exact G.
Qed.

(* variance: c of the paper, of a sample times n + 1. For two arms the coins are those of the rounds, one by one; for
   any number of them the others' samples set any threshold x, and the arm's moves by at most `shift`. *)
Theorem potential variance r eps delta T (right left : numbers) : 0 < variance -> 0 < delta ->
  loss T delta right <= eps -> loss T delta left <= eps ->
  (pays (round_coin variance T) true T right -> pays (round_coin variance T) false T left ->
     private bool_dec both_arms (thompson variance) r eps delta T) /\
  (forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
     NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) ->
     pays (shifted variance anywhere) true T right -> pays (shifted variance anywhere) false T left ->
     private same arms (gaussian_thompson A same arms variance) r eps delta T).
Proof.
intros V D R L. split.
- intros P Q. apply (two_arms_potential variance r eps delta T (priced T right) (priced T left) D);
    now apply enough_if_paid.
- intros A same arms different two all P Q.
  apply (any_arms_close A same arms variance V different two r eps delta T (priced T right) (priced T left) D all);
    now apply enough_if_paid.
Qed.
