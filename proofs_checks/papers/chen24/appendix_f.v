(* Appendices F and I: the chance of (113)'s gamma^-; and Proposition D.2 up to eps = 3.7, for the whole policy. *)
From Coq Require Import Reals Lra Lia List Bool.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments rewards densities gaussian noisy_means normal_tails witnesses satisfiable.
From Dpbandits.chen24 Require Import section_4 appendix_d.
Import ListNotations.
Open Scope R_scope.

Theorem eq_113_repaired eps s : 0 <= eps <= 18 / 10 -> 668 / 1000 < s ->
  Phi (- (s - eps / (2 * s))) <= 125 / 100 * exp (- s * s / 2).
Proof.
intros E S. assert (I : 0 < / s) by (apply Rinv_0_lt_compat; lra). set (z := s - 9 / 10 * / s).
apply Rle_trans with (Phi (- z)).
- apply Phi_le. unfold z. replace (eps / (2 * s)) with (eps / 2 * / s) by (field; lra).
  assert (eps / 2 * / s <= 9 / 10 * / s) by (apply Rmult_le_compat_r; lra). lra.
- destruct (Rle_lt_dec 0 z) as [Z|Z].
  + apply Rle_trans with (1 := half_tail z Z). assert (Q : - (z * z) / 2 <= 9 / 10 + - s * s / 2).
    { replace (- (z * z) / 2) with (9 / 10 + - s * s / 2 - 9 / 10 * / s * (9 / 10 * / s) / 2) by (unfold z; field; lra).
      nra. }
    apply exp_le in Q. rewrite exp_plus in Q. assert (C : exp (9 / 10) <= 2 * (125 / 100)) by interval with (i_prec 60).
    generalize (exp_pos (- s * s / 2)). nra.
  + assert (N := Phi_near (- z) ltac:(lra)). assert (L : s <= 1).
    { apply Rnot_lt_le. intros H. unfold z in Z.
      assert (/ s < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra. }
    assert (1 / 2 + - z / 2 - 125 / 100 * exp (- s * s / 2) <= 0); [|lra]. unfold z.
    interval with (i_bisect s, i_prec 60).
Qed.

(** * Means with normal noise *)
Section Means.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (B : Type) (released : outcomes -> B).

(* mu n times the noise of a mean of n has deviation 1. *)
Definition normal_noise (mu : R) (n : nat) : R -> R -> R := normal_density (/ (mu * INR n)).

Theorem normal_means_private r next mu eps ended k t u event :
  0 < mu -> sound A next -> bounded A t -> bounded A u -> near A r t u ->
  chance_of (noised A same (normal_noise mu) r next t) ended (fun h => event (released h)) k [] <=
    exp eps * chance_of (noised A same (normal_noise mu) r next u) ended (fun h => event (released h)) k [] +
    gaussian_delta mu eps.
Proof.
intros M G T U (j & m & D).
assert (N : forall n, (1 <= n)%nat -> 0 < mu * INR n).
{ intros. apply Rmult_lt_0_compat; [exact M|apply lt_0_INR; lia]. }
assert (P : forall x h, proper (noised A same (normal_noise mu) r next x h)).
{ intros x h. apply noised_proper; [exact G|]. intros n c L. now apply normal_density_proper, Rinv_0_lt_compat, N. }
set (reads := reads_it A same r next j m).
assert (Once := reads_once A same r next t u j m D).
apply (gaussian_rounds _ _ ended (fun h => event (released h)) (P t) (P u)
  (fun h left => 0 <= left /\ (was_read reads h = false -> mu * mu <= left))); [| |exact M|].
- intros h left [L O] _. destruct (reads h) eqn:R0.
  + exists (mu * mu). assert (W : was_read reads h = false).
    { destruct (was_read reads h) eqn:W; [|reflexivity]. now rewrite (read_before reads Once h W) in R0. }
    specialize (O W). split; [nra|]. split; [|intros z; simpl; rewrite R0; split; [lra|discriminate]].
    right. unfold noised, reads, reads_it in *. specialize (G h). destruct (next h) as [a n|]; [|discriminate].
    set (s := start A same r next a h). exists (/ (mu * INR n)), (block A t a s n / INR n), (block A u a s n / INR n).
    split; [now apply Rinv_0_lt_compat, N|]. split; [reflexivity|]. split; [reflexivity|].
    assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (d := block A t a s n - block A u a s n).
    replace ((block A t a s n / INR n - block A u a s n / INR n) / / (mu * INR n)) with (mu * d)
      by (unfold d; field; lra).
    assert (V := block_moved A r t u j m D 1 a s n (one_moved A t u T U)). fold d in V.
    assert (d * d <= 1) by (revert V; split_Rabs; nra). nra.
  + exists 0. split; [lra|]. rewrite Rminus_0_r. split; [|intros z; simpl; rewrite R0; now split].
    left. intros z. now apply (noised_unread A same r next t u j m).
- intros h left [L _]. exact L.
- split; [nra|]. intros _. lra.
Qed.
End Means.

(** * DP-BAI-Gauss *)
Section Phases.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (M : nat).
Variables (block : list (list R) -> list A) (each : list (list R) -> nat) (recommended : list (list R) -> A).

(* Lines 10 and 16: the variance of the noise of a mean of n is 2 log(1.25/delta)/(eps n)^2. *)
Definition gauss_chance (eps delta : R) (t : table A) (event : list (list A * nat) * A -> bool) (draws : nat) : R :=
  let noise n := normal_density (sqrt (2 * ln (125 / 100 / delta) / (eps * INR n) ^ 2)) in
  chance_of (noised A same noise pull (phase_means A block each) t) (phases_ended A M block)
    (fun h => event (told A block each recommended h)) draws [].

Theorem proposition_d_2_policy eps delta t u event draws : 0 < eps <= 37 / 10 -> 0 < delta < 1 ->
  (forall w, (1 <= each w)%nat) -> bounded A t -> bounded A u -> near A pull t u ->
  gauss_chance eps delta t event draws <= exp eps * gauss_chance eps delta u event draws + delta.
Proof.
intros E D P T U N. set (l := ln (125 / 100 / delta)).
assert (L : ln (125 / 100) < l).
{ apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  replace (125 / 100 / delta * delta) with (125 / 100) by (field; lra). lra. }
assert (L' : 668 / 1000 * (668 / 1000) / 2 < ln (125 / 100)) by interval with (i_prec 60).
set (s := sqrt (2 * l)). assert (s2 : s * s = 2 * l) by (apply sqrt_sqrt; lra).
assert (S : 668 / 1000 < s).
{ unfold s. rewrite <- (sqrt_square (668 / 1000)) by lra. apply sqrt_lt_1; lra. }
assert (Del : 125 / 100 * exp (- s * s / 2) = delta).
{ replace (- s * s / 2) with (- l) by lra. unfold l.
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra. }
assert (H := proposition_d_2_repaired eps s ltac:(lra) S). rewrite Del in H.
assert (Noise : forall n, (1 <= n)%nat -> sqrt (2 * l / (eps * INR n) ^ 2) = / (eps / s * INR n)).
{ intros n n1. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (K : 0 < s / (eps * INR n)).
  { apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra. }
  rewrite <- (sqrt_square (/ (eps / s * INR n))).
  - f_equal. rewrite <- s2. field. lra.
  - replace (/ (eps / s * INR n)) with (s / (eps * INR n)) by (field; lra). lra. }
assert (Same : forall x, noised A same (fun n => normal_density (sqrt (2 * l / (eps * INR n) ^ 2))) pull
  (phase_means A block each) x = noised A same (normal_noise (eps / s)) pull (phase_means A block each) x).
{ intros x. apply FunctionalExtensionality.functional_extensionality. intros h. unfold noised.
  assert (G := phase_means_sound A block each P h). destruct (phase_means A block each h) as [a n|]; [|reflexivity].
  unfold normal_noise. now rewrite Noise. }
unfold gauss_chance. fold l. cbv zeta. rewrite !Same.
apply Rle_trans with (2 := Rplus_le_compat_l _ _ _ H).
apply normal_means_private; auto; [apply Rdiv_lt_0_compat; lra|]. apply phase_means_sound, P.
Qed.
End Phases.

(** * The hypotheses can hold together *)

Lemma eq_113_repaired_witness : satisfiable eq_113_repaired.
Proof. exists 1, 1. lra. Qed.

Lemma proposition_d_2_policy_witness : satisfiable proposition_d_2_policy.
Proof.
destruct (different_tables bool bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, bool_dec, 2%nat, (fun _ => [true; false]), (fun _ => 1%nat), (fun _ => true), 1, (1 / 2), t, u, (fun _ => true),
  4%nat.
hold.
Qed.
