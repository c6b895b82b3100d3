(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import normal gaussian gaussian_profile.
Open Scope R_scope.

Theorem definition_2 eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof. apply threshold_below. Qed.

Theorem definition_2_monotone eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof. apply delta_grows. Qed.

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
