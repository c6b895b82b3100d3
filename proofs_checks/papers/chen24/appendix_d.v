(* Proposition D.2 up to eps = 3.7: what one noisy mean of DP-BAI-Gauss shows is at most delta = 1.25 exp(-s^2/2), where
   s^2 = 2 log(1.25/delta). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments half_planes gaussian normal_tails satisfiable.
Open Scope R_scope.

(* delta at eps = 2 s u, in s and u. *)
Definition shown (s u : R) := Phi (- (s - u)) - exp (2 * s * u) * Phi (- (s + u)).

Lemma shown_is_delta s eps : 0 < s -> 0 < eps -> gaussian_delta (eps / s) eps = shown s (eps / (2 * s)).
Proof.
intros S E. unfold gaussian_delta, shown.
replace (- eps / (eps / s) + eps / s / 2) with (- (s - eps / (2 * s))) by (field; lra).
replace (- eps / (eps / s) - eps / s / 2) with (- (s + eps / (2 * s))) by (field; lra).
now replace (2 * s * (eps / (2 * s))) with eps by (field; lra).
Qed.

Lemma shown_rises s u v : 0 < s -> 0 <= u <= v -> shown s u <= shown s v.
Proof.
intros S U.
apply (rises_between (shown s) (fun t => 2 * exp (2 * s * t) * (density (s + t) - s * Phi (- (s + t))))); [| |lra].
- intros t. evar_last.
  + apply (is_derive_minus (fun t => Phi (- (s - t))) (fun t => exp (2 * s * t) * Phi (- (s + t)))).
    * apply (is_derive_comp (fun t => Phi (- t)) (fun t => s - t)); [apply tail_derive|auto_derive; [auto|reflexivity]].
    * apply (is_derive_mult (fun t => exp (2 * s * t)) (fun t => Phi (- (s + t)))); [| |intros; apply Rmult_comm].
      -- auto_derive; [auto|reflexivity].
      -- apply (is_derive_comp (fun t => Phi (- t)) (fun t => s + t)); [apply tail_derive|].
          auto_derive; [auto|reflexivity].
  + assert (D : density (s - t) = exp (2 * s * t) * density (s + t)).
    { unfold density. replace (- ((s - t) * (s - t)) / 2) with (2 * s * t + - ((s + t) * (s + t)) / 2) by field.
      rewrite exp_plus. unfold Rdiv. ring. }
    unfold minus, plus, opp, scal, mult; simpl; unfold mult; simpl. rewrite D. ring.
- intros t T. apply Rmult_le_pos; [generalize (exp_pos (2 * s * t)); lra|].
  assert (M := mills_above (s + t)). generalize (Phi_inside (- (s + t))). nra.
Qed.

Lemma largest_shown s : 668 / 1000 < s -> shown s (37 / 20 / s) <= 125 / 100 * exp (- s * s / 2).
Proof.
intros S. unfold shown. replace (2 * s * (37 / 20 / s)) with (37 / 10) by (field; lra).
set (z := s - 37 / 20 / s). set (x := s + 37 / 20 / s).
assert (I : 0 < 37 / 20 / s) by (apply Rdiv_lt_0_compat; lra). assert (X : 0 < x) by (unfold x; lra).
destruct (Rle_lt_dec s (28 / 10)) as [L|L].
- assert (N := tail_near z). assert (B := mills_below x ltac:(lra)).
  assert (Phi (- z) <= 1 / 2 + (25 / 100000 - near_area z) / sqrt (2 * PI)).
  { apply N. unfold z. split; interval with (i_bisect s, i_prec 60). }
  assert (exp (37 / 10) * (density x * (x / (x * x + 1))) <= exp (37 / 10) * Phi (- x)).
  { apply Rmult_le_compat_l; [left; apply exp_pos|exact B]. }
  assert (1 / 2 + (25 / 100000 - near_area z) / sqrt (2 * PI) - exp (37 / 10) * (density x * (x / (x * x + 1))) -
    125 / 100 * exp (- s * s / 2) <= 0); [|lra].
  unfold near_area, density, z, x. interval with (i_bisect s, i_taylor s, i_prec 60).
- assert (Z : 213 / 100 <= z).
  { unfold z. assert (37 / 20 / s <= 37 / 20 / (28 / 10)); [|lra].
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (M := mills_above z). assert (P := Rmult_lt_0_compat _ _ (exp_pos (37 / 10)) (proj1 (Phi_inside (- x)))).
  assert (D : density z <= exp (37 / 20) / sqrt (2 * PI) * exp (- s * s / 2)).
  { unfold density. replace (exp (37 / 20) / sqrt (2 * PI) * exp (- s * s / 2)) with
      (exp (37 / 20) * exp (- s * s / 2) / sqrt (2 * PI)) by (unfold Rdiv; ring).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, root_two_pi|]. rewrite <- exp_plus. apply exp_le.
    replace (- (z * z) / 2) with (37 / 20 + - s * s / 2 - 37 / 20 / s * (37 / 20 / s) / 2) by (unfold z; field; lra).
    nra. }
  assert (C : exp (37 / 20) / sqrt (2 * PI) <= 125 / 100 * (213 / 100)) by interval with (i_prec 60).
  assert (E := exp_pos (- s * s / 2)). assert (F := Phi_inside (- z)). nra.
Qed.

Theorem proposition_d_2_repaired eps s : 0 <= eps <= 37 / 10 -> 668 / 1000 < s ->
  gaussian_delta (eps / s) eps <= 125 / 100 * exp (- s * s / 2).
Proof.
intros [[E|<-] L] S.
- rewrite shown_is_delta by lra. apply Rle_trans with (2 := largest_shown s S). apply shown_rises; [lra|].
  assert (I : 0 < / s) by (apply Rinv_0_lt_compat; lra).
  replace (eps / (2 * s)) with (eps / 2 * / s) by (field; lra). unfold Rdiv at 3. split; [nra|].
  apply Rmult_le_compat_r; lra.
- unfold gaussian_delta. replace (- 0 / (0 / s) + 0 / s / 2) with 0 by (unfold Rdiv; ring).
  replace (- 0 / (0 / s) - 0 / s / 2) with 0 by (unfold Rdiv; ring). rewrite exp_0.
  generalize (exp_pos (- s * s / 2)). lra.
Qed.

Lemma proposition_d_2_repaired_witness : satisfiable proposition_d_2_repaired.
Proof. exists 1, 1. lra. Qed.

(** * Table 1 *)

(* The exponents of Proposition D.3 and Theorem 4.2, with one constant in all Omega. At delta = 0 there is no bound of
   DP-BAI-Gauss: its exponent is 0. *)
Definition private_part (T d H_pri delta : R) : R := (T / (sqrt (ln (5 / (4 * delta))) * H_pri * ln d)) ^ 2.
Definition gauss_exponent (T d H_BAI H_pri delta : R) : R :=
  if Req_EM_T delta 0 then 0 else Rmin (private_part T d H_pri delta) (T / (H_BAI * ln d)).
Definition bai_exponent (T d H_BAI H_pri : R) : R := T / ((H_BAI + H_pri) * ln d).

(* The rows with a tick: the condition on the exponents g of the private part, b = T/(H_BAI log d) and h of DP-BAI, the
   exponent that is printed for DP-BAI-Gauss, and whether the tick is at DP-BAI-Gauss. *)
Inductive row := row_1 | row_3 | row_4.
Definition condition (which : row) (delta g b h : R) : Prop :=
  match which with row_1 => 0 < delta /\ b <= g | row_3 => 0 < delta /\ g < h | row_4 => delta = 0 end.
Definition printed_for_gauss (which : row) (g b : R) : R := match which with row_1 => b | row_3 => g | row_4 => 0 end.
Definition tick_at_gauss (which : row) : bool := match which with row_1 => true | _ => false end.

Theorem table_1 which T d H_BAI H_pri delta : 0 < T -> 2 <= d -> 0 < H_BAI -> 0 < H_pri -> 0 <= delta < 1 ->
  let g := private_part T d H_pri delta in
  let b := T / (H_BAI * ln d) in
  let gauss := gauss_exponent T d H_BAI H_pri delta in
  let bai := bai_exponent T d H_BAI H_pri in
  condition which delta g b bai ->
  gauss = printed_for_gauss which g b /\ if tick_at_gauss which then bai < gauss else gauss < bai.
Proof.
intros T0 D B P I g b gauss bai C. assert (L : 0 < ln d) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (Bd : 0 < H_BAI * ln d) by now apply Rmult_lt_0_compat.
assert (bai0 : 0 < bai) by (apply Rdiv_lt_0_compat; [exact T0|apply Rmult_lt_0_compat; lra]).
assert (Order : bai < b).
{ apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [|apply Rmult_lt_compat_r; lra].
  apply Rmult_lt_0_compat; [exact Bd|apply Rmult_lt_0_compat; lra]. }
unfold gauss, gauss_exponent. fold g b. destruct which; simpl in C |- *.
- destruct (Req_EM_T delta 0); [lra|]. rewrite Rmin_right by apply C. now split.
- destruct (Req_EM_T delta 0); [lra|]. rewrite Rmin_left by lra. split; [reflexivity|lra].
- destruct (Req_EM_T delta 0); [split; [reflexivity|lra]|contradiction].
Qed.

(* Each row has instances. *)
Lemma table_1_rows which : exists T d H_BAI H_pri delta, 0 < T /\ 2 <= d /\ 0 < H_BAI /\ 0 < H_pri /\ 0 <= delta < 1 /\
  condition which delta (private_part T d H_pri delta) (T / (H_BAI * ln d)) (bai_exponent T d H_BAI H_pri).
Proof.
destruct which; [exists 1, 2, 1, 1, (1 / 2)|exists (1 / 10), 2, 1, 1, (1 / 2)|exists 1, 2, 1, 1, 0]; simpl;
  unfold private_part, bai_exponent; repeat split; try lra; interval with (i_prec 60).
Qed.

Lemma table_1_witness : satisfiable table_1.
Proof. exists row_1. apply table_1_rows. Qed.
