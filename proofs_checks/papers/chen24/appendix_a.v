(* Appendix A: Hoeffding's inequality, and sub-exponential random variables, on any probability space. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration satisfiable.
Open Scope R_scope.

(* (25) and (26). *)
Theorem lemma_a_1 (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (a b : nat -> R) n epsilon :
  independent P X n -> (forall i, (i < n)%nat -> random_variable (X i)) ->
  (forall i w, (i < n)%nat -> a i <= X i w <= b i) -> 0 < epsilon -> 0 < sum_to n (fun i => (b i - a i) ^ 2) ->
  let S w := sum_to n (fun i => X i w) in
  let bound := exp (- (2 * epsilon ^ 2 / sum_to n (fun i => (b i - a i) ^ 2))) in
  upper_tail P (fun w => S w - mean P S) epsilon <= bound /\ far_from W P S (mean P S) epsilon <= 2 * bound.
Proof.
intros I V B E D S bound.
assert (M : mean P S = sum_to n (fun i => mean P (X i))).
{ apply mean_sum. intros i L. apply (bounded_has_mean W P _ (a i) (b i)); auto. }
assert (Same : bound = exp (- 2 * epsilon ^ 2 / sum_to n (fun i => (b i - a i) ^ 2))).
{ unfold bound. f_equal. field. lra. }
rewrite M, Same. split; [apply hoeffding|apply hoeffding_both]; auto; lra.
Qed.

(* Definition A.2. *)
Definition sub_exponential {W : sample_space} (P : probability_measure W) (X : W -> R) (tau2 b : R) :=
  forall lam, Rabs lam < / b ->
  has_mean P (fun w => exp (lam * X w)) /\ mean P (fun w => exp (lam * X w)) <= exp (lam ^ 2 * tau2 / 2).

(* The largest of x 0, ..., x (n-1), if none is negative. *)
Fixpoint largest_to (n : nat) (x : nat -> R) : R := match n with O => 0 | S k => Rmax (largest_to k x) (x k) end.

Lemma at_most_largest n x i : (i < n)%nat -> x i <= largest_to n x.
Proof.
induction n as [|n IH]; intros L; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|N]; [apply Rmax_r|].
apply Rle_trans with (2 := Rmax_l _ _). apply IH. lia.
Qed.

Theorem lemma_a_3 (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (a tau b : nat -> R) n :
  independent P X n -> (forall i, (i < n)%nat -> has_mean P (X i) /\ mean P (X i) = 0) ->
  (forall i, (i < n)%nat -> 0 < b i) -> (forall i, (i < n)%nat -> sub_exponential P (X i) (tau i ^ 2) (b i)) ->
  0 < largest_to n (fun i => b i * Rabs (a i)) ->
  sub_exponential P (fun w => sum_to n (fun i => a i * X i w)) (sum_to n (fun i => a i ^ 2 * tau i ^ 2))
    (largest_to n (fun i => b i * Rabs (a i))).
Proof.
intros I _ B H Top lam L.
assert (E : (fun w => exp (lam * sum_to n (fun i => a i * X i w))) = (fun w => exp (sum_to n (fun i => lam * a i * X i w)))).
{ same_function. intros w. f_equal. rewrite <- sum_to_scaled. apply sum_to_same. intros; ring. }
rewrite E. replace (lam ^ 2 * sum_to n (fun i => a i ^ 2 * tau i ^ 2) / 2)
  with (sum_to n (fun i => (lam * a i) ^ 2 * tau i ^ 2 / 2)).
2:{ transitivity (lam ^ 2 / 2 * sum_to n (fun i => a i ^ 2 * tau i ^ 2)); [|field]. rewrite <- sum_to_scaled.
    apply sum_to_same. intros; field. }
apply moment_of_sum; [exact I|]. intros i J. apply (H i J).
specialize (B i J). assert (T := at_most_largest n (fun i => b i * Rabs (a i)) i J). simpl in T.
set (top := largest_to n (fun i => b i * Rabs (a i))) in *.
rewrite Rabs_mult. apply Rmult_lt_reg_r with (b i); [exact B|]. rewrite Rinv_l by lra.
assert (G : Rabs lam * top < 1) by (apply (Rmult_lt_compat_r top) in L; [rewrite Rinv_l in L; lra|exact Top]).
generalize (Rabs_pos lam). nra.
Qed.

Section Tails.
Variables (W : sample_space) (P : probability_measure W) (X : W -> R) (tau b : R).
Hypotheses (V : random_variable X) (b_positive : 0 < b) (H : sub_exponential P X (tau ^ 2) b).

Lemma inside lam : 0 < lam < / b -> Rabs lam < / b /\ Rabs (- lam) < / b.
Proof. intros L. rewrite Rabs_Ropp, Rabs_right; lra. Qed.

Lemma sub_exponential_mean : has_mean P X.
Proof.
assert (I := Rinv_0_lt_compat b b_positive). set (lam := / b / 2).
assert (L : 0 < lam < / b) by (unfold lam; lra). destruct (inside lam L) as [L1 L2].
destruct (H lam L1) as [F _], (H (- lam) L2) as [G _].
apply (has_mean_below W P X (fun w => / lam * exp (lam * X w) + / lam * exp (- lam * X w))); [exact V|now apply has_mean_linear|].
intros w. assert (J : 0 < / lam) by (apply Rinv_0_lt_compat; lra).
assert (A := exp_ineq1_le (lam * X w)). assert (B := exp_ineq1_le (- lam * X w)).
assert (A' := exp_pos (lam * X w)). assert (B' := exp_pos (- lam * X w)).
apply Rmult_le_reg_l with lam; [lra|].
replace (lam * (/ lam * exp (lam * X w) + / lam * exp (- lam * X w))) with (exp (lam * X w) + exp (- lam * X w)) by (field; lra).
split_Rabs; nra.
Qed.

(* Its mean is 0, because the bound holds for both signs of lam. *)
Lemma sub_exponential_zero : mean P X = 0.
Proof.
assert (M := sub_exponential_mean). assert (I := Rinv_0_lt_compat b b_positive).
assert (Line : forall lam, Rabs lam < / b -> lam * mean P X <= lam ^ 2 * tau ^ 2 / 2).
{ intros lam L. destruct (H lam L) as [F B]. set (m := mean P X) in *.
  assert (T : exp (lam * m) <= exp (lam ^ 2 * tau ^ 2 / 2)).
  { apply Rle_trans with (2 := B).
    apply Rle_trans with (mean P (fun w => exp (lam * m) * lam * X w + exp (lam * m) * (1 - lam * m))).
    - rewrite mean_affine by exact M. fold m. right. ring.
    - apply mean_le; [now apply has_mean_affine|exact F|]. intros w.
      replace (lam * X w) with (lam * m + lam * (X w - m)) by ring. rewrite exp_plus.
      assert (E := exp_ineq1_le (lam * (X w - m))). assert (E' := exp_pos (lam * m)). nra. }
  destruct (Rle_lt_dec (lam * m) (lam ^ 2 * tau ^ 2 / 2)) as [Q|Q]; [exact Q|]. apply exp_increasing in Q. lra. }
set (m := mean P X) in *. assert (t0 : 0 <= tau ^ 2) by nra.
assert (Small : forall lam, 0 < lam < / b -> m <= lam * tau ^ 2 / 2 /\ - m <= lam * tau ^ 2 / 2).
{ intros lam L. destruct (inside lam L) as [L1 L2]. specialize (Line lam L1) as A. specialize (Line (- lam) L2) as B. nra. }
assert (Zero : forall e, 0 < e -> m <= e /\ - m <= e).
{ intros e E. set (lam := Rmin (/ b / 2) (e / (tau ^ 2 + 1))).
  assert (E0 : 0 < e / (tau ^ 2 + 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (A : lam <= / b / 2) by apply Rmin_l. assert (B : lam <= e / (tau ^ 2 + 1)) by apply Rmin_r.
  assert (L0 : 0 < lam) by (apply Rmin_glb_lt; lra). destruct (Small lam ltac:(lra)) as [C D].
  assert (lam * tau ^ 2 <= e).
  { apply Rle_trans with (e / (tau ^ 2 + 1) * tau ^ 2); [now apply Rmult_le_compat_r|].
    apply Rmult_le_reg_r with (tau ^ 2 + 1); [lra|].
    replace (e / (tau ^ 2 + 1) * tau ^ 2 * (tau ^ 2 + 1)) with (e * tau ^ 2) by (field; lra). nra. }
  lra. }
apply Rle_antisym; apply le_epsilon; intros e E; destruct (Zero e E); lra.
Qed.

Lemma sub_exponential_tail lam epsilon : 0 < lam <= / b -> 0 <= lam * epsilon - lam ^ 2 * tau ^ 2 / 2 ->
  upper_tail P (fun w => X w - mean P X) epsilon <= exp (- (lam * epsilon - lam ^ 2 * tau ^ 2 / 2)).
Proof.
intros L D. apply exp_limit; [exact D|]. intros e E.
assert (L' : Rabs (lam * (1 - e)) < / b) by (rewrite Rabs_right; nra). destruct (H _ L') as [F B].
replace (upper_tail P (fun w => X w - mean P X) epsilon) with (upper_tail P X epsilon).
2:{ apply mean_same. intros w. now rewrite sub_exponential_zero, Rminus_0_r. }
apply Rle_trans with (1 := chernoff W P X (lam * (1 - e)) epsilon _ ltac:(nra) V F B).
rewrite <- exp_plus. apply exp_le. assert (0 <= lam ^ 2 * tau ^ 2) by nra. nra.
Qed.
End Tails.

(* (28). *)
Theorem lemma_a_4 (W : sample_space) (P : probability_measure W) (X : W -> R) tau b : random_variable X -> 0 < b ->
  sub_exponential P X (tau ^ 2) b ->
  has_mean P X /\
  (tau <> 0 -> forall epsilon, 0 <= epsilon <= tau ^ 2 / b ->
    upper_tail P (fun w => X w - mean P X) epsilon <= exp (- (epsilon ^ 2 / (2 * tau ^ 2)))) /\
  (forall epsilon, epsilon > tau ^ 2 / b ->
    upper_tail P (fun w => X w - mean P X) epsilon <= exp (- (epsilon / (2 * b)))).
Proof.
intros V B H. assert (I := Rinv_0_lt_compat b B). split; [now apply (sub_exponential_mean W P X tau b)|]. split.
- intros t epsilon [[E|E] E']; assert (t2 : 0 < tau ^ 2) by nra.
  + set (lam := epsilon / tau ^ 2). assert (X1 : lam * epsilon - lam ^ 2 * tau ^ 2 / 2 = epsilon ^ 2 / (2 * tau ^ 2)) by (unfold lam; field; lra).
    assert (L : 0 < lam <= / b).
    { unfold lam. split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (tau ^ 2); [exact t2|].
      replace (epsilon / tau ^ 2 * tau ^ 2) with epsilon by (field; lra). lra. }
    rewrite <- X1. apply sub_exponential_tail with b; auto. rewrite X1. apply Rle_mult_inv_pos; nra.
  + rewrite <- E. replace (0 ^ 2 / (2 * tau ^ 2)) with 0 by (field; lra). rewrite Ropp_0, exp_0. apply upper_tail_inside.
    apply variable_minus; [exact V|apply variable_const].
- intros epsilon E. assert (t2 : 0 <= tau ^ 2) by nra.
  assert (Eb : tau ^ 2 * / b < epsilon) by exact E.
  assert (X1 : epsilon / (2 * b) <= / b * epsilon - (/ b) ^ 2 * tau ^ 2 / 2).
  { replace (epsilon / (2 * b)) with (/ b * epsilon / 2) by (field; lra).
    replace ((/ b) ^ 2 * tau ^ 2 / 2) with (/ b * (tau ^ 2 * / b) / 2) by (field; lra). nra. }
  assert (E0 : 0 <= epsilon) by (assert (0 <= tau ^ 2 * / b) by (apply Rmult_le_pos; lra); lra).
  assert (0 <= epsilon / (2 * b)) by (apply Rle_mult_inv_pos; lra).
  apply Rle_trans with (exp (- (/ b * epsilon - (/ b) ^ 2 * tau ^ 2 / 2))); [|apply exp_le; lra].
  apply sub_exponential_tail with b; auto; lra.
Qed.

(** * The hypotheses can hold together *)

Lemma lemma_a_1_witness : satisfiable lemma_a_1.
Proof.
exists two_tosses, fair, (toss 2 1), (fun _ => 1), (fun _ => 2), 2%nat, 1. split; [apply tosses_independent|].
split; [intros; exact I|]. split; [intros i w _; apply toss_inside; lra|]. simpl. lra.
Qed.

(* By Hoeffding's lemma, for one sign of lam, and by symmetry. *)
Lemma toss_sub_exponential i : sub_exponential fair (toss 1 (- 1) i) (1 ^ 2) 1.
Proof.
intros lam _. split; [exact I|].
assert (Sym : mean fair (fun w => exp (lam * toss 1 (- 1) i w)) = mean fair (fun w => exp (Rabs lam * toss 1 (- 1) i w))).
{ unfold toss. destruct i; simpl; split_Rabs; try reflexivity; replace (- lam * 1) with (lam * -1) by ring;
    replace (- lam * -1) with (lam * 1) by ring; field. }
rewrite Sym. apply Rle_trans with (exp (Rabs lam * mean fair (toss 1 (- 1) i) + Rabs lam * Rabs lam * ((1 - - 1) * (1 - - 1)) / 8)).
- apply hoeffding_moment; [apply Rabs_pos|exact I|]. intros w. apply toss_inside. lra.
- rewrite toss_mean. replace (Rabs lam * Rabs lam) with (lam ^ 2) by (rewrite <- Rabs_mult, Rabs_right; [ring|nra]).
  apply exp_le. right. field.
Qed.

Lemma lemma_a_3_witness : satisfiable lemma_a_3.
Proof.
exists two_tosses, fair, (toss 1 (- 1)), (fun _ => 2), (fun _ => 1), (fun _ => 1), 2%nat. split; [apply tosses_independent|].
split; [intros; split; [exact I|rewrite toss_mean; field]|]. split; [intros; lra|].
split; [intros; apply toss_sub_exponential|].
assert (T : largest_to 2 (fun _ => 1 * Rabs 2) = 2).
{ simpl. rewrite Rabs_right by lra. unfold Rmax. repeat destruct (Rle_dec _ _); lra. }
rewrite T. split; [lra|]. exists 0. rewrite Rabs_R0. lra.
Qed.

Lemma lemma_a_4_witness : satisfiable lemma_a_4.
Proof.
exists two_tosses, fair, (toss 1 (- 1) 0), 1, 1. split; [exact I|]. split; [lra|]. split; [apply toss_sub_exponential|].
split; [split; [lra|exists 1; lra]|exists 2; lra].
Qed.
