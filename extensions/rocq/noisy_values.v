(* Several values with normal noise, whose means move: all of them together are as private as one value that moves by the
   distance, and so is all that is computed from them, such as where the largest is. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import normal moments densities gaussian.
Import ListNotations.
Open Scope R_scope.

Section Values.
Variables (A : Type) (values : list A) (deviation : A -> R) (moved : A).
Hypotheses (different : NoDup values) (positive : forall a, 0 < deviation a).

(* Each value is drawn around its mean, one after another; the last first in the list of outcomes. Beyond the last
   what comes has no effect. *)
Definition noisy_values (mean : A -> R) : densities := fun h =>
  match nth_error values (length h) with
  | Some a => normal_density (deviation a) (mean a)
  | None => normal_density 1 0
  end.
Definition all_drawn (h : outcomes) : bool := Nat.leb (length values) (length h).
Definition values_chance (mean : A -> R) (event : outcomes -> bool) (draws : nat) : R :=
  chance_of (noisy_values mean) all_drawn event draws [].

Lemma noisy_values_proper mean h : proper (noisy_values mean h).
Proof. unfold noisy_values. destruct (nth_error values (length h)); apply normal_density_proper; auto; lra. Qed.

(* mu-GDP of all values, and of all that is computed from them, such as where the largest is: mu^2 is the squared distance
   of the means, each in units of its deviation. *)
Definition squared_move (mean mean' : A -> R) (a : A) : R := ((mean a - mean' a) / deviation a) ^ 2.

Theorem values_move mean mean' mu eps event draws : 0 < mu -> sum (squared_move mean mean') values <= mu * mu ->
  values_chance mean event draws <= exp eps * values_chance mean' event draws + gaussian_delta mu eps.
Proof.
intros M H. assert (Pos : forall l, 0 <= sum (squared_move mean mean') l).
{ induction l as [|a l IH]; simpl; [lra|]. unfold squared_move at 1. generalize (pow2_ge_0 ((mean a - mean' a) / deviation a)). lra. }
apply (gaussian_rounds (noisy_values mean) (noisy_values mean') all_drawn event (noisy_values_proper mean)
  (noisy_values_proper mean') (fun h left => sum (squared_move mean mean') (skipn (length h) values) <= left));
  [| |exact M|exact H].
- intros h left L N. unfold all_drawn in N. apply Nat.leb_gt in N.
  destruct (nth_error values (length h)) as [a|] eqn:F; [|apply nth_error_None in F; lia].
  assert (S0 : skipn (length h) values = a :: skipn (S (length h)) values).
  { revert F. generalize (length h). clear. induction values as [|b l IH]; intros [|n] F; try discriminate; simpl in *.
    - now injection F as ->.
    - now apply IH. }
  rewrite S0 in L. cbn [sum] in L. assert (P := Pos (skipn (S (length h)) values)).
  exists (squared_move mean mean' a). split; [split; [apply pow2_ge_0|lra]|]. split.
  + right. exists (deviation a), (mean a), (mean' a). unfold noisy_values. rewrite F. split; [apply positive|].
    split; [reflexivity|split; [reflexivity|]]. right. unfold squared_move. ring.
  + intros z. cbn [length]. lra.
- intros h left L. generalize (Pos (skipn (length h) values)). lra.
Qed.

(* One of them moves. *)
Theorem one_value_moves mean mean' mu eps event draws : 0 < mu -> (forall a, a <> moved -> mean a = mean' a) ->
  Rabs (mean moved - mean' moved) <= mu * deviation moved ->
  values_chance mean event draws <= exp eps * values_chance mean' event draws + gaussian_delta mu eps.
Proof.
intros M E H. assert (D := positive moved). apply values_move; [exact M|].
assert (Still : forall a, a <> moved -> squared_move mean mean' a = 0).
{ intros a N. unfold squared_move. rewrite (E a N). unfold Rdiv. ring. }
assert (Moves : squared_move mean mean' moved <= mu * mu).
{ unfold squared_move. assert (Q : Rabs ((mean moved - mean' moved) / deviation moved) <= mu).
  { unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ deviation moved)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_reg_r with (deviation moved); [exact D|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  rewrite <- pow2_abs. generalize (Rabs_pos ((mean moved - mean' moved) / deviation moved)). nra. }
assert (None_ : forall l, ~ In moved l -> sum (squared_move mean mean') l = 0).
{ induction l as [|a l IH]; intros N; simpl; [reflexivity|]. rewrite (Still a), IH; [ring| |]; intros I; apply N; [now right|now left]. }
induction different as [|a l N _ IH]; cbn [sum]; [nra|]. destruct (Classical_Prop.classic (a = moved)) as [->|F].
- rewrite (None_ l N), Rplus_0_r. exact Moves.
- rewrite (Still a F), Rplus_0_l. apply IH. now inversion different.
Qed.
End Values.
