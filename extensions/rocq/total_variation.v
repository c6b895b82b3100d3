(* Total variation: how far the means of two laws are apart, for functions in [0, 1] and for functions whose values
   differ by a factor. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration.
Open Scope R_scope.

(* q is at least the total variation distance of D and D'. *)
Definition total_variation_at_most {W : sample_space} (D D' : probability_measure W) (q : R) :=
  forall A : W -> bool, random_variable (fun x => if A x then 1 else 0) ->
  mean D (fun x => if A x then 1 else 0) - mean D' (fun x => if A x then 1 else 0) <= q.

Section OneDatum.
Variables (W : sample_space) (D D' : probability_measure W) (q : R).
Hypothesis close : total_variation_at_most D D' q.

Lemma q_positive : 0 <= q.
Proof.
assert (H := close (fun _ => false) (variable_const W 0)). simpl in H. rewrite !mean_const in H. lra.
Qed.

(* g in steps of d. *)
Lemma steps_near d g k : 0 < d -> 0 <= g ->
  let steps := sum_to k (fun i => if Rle_dec (INR (S i) * d) g then 1 else 0) in
  (INR k * d <= g /\ steps = INR k) \/ (g < INR k * d /\ steps * d <= g < steps * d + d).
Proof.
intros P G. induction k as [|k IH]; cbv zeta in *; [left; simpl; lra|].
set (step := fun i => if Rle_dec (INR (S i) * d) g then 1 else 0) in *.
assert (L : step k = if Rle_dec ((INR k + 1) * d) g then 1 else 0) by (unfold step; now rewrite S_INR).
change (sum_to (S k) step) with (sum_to k step + step k). rewrite L, S_INR. clear L.
destruct (Rle_dec ((INR k + 1) * d) g) as [H|H]; destruct IH as [[A B]|[A B]]; try (exfalso; lra).
- left. split; lra.
- right. rewrite B. split; lra.
- right. split; lra.
Qed.

Lemma close_in_mean (g : W -> R) : random_variable g -> (forall x, 0 <= g x <= 1) -> mean D g <= mean D' g + q.
Proof.
intros V I. apply le_epsilon. intros e E. destruct (archimed_cor1 e E) as (n & Small & N).
assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (d := / INR n) in *.
assert (d0 : 0 < d) by now apply Rinv_0_lt_compat. assert (nd : INR n * d = 1) by (unfold d; field; lra).
set (step := fun i x => if Rle_dec (INR (S i) * d) (g x) then 1 else 0).
assert (SV : forall i, random_variable (step i)) by (intros; now apply variable_from).
assert (SI : forall P : probability_measure W, forall i, has_mean P (step i)) by (intros; now apply has_mean_from).
set (stairs x := d * sum_to n (fun i => step i x)).
assert (Near : forall x, stairs x <= g x <= 1 * stairs x + d).
{ intros x. specialize (I x). unfold stairs. destruct (steps_near d (g x) n d0 ltac:(lra)) as [[A B]|[A B]];
    fold step in B; unfold step in *; rewrite ?B; nra. }
assert (Means : forall P : probability_measure W, has_mean P stairs /\ mean P stairs = d * sum_to n (fun i => mean P (step i))).
{ intros P. destruct (mean_sum W P step n (fun i _ => SI P i)) as [F M]. unfold stairs.
  split; [now apply has_mean_scaled|now rewrite mean_scaled, M]. }
assert (GI : forall P : probability_measure W, has_mean P g).
{ intros P. apply (has_mean_bounded W P 1); [exact V|]. intros x. specialize (I x). rewrite Rabs_right; lra. }
destruct (Means D) as [FD MD], (Means D') as [FD' MD'].
assert (Up : mean D g <= 1 * mean D stairs + d).
{ rewrite <- mean_affine by exact FD. apply mean_le; [apply GI|now apply has_mean_affine|apply Near]. }
assert (Down : mean D' stairs <= mean D' g) by (apply mean_le; [exact FD'|apply GI|apply Near]).
assert (Each : sum_to n (fun i => mean D (step i)) <= sum_to n (fun i => mean D' (step i) + q)).
{ apply sum_to_le. intros i _. assert (H := close (fun x => if Rle_dec (INR (S i) * d) (g x) then true else false)).
  assert (Same : (fun x => if (if Rle_dec (INR (S i) * d) (g x) then true else false) then 1 else 0) = step i).
  { same_function. intros x. unfold step. now destruct (Rle_dec _ _). }
  cbv beta in H. rewrite Same in H. specialize (H (SV i)). lra. }
rewrite sum_to_plus, sum_to_const in Each. apply (Rmult_le_compat_l d) in Each; [|lra].
replace (d * (sum_to n (fun i => mean D' (step i)) + INR n * q)) with (mean D' stairs + INR n * d * q) in Each
  by (rewrite MD'; ring).
rewrite nd in Each. rewrite <- MD in Each. lra.
Qed.

(* Values that differ by a factor of at most c + 1. *)
Lemma one_datum_difference (G : W -> R) c : 0 <= c -> random_variable G -> (forall x, 0 <= G x) ->
  (forall x y, G x <= (1 + c) * G y) ->
  exists m, 0 <= m /\ (forall x, m <= G x) /\ mean D G <= mean D' G + q * c * m.
Proof.
intros C V P H. assert (Q := q_positive).
assert (Some : exists y : W, True).
{ apply Classical_Prop.NNPP. apply (somewhere W D). intros x. now exists x. }
destruct Some as (y & _).
destruct (completeness (fun v => exists x, v = G x)) as (top & Up & Least).
- exists ((1 + c) * G y). intros v (x & ->). apply H.
- now exists (G y), y.
- set (m := top / (1 + c)). assert (Top : (1 + c) * m = top) by (unfold m; field; lra).
  assert (t0 : 0 <= top) by (apply Rle_trans with (1 := P y), Up; now exists y).
  assert (m0 : 0 <= m) by (apply Rle_mult_inv_pos; lra).
  assert (Range : forall x, m <= G x <= top).
  { intros x. split; [|apply Up; now exists x]. apply Rmult_le_reg_l with (1 + c); [lra|]. rewrite Top.
    apply Least. intros v (z & ->). apply H. }
  assert (GI : forall B : probability_measure W, has_mean B G).
  { intros B. apply (bounded_has_mean W B G m top V Range). }
  assert (m' : m <= mean D' G).
  { rewrite <- (mean_const W D' m). apply mean_le; [apply has_mean_const|apply GI|apply Range]. }
  exists m. split; [exact m0|]. split; [intros x; apply Range|]. destruct (Req_dec (top - m) 0) as [Z|Z].
  + assert (mean D G <= m).
    { rewrite <- (mean_const W D m). apply mean_le; [apply GI|apply has_mean_const|]. intros x. specialize (Range x). lra. }
    assert (0 <= q * c * m) by (apply Rmult_le_pos; nra). lra.
  + assert (d0 : 0 < top - m) by nra. set (g x := / (top - m) * G x + - / (top - m) * m).
    assert (I := Rinv_0_lt_compat _ d0).
    assert (N := close_in_mean g). assert (Vg : random_variable g).
    { apply variable_plus; [now apply variable_scaled|apply variable_const]. }
    assert (gI : forall x, 0 <= g x <= 1).
    { intros x. specialize (Range x). replace (g x) with ((G x - m) / (top - m)) by (unfold g; field; lra).
      split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (top - m); [exact d0|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    specialize (N Vg gI). unfold g in N. rewrite !mean_affine in N by apply GI.
    apply (Rmult_le_compat_l (top - m)) in N; [|lra].
    replace ((top - m) * (/ (top - m) * mean D G + - / (top - m) * m)) with (mean D G - m) in N by (field; lra).
    replace ((top - m) * (/ (top - m) * mean D' G + - / (top - m) * m + q)) with (mean D' G - m + (top - m) * q) in N
      by (field; lra).
    replace (q * c * m) with (c * m * q) by ring. replace (c * m) with (top - m) by lra. lra.
Qed.

Lemma one_datum (G : W -> R) c : 0 <= c -> random_variable G -> (forall x, 0 <= G x) ->
  (forall x y, G x <= (1 + c) * G y) -> mean D G <= (1 + q * c) * mean D' G.
Proof.
intros C V P H. destruct (one_datum_difference G c C V P H) as (m & m0 & Low & L). assert (Q := q_positive).
assert (F : has_mean D' G).
{ assert (Some : exists y : W, True) by (apply Classical_Prop.NNPP; apply (somewhere W D); intros x; now exists x).
  destruct Some as (y & _). apply (bounded_has_mean W D' G 0 ((1 + c) * G y)); [exact V|intros x; split; auto]. }
assert (m <= mean D' G).
{ rewrite <- (mean_const W D' m). apply mean_le; [apply has_mean_const|exact F|exact Low]. }
assert (q * c * m <= q * c * mean D' G) by (apply Rmult_le_compat_l; [nra|assumption]). lra.
Qed.
End OneDatum.
