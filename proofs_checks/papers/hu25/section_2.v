(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals.
From Dpbandits Require Import normal gaussian gaussian_profile witnesses satisfiable.
Open Scope R_scope.

Theorem theorem_2_4 eps eta t : 0 <= eps -> 0 < eta -> threshold_delta eta eps t <= gaussian_delta eta eps.
Proof. apply threshold_below. Qed.

Theorem remark_2_4 eps eta more : 0 <= eps -> 0 < eta -> 0 <= more ->
  gaussian_delta eta eps <= gaussian_delta (eta + more) eps.
Proof. apply delta_grows. Qed.

(* An algorithm on two neighbouring data sets, by the probability with which each test rejects: the whole sentence. *)
Theorem theorem_2_4_equivalence (test : Type) (opposite : test -> test) (P Q : test -> R) eta :
  (forall f, 0 <= P f <= 1) -> (forall f, 0 <= Q f <= 1) ->
  (forall f, P (opposite f) = 1 - P f) -> (forall f, Q (opposite f) = 1 - Q f) -> 0 < eta ->
  (gdp test P Q eta <-> forall eps, 0 <= eps -> dp test P Q eps (gaussian_delta eta eps)).
Proof. intros. now apply (gdp_is_dp test opposite). Qed.

(** * The hypotheses can hold together *)

Lemma theorem_2_4_witness : satisfiable theorem_2_4.
Proof. exists 0, 1, 0. hold. Qed.

Lemma remark_2_4_witness : satisfiable remark_2_4.
Proof. exists 0, 1, 1. hold. Qed.

Lemma theorem_2_4_equivalence_witness : satisfiable theorem_2_4_equivalence.
Proof.
destruct (gdp_witness 1 Rlt_0_1) as (test & opposite & P & Q & H). exists test, opposite, P, Q, 1.
generalize Rlt_0_1. tauto.
Qed.
