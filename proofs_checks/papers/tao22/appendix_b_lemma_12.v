(* Lemma 12 with its exact factor: a private mechanism on n data from one law, and from another. Randomised response
   attains the factor at n = 1. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits satisfiable.
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

Definition differ_once {X : Type} (x y : list X) :=
  exists before a b after, x = before ++ a :: after /\ y = before ++ b :: after.

(* M x e: the probability of the event e on the data x. *)
Definition private_mechanism {X Event : Type} (eps : R) (n : nat) (M : list X -> Event -> R) :=
  (forall x e, 0 <= M x e <= 1) /\
  forall x y e, length x = n -> differ_once x y -> M x e <= exp eps * M y e.

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

(* Randomised response about whether the first datum is 1. *)
Definition randomised_response (eps : R) (x : list real_numbers) (e : bool) : R :=
  match x with a :: _ => (if Bool.eqb (if Req_EM_T a 1 then true else false) e then exp eps else 1) / (1 + exp eps) | [] => 1 / 2 end.

Lemma randomised_response_private eps n : 0 < eps -> private_mechanism eps n (randomised_response eps).
Proof.
intros P. assert (E : 1 < exp eps) by (rewrite <- exp_0; now apply exp_increasing).
assert (I := Rinv_0_lt_compat (1 + exp eps) ltac:(lra)).
assert (One : (1 + exp eps) * / (1 + exp eps) = 1) by (field; lra).
assert (Range : forall x e, 0 <= randomised_response eps x e <= 1).
{ intros [|a x] e; simpl; [lra|]. unfold Rdiv. destruct (Bool.eqb (if Req_EM_T a 1 then true else false) e); nra. }
split; [exact Range|]. intros x y e L (l & a & b & r & -> & ->). destruct l as [|c l].
- simpl. unfold Rdiv. destruct (Bool.eqb (if Req_EM_T a 1 then true else false) e), (Bool.eqb (if Req_EM_T b 1 then true else false) e); nra.
- assert (R0 := Range ((c :: l) ++ a :: r) e).
  change (randomised_response eps ((c :: l) ++ b :: r) e) with (randomised_response eps ((c :: l) ++ a :: r) e).
  nra.
Qed.

(* The bound for n data; and at n = 1 equality, for every distance q: a datum is 1 with probability q, or surely 0. *)
Theorem lemma_12_sharp eps : 0 < eps ->
  (forall (W : sample_space) (D D' : probability_measure W) (Event : Type) (M : list W -> Event -> R) n q e,
    private_mechanism eps n M -> total_variation_at_most D D' q ->
    jointly_measurable D n (fun x => M x e) -> jointly_measurable D' n (fun x => M x e) ->
    average D n (fun x => M x e) <= (1 + q * (exp eps - 1)) ^ n * average D' n (fun x => M x e)) /\
  (forall q, 0 <= q <= 1 ->
    exists (D D' : probability_measure real_numbers) (M : list real_numbers -> bool -> R) (e : bool),
      two_valued D q 1 /\ two_valued D' 0 1 /\ private_mechanism eps 1 M /\ total_variation_at_most D D' q /\
      jointly_measurable D 1 (fun x => M x e) /\ jointly_measurable D' 1 (fun x => M x e) /\
      0 < average D' 1 (fun x => M x e) /\
      average D 1 (fun x => M x e) = (1 + q * (exp eps - 1)) * average D' 1 (fun x => M x e)).
Proof.
intros E. split; [intros; now apply exchanged_exp|]. intros q Q. assert (Zero : 0 <= 0 <= 1) by lra.
assert (P := exp_pos eps). assert (I := Rinv_0_lt_compat (1 + exp eps) ltac:(lra)).
exists (pays q 1 Q), (pays 0 1 Zero), (randomised_response eps), true.
split; [apply pays_two_valued|]. split; [apply pays_two_valued|].
split; [now apply randomised_response_private|]. split.
{ apply (two_valued_variation (pays q 1 Q) (pays 0 1 Zero) q 0 1); try apply pays_two_valued. rewrite Rminus_0_r, Rabs_right; lra. }
split; [repeat split|]. split; [repeat split|]. simpl. destruct (Req_EM_T 1 1) as [_|N]; [|lra].
destruct (Req_EM_T 0 1) as [N|_]; [lra|]. simpl. split; [unfold Rdiv; lra|]. field. lra.
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

Lemma pays_close : total_variation_at_most (pays (1 / 2) 1 half_inside) (pays 1 1 whole_inside) (1 / 2).
Proof.
apply (two_valued_variation (pays (1 / 2) 1 half_inside) (pays 1 1 whole_inside) (1 / 2) 1 1); try apply pays_two_valued.
rewrite Rabs_left; lra.
Qed.

Lemma lemma_12_sharp_witness : satisfiable lemma_12_sharp.
Proof.
exists 1. split; [lra|]. split; [|exists (1 / 2); lra].
exists real_numbers, (pays (1 / 2) 1 half_inside), (pays 1 1 whole_inside), bool, (randomised_response 1), 2%nat, (1 / 2), true.
split; [apply randomised_response_private; lra|]. split; [exact pays_close|]. repeat split.
Qed.

Lemma lemma_12_small_eps_witness : satisfiable lemma_12_small_eps.
Proof.
exists real_numbers, (pays (1 / 2) 1 half_inside), (pays 1 1 whole_inside), bool, (randomised_response 1), 2%nat, 1, (1 / 2),
  true.
split; [lra|]. split; [apply randomised_response_private; lra|]. split; [exact pays_close|]. repeat split.
Qed.
