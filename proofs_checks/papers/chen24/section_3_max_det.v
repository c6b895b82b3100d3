(* Max-Det collections inject the least noise into the means of the pulled arms. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Dpbandits Require Import inequalities satisfiable.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Collections.
Variable (R : realFieldType).

(* The rows are the features of arms. The means of the chosen arms determine those of all: parameters theta that agree on
   the chosen ones agree on all. *)
Definition determines (k K d : nat) (chosen : 'M[R]_(k, d)) (features : 'M[R]_(K, d)) :=
  forall theta theta' : 'cV[R]_d, chosen *m theta = chosen *m theta' -> features *m theta = features *m theta'.

(* (11): M k/(eps T'), where each of k arms has T'/(M k) pulls; M phases. *)
Definition noise_scale (M eps left : R) (k : nat) : R := (eps * (left / (M * k%:R)))^-1.

Lemma determines_spans k K d (chosen : 'M[R]_(k, d)) (features : 'M[R]_(K, d)) :
  determines chosen features -> (features <= chosen)%MS.
Proof.
move=> D; rewrite submxE; apply/eqP/matrixP => i j.
have E : chosen *m col j (cokermx chosen) = chosen *m 0 by rewrite colE mulmxA mulmx_coker mul0mx mulmx0.
by have := D _ _ E; rewrite mulmx0 colE mulmxA -colE => /colP /(_ i); rewrite !mxE.
Qed.
End Collections.

(* A Max-Det collection has as many arms as the rank of the features. *)
Theorem max_det_noise (R : realFieldType) (k K d : nat) (chosen : 'M[R]_(k, d)) (features : 'M[R]_(K, d)) (M eps left : R) :
  0 < M -> 0 < eps -> 0 < left -> determines chosen features ->
  (\rank features <= k)%N /\ noise_scale M eps left (\rank features) <= noise_scale M eps left k.
Proof.
move=> M0 E0 L0 D; have sub := determines_spans D.
have rk : (\rank features <= k)%N by apply: leq_trans (mxrankS sub) (rank_leq_row chosen).
split=> //; rewrite /noise_scale !invfM !invrK !mulrA.
apply: times_le; last by rewrite ler_nat.
by rewrite !mulr_ge0 ?invr_ge0 ?ltW.
Qed.

(* The hypotheses can hold together: one arm in one dimension. *)
Lemma max_det_noise_witness : satisfiable max_det_noise.
Proof.
exists [the realFieldType of rat : Type], 1%N, 1%N, 1%N, 1%:M, 1%:M, 1, 1, 1; do 3 (split; first by []).
by move=> theta theta'; rewrite !mul1mx.
Qed.
