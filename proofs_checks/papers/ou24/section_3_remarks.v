(* Remark 2: another tightening does improve Theorem 3. *)
From Coq Require Import Reals Lra Lia.
From Dpbandits Require Import normal gaussian gaussian_profile.
From Dpbandits.ou24 Require Import section_2.
Open Scope R_scope.

Theorem remark_2_improvement eps T : 0 <= eps -> (2 <= T)%nat ->
  gaussian_delta (sqrt (1 / 2 * (INR T - 1))) eps <= gaussian_delta (sqrt (1 / 2 * INR T)) eps.
Proof.
intros E H. assert (2 <= INR T) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
apply delta_rises; [exact E|apply sqrt_lt_R0; lra|apply sqrt_le_1_alt; lra].
Qed.
