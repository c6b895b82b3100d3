(* Policies that release arms, the chances of what they release, and pure differential privacy. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Policies.
Variables (R : realFieldType) (A : finType) (X : Type).

(* What was released and paid so far, the first pull first. *)
Definition history := seq (A * X).
Definition released (past : history) : seq A := [seq pull.1 | pull <- past].

(* The chance of releasing an arm next; the recommendation is the release after the last pull. *)
Definition policy := history -> A -> R.

(* What a pull of an arm pays, as an expectation of functions of the reward: of a table, or of an instance. *)
Definition rewards := history -> A -> (X -> R) -> R.

(* The expectation of f(releases) over k more releases; of an indicator function, the chance of an event. *)
Fixpoint expected (pi : policy) (pays : rewards) (k : nat) (past : history) (f : seq A -> R) : R :=
  if k is k'.+1 then
    \sum_a pi past a * pays past a (fun x => expected pi pays k' (rcons past (a, x)) (fun z => f (a :: z)))
  else f [::].

Definition chance (pi : policy) (pays : rewards) (k : nat) (event : pred (seq A)) : R :=
  expected pi pays k [::] (fun z => (event z)%:R).

(* All that is asked of an expectation of rewards. *)
Definition extensional (pays : rewards) := forall past a f g, f =1 g -> pays past a f = pays past a g.
Definition null (pays : rewards) := forall past a, pays past a (fun=> 0) = 0.

Definition positive (pi : policy) := forall past a, 0 <= pi past a.
Definition whole (pi : policy) := forall past, \sum_a pi past a = 1.

(* A table says what the n-th pull of an arm pays, n from 0. *)
Definition table := A -> nat -> X.
Definition paid (shown : history -> A -> X) : rewards := fun past a f => f (shown past a).
Definition by_pull (x : table) : history -> A -> X := fun past a => x a (count_mem a (released past)).
(* The dual policy is shown what the arm pays at this time instead. *)
Definition by_time (x : table) : history -> A -> X := fun past a => x a (size past).

(* Tables that differ in one entry at most, and in one column at most. *)
Definition one_entry (x y : table) := exists i m, forall a n, (a, n) != (i, m) -> x a n = y a n.
Definition one_column (x y : table) := exists m, forall a n, n != m -> x a n = y a n.

(* (eps, 0)-DP of the policy, and table-DP of its dual, e = exp(eps); k releases, the recommendation among them. *)
Definition private (e : R) (pi : policy) (k : nat) := forall x y, one_entry x y -> forall event,
  chance pi (paid (by_pull x)) k event <= e * chance pi (paid (by_pull y)) k event.
Definition table_private (e : R) (pi : policy) (k : nat) := forall x y, one_column x y -> forall event,
  chance pi (paid (by_time x)) k event <= e * chance pi (paid (by_time y)) k event.

Lemma paid_extensional shown : extensional (paid shown).
Proof. by move=> past a f g fg; rewrite /paid. Qed.

Lemma expected_eq pi pays (ext : extensional pays) k past f g :
  (forall z, size z = k -> f z = g z) -> expected pi pays k past f = expected pi pays k past g.
Proof.
elim: k past f g => [|k IH] past f g fg /=; first exact: fg.
apply: eq_bigr => a _; congr (_ * _); apply: ext => x; apply: IH => z zk; apply: fg; by rewrite /= zk.
Qed.

Lemma expected_null pi pays (zero : null pays) (ext : extensional pays) k past f :
  (forall z, size z = k -> f z = 0) -> expected pi pays k past f = 0.
Proof.
elim: k past f => [|k IH] past f f0 /=; first exact: f0.
rewrite big1 // => a _; rewrite (ext _ _ _ (fun=> 0)) ?zero ?mulr0 // => x.
by apply: IH => z zk; apply: f0; rewrite /= zk.
Qed.

Lemma expected_constant pi shown (one : whole pi) k past c :
  expected pi (paid shown) k past (fun=> c) = c.
Proof.
elim: k past => [|k IH] past //=.
by under eq_bigr do rewrite /paid IH; rewrite -mulr_suml one mul1r.
Qed.
End Policies.

(* What witnesses share: a policy of two arms that draws one of them whatever happened, and tables that differ in one
   reward. *)
Section Uniform.
Variable X : Type.
Definition uniform : policy [the realFieldType of rat : Type] [the finType of bool : Type] X := fun _ _ => 2%:R^-1.

Lemma uniform_positive : positive uniform.
Proof. by move=> past a; rewrite invr_ge0 ler0n. Qed.

Lemma uniform_whole : whole uniform.
Proof. by move=> past; rewrite big_bool. Qed.

Lemma uniform_reads_nothing shown shown' k past past' f :
  expected uniform (paid shown) k past f = expected uniform (paid shown') k past' f.
Proof. by elim: k past past' f => [|k IH] past past' f //=; apply: eq_bigr => a _; congr (_ * _); exact: IH. Qed.

Lemma uniform_private k : private 1 uniform k.
Proof. by move=> x y _ event; rewrite mul1r /chance (uniform_reads_nothing _ (by_pull y) _ _ [::]). Qed.

Lemma uniform_table_private k : table_private 1 uniform k.
Proof. by move=> x y _ event; rewrite mul1r /chance (uniform_reads_nothing _ (by_time y) _ _ [::]). Qed.
End Uniform.

Definition without_rewards : table [the finType of bool : Type] bool := fun _ _ => false.
Definition one_reward : table [the finType of bool : Type] bool := fun a n => (a, n) == (true, 0%N).

Lemma one_entry_differs : one_entry without_rewards one_reward.
Proof. by exists true, 0%N => a n other; rewrite /one_reward (negbTE other). Qed.

Lemma one_column_differs : one_column without_rewards one_reward.
Proof. by exists 0%N => a n other; rewrite /one_reward xpair_eqE (negbTE other) andbF. Qed.
