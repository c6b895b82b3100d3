(* What a round costs with two arms, where thresholds lie within sqrt N and N - 1 is the number of pulls of the changed arm:
   numbers b that pay for every coin (p, q) in both orders, from N = 2 on. lam <= 1/5, and c is the price of a round. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes normal_tails tilted_rounds two_arms_ratio.
Open Scope R_scope.

Section Paid.
Variables (lam N c s x : R).
Hypotheses (lam_range : 0 < lam <= 1 / 5) (N_range : 2 <= N) (c_positive : 0 < c).
Hypotheses (s_range : 0 <= s <= / sqrt N) (x_range : x <= sqrt N).
Notation p := (Phi (- x)).
Notation q := (Phi (s - x)).
Notation y := (ln (Phi (s - x)) - ln (Phi (- x))).
Notation L := (- ln (Phi (- x))).
Notation right_total b := (exp (- b) * tilted lam p q + tilted lam (1 - p) (1 - q)).
Notation left_total b := (exp (- b) * tilted lam q p + tilted lam (1 - q) (1 - p)).

Lemma coin_facts : (0 < p < 1 /\ 0 < q < 1 /\ p <= q) /\ 0 <= y /\ q = p * exp y /\ N * (y * y) <= 2 * L /\
  N * (p * (y * y)) <= 3 / 4 /\ p <= exp (- (N * (y * y) / 2)).
Proof.
assert (C := chances s x ltac:(lra)). destruct (y_range s x ltac:(lra)) as (Y0 & _ & Y2 & E).
destruct (root_facts N N_range) as (R0 & R2 & RI & I0). destruct C as (P & Q & Le).
assert (L0 : 0 <= L) by (assert (ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra); lra).
assert (Ss : N * (s * s) <= 1).
{ assert (0 <= sqrt N * s <= 1) by (split; [apply Rmult_le_pos; lra|rewrite <- RI; apply Rmult_le_compat_l; lra]).
  replace (N * (s * s)) with (sqrt N * s * (sqrt N * s)) by (rewrite <- R2 at 3; ring). nra. }
assert (Ny : N * (y * y) <= 2 * L).
{ apply Rle_trans with (N * (2 * (s * s) * L)); [apply Rmult_le_compat_l; lra|].
  replace (N * (2 * (s * s) * L)) with (2 * L * (N * (s * s))) by ring. nra. }
split; [auto|]. split; [exact Y0|split; [exact E|split; [exact Ny|]]]. assert (En := entropy p (proj1 P)). split.
- replace (N * (p * (y * y))) with (p * (N * (y * y))) by ring. apply Rle_trans with (p * (2 * L)); [apply Rmult_le_compat_l; lra|lra].
- rewrite <- (exp_ln p) at 1 by lra. apply exp_le. lra.
Qed.

(** * The pull is the less likely one: R has p first *)
Lemma right_if b z k : q <= 1 / 2 -> 0 <= b -> z = lam * (exp y - 1 + 2 * p * ((exp y - 1) * (exp y - 1))) -> z < 1 ->
  k = lam * (c / p) -> (k < z -> exp (- (b + lam * y)) <= (1 - z) * exp k) -> right_total b <= 1 + lam * c.
Proof.
intros Half B Z Z1 K Main. destruct coin_facts as ((P & Q & Le) & Y0 & _).
assert (K0 : 0 < k) by (rewrite K; apply Rmult_lt_0_compat; [lra|apply Rdiv_lt_0_compat; lra]).
apply (right_from lam s c x b); [lra|lra|exact Half|]. rewrite <- Z, <- K. set (v := y) in *.
destruct (Rle_lt_dec z k) as [Large|Small].
- assert (exp (- (b + lam * v)) <= 1); [|lra]. rewrite <- exp_0. apply exp_le.
  assert (0 <= lam * v) by (apply Rmult_le_pos; lra). lra.
- apply Rle_trans with (1 := Main Small). assert (X := exp_ineq1_le (- k)). rewrite exp_Ropp in X.
  assert (Xk := exp_pos k). apply (Rmult_le_compat_l (exp k)) in X; [|lra]. rewrite Rinv_r in X by lra.
  apply Rmult_le_reg_r with (1 - k); [lra|]. assert (0 <= k * (z - k)) by (apply Rmult_le_pos; lra).
  assert ((1 - z) * (exp k * (1 + - k)) <= (1 - z) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma below_doubled : q <= 1 / 2 -> exp y - 1 + 2 * p * ((exp y - 1) * (exp y - 1)) <= doubled y.
Proof.
intros Half. destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _). set (v := y) in *.
assert (E1 := exp_ineq1_le v). assert (I := exp_pos (- v)). assert (Pq : p = q * exp (- v)).
{ rewrite Eq, Rmult_assoc, <- exp_plus. replace (v + - v) with 0 by ring. rewrite exp_0. ring. }
assert (I1 : exp (- v) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
assert (Pe : 2 * (p * (exp v - 1)) <= 1 - exp (- v)).
{ replace (p * (exp v - 1)) with (q - p) by (rewrite Eq at 1; ring). rewrite Pq. nra. }
unfold doubled. nra.
Qed.

Lemma right_early b : q <= 1 / 2 -> N <= 6 -> 27 / 4 * lam <= b -> right_total b <= 1 + lam * c.
Proof.
intros Half U B. destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _). assert (V := ratio_early N s x N_range s_range x_range U).
assert (D := below_doubled Half). assert (E := doubled_early lam y lam_range ltac:(lra)).
set (z := lam * (exp y - 1 + 2 * p * ((exp y - 1) * (exp y - 1)))) in *.
assert (Z : z <= lam * doubled y) by (apply Rmult_le_compat_l; lra). assert (X := exp_pos (- (27 / 4 * lam))).
apply (right_if b z (lam * (c / p)) Half); [lra|reflexivity|lra|reflexivity|]. intros _.
assert (1 <= exp (lam * (c / p))).
{ rewrite <- exp_0. apply exp_le. apply Rmult_le_pos; [lra|]. apply Rle_mult_inv_pos; lra. }
apply Rle_trans with (1 - z); [|nra]. apply Rle_trans with (exp (- (27 / 4 * lam))); [|lra]. apply exp_le.
assert (0 <= lam * y) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma right_later b : q <= 1 / 2 -> 7 <= N -> 0 <= b ->
  (c / p <= 11 / 3 -> lam * (above_v lam y + 15 / 4 / N - c / p) <= b) -> right_total b <= 1 + lam * c.
Proof.
intros Half U B Need. destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _ & Near & Far).
assert (V := ratio_late N s x N_range s_range x_range U). assert (D := below_doubled Half).
assert (Sq := square_share N p y U (proj1 P) ltac:(lra) Near Far). assert (Cu := log_cubic lam y lam_range ltac:(lra)).
destruct (doubled_rises y (113 / 100)) as [D0 D1]; [lra|lra|].
assert (D2 : doubled (113 / 100) <= 3515 / 1000) by (unfold doubled; interval with (i_prec 50)).
set (v := y) in *. set (E := exp v - 1) in *. set (w := 2 * lam * p * (E * E)). set (z := lam * (E + 2 * p * (E * E))).
assert (W0 : 0 <= w).
{ unfold w. replace (2 * lam * p * (E * E)) with (2 * (lam * p) * (E * E)) by ring. apply Rmult_le_pos; [|apply (Rle_0_sqr E)].
  assert (0 < lam * p) by (apply Rmult_lt_0_compat; lra). lra. }
assert (Zd : z <= lam * doubled v) by (apply Rmult_le_compat_l; lra).
assert (Zs : z <= 1 / 5 * doubled v) by (apply Rle_trans with (1 := Zd); apply Rmult_le_compat_r; lra). assert (Ze : 1 - lam * E = 1 - z + w) by (unfold z, w; ring).
apply (right_if b z (lam * (c / p)) Half B); [reflexivity|lra|reflexivity|]. intros K.
assert (Cp : c / p <= 11 / 3).
{ assert (lam * (c / p) <= lam * doubled v) by lra. apply Rmult_le_reg_l in H; lra. }
specialize (Need Cp). assert (N0 : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (Share : w / (1 - z) <= lam * (15 / 4 / N)).
{ apply Rmult_le_reg_r with (1 - z); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rmult_le_reg_l with N; [lra|].
  replace (N * (lam * (15 / 4 / N) * (1 - z))) with (lam * (15 / 4 * (1 - z))) by (field; lra).
  replace (N * w) with (lam * (N * (2 * p * (E * E)))) by (unfold w; ring). apply Rmult_le_compat_l; lra. }
assert (Low : (1 - lam * E) * exp (- (w / (1 - z))) <= 1 - z).
{ assert (X := exp_ineq1_le (w / (1 - z))). assert (Xp := exp_pos (w / (1 - z))). rewrite exp_Ropp.
  apply Rmult_le_reg_r with (exp (w / (1 - z))); [exact Xp|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with ((1 - z) * (1 + w / (1 - z))); [right; rewrite Ze; field; lra|]. apply Rmult_le_compat_l; lra. }
apply Rle_trans with ((1 - lam * E) * exp (- (w / (1 - z))) * exp (lam * (c / p))).
- apply Rle_trans with (exp (- (lam * (v + above_v lam v))) * exp (- (w / (1 - z))) * exp (lam * (c / p))).
  + rewrite <- !exp_plus. apply exp_le. fold v. lra.
  + apply Rmult_le_compat_r; [left; apply exp_pos|]. apply Rmult_le_compat_r; [left; apply exp_pos|exact Cu].
- apply Rmult_le_compat_r; [left; apply exp_pos|exact Low].
Qed.

(** * L has q first *)
Lemma left_if b : q <= 1 / 2 -> 0 <= b ->
  lam * ((1 + lam) / 2 * (y * y) + 2 * p * (exp y - 1) * y - c * exp (- ((1 + lam) * y)) / p) <= b ->
  left_total b <= 1 + lam * c.
Proof.
intros Half B Need. destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _).
apply left_from; try lra. intros E0 Qp K [W0 W1]. set (v := y) in *. set (E := 1 - exp (- v)) in *.
set (w := lam * (E * (1 - 2 * q * E))) in *. set (k := lam * c / q) in *.
assert (Iv := exp_pos (- v)). assert (Pq : p = q * exp (- v)) by (unfold E in Qp; lra).
assert (Pe : p * (exp v - 1) = q * E) by (rewrite <- Qp, Eq at 1; ring).
destruct (Rle_lt_dec (exp (lam * v)) (1 + w + k)) as [Large|Small].
- apply Rle_trans with (exp (lam * v)); [apply exp_le; lra|exact Large].
- apply Rle_trans with (2 := log_up w k W0 (Rlt_le _ _ K)). apply exp_le.
  assert (Kk : k * exp (- (lam * v)) <= k / (1 + w + k)).
  { rewrite exp_Ropp. unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (Kp : k * exp (- (lam * v)) = lam * (c * exp (- ((1 + lam) * v)) / p)).
  { unfold k. rewrite Pq. replace (- ((1 + lam) * v)) with (- v + - (lam * v)) by ring. rewrite exp_plus. field. lra. }
  assert (W2 : w * w / 2 <= lam * (lam * (v * v) / 2)).
  { assert (w * w <= lam * v * (lam * v)) by (apply Rmult_le_compat; lra). lra. }
  assert (Wv : lam * v - w = lam * (v - E + 2 * (q * E) * E)) by (unfold w; ring).
  assert (QE : 2 * (q * E) * E <= 2 * (q * E) * v) by (apply Rmult_le_compat_l; [assert (0 <= q * E) by (apply Rmult_le_pos; lra); lra|lra]).
  replace (2 * p * (exp v - 1) * v) with (2 * (q * E) * v) in Need by (rewrite <- Pe; ring).
  assert (lam * (v - E + 2 * (q * E) * E) <= lam * (v * v / 2 + 2 * (q * E) * v)) by (apply Rmult_le_compat_l; lra).
  rewrite Kp in Kk. lra.
Qed.

(** * The pull is the likelier one *)
Lemma likelier : 1 / 2 < q -> 1 / 2 - / sqrt N / 2 <= p.
Proof.
intros Half. assert (Z := Phi_opp 0). rewrite Ropp_0 in Z. assert (X : x <= s).
{ apply Rnot_lt_le. intros N0. assert (q < Phi 0) by (apply Phi_increases; lra). lra. }
assert (Pl : Phi (- s) <= p) by (apply Phi_le; lra). rewrite Phi_opp in Pl. generalize (Phi_near s (proj1 s_range)). lra.
Qed.

Lemma tilt_small : tilt lam s - 1 <= lam * (16 / 25) / N.
Proof.
destruct (root_facts N N_range) as (R0 & R2 & RI & I0). assert (N0 : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (In : / sqrt N * / sqrt N = / N) by (rewrite <- Rinv_mult, R2; reflexivity).
assert (Ss : 0 <= s * s <= / N) by (rewrite <- In; split; [apply (Rle_0_sqr s)|apply Rmult_le_compat; lra]).
assert (Nh : / N <= / 2) by (apply Rinv_le_contravar; lra). set (t := 3 / 5 * lam * / N).
assert (T : tilt lam s <= exp t).
{ unfold tilt. apply exp_le. unfold t. replace ((1 + lam) * lam * (s * s) / 2) with ((1 + lam) / 2 * lam * (s * s)) by field.
  apply Rmult_le_compat; try lra; nra. }
assert (T0 : 0 < t <= 6 / 100) by (unfold t; split; [apply Rmult_lt_0_compat; lra|]; nra).
assert (E := exp_first t ltac:(lra)). assert (X : exp t <= 106 / 100 + 2 / 1000).
{ apply Rle_trans with (exp (6 / 100)); [apply exp_le; lra|interval with (i_prec 40)]. }
assert (t * exp t <= t * (106 / 100 + 2 / 1000)) by (apply Rmult_le_compat_l; lra).
assert (0 < lam * / N) by (apply Rmult_lt_0_compat; lra). unfold t in *. unfold Rdiv. lra.
Qed.

Lemma likelier_paid b first f : 1 / 2 < q -> f <= first -> 0 < f -> lam * (16 / 25) / N <= (1 - exp (- b)) * f -> 0 <= b ->
  tilt lam s - (1 - exp (- b)) * first <= 1.
Proof.
intros Half F F0 Enough B. assert (T := tilt_small). assert (E : exp (- b) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
assert ((1 - exp (- b)) * f <= (1 - exp (- b)) * first) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* How likely the pull is, tilted. *)
Lemma likelier_first f : 1 / 2 < q -> f = 99 / 1000 \/ 7 <= N /\ f = 1 / 5 -> f <= tilted lam p q /\ f <= tilted lam q p.
Proof.
intros Half F. assert (P0 := likelier Half). destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _).
rewrite (proj1 (tilted_pq lam s x)), (proj2 (tilted_pq lam s x)). assert (Lq : ln q <= 0).
{ rewrite <- ln_1. left. apply ln_increasing; lra. }
assert (E1 : 1 <= exp (lam * y)) by (rewrite <- exp_0; apply exp_le, Rmult_le_pos; lra).
assert (Second : f <= q * exp (lam * y)) by (destruct F as [->|[_ ->]]; nra). split; [|exact Second].
assert (Down : exp (1 / 5 * ln p) <= exp (- (lam * y))).
{ apply exp_le. assert (lam * y <= 1 / 5 * L) by (apply Rmult_le_compat; lra). lra. }
assert (Low : forall a, 0 < a <= p -> a * exp (1 / 5 * ln a) <= p * exp (- (lam * y))).
{ intros a A. assert (ln a <= ln p) by (destruct (proj2 A) as [G|<-]; [left; apply ln_increasing; lra|lra]).
  apply Rmult_le_compat; [lra|left; apply exp_pos|lra|]. apply Rle_trans with (2 := Down). apply exp_le. lra. }
destruct (root_facts N N_range) as (R0 & R2 & RI & I0). destruct F as [->|[U ->]].
- apply Rle_trans with (2 := Low (146 / 1000) ltac:(split; [lra|];
    apply Rle_trans with (2 := P0); assert (1 / sqrt N <= 708 / 1000) by interval with (i_prec 40); lra)).
  interval with (i_prec 40).
- assert (I7 : / sqrt N <= 379 / 1000).
  { apply Rmult_le_reg_r with (sqrt N); [lra|]. rewrite Rinv_l by lra. assert (2640 / 1000 <= sqrt N); [|lra].
    apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite R2. lra. }
  apply Rle_trans with (2 := Low (310 / 1000) ltac:(lra)). interval with (i_prec 40).
Qed.

(** * All coins *)
Definition pays_totals b := right_total b <= 1 + lam * c /\ left_total b <= 1 + lam * c.

Lemma pays_if b f : 0 <= b -> f = 99 / 1000 \/ 7 <= N /\ f = 1 / 5 -> lam * (16 / 25) / N <= (1 - exp (- b)) * f ->
  (q <= 1 / 2 -> pays_totals b) -> pays_totals b.
Proof.
intros B F Enough Half. destruct (Rle_lt_dec q (1 / 2)) as [H|H]; [now apply Half|].
destruct (likelier_first f H F) as [Fr Fl]. assert (F0 : 0 < f) by (destruct F as [->|[_ ->]]; lra).
assert (Wr := whole_right lam s x ltac:(lra)). assert (Wl := whole_left lam s x ltac:(lra)).
assert (Tr := likelier_paid b _ f H Fr F0 Enough B). assert (Tl := likelier_paid b _ f H Fl F0 Enough B).
assert (0 < lam * c) by (apply Rmult_lt_0_compat; lra). split; lra.
Qed.

(* A few pulls: a flat price. *)
Theorem early_paid b : N <= 6 -> 27 / 4 * lam <= b -> pays_totals b.
Proof.
intros U B. assert (B0 : 0 <= b) by lra. apply (pays_if b (99 / 1000) B0); [now left| |].
- assert (Ex : exp (- b) <= 1 - 37 / 10 * lam).
  { apply Rle_trans with (exp (- (27 / 4 * lam))); [apply exp_le; lra|].
    assert (C := exp_chord (5 * lam) (- (27 / 20)) ltac:(lra)).
    replace (5 * lam * - (27 / 20)) with (- (27 / 4 * lam)) in C by field.
    assert (X : exp (- (27 / 20)) <= 26 / 100) by interval with (i_prec 50). nra. }
  assert (I : / N <= / 2) by (apply Rinv_le_contravar; lra).
  assert (lam * (16 / 25) * / N <= lam * (16 / 25) * / 2) by (apply Rmult_le_compat_l; lra). unfold Rdiv at 1. lra.
- intros Half. split; [now apply right_early|]. assert (V := ratio_early N s x N_range s_range x_range U).
  destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _). apply left_if; [exact Half|exact B0|].
  assert (Pe : p * (exp y - 1) <= 1 / 2) by (replace (p * (exp y - 1)) with (q - p) by (rewrite Eq at 1; ring); lra).
  assert (0 <= c * exp (- ((1 + lam) * y)) / p).
  { apply Rle_mult_inv_pos; [|lra]. apply Rmult_le_pos; [lra|left; apply exp_pos]. }
  set (v := y) in *. assert (v * v <= 29 / 25 * (29 / 25)) by (apply Rmult_le_compat; lra).
  assert (2 * p * (exp v - 1) * v <= 29 / 25).
  { replace (2 * p * (exp v - 1) * v) with (2 * (p * (exp v - 1)) * v) by ring. assert (1 + v <= exp v) by apply exp_ineq1_le.
    assert (0 <= p * (exp v - 1)) by (apply Rmult_le_pos; lra). nra. }
  apply Rle_trans with (lam * (27 / 4)); [|lra]. apply Rmult_le_compat_l; [lra|].
  assert ((1 + lam) / 2 * (v * v) <= 3 / 5 * (29 / 25 * (29 / 25))) by (apply Rmult_le_compat; nra). lra.
Qed.

Lemma later_likelier b : 7 <= N -> lam * (15 / 4 / N) <= b -> lam * (16 / 25) / N <= (1 - exp (- b)) * (1 / 5).
Proof.
intros U B. set (k := lam * (15 / 4 / N)) in *. assert (I : / N <= / 7) by (apply Rinv_le_contravar; lra).
assert (N0 : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (K : 0 < k <= 11 / 100) by (unfold k, Rdiv; split; [repeat apply Rmult_lt_0_compat; lra|nra]).
assert (E : exp (- b) <= 1 - k + k * k / 2) by (apply Rle_trans with (exp (- k)); [apply exp_le; lra|apply exp_down; lra]).
replace (lam * (16 / 25) / N) with (64 / 375 * k) by (unfold k; field; lra). nra.
Qed.

(* 2 p E y, with E = e^y - 1, is at most 14/5 over N. *)
Lemma left_share : 7 <= N -> N * (2 * p * (exp y - 1) * y) <= 14 / 5.
Proof.
intros U. destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _ & Near & _).
assert (V := ratio_late N s x N_range s_range x_range U). set (v := y) in *. assert (C := exp_cubic v ltac:(lra)).
assert (R2 : slope_at v <= 1857 / 1000) by (unfold slope_at; nra).
apply Rle_trans with (2 * (1857 / 1000) * (N * (p * (v * v)))); [|lra].
replace (2 * (1857 / 1000) * (N * (p * (v * v)))) with (N * (2 * p * (v * (1857 / 1000)) * v)) by ring.
apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [exact Y0|]. apply Rmult_le_compat_l; [lra|].
apply Rle_trans with (1 := C). apply Rmult_le_compat_l; lra.
Qed.

(* As long as the logarithm of the ratio may be its largest. *)
Theorem middle_paid b : 7 <= N -> lam * (7 / 4 + 15 / 4 / N) <= b -> pays_totals b.
Proof.
intros U B. assert (N0 : 0 < / N) by (apply Rinv_0_lt_compat; lra).
assert (S0 : 0 < lam * (15 / 4 / N)) by (apply Rmult_lt_0_compat; [lra|unfold Rdiv; lra]).
assert (Bs : lam * (15 / 4 / N) <= b) by lra. assert (B0 : 0 <= b) by lra.
apply (pays_if b (1 / 5) B0); [right; lra|now apply later_likelier|]. intros Half.
destruct coin_facts as ((P & Q & Le) & Y0 & Eq & _). assert (V := ratio_late N s x N_range s_range x_range U).
assert (Sh := left_share U). set (v := y) in *. assert (V2 : v * v <= 113 / 100 * (113 / 100)) by (apply Rmult_le_compat; lra).
assert (V20 : 0 <= v * v) by (apply (Rle_0_sqr v)). split.
- apply right_later; [exact Half|exact U|exact B0|]. intros _. apply Rle_trans with (2 := B). apply Rmult_le_compat_l; [lra|].
  assert (0 < c / p) by (apply Rdiv_lt_0_compat; lra). fold v. unfold above_v.
  assert ((1 + lam) / 2 * (v * v) <= 3 / 5 * (113 / 100 * (113 / 100))) by (apply Rmult_le_compat; lra).
  assert (v * v * v <= 113 / 100 * (113 / 100) * (113 / 100)) by (apply Rmult_le_compat; lra). lra.
- apply left_if; [exact Half|exact B0|]. apply Rle_trans with (2 := B). apply Rmult_le_compat_l; [lra|]. fold v.
  assert (0 <= c * exp (- ((1 + lam) * v)) / p).
  { apply Rle_mult_inv_pos; [|lra]. apply Rmult_le_pos; [lra|left; apply exp_pos]. }
  assert ((1 + lam) / 2 * (v * v) <= 3 / 5 * (113 / 100 * (113 / 100))) by (apply Rmult_le_compat; lra).
  assert (2 * p * (exp v - 1) * v <= 15 / 4 / N); [|lra]. apply Rmult_le_reg_l with N; [lra|].
  replace (N * (15 / 4 / N)) with (15 / 4) by (field; lra). lra.
Qed.

(* Later: the price falls like ln(1/(c N))/N. Y bounds the ratio of all pulls that are not rare. *)
Theorem late_paid b Y : 7 <= N -> c * N <= 1 -> 0 <= Y <= 1 -> 2 * ln (11 / 3 / c) <= N * (Y * Y) ->
  lam * (((1 + lam + 4 / 3 * Y) * ln (1 / (c * N)) + 15 / 4) / N) <= b -> pays_totals b.
Proof.
intros U Cn Yr Rare B. assert (N0 : 0 < / N) by (apply Rinv_0_lt_compat; lra). set (A := 1 + lam + 4 / 3 * Y) in *.
assert (Cn0 : 0 < c * N) by (apply Rmult_lt_0_compat; lra).
assert (Lc : ln (1 / (c * N)) = - ln (c * N)) by (unfold Rdiv; rewrite Rmult_1_l, ln_Rinv by lra; reflexivity).
assert (L0 : 0 <= - ln (c * N)).
{ assert (ln (c * N) <= 0); [|lra]. rewrite <- ln_1. destruct Cn as [G|G]; [left; apply ln_increasing; lra|rewrite G; lra]. }
rewrite Lc in B. set (l := - ln (c * N)) in *. assert (A1 : 1 + lam <= A) by (unfold A; lra).
assert (Al : 0 <= A * l) by (apply Rmult_le_pos; lra).
assert (Bs : lam * (15 / 4 / N) <= b).
{ apply Rle_trans with (2 := B). apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
assert (B0 : 0 <= b) by (apply Rle_trans with (2 := Bs); apply Rmult_le_pos; [lra|unfold Rdiv; lra]).
apply (pays_if b (1 / 5) B0); [right; lra|now apply later_likelier|]. intros Half.
destruct coin_facts as ((P & Q & Le) & Y0 & Eq & Ny & _). assert (V := ratio_late N s x N_range s_range x_range U).
assert (Sh := left_share U). set (v := y) in *. assert (V20 : 0 <= v * v) by (apply (Rle_0_sqr v)).
assert (Per : forall a, N * a <= A * l + 15 / 4 -> lam * a <= b).
{ intros a H. apply Rle_trans with (2 := B). apply Rmult_le_compat_l; [lra|]. apply Rmult_le_reg_l with N; [lra|].
  replace (N * ((A * l + 15 / 4) / N)) with (A * l + 15 / 4) by (field; lra). exact H. }
split.
- apply right_later; [exact Half|exact U|exact B0|]. intros Often. apply Per. fold v.
  assert (Vy : v <= Y).
  { apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. apply Rmult_le_reg_l with N; [lra|]. apply Rle_trans with (1 := Ny).
    apply Rle_trans with (2 := Rare). apply Rmult_le_compat_l; [lra|]. assert (C0 : 0 < 11 / 3 / c) by (apply Rdiv_lt_0_compat; lra).
    rewrite <- ln_Rinv by lra. assert (/ p <= 11 / 3 / c).
    { apply Rmult_le_reg_l with c; [exact c_positive|]. replace (c * (11 / 3 / c)) with (11 / 3) by (field; lra). exact Often. }
    assert (0 < / p) by (apply Rinv_0_lt_compat; lra).
    destruct H as [G|G]; [left; apply ln_increasing; lra|rewrite G; lra]. }
  assert (Ab : above_v lam v <= A / 2 * (v * v)).
  { unfold above_v, A. assert (v * v * v <= v * v * Y) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Best := best_place A (c * N) p ltac:(lra) Cn0 (proj1 P)).
  assert (La : ln (A / (c * N)) - 1 <= l).
  { unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra).
    assert (ln A <= 1); [|unfold l; lra]. rewrite <- (ln_exp 1). left. apply ln_increasing; [lra|].
    apply Rle_lt_trans with (254 / 100); [unfold A; lra|interval with (i_prec 40)]. }
  assert (A * (ln (A / (c * N)) - 1) <= A * l) by (apply Rmult_le_compat_l; lra).
  assert (N * above_v lam v <= A * L).
  { apply Rle_trans with (N * (A / 2 * (v * v))); [apply Rmult_le_compat_l; lra|].
    replace (N * (A / 2 * (v * v))) with (A / 2 * (N * (v * v))) by ring.
    apply Rle_trans with (A / 2 * (2 * L)); [apply Rmult_le_compat_l; lra|lra]. }
  replace (N * (above_v lam v + 15 / 4 / N - c / p)) with (N * above_v lam v + 15 / 4 - c * N / p) by (field; lra). lra.
- apply left_if; [exact Half|exact B0|]. apply Per. fold v. set (e := exp (- ((1 + lam) * v))).
  assert (E0 : 0 < e) by apply exp_pos. assert (K0 : 0 < c * N * e) by (apply Rmult_lt_0_compat; lra).
  assert (Best := best_place (1 + lam) (c * N * e) p ltac:(lra) K0 (proj1 P)).
  assert (La : ln ((1 + lam) / (c * N * e)) - 1 <= l + 54 / 100).
  { unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_mult by (try apply Rinv_0_lt_compat; lra). unfold e. rewrite ln_exp.
    assert (ln (1 + lam) <= 183 / 1000).
    { apply Rle_trans with (ln (6 / 5)); [|interval with (i_prec 40)].
      destruct (proj2 lam_range) as [G|G]; [left; apply ln_increasing; lra|rewrite G; right; f_equal; field]. }
    assert ((1 + lam) * v <= 6 / 5 * (113 / 100)) by (apply Rmult_le_compat; lra). unfold l. lra. }
  assert ((1 + lam) * (ln ((1 + lam) / (c * N * e)) - 1) <= (1 + lam) * (l + 54 / 100)) by (apply Rmult_le_compat_l; lra).
  assert ((1 + lam) * l <= A * l) by (apply Rmult_le_compat_r; lra).
  assert ((1 + lam) / 2 * (N * (v * v)) <= (1 + lam) / 2 * (2 * L)) by (apply Rmult_le_compat_l; lra).
  replace (N * ((1 + lam) / 2 * (v * v) + 2 * p * (exp v - 1) * v - c * e / p)) with
    ((1 + lam) / 2 * (N * (v * v)) + N * (2 * p * (exp v - 1) * v) - c * N * e / p) by (field; lra).
  lra.
Qed.
End Paid.
