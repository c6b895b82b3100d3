(* The static potential, theorem-3/law/potential and law/potential/modified: numbers that pay for every coin of every
   round bound the loss of a run of any length, for either relation, two arms or any number of them. The run draws its samples
   in turn. *)
From Coq Require Import Reals Lra Lia List Bool.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins rewards thompson largest arms thompson_samples drawn_thompson late_pulls.
From Dpbandits Require Import witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(* Numbers of one order: lam, the price c of a round, and b n for a round with n pulls of the changed arm. *)
Record numbers := { order : R; c : R; b : nat -> R }.

(* Coins (p, q): the chance of a pull on the side where the arm pays less, and on the other side. rises: P's is p. *)
Definition pays_between (coin : nat -> R -> R -> Prop) (rises : bool) (least most : nat) (N : numbers) :=
  let lam := order N in 0 < lam /\ 0 <= c N /\ (forall n, 0 <= b N n) /\
  forall n p q, (least <= n < most)%nat -> coin n p q ->
    (if rises then exp (- b N n) * tilted lam p q + tilted lam (1 - p) (1 - q)
     else exp (- b N n) * tilted lam q p + tilted lam (1 - q) (1 - p)) <= exp (lam * c N).
Definition pays coin rises (T : nat) := pays_between coin rises 1 T.

(* b n + ... + b (n + k - 1), and the eps of these numbers at delta, for so many rounds from `least` pulls on. *)
Fixpoint added (f : nat -> R) (n k : nat) : R := match k with O => 0 | S k' => f n + added f (S n) k' end.
Definition loss_between (least rounds : nat) (delta : R) (N : numbers) := let lam := order N in
  c N * INR rounds + (added (b N) least rounds + ln (1 / delta) + lam * ln lam - (1 + lam) * ln (1 + lam)) / lam.
Definition loss (T : nat) := loss_between 1 (T - 1).

Definition priced (most : nat) (N : numbers) : prices :=
  Build_prices (order N) (order N * c N) (fun n => added (b N) n (most - n)).

Lemma added_positive f n k : (forall m, 0 <= f m) -> 0 <= added f n k.
Proof. intros H. revert n. induction k as [|k IH]; intros n; simpl; [lra|]. generalize (H n) (IH (S n)); lra. Qed.

Lemma enough_if_paid coin rises eps delta least rounds most N : 0 < delta -> (most <= least + rounds)%nat ->
  pays_between coin rises least most N -> loss_between least rounds delta N <= eps ->
  enough_from coin eps delta least rounds most rises (priced (least + rounds) N).
Proof.
intros D M (L & C & B & P) E. set (l := order N) in *. set (T := (least + rounds)%nat) in *.
assert (Step : forall n, (n < T)%nat -> added (b N) n (T - n) = b N n + added (b N) (S n) (T - S n)).
{ intros n Hn. replace (T - n)%nat with (S (T - S n)) by lia. reflexivity. }
unfold enough_from, priced; cbn [thompson.lam thompson.price thompson.left]. fold l. repeat split.
- exact L.
- apply Rmult_le_pos; lra.
- now apply added_positive.
- destruct (Nat.lt_ge_cases n T) as [H|H]; [rewrite (Step n H); generalize (B n); lra|].
  replace (T - S n)%nat with 0%nat by lia. replace (T - n)%nat with 0%nat by lia. simpl; lra.
- unfold best_share. rewrite ln_exp. unfold Rdiv at 1.
  rewrite ln_mult, ln_Rinv by (lra || (apply Rinv_0_lt_compat; lra)).
  unfold loss_between in E. fold l in E. replace (T - least)%nat with rounds by (unfold T; lia).
  unfold Rdiv in E. rewrite Rmult_1_l, ln_Rinv in E by exact D.
  apply (Rmult_le_compat_l l) in E; [|lra].
  set (rest := added (b N) least rounds + - ln delta + l * ln l - (1 + l) * ln (1 + l)) in E.
  replace (l * (c N * INR rounds + rest * / l)) with (l * c N * INR rounds + rest) in E by (field; lra).
  unfold rest in E.
  lra.
- intros n p q Hn Hc. rewrite (Step n) by lia.
  replace (b N n + added (b N) (S n) (T - S n) - added (b N) (S n) (T - S n)) with (b N n) by ring.
  assert (G := P n p q Hn Hc). unfold tilted_cost, cost. destruct rises; exact G.
Qed.

(* variance: c of the paper, of a sample times n + 1. For two arms the coins are those of the rounds, one by one; for
   any number of them the others' samples set any threshold x, and the arm's moves by at most `shift`. *)
Theorem potential variance r eps delta T (right left : numbers) : 0 < variance -> 0 < delta ->
  loss T delta right <= eps -> loss T delta left <= eps ->
  (pays (round_coin variance T) true T right -> pays (round_coin variance T) false T left ->
     pulls_private bool_dec both_arms [] variance T r true eps delta) /\
  (forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
     NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) ->
     pays (shifted variance anywhere) true T right -> pays (shifted variance anywhere) false T left ->
     pulls_private same arms [] variance T r true eps delta).
Proof.
intros V D R L.
assert (E : forall coin rises N, pays coin rises T N -> loss T delta N <= eps ->
  enough coin eps delta T rises (priced (1 + (T - 1)) N)).
{ intros coin rises N P H. unfold enough. replace (pred T) with (T - 1)%nat by lia.
  apply enough_if_paid; try assumption. lia. }
split.
- intros P Q. apply two_arms_drawn_private; [exact V|apply le_0_n|].
  apply (two_arms_potential variance r eps delta T 0 true [] (priced (1 + (T - 1)) right)
    (priced (1 + (T - 1)) left) D); [split; [simpl; lia|reflexivity]| |]; apply enough_without; now apply E.
- intros A same arms different two all P Q.
  apply (any_arms_close A same arms variance r eps delta T (priced (1 + (T - 1)) right)
    (priced (1 + (T - 1)) left) V D different two all); now apply E.
Qed.

(* Two rounds, of which the second one has coins: numbers of order 1 that pay for every coin. *)
Definition plain := Build_numbers 1 2 (fun _ => 0).

Lemma plain_pays rises : pays (shifted 1 anywhere) rises 2 plain.
Proof.
split; [simpl; lra|split; [simpl; lra|split; [simpl; intros; lra|]]]. intros n p q H (s & x & S & _ & _ & -> & ->).
replace n with 1%nat in S by lia. cbn [order c b plain]. rewrite Ropp_0, exp_0, !Rmult_1_l.
assert (S2 : s * s <= 1 / 2).
{ assert (E : shift 1 1 * shift 1 1 = 1 / 2); [|nra]. unfold shift. replace (INR 1 + 1) with 2 by (simpl; ring).
  rewrite Rmult_1_l, <- Rinv_mult, sqrt_sqrt by lra. field. }
assert (Half : forall u, tilted 1 (Phi (s - u)) (Phi (- u)) <= exp (1 / 2)).
{ intros u. apply Rle_trans with (1 := tilted_half_line 1 Rlt_0_1 s u).
  replace (exp (1 / 2)) with (exp (1 / 2) * 1) by ring. apply Rmult_le_compat; [left; apply exp_pos| |apply exp_le; lra|].
  - left. apply Phi_inside.
  - left. apply Phi_inside. }
assert (Whole : 1 + exp (1 / 2) <= exp 2) by interval with (i_prec 60).
assert (L : Phi (- x) <= Phi (s - x)) by (apply Phi_le; lra). assert (P := Phi_inside (- x)). assert (Q := Phi_inside (s - x)).
rewrite <- !Phi_opp. destruct rises.
- assert (A := tilted_at_most 1 Rlt_0_1 (Phi (- x)) (Phi (s - x)) ltac:(lra) L).
  assert (B := Half (s - x)). replace (s - (s - x)) with (- - x) in B by ring. lra.
- assert (A := Half x).
  assert (M : Phi (- (s - x)) <= Phi (- - x)) by (apply Phi_le; lra). assert (O := Phi_inside (- (s - x))).
  assert (B := tilted_at_most 1 Rlt_0_1 (Phi (- (s - x))) (Phi (- - x)) ltac:(lra) M). lra.
Qed.

Lemma plain_pays_both_arms rises : pays (round_coin 1 2) rises 2 plain.
Proof.
destruct (plain_pays rises) as (L & C & B & P). split; [exact L|split; [exact C|split; [exact B|]]]. intros n p q H Coin.
apply P; [exact H|]. destruct (round_coin_shifted 1 Rlt_0_1 2 n p q Coin) as (s & x & S & _ & _ & E). now exists s, x.
Qed.

Lemma potential_witness : satisfiable potential.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (C := plain_pays).
assert (D := plain_pays_both_arms). exists 1, pull, (loss 2 (1 / 2) plain), (1 / 2), 2%nat, plain, plain. hold; try apply D.
- now exists x, y, (fun _ => true), 4%nat.
- exists bool, bool_dec, both_arms. hold; try apply C; [intros [|]; simpl; tauto|now exists x, y, (fun _ => true), 4%nat].
Qed.

(* After `start` pre-pulls in all, B of every arm: the changed arm has max(B, 1) pulls at least, and so many rounds are
   left. Both orders are paid for. *)
Definition least_pulls (B : nat) := Nat.max B 1.
Definition rounds_after (start T : nat) := (T - Nat.max start 1)%nat.
Definition paid_after coin eps delta T B start (right left : numbers) :=
  let least := least_pulls B in let rounds := rounds_after start T in (1 <= rounds)%nat /\
  loss_between least rounds delta right <= eps /\ loss_between least rounds delta left <= eps /\
  pays_between coin true least (least + rounds) right /\ pays_between coin false least (least + rounds) left.

Lemma enough_if_paid_after {A} same coin eps delta T B (first : list A) (a : A) right left : 0 < delta ->
  prepulled same T B first -> paid_after coin eps delta T B (length first) right left ->
  let most := (least_pulls B + rounds_after (length first) T)%nat in
  enough_after coin eps delta T B first true (priced most right) /\
  enough_after coin eps delta T B first false (priced most left).
Proof.
intros D [short counts] (R & E & E' & P & P'). intros most.
assert (M : (T - length first + B)%nat = most).
{ unfold most, least_pulls, rounds_after in *. destruct first as [|b l].
  - assert (N := counts a). simpl in N. subst B. simpl in *. lia.
  - assert (N := counts b). simpl in N. destruct (same b b) as [_|F]; [|now destruct F]. simpl in *. lia. }
unfold enough_after. rewrite M. split; now apply enough_if_paid.
Qed.

(* Algorithm 2: the pre-pulls pull the arms in `first`, the last one first; their rewards are kept or not. *)
Theorem potential_modified variance r eps delta T B kept (right left : numbers) : 0 < variance -> 0 < delta ->
  (forall first, prepulled bool_dec T B first ->
     paid_after (round_coin variance T) eps delta T B (length first) right left ->
     pulls_private bool_dec both_arms first variance T r kept eps delta) /\
  (forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms first : list A),
     NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) -> prepulled same T B first ->
     paid_after (shifted variance anywhere) eps delta T B (length first) right left ->
     pulls_private same arms first variance T r kept eps delta).
Proof.
intros V D. split.
- intros first Pre Paid.
  destruct (enough_if_paid_after bool_dec _ eps delta T B first true right left D Pre Paid) as [E E'].
  apply two_arms_drawn_private; [exact V|apply Pre|].
  exact (two_arms_potential variance r eps delta T B kept first _ _ D Pre E E').
- intros A same arms first different two all Pre Paid. destruct arms as [|a l]; [simpl in two; lia|].
  destruct (enough_if_paid_after same _ eps delta T B first a right left D Pre Paid) as [E E'].
  apply drawn_private; [exact V|exact different|discriminate|apply Pre|].
  exact (any_arms_potential A same (a :: l) variance V different two r eps delta T B kept first _ _ D all Pre E E').
Qed.

(* Without pre-pulls. *)
Lemma potential_modified_witness : satisfiable potential_modified.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y). assert (C := plain_pays).
assert (D := plain_pays_both_arms).
assert (Paid : forall coin, (forall rises, pays coin rises 2 plain) ->
  paid_after coin (loss 2 (1 / 2) plain) (1 / 2) 2 0 0 plain plain).
{ intros coin P. split; [apply le_n|]. split; [apply Rle_refl|split; [apply Rle_refl|split; apply P]]. }
assert (P : prepulled bool_dec 2 0 []) by (split; [apply le_0_n|reflexivity]).
exists 1, pull, (loss 2 (1 / 2) plain), (1 / 2), 2%nat, 0%nat, true, plain, plain. split; [lra|split; [lra|split]].
- exists []. split; [exact P|split; [now apply Paid|now exists x, y, (fun _ => true), 4%nat]].
- exists bool, bool_dec, both_arms, []. split; [exact both_different|]. split; [apply le_n|].
  split; [intros [|]; simpl; tauto|]. split; [exact P|]. split; [now apply Paid|now exists x, y, (fun _ => true), 4%nat].
Qed.

(** * b_n in closed form *)
Definition late_width (c : R) (n : nat) := sqrt (4 * ln (1 / c) / (INR n + 1)).
Definition late_share (lam Y : R) := exp Y + lam * exp (4 * Y) / (1 - lam * (exp Y - 1) * exp Y).
Definition late_b (lam c : R) (n : nat) := let Y := late_width c n in let A := late_share lam Y in
  lam * (A * Rmax 0 (ln (A / (c * (INR n + 1))) - 1 + 2 * lam * Y) + 3 / 2 * exp (4 * Y)) / (INR n + 1).

(* For the coins of any number of arms: thresholds are any numbers. pays_both is the condition on b_n, in both orders. *)
Theorem late_pulls n lam c p q : (99 <= n)%nat -> 0 < c < exp (- (1)) -> 0 < lam <= 1 / 2 -> let Y := late_width c n in
  lam * (exp Y - 1) * exp Y <= 1 / 2 -> c * exp (2 * Y) * Rmax 1 Y <= 1 / 4 -> shifted 1 anywhere n p q ->
  pays_both lam c (late_b lam c n) p q /\ (3 * exp (4 * Y + 2 * lam * Y) / c < INR n + 1 -> pays_both lam c 0 p q).
Proof.
intros Hn C L Y Small Cs (s & x & Hs & _ & _ & -> & ->). set (S := shift 1 n) in *. set (N := INR n + 1).
assert (Hn' := le_INR _ _ Hn). replace (INR 99) with 99 in Hn' by (simpl; ring).
assert (N0 : 100 <= N) by (unfold N; lra). assert (Rn : 0 < sqrt N) by (apply sqrt_lt_R0; lra).
assert (Sn : S = / sqrt N) by (unfold S, shift; now rewrite Rmult_1_l).
assert (S0 : 0 < S <= 1 / 10).
{ rewrite Sn. split; [now apply Rinv_0_lt_compat|]. replace (1 / 10) with (/ 10) by field. apply Rinv_le_contravar; [lra|].
  rewrite <- (sqrt_square 10) by lra. apply sqrt_le_1_alt. lra. }
assert (S2 : S * S * N = 1).
{ rewrite Sn. replace (/ sqrt N * / sqrt N * N) with (N * / (sqrt N * sqrt N)) by (field; lra).
  rewrite sqrt_sqrt by lra. field. lra. }
assert (Yn : late_pulls.Y c S = Y).
{ unfold late_pulls.Y, u0, Y, late_width. fold N. rewrite sqrt_div_alt, Sn by lra.
  replace (4 * ln (1 / c)) with (- 4 * ln c).
  - unfold Rdiv. ring.
  - unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. ring. }
assert (M1 := Rmax_l 1 Y). assert (M2 := Rmax_r 1 Y). assert (Ce : 0 < c * exp (2 * Y)) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
assert (C1 : c * exp (2 * Y) <= 1 / 4) by nra. assert (C2 : c * exp (2 * Y) * Y <= 1 / 4) by nra.
assert (B : closed_b lam N c S = late_b lam c n) by (unfold closed_b, A, late_b, late_share; rewrite Yn; reflexivity).
rewrite <- Yn in Small, C1, C2. split.
- rewrite <- B. now apply (late_enough lam N c S).
- intros Far. rewrite <- Yn in Far. now apply (nothing_later lam N c S).
Qed.

(* lam = 1/5 and c = 1/1000, which are small enough at n = 9999. *)
Lemma late_pulls_witness : satisfiable late_pulls.
Proof.
exists 9999%nat, (1 / 5), (1 / 1000), (Phi 0), (Phi 0). set (Y := late_width (1 / 1000) 9999).
assert (I : INR 9999 = 9999) by (rewrite INR_IZR_INZ; f_equal).
assert (E : Y = sqrt (4 * ln 1000 / 10000)).
{ unfold Y, late_width. do 2 f_equal; [do 2 f_equal; field|]. rewrite I. ring. }
assert (W : 0 <= Y <= 1 / 10) by (rewrite E; split; interval with (i_prec 60)).
split; [apply Nat.leb_le; reflexivity|]. split; [split; interval with (i_prec 60)|]. split; [lra|].
split; [interval with (i_bisect Y, i_prec 60)|]. split; [rewrite Rmax_left by lra; interval with (i_bisect Y, i_prec 60)|].
split; [|rewrite I, E; interval with (i_prec 60)].
exists 0, 0. replace (0 - 0) with 0 by ring. rewrite Ropp_0. repeat split; try apply Rle_refl.
left. unfold shift. apply Rinv_0_lt_compat, sqrt_lt_R0. rewrite I. lra.
Qed.
