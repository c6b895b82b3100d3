(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import normal gaussian.
Open Scope R_scope.

(* What a test for values above t shows at eps, where a normal value moves by mu deviations. *)
Definition threshold_delta (mu eps t : R) := Phi (mu - t) - exp eps * Phi (- t).

Lemma excess_is_delta mu eps : 0 < mu -> excess_at mu 1 (exp eps) = gaussian_delta mu eps.
Proof.
intros M. unfold excess_at, best_line, gaussian_delta. rewrite ln_1, ln_exp.
replace (mu / 2 + (0 - eps) / mu) with (- eps / mu + mu / 2) by (field; lra).
replace (- eps / mu + mu / 2 - mu) with (- eps / mu - mu / 2) by (field; lra). lra.
Qed.

Theorem definition_2 eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof.
intros _ M. unfold threshold_delta. rewrite <- excess_is_delta by exact M.
assert (H := no_line_exceeds 1 (exp eps) Rlt_0_1 (exp_pos eps) mu (mu - t) M).
replace (mu - t - mu) with (- t) in H by ring. lra.
Qed.

Theorem definition_2_monotone eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof.
intros E M N. set (t := eps / mu + mu / 2). apply Rle_trans with (threshold_delta (mu + more) eps t).
- unfold threshold_delta, gaussian_delta.
  replace (- eps / mu + mu / 2) with (mu - t) by (unfold t; field; lra).
  replace (- eps / mu - mu / 2) with (- t) by (unfold t; field; lra).
  assert (Phi (mu - t) <= Phi (mu + more - t)) by (apply Phi_le; lra). lra.
- apply definition_2; lra.
Qed.

Lemma delta_rises eps mu mu' : 0 <= eps -> 0 < mu -> mu <= mu' -> gaussian_delta mu eps <= gaussian_delta mu' eps.
Proof.
intros E M L. replace mu' with (mu + (mu' - mu)) by ring. apply definition_2_monotone; lra.
Qed.

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
