(* Corollary 4.5, and the rows of Table 1: Theorem 4.4's parameter with the constant that the O hides. *)
From Coq Require Import Reals Lra List Bool.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments rewards densities gaussian witnesses satisfiable.
From Dpbandits.hu25 Require Import section_4_3_theorem_4_4.
Import ListNotations.
Open Scope R_scope.

(* All pulls of a run are mu-GDP, with the printed variance and phi. *)
Definition dp_ts_ucb_gdp {A} same (arms : list A) T alpha floor r mu := forall eps x y event draws,
  neighbours A same r x y -> in_range A x -> in_range A y ->
  let v := printed_variance (INR T) alpha in let phi := printed_phi (INR T) alpha in
  pulls_chance A same arms T v phi floor x event draws <=
    exp eps * pulls_chance A same arms T v phi floor y event draws + gaussian_delta mu eps.

Definition row_mu (T alpha : R) : R :=
  sqrt (2 * c_0) * Rpower T (25 / 100 * (1 - alpha)) * Rpower (ln T) (75 / 100 * (1 - alpha)).

Lemma row_is_printed T alpha : printed_mu T alpha = row_mu T alpha.
Proof.
assert (C := c_0_positive). assert (S : 0 < sqrt (2 * c_0)) by (apply sqrt_lt_R0; lra).
rewrite <- (sqrt_square (row_mu T alpha)).
- unfold printed_mu, row_mu. f_equal.
  replace (1 / 2 * (1 - alpha)) with (25 / 100 * (1 - alpha) + 25 / 100 * (1 - alpha)) by field.
  replace (3 / 2 * (1 - alpha)) with (75 / 100 * (1 - alpha) + 75 / 100 * (1 - alpha)) by field.
  rewrite !Rpower_plus. rewrite <- (sqrt_sqrt (2 * c_0)) at 1 by lra. ring.
- unfold row_mu. left. repeat apply Rmult_lt_0_compat; (exact S || apply exp_pos).
Qed.

Theorem table_1_dp_ts_ucb A same (arms : list A) T alpha floor r : NoDup arms ->
  dp_ts_ucb_gdp same arms T alpha floor r (row_mu (INR T) alpha).
Proof.
intros D eps x y event draws near X Y. cbv zeta. rewrite <- row_is_printed.
now apply (theorem_4_4 A same arms T alpha floor r eps x y draws D near X Y).
Qed.

Theorem corollary_4_5_alpha_1 A same (arms : list A) T floor r : NoDup arms ->
  dp_ts_ucb_gdp same arms T 1 floor r (sqrt (2 * c_0)).
Proof.
intros D. replace (sqrt (2 * c_0)) with (row_mu (INR T) 1); [now apply table_1_dp_ts_ucb|].
unfold row_mu, Rpower. rewrite Rminus_diag_eq, !Rmult_0_r, !Rmult_0_l, exp_0 by reflexivity. ring.
Qed.

Theorem corollary_4_5_alpha_0 A same (arms : list A) T floor r : NoDup arms ->
  dp_ts_ucb_gdp same arms T 0 floor r (sqrt (2 * c_0) * Rpower (INR T) (25 / 100) * Rpower (ln (INR T)) (75 / 100)).
Proof.
intros D. assert (G := table_1_dp_ts_ucb A same arms T 0 floor r D). unfold row_mu in G.
replace (25 / 100 * (1 - 0)) with (25 / 100) in G by ring. now replace (75 / 100 * (1 - 0)) with (75 / 100) in G by ring.
Qed.

(** * The sizes of guarantees, T at least 10^6 *)

Lemma exp_sqrt x : sqrt (exp (2 * x)) = exp x.
Proof. replace (2 * x) with (x + x) by ring. rewrite exp_plus. apply sqrt_square. left. apply exp_pos. Qed.

Lemma long_run T : 1000000 <= T -> 138 / 10 <= ln T /\ ln (ln T) <= ln T / 14 - 1 + 264 / 100.
Proof.
intros H. assert (L : 138 / 10 <= ln T).
{ apply Rle_trans with (ln 1000000); [interval with (i_prec 60)|]. destruct H as [H|<-]; [left; apply ln_increasing; lra|lra]. }
split; [exact L|]. assert (B := ln_below (ln T) 14 ltac:(lra) ltac:(lra)).
assert (ln 14 <= 264 / 100) by interval with (i_prec 60). lra.
Qed.

Theorem better_than_ts_gaussian T : 1000000 <= T ->
  sqrt (2 * sqrt (2 * PI * exp 1) * Rpower T (1 / 2) * Rpower (ln T) (3 / 2)) <= sqrt (T / 2).
Proof.
intros H. destruct (long_run T H) as [L B]. apply sqrt_le_1_alt.
assert (C : sqrt (2 * PI * exp 1) * 4 <= exp (281 / 100)) by interval with (i_prec 60).
apply Rmult_le_reg_r with 2; [lra|]. replace (T / 2 * 2) with (exp (ln T)) by (rewrite exp_ln by lra; field).
apply Rle_trans with (exp (281 / 100) * (Rpower T (1 / 2) * Rpower (ln T) (3 / 2))).
- assert (0 < Rpower T (1 / 2) * Rpower (ln T) (3 / 2)) by (apply Rmult_lt_0_compat; apply exp_pos). nra.
- unfold Rpower. rewrite <- !exp_plus. apply exp_le. lra.
Qed.

Theorem m_ts_log T alpha : 1000000 <= T -> 0 <= alpha <= 1 ->
  sqrt (2 * sqrt (2 * PI * exp 1) * Rpower T ((1 - alpha) / 2) * Rpower (ln T) (3 * (1 - alpha) / 2)) <=
    sqrt T / Rpower (ln T) alpha.
Proof.
intros H A. destruct (long_run T H) as [L B]. set (v := ln T) in *. set (w := ln v) in *.
assert (C : sqrt (2 * PI * exp 1) * 2 <= exp (212 / 100)) by interval with (i_prec 60).
assert (R : sqrt T / Rpower v alpha = exp (v / 2 - alpha * w)).
{ replace T with (exp (2 * (v / 2))) by (replace (2 * (v / 2)) with v by field; apply exp_ln; lra). rewrite exp_sqrt.
  unfold Rpower, Rdiv. fold w. rewrite <- exp_Ropp, <- exp_plus. f_equal. }
rewrite R, <- (exp_sqrt (v / 2 - alpha * w)). apply sqrt_le_1_alt.
apply Rle_trans with (exp (212 / 100) * (Rpower T ((1 - alpha) / 2) * Rpower v (3 * (1 - alpha) / 2))).
- assert (0 < Rpower T ((1 - alpha) / 2) * Rpower v (3 * (1 - alpha) / 2)) by (apply Rmult_lt_0_compat; apply exp_pos). nra.
- unfold Rpower. fold v w. rewrite <- !exp_plus. apply exp_le. assert (0 <= v) by lra.
  (* linear in alpha: its ends decide *)
  assert (E0 : 212 / 100 + v / 2 + 3 / 2 * w <= v) by lra. assert (E1 : 212 / 100 + 2 * w <= v) by lra. nra.
Qed.

(** * The hypotheses can hold together *)

Lemma better_than_ts_gaussian_witness : satisfiable better_than_ts_gaussian.
Proof. exists 1000000. lra. Qed.

Lemma m_ts_log_witness : satisfiable m_ts_log.
Proof. exists 1000000, (1 / 2). lra. Qed.

Lemma table_1_dp_ts_ucb_witness : satisfiable table_1_dp_ts_ucb.
Proof.
destruct (different_rewards bool bool_dec true 0 round) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, (1 / 2), 0, round. hold. now exists 1, x, y, (fun _ => true), 6%nat.
Qed.

Lemma corollary_4_5_alpha_1_witness : satisfiable corollary_4_5_alpha_1.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, 0, pull. hold. now exists 1, x, y, (fun _ => true), 6%nat.
Qed.

Lemma corollary_4_5_alpha_0_witness : satisfiable corollary_4_5_alpha_0.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, 0, pull. hold. now exists 1, x, y, (fun _ => true), 6%nat.
Qed.

(** * The discussion after it: the regret bounds of DP-TS-UCB and M-TS-Gaussian *)

(* The sums over the gaps of suboptimal arms, without the constants of O. *)
Definition dp_ts_ucb_bound (alpha T : R) (gaps : list R) : R := sum (fun gap =>
  ln (Rpower T ((3 - alpha) / 2) * gap ^ 2) * Rpower (ln T) alpha / gap + (3 - alpha) * ln (ln T) * Rpower (ln T) alpha / gap) gaps.
Definition m_ts_gaussian_bound (alpha T : R) (gaps : list R) : R :=
  sum (fun gap => Rpower (ln T) alpha * ln (T * gap ^ 2) / gap) gaps.

Theorem almost_the_same alpha T gaps : 0 <= alpha <= 1 -> exp 1 <= T -> List.Forall (fun gap => 0 < gap <= 1 /\ / gap ^ 4 <= T) gaps ->
  m_ts_gaussian_bound alpha T gaps <= dp_ts_ucb_bound alpha T gaps <= 8 * m_ts_gaussian_bound alpha T gaps.
Proof.
intros A E F. assert (e0 := exp_pos 1). assert (L1 : 1 <= ln T).
{ rewrite <- (ln_exp 1). destruct (Req_dec (exp 1) T) as [->|N]; [lra|]. left. apply ln_increasing; lra. }
set (L := ln T) in *. assert (l0 : 0 <= ln L <= L - 1).
{ split; [rewrite <- ln_1; destruct (Req_dec 1 L) as [<-|N]; [lra|left; apply ln_increasing; lra]|].
  generalize (exp_ineq1_le (ln L)). rewrite exp_ln by lra. lra. }
assert (q0 : 0 < Rpower L alpha) by apply exp_pos. set (q := Rpower L alpha) in *.
assert (Each : forall gap, 0 < gap <= 1 /\ / gap ^ 4 <= T -> q * ln (T * gap ^ 2) / gap <=
  ln (Rpower T ((3 - alpha) / 2) * gap ^ 2) * q / gap + (3 - alpha) * ln L * q / gap <= 8 * (q * ln (T * gap ^ 2) / gap)).
{ intros gap [G H]. assert (i0 : 0 < q / gap) by (apply Rdiv_lt_0_compat; lra). assert (g2 : 0 < gap ^ 2) by nra.
  set (g := - (2 * ln gap)). assert (Lg : ln (gap ^ 2) = - g) by (unfold g; rewrite ln_pow by lra; simpl; ring).
  assert (g0 : 0 <= g).
  { unfold g. assert (ln gap <= 0); [|lra]. rewrite <- ln_1. destruct (Req_dec gap 1) as [->|N]; [lra|]. left. apply ln_increasing; lra. }
  assert (gL : 2 * g <= L).
  { assert (g4 : 0 < gap ^ 4) by (apply pow_lt; lra). assert (B : ln (/ gap ^ 4) <= L).
    { unfold L. destruct (Req_dec (/ gap ^ 4) T) as [->|N]; [lra|]. left. apply ln_increasing; [now apply Rinv_0_lt_compat|lra]. }
    rewrite ln_Rinv, ln_pow in B by lra. simpl in B. unfold g. lra. }
  assert (E1 : ln (T * gap ^ 2) = L - g) by (rewrite ln_mult, Lg by lra; unfold L; ring).
  assert (E2 : ln (Rpower T ((3 - alpha) / 2) * gap ^ 2) = (3 - alpha) / 2 * L - g).
  { rewrite ln_mult, Lg by (try apply exp_pos; lra). unfold Rpower. rewrite ln_exp. unfold L. ring. }
  rewrite E1, E2. replace (q * (L - g) / gap) with ((L - g) * (q / gap)) by (field; lra).
  replace (((3 - alpha) / 2 * L - g) * q / gap + (3 - alpha) * ln L * q / gap) with
    (((3 - alpha) / 2 * L - g + (3 - alpha) * ln L) * (q / gap)) by (field; lra).
  rewrite <- Rmult_assoc. split; apply Rmult_le_compat_r; try lra.
  - assert (0 <= (3 - alpha) * ln L) by (apply Rmult_le_pos; lra). nra.
  - assert ((3 - alpha) * ln L <= 3 * ln L) by (apply Rmult_le_compat_r; lra). nra. }
unfold m_ts_gaussian_bound, dp_ts_ucb_bound. fold L q. induction F as [|gap l H F IH]; [simpl; lra|].
cbn [sum]. specialize (Each gap H). lra.
Qed.

(* Two suboptimal arms. *)
Lemma almost_the_same_witness : satisfiable almost_the_same.
Proof.
exists (1 / 2), 16, [1 / 2; 1]%list. split; [lra|]. split; [generalize exp_le_3; lra|].
repeat constructor; try lra; simpl; field_simplify; lra.
Qed.
