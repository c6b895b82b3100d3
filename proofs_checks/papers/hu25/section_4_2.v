(* Theorem 4.2: the expected regret of DP-TS-UCB, with all constants of Appendix D and the repaired L_i. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import moments normal normal_tails largest half_planes expectation concentration coin_tosses.
From Dpbandits Require Import inverse_tails arm_sums satisfiable.
From Dpbandits.hu25 Require Import appendix_d_theorem_4_2 appendix_d_lemmas appendix_c appendix_b.
Import ListNotations.
Open Scope R_scope.

Ltac indicators := repeat match goal with |- context [if ?b then _ else _] => destruct b end; lra.

(** * Algorithm 1 *)

(* The rounds since the mean of arm a was computed, before round t. Rounds are counted from 0, after one pull of each arm. *)
Fixpoint age {A : Type} (same : forall a b : A, {a = b} + {a <> b}) (a : A) (pulled : nat -> A) (t : nat) : nat :=
  match t with
  | O => 0
  | S r => if Nat.eqb (epoch (pulls_until same a pulled (S r))) (epoch (pulls_until same a pulled r))
           then S (age same a pulled r) else 0
  end.

(* The largest of x 0, ..., x (n-1), and 0. *)
Fixpoint largest_of (x : nat -> R) (n : nat) : R := match n with O => 0 | S k => Rmax (largest_of x k) (x k) end.

Lemma excess_continuous d x m : 0 < d -> continuous (fun m => / sample_above m d x - 1) m.
Proof.
intros D. apply (continuous_minus (V := R_NormedModule) (fun m => / sample_above m d x) (fun _ => 1)); [|apply continuous_const].
apply (continuous_ext (fun m => / Phi (- ((x - m) / d)))); [intros u; unfold sample_above; do 2 f_equal; field; lra|].
apply (continuous_comp (fun m => (x - m) / d) (fun u => / Phi (- u))); [|apply inverse_continuous].
apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; lra.
Qed.

Section Run.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (draws : A -> nat -> nat -> W -> R) (pulled : nat -> W -> A) (one : A)
  (levels widths : R -> Prop) (T B : nat) (alpha : R).

(* X a 0, X a 1, ... are arm a's rewards in the order of its pulls. Before round t, its mean is that of this epoch. *)
Definition epoch_at (a : A) (t : nat) (w : W) : nat := epoch (pulls_until same a (fun r => pulled r w) t).
Definition mean_at (a : A) (t : nat) (w : W) : R := epoch_mean (X a) (epoch_at a t w) w.
Definition age_at (a : A) (t : nat) (w : W) : nat := age same a (fun r => pulled r w) t.

(* draws a s h: the sample that the h-th round of epoch s draws for arm a, h = 0, ..., B-1. Later rounds use the largest. *)
Definition score (a : A) (t : nat) (w : W) : R :=
  if Nat.ltb (age_at a t w) B then draws a (epoch_at a t w) (age_at a t w) w
  else largest_of (fun h => draws a (epoch_at a t w) h w) B.

(* T_1(t), and the scores of all other arms are at most z. *)
Definition others : list A := filter (fun a => if same a one then false else true) arms.
Definition fresh_and_others_low (t : nat) (z : R) (w : W) : bool :=
  Nat.ltb (age_at one t w) B && all_at_most (fun a => score a t) others z w.

(* The T - K rounds after one pull of each arm. Of the normal samples only this is asked: fresh_law, how likely the sample
   of arm one is above z, given its epoch's mean and that it is fresh and all other scores are at most z, for the z of
   levels; epoch_law, how likely all B samples of an epoch of arm one are at most its true mean, given the rewards;
   tails, how likely a sample exceeds its mean by u deviations, for the u of widths. *)
Record ts_ucb_run : Prop := {
  arms_differ : NoDup arms;
  one_is_arm : In one arms;
  rewards_measurable : forall a k, random_variable (X a k);
  rewards_inside : forall a k w, 0 <= X a k w <= 1;
  rewards_mean : forall a k, mean P (X a k) = mu a;
  rewards_independent : forall a s, independent P (fun j => X a (observations s - 1 + j)%nat) (observations s);
  draws_measurable : forall a s h, random_variable (draws a s h);
  pulls_measurable : forall t a, random_variable (fun w => if same (pulled t w) a then 1 else 0);
  pulled_is_arm : forall t w, (t < T - length arms)%nat -> In (pulled t w) arms;
  pulled_is_largest : forall t w a, (t < T - length arms)%nat -> In a arms -> score a t w <= score (pulled t w) t w;
  fresh_law : forall t z (f : nat -> R -> R), (t < T - length arms)%nat -> levels z ->
    (forall s x, continuous (f s) x) -> (forall s x, 0 <= f s x) -> has_mean P (fun w => f (epoch_at one t w) (mean_at one t w)) ->
    mean P (fun w => if fresh_and_others_low t z w
      then if Rlt_dec z (score one t w) then f (epoch_at one t w) (mean_at one t w) else 0 else 0) =
    mean P (fun w => if fresh_and_others_low t z w
      then f (epoch_at one t w) (mean_at one t w) *
        sample_above (mean_at one t w) (deviation alpha (INR T) (observations (epoch_at one t w))) z else 0);
  epoch_law : forall s, (s < Nat.log2 T)%nat ->
    mean P (fun w => if forallb (fun h => if Rle_dec (draws one s h w) (mu one) then true else false) (seq 0 B) then 1 else 0) =
    mean P (fun w => Phi ((mu one - epoch_mean (X one) s w) / deviation alpha (INR T) (observations s)) ^ B);
  tails : forall a s h u, In a arms -> mu a < mu one -> widths u ->
    strict_upper_tail P (fun w => draws a s h w - epoch_mean (X a) s w) (u * deviation alpha (INR T) (observations s)) = Phi (- u)
}.

(* Given the run: one pull of each arm, and the later ones, each of which costs the arm's gap. *)
Definition pulls_of (a : A) (w : W) : R := 1 + sum_to (T - length arms) (fun t => if same (pulled t w) a then 1 else 0).
Definition regret (w : W) : R := sum (fun a => (mu one - mu a) * pulls_of a w) arms.

Hypothesis run : ts_ucb_run.
Hypotheses (A0 : 0 <= alpha <= 1) (budget : INR B <= phi (INR T) alpha < INR B + 1).

Notation rounds := (T - length arms)%nat.
Notation count a t w := (pulls_until same a (fun r => pulled r w) t).

(** * Measurability *)
(* What depends on an arm's number of pulls and age is measurable, if it is for each of these numbers. *)
Lemma state_variable a t (g : nat -> nat -> W -> R) : (forall m k, random_variable (g m k)) ->
  random_variable (fun w => g (count a t w) (age_at a t w) w).
Proof.
revert g. induction t as [|t IH]; intros g H; [exact (H 1%nat 0%nat)|].
set (hit := fun w => if same (pulled t w) a then 1 else 0).
set (g1 := fun m k => g (S m) (if Nat.eqb (epoch (S m)) (epoch m) then S k else 0%nat)). set (g2 := fun m k => g m (S k)).
apply (variable_same W (fun w => hit w * g1 (count a t w) (age_at a t w) w + (1 - hit w) * g2 (count a t w) (age_at a t w) w)).
- intros w. unfold hit, g1, g2, age_at. cbn [age pulls_until]. destruct (same (pulled t w) a); [ring|].
  rewrite Nat.eqb_refl. ring.
- apply variable_plus; apply variable_times.
  + apply (pulls_measurable run).
  + apply IH. intros; apply H.
  + apply variable_minus; [apply variable_const|apply (pulls_measurable run)].
  + apply IH. intros; apply H.
Qed.

Lemma largest_variable (x : nat -> W -> R) n : (forall h, random_variable (x h)) -> random_variable (fun w => largest_of (fun h => x h w) n).
Proof.
intros H. induction n as [|n IH]; [apply (variable_const W 0)|].
apply (variable_same W (fun w => / 2 * (largest_of (fun h => x h w) n + x n w + Rabs (largest_of (fun h => x h w) n - x n w)))).
- intros w. cbn [largest_of]. unfold Rmax. destruct (Rle_dec _ _); split_Rabs; lra.
- apply variable_scaled, variable_plus; [now apply variable_plus|]. apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|].
  now apply variable_minus.
Qed.

Lemma score_variable a t : random_variable (score a t).
Proof.
apply (state_variable a t (fun m k w => if Nat.ltb k B then draws a (epoch m) k w else largest_of (fun h => draws a (epoch m) h w) B)).
intros m k. destruct (Nat.ltb k B); [apply (draws_measurable run)|apply largest_variable, (draws_measurable run)].
Qed.

Lemma mean_variable a s : random_variable (epoch_mean (X a) s).
Proof. apply variable_scaled, variable_sum. intros; apply (rewards_measurable run). Qed.

Lemma low_variable (Z : W -> R) z : random_variable Z -> random_variable (fun w => if Rle_dec (Z w) z then 1 else 0).
Proof.
intros V. apply (variable_same W (fun w => 1 - if Rlt_dec z (Z w) then 1 else 0)).
- intros w. destruct (Rlt_dec z (Z w)), (Rle_dec (Z w) z); lra.
- apply variable_minus; [apply variable_const|now apply variable_above].
Qed.

Lemma fresh_variable t : random_variable (fun w => if Nat.ltb (age_at one t w) B then 1 else 0).
Proof. apply (state_variable one t (fun _ k _ => if Nat.ltb k B then 1 else 0)). intros; apply variable_const. Qed.

Lemma others_variable t z l : random_variable (fun w => if all_at_most (fun a => score a t) l z w then 1 else 0).
Proof.
induction l as [|a l IH]; [apply (variable_same W (fun _ => 1)); [reflexivity|apply variable_const]|].
apply (variable_same W (fun w => (if Rle_dec (score a t w) z then 1 else 0) * if all_at_most (fun a => score a t) l z w then 1 else 0)).
- intros w. unfold all_at_most. simpl. destruct (Rle_dec (score a t w) z), (forallb _ l); simpl; ring.
- apply variable_times; [apply low_variable, score_variable|exact IH].
Qed.

Lemma now_variable t z : random_variable (fun w => if fresh_and_others_low t z w then 1 else 0).
Proof.
apply (variable_same W (fun w => (if Nat.ltb (age_at one t w) B then 1 else 0) * if all_at_most (fun a => score a t) others z w then 1 else 0)).
- intros w. unfold fresh_and_others_low. destruct (Nat.ltb _ B), (all_at_most _ _ _ w); simpl; ring.
- apply variable_times; [apply fresh_variable|apply others_variable].
Qed.

Lemma event_mean (f : W -> R) : random_variable f -> (forall w, 0 <= f w <= 1) -> has_mean P f.
Proof. intros V H. now apply (bounded_has_mean W P f 0 1). Qed.

(* A nonnegative variable on an event. *)
Lemma part_mean (e f g : W -> R) : random_variable e -> (forall w, 0 <= e w <= 1) -> has_mean P f -> random_variable g ->
  (forall w, 0 <= g w <= f w) -> has_mean P (fun w => e w * g w).
Proof.
intros Ve He Hf Vg Hg. apply (has_mean_below W P _ f); [now apply variable_times|exact Hf|]. intros w.
specialize (He w). specialize (Hg w). rewrite Rabs_right; nra.
Qed.

(** * Counting *)
Lemma count_range a t w : (1 <= count a t w <= S t)%nat.
Proof. induction t as [|t IH]; simpl; [lia|]. destruct (same (pulled t w) a); lia. Qed.

Lemma observations_many m : (1 <= m)%nat -> INR m + 1 < 4 * INR (observations (epoch m)).
Proof.
intros M. assert (L := Nat.log2_spec (m + 1) ltac:(lia)). assert (One : (1 <= Nat.log2 (m + 1))%nat).
{ apply (Nat.log2_le_pow2 (m + 1) 1); simpl; lia. }
assert (E : (Nat.pow 2 (S (Nat.log2 (m + 1))) = 4 * observations (epoch m))%nat).
{ unfold observations, epoch. replace (S (Nat.log2 (m + 1))) with (S (S (Nat.log2 (m + 1) - 1))) by lia. simpl. lia. }
rewrite E in L. destruct L as [_ L]. apply lt_INR in L. rewrite mult_INR, plus_INR in L. simpl INR in L. lra.
Qed.

Lemma observations_positive s : 0 < INR (observations s).
Proof. apply lt_0_INR. unfold observations. assert (H := Nat.pow_nonzero 2 s). lia. Qed.

Lemma count_until (f : nat -> R) c n : 0 <= c ->
  (forall j, 0 <= f j <= 1) -> (forall j, f j <> 0 -> INR (S j) <= c) -> sum_to n f <= c.
Proof.
intros C F H. assert (S1 : forall n, sum_to n f <= INR n).
{ clear n. induction n as [|n IH]; [simpl; lra|]. cbn [sum_to]. rewrite S_INR. generalize (F n). lra. }
induction n as [|n IH]; [exact C|]. destruct (Req_dec (f n) 0) as [E|N].
- cbn [sum_to]. rewrite E. lra.
- apply Rle_trans with (1 := S1 (S n)). now apply H.
Qed.

Lemma epoch_small a t w : (t < rounds)%nat -> (1 <= length arms)%nat -> (epoch_at a t w < Nat.log2 T)%nat.
Proof.
intros R1 K. assert (C := count_range a t w). unfold epoch_at, epoch.
assert (L : (Nat.log2 (count a t w + 1) <= Nat.log2 T)%nat) by (apply Nat.log2_le_mono; lia).
assert (One : (1 <= Nat.log2 (count a t w + 1))%nat).
{ apply (Nat.log2_le_pow2 (count a t w + 1) 1); simpl; lia. }
lia.
Qed.

Lemma one_arm_many : (1 <= length arms)%nat.
Proof. destruct (in_split _ _ (one_is_arm run)) as (l & r & ->). rewrite app_length. simpl. lia. Qed.

(** * One arm *)
Section Arm.
Variable i : A.
Hypotheses (i_arm : In i arms) (worse : mu i < mu one).
Notation gap := (mu one - mu i).
Hypothesis long : exp 1 < INR T * gap ^ 2.
Notation z := (mu i + gap / 2).
Hypotheses (levels_z : levels z) (widths_far : widths (sqrt (2 * ln (INR T * gap ^ 2 * phi (INR T) alpha)))).

Notation y := (INR T * gap ^ 2).
Definition optimal_enough (t alpha gap : R) : R := 4 * (1 + sqrt 2) ^ 2 * ln (t * gap ^ 2) * Rpower (ln t) alpha / gap ^ 2.
Notation L := (enough (INR T) alpha gap).
Notation L1 := (optimal_enough (INR T) alpha gap).

Lemma mu_inside a : 0 <= mu a <= 1.
Proof.
rewrite <- (rewards_mean run a 0). assert (F : has_mean P (X a 0%nat)) by (apply (bounded_has_mean W P _ 0 1); [apply (rewards_measurable run)|apply (rewards_inside run)]).
split; [rewrite <- (mean_const W P 0)|rewrite <- (mean_const W P 1)]; apply mean_le; try apply has_mean_const; try exact F; intros w; apply (rewards_inside run).
Qed.

Lemma gap_inside : 0 < gap <= 1.
Proof. generalize (mu_inside one) (mu_inside i). lra. Qed.

Lemma squares : 0 < gap ^ 2 <= 1 /\ exp 1 < INR T /\ 1 < ln y /\ 1 <= ln (INR T) /\ (3 <= T)%nat.
Proof.
assert (G := gap_inside). assert (G2 : 0 < gap ^ 2 <= 1) by (split; nra). assert (T0 := pos_INR T). assert (e2 := exp_ineq1_le 1).
assert (E : exp 1 < INR T) by nra. split; [exact G2|]. split; [exact E|].
assert (Ly : 1 < ln y) by (rewrite <- (ln_exp 1); apply ln_increasing; [apply exp_pos|exact long]). split; [exact Ly|]. split.
- rewrite <- (ln_exp 1). left. apply ln_increasing; [apply exp_pos|exact E].
- destruct (le_lt_dec 3 T) as [H|H]; [exact H|]. exfalso. assert (T2 : (T <= 2)%nat) by lia. apply le_INR in T2. simpl INR in T2.
  assert (2 < exp 1) by interval with (i_prec 60). lra.
Qed.

(* Eq. (17): the pulls before the mean is that of L_i rewards. *)
Definition seldom_seen (t : nat) (w : W) : R :=
  if same (pulled t w) i then if Rlt_dec (INR (observations (epoch_at i t w))) L then 1 else 0 else 0.

Lemma at_least_1 l q : 1 <= l -> 1 <= q -> 1 <= 4 * (sqrt 2 + 1) ^ 2 * l * q / gap ^ 2.
Proof.
intros Hl Hq. destruct squares as (G2 & _). assert (S2 : 1 < sqrt 2) by interval with (i_prec 60).
apply Rmult_le_reg_r with (gap ^ 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
assert (K : 4 <= 4 * (sqrt 2 + 1) ^ 2) by nra. assert (1 <= l * q) by nra. set (k := 4 * (sqrt 2 + 1) ^ 2) in *.
apply Rle_trans with 1; [lra|]. rewrite (Rmult_assoc k l q). nra.
Qed.

Lemma spread_1 : 1 <= Rpower (ln (INR T)) alpha.
Proof. destruct squares as (_ & _ & _ & Lt & _). rewrite <- (Rpower_O (ln (INR T))) by lra. apply Rle_Rpower; lra. Qed.

Lemma logs : ln y <= ln (y * phi (INR T) alpha).
Proof.
destruct squares as (G2 & E & Ly & Lt & _). assert (Ph := phi_at_least_1 (INR T) alpha (Rlt_le _ _ E) A0).
assert (y0 : 0 < y) by (generalize (exp_pos 1); lra). rewrite (ln_mult y) by lra. assert (0 <= ln (phi (INR T) alpha)); [|lra].
rewrite <- ln_1. destruct Ph as [Ph|Ph]; [left; apply ln_increasing; lra|rewrite <- Ph; lra].
Qed.

Lemma enough_1 : 1 <= L /\ 1 <= L1.
Proof.
destruct squares as (G2 & E & Ly & Lt & _). assert (S1 := spread_1). assert (Lg := logs). split.
- unfold enough. apply at_least_1; lra.
- unfold optimal_enough. rewrite (Rplus_comm 1 (sqrt 2)). apply at_least_1; lra.
Qed.

(* How many pulls an arm has while its mean is that of fewer than c rewards. *)
Lemma few_pulls a c w : 1 <= c ->
  sum_to rounds (fun t => if same (pulled t w) a then if Rlt_dec (INR (observations (epoch_at a t w))) c then 1 else 0 else 0) <= 4 * c - 1.
Proof.
intros C. set (f m := if Rlt_dec (INR (observations (epoch m))) c then 1 else 0).
assert (F : forall m, 0 <= f m <= 1) by (intros m; unfold f; destruct (Rlt_dec _ c); lra).
apply Rle_trans with (1 := pulls_counted same a (fun r => pulled r w) f rounds (fun m => proj1 (F m))).
apply count_until; [lra|intros j; apply F|]. intros j N. unfold f in N. destruct (Rlt_dec _ c) as [H|H]; [|lra].
generalize (observations_many (S j) ltac:(lia)). lra.
Qed.

(* Lemmas D.1 and D.2. *)
Notation width := (sqrt (2 * ln (y * phi (INR T) alpha))).
Definition score_far (t : nat) (w : W) : R :=
  if same (pulled t w) i then if Rle_dec (score i t w) (mean_at i t w +
    width * sqrt (Rpower (ln (INR T)) alpha / INR (observations (epoch_at i t w)))) then 0 else 1 else 0.
Definition mean_far (t : nat) (w : W) : R :=
  if same (pulled t w) i then if Rle_dec (Rabs (mean_at i t w - mu i)) (sqrt (ln y / INR (observations (epoch_at i t w)))) then 0 else 1 else 0.

Lemma score_far_variable t : random_variable (score_far t).
Proof.
apply (variable_same W (fun w => (if same (pulled t w) i then 1 else 0) * (1 - if Rle_dec (score i t w - (mean_at i t w +
    width * sqrt (Rpower (ln (INR T)) alpha / INR (observations (epoch_at i t w))))) 0 then 1 else 0))).
- intros w. unfold score_far. destruct (same (pulled t w) i); [|ring].
  destruct (Rle_dec (score i t w) _), (Rle_dec (score i t w - _) 0); lra.
- apply variable_times; [apply (pulls_measurable run)|]. apply variable_minus; [apply variable_const|]. apply low_variable.
  apply variable_minus; [apply score_variable|].
  apply (state_variable i t (fun m _ w => epoch_mean (X i) (epoch m) w + width * sqrt (Rpower (ln (INR T)) alpha / INR (observations (epoch m))))).
  intros m _. apply variable_plus; [apply mean_variable|apply variable_const].
Qed.

Lemma mean_far_variable t : random_variable (mean_far t).
Proof.
apply (variable_same W (fun w => (if same (pulled t w) i then 1 else 0) * (1 - if Rle_dec (Rabs (mean_at i t w - mu i) -
    sqrt (ln y / INR (observations (epoch_at i t w)))) 0 then 1 else 0))).
- intros w. unfold mean_far. destruct (same (pulled t w) i); [|ring].
  destruct (Rle_dec (Rabs _) _), (Rle_dec (Rabs _ - _) 0); lra.
- apply variable_times; [apply (pulls_measurable run)|]. apply variable_minus; [apply variable_const|]. apply low_variable.
  apply (state_variable i t (fun m _ w => Rabs (epoch_mean (X i) (epoch m) w - mu i) - sqrt (ln y / INR (observations (epoch m))))).
  intros m _. apply variable_minus; [|apply variable_const]. apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|].
  apply variable_minus; [apply mean_variable|apply variable_const].
Qed.

Lemma rounds_T : INR rounds <= INR T.
Proof. apply le_INR. lia. Qed.

Lemma scores_far : sum_to rounds (fun t => mean P (score_far t)) <= exp 1 / gap ^ 2.
Proof.
apply (lemma_d_1 A same i W P (X i) pulled (draws i) (fun t w => score i t w) score_far rounds B (INR T) alpha gap).
- exact gap_inside.
- exact A0.
- exact rounds_T.
- apply budget.
- apply (rewards_measurable run).
- apply (rewards_inside run).
- apply (draws_measurable run).
- intros s h. exact (tails run i s h _ i_arm worse widths_far).
- intros t w. change (epoch (count i t w)) with (epoch_at i t w). unfold score. destruct (Nat.ltb_spec (age_at i t w) B) as [H|H].
  + right. now exists (age_at i t w).
  + assert (M : forall n, (n <= B)%nat -> largest_of (fun h => draws i (epoch_at i t w) h w) n = 0 \/
      exists h, (h < B)%nat /\ largest_of (fun h => draws i (epoch_at i t w) h w) n = draws i (epoch_at i t w) h w).
    { induction n as [|n IH]; intros N; [now left|]. cbn [largest_of]. unfold Rmax. destruct (Rle_dec _ _).
      - right. now exists n.
      - apply IH. lia. }
    now apply M.
- apply score_far_variable.
- intros t w. unfold score_far, sample_near. change (epoch (count i t w)) with (epoch_at i t w).
  change (epoch_mean (X i) (epoch_at i t w) w) with (mean_at i t w).
  destruct (same (pulled t w) i) as [S|S].
  + destruct (Rle_dec (score i t w) _) as [H|H]; split; intros Q; try reflexivity; exfalso; [now apply Q|apply Q; now split].
  + split; intros Q; [now destruct Q|reflexivity].
Qed.

Lemma means_far : sum_to rounds (fun t => mean P (mean_far t)) <= exp 1 / gap ^ 2.
Proof.
apply (lemma_d_2 A same i W P (X i) pulled mean_far rounds (INR T) gap (mu i)).
- apply gap_inside.
- exact rounds_T.
- apply (rewards_independent run).
- apply (rewards_measurable run).
- apply (rewards_inside run).
- apply (rewards_mean run).
- apply mean_far_variable.
- intros t w. unfold mean_far, mean_near. change (epoch (count i t w)) with (epoch_at i t w).
  change (epoch_mean (X i) (epoch_at i t w) w) with (mean_at i t w).
  destruct (same (pulled t w) i) as [S|S].
  + destruct (Rle_dec (Rabs _) _) as [H|H]; split; intros Q; try reflexivity; exfalso; [now apply Q|apply Q; now split].
  + split; intros Q; [now destruct Q|reflexivity].
Qed.

(* Eqs. (18) and (20): the other pulls have a score of at most z; then arm one is fresh, or not. *)
Definition low_fresh (t : nat) (w : W) : R :=
  if same (pulled t w) i then if Rle_dec (score i t w) z then if Nat.ltb (age_at one t w) B then 1 else 0 else 0 else 0.
Definition low_stale (t : nat) (w : W) : R :=
  if same (pulled t w) i then if Rle_dec (score i t w) z then if Nat.ltb (age_at one t w) B then 0 else 1 else 0 else 0.

Lemma low_variables t : random_variable (low_fresh t) /\ random_variable (low_stale t).
Proof.
assert (V : forall e : W -> R, random_variable e -> random_variable (fun w => (if same (pulled t w) i then 1 else 0) *
  ((if Rle_dec (score i t w) z then 1 else 0) * e w))).
{ intros e H. apply variable_times; [apply (pulls_measurable run)|]. apply variable_times; [apply low_variable, score_variable|exact H]. }
split.
- apply (variable_same W (fun w => (if same (pulled t w) i then 1 else 0) * ((if Rle_dec (score i t w) z then 1 else 0) *
    if Nat.ltb (age_at one t w) B then 1 else 0))); [|apply V, fresh_variable].
  intros w. unfold low_fresh. destruct (same _ i), (Rle_dec _ z), (Nat.ltb _ B); ring.
- apply (variable_same W (fun w => (if same (pulled t w) i then 1 else 0) * ((if Rle_dec (score i t w) z then 1 else 0) *
    (1 - if Nat.ltb (age_at one t w) B then 1 else 0)))); [|apply V; apply variable_minus; [apply variable_const|apply fresh_variable]].
  intros w. unfold low_stale. destruct (same _ i), (Rle_dec _ z), (Nat.ltb _ B); ring.
Qed.

Lemma each_pull t w : (if same (pulled t w) i then 1 else 0) <=
  seldom_seen t w + score_far t w + mean_far t w + low_fresh t w + low_stale t w.
Proof.
unfold seldom_seen, score_far, mean_far, low_fresh, low_stale. destruct (same (pulled t w) i) as [_|_]; [|lra].
destruct (Rlt_dec _ L) as [H|N]; [indicators|].
destruct (Rle_dec (score i t w) (mean_at i t w + _)) as [S|_]; [|indicators].
destruct (Rle_dec (Rabs _) _) as [M|_]; [|indicators].
assert (Low : score i t w <= z).
{ destruct squares as (G2 & E & Ly & Lt & _).
  apply (near_enough (INR T) alpha gap (mu i) (INR (observations (epoch_at i t w))) (mean_at i t w)); try assumption; try lra.
  - exact gap_inside. }
destruct (Rle_dec (score i t w) z) as [_|B0]; [|contradiction]. destruct (Nat.ltb _ B); lra.
Qed.

(** * Arm one is fresh *)
Definition excess (s : nat) (w : W) : R :=
  / sample_above (epoch_mean (X one) s w) (deviation alpha (INR T) (observations s)) z - 1.

Lemma average_is s w : average (fun j => X one (observations s - 1 + j)%nat) (observations s) w = epoch_mean (X one) s w.
Proof. unfold average, epoch_mean, Rdiv. apply Rmult_comm. Qed.

Lemma excess_is s w : excess s w = inverse_excess (fun j => X one (observations s - 1 + j)%nat) alpha (INR T) (observations s) z w.
Proof. unfold excess, inverse_excess. now rewrite average_is. Qed.

Lemma excess_positive s w : 0 <= excess s w.
Proof.
unfold excess, sample_above. assert (H := Phi_inside ((epoch_mean (X one) s w - z) / deviation alpha (INR T) (observations s))).
assert (1 <= / Phi ((epoch_mean (X one) s w - z) / deviation alpha (INR T) (observations s))); [|lra].
rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra.
Qed.

Lemma one_observation s : (1 <= observations s)%nat.
Proof. unfold observations. assert (H := Nat.pow_nonzero 2 s). lia. Qed.

Lemma deviation_positive s : 0 < deviation alpha (INR T) (observations s).
Proof.
unfold deviation. apply sqrt_lt_R0, Rdiv_lt_0_compat; [generalize spread_1; lra|apply observations_positive].
Qed.

(* Lemma C.1. *)
Lemma excess_at_most s : has_mean P (excess s) /\ mean P (excess s) <= 1234 / 100 /\
  (L1 <= INR (observations s) -> mean P (excess s) <= 72 / y).
Proof.
destruct squares as (G2 & E & Ly & Lt & T3). assert (G := gap_inside). assert (T3' := le_INR _ _ T3). simpl INR in T3'.
set (X' j := X one (observations s - 1 + j)%nat).
assert (In := rewards_independent run one s). fold X' in In.
assert (V : forall j, (j < observations s)%nat -> random_variable (X' j)) by (intros; apply (rewards_measurable run)).
assert (Bd : forall j w, (j < observations s)%nat -> 0 <= X' j w <= 1) by (intros; apply (rewards_inside run)).
assert (M : forall j, (j < observations s)%nat -> mean P (X' j) = mu one) by (intros; apply (rewards_mean run)).
destruct (lemma_c_1_first W P X' (observations s) (mu one) alpha (INR T) (one_observation s) ltac:(lra) A0 In V Bd M) as [F1 M1].
set (top := inverse_excess X' alpha (INR T) (observations s) (mu one)) in *.
assert (Dev := deviation_positive s).
assert (Below : forall w, 0 <= excess s w <= top w).
{ intros w. split; [apply excess_positive|]. unfold top. rewrite excess_is. unfold inverse_excess, sample_above. fold X'.
  set (a := average X' (observations s) w). apply Rplus_le_compat_r.
  apply Rinv_le_contravar; [apply Phi_inside|]. apply Phi_le. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
assert (Ve : random_variable (excess s)).
{ apply (variable_continuous W (fun m => / sample_above m (deviation alpha (INR T) (observations s)) z - 1) (epoch_mean (X one) s)); [|apply mean_variable].
  intros m. now apply excess_continuous. }
assert (F : has_mean P (excess s)).
{ apply (has_mean_below W P _ top Ve F1). intros w. rewrite Rabs_right; [apply Below|apply Rle_ge, Below]. }
split; [exact F|]. split; [apply Rle_trans with (2 := M1); apply mean_le; [exact F|exact F1|intros w; apply Below]|].
intros Many. destruct (lemma_c_1_second W P X' (observations s) (mu one) alpha (INR T) gap G long A0 Many In V Bd M) as [F2 M2].
apply Rle_trans with (2 := M2). right. apply mean_same. intros w. rewrite excess_is. fold X'. f_equal. lra.
Qed.

Lemma excess_at_variable t : random_variable (fun w => excess (epoch_at one t w) w).
Proof.
apply (state_variable one t (fun m _ w => excess (epoch m) w)). intros m _. apply (mean_of_variable W P), excess_at_most.
Qed.

(* Bounded by the sum over all epochs that a run can reach. *)
Lemma excess_at_mean t : (t < rounds)%nat -> has_mean P (fun w => excess (epoch_at one t w) w).
Proof.
intros R1. destruct (mean_sum W P excess (Nat.log2 T)) as [F _]; [intros; apply excess_at_most|].
apply (has_mean_below W P _ (fun w => sum_to (Nat.log2 T) (fun s => excess s w))); [apply excess_at_variable|exact F|].
intros w. rewrite Rabs_right by apply Rle_ge, excess_positive. assert (Lt := epoch_small one t w R1 one_arm_many).
apply (sum_to_term (Nat.log2 T) (fun s => excess s w)); [intros s _; apply excess_positive|exact Lt].
Qed.

Lemma in_others a : In a others <-> In a arms /\ a <> one.
Proof. unfold others. rewrite filter_In. destruct (same a one); intuition congruence. Qed.

(* Lemma D.3, over all histories. *)
Lemma fresh_compared t : (t < rounds)%nat ->
  mean P (low_fresh t) <= mean P (fun w => (if same (pulled t w) one then 1 else 0) * excess (epoch_at one t w) w).
Proof.
intros R1. set (now := fresh_and_others_low t z). set (ind (b : bool) := if b then 1 else 0).
set (p w := sample_above (mean_at one t w) (deviation alpha (INR T) (observations (epoch_at one t w))) z).
assert (P01 : forall w, 0 < p w < 1) by (intros w; apply Phi_inside).
assert (Vn : random_variable (fun w => ind (now w))) by apply now_variable.
assert (Vs : random_variable (fun w => if Rlt_dec z (score one t w) then 1 else 0)) by (apply variable_above, score_variable).
set (e w := excess (epoch_at one t w) w). assert (Ep : forall w, e w = / p w - 1) by reflexivity.
assert (Fe : has_mean P e) by exact (excess_at_mean t R1).
assert (Vp : random_variable p).
{ apply (state_variable one t (fun m _ w => sample_above (epoch_mean (X one) (epoch m) w) (deviation alpha (INR T) (observations (epoch m))) z)).
  intros m _. apply (variable_continuous W (fun v => Phi ((v - z) / deviation alpha (INR T) (observations (epoch m)))) (epoch_mean (X one) (epoch m))); [|apply mean_variable].
  intros v. assert (D := deviation_positive (epoch m)). apply (continuous_comp (fun v => (v - z) / deviation alpha (INR T) (observations (epoch m))) Phi); [|apply Phi_continuous].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; lra. }
assert (One : mean P (fun w => if now w then if Rlt_dec z (score one t w) then 1 else 0 else 0) = mean P (fun w => if now w then 1 * p w else 0)).
{ apply (fresh_law run t z (fun _ _ => 1) R1 levels_z); [intros; apply continuous_const|intros; lra|apply has_mean_const]. }
assert (Two : mean P (fun w => if now w then if Rlt_dec z (score one t w) then e w else 0 else 0) = mean P (fun w => if now w then e w * p w else 0)).
{ apply (fresh_law run t z (fun s m => / sample_above m (deviation alpha (INR T) (observations s)) z - 1) R1 levels_z); [| |exact Fe].
  - intros s x. apply excess_continuous, deviation_positive.
  - intros s x. unfold sample_above. assert (H := Phi_inside ((x - z) / deviation alpha (INR T) (observations s))).
    assert (1 <= / Phi ((x - z) / deviation alpha (INR T) (observations s))); [|lra]. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. }
assert (Ve : random_variable e) by exact (excess_at_variable t).
assert (E0 : forall w, 0 <= e w) by (intros w; exact (excess_positive (epoch_at one t w) w)).
change (mean P (low_fresh t) <= mean P (fun w => (if same (pulled t w) one then 1 else 0) * e w)). clearbody e p.
assert (Ev1 : has_mean P (fun w => if now w then if Rlt_dec z (score one t w) then 1 else 0 else 0)).
{ apply (has_mean_same W P (fun w => ind (now w) * if Rlt_dec z (score one t w) then 1 else 0)); [intros w; unfold ind; destruct (now w); ring|].
  apply event_mean; [now apply variable_times|]. intros w. unfold ind. indicators. }
assert (Ev2 : has_mean P (fun w => if now w then 1 * p w else 0)).
{ apply (has_mean_same W P (fun w => ind (now w) * p w)); [intros w; unfold ind; destruct (now w); ring|].
  apply event_mean; [now apply variable_times|]. intros w. specialize (P01 w). unfold ind. destruct (now w); lra. }
assert (Ev3 : has_mean P (fun w => if now w then e w * p w else 0)).
{ apply (has_mean_same W P (fun w => ind (now w) * (1 - p w))).
  - intros w. unfold ind. specialize (P01 w). rewrite Ep. destruct (now w); field; lra.
  - apply event_mean; [apply variable_times; [exact Vn|apply variable_minus; [apply variable_const|exact Vp]]|].
    intros w. specialize (P01 w). unfold ind. destruct (now w); lra. }
assert (Evn : has_mean P (fun w => ind (now w))) by (apply event_mean; [exact Vn|intros w; unfold ind; destruct (now w); lra]).
apply Rle_trans with (mean P (fun w => 1 * ind (now w) + - 1 * (if now w then if Rlt_dec z (score one t w) then 1 else 0 else 0))).
- apply mean_le; [apply event_mean; [apply low_variables|]|now apply has_mean_linear|].
  + intros w. unfold low_fresh. indicators.
  + intros w. unfold low_fresh, ind. destruct (same (pulled t w) i) as [Q|_]; [|indicators].
    destruct (Rle_dec (score i t w) z) as [Lo|_]; [|indicators].
    destruct (Nat.ltb (age_at one t w) B) eqn:Fr; [|indicators].
    assert (All : forall a, In a arms -> score a t w <= z).
    { intros a Ia. apply Rle_trans with (2 := Lo). rewrite <- Q. now apply (pulled_is_largest run). }
    assert (N1 : now w = true).
    { unfold now, fresh_and_others_low. rewrite Fr. simpl. apply forallb_forall. intros a Ia. apply in_others in Ia.
      destruct (Rle_dec (score a t w) z) as [_|N]; [reflexivity|]. exfalso. apply N, All, Ia. }
    rewrite N1. destruct (Rlt_dec z (score one t w)) as [Hi|_]; [|lra]. generalize (All one (one_is_arm run)). lra.
- rewrite mean_linear, One by assumption.
  apply Rle_trans with (mean P (fun w => if now w then e w * p w else 0)).
  + rewrite Rmult_1_l. apply Rle_trans with (mean P (fun w => 1 * ind (now w) + - 1 * (if now w then 1 * p w else 0))).
    * rewrite mean_linear by assumption. lra.
    * right. apply mean_same. intros w. specialize (P01 w). rewrite Ep. unfold ind. destruct (now w); [field; lra|ring].
  + rewrite <- Two. assert (Vo := pulls_measurable run t one).
    assert (Same : forall w, e w <= e w) by (intros w; apply Rle_refl).
    assert (Big : has_mean P (fun w => if now w then if Rlt_dec z (score one t w) then e w else 0 else 0)).
    { apply (has_mean_same W P (fun w => (ind (now w) * if Rlt_dec z (score one t w) then 1 else 0) * e w)).
      - intros w. unfold ind. destruct (now w), (Rlt_dec z _); ring.
      - refine (part_mean (fun w => ind (now w) * if Rlt_dec z (score one t w) then 1 else 0) e e _ _ Fe Ve (fun w => conj (E0 w) (Same w)));
          [now apply variable_times|]. intros w. unfold ind. indicators. }
    apply mean_le; [exact Big| |].
    * refine (part_mean (fun w => if same (pulled t w) one then 1 else 0) e e Vo _ Fe Ve (fun w => conj (E0 w) (Same w))).
      intros w. indicators.
    * intros w. specialize (E0 w).
      destruct (now w) eqn:Nw; [|destruct (same (pulled t w) one); lra].
      destruct (Rlt_dec z (score one t w)) as [Hi|_]; [|destruct (same (pulled t w) one); lra].
      destruct (same (pulled t w) one) as [_|N]; [lra|]. exfalso.
      unfold now, fresh_and_others_low in Nw. apply andb_prop in Nw. destruct Nw as [_ Nw].
      assert (Io : In (pulled t w) others) by (apply in_others; split; [now apply (pulled_is_arm run)|exact N]).
      apply (proj1 (forallb_forall _ _) Nw) in Io. cbv beta in Io. destruct (Rle_dec (score (pulled t w) t w) z) as [Lo|]; [|discriminate].
      generalize (pulled_is_largest run t w one R1 (one_is_arm run)). lra.
Qed.

(* Eq. (22). *)
Lemma fresh_at_most : sum_to rounds (fun t => mean P (low_fresh t)) <= 50 * L1 + 72 / gap ^ 2.
Proof.
destruct squares as (G2 & E & Ly & Lt & T3). destruct enough_1 as [_ L11]. assert (y0 : 0 < y) by (generalize (exp_pos 1); lra).
assert (T0 : 0 < INR T) by (generalize (exp_pos 1); lra).
set (bad m w := excess (epoch m) w).
assert (Fb : forall m, has_mean P (bad m)) by (intros; apply excess_at_most).
set (hit t w := (if same (pulled t w) one then 1 else 0) * excess (epoch_at one t w) w).
assert (Fh : forall t, (t < rounds)%nat -> has_mean P (hit t)).
{ intros t R1. refine (part_mean (fun w => if same (pulled t w) one then 1 else 0) (fun w => excess (epoch_at one t w) w)
    (fun w => excess (epoch_at one t w) w) (pulls_measurable run t one) _ (excess_at_mean t R1) (excess_at_variable t) _).
  - intros w. indicators.
  - intros w. generalize (excess_positive (epoch_at one t w) w). lra. }
apply Rle_trans with (sum_to rounds (fun t => mean P (hit t))); [apply sum_to_le; intros t R1; now apply fresh_compared|].
destruct (mean_sum W P hit rounds Fh) as [F1 E1]. destruct (mean_sum W P (fun j => bad (S j)) rounds) as [F2 E2]; [intros; apply Fb|].
rewrite <- E1. apply Rle_trans with (mean P (fun w => sum_to rounds (fun j => bad (S j) w))).
- apply mean_le; [exact F1|exact F2|]. intros w.
  apply Rle_trans with (2 := pulls_counted same one (fun r => pulled r w) (fun m => bad m w) rounds (fun m => excess_positive (epoch m) w)).
  apply sum_to_le. intros t _. unfold hit, bad, epoch_at. destruct (same (pulled t w) one); lra.
- rewrite E2. set (f j := if Rlt_dec (INR (observations (epoch (S j)))) L1 then 1 else 0).
  apply Rle_trans with (sum_to rounds (fun j => 1234 / 100 * f j + 72 / y)).
  + apply sum_to_le. intros j _. destruct (excess_at_most (epoch (S j))) as (_ & M1 & M2).
    change (mean P (bad (S j))) with (mean P (excess (epoch (S j)))). unfold f.
    assert (Y0 : 0 < 72 / y) by (apply Rdiv_lt_0_compat; lra). destruct (Rlt_dec _ L1) as [H|H]; [lra|].
    specialize (M2 ltac:(lra)). lra.
  + rewrite sum_to_plus, sum_to_scaled, sum_to_const.
    assert (C : sum_to rounds f <= 4 * L1 - 1).
    { apply count_until; [lra|intros j; unfold f; destruct (Rlt_dec _ L1); lra|]. intros j N. unfold f in N.
      destruct (Rlt_dec _ L1) as [H|H]; [|lra]. generalize (observations_many (S j) ltac:(lia)). lra. }
    assert (R : INR rounds * (72 / y) <= 72 / gap ^ 2).
    { apply Rle_trans with (INR T * (72 / y)); [apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra|apply rounds_T]|].
      right. field. split; lra. }
    lra.
Qed.

(** * Arm one is not fresh: eq. (23) *)
Definition all_low (s : nat) (x : R) (w : W) : bool := forallb (fun h => if Rle_dec (draws one s h w) x then true else false) (seq 0 B).

Lemma all_low_variable s x : random_variable (fun w => if all_low s x w then 1 else 0).
Proof.
unfold all_low. induction (seq 0 B) as [|h l IH]; [apply (variable_const W 1)|].
apply (variable_same W (fun w => (if Rle_dec (draws one s h w) x then 1 else 0) * if forallb (fun h => if Rle_dec (draws one s h w) x then true else false) l then 1 else 0)).
- intros w. simpl. destruct (Rle_dec _ x), (forallb _ l); simpl; ring.
- apply variable_times; [apply low_variable, (draws_measurable run)|exact IH].
Qed.

Lemma all_low_seldom s : (s < Nat.log2 T)%nat -> mean P (fun w => if all_low s (mu one) w then 1 else 0) <= 3 / INR T.
Proof.
intros S1. destruct squares as (G2 & E & Ly & Lt & T3). assert (T3' := le_INR _ _ T3). simpl INR in T3'.
unfold all_low. rewrite (epoch_law run s S1).
set (X' j := X one (observations s - 1 + j)%nat).
destruct (lemma_4_1 W P X' (observations s) B (mu one) alpha (INR T) (one_observation s) ltac:(lra) A0 budget
  (rewards_independent run one s) (fun j _ => rewards_measurable run one _) (fun j w _ => rewards_inside run one _ w)
  (fun j _ => rewards_mean run one _)) as [F H].
rewrite (mean_same W P _ (all_below X' alpha (INR T) (observations s) B (mu one))); [lra|].
intros w. unfold all_below, X'. now rewrite average_is.
Qed.

Lemma largest_above x n h : (h < n)%nat -> x h <= largest_of x n.
Proof.
induction n as [|n IH]; intros H; [lia|]. cbn [largest_of]. destruct (Nat.eq_dec h n) as [->|N]; [apply Rmax_r|].
apply Rle_trans with (2 := Rmax_l _ _). apply IH. lia.
Qed.

Lemma stale_at_most : sum_to rounds (fun t => mean P (low_stale t)) <= 3 * (ln (INR T) / ln 2).
Proof.
destruct squares as (G2 & E & Ly & Lt & T3). assert (T0 : 0 < INR T) by (generalize (exp_pos 1); lra). assert (G := gap_inside).
set (n := Nat.log2 T). set (f s w := if all_low s (mu one) w then 1 else 0).
assert (F : forall s, has_mean P (f s)) by (intros s; apply event_mean; [apply all_low_variable|intros w; unfold f; destruct (all_low s _ w); lra]).
destruct (mean_sum W P f n) as [Fs Es]; [intros; apply F|].
assert (Each : forall t, (t < rounds)%nat -> mean P (low_stale t) <= INR n * (3 / INR T)).
{ intros t R1. apply Rle_trans with (mean P (fun w => sum_to n (fun s => f s w))).
  - apply mean_le; [apply event_mean; [apply low_variables|]|exact Fs|].
    + intros w. unfold low_stale. indicators.
    + intros w. assert (Pos : forall k, 0 <= sum_to k (fun s => f s w)).
      { intros k. rewrite <- (Rmult_0_r (INR k)), <- (sum_to_const k 0). apply sum_to_le. intros s _. unfold f. destruct (all_low s _ w); lra. }
      unfold low_stale. destruct (same (pulled t w) i) as [Q|_]; [|apply Pos]. destruct (Rle_dec (score i t w) z) as [Lo|_]; [|apply Pos].
      destruct (Nat.ltb (age_at one t w) B) eqn:Fr; [apply Pos|].
      assert (Top : score one t w <= mu one).
      { apply Rle_trans with (score i t w); [rewrite <- Q; apply (pulled_is_largest run); [exact R1|apply (one_is_arm run)]|lra]. }
      unfold score in Top. rewrite Fr in Top. set (s0 := epoch_at one t w) in *.
      assert (Hit : f s0 w = 1).
      { unfold f, all_low. rewrite (proj2 (forallb_forall _ _)); [reflexivity|]. intros h Ih. apply in_seq in Ih.
        destruct (Rle_dec (draws one s0 h w) (mu one)) as [_|N]; [reflexivity|]. exfalso. apply N.
        apply Rle_trans with (2 := Top). apply (largest_above (fun h => draws one s0 h w)). lia. }
      rewrite <- Hit. apply (sum_to_term n (fun s => f s w)); [intros s _; unfold f; destruct (all_low s _ w); lra|].
      apply epoch_small; [exact R1|exact one_arm_many].
  - rewrite Es, <- sum_to_const. apply sum_to_le. intros s Hs. now apply all_low_seldom. }
apply Rle_trans with (sum_to rounds (fun _ => INR n * (3 / INR T))); [apply sum_to_le; exact Each|]. rewrite sum_to_const.
assert (Ln : INR n <= ln (INR T) / ln 2).
{ assert (H := Nat.log2_spec T ltac:(lia)). destruct H as [H _]. fold n in H. apply le_INR in H. rewrite pow_INR in H. change (INR 2) with 2 in H.
  assert (l2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). apply Rmult_le_reg_r with (ln 2); [exact l2|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- ln_pow by lra.
  destruct H as [H|H]; [left; apply ln_increasing; [apply pow_lt; lra|exact H]|rewrite H; lra]. }
assert (N0 := pos_INR n). assert (R0 := rounds_T). assert (R1 := pos_INR rounds).
assert (INR rounds * (3 / INR T) <= 3).
{ apply Rle_trans with (INR T * (3 / INR T)); [apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra|exact R0]|right; field; lra]. }
nra.
Qed.

(** * All pulls of the arm *)
Definition pulls_bound (t alpha gap : R) : R := 4 * enough t alpha gap + 50 * optimal_enough t alpha gap + 288 / gap ^ 2 +
  3 * (ln t / ln 2 + 1) + 2 / gap ^ 2 + 8 / (t * gap ^ 2 * gap ^ 2).

Theorem pulls_at_most : mean P (pulls_of i) <= pulls_bound (INR T) alpha gap.
Proof.
destruct squares as (G2 & E & Ly & Lt & T3). assert (T0 : 0 < INR T) by (generalize (exp_pos 1); lra). destruct enough_1 as [L0 L11].
set (hit t w := if same (pulled t w) i then 1 else 0).
assert (Fh : forall t, has_mean P (hit t)) by (intros t; apply event_mean; [apply (pulls_measurable run)|intros w; unfold hit; destruct (same _ i); lra]).
assert (Fr : forall t, has_mean P (seldom_seen t)).
{ intros t. apply event_mean; [|intros w; unfold seldom_seen; indicators].
  apply (variable_same W (fun w => hit t w * if Rlt_dec (INR (observations (epoch_at i t w))) L then 1 else 0)).
  - intros w. unfold hit, seldom_seen. destruct (same _ i); ring.
  - apply variable_times; [apply (pulls_measurable run)|].
    apply (state_variable i t (fun m _ _ => if Rlt_dec (INR (observations (epoch m))) L then 1 else 0)). intros; apply variable_const. }
assert (Fs : forall t, has_mean P (score_far t)) by (intros t; apply event_mean; [apply score_far_variable|intros w; unfold score_far; indicators]).
assert (Fm : forall t, has_mean P (mean_far t)) by (intros t; apply event_mean; [apply mean_far_variable|intros w; unfold mean_far; indicators]).
assert (Ff : forall t, has_mean P (low_fresh t)) by (intros t; apply event_mean; [apply low_variables|intros w; unfold low_fresh; indicators]).
assert (Fl : forall t, has_mean P (low_stale t)) by (intros t; apply event_mean; [apply low_variables|intros w; unfold low_stale; indicators]).
destruct (mean_sum W P hit rounds) as [F1 E1]; [intros; apply Fh|].
destruct (mean_sum W P seldom_seen rounds) as [F2 E2]; [intros; apply Fr|].
assert (Few : sum_to rounds (fun t => mean P (seldom_seen t)) <= 4 * L - 1).
{ rewrite <- E2, <- (mean_const W P (4 * L - 1)). apply mean_le; [exact F2|apply has_mean_const|]. intros w. exact (few_pulls i L w L0). }
assert (Split : sum_to rounds (fun t => mean P (hit t)) <= sum_to rounds (fun t => mean P (seldom_seen t)) +
  sum_to rounds (fun t => mean P (score_far t)) + sum_to rounds (fun t => mean P (mean_far t)) +
  sum_to rounds (fun t => mean P (low_fresh t)) + sum_to rounds (fun t => mean P (low_stale t))).
{ rewrite <- !sum_to_plus. apply sum_to_le. intros t _.
  rewrite <- !mean_plus by (repeat apply has_mean_plus; auto). apply mean_le; [apply Fh|repeat apply has_mean_plus; auto|]. intros w. apply each_pull. }
assert (Whole : mean P (pulls_of i) = sum_to rounds (fun t => mean P (hit t)) + 1).
{ unfold pulls_of. rewrite <- E1. rewrite <- (Rmult_1_l (mean P (fun w => sum_to rounds (fun t => hit t w)))), <- mean_affine by exact F1.
  apply mean_same. intros w. unfold hit. ring. }
assert (A1 := scores_far). assert (A2 := means_far). assert (A3 := fresh_at_most). assert (A4 := stale_at_most).
assert (I0 : 0 < / gap ^ 2) by (apply Rinv_0_lt_compat; lra). assert (I1 : 0 < / (INR T * gap ^ 2 * gap ^ 2)).
{ apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
assert (e3 := exp_le_3). assert (H1 : exp 1 * / gap ^ 2 <= 3 * / gap ^ 2) by (apply Rmult_le_compat_r; lra). rewrite Whole. unfold pulls_bound, Rdiv in *. lra.
Qed.
End Arm.
End Run.

(** * The regret *)
(* What Appendix C assumes: T D^2 > e for every gap D > 0. *)
Definition long_enough {A : Type} (arms : list A) (mu : A -> R) (one : A) (T : nat) : Prop :=
  forall a, In a arms -> mu a < mu one -> exp 1 < INR T * (mu one - mu a) ^ 2.
(* The numbers for which the laws of the samples are asked. *)
Definition numbers_given {A : Type} (arms : list A) (mu : A -> R) (one : A) (levels widths : R -> Prop) (T : nat) (alpha : R) : Prop :=
  forall a, In a arms -> mu a < mu one -> let gap := mu one - mu a in
  levels (mu a + gap / 2) /\ widths (sqrt (2 * ln (INR T * gap ^ 2 * phi (INR T) alpha))).

(* One arm's bound in the order that the theorem states. *)
Definition stated (t alpha gap : R) : R :=
  ln (Rpower t ((3 - alpha) / 2) * gap ^ 2) * Rpower (ln t) alpha / gap + (3 - alpha) * ln (ln t) * Rpower (ln t) alpha / gap.

Lemma ln_positive x : 1 <= x -> 0 <= ln x.
Proof. intros [H|<-]; [rewrite <- ln_1; left; apply ln_increasing; lra|rewrite ln_1; lra]. Qed.

Lemma in_order t alpha gap : 0 <= alpha <= 1 -> 0 < gap <= 1 -> exp 1 < t * gap ^ 2 ->
  gap * pulls_bound t alpha gap <= 1800 * stated t alpha gap.
Proof.
intros A0 G Y. assert (G2 : 0 < gap ^ 2 <= 1) by (split; nra). assert (e0 := exp_ineq1_le 1). assert (T0 : 0 < t) by nra.
assert (Et : exp 1 < t) by nra. set (l := ln (t * gap ^ 2)).
assert (L1 : 1 < l) by (unfold l; rewrite <- (ln_exp 1); apply ln_increasing; lra).
assert (Lt : 1 < ln t) by (rewrite <- (ln_exp 1); apply ln_increasing; lra). assert (LL := ln_positive (ln t) (Rlt_le _ _ Lt)).
set (q := Rpower (ln t) alpha). assert (Q1 : 1 <= q) by (unfold q; rewrite <- (Rpower_O (ln t)) by lra; apply Rle_Rpower; lra).
assert (Sum : l = ln t + ln (gap ^ 2)) by (apply ln_mult; lra).
assert (Rp : forall u, ln (Rpower t u) = u * ln t) by (intros u; unfold Rpower; apply ln_exp).
assert (Head : ln (Rpower t ((3 - alpha) / 2) * gap ^ 2) = l + (1 - alpha) / 2 * ln t).
{ rewrite ln_mult by (apply exp_pos || lra). rewrite Rp, Sum. field. }
set (M := ln (Rpower t ((3 - alpha) / 2) * gap ^ 2) + (3 - alpha) * ln (ln t)).
assert (Ml : l <= M) by (unfold M; rewrite Head; nra).
assert (P0 : 0 < sqrt (2 * PI * exp 1)) by (apply sqrt_lt_R0; generalize PI_RGT_0; nra).
assert (c0 : ln (sqrt (2 * PI * exp 1)) <= 142 / 100) by interval with (i_prec 60).
assert (Ph : ln (phi t alpha) = ln (sqrt (2 * PI * exp 1)) + (1 - alpha) / 2 * ln t + (3 - alpha) / 2 * ln (ln t)).
{ unfold phi. rewrite !ln_mult; try apply exp_pos; try exact P0; [|apply Rmult_lt_0_compat; [exact P0|apply exp_pos]].
  rewrite Rp. unfold Rpower at 1. rewrite ln_exp. reflexivity. }
assert (Pp : 0 < phi t alpha) by (unfold phi; repeat apply Rmult_lt_0_compat; try apply exp_pos; exact P0).
assert (Wide : ln (t * gap ^ 2 * phi t alpha) <= 242 / 100 * M).
{ rewrite ln_mult by nra. fold l. rewrite Ph. unfold M in *. rewrite Head in *. nra. }
assert (Lg : ln t <= l / gap ^ 2).
{ assert (H := theorem_4_2_eq_24 t gap T0 G). replace (t * gap * gap) with (t * gap ^ 2) in H by ring. fold l in H.
  replace (gap * gap) with (gap ^ 2) in H by ring. apply H. lra. }
assert (I0 : 0 < / gap ^ 2) by (apply Rinv_0_lt_compat; lra). set (u := M * q * / gap ^ 2).
assert (One : / gap ^ 2 <= u) by (unfold u; assert (1 <= M * q) by nra; nra).
assert (Lu : l * q * / gap ^ 2 <= u) by (unfold u; apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; lra).
assert (S2 : (sqrt 2 + 1) ^ 2 <= 583 / 100) by interval with (i_prec 60). assert (S2' : 0 <= (sqrt 2 + 1) ^ 2) by (apply pow2_ge_0).
assert (Part1 : 4 * enough t alpha gap <= 226 * u).
{ unfold enough. fold q. replace (4 * (4 * (sqrt 2 + 1) ^ 2 * ln (t * gap ^ 2 * phi t alpha) * q / gap ^ 2)) with
    (16 * (sqrt 2 + 1) ^ 2 * (ln (t * gap ^ 2 * phi t alpha) * q * / gap ^ 2)) by (unfold Rdiv; ring).
  assert (H : ln (t * gap ^ 2 * phi t alpha) * q * / gap ^ 2 <= 242 / 100 * u).
  { unfold u. replace (242 / 100 * (M * q * / gap ^ 2)) with (242 / 100 * M * q * / gap ^ 2) by ring.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; lra. }
  assert (0 <= u) by lra. nra. }
assert (Part2 : 50 * optimal_enough t alpha gap <= 1166 * u).
{ unfold optimal_enough. fold l q. rewrite (Rplus_comm 1 (sqrt 2)). replace (50 * (4 * (sqrt 2 + 1) ^ 2 * l * q / gap ^ 2)) with
    (200 * (sqrt 2 + 1) ^ 2 * (l * q * / gap ^ 2)) by (unfold Rdiv; ring). assert (0 <= l * q * / gap ^ 2) by nra. nra. }
assert (Part3 : 3 * (ln t / ln 2 + 1) <= 8 * u).
{ assert (H : / ln 2 <= 145 / 100) by interval with (i_prec 60). assert (0 < / ln 2) by interval with (i_prec 60).
  assert (Ll : ln t <= u) by (apply Rle_trans with (1 := Lg); apply Rle_trans with (2 := Lu); unfold Rdiv; apply Rmult_le_compat_r; nra).
  unfold Rdiv. nra. }
assert (Part4 : 8 / (t * gap ^ 2 * gap ^ 2) <= 8 * u).
{ replace (8 / (t * gap ^ 2 * gap ^ 2)) with (8 * (/ (t * gap ^ 2) * / gap ^ 2)) by (field; lra).
  assert (/ (t * gap ^ 2) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). nra. }
assert (All : pulls_bound t alpha gap <= 1800 * u) by (unfold pulls_bound, Rdiv in *; lra).
replace (1800 * stated t alpha gap) with (gap * (1800 * u)).
- apply Rmult_le_compat_l; lra.
- unfold stated, u, M. fold q. field. lra.
Qed.

Lemma stated_at_most t alpha gap : 0 <= alpha <= 1 -> 0 < gap <= 1 -> 1 <= ln t -> stated t alpha gap <= 9 / 2 * Rpower (ln t) (1 + alpha) / gap.
Proof.
intros A0 G L. assert (G2 : 0 < gap ^ 2 <= 1) by (split; nra). set (q := Rpower (ln t) alpha). assert (Q0 : 0 < q) by apply exp_pos.
assert (Lam : Rpower (ln t) (1 + alpha) = ln t * q) by (rewrite Rpower_plus, Rpower_1 by lra; reflexivity).
assert (H1 : ln (Rpower t ((3 - alpha) / 2) * gap ^ 2) <= 3 / 2 * ln t).
{ rewrite ln_mult by (apply exp_pos || lra). unfold Rpower. rewrite ln_exp. assert (ln (gap ^ 2) <= 0); [|nra].
  rewrite <- ln_1. destruct (Req_dec (gap ^ 2) 1) as [->|N]; [lra|]. left. apply ln_increasing; lra. }
assert (H2 : ln (ln t) <= ln t) by (generalize (exp_ineq1_le (ln (ln t))); rewrite exp_ln by lra; lra).
assert (H0 := ln_positive (ln t) L).
assert (I0 : 0 < / gap) by (apply Rinv_0_lt_compat; lra). unfold stated. fold q. rewrite Lam. unfold Rdiv.
assert (E : (ln (Rpower t ((3 - alpha) * / 2) * gap ^ 2) + (3 - alpha) * ln (ln t)) * (q * / gap) <= (9 * / 2 * ln t) * (q * / gap)).
{ apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. unfold Rdiv in H1. nra. }
lra.
Qed.

(* A wider gap costs no more, in order. *)
Lemma wider_gap t alpha Delta gap : 0 <= alpha <= 1 -> 0 < Delta <= 1 -> Delta <= gap -> exp 1 < t * Delta ^ 2 ->
  stated t alpha gap <= 2 * stated t alpha Delta.
Proof.
intros A0 D G Y. assert (D2 : 0 < Delta ^ 2 <= 1) by (split; nra). assert (e0 := exp_ineq1_le 1). assert (Et : exp 1 < t) by nra.
assert (Lt : 1 < ln t) by (rewrite <- (ln_exp 1); apply ln_increasing; lra). assert (LL := ln_positive (ln t) (Rlt_le _ _ Lt)).
set (x := gap / Delta). assert (Gx : gap = x * Delta) by (unfold x; field; lra).
assert (X1 : 1 <= x) by (apply Rmult_le_reg_r with Delta; lra). clearbody x. subst gap.
assert (Lx : 2 * ln x <= x).
{ assert (E := exp_ineq1_le (ln (x / 2))). rewrite exp_ln in E by lra. assert (ln 2 <= 1) by interval with (i_prec 60).
  replace x with (2 * (x / 2)) at 1 by field. rewrite ln_mult by lra. lra. }
set (c := Rpower t ((3 - alpha) / 2)). set (u := ln (c * Delta ^ 2)). set (v := (3 - alpha) * ln (ln t)).
assert (C0 : 0 < c) by apply exp_pos. assert (V0 : 0 <= v) by (apply Rmult_le_pos; lra). assert (U1 : 1 <= u).
{ unfold u. rewrite <- (ln_exp 1). left. apply ln_increasing; [apply exp_pos|]. apply Rlt_le_trans with (1 := Y).
  apply Rmult_le_compat_r; [lra|]. unfold c. rewrite <- (Rpower_1 t) at 1 by lra. apply Rle_Rpower; lra. }
assert (E : ln (c * (x * Delta) ^ 2) = u + 2 * ln x).
{ unfold u. replace (c * (x * Delta) ^ 2) with (c * Delta ^ 2 * (x * x)) by ring. rewrite !ln_mult by (try apply Rmult_lt_0_compat; lra). ring. }
assert (S : (u + 2 * ln x + v) * / x <= 2 * (u + v)).
{ apply Rmult_le_reg_r with x; [lra|]. rewrite Rmult_assoc, Rinv_l by lra.
  assert (u + v <= (u + v) * x) by nra. assert (x <= (u + v) * x) by nra. lra. }
unfold stated. fold c v. rewrite E. fold u. set (q := Rpower (ln t) alpha). assert (Q0 : 0 < q / Delta) by (apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
apply (Rmult_le_compat_r (q / Delta)) in S; [|lra].
replace ((u + 2 * ln x) * q / (x * Delta) + v * q / (x * Delta)) with ((u + 2 * ln x + v) * / x * (q / Delta)) by (field; lra).
replace (2 * (u * q / Delta + v * q / Delta)) with (2 * (u + v) * (q / Delta)) by (field; lra). exact S.
Qed.

Section Regret.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (draws : A -> nat -> nat -> W -> R) (pulled : nat -> W -> A) (one : A)
  (levels widths : R -> Prop) (T B : nat) (alpha : R).
Hypothesis run : ts_ucb_run A same arms W P X mu draws pulled one levels widths T B alpha.
Notation pulls a := (pulls_of A same arms W pulled T a).
Notation cost := (regret A same arms W mu pulled one T).
Notation expected a := (mean P (pulls a)).

Lemma pulls_mean a : has_mean P (pulls a).
Proof.
destruct (mean_sum W P (fun t w => if same (pulled t w) a then 1 else 0) (T - length arms)) as [F _].
- intros t _. apply event_mean; [apply (pulls_measurable _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ run)|intros w; indicators].
- apply (has_mean_same W P _ _ (fun w => Rplus_comm _ 1)).
  apply (has_mean_same W P (fun w => 1 * sum_to (T - length arms) (fun t => if same (pulled t w) a then 1 else 0) + 1));
    [intros w; ring|]. now apply has_mean_affine.
Qed.

Lemma cost_mean : has_mean P cost /\ mean P cost = sum (fun a => (mu one - mu a) * expected a) arms.
Proof.
destruct (mean_of_arms P (fun a w => (mu one - mu a) * pulls a w) arms) as [F E]; [intros; apply has_mean_scaled, pulls_mean|].
split; [exact F|]. unfold regret. rewrite E. apply sum_eq. intros a _. apply mean_scaled, pulls_mean.
Qed.

(* Each round pulls one arm. *)
Lemma all_pulls w : (length arms <= T)%nat -> sum (fun a => pulls a w) arms = INR T.
Proof.
intros K. unfold pulls_of. rewrite (sum_plus A (fun _ => 1)), sum_const.
assert (S : forall n, (n <= T - length arms)%nat -> sum (fun a => sum_to n (fun t => if same (pulled t w) a then 1 else 0)) arms = INR n).
{ induction n as [|n IH]; intros L; cbn [sum_to]; [rewrite sum_const; simpl; ring|].
  rewrite sum_plus, IH, S_INR by lia. f_equal. apply (sum_at A same); [exact (arms_differ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ run)|].
  apply (pulled_is_arm _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ run). lia. }
rewrite S, Rmult_1_r, <- plus_INR by lia. f_equal. lia.
Qed.

Lemma pulls_of_positive a w : 0 <= pulls a w.
Proof.
unfold pulls_of. assert (0 <= sum_to (T - length arms) (fun t => if same (pulled t w) a then 1 else 0)); [|lra].
apply Rle_trans with (sum_to (T - length arms) (fun _ => 0)); [rewrite sum_to_const; lra|]. apply sum_to_le. intros j _. indicators.
Qed.

Hypotheses (A0 : 0 <= alpha <= 1) (budget : INR B <= phi (INR T) alpha < INR B + 1).
Hypothesis given : numbers_given arms mu one levels widths T alpha.
Notation best := (forall a, In a arms -> mu a <= mu one).

Lemma arm_at_most a : In a arms -> mu a < mu one -> exp 1 < INR T * (mu one - mu a) ^ 2 ->
  0 < mu one - mu a <= 1 /\ (mu one - mu a) * expected a <= (mu one - mu a) * pulls_bound (INR T) alpha (mu one - mu a).
Proof.
intros I L Y. destruct (given a I L) as [G1 G2].
split; [exact (gap_inside A same arms W P X mu draws pulled one levels widths T B alpha run a L)|]. apply Rmult_le_compat_l; [lra|].
exact (pulls_at_most A same arms W P X mu draws pulled one levels widths T B alpha run A0 budget a I L Y G1 G2).
Qed.

(* The first sentence: with all constants of Appendix D, and in the order that is stated. *)
Theorem problem_dependent : best -> long_enough arms mu one T ->
  has_mean P cost /\
  mean P cost <= over_suboptimal arms mu one (fun gap => gap * pulls_bound (INR T) alpha gap) /\
  mean P cost <= over_suboptimal arms mu one (fun gap => 1800 * stated (INR T) alpha gap).
Proof.
intros Best long. destruct cost_mean as [F E]. split; [exact F|].
assert (H : mean P cost <= over_suboptimal arms mu one (fun gap => gap * pulls_bound (INR T) alpha gap)).
{ rewrite E. apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|L]; [now apply arm_at_most; auto|].
  replace (mu one - mu a) with 0 by (generalize (Best a I); lra). lra. }
split; [exact H|]. apply Rle_trans with (1 := H). apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|_]; [|lra].
apply in_order; [exact A0|now apply arm_at_most; auto|now apply long].
Qed.

(* The rows of Table 1, for gaps of Delta at least. *)
Theorem table_1_regret (Delta : R) : best -> 0 < Delta <= 1 -> exp 1 < INR T * Delta ^ 2 ->
  (forall a, In a arms -> mu a < mu one -> Delta <= mu one - mu a) ->
  let K := INR (length arms) in let t := INR T in has_mean P cost /\
  mean P cost <= 3600 * (K * ln (Rpower t ((3 - alpha) / 2) * Delta ^ 2) * Rpower (ln t) alpha / Delta) +
    10800 * (K * ln (ln t) * Rpower (ln t) alpha / Delta).
Proof.
intros Best D Y Far K t. assert (long : long_enough arms mu one T).
{ intros a I L. apply Rlt_le_trans with (1 := Y). apply Rmult_le_compat_l; [apply pos_INR|]. apply pow_incr. specialize (Far a I L). lra. }
destruct (problem_dependent Best long) as (F & _ & H). split; [exact F|]. apply Rle_trans with (1 := H). clear F H.
assert (Wide : forall gap, Delta <= gap -> 1800 * stated t alpha gap <= 3600 * stated t alpha Delta).
{ intros gap G. generalize (wider_gap t alpha Delta gap A0 D G Y). lra. }
apply Rle_trans with (sum (fun _ => 3600 * stated t alpha Delta) arms).
- apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|_]; [apply Wide; now apply Far|]. generalize (Wide Delta (Rle_refl _)). lra.
- rewrite sum_const. fold K. assert (K0 : 0 <= K) by apply pos_INR. assert (e0 := exp_ineq1_le 1).
  assert (Et : exp 1 < t) by (assert (0 < Delta ^ 2 <= 1) by (split; nra); unfold t; nra).
  assert (LL : 0 <= ln (ln t)) by (apply ln_positive; left; rewrite <- (ln_exp 1); apply ln_increasing; lra).
  set (q := Rpower (ln t) alpha). assert (Q0 : 0 <= K * ln (ln t) * q / Delta).
  { apply Rle_mult_inv_pos; [|lra]. apply Rmult_le_pos; [now apply Rmult_le_pos|left; apply exp_pos]. }
  unfold stated. fold q. unfold Rdiv in *. nra.
Qed.

Hypotheses (three : (3 <= T)%nat) (enough_rounds : (length arms <= T)%nat).
Notation spread := (Rpower (ln (INR T)) (1 + alpha)).

Lemma long_logarithm : 3 <= INR T /\ 1 <= ln (INR T) /\ 1 <= spread.
Proof.
assert (Ht : 3 <= INR T) by (apply le_INR in three; simpl INR in three; lra).
assert (Lt : 1 <= ln (INR T)).
{ apply Rle_trans with (ln 3); [interval with (i_prec 60)|]. destruct Ht as [Ht|<-]; [left; apply ln_increasing; lra|lra]. }
split; [exact Ht|]. split; [exact Lt|]. rewrite <- (Rpower_O (ln (INR T))) at 1 by lra. apply Rle_Rpower; lra.
Qed.

Lemma all_expected : sum (fun a => expected a) arms = INR T.
Proof.
destruct (mean_of_arms P (fun a => pulls a) arms) as [_ E]; [intros; apply pulls_mean|].
rewrite <- E, <- (mean_const W P (INR T)). apply mean_same. intros w. now apply all_pulls.
Qed.

Lemma expected_inside a : In a arms -> 0 <= expected a <= INR T.
Proof.
assert (Pos : forall b, 0 <= expected b) by (intros b; apply mean_positive; [apply pulls_mean|apply pulls_of_positive]).
intros I. split; [apply Pos|]. rewrite <- all_expected. apply (sum_single A (fun a => expected a)); [intros; apply Pos|exact I].
Qed.

(* What an arm costs whose gap is D at least, whether T gap^2 > e or not. *)
Lemma far_arm a D : In a arms -> 0 < D <= mu one - mu a -> (mu one - mu a) * expected a <= 8100 * (spread / D).
Proof.
intros I D0. destruct long_logarithm as (Ht & Lt & L1). set (gap := mu one - mu a) in *.
assert (I0 : 0 < / gap) by (apply Rinv_0_lt_compat; lra).
assert (Near : spread / gap <= spread / D) by (apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; lra]).
destruct (Rlt_dec (exp 1) (INR T * gap ^ 2)) as [Y|Y].
- destruct (arm_at_most a I ltac:(unfold gap in D0; lra) Y) as [G H]. fold gap in G, H.
  assert (H2 := in_order (INR T) alpha gap A0 G Y). assert (H3 := stated_at_most (INR T) alpha gap A0 G Lt). unfold Rdiv in *. lra.
- assert (e3 := exp_le_3). assert (M := expected_inside a I).
  assert (gap * expected a <= gap * INR T) by (apply Rmult_le_compat_l; lra).
  assert (gap * INR T <= 3 * / gap).
  { apply Rmult_le_reg_r with gap; [lra|]. rewrite Rmult_assoc, (Rmult_assoc 3), Rinv_l by lra. nra. }
  assert (/ gap <= spread / gap) by (unfold Rdiv; nra). lra.
Qed.

Theorem worst_case : has_mean P cost /\
  mean P cost <= 8102 * (sqrt (INR (length arms) * INR T) * Rpower (ln (INR T)) ((1 + alpha) / 2)).
Proof.
destruct long_logarithm as (Ht & Lt & L1). set (K := INR (length arms)). set (t := INR T) in *. set (lam := Rpower (ln t) (1 + alpha)) in *.
destruct cost_mean as [F E]. split; [exact F|]. rewrite E. clear E.
assert (K1 : 1 <= K).
{ apply (le_INR 1). exact (one_arm_many A same arms W P X mu draws pulled one levels widths T B alpha run). }
set (root := sqrt (K * t * lam)). assert (K0 : 0 < K * t * lam) by (repeat apply Rmult_lt_0_compat; lra).
assert (R0 : 0 < root) by now apply sqrt_lt_R0. assert (R2 : root * root = K * t * lam) by (apply sqrt_sqrt; lra).
assert (Goal_is : sqrt (K * t) * Rpower (ln t) ((1 + alpha) / 2) = root).
{ unfold root. rewrite (sqrt_mult (K * t) lam) by nra. f_equal. symmetry. apply sqrt_lem_1; [lra|left; apply exp_pos|].
  unfold lam. rewrite <- Rpower_plus. f_equal. field. }
rewrite Goal_is. set (D := 2 * root / t). assert (D0 : 0 < D) by (unfold D; apply Rdiv_lt_0_compat; lra).
assert (X0 : 0 < lam / D) by (apply Rdiv_lt_0_compat; lra).
apply Rle_trans with (sum (fun a => D * expected a + 8100 * (lam / D)) arms).
- apply sum_le. intros a I. assert (M := expected_inside a I). destruct (Rle_lt_dec (mu one - mu a) D) as [Le|Gt].
  + assert ((mu one - mu a) * expected a <= D * expected a) by (apply Rmult_le_compat_r; lra). lra.
  + assert (H := far_arm a D I ltac:(lra)). fold t lam in H. assert (0 <= D * expected a) by (apply Rmult_le_pos; lra). lra.
- rewrite (sum_plus A (fun a => D * expected a)), sum_const, (sum_eq A _ (fun a => expected a * D)), sum_scaled, all_expected by (intros; ring).
  fold K t. assert (E1 : t * D = 2 * root) by (unfold D; field; lra).
  assert (E2 : K * (lam / D) = root / 2).
  { apply Rmult_eq_reg_r with root; [|lra]. replace (root / 2 * root) with (K * t * lam / 2) by (rewrite <- R2; field). unfold D. field. lra. }
  rewrite E1. replace (K * (8100 * (lam / D))) with (8100 * (K * (lam / D))) by ring. rewrite E2. lra.
Qed.

(* The abstract's order, for gaps of Delta at least. *)
Theorem abstract_regret (Delta : R) : best -> 0 < Delta -> (forall a, In a arms -> mu a < mu one -> Delta <= mu one - mu a) ->
  has_mean P cost /\
  mean P cost <= 8100 * (INR (length arms) * Rpower (ln (INR T)) (alpha + 1) / Delta).
Proof.
intros Best D0 Far. destruct long_logarithm as (Ht & Lt & L1). rewrite (Rplus_comm alpha 1).
destruct cost_mean as [F E]. split; [exact F|]. rewrite E. clear E.
assert (X0 : 0 < spread / Delta) by (apply Rdiv_lt_0_compat; lra).
apply Rle_trans with (sum (fun _ => 8100 * (spread / Delta)) arms).
- apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|N]; [apply far_arm; [exact I|split; [exact D0|now apply Far]]|].
  replace (mu one - mu a) with 0 by (generalize (Best a I); lra). lra.
- rewrite sum_const. right. unfold Rdiv. ring.
Qed.
End Regret.

Theorem corollary_4_3 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (W : sample_space) (P : probability_measure W)
  (X : A -> nat -> W -> R) (mu : A -> R) (draws : A -> nat -> nat -> W -> R) (pulled : nat -> W -> A) (one : A)
  (levels widths : R -> Prop) (T B : nat) :
  ts_ucb_run A same arms W P X mu draws pulled one levels widths T B 0 ->
  INR B <= phi (INR T) 0 < INR B + 1 -> (forall a, In a arms -> mu a <= mu one) ->
  numbers_given arms mu one levels widths T 0 -> (3 <= T)%nat -> (length arms <= T)%nat ->
  has_mean P (regret A same arms W mu pulled one T) /\
  mean P (regret A same arms W mu pulled one T) <= 8102 * sqrt (INR (length arms) * INR T * ln (INR T)) /\
  (long_enough arms mu one T -> mean P (regret A same arms W mu pulled one T) <= over_suboptimal arms mu one (fun gap =>
    1800 * (ln (Rpower (INR T) (3 / 2) * gap ^ 2) / gap) + 5400 * (ln (ln (INR T)) / gap))).
Proof.
intros run budget best given T3 KT. assert (A0 : 0 <= 0 <= 1) by lra.
destruct (worst_case A same arms W P X mu draws pulled one levels widths T B 0 run A0 budget given T3 KT) as [F H].
assert (Ht : 3 <= INR T) by (apply le_INR in T3; simpl INR in T3; lra).
assert (Lt : 0 < ln (INR T)) by (rewrite <- ln_1; apply ln_increasing; lra).
split; [exact F|]. split.
- apply Rle_trans with (1 := H). right. f_equal. rewrite (sqrt_mult (INR (length arms) * INR T) (ln (INR T))) by
    (try (apply Rmult_le_pos; apply pos_INR); lra). f_equal. replace ((1 + 0) / 2) with (/ 2) by field. now apply Rpower_sqrt.
- intros long. destruct (problem_dependent A same arms W P X mu draws pulled one levels widths T B 0 run A0 budget given best long) as (_ & _ & Q).
  apply Rle_trans with (1 := Q). apply sum_le. intros a I. destruct (Rlt_dec (mu a) (mu one)) as [L|_]; [|lra]. right. unfold stated.
  rewrite Rpower_O by exact Lt. replace ((3 - 0) / 2) with (3 / 2) by field. unfold Rdiv. ring.
Qed.

(** * The hypotheses can hold together *)
(* Infinitely many fair tosses, and three more, whose probabilities depend on the first fair toss. *)
Definition tosses_and_three : sample_space.
Proof.
exists ((nat -> bool) * (bool * bool * bool))%type (fun f => exists n, forall d, settled n (fun w => f (w, d))).
- intros c. exists 0%nat. now intros d w w' _.
- intros f g (n & F) (m & G). exists (Nat.max n m). intros d w w' E.
  rewrite (F d w w'), (G d w w') by (intros; apply E; lia). reflexivity.
- intros f g (n & F) (m & G). exists (Nat.max n m). intros d w w' E.
  rewrite (F d w w'), (G d w w') by (intros; apply E; lia). reflexivity.
- intros h f _ (n & F). exists n. intros d w w' E. now rewrite (F d w w' E).
- intros c f (n & F). exists n. intros d w w' E. now rewrite (F d w w' E).
Defined.

(* Three tosses, which show true with the probabilities p, q and r. *)
Definition three_coins (p q r : R) (f : bool * bool * bool -> R) : R :=
  p * (q * (r * f (true, true, true) + (1 - r) * f (true, true, false)) + (1 - q) * (r * f (true, false, true) + (1 - r) * f (true, false, false))) +
  (1 - p) * (q * (r * f (false, true, true) + (1 - r) * f (false, true, false)) + (1 - q) * (r * f (false, false, true) + (1 - r) * f (false, false, false))).

Lemma mixed_le p a b c d : 0 <= p <= 1 -> a <= c -> b <= d -> p * a + (1 - p) * b <= p * c + (1 - p) * d.
Proof. intros. nra. Qed.

Section Coins.
Variables (p r : bool -> R) (q : R).
Hypotheses (p01 : forall b, 0 <= p b <= 1) (q01 : 0 <= q <= 1) (r01 : forall b, 0 <= r b <= 1).
Definition given_first (f : tosses_and_three -> R) (w : tosses) : R := three_coins (p (w 0%nat)) q (r (w 0%nat)) (fun d => f (w, d)).

Lemma given_first_mean (f : tosses_and_three -> R) : random_variable f -> has_mean fair_tosses (given_first f).
Proof.
intros (n & F). exists (S n). intros w w' E. unfold given_first. rewrite (E 0%nat) by lia. f_equal. same_function. intros d.
apply F. intros i I. apply E. lia.
Qed.

Definition tosses_then_coins : probability_measure tosses_and_three.
Proof.
exists (random_variable (s := tosses_and_three)) (fun f => mean fair_tosses (given_first f)).
- auto.
- auto.
- intros c. apply variable_const.
- intros a b f g F G. apply variable_plus; apply variable_times; auto; apply variable_const.
- intros c. transitivity (mean fair_tosses (fun _ => c)); [|apply (mean_const tosses fair_tosses)]. apply mean_same. intros w.
  unfold given_first, three_coins. ring.
- intros a b f g F G. rewrite <- mean_linear by now apply given_first_mean. apply mean_same. intros w. unfold given_first, three_coins. cbv beta. ring.
- intros f g F G H. apply mean_le; [now apply given_first_mean|now apply given_first_mean|]. intros w. unfold given_first, three_coins.
  repeat apply mixed_le; auto.
Defined.

(* The mean of what depends on the first fair toss and on the three; and on the fair tosses alone. *)
Lemma mean_of_first (f : bool -> bool * bool * bool -> R) : mean tosses_then_coins (fun v => f (fst v 0%nat) (snd v)) =
  (three_coins (p true) q (r true) (f true) + three_coins (p false) q (r false) (f false)) / 2.
Proof.
rewrite <- (mean_toss _ _ 0). apply (mean_same tosses fair_tosses). intros w. unfold given_first, pays_by_toss. cbn [fst snd].
now destruct (w 0%nat).
Qed.

Lemma mean_of_tosses_alone (f : tosses -> R) : mean tosses_then_coins (fun v => f (fst v)) = mean fair_tosses f.
Proof. apply (mean_same tosses fair_tosses). intros w. unfold given_first, three_coins. cbn [fst]. ring. Qed.

Lemma tosses_stay_independent a b k n : independent tosses_then_coins (fun j v => pays_by_toss a b (k + j) (fst v)) n.
Proof.
intros h C _. assert (I := pays_independent a b (k + n)).
set (g i := if Nat.ltb i k then fun _ => 1 else h (i - k)%nat).
assert (Split : forall m x, product_to (k + m) x = product_to k x * product_to m (fun j => x (k + j)%nat)).
{ intros m x. induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. cbn [product_to]. rewrite IH. ring. }
assert (Ones : forall m x, (forall i, (i < m)%nat -> x i = 1) -> product_to m x = 1).
{ intros m x. induction m as [|m IH]; intros H; [reflexivity|]. cbn [product_to]. rewrite IH, H by (intros; auto; apply H; lia). ring. }
assert (Set1 : forall i, has_mean fair_tosses (fun w => g i (pays_by_toss a b i w))).
{ intros i. exists (S i). intros w w' E. now rewrite (toss_settled a b i w w' E). }
destruct (I g) as [F E].
- intros i x. unfold g. destruct (Nat.ltb i k); [apply continuous_const|apply C].
- intros i _. apply Set1.
- assert (Low : forall i, (i < k)%nat -> g i = fun _ => 1) by (intros i L; unfold g; now rewrite (proj2 (Nat.ltb_lt i k) L)).
  assert (High : forall j, g (k + j)%nat = h j).
  { intros j. unfold g. rewrite (proj2 (Nat.ltb_ge (k + j) k)) by lia. f_equal. lia. }
  assert (Prod : forall w, product_to (k + n) (fun i => g i (pays_by_toss a b i w)) = product_to n (fun j => h j (pays_by_toss a b (k + j) w))).
  { intros w. rewrite Split, (Ones k) by (intros i L; now rewrite Low). rewrite Rmult_1_l. apply product_to_same. intros j _. now rewrite High. }
  split.
  + destruct F as (m & F). exists m. intros d w w' D. cbn [fst]. rewrite <- !Prod. now apply F.
  + rewrite (mean_of_tosses_alone (fun w => product_to n (fun j => h j (pays_by_toss a b (k + j) w)))).
    transitivity (mean fair_tosses (fun w => product_to (k + n) (fun i => g i (pays_by_toss a b i w))));
      [symmetry; apply (mean_same tosses fair_tosses); exact Prod|].
    rewrite E, Split, (Ones k), Rmult_1_l by (intros i L; rewrite Low by exact L; apply (mean_const tosses fair_tosses)).
    apply product_to_same. intros j _. rewrite High. symmetry. apply (mean_of_tosses_alone (fun w => h j (pays_by_toss a b (k + j) w))).
Qed.
End Coins.

(* Two arms: a fair toss for each number k decides the k-th reward of both, which is 1 or 24/25, and 1/25 or 0. T = 3: one
   round. Of the three tosses, the first decides the first sample of the better arm, the third its others, and the second all
   samples of the other arm. *)
Definition example_reward (a : bool) (k : nat) (v : tosses_and_three) : R :=
  if a then pays_by_toss 1 (24 / 25) k (fst v) else pays_by_toss (1 / 25) 0 k (fst v).
Definition example_mean (a : bool) : R := if a then 49 / 50 else 1 / 50.
Definition example_gap : R := example_mean true - example_mean false.
Definition far_away : R := sqrt (2 * ln (INR 3 * example_gap ^ 2 * phi (INR 3) 0)).
Definition example_draws (a : bool) (s h : nat) (v : tosses_and_three) : R :=
  if a then match h with O => if fst (fst (snd v)) then 49 / 50 else 1 / 2 | S _ => if snd (snd v) then 2 else 0 end
  else epoch_mean (example_reward false) s v + if snd (fst (snd v)) then far_away * deviation 0 (INR 3) (observations s) + 1 else 0.
Definition example_pulled (t : nat) (v : tosses_and_three) : bool := negb (snd (fst (snd v))).

Lemma phi_of_3 : 3 < phi (INR 3) 0.
Proof. replace (INR 3) with 3 by (simpl; ring). unfold phi, Rpower. interval with (i_prec 60). Qed.

Lemma first_mean a v : epoch_mean (example_reward a) 0 v = example_reward a 0 v.
Proof. unfold epoch_mean. simpl. field. Qed.

Lemma example_reward_variable a k : random_variable (example_reward a k).
Proof. exists (S k). intros d w w' E. unfold example_reward, pays_by_toss. cbn [fst]. now rewrite (E k) by lia. Qed.

Lemma example_epoch_variable a s : random_variable (epoch_mean (example_reward a) s).
Proof. apply variable_scaled, variable_sum. intros. apply example_reward_variable. Qed.

Lemma coin_variable (f : bool * bool * bool -> R) : random_variable (s := tosses_and_three) (fun v => f (snd v)).
Proof. exists 0%nat. now intros d w w' _. Qed.

Lemma example_run : exists (P : probability_measure tosses_and_three) (N : nat), INR N <= phi (INR 3) 0 < INR N + 1 /\
  ts_ucb_run bool bool_dec [true; false] tosses_and_three P example_reward example_mean example_draws example_pulled
    true (fun z => z = example_mean false + example_gap / 2) (fun u => u = far_away) 3 N 0.
Proof.
destruct (nfloor_ex (phi (INR 3) 0)) as (N & HN); [generalize phi_of_3; lra|]. assert (N2 : (2 < N)%nat) by (apply INR_lt; generalize phi_of_3; simpl (INR 2); lra).
set (dev := deviation 0 (INR 3) (observations 0)).
assert (Between : forall x, 0 <= Phi x <= 1) by (intros x; generalize (Phi_inside x); lra).
set (paid (b : bool) := if b then 1 else 24 / 25).
set (p b := sample_above (paid b) dev (1 / 2)).
set (x b := Phi ((49 / 50 - paid b) / dev) ^ N). assert (X01 : forall b, 0 <= 1 - x b <= 1).
{ intros b. assert (0 <= x b <= 1); [|lra]. unfold x. split; [apply pow_le, Between|]. rewrite <- (pow1 N). apply pow_incr, Between. }
set (P := tosses_then_coins p (fun b => 1 - x b) (Phi (- far_away)) (fun b => Between _) (Between _) X01). exists P, N. split; [exact HN|].
assert (Means : forall f, mean P (fun v => f (fst v 0%nat) (snd v)) = _) by (intros f; apply mean_of_first).
assert (First : forall v, example_reward true 0 v = paid (fst v 0%nat)) by reflexivity.
assert (Mean_z : example_mean false + example_gap / 2 = 1 / 2) by (unfold example_gap, example_mean; field).
assert (F0 : 0 <= far_away) by apply sqrt_pos.
assert (D0 : forall s, 0 <= far_away * deviation 0 (INR 3) (observations s)) by (intros; apply Rmult_le_pos; [exact F0|apply sqrt_pos]).
assert (Fresh : Nat.ltb 0 N = true) by (apply Nat.ltb_lt; lia).
assert (Score : forall a v, score bool bool_dec tosses_and_three example_draws example_pulled N a 0 v = example_draws a 0 0 v).
{ intros a v. unfold score. change (age_at bool bool_dec tosses_and_three example_pulled a 0 v) with 0%nat. now rewrite Fresh. }
assert (Worse : forall v, example_draws false 0 0 v = if snd (fst (snd v)) then example_reward false 0 v + (far_away * deviation 0 (INR 3) (observations 0) + 1)
    else example_reward false 0 v).
{ intros v. unfold example_draws. rewrite first_mean. destruct (snd (fst (snd v))); ring. }
assert (Low : forall v, 0 <= example_reward false 0 v <= 1 / 25) by (intros v; unfold example_reward, pays_by_toss; destruct (fst v 0%nat); lra).
split.
- repeat constructor; simpl; intuition discriminate.
- now left.
- apply example_reward_variable.
- intros a k v. unfold example_reward, pays_by_toss. destruct a, (fst v k); lra.
- intros a k. destruct a; unfold example_reward, P.
  + rewrite (mean_of_tosses_alone _ _ _ _ _ _ (pays_by_toss 1 (24 / 25) k)), mean_toss. unfold example_mean. field.
  + rewrite (mean_of_tosses_alone _ _ _ _ _ _ (pays_by_toss (1 / 25) 0 k)), mean_toss. unfold example_mean. field.
- intros a s. destruct a; apply tosses_stay_independent.
- intros a s h. destruct a; [|apply variable_plus; [apply example_epoch_variable|]].
  + unfold example_draws. destruct h; [apply (coin_variable (fun d => if fst (fst d) then 49 / 50 else 1 / 2))|
      apply (coin_variable (fun d => if snd d then 2 else 0))].
  + apply (coin_variable (fun d => if snd (fst d) then far_away * deviation 0 (INR 3) (observations s) + 1 else 0)).
- intros t a. apply (coin_variable (fun d => if bool_dec (negb (snd (fst d))) a then 1 else 0)).
- intros t v _. destruct (example_pulled t v); simpl; auto.
- intros t v a T1 _. simpl in T1. assert (t = 0%nat) by lia. subst t. rewrite !Score. specialize (D0 0%nat). specialize (Low v).
  assert (W := Worse v). unfold example_pulled. destruct (snd (fst (snd v))), a; cbn [negb]; try lra; rewrite W; unfold example_draws;
    destruct (fst (fst (snd v))); lra.
- intros t u f T1 -> C Pos _. simpl in T1. assert (t = 0%nat) by lia. subst t. rewrite Mean_z.
  assert (Mean : forall v, mean_at bool bool_dec tosses_and_three example_reward example_pulled true 0 v = paid (fst v 0%nat)).
  { intros v. unfold mean_at. change (epoch_at bool bool_dec tosses_and_three example_pulled true 0 v) with 0%nat. now rewrite first_mean. }
  assert (Now : forall v, fresh_and_others_low bool bool_dec [true; false] tosses_and_three example_draws example_pulled true N 0 (1 / 2) v =
      negb (snd (fst (snd v)))).
  { intros v. unfold fresh_and_others_low. change (age_at bool bool_dec tosses_and_three example_pulled true 0 v) with 0%nat. rewrite Fresh.
    change (others bool bool_dec [true; false] true) with [false]. unfold all_at_most. cbn [forallb]. rewrite Score, Worse.
    specialize (D0 0%nat). specialize (Low v).
    destruct (snd (fst (snd v))); destruct (Rle_dec _ (1 / 2)) as [H|H]; try reflexivity; exfalso; lra. }
  assert (Above : forall v c, (if Rlt_dec (1 / 2) (score bool bool_dec tosses_and_three example_draws example_pulled N true 0 v) then c else 0) =
      if fst (fst (snd v)) then c else 0).
  { intros v c. rewrite Score. unfold example_draws. destruct (fst (fst (snd v))); destruct (Rlt_dec _ _) as [H|H]; try reflexivity; exfalso; lra. }
  set (above (b : bool) (d : bool * bool * bool) := if negb (snd (fst d)) then if fst (fst d) then f 0%nat (paid b) else 0 else 0).
  set (weighed (b : bool) (d : bool * bool * bool) := if negb (snd (fst d)) then f 0%nat (paid b) * p b else 0).
  transitivity (mean P (fun v => above (fst v 0%nat) (snd v))); [|transitivity (mean P (fun v => weighed (fst v 0%nat) (snd v)))].
  + apply mean_same. intros v. rewrite Now, Above, Mean. reflexivity.
  + rewrite !Means. unfold above, weighed, three_coins. simpl. field.
  + apply mean_same. intros v. rewrite Now, Mean. reflexivity.
- intros s S1. change (Nat.log2 3) with 1%nat in S1. assert (s = 0%nat) by lia. subst s.
  set (low (b : bool) (d : bool * bool * bool) := if snd d then 0 else 1). set (chance (b : bool) (d : bool * bool * bool) := x b).
  transitivity (mean P (fun v => low (fst v 0%nat) (snd v))); [|transitivity (mean P (fun v => chance (fst v 0%nat) (snd v)))].
  + apply mean_same. intros v. unfold low. destruct (forallb _ (seq 0 N)) eqn:All; destruct (snd (snd v)) eqn:S3; try reflexivity; exfalso.
    * assert (I1 : In 1%nat (seq 0 N)) by (apply in_seq; lia). apply (proj1 (forallb_forall _ _) All) in I1. cbv beta in I1.
      unfold example_draws, example_mean in I1. rewrite S3 in I1. destruct (Rle_dec 2 _); [lra|discriminate].
    * assert (Yes : forallb (fun h => if Rle_dec (example_draws true 0 h v) (example_mean true) then true else false) (seq 0 N) = true); [|congruence].
      apply forallb_forall. intros h _. destruct (Rle_dec _ _) as [_|H]; [reflexivity|]. exfalso. apply H. unfold example_draws, example_mean.
      destruct h; [destruct (fst (fst (snd v)))|rewrite S3]; lra.
  + rewrite !Means. unfold low, chance, three_coins. simpl. field.
  + apply mean_same. intros v. unfold chance, x. rewrite first_mean. reflexivity.
- intros a s h u _ L ->. destruct a; [lra|]. unfold strict_upper_tail.
  set (far (b : bool) (d : bool * bool * bool) := if snd (fst d) then 1 else 0).
  transitivity (mean P (fun v => far (fst v 0%nat) (snd v))).
  + apply mean_same. intros v. unfold example_draws, far. specialize (D0 s).
    destruct (snd (fst (snd v))); destruct (Rlt_dec _ _) as [H|H]; try reflexivity; exfalso; lra.
  + rewrite Means. unfold far, three_coins. simpl. field.
Qed.

Lemma example_long : exp 1 < INR 3 * (example_mean true - example_mean false) ^ 2.
Proof. unfold example_mean. replace (INR 3 * (49 / 50 - 1 / 50) ^ 2) with (1728 / 625) by (simpl; field). interval with (i_prec 60). Qed.

Lemma example_best a : In a [true; false] -> example_mean a <= example_mean true.
Proof. intros _. destruct a; unfold example_mean; lra. Qed.

Lemma example_numbers : numbers_given [true; false] example_mean true (fun z => z = example_mean false + example_gap / 2) (fun u => u = far_away) 3 0.
Proof. intros [] _ L; [lra|]. split; reflexivity. Qed.

Ltac example := destruct example_run as (P & N & HN & run);
  exists bool, bool_dec, [true; false], tosses_and_three, P, example_reward, example_mean, example_draws, example_pulled,
    true, (fun z => z = example_mean false + example_gap / 2), (fun u => u = far_away), 3%nat, N.

Lemma problem_dependent_witness : satisfiable problem_dependent.
Proof.
example. exists 0. split; [exact run|]. split; [lra|]. split; [exact HN|]. split; [exact example_numbers|]. split; [exact example_best|].
intros [] _ L; [lra|exact example_long].
Qed.

Lemma table_1_regret_witness : satisfiable table_1_regret.
Proof.
example. exists 0. split; [exact run|]. split; [lra|]. split; [exact HN|]. split; [exact example_numbers|]. exists example_gap.
split; [exact example_best|]. split; [unfold example_gap, example_mean; lra|]. split; [exact example_long|].
intros [] _ L; [lra|apply Rle_refl].
Qed.

Lemma worst_case_witness : satisfiable worst_case.
Proof.
example. exists 0. split; [exact run|]. split; [lra|]. split; [exact HN|]. split; [exact example_numbers|]. split; [apply le_n|simpl; lia].
Qed.

Lemma abstract_regret_witness : satisfiable abstract_regret.
Proof.
example. exists 0. split; [exact run|]. split; [lra|]. split; [exact HN|]. split; [exact example_numbers|]. split; [apply le_n|].
split; [simpl; lia|]. exists example_gap. split; [exact example_best|]. split; [unfold example_gap, example_mean; lra|].
intros [] _ L; [lra|apply Rle_refl].
Qed.

Lemma corollary_4_3_witness : satisfiable corollary_4_3.
Proof.
example. split; [exact run|]. split; [exact HN|]. split; [exact example_best|]. split; [exact example_numbers|].
split; [apply le_n|]. split; [simpl; lia|]. intros [] _ L; [lra|exact example_long].
Qed.
