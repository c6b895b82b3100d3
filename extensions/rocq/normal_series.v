(* Phi by its series, in interval arithmetic that a proof by computation can run: Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/15 +
   ...), where the rest after n terms is between once and twice its first term. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Interval.Float Require Import Basic Sig Specific_bigint Specific_ops.
From Interval.Interval Require Import Interval Float Float_full.
From Interval.Real Require Import Xreal.
From Dpbandits Require Import normal moments half_planes normal_tails.
Open Scope R_scope.

(** * The series *)
(* x^m + x^(m+2)/(m+2) + ... with n terms, and t times the next one. *)
Fixpoint series (t : R) (n m : nat) (x : R) : R :=
  match n with O => t * x ^ m | S n' => x ^ m + series t n' (m + 2) x / INR (m + 2) end.
Fixpoint series_slope (t : R) (n m : nat) (x : R) : R :=
  match n with O => t * (INR m * x ^ (m - 1)) | S n' => INR m * x ^ (m - 1) + series_slope t n' (m + 2) x / INR (m + 2) end.

Lemma power_derive t m x : is_derive (fun x => t * x ^ m) x (t * (INR m * x ^ (m - 1))).
Proof. auto_derive; [auto|]. replace (m - 1)%nat with (pred m) by lia. ring. Qed.

Lemma series_derive t n : forall m x, is_derive (series t n m) x (series_slope t n m x).
Proof.
induction n as [|n IH]; intros m x; cbn [series series_slope]; [apply power_derive|].
apply (is_derive_plus (fun x => x ^ m) (fun x => series t n (m + 2) x / INR (m + 2))).
- apply (is_derive_ext (fun x => 1 * x ^ m)); [intros; apply Rmult_1_l|]. evar_last; [apply power_derive|apply Rmult_1_l].
- apply (is_derive_ext (fun x => / INR (m + 2) * series t n (m + 2) x)); [intros; apply Rmult_comm|].
  evar_last; [apply is_derive_scal, IH|apply Rmult_comm].
Qed.

(* Times the density its slope is the density times what is at most, or at least, m x^(m-1). *)
Lemma slope_below n : forall m x, (1 <= m)%nat -> 0 <= x -> series_slope 1 n m x - x * series 1 n m x <= INR m * x ^ (m - 1).
Proof.
induction n as [|n IH]; intros m x M X; cbn [series series_slope].
- rewrite !Rmult_1_l. assert (0 <= x * x ^ m) by (apply Rmult_le_pos; [exact X|now apply pow_le]). lra.
- assert (P := lt_0_INR (m + 2) ltac:(lia)). assert (H := IH (m + 2)%nat x ltac:(lia) X).
  replace (m + 2 - 1)%nat with (m + 1)%nat in H by lia.
  apply (Rmult_le_compat_r (/ INR (m + 2))) in H; [|left; now apply Rinv_0_lt_compat].
  replace (INR (m + 2) * x ^ (m + 1) * / INR (m + 2)) with (x ^ (m + 1)) in H by (field; lra).
  replace (m + 1)%nat with (S m) in H by lia. simpl pow in H. unfold Rdiv. lra.
Qed.

Lemma slope_above n : forall m x, (1 <= m)%nat -> 0 <= x -> 2 * (x * x) <= INR (m + 2 * n) ->
  INR m * x ^ (m - 1) <= series_slope 2 n m x - x * series 2 n m x.
Proof.
induction n as [|n IH]; intros m x M X B; cbn [series series_slope].
- rewrite Nat.mul_0_r, Nat.add_0_r in B.
  assert (E : x ^ m = x * x ^ (m - 1)) by (replace m with (S (m - 1)) at 1 by lia; reflexivity).
  assert (P : 0 <= x ^ (m - 1)) by now apply pow_le. rewrite E. nra.
- assert (P := lt_0_INR (m + 2) ltac:(lia)). replace (m + 2 * S n)%nat with (m + 2 + 2 * n)%nat in B by lia.
  assert (H := IH (m + 2)%nat x ltac:(lia) X B). replace (m + 2 - 1)%nat with (m + 1)%nat in H by lia.
  apply (Rmult_le_compat_r (/ INR (m + 2))) in H; [|left; now apply Rinv_0_lt_compat].
  replace (INR (m + 2) * x ^ (m + 1) * / INR (m + 2)) with (x ^ (m + 1)) in H by (field; lra).
  replace (m + 1)%nat with (S m) in H by lia. simpl pow in H. unfold Rdiv. lra.
Qed.

Lemma series_at_0 t n : forall m, (1 <= m)%nat -> series t n m 0 = 0.
Proof.
induction n as [|n IH]; intros m M; cbn [series]; rewrite pow_i by lia; [ring|]. rewrite IH by lia. unfold Rdiv. ring.
Qed.

Lemma density_series_derive t n x : is_derive (fun x => density x * series t n 1 x) x
  (density x * (series_slope t n 1 x - x * series t n 1 x)).
Proof.
evar_last.
- apply (is_derive_mult density (series t n 1)); [apply density_derive|apply series_derive|intros; apply Rmult_comm].
- unfold plus, mult; simpl. ring.
Qed.

Lemma series_below n x : 0 <= x -> density x * series 1 n 1 x <= Phi x - 1 / 2.
Proof.
intros X. assert (Z := Phi_opp 0). rewrite Ropp_0 in Z.
assert (Phi 0 - density 0 * series 1 n 1 0 <= Phi x - density x * series 1 n 1 x); [|rewrite series_at_0 in H by lia; lra].
apply (rises_between (fun x => Phi x - density x * series 1 n 1 x)
  (fun x => density x - density x * (series_slope 1 n 1 x - x * series 1 n 1 x))); [| |exact X].
- intros u. apply (is_derive_minus Phi (fun x => density x * series 1 n 1 x)); [apply Phi_derive|apply density_series_derive].
- intros u U. assert (B := slope_below n 1 u ltac:(lia) ltac:(lra)). simpl in B. assert (P := density_positive u). nra.
Qed.

Lemma series_above n x : 0 <= x -> 2 * (x * x) <= INR (1 + 2 * n) -> Phi x - 1 / 2 <= density x * series 2 n 1 x.
Proof.
intros X Far. assert (Z := Phi_opp 0). rewrite Ropp_0 in Z.
assert (density 0 * series 2 n 1 0 - Phi 0 <= density x * series 2 n 1 x - Phi x); [|rewrite series_at_0 in H by lia; lra].
apply (rises_between (fun x => density x * series 2 n 1 x - Phi x)
  (fun x => density x * (series_slope 2 n 1 x - x * series 2 n 1 x) - density x)); [| |exact X].
- intros u. apply (is_derive_minus (fun x => density x * series 2 n 1 x) Phi); [apply density_series_derive|apply Phi_derive].
- intros u U. assert (B := slope_above n 1 u ltac:(lia) ltac:(lra)). simpl INR in B. simpl pow in B.
  assert (P := density_positive u).
  assert (2 * (u * u) <= INR (1 + 2 * n)) by (apply Rle_trans with (2 := Far); nra). specialize (B H). nra.
Qed.

Lemma series_mixed t n : forall m x, series t n m x = (2 - t) * series 1 n m x + (t - 1) * series 2 n m x.
Proof. induction n as [|n IH]; intros m x; cbn [series]; [ring|]. rewrite (IH (m + 2)%nat x). unfold Rdiv. ring. Qed.

Lemma series_between n x : 0 <= x -> 2 * (x * x) <= INR (1 + 2 * n) ->
  exists t, 1 <= t <= 2 /\ Phi x = 1 / 2 + density x * series t n 1 x.
Proof.
intros X Far. assert (A := series_below n x X). assert (B := series_above n x X Far). assert (D := density_positive x).
set (a := density x * series 1 n 1 x) in *. set (b := density x * series 2 n 1 x) in *. set (v := Phi x - 1 / 2) in *.
assert (M : forall t, density x * series t n 1 x = (2 - t) * a + (t - 1) * b) by (intros t; rewrite series_mixed; unfold a, b;
  ring).
destruct (Req_dec a b) as [E|N].
- exists 1. split; [lra|]. rewrite M. unfold v in *. lra.
- exists (1 + (v - a) / (b - a)). assert (b - a > 0) by lra. split.
  + split; [assert (0 <= (v - a) / (b - a)) by (apply Rle_mult_inv_pos; lra); lra|].
    assert ((v - a) / (b - a) <= 1); [|lra]. apply Rmult_le_reg_r with (b - a); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l; lra.
  + rewrite M. unfold v. field. unfold v in *. lra.
Qed.

(* As a product, from its last term on: k = m + 2. *)
Fixpoint nested (t : R) (n : nat) (k : Z) (x2 : R) : R := match n with O => t | S n' => 1 + nested t n' (k + 2) x2 * x2 /
  IZR k end.

Lemma series_nested t n : forall m k x, k = Z.of_nat (m + 2) -> series t n m x = x ^ m * nested t n k (x * x).
Proof.
induction n as [|n IH]; intros m k x K; cbn [series nested]; [ring|]. rewrite (IH (m + 2)%nat (k + 2)%Z x) by lia.
rewrite K, <- INR_IZR_INZ, pow_add. simpl pow. field. apply not_0_INR. lia.
Qed.

(** * Intervals *)
Module F := SpecificFloat BigIntRadix2.
Module I := FloatIntervalFull F.
Definition bits := F.PtoP 90.
Definition holds (i : I.type) (x : R) := contains (I.convert i) (Xreal x).

Lemma any_holds i x : contains (I.convert i) Xnan -> holds i x.
Proof. unfold holds. destruct (I.convert i); simpl; tauto. Qed.

Definition one_to_two := I.join (I.fromZ bits 1) (I.fromZ bits 2).
Lemma one_to_two_holds t : 1 <= t <= 2 -> holds one_to_two t.
Proof.
intros T. assert (A : holds one_to_two 1) by (apply I.join_correct; left; exact (I.fromZ_correct bits 1)).
assert (B : holds one_to_two 2) by (apply I.join_correct; right; exact (I.fromZ_correct bits 2)).
unfold holds, contains in *. destruct (I.convert one_to_two) as [|[|l] [|u]]; lra.
Qed.

Section Precision.
Variable p : F.precision.
Definition whole (z : Z) := I.fromZ p z.
Lemma in_whole z : holds (whole z) (IZR z).
Proof. apply I.fromZ_correct. Qed.
Lemma in_add i j x y : holds i x -> holds j y -> holds (I.add p i j) (x + y).
Proof. exact (I.add_correct p i j (Xreal x) (Xreal y)). Qed.
Lemma in_sub i j x y : holds i x -> holds j y -> holds (I.sub p i j) (x - y).
Proof. exact (I.sub_correct p i j (Xreal x) (Xreal y)). Qed.
Lemma in_mul i j x y : holds i x -> holds j y -> holds (I.mul p i j) (x * y).
Proof. exact (I.mul_correct p i j (Xreal x) (Xreal y)). Qed.
Lemma in_neg i x : holds i x -> holds (I.neg i) (- x).
Proof. exact (I.neg_correct i (Xreal x)). Qed.
Lemma in_abs i x : holds i x -> holds (I.abs i) (Rabs x).
Proof. exact (I.abs_correct i (Xreal x)). Qed.
Lemma in_exp i x : holds i x -> holds (I.exp p i) (exp x).
Proof. exact (I.exp_correct p i (Xreal x)). Qed.
Lemma in_root i x : holds i x -> holds (I.sqrt p i) (sqrt x).
Proof. exact (I.sqrt_correct p i (Xreal x)). Qed.
Lemma in_div i j x y : holds i x -> holds j y -> holds (I.div p i j) (x / y).
Proof.
intros A B. assert (C := I.div_correct p i j (Xreal x) (Xreal y) A B). simpl in C. unfold Xdiv' in C.
destruct (is_zero y); [now apply any_holds|exact C].
Qed.
Lemma in_inv i x : holds i x -> holds (I.inv p i) (/ x).
Proof.
intros A. assert (C := I.inv_correct p i (Xreal x) A). simpl in C. unfold Xinv' in C.
destruct (is_zero x); [now apply any_holds|exact C].
Qed.
Lemma in_ln i x : holds i x -> holds (I.ln p i) (ln x).
Proof.
intros A. assert (C := I.ln_correct p i (Xreal x) A). simpl in C. unfold Xln' in C.
destruct (is_positive x); [exact C|now apply any_holds].
Qed.
Lemma in_power n i x : holds i x -> holds (I.power_int p i (Z.of_nat n)) (x ^ n).
Proof.
intros A. assert (C := I.power_int_correct p (Z.of_nat n) i (Xreal x) A). simpl in C. destruct n as [|n]; [exact C|].
simpl Z.of_nat in C. simpl in C. rewrite SuccNat2Pos.id_succ in C. exact C.
Qed.
Lemma in_left i j x : holds i x -> holds (I.join i j) x.
Proof. intros A. apply I.join_correct. now left. Qed.
Lemma in_right i j x : holds j x -> holds (I.join i j) x.
Proof. intros A. apply I.join_correct. now right. Qed.

(* In comparisons the difference is rounded as well. *)
Definition is_at_most (i j : I.type) : bool := match I.sign_large (I.sub p i j) with Xlt | Xeq => true | _ => false end.
Definition is_less (i j : I.type) : bool := match I.sign_strict (I.sub p i j) with Xlt => true | _ => false end.
Lemma is_at_most_ok i j x y : is_at_most i j = true -> holds i x -> holds j y -> x <= y.
Proof.
unfold is_at_most. intros H A B. assert (C := in_sub i j x y A B). assert (S := I.sign_large_correct (I.sub p i j)).
destruct (I.sign_large (I.sub p i j)); try discriminate.
- specialize (S _ C). injection S. lra.
- destruct (S _ C) as [_ L]. simpl in L. lra.
Qed.
Lemma is_less_ok i j x y : is_less i j = true -> holds i x -> holds j y -> x < y.
Proof.
unfold is_less. intros H A B. assert (C := in_sub i j x y A B). assert (S := I.sign_strict_correct (I.sub p i j)).
destruct (I.sign_strict (I.sub p i j)); try discriminate. destruct (S _ C) as [_ L]. simpl in L. lra.
Qed.

(* sqrt(2 pi), and the series from its last term on. *)
Definition root_of_2pi := I.sqrt p (I.mul p (whole 2) (I.pi p)).
Lemma in_root_of_2pi : holds root_of_2pi (sqrt (2 * PI)).
Proof. apply in_root, in_mul; [apply (in_whole 2)|apply I.pi_correct]. Qed.

Fixpoint series_in (n : nat) (k : Z) (x2 : I.type) : I.type :=
  match n with
  | O => one_to_two
  | S n' => I.add p (whole 1) (I.div p (I.mul p (series_in n' (k + 2) x2) x2) (whole k))
  end.
Lemma in_series t n i x2 : 1 <= t <= 2 -> holds i x2 -> forall k, holds (series_in n k i) (nested t n k x2).
Proof.
intros T X. induction n as [|n IH]; intros k; cbn [nested series_in]; [now apply one_to_two_holds|].
apply in_add; [apply (in_whole 1)|]. apply in_div; [apply in_mul; auto|apply in_whole].
Qed.
End Precision.

(* z/d *)
Definition part (z d : Z) : I.type := I.div bits (I.fromZ bits z) (I.fromZ bits d).
Lemma part_holds z d : holds (part z d) (IZR z / IZR d).
Proof. apply in_div; apply in_whole. Qed.

(** * Phi of an interval around a number that is not negative *)
Definition root_2pi := root_of_2pi bits.
Lemma root_2pi_holds : holds root_2pi (sqrt (2 * PI)).
Proof. apply in_root_of_2pi. Qed.

(* e: an interval around exp(- x^2/2); n: how many terms. root: root_2pi, computed once. *)
Definition Phi_in (root : I.type) (n : nat) (e x : I.type) : I.type := let x2 := I.mul bits x x in
  if is_at_most bits (I.mul bits (I.fromZ bits 2) x2) (I.fromZ bits (1 + 2 * Z.of_nat n)) then
    I.add bits (part 1 2) (I.mul bits (I.div bits e root) (I.mul bits x (series_in bits n 3 x2)))
  else I.nai.

Lemma Phi_holds n e i x : 0 <= x -> holds e (exp (- (x * x) / 2)) -> holds i x -> holds (Phi_in root_2pi n e i) (Phi x).
Proof.
intros X E H. unfold Phi_in. assert (H2 := in_mul bits i i x x H H).
destruct (is_at_most bits _ _) eqn:Few; [|apply any_holds; now rewrite I.nai_correct].
assert (Far := is_at_most_ok bits _ _ _ _ Few (in_mul bits _ _ _ _ (in_whole bits 2) H2) (in_whole bits _)).
destruct (series_between n x X) as (t & T & ->).
{ rewrite INR_IZR_INZ, Nat2Z.inj_add, Nat2Z.inj_mul. exact Far. }
rewrite (series_nested t n 1 3 x) by reflexivity. apply in_add; [exact (part_holds 1 2)|].
apply in_mul; [unfold density; apply in_div; [exact E|apply root_2pi_holds]|].
apply in_mul; [now rewrite pow_1|now apply in_series].
Qed.

(** * Phi and its density at multiples of 1/fine *)
Definition fine : Z := 1099511627776.
Lemma fine_positive : 0 < IZR fine. Proof. apply IZR_lt. reflexivity. Qed.
Definition terms (z : Z) : nat := Z.to_nat (22 + 9 * z / fine).

(* Phi(z/fine), from exp(- (z/fine)^2/2). *)
Definition Phi_at (root e : I.type) (z : Z) : I.type :=
  if (0 <=? z)%Z then Phi_in root (terms z) e (part z fine)
  else I.sub bits (I.fromZ bits 1) (Phi_in root (terms (- z)) e (part (- z) fine)).

Lemma Phi_at_ok e z : holds e (exp (- (IZR z / IZR fine * (IZR z / IZR fine)) / 2)) ->
  holds (Phi_at root_2pi e z) (Phi (IZR z / IZR fine)).
Proof.
intros E. assert (F := fine_positive). unfold Phi_at. destruct (Z.leb_spec 0 z) as [Z0|Z0].
- apply Phi_holds; [apply Rle_mult_inv_pos; [now apply IZR_le|exact F]|exact E|apply part_holds].
- replace (IZR z / IZR fine) with (- (IZR (- z) / IZR fine)) by (rewrite opp_IZR; field; lra). rewrite Phi_opp.
  apply in_sub; [apply (in_whole bits 1)|]. apply Phi_holds.
  + apply Rle_mult_inv_pos; [apply IZR_le; lia|exact F].
  + rewrite opp_IZR. replace (- IZR z / IZR fine * (- IZR z / IZR fine)) with (IZR z / IZR fine * (IZR z / IZR fine)) by (field;
      lra). exact E.
  + apply part_holds.
Qed.

Definition bell_at (z : Z) : I.type := I.exp bits (part (- (z * z)) (2 * (fine * fine))).
Lemma bell_at_ok z : holds (bell_at z) (exp (- (IZR z / IZR fine * (IZR z / IZR fine)) / 2)).
Proof.
apply in_exp. assert (F := fine_positive). assert (H := part_holds (- (z * z)) (2 * (fine * fine))).
rewrite opp_IZR, !mult_IZR in H.
replace (- (IZR z / IZR fine * (IZR z / IZR fine)) / 2) with (- (IZR z * IZR z) / (2 * (IZR fine * IZR fine))) by (field; lra).
exact H.
Qed.
