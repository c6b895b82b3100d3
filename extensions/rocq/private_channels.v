(* Locally private channels: what a message reveals about the law of the datum. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction.
Open Scope R_scope.

(** * Laws that are close on every event *)

Lemma close_sums n (p q v : nat -> R) c : 0 <= c -> (forall i, (i < n)%nat -> 0 <= p i) -> (forall i, (i < n)%nat -> 0 <= q i) ->
  (forall i, (i < n)%nat -> Rabs (p i - q i) <= c * q i) -> sum_to n p = 1 -> sum_to n q = 1 ->
  sum_to n (fun i => p i * v i) <= ln (sum_to n (fun i => q i * exp (v i))) + c * c.
Proof.
intros C P Q N P1 Q1. set (s := sum_to n (fun i => q i * exp (v i))).
assert (S : 0 < s).
{ assert (H : forall k, (k <= n)%nat -> 0 <= sum_to k (fun i => q i * exp (v i)) /\
    (0 < sum_to k q -> 0 < sum_to k (fun i => q i * exp (v i)))).
  { induction k as [|k IH]; simpl; intros L; [lra|]. destruct IH as [A B]; [lia|]. assert (X := exp_pos (v k)).
    assert (Y := Q k ltac:(lia)). assert (0 <= q k * exp (v k)) by (apply Rmult_le_pos; lra). split; [lra|]. intros H1.
    destruct (Req_dec (q k) 0) as [Z|Z]; [apply Rplus_lt_le_0_compat; [apply B; lra|lra]|].
    apply Rplus_le_lt_0_compat; [exact A|apply Rmult_lt_0_compat; lra]. }
  apply (proj2 (H n (Nat.le_refl n))). lra. }
assert (I := Rinv_0_lt_compat s S).
assert (Each : forall i, (i < n)%nat -> p i * (v i - ln s) <= / s * (q i * exp (v i)) + (c * c - 1) * q i).
{ intros i L. specialize (P i L). specialize (Q i L). specialize (N i L). assert (X := exp_pos (v i)).
  destruct (Req_dec (q i) 0) as [Zq|Zq].
  - rewrite Zq in *. assert (p i = 0) by (split_Rabs; lra). rewrite H. lra.
  - assert (Positive : 0 <= / s * (q i * exp (v i))).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
    destruct (Req_dec (p i) 0) as [Zp|Zp].
    + rewrite Zp in *. assert (1 <= c).
      { apply Rmult_le_reg_r with (q i); [lra|]. rewrite Rabs_left1 in N; lra. }
      assert (1 * q i <= c * c * q i) by (apply Rmult_le_compat_r; [lra|nra]). lra.
    + assert (A := ln_below (/ s * (q i * exp (v i))) (p i) ltac:(repeat apply Rmult_lt_0_compat; lra) ltac:(lra)).
      assert (B := ln_below (p i) (q i) ltac:(lra) ltac:(lra)).
      rewrite ln_mult, ln_mult, ln_exp, ln_Rinv in A by (try apply Rmult_lt_0_compat; lra).
      apply (Rmult_le_compat_l (p i)) in A; [|lra]. apply (Rmult_le_compat_l (p i)) in B; [|lra].
      assert (Ea : p i * (/ s * (q i * exp (v i)) / p i) = / s * (q i * exp (v i))) by (field; lra).
      assert (Eb : p i * (p i / q i) = (p i - q i) * (p i - q i) / q i + 2 * p i - q i) by (field; lra).
      assert (Sq : (p i - q i) * (p i - q i) / q i <= c * c * q i).
      { apply Rmult_le_reg_r with (q i); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        assert (M := Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) N N). rewrite <- Rabs_mult in M.
        assert (R := Rle_abs ((p i - q i) * (p i - q i))). lra. }
      lra. }
apply sum_to_le in Each. rewrite sum_to_plus, !sum_to_scaled, Q1 in Each. fold s in Each. rewrite Rinv_l in Each by lra.
rewrite (sum_to_same n (fun i => p i * (v i - ln s)) (fun i => p i * v i - ln s * p i)) in Each by (intros; ring).
rewrite sum_to_minus, sum_to_scaled, P1 in Each. lra.
Qed.

Section TwoLaws.
Variables (Z : sample_space) (M M' : probability_measure Z) (c : R).
Hypothesis c_positive : 0 <= c.
Hypothesis close : forall event : Z -> bool, random_variable (fun z => if event z then 1 else 0) ->
  Rabs (mean M (fun z => if event z then 1 else 0) - mean M' (fun z => if event z then 1 else 0)) <=
  c * mean M' (fun z => if event z then 1 else 0).

Lemma close_divergence : divergence_at_most M M' (c * c).
Proof.
intros f low high V B. apply le_epsilon. intros e E.
assert (LH : low <= high).
{ apply Rnot_lt_le. intros N. apply (somewhere Z M False); [intros z; specialize (B z); lra|tauto]. }
destruct (archimed_cor1 (e / (high - low + 1))) as (n & Small & N); [apply Rdiv_lt_0_compat; lra|].
assert (n0 : 0 < INR n) by now apply lt_0_INR. set (d := (high - low + 1) / INR n).
assert (d0 : 0 < d) by (apply Rdiv_lt_0_compat; lra).
assert (de : d <= e).
{ unfold d. apply (Rmult_lt_compat_r (high - low + 1)) in Small; [|lra]. unfold Rdiv in Small.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Small by lra. unfold Rdiv. lra. }
assert (Top : low + INR n * d > high) by (unfold d; replace (INR n * ((high - low + 1) / INR n)) with (high - low + 1) by (field; lra); lra).
set (v := fun i => low + INR i * d). set (above := fun i (z : Z) => if Rle_dec (v i) (f z) then 1 else 0).
set (cell := fun i (z : Z) => if (if Rle_dec (v i) (f z) then (if Rle_dec (v (S i)) (f z) then false else true) else false) then 1 else 0).
assert (Steps : forall i, v (S i) = v i + d) by (intros i; unfold v; rewrite S_INR; ring).
assert (Difference : forall i z, above i z - above (S i) z = cell i z).
{ intros i z. assert (X := Steps i). unfold above, cell. destruct (Rle_dec (v i) (f z)), (Rle_dec (v (S i)) (f z)); lra. }
assert (VC : forall i, random_variable (cell i)).
{ intros i. apply variable_same with (fun z => above i z - above (S i) z); [intros z; apply Difference|].
  apply variable_minus; now apply variable_from. }
assert (C01 : forall i z, cell i z = 0 \/ (cell i z = 1 /\ v i <= f z <= v i + d)).
{ intros i z. unfold cell. destruct (Rle_dec (v i) (f z)); [|now left].
  destruct (Rle_dec (v (S i)) (f z)) as [H|H]; [now left|right]. rewrite Steps in H. lra. }
assert (Sum : forall z, sum_to n (fun i => cell i z) = 1).
{ intros z. assert (T : forall k, sum_to k (fun i => cell i z) = above O z - above k z).
  { induction k as [|k IH]; simpl; [ring|]. rewrite IH, <- Difference. ring. }
  rewrite T. unfold above, v. specialize (B z). destruct (Rle_dec (low + INR 0 * d) (f z)) as [_|H]; [|simpl in H; lra].
  destruct (Rle_dec (low + INR n * d) (f z)); lra. }
assert (FC : forall P : probability_measure Z, forall i, has_mean P (cell i)).
{ intros P i. apply (bounded_has_mean Z P _ 0 1); [apply VC|]. intros z. destruct (C01 i z) as [->|[-> _]]; lra. }
assert (F : forall P : probability_measure Z, has_mean P f) by (intros P; now apply (bounded_has_mean Z P f low high)).
assert (FE : has_mean M' (fun z => exp (f z))).
{ apply (bounded_has_mean Z M' _ (exp low) (exp high)).
  - apply (variable_continuous Z exp); [|exact V]. intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  - intros z. specialize (B z). split; apply exp_le; lra. }
assert (Stairs : forall (P : probability_measure Z) (x : nat -> R), has_mean P (fun z => sum_to n (fun i => x i * cell i z)) /\
  mean P (fun z => sum_to n (fun i => x i * cell i z)) = sum_to n (fun i => mean P (cell i) * x i)).
{ intros P x. destruct (mean_sum Z P (fun i z => x i * cell i z) n) as [G E']; [intros i _; now apply has_mean_scaled|].
  split; [exact G|]. rewrite E'. apply sum_to_same. intros i _. rewrite mean_scaled by apply FC. ring. }
assert (One : forall P : probability_measure Z, sum_to n (fun i => mean P (cell i)) = 1).
{ intros P. destruct (mean_sum Z P cell n (fun i _ => FC P i)) as [_ E']. rewrite <- E', <- (mean_const Z P 1).
  apply mean_same. exact Sum. }
assert (Up : mean M f <= sum_to n (fun i => mean M (cell i) * v i) + d).
{ destruct (Stairs M (fun i => v i + d)) as [G E']. apply Rle_trans with (mean M (fun z => sum_to n (fun i => (v i + d) * cell i z))).
  - apply mean_le; [apply F|exact G|]. intros z.
    rewrite <- (Rmult_1_r (f z)), <- (Sum z), <- sum_to_scaled. apply sum_to_le. intros i _.
    destruct (C01 i z) as [->|[-> H]]; lra.
  - rewrite E'. rewrite (sum_to_same n _ (fun i => mean M (cell i) * v i + d * mean M (cell i))) by (intros; ring).
    rewrite sum_to_plus, sum_to_scaled, One. lra. }
assert (Down : sum_to n (fun i => mean M' (cell i) * exp (v i)) <= mean M' (fun z => exp (f z))).
{ destruct (Stairs M' (fun i => exp (v i))) as [G E']. rewrite <- E'. apply mean_le; [exact G|exact FE|]. intros z.
  rewrite <- (Rmult_1_r (exp (f z))), <- (Sum z), <- sum_to_scaled. apply sum_to_le. intros i _.
  destruct (C01 i z) as [->|[-> H]]; [lra|]. rewrite !Rmult_1_r. apply exp_le. lra. }
assert (Positive : forall (P : probability_measure Z) i, 0 <= mean P (cell i)).
{ intros P i. apply mean_positive; [apply FC|]. intros z. destruct (C01 i z) as [->|[-> _]]; lra. }
assert (H := close_sums n (fun i => mean M (cell i)) (fun i => mean M' (cell i)) v c c_positive
  (fun i _ => Positive M i) (fun i _ => Positive M' i)).
assert (Near : forall i, (i < n)%nat -> Rabs (mean M (cell i) - mean M' (cell i)) <= c * mean M' (cell i)).
{ intros i _. apply (close _ (VC i)). }
specialize (H Near (One M) (One M')).
assert (L : ln (sum_to n (fun i => mean M' (cell i) * exp (v i))) <= ln (mean M' (fun z => exp (f z)))).
{ apply ln_le; [|exact Down]. apply Rlt_le_trans with (exp low); [apply exp_pos|].
  rewrite <- (Rmult_1_r (exp low)), <- (One M'), <- sum_to_scaled. apply sum_to_le. intros i _.
  rewrite Rmult_comm. apply Rmult_le_compat_l; [apply Positive|]. apply exp_le. unfold v. assert (X := pos_INR i). nra. }
lra.
Qed.
End TwoLaws.

(** * Channels *)

Section Channels.
Variables (W Z : sample_space).

(* A channel, which sends a message with the law Q x if the datum is x, is measurable in x. *)
Definition kernel (Q : W -> probability_measure Z) := forall (f : Z -> R) low high,
  random_variable f -> (forall z, low <= f z <= high) -> random_variable (fun x => mean (Q x) f).

(* It is eps-locally differentially private. *)
Definition private_channel (eps : R) (Q : W -> probability_measure Z) := forall x y (event : Z -> bool),
  random_variable (fun z => if event z then 1 else 0) ->
  mean (Q x) (fun z => if event z then 1 else 0) <= exp eps * mean (Q y) (fun z => if event z then 1 else 0).

(* The law of the message if the datum has the law D: E f(message) is E_D of its expectation given the datum. *)
Definition message_law (D : probability_measure W) (Q : W -> probability_measure Z) (measurable : kernel Q) :
  probability_measure Z.
Proof.
assert (F : forall f : Z -> R, random_variable f -> (exists c, forall z, Rabs (f z) <= c) ->
  (forall x, has_mean (Q x) f) /\ has_mean D (fun x => mean (Q x) f)).
{ intros f V (c & B). assert (B' : forall z, - c <= f z <= c) by (intros z; specialize (B z); split_Rabs; lra).
  assert (H : forall x, has_mean (Q x) f) by (intros x; now apply (bounded_has_mean Z (Q x) f (- c) c)). split; [exact H|].
  apply (bounded_has_mean W D _ (- c) c); [now apply (measurable f (- c) c)|]. intros x.
  split; [rewrite <- (mean_const Z (Q x) (- c))|rewrite <- (mean_const Z (Q x) c)]; apply mean_le;
    try apply has_mean_const; try apply H; intros z; apply B'. }
exists (fun f => random_variable f /\ exists c, forall z, Rabs (f z) <= c) (fun f => mean D (fun x => mean (Q x) f)).
- now intros f [V _].
- intros f g V [_ (c & B)] L. split; [exact V|]. exists c. intros z. apply Rle_trans with (1 := L z).
  apply Rle_trans with (2 := B z). apply Rle_abs.
- intros c. split; [apply variable_const|]. exists (Rabs c). intros _. lra.
- intros a b f g [V (c & B)] [V' (c' & B')]. split.
  + apply variable_plus; now apply variable_scaled.
  + exists (Rabs a * c + Rabs b * c'). intros z. apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
    apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos.
- intros c. transitivity (mean D (fun _ => c)); [apply mean_same; intros x|]; apply mean_const.
- intros a b f g [V B] [V' B']. destruct (F f V B) as [F1 F2], (F g V' B') as [G1 G2].
  transitivity (mean D (fun x => a * mean (Q x) f + b * mean (Q x) g)); [|now apply mean_linear].
  apply mean_same. intros x. now apply mean_linear.
- intros f g [V B] [V' B'] L. destruct (F f V B) as [F1 F2], (F g V' B') as [G1 G2].
  apply mean_le; try assumption. intros x. now apply mean_le.
Defined.

Lemma complement (P : probability_measure W) (A : W -> bool) : random_variable (fun x => if A x then 1 else 0) ->
  mean P (fun x => if negb (A x) then 1 else 0) = 1 - mean P (fun x => if A x then 1 else 0).
Proof.
intros V. rewrite (mean_same W P _ (fun x => - 1 * (if A x then 1 else 0) + 1)).
- rewrite mean_affine; [ring|]. apply (bounded_has_mean W P _ 0 1 V). intros x. destruct (A x); lra.
- intros x. destruct (A x); simpl; ring.
Qed.

Lemma total_variation_symmetric (D D' : probability_measure W) q :
  total_variation_at_most D D' q -> total_variation_at_most D' D q.
Proof.
intros H A V. assert (V' : random_variable (fun x => if negb (A x) then 1 else 0)).
{ apply variable_same with (fun x => 1 - if A x then 1 else 0); [intros x; destruct (A x); simpl; ring|].
  apply variable_minus; [apply variable_const|exact V]. }
specialize (H (fun x => negb (A x)) V'). cbv beta in H. rewrite !complement in H by exact V. lra.
Qed.

Lemma message_divergence (D D' : probability_measure W) (Q : W -> probability_measure Z) (measurable : kernel Q) eps q :
  0 <= eps -> private_channel eps Q -> total_variation_at_most D D' q ->
  divergence_at_most (message_law D Q measurable) (message_law D' Q measurable) (((exp eps - 1) * q) * ((exp eps - 1) * q)).
Proof.
intros E P T. assert (q0 := q_positive W D D' q T).
assert (e1 : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
apply close_divergence; [apply Rmult_le_pos; lra|]. intros event V. simpl.
set (ind := fun z : Z => if event z then 1 else 0). fold ind in V.
assert (B : forall z, 0 <= ind z <= 1) by (intros z; unfold ind; destruct (event z); lra).
assert (F : forall x, has_mean (Q x) ind) by (intros x; now apply (bounded_has_mean Z (Q x) ind 0 1)).
set (G := fun x => mean (Q x) ind).
assert (G0 : forall x, 0 <= G x) by (intros x; apply mean_positive; [apply F|intros z; apply B]).
assert (GP : forall x y, G x <= (1 + (exp eps - 1)) * G y).
{ intros x y. replace (1 + (exp eps - 1)) with (exp eps) by ring. now apply P. }
assert (GV : random_variable G) by now apply (measurable ind 0 1).
assert (Means : forall B' : probability_measure W, has_mean B' G).
{ intros B'. apply (bounded_has_mean W B' G 0 1); [exact GV|]. intros x. split; [apply G0|].
  unfold G. rewrite <- (mean_const Z (Q x) 1). apply mean_le; [apply F|apply has_mean_const|apply B]. }
destruct (one_datum_difference W D D' q T G (exp eps - 1) ltac:(lra) GV G0 GP) as (m & m0 & Low & Up).
destruct (one_datum_difference W D' D q (total_variation_symmetric D D' q T) G (exp eps - 1) ltac:(lra) GV G0 GP)
  as (m' & m0' & Low' & Up').
assert (X : m <= mean D' G).
{ rewrite <- (mean_const W D' m). apply mean_le; [apply has_mean_const|apply Means|exact Low]. }
assert (X' : m' <= mean D' G).
{ rewrite <- (mean_const W D' m'). apply mean_le; [apply has_mean_const|apply Means|exact Low']. }
assert (C : 0 <= q * (exp eps - 1)) by (apply Rmult_le_pos; lra).
apply (Rmult_le_compat_l _ _ _ C) in X. apply (Rmult_le_compat_l _ _ _ C) in X'.
change (fun x => mean (Q x) (fun z => if event z then 1 else 0)) with G.
apply Rabs_le. lra.
Qed.

(* Pinsker's inequality. *)
Lemma pinsker (D D' : probability_measure W) d : divergence_at_most D D' d -> total_variation_at_most D D' (sqrt (d / 2)).
Proof.
intros H A V. set (ind := fun x : W => if A x then 1 else 0) in *. set (p := mean D ind). set (q := mean D' ind).
destruct (Rle_lt_dec (p - q) 0) as [N|N]; [apply Rle_trans with (1 := N), sqrt_pos|].
assert (B : forall x, 0 <= ind x <= 1) by (intros x; unfold ind; destruct (A x); lra).
set (lam := 4 * (p - q)).
assert (H' := H (fun x => lam * ind x) 0 lam (variable_scaled W lam ind V)).
assert (B' : forall w, 0 <= lam * ind w <= lam) by (intros w; specialize (B w); unfold lam; nra). specialize (H' B').
rewrite mean_scaled in H' by now apply (bounded_has_mean W D ind 0 1).
assert (M := hoeffding_moment W D' ind 0 1 lam ltac:(unfold lam; lra) V B). fold p q in H', M.
assert (P : 0 < mean D' (fun w => exp (lam * ind w))).
{ apply Rlt_le_trans with 1; [lra|]. rewrite <- (mean_const W D' 1). apply mean_le; [apply has_mean_const| |].
  - apply (bounded_exp W D' ind 0 1); auto.
  - intros w. rewrite <- exp_0. apply exp_le. apply B'. }
apply ln_le in M; [|exact P]. rewrite ln_exp in M. rewrite <- (sqrt_Rsqr (p - q)) by lra. apply sqrt_le_1_alt.
unfold Rsqr, lam in *. lra.
Qed.
End Channels.
