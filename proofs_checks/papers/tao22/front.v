(* Table 1: the lower bounds, which are theorems of the appendix. *)
From Coq Require Import Reals Lra Lia.
From Dpbandits Require Import expectation private_bandits satisfiable.
From Dpbandits.tao22 Require Import appendix_c_theorem_11 appendix_c_theorem_8 appendix_c_theorem_9.
Open Scope R_scope.

(* Theorem 9. *)
Theorem ldp_independent_lower v eps (Z : sample_space) K T (alg : local_algorithm real_numbers Z K eps) :
  0 < v <= 1 -> 0 < eps <= 1 -> (2 <= K)%nat -> Rpower 25 ((1 + v) / v) * (INR K / eps ^ 2) < INR T ->
  (forall D, simple D -> pulls_measurable alg D) ->
  exists D : nat -> probability_measure real_numbers, simple D /\ (forall a, (a < K)%nat -> moment_at_most_1 v (D a)) /\
    exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v)) <=
    regret alg D T.
Proof. exact (theorem_9 v eps Z K T alg). Qed.

(* Theorem 8. *)
Theorem ldp_lower v eps (Z : sample_space) K (alg : nat -> local_algorithm real_numbers Z K eps) (mu : nat -> R)
  (D : nat -> probability_measure real_numbers) (Q : nat -> nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < eps <= 1 -> (1 <= K)%nat -> instances_of_theorem_8 v K mu D Q ->
  (forall T, pulls_measurable (alg T) D) -> below_all_powers (fun T => regret (alg T) D T) ->
  (forall a, (a < K)%nat -> 0 < mu 0%nat - mu a -> (forall T, pulls_measurable (alg T) (Q a)) /\
    below_all_powers (fun T => regret (alg T) (Q a) T)) ->
  (forall a, (a < K)%nat -> mean_reward (D a) = mu a /\ moment_at_most_1 v (D a) /\ mu 0%nat - mu a < 1 / 5) /\
  liminf_per_log (fun T => regret (alg T) D T)
    (1 / (16 * Rpower 10 (2 / v)) * (1 / eps ^ 2 * over_gaps K mu (fun g => Rpower (1 / g) (1 / v)))).
Proof. exact (theorem_8 v eps Z K alg mu D Q). Qed.

(** * The hypotheses can hold together *)

Lemma ldp_independent_lower_witness : satisfiable ldp_independent_lower.
Proof. exact theorem_9_witness. Qed.

Lemma ldp_lower_witness : satisfiable ldp_lower.
Proof. exact theorem_8_witness. Qed.
