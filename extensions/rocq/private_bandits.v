(* Locally private algorithms of bandits: their regret on an instance and on another one, in which one arm is better. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
Import ListNotations.
Open Scope R_scope.

(* In each round the algorithm pulls one of K arms, the user with the reward x sends a message with the law
   channel h a x, and h are the arms and messages of all earlier rounds. *)
Record local_algorithm (W Z : sample_space) (K : nat) (eps : R) := {
  choice : seen Z -> nat -> R;
  choice_chooses : chooses Z K choice;
  channel : seen Z -> nat -> W -> probability_measure Z;
  channel_measurable : forall h a, kernel W Z (channel h a);
  channel_private : forall h a, private_channel W Z eps (channel h a)
}.
Arguments choice {W Z K eps}.
Arguments choice_chooses {W Z K eps}.
Arguments channel {W Z K eps}.
Arguments channel_measurable {W Z K eps}.
Arguments channel_private {W Z K eps}.

Section Algorithm.
Variables (W Z : sample_space) (K : nat) (eps : R) (alg : local_algorithm W Z K eps).

(* D a is the law of the rewards of arm a. *)
Definition messages (D : nat -> probability_measure W) (h : seen Z) (a : nat) : probability_measure Z :=
  message_law W Z (D a) (channel alg h a) (channel_measurable alg h a).

(* The expectation of a function of the arms and messages of T rounds. *)
Definition expected (D : nat -> probability_measure W) (T : nat) (f : seen Z -> R) : R :=
  run Z K (choice alg) (messages D) T [] f.
Definition measurable (D : nat -> probability_measure W) (T : nat) (f : seen Z -> R) : Prop :=
  run_measurable Z K (choice alg) (messages D) T [] f.
(* Functions of the arms alone are measurable. *)
Definition pulls_measurable (D : nat -> probability_measure W) : Prop :=
  forall T (f : list nat -> R), measurable D T (fun h => f (map fst h)).
End Algorithm.
Arguments messages {W Z K eps}.
Arguments expected {W Z K eps}.
Arguments measurable {W Z K eps}.
Arguments pulls_measurable {W Z K eps}.

(* The real numbers, of which all functions are measurable, as fits discrete rewards. P is the law that is x with
   probability p, and else 0; `pays` is such a law. *)
Definition real_numbers : sample_space.
Proof. exists R (fun _ => True); auto. Defined.
Definition two_valued (P : probability_measure real_numbers) (p x : R) :=
  forall f : R -> R, has_mean P f /\ mean P f = p * f x + (1 - p) * f 0.
Definition pays (p x : R) (inside : 0 <= p <= 1) : probability_measure real_numbers.
Proof.
exists (fun _ => True) (fun f => p * f x + (1 - p) * f 0); simpl; auto; try (intros; ring).
intros f g _ _ H. generalize (H x) (H 0). nra.
Defined.

Definition mean_reward (D : probability_measure real_numbers) : R := mean D (fun x : R => x).
(* The largest of x 0, ..., x n. *)
Fixpoint highest (x : nat -> R) (n : nat) : R := match n with O => x O | S k => Rmax (highest x k) (x (S k)) end.
(* How far the mean of arm a is below the largest one. *)
Definition gap_of (K : nat) (D : nat -> probability_measure real_numbers) (a : nat) : R :=
  highest (fun b => mean_reward (D b)) (K - 1) - mean_reward (D a).
(* The expected regret of T rounds. *)
Definition regret {Z : sample_space} {K : nat} {eps : R} (alg : local_algorithm real_numbers Z K eps)
  (D : nat -> probability_measure real_numbers) (T : nat) : R :=
  sum_to K (fun a => gap_of K D a * expected alg D T (pulls_of Z a)).

(* f is o(T^alpha) for every alpha > 0; lim inf f(T)/log T >= c. *)
Definition below_all_powers (f : nat -> R) := forall alpha e, 0 < alpha -> 0 < e ->
  exists T0, forall T, (T0 <= T)%nat -> f T <= e * Rpower (INR T) alpha.
Definition liminf_per_log (f : nat -> R) (c : R) := forall e, 0 < e ->
  exists T0, forall T, (T0 <= T)%nat -> c - e <= f T / ln (INR T).

Lemma highest_is x n b : (b <= n)%nat -> (forall a, (a <= n)%nat -> x a <= x b) -> highest x n = x b.
Proof.
induction n as [|n IH]; simpl; intros L H; [now replace b with O by lia|].
destruct (Nat.eq_dec b (S n)) as [->|N].
- rewrite Rmax_right; [reflexivity|]. assert (X : forall k, (k <= n)%nat -> highest x k <= x (S n)).
  { induction k as [|k I]; simpl; intros L'; [apply H; lia|]. apply Rmax_lub; [apply I; lia|apply H; lia]. }
  now apply X.
- rewrite IH; [|lia|intros a A; apply H; lia]. apply Rmax_left, H. lia.
Qed.

Lemma highest_above x n a : (a <= n)%nat -> x a <= highest x n.
Proof.
induction n as [|n IH]; simpl; intros L; [replace a with O by lia; lra|].
destruct (Nat.eq_dec a (S n)) as [->|N]; [apply Rmax_r|]. apply Rle_trans with (2 := Rmax_l _ _). apply IH. lia.
Qed.

Lemma pays_two_valued p x inside : two_valued (pays p x inside) p x.
Proof. intros f. split; [exact I|reflexivity]. Qed.

Section TwoValued.
Variables (P P' : probability_measure real_numbers) (p p' x : R).
Hypotheses (H : two_valued P p x) (H' : two_valued P' p' x).

Lemma two_valued_mean : mean_reward P = p * x.
Proof. unfold mean_reward. rewrite (proj2 (H (fun x => x))). ring. Qed.

Lemma two_valued_moment o : 0 < x -> mean P (abs_power o) = p * Rpower x o.
Proof.
intros X. rewrite (proj2 (H (abs_power o))), abs_power_of by exact X. unfold abs_power. destruct (Req_EM_T 0 0); [ring|lra].
Qed.

Lemma two_valued_variation q : Rabs (p - p') <= q -> total_variation_at_most P P' q.
Proof.
intros L A _. destruct (H (fun x => if A x then 1 else 0)) as [_ G], (H' (fun x => if A x then 1 else 0)) as [_ G']. cbv beta in G, G'.
apply Rle_trans with (p * (if A x then 1 else 0) + (1 - p) * (if A 0 then 1 else 0) -
  (p' * (if A x then 1 else 0) + (1 - p') * (if A 0 then 1 else 0))).
- right. now apply (f_equal2 Rminus).
- destruct (A x), (A 0); split_Rabs; lra.
Qed.
End TwoValued.

Section TwoInstances.
Variables (Z : sample_space) (K : nat) (eps : R) (alg : local_algorithm real_numbers Z K eps).
Variables D D' : nat -> probability_measure real_numbers.
Hypotheses (E : 0 <= eps) (V : pulls_measurable alg D) (V' : pulls_measurable alg D').

Lemma pulls_of_arms a (h : seen Z) : pulls_of Z a h = fold_right (fun b n => n + if Nat.eqb a b then 1 else 0) 0 (map fst h).
Proof. induction h as [|[b z] h IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma pulls_measured B a T : pulls_measurable alg B -> measurable alg B T (pulls_of Z a).
Proof.
intros M. apply (run_measurable_same Z K (choice alg) _ T [] _ _ (fun h _ => eq_sym (pulls_of_arms a h))). apply M.
Qed.

Lemma expected_pulls B a T : pulls_measurable alg B -> 0 <= expected alg B T (pulls_of Z a) <= INR T.
Proof.
intros M. apply (run_inside Z K (choice alg) (choice_chooses alg)); [|now apply pulls_measured].
intros h L. assert (H := pulls_inside Z a h). rewrite L in H. simpl in H. now rewrite Nat.add_0_r in H.
Qed.

Lemma all_pulls B T : pulls_measurable alg B -> sum_to K (fun a => expected alg B T (pulls_of Z a)) = INR T.
Proof.
intros M. apply (total_pulls Z K (choice alg) (choice_chooses alg)). intros a _. now apply pulls_measured.
Qed.

Variables (j : nat) (gap q : R) (T : nat).
Hypotheses (jK : (j < K)%nat) (gap_positive : 0 < gap).
Hypothesis same : forall a, (a < K)%nat -> a <> j -> total_variation_at_most (D a) (D' a) 0.
Hypothesis close : total_variation_at_most (D j) (D' j) q.
Hypothesis worse : gap <= gap_of K D j.
Hypothesis better : forall a, (a < K)%nat -> a <> j -> gap <= gap_of K D' a.

Lemma gap_positive_of B a : (a < K)%nat -> 0 <= gap_of K B a.
Proof.
intros L. unfold gap_of. assert (H := highest_above (fun b => mean_reward (B b)) (K - 1) a ltac:(lia)). simpl in H. lra.
Qed.

Lemma regret_here : gap * expected alg D T (pulls_of Z j) <= regret alg D T.
Proof.
assert (P := expected_pulls D j T V). apply Rle_trans with (gap_of K D j * expected alg D T (pulls_of Z j)).
- apply Rmult_le_compat_r; lra.
- apply (sum_to_term K (fun a => gap_of K D a * expected alg D T (pulls_of Z a)) j); [|exact jK]. intros a L.
  apply Rmult_le_pos; [now apply gap_positive_of|apply (expected_pulls D a T V)].
Qed.

Lemma regret_there : gap * (INR T - expected alg D' T (pulls_of Z j)) <= regret alg D' T.
Proof.
rewrite <- (all_pulls D' T V').
apply Rle_trans with (sum_to K (fun a => gap * expected alg D' T (pulls_of Z a)
  - (if Nat.eqb a j then gap * expected alg D' T (pulls_of Z j) else 0))).
- rewrite sum_to_minus, sum_to_scaled, sum_to_one by exact jK. lra.
- apply sum_to_le. intros a L. assert (P := expected_pulls D' a T V'). assert (G := gap_positive_of D' a L).
  destruct (Nat.eqb_spec a j) as [->|N]; [assert (0 <= gap_of K D' j * expected alg D' T (pulls_of Z j)) by (apply Rmult_le_pos; lra); lra|].
  rewrite Rminus_0_r. apply Rmult_le_compat_r; [lra|now apply better].
Qed.

(* The sum of the regrets on both instances. *)
Theorem regrets : INR T * gap / 4 * exp (- (((exp eps - 1) * q) * ((exp eps - 1) * q) * expected alg D T (pulls_of Z j))) <=
  regret alg D T + regret alg D' T.
Proof.
set (c := (exp eps - 1) * q). set (d := fun a => if Nat.eqb a j then c * c else 0).
assert (e1 : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
assert (Close : forall h a, (a < K)%nat -> divergence_at_most (messages alg D h a) (messages alg D' h a) (d a)).
{ intros h a L. unfold messages, d. destruct (Nat.eqb_spec a j) as [->|N].
  - apply (message_divergence real_numbers Z (D j) (D' j) _ _ eps q E (channel_private alg h j) close).
  - assert (H := message_divergence real_numbers Z (D a) (D' a) _ (channel_measurable alg h a) eps 0 E
      (channel_private alg h a) (same a L N)). rewrite !Rmult_0_r in H. exact H. }
assert (dp : forall a, (a < K)%nat -> 0 <= d a) by (intros a _; unfold d; destruct (Nat.eqb a j); nra).
set (event := fun h : seen Z => if Rle_dec (INR T / 2) (pulls_of Z j h) then true else false).
assert (HM : forall B, pulls_measurable alg B -> measurable alg B T (happens Z event)).
{ intros B M. apply (run_measurable_same Z K (choice alg) _ T []
    (fun h => (fun l => if Rle_dec (INR T / 2) (fold_right (fun b n => n + if Nat.eqb j b then 1 else 0) 0 l) then 1 else 0) (map fst h))).
  - intros h _. unfold happens, event. rewrite <- pulls_of_arms. now destruct (Rle_dec _ _).
  - exact (M T (fun l => if Rle_dec (INR T / 2) (fold_right (fun b n => n + if Nat.eqb j b then 1 else 0) 0 l) then 1 else 0)). }
assert (A := told_apart Z K (choice alg) (choice_chooses alg) (messages alg D) (messages alg D') d Close dp event T
  (HM D V) (HM D' V') (fun a _ => pulls_measured D a T V)). cbv zeta in A.
assert (Sum : sum_to K (fun a => d a * run Z K (choice alg) (messages alg D) T [] (pulls_of Z a)) =
  c * c * expected alg D T (pulls_of Z j)).
{ rewrite (sum_to_same K _ (fun a => if Nat.eqb a j then c * c * expected alg D T (pulls_of Z j) else 0)).
  - now apply sum_to_one.
  - intros a _. unfold d, expected. destruct (Nat.eqb_spec a j) as [->|_]; ring. }
rewrite Sum in A. clear Sum. set (p := run Z K (choice alg) (messages alg D) T [] (happens Z event)) in *.
set (p' := run Z K (choice alg) (messages alg D') T [] (happens Z event)) in *.
assert (T0 := pos_INR T).
assert (Bound : forall h : seen Z, length h = (T + length (@nil (nat * Z)))%nat -> 0 <= pulls_of Z j h <= INR T).
{ intros h L. assert (H := pulls_inside Z j h). rewrite L in H. simpl in H. now rewrite Nat.add_0_r in H. }
assert (I : forall h : seen Z, length h = (T + length (@nil (nat * Z)))%nat -> 0 <= happens Z event h <= 1)
  by (intros; apply happens_inside).
assert (Half : forall B, pulls_measurable alg B -> exists m,
  m = INR T / 2 * run Z K (choice alg) (messages alg B) T [] (happens Z event) /\
  m <= expected alg B T (pulls_of Z j) <= INR T / 2 + m).
{ intros B M. eexists. split; [reflexivity|].
  destruct (constant_run Z K (choice alg) (choice_chooses alg) (messages alg B) T [] 1) as [M1 R1].
  destruct (run_linear Z K (choice alg) (choice_chooses alg) (messages alg B) T [] (happens Z event) (fun _ => 1) 0 1 1 1
    (INR T / 2) 0 I (fun h _ => conj (Rle_refl 1) (Rle_refl 1)) (HM B M) M1) as [L1 L2].
  destruct (run_linear Z K (choice alg) (choice_chooses alg) (messages alg B) T [] (happens Z event) (fun _ => 1) 0 1 1 1
    (INR T / 2) (INR T / 2) I (fun h _ => conj (Rle_refl 1) (Rle_refl 1)) (HM B M) M1) as [L3 L4].
  rewrite R1 in L2, L4. split.
  - apply Rle_trans with (INR T / 2 * run Z K (choice alg) (messages alg B) T [] (happens Z event) + 0 * 1); [lra|].
    rewrite <- L2. apply (run_le Z K (choice alg) (choice_chooses alg) _ T [] _ _ 0 (INR T / 2) 0 (INR T)); auto.
    + intros h L. specialize (I h L). nra.
    + intros h L. specialize (Bound h L). unfold happens, event. destruct (Rle_dec (INR T / 2) (pulls_of Z j h)); lra.
    + now apply pulls_measured.
  - apply Rle_trans with (INR T / 2 * run Z K (choice alg) (messages alg B) T [] (happens Z event) + INR T / 2 * 1); [|lra].
    rewrite <- L4. apply (run_le Z K (choice alg) (choice_chooses alg) _ T [] _ _ 0 (INR T) 0 (INR T)); auto.
    + intros h L. specialize (I h L). nra.
    + intros h L. specialize (Bound h L). unfold happens, event. destruct (Rle_dec (INR T / 2) (pulls_of Z j h)); lra.
    + now apply pulls_measured. }
destruct (Half D V) as (m & -> & Low & _). destruct (Half D' V') as (m' & -> & _ & High).
fold p in Low. fold p' in High. assert (R1 := regret_here). assert (R2 := regret_there).
assert (X : gap * (INR T / 2 * p) <= regret alg D T).
{ apply Rle_trans with (2 := R1). apply Rmult_le_compat_l; lra. }
assert (X' : gap * (INR T / 2 * (1 - p')) <= regret alg D' T).
{ apply Rle_trans with (2 := R2). apply Rmult_le_compat_l; lra. }
apply Rle_trans with (gap * (INR T / 2) * (p + (1 - p'))); [|lra].
replace (INR T * gap / 4 * exp (- (c * c * expected alg D T (pulls_of Z j)))) with
  (gap * (INR T / 2) * (exp (- (c * c * expected alg D T (pulls_of Z j))) / 2)) by field.
apply Rmult_le_compat_l; [|exact A]. apply Rmult_le_pos; lra.
Qed.
End TwoInstances.

(* Where each regret is below all powers of T. *)
Lemma regret_per_log (x f f' : nat -> R) g B : 0 < g -> 0 < B ->
  (forall T, INR T * g / 4 * exp (- (B * x T)) <= f T + f' T) -> below_all_powers f -> below_all_powers f' ->
  liminf_per_log x (/ B).
Proof.
intros G P H S S' e E. set (al := Rmin (1 / 2) (e * B / 2)).
assert (eB : 0 < e * B) by now apply Rmult_lt_0_compat.
assert (A : 0 < al) by (apply Rmin_glb_lt; lra).
destruct (S al (1 / 2) A ltac:(lra)) as (T1 & H1). destruct (S' al (1 / 2) A ltac:(lra)) as (T2 & H2).
set (y := exp (- ln (g / 4) / al)). destruct (archimed y) as [H3 _]. set (T3 := Z.to_nat (up y)).
exists (Nat.max (Nat.max T1 T2) (Nat.max T3 2)). intros T L.
specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). specialize (H T).
assert (T2' : 2 <= INR T) by (replace 2 with (INR 2) by (simpl; ring); apply le_INR; lia).
assert (L0 : 0 < ln (INR T)) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (Lg : - ln (g / 4) / al <= ln (INR T)).
{ rewrite <- (ln_exp (- ln (g / 4) / al)). apply ln_le; [apply exp_pos|]. apply Rle_trans with (INR T3).
  - left. unfold T3. rewrite INR_IZR_INZ, Z2Nat.id; [exact H3|]. apply le_IZR. assert (X := exp_pos (- ln (g / 4) / al)).
    fold y in X. lra.
  - apply le_INR. lia. }
assert (X : INR T * g / 4 * exp (- (B * x T)) <= Rpower (INR T) al) by lra.
apply ln_le in X; [|apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [nra|lra]|apply exp_pos]].
replace (INR T * g / 4) with (INR T * (g / 4)) in X by field.
rewrite ln_mult, ln_mult, ln_exp in X by (try apply exp_pos; try apply Rmult_lt_0_compat; lra).
unfold Rpower in X. rewrite ln_exp in X.
apply (Rmult_le_compat_l al) in Lg; [|lra]. replace (al * (- ln (g / 4) / al)) with (- ln (g / 4)) in Lg by (field; lra).
assert (Y : (1 - 2 * al) * ln (INR T) <= B * x T) by lra.
apply Rmult_le_reg_r with (ln (INR T)); [exact L0|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
apply Rmult_le_reg_l with B; [exact P|]. apply Rle_trans with (2 := Y).
rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. rewrite Rmult_minus_distr_l, Rinv_r by lra.
assert (al <= e * B / 2) by apply Rmin_r. lra.
Qed.

Lemma liminf_smaller f c c' : c' <= c -> liminf_per_log f c -> liminf_per_log f c'.
Proof. intros L H e E. destruct (H e E) as (T0 & H0). exists T0. intros T N. specialize (H0 T N). lra. Qed.

Lemma liminf_sum n (f : nat -> nat -> R) (c : nat -> R) : (forall a, (a < n)%nat -> liminf_per_log (f a) (c a)) ->
  liminf_per_log (fun T => sum_to n (fun a => f a T)) (sum_to n c).
Proof.
induction n as [|n IH]; intros H e E.
- exists 0%nat. intros T _. simpl. unfold Rdiv. rewrite Rmult_0_l. lra.
- destruct (IH ltac:(auto) (e / 2) ltac:(lra)) as (T1 & H1). destruct (H n (Nat.lt_succ_diag_r n) (e / 2) ltac:(lra)) as (T2 & H2).
  exists (Nat.max T1 T2). intros T L. specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). simpl.
  unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra.
Qed.

(* A sum of logarithms and a constant. *)
Lemma logarithm_below_powers (f : nat -> R) A B T1 : 0 <= A -> 0 <= B ->
  (forall T, (T1 <= T)%nat -> f T <= A * ln (INR T) + B) -> below_all_powers f.
Proof.
intros A0 B0 H al e Al E. set (al' := al / 2).
(* ln T <= T^al'/al', and T^al' is large *)
destruct (archimed (exp (ln ((A / al' + B) / e + 1) / al'))) as [N _]. set (x := ln ((A / al' + B) / e + 1)) in *.
assert (M : 0 <= (A / al' + B) / e).
{ apply Rle_mult_inv_pos; [|exact E]. apply Rplus_le_le_0_compat; [|exact B0]. apply Rle_mult_inv_pos; unfold al'; lra. }
exists (Nat.max (Nat.max T1 1) (Z.to_nat (up (exp (x / al'))))). intros T L. specialize (H T ltac:(lia)).
assert (T0 : 1 <= INR T) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
assert (X0 := exp_pos (x / al')).
assert (Big : exp (x / al') <= INR T).
{ apply Rle_trans with (INR (Z.to_nat (up (exp (x / al'))))); [|apply le_INR; lia].
  rewrite INR_IZR_INZ, Z2Nat.id; [lra|]. apply le_IZR. lra. }
assert (Lx : x <= al' * ln (INR T)).
{ apply ln_le in Big; [|exact X0]. rewrite ln_exp in Big. apply (Rmult_le_compat_l al') in Big; [|unfold al'; lra].
  replace (al' * (x / al')) with x in Big by (field; unfold al'; lra). exact Big. }
set (y := exp (al' * ln (INR T))).
assert (Y : (A / al' + B) / e + 1 <= y).
{ rewrite <- (exp_ln ((A / al' + B) / e + 1)) by lra. now apply exp_le. }
assert (P : Rpower (INR T) al = y * y).
{ unfold Rpower, y. rewrite <- exp_plus. f_equal. unfold al'. field. }
rewrite P. assert (Ly : al' * ln (INR T) <= y) by (assert (X := exp_ineq1_le (al' * ln (INR T))); fold y in X; lra).
assert (F : A * ln (INR T) <= A / al' * y).
{ replace (A * ln (INR T)) with (A / al' * (al' * ln (INR T))) by (field; unfold al'; lra).
  apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; unfold al'; lra|exact Ly]. }
assert (y1 : 1 <= y) by lra.
assert (G : (A / al' + B) <= e * y).
{ replace (A / al' + B) with (e * ((A / al' + B) / e)) by (field; split; unfold al'; lra). apply Rmult_le_compat_l; lra. }
assert (A / al' * y + B <= (A / al' + B) * y) by nra. nra.
Qed.

(** * An algorithm that learns nothing *)

Definition coin_half : probability_measure one_toss.
Proof. apply (coin (1 / 2)). lra. Defined.

Definition silent (W : sample_space) (eps : R) (E : 0 <= eps) : local_algorithm W one_toss 2 eps.
Proof.
exists (fun _ a => if Nat.ltb a 2 then 1 / 2 else 0) (fun _ _ _ => coin_half).
- intros h. split; [intros a; destruct (Nat.ltb a 2); lra|simpl; lra].
- intros h a f low high _ _. apply variable_const.
- intros h a x y event _. assert (1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
  set (m := mean coin_half _). assert (0 <= m); [|nra]. apply mean_positive; [exact I|]. intros w. destruct (event w); lra.
Defined.

(* Where messages are bits, everything is measurable. *)
Lemma bits_measurable W K eps (alg : local_algorithm W one_toss K eps) D T f : measurable alg D T f.
Proof. apply all_measurable. intros g. exact I. Qed.
