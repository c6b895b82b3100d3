(* The standard normal distribution function: between 0 and 1, symmetric; what a shift makes of it lies below tangents. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition density (x : R) := exp (- (x * x) / 2) / sqrt (2 * PI).
Definition Phi (x : R) := 1 / 2 + RInt density 0 x.

(** * The integral of exp(-t^2/2) *)
Definition bell (t : R) := exp (- (t * t) / 2).
Definition area (x : R) := RInt bell 0 x.

Lemma bell_continuous t : continuous bell t.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive; auto. Qed.

Lemma bell_integrable a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply bell_continuous. Qed.

Lemma area_derive x : is_derive area x (bell x).
Proof.
apply (is_derive_RInt bell area 0 x); [|apply bell_continuous].
apply filter_forall; intros y. apply (RInt_correct bell), bell_integrable.
Qed.

(* area(x)^2/2 + wedge(x) is the same for all x: both change at opposite rates. *)
Definition ray (x t : R) := exp (- (x * x) * (1 + t * t) / 2) / (1 + t * t).
Definition ray_rate (x t : R) := - x * exp (- (x * x) * (1 + t * t) / 2).
Definition wedge (x : R) := RInt (ray x) 0 1.

Lemma ray_continuous x t : continuous (ray x) t.
Proof.
apply (ex_derive_continuous (V := R_NormedModule)). unfold ray. assert (1 + t * t <> 0) by nra. auto_derive; auto.
Qed.

Lemma ray_integrable x a b : ex_RInt (ray x) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply ray_continuous. Qed.

Lemma ray_derive x t : is_derive (fun y => ray y t) x (ray_rate x t).
Proof. unfold ray, ray_rate. assert (1 + t * t <> 0) by nra. auto_derive; auto. unfold Rdiv. field; auto. Qed.

Lemma ray_rate_continuous x t : continuity_2d_pt ray_rate x t.
Proof.
unfold ray_rate. apply continuity_2d_pt_mult; [apply continuity_2d_pt_opp, continuity_2d_pt_id1|].
apply (continuity_1d_2d_pt_comp exp (fun y u => - (y * y) * (1 + u * u) / 2)).
- apply derivable_continuous_pt, derivable_pt_exp.
- apply continuity_2d_pt_mult; [apply continuity_2d_pt_mult|apply continuity_2d_pt_const].
  + apply continuity_2d_pt_opp, continuity_2d_pt_mult; apply continuity_2d_pt_id1.
  + apply continuity_2d_pt_plus; [apply continuity_2d_pt_const|].
    apply continuity_2d_pt_mult; apply continuity_2d_pt_id2.
Qed.

Lemma wedge_derive x : is_derive wedge x (RInt (ray_rate x) 0 1).
Proof.
assert (D : forall y t, Derive (fun z => ray z t) y = ray_rate y t).
{ intros; apply is_derive_unique, ray_derive. }
evar_last.
- apply (is_derive_RInt_param ray 0 1 x).
  + apply filter_forall; intros y t _. eexists; apply ray_derive.
  + intros t _. apply continuity_2d_pt_ext with (f := ray_rate); [now intros|apply ray_rate_continuous].
  + apply filter_forall; intros y; apply ray_integrable.
- apply RInt_ext; intros t _; apply D.
Qed.

Lemma wedge_rate x : RInt (ray_rate x) 0 1 = - (bell x * area x).
Proof.
transitivity (RInt (fun t => scal (- bell x) (scal x (bell (x * t + 0)))) 0 1).
- apply RInt_ext; intros t _. unfold ray_rate, bell, scal; simpl; unfold mult; simpl.
  replace (- (x * x) * (1 + t * t) / 2) with (- (x * x) / 2 + - ((x * t + 0) * (x * t + 0)) / 2) by field.
  rewrite exp_plus; ring.
- rewrite (RInt_scal (fun t => scal x (bell (x * t + 0)))); [|apply (ex_RInt_comp_lin bell), bell_integrable].
  rewrite (RInt_comp_lin bell) by apply bell_integrable.
  unfold area. replace (x * 0 + 0) with 0 by ring. replace (x * 1 + 0) with x by ring.
  unfold scal; simpl; unfold mult; simpl; ring.
Qed.

Lemma area_0 : area 0 = 0.
Proof. unfold area. rewrite RInt_point. reflexivity. Qed.

Lemma area_and_wedge x : 0 <= x -> area x * area x / 2 + wedge x = wedge 0.
Proof.
set (both := fun y => area y * area y / 2 + wedge y).
assert (D : forall y, is_derive both y 0).
{ intros y. evar_last.
  - apply (is_derive_plus (fun z => area z * area z / 2) wedge); [|apply wedge_derive].
    apply (is_derive_ext (fun z => scal (/ 2) (area z * area z))).
    + intros z. unfold scal; simpl; unfold mult; simpl; field.
    + apply is_derive_scal, (is_derive_mult area area); [apply area_derive|apply area_derive|intros; apply Rmult_comm].
  - rewrite wedge_rate. unfold plus, mult, scal; simpl; unfold mult; simpl. field. }
intros [H|<-]; [|rewrite area_0; lra].
change (both x = wedge 0). rewrite <- (eq_is_derive both 0 x); [|intros; apply D|exact H].
unfold both. rewrite area_0; lra.
Qed.

Lemma wedge_0 : wedge 0 = PI / 4.
Proof.
assert (A : forall t, is_derive atan t (/ (1 + t * t))).
{ intros t. apply is_derive_Reals. replace (t * t) with (t ^ 2) by ring. apply derivable_pt_lim_atan. }
unfold wedge. transitivity (RInt (Derive atan) 0 1).
- apply RInt_ext; intros t _. rewrite (is_derive_unique _ _ _ (A t)). unfold ray.
  replace (- (0 * 0) * (1 + t * t) / 2) with 0 by field. rewrite exp_0. apply Rmult_1_l.
- rewrite RInt_Derive.
  + rewrite atan_1, atan_0; lra.
  + intros t _. eexists; apply A.
  + intros t _. apply (continuous_ext (fun u => / (1 + u * u))).
    * intros u; symmetry; apply is_derive_unique, A.
    * apply (ex_derive_continuous (V := R_NormedModule)). assert (1 + t * t <> 0) by nra. auto_derive; auto.
Qed.

Lemma wedge_positive x : 0 <= wedge x.
Proof.
apply RInt_ge_0; [lra|apply ray_integrable|]. intros t _. left. apply Rdiv_lt_0_compat; [apply exp_pos|nra].
Qed.

Lemma area_at_most x : 0 <= x -> area x <= sqrt (2 * PI) / 2.
Proof.
intros H. assert (W := wedge_positive x).
assert (E := area_and_wedge x H). rewrite wedge_0 in E. assert (P := PI_RGT_0).
apply Rsqr_incr_0_var; [|generalize (sqrt_pos (2 * PI)); lra].
unfold Rsqr. replace (sqrt (2 * PI) / 2 * (sqrt (2 * PI) / 2)) with (sqrt (2 * PI) * sqrt (2 * PI) / 4) by field.
rewrite sqrt_sqrt; lra.
Qed.

(** * Phi *)
Lemma root_two_pi : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. generalize PI_RGT_0; lra. Qed.

Lemma Phi_area x : Phi x = 1 / 2 + area x / sqrt (2 * PI).
Proof.
unfold Phi, area. f_equal. transitivity (RInt (fun t => scal (/ sqrt (2 * PI)) (bell t)) 0 x).
- apply RInt_ext; intros t _. unfold density, bell, scal; simpl; unfold mult; simpl. unfold Rdiv; ring.
- rewrite (RInt_scal bell) by apply bell_integrable. unfold scal; simpl; unfold mult; simpl. unfold Rdiv; ring.
Qed.

Lemma density_positive x : 0 < density x.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos|apply root_two_pi]. Qed.

Lemma density_continuous x : continuous density x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold density. generalize root_two_pi; intros. auto_derive; lra. Qed.

Lemma density_integrable a b : ex_RInt density a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply density_continuous. Qed.

Lemma Phi_derive x : is_derive Phi x (density x).
Proof.
unfold Phi. evar_last.
- apply (is_derive_plus (fun _ => 1 / 2) (fun y => RInt density 0 y)); [apply @is_derive_const|].
  apply (is_derive_RInt density (fun y => RInt density 0 y) 0 x); [|apply density_continuous].
  apply filter_forall; intros y. apply (RInt_correct density), density_integrable.
- apply plus_zero_l.
Qed.

Lemma Phi_increases x y : x < y -> Phi x < Phi y.
Proof.
intros H. unfold Phi. rewrite <- (RInt_Chasles density 0 x y) by apply density_integrable.
assert (0 < RInt density x y); [|unfold plus; simpl; lra].
apply RInt_gt_0; [exact H|intros; apply density_positive|].
intros; apply density_continuous.
Qed.

Lemma Phi_le x y : x <= y -> Phi x <= Phi y.
Proof. intros [H|<-]; [left; now apply Phi_increases|lra]. Qed.

Lemma Phi_opp x : Phi (- x) = 1 - Phi x.
Proof.
unfold Phi. assert (E : RInt density 0 (- x) = - RInt density 0 x); [|lra].
transitivity (RInt (fun y => scal (-1) (density (-1 * y + 0))) 0 x).
- rewrite (RInt_comp_lin density) by apply density_integrable. f_equal; ring.
- transitivity (RInt (fun y => opp (density y)) 0 x); [|rewrite (RInt_opp density) by apply density_integrable; reflexivity].
  apply RInt_ext; intros y _. unfold scal, opp; simpl; unfold mult; simpl. unfold density.
  replace ((-1 * y + 0) * (-1 * y + 0)) with (y * y) by ring. ring.
Qed.

Lemma Phi_at_most_1 x : Phi x <= 1.
Proof.
destruct (Rle_dec 0 x) as [H|H].
- rewrite Phi_area. assert (R0 := root_two_pi).
  assert (area x / sqrt (2 * PI) <= / 2); [|lra].
  apply Rmult_le_reg_r with (sqrt (2 * PI)); [exact R0|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. generalize (area_at_most x H); lra.
- assert (Phi x <= Phi 0) by (apply Phi_le; lra). unfold Phi in H0 at 2. rewrite RInt_point in H0.
  unfold zero in H0; simpl in H0; lra.
Qed.

Theorem Phi_inside x : 0 < Phi x < 1.
Proof.
assert (U : forall y, Phi y < 1).
{ intros y. apply Rlt_le_trans with (Phi (y + 1)); [apply Phi_increases; lra|apply Phi_at_most_1]. }
split; [|apply U]. generalize (U (- x)). rewrite Phi_opp; lra.
Qed.

(** * A shift by s: (Phi(-x), Phi(s - x)) lies on or below its tangents *)
Definition slope (s x : R) := exp (s * x - s * s / 2).

Lemma slope_positive s x : 0 < slope s x.
Proof. apply exp_pos. Qed.

Lemma slope_le s x y : 0 <= s -> x <= y -> slope s x <= slope s y.
Proof.
intros Hs H. assert (L : s * x - s * s / 2 <= s * y - s * s / 2) by nra.
unfold slope. destruct L as [L| ->]; [left; now apply exp_increasing|lra].
Qed.

Lemma density_shifted s x : density (s - x) = slope s x * density x.
Proof.
unfold density, slope, Rdiv. rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. field.
Qed.

Theorem below_tangent s x x0 : 0 <= s -> Phi (s - x) <= Phi (s - x0) + slope s x0 * (Phi (- x) - Phi (- x0)).
Proof.
intros Hs. set (height := fun y => Phi (s - y) - slope s x0 * Phi (- y)).
assert (D : forall y, is_derive height y ((slope s x0 - slope s y) * density y)).
{ intros y. unfold height. evar_last.
  - apply (is_derive_minus (fun y => Phi (s - y)) (fun y => slope s x0 * Phi (- y))).
    + apply (is_derive_comp Phi (fun y => s - y)); [apply Phi_derive|]. auto_derive; [auto|reflexivity].
    + apply (is_derive_scal (fun y => Phi (- y))), (is_derive_comp Phi (fun y => - y)); [apply Phi_derive|].
      auto_derive; [auto|reflexivity].
  - rewrite density_shifted. unfold density. replace (- y * - y) with (y * y) by ring.
    unfold minus, plus, opp, scal; simpl; unfold mult; simpl. ring. }
assert (C : forall y, continuity_pt height y).
{ intros y. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply D. }
assert (G : height x <= height x0); [|unfold height in G; lra].
destruct (MVT_gen height x x0 (fun y => (slope s x0 - slope s y) * density y)) as (y & Hy & E);
  [intros; apply D|intros; apply C|].
assert (P := density_positive y).
destruct (Rle_lt_dec x x0) as [H|H].
- rewrite Rmin_left, Rmax_right in Hy by lra. assert (S := slope_le s y x0 Hs (proj2 Hy)).
  assert (0 <= (slope s x0 - slope s y) * density y) by (apply Rmult_le_pos; lra). nra.
- rewrite Rmin_right, Rmax_left in Hy by lra. assert (S := slope_le s x0 y Hs (proj1 Hy)).
  assert (0 <= (slope s y - slope s x0) * density y) by (apply Rmult_le_pos; lra). nra.
Qed.
