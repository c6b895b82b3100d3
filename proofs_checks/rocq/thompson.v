(* Thompson sampling with normal samples and two arms: what one changed reward does to a round is a coin, so prices of
   rounds and pulls, once they cover all coins, make the released arms (eps, delta)-private. *)
From Coq Require Import Reals Lra Lia List Bool ZArith.
From Dpbandits Require Import normal moments coins.
Import ListNotations.
Open Scope R_scope.

Section Thompson.
Variable variance : R. (* of a sample, times n + 1: c of the paper *)
Hypothesis variance_positive : 0 < variance.

Definition table := bool -> nat -> R. (* what the n-th pull of an arm pays, n from 0 *)
Fixpoint pulls (a : bool) (h : releases) : nat :=
  match h with [] => 0 | b :: h' => if eqb a b then S (pulls a h') else pulls a h' end.
Fixpoint total (x : nat -> R) (n : nat) : R := match n with O => 0 | S n' => total x n' + x n' end.
Definition mean (x : table) a h := total (x a) (pulls a h) / (INR (pulls a h) + 1).

(* Arm a's sample is N(mean, variance/(n + 1)), so the difference of the two is normal. *)
Definition deviation h := sqrt (variance / (INR (pulls true h) + 1) + variance / (INR (pulls false h) + 1)).
Definition thompson (x : table) : law := fun h a => Phi ((mean x a h - mean x (negb a) h) / deviation h).

(* Tables that differ in one reward of arm j, the m-th, by d. *)
Definition neighbours (j : bool) (m : nat) (d : R) (x y : table) :=
  (forall n, x (negb j) n = y (negb j) n) /\ (forall n, n <> m -> x j n = y j n) /\ y j m = x j m + d.
Definition in_range (x : table) := forall a n, 0 <= x a n <= 1.

(* By how much a reward moves the difference, in deviations, once its arm has n pulls; and where thresholds lie. *)
Definition shift (n : nat) := / sqrt (variance * (INR n + 1)).
Definition reach (n : nat) := sqrt ((INR n + 1) / variance).

Lemma total_same x y n : (forall i, (i < n)%nat -> x i = y i) -> total x n = total y n.
Proof. induction n as [|n IH]; simpl; intros H; [reflexivity|]. rewrite IH, H; auto. Qed.

Lemma total_moved x y m d n : (forall i, i <> m -> x i = y i) -> y m = x m + d -> (m < n)%nat ->
  total y n = total x n + d.
Proof.
intros H E; induction n as [|n IH]; intros L; [lia|]. simpl. destruct (Nat.eq_dec m n) as [<-|N].
- rewrite E, (total_same y x m); [lra|]. intros i Hi; symmetry; apply H; lia.
- rewrite IH, (H n) by lia. lra.
Qed.

Lemma mean_in_range x a h : in_range x -> 0 <= mean x a h <= 1.
Proof.
intros H. assert (N := pos_INR (pulls a h)). unfold mean.
assert (B : forall n, 0 <= total (x a) n <= INR n).
{ induction n as [|n IH]; [simpl; lra|]. rewrite S_INR; simpl. generalize (H a n); lra. }
specialize (B (pulls a h)). split; [apply Rle_mult_inv_pos; lra|].
apply Rmult_le_reg_r with (INR (pulls a h) + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma share_positive a h : 0 < variance / (INR (pulls a h) + 1).
Proof. apply Rdiv_lt_0_compat; [exact variance_positive|]. generalize (pos_INR (pulls a h)); lra. Qed.

Lemma deviation_positive h : 0 < deviation h.
Proof. apply sqrt_lt_R0. generalize (share_positive true h) (share_positive false h); lra. Qed.

Lemma deviation_at_least a h : sqrt (variance / (INR (pulls a h) + 1)) <= deviation h.
Proof.
apply sqrt_le_1_alt. generalize (share_positive true h) (share_positive false h). destruct a; lra.
Qed.

Lemma moved_at_most a h : 0 < / ((INR (pulls a h) + 1) * deviation h) <= shift (pulls a h).
Proof.
assert (N := pos_INR (pulls a h)). assert (D := deviation_positive h). split; [apply Rinv_0_lt_compat; nra|].
unfold shift. apply Rinv_le_contravar.
- apply sqrt_lt_R0. apply Rmult_lt_0_compat; lra.
- apply Rle_trans with ((INR (pulls a h) + 1) * sqrt (variance / (INR (pulls a h) + 1))).
  + replace (variance * (INR (pulls a h) + 1)) with
      ((INR (pulls a h) + 1) * (INR (pulls a h) + 1) * (variance / (INR (pulls a h) + 1))) by (field; lra).
    rewrite sqrt_mult_alt, sqrt_square by nra. lra.
  + apply Rmult_le_compat_l; [lra|apply deviation_at_least].
Qed.

Lemma thresholds_reach x a h : in_range x ->
  - reach (pulls a h) <= (mean x a h - mean x (negb a) h) / deviation h <= reach (pulls a h).
Proof.
intros H. assert (A := mean_in_range x a h H). assert (B := mean_in_range x (negb a) h H).
assert (D := deviation_positive h). assert (L := deviation_at_least a h). assert (N := pos_INR (pulls a h)).
assert (Rp : 0 < reach (pulls a h)).
{ apply sqrt_lt_R0. apply Rdiv_lt_0_compat; lra. }
assert (One : 1 <= reach (pulls a h) * deviation h).
{ apply Rle_trans with (reach (pulls a h) * sqrt (variance / (INR (pulls a h) + 1))).
  - unfold reach. rewrite <- sqrt_mult_alt by (apply Rle_mult_inv_pos; lra).
    replace ((INR (pulls a h) + 1) / variance * (variance / (INR (pulls a h) + 1))) with 1 by (field; lra).
    rewrite sqrt_1; lra.
  - apply Rmult_le_compat_l; lra. }
split; apply Rmult_le_reg_r with (deviation h); try exact D; unfold Rdiv; rewrite ?Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma thompson_other x h j : thompson x h (negb j) = 1 - thompson x h j.
Proof. unfold thompson. rewrite negb_involutive, <- Phi_opp. f_equal. unfold Rdiv; ring. Qed.

Lemma other_arm a b : a <> b -> a = negb b.
Proof. now destruct a, b. Qed.

Section Neighbours.
Variables (lam price : R) (left : nat -> R).
Hypotheses (lam_positive : 0 < lam) (price_positive : 0 <= price).
Hypothesis left_falls : forall n, 0 <= left (S n) <= left n.
(* All coins of a round after n pulls of the changed arm are paid for. *)
Hypothesis covered : forall n s x, (1 <= n)%nat -> 0 <= s <= shift n -> - reach n <= x <= reach n ->
  both_at_most lam (exp price) (left n - left (S n)) (Phi (- x)) (Phi (s - x)).

Variables (j : bool) (m : nat) (d : R) (x y : table).
Hypotheses (near : neighbours j m d x y) (x_range : in_range x) (y_range : in_range y).

Let begun (h : releases) := Nat.ltb m (pulls j h).

Lemma d_small : -1 <= d <= 1.
Proof. destruct near as (_ & _ & E). generalize (x_range j m) (y_range j m); lra. Qed.

Lemma mean_other h : mean y (negb j) h = mean x (negb j) h.
Proof. destruct near as (E & _). unfold mean. f_equal. apply total_same; intros; symmetry; apply E. Qed.

Lemma mean_before h : begun h = false -> mean y j h = mean x j h.
Proof.
destruct near as (_ & E & _). intros H. apply Nat.ltb_ge in H. unfold mean. f_equal.
apply total_same; intros; symmetry; apply E; lia.
Qed.

Lemma mean_after h : begun h = true -> mean y j h = mean x j h + d / (INR (pulls j h) + 1).
Proof.
destruct near as (_ & E & M). intros H. apply Nat.ltb_lt in H. unfold mean.
rewrite (total_moved (x j) (y j) m d) by assumption. field. generalize (pos_INR (pulls j h)); lra.
Qed.

Lemma same_before h : begun h = false -> (forall a, thompson x h a = thompson y h a) /\
  thompson x h true + thompson x h false = 1.
Proof.
intros H. assert (E : thompson x h j = thompson y h j) by (unfold thompson; now rewrite mean_other, mean_before).
split.
- intros a. destruct (bool_dec a j) as [->|N]; [exact E|].
  rewrite (other_arm _ _ N). rewrite !thompson_other, E; reflexivity.
- generalize (thompson_other x h true); simpl; lra.
Qed.

Lemma coin_after h : begun h = true ->
  exp (left (S (pulls j h)) - left (pulls j h)) * tilted lam (thompson x h j) (thompson y h j)
    + tilted lam (thompson x h (negb j)) (thompson y h (negb j)) <= exp price.
Proof.
intros H. set (n := pulls j h). set (D := deviation h). assert (D0 : 0 < D) by apply deviation_positive.
assert (K := moved_at_most j h). fold n D in K. set (k := / ((INR n + 1) * D)) in *.
assert (N : (1 <= n)%nat) by (apply Nat.ltb_lt in H; unfold n; lia).
assert (N0 : 0 < INR n + 1) by (generalize (pos_INR n); lra). assert (Hd := d_small).
set (v := (mean x j h - mean x (negb j) h) / D).
assert (V : (mean y j h - mean y (negb j) h) / D = v + d * k).
{ rewrite mean_other, mean_after by exact H. fold n. unfold v, k. field; lra. }
assert (Rx := thresholds_reach x j h x_range). assert (Ry := thresholds_reach y j h y_range).
fold n D in Rx, Ry. fold v in Rx. rewrite V in Ry.
rewrite !thompson_other. unfold thompson. fold D. rewrite V. fold v.
replace (left (S n) - left n) with (- (left n - left (S n))) by ring.
destruct (Rle_dec 0 d) as [P|P].
- destruct (covered n (d * k) (- v) N) as [C _]; [split; nra|lra|].
  replace (- - v) with v in C by ring. replace (d * k - - v) with (v + d * k) in C by ring. exact C.
- destruct (covered n (- d * k) (- (v + d * k)) N) as [_ C]; [split; nra|lra|].
  replace (- - (v + d * k)) with (v + d * k) in C by ring.
  replace (- d * k - - (v + d * k)) with v in C by ring. exact C.
Qed.

Theorem thompson_close eps delta T event : 0 < delta ->
  ln (best_share lam) + INR (pred T) * price + left 1 - lam * eps <= ln delta ->
  chance (thompson x) T [] event <= exp eps * chance (thompson y) T [] event + delta.
Proof.
intros Hd H. apply (private_by_potential lam lam_positive (thompson x) (thompson y)) with
  (j := j) (price := price) (left := left) (pulls := pulls j) (begun := begun); auto.
- intros h a; apply Phi_inside.
- intros h a; apply Phi_inside.
- intros h a B. unfold begun in *. apply Nat.ltb_lt in B. apply Nat.ltb_lt. simpl. destruct (eqb j a); lia.
- intros h B. unfold begun in B. apply Nat.ltb_lt in B. lia.
- intros h. simpl. now rewrite eqb_reflx.
- intros h. simpl. now destruct j.
- exact same_before.
- exact coin_after.
Qed.
End Neighbours.

(* (eps, delta)-DP of the released arms: two arms, rewards in [0, 1], one reward of either changed. *)
Definition thompson_private (eps delta : R) (T : nat) := forall j m d x y, neighbours j m d x y ->
  in_range x -> in_range y -> forall event,
  chance (thompson x) T [] event <= exp eps * chance (thompson y) T [] event + delta.
End Thompson.

(** * Prices in whole numbers *)
(* What the pulls from the n-th to before the N-th cost, in units of 1/scale. *)
Section Prices.
Variables (scale : Z) (worth : nat -> Z) (N : nat).
Hypotheses (scale_positive : (0 < scale)%Z) (worth_positive : forall n, (0 <= worth n)%Z).

Fixpoint summed (n k : nat) : Z := match k with O => 0 | S k' => worth n + summed (S n) k' end.
Definition left_over (n : nat) : R := IZR (summed n (N - n)) / IZR scale.

Lemma summed_positive n k : (0 <= summed n k)%Z.
Proof. revert n; induction k as [|k IH]; intros n; simpl; [lia|]. generalize (worth_positive n) (IH (S n)); lia. Qed.

Lemma left_over_step n : left_over n - left_over (S n) = if Nat.ltb n N then IZR (worth n) / IZR scale else 0.
Proof.
unfold left_over. destruct (Nat.ltb_spec n N) as [L|L].
- replace (N - n)%nat with (S (N - S n)) by lia. simpl summed. rewrite plus_IZR. field. apply IZR_lt in scale_positive; lra.
- replace (N - n)%nat with 0%nat by lia. replace (N - S n)%nat with 0%nat by lia. simpl; lra.
Qed.

Lemma left_over_falls n : 0 <= left_over (S n) <= left_over n.
Proof.
assert (P := IZR_lt _ _ scale_positive). split.
- apply Rle_mult_inv_pos; [apply IZR_le, summed_positive|exact P].
- generalize (left_over_step n). destruct (Nat.ltb n N); [|lra].
  assert (0 <= IZR (worth n) / IZR scale); [|lra]. apply Rle_mult_inv_pos; [apply IZR_le, worth_positive|exact P].
Qed.
End Prices.
