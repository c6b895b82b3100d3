(* Noisy p-sums of matrices: a round is a vector v, the context that was pulled and its reward, and adds v v' to the
   sums that hold it. All of them together are a Gaussian mechanism's, whatever a round's user is changed to. *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From Dpbandits Require Import moments densities gaussian tree satisfiable.
Import ListNotations.
Open Scope R_scope.

Lemma sum_app {A} (f : A -> R) l l' : sum f (l ++ l') = sum f l + sum f l'.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

(** * What one round moves *)
Section Moved.
Variables (v w : nat -> R) (variance : R).
Hypothesis variance_positive : 0 < variance.

(* The places on and below the diagonal; above it there are the same numbers. *)
Fixpoint places (k : nat) : list (nat * nat) :=
  match k with O => [] | S k' => places k' ++ map (fun b => (k', b)) (seq 0 (S k')) end.
Lemma places_next k : places (S k) = places k ++ map (fun b => (k, b)) (seq 0 (S k)).
Proof. reflexivity. Qed.
(* (Z_ab + Z_ba)/sqrt 2 has this variance. *)
Definition spread (p : nat * nat) : R := if Nat.eqb (fst p) (snd p) then 2 * variance else variance.
Definition moved (p : nat * nat) : R := v (fst p) * v (snd p) - w (fst p) * w (snd p).
Definition share (p : nat * nat) : R := moved p * moved p / spread p.

Definition dot (x y : nat -> R) (k : nat) : R := sum (fun a => x a * y a) (seq 0 k).

Lemma dot_next x y k : dot x y (S k) = dot x y k + x k * y k.
Proof. unfold dot. rewrite seq_S, sum_app. simpl. ring. Qed.

Lemma spread_positive p : 0 < spread p.
Proof. unfold spread. destruct (Nat.eqb _ _); lra. Qed.

Lemma share_positive p : 0 <= share p.
Proof. apply Rle_mult_inv_pos; [apply Rle_0_sqr|apply spread_positive]. Qed.

Lemma row_moved a k : (k <= a)%nat -> sum share (map (fun b => (a, b)) (seq 0 k)) =
  (v a * v a * dot v v k + w a * w a * dot w w k - 2 * (v a * w a) * dot v w k) / variance.
Proof.
induction k as [|k IH]; intros L; [unfold dot; simpl; field; lra|].
rewrite seq_S, map_app, sum_app, IH, !dot_next by lia. simpl. unfold share, moved, spread. simpl.
destruct (Nat.eqb_spec a k); [lia|]. field. lra.
Qed.

Lemma all_moved k : sum share (places k) =
  (dot v v k * dot v v k + dot w w k * dot w w k - 2 * (dot v w k * dot v w k)) / (2 * variance).
Proof.
induction k as [|k IH]; [unfold dot; simpl; field; lra|].
rewrite places_next, seq_S, map_app, !sum_app, IH, row_moved, !dot_next by lia. simpl.
unfold share, moved, spread. simpl. rewrite Nat.eqb_refl. field. lra.
Qed.

Lemma moved_at_most k most : dot v v k <= most -> dot w w k <= most -> sum share (places k) <= most * most / variance.
Proof.
intros V W. rewrite all_moved. assert (P : forall x, 0 <= dot x x k).
{ intros x. unfold dot. induction (seq 0 k) as [|a l IH]; simpl; [lra|].
  generalize (Rle_0_sqr (x a)). unfold Rsqr. lra. }
assert (Pv := P v). assert (Pw := P w). assert (C := Rle_0_sqr (dot v w k)). unfold Rsqr in C.
apply Rmult_le_reg_r with (2 * variance); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
replace (most * most / variance * (2 * variance)) with (2 * (most * most)) by (field; lra).
assert (dot v v k * dot v v k <= most * most) by (apply Rmult_le_compat; lra).
assert (dot w w k * dot w w k <= most * most) by (apply Rmult_le_compat; lra). lra.
Qed.
End Moved.

(* Sums of the last k of n items, of which one moves. *)
Lemma one_item_moves f g s n k : (forall i, i <> s -> f i = g i) -> (k <= n)%nat ->
  last_items f n k - last_items g n k = if Nat.ltb (n - k) s && Nat.leb s n then f s - g s else 0.
Proof.
intros E. induction k as [|k IH]; intros L.
- simpl. destruct (Nat.ltb_spec (n - 0) s), (Nat.leb_spec s n); simpl; try lia; ring.
- specialize (IH ltac:(lia)). simpl last_items.
  replace (f (n - k)%nat + last_items f n k - (g (n - k)%nat + last_items g n k)) with
    (f (n - k)%nat - g (n - k)%nat + (last_items f n k - last_items g n k)) by ring. rewrite IH.
  destruct (Nat.ltb_spec (n - S k) s), (Nat.ltb_spec (n - k) s), (Nat.leb_spec s n); simpl; try lia;
    destruct (Nat.eq_dec (n - k) s) as [Q|N]; try lia; try rewrite (E _ N); try rewrite Q; ring.
Qed.

(** * The run *)
Section Run.
(* X: what a user brings, contexts and rewards; d contexts and a reward, d + 1 = size numbers; T rounds. *)
Variables (X A : Type) (size T : nat) (variance : R).
(* Lines 5 to 7: the arm and the vector of a round, from its user and the noisy p-sums so far, the last number first. *)
Variables (arm : X -> outcomes -> A) (vector : X -> outcomes -> nat -> R).
Hypothesis variance_positive : 0 < variance.
Notation each := (length (places size)).

(* The numbers that came before round n, from 1. *)
Definition before (n : nat) (h : outcomes) : outcomes := skipn (length h - (n - 1) * each) h.
Definition round_of (h : outcomes) : nat := S (length h / each).
Definition place_of (h : outcomes) : nat * nat := nth (length h mod each) (places size) (0%nat, 0%nat).
Definition entry (x : nat -> X) (h : outcomes) (p : nat * nat) (n : nat) : R :=
  vector (x n) (before n h) (fst p) * vector (x n) (before n h) (snd p).

(* Line 8: the next number of the p-sum that this round completes. *)
Definition noisy_matrices (x : nat -> X) : densities := fun h =>
  normal_density (sqrt (spread variance (place_of h))) (p_sum (entry x h (place_of h)) (round_of h)).
Definition all_rounds (h : outcomes) : bool := Nat.leb (T * each) (length h).
(* The arms of all rounds but round s. *)
Definition others (s : nat) (x : nat -> X) (h : outcomes) : list (option A) :=
  map (fun n => if Nat.eqb n s then None else Some (arm (x n) (before n h))) (seq 1 T).
Definition others_chance (s : nat) (x : nat -> X) (event : list (option A) -> bool) (draws : nat) : R :=
  chance_of (noisy_matrices x) all_rounds (fun h => event (others s x h)) draws [].

Lemma each_positive : (1 <= size)%nat -> (1 <= each)%nat.
Proof. destruct size as [|k]; [lia|]. intros _. rewrite places_next, app_length, map_length, seq_length. lia. Qed.

Section Pair.
Variables (s : nat) (x y : nat -> X) (most : R).
Hypothesis alike : forall n, n <> s -> x n = y n.
Hypothesis short : forall u h, dot (vector u h) (vector u h) size <= most.
Hypothesis some : (1 <= size)%nat.

Lemma matrices_proper z h : proper (noisy_matrices z h).
Proof. apply normal_density_proper, sqrt_lt_R0, spread_positive, variance_positive. Qed.

Definition moves_by (h : outcomes) : nat * nat -> R :=
  moved (vector (x s) (before s h)) (vector (y s) (before s h)).
Definition costs (h : outcomes) : nat * nat -> R :=
  share (vector (x s) (before s h)) (vector (y s) (before s h)) variance.

Lemma sum_moves h : p_sum (entry x h (place_of h)) (round_of h) - p_sum (entry y h (place_of h)) (round_of h) =
  if covers (round_of h) s then moves_by h (place_of h) else 0.
Proof.
assert (L : (1 <= round_of h)%nat) by (unfold round_of; lia). rewrite !p_sum_items by exact L.
destruct (level_odd (round_of h) L) as (q & Q). rewrite one_item_moves with (s := s).
- reflexivity.
- intros i N. unfold entry. now rewrite (alike i N).
- rewrite Q at 2. nia.
Qed.

(* What is left to pay: of this round, and of all after it. *)
Definition owed (h : outcomes) : R :=
  (if covers (round_of h) s then sum (costs h) (skipn (length h mod each) (places size)) else 0) +
  most * most / variance * weight (fun _ => 1) s (round_of h) (T - round_of h).

Lemma whole_round h : sum (costs h) (places size) <= most * most / variance.
Proof. apply moved_at_most; [exact variance_positive|apply short|apply short]. Qed.

Lemma costs_positive h l : 0 <= sum (costs h) l.
Proof.
induction l as [|p l IH]; simpl; [lra|].
assert (0 <= costs h p) by (apply share_positive, variance_positive). lra.
Qed.

Lemma weight_positive n k : 0 <= weight (fun _ => 1) s n k.
Proof. unfold weight. apply sum_positive. intros i. destruct (covers i s); lra. Qed.

Lemma most_positive : 0 <= most * most / variance.
Proof. apply Rle_mult_inv_pos; [apply Rle_0_sqr|exact variance_positive]. Qed.

Lemma before_next z h : ((s - 1) * each <= length h)%nat -> before s (z :: h) = before s h.
Proof. intros L. unfold before. simpl length. now rewrite Nat.sub_succ_l by exact L. Qed.

Lemma owed_paid z h : (length h < T * each)%nat ->
  (if covers (round_of h) s then costs h (place_of h) else 0) +
    (if all_rounds (z :: h) then 0 else owed (z :: h)) <= owed h.
Proof.
intros L. assert (E := each_positive some). set (n := round_of h). set (i := (length h mod each)%nat).
assert (I : (i < each)%nat) by (apply Nat.mod_upper_bound; lia).
assert (D : (length h = each * (n - 1) + i)%nat).
{ unfold n, round_of, i. rewrite Nat.sub_succ, Nat.sub_0_r. apply Nat.div_mod. lia. }
assert (N1 : (1 <= n)%nat) by (unfold n, round_of; lia).
assert (Split : skipn i (places size) = place_of h :: skipn (S i) (places size)).
{ unfold place_of. fold i. revert I. generalize (places size). intros l. generalize i. clear.
  induction l as [|p l IH]; intros i I; simpl in I; [lia|]. destruct i as [|i]; [reflexivity|].
  simpl skipn at 1. rewrite IH by lia. reflexivity. }
assert (Pay : owed h = (if covers n s then costs h (place_of h) else 0) +
  ((if covers n s then sum (costs h) (skipn (S i) (places size)) else 0) +
   most * most / variance * weight (fun _ => 1) s n (T - n))).
{ unfold owed. fold n i. rewrite Split. simpl sum. destruct (covers n s); ring. }
rewrite Pay. apply Rplus_le_compat_l. assert (M := most_positive).
assert (Rest : 0 <= if covers n s then sum (costs h) (skipn (S i) (places size)) else 0).
{ destruct (covers n s); [apply costs_positive|lra]. }
assert (W := weight_positive n (T - n)).
destruct (all_rounds (z :: h)) eqn:End; [generalize (Rmult_le_pos _ _ M W); lra|].
unfold all_rounds in End. apply Nat.leb_gt in End. simpl length in End.
assert (Past : covers (round_of (z :: h)) s = true -> (s <= n)%nat -> costs (z :: h) = costs h).
{ intros _ Le. unfold costs. rewrite before_next; [reflexivity|]. nia. }
unfold owed. destruct (Nat.eq_dec (S i) each) as [Last|More].
- assert (Next : (length (z :: h) = n * each)%nat).
  { simpl length. rewrite D, plus_n_Sm, Last. replace n with (S (n - 1)) at 2 by lia. ring. }
  assert (R1 : round_of (z :: h) = S n) by (unfold round_of; rewrite Next, Nat.div_mul; lia).
  assert (I0 : (length (z :: h) mod each = 0)%nat) by (rewrite Next; apply Nat.mod_mul; lia).
  rewrite R1, I0. change (skipn 0 (places size)) with (places size). assert (N : (S n <= T)%nat) by nia.
  replace (T - n)%nat with (S (T - S n)) by lia. unfold weight at 2. simpl seq. cbn [sum].
  fold (weight (fun _ => 1) s (S n) (T - S n)).
  assert (Wr := whole_round (z :: h)). destruct (covers (S n) s); lra.
- assert (Next : (length (z :: h) = S i + (n - 1) * each)%nat) by (simpl length; rewrite D; ring).
  assert (R1 : round_of (z :: h) = n) by (unfold round_of; rewrite Next, Nat.div_add, Nat.div_small; lia).
  assert (I1 : (length (z :: h) mod each = S i)%nat) by (rewrite Next, Nat.mod_add, Nat.mod_small; lia).
  rewrite R1, I1 in *. destruct (covers n s) eqn:C; [|lra].
  rewrite (Past eq_refl (covers_later n s C)). lra.
Qed.
End Pair.

Theorem matrices_private s x y most mu eps event draws :
  (forall n, n <> s -> x n = y n) -> (forall u h, dot (vector u h) (vector u h) size <= most) ->
  (1 <= size)%nat -> (1 <= T)%nat -> 0 < mu -> INR (S (Nat.log2 T)) * (most * most / variance) <= mu * mu ->
  others_chance s x event draws <= exp eps * others_chance s y event draws + gaussian_delta mu eps.
Proof.
intros Alike Short Some Rounds M Enough. unfold others_chance.
replace (fun h => event (others s y h)) with (fun h => event (others s x h)).
2:{ apply FunctionalExtensionality.functional_extensionality. intros h. f_equal. apply map_ext. intros n.
  destruct (Nat.eqb_spec n s) as [_|N]; [reflexivity|]. now rewrite (Alike n N). }
apply (gaussian_rounds (noisy_matrices x) (noisy_matrices y) all_rounds _ (matrices_proper x) (matrices_proper y)
  (fun h left => 0 <= left /\ (all_rounds h = false -> owed s x y most h <= left))); [| |exact M|].
- intros h left [Z O] E. specialize (O E). unfold all_rounds in E. apply Nat.leb_gt in E.
  set (cost := if covers (round_of h) s then costs s x y h (place_of h) else 0).
  assert (C0 : 0 <= cost).
  { unfold cost. destruct (covers (round_of h) s); [apply share_positive, variance_positive|lra]. }
  assert (P := fun z => owed_paid s x y most Short Some z h E). fold cost in P.
  assert (Own : forall h', 0 <= owed s x y most h').
  { intros h'. unfold owed. apply Rplus_le_le_0_compat.
    - destruct (covers (round_of h') s); [apply costs_positive|lra].
    - apply Rmult_le_pos; [apply most_positive|apply weight_positive]. }
  exists cost. split; [split; [exact C0|]|split].
  + specialize (P 0). destruct (all_rounds (0 :: h)); [lra|generalize (Own (0 :: h)); lra].
  + assert (D := sum_moves s x y Alike Some h). unfold noisy_matrices. set (sd := sqrt (spread variance (place_of h))).
    assert (Sp := spread_positive variance variance_positive (place_of h)).
    assert (S0 : 0 < sd) by now apply sqrt_lt_R0.
    assert (S2 : sd * sd = spread variance (place_of h)) by (apply sqrt_sqrt; lra).
    right. exists sd, (p_sum (entry x h (place_of h)) (round_of h)), (p_sum (entry y h (place_of h)) (round_of h)).
    split; [exact S0|]. split; [reflexivity|]. split; [reflexivity|]. rewrite D. unfold cost.
    destruct (covers (round_of h) s); [|right; unfold Rdiv; ring]. right. unfold costs, share. fold (moves_by s x y h).
    rewrite <- S2. field. lra.
  + intros z. specialize (P z). split; [|intros F; rewrite F in P; lra].
    destruct (all_rounds (z :: h)); [lra|generalize (Own (z :: h)); lra].
- intros h left [Z _]. exact Z.
- split; [nra|]. intros _. apply Rle_trans with (2 := Enough). unfold owed. simpl length.
  rewrite Nat.mod_0_l by (generalize (each_positive Some); lia). unfold round_of. simpl length.
  rewrite Nat.div_0_l by (generalize (each_positive Some); lia). simpl skipn.
  assert (W := weight_all (fun _ => 1) s T Rounds ltac:(intros; lra)).
  assert (B := whole_round s x y most Short []). assert (M0 := most_positive most).
  apply Rle_trans with (most * most / variance * weight (fun _ => 1) s 0 T).
  + replace T with (S (T - 1)) at 2 by lia. unfold weight at 2. simpl seq. cbn [sum].
    fold (weight (fun _ => 1) s 1 (T - 1)). destruct (covers 1 s); lra.
  + rewrite Rmult_comm. now apply Rmult_le_compat_r.
Qed.

End Run.

(** * What sigma buys *)
(* Lines 1 and 2: m = ceil(log2 T) + 1, and sigma^2; most is L^2. *)
Definition sigma_squared (T : nat) (most eps delta : R) : R :=
  16 * INR (S (Nat.log2_up T)) * (most * most) * (ln (4 / delta) * ln (4 / delta)) / (eps * eps).

Lemma log_positive delta : 0 < delta < 1 -> 3 / 4 < ln (4 / delta).
Proof.
intros D. assert (E := exp_ineq1_le (- ln (4 / delta))). assert (0 < 4 / delta) by (apply Rdiv_lt_0_compat; lra).
rewrite exp_Ropp, exp_ln in E by assumption. replace (/ (4 / delta)) with (delta / 4) in E by (field; lra). lra.
Qed.

Theorem calibration_gaussian X A size T arm vector most eps delta s (x y : nat -> X) e event draws :
  0 < eps -> 0 < delta < 1 -> 0 < most -> (1 <= size)%nat -> (1 <= T)%nat -> (forall n, n <> s -> x n = y n) ->
  (forall u h, dot (vector u h) (vector u h) size <= most) ->
  let chance z := others_chance X A size T (sigma_squared T most eps delta) arm vector s z event draws in
  chance x <= exp e * chance y + gaussian_delta (eps / (4 * ln (4 / delta))) e.
Proof.
intros E D M Size Rounds Alike Short chance. assert (L := log_positive delta D). set (l := ln (4 / delta)) in *.
assert (N : 0 < INR (S (Nat.log2_up T))) by (apply lt_0_INR; lia).
assert (V : 0 < sigma_squared T most eps delta).
{ unfold sigma_squared. fold l. apply Rdiv_lt_0_compat; [|nra]. repeat apply Rmult_lt_0_compat; lra. }
apply (matrices_private X A size T _ arm vector V s x y most); auto.
- apply Rdiv_lt_0_compat; lra.
- apply Rle_trans with (INR (S (Nat.log2_up T)) * (most * most / sigma_squared T most eps delta)).
  + apply Rmult_le_compat_r; [apply Rle_mult_inv_pos; nra|]. apply le_INR, le_n_S, Nat.le_log2_log2_up.
  + right. unfold sigma_squared. fold l. field. repeat split; lra.
Qed.

(** * The hypotheses can hold together *)

(* One user of another kind, whose vector is 0 and not 1. *)
Definition ones (x : bool) (_ : outcomes) (_ : nat) : R := if x then 1 else 0.
Definition one_other (n : nat) : bool := negb (Nat.eqb n 1).

Lemma ones_short x h : dot (ones x h) (ones x h) 1 <= 1.
Proof. unfold dot, ones. simpl. destruct x; lra. Qed.

Lemma one_other_elsewhere n : n <> 1%nat -> true = one_other n.
Proof. intros N. unfold one_other. apply Nat.eqb_neq in N. now rewrite N. Qed.

Lemma calibration_gaussian_witness : satisfiable calibration_gaussian.
Proof.
exists bool, bool, 1%nat, 2%nat, (fun x _ => x), ones, 1, 1, (1 / 2), 1%nat, (fun _ => true), one_other, 0,
  (fun _ => true), 6%nat.
repeat split; try lra; try lia; [exact one_other_elsewhere|exact ones_short].
Qed.
