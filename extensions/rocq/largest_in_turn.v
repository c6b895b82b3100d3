(* Independent samples that are drawn one after another, and the largest is kept: the last one kept is an arm's with the
   probability that `largest.v` integrates. Any finite number of arms. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins largest integral thresholds.
Import ListNotations.
Open Scope R_scope.

Section Turns.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (s : samples A) (worth : A -> R).
Hypotheses (good : regular A s) (worth_inside : forall a, 0 <= worth a <= 1).
Notation winner := (winner A same).
Notation all_below := (all_below A).
Notation piece := (piece A same s).
Notation largest := (largest A same s).

(* The expected worth of the arm that is kept, once arm b's sample z is the largest so far and these arms are still to
   be sampled. Among ties the first one is kept. *)
Fixpoint kept_worth (b : A) (z : R) (l : list A) : R :=
  match l with
  | [] => worth b
  | a :: l' => integral (fun y => at_ s a y * (if Rlt_dec z y then kept_worth a y l' else kept_worth b z l'))
  end.
(* From the first sample on. *)
Definition drawn_worth (l : list A) : R :=
  match l with [] => 0 | a :: l' => integral (fun y => at_ s a y * kept_worth a y l') end.

(* The probability that arm a has the largest sample of the list, and that this sample is more than z. *)
Definition whole_piece (l : list A) (a : A) : R := real (Lim_seq (fun n => piece l a (INR n))).
Definition above_piece (l : list A) (a : A) (z : R) : R := whole_piece l a - piece l a z.
Definition above_worth (l : list A) (z : R) : R := sum (fun a => worth a * above_piece l a z) l.

Lemma piece_nothing l a : piece l a 0 = 0.
Proof. unfold largest.piece. rewrite RInt_point. reflexivity. Qed.

Lemma pieces_fill l z : NoDup l -> sum (fun a => piece l a z) l = all_below s l z - all_below s l 0.
Proof.
intros N. set (f := fun x => sum (fun a => piece l a x) l - all_below s l x).
assert (D : forall x, is_derive f x 0).
{ intros x. replace 0 with (sum (fun a => winner s l a x) l - sum (fun a => winner s l a x) l) by ring.
  apply (is_derive_minus (fun x => sum (fun a => piece l a x) l) (all_below s l)).
  - apply derive_sum. intros a _. now apply piece_derive.
  - apply all_below_derive; [|exact N]. intros a. apply (good a). }
assert (C : forall x y, x <= y -> f x = f y).
{ intros x y L. apply Rle_antisym; [|now apply (falls f (fun _ => 0) D); [intros; lra|]].
  assert (- f y <= - f x); [|lra]. apply (falls (fun x => - f x) (fun _ => 0)); [|intros; lra|exact L].
  intros u. replace 0 with (- 0) by ring. now apply (is_derive_opp f). }
assert (E : f z = f 0) by (destruct (Rle_lt_dec z 0); [|symmetry]; apply C; lra).
unfold f in E. rewrite (sum_eq _ (fun a => piece l a 0) (fun _ => 0)) in E by (intros; apply piece_nothing).
assert (Z : sum (fun _ : A => 0) l = 0) by (clear; induction l as [|a l IH]; simpl; lra). lra.
Qed.

Lemma whole_limit l a : NoDup l -> In a l -> is_lim_seq (fun n => piece l a (INR n)) (whole_piece l a).
Proof.
intros N I. apply Lim_seq_correct'. apply ex_finite_lim_seq_incr with 1.
- intros n. apply piece_rises; [exact good|]. rewrite S_INR; lra.
- intros n. apply Rle_trans with (sum (fun b => piece l b (INR n)) l).
  + apply (sum_single A (fun b => piece l b (INR n))); [|exact I]. intros b _. rewrite <- (piece_nothing l b).
    apply piece_rises; [exact good|apply pos_INR].
  + rewrite pieces_fill by exact N.
    assert (P : forall x, 0 <= all_below s l x <= 1).
    { intros x. destruct l as [|b k]; [destruct I|]. generalize (all_below_inside A s good (b :: k) x ltac:(discriminate)). lra. }
    generalize (P (INR n)) (P 0). lra.
Qed.

Lemma above_piece_positive l a z : NoDup l -> In a l -> 0 <= above_piece l a z.
Proof.
intros N I. unfold above_piece. assert (L := whole_limit l a N I).
destruct (nfloor_ex (Rabs z)) as (M & _ & HM); [apply Rabs_pos|].
assert (piece l a z <= piece l a (INR (S M))) by (apply piece_rises; [exact good|rewrite S_INR; split_Rabs; lra]).
assert (piece l a (INR (S M)) <= whole_piece l a); [|lra].
apply (is_lim_seq_incr_compare _ _ L). intros n. apply piece_rises; [exact good|]. rewrite S_INR; lra.
Qed.

(* The largest sample is at most z, or it is some arm's. *)
Lemma above_whole l z : NoDup l -> all_below s l z + sum (fun a => above_piece l a z) l = 1.
Proof.
intros N. destruct l as [|b k]; [unfold largest.all_below; simpl; ring|].
set (l := b :: k) in *. assert (L : l <> []) by discriminate.
assert (U : is_lim_seq (fun n => sum (fun a => piece l a (INR n)) l) (sum (whole_piece l) l)).
{ apply (lim_sum (fun n a => piece l a (INR n))). intros a I. now apply whole_limit. }
assert (V : is_lim_seq (fun n => sum (fun a => piece l a (INR n)) l) (1 - all_below s l 0)).
{ apply (is_lim_seq_ext (fun n => all_below s l (INR n) - all_below s l 0)).
  - intros n. symmetry. now apply pieces_fill.
  - apply is_lim_seq_minus'; [now apply (all_below_limits A s good l)|apply is_lim_seq_const]. }
assert (E : sum (whole_piece l) l = 1 - all_below s l 0).
{ apply Rbar_finite_eq. now rewrite <- (is_lim_seq_unique _ _ U), <- (is_lim_seq_unique _ _ V). }
assert (Sum : sum (fun a => above_piece l a z) l = sum (whole_piece l) l - sum (fun a => piece l a z) l).
{ generalize (sum_linear _ (whole_piece l) (fun a => piece l a z) 1 1 l). rewrite !Rmult_1_l. intros <-.
  apply sum_eq. intros a _. unfold above_piece. ring. }
rewrite Sum, E, pieces_fill by exact N. ring.
Qed.

Lemma above_worth_inside l z c : NoDup l -> 0 <= c <= 1 -> 0 <= c * all_below s l z + above_worth l z <= 1.
Proof.
intros N C. assert (O := above_whole l z N).
assert (B : 0 <= all_below s l z).
{ destruct l as [|b k]; [unfold largest.all_below; simpl; lra|].
  generalize (all_below_inside A s good (b :: k) z ltac:(discriminate)). lra. }
assert (U : above_worth l z <= sum (fun a => above_piece l a z) l).
{ apply sum_le. intros a I. generalize (above_piece_positive l a z N I) (worth_inside a). nra. }
assert (L : 0 <= above_worth l z).
{ apply Rle_trans with (sum (fun _ : A => 0) l).
  - right. clear. induction l as [|a l IH]; simpl; lra.
  - apply sum_le. intros a I. apply Rmult_le_pos; [apply worth_inside|now apply above_piece_positive]. }
split; nra.
Qed.

Lemma above_worth_derive l z : is_derive (above_worth l) z (- sum (fun a => worth a * winner s l a z) l).
Proof.
replace (- sum (fun a => worth a * winner s l a z) l) with (sum (fun a => worth a * (0 - winner s l a z)) l).
- apply (derive_sum (fun a z => worth a * above_piece l a z)). intros a _. apply is_derive_scal.
  apply (is_derive_minus (fun _ => whole_piece l a) (piece l a)); [apply @is_derive_const|now apply piece_derive].
- transitivity (sum (fun a => 0 * worth a - 1 * (worth a * winner s l a z)) l).
  + apply sum_eq. intros a _. ring.
  + rewrite sum_linear. ring.
Qed.

Lemma above_worth_high l : NoDup l -> is_lim_seq (fun n => above_worth l (INR n)) 0.
Proof.
intros N. replace (Finite 0) with (Finite (sum (fun a => worth a * (whole_piece l a - whole_piece l a)) l)).
- apply (lim_sum (fun n a => worth a * above_piece l a (INR n))). intros a I.
  apply (is_lim_seq_scal_l _ (worth a) (Finite (whole_piece l a - whole_piece l a))).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|now apply whole_limit].
- f_equal. transitivity (sum (fun a : A => 0 * worth a - 0 * worth a) l); [apply sum_eq; intros; ring|].
  rewrite sum_linear. ring.
Qed.

Lemma above_worth_low l : NoDup l ->
  is_lim_seq (fun n => above_worth l (- INR n)) (sum (fun a => worth a * largest l a) l).
Proof.
intros N. apply (lim_sum (fun n a => worth a * above_piece l a (- INR n))). intros a I.
apply (is_lim_seq_scal_l _ (worth a) (Finite (largest l a))).
replace (Finite (largest l a)) with (Finite (whole_piece l a - (whole_piece l a - largest l a))) by (f_equal; ring).
apply is_lim_seq_minus'; [apply is_lim_seq_const|].
apply (is_lim_seq_ext (fun n => piece l a (INR n) - RInt (winner s l a) (- INR n) (INR n))).
- intros n. rewrite pieces by exact good. ring.
- apply is_lim_seq_minus'; [now apply whole_limit|now apply largest_limit].
Qed.

(* An arm that is put before others: it wins where all others are below, another arm where it is below. *)
Lemma winners_split a l z : ~ In a l -> sum (fun b => worth b * winner s (a :: l) b z) (a :: l) =
  worth a * (at_ s a z * all_below s l z) + below s a z * sum (fun b => worth b * winner s l b z) l.
Proof.
intros N. simpl sum. f_equal.
- f_equal. unfold largest.winner at 1. simpl. destruct (same a a) as [_|E]; [|now destruct E].
  fold (winner s l a z). now rewrite winner_other.
- rewrite (Rmult_comm (below s a z)), <- sum_scaled. apply sum_eq. intros b I. unfold largest.winner. simpl.
  destruct (same b a) as [->|_]; [contradiction|]. ring.
Qed.

(* What is expected once arm a's sample is y: the arm is kept, or one of the others. *)
Definition after_sample (a : A) (l : list A) (y : R) : R := worth a * all_below s l y + above_worth l y.
Definition sample_account (a : A) (l : list A) (y : R) : R := below s a y * above_worth l y - above_worth (a :: l) y.

Lemma sample_paid a l : NoDup (a :: l) -> antiderivative (fun y => at_ s a y * after_sample a l y) (sample_account a l)
  (- sum (fun b => worth b * largest (a :: l) b) (a :: l)) 0.
Proof.
intros N. inversion N as [|? ? Na Nl]; subst. destruct (good a) as (D & C & P & _ & Low & High).
assert (Dall : forall y, is_derive (all_below s l) y (sum (fun b => winner s l b y) l)).
{ intros y. apply all_below_derive; [|exact Nl]. intros b. apply (good b). }
split; [|split; [|split; [|split]]].
- intros y. apply (continuous_mult (K := R_AbsRing) (at_ s a) (after_sample a l)); [apply C|].
  apply (continuous_plus (V := R_NormedModule) (fun y => worth a * all_below s l y) (above_worth l)).
  + apply (continuous_scal_r (V := R_NormedModule) (worth a) (all_below s l)).
    apply (ex_derive_continuous (V := R_NormedModule)). eexists; apply Dall.
  + apply (ex_derive_continuous (V := R_NormedModule)). eexists; apply above_worth_derive.
- intros y. apply Rmult_le_pos; [left; apply P|]. now apply above_worth_inside.
- intros y. unfold sample_account. evar_last.
  + apply (is_derive_minus (fun y => below s a y * above_worth l y) (above_worth (a :: l))).
    * apply (is_derive_mult (below s a) (above_worth l)); [apply D|apply above_worth_derive|intros; apply Rmult_comm].
    * apply above_worth_derive.
  + rewrite winners_split by exact Na. unfold after_sample, minus, plus, opp, mult; simpl. ring.
- replace (- sum (fun b => worth b * largest (a :: l) b) (a :: l)) with
    (0 * sum (fun b => worth b * largest l b) l - sum (fun b => worth b * largest (a :: l) b) (a :: l)) by ring.
  apply is_lim_seq_minus'; [|now apply above_worth_low].
  apply is_lim_seq_mult'; [exact Low|now apply above_worth_low].
- replace (Finite 0) with (Finite (1 * 0 - 0)) by (f_equal; ring).
  apply is_lim_seq_minus'; [|now apply above_worth_high].
  apply is_lim_seq_mult'; [exact High|now apply above_worth_high].
Qed.

Lemma sample_antiderivative a : antiderivative (at_ s a) (below s a) 0 1.
Proof.
destruct (good a) as (D & C & P & _ & Low & High). split; [exact C|split; [|split; [exact D|now split]]].
intros x. left. apply P.
Qed.

Theorem kept_worth_is l : forall b z, NoDup l -> kept_worth b z l = worth b * all_below s l z + above_worth l z.
Proof.
induction l as [|a l IH]; intros b z N; [unfold largest.all_below, above_worth; simpl; ring|].
inversion N as [|? ? Na Nl]; subst. simpl kept_worth. rewrite (IH b z Nl).
set (c := worth b * all_below s l z + above_worth l z).
assert (C : 0 <= c <= 1) by now apply above_worth_inside.
transitivity (integral (switched z (fun y => at_ s a y * after_sample a l y) (fun y => at_ s a y * c))).
{ f_equal. apply FunctionalExtensionality.functional_extensionality. intros y. unfold switched, after_sample.
  destruct (Rlt_dec z y); [now rewrite IH|reflexivity]. }
destruct (good a) as (_ & _ & P & _).
rewrite (switched_is (at_ s a) (below s a) _ _ _ _ _ _ _ _ z (sample_antiderivative a) (sample_paid a l N)
  (antiderivative_scaled c _ _ _ _ (proj1 C) (sample_antiderivative a))).
- unfold sample_account, c, largest.all_below. simpl prod. ring.
- intros y. generalize (P y) (above_worth_inside l y (worth a) Nl (worth_inside a)). unfold after_sample. nra.
- intros y. generalize (P y). nra.
Qed.

Theorem drawn_worth_is l : NoDup l -> drawn_worth l = sum (fun a => worth a * largest l a) l.
Proof.
destruct l as [|a l]; [reflexivity|]. intros N. inversion N as [|? ? Na Nl]; subst. simpl drawn_worth.
transitivity (integral (fun y => at_ s a y * after_sample a l y)).
{ f_equal. apply FunctionalExtensionality.functional_extensionality. intros y. now rewrite kept_worth_is. }
rewrite (whole_area _ _ _ _ (sample_paid a l N)). ring.
Qed.
End Turns.
