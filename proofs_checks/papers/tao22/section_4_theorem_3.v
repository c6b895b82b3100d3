(* Theorem 3: Algorithm 3 is eps-differentially private. Epochs of fresh rewards, whose truncated means meet Laplace
   noise, decide who is left. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means elimination witnesses satisfiable.
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

(* Line 18: the mean of an arm's truncated rewards of the epoch, and Lap(2 B_tau/(R_tau eps)). A table says what pulls
   pay, or what each arm pays at each timestep. *)
Definition noisy_mean (r : relation) (eps : R) (t : table A) : densities := fun h =>
  let s := state_after A arms rounds width h in let B := bound (epoch A s) (length (active A s)) in
  let noise n := laplace (2 * B / (INR n * eps)) in let x a i := truncated B (t a i) in
  match r with
  | pull => noised A same noise pull (elimination A arms rounds width) x h
  | round => timed A arms rounds width noise x h
  end.

(* The chance of an event of the pulls: lines 10 to 14, 20 to 24, 27 and 28 are `elimination`. *)
Definition dprse_chance (r : relation) (eps : R) (t : table A) (event : list A -> bool) (draws : nat) : R :=
  chance_of (noisy_mean r eps t) (elimination_ended A arms T rounds width)
    (fun h => event (eliminated_pulls A arms T rounds width h)) draws [].

Lemma scale_positive eps B n : 0 < eps -> 0 < B -> (1 <= n)%nat -> 0 < 2 * B / (INR n * eps).
Proof.
intros E P N. apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; [apply lt_0_INR; lia|exact E].
Qed.

Lemma noisy_mean_proper r eps x h : 0 < eps -> proper (noisy_mean r eps x h).
Proof.
intros E. unfold noisy_mean. cbv zeta. set (B := bound _ _). assert (B0 : 0 < B) by apply bound_positive.
assert (L : forall n c, (1 <= n)%nat -> proper (laplace (2 * B / (INR n * eps)) c)).
{ intros n c N. split; [intros z; now apply laplace_positive, scale_positive|now apply laplace_whole, scale_positive]. }
destruct r; [apply noised_proper; [apply elimination_sound, rounds_positive|exact L]|].
unfold timed. destruct (undrawn A _); [|apply L, rounds_positive].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.

(* A sum of n rewards that moves by 2 B moves their mean's noise by eps. *)
Lemma mean_moved eps B n c c' z : 0 < eps -> 0 < B -> (1 <= n)%nat -> Rabs (c - c') <= 2 * B ->
  laplace (2 * B / (INR n * eps)) (c / INR n) z <= exp eps * laplace (2 * B / (INR n * eps)) (c' / INR n) z.
Proof.
intros E B0 N V. assert (N0 : 0 < INR n) by (apply lt_0_INR; lia).
replace (exp eps) with (exp (2 * B / INR n / (2 * B / (INR n * eps)))) by (f_equal; field; lra).
apply laplace_moved; [now apply scale_positive|]. assert (I := Rinv_0_lt_compat _ N0). unfold Rdiv.
rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (/ INR n)) by lra. apply Rmult_le_compat_r; lra.
Qed.

Theorem theorem_3 r eps t u event draws : 0 < eps -> near A r t u ->
  dprse_chance r eps t event draws <= exp eps * dprse_chance r eps u event draws.
Proof.
intros E (j & m & D). set (plan := elimination A arms rounds width).
assert (G := elimination_sound A arms rounds width rounds_positive).
assert (Apart : forall B a n, ~ differs A r j m a n -> truncated B (t a n) = truncated B (u a n)).
{ intros B a n N. now rewrite (D a n N). }
set (reads := match r with pull => reads_it A same pull plan j m | round => reads_time A arms rounds width m end).
assert (P := fun x h => noisy_mean_proper r eps x h E).
apply (fresh_numbers _ _ _ _ (P t) (P u) eps reads); [lra| | |].
- intros h z N. unfold noisy_mean, reads in *. cbv zeta. set (B := bound _ _). destruct r.
  + apply (noised_unread A same pull plan _ _ j m); [apply Apart|exact N].
  + unfold timed, reads_time in *. destruct (undrawn A _) as [|a l]; [reflexivity|].
    rewrite (turns_same m (fun i => truncated B (t a i)) (fun i => truncated B (u a i))); [reflexivity| |exact N].
    intros i I. apply Apart. intros [F _]. contradiction.
- intros h z H. unfold noisy_mean, reads in *. cbv zeta. set (B := bound _ _). assert (B0 : 0 < B) by apply bound_positive.
  destruct r.
  + unfold noised, reads_it in *. specialize (G h). fold plan in G |- *. destruct (plan h) as [a n|]; [|discriminate].
    apply mean_moved; [exact E|exact B0|exact G|]. apply (block_moved A pull _ _ j m (Apart B)).
    intros. now apply truncated_moved.
  + unfold timed, reads_time in *. assert (K := active_some A (state_after A arms rounds width h)).
    destruct (undrawn A _) as [|a l]; [discriminate|].
    apply mean_moved; [exact E|exact B0|apply rounds_positive|]. apply (turns_moved m); [|intros i I|now apply truncated_moved].
    * specialize (K a l eq_refl). lia.
    * apply Apart. intros [F _]. contradiction.
- intros h h' H H'. unfold reads in *. destruct r.
  + exact (reads_once A same pull plan t u j m D h h' H H').
  + exact (time_read_once A arms rounds width m h h' H H').
Qed.
End Elimination.

Lemma theorem_3_witness : satisfiable theorem_3.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 round) as (t & u & _ & _ & N & _).
exists bool, Bool.bool_dec, [true; false], 4%nat, (fun _ _ => 1%nat), (fun _ _ => 0), (fun _ _ => 1).
hold; [intros; lra|]. exists round, 1, t, u, (fun _ => true), 4%nat. hold.
Qed.
