(* Private linear UCB is jointly (eps, delta)-private up to eps = 16 ln(4/delta)^2; and a policy whose arms are all
   (eps, delta)-private has linear regret on some contexts. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments gaussian normal_tails satisfiable.
From Dpbandits.shariff18 Require Import calibration.
Import ListNotations.
Open Scope R_scope.

Theorem abstract_joint X A size T arm vector most eps delta s (x y : nat -> X) event draws :
  0 < delta < 1 -> 0 < eps <= 16 * (ln (4 / delta) * ln (4 / delta)) -> 0 < most -> (1 <= size)%nat -> (1 <= T)%nat ->
  (forall n, n <> s -> x n = y n) -> (forall u h, dot (vector u h) (vector u h) size <= most) ->
  let chance z := others_chance X A size T (sigma_squared T most eps delta) arm vector s z event draws in
  chance x <= exp eps * chance y + delta.
Proof.
intros D E M Size Rounds Alike Short chance.
assert (G := calibration_gaussian X A size T arm vector most eps delta s x y eps event draws (proj1 E) D M Size Rounds
  Alike Short). assert (L := log_positive delta D). set (l := ln (4 / delta)) in *.
change (chance x <= exp eps * chance y + gaussian_delta (eps / (4 * l)) eps) in G.
assert (Z : gaussian_delta (eps / (4 * l)) eps <= exp (- (2 * l * (2 * l)) / 2) / 2).
{ apply Rle_trans with (2 := half_tail (2 * l) ltac:(lra)). unfold gaussian_delta.
  assert (Phi (- eps / (eps / (4 * l)) + eps / (4 * l) / 2) <= Phi (- (2 * l))).
  { apply Phi_le. replace (- eps / (eps / (4 * l))) with (- (4 * l)) by (field; lra).
    assert (eps / (4 * l) / 2 <= 2 * l); [|lra]. replace (2 * l) with (16 * (l * l) / (4 * l) / 2) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra. }
  set (far := - eps / (eps / (4 * l)) - eps / (4 * l) / 2).
  generalize (Rmult_lt_0_compat _ _ (exp_pos eps) (proj1 (Phi_inside far))). lra. }
assert (S : 3 / 4 * l <= l * l) by (apply Rmult_le_compat_r; lra).
assert (Q : exp (- (2 * l * (2 * l)) / 2) <= exp (- l)) by (apply exp_le; lra).
replace (exp (- l)) with (delta / 4) in Q; [lra|].
unfold l. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(** * Standard privacy *)

(* A user: which of the two arms is the better one in this user's context, and what each arm pays. *)
Definition user : Type := bool * (bool -> R).
Fixpoint arm_lists (T : nat) : list (list bool) :=
  match T with O => [[]] | S k => map (cons true) (arm_lists k) ++ map (cons false) (arm_lists k) end.

(* A policy, by the probability M u z with which it pulls the arms z for the users u; it may know all of them. *)
Definition policy_of (T : nat) (M : list user -> list bool -> R) := forall u, length u = T ->
  (forall z, 0 <= M u z) /\ sum (M u) (arm_lists T) = 1.
Definition one_user_differs (u v : list user) :=
  exists before a b after, u = before ++ a :: after /\ v = before ++ b :: after.
Definition all_arms_private (T : nat) (M : list user -> list bool -> R) (eps delta : R) :=
  forall u v, length u = T -> one_user_differs u v -> forall event : list bool -> bool,
  let chance w := sum (fun z => if event z then M w z else 0) (arm_lists T) in chance u <= exp eps * chance v + delta.

(* The better arm pays g, the other one nothing. Which arm is the better one in each round: *)
Definition users_with (g : R) (better : list bool) : list user :=
  map (fun b => (b, fun a => if Bool.eqb a b then g else 0)) better.
Definition lost (g : R) (better z : list bool) (t : nat) : R :=
  if Bool.eqb (nth t z true) (nth t better true) then 0 else g.
Definition expected_regret (T : nat) (M : list user -> list bool -> R) (g : R) (better : list bool) : R :=
  sum (fun z => M (users_with g better) z * sum (lost g better z) (seq 0 T)) (arm_lists T).

Lemma sum_joined {B} (f : B -> R) k l : sum f (k ++ l) = sum f k + sum f l.
Proof. induction k as [|b k IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_mapped {B C} (f : C -> R) (g : B -> C) l : sum f (map g l) = sum (fun b => f (g b)) l.
Proof. induction l as [|b l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma sum_added {B} (f g : B -> R) l : sum (fun b => f b + g b) l = sum f l + sum g l.
Proof. induction l as [|b l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_nothing {B} (l : list B) : sum (fun _ => 0) l = 0.
Proof. induction l as [|b l IH]; simpl; [reflexivity|rewrite IH; ring]. Qed.

Lemma sum_exchanged {B C} (f : B -> C -> R) k l : sum (fun b => sum (f b) l) k = sum (fun c => sum (fun b => f b c) k) l.
Proof.
induction k as [|b k IH]; simpl; [symmetry; apply sum_nothing|]. now rewrite IH, <- sum_added.
Qed.

Lemma sum_one {B} (v : R) (l : list B) : sum (fun _ => v) l = INR (length l) * v.
Proof. induction l as [|b l IH]; [simpl; ring|]. simpl length. rewrite S_INR. simpl. rewrite IH. ring. Qed.

Lemma arm_lists_length T z : In z (arm_lists T) -> length z = T.
Proof.
revert z. induction T as [|T IH]; simpl; intros z I; [now destruct I as [<-|[]]|].
apply in_app_or in I. destruct I as [I|I]; apply in_map_iff in I; destruct I as (y & <- & J); simpl; now rewrite (IH y J).
Qed.

(* Lists of arms in pairs that differ in arm number t alone. *)
Lemma sum_in_pairs (f : list bool -> R) t k : sum f (arm_lists (t + S k)) =
  sum (fun l => sum (fun r => f (l ++ true :: r) + f (l ++ false :: r)) (arm_lists k)) (arm_lists t).
Proof.
revert f. induction t as [|t IH]; intros f.
- simpl. rewrite sum_joined, !sum_mapped, sum_added. ring.
- simpl. rewrite !sum_joined, !sum_mapped, !IH. reflexivity.
Qed.

Section Standard.
Variables (M : list user -> list bool -> R) (T : nat) (eps delta g : R).
Hypotheses (law : policy_of T M) (dp : all_arms_private T M eps delta) (g_positive : 0 < g).

(* The expected loss of one round, and two contexts of it. *)
Definition round_loss (t : nat) (better : list bool) : R :=
  sum (fun z => M (users_with g better) z * lost g better z t) (arm_lists T).

Lemma two_contexts t l r : length l = t -> length (l ++ true :: r) = T ->
  2 * (g * ((1 - delta) / (1 + exp eps))) <= round_loss t (l ++ true :: r) + round_loss t (l ++ false :: r).
Proof.
intros L N. set (u := fun b => users_with g (l ++ b :: r)).
assert (Nu : forall b, length (u b) = T).
{ intros b. unfold u, users_with. rewrite map_length, <- N, !app_length. reflexivity. }
set (chance := fun b a => sum (fun z => if Bool.eqb (nth t z true) a then M (u b) z else 0) (arm_lists T)).
assert (Whole : forall b, chance b true + chance b false = 1).
{ intros b. destruct (law (u b) (Nu b)) as [_ <-]. unfold chance. rewrite <- sum_added. apply sum_eq. intros z _.
  destruct (nth t z true); simpl; ring. }
assert (Loss : forall b, round_loss t (l ++ b :: r) = g * chance b (negb b)).
{ intros b. unfold round_loss, chance. rewrite (Rmult_comm g), <- sum_scaled. apply sum_eq. intros z _. fold (u b).
  unfold lost. replace (nth t (l ++ b :: r) true) with b by (rewrite <- L; now rewrite nth_middle).
  destruct (nth t z true), b; simpl; ring. }
assert (Dp : forall a b c, chance b a <= exp eps * chance c a + delta).
{ intros a b c. apply (dp (u b) (u c) (Nu b)). unfold u, users_with. rewrite !map_app. simpl.
  exists (map (fun b => (b, fun a => if Bool.eqb a b then g else 0)) l). eexists. eexists. eexists. split; reflexivity. }
rewrite !Loss. simpl negb. assert (A := Dp true true false). assert (B := Dp false false true).
assert (W1 := Whole true). assert (W2 := Whole false). set (p := chance true false) in *. set (q := chance false true) in *.
assert (E : 0 < 1 + exp eps) by (generalize (exp_pos eps); lra).
assert (S : 2 * ((1 - delta) / (1 + exp eps)) <= p + q).
{ apply Rmult_le_reg_r with (1 + exp eps); [exact E|].
  replace (2 * ((1 - delta) / (1 + exp eps)) * (1 + exp eps)) with (2 * (1 - delta)) by (field; lra). lra. }
apply (Rmult_le_compat_l g) in S; lra.
Qed.

Lemma average_round t : (t < T)%nat ->
  sum (fun _ => g * ((1 - delta) / (1 + exp eps))) (arm_lists T) <= sum (round_loss t) (arm_lists T).
Proof.
intros L. assert (E : arm_lists T = arm_lists (t + S (T - S t))) by (f_equal; lia).
rewrite E, !sum_in_pairs. apply sum_le. intros l Hl.
apply sum_le. intros r Hr. apply arm_lists_length in Hl, Hr.
apply Rle_trans with (2 * (g * ((1 - delta) / (1 + exp eps)))); [lra|].
apply two_contexts; [exact Hl|]. rewrite app_length. simpl. rewrite Hl, Hr. lia.
Qed.

Lemma regret_of_rounds better : expected_regret T M g better = sum (fun t => round_loss t better) (seq 0 T).
Proof.
unfold expected_regret, round_loss. rewrite sum_exchanged. apply sum_eq. intros z _.
rewrite Rmult_comm, <- sum_scaled. apply sum_eq. intros t _. ring.
Qed.
End Standard.

Theorem abstract_standard (M : list user -> list bool -> R) T eps delta g : policy_of T M ->
  all_arms_private T M eps delta -> delta < 1 -> 0 < g ->
  exists better, length better = T /\ INR T * g * (1 - delta) / (1 + exp eps) <= expected_regret T M g better.
Proof.
intros L D d1 G. set (least := INR T * g * (1 - delta) / (1 + exp eps)).
apply Classical_Prop.NNPP. intros N.
assert (Less : forall better, In better (arm_lists T) -> expected_regret T M g better < least).
{ intros b I. destruct (Rlt_le_dec (expected_regret T M g b) least) as [Q|Q]; [exact Q|]. exfalso. apply N.
  exists b. split; [now apply arm_lists_length|exact Q]. }
assert (Some : exists b, In b (arm_lists T)).
{ clear. induction T as [|T (b & I)]; [exists []; now left|]. exists (true :: b). simpl. apply in_or_app. left. now apply in_map. }
assert (Strict : sum (expected_regret T M g) (arm_lists T) < sum (fun _ => least) (arm_lists T)).
{ destruct Some as (b & I). revert I Less. generalize (arm_lists T). intros l. induction l as [|a l IH]; intros I H; [destruct I|].
  simpl. assert (A := H a (or_introl eq_refl)). destruct l as [|c l]; [simpl; lra|].
  assert (sum (expected_regret T M g) (c :: l) <= sum (fun _ => least) (c :: l)).
  { apply sum_le. intros x X. left. apply H. now right. }
  lra. }
rewrite (sum_eq _ _ _ _ (fun b _ => regret_of_rounds M T g b)), sum_exchanged in Strict.
assert (Rounds : sum (fun _ : nat => sum (fun _ => g * ((1 - delta) / (1 + exp eps))) (arm_lists T)) (seq 0 T) <=
  sum (fun t => sum (round_loss M T g t) (arm_lists T)) (seq 0 T)).
{ apply sum_le. intros t I. apply in_seq in I. apply average_round; auto. lia. }
rewrite !sum_one, seq_length in Rounds. rewrite sum_one in Strict.
assert (E : 0 < 1 + exp eps) by (generalize (exp_pos eps); lra).
replace (INR T * (INR (length (arm_lists T)) * (g * ((1 - delta) / (1 + exp eps))))) with (INR (length (arm_lists T)) * least)
  in Rounds by (unfold least; field; lra).
apply (Rlt_irrefl (INR (length (arm_lists T)) * least)). apply Rle_lt_trans with (1 := Rounds). exact Strict.
Qed.

Lemma abstract_joint_witness : satisfiable abstract_joint.
Proof.
exists bool, bool, 1%nat, 2%nat, (fun x _ => x), ones, 1, 1, (1 / 2), 1%nat, (fun _ => true), one_other,
  (fun _ => true), 6%nat.
assert (L := log_positive (1 / 2) ltac:(lra)). split; [lra|]. split; [split; [lra|nra]|]. split; [lra|].
split; [apply le_n|]. split; [now apply le_S|]. split; [exact one_other_elsewhere|exact ones_short].
Qed.

(* Two rounds of fair coins. *)
Lemma abstract_standard_witness : satisfiable abstract_standard.
Proof.
exists (fun _ _ => 1 / 4), 2%nat, 0, (1 / 2), 1. split; [intros u _; split; [intros; lra|simpl; lra]|].
split; [|lra]. intros u v _ _ event chance. unfold chance. rewrite exp_0. lra.
Qed.
