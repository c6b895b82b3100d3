(* Lemma 1, parallel composition, of mechanisms with finitely many outcomes, and of any: each is run on its own data
   set, and neighbours differ in one of these. Definition 3, the Laplace mechanism. *)
From Coq Require Import Reals Lra Lia List Arith.
From Dpbandits Require Import moments composition densities laplace satisfiable.
Import ListNotations.
Open Scope R_scope.

(* A mechanism's chance of an outcome, from its data set; eps-DP for data sets that are `near`. *)
Definition mechanism (D A : Type) := D -> A -> R.
Definition private {D A} (outcomes : list A) (near : D -> D -> Prop) eps (M : mechanism D A) :=
  forall x y, near x y -> forall a, In a outcomes -> M x a <= exp eps * M y a.

(* The outcomes of all of them, the first one's last: mechanism i is run on data set i. *)
Definition together {D A} (M : nat -> mechanism D A) (x : nat -> D) : law A := fun h => M (length h) (x (length h)).

Theorem lemma_1 (D A : Type) (outcomes : list A) (near : D -> D -> Prop) eps (M : nat -> mechanism D A) n x y i :
  0 <= eps -> (forall k z a, In a outcomes -> 0 <= M k z a) -> (forall k, private outcomes near eps (M k)) ->
  near (x i) (y i) -> (forall k, k <> i -> x k = y k) -> forall event,
  chance A outcomes (together M x) n [] event <= exp eps * chance A outcomes (together M y) n [] event.
Proof.
intros E P H N S event. apply (fresh_rounds A outcomes _ _ eps (fun h => Nat.eqb (length h) i)); [exact E| | | | |].
- intros h a I. now apply P.
- intros h a I. now apply P.
- intros h a I J. apply Nat.eqb_neq in J. unfold together. now rewrite (S _ J).
- intros h a I J. apply Nat.eqb_eq in J. unfold together. rewrite J. now apply H.
- intros h z J K. apply Nat.eqb_eq in J, K. rewrite app_length in K. destruct z; [reflexivity|simpl in K; lia].
Qed.

(** * Lemma 1 for outcomes of any kind *)
(* A law of outcomes by its integrals: of the functions that it can integrate, among them those of its events. *)
Record probability (A : Type) := {
  integrable : (A -> R) -> Prop;
  mean_of : (A -> R) -> R;
  mean_constant : forall c, integrable (fun _ => c) /\ mean_of (fun _ => c) = c;
  mean_linear : forall f g b c, integrable f -> integrable g ->
    integrable (fun a => b * f a + c * g a) /\ mean_of (fun a => b * f a + c * g a) = b * mean_of f + c * mean_of g;
  mean_monotone : forall f g, integrable f -> integrable g -> (forall a, f a <= g a) -> mean_of f <= mean_of g;
  levels : forall f c, integrable f -> integrable (fun a => if Rle_dec c (f a) then 1 else 0) }.
Arguments integrable {A}. Arguments mean_of {A}. Arguments mean_constant {A}. Arguments mean_linear {A}.
Arguments mean_monotone {A}. Arguments levels {A}.

(* A set of outcomes whose chance there is. *)
Definition indicator {A} (event : A -> bool) : A -> R := fun a => if event a then 1 else 0.
Definition dp_laws {A} eps (P Q : probability A) := forall event,
  integrable P (indicator event) -> integrable Q (indicator event) ->
  mean_of P (indicator event) <= exp eps * mean_of Q (indicator event).

Section Layers.
Variables (A : Type) (P Q : probability A) (eps : R) (f : A -> R).
Hypotheses (dp : dp_laws eps P Q) (f_P : integrable P f) (f_Q : integrable Q f) (inside : forall a, 0 <= f a <= 1).

(* f in steps of 1/n, of which k are cut off. *)
Definition layer (n i : nat) : A -> R := fun a => if Rle_dec (INR (S i) / INR n) (f a) then 1 else 0.
Fixpoint stairs (n k : nat) : A -> R :=
  match k with O => fun _ => 0 | S k' => fun a => / INR n * layer n k' a + 1 * stairs n k' a end.

Lemma stairs_integrable (W : probability A) n k : integrable W f -> integrable W (stairs n k).
Proof.
intros I. induction k as [|k IH]; simpl; [apply (mean_constant W)|]. apply (mean_linear W); [|exact IH].
now apply (levels W).
Qed.

Lemma stairs_dp n k : (1 <= n)%nat -> mean_of P (stairs n k) <= exp eps * mean_of Q (stairs n k).
Proof.
intros L. assert (N : 0 < / INR n) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
induction k as [|k IH]; simpl.
- rewrite (proj2 (mean_constant P 0)), (proj2 (mean_constant Q 0)). lra.
- assert (E : layer n k = indicator (fun a => if Rle_dec (INR (S k) / INR n) (f a) then true else false)).
  { apply FunctionalExtensionality.functional_extensionality. intros a. unfold layer, indicator.
    now destruct (Rle_dec _ _). }
  assert (D : mean_of P (layer n k) <= exp eps * mean_of Q (layer n k)).
  { rewrite E. apply dp; rewrite <- E; now apply levels. }
  assert (LP : integrable P (layer n k)) by now apply levels.
  assert (LQ : integrable Q (layer n k)) by now apply levels.
  rewrite (proj2 (mean_linear P _ _ (/ INR n) 1 LP (stairs_integrable P n k f_P))).
  rewrite (proj2 (mean_linear Q _ _ (/ INR n) 1 LQ (stairs_integrable Q n k f_Q))).
  apply (Rmult_le_compat_l (/ INR n)) in D; lra.
Qed.

Lemma stairs_near n k a : (1 <= n)%nat -> (INR k / INR n <= f a /\ stairs n k a = INR k / INR n) \/
  (f a < INR k / INR n /\ f a - / INR n <= stairs n k a <= f a).
Proof.
intros L. assert (N0 : 0 < INR n) by (apply lt_0_INR; lia). assert (N : 0 < / INR n) by now apply Rinv_0_lt_compat.
induction k as [|k IH].
- left. simpl. unfold Rdiv. rewrite Rmult_0_l. generalize (inside a). lra.
- assert (E : INR (S k) / INR n = INR k / INR n + / INR n) by (rewrite S_INR; field; lra).
  simpl stairs. unfold layer. rewrite E. destruct (Rle_dec _ (f a)) as [H|H], IH as [[I S0]|[I S0]];
    [left|right|right|right]; lra.
Qed.

(* What holds of events holds of functions. *)
Lemma functions_dp : mean_of P f <= exp eps * mean_of Q f.
Proof.
apply le_epsilon. intros e E. destruct (archimed_cor1 e E) as (n & Small & L).
assert (N0 : 0 < INR n) by (apply lt_0_INR; lia).
assert (Near : forall a, stairs n n a <= f a <= 1 * stairs n n a + / INR n * 1).
{ intros a. assert (O : INR n / INR n = 1) by (field; lra). assert (N : 0 < / INR n) by now apply Rinv_0_lt_compat.
  destruct (stairs_near n n a ltac:(lia)) as [[H S0]|[H S0]]; [generalize (inside a)|]; lra. }
assert (One := mean_constant P 1). assert (SP := stairs_integrable P n n f_P).
assert (SQ := stairs_integrable Q n n f_Q).
destruct (mean_linear P _ _ 1 (/ INR n) SP (proj1 One)) as [I M].
assert (Up := mean_monotone P _ _ f_P I (fun a => proj2 (Near a))). rewrite M, (proj2 One) in Up.
assert (Down := mean_monotone Q _ _ SQ f_Q (fun a => proj1 (Near a))).
assert (D := stairs_dp n n ltac:(lia)). apply (Rmult_le_compat_l (exp eps)) in Down; [lra|left; apply exp_pos].
Qed.
End Layers.

(* The outputs of the first n mechanisms, and the mean of a function of them: one mechanism after another. *)
Section Joint.
Variable A : nat -> Type.
Fixpoint outputs (n : nat) : Type := match n with O => unit | S k => (A k * outputs k)%type end.
Fixpoint joint_mean (W : forall i, probability (A i)) (n : nat) : (outputs n -> R) -> R :=
  match n with
  | O => fun f => f tt
  | S k => fun f => mean_of (W k) (fun a => joint_mean W k (fun rest => f (a, rest)))
  end.
(* What Fubini's theorem says of a measurable function. *)
Fixpoint measurable (W : forall i, probability (A i)) (n : nat) : (outputs n -> R) -> Prop :=
  match n with
  | O => fun _ => True
  | S k => fun f => integrable (W k) (fun a => joint_mean W k (fun rest => f (a, rest))) /\
      forall a, measurable W k (fun rest => f (a, rest))
  end.

Lemma joint_inside W n f : (forall o, 0 <= f o <= 1) -> measurable W n f -> 0 <= joint_mean W n f <= 1.
Proof.
revert f. induction n as [|k IH]; simpl; intros f B M; [apply B|]. destruct M as [I M].
assert (F : forall a, 0 <= joint_mean W k (fun rest => f (a, rest)) <= 1) by (intros a; apply IH; auto).
destruct (mean_constant (W k) 0) as [Z0 Z1], (mean_constant (W k) 1) as [O0 O1]. split; [rewrite <- Z1|rewrite <- O1];
  apply mean_monotone; auto; intros a; apply F.
Qed.

Lemma joint_same W V n f : (forall k, (k < n)%nat -> W k = V k) -> joint_mean W n f = joint_mean V n f.
Proof.
revert f. induction n as [|k IH]; simpl; intros f E; [reflexivity|]. rewrite (E k) by lia. f_equal.
apply FunctionalExtensionality.functional_extensionality. intros a. apply IH. intros j J. apply E. lia.
Qed.

Lemma joint_dp eps i W V n f : 0 <= eps -> dp_laws eps (W i) (V i) -> (forall k, k <> i -> W k = V k) ->
  (forall o, 0 <= f o <= 1) -> measurable W n f -> measurable V n f -> joint_mean W n f <= exp eps * joint_mean V n f.
Proof.
intros E D S. revert f. induction n as [|k IH]; simpl; intros f B M M'.
- assert (1 <= exp eps) by (rewrite <- exp_0; apply exp_le; exact E). generalize (B tt). nra.
- destruct M as [I M], M' as [I' M'].
  assert (F : forall a, 0 <= joint_mean V k (fun rest => f (a, rest)) <= 1) by (intros a; apply joint_inside; auto).
  destruct (Nat.eq_dec k i) as [->|K].
  + assert (Q : (fun a => joint_mean W i (fun rest => f (a, rest))) =
      (fun a => joint_mean V i (fun rest => f (a, rest)))).
    { apply FunctionalExtensionality.functional_extensionality. intros a. apply joint_same. intros j J. apply S. lia. }
    rewrite Q in *. now apply functions_dp.
  + rewrite (S k K) in *. destruct (mean_linear (V k) _ _ (exp eps) 0 I' I') as [J L].
    replace (exp eps * mean_of (V k) (fun a => joint_mean V k (fun rest => f (a, rest)))) with
      (exp eps * mean_of (V k) (fun a => joint_mean V k (fun rest => f (a, rest))) +
       0 * mean_of (V k) (fun a => joint_mean V k (fun rest => f (a, rest)))) by ring.
    rewrite <- L. apply mean_monotone; auto. intros a. specialize (IH _ (fun o => B (a, o)) (M a) (M' a)). lra.
Qed.

Theorem lemma_1_any (D : Type) (near : D -> D -> Prop) eps (M : forall i, D -> probability (A i)) n x y i event :
  0 <= eps -> (forall k u v, near u v -> dp_laws eps (M k u) (M k v)) ->
  near (x i) (y i) -> (forall k, k <> i -> x k = y k) ->
  let laws z := fun k => M k (z k) in
  measurable (laws x) n (indicator event) -> measurable (laws y) n (indicator event) ->
  joint_mean (laws x) n (indicator event) <= exp eps * joint_mean (laws y) n (indicator event).
Proof.
intros E P N S laws X Y. apply (joint_dp eps i); auto.
- now apply P.
- intros k K. unfold laws. now rewrite (S k K).
- intros o. unfold indicator. destruct (event o); lra.
Qed.
End Joint.

(* Definition 3: d numbers, each with noise of its own; sums of their distances from the i-th on. *)
Definition laplace_mechanism (scale : R) (f : nat -> R) : densities := fun h => laplace scale (f (length h)).
Fixpoint distance (f g : nat -> R) (i k : nat) : R :=
  match k with O => 0 | S k' => Rabs (f i - g i) + distance f g (S i) k' end.

Theorem definition_3 (D : Type) (near : D -> D -> Prop) (f : D -> nat -> R) d sensitivity eps x y event :
  0 < eps -> 0 < sensitivity -> (forall x y, near x y -> distance (f x) (f y) 0 d <= sensitivity) -> near x y ->
  let M z := chance_of (laplace_mechanism (sensitivity / eps) (f z)) (fun h => Nat.leb d (length h)) event d [] in
  M x <= exp eps * M y.
Proof.
intros E S0 H N. assert (B : 0 < sensitivity / eps) by now apply Rdiv_lt_0_compat.
assert (P : forall z h, proper (laplace_mechanism (sensitivity / eps) (f z) h)).
{ intros z h. split; [intros w; now apply laplace_positive|now apply laplace_whole]. }
assert (positive : forall i k, 0 <= distance (f x) (f y) i k).
{ intros i k. revert i. induction k as [|k IH]; intros i; simpl; [lra|].
  generalize (IH (S i)) (Rabs_pos (f x i - f y i)); lra. }
assert (I := Rinv_0_lt_compat _ B).
set (left := fun h : outcomes => distance (f x) (f y) (length h) (d - length h) / (sensitivity / eps)).
assert (Total : left [] <= eps).
{ unfold left. simpl length. rewrite Nat.sub_0_r. apply Rmult_le_reg_r with (sensitivity / eps); [exact B|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (eps * (sensitivity / eps)) with sensitivity by (field; lra). now apply H. }
intros M. apply Rle_trans with (exp (left []) * M y).
- apply (density_composition _ _ (fun h => Nat.leb d (length h)) event (P x) (P y)
    (fun h => Rabs (f x (length h) - f y (length h)) / (sensitivity / eps)) left).
  + intros h. apply Rmult_le_pos; [apply positive|lra].
  + intros h z _. apply laplace_moved; [exact B|apply Rle_refl].
  + intros h z L. apply Nat.leb_gt in L. unfold left. simpl length.
    replace (d - length h)%nat with (S (d - S (length h))) by lia. simpl distance. unfold Rdiv. lra.
- apply Rmult_le_compat_r; [|now apply exp_le]. now apply (chance_inside _ event _ d []).
Qed.

(** * The hypotheses can hold together *)

(* Randomized response: the own bit with probability 2/3. Neighbours are any two bits. *)
Lemma twice_below : 2 <= exp 1.
Proof. generalize (exp_ineq1_le 1). lra. Qed.

Definition answered (z : bool) : R := if z then 2 / 3 else 1 / 3.
Definition one_other (k : nat) : bool := negb (Nat.eqb k 1).

Lemma one_other_elsewhere k : k <> 1%nat -> true = one_other k.
Proof. intros N. unfold one_other. apply Nat.eqb_neq in N. now rewrite N. Qed.

Lemma lemma_1_witness : satisfiable lemma_1.
Proof.
assert (E := twice_below).
exists bool, bool, [true; false], (fun _ _ => True), 1, (fun _ z a => answered (Bool.eqb z a)), 2%nat, (fun _ => true),
  one_other, 1%nat.
split; [lra|]. split; [intros k z a _; unfold answered; destruct (Bool.eqb z a); lra|]. split.
{ intros k x y _ a _. unfold answered. destruct (Bool.eqb x a), (Bool.eqb y a); lra. }
split; [exact I|]. split; [exact one_other_elsewhere|]. now exists (fun _ => true).
Qed.

Lemma answered_inside z : 0 <= answered z <= 1.
Proof. unfold answered. destruct z; lra. Qed.

Definition response (z : bool) : probability bool.
Proof.
assert (A := answered_inside z).
refine {| integrable := fun _ => True; mean_of := fun f => answered z * f true + (1 - answered z) * f false |}.
- intros c. split; [exact I|ring].
- intros f g b c _ _. split; [exact I|ring].
- intros f g _ _ L. apply Rplus_le_compat; apply Rmult_le_compat_l; try apply L; lra.
- intros. exact I.
Defined.

Lemma lemma_1_any_witness : satisfiable lemma_1_any.
Proof.
assert (E := twice_below).
exists (fun _ => bool), bool, (fun _ _ => True), 1, (fun _ => response), 2%nat, (fun _ => true), one_other, 1%nat,
  (fun both : outputs (fun _ => bool) 2 => fst both).
split; [lra|]. split.
{ intros _ u v _ event _ _. simpl. unfold indicator, answered.
  destruct u, v, (event true), (event false); lra. }
split; [exact I|]. split; [exact one_other_elsewhere|]. repeat split.
Qed.

Lemma definition_3_witness : satisfiable definition_3.
Proof.
exists R, (fun x y => Rabs (x - y) <= 1), (fun x _ => x), 1%nat, 1, 1, 0, 1, (fun _ => true).
split; [lra|]. split; [lra|]. split; [intros x y N; simpl; lra|]. rewrite Rabs_left; lra.
Qed.
