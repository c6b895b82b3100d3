(* Lemma 4 and Theorem 4: Algorithm 2, with pre-pulls and more variance. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3.
Open Scope R_scope.

(* One round, every arm pulled b times at least. *)
Theorem lemma_4_step A (arms : list A) count c total total' j b : 0 < c -> NoDup arms ->
  (forall a, (b <= count a)%nat) -> (forall a, a <> j -> total a = total' a) -> Rabs (total j - total' j) <= 1 ->
  round_gdp arms count c total total' (sqrt (1 / (c * (INR b + 1)))).
Proof. intros C D N E H. now apply one_round_private with (j := j). Qed.

Theorem lemma_4 A same (arms first : list A) c T b r kept :
  0 < c -> NoDup arms -> prepulled same T b first -> (1 <= T)%nat ->
  pulls_gdp A same arms first c 1 T r kept (sqrt (INR T / (c * (INR b + 1)))).
Proof.
intros C D P N. assert (L := lt_0_INR T N). assert (M := pos_INR b).
assert (S : 0 < c * (INR b + 1)) by (apply Rmult_lt_0_compat; lra).
assert (Q : 0 < INR T / (c * (INR b + 1))) by now apply Rdiv_lt_0_compat.
apply (pulls_gdp_above A same arms first c 1 T b C D P ltac:(lra)); [now apply sqrt_lt_R0|].
rewrite sqrt_sqrt by lra. unfold Rdiv. apply Rmult_le_compat.
- apply pos_INR.
- left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact C|]. generalize (pos_INR (Nat.max b 1)); lra.
- apply le_INR. lia.
- apply Rinv_le_contravar; [exact S|]. apply Rmult_le_compat_l; [lra|].
  assert (INR b <= INR (Nat.max b 1)) by (apply le_INR; lia). lra.
Qed.

Theorem theorem_4 A same (arms first : list A) c T b r kept eps :
  0 < c -> NoDup arms -> prepulled same T b first -> (1 <= T)%nat -> 0 <= eps ->
  pulls_private same arms first c T r kept eps (printed_delta (sqrt (INR T / (c * (INR b + 1)))) eps).
Proof.
intros C D P N _ x y event draws near X Y. rewrite printed_delta_is_gaussian.
now apply (lemma_4 A same arms first c T b r kept C D P N).
Qed.
