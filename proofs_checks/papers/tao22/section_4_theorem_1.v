(* Theorem 1: the noisy p-sums of all arms are eps-DP, and with them the arms that are chosen from them. Neighbours differ
   in one reward of a table of pulls, or at one timestep: in all rewards of one round. *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From Dpbandits Require Import moments rewards densities laplace noisy_means tree witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(* Line 4 of Algorithm 2 divides by floor(log2 T) + 1. *)
Theorem theorem_1_repaired (A : Type) (same : forall a b : A, {a = b} + {a <> b}) r T choose (bound : nat -> R) eps
  (t u : A -> nat -> R) event : (1 <= T)%nat -> 0 < eps -> (forall n, 0 < bound n) ->
  (forall m n, (m <= n)%nat -> bound m <= bound n) -> near A r t u ->
  let chance z := sums_chance A same r T choose bound (eps / INR (S (Nat.log2 T))) z event in
  chance t <= exp eps * chance u.
Proof. now apply trees_private. Qed.

(** * Line 4 divides by log2 T, and B_n grows *)
Definition root : R := exp (- (ln 2 / 2)).

Lemma root_square : root * root = 1 / 2.
Proof.
unfold root. rewrite <- exp_plus. replace (- (ln 2 / 2) + - (ln 2 / 2)) with (- ln 2) by field.
rewrite exp_Ropp, exp_ln by lra. lra.
Qed.

Lemma root_power i : root ^ i = exp (- (INR i * (ln 2 / 2))).
Proof.
induction i as [|i IH]; simpl pow; [simpl INR; rewrite Rmult_0_l, Ropp_0, exp_0; reflexivity|].
rewrite IH. unfold root. rewrite <- exp_plus. f_equal. rewrite S_INR. ring.
Qed.

Lemma root_below : 0 < root < 7072 / 10000.
Proof.
assert (P : 0 < root) by apply exp_pos. split; [exact P|]. assert (Q := root_square). nra.
Qed.

Lemma power_of_two_ln l n : (2 ^ l <= n)%nat -> INR l * ln 2 <= ln (INR n).
Proof.
intros H. rewrite <- ln_pow by lra. assert (P : 0 < 2 ^ l) by (apply pow_lt; lra).
assert (Q : 2 ^ l <= INR n). { apply le_INR in H. rewrite pow_INR in H. exact H. }
destruct Q as [Q|Q]; [left; now apply ln_increasing|rewrite Q; lra].
Qed.

(* The shares of the first item. *)
Lemma first_item T : (4 <= T)%nat -> sum (pow root) (seq 0 (S (Nat.log2 (T - 1)))) <= ln (INR T) / ln 2.
Proof.
intros L. assert (R := root_below). assert (Q := root_square).
assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (Log := Nat.log2_spec (T - 1) ltac:(lia)). set (l := Nat.log2 (T - 1)) in *.
assert (D : INR l <= ln (INR T) / ln 2).
{ apply Rmult_le_reg_r with (ln 2); [exact L2|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply power_of_two_ln. lia. }
assert (Sum : forall k i, sum (pow root) (seq i k) * (1 - root) <= root ^ i).
{ induction k as [|k IH]; intros i; simpl seq; simpl sum; [rewrite Rmult_0_l; left; apply pow_lt; lra|].
  generalize (IH (S i)). simpl pow. lra. }
destruct (le_lt_dec 4 l) as [Large|Small].
- apply (le_INR 4) in Large. simpl in Large. specialize (Sum (S l) 0%nat). simpl pow in Sum. nra.
- assert (two : 2 <= ln (INR T) / ln 2).
  { apply Rmult_le_reg_r with (ln 2); [exact L2|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (power_of_two_ln 2). simpl. lia. }
  destruct l as [|[|[|[|l]]]]; simpl seq; simpl sum; simpl pow; [nra|nra| | |lia].
  + assert (20 / 9 <= ln (INR T) / ln 2); [|nra]. apply Rmult_le_reg_r with (ln 2); [exact L2|].
    unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (H : ln (2 ^ 20) < ln (5 ^ 9)) by (apply ln_increasing; lra). rewrite !ln_pow in H by lra.
    assert (F : ln 5 <= ln (INR T)).
    { assert (T5 : (5 <= T)%nat) by (simpl in Log; lia). apply (le_INR 5) in T5.
      replace (INR 5) with 5 in T5 by (simpl; ring).
      destruct T5 as [T5|T5]; [left; apply ln_increasing; lra|rewrite <- T5; lra]. }
    replace (INR 20) with 20 in H by (simpl; ring). replace (INR 9) with 9 in H by (simpl; ring). lra.
  + replace (INR 3) with 3 in D by (simpl; ring). nra.
Qed.

(* B_n of line 4 of Algorithm 1: c = (eps u/log^1.5 T)^(1/(1+v)). *)
Definition threshold (c v : R) (n : nat) : R := c * Rpower (INR n) (/ (1 + v)).

Theorem theorem_1 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) r T choose c v eps
  (t u : A -> nat -> R) event : (4 <= T)%nat -> NoDup arms -> (2 <= length arms)%nat ->
  (forall h, (length h < length arms)%nat -> nth_error arms (length h) = Some (choose h)) ->
  0 < c -> 0 < v <= 1 -> 0 < eps -> near A r t u ->
  let chance z := sums_chance A same r T choose (threshold c v) (eps / (ln (INR T) / ln 2)) z event in
  chance t <= exp eps * chance u.
Proof.
intros L Different Two Turns C V E (j & m & D). assert (First := first_item T L).
assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (LT : 0 < ln (INR T) / ln 2).
{ apply Rdiv_lt_0_compat; [|exact L2]. rewrite <- ln_1. apply ln_increasing; [lra|]. apply (lt_INR 1). lia. }
assert (S0 : 0 < eps / (ln (INR T) / ln 2)) by now apply Rdiv_lt_0_compat.
assert (B : forall n, 0 < threshold c v n) by (intros n; apply Rmult_lt_0_compat; [exact C|apply exp_pos]).
assert (I : / 2 <= / (1 + v)) by (apply Rinv_le_contravar; lra).
apply (sums_private A same r T choose (threshold c v) _ B S0 t u j m (T - 1) D).
- intros h F. assert (K : forall a, (2 <= length h -> pulls A same choose a h <= length h - 1)%nat).
  { intros a. clear F. induction h as [|z h IH]; intros H; simpl in H; [lia|]. simpl.
    destruct (le_lt_dec 2 (length h)) as [M|M].
    - specialize (IH M). destruct (same a (choose h)); lia.
    - destruct h as [|y [|? ?]]; simpl in H, M; try lia. simpl.
      assert (X := Turns [] ltac:(simpl; lia)). assert (Y := Turns [y] ltac:(simpl; lia)). simpl in X, Y.
      destruct (same a (choose [y])) as [->|_], (same _ (choose [])) as [G|_]; try lia. exfalso.
      destruct arms as [|b [|b' l]]; try discriminate. simpl in X, Y. injection X as ->. injection Y as ->.
      inversion Different as [|? ? N _]. apply N. left. congruence. }
  destruct (le_lt_dec 2 (length h)) as [M|M]; [specialize (K (choose h) M); lia|].
  assert (pulls A same choose (choose h) h <= length h)%nat; [|lia]. generalize (choose h). intros a. clear K F M.
  induction h as [|z h IH]; simpl; [lia|]. destruct (same a (choose h)); lia.
- clear D m. intros m. apply Rle_trans with (eps / (ln (INR T) / ln 2) * (ln (INR T) / ln 2));
    [|right; revert LT; generalize (ln (INR T) / ln 2); intros x X; field; lra].
  apply Rmult_le_compat_l; [lra|].
  assert (ratio : forall n,
    threshold c v m / threshold c v n = Rpower (INR m) (/ (1 + v)) / Rpower (INR n) (/ (1 + v))).
  { intros n. unfold threshold. assert (0 < Rpower (INR n) (/ (1 + v))) by apply exp_pos. field; lra. }
  destruct m as [|[|m]].
  + apply Rle_trans with (sum (fun _ : nat => 0) []); [|simpl; lra]. apply weight_levels; [intros; lra|constructor|].
    intros n N H. unfold covers in H. apply andb_prop in H. destruct H as [H _]. apply Nat.ltb_lt in H. lia.
  + apply Rle_trans with (2 := First). apply weight_levels; [intros; left; apply pow_lt, exp_pos|apply seq_NoDup|].
    intros n N H. split; [|apply in_seq; generalize (level_at_most n (T - 1) N); lia]. rewrite ratio.
    assert (P := covers_first n ltac:(lia) H). set (i := level n) in *.
    rewrite P, pow_INR. simpl (INR 1). simpl (INR 2).
    rewrite root_power. unfold Rpower, Rdiv. rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_l, <- exp_Ropp. apply exp_le.
    replace (1 + 1) with 2 by ring. rewrite ln_pow by lra. apply Ropp_le_contravar.
    assert (0 <= INR i * ln 2) by (apply Rmult_le_pos; [apply pos_INR|lra]). nra.
  + apply Rle_trans with (INR (Nat.log2 (T - 1))).
    * apply weight_later; [lia|lia|]. intros n N. rewrite ratio.
      assert (P : 0 < Rpower (INR n) (/ (1 + v))) by apply exp_pos.
      apply Rmult_le_reg_r with (Rpower (INR n) (/ (1 + v))); [exact P|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra.
      rewrite Rmult_1_r, Rmult_1_l. apply Rle_Rpower_l; [lra|]. split; [apply lt_0_INR; lia|now apply le_INR].
    * apply Rmult_le_reg_r with (ln 2); [exact L2|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply power_of_two_ln. generalize (Nat.log2_spec (T - 1) ltac:(lia)). lia.
Qed.

(** * The hypotheses can hold together *)

(* Four rounds of two arms, which are pulled in turns; one timestep differs, or one pull of an arm. *)
Definition in_turns (h : outcomes) : bool := Nat.even (length h).

Lemma theorem_1_repaired_witness : satisfiable theorem_1_repaired.
Proof.
destruct (different_tables bool bool_dec true 1 round) as (t & u & _ & _ & N & _).
exists bool, bool_dec, round, 4%nat, in_turns, (fun _ => 1), 1, t, u, (fun _ => true).
hold; intros; apply Rlt_0_1 || apply Rle_refl.
Qed.

Lemma theorem_1_witness : satisfiable theorem_1.
Proof.
destruct (different_tables bool bool_dec true 1 round) as (t & u & _ & _ & N & _).
exists bool, bool_dec, [true; false], round, 4%nat, in_turns, 1, 1, 1, t, u, (fun _ => true). hold.
intros [|z [|y h]] L; simpl in *; [reflexivity|reflexivity|lia].
Qed.
