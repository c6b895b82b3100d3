(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals.
From Dpbandits Require Import normal gaussian gaussian_profile.
Open Scope R_scope.

Theorem theorem_2_4 eps eta t : 0 <= eps -> 0 < eta -> threshold_delta eta eps t <= gaussian_delta eta eps.
Proof. apply threshold_below. Qed.

Theorem remark_2_4 eps eta more : 0 <= eps -> 0 < eta -> 0 <= more ->
  gaussian_delta eta eps <= gaussian_delta (eta + more) eps.
Proof. apply delta_grows. Qed.
