(* Random variables with a density, and for each density one of them: Lebesgue's integral with this density on the real
   line is a `probability_measure`. A function is measurable if continuous functions approach it in measure, and
   integrable if they also do so in mean. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments half_planes integral expectation concentration.
Open Scope R_scope.

(* X has the density p: E f(X) is the integral of p f, for every continuous f >= 0 with a finite integral. *)
Definition has_density {S : sample_space} (P : probability_measure S) (X : S -> R) (p : R -> R) :=
  random_variable X /\
  forall f : R -> R, (forall x, continuous f x) -> (forall x, 0 <= f x) -> (exists v, bounds (fun x => p x * f x) v) ->
  has_mean P (fun w => f (X w)) /\ mean P (fun w => f (X w)) = integral (fun x => p x * f x).

(* Natural numbers can be chosen. *)
Lemma nat_choice (Q : nat -> nat -> Prop) : (forall n, exists m, Q n m) -> exists F, forall n, Q n (F n).
Proof.
intros H. assert (D : forall n, {m | Q n m}).
{ intros n. destruct (LPO (Q n) (fun m => Classical_Prop.classic (Q n m))) as [s|N]; [exact s|].
  exfalso. destruct (H n) as (m & M). exact (N m M). }
exists (fun n => proj1_sig (D n)). intros n. exact (proj2_sig (D n)).
Qed.

Lemma nat_above x : exists n, x <= INR n.
Proof.
destruct (Rle_lt_dec x 0) as [H|H]; [now exists O|]. destruct (nfloor_ex x) as (n & _ & N); [lra|].
exists (S n). rewrite S_INR. lra.
Qed.

Lemma half_positive n : 0 < (/ 2) ^ n.
Proof. apply pow_lt. lra. Qed.

Lemma half_below e : 0 < e -> exists n, (/ 2) ^ n <= e.
Proof.
intros E. destruct (pow_lt_1_zero (/ 2) ltac:(rewrite Rabs_right; lra) e E) as (n & N). exists n.
specialize (N n (Nat.le_refl n)). rewrite Rabs_right in N by (left; apply half_positive). lra.
Qed.

(** * z cut off at 0 and 1 *)
Definition cut_off (z : R) : R := (1 + z - Rabs (1 - z) + Rabs (1 + z - Rabs (1 - z))) / 4.

Lemma cut_off_values z : 0 <= cut_off z <= 1 /\ (z <= 0 -> cut_off z = 0) /\ (1 <= z -> cut_off z = 1).
Proof. unfold cut_off. split; [split_Rabs; lra|split; intros; split_Rabs; lra]. Qed.

Lemma cut_off_rises y z : y <= z -> cut_off y <= cut_off z.
Proof. unfold cut_off. intros. split_Rabs; lra. Qed.

Lemma cut_off_steep y z : Rabs (cut_off y - cut_off z) <= Rabs (y - z).
Proof.
assert (H : forall y z, y <= z -> 0 <= cut_off z - cut_off y <= z - y).
{ clear. intros y z L. split; [generalize (cut_off_rises y z L); lra|]. unfold cut_off. split_Rabs; lra. }
destruct (Rle_lt_dec y z) as [L|L].
- specialize (H y z L). rewrite !Rabs_left1; lra.
- specialize (H z y ltac:(lra)). rewrite !Rabs_right; lra.
Qed.

Lemma cut_off_continuous (h : R -> R) x : continuous h x -> continuous (fun x => cut_off (h x)) x.
Proof.
intros H. apply (continuous_comp h cut_off); [exact H|]. set (y := h x). clearbody y.
assert (L : continuous (fun z => 1 + z - Rabs (1 - z)) y).
{ apply (continuous_minus (V := R_NormedModule) (fun z => 1 + z) (fun z => Rabs (1 - z))).
  - apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  - apply (continuous_comp (fun z => 1 - z) Rabs); [|apply continuous_Rabs].
    apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
apply (continuous_mult (K := R_AbsRing) (fun z => 1 + z - Rabs (1 - z) + Rabs (1 + z - Rabs (1 - z))) (fun _ => / 4));
  [|apply continuous_const].
apply (continuous_plus (V := R_NormedModule)); [exact L|].
apply (continuous_comp (fun z => 1 + z - Rabs (1 - z)) Rabs); [exact L|apply continuous_Rabs].
Qed.

Lemma continuous_product (f g : R -> R) x : continuous f x -> continuous g x -> continuous (fun x => f x * g x) x.
Proof. apply (continuous_mult (K := R_AbsRing)). Qed.

Lemma continuous_linear a b (f g : R -> R) x : continuous f x -> continuous g x ->
  continuous (fun x => a * f x + b * g x) x.
Proof.
intros F G. apply (continuous_plus (V := R_NormedModule) (fun x => a * f x) (fun x => b * g x));
  apply continuous_product; auto using continuous_const.
Qed.

Lemma RInt_linear a b (f g : R -> R) x y : (forall x, continuous f x) -> (forall x, continuous g x) ->
  RInt (fun x => a * f x + b * g x) x y = a * RInt f x y + b * RInt g x y.
Proof.
intros F G. assert (I : forall h : R -> R, (forall x, continuous h x) -> ex_RInt h x y)
  by (intros; now apply continuous_integrable).
rewrite (RInt_plus (V := R_CompleteNormedModule) (fun x => a * f x) (fun x => b * g x)).
- now rewrite (RInt_scal (V := R_CompleteNormedModule) f), (RInt_scal (V := R_CompleteNormedModule) g) by now apply I.
- apply I. intros z. apply continuous_product; [apply continuous_const|apply F].
- apply I. intros z. apply continuous_product; [apply continuous_const|apply G].
Qed.

(* Of a function that is 0 outside of [-N, N]. *)
Lemma RInt_inside (f : R -> R) N n : (forall x, continuous f x) -> (forall x, INR N <= Rabs x -> f x = 0) ->
  (N <= n)%nat ->
  RInt f (- INR n) (INR n) = RInt f (- INR N) (INR N).
Proof.
intros C Z L. apply le_INR in L. assert (N0 := pos_INR N).
assert (I : forall x y, ex_RInt f x y) by (intros; now apply continuous_integrable).
assert (Zero : forall x y, x <= y -> (forall z, x < z < y -> INR N <= Rabs z) -> RInt f x y = 0).
{ intros x y H O. transitivity (RInt (fun _ => 0) x y); [|rewrite RInt_const; apply Rmult_0_r].
  apply RInt_ext. intros z. rewrite Rmin_left, Rmax_right by exact H. intros B. now apply Z, O. }
rewrite <- (RInt_Chasles f (- INR n) (- INR N) (INR n)), <- (RInt_Chasles f (- INR N) (INR N) (INR n)) by apply I.
rewrite (Zero (- INR n)), (Zero (INR N)); try lra; try (intros z H; split_Rabs; lra).
unfold plus; simpl. lra.
Qed.

(** * Functions below rising continuous ones, which are given *)
Definition dominated (g : nat -> R -> R) (f : R -> R) (v : R) :=
  rising g /\ covers g f /\ forall n, RInt (g n) (- INR n) (INR n) <= v.

Lemma dominated_bounds g f v : dominated g f v -> bounds f v.
Proof. intros C. now exists g. Qed.

Lemma dominated_weaker g f k v w : dominated g f v -> (forall x, k x <= f x) -> v <= w -> dominated g k w.
Proof.
intros (R & C & V) H L. split; [exact R|]. split.
- intros x c D. apply C. generalize (H x). lra.
- intros n. generalize (V n). lra.
Qed.

Lemma dominated_linear g h f u k a b v w : 0 < a -> 0 < b -> dominated g f v -> dominated h u w ->
  (forall x, k x <= a * f x + b * u x) -> dominated (fun n x => a * g n x + b * h n x) k (a * v + b * w).
Proof.
intros A B (R1 & C1 & V1) (R2 & C2 & V2) H. split; [|split].
- intros n x. destruct (R1 n x) as (D1 & P1 & U1), (R2 n x) as (D2 & P2 & U2).
  split; [now apply continuous_linear|]. split.
  + apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
  + apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
- intros x c L. specialize (H x). set (d := (a * f x + b * u x - c) / 2). assert (D : 0 < d) by (unfold d; lra).
  destruct (C1 x (f x - d / a)) as (n1 & N1).
  { assert (0 < d / a) by now apply Rdiv_lt_0_compat. lra. }
  destruct (C2 x (u x - d / b)) as (n2 & N2).
  { assert (0 < d / b) by now apply Rdiv_lt_0_compat. lra. }
  exists (Nat.max n1 n2). assert (M1 := rising_le g R1 n1 _ x (Nat.le_max_l n1 n2)).
  assert (M2 := rising_le h R2 n2 _ x (Nat.le_max_r n1 n2)).
  apply (Rlt_le_trans _ _ _ N1) in M1. apply (Rlt_le_trans _ _ _ N2) in M2.
  apply (Rmult_lt_compat_l a) in M1; [|exact A]. apply (Rmult_lt_compat_l b) in M2; [|exact B].
  replace (a * (f x - d / a)) with (a * f x - d) in M1 by (field; lra).
  replace (b * (u x - d / b)) with (b * u x - d) in M2 by (field; lra). unfold d in M1, M2. lra.
- intros n. rewrite RInt_linear by (intros; apply R1 || apply R2).
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; [apply V1|apply V2].
Qed.

Lemma bounds_sum f u k v w : bounds f v -> bounds u w -> (forall x, k x <= f x + u x) -> bounds k (v + w).
Proof.
intros (g & G) (h & H) L. replace (v + w) with (1 * v + 1 * w) by ring.
apply (dominated_bounds (fun n x => 1 * g n x + 1 * h n x)), (dominated_linear g h f u); auto; try lra.
intros x. generalize (L x). lra.
Qed.

Lemma sum_to_more n m x : (forall i, 0 <= x i) -> (n <= m)%nat -> sum_to n x <= sum_to m x.
Proof. intros P. induction 1 as [|m _ IH]; [lra|]. simpl. generalize (P m). lra. Qed.

(* Countably many of them. *)
Lemma dominated_series (h : nat -> nat -> R -> R) (f : nat -> R -> R) (v : nat -> R) k e :
  (forall j, dominated (h j) (f j) (v j)) -> (forall n, sum_to n v <= e) ->
  (forall x c, c < k x -> exists n, c < sum_to n (fun j => f j x)) ->
  dominated (fun n x => sum_to n (fun j => h j n x)) k e.
Proof.
intros C V K. assert (C' : forall m n x, continuous (fun x => sum_to m (fun j => h j n x)) x).
{ intros m n x. induction m as [|m IH]; simpl; [apply continuous_const|].
  apply (continuous_plus (V := R_NormedModule)); [exact IH|]. apply (C m). }
assert (P : forall j n x, 0 <= h j n x) by (intros j n x; apply (C j)).
split; [|split].
- intros n x. split; [apply C'|]. split.
  + rewrite <- (Rmult_0_r (INR n)), <- sum_to_const. apply sum_to_le. intros; apply P.
  + apply Rle_trans with (sum_to n (fun j => h j (S n) x)).
    * apply sum_to_le. intros j _. apply (C j).
    * apply sum_to_more; [intros; apply P|lia].
- intros x c L. destruct (K x c L) as (m & M).
  assert (Each : forall m c, c < sum_to m (fun j => f j x) -> exists N, forall n, (N <= n)%nat ->
    c < sum_to m (fun j => h j n x)).
  { clear m M c L. induction m as [|m IH]; simpl; intros c L; [now exists O|].
    set (d := (sum_to m (fun j => f j x) + f m x - c) / 2). assert (D : 0 < d) by (unfold d; lra).
    destruct (IH (sum_to m (fun j => f j x) - d)) as (N & H); [lra|].
    destruct (C m) as (R & Cm & _). destruct (Cm x (f m x - d)) as (N' & H'); [lra|].
    exists (Nat.max N N'). intros n B. specialize (H n ltac:(lia)).
    assert (U := rising_le (h m) R N' n x ltac:(lia)). unfold d in *. lra. }
  destruct (Each m c M) as (N & H). exists (Nat.max N m).
  apply Rlt_le_trans with (1 := H _ (Nat.le_max_l N m)). apply sum_to_more; [intros; apply P|apply Nat.le_max_r].
- intros n. apply Rle_trans with (2 := V n).
  assert (E : forall m, RInt (fun x => sum_to m (fun j => h j n x)) (- INR n) (INR n) =
    sum_to m (fun j => RInt (h j n) (- INR n) (INR n))).
  { induction m as [|m IH]; simpl; [rewrite RInt_const; apply Rmult_0_r|]. rewrite <- IH.
    apply (RInt_plus (V := R_CompleteNormedModule) (fun x => sum_to m (fun j => h j n x)) (h m n));
      apply continuous_integrable; [apply C'|intros; apply (C m)]. }
  rewrite E. apply sum_to_le. intros j _. apply (C j).
Qed.

Lemma dominated_itself (u : R -> R) (v : R) : (forall x, continuous u x) -> (forall x, 0 <= u x) ->
  is_lim_seq (fun n => RInt u (- INR n) (INR n)) v -> dominated (fun _ => u) u v.
Proof.
intros C P L. split; [|split].
- intros n x. split; [apply C|]. generalize (P x). lra.
- intros x c H. now exists O.
- intros n. apply segment_at_most; auto. now apply continuous_bounds.
Qed.

(* 1 on [-N, N], and 0 outside of [-(N+1), N+1]. *)
Definition plateau (N : nat) (x : R) : R := cut_off (INR N + 1 - Rabs x).

Lemma plateau_values N x : 0 <= plateau N x <= 1 /\ (Rabs x <= INR N -> plateau N x = 1) /\
  (INR N + 1 <= Rabs x -> plateau N x = 0).
Proof.
unfold plateau. destruct (cut_off_values (INR N + 1 - Rabs x)) as (I & Z & O). split; [exact I|].
split; intros H; [apply O|apply Z]; lra.
Qed.

Lemma plateau_continuous N x : continuous (plateau N) x.
Proof.
apply (cut_off_continuous (fun x => INR N + 1 - Rabs x)).
apply (continuous_minus (V := R_NormedModule) (fun _ => INR N + 1) Rabs);
  [apply continuous_const|apply continuous_Rabs].
Qed.

Lemma dominated_tail (u : R -> R) (v : R) N : (forall x, continuous u x) -> (forall x, 0 <= u x) ->
  is_lim_seq (fun n => RInt u (- INR n) (INR n)) v ->
  dominated (fun _ x => u x * (1 - plateau N x)) (fun x => u x * (1 - plateau N x)) (v - RInt u (- INR N) (INR N)).
Proof.
intros C P L. set (w x := u x * (1 - plateau N x)).
assert (Cw : forall x, continuous w x).
{ intros x. apply continuous_product; [apply C|].
  apply (continuous_minus (V := R_NormedModule) (fun _ => 1) (plateau N));
    [apply continuous_const|apply plateau_continuous]. }
assert (Pw : forall x, 0 <= w x <= u x).
{ intros x. unfold w. destruct (plateau_values N x) as (B & _). specialize (P x). nra. }
assert (I : forall f : R -> R, (forall x, continuous f x) -> forall x y, ex_RInt f x y)
  by (intros; now apply continuous_integrable).
assert (Below : forall n, RInt u (- INR n) (INR n) <= v).
{ intros n. apply segment_at_most; auto. now apply continuous_bounds. }
assert (Zero : forall x y, - INR N <= x -> x <= y -> y <= INR N -> RInt w x y = 0).
{ intros x y X H Y. transitivity (RInt (fun _ => 0) x y); [|rewrite RInt_const; apply Rmult_0_r].
  apply RInt_ext. intros z. rewrite Rmin_left, Rmax_right by exact H. intros B. enough (H' : w z = 0) by exact H'.
  destruct (plateau_values N z) as (_ & One & _). unfold w. rewrite One; [ring|]. split_Rabs; lra. }
split; [|split].
- intros n x. split; [apply Cw|]. generalize (Pw x). lra.
- intros x c H. now exists O.
- intros n. assert (N0 := pos_INR N). assert (n0 := pos_INR n). destruct (Nat.le_gt_cases n N) as [H|H].
  + apply le_INR in H. rewrite Zero by lra. generalize (Below N). lra.
  + apply lt_INR in H. generalize (Below n).
    rewrite <- (RInt_Chasles w (- INR n) (- INR N) (INR n)), <- (RInt_Chasles w (- INR N) (INR N) (INR n))
      by now apply I.
    rewrite <- (RInt_Chasles u (- INR n) (- INR N) (INR n)), <- (RInt_Chasles u (- INR N) (INR N) (INR n))
      by now apply I.
    rewrite (Zero (- INR N)) by lra.
    assert (RInt w (- INR n) (- INR N) <= RInt u (- INR n) (- INR N))
      by (apply RInt_le; try (now apply I); try lra; intros; apply Pw).
    assert (RInt w (INR N) (INR n) <= RInt u (INR N) (INR n))
      by (apply RInt_le; try (now apply I); try lra; intros; apply Pw).
    unfold plus; simpl. lra.
Qed.

Lemma tail_vanishes (u : nat -> R) (v e : R) : is_lim_seq u v -> 0 < e -> exists N, v - u N <= e.
Proof.
intros L E. destruct (proj2 (is_lim_seq_spec u v) L (mkposreal e E)) as (N & H). exists N.
specialize (H N (Nat.le_refl N)). simpl in H. split_Rabs; lra.
Qed.

(** * Tame functions: continuous ones that are 0 outside of a segment *)
Definition tame (f : R -> R) :=
  (forall x, continuous f x) /\ exists N, forall x, Rabs (f x) <= INR N /\ (INR N <= Rabs x -> f x = 0).

Lemma tame_linear a b f g : tame f -> tame g -> tame (fun x => a * f x + b * g x).
Proof.
intros (C & N & B) (C' & N' & B'). split; [intros; apply continuous_linear; auto|].
destruct (nat_above (Rabs a * INR N + Rabs b * INR N')) as (m & M). exists (Nat.max (Nat.max N N') m). intros x.
specialize (B x). specialize (B' x). assert (L := le_INR _ _ (Nat.le_max_r (Nat.max N N') m)).
assert (L1 := le_INR _ _ (Nat.le_max_l (Nat.max N N') m)).
assert (L2 := le_INR _ _ (Nat.le_max_l N N')). assert (L3 := le_INR _ _ (Nat.le_max_r N N')). split.
- apply Rle_trans with (2 := L). apply Rle_trans with (2 := M). apply Rle_trans with (1 := Rabs_triang _ _).
  rewrite !Rabs_mult. apply Rplus_le_compat; apply Rmult_le_compat_l; try apply Rabs_pos; tauto.
- intros H. rewrite (proj2 B), (proj2 B') by lra. ring.
Qed.

Lemma tame_image (h : R -> R) f : (forall x, continuous h x) -> h 0 = 0 -> tame f -> tame (fun x => h (f x)).
Proof.
intros H Z (C & N & B). split; [intros x; now apply (continuous_comp f h)|].
destruct (bounded_continuity h (- INR N) (INR N)) as (M & HM); [intros; apply H|].
destruct (nat_above M) as (m & L). exists (Nat.max N m). assert (L1 := le_INR _ _ (Nat.le_max_l N m)).
assert (L2 := le_INR _ _ (Nat.le_max_r N m)). intros x. destruct (B x) as (B1 & B2). split.
- assert (H' := HM (f x) ltac:(split_Rabs; lra)). unfold norm in H'; simpl in H'. unfold abs in H'; simpl in H'. lra.
- intros X. rewrite B2 by lra. exact Z.
Qed.

Lemma tame_cut f N : (forall x, continuous f x) -> tame (fun x => f x * plateau N x).
Proof.
intros C. split; [intros x; apply continuous_product; [apply C|apply plateau_continuous]|].
destruct (bounded_continuity f (- (INR N + 1)) (INR N + 1)) as (M & HM); [intros; apply C|].
destruct (nat_above M) as (m & L). exists (Nat.max (S N) m). assert (L1 := le_INR _ _ (Nat.le_max_l (S N) m)).
assert (L2 := le_INR _ _ (Nat.le_max_r (S N) m)). rewrite S_INR in L1. intros x.
destruct (plateau_values N x) as (B & _ & Z). split.
- destruct (Rle_lt_dec (INR N + 1) (Rabs x)) as [H|H].
  + rewrite Z by exact H. rewrite Rmult_0_r, Rabs_R0. apply pos_INR.
  + assert (H' := HM x ltac:(split_Rabs; lra)). unfold norm in H'; simpl in H'. unfold abs in H'; simpl in H'.
    rewrite Rabs_mult, (Rabs_right (plateau N x)) by lra. assert (P := Rabs_pos (f x)). nra.
- intros H. rewrite Z by lra. ring.
Qed.

Lemma positive_part_continuous s x : continuous (fun y => / 2 * Rabs y + s * y) x.
Proof. apply continuous_linear; [apply continuous_Rabs|apply continuous_id]. Qed.

Lemma Rmin_parts a b c : 0 <= b -> 0 <= c -> a <= b + c -> Rmin 1 a <= Rmin 1 b + Rmin 1 c.
Proof. intros. unfold Rmin. repeat destruct (Rle_dec _ _); lra. Qed.

Lemma Rmin_inside a : 0 <= a -> 0 <= Rmin 1 a <= 1 /\ Rmin 1 a <= a.
Proof. intros. unfold Rmin. destruct (Rle_dec 1 a); lra. Qed.

(* 0 up to 1 - 1/2^j, and 1 from 1 on. *)
Definition ascent (j : nat) (y : R) : R := cut_off (1 - 2 ^ j * (1 - y)).

Lemma two_power j : 1 <= 2 ^ j.
Proof. apply pow_R1_Rle. lra. Qed.

Lemma ascent_values j y : 0 <= ascent j y <= 1 /\ (1 <= y -> ascent j y = 1) /\ (1 <= 2 ^ j * (1 - y) ->
  ascent j y = 0).
Proof.
unfold ascent. destruct (cut_off_values (1 - 2 ^ j * (1 - y))) as (I & Z & One). split; [exact I|].
assert (T := two_power j).
split; intros H; [apply One; nra|apply Z; lra].
Qed.

Lemma ascent_0 j : ascent j 0 = 0.
Proof. apply ascent_values. generalize (two_power j). lra. Qed.

Lemma ascent_falls j y : ascent (S j) y <= ascent j y.
Proof.
destruct (Rle_lt_dec 1 y) as [H|H].
- destruct (ascent_values j y) as (_ & -> & _); [|exact H]. apply ascent_values.
- apply cut_off_rises. simpl. generalize (two_power j). nra.
Qed.

Lemma ascent_steep j y z : Rabs (ascent j y - ascent j z) <= 2 ^ j * Rmin 1 (Rabs (y - z)).
Proof.
assert (T := two_power j). unfold Rmin. destruct (Rle_dec 1 (Rabs (y - z))).
- generalize (ascent_values j y) (ascent_values j z). intros. split_Rabs; lra.
- apply Rle_trans with (1 := cut_off_steep _ _).
  replace (1 - 2 ^ j * (1 - y) - (1 - 2 ^ j * (1 - z))) with (2 ^ j * (y - z)) by ring.
  rewrite Rabs_mult, (Rabs_right (2 ^ j)) by lra. lra.
Qed.

Lemma ascent_continuous j x : continuous (ascent j) x.
Proof.
apply (cut_off_continuous (fun y => 1 - 2 ^ j * (1 - y))).
apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
Qed.

(** * A density *)
Section Density.
Variable p : R -> R.
Hypotheses (p_continuous : forall x, continuous p x) (p_positive : forall x, 0 <= p x).
Hypothesis p_whole : is_lim_seq (fun n => RInt p (- INR n) (INR n)) 1.

(* The functions t n approach f in measure. *)
Definition approached (f : R -> R) := exists (t : nat -> R -> R) (g : nat -> nat -> R -> R), forall n,
  tame (t n) /\ dominated (g n) (fun x => p x * Rmin 1 (Rabs (f x - t n x))) ((/ 2) ^ n).

(* And in mean. *)
Definition summable (f : R -> R) := approached f /\ forall e, 0 < e -> exists t, tame t /\
  bounds (fun x => p x * Rabs (f x - t x)) e.

Definition line_mean (f : R -> R) : R :=
  integral (fun x => p x * (/ 2 * Rabs (f x) + / 2 * f x)) - integral (fun x => p x * (/ 2 * Rabs (f x) + - / 2 * f x)).

Lemma weighted_continuous (f : R -> R) : (forall x, continuous f x) -> forall x, continuous (fun x => p x * f x) x.
Proof. intros C x. now apply continuous_product. Qed.

Lemma weighted_positive (f : R -> R) : (forall x, 0 <= f x) -> forall x, 0 <= p x * f x.
Proof. intros P x. now apply Rmult_le_pos. Qed.

Lemma weighted_le x y z : y <= z -> p x * y <= p x * z.
Proof. intros H. now apply Rmult_le_compat_l. Qed.

(** * The mean of tame functions *)

Lemma tame_limit u : tame u -> exists N, forall n, (N <= n)%nat ->
  RInt (fun x => p x * u x) (- INR n) (INR n) = RInt (fun x => p x * u x) (- INR N) (INR N).
Proof.
intros (C & N & B). exists N. intros n L. apply RInt_inside; [now apply weighted_continuous| |exact L].
intros x H. destruct (B x) as (_ & Z). rewrite Z by exact H. ring.
Qed.

Lemma tame_integral u : tame u -> (forall x, 0 <= u x) -> exists N, forall n, (N <= n)%nat ->
  is_lim_seq (fun n => RInt (fun x => p x * u x) (- INR n) (INR n)) (RInt (fun x => p x * u x) (- INR n) (INR n)) /\
  integral (fun x => p x * u x) = RInt (fun x => p x * u x) (- INR n) (INR n).
Proof.
intros T P. destruct (tame_limit u T) as (N & H). exists N. intros n L.
assert (Lim : is_lim_seq (fun n => RInt (fun x => p x * u x) (- INR n) (INR n))
  (RInt (fun x => p x * u x) (- INR n) (INR n))).
{ apply (is_lim_seq_ext_loc (fun _ => RInt (fun x => p x * u x) (- INR n) (INR n))); [|apply is_lim_seq_const].
  exists N. intros m M. now rewrite (H m M), (H n L). }
split; [exact Lim|]. apply integral_continuous; [apply weighted_continuous, T|now apply weighted_positive|exact Lim].
Qed.

Lemma tame_part s f : tame f -> tame (fun x => / 2 * Rabs (f x) + s * f x).
Proof. apply (tame_image (fun y => / 2 * Rabs y + s * y)); [apply positive_part_continuous|]. rewrite Rabs_R0. ring.
Qed.

Lemma part_positive s y : s = / 2 \/ s = - / 2 -> 0 <= / 2 * Rabs y + s * y.
Proof. intros [-> | ->]; split_Rabs; lra. Qed.

Lemma tame_mean f : tame f -> exists N, forall n, (N <= n)%nat ->
  line_mean f = RInt (fun x => p x * f x) (- INR n) (INR n).
Proof.
intros T. destruct (tame_integral _ (tame_part (/ 2) f T)) as (N & H); [intros; apply part_positive; auto|].
destruct (tame_integral _ (tame_part (- / 2) f T)) as (N' & H'); [intros; apply part_positive; auto|].
exists (Nat.max N N'). intros n L. destruct (H n ltac:(lia)) as (_ & E), (H' n ltac:(lia)) as (_ & E').
unfold line_mean. rewrite E, E'. rewrite <- (Rmult_1_l (RInt _ _ _)) at 1.
replace (RInt (fun x => p x * (/ 2 * Rabs (f x) + - / 2 * f x)) (- INR n) (INR n)) with
  (- (- 1 * RInt (fun x => p x * (/ 2 * Rabs (f x) + - / 2 * f x)) (- INR n) (INR n))) by ring.
unfold Rminus. rewrite Ropp_involutive, <- RInt_linear.
- f_equal. same_function. intros x. field.
- intros x. apply weighted_continuous, (tame_part (/ 2) f T).
- intros x. apply weighted_continuous, (tame_part (- / 2) f T).
Qed.

Lemma tame_mean_linear a b f g : tame f -> tame g ->
  line_mean (fun x => a * f x + b * g x) = a * line_mean f + b * line_mean g.
Proof.
intros F G. destruct (tame_mean f F) as (N & E), (tame_mean g G) as (N' & E'),
  (tame_mean _ (tame_linear a b f g F G)) as (N2 & E2). set (n := Nat.max N (Nat.max N' N2)).
rewrite (E n), (E' n), (E2 n) by (unfold n; lia).
rewrite <- RInt_linear by (apply weighted_continuous; apply F || apply G).
f_equal. same_function. intros x. ring.
Qed.

Lemma tame_dominated u : tame u -> (forall x, 0 <= u x) ->
  dominated (fun _ x => p x * u x) (fun x => p x * u x) (line_mean u).
Proof.
intros T P. destruct (tame_integral u T P) as (N & H), (tame_mean u T) as (N' & E).
rewrite (E (Nat.max N N')) by lia. apply (dominated_itself (fun x => p x * u x)).
- apply weighted_continuous, T.
- now apply weighted_positive.
- apply H. lia.
Qed.

Lemma dominated_whole : dominated (fun _ => p) p 1.
Proof. now apply dominated_itself. Qed.

(** * Means *)

Lemma integrals_near u w d v e : (forall x, Rabs (w x - u x) <= d x) -> bounds (fun x => p x * u x) v ->
  bounds (fun x => p x * d x) e ->
  Rabs (integral (fun x => p x * w x) - integral (fun x => p x * u x)) <= e.
Proof.
intros H U D. assert (Near : forall x, w x <= u x + d x /\ u x <= w x + d x).
{ intros x. specialize (H x). split_Rabs; lra. }
assert (Wb : bounds (fun x => p x * w x) (v + e)).
{ apply (bounds_sum _ _ _ _ _ U D). intros x. rewrite <- Rmult_plus_distr_l. apply weighted_le, Near. }
assert (E := integral_at_most _ _ D).
assert (A := integral_sum (fun x => p x * w x) (fun x => p x * u x) (fun x => p x * d x) 1 1 v Rlt_0_1 Rlt_0_1
  ltac:(intros x; rewrite !Rmult_1_l, <- Rmult_plus_distr_l; apply weighted_le, Near) U (ex_intro _ e D)).
assert (B := integral_sum (fun x => p x * u x) (fun x => p x * w x) (fun x => p x * d x) 1 1 (v + e) Rlt_0_1 Rlt_0_1
  ltac:(intros x; rewrite !Rmult_1_l, <- Rmult_plus_distr_l; apply weighted_le, Near) Wb (ex_intro _ e D)).
apply Rabs_le. lra.
Qed.

Lemma line_mean_near f t e : tame t -> bounds (fun x => p x * Rabs (f x - t x)) e ->
  Rabs (line_mean f - line_mean t) <= 2 * e.
Proof.
intros T B. assert (Part : forall s, s = / 2 \/ s = - / 2 ->
  Rabs (integral (fun x => p x * (/ 2 * Rabs (f x) + s * f x)) - integral
    (fun x => p x * (/ 2 * Rabs (t x) + s * t x))) <= e).
{ intros s S. assert (Ts := tame_part s t T). assert (Ps : forall x, 0 <= / 2 * Rabs (t x) + s * t x)
  by (intros; now apply part_positive).
  apply (integrals_near (fun x => / 2 * Rabs (t x) + s * t x) (fun x => / 2 * Rabs (f x) + s * f x)
    (fun x => Rabs (f x - t x))
    (line_mean (fun x => / 2 * Rabs (t x) + s * t x))); [| |exact B].
  - intros x. destruct S as [-> | ->]; split_Rabs; lra.
  - eapply dominated_bounds. now apply tame_dominated. }
assert (A := Part (/ 2) (or_introl eq_refl)). assert (A' := Part (- / 2) (or_intror eq_refl)).
unfold line_mean. split_Rabs; lra.
Qed.

Lemma approached_linear a b f g : approached f -> approached g -> approached (fun x => a * f x + b * g x).
Proof.
intros (t & c & H) (t' & c' & H').
destruct (half_below (/ (Rabs a + Rabs b + 1))) as (d & D).
{ apply Rinv_0_lt_compat. generalize (Rabs_pos a) (Rabs_pos b). lra. }
(* 2^d is at least |a| and |b| *)
assert (Q := Rabs_pos a). assert (Q' := Rabs_pos b). assert (P := half_positive d). assert (T := two_power d).
assert (E : 2 ^ d * (/ 2) ^ d = 1) by (rewrite <- Rpow_mult_distr; replace (2 * / 2) with 1 by field; apply pow1).
assert (Big : Rabs a + Rabs b + 1 <= 2 ^ d).
{ apply (Rmult_le_compat_l (2 ^ d * (Rabs a + Rabs b + 1))) in D; [|nra].
  replace (2 ^ d * (Rabs a + Rabs b + 1) * / (Rabs a + Rabs b + 1)) with (2 ^ d) in D by (field; lra).
  replace (2 ^ d * (Rabs a + Rabs b + 1) * (/ 2) ^ d) with
    ((Rabs a + Rabs b + 1) * (2 ^ d * (/ 2) ^ d)) in D by ring. rewrite E in D. lra. }
exists (fun n x => a * t (n + d + 1)%nat x + b * t' (n + d + 1)%nat x),
  (fun n k x => 2 ^ d * c (n + d + 1)%nat k x + 2 ^ d * c' (n + d + 1)%nat k x). intros n. set (m := (n + d + 1)%nat).
destruct (H m) as (T1 & C1), (H' m) as (T2 & C2). split; [now apply tame_linear|].
apply (dominated_weaker _ (fun x => p x * Rmin 1 (Rabs (a * f x + b * g x - (a * t m x + b * t' m x)))) _
  (2 ^ d * (/ 2) ^ m + 2 ^ d * (/ 2) ^ m)); [|intros; lra|].
- apply (dominated_linear _ _ _ _ _ (2 ^ d) (2 ^ d) _ _ ltac:(lra) ltac:(lra) C1 C2). intros x.
  apply Rle_trans with (p x * (2 ^ d * Rmin 1 (Rabs (f x - t m x)) + 2 ^ d * Rmin 1 (Rabs (g x - t' m x))));
    [|right; ring].
  apply weighted_le. assert (Sc : forall s y, Rabs s <= 2 ^ d -> Rmin 1 (Rabs (s * y)) <= 2 ^ d * Rmin 1 (Rabs y)).
  { intros s y S. rewrite Rabs_mult. assert (Y := Rabs_pos y). assert (S0 := Rabs_pos s). unfold Rmin.
    destruct (Rle_dec 1 (Rabs s * Rabs y)), (Rle_dec 1 (Rabs y)); nra. }
  apply Rle_trans with (Rmin 1 (Rabs (a * (f x - t m x))) + Rmin 1 (Rabs (b * (g x - t' m x)))).
  + apply Rmin_parts; try apply Rabs_pos. apply Rle_trans with (2 := Rabs_triang _ _). right. f_equal. ring.
  + apply Rplus_le_compat; apply Sc; lra.
- unfold m. rewrite !pow_add. replace ((/ 2) ^ 1) with (/ 2) by ring.
  replace (2 ^ d * ((/ 2) ^ n * (/ 2) ^ d * / 2) + 2 ^ d * ((/ 2) ^ n * (/ 2) ^ d * / 2)) with
    (2 ^ d * (/ 2) ^ d * (/ 2) ^ n) by field. rewrite E. lra.
Qed.

Lemma summable_near f g a b e : summable f -> summable g -> 0 < e -> exists t, tame t /\
  bounds (fun x => p x * Rabs (a * f x + b * g x - t x)) e /\
  Rabs (line_mean t - (a * line_mean f + b * line_mean g)) <= e.
Proof.
intros (_ & F) (_ & G) E. set (s := Rabs a + Rabs b + 1). assert (A := Rabs_pos a). assert (B := Rabs_pos b).
assert (S : 0 < s) by (unfold s; lra). set (d := e / (2 * s)). assert (D : 0 < d) by (apply Rdiv_lt_0_compat; lra).
assert (ds : d * s = e / 2) by (unfold d; field; lra).
destruct (F d D) as (t & T & Bt), (G d D) as (t' & T' & Bt'). exists (fun x => a * t x + b * t' x).
assert (Tl := tame_linear a b t t' T T'). split; [exact Tl|]. split.
- destruct Bt as (c & C), Bt' as (c' & C').
  apply (dominated_bounds (fun n x => (Rabs a + / 2) * c n x + (Rabs b + / 2) * c' n x)).
  apply (dominated_weaker _ (fun x => p x * Rabs (a * f x + b * g x - (a * t x + b * t' x))) _
    ((Rabs a + / 2) * d + (Rabs b + / 2) * d)); [|intros; lra|].
  + apply (dominated_linear _ _ _ _ _ (Rabs a + / 2) (Rabs b + / 2) _ _ ltac:(lra) ltac:(lra) C C'). intros x.
    apply Rle_trans with (p x * ((Rabs a + / 2) * Rabs (f x - t x) + (Rabs b + / 2) * Rabs (g x - t' x)));
      [|right; ring].
    apply weighted_le. replace (a * f x + b * g x - (a * t x + b * t' x)) with (a * (f x - t x) + b * (g x - t' x))
      by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
    generalize (Rabs_pos (f x - t x)) (Rabs_pos (g x - t' x)). nra.
  + replace ((Rabs a + / 2) * d + (Rabs b + / 2) * d) with (d * s) by (unfold s; field). lra.
- rewrite tame_mean_linear by assumption.
  assert (M := line_mean_near f t d T Bt). assert (M' := line_mean_near g t' d T' Bt').
  replace (a * line_mean t + b * line_mean t' - (a * line_mean f + b * line_mean g)) with
    (- a * (line_mean f - line_mean t) + - b * (line_mean g - line_mean t')) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult, !Rabs_Ropp.
  apply (Rmult_le_compat_l (Rabs a)) in M; [|exact A]. apply (Rmult_le_compat_l (Rabs b)) in M'; [|exact B].
  assert (2 * d * s = e) by lra. unfold s in H. nra.
Qed.

Lemma summable_linear a b f g : summable f -> summable g -> summable (fun x => a * f x + b * g x).
Proof.
intros F G. split; [apply approached_linear; [apply F|apply G]|]. intros e E.
destruct (summable_near f g a b e F G E) as (t & T & B & _). now exists t.
Qed.

Lemma line_mean_linear a b f g : summable f -> summable g ->
  line_mean (fun x => a * f x + b * g x) = a * line_mean f + b * line_mean g.
Proof.
intros F G. apply cond_eq. intros e E. destruct (summable_near f g a b (e / 4) F G ltac:(lra)) as (t & T & B & M).
assert (M' := line_mean_near _ t _ T B). cbv beta in M'. split_Rabs; lra.
Qed.

Lemma line_mean_positive f : (forall x, 0 <= f x) -> line_mean f = integral (fun x => p x * f x).
Proof.
intros P. unfold line_mean. replace (fun x => p x * (/ 2 * Rabs (f x) + / 2 * f x)) with (fun x => p x * f x).
- replace (fun x => p x * (/ 2 * Rabs (f x) + - / 2 * f x)) with (fun _ : R => 0).
  + assert (B : bounds (fun _ => 0) 0).
    { exists (fun _ _ => 0). split; [intros n x; split; [apply continuous_const|lra]|].
      split; [intros x c H; now exists O|].
      intros n. rewrite RInt_const. right. apply Rmult_0_r. }
    assert (Z : integral (fun _ => 0) = 0); [|rewrite Z; ring].
    apply Rle_antisym; [now apply integral_at_most|now apply integral_positive with 0].
  + same_function. intros x. rewrite Rabs_right by (generalize (P x); lra). ring.
- same_function. intros x. rewrite Rabs_right by (generalize (P x); lra). field.
Qed.

Lemma line_mean_le f g : summable f -> summable g -> (forall x, f x <= g x) -> line_mean f <= line_mean g.
Proof.
intros F G L. assert (E := line_mean_linear 1 (- 1) g f G F).
assert (0 <= line_mean (fun x => 1 * g x + - 1 * f x)); [|lra].
rewrite line_mean_positive by (intros x; generalize (L x); lra).
destruct (Classical_Prop.classic (exists v, bounds (fun x => p x * (1 * g x + - 1 * f x)) v)) as [(v & B)|N].
- now apply integral_positive with v.
- right. destruct (Rle_lt_dec (integral (fun x => p x * (1 * g x + - 1 * f x))) 0) as [H|H].
  + unfold integral. replace (Glb_Rbar (bounds (fun x => p x * (1 * g x + - 1 * f x)))) with p_infty; [reflexivity|].
    symmetry. apply is_glb_Rbar_unique. split; [|now intros [w| |] _]. intros v V. exfalso. apply N. now exists v.
  + exfalso. apply N. now apply integral_finite.
Qed.

(** * Measurable functions *)

Lemma approached_continuous f : (forall x, continuous f x) -> approached f.
Proof.
intros C. destruct (nat_choice (fun n N => 1 - RInt p (- INR N) (INR N) <= (/ 2) ^ n)) as (F & H).
{ intros n. apply (tail_vanishes (fun N => RInt p (- INR N) (INR N))); [exact p_whole|apply half_positive]. }
exists (fun n x => f x * plateau (S (F n)) x), (fun n _ x => p x * (1 - plateau (F n) x)). intros n.
split; [now apply tame_cut|].
apply (dominated_weaker _ (fun x => p x * (1 - plateau (F n) x)) _ (1 - RInt p (- INR (F n)) (INR (F n))));
  [now apply dominated_tail| |apply H].
intros x. apply weighted_le. destruct (plateau_values (F n) x) as (I & _ & Z), (plateau_values (S (F n)) x) as
  (_ & One & _).
rewrite S_INR in One. destruct (Rle_lt_dec (Rabs x) (INR (F n) + 1)) as [L|L].
- rewrite One by exact L. rewrite Rmult_1_r, Rminus_diag_eq, Rabs_R0 by reflexivity. unfold Rmin.
  destruct (Rle_dec 1 0); lra.
- rewrite Z by lra. apply Rle_trans with 1; [apply Rmin_l|lra].
Qed.

Lemma approached_image_0 (h : R -> R) f : (forall x, continuous h x) -> h 0 = 0 -> approached f ->
  approached (fun x => h (f x)).
Proof.
intros C Z (t & g & H).
destruct (nat_choice (fun n d => exists N, (forall x, Rabs (t (n + 3)%nat x) <= N) /\
  forall y z, Rabs y <= N + 1 -> Rabs (y - z) <= (/ 2) ^ d -> Rabs (h y - h z) <= (/ 2) ^ (n + 2))) as (F & D).
{ intros n. destruct (H (n + 3)%nat) as ((_ & N & B) & _).
  destruct (@Heine_cor2 h (- (INR N + 2)) (INR N + 2) (fun x _ => proj2 (continuity_pt_filterlim h x) (C x))
    (mkposreal _ (half_positive (n + 2)))) as (d & U).
  destruct (half_below (Rmin d 1 / 2)) as (m & M).
  { apply Rdiv_lt_0_compat; [|lra]. apply Rmin_glb_lt; [apply d|lra]. }
  assert (M1 := Rmin_l d 1). assert (M2 := Rmin_r d 1). assert (M0 := half_positive m).
  exists m, (INR N). split; [apply B|]. intros y z Y YZ. left. apply U; split_Rabs; lra. }
exists (fun n x => h (t (F n + n + 2)%nat x)),
  (fun n k x => 1 * ((/ 2) ^ (n + 2) * p x + 1 * g (n + 3)%nat k x) + 2 ^ F n * g (F n + n + 2)%nat k x).
intros n. assert (T2 := two_power (F n)).
assert (E : forall d, 2 ^ d * (/ 2) ^ d = 1).
{ intros d. rewrite <- Rpow_mult_distr. replace (2 * / 2) with 1 by field. apply pow1. }
destruct (D n) as (N & B & U). destruct (H (n + 3)%nat) as (_ & C3), (H (F n + n + 2)%nat) as (T & C2).
split; [now apply tame_image|].
apply (dominated_weaker _ (fun x => p x * Rmin 1 (Rabs (h (f x) - h (t (F n + n + 2)%nat x)))) _
  (1 * ((/ 2) ^ (n + 2) * 1 + 1 * (/ 2) ^ (n + 3)) + 2 ^ F n * (/ 2) ^ (F n + n + 2))); [|intros; lra|].
- apply (dominated_linear _ _ (fun x => (/ 2) ^ (n + 2) * p x + 1 * (p x * Rmin 1 (Rabs (f x - t (n + 3)%nat x)))) _ _
    1 (2 ^ F n) _ _ ltac:(lra) ltac:(lra) (dominated_linear _ _ _ _ _ ((/ 2) ^ (n + 2)) 1 _ _
      (half_positive _) Rlt_0_1 dominated_whole C3
      (fun x => Rle_refl _)) C2). intros x.
  apply Rle_trans with (p x * ((/ 2) ^ (n + 2) + Rmin 1 (Rabs (f x - t (n + 3)%nat x)) +
    2 ^ F n * Rmin 1 (Rabs (f x - t (F n + n + 2)%nat x)))); [|right; ring].
  apply weighted_le. specialize (B x). set (y := f x) in *. set (a := t (n + 3)%nat x) in *.
  set (z := t (F n + n + 2)%nat x).
  assert (P := half_positive (n + 2)). assert (P' := half_positive (F n)).
  assert (A1 := Rmin_inside (Rabs (y - a)) (Rabs_pos _)). assert (A2 := Rmin_inside (Rabs (y - z)) (Rabs_pos _)).
  assert (A3 := Rmin_inside (Rabs (h y - h z)) (Rabs_pos _)).
  assert (0 <= 2 ^ F n * Rmin 1 (Rabs (y - z))) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_dec 1 (Rabs (y - a))) as [L|L].
  + assert (Rmin 1 (Rabs (y - a)) = 1) by (apply Rmin_left; exact L). lra.
  + destruct (Rle_lt_dec (Rabs (y - z)) ((/ 2) ^ F n)) as [L'|L'].
    * specialize (U y z ltac:(split_Rabs; lra) L'). lra.
    * assert (G : 1 <= 2 ^ F n * Rmin 1 (Rabs (y - z))); [|lra].
      apply Rle_trans with (2 ^ F n * (/ 2) ^ F n); [rewrite E; lra|]. apply Rmult_le_compat_l; [lra|].
      apply Rmin_glb; [|lra].
      rewrite <- (pow1 (F n)). apply pow_incr. lra.
- rewrite !pow_add. replace (2 ^ F n * ((/ 2) ^ F n * (/ 2) ^ n * (/ 2) ^ 2)) with
    (2 ^ F n * (/ 2) ^ F n * ((/ 2) ^ n * (/ 2) ^ 2)) by ring. rewrite E. assert (P := half_positive n). simpl. lra.
Qed.

Lemma approached_same f g : (forall x, f x = g x) -> approached f -> approached g.
Proof. intros E A. replace g with f; [exact A|]. now same_function. Qed.

Lemma approached_const c : approached (fun _ => c).
Proof. apply approached_continuous. intros. apply continuous_const. Qed.

Lemma approached_image (h : R -> R) f : (forall x, continuous h x) -> approached f -> approached (fun x => h (f x)).
Proof.
intros C A. apply approached_same with (fun x => 1 * (h (f x) - h 0) + h 0 * 1); [intros; ring|].
apply approached_linear; [|apply approached_const]. apply (approached_image_0 (fun y => h y - h 0)); [| |exact A].
- intros x. apply (continuous_minus (V := R_NormedModule) h (fun _ => h 0)); [apply C|apply continuous_const].
- ring.
Qed.

Lemma approached_plus f g : approached f -> approached g -> approached (fun x => f x + g x).
Proof. intros F G. apply approached_same with (fun x => 1 * f x + 1 * g x); [intros; ring|now apply approached_linear].
Qed.

Lemma approached_times f g : approached f -> approached g -> approached (fun x => f x * g x).
Proof.
intros F G. apply approached_same with (fun x => / 4 * (1 * f x + 1 * g x) ^ 2 + - / 4 * (1 * f x + - 1 * g x) ^ 2);
  [intros; field|].
assert (C : forall x, continuous (fun y => y ^ 2) x).
{ intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
apply approached_linear; apply (approached_image (fun y => y ^ 2)); auto; now apply approached_linear.
Qed.

(* Ascents of f are summable. *)
Lemma ascent_near f t g n j : dominated (g n) (fun x => p x * Rmin 1 (Rabs (f x - t n x))) ((/ 2) ^ n) ->
  forall e, 2 ^ j * (/ 2) ^ n <= e ->
  bounds (fun x => p x * Rabs (ascent j (f x) - ascent j (t n x))) e.
Proof.
intros C e E. assert (T := two_power j). apply (dominated_bounds
  (fun k x => 2 ^ j / 2 * g n k x + 2 ^ j / 2 * g n k x)).
apply (dominated_weaker _ (fun x => p x * Rabs (ascent j (f x) - ascent j (t n x))) _
  (2 ^ j / 2 * (/ 2) ^ n + 2 ^ j / 2 * (/ 2) ^ n)); [|intros; lra|lra].
apply (dominated_linear _ _ _ _ _ (2 ^ j / 2) (2 ^ j / 2) _ _ ltac:(lra) ltac:(lra) C C). intros x.
apply Rle_trans with (p x * (2 ^ j * Rmin 1 (Rabs (f x - t n x)))); [apply weighted_le, ascent_steep|right; field].
Qed.

Lemma ascent_summable f j : approached f -> summable (fun x => ascent j (f x)).
Proof.
intros A. split; [now apply (approached_image (ascent j)); [apply ascent_continuous|]|]. intros e E.
destruct A as (t & g & H).
assert (T := two_power j). destruct (half_below (e / 2 ^ j)) as (n & N); [apply Rdiv_lt_0_compat; lra|].
destruct (H n) as (Tn & C). exists (fun x => ascent j (t n x)).
split; [apply tame_image; auto using ascent_continuous, ascent_0|].
apply (ascent_near f t g n j C). apply (Rmult_le_compat_l (2 ^ j)) in N; [|lra].
replace (2 ^ j * (e / 2 ^ j)) with e in N by (field; lra). exact N.
Qed.

(* From some ascent on, all are near in mean. *)
Lemma ascents_settle f e : approached f -> 0 < e -> exists j, forall k,
  line_mean (fun x => ascent j (f x)) - line_mean (fun x => ascent (j + k) (f x)) <= e.
Proof.
intros A E. set (a j := line_mean (fun x => ascent j (f x))).
assert (Falls : forall j, a (S j) <= a j).
{ intros j. apply line_mean_le; try now apply ascent_summable. intros x. apply ascent_falls. }
assert (Pos : forall j, 0 <= a j).
{ intros j. assert (Z : line_mean (fun x => 0 * ascent j (f x) + 0 * ascent j (f x)) = 0).
  { rewrite line_mean_linear by now apply ascent_summable. ring. }
  rewrite <- Z. apply line_mean_le; [apply summable_linear; now apply ascent_summable|now apply ascent_summable|].
  intros x. generalize (ascent_values j (f x)). lra. }
destruct (ex_finite_lim_seq_decr a 0 Falls Pos) as (l & L).
destruct (proj2 (is_lim_seq_spec a l) L (mkposreal e E)) as (j & J). exists j. intros k.
specialize (J j (Nat.le_refl j)). simpl in J. assert (Q := is_lim_seq_decr_compare a l L Falls (j + k)%nat).
fold (a j) (a (j + k)%nat). split_Rabs; lra.
Qed.

(* The event that f is at least 1. *)
Definition from_one (y : R) : R := if Rle_dec 1 y then 1 else 0.

(* p between the ascent j of f and the event, as a sum over later ascents. *)
Section Event.
Variables (f : R -> R) (t : nat -> R -> R) (g : nat -> nat -> R -> R).
Hypothesis near : forall n, tame (t n) /\ dominated (g n) (fun x => p x * Rmin 1 (Rabs (f x - t n x))) ((/ 2) ^ n).
Variables (j r : nat).
Let index i := (2 * (j + i) + r)%nat.
Definition step_cover (i k : nat) (x : R) : R :=
  1 * (p x * (1 * ascent (j + i) (t (index i) x) + - 1 * ascent (S (j + i)) (t (index i) x))) +
  (3 * 2 ^ (j + i)) * g (index i) k x.

Lemma step_dominated i : dominated (step_cover i) (fun x => p x * (ascent (j + i) (f x) - ascent (S (j + i)) (f x)))
  (line_mean (fun x => ascent (j + i) (f x)) - line_mean
    (fun x => ascent (S (j + i)) (f x)) + 9 * (/ 2) ^ r * (/ 2) ^ i).
Proof.
destruct (near (index i)) as (T & C). set (m := (j + i)%nat) in *. set (n := index i) in *.
set (step x := 1 * ascent m (t n x) + - 1 * ascent (S m) (t n x)).
assert (Ts : tame step).
{ apply tame_linear; apply tame_image; auto using ascent_continuous, ascent_0. }
assert (Ps : forall x, 0 <= step x) by (intros x; unfold step; generalize (ascent_falls m (t n x)); lra).
assert (M := two_power m).
assert (Small : 2 ^ m * (/ 2) ^ n <= (/ 2) ^ r * (/ 2) ^ i).
{ unfold n, index, m. replace (2 * (j + i) + r)%nat with (i + j + (j + i) + r)%nat by lia. rewrite !pow_add.
  assert (E : 2 ^ j * 2 ^ i * ((/ 2) ^ j * (/ 2) ^ i) = 1).
  { rewrite <- !pow_add, <- Rpow_mult_distr. replace (2 * / 2) with 1 by field. apply pow1. }
  replace (2 ^ j * 2 ^ i * ((/ 2) ^ i * (/ 2) ^ j * ((/ 2) ^ j * (/ 2) ^ i) * (/ 2) ^ r)) with
    (2 ^ j * 2 ^ i * ((/ 2) ^ j * (/ 2) ^ i) * ((/ 2) ^ j * ((/ 2) ^ r * (/ 2) ^ i))) by ring. rewrite E, Rmult_1_l.
  assert (0 < (/ 2) ^ r * (/ 2) ^ i) by (apply Rmult_lt_0_compat; apply half_positive).
  assert ((/ 2) ^ j <= 1) by (rewrite <- (pow1 j); apply pow_incr; lra). assert (P := half_positive j). nra. }
(* the means of the step of t and of the step of f *)
assert (Mean : line_mean step <= line_mean (fun x => ascent m (f x)) - line_mean (fun x => ascent (S m) (f x)) +
  6 * ((/ 2) ^ r * (/ 2) ^ i)).
{ assert (A1 := line_mean_near (fun x => ascent m (f x)) (fun x => ascent m (t n x)) ((/ 2) ^ r * (/ 2) ^ i)
    ltac:(apply tame_image; auto using ascent_continuous, ascent_0) (ascent_near f t g n m C _ Small)).
  assert (A2 := line_mean_near (fun x => ascent (S m) (f x)) (fun x => ascent (S m) (t n x))
    (2 * ((/ 2) ^ r * (/ 2) ^ i))
    ltac:(apply tame_image; auto using ascent_continuous, ascent_0)
      (ascent_near f t g n (S m) C (2 * ((/ 2) ^ r * (/ 2) ^ i)) ltac:(simpl; lra))).
  unfold step. rewrite tame_mean_linear by (apply tame_image; auto using ascent_continuous, ascent_0).
  split_Rabs; lra. }
apply (dominated_weaker _ (fun x => p x * (ascent m (f x) - ascent (S m) (f x))) _
  (1 * line_mean step + 3 * 2 ^ m * (/ 2) ^ n)); [|intros; lra|lra].
apply (dominated_linear (fun _ x => p x * step x) (g n) (fun x => p x * step x) _ _ 1 (3 * 2 ^ m) _ _ Rlt_0_1 ltac:(lra)
  (tame_dominated step Ts Ps) C).
intros x. apply Rle_trans with (p x * (step x + 3 * 2 ^ m * Rmin 1 (Rabs (f x - t n x)))); [|right; ring].
apply weighted_le. unfold step. assert (S1 := ascent_steep m (f x) (t n x)).
assert (S2 := ascent_steep (S m) (f x) (t n x)).
simpl pow in S2. split_Rabs; lra.
Qed.

Lemma halves n : sum_to n (fun i => (/ 2) ^ i) = 2 - 2 * (/ 2) ^ n.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. field. Qed.

Lemma event_dominated e : (forall k, line_mean (fun x => ascent j (f x)) - line_mean
  (fun x => ascent (j + k) (f x)) <= e) ->
  dominated (fun n x => sum_to n (fun i => step_cover i n x)) (fun x => p x * (ascent j (f x) - from_one (f x)))
    (e + 18 * (/ 2) ^ r).
Proof.
intros H. apply (dominated_series step_cover (fun i x => p x * (ascent (j + i) (f x) - ascent (S (j + i)) (f x)))
  (fun i => line_mean (fun x => ascent (j + i) (f x)) - line_mean
    (fun x => ascent (S (j + i)) (f x)) + 9 * (/ 2) ^ r * (/ 2) ^ i)).
- apply step_dominated.
- intros n. rewrite sum_to_plus, sum_to_scaled, halves.
  assert (Tel : sum_to n (fun i => line_mean (fun x => ascent (j + i) (f x)) - line_mean
    (fun x => ascent (S (j + i)) (f x))) =
    line_mean (fun x => ascent j (f x)) - line_mean (fun x => ascent (j + n) (f x))).
  { induction n as [|n IH]; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IH, Nat.add_succ_r. ring. }
  rewrite Tel. specialize (H n). assert (P := half_positive n). assert (Q := half_positive r). nra.
- intros x c L. assert (Tel : forall n, sum_to n (fun i => p x * (ascent (j + i) (f x) - ascent (S (j + i)) (f x))) =
    p x * (ascent j (f x) - ascent (j + n) (f x))).
  { induction n as [|n IH]; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IH, Nat.add_succ_r. ring. }
  assert (Late : exists n, ascent (j + n) (f x) = from_one (f x)).
  { unfold from_one. destruct (Rle_dec 1 (f x)) as [B|B]; [exists O; now apply ascent_values|].
    destruct (half_below (1 - f x)) as (n & N); [lra|]. exists n. apply ascent_values.
    assert (E : 2 ^ n * (/ 2) ^ n = 1) by (rewrite <- Rpow_mult_distr; replace (2 * / 2) with 1 by field; apply pow1).
    assert (T := two_power n). assert (T' := two_power j). rewrite pow_add.
    apply (Rmult_le_compat_l (2 ^ n)) in N; [|lra]. rewrite E in N. nra. }
  destruct Late as (n & N). exists n. now rewrite Tel, N.
Qed.
End Event.

Lemma approached_from_one f : approached f -> approached (fun x => from_one (f x)).
Proof.
intros (t & g & H). destruct (nat_choice (fun n j => forall k,
  line_mean (fun x => ascent j (f x)) - line_mean (fun x => ascent (j + k) (f x)) <= (/ 2) ^ (n + 2))) as (J & S).
{ intros n. apply ascents_settle; [now exists t, g|apply half_positive]. }
exists (fun n x => ascent (J n) (t (J n + n + 1)%nat x)), (fun n k x =>
  1 * sum_to k (fun i => step_cover t g (J n) (n + 7) i k x) + 2 ^ J n * g (J n + n + 1)%nat k x).
intros n. set (m := (J n + n + 1)%nat). destruct (H m) as (T & C).
split; [apply tame_image; auto using ascent_continuous, ascent_0|].
assert (Tp := two_power (J n)).
apply (dominated_weaker _ (fun x => p x * Rmin 1 (Rabs (from_one (f x) - ascent (J n) (t m x)))) _
  (1 * ((/ 2) ^ (n + 2) + 18 * (/ 2) ^ (n + 7)) + 2 ^ J n * (/ 2) ^ m)); [|intros; lra|].
- apply (dominated_linear _ _ _ _ _ 1 (2 ^ J n) _ _ Rlt_0_1 ltac:(lra)
  (event_dominated f t g H (J n) (n + 7) _ (S n)) C).
  intros x. apply Rle_trans with (p x * (ascent (J n) (f x) - from_one (f x) + 2 ^ J n * Rmin 1 (Rabs (f x - t m x))));
    [|right; ring].
  apply weighted_le. apply Rle_trans with (1 := Rmin_r _ _). assert (St := ascent_steep (J n) (f x) (t m x)).
  assert (D : from_one (f x) <= ascent (J n) (f x)).
  { unfold from_one. destruct (ascent_values (J n) (f x)) as (I & One & _).
    destruct (Rle_dec 1 (f x)); [rewrite One|]; lra. }
  split_Rabs; lra.
- unfold m. rewrite !pow_add. replace (2 ^ J n * ((/ 2) ^ J n * (/ 2) ^ n * (/ 2) ^ 1)) with
    (2 ^ J n * (/ 2) ^ J n * ((/ 2) ^ n * (/ 2) ^ 1)) by ring.
  rewrite <- Rpow_mult_distr. replace (2 * / 2) with 1 by field. rewrite pow1. assert (P := half_positive n). simpl.
  lra.
Qed.

Lemma approached_from c f : approached f -> approached (fun x => if Rle_dec c (f x) then 1 else 0).
Proof.
intros A. apply approached_same with (fun x => from_one (1 * f x + (1 - c) * 1)).
- intros x. unfold from_one. destruct (Rle_dec 1 (1 * f x + (1 - c) * 1)), (Rle_dec c (f x)); lra.
- apply approached_from_one, approached_linear; [exact A|apply approached_const].
Qed.

(** * Integrable functions *)

Lemma summable_below f g : approached f -> summable g -> (forall x, Rabs (f x) <= g x) -> summable f.
Proof.
intros A (_ & G) L. split; [exact A|]. intros e E. destruct A as (t & c & H).
destruct (G (e / 2) ltac:(lra)) as (u & (Cu & N & Bu) & (b & B)).
destruct (half_below (e / 2 / (2 * INR N + 1))) as (n & Small).
{ apply Rdiv_lt_0_compat; [lra|]. generalize (pos_INR N). lra. }
assert (N0 := pos_INR N). destruct (H n) as ((Ct & N' & Bt) & C).
exists (fun x => / 2 * Rabs (t n x + Rabs (u x)) + - / 2 * Rabs (t n x - Rabs (u x))). split.
- split.
  + intros x. assert (Cau : continuous (fun x => Rabs (u x)) x)
    by (apply (continuous_comp u Rabs); [apply Cu|apply continuous_Rabs]).
    apply continuous_linear.
    * apply (continuous_comp (fun x => t n x + Rabs (u x)) Rabs); [|apply continuous_Rabs].
      apply (continuous_plus (V := R_NormedModule)); [apply Ct|exact Cau].
    * apply (continuous_comp (fun x => t n x - Rabs (u x)) Rabs); [|apply continuous_Rabs].
      apply (continuous_minus (V := R_NormedModule)); [apply Ct|exact Cau].
  + exists N. intros x. destruct (Bu x) as (B1 & B2). split; [split_Rabs; lra|]. intros X.
    rewrite B2, Rabs_R0 by exact X.
    rewrite Rplus_0_r, Rminus_0_r. ring.
- apply (dominated_bounds (fun k x => 1 * b k x + (2 * INR N + 1) * c n k x)).
  apply (dominated_weaker _ (fun x => p x * Rabs (f x
    - (/ 2 * Rabs (t n x + Rabs (u x)) + - / 2 * Rabs (t n x - Rabs (u x))))) _
    (1 * (e / 2) + (2 * INR N + 1) * (/ 2) ^ n)); [|intros; lra|].
  + apply (dominated_linear _ _ _ _ _ 1 (2 * INR N + 1) _ _ Rlt_0_1 ltac:(lra) B C). intros x.
    apply Rle_trans with (p x * (Rabs (g x - u x) + (2 * INR N + 1) * Rmin 1 (Rabs (f x - t n x)))); [|right; ring].
    apply weighted_le. specialize (L x). destruct (Bu x) as (B1 & _). set (v := Rabs (u x)) in *.
    assert (V := Rabs_pos (u x)). fold v in V.
    assert (Cut : Rabs (f x - (/ 2 * Rabs (f x + v) + - / 2 * Rabs (f x - v))) <= Rabs (g x - u x)).
    { assert (U : u x <= v) by apply Rle_abs. split_Rabs; lra. }
    set (cut y := / 2 * Rabs (y + v) + - / 2 * Rabs (y - v)). fold (cut (f x)) in Cut. fold (cut (t n x)).
    assert (Values : forall y, y <= - v /\ cut y = - v \/ - v <= y <= v /\ cut y = y \/ v <= y /\ cut y = v).
    { intros y. unfold cut. destruct (Rle_lt_dec y (- v)) as [Y|Y]; [left|destruct (Rle_lt_dec v y) as [Y'|Y'];
        [right; right|right; left]]; split; try lra.
      - rewrite !Rabs_left1; lra.
      - rewrite !Rabs_right; lra.
      - rewrite Rabs_right, Rabs_left1; lra. }
    assert (X1 := Values (f x)). assert (X2 := Values (t n x)).
    assert (Near : Rabs (cut (f x) - cut (t n x)) <= (2 * INR N + 1) * Rmin 1 (Rabs (f x - t n x))).
    { assert (Box : Rabs (cut (f x) - cut (t n x)) <= 2 * INR N) by (apply Rabs_le; lra).
      assert (Lip : Rabs (cut (f x) - cut (t n x)) <= Rabs (f x - t n x)).
      { destruct (Rle_lt_dec (f x) (t n x)); [rewrite !Rabs_left1|rewrite !Rabs_right]; lra. }
      unfold Rmin. destruct (Rle_dec 1 (Rabs (f x - t n x))); [lra|]. generalize (Rabs_pos (f x - t n x)). nra. }
    generalize (Rabs_triang (f x - cut (f x)) (cut (f x) - cut (t n x))).
    replace (f x - cut (f x) + (cut (f x) - cut (t n x))) with (f x - cut (t n x)) by ring. lra.
  + apply (Rmult_le_compat_l (2 * INR N + 1)) in Small; [|lra].
    replace ((2 * INR N + 1) * (e / 2 / (2 * INR N + 1))) with (e / 2) in Small by (field; lra). lra.
Qed.

Lemma summable_positive f v : (forall x, continuous f x) -> (forall x, 0 <= f x) -> bounds (fun x => p x * f x) v ->
  summable f.
Proof.
intros C P B. split; [now apply approached_continuous|]. intros e E.
assert (Cu := weighted_continuous f C). assert (Pu := weighted_positive f P).
destruct (ex_finite_lim_seq_incr (fun n => RInt (fun x => p x * f x) (- INR n) (INR n)) v) as (l & L).
- intros n. assert (I : forall x y, ex_RInt (fun x => p x * f x) x y) by (intros; now apply continuous_integrable).
  rewrite S_INR. assert (N0 := pos_INR n). set (k := INR n) in *.
  rewrite <- (RInt_Chasles _ (- (k + 1)) (- k) (k + 1)), <- (RInt_Chasles _ (- k) k (k + 1)) by apply I.
  assert (0 <= RInt (fun x => p x * f x) (- (k + 1)) (- k)) by (apply RInt_ge_0; auto; lra).
  assert (0 <= RInt (fun x => p x * f x) k (k + 1)) by (apply RInt_ge_0; auto; lra). unfold plus; simpl; lra.
- intros n. now apply segment_at_most.
- destruct (tail_vanishes _ l e L E) as (N & H). exists (fun x => f x * plateau N x). split; [now apply tame_cut|].
  apply (dominated_bounds (fun _ x => p x * f x * (1 - plateau N x))).
  apply (dominated_weaker _ _ _ _ _ (dominated_tail _ l N Cu Pu L)); [|exact H].
  intros x. destruct (plateau_values N x) as (I & _). specialize (P x).
  replace (f x - f x * plateau N x) with (f x * (1 - plateau N x)) by ring. rewrite Rabs_right by nra. right. ring.
Qed.

Lemma one_summable : summable (fun _ => 1) /\ line_mean (fun _ => 1) = 1.
Proof.
assert (Lim : is_lim_seq (fun n => RInt (fun x => p x * 1) (- INR n) (INR n)) 1).
{ replace (fun x => p x * 1) with p; [exact p_whole|]. same_function. intros x. ring. }
assert (C : forall x, continuous (fun x => p x * 1) x)
  by (apply (weighted_continuous (fun _ => 1)); intros; apply continuous_const).
assert (P : forall x, 0 <= p x * 1) by (intros x; rewrite Rmult_1_r; apply p_positive).
split.
- apply (summable_positive _ 1); [intros; apply continuous_const|intros; lra|now apply continuous_bounds].
- rewrite line_mean_positive by (intros; lra). now apply integral_continuous.
Qed.

Definition real_line : sample_space.
Proof.
exists R approached.
- exact approached_const.
- exact approached_plus.
- exact approached_times.
- intros h f C A. now apply approached_image.
- exact approached_from.
Defined.

Definition with_density : probability_measure real_line.
Proof.
exists summable line_mean.
- now intros f [A _].
- exact summable_below.
- intros c. replace (fun _ : real_line => c) with (fun _ : R => c * 1 + 0 * 1) by (same_function; intros; ring).
  apply summable_linear; apply one_summable.
- exact summable_linear.
- intros c. transitivity (line_mean (fun _ => c * 1 + 0 * 1)); [f_equal; same_function; intros; ring|].
  rewrite line_mean_linear by apply one_summable. rewrite (proj2 one_summable). ring.
- exact line_mean_linear.
- exact line_mean_le.
Defined.

Theorem identity_has_density : has_density with_density (fun x => x) p.
Proof.
split; [apply approached_continuous; intros; apply continuous_id|]. intros f C P (v & B).
split; [now apply summable_positive with v|now apply line_mean_positive].
Qed.
End Density.
