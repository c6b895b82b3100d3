(* The proof of Theorem 3: a reward is used in the noisy mean of one epoch only, with weight 1/R_tau. *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From Dpbandits Require Import moments rewards densities laplace noisy_means elimination witnesses satisfiable.
From Dpbandits.tao22 Require Import section_4_theorem_3.
Import ListNotations.
Open Scope R_scope.

(* Sums of which one reward differs. *)
Lemma block_differs A (t u : table A) r j m a s n : (forall b i, ~ differs A r j m b i -> t b i = u b i) ->
  (s <= m < s + n)%nat -> block A t a s n - block A u a s n = t a m - u a m.
Proof.
intros E. induction n as [|n IH]; intros H; [lia|]. simpl.
assert (Same : forall i, i <> m -> t a i = u a i) by (intros i N; apply E; intros [F _]; contradiction).
destruct (Nat.eq_dec (s + n) m) as [Q|Q].
- rewrite (block_same A r t u j m E a s n) by (intros i I [F _]; lia). rewrite Q. ring.
- rewrite (Same _ Q). generalize (IH ltac:(lia)). lra.
Qed.

Lemma turns_differ x y f step n m : (1 <= step)%nat -> (forall i, i <> m -> x i = y i) ->
  existsb (fun i => Nat.eqb (f + i * step) m) (seq 0 n) = true ->
  turns_sum x f step n - turns_sum y f step n = x m - y m.
Proof.
intros P E. induction n as [|n IH]; intros H; [discriminate|]. rewrite seq_S, existsb_app in H. simpl in H.
rewrite orb_false_r in H. simpl. destruct (Nat.eqb_spec (f + n * step) m) as [Q|Q].
- rewrite (turns_same m x y f step n E); [rewrite Q; ring|]. destruct (existsb _ _) eqn:F; [|reflexivity].
  apply existsb_exists in F. destruct F as (i & I & F). apply in_seq in I. apply Nat.eqb_eq in F. exfalso. nia.
- rewrite orb_false_r in H. rewrite (E _ Q). generalize (IH H). lra.
Qed.

(* t and u differ in one reward, number m of arm j, or in the rewards of timestep m. reads says of each noisy mean whether
   it is the one that uses it. *)
Theorem used_once (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A)
  (rounds : nat -> nat -> nat) (width bound : nat -> nat -> R) r eps (t u : table A) j m :
  (forall e s, (1 <= rounds e s)%nat) -> (forall a n, ~ differs A r j m a n -> t a n = u a n) ->
  exists reads : outcomes -> bool,
    (forall h z, reads h = true -> reads (z ++ h) = true -> z = []) /\
    forall h, let s := state_after A arms rounds width h in let B := bound (epoch A s) (length (active A s)) in
      let R_tau := INR (each A rounds s) in let density x := noisy_mean A same arms rounds width bound r eps x h in
      (reads h = false -> forall z, density t z = density u z) /\
      (reads h = true -> exists a c c', differs A r j m a m /\ c - c' = truncated B (t a m) - truncated B (u a m) /\
        forall z, density t z = laplace (2 * B / (R_tau * eps)) (c / R_tau) z /\
          density u z = laplace (2 * B / (R_tau * eps)) (c' / R_tau) z).
Proof.
intros G D. set (plan := elimination A arms rounds width).
assert (Apart : forall B a n, ~ differs A r j m a n -> truncated B (t a n) = truncated B (u a n)).
{ intros B a n N. now rewrite (D a n N). }
exists (match r with pull => reads_it A same pull plan j m | round => reads_time A arms rounds width m end).
split; [destruct r; intros h z H K|intros h s B R_tau density].
- exact (reads_once A same pull plan t u j m D h z H K).
- exact (time_read_once A arms rounds width m h z H K).
- unfold density, noisy_mean. fold s. fold B. destruct r.
  + split; [intros N z; now apply (noised_unread A same pull plan _ _ j m); [apply Apart|]|].
    intros H. unfold noised, reads_it, plan, elimination in *. fold s in H |- *.
    destruct (undrawn A s) as [|a l]; [discriminate|]. fold plan in H |- *. fold R_tau.
    apply andb_prop in H. destruct H as [H H2]. apply andb_prop in H. destruct H as [W H1].
    apply Nat.leb_le in H1. apply Nat.ltb_lt in H2. unfold within in W.
    destruct (same a j) as [->|_]; [|discriminate].
    exists j. eexists. eexists. split; [split; reflexivity|]. split; [|intros z; split; reflexivity].
    now apply (block_differs A (fun a i => truncated B (t a i)) (fun a i => truncated B (u a i)) pull j m j _ _ (Apart B)).
  + unfold timed, reads_time. fold s. assert (K := active_some A s). destruct (undrawn A s) as [|a l] eqn:U.
    * split; [reflexivity|discriminate].
    * assert (E : forall i, i <> m -> truncated B (t a i) = truncated B (u a i)).
      { intros i I. apply Apart. intros [F _]. contradiction. }
      split.
      -- intros N z. now rewrite (turns_same m (fun i => truncated B (t a i)) (fun i => truncated B (u a i)) _ _ _ E N).
      -- intros H. exists a. eexists. eexists. split; [split; [reflexivity|exact I]|].
         split; [|intros z; split; reflexivity].
         apply (turns_differ (fun i => truncated B (t a i)) (fun i => truncated B (u a i)) _ _ _ m); [|exact E|exact H].
         specialize (K a l eq_refl). lia.
Qed.

(** * The hypotheses can hold together *)
Lemma used_once_witness : satisfiable used_once.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 round) as (t & u & _ & _ & (j & m & D) & _).
exists bool, Bool.bool_dec, [true; false], (fun _ _ => 1%nat), (fun _ _ => 0), (fun _ _ => 1), round, 1, t, u, j, m.
split; [intros; lia|exact D].
Qed.
