(* One round after the changed reward was read is a coin: (Phi(-x), Phi(s - x)). What it costs, tilted, is at most what
   corners of a polygon around the coins cost, and little far out. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments.
Import ListNotations.
Open Scope R_scope.

(** * The normal tail *)
Lemma wedge_at_most x : wedge x <= exp (- (x * x) / 2).
Proof.
replace (exp (- (x * x) / 2)) with (RInt (fun _ => exp (- (x * x) / 2)) 0 1).
- apply RInt_le; [lra|apply ray_integrable|apply ex_RInt_const|]. intros t Ht. unfold ray.
  assert (E : exp (- (x * x) * (1 + t * t) / 2) <= exp (- (x * x) / 2)).
  { apply exp_le. assert (0 <= x * x * (t * t)) by nra. lra. }
  assert (P := exp_pos (- (x * x) * (1 + t * t) / 2)).
  apply Rle_trans with (exp (- (x * x) * (1 + t * t) / 2)); [|exact E].
  apply Rmult_le_reg_r with (1 + t * t); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra.
- rewrite RInt_const. unfold scal; simpl; unfold mult; simpl; ring.
Qed.

Theorem Phi_tail x : 0 <= x -> Phi (- x) <= exp (- (x * x) / 2).
Proof.
intros H. rewrite Phi_opp, Phi_area. assert (P := PI_RGT_0). assert (R0 := root_two_pi).
set (part := area x / sqrt (2 * PI)).
assert (A0 : 0 <= part).
{ apply Rle_mult_inv_pos; [|exact R0]. apply RInt_ge_0; [exact H|apply bell_integrable|]. intros; left; apply exp_pos. }
assert (E := area_and_wedge x H). rewrite wedge_0 in E.
assert (S : part * part = / 4 - wedge x / PI).
{ assert (Q : part * part = area x * area x / (2 * PI)).
  { unfold part. rewrite <- (sqrt_sqrt (2 * PI)) at 3 by lra. field; lra. }
  rewrite Q. replace (area x * area x) with (PI / 2 - 2 * wedge x) by lra. field; lra. }
assert (W := wedge_at_most x). assert (PI2 : 2 < PI) by (generalize PI2_3_2; lra).
assert (W0 := wedge_positive x).
assert (wedge x / PI <= wedge x / 2).
{ apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
assert (E0 := exp_pos (- (x * x) / 2)). set (d := / 2 - part).
assert (F : d * (/ 2 + part) <= exp (- (x * x) / 2) / 2) by (unfold d; lra).
destruct (Rle_lt_dec d 0) as [N|N]; [unfold d in N; lra|].
assert (d * / 2 <= d * (/ 2 + part)) by (apply Rmult_le_compat_l; lra). unfold d in *; lra.
Qed.

(** * Tilted chances are convex *)
Section Coins.
Variable lam : R.
Hypothesis lam_positive : 0 < lam.
Notation tilted := (tilted lam).

Lemma young x y t : 0 < x -> 0 < y -> 0 < t ->
  (1 + lam) * exp (lam * ln t) * x - lam * exp ((1 + lam) * ln t) * y <= tilted x y.
Proof.
intros Hx Hy Ht. set (r := x / (y * t)).
assert (YT : 0 < y * t) by now apply Rmult_lt_0_compat.
assert (R0 : 0 < r) by now apply Rdiv_lt_0_compat.
assert (X : x = r * (y * t)) by (unfold r; field; lra).
assert (L : ln x - ln y = ln r + ln t) by (rewrite X, !ln_mult; auto; ring).
assert (T : exp ((1 + lam) * ln t) = exp (lam * ln t) * t).
{ rewrite <- (exp_ln t) at 3 by exact Ht. rewrite <- exp_plus. f_equal; ring. }
unfold moments.tilted. rewrite L, Rmult_plus_distr_l, exp_plus, T.
set (e := exp (lam * ln t)). assert (E0 : 0 < e) by apply exp_pos.
assert (A := exp_ineq1_le (lam * ln r)). assert (B := ln_below 1 r Rlt_0_1 R0). rewrite ln_1 in B.
assert (C : r * ln r >= r - 1).
{ assert (r * (1 / r) = 1) by (field; lra). nra. }
assert (D : (1 + lam) * r - lam <= r * exp (lam * ln r)) by nra.
replace ((1 + lam) * e * x - lam * (e * t) * y) with (((1 + lam) * r - lam) * (e * (y * t))) by (rewrite X; ring).
replace (x * (exp (lam * ln r) * e)) with ((r * exp (lam * ln r)) * (e * (y * t))) by (rewrite X; ring).
apply Rmult_le_compat_r; [|exact D]. apply Rmult_le_pos; lra.
Qed.

Lemma young_equal x y : 0 < x -> 0 < y ->
  tilted x y = (1 + lam) * exp (lam * ln (x / y)) * x - lam * exp ((1 + lam) * ln (x / y)) * y.
Proof.
intros Hx Hy. assert (Q : 0 < x / y) by now apply Rdiv_lt_0_compat.
assert (T : exp ((1 + lam) * ln (x / y)) = exp (lam * ln (x / y)) * (x / y)).
{ rewrite <- (exp_ln (x / y)) at 3 by exact Q. rewrite <- exp_plus. f_equal; ring. }
rewrite T. unfold moments.tilted. unfold Rdiv at 1. 
assert (L : ln (x / y) = ln x - ln y).
{ unfold Rdiv. rewrite ln_mult, ln_Rinv; auto using Rinv_0_lt_compat. }
change (x * / y) with (x / y). rewrite L. field; lra.
Qed.

Lemma tilted_convex a b x y x' y' : 0 <= a -> 0 <= b -> 0 < a + b -> 0 < x -> 0 < y -> 0 < x' -> 0 < y' ->
  tilted (a * x + b * x') (a * y + b * y') <= a * tilted x y + b * tilted x' y'.
Proof.
intros Ha Hb Hab Hx Hy Hx' Hy'.
assert (M : forall u v, 0 < u -> 0 < v -> 0 < a * u + b * v).
{ intros u v Hu Hv. destruct Ha as [Ha| <-]; [|nra]. assert (0 < a * u) by now apply Rmult_lt_0_compat. nra. }
assert (X := M x x' Hx Hx'). assert (Y := M y y' Hy Hy').
set (t := (a * x + b * x') / (a * y + b * y')). assert (T : 0 < t) by now apply Rdiv_lt_0_compat.
rewrite young_equal by assumption. fold t.
assert (A := young x y t Hx Hy T). assert (B := young x' y' t Hx' Hy' T).
apply (Rmult_le_compat_l a) in A; [|exact Ha]. apply (Rmult_le_compat_l b) in B; [|exact Hb]. lra.
Qed.

Lemma tilted_at_most x y : 0 < x -> x <= y -> tilted x y <= x.
Proof.
intros Hx H. unfold moments.tilted. rewrite <- (Rmult_1_r x) at 3. apply Rmult_le_compat_l; [lra|].
rewrite <- exp_0. apply exp_le. assert (ln x <= ln y) by (destruct H as [H|<-]; [left; now apply ln_increasing|lra]).
nra.
Qed.

Lemma tilted_by_second x y : 0 < x <= 1 -> 0 < y -> tilted x y <= exp (- (lam * ln y)).
Proof.
intros [H0 H1] Hy. unfold moments.tilted. rewrite <- (exp_ln x) at 1 by exact H0. rewrite <- exp_plus. apply exp_le.
assert (ln x <= 0) by (rewrite <- ln_1; destruct H1 as [H1| ->]; [left; now apply ln_increasing|lra]). nra.
Qed.

(* Data processing: the tilted chances of a half-line are at most the tilted normal's. *)
Theorem tilted_half_line s x :
  tilted (Phi (s - x)) (Phi (- x)) <= exp ((1 + lam) * lam * (s * s) / 2) * Phi ((1 + lam) * s - x).
Proof.
assert (P := Phi_inside (s - x)). assert (Q := Phi_inside (- x)).
set (t := Phi (s - x) / Phi (- x)). assert (T : 0 < t) by (apply Rdiv_lt_0_compat; lra).
set (A := (1 + lam) * exp (lam * ln t)). set (B := lam * exp ((1 + lam) * ln t)).
set (E := exp ((1 + lam) * lam * (s * s) / 2)).
rewrite young_equal by lra. fold t A B.
set (gap := fun y => E * Phi ((1 + lam) * s - y) - A * Phi (s - y) + B * Phi (- y)).
assert (A0 : 0 < A) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
assert (B0 : 0 < B) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
assert (E0 : 0 < E) by apply exp_pos.
assert (D : forall y, is_derive gap y (- (E * density ((1 + lam) * s - y) - A * density (s - y) + B * density y))).
{ intros y. assert (S : forall u, is_derive (fun z => Phi (u - z)) y (- density (u - y))).
  { intros u. evar_last.
    - apply (is_derive_comp Phi (fun z => u - z)); [apply Phi_derive|]. auto_derive; [auto|reflexivity].
    - unfold scal; simpl; unfold mult; simpl; ring. }
  unfold gap. evar_last.
  - apply (is_derive_plus (fun z => E * Phi ((1 + lam) * s - z) - A * Phi (s - z)) (fun z => B * Phi (- z))).
    + apply (is_derive_minus (fun z => E * Phi ((1 + lam) * s - z)) (fun z => A * Phi (s - z)));
        apply is_derive_scal, S.
    + apply is_derive_scal. apply (is_derive_ext (fun z => Phi (0 - z))); [intros; f_equal; ring|apply S].
  - unfold minus, plus, opp; simpl. replace (0 - y) with (- y) by ring.
    replace (density (- y)) with (density y) by (unfold density; do 3 f_equal; ring). ring. }
assert (N : forall y, 0 <= E * density ((1 + lam) * s - y) - A * density (s - y) + B * density y).
{ intros y. assert (Y := young (density (s - y)) (density y) t (density_positive _) (density_positive _) T).
  assert (Z : tilted (density (s - y)) (density y) = E * density ((1 + lam) * s - y)).
  { unfold moments.tilted. rewrite density_shifted, ln_mult by (apply slope_positive || apply density_positive).
    unfold slope at 2. rewrite ln_exp. unfold E, slope, density, Rdiv. 
    replace (lam * (s * y - s * s * / 2 + ln (exp (- (y * y) * / 2) * / sqrt (2 * PI)) - ln (exp (- (y * y) * / 2) * / sqrt (2 * PI))))
      with (lam * (s * y - s * s * / 2)) by ring.
    rewrite <- !Rmult_assoc, <- !exp_plus.
    transitivity (exp (s * y - s * s * / 2 + - (y * y) * / 2 + lam * (s * y - s * s * / 2)) * / sqrt (2 * PI)).
    - rewrite !exp_plus; ring.
    - do 2 f_equal. field. }
  rewrite Z in Y. fold A B in Y. lra. }
assert (F : forall y, x <= y -> gap y <= gap x).
{ intros y Hy. destruct (MVT_gen gap x y (fun z => - (E * density ((1 + lam) * s - z) - A * density (s - z) + B * density z)))
    as (z & _ & Ez); [intros; apply D| |].
  - intros z _. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply D.
  - assert (G := N z). nra. }
assert (G : 0 <= gap x); [|unfold gap in G; lra].
apply Rnot_lt_le; intros G.
(* far out the gap is above any negative number *)
set (m := 1 + 2 * A / - gap x). assert (M1 : 1 < m).
{ unfold m. assert (0 < 2 * A / - gap x) by (apply Rdiv_lt_0_compat; lra). lra. }
set (y := Rmax x (s + m)).
assert (Y1 : x <= y) by apply Rmax_l. assert (Y2 : m <= y - s) by (generalize (Rmax_r x (s + m)); unfold y; lra).
assert (U := F y Y1).
assert (V : - (A * Phi (s - y)) <= gap y).
{ unfold gap. assert (V1 := Phi_inside ((1 + lam) * s - y)). assert (V2 := Phi_inside (- y)). nra. }
assert (W : Phi (s - y) * (y - s) <= 2).
{ replace (s - y) with (- (y - s)) by ring. assert (K := Phi_tail (y - s) ltac:(lra)).
  assert (J := exp_ineq1_le ((y - s) * (y - s) / 2)).
  assert (I : exp (- ((y - s) * (y - s)) / 2) * exp ((y - s) * (y - s) / 2) = 1).
  { rewrite <- exp_plus. replace (- ((y - s) * (y - s)) / 2 + (y - s) * (y - s) / 2) with 0 by field. apply exp_0. }
  assert (X0 := exp_pos (- ((y - s) * (y - s)) / 2)).
  assert (Z0 := proj1 (Phi_inside (- (y - s)))). set (h := exp (- ((y - s) * (y - s)) / 2)) in *. set (u := y - s) in *.
  assert (L1 : h * (u * u / 2 + 1) <= 1) by (rewrite <- I; apply Rmult_le_compat_l; lra).
  assert (L2 : h * u <= h * (u * u / 2 + 1)) by (apply Rmult_le_compat_l; [lra|nra]).
  assert (L3 : Phi (- u) * u <= h * u) by (apply Rmult_le_compat_r; lra). lra. }
assert (B1 : A * 2 / m < - gap x).
{ unfold m. assert (Q2 : 0 < 2 * A / - gap x) by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_lt_reg_r with (1 + 2 * A / - gap x); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
  replace (- gap x * (1 + 2 * A / - gap x)) with (- gap x + 2 * A) by (field; lra). lra. }
assert (C1 : Phi (s - y) <= 2 / m).
{ assert (Z0 := proj1 (Phi_inside (s - y))). apply Rmult_le_reg_r with m; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
assert (A * Phi (s - y) <= A * 2 / m) by (unfold Rdiv; rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|exact C1]).
lra.
Qed.

(** * What a coin costs *)
(* p <= q: the arm is pulled with chance p on one side and q on the other; b is what its pull is worth. *)
Definition cost (b p q : R) := exp (- b) * tilted p q + tilted (1 - p) (1 - q).

Lemma cost_convex b c p q p' q' : 0 <= c <= 1 -> 0 < p < 1 -> 0 < q < 1 -> 0 < p' < 1 -> 0 < q' < 1 ->
  cost b (c * p + (1 - c) * p') (c * q + (1 - c) * q') <= c * cost b p q + (1 - c) * cost b p' q'.
Proof.
intros. assert (A := tilted_convex c (1 - c) p q p' q' ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
assert (B := tilted_convex c (1 - c) (1 - p) (1 - q) (1 - p') (1 - q')
  ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
assert (E := exp_pos (- b)). unfold cost.
replace (1 - (c * p + (1 - c) * p')) with (c * (1 - p) + (1 - c) * (1 - p')) by ring.
replace (1 - (c * q + (1 - c) * q')) with (c * (1 - q) + (1 - c) * (1 - q')) by ring.
apply (Rmult_le_compat_l (exp (- b))) in A; lra.
Qed.

Lemma cost_diagonal b p : 0 <= b -> 0 < p < 1 -> cost b p p <= 1.
Proof.
intros Hb Hp. unfold cost. rewrite !tilted_same.
assert (exp (- b) <= 1) by (rewrite <- exp_0; apply exp_le; lra). nra.
Qed.

(* Inside of the unit square, and on or above the tangent at x0 of the coins with shift s. *)
Definition inside (c : R * R) := 0 < fst c < 1 /\ 0 < snd c < 1.
Definition above s x0 (c : R * R) := Phi (s - x0) + slope s x0 * (fst c - Phi (- x0)) <= snd c.
Definition edge s (c d : R * R) := fst c < fst d /\ exists x0, above s x0 c /\ above s x0 d.
Fixpoint polygon s (c : R * R) (rest : list (R * R)) : Prop :=
  match rest with [] => True | d :: rest' => edge s c d /\ polygon s d rest' end.
Fixpoint last_of (c : R * R) (rest : list (R * R)) : R * R :=
  match rest with [] => c | d :: rest' => last_of d rest' end.

Lemma last_of_map {A : Type} (f : A -> R * R) rest : forall c, last_of (f c) (List.map f rest) = f (List.last rest c).
Proof.
induction rest as [|d rest IH]; intros c; [reflexivity|]. cbn [List.map last_of]. rewrite IH.
destruct rest as [|e rest]; [reflexivity|]. f_equal. cbn [List.last].
clear IH. revert e. induction rest as [|g rest IH]; intros e; [reflexivity|]. cbn [List.last]. apply IH.
Qed.

(* A function that is convex in the unit square and at most m on the diagonal and at the corners is at most m at every
   point between them. *)
Definition convex_inside (f : R -> R -> R) := forall c p q p' q', 0 <= c <= 1 ->
  inside (p, q) -> inside (p', q') -> f (c * p + (1 - c) * p') (c * q + (1 - c) * q') <= c * f p q + (1 - c) * f p' q'.

Lemma between_corners f m s c rest p q : convex_inside f -> (forall x, 0 < x < 1 -> f x x <= m) ->
  List.Forall (fun d => inside d /\ f (fst d) (snd d) <= m) (c :: rest) -> polygon s c rest ->
  0 < p < 1 -> p <= q -> (forall x0, q <= Phi (s - x0) + slope s x0 * (p - Phi (- x0))) ->
  fst c < p <= fst (last_of c rest) -> f p q <= m.
Proof.
intros Hf Hd; revert c; induction rest as [|d rest IH]; intros c Hc Hpoly Hp Hpq Hbelow Hrange; [simpl in Hrange; lra|].
destruct Hpoly as [[Hcd (x0 & Oc & Od)] Hrest]. inversion Hc as [|? ? Cc Crest]; subst.
destruct (Rle_lt_dec p (fst d)) as [L|L]; [|apply (IH d); auto; simpl in Hrange; lra].
inversion Crest as [|? ? Cd _]; subst. destruct Cc as [[C1 C2] C3], Cd as [[D1 D2] D3].
set (a := (fst d - p) / (fst d - fst c)).
assert (Ha : 0 <= a <= 1).
{ unfold a; split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (fst d - fst c); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
assert (Ep : a * fst c + (1 - a) * fst d = p) by (unfold a; field; lra).
set (y := a * snd c + (1 - a) * snd d).
assert (Hy : q <= y).
{ unfold above in Oc, Od. apply Rle_trans with (1 := Hbelow x0).
  apply (Rmult_le_compat_l a) in Oc; [|lra]. apply (Rmult_le_compat_l (1 - a)) in Od; [|lra].
  rewrite <- Ep at 1. unfold y. lra. }
assert (Y : 0 < y < 1) by (unfold y; destruct Ha as [[A0|A0] [A1|A1]]; nra).
assert (Top : f p y <= m).
{ rewrite <- Ep. unfold y. eapply Rle_trans; [apply Hf; [exact Ha|split; assumption|split; assumption]|]. nra. }
destruct (Req_dec y p) as [E|E]; [replace q with p by lra; now apply Hd|].
set (b := (y - q) / (y - p)).
assert (Hb : 0 <= b <= 1).
{ unfold b; split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (y - p); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
replace p with (b * p + (1 - b) * p) by ring. replace q with (b * p + (1 - b) * y) by (unfold b; field; lra).
eapply Rle_trans; [apply Hf; [exact Hb|split; assumption|split; assumption]|].
assert (Dp := Hd p Hp). nra.
Qed.
(** * All coins of a round with shift at most s *)
(* Both orders: the arm is pulled more often on the right, or on the left. *)
Definition both_at_most (m b p q : R) := cost b p q <= m /\ cost b q p <= m.

Definition good_corners (m b s : R) (c : R * R) (rest : list (R * R)) := polygon s c rest /\
  List.Forall (fun d => inside d /\ both_at_most m b (fst d) (snd d)) (c :: rest).

Lemma coin_chances s x : 0 <= s -> 0 < Phi (- x) < 1 /\ 0 < Phi (s - x) < 1 /\ Phi (- x) <= Phi (s - x).
Proof. intros Hs. split; [apply Phi_inside|split; [apply Phi_inside|apply Phi_le; lra]]. Qed.

Theorem near_coins m b s low high c rest s' x : 0 <= b -> 1 <= m -> good_corners m b s c rest ->
  fst c < Phi low -> Phi high <= fst (last_of c rest) -> 0 <= s' <= s -> low <= - x <= high ->
  both_at_most m b (Phi (- x)) (Phi (s' - x)).
Proof.
intros Hb Hm [Hpoly Hc] Hlow Hhigh Hs Hx. destruct (coin_chances s' x (proj1 Hs)) as (P & Q & PQ).
assert (B : forall x0, Phi (s' - x) <= Phi (s - x0) + slope s x0 * (Phi (- x) - Phi (- x0))).
{ intros x0. apply Rle_trans with (Phi (s - x)); [apply Phi_le; lra|apply below_tangent; lra]. }
assert (Rg : fst c < Phi (- x) <= fst (last_of c rest)).
{ split; [apply Rlt_le_trans with (1 := Hlow); apply Phi_le; lra|].
  apply Rle_trans with (2 := Hhigh). apply Phi_le; lra. }
assert (F : forall f, (forall d, inside d /\ both_at_most m b (fst d) (snd d) -> inside d /\ f (fst d) (snd d) <= m) ->
  List.Forall (fun d => inside d /\ f (fst d) (snd d) <= m) (c :: rest)).
{ intros f H. apply List.Forall_impl with (2 := Hc); exact H. }
split.
- apply (between_corners (cost b) m s c rest); auto.
  + intros a p q p' q' Ha [I1 I2] [I3 I4]; simpl in *. now apply cost_convex.
  + intros y Hy. apply Rle_trans with 1; [now apply cost_diagonal|exact Hm].
  + apply F. intros d [D1 [D2 D3]]. now split.
- apply (between_corners (fun p q => cost b q p) m s c rest); auto.
  + intros a p q p' q' Ha [I1 I2] [I3 I4]; simpl in *. now apply cost_convex.
  + intros y Hy. apply Rle_trans with 1; [now apply cost_diagonal|exact Hm].
  + apply (F (fun p q => cost b q p)). intros d [D1 [D2 D3]]. now split.
Qed.

Lemma cost_at_most b p q : 0 <= b -> 0 < p -> cost b p q <= tilted p q + tilted (1 - p) (1 - q).
Proof.
intros Hb Hp. unfold cost. apply Rplus_le_compat_r. assert (T := tilted_positive lam p q Hp).
assert (exp (- b) <= 1) by (rewrite <- exp_0; apply exp_le; lra). nra.
Qed.

Lemma by_second_le y z : 0 < y -> y <= z -> exp (- (lam * ln z)) <= exp (- (lam * ln y)).
Proof.
intros Hy H. apply exp_le. assert (ln y <= ln z) by (destruct H as [H|<-]; [left; now apply ln_increasing|lra]). nra.
Qed.

Definition tail s := exp ((1 + lam) * lam * (s * s) / 2).

Lemma tail_le s' s : 0 <= s' <= s -> 0 < tail s' <= tail s.
Proof.
intros H. split; [apply exp_pos|apply exp_le]. assert (s' * s' <= s * s) by nra.
assert (0 < (1 + lam) * lam) by nra. nra.
Qed.

(* Thresholds from x0 on: the pull is rare. *)
Theorem rare_pulls m b s x0 s' x : 0 <= b -> 0 <= s' <= s -> x0 <= x ->
  Phi (- x0) + exp (- (lam * ln (Phi (x0 - s)))) <= m -> tail s * Phi ((1 + lam) * s - x0) + 1 <= m ->
  both_at_most m b (Phi (- x)) (Phi (s' - x)).
Proof.
intros Hb Hs Hx HR HL. destruct (coin_chances s' x (proj1 Hs)) as (P & Q & PQ).
assert (N : 1 - Phi (s' - x) = Phi (x - s')) by (rewrite <- Phi_opp; f_equal; ring).
split.
- eapply Rle_trans; [apply cost_at_most; lra|]. eapply Rle_trans; [|exact HR]. apply Rplus_le_compat.
  + eapply Rle_trans; [apply tilted_at_most; lra|]. apply Phi_le; lra.
  + eapply Rle_trans; [apply tilted_by_second; lra|]. rewrite N. apply by_second_le; [apply Phi_inside|apply Phi_le; lra].
- eapply Rle_trans; [apply cost_at_most; lra|]. eapply Rle_trans; [|exact HL]. apply Rplus_le_compat.
  + eapply Rle_trans; [apply tilted_half_line; lra|]. fold (tail s').
    destruct (tail_le s' s Hs) as [T0 T1]. assert (F := Phi_inside ((1 + lam) * s' - x)).
    apply Rmult_le_compat; [lra|lra|exact T1|apply Phi_le; nra].
  + eapply Rle_trans; [apply tilted_at_most; lra|lra].
Qed.

(* Thresholds up to -x1: not to be pulled is rare. *)
Theorem rare_others m b s x1 s' x : 0 <= b -> 0 <= s' <= s -> x <= - x1 ->
  1 + tail s * Phi (lam * s - x1) <= m -> exp (- (lam * ln (Phi x1))) + Phi (- x1) <= m ->
  both_at_most m b (Phi (- x)) (Phi (s' - x)).
Proof.
intros Hb Hs Hx HR HL. destruct (coin_chances s' x (proj1 Hs)) as (P & Q & PQ).
assert (N : 1 - Phi (s' - x) = Phi (x - s')) by (rewrite <- Phi_opp; f_equal; ring).
assert (N' : 1 - Phi (- x) = Phi x) by (rewrite Phi_opp; ring).
split.
- eapply Rle_trans; [apply cost_at_most; lra|]. eapply Rle_trans; [|exact HR]. apply Rplus_le_compat.
  + eapply Rle_trans; [apply tilted_at_most; lra|lra].
  + rewrite N, N'. replace (Phi x) with (Phi (s' - (s' - x))) by (f_equal; ring).
    replace (x - s') with (- (s' - x)) by ring. eapply Rle_trans; [apply tilted_half_line; lra|]. fold (tail s').
    destruct (tail_le s' s Hs) as [T0 T1]. assert (F := Phi_inside ((1 + lam) * s' - (s' - x))).
    apply Rmult_le_compat; [lra|lra|exact T1|apply Phi_le; nra].
- eapply Rle_trans; [apply cost_at_most; lra|]. eapply Rle_trans; [|exact HL]. apply Rplus_le_compat.
  + eapply Rle_trans; [apply tilted_by_second; lra|]. apply by_second_le; [apply Phi_inside|apply Phi_le; lra].
  + eapply Rle_trans; [apply tilted_at_most; lra|]. rewrite N. apply Phi_le; lra.
Qed.
End Coins.
