(* Lemma 12 with its exact factor: a private mechanism on n data from one law, and from another. Randomised response
   attains the factor at n = 1. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration satisfiable.
Import ListNotations.
Open Scope R_scope.

(* E f(x) over n data from the law D, and what Fubini's theorem says of a measurable f. *)
Fixpoint average {W : sample_space} (D : probability_measure W) (n : nat) (f : list W -> R) : R :=
  match n with O => f [] | S k => mean D (fun x => average D k (fun rest => f (x :: rest))) end.
Fixpoint jointly_measurable {W : sample_space} (D : probability_measure W) (n : nat) (f : list W -> R) : Prop :=
  match n with
  | O => True
  | S k => random_variable (fun x => average D k (fun rest => f (x :: rest))) /\
      forall x, jointly_measurable D k (fun rest => f (x :: rest))
  end.

(* q is at least the total variation distance of D and D'. *)
Definition total_variation_at_most {W : sample_space} (D D' : probability_measure W) (q : R) :=
  forall A : W -> bool, random_variable (fun x => if A x then 1 else 0) ->
  mean D (fun x => if A x then 1 else 0) - mean D' (fun x => if A x then 1 else 0) <= q.

Definition differ_once {X : Type} (x y : list X) :=
  exists before a b after, x = before ++ a :: after /\ y = before ++ b :: after.

(* M x e: the probability of the event e on the data x. *)
Definition private_mechanism {X Event : Type} (eps : R) (n : nat) (M : list X -> Event -> R) :=
  (forall x e, 0 <= M x e <= 1) /\
  forall x y e, length x = n -> differ_once x y -> M x e <= exp eps * M y e.

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
Lemma one_datum (G : W -> R) c : 0 <= c -> random_variable G -> (forall x, 0 <= G x) ->
  (forall x y, G x <= (1 + c) * G y) -> mean D G <= (1 + q * c) * mean D' G.
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
  destruct (Req_dec (top - m) 0) as [Z|Z].
  + assert (E : mean D G <= m).
    { rewrite <- (mean_const W D m). apply mean_le; [apply GI|apply has_mean_const|]. intros x. specialize (Range x). lra. }
    assert (0 <= q * c * mean D' G) by (apply Rmult_le_pos; nra). lra.
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
    assert ((top - m) * q <= q * c * mean D' G); [|lra].
    replace (top - m) with (c * m) by lra. replace (q * c * mean D' G) with (q * c * mean D' G) by ring.
    assert (0 <= q * c) by nra. nra.
Qed.
End OneDatum.

Section Averages.
Variables (W : sample_space).

Lemma average_inside (D : probability_measure W) n f : (forall x, 0 <= f x <= 1) -> jointly_measurable D n f ->
  0 <= average D n f <= 1.
Proof.
revert f. induction n as [|n IH]; simpl; intros f B J; [apply B|]. destruct J as [V J].
assert (I : forall x, 0 <= average D n (fun rest => f (x :: rest)) <= 1) by (intros; apply IH; auto).
assert (F := bounded_has_mean W D _ 0 1 V I).
split; [apply mean_positive; [exact F|apply I]|]. rewrite <- (mean_const W D 1).
apply mean_le; [exact F|apply has_mean_const|apply I].
Qed.

Lemma average_le (D : probability_measure W) n f g c : 0 <= c -> (forall x, 0 <= f x <= 1) -> (forall x, 0 <= g x <= 1) ->
  jointly_measurable D n f -> jointly_measurable D n g -> (forall x, length x = n -> f x <= c * g x) ->
  average D n f <= c * average D n g.
Proof.
intros C. revert f g. induction n as [|n IH]; simpl; intros f g B B' J J' L; [now apply L|].
destruct J as [V J], J' as [V' J'].
assert (F := bounded_has_mean W D _ 0 1 V (fun x => average_inside D n _ (fun r => B (x :: r)) (J x))).
assert (F' := bounded_has_mean W D _ 0 1 V' (fun x => average_inside D n _ (fun r => B' (x :: r)) (J' x))).
rewrite <- mean_scaled by exact F'. apply mean_le; [exact F|now apply has_mean_scaled|].
intros x. apply IH; auto. intros r R. apply L. simpl. now rewrite R.
Qed.

Variables (D D' : probability_measure W) (q c : R).
Hypotheses (close : total_variation_at_most D D' q) (c_positive : 0 <= c).

(* The data are exchanged one after another, from the first on. *)
Lemma exchanged n f : (forall x, 0 <= f x <= 1) -> jointly_measurable D n f -> jointly_measurable D' n f ->
  (forall x y, length x = n -> differ_once x y -> f x <= (1 + c) * f y) ->
  average D n f <= (1 + q * c) ^ n * average D' n f.
Proof.
assert (Q := q_positive W D D' q close). assert (qc : 0 <= q * c) by nra.
revert f. induction n as [|n IH]; simpl; intros f B J J' H; [rewrite Rmult_1_l; lra|].
destruct J as [V J], J' as [V' J'].
assert (F := bounded_has_mean W D _ 0 1 V (fun x => average_inside D n _ (fun r => B (x :: r)) (J x))).
assert (F' := bounded_has_mean W D _ 0 1 V' (fun x => average_inside D' n _ (fun r => B (x :: r)) (J' x))).
assert (K : 0 <= (1 + q * c) ^ n) by (apply pow_le; lra).
apply Rle_trans with ((1 + q * c) ^ n * mean D (fun x => average D' n (fun rest => f (x :: rest)))).
- rewrite <- mean_scaled by exact F'. apply mean_le; [exact F|now apply has_mean_scaled|]. intros x.
  apply IH; auto. intros u v U (l & a & b & r & -> & ->). apply H; [simpl; now rewrite U|]. now exists (x :: l), a, b, r.
- replace ((1 + q * c) * (1 + q * c) ^ n * mean D' (fun x => average D' n (fun rest => f (x :: rest))))
    with ((1 + q * c) ^ n * ((1 + q * c) * mean D' (fun x => average D' n (fun rest => f (x :: rest))))) by ring.
  apply Rmult_le_compat_l; [exact K|]. apply one_datum; auto.
  + intros x. apply average_inside; auto.
  + intros x y. apply average_le; auto; [lra|]. intros r R. apply H; [simpl; now rewrite R|].
    now exists [], x, y, r.
Qed.
End Averages.

Lemma exchanged_exp (W : sample_space) (D D' : probability_measure W) (Event : Type)
  (M : list W -> Event -> R) n eps q e :
  0 < eps -> private_mechanism eps n M -> total_variation_at_most D D' q ->
  jointly_measurable D n (fun x => M x e) -> jointly_measurable D' n (fun x => M x e) ->
  average D n (fun x => M x e) <= (1 + q * (exp eps - 1)) ^ n * average D' n (fun x => M x e).
Proof.
intros E [B P] T J J'. assert (1 < exp eps) by (rewrite <- exp_0; now apply exp_increasing).
apply exchanged; auto; [lra|]. intros x y L N. replace (1 + (exp eps - 1)) with (exp eps) by ring. now apply P.
Qed.

(* Randomised response about the first datum. *)
Definition randomised_response (eps : R) (x : list one_toss) (e : bool) : R :=
  match x with a :: _ => (if Bool.eqb a e then exp eps else 1) / (1 + exp eps) | [] => 1 / 2 end.

Lemma randomised_response_private eps n : 0 < eps -> private_mechanism eps n (randomised_response eps).
Proof.
intros P. assert (E : 1 < exp eps) by (rewrite <- exp_0; now apply exp_increasing).
assert (I := Rinv_0_lt_compat (1 + exp eps) ltac:(lra)).
assert (One : (1 + exp eps) * / (1 + exp eps) = 1) by (field; lra).
assert (Range : forall x e, 0 <= randomised_response eps x e <= 1).
{ intros [|a x] e; simpl; [lra|]. unfold Rdiv. destruct (Bool.eqb a e); nra. }
split; [exact Range|]. intros x y e L (l & a & b & r & -> & ->). destruct l as [|c l].
- simpl. unfold Rdiv. destruct (Bool.eqb a e), (Bool.eqb b e); nra.
- assert (R0 := Range ((c :: l) ++ a :: r) e).
  change (randomised_response eps ((c :: l) ++ b :: r) e) with (randomised_response eps ((c :: l) ++ a :: r) e).
  nra.
Qed.

(* The bound for n data; and at n = 1 equality, for every distance q. *)
Theorem lemma_12_sharp eps : 0 < eps ->
  (forall (W : sample_space) (D D' : probability_measure W) (Event : Type) (M : list W -> Event -> R) n q e,
    private_mechanism eps n M -> total_variation_at_most D D' q ->
    jointly_measurable D n (fun x => M x e) -> jointly_measurable D' n (fun x => M x e) ->
    average D n (fun x => M x e) <= (1 + q * (exp eps - 1)) ^ n * average D' n (fun x => M x e)) /\
  (forall q, 0 <= q <= 1 ->
    exists (W : sample_space) (D D' : probability_measure W) (M : list W -> bool -> R) (e : bool),
      private_mechanism eps 1 M /\ total_variation_at_most D D' q /\
      jointly_measurable D 1 (fun x => M x e) /\ jointly_measurable D' 1 (fun x => M x e) /\
      0 < average D' 1 (fun x => M x e) /\
      average D 1 (fun x => M x e) = (1 + q * (exp eps - 1)) * average D' 1 (fun x => M x e)).
Proof.
intros E. split; [intros; now apply exchanged_exp|]. intros q Q. assert (Zero : 0 <= 0 <= 1) by lra.
assert (P := exp_pos eps). assert (I := Rinv_0_lt_compat (1 + exp eps) ltac:(lra)).
exists one_toss, (coin q Q), (coin 0 Zero), (randomised_response eps), true.
split; [now apply randomised_response_private|]. split.
{ intros A _. simpl. destruct (A true), (A false); lra. }
split; [repeat split|]. split; [repeat split|]. simpl. split; [unfold Rdiv; lra|]. field. lra.
Qed.

Theorem lemma_12_small_eps (W : sample_space) (D D' : probability_measure W) (Event : Type)
  (M : list W -> Event -> R) n eps q e :
  0 < eps <= 1 -> private_mechanism eps n M -> total_variation_at_most D D' q ->
  jointly_measurable D n (fun x => M x e) -> jointly_measurable D' n (fun x => M x e) ->
  average D n (fun x => M x e) <= exp (6 * eps * INR n * q) * average D' n (fun x => M x e).
Proof.
intros E P T J J'. assert (Q := q_positive W D D' q T).
apply Rle_trans with (1 := exchanged_exp W D D' Event M n eps q e ltac:(lra) P T J J').
apply Rmult_le_compat_r; [apply average_inside; [intros x; apply P|exact J']|].
assert (C := exp_chord eps 1 ltac:(lra)). rewrite Rmult_1_r in C.
assert (X1 := exp_le_3). assert (e1 : exp eps - 1 <= 6 * eps) by nra.
assert (e0 : 1 <= exp eps) by (rewrite <- exp_0; apply exp_le; lra).
replace (6 * eps * INR n * q) with (6 * eps * q * INR n) by ring.
assert (Pow : exp (6 * eps * q) ^ n = exp (6 * eps * q * INR n)).
{ clear. induction n as [|n IH]; [simpl; now rewrite Rmult_0_r, exp_0|]. rewrite S_INR. simpl. rewrite IH, <- exp_plus.
  f_equal. ring. }
rewrite <- Pow. apply pow_incr. split; [nra|]. apply Rle_trans with (2 := exp_ineq1_le _).
assert (q * (exp eps - 1) <= q * (6 * eps)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** * The hypotheses can hold together *)

Lemma half_inside : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Lemma whole_inside : 0 <= 1 <= 1. Proof. lra. Qed.

Lemma coins_close : total_variation_at_most (coin (1 / 2) half_inside) (coin 1 whole_inside) (1 / 2).
Proof. intros A _. simpl. destruct (A true), (A false); lra. Qed.

Lemma lemma_12_sharp_witness : satisfiable lemma_12_sharp.
Proof.
exists 1. split; [lra|]. split; [|exists (1 / 2); lra].
exists one_toss, (coin (1 / 2) half_inside), (coin 1 whole_inside), bool, (randomised_response 1), 2%nat, (1 / 2), true.
split; [apply randomised_response_private; lra|]. split; [exact coins_close|]. repeat split.
Qed.

Lemma lemma_12_small_eps_witness : satisfiable lemma_12_small_eps.
Proof.
exists one_toss, (coin (1 / 2) half_inside), (coin 1 whole_inside), bool, (randomised_response 1), 2%nat, 1, (1 / 2),
  true.
split; [lra|]. split; [apply randomised_response_private; lra|]. split; [exact coins_close|]. repeat split.
Qed.
