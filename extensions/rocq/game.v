(* The threshold game: what trees of coins show, and that it bounds what Thompson sampling with two arms reveals. Rewards
   in [0, 1] bound the thresholds; before the changed reward is read, they bound the chances of a pull. *)
From Coq Require Import Reals Lra Lia List Bool.
From Dpbandits Require Import normal moments coins rewards thompson.
Import ListNotations.
Open Scope R_scope.

(** * What trees of coins show *)
(* What is seen of chances P and Q: the sum of all that P exceeds Q by. Homogeneous, and atoms may be split. *)
Definition fair (v : R -> R -> R) :=
  (forall c P Q, 0 <= c -> 0 <= P -> 0 <= Q -> v (c * P) (c * Q) = c * v P Q) /\
  (forall P Q P' Q', 0 <= P -> 0 <= Q -> 0 <= P' -> 0 <= Q' -> v (P + P') (Q + Q') <= v P Q + v P' Q') /\
  (forall P Q, 0 <= P -> 0 <= Q -> 0 <= v P Q <= P) /\
  (forall P Q P' Q', 0 <= P <= P' -> 0 <= Q' <= Q -> v P Q <= v P' Q').

Lemma end_fair : fair (fun P Q => Rmax (P - Q) 0).
Proof. unfold fair. repeat split; intros; unfold Rmax; repeat destruct Rle_dec; nra. Qed.

(* A coin, and what is seen after a pull and after no pull. *)
Lemma round_fair f g p q : fair f -> fair g -> 0 <= p <= 1 -> 0 <= q <= 1 ->
  fair (fun P Q => f (p * P) (q * Q) + g ((1 - p) * P) ((1 - q) * Q)).
Proof.
intros (Fh & Fs & Fb & Fm) (Gh & Gs & Gb & Gm) Hp Hq.
assert (M : forall x y, 0 <= x <= 1 -> 0 <= y -> 0 <= x * y /\ 0 <= (1 - x) * y) by (intros; split; nra).
split; [|split; [|split]].
- intros c P Q Hc HP HQ.
  replace (p * (c * P)) with (c * (p * P)) by ring. replace (q * (c * Q)) with (c * (q * Q)) by ring.
  replace ((1 - p) * (c * P)) with (c * ((1 - p) * P)) by ring.
  replace ((1 - q) * (c * Q)) with (c * ((1 - q) * Q)) by ring.
  rewrite Fh, Gh by (try apply M; lra). ring.
- intros P Q P' Q' H1 H2 H3 H4. rewrite !Rmult_plus_distr_l.
  apply Rle_trans with (f (p * P) (q * Q) + f (p * P') (q * Q') +
    (g ((1 - p) * P) ((1 - q) * Q) + g ((1 - p) * P') ((1 - q) * Q'))); [|lra].
  apply Rplus_le_compat; [apply Fs|apply Gs]; apply M; lra.
- intros P Q HP HQ.
  assert (A := Fb (p * P) (q * Q) ltac:(apply M; lra) ltac:(apply M; lra)).
  assert (B := Gb ((1 - p) * P) ((1 - q) * Q) ltac:(apply M; lra) ltac:(apply M; lra)). lra.
- intros P Q P' Q' [H1 H2] [H3 H4]. apply Rplus_le_compat; [apply Fm|apply Gm]; split; nra.
Qed.

Section Values.
(* With k rounds left, the next among them, and in state n, the coin may be one of these. A pull leads to the state
   n + 1, but for the state `last`. *)
Variables (last : nat) (coin : nat -> nat -> R -> R -> Prop).
Hypothesis chances : forall k n p q, coin k n p q -> 0 <= p <= 1 /\ 0 <= q <= 1.

Inductive value : nat -> nat -> (R -> R -> R) -> Prop :=
| value_end n v : (forall P Q, v P Q = Rmax (P - Q) 0) -> value 0 n v
| value_round k n p q f g v : coin (S k) n p q -> value k (Nat.min (S n) last) f -> value k n g ->
    (forall P Q, v P Q = f (p * P) (q * Q) + g ((1 - p) * P) ((1 - q) * Q)) -> value (S k) n v.

Lemma value_fair k n v : value k n v -> fair v.
Proof.
assert (Same : forall v w : R -> R -> R, (forall P Q, v P Q = w P Q) -> v = w).
{ intros v' w E. do 2 (apply FunctionalExtensionality.functional_extensionality; intros ?). apply E. }
induction 1 as [n v E|k n p q f g v C _ F _ G E]; rewrite (Same _ _ E); [apply end_fair|].
apply round_fair; try assumption; apply (chances _ _ _ _ C).
Qed.

(* A law whose rounds are such coins shows at most what a tree of them does. *)
Section Laws.
Variables (T : nat) (j : bool) (p q : law bool) (after : releases bool -> Prop).
Notation pulls := (pulls bool bool_dec).
Hypothesis stays : forall h a, after h -> after (a :: h).
Hypothesis whole : forall h, p h (negb j) = 1 - p h j /\ q h (negb j) = 1 - q h j.
Hypothesis rounds : forall h, after h -> (length h < T)%nat ->
  coin (T - length h) (Nat.min (pulls j h) last) (p h j) (q h j).

Lemma shown_by_tree k h : after h -> (length h + k = T)%nat -> exists v, value k (Nat.min (pulls j h) last) v /\
  forall event P Q, 0 <= P -> 0 <= Q ->
    P * chance bool both_arms p k h event - Q * chance bool both_arms q k h event <= v P Q.
Proof.
revert h; induction k as [|k IH]; intros h Ha Hk.
- exists (fun P Q => Rmax (P - Q) 0). split; [now constructor|]. intros event P Q HP HQ. simpl.
  destruct (event h); unfold Rmax; destruct Rle_dec; lra.
- destruct (IH (j :: h)) as (f & F & Ff); [now apply stays|simpl; lia|].
  destruct (IH (negb j :: h)) as (g & G & Gg); [now apply stays|simpl; lia|].
  assert (C := rounds h Ha ltac:(lia)). replace (T - length h)%nat with (S k) in C by lia.
  destruct (chances _ _ _ _ C) as [Hp Hq]. cbn [moments.pulls] in F, G.
  destruct (bool_dec j j) as [_|N]; [|now destruct N].
  destruct (bool_dec j (negb j)) as [N|_]; [now destruct j|].
  replace (Nat.min (S (pulls j h)) last) with (Nat.min (S (Nat.min (pulls j h) last)) last) in F by lia.
  exists (fun P Q => f (p h j * P) (q h j * Q) + g ((1 - p h j) * P) ((1 - q h j) * Q)).
  split; [now apply value_round with (p := p h j) (q := q h j) (f := f) (g := g)|].
  intros event P Q HP HQ. cbn [chance]. rewrite !(sum_both _ j). destruct (whole h) as [-> ->].
  assert (A := Ff event (p h j * P) (q h j * Q) ltac:(nra) ltac:(nra)).
  assert (B := Gg event ((1 - p h j) * P) ((1 - q h j) * Q) ltac:(nra) ltac:(nra)). lra.
Qed.
End Laws.
End Values.

(** * Two arms *)
Section Two.
Variable variance : R.
Hypothesis variance_positive : 0 < variance.
Notation rewards := (rewards bool).
Notation pulls := (pulls bool bool_dec).
Notation mean := (mean bool bool_dec).
Notation thompson := (thompson variance).

(* After N rounds with n pulls of an arm: the deviation of the samples' difference, by how much a reward of that arm
   moves it, and how far means in [0, n/(n+1)] let the thresholds go. *)
Definition deviation_of (N n : nat) := sqrt (variance / (INR n + 1) + variance / (INR (N - n) + 1)).
Definition step (N n : nat) := / ((INR n + 1) * deviation_of N n).
Definition high (N n : nat) := INR (N - n) / (INR (N - n) + 1) / deviation_of N n.
Definition low (N n : nat) := INR n / (INR n + 1) / deviation_of N n.

(* The changed arm's chances of a pull: where it pays less, and where it pays more. *)
Definition coin_of (N n : nat) (p q : R) := exists u v, (1 <= n <= N)%nat /\ 0 <= u - v <= step N n /\
  u <= high N n /\ - low N n <= v /\ p = Phi (- u) /\ q = Phi (- v).
(* The state is the number of pulls, or `last` from there on; k rounds are left of T. *)
Definition game_coin (rises : bool) (T last k i : nat) (p q : R) := exists n, i = Nat.min n last /\
  if rises then coin_of (T - k) n p q else coin_of (T - k) n q p.
(* The chances of a pull that means allow before the changed reward was read. *)
Definition waits (N n : nat) (a : R) := (n <= N)%nat /\ Phi (- high N n) <= a <= Phi (low N n).

Lemma game_chances rises T last k n p q : game_coin rises T last k n p q -> 0 <= p <= 1 /\ 0 <= q <= 1.
Proof.
intros (m & _ & H). destruct rises, H as (u & v & _ & _ & _ & _ & -> & ->);
  generalize (Phi_inside (- u)) (Phi_inside (- v)); lra.
Qed.

Lemma pulls_both j h : (pulls j h + pulls (negb j) h = length h)%nat.
Proof. induction h as [|a h IH]; simpl; [reflexivity|]. destruct j, a; simpl in *; lia. Qed.

Lemma deviation_is j h : deviation variance h = deviation_of (length h) (pulls j h).
Proof.
unfold deviation, deviation_of. f_equal. generalize (pulls_both j h). intros E.
replace (length h - pulls j h)%nat with (pulls (negb j) h) by lia. destruct j; simpl; ring.
Qed.

Lemma mean_at_most x a h : in_range bool x -> 0 <= mean x a h <= INR (pulls a h) / (INR (pulls a h) + 1).
Proof.
intros H. assert (N := pos_INR (pulls a h)). unfold rewards.mean.
assert (B : 0 <= total bool bool_dec x a h <= INR (pulls a h)).
{ clear N. induction h as [|b h IH]; [simpl; lra|]. cbn [total moments.pulls].
  destruct (bool_dec a b) as [<-|_]; [|lra]. rewrite S_INR. generalize (H h a); lra. }
split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
Qed.

Definition gap x j h := (mean x (negb j) h - mean x j h) / deviation variance h.

Lemma gap_bounds x j h : in_range bool x ->
  - low (length h) (pulls j h) <= gap x j h <= high (length h) (pulls j h).
Proof.
intros H. assert (A := mean_at_most x j h H). assert (B := mean_at_most x (negb j) h H).
assert (D := Rinv_0_lt_compat _ (deviation_positive variance variance_positive h)). unfold gap, low, high.
rewrite <- (deviation_is j h). generalize (pulls_both j h). intros E.
replace (length h - pulls j h)%nat with (pulls (negb j) h) by lia.
set (m := INR (pulls j h) / (INR (pulls j h) + 1)) in *.
set (m' := INR (pulls (negb j) h) / (INR (pulls (negb j) h) + 1)) in *.
unfold Rdiv. set (i := / deviation variance h) in *. split; nra.
Qed.

Lemma chance_is x j h : thompson x h j = Phi (- gap x j h).
Proof. unfold thompson.thompson, gap. f_equal. unfold Rdiv. ring. Qed.

Lemma waiting_chance x j h : in_range bool x -> waits (length h) (pulls j h) (thompson x h j).
Proof.
intros H. rewrite chance_is. destruct (gap_bounds x j h H) as [A B]. split; [generalize (pulls_both j h); lia|].
split; apply Phi_le; lra.
Qed.

Lemma moved_coin hit x y j d h : in_range bool x -> in_range bool y -> moved bool bool_dec hit x y j d h ->
  0 <= d <= 1 -> coin_of (length h) (pulls j h) (thompson x h j) (thompson y h j).
Proof.
intros Hx Hy M Hd. assert (J : negb j <> j) by now destruct j. assert (L := proj1 (proj2 M)).
assert (N := pos_INR (pulls j h)). assert (D := deviation_positive variance variance_positive h).
exists (gap x j h), (gap y j h).
split; [generalize (pulls_both j h); lia|]. split; [|split; [apply gap_bounds, Hx|split; [apply gap_bounds, Hy|]]].
- unfold gap. rewrite (mean_moved _ bool_dec hit x y j d h M), (mean_unmoved _ bool_dec hit x y j d _ h M J).
  unfold step. rewrite <- (deviation_is j h).
  replace ((mean x (negb j) h - mean x j h) / deviation variance h -
    (mean x (negb j) h - (mean x j h + d / (INR (pulls j h) + 1))) / deviation variance h)
    with (d * / ((INR (pulls j h) + 1) * deviation variance h)) by (field; lra).
  assert (0 < / ((INR (pulls j h) + 1) * deviation variance h)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra). nra.
- split; apply chance_is.
Qed.

(* What trees in both orders show of 1 and e^eps. *)
Definition shows_at_most (eps : R) (T last k i : nat) (b : R) :=
  forall rises v, value last (game_coin rises T last) k i v -> v 1 (exp eps) <= b.

Lemma after_the_change hit x y j d T last eps k h b : once bool hit x y -> in_range bool x -> in_range bool y ->
  moved bool bool_dec hit x y j d h -> -1 <= d <= 1 -> (length h + k = T)%nat ->
  shows_at_most eps T last k (Nat.min (pulls j h) last) b -> forall event,
  chance bool both_arms (thompson x) k h event - exp eps * chance bool both_arms (thompson y) k h event <= b.
Proof.
intros change Hx Hy M D K H event. set (after := fun g => moved bool bool_dec hit x y j d g).
assert (W : forall z g, thompson z g (negb j) = 1 - thompson z g j) by (intros; apply thompson_other).
assert (E := exp_pos eps). set (rises := if Rle_dec 0 d then true else false).
destruct (shown_by_tree last (game_coin rises T last) (game_chances rises T last) T j (thompson x) (thompson y) after)
  with (k := k) (h := h) as (v & V & Vv); try assumption.
- intros g a; now apply moved_stays.
- intros g; split; apply W.
- intros g G L. exists (pulls j g). split; [reflexivity|]. replace (T - (T - length g))%nat with (length g) by lia.
  unfold rises. destruct (Rle_dec 0 d) as [P|P].
  + apply (moved_coin hit x y j d g Hx Hy G); lra.
  + apply (moved_coin hit y x j (- d) g Hy Hx); [|lra]. now apply moved_back.
- generalize (Vv event 1 (exp eps) ltac:(lra) ltac:(lra)) (H rises v V). lra.
Qed.

Lemma alike_before hit x y h a : once bool hit x y -> begun bool hit h = false -> thompson y h a = thompson x h a.
Proof. intros change B. unfold thompson.thompson. now rewrite !(mean_before _ bool_dec hit x y change _ h B). Qed.

Lemma pulls_after j h :
  pulls j (j :: h) = S (pulls j h) /\ pulls j (negb j :: h) = pulls j h.
Proof. simpl. destruct j; simpl; split; reflexivity. Qed.

(* After pre-pulls, `many` of each arm, in any order. Their rewards are kept, or forgotten: one change of the rewards is
   one of what is heard. *)
Lemma pulls_since many T first j h : prepulled bool_dec T many first -> pulls j (h ++ first) = (pulls j h + many)%nat.
Proof. intros [_ C]. rewrite <- (C j). induction h as [|b h IH]; simpl; [|rewrite IH; destruct (bool_dec j b)]; lia. Qed.

Lemma prepulls_length many T first : prepulled bool_dec T many first -> length first = (2 * many)%nat.
Proof. intros [_ C]. rewrite <- (pulls_both true first), !C. lia. Qed.

Lemma heard_once hit kept (first : releases bool) x y : once bool hit x y -> once bool hit (heard kept first x) (heard kept first y).
Proof. intros [E O]. split; [|exact O]. intros h a N. unfold heard. now rewrite (E h a N). Qed.

Lemma heard_in_range kept (first : releases bool) x : in_range bool x -> in_range bool (heard kept first x).
Proof. intros N h a. unfold heard. destruct kept; [apply N|]. destruct (Nat.ltb _ _); [lra|apply N]. Qed.

(* One round changed: the game may start in any state that a run may come to. *)
Theorem round_game eps delta T last many kept first : 0 <= eps -> 0 <= delta -> prepulled bool_dec T many first ->
  (forall k n, (Nat.max many 1 <= n)%nat -> (n + many + k <= T)%nat -> shows_at_most eps T last k (Nat.min n last) delta) ->
  private_after bool_dec both_arms thompson round eps delta T kept first.
Proof.
intros He Hd Pre H x' y' near Hx' Hy' event. destruct (neighbours_once _ _ _ _ _ near) as (hit & change').
assert (change := heard_once hit kept first x' y' change').
assert (Hx := heard_in_range kept first x' Hx'). assert (Hy := heard_in_range kept first y' Hy').
set (x := heard kept first x') in *. set (y := heard kept first y') in *.
assert (E : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
assert (All : forall k z, let h := z ++ first in (length h + k = T)%nat ->
  chance bool both_arms (thompson x) k h event - exp eps * chance bool both_arms (thompson y) k h event <= delta).
{ induction k as [|k IH]; intros z h K; unfold h in K; destruct (begun bool hit h) eqn:B.
  1, 3: destruct (change_moves bool bool_dec hit x y change Hx Hy h B) as (j & d & D & M);
    apply (after_the_change hit x y j d T last eps _ h delta change Hx Hy M D K); apply H;
    [generalize (proj1 (proj2 M))|generalize (pulls_both j h)]; unfold h; rewrite ?app_length, !(pulls_since _ _ _ _ _ Pre);
    rewrite app_length in K; lia.
  - simpl. destruct (event h); lra.
  - cbn [chance]. rewrite !(sum_both _ true), !thompson_other, (alike_before hit x y h true change B).
    assert (P : 0 < thompson x h true < 1) by apply Phi_inside.
    assert (A := IH (true :: z) ltac:(simpl in *; lia)). assert (C := IH (negb true :: z) ltac:(simpl in *; lia)).
    unfold h in *. cbn [app] in A, C. set (a := thompson x (z ++ first) true) in *. nra. }
assert (L := proj1 Pre). generalize (All (T - length first)%nat [] ltac:(simpl; lia)). simpl app. lra.
Qed.

Lemma read_now x y j m h : once bool (at_pull bool bool_dec j m) x y -> in_range bool x -> in_range bool y ->
  begun bool (at_pull bool bool_dec j m) h = false -> pulls j h = m ->
  exists d, -1 <= d <= 1 /\ moved bool bool_dec (at_pull bool bool_dec j m) x y j d (j :: h).
Proof.
intros change Hx Hy B L. exists (y h j - x h j). split; [generalize (Hx h j) (Hy h j); lra|].
assert (Tt : forall a, total bool bool_dec y a h = total bool bool_dec x a h).
{ intros a. assert (Q := mean_before _ bool_dec _ x y change a h B). unfold rewards.mean in Q.
  assert (N := pos_INR (pulls a h)). apply Rmult_eq_reg_r with (/ (INR (pulls a h) + 1)); [exact Q|].
  apply Rinv_neq_0_compat; lra. }
assert (J : (if bool_dec j j then Nat.eqb (pulls j h) m else false) = true).
{ destruct (bool_dec j j) as [_|N]; [|now destruct N]. rewrite L. apply Nat.eqb_refl. }
split; [simpl; unfold at_pull at 1; now rewrite J|]. split; [rewrite (proj1 (pulls_after j h)); lia|].
cbn [total]. split.
- destruct (bool_dec j j) as [_|N]; [|now destruct N]. rewrite Tt; lra.
- intros a N. destruct (bool_dec a j) as [E|_]; [now destruct N|]. rewrite Tt; lra.
Qed.

(* One pull changed, which is waited for: what waiting on is worth at most in a state, with k rounds left. *)
Definition waiting_at_most (eps : R) (T last k i : nat) (b : R) := forall x y j m h event,
  once bool (at_pull bool bool_dec j m) x y -> in_range bool x -> in_range bool y ->
  (length h + k = T)%nat -> (pulls j h <= m)%nat -> Nat.min (pulls j h) last = i ->
  chance bool both_arms (thompson x) k h event - exp eps * chance bool both_arms (thompson y) k h event <= b.

Lemma waiting_end eps T last i b : 0 <= eps -> 0 <= b -> waiting_at_most eps T last 0 i b.
Proof.
intros He Hb x y j m h event _ _ _ _ _ _. assert (E : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
simpl. destruct (event h); lra.
Qed.

Lemma not_read j m h : (pulls j h <= m)%nat -> begun bool (at_pull bool bool_dec j m) h = false.
Proof.
induction h as [|b h IH]; intros L; [reflexivity|]. cbn [begun moments.pulls] in *. unfold at_pull at 1.
destruct (bool_dec b j) as [->|N].
- destruct (bool_dec j j) as [_|N]; [|now destruct N]. destruct (Nat.eqb_spec (pulls j h) m); [lia|]. apply IH; lia.
- apply IH. destruct (bool_dec j b); [congruence|exact L].
Qed.

Lemma waiting_round eps T last k i b : (forall n a, Nat.min n last = i -> (n + S k <= T)%nat -> waits (T - S k) n a ->
    exists started more same, more <= started /\ waiting_at_most eps T last k (Nat.min (S n) last) more /\
    shows_at_most eps T last k (Nat.min (S n) last) started /\ waiting_at_most eps T last k i same /\
    a * started + (1 - a) * same <= b) ->
  waiting_at_most eps T last (S k) i b.
Proof.
intros BS x y j m h event change Hx Hy K L I.
cbn [chance]. rewrite !(sum_both _ j), !thompson_other, (alike_before _ x y h j change (not_read j m h L)).
assert (P : 0 < thompson x h j < 1) by apply Phi_inside.
assert (W := waiting_chance x j h Hx). replace (length h) with (T - S k)%nat in W by lia.
destruct (BS (pulls j h) (thompson x h j) I) as (s & w & o & Hs & Ww & V & Wo & Best);
  [generalize (pulls_both j h); lia|exact W|].
destruct (pulls_after j h) as [Pj Pn].
assert (A : chance bool both_arms (thompson x) k (j :: h) event -
  exp eps * chance bool both_arms (thompson y) k (j :: h) event <= s).
{ destruct (Nat.eq_dec (pulls j h) m) as [Q|Q].
  - destruct (read_now x y j m h change Hx Hy (not_read j m h L) Q) as (d & D & M).
    apply (after_the_change _ x y j d T last eps k (j :: h) s change Hx Hy M D); [simpl; lia|]. now rewrite Pj.
  - apply Rle_trans with (2 := Hs). apply (Ww x y j m); try assumption; [simpl; lia|rewrite Pj; lia|now rewrite Pj]. }
assert (C := Wo x y j m (negb j :: h) event change Hx Hy ltac:(simpl; lia) ltac:(rewrite Pn; exact L)
  ltac:(now rewrite Pn)).
set (a := thompson x h j) in *. nra.
Qed.

Lemma not_read_yet j m h : begun bool (at_pull bool bool_dec j m) h = false -> (pulls j h <= m)%nat.
Proof.
induction h as [|b h IH]; intros B; simpl in *; [lia|]. unfold at_pull in B at 1. destruct (bool_dec b j) as [->|N].
- destruct (bool_dec j j) as [_|N]; [|now destruct N].
  destruct (Nat.eqb_spec (pulls j h) m) as [_|N]; [discriminate|]. specialize (IH B). lia.
- destruct (bool_dec j b) as [->|_]; [now destruct N|]. now apply IH.
Qed.

(* A change among the pre-pulls starts the game when they end; any other one is waited for from there on. *)
Theorem pull_game eps delta T last many kept first : prepulled bool_dec T many first ->
  ((1 <= many)%nat -> shows_at_most eps T last (T - 2 * many) (Nat.min many last) delta) ->
  waiting_at_most eps T last (T - 2 * many) (Nat.min many last) delta ->
  private_after bool_dec both_arms thompson pull eps delta T kept first.
Proof.
intros Pre Started Waited x' y' (t & u & j & m & Eq & -> & ->) Hx' Hy' event.
set (hit := at_pull bool bool_dec j m) in *.
assert (change := heard_once hit kept first _ _ (pull_once bool bool_dec t u j m Eq)).
assert (Hx := heard_in_range kept first _ Hx'). assert (Hy := heard_in_range kept first _ Hy').
set (x := heard kept first (by_pull bool bool_dec t)) in *. set (y := heard kept first (by_pull bool bool_dec u)) in *.
assert (L := prepulls_length _ _ _ Pre). assert (Lt := proj1 Pre). rewrite <- L in Started, Waited.
assert (Q : chance bool both_arms (thompson x) (T - length first) first event -
  exp eps * chance bool both_arms (thompson y) (T - length first) first event <= delta); [|lra].
destruct (begun bool hit first) eqn:B.
- destruct (change_moves bool bool_dec hit x y change Hx Hy first B) as (i & d & D & M).
  apply (after_the_change hit x y i d T last eps _ first delta change Hx Hy M D); [lia|].
  assert (Some_ := proj1 (proj2 M)). rewrite (proj2 Pre i) in *. now apply Started.
- apply (Waited x y j m); try assumption; [lia|now apply not_read_yet|now rewrite (proj2 Pre j)].
Qed.
End Two.
