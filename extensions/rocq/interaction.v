(* A policy that pulls arms and sees something after each pull, on two instances: Kullback and Leibler's divergence of the
   two runs, and how well a run can tell the instances apart. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration.
Import ListNotations.
Open Scope R_scope.

(* d is at least KL(P||Q), in the form of Donsker and Varadhan: the supremum over bounded random variables f of
   E_P f - ln E_Q e^f. *)
Definition divergence_at_most {W : sample_space} (P Q : probability_measure W) (d : R) :=
  forall (f : W -> R) low high, random_variable f -> (forall w, low <= f w <= high) ->
  mean P f <= ln (mean Q (fun w => exp (f w))) + d.

Lemma sum_to_one n j c : (j < n)%nat -> sum_to n (fun i => if Nat.eqb i j then c else 0) = c.
Proof.
intros L. induction n as [|n IH]; [lia|]. simpl. destruct (Nat.eqb_spec n j) as [->|N].
- rewrite (sum_to_same j _ (fun _ => 0)); [rewrite sum_to_const; ring|]. intros i H.
  destruct (Nat.eqb_spec i j); [lia|reflexivity].
- rewrite IH by lia. ring.
Qed.

Section Runs.
Variables (Z : sample_space) (K : nat).

(* The pulled arms, and what was seen after each pull, the last one first. *)
Definition seen : Type := list (nat * Z).

(* choose h a: the probability that arm a is pulled after h. *)
Definition chooses (choose : seen -> nat -> R) := forall h, (forall a, 0 <= choose h a) /\ sum_to K (choose h) = 1.

Variable choose : seen -> nat -> R.

(* The expectation of f after T more rounds, if what is seen after a pull of arm a has the law `law h a`; and what
   Fubini's theorem says of a measurable f. *)
Fixpoint run (law : seen -> nat -> probability_measure Z) (T : nat) (h : seen)
  (f : seen -> R) : R :=
  match T with
  | O => f h
  | S k => sum_to K (fun a => choose h a * mean (law h a) (fun z => run law k ((a, z) :: h) f))
  end.
Fixpoint run_measurable (law : seen -> nat -> probability_measure Z) (T : nat) (h : seen)
  (f : seen -> R) : Prop :=
  match T with
  | O => True
  | S k => forall a, (a < K)%nat -> random_variable (fun z => run law k ((a, z) :: h) f) /\
      forall z, run_measurable law k ((a, z) :: h) f
  end.

(* How often arm a was pulled. *)
Fixpoint pulls_of (a : nat) (h : seen) : R :=
  match h with [] => 0 | (b, _) :: h' => pulls_of a h' + if Nat.eqb a b then 1 else 0 end.

Hypothesis choosing : chooses choose.

Lemma average_of_choice h (x y : nat -> R) : (forall a, (a < K)%nat -> x a <= y a) ->
  sum_to K (fun a => choose h a * x a) <= sum_to K (fun a => choose h a * y a).
Proof. intros H. apply sum_to_le. intros a L. apply Rmult_le_compat_l; [apply choosing|now apply H]. Qed.

Lemma average_of_constant h c : sum_to K (fun a => choose h a * c) = c.
Proof.
rewrite (sum_to_same K _ (fun a => c * choose h a)) by (intros; ring). rewrite sum_to_scaled.
destruct (choosing h) as [_ ->]. ring.
Qed.

Lemma run_inside law T h f low high : (forall h' : seen, length h' = (T + length h)%nat -> low <= f h' <= high) ->
  run_measurable law T h f -> low <= run law T h f <= high.
Proof.
revert h. induction T as [|k IH]; simpl; intros h B M; [now apply B|].
assert (I : forall a z, (a < K)%nat -> low <= run law k ((a, z) :: h) f <= high).
{ intros a z L. apply IH; [|now apply M]. intros h' E. apply B. simpl in E. lia. }
split; [rewrite <- (average_of_constant h low)|rewrite <- (average_of_constant h high)]; apply average_of_choice;
  intros a L.
- rewrite <- (mean_const Z (law h a) low). apply mean_le; [apply has_mean_const| |intros z; now apply I].
  apply (bounded_has_mean Z _ _ low high); [now apply M|intros z; now apply I].
- rewrite <- (mean_const Z (law h a) high). apply mean_le; [|apply has_mean_const|intros z; now apply I].
  apply (bounded_has_mean Z _ _ low high); [now apply M|intros z; now apply I].
Qed.

Lemma next_has_mean law (P : probability_measure Z) k h f low high a :
  (forall h' : seen, length h' = (S k + length h)%nat -> low <= f h' <= high) ->
  run_measurable law (S k) h f -> (a < K)%nat -> has_mean P (fun z => run law k ((a, z) :: h) f).
Proof.
intros B M L. apply (bounded_has_mean Z _ _ low high); [now apply M|]. intros z. apply run_inside; [|now apply M].
intros h' E. apply B. simpl in E |- *. lia.
Qed.

Lemma run_linear law T h f g low high low' high' x y :
  (forall h' : seen, length h' = (T + length h)%nat -> low <= f h' <= high) ->
  (forall h' : seen, length h' = (T + length h)%nat -> low' <= g h' <= high') ->
  run_measurable law T h f -> run_measurable law T h g ->
  run_measurable law T h (fun h' => x * f h' + y * g h') /\
  run law T h (fun h' => x * f h' + y * g h') = x * run law T h f + y * run law T h g.
Proof.
revert h. induction T as [|k IH]; intros h B B' M M'; [now split|].
assert (Next : forall a z, (a < K)%nat -> run_measurable law k ((a, z) :: h) (fun h' => x * f h' + y * g h') /\
  run law k ((a, z) :: h) (fun h' => x * f h' + y * g h') = x * run law k ((a, z) :: h) f + y * run law k ((a, z) :: h) g).
{ intros a z L. apply IH; try (now apply M || now apply M'); intros h' E; [apply B|apply B']; simpl in E |- *; lia. }
split.
- intros a L. split; [|intros z; now apply Next].
  apply variable_same with (fun z => x * run law k ((a, z) :: h) f + y * run law k ((a, z) :: h) g).
  + intros z. symmetry. now apply Next.
  + apply variable_plus; apply variable_scaled; [now apply M|now apply M'].
- simpl. rewrite <- !sum_to_scaled, <- sum_to_plus. apply sum_to_same. intros a L.
  rewrite (mean_same Z _ _ (fun z => x * run law k ((a, z) :: h) f + y * run law k ((a, z) :: h) g))
    by (intros z; now apply Next).
  rewrite mean_linear; [ring| |].
  + now apply (next_has_mean law _ k h f low high a).
  + now apply (next_has_mean law _ k h g low' high' a).
Qed.

Lemma run_same law T h f g : (forall h' : seen, length h' = (T + length h)%nat -> f h' = g h') ->
  run law T h f = run law T h g.
Proof.
revert h. induction T as [|k IH]; simpl; intros h E; [now apply E|]. apply sum_to_same. intros a L. f_equal.
apply mean_same. intros z. apply IH. intros h' N. apply E. simpl in N. lia.
Qed.

Lemma run_measurable_same law T h f g : (forall h' : seen, length h' = (T + length h)%nat -> f h' = g h') ->
  run_measurable law T h f -> run_measurable law T h g.
Proof.
revert h. induction T as [|k IH]; [trivial|]. intros h E M a L. destruct (M a L) as [V N].
assert (E' : forall z h', length h' = (k + length ((a, z) :: h))%nat -> f h' = g h').
{ intros z h' H. apply E. simpl in H |- *. lia. }
split; [|intros z; apply (IH _ (E' z)), N].
apply variable_same with (fun z => run law k ((a, z) :: h) f); [intros z; now apply run_same, E'|exact V].
Qed.

Lemma run_le law T h f g low high low' high' :
  (forall h' : seen, length h' = (T + length h)%nat -> low <= f h' <= high) ->
  (forall h' : seen, length h' = (T + length h)%nat -> low' <= g h' <= high') ->
  (forall h' : seen, length h' = (T + length h)%nat -> f h' <= g h') ->
  run_measurable law T h f -> run_measurable law T h g -> run law T h f <= run law T h g.
Proof.
intros B B' L M M'. destruct (run_linear law T h g f low' high' low high 1 (- 1) B' B M' M) as [N E].
assert (0 <= run law T h (fun h' => 1 * g h' + - 1 * f h')); [|lra].
apply (run_inside law T h _ 0 (high' - low)); [|exact N]. intros h' H. specialize (L h' H). specialize (B h' H).
specialize (B' h' H). lra.
Qed.

Lemma pulls_inside a h : 0 <= pulls_of a h <= INR (length h).
Proof.
induction h as [|[b z] h IH]; [simpl; lra|]. simpl length. rewrite S_INR. simpl. destruct (Nat.eqb a b); lra.
Qed.

Lemma all_measurable law T h f : (forall g : Z -> R, random_variable g) -> run_measurable law T h f.
Proof. intros A. revert h. induction T as [|k IH]; intros h; [exact I|]. intros a _. split; [apply A|intros z; apply IH]. Qed.

(** * The divergence of two runs *)

Lemma ln_of_choice h (x : nat -> R) : (forall a, (a < K)%nat -> 0 < x a) ->
  sum_to K (fun a => choose h a * ln (x a)) <= ln (sum_to K (fun a => choose h a * x a)).
Proof.
intros P. set (N := sum_to K (fun a => choose h a * x a)).
assert (P0 : 0 < N).
{ destruct (choosing h) as [C One]. unfold N. clear N.
  assert (Some : forall n, (n <= K)%nat -> 0 <= sum_to n (fun a => choose h a * x a) /\
    (0 < sum_to n (choose h) -> 0 < sum_to n (fun a => choose h a * x a))).
  { induction n as [|n IH]; simpl; intros L; [split; lra|]. destruct IH as [A B]; [lia|].
    assert (X := P n ltac:(lia)). assert (Y := C n).
    assert (0 <= choose h n * x n) by (apply Rmult_le_pos; lra). split; [lra|]. intros S.
    destruct (Req_dec (choose h n) 0) as [Z0|Z0]; [rewrite Z0 in *; apply Rplus_lt_le_0_compat; [apply B; lra|lra]|].
    apply Rplus_le_lt_0_compat; [exact A|apply Rmult_lt_0_compat; lra]. }
  apply (proj2 (Some K (Nat.le_refl _))). lra. }
apply Rle_trans with (sum_to K (fun a => choose h a * (/ N * x a + (ln N - 1)))).
- apply average_of_choice. intros a L. assert (Q := ln_below (x a) N (P a L) P0). unfold Rdiv in Q. lra.
- rewrite (sum_to_same K _ (fun a => / N * (choose h a * x a) + choose h a * (ln N - 1))) by (intros; ring).
  rewrite sum_to_plus, sum_to_scaled, average_of_constant. fold N. right. field. lra.
Qed.

Lemma ln_variable (g : Z -> R) low : 0 < low -> (forall z, low <= g z) -> random_variable g ->
  random_variable (fun z => ln (g z)).
Proof.
intros P L V. apply variable_same with (fun z => ln (Rmax low (g z))).
- intros z. now rewrite Rmax_right by apply L.
- apply (variable_continuous Z (fun x => ln (Rmax low x))); [|exact V]. intros x.
  apply (continuous_comp (fun x => Rmax low x) ln).
  + apply (continuous_ext (fun x => (low + x + Rabs (low - x)) / 2)).
    * intros y. unfold Rmax. destruct (Rle_dec low y); split_Rabs; lra.
    * apply (continuous_mult (K := R_AbsRing) (fun x => low + x + Rabs (low - x)) (fun _ => / 2));
        [|apply continuous_const].
      apply (continuous_plus (V := R_NormedModule) (fun x => low + x) (fun x => Rabs (low - x))).
      -- apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
      -- apply (continuous_comp (fun x => low - x) Rabs); [|apply continuous_Rabs].
         apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  + apply (ex_derive_continuous (V := R_NormedModule)). exists (/ Rmax low x). apply is_derive_ln.
    apply Rlt_le_trans with (1 := P), Rmax_l.
Qed.

(* A price of d a for each pull of arm a. *)
Definition spent (d : nat -> R) (h : seen) : R := sum_to K (fun a => d a * pulls_of a h).

Lemma spent_next (d : nat -> R) b z h : (b < K)%nat -> spent d ((b, z) :: h) = spent d h + d b.
Proof.
intros L. unfold spent.
rewrite (sum_to_same K _ (fun a => d a * pulls_of a h + if Nat.eqb a b then d b else 0)).
- rewrite sum_to_plus. f_equal. now apply sum_to_one.
- intros a _. simpl. destruct (Nat.eqb_spec a b) as [->|_]; ring.
Qed.

Lemma constant_run law T h c : run_measurable law T h (fun _ => c) /\ run law T h (fun _ => c) = c.
Proof.
revert h. induction T as [|k IH]; intros h; [now split|]. split.
- intros a L. split; [|intros z; apply IH]. apply variable_same with (fun _ => c); [|apply variable_const].
  intros z. symmetry. apply IH.
- simpl. rewrite (sum_to_same K _ (fun a => choose h a * c)); [apply average_of_constant|]. intros a L. f_equal.
  rewrite (mean_same Z _ _ (fun _ => c)) by (intros; apply IH). apply mean_const.
Qed.

Lemma sums_measurable law T h (x : nat -> R) (f : nat -> seen -> R) n high : (forall a, (a < n)%nat -> 0 <= x a) ->
  (forall a h', (a < n)%nat -> length h' = (T + length h)%nat -> 0 <= f a h' <= high) ->
  (forall a, (a < n)%nat -> run_measurable law T h (f a)) ->
  run_measurable law T h (fun h' => sum_to n (fun a => x a * f a h')) /\
  run law T h (fun h' => sum_to n (fun a => x a * f a h')) = sum_to n (fun a => x a * run law T h (f a)) /\
  forall h' : seen, length h' = (T + length h)%nat -> 0 <= sum_to n (fun a => x a * f a h') <= sum_to n (fun a => x a * high).
Proof.
induction n as [|n IH]; intros X B M.
- simpl. split; [|split; [|intros; lra]].
  + apply constant_run.
  + apply constant_run.
- destruct IH as (N & E & Bn); auto. destruct (run_linear law T h (fun h' => sum_to n (fun a => x a * f a h')) (f n) 0
    (sum_to n (fun a => x a * high)) 0 high 1 (x n) Bn (fun h' => B n h' (Nat.lt_succ_diag_r n)) N (M n (Nat.lt_succ_diag_r n)))
    as [N' E'].
  assert (Same : forall h', 1 * sum_to n (fun a => x a * f a h') + x n * f n h' = sum_to (S n) (fun a => x a * f a h'))
    by (intros; simpl; ring).
  split; [|split].
  + apply (run_measurable_same law T h _ _ (fun h' _ => Same h') N').
  + etransitivity; [apply run_same; intros h' _; symmetry; apply Same|]. etransitivity; [exact E'|].
    etransitivity; [exact (f_equal (fun r => 1 * r + x n * run law T h (f n)) E)|]. simpl. ring.
  + intros h' L. specialize (Bn h' L). specialize (B n h' (Nat.lt_succ_diag_r n) L). simpl.
    assert (P := X n (Nat.lt_succ_diag_r n)). nra.
Qed.

Lemma spent_run law (d : nat -> R) T h : (forall a, (a < K)%nat -> 0 <= d a) ->
  (forall a, (a < K)%nat -> run_measurable law T h (pulls_of a)) ->
  run_measurable law T h (spent d) /\
  run law T h (spent d) = sum_to K (fun a => d a * run law T h (pulls_of a)) /\
  exists high, forall h' : seen, length h' = (T + length h)%nat -> 0 <= spent d h' <= high.
Proof.
intros D M. destruct (sums_measurable law T h d pulls_of K (INR (T + length h)) D) as (N & E & B); [|exact M|].
- intros a h' _ L. rewrite <- L. apply pulls_inside.
- split; [exact N|]. split; [exact E|]. eexists. exact B.
Qed.

(* Each round pulls one arm. *)
Lemma total_pulls law T : (forall a, (a < K)%nat -> run_measurable law T [] (pulls_of a)) ->
  sum_to K (fun a => run law T [] (pulls_of a)) = INR T.
Proof.
intros M. destruct (spent_run law (fun _ => 1) T [] (fun _ _ => Rle_0_1) M) as (_ & E & _).
rewrite (sum_to_same K _ (fun a => run law T [] (pulls_of a))) in E by (intros; ring). rewrite <- E.
assert (Z0 : spent (fun _ => 1) [] = 0).
{ unfold spent. rewrite (sum_to_same K _ (fun _ => 0)) by (intros; simpl; ring). rewrite sum_to_const. ring. }
transitivity (INR T + spent (fun _ => 1) []); [|rewrite Z0; ring]. clear M E Z0. generalize (@nil (nat * Z)).
induction T as [|k IH]; intros h; [simpl; ring|]. rewrite S_INR. cbn [run].
rewrite (sum_to_same K _ (fun a => choose h a * (INR k + 1 + spent (fun _ => 1) h))); [apply average_of_constant|].
intros a L. apply Rmult_eq_compat_l. transitivity (mean (law h a) (fun _ => INR k + 1 + spent (fun _ => 1) h)); [|apply mean_const].
apply mean_same. intros z. rewrite IH, spent_next by exact L. ring.
Qed.

Variables (law law' : seen -> nat -> probability_measure Z) (d : nat -> R).
Hypothesis close : forall h a, (a < K)%nat -> divergence_at_most (law h a) (law' h a) (d a).

Lemma divergence_of_runs T h f low high low' high' :
  (forall h' : seen, length h' = (T + length h)%nat -> low <= f h' <= high) ->
  (forall h' : seen, length h' = (T + length h)%nat -> low' <= f h' - spent d h' <= high') ->
  run_measurable law T h (fun h' => f h' - spent d h') -> run_measurable law' T h (fun h' => exp (f h')) ->
  run law T h (fun h' => f h' - spent d h') + spent d h <= ln (run law' T h (fun h' => exp (f h'))).
Proof.
revert h. induction T as [|k IH]; intros h B B' M M'; [simpl; rewrite ln_exp; lra|].
set (g := fun a z => run law' k ((a, z) :: h) (fun h' => exp (f h'))).
assert (E : forall h' : seen, length h' = (S k + length h)%nat -> exp low <= exp (f h') <= exp high).
{ intros h' H. specialize (B h' H). split; apply exp_le; lra. }
assert (G : forall a z, (a < K)%nat -> exp low <= g a z <= exp high).
{ intros a z L. apply run_inside; [|now apply M']. intros h' H. apply E. simpl in H |- *. lia. }
assert (Low := exp_pos low).
assert (GV : forall a, (a < K)%nat -> random_variable (fun z => ln (g a z))).
{ intros a L. apply ln_variable with (exp low); [exact Low|intros z; now apply G|now apply M']. }
assert (GB : forall a z, (a < K)%nat -> low <= ln (g a z) <= high).
{ intros a z L. destruct (G a z L) as [G1 G2]. rewrite <- (ln_exp low), <- (ln_exp high).
  split; apply ln_le; auto; lra. }
assert (One : forall a, (a < K)%nat ->
  mean (law h a) (fun z => run law k ((a, z) :: h) (fun h' => f h' - spent d h')) <=
  ln (mean (law' h a) (g a)) - spent d h).
{ intros a L. apply Rle_trans with (mean (law h a) (fun z => 1 * ln (g a z) + (- spent d h - d a))).
  - apply mean_le.
    + now apply (next_has_mean law _ k h _ low' high' a).
    + apply has_mean_affine. apply (bounded_has_mean Z _ _ low high); [now apply GV|intros z; now apply GB].
    + intros z. assert (H := IH ((a, z) :: h)). rewrite spent_next in H by exact L.
      assert (Len : forall h' : seen, length h' = (k + length ((a, z) :: h))%nat -> length h' = (S k + length h)%nat).
      { intros h' N. simpl in N |- *. lia. }
      specialize (H (fun (h' : seen) N => B h' (Len h' N)) (fun (h' : seen) N => B' h' (Len h' N))).
      specialize (H (proj2 (M a L) z) (proj2 (M' a L) z)). unfold g. lra.
  - rewrite mean_affine.
    + assert (H := close h a L (fun z => ln (g a z)) low high (GV a L) (fun z => GB a z L)).
      cbv beta in H. rewrite (mean_same Z (law' h a) (fun w => exp (ln (g a w))) (g a)) in H; [lra|].
      intros z. apply exp_ln. apply Rlt_le_trans with (1 := Low). now apply G.
    + apply (bounded_has_mean Z _ _ low high); [now apply GV|intros z; now apply GB]. }
simpl. apply Rle_trans with (sum_to K (fun a => choose h a * (ln (mean (law' h a) (g a)) - spent d h)) + spent d h).
- apply Rplus_le_compat_r. now apply average_of_choice.
- rewrite (sum_to_same K _ (fun a => choose h a * ln (mean (law' h a) (g a)) + choose h a * - spent d h)) by (intros; ring).
  rewrite sum_to_plus, average_of_constant.
  assert (H := ln_of_choice h (fun a => mean (law' h a) (g a))).
  cbv beta in H.
  assert (P : forall a, (a < K)%nat -> 0 < mean (law' h a) (g a)).
  { intros a L. apply Rlt_le_trans with (1 := Low). rewrite <- (mean_const Z (law' h a) (exp low)).
    apply mean_le; [apply has_mean_const| |intros z; now apply G].
    apply (bounded_has_mean Z _ _ (exp low) (exp high)); [now apply M'|intros z; now apply G]. }
  specialize (H P). unfold g in H |- *. lra.
Qed.


Hypothesis d_positive : forall a, (a < K)%nat -> 0 <= d a.

(* KL of the two runs of T rounds is at most the sum over the arms of E N_a d a. *)
Theorem divergence_of_all f low high T : (forall h : seen, length h = T -> low <= f h <= high) ->
  run_measurable law T [] f -> run_measurable law' T [] (fun h => exp (f h)) ->
  (forall a, (a < K)%nat -> run_measurable law T [] (pulls_of a)) ->
  run law T [] f <= ln (run law' T [] (fun h => exp (f h))) + sum_to K (fun a => d a * run law T [] (pulls_of a)).
Proof.
intros B M M' C. destruct (spent_run law d T [] d_positive C) as (S & E & high' & B').
assert (N : forall h : seen, length h = (T + length (@nil (nat * Z)))%nat -> length h = T) by (intros h L; simpl in L; lia).
assert (B1 : forall h : seen, length h = (T + length (@nil (nat * Z)))%nat -> low <= f h <= high) by (intros; apply B; auto).
destruct (run_linear law T [] f (spent d) low high 0 high' 1 (- 1) B1 B' M S) as [N' E'].
assert (Same : forall h', 1 * f h' + - 1 * spent d h' = f h' - spent d h') by (intros; ring).
assert (H := divergence_of_runs T [] f low high (low - high') high B1).
assert (E2 : run law T [] (fun h' => f h' - spent d h') = 1 * run law T [] f + - 1 * run law T [] (spent d)).
{ etransitivity; [apply run_same; intros h' _; symmetry; apply Same|exact E']. }
cbv zeta in H. rewrite E2 in H. rewrite <- E.
assert (Z0 : spent d [] = 0).
{ unfold spent. rewrite (sum_to_same K _ (fun _ => 0)) by (intros; simpl; ring). rewrite sum_to_const. ring. }
rewrite Z0 in H. apply (run_measurable_same law T [] _ _ (fun h' _ => Same h')) in N'.
specialize (H ltac:(intros h' L; specialize (B1 h' L); specialize (B' h' L); lra) N' M'). lra.
Qed.

(** * Telling the instances apart *)

Variable event : seen -> bool.
Definition happens (h : seen) : R := if event h then 1 else 0.

Lemma happens_inside h : 0 <= happens h <= 1.
Proof. unfold happens. destruct (event h); lra. Qed.

Variable T : nat.
Hypotheses (M : run_measurable law T [] happens) (M' : run_measurable law' T [] happens)
  (C : forall a, (a < K)%nat -> run_measurable law T [] (pulls_of a)).
Let divergence := sum_to K (fun a => d a * run law T [] (pulls_of a)).

(* For the function that is - x on the event and 0 elsewhere. *)
Lemma one_event x : - x * run law T [] happens <=
  ln (1 - run law' T [] happens + run law' T [] happens * exp (- x)) + divergence.
Proof.
assert (I : forall h : seen, length h = (T + length (@nil (nat * Z)))%nat -> 0 <= happens h <= 1) by (intros; apply happens_inside).
assert (I' : forall h : seen, length h = (T + length (@nil (nat * Z)))%nat -> 1 <= (fun _ : seen => 1) h <= 1) by (intros; lra).
assert (One := fun l => constant_run l T [] 1).
destruct (run_linear law T [] happens (fun _ => 1) 0 1 1 1 (- x) 0 I I' M (proj1 (One law))) as [N E].
destruct (run_linear law' T [] happens (fun _ => 1) 0 1 1 1 (exp (- x) - 1) 1 I I' M' (proj1 (One law'))) as [N' E'].
assert (Same : forall h', (exp (- x) - 1) * happens h' + 1 * 1 = exp (- x * happens h' + 0 * 1)).
{ intros h'. unfold happens. destruct (event h').
  - replace (- x * 1 + 0 * 1) with (- x) by ring. ring.
  - replace (- x * 0 + 0 * 1) with 0 by ring. rewrite exp_0. ring. }
assert (H := divergence_of_all (fun h => - x * happens h + 0 * 1) (- Rabs x) (Rabs x) T). cbv beta in H.
assert (E2 : run law' T [] (fun h => exp (- x * happens h + 0 * 1)) =
  (exp (- x) - 1) * run law' T [] happens + 1 * run law' T [] (fun _ => 1)).
{ etransitivity; [apply run_same; intros h' _; symmetry; apply Same|exact E']. }
destruct (One law) as [_ One1], (One law') as [_ One2]. unfold seen in *. rewrite One1 in E. rewrite One2 in E2.
fold divergence in H.
replace (1 - run law' T [] happens + run law' T [] happens * exp (- x)) with ((exp (- x) - 1) * run law' T [] happens + 1 * 1)
  by ring.
apply Rle_trans with (- x * run law T [] happens + 0 * 1); [lra|]. rewrite <- E, <- E2. apply H; [|exact N| |exact C].
- intros h _. unfold happens. destruct (event h); split_Rabs; lra.
- apply (run_measurable_same law' T [] _ _ (fun h' _ => Same h') N').
Qed.

(* The inequality of Bretagnolle and Huber. *)
Theorem told_apart : exp (- divergence) / 2 <= run law T [] happens + (1 - run law' T [] happens).
Proof.
set (p := run law T [] happens). set (p' := run law' T [] happens).
assert (P : 0 <= p <= 1) by (apply run_inside; [intros; apply happens_inside|exact M]).
assert (P' : 0 <= p' <= 1) by (apply run_inside; [intros; apply happens_inside|exact M']).
set (y := exp (- divergence) / 2). assert (Y := exp_pos (- divergence)).
destruct (Rle_lt_dec y (p + (1 - p'))) as [G|G]; [exact G|exfalso].
assert (y0 : 0 < y) by (unfold y; lra). assert (H := one_event (ln (/ y))). fold p p' in H.
assert (E : exp (- ln (/ y)) = y) by (rewrite ln_Rinv, Ropp_involutive by exact y0; now apply exp_ln). rewrite E in H.
assert (Q : 0 < 1 - p' + p' * y).
{ destruct (Rle_lt_dec p' (1 / 2)); [nra|]. assert (0 < p' * y) by (apply Rmult_lt_0_compat; lra). lra. }
assert (X : ln (/ y) <= / y / 2).
{ assert (I := Rinv_0_lt_compat y y0). assert (S := sqrt_lt_R0 _ I). assert (SS := sqrt_sqrt (/ y) (Rlt_le _ _ I)).
  rewrite <- SS at 1. rewrite ln_mult by exact S. assert (L := ln_below (sqrt (/ y)) 1 S Rlt_0_1). rewrite ln_1 in L.
  assert (Sq := Rle_0_sqr (sqrt (/ y) - 2)). unfold Rsqr in Sq. lra. }
apply exp_le in H. rewrite exp_plus, exp_ln in H by exact Q.
assert (D : exp divergence * (2 * y) = 1).
{ unfold y. replace (2 * (exp (- divergence) / 2)) with (exp (- divergence)) by field. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. }
assert (L := exp_ineq1_le (- ln (/ y) * p)).
apply (Rmult_le_compat_r (2 * y)) in H; [|lra]. rewrite Rmult_assoc, D, Rmult_1_r in H.
assert (2 * y * (1 - / y / 2 * p) <= 2 * y * exp (- ln (/ y) * p)).
{ apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := L). nra. }
assert (2 * y * (1 - / y / 2 * p) = 2 * y - p) by (field; lra). nra.
Qed.
End Runs.
