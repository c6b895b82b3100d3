(* Thompson sampling on rewards that are random variables: a round is the law of its samples, given the rewards and all
   pulls before it, and the expectation of what a run gains is taken round by round. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments normal expectation concentration coin_tosses.
Import ListNotations.
Open Scope R_scope.

Section Arms.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A).

Lemma sum_positive (f : A -> R) l : (forall a, 0 <= f a) -> 0 <= sum f l.
Proof. intros H. induction l as [|a l IH]; simpl; [lra|]. generalize (H a). lra. Qed.

Fixpoint product (f : A -> R) (l : list A) : R := match l with [] => 1 | a :: l' => f a * product f l' end.

(** * One round *)

(* The samples of a round, one for each arm, with their law, and the arm that is pulled. *)
Record round := {
  draw : sample_space;
  round_law : probability_measure draw;
  sample : A -> draw -> R;
  pulled : draw -> A
}.

(* The samples of these arms are all at most y. *)
Definition all_at_most (r : round) (l : list A) (y : R) (d : draw r) : bool :=
  forallb (fun a => if Rle_dec (sample r a d) y then true else false) l.

(* A largest sample is pulled, whatever ties do. The samples are independent and normal with the means mu_hat a and the
   variances c/(n a + 1): of this, only the probabilities are asked that samples are at most y, for the given y. *)
Definition thompson_round (levels : R -> Prop) (n : A -> nat) (mu_hat : A -> R) (c : R) (r : round) : Prop :=
  (forall d, In (pulled r d) arms) /\
  (forall d a, In a arms -> sample r a d <= sample r (pulled r d) d) /\
  (forall a, random_variable (sample r a)) /\
  (forall a, random_variable (fun d => if same (pulled r d) a then 1 else 0)) /\
  (forall y l, levels y -> NoDup l -> incl l arms ->
    mean (round_law r) (fun d => if all_at_most r l y d then 1 else 0) =
      product (fun a => Phi ((y - mu_hat a) / sqrt (c / (INR (n a) + 1)))) l).

(* The probability that arm a is pulled; and that it is pulled while the sample of arm i is at most y, or above y. *)
Definition pull_of (r : round) (a : A) : R := mean (round_law r) (fun d => if same (pulled r d) a then 1 else 0).
Definition pull_below (r : round) (a i : A) (y : R) : R :=
  mean (round_law r) (fun d => if same (pulled r d) a then if Rle_dec (sample r i d) y then 1 else 0 else 0).
Definition pull_above (r : round) (a i : A) (y : R) : R :=
  mean (round_law r) (fun d => if same (pulled r d) a then if Rle_dec (sample r i d) y then 0 else 1 else 0).

Section Round.
Variables (levels : R -> Prop) (n : A -> nat) (mu_hat : A -> R) (c : R) (r : round).
Hypothesis thompson : thompson_round levels n mu_hat c r.

Let P := round_law r.
Let sd a := sqrt (c / (INR (n a) + 1)).

Lemma below_variable a y : random_variable (fun d => if Rle_dec (sample r a d) y then 1 else 0).
Proof.
destruct thompson as (_ & _ & V & _). apply (variable_same _ (fun d => 1 - if Rlt_dec y (sample r a d) then 1 else 0)).
- intros d. destruct (Rlt_dec y (sample r a d)), (Rle_dec (sample r a d) y); lra.
- apply variable_minus; [apply variable_const|apply variable_above, V].
Qed.

Lemma all_variable l y : random_variable (fun d => if all_at_most r l y d then 1 else 0).
Proof.
induction l as [|a l IH]; [apply (variable_same _ (fun _ => 1)); [reflexivity|apply variable_const]|].
apply (variable_same _ (fun d => (if Rle_dec (sample r a d) y then 1 else 0) * if all_at_most r l y d then 1 else 0)).
- intros d. unfold all_at_most. simpl. destruct (Rle_dec (sample r a d) y), (forallb _ l); simpl; ring.
- apply variable_times; [apply below_variable|exact IH].
Qed.

Lemma event_mean (f : draw r -> R) : random_variable f -> (forall d, 0 <= f d <= 1) -> has_mean P f.
Proof. intros M B. apply (has_mean_bounded _ P 1); [exact M|]. intros d. specialize (B d). rewrite Rabs_right; lra. Qed.

Lemma pull_variable a : random_variable (fun d => if same (pulled r d) a then 1 else 0).
Proof. apply thompson. Qed.

Lemma pull_mean a : has_mean P (fun d => if same (pulled r d) a then 1 else 0).
Proof. apply event_mean; [apply pull_variable|]. intros d. destruct (same (pulled r d) a); lra. Qed.

Lemma pull_below_mean a i y :
  has_mean P (fun d => if same (pulled r d) a then if Rle_dec (sample r i d) y then 1 else 0 else 0).
Proof.
apply event_mean; [|intros d; destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); lra].
apply (variable_same _ (fun d => (if same (pulled r d) a then 1 else 0) * if Rle_dec (sample r i d) y then 1 else 0)).
- intros d. destruct (same (pulled r d) a); ring.
- apply variable_times; [apply pull_variable|apply below_variable].
Qed.

Lemma pull_above_mean a i y :
  has_mean P (fun d => if same (pulled r d) a then if Rle_dec (sample r i d) y then 0 else 1 else 0).
Proof.
apply event_mean; [|intros d; destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); lra].
apply (variable_same _ (fun d => (if same (pulled r d) a then 1 else 0) * (1 - if Rle_dec (sample r i d) y then 1 else 0))).
- intros d. destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); ring.
- apply variable_times; [apply pull_variable|apply variable_minus; [apply variable_const|apply below_variable]].
Qed.

Lemma pull_inside a : 0 <= pull_of r a.
Proof. apply mean_positive; [apply pull_mean|]. intros d. destruct (same (pulled r d) a); lra. Qed.

Lemma pull_below_inside a i y : 0 <= pull_below r a i y.
Proof.
apply mean_positive; [apply pull_below_mean|]. intros d. destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); lra.
Qed.

Lemma pull_above_inside a i y : 0 <= pull_above r a i y.
Proof.
apply mean_positive; [apply pull_above_mean|]. intros d. destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); lra.
Qed.

Lemma pull_split a i y : pull_of r a = pull_below r a i y + pull_above r a i y.
Proof.
unfold pull_of, pull_below, pull_above. rewrite <- mean_plus by (apply pull_below_mean || apply pull_above_mean).
apply mean_same. intros d. destruct (same (pulled r d) a), (Rle_dec (sample r i d) y); ring.
Qed.

Lemma pull_below_le a i y : pull_below r a i y <= pull_of r a.
Proof. rewrite (pull_split a i y). generalize (pull_above_inside a i y). lra. Qed.

(* One arm is pulled. *)
Lemma pull_whole : NoDup arms -> sum (pull_of r) arms = 1.
Proof.
intros N. assert (S : forall l, has_mean P (fun d => sum (fun a => if same (pulled r d) a then 1 else 0) l) /\
  mean P (fun d => sum (fun a => if same (pulled r d) a then 1 else 0) l) = sum (pull_of r) l).
{ induction l as [|a l [F E]]; simpl; [split; [apply has_mean_const|apply mean_const]|].
  split; [apply has_mean_plus; [apply pull_mean|exact F]|].
  rewrite mean_plus, E by (apply pull_mean || exact F). reflexivity. }
rewrite <- (proj2 (S arms)). transitivity (mean P (fun _ => 1)); [|apply mean_const]. apply mean_same. intros d.
destruct thompson as (I & _). specialize (I d). clear S. induction arms as [|a l IH]; [destruct I|].
inversion_clear N as [|x y' Out N']. simpl. destruct (same (pulled r d) a) as [E|D].
- assert (Z : sum (fun b => if same (pulled r d) b then 1 else 0) l = 0); [|rewrite Z; ring].
  clear IH I N'. rewrite E. induction l as [|b l IH]; [reflexivity|]. simpl in *.
  destruct (same a b) as [<-|_]; [tauto|]. rewrite IH by tauto. ring.
- destruct I as [I|I]; [congruence|]. rewrite IH by assumption. ring.
Qed.

(* The probability that the sample of an arm is above y. *)
Definition above (a : A) (y : R) : R := Phi ((mu_hat a - y) / sd a).

Lemma above_opposite a y : Phi ((y - mu_hat a) / sd a) = 1 - above a y.
Proof.
unfold above. replace ((y - mu_hat a) / sd a) with (- ((mu_hat a - y) / sd a)) by (unfold Rdiv; ring). apply Phi_opp.
Qed.

(* Lemma 6's step: an arm is seldom pulled by a sample above y. *)
Lemma pull_above_le i y : levels y -> In i arms -> pull_above r i i y <= above i y.
Proof.
intros L I. destruct thompson as (_ & _ & _ & _ & H). assert (E := H y [i] L ltac:(repeat constructor; auto) ltac:(intros x [<-|[]]; exact I)).
cbn [product] in E. rewrite Rmult_1_r in E. fold (sd i) in E. rewrite above_opposite in E.
assert (F : has_mean P (fun d => if all_at_most r [i] y d then 1 else 0)).
{ apply event_mean; [apply all_variable|]. intros d. destruct (all_at_most r [i] y d); lra. }
apply Rle_trans with (mean P (fun d => - 1 * (if all_at_most r [i] y d then 1 else 0) + 1)).
- apply mean_le; [apply pull_above_mean|now apply has_mean_affine|]. intros d. unfold all_at_most. simpl.
  destruct (same (pulled r d) i), (Rle_dec (sample r i d) y); simpl; lra.
- rewrite mean_affine by exact F. fold P in E. rewrite E. lra.
Qed.

(* Lemma 7: how likely arm i is pulled by a sample up to y, compared with arm `one`. *)
Theorem pull_compared one i y : levels y -> In i arms -> In one arms -> i <> one -> NoDup arms ->
  let p := above one y in pull_below r i i y <= (1 - p) / p * pull_below r one i y.
Proof.
intros L Ii Io D N p. assert (T := thompson). destruct T as (I & Big & _ & _ & H).
set (others := filter (fun a => if same a one then false else true) arms).
assert (Not : forall a, In a others <-> In a arms /\ a <> one).
{ intros a. unfold others. rewrite filter_In. destruct (same a one); intuition congruence. }
assert (No : NoDup others) by now apply NoDup_filter.
assert (E := H y others L No ltac:(intros a Ha; now apply Not)).
assert (E' := H y (one :: others) L ltac:(constructor; [intros X; now apply Not in X|exact No])
  ltac:(intros a [<-|Ha]; [exact Io|now apply Not])).
cbn [product] in E'. fold (sd one) in E'. rewrite above_opposite in E'. fold p in E'.
set (Q := product _ others) in E, E'. assert (p01 : 0 < p < 1) by apply Phi_inside.
assert (Ev : forall l, has_mean P (fun d => if all_at_most r l y d then 1 else 0)).
{ intros l. apply event_mean; [apply all_variable|]. intros d. destruct (all_at_most r l y d); lra. }
assert (Q0 : 0 <= Q) by (rewrite <- E; apply mean_positive; [apply Ev|intros d; destruct (all_at_most r others y d); lra]).
assert (Left : pull_below r i i y <= (1 - p) * Q).
{ rewrite <- E'. apply mean_le; [apply pull_below_mean|apply Ev|]. intros d.
  destruct (all_at_most r (one :: others) y d) eqn:B; [destruct (same (pulled r d) i), (Rle_dec (sample r i d) y); lra|].
  destruct (same (pulled r d) i) as [C|_]; [|lra]. destruct (Rle_dec (sample r i d) y) as [S|_]; [|lra]. exfalso.
  assert (B' : all_at_most r (one :: others) y d = true); [|congruence].
  apply forallb_forall. intros a Ha. destruct (Rle_dec (sample r a d) y) as [_|X]; [reflexivity|]. exfalso. apply X.
  apply Rle_trans with (2 := S). rewrite <- C. apply Big. destruct Ha as [<-|Ha]; [exact Io|now apply Not]. }
assert (Right : Q - (1 - p) * Q <= pull_below r one i y).
{ rewrite <- E', <- E.
  apply Rle_trans with (mean P (fun d => 1 * (if all_at_most r others y d then 1 else 0) + - 1 * (if all_at_most r (one :: others) y d then 1 else 0))).
  - rewrite mean_linear by apply Ev. unfold P. lra.
  - apply mean_le; [apply has_mean_linear; apply Ev|apply pull_below_mean|]. intros d.
    unfold all_at_most at 2. cbn [forallb]. fold (all_at_most r others y d).
    destruct (all_at_most r others y d) eqn:B; [|destruct (Rle_dec (sample r one d) y); simpl;
      destruct (same (pulled r d) one), (Rle_dec (sample r i d) y); lra].
    destruct (Rle_dec (sample r one d) y) as [S|S]; simpl; [destruct (same (pulled r d) one), (Rle_dec (sample r i d) y); lra|].
    assert (At : forall a, In a others -> sample r a d <= y).
    { intros a Ha. assert (X := proj1 (forallb_forall _ _) B a Ha). cbv beta in X. destruct (Rle_dec (sample r a d) y); [assumption|discriminate]. }
    destruct (same (pulled r d) one) as [_|C].
    + destruct (Rle_dec (sample r i d) y) as [_|X]; [lra|]. exfalso. apply X, At. now apply Not.
    + exfalso. apply S. apply Rle_trans with (1 := Big d one Io). apply At. now apply Not. }
apply Rle_trans with (1 := Left). apply Rle_trans with ((1 - p) / p * (Q - (1 - p) * Q)); [right; field; lra|].
apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; lra|exact Right].
Qed.
End Round.

(** * Round after round *)

(* pull h a: the probability of a pull of arm a after the pulls h, the last first. gain h: what the round after h gives.
   The expectation of what k rounds after h give. *)
Fixpoint expected (pull gain : _) (k : nat) (h : releases A) : R :=
  match k with O => 0 | S k' => gain h + sum (fun a => pull h a * expected pull gain k' (a :: h)) arms end.

Lemma sum_to_front k (x : nat -> R) n : sum_to (S k) (fun j => x (n + j)%nat) = x n + sum_to k (fun j => x (S n + j)%nat).
Proof.
induction k as [|k IH]; [simpl; rewrite Nat.add_0_r; ring|].
change (sum_to (S (S k)) (fun j => x (n + j)%nat)) with (sum_to (S k) (fun j => x (n + j)%nat) + x (n + S k)%nat).
rewrite IH. cbn [sum_to]. rewrite <- Nat.add_succ_comm. ring.
Qed.

Section Bound.
Variables (pull : releases A -> A -> R).
Hypotheses (positive : forall h a, 0 <= pull h a) (whole : forall h, sum (pull h) arms = 1) (distinct : NoDup arms).

Lemma sum_moved (p : A -> R) (F : nat -> R) x n : sum p arms = 1 -> In x arms ->
  sum (fun a => p a * F (if same x a then S n else n)) arms = F n + p x * (F (S n) - F n).
Proof.
intros W I. transitivity (sum p arms * F n + p x * (F (S n) - F n)); [|rewrite W; ring]. clear W.
assert (Out : forall l, ~ In x l -> sum (fun a => p a * F (if same x a then S n else n)) l = sum p l * F n).
{ induction l as [|a l IH]; simpl; intros N; [ring|]. destruct (same x a) as [<-|_]; [tauto|]. rewrite IH by tauto. ring. }
revert I. generalize distinct. generalize arms. intros all. induction all as [|a l IH]; intros D I; [destruct I|].
inversion_clear D as [|u v Oa D']. simpl.
destruct (same x a) as [<-|N]; [rewrite (Out l Oa); ring|]. destruct I as [E|I]; [congruence|]. rewrite IH by assumption. ring.
Qed.

Lemma pull_at_most_1 h a : In a arms -> pull h a <= 1.
Proof.
intros I. rewrite <- (whole h). revert I. generalize arms. intros all. induction all as [|x l IH]; intros I; [destruct I|]. simpl.
assert (S0 : 0 <= sum (pull h) l) by (apply sum_positive, positive).
destruct I as [->|I]; [lra|]. specialize (IH I). generalize (positive h x). lra.
Qed.

Lemma expected_le gain gain' k h : (forall h, gain h <= gain' h) -> expected pull gain k h <= expected pull gain' k h.
Proof.
intros G. revert h. induction k as [|k IH]; intros h; simpl; [lra|]. apply Rplus_le_compat; [apply G|].
apply sum_le. intros a _. apply Rmult_le_compat_l; [apply positive|apply IH].
Qed.

Variables (i one : A) (b : nat) (gain : releases A -> R) (e s : nat -> R) (M small : R).
Hypotheses (i_in : In i arms) (one_in : In one arms) (e0 : forall n, 0 <= e n) (s0 : forall n, 0 <= s n).

Definition read (a : A) (h : releases A) : nat := (b + pulls A same a h)%nat.

Hypothesis gains : forall h, gain h <= e (read i h) * pull h i +
  (if Rle_dec (INR (read i h) + 1) M then pull h i else 0) + small + s (read one h) * pull h one.

Lemma read_more x a h : read x (a :: h) = if same x a then S (read x h) else read x h.
Proof. unfold read. simpl. destruct (same x a); lia. Qed.

Lemma terms_move (x : nat -> R) n k p : (forall n, 0 <= x n) -> 0 <= p <= 1 ->
  let X m := sum_to k (fun j => x (m + j)%nat) in
  x n * p + (X n + p * (X (S n) - X n)) <= sum_to (S k) (fun j => x (n + j)%nat).
Proof.
intros Pos P X. assert (F := sum_to_front k x n). assert (L : sum_to (S k) (fun j => x (n + j)%nat) = X n + x (n + k)%nat) by reflexivity.
assert (Q := Pos (n + k)%nat). fold (X (S n)) in F. set (all := sum_to (S k) _) in *. nra.
Qed.

(* Each term of e and s is gained once, M - b pulls of arm i at most, and `small` in each round. *)
Theorem expected_at_most k h : expected pull gain k h <=
  sum_to k (fun j => e (read i h + j)%nat) + Rmax 0 (M - INR (read i h)) + INR k * small + sum_to k (fun j => s (read one h + j)%nat).
Proof.
revert h. induction k as [|k IH]; intros h.
- simpl. generalize (Rmax_l 0 (M - INR (read i h))). lra.
- set (F n := sum_to k (fun j => e (n + j)%nat) + Rmax 0 (M - INR n) + INR k * small).
  set (G n := sum_to k (fun j => s (n + j)%nat)).
  apply Rle_trans with (gain h + (F (read i h) + pull h i * (F (S (read i h)) - F (read i h)) +
    (G (read one h) + pull h one * (G (S (read one h)) - G (read one h))))).
  + cbn [expected]. apply Rplus_le_compat_l. rewrite <- !sum_moved by auto.
    rewrite <- (Rplus_0_r (sum _ arms + sum _ arms)).
    replace (sum (fun a => pull h a * F (if same i a then S (read i h) else read i h)) arms +
      sum (fun a => pull h a * G (if same one a then S (read one h) else read one h)) arms + 0) with
      (sum (fun a => pull h a * (F (if same i a then S (read i h) else read i h) + G (if same one a then S (read one h) else read one h))) arms).
    * apply sum_le. intros a _. apply Rmult_le_compat_l; [apply positive|]. rewrite <- !read_more. apply IH.
    * generalize arms. intros l. induction l as [|a l IHl]; simpl; [ring|]. rewrite IHl. ring.
  + assert (Pi := pull_at_most_1 h i i_in). assert (Po := pull_at_most_1 h one one_in).
    assert (Te := terms_move e (read i h) k (pull h i) e0 (conj (positive h i) Pi)).
    assert (Ts := terms_move s (read one h) k (pull h one) s0 (conj (positive h one) Po)).
    assert (H := gains h). unfold F, G. rewrite (S_INR (read i h)), (S_INR k). cbv zeta in Te, Ts.
    set (n := read i h) in *. set (m := read one h) in *.
    assert (Tm : (if Rle_dec (INR n + 1) M then pull h i else 0) + pull h i * (Rmax 0 (M - (INR n + 1)) - Rmax 0 (M - INR n)) <= 0).
    { assert (p0 := positive h i). unfold Rmax. destruct (Rle_dec (INR n + 1) M) as [L|L];
        destruct (Rle_dec 0 (M - (INR n + 1))), (Rle_dec 0 (M - INR n)); nra. }
    lra.
Qed.
End Bound.

(** * A run *)

(* The rewards are random variables: X a 0, X a 1, ... are those of arm a in the order in which they are read, and b of
   each arm are read before the first round. rounds w h is the round after the pulls h, given the rewards w. *)
Section Run.
Variables (W : sample_space) (P : probability_measure W) (X : A -> nat -> W -> R) (mu : A -> R) (b : nat) (c : R).
Variables (levels : R -> Prop) (rounds : W -> releases A -> round).

(* The rewards of arm a that were read, and their sum over their number and 1. *)
Definition mu_hat (a : A) (h : releases A) (w : W) : R :=
  sum_to (read b a h) (fun k => X a k w) / (INR (read b a h) + 1).

Record thompson_run : Prop := {
  arms_differ : NoDup arms;
  rewards_measurable : forall a k, random_variable (X a k);
  rewards_inside : forall a k w, 0 <= X a k w <= 1;
  rewards_mean : forall a k, mean P (X a k) = mu a;
  rewards_independent : forall a n, independent P (X a) n;
  rounds_thompson : forall w h, thompson_round levels (fun a => read b a h) (fun a => mu_hat a h w) c (rounds w h);
  pulls_measurable : forall h a, random_variable (fun w => pull_of (rounds w h) a);
  events_measurable : forall h a i y, random_variable (fun w => pull_below (rounds w h) a i y)
}.

(* The expectation of what k rounds give, where gain w h is the expectation of what the round after h gives. *)
Definition given_rewards (gain : W -> releases A -> R) (k : nat) (h : releases A) (w : W) : R :=
  expected (fun h a => pull_of (rounds w h) a) (gain w) k h.

Hypothesis run : thompson_run.

Lemma mu_hat_variable a h : random_variable (mu_hat a h).
Proof.
apply (variable_same W (fun w => / (INR (read b a h) + 1) * sum_to (read b a h) (fun k => X a k w))); [intros w; apply Rmult_comm|].
apply variable_scaled, variable_sum. intros k _. apply (rewards_measurable run).
Qed.

Lemma mu_hat_inside a h w : 0 <= mu_hat a h w <= 1.
Proof.
unfold mu_hat. set (n := read b a h). assert (N := pos_INR n).
assert (B : 0 <= sum_to n (fun k => X a k w) <= INR n).
{ split; [rewrite <- (Rmult_0_r (INR n)), <- (sum_to_const n 0)|rewrite <- (Rmult_1_r (INR n)), <- (sum_to_const n 1)];
    apply sum_to_le; intros k _; apply (rewards_inside run). }
split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (INR n + 1); [lra|].
unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma pulls_positive w h a : 0 <= pull_of (rounds w h) a.
Proof. exact (pull_inside _ _ _ _ _ (rounds_thompson run w h) a). Qed.

Lemma pulls_whole w h : sum (pull_of (rounds w h)) arms = 1.
Proof. exact (pull_whole _ _ _ _ _ (rounds_thompson run w h) (arms_differ run)). Qed.

(* A gain that is measurable and bounded for given pulls has an expectation. *)
Lemma given_has_mean gain : (forall h, random_variable (fun w => gain w h)) ->
  (forall h, exists top, forall w, 0 <= gain w h <= top) -> forall k h, has_mean P (given_rewards gain k h).
Proof.
intros M B. assert (V : forall k h, random_variable (given_rewards gain k h)).
{ induction k as [|k IH]; intros h; [exact (variable_const W 0)|].
  apply (variable_plus W (fun w => gain w h) (fun w => sum (fun a => pull_of (rounds w h) a * given_rewards gain k (a :: h) w) arms)).
  - apply M.
  - assert (Q : forall l, random_variable (fun w => sum (fun a => pull_of (rounds w h) a * given_rewards gain k (a :: h) w) l));
      [|apply Q].
    induction l as [|a l IHl]; [exact (variable_const W 0)|]. cbn [sum].
    apply variable_plus; [|exact IHl]. apply variable_times; [apply (pulls_measurable run)|apply IH]. }
assert (T : forall k h, exists top, forall w, 0 <= given_rewards gain k h w <= top).
{ induction k as [|k IH]; intros h; [exists 0; intros w; unfold given_rewards; simpl; lra|]. destruct (B h) as (t & Ht).
  assert (S0 : forall l, exists top, forall w, 0 <= sum (fun a => pull_of (rounds w h) a * given_rewards gain k (a :: h) w) l <= top * sum (pull_of (rounds w h)) l /\ 0 <= top).
  { induction l as [|a l (u & Hu)]; [exists 0; intros w; simpl; lra|]. destruct (IH (a :: h)) as (v & Hv).
    exists (u + v). intros w. specialize (Hu w). specialize (Hv w). cbn [sum]. assert (p0 := pulls_positive w h a).
    assert (q0 : 0 <= sum (pull_of (rounds w h)) l) by (apply sum_positive, pulls_positive).
    split; [|lra]. assert (0 <= pull_of (rounds w h) a * given_rewards gain k (a :: h) w <= pull_of (rounds w h) a * v)
      by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
    assert (v0 : 0 <= v) by lra. destruct Hu as [Hu u0].
    assert (0 <= u * pull_of (rounds w h) a) by now apply Rmult_le_pos.
    assert (0 <= v * sum (pull_of (rounds w h)) l) by now apply Rmult_le_pos. lra. }
  destruct (S0 arms) as (u & Hu). exists (t + u). intros w. specialize (Ht w). specialize (Hu w). rewrite pulls_whole in Hu.
  unfold given_rewards in *. cbn [expected]. lra. }
intros k h. destruct (T k h) as (top & H). apply (has_mean_bounded W P top); [apply V|].
intros w. specialize (H w). rewrite Rabs_right; lra.
Qed.

Lemma given_le gain gain' k h w : (forall h, gain w h <= gain' w h) -> given_rewards gain k h w <= given_rewards gain' k h w.
Proof. apply expected_le. intros. apply pulls_positive. Qed.

Lemma gain_pull_variable i y h : random_variable (fun w => pull_above (rounds w h) i i y).
Proof.
apply (variable_same W (fun w => pull_of (rounds w h) i - pull_below (rounds w h) i i y)).
- intros w. rewrite (pull_split _ _ _ _ _ (rounds_thompson run w h) i i y). ring.
- apply variable_minus; [apply (pulls_measurable run)|apply (events_measurable run)].
Qed.

Lemma not_high_variable i x h : random_variable (fun w => if Rle_dec (mu_hat i h w) x then 1 else 0).
Proof.
apply (variable_same W (fun w => 1 - if Rlt_dec x (mu_hat i h w) then 1 else 0)).
- intros w. destruct (Rlt_dec x (mu_hat i h w)), (Rle_dec (mu_hat i h w) x); lra.
- apply variable_minus; [apply variable_const|apply variable_above, mu_hat_variable].
Qed.
End Run.
End Arms.
Arguments product {A}.
Arguments read {A}.
Arguments mu_hat {A} same {W}.
Arguments given_rewards {A} same arms {W}.
Arguments thompson_round {A}.
Arguments thompson_run {A} same arms {W}.
Arguments sample {A}.
Arguments pulled {A}.
Arguments draw {A}.
Arguments round_law {A}.
Arguments pull_of {A}.
Arguments pull_below {A}.
Arguments pull_above {A}.
Arguments all_at_most {A}.

(** * An example: two arms; a toss for each number k decides the k-th reward of both, which is 1 or 1/2, and 1/2 or 0 *)

(* Two independent tosses, which show true with the probabilities p and q. *)
Definition two_coins (p q : R) (p_inside : 0 <= p <= 1) (q_inside : 0 <= q <= 1) : probability_measure two_tosses.
Proof.
exists (fun _ => True) (fun f => p * q * f (true, true) + p * (1 - q) * f (true, false) + (1 - p) * q * f (false, true) +
  (1 - p) * (1 - q) * f (false, false)); simpl; auto; try (intros; ring).
intros f g _ _ H. assert (H1 := H (true, true)). assert (H2 := H (true, false)). assert (H3 := H (false, true)).
assert (H4 := H (false, false)). assert (A := Rmult_le_pos p q ltac:(lra) ltac:(lra)).
assert (B := Rmult_le_pos p (1 - q) ltac:(lra) ltac:(lra)). assert (C := Rmult_le_pos (1 - p) q ltac:(lra) ltac:(lra)).
assert (D := Rmult_le_pos (1 - p) (1 - q) ltac:(lra) ltac:(lra)). repeat apply Rplus_le_compat; apply Rmult_le_compat_l; assumption.
Defined.

Lemma Phi_between x : 0 <= Phi x <= 1.
Proof. generalize (Phi_inside x). lra. Qed.

(* A sample is y where its toss shows true, else y + 1. *)
Definition tossed_round (y u v : R) : round bool :=
  {| draw := two_tosses; round_law := two_coins (Phi u) (Phi v) (Phi_between u) (Phi_between v);
     sample := fun a d => if (if a : bool then fst d else snd d) then y else y + 1;
     pulled := fun d => if fst d then snd d else true |}.

Lemma tossed_thompson y n (m : bool -> R) c : let u a := (y - m a) / sqrt (c / (INR (n a) + 1)) in
  thompson_round bool_dec [true; false] (fun z => z = y) n m c (tossed_round y (u true) (u false)).
Proof.
intros u. split; [intros d; simpl; destruct (if fst d then snd d else true); auto|].
split; [intros [[] []] [] _; simpl; lra|]. split; [intros; exact I|]. split; [intros; exact I|].
intros z l -> N _. assert (L : forall a (k : list bool), NoDup (a :: k) -> ~ In a k) by (intros a k H; now inversion H).
assert (y1 : y + 1 <= y -> False) by lra.
destruct l as [|[] [|[] [|[] l]]]; try (exfalso; apply (L _ _ N); simpl; tauto);
  try (exfalso; inversion_clear N as [|? ? _ N']; apply (L _ _ N'); simpl; tauto);
  unfold all_at_most; simpl; destruct (Rle_dec y y) as [_|Bad]; try (exfalso; lra);
  destruct (Rle_dec (y + 1) y) as [Bad|_]; try (exfalso; lra); simpl; fold (u true) (u false); ring.
Qed.

Definition example_reward (a : bool) : nat -> tosses -> R := if a then pays_by_toss 1 (1 / 2) else pays_by_toss (1 / 2) 0.
Definition example_mean (a : bool) : R := if a then 3 / 4 else 1 / 4.
(* The number y_i of the second arm. *)
Definition example_level : R := 3 / 4 - (3 / 4 - 1 / 4) / 3.

Definition example_rounds (b : nat) (c : R) (w : tosses) (h : releases bool) : round bool :=
  let u a := (example_level - mu_hat bool_dec example_reward b a h w) / sqrt (c / (INR (read bool_dec b a h) + 1)) in
  tossed_round example_level (u true) (u false).

Lemma example_settled b c h : exists n, forall w w' : tosses, (forall i, (i < n)%nat -> w i = w' i) ->
  example_rounds b c w h = example_rounds b c w' h.
Proof.
exists (Nat.max (read bool_dec b true h) (read bool_dec b false h)). intros w w' E.
assert (M : forall a, mu_hat bool_dec example_reward b a h w = mu_hat bool_dec example_reward b a h w').
{ intros a. unfold mu_hat. f_equal. apply sum_to_same. intros k K.
  destruct a; cbn [example_reward]; unfold pays_by_toss; rewrite (E k) by lia; reflexivity. }
unfold example_rounds. now rewrite !M.
Qed.

Lemma example_run b c : thompson_run bool_dec [true; false] fair_tosses example_reward example_mean b c
  (fun z => z = example_level) (example_rounds b c).
Proof.
split.
- repeat constructor; simpl; intuition discriminate.
- intros a k. exists (S k). destruct a; apply toss_settled.
- intros a k w. unfold example_reward, pays_by_toss. destruct a, (w k); lra.
- intros a k. destruct a; unfold example_reward, example_mean; rewrite mean_toss; field.
- intros a n. destruct a; apply pays_independent.
- intros w h. apply tossed_thompson.
- intros h a. destruct (example_settled b c h) as (n & H). exists n. intros w w' E. now rewrite (H w w' E).
- intros h a i y. destruct (example_settled b c h) as (n & H). exists n. intros w w' E. now rewrite (H w w' E).
Qed.
