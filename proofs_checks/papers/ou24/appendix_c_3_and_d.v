(* Appendix C.3: Renyi's numbers at the best order are no better than Theorem 3's, by a factor that grows as delta falls;
   and Corollary 1's grow with N. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments half_planes gaussian normal_tails satisfiable.
From Dpbandits.ou24 Require Import appendix_c_2 appendix_c_1_standard_dp.
Open Scope R_scope.

Theorem c3_no_worse T delta : (1 <= T)%nat -> 0 < delta < 1 ->
  gaussian_delta (sqrt (1 / 2 * INR T)) (INR T / 4 + sqrt (INR T * ln (1 / delta))) <= delta.
Proof.
intros N D. assert (L := lt_0_INR T N). set (l := ln (1 / delta)). assert (l0 : 0 < l).
{ unfold l. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (P : 0 < INR T * l) by now apply Rmult_lt_0_compat. set (q := sqrt (INR T * l)).
assert (q0 : 0 < q) by now apply sqrt_lt_R0. assert (q2 : q * q = INR T * l) by (apply sqrt_sqrt; lra).
assert (O : 0 < 2 * l / q) by (apply Rdiv_lt_0_compat; lra).
assert (F := theorem_8_formula T (1 + 2 * l / q) delta N ltac:(lra) D).
replace (renyi_eps T (1 + 2 * l / q) delta) with (INR T / 4 + q) in F; [exact F|].
unfold renyi_eps. fold l. replace (INR T) with (q * q / l) by (rewrite q2; field; lra). field. lra.
Qed.

Theorem c3_depends_on_N N delta slack : (2 <= N)%nat -> 0 < delta < 1 / 1000 -> 0 < slack < 1 ->
  corollary_1_eps 1000 (INR N) delta slack < corollary_1_eps 1000 (INR N + 1) delta slack.
Proof.
intros H D S. assert (n2 : 2 <= INR N) by (change 2 with (INR 2); now apply le_INR). unfold corollary_1_eps.
assert (l0 : 0 < ln (1 / slack)).
{ rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with slack; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (r0 : 0 < sqrt (2 * 1000 * ln (1 / slack))) by (apply sqrt_lt_R0; lra).
assert (E : 0 <= step_eps (INR N) delta < step_eps (INR N + 1) delta).
{ unfold step_eps. assert (W : 0 < 2 * sqrt 2) by (generalize (sqrt_lt_R0 2); lra). assert (I := Rinv_0_lt_compat _ W).
  assert (B : ln ((INR N - 1) / (2 * delta)) < ln ((INR N + 1 - 1) / (2 * delta))).
  { apply ln_increasing; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|lra]. }
  assert (C : 0 <= ln ((INR N - 1) / (2 * delta))).
  { rewrite <- ln_1. left. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with (2 * delta); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  split; [apply Rle_mult_inv_pos; [apply sqrt_pos|exact W]|].
  apply Rmult_lt_compat_r; [exact I|]. apply sqrt_lt_1; lra. }
set (e := step_eps (INR N) delta) in *. set (e' := step_eps (INR N + 1) delta) in *.
assert (X : 0 <= exp e - 1 < exp e' - 1).
{ assert (exp e < exp e') by (apply exp_increasing; lra). generalize (exp_ineq1_le e). lra. }
assert (e * sqrt (2 * 1000 * ln (1 / slack)) < e' * sqrt (2 * 1000 * ln (1 / slack))) by (apply Rmult_lt_compat_r; lra).
assert (e * (exp e - 1) <= e' * (exp e' - 1)) by (apply Rmult_le_compat; lra). lra.
Qed.

(** * The ratio of the two deltas at the same eps, T = 1000 *)

Lemma mills_share_rises x y : 0 <= x <= y -> x / hazard x <= y / hazard y.
Proof.
intros H. set (f t := t * (Phi (- t) / density t)).
assert (E : forall t, t / hazard t = f t).
{ intros t. unfold f, hazard. field. generalize (density_positive t) (Phi_inside (- t)). lra. }
rewrite !E. apply (rises_between f (fun t => Phi (- t) / density t + t * ((t * Phi (- t) - density t) / density t)));
  [| |lra].
- intros t. assert (P := density_positive t). evar_last.
  + apply (is_derive_mult (fun t => t) (fun t => Phi (- t) / density t)); [apply (is_derive_id (K := R_AbsRing))| |].
    * apply (is_derive_div (fun t => Phi (- t)) density); [apply tail_derive|apply density_derive|lra].
    * intros; apply Rmult_comm.
  + unfold plus, mult, one; simpl. field. lra.
- intros t T. assert (P := density_positive t). assert (M := mills_below t ltac:(lra)).
  replace (Phi (- t) / density t + t * ((t * Phi (- t) - density t) / density t))
    with ((Phi (- t) * (t * t + 1) - t * density t) / density t) by (field; lra).
  apply Rle_mult_inv_pos; [|exact P]. apply (Rmult_le_compat_r (t * t + 1)) in M; [|nra].
  replace (density t * (t / (t * t + 1)) * (t * t + 1)) with (t * density t) in M by (field; nra). lra.
Qed.

Section Profile.
Variable mu : R.
Hypothesis mu_positive : 2 < mu.

Lemma tilted_density eps : exp eps * density (- eps / mu - mu / 2) = density (- eps / mu + mu / 2).
Proof.
unfold density. set (u := - eps / mu - mu / 2). set (v := - eps / mu + mu / 2).
replace (exp (- (v * v) / 2)) with (exp eps * exp (- (u * u) / 2)).
- unfold Rdiv. ring.
- rewrite <- exp_plus. f_equal. unfold u, v. field. lra.
Qed.

Lemma delta_derive eps : is_derive (gaussian_delta mu) eps (- (exp eps * Phi (- eps / mu - mu / 2))).
Proof.
unfold gaussian_delta. evar_last.
- apply (is_derive_minus (fun e => Phi (- e / mu + mu / 2)) (fun e => exp e * Phi (- e / mu - mu / 2))).
  + apply (is_derive_comp Phi (fun e => - e / mu + mu / 2)); [apply Phi_derive|auto_derive; [lra|reflexivity]].
  + apply (is_derive_mult exp (fun e => Phi (- e / mu - mu / 2))); [apply is_derive_exp| |intros; apply Rmult_comm].
    apply (is_derive_comp Phi (fun e => - e / mu - mu / 2)); [apply Phi_derive|auto_derive; [lra|reflexivity]].
- unfold minus, plus, opp, scal, mult; simpl. unfold mult; simpl.
  rewrite <- tilted_density. match goal with |- @eq _ ?x ?y => change (@eq R x y) end. ring.
Qed.

(* From eps = mu^2/2 on. *)
Lemma delta_slope eps : mu * mu / 2 <= eps ->
  0 < gaussian_delta mu eps /\
  (eps - mu * mu / 2) * gaussian_delta mu eps <= mu * mu * (exp eps * Phi (- eps / mu - mu / 2)).
Proof.
intros E. set (x := (eps - mu * mu / 2) / mu). set (a := x + mu).
assert (x0 : 0 <= x) by (apply Rle_mult_inv_pos; lra).
assert (X : - eps / mu + mu / 2 = - x) by (unfold x; field; lra).
assert (A : - eps / mu - mu / 2 = - a) by (unfold a, x; field; lra).
assert (D : exp eps * density a = density x).
{ assert (T := tilted_density eps). rewrite X, A, !density_opp in T. exact T. }
assert (Px := density_positive x). assert (Hx := hazard_positive x). assert (Ha := hazard_positive a).
assert (Fx : Phi (- x) = density x / hazard x) by (rewrite density_hazard; field; lra).
assert (Fa : exp eps * Phi (- a) = density x / hazard a) by (rewrite <- D, (density_hazard a); field; lra).
assert (G : gaussian_delta mu eps = density x * (/ hazard x - / hazard a)).
{ unfold gaussian_delta. rewrite X, A, Fx, Fa. unfold Rdiv. ring. }
assert (Less : hazard x < hazard a).
{ assert (M : a <= hazard a).
  { apply Rmult_le_reg_r with (Phi (- a)); [apply Phi_inside|]. rewrite <- density_hazard. apply mills_above. }
  destruct (Rle_lt_dec 1 x) as [L|L].
  - assert (B := hazard_below x ltac:(lra)). assert (/ x <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    unfold a in M at 1. lra.
  - assert (B := hazard_below 1 Rlt_0_1). assert (R1 := hazard_rises x 1 ltac:(lra)). rewrite Rinv_1 in B.
    unfold a in M at 1. lra. }
split.
- rewrite G. apply Rmult_lt_0_compat; [exact Px|]. assert (/ hazard a < / hazard x) by (apply Rinv_lt_contravar; nra). lra.
- rewrite A, Fa, G. assert (S := mills_share_rises x a ltac:(unfold a; lra)).
  replace (eps - mu * mu / 2) with (mu * x) by (unfold x; field; lra). unfold Rdiv in S |- *.
  assert (x * / hazard x - x * / hazard a <= mu * / hazard a) by (unfold a in S at 1; lra).
  replace (mu * x * (density x * (/ hazard x - / hazard a))) with (mu * density x * (x * / hazard x - x * / hazard a)) by ring.
  replace (mu * mu * (density x * / hazard a)) with (mu * density x * (mu * / hazard a)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact H].
Qed.

(* delta(eps) exp((eps - mu^2/2)^2/(2 mu^2)) falls. *)
Lemma scaled_delta_falls eps more : mu * mu / 2 <= eps -> 0 <= more ->
  exp ((eps + more - mu * mu / 2) ^ 2 / (2 * (mu * mu))) * gaussian_delta mu (eps + more) <=
    exp ((eps - mu * mu / 2) ^ 2 / (2 * (mu * mu))) * gaussian_delta mu eps.
Proof.
intros E M. set (q e := exp ((e - mu * mu / 2) ^ 2 / (2 * (mu * mu)))). set (f e := - (q e * gaussian_delta mu e)).
assert (H : f eps <= f (eps + more)); [|unfold f, q in H; lra].
apply (rises_between f (fun e => - (q e * ((e - mu * mu / 2) / (mu * mu)) * gaussian_delta mu e +
  q e * - (exp e * Phi (- e / mu - mu / 2))))); [| |lra].
- intros e. apply (is_derive_opp (fun e => q e * gaussian_delta mu e)).
  apply (is_derive_mult q (gaussian_delta mu)); [|apply delta_derive|intros; apply Rmult_comm].
  evar_last; [apply (is_derive_comp exp (fun e => (e - mu * mu / 2) ^ 2 / (2 * (mu * mu)))); [apply is_derive_exp|]|].
  + instantiate (1 := (e - mu * mu / 2) / (mu * mu)). auto_derive; [auto|]. field. lra.
  + apply Rmult_comm.
- intros e L. destruct (delta_slope e ltac:(lra)) as [_ S]. assert (Q : 0 < q e) by apply exp_pos.
  replace (- (q e * ((e - mu * mu / 2) / (mu * mu)) * gaussian_delta mu e + q e * - (exp e * Phi (- e / mu - mu / 2))))
    with (q e * (mu * mu * (exp e * Phi (- e / mu - mu / 2)) - (e - mu * mu / 2) * gaussian_delta mu e) / (mu * mu))
    by (field; lra).
  apply Rle_mult_inv_pos; [apply Rmult_le_pos; lra|nra].
Qed.
End Profile.

Theorem c3_in_delta eps more : 250 < eps -> 0 < more ->
  exp (- (eps - 1000 / 4) ^ 2 / 1000) / gaussian_delta (sqrt (1 / 2 * 1000)) eps <=
    exp (- (eps + more - 1000 / 4) ^ 2 / 1000) / gaussian_delta (sqrt (1 / 2 * 1000)) (eps + more).
Proof.
intros E M. set (mu := sqrt (1 / 2 * 1000)). assert (S : mu * mu = 500) by (unfold mu; rewrite sqrt_sqrt; lra).
assert (m2 : 2 < mu) by (assert (0 <= mu) by apply sqrt_pos; nra).
destruct (delta_slope mu m2 eps ltac:(lra)) as [D _], (delta_slope mu m2 (eps + more) ltac:(lra)) as [D' _].
assert (F := scaled_delta_falls mu m2 eps more ltac:(lra) ltac:(lra)). rewrite S in F.
set (d := gaussian_delta mu eps) in *. set (d' := gaussian_delta mu (eps + more)) in *.
assert (Inverse : forall z, exp (- (z - 1000 / 4) ^ 2 / 1000) * exp ((z - 500 / 2) ^ 2 / (2 * 500)) = 1).
{ intros z. rewrite <- exp_plus, <- exp_0. f_equal. field. }
assert (I := Inverse eps). assert (I' := Inverse (eps + more)).
set (a := exp (- (eps - 1000 / 4) ^ 2 / 1000)) in *. set (a' := exp (- (eps + more - 1000 / 4) ^ 2 / 1000)) in *.
set (q := exp ((eps - 500 / 2) ^ 2 / (2 * 500))) in *. set (q' := exp ((eps + more - 500 / 2) ^ 2 / (2 * 500))) in *.
assert (a0 : 0 < a) by apply exp_pos. assert (a0' : 0 < a') by apply exp_pos.
apply Rmult_le_reg_r with (d * d'); [nra|].
replace (a / d * (d * d')) with (a * d') by (field; lra). replace (a' / d' * (d * d')) with (a' * d) by (field; lra).
apply (Rmult_le_compat_l (a * a')) in F; [|nra].
replace (a * a' * (q' * d')) with (a * d' * (a' * q')) in F by ring.
replace (a * a' * (q * d)) with (a' * d * (a * q)) in F by ring. rewrite I, I' in F. lra.
Qed.

(** * The hypotheses can hold together *)

Lemma c3_depends_on_N_witness : satisfiable c3_depends_on_N.
Proof. exists 2%nat, (1 / 2000), (1 / 2). split; [lia|lra]. Qed.

Lemma c3_no_worse_witness : satisfiable c3_no_worse.
Proof. exists 1%nat, (1 / 2). split; [lia|lra]. Qed.

Lemma c3_in_delta_witness : satisfiable c3_in_delta.
Proof. exists 260, 1. lra. Qed.
