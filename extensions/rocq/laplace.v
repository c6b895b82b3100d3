(* Laplace's law: it is one, and a centre that moves by d multiplies no density by more than exp(d/b). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments integral.
Open Scope R_scope.

Definition laplace (b m z : R) := exp (- (Rabs (z - m) / b)) / (2 * b).

Section Laplace.
Variable b : R.
Hypothesis b_positive : 0 < b.

Lemma laplace_positive m z : 0 <= laplace b m z.
Proof. apply Rle_mult_inv_pos; [left; apply exp_pos|lra]. Qed.

Lemma laplace_moved m m' d z : Rabs (m - m') <= d -> laplace b m z <= exp (d / b) * laplace b m' z.
Proof.
intros H. unfold laplace, Rdiv. rewrite <- Rmult_assoc, <- exp_plus.
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply exp_le.
assert (T : Rabs (z - m') <= Rabs (z - m) + d).
{ replace (z - m') with (z - m + (m - m')) by ring. generalize (Rabs_triang (z - m) (m - m')); lra. }
assert (I := Rinv_0_lt_compat b b_positive). apply (Rmult_le_compat_r (/ b)) in T; lra.
Qed.

Lemma laplace_continuous m z : continuous (laplace b m) z.
Proof.
apply (continuous_mult (K := R_AbsRing) (fun z => exp (- (Rabs (z - m) / b))) (fun _ => / (2 * b)));
  [|apply continuous_const].
apply (continuous_comp (fun z => - (Rabs (z - m) / b)) exp).
- apply (continuous_opp (V := R_NormedModule)).
  apply (continuous_mult (K := R_AbsRing) (fun z => Rabs (z - m)) (fun _ => / b)); [|apply continuous_const].
  apply (continuous_comp (fun z => z - m) Rabs); [|apply continuous_Rabs].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
- apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
Qed.

Lemma laplace_between m lo hi : lo <= m <= hi ->
  RInt (laplace b m) lo hi = 1 - exp ((lo - m) / b) / 2 - exp ((m - hi) / b) / 2.
Proof.
intros [L H].
assert (I : forall x y, ex_RInt (laplace b m) x y) by (intros; apply continuous_integrable, laplace_continuous).
rewrite <- (RInt_Chasles (laplace b m) lo m hi) by apply I.
assert (Left : RInt (laplace b m) lo m = exp ((m - m) / b) / 2 - exp ((lo - m) / b) / 2).
{ transitivity (RInt (fun z => exp ((z - m) / b) / (2 * b)) lo m).
  - apply RInt_ext. intros z. rewrite Rmin_left, Rmax_right by exact L. intros Z. unfold laplace.
    rewrite Rabs_left by lra. do 2 f_equal. field; lra.
  - apply is_RInt_unique. apply (is_RInt_derive (fun z => exp ((z - m) / b) / 2)).
    + intros z _. auto_derive; [auto|]. unfold Rminus, Rdiv. field; lra.
    + intros z _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
assert (Right : RInt (laplace b m) m hi = - exp ((m - hi) / b) / 2 - - exp ((m - m) / b) / 2).
{ transitivity (RInt (fun z => exp ((m - z) / b) / (2 * b)) m hi).
  - apply RInt_ext. intros z. rewrite Rmin_left, Rmax_right by exact H. intros Z. unfold laplace.
    rewrite Rabs_right by lra. do 2 f_equal. field; lra.
  - apply is_RInt_unique. apply (is_RInt_derive (fun z => - exp ((m - z) / b) / 2)).
    + intros z _. auto_derive; [auto|]. unfold Rminus, Rdiv. field; lra.
    + intros z _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
rewrite Left, Right. replace ((m - m) / b) with 0 by (field; lra). rewrite exp_0. unfold plus; simpl. field.
Qed.

Lemma laplace_far (c : R) : is_lim_seq (fun n => exp ((c - INR n) / b)) 0.
Proof.
apply (is_lim_comp_seq exp (fun n => (c - INR n) / b) m_infty 0); [apply is_lim_exp_m|now exists 0%nat|].
apply (is_lim_seq_ext (fun n => / b * (c - INR n))); [intros n; unfold Rdiv; ring|].
assert (I := Rinv_0_lt_compat b b_positive).
replace m_infty with (Rbar_mult (/ b) m_infty).
- apply (is_lim_seq_scal_l _ (/ b) m_infty).
  apply (is_lim_seq_minus _ _ c p_infty m_infty); [apply is_lim_seq_const|apply is_lim_seq_INR|reflexivity].
- apply is_Rbar_mult_unique. apply is_Rbar_mult_sym. now apply is_Rbar_mult_m_infty_pos.
Qed.

Lemma laplace_limit m : is_lim_seq (fun n => RInt (laplace b m) (- INR n) (INR n)) 1.
Proof.
destruct (nfloor_ex (Rabs m) (Rabs_pos m)) as (N & _ & HN).
apply (is_lim_seq_ext_loc (fun n => 1 - exp ((- m - INR n) / b) / 2 - exp ((m - INR n) / b) / 2)).
- exists (S N). intros n H. apply le_INR in H. rewrite S_INR in H. rewrite laplace_between by (split_Rabs; lra).
  do 4 f_equal. unfold Rdiv; ring.
- replace (Finite 1) with (Finite (1 - 0 * / 2 - 0 * / 2)) by (f_equal; field).
  apply is_lim_seq_minus'; [apply is_lim_seq_minus'; [apply is_lim_seq_const|]|];
    apply (is_lim_seq_scal_r _ (/ 2) (Finite 0)), laplace_far.
Qed.

(* It is a law. *)
Theorem laplace_whole m : integral (laplace b m) = 1.
Proof. apply integral_continuous; [apply laplace_continuous|apply laplace_positive|apply laplace_limit]. Qed.
End Laplace.

