(* A normal sample around the mean of n rewards in [0, 1]: how small the probability is, in expectation over the rewards,
   that it exceeds a number near their expectation. Bounds on the expectation of 1/Phi(-z), where z is the distance in
   standard deviations. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments half_planes normal normal_tails expectation concentration.
Open Scope R_scope.

Lemma inverse_tail z : 0 <= z -> / Phi (- z) <= 302 / 100 * exp (z * z).
Proof.
intros Z. assert (B := birnbaum z). assert (P := Phi_inside (- z)). set (r := sqrt (4 + z * z)) in B.
assert (R2 : r * r = 4 + z * z) by (apply sqrt_sqrt; nra). assert (R0 : 0 <= r) by apply sqrt_pos.
assert (Rz : z < r) by nra. assert (Rl : r <= 2 + z * z / 4) by nra.
assert (E := exp_ineq1_le (z * z / 2)). set (e := exp (z * z / 2)) in *.
assert (E2 : exp (z * z) = e * e) by (unfold e; rewrite <- exp_plus; f_equal; field). rewrite E2.
assert (S0 := root_two_pi). assert (S1 : sqrt (2 * PI) <= 2507 / 1000) by interval with (i_prec 60).
assert (Q : density z = / (e * sqrt (2 * PI))).
{ unfold density, e. replace (- (z * z) / 2) with (- (z * z / 2)) by field. rewrite exp_Ropp. field.
  split; [lra|]. generalize (exp_pos (z * z / 2)). lra. }
rewrite Q in B. assert (e0 : 0 < e) by (generalize (exp_pos (z * z / 2)); auto).
apply Rmult_le_reg_r with (Phi (- z)); [lra|]. rewrite Rinv_l by lra.
apply Rle_trans with (302 / 100 * (e * e) * (/ (e * sqrt (2 * PI)) * (r - z) / 2)); [|apply Rmult_le_compat_l; [nra|exact B]].
replace (302 / 100 * (e * e) * (/ (e * sqrt (2 * PI)) * (r - z) / 2)) with (302 / 100 * e * (r - z) / 2 / sqrt (2 * PI))
  by (field; lra).
apply Rmult_le_reg_r with (sqrt (2 * PI)); [exact S0|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
apply Rmult_le_reg_r with (r + z); [lra|].
replace (302 / 100 * e * (r - z) / 2 * (r + z)) with (604 / 100 * e) by (transitivity (151 / 100 * e * (r * r - z * z)); [rewrite R2|]; field).
assert (Q1 : r + z <= 24 / 10 * (1 + z * z / 2)) by (generalize (Rle_0_sqr (z - 1 / 2)); unfold Rsqr; nra).
apply Rle_trans with (2507 / 1000 * (24 / 10 * e)); [|lra]. apply Rmult_le_compat; lra.
Qed.

Lemma not_above z : z <= 0 -> 1 <= / Phi (- z) <= 2.
Proof.
intros Z. assert (P := Phi_inside (- z)). assert (H : Phi 0 <= Phi (- z)) by (apply Phi_le; lra).
assert (Z0 : Phi 0 = 1 / 2) by (generalize (Phi_opp 0); rewrite Ropp_0; lra).
split; [rewrite <- Rinv_1 at 1|replace 2 with (/ (1 / 2)) by field]; apply Rinv_le_contravar; lra.
Qed.

Lemma inverse_continuous x : continuous (fun x => / Phi (- x)) x.
Proof.
assert (P := Phi_inside (- x)). apply (continuous_comp (fun x => Phi (- x)) Rinv).
- apply (continuous_comp Ropp Phi); [apply (continuous_opp (V := R_NormedModule) (fun x => x)), continuous_id|apply Phi_continuous].
- apply continuous_Rinv. lra.
Qed.

Lemma nearest v : 0 <= v -> exists k, Rabs (v - INR k) <= 1 / 2.
Proof.
intros H. destruct (nfloor_ex (v + 1 / 2)) as (k & A & B); [lra|]. exists k. split_Rabs; lra.
Qed.

Lemma geometric n : sum_to n (fun k => exp (- (INR k / 2))) * (1 - exp (- (1 / 2))) = 1 - exp (- (INR n / 2)).
Proof.
induction n as [|n IH]; [replace (INR 0 / 2) with 0 by (simpl; field); rewrite Ropp_0, exp_0; simpl; ring|].
simpl sum_to. rewrite Rmult_plus_distr_r, IH, S_INR.
replace (- ((INR n + 1) / 2)) with (- (INR n / 2) + - (1 / 2)) by field. rewrite exp_plus. ring.
Qed.

Section Excess.
Variables (W : sample_space) (P : probability_measure W).

(* Its exponential moments are those of a normal variable with the variance 1/4 at most, and it is bounded from above. *)
Definition small_excess (V : W -> R) := random_variable V /\ (exists top, forall w, V w <= top) /\
  forall t, 0 <= t -> has_mean P (fun w => exp (t * V w)) /\ mean P (fun w => exp (t * V w)) <= exp (t * t / 8).

Definition part (V : W -> R) (w : W) := Rmax (V w) 0.

Lemma part_variable V : random_variable V -> random_variable (part V).
Proof.
intros H. apply (variable_continuous W (fun x => Rmax x 0)); [|exact H]. intros x.
apply (continuous_ext (fun x => (x + Rabs x) * / 2)).
- intros y. unfold Rmax. destruct (Rle_dec y 0); split_Rabs; lra.
- apply (continuous_mult (K := R_AbsRing) (fun x => x + Rabs x) (fun _ => / 2)); [|apply continuous_const].
  apply (continuous_plus (V := R_NormedModule) (fun x => x)); [apply continuous_id|apply continuous_Rabs].
Qed.

Lemma square_below N v : v <= INR N -> exp (Rmax v 0 * Rmax v 0) <=
  exp (1 / 4) * sum_to (S N) (fun k => exp (- (INR k * INR k)) * exp (2 * INR k * v)).
Proof.
intros L. destruct (nearest (Rmax v 0)) as (k & K); [apply Rmax_r|].
assert (N0 := pos_INR N). assert (kN : (k < S N)%nat).
{ apply INR_lt. rewrite S_INR. unfold Rmax in K. destruct (Rle_dec v 0); split_Rabs; lra. }
apply Rle_trans with (exp (1 / 4) * (exp (- (INR k * INR k)) * exp (2 * INR k * v))).
- rewrite <- !exp_plus. apply exp_le. assert (k0 := pos_INR k). unfold Rmax in *. destruct (Rle_dec v 0) as [V0|V0].
  + assert (Z : INR k = 0).
    { destruct k as [|k]; [reflexivity|]. exfalso. rewrite S_INR in K. generalize (pos_INR k). split_Rabs; lra. }
    rewrite Z. lra.
  + assert ((v - INR k) * (v - INR k) <= 1 / 4) by (split_Rabs; nra). lra.
- apply Rmult_le_compat_l; [left; apply exp_pos|].
  apply (sum_to_term (S N) (fun k => exp (- (INR k * INR k)) * exp (2 * INR k * v))); [|exact kN].
  intros i _. apply Rmult_le_pos; left; apply exp_pos.
Qed.

Lemma square_moment V : small_excess V -> has_mean P (fun w => exp (part V w * part V w)) /\
  mean P (fun w => exp (part V w * part V w)) <= 327 / 100.
Proof.
intros (M & (top & T) & H).
destruct (nfloor_ex (Rabs top)) as (N & _ & B); [apply Rabs_pos|].
assert (L : forall w, V w <= INR (S N)) by (intros w; rewrite S_INR; specialize (T w); split_Rabs; lra). clear B.
set (X := fun k w => exp (- (INR k * INR k)) * exp (2 * INR k * V w)).
assert (H' : forall k, has_mean P (X k) /\ mean P (X k) <= exp (- (INR k / 2))).
{ intros k. assert (k0 := pos_INR k). destruct (H (2 * INR k)) as [F B]; [lra|]. unfold X.
  split; [now apply has_mean_scaled|]. rewrite mean_scaled by exact F.
  apply Rle_trans with (exp (- (INR k * INR k)) * exp (2 * INR k * (2 * INR k) / 8)).
  - apply Rmult_le_compat_l; [left; apply exp_pos|exact B].
  - rewrite <- exp_plus. apply exp_le. destruct k as [|k]; [simpl; lra|]. rewrite S_INR in *. generalize (pos_INR k). nra. }
destruct (mean_sum W P X (S (S N))) as [F E]; [intros k _; apply H'|].
assert (Mv : random_variable (fun w => exp (part V w * part V w))).
{ apply (variable_same W (fun w => exp (1 * (part V w * part V w)))); [intros w; now rewrite Rmult_1_l|].
  apply (variable_continuous W (fun x => exp (1 * x))); [intros; apply exp_continuous|].
  apply variable_times; now apply part_variable. }
assert (G : has_mean P (fun w => exp (part V w * part V w))).
{ apply has_mean_below with (g := fun w => exp (1 / 4) * sum_to (S (S N)) (fun k => X k w)); [exact Mv|now apply has_mean_scaled|].
  intros w. rewrite Rabs_right by (left; apply exp_pos). now apply square_below. }
split; [exact G|].
apply Rle_trans with (exp (1 / 4) * sum_to (S (S N)) (fun k => mean P (X k))).
{ rewrite <- E, <- mean_scaled by exact F. apply mean_le; [exact G|now apply has_mean_scaled|].
  intros w. now apply square_below. }
assert (Q : sum_to (S (S N)) (fun k => mean P (X k)) <= / (1 - exp (- (1 / 2)))).
{ apply Rle_trans with (sum_to (S (S N)) (fun k => exp (- (INR k / 2)))); [apply sum_to_le; intros; apply H'|].
  assert (D : 0 < 1 - exp (- (1 / 2))) by interval with (i_prec 60). apply Rmult_le_reg_r with (1 - exp (- (1 / 2))); [exact D|].
  rewrite geometric, Rinv_l by lra. generalize (exp_pos (- (INR (S (S N)) / 2))). lra. }
apply Rle_trans with (exp (1 / 4) * / (1 - exp (- (1 / 2)))); [apply Rmult_le_compat_l; [left; apply exp_pos|exact Q]|].
interval with (i_prec 60).
Qed.

(* z is not above 0, or its square is at most that of a small excess and a. *)
Definition below_excess (V z : W -> R) (a : R) := forall w, z w <= 0 \/ z w * z w <= a + part V w * part V w.

Lemma mean_from_above (f : W -> R) V b c : small_excess V -> random_variable f -> (forall w, 0 <= f w) -> 0 <= c ->
  (forall w, f w <= b + c * exp (part V w * part V w)) -> has_mean P f /\ mean P f <= b + c * (327 / 100).
Proof.
intros H M Pos C Le. destruct (square_moment V H) as [F B].
assert (G : has_mean P (fun w => c * exp (part V w * part V w) + b)) by now apply has_mean_affine.
assert (Hf : has_mean P f).
{ apply has_mean_below with (2 := G); [exact M|]. intros w. specialize (Le w). rewrite Rabs_right by (apply Rle_ge, Pos). lra. }
split; [exact Hf|]. apply Rle_trans with (c * mean P (fun w => exp (part V w * part V w)) + b).
- rewrite <- mean_affine by exact F. apply mean_le; [exact Hf|exact G|]. intros w. specialize (Le w). lra.
- assert (c * mean P (fun w => exp (part V w * part V w)) <= c * (327 / 100)) by now apply Rmult_le_compat_l. lra.
Qed.

Lemma inverse_variable (z : W -> R) : random_variable z -> random_variable (fun w => / Phi (- z w)).
Proof. apply (variable_continuous W (fun x => / Phi (- x))). apply inverse_continuous. Qed.

Lemma inverse_positive (z : W -> R) w : 0 <= / Phi (- z w).
Proof. left. apply Rinv_0_lt_compat, Phi_inside. Qed.

Theorem inverse_mean V (z : W -> R) a : small_excess V -> random_variable z -> 0 <= a -> below_excess V z a ->
  has_mean P (fun w => / Phi (- z w)) /\ mean P (fun w => / Phi (- z w)) <= 302 / 100 * exp a * (327 / 100).
Proof.
intros H M A Le. assert (C : 0 <= 302 / 100 * exp a) by (generalize (exp_pos a); lra).
destruct (mean_from_above _ V 0 (302 / 100 * exp a) H (inverse_variable z M) (inverse_positive z) C) as [F B]; [|split; [exact F|lra]].
intros w. rewrite Rplus_0_l, Rmult_assoc, <- exp_plus. set (q := part V w * part V w).
assert (Q : 0 <= q) by (unfold q; nra). assert (One : 1 <= exp (a + q)) by (rewrite <- exp_0; apply exp_le; lra).
destruct (Rle_lt_dec (z w) 0) as [N|N]; [generalize (not_above (z w) N); lra|].
destruct (Le w) as [L|L]; [lra|]. fold q in L. apply Rle_trans with (1 := inverse_tail (z w) ltac:(lra)).
apply Rmult_le_compat_l; [lra|]. now apply exp_le.
Qed.

(* Where z is s + r smaller. *)
Theorem inverse_mean_far V (Z z : W -> R) a s r : small_excess V -> random_variable Z -> 0 <= s -> 0 <= r ->
  below_excess V Z a -> (forall w, z w = Z w - (s + r)) -> has_mean P (fun w => / Phi (- z w)) /\
  mean P (fun w => / Phi (- z w)) - 1 <=
    exp (- (r * r) / 2) + (exp (a - s * s) + 302 / 100 * exp (a - (s + r) * (s + r))) * (327 / 100).
Proof.
intros H M S0 R0 Le E. set (e := exp (a - s * s)). set (d := exp (a - (s + r) * (s + r))).
assert (e0 : 0 < e) by apply exp_pos. assert (d0 : 0 < d) by apply exp_pos.
assert (Mz : random_variable z).
{ apply (variable_same W (fun w => Z w - (s + r))); [intros w; now rewrite E|]. apply variable_minus; [exact M|apply variable_const]. }
destruct (mean_from_above _ V (1 + exp (- (r * r) / 2)) (e + 302 / 100 * d) H (inverse_variable z Mz) (inverse_positive z) ltac:(lra))
  as [F B]; [|split; [exact F|lra]].
intros w. set (q := part V w * part V w). assert (T := exp_pos (- (r * r) / 2)). assert (G := exp_pos q).
assert (Ee : e * exp q = exp (a + q - s * s)) by (unfold e; rewrite <- exp_plus; f_equal; ring).
assert (Ed : d * exp q = exp (a + q - (s + r) * (s + r))) by (unfold d; rewrite <- exp_plus; f_equal; ring).
replace ((e + 302 / 100 * d) * exp q) with (e * exp q + 302 / 100 * (d * exp q)) by ring.
assert (P1 : 0 < e * exp q) by nra. assert (P2 : 0 < d * exp q) by nra.
destruct (Rle_lt_dec (Z w) s) as [A|A].
- (* z is at most -r *)
  assert (I := Phi_inside (- z w)). assert (Hr := half_tail r R0). assert (Ir := Phi_inside r).
  assert (Mo : Phi r <= Phi (- z w)) by (apply Phi_le; rewrite E; lra).
  assert (Half : / Phi r <= 2) by (generalize (not_above (- r)); rewrite Ropp_involutive; intros X; apply X; lra).
  apply Rle_trans with (/ Phi r); [apply Rinv_le_contravar; lra|].
  assert (Q : / Phi r = 1 + / Phi r * Phi (- r)) by (rewrite Phi_opp; field; lra).
  assert (0 < / Phi r) by (apply Rinv_0_lt_compat; lra). generalize (Phi_inside (- r)). intros. nra.
- destruct (Le w) as [L|L]; [lra|]. fold q in L. destruct (Rle_lt_dec (Z w) (s + r)) as [C|C].
  + assert (U := not_above (z w) ltac:(rewrite E; lra)).
    assert (1 <= e * exp q); [|lra]. rewrite Ee, <- exp_0. apply exp_le. nra.
  + assert (U := inverse_tail (z w) ltac:(rewrite E; lra)).
    assert (exp (z w * z w) <= d * exp q); [|lra]. rewrite Ed. apply exp_le. rewrite E. nra.
Qed.
End Excess.
Arguments small_excess {W}.
Arguments below_excess {W}.

(* n independent rewards with the expectation mu fall short of n mu. *)
Section Rewards.
Variables (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (n : nat) (mu : R).
Hypotheses (some : (1 <= n)%nat) (free : independent P X n) (measurable : forall i, (i < n)%nat -> random_variable (X i))
  (inside : forall i w, (i < n)%nat -> 0 <= X i w <= 1) (means : forall i, (i < n)%nat -> mean P (X i) = mu).

Definition shortfall (w : W) := (INR n * mu - sum_to n (fun i => X i w)) / sqrt (INR n).

Lemma shortfall_small : small_excess P shortfall.
Proof.
assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (r0 : 0 < sqrt (INR n)) by now apply sqrt_lt_R0.
assert (Sm : random_variable (fun w => sum_to n (fun i => X i w))) by now apply variable_sum.
split; [|split].
- apply (variable_same W (fun w => / sqrt (INR n) * (INR n * mu - sum_to n (fun i => X i w)))); [intros w; apply Rmult_comm|].
  apply variable_scaled, variable_minus; [apply variable_const|exact Sm].
- exists (INR n * Rabs mu / sqrt (INR n)). intros w. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  assert (0 <= sum_to n (fun i => X i w)).
  { rewrite <- (Rmult_0_r (INR n)), <- (sum_to_const n 0). apply sum_to_le. intros i L. now apply inside. }
  assert (INR n * mu <= INR n * Rabs mu) by (apply Rmult_le_compat_l; [lra|apply Rle_abs]). lra.
- intros t T. set (lam := t / sqrt (INR n)). assert (L : 0 <= lam) by now apply Rle_mult_inv_pos.
  destruct (moment_of_sum W P X n (fun _ => - lam) (fun _ => - lam * mu + lam * lam / 8) free) as [F B].
  { intros i I. split; [apply (bounded_exp W P (X i) 0 1); auto|].
    assert (Mi : random_variable (fun w => - 1 * X i w)) by now apply variable_scaled, measurable.
    assert (H := hoeffding_moment W P (fun w => - 1 * X i w) (- 1) 0 lam L Mi).
    assert (Fi : has_mean P (X i)) by (apply (bounded_has_mean W P (X i) 0 1); auto).
    rewrite mean_scaled, means in H by auto.
    rewrite (mean_same W P _ (fun w => exp (lam * (- 1 * X i w)))) by (intros w; f_equal; ring).
    apply Rle_trans with (1 := H ltac:(intros w; specialize (inside i w I); lra)). apply exp_le. lra. }
  rewrite sum_to_const in B.
  assert (Same : forall w, exp (t * shortfall w) = exp (lam * (INR n * mu)) * exp (sum_to n (fun i => - lam * X i w))).
  { intros w. rewrite <- exp_plus, sum_to_scaled. f_equal. unfold shortfall, lam. field. lra. }
  split.
  + apply (has_mean_same W P (fun w => exp (lam * (INR n * mu)) * exp (sum_to n (fun i => - lam * X i w)))); [now intros w|].
    now apply has_mean_scaled.
  + rewrite (mean_same W P _ _ Same), mean_scaled by exact F.
    apply Rle_trans with (exp (lam * (INR n * mu)) * exp (INR n * (- lam * mu + lam * lam / 8))).
    * apply Rmult_le_compat_l; [left; apply exp_pos|exact B].
    * rewrite <- exp_plus. apply exp_le. right.
      replace (t * t / 8) with (INR n * (lam * lam) / 8); [field|]. unfold lam.
      replace (t / sqrt (INR n) * (t / sqrt (INR n))) with (t * t / (sqrt (INR n) * sqrt (INR n))) by (field; lra).
      rewrite sqrt_sqrt by lra. field. lra.
Qed.
End Rewards.
