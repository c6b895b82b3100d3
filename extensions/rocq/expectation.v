(* Random variables, as Daniell has them: functions on a space, of which some are measurable, some of these have an
   expectation, and the expectation is linear and monotone. Every probability space is one: its measurable functions to R,
   its integrable ones, and Lebesgue's integral. Nothing below uses more than the fields of the two records, and so no
   countable additivity. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments.
Open Scope R_scope.

Record sample_space := {
  point :> Type;
  random_variable : (point -> R) -> Prop;
  variable_const : forall c, random_variable (fun _ => c);
  variable_plus : forall f g, random_variable f -> random_variable g -> random_variable (fun w => f w + g w);
  variable_times : forall f g, random_variable f -> random_variable g -> random_variable (fun w => f w * g w);
  variable_continuous : forall (h : R -> R) f, (forall x, continuous h x) -> random_variable f ->
    random_variable (fun w => h (f w));
  variable_from : forall c f, random_variable f -> random_variable (fun w => if Rle_dec c (f w) then 1 else 0)
}.
Arguments random_variable {_}.

Record probability_measure (S : sample_space) := {
  has_mean : (S -> R) -> Prop;
  mean : (S -> R) -> R;
  mean_of_variable : forall f, has_mean f -> random_variable f;
  has_mean_below : forall f g, random_variable f -> has_mean g -> (forall w, Rabs (f w) <= g w) -> has_mean f;
  has_mean_const : forall c, has_mean (fun _ => c);
  has_mean_linear : forall a b f g, has_mean f -> has_mean g -> has_mean (fun w => a * f w + b * g w);
  mean_const : forall c, mean (fun _ => c) = c;
  mean_linear : forall a b f g, has_mean f -> has_mean g ->
    mean (fun w => a * f w + b * g w) = a * mean f + b * mean g;
  mean_le : forall f g, has_mean f -> has_mean g -> (forall w, f w <= g w) -> mean f <= mean g
}.
Arguments has_mean {_}.
Arguments mean {_}.

(* P(Z >= t) and P(Z > t). *)
Definition upper_tail {S : sample_space} (P : probability_measure S) (Z : S -> R) (t : R) :=
  mean P (fun w => if Rle_dec t (Z w) then 1 else 0).
Definition strict_upper_tail {S : sample_space} (P : probability_measure S) (Z : S -> R) (t : R) :=
  mean P (fun w => if Rlt_dec t (Z w) then 1 else 0).

(* |x|^p, 0 at x = 0. *)
Definition abs_power (p x : R) : R := if Req_EM_T x 0 then 0 else Rpower (Rabs x) p.

(* Functions that agree everywhere are the same one. *)
Ltac same_function := apply FunctionalExtensionality.functional_extensionality.

Section Space.
Variable S : sample_space.

Lemma variable_same (f g : S -> R) : (forall w, f w = g w) -> random_variable f -> random_variable g.
Proof. intros E. replace g with f; [auto|]. now same_function. Qed.

Lemma variable_scaled c (f : S -> R) : random_variable f -> random_variable (fun w => c * f w).
Proof. intros M. apply variable_times; [apply variable_const|exact M]. Qed.

Lemma variable_minus (f g : S -> R) : random_variable f -> random_variable g -> random_variable (fun w => f w - g w).
Proof.
intros F G. apply variable_same with (fun w => f w + - 1 * g w); [intros; ring|].
apply variable_plus; [exact F|now apply variable_scaled].
Qed.

Lemma variable_above c (f : S -> R) : random_variable f -> random_variable (fun w => if Rlt_dec c (f w) then 1 else 0).
Proof.
intros M. apply variable_same with (fun w => 1 - if Rle_dec (- c) (- 1 * f w) then 1 else 0).
- intros w. destruct (Rle_dec (- c) (- 1 * f w)), (Rlt_dec c (f w)); lra.
- apply variable_minus; [apply variable_const|]. apply variable_from. now apply variable_scaled.
Qed.

Variable P : probability_measure S.

Lemma has_mean_same (f g : S -> R) : (forall w, f w = g w) -> has_mean P f -> has_mean P g.
Proof. intros E. replace g with f; [auto|]. now same_function. Qed.

Lemma mean_same (f g : S -> R) : (forall w, f w = g w) -> mean P f = mean P g.
Proof. intros E. f_equal. now same_function. Qed.

Lemma has_mean_plus (f g : S -> R) : has_mean P f -> has_mean P g -> has_mean P (fun w => f w + g w).
Proof.
intros F G. apply has_mean_same with (fun w => 1 * f w + 1 * g w); [intros; ring|now apply has_mean_linear].
Qed.

Lemma mean_plus (f g : S -> R) : has_mean P f -> has_mean P g ->
  mean P (fun w => f w + g w) = mean P f + mean P g.
Proof.
intros F G. transitivity (1 * mean P f + 1 * mean P g); [|ring]. rewrite <- mean_linear by assumption.
apply mean_same. intros; ring.
Qed.

Lemma has_mean_affine a b (f : S -> R) : has_mean P f -> has_mean P (fun w => a * f w + b).
Proof.
intros F. apply has_mean_same with (fun w => a * f w + b * 1); [intros; ring|].
apply has_mean_linear; [exact F|apply has_mean_const].
Qed.

Lemma mean_affine a b (f : S -> R) : has_mean P f ->
  mean P (fun w => a * f w + b) = a * mean P f + b.
Proof.
intros F. transitivity (a * mean P f + b * mean P (fun _ => 1)); [|rewrite mean_const; ring].
rewrite <- mean_linear by (assumption || apply has_mean_const). apply mean_same. intros; ring.
Qed.

Lemma has_mean_scaled c (f : S -> R) : has_mean P f -> has_mean P (fun w => c * f w).
Proof. intros F. apply has_mean_same with (fun w => c * f w + 0); [intros; ring|now apply has_mean_affine]. Qed.

Lemma mean_scaled c (f : S -> R) : has_mean P f -> mean P (fun w => c * f w) = c * mean P f.
Proof.
intros F. transitivity (c * mean P f + 0); [|ring]. rewrite <- mean_affine by exact F. apply mean_same. intros; ring.
Qed.

Lemma mean_positive (f : S -> R) : has_mean P f -> (forall w, 0 <= f w) -> 0 <= mean P f.
Proof.
intros F H. rewrite <- (mean_const S P 0). now apply mean_le; [apply has_mean_const| |].
Qed.

Lemma has_mean_bounded c (f : S -> R) : random_variable f -> (forall w, Rabs (f w) <= c) -> has_mean P f.
Proof. intros M H. now apply has_mean_below with (fun _ => c); [| apply has_mean_const|]. Qed.

Lemma has_mean_from t (Z : S -> R) : random_variable Z -> has_mean P (fun w => if Rle_dec t (Z w) then 1 else 0).
Proof.
intros M. apply has_mean_bounded with 1; [now apply variable_from|].
intros w. destruct (Rle_dec t (Z w)); split_Rabs; lra.
Qed.

Lemma has_mean_above t (Z : S -> R) : random_variable Z -> has_mean P (fun w => if Rlt_dec t (Z w) then 1 else 0).
Proof.
intros M. apply has_mean_bounded with 1; [now apply variable_above|].
intros w. destruct (Rlt_dec t (Z w)); split_Rabs; lra.
Qed.

Lemma upper_tail_inside (Z : S -> R) t : random_variable Z -> 0 <= upper_tail P Z t <= 1.
Proof.
intros M. split; [apply mean_positive|rewrite <- (mean_const S P 1); apply mean_le].
all: try apply has_mean_const; try now apply has_mean_from. all: intros w; destruct (Rle_dec t (Z w)); lra.
Qed.

Lemma strict_upper_tail_le (Z : S -> R) t : random_variable Z -> strict_upper_tail P Z t <= upper_tail P Z t.
Proof.
intros M. apply mean_le; [now apply has_mean_above|now apply has_mean_from|].
intros w. destruct (Rlt_dec t (Z w)), (Rle_dec t (Z w)); lra.
Qed.

(* Some point exists. *)
Lemma somewhere (Q : Prop) : (S -> Q) -> ~ ~ Q.
Proof.
intros H N. assert (mean P (fun _ => 1) <= mean P (fun _ => 0)).
{ apply mean_le; try apply has_mean_const. intros w. exfalso. auto. }
rewrite !mean_const in H0. lra.
Qed.

(* Chernoff's bound. *)
Lemma chernoff (Z : S -> R) lam t m : 0 <= lam -> random_variable Z -> has_mean P (fun w => exp (lam * Z w)) ->
  mean P (fun w => exp (lam * Z w)) <= m -> upper_tail P Z t <= exp (- (lam * t)) * m.
Proof.
intros L M I E. apply Rle_trans with (exp (- (lam * t)) * mean P (fun w => exp (lam * Z w))).
- rewrite <- mean_scaled by exact I. apply mean_le; [now apply has_mean_from|now apply has_mean_scaled|].
  intros w. rewrite <- exp_plus. destruct (Rle_dec t (Z w)) as [H|_]; [|left; apply exp_pos].
  rewrite <- exp_0. apply exp_le. nra.
- apply Rmult_le_compat_l; [left; apply exp_pos|exact E].
Qed.
End Space.

(** * Powers *)

Lemma abs_power_positive p x : 0 <= abs_power p x.
Proof. unfold abs_power. destruct (Req_EM_T x 0); [lra|left; apply exp_pos]. Qed.

Lemma abs_power_of p x : 0 < x -> abs_power p x = Rpower x p.
Proof. intros H. unfold abs_power. destruct (Req_EM_T x 0); [lra|]. now rewrite Rabs_right by lra. Qed.

Lemma abs_power_opp p x : abs_power p (- x) = abs_power p x.
Proof. unfold abs_power. rewrite Rabs_Ropp. destruct (Req_EM_T (- x) 0), (Req_EM_T x 0); auto; lra. Qed.

Lemma abs_power_Rabs p x : abs_power p (Rabs x) = abs_power p x.
Proof. split_Rabs; [apply abs_power_opp|reflexivity]. Qed.

Lemma abs_power_times p x y : abs_power p (x * y) = abs_power p x * abs_power p y.
Proof.
unfold abs_power. destruct (Req_EM_T (x * y) 0) as [E|N], (Req_EM_T x 0) as [->|X], (Req_EM_T y 0) as [->|Y];
  try lra; try (exfalso; destruct (Rmult_integral _ _ E); lra); try (exfalso; apply N; ring).
rewrite Rabs_mult. symmetry. apply Rpower_mult_distr; now apply Rabs_pos_lt.
Qed.

(* It lies above a line through each of its points. *)
Lemma abs_power_above p y : 1 <= p -> exists c, forall x, abs_power p y + c * (x - y) <= abs_power p x.
Proof.
intros p1. assert (Pos : forall y, 0 < y -> exists c, forall x, abs_power p y + c * (x - y) <= abs_power p x).
{ clear y. intros y Y. exists (p * (Rpower y p / y)). intros x. rewrite (abs_power_of p y Y).
  assert (Q : 0 < Rpower y p) by apply exp_pos. set (q := Rpower y p) in *.
  destruct (Rle_lt_dec x 0) as [N|X].
  - apply Rle_trans with 0; [|apply abs_power_positive].
    replace (q + p * (q / y) * (x - y)) with (q * (1 - p) + p * q * (x / y)) by (field; lra).
    assert (x / y <= 0).
    { apply Rmult_le_reg_r with y; [exact Y|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (0 < p * q) by (apply Rmult_lt_0_compat; lra). nra.
  - rewrite (abs_power_of p x X).
    assert (R0 : 0 < x / y) by now apply Rdiv_lt_0_compat.
    assert (E : Rpower x p = q * exp (p * ln (x / y))).
    { unfold q, Rpower, Rdiv. rewrite ln_mult, ln_Rinv by (auto using Rinv_0_lt_compat). rewrite <- exp_plus. f_equal. ring. }
    assert (C := exp_chord (/ p) (p * ln (x / y))).
    assert (I : 0 <= / p <= 1).
    { split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    specialize (C I). replace (/ p * (p * ln (x / y))) with (ln (x / y)) in C by (field; lra).
    rewrite exp_ln in C by exact R0. apply (Rmult_le_compat_l p) in C; [|lra].
    replace (p * (/ p * exp (p * ln (x / y)) + (1 - / p))) with (exp (p * ln (x / y)) + p - 1) in C by (field; lra).
    rewrite E. replace (q + p * (q / y) * (x - y)) with (q * (1 + p * (x / y) - p)) by (field; lra). nra. }
destruct (Rtotal_order y 0) as [Y|[->|Y]]; [| |now apply Pos].
- destruct (Pos (- y)) as (c & C); [lra|]. exists (- c). intros x. specialize (C (- x)).
  rewrite !abs_power_opp in C. lra.
- exists 0. intros x. unfold abs_power at 1. destruct (Req_EM_T 0 0); [|lra]. generalize (abs_power_positive p x). lra.
Qed.

Lemma abs_power_sum p x y : 1 <= p <= 2 -> abs_power p (x + y) <= 2 * abs_power p x + 2 * abs_power p y.
Proof.
intros H. destruct (abs_power_above p ((x + y) / 2)) as (c & C); [lra|].
assert (X := C x). assert (Y := C y). set (m := abs_power p ((x + y) / 2)) in *.
assert (M : 2 * m <= abs_power p x + abs_power p y) by nra. clear X Y C.
replace (x + y) with (2 * ((x + y) / 2)) by field. rewrite abs_power_times. fold m.
assert (T : abs_power p 2 <= 4).
{ rewrite abs_power_of by lra. apply Rle_trans with (Rpower 2 2); [apply Rle_Rpower; lra|].
  replace 2 with (INR 2) at 2 by (simpl; ring). rewrite Rpower_pow by lra. simpl. lra. }
assert (0 <= m) by apply abs_power_positive. nra.
Qed.

Lemma abs_below_power p x : 1 <= p -> Rabs x <= 1 + abs_power p x.
Proof.
intros H. assert (0 <= abs_power p x) by apply abs_power_positive.
destruct (Rle_lt_dec (Rabs x) 1) as [L|L]; [lra|]. rewrite <- (abs_power_Rabs p x), (abs_power_of p (Rabs x)) by lra.
apply Rle_trans with (Rpower (Rabs x) p); [|lra]. rewrite <- (Rpower_1 (Rabs x)) at 1 by lra. apply Rle_Rpower; lra.
Qed.

Lemma abs_power_continuous p x : 1 <= p -> continuous (abs_power p) x.
Proof.
intros H. destruct (Req_dec x 0) as [->|N].
- (* it is at most |x| near 0 *)
  apply (proj2 (filterlim_locally (abs_power p) (abs_power p 0))). intros e.
  assert (d0 : 0 < Rmin 1 e) by (apply Rmin_glb_lt; [lra|apply cond_pos]).
  exists (mkposreal _ d0). intros y Y. simpl in Y.
  unfold ball, AbsRing_ball, abs, minus, plus, opp in Y |- *; simpl in Y |- *.
  change (Rabs (y + - 0) < Rmin 1 e) in Y. change (Rabs (abs_power p y + - abs_power p 0) < e).
  rewrite Ropp_0, Rplus_0_r in Y.
  assert (Z : abs_power p 0 = 0) by (unfold abs_power; destruct (Req_EM_T 0 0); lra). rewrite Z, Ropp_0, Rplus_0_r.
  rewrite Rabs_right by (apply Rle_ge, abs_power_positive).
  assert (B : abs_power p y <= Rabs y).
  { unfold abs_power. destruct (Req_EM_T y 0) as [->|Y0]; [rewrite Rabs_R0; lra|].
    assert (A := Rabs_pos_lt y Y0). assert (Rabs y < 1) by (apply Rlt_le_trans with (1 := Y), Rmin_l).
    rewrite <- (Rpower_1 (Rabs y)) at 2 by exact A. unfold Rpower. apply exp_le.
    assert (ln (Rabs y) <= 0) by (rewrite <- ln_1; left; now apply ln_increasing). nra. }
  apply Rle_lt_trans with (1 := B). apply Rlt_le_trans with (1 := Y), Rmin_r.
- apply (continuous_ext_loc _ (fun y => exp (p * ln (Rabs y)))).
  + assert (A := Rabs_pos_lt x N). exists (mkposreal _ A). intros y Y.
    unfold abs_power. destruct (Req_EM_T y 0) as [->|Y0]; [exfalso|reflexivity].
    unfold ball in Y; simpl in Y. unfold AbsRing_ball, abs, minus, plus, opp in Y; simpl in Y.
    change (Rabs (0 + - x) < Rabs x) in Y. rewrite Rplus_0_l, Rabs_Ropp in Y. lra.
  + apply (continuous_comp (fun y => p * ln (Rabs y)) exp).
    * apply (continuous_mult (K := R_AbsRing) (fun _ => p) (fun y => ln (Rabs y))); [apply continuous_const|].
      apply (continuous_comp Rabs ln); [apply continuous_Rabs|].
      apply (ex_derive_continuous (V := R_NormedModule)). exists (/ Rabs x). apply is_derive_ln. now apply Rabs_pos_lt.
    * apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
Qed.

(** * Examples *)

(* One toss of a coin, which shows true with probability p; two tosses of a fair one. *)
Definition one_toss : sample_space.
Proof. exists bool (fun _ => True); auto. Defined.

Definition coin (p : R) (inside : 0 <= p <= 1) : probability_measure one_toss.
Proof.
exists (fun _ => True) (fun f => p * f true + (1 - p) * f false); simpl; auto; try (intros; ring).
intros f g _ _ H. generalize (H true) (H false). nra.
Defined.

Definition two_tosses : sample_space.
Proof. exists (bool * bool)%type (fun _ => True); auto. Defined.

Definition fair : probability_measure two_tosses.
Proof.
exists (fun _ => True) (fun f => (f (true, true) + f (true, false) + f (false, true) + f (false, false)) / 4);
  simpl; auto; try (intros; field).
intros f g _ _ H. generalize (H (true, true)) (H (true, false)) (H (false, true)) (H (false, false)). lra.
Defined.
