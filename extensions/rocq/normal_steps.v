(* The normal distribution function at multiples of 1/64, in units of 2^-48: enclosures that add up from step to step. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal.
Open Scope R_scope.

Definition area_between (k lo hi : R) := lo / 281474976710656 <= area (k / 64) <= hi / 281474976710656.
Definition Phi_between (x lo hi : R) := lo / 281474976710656 <= Phi x <= hi / 281474976710656.

Lemma area_step k lo hi lo' hi' : area_between k lo hi ->
  (lo' - lo) / 281474976710656 <= RInt (fun t => exp (- (t * t) / 2)) (k / 64) ((k + 1) / 64) <= (hi' - hi) / 281474976710656 ->
  area_between (k + 1) lo' hi'.
Proof.
unfold area_between, area. intros [H1 H2] [S1 S2].
rewrite <- (RInt_Chasles bell 0 (k / 64) ((k + 1) / 64)) by apply bell_integrable.
unfold plus; simpl. unfold bell in *. lra.
Qed.

Lemma Phi_by_area x k lo hi lo' hi' : area_between k lo hi -> x = k / 64 ->
  lo' / 281474976710656 <= 1 / 2 + lo / 281474976710656 / sqrt (2 * PI) -> 1 / 2 + hi / 281474976710656 / sqrt (2 * PI) <= hi' / 281474976710656 ->
  Phi_between x lo' hi'.
Proof.
intros [A B] -> L H. unfold Phi_between. rewrite Phi_area. assert (P := Rinv_0_lt_compat _ root_two_pi).
unfold Rdiv in *. split; nra.
Qed.

Lemma Phi_below x lo hi : Phi_between x lo hi -> Phi_between (- x) (281474976710656 - hi) (281474976710656 - lo).
Proof. unfold Phi_between. rewrite Phi_opp. lra. Qed.

Ltac next H := apply (area_step _ _ _ _ _ H); integral with (i_prec 60, i_width (-51), i_degree 7, i_fuel 50).
Ltac by_area H := apply (Phi_by_area _ _ _ _ _ _ H); [lra|interval with (i_prec 64)|interval with (i_prec 64)].

Lemma area_at_0 : area_between 0 (-3) 4.
Proof. unfold area_between. replace (0 / 64) with 0 by field. rewrite area_0. split; lra. Qed.

Lemma Phi_0 : Phi_between (0 / 64) 140737488355328 140737488355328.
Proof. unfold Phi_between. replace (0 / 64) with 0 by field. rewrite Phi_area, area_0. lra. Qed.
