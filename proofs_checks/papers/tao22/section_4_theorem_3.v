(* Theorem 3: Algorithm 3 is eps-differentially private. Epochs of fresh rewards, whose truncated means meet Laplace
   noise, decide who is left. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means elimination.
Import ListNotations.
Open Scope R_scope.

(* Line 15. *)
Definition truncated (bound x : R) : R := if Rle_dec (Rabs x) bound then x else 0.

Lemma truncated_moved bound x y : 0 < bound -> Rabs (truncated bound x - truncated bound y) <= 2 * bound.
Proof. intros B. unfold truncated. repeat destruct (Rle_dec _ _); split_Rabs; lra. Qed.

Section Elimination.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat).
(* Lines 7 to 9 and 21: R_tau, 12 err_tau and B_tau in epoch tau with s active arms. *)
Variables (rounds : nat -> nat -> nat) (width bound : nat -> nat -> R).
Hypotheses (rounds_positive : forall e s, (1 <= rounds e s)%nat) (bound_positive : forall e s, 0 < bound e s).

(* Line 18: the mean of an arm's truncated rewards of the epoch, and Lap(2 B_tau/(R_tau eps)). *)
Definition noisy_mean (eps : R) (t : table A) : densities := fun h =>
  let s := state_after A arms rounds width h in let B := bound (epoch A s) (length (active A s)) in
  noised A same (fun n => laplace (2 * B / (INR n * eps))) pull (elimination A arms rounds width)
    (fun a i => truncated B (t a i)) h.

(* The chance of an event of the pulls: lines 10 to 14, 20 to 24, 27 and 28 are `elimination`. *)
Definition dprse_chance (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy_mean eps t) (elimination_ended A arms T rounds width)
    (fun h => event (eliminated_pulls A arms T rounds width h)) draws [].

Theorem theorem_3 eps t u event draws : 0 < eps -> near A pull t u ->
  dprse_chance eps t event draws <= exp eps * dprse_chance eps u event draws.
Proof.
intros E (j & m & D). set (plan := elimination A arms rounds width).
assert (G := elimination_sound A arms rounds width rounds_positive).
assert (Scale : forall B n, 0 < B -> (1 <= n)%nat -> 0 < 2 * B / (INR n * eps)).
{ intros B n P N. apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; [apply lt_0_INR; lia|exact E]. }
assert (P : forall x h, proper (noisy_mean eps x h)).
{ intros x h. apply noised_proper; [exact G|]. intros n c N.
  split; [intros z; now apply laplace_positive, Scale|now apply laplace_whole, Scale]. }
assert (Apart : forall B a n, ~ differs A pull j m a n -> truncated B (t a n) = truncated B (u a n)).
{ intros B a n N. now rewrite (D a n N). }
apply (fresh_numbers _ _ _ _ (P t) (P u) eps (reads_it A same pull plan j m)).
- lra.
- intros h z N. unfold noisy_mean. apply (noised_unread A same pull plan _ _ j m); [apply Apart|exact N].
- intros h z R0. unfold noisy_mean. cbv zeta.
  set (B := bound _ _). assert (B0 : 0 < B) by apply bound_positive.
  unfold noised, reads_it in *. specialize (G h). fold plan in G |- *. destruct (plan h) as [a n|]; [|discriminate].
  replace (exp eps) with (exp (2 * B / INR n / (2 * B / (INR n * eps)))).
  + apply laplace_moved; [now apply Scale|]. set (s := start A same pull plan a h).
    assert (V := block_moved A pull (fun a i => truncated B (t a i)) (fun a i => truncated B (u a i)) j m (Apart B)
      (2 * B) a s n (fun a i => truncated_moved B (t a i) (u a i) B0)).
    assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (I := Rinv_0_lt_compat _ N). unfold Rdiv.
    rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (/ INR n)) by lra. apply Rmult_le_compat_r; lra.
  + f_equal. field. assert (0 < INR n) by (apply lt_0_INR; lia). lra.
- exact (reads_once A same pull plan t u j m D).
Qed.
End Elimination.
