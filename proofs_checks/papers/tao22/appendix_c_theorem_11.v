(* Lemma 14; Lemma 15 with the total variation, and as printed; Theorem 11 and what its proof gives; the divergence of two
   coins. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits private_learner satisfiable.
Import ListNotations.
Open Scope R_scope.

Definition coins_divergence (p q : R) := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).

Lemma term x y : 0 < x -> 0 < y -> x * ln (x / y) <= x * (x / y - 1).
Proof.
intros X Y. assert (P : 0 < x / y) by now apply Rdiv_lt_0_compat. apply Rmult_le_compat_l; [lra|].
assert (E := exp_ineq1_le (ln (x / y))). rewrite exp_ln in E by exact P. lra.
Qed.

Theorem chi_square p q : 0 < p < 1 -> 0 < q < 1 -> coins_divergence p q <= (p - q) * (p - q) / (q * (1 - q)).
Proof.
intros P Q. unfold coins_divergence. assert (A := term p q ltac:(lra) ltac:(lra)).
assert (B := term (1 - p) (1 - q) ltac:(lra) ltac:(lra)).
replace ((p - q) * (p - q) / (q * (1 - q))) with (p * (p / q - 1) + (1 - p) * ((1 - p) / (1 - q) - 1)) by (field; lra).
lra.
Qed.

(** * Lemma 14 *)

(* r is the density of P with respect to Q, l is ln r, and its expectation under P is KL(P||Q) = d. Where r is 0, which
   has probability 0 under P, l is any number. *)
Definition has_divergence {W : sample_space} (P Q : probability_measure W) (r l : W -> R) (d : R) :=
  (forall w, 0 <= r w /\ (0 < r w -> l w = ln (r w))) /\
  (forall (f : W -> R) low high, random_variable f -> (forall w, low <= f w <= high) ->
    has_mean Q (fun w => f w * r w) /\ mean Q (fun w => f w * r w) = mean P f) /\
  has_mean P l /\ mean P l = d.

Section Histories.
Variables (W : sample_space) (K : nat).

(* All averages of the run of f over the rewards exist. *)
Fixpoint run_integrable (choose : seen W -> nat -> R) (D : nat -> probability_measure W) (T : nat) (h : seen W)
  (f : seen W -> R) : Prop :=
  match T with
  | O => True
  | S k => forall a, (a < K)%nat -> 0 < choose h a ->
      has_mean (D a) (fun z => run W K choose (fun _ => D) k ((a, z) :: h) f) /\
      forall z, run_integrable choose D k ((a, z) :: h) f
  end.

(* KL of the choices after the history h. *)
Definition choices_divergence (choose choose' : seen W -> nat -> R) (h : seen W) : R :=
  sum_to K (fun a => choose h a * ln (choose h a / choose' h a)).

(* As `has_divergence`, of the histories of T rounds. *)
Definition histories_have_divergence (choose choose' : seen W -> nat -> R) (D D' : nat -> probability_measure W)
  (T : nat) (r l : seen W -> R) (d : R) :=
  (forall h, 0 <= r h /\ (0 < r h -> l h = ln (r h))) /\
  (forall (f : seen W -> R) low high, run_measurable W K choose (fun _ => D) T [] f -> (forall h, low <= f h <= high) ->
    run_integrable choose' D' T [] (fun h => f h * r h) /\
    run W K choose' (fun _ => D') T [] (fun h => f h * r h) = run W K choose (fun _ => D) T [] f) /\
  run_integrable choose D T [] l /\ run W K choose (fun _ => D) T [] l = d.

Variables (choose choose' : seen W -> nat -> R) (D D' : nat -> probability_measure W).
Variables (r l : nat -> W -> R) (kl : nat -> R).
Hypotheses (choosing : chooses W K choose) (choosing' : chooses W K choose').
Hypothesis continuous_choices : forall h a, (a < K)%nat -> 0 < choose h a -> 0 < choose' h a.
Hypothesis rewards : forall a, (a < K)%nat -> has_divergence (D a) (D' a) (r a) (l a) (kl a).
Notation divergence := (choices_divergence choose choose').
Notation mean_of := (run W K choose (fun _ => D)).
Notation mean_of' := (run W K choose' (fun _ => D')).

Fixpoint ratio (h : seen W) : R :=
  match h with
  | [] => 1
  | (a, z) :: h' => if Nat.ltb a K then ratio h' * (choose h' a / choose' h' a * r a z) else 0
  end.
Fixpoint log_ratio (h : seen W) : R :=
  match h with [] => 0 | (a, z) :: h' => log_ratio h' + (ln (choose h' a / choose' h' a) + l a z) end.

Lemma choice_share_positive h a : (a < K)%nat -> 0 <= choose h a / choose' h a.
Proof.
intros L. destruct (choosing h) as [P _], (choosing' h) as [P' _]. destruct (P' a) as [S|S].
- now apply Rle_mult_inv_pos.
- destruct (P a) as [S'|S']; [specialize (continuous_choices h a L S'); lra|]. rewrite <- S'. unfold Rdiv. lra.
Qed.

Lemma choice_share_times h a : (a < K)%nat -> choose' h a * (choose h a / choose' h a) = choose h a.
Proof.
intros L. destruct (choosing h) as [P _], (choosing' h) as [P' _]. destruct (P' a) as [S|S]; [field; lra|].
destruct (P a) as [S'|S']; [specialize (continuous_choices h a L S'); lra|]. rewrite <- S'. unfold Rdiv. lra.
Qed.

Lemma ratio_log h : 0 <= ratio h /\ (0 < ratio h -> log_ratio h = ln (ratio h)).
Proof.
induction h as [|[a z] h IH]; simpl; [split; [lra|intros _; now rewrite ln_1]|].
destruct (Nat.ltb_spec a K) as [L|L]; [|split; [lra|intros; lra]].
destruct IH as [P E], (rewards a L) as (R & _). destruct (R z) as [Rz Lz]. assert (S := choice_share_positive h a L).
split; [apply Rmult_le_pos; [exact P|now apply Rmult_le_pos]|]. intros H.
assert (P0 : 0 < ratio h) by (destruct P as [P|P]; [exact P|rewrite <- P in H; lra]).
assert (S0 : 0 < choose h a / choose' h a) by (destruct S as [S|S]; [exact S|rewrite <- S in H; lra]).
assert (R0 : 0 < r a z) by (destruct Rz as [Rz|Rz]; [exact Rz|rewrite <- Rz in H; lra]).
rewrite E, Lz, !ln_mult by (auto; now apply Rmult_lt_0_compat). reflexivity.
Qed.

(* The density of the histories. *)
Lemma ratio_of_runs f low high k h : (forall h, low <= f h <= high) -> run_measurable W K choose (fun _ => D) k h f ->
  run_integrable choose' D' k h (fun h => f h * ratio h) /\
  mean_of' k h (fun h => f h * ratio h) = ratio h * mean_of k h f.
Proof.
intros B. revert h. induction k as [|k IH]; simpl; intros h M; [split; [exact I|ring]|].
assert (Each : forall a, (a < K)%nat ->
  has_mean (D' a) (fun z => mean_of' k ((a, z) :: h) (fun h => f h * ratio h)) /\
  mean (D' a) (fun z => mean_of' k ((a, z) :: h) (fun h => f h * ratio h)) =
    ratio h * (choose h a / choose' h a) * mean (D a) (fun z => mean_of k ((a, z) :: h) f)).
{ intros a L. destruct (M a L) as [V N]. destruct (rewards a L) as (_ & R & _).
  destruct (R (fun z => mean_of k ((a, z) :: h) f) low high V) as [F E].
  { intros z. apply (run_inside W K choose choosing); [intros h' _; apply B|apply N]. }
  assert (Same : forall z, ratio h * (choose h a / choose' h a) * (mean_of k ((a, z) :: h) f * r a z) =
    mean_of' k ((a, z) :: h) (fun h => f h * ratio h)).
  { intros z. destruct (IH ((a, z) :: h) (N z)) as [_ ->]. simpl. destruct (Nat.ltb_spec a K); [ring|lia]. }
  split; [exact (has_mean_same _ _ _ _ Same (has_mean_scaled _ _ _ _ F))|].
  rewrite <- (mean_same _ _ _ _ Same), mean_scaled, E by exact F. reflexivity. }
split.
- intros a L _. split; [now apply Each|]. intros z. apply IH. now apply M.
- rewrite <- sum_to_scaled. apply sum_to_same. intros a L. destruct (Each a L) as [_ ->].
  rewrite <- (choice_share_times h a L) at 2. ring.
Qed.

Lemma sum_to_first n x : sum_to (S n) x = x O + sum_to n (fun i => x (S i)).
Proof.
induction n as [|n IH]; [simpl; ring|]. change (sum_to (S (S n)) x) with (sum_to (S n) x + x (S n)). rewrite IH.
simpl. ring.
Qed.

Lemma log_of_runs k h : (forall t, (t < k)%nat -> run_integrable choose D t h divergence) ->
  (forall b, (b < K)%nat -> run_measurable W K choose (fun _ => D) k h (pulls_of W b)) ->
  run_integrable choose D k h log_ratio /\
  mean_of k h log_ratio = log_ratio h + sum_to k (fun t => mean_of t h divergence) +
    sum_to K (fun b => kl b * (mean_of k h (pulls_of W b) - pulls_of W b h)).
Proof.
revert h. induction k as [|k IH]; intros h C N.
- split; [exact I|]. simpl. rewrite (sum_to_same K _ (fun _ => 0)) by (intros; simpl; ring). rewrite sum_to_const. ring.
- assert (Each : forall a, (a < K)%nat -> 0 < choose h a ->
    has_mean (D a) (fun z => mean_of k ((a, z) :: h) log_ratio) /\
    (forall z, run_integrable choose D k ((a, z) :: h) log_ratio) /\
    mean (D a) (fun z => mean_of k ((a, z) :: h) log_ratio) = log_ratio h + ln (choose h a / choose' h a) +
      sum_to k (fun t => mean (D a) (fun z => mean_of t ((a, z) :: h) divergence)) +
      sum_to K (fun b => kl b * (mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b)) - pulls_of W b h))).
  { intros a L P.
    assert (Next : forall z, run_integrable choose D k ((a, z) :: h) log_ratio /\
      mean_of k ((a, z) :: h) log_ratio = log_ratio ((a, z) :: h) +
        sum_to k (fun t => mean_of t ((a, z) :: h) divergence) +
        sum_to K (fun b => kl b * (mean_of k ((a, z) :: h) (pulls_of W b) - pulls_of W b ((a, z) :: h)))).
    { intros z. apply IH.
      - intros t T. assert (T' : (S t < S k)%nat) by lia. exact (proj2 (C (S t) T' a L P) z).
      - intros b B. exact (proj2 (N b B a L) z). }
    assert (Fd : forall t, (t < k)%nat -> has_mean (D a) (fun z => mean_of t ((a, z) :: h) divergence)).
    { intros t T. assert (T' : (S t < S k)%nat) by lia. exact (proj1 (C (S t) T' a L P)). }
    assert (Fp : forall b, (b < K)%nat -> has_mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b))).
    { intros b B. apply (next_has_mean W K choose choosing (fun _ => D) (D a) k h (pulls_of W b) 0
        (INR (S k + length h)) a); [|exact (N b B)|exact L]. intros h' E. rewrite <- E. apply pulls_inside. }
    destruct (rewards a L) as (_ & _ & Fl & El).
    destruct (mean_sum W (D a) (fun t z => mean_of t ((a, z) :: h) divergence) k Fd) as [Sd Ed].
    destruct (mean_sum W (D a) (fun b z => kl b * mean_of k ((a, z) :: h) (pulls_of W b)) K) as [Sp Ep].
    { intros b B. now apply has_mean_scaled, Fp. }
    set (c := log_ratio h + ln (choose h a / choose' h a) - sum_to K (fun b => kl b * pulls_of W b h) - kl a).
    assert (Same : forall z, 1 * (l a z + sum_to k (fun t => mean_of t ((a, z) :: h) divergence)) +
      1 * (1 * sum_to K (fun b => kl b * mean_of k ((a, z) :: h) (pulls_of W b)) + c) =
      mean_of k ((a, z) :: h) log_ratio).
    { intros z. destruct (Next z) as [_ ->]. simpl log_ratio.
      rewrite (sum_to_same K (fun b => kl b * (mean_of k ((a, z) :: h) (pulls_of W b) - pulls_of W b ((a, z) :: h)))
        (fun b => kl b * mean_of k ((a, z) :: h) (pulls_of W b)
          - (kl b * pulls_of W b h + if Nat.eqb b a then kl a else 0))).
      - rewrite sum_to_minus, sum_to_plus, sum_to_one by exact L. unfold c. ring.
      - intros b _. simpl pulls_of. destruct (Nat.eqb_spec b a) as [->|_]; ring. }
    assert (F1 : has_mean (D a) (fun z => l a z + sum_to k (fun t => mean_of t ((a, z) :: h) divergence)))
      by now apply has_mean_plus.
    assert (F2 : has_mean (D a) (fun z => 1 * sum_to K (fun b => kl b * mean_of k ((a, z) :: h) (pulls_of W b)) + c))
      by now apply has_mean_affine.
    split; [exact (has_mean_same _ _ _ _ Same (has_mean_linear _ _ 1 1 _ _ F1 F2))|]. split; [intros z; apply Next|].
    rewrite <- (mean_same _ _ _ _ Same), mean_linear, mean_plus, mean_affine, El, Ed, Ep by assumption.
    rewrite (sum_to_same K
      (fun b => kl b * (mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b)) - pulls_of W b h))
      (fun b => mean (D a) (fun z => kl b * mean_of k ((a, z) :: h) (pulls_of W b)) - kl b * pulls_of W b h)).
    - rewrite sum_to_minus. unfold c. ring.
    - intros b B. rewrite mean_scaled by now apply Fp. ring. }
  split; [intros a L P; split; [now apply Each|now apply Each]|].
  rewrite sum_to_first. simpl run at 1 2.
  assert (Sum : sum_to K (fun a => choose h a * mean (D a) (fun z => mean_of k ((a, z) :: h) log_ratio)) =
    sum_to K (fun a => choose h a * log_ratio h + choose h a * ln (choose h a / choose' h a) +
      choose h a * sum_to k (fun t => mean (D a) (fun z => mean_of t ((a, z) :: h) divergence)) +
      (choose h a * sum_to K (fun b => kl b * mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b))) -
        choose h a * sum_to K (fun b => kl b * pulls_of W b h)))).
  { apply sum_to_same. intros a L. destruct (proj1 (choosing h) a) as [P|P]; [|rewrite <- P; ring].
    destruct (Each a L P) as (_ & _ & ->).
    rewrite (sum_to_same K
      (fun b => kl b * (mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b)) - pulls_of W b h))
      (fun b => kl b * mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b)) - kl b * pulls_of W b h))
        by (intros; ring).
    rewrite sum_to_minus. ring. }
  rewrite Sum, !sum_to_plus, sum_to_minus, !(average_of_constant W K choose choosing).
  assert (Swap : forall n (x : nat -> nat -> R), sum_to K (fun a => choose h a * sum_to n (fun t => x a t)) =
    sum_to n (fun t => sum_to K (fun a => choose h a * x a t))).
  { intros n x. induction n as [|n I]; simpl.
    - rewrite (sum_to_same K _ (fun _ => 0)) by (intros; ring). rewrite sum_to_const. ring.
    - rewrite <- I, <- sum_to_plus. apply sum_to_same. intros; ring. }
  rewrite !Swap. change (sum_to K (fun a => choose h a * ln (choose h a / choose' h a))) with (divergence h).
  rewrite (sum_to_same K (fun b => kl b * (_ - pulls_of W b h)) (fun b => sum_to K (fun a => choose h a *
    (kl b * mean (D a) (fun z => mean_of k ((a, z) :: h) (pulls_of W b)))) - kl b * pulls_of W b h)).
  + rewrite sum_to_minus. simpl. ring.
  + intros b _. simpl. rewrite Rmult_minus_distr_l. f_equal. rewrite <- sum_to_scaled. apply sum_to_same. intros; ring.
Qed.
End Histories.

Theorem lemma_14 (W : sample_space) K (choose choose' : seen W -> nat -> R) (D D' : nat -> probability_measure W)
  (r l : nat -> W -> R) (kl : nat -> R) T : chooses W K choose -> chooses W K choose' ->
  (forall h a, (a < K)%nat -> 0 < choose h a -> 0 < choose' h a) ->
  (forall a, (a < K)%nat -> has_divergence (D a) (D' a) (r a) (l a) (kl a)) ->
  (forall t, (t < T)%nat -> run_integrable W K choose D t [] (choices_divergence W K choose choose')) ->
  (forall a, (a < K)%nat -> run_measurable W K choose (fun _ => D) T [] (pulls_of W a)) ->
  exists R L, histories_have_divergence W K choose choose' D D' T R L
    (sum_to T (fun t => run W K choose (fun _ => D) t [] (choices_divergence W K choose choose')) +
      sum_to K (fun a => run W K choose (fun _ => D) T [] (pulls_of W a) * kl a)).
Proof.
intros C C' A H I N. exists (ratio W K choose choose' r), (log_ratio W choose choose' l). split; [|split].
- intros h. now apply (ratio_log W K choose choose' D D' r l kl).
- intros f low high M B. destruct (ratio_of_runs W K choose choose' D D' r l kl C C' A H f low high T [] B M) as [F E].
  split; [exact F|]. rewrite E. simpl. ring.
- destruct (log_of_runs W K choose choose' D D' r l kl C H T [] I N) as [F E]. split; [exact F|]. rewrite E. simpl.
  rewrite (sum_to_same K _ (fun a => run W K choose (fun _ => D) T [] (pulls_of W a) * kl a)) by (intros; ring). ring.
Qed.

(** * Lemma 15 *)

(* d is at least KL of the histories of T rounds: E f - ln E' e^f is at most d for all bounded functions f of the history. *)
Definition histories_divergence_at_most {W Z : sample_space} {K : nat} {eps : R} (alg : local_algorithm W Z K eps)
  (D D' : nat -> probability_measure W) (T : nat) (d : R) :=
  forall (f : seen Z -> R) low high, (forall h, low <= f h <= high) ->
  measurable alg D T f -> measurable alg D' T (fun h => exp (f h)) ->
  expected alg D T f <= ln (expected alg D' T (fun h => exp (f h))) + d.

Theorem lemma_15_sharp (W Z : sample_space) K eps (alg : local_algorithm W Z K eps) (D D' : nat -> probability_measure W)
  (tv : nat -> R) T :
  0 < eps -> (forall a, (a < K)%nat -> total_variation_at_most (D a) (D' a) (tv a)) ->
  (forall a, (a < K)%nat -> measurable alg D T (pulls_of Z a)) ->
  histories_divergence_at_most alg D D' T
    ((exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * tv a ^ 2)).
Proof.
intros E V M f low high B Mf Me.
set (d := fun a => ((exp eps - 1) * tv a) * ((exp eps - 1) * tv a)).
assert (Close : forall h a, (a < K)%nat -> divergence_at_most (messages alg D h a) (messages alg D' h a) (d a)).
{ intros h a L. exact (message_divergence W Z (D a) (D' a) _ (channel_measurable alg h a) eps (tv a) (Rlt_le _ _ E)
    (channel_private alg h a) (V a L)). }
assert (dp : forall a, (a < K)%nat -> 0 <= d a) by (intros a _; apply Rle_0_sqr).
assert (H := divergence_of_all Z K (choice alg) (choice_chooses alg) (messages alg D) (messages alg D') d Close dp f low high
  T (fun h _ => B h) Mf Me M).
apply Rle_trans with (1 := H). apply Rplus_le_compat_l. rewrite <- sum_to_scaled. right. apply sum_to_same.
intros a _. unfold d, expected. ring.
Qed.

Theorem lemma_15 (W Z : sample_space) K eps (alg : local_algorithm W Z K eps) (D D' : nat -> probability_measure W)
  (kl : nat -> R) T :
  0 < eps -> (forall a, (a < K)%nat -> measurable alg D T (pulls_of Z a)) ->
  (forall a, (a < K)%nat -> 0 < expected alg D T (pulls_of Z a) -> divergence_at_most (D a) (D' a) (kl a)) ->
  histories_divergence_at_most alg D D' T
    (2 * Rmin 4 (exp (2 * eps)) * (exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a)).
Proof.
intros E M V f low high B Mf Me.
assert (N : forall a, (a < K)%nat -> 0 <= expected alg D T (pulls_of Z a)).
{ intros a L. apply (run_inside Z K (choice alg) (choice_chooses alg) (messages alg D) T [] _ 0 (INR T)); [|now apply M].
  intros h Len. assert (H := pulls_inside Z a h). rewrite Len in H. simpl in H. now rewrite Nat.add_0_r in H. }
set (tv := fun a => if Rlt_dec 0 (expected alg D T (pulls_of Z a)) then sqrt (kl a / 2) else 1).
assert (T1 : forall a, (a < K)%nat -> total_variation_at_most (D a) (D' a) (tv a)).
{ intros a L. unfold tv. destruct (Rlt_dec 0 (expected alg D T (pulls_of Z a))) as [P|P].
  - apply pinsker. now apply V.
  - intros A VA. assert (I : forall x, 0 <= (if A x then 1 else 0) <= 1) by (intros x; destruct (A x); lra).
    assert (U : mean (D a) (fun x => if A x then 1 else 0) <= 1).
    { apply Rle_trans with (mean (D a) (fun _ => 1)); [|rewrite mean_const; lra].
      apply mean_le; [now apply (bounded_has_mean W _ _ 0 1)|apply has_mean_const|apply I]. }
    assert (O : 0 <= mean (D' a) (fun x => if A x then 1 else 0)).
    { apply mean_positive; [now apply (bounded_has_mean W _ _ 0 1)|apply I]. }
    lra. }
assert (H := lemma_15_sharp W Z K eps alg D D' tv T E T1 M f low high B Mf Me).
apply Rle_trans with (1 := H). apply Rplus_le_compat_l.
replace (2 * Rmin 4 (exp (2 * eps)) * (exp eps - 1) ^ 2 * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a)) with
  ((exp eps - 1) ^ 2 * (2 * Rmin 4 (exp (2 * eps)) * sum_to K (fun a => expected alg D T (pulls_of Z a) * kl a))) by ring.
apply Rmult_le_compat_l; [apply pow2_ge_0|]. rewrite <- sum_to_scaled. apply sum_to_le. intros a L.
assert (m1 : 1 <= Rmin 4 (exp (2 * eps))).
{ apply Rmin_glb; [lra|]. rewrite <- exp_0. apply exp_le. lra. }
unfold tv. specialize (N a L). destruct (Rlt_dec 0 (expected alg D T (pulls_of Z a))) as [P|P].
- assert (k0 : 0 <= kl a).
  { assert (X := V a L P (fun _ => 0) 0 0 (variable_const W 0) ltac:(intros; lra)).
    cbv beta in X. rewrite !mean_const, exp_0, ln_1 in X. lra. }
  replace (sqrt (kl a / 2) ^ 2) with (kl a / 2); [|simpl; rewrite Rmult_1_r, sqrt_sqrt by lra; reflexivity].
  assert (Y : 0 <= expected alg D T (pulls_of Z a) * kl a) by (apply Rmult_le_pos; lra). nra.
- replace (expected alg D T (pulls_of Z a)) with 0 by lra. lra.
Qed.

(** * The two instances of Theorems 11 and 9 *)

Definition gamma (v gap : R) : R := Rpower (5 * gap) (/ v).
(* nu_1, nu_2 and nu'_2. *)
Definition nu_1 (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2) (/ gamma v gap).
Definition nu_2 (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2 - gap * gamma v gap) (/ gamma v gap).
Definition nu_2_changed (v gap : R) (P : probability_measure real_numbers) :=
  two_valued P (Rpower (gamma v gap) (1 + v) / 2 + gap * gamma v gap) (/ gamma v gap).
(* E|X|^(1+v) <= 1. *)
Definition moment_at_most_1 (v : R) (P : probability_measure real_numbers) :=
  has_mean P (abs_power (1 + v)) /\ mean P (abs_power (1 + v)) <= 1.

Section Instances.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).

Lemma gamma_inside : 0 < gamma v gap < 1.
Proof.
split; [apply exp_pos|]. unfold gamma, Rpower. rewrite <- exp_0. apply exp_increasing.
assert (L : ln (5 * gap) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (I := Rinv_0_lt_compat v ltac:(lra)). nra.
Qed.

Lemma gamma_power : Rpower (gamma v gap) (1 + v) = 5 * gap * gamma v gap.
Proof.
rewrite Rpower_plus, Rpower_1 by apply exp_pos. unfold gamma at 2. rewrite Rpower_mult.
replace (/ v * v) with 1 by (field; lra). rewrite Rpower_1 by lra. ring.
Qed.

Lemma moments_of p P : two_valued P p (/ gamma v gap) -> mean P (abs_power (1 + v)) = p / (5 * gap * gamma v gap).
Proof.
intros H. assert (G := gamma_inside). rewrite (two_valued_moment P p _ H) by (apply Rinv_0_lt_compat; lra).
unfold Rpower at 1. rewrite ln_Rinv by lra. replace ((1 + v) * - ln (gamma v gap)) with (- ((1 + v) * ln (gamma v gap))) by ring.
rewrite exp_Ropp. fold (Rpower (gamma v gap) (1 + v)). now rewrite gamma_power.
Qed.

Lemma instance_facts P1 P2 P3 : nu_1 v gap P1 -> nu_2 v gap P2 -> nu_2_changed v gap P3 ->
  mean_reward P1 = 5 / 2 * gap /\ mean_reward P2 = 3 / 2 * gap /\ mean_reward P3 = 7 / 2 * gap /\
  moment_at_most_1 v P1 /\ moment_at_most_1 v P2 /\ moment_at_most_1 v P3 /\
  total_variation_at_most P2 P3 (2 * gap * gamma v gap).
Proof.
unfold nu_1, nu_2, nu_2_changed, moment_at_most_1. rewrite gamma_power. intros H1 H2 H3. assert (G := gamma_inside).
rewrite (two_valued_mean _ _ _ H1), (two_valued_mean _ _ _ H2), (two_valued_mean _ _ _ H3).
rewrite (moments_of _ _ H1), (moments_of _ _ H2), (moments_of _ _ H3).
repeat split; try (field; lra); try apply H1; try apply H2; try apply H3.
- replace (5 * gap * gamma v gap / 2 / (5 * gap * gamma v gap)) with (1 / 2) by (field; lra). lra.
- replace ((5 * gap * gamma v gap / 2 - gap * gamma v gap) / (5 * gap * gamma v gap)) with (3 / 10) by (field; lra). lra.
- replace ((5 * gap * gamma v gap / 2 + gap * gamma v gap) / (5 * gap * gamma v gap)) with (7 / 10) by (field; lra). lra.
- apply (two_valued_variation _ _ _ _ _ H2 H3). assert (0 < gap * gamma v gap) by (apply Rmult_lt_0_compat; lra).
  rewrite Rabs_left; lra.
Qed.

Lemma chances_inside : 0 <= Rpower (gamma v gap) (1 + v) / 2 <= 1 /\
  0 <= Rpower (gamma v gap) (1 + v) / 2 - gap * gamma v gap <= 1 /\
  0 <= Rpower (gamma v gap) (1 + v) / 2 + gap * gamma v gap <= 1.
Proof.
rewrite gamma_power. assert (G := gamma_inside). assert (0 < gap * gamma v gap) by (apply Rmult_lt_0_compat; lra).
assert (gap * gamma v gap <= 1 / 5 * 1) by (apply Rmult_le_compat; lra). lra.
Qed.

(* The squared total variation. *)
Lemma variation_power : (2 * gap * gamma v gap) * (2 * gap * gamma v gap) = 4 * Rpower 5 (2 / v) * Rpower gap (2 + 2 / v).
Proof.
unfold gamma. rewrite <- Rpower_mult_distr by lra. rewrite Rpower_plus.
replace (Rpower gap 2) with (gap * gap); [|replace 2 with (INR 2) by (simpl; ring); rewrite Rpower_pow by lra; simpl; ring].
replace (2 / v) with (/ v + / v) by (field; lra). rewrite !Rpower_plus. ring.
Qed.

Lemma gap_power : Rpower gap (2 + 2 / v) = gap * Rpower gap (1 + 2 / v).
Proof. replace (2 + 2 / v) with (1 + (1 + 2 / v)) by ring. now rewrite Rpower_plus, Rpower_1 by lra. Qed.
End Instances.

(* Measures with these laws, and instances of K arms: the first arm is the best one, or arm i is. *)
Section Measures.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).

Definition first_arm := pays _ (/ gamma v gap) (proj1 (chances_inside v gap v01 g01)).
Definition other_arm := pays _ (/ gamma v gap) (proj1 (proj2 (chances_inside v gap v01 g01))).
Definition raised_arm := pays _ (/ gamma v gap) (proj2 (proj2 (chances_inside v gap v01 g01))).
Definition usual (a : nat) := if Nat.eqb a 0 then first_arm else other_arm.
Definition raised (i a : nat) := if Nat.eqb a i then raised_arm else usual a.

Lemma facts : mean_reward first_arm = 5 / 2 * gap /\ mean_reward other_arm = 3 / 2 * gap /\
  mean_reward raised_arm = 7 / 2 * gap /\ moment_at_most_1 v first_arm /\ moment_at_most_1 v other_arm /\
  moment_at_most_1 v raised_arm /\ total_variation_at_most other_arm raised_arm (2 * gap * gamma v gap).
Proof. apply instance_facts; auto; apply pays_two_valued. Qed.

Lemma usual_moment a : moment_at_most_1 v (usual a).
Proof. unfold usual. destruct (Nat.eqb a 0); apply facts. Qed.

Lemma raised_moment i a : moment_at_most_1 v (raised i a).
Proof. unfold raised. destruct (Nat.eqb a i); [apply facts|apply usual_moment]. Qed.

Lemma usual_gap K a : (0 < a < K)%nat -> gap_of K usual a = gap.
Proof.
intros L. destruct facts as (M1 & M2 & _). unfold gap_of.
rewrite (highest_is _ (K - 1) 0); [|lia|].
- unfold usual. destruct (Nat.eqb_spec a 0); [lia|]. rewrite Nat.eqb_refl, M1, M2. lra.
- intros b _. unfold usual. rewrite Nat.eqb_refl. destruct (Nat.eqb b 0); rewrite ?M1, ?M2; lra.
Qed.

Lemma raised_gap K i a : (0 < i < K)%nat -> (a < K)%nat -> a <> i -> gap <= gap_of K (raised i) a.
Proof.
intros I L N. destruct facts as (M1 & M2 & M3 & _). unfold gap_of.
rewrite (highest_is _ (K - 1) i); [|lia|].
- unfold raised, usual. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec a i); [lia|]. rewrite M3.
  destruct (Nat.eqb a 0); rewrite ?M1, ?M2; lra.
- intros b _. unfold raised, usual. rewrite Nat.eqb_refl. rewrite M3.
  destruct (Nat.eqb b i); [lra|]. destruct (Nat.eqb b 0); rewrite ?M1, ?M2; lra.
Qed.

Lemma raised_elsewhere i a : a <> i -> total_variation_at_most (usual a) (raised i a) 0.
Proof. intros N A _. unfold raised. destruct (Nat.eqb_spec a i); [easy|lra]. Qed.

Lemma raised_here i : (0 < i)%nat -> total_variation_at_most (usual i) (raised i i) (2 * gap * gamma v gap).
Proof.
intros P. unfold raised, usual. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec i 0); [lia|apply facts].
Qed.
End Measures.

Lemma exp_twice eps : 0 <= eps <= 1 -> 0 <= exp eps - 1 <= 2 * eps.
Proof.
intros E. assert (C := exp_chord eps 1 E). rewrite Rmult_1_r in C. assert (X := exp_le_3).
assert (1 <= exp eps) by (rewrite <- exp_0; apply exp_le; lra). nra.
Qed.

(* 16 5^(2/v) eps^2 gap^(1 + 2/v). *)
Definition price (v gap eps : R) : R := 16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v).

Lemma price_positive v gap eps : 0 < eps -> 0 < price v gap eps.
Proof.
intros E. unfold price. assert (A := exp_pos (2 / v * ln 5)). assert (B := exp_pos ((1 + 2 / v) * ln gap)).
assert (0 < eps ^ 2) by (apply pow_lt; exact E). unfold Rpower. repeat apply Rmult_lt_0_compat; lra.
Qed.

Section TwoArms.
Variables (v gap eps : R) (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers).
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5) (e01 : 0 < eps <= 1).
Hypotheses (N1 : nu_1 v gap (D 0%nat)) (N2 : nu_2 v gap (D 1%nat)) (N1' : nu_1 v gap (D' 0%nat))
  (N2' : nu_2_changed v gap (D' 1%nat)).

Lemma two_arms_gaps : gap_of 2 D 0 = 0 /\ gap_of 2 D 1 = gap /\ gap_of 2 D' 0 = gap /\ gap_of 2 D' 1 = 0.
Proof.
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (M1 & M2 & M3 & _).
destruct (instance_facts v gap v01 g01 _ _ _ N1' N2 N2') as (M1' & _).
unfold gap_of. simpl. rewrite M1, M2, M3, M1'. unfold Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra.
Qed.

Hypotheses (V : forall T, pulls_measurable (alg T) D) (V' : forall T, pulls_measurable (alg T) D').

Lemma two_arms_regrets T : INR T * gap / 4 * exp (- (price v gap eps * regret (alg T) D T)) <=
  regret (alg T) D T + regret (alg T) D' T.
Proof.
destruct two_arms_gaps as (G0 & G1 & G0' & G1').
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (_ & _ & _ & _ & _ & _ & TV).
assert (H := regrets Z 2 eps (alg T) D D' ltac:(lra) (V T) (V' T) 1 gap (2 * gap * gamma v gap) T ltac:(lia) ltac:(lra)).
assert (Same : forall a, (a < 2)%nat -> a <> 1%nat -> total_variation_at_most (D a) (D' a) 0).
{ intros a L N. replace a with 0%nat by lia. apply (two_valued_variation _ _ _ _ _ N1 N1').
  rewrite Rminus_eq_0, Rabs_R0. lra. }
specialize (H Same TV ltac:(lra)).
assert (Better : forall a, (a < 2)%nat -> a <> 1%nat -> gap <= gap_of 2 D' a).
{ intros a L N. replace a with 0%nat by lia. lra. }
specialize (H Better). apply Rle_trans with (2 := H). apply Rmult_le_compat_l.
{ assert (X := pos_INR T). assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). lra. }
apply exp_le. apply Ropp_le_contravar.
assert (R1 := regret_here Z 2 eps (alg T) D (V T) 1 gap T ltac:(lia) ltac:(lra)).
assert (P := expected_pulls Z 2 eps (alg T) D 1 T (V T)). set (n := expected (alg T) D T (pulls_of Z 1)) in *.
apply Rle_trans with (price v gap eps * (gap * n)).
- replace ((exp eps - 1) * (2 * gap * gamma v gap) * ((exp eps - 1) * (2 * gap * gamma v gap)) * n) with
    ((exp eps - 1) * (exp eps - 1) * ((2 * gap * gamma v gap) * (2 * gap * gamma v gap)) * n) by ring.
  rewrite variation_power, gap_power by assumption. unfold price.
  assert (X := exp_twice eps ltac:(lra)). assert (A := exp_pos (2 / v * ln 5)). assert (B := exp_pos ((1 + 2 / v) * ln gap)).
  fold (Rpower 5 (2 / v)) in A. fold (Rpower gap (1 + 2 / v)) in B.
  replace (16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v) * (gap * n)) with
    (2 * eps * (2 * eps) * (4 * Rpower 5 (2 / v) * (gap * Rpower gap (1 + 2 / v))) * n) by ring.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r.
  + assert (0 < Rpower 5 (2 / v) * (gap * Rpower gap (1 + 2 / v))) by (repeat apply Rmult_lt_0_compat; lra). lra.
  + apply Rmult_le_compat; lra.
- apply Rmult_le_compat_l; [left; apply price_positive; lra|exact R1].
Qed.
End TwoArms.

(** * Theorem 11 *)

Definition instances_of_theorem_11 (v gap : R) (D D' : nat -> probability_measure real_numbers) :=
  nu_1 v gap (D 0%nat) /\ nu_2 v gap (D 1%nat) /\ nu_1 v gap (D' 0%nat) /\ nu_2_changed v gap (D' 1%nat).

Theorem theorem_11_raised v gap eps (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < gap < 1 / 5 -> 0 < eps <= 1 -> instances_of_theorem_11 v gap D D' ->
  (forall T, pulls_measurable (alg T) D) -> (forall T, pulls_measurable (alg T) D') ->
  below_all_powers (fun T => regret (alg T) D T) -> below_all_powers (fun T => regret (alg T) D' T) ->
  (forall a, (a < 2)%nat -> moment_at_most_1 v (D a)) /\ mean_reward (D 0%nat) - mean_reward (D 1%nat) = gap /\
  liminf_per_log (fun T => regret (alg T) D T) (1 / (16 * Rpower 5 (2 / v) * eps ^ 2 * Rpower gap (1 + 2 / v))).
Proof.
intros v01 g01 e01 (N1 & N2 & N1' & N2') V V' S S'.
destruct (instance_facts v gap v01 g01 _ _ _ N1 N2 N2') as (M1 & M2 & _ & B1 & B2 & _).
split; [|split; [rewrite M1, M2; lra|]].
- intros [|[|a]] L; [exact B1|exact B2|lia].
- unfold Rdiv. rewrite Rmult_1_l. fold (price v gap eps).
  apply (regret_per_log _ (fun T => regret (alg T) D T) (fun T => regret (alg T) D' T) gap (price v gap eps)); auto; [lra|apply price_positive; lra|].
  intros T. now apply two_arms_regrets.
Qed.

Theorem theorem_11 v gap eps (Z : sample_space) (alg : nat -> local_algorithm real_numbers Z 2 eps)
  (D D' : nat -> probability_measure real_numbers) :
  0 < v <= 1 -> 0 < gap < 1 / 5 -> 0 < eps <= 1 -> instances_of_theorem_11 v gap D D' ->
  (forall T, pulls_measurable (alg T) D) -> (forall T, pulls_measurable (alg T) D') ->
  below_all_powers (fun T => regret (alg T) D T) -> below_all_powers (fun T => regret (alg T) D' T) ->
  (forall a, (a < 2)%nat -> moment_at_most_1 v (D a)) /\ mean_reward (D 0%nat) - mean_reward (D 1%nat) = gap /\
  liminf_per_log (fun T => regret (alg T) D T) (5 / (16 * Rpower 5 (1 / v) * eps ^ 2 * Rpower gap (1 / v))).
Proof.
intros v01 g01 e01 I V V' S S'.
destruct (theorem_11_raised v gap eps Z alg D D' v01 g01 e01 I V V' S S') as (B & M & L).
split; [exact B|split; [exact M|]]. apply liminf_smaller with (2 := L).
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra).
assert (I0 := Rinv_0_lt_compat v ltac:(lra)).
assert (P5 : Rpower 5 (2 / v) = Rpower 5 (1 / v) * Rpower 5 (1 / v)).
{ replace (2 / v) with (1 / v + 1 / v) by (field; lra). apply Rpower_plus. }
assert (Pg : Rpower gap (1 + 2 / v) = gap * Rpower gap (1 / v) * Rpower gap (1 / v)).
{ replace (1 + 2 / v) with (1 + 1 / v + 1 / v) by (field; lra). now rewrite !Rpower_plus, Rpower_1 by lra. }
rewrite P5, Pg. set (x := Rpower 5 (1 / v)). set (y := Rpower gap (1 / v)).
assert (x0 : 0 < x) by apply exp_pos. assert (y0 : 0 < y) by apply exp_pos.
assert (xy : x * y <= 1).
{ unfold x, y. rewrite Rpower_mult_distr by lra. apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0; lra].
  assert (ln (5 * gap) <= 0) by (rewrite <- ln_1; apply ln_le; lra). unfold Rdiv. nra. }
apply Rmult_le_reg_r with (16 * (x * x) * eps ^ 2 * (gap * y * y)).
{ repeat apply Rmult_lt_0_compat; lra. }
replace (5 / (16 * x * eps ^ 2 * y) * (16 * (x * x) * eps ^ 2 * (gap * y * y))) with (5 * gap * (x * y))
  by (field; repeat split; lra).
replace (1 / (16 * (x * x) * eps ^ 2 * (gap * y * y)) * (16 * (x * x) * eps ^ 2 * (gap * y * y))) with 1
  by (field; repeat split; lra).
nra.
Qed.

(** * The hypotheses can hold together *)

Lemma chi_square_witness : satisfiable chi_square.
Proof. exists (1 / 3), (1 / 2). lra. Qed.

Lemma half_inside : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Lemma whole_inside : 0 <= 1 <= 1. Proof. lra. Qed.

(* Two arms, two rounds: fair coins against coins that show true with probability 1/4, and other choices. *)
Lemma lemma_14_witness : satisfiable lemma_14.
Proof.
assert (half : 0 <= 1 / 2 <= 1) by lra. assert (quarter : 0 <= 1 / 4 <= 1) by lra.
set (r := fun (_ : nat) (w : one_toss) => if w then 2 else 2 / 3).
exists one_toss, 2%nat, (fun _ _ => 1 / 2), (fun _ a => if Nat.eqb a 0 then 1 / 3 else 2 / 3).
exists (fun _ => coin (1 / 2) half), (fun _ => coin (1 / 4) quarter), r, (fun a w => ln (r a w)).
exists (fun a => mean (coin (1 / 2) half) (fun w => ln (r a w))), 2%nat.
split; [intros h; split; [intros a; lra|simpl; lra]|].
split; [intros h; split; [intros a; destruct (Nat.eqb a 0); lra|simpl; lra]|].
split; [intros h a _ _; destruct (Nat.eqb a 0); lra|]. split; [|split].
- intros a _. split; [|split; [|split; [exact I|reflexivity]]].
  + intros w. split; [unfold r; destruct w; lra|reflexivity].
  + intros f low high _ _. split; [exact I|]. simpl. unfold r. field.
- intros t _. generalize (@nil (nat * one_toss)). induction t as [|t IH]; intros h; [exact I|].
  intros a _ _. split; [exact I|intros z; apply IH].
- intros a _. apply all_measurable. intros g. exact I.
Qed.

(* Arm 0 has the same law in both instances, and arm 1 another one. *)
Lemma lemma_15_sharp_witness : satisfiable lemma_15_sharp.
Proof.
exists one_toss, one_toss, 2%nat, 1, (silent one_toss 1 Rle_0_1), (fun _ => coin (1 / 2) half_inside),
  (fun a => if Nat.eqb a 0 then coin (1 / 2) half_inside else coin 1 whole_inside),
  (fun a => if Nat.eqb a 0 then 0 else 1 / 2), 2%nat.
split; [lra|]. split; [intros [|a] _ A _; simpl; destruct (A true), (A false); lra|].
split; [intros; apply bits_measurable|]. exists (fun _ => 0), 0, 1. split; [intros; lra|]. split; apply bits_measurable.
Qed.

Lemma quarter_inside : 0 <= 1 / 4 <= 1. Proof. lra. Qed.

Lemma lemma_15_witness : satisfiable lemma_15.
Proof.
exists one_toss, one_toss, 2%nat, 1, (silent one_toss 1 Rle_0_1), (fun _ => coin (1 / 2) half_inside),
  (fun _ => coin (1 / 4) quarter_inside), (fun _ => 1 * 1), 2%nat.
split; [lra|]. split; [intros; apply bits_measurable|]. split.
- intros a _ _. apply close_divergence; [lra|]. intros event _. simpl. destruct (event true), (event false); split_Rabs; lra.
- exists (fun _ => 0), 0, 1. split; [intros; lra|]. split; apply bits_measurable.
Qed.

Lemma tenth_inside : 0 < 1 / 10 < 1 / 5. Proof. lra. Qed.
Lemma v_1 : 0 < 1 <= 1. Proof. lra. Qed.

Lemma small_regret : exists alg : nat -> local_algorithm real_numbers one_toss 2 1,
  below_all_powers (fun T => regret (alg T) (usual 1 (1 / 10) v_1 tenth_inside) T) /\
  below_all_powers (fun T => regret (alg T) (raised 1 (1 / 10) v_1 tenth_inside 1) T).
Proof.
set (D := usual 1 (1 / 10) v_1 tenth_inside). set (D' := raised 1 (1 / 10) v_1 tenth_inside 1).
assert (N1 : nu_1 1 (1 / 10) (D 0%nat)) by apply pays_two_valued.
assert (N2 : nu_2 1 (1 / 10) (D 1%nat)) by apply pays_two_valued.
assert (N1' : nu_1 1 (1 / 10) (D' 0%nat)) by apply pays_two_valued.
assert (N2' : nu_2_changed 1 (1 / 10) (D' 1%nat)) by apply pays_two_valued.
destruct (two_arms_gaps 1 (1 / 10) D D' v_1 tenth_inside N1 N2 N1' N2') as (G0 & G1 & G0' & G1').
destruct (chances_inside 1 (1 / 10) v_1 tenth_inside) as (_ & I2 & I3).
assert (G := gamma_inside 1 (1 / 10) v_1 tenth_inside).
apply (some_learner _ _ (/ gamma 1 (1 / 10)) (proj1 I2)) with (2 := proj2 I3); auto; try lra.
apply Rinv_neq_0_compat. lra.
Qed.

Lemma theorem_11_raised_witness : satisfiable theorem_11_raised.
Proof.
destruct small_regret as (alg & S & S').
exists 1, (1 / 10), 1, one_toss, alg, (usual 1 (1 / 10) v_1 tenth_inside), (raised 1 (1 / 10) v_1 tenth_inside 1).
split; [lra|]. split; [lra|]. split; [lra|]. split; [split; [|split; [|split]]; apply pays_two_valued|].
split; [intros T T' f; apply bits_measurable|]. split; [intros T T' f; apply bits_measurable|]. split; [exact S|]. split; [exact S'|]. split; [exists 0%nat; lia|exists 1; lra].
Qed.

Lemma theorem_11_witness : satisfiable theorem_11.
Proof. exact theorem_11_raised_witness. Qed.
