(* Lemma 2: one round. Lemma 3 and its sharp reading, and what Theorem 4 needs of Algorithm 2: all samples of a run are
   as private as those of one Gaussian mechanism. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian noisy_values thompson_samples witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(* A round after two histories, from how often each arm was pulled and what it paid in all: the samples of all arms. One
   reward of arm j is another one, which has m pulls at least. *)
Definition round_gdp {A} (arms : list A) (count : A -> nat) c total total' mu := forall eps event draws,
  let chance total := values_chance A arms (fun a => sqrt (c / (INR (count a) + 1)))
    (fun a => total a / (INR (count a) + 1)) event draws in
  chance total <= exp eps * chance total' + gaussian_delta mu eps.

Theorem one_round_private A (arms : list A) count c total total' j m : 0 < c -> NoDup arms -> (m <= count j)%nat ->
  (forall a, a <> j -> total a = total' a) -> Rabs (total j - total' j) <= 1 ->
  round_gdp arms count c total total' (sqrt (1 / (c * (INR m + 1)))).
Proof.
intros C D N E H eps event draws chance. assert (M := pos_INR m). assert (L := le_INR _ _ N).
assert (K : forall a, 0 < INR (count a) + 1) by (intros a; generalize (pos_INR (count a)); lra).
assert (S : 0 < c * (INR m + 1)) by (apply Rmult_lt_0_compat; lra).
apply (one_value_moves A arms (fun a => sqrt (c / (INR (count a) + 1))) j); [exact D| | | |].
- intros a. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact C|apply K].
- apply sqrt_lt_R0, Rdiv_lt_0_compat; lra.
- intros a Q. now rewrite (E a Q).
- set (n := INR (count j)) in *. assert (n0 := K j). fold n in n0.
  replace (total j / (n + 1) - total' j / (n + 1)) with ((total j - total' j) * / (n + 1)) by (field; lra).
  assert (I := Rinv_0_lt_compat _ n0). rewrite Rabs_mult, (Rabs_right (/ (n + 1))) by lra.
  apply Rle_trans with (1 * / (n + 1)); [apply Rmult_le_compat_r; lra|].
  rewrite <- sqrt_mult by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  rewrite <- (sqrt_square (1 * / (n + 1))) by lra. apply sqrt_le_1_alt.
  replace (1 / (c * (INR m + 1)) * (c / (n + 1))) with (/ (INR m + 1) * / (n + 1)) by (field; lra).
  rewrite Rmult_1_l. apply Rmult_le_compat_r; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Theorem lemma_2 A (arms : list A) count total total' j : NoDup arms -> (1 <= count j)%nat ->
  (forall a, a <> j -> total a = total' a) -> Rabs (total j - total' j) <= 1 ->
  round_gdp arms count 1 total total' (sqrt (1 / 2)).
Proof.
intros D N E H. replace 2 with (1 * (INR 1 + 1)) by (simpl; ring).
now apply one_round_private with (j := j); try lra.
Qed.

(* Algorithm 2: the prior count is 1. mu-GDP of all samples once mu^2 is R/(variance (m + 1)) at least, for R rounds after
   the first one that may read a reward, and m pulls of an arm that has been read. *)
Theorem all_samples_private A same arms first variance T B r kept mu eps x y event draws :
  0 < variance -> NoDup arms -> prepulled same T B first -> 0 < mu ->
  INR (T - Nat.max (length first) 1) / (variance * (INR (Nat.max B 1) + 1)) <= mu * mu ->
  neighbours A same r x y -> in_range A x -> in_range A y ->
  samples_chance A same arms first variance 1 T (heard kept first x) event draws <=
    exp eps * samples_chance A same arms first variance 1 T (heard kept first y) event draws + gaussian_delta mu eps.
Proof.
intros V D P M H near X Y. assert (N := pos_INR B).
now apply (samples_private A same arms first variance 1 T B V D P ltac:(lra) r).
Qed.

Theorem sharp_pulls_private A same arms first variance T B r kept :
  0 < variance -> NoDup arms -> prepulled same T B first ->
  let rounds := (T - Nat.max (length first) 1)%nat in let m := Nat.max B 1 in (1 <= rounds)%nat ->
  pulls_gdp A same arms first variance 1 T r kept (sqrt (INR rounds / (variance * (INR m + 1)))).
Proof. intros V D P rounds m N. assert (M := pos_INR B). now apply all_pulls_private; try lra. Qed.

(* Lemma 3: Algorithm 1, from its first round on. *)
Theorem lemma_3 A same (arms : list A) T r : NoDup arms -> (1 <= T)%nat ->
  pulls_gdp A same arms [] 1 1 T r true (sqrt (INR T / 2)).
Proof.
intros D N. assert (L := lt_0_INR T N). apply (pulls_gdp_above A same arms [] 1 1 T 0); try assumption; try (simpl; lra).
- split; [simpl; lia|reflexivity].
- apply sqrt_lt_R0. lra.
- rewrite sqrt_sqrt by lra. simpl length. change (Nat.max 0 1) with 1%nat.
  assert (INR (T - 1) <= INR T) by (apply le_INR; lia). change (INR 1) with 1. lra.
Qed.

(** * The hypotheses can hold together: two arms, without pre-pulls, and rewards of which one differs *)
Lemma lemma_2_witness : satisfiable lemma_2.
Proof.
exists bool, both_arms, (fun _ => 1%nat), (fun _ => 0), (fun a : bool => if a then 1 else 0), true. hold.
- intros [|] N; [now destruct N|reflexivity].
- rewrite Rabs_left; lra.
- now exists 0, (fun _ => true), 2%nat.
Qed.

Lemma without_prepulls T : prepulled bool_dec T 0 [].
Proof. split; [apply le_0_n|reflexivity]. Qed.

Lemma all_samples_private_witness : satisfiable all_samples_private.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (P := without_prepulls 2).
exists bool, bool_dec, both_arms, [], 1, 2%nat, 0%nat, pull, true, 1, 1, x, y, (fun _ => true), 4%nat.
simpl (INR _). hold.
Qed.

Lemma sharp_pulls_private_witness : satisfiable sharp_pulls_private.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (P := without_prepulls 2).
exists bool, bool_dec, both_arms, [], 1, 2%nat, 0%nat, pull, true. hold. now exists 1, x, y, (fun _ => true), 4%nat.
Qed.

Lemma lemma_3_witness : satisfiable lemma_3.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull. hold. now exists 1, x, y, (fun _ => true), 4%nat.
Qed.
