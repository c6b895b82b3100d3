(* A polygon around all coins of a round: its corners lie above tangents, which large whole numbers check. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Bignums Require Import BigZ.
From Dpbandits Require Import normal moments coins thompson game game_numbers.
Import ListNotations.
Open Scope R_scope.

(** * Corners of a convex function *)
Definition square (p q : R) := 0 <= p <= 1 /\ 0 <= q <= 1.
Definition convex_square (f : R -> R -> R) := forall a p q p' q', 0 <= a <= 1 -> square p q -> square p' q' ->
  f (a * p + (1 - a) * p') (a * q + (1 - a) * q') <= a * f p q + (1 - a) * f p' q'.

Lemma at_an_end f a p q p' q' : convex_square f -> 0 <= a <= 1 -> square p q -> square p' q' ->
  f (a * p + (1 - a) * p') (a * q + (1 - a) * q') <= f p q \/ f (a * p + (1 - a) * p') (a * q + (1 - a) * q') <= f p' q'.
Proof.
intros F A S S'. assert (C := F a p q p' q' A S S'). destruct (Rle_dec (f p q) (f p' q')); [right|left]; nra.
Qed.

Lemma share_between x a b : a <= x <= b -> exists t, 0 <= t <= 1 /\ x = t * a + (1 - t) * b.
Proof.
intros H. destruct (Req_dec a b) as [->|N]; [exists 0; lra|].
exists ((b - x) / (b - a)). split; [|field; lra]. split; [apply Rle_mult_inv_pos; lra|].
apply Rmult_le_reg_r with (b - a); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Neighbouring corners lie above one tangent, or above the largest q. *)
Fixpoint chain (s top : R) (c : R * R) (rest : list (R * R)) : Prop :=
  match rest with
  | [] => c = (top, top)
  | d :: rest' => fst c <= fst d /\ ((exists x0, above s x0 c /\ above s x0 d) \/ (top <= snd c /\ top <= snd d)) /\
      chain s top d rest'
  end.

Lemma chain_top s top c rest : chain s top c rest -> In (top, top) (c :: rest).
Proof. revert c; induction rest as [|d rest IH]; intros c H; simpl in H; [now left|]. right. apply IH, H. Qed.

Lemma at_a_corner f s low top c rest p q : convex_square f -> 0 <= low ->
  (forall d, In d (c :: rest) -> square (fst d) (snd d)) -> chain s top c rest -> fst c <= p -> low <= p <= q -> q <= top ->
  (forall x0, q <= Phi (s - x0) + slope s x0 * (p - Phi (- x0))) ->
  exists d, In d ((low, low) :: (top, top) :: c :: rest) /\ f p q <= f (fst d) (snd d).
Proof.
intros F L0; revert c; induction rest as [|d rest IH]; intros c Sq H C Hp Hq Below.
- simpl in H. subst c. exists (top, top). split; [right; now left|]. simpl in *.
  replace p with top by lra. replace q with top by lra. lra.
- destruct H as (Hcd & Edge & H). assert (Tq : square top top).
  { apply (Sq (top, top)). right. apply (chain_top s), H. }
  destruct (Rle_lt_dec p (fst d)) as [Le|Lt].
  + destruct (share_between p (fst c) (fst d)) as (a & A & Ep); [lra|].
    assert (Sc := Sq c (or_introl eq_refl)). assert (Sd := Sq d (or_intror (or_introl eq_refl))).
    set (y := a * snd c + (1 - a) * snd d).
    assert (Y : q <= y).
    { destruct Edge as [(x0 & Oc & Od)|[Oc Od]]; unfold y; [|nra]. unfold above in Oc, Od.
      apply Rle_trans with (1 := Below x0). rewrite Ep.
      apply (Rmult_le_compat_l a) in Oc; [|lra]. apply (Rmult_le_compat_l (1 - a)) in Od; lra. }
    assert (Y1 : square p y) by (destruct Sc, Sd; split; [rewrite Ep|unfold y]; nra).
    assert (U : f p y <= f (fst c) (snd c) \/ f p y <= f (fst d) (snd d)).
    { rewrite Ep. unfold y. now apply at_an_end. }
    assert (Sl : square low low) by (unfold square in *; lra).
    assert (Dg : f p p <= f low low \/ f p p <= f top top).
    { destruct (share_between p low top) as (t & Ht & Et); [lra|]. rewrite Et. now apply at_an_end. }
    assert (Sp : square p p) by (unfold square in *; lra).
    assert (M : f p q <= f p p \/ f p q <= f p y).
    { destruct (share_between q p y) as (t & Ht & Et); [lra|].
      generalize (at_an_end f t p p p y F Ht Sp Y1). replace (t * p + (1 - t) * p) with p by ring. now rewrite <- Et. }
    destruct M as [M|M]; [destruct Dg as [D|D]|destruct U as [D|D]].
    * exists (low, low). split; [now left|simpl; lra].
    * exists (top, top). split; [right; now left|simpl; lra].
    * exists c. split; [simpl; tauto|lra].
    * exists d. split; [simpl; tauto|lra].
  + destruct (IH d) as (e & I & E); try assumption; [|lra|].
    * intros e I. apply Sq. now right.
    * exists e. split; [simpl in *; tauto|exact E].
Qed.

(** * The same in large whole numbers *)
(* p and q in units of 2^-58; after a corner, x/64 is where its edge to the next one touches. *)
Definition corner := (bigZ * bigZ * bigZ)%type.
(* shift, and how far thresholds go, in units of 2^-20; the grid of ratios moves by drift/2^20 in a round. *)
Record shape := { shift_of : bigZ; high_of : bigZ; low_of : bigZ; drift : bigZ; first : corner; others : list corner }.

Definition in58 (x : bigZ) : R := real x / 288230376151711744.
Definition point (c : corner) : R * R := let '(_, p, q) := c in (in58 p, in58 q).
Definition p_of (c : corner) := let '(_, p, _) := c in p.
Definition q_of (c : corner) := let '(_, _, q) := c in q.

Section Table.
Variable table : list entry.
Hypothesis table_good : tabled 0 table.
Notation Phi_up := (Phi_up table).
Notation Phi_down := (Phi_down table).

Definition exponent (s x : bigZ) : bigZ := (2 * s * (x * two14) - s * s)%bigZ.
Definition tangent_at (s x : bigZ) : bigZ * bigZ * bigZ * bigZ :=
  let a := exponent s x in
  (Phi_up (s - x * two14) * 1024, exp_up a, exp_down a, Phi_down (0 - x * two14) * 1024)%bigZ.
Definition by_sign (e up down : bigZ) : bigZ := if (0 <=? e)%bigZ then up else down.
Definition above_line (l : bigZ * bigZ * bigZ * bigZ) (c : corner) : bool :=
  let '(height, up, down, base) := l in let e := (p_of c - base)%bigZ in
  (height + by_sign e up down * e / two60 + 1 <=? q_of c)%bigZ.

Lemma above_line_ok s x c : small (exponent s x) = true -> above_line (tangent_at s x) c = true ->
  above (real s / 1048576) (real x / 64) (point c).
Proof.
intros Sm H. unfold above_line, tangent_at in H. destruct c as [[y p] q]. cbn [p_of q_of] in H. cbv zeta in H.
apply real_le in H.
assert (U := exp_up_ok _ Sm). assert (D := exp_down_ok _ Sm).
assert (E : real (exponent s x) / 2199023255552 = real s / 1048576 * (real x / 64) - real s / 1048576 * (real s / 1048576) / 2).
{ unfold exponent. rewrite real_sub, !real_mul, real_two14. change (real 2) with 2. field. }
rewrite E in U, D. fold (slope (real s / 1048576) (real x / 64)) in U, D.
assert (P := Phi_up_ok table table_good (s - x * two14)). assert (Q := Phi_down_ok table table_good (0 - x * two14)).
rewrite real_sub, real_mul, real_two14 in P, Q. change (real 0) with 0 in Q.
replace ((real s - real x * 16384) / 1048576) with (real s / 1048576 - real x / 64) in P by field.
replace ((0 - real x * 16384) / 1048576) with (- (real x / 64)) in Q by field.
set (up := exp_up (exponent s x)) in *. set (down := exp_down (exponent s x)) in *.
set (hi := Phi_up (s - x * two14)) in *. set (lo := Phi_down (0 - x * two14)) in *.
set (e := (p - lo * 1024)%bigZ) in *.
assert (Ee : real e = real p - real lo * 1024) by (unfold e; rewrite real_sub, real_mul; reflexivity).
set (m := by_sign e up down) in *.
assert (Dv := real_div (m * e) two60 ltac:(rewrite real_two60; lra)). rewrite real_two60, real_mul in Dv.
rewrite !real_add, real_mul in H. change (real 1024) with 1024 in H. change (real 1) with 1 in H.
assert (Sp := slope_positive (real s / 1048576) (real x / 64)).
unfold above. cbn [point fst snd]. set (sl := slope (real s / 1048576) (real x / 64)) in *. unfold in58, in60 in *.
assert (M : sl * (real p - Phi (- (real x / 64)) * 288230376151711744) <= real m / 1152921504606846976 * real e).
{ apply Rle_trans with (sl * real e); [apply Rmult_le_compat_l; lra|]. unfold m, by_sign.
  destruct (0 <=? e)%bigZ eqn:Z0.
  - apply real_le in Z0. change (real 0) with 0 in Z0. apply Rmult_le_compat_r; lra.
  - apply real_lt in Z0. change (real 0) with 0 in Z0. nra. }
set (d := (m * e / two60)%bigZ) in *. lra.
Qed.

Fixpoint chain_good (s top : bigZ) (c : corner) (rest : list corner) : bool :=
  match rest with
  | [] => (p_of c =? top)%bigZ && (q_of c =? top)%bigZ
  | d :: rest' => (p_of c <=? p_of d)%bigZ &&
      (((top <=? q_of c)%bigZ && (top <=? q_of d)%bigZ) ||
       (let x := fst (fst c) in small (exponent s x) && let l := tangent_at s x in above_line l c && above_line l d)) &&
      chain_good s top d rest'
  end.

Lemma in58_le x y : (x <=? y)%bigZ = true -> in58 x <= in58 y.
Proof. intros H. apply real_le in H. unfold in58. lra. Qed.

Lemma in58_eq x y : (x =? y)%bigZ = true -> in58 x = in58 y.
Proof. rewrite BigZ.spec_eqb. intros H. apply Z.eqb_eq in H. unfold in58, real. now rewrite H. Qed.

Lemma chain_good_ok s top c rest : chain_good s top c rest = true ->
  chain (real s / 1048576) (in58 top) (point c) (List.map point rest).
Proof.
revert c; induction rest as [|d rest IH]; intros c H; cbn [chain_good List.map chain] in *.
- apply andb_prop in H. destruct H as [A B]. destruct c as [[x p] q]. cbn [point p_of q_of] in *.
  now rewrite (in58_eq _ _ A), (in58_eq _ _ B).
- apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  split; [|split; [|now apply IH]].
  + destruct c as [[x p] q], d as [[x' p'] q']. now apply in58_le.
  + apply orb_prop in B. destruct B as [B|B].
    * right. apply andb_prop in B. destruct B as [B1 B2]. destruct c as [[x p] q], d as [[x' p'] q'].
      split; now apply in58_le.
    * left. apply andb_prop in B. destruct B as [Sm B]. cbv zeta in B. apply andb_prop in B. destruct B as [B1 B2].
      exists (real (fst (fst c)) / 64). split; now apply above_line_ok.
Qed.

Definition in_square (c : corner) : bool :=
  (0 <=? p_of c)%bigZ && (p_of c <=? two58)%bigZ && (0 <=? q_of c)%bigZ && (q_of c <=? two58)%bigZ.

Lemma in_square_ok c : in_square c = true -> square (fst (point c)) (snd (point c)).
Proof.
unfold in_square. intros H. apply andb_prop in H. destruct H as [H D]. apply andb_prop in H. destruct H as [H C].
apply andb_prop in H. destruct H as [A B]. destruct c as [[x p] q]. cbn [p_of q_of point fst snd] in *.
apply real_le in A, B, C, D. rewrite real_two58 in *. change (real 0) with 0 in *. unfold square, in58. lra.
Qed.

(** * Around the coins of a round *)
Definition big (n : nat) : bigZ := BigZ.of_Z (Z.of_nat n).
Lemma real_big n : real (big n) = INR n.
Proof. unfold real, big. rewrite BigZ.spec_of_Z. symmetry. apply INR_IZR_INZ. Qed.
Definition two40 : bigZ := 1099511627776.
Lemma real_two40 : real two40 = 1099511627776. Proof. reflexivity. Qed.

Definition corners_of (g : shape) : list corner := let c := first g in (0%bigZ, p_of c, p_of c) :: c :: others g.
Definition top_of (g : shape) : bigZ := q_of (last (others g) (first g)).

Variables (num den : bigZ). (* of the variance *)
Definition variance_of := real num / real den.
Notation variance := variance_of.
Hypotheses (num_positive : 0 < real num) (den_positive : 0 < real den).

(* After N rounds with n pulls, or any larger number if `free`. *)
Definition shift_enough (N n : nat) (s : bigZ) : bool :=
  (0 <=? s)%bigZ && (big (N - n + 1) * two40 * den <=? s * s * num * (big (n + 1) * big (N + 2)))%bigZ.
Definition reach_enough (N n rest : nat) (x : bigZ) : bool :=
  (0 <=? x)%bigZ && (big rest * big rest * big (N - rest + 1) * two40 * den <=? x * x * num * (big (rest + 1) * big (N + 2)))%bigZ.
(* What does not depend on the round, and is the dear part: the corners lie above tangents, up to chances that bounds of
   thresholds allow. *)
Definition polygon_good (g : shape) : bool :=
  let p := p_of (first g) in
  ((p =? 0)%bigZ || (p <=? Phi_down (0 - high_of g) * 1024)%bigZ) &&
  ((two58 <=? top_of g)%bigZ || (Phi_up (low_of g) * 1024 <=? top_of g)%bigZ) &&
  forallb in_square (first g :: others g) && chain_good (shift_of g) (top_of g) (first g) (others g).
(* And what does: the shift and those bounds are enough for it. *)
Definition reaches_all (N n : nat) (free : bool) (g : shape) : bool :=
  shift_enough N n (shift_of g) &&
  ((p_of (first g) =? 0)%bigZ || (negb free && reach_enough N n (N - n) (high_of g))) &&
  ((two58 <=? top_of g)%bigZ || (negb free && reach_enough N n n (low_of g))).
Definition shape_good (N n : nat) (free : bool) (g : shape) : bool := reaches_all N n free g && polygon_good g.

Lemma over_den a b k : a * real den <= b * real num * k -> a <= b * variance * k.
Proof.
intros H. apply Rmult_le_reg_r with (real den); [exact den_positive|].
replace (b * variance * k * real den) with (b * real num * k); [exact H|]. unfold variance_of. field. lra.
Qed.

Lemma over_deviation N n x h : (n <= N)%nat -> 0 <= x -> 0 <= h ->
  x * x * ((INR n + 1) * (INR (N - n) + 1)) <= h * h * variance * (INR N + 2) -> x / deviation_of variance N n <= h.
Proof.
intros L Hx Hh H. assert (A := pos_INR n). assert (B := pos_INR (N - n)).
assert (E : INR N = INR n + INR (N - n)) by (rewrite <- plus_INR; f_equal; lia).
assert (C : 0 < variance) by (apply Rdiv_lt_0_compat; assumption).
unfold deviation_of. set (v := variance / (INR n + 1) + variance / (INR (N - n) + 1)).
assert (V : v * ((INR n + 1) * (INR (N - n) + 1)) = variance * (INR N + 2)) by (unfold v; rewrite E; field; lra).
assert (P : 0 < (INR n + 1) * (INR (N - n) + 1)) by nra.
assert (V0 : 0 < v). { apply Rmult_lt_reg_r with ((INR n + 1) * (INR (N - n) + 1)); [exact P|]. rewrite V, Rmult_0_l. apply Rmult_lt_0_compat; lra. }
assert (D := sqrt_lt_R0 v V0). apply Rmult_le_reg_r with (sqrt v); [exact D|].
unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
replace (h * sqrt v * (h * sqrt v)) with (h * h * (sqrt v * sqrt v)) by ring. rewrite sqrt_sqrt by lra.
apply Rmult_le_reg_r with ((INR n + 1) * (INR (N - n) + 1)); [exact P|]. rewrite (Rmult_assoc (h * h)), V.
replace (h * h * (variance * (INR N + 2))) with (h * h * variance * (INR N + 2)) by ring. exact H.
Qed.

Lemma shift_enough_ok N n m s : (n <= m <= N)%nat -> shift_enough N n s = true -> step variance N m <= real s / 1048576.
Proof.
intros L H. unfold shift_enough in H. apply andb_prop in H. destruct H as [H0 H]. apply real_le in H0, H.
change (real 0) with 0 in H0. rewrite !real_mul, !real_big, real_two40, !plus_INR in H. apply over_den in H. simpl INR in H.
unfold step. assert (M := pos_INR m). assert (N0 := pos_INR n). assert (B := pos_INR (N - m)).
assert (Ln : INR n <= INR m) by (apply le_INR; lia). assert (Lr : INR (N - m) <= INR (N - n)) by (apply le_INR; lia).
assert (E : / ((INR m + 1) * deviation_of variance N m) = / (INR m + 1) / deviation_of variance N m).
{ unfold Rdiv. rewrite Rinv_mult. reflexivity. }
rewrite E. apply over_deviation; [lia|left; apply Rinv_0_lt_compat; lra|lra|].
replace (/ (INR m + 1) * / (INR m + 1) * ((INR m + 1) * (INR (N - m) + 1))) with ((INR (N - m) + 1) / (INR m + 1))
  by (field; lra).
apply Rle_trans with ((INR (N - n) + 1) / (INR n + 1)).
- apply Rmult_le_compat; [lra|left; apply Rinv_0_lt_compat; lra|lra|apply Rinv_le_contravar; lra].
- apply Rmult_le_reg_r with (INR n + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
Qed.

Lemma reach_enough_ok N n rest x : (n <= N)%nat -> (rest = n \/ rest = N - n)%nat -> reach_enough N n rest x = true ->
  INR rest / (INR rest + 1) / deviation_of variance N n <= real x / 1048576.
Proof.
intros L R H. unfold reach_enough in H. apply andb_prop in H. destruct H as [H0 H]. apply real_le in H0, H.
change (real 0) with 0 in H0. rewrite !real_mul, !real_big, real_two40, !plus_INR in H. apply over_den in H. simpl INR in H.
assert (P := pos_INR rest). assert (B := pos_INR (N - rest)).
apply over_deviation; [exact L|apply Rle_mult_inv_pos; lra|lra|].
assert (Q : (INR n + 1) * (INR (N - n) + 1) = (INR rest + 1) * (INR (N - rest) + 1)).
{ destruct R as [->| ->]; [reflexivity|]. replace (N - (N - n))%nat with n by lia. ring. }
rewrite Q. replace (INR rest / (INR rest + 1) * (INR rest / (INR rest + 1)) * ((INR rest + 1) * (INR (N - rest) + 1)))
  with (INR rest * INR rest * (INR (N - rest) + 1) / (INR rest + 1)) by (field; lra).
apply Rmult_le_reg_r with (INR rest + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
Qed.

(* Pulls up to `top` at least, on the side where the arm pays more; so it bounds who waits as well. *)
Lemma top_enough N n free g m : shape_good N n free g = true -> (m <= N)%nat -> (free = false -> m = n) ->
  Phi (low variance N m) <= in58 (top_of g).
Proof.
intros H L F. apply andb_prop in H. destruct H as [H Po]. unfold reaches_all in H. unfold polygon_good in Po. cbv zeta in Po.
apply andb_prop in H. destruct H as [_ H]. apply andb_prop in Po. destruct Po as [Po _].
apply andb_prop in Po. destruct Po as [Po _]. apply andb_prop in Po. destruct Po as [_ Q].
assert (B1 := Phi_inside (low variance N m)). destruct (two58 <=? top_of g)%bigZ eqn:W; cbn [orb] in H, Q.
- apply real_le in W. rewrite real_two58 in W. unfold in58. lra.
- apply andb_prop in H. destruct H as [Fr R].
  destruct free; [discriminate|]. specialize (F eq_refl). subst m.
  assert (B := reach_enough_ok N n n (low_of g) L (or_introl eq_refl) R). apply real_le in Q. rewrite real_mul in Q.
  change (real 1024) with 1024 in Q. assert (P := Phi_up_ok table table_good (low_of g)).
  assert (M : Phi (low variance N n) <= Phi (real (low_of g) / 1048576)) by now apply Phi_le.
  unfold in58. lra.
Qed.

(* Pulls down to the first corner's at most, on the side where the arm pays less. *)
Lemma bottom_enough N n free g m : shape_good N n free g = true -> (m <= N)%nat -> (free = false -> m = n) ->
  in58 (p_of (first g)) <= Phi (- high variance N m).
Proof.
intros H L F. apply andb_prop in H. destruct H as [H Po]. unfold reaches_all in H. unfold polygon_good in Po. cbv zeta in Po.
apply andb_prop in H. destruct H as [H _]. apply andb_prop in H. destruct H as [_ H].
apply andb_prop in Po. destruct Po as [Po _]. apply andb_prop in Po. destruct Po as [Po _].
apply andb_prop in Po. destruct Po as [Q _]. assert (B1 := Phi_inside (- high variance N m)).
destruct (p_of (first g) =? 0)%bigZ eqn:W; cbn [orb] in H, Q.
- rewrite (in58_eq _ _ W). unfold in58. change (real 0) with 0. lra.
- apply andb_prop in H. destruct H as [Fr R].
  destruct free; [discriminate|]. specialize (F eq_refl). subst m.
  assert (B := reach_enough_ok N n (N - n) (high_of g) L (or_intror eq_refl) R). apply real_le in Q.
  rewrite real_mul in Q. change (real 1024) with 1024 in Q.
  assert (P := Phi_down_ok table table_good (0 - high_of g)). rewrite real_sub in P. change (real 0) with 0 in P.
  assert (M : Phi ((0 - real (high_of g)) / 1048576) <= Phi (- high variance N n)) by (apply Phi_le; unfold high in *; lra).
  unfold in58. lra.
Qed.

(* The least chance of the first pull of an arm after N rounds without one. *)
Definition first_pull (N : nat) (x : bigZ) : bigZ := if reach_enough N 0 N x then (Phi_down (0 - x) * 1024)%bigZ else 0%bigZ.

Lemma first_pull_ok N x : in58 (first_pull N x) <= Phi (- high variance N 0).
Proof.
unfold first_pull. destruct (reach_enough N 0 N x) eqn:R.
- assert (B := reach_enough_ok N 0 N x ltac:(lia) (or_intror (eq_sym (Nat.sub_0_r N))) R).
  assert (P := Phi_down_ok table table_good (0 - x)). rewrite real_sub in P. change (real 0) with 0 in P.
  assert (M : Phi ((0 - real x) / 1048576) <= Phi (- high variance N 0)).
  { apply Phi_le. unfold high. rewrite Nat.sub_0_r. lra. }
  unfold in58. rewrite real_mul. change (real 1024) with 1024. lra.
- unfold in58. change (real 0) with 0. generalize (Phi_inside (- high variance N 0)). lra.
Qed.

(* The polygon contains the coin of the thresholds u and v, and a convex function is at a corner at least what it is
   there. *)
Lemma polygon_good_ok g u v f : polygon_good g = true -> 0 <= u - v <= real (shift_of g) / 1048576 ->
  in58 (p_of (first g)) <= Phi (- u) -> Phi (- v) <= in58 (top_of g) -> convex_square f ->
  exists c, In c (corners_of g) /\ f (Phi (- u)) (Phi (- v)) <= f (in58 (p_of c)) (in58 (q_of c)).
Proof.
intros H Hd Low Top Cx. unfold polygon_good in H. cbv zeta in H.
apply andb_prop in H. destruct H as [H Ch]. apply andb_prop in H. destruct H as [_ Sq].
set (s := real (shift_of g) / 1048576) in *.
assert (Sq' : forall d, In d (point (first g) :: List.map point (others g)) -> square (fst d) (snd d)).
{ intros d I. change (In d (List.map point (first g :: others g))) in I. apply in_map_iff in I.
  destruct I as (c & <- & I). apply in_square_ok. rewrite forallb_forall in Sq. now apply Sq. }
assert (C := chain_good_ok _ _ _ _ Ch). fold s in C.
assert (Pc : fst (point (first g)) = in58 (p_of (first g))) by (destruct (first g) as [[x y] z]; reflexivity).
assert (L0 : 0 <= in58 (p_of (first g))).
{ rewrite <- Pc. apply (Sq' (point (first g))). now left. }
destruct (at_a_corner f s (in58 (p_of (first g))) (in58 (top_of g)) (point (first g)) (List.map point (others g))
  (Phi (- u)) (Phi (- v))) as (d & I & E); try assumption.
- rewrite Pc; lra.
- split; [lra|apply Phi_le; lra].
- intros x0. apply Rle_trans with (Phi (s - u)); [apply Phi_le; lra|apply below_tangent; lra].
- assert (I' : exists c, In c (corners_of g) /\ d = point c).
  { destruct I as [<-|[<-|I]].
    - exists (0%bigZ, p_of (first g), p_of (first g)). split; [now left|reflexivity].
    - assert (J := chain_top _ _ _ _ C). change (In (in58 (top_of g), in58 (top_of g)) (List.map point (first g :: others g))) in J.
      apply in_map_iff in J. destruct J as (c & Ec & J). exists c. split; [right; exact J|now symmetry].
    - change (In d (List.map point (first g :: others g))) in I. apply in_map_iff in I.
      destruct I as (c & Ec & I). exists c. split; [right; exact I|now symmetry]. }
  destruct I' as (c & I' & ->). exists c. split; [exact I'|]. destruct c as [[x y] z]. exact E.
Qed.

Theorem shape_good_ok N n free g m p q f : shape_good N n free g = true -> (n <= m)%nat -> (free = false -> m = n) ->
  coin_of variance N m p q -> convex_square f ->
  exists c, In c (corners_of g) /\ f p q <= f (in58 (p_of c)) (in58 (q_of c)).
Proof.
intros H Lm F (u & v & Lp & Hd & Hu & Hv & -> & ->) Cx.
assert (Top := top_enough N n free g m H (proj2 Lp) F).
assert (Low := bottom_enough N n free g m H (proj2 Lp) F).
apply andb_prop in H. destruct H as [Sh H].
unfold reaches_all in Sh. apply andb_prop in Sh. destruct Sh as [Sh _]. apply andb_prop in Sh. destruct Sh as [Sh _].
assert (S := shift_enough_ok N n m (shift_of g) (conj Lm (proj2 Lp)) Sh).
apply polygon_good_ok; [exact H|lra| | |exact Cx].
- apply Rle_trans with (1 := Low). apply Phi_le; lra.
- apply Rle_trans with (2 := Top). apply Phi_le; lra.
Qed.

(** * Coins of any threshold *)
(* The polygon begins at p = 0 and ends at q = 1, and its shift is at least that of a sample after n pulls. *)
Definition holds_all (n : nat) (g : shape) : bool :=
  (0 <=? shift_of g)%bigZ && (two40 * den <=? shift_of g * shift_of g * num * big (n + 1))%bigZ &&
  (p_of (first g) =? 0)%bigZ && (two58 <=? top_of g)%bigZ.

Theorem holds_all_ok n g m s x f : polygon_good g = true -> holds_all n g = true -> (n <= m)%nat ->
  0 <= s <= shift variance m -> convex_square f ->
  exists c, In c (corners_of g) /\ f (Phi (- x)) (Phi (s - x)) <= f (in58 (p_of c)) (in58 (q_of c)).
Proof.
intros Po H Lm S Cx. unfold holds_all in H. apply andb_prop in H. destruct H as [H Top].
apply andb_prop in H. destruct H as [H Low]. apply andb_prop in H. destruct H as [S0 H]. apply real_le in S0, H, Top.
change (real 0) with 0 in S0. rewrite !real_mul, real_big, real_two40, plus_INR in H. apply over_den in H.
simpl INR in H. replace (s - x) with (- (x - s)) by ring. assert (V : 0 < variance) by (now apply Rdiv_lt_0_compat).
assert (Ln := le_INR _ _ Lm). assert (N0 := pos_INR n). set (h := real (shift_of g)) in *.
assert (W : 0 < variance * (INR m + 1)) by (apply Rmult_lt_0_compat; lra). assert (R0 := sqrt_lt_R0 _ W).
assert (Small : shift variance m <= h / 1048576).
{ unfold shift. apply Rmult_le_reg_r with (sqrt (variance * (INR m + 1))); [exact R0|]. rewrite Rinv_l by lra.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
  replace (h / 1048576 * sqrt (variance * (INR m + 1)) * (h / 1048576 * sqrt (variance * (INR m + 1)))) with
    (h * h / 1099511627776 * (sqrt (variance * (INR m + 1)) * sqrt (variance * (INR m + 1)))) by field.
  rewrite sqrt_sqrt by lra. assert (0 <= h * h * variance) by (apply Rmult_le_pos; [nra|lra]). nra. }
apply polygon_good_ok; [exact Po|fold h; lra| | |exact Cx].
- rewrite (in58_eq _ _ Low). unfold in58. change (real 0) with 0. generalize (Phi_inside (- x)). lra.
- rewrite real_two58 in Top. unfold in58. generalize (Phi_inside (- (x - s))). lra.
Qed.
End Table.
