(* Section 3: M-TS-Gaussian as it is quoted, whose samples are N(S/n, c/n): one round, and all of a run. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments rewards thompson densities gaussian noisy_values thompson_samples.
From Dpbandits Require Import witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(* Every arm has b + 1 pulls at least, and paid `total` in all; one reward of arm j is another one. *)
Theorem quoted_round A (arms : list A) count c total total' j b eps event draws : 0 < c -> NoDup arms ->
  (forall a, (b + 1 <= count a)%nat) -> (forall a, a <> j -> total a = total' a) -> Rabs (total j - total' j) <= 1 ->
  let chance total :=
    values_chance A arms (fun a => sqrt (c / INR (count a))) (fun a => total a / INR (count a)) event draws in
  chance total <= exp eps * chance total' + gaussian_delta (sqrt (1 / (c * (INR b + 1)))) eps.
Proof.
intros C D N E H chance. assert (B := pos_INR b).
assert (K : forall a, INR b + 1 <= INR (count a)).
{ intros a. generalize (le_INR _ _ (N a)). rewrite plus_INR. simpl. lra. }
assert (S : 0 < c * (INR b + 1)) by (apply Rmult_lt_0_compat; lra).
apply (one_value_moves A arms (fun a => sqrt (c / INR (count a))) j); [exact D| | | |].
- intros a. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact C|]. generalize (K a). lra.
- apply sqrt_lt_R0, Rdiv_lt_0_compat; lra.
- intros a Q. now rewrite (E a Q).
- assert (n0 := K j). set (n := INR (count j)) in *.
  replace (total j / n - total' j / n) with ((total j - total' j) * / n) by (field; lra).
  assert (I : 0 < / n) by (apply Rinv_0_lt_compat; lra). rewrite Rabs_mult, (Rabs_right (/ n)) by lra.
  apply Rle_trans with (1 * / n); [apply Rmult_le_compat_r; lra|].
  rewrite <- sqrt_mult by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  rewrite <- (sqrt_square (1 * / n)) by lra. apply sqrt_le_1_alt.
  replace (1 / (c * (INR b + 1)) * (c / n)) with (/ (INR b + 1) * / n) by (field; lra).
  rewrite Rmult_1_l. apply Rmult_le_compat_r; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(* After n pulls of every arm, in any order; without a prior count. R rounds are left. *)
Theorem quoted_run A same (arms first : list A) c T n r :
  0 < c -> NoDup arms -> prepulled same T n first -> (1 <= n)%nat -> arms <> [] -> (length first < T)%nat ->
  pulls_gdp A same arms first c 0 T r true (sqrt (INR (T - length first) / (c * INR n))).
Proof.
intros C D P N some L. assert (I := lt_0_INR n N). destruct P as [E F].
assert (one : (1 <= length first)%nat).
{ destruct arms as [|a l]; [now destruct some|]. specialize (F a). destruct first; [simpl in F; lia|simpl; lia]. }
assert (G := all_pulls_private A same arms first c 0 T n r true C D (conj E F) ltac:(lra)). cbv zeta in G.
rewrite (Nat.max_l (length first) 1), (Nat.max_l n 1), Rplus_0_r in G by assumption. apply G. lia.
Qed.

(** * The hypotheses can hold together *)

Lemma quoted_round_witness : satisfiable quoted_round.
Proof.
exists bool, both_arms, (fun _ => 1%nat), 1, (fun _ => 0), (fun a : bool => if a then 1 else 0), true, 0%nat, 0,
  (fun _ => true), 2%nat.
hold.
- intros [|] N; [now destruct N|reflexivity].
- rewrite Rabs_left; lra.
Qed.

Lemma quoted_run_witness : satisfiable quoted_run.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
assert (P : prepulled bool_dec 3 1 both_arms) by (split; [simpl; lia|now intros [|]]).
exists bool, bool_dec, both_arms, both_arms, 1, 3%nat, 1%nat, pull. hold; [discriminate|].
now exists 1, x, y, (fun _ => true), 2%nat.
Qed.
