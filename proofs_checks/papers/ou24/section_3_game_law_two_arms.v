(* The law in T of two arms, theorem-3/law/two-arms and law/two-arms/every-T: from samples that are drawn to a number, for
   every T. The static potential, with prices of a round and of pulls in closed form, and their sum. *)
From Coq Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins rewards thompson thompson_samples drawn_thompson.
From Dpbandits Require Import two_arms_coins witnesses drawn_witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_game_law.
Import ListNotations.
Open Scope R_scope.

(** * The prices *)
Section Prices.
Variables (lam : R) (T M : nat).
Hypotheses (lam_range : 0 < lam <= 1 / 5) (T_positive : (1 <= T)%nat).

(* Twice the largest ln(1/p) of a pull that is not so rare that the price of the round pays for it. *)
Definition not_rare := 2 * ln (11 / 3 * INR T).

(* Over lam, what a pull costs in a round after n of them: flat at first, and from the M-th on like ln(T/N)/N. *)
Definition pull_price (n : nat) : R := let N := INR n + 1 in
  if (n <=? 5)%nat then 27 / 4 else if (n <? M)%nat then 7 / 4 + 15 / 4 / N
  else ((1 + lam + 4 / 3 * sqrt (not_rare / N)) * Rmax 0 (ln (INR T / N)) + 15 / 4) / N.
Definition closed_numbers := Build_numbers lam (/ INR T) (fun n => lam * pull_price n).

Lemma T_real : 1 <= INR T.
Proof. apply le_INR in T_positive. exact T_positive. Qed.

Lemma pull_price_positive n : 0 <= pull_price n.
Proof.
unfold pull_price. assert (N := pos_INR n). destruct (n <=? 5)%nat; [lra|].
assert (0 < / (INR n + 1)) by (apply Rinv_0_lt_compat; lra). destruct (n <? M)%nat; [unfold Rdiv; lra|].
apply Rmult_le_pos; [|lra]. assert (S := sqrt_pos (not_rare / (INR n + 1))). assert (R0 := Rmax_l 0 (ln (INR T / (INR n + 1)))).
assert (0 <= (1 + lam + 4 / 3 * sqrt (not_rare / (INR n + 1))) * Rmax 0 (ln (INR T / (INR n + 1)))); [|lra].
apply Rmult_le_pos; lra.
Qed.

Hypothesis M_enough : not_rare <= INR M.

(* For any variance from 1 on: the coins of larger variances are among those of 1. *)
Lemma closed_pays variance rises least most : 1 <= variance -> (1 <= least)%nat -> (most <= T)%nat ->
  pays_between (round_coin variance T) rises least most closed_numbers.
Proof.
intros Var From_ To_. assert (T1 := T_real). assert (C0 : 0 < / INR T) by (apply Rinv_0_lt_compat; lra).
split; [simpl; lra|]. split; [simpl; lra|]. split; [intros n; apply Rmult_le_pos; [lra|apply pull_price_positive]|].
intros n p q [Least' Most'] Coin. assert (Least : (1 <= n)%nat) by lia. assert (Most : (n < T)%nat) by lia.
destruct (round_coin_shifted variance ltac:(lra) T n p q Coin) as (s & x & Hs & Hx & _ & -> & ->). set (N := INR n + 1). assert (Hn := le_INR _ _ Least). change (INR 1) with 1 in Hn.
assert (N2 : 2 <= N) by (unfold N; lra). assert (Nt : N <= INR T) by (unfold N; rewrite <- S_INR; now apply le_INR).
assert (Shift : s <= / sqrt N).
{ apply Rle_trans with (1 := proj2 Hs). unfold shift. fold N. apply Rinv_le_contravar; [apply sqrt_lt_R0; lra|].
  apply sqrt_le_1_alt. nra. }
assert (Reach : x <= sqrt N).
{ destruct Hx as [Hx _]. unfold reach in Hx. fold N in Hx. assert (sqrt (N / variance) <= sqrt N); [|lra].
  apply sqrt_le_1_alt. apply Rmult_le_reg_r with variance; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
assert (Both : pays_totals lam (/ INR T) s x (lam * pull_price n)).
{ unfold pull_price. fold N. destruct (Nat.leb_spec n 5) as [A|A].
  - apply (early_paid lam N); try lra. apply le_INR in A. simpl in A. unfold N. lra.
  - assert (N7 : 7 <= N) by (apply le_INR in A; simpl in A; unfold N; lra). destruct (Nat.ltb_spec n M) as [B|B].
    + apply (middle_paid lam N); lra.
    + assert (Mn : INR M <= N) by (apply le_INR in B; unfold N; lra).
      assert (R0 : 0 <= not_rare).
      { unfold not_rare. assert (0 < ln (11 / 3 * INR T)); [|lra]. rewrite <- ln_1. apply ln_increasing; lra. }
      assert (Ratio : 0 <= not_rare / N <= 1).
      { split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with N; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      assert (L0 : 0 <= ln (INR T / N)).
      { rewrite <- ln_1. assert (1 <= INR T / N) by (apply Rmult_le_reg_r with N; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
        destruct H as [G|<-]; [left; apply ln_increasing; lra|lra]. }
      apply (late_paid lam N _ s x) with (Y := sqrt (not_rare / N)); try lra.
      * apply Rmult_le_reg_l with (INR T); [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
      * split; [apply sqrt_pos|]. rewrite <- sqrt_1. apply sqrt_le_1_alt. lra.
      * rewrite sqrt_sqrt by lra. right. unfold not_rare. replace (11 / 3 / / INR T) with (11 / 3 * INR T) by (field; lra). field; lra.
      * right. rewrite Rmax_right by exact L0. do 5 f_equal. field. lra. }
destruct Both as [Right Left]. assert (E := exp_ineq1_le (lam * / INR T)). cbn [order c b closed_numbers]. destruct rises; lra.
Qed.
End Prices.

(** * Their sum *)
Lemma added_below f F n k : (forall m, (n <= m < n + k)%nat -> f m <= F (S m) - F m) -> added f n k <= F (n + k)%nat - F n.
Proof.
revert n. induction k as [|k IH]; intros n H; simpl; [rewrite Nat.add_0_r; lra|].
assert (A := H n ltac:(lia)). assert (B : added f (S n) k <= F (S n + k)%nat - F (S n)) by (apply IH; intros m Hm; apply H; lia).
replace (n + S k)%nat with (S n + k)%nat by lia. lra.
Qed.

Lemma added_apart f n j k : added f n (j + k) = added f n j + added f (n + j) k.
Proof.
revert n. induction j as [|j IH]; intros n; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IH.
replace (S n + j)%nat with (n + S j)%nat by lia. ring.
Qed.

Lemma added_scaled a f n k : added (fun m => a * f m) n k = a * added f n k.
Proof. revert n. induction k as [|k IH]; intros n; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma ln_step m : 0 < m -> / (m + 1) <= ln (m + 1) - ln m.
Proof.
intros H. assert (X := exp_ineq1_le (ln m - ln (m + 1))). unfold Rminus in X. rewrite exp_plus, exp_Ropp, !exp_ln in X by lra.
replace (m * / (m + 1)) with (1 - / (m + 1)) in X by (field; lra). lra.
Qed.

Lemma root_step m : 0 < m -> / (m + 1) * / sqrt (m + 1) <= 2 * (/ sqrt m - / sqrt (m + 1)).
Proof.
intros H. set (r := sqrt m). set (t := sqrt (m + 1)). assert (R0 : 0 < r) by (apply sqrt_lt_R0; lra).
assert (Rt : r <= t) by (apply sqrt_le_1_alt; lra). assert (R2 : r * r = m) by (apply sqrt_sqrt; lra).
assert (T2 : t * t = m + 1) by (apply sqrt_sqrt; lra). rewrite <- T2.
apply Rmult_le_reg_r with (t * t * t * r); [repeat apply Rmult_lt_0_compat; lra|].
replace (/ (t * t) * / t * (t * t * t * r)) with r by (field; lra).
replace (2 * (/ r - / t) * (t * t * t * r)) with (2 * (t * t * (t - r))) by (field; lra).
assert (D : (t - r) * (t + r) = 1) by lra. assert ((t - r) * (2 * t) >= 1) by nra.
assert (t * ((t - r) * (2 * t)) >= t * 1) by nra. lra.
Qed.

Lemma added_fewer f n k m : (forall j, 0 <= f j) -> (1 <= n)%nat -> (n + k <= m)%nat -> added f n k <= added f 1 (m - 1).
Proof.
intros F Hn Hm. replace (m - 1)%nat with ((n - 1) + (k + (m - n - k)))%nat by lia. rewrite !added_apart.
replace (1 + (n - 1))%nat with n by lia.
generalize (added_positive f 1 (n - 1) F) (added_positive f (n + k) (m - n - k) F). lra.
Qed.

Section Sum.
Variables (lam : R) (T M : nat).
Hypotheses (lam_range : 0 < lam <= 1 / 5) (M_range : (7 <= M <= T)%nat) (M_enough : not_rare T <= INR M).
Notation price := (pull_price lam T M).
Notation l := (ln (INR T / INR M)).

Lemma early_sum : added price 1 5 = 135 / 4.
Proof. unfold added, pull_price. simpl Nat.leb. cbv iota. field. Qed.

Lemma middle_sum : added price 6 (M - 6) <= 7 / 4 * (INR M - 6) + 15 / 4 * (ln (INR M) - ln 6).
Proof.
set (F := fun m : nat => 7 / 4 * INR m + 15 / 4 * ln (INR m)).
apply Rle_trans with (F (6 + (M - 6))%nat - F 6%nat).
- apply added_below. intros m Hm. assert (H6 : 6 <= INR m) by (replace 6 with (INR 6) by (simpl; ring); apply le_INR; lia).
  unfold pull_price. destruct (Nat.leb_spec m 5) as [A|_]; [lia|]. destruct (Nat.ltb_spec m M) as [_|A]; [|lia].
  unfold F. rewrite S_INR. assert (S := ln_step (INR m) ltac:(lra)). unfold Rdiv at 3. lra.
- replace (6 + (M - 6))%nat with M by lia. unfold F. replace (INR 6) with 6 by (simpl; ring). right. ring.
Qed.

Lemma late_sum : added price M (T - M) <= 15 / 4 * (ln (INR T) - ln (INR M)) + (1 + lam) / 2 * (l * l) + 8 / 3 * l.
Proof.
assert (M7 : 7 <= INR M) by (replace 7 with (INR 7) by (simpl; ring); apply le_INR; lia).
assert (MT : INR M <= INR T) by (apply le_INR; lia).
assert (Ln : forall u, 0 < u -> ln (INR T / u) = ln (INR T) - ln u).
{ intros u U. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring. }
assert (Lw := Ln (INR M) ltac:(lra)). set (w := l) in *. set (t := INR T) in *.
assert (Up : forall u v, 0 < u <= v -> ln u <= ln v) by (intros u v [U [V|<-]]; [left; now apply ln_increasing|lra]).
assert (R0 : 0 <= not_rare T).
{ unfold not_rare. assert (0 < ln (11 / 3 * INR T)); [|lra]. rewrite <- ln_1. fold t. apply ln_increasing; lra. }
set (k := sqrt (not_rare T)). assert (K0 : 0 <= k) by apply sqrt_pos.
assert (L0 : 0 <= w) by (generalize (Up (INR M) t ltac:(lra)); lra).
set (F := fun m : nat => 15 / 4 * ln (INR m) - (1 + lam) / 2 * ((ln t - ln (INR m)) * (ln t - ln (INR m))) - 8 / 3 * (k * w) * / sqrt (INR m)).
apply Rle_trans with (F (M + (T - M))%nat - F M).
- apply added_below. intros m Hm. assert (Mm : INR M <= INR m) by (apply le_INR; lia).
  assert (mT : INR m + 1 <= t) by (unfold t; rewrite <- S_INR; apply le_INR; lia).
  unfold pull_price. destruct (Nat.leb_spec m 5) as [A|_]; [lia|]. destruct (Nat.ltb_spec m M) as [A|_]; [lia|].
  fold t. set (n := INR m) in *. assert (LN := Ln (n + 1) ltac:(lra)). assert (N0 : 0 < / (n + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (a0 : 0 <= ln (t / (n + 1)) <= w).
  { rewrite LN, Lw. generalize (Up (n + 1) t ltac:(lra)) (Up (INR M) (n + 1) ltac:(lra)). lra. }
  rewrite Rmax_right by lra. set (a := ln (t / (n + 1))) in *.
  unfold F. rewrite S_INR. fold n. assert (S := ln_step n ltac:(lra)). assert (Rs := root_step n ltac:(lra)).
  set (d := ln (n + 1) - ln n) in *. replace (ln t - ln (n + 1)) with a by lra. replace (ln t - ln n) with (a + d) by (unfold d; lra).
  replace (15 / 4 * ln (n + 1)) with (15 / 4 * ln n + 15 / 4 * d) by (unfold d; ring).
  rewrite sqrt_div_alt by lra. fold k.
  assert (P1 : a * / (n + 1) <= a * d + d * d / 2).
  { assert (a * / (n + 1) <= a * d) by (apply Rmult_le_compat_l; lra). assert (0 <= d * d) by apply (Rle_0_sqr d). lra. }
  assert (P2 : k * a * (/ (n + 1) * / sqrt (n + 1)) <= k * w * (2 * (/ sqrt n - / sqrt (n + 1)))).
  { assert (0 < / sqrt (n + 1)) by (apply Rinv_0_lt_compat, sqrt_lt_R0; lra).
    apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra|exact Rs]. }
  apply (Rmult_le_compat_l (1 + lam)) in P1; [|lra]. unfold Rdiv in *. nra.
- replace (M + (T - M))%nat with T by lia. unfold F. fold t.
  assert (Root : k * / sqrt (INR M) <= 1).
  { assert (0 < sqrt (INR M)) by (apply sqrt_lt_R0; lra). apply Rmult_le_reg_r with (sqrt (INR M)); [lra|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. now apply sqrt_le_1_alt. }
  assert (It : 0 <= k * w * / sqrt t).
  { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat, sqrt_lt_R0; lra. }
  apply (Rmult_le_compat_l w) in Root; [|lra]. rewrite <- Lw. replace (ln t - ln t) with 0 by ring. lra.
Qed.

Lemma whole_sum : added price 1 (T - 1) <=
  135 / 4 + 7 / 4 * (INR M - 6) + 15 / 4 * (ln (INR T) - ln 6) + (1 + lam) / 2 * (l * l) + 8 / 3 * l.
Proof.
replace (T - 1)%nat with (5 + ((M - 6) + (T - M)))%nat by lia. rewrite added_apart, added_apart, early_sum.
replace (1 + 5)%nat with 6%nat by lia. replace (6 + (M - 6))%nat with M by lia.
generalize middle_sum late_sum. lra.
Qed.
End Sum.

(** * For every T *)
Section Loss.
Variables (lam delta : R) (T : nat).
Hypotheses (lam_range : 0 < lam <= 1 / 5) (delta_positive : 0 < delta) (T_positive : (1 <= T)%nat).

Definition every_T_loss := (1 + lam) / 2 * (ln (INR T) * ln (INR T)) + 8 * ln (INR T) + ln (1 / delta) / lam + 18.

(* What the order lam gains. *)
Lemma order_gain : (lam * ln lam - (1 + lam) * ln (1 + lam)) / lam <= - (26 / 10).
Proof.
assert (A : ln lam <= - (16 / 10)).
{ apply Rle_trans with (ln (1 / 5)); [destruct (proj2 lam_range) as [G| ->]; [left; apply ln_increasing; lra|lra]|].
  interval with (i_prec 40). }
assert (B := ln_step (/ lam) ltac:(apply Rinv_0_lt_compat; lra)). assert (I : 0 < / lam) by (apply Rinv_0_lt_compat; lra).
replace (/ lam + 1) with ((1 + lam) * / lam) in B by (field; lra). rewrite ln_mult, !ln_Rinv in B by lra.
apply Rmult_le_reg_r with lam; [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (C : lam <= (1 + lam) * ln (1 + lam)).
{ apply (Rmult_le_compat_l (1 + lam)) in B; [|lra]. rewrite Rinv_mult, Rinv_inv in B.
  replace ((1 + lam) * (/ (1 + lam) * lam)) with lam in B by (field; lra). lra. }
nra.
Qed.

(* Of all rounds but the first, or of fewer: from so many pulls on, so many rounds. *)
Lemma loss_by_sum M least rounds : (1 <= least)%nat -> (least + rounds <= T)%nat ->
  added (pull_price lam T M) 1 (T - 1) <= (1 + lam) / 2 * (ln (INR T) * ln (INR T)) + 8 * ln (INR T) + 196 / 10 ->
  loss_between least rounds delta (closed_numbers lam T M) <= every_T_loss.
Proof.
intros From_ To_ Sum. assert (T1 := T_real T T_positive). unfold loss_between. cbn [order c b closed_numbers]. rewrite added_scaled.
assert (Fewer := added_fewer _ least rounds T (pull_price_positive lam T M lam_range) From_ To_).
assert (C : / INR T * INR rounds <= 1).
{ apply Rmult_le_reg_l with (INR T); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra. apply le_INR. lia. }
assert (G := order_gain). unfold every_T_loss. set (sum := added (pull_price lam T M) least rounds) in *.
replace ((lam * sum + ln (1 / delta) + lam * ln lam - (1 + lam) * ln (1 + lam)) / lam) with
  (sum + ln (1 / delta) / lam + (lam * ln lam - (1 + lam) * ln (1 + lam)) / lam) by (field; lra).
lra.
Qed.

Lemma few_rounds : (T <= 6)%nat -> added (pull_price lam T 7) 1 (T - 1) <=
  (1 + lam) / 2 * (ln (INR T) * ln (INR T)) + 8 * ln (INR T) + 196 / 10.
Proof.
intros U. assert (T1 := T_real T T_positive). apply le_INR in U as U6. replace (INR 6) with 6 in U6 by (simpl; ring).
apply Rle_trans with (27 / 4 * INR (1 + (T - 1)) - 27 / 4 * INR 1).
- apply (added_below _ (fun m => 27 / 4 * INR m)). intros m Hm. unfold pull_price.
  destruct (Nat.leb_spec m 5) as [_|A]; [rewrite S_INR; lra|lia].
- replace (1 + (T - 1))%nat with T by lia. change (INR 1) with 1. set (t := INR T) in *.
  assert (0 <= 8 * ln t + 196 / 10 - 27 / 4 * (t - 1)) by interval with (i_bisect t, i_prec 40).
  assert (0 <= (1 + lam) / 2 * (ln t * ln t)) by (apply Rmult_le_pos; [lra|apply (Rle_0_sqr (ln t))]). lra.
Qed.

(* From the M-th pull on prices fall; M is about 2 ln T. *)
Lemma change_of_price : (7 <= T)%nat -> exists M, (7 <= M <= T)%nat /\ not_rare T <= INR M <= not_rare T + 1.
Proof.
intros U. apply le_INR in U as U7. replace (INR 7) with 7 in U7 by (simpl; ring). set (t := INR T) in *.
assert (Low : 64 / 10 <= not_rare T).
{ unfold not_rare. fold t. apply Rle_trans with (2 * ln (11 / 3 * 7)); [interval with (i_prec 40)|].
  apply Rmult_le_compat_l; [lra|]. destruct U7 as [G|G]; [left; apply ln_increasing; lra|rewrite G; apply Rle_refl]. }
assert (High : not_rare T < t).
{ unfold not_rare. fold t. assert (X := exp_ineq1_le (ln (t / 7))). assert (P : 0 < t / 7) by lra. rewrite exp_ln in X by exact P.
  replace (11 / 3 * t) with (77 / 3 * (t / 7)) by field. rewrite ln_mult by lra.
  assert (ln (77 / 3) <= 325 / 100) by interval with (i_prec 40). lra. }
destruct (nfloor_ex (not_rare T) ltac:(lra)) as (n & N). exists (S n). rewrite S_INR. split; [|lra]. split.
- assert (H : INR 5 < INR n) by (replace (INR 5) with 5 by (simpl; ring); lra). apply INR_lt in H. lia.
- assert (INR n < INR T) by (fold t; lra). now apply INR_lt in H.
Qed.

Lemma many_rounds : (7 <= T)%nat -> exists M, not_rare T <= INR M /\ added (pull_price lam T M) 1 (T - 1) <=
  (1 + lam) / 2 * (ln (INR T) * ln (INR T)) + 8 * ln (INR T) + 196 / 10.
Proof.
intros U. destruct (change_of_price U) as (M & Range & Lm & Um). exists M. split; [exact Lm|].
apply Rle_trans with (1 := whole_sum lam T M lam_range Range Lm). apply le_INR in U. replace (INR 7) with 7 in U by (simpl; ring).
assert (M7 : 7 <= INR M) by (replace 7 with (INR 7) by (simpl; ring); apply le_INR; lia).
assert (MT : INR M <= INR T) by (apply le_INR; lia). set (t := INR T) in *. set (m := INR M) in *.
unfold not_rare in Um. fold t in Um. rewrite ln_mult in Um by lra.
assert (Lm' : ln (t / m) = ln t - ln m) by (unfold Rdiv; rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra); ring).
rewrite Lm'. clear Lm'.
assert (Lmono : ln 7 <= ln m) by (destruct M7 as [G|G]; [left; apply ln_increasing; lra|rewrite <- G; lra]).
assert (Tmono : ln m <= ln t) by (destruct MT as [G|G]; [left; apply ln_increasing; lra|rewrite G; lra]).
assert (A7 : 19459 / 10000 <= ln 7 <= 1946 / 1000) by (split; interval with (i_prec 40)).
assert (A6 : 1791 / 1000 <= ln 6) by interval with (i_prec 40).
assert (A3 : ln (11 / 3) <= 12993 / 10000) by interval with (i_prec 40).
set (L := ln t) in *. set (w := ln 7) in *.
assert (Sq : (L - ln m) * (L - ln m) <= (L - w) * (L - w)) by (apply Rmult_le_compat; lra).
apply (Rmult_le_compat_l ((1 + lam) / 2)) in Sq; [|lra].
assert (Exp : (1 + lam) / 2 * ((L - w) * (L - w)) <= (1 + lam) / 2 * (L * L) - w * L + w * w / 2).
{ assert (0 <= lam * (w * (2 * L - w))) by (repeat apply Rmult_le_pos; lra). nra. }
assert (w * w <= 1946 / 1000 * (1946 / 1000)) by (apply Rmult_le_compat; lra).
assert (19459 / 10000 * L <= w * L) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End Loss.

Lemma rounds lam T : 0 < lam <= 1 / 5 -> (1 <= T)%nat -> exists M, not_rare T <= INR M /\ added (pull_price lam T M) 1 (T - 1) <=
  (1 + lam) / 2 * (ln (INR T) * ln (INR T)) + 8 * ln (INR T) + 196 / 10.
Proof.
intros L T1. destruct (Nat.le_gt_cases T 6) as [U|U]; [|now apply many_rounds]. exists 7%nat. split; [|now apply few_rounds].
assert (T1' := T_real T T1). apply le_INR in U. replace (INR 6) with 6 in U by (simpl; ring). replace (INR 7) with 7 by (simpl; ring).
unfold not_rare. set (t := INR T) in *. interval with (i_prec 40).
Qed.

(* Thompson sampling with two arms, from samples that are drawn in turn: for every T, delta and order lam. *)
Theorem every_T r lam delta eps T : (1 <= T)%nat -> 0 < lam <= 1 / 5 -> 0 < delta -> every_T_loss lam delta T <= eps ->
  pulls_private bool_dec both_arms [] 1 T r true eps delta.
Proof.
intros T1 L D E. destruct (rounds lam T L T1) as (M & Rare & Sum).
assert (P := fun rises => closed_pays lam T M L T1 Rare 1 rises 1 T (Rle_refl 1) (le_n 1) (le_n T)).
assert (E' := loss_by_sum lam delta T L T1 M 1 (T - 1) (le_n 1) ltac:(lia) Sum).
change (loss T delta (closed_numbers lam T M) <= every_T_loss lam delta T) in E'.
destruct (potential 1 r eps delta T (closed_numbers lam T M) (closed_numbers lam T M) Rlt_0_1 D) as [Two _]; [lra|lra|].
exact (Two (P true) (P false)).
Qed.

Lemma every_T_witness : satisfiable every_T.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists pull, (1 / 5), (1 / 2), (every_T_loss (1 / 5) (1 / 2) 2), 2%nat.
split; [lia|split; [lra|split; [lra|split; [lra|]]]]. now exists x, y, (fun _ => true), 4%nat.
Qed.

(* Algorithm 2, for any variance from 1 on and any number of pre-pulls: `first` has B of each arm, whose rewards are kept or
   not. *)
Theorem every_T_modified variance r kept lam delta eps T B first : 1 <= variance -> 0 < lam <= 1 / 5 -> 0 < delta ->
  prepulled bool_dec T B first -> (1 <= rounds_after (length first) T)%nat -> every_T_loss lam delta T <= eps ->
  pulls_private bool_dec both_arms first variance T r kept eps delta.
Proof.
intros V L D Pre More E. assert (T1 : (1 <= T)%nat) by (unfold rounds_after in More; lia).
destruct (rounds lam T L T1) as (M & Rare & Sum). set (start := length first) in *.
assert (Range : (1 <= least_pulls B)%nat /\ (least_pulls B + rounds_after start T <= T)%nat).
{ assert (B <= start)%nat by (unfold start; rewrite <- (proj2 Pre true); apply pulls_at_most).
  unfold least_pulls, rounds_after in *. lia. }
destruct Range as [From_ To_]. assert (E' := loss_by_sum lam delta T L T1 M _ _ From_ To_ Sum).
destruct (potential_modified variance r eps delta T B kept (closed_numbers lam T M) (closed_numbers lam T M)) as [Two _]; [lra|exact D|].
apply (Two first Pre). split; [exact More|]. split; [exact (Rle_trans _ _ _ E' E)|split; [exact (Rle_trans _ _ _ E' E)|split]]; now apply closed_pays.
Qed.

(* One pre-pull of each arm, and two rounds. *)
Lemma every_T_modified_witness : satisfiable every_T_modified.
Proof.
destruct (prepulled_witness pull 4 1 ltac:(lia)) as (kept & first & Pre & Near).
exists 1, pull, kept, (1 / 5), (1 / 2), (every_T_loss (1 / 5) (1 / 2) 4), 4%nat, 1%nat, [true; false].
split; [lra|split; [lra|split; [lra|]]]. split; [split; [simpl; lia|intros [|]; reflexivity]|].
split; [unfold rounds_after; simpl; lia|]. split; [lra|exact Near].
Qed.

(* As T grows, (1/2 + eta) ln^2 T is enough, for every delta >= T^-a: with the order 1/sqrt(ln T). *)
Theorem two_arms_law a eta : 0 <= a -> 0 < eta -> exists least, forall r T delta, (least <= T)%nat ->
  Rpower (INR T) (- a) <= delta -> pulls_private bool_dec both_arms [] 1 T r true ((1 / 2 + eta) * ln (INR T) ^ 2) delta.
Proof.
intros A H. set (g := Rmax 5 ((a + 27) / eta)). assert (G5 := Rmax_l 5 ((a + 27) / eta)). assert (G6 := Rmax_r 5 ((a + 27) / eta)).
fold g in G5, G6. assert (G0 : 0 <= exp (g * g)) by (left; apply exp_pos).
destruct (nfloor_ex (exp (g * g)) G0) as (n & N). exists (S n). intros r T delta Least Small.
apply le_INR in Least as Large. rewrite S_INR in Large. assert (T0 : 0 < INR T) by (generalize (exp_pos (g * g)); lra).
assert (L : g * g <= ln (INR T)).
{ rewrite <- (ln_exp (g * g)). left. apply ln_increasing; [apply exp_pos|lra]. }
set (l := ln (INR T)) in *. assert (l0 : 25 <= l) by nra. set (k := sqrt l). assert (k2 : k * k = l) by (apply sqrt_sqrt; lra).
assert (kg : g <= k) by (apply Rsqr_incr_0_var; [unfold Rsqr; lra|apply sqrt_pos]).
assert (D : 0 < delta) by (apply Rlt_le_trans with (2 := Small); apply exp_pos).
assert (Dl : ln (1 / delta) <= a * l).
{ unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by exact D. assert (- a * l <= ln delta); [|lra].
  rewrite <- (ln_exp (- a * l)). change (exp (- a * l)) with (Rpower (INR T) (- a)).
  destruct Small as [Q|Q]; [left; apply ln_increasing; [apply exp_pos|exact Q]|rewrite Q; apply Rle_refl]. }
assert (Ik : 0 < / k <= 1 / 5) by (split; [apply Rinv_0_lt_compat; lra|replace (1 / 5) with (/ 5) by field; apply Rinv_le_contravar; lra]).
apply (every_T r (/ k) delta); [lia|exact Ik|exact D|]. unfold every_T_loss. fold l. replace (ln (1 / delta) / / k) with (ln (1 / delta) * k) by (field; lra).
assert (E1 : / k * (l * l) = k * l) by (rewrite <- k2 at 1; field; lra).
replace ((1 + / k) / 2 * (l * l)) with (l * l / 2 + / k * (l * l) / 2) by (field; lra). rewrite E1.
assert (E2 : ln (1 / delta) * k <= a * l * k) by (apply Rmult_le_compat_r; lra).
assert (E3 : a + 27 <= eta * k).
{ apply Rle_trans with (eta * g); [|apply Rmult_le_compat_l; lra].
  replace (a + 27) with (eta * ((a + 27) / eta)) by (field; lra). apply Rmult_le_compat_l; lra. }
assert (E4 : (a + 27) * (k * l) <= eta * l ^ 2).
{ replace (eta * l ^ 2) with (eta * k * (k * l)) by (rewrite <- k2; ring). apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; lra. }
assert (l <= k * l) by nra. assert (18 <= k * l) by nra. lra.
Qed.

Lemma two_arms_law_witness : satisfiable two_arms_law.
Proof. exists 1, 1. lra. Qed.
