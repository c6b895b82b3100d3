(* The tail of the normal law between multiples of its density, and its hazard rate, which rises. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes.
Open Scope R_scope.

Lemma density_derive x : is_derive density x (- x * density x).
Proof.
apply (is_derive_ext (fun y => / sqrt (2 * PI) * bell y)); [intros y; apply Rmult_comm|].
replace (- x * density x) with (/ sqrt (2 * PI) * (- x * bell x)) by (unfold density, bell, Rdiv; ring).
apply is_derive_scal. unfold bell. auto_derive; [auto|]. unfold Rdiv. field.
Qed.

Lemma density_opp x : density (- x) = density x.
Proof. unfold density. do 3 f_equal. ring. Qed.

Lemma root_at_least_2 : 2 <= sqrt (2 * PI).
Proof.
apply Rle_trans with (sqrt (2 * 2)); [rewrite sqrt_square; lra|]. apply sqrt_le_1_alt. generalize PI2_3_2. lra.
Qed.

Lemma density_below_half x : density x <= 1 / 2.
Proof.
assert (R2 := root_at_least_2).
assert (E : exp (- (x * x) / 2) <= 1).
{ rewrite <- exp_0. destruct (Rle_lt_or_eq_dec (- (x * x) / 2) 0) as [L| ->]; [nra| |lra].
  left. now apply exp_increasing. }
unfold density. apply Rmult_le_compat; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra|exact E|].
apply Rinv_le_contravar; lra.
Qed.

Lemma tail_derive x : is_derive (fun t => Phi (- t)) x (- density x).
Proof.
evar_last; [apply (is_derive_comp Phi (fun t => - t)); [apply Phi_derive|auto_derive; [auto|reflexivity]]|].
unfold scal; simpl; unfold mult; simpl. rewrite density_opp. ring.
Qed.

(* Phi tends to 1. *)
Lemma in_the_limit x a b : (forall n, a * Phi (x + INR n) <= b) -> a <= b.
Proof.
intros H. replace a with (a * (1 - 0)) by ring.
apply (is_lim_seq_le (fun n => a * (1 - Phi (- x - 1 * INR n))) (fun _ => b) (Finite (a * (1 - 0))) (Finite b)).
- intros n. rewrite <- Phi_opp. replace (- (- x - 1 * INR n)) with (x + INR n) by ring. apply H.
- apply (is_lim_seq_scal_l _ a (Finite (1 - 0))), is_lim_seq_minus'; [apply is_lim_seq_const|apply tail_limit; lra].
- apply is_lim_seq_const.
Qed.

(* Mills's inequality, from above. *)
Theorem mills_above x : x * Phi (- x) <= density x.
Proof.
assert (x <= density x + x * Phi x); [|rewrite Phi_opp; lra]. apply (in_the_limit x). intros n.
assert (P := density_positive (x + INR n)). assert (N := pos_INR n).
assert (- density x - x * Phi x <= - density (x + INR n) - x * Phi (x + INR n)); [|lra].
apply (rises_between (fun t => - density t - x * Phi t) (fun t => - (- t * density t) - x * density t)); [| |lra].
- intros t. apply (is_derive_minus (fun t => - density t) (fun t => x * Phi t)).
  + apply (is_derive_opp density), density_derive.
  + apply is_derive_scal, Phi_derive.
- intros t T. generalize (density_positive t). nra.
Qed.

(* And from below. *)
Theorem mills_below x : 0 <= x -> density x * (x / (x * x + 1)) <= Phi (- x).
Proof.
intros X. set (f := fun t => density t * (t / (t * t + 1))).
assert (S : forall t, 0 < t * t + 1) by (intros; nra).
assert (Small : forall t, 0 <= t -> 0 <= f t <= / (t + 1)).
{ intros t T. unfold f. assert (B := density_below_half t). assert (P := density_positive t). specialize (S t). split.
  - apply Rmult_le_pos; [lra|]. now apply Rle_mult_inv_pos.
  - apply Rle_trans with (1 / 2 * (t / (t * t + 1))).
    + apply Rmult_le_compat_r; [now apply Rle_mult_inv_pos|exact B].
    + apply Rmult_le_reg_r with ((t * t + 1) * (t + 1)); [nra|].
      replace (1 / 2 * (t / (t * t + 1)) * ((t * t + 1) * (t + 1))) with (t * (t + 1) / 2) by (field; lra).
      replace (/ (t + 1) * ((t * t + 1) * (t + 1))) with (t * t + 1) by (field; lra). nra. }
assert (Rise : forall n, Phi x + f x <= Phi (x + INR n) + f (x + INR n)).
{ intros n. assert (N := pos_INR n).
  apply (rises_between (fun t => Phi t + f t) (fun t => 2 * density t / ((t * t + 1) * (t * t + 1)))); [| |lra].
  - intros t. specialize (S t). evar_last.
    + apply (is_derive_plus Phi f); [apply Phi_derive|].
      apply (is_derive_mult density (fun t => t / (t * t + 1))); [apply density_derive| |intros; apply Rmult_comm].
      auto_derive; [lra|reflexivity].
    + unfold plus, mult; simpl. field. lra.
  - intros t _. specialize (S t). apply Rle_mult_inv_pos; [generalize (density_positive t); lra|nra]. }
assert (H : Phi x + f x <= 1 + 0); [|rewrite Phi_opp; unfold f in H; lra].
apply (is_lim_seq_le (fun _ => Phi x + f x) (fun n => 1 + / (INR n + 1)) (Finite (Phi x + f x)) (Finite (1 + 0))).
- intros n. assert (N := pos_INR n). apply Rle_trans with (1 := Rise n).
  apply Rplus_le_compat; [left; apply Phi_inside|].
  apply Rle_trans with (/ (x + INR n + 1)); [apply Small; lra|]. apply Rinv_le_contravar; lra.
- apply is_lim_seq_const.
- apply is_lim_seq_plus'; [apply is_lim_seq_const|]. apply (is_lim_seq_inv _ p_infty); [|discriminate].
  apply is_lim_seq_plus with p_infty 1; [apply is_lim_seq_INR|apply is_lim_seq_const|reflexivity].
Qed.

(** * Half of the tail's bound *)
Lemma wedge_below x : wedge x <= exp (- (x * x) / 2) * wedge 0.
Proof.
unfold wedge. rewrite <- (RInt_scal (V := R_CompleteNormedModule) (ray 0)) by apply ray_integrable.
apply RInt_le; [lra|apply ray_integrable|apply (ex_RInt_scal (V := R_NormedModule)), ray_integrable|].
intros t _. unfold ray, scal; simpl; unfold mult; simpl.
set (d := 1 + t * t). assert (D : 0 < d) by (unfold d; nra).
replace (exp (- (x * x) / 2) * (exp (- (0 * 0) * d / 2) / d)) with (exp (- (x * x) / 2) * exp (- (0 * 0) * d / 2) / d)
  by (unfold Rdiv; ring).
apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite <- exp_plus. apply exp_le.
assert (0 <= x * x * (t * t)) by nra. unfold d. lra.
Qed.

Theorem half_tail x : 0 <= x -> Phi (- x) <= exp (- (x * x) / 2) / 2.
Proof.
intros H. rewrite Phi_opp, Phi_area. assert (P := PI_RGT_0). assert (R0 := root_two_pi).
set (part := area x / sqrt (2 * PI)). set (e := exp (- (x * x) / 2)).
assert (A0 : 0 <= part).
{ apply Rle_mult_inv_pos; [|exact R0]. apply RInt_ge_0; [exact H|apply bell_integrable|]. intros; left; apply exp_pos. }
assert (E := area_and_wedge x H). assert (W := wedge_below x). fold e in W. rewrite wedge_0 in E, W.
assert (S : (1 - e) / 4 <= part * part).
{ assert (Q : part * part = area x * area x / (2 * PI)).
  { unfold part. rewrite <- (sqrt_sqrt (2 * PI)) at 3 by lra. field; lra. }
  rewrite Q. apply Rmult_le_reg_r with (2 * PI); [lra|]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. nra. }
assert (E0 : 0 < e) by apply exp_pos.
assert (E1 : e <= 1) by (rewrite <- exp_0; apply exp_le; nra).
assert ((1 - e) / 2 <= part); [|lra]. apply Rnot_lt_le. intros N.
assert (part * part < (1 - e) / 2 * ((1 - e) / 2)) by (apply Rmult_le_0_lt_compat; lra). nra.
Qed.

(** * Near 0 *)
Lemma Phi_near y : 0 <= y -> Phi y <= 1 / 2 + y / 2.
Proof.
intros H. rewrite Phi_area. assert (A : area y <= y).
{ apply Rle_trans with (RInt (fun _ => 1) 0 y).
  - apply RInt_le; [exact H|apply bell_integrable|apply ex_RInt_const|]. intros t _. unfold bell.
    rewrite <- exp_0. apply exp_le. nra.
  - rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. lra. }
assert (R0 := root_at_least_2).
assert (area y / sqrt (2 * PI) <= y / 2); [|lra]. apply Rle_trans with (y / sqrt (2 * PI)).
- apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact A].
- apply Rmult_le_compat_l; [exact H|]. apply Rinv_le_contravar; lra.
Qed.

(* A polynomial near exp(-t^2/2), and its integral from 0 on. *)
Definition near_bell (t : R) := 99996 / 100000 - 49937 / 100000 * t ^ 2 + 12337 / 100000 * t ^ 4 -
  19245 / 1000000 * t ^ 6 + 18699 / 10000000 * t ^ 8 - 86 / 1000000 * t ^ 10.
Definition near_area (x : R) := 99996 / 100000 * x - 49937 / 300000 * x ^ 3 + 12337 / 500000 * x ^ 5 -
  19245 / 7000000 * x ^ 7 + 18699 / 90000000 * x ^ 9 - 86 / 11000000 * x ^ 11.

Theorem tail_near x : - (215 / 100) <= x <= 215 / 100 ->
  Phi (- x) <= 1 / 2 + (25 / 100000 - near_area x) / sqrt (2 * PI).
Proof.
intros X. assert (B : forall t, - (215 / 100) <= t <= 215 / 100 -> - (1 / 10000) <= bell t - near_bell t <= 1 / 10000).
{ intros t T. unfold bell, near_bell. split; interval with (i_bisect t, i_taylor t, i_prec 60). }
assert (D : forall k t, is_derive (fun t => area t - near_area t + k * t) t (bell t - near_bell t + k)).
{ intros k t. apply (is_derive_plus (fun t => area t - near_area t) (fun t => k * t)).
  - apply (is_derive_minus area near_area); [apply area_derive|]. unfold near_area, near_bell.
    auto_derive; [auto|]. field.
  - auto_derive; [auto|ring]. }
assert (Z : forall k, area 0 - near_area 0 + k * 0 = 0) by (intros k; rewrite area_0; unfold near_area; ring).
assert (near_area x - 25 / 100000 <= area x).
{ destruct (Rle_lt_dec 0 x) as [P|N].
  - assert (area 0 - near_area 0 + 1 / 10000 * 0 <= area x - near_area x + 1 / 10000 * x); [|rewrite Z in *; lra].
    apply (rises_between (fun t => area t - near_area t + 1 / 10000 * t) _ 0 x (D (1 / 10000))); [|exact P].
    intros t T. generalize (B t ltac:(lra)). lra.
  - assert (- (area x - near_area x + - (1 / 10000) * x) <= - (area 0 - near_area 0 + - (1 / 10000) * 0));
      [|rewrite Z in *; lra].
    apply (rises_between (fun t => - (area t - near_area t + - (1 / 10000) * t))
      (fun t => - (bell t - near_bell t + - (1 / 10000)))); [| |lra].
    + intros t. apply (is_derive_opp (fun t => area t - near_area t + - (1 / 10000) * t)), D.
    + intros t T. generalize (B t ltac:(lra)). lra. }
rewrite Phi_opp, Phi_area. assert (I := Rinv_0_lt_compat _ root_two_pi). unfold Rdiv. nra.
Qed.

(** * The hazard rate *)
Definition hazard (x : R) := density x / Phi (- x).

Lemma hazard_positive x : 0 < hazard x.
Proof. apply Rdiv_lt_0_compat; [apply density_positive|apply Phi_inside]. Qed.

Lemma density_hazard x : density x = hazard x * Phi (- x).
Proof. unfold hazard. field. generalize (Phi_inside (- x)). lra. Qed.

Theorem hazard_rises x y : x <= y -> hazard x <= hazard y.
Proof.
apply (rises_between hazard (fun t => density t * (density t - t * Phi (- t)) / (Phi (- t) * Phi (- t)))).
- intros t. assert (P := Phi_inside (- t)). evar_last.
  + apply (is_derive_div density (fun t => Phi (- t))); [apply density_derive|apply tail_derive|lra].
  + field. lra.
- intros t _. assert (P := Phi_inside (- t)). apply Rle_mult_inv_pos; [|nra].
  apply Rmult_le_pos; [left; apply density_positive|generalize (mills_above t); lra].
Qed.

Lemma hazard_below x : 0 < x -> hazard x <= x + / x.
Proof.
intros X. assert (P := Phi_inside (- x)). assert (M := mills_below x ltac:(lra)).
apply Rmult_le_reg_r with (Phi (- x)); [lra|]. rewrite <- density_hazard.
apply Rmult_le_reg_r with (x / (x * x + 1)); [apply Rdiv_lt_0_compat; nra|].
replace ((x + / x) * Phi (- x) * (x / (x * x + 1))) with (Phi (- x)) by (field; split; nra). exact M.
Qed.

(* Its slope is at most 1, and its square at most -2 ln Phi(-x). *)
Lemma density_far t : 1 <= t -> density t <= / t.
Proof.
intros T. unfold density. assert (R2 := root_at_least_2). assert (E := exp_pos (- (t * t) / 2)).
apply Rle_trans with (exp (- (t * t) / 2) * / 2).
- apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
- replace (- (t * t) / 2) with (- (t * t / 2)) by field. rewrite exp_Ropp.
  assert (X := exp_ineq1_le (t * t / 2)). assert (/ exp (t * t / 2) <= / (t * t / 2)) by (apply Rinv_le_contravar; nra).
  replace (/ (t * t / 2)) with (2 * / t * / t) in H by (field; lra).
  assert (I : 0 < / t <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]). nra.
Qed.

(* What is at least -c/t for all large t is not negative. *)
Lemma not_negative a x c : 0 <= c -> (forall t, 1 <= t -> x <= t -> - c * / t <= a) -> 0 <= a.
Proof.
intros C H. apply Rnot_lt_le. intros N. set (t := Rmax (Rmax 1 x) (2 * (c + 1) / - a)).
assert (T1 : 1 <= t) by (unfold t; eapply Rle_trans; [apply Rmax_l|apply Rmax_l]).
assert (T2 : x <= t) by (unfold t; eapply Rle_trans; [apply Rmax_r|apply Rmax_l]).
assert (T3 : 2 * (c + 1) / - a <= t) by apply Rmax_r.
specialize (H t T1 T2). apply (Rmult_le_compat_r (- a)) in T3; [|lra].
replace (2 * (c + 1) / - a * - a) with (2 * (c + 1)) in T3 by (field; lra).
apply (Rmult_le_compat_r t) in H; [|lra]. rewrite Rmult_assoc, Rinv_l in H by lra. nra.
Qed.

(* Birnbaum's inequality: the hazard rate rises with a slope of at most 1. *)
Theorem birnbaum x : density x * (sqrt (4 + x * x) - x) / 2 <= Phi (- x).
Proof.
set (g := fun t => Phi (- t) - density t * (sqrt (4 + t * t) - t) / 2).
assert (Falls : forall t, x <= t -> g t <= g x).
{ intros t L. assert (- g x <= - g t); [|lra].
  apply (rises_between (fun t => - g t) (fun t => density t / 2 * (1 + t * t - t * sqrt (4 + t * t) + t / sqrt (4 + t * t))));
    [| |exact L].
  - intros u. assert (S : 0 < 4 + u * u) by nra. assert (R0 : 0 < sqrt (4 + u * u)) by now apply sqrt_lt_R0.
    unfold g. evar_last.
    + apply (is_derive_opp (fun t => Phi (- t) - density t * (sqrt (4 + t * t) - t) / 2)).
      apply (is_derive_minus (fun t => Phi (- t)) (fun t => density t * (sqrt (4 + t * t) - t) / 2)); [apply tail_derive|].
      apply (is_derive_ext (fun t => density t * ((sqrt (4 + t * t) - t) / 2))); [intros; unfold Rdiv; simpl; ring|].
      apply (is_derive_mult density (fun t => (sqrt (4 + t * t) - t) / 2)); [apply density_derive| |intros; apply Rmult_comm].
      auto_derive; [exact S|reflexivity].
    + unfold minus, plus, opp, mult; simpl. unfold opp; simpl. field. lra.
  - intros u _. assert (S : 0 < 4 + u * u) by nra. set (r := sqrt (4 + u * u)).
    assert (R0 : 0 < r) by now apply sqrt_lt_R0. assert (R2 : r * r = 4 + u * u) by (apply sqrt_sqrt; lra).
    apply Rmult_le_pos; [generalize (density_positive u); lra|].
    assert (Q : u * (3 + u * u) <= (1 + u * u) * r).
    { apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
      replace ((1 + u * u) * r * ((1 + u * u) * r)) with ((1 + u * u) * (1 + u * u) * (r * r)) by ring. rewrite R2. nra. }
    apply Rmult_le_reg_r with r; [exact R0|].
    replace ((1 + u * u - u * r + u / r) * r) with ((1 + u * u) * r - u * (r * r) + u) by (field; lra). rewrite R2. lra. }
assert (0 <= g x); [|unfold g in *; lra]. apply (not_negative _ x 1); [lra|]. intros t T X.
apply Rle_trans with (2 := Falls t X). unfold g. assert (D := density_far t T). assert (P := density_positive t).
assert (S : sqrt (4 + t * t) <= t + 2).
{ rewrite <- (sqrt_square (t + 2)) by lra. apply sqrt_le_1_alt. nra. }
generalize (Phi_inside (- t)). nra.
Qed.

Theorem hazard_slope x : hazard x * (hazard x - x) <= 1.
Proof.
set (r := sqrt (4 + x * x)). assert (S : 0 < 4 + x * x) by nra. assert (R0 : 0 < r) by now apply sqrt_lt_R0.
assert (R2 : r * r = 4 + x * x) by (apply sqrt_sqrt; lra).
assert (A : x < r) by (apply Rnot_le_lt; intros N; nra). assert (B : - x < r) by (apply Rnot_le_lt; intros N; nra).
assert (H := birnbaum x). fold r in H. rewrite density_hazard in H. assert (P := Phi_inside (- x)).
assert (H0 := hazard_positive x). set (h := hazard x) in *.
assert (U : h * (r - x) / 2 <= 1).
{ apply Rmult_le_reg_l with (Phi (- x)); [lra|]. lra. }
assert (V : h <= (r + x) / 2).
{ apply Rmult_le_reg_r with ((r - x) / 2); [lra|]. replace ((r + x) / 2 * ((r - x) / 2)) with ((r * r - x * x) / 4) by field.
  rewrite R2. lra. }
assert (W : (h - (r + x) / 2) * (h - (x - r) / 2) <= 0) by nra.
replace ((h - (r + x) / 2) * (h - (x - r) / 2)) with (h * (h - x) - (r * r - x * x) / 4) in W by field.
rewrite R2 in W. lra.
Qed.

(* The square of the hazard rate is at most twice the log of the odds against the tail. *)
Theorem hazard_square x : hazard x * hazard x <= - 2 * ln (Phi (- x)).
Proof.
set (k := fun t => - 2 * ln (Phi (- t)) - hazard t * hazard t).
assert (Hd : forall t, is_derive hazard t (hazard t * (hazard t - t))).
{ intros t. assert (P := Phi_inside (- t)). evar_last.
  - apply (is_derive_div density (fun t => Phi (- t))); [apply density_derive|apply tail_derive|lra].
  - unfold hazard. field. lra. }
assert (Rises : forall t, t <= x -> k t <= k x).
{ intros t L. apply (rises_between k (fun t => 2 * hazard t * (1 - hazard t * (hazard t - t)))); [| |exact L].
  - intros u. assert (P := Phi_inside (- u)). unfold k. evar_last.
    + apply (is_derive_minus (fun t => - 2 * ln (Phi (- t))) (fun t => hazard t * hazard t)).
      * apply is_derive_scal. apply (is_derive_comp ln (fun t => Phi (- t))); [apply is_derive_ln; lra|apply tail_derive].
      * apply (is_derive_mult hazard hazard); [apply Hd|apply Hd|intros; apply Rmult_comm].
    + unfold minus, plus, opp, mult, scal; simpl. unfold mult; simpl. rewrite (density_hazard u). field. lra.
  - intros u _. generalize (hazard_slope u) (hazard_positive u). nra. }
assert (0 <= k x); [|unfold k in *; lra]. apply (not_negative _ (- x) 4); [lra|]. intros t T X.
apply Rle_trans with (2 := Rises (- t) ltac:(lra)). unfold k. rewrite Ropp_involutive.
assert (P := Phi_inside t). assert (N : ln (Phi t) <= 0) by (rewrite <- ln_1; left; apply ln_increasing; lra).
assert (Half : 1 / 2 <= Phi t).
{ assert (Z := Phi_opp 0). rewrite Ropp_0 in Z. assert (Q := Phi_le 0 t ltac:(lra)). lra. }
assert (D := density_far t T). assert (Dp := density_positive t).
assert (H : 0 <= hazard (- t) <= 2 * / t).
{ split; [left; apply hazard_positive|]. apply Rmult_le_reg_r with (Phi t); [lra|].
  unfold hazard. rewrite Ropp_involutive, density_opp. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
assert (I : 0 < / t <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
nra.
Qed.

(* A tail that begins d earlier. *)
Theorem earlier_tail d x : 0 <= d -> Phi (- (x - d)) <= Phi (- x) * exp (hazard x * d).
Proof.
intros D. assert (E := exp_pos (hazard x * (x - d))).
assert (H : Phi (- (x - d)) * exp (hazard x * (x - d)) <= Phi (- x) * exp (hazard x * x)).
{ apply (rises_between (fun t => Phi (- t) * exp (hazard x * t))
    (fun t => exp (hazard x * t) * (hazard x * Phi (- t) - density t))); [| |lra].
  - intros t. evar_last.
    + apply (is_derive_mult (fun t => Phi (- t)) (fun t => exp (hazard x * t))); [apply tail_derive| |];
        [|intros; apply Rmult_comm].
      auto_derive; [auto|reflexivity].
    + unfold plus, mult; simpl. ring.
  - intros t T. apply Rmult_le_pos; [left; apply exp_pos|]. rewrite (density_hazard t).
    assert (R := hazard_rises t x ltac:(lra)). generalize (Phi_inside (- t)). nra. }
replace (hazard x * x) with (hazard x * d + hazard x * (x - d)) in H by ring. rewrite exp_plus in H. nra.
Qed.

(* How many times more it has grows with where it begins. *)
Theorem earlier_rises c d x y : 0 <= c <= 1 -> x <= y -> (forall t, x <= t <= y -> c * t - d <= t) ->
  Phi (- (c * x - d)) * Phi (- y) <= Phi (- (c * y - d)) * Phi (- x).
Proof.
intros C L Earlier. assert (PX := Phi_inside (- x)). assert (PY := Phi_inside (- y)).
assert (H : Phi (- (c * x - d)) / Phi (- x) <= Phi (- (c * y - d)) / Phi (- y)).
{ apply (rises_between (fun t => Phi (- (c * t - d)) / Phi (- t))
    (fun t => Phi (- (c * t - d)) * (hazard t - c * hazard (c * t - d)) / Phi (- t))); [| |exact L].
  - intros t. assert (P := Phi_inside (- t)). assert (Q := Phi_inside (- (c * t - d))). evar_last.
    + apply (is_derive_div (fun t => Phi (- (c * t - d))) (fun t => Phi (- t))); [|apply tail_derive|lra].
      apply (is_derive_comp (fun t => Phi (- t)) (fun t => c * t - d)); [apply tail_derive|].
      auto_derive; [auto|reflexivity].
    + unfold scal; simpl; unfold mult; simpl. unfold hazard. field. lra.
  - intros t T. apply Rle_mult_inv_pos; [|apply Phi_inside]. apply Rmult_le_pos; [left; apply Phi_inside|].
    generalize (hazard_rises (c * t - d) t (Earlier t T)) (hazard_positive (c * t - d)). nra. }
apply Rmult_le_reg_r with (/ Phi (- x) * / Phi (- y)); [apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; lra|].
replace (Phi (- (c * x - d)) * Phi (- y) * (/ Phi (- x) * / Phi (- y))) with (Phi (- (c * x - d)) / Phi (- x))
  by (field; lra).
replace (Phi (- (c * y - d)) * Phi (- x) * (/ Phi (- x) * / Phi (- y))) with (Phi (- (c * y - d)) / Phi (- y))
  by (field; lra).
exact H.
Qed.
