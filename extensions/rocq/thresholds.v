(* Integrals of functions that are one continuous function up to a threshold and another one beyond it. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import integral.
Open Scope R_scope.

(* W is an antiderivative of g, a continuous function that is nowhere negative; W rises from `low` to `high`. *)
Definition antiderivative (g W : R -> R) (low high : R) :=
  (forall x, continuous g x) /\ (forall x, 0 <= g x) /\ (forall x, is_derive W x (g x)) /\
  is_lim_seq (fun n => W (- INR n)) low /\ is_lim_seq (fun n => W (INR n)) high.

Lemma antiderivative_scaled c g W low high : 0 <= c -> antiderivative g W low high ->
  antiderivative (fun x => g x * c) (fun x => W x * c) (low * c) (high * c).
Proof.
intros C (K & P & D & L & H). split; [|split; [|split; [|split]]].
- intros x. apply (continuous_mult (K := R_AbsRing) g (fun _ => c)); [apply K|apply continuous_const].
- intros x. apply Rmult_le_pos; auto.
- intros x. apply (is_derive_ext (fun x => c * W x)); [intros; apply Rmult_comm|].
  rewrite Rmult_comm. apply is_derive_scal, D.
- now apply (is_lim_seq_scal_r _ c (Finite low)).
- now apply (is_lim_seq_scal_r _ c (Finite high)).
Qed.

Lemma antiderivative_minus d D low high g W low' high' : antiderivative d D low high -> antiderivative g W low' high' ->
  (forall x, g x <= d x) -> antiderivative (fun x => d x - g x) (fun x => D x - W x) (low - low') (high - high').
Proof.
intros (K & _ & Dd & L & H) (K' & _ & Dw & L' & H') Le. split; [|split; [|split; [|split]]].
- intros x. now apply (continuous_minus (V := R_NormedModule) d g).
- intros x. generalize (Le x); lra.
- intros x. now apply (is_derive_minus D W).
- now apply is_lim_seq_minus'.
- now apply is_lim_seq_minus'.
Qed.

Section Area.
Variables (g W : R -> R) (low high : R).
Hypothesis found : antiderivative g W low high.

Lemma area_is a b : RInt g a b = W b - W a.
Proof.
destruct found as (K & _ & D & _). apply is_RInt_unique. apply (is_RInt_derive W g); intros; auto.
Qed.

Lemma W_rises x y : x <= y -> W x <= W y.
Proof.
intros L. destruct found as (K & P & _). rewrite <- (Rplus_0_r (W x)). replace (W y) with (W x + RInt g x y)
  by (rewrite area_is; ring). apply Rplus_le_compat_l. apply RInt_ge_0; auto using continuous_integrable.
Qed.

Lemma W_at_most x : W x <= high.
Proof.
destruct found as (_ & _ & _ & _ & H). destruct (nfloor_ex (Rabs x)) as (N & _ & HN); [apply Rabs_pos|].
apply Rle_trans with (W (INR (S N))); [apply W_rises; rewrite S_INR; split_Rabs; lra|].
apply (is_lim_seq_incr_compare _ _ H). intros n. apply W_rises. rewrite S_INR; lra.
Qed.

Lemma W_at_least x : low <= W x.
Proof.
destruct found as (_ & _ & _ & L & _). destruct (nfloor_ex (Rabs x)) as (N & _ & HN); [apply Rabs_pos|].
apply Rle_trans with (W (- INR (S N))); [|apply W_rises; rewrite S_INR; split_Rabs; lra].
apply (is_lim_seq_decr_compare _ _ L). intros n. apply W_rises. rewrite S_INR; lra.
Qed.

(* All of the line. *)
Theorem whole_area : integral g = high - low.
Proof.
destruct found as (K & P & _ & L & H). apply integral_continuous; [exact K|exact P|].
apply (is_lim_seq_ext (fun n => W (INR n) - W (- INR n))); [intros n; symmetry; apply area_is|].
now apply is_lim_seq_minus'.
Qed.

Lemma whole_bounds : bounds g (high - low).
Proof.
destruct found as (K & P & _ & L & H). apply continuous_bounds; [exact K|exact P|].
apply (is_lim_seq_ext (fun n => W (INR n) - W (- INR n))); [intros n; symmetry; apply area_is|].
now apply is_lim_seq_minus'.
Qed.

(* A continuous part of g: below it everywhere, and 0 up to u, or from u on. *)
Section Part.
Variables (h : R -> R) (u : R).
Hypotheses (h_continuous : forall x, continuous h x) (h_inside : forall x, 0 <= h x <= g x).

Lemma part_between a b : a <= b -> RInt h a b <= W b - W a.
Proof.
intros L. rewrite <- area_is. destruct found as (K & _). apply RInt_le; auto using continuous_integrable.
intros; apply h_inside.
Qed.

Lemma part_nothing a b : a <= b -> (forall x, a < x < b -> h x = 0) -> RInt h a b = 0.
Proof.
intros L Z. transitivity (RInt (fun _ => 0) a b).
- apply RInt_ext. intros x X. rewrite Rmin_left, Rmax_right in X by exact L. now apply Z.
- rewrite RInt_const. unfold scal; simpl; unfold mult; simpl; ring.
Qed.

Lemma part_beyond n : (forall x, x <= u -> h x = 0) -> RInt h (- INR n) (INR n) <= high - W u.
Proof.
intros Z. assert (L := symmetric n). assert (I : forall x y, ex_RInt h x y) by (intros; now apply continuous_integrable).
set (a := - INR n) in *. set (b := INR n) in *. generalize (W_at_most b) (W_at_most u).
destruct (Rle_lt_dec a u) as [A|A]; [destruct (Rle_lt_dec u b) as [B|B]|].
- rewrite <- (RInt_Chasles h a u b) by apply I. rewrite (part_nothing a u A) by (intros; apply Z; lra).
  generalize (part_between u b B). unfold plus; simpl. lra.
- rewrite (part_nothing a b L) by (intros; apply Z; lra). lra.
- generalize (part_between a b L) (W_rises u a ltac:(lra)). lra.
Qed.

Lemma part_until n : (forall x, u <= x -> h x = 0) -> RInt h (- INR n) (INR n) <= W u - low.
Proof.
intros Z. assert (L := symmetric n). assert (I : forall x y, ex_RInt h x y) by (intros; now apply continuous_integrable).
set (a := - INR n) in *. set (b := INR n) in *. generalize (W_at_least a) (W_at_least u).
destruct (Rle_lt_dec u b) as [B|B]; [destruct (Rle_lt_dec a u) as [A|A]|].
- rewrite <- (RInt_Chasles h a u b) by apply I. rewrite (part_nothing u b B) by (intros; apply Z; lra).
  generalize (part_between a u A). unfold plus; simpl. lra.
- rewrite (part_nothing a b L) by (intros; apply Z; lra). lra.
- generalize (part_between a b L) (W_rises b u ltac:(lra)). lra.
Qed.
End Part.

(* A ramp from 0 at z - d to 1 at z. *)
Definition ramp (z d x : R) := Rmin 1 (Rmax 0 (1 + (x - z) / d)).

Lemma ramp_continuous z d x : continuous (ramp z d) x.
Proof.
apply (continuous_ext (fun x => (1 + (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2 -
  Rabs (1 - (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2)) / 2)).
- intros y. unfold ramp, Rmin, Rmax. repeat destruct (Rle_dec _ _); split_Rabs; lra.
- assert (L : continuous (fun x => 1 + (x - z) * / d) x).
  { apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
  assert (Ab : forall f : R -> R, continuous f x -> continuous (fun x => Rabs (f x)) x).
  { intros f F. apply (continuous_comp f Rabs); [exact F|apply continuous_Rabs]. }
  assert (Half : forall f : R -> R, continuous f x -> continuous (fun x => f x / 2) x).
  { intros f F. apply (continuous_mult (K := R_AbsRing) f (fun _ => / 2)); [exact F|apply continuous_const]. }
  assert (Pos : continuous (fun x => (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2) x).
  { apply (Half (fun x => Rabs (1 + (x - z) / d) + (1 + (x - z) / d))).
    apply (continuous_plus (V := R_NormedModule) (fun x => Rabs (1 + (x - z) / d))); [now apply Ab|exact L]. }
  apply (Half (fun x => 1 + (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2 -
    Rabs (1 - (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2))).
  apply (continuous_minus (V := R_NormedModule) (fun x => 1 + (Rabs (1 + (x - z) / d) + (1 + (x - z) / d)) / 2)).
  + apply (continuous_plus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|exact Pos].
  + apply Ab. apply (continuous_minus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|exact Pos].
Qed.

Lemma ramp_inside z d x : 0 <= ramp z d x <= 1.
Proof. unfold ramp, Rmin, Rmax. repeat destruct (Rle_dec _ _); lra. Qed.

Lemma ramp_up z d x : 0 < d -> z <= x -> ramp z d x = 1.
Proof.
intros P L. assert (0 <= (x - z) / d) by (apply Rle_mult_inv_pos; lra). unfold ramp. rewrite Rmax_right, Rmin_left; lra.
Qed.

Lemma ramp_down z d x : 0 < d -> x <= z - d -> ramp z d x = 0.
Proof.
intros P L. assert ((x - z) / d <= - 1).
{ apply Rmult_le_reg_r with d; [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
unfold ramp. rewrite Rmax_left, Rmin_right; lra.
Qed.

Lemma W_near z e : 0 < e -> exists d, 0 < d /\ W z - e <= W (z - d) /\ W (z + d) <= W z + e.
Proof.
intros E. destruct found as (_ & _ & D & _).
assert (C : continuous W z) by (apply (ex_derive_continuous (V := R_NormedModule)); eexists; apply D).
destruct (proj1 (filterlim_locally (F := locally z) W (W z)) C (mkposreal e E)) as (d & Hd).
assert (P := cond_pos d). exists (d / 2). split; [lra|].
assert (B : forall y, Rabs (y - z) < d -> Rabs (W y - W z) < e) by exact Hd.
generalize (B (z - d / 2) ltac:(split_Rabs; lra)) (B (z + d / 2) ltac:(split_Rabs; lra)). split_Rabs; lra.
Qed.

Lemma beyond_bounds f z e : 0 < e -> (forall y, z < y -> f y <= g y) -> (forall y, y <= z -> f y <= 0) ->
  bounds f (high - W z + e).
Proof.
intros E Above Below. destruct (W_near z e E) as (d & P & D & _). destruct found as (K & G & _).
set (h := fun x => g x * ramp z d x).
assert (C : forall x, continuous h x).
{ intros x. apply (continuous_mult (K := R_AbsRing) g (ramp z d)); [apply K|apply ramp_continuous]. }
assert (I : forall x, 0 <= h x <= g x) by (intros x; unfold h; generalize (G x) (ramp_inside z d x); nra).
exists (fun _ => h). split; [|split].
- intros n x. split; [apply C|]. generalize (I x); lra.
- intros x c L. exists 0%nat. apply Rlt_le_trans with (1 := L). destruct (Rlt_le_dec z x) as [Q|Q].
  + unfold h. rewrite (ramp_up z d x P) by lra. rewrite Rmult_1_r. now apply Above.
  + apply Rle_trans with (1 := Below x Q). apply I.
- intros n. apply Rle_trans with (high - W (z - d)); [|lra]. apply part_beyond; [exact C|exact I|].
  intros x L. unfold h. rewrite (ramp_down z d x P L). ring.
Qed.

Lemma until_bounds f z e : 0 < e -> (forall y, y <= z -> f y <= g y) -> (forall y, z < y -> f y <= 0) ->
  bounds f (W z - low + e).
Proof.
intros E Below Above. destruct (W_near z e E) as (d & P & _ & D). destruct found as (K & G & _).
set (h := fun x => g x * (1 - ramp (z + d) d x)).
assert (C : forall x, continuous h x).
{ intros x. apply (continuous_mult (K := R_AbsRing) g (fun x => 1 - ramp (z + d) d x)); [apply K|].
  apply (continuous_minus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|apply ramp_continuous]. }
assert (I : forall x, 0 <= h x <= g x) by (intros x; unfold h; generalize (G x) (ramp_inside (z + d) d x); nra).
exists (fun _ => h). split; [|split].
- intros n x. split; [apply C|]. generalize (I x); lra.
- intros x c L. exists 0%nat. apply Rlt_le_trans with (1 := L). destruct (Rlt_le_dec z x) as [Q|Q].
  + apply Rle_trans with (1 := Above x Q). apply I.
  + unfold h. rewrite (ramp_down (z + d) d x P) by lra. rewrite Rminus_0_r, Rmult_1_r. now apply Below.
- intros n. apply Rle_trans with (W (z + d) - low); [|lra]. apply part_until; [exact C|exact I|].
  intros x L. unfold h. rewrite (ramp_up (z + d) d x P L). ring.
Qed.
End Area.

(* g beyond the threshold z, and k up to it. *)
Definition switched (z : R) (g k : R -> R) (y : R) : R := if Rlt_dec z y then g y else k y.

Lemma switched_at_most g W low high k V low' high' z : antiderivative g W low high ->
  antiderivative k V low' high' -> integral (switched z g k) <= (high - W z) + (V z - low').
Proof.
intros G K. apply le_epsilon. intros e E.
set (beyond := switched z g (fun _ => 0)). set (until := switched z (fun _ => 0) k).
assert (B : bounds beyond (high - W z + e / 2)).
{ apply (beyond_bounds g W low high G); [lra| |]; intros y Y; unfold beyond, switched; destruct (Rlt_dec z y); lra. }
assert (U : bounds until (V z - low' + e / 2)).
{ apply (until_bounds k V low' high' K); [lra| |]; intros y Y; unfold until, switched; destruct (Rlt_dec z y); lra. }
assert (S : forall y, 1 * switched z g k y <= 1 * beyond y + until y).
{ intros y. unfold beyond, until, switched. destruct (Rlt_dec z y); lra. }
assert (T := integral_sum _ beyond until 1 1 _ Rlt_0_1 Rlt_0_1 S B (ex_intro _ _ U)).
generalize (integral_at_most _ _ B) (integral_at_most _ _ U). lra.
Qed.

(* Below a density d both parts and what they leave of d are bounded from above, and these bounds add up to 1. *)
Theorem switched_is d D g W low high k V low' high' z : antiderivative d D 0 1 -> antiderivative g W low high ->
  antiderivative k V low' high' -> (forall y, g y <= d y) -> (forall y, k y <= d y) ->
  integral (switched z g k) = (high - W z) + (V z - low').
Proof.
intros Dd G K Gd Kd. apply Rle_antisym; [now apply (switched_at_most g W low high k V low' high')|].
assert (U := switched_at_most _ _ _ _ _ _ _ _ z (antiderivative_minus _ _ _ _ _ _ _ _ Dd G Gd)
  (antiderivative_minus _ _ _ _ _ _ _ _ Dd K Kd)).
set (f := switched z g k) in *. set (rest := switched z _ _) in U.
assert (One := whole_area d D 0 1 Dd). assert (B := whole_bounds d D 0 1 Dd).
assert (F : forall y, f y <= 1 * d y) by (intros y; unfold f, switched; destruct (Rlt_dec z y); rewrite Rmult_1_l; auto).
assert (R0 : forall y, rest y <= 1 * d y).
{ destruct G as (_ & G & _), K as (_ & K & _). intros y. unfold rest, switched. destruct (Rlt_dec z y).
  - generalize (G y); lra.
  - generalize (K y); lra. }
assert (S : forall y, 1 * d y <= 1 * f y + rest y).
{ intros y. unfold f, rest, switched. destruct (Rlt_dec z y); lra. }
assert (T := integral_sum d f rest 1 1 _ Rlt_0_1 Rlt_0_1 S (bounds_scaled f d 1 _ Rlt_0_1 F B)
  (ex_intro _ _ (bounds_scaled rest d 1 _ Rlt_0_1 R0 B))). lra.
Qed.
