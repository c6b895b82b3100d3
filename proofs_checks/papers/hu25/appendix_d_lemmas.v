(* Lemma D.3: how likely a sub-optimal arm is pulled, compared with arm 1, given the history before a round. *)
From Coq Require Import Reals Lra List Bool.
From Dpbandits Require Import moments expectation concentration satisfiable.
Import ListNotations.
Open Scope R_scope.

(* The scores of these arms are all at most z. *)
Definition all_at_most {A W : Type} (theta : A -> W -> R) (arms : list A) (z : R) (w : W) : bool :=
  forallb (fun a => if Rle_dec (theta a w) z then true else false) arms.

(* i_t is an arm with a score of at least all others, whatever ties do; P is the law of the round given its history. *)
Theorem lemma_d_3 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (one i : A) (others : list A)
  (W : sample_space) (P : probability_measure W) (theta : A -> W -> R) (i_t : W -> A) (fresh : bool) (sample : W -> R) z :
  In i others -> ~ In one others -> (forall w, In (i_t w) (one :: others)) ->
  (forall w a, In a (one :: others) -> theta a w <= theta (i_t w) w) ->
  (forall a, random_variable (theta a)) -> (forall a, random_variable (fun w => if same (i_t w) a then 1 else 0)) ->
  random_variable sample -> (fresh = true -> forall w, theta one w = sample w) ->
  mean P (fun w => if Rle_dec (sample w) z then if all_at_most theta others z w then 1 else 0 else 0) =
    mean P (fun w => if Rle_dec (sample w) z then 1 else 0) *
    mean P (fun w => if all_at_most theta others z w then 1 else 0) ->
  let p := strict_upper_tail P sample z in 0 < p ->
  mean P (fun w => if same (i_t w) i then if fresh then if Rle_dec (theta i w) z then 1 else 0 else 0 else 0) <=
    (/ p - 1) * mean P (fun w => if same (i_t w) one then 1 else 0).
Proof.
intros Ii I1 Chosen Largest V Vi Vs Fresh Ind p P0.
assert (Below : forall X, random_variable X -> random_variable (fun w : W => if Rle_dec (X w) z then 1 else 0)).
{ intros X H. apply (variable_same W (fun w => 1 - if Rlt_dec z (X w) then 1 else 0)).
  - intros w. destruct (Rlt_dec z (X w)), (Rle_dec (X w) z); lra.
  - apply variable_minus; [apply variable_const|now apply variable_above]. }
assert (Vb : random_variable (fun w => if all_at_most theta others z w then 1 else 0)).
{ clear Ii I1 Chosen Largest Ind. induction others as [|a l IH]; [apply (variable_same W (fun _ => 1)); [reflexivity|apply variable_const]|].
  apply (variable_same W (fun w => (if Rle_dec (theta a w) z then 1 else 0) * if all_at_most theta l z w then 1 else 0)).
  - intros w. unfold all_at_most. simpl. destruct (Rle_dec (theta a w) z), (forallb _ l); simpl; ring.
  - apply variable_times; [now apply Below|exact IH]. }
assert (Event : forall (f : W -> R), random_variable f -> (forall w, 0 <= f w <= 1) -> has_mean P f).
{ intros f H B. apply (has_mean_bounded W P 1); [exact H|]. intros w. specialize (B w). rewrite Rabs_right; lra. }
assert (Fb := Event _ Vb ltac:(intros w; cbv beta; destruct (all_at_most theta others z w); lra)).
assert (Fs := Event _ (Below sample Vs) ltac:(intros w; cbv beta; destruct (Rle_dec (sample w) z); lra)).
assert (F1 := Event _ (Vi one) ltac:(intros w; cbv beta; destruct (same (i_t w) one); lra)).
set (both := fun w => if Rle_dec (sample w) z then if all_at_most theta others z w then 1 else 0 else 0) in *.
assert (Vboth : random_variable both).
{ apply (variable_same W (fun w => (if Rle_dec (sample w) z then 1 else 0) * if all_at_most theta others z w then 1 else 0)).
  - intros w. unfold both. destruct (Rle_dec (sample w) z); ring.
  - apply variable_times; [now apply Below|exact Vb]. }
assert (Fboth := Event _ Vboth ltac:(intros w; unfold both; destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra)).
set (q := mean P (fun w => if all_at_most theta others z w then 1 else 0)) in *.
assert (Miss : mean P (fun w => if Rle_dec (sample w) z then 1 else 0) = 1 - p).
{ assert (Fa := has_mean_above W P z sample Vs).
  transitivity (mean P (fun w => - 1 * (if Rlt_dec z (sample w) then 1 else 0) + 1)).
  - apply mean_same. intros w. destruct (Rlt_dec z (sample w)), (Rle_dec (sample w) z); lra.
  - rewrite mean_affine by exact Fa. unfold p, strict_upper_tail. ring. }
rewrite Miss in Ind.
assert (q0 : 0 <= q) by (apply mean_positive; [exact Fb|intros w; destruct (all_at_most theta others z w); lra]).
assert (p1 : p <= 1).
{ apply Rle_trans with (1 := strict_upper_tail_le W P sample z Vs). now apply upper_tail_inside. }
(* arm 1 is pulled where its sample alone is above z *)
assert (Lower : q - (1 - p) * q <= mean P (fun w => if same (i_t w) one then 1 else 0) \/ fresh = false).
{ destruct fresh; [left|now right]. rewrite <- Ind. unfold q.
  apply Rle_trans with (mean P (fun w => 1 * (if all_at_most theta others z w then 1 else 0) + - 1 * both w)).
  - rewrite mean_linear by assumption. lra.
  - apply mean_le; [now apply has_mean_linear|exact F1|]. intros w. unfold both.
    destruct (all_at_most theta others z w) eqn:B; [|destruct (Rle_dec (sample w) z), (same (i_t w) one); lra].
    destruct (Rle_dec (sample w) z) as [S|S]; [destruct (same (i_t w) one); lra|].
    destruct (same (i_t w) one) as [_|N]; [lra|]. exfalso. apply S. rewrite <- (Fresh eq_refl w).
    apply Rle_trans with (1 := Largest w one (or_introl eq_refl)).
    destruct (Chosen w) as [E|E]; [now destruct N|]. apply (proj1 (forallb_forall _ _)) with (x := i_t w) in B; [|exact E].
    cbv beta in B. destruct (Rle_dec (theta (i_t w) w) z) as [L|L]; [exact L|discriminate]. }
assert (r0 : 0 <= / p - 1).
{ assert (1 <= / p); [|lra]. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. }
assert (M0 : 0 <= mean P (fun w => if same (i_t w) one then 1 else 0)).
{ apply mean_positive; [exact F1|]. intros w. destruct (same (i_t w) one); lra. }
destruct fresh.
- destruct Lower as [Lower|]; [|discriminate]. apply Rle_trans with ((1 - p) * q).
  + rewrite <- Ind. assert (Vi' : random_variable (fun w => if same (i_t w) i then if Rle_dec (theta i w) z then 1 else 0 else 0)).
    { apply (variable_same W (fun w => (if same (i_t w) i then 1 else 0) * if Rle_dec (theta i w) z then 1 else 0)).
      - intros w. destruct (same (i_t w) i); ring.
      - apply variable_times; [apply Vi|now apply Below]. }
    apply mean_le; [apply Event; [exact Vi'|intros w; destruct (same (i_t w) i), (Rle_dec (theta i w) z); lra]|exact Fboth|].
    intros w. unfold both. destruct (same (i_t w) i) as [E|_];
      [|destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra].
    destruct (Rle_dec (theta i w) z) as [L|_]; [|destruct (Rle_dec (sample w) z), (all_at_most theta others z w); lra].
    assert (All : forall a, In a (one :: others) -> theta a w <= z).
    { intros a Ha. apply Rle_trans with (1 := Largest w a Ha). now rewrite E. }
    destruct (Rle_dec (sample w) z) as [_|N]; [|exfalso; apply N; rewrite <- (Fresh eq_refl w); apply All; now left].
    assert (B : all_at_most theta others z w = true).
    { apply forallb_forall. intros a Ha. destruct (Rle_dec (theta a w) z) as [_|N]; [reflexivity|].
      exfalso. apply N, All. now right. }
    rewrite B. lra.
  + apply Rle_trans with ((/ p - 1) * (q - (1 - p) * q)); [right; field; lra|]. now apply Rmult_le_compat_l.
- rewrite (mean_same W P _ (fun _ => 0)) by (intros w; now destruct (same (i_t w) i)). rewrite mean_const.
  apply Rmult_le_pos; assumption.
Qed.

(* Two arms, whose scores are tosses of a fair coin; the first arm wins ties. *)
Lemma lemma_d_3_witness : satisfiable lemma_d_3.
Proof.
exists bool, bool_dec, true, false, [false], two_tosses, fair, (fun a : bool => toss 1 (- 1) (if a then 0%nat else 1%nat)),
  (fun w : bool * bool => if fst w then true else negb (snd w)), true, (toss 1 (- 1) 0), 0.
split; [now left|]. split; [intros [|[]]; discriminate|].
split; [intros [[] []]; simpl; auto|].
split; [intros [[] []] [] _; unfold toss; simpl; lra|]. split; [intros; exact I|]. split; [intros; exact I|].
split; [exact I|]. split; [reflexivity|].
unfold strict_upper_tail, all_at_most, toss. simpl.
repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try (exfalso; lra) end;
repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try (exfalso; lra) end; simpl; lra.
Qed.
