(* Appendix C.1, Algorithm 3: two queries with Laplace noise whose difference changes; and any number of queries, of which
   one changes. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments half_planes laplace densities satisfiable.
Import ListNotations.
Open Scope R_scope.

(* The chance that the difference of two standard Laplace variables is larger than x. *)
Definition difference_tail (x : R) : R :=
  exp (- Rmax x 0) * (2 + Rmax x 0) / 4 - exp (- Rmax (- x) 0) * (2 + Rmax (- x) 0) / 4 + 1 / 2.

Lemma tail_right x : 0 <= x -> difference_tail x = exp (- x) * (2 + x) / 4.
Proof.
intros H. unfold difference_tail. rewrite (Rmax_left x 0), (Rmax_right (- x) 0) by lra. rewrite Ropp_0, exp_0. field.
Qed.

Lemma tail_left x : x <= 0 -> difference_tail x = 1 - exp x * (2 - x) / 4.
Proof.
intros H. unfold difference_tail. rewrite (Rmax_right x 0), (Rmax_left (- x) 0) by lra.
rewrite Ropp_involutive, Ropp_0, exp_0. field.
Qed.

(* The tail times e^x rises, on either side of 0. *)
Lemma rises_right x y : 0 <= x <= y -> exp x * difference_tail x <= exp y * difference_tail y.
Proof.
intros H. rewrite !tail_right by lra.
assert (E : forall z, exp z * (exp (- z) * (2 + z) / 4) = (2 + z) / 4).
{ intros z. replace (exp z * (exp (- z) * (2 + z) / 4)) with (exp z * exp (- z) * ((2 + z) / 4)) by field.
  rewrite <- exp_plus, Rplus_opp_r, exp_0. ring. }
rewrite !E. lra.
Qed.

Lemma rises_left x y : x <= y <= 0 -> exp x * difference_tail x <= exp y * difference_tail y.
Proof.
intros H. rewrite !tail_left by lra. set (f z := exp z * (1 - exp z * (2 - z) / 4)). change (f x <= f y).
apply (rises_between f (fun z => exp z * (1 - exp z * (3 - 2 * z) / 4))); [| |lra].
- intros z. unfold f. auto_derive; [auto|field].
- intros z Z. apply Rmult_le_pos; [left; apply exp_pos|].
  assert (U := exp_ineq1_le (- z)). assert (P := exp_pos z).
  assert (O : exp z * exp (- z) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra.
Qed.

Theorem algorithm_3_gap gap move : 0 <= move -> difference_tail gap <= exp move * difference_tail (gap + move).
Proof.
intros M. assert (H : exp gap * difference_tail gap <= exp (gap + move) * difference_tail (gap + move)).
{ destruct (Rle_lt_dec 0 gap) as [G|G]; [apply rises_right; lra|].
  destruct (Rle_lt_dec (gap + move) 0) as [L|L]; [apply rises_left; lra|].
  apply Rle_trans with (exp 0 * difference_tail 0); [apply rises_left|apply rises_right]; lra. }
rewrite exp_plus in H. apply Rmult_le_reg_l with (exp gap); [apply exp_pos|]. lra.
Qed.

(** * One query changes *)

(* The answers of the queries with Laplace noise, one after another; the last first in the list of outcomes. *)
Definition noisy_answers (scale : R) (answers : list R) : densities := fun h => laplace scale (nth (length h) answers 0).
Definition all_answered (answers : list R) (h : outcomes) : bool := Nat.leb (length answers) (length h).

(* The place of a largest number of h, the last number first; the places of h count down to 0, and the earlier place wins
   ties. *)
Fixpoint largest_place (h : outcomes) : nat :=
  match h with
  | [] => 0
  | z :: h' => if Rlt_dec (nth (length h' - 1 - largest_place h') h' z) z then length h' else largest_place h'
  end.

Lemma largest_place_inside h : (largest_place h <= length h - 1)%nat.
Proof. induction h as [|z h IH]; [apply le_n|]. simpl. destruct (Rlt_dec _ z); lia. Qed.

Lemma largest_place_largest h x : In x h -> x <= nth (length h - 1 - largest_place h) h 0.
Proof.
induction h as [|z h IH]; intros I; [destruct I|]. assert (L := largest_place_inside h).
destruct h as [|y l]; [destruct I as [->|[]]; unfold largest_place; simpl; destruct (Rlt_dec x x); simpl; lra|].
set (h := y :: l) in *. assert (Some : (1 <= length h)%nat) by (unfold h; simpl; lia).
rewrite (nth_indep h 0 z) in IH by lia. set (m := nth (length h - 1 - largest_place h) h z) in *.
assert (E : largest_place (z :: h) = if Rlt_dec m z then length h else largest_place h) by reflexivity. rewrite E.
change (length (z :: h)) with (S (length h)). destruct (Rlt_dec m z) as [Less|Less].
- replace (S (length h) - 1 - length h)%nat with 0%nat by lia. cbn [nth]. destruct I as [->|I]; [lra|]. specialize (IH I). lra.
- replace (S (length h) - 1 - largest_place h)%nat with (S (length h - 1 - largest_place h)) by lia. cbn [nth].
  rewrite (nth_indep h 0 z) by lia. fold m. destruct I as [->|I]; [lra|now apply IH].
Qed.

(* The probability that Algorithm 3, with noise of this scale, releases the place of a query for which the event holds. *)
Definition release_chance (scale : R) (answers : list R) (event : nat -> bool) : R :=
  chance_of (noisy_answers scale answers) (all_answered answers) (fun h => event (largest_place h)) (length answers) [].

Theorem algorithm_3_one_query (eps s : R) (answers changed : list R) (query : nat) (event : nat -> bool) :
  0 < eps -> 0 < s -> length changed = length answers -> (forall j, j <> query -> nth j answers 0 = nth j changed 0) ->
  Rabs (nth query answers 0 - nth query changed 0) <= s ->
  release_chance (s / eps) answers event <= exp eps * release_chance (s / eps) changed event.
Proof.
intros E S0 Len Same Move. assert (B : 0 < s / eps) by now apply Rdiv_lt_0_compat.
unfold release_chance. replace (all_answered changed) with (all_answered answers) by (unfold all_answered; now rewrite Len). rewrite Len.
assert (Pr : forall l h, proper (noisy_answers (s / eps) l h)).
{ intros l h. split; [intros z; now apply laplace_positive|now apply laplace_whole]. }
apply (fresh_numbers _ _ _ _ (Pr answers) (Pr changed) eps (fun h => Nat.eqb (length h) query)); [lra| | |].
- intros h z N. apply Nat.eqb_neq in N. unfold noisy_answers. now rewrite (Same _ N).
- intros h z N. apply Nat.eqb_eq in N. unfold noisy_answers. rewrite N. replace (exp eps) with (exp (s / (s / eps))) by (f_equal; field; lra).
  now apply laplace_moved.
- intros h h' N N'. apply Nat.eqb_eq in N, N'. rewrite app_length in N'. destruct h' as [|z h']; [reflexivity|]. simpl in N'. lia.
Qed.

(** * The hypotheses can hold together *)
Lemma algorithm_3_one_query_witness : satisfiable algorithm_3_one_query.
Proof.
exists 1, 1, [0; 4], [0; 5], 1%nat, (fun i => Nat.eqb i 0). split; [lra|]. split; [lra|]. split; [reflexivity|].
split; [intros [|[|j]] N; [reflexivity|lia|now destruct j]|]. simpl. split_Rabs; lra.
Qed.

Lemma algorithm_3_gap_witness : satisfiable algorithm_3_gap.
Proof. exists 0, 1. lra. Qed.
