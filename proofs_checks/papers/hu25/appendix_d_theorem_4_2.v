(* The proof of Theorem 4.2, eq. (24). *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import satisfiable.
Open Scope R_scope.

Theorem theorem_4_2_eq_24 T gap : 0 < T -> 0 < gap <= 1 -> 1 <= ln (T * gap * gap) ->
  ln T <= ln (T * gap * gap) / (gap * gap).
Proof.
intros P G H. assert (u0 : 0 < gap * gap) by nra. assert (u1 : gap * gap <= 1) by nra.
rewrite Rmult_assoc in *. set (u := gap * gap) in *. rewrite ln_mult in * by assumption.
assert (E := exp_ineq1_le (- ln u)). rewrite exp_Ropp, exp_ln in E by exact u0.
apply Rmult_le_reg_r with u; [exact u0|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (- ln u * u <= 1 - u). { replace (1 - u) with ((/ u - 1) * u) by (field; lra). apply Rmult_le_compat_r; lra. }
nra.
Qed.

Lemma theorem_4_2_eq_24_witness : satisfiable theorem_4_2_eq_24.
Proof. exists (exp 1), 1. rewrite !Rmult_1_r, ln_exp. generalize (exp_pos 1). lra. Qed.
