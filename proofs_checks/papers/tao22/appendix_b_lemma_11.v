(* Lemma 11, eq. (13): a sum below its integral. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import moments satisfiable.
Open Scope R_scope.

Fixpoint power_sum (q : R) (n : nat) : R := match n with O => 0 | S n' => power_sum q n' + Rpower (INR n) (- q) end.

Theorem eq_13_sum v n : 0 <= v -> (1 <= n)%nat ->
  power_sum (v / (1 + v)) n <= (1 + v) * Rpower (INR n) (1 / (1 + v)).
Proof.
intros V N. set (p := 1 / (1 + v)). set (q := v / (1 + v)). assert (I : 0 < / (1 + v)) by (apply Rinv_0_lt_compat; lra).
assert (P : 0 <= p <= 1).
{ unfold p, Rdiv. rewrite Rmult_1_l. split; [lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
assert (Q : - q = p - 1) by (unfold p, q; field; lra). assert (Pv : (1 + v) * p = 1) by (unfold p; field; lra).
induction N as [|n N IH].
- simpl. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
- assert (n1 : 0 < INR n) by (apply lt_0_INR; auto with arith). change (power_sum q (S n)) with
    (power_sum q n + Rpower (INR (S n)) (- q)). rewrite S_INR, Q. set (i := INR n + 1).
  assert (C := exp_chord p (ln (INR n) - ln i) P).
  assert (E : exp (ln (INR n) - ln i) = INR n / i).
  { unfold Rminus. rewrite exp_plus, exp_Ropp, !exp_ln by (unfold i; lra). reflexivity. }
  rewrite E in C. assert (Split : Rpower (INR n) p = exp (p * (ln (INR n) - ln i)) * Rpower i p).
  { unfold Rpower. rewrite <- exp_plus. f_equal. ring. }
  assert (Less : Rpower i (p - 1) = Rpower i p * / i).
  { unfold Rpower. replace ((p - 1) * ln i) with (p * ln i + - ln i) by ring.
    rewrite exp_plus, exp_Ropp, exp_ln by (unfold i; lra). reflexivity. }
  assert (X : 0 < Rpower i p) by apply exp_pos. assert (D : INR n / i = 1 - / i) by (unfold i; field; lra).
  rewrite Less. rewrite Split in IH. rewrite D in C. set (e := exp (p * (ln (INR n) - ln i))) in *.
  assert (e * Rpower i p <= (1 - p * / i) * Rpower i p) by (apply Rmult_le_compat_r; lra).
  assert ((1 + v) * (e * Rpower i p) <= (1 + v) * ((1 - p * / i) * Rpower i p)) by (apply Rmult_le_compat_l; lra).
  replace ((1 + v) * ((1 - p * / i) * Rpower i p)) with ((1 + v) * Rpower i p - (1 + v) * p * (Rpower i p * / i)) in H0
    by ring. rewrite Pv in H0. lra.
Qed.

Lemma eq_13_sum_witness : satisfiable eq_13_sum.
Proof. exists 1, 1%nat. split; [lra|auto]. Qed.
