(* Appendix A: the technical lemmas, of random variables on any probability space. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments half_planes integral laplace expectation concentration lebesgue satisfiable.
Open Scope R_scope.

(** * Lemma 5 *)

Section Laplace.
Variables (b c : R).
Hypotheses (b_positive : 0 < b) (c_positive : 0 <= c).
Notation pdf := (laplace b 0).

Lemma mass n : 0 <= n -> RInt pdf (- n) n = 1 - exp (- (n / b)).
Proof.
intros N. rewrite laplace_between by lra. replace ((- n - 0) / b) with (- (n / b)) by (field; lra).
replace ((0 - n) / b) with (- (n / b)) by (field; lra). lra.
Qed.

Section Part.
Variable k : R -> R.
Hypotheses (k_continuous : forall x, continuous k x) (k_inside : forall x, 0 <= k x <= 1).
Definition part x := pdf x * k x.

Lemma part_continuous x : continuous part x.
Proof. apply (continuous_mult (K := R_AbsRing) pdf k); [now apply laplace_continuous|apply k_continuous]. Qed.

Lemma part_integrable x y : ex_RInt part x y.
Proof. apply continuous_integrable, part_continuous. Qed.

Lemma pdf_integrable x y : ex_RInt pdf x y.
Proof. apply continuous_integrable. now apply laplace_continuous. Qed.

Lemma part_inside x : 0 <= part x <= pdf x.
Proof. unfold part. assert (P := laplace_positive b b_positive 0 x). generalize (k_inside x). nra. Qed.

Lemma part_at_most x y : x <= y -> 0 <= RInt part x y <= RInt pdf x y.
Proof.
intros H. split; [apply RInt_ge_0; [exact H|apply part_integrable|]|
  apply RInt_le; [exact H|apply part_integrable|apply pdf_integrable|]]; intros; apply part_inside.
Qed.

Lemma part_zero x y : x <= y -> (forall z, x < z < y -> k z = 0) -> RInt part x y = 0.
Proof.
intros H Z. transitivity (RInt (fun _ => 0) x y); [|rewrite RInt_const; apply Rmult_0_r].
apply RInt_ext. intros z. rewrite Rmin_left, Rmax_right by exact H. intros B. unfold part. rewrite Z by exact B. apply Rmult_0_r.
Qed.

Lemma split_mass (f : R -> R) n d : 0 <= d <= n -> (forall x y, ex_RInt f x y) ->
  RInt f (- n) n = RInt f (- n) (- d) + RInt f (- d) d + RInt f d n.
Proof.
intros D I. rewrite <- (RInt_Chasles f (- n) (- d) n), <- (RInt_Chasles f (- d) d n) by apply I.
unfold plus; simpl. symmetry. apply Rplus_assoc.
Qed.

(* Of a part that is 0 inside of [-d, d], and of one that is 0 outside. *)
Lemma outer_part d n : 0 <= n -> (forall z, Rabs z < d -> k z = 0) -> RInt part (- n) n <= exp (- (d / b)).
Proof.
intros N Z. assert (B := Rinv_0_lt_compat b b_positive).
destruct (Rle_lt_dec d 0) as [D|D].
- apply Rle_trans with 1; [destruct (part_at_most (- n) n) as [_ Q]; [lra|]; rewrite mass in Q by lra;
    generalize (exp_pos (- (n / b))); lra|].
  rewrite <- exp_0. apply exp_le. unfold Rdiv. nra.
- destruct (Rle_lt_dec n d) as [L|L].
  + rewrite (part_zero (- n) n) by (try lra; intros z W; apply Z; split_Rabs; lra). left; apply exp_pos.
  + rewrite (split_mass part n d) by (lra || apply part_integrable).
    rewrite (part_zero (- d) d) by (try lra; intros z W; apply Z; split_Rabs; lra).
    destruct (part_at_most (- n) (- d)) as [_ Q1], (part_at_most d n) as [_ Q2]; try lra.
    assert (S := split_mass pdf n d ltac:(lra) pdf_integrable). rewrite !mass in S by lra.
    generalize (exp_pos (- (n / b))). lra.
Qed.

Lemma inner_part n : 0 <= n -> (forall z, c <= Rabs z -> k z = 0) -> RInt part (- n) n <= 1 - exp (- (c / b)).
Proof.
intros N Z. destruct (Rle_lt_dec n c) as [L|L].
- destruct (part_at_most (- n) n) as [_ Q]; [lra|]. rewrite mass in Q by exact N. apply Rle_trans with (1 := Q).
  assert (exp (- (c / b)) <= exp (- (n / b))); [|lra]. apply exp_le, Ropp_le_contravar.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact L].
- rewrite (split_mass part n c) by (lra || apply part_integrable).
  rewrite (part_zero (- n) (- c)), (part_zero c n) by (try lra; intros z W; apply Z; split_Rabs; lra).
  destruct (part_at_most (- c) c) as [_ Q]; [lra|]. rewrite mass in Q by exact c_positive. lra.
Qed.
End Part.

Definition far x := pdf x * if Rle_dec c (Rabs x) then 1 else 0.
Definition close x := pdf x * if Rle_dec c (Rabs x) then 0 else 1.

Lemma line_continuous m s x : continuous (fun x => (Rabs x - m) * s) x.
Proof.
apply (continuous_mult (K := R_AbsRing) (fun x => Rabs x - m) (fun _ => s)); [|apply continuous_const].
apply (continuous_plus (V := R_NormedModule) Rabs (fun _ => - m)); [apply continuous_Rabs|apply continuous_const].
Qed.

Lemma far_bounds e : 0 < e -> bounds far (exp (- ((c - e) / b))).
Proof.
intros E. set (k x := cut_off ((Rabs x - (c - e)) * / e)).
assert (K : forall x, continuous k x) by (intros; apply cut_off_continuous, line_continuous).
assert (I : forall x, 0 <= k x <= 1) by (intros; apply cut_off_values).
assert (E' := Rinv_0_lt_compat e E).
exists (fun _ => part k). split; [|split].
- intros n x. split; [now apply part_continuous|]. generalize (part_inside k I x). lra.
- intros x v. unfold far. intros V. exists 0%nat. unfold part. apply Rlt_le_trans with (1 := V).
  apply Rmult_le_compat_l; [now apply laplace_positive|]. destruct (Rle_dec c (Rabs x)) as [H|H]; [|apply I].
  unfold k. destruct (cut_off_values ((Rabs x - (c - e)) * / e)) as (_ & _ & One). rewrite One; [lra|].
  apply Rmult_le_reg_r with e; [exact E|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
- intros n. apply outer_part; auto using pos_INR. intros z Z. apply cut_off_values. nra.
Qed.

Lemma close_bounds : bounds close (1 - exp (- (c / b))).
Proof.
set (k n x := cut_off ((Rabs x - c) * - INR n)).
assert (K : forall n x, continuous (k n) x) by (intros; apply cut_off_continuous, line_continuous).
assert (I : forall n x, 0 <= k n x <= 1) by (intros; apply cut_off_values).
assert (Z : forall n z, c <= Rabs z -> k n z = 0).
{ intros n z H. apply cut_off_values. generalize (pos_INR n). nra. }
assert (P := laplace_positive b b_positive 0).
exists (fun n => part (k n)). split; [|split].
- intros n x. split; [now apply part_continuous|]. split; [apply (part_inside (k n)), I|].
  unfold part. apply Rmult_le_compat_l; [apply P|]. destruct (Rle_lt_dec c (Rabs x)) as [H|H]; [rewrite !Z by exact H; lra|].
  apply cut_off_rises. rewrite S_INR. nra.
- intros x v. unfold close. destruct (Rle_dec c (Rabs x)) as [H|H]; intros V.
  + exists 0%nat. apply Rlt_le_trans with (1 := V). rewrite Rmult_0_r. apply (part_inside (k 0%nat)), I.
  + assert (D : 0 < c - Rabs x) by lra. destruct (nfloor_ex (/ (c - Rabs x))) as (n & _ & N).
    { left. now apply Rinv_0_lt_compat. }
    exists (S n). unfold part, k. destruct (cut_off_values ((Rabs x - c) * - INR (S n))) as (_ & _ & One).
    rewrite One; [exact V|]. rewrite S_INR. apply (Rmult_lt_compat_r (c - Rabs x)) in N; [|exact D].
    rewrite Rinv_l in N by lra. lra.
- intros n. apply inner_part; auto using pos_INR.
Qed.

Lemma far_mass : integral far = exp (- (c / b)).
Proof.
assert (F := far_bounds 1 Rlt_0_1). apply Rle_antisym.
- assert (H : forall e, 0 < e -> integral far <= exp (- ((c - e) / b))) by (intros; now apply integral_at_most, far_bounds).
  apply exp_limit; [apply Rle_mult_inv_pos; lra|]. intros e E. destruct (Req_dec c 0) as [Z|Z].
  + (* everything is far *)
    apply Rle_trans with (integral pdf); [|rewrite laplace_whole by exact b_positive; rewrite Z; unfold Rdiv;
      rewrite !Rmult_0_l, Rmult_0_r, Ropp_0, Rplus_0_l, exp_0; lra].
    replace pdf with far; [lra|]. apply FunctionalExtensionality.functional_extensionality. intros x. unfold far.
    destruct (Rle_dec c (Rabs x)) as [_|N]; [ring|]. exfalso. apply N. rewrite Z. apply Rabs_pos.
  + apply Rle_trans with (1 := H (e * c) ltac:(nra)). apply exp_le. right. field. lra.
- assert (Q := integral_sum pdf far close 1 1 (exp (- ((c - 1) / b))) Rlt_0_1 Rlt_0_1).
  assert (L : forall x, 1 * pdf x <= 1 * far x + close x).
  { intros x. unfold far, close. destruct (Rle_dec c (Rabs x)); lra. }
  specialize (Q L F (ex_intro _ _ close_bounds)). rewrite laplace_whole in Q by exact b_positive.
  generalize (integral_at_most _ _ close_bounds). lra.
Qed.
End Laplace.

(* The upper integral of the density of Lap(b) over |x| >= t b. *)
Theorem lemma_5 b t : 0 < b -> 0 <= t ->
  integral (fun x => laplace b 0 x * if Rle_dec (t * b) (Rabs x) then 1 else 0) = exp (- t).
Proof.
intros B T. assert (H := far_mass b (t * b) B ltac:(nra)). unfold far in H. rewrite H. do 2 f_equal. field. lra.
Qed.

(** * Lemma 6, Bernstein's inequality *)

Lemma exp_left x : x <= 0 -> exp x <= 1 + x + x * x / 2.
Proof.
intros H. set (f y := exp y - 1 - y - y * y / 2). assert (F : f x <= f 0).
{ apply (rises_between f (fun y => exp y - 1 - y)); [intros y; unfold f; auto_derive; [auto|field]| |exact H].
  intros y _. generalize (exp_ineq1_le y). lra. }
unfold f in F. rewrite exp_0 in F. lra.
Qed.

Lemma exp_right x : 0 <= x -> (1 - x / 3) * (exp x - 1 - x) <= x * x / 2.
Proof.
intros H. set (f2 y := 1 + exp y * (y - 1)). set (f1 y := y + 2 + exp y * (y - 2)).
set (f y := y * y / 2 - (1 - y / 3) * (exp y - 1 - y)).
assert (A : forall y, 0 <= y -> f2 0 <= f2 y).
{ intros y Y. apply (rises_between f2 (fun y => exp y * y)); [intros z; unfold f2; auto_derive; [auto|ring]| |exact Y].
  intros z Z. apply Rmult_le_pos; [left; apply exp_pos|lra]. }
assert (B : forall y, 0 <= y -> f1 0 <= f1 y).
{ intros y Y. apply (rises_between f1 f2); [intros z; unfold f1, f2; auto_derive; [auto|ring]| |exact Y].
  intros z Z. specialize (A z ltac:(lra)). unfold f2 in A at 1. rewrite exp_0 in A. lra. }
assert (F : f 0 <= f x).
{ apply (rises_between f (fun y => f1 y / 3)); [intros z; unfold f, f1; auto_derive; [auto|field]| |exact H].
  intros z Z. specialize (B z ltac:(lra)). unfold f1 in B at 1. rewrite exp_0 in B. lra. }
unfold f in F. rewrite exp_0 in F. lra.
Qed.

Lemma exp_quadratic x b : Rabs x <= b -> b < 3 -> exp x <= 1 + x + x * x / (2 * (1 - b / 3)).
Proof.
intros H B. assert (D : 0 < 1 - b / 3) by lra. assert (Q := Rle_0_sqr x). unfold Rsqr in Q.
apply Rmult_le_reg_l with (1 - b / 3); [exact D|].
replace ((1 - b / 3) * (1 + x + x * x / (2 * (1 - b / 3)))) with ((1 - b / 3) * (1 + x) + x * x / 2) by (field; lra).
assert (E := exp_ineq1_le x). assert (b0 : 0 <= b) by (generalize (Rabs_pos x); lra).
destruct (Rle_lt_dec x 0) as [N|N].
- assert (L := exp_left x N). nra.
- rewrite Rabs_right in H by lra. assert (R := exp_right x ltac:(lra)). nra.
Qed.

Section Bernstein.
Variables (W : sample_space) (P : probability_measure W).

Lemma size_positive (X : W -> R) M : (forall w, Rabs (X w) <= M) -> 0 <= M.
Proof.
intros H. destruct (Rle_lt_dec 0 M) as [L|L]; [exact L|]. exfalso.
apply (somewhere W P False); [|auto]. intros w. generalize (H w) (Rabs_pos (X w)). lra.
Qed.

Lemma square_has_mean (X : W -> R) M : random_variable X -> (forall w, Rabs (X w) <= M) -> has_mean P (fun w => X w * X w).
Proof.
intros V H. apply (has_mean_bounded W P (M * M)); [now apply variable_times|]. intros w. rewrite Rabs_mult.
generalize (H w) (Rabs_pos (X w)). nra.
Qed.

Lemma bernstein_moment (X : W -> R) M s lam : 0 <= lam -> lam * M < 3 -> random_variable X -> (forall w, Rabs (X w) <= M) ->
  mean P (fun w => X w * X w) <= s ->
  has_mean P (fun w => exp (lam * X w)) /\
  mean P (fun w => exp (lam * X w)) <= exp (lam * mean P X + lam * lam * s / (2 * (1 - lam * M / 3))).
Proof.
intros L LM V H Q. assert (Range : forall w, - M <= X w <= M) by (intros w; specialize (H w); split_Rabs; lra).
assert (I := bounded_has_mean W P X (- M) M V Range). assert (J := square_has_mean X M V H).
assert (F := bounded_exp W P X (- M) M lam V Range). split; [exact F|].
set (d := 2 * (1 - lam * M / 3)). assert (D : 0 < d) by (unfold d; lra).
apply Rle_trans with (mean P (fun w => 1 * (lam * X w + 1) + lam * lam / d * (X w * X w))).
- apply mean_le; [exact F|apply has_mean_linear; [now apply has_mean_affine|exact J]|]. intros w.
  assert (E := exp_quadratic (lam * X w) (lam * M)). rewrite Rabs_mult, (Rabs_right lam) in E by lra.
  specialize (E ltac:(apply Rmult_le_compat_l; [lra|apply H]) LM). apply Rle_trans with (1 := E). right. unfold d. field. lra.
- rewrite mean_linear by (exact J || now apply has_mean_affine). rewrite mean_affine by exact I.
  apply Rle_trans with (1 + (lam * mean P X + lam * lam * s / d)); [|apply exp_ineq1_le].
  assert (lam * lam / d * mean P (fun w => X w * X w) <= lam * lam / d * s).
  { apply Rmult_le_compat_l; [|exact Q]. apply Rle_mult_inv_pos; nra. }
  replace (lam * lam * s / d) with (lam * lam / d * s) by (field; lra). lra.
Qed.

Variables (X : nat -> W -> R) (n : nat) (M s : R).
Hypotheses (n_positive : (1 <= n)%nat) (X_independent : independent P X n)
  (X_variable : forall i, (i < n)%nat -> random_variable (X i))
  (X_small : forall i w, (i < n)%nat -> Rabs (X i w) <= M)
  (X_square : forall i, (i < n)%nat -> mean P (fun w => X i w * X i w) <= s).

Lemma M_positive : 0 <= M.
Proof. apply (size_positive (X 0%nat)). intros w. apply X_small. lia. Qed.

Lemma s_positive : 0 <= s.
Proof.
apply Rle_trans with (mean P (fun w => X 0%nat w * X 0%nat w)); [|apply X_square; lia].
apply mean_positive; [apply (square_has_mean _ M); [apply X_variable; lia|intros; apply X_small; lia]|].
intros w. apply Rle_0_sqr.
Qed.

(* For every lam below 3/M, whatever the means are. *)
Lemma bernstein_tail lam t : 0 <= lam -> lam * M < 3 ->
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i))) (INR n * t) <=
    exp (INR n * (lam * lam * s / (2 * (1 - lam * M / 3)) - lam * t)).
Proof.
intros L LM. apply Rle_trans with (exp (sum_to n (fun _ => lam * lam * s / (2 * (1 - lam * M / 3))) - lam * (INR n * t))).
- apply tail_of_sum; [exact L|exact X_independent|exact X_variable|]. intros i H.
  apply bernstein_moment; auto.
- rewrite sum_to_const. right. f_equal. ring.
Qed.

Lemma zero_square_tail t : s = 0 -> 0 < M -> 0 <= t ->
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i))) (INR n * t) <=
    exp (- (INR n * (3 * t / M))).
Proof.
intros Z m T. set (p := upper_tail P _ _). set (d := INR n * (3 * t / M)).
assert (N : 0 < INR n) by (apply lt_0_INR; lia).
assert (D : 0 <= d) by (apply Rmult_le_pos; [lra|apply Rle_mult_inv_pos; lra]).
assert (H : forall e, 0 < e <= 1 -> p <= exp (- d + e * d)).
{ intros e E. unfold p. assert (B := bernstein_tail (3 * (1 - e) / M) t).
  assert (LM : 3 * (1 - e) / M * M = 3 * (1 - e)) by (field; lra).
  assert (L : 0 <= 3 * (1 - e) / M) by (apply Rle_mult_inv_pos; lra).
  apply Rle_trans with (1 := B L ltac:(lra)). apply exp_le. rewrite Z. right. unfold d. field. lra. }
now apply exp_limit.
Qed.
End Bernstein.

Theorem lemma_6 (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) n M s t : (1 <= n)%nat ->
  independent P X n -> (forall i, (i < n)%nat -> random_variable (X i)) ->
  (forall i, (i < n)%nat -> mean P (X i) = 0) -> (forall i w, (i < n)%nat -> Rabs (X i w) <= M) ->
  (forall i, (i < n)%nat -> mean P (fun w => X i w * X i w) <= s) -> 0 < t -> 0 < s + / 3 * M * t ->
  upper_tail P (fun w => / INR n * sum_to n (fun i => X i w)) t <= exp (- (1 / 2 * t ^ 2 * INR n / (s + / 3 * M * t))).
Proof.
intros N I V Z B Q T D. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia).
assert (m0 := M_positive W P X n M N B). assert (s0 := s_positive W P X n M s N V B Q).
assert (Zs : sum_to n (fun i => mean P (X i)) = 0).
{ rewrite (sum_to_same n _ (fun _ => 0) Z), sum_to_const. ring. }
assert (E : upper_tail P (fun w => / INR n * sum_to n (fun i => X i w)) t =
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i))) (INR n * t)).
{ apply mean_same. intros w. rewrite Zs. set (y := sum_to n (fun i => X i w)).
  assert (Y : INR n * (/ INR n * y) = y) by (field; lra).
  destruct (Rle_dec t (/ INR n * y)) as [H|H], (Rle_dec (INR n * t) (y - 0)) as [H'|H']; try reflexivity; exfalso.
  - apply H'. apply (Rmult_le_compat_l (INR n)) in H; lra.
  - apply H. apply Rmult_le_reg_l with (INR n); lra. }
rewrite E. clear E Zs Z. destruct (Req_dec s 0) as [S0|S0].
- assert (m1 : 0 < M) by (rewrite S0 in D; destruct m0 as [m1|<-]; lra).
  apply Rle_trans with (1 := zero_square_tail W P X n M s N I V B Q t S0 m1 (Rlt_le _ _ T)).
  rewrite S0. apply exp_le.
  replace (1 / 2 * t ^ 2 * INR n / (0 + / 3 * M * t)) with (INR n * (3 * t / M) / 2) by (field; lra).
  assert (0 <= INR n * (3 * t / M)) by (apply Rmult_le_pos; [lra|apply Rle_mult_inv_pos; lra]). lra.
- assert (s1 : 0 < s) by lra. set (lam := t / (s + / 3 * M * t)).
  assert (L : 0 < lam) by now apply Rdiv_lt_0_compat.
  assert (LM : 1 - lam * M / 3 = s / (s + / 3 * M * t)) by (unfold lam; field; lra).
  assert (S1 : 0 < s / (s + / 3 * M * t)) by now apply Rdiv_lt_0_compat.
  apply Rle_trans with (1 := bernstein_tail W P X n M s I V B Q lam t (Rlt_le _ _ L) ltac:(lra)).
  rewrite LM. apply exp_le. right. unfold lam. field. split; lra.
Qed.

Theorem lemma_6_sub_gamma (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) n M s r : (1 <= n)%nat ->
  independent P X n -> (forall i, (i < n)%nat -> random_variable (X i)) ->
  (forall i w, (i < n)%nat -> Rabs (X i w) <= M) -> (forall i, (i < n)%nat -> mean P (fun w => X i w * X i w) <= s) ->
  0 <= r ->
  strict_upper_tail P (fun w => / INR n * sum_to n (fun i => X i w - mean P (X i))) (sqrt (2 * s * r) + M * r / 3) <=
    exp (- (INR n * r)).
Proof.
intros N I V B Q R0. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia).
assert (m0 := M_positive W P X n M N B). assert (s0 := s_positive W P X n M s N V B Q).
set (t := sqrt (2 * s * r) + M * r / 3).
assert (t0 : 0 <= t) by (unfold t; assert (Sq := sqrt_pos (2 * s * r)); nra).
assert (E : strict_upper_tail P (fun w => / INR n * sum_to n (fun i => X i w - mean P (X i))) t <=
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i))) (INR n * t)).
{ assert (V' : random_variable (fun w => sum_to n (fun i => X i w))) by now apply variable_sum.
  assert (V1 : random_variable (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i)))).
  { apply variable_minus; [exact V'|apply variable_const]. }
  apply mean_le; [apply has_mean_above, variable_scaled|now apply has_mean_from|].
  - apply (variable_same W (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i)))); [|exact V1].
    intros w. now rewrite sum_to_minus.
  - intros w. rewrite sum_to_minus. set (y := _ - _).
    assert (Y : INR n * (/ INR n * y) = y) by (field; lra).
    destruct (Rlt_dec t (/ INR n * y)) as [H|H], (Rle_dec (INR n * t) y) as [H'|H']; try lra. exfalso.
    apply H'. apply (Rmult_lt_compat_l (INR n)) in H; lra. }
destruct (Req_dec s 0) as [S0|S0]; [destruct m0 as [m1|m1]|].
- apply Rle_trans with (1 := E).
  apply Rle_trans with (1 := zero_square_tail W P X n M s N I V B Q t S0 m1 t0).
  unfold t. rewrite S0, Rmult_0_r, Rmult_0_l, sqrt_0. apply exp_le. right. field. lra.
- (* every X i is 0 *)
  apply Rle_trans with 0; [|left; apply exp_pos]. rewrite <- (mean_const W P 0).
  assert (X0 : forall i w, (i < n)%nat -> X i w = 0) by (intros i w H; specialize (B i w H); rewrite <- m1 in B; split_Rabs; lra).
  assert (Z : forall w, sum_to n (fun i => X i w - mean P (X i)) = 0).
  { intros w. rewrite (sum_to_same n _ (fun _ => 0)); [rewrite sum_to_const; ring|]. intros i H.
    rewrite (X0 i w H), (mean_same W P (X i) (fun _ => 0)), mean_const by auto. ring. }
  right. apply mean_same. intros w. rewrite Z. destruct (Rlt_dec t (/ INR n * 0)); lra.
- assert (s1 : 0 < s) by lra. apply Rle_trans with (1 := E). set (q := sqrt (2 * r / s)). set (c := M / 3).
  assert (q0 : 0 <= q) by apply sqrt_pos. assert (c0 : 0 <= c) by (unfold c; lra).
  assert (qq : q * q = 2 * r / s) by (apply sqrt_sqrt, Rle_mult_inv_pos; lra).
  assert (rq : r = s * (q * q) / 2) by (rewrite qq; field; lra).
  assert (root : sqrt (2 * s * r) = s * q).
  { rewrite <- (sqrt_square (s * q)) by nra. f_equal. rewrite rq. field. }
  assert (cq : 0 < 1 + c * q) by nra. set (lam := q / (1 + c * q)).
  assert (L : 0 <= lam) by now apply Rle_mult_inv_pos.
  assert (LM : 1 - lam * M / 3 = / (1 + c * q)).
  { unfold lam. replace M with (3 * c) by (unfold c; field). field. lra. }
  assert (I1 := Rinv_0_lt_compat _ cq).
  apply Rle_trans with (1 := bernstein_tail W P X n M s I V B Q lam t L ltac:(lra)).
  rewrite LM. apply exp_le. right. unfold t. rewrite root, rq. replace M with (3 * c) by (unfold c; field).
  unfold lam. field. lra.
Qed.

(** * Lemma 7 *)

Theorem lemma_7 (W : sample_space) (P : probability_measure W) (X : W -> R) u v B : random_variable X -> 0 < v <= 1 ->
  0 < B -> has_mean P (fun w => abs_power (1 + v) (X w)) -> mean P (fun w => abs_power (1 + v) (X w)) <= u ->
  let cut w := if Rlt_dec B (Rabs (X w)) then X w else 0 in
  has_mean P cut /\ mean P cut <= u / Rpower B v.
Proof.
intros V v1 B0 I U cut. assert (Bv : 0 < Rpower B v) by apply exp_pos.
assert (Ib : has_mean P (fun w => / Rpower B v * abs_power (1 + v) (X w))) by now apply has_mean_scaled.
assert (Bound : forall w, Rabs (cut w) <= / Rpower B v * abs_power (1 + v) (X w)).
{ intros w. unfold cut. assert (A := abs_power_positive (1 + v) (X w)). assert (Iv := Rinv_0_lt_compat _ Bv).
  destruct (Rlt_dec B (Rabs (X w))) as [H|H]; [|rewrite Rabs_R0; nra].
  rewrite <- (abs_power_Rabs (1 + v)), abs_power_of, Rpower_plus, Rpower_1 by lra.
  apply Rmult_le_reg_l with (Rpower B v); [exact Bv|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_comm by lra.
  apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; lra. }
assert (C : has_mean P cut).
{ apply has_mean_below with (2 := Ib); [|exact Bound].
  apply (variable_same W (fun w => X w * if Rlt_dec B (Rabs (X w)) then 1 else 0)).
  - intros w. unfold cut. destruct (Rlt_dec B (Rabs (X w))); ring.
  - apply variable_times; [exact V|]. apply variable_above.
    apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|exact V]. }
split; [exact C|]. apply Rle_trans with (mean P (fun w => / Rpower B v * abs_power (1 + v) (X w))).
- apply mean_le; [exact C|exact Ib|]. intros w. apply Rle_trans with (1 := Rle_abs _), Bound.
- rewrite mean_scaled by exact I. unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; [|exact U].
  left. now apply Rinv_0_lt_compat.
Qed.

Theorem lemma_7_second_moment (W : sample_space) (P : probability_measure W) (X : W -> R) u v B : random_variable X ->
  0 < v <= 1 -> 0 < B -> has_mean P (fun w => abs_power (1 + v) (X w)) ->
  mean P (fun w => abs_power (1 + v) (X w)) <= u ->
  let cut w := if Rle_dec (Rabs (X w)) B then X w ^ 2 else 0 in
  has_mean P cut /\ mean P cut <= u * Rpower B (1 - v).
Proof.
intros V v1 B0 I U cut. set (b := Rpower B (1 - v)). assert (Bv : 0 < b) by apply exp_pos.
assert (Ib : has_mean P (fun w => b * abs_power (1 + v) (X w))) by now apply has_mean_scaled.
assert (Bound : forall w, 0 <= cut w <= b * abs_power (1 + v) (X w)).
{ intros w. unfold cut. assert (A := abs_power_positive (1 + v) (X w)).
  destruct (Rle_dec (Rabs (X w)) B) as [H|H]; [|nra]. split; [nra|].
  destruct (Req_dec (X w) 0) as [Z|Z]; [rewrite Z in *; nra|]. assert (X0 := Rabs_pos_lt _ Z).
  rewrite <- (abs_power_Rabs (1 + v)), abs_power_of by exact X0. set (x := Rabs (X w)) in *.
  replace (X w ^ 2) with (Rpower x (1 - v) * Rpower x (1 + v)).
  - apply Rmult_le_compat_r; [left; apply exp_pos|]. apply Rle_Rpower_l; lra.
  - rewrite <- Rpower_plus. replace (1 - v + (1 + v)) with (INR 2) by (simpl; ring). rewrite Rpower_pow by exact X0.
    apply pow2_abs. }
assert (C : has_mean P cut).
{ apply has_mean_below with (2 := Ib).
  - apply (variable_same W (fun w => X w * X w * (1 - if Rlt_dec B (Rabs (X w)) then 1 else 0))).
    + intros w. unfold cut. destruct (Rlt_dec B (Rabs (X w))), (Rle_dec (Rabs (X w)) B); try lra; ring.
    + apply variable_times; [now apply variable_times|]. apply variable_minus; [apply variable_const|].
      apply variable_above. apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|exact V].
  - intros w. destruct (Bound w). rewrite Rabs_right; lra. }
split; [exact C|]. apply Rle_trans with (mean P (fun w => b * abs_power (1 + v) (X w))).
- apply mean_le; [exact C|exact Ib|apply Bound].
- rewrite mean_scaled by exact I. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.

(** * Lemma 8 *)

(* The integrals of the density of Lap(b) times e^(lam x). *)
Lemma laplace_moment b lam : 0 < b -> -1 < lam * b < 1 ->
  bounds (fun x => laplace b 0 x * exp (lam * x)) (/ (1 - lam * b * (lam * b))).
Proof.
intros B L. set (f x := laplace b 0 x * exp (lam * x)).
assert (C : forall x, continuous f x).
{ intros x. apply (continuous_mult (K := R_AbsRing) (laplace b 0) (fun x => exp (lam * x)));
    [now apply laplace_continuous|apply exp_continuous]. }
assert (P : forall x, 0 <= f x).
{ intros x. apply Rmult_le_pos; [now apply laplace_positive|left; apply exp_pos]. }
exists (fun _ => f). split; [intros n x; split; [apply C|generalize (P x); lra]|].
split; [intros x c H; now exists 0%nat|].
intros n. assert (N := pos_INR n). assert (I : forall x y, ex_RInt f x y) by (intros; now apply continuous_integrable).
rewrite <- (RInt_Chasles f (- INR n) 0 (INR n)) by apply I.
assert (Each : forall k, exp (k * - INR n) > 0) by (intros; apply exp_pos).
assert (Left : RInt f (- INR n) 0 = / (2 * (1 + lam * b)) * (1 - exp ((1 + lam * b) / b * - INR n))).
{ transitivity (RInt (fun x => exp ((1 + lam * b) / b * x) / (2 * b)) (- INR n) 0).
  - apply RInt_ext. intros x. rewrite Rmin_left, Rmax_right by lra. intros X. unfold f, laplace.
    rewrite Rabs_left by lra. unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ (2 * b))), <- Rmult_assoc, <- exp_plus.
    do 2 f_equal. field. lra.
  - apply is_RInt_unique. replace (/ (2 * (1 + lam * b)) * (1 - exp ((1 + lam * b) / b * - INR n))) with
      (minus (/ (2 * (1 + lam * b)) * exp ((1 + lam * b) / b * 0))
        (/ (2 * (1 + lam * b)) * exp ((1 + lam * b) / b * - INR n))).
    + apply (is_RInt_derive (fun x => / (2 * (1 + lam * b)) * exp ((1 + lam * b) / b * x))).
      * intros x _. auto_derive; [auto|]. field. lra.
      * intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    + rewrite Rmult_0_r, exp_0. unfold minus, plus, opp; simpl. ring. }
assert (Right : RInt f 0 (INR n) = / (2 * (1 - lam * b)) * (1 - exp ((1 - lam * b) / b * - INR n))).
{ transitivity (RInt (fun x => exp (- ((1 - lam * b) / b) * x) / (2 * b)) 0 (INR n)).
  - apply RInt_ext. intros x. rewrite Rmin_left, Rmax_right by lra. intros X. unfold f, laplace.
    rewrite Rabs_right by lra. unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ (2 * b))), <- Rmult_assoc, <- exp_plus.
    do 2 f_equal. field. lra.
  - apply is_RInt_unique. replace (/ (2 * (1 - lam * b)) * (1 - exp ((1 - lam * b) / b * - INR n))) with
      (minus (- / (2 * (1 - lam * b)) * exp (- ((1 - lam * b) / b) * INR n))
        (- / (2 * (1 - lam * b)) * exp (- ((1 - lam * b) / b) * 0))).
    + apply (is_RInt_derive (fun x => - / (2 * (1 - lam * b)) * exp (- ((1 - lam * b) / b) * x))).
      * intros x _. auto_derive; [auto|]. field. lra.
      * intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    + rewrite Rmult_0_r, exp_0. unfold minus, plus, opp; simpl.
      replace (- ((1 - lam * b) / b) * INR n) with ((1 - lam * b) / b * - INR n) by ring. ring. }
rewrite Left, Right. unfold plus; simpl.
replace (/ (1 - lam * b * (lam * b))) with (/ (2 * (1 + lam * b)) * 1 + / (2 * (1 - lam * b)) * 1)
  by (field; repeat split; nra).
apply Rplus_le_compat; (apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|]);
  [specialize (Each ((1 + lam * b) / b))|specialize (Each ((1 - lam * b) / b))]; lra.
Qed.

Lemma inverse_below_exp x : 0 <= x <= 1 / 2 -> / (1 - x) <= exp (2 * x).
Proof.
intros H. apply Rmult_le_reg_r with (1 - x); [lra|]. rewrite Rinv_l by lra. assert (A := exp_ineq1_le (2 * x)). nra.
Qed.

Lemma laplace_exp_mean (W : sample_space) (P : probability_measure W) (X : W -> R) b lam : 0 < b ->
  lam * b * (lam * b) <= 1 / 2 -> has_density P X (laplace b 0) ->
  has_mean P (fun w => exp (lam * X w)) /\ mean P (fun w => exp (lam * X w)) <= exp (2 * (lam * b * (lam * b))).
Proof.
intros B L [_ H]. assert (M := laplace_moment b lam B ltac:(split; nra)).
destruct (H (fun x => exp (lam * x))) as [F E].
- intros x. apply exp_continuous.
- intros x. left; apply exp_pos.
- eexists. exact M.
- split; [exact F|]. rewrite E. apply Rle_trans with (1 := integral_at_most _ _ M). apply inverse_below_exp. nra.
Qed.

Theorem lemma_8_repaired (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) n s eps beta :
  (1 <= n)%nat -> 0 < s -> 0 < eps -> 0 < beta < 1 -> independent P X n ->
  (forall i, (i < n)%nat -> has_density P (X i) (laplace (s / eps) 0)) -> ln (2 / beta) <= INR n ->
  1 - beta <= mean P (fun w => if Rle_dec (Rabs (/ INR n * sum_to n (fun i => X i w)))
    (2 * sqrt 2 * s / (eps * sqrt (INR n)) * sqrt (ln (2 / beta))) then 1 else 0).
Proof.
intros N s0 e0 B I D Large. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (b := s / eps) in *.
assert (b0 : 0 < b) by now apply Rdiv_lt_0_compat.
assert (V : forall i, (i < n)%nat -> random_variable (X i)) by (intros i L; apply (D i L)).
assert (l0 : 0 <= ln (2 / beta)).
{ rewrite <- ln_1. apply ln_le; [lra|]. apply Rmult_le_reg_r with beta; [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra. }
set (r := ln (2 / beta) / INR n).
assert (r1 : 0 <= r <= 1).
{ split; [now apply Rle_mult_inv_pos|]. apply Rmult_le_reg_r with (INR n); [exact n0|]. unfold r, Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra. }
assert (rn : INR n * r = ln (2 / beta)) by (unfold r; field; lra).
set (q := sqrt (r / 2)). assert (q0 : 0 <= q) by apply sqrt_pos.
assert (qq : q * q = r / 2) by (apply sqrt_sqrt; lra).
assert (Bound : 2 * sqrt 2 * s / (eps * sqrt (INR n)) * sqrt (ln (2 / beta)) = 4 * b * q).
{ assert (S2 := sqrt_sqrt 2 ltac:(lra)). assert (s2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (sn : 0 < sqrt (INR n)) by (apply sqrt_lt_R0; lra).
  unfold q. rewrite sqrt_div_alt, <- rn, sqrt_mult by lra. unfold b.
  replace 4 with (2 * (sqrt 2 * sqrt 2)) by lra. field. repeat split; lra. }
set (bound := 2 * sqrt 2 * s / (eps * sqrt (INR n)) * sqrt (ln (2 / beta))) in *.
set (t := INR n * bound). assert (t0 : 0 <= t).
{ unfold t. rewrite Bound. apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]. }
set (lam := q / b). assert (lam0 : 0 <= lam) by now apply Rle_mult_inv_pos.
assert (lb : lam * b * (lam * b) = r / 2) by (unfold lam; rewrite <- qq; field; lra).
assert (lt : lam * t = 2 * ln (2 / beta)).
{ unfold t. rewrite Bound, <- rn. unfold lam.
  replace (q / b * (INR n * (4 * b * q))) with (4 * INR n * (q * q)) by (field; lra). rewrite qq. field. }
assert (Half : exp (sum_to n (fun _ => r) - lam * t) = beta / 2).
{ rewrite sum_to_const, rn, lt. replace (ln (2 / beta) - 2 * ln (2 / beta)) with (- ln (2 / beta)) by ring.
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
assert (Zero : sum_to n (fun _ => 0) = 0) by (rewrite sum_to_const; ring).
set (Z := fun w => sum_to n (fun i => X i w)). assert (VZ : random_variable Z) by now apply variable_sum.
assert (Tails : far_from W P Z 0 t <= 2 * (beta / 2)).
{ apply both_tails; [exact VZ|exact t0| |]; rewrite <- Half.
  - assert (T := tail_of_sum W P X n (fun _ => 0) (fun _ => r) lam t lam0 I V). rewrite Zero in T. apply T.
    intros i L. destruct (laplace_exp_mean W P (X i) b lam b0 ltac:(lra) (D i L)) as [F M]. split; [exact F|].
    apply Rle_trans with (1 := M). right. f_equal. rewrite lb. field.
  - assert (T := tail_of_sum W P (fun i w => - 1 * X i w) n (fun _ => 0) (fun _ => r) lam t lam0
      (independent_scaled W P X (- 1) n I)). rewrite Zero in T.
    assert (T' := T ltac:(intros i L; now apply variable_scaled, V)). clear T.
    assert (Same : forall w, sum_to n (fun i => - 1 * X i w) - 0 = - 1 * Z w - - 0).
    { intros w. rewrite sum_to_scaled. unfold Z. ring. }
    unfold upper_tail in *. erewrite mean_same; [apply T'|].
    + intros i L. destruct (laplace_exp_mean W P (X i) b (- lam) b0 ltac:(lra) (D i L)) as [F M].
      assert (E : forall w, exp (- lam * X i w) = exp (lam * (- 1 * X i w))) by (intros w; f_equal; ring).
      split; [exact (has_mean_same W P _ _ E F)|]. rewrite <- (mean_same W P _ _ E). apply Rle_trans with (1 := M).
      right. f_equal. replace (- lam * b * (- lam * b)) with (lam * b * (lam * b)) by ring. rewrite lb. field.
    + intros w. cbv beta. now rewrite Same. }
assert (VA : random_variable (fun w => Rabs (Z w - 0))).
{ apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|].
  apply variable_minus; [exact VZ|apply variable_const]. }
apply Rle_trans with (mean P (fun w => - 1 * (if Rle_dec t (Rabs (Z w - 0)) then 1 else 0) + 1)).
- rewrite mean_affine by now apply has_mean_from. unfold far_from in Tails. lra.
- apply mean_le.
  + apply has_mean_affine. now apply has_mean_from.
  + apply (bounded_has_mean W P _ 0 1).
    * apply variable_same with (fun w => if Rle_dec (- bound) (- / INR n * Rabs (Z w - 0)) then 1 else 0).
      -- intros w. rewrite Rminus_0_r, Rabs_mult, (Rabs_right (/ INR n)) by (left; now apply Rinv_0_lt_compat).
      fold (Z w).
         destruct (Rle_dec (- bound) (- / INR n * Rabs (Z w))), (Rle_dec (/ INR n * Rabs (Z w)) bound); lra.
      -- apply variable_from. now apply variable_scaled.
    * intros w. destruct (Rle_dec _ bound); lra.
  + intros w. rewrite Rminus_0_r. fold (Z w). rewrite Rabs_mult, (Rabs_right (/ INR n)) by (left;
    now apply Rinv_0_lt_compat).
    destruct (Rle_dec (/ INR n * Rabs (Z w)) bound) as [Q|Q]; [destruct (Rle_dec t (Rabs (Z w))); lra|].
    destruct (Rle_dec t (Rabs (Z w))) as [Q'|Q']; [lra|]. exfalso. apply Q.
    apply Rmult_le_reg_l with (INR n); [exact n0|].
    rewrite <- Rmult_assoc, Rinv_r by lra. unfold t in Q'. lra.
Qed.

(** * Lemma 9, Jensen's inequality *)

Definition convex (psi : R -> R) :=
  forall x y share, 0 <= share <= 1 -> psi (share * x + (1 - share) * y) <= share * psi x + (1 - share) * psi y.

(* A convex function lies above a line through each of its points. *)
Lemma supporting_line psi m : convex psi -> exists c, forall x, psi m + c * (x - m) <= psi x.
Proof.
intros C. set (slopes k := exists x, x < m /\ k = (psi m - psi x) / (m - x)).
assert (Slopes : forall x y, x < m < y -> (psi m - psi x) / (m - x) <= (psi y - psi m) / (y - m)).
{ intros x y H. assert (D : 0 < y - x) by lra. assert (Q := C x y ((y - m) / (y - x))).
  assert (share : 0 <= (y - m) / (y - x) <= 1).
  { split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (y - x); [exact D|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  specialize (Q share). replace ((y - m) / (y - x) * x + (1 - (y - m) / (y - x)) * y) with m in Q by (field; lra).
  apply (Rmult_le_compat_l (y - x)) in Q; [|lra].
  replace ((y - x) * ((y - m) / (y - x) * psi x + (1 - (y - m) / (y - x)) * psi y))
    with ((y - m) * psi x + (m - x) * psi y) in Q by (field; lra).
  apply Rmult_le_reg_r with ((m - x) * (y - m)); [nra|].
  replace ((psi m - psi x) / (m - x) * ((m - x) * (y - m))) with ((psi m - psi x) * (y - m)) by (field; lra).
  replace ((psi y - psi m) / (y - m) * ((m - x) * (y - m))) with ((psi y - psi m) * (m - x)) by (field; lra). lra. }
destruct (completeness slopes) as (c & Up & Least).
- exists ((psi (m + 1) - psi m) / (m + 1 - m)). intros k (x & X & ->). apply Slopes. lra.
- exists ((psi m - psi (m - 1)) / (m - (m - 1))), (m - 1). split; [lra|reflexivity].
- exists c. intros x. destruct (Rtotal_order x m) as [H|[->|H]]; [|lra|].
  + assert (K : (psi m - psi x) / (m - x) <= c) by (apply Up; now exists x).
    apply (Rmult_le_compat_r (m - x)) in K; [|lra]. unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l in K by lra. lra.
  + assert (K : c <= (psi x - psi m) / (x - m)) by (apply Least; intros k (y & Y & ->); apply Slopes; lra).
    apply (Rmult_le_compat_r (x - m)) in K; [|lra]. unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l in K by lra. lra.
Qed.

Theorem lemma_9 (W : sample_space) (P : probability_measure W) (X : W -> R) psi : convex psi -> has_mean P X ->
  has_mean P (fun w => psi (X w)) -> psi (mean P X) <= mean P (fun w => psi (X w)).
Proof.
intros C I J. destruct (supporting_line psi (mean P X) C) as (c & L).
apply Rle_trans with (mean P (fun w => c * X w + (psi (mean P X) - c * mean P X))).
- rewrite mean_affine by exact I. lra.
- apply mean_le; [now apply has_mean_affine|exact J|]. intros w. generalize (L (X w)). lra.
Qed.

(** * Lemma 10 *)
Section Moments.
Variables (W : sample_space) (P : probability_measure W) (p : R).
Hypothesis p_range : 1 <= p <= 2.

Lemma power_variable (X : W -> R) : random_variable X -> random_variable (fun w => abs_power p (X w)).
Proof. intros V. apply (variable_continuous W (abs_power p)); [|exact V]. intros x. apply abs_power_continuous. lra. Qed.

Lemma power_shifted (X : W -> R) m : random_variable X -> has_mean P (fun w => abs_power p (X w)) ->
  has_mean P (fun w => abs_power p (X w + m)) /\
  mean P (fun w => abs_power p (X w + m)) <= 2 * mean P (fun w => abs_power p (X w)) + 2 * abs_power p m.
Proof.
intros V I. assert (J : has_mean P (fun w => 2 * abs_power p (X w) + 2 * abs_power p m)) by now apply has_mean_affine.
assert (B : forall w, abs_power p (X w + m) <= 2 * abs_power p (X w) + 2 * abs_power p m) by (intros; now apply abs_power_sum).
assert (F : has_mean P (fun w => abs_power p (X w + m))).
{ apply has_mean_below with (2 := J).
  - apply (power_variable (fun w => X w + m)). apply variable_plus; [exact V|apply variable_const].
  - intros w. rewrite Rabs_right by (apply Rle_ge, abs_power_positive). apply B. }
split; [exact F|]. rewrite <- mean_affine by exact I. now apply mean_le.
Qed.

Lemma power_has_mean (X : W -> R) : random_variable X -> has_mean P (fun w => abs_power p (X w)) -> has_mean P X.
Proof.
intros V I. apply (has_mean_below W P X (fun w => 1 * abs_power p (X w) + 1)); [exact V|now apply has_mean_affine|].
intros w. generalize (abs_below_power p (X w)). lra.
Qed.

Lemma power_of_mean (X : W -> R) : has_mean P X -> has_mean P (fun w => abs_power p (X w)) ->
  abs_power p (mean P X) <= mean P (fun w => abs_power p (X w)).
Proof.
intros I J. destruct (abs_power_above p (mean P X)) as (c & L); [lra|].
apply Rle_trans with (mean P (fun w => c * X w + (abs_power p (mean P X) - c * mean P X))).
- rewrite mean_affine by exact I. lra.
- apply mean_le; [now apply has_mean_affine|exact J|]. intros w. generalize (L (X w)). lra.
Qed.
End Moments.

Theorem lemma_10_1 (W : sample_space) (P : probability_measure W) (X : W -> R) v : random_variable X -> 0 < v <= 1 ->
  has_mean P (fun w => abs_power (1 + v) (X w)) ->
  has_mean P X /\ has_mean P (fun w => abs_power (1 + v) (X w - mean P X)) /\
  mean P (fun w => abs_power (1 + v) (X w - mean P X)) <= 4 * mean P (fun w => abs_power (1 + v) (X w)).
Proof.
intros V v1 I. assert (p : 1 <= 1 + v <= 2) by lra. assert (J := power_has_mean W P (1 + v) p X V I). split; [exact J|].
destruct (power_shifted W P (1 + v) p X (- mean P X) V I) as [F M]. split; [exact F|].
apply Rle_trans with (1 := M). rewrite abs_power_opp. generalize (power_of_mean W P (1 + v) p X J I). lra.
Qed.

Theorem lemma_10_2 (W : sample_space) (P : probability_measure W) (X : W -> R) v : has_mean P X -> 0 < v <= 1 ->
  has_mean P (fun w => abs_power (1 + v) (X w - mean P X)) ->
  has_mean P (fun w => abs_power (1 + v) (X w)) /\
  mean P (fun w => abs_power (1 + v) (X w)) <=
    2 * mean P (fun w => abs_power (1 + v) (X w - mean P X)) + 2 * abs_power (1 + v) (mean P X).
Proof.
intros J v1 I. assert (V' := mean_of_variable W P X J).
assert (V : random_variable (fun w => X w - mean P X)) by (apply variable_minus; [exact V'|apply variable_const]).
destruct (power_shifted W P (1 + v) ltac:(lra) _ (mean P X) V I) as [F M].
assert (E : forall w, abs_power (1 + v) (X w - mean P X + mean P X) = abs_power (1 + v) (X w)) by (intros; f_equal; ring).
split; [exact (has_mean_same W P _ _ E F)|]. rewrite <- (mean_same W P _ _ E). exact M.
Qed.

(* Section 3.1: both moments are finite, or none. *)
Theorem moments_finite (W : sample_space) (P : probability_measure W) (X : W -> R) v : random_variable X -> 0 < v <= 1 ->
  has_mean P X ->
  has_mean P (fun w => abs_power (1 + v) (X w)) <-> has_mean P (fun w => abs_power (1 + v) (X w - mean P X)).
Proof.
intros V v1 J. split; intros I; [now apply lemma_10_1|now apply lemma_10_2].
Qed.

(** * The hypotheses can hold together *)

Lemma lemma_5_witness : satisfiable lemma_5.
Proof. exists 1, 1. lra. Qed.

Lemma lemma_6_witness : satisfiable lemma_6.
Proof.
exists two_tosses, fair, (toss 1 (- 1)), 2%nat, 1, 1, 1. split; [lia|]. split; [apply tosses_independent|].
split; [intros; exact I|]. split; [intros; rewrite toss_mean; field|].
split; [intros i w _; apply Rabs_le, toss_inside; lra|].
split; [|lra]. intros i _. unfold toss. destruct i; simpl; lra.
Qed.

Lemma lemma_6_sub_gamma_witness : satisfiable lemma_6_sub_gamma.
Proof.
exists two_tosses, fair, (toss 1 0), 2%nat, 1, 1, 1. split; [lia|]. split; [apply tosses_independent|].
split; [intros; exact I|]. split; [intros i w _; apply Rabs_le; generalize (toss_inside 0 1 i w); lra|].
split; [|lra]. intros i _. unfold toss. destruct i; simpl; lra.
Qed.

Lemma lemma_7_witness : satisfiable lemma_7.
Proof.
exists two_tosses, fair, (toss 2 (- 1) 0), (mean fair (fun w => abs_power (1 + 1) (toss 2 (- 1) 0 w))), 1, 1.
repeat split; lra.
Qed.

Lemma lemma_7_second_moment_witness : satisfiable lemma_7_second_moment.
Proof.
exists two_tosses, fair, (toss 2 (- 1) 0), (mean fair (fun w => abs_power (1 + 1) (toss 2 (- 1) 0 w))), 1, 1.
repeat split; lra.
Qed.

Lemma lemma_8_repaired_witness : satisfiable lemma_8_repaired.
Proof.
assert (B : 0 < 1 / 1) by lra. set (C := laplace_continuous (1 / 1) 0). set (Q := laplace_positive _ B 0).
set (L := laplace_limit _ B 0). exists (real_line _ C Q L), (with_density _ C Q L), (fun _ x => x), 1%nat, 1, 1, (9 / 10).
 split; [lia|]. split; [lra|]. split; [lra|]. split; [lra|]. split; [|split].
- intros h _ F. specialize (F 0%nat Nat.lt_0_1). cbv beta in F. set (P := with_density _ C Q L) in *. split.
  + apply (has_mean_same _ P _ _ (fun w => eq_sym (Rmult_1_l (h 0%nat w))) F).
  + simpl product_to. rewrite Rmult_1_l. apply (mean_same _ P). intros. ring.
- intros _ _. apply identity_has_density.
- simpl. rewrite <- (ln_exp 1). apply ln_le; [lra|].
  assert (Square : exp 1 = exp (1 / 2) * exp (1 / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (E := exp_ineq1_le (1 / 2)). nra.
Qed.

Lemma lemma_9_witness : satisfiable lemma_9.
Proof.
exists two_tosses, fair, (toss 1 0 0), (fun x => x * x). split; [|repeat split].
intros x y share H. assert (0 <= share * (1 - share) * ((x - y) * (x - y))); [|nra].
apply Rmult_le_pos; [nra|apply Rle_0_sqr].
Qed.

Lemma lemma_10_1_witness : satisfiable lemma_10_1.
Proof. exists two_tosses, fair, (toss 1 0 0), 1. split; [exact I|]. split; [lra|exact I]. Qed.

Lemma lemma_10_2_witness : satisfiable lemma_10_2.
Proof. exists two_tosses, fair, (toss 1 0 0), 1. split; [exact I|]. split; [lra|exact I]. Qed.

Lemma moments_finite_witness : satisfiable moments_finite.
Proof. exists two_tosses, fair, (toss 1 0 0), 1. split; [exact I|]. split; [lra|exact I]. Qed.
