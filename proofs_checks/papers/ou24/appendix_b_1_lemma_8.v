(* Lemma 8: the expectation of 1/p - 1, where p is the probability that a sample of arm 1 exceeds y_i = mu_1 - Delta_i/3;
   and the second step of eq. (8), which adds it up. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments normal normal_tails half_planes expectation concentration inverse_tails satisfiable.
From Dpbandits.ou24 Require Import appendix_b_lemma_5.
Open Scope R_scope.

(* By how many standard deviations the mean S/(n + 1) of n rewards is below mu - gap/3. *)
Definition shortfall_of (n : nat) (mu gap c S : R) : R := ((INR n + 1) * (mu - gap / 3) - S) / sqrt (c * (INR n + 1)).

(* E[1/p] - 1 where arm 1 pays 0 or 1: S is binomial, and 1/p - 1 is Phi(z)/Phi(-z). *)
Definition inverse_excess (n : nat) (mu gap c : R) : R :=
  sum_f_R0 (fun k => binomial_term n mu k *
    (Phi (shortfall_of n mu gap c (INR k)) / Phi (- shortfall_of n mu gap c (INR k)))) n.

(** * Rewards whose sum falls short of n mu by U *)
Section Any.
Variables (W : sample_space) (P : probability_measure W) (U V : W -> R) (n : nat) (mu gap c : R).
Hypotheses (M : 0 <= mu <= 1) (G : 0 < gap) (C : 1 <= c) (small : small_excess P V) (MU : random_variable U)
  (related : forall w, U w <= 0 \/ (1 <= n)%nat /\ V w = U w / sqrt (INR n)).

Let root := sqrt (c * (INR n + 1)).
Let lag w := (mu + U w) / root.
Let z w := shortfall_of n mu gap c (INR n * mu - U w).

Lemma root_squared : 0 < root /\ root * root = c * (INR n + 1).
Proof. assert (N := pos_INR n). unfold root. split; [apply sqrt_lt_R0; nra|apply sqrt_sqrt; nra]. Qed.

Lemma z_is w : z w = lag w - gap * (INR n + 1) / 3 / root.
Proof. destruct root_squared as [R0 _]. unfold z, lag, shortfall_of. fold root. field. lra. Qed.

Lemma lag_variable : random_variable lag.
Proof.
apply (variable_same W (fun w => / root * (mu + U w))); [intros w; apply Rmult_comm|].
apply variable_scaled, variable_plus; [apply variable_const|exact MU].
Qed.

Lemma lag_below : below_excess V lag 1.
Proof.
intros w. assert (N := pos_INR n). destruct root_squared as [R0 R2]. destruct (Rle_lt_dec (mu + U w) 0) as [Q|Q].
- left. unfold lag, Rdiv. assert (0 < / root) by now apply Rinv_0_lt_compat. nra.
- right. assert (E : lag w * lag w = (mu + U w) * (mu + U w) / (c * (INR n + 1))) by (rewrite <- R2; unfold lag; field; lra).
  rewrite E. apply Rmult_le_reg_r with (c * (INR n + 1)); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra.
  set (q := part W V w). assert (q0 : 0 <= q) by apply Rmax_r.
  assert (B : (mu + U w) * (mu + U w) <= (1 + q * q) * (INR n + 1)).
  { destruct (related w) as [L|(S1 & L)].
    - assert (0 <= q * q) by nra. assert ((mu + U w) * (mu + U w) <= 1) by nra. nra.
    - assert (n1 : 1 <= INR n) by (apply (le_INR 1 n) in S1; exact S1).
      destruct (Rle_lt_dec (U w) 0) as [L0|L0]; [assert ((mu + U w) * (mu + U w) <= 1) by nra; assert (0 <= q * q) by nra; nra|].
      assert (r0 : 0 < sqrt (INR n)) by (apply sqrt_lt_R0; lra).
      assert (rr : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra). set (r := sqrt (INR n)) in *.
      assert (Uq : U w = q * r).
      { unfold q, part. rewrite L, Rmax_left; [field; lra|]. apply Rle_mult_inv_pos; lra. }
      rewrite Uq, <- rr in *. assert (mu * mu <= 1) by nra. assert (2 * mu * (q * r) <= 2 * (q * r)) by nra.
      generalize (Rle_0_sqr (q - r)). unfold Rsqr. nra. }
  apply Rle_trans with (1 := B). apply Rmult_le_compat_l; nra.
Qed.

Lemma z_below : below_excess V z 1.
Proof.
intros w. assert (N := pos_INR n). destruct root_squared as [R0 _]. destruct (Rle_lt_dec (z w) 0) as [L|L]; [now left|right].
assert (z w <= lag w).
{ rewrite z_is. assert (0 <= gap * (INR n + 1) / 3 / root); [|lra]. apply Rle_mult_inv_pos; [nra|exact R0]. }
destruct (lag_below w) as [L'|L']; nra.
Qed.

Lemma z_variable : random_variable z.
Proof.
apply (variable_same W (fun w => lag w - gap * (INR n + 1) / 3 / root)); [intros w; now rewrite z_is|].
apply variable_minus; [apply lag_variable|apply variable_const].
Qed.

Lemma first_branch : has_mean P (fun w => / Phi (- z w)) /\ mean P (fun w => / Phi (- z w)) <= 72.
Proof.
destruct (inverse_mean W P V z 1 small z_variable Rle_0_1 z_below) as [F B]. split; [exact F|].
apply Rle_trans with (1 := B). interval with (i_prec 60).
Qed.

Lemma second_branch y : 4 <= y -> 72 * c * ln y <= gap ^ 2 * (INR n + 1) ->
  mean P (fun w => / Phi (- z w)) - 1 <= 4 / y.
Proof.
intros Y K. assert (N := pos_INR n). destruct root_squared as [R0 R2].
set (h := gap * (INR n + 1) / 6 / root). assert (h0 : 0 <= h) by (apply Rle_mult_inv_pos; [nra|exact R0]).
assert (H : 2 * ln y <= h * h).
{ assert (E : h * h = gap ^ 2 * (INR n + 1) / (36 * c)).
  { transitivity (gap ^ 2 * (INR n + 1) ^ 2 / 36 / (root * root)); [unfold h; field; lra|rewrite R2; field; lra]. }
  rewrite E. apply Rmult_le_reg_r with (36 * c); [lra|].
  replace (gap ^ 2 * (INR n + 1) / (36 * c) * (36 * c)) with (gap ^ 2 * (INR n + 1)) by (field; lra). lra. }
destruct (inverse_mean_far W P V lag z 1 h h small lag_variable h0 h0 lag_below) as [F B];
  [intros w; rewrite z_is; unfold h; field; lra|].
apply Rle_trans with (1 := B). assert (y0 : 0 < y) by lra. assert (i0 : 0 < / y <= / 4).
{ split; [now apply Rinv_0_lt_compat|apply Rinv_le_contravar; lra]. }
assert (Inv : forall m x, INR m * ln y <= x -> exp (- x) <= (/ y) ^ m).
{ intros m x L. replace ((/ y) ^ m) with (exp (- (INR m * ln y))); [apply exp_le; lra|].
  rewrite exp_Ropp, <- Rinv_pow by lra. f_equal. rewrite Rmult_comm, <- exp_power, exp_ln by exact y0. reflexivity. }
assert (E1 := Inv 1%nat (h * h / 2) ltac:(simpl; lra)). assert (E2 := Inv 2%nat (h * h) ltac:(simpl; lra)).
assert (E3 := Inv 2%nat ((h + h) * (h + h)) ltac:(simpl; nra)). assert (E4 := Inv 2%nat (4 * (h * h) - 3 * (2 * ln y)) ltac:(simpl; lra)).
replace (- (h * h) / 2) with (- (h * h / 2)) by field. unfold Rminus. rewrite !exp_plus.
assert (E5 : exp (- ((h + h) * (h + h))) <= (/ y) ^ 2 * (/ y) ^ 2).
{ apply Rle_trans with ((/ y) ^ 4); [apply Inv; simpl; nra|right; ring]. }
assert (e1 : exp 1 <= 272 / 100) by interval with (i_prec 60). assert (e1' := exp_pos 1).
set (i := / y) in *. set (a := exp (- (h * h))) in *. set (d := exp (- ((h + h) * (h + h)))) in *.
assert (a0 : 0 < a) by apply exp_pos. assert (d0 : 0 < d) by apply exp_pos.
assert (A1 : exp 1 * a <= 272 / 100 * (i ^ 2)) by (apply Rmult_le_compat; lra).
assert (A2 : exp 1 * d <= 272 / 100 * (i ^ 2 * i ^ 2)) by (apply Rmult_le_compat; lra).
assert (i2 : i ^ 2 <= i / 4) by nra. assert (i4 : i ^ 2 * i ^ 2 <= i / 64) by nra.
unfold Rdiv. fold i. lra.
Qed.
End Any.

(** * Rewards of 0 or 1 *)

(* The number of ones among n rewards, each 1 with probability mu. *)
Definition counts : sample_space.
Proof. exists nat (fun _ => True); auto. Defined.

Lemma binomial_term_positive n mu j : 0 <= mu <= 1 -> 0 <= binomial_term n mu j.
Proof.
intros M. unfold binomial_term, Binomial.C. apply Rmult_le_pos; [apply Rmult_le_pos; [|apply pow_le; lra]|apply pow_le; lra].
apply Rle_mult_inv_pos; [apply pos_INR|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

Lemma binomial_moment n mu x : sum_f_R0 (fun j => binomial_term n mu j * exp (x * INR j)) n = (mu * exp x + (1 - mu)) ^ n.
Proof.
rewrite binomial. apply PartSum.sum_eq. intros j _. unfold binomial_term. rewrite Rpow_mult_distr, exp_power. ring.
Qed.

Lemma binomial_whole n mu : sum_f_R0 (binomial_term n mu) n = 1.
Proof.
transitivity (sum_f_R0 (fun j => binomial_term n mu j * exp (0 * INR j)) n).
- apply PartSum.sum_eq. intros j _. rewrite Rmult_0_l, exp_0. ring.
- rewrite binomial_moment, exp_0. replace (mu * 1 + (1 - mu)) with 1 by ring. apply pow1.
Qed.

Definition binomial_law (n : nat) (mu : R) (inside : 0 <= mu <= 1) : probability_measure counts.
Proof.
exists (fun _ => True) (fun f => sum_f_R0 (fun j => binomial_term n mu j * f j) n); simpl; auto.
- intros c. transitivity (sum_f_R0 (fun j => binomial_term n mu j * c) n); [reflexivity|].
  rewrite <- scal_sum, binomial_whole. ring.
- intros a b f g _ _. rewrite !scal_sum, <- plus_sum. apply PartSum.sum_eq. intros j _. ring.
- intros f g _ _ H. apply PartSum.sum_Rle. intros j _. apply Rmult_le_compat_l; [now apply binomial_term_positive|apply H].
Defined.

Section Coins.
Variables (n : nat) (mu gap c : R).
Hypotheses (M : 0 <= mu <= 1) (G : 0 < gap) (C : 1 <= c).

Definition missing (k : counts) : R := INR n * mu - INR k.
Definition scaled_missing (k : counts) : R := if Nat.eqb n 0 then - INR k else missing k / sqrt (INR n).

Lemma missing_small : small_excess (binomial_law n mu M) scaled_missing.
Proof.
split; [exact I|]. unfold scaled_missing, missing. destruct (Nat.eqb_spec n 0) as [N|N].
- subst n. split; [exists 0; intros k; generalize (pos_INR k); lra|]. intros t T. split; [exact I|].
  simpl. unfold binomial_term. rewrite Binomial.pascal_step1 by lia. unfold Binomial.C. simpl. rewrite Ropp_0, Rmult_0_r, exp_0.
  replace (_ * 1) with 1 by field. rewrite <- exp_0. apply exp_le. nra.
- assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (r0 : 0 < sqrt (INR n)) by now apply sqrt_lt_R0.
  assert (rr : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra).
  split.
  + exists (INR n * mu / sqrt (INR n)). intros k. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    generalize (pos_INR k). lra.
  + intros t T. split; [exact I|]. set (lam := t / sqrt (INR n)). assert (L : 0 <= lam) by now apply Rle_mult_inv_pos.
    simpl. rewrite (PartSum.sum_eq _ (fun j => binomial_term n mu j * exp (- lam * INR j) * exp (lam * (INR n * mu)))).
    2:{ intros j _. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. unfold lam. field. lra. }
    rewrite <- scal_sum, binomial_moment.
    apply Rle_trans with (exp (lam * (INR n * mu)) * exp (lam * lam / 8 - mu * lam) ^ n).
    * apply Rmult_le_compat_l; [left; apply exp_pos|]. assert (E := exp_pos (- lam)). apply pow_incr.
      split; [nra|now apply coin_moment].
    * rewrite exp_power, <- exp_plus. apply exp_le. right.
      replace (t * t / 8) with (INR n * (lam * lam) / 8); [field|]. unfold lam. rewrite <- rr at 1. field. lra.
Qed.

Lemma missing_related k : missing k <= 0 \/ (1 <= n)%nat /\ scaled_missing k = missing k / sqrt (INR n).
Proof.
unfold scaled_missing, missing. destruct (Nat.eqb_spec n 0) as [->|N]; [left; simpl; generalize (pos_INR k); lra|].
right. split; [lia|reflexivity].
Qed.

Lemma excess_is : inverse_excess n mu gap c =
  mean (binomial_law n mu M) (fun k => / Phi (- shortfall_of n mu gap c (INR n * mu - missing k))) - 1.
Proof.
transitivity (sum_f_R0 (fun k => binomial_term n mu k * / Phi (- shortfall_of n mu gap c (INR k)) - binomial_term n mu k) n).
- unfold inverse_excess. apply PartSum.sum_eq. intros k _. set (z := shortfall_of _ _ _ _ _). assert (H := Phi_inside (- z)).
  replace (Phi z) with (1 - Phi (- z)) by (rewrite Phi_opp; ring). field. lra.
- rewrite minus_sum, binomial_whole. simpl. f_equal. apply PartSum.sum_eq. intros k _. unfold missing.
  now replace (INR n * mu - (INR n * mu - INR k)) with (INR k) by ring.
Qed.
End Coins.

(** * Rewards in [0, 1], Lemma 8, and eq. (8) *)

(* p_{i, tau_k + 1}, where n = b + k: the probability that a normal sample with the mean S/(n + 1) and the variance c/(n + 1)
   is above y_i = mu - gap/3. S is the sum of the first n rewards of arm 1. *)
Definition above_midpoint {W : sample_space} (X : nat -> W -> R) (n : nat) (mu gap c : R) (w : W) : R :=
  Phi ((sum_to n (fun i => X i w) / (INR n + 1) - (mu - gap / 3)) / sqrt (c / (INR n + 1))).

Section Rewards.
Variables (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (n : nat) (mu gap c : R).
Hypotheses (M : 0 <= mu <= 1) (G : 0 < gap) (C : 1 <= c) (free : independent P X n)
  (measurable : forall i, random_variable (X i)) (inside : forall i w, 0 <= X i w <= 1) (means : forall i, mean P (X i) = mu).

Let U w := INR n * mu - sum_to n (fun i => X i w).
Let V w := if Nat.eqb n 0 then 0 else shortfall W X n mu w.

Lemma U_variable : random_variable U.
Proof. apply variable_minus; [apply variable_const|]. now apply variable_sum. Qed.

Lemma V_small : small_excess P V.
Proof.
unfold V. destruct (Nat.eqb_spec n 0) as [N|N].
- split; [apply variable_const|]. split; [exists 0; intros; lra|]. intros t T.
  assert (E : (fun _ : W => exp (t * 0)) = (fun _ => 1)) by (same_function; intros w; now rewrite Rmult_0_r, exp_0).
  rewrite E. split; [apply has_mean_const|]. rewrite mean_const, <- exp_0. apply exp_le. nra.
- apply shortfall_small; auto. lia.
Qed.

Lemma U_related w : U w <= 0 \/ (1 <= n)%nat /\ V w = U w / sqrt (INR n).
Proof.
unfold U, V. destruct (Nat.eqb_spec n 0) as [->|N]; [left; simpl; lra|right]. split; [lia|reflexivity].
Qed.

Lemma above_is w : / above_midpoint X n mu gap c w = / Phi (- shortfall_of n mu gap c (INR n * mu - U w)).
Proof.
assert (N := pos_INR n). unfold above_midpoint, shortfall_of, U. do 2 f_equal.
rewrite sqrt_div, sqrt_mult by lra. assert (c0 : 0 < sqrt c) by (apply sqrt_lt_R0; lra).
assert (n0 : 0 < sqrt (INR n + 1)) by (apply sqrt_lt_R0; lra).
assert (nn : sqrt (INR n + 1) * sqrt (INR n + 1) = INR n + 1) by (apply sqrt_sqrt; lra).
set (r := sqrt (INR n + 1)) in *. rewrite <- nn. field. lra.
Qed.

Lemma rewards_first : has_mean P (fun w => / above_midpoint X n mu gap c w) /\
  mean P (fun w => / above_midpoint X n mu gap c w) - 1 <= 71.
Proof.
destruct (first_branch W P U V n mu gap c M G C V_small U_variable U_related) as [F B].
split; [apply (has_mean_same W P _ _ (fun w => eq_sym (above_is w))), F|]. rewrite (mean_same W P _ _ above_is). lra.
Qed.

Lemma rewards_second y : 4 <= y -> 72 * c * ln y <= gap ^ 2 * (INR n + 1) ->
  mean P (fun w => / above_midpoint X n mu gap c w) - 1 <= 4 / y.
Proof.
intros Y K. rewrite (mean_same W P _ _ above_is).
exact (second_branch W P U V n mu gap c M G C V_small U_variable U_related y Y K).
Qed.
End Rewards.

(* For Bernoulli rewards, and for all independent rewards in [0, 1] with the mean mu. *)
Theorem lemma_8_first n mu gap c : 0 <= mu <= 1 -> 0 < gap <= mu -> 1 <= c -> inverse_excess n mu gap c <= 71 /\
  forall (W : sample_space) (P : probability_measure W) (X : nat -> W -> R),
  independent P X n -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) -> (forall i, mean P (X i) = mu) ->
  has_mean P (fun w => / above_midpoint X n mu gap c w) /\
  mean P (fun w => / above_midpoint X n mu gap c w) - 1 <= 71.
Proof.
intros M [G _] C. split.
- rewrite (excess_is n mu gap c M).
  assert (B := proj2 (first_branch counts (binomial_law n mu M) (missing n mu) (scaled_missing n mu) n mu gap c M G C
    (missing_small n mu M) I (missing_related n mu))). lra.
- intros W P X F V B E. exact (rewards_first W P X n mu gap c M G C F V B E).
Qed.

Theorem lemma_8_second n mu gap c y : 0 <= mu <= 1 -> 0 < gap <= mu -> 1 <= c -> 4 <= y ->
  72 * c * ln y / gap ^ 2 <= INR n + 1 -> inverse_excess n mu gap c <= 4 / y /\
  forall (W : sample_space) (P : probability_measure W) (X : nat -> W -> R),
  independent P X n -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) -> (forall i, mean P (X i) = mu) ->
  has_mean P (fun w => / above_midpoint X n mu gap c w) /\
  mean P (fun w => / above_midpoint X n mu gap c w) - 1 <= 4 / y.
Proof.
intros M [G _] C Y K. assert (g2 : 0 < gap ^ 2) by nra. apply (Rmult_le_compat_r (gap ^ 2)) in K; [|lra].
unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in K by lra. rewrite (Rmult_comm (INR n + 1)) in K. split.
- rewrite (excess_is n mu gap c M).
  exact (second_branch counts (binomial_law n mu M) (missing n mu) (scaled_missing n mu) n mu gap c M G C
    (missing_small n mu M) I (missing_related n mu) y Y K).
- intros W P X F V B E. split; [exact (proj1 (rewards_first W P X n mu gap c M G C F V B E))|].
  exact (rewards_second W P X n mu gap c M G C F V B E y Y K).
Qed.

(* L = ceil(x) is L - 1 < x <= L. *)
Theorem eq_8_second_step (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (b rounds : nat) (L : Z) mu gap c :
  (forall n, independent P X n) -> (forall i, random_variable (X i)) -> (forall i w, 0 <= X i w <= 1) ->
  (forall i, mean P (X i) = mu) -> 0 < gap <= mu -> 1 <= c -> let y := INR rounds * gap ^ 2 in 4 <= y ->
  let x := 72 * c / gap ^ 2 * ln y - (INR b + 1) in IZR L - 1 < x <= IZR L ->
  sum_to rounds (fun k => mean P (fun w => / above_midpoint X (b + k) mu gap c w - 1)) <=
    71 * (if Z.ltb 0 L then IZR L else 0) + sum_to rounds (fun k => if Z.leb L (Z.of_nat k) then 4 / y else 0).
Proof.
intros I V B E [G _] C y Y x Lx. assert (g2 : 0 < gap ^ 2) by nra.
assert (M : 0 <= mu <= 1).
{ rewrite <- (E 0%nat). assert (F : has_mean P (X 0%nat)) by (apply (bounded_has_mean W P _ 0 1); auto).
  split; [apply mean_positive; [exact F|apply B]|]. rewrite <- (mean_const W P 1). apply mean_le; [exact F|apply has_mean_const|].
  intros w. apply B. }
assert (Split : forall n, mean P (fun w => / above_midpoint X n mu gap c w - 1) = mean P (fun w => / above_midpoint X n mu gap c w) - 1).
{ intros n. rewrite (mean_same W P _ (fun w => 1 * / above_midpoint X n mu gap c w + - 1)) by (intros; ring).
  rewrite mean_affine; [ring|]. exact (proj1 (rewards_first W P X n mu gap c M G C (I n) V B E)). }
assert (Q : forall m, sum_to m (fun k => mean P (fun w => / above_midpoint X (b + k) mu gap c w - 1)) <=
  71 * (if Z.ltb 0 L then Rmin (INR m) (IZR L) else 0) + sum_to m (fun k => if Z.leb L (Z.of_nat k) then 4 / y else 0)).
{ induction m as [|m IH].
  - simpl. destruct (Z.ltb_spec 0 L) as [H|_]; [|lra]. apply (IZR_lt 0) in H. rewrite Rmin_left; lra.
  - simpl sum_to. apply Rle_trans with (1 := Rplus_le_compat_r _ _ _ IH). rewrite Split.
    destruct (Z.leb_spec L (Z.of_nat m)) as [H|H].
    + assert (T : mean P (fun w => / above_midpoint X (b + m) mu gap c w) - 1 <= 4 / y).
      { apply (rewards_second W P X (b + m) mu gap c M G C (I _) V B E y Y). apply IZR_le in H. rewrite <- INR_IZR_INZ in H.
        rewrite plus_INR. apply Rmult_le_reg_r with (/ gap ^ 2); [now apply Rinv_0_lt_compat|].
        replace (72 * c * ln y * / gap ^ 2) with (72 * c / gap ^ 2 * ln y) by (unfold Rdiv; ring).
        replace (gap ^ 2 * (INR b + INR m + 1) * / gap ^ 2) with (INR b + INR m + 1) by (field; lra). unfold x in Lx. lra. }
      destruct (Z.ltb_spec 0 L) as [H'|_]; [|lra].
      apply IZR_le in H. rewrite <- INR_IZR_INZ in H. rewrite S_INR, !Rmin_right by lra. lra.
    + assert (T := proj2 (rewards_first W P X (b + m) mu gap c M G C (I _) V B E)).
      destruct (Z.ltb_spec 0 L) as [_|H']; [|lia].
      assert (H2 : (Z.of_nat m + 1 <= L)%Z) by lia. apply IZR_le in H2. rewrite plus_IZR, <- INR_IZR_INZ in H2.
      rewrite S_INR, !Rmin_left by lra. lra. }
apply Rle_trans with (1 := Q rounds). apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
destruct (Z.ltb 0 L); [apply Rmin_r|lra].
Qed.

(** * The hypotheses can hold together *)

(* Rewards that never vary. *)
Lemma constant_independent r n : independent fair (fun _ _ => r) n.
Proof.
intros h _ _. split; [exact I|]. rewrite (mean_const two_tosses fair). apply product_to_same. intros i _.
now rewrite (mean_const two_tosses fair).
Qed.

Lemma lemma_8_first_witness : satisfiable lemma_8_first.
Proof.
exists 3%nat, (1 / 2), (1 / 4), 1. do 3 (split; [lra|]). exists two_tosses, fair, (fun _ _ => 1 / 2).
split; [apply constant_independent|]. split; [intros; exact I|]. split; [intros; lra|]. intros; simpl; field.
Qed.

Lemma lemma_8_second_witness : satisfiable lemma_8_second.
Proof.
exists 99%nat, 1, 1, 1, 4. do 4 (split; [lra|]). split.
- replace (INR 99) with 99 by (simpl; ring). interval with (i_prec 60).
- exists two_tosses, fair, (fun _ _ => 1).
  split; [apply constant_independent|]. split; [intros; exact I|]. split; [intros; lra|]. intros; simpl; field.
Qed.

Lemma ceiling x : let L := (1 - up (- x))%Z in IZR L - 1 < x <= IZR L.
Proof. intros L. unfold L. rewrite minus_IZR. generalize (archimed (- x)). lra. Qed.

(* Rewards that are always 1/2, and 16 rounds. *)
Lemma eq_8_second_step_witness : satisfiable eq_8_second_step.
Proof.
exists two_tosses, fair, (fun _ _ => 1 / 2), 0%nat, 16%nat.
exists (1 - up (- (72 * 1 / (1 / 2) ^ 2 * ln (INR 16 * (1 / 2) ^ 2) - (INR 0 + 1))))%Z, (1 / 2), (1 / 2), 1.
split; [intros n; apply constant_independent|]. split; [intros; exact I|]. split; [intros; cbv beta; lra|]. split; [intros; simpl; field|]. split; [lra|]. split; [lra|].
split; [simpl; lra|]. apply ceiling.
Qed.
