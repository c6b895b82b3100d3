(* Table 1: the lower bounds, which are theorems of the appendix. *)
From Coq Require Import Reals Lra Lia.
From Dpbandits Require Import expectation private_bandits satisfiable.
From Dpbandits.tao22 Require Import appendix_c_theorem_11 appendix_c_theorem_9.
Open Scope R_scope.

(* Theorem 9. *)
Theorem ldp_independent_lower v eps (Z : sample_space) K T (alg : local_algorithm real_numbers Z K eps) :
  0 < v <= 1 -> 0 < eps <= 1 -> (2 <= K)%nat -> Rpower 25 ((1 + v) / v) * (INR K / eps ^ 2) < INR T ->
  (forall D, pulls_measurable alg D) ->
  exists D : nat -> probability_measure real_numbers, (forall a, (a < K)%nat -> moment_at_most_1 v (D a)) /\
    exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v)) <=
    regret alg D T.
Proof. exact (theorem_9 v eps Z K T alg). Qed.

(** * The hypotheses can hold together *)

Lemma ldp_independent_lower_witness : satisfiable ldp_independent_lower.
Proof. exact theorem_9_witness. Qed.
