(* What a late pull is worth in the static potential, in closed form: with A = e^Y + ... about 1, the number
   lam (A max(0, ln(A/(c N)) - 1 + ...) + 3/2 ...)/N pays for every coin of a round with N - 1 pulls of the changed arm, in
   both orders, and nothing is needed once N is larger than about 3/c. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes normal_tails tilted_rounds.
Open Scope R_scope.

(** * Coins by how likely they are *)
Section Late.
(* N = n + 1, S the largest shift, 1/sqrt N. Pulls with p < c^2 are rare: u0^2/2 = 2 ln(1/c). *)
Variables (lam N c S : R).
Hypotheses (lam_range : 0 < lam <= 1 / 2) (S_range : 0 < S <= 1 / 10) (S_square : S * S * N = 1).
Hypothesis c_range : 0 < c < exp (- (1)).
Definition u0 := sqrt (- 4 * ln c).
Definition Y := S * u0.
Hypotheses (small : lam * (exp Y - 1) * exp Y <= 1 / 2) (c_small : c * exp (2 * Y) <= 1 / 4) (c_small' : c * exp (2 * Y) * Y <= 1 / 4).
Definition A := exp Y + lam * exp (4 * Y) / (1 - lam * (exp Y - 1) * exp Y).

Lemma ln_c : ln c <= - 1.
Proof. apply Rle_trans with (ln (exp (- (1)))); [left; apply ln_increasing; lra|rewrite ln_exp; lra]. Qed.

Lemma u0_facts : 2 <= u0 /\ u0 * u0 = - 4 * ln c /\ c * c = exp (- (u0 * u0) / 2).
Proof.
assert (L := ln_c). assert (Q : u0 * u0 = - 4 * ln c) by (apply sqrt_sqrt; lra).
assert (P : 0 <= u0) by apply sqrt_pos. split; [nra|split; [exact Q|]]. rewrite Q.
replace (- (- 4 * ln c) / 2) with (ln c + ln c) by field. rewrite exp_plus, exp_ln by lra. reflexivity.
Qed.

Lemma Y_positive : 2 * S <= Y.
Proof. destruct u0_facts as (U & _). unfold Y. nra. Qed.

(* The share of c/q that is left of it. *)
Definition kappa := exp (- (2 * lam * Y)).

Section One.
Variables (s x : R).
Hypothesis s_range : 0 <= s <= S.
Notation p := (Phi (- x)).
Notation q := (Phi (s - x)).
Notation y := (ln (Phi (s - x)) - ln (Phi (- x))).
Notation L := (- ln (Phi (- x))).

Lemma s_small : 0 <= s.
Proof. lra. Qed.

(* Rare pulls. *)
Lemma rare : p < c * c -> q <= c / 4 /\ q * (y * exp (lam * y)) <= c / 4.
Proof.
intros R0. destruct (chances s x s_small) as (P & Q & _).
destruct (y_range s x s_small) as (Y0 & _ & Y2 & E). destruct u0_facts as (U & U2 & Cc).
assert (YP := Y_positive). set (v := y) in *. clearbody v.
set (u := sqrt (2 * L)). assert (Lp : 0 < L) by (assert (ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra); lra).
assert (Uu : u * u = 2 * L) by (apply sqrt_sqrt; lra). assert (Up : 0 <= u) by apply sqrt_pos.
assert (Ep : p = exp (- (u * u) / 2)).
{ rewrite Uu. replace (- (2 * - ln p) / 2) with (ln p) by field. now rewrite exp_ln by lra. }
assert (Big : u0 <= u).
{ apply Rnot_lt_le. intros N0. rewrite Ep, Cc in R0. apply exp_lt_inv in R0. nra. }
assert (Ys : v <= s * u).
{ apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr. replace (s * u * (s * u)) with (s * s * (u * u)) by ring.
  rewrite Uu. lra. }
assert (Su : s * u0 <= Y) by (unfold Y; apply Rmult_le_compat_r; lra).
assert (Gap : (u - u0) * s <= (u - u0) * (1 / 10)) by (apply Rmult_le_compat_l; lra).
assert (Gap2 : (u - u0) * 4 <= (u - u0) * (u + u0)) by (apply Rmult_le_compat_l; lra).
split.
- apply Rle_trans with (c * c * exp Y).
  + rewrite E. replace (p * exp v) with (exp (- (u * u) / 2 + v)) by (rewrite exp_plus, <- Ep; reflexivity).
    rewrite Cc, <- exp_plus. apply exp_le. lra.
  + assert (exp Y <= exp (2 * Y)) by (apply exp_le; lra). assert (c * exp Y <= 1 / 4) by (generalize (exp_pos Y); nra). nra.
- apply Rle_trans with (Y * (c * c * exp (3 / 2 * Y))).
  + assert (W : q * exp (lam * v) <= exp (- (u * u) / 2 + 3 / 2 * (s * u))).
    { rewrite E. replace (p * exp v * exp (lam * v)) with (exp (- (u * u) / 2 + v + lam * v)) by (rewrite !exp_plus, <- Ep; ring).
      apply exp_le. nra. }
    assert (V : s * u <= s * u0 * exp ((u - u0) / 2)).
    { assert (X := exp_ineq1_le ((u - u0) / 2)). replace (s * u0 * exp ((u - u0) / 2)) with (s * (u0 * exp ((u - u0) / 2))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_compat_l u0) in X; [|lra].
      assert ((u - u0) * 2 <= (u - u0) * u0) by (apply Rmult_le_compat_l; lra). lra. }
    apply Rle_trans with (s * u * exp (- (u * u) / 2 + 3 / 2 * (s * u))).
    { replace (q * (v * exp (lam * v))) with (v * (q * exp (lam * v))) by ring. apply Rmult_le_compat; auto.
      apply Rmult_le_pos; [lra|left; apply exp_pos]. }
    apply Rle_trans with (s * u0 * exp ((u - u0) / 2) * exp (- (u * u) / 2 + 3 / 2 * (s * u))).
    { apply Rmult_le_compat_r; [left; apply exp_pos|exact V]. }
    rewrite Rmult_assoc, <- exp_plus. apply Rmult_le_compat; [apply Rmult_le_pos; lra|left; apply exp_pos|exact Su|].
    rewrite Cc, <- exp_plus. apply exp_le. lra.
  + assert (exp (3 / 2 * Y) <= exp (2 * Y)) by (apply exp_le; lra).
    assert (c * exp (3 / 2 * Y) * Y <= 1 / 4).
    { apply Rle_trans with (2 := c_small'). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
    nra.
Qed.

Notation right_total b := (exp (- b) * tilted lam p q + tilted lam (1 - p) (1 - q)).
Notation left_total b := (exp (- b) * tilted lam q p + tilted lam (1 - q) (1 - p)).

Lemma exp_down_1 b : 0 <= b -> exp (- b) <= 1.
Proof. intros B. rewrite <- exp_0. apply exp_le. lra. Qed.

Lemma rare_right b : 0 <= b -> p < c * c -> right_total b <= 1 + lam * c.
Proof.
intros B R0. destruct (rare R0) as [H _]. destruct (chances s x s_small) as (P & Q & Le).
destruct (y_range s x s_small) as (Y0 & _). rewrite (proj1 (tilted_pq lam s x)).
assert (O := others_right lam s x lam_range s_small). assert (E := exp_down_1 b B). assert (E' := exp_down_1 (lam * y) ltac:(nra)).
assert (T : exp (- b) * (p * exp (- (lam * y))) <= p).
{ replace (exp (- b) * (p * exp (- (lam * y)))) with (p * (exp (- b) * exp (- (lam * y)))) by ring.
  apply Rle_trans with (p * 1); [|lra]. apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (1 * 1); [|lra].
  apply Rmult_le_compat; try lra; left; apply exp_pos. }
assert (C1 : c < 1 / 2) by (assert (exp (- (1)) < 1 / 2) by interval with (i_prec 60); lra).
assert (D : (q - p) * (q - p) / (1 - q) <= c / 4).
{ apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rmult_le_compat; lra. }
assert (lam * (q - p + (q - p) * (q - p) / (1 - q)) <= lam * c) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma rare_left b : 0 <= b -> p < c * c -> left_total b <= 1 + lam * c.
Proof.
intros B R0. destruct (rare R0) as [_ H]. destruct (chances s x s_small) as (P & Q & Le).
destruct (y_range s x s_small) as (Y0 & _). rewrite (proj2 (tilted_pq lam s x)).
assert (O : tilted lam (1 - q) (1 - p) <= 1 - q) by (apply tilted_at_most; lra).
assert (E := exp_down_1 b B). assert (F := exp_first (lam * y) ltac:(nra)). assert (G := exp_pos (lam * y)).
assert (T : exp (- b) * (q * exp (lam * y)) <= q * exp (lam * y)).
{ apply Rle_trans with (1 * (q * exp (lam * y))); [|lra]. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact E]. }
assert (W : q * (exp (lam * y) - 1) <= lam * (c / 4)).
{ apply Rle_trans with (q * (lam * y * exp (lam * y))); [apply Rmult_le_compat_l; lra|].
  replace (q * (lam * y * exp (lam * y))) with (lam * (q * (y * exp (lam * y)))) by ring. apply Rmult_le_compat_l; lra. }
nra.
Qed.

(* What b has to be, over lam, where p >= c^2 and q <= 1/2. *)
Definition needed_right := S * S * (A * L + 3 / 2 * exp (2 * Y) - c * N / p).
Definition needed_left := S * S * ((1 + lam) * - ln q + 3 / 2 * exp (4 * Y) - kappa * (c * N) / q).

Lemma likely_y : c * c <= p -> y <= Y /\ y * y <= 2 * (S * S) * L /\ 0 < L.
Proof.
intros R0. destruct (chances s x s_small) as (P & Q & Le). destruct (y_range s x s_small) as (Y0 & _ & Y2 & _).
destruct u0_facts as (U & U2 & Cc).
assert (Lp : 0 < L) by (assert (ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra); lra).
assert (Big : 2 * (s * s) * L <= 2 * (S * S) * L).
{ apply Rmult_le_compat_r; [lra|]. assert (s * s <= S * S) by (apply Rmult_le_compat; lra). lra. }
split; [|split; [lra|exact Lp]].
assert (Ll : L <= u0 * u0 / 2).
{ assert (ln (c * c) <= ln p) by (destruct R0 as [R0|R0]; [left; apply ln_increasing; nra|rewrite R0; lra]).
  rewrite Cc, ln_exp in H. lra. }
apply Rsqr_incr_0_var; [|generalize Y_positive; lra]. unfold Rsqr, Y.
apply Rle_trans with (2 * (S * S) * L); [lra|]. replace (S * u0 * (S * u0)) with (S * S * (u0 * u0)) by ring.
assert (0 < S * S) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma over_1 z b : z < 1 -> (z <= 0 -> 0 <= b) -> (0 <= z -> z + z * z / (2 * (1 - z)) <= b) -> exp (- b) <= 1 - z.
Proof.
intros Z B C. destruct (Rle_lt_dec z 0) as [N0|N0].
- apply Rle_trans with 1; [now apply exp_down_1, B|lra].
- apply Rle_trans with (2 := log_down z ltac:(lra)). apply exp_le. generalize (C ltac:(lra)). lra.
Qed.

Lemma likely_right b : 0 <= b -> c * c <= p -> q <= 1 / 2 -> lam * needed_right <= b -> right_total b <= 1 + lam * c.
Proof.
intros B R0 Half Need. destruct (chances s x s_small) as (P & Q & Le). destruct (y_range s x s_small) as (Y0 & _).
destruct (likely_y R0) as (Y1 & Y2 & Lp). apply (right_from lam s c x b lam_range s_small Half). set (v := y) in *. set (E := exp v - 1).
assert (Ev := exp_pos v). assert (X1 := exp_first v Y0). assert (X2 := exp_second v Y0).
assert (Ey : exp v <= exp Y) by (now apply exp_le). assert (E1 : 1 <= exp v) by (rewrite <- exp_0; now apply exp_le).
set (z := lam * E + 2 * lam * p * (E * E) - lam * c / p).
apply Rle_trans with (1 - z); [|right; unfold z; field; lra].
assert (E0 : 0 <= E <= v * exp Y) by (unfold E; split; [lra|]; apply Rle_trans with (1 := X1); apply Rmult_le_compat_l; lra).
assert (Ip : 0 < c / p) by (apply Rdiv_lt_0_compat; lra).
assert (Zc : z <= lam * (E * exp v)).
{ unfold z. replace (lam * c / p) with (lam * (c / p)) by (field; lra). assert (E2 : 0 <= E * E) by apply (Rle_0_sqr E).
  assert (2 * p * (E * E) <= 1 * (E * E)) by (apply Rmult_le_compat_r; lra). assert (E * exp v = E + E * E) as -> by (unfold E; ring).
  assert (lam * (2 * p * (E * E)) <= lam * (1 * (E * E))) by (apply Rmult_le_compat_l; lra).
  assert (0 < lam * (c / p)) by (apply Rmult_lt_0_compat; lra). lra. }
assert (Zs : lam * (E * exp v) <= 1 / 2).
{ apply Rle_trans with (2 := small). rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat; try lra. unfold E. lra. }
apply over_1; [lra|intros _; assert (0 <= lam * v) by (apply Rmult_le_pos; lra); lra|]. intros Zp.
set (d := 1 - lam * (exp Y - 1) * exp Y). assert (Dp : 1 / 2 <= d) by (unfold d; lra).
assert (Dz : d <= 1 - z).
{ unfold d. assert (lam * (E * exp v) <= lam * (exp Y - 1) * exp Y); [|lra].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; unfold E; lra. }
assert (Z2 : z * z / (2 * (1 - z)) <= lam * (v * v / 2) * (lam * exp (4 * Y) / d)).
{ assert (Zv : z <= lam * (v * exp (2 * Y))).
  { apply Rle_trans with (1 := Zc). apply Rmult_le_compat_l; [lra|]. replace (2 * Y) with (Y + Y) by ring. rewrite exp_plus.
    rewrite <- Rmult_assoc. apply Rmult_le_compat; lra. }
  assert (Zz : z * z <= lam * (v * exp (2 * Y)) * (lam * (v * exp (2 * Y)))) by (apply Rmult_le_compat; lra).
  replace (exp (4 * Y)) with (exp (2 * Y) * exp (2 * Y)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rle_trans with (lam * (v * exp (2 * Y)) * (lam * (v * exp (2 * Y))) * / (2 * d)).
  - apply Rmult_le_compat; [apply (Rle_0_sqr z)|left; apply Rinv_0_lt_compat; lra|exact Zz|apply Rinv_le_contravar; lra].
  - right. field. lra. }
assert (V2 : 0 <= v * v) by apply (Rle_0_sqr v).
assert (T1 : E - v <= v * v / 2 * exp Y).
{ unfold E. apply Rle_trans with (v * v / 2 * exp v); [lra|]. apply Rmult_le_compat_l; lra. }
assert (T2 : E * E <= v * v * exp (2 * Y)).
{ replace (2 * Y) with (Y + Y) by ring. rewrite exp_plus. replace (v * v * (exp Y * exp Y)) with (v * exp Y * (v * exp Y)) by ring.
  apply Rmult_le_compat; lra. }
assert (Beta : z - lam * v + z * z / (2 * (1 - z)) <= lam * (v * v / 2 * A + 2 * p * (v * v * exp (2 * Y)) - c / p)).
{ unfold A. fold d. unfold z in *. replace (lam * c / p) with (lam * (c / p)) in * by (field; lra).
  assert (lam * (p * (E * E)) <= lam * (p * (v * v * exp (2 * Y)))) by (apply Rmult_le_compat_l; [|apply Rmult_le_compat_l]; lra).
  assert (lam * (E - v) <= lam * (v * v / 2 * exp Y)) by (apply Rmult_le_compat_l; lra). lra. }
assert (Ap : 0 < A).
{ unfold A. fold d. assert (0 < lam * exp (4 * Y) / d) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply exp_pos]|lra]).
  generalize (exp_pos Y). lra. }
assert (G : v * v / 2 * A + 2 * p * (v * v * exp (2 * Y)) - c / p <= needed_right).
{ unfold needed_right. assert (En := entropy p ltac:(lra)). assert (S2 : 0 < S * S) by (apply Rmult_lt_0_compat; lra).
  assert (W := exp_pos (2 * Y)).
  assert (G1 : v * v / 2 * A <= S * S * L * A) by (apply Rmult_le_compat_r; lra).
  assert (G2 : p * (v * v) <= p * (2 * (S * S) * L)) by (apply Rmult_le_compat_l; lra).
  assert (G3 : p * (2 * (S * S) * L) <= S * S * (3 / 4)).
  { replace (p * (2 * (S * S) * L)) with (S * S * (2 * (p * L))) by ring. apply Rmult_le_compat_l; lra. }
  assert (G4 : p * (v * v) * exp (2 * Y) <= S * S * (3 / 4) * exp (2 * Y)) by (apply Rmult_le_compat_r; lra).
  assert (G5 : S * S * (c * N / p) = c / p) by (replace (S * S * (c * N / p)) with (S * S * N * (c / p)) by (field; lra); rewrite S_square; ring).
  rewrite <- G5 at 1. lra. }
assert (lam * (v * v / 2 * A + 2 * p * (v * v * exp (2 * Y)) - c / p) <= lam * needed_right) by (apply Rmult_le_compat_l; lra).
lra.
Qed.

Lemma likely_left b : 0 <= b -> c * c <= p -> q <= 1 / 2 -> lam * needed_left <= b -> left_total b <= 1 + lam * c.
Proof.
intros B R0 Half Need. destruct (chances s x s_small) as (P & Q & Le). destruct (y_range s x s_small) as (Y0 & _ & _ & _).
destruct (likely_y R0) as (Y1 & Y2 & Lp). apply left_from; try lra. intros E0 Qp K [W0 W1].
assert (Lq : - ln p = - ln q + y) by ring. set (v := y) in *. set (E := 1 - exp (- v)) in *.
set (w := lam * (E * (1 - 2 * q * E))) in *. set (k := lam * c / q) in *. clearbody v.
assert (Lv : lam * v <= lam * Y) by (apply Rmult_le_compat_l; lra).
destruct (Rle_lt_dec (exp (lam * Y) - 1) k) as [Large|Small].
- apply Rle_trans with (exp (lam * Y)); [apply exp_le; lra|lra].
- apply Rle_trans with (2 := log_up w k W0 (Rlt_le _ _ K)). apply exp_le.
  assert (X := exp_ineq1_le (lam * Y)).
  assert (Top : 1 + w + k <= exp (2 * lam * Y)).
  { assert (lam * v <= lam * Y) by (apply Rmult_le_compat_l; lra).
    replace (2 * lam * Y) with (lam * Y + lam * Y) by ring. rewrite exp_plus.
    assert (0 <= (exp (lam * Y) - 1) * (exp (lam * Y) - 1)) by apply (Rle_0_sqr (exp (lam * Y) - 1)). lra. }
  assert (Kk : kappa * k <= k / (1 + w + k)).
  { unfold kappa. rewrite exp_Ropp. unfold Rdiv. rewrite (Rmult_comm (/ _)). apply Rmult_le_compat_l; [lra|].
    apply Rinv_le_contravar; lra. }
  assert (W2 : w * w / 2 <= lam * (lam * (v * v) / 2)).
  { assert (w * w <= lam * v * (lam * v)) by (apply Rmult_le_compat; lra). lra. }
  assert (G : v - E + 2 * q * (E * E) + lam * (v * v) / 2 - kappa * (c / q) <= needed_left).
  { unfold needed_left. assert (En := entropy q ltac:(lra)). assert (S2 : 0 < S * S) by (apply Rmult_lt_0_compat; lra).
    assert (V2 : 0 <= v * v) by apply (Rle_0_sqr v). assert (Ee : E * E <= v * v) by (apply Rmult_le_compat; lra).
    assert (F := exp_ineq1_le (4 * Y)). assert (YP := Y_positive).
    rewrite Lq in Y2.
    assert (Lq0 : 0 <= - ln q) by (assert (ln q <= 0) by (rewrite <- ln_1; left; apply ln_increasing; lra); lra).
    assert (G0 : q * (E * E) <= q * (v * v)) by (apply Rmult_le_compat_l; lra).
    assert (G1 : (1 + lam) / 2 * (v * v) <= (1 + lam) / 2 * (2 * (S * S) * (- ln q + v))) by (apply Rmult_le_compat_l; lra).
    assert (G2 : q * (v * v) <= q * (2 * (S * S) * (- ln q + v))) by (apply Rmult_le_compat_l; lra).
    assert (G3 : q * (2 * (S * S) * (- ln q + v)) <= S * S * (3 / 4 + Y)).
    { replace (q * (2 * (S * S) * (- ln q + v))) with (S * S * (2 * (q * - ln q) + 2 * q * v)) by ring.
      apply Rmult_le_compat_l; [lra|]. assert (q * v <= 1 / 2 * Y) by (apply Rmult_le_compat; lra). lra. }
    assert (G4 : (1 + lam) / 2 * (2 * (S * S) * (- ln q + v)) <= S * S * ((1 + lam) * - ln q + 3 / 2 * Y)).
    { replace ((1 + lam) / 2 * (2 * (S * S) * (- ln q + v))) with (S * S * ((1 + lam) * - ln q + (1 + lam) * v)) by field.
      apply Rmult_le_compat_l; [lra|]. assert ((1 + lam) * v <= 3 / 2 * Y) by (apply Rmult_le_compat; lra). lra. }
    assert (G5 : S * S * (kappa * (c * N) / q) = kappa * (c / q)).
    { replace (S * S * (kappa * (c * N) / q)) with (S * S * N * (kappa * (c / q))) by (field; lra). rewrite S_square. ring. }
    assert (G6 : S * S * (3 / 2 + 7 / 2 * Y) <= S * S * (3 / 2 * exp (4 * Y))) by (apply Rmult_le_compat_l; lra).
    rewrite <- G5. lra. }
  assert (Kc : kappa * k = lam * (kappa * (c / q))) by (unfold k; field; lra).
  assert (Wv : lam * v - w = lam * (v - E + 2 * q * (E * E))) by (unfold w; ring).
  assert (lam * (v - E + 2 * q * (E * E) + lam * (v * v) / 2 - kappa * (c / q)) <= lam * needed_left) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* Where q is more than 1/2. *)
Lemma likely_pull : 1 / 2 <= q -> 1 - 2 * S <= 2 * tilted lam p q /\ 1 - 2 * S <= 2 * tilted lam q p.
Proof.
intros Half. destruct (chances s x s_small) as (P & Q & Le). destruct (y_range s x s_small) as (Y0 & Y1 & _).
rewrite (proj1 (tilted_pq lam s x)), (proj2 (tilted_pq lam s x)).
assert (Z := Phi_opp 0). rewrite Ropp_0 in Z.
assert (X : x <= s).
{ apply Rnot_lt_le. intros N0. assert (q < Phi 0) by (apply Phi_increases; lra). lra. }
assert (Pl : 1 / 2 - s / 2 <= p).
{ assert (Phi (- s) <= p) by (apply Phi_le; lra). rewrite Phi_opp in H. generalize (Phi_near s ltac:(lra)). lra. }
assert (Hx : hazard x <= 112 / 100).
{ apply Rle_trans with (hazard (1 / 10)); [apply hazard_rises; lra|].
  assert (T : 45 / 100 <= Phi (- (1 / 10))) by (rewrite Phi_opp; generalize (Phi_near (1 / 10) ltac:(lra)); lra).
  unfold hazard. apply Rmult_le_reg_r with (Phi (- (1 / 10))); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  generalize (density_below_half (1 / 10)). lra. }
assert (H0 := hazard_positive x).
assert (Yl : y <= 112 / 100 * S).
{ apply Rle_trans with (1 := Y1). rewrite Rmult_comm. apply Rmult_le_compat; lra. }
assert (E := exp_ineq1_le (- (lam * y))). assert (E' := exp_ineq1_le (lam * y)).
set (v := y) in *. clearbody v. assert (lam * v <= 56 / 100 * S) by nra. split.
- assert ((1 / 2 - S / 2) * (1 - 56 / 100 * S) <= p * exp (- (lam * v))) by (apply Rmult_le_compat; lra). nra.
- assert (1 / 2 * 1 <= q * exp (lam * v)) by (apply Rmult_le_compat; nra). lra.
Qed.

Lemma tilt_paid b first : 1 - 2 * S <= 2 * first -> 3 / 2 * lam * exp (4 * Y) * (S * S) <= b -> tilt lam s - (1 - exp (- b)) * first <= 1.
Proof.
intros F B. set (t := 3 / 4 * lam * (S * S)). assert (S2 : 0 < S * S <= S / 10) by nra.
assert (T : 0 < t <= S / 25) by (unfold t; nra).
assert (Tl : tilt lam s <= exp t).
{ apply exp_le. unfold t. assert (s * s <= S * S) by (apply Rmult_le_compat; lra). nra. }
assert (YP := Y_positive). assert (X := exp_ineq1_le (4 * Y)). set (b0 := 2 * t * (1 + 8 * S)).
assert (B0 : 0 < b0 <= b).
{ split; [unfold b0; nra|]. apply Rle_trans with (2 := B). unfold b0, t.
  replace (2 * (3 / 4 * lam * (S * S)) * (1 + 8 * S)) with (3 / 2 * lam * (1 + 8 * S) * (S * S)) by field.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
assert (E : exp (- b) <= 1 - b0 + b0 * b0 / 2).
{ apply Rle_trans with (exp (- b0)); [apply exp_le; lra|apply exp_down; lra]. }
assert (Et : exp t <= 1 + t + t * t).
{ assert (G := exp_second t ltac:(lra)). assert (T2 : 0 <= t * t) by apply (Rle_0_sqr t).
  assert (exp t <= 2); [|assert (t * t / 2 * exp t <= t * t / 2 * 2) by (apply Rmult_le_compat_l; lra); lra].
  apply Rle_trans with (exp (1 / 2)); [apply exp_le; lra|interval with (i_prec 60)]. }
assert (M : t + t * t <= (b0 - b0 * b0 / 2) * (1 / 2 - S)).
{ unfold b0. replace ((2 * t * (1 + 8 * S) - 2 * t * (1 + 8 * S) * (2 * t * (1 + 8 * S)) / 2) * (1 / 2 - S)) with
    (t * ((1 + 8 * S) * (1 - 2 * S) * (1 - t * (1 + 8 * S)))) by field.
  replace (t + t * t) with (t * (1 + t)) by ring. apply Rmult_le_compat_l; [lra|].
  assert (Q1 : 1 + 4 * S <= (1 + 8 * S) * (1 - 2 * S)) by nra.
  assert (Q2 : t * (1 + 8 * S) <= S / 10) by nra.
  apply Rle_trans with ((1 + 4 * S) * (1 - S / 10)); [nra|]. apply Rmult_le_compat; lra. }
assert ((b0 - b0 * b0 / 2) * (1 / 2 - S) <= (1 - exp (- b)) * first); [|lra].
assert (Small : t * (1 + 8 * S) <= 1 / 250 * (18 / 10)) by (apply Rmult_le_compat; lra).
assert (0 <= b0 - b0 * b0 / 2).
{ replace (b0 - b0 * b0 / 2) with (b0 * (1 - b0 / 2)) by field. apply Rmult_le_pos; [lra|unfold b0; lra]. }
 apply Rmult_le_compat; lra.
Qed.
End One.

(** * Enough, in closed form *)
Definition closed_b := lam * (A * Rmax 0 (ln (A / (c * N)) - 1 + 2 * lam * Y) + 3 / 2 * exp (4 * Y)) / N.

Lemma N_positive : 0 < N.
Proof. apply Rnot_le_lt. intros H. nra. Qed.

Lemma A_facts : 1 + lam <= A /\ A <= 2 * exp (4 * Y).
Proof.
assert (YP := Y_positive). set (d := 1 - lam * (exp Y - 1) * exp Y).
assert (E1 : 1 <= exp Y) by (rewrite <- exp_0; apply exp_le; lra).
assert (E4 : exp Y <= exp (4 * Y)) by (apply exp_le; lra).
assert (D : 1 / 2 <= d <= 1).
{ unfold d. assert (0 <= lam * (exp Y - 1) * exp Y) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra. }
assert (I : 1 <= / d <= 2).
{ split; [rewrite <- Rinv_1; apply Rinv_le_contravar; lra|]. replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra. }
assert (P := exp_pos (4 * Y)). unfold A. fold d. unfold Rdiv. split.
- assert (lam * 1 * 1 <= lam * exp (4 * Y) * / d) by (repeat apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra). lra.
- assert (lam * exp (4 * Y) * / d <= 1 / 2 * exp (4 * Y) * 2) by (repeat apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra). lra.
Qed.

Lemma closed_is : closed_b = lam * (S * S * (A * Rmax 0 (ln (A / (c * N)) - 1 + 2 * lam * Y) + 3 / 2 * exp (4 * Y))).
Proof.
assert (N0 := N_positive). assert (I : / N = S * S) by (apply Rmult_eq_reg_r with N; [rewrite Rinv_l, S_square|]; lra).
unfold closed_b, Rdiv. rewrite I. ring.
Qed.

Lemma closed_enough z : 0 < z < 1 ->
  S * S * (A * - ln z + 3 / 2 * exp (2 * Y) - c * N / z) <=
    S * S * (A * Rmax 0 (ln (A / (c * N)) - 1 + 2 * lam * Y) + 3 / 2 * exp (4 * Y)) /\
  S * S * ((1 + lam) * - ln z + 3 / 2 * exp (4 * Y) - kappa * (c * N) / z) <=
    S * S * (A * Rmax 0 (ln (A / (c * N)) - 1 + 2 * lam * Y) + 3 / 2 * exp (4 * Y)).
Proof.
intros Z. assert (N0 := N_positive). destruct A_facts as [A1 _]. assert (YP := Y_positive).
assert (S2 : 0 < S * S) by (apply Rmult_lt_0_compat; lra). assert (Cn : 0 < c * N) by (apply Rmult_lt_0_compat; lra).
set (M := ln (A / (c * N)) - 1 + 2 * lam * Y). assert (M1 := Rmax_l 0 M). assert (M2 := Rmax_r 0 M).
assert (LY : 0 <= lam * Y) by (apply Rmult_le_pos; lra).
assert (E : exp (2 * Y) <= exp (4 * Y)) by (apply exp_le; lra). split; apply Rmult_le_compat_l; try lra.
- assert (B := best_place A (c * N) z ltac:(lra) Cn (proj1 Z)).
  assert (A * (ln (A / (c * N)) - 1) <= A * Rmax 0 M) by (apply Rmult_le_compat_l; unfold M in *; lra). lra.
- assert (K : 0 < kappa) by apply exp_pos. assert (Kc : 0 < kappa * (c * N)) by (apply Rmult_lt_0_compat; lra).
  assert (B := best_place (1 + lam) (kappa * (c * N)) z ltac:(lra) Kc (proj1 Z)).
  assert (Lg : ln ((1 + lam) / (kappa * (c * N))) = ln (1 + lam) - ln (c * N) + 2 * lam * Y).
  { unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_mult by (try apply Rinv_0_lt_compat; lra).
    unfold kappa. rewrite ln_exp. ring. }
  assert (Ag : ln (A / (c * N)) = ln A - ln (c * N)).
  { unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring. }
  assert (Mono : ln (1 + lam) <= ln A) by (destruct A1 as [A1|<-]; [left; apply ln_increasing; lra|apply Rle_refl]).
  assert (W : (1 + lam) * (ln ((1 + lam) / (kappa * (c * N))) - 1) <= (1 + lam) * Rmax 0 M).
  { apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := M2). unfold M. rewrite Lg, Ag. lra. }
  assert ((1 + lam) * Rmax 0 M <= A * Rmax 0 M) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma below_cost : 1 + lam * c <= exp (lam * c).
Proof. apply exp_ineq1_le. Qed.

Definition pays_both b p q :=
  exp (- b) * tilted lam p q + tilted lam (1 - p) (1 - q) <= exp (lam * c) /\
  exp (- b) * tilted lam q p + tilted lam (1 - q) (1 - p) <= exp (lam * c).

Lemma pays_if b s x : 0 <= s <= S -> 0 <= b ->
  (forall z, 0 < z < 1 -> lam * (S * S * (A * - ln z + 3 / 2 * exp (2 * Y) - c * N / z)) <= b) ->
  (forall z, 0 < z < 1 -> lam * (S * S * ((1 + lam) * - ln z + 3 / 2 * exp (4 * Y) - kappa * (c * N) / z)) <= b) ->
  3 / 2 * lam * exp (4 * Y) * (S * S) <= b \/ tilt lam s <= exp (lam * c) -> pays_both b (Phi (- x)) (Phi (s - x)).
Proof.
intros H B R0 L0 T. assert (E := below_cost). destruct (chances s x (s_small s H)) as (P & Q & Le).
destruct (Rlt_le_dec (Phi (- x)) (c * c)) as [Rare|Likely].
{ split; eapply Rle_trans; [now apply rare_right|exact E|now apply rare_left|exact E]. }
destruct (Rle_lt_dec (Phi (s - x)) (1 / 2)) as [Half|Half].
{ split; eapply Rle_trans; [apply likely_right; auto; apply R0, P|exact E|apply likely_left; auto; apply L0, Q|exact E]. }
assert (Wr := whole_right lam s x lam_range). assert (Wl := whole_left lam s x lam_range). assert (Ex := exp_down_1 b B).
destruct (likely_pull s x H ltac:(lra)) as [Fr Fl].
assert (Tr : 0 < tilted lam (Phi (- x)) (Phi (s - x))) by (apply tilted_positive; lra).
assert (Tl : 0 < tilted lam (Phi (s - x)) (Phi (- x))) by (apply tilted_positive; lra).
destruct T as [T|T].
- assert (One : 1 <= exp (lam * c)) by (assert (0 <= lam * c) by (apply Rmult_le_pos; lra); lra).
  generalize (tilt_paid s H b _ Fr T) (tilt_paid s H b _ Fl T). split; lra.
- assert (exp (- b) * tilted lam (Phi (- x)) (Phi (s - x)) <= 1 * tilted lam (Phi (- x)) (Phi (s - x))) by (apply Rmult_le_compat_r; lra).
  assert (exp (- b) * tilted lam (Phi (s - x)) (Phi (- x)) <= 1 * tilted lam (Phi (s - x)) (Phi (- x))) by (apply Rmult_le_compat_r; lra).
  split; lra.
Qed.

Theorem late_enough s x : 0 <= s <= S -> pays_both closed_b (Phi (- x)) (Phi (s - x)).
Proof.
intros H. assert (YP := Y_positive). destruct A_facts as [A1 _]. assert (S2 : 0 < S * S) by (apply Rmult_lt_0_compat; lra).
assert (P := exp_pos (4 * Y)). assert (M1 := Rmax_l 0 (ln (A / (c * N)) - 1 + 2 * lam * Y)).
assert (Am : 0 <= A * Rmax 0 (ln (A / (c * N)) - 1 + 2 * lam * Y)) by (apply Rmult_le_pos; lra).
apply pays_if; [exact H| | | |left]; rewrite closed_is.
- apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
- intros z Z. apply Rmult_le_compat_l; [lra|]. now apply closed_enough.
- intros z Z. apply Rmult_le_compat_l; [lra|]. now apply closed_enough.
- replace (3 / 2 * lam * exp (4 * Y) * (S * S)) with (lam * (S * S * (3 / 2 * exp (4 * Y)))) by ring.
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

(* Later on nothing is needed. *)
Theorem nothing_later s x : 3 * exp (4 * Y + 2 * lam * Y) / c < N -> 0 <= s <= S -> pays_both 0 (Phi (- x)) (Phi (s - x)).
Proof.
intros Far H. assert (YP := Y_positive). destruct A_facts as [A1 A2]. assert (S2 : 0 < S * S) by (apply Rmult_lt_0_compat; lra).
assert (P := exp_pos (4 * Y)). assert (N0 := N_positive).
assert (Cn : 3 * exp (4 * Y) * exp (2 * lam * Y) < c * N).
{ apply (Rmult_lt_compat_l c) in Far; [|lra]. replace (c * (3 * exp (4 * Y + 2 * lam * Y) / c)) with
    (3 * exp (4 * Y + 2 * lam * Y)) in Far by (field; lra). rewrite exp_plus in Far. lra. }
assert (LY : 0 <= lam * Y) by (apply Rmult_le_pos; lra).
assert (E2 : 1 <= exp (2 * lam * Y)) by (rewrite <- exp_0; apply exp_le; lra).
assert (E : exp (2 * Y) <= exp (4 * Y)) by (apply exp_le; lra).
assert (E4 : 1 <= exp (4 * Y)) by (rewrite <- exp_0; apply exp_le; lra).
assert (Far1 : 3 * exp (4 * Y) <= c * N) by nra.
assert (Far2 : 3 * exp (4 * Y) <= kappa * (c * N)).
{ unfold kappa. rewrite exp_Ropp. apply Rmult_le_reg_l with (exp (2 * lam * Y)); [lra|].
  replace (exp (2 * lam * Y) * (/ exp (2 * lam * Y) * (c * N))) with (c * N) by (field; lra). lra. }
assert (Ln : forall z, 0 < z < 1 -> 0 <= - ln z <= / z - 1 /\ 1 <= / z).
{ intros z Z. assert (X := exp_ineq1_le (- ln z)). rewrite exp_Ropp, exp_ln in X by lra.
  assert (ln z <= 0) by (rewrite <- ln_1; left; apply ln_increasing; lra). lra. }
assert (Neg : forall u, u <= 0 -> lam * (S * S * u) <= 0).
{ intros u U. assert (0 <= lam * (S * S)) by (apply Rmult_le_pos; lra). nra. }
apply pays_if; [exact H|apply Rle_refl| | |right].
- intros z Z. apply Neg. destruct (Ln z Z) as [L I]. unfold Rdiv.
  assert (A * - ln z <= 2 * exp (4 * Y) * (/ z - 1)) by (apply Rmult_le_compat; lra).
  assert (3 * exp (4 * Y) * / z <= c * N * / z) by (apply Rmult_le_compat_r; lra). nra.
- intros z Z. apply Neg. destruct (Ln z Z) as [L I]. unfold Rdiv.
  assert ((1 + lam) * - ln z <= 2 * exp (4 * Y) * (/ z - 1)) by (apply Rmult_le_compat; lra).
  assert (3 * exp (4 * Y) * / z <= kappa * (c * N) * / z) by (apply Rmult_le_compat_r; lra). nra.
- unfold tilt. apply exp_le. assert (s * s <= S * S) by (apply Rmult_le_compat; lra).
  assert (S * S <= c). { apply Rmult_le_reg_r with N; [exact N0|]. rewrite S_square. lra. }
  assert ((1 + lam) * lam * (s * s) <= 2 * lam * c); [|lra].
  apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply (Rle_0_sqr s)|apply Rmult_le_compat_r; lra|lra].
Qed.
End Late.
