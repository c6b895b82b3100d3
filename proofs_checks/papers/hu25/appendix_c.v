(* Lemma C.1: the expectation of 1/P{theta_{1,s} > z | mu-hat_{1,s}} - 1, for z = mu_1 and z = mu_1 - Delta_i/2. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments normal half_planes expectation concentration inverse_tails satisfiable.
Open Scope R_scope.

(* The standard deviation of a sample around the mean of s rewards: the variance is ln^alpha(T)/s. *)
Definition deviation (alpha T : R) (s : nat) : R := sqrt (Rpower (ln T) alpha / INR s).
(* The probability that a normal sample with this mean and standard deviation is above z. *)
Definition sample_above (mean deviation z : R) : R := Phi ((mean - z) / deviation).
Definition average {W : sample_space} (X : nat -> W -> R) (s : nat) (w : W) : R := sum_to s (fun i => X i w) / INR s.
(* 1/P{theta > z | mu-hat} - 1 as a function of the rewards. *)
Definition inverse_excess {W : sample_space} (X : nat -> W -> R) (alpha T : R) (s : nat) (z : R) (w : W) : R :=
  / sample_above (average X s w) (deviation alpha T s) z - 1.

Lemma spread_positive alpha T : 1 <= ln T -> 0 <= alpha -> 1 <= Rpower (ln T) alpha.
Proof.
intros L A. rewrite <- (Rpower_O (ln T)) by lra. apply Rle_Rpower; lra.
Qed.

Section Rewards.
Variables (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (s : nat) (mu alpha T : R).
Hypotheses (some : (1 <= s)%nat) (late : 1 <= ln T) (power : 0 <= alpha) (free : independent P X s)
  (measurable : forall i, (i < s)%nat -> random_variable (X i))
  (inside : forall i w, (i < s)%nat -> 0 <= X i w <= 1) (means : forall i, (i < s)%nat -> mean P (X i) = mu).

Let spread := sqrt (Rpower (ln T) alpha).
Let V := shortfall W X s mu.
Let Z w := V w / spread.

Lemma spread_at_least_1 : 1 <= spread.
Proof. rewrite <- sqrt_1. apply sqrt_le_1_alt. now apply spread_positive. Qed.

Lemma deviation_is : deviation alpha T s = spread / sqrt (INR s).
Proof.
assert (s0 : 0 < INR s) by (apply lt_0_INR; lia). unfold deviation, spread. apply sqrt_div; [|exact s0].
generalize (spread_positive alpha T late power). lra.
Qed.

Lemma inverse_is d w : inverse_excess X alpha T s (mu - d) w = / Phi (- (Z w - d * sqrt (INR s) / spread)) + - 1.
Proof.
assert (s0 : 0 < INR s) by (apply lt_0_INR; lia). assert (r0 : 0 < sqrt (INR s)) by now apply sqrt_lt_R0.
assert (A := spread_at_least_1). unfold inverse_excess, sample_above. rewrite deviation_is. unfold Rminus at 1. do 3 f_equal.
unfold Z, V, shortfall, average. set (r := sqrt (INR s)) in *. replace (INR s) with (r * r) by (apply sqrt_sqrt; lra).
field. lra.
Qed.

Lemma Z_variable : random_variable Z.
Proof.
apply (variable_same W (fun w => / spread * V w)); [intros w; apply Rmult_comm|]. apply variable_scaled.
exact (proj1 (shortfall_small W P X s mu some free measurable inside means)).
Qed.

Lemma Z_below : below_excess V Z 0.
Proof.
intros w. assert (A := spread_at_least_1). assert (I : 0 < / spread <= 1).
{ split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
unfold Z, Rdiv, part, Rmax. destruct (Rle_dec (V w) 0) as [N|N]; [left; nra|right].
assert (0 <= V w * / spread <= V w) by (split; nra). nra.
Qed.
End Rewards.

Theorem lemma_c_1_first (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (s : nat) mu alpha T :
  (1 <= s)%nat -> 3 <= T -> 0 <= alpha <= 1 -> independent P X s -> (forall i, (i < s)%nat -> random_variable (X i)) ->
  (forall i w, (i < s)%nat -> 0 <= X i w <= 1) -> (forall i, (i < s)%nat -> mean P (X i) = mu) ->
  has_mean P (inverse_excess X alpha T s mu) /\ mean P (inverse_excess X alpha T s mu) <= 1234 / 100.
Proof.
intros S1 T3 [A _] I M B E.
assert (L : 1 <= ln T).
{ apply Rle_trans with (ln 3); [interval with (i_prec 60)|]. destruct (Req_dec 3 T) as [<-|N]; [lra|]. left. apply ln_increasing; lra. }
destruct (inverse_mean W P _ _ 0 (shortfall_small W P X s mu S1 I M B E) (Z_variable W P X s mu alpha T S1 I M B E) (Rle_refl 0)
  (Z_below W X s mu alpha T L A)) as [F Le].
set (f := fun w => / Phi (- _)) in F, Le.
assert (Same : forall w, f w + - 1 = inverse_excess X alpha T s mu w).
{ intros w. replace mu with (mu - 0) at 1 by ring. rewrite (inverse_is W X s mu alpha T S1 L A).
  unfold f. do 4 f_equal. unfold Rdiv. ring. }
assert (F' : has_mean P (fun w => 1 * f w + - 1)) by now apply has_mean_affine.
assert (Same' : forall w, 1 * f w + - 1 = inverse_excess X alpha T s mu w) by (intros w; rewrite <- Same; ring).
split; [now apply (has_mean_same W P _ _ Same')|].
rewrite <- (mean_same W P _ _ Same'), mean_affine by exact F. rewrite exp_0 in Le. lra.
Qed.

Theorem lemma_c_1_second (W : sample_space) (P : probability_measure W) (X : nat -> W -> R) (s : nat) mu alpha T gap :
  0 < gap <= 1 -> exp 1 < T * gap ^ 2 -> 0 <= alpha <= 1 ->
  4 * (1 + sqrt 2) ^ 2 * ln (T * gap ^ 2) * Rpower (ln T) alpha / gap ^ 2 <= INR s ->
  independent P X s -> (forall i, (i < s)%nat -> random_variable (X i)) ->
  (forall i w, (i < s)%nat -> 0 <= X i w <= 1) -> (forall i, (i < s)%nat -> mean P (X i) = mu) ->
  has_mean P (inverse_excess X alpha T s (mu - gap / 2)) /\
  mean P (inverse_excess X alpha T s (mu - gap / 2)) <= 72 / (T * gap ^ 2).
Proof.
intros G Y [A _] S1 I M B E. set (y := T * gap ^ 2) in *. assert (e0 := exp_pos 1).
assert (g2 : 0 < gap ^ 2 <= 1) by (split; nra). assert (yT : y <= T) by (unfold y in *; nra).
assert (v1 : 1 < ln y) by (rewrite <- (ln_exp 1); apply ln_increasing; lra).
assert (L : 1 <= ln T).
{ left. apply Rlt_le_trans with (1 := v1). destruct (Req_dec y T) as [->|N]; [lra|]. left. apply ln_increasing; lra. }
assert (Sp := spread_positive alpha T L A). assert (r2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
assert (r1 : 1 < sqrt 2 < 2) by (split; interval with (i_prec 60)).
set (q := 4 * (1 + sqrt 2) ^ 2 * ln y) in *. assert (q0 : 0 < q) by (unfold q; nra).
assert (K : q * Rpower (ln T) alpha <= INR s * gap ^ 2).
{ apply (Rmult_le_compat_r (gap ^ 2)) in S1; [|lra]. unfold Rdiv in S1. rewrite Rmult_assoc, Rinv_l in S1 by lra. lra. }
assert (s0 : 0 < INR s) by nra. assert (S2 : (1 <= s)%nat) by (apply (INR_lt 0) in s0; lia).
set (spread := sqrt (Rpower (ln T) alpha)).
assert (sp : 1 <= spread) by (rewrite <- sqrt_1; now apply sqrt_le_1_alt).
assert (sp2 : spread * spread = Rpower (ln T) alpha) by (apply sqrt_sqrt; lra).
set (k := gap * sqrt (INR s) / spread).
assert (k0 : 0 < k) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [lra|now apply sqrt_lt_R0]|lra]).
assert (k2 : q <= k * k).
{ unfold k. replace (gap * sqrt (INR s) / spread * (gap * sqrt (INR s) / spread)) with
    (gap ^ 2 * (sqrt (INR s) * sqrt (INR s)) / (spread * spread)) by (field; lra).
  rewrite sp2, sqrt_sqrt by lra. apply Rmult_le_reg_r with (Rpower (ln T) alpha); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
set (a := (sqrt 2 - 1) / 2 * k). set (r := (2 - sqrt 2) / 2 * k).
assert (a0 : 0 <= a) by (unfold a; nra). assert (r0 : 0 <= r) by (unfold r; nra).
destruct (inverse_mean_far W P _ _ (fun w => shortfall W X s mu w / spread - (a + r)) 0 a r
  (shortfall_small W P X s mu S2 I M B E) (Z_variable W P X s mu alpha T S2 I M B E) a0 r0 (Z_below W X s mu alpha T L A))
  as [F Le]; [intros w; reflexivity|].
set (f := fun w => / Phi (- _)) in F, Le.
assert (Same : forall w, 1 * f w + - 1 = inverse_excess X alpha T s (mu - gap / 2) w).
{ intros w. rewrite (inverse_is W X s mu alpha T S2 L A), Rmult_1_l. unfold f. fold spread. do 4 f_equal.
  unfold a, r, k. field. lra. }
assert (F' : has_mean P (fun w => 1 * f w + - 1)) by now apply has_mean_affine.
split; [now apply (has_mean_same W P _ _ Same)|].
rewrite <- (mean_same W P _ _ Same), mean_affine by exact F.
assert (Inv : forall x, ln y <= x -> exp (- x) <= / y).
{ intros x H. rewrite <- (exp_ln y) at 1 by lra. rewrite <- exp_Ropp. apply exp_le. lra. }
assert (Q1 : ln y <= r * r / 2).
{ replace (r * r / 2) with ((2 - sqrt 2) ^ 2 / 8 * (k * k)) by (unfold r; field).
  apply Rle_trans with ((2 - sqrt 2) ^ 2 / 8 * q); [|apply Rmult_le_compat_l; [nra|exact k2]].
  unfold q. replace ((2 - sqrt 2) ^ 2 / 8 * (4 * (1 + sqrt 2) ^ 2 * ln y)) with
    (((2 - sqrt 2) * (1 + sqrt 2)) ^ 2 / 2 * ln y) by field.
  replace ((2 - sqrt 2) * (1 + sqrt 2)) with (sqrt 2 + (2 - sqrt 2 * sqrt 2)) by ring. rewrite r2. right.
  replace ((sqrt 2 + (2 - 2)) ^ 2) with (sqrt 2 * sqrt 2) by ring. rewrite r2. field. }
assert (Q2 : ln y <= a * a).
{ replace (a * a) with ((sqrt 2 - 1) ^ 2 / 4 * (k * k)) by (unfold a; field).
  apply Rle_trans with ((sqrt 2 - 1) ^ 2 / 4 * q); [|apply Rmult_le_compat_l; [nra|exact k2]].
  unfold q. replace ((sqrt 2 - 1) ^ 2 / 4 * (4 * (1 + sqrt 2) ^ 2 * ln y)) with
    ((sqrt 2 * sqrt 2 - 1) ^ 2 * ln y) by field. rewrite r2. lra. }
assert (E1 := Inv _ Q1). assert (E2 := Inv _ Q2).
assert (E3 : exp (0 - (a + r) * (a + r)) <= / y) by (replace (0 - (a + r) * (a + r)) with (- ((a + r) * (a + r))) by ring; apply Inv; nra).
replace (- (r * r) / 2) with (- (r * r / 2)) in Le by field. replace (0 - a * a) with (- (a * a)) in Le by ring.
assert (yi : 0 < / y) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. lra.
Qed.

(* A reward of 1/2 with certainty; in the second lemma a gap of 1, T = 9 and 100 rewards. *)
Lemma halves_independent s : independent fair (fun _ _ => 1 / 2) s.
Proof.
intros h _ _. split; [exact I|]. rewrite (mean_const two_tosses fair). apply product_to_same. intros i _.
now rewrite (mean_const two_tosses fair).
Qed.

Lemma lemma_c_1_first_witness : satisfiable lemma_c_1_first.
Proof.
exists two_tosses, fair, (toss 1 0), 2%nat, (1 / 2), 1, 3. split; [lia|]. split; [lra|]. split; [lra|].
split; [apply tosses_independent|]. split; [intros; exact I|]. split; [intros i w _; apply toss_inside; lra|].
intros i _. rewrite toss_mean. field.
Qed.

Lemma lemma_c_1_second_witness : satisfiable lemma_c_1_second.
Proof.
exists two_tosses, fair, (fun _ _ => 1 / 2), 100%nat, (1 / 2), 0, 9, 1. split; [lra|]. split; [interval with (i_prec 60)|]. split; [lra|].
split; [|split; [apply halves_independent|split; [intros; exact I|split; [intros; lra|intros; simpl; field]]]].
rewrite Rpower_O by interval with (i_prec 60). replace (INR 100) with 100 by (simpl; ring). interval with (i_prec 60).
Qed.
