(* Lemma 4 and Theorem 4: Algorithm 2, with pre-pulls and more variance. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3.
Open Scope R_scope.

(* One round, every arm pulled b times at least. *)
Theorem lemma_4_step A (arms : list A) count c total total' j b : 0 < c -> NoDup arms ->
  (forall a, (b <= count a)%nat) -> (forall a, a <> j -> total a = total' a) -> Rabs (total j - total' j) <= 1 ->
  round_gdp arms count c total total' (sqrt (1 / (c * (INR b + 1)))).
Proof. intros C D N E H. now apply one_round_private with (j := j). Qed.

Lemma rounds_cost c T n b : 0 < c -> INR (T - Nat.max n 1) / (c * (INR (Nat.max b 1) + 1)) <= INR T / (c * (INR b + 1)).
Proof.
intros C. assert (M := pos_INR b). unfold Rdiv. apply Rmult_le_compat.
- apply pos_INR.
- left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact C|]. generalize (pos_INR (Nat.max b 1)); lra.
- apply le_INR. lia.
- apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_l; [lra|].
  assert (INR b <= INR (Nat.max b 1)) by (apply le_INR; lia). lra.
Qed.

Theorem lemma_4 A same (arms first : list A) c T b r kept :
  0 < c -> NoDup arms -> prepulled same T b first -> (1 <= T)%nat ->
  pulls_gdp A same arms first c 1 T r kept (sqrt (INR T / (c * (INR b + 1)))).
Proof.
intros C D P N. assert (L := lt_0_INR T N). assert (M := pos_INR b).
assert (S : 0 < c * (INR b + 1)) by (apply Rmult_lt_0_compat; lra).
assert (Q : 0 < INR T / (c * (INR b + 1))) by now apply Rdiv_lt_0_compat.
apply (pulls_gdp_above A same arms first c 1 T b C D P ltac:(lra)); [now apply sqrt_lt_R0|].
rewrite sqrt_sqrt by lra. now apply rounds_cost.
Qed.

(* PMLR prints T outside of the root, which is a larger number. *)
Theorem lemma_4_bracket A same (arms first : list A) c T b r kept :
  0 < c -> NoDup arms -> prepulled same T b first -> (1 <= T)%nat ->
  pulls_gdp A same arms first c 1 T r kept (sqrt (1 / (c * (INR b + 1))) * INR T).
Proof.
intros C D P N. assert (L : 1 <= INR T) by now apply (le_INR 1). assert (M := pos_INR b).
assert (S : 0 < / (c * (INR b + 1))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
assert (R0 : 0 < sqrt (1 / (c * (INR b + 1)))) by (apply sqrt_lt_R0; unfold Rdiv; lra).
apply (pulls_gdp_above A same arms first c 1 T b C D P ltac:(lra)); [apply Rmult_lt_0_compat; lra|].
apply Rle_trans with (1 := rounds_cost c T (length first) b C).
replace (sqrt (1 / (c * (INR b + 1))) * INR T * (sqrt (1 / (c * (INR b + 1))) * INR T)) with
  (sqrt (1 / (c * (INR b + 1))) * sqrt (1 / (c * (INR b + 1))) * (INR T * INR T)) by ring.
rewrite sqrt_sqrt by (unfold Rdiv; lra). unfold Rdiv. rewrite Rmult_1_l, Rmult_comm. apply Rmult_le_compat_l; nra.
Qed.

Theorem theorem_4 A same (arms first : list A) c T b r kept eps :
  0 < c -> NoDup arms -> prepulled same T b first -> (1 <= T)%nat -> 0 <= eps ->
  pulls_private same arms first c T r kept eps (printed_delta (sqrt (INR T / (c * (INR b + 1)))) eps).
Proof.
intros C D P N _ x y event draws near X Y. rewrite printed_delta_is_gaussian.
now apply (lemma_4 A same arms first c T b r kept C D P N).
Qed.

(** * The hypotheses can hold together: every arm is pulled once before *)
Lemma lemma_4_step_witness : satisfiable lemma_4_step.
Proof.
exists bool, both_arms, (fun _ => 1%nat), 1, (fun _ => 0), (fun a : bool => if a then 1 else 0), true, 1%nat. hold.
- intros [|] N; [now destruct N|reflexivity].
- rewrite Rabs_left; lra.
- now exists 0, (fun _ => true), 2%nat.
Qed.

Lemma both_prepulled : prepulled bool_dec 3 1 both_arms.
Proof. split; [simpl; lia|now intros [|]]. Qed.

Lemma lemma_4_witness : satisfiable lemma_4.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (P := both_prepulled).
exists bool, bool_dec, both_arms, both_arms, 1, 3%nat, 1%nat, pull, true. hold. now exists 1, x, y, (fun _ => true), 2%nat.
Qed.

Lemma lemma_4_bracket_witness : satisfiable lemma_4_bracket.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (P := both_prepulled).
exists bool, bool_dec, both_arms, both_arms, 1, 3%nat, 1%nat, pull, true. hold. now exists 1, x, y, (fun _ => true), 2%nat.
Qed.

Lemma theorem_4_witness : satisfiable theorem_4.
Proof.
destruct (different_rewards bool bool_dec true 0 round) as (x & y & N & X & Y). assert (P := both_prepulled).
exists bool, bool_dec, both_arms, both_arms, 1, 3%nat, 1%nat, round, false, 1. hold. now exists x, y, (fun _ => true), 2%nat.
Qed.
