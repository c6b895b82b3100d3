(* Theorem 6, repaired: report noisy max with Gaussian noise, where one answer moves. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import normal densities gaussian noisy_values witnesses satisfiable.
Open Scope R_scope.

(* f and f' are the answers on two neighbouring databases, s the sensitivities, sigma the deviations of the noise. *)
Theorem theorem_6_repaired A (queries : list A) sigma s f f' j mu eps event draws :
  NoDup queries -> (forall a, 0 < sigma a) -> 0 < mu -> (forall a, s a / sigma a <= mu) ->
  (forall a, a <> j -> f a = f' a) -> Rabs (f j - f' j) <= s j ->
  values_chance A queries sigma f event draws <=
    exp eps * values_chance A queries sigma f' event draws + gaussian_delta mu eps.
Proof.
intros D P M S E H. apply (one_value_moves A queries sigma j D P); [exact M|exact E|].
apply Rle_trans with (1 := H). assert (Q := P j). apply Rmult_le_reg_r with (/ sigma j); [now apply Rinv_0_lt_compat|].
rewrite Rmult_assoc, Rinv_r by lra. rewrite Rmult_1_r. apply S.
Qed.

Lemma theorem_6_repaired_witness : satisfiable theorem_6_repaired.
Proof.
exists bool, (true :: false :: nil), (fun _ => 1), (fun _ => 1), (fun _ => 0), (fun a : bool => if a then 1 else 0), true, 1, 0,
  (fun _ => true), 2%nat.
hold; try (intros; lra).
- intros [|] N; [now destruct N|reflexivity].
- rewrite Rabs_left; lra.
Qed.
