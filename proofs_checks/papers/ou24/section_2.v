(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import normal moments densities gaussian gaussian_profile noisy_values witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Theorem definition_2 eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof. apply threshold_below. Qed.

Theorem definition_2_monotone eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof. apply delta_grows. Qed.

(* A mechanism on two neighbouring data sets, by the probability with which each test rejects: the whole sentence. *)
Theorem definition_2_equivalence (test : Type) (opposite : test -> test) (P Q : test -> R) eta :
  (forall f, 0 <= P f <= 1) -> (forall f, 0 <= Q f <= 1) ->
  (forall f, P (opposite f) = 1 - P f) -> (forall f, Q (opposite f) = 1 - Q f) -> 0 < eta ->
  (gdp test P Q eta <-> forall eps, 0 <= eps -> dp test P Q eps (gaussian_delta eta eps)).
Proof. intros. now apply (gdp_is_dp test opposite). Qed.

(* Values that move by a share of s in units of sigma, to either side. *)
Theorem gaussian_mechanism eps s sigma share t : 0 <= eps -> 0 < s -> 0 < sigma -> -1 <= share <= 1 ->
  threshold_delta (share * s / sigma) eps t <= gaussian_delta (s / sigma) eps.
Proof.
intros E S G H. assert (M : 0 < s / sigma) by now apply Rdiv_lt_0_compat.
replace (share * s / sigma) with (share * (s / sigma)) by (field; lra). set (mu := s / sigma) in *.
destruct (Rlt_le_dec 0 share) as [P|P].
- apply Rle_trans with (gaussian_delta (share * mu) eps); [apply definition_2; [exact E|now apply Rmult_lt_0_compat]|].
  replace mu with (share * mu + (1 - share) * mu) at 2 by ring.
  apply definition_2_monotone; [exact E|now apply Rmult_lt_0_compat|apply Rmult_le_pos; lra].
- apply Rle_trans with 0.
  + unfold threshold_delta. assert (share * mu <= 0) by nra.
    assert (L : Phi (share * mu - t) <= Phi (- t)) by (apply Phi_le; lra).
    assert (O : 1 <= exp eps).
    { rewrite <- exp_0. destruct E as [E|<-]; [left; now apply exp_increasing|right; reflexivity]. }
    assert (I := Phi_inside (- t)). nra.
  + rewrite <- excess_is_delta by exact M. apply excess_positive; [apply Rlt_0_1|apply exp_pos|exact M].
Qed.

(* The mechanism itself: f and f' are the values on neighbouring data, a number for each coordinate, and s bounds their
   Euclidean distance. *)
Theorem gaussian_mechanism_events (A : Type) (coordinates : list A) f f' s sigma eps event draws : 0 < s -> 0 < sigma ->
  sum (fun a => (f a - f' a) ^ 2) coordinates <= s ^ 2 ->
  let chance f := values_chance A coordinates (fun _ => sigma) f event draws in
  chance f <= exp eps * chance f' + gaussian_delta (s / sigma) eps.
Proof.
intros S G H. apply values_move; [intros; exact G|now apply Rdiv_lt_0_compat|].
rewrite (sum_eq _ _ (fun a => (f a - f' a) ^ 2 * (/ sigma) ^ 2)) by (intros; unfold squared_move, Rdiv; ring).
rewrite sum_scaled. replace (s / sigma * (s / sigma)) with (s ^ 2 * (/ sigma) ^ 2) by (field; lra).
apply Rmult_le_compat_r; [apply pow2_ge_0|exact H].
Qed.

(** * The hypotheses can hold together *)
Lemma definition_2_witness : satisfiable definition_2.
Proof. exists 0, 1, 0. hold. Qed.

Lemma definition_2_monotone_witness : satisfiable definition_2_monotone.
Proof. exists 0, 1, 0. hold. Qed.

Lemma definition_2_equivalence_witness : satisfiable definition_2_equivalence.
Proof.
destruct (gdp_witness 1 Rlt_0_1) as (test & opposite & P & Q & H). exists test, opposite, P, Q, 1.
generalize Rlt_0_1. tauto.
Qed.

Lemma gaussian_mechanism_witness : satisfiable gaussian_mechanism.
Proof. exists 0, 1, 1, 1, 0. hold. Qed.

Lemma gaussian_mechanism_events_witness : satisfiable gaussian_mechanism_events.
Proof.
exists nat, [0%nat; 1%nat], (fun _ => 0), (fun _ => 1), 2, 1, 0, (fun _ => true), 2%nat. cbn [sum]. hold.
Qed.
