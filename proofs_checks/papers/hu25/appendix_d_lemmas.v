(* Lemmas D.1 and D.2: how often a sub-optimal arm is pulled while its mean or its score is far off; and Lemma D.3: how
   likely it is pulled, compared with arm 1, given the history before a round. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments normal normal_tails expectation concentration satisfiable.
From Dpbandits.hu25 Require Import appendix_d_theorem_4_2.
Import ListNotations.
Open Scope R_scope.

(* The scores of these arms are all at most z. *)
Definition all_at_most {A W : Type} (theta : A -> W -> R) (arms : list A) (z : R) (w : W) : bool :=
  forallb (fun a => if Rle_dec (theta a w) z then true else false) arms.

(* i_t is an arm with a score of at least all others, whatever ties do; P is the law of the round given its history. *)
Theorem lemma_d_3 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (one i : A) (others : list A)
  (W : sample_space) (P : probability_measure W) (theta : A -> W -> R) (i_t : W -> A) (fresh : bool) (sample : W -> R) z :
  In i others -> ~ In one others -> (forall w, In (i_t w) (one :: others)) ->
  (forall w a, In a (one :: others) -> theta a w <= theta (i_t w) w) ->
  (forall a, random_variable (theta a)) -> (forall a, random_variable (fun w => if same (i_t w) a then 1 else 0)) ->
  random_variable sample -> (fresh = true -> forall w, theta one w = sample w) ->
  mean P (fun w => if Rle_dec (sample w) z then if all_at_most theta others z w then 1 else 0 else 0) =
    mean P (fun w => if Rle_dec (sample w) z then 1 else 0) *
    mean P (fun w => if all_at_most theta others z w then 1 else 0) ->
  let p := strict_upper_tail P sample z in 0 < p ->
  mean P (fun w => if same (i_t w) i then if fresh then if Rle_dec (theta i w) z then 1 else 0 else 0 else 0) <=
    (/ p - 1) * mean P (fun w => if same (i_t w) one then 1 else 0).
Proof.
intros Ii I1 Chosen Largest V Vi Vs Fresh Ind p P0.
assert (Below : forall X, random_variable X -> random_variable (fun w : W => if Rle_dec (X w) z then 1 else 0)).
{ intros X H. apply (variable_same W (fun w => 1 - if Rlt_dec z (X w) then 1 else 0)).
  - intros w. destruct (Rlt_dec z (X w)), (Rle_dec (X w) z); lra.
  - apply variable_minus; [apply variable_const|now apply variable_above]. }
assert (Vb : random_variable (fun w => if all_at_most theta others z w then 1 else 0)).
{ clear Ii I1 Chosen Largest Ind. induction others as [|a l IH]; [apply (variable_same W (fun _ => 1)); [reflexivity|apply variable_const]|].
  apply (variable_same W (fun w => (if Rle_dec (theta a w) z then 1 else 0) * if all_at_most theta l z w then 1 else 0)).
  - intros w. unfold all_at_most. simpl. destruct (Rle_dec (theta a w) z), (forallb _ l); simpl; ring.
  - apply variable_times; [now apply Below|exact IH]. }
assert (Event : forall (f : W -> R), random_variable f -> (forall w, 0 <= f w <= 1) -> has_mean P f).
{ intros f H B. apply (has_mean_bounded W P 1); [exact H|]. intros w. specialize (B w). rewrite Rabs_right; lra. }
assert (Fb := Event _ Vb ltac:(intros w; cbv beta; destruct (all_at_most theta others z w); lra)).
assert (Fs := Event _ (Below sample Vs) ltac:(intros w; cbv beta; destruct (Rle_dec (sample w) z); lra)).
assert (F1 := Event _ (Vi one) ltac:(intros w; cbv beta; destruct (same (i_t w) one); lra)).
set (both := fun w => if Rle_dec (sample w) z then if all_at_most theta others z w then 1 else 0 else 0) in *.
assert (Vboth : random_variable both).
{ apply (variable_same W (fun w => (if Rle_dec (sample w) z then 1 else 0) * if all_at_most theta others z w then 1 else 0)).
  - intros w. unfold both. destruct (Rle_dec (sample w) z); ring.
  - apply variable_times; [now apply Below|exact Vb]. }
assert (Fboth := Event _ Vboth ltac:(intros w; unfold both; destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra)).
set (q := mean P (fun w => if all_at_most theta others z w then 1 else 0)) in *.
assert (Miss : mean P (fun w => if Rle_dec (sample w) z then 1 else 0) = 1 - p).
{ assert (Fa := has_mean_above W P z sample Vs).
  transitivity (mean P (fun w => - 1 * (if Rlt_dec z (sample w) then 1 else 0) + 1)).
  - apply mean_same. intros w. destruct (Rlt_dec z (sample w)), (Rle_dec (sample w) z); lra.
  - rewrite mean_affine by exact Fa. unfold p, strict_upper_tail. ring. }
rewrite Miss in Ind.
assert (q0 : 0 <= q) by (apply mean_positive; [exact Fb|intros w; destruct (all_at_most theta others z w); lra]).
assert (p1 : p <= 1).
{ apply Rle_trans with (1 := strict_upper_tail_le W P sample z Vs). now apply upper_tail_inside. }
(* arm 1 is pulled where its sample alone is above z *)
assert (Lower : q - (1 - p) * q <= mean P (fun w => if same (i_t w) one then 1 else 0) \/ fresh = false).
{ destruct fresh; [left|now right]. rewrite <- Ind. unfold q.
  apply Rle_trans with (mean P (fun w => 1 * (if all_at_most theta others z w then 1 else 0) + - 1 * both w)).
  - rewrite mean_linear by assumption. lra.
  - apply mean_le; [now apply has_mean_linear|exact F1|]. intros w. unfold both.
    destruct (all_at_most theta others z w) eqn:B; [|destruct (Rle_dec (sample w) z), (same (i_t w) one); lra].
    destruct (Rle_dec (sample w) z) as [S|S]; [destruct (same (i_t w) one); lra|].
    destruct (same (i_t w) one) as [_|N]; [lra|]. exfalso. apply S. rewrite <- (Fresh eq_refl w).
    apply Rle_trans with (1 := Largest w one (or_introl eq_refl)).
    destruct (Chosen w) as [E|E]; [now destruct N|]. apply (proj1 (forallb_forall _ _)) with (x := i_t w) in B; [|exact E].
    cbv beta in B. destruct (Rle_dec (theta (i_t w) w) z) as [L|L]; [exact L|discriminate]. }
assert (r0 : 0 <= / p - 1).
{ assert (1 <= / p); [|lra]. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. }
assert (M0 : 0 <= mean P (fun w => if same (i_t w) one then 1 else 0)).
{ apply mean_positive; [exact F1|]. intros w. destruct (same (i_t w) one); lra. }
destruct fresh.
- destruct Lower as [Lower|]; [|discriminate]. apply Rle_trans with ((1 - p) * q).
  + rewrite <- Ind. assert (Vi' : random_variable (fun w => if same (i_t w) i then if Rle_dec (theta i w) z then 1 else 0 else 0)).
    { apply (variable_same W (fun w => (if same (i_t w) i then 1 else 0) * if Rle_dec (theta i w) z then 1 else 0)).
      - intros w. destruct (same (i_t w) i); ring.
      - apply variable_times; [apply Vi|now apply Below]. }
    apply mean_le; [apply Event; [exact Vi'|intros w; destruct (same (i_t w) i), (Rle_dec (theta i w) z); lra]|exact Fboth|].
    intros w. unfold both. destruct (same (i_t w) i) as [E|_];
      [|destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra].
    destruct (Rle_dec (theta i w) z) as [L|_]; [|destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra].
    assert (All : forall a, In a (one :: others) -> theta a w <= z).
    { intros a Ha. apply Rle_trans with (1 := Largest w a Ha). now rewrite E. }
    destruct (Rle_dec (sample w) z) as [_|N]; [|exfalso; apply N; rewrite <- (Fresh eq_refl w); apply All; now left].
    assert (B : all_at_most theta others z w = true).
    { apply forallb_forall. intros a Ha. destruct (Rle_dec (theta a w) z) as [_|N]; [reflexivity|].
      exfalso. apply N, All. now right. }
    rewrite B. lra.
  + apply Rle_trans with ((/ p - 1) * (q - (1 - p) * q)); [right; field; lra|]. now apply Rmult_le_compat_l.
- rewrite (mean_same W P _ (fun _ => 0)) by (intros w; now destruct (same (i_t w) i)). rewrite mean_const.
  apply Rmult_le_pos; assumption.
Qed.

(* Two arms, whose scores are tosses of a fair coin; the first arm wins ties. *)
Lemma lemma_d_3_witness : satisfiable lemma_d_3.
Proof.
exists bool, bool_dec, true, false, [false], two_tosses, fair, (fun a : bool => toss 1 (- 1) (if a then 0%nat else 1%nat)),
  (fun w : bool * bool => if fst w then true else negb (snd w)), true, (toss 1 (- 1) 0), 0.
split; [now left|]. split; [intros [|[]]; discriminate|].
split; [intros [[] []]; simpl; auto|].
split; [intros [[] []] [] _; unfold toss; simpl; lra|]. split; [intros; exact I|]. split; [intros; exact I|].
split; [exact I|]. split; [reflexivity|].
unfold strict_upper_tail, all_at_most, toss. simpl.
repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try (exfalso; lra) end;
repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try (exfalso; lra) end; simpl; lra.
Qed.

(** * Lemmas D.1 and D.2 *)

(* Arm i's pulls until round t: the one that begins the run, and those of the rounds before t. After m pulls the last
   full epoch has the number epoch m: its 2^epoch rewards are those from the number 2^epoch - 1 on. *)
Fixpoint pulls_until {A : Type} (same : forall a b : A, {a = b} + {a <> b}) (i : A) (pulled : nat -> A) (t : nat) : nat :=
  match t with O => 1 | S t' => if same (pulled t') i then S (pulls_until same i pulled t') else pulls_until same i pulled t' end.
Definition epoch (m : nat) : nat := (Nat.log2 (m + 1) - 1)%nat.
Definition observations (s : nat) : nat := Nat.pow 2 s.
Definition epoch_mean {W : Type} (X : nat -> W -> R) (s : nat) (w : W) : R :=
  / INR (observations s) * sum_to (observations s) (fun j => X (observations s - 1 + j)%nat w).

(* Each number of pulls is met at most once by a pull. *)
Lemma pulls_counted {A : Type} (same : forall a b : A, {a = b} + {a <> b}) (i : A) (pulled : nat -> A) (bad : nat -> R) rounds :
  (forall m, 0 <= bad m) ->
  sum_to rounds (fun t => if same (pulled t) i then bad (pulls_until same i pulled t) else 0) <= sum_to rounds (fun j => bad (S j)).
Proof.
intros Pos. set (m t := pulls_until same i pulled t).
assert (Le : forall t, (1 <= m t <= S t)%nat).
{ induction t as [|t IH]; unfold m in *; simpl; [lia|]. destruct (same (pulled t) i); lia. }
assert (E : forall t, sum_to t (fun t => if same (pulled t) i then bad (m t) else 0) = sum_to (m t - 1) (fun j => bad (S j))).
{ induction t as [|t IH]; [reflexivity|]. cbn [sum_to]. rewrite IH. specialize (Le t).
  replace (m (S t)) with (if same (pulled t) i then S (m t) else m t) by reflexivity. destruct (same (pulled t) i); [|ring].
  replace (S (m t) - 1)%nat with (S (m t - 1)) by lia. cbn [sum_to]. replace (S (m t - 1)) with (m t) by lia. ring. }
assert (Mono : forall k r, (k <= r)%nat -> sum_to k (fun j => bad (S j)) <= sum_to r (fun j => bad (S j))).
{ intros k r K. induction K as [|r K IH]; [lra|]. cbn [sum_to]. generalize (Pos (S r)). lra. }
change (sum_to rounds (fun t => if same (pulled t) i then bad (m t) else 0) <= sum_to rounds (fun j => bad (S j))).
rewrite E. apply Mono. specialize (Le rounds). lia.
Qed.

Section Lemmas.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (i : A) (W : sample_space) (P : probability_measure W)
  (X : nat -> W -> R) (pulled : nat -> W -> A) (rounds : nat) (T gap : R).
Let m t w := pulls_until same i (fun t => pulled t w) t.

(* If what happens after m pulls has a probability of at most p, then it happens in p T pulls at most. *)
Lemma expected_count (omega : nat -> W -> R) (bad : nat -> W -> R) p : INR rounds <= T -> 0 <= p ->
  (forall t, random_variable (omega t)) -> (forall t w, 0 <= omega t w <= if same (pulled t w) i then bad (m t w) w else 0) ->
  (forall k w, 0 <= bad k w <= 1) -> (forall k, has_mean P (bad k)) -> (forall k, mean P (bad k) <= p) ->
  sum_to rounds (fun t => mean P (omega t)) <= T * p.
Proof.
intros R1 P0 V H B F M. assert (Fo : forall t, has_mean P (omega t)).
{ intros t. apply (bounded_has_mean W P _ 0 1); [apply V|]. intros w. specialize (H t w).
  destruct (same (pulled t w) i); [specialize (B (m t w) w)|]; lra. }
destruct (mean_sum W P omega rounds) as [F1 E1]; [intros; apply Fo|].
destruct (mean_sum W P (fun j => bad (S j)) rounds) as [F2 E2]; [intros; apply F|].
rewrite <- E1. apply Rle_trans with (mean P (fun w => sum_to rounds (fun j => bad (S j) w))).
- apply mean_le; [exact F1|exact F2|]. intros w.
  apply Rle_trans with (2 := pulls_counted same i (fun t => pulled t w) (fun k => bad k w) rounds (fun k => proj1 (B k w))).
  apply sum_to_le. intros t _. apply H.
- rewrite E2. apply Rle_trans with (sum_to rounds (fun _ => p)); [apply sum_to_le; intros; apply M|].
  rewrite sum_to_const. now apply Rmult_le_compat_r.
Qed.

(* So few rounds that no probability matters. *)
Lemma short_run (omega : nat -> W -> R) (happens : nat -> W -> Prop) : 0 < gap -> T * gap ^ 2 < exp 1 -> INR rounds <= T ->
  (forall t, random_variable (omega t)) -> (forall t w, (happens t w -> omega t w = 1) /\ (~ happens t w -> omega t w = 0)) ->
  sum_to rounds (fun t => mean P (omega t)) <= exp 1 / gap ^ 2.
Proof.
intros G Y R1 V Om. assert (B : forall t w, 0 <= omega t w <= 1).
{ intros t w. destruct (Classical_Prop.classic (happens t w)) as [H|H];
    [rewrite (proj1 (Om t w) H)|rewrite (proj2 (Om t w) H)]; lra. }
apply Rle_trans with (INR rounds).
- rewrite <- (Rmult_1_r (INR rounds)), <- sum_to_const. apply sum_to_le. intros t _. rewrite <- (mean_const W P 1).
  apply mean_le; [|apply has_mean_const|intros w; apply B]. now apply (bounded_has_mean W P _ 0 1).
- assert (g2 : 0 < gap ^ 2) by now apply pow_lt. apply Rle_trans with (1 := R1). apply Rmult_le_reg_r with (gap ^ 2); [exact g2|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Lemmas.

Theorem lemma_d_2 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (i : A) (W : sample_space) (P : probability_measure W)
  (X : nat -> W -> R) (pulled : nat -> W -> A) (omega : nat -> W -> R) (rounds : nat) (T gap mu : R) :
  0 < gap -> INR rounds <= T -> (forall s, independent P (fun j => X (observations s - 1 + j)%nat) (observations s)) ->
  (forall j, random_variable (X j)) -> (forall j w, 0 <= X j w <= 1) -> (forall j, mean P (X j) = mu) ->
  let s t w := epoch (pulls_until same i (fun t => pulled t w) t) in
  let happens t w := pulled t w = i /\ ~ mean_near T gap mu (INR (observations (s t w))) (epoch_mean X (s t w) w) in
  (forall t, random_variable (omega t)) -> (forall t w, (happens t w -> omega t w = 1) /\ (~ happens t w -> omega t w = 0)) ->
  sum_to rounds (fun t => mean P (omega t)) <= exp 1 / gap ^ 2.
Proof.
intros G R1 In V B M s happens Vo Om. destruct (Rle_lt_dec (exp 1) (T * gap ^ 2)) as [Y|Y];
  [|now apply short_run with (1 := G) (2 := Y) (happens := happens)].
set (y := T * gap ^ 2) in *. assert (e0 := exp_ineq1_le 1).
assert (g2 : 0 < gap ^ 2) by nra. assert (l1 : 1 <= ln y).
{ rewrite <- (ln_exp 1). destruct (Req_dec (exp 1) y) as [->|D]; [lra|]. left. apply ln_increasing; [apply exp_pos|lra]. }
set (bad := fun k w => if Rle_dec (sqrt (ln y / INR (observations (epoch k)))) (Rabs (epoch_mean X (epoch k) w - mu)) then 1 else 0).
assert (N0 : forall q, 0 < INR (observations q)).
{ intros q. apply lt_0_INR. unfold observations. assert (H := Nat.pow_nonzero 2 q). lia. }
assert (Vm : forall q, random_variable (epoch_mean X q)).
{ intros q. apply variable_scaled, variable_sum. intros; apply V. }
assert (Vb : forall k, random_variable (fun w => Rabs (epoch_mean X (epoch k) w - mu))).
{ intros k. apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|]. apply variable_minus; [apply Vm|apply variable_const]. }
assert (K : sum_to rounds (fun t => mean P (omega t)) <= T * (2 / y ^ 2)).
{ apply (expected_count A same i W P pulled rounds T omega bad (2 / y ^ 2) R1); [apply Rle_mult_inv_pos; nra|exact Vo| | | |].
  - intros t w. destruct (Classical_Prop.classic (happens t w)) as [H|H]; [rewrite (proj1 (Om t w) H)|rewrite (proj2 (Om t w) H)].
    + destruct H as (E & H). destruct (same (pulled t w) i) as [_|D]; [|contradiction]. unfold mean_near in H. fold y in H.
      unfold bad. fold (s t w). destruct (Rle_dec _ _) as [_|D]; [lra|]. exfalso. apply H. lra.
    + unfold bad. destruct (same (pulled t w) i) as [_|_]; [destruct (Rle_dec _ _)|]; lra.
  - intros k w. unfold bad. destruct (Rle_dec _ _); lra.
  - intros k. now apply has_mean_from.
  - intros k. set (q := epoch k). set (n := observations q) in *. assert (n0 := N0 q). fold n in n0.
    set (Z := fun j => X (n - 1 + j)%nat).
    assert (D : sum_to n (fun _ => (1 - 0) ^ 2) = INR n) by (rewrite sum_to_const; ring).
    assert (D0 : 0 < sum_to n (fun _ => (1 - 0) ^ 2)) by (rewrite D; exact n0).
    assert (a0 : 0 <= ln y / INR n) by (apply Rle_mult_inv_pos; lra).
    assert (H := hoeffding_both W P Z (fun _ => 0) (fun _ => 1) n (INR n * sqrt (ln y / INR n)) (In q) (fun j _ => V _) (fun j w _ => B _ w)
      ltac:(apply Rmult_le_pos; [lra|apply sqrt_pos]) D0). cbv beta in H. rewrite D in H.
    replace (- 2 * (INR n * sqrt (ln y / INR n)) ^ 2 / INR n) with (- (2 * ln y)) in H.
    2:{ replace ((INR n * sqrt (ln y / INR n)) ^ 2) with (INR n ^ 2 * (sqrt (ln y / INR n) * sqrt (ln y / INR n))) by ring.
        rewrite sqrt_sqrt by exact a0. field. lra. }
    replace (2 / y ^ 2) with (2 * exp (- (2 * ln y))).
    2:{ rewrite exp_Ropp. replace (2 * ln y) with (ln y + ln y) by ring. rewrite exp_plus, exp_ln by lra. field. lra. }
    apply Rle_trans with (2 := H). unfold far_from, bad. fold q n. rewrite (sum_to_same n _ (fun _ => mu)) by (intros; apply M).
    rewrite sum_to_const. right. apply mean_same. intros w. unfold epoch_mean. fold n. fold (Z).
    change (sum_to n (fun j => X (n - 1 + j)%nat w)) with (sum_to n (fun j => Z j w)).
    set (x := sum_to n (fun j => Z j w)). set (r := sqrt (ln y / INR n)).
    assert (E : Rabs (x - INR n * mu) = INR n * Rabs (/ INR n * x - mu)).
    { rewrite <- (Rabs_right (INR n)) at 2 by lra. rewrite <- Rabs_mult. f_equal. field. lra. }
    rewrite E. destruct (Rle_dec r (Rabs (/ INR n * x - mu))) as [Q|Q], (Rle_dec (INR n * r) (INR n * Rabs (/ INR n * x - mu))) as [Q'|Q'];
      try reflexivity; exfalso; [apply Q', Rmult_le_compat_l; lra|apply Q; apply Rmult_le_reg_l with (INR n); lra]. }
apply Rle_trans with (1 := K). assert (E : T * (2 / y ^ 2) = 1 / gap ^ 2 * (2 / y)).
{ unfold y. field. split; [lra|]. intros Z. unfold y in e0, Y. rewrite Z in Y. lra. }
rewrite E. assert (2 / y <= 1). { apply Rmult_le_reg_r with y; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (0 < 1 / gap ^ 2) by (apply Rdiv_lt_0_compat; lra). unfold Rdiv in *. nra.
Qed.

(* draws s h: the h-th of the samples around the mean of epoch s, floor phi at most; the score theta t of arm i in round t
   is one of them, or the initial value 0 of their maximum. *)
Theorem lemma_d_1 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (i : A) (W : sample_space) (P : probability_measure W)
  (X : nat -> W -> R) (pulled : nat -> W -> A) (draws : nat -> nat -> W -> R) (theta : nat -> W -> R) (omega : nat -> W -> R)
  (rounds samples : nat) (T alpha gap : R) :
  0 < gap <= 1 -> 0 <= alpha <= 1 -> INR rounds <= T -> INR samples <= phi T alpha ->
  (forall j, random_variable (X j)) -> (forall j w, 0 <= X j w <= 1) -> (forall s h, random_variable (draws s h)) ->
  let far := sqrt (2 * ln (T * gap ^ 2 * phi T alpha)) in let sd s := sqrt (Rpower (ln T) alpha / INR (observations s)) in
  (forall s h, strict_upper_tail P (fun w => draws s h w - epoch_mean X s w) (far * sd s) = Phi (- far)) ->
  let s t w := epoch (pulls_until same i (fun t => pulled t w) t) in
  (forall t w, theta t w = 0 \/ exists h, (h < samples)%nat /\ theta t w = draws (s t w) h w) ->
  let happens t w := pulled t w = i /\ ~ sample_near T alpha gap (INR (observations (s t w))) (epoch_mean X (s t w) w) (theta t w) in
  (forall t, random_variable (omega t)) -> (forall t w, (happens t w -> omega t w = 1) /\ (~ happens t w -> omega t w = 0)) ->
  sum_to rounds (fun t => mean P (omega t)) <= exp 1 / gap ^ 2.
Proof.
intros G A0 R1 Few V B Vd far sd Law s Score happens Vo Om. destruct (Rle_lt_dec (exp 1) (T * gap ^ 2)) as [Y|Y];
  [|now apply short_run with (1 := proj1 G) (2 := Y) (happens := happens)].
set (y := T * gap ^ 2) in *. assert (e0 := exp_pos 1).
assert (g2 : 0 < gap ^ 2 <= 1) by (split; nra). assert (yT : exp 1 <= T) by (unfold y in Y; nra).
assert (Ph := phi_at_least_1 T alpha yT A0). set (f := phi T alpha) in *.
assert (l1 : 0 < ln (y * f)).
{ rewrite <- ln_1. apply ln_increasing; [lra|]. generalize (exp_ineq1_le 1). nra. }
assert (N0 : forall q, 0 < INR (observations q)).
{ intros q. apply lt_0_INR. unfold observations. assert (H := Nat.pow_nonzero 2 q). lia. }
assert (far0 : 0 <= far) by apply sqrt_pos. assert (sd0 : forall q, 0 <= sd q) by (intros; apply sqrt_pos).
set (over q h := fun w => if Rlt_dec (far * sd q) (draws q h w - epoch_mean X q w) then 1 else 0).
set (total k w := sum_to samples (fun h => over (epoch k) h w)).
set (bad := fun k w => if Rle_dec 1 (total k w) then 1 else 0).
assert (Vm : forall q, random_variable (epoch_mean X q)).
{ intros q. apply variable_scaled, variable_sum. intros; apply V. }
assert (Fo : forall q h, has_mean P (over q h)).
{ intros q h. apply has_mean_above. apply variable_minus; [apply Vd|apply Vm]. }
assert (Ft : forall k, has_mean P (total k) /\ mean P (total k) = INR samples * Phi (- far)).
{ intros k. destruct (mean_sum W P (fun h => over (epoch k) h) samples) as [F E]; [intros; apply Fo|]. split; [exact F|].
  unfold total. rewrite E, <- sum_to_const. apply sum_to_same. intros h _. exact (Law (epoch k) h). }
assert (O1 : forall q h w, 0 <= over q h w <= 1) by (intros q h w; unfold over; destruct (Rlt_dec _ _); lra).
assert (T0 : forall k w, 0 <= total k w).
{ intros k w. unfold total. rewrite <- (Rmult_0_r (INR samples)), <- (sum_to_const samples 0). apply sum_to_le. intros h _. apply O1. }
assert (Fb : forall k, has_mean P (bad k)) by (intros k; apply has_mean_from, mean_of_variable with (p := P), Ft).
assert (Tail : Phi (- far) <= / (y * f) / 2).
{ apply Rle_trans with (1 := half_tail far far0). unfold far at 1 2. rewrite sqrt_sqrt by lra.
  replace (- (2 * ln (y * f)) / 2) with (- ln (y * f)) by field. rewrite exp_Ropp, exp_ln by nra. lra. }
assert (y0 : 0 < y) by lra. assert (Small : forall k, mean P (bad k) <= / y / 2).
{ intros k. destruct (Ft k) as [F E]. apply Rle_trans with (mean P (total k)).
  - apply mean_le; [apply Fb|exact F|]. intros w. unfold bad. specialize (T0 k w). destruct (Rle_dec 1 (total k w)); lra.
  - rewrite E. assert (P0 := Phi_inside (- far)). apply Rle_trans with (f * (/ (y * f) / 2)).
    + apply Rmult_le_compat; [apply pos_INR|lra|exact Few|exact Tail].
    + right. field. lra. }
assert (K : sum_to rounds (fun t => mean P (omega t)) <= T * (/ y / 2)).
{ apply (expected_count A same i W P pulled rounds T omega bad (/ y / 2) R1);
    [left; apply Rdiv_lt_0_compat; [now apply Rinv_0_lt_compat|lra]|exact Vo| | |exact Fb|exact Small].
  - intros t w. destruct (Classical_Prop.classic (happens t w)) as [H|H]; [rewrite (proj1 (Om t w) H)|rewrite (proj2 (Om t w) H)].
    + destruct H as (E & H). destruct (same (pulled t w) i) as [_|D]; [|contradiction]. unfold bad. fold (s t w).
      destruct (Rle_dec 1 (total (pulls_until same i (fun t => pulled t w) t) w)) as [_|D]; [lra|]. exfalso. apply D.
      unfold sample_near in H. fold y f far in H. fold (sd (s t w)) in H. apply Rnot_le_lt in H.
      assert (m0 : 0 <= epoch_mean X (s t w) w).
      { apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, N0|].
        rewrite <- (Rmult_0_r (INR (observations (s t w)))), <- (sum_to_const (observations (s t w)) 0). apply sum_to_le. intros; apply B. }
      assert (q0 := Rmult_le_pos _ _ far0 (sd0 (s t w))).
      destruct (Score t w) as [Z|(h & Hh & Z)]; [lra|]. rewrite Z in H.
      assert (Hit : over (s t w) h w = 1) by (unfold over; destruct (Rlt_dec _ _); lra).
      rewrite <- Hit. apply (sum_to_term samples (fun h => over (s t w) h w)); [|exact Hh]. intros j _. apply O1.
    + unfold bad. destruct (same (pulled t w) i) as [_|_]; [destruct (Rle_dec _ _)|]; lra.
  - intros k w. unfold bad. destruct (Rle_dec _ _); lra. }
apply Rle_trans with (1 := K). assert (E : T * (/ y / 2) = 1 / gap ^ 2 / 2).
{ unfold y. field. split; [lra|]. intros Z. rewrite Z in yT. lra. }
rewrite E. assert (0 < 1 / gap ^ 2) by (apply Rdiv_lt_0_compat; lra). assert (e1 := exp_ineq1_le 1). unfold Rdiv in *. nra.
Qed.

Lemma halves_mean s {W : Type} (w : W) : epoch_mean (fun _ _ => 1 / 2) s w = 1 / 2.
Proof.
unfold epoch_mean. rewrite sum_to_const. assert (0 < INR (observations s)); [|field; lra].
apply lt_0_INR. unfold observations. assert (H := Nat.pow_nonzero 2 s). lia.
Qed.

(* Rewards that are always 1/2, and three rounds, all of which pull the arm. *)
Lemma lemma_d_2_witness : satisfiable lemma_d_2.
Proof.
exists bool, bool_dec, true, two_tosses, fair, (fun _ _ => 1 / 2), (fun _ _ => true), (fun _ _ => 0), 3%nat, 3, 1, (1 / 2).
split; [lra|]. split; [simpl; lra|]. split.
{ intros s h _ _. split; [exact I|]. rewrite (mean_const two_tosses fair). apply product_to_same. intros j _.
  now rewrite (mean_const two_tosses fair). }
split; [intros; exact I|]. split; [intros; lra|]. split; [intros; simpl; field|]. split; [intros; exact I|].
intros t w. split; [|reflexivity]. intros (_ & N). exfalso. apply N. unfold mean_near. rewrite halves_mean.
replace (1 / 2 - 1 / 2) with 0 by ring. rewrite Rabs_R0. apply sqrt_pos.
Qed.

(* One sample in each epoch, which a toss moves far; the arm is pulled in the first round. *)
Lemma lemma_d_1_witness : satisfiable lemma_d_1.
Proof.
set (far := sqrt (2 * ln (3 * 1 ^ 2 * phi 3 0))). assert (In : 0 <= Phi (- far) <= 1) by (generalize (Phi_inside (- far)); lra).
set (sd s := sqrt (Rpower (ln 3) 0 / INR (observations s))).
set (draws := fun (s h : nat) (w : bool) => if w then 1 / 2 + far * sd s + 1 else 1 / 2).
set (pulled := fun (t : nat) (_ : bool) => Nat.eqb t 0).
assert (E3 := exp_le_3). assert (Ph := phi_at_least_1 3 0 E3 ltac:(lra)).
exists bool, bool_dec, true, one_toss, (coin (Phi (- far)) In), (fun _ _ => 1 / 2), pulled, draws,
  (fun t w => draws (epoch (pulls_until bool_dec true (fun t => pulled t w) t)) 0%nat w), (fun t (w : bool) => if Nat.eqb t 0 then if w then 1 else 0 else 0), 3%nat, 1%nat, 3, 0, 1.
split; [lra|]. split; [lra|]. split; [simpl; lra|]. split; [simpl; lra|]. split; [intros; exact I|].
split; [intros; lra|]. split; [intros; exact I|]. split.
{ intros s h. change (Phi (- far) * (if Rlt_dec (far * sd s) (draws s h true - epoch_mean (fun _ _ => 1 / 2) s true) then 1 else 0) +
    (1 - Phi (- far)) * (if Rlt_dec (far * sd s) (draws s h false - epoch_mean (fun _ _ => 1 / 2) s false) then 1 else 0) = Phi (- far)).
  rewrite !halves_mean. unfold draws.
  assert (Q : 0 <= far * sd s) by (apply Rmult_le_pos; apply sqrt_pos).
  destruct (Rlt_dec (far * sd s) (1 / 2 + far * sd s + 1 - 1 / 2)) as [_|N]; [|lra].
  destruct (Rlt_dec (far * sd s) (1 / 2 - 1 / 2)) as [N|_]; [lra|]. ring. }
split; [intros t w; right; exists 0%nat; split; [lia|reflexivity]|]. split; [intros; exact I|].
intros t w. unfold pulled, sample_near. rewrite halves_mean. fold far.
set (e := epoch (pulls_until bool_dec true (fun t => Nat.eqb t 0) t)). fold (sd e). unfold draws.
assert (Q : 0 <= far * sd e) by (apply Rmult_le_pos; apply sqrt_pos).
destruct (Nat.eqb t 0), w; split; intros H; try reflexivity; exfalso.
- apply H. split; [reflexivity|lra].
- apply (proj2 H). lra.
- discriminate (proj1 H).
- discriminate (proj1 H).
Qed.
