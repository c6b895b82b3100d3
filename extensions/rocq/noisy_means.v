(* Means with Laplace noise, each of rewards of its own: whatever is computed from all of them, and from coins that
   depend on no reward, is as private as one of them. Which mean comes next may depend on all that came before. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import moments rewards integral densities laplace.
Import ListNotations.
Open Scope R_scope.

Section Means.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).
Notation table := (table A).

(* What comes next: the noisy mean of the next n rewards of an arm, or a coin of this density. *)
Inductive step := Mean (a : A) (n : nat) | Coin (d : R -> R).
Definition plan := outcomes -> step.
Definition sound (next : plan) := forall h, match next h with Mean _ n => (1 <= n)%nat | Coin d => proper d end.

(* Where the next rewards of an arm stand in a table: after all that earlier means were made of, its own ones in a table
   of pulls, all of them in a table of rounds. *)
Fixpoint start (r : relation) (next : plan) (a : A) (h : outcomes) : nat :=
  match h with
  | [] => 0
  | _ :: h' => start r next a h' +
      match next h' with Coin _ => 0 | Mean b n => match r with round => n | pull => if same a b then n else 0 end end
  end.

Fixpoint block (t : table) (a : A) (s n : nat) : R :=
  match n with O => 0 | S n' => t a (s + n')%nat + block t a s n' end.

(* noise: the density around a mean of n. *)
Definition noised (noise : nat -> R -> R -> R) (r : relation) (next : plan) (t : table) : densities := fun h =>
  match next h with
  | Mean a n => noise n (block t a (start r next a h) n / INR n)
  | Coin d => d
  end.

(* eps n times the noise of a mean of n has scale 1. *)
Definition noisy (r : relation) (next : plan) (eps : R) (t : table) : densities :=
  noised (fun n => laplace (/ (eps * INR n))) r next t.

(* Tables in [0, 1] that differ in one reward of one arm, or in all rewards of one round. *)
Definition differs (r : relation) (j : A) (m : nat) (a : A) (n : nat) :=
  n = m /\ match r with pull => a = j | round => True end.
Definition near (r : relation) (t u : table) :=
  exists j m, forall a n, ~ differs r j m a n -> t a n = u a n.
Definition bounded (t : table) := forall a n, 0 <= t a n <= 1.

Section Pair.
Variables (r : relation) (next : plan) (eps : R) (t u : table) (j : A) (m : nat).
Hypotheses (eps_positive : 0 < eps) (good : sound next) (t_bounded : bounded t) (u_bounded : bounded u).
Hypothesis apart : forall a n, ~ differs r j m a n -> t a n = u a n.

Lemma block_same a s n : (forall i, (s <= i < s + n)%nat -> ~ differs r j m a i) -> block t a s n = block u a s n.
Proof.
induction n as [|n IH]; intros H; simpl; [reflexivity|]. rewrite IH by (intros; apply H; lia).
now rewrite (apart a (s + n)) by (apply H; lia).
Qed.

Lemma block_moved w a s n : (forall a n, Rabs (t a n - u a n) <= w) -> Rabs (block t a s n - block u a s n) <= w.
Proof.
intros W. induction n as [|n IH]; simpl.
{ rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rle_trans with (2 := W a 0%nat), Rabs_pos. }
destruct (Nat.eq_dec (s + n) m) as [E|N].
- rewrite (block_same a s n) by (intros i I [F _]; lia). set (v := block u a s n).
  replace (t a (s + n)%nat + v - (u a (s + n)%nat + v)) with (t a (s + n)%nat - u a (s + n)%nat) by ring. apply W.
- rewrite (apart a (s + n)) by (intros [E _]; now apply N).
  set (v := u a (s + n)%nat).
  now replace (v + block t a s n - (v + block u a s n)) with (block t a s n - block u a s n) by ring.
Qed.

Lemma one_moved a n : Rabs (t a n - u a n) <= 1.
Proof. generalize (t_bounded a n) (u_bounded a n). split_Rabs; lra. Qed.

Definition within (a : A) : bool := match r with round => true | pull => if same a j then true else false end.
Definition reads_it (h : outcomes) : bool :=
  match next h with
  | Mean a n => within a && Nat.leb (start r next a h) m && Nat.ltb m (start r next a h + n)
  | Coin _ => false
  end.

Lemma within_start a h : within a = true -> start r next a h = start r next j h.
Proof.
unfold within. destruct r.
- destruct (same a j) as [->|_]; [reflexivity|discriminate].
- intros _. induction h as [|z h IH]; simpl; [reflexivity|]. now rewrite IH.
Qed.

Lemma start_rises h z : (start r next j h <= start r next j (z ++ h))%nat.
Proof. induction z as [|x z IH]; simpl; lia. Qed.

Lemma reads_once h z : reads_it h = true -> reads_it (z ++ h) = true -> z = [].
Proof.
destruct z as [|x z' _] using rev_ind; [reflexivity|]. intros H K. exfalso. rewrite <- app_assoc in K. simpl in K.
assert (L := start_rises (x :: h) z'). simpl in L. unfold reads_it in H, K.
destruct (next h) as [a n|]; [|discriminate]. destruct (next (z' ++ x :: h)) as [c k|]; [|discriminate].
apply andb_prop in H, K. destruct H as [H H2], K as [K K2]. apply andb_prop in H, K. destruct H as [H H1], K as [K K1].
rewrite (within_start a h H) in H1, H2. rewrite (within_start c _ K) in K1, K2.
apply Nat.leb_le in H1, K1. apply Nat.ltb_lt in H2, K2. unfold within in H.
destruct r; [destruct (same a j) as [->|_]; [|discriminate]; destruct (same j j) as [_|F]; [|now apply F]|]; lia.
Qed.

Lemma noised_proper noise x h : (forall n c, (1 <= n)%nat -> proper (noise n c)) -> proper (noised noise r next x h).
Proof. intros P. unfold noised. assert (G := good h). destruct (next h) as [a n|d]; [now apply P|exact G]. Qed.

Lemma noisy_proper x h : proper (noisy r next eps x h).
Proof.
apply noised_proper. intros n c N. assert (B : 0 < / (eps * INR n)).
{ apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact eps_positive|]. apply lt_0_INR; lia. }
split; [intros z; now apply laplace_positive|now apply laplace_whole].
Qed.

Lemma noised_unread noise h z : reads_it h = false -> noised noise r next t h z = noised noise r next u h z.
Proof.
unfold reads_it, noised. intros H. destruct (next h) as [a n|d]; [|reflexivity].
rewrite (block_same a (start r next a h) n); [reflexivity|]. intros i I [-> D].
assert (W : within a = true).
{ unfold within. destruct r; [|reflexivity]. destruct (same a j) as [_|N]; [reflexivity|now destruct N]. }
rewrite W in H. destruct (Nat.leb_spec (start r next a h) m); [|lia].
destruct (Nat.ltb_spec m (start r next a h + n)); [discriminate|lia].
Qed.

Lemma noisy_read h z : noisy r next eps t h z <= exp eps * noisy r next eps u h z.
Proof.
unfold noisy, noised. assert (G := good h). destruct (next h) as [a n|d].
- assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (B : 0 < / (eps * INR n)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
  replace (exp eps) with (exp (/ INR n / / (eps * INR n))) by (f_equal; field; lra).
  apply laplace_moved; [exact B|]. set (s := start r next a h).
  replace (block t a s n / INR n - block u a s n / INR n) with ((block t a s n - block u a s n) * / INR n)
    by (field; lra).
  assert (I := Rinv_0_lt_compat _ N). rewrite Rabs_mult, (Rabs_right (/ INR n)) by lra.
  generalize (block_moved 1 a s n one_moved). nra.
- assert (1 <= exp eps) by (rewrite <- exp_0; apply exp_le; lra). destruct G as [P _]. generalize (P z). nra.
Qed.
End Pair.

(* The releases are any function of the outcomes: pulls that follow from means and coins. The run ends when it likes. *)
Theorem noisy_means_private (B : Type) (released : outcomes -> B) r next eps ended k t u event :
  0 < eps -> sound next -> bounded t -> bounded u -> near r t u ->
  chance_of (noisy r next eps t) ended (fun h => event (released h)) k [] <=
    exp eps * chance_of (noisy r next eps u) ended (fun h => event (released h)) k [].
Proof.
intros E G T U (j & m & D).
apply (fresh_numbers _ _ ended (fun h => event (released h))) with (reads := reads_it r next j m).
- intros h. now apply noisy_proper.
- intros h. now apply noisy_proper.
- lra.
- intros h z. now apply (noised_unread r next t u j m).
- intros h z _. now apply noisy_read with (j := j) (m := m).
- intros h h'. now apply (reads_once r next t u j m).
Qed.
End Means.
