(* The chance that one normal number lies below a line of another one: the integral of phi(x) Phi(a + b x) is
   Phi(a/sqrt(1 + b^2)). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal largest integral.
Open Scope R_scope.

Lemma tail_limit w c : 0 < w -> is_lim_seq (fun n => Phi (c - w * INR n)) 0.
Proof.
intros W. apply (is_lim_seq_ext (fun n => Phi ((- INR n - - (c / w)) / (/ w)))).
- intros n. f_equal. field; lra.
- apply Phi_limit. now apply Rinv_0_lt_compat.
Qed.

Section Below.
Variable b : R.
Definition width := sqrt (1 + b * b).
Definition below_line (a x : R) := density x * Phi (a + b * x).
Definition part (a : R) (n : nat) := RInt (below_line a) (- INR n) (INR n).

Lemma width_positive : 0 < width.
Proof. apply sqrt_lt_R0. nra. Qed.

Lemma width_squared : width * width = 1 + b * b.
Proof. apply sqrt_sqrt. nra. Qed.

Lemma Phi_continuous x : continuous Phi x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). eexists; apply Phi_derive. Qed.

Lemma line_continuous a x : continuous (fun x => a + b * x) x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. Qed.

Lemma below_line_continuous a x : continuous (below_line a) x.
Proof.
apply (continuous_mult (K := R_AbsRing) density (fun x => Phi (a + b * x))); [apply density_continuous|].
apply (continuous_comp (fun x => a + b * x) Phi); [apply line_continuous|apply Phi_continuous].
Qed.

Lemma below_line_integrable a lo hi : ex_RInt (below_line a) lo hi.
Proof. apply continuous_integrable, below_line_continuous. Qed.

Lemma below_line_positive a x : 0 <= below_line a x.
Proof. apply Rmult_le_pos; left; [apply density_positive|apply Phi_inside]. Qed.

Lemma density_product a x : density x * density (a + b * x) = density (a / width) * density (width * x + a * b / width).
Proof.
assert (W := width_positive). assert (S := width_squared). unfold density, Rdiv.
transitivity (exp (- (x * x) * / 2 + - ((a + b * x) * (a + b * x)) * / 2) * / sqrt (2 * PI) * / sqrt (2 * PI));
  [rewrite exp_plus; ring|].
transitivity (exp (- (a * / width * (a * / width)) * / 2 +
  - ((width * x + a * b * / width) * (width * x + a * b * / width)) * / 2) * / sqrt (2 * PI) * / sqrt (2 * PI));
  [|rewrite exp_plus; ring].
do 3 f_equal. replace (a * a * (1 + b * b)) with (a * a * (width * width)) by (rewrite S; ring).
assert (E : a * / width * (a * / width) + (width * x + a * b * / width) * (width * x + a * b * / width) =
  width * width * (x * x) + 2 * a * b * x + a * a * (1 + b * b) / (width * width)) by (field; lra).
assert (F : a * a * (1 + b * b) / (width * width) = a * a) by (rewrite <- S; field; lra).
rewrite F, S in E. lra.
Qed.

Lemma part_derive n a : is_derive (fun a => part a n) a
  (density (a / width) / width * (Phi (width * INR n + a * b / width) - Phi (- (width * INR n) + a * b / width))).
Proof.
assert (W := width_positive).
assert (D : forall u x, is_derive (fun v => below_line v x) u (density x * density (u + b * x))).
{ intros u x. unfold below_line. apply (is_derive_scal (fun v => Phi (v + b * x))). evar_last.
  - apply (is_derive_comp Phi (fun v => v + b * x)); [apply Phi_derive|]. auto_derive; [auto|reflexivity].
  - unfold scal; simpl; unfold mult; simpl; ring. }
evar_last.
- apply (is_derive_RInt_param below_line (- INR n) (INR n) a).
  + apply filter_forall; intros y t _. eexists; apply D.
  + intros t _. apply continuity_2d_pt_ext with (f := fun u x => density x * density (u + b * x)).
    { intros u x. symmetry. apply is_derive_unique, D. }
    assert (C : forall x, continuity_pt density x) by (intros; apply continuity_pt_filterlim, density_continuous).
    apply continuity_2d_pt_mult.
    * apply (continuity_1d_2d_pt_comp density (fun _ x => x)); [apply C|apply continuity_2d_pt_id2].
    * apply (continuity_1d_2d_pt_comp density (fun u x => u + b * x)); [apply C|].
      apply continuity_2d_pt_plus; [apply continuity_2d_pt_id1|].
      apply continuity_2d_pt_mult; [apply continuity_2d_pt_const|apply continuity_2d_pt_id2].
  + apply filter_forall; intros y. apply below_line_integrable.
- transitivity (RInt (fun x => density (a / width) * density (width * x + a * b / width)) (- INR n) (INR n)).
  + apply RInt_ext. intros x _. rewrite <- density_product. apply is_derive_unique, D.
  + apply is_RInt_unique. evar_last.
    * apply (is_RInt_derive (fun x => density (a / width) / width * Phi (width * x + a * b / width))).
      -- intros x _. evar_last; [apply (is_derive_scal (fun x => Phi (width * x + a * b / width))),
           (is_derive_comp Phi (fun x => width * x + a * b / width)); [apply Phi_derive|auto_derive; [auto|reflexivity]]|].
         unfold scal; simpl; unfold mult; simpl. field; lra.
      -- intros x _. apply (continuous_scal_r (V := R_NormedModule) (density (a / width))
           (fun x => density (width * x + a * b / width))).
         apply (continuous_comp (fun x => width * x + a * b / width) density); [|apply density_continuous].
         apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    * unfold minus, plus, opp; simpl. replace (width * - INR n) with (- (width * INR n)) by ring. ring.
Qed.

Lemma part_opposite a n : part (- a) n = 1 - 2 * Phi (- INR n) - part a n.
Proof.
assert (E : part (- a) n = RInt (fun x => density x - below_line a x) (- INR n) (INR n)).
{ assert (Even : forall x : R, density (-1 * x + 0) = density x).
  { intros x. unfold density. do 3 f_equal; ring. }
  unfold part. set (f := fun y : R => scal (-1) (below_line (- a) (-1 * y + 0))).
  assert (C : forall y, continuous f y).
  { intros y. apply (continuous_scal_r (V := R_NormedModule) (-1) (fun y => below_line (- a) (-1 * y + 0))).
    apply (continuous_comp (fun y => -1 * y + 0) (below_line (- a))); [|apply below_line_continuous].
    apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
  transitivity (RInt f (INR n) (- INR n)).
  - unfold f. rewrite (RInt_comp_lin (below_line (- a))) by apply below_line_integrable. f_equal; ring.
  - rewrite <- (opp_RInt_swap f) by now apply continuous_integrable.
    transitivity (RInt (fun y => opp (f y)) (- INR n) (INR n)).
    + symmetry. apply (RInt_opp (V := R_CompleteNormedModule) f). now apply continuous_integrable.
    + apply RInt_ext. intros x _. unfold f, scal, opp; simpl; unfold mult; simpl. unfold below_line.
      replace (- a + b * (-1 * x + 0)) with (- (a + b * x)) by ring. rewrite Phi_opp.
      rewrite Even. ring. }
rewrite E. unfold part.
rewrite (RInt_minus (V := R_CompleteNormedModule) density) by (apply density_integrable || apply below_line_integrable).
assert (F : Phi (INR n) - Phi (- INR n) = RInt density (- INR n) (INR n)).
{ unfold Phi. rewrite <- (RInt_Chasles density (- INR n) 0 (INR n)) by apply density_integrable.
  rewrite <- (opp_RInt_swap density 0 (- INR n)) by apply density_integrable. unfold plus, opp; simpl. ring. }
assert (N := Phi_opp (- INR n)). rewrite Ropp_involutive in N. rewrite <- F, N. unfold minus, plus, opp; simpl. ring.
Qed.

Lemma rises_between (f f' : R -> R) lo hi : (forall x, is_derive f x (f' x)) -> (forall x, lo <= x <= hi -> 0 <= f' x) ->
  lo <= hi -> f lo <= f hi.
Proof.
intros D P L. destruct (MVT_gen f lo hi f') as (z & Z & E); [intros; apply D| |].
- intros z _. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply D.
- rewrite Rmin_left, Rmax_right in Z by exact L. assert (Q := P z Z). nra.
Qed.

Lemma part_limit_positive a : 0 <= a -> is_lim_seq (part a) (Phi (a / width)).
Proof.
intros A. assert (W := width_positive). set (c := a * Rabs b / width).
assert (P0 : Phi 0 = 1 / 2) by (unfold Phi; rewrite RInt_point; unfold zero; simpl; ring).
assert (Start : forall n, part 0 n = 1 / 2 - Phi (- INR n)).
{ intros n. generalize (part_opposite 0 n). rewrite Ropp_0. lra. }
assert (Dw : forall k u, is_derive (fun u => k * Phi (u / width)) u (k * (density (u / width) / width))).
{ intros k u. apply (is_derive_scal (fun u => Phi (u / width))). evar_last.
  - apply (is_derive_comp Phi (fun u => u / width)); [apply Phi_derive|]. auto_derive; [auto|reflexivity].
  - unfold scal; simpl; unfold mult; simpl. field; lra. }
assert (Q : forall u, 0 < density (u / width) / width) by (intros; apply Rdiv_lt_0_compat; [apply density_positive|exact W]).
apply (is_lim_seq_le_le (fun n => 1 / 2 - Phi (0 - 1 * INR n) + (1 - 2 * Phi (c - width * INR n)) * (Phi (a / width) - 1 / 2)) _
  (fun n => 1 / 2 - Phi (0 - 1 * INR n) + (Phi (a / width) - 1 / 2))).
- intros n. replace (0 - 1 * INR n) with (- INR n) by ring. rewrite <- (Start n), <- P0. split.
  + set (k := 1 - 2 * Phi (c - width * INR n)).
    assert (R0 := rises_between (fun u => part u n - k * Phi (u / width))
      (fun u => density (u / width) / width * (Phi (width * INR n + u * b / width) - Phi (- (width * INR n) + u * b / width))
        - k * (density (u / width) / width)) 0 a).
    assert (part 0 n - k * Phi (0 / width) <= part a n - k * Phi (a / width)).
    { apply R0; [|intros u U|exact A].
      - intros u. apply (is_derive_minus (fun u => part u n) (fun u => k * Phi (u / width))); [apply part_derive|apply Dw].
      - assert (V : - c <= u * b / width <= c).
        { assert (I := Rinv_0_lt_compat _ W). assert (B := Rabs_pos b). unfold c, Rdiv.
          assert (- (a * Rabs b) <= u * b <= a * Rabs b); [|split; [replace (- (a * Rabs b * / width)) with (- (a * Rabs b) * / width) by ring|];
            apply Rmult_le_compat_r; lra]. assert (u * Rabs b <= a * Rabs b) by (apply Rmult_le_compat_r; lra).
          assert (Bb := Rle_abs b). assert (Bn := Rle_abs (- b)). rewrite Rabs_Ropp in Bn. split; nra. }
        assert (V1 : Phi (width * INR n - c) <= Phi (width * INR n + u * b / width)) by (apply Phi_le; lra).
        assert (V2 : Phi (- (width * INR n) + u * b / width) <= Phi (c - width * INR n)) by (apply Phi_le; lra).
        replace (width * INR n - c) with (- (c - width * INR n)) in V1 by ring. rewrite Phi_opp in V1.
        assert (K : k <= Phi (width * INR n + u * b / width) - Phi (- (width * INR n) + u * b / width)) by (unfold k; lra).
        generalize (Q u). nra. }
    replace (0 / width) with 0 in H by (field; lra). lra.
  + assert (F := rises_between (fun u => 1 * Phi (u / width) - part u n) (fun u => 1 * (density (u / width) / width) -
      density (u / width) / width * (Phi (width * INR n + u * b / width) - Phi (- (width * INR n) + u * b / width))) 0 a).
    assert (1 * Phi (0 / width) - part 0 n <= 1 * Phi (a / width) - part a n).
    { apply F; [|intros u U|exact A].
      - intros u. apply (is_derive_minus (fun u => 1 * Phi (u / width)) (fun u => part u n)); [apply Dw|apply part_derive].
      - generalize (Q u) (Phi_inside (width * INR n + u * b / width)) (Phi_inside (- (width * INR n) + u * b / width)). nra. }
    replace (0 / width) with 0 in H by (field; lra). lra.
- replace (Finite (Phi (a / width))) with (Finite (1 / 2 - 0 + (1 - 2 * 0) * (Phi (a / width) - 1 / 2))) by (f_equal; field).
  apply is_lim_seq_plus'; [apply is_lim_seq_minus'; [apply is_lim_seq_const|apply tail_limit; lra]|].
  apply (is_lim_seq_scal_r _ (Phi (a / width) - 1 / 2) (Finite (1 - 2 * 0))).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|].
  apply (is_lim_seq_scal_l _ 2 (Finite 0)), tail_limit, W.
- replace (Finite (Phi (a / width))) with (Finite (1 / 2 - 0 + (Phi (a / width) - 1 / 2))) by (f_equal; field).
  apply is_lim_seq_plus'; [apply is_lim_seq_minus'; [apply is_lim_seq_const|apply tail_limit; lra]|apply is_lim_seq_const].
Qed.

Theorem part_limit a : is_lim_seq (part a) (Phi (a / width)).
Proof.
destruct (Rle_lt_dec 0 a) as [A|A]; [now apply part_limit_positive|].
apply (is_lim_seq_ext (fun n => 1 - 2 * Phi (0 - 1 * INR n) - part (- a) n)).
- intros n. replace (0 - 1 * INR n) with (- INR n) by ring. rewrite part_opposite. ring.
- replace (Finite (Phi (a / width))) with (Finite (1 - 2 * 0 - Phi (- a / width))).
  + apply is_lim_seq_minus'; [|apply part_limit_positive; lra].
    apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply (is_lim_seq_scal_l _ 2 (Finite 0)), tail_limit; lra.
  + f_equal. replace (- a / width) with (- (a / width)) by (field; generalize width_positive; lra). rewrite Phi_opp. ring.
Qed.

Lemma part_at_most a lo hi : lo <= hi -> RInt (below_line a) lo hi <= Phi (a / width).
Proof.
intros L. assert (I := below_line_integrable a).
assert (P : forall x y, x <= y -> 0 <= RInt (below_line a) x y).
{ intros x y H. apply RInt_ge_0; [exact H|apply I|]. intros; apply below_line_positive. }
destruct (nfloor_ex (Rabs lo + Rabs hi)) as (N & _ & HN); [generalize (Rabs_pos lo) (Rabs_pos hi); lra|].
apply Rle_trans with (part a (S N)).
- unfold part. rewrite S_INR. set (k := INR N + 1).
  assert (K : - k <= lo /\ hi <= k) by (unfold k; split_Rabs; lra).
  rewrite <- (RInt_Chasles (below_line a) (- k) lo k), <- (RInt_Chasles (below_line a) lo hi k) by apply I.
  generalize (P (- k) lo ltac:(lra)) (P hi k ltac:(lra)). unfold plus; simpl. lra.
- apply (is_lim_seq_incr_compare _ _ (part_limit a)). intros n. unfold part. rewrite S_INR. set (k := INR n).
  assert (K := pos_INR n). fold k in K.
  rewrite <- (RInt_Chasles (below_line a) (- (k + 1)) (- k)), <- (RInt_Chasles (below_line a) (- k) k (k + 1)) by apply I.
  generalize (P (- (k + 1)) (- k) ltac:(lra)) (P k (k + 1) ltac:(lra)). unfold plus; simpl. lra.
Qed.
End Below.

