(* What an instance of the potential has to check, in the form in which interval arithmetic checks it. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins rewards thompson normal_steps.
Import ListNotations.
Open Scope R_scope.

(* A corner is paid for, in both orders. *)
Definition paid lam price b (c : R * R) := inside c /\ both_at_most lam (exp price) b (fst c) (snd c).

Lemma corners_good lam price b s c rest : polygon s c rest -> List.Forall (paid lam price b) (c :: rest) ->
  good_corners lam (exp price) b s c rest.
Proof. intros P F. split; [exact P|]. apply List.Forall_impl with (2 := F). now intros. Qed.

Lemma above_by_table s x0 y z lo hi lo' hi' c : Phi_between y lo hi -> Phi_between z lo' hi' -> y = s - x0 -> z = - x0 ->
  hi / 281474976710656 + exp (s * x0 - s * s / 2) * (fst c - lo' / 281474976710656) <= snd c -> above s x0 c.
Proof.
intros [_ Y] [Z _] -> -> H. unfold above, slope. assert (E := exp_pos (s * x0 - s * s / 2)).
apply Rle_trans with (2 := H). apply Rplus_le_compat; [exact Y|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma Phi_by_table a y lo hi : Phi_between y lo hi -> a = y -> lo / 281474976710656 <= Phi a <= hi / 281474976710656.
Proof. now intros H ->. Qed.

Lemma Phi_below_table a y lo hi : Phi_between y lo hi -> a <= y -> 0 <= Phi a <= hi / 281474976710656.
Proof. intros [_ H] L. split; [left; apply Phi_inside|]. apply Rle_trans with (2 := H). now apply Phi_le. Qed.

Lemma shift_at_most n m s : (m <= n)%nat -> 0 < s -> 1 <= s * s * (INR m + 1) -> shift 1 n <= s.
Proof.
intros L S H. unfold shift. apply le_INR in L. assert (M := pos_INR m).
assert (R0 : 0 < sqrt (1 * (INR n + 1))) by (apply sqrt_lt_R0; lra).
apply Rmult_le_reg_r with (sqrt (1 * (INR n + 1))); [exact R0|]. rewrite Rinv_l by lra.
apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
replace (s * sqrt (1 * (INR n + 1)) * (s * sqrt (1 * (INR n + 1)))) with
  (s * s * (sqrt (1 * (INR n + 1)) * sqrt (1 * (INR n + 1)))) by ring.
rewrite sqrt_sqrt by lra. assert (0 < s * s) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma reach_at_most n m r : (n <= m)%nat -> 0 <= r -> INR m + 1 <= r * r -> reach 1 n <= r.
Proof.
intros L S H. unfold reach. apply le_INR in L. assert (N := pos_INR n).
apply Rsqr_incr_0_var; [|exact S]. unfold Rsqr. rewrite sqrt_sqrt by (apply Rle_mult_inv_pos; lra). lra.
Qed.

Ltac edge_check x0 high low := split; [simpl; lra|exists x0; split;
  (apply (above_by_table _ _ _ _ _ _ _ _ _ high low); [lra|lra|simpl; interval with (i_prec 60)])].
Ltac paid_check lam price := unfold paid, inside, both_at_most, cost, tilted, lam, price; simpl fst; simpl snd;
  (split; [split; lra|split; interval with (i_prec 60)]).
Ltac count_check := rewrite INR_IZR_INZ; simpl Z.of_nat; lra.
Ltac end_check H := generalize H; unfold Phi_between; simpl; lra.
Ltac tail_check lam price H :=
  match goal with |- context [Phi ?a] =>
    let B := fresh in assert (B := Phi_below_table a _ _ _ H ltac:(unfold lam; lra));
    let v := fresh in set (v := Phi a) in *; clearbody v; unfold tail, lam, price; interval with (i_prec 60) end.
Ltac second_check lam price H H' :=
  match goal with |- context [ln (Phi ?a)] =>
    let B := fresh in assert (B := Phi_by_table a _ _ _ H ltac:(lra));
    let v := fresh in set (v := Phi a) in *; clearbody v;
    match goal with |- context [Phi ?c] =>
      let C := fresh in assert (C := Phi_by_table c _ _ _ H' ltac:(lra));
      let w := fresh in set (w := Phi c) in *; clearbody w; unfold lam, price; interval with (i_prec 60) end end.
