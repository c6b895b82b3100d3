(* The binary tree mechanism, a tree for every arm: all of its noisy sums are released, and arms are chosen from them.
   An item lies in one sum of each level at most, so that it costs as many shares as there are levels. Tables say what
   pulls pay, or what rounds pay: neighbours differ in one pull, or at one timestep. *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From Dpbandits Require Import moments rewards densities laplace noisy_means.
Import ListNotations.
Open Scope R_scope.

(** * Which sums hold an item *)
(* How often n >= 1 can be halved: the level of the p-sum that the n-th item completes. *)
Fixpoint halvings (fuel n : nat) : nat :=
  match fuel with O => 0 | S f => if Nat.even n then S (halvings f (Nat.div2 n)) else 0 end.
Definition level (n : nat) : nat := halvings n n.
(* It is the sum of the last 2^level items: whether item m is one of them. *)
Definition covers (n m : nat) : bool := Nat.ltb (n - 2 ^ level n) m && Nat.leb m n.

Lemma halvings_odd fuel n : (1 <= n <= fuel)%nat -> exists q, n = (2 ^ halvings fuel n * (2 * q + 1))%nat.
Proof.
revert n. induction fuel as [|f IH]; intros n L; [lia|]. simpl. destruct (Nat.even n) eqn:E.
- apply Nat.even_spec in E. destruct E as (k & ->). rewrite Nat.div2_double.
  destruct (IH k) as (q & Q); [lia|]. exists q. simpl. nia.
- assert (O : Nat.odd n = true) by now rewrite <- Nat.negb_even, E. apply Nat.odd_spec in O. destruct O as (k & ->).
  exists k. simpl. lia.
Qed.

Lemma level_odd n : (1 <= n)%nat -> exists q, n = (2 ^ level n * (2 * q + 1))%nat.
Proof. intros L. apply halvings_odd. lia. Qed.

Lemma covers_spec n m : (1 <= n)%nat -> covers n m = true ->
  exists q, n = (2 ^ level n * (2 * q + 1))%nat /\ (2 ^ level n * (2 * q) < m <= 2 ^ level n * (2 * q + 1))%nat.
Proof.
intros L C. destruct (level_odd n L) as (q & Q). exists q. split; [exact Q|]. unfold covers in C.
apply andb_prop in C. destruct C as [C C']. apply Nat.ltb_lt in C. apply Nat.leb_le in C'. revert C C' Q.
generalize (2 ^ level n)%nat. intros p C C' ->. nia.
Qed.

(* One sum of each level. *)
Lemma covers_once n n' m : (1 <= n)%nat -> (1 <= n')%nat -> covers n m = true -> covers n' m = true ->
  level n = level n' -> n = n'.
Proof.
intros L L' C C' E. destruct (covers_spec n m L C) as (q & Q & I). destruct (covers_spec n' m L' C') as (q' & Q' & I').
rewrite <- E in Q', I'. revert Q Q' I I'. generalize (2 ^ level n)%nat. intros p -> -> I I'.
assert (q = q' \/ q < q' \/ q' < q)%nat as [->|[H|H]] by lia; [reflexivity|nia|nia].
Qed.

Lemma level_at_most n N : (1 <= n <= N)%nat -> (level n <= Nat.log2 N)%nat.
Proof.
intros L. destruct (level_odd n) as (q & Q); [lia|].
apply Nat.le_trans with (Nat.log2 n); [|apply Nat.log2_le_mono; lia].
apply Nat.log2_le_pow2; [lia|]. rewrite Q at 2. nia.
Qed.

(* The first item alone lies in a sum of each level. *)
Lemma covers_misses n m : (1 <= n)%nat -> (2 <= m)%nat -> covers n m = true -> level n <> level (m - 1).
Proof.
intros L M C E. destruct (covers_spec n m L C) as (q & _ & I). destruct (level_odd (m - 1)) as (k & K); [lia|].
rewrite <- E in K. revert K I. generalize (2 ^ level n)%nat. intros p K I.
assert (k < q \/ q <= k)%nat as [H|H] by lia; nia.
Qed.

Lemma covers_first n : (1 <= n)%nat -> covers n 1 = true -> n = (2 ^ level n)%nat.
Proof.
intros L C. destruct (covers_spec n 1 L C) as (q & Q & I). assert (P := Nat.pow_nonzero 2 (level n) ltac:(lia)).
destruct q; [lia|]. exfalso. revert I P. generalize (2 ^ level n)%nat. intros p I P. nia.
Qed.

Lemma covers_later n m : covers n m = true -> (m <= n)%nat.
Proof. unfold covers. intros C. apply andb_prop in C. now apply Nat.leb_le. Qed.

Lemma sum_without (g : nat -> R) l a : NoDup l -> In a l -> sum g l = g a + sum g (remove Nat.eq_dec a l).
Proof.
intros D. induction D as [|b l N D IH]; [now intros []|]. intros I. simpl. destruct (Nat.eq_dec a b) as [->|F].
- rewrite notin_remove by exact N. reflexivity.
- destruct I as [<-|I]; [now destruct F|]. simpl. rewrite (IH I). ring.
Qed.

Lemma remove_different (a : nat) l : NoDup l -> NoDup (remove Nat.eq_dec a l).
Proof.
induction 1 as [|b l N D IH]; simpl; [constructor|]. destruct (Nat.eq_dec a b); [exact IH|]. constructor; [|exact IH].
intros I. apply in_remove in I. tauto.
Qed.

Lemma sum_positive (g : nat -> R) l : (forall i, 0 <= g i) -> 0 <= sum g l.
Proof. intros P. induction l as [|a l IH]; simpl; [lra|]. generalize (P a); lra. Qed.

Lemma sum_included (g : nat -> R) l s : (forall i, 0 <= g i) -> NoDup l -> NoDup s -> incl l s -> sum g l <= sum g s.
Proof.
intros P D. revert s. induction D as [|a l N D IH]; intros s S I; simpl; [now apply sum_positive|].
rewrite (sum_without g s a S) by (apply I; now left). apply Rplus_le_compat_l. apply IH.
- now apply remove_different.
- intros b B. apply in_in_remove; [intros ->; contradiction|]. apply I. now right.
Qed.

(* What item m costs, in shares, is w n in each sum that holds it: at most g of the levels, one of each. *)
Definition weight (w : nat -> R) (m c k : nat) : R := sum (fun n => if covers n m then w n else 0) (seq (S c) k).

Lemma weight_levels w g m N s : (forall i, 0 <= g i) -> NoDup s ->
  (forall n, (1 <= n <= N)%nat -> covers n m = true -> w n <= g (level n) /\ In (level n) s) ->
  weight w m 0 N <= sum g s.
Proof.
intros G S H. set (holding := filter (fun n => covers n m) (seq 1 N)).
assert (In0 : forall n, In n holding -> (1 <= n <= N)%nat /\ covers n m = true).
{ intros n I. apply filter_In in I. destruct I as [I C]. apply in_seq in I. split; [lia|exact C]. }
apply Rle_trans with (sum g (map level holding)).
- assert (L : forall l, (forall n, In n l -> (1 <= n <= N)%nat) ->
    sum (fun n => if covers n m then w n else 0) l <= sum g (map level (filter (fun n => covers n m) l))).
  { intros l. induction l as [|n l IH]; simpl; intros B; [lra|].
    assert (R := IH (fun k I => B k (or_intror I))). destruct (covers n m) eqn:C; simpl; [|lra].
    generalize (proj1 (H n (B n (or_introl eq_refl)) C)). lra. }
  apply L. intros n I. apply in_seq in I. lia.
- apply sum_included; auto.
  + assert (D : NoDup holding) by apply NoDup_filter, seq_NoDup.
    revert In0 D. generalize holding. intros l B D. induction D as [|n l N0 D IH]; simpl; [constructor|].
    constructor; [|apply IH; intros k I; apply B; now right]. intros I. apply in_map_iff in I.
    destruct I as (k & E & K). destruct (B n (or_introl eq_refl)) as [B1 C1], (B k (or_intror K)) as [B2 C2].
    assert (n = k) by (apply (covers_once n k m); auto; lia). now subst.
  + intros i I. apply in_map_iff in I. destruct I as (n & <- & I). destruct (In0 n I) as [B C]. now apply (H n B C).
Qed.

Lemma sum_ones l : sum (fun _ : nat => 1) l = INR (length l).
Proof. induction l as [|a l IH]; [reflexivity|]. simpl sum. simpl length. rewrite S_INR, IH. ring. Qed.

Lemma weight_all w m N : (1 <= N)%nat -> (forall n, (m <= n)%nat -> w n <= 1) -> weight w m 0 N <= INR (S (Nat.log2 N)).
Proof.
intros L W. rewrite <- (seq_length (S (Nat.log2 N)) 0), <- sum_ones.
apply weight_levels; [intros; lra|apply seq_NoDup|].
intros n B C. split; [apply W; now apply covers_later|]. apply in_seq. generalize (level_at_most n N B). lia.
Qed.

Lemma weight_later w m N : (1 <= N)%nat -> (2 <= m)%nat -> (forall n, (m <= n)%nat -> w n <= 1) ->
  weight w m 0 N <= INR (Nat.log2 N).
Proof.
intros L M W. set (s := seq 0 (S (Nat.log2 N))). set (i := level (m - 1)).
destruct (le_lt_dec m N) as [Here|Far].
- assert (I : In i s). { apply in_seq. generalize (level_at_most (m - 1) N ltac:(lia)). unfold i. lia. }
  assert (E := sum_without (fun _ => 1) s i (seq_NoDup _ _) I). rewrite sum_ones in E. unfold s at 1 in E.
  rewrite seq_length, S_INR in E.
  replace (INR (Nat.log2 N)) with (sum (fun _ : nat => 1) (remove Nat.eq_dec i s)) by lra.
  apply weight_levels; [intros; lra|apply remove_different, seq_NoDup|]. intros n B C.
  split; [apply W; now apply covers_later|]. apply in_in_remove.
  + apply covers_misses; auto; lia.
  + apply in_seq. generalize (level_at_most n N B). lia.
- apply Rle_trans with (sum (fun _ : nat => 1) []); [|simpl; apply pos_INR].
  apply weight_levels; [intros; lra|constructor|]. intros n B C. apply covers_later in C. lia.
Qed.

(** * Algorithm 2: the p-sums *)
Section Stream.
Variable x : nat -> R. (* the n-th item, n from 1 *)

(* alpha_j after n items, and the sum of those with j < i: lines 6 to 10. *)
Fixpoint below (alpha : nat -> R) (i : nat) : R := match i with O => 0 | S i' => alpha i' + below alpha i' end.
Fixpoint p_sums (n : nat) : nat -> R :=
  match n with
  | O => fun _ => 0
  | S n' => fun j => if Nat.ltb j (level n) then 0
      else if Nat.eqb j (level n) then below (p_sums n') (level n) + x n else p_sums n' j
  end.
Definition p_sum (n : nat) : R := p_sums n (level n).

Lemma below_next alpha i : below alpha (S i) = alpha i + below alpha i.
Proof. reflexivity. Qed.
Lemma p_sums_next n j : p_sums (S n) j = if Nat.ltb j (level (S n)) then 0
  else if Nat.eqb j (level (S n)) then below (p_sums n) (level (S n)) + x (S n) else p_sums n j.
Proof. reflexivity. Qed.

(* The sum of the last k of n items. *)
Fixpoint last_items (n k : nat) : R := match k with O => 0 | S k' => x (n - k') + last_items n k' end.

Lemma last_items_next n k : last_items (S n) (S k) = last_items n k + x (S n).
Proof.
induction k as [|k IH]; [simpl; ring|].
change (last_items (S n) (S (S k))) with (x (S n - S k) + last_items (S n) (S k)).
rewrite IH. simpl. ring.
Qed.

Lemma mod_next n i : let l := level (S n) in
  ((i <= l)%nat -> (S n mod 2 ^ i = 0 /\ n mod 2 ^ i = 2 ^ i - 1)%nat) /\
  ((l < i)%nat -> (S n mod 2 ^ i = S (n mod 2 ^ i))%nat).
Proof.
intros l. destruct (level_odd (S n)) as (q & Q); [lia|]. fold l in Q. split; intros H.
- assert (P := Nat.pow_nonzero 2 i ltac:(lia)).
  assert (E : (2 ^ l = 2 ^ i * 2 ^ (l - i))%nat) by (rewrite <- Nat.pow_add_r; f_equal; lia). rewrite E in Q.
  set (c := (2 ^ (l - i) * (2 * q + 1))%nat) in *. assert (K : S n = (c * 2 ^ i)%nat) by (rewrite Q; unfold c; ring).
  assert (C : (1 <= c)%nat) by (destruct c; lia). split; [rewrite K; now apply Nat.mod_mul|].
  symmetry. apply (Nat.mod_unique n (2 ^ i) (c - 1)); [lia|]. nia.
- assert (P := Nat.pow_nonzero 2 l ltac:(lia)).
  assert (E : (2 ^ i = 2 ^ l * (2 * 2 ^ (i - l - 1)))%nat).
  { rewrite Nat.mul_assoc, (Nat.mul_comm (2 ^ l) 2), <- Nat.pow_succ_r', <- Nat.pow_add_r. f_equal. lia. }
  set (r := (2 ^ (i - l - 1))%nat) in *. assert (R0 : (r <> 0)%nat) by (apply Nat.pow_nonzero; lia).
  assert (D := Nat.div_mod q r R0). assert (M := Nat.mod_upper_bound q r R0).
  set (e := (q / r)%nat) in *. set (f := (q mod r)%nat) in *. set (p := (2 ^ l)%nat) in *.
  assert (K : (S n = 2 ^ i * e + p * (2 * f + 1))%nat) by (rewrite Q, E, D; ring).
  assert (B : (p * (2 * f + 1) < 2 ^ i)%nat) by (rewrite E; nia). assert (1 <= p * (2 * f + 1))%nat by nia.
  rewrite <- (Nat.mod_unique (S n) (2 ^ i) e (p * (2 * f + 1)) B K).
  rewrite <- (Nat.mod_unique n (2 ^ i) e (p * (2 * f + 1) - 1)); lia.
Qed.

(* All p-sums below level i hold the last n mod 2^i items. *)
Lemma below_items n i : below (p_sums n) i = last_items n (n mod 2 ^ i).
Proof.
revert i. induction n as [|n IH]; intros i.
{ rewrite Nat.mod_0_l by (apply Nat.pow_nonzero; lia). simpl last_items.
  change (p_sums 0) with (fun _ : nat => 0). induction i as [|i Q]; simpl below; [reflexivity|]. rewrite Q. ring. }
set (l := level (S n)). assert (Low : forall k, (k <= l)%nat -> below (p_sums (S n)) k = 0).
{ induction k as [|k Q]; intros H; [reflexivity|]. rewrite below_next, Q by lia. rewrite p_sums_next. fold l.
  destruct (Nat.ltb_spec k l); [ring|lia]. }
destruct (le_lt_dec i l) as [H|H].
- rewrite (Low i H). now rewrite (proj1 (proj1 (mod_next n i) H)).
- rewrite (proj2 (mod_next n i) H), last_items_next, <- IH.
  assert (Zero : p_sums n l = 0).
  { assert (E := IH (S l)). rewrite below_next, IH in E. destruct (proj1 (mod_next n l) (le_n _)) as [_ M].
    assert (M' := proj2 (mod_next n (S l)) (Nat.lt_succ_diag_r _)). revert E.
    replace (n mod 2 ^ S l)%nat with (n mod 2 ^ l)%nat; [intros; lra|].
    destruct (level_odd (S n)) as (q & Q); [lia|]. fold l in Q.
    assert (P := Nat.pow_nonzero 2 l ltac:(lia)). rewrite M. apply (Nat.mod_unique n (2 ^ S l) q); [simpl; lia|].
    simpl. nia. }
  induction H as [|k H Q].
  + rewrite !below_next, (Low l (le_n _)), Zero, p_sums_next. fold l. rewrite Nat.ltb_irrefl, Nat.eqb_refl. ring.
  + rewrite (below_next (p_sums (S n))), Q, p_sums_next, below_next. fold l. destruct (Nat.ltb_spec k l); [lia|].
    destruct (Nat.eqb_spec k l); [lia|]. ring.
Qed.

(* The n-th item completes the sum of the last 2^level. *)
Theorem p_sum_items n : (1 <= n)%nat -> p_sum n = last_items n (2 ^ level n).
Proof.
intros L. destruct n as [|n]; [lia|]. unfold p_sum. rewrite p_sums_next, Nat.ltb_irrefl, Nat.eqb_refl, below_items.
rewrite (proj2 (proj1 (mod_next n (level (S n))) (le_n _))). assert (P := Nat.pow_nonzero 2 (level (S n)) ltac:(lia)).
replace (2 ^ level (S n))%nat with (S (2 ^ level (S n) - 1)) at 2 by lia. now rewrite last_items_next.
Qed.
End Stream.

(** * The policy, and what it releases *)
Section Trees.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (r : relation) (T : nat).
(* Which arm is pulled after these noisy sums: lines 6 and 13. B_n, and the share eps' of a sum. *)
Variables (choose : outcomes -> A) (bound : nat -> R) (share : R).
Notation table := (A -> nat -> R).

Fixpoint pulls (a : A) (h : outcomes) : nat :=
  match h with [] => 0 | _ :: h' => if same a (choose h') then S (pulls a h') else pulls a h' end.

(* A table says what the n-th pull of an arm pays, or what an arm pays in round n, n from 1. What arm a pays in the round
   after these noisy sums: *)
Definition paid (t : table) (a : A) (h : outcomes) : R :=
  t a (match r with pull => S (pulls a h) | round => S (length h) end).
(* The stream of arm a: what its n-th pull paid, in that round or in an earlier one. *)
Definition is_pull (a : A) (n : nat) (h : outcomes) : bool :=
  if same a (choose h) then Nat.eqb n (S (pulls a h)) else false.
Fixpoint stream (t : table) (a : A) (h : outcomes) (n : nat) : R :=
  if is_pull a n h then paid t a h else match h with [] => 0 | _ :: h' => stream t a h' n end.

(* What it adds: the reward, or 0 beyond the threshold. *)
Definition item (x : nat -> R) (n : nat) : R := if Rle_dec (Rabs (x n)) (bound n) then x n else 0.
(* The noisy p-sum of this pull. *)
Definition noisy_sum (t : table) : densities := fun h =>
  let a := choose h in let n := S (pulls a h) in laplace (2 * bound n / share) (p_sum (item (stream t a h)) n).
Definition all_rounds (h : outcomes) : bool := Nat.leb T (length h).
Definition sums_chance (t : table) (event : outcomes -> bool) : R := chance_of (noisy_sum t) all_rounds event T [].

(* In a table of pulls the stream is the arm's part of it; in a table of rounds it takes a reward of each round in which
   the arm is pulled. *)
Lemma stream_of_pulls t a n : r = pull -> forall h, is_pull a n h = true \/ (1 <= n <= pulls a h)%nat ->
  stream t a h n = t a n.
Proof.
intros R0. assert (Here : forall h, is_pull a n h = true -> paid t a h = t a n).
{ intros h E. unfold is_pull in E. destruct (same a _); [|discriminate]. apply Nat.eqb_eq in E. unfold paid. now rewrite R0, E. }
induction h as [|z h IH]; intros H; cbn [stream].
- destruct (is_pull a n []) eqn:E; [now apply Here|]. destruct H as [H|H]; [discriminate|simpl in H; lia].
- destruct (is_pull a n (z :: h)) eqn:E; [now apply Here|]. destruct H as [H|H]; [discriminate|]. apply IH.
  simpl in H. unfold is_pull. destruct (same a (choose h)); [|now right].
  destruct (Nat.eqb_spec n (S (pulls a h))); [now left|right; lia].
Qed.

Hypotheses (bound_positive : forall n, 0 < bound n) (share_positive : 0 < share).

Lemma sum_proper t h : proper (noisy_sum t h).
Proof.
assert (B : 0 < 2 * bound (S (pulls (choose h) h)) / share).
{ apply Rdiv_lt_0_compat; [|exact share_positive]. generalize (bound_positive (S (pulls (choose h) h))). lra. }
split; [intros z; now apply laplace_positive|now apply laplace_whole].
Qed.

Lemma item_bounded x n : Rabs (item x n) <= bound n.
Proof. unfold item. destruct (Rle_dec _ _); [assumption|]. rewrite Rabs_R0. left. apply bound_positive. Qed.

(* Two streams that differ in their m-th item. *)
Section Items.
Variables (x y : nat -> R) (m : nat).
Hypothesis alike : forall n, n <> m -> x n = y n.

Lemma items_same n k : (forall i, (i < k)%nat -> (n - i)%nat <> m) -> last_items (item x) n k = last_items (item y) n k.
Proof.
induction k as [|k IH]; intros H; simpl; [reflexivity|]. rewrite IH by (intros; apply H; lia). unfold item.
now rewrite (alike (n - k)) by (apply H; lia).
Qed.

Lemma items_moved n k : (k <= n)%nat -> Rabs (last_items (item x) n k - last_items (item y) n k) <= 2 * bound m.
Proof.
assert (B := bound_positive m).
induction k as [|k IH]; intros L; simpl; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
destruct (Nat.eq_dec (n - k) m) as [E|F].
- rewrite (items_same n k) by (intros; lia). assert (X := item_bounded x (n - k)).
  assert (Y := item_bounded y (n - k)). rewrite E in *. revert X Y. split_Rabs; lra.
- assert (E : item x (n - k) = item y (n - k)) by (unfold item; now rewrite (alike (n - k))). rewrite E.
  replace (item y (n - k) + last_items (item x) n k - (item y (n - k) + last_items (item y) n k)) with
    (last_items (item x) n k - last_items (item y) n k) by ring. apply IH. lia.
Qed.

Lemma uncovered_same n : (1 <= n)%nat -> covers n m = false -> p_sum (item x) n = p_sum (item y) n.
Proof.
intros L O. rewrite !p_sum_items by exact L. apply items_same. intros i I E. unfold covers in O.
destruct (level_odd n L) as (q & K). assert (P : (2 ^ level n <= n)%nat) by (rewrite K at 2; nia).
destruct (Nat.ltb_spec (n - 2 ^ level n) m); [|lia]. destruct (Nat.leb_spec m n); [discriminate|lia].
Qed.

Lemma p_sum_moved n : (1 <= n)%nat -> Rabs (p_sum (item x) n - p_sum (item y) n) <= 2 * bound m.
Proof.
intros L. rewrite !p_sum_items by exact L. apply items_moved. destruct (level_odd n L) as (q & K). rewrite K at 2. nia.
Qed.
End Items.

Section Pair.
Variables (t u : table) (j : A) (m N : nat).
(* One reward of one arm differs, or all rewards of one round. *)
Definition hit (h : outcomes) (a : A) : bool :=
  match r with pull => if same a j then Nat.eqb (S (pulls a h)) m else false | round => Nat.eqb (S (length h)) m end.
Hypothesis apart : forall a n, ~ differs A r j m a n -> t a n = u a n.

(* Which pull, of which arm, has read the change, that of the coming round included; and without it. *)
Fixpoint change_now (h : outcomes) : option (A * nat) :=
  match match h with [] => None | _ :: h' => change_now h' end with
  | Some c => Some c
  | None => if hit h (choose h) then Some (choose h, S (pulls (choose h) h)) else None
  end.
Definition change (h : outcomes) : option (A * nat) := match h with [] => None | _ :: h' => change_now h' end.

Lemma change_now_is h : change_now h = match change h with Some c => Some c
  | None => if hit h (choose h) then Some (choose h, S (pulls (choose h) h)) else None end.
Proof. now destruct h. Qed.

(* The change is read once. *)
Lemma read_before h c : change h = Some c -> (m <= match r with pull => pulls j h | round => length h end)%nat.
Proof.
revert c. induction h as [|z h IH]; intros c E; [discriminate|]. simpl change in E. rewrite change_now_is in E.
destruct (change h) as [d|] eqn:F.
- specialize (IH d eq_refl). destruct r; simpl; [destruct (same j (choose h))|]; lia.
- destruct (hit h (choose h)) eqn:H; [|discriminate]. unfold hit in H. destruct r; simpl.
  + destruct (same (choose h) j) as [Q|_]; [|discriminate]. rewrite Q in *. destruct (same j j) as [_|N0]; [|now destruct N0].
    apply Nat.eqb_eq in H. lia.
  + apply Nat.eqb_eq in H. lia.
Qed.

Lemma read_once h c a : change h = Some c -> hit h a = false.
Proof.
intros E. apply read_before in E. unfold hit. destruct r; [destruct (same a j) as [->|_]; [|reflexivity]|]; apply Nat.eqb_neq; lia.
Qed.

Lemma paid_same h a : hit h a = false -> paid t a h = paid u a h.
Proof.
intros H. unfold paid. apply apart. intros [E D]. unfold hit in H. destruct r.
- destruct (same a j) as [_|N0]; [|contradiction]. apply Nat.eqb_neq in H. contradiction.
- apply Nat.eqb_neq in H. contradiction.
Qed.

Lemma stream_same h a n : change_now h <> Some (a, n) -> stream t a h n = stream u a h n.
Proof.
assert (Here : forall h, is_pull a n h = true -> change_now h <> Some (a, n) -> paid t a h = paid u a h).
{ intros g E H. unfold is_pull in E. destruct (same a (choose g)) as [C|_]; [|discriminate]. apply Nat.eqb_eq in E.
  apply paid_same. rewrite change_now_is in H. destruct (change g) as [d|] eqn:F; [now apply read_once with (c := d)|].
  rewrite <- C, <- E in H. destruct (hit g a); [now destruct H|reflexivity]. }
induction h as [|z h IH]; intros H; cbn [stream].
- destruct (is_pull a n []) eqn:E; [now apply Here|reflexivity].
- destruct (is_pull a n (z :: h)) eqn:E; [now apply Here|]. apply IH. intros G. apply H. rewrite change_now_is.
  simpl change. now rewrite G.
Qed.

(* No arm is pulled more than N times; and what one item may cost in all sums. *)
Hypothesis few : forall h, (length h < T)%nat -> (S (pulls (choose h) h) <= N)%nat.
Variable eps : R.
Notation ratio m := (fun n => bound m / bound n).
Hypothesis enough : forall i, share * weight (ratio i) i 0 N <= eps.

Definition cost (h : outcomes) : R :=
  match change_now h with
  | Some (a, i) => if same a (choose h)
      then share * (if covers (S (pulls a h)) i then bound i / bound (S (pulls a h)) else 0) else 0
  | None => 0
  end.
Definition owed (h : outcomes) : R :=
  match change h with
  | Some (a, i) => share * weight (ratio i) i (pulls a h) (N - pulls a h)
  | None => eps
  end.

Lemma ratio_positive i n : 0 < ratio i n.
Proof. apply Rdiv_lt_0_compat; apply bound_positive. Qed.

Lemma weight_positive i c k : 0 <= weight (ratio i) i c k.
Proof. apply sum_positive. intros n. destruct (covers n i); [left; apply ratio_positive|lra]. Qed.

Lemma sum_paid h z : noisy_sum t h z <= exp (cost h) * noisy_sum u h z.
Proof.
unfold noisy_sum, cost. assert (Q := sum_proper u h). destruct Q as [Q _]. specialize (Q z). unfold noisy_sum in Q.
assert (Same : forall x y : nat -> R, (forall n, x n = y n) -> forall n, (1 <= n)%nat -> p_sum (item x) n = p_sum (item y) n).
{ intros x y E n L. now apply (uncovered_same x y 0). }
destruct (change_now h) as [[a i]|] eqn:C.
- destruct (same a (choose h)) as [<-|F].
  + assert (Alike : forall n, n <> i -> stream t a h n = stream u a h n).
    { intros n N0. apply stream_same. rewrite C. intros E. injection E as E. now apply N0. }
    destruct (covers (S (pulls a h)) i) eqn:V.
    * set (n := S (pulls a h)) in *. assert (Bn := bound_positive n).
      assert (S0 : 0 < 2 * bound n / share) by (apply Rdiv_lt_0_compat; lra).
      replace (share * (bound i / bound n)) with (2 * bound i / (2 * bound n / share)) by (field; lra).
      apply laplace_moved; [exact S0|]. apply p_sum_moved; [exact Alike|unfold n; lia].
    * rewrite (uncovered_same _ _ i Alike) by (exact V || lia). rewrite Rmult_0_r, exp_0, Rmult_1_l. lra.
  + rewrite (Same (stream t (choose h) h) (stream u (choose h) h)) by (lia || (intros n; apply stream_same; congruence)).
    rewrite exp_0, Rmult_1_l. lra.
- rewrite (Same (stream t (choose h) h) (stream u (choose h) h)) by (lia || (intros n; apply stream_same; congruence)).
  rewrite exp_0, Rmult_1_l. lra.
Qed.

Lemma weight_split w i c k : weight w i 0 (c + k) = weight w i 0 c + weight w i c k.
Proof.
unfold weight. rewrite seq_app. simpl (1 + c)%nat. generalize (seq (S c) k). intros l.
induction (seq 1 c) as [|n s IH]; simpl; [ring|]. rewrite IH. ring.
Qed.

(* Of what one item may cost, the part of the sums from this pull on. *)
Lemma rest_paid h i : (length h < T)%nat -> let a := choose h in
  share * (if covers (S (pulls a h)) i then bound i / bound (S (pulls a h)) else 0) +
    share * weight (ratio i) i (S (pulls a h)) (N - S (pulls a h)) =
  share * weight (ratio i) i (pulls a h) (N - pulls a h).
Proof.
intros L a. assert (F := few h L). fold a in F. replace (N - pulls a h)%nat with (S (N - S (pulls a h))) by lia.
unfold weight at 2. simpl seq. cbn [sum]. fold (weight (ratio i) i (S (pulls a h)) (N - S (pulls a h))). ring.
Qed.

Lemma left_paid h z : (length h < T)%nat -> cost h + owed (z :: h) <= owed h.
Proof.
intros L. unfold cost, owed. simpl change. rewrite change_now_is. destruct (change h) as [[a i]|] eqn:C.
- simpl pulls. destruct (same a (choose h)) as [E|_]; [|lra]. generalize (rest_paid h i L). cbv zeta. rewrite <- E. lra.
- destruct (hit h (choose h)); [|lra]. set (a := choose h). simpl pulls. fold a.
  destruct (same a a) as [_|N0]; [|now destruct N0].
  apply Rle_trans with (share * weight (ratio (S (pulls a h))) (S (pulls a h)) (pulls a h) (N - pulls a h));
    [right; exact (rest_paid h (S (pulls a h)) L)|].
  assert (F := few h L). fold a in F. set (i := S (pulls a h)) in *.
  assert (W := weight_split (ratio i) i (pulls a h) (N - pulls a h)).
  replace (pulls a h + (N - pulls a h))%nat with N in W by lia.
  assert (P0 := weight_positive i 0 (pulls a h)). assert (G := enough i). nra.
Qed.

Theorem sums_private event : sums_chance t event <= exp eps * sums_chance u event.
Proof.
assert (E0 : 0 <= eps).
{ apply Rle_trans with (2 := enough 0). apply Rmult_le_pos; [lra|apply weight_positive]. }
unfold sums_chance. change (exp eps) with (exp (owed [])).
apply (density_composition _ _ _ _ (sum_proper t) (sum_proper u) cost owed).
- intros h. unfold owed. destruct (change h) as [[a i]|]; [|exact E0]. apply Rmult_le_pos; [lra|apply weight_positive].
- intros h z _. apply sum_paid.
- intros h z E. apply left_paid. now apply Nat.leb_gt.
Qed.
End Pair.
End Trees.

(** * As many shares as levels *)
Theorem trees_private (A : Type) (same : forall a b : A, {a = b} + {a <> b}) r T choose (bound : nat -> R) eps
  (t u : A -> nat -> R) event : (1 <= T)%nat -> 0 < eps -> (forall n, 0 < bound n) ->
  (forall m n, (m <= n)%nat -> bound m <= bound n) -> near A r t u ->
  let chance z := sums_chance A same r T choose bound (eps / INR (S (Nat.log2 T))) z event in
  chance t <= exp eps * chance u.
Proof.
intros L E B Rise (j & m & D). assert (P : 0 < INR (S (Nat.log2 T))) by (apply lt_0_INR; lia).
assert (S0 : 0 < eps / INR (S (Nat.log2 T))) by now apply Rdiv_lt_0_compat.
apply (sums_private A same r T choose bound _ B S0 t u j m T D).
- intros h F. assert (pulls A same choose (choose h) h <= length h)%nat; [|lia].
  generalize (choose h). intros a. clear F.
  induction h as [|z h IH]; simpl; [lia|]. destruct (same a (choose h)); lia.
- intros i. apply Rle_trans with (eps / INR (S (Nat.log2 T)) * INR (S (Nat.log2 T))); [|right; field; lra].
  apply Rmult_le_compat_l; [lra|]. apply weight_all; [exact L|]. intros n M. assert (Bn := B n).
  apply Rmult_le_reg_r with (bound n); [exact Bn|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  generalize (Rise i n M). lra.
Qed.
