(* A locally private algorithm for two arms with logarithmic regret: where arm 1 pays with probability p on one instance and
   p' on another one, it learns from randomised bits which of them is played. Theorems about all algorithms with small
   regret have it as their witness. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits.
Import ListNotations.
Open Scope R_scope.

Lemma bits_run K choose law T h f : run_measurable one_toss K choose law T h f.
Proof. apply all_measurable. intros g. exact I. Qed.

Lemma run_split Z K choose law n m h f :
  run Z K choose law (n + m) h f = run Z K choose law n h (fun h' => run Z K choose law m h' f).
Proof.
revert h. induction n as [|n IH]; intros h; [reflexivity|]. simpl. apply sum_to_same. intros a _. f_equal.
apply mean_same. intros z. apply IH.
Qed.

Definition kept_bit := exp 1 / (1 + exp 1).
Lemma kept_inside : 0 <= kept_bit <= 1.
Proof.
unfold kept_bit. assert (E := exp_pos 1). split; [apply Rle_mult_inv_pos; lra|].
apply Rmult_le_reg_r with (1 + exp 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma flipped_inside : 0 <= 1 - kept_bit <= 1.
Proof. assert (H := kept_inside). lra. Qed.

(* Whether the reward is 0, by randomised response. *)
Definition response (y : real_numbers) : probability_measure one_toss :=
  if Req_EM_T y 0 then coin (1 - kept_bit) flipped_inside else coin kept_bit kept_inside.

Lemma response_private : private_channel real_numbers one_toss 1 response.
Proof.
intros x y event _. assert (E := exp_pos 1). assert (E1 : 1 < exp 1) by (rewrite <- exp_0 at 1; apply exp_increasing; lra).
assert (K : kept_bit = exp 1 * (1 - kept_bit)) by (unfold kept_bit; field; lra). assert (I := kept_inside).
assert (L : 1 - kept_bit <= kept_bit) by nra.
unfold response. destruct (Req_EM_T x 0), (Req_EM_T y 0); simpl; destruct (event true), (event false); nra.
Qed.

Section Learner.
Variables (n : nat) (theta : R).

(* How many of the bits show true, and the n oldest ones. *)
Fixpoint trues (h : seen one_toss) : R := match h with [] => 0 | (_, z) :: h' => trues h' + if z : bool then 1 else 0 end.
Definition oldest (h : seen one_toss) : seen one_toss := skipn (length h - n) h.
Definition next (h : seen one_toss) : nat :=
  if Nat.ltb (length h) n then 1%nat else if Rle_dec (theta * INR n) (trues (oldest h)) then 1%nat else 0%nat.
Definition choose_next (h : seen one_toss) (a : nat) : R := if Nat.eqb a (next h) then 1 else 0.

Lemma next_below h : (next h < 2)%nat.
Proof. unfold next. destruct (Nat.ltb (length h) n); [lia|]. destruct (Rle_dec _ _); lia. Qed.

Lemma learner_chooses : chooses one_toss 2 choose_next.
Proof.
intros h. split; [intros a; unfold choose_next; destruct (Nat.eqb a (next h)); lra|].
unfold choose_next. apply sum_to_one, next_below.
Qed.

Definition learner : local_algorithm real_numbers one_toss 2 1.
Proof.
exists choose_next (fun _ _ => response); [exact learner_chooses| |].
- intros h a f low high _ _. exact I.
- intros h a. exact response_private.
Defined.

Lemma run_next law k h f : run one_toss 2 choose_next law (S k) h f =
  mean (law h (next h)) (fun z => run one_toss 2 choose_next law k ((next h, z) :: h) f).
Proof.
simpl. assert (N := next_below h). unfold choose_next. destruct (next h) as [|[|a]]; [| |lia]; simpl; ring.
Qed.

Lemma after_exploring law k a h : (n <= length h)%nat ->
  run one_toss 2 choose_next law k h (pulls_of one_toss a) = pulls_of one_toss a h + INR k * if Nat.eqb a (next h) then 1 else 0.
Proof.
revert h. induction k as [|k IH]; intros h L; [simpl; ring|]. rewrite run_next.
rewrite (mean_same one_toss _ _ (fun _ => pulls_of one_toss a h + INR (S k) * if Nat.eqb a (next h) then 1 else 0)).
- apply mean_const.
- intros z. rewrite IH by (apply le_S; exact L). assert (E : next ((next h, z) :: h) = next h).
  { unfold next at 1 3. cbn [length]. destruct (Nat.ltb_spec (S (length h)) n); [lia|].
    destruct (Nat.ltb_spec (length h) n); [lia|]. unfold oldest. cbn [length]. replace (S (length h) - n)%nat with (S (length h - n)) by lia. reflexivity. }
  rewrite E, S_INR. simpl. destruct (Nat.eqb a (next h)); ring.
Qed.

(* While arm 1 is explored, where its bit is true with probability r. *)
Lemma exploring (law : seen one_toss -> nat -> probability_measure one_toss) r lam k h : (forall h (g : bool -> R), mean (law h 1%nat) g = r * g true + (1 - r) * g false) -> (length h + k <= n)%nat ->
  run one_toss 2 choose_next law k h (fun h' => exp (lam * trues h')) = exp (lam * trues h) * (r * exp lam + (1 - r)) ^ k.
Proof.
intros R. revert h. induction k as [|k IH]; intros h L; [simpl; ring|]. rewrite run_next.
assert (E : next h = 1%nat) by (unfold next; destruct (Nat.ltb_spec (length h) n); [reflexivity|lia]).
rewrite E, R, !IH by (cbn [length]; lia). simpl trues. rewrite Rplus_0_r, Rmult_plus_distr_l, Rmult_1_r, exp_plus. simpl. ring.
Qed.

(* On the wrong side of theta. *)
Lemma wrong (law : seen one_toss -> nat -> probability_measure one_toss) r lam : (forall h (g : bool -> R), mean (law h 1%nat) g = r * g true + (1 - r) * g false) ->
  run one_toss 2 choose_next law n [] (fun h => if Rle_dec (lam * (theta * INR n)) (lam * trues h) then 1 else 0) <=
  exp (- (lam * (theta * INR n))) * (r * exp lam + (1 - r)) ^ n.
Proof.
intros R. assert (B : forall h, 0 <= trues h <= INR (length h)).
{ induction h as [|[b z] h IH]; [simpl; lra|]. cbn [length trues]. rewrite S_INR. destruct z; lra. }
set (c := exp (- (lam * (theta * INR n)))). assert (C : 0 < c) by apply exp_pos.
destruct (run_linear one_toss 2 choose_next learner_chooses law n [] (fun h => exp (lam * trues h)) (fun _ => 0)
  0 (exp (Rabs lam * INR n)) 0 0 c 0) as [_ E]; try apply bits_run.
{ intros h L. split; [left; apply exp_pos|]. apply exp_le. specialize (B h). rewrite L in B. simpl in B.
  rewrite Nat.add_0_r in B. apply Rle_trans with (Rabs (lam * trues h)); [apply Rle_abs|]. rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|]. rewrite Rabs_right; lra. }
{ intros; lra. }
rewrite (exploring law r lam n [] R) in E by (simpl; lia). simpl trues in E. replace (lam * 0) with 0 in E by ring. rewrite exp_0 in E.
apply Rle_trans with (run one_toss 2 choose_next law n [] (fun h => c * exp (lam * trues h) + 0 * 0)); [|rewrite E; lra].
apply (run_le one_toss 2 choose_next learner_chooses law n [] _ _ 0 1 0 (c * exp (Rabs lam * INR n))); try apply bits_run.
- intros h _. destruct (Rle_dec _ _); lra.
- intros h L. assert (X := exp_pos (lam * trues h)). assert (H := Rmult_lt_0_compat _ _ C X). replace (c * exp (lam * trues h) + 0 * 0) with (c * exp (lam * trues h)) by ring. split; [lra|].
  apply Rmult_le_compat_l; [lra|]. apply exp_le. specialize (B h). rewrite L in B. simpl in B.
  rewrite Nat.add_0_r in B. apply Rle_trans with (Rabs (lam * trues h)); [apply Rle_abs|]. rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|]. rewrite Rabs_right; lra.
- intros h _. replace (c * exp (lam * trues h) + 0 * 0) with (c * exp (lam * trues h)) by ring. unfold c. rewrite <- exp_plus.
  destruct (Rle_dec _ _) as [H|_]; [|left; apply exp_pos]. rewrite <- exp_0. apply exp_le. lra.
Qed.

Lemma learner_pulls (law : seen one_toss -> nat -> probability_measure one_toss) T a r lam u : (forall h (g : bool -> R), mean (law h 1%nat) g = r * g true + (1 - r) * g false) ->
  (forall h, length h = n -> next h = a -> lam * (theta * INR n) <= lam * trues h) ->
  exp (- (lam * (theta * INR n))) * (r * exp lam + (1 - r)) ^ n <= u ->
  run one_toss 2 choose_next law T [] (pulls_of one_toss a) <= INR n + INR T * u.
Proof.
intros R Wrong U. assert (u0 : 0 <= u).
{ apply Rle_trans with (2 := Rle_trans _ _ _ (wrong law r lam R) U).
  apply (run_inside one_toss 2 choose_next learner_chooses law n [] _ 0 1); [|apply bits_run].
  intros h _. destruct (Rle_dec _ _); lra. }
assert (T0 := pos_INR T). destruct (Nat.le_gt_cases T n) as [L|L].
- apply Rle_trans with (INR T).
  + apply (run_inside one_toss 2 choose_next learner_chooses law T [] _ 0 (INR T)); [|apply bits_run].
    intros h E. assert (H := pulls_inside one_toss a h). rewrite E in H. simpl in H. now rewrite Nat.add_0_r in H.
  + apply le_INR in L. assert (0 <= INR T * u) by now apply Rmult_le_pos. lra.
- replace T with (n + (T - n))%nat by lia. rewrite run_split.
  rewrite (run_same one_toss 2 choose_next law n [] _
    (fun h => pulls_of one_toss a h + INR (T - n) * if Nat.eqb a (next h) then 1 else 0)).
  2: { intros h E. apply after_exploring. rewrite E. apply Nat.le_add_r. }
  assert (B : forall h : seen one_toss, length h = (n + length (@nil (nat * one_toss)))%nat ->
    0 <= pulls_of one_toss a h <= INR n).
  { intros h E. assert (H := pulls_inside one_toss a h). rewrite E in H. simpl in H. now rewrite Nat.add_0_r in H. }
  assert (m0 := pos_INR (T - n)).
  destruct (constant_run one_toss 2 choose_next learner_chooses law n [] 1) as [_ One].
  destruct (run_linear one_toss 2 choose_next learner_chooses law n []
    (fun h => if Rle_dec (lam * (theta * INR n)) (lam * trues h) then 1 else 0) (fun _ => 1) 0 1 1 1 (INR (T - n)) (INR n))
    as [_ E]; try apply bits_run; try (intros; lra).
  { intros h _. destruct (Rle_dec _ _); lra. }
  rewrite One in E. assert (W := wrong law r lam R).
  apply Rle_trans with (INR (T - n) * u + INR n * 1).
  + apply Rle_trans with (INR (T - n) *
      run one_toss 2 choose_next law n [] (fun h => if Rle_dec (lam * (theta * INR n)) (lam * trues h) then 1 else 0) + INR n * 1).
    * rewrite <- E. apply (run_le one_toss 2 choose_next learner_chooses law n [] _ _ 0 (INR n + INR (T - n)) 0 (INR (T - n) + INR n));
        try apply bits_run.
      -- intros h L'. specialize (B h L'). destruct (Nat.eqb a (next h)); lra.
      -- intros h L'. assert (N0 := pos_INR n). destruct (Rle_dec _ _); lra.
      -- intros h L'. specialize (B h L'). cbn [length] in L'. rewrite Nat.add_0_r in L'.
         destruct (Nat.eqb_spec a (next h)) as [X|X].
         ++ specialize (Wrong h L' (eq_sym X)). destruct (Rle_dec _ _); lra.
         ++ destruct (Rle_dec _ _); lra.
    * apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
  + assert (INR (T - n) * u <= INR T * u) by (apply Rmult_le_compat_r; [exact u0|apply le_INR; lia]).
    replace (n + (T - n))%nat with T by lia. lra.
Qed.
End Learner.

Section TwoInstances.
Variables (p p' x : R).
Hypotheses (p0 : 0 <= p) (pp : p < p') (p1 : p' <= 1) (x0 : x <> 0).

Definition bit (q : R) := q * kept_bit + (1 - q) * (1 - kept_bit).
Let gap := bit p' - bit p.
Let theta := (bit p + bit p') / 2.
Definition explored (T : nat) : nat := Z.to_nat (up (2 / (gap * gap) * ln (INR T))).

Lemma bit_inside q : 0 <= q <= 1 -> 0 <= bit q <= 1.
Proof. assert (K := kept_inside). unfold bit. split; nra. Qed.

Lemma gap_0 : 0 < gap.
Proof.
assert (E := exp_pos 1). assert (E1 : 1 < exp 1) by (rewrite <- exp_0 at 1; apply exp_increasing; lra).
assert (K : kept_bit = exp 1 * (1 - kept_bit)) by (unfold kept_bit; field; lra). assert (I := kept_inside).
assert (1 - kept_bit < kept_bit) by nra.
unfold gap, bit. replace (p' * kept_bit + (1 - p') * (1 - kept_bit) - (p * kept_bit + (1 - p) * (1 - kept_bit))) with
  ((p' - p) * (kept_bit - (1 - kept_bit))) by ring. apply Rmult_lt_0_compat; lra.
Qed.

Lemma bits_of n D q h g : two_valued (D 1%nat) q x ->
  mean (messages (learner n theta) D h 1%nat) g = bit q * g true + (1 - bit q) * g false.
Proof.
intros H. change (mean (messages (learner n theta) D h 1%nat) g) with (mean (D 1%nat) (fun y => mean (response y) g)).
etransitivity; [exact (proj2 (H (fun y => mean (response y) g)))|]. unfold response, bit.
destruct (Req_EM_T x 0); [easy|]. destruct (Req_EM_T 0 0); [|easy]. simpl. ring.
Qed.

Lemma enough T : (1 <= T)%nat -> INR T * exp (- (INR (explored T) * (gap * gap / 2))) <= 1 /\
  INR (explored T) <= 2 / (gap * gap) * ln (INR T) + 1.
Proof.
intros L. assert (G := gap_0). assert (GG : 0 < gap * gap) by now apply Rmult_lt_0_compat.
assert (T1 : 1 <= INR T) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
assert (L0 : 0 <= ln (INR T)) by (rewrite <- ln_1; apply ln_le; lra).
destruct (archimed (2 / (gap * gap) * ln (INR T))) as [U V].
assert (X : 0 <= 2 / (gap * gap) * ln (INR T)) by (apply Rmult_le_pos; [apply Rle_mult_inv_pos; lra|exact L0]).
assert (E : INR (explored T) = IZR (up (2 / (gap * gap) * ln (INR T)))).
{ unfold explored. rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|]. apply le_IZR. lra. }
rewrite E. split; [|lra]. rewrite <- (exp_ln (INR T)) at 1 by lra. rewrite <- exp_plus, <- exp_0. apply exp_le.
assert (ln (INR T) = 2 / (gap * gap) * ln (INR T) * (gap * gap / 2)) by (field; lra).
assert (2 / (gap * gap) * ln (INR T) * (gap * gap / 2) <= IZR (up (2 / (gap * gap) * ln (INR T))) * (gap * gap / 2)).
{ apply Rmult_le_compat_r; lra. }
lra.
Qed.

Lemma pow_exp y n : exp y ^ n = exp (INR n * y).
Proof.
induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|]. simpl pow. rewrite IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

Lemma tail n r lam z : 0 <= r * exp lam + (1 - r) <= exp z ->
  exp (- (lam * (theta * INR n))) * (r * exp lam + (1 - r)) ^ n <= exp (INR n * (z - lam * theta)).
Proof.
intros H. replace (INR n * (z - lam * theta)) with (- (lam * (theta * INR n)) + INR n * z) by ring.
rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|]. rewrite <- pow_exp. now apply pow_incr.
Qed.

Lemma learned T D D' : (1 <= T)%nat -> two_valued (D 1%nat) p x -> two_valued (D' 1%nat) p' x ->
  expected (learner (explored T) theta) D T (pulls_of one_toss 1) <= 2 / (gap * gap) * ln (INR T) + 2 /\
  expected (learner (explored T) theta) D' T (pulls_of one_toss 0) <= 2 / (gap * gap) * ln (INR T) + 2.
Proof.
intros L H H'. assert (G := gap_0). destruct (enough T L) as [A B]. set (n := explored T) in *.
assert (b := bit_inside p ltac:(lra)). assert (b' := bit_inside p' ltac:(lra)).
assert (lam0 : 0 <= 2 * gap) by lra.
assert (Same : INR n * (2 * gap * (2 * gap) / 8 - gap * gap) = - (INR n * (gap * gap / 2))) by field.
split; apply Rle_trans with (INR n + INR T * exp (- (INR n * (gap * gap / 2)))); try lra.
- apply (learner_pulls n theta _ T 1 (bit p) (2 * gap)).
  + intros h g. now apply bits_of.
  + intros h E N. apply Rmult_le_compat_l; [exact lam0|]. unfold next in N. rewrite E in N.
    destruct (Nat.ltb_spec n n); [lia|]. unfold oldest in N. rewrite E, Nat.sub_diag in N. simpl in N.
    destruct (Rle_dec (theta * INR n) (trues h)); [assumption|discriminate].
  + rewrite <- Same. replace (2 * gap * (2 * gap) / 8 - gap * gap) with
      ((2 * gap * (2 * gap) / 8 + 2 * gap * bit p) - 2 * gap * theta) by (unfold theta, gap; field).
    apply tail. assert (X := exp_pos (2 * gap)). split; [nra|].
    assert (C := coin_moment (1 - bit p) (2 * gap) ltac:(lra) lam0).
    apply (Rmult_le_compat_l (exp (2 * gap))) in C; [|lra]. rewrite <- exp_plus in C.
    replace (2 * gap + (2 * gap * (2 * gap) / 8 - (1 - bit p) * (2 * gap))) with
      (2 * gap * (2 * gap) / 8 + 2 * gap * bit p) in C by ring.
    apply Rle_trans with (2 := C). right. rewrite Rmult_plus_distr_l.
    replace (exp (2 * gap) * ((1 - bit p) * exp (- (2 * gap)))) with ((1 - bit p) * (exp (2 * gap) * exp (- (2 * gap)))) by ring.
    rewrite <- exp_plus, Rplus_opp_r, exp_0. ring.
- apply (learner_pulls n theta _ T 0 (bit p') (- (2 * gap))).
  + intros h g. now apply bits_of.
  + intros h E N. unfold next in N. rewrite E in N.
    destruct (Nat.ltb_spec n n); [lia|]. unfold oldest in N. rewrite E, Nat.sub_diag in N. simpl in N.
    destruct (Rle_dec (theta * INR n) (trues h)); [discriminate|]. nra.
  + rewrite <- Same. replace (2 * gap * (2 * gap) / 8 - gap * gap) with
      ((2 * gap * (2 * gap) / 8 - bit p' * (2 * gap)) - - (2 * gap) * theta) by (unfold theta, gap; field).
    apply tail. assert (X := exp_pos (- (2 * gap))). split; [nra|].
    assert (C := coin_moment (bit p') (2 * gap) b' lam0). lra.
Qed.

(* A run of it has logarithmic regret, where arm 1 is the worse one on D and the better one on D'. *)
Lemma learner_regrets D D' : two_valued (D 1%nat) p x -> two_valued (D' 1%nat) p' x ->
  gap_of 2 D 0 = 0 -> 0 <= gap_of 2 D 1 -> 0 <= gap_of 2 D' 0 -> gap_of 2 D' 1 = 0 ->
  below_all_powers (fun T => regret (learner (explored T) theta) D T) /\
  below_all_powers (fun T => regret (learner (explored T) theta) D' T).
Proof.
intros H H' G0 G1 G0' G1'. assert (G := gap_0). assert (GG : 0 < gap * gap) by now apply Rmult_lt_0_compat.
assert (A0 : forall g, 0 <= g -> 0 <= g * (2 / (gap * gap))).
{ intros g P. apply Rmult_le_pos; [exact P|apply Rle_mult_inv_pos; lra]. }
split.
- apply (logarithm_below_powers _ (gap_of 2 D 1 * (2 / (gap * gap))) (gap_of 2 D 1 * 2) 1); [now apply A0|lra|].
  intros T L. destruct (learned T D D' L H H') as [B _]. unfold regret. simpl sum_to. rewrite G0.
  apply (Rmult_le_compat_l (gap_of 2 D 1)) in B; [|exact G1]. lra.
- apply (logarithm_below_powers _ (gap_of 2 D' 0 * (2 / (gap * gap))) (gap_of 2 D' 0 * 2) 1); [now apply A0|lra|].
  intros T L. destruct (learned T D D' L H H') as [_ B]. unfold regret. simpl sum_to. rewrite G1'.
  apply (Rmult_le_compat_l (gap_of 2 D' 0)) in B; [|exact G0']. lra.
Qed.

Lemma some_learner D D' : two_valued (D 1%nat) p x -> two_valued (D' 1%nat) p' x ->
  gap_of 2 D 0 = 0 -> 0 <= gap_of 2 D 1 -> 0 <= gap_of 2 D' 0 -> gap_of 2 D' 1 = 0 ->
  exists alg : nat -> local_algorithm real_numbers one_toss 2 1,
  below_all_powers (fun T => regret (alg T) D T) /\ below_all_powers (fun T => regret (alg T) D' T).
Proof. intros. exists (fun T => learner (explored T) theta). now apply learner_regrets. Qed.
End TwoInstances.
