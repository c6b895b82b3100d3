(* Section 2: what Gaussian differential privacy is, in numbers. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import normal densities gaussian.
Import ListNotations.
Open Scope R_scope.

(* What a test for values above t shows at eps, where a normal value moves by mu deviations. *)
Definition threshold_delta (mu eps t : R) := Phi (mu - t) - exp eps * Phi (- t).

Lemma excess_is_delta mu eps : 0 < mu -> excess_at mu 1 (exp eps) = gaussian_delta mu eps.
Proof.
intros M. unfold excess_at, best_line, gaussian_delta. rewrite ln_1, ln_exp.
replace (mu / 2 + (0 - eps) / mu) with (- eps / mu + mu / 2) by (field; lra).
replace (- eps / mu + mu / 2 - mu) with (- eps / mu - mu / 2) by (field; lra). lra.
Qed.

Theorem definition_2 eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof.
intros _ M. unfold threshold_delta. rewrite <- excess_is_delta by exact M.
assert (H := no_line_exceeds 1 (exp eps) Rlt_0_1 (exp_pos eps) mu (mu - t) M).
replace (mu - t - mu) with (- t) in H by ring. lra.
Qed.

Theorem definition_2_monotone eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof.
intros E M N. set (t := eps / mu + mu / 2). apply Rle_trans with (threshold_delta (mu + more) eps t).
- unfold threshold_delta, gaussian_delta.
  replace (- eps / mu + mu / 2) with (mu - t) by (unfold t; field; lra).
  replace (- eps / mu - mu / 2) with (- t) by (unfold t; field; lra).
  assert (Phi (mu - t) <= Phi (mu + more - t)) by (apply Phi_le; lra). lra.
- apply definition_2; lra.
Qed.

Lemma delta_rises eps mu mu' : 0 <= eps -> 0 < mu -> mu <= mu' -> gaussian_delta mu eps <= gaussian_delta mu' eps.
Proof.
intros E M L. replace mu' with (mu + (mu' - mu)) by ring. apply definition_2_monotone; lra.
Qed.

(* Values that move by a share of s in units of sigma, to either side. *)
Theorem gaussian_mechanism eps s sigma share t : 0 <= eps -> 0 < s -> 0 < sigma -> -1 <= share <= 1 ->
  threshold_delta (share * s / sigma) eps t <= gaussian_delta (s / sigma) eps.
Proof.
intros E S G H. assert (M : 0 < s / sigma) by now apply Rdiv_lt_0_compat.
replace (share * s / sigma) with (share * (s / sigma)) by (field; lra). set (mu := s / sigma) in *.
destruct (Rlt_le_dec 0 share) as [P|P].
- apply Rle_trans with (gaussian_delta (share * mu) eps); [apply definition_2; [exact E|now apply Rmult_lt_0_compat]|].
  replace mu with (share * mu + (1 - share) * mu) at 2 by ring.
  apply definition_2_monotone; [exact E|now apply Rmult_lt_0_compat|apply Rmult_le_pos; lra].
- apply Rle_trans with 0.
  + unfold threshold_delta. assert (share * mu <= 0) by nra.
    assert (L : Phi (share * mu - t) <= Phi (- t)) by (apply Phi_le; lra).
    assert (O : 1 <= exp eps).
    { rewrite <- exp_0. destruct E as [E|<-]; [left; now apply exp_increasing|right; reflexivity]. }
    assert (I := Phi_inside (- t)). nra.
  + rewrite <- excess_is_delta by exact M. apply excess_positive; [apply Rlt_0_1|apply exp_pos|exact M].
Qed.

(** * Several values with normal noise, of which one moves *)
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
