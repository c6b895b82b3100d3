(* Lemma 4.5 with its exact factor, for all laws of rewards. Privacy holds for each list of outcomes, so that the rewards of
   arm iota change their laws in the order in which they are drawn: no integrals are exchanged. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction joint_measurability.
From Dpbandits Require Import best_arm_policies satisfiable.
Import ListNotations.
Open Scope R_scope.

(** * The outcomes of a policy *)

(* The reward is x for certain. *)
Definition point_mass {W : sample_space} (x : W) : probability_measure W.
Proof.
exists random_variable (fun f => f x); auto.
- intros c. apply variable_const.
- intros a b f g F G. apply variable_plus; now apply variable_scaled.
Defined.

(* How often arm a was pulled. *)
Definition times {W : sample_space} (a : nat) (h : seen W) : nat := count_occ Nat.eq_dec (map fst h) a.

(* D a is the law of the rewards of arm a. *)
Definition by_instance {W : sample_space} (D : nat -> probability_measure W) (h : seen W) (a : nat) := D a.
(* x a m: what the pull of arm a after m earlier pulls of it pays. *)
Definition reward_table (W : sample_space) : Type := nat -> nat -> W.
Definition by_table {W : sample_space} (x : reward_table W) (h : seen W) (a : nat) : probability_measure W :=
  point_mass (x a (times a h)).
Definition one_entry {W : sample_space} (x y : reward_table W) :=
  exists i m, forall a k, ~ (a = i /\ k = m) -> x a k = y a k.

Section Outcomes.
Variables (W : sample_space) (K : nat) (pol : bai_policy W K).

(* Of the recommendation and all pulls, the last one first: the probability that they lie in the event, given the pulls. *)
Definition outcome (event : list nat -> bool) (h : seen W) : R :=
  sum_to K (fun a => recommend pol h a * if event (a :: map fst h) then 1 else 0).
(* law h a: the law of the reward of arm a after h, from an instance or from a table. *)
Definition chance (law : seen W -> nat -> probability_measure W) (T : nat) (event : list nat -> bool) : R :=
  run W K (pick pol) law T [] (outcome event).
Definition chance_measurable (law : seen W -> nat -> probability_measure W) (T : nat) (event : list nat -> bool) : Prop :=
  run_measurable W K (pick pol) law T [] (outcome event).

Lemma outcome_inside event h : 0 <= outcome event h <= 1.
Proof.
destruct (recommend_chooses pol h) as [P S]. unfold outcome. split.
- apply Rle_trans with (sum_to K (fun _ => 0)); [rewrite sum_to_const; lra|]. apply sum_to_le. intros a _. specialize (P a).
  destruct (event _); lra.
- apply Rle_trans with (sum_to K (recommend pol h)); [|rewrite S; lra]. apply sum_to_le. intros a _. specialize (P a).
  destruct (event _); lra.
Qed.

End Outcomes.

(** * One list of pulls, on a table *)

Section OneList.
Variables (W : sample_space) (K : nat) (pol : bai_policy W K).
Notation outcome := (outcome W K pol).
Notation chance := (chance W K pol).

Lemma run_along law k h f g : (forall l, length l = k -> f (l ++ h) = g (l ++ h)) ->
  run W K (pick pol) law k h f = run W K (pick pol) law k h g.
Proof.
revert h. induction k as [|k IH]; intros h E; [apply (E []); reflexivity|]. cbn [run]. apply sum_to_same. intros a _.
f_equal. apply mean_same. intros x. apply IH. intros l L. specialize (E (l ++ [(a, x)])).
rewrite <- app_assoc in E. apply E. rewrite app_length, L. simpl. lia.
Qed.

(* The probability of the pulls of h, given the rewards of h. *)
Fixpoint weight (h : seen W) : R := match h with [] => 1 | (a, _) :: h' => weight h' * pick pol h' a end.

Lemma weight_positive h : 0 <= weight h.
Proof. induction h as [|[a x] h IH]; simpl; [lra|]. apply Rmult_le_pos; [exact IH|apply pick_chooses]. Qed.

Fixpoint reads (x : reward_table W) (h : seen W) : Prop :=
  match h with [] => True | (a, z) :: h' => z = x a (times a h') /\ reads x h' end.
Definition in_range (h : seen W) := List.Forall (fun pull => (fst pull < K)%nat) h.
Definition list_is (z z' : list nat) : bool := if list_eq_dec Nat.eq_dec z z' then true else false.
(* The event, and the pulls are those of h. *)
Definition pinned (h : seen W) (event : list nat -> bool) (z : list nat) : bool := event z && list_is (tl z) (map fst h).

Lemma outcome_pinned h event h' : outcome (pinned h event) h' = if list_is (map fst h') (map fst h) then outcome event h' else 0.
Proof.
unfold outcome, pinned. simpl tl. destruct (list_is _ _).
- apply sum_to_same. intros a _. now rewrite andb_true_r.
- rewrite (sum_to_same K _ (fun _ => 0)); [rewrite sum_to_const; ring|]. intros a _. rewrite andb_false_r. ring.
Qed.

Lemma on_table x event later past : reads x (later ++ past) -> in_range later ->
  weight past * run W K (pick pol) (by_table x) (length later) past (outcome (pinned (later ++ past) event)) =
  weight (later ++ past) * outcome event (later ++ past).
Proof.
revert past. induction later as [|[a z] later IH] using rev_ind; intros past Rd In.
- simpl. rewrite outcome_pinned. unfold list_is. now destruct (list_eq_dec _ _ _).
- rewrite <- app_assoc in *. simpl app in *. apply Forall_app in In. destruct In as [In L].
  assert (La : (a < K)%nat) by (now inversion L). clear L.
  assert (Z : z = x a (times a past)).
  { clear - Rd. induction later as [|[b y] later IH]; simpl in Rd; tauto. }
  rewrite app_length, Nat.add_1_r. cbn [run].
  rewrite (sum_to_same K _ (fun b => if Nat.eqb b a then
    pick pol past a * run W K (pick pol) (by_table x) (length later) ((a, z) :: past) (outcome (pinned (later ++ (a, z) :: past) event)) else 0)).
  + rewrite sum_to_one by exact La. rewrite <- Rmult_assoc.
    change (weight past * pick pol past a) with (weight ((a, z) :: past)). now apply IH.
  + intros b _. unfold by_table at 1. cbn [mean point_mass]. destruct (Nat.eqb_spec b a) as [->|N]; [now rewrite <- Z|].
    rewrite (run_along _ _ _ _ (fun _ => 0)).
    * rewrite (proj2 (constant_run W K (pick pol) (pick_chooses pol) _ _ _ 0)). ring.
    * intros l Ll. rewrite outcome_pinned. unfold list_is. destruct (list_eq_dec _ _ _) as [E|_]; [exfalso|reflexivity].
      rewrite !map_app in E. simpl in E. apply N.
      assert (Eq := f_equal (fun u => nth (length later) u O) E).
      cbv beta in Eq. rewrite !app_nth2, !map_length, Ll, Nat.sub_diag in Eq by (rewrite map_length; lia). exact Eq.
Qed.

(* A table that h has read. *)
Variable nothing : W.
Fixpoint table_of (h : seen W) (a m : nat) : W :=
  match h with
  | [] => nothing
  | (b, z) :: h' => if (Nat.eqb a b && Nat.eqb m (times b h'))%bool then z else table_of h' a m
  end.

Lemma times_next a b (z : W) h : times a ((b, z) :: h) = ((if Nat.eqb a b then 1 else 0) + times a h)%nat.
Proof.
unfold times. simpl. destruct (Nat.eq_dec b a), (Nat.eqb_spec a b); try (exfalso; lia); reflexivity.
Qed.

Lemma reads_same x y h : (forall a m, (m < times a h)%nat -> x a m = y a m) -> reads x h -> reads y h.
Proof.
induction h as [|[b z] h IH]; [trivial|]. intros E [Z Rd]. split.
- rewrite Z. apply E. rewrite times_next, Nat.eqb_refl. lia.
- apply IH; [|exact Rd]. intros a m L. apply E. rewrite times_next. lia.
Qed.

Lemma reads_table_of h : reads (table_of h) h.
Proof.
induction h as [|[b z] h IH]; [exact I|]. split.
- simpl. now rewrite !Nat.eqb_refl.
- apply (reads_same (table_of h)); [|exact IH]. intros a m L. simpl.
  destruct (Nat.eqb_spec a b) as [->|]; [|reflexivity]. destruct (Nat.eqb_spec m (times b h)); [lia|reflexivity].
Qed.

(** * Rewards of arm i change their law *)

(* Arm 0 pays nothing, and arm i is pulled n times at most. *)
Variables (T n i : nat) (D D' : nat -> probability_measure W) (event : list nat -> bool) (q c : R).
Hypotheses (i0 : i <> O) (iK : (i < K)%nat) (C : 0 <= c).
Hypotheses (zero : D O = point_mass nothing) (same : forall a, (a < K)%nat -> a <> i -> D a = D' a).
Hypothesis close : total_variation_at_most (D i) (D' i) q.
Hypothesis stops : forall h, (n <= times i h)%nat -> pick pol h i = 0.
Hypothesis private_pol : forall x y m, (forall a k, ~ (a = i /\ k = m) -> x a k = y a k) -> (forall k, x O k = nothing) ->
  forall event, chance (by_table x) T event <= (1 + c) * chance (by_table y) T event.

Definition fine (h : seen W) := List.Forall (fun pull => (fst pull < K)%nat /\ (fst pull = O -> snd pull = nothing)) h.

Lemma fine_next a (z : W) h : (a < K)%nat -> (a = O -> z = nothing) -> fine h -> fine ((a, z) :: h).
Proof. intros L Z F. constructor; [split; assumption|exact F]. Qed.

Lemma table_of_arm_0 h k : fine h -> table_of h O k = nothing.
Proof.
induction 1 as [|[b z] h [_ Z] F IH]; [reflexivity|]. simpl in *. destruct b; [|exact IH]. destruct (Nat.eqb k _); auto.
Qed.

Lemma table_of_one_entry l (x y : W) h a k : ~ (a = i /\ k = times i h) ->
  table_of (l ++ (i, x) :: h) a k = table_of (l ++ (i, y) :: h) a k.
Proof.
intros N. induction l as [|[b z] l IH].
- simpl. destruct (Nat.eqb_spec a i) as [->|]; [|reflexivity]. destruct (Nat.eqb_spec k (times i h)); [tauto|reflexivity].
- simpl. rewrite IH. unfold times. now rewrite !map_app.
Qed.

Lemma weighted B k h b : run_measurable W K (pick pol) (by_instance B) (S k) h (outcome event) -> (b < K)%nat ->
  forall P : probability_measure W,
  has_mean P (fun x => weight ((b, x) :: h) * run W K (pick pol) (by_instance B) k ((b, x) :: h) (outcome event)) /\
  weight h * (pick pol h b * mean P (fun x => run W K (pick pol) (by_instance B) k ((b, x) :: h) (outcome event))) =
  mean P (fun x => weight ((b, x) :: h) * run W K (pick pol) (by_instance B) k ((b, x) :: h) (outcome event)).
Proof.
intros M L P. assert (F := next_has_mean W K (pick pol) (pick_chooses pol) (by_instance B) P k h (outcome event) 0 1 b
  (fun h' _ => outcome_inside W K pol event h') M L).
simpl weight. split; [now apply has_mean_scaled|]. rewrite mean_scaled by exact F. ring.
Qed.

(* One reward of arm i that was drawn before is changed. *)
Lemma changed k l x y p : (k + length (l ++ (i, x) :: p) = T)%nat -> fine (l ++ (i, x) :: p) -> fine (l ++ (i, y) :: p) ->
  run_measurable W K (pick pol) (by_instance D') k (l ++ (i, x) :: p) (outcome event) ->
  run_measurable W K (pick pol) (by_instance D') k (l ++ (i, y) :: p) (outcome event) ->
  weight (l ++ (i, x) :: p) * run W K (pick pol) (by_instance D') k (l ++ (i, x) :: p) (outcome event) <=
  (1 + c) * (weight (l ++ (i, y) :: p) * run W K (pick pol) (by_instance D') k (l ++ (i, y) :: p) (outcome event)).
Proof.
revert l. induction k as [|k IH]; intros l Len F F' M M'.
- set (h := l ++ (i, x) :: p) in *. set (h' := l ++ (i, y) :: p) in *. simpl run.
  assert (Arms : map fst h = map fst h') by (unfold h, h'; now rewrite !map_app).
  assert (Len' : length h' = T) by (rewrite <- (map_length fst), <- Arms, map_length; exact Len).
  assert (Table : forall g, fine g -> length g = T ->
    chance (by_table (table_of g)) T (pinned g event) = weight g * outcome event g).
  { intros g G Lg. assert (A := on_table (table_of g) event g []). rewrite app_nil_r, Lg in A. simpl weight in A.
    unfold chance. rewrite Rmult_1_l in A. apply A; [apply reads_table_of|]. unfold in_range.
    apply (Forall_impl _ (fun pull H => proj1 H) G). }
  rewrite <- (Table h F Len), <- (Table h' F' Len').
  assert (Pin : pinned h' event = pinned h event) by (unfold pinned; now rewrite Arms). rewrite Pin.
  apply private_pol with (m := times i p).
  + intros a k N. now apply table_of_one_entry.
  + intros k. now apply table_of_arm_0.
- cbn [run]. rewrite <- !sum_to_scaled. apply sum_to_le. intros b L.
  destruct (weighted D' k _ b M L (D' b)) as [I1 E1], (weighted D' k _ b M' L (D' b)) as [I2 E2].
  unfold by_instance at 1 3. rewrite E1, E2. clear E1 E2.
  assert (Step : forall z, (b = O -> z = nothing) ->
    weight ((b, z) :: l ++ (i, x) :: p) * run W K (pick pol) (by_instance D') k ((b, z) :: l ++ (i, x) :: p) (outcome event) <=
    (1 + c) * (weight ((b, z) :: l ++ (i, y) :: p) * run W K (pick pol) (by_instance D') k ((b, z) :: l ++ (i, y) :: p) (outcome event))).
  { intros z Z. apply (IH ((b, z) :: l)).
    - rewrite <- Len. simpl. lia.
    - now apply fine_next.
    - now apply fine_next.
    - now apply (M b L).
    - now apply (M' b L). }
  destruct (Nat.eq_dec b O) as [->|N].
  + rewrite <- (same O L) by auto. rewrite zero. cbn [mean point_mass]. now apply Step.
  + rewrite <- mean_scaled by exact I2. apply mean_le; [exact I1|now apply has_mean_scaled|]. intros z. now apply Step.
Qed.

Let factor := 1 + q * c.

Lemma factor_above : 1 <= factor.
Proof.
unfold factor. assert (Q := q_positive W (D i) (D' i) q close). assert (0 <= q * c) by now apply Rmult_le_pos. lra.
Qed.

Lemma rewards_change k h : (k + length h = T)%nat -> fine h ->
  run_measurable W K (pick pol) (by_instance D) k h (outcome event) -> run_measurable W K (pick pol) (by_instance D') k h (outcome event) ->
  weight h * run W K (pick pol) (by_instance D) k h (outcome event) <=
  factor ^ (n - times i h) * (weight h * run W K (pick pol) (by_instance D') k h (outcome event)).
Proof.
assert (F1 := factor_above). revert h. induction k as [|k IH]; intros h Len F M M'.
- simpl run. assert (X := pow_R1_Rle factor (n - times i h) F1). assert (0 <= weight h * outcome event h).
  { apply Rmult_le_pos; [apply weight_positive|apply outcome_inside]. }
  rewrite <- (Rmult_1_l (weight h * outcome event h)) at 1. now apply Rmult_le_compat_r.
- cbn [run]. rewrite <- !sum_to_scaled. apply sum_to_le. intros b L.
  destruct (weighted D k _ b M L (D b)) as [I1 E1], (weighted D' k _ b M' L (D' b)) as [I2 E2],
    (weighted D' k _ b M' L (D b)) as [I3 _].
  assert (Step : forall z, (b = O -> z = nothing) ->
    weight ((b, z) :: h) * run W K (pick pol) (by_instance D) k ((b, z) :: h) (outcome event) <=
    factor ^ (n - times i ((b, z) :: h)) * (weight ((b, z) :: h) * run W K (pick pol) (by_instance D') k ((b, z) :: h) (outcome event))).
  { intros z Z. apply IH.
    - rewrite <- Len. simpl. lia.
    - now apply fine_next.
    - now apply (M b L).
    - now apply (M' b L). }
  destruct (Nat.eq_dec b i) as [->|N].
  + destruct (Nat.le_gt_cases n (times i h)) as [Many|Few]; [rewrite (stops h Many); right; ring|].
    unfold by_instance at 1 3. rewrite E1, E2. clear E1 E2.
    set (G := fun x => weight ((i, x) :: h) * run W K (pick pol) (by_instance D') k ((i, x) :: h) (outcome event)) in *.
    set (m := (n - S (times i h))%nat). assert (Fm := pow_le factor m ltac:(lra)).
    apply Rle_trans with (factor ^ m * mean (D i) G).
    * rewrite <- mean_scaled by exact I3. apply mean_le; [exact I1|now apply has_mean_scaled|]. intros z.
      assert (S1 := Step z ltac:(intros; easy)). rewrite times_next, Nat.eqb_refl in S1. exact S1.
    * replace (n - times i h)%nat with (S m) by (unfold m; lia). simpl pow. rewrite (Rmult_comm factor), Rmult_assoc.
      apply Rmult_le_compat_l; [exact Fm|]. apply (one_datum W (D i) (D' i) q close G c C).
      -- now apply mean_of_variable with (1 := I2).
      -- intros z. apply Rmult_le_pos; [apply weight_positive|].
         apply (run_inside W K (pick pol) (pick_chooses pol) (by_instance D') k _ _ 0 1); [intros; apply outcome_inside|apply (M' i L)].
      -- intros y z. apply (changed k [] y z h); simpl app.
         ++ rewrite <- Len. simpl. lia.
         ++ now apply fine_next.
         ++ now apply fine_next.
         ++ now apply (M' i L).
         ++ now apply (M' i L).
  + unfold by_instance at 1 3. rewrite E1, E2. clear E1 E2.
    assert (Same : forall z : W, times i ((b, z) :: h) = times i h).
    { intros z. rewrite times_next. destruct (Nat.eqb_spec i b); [congruence|reflexivity]. }
    assert (Step' : forall z, (b = O -> z = nothing) ->
      weight ((b, z) :: h) * run W K (pick pol) (by_instance D) k ((b, z) :: h) (outcome event) <=
      factor ^ (n - times i h) * (weight ((b, z) :: h) * run W K (pick pol) (by_instance D') k ((b, z) :: h) (outcome event))).
    { intros z Z. rewrite <- (Same z). now apply Step. }
    rewrite <- (same b L N). destruct (Nat.eq_dec b O) as [->|N0].
    * rewrite zero. cbn [mean point_mass]. now apply Step'.
    * rewrite <- mean_scaled by exact I3. apply mean_le; [exact I1|now apply has_mean_scaled|]. intros z. now apply Step'.
Qed.
End OneList.

(** * Early stopping *)

(* The policy is measurable, and so are the probabilities of its pulls and of its recommendation. *)
Definition measurable_policy {W : sample_space} {K : nat} (pol : bai_policy W K) := forall a, (a < K)%nat ->
  measurable_on_histories (fun h => pick pol h a) /\ measurable_on_histories (fun h => recommend pol h a).

(* The arms are 1, ..., K, and the auxiliary arm 0; arm a + 1 here is arm a of pi. *)
Fixpoint without_arm_0 {X : Type} (h : list (nat * X)) : list (nat * X) :=
  match h with [] => [] | (O, _) :: h' => without_arm_0 h' | (S a, x) :: h' => (a, x) :: without_arm_0 h' end.
Definition with_arm_0 {W : sample_space} (nothing : W) (law : seen W -> nat -> probability_measure W) (h : seen W) (b : nat) :
  probability_measure W := match b with O => point_mass nothing | S a => law (without_arm_0 h) a end.
(* A choice among the arms of pi, or arm 0. *)
Definition or_arm_0 (running : bool) (p : nat -> R) (b : nat) : R :=
  match b with O => if running then 0 else 1 | S a => if running then p a else 0 end.

Lemma sum_to_arms K p running : sum_to K p = 1 -> sum_to (S K) (or_arm_0 running p) = 1.
Proof.
intros S1. assert (E : forall m, sum_to (S m) (or_arm_0 running p) = if running then sum_to m p else 1).
{ induction m as [|m IH]; [simpl; destruct running; ring|]. change (sum_to (S (S m)) (or_arm_0 running p)) with
    (sum_to (S m) (or_arm_0 running p) + or_arm_0 running p (S m)). rewrite IH. simpl. destruct running; ring. }
rewrite E. now destruct running.
Qed.

(* ES(pi, n, iota): (18) as long as arm iota was pulled less than n times, and (19) if arm 0 was not pulled. *)
Definition early_stopping {W : sample_space} {K : nat} (n iota : nat) (pi : bai_policy W K) : bai_policy W (S K).
Proof.
exists (fun h => or_arm_0 (Nat.ltb (times (S iota) h) n) (pick pi (without_arm_0 h)))
  (fun h => or_arm_0 (Nat.eqb (times 0 h) 0) (recommend pi (without_arm_0 h))).
- intros h. destruct (pick_chooses pi (without_arm_0 h)) as [P E]. split; [|now apply sum_to_arms].
  intros [|a]; simpl; destruct (Nat.ltb _ _); auto; lra.
- intros h. destruct (recommend_chooses pi (without_arm_0 h)) as [P E]. split; [|now apply sum_to_arms].
  intros [|a]; simpl; destruct (Nat.eqb _ _); auto; lra.
Defined.

(* The eps-DP constraint of a policy with arm 0: tables of the rewards of the other arms that differ in one entry. *)
Definition private_on_tables {W : sample_space} {K : nat} (nothing : W) (eps : R) (pol : bai_policy W (S K)) (T : nat) :=
  forall x y, one_entry x y -> forall event, chance W (S K) pol (with_arm_0 nothing (by_table x)) T event <=
    exp eps * chance W (S K) pol (with_arm_0 nothing (by_table y)) T event.

Section EarlyStopping.
Variables (W : sample_space) (nothing : W) (K n iota : nat) (pi : bai_policy W K).
Notation ES := (early_stopping n iota pi).

Lemma times_without (h : seen W) a : times a (without_arm_0 h) = times (S a) h.
Proof. induction h as [|[[|b] x] h IH]; [reflexivity| |]; simpl; rewrite !times_next; simpl Nat.eqb; now rewrite <- IH, ?times_next. Qed.

(* ES reads no reward of arm iota beyond the n-th: its inputs are the tables of X^(n, iota). *)
Theorem reads_n_rewards (x y : reward_table W) T event : (forall a m, a <> iota \/ (m < n)%nat -> x a m = y a m) ->
  chance W (S K) ES (with_arm_0 nothing (by_table x)) T event = chance W (S K) ES (with_arm_0 nothing (by_table y)) T event.
Proof.
intros E. unfold chance. generalize (@nil (nat * W)). induction T as [|k IH]; intros h; [reflexivity|]. cbn [run].
apply sum_to_same. intros [|a] _; [unfold with_arm_0; cbn [mean point_mass]; now rewrite IH|].
destruct (Nat.ltb_spec (times (S iota) h) n) as [Few|Many].
- unfold with_arm_0, by_table. cbn [mean point_mass]. rewrite IH, E; [reflexivity|]. rewrite times_without.
  destruct (Nat.eq_dec a iota) as [->|N]; [now right|now left].
- simpl. destruct (Nat.ltb_spec (times (S iota) h) n); [lia|]. simpl. ring.
Qed.

(* The rewards of the arms of pi, in a history with these arms. *)
Fixpoint chosen {X : Type} (arms : list nat) (xs : list X) : list X :=
  match arms, xs with O :: arms', _ :: xs' => chosen arms' xs' | S _ :: arms', x :: xs' => x :: chosen arms' xs' | _, _ => [] end.
Fixpoint arms_of_pi (arms : list nat) : list nat :=
  match arms with [] => [] | O :: arms' => arms_of_pi arms' | S a :: arms' => a :: arms_of_pi arms' end.

Lemma without_combine arms (xs : list W) : without_arm_0 (combine arms xs) = combine (arms_of_pi arms) (chosen arms xs).
Proof.
revert xs. induction arms as [|[|a] arms IH]; intros [|x xs]; simpl; auto; [now destruct (arms_of_pi arms)|now rewrite IH].
Qed.

Fixpoint ignoring (arms : list nat) (fs : list (W -> R)) : list (W -> R) :=
  match arms, fs with
  | [], _ => []
  | O :: arms', _ => (fun _ => 1) :: ignoring arms' fs
  | S _ :: arms', f :: fs' => f :: ignoring arms' fs'
  | S _ :: _, [] => []
  end.

Lemma chosen_length arms (xs : list W) : length xs = length arms -> length (chosen arms xs) = length (arms_of_pi arms).
Proof. revert xs. induction arms as [|[|a] arms IH]; intros [|x xs] E; simpl in *; auto; discriminate. Qed.

Lemma measurable_chosen arms f : bounded_measurable W (length (arms_of_pi arms)) f ->
  bounded_measurable W (length arms) (fun xs => f (chosen arms xs)).
Proof.
induction 1 as [fs c L F|a b f g _ IH _ IH'|f g c _ IH B C].
- apply measurable_same with (product_of (ignoring arms fs)).
  + clear F. revert fs L. induction arms as [|[|a] arms IH]; intros fs L [|x xs] E; simpl in *; try discriminate.
    * now destruct fs.
    * rewrite IH by lia. ring.
    * destruct fs as [|f fs]; [discriminate|]. simpl in *. now rewrite IH by lia.
  + apply measurable_product with (Rmax 1 c).
    * clear F. revert fs L. induction arms as [|[|a] arms IH]; intros fs L; simpl in *; auto.
      destruct fs as [|f fs]; [discriminate|]. simpl in *. auto.
    * assert (M := Rmax_l 1 c). assert (M' := Rmax_r 1 c). clear L. revert fs F.
      induction arms as [|[|a] arms IH]; intros fs F h; simpl; try tauto.
      -- intros [<-|I]; [|now apply (IH fs)]. split; [apply variable_const|]. intros _. rewrite Rabs_R1. lra.
      -- destruct fs as [|f fs]; [simpl; tauto|]. intros [<-|I].
         ++ destruct (F f (or_introl eq_refl)) as [V Bf]. split; [exact V|]. intros x. specialize (Bf x). lra.
         ++ apply (IH fs); [|exact I]. intros g G. apply F. now right.
- now apply measurable_sum.
- apply measurable_limit with (fun m xs => f m (chosen arms xs)) c; auto.
  + intros m xs L. apply B. now apply chosen_length.
  + intros xs L. apply C. now apply chosen_length.
Qed.

Lemma times_combine a arms (xs : list W) : length xs = length arms -> times a (combine arms xs) = count_occ Nat.eq_dec arms a.
Proof.
intros E. unfold times. f_equal. revert xs E. induction arms as [|b arms IH]; intros [|x xs] E; simpl in *; try discriminate; auto.
rewrite IH by lia. reflexivity.
Qed.

Lemma or_arm_0_measurable (running : nat -> bool) a p b : (b < S K)%nat ->
  (forall c, (c < K)%nat -> measurable_on_histories (fun h : seen W => p h c)) ->
  measurable_on_histories (fun h => or_arm_0 (running (times a h)) (p (without_arm_0 h)) b).
Proof.
intros L M arms. set (r := running (count_occ Nat.eq_dec arms a)).
apply measurable_same with (fun xs => or_arm_0 r (p (combine (arms_of_pi arms) (chosen arms xs))) b).
- intros xs E. now rewrite without_combine, times_combine.
- destruct b as [|b]; simpl; [apply measurable_const|]. destruct r; [|apply measurable_const].
  apply (measurable_chosen arms (fun ys => p (combine (arms_of_pi arms) ys) b)). apply M. lia.
Qed.

Lemma outcome_measurable event : measurable_policy pi -> measurable_on_histories (outcome W (S K) ES event).
Proof.
intros M arms. unfold outcome. apply measurable_sum_to. intros b L. apply measurable_times.
- apply (or_arm_0_measurable (fun m => Nat.eqb m 0) 0 (recommend pi) b L). intros c C. now apply M.
- apply measurable_same with (2 := measurable_const W _ (if event (b :: arms) then 1 else 0)). intros xs E.
  replace (map fst (combine arms xs)) with arms; [reflexivity|].
  revert xs E. clear. induction arms as [|b arms IH]; intros [|x xs] E; simpl in *; try discriminate; auto. f_equal. apply IH. lia.
Qed.

Lemma chance_is_measurable (u : nat -> probability_measure W) T event : closed_under_limits W ->
  (forall a, (a < K)%nat -> bounded_convergence (u a)) -> measurable_policy pi ->
  chance_measurable W (S K) ES (with_arm_0 nothing (by_instance u)) T event.
Proof.
intros limits V M. unfold chance_measurable.
apply (proj2 (run_is_measurable W (S K) (pick ES) (fun b => match b with O => point_mass nothing | S a => u a end) limits
  ltac:(intros [|a] L; [intros f g c _ _ H; apply H|apply V; lia])
  ltac:(intros b L; apply (or_arm_0_measurable (fun m => Nat.ltb m n) (S iota) (pick pi) b L); intros c C; now apply M)
  T (outcome W (S K) ES event) [] (outcome_measurable event M)) [] eq_refl).
Qed.
End EarlyStopping.

Theorem lemma_4_5_any_law (W : sample_space) (nothing : W) K (pi : bai_policy W K) T n iota eps
  (v w : nat -> probability_measure W) q :
  closed_under_limits W -> (forall a, (a < K)%nat -> bounded_convergence (v a) /\ bounded_convergence (w a)) ->
  measurable_policy pi -> (iota < K)%nat -> 0 <= eps -> private_on_tables nothing eps (early_stopping n iota pi) T ->
  (forall a, (a < K)%nat -> a <> iota -> v a = w a) -> total_variation_at_most (v iota) (w iota) q ->
  forall event, chance W (S K) (early_stopping n iota pi) (with_arm_0 nothing (by_instance v)) T event <=
    (1 + q * (exp eps - 1)) ^ n * chance W (S K) (early_stopping n iota pi) (with_arm_0 nothing (by_instance w)) T event.
Proof.
intros limits V M iK E DP same close event. assert (e1 : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
set (D := fun u b => match b with O => point_mass nothing | S a => u a end : probability_measure W).
assert (Mv := chance_is_measurable W nothing K n iota pi v T event limits (fun a L => proj1 (V a L)) M).
assert (Mw := chance_is_measurable W nothing K n iota pi w T event limits (fun a L => proj2 (V a L)) M).
assert (H := rewards_change W (S K) (early_stopping n iota pi) nothing T n (S iota) (D v) (D w) event q (exp eps - 1)
  ltac:(discriminate) ltac:(lia) ltac:(lra) eq_refl).
assert (Same : forall a, (a < S K)%nat -> a <> S iota -> D v a = D w a).
{ intros [|a] L N; [reflexivity|]. apply same; lia. }
assert (Stops : forall h : seen W, (n <= times (S iota) h)%nat -> pick (early_stopping n iota pi) h (S iota) = 0).
{ intros h L. simpl. destruct (Nat.ltb_spec (times (S iota) h) n); [lia|reflexivity]. }
assert (Private : forall x y m, (forall a k, ~ (a = S iota /\ k = m) -> x a k = y a k) -> (forall k, x O k = nothing) ->
  forall event, chance W (S K) (early_stopping n iota pi) (by_table x) T event <=
    (1 + (exp eps - 1)) * chance W (S K) (early_stopping n iota pi) (by_table y) T event).
{ intros x y m xy zero event'. replace (1 + (exp eps - 1)) with (exp eps) by ring.
  assert (Arm : forall x : reward_table W, (forall k, x O k = nothing) ->
    by_table x = with_arm_0 nothing (by_table (fun a k => x (S a) k))).
  { intros u zero'. same_function. intros h. same_function. intros [|a]; unfold by_table; simpl; [now rewrite zero'|].
    now rewrite times_without. }
  rewrite (Arm x zero), (Arm y). 2: { intros k. rewrite <- xy; [apply zero|]. intros [A _]. discriminate. }
  apply DP. exists iota, m. intros a k N. apply xy. intros [A B]. apply N. split; [now inversion A|exact B]. }
specialize (H Same close Stops Private T [] ltac:(simpl; lia) ltac:(constructor) Mv Mw).
simpl weight in H. rewrite !Rmult_1_l, Nat.sub_0_r in H. exact H.
Qed.

(** (21) itself, for eps at most 2.9 *)

Lemma exp_29 : exp (29 / 10) <= 184 / 10.
Proof.
assert (D : forall a b x, 0 <= a <= exp (- x) -> 0 <= b -> b <= a * a -> 0 <= b <= exp (- (2 * x))).
{ intros a b x A B L. split; [exact B|]. apply Rle_trans with (1 := L).
  replace (- (2 * x)) with (- x + - x) by ring. rewrite exp_plus. apply Rmult_le_compat; lra. }
assert (H : 0 <= 9943359 / 10000000 <= exp (- (29 / 5120))) by (assert (A := exp_ineq1_le (- (29 / 5120))); lra).
apply (D _ (9887038 / 10000000)) in H; [|lra|lra]. apply (D _ (9775352 / 10000000)) in H; [|lra|lra].
apply (D _ (9555750 / 10000000)) in H; [|lra|lra]. apply (D _ (9131235 / 10000000)) in H; [|lra|lra].
apply (D _ (8337945 / 10000000)) in H; [|lra|lra]. apply (D _ (6952132 / 10000000)) in H; [|lra|lra].
apply (D _ (4833213 / 10000000)) in H; [|lra|lra]. apply (D _ (2335994 / 10000000)) in H; [|lra|lra].
apply (D _ (545686 / 10000000)) in H; [|lra|lra].
match type of H with _ <= _ <= exp (- ?x) => replace x with (29 / 10) in H by field end.
assert (P := exp_pos (29 / 10)). assert (One : exp (29 / 10) * exp (- (29 / 10)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
nra.
Qed.

Lemma exp_below_6 eps : 0 <= eps <= 29 / 10 -> exp eps - 1 <= 6 * eps.
Proof.
intros E. assert (C := exp_chord (eps / (29 / 10)) (29 / 10) ltac:(lra)).
replace (eps / (29 / 10) * (29 / 10)) with eps in C by field.
assert (X := exp_29). assert (P := exp_pos (29 / 10)). nra.
Qed.

Theorem lemma_4_5_repaired (W : sample_space) (nothing : W) K (pi : bai_policy W K) T n iota eps
  (v w : nat -> probability_measure W) q :
  closed_under_limits W -> (forall a, (a < K)%nat -> bounded_convergence (v a) /\ bounded_convergence (w a)) ->
  measurable_policy pi -> (iota < K)%nat -> 0 <= eps <= 29 / 10 -> private_on_tables nothing eps (early_stopping n iota pi) T ->
  (forall a, (a < K)%nat -> a <> iota -> v a = w a) -> total_variation_at_most (v iota) (w iota) q ->
  forall event, chance W (S K) (early_stopping n iota pi) (with_arm_0 nothing (by_instance v)) T event <=
    exp (6 * eps * INR n * q) * chance W (S K) (early_stopping n iota pi) (with_arm_0 nothing (by_instance w)) T event.
Proof.
intros limits V M iK E DP same close event.
apply Rle_trans with (1 := lemma_4_5_any_law W nothing K pi T n iota eps v w q limits V M iK (proj1 E) DP same close event).
assert (Q := q_positive W _ _ q close). assert (Six := exp_below_6 eps E).
assert (e1 : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
apply Rmult_le_compat_r.
- assert (Mw := chance_is_measurable W nothing K n iota pi w T event limits (fun a L => proj2 (V a L)) M).
  apply (run_inside W (S K) _ (pick_chooses (early_stopping n iota pi)) _ T [] _ 0 1); [intros; apply outcome_inside|exact Mw].
- apply Rle_trans with (exp (6 * eps * q) ^ n).
  + apply pow_incr. split; [assert (0 <= q * (exp eps - 1)) by (apply Rmult_le_pos; lra); lra|].
    apply Rle_trans with (exp (q * (exp eps - 1))); [apply exp_ineq1_le|]. apply exp_le.
    replace (6 * eps * q) with (q * (6 * eps)) by ring. now apply Rmult_le_compat_l.
  + rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. right. f_equal. ring.
Qed.

(** * The hypotheses can hold together *)

Lemma tosses_closed : closed_under_limits one_toss.
Proof. intros f g _ _. exact I. Qed.

Lemma coin_convergence p inside : bounded_convergence (coin p inside).
Proof.
intros f g c _ _ L. cbn [mean coin].
apply is_lim_seq_plus'; [exact (is_lim_seq_scal_l _ p _ (L true))|exact (is_lim_seq_scal_l _ (1 - p) _ (L false))].
Qed.

Lemma half_in : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Lemma quarter_in : 0 <= 1 / 4 <= 1. Proof. lra. Qed.

(* One toss decides whether the second arm is recommended, after a pull of the first one: it reveals at most ln 3. *)
Definition asks (h : seen one_toss) : R := match h with (O, true) :: _ => 3 / 4 | _ => 1 / 4 end.
Definition responding_policy : bai_policy one_toss 2.
Proof.
exists (fun _ a => if Nat.eqb a 0 then 1 else 0)
  (fun h a => match a with O => 1 - asks h | S O => asks h | _ => 0 end).
- intros h. split; [intros a; destruct (Nat.eqb a 0); lra|simpl; ring].
- intros h. assert (A : 1 / 4 <= asks h <= 3 / 4) by (destruct h as [|[[|a] []] h]; simpl; lra).
  split; [intros [|[|a]]; lra|simpl; ring].
Defined.

Lemma asks_measurable : measurable_on_histories asks.
Proof.
intros [|[|a] arms]; simpl length.
- apply measurable_same with (2 := measurable_const one_toss 0 (1 / 4)). now intros [|x xs] E.
- set (answer := fun x : bool => if x then 3 / 4 else 1 / 4).
  apply measurable_same with (product_of (answer :: repeat (fun _ : one_toss => 1) (length arms))).
  + intros [|x xs] E; [discriminate|]. simpl. assert (One : forall m (ys : list one_toss), product_of (repeat (fun _ => 1) m) ys = 1).
    { induction m as [|m IH]; intros [|y ys]; simpl; auto. rewrite IH. ring. }
    rewrite One. unfold answer. destruct x; ring.
  + apply measurable_product with 1; [simpl; now rewrite repeat_length|]. intros f [<-|I0]; split; try exact I.
    * intros x. unfold answer. destruct x; rewrite Rabs_right; lra.
    * intros x. rewrite (repeat_spec _ _ _ I0), Rabs_R1. lra.
- apply measurable_same with (2 := measurable_const one_toss _ (1 / 4)). now intros [|x xs] E.
Qed.

Lemma responding_measurable : measurable_policy responding_policy.
Proof.
intros a L. split; intros arms; simpl; [apply (measurable_const one_toss)|].
destruct a as [|[|a]]; [|apply asks_measurable|lia].
apply measurable_same with (2 := measurable_sum one_toss _ 1 (- 1) _ _ (measurable_const one_toss _ 1) (asks_measurable arms)).
intros xs _. simpl. ring.
Qed.

Lemma responding_private : private_on_tables (W := one_toss) false (ln 3) (early_stopping 1 0 responding_policy) 1.
Proof.
assert (Chance : forall (x : reward_table one_toss) event,
  chance one_toss 3 (early_stopping 1 0 responding_policy) (with_arm_0 (W := one_toss) false (by_table x)) 1 event =
  (if event [1%nat; 1%nat] then 1 - (if x O O then 3 / 4 else 1 / 4) else 0) +
  (if event [2%nat; 1%nat] then (if x O O then 3 / 4 else 1 / 4) else 0)).
{ intros x event. unfold chance, outcome. simpl. unfold times. simpl.
  destruct (x O O), (event [1%nat; 1%nat]), (event [2%nat; 1%nat]); simpl; ring. }
intros x y _ event. rewrite !Chance, exp_ln by lra.
destruct (x O O), (y O O), (event [1%nat; 1%nat]), (event [2%nat; 1%nat]); lra.
Qed.

Definition other_coin (a : nat) : probability_measure one_toss := if Nat.eqb a 0 then coin (1 / 4) quarter_in else coin (1 / 2) half_in.

Lemma other_coin_close : total_variation_at_most (coin (1 / 2) half_in) (other_coin 0) (1 / 4).
Proof. intros A _. simpl. destruct (A true), (A false); lra. Qed.

Lemma lemma_4_5_any_law_witness : satisfiable lemma_4_5_any_law.
Proof.
exists one_toss, false, 2%nat, responding_policy, 1%nat, 1%nat, 0%nat, (ln 3), (fun _ => coin (1 / 2) half_in), other_coin, (1 / 4).
assert (l3 : 0 <= ln 3) by (rewrite <- ln_1; apply ln_le; lra).
split; [exact tosses_closed|]. split; [intros [|a] _; split; apply coin_convergence|]. split; [exact responding_measurable|].
split; [lia|]. split; [exact l3|]. split; [exact responding_private|]. split; [now intros [|a] _ N|].
split; [exact other_coin_close|]. now exists (fun _ => true).
Qed.

Lemma lemma_4_5_repaired_witness : satisfiable lemma_4_5_repaired.
Proof.
exists one_toss, false, 2%nat, responding_policy, 1%nat, 1%nat, 0%nat, (ln 3), (fun _ => coin (1 / 2) half_in), other_coin, (1 / 4).
assert (l3 : 0 <= ln 3 <= 29 / 10) by (split; [rewrite <- ln_1; apply ln_le; lra|assert (L := ln_below 3 1 ltac:(lra) ltac:(lra)); rewrite ln_1 in L; lra]).
split; [exact tosses_closed|]. split; [intros [|a] _; split; apply coin_convergence|]. split; [exact responding_measurable|].
split; [lia|]. split; [exact l3|]. split; [exact responding_private|]. split; [now intros [|a] _ N|].
split; [exact other_coin_close|]. now exists (fun _ => true).
Qed.
