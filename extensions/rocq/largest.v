(* The largest of independent samples, one for each of finitely many arms: the chance that it is a given arm's is an
   integral over all of the line, of this arm's density times the chances that the others' samples are smaller. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins.
Import ListNotations.
Open Scope R_scope.

(** * Limits *)
Lemma Phi_far u : 0 < u -> Phi (- u) <= / u.
Proof.
intros U. assert (T := Phi_tail u (Rlt_le _ _ U)). apply Rle_trans with (1 := T).
assert (J := exp_ineq1_le (u * u / 2)). replace (- (u * u) / 2) with (- (u * u / 2)) by field.
rewrite exp_Ropp. apply Rinv_le_contravar; [exact U|]. nra.
Qed.

Lemma Phi_limit m d : 0 < d -> is_lim_seq (fun n => Phi ((- INR n - m) / d)) 0.
Proof.
intros D. apply (is_lim_seq_le_le_loc (fun _ => 0) _ (fun n => d * / (INR n + m))).
- destruct (archimed (- m)) as [U _]. exists (Z.to_nat (up (- m))). intros n N. split; [left; apply Phi_inside|].
  assert (P : 0 < INR n + m).
  { apply le_INR in N. destruct (Z_le_gt_dec 0 (up (- m))) as [Z|Z].
    - rewrite INR_IZR_INZ, Z2Nat.id in N by exact Z. lra.
    - apply Z.gt_lt, IZR_lt in Z. generalize (pos_INR n); lra. }
  replace ((- INR n - m) / d) with (- ((INR n + m) / d)) by (field; lra).
  apply Rle_trans with (1 := Phi_far _ (Rdiv_lt_0_compat _ _ P D)). right. field; lra.
- apply is_lim_seq_const.
- replace (Finite 0) with (Rbar_mult d 0) by (simpl; f_equal; ring). apply is_lim_seq_scal_l.
  apply (is_lim_seq_inv _ p_infty); [|discriminate].
  apply is_lim_seq_plus with p_infty m; [apply is_lim_seq_INR|apply is_lim_seq_const|reflexivity].
Qed.

Lemma lim_sum {A} (f : nat -> A -> R) (g : A -> R) l : (forall a, In a l -> is_lim_seq (fun n => f n a) (g a)) ->
  is_lim_seq (fun n => sum (f n) l) (sum g l).
Proof.
induction l as [|a l IH]; simpl; intros H; [apply is_lim_seq_const|].
apply is_lim_seq_plus'; [apply H|apply IH]; auto.
Qed.

Lemma derive_sum {A} (f : A -> R -> R) (g : A -> R) x l : (forall a, In a l -> is_derive (f a) x (g a)) ->
  is_derive (fun y => sum (fun a => f a y) l) x (sum g l).
Proof.
induction l as [|a l IH]; simpl; intros H; [apply @is_derive_const|].
apply (is_derive_plus (f a) (fun y => sum (fun b => f b y) l)); auto.
Qed.

Lemma falls (f f' : R -> R) : (forall x, is_derive f x (f' x)) -> (forall x, f' x <= 0) ->
  forall x y, x <= y -> f y <= f x.
Proof.
intros D N x y L. destruct (MVT_gen f x y f') as (z & _ & E); [intros; apply D| |].
- intros z _. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply D.
- assert (Z := N z). nra.
Qed.

(** * The largest of independent samples *)
Section Largest.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).

Fixpoint prod (f : A -> R) (l : list A) : R := match l with [] => 1 | a :: l' => f a * prod f l' end.

Lemma prod_eq f g l : (forall a, In a l -> f a = g a) -> prod f l = prod g l.
Proof. induction l as [|a l IH]; simpl; intros H; [reflexivity|]. rewrite (H a), IH; auto. Qed.

Lemma prod_positive f l : (forall a, In a l -> 0 < f a) -> 0 < prod f l.
Proof. induction l as [|a l IH]; simpl; intros H; [lra|]. apply Rmult_lt_0_compat; auto. Qed.

Lemma prod_at_most f l a : (forall b, In b l -> 0 < f b <= 1) -> In a l -> prod f l <= f a.
Proof.
intros H I. assert (One : forall k, (forall b, In b k -> 0 < f b <= 1) -> 0 < prod f k <= 1).
{ induction k as [|b k IH]; simpl; intros Hk; [lra|]. assert (P := IH (fun c I => Hk c (or_intror I))).
  assert (Q := Hk b (or_introl eq_refl)). split; [apply Rmult_lt_0_compat; lra|]. nra. }
induction l as [|b l IH]; [destruct I|]. simpl. assert (P := One l (fun c I => H c (or_intror I))).
assert (Q := H b (or_introl eq_refl)). destruct I as [->|I]; [nra|].
assert (M := IH (fun c I => H c (or_intror I)) I). assert (0 < f a) by (apply H; now right). nra.
Qed.

(* Densities and distribution functions of the arms' samples. *)
Record samples := { below : A -> R -> R; at_ : A -> R -> R }.
Definition winner (s : samples) (arms : list A) (a : A) (x : R) :=
  prod (fun b => if same a b then at_ s b x else below s b x) arms.
Definition all_below (s : samples) (arms : list A) (x : R) := prod (fun b => below s b x) arms.
(* The chance that arm a's sample is the largest: the integral over all of the line. *)
Definition largest (s : samples) (arms : list A) (a : A) : R :=
  real (Lim_seq (fun n => RInt (winner s arms a) (- INR n) (INR n))).

Definition regular (s : samples) := forall a,
  (forall x, is_derive (below s a) x (at_ s a x)) /\ (forall x, continuous (at_ s a) x) /\
  (forall x, 0 < at_ s a x) /\ (forall x, 0 < below s a x < 1) /\
  is_lim_seq (fun n => below s a (- INR n)) 0 /\ is_lim_seq (fun n => below s a (INR n)) 1.

Lemma winner_other s l a x : ~ In a l -> winner s l a x = all_below s l x.
Proof. intros N. apply prod_eq. intros b I. destruct (same a b) as [->|_]; [now destruct N|reflexivity]. Qed.

Lemma all_below_derive s l x : (forall a, is_derive (below s a) x (at_ s a x)) -> NoDup l ->
  is_derive (all_below s l) x (sum (fun a => winner s l a x) l).
Proof.
intros D. induction l as [|b l IH]; intros N; [apply @is_derive_const|]. inversion N as [|? ? Nb Nl]; subst.
unfold all_below; simpl. evar_last.
- apply (is_derive_mult (below s b) (all_below s l)); [apply D|now apply IH|intros; apply Rmult_comm].
- unfold winner at 2; simpl. destruct (same b b) as [_|E]; [|now destruct E]. fold (winner s l b x).
  rewrite winner_other by exact Nb. unfold plus, mult; simpl. f_equal. rewrite Rmult_comm, <- sum_scaled.
  apply sum_eq. intros a I. unfold winner; simpl. destruct (same a b) as [->|_]; [now destruct Nb|]. apply Rmult_comm.
Qed.

Section One.
Variables (s : samples) (arms : list A).
Hypotheses (good : regular s) (different : NoDup arms).


Lemma winner_positive l a x : 0 < winner s l a x.
Proof. apply prod_positive. intros b _. destruct (good b) as (_ & _ & P & Q & _).
  destruct (same a b); [apply P|apply Q]. Qed.

Lemma below_continuous a x : continuous (below s a) x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply (good a). Qed.

Lemma winner_continuous l a x : continuous (winner s l a) x.
Proof.
induction l as [|b l IH]; [apply continuous_const|]. unfold winner; simpl.
apply (continuous_mult (K := R_AbsRing) (fun y => if same a b then at_ s b y else below s b y) (winner s l a));
  [|exact IH].
destruct (same a b); [apply (good b)|apply below_continuous].
Qed.

Lemma winner_integrable a x y : ex_RInt (winner s arms a) x y.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply winner_continuous. Qed.

(* The area from 0 on, and what lies between -n and n. *)
Definition piece a x := RInt (winner s arms a) 0 x.

Lemma piece_derive a x : is_derive (piece a) x (winner s arms a x).
Proof.
apply (is_derive_RInt (winner s arms a) (piece a) 0 x); [|apply winner_continuous].
apply filter_forall; intros y. apply (RInt_correct (winner s arms a)), winner_integrable.
Qed.

Lemma pieces a n : RInt (winner s arms a) (- INR n) (INR n) = piece a (INR n) - piece a (- INR n).
Proof.
unfold piece. rewrite <- (RInt_Chasles (winner s arms a) 0 (- INR n) (INR n)) by apply winner_integrable.
unfold plus; simpl. lra.
Qed.

Lemma pieces_sum n : sum (fun a => RInt (winner s arms a) (- INR n) (INR n)) arms
  = all_below s arms (INR n) - all_below s arms (- INR n).
Proof.
rewrite (sum_eq _ _ (fun a => 1 * piece a (INR n) - 1 * piece a (- INR n))) by (intros; rewrite pieces; ring).
rewrite sum_linear, !Rmult_1_l.
set (f := fun x => sum (fun a => piece a x) arms - all_below s arms x).
assert (D : forall x, is_derive f x 0).
{ intros x. unfold f. evar_last; [apply (is_derive_minus (fun y => sum (fun a => piece a y) arms) (all_below s arms))|].
  - apply derive_sum. intros a _. apply piece_derive.
  - apply all_below_derive; [|exact different]. intros a. apply (good a).
  - unfold minus, plus, opp; simpl; ring. }
assert (L : - INR n <= INR n) by (generalize (pos_INR n); lra).
assert (P := falls f (fun _ => 0) D (fun _ => Rle_refl 0) _ _ L).
assert (Q := falls (fun x => - f x) (fun _ => 0)).
assert (E : - f (INR n) <= - f (- INR n)).
{ apply Q; [|intros; lra|exact L]. intros x. evar_last; [apply (is_derive_opp f), D|unfold opp; simpl; ring]. }
unfold f in *. lra.
Qed.

Lemma all_below_inside l x : l <> [] -> 0 < all_below s l x < 1.
Proof.
intros N. destruct l as [|a l]; [now destruct N|]. split.
- apply prod_positive. intros b _. apply (good b).
- apply Rle_lt_trans with (below s a x); [|apply (good a)].
  apply (prod_at_most (fun b => below s b x)); [|now left]. intros b _. destruct (good b) as (_ & _ & _ & B & _).
  generalize (B x); lra.
Qed.

Lemma piece_rises a x y : x <= y -> piece a x <= piece a y.
Proof.
intros L. assert (F := falls (fun x => - piece a x) (fun x => - winner s arms a x)).
assert (- piece a y <= - piece a x); [|lra]. apply F; [| |exact L].
- intros z. apply (is_derive_opp (piece a)), piece_derive.
- intros z. generalize (winner_positive arms a z); lra.
Qed.

Lemma positive_pieces n a : 0 <= RInt (winner s arms a) (- INR n) (INR n).
Proof. rewrite pieces. generalize (piece_rises a (- INR n) (INR n) ltac:(generalize (pos_INR n); lra)); lra. Qed.

Lemma sum_single (f : A -> R) l a : (forall b, In b l -> 0 <= f b) -> In a l -> f a <= sum f l.
Proof.
intros H I. induction l as [|b l IH]; [destruct I|]. simpl.
assert (P : forall k : list A, (forall b, In b k -> 0 <= f b) -> 0 <= sum f k).
{ induction k as [|c k IHk]; simpl; intros Hk; [lra|]. generalize (Hk c (or_introl eq_refl)).
  generalize (IHk (fun d J => Hk d (or_intror J))); lra. }
destruct I as [->|I]; [generalize (P l (fun c J => H c (or_intror J))); lra|].
generalize (IH (fun c J => H c (or_intror J)) I) (H b (or_introl eq_refl)); lra.
Qed.

Lemma largest_limit a : In a arms -> is_lim_seq (fun n => RInt (winner s arms a) (- INR n) (INR n)) (largest s arms a).
Proof.
intros I. apply Lim_seq_correct'. apply ex_finite_lim_seq_incr with 1.
- intros n. rewrite !pieces. rewrite S_INR.
  generalize (piece_rises a (INR n) (INR n + 1) ltac:(lra)) (piece_rises a (- (INR n + 1)) (- INR n) ltac:(lra)); lra.
- intros n. apply Rle_trans with (sum (fun b => RInt (winner s arms b) (- INR n) (INR n)) arms).
  + apply (sum_single (fun b => RInt (winner s arms b) (- INR n) (INR n))); [|exact I]. intros; apply positive_pieces.
  + rewrite pieces_sum. assert (N : arms <> []) by (intros E; rewrite E in I; destruct I).
    generalize (all_below_inside arms (INR n) N) (all_below_inside arms (- INR n) N); lra.
Qed.

Theorem largest_positive a : In a arms -> 0 < largest s arms a.
Proof.
intros I. assert (L := largest_limit a I).
apply Rlt_le_trans with (RInt (winner s arms a) (- INR 1) (INR 1)).
- rewrite <- (Rplus_0_l (RInt _ _ _)). simpl. apply Rle_lt_trans with 0; [lra|]. rewrite Rplus_0_l.
  apply RInt_gt_0; [simpl; lra|intros; apply winner_positive|intros; apply winner_continuous].
- apply (is_lim_seq_incr_compare _ _ L).
  intros n. rewrite !pieces. rewrite S_INR.
  generalize (piece_rises a (INR n) (INR n + 1) ltac:(lra)) (piece_rises a (- (INR n + 1)) (- INR n) ltac:(lra)); lra.
Qed.

Lemma all_below_limits l : l <> [] ->
  is_lim_seq (fun n => all_below s l (INR n)) 1 /\ is_lim_seq (fun n => all_below s l (- INR n)) 0.
Proof.
intros N. split.
- clear N. unfold all_below. induction l as [|a l IH]; [apply is_lim_seq_const|]. simpl.
  replace (Finite 1) with (Finite (1 * 1)) by (f_equal; ring). apply is_lim_seq_mult'; [apply (good a)|exact IH].
- destruct l as [|a l]; [now destruct N|].
  apply (is_lim_seq_le_le (fun _ => 0) _ (fun n => below s a (- INR n))).
  + intros n. split; [left; now apply all_below_inside|].
    apply (prod_at_most (fun b => below s b (- INR n))); [|now left]. intros b _.
    destruct (good b) as (_ & _ & _ & B & _). generalize (B (- INR n)); lra.
  + apply is_lim_seq_const.
  + apply (good a).
Qed.

Theorem largest_whole : arms <> [] -> sum (largest s arms) arms = 1.
Proof.
intros N. destruct (all_below_limits arms N) as [U D].
assert (L : is_lim_seq (fun n => sum (fun a => RInt (winner s arms a) (- INR n) (INR n)) arms)
  (sum (largest s arms) arms)).
{ apply (lim_sum (fun n a => RInt (winner s arms a) (- INR n) (INR n))), largest_limit. }
assert (M : is_lim_seq (fun n => sum (fun a => RInt (winner s arms a) (- INR n) (INR n)) arms) 1).
{ apply (is_lim_seq_ext (fun n => all_below s arms (INR n) - all_below s arms (- INR n))).
  - intros n; symmetry; apply pieces_sum.
  - replace (Finite 1) with (Finite (1 - 0)) by (f_equal; ring). now apply is_lim_seq_minus'. }
assert (E := is_lim_seq_unique _ _ L). rewrite (is_lim_seq_unique _ _ M) in E. now injection E.
Qed.
End One.

Lemma sum_plus (f g : A -> R) l : sum (fun a => f a + g a) l = sum f l + sum g l.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_at j c l : NoDup l -> In j l -> sum (fun a => if same j a then c else 0) l = c.
Proof.
intros N I. assert (Z : forall k, ~ In j k -> sum (fun a => if same j a then c else 0) k = 0).
{ induction k as [|b k IH]; simpl; intros H; [reflexivity|]. destruct (same j b) as [->|_]; [destruct H; now left|].
  rewrite IH by (intros J; apply H; now right). ring. }
induction l as [|b l IH]; [destruct I|]. inversion N as [|? ? Nb Nl]; subst. simpl.
destruct (same j b) as [->|E]; [rewrite Z by exact Nb; ring|]. destruct I as [->|I]; [now destruct E|].
rewrite IH by assumption. ring.
Qed.

Lemma prod_split j f l : NoDup l -> In j l -> prod f l = f j * prod (fun b => if same j b then 1 else f b) l.
Proof.
intros N I. induction l as [|b l IH]; [destruct I|]. inversion N as [|? ? Nb Nl]; subst. simpl.
destruct (same j b) as [->|E].
- rewrite (prod_eq f (fun c => if same b c then 1 else f c) l); [ring|].
  intros c J. destruct (same b c) as [->|_]; [now destruct Nb|reflexivity].
- destruct I as [->|I]; [now destruct E|]. rewrite IH by assumption. ring.
Qed.

End Largest.
Arguments below {A}.
Arguments at_ {A}.
