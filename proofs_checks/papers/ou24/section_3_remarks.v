(* Remark 1: of the three analyses, GDP's is never the weaker one. Remark 2: another tightening does improve Theorem 3. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian gaussian_profile thompson_samples.
From Dpbandits Require Import witnesses satisfiable.
From Dpbandits.ou24 Require Import section_2 section_3_lemmas appendix_c_2 appendix_c_1_standard_dp.
Import ListNotations.
Open Scope R_scope.

Theorem remark_2_improvement eps T : 0 <= eps -> (2 <= T)%nat ->
  gaussian_delta (sqrt (1 / 2 * (INR T - 1))) eps <= gaussian_delta (sqrt (1 / 2 * INR T)) eps.
Proof.
intros E H. assert (2 <= INR T) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
apply delta_rises; [exact E|apply sqrt_lt_R0; lra|apply sqrt_le_1_alt; lra].
Qed.

(* Lemma 3 with T - 1: the first round reads nothing. *)
Theorem remark_2_tightened A same (arms : list A) T r : NoDup arms -> (2 <= T)%nat ->
  sqrt ((INR T - 1) / 2) < sqrt (INR T / 2) /\ pulls_gdp A same arms [] 1 1 T r true (sqrt ((INR T - 1) / 2)).
Proof.
intros D H. assert (2 <= INR T) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
split; [apply sqrt_lt_1; lra|].
assert (P : prepulled same T 0 []) by (split; [apply le_0_n|reflexivity]).
assert (G := sharp_pulls_private A same arms [] 1 T 0 r true Rlt_0_1 D P). cbv zeta in G. simpl length in G.
change (Nat.max 0 1) with 1%nat in G. rewrite minus_INR in G by lia. change (INR 1) with 1 in G.
replace (1 * (1 + 1)) with 2 in G by ring. apply G. lia.
Qed.

(* least: at most every eps that GDP gives at delta. *)
Theorem remark_1_tightest T delta least : (1 <= T)%nat ->
  (forall eps, 0 <= eps -> gaussian_delta (sqrt (1 / 2 * INR T)) eps <= delta -> least <= eps) ->
  (forall alpha, 1 < alpha -> 0 < delta < 1 -> least <= renyi_eps T alpha delta) /\
  (forall N each slack, (2 <= N)%nat -> 0 < each -> 0 < slack -> delta = INR T * each + slack -> delta <= 1 ->
     2 * each <= INR N - 1 -> least <= corollary_1_eps (INR T) (INR N) each slack).
Proof.
intros HT H. assert (T0 := lt_0_INR T HT). split.
- intros alpha A D. apply H; [|now apply theorem_8_formula]. unfold renyi_eps.
  assert (L : 0 <= ln (1 / delta)).
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. assert (ln delta < 0); [|lra]. rewrite <- ln_1. apply ln_increasing; lra. }
  assert (0 <= ln (1 / delta) / (alpha - 1)) by (apply Rle_mult_inv_pos; lra).
  assert (0 <= alpha * INR T) by (apply Rmult_le_pos; lra). lra.
- intros N each slack HN E S -> One Log. apply H; [|now apply corollary_1_formula].
  unfold corollary_1_eps. cbv zeta. set (e := step_eps (INR N) each).
  assert (E0 : 0 <= e).
  { unfold e, step_eps. apply Rle_mult_inv_pos; [apply sqrt_pos|]. generalize (sqrt_lt_R0 2). lra. }
  assert (X : 0 <= exp e - 1) by (generalize (exp_ineq1_le e); lra).
  apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [exact E0|apply sqrt_pos]|].
  apply Rmult_le_pos; [apply Rmult_le_pos; lra|exact X].
Qed.

(** * The hypotheses can hold together *)
Lemma remark_2_improvement_witness : satisfiable remark_2_improvement.
Proof. exists 0, 2%nat. split; [lra|lia]. Qed.

Lemma remark_2_tightened_witness : satisfiable remark_2_tightened.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull. hold. now exists 1, x, y, (fun _ => true), 4%nat.
Qed.

Lemma remark_1_tightest_witness : satisfiable remark_1_tightest.
Proof.
exists 2%nat, (3 / 4), 0. split; [lia|]. split; [intros; assumption|]. split; [exists 2; lra|].
exists 2%nat, (1 / 8), (1 / 2). hold.
Qed.
