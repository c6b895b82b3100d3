(* Lebesgue's upper integral over the real line, as Daniell has it: no function is too wild for it, and that of a
   measurable function is its integral. Of all that is known of it, privacy uses that it is monotone and homogeneous. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* A function that is nowhere negative lies below the limit of rising continuous ones; v is at least their integral. *)
Definition rising (g : nat -> R -> R) := forall n x, continuous (g n) x /\ 0 <= g n x <= g (S n) x.
Definition covers (g : nat -> R -> R) (f : R -> R) := forall x c, c < f x -> exists n, c < g n x.
Definition bounds (f : R -> R) (v : R) :=
  exists g, rising g /\ covers g f /\ forall n, RInt (g n) (- INR n) (INR n) <= v.
Definition integral (f : R -> R) : R := real (Glb_Rbar (bounds f)).

Lemma rising_le g : rising g -> forall n m x, (n <= m)%nat -> g n x <= g m x.
Proof. intros up n m x. induction 1 as [|m _ IH]; [lra|]. destruct (up m x) as (_ & _ & H). lra. Qed.

Lemma symmetric n : - INR n <= INR n.
Proof. generalize (pos_INR n); lra. Qed.

Lemma continuous_integrable (f : R -> R) a b : (forall x, continuous f x) -> ex_RInt f a b.
Proof. intros H. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply H. Qed.

Lemma bounds_positive f v : bounds f v -> 0 <= v.
Proof. intros (g & _ & _ & H). specialize (H 0%nat). simpl in H. rewrite Ropp_0, RInt_point in H. exact H. Qed.

Lemma integral_greatest f v w : bounds f v -> (forall u, bounds f u -> w <= u) -> w <= integral f.
Proof.
intros B H. unfold integral. destruct (Glb_Rbar_correct (bounds f)) as [L G].
assert (G' := G w (fun u U => H u U)). assert (L' := L v B). destruct (Glb_Rbar (bounds f)); simpl in *; try tauto.
Qed.

Lemma integral_at_most f v : bounds f v -> integral f <= v.
Proof.
intros B. unfold integral. destruct (Glb_Rbar_correct (bounds f)) as [L G].
assert (G' := G 0 (fun u U => bounds_positive f u U)). assert (L' := L v B).
destruct (Glb_Rbar (bounds f)); simpl in *; try tauto.
Qed.

Lemma integral_positive f v : bounds f v -> 0 <= integral f.
Proof. intros B. apply (integral_greatest f v); [exact B|]. intros u. apply bounds_positive. Qed.

Lemma integral_finite f : 0 < integral f -> exists v, bounds f v.
Proof.
intros P. apply Classical_Prop.NNPP. intros N. apply (Rlt_irrefl 0). apply Rlt_le_trans with (1 := P). right.
unfold integral. replace (Glb_Rbar (bounds f)) with p_infty; [reflexivity|]. symmetry. apply is_glb_Rbar_unique.
split; [|now intros [w| |] _]. intros v V. exfalso. apply N. now exists v.
Qed.

Lemma bounds_scaled f g c v : 0 < c -> (forall x, f x <= c * g x) -> bounds g v -> bounds f (c * v).
Proof.
intros C H (h & R & K & V). exists (fun n x => c * h n x). split; [|split].
- intros n x. destruct (R n x) as (D & P & Q). split; [|split].
  + now apply (continuous_scal_r c (h n) x).
  + apply Rmult_le_pos; lra.
  + apply Rmult_le_compat_l; lra.
- intros x d L. destruct (K x (d / c)) as (n & N).
  + apply Rmult_lt_reg_l with c; [exact C|]. unfold Rdiv. replace (c * (d * / c)) with d by (field; lra).
    generalize (H x); lra.
  + exists n. apply Rmult_lt_compat_l with (r := c) in N; [|exact C].
    unfold Rdiv in N. replace (c * (d * / c)) with d in N by (field; lra). exact N.
- intros n. rewrite (RInt_scal (V := R_CompleteNormedModule) (h n)) by (apply continuous_integrable; intros; apply R).
  apply Rmult_le_compat_l; [lra|apply V].
Qed.

(* Monotone and homogeneous at once. *)
Theorem integral_scaled f g c v : 0 < c -> (forall x, f x <= c * g x) -> bounds g v -> integral f <= c * integral g.
Proof.
intros C H B. assert (E : integral f / c <= integral g); [apply (integral_greatest g v); [exact B|]|].
- intros u U. apply Rmult_le_reg_l with c; [exact C|]. unfold Rdiv.
  replace (c * (integral f * / c)) with (integral f) by (field; lra).
  apply integral_at_most. now apply (bounds_scaled f g).
- apply (Rmult_le_compat_l c) in E; [|lra]. unfold Rdiv in E.
  now replace (c * (integral f * / c)) with (integral f) in E by (field; lra).
Qed.

(* Sub-additive, with weights. *)
Lemma integral_sum f g h a b v : 0 < a -> 0 < b -> (forall x, a * f x <= b * g x + h x) -> bounds g v ->
  (exists w, bounds h w) -> a * integral f <= b * integral g + integral h.
Proof.
intros A B H G (w & W).
assert (Sum : forall v w, bounds g v -> bounds h w -> a * integral f <= b * v + w).
{ clear v w G W. intros v w (k & R1 & C1 & V1) (l & R2 & C2 & V2).
  replace (b * v + w) with (a * ((b * v + w) / a)) by (field; lra). apply Rmult_le_compat_l; [lra|].
  apply integral_at_most. exists (fun n x => (b * k n x + l n x) / a). split; [|split].
  - intros n x. destruct (R1 n x) as (D1 & P1 & U1), (R2 n x) as (D2 & P2 & U2). split; [|split].
    + apply (continuous_ext (fun x => scal (/ a) (plus (scal b (k n x)) (l n x)))).
      { intros y. unfold scal, plus; simpl; unfold mult; simpl. unfold Rdiv. ring. }
      apply (continuous_scal_r (V := R_NormedModule) (/ a) (fun x => plus (scal b (k n x)) (l n x))).
      apply (continuous_plus (V := R_NormedModule) (fun x => scal b (k n x)) (l n)); [|exact D2].
      now apply (continuous_scal_r (V := R_NormedModule) b (k n)).
    + apply Rle_mult_inv_pos; [|exact A]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|exact P2].
    + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rplus_le_compat; [|exact U2].
      apply Rmult_le_compat_l; lra.
  - intros x c L. set (e := (a * f x - a * c) / 2).
    assert (E : 0 < e) by (apply (Rmult_lt_compat_l a) in L; unfold e; lra).
    destruct (C1 x (g x - e / (2 * b))) as (n1 & N1).
    { assert (0 < e / (2 * b)) by (apply Rdiv_lt_0_compat; lra). lra. }
    destruct (C2 x (h x - e / 2)) as (n2 & N2); [lra|]. exists (Nat.max n1 n2).
    assert (M1 := rising_le k R1 n1 _ x (Nat.le_max_l n1 n2)).
    assert (M2 := rising_le l R2 n2 _ x (Nat.le_max_r n1 n2)).
    apply Rmult_lt_reg_l with a; [exact A|]. replace (a * ((b * k (Nat.max n1 n2) x + l (Nat.max n1 n2) x) / a)) with
      (b * k (Nat.max n1 n2) x + l (Nat.max n1 n2) x) by (field; lra).
    assert (b * (g x - e / (2 * b)) < b * k (Nat.max n1 n2) x) by (apply Rmult_lt_compat_l; lra).
    replace (b * (g x - e / (2 * b))) with (b * g x - e / 2) in H0 by (field; lra). generalize (H x).
    assert (a * f x - a * c = 2 * e) by (unfold e; lra). lra.
  - intros n. assert (I1 : ex_RInt (k n) (- INR n) (INR n)) by (apply continuous_integrable; intros; apply R1).
    assert (I2 : ex_RInt (l n) (- INR n) (INR n)) by (apply continuous_integrable; intros; apply R2).
    assert (E : RInt (fun x => (b * k n x + l n x) / a) (- INR n) (INR n) =
      scal (/ a) (plus (scal b (RInt (k n) (- INR n) (INR n))) (RInt (l n) (- INR n) (INR n)))).
    { assert (I3 : ex_RInt (fun x => scal b (k n x)) (- INR n) (INR n))
        by now apply (ex_RInt_scal (V := R_NormedModule)).
      assert (I4 : ex_RInt (fun x => plus (scal b (k n x)) (l n x)) (- INR n) (INR n))
        by now apply (ex_RInt_plus (V := R_NormedModule) (fun x => scal b (k n x)) (l n)).
      transitivity (RInt (fun x => scal (/ a) (plus (scal b (k n x)) (l n x))) (- INR n) (INR n)).
      - apply RInt_ext. intros x _. unfold scal, plus; simpl; unfold mult; simpl. unfold Rdiv. ring.
      - rewrite (RInt_scal (V := R_CompleteNormedModule) (fun x => plus (scal b (k n x)) (l n x))) by exact I4.
        rewrite (RInt_plus (V := R_CompleteNormedModule) (fun x => scal b (k n x)) (l n)) by assumption.
        now rewrite (RInt_scal (V := R_CompleteNormedModule) (k n)) by exact I1. }
    rewrite E. unfold scal, plus; simpl; unfold mult; simpl. unfold Rdiv. rewrite (Rmult_comm (/ a)).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    apply Rplus_le_compat; [apply Rmult_le_compat_l; [lra|apply V1]|apply V2]. }
assert (Inner : forall w, bounds h w -> a * integral f <= b * integral g + w).
{ clear w W. intros w W. assert ((a * integral f - w) / b <= integral g).
  - apply (integral_greatest g v); [exact G|]. intros u U. assert (S := Sum u w U W).
    apply Rmult_le_reg_r with b; [exact B|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply (Rmult_le_compat_l b) in H0; [|lra].
    replace (b * ((a * integral f - w) / b)) with (a * integral f - w) in H0 by (field; lra). lra. }
assert (a * integral f - b * integral g <= integral h); [|lra].
apply (integral_greatest h w); [exact W|]. intros u U. generalize (Inner u U). lra.
Qed.

(* In other units: z = m + s x. *)
Lemma bounds_moved f m s v : 0 < s -> bounds f v -> bounds (fun z => f ((z - m) / s) / s) v.
Proof.
intros s0 (g & R & C & V). exists (fun n z => g n ((z - m) / s) / s). split; [|split].
- intros n z. destruct (R n ((z - m) / s)) as (D & P & U). split; [|split].
  + apply (continuous_mult (K := R_AbsRing) (fun z => g n ((z - m) / s)) (fun _ => / s)); [|apply continuous_const].
    apply (continuous_comp (fun z => (z - m) / s) (g n)); [|exact D].
    apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  + apply Rle_mult_inv_pos; assumption.
  + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact U].
- intros z c L. destruct (C ((z - m) / s) (c * s)) as (n & N).
  + apply (Rmult_lt_compat_r s) in L; [|exact s0]. unfold Rdiv at 1 in L.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r in L by lra. exact L.
  + exists n. apply Rmult_lt_reg_r with s; [exact s0|]. unfold Rdiv. now rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
- intros n. assert (L := symmetric n). set (lo := / s * - INR n + - (m / s)). set (hi := / s * INR n + - (m / s)).
  assert (lohi : lo <= hi) by (unfold lo, hi; apply Rplus_le_compat_r, Rmult_le_compat_l;
    [left; now apply Rinv_0_lt_compat|exact L]).
  assert (E : RInt (fun z => g n ((z - m) / s) / s) (- INR n) (INR n) = RInt (g n) lo hi).
  { unfold lo, hi. rewrite <- (RInt_comp_lin (g n)) by (apply continuous_integrable; intros; apply R).
    apply RInt_ext. intros z _. unfold scal; simpl; unfold mult; simpl.
    replace (/ s * z + - (m / s)) with ((z - m) / s) by (field; lra). unfold Rdiv. ring. }
  rewrite E. destruct (nfloor_ex (Rabs lo + Rabs hi)) as (N & _ & HN); [generalize (Rabs_pos lo) (Rabs_pos hi); lra|].
  set (k := Nat.max n (S N)). assert (K : Rabs lo + Rabs hi <= INR k).
  { assert (INR (S N) <= INR k) by (apply le_INR, Nat.le_max_r). rewrite S_INR in H. lra. }
  assert (I : forall j x y, ex_RInt (g j) x y) by (intros; apply continuous_integrable; intros; apply R).
  assert (P : forall x y, x <= y -> 0 <= RInt (g k) x y).
  { intros x y H. apply RInt_ge_0; [exact H|apply I|]. intros; apply R. }
  apply Rle_trans with (RInt (g k) lo hi).
  + apply RInt_le; auto. intros z _. apply rising_le; [exact R|apply Nat.le_max_l].
  + apply Rle_trans with (2 := V k). assert (Q : - INR k <= lo /\ hi <= INR k) by (split_Rabs; lra).
    rewrite <- (RInt_Chasles (g k) (- INR k) lo (INR k)), <- (RInt_Chasles (g k) lo hi (INR k)) by apply I.
    generalize (P (- INR k) lo ltac:(lra)) (P hi (INR k) ltac:(lra)). unfold plus; simpl. lra.
Qed.

Theorem integral_moved f m s : 0 < s -> integral (fun z => f ((z - m) / s) / s) = integral f.
Proof.
intros S. unfold integral. f_equal. apply Glb_Rbar_eqset. intros v. split; [|now apply bounds_moved].
assert (I := Rinv_0_lt_compat s S). intros B. apply (bounds_moved _ (- m / s) (/ s) v I) in B.
destruct B as (g & R & C & V). exists g. split; [exact R|split; [|exact V]]. intros x c L. apply C.
replace (((x - - m / s) / / s - m) / s) with x by (field; lra).
replace (f x / s / / s) with (f x) by (field; lra). exact L.
Qed.

(** * It is the integral of a continuous function *)
(* Dini's argument: rising continuous functions above f are above f - e all at once, on a segment. *)
Section Segment.
Variables (g : nat -> R -> R) (f : R -> R) (a b e : R).
Hypotheses (up : rising g) (above : covers g f) (f_continuous : forall x, continuous f x) (e_positive : 0 < e).

Lemma near x : exists n (d : posreal), forall y, Rabs (y - x) < d -> f y - e <= g n y.
Proof.
destruct (above x (f x - e / 3)) as (n & N); [lra|]. exists n.
assert (third : 0 < e / 3) by lra.
destruct (proj1 (filterlim_locally (F := locally x) f (f x)) (f_continuous x) (mkposreal _ third)) as (d & D).
destruct (up n x) as (C & _ & _).
destruct (proj1 (filterlim_locally (F := locally x) (g n) (g n x)) C (mkposreal _ third)) as (d' & D').
assert (P : 0 < Rmin d d') by (apply Rmin_glb_lt; [apply d|apply d']).
exists (mkposreal _ P). intros y Y. simpl in Y.
assert (Y1 := Rlt_le_trans _ _ _ Y (Rmin_l d d')). assert (Y2 := Rlt_le_trans _ _ _ Y (Rmin_r d d')).
specialize (D y Y1). specialize (D' y Y2).
change (Rabs (f y - f x) < e / 3) in D. change (Rabs (g n y - g n x) < e / 3) in D'.
apply Rabs_def2 in D, D'. lra.
Qed.

Lemma all_at_once : a <= b -> exists n, forall y, a <= y <= b -> f y - e <= g n y.
Proof.
intros L.
set (good := fun z => a <= z <= b /\ exists n, forall y, a <= y <= z -> f y - e <= g n y).
assert (A : good a).
{ split; [lra|]. destruct (near a) as (n & d & D). exists n. intros y Y. replace y with a by lra. apply D.
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply d. }
destruct (completeness good) as (s & U & S).
{ exists b. intros z [Z _]. lra. }
{ now exists a. }
assert (as_ : a <= s) by now apply U. assert (sb : s <= b) by (apply S; intros z [Z _]; lra).
destruct (near s) as (n & d & D). assert (d0 := cond_pos d).
assert (W : exists z, good z /\ s - d < z).
{ destruct (Classical_Prop.classic (exists z, good z /\ s - d < z)) as [W|W]; [exact W|]. exfalso.
  assert (s <= s - d); [|lra]. apply S. intros z Z. destruct (Rle_lt_dec z (s - d)) as [K|K]; [exact K|].
  exfalso. apply W. now exists z. }
destruct W as (z & (Z & m & M) & K).
assert (T : forall y, a <= y < s + d -> f y - e <= g (Nat.max n m) y).
{ intros y Y. destruct (Rle_lt_dec y z) as [Q|Q].
  - apply Rle_trans with (g m y); [apply M; lra|apply (rising_le g up), Nat.le_max_r].
  - apply Rle_trans with (g n y); [apply D, Rabs_def1; lra|apply (rising_le g up), Nat.le_max_l]. }
exists (Nat.max n m). intros y Y. apply T. split; [lra|].
destruct (Rle_lt_dec (s + d) b) as [Q|Q]; [|lra]. exfalso.
assert (s + d / 2 <= s); [|lra]. apply U. split; [lra|]. exists (Nat.max n m). intros w W. apply T. lra.
Qed.
End Segment.

Lemma segment_at_most (f : R -> R) v n : (forall x, continuous f x) -> (forall x, 0 <= f x) -> bounds f v ->
  RInt f (- INR n) (INR n) <= v.
Proof.
intros C P (g & up & above & V). assert (L := symmetric n). apply le_epsilon. intros e E.
set (share := e / (2 * INR n + 1)). assert (N0 := pos_INR n).
assert (E' : 0 < share) by (apply Rdiv_lt_0_compat; lra).
destruct (all_at_once g f (- INR n) (INR n) share up above C E' L) as (m & M).
set (k := Nat.max n m). assert (K := symmetric k).
assert (nk : INR n <= INR k) by (apply le_INR, Nat.le_max_l).
assert (I : forall x y, ex_RInt (g k) x y) by (intros; apply continuous_integrable; intros; apply up).
assert (I0 : forall x y, x <= y -> 0 <= RInt (g k) x y).
{ intros x y H. apply RInt_ge_0; [exact H|apply I|]. intros; apply up. }
assert (W := V k). rewrite <- (RInt_Chasles (g k) _ (- INR n)) in W by apply I.
rewrite <- (RInt_Chasles (g k) (- INR n) (INR n)) in W by apply I. unfold plus in W; simpl in W.
assert (W1 := I0 (- INR k) (- INR n) ltac:(lra)). assert (W2 := I0 (INR n) (INR k) nk).
assert (Q : RInt f (- INR n) (INR n) <= RInt (fun x => plus (g k x) share) (- INR n) (INR n)).
{ apply RInt_le; [exact L|now apply continuous_integrable| |].
  - apply (ex_RInt_plus (V := R_NormedModule)); [apply I|apply ex_RInt_const].
  - intros x X. assert (M' := M x ltac:(lra)). assert (G := rising_le g up m k x (Nat.le_max_r _ _)).
    unfold plus; simpl. lra. }
rewrite (RInt_plus (V := R_CompleteNormedModule)), RInt_const in Q by (apply I || apply ex_RInt_const).
unfold plus, scal in Q; simpl in Q; unfold mult in Q; simpl in Q.
assert ((INR n - - INR n) * share <= e).
{ unfold share, Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_reg_r with (2 * INR n + 1); [lra|].
  rewrite Rmult_assoc, Rinv_l by lra. nra. }
lra.
Qed.

Lemma continuous_bounds (f : R -> R) (v : R) : (forall x, continuous f x) -> (forall x, 0 <= f x) ->
  is_lim_seq (fun n => RInt f (- INR n) (INR n)) v -> bounds f v.
Proof.
intros C P Lim. exists (fun _ => f). split; [|split].
- intros n x. split; [apply C|]. generalize (P x); lra.
- intros x c H. now exists 0%nat.
- intros n. apply (is_lim_seq_incr_compare _ _ Lim). clear n. intros n.
  assert (I : forall x y, ex_RInt f x y) by (intros; now apply continuous_integrable).
  rewrite S_INR. assert (N0 := pos_INR n). set (k := INR n) in *.
  rewrite <- (RInt_Chasles f (- (k + 1)) (- k)), <- (RInt_Chasles f (- k) k (k + 1)) by apply I.
  assert (0 <= RInt f (- (k + 1)) (- k)) by (apply RInt_ge_0; auto; lra).
  assert (0 <= RInt f k (k + 1)) by (apply RInt_ge_0; auto; lra). unfold plus; simpl; lra.
Qed.

Theorem integral_continuous (f : R -> R) (v : R) : (forall x, continuous f x) -> (forall x, 0 <= f x) ->
  is_lim_seq (fun n => RInt f (- INR n) (INR n)) v -> integral f = v.
Proof.
intros C P Lim. assert (B := continuous_bounds f v C P Lim).
apply Rle_antisym; [now apply integral_at_most|]. apply (integral_greatest f v); [exact B|]. intros u U.
apply (is_lim_seq_le _ _ (Finite v) (Finite u)) with (2 := Lim) (3 := is_lim_seq_const u).
intros n. now apply segment_at_most.
Qed.
