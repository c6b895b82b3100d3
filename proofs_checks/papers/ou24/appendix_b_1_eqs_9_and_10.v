(* Eqs. (9) and (10): how often an arm is pulled, and what that costs. *)
From Coq Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments normal expectation concentration coin_tosses regret_rounds satisfiable.
From Dpbandits.ou24 Require Import appendix_b_lemma_5 appendix_b_1_eqs_5_to_7 appendix_b_1_lemma_8 appendix_b_lemma_6.
Import ListNotations.
Open Scope R_scope.

Section Run.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A).

(* The pulls of arm i in the T rounds after the pre-pulls, in expectation given the rewards. *)
Definition later_pulls (i : A) (T : nat) : W -> R :=
  given_rewards same arms rounds (fun w h => pull_of same (rounds w h) i) T [].

Hypothesis run : thompson_run same arms P X mu b c levels rounds.

Let Th := rounds_thompson _ _ _ _ _ _ _ _ _ _ _ run.
Let Pos w h a : 0 <= pull_of same (rounds w h) a := pull_inside _ _ _ _ _ _ _ _ (Th w h) a.
Let Whole := pulls_whole A same arms W P X mu b c levels rounds run.

Lemma means_inside a : 0 <= mu a <= 1.
Proof.
rewrite <- (rewards_mean _ _ _ _ _ _ _ _ _ _ _ run a 0%nat).
assert (V := rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run a 0%nat).
assert (B := rewards_inside _ _ _ _ _ _ _ _ _ _ _ run a 0%nat). assert (F := bounded_has_mean W P _ 0 1 V B).
split; [apply mean_positive; [exact F|intros w; apply B]|].
rewrite <- (mean_const W P 1). apply mean_le; [exact F|apply has_mean_const|intros w; apply B].
Qed.

Lemma pull_below_1 w h i : In i arms -> pull_of same (rounds w h) i <= 1.
Proof. apply (pull_at_most_1 A arms (fun h a => pull_of same (rounds w h) a) (Pos w) (Whole w)). Qed.

Lemma later_has_mean i T : In i arms -> has_mean P (later_pulls i T).
Proof.
intros I. apply (given_has_mean A same arms W P X mu b c levels rounds run).
- intros h. apply (pulls_measurable _ _ _ _ _ _ _ _ _ _ _ run).
- intros h. exists 1. intros w. split; [apply Pos|now apply pull_below_1].
Qed.

Variables (one i : A) (T : nat).
Hypotheses (one_in : In one arms) (i_in : In i arms) (differ : i <> one) (C : 1 <= c).

Let gap := mu one - mu i.
Let y := INR T * gap ^ 2.
Hypotheses (G : 0 < gap) (level : levels (mu one - gap / 3)) (Y : 4 <= y).

(* The mean of n rewards of arm i is above x_i. *)
Let high n w : R := if Rle_dec (sum_to n (fun k => X i k w) / (INR n + 1)) (mu i + gap / 3) then 0 else 1.
Let excess n w : R := / above_midpoint (X one) n (mu one) gap c w - 1.
Let M := 18 * c * ln y / gap ^ 2.

Lemma excess_inside n w : 0 <= excess n w.
Proof.
unfold excess. assert (0 < above_midpoint (X one) n (mu one) gap c w < 1) by apply Phi_inside.
assert (1 <= / above_midpoint (X one) n (mu one) gap c w); [|lra]. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra.
Qed.

Lemma pulls_given_rewards w : later_pulls i T w <= sum_to T (fun j => high (b + j) w) + Rmax 0 (M - INR b) + INR T * / y +
  sum_to T (fun j => excess (b + j) w).
Proof.
assert (y1 : 1 <= y) by lra. assert (y0 : 0 < / y) by (apply Rinv_0_lt_compat; lra).
assert (H0 : forall n, 0 <= high n w) by (intros n; unfold high; destruct (Rle_dec _ _); lra).
assert (Gain : forall h, pull_of same (rounds w h) i <= high (read same b i h) w * pull_of same (rounds w h) i +
  (if Rle_dec (INR (read same b i h) + 1) M then pull_of same (rounds w h) i else 0) + / y +
  excess (read same b one h) w * pull_of same (rounds w h) one).
{ intros h. assert (E0 := excess_inside (read same b one h) w). assert (p1 := Pos w h one). assert (p2 := Pos w h i).
  assert (Q : 0 <= excess (read same b one h) w * pull_of same (rounds w h) one) by now apply Rmult_le_pos.
  destruct (Rle_dec (INR (read same b i h) + 1) M) as [L|L]; [specialize (H0 (read same b i h)); nra|].
  unfold high. destruct (Rle_dec (sum_to (read same b i h) (fun k => X i k w) / (INR (read same b i h) + 1)) (mu i + gap / 3))
    as [Low|_]; [|lra].
  rewrite (pull_split _ _ _ _ _ _ _ _ (Th w h) i i (mu one - gap / 3)) at 1.
  assert (S0 := pull_above_le _ _ _ _ _ _ _ _ (Th w h) i _ level i_in). unfold above in S0.
  assert (S1 := sample_seldom_above (read same b i h) c gap y (mu_hat same X b i h w - (mu one - gap / 3)) ltac:(lra) G y1
    ltac:(apply Rnot_le_lt, L) ltac:(unfold mu_hat, gap in *; lra)).
  assert (S2 := pull_compared _ _ _ _ _ _ _ _ (Th w h) one i _ level i_in one_in differ (arms_differ _ _ _ _ _ _ _ _ _ _ _ run)).
  cbv zeta in S2.
  change (above A (fun a => read same b a h) (fun a => mu_hat same X b a h w) c one (mu one - gap / 3)) with
    (above_midpoint (X one) (read same b one h) (mu one) gap c w) in S2.
  assert (S3 := pull_below_le _ _ _ _ _ _ _ _ (Th w h) one i (mu one - gap / 3)).
  unfold excess in *. set (p := above_midpoint (X one) (read same b one h) (mu one) gap c w) in *.
  assert (p01 : 0 < p < 1) by apply Phi_inside. replace ((1 - p) / p) with (/ p - 1) in S2 by (field; lra).
  assert ((/ p - 1) * pull_below same (rounds w h) one i (mu one - gap / 3) <= (/ p - 1) * pull_of same (rounds w h) one)
    by (apply Rmult_le_compat_l; assumption). lra. }
assert (B := expected_at_most A same arms (fun h a => pull_of same (rounds w h) a) (Pos w) (Whole w)
  (arms_differ _ _ _ _ _ _ _ _ _ _ _ run) i one b (fun h => pull_of same (rounds w h) i) (fun n => high n w) (fun n => excess n w)
  M (/ y) i_in one_in H0 (fun n => excess_inside n w) Gain T []).
assert (R0 : forall a, read same b a [] = b) by (intros a; unfold read; simpl; apply Nat.add_0_r). rewrite !R0 in B. exact B.
Qed.

Lemma gap_at_most_1 : gap <= 1.
Proof. unfold gap. generalize (means_inside one) (means_inside i). lra. Qed.

Lemma high_mean n : has_mean P (high n) /\ mean P (high n) <= exp (- 2 * INR n * gap ^ 2 / 9).
Proof.
assert (V : random_variable (fun w => sum_to n (fun k => X i k w) / (INR n + 1))).
{ apply (variable_same W (fun w => / (INR n + 1) * sum_to n (fun k => X i k w))); [intros w; apply Rmult_comm|].
  apply variable_scaled, variable_sum. intros k _. apply (rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run). }
set (f := fun w => if Rle_dec (sum_to n (fun k => X i k w) / (INR n + 1)) (mu i + gap / 3) then 1 else 0).
assert (F : has_mean P f).
{ apply (has_mean_same W P (fun w => - 1 * (if Rlt_dec (mu i + gap / 3) (sum_to n (fun k => X i k w) / (INR n + 1)) then 1 else 0) + 1)).
  - intros w. unfold f. destruct (Rlt_dec _ _), (Rle_dec _ _); lra.
  - apply has_mean_affine. now apply has_mean_above. }
assert (E : forall w, - 1 * f w + 1 = high n w) by (intros w; unfold f, high; destruct (Rle_dec _ _); ring).
split; [apply (has_mean_same W P _ _ E); now apply has_mean_affine|].
rewrite <- (mean_same W P _ _ E), mean_affine by exact F.
assert (B := mean_not_too_high_bounds W P (X i) (mu i) gap n (rewards_independent _ _ _ _ _ _ _ _ _ _ _ run i n)
  (rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run i) (rewards_inside _ _ _ _ _ _ _ _ _ _ _ run i)
  (rewards_mean _ _ _ _ _ _ _ _ _ _ _ run i) G).
change (mean_not_too_high P (X i) (mu i) gap n) with (mean P f) in B.
replace ((0 - INR n) / (9 / (2 * gap ^ 2))) with (- 2 * INR n * gap ^ 2 / 9) in B by (field; nra). lra.
Qed.

Lemma excess_has_mean n : has_mean P (excess n).
Proof.
assert (m1 := means_inside one).
destruct (rewards_first W P (X one) n (mu one) gap c m1 G C (rewards_independent _ _ _ _ _ _ _ _ _ _ _ run one n)
  (rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run one) (rewards_inside _ _ _ _ _ _ _ _ _ _ _ run one)
  (rewards_mean _ _ _ _ _ _ _ _ _ _ _ run one)) as [F _].
apply (has_mean_same W P (fun w => 1 * / above_midpoint (X one) n (mu one) gap c w + - 1)); [intros w; unfold excess; ring|].
now apply has_mean_affine.
Qed.

Lemma pulls_at_most (L : Z) : IZR L - 1 < 72 * c / gap ^ 2 * ln y - (INR b + 1) <= IZR L ->
  mean P (later_pulls i T) <= 9 / gap ^ 2 * exp (- 2 * INR b * gap ^ 2 / 9) + Rmax 0 (M - INR b) + 1 / gap ^ 2 +
    71 * (if Z.ltb 0 L then IZR L else 0) + 4 / gap ^ 2.
Proof.
intros Lx. assert (m1 := means_inside one). assert (m2 := means_inside i). assert (g1 := gap_at_most_1).
assert (y0 : 0 < y) by lra. assert (T0 : 0 < INR T).
{ assert (0 <= INR T) by apply pos_INR. assert (INR T <> 0); [|lra]. intros Z. unfold y in y0. rewrite Z in y0. lra. }
destruct (mean_sum W P (fun j => high (b + j)) T) as [Fh Eh]; [intros j _; apply high_mean|].
destruct (mean_sum W P (fun j => excess (b + j)) T) as [Fe Ee]; [intros j _; apply excess_has_mean|].
set (k := Rmax 0 (M - INR b) + INR T * / y).
assert (Fs : has_mean P (fun w => sum_to T (fun j => high (b + j) w) + (1 * sum_to T (fun j => excess (b + j) w) + k)))
  by (apply has_mean_plus; [exact Fh|now apply has_mean_affine]).
apply Rle_trans with (mean P (fun w => sum_to T (fun j => high (b + j) w) + (1 * sum_to T (fun j => excess (b + j) w) + k))).
- apply mean_le; [now apply later_has_mean|exact Fs|]. intros w. generalize (pulls_given_rewards w). unfold k. lra.
- rewrite mean_plus by (exact Fh || now apply has_mean_affine). rewrite mean_affine, Eh, Ee by exact Fe.
  assert (S1 : sum_to T (fun j => mean P (high (b + j))) <= 9 / gap ^ 2 * exp (- 2 * INR b * gap ^ 2 / 9)).
  { apply Rle_trans with (2 := decaying_sum T b gap (conj G g1)). apply sum_to_le. intros j _. apply high_mean. }
  assert (S2 := eq_8_second_step W P (X one) b T L (mu one) gap c (rewards_independent _ _ _ _ _ _ _ _ _ _ _ run one)
    (rewards_measurable _ _ _ _ _ _ _ _ _ _ _ run one) (rewards_inside _ _ _ _ _ _ _ _ _ _ _ run one)
    (rewards_mean _ _ _ _ _ _ _ _ _ _ _ run one) ltac:(unfold gap in *; lra) C Y Lx). cbv zeta in S2. fold y in S2.
  assert (S3 : sum_to T (fun k => if Z.leb L (Z.of_nat k) then 4 / y else 0) <= 4 / gap ^ 2).
  { apply Rle_trans with (sum_to T (fun _ => 4 / y)).
    - apply sum_to_le. intros j _. assert (0 < 4 / y) by (apply Rdiv_lt_0_compat; lra). destruct (Z.leb _ _); lra.
    - rewrite sum_to_const. right. unfold y. field. lra. }
  assert (E1 : INR T * / y = 1 / gap ^ 2) by (unfold y; field; lra). unfold k. rewrite E1.
  change (sum_to T (fun j => mean P (fun w => / above_midpoint (X one) (b + j) (mu one) gap c w - 1))) with
    (sum_to T (fun j => mean P (excess (b + j)))) in S2. lra.
Qed.

(* The third and fourth step of eq. (9). *)
Lemma pulls_in_short : mean P (later_pulls i T) <= 14 / gap ^ 2 + 5130 * c / gap ^ 2 * ln y.
Proof.
set (x := 72 * c / gap ^ 2 * ln y - (INR b + 1)). assert (g2 : 0 < gap ^ 2) by nra.
assert (l0 : 0 < ln y) by (rewrite <- ln_1; apply ln_increasing; lra). assert (b0 := pos_INR b).
apply Rle_trans with (1 := pulls_at_most (1 - up (- x)) (ceiling x)).
assert (q0 : 0 < / gap ^ 2) by now apply Rinv_0_lt_compat. assert (cl : 0 < c * ln y) by nra.
assert (S1 : exp (- 2 * INR b * gap ^ 2 / 9) <= 1).
{ rewrite <- exp_0. apply exp_le. assert (0 <= INR b * gap ^ 2) by (apply Rmult_le_pos; lra). lra. }
assert (S2 : Rmax 0 (M - INR b) <= 18 * c * ln y / gap ^ 2).
{ apply Rmax_lub; unfold M; [|lra]. apply Rle_mult_inv_pos; nra. }
assert (S3 : (if Z.ltb 0 (1 - up (- x)) then IZR (1 - up (- x)) else 0) <= 72 * c / gap ^ 2 * ln y).
{ assert (H := ceiling x). cbv zeta in H. assert (0 <= 72 * c / gap ^ 2 * ln y) by (unfold Rdiv; nra).
  destruct (Z.ltb 0 (1 - up (- x))); unfold x in *; lra. }
unfold Rdiv in *. nra.
Qed.
End Run.

(* one is arm 1, gap is Delta_i, y is (T - bN) gap^2, where T rounds follow the pre-pulls. L = ceil(x) is L - 1 < x <= L. *)
Theorem eq_9_first (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A)
  (one i : A) (T : nat) (L : Z) :
  thompson_run same arms P X mu b c levels rounds -> In one arms -> In i arms -> 1 <= c ->
  let gap := mu one - mu i in let y := INR T * gap ^ 2 in 0 < gap -> levels (mu one - gap / 3) -> 4 <= y ->
  let x := 72 * c / gap ^ 2 * ln y - (INR b + 1) in IZR L - 1 < x <= IZR L ->
  has_mean P (later_pulls A same arms W rounds i T) /\
  INR b + mean P (later_pulls A same arms W rounds i T) <= INR b + 9 / gap ^ 2 * exp (- 2 * INR b * gap ^ 2 / 9) +
    Rmax 0 (18 * c * ln y / gap ^ 2 - INR b) + 1 / gap ^ 2 + 71 * (if Z.ltb 0 L then IZR L else 0) + 4 / gap ^ 2.
Proof.
intros run Io Ii C gap y G Lv Y x Lx. split; [exact (later_has_mean A same arms W P X mu b c levels rounds run i T Ii)|].
assert (D : i <> one) by (intros E; unfold gap in G; rewrite E in G; lra).
generalize (pulls_at_most A same arms W P X mu b c levels rounds run one i T Io Ii D C G Lv Y L Lx). fold gap y. lra.
Qed.

(* Of two arms, arm i is the only one that costs regret: b pre-pulls and the later pulls, gap each. *)
Theorem eq_10 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R) (levels : R -> Prop) (rounds : W -> releases A -> round A)
  (one i : A) (T : nat) :
  thompson_run same arms P X mu b c levels rounds -> In one arms -> In i arms -> 1 <= c ->
  let gap := mu one - mu i in let y := INR T * gap ^ 2 in 0 < gap -> levels (mu one - gap / 3) -> 4 <= y ->
  has_mean P (later_pulls A same arms W rounds i T) /\
  gap * mean P (later_pulls A same arms W rounds i T) <= 14 / gap + 5130 * c / gap * ln y /\
  gap * (INR b + mean P (later_pulls A same arms W rounds i T)) <= INR b * 2 + (14 + 5130 * c * ln y) / gap.
Proof.
intros run Io Ii C gap y G Lv Y. assert (D : i <> one) by (intros E; unfold gap in G; rewrite E in G; lra).
split; [exact (later_has_mean A same arms W P X mu b c levels rounds run i T Ii)|].
assert (H := pulls_in_short A same arms W P X mu b c levels rounds run one i T Io Ii D C G Lv Y). fold gap y in H.
apply (Rmult_le_compat_l gap) in H; [|lra].
replace (gap * (14 / gap ^ 2 + 5130 * c / gap ^ 2 * ln y)) with ((14 + 5130 * c * ln y) / gap) in H by (field; lra).
assert (g1 := gap_at_most_1 A same arms W P X mu b c levels rounds run one i). fold gap in g1. assert (b0 := pos_INR b).
split; [replace (14 / gap + 5130 * c / gap * ln y) with ((14 + 5130 * c * ln y) / gap) by (field; lra); exact H|]. nra.
Qed.

(** * The hypotheses can hold together *)

Lemma eq_9_first_witness : satisfiable eq_9_first.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 0%nat, 1,
  (fun z => z = example_level), (example_rounds 0 1), true, false, 17%nat.
exists (1 - up (- (72 * 1 / (3 / 4 - 1 / 4) ^ 2 * ln (INR 17 * (3 / 4 - 1 / 4) ^ 2) - (INR 0 + 1))))%Z.
split; [apply example_run|]. split; [now left|]. split; [right; now left|]. split; [lra|]. split; [cbn [example_mean]; lra|]. split; [reflexivity|].
split; [simpl; lra|]. apply ceiling.
Qed.

Lemma eq_10_witness : satisfiable eq_10.
Proof.
exists bool, bool_dec, [true; false], tosses, fair_tosses, example_reward, example_mean, 0%nat, 1,
  (fun z => z = example_level), (example_rounds 0 1), true, false, 17%nat.
split; [apply example_run|]. split; [now left|]. split; [right; now left|]. split; [lra|]. split; [cbn [example_mean]; lra|]. split; [reflexivity|].
simpl; lra.
Qed.
