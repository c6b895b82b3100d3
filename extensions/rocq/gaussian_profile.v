(* The profile of Gaussian differential privacy: no threshold shows more, and it grows with the parameter. *)
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

Theorem threshold_below eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof.
intros _ M. unfold threshold_delta. rewrite <- excess_is_delta by exact M.
assert (H := no_line_exceeds 1 (exp eps) Rlt_0_1 (exp_pos eps) mu (mu - t) M).
replace (mu - t - mu) with (- t) in H by ring. lra.
Qed.

Theorem delta_grows eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof.
intros E M N. set (t := eps / mu + mu / 2). apply Rle_trans with (threshold_delta (mu + more) eps t).
- unfold threshold_delta, gaussian_delta.
  replace (- eps / mu + mu / 2) with (mu - t) by (unfold t; field; lra).
  replace (- eps / mu - mu / 2) with (- t) by (unfold t; field; lra).
  assert (Phi (mu - t) <= Phi (mu + more - t)) by (apply Phi_le; lra). lra.
- apply threshold_below; lra.
Qed.

Lemma delta_rises eps mu mu' : 0 <= eps -> 0 < mu -> mu <= mu' -> gaussian_delta mu eps <= gaussian_delta mu' eps.
Proof.
intros E M L. replace mu' with (mu + (mu' - mu)) by ring. apply delta_grows; lra.
Qed.
