(* What the formulas of certificates mean, and how the kernel decides about them where every variable has a value. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Raux.
From Interval Require Import Tactic.
From Dpbandits Require Import normal.
Open Scope R_scope.

Definition floor (x : R) := IZR (Zfloor x).
Definition ceil (x : R) := IZR (Zceil x).

(** * Phi by one proper integral, which keeps its digits however far out *)
Definition fan (x : R) := RInt (fun t => exp (- (x * t) ^ 2 / 2) / (1 + t ^ 2)) 0 1.
Definition product_of_tails (x : R) := exp (- x ^ 2 / 2) * fan x / PI. (* Phi(x) Phi(-x) *)
Definition smaller_tail (x : R) := product_of_tails x / (1 / 2 + sqrt (Rabs (1 / 4 - product_of_tails x))).

Lemma fan_integrable x : ex_RInt (fun t => exp (- (x * t) ^ 2 / 2) / (1 + t ^ 2)) 0 1.
Proof.
apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
apply (ex_derive_continuous (V := R_NormedModule)). assert (1 + t * (t * 1) <> 0) by nra. auto_derive; auto.
Qed.

Lemma wedge_fan x : wedge x = exp (- x ^ 2 / 2) * fan x.
Proof.
transitivity (RInt (fun t => scal (exp (- x ^ 2 / 2)) (exp (- (x * t) ^ 2 / 2) / (1 + t ^ 2))) 0 1).
- apply RInt_ext; intros t _. unfold ray, scal; simpl; unfold mult; simpl.
  replace (- (x * x) * (1 + t * t) / 2) with (- (x * (x * 1)) / 2 + - (x * t * (x * t * 1)) / 2) by field.
  rewrite exp_plus. field. nra.
- apply (RInt_scal (fun t => exp (- (x * t) ^ 2 / 2) / (1 + t ^ 2))), fan_integrable.
Qed.

Lemma Phi_right x : 0 <= x -> Phi x = 1 - smaller_tail x.
Proof.
intros H. unfold smaller_tail. assert (E := area_and_wedge x H). rewrite wedge_0, wedge_fan in E.
assert (P := PI_RGT_0). assert (R0 := root_two_pi).
assert (A : 0 <= area x).
{ unfold area. apply RInt_ge_0; [exact H|apply bell_integrable|]. intros t _. left. apply exp_pos. }
set (w := product_of_tails x). set (a := area x / sqrt (2 * PI)).
assert (A0 : 0 <= a) by (apply Rmult_le_pos; [exact A|left; now apply Rinv_0_lt_compat]).
assert (S : 1 / 4 - w = a * a).
{ assert (Sq : sqrt (2 * PI) * sqrt (2 * PI) = 2 * PI) by (apply sqrt_sqrt; lra).
  unfold a, w, product_of_tails. replace (area x / sqrt (2 * PI) * (area x / sqrt (2 * PI))) with
    (area x * area x / (sqrt (2 * PI) * sqrt (2 * PI))) by (field; lra).
  rewrite Sq. replace (area x * area x) with (2 * (PI / 4 - exp (- x ^ 2 / 2) * fan x)) by lra. field; lra. }
rewrite S, Rabs_pos_eq, sqrt_square by nra. rewrite Phi_area. fold a.
replace w with (1 / 4 - a * a) by lra. field; lra.
Qed.

Lemma smaller_tail_opp x : smaller_tail (- x) = smaller_tail x.
Proof.
unfold smaller_tail, product_of_tails. replace (fan (- x)) with (fan x).
- replace ((- x) ^ 2) with (x ^ 2) by ring. reflexivity.
- apply RInt_ext; intros t _. replace ((- x * t) ^ 2) with ((x * t) ^ 2) by ring. reflexivity.
Qed.

Lemma Phi_left x : x <= 0 -> Phi x = smaller_tail x.
Proof. intros H. generalize (Phi_right (- x)). rewrite Phi_opp, smaller_tail_opp. lra. Qed.

(** * Decisions *)
Lemma apart a b : 0 < Rabs (a - b) -> a <> b.
Proof. intros H ->. rewrite Rminus_diag_eq, Rabs_R0 in H; lra. Qed.

(* A comparison of two numbers, by an interval around their difference. *)
Ltac by_interval :=
  match goal with
  | |- _ = _ => apply Rle_antisym
  | |- ~ _ <= _ => apply Rlt_not_le
  | |- ~ _ < _ => apply Rle_not_lt
  | |- _ <> _ => apply apart
  | |- _ => idtac
  end;
  first [apply Rminus_lt_0 | apply Rminus_le_0]; interval with (i_prec 120).

(* Where both numbers may be the same, and all is rational, exactly. *)
Ltac compare_numbers := first [by_interval | lra | intro; lra].

Ltac innermost e :=
  lazymatch e with context [Phi _] => fail | context [Rmax _ _] => fail | context [Rmin _ _] => fail | _ => idtac end.

(* Phi(e) becomes a number of which one integral, an enclosure to so many bits, is all that is known. *)
Ltac enclose_Phi e prec bits :=
  first [rewrite (Phi_left e) by by_interval | rewrite (Phi_right e) by by_interval | rewrite (Phi_right e) by lra];
  unfold smaller_tail, product_of_tails, fan;
  let area := constr:(RInt (fun t => exp (- (e * t) ^ 2 / 2) / (1 + t ^ 2)) 0 1) in
  let known := fresh "known" in
  integral_intro area with (i_prec prec, i_relwidth bits) as known;
  generalize dependent area; intros.

(* From the inside out: Phi is enclosed, and of two numbers the larger or the smaller one is chosen. *)
Ltac decide_to prec bits :=
  cbv zeta; unfold floor, ceil, Rpower; rewrite ?ln_1, ?sqrt_0, ?sqrt_1;
  repeat match goal with
  | |- context [Phi ?e] => innermost e; enclose_Phi e prec bits
  | |- context [Rmax ?a ?b] => innermost a; innermost b;
      first [rewrite (Rmax_left a b) by by_interval | rewrite (Rmax_right a b) by by_interval | rewrite (Rmax_left a b) by lra]
  | |- context [Rmin ?a ?b] => innermost a; innermost b;
      first [rewrite (Rmin_left a b) by by_interval | rewrite (Rmin_right a b) by by_interval | rewrite (Rmin_left a b) by lra]
  end;
  repeat match goal with |- _ /\ _ => split end; compare_numbers.

Ltac decide_at_point := first [decide_to 50%positive 16%positive | decide_to 90%positive 45%positive].
