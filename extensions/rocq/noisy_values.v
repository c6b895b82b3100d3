(* Several values with normal noise, of which one moves: all of them together, and where the largest is, are as private as
   that one alone. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import normal densities gaussian.
Import ListNotations.
Open Scope R_scope.

Section Values.
Variables (A : Type) (values : list A) (deviation : A -> R) (moved : A).
Hypotheses (different : NoDup values) (positive : forall a, 0 < deviation a).

(* Each value is drawn around its mean, one after another; the last first in the list of outcomes. Beyond the last
   nothing hangs on what comes. *)
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

(* mu-GDP of all values, and of all that is computed from them, such as where the largest is. *)
Theorem one_value_moves mean mean' mu eps event draws : 0 < mu -> (forall a, a <> moved -> mean a = mean' a) ->
  Rabs (mean moved - mean' moved) <= mu * deviation moved ->
  values_chance mean event draws <= exp eps * values_chance mean' event draws + gaussian_delta mu eps.
Proof.
intros M E H. assert (D := positive moved). set (step := (mean moved - mean' moved) / deviation moved).
assert (Square : step * step <= mu * mu).
{ assert (Rabs step <= mu).
  { unfold step, Rdiv. rewrite Rabs_mult, (Rabs_right (/ deviation moved)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_reg_r with (deviation moved); [exact D|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  generalize (Rabs_pos step). rewrite <- (Rabs_right (step * step)) by (generalize (Rle_0_sqr step); unfold Rsqr; lra).
  rewrite Rabs_mult. nra. }
apply (gaussian_rounds (noisy_values mean) (noisy_values mean') all_drawn event (noisy_values_proper mean)
  (noisy_values_proper mean') (fun h left => 0 <= left /\ (In moved (skipn (length h) values) -> mu * mu <= left)));
  [| |exact M|].
- intros h left [L O] N. unfold all_drawn in N. apply Nat.leb_gt in N.
  destruct (nth_error values (length h)) as [a|] eqn:F; [|apply nth_error_None in F; lia].
  destruct (nth_error_split values (length h) F) as (before & rest & V & K).
  assert (S0 : skipn (length h) values = a :: rest).
  { rewrite V, <- K, skipn_app, skipn_all, Nat.sub_diag. reflexivity. }
  assert (S1 : skipn (S (length h)) values = rest).
  { rewrite V, <- K. replace (S (length before)) with (length (before ++ [a])) by (rewrite app_length; simpl; lia).
    replace (before ++ a :: rest) with ((before ++ [a]) ++ rest) by (rewrite <- app_assoc; reflexivity).
    rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. }
  rewrite S0 in O. assert (Nd : NoDup (a :: rest)).
  { rewrite V in different. apply NoDup_remove_2 in different as I. apply NoDup_remove_1 in different as J.
    constructor; [intros Q; apply I, in_or_app; now right|]. clear - J. induction before as [|b l IH]; [exact J|].
    simpl in J. inversion J. now apply IH. }
  inversion Nd as [|x l Out _ [X Y]]. subst x l. unfold noisy_values. rewrite F.
  destruct (Classical_Prop.classic (a = moved)) as [->|N'].
  + exists (mu * mu). split; [split; [nra|apply O; now left]|]. split.
    * right. exists (deviation moved), (mean moved), (mean' moved). split; [exact D|].
      split; [reflexivity|split; [reflexivity|exact Square]].
    * intros z. cbn [length]. rewrite S1. split; [generalize (O (or_introl eq_refl)); lra|]. intros I. contradiction.
  + exists 0. split; [lra|]. rewrite Rminus_0_r. split; [left; intros z; now rewrite (E a N')|].
    intros z. cbn [length]. rewrite S1. split; [exact L|]. intros I. apply O. now right.
- intros h left [L _]. exact L.
- split; [nra|]. intros _. lra.
Qed.
End Values.
