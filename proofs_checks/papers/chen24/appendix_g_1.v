(* chen24, Appendix G, Lemma G.1: in a Max-Det collection all coefficients are at most 1, and the same of every
   collection that no exchange of one vector makes larger. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Dpbandits Require Import inequalities satisfiable.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section MaxDet.
Variables (F : realFieldType) (N d : nat).
Variable X : 'M[F]_(N, d). (* N vectors, its rows: duplicates and zeros included *)

(* d of them, by their numbers; no number twice where it is a collection. *)
Definition numbers := {ffun 'I_d -> 'I_N}.
Definition vectors (B : numbers) : 'M[F]_d := rowsub B X.
Definition size_of (B : numbers) : F := `|\det (vectors B)|.
Definition max_det (B : numbers) := injective B /\ forall B' : numbers, injective B' -> size_of B' <= size_of B.

(* B with vector k in the place of its i-th one. *)
Definition exchanged (B : numbers) (i : 'I_d) (k : 'I_N) : numbers := [ffun j => if j == i then k else B j].
Definition no_exchange_larger (B : numbers) := forall i k, size_of (exchanged B i k) <= size_of B.

Definition small_coefficients (B : numbers) := forall k (beta : 'rV[F]_d),
  row k X = beta *m vectors B -> forall i, `|beta 0 i| <= 1.

(* Cramer's rule. *)
Lemma det_exchanged B i k (beta : 'rV[F]_d) : row k X = beta *m vectors B ->
  \det (vectors (exchanged B i k)) = beta 0 i * \det (vectors B).
Proof.
move=> combined; transitivity ((row k X *m \adj (vectors B)) 0 i); last first.
  by rewrite combined -mulmxA mul_mx_adj mul_mx_scalar mxE mulrC.
rewrite (expand_det_row _ i) mxE; apply: eq_bigr => j _; rewrite !mxE ffunE eqxx; congr (_ * _).
congr (_ * \det _); apply/matrixP => r c; rewrite !mxE ffunE.
by rewrite eq_sym (negbTE (neq_lift i r)).
Qed.

Lemma exchanged_size B i k beta : row k X = beta *m vectors B ->
  size_of (exchanged B i k) = `|beta 0 i| * size_of B.
Proof. by move=> combined; rewrite /size_of (det_exchanged i combined) normrM. Qed.

(* Every vector is a combination of d independent ones. *)
Lemma coefficients_exist B : \det (vectors B) != 0 -> forall k, exists beta, row k X = beta *m vectors B.
Proof.
move=> nonzero k; exists (row k X *m invmx (vectors B)); rewrite mulmxKV //.
by rewrite unitmxE unitfE.
Qed.

Theorem lemma_g_1_local B : \det (vectors B) != 0 -> no_exchange_larger B <-> small_coefficients B.
Proof.
move=> nonzero; have positive : 0 < size_of B by rewrite normr_gt0.
split=> [none k beta combined i|small i k].
  by rewrite -(le_times _ _ positive) mulr1 mulrC -(exchanged_size i combined).
have [beta combined] := coefficients_exist nonzero k.
by rewrite (exchanged_size i combined) mulrC -[leRHS]mulr1 times_le ?(ltW positive) //; exact: small combined _.
Qed.

(* A vector twice: the determinant is 0. *)
Lemma repeated_null (B : numbers) : ~ injective B -> size_of B = 0.
Proof.
move=> repeated; have [/injectiveP //|] := boolP (injectiveb B).
case/injectivePn => i [j ij same]; rewrite /size_of (determinant_alternate ij) ?normr0 // => c.
by rewrite !mxE same.
Qed.

Lemma max_det_all B : max_det B -> forall B' : numbers, size_of B' <= size_of B.
Proof.
move=> [_ largest] B'; have [/injectiveP|/injectiveP/repeated_null ->] := boolP (injectiveb B').
  exact: largest.
exact: normr_ge0.
Qed.

Hypothesis spans : row_full X.

Lemma independent_exist : exists2 B : numbers, injective B & \det (vectors B) != 0.
Proof.
have free := maxrowsub_free X; have inj := @maxrankfun_inj _ _ _ X.
move: (maxrankfun X) inj free; rewrite (eqP spans) => f inj free; exists [ffun i => f i].
  by move=> i j; rewrite !ffunE; apply: inj.
rewrite -unitfE -unitmxE -row_free_unit.
by have -> : vectors [ffun i => f i] = rowsub f X by apply/matrixP => i j; rewrite !mxE ffunE.
Qed.

Theorem max_det_exists : exists B, max_det B.
Proof.
have [B0 /injectiveP inj0 _] := independent_exist.
have [B /injectiveP inj largest] := @arg_maxP _ _ _ B0 (fun B : numbers => injectiveb B) size_of inj0.
by exists B; split=> // B' /injectiveP inj'; apply: largest.
Qed.

Theorem max_det_spans B : max_det B -> \det (vectors B) != 0.
Proof.
move=> [_ largest]; have [B0 inj0 nonzero] := independent_exist.
by rewrite -normr_gt0; apply: lt_le_trans (largest _ inj0); rewrite normr_gt0.
Qed.

Theorem lemma_g_1 B : max_det B -> forall k,
  (exists beta, row k X = beta *m vectors B) /\
  (forall beta : 'rV_d, row k X = beta *m vectors B -> forall i, `|beta 0 i| <= 1).
Proof.
move=> most k; have nonzero := max_det_spans most; split; first exact: coefficients_exist.
by move=> beta; apply: (proj1 (lemma_g_1_local nonzero)) => i j; apply: max_det_all.
Qed.
End MaxDet.

(** * The hypotheses can hold together *)

Lemma lemma_g_1_local_witness : satisfiable lemma_g_1_local.
Proof.
exists [the realFieldType of rat : Type], 2%N, 2%N, 1%:M, [ffun i => i].
have -> : vectors 1%:M [ffun i => i] = 1%:M :> 'M[rat]_2 by apply/matrixP => i j; rewrite !mxE ffunE.
by rewrite det1 oner_neq0.
Qed.

Lemma lemma_g_1_witness : satisfiable lemma_g_1.
Proof.
have full : row_full (1%:M : 'M[rat]_2) by rewrite row_full_unit unitmx1.
have [B most] := max_det_exists full; have [[beta combined] _] := lemma_g_1 full most 0.
exists [the realFieldType of rat : Type], 2%N, 2%N, 1%:M; split=> //; exists B; split=> //; exists 0, beta; split=> //; by exists 0.
Qed.
