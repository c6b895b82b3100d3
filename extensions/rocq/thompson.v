(* Thompson sampling with normal samples, by the law of the next arm: prices of rounds and pulls that pay for every coin
   make the released arms (eps, delta)-private. Here what both files share, and two arms; `arms.v` has any number of them.
   That samples which are drawn in turn have this law is shown in `drawn_thompson.v`. *)
From Coq Require Import Reals Lra Lia List Bool ZArith.
From Dpbandits Require Import normal moments coins rewards.
Import ListNotations.
Open Scope R_scope.

Section Thompson.
Variable variance : R. (* of a sample, times n + 1: c of the paper *)
Hypothesis variance_positive : 0 < variance.

(* By how much a reward moves a sample, in deviations, once its arm has n pulls. *)
Definition shift (n : nat) := / sqrt (variance * (INR n + 1)).

(* The larger chance of a pull on the right, or on the left. *)
Definition tilted_cost (rises : bool) lam b p q := if rises then cost lam b p q else cost lam b q p.

(* Coins of rounds with n pulls: the chances of a pull on the side where the arm pays less, and on the other one.
   Thresholds lie within `reach`. *)
Definition shifted (reach : nat -> R -> Prop) (n : nat) (p q : R) := exists s x, 0 <= s <= shift n /\
  reach n (- x) /\ reach n (s - x) /\ p = Phi (- x) /\ q = Phi (s - x).

(* Prices of one order: lam, of a round, and what the pulls from the n-th on cost. They are enough for (eps, delta) in
   so many rounds, and pay for all these coins with least pulls or more, and fewer than `most`. *)
Record prices := { lam : R; price : R; left : nat -> R }.
Definition enough_from (coins : nat -> R -> R -> Prop) eps delta least rounds most rises (c : prices) :=
  0 < lam c /\ 0 <= price c /\ (forall n, 0 <= left c (S n) <= left c n) /\
  ln (best_share (lam c)) + INR rounds * price c + left c least - lam c * eps <= ln delta /\
  forall n p q, (least <= n < most)%nat -> coins n p q ->
    tilted_cost rises (lam c) (left c n - left c (S n)) p q <= exp (price c).

(* T rounds without pre-pulls: the change has been read after the first one at the earliest. *)
Definition enough coins eps delta T := enough_from coins eps delta 1 (pred T) T.

Lemma enough_for_fewer (coins coins' : nat -> R -> R -> Prop) eps delta least rounds most rises c :
  (forall n p q, coins' n p q -> coins n p q) ->
  enough_from coins eps delta least rounds most rises c -> enough_from coins' eps delta least rounds most rises c.
Proof. unfold enough_from. intros H (L & P & F & E & C). repeat split; try assumption; try apply F. auto. Qed.

(* Pre-pulls, which depend on no reward: these pulls, `many` of every arm. Their rewards are kept, or forgotten. *)
Definition prepulled {A} same T many (first : releases A) :=
  (length first <= T)%nat /\ forall a, moments.pulls A same a first = many.

Definition heard {A} (kept : bool) (first : releases A) (x : rewards A) : rewards A :=
  fun h a => if kept then x h a else if Nat.ltb (length h) (length first) then 0 else x h a.

(* (eps, delta)-DP of the released arms of a policy: rewards in [0, 1], for neighbours of the relation. *)
Definition private_after {A} same (arms : list A) (policy : rewards A -> law A) r eps delta T kept first :=
  forall x y, neighbours A same r x y -> in_range A x -> in_range A y -> forall event,
  chance A arms (policy (heard kept first x)) (T - length first) first event <=
    exp eps * chance A arms (policy (heard kept first y)) (T - length first) first event + delta.

Lemma heard_change {A} same r kept (first : releases A) x y : neighbours A same r x y -> in_range A x -> in_range A y ->
  exists hit, once A hit (heard kept first x) (heard kept first y) /\
    in_range A (heard kept first x) /\ in_range A (heard kept first y).
Proof.
intros near Hx Hy. destruct (neighbours_once _ _ _ _ _ near) as (hit & change). exists hit.
assert (Range : forall z, in_range A z -> in_range A (heard kept first z)).
{ intros z H h a. unfold heard. destruct kept; [apply H|]. destruct (Nat.ltb _ _); [lra|apply H]. }
split; [|split; now apply Range]. split; [|apply change]. intros h a H. unfold heard. now rewrite (proj1 change h a H).
Qed.

Lemma pulls_after_first {A} same many (first : releases A) : (forall a, moments.pulls A same a first = many) ->
  forall a h, moments.pulls A same a (h ++ first) = (moments.pulls A same a h + many)%nat.
Proof.
intros counts a h. rewrite <- (counts a). induction h as [|b h IH]; simpl; [reflexivity|]. rewrite IH. now destruct (same a b).
Qed.

(* What is left to pay after pre-pulls: the changed arm has so many pulls at least, so many rounds are left, and so many
   pulls it has only after the last. *)
Definition enough_after {A} coins eps delta T many (first : releases A) :=
  enough_from coins eps delta (Nat.max many 1) (T - Nat.max (length first) 1) (T - length first + many).

Lemma enough_without {A} coins eps delta T rises c :
  enough coins eps delta T rises c -> enough_after coins eps delta T 0 (@nil A) rises c.
Proof.
unfold enough_after, enough. simpl length. replace (T - 0 + 0)%nat with T by lia. change (Nat.max 0 1) with 1%nat.
now replace (T - 1)%nat with (pred T) by lia.
Qed.

(* The changed arm's coin, from the chances on either side of a threshold v: moved up by d in rewards, k deviations. *)
Lemma coin_paid reach eps delta least rounds most c c' n d k v : 0 < k <= shift n -> -1 <= d <= 1 ->
  (least <= n < most)%nat -> enough_from (shifted reach) eps delta least rounds most true c ->
  enough_from (shifted reach) eps delta least rounds most false c' ->
  reach n v -> reach n (v + d * k) ->
  let l := if Rle_dec 0 d then c else c' in
  cost (lam l) (left l n - left l (S n)) (Phi v) (Phi (v + d * k)) <= exp (price l).
Proof.
intros K D N (_ & _ & _ & _ & C) (_ & _ & _ & _ & C') V V'. destruct (Rle_dec 0 d) as [P|P]; simpl.
- apply (C n _ _ N). exists (d * k), (- v). rewrite Ropp_involutive. replace (d * k - - v) with (v + d * k) by ring.
  split; [split; nra|auto].
- apply (C' n _ _ N). exists (- (d * k)), (- (v + d * k)). rewrite Ropp_involutive.
  replace (- (d * k) - - (v + d * k)) with v by ring. split; [split; nra|auto].
Qed.

(* All that is left to show of a policy: the laws before, and the price of a round after. *)
Theorem private_by_prices {A} same (arms : list A) policy r eps delta T many kept first coins c c' : 0 < delta ->
  prepulled same T many first ->
  enough_after coins eps delta T many first true c -> enough_after coins eps delta T many first false c' ->
  (forall x h a, In a arms -> 0 < policy x h a) -> (forall x h, sum (policy x h) arms = 1) ->
  (forall hit x y h, begun A hit h = false -> once A hit x y -> forall a, In a arms -> policy x h a = policy y h a) ->
  (forall hit x y j d h, once A hit x y -> in_range A x -> in_range A y -> -1 <= d <= 1 ->
    moved A same hit x y j d h -> (length h < T)%nat ->
    (Nat.max many 1 <= pulls A same j h < T - length first + many)%nat -> let l := if Rle_dec 0 d then c else c' in
    sum (fun a => (if same j a then exp (left l (S (pulls A same j h)) - left l (pulls A same j h)) else 1) *
      tilted (lam l) (policy x h a) (policy y h a)) arms <= exp (price l)) ->
  private_after same arms policy r eps delta T kept first.
Proof.
intros Hd [short counts] C C' positive one before after x' y' near Hx' Hy' event.
destruct (heard_change same r kept first x' y' near Hx' Hy') as (hit & change & Hx & Hy).
set (x := heard kept first x') in *. set (y := heard kept first y') in *.
assert (Afterwards : forall z k, let h := z ++ first in begun A hit h = true -> (length h + k <= T)%nat ->
  chance A arms (policy x) k h event <= exp eps * chance A arms (policy y) k h event + delta).
{ intros z k h B K. destruct (change_moves A same hit x y change Hx Hy h B) as (j & d & D & M).
  assert (G : let l := if Rle_dec 0 d then c else c' in 0 < lam l /\ 0 <= price l /\
    (forall n, 0 <= left l (S n) <= left l n) /\
    ln (best_share (lam l)) + INR (T - Nat.max (length first) 1) * price l + left l (Nat.max many 1) - lam l * eps <=
      ln delta).
  { destruct C as (? & ? & ? & ? & _), C' as (? & ? & ? & ? & _). now destruct (Rle_dec 0 d). }
  assert (Q := fun h' => after hit x y j d h' change Hx Hy D).
  set (l := if Rle_dec 0 d then c else c') in *. destruct G as (L & P & F & E).
  assert (Pulls := pulls_after_first same many first counts j).
  assert (N : (1 <= length h)%nat) by (generalize (pulls_at_most A same j h) (proj1 (proj2 M)); lia).
  assert (H0 : length h = (length z + length first)%nat) by apply app_length.
  apply (close_after (lam l) L A arms (policy x) (policy y)) with (same := same) (j := j) (price := price l)
    (left := left l) (after := fun h' => moved A same hit x y j d h' /\ exists w, h' = w ++ first) (T := T)
    (least := Nat.max many 1) (rounds := (T - Nat.max (length first) 1)%nat); try assumption.
  + intros h' a Ha; now apply positive.
  + intros h' a Ha; now apply positive.
  + intros h' a [Hm (w & ->)]. split; [now apply moved_stays|]. now exists (a :: w).
  + intros h' [Hm (w & ->)] S0. apply (Q _ Hm S0). rewrite app_length in S0.
    generalize (Pulls w) (pulls_at_most A same j w) (proj1 (proj2 Hm)). lia.
  + lia.
  + split; [exact M|]. now exists z.
  + generalize (Pulls z) (proj1 (proj2 M)). fold h. lia. }
destruct (begun A hit first) eqn:B0; [apply (Afterwards []); [exact B0|simpl; lia]|].
apply (close_before A arms (policy x) (policy y) (begun A hit)) with (T := T);
  [| | |lia|exact B0|exact Afterwards].
- intros h B. split; [|apply one]. intros a Ha. split; [now apply (before hit)|]. left. now apply positive.
- destruct C as (L & P & F & E & _). apply (enough_at_start (lam c) L); [|exact Hd].
  assert (0 <= INR (T - Nat.max (length first) 1) * price c) by (apply Rmult_le_pos; [apply pos_INR|exact P]).
  generalize (F (Nat.max many 1)). lra.
- now left.
Qed.

(** * Two arms *)
Notation rewards := (rewards bool).
Notation pulls := (pulls bool bool_dec).
Notation mean := (mean bool bool_dec).

(* Arm a's sample is N(mean, variance/(n + 1)), so the difference of the two is normal. *)
Definition deviation h := sqrt (variance / (INR (pulls true h) + 1) + variance / (INR (pulls false h) + 1)).
Definition thompson (x : rewards) : law bool := fun h a => Phi ((mean x a h - mean x (negb a) h) / deviation h).
Definition both_arms := [true; false].

(* Where thresholds lie once the changed arm has n pulls. *)
Definition reach (n : nat) := sqrt ((INR n + 1) / variance).
Definition within (n : nat) (x : R) := - reach n <= x <= reach n.

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

Lemma thresholds_reach x a h : in_range bool x -> within (pulls a h) ((mean x a h - mean x (negb a) h) / deviation h).
Proof.
intros H. assert (A := mean_in_range _ bool_dec x a h H). assert (B := mean_in_range _ bool_dec x (negb a) h H).
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

Lemma sum_both f j : sum f both_arms = f j + f (negb j).
Proof. destruct j; simpl; ring. Qed.

(* The coins of the rounds of T, each as it may come: after h, an arm with n pulls has been paid more on one side. *)
Definition round_coin (T n : nat) (p q : R) := exists hit x y j d h, once bool hit x y /\ in_range bool x /\
  in_range bool y /\ 0 <= d <= 1 /\ moved bool bool_dec hit x y j d h /\ pulls j h = n /\ (length h < T)%nat /\
  p = thompson x h j /\ q = thompson y h j.

Lemma once_back hit x y : once bool hit x y -> once bool hit y x.
Proof. intros [E O]. split; [intros h a H; symmetry; now apply E|exact O]. Qed.

Lemma moved_back hit x y j d h : moved bool bool_dec hit x y j d h -> moved bool bool_dec hit y x j (- d) h.
Proof. intros (B & N & E & O). repeat split; try assumption; [rewrite E; ring|intros a H; symmetry; now apply O]. Qed.

Theorem two_arms_potential r eps delta T many kept first c c' : 0 < delta -> prepulled bool_dec T many first ->
  enough_after (round_coin T) eps delta T many first true c ->
  enough_after (round_coin T) eps delta T many first false c' ->
  private_after bool_dec both_arms thompson r eps delta T kept first.
Proof.
intros Hd Pre C C'.
apply private_by_prices with (many := many) (coins := round_coin T) (c := c) (c' := c'); try assumption.
- intros; apply Phi_inside.
- intros x h. rewrite (sum_both _ true), thompson_other. ring.
- intros hit x y h B change a _. unfold thompson. now rewrite !(mean_before _ bool_dec hit x y change _ h B).
- intros hit x y j d h change Hx Hy D M HT N. cbv zeta. set (n := pulls j h) in *.
  assert (Q : let l := if Rle_dec 0 d then c else c' in
    cost (lam l) (left l n - left l (S n)) (thompson x h j) (thompson y h j) <= exp (price l)).
  { destruct (Rle_dec 0 d) as [P|P]; simpl.
    - destruct C as (_ & _ & _ & _ & C). apply (C n _ _ N). exists hit, x, y, j, d, h.
      repeat split; try assumption; try apply change; try apply Hx; try apply Hy; try apply M; lra.
    - destruct C' as (_ & _ & _ & _ & C'). apply (C' n _ _ N). assert (B := moved_back _ _ _ _ _ _ M).
      exists hit, y, x, j, (- d), h. repeat split; try assumption;
        try apply (once_back _ _ _ change); try apply Hx; try apply Hy; try apply B; lra. }
  set (l := if Rle_dec 0 d then c else c') in *. rewrite (sum_both _ j), !thompson_other.
  assert (J : negb j <> j) by now destruct j.
  destruct (bool_dec j j) as [_|E]; [|now destruct E]. destruct (bool_dec j (negb j)) as [E|_]; [now destruct J|].
  unfold cost in Q. replace (left l (S n) - left l n) with (- (left l n - left l (S n))) by ring. cbv zeta in Q. lra.
Qed.

Lemma round_coin_shifted T n p q : round_coin T n p q -> shifted within n p q.
Proof.
intros (hit & x & y & j & d & h & change & Hx & Hy & D & M & <- & _ & -> & ->).
set (n := pulls j h). set (k := / ((INR n + 1) * deviation h)).
set (v := (mean x j h - mean x (negb j) h) / deviation h).
assert (D0 := deviation_positive h). assert (N0 := pos_INR n). assert (J : negb j <> j) by now destruct j.
assert (K := moved_at_most j h). fold n k in K.
assert (V : (mean y j h - mean y (negb j) h) / deviation h = v + d * k).
{ rewrite (mean_moved _ bool_dec hit x y j d h M), (mean_unmoved _ bool_dec hit x y j d _ h M J).
  fold n. unfold v, k. field; lra. }
assert (Ry := thresholds_reach y j h Hy). rewrite V in Ry.
exists (d * k), (- v). rewrite Ropp_involutive. replace (d * k - - v) with (v + d * k) by ring.
split; [split; nra|]. split; [exact (thresholds_reach x j h Hx)|]. split; [exact Ry|].
split; [reflexivity|]. unfold thompson. now rewrite V.
Qed.
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
- replace (N - n)%nat with (S (N - S n)) by lia. simpl summed. rewrite plus_IZR. field.
  apply IZR_lt in scale_positive; lra.
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
