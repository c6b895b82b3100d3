(* Runs that draw number after number, each with a density that may depend on all numbers before it. Adaptive composition
   of pure differential privacy, and data that are read for one of the numbers at most. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import moments integral.
Import ListNotations.
Open Scope R_scope.

(* What came out so far, the last first; the density of what comes next. *)
Definition outcomes := list R.
Definition densities := outcomes -> R -> R.

(* The chance of an event, k outcomes later at most. *)
Fixpoint chance_of (p : densities) (ended : outcomes -> bool) (event : outcomes -> bool) (k : nat) (h : outcomes) : R :=
  let now := if event h then 1 else 0 in
  match k with
  | O => now
  | S k' => if ended h then now else integral (fun z => p h z * chance_of p ended event k' (z :: h))
  end.

Definition proper (d : R -> R) := (forall z, 0 <= d z) /\ integral d = 1.

(* Something comes out: what is integrated is a law. *)
Theorem chance_whole p ended k h : (forall h, proper (p h)) -> chance_of p ended (fun _ => true) k h = 1.
Proof.
intros P. revert h. induction k as [|k IH]; intros h; simpl; [reflexivity|]. destruct (ended h); [reflexivity|].
destruct (P h) as [_ <-]. f_equal. apply FunctionalExtensionality.functional_extensionality. intros z. rewrite IH. ring.
Qed.

(* After so many outcomes every run has ended: more draws change nothing. *)
Theorem draws_enough (p : densities) ended event n k : (forall h, (n <= length h)%nat -> ended h = true) ->
  chance_of p ended event (n + k) [] = chance_of p ended event n [].
Proof.
intros E. assert (G : forall j h, (n <= length h + j)%nat ->
  chance_of p ended event (j + k) h = chance_of p ended event j h).
{ induction j as [|j IH]; intros h H.
  - rewrite Nat.add_0_r in H. destruct k as [|k']; [reflexivity|]. simpl. now rewrite (E h H).
  - simpl. destruct (ended h); [reflexivity|]. f_equal. apply FunctionalExtensionality.functional_extensionality.
    intros z. rewrite IH; [reflexivity|]. simpl. now rewrite Nat.add_succ_r in H. }
apply G. apply le_n.
Qed.

Section Composition.
Variables (p q : densities) (ended event : outcomes -> bool).
Hypotheses (p_proper : forall h, proper (p h)) (q_proper : forall h, proper (q h)).

Lemma chance_inside r k h : (forall h, proper (r h)) -> 0 <= chance_of r ended event k h <= 1.
Proof.
intros P. revert h. induction k as [|k IH]; intros h; simpl; [destruct (event h); lra|].
destruct (ended h); [destruct (event h); lra|]. destruct (P h) as [P0 P1].
destruct (integral_finite (r h)) as (v & V); [lra|]. set (f := fun z => r h z * chance_of r ended event k (z :: h)).
assert (F : forall z, f z <= 1 * r h z) by (intros z; unfold f; generalize (P0 z) (IH (z :: h)); nra).
split; [apply (integral_positive _ (1 * v)), (bounds_scaled f (r h)); auto; lra|].
rewrite <- P1, <- (Rmult_1_l (integral (r h))). apply (integral_scaled f (r h) 1 v); auto; lra.
Qed.

(* cost: of the next number; left: what all numbers from here on may cost. *)
Theorem density_composition (cost left : outcomes -> R) k h : (forall h, 0 <= left h) ->
  (forall h z, ended h = false -> p h z <= exp (cost h) * q h z) ->
  (forall h z, ended h = false -> cost h + left (z :: h) <= left h) ->
  chance_of p ended event k h <= exp (left h) * chance_of q ended event k h.
Proof.
intros positive paid pays.
assert (One : forall h, 1 <= exp (left h)) by (intros g; rewrite <- exp_0; apply exp_le, positive).
revert h. induction k as [|k IH]; intros h; simpl; [generalize (One h); destruct (event h); lra|].
destruct (ended h) eqn:E; [generalize (One h); destruct (event h); lra|].
destruct (q_proper h) as [Q0 Q1]. destruct (p_proper h) as [P0 _].
destruct (integral_finite (q h)) as (v & V); [lra|]. apply (integral_scaled _ _ _ (1 * v)); [apply exp_pos| |].
- intros z. assert (I := IH (z :: h)). assert (C := chance_inside q k (z :: h) q_proper).
  assert (C' := chance_inside p k (z :: h) p_proper).
  set (x := chance_of p ended event k (z :: h)) in *. set (y := chance_of q ended event k (z :: h)) in *.
  apply Rle_trans with (exp (cost h) * q h z * (exp (left (z :: h)) * y)).
  + apply Rmult_le_compat; [apply P0|tauto|now apply paid|exact I].
  + replace (exp (cost h) * q h z * (exp (left (z :: h)) * y)) with (exp (cost h + left (z :: h)) * (q h z * y))
      by (rewrite exp_plus; ring).
    apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply Q0|tauto]|]. apply exp_le. now apply pays.
- apply (bounds_scaled _ (q h)); [lra| |exact V]. intros z.
  generalize (Q0 z) (chance_inside q k (z :: h) q_proper). nra.
Qed.

Section Fresh.
Variables (eps : R) (reads : outcomes -> bool).
Hypothesis eps_positive : 0 <= eps.
Hypothesis unread : forall h z, reads h = false -> p h z = q h z.
Hypothesis read : forall h z, reads h = true -> p h z <= exp eps * q h z.
Hypothesis once : forall h h', reads h = true -> reads (h' ++ h) = true -> h' = [].

Fixpoint was_read (h : outcomes) := match h with [] => false | _ :: h' => if reads h' then true else was_read h' end.

Lemma read_before h : was_read h = true -> reads h = false.
Proof.
intros H. destruct (reads h) eqn:N; [|reflexivity]. exfalso.
assert (F : exists z h', z <> [] /\ h = z ++ h' /\ reads h' = true).
{ clear N. induction h as [|a h IH]; [discriminate|]. simpl in H. destruct (reads h) eqn:R1.
  - exists [a], h. now split; [|split].
  - destruct (IH H) as (z & h' & N & -> & R2). exists (a :: z), h'. now split; [|split]. }
destruct F as (z & h' & Z & -> & R1). apply Z. now apply (once h').
Qed.

(* The changed datum is read for one number at most; which one, the past determines. *)
Theorem fresh_numbers k : chance_of p ended event k [] <= exp eps * chance_of q ended event k [].
Proof.
change (exp eps) with (exp ((fun h => if was_read h then 0 else eps) [])).
apply (density_composition (fun h => if reads h then eps else 0)).
- intros h. destruct (was_read h); lra.
- intros h z _. destruct (reads h) eqn:H; [now apply read|]. rewrite exp_0, (unread h z H). lra.
- intros h z _. simpl. destruct (reads h) eqn:H; [|destruct (was_read h); lra].
  destruct (was_read h) eqn:W; [rewrite (read_before h W) in H; discriminate|lra].
Qed.
End Fresh.
End Composition.
