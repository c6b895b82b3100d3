(* Theorem 7 for two arms, without delta; and Corollary 1, which promises no less than Lemma 3 keeps. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments rewards thompson densities gaussian gaussian_profile thompson_samples.
From Dpbandits Require Import formulas normal_tails witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3 appendix_c_1_lemma_12.
Import ListNotations.
Open Scope R_scope.

(** * Theorem 7, two arms *)
Definition two_arm_eps := ln (Phi (- sqrt (1 / 2)) / Phi (- sqrt 2)).
(* The chance that arm 1 is played, where its mean leads by so much; and its lead where the changed reward is 0. *)
Definition two_arm_win (pulls other : nat) lead := Phi (lead / sqrt (1 / (INR pulls + 1) + 1 / (INR other + 1))).
Definition two_arm_lead (pulls other : nat) low mean :=
  low * (INR pulls - 1) / (INR pulls + 1) - mean * INR other / (INR other + 1).

Lemma exp_two_arm_eps : exp two_arm_eps * Phi (- sqrt 2) = Phi (- sqrt (1 / 2)).
Proof.
assert (P := Phi_inside (- sqrt 2)). assert (Q := Phi_inside (- sqrt (1 / 2))). unfold two_arm_eps.
rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra.
Qed.

(* k = n + 1 pulls, one of them before the first round: where the lead is most negative, and the other arm's sample is
   certain. *)
Lemma farthest n : (1 <= n)%nat -> let k := INR n + 1 in
  Phi (- ((1 - / k) * sqrt k)) <= exp two_arm_eps * Phi (- sqrt k).
Proof.
intros N k. assert (P2 := Phi_inside (- sqrt 2)). apply Rmult_le_reg_r with (Phi (- sqrt 2)); [lra|].
replace (exp two_arm_eps * Phi (- sqrt k) * Phi (- sqrt 2)) with (exp two_arm_eps * Phi (- sqrt 2) * Phi (- sqrt k))
  by ring. rewrite exp_two_arm_eps.
destruct (le_lt_dec n 7) as [L|L].
- destruct n as [|[|n]]; [lia| |].
  { unfold k. replace (INR 1 + 1) with 2 by (simpl; ring). replace ((1 - / 2) * sqrt 2) with (sqrt (1 / 2)); [lra|].
    replace (1 / 2) with (2 / (2 * 2)) by field. rewrite sqrt_div_alt, sqrt_square by lra. field. }
  assert (K : k = INR n + 3) by (unfold k; rewrite !S_INR; ring). rewrite K. clear K k.
  do 6 (destruct n as [|n];
    [match goal with |- context [INR ?j + 3] => let v := eval vm_compute in (Z.of_nat j + 3)%Z in
      replace (INR j + 3) with (IZR v) by (simpl; ring) end; decide_at_point|]). lia.
- assert (K : 9 <= k).
  { unfold k. assert (INR 8 <= INR n) by (apply le_INR; lia). replace (INR 8) with 8 in H by (simpl; ring). lra. }
  set (z := sqrt k). assert (Z2 : z * z = k) by (apply sqrt_sqrt; lra).
  assert (Z : 3 <= z). { unfold z. rewrite <- (sqrt_square 3) by lra. apply sqrt_le_1_alt. lra. }
  replace ((1 - / k) * z) with (z - / z) by (rewrite <- Z2; field; lra).
  assert (I : 0 < / z) by (apply Rinv_0_lt_compat; lra). assert (E := earlier_tail (/ z) z ltac:(lra)).
  assert (H : exp (hazard z * / z) <= exp (10 / 9)).
  { apply exp_le. assert (B := hazard_below z ltac:(lra)). apply Rle_trans with ((z + / z) * / z).
    - apply Rmult_le_compat_r; lra.
    - replace ((z + / z) * / z) with (1 + / k) by (rewrite <- Z2; field; lra).
      assert (/ k <= / 9) by (apply Rinv_le_contravar; lra). lra. }
  assert (C : exp (10 / 9) * Phi (- sqrt 2) <= Phi (- sqrt (1 / 2))) by decide_at_point.
  assert (P := Phi_inside (- z)). apply Rle_trans with (Phi (- z) * exp (10 / 9) * Phi (- sqrt 2)).
  + apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (1 := E). apply Rmult_le_compat_l; lra.
  + rewrite Rmult_assoc, Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.

Lemma one_reward n s w : (1 <= n)%nat -> let k := INR n + 1 in 0 < s -> 1 <= sqrt k * s -> w * s <= 1 ->
  Phi (- (w - / (k * s))) <= exp two_arm_eps * Phi (- w).
Proof.
intros N k S Far W. assert (n1 : 1 <= INR n) by (change 1 with (INR 1); now apply le_INR).
assert (K : 2 <= k) by (unfold k; lra). assert (I : 0 < / k) by (apply Rinv_0_lt_compat; lra).
assert (I1 : / k <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
set (r := / s). assert (R0 : 0 < r) by now apply Rinv_0_lt_compat.
assert (Wr : w <= r). { unfold r. apply Rmult_le_reg_r with s; [exact S|]. rewrite Rinv_l; lra. }
assert (Rk : r <= sqrt k). { unfold r. apply Rmult_le_reg_r with s; [exact S|]. rewrite Rinv_l; lra. }
assert (D : / (k * s) = / k * r) by (unfold r; field; lra). rewrite D.
assert (A := earlier_rises 1 (/ k * r) w r ltac:(lra) Wr ltac:(intros; nra)).
assert (B := earlier_rises (1 - / k) 0 r (sqrt k) ltac:(lra) Rk ltac:(intros; nra)).
assert (F := farthest n N). cbv zeta in F. fold k in F.
replace (1 * w - / k * r) with (w - / k * r) in A by ring.
replace (1 * r - / k * r) with ((1 - / k) * r - 0) in A by ring.
replace ((1 - / k) * sqrt k - 0) with ((1 - / k) * sqrt k) in B by ring.
assert (Pw := Phi_inside (- w)). assert (Pr := Phi_inside (- r)). assert (Pk := Phi_inside (- sqrt k)).
assert (G : Phi (- ((1 - / k) * r - 0)) <= exp two_arm_eps * Phi (- r)).
{ apply Rmult_le_reg_r with (Phi (- sqrt k)); [lra|]. apply Rle_trans with (1 := B).
  replace (exp two_arm_eps * Phi (- r) * Phi (- sqrt k)) with (exp two_arm_eps * Phi (- sqrt k) * Phi (- r)) by ring.
  apply Rmult_le_compat_r; lra. }
apply Rmult_le_reg_r with (Phi (- r)); [lra|]. apply Rle_trans with (1 := A).
replace (exp two_arm_eps * Phi (- w) * Phi (- r)) with (exp two_arm_eps * Phi (- r) * Phi (- w)) by ring.
apply Rmult_le_compat_r; lra.
Qed.

(* Arm 1 is played, and arm 2: the changed reward is 1, or 0. *)
Theorem theorem_7_two_arms n other low mean : (1 <= n)%nat -> 0 <= low <= 1 -> 0 <= mean <= 1 ->
  let lead := two_arm_lead n other low mean in let more := lead + 1 / (INR n + 1) in
  two_arm_win n other more <= exp two_arm_eps * two_arm_win n other lead /\
  1 - two_arm_win n other lead <= exp two_arm_eps * (1 - two_arm_win n other more).
Proof.
intros N L M lead more. set (k := INR n + 1). set (o := INR other + 1).
assert (n1 : 1 <= INR n) by (change 1 with (INR 1); now apply le_INR). assert (o0 := pos_INR other).
assert (K : 2 <= k) by (unfold k; lra). assert (O : 1 <= o) by (unfold o; lra).
assert (I : 0 < / k) by (apply Rinv_0_lt_compat; lra). assert (I' : 0 < / o) by (apply Rinv_0_lt_compat; lra).
set (s := sqrt (1 / k + 1 / o)). assert (S : 0 < s) by (apply sqrt_lt_R0; lra).
assert (Far : 1 <= sqrt k * s).
{ unfold s. rewrite <- sqrt_mult_alt by lra. rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt.
  replace (k * (1 / k + 1 / o)) with (1 + k * / o) by (field; lra). assert (0 < k * / o) by nra. lra. }
assert (B : - 1 <= lead <= 1 - 2 * / k).
{ unfold lead, two_arm_lead. fold k o. replace (INR n - 1) with (k - 2) by (unfold k; ring).
  replace (INR other) with (o - 1) by (unfold o; ring).
  replace (low * (k - 2) / k) with (low * (1 - 2 * / k)) by (field; lra).
  replace (mean * (o - 1) / o) with (mean * (1 - / o)) by (field; lra).
  assert (/ o <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (/ k <= / 2) by (apply Rinv_le_contravar; lra). split; nra. }
unfold two_arm_win. fold k o s. split.
- assert (H := one_reward n s (- lead / s) N S Far). fold k in H.
  replace (- (- lead / s - / (k * s))) with (more / s) in H by (unfold more; fold k; field; lra).
  replace (- (- lead / s)) with (lead / s) in H by (field; lra). apply H.
  replace (- lead / s * s) with (- lead) by (field; lra). lra.
- assert (H := one_reward n s (more / s) N S Far). fold k in H. rewrite <- !Phi_opp.
  replace (- (more / s - / (k * s))) with (- (lead / s)) in H by (unfold more; fold k; field; lra). apply H.
  replace (more / s * s) with (lead + / k) by (unfold more; fold k; field; lra). lra.
Qed.

(** * Corollary 1 *)
Definition step_eps N delta := sqrt (ln ((N - 1) / (2 * delta))) / (2 * sqrt 2).
Definition corollary_1_eps T N delta slack :=
  let e := step_eps N delta in e * sqrt (2 * T * ln (1 / slack)) + T * e * (exp e - 1).

(* Without delta of the step, and for one round. *)
Definition place e r := 2 * e * r - sqrt 2 / 4 * (1 - 4 * e * (exp e - 1)).

Lemma one_round e r : 266 / 1000 <= e <= 7072 / 10000 -> 0 <= r ->
  Phi (- place e r) <= exp (- 8 * e ^ 2) / 2 + exp (- r ^ 2).
Proof.
intros E R0. assert (S := exp_pos (- r ^ 2)).
destruct (Rle_lt_dec e (1 / 2)) as [L|L], (Rle_lt_dec r 2) as [Q|Q].
- assert (Z : - (215 / 100) <= place e r <= 215 / 100).
  { unfold place. split; interval with (i_bisect e, i_bisect r, i_prec 60). }
  apply Rle_trans with (1 := tail_near _ Z).
  set (near := 1 / 2 + (25 / 100000 - near_area (place e r)) / sqrt (2 * PI)).
  assert (near - exp (- 8 * e ^ 2) / 2 - exp (- r ^ 2) <= 0); [|lra]. unfold near.
  unfold near_area, place. interval with (i_bisect e, i_bisect r, i_autodiff e, i_prec 60).
- apply Rle_trans with (Phi (- place e 2)); [apply Phi_le; unfold place; nra|].
  assert (Z : - (215 / 100) <= place e 2 <= 215 / 100) by (unfold place; split; interval with (i_bisect e, i_prec 60)).
  apply Rle_trans with (1 := tail_near _ Z).
  assert (1 / 2 + (25 / 100000 - near_area (place e 2)) / sqrt (2 * PI) - exp (- 8 * e ^ 2) / 2 <= 0); [|lra].
  unfold near_area, place. interval with (i_bisect e, i_prec 60).
- assert (C : 0 <= sqrt 2 / 4 * (4 * e * (exp e - 1) - 1)) by interval with (i_bisect e, i_prec 60).
  apply Rle_trans with (Phi (- (2 * e * r))); [apply Phi_le; unfold place; lra|].
  apply Rle_trans with (1 := half_tail (2 * e * r) ltac:(nra)).
  replace (- (2 * e * r * (2 * e * r)) / 2) with (- 2 * e ^ 2 * r ^ 2) by field.
  assert (exp (- 2 * e ^ 2 * r ^ 2) / 2 - exp (- 8 * e ^ 2) / 2 - exp (- r ^ 2) <= 0); [|lra].
  interval with (i_bisect e, i_bisect r, i_prec 60).
- assert (C : 0 <= sqrt 2 / 4 * (4 * e * (exp e - 1) - 1)) by interval with (i_bisect e, i_prec 60).
  apply Rle_trans with (Phi (- (2 * e * r))); [apply Phi_le; unfold place; lra|].
  apply Rle_trans with (1 := half_tail (2 * e * r) ltac:(nra)).
  assert (exp (- (2 * e * r * (2 * e * r)) / 2) <= exp (- 8 * e ^ 2)); [|lra]. apply exp_le.
  assert (e * e * 4 <= e * e * (r * r)) by (apply Rmult_le_compat_l; nra). nra.
Qed.

Lemma Phi_moves a b : a <= b -> Phi b <= Phi a + (b - a) / 2.
Proof.
intros L. assert (H := half_planes.rises_between (fun t => t / 2 - Phi t) (fun t => / 2 - density t) a b).
assert (a / 2 - Phi a <= b / 2 - Phi b); [|lra]. apply H; [| |exact L].
- intros t. apply (is_derive_minus (fun t => t / 2) Phi); [auto_derive; [auto|field]|apply Phi_derive].
- intros t _. generalize (density_below_half t). lra.
Qed.

(* In the paper's own terms: e of a step, mu^2 = T/2, r^2 = log(1/slack). *)
Lemma all_rounds e mu r eps : 0 <= e -> sqrt (1 / 2) <= mu -> 0 < r -> 0 <= eps ->
  eps / mu - mu / 2 = 2 * e * r - mu / 2 * (1 - 4 * e * (exp e - 1)) ->
  gaussian_delta mu eps <= mu * mu * exp (- 8 * e ^ 2) + exp (- r ^ 2).
Proof.
intros E M R0 Eps Z. assert (h2 : sqrt (1 / 2) * sqrt (1 / 2) = 1 / 2) by (apply sqrt_sqrt; lra).
assert (h0 : 0 < sqrt (1 / 2)) by (apply sqrt_lt_R0; lra). assert (S := exp_pos (- r ^ 2)).
assert (S8 := exp_pos (- 8 * e ^ 2)). assert (m2 : 1 / 2 <= mu * mu) by nra.
destruct (Rle_lt_dec (1 / 2) (e * e)) as [B|B]; [|destruct (Rle_lt_dec e (266 / 1000)) as [L|L]].
- assert (H : 7071 / 10000 <= e) by nra. assert (X : 1 <= 4 * e * (exp e - 1)).
  { assert (exp (7071 / 10000) <= exp e) by now apply exp_le.
    assert (2 <= exp (7071 / 10000)) by interval with (i_prec 60). nra. }
  assert (D := delta_below_tail mu eps (2 * e * r) ltac:(nra) ltac:(lra)). rewrite Z in D.
  apply Rle_trans with (1 := D ltac:(nra)). assert (exp (- (2 * e * r * (2 * e * r)) / 2) <= exp (- r ^ 2)); [|nra].
  apply exp_le. nra.
- apply Rle_trans with (mu * mu * exp (- 8 * e ^ 2)); [|lra]. apply Rle_trans with (gaussian_delta mu 0).
  + unfold gaussian_delta at 1. assert (T := threshold_below 0 mu (eps / mu + mu / 2) ltac:(lra) ltac:(lra)).
    unfold threshold_delta in T. rewrite exp_0 in T. replace (mu - (eps / mu + mu / 2)) with (- eps / mu + mu / 2) in T
      by (field; lra). replace (- (eps / mu + mu / 2)) with (- eps / mu - mu / 2) in T by (field; lra).
    assert (1 <= exp eps) by (rewrite <- exp_0; now apply exp_le). generalize (Phi_inside (- eps / mu - mu / 2)). nra.
  + unfold gaussian_delta. rewrite exp_0. replace (- 0 / mu + mu / 2) with (mu / 2) by (field; lra).
    replace (- 0 / mu - mu / 2) with (- (mu / 2)) by (field; lra). rewrite Phi_opp, Phi_area.
    assert (A : area (mu / 2) <= mu / 2).
    { apply Rle_trans with (RInt (fun _ => 1) 0 (mu / 2)).
      - apply RInt_le; [lra|apply bell_integrable|apply ex_RInt_const|]. intros t _. unfold bell.
        rewrite <- exp_0. apply exp_le. nra.
      - rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. lra. }
    assert (I := Rinv_0_lt_compat _ root_two_pi).
    assert (F : / sqrt (2 * PI) <= sqrt (1 / 2) * exp (- 8 * e ^ 2)).
    { apply Rle_trans with (sqrt (1 / 2) * exp (- 8 * (266 / 1000) ^ 2)); [interval with (i_prec 60)|].
      apply Rmult_le_compat_l; [lra|]. apply exp_le. nra. }
    assert (mu * / sqrt (2 * PI) <= mu * (mu * exp (- 8 * e ^ 2))); [|unfold Rdiv; nra].
    apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (1 := F). apply Rmult_le_compat_r; lra.
- assert (U : e <= 7072 / 10000) by nra. set (c := 1 - 4 * e * (exp e - 1)) in *. set (v := mu / 2 - sqrt 2 / 4).
  assert (H4 : sqrt 2 / 4 = sqrt (1 / 2) / 2).
  { replace (sqrt (1 / 2)) with (sqrt 2 / 2); [field|].
    replace (1 / 2) with (2 / (2 * 2)) by field. rewrite sqrt_div_alt, sqrt_square by lra. reflexivity. }
  assert (V : 0 <= v) by (unfold v; lra).
  assert (G : gaussian_delta mu eps <= Phi (- (eps / mu - mu / 2))).
  { unfold gaussian_delta. replace (- (eps / mu - mu / 2)) with (- eps / mu + mu / 2) by (field; lra).
    generalize (Rmult_lt_0_compat _ _ (exp_pos eps) (proj1 (Phi_inside (- eps / mu - mu / 2)))). lra. }
  apply Rle_trans with (1 := G). rewrite Z. assert (O := one_round e r ltac:(lra) ltac:(lra)).
  replace (2 * e * r - mu / 2 * c) with (place e r - v * c) by (unfold place, v; fold c; ring).
  assert (W : c <= 4 * sqrt 2 * exp (- 8 * e ^ 2)).
  { assert (c - 4 * sqrt 2 * exp (- 8 * e ^ 2) <= 0); [|lra]. unfold c. interval with (i_bisect e, i_prec 60). }
  assert (Grow : exp (- 8 * e ^ 2) / 2 + v * (2 * sqrt 2) * exp (- 8 * e ^ 2) <= mu * mu * exp (- 8 * e ^ 2)).
  { assert (s2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
    assert (1 / 2 + v * (2 * sqrt 2) <= mu * mu); [|nra].
    replace mu with (2 * v + sqrt 2 / 2) by (unfold v; field). nra. }
  destruct (Rle_lt_dec c 0) as [C|C].
  + assert (Phi (- (place e r - v * c)) <= Phi (- place e r)) by (apply Phi_le; nra).
    assert (0 <= v * (2 * sqrt 2) * exp (- 8 * e ^ 2)); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra|generalize (sqrt_pos 2); lra]|lra].
  + assert (K := Phi_moves (- place e r) (- (place e r - v * c)) ltac:(nra)).
    assert (v * c <= v * (4 * sqrt 2 * exp (- 8 * e ^ 2))) by now apply Rmult_le_compat_l. lra.
Qed.

Theorem corollary_1_formula T N delta slack : (1 <= T)%nat -> (2 <= N)%nat -> 0 < delta -> 0 < slack ->
  INR T * delta + slack <= 1 -> 2 * delta <= INR N - 1 ->
  gaussian_delta (sqrt (1 / 2 * INR T)) (corollary_1_eps (INR T) (INR N) delta slack) <= INR T * delta + slack.
Proof.
intros HT HN D S Total Log. assert (t1 : 1 <= INR T) by (change 1 with (INR 1); now apply le_INR).
assert (n2 : 2 <= INR N) by (change 2 with (INR 2); now apply le_INR).
set (t := INR T) in *. set (n := INR N) in *. set (mu := sqrt (1 / 2 * t)).
assert (mu2 : mu * mu = 1 / 2 * t) by (apply sqrt_sqrt; lra).
assert (M : sqrt (1 / 2) <= mu) by (apply sqrt_le_1_alt; lra).
assert (m0 : 0 < mu) by (apply Rlt_le_trans with (2 := M); apply sqrt_lt_R0; lra).
set (e := step_eps n delta). set (q := ln ((n - 1) / (2 * delta))).
assert (q0 : 0 <= q).
{ unfold q. rewrite <- ln_1. assert (1 <= (n - 1) / (2 * delta)).
  { apply Rmult_le_reg_r with (2 * delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct H as [H|<-]; [left; apply ln_increasing; lra|apply Rle_refl]. }
assert (E0 : 0 <= e). { unfold e, step_eps. apply Rle_mult_inv_pos; [apply sqrt_pos|]. generalize (sqrt_lt_R0 2). lra. }
assert (E2 : 8 * e ^ 2 = q).
{ unfold e, step_eps. fold q. replace (8 * (sqrt q / (2 * sqrt 2)) ^ 2) with (sqrt q * sqrt q * 2 / (sqrt 2 * sqrt 2))
    by (field; generalize (sqrt_lt_R0 2); lra). rewrite !sqrt_sqrt by lra. field. }
assert (Ed : exp (- 8 * e ^ 2) = 2 * delta / (n - 1)).
{ replace (- 8 * e ^ 2) with (- q) by lra. unfold q.
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra. }
assert (s1 : slack < 1) by nra. set (l := ln (1 / slack)).
assert (l0 : 0 < l).
{ unfold l. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with slack; [exact S|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
set (r := sqrt l). assert (r0 : 0 < r) by now apply sqrt_lt_R0. assert (r2 : r * r = l) by (apply sqrt_sqrt; lra).
assert (Er : exp (- r ^ 2) = slack).
{ replace (- r ^ 2) with (- l) by (rewrite <- r2; ring). unfold l. rewrite exp_log by lra. field. }
assert (Root : sqrt (2 * t * l) = 2 * mu * r).
{ rewrite <- (sqrt_square (2 * mu * r)) by (apply Rmult_le_pos; lra). f_equal.
  replace (2 * mu * r * (2 * mu * r)) with (4 * (mu * mu) * (r * r)) by ring. rewrite mu2, r2. field. }
assert (x0 : 0 <= exp e - 1) by (generalize (exp_ineq1_le e); lra).
assert (H := all_rounds e mu r (corollary_1_eps t n delta slack) E0 M r0). rewrite Er, Ed in H.
apply Rle_trans with (mu * mu * (2 * delta / (n - 1)) + slack).
- apply H; unfold corollary_1_eps; fold e l; rewrite Root.
  + assert (0 <= e * (2 * mu * r)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    assert (0 <= t * e * (exp e - 1)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
  + replace t with (2 * (mu * mu)) by lra. field. lra.
- rewrite mu2. apply Rplus_le_compat_r. replace (1 / 2 * t * (2 * delta / (n - 1))) with (t * delta * / (n - 1))
    by (field; lra). assert (/ (n - 1) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (0 < t * delta) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Theorem corollary_1 A same (arms : list A) T r delta slack :
  NoDup arms -> (1 <= T)%nat -> (2 <= length arms)%nat -> 0 < delta -> 0 < slack ->
  INR T * delta + slack <= 1 -> 2 * delta <= INR (length arms) - 1 ->
  let eps := corollary_1_eps (INR T) (INR (length arms)) delta slack in
  pulls_private same arms [] 1 T r true eps (INR T * delta + slack).
Proof.
intros U N K D S Total Log eps x y event draws near X Y.
assert (F := corollary_1_formula T (length arms) delta slack N K D S Total Log).
replace (1 / 2 * INR T) with (INR T / 2) in F by field.
assert (G := lemma_3 A same arms T r U N eps x y event draws near X Y). fold eps in F. lra.
Qed.

(** * The hypotheses can hold together *)

Lemma theorem_7_two_arms_witness : satisfiable theorem_7_two_arms.
Proof. exists 1%nat, 0%nat, 0, 1. hold. Qed.

Lemma corollary_1_formula_witness : satisfiable corollary_1_formula.
Proof. exists 2%nat, 2%nat, (1 / 8), (1 / 2). hold. Qed.

Lemma corollary_1_witness : satisfiable corollary_1.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull, (1 / 8), (1 / 2). hold. now exists x, y, (fun _ => true), 4%nat.
Qed.
