(* Two laws of released arms: if their moments are bounded round by round, by a price for each round and one for each
   pull of the changed arm, then the releases are (eps, delta)-private. *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

(* What has been released, the last arm first; the chance of the next arm. *)
Definition releases := list bool.
Definition law := releases -> bool -> R.

(* The chance of an event of the releases, k rounds later. *)
Fixpoint chance (p : law) (k : nat) (h : releases) (event : releases -> bool) : R :=
  match k with
  | O => if event h then 1 else 0
  | S k' => p h true * chance p k' (true :: h) event + p h false * chance p k' (false :: h) event
  end.

(** * Tilted chances: x (x/y)^lam *)
Section Tilted.
Variable lam : R.
Hypothesis lam_positive : 0 < lam.

Definition tilted (x y : R) := x * exp (lam * (ln x - ln y)).

Lemma tilted_positive x y : 0 < x -> 0 < tilted x y.
Proof. intros H. apply Rmult_lt_0_compat; [exact H|apply exp_pos]. Qed.

Lemma tilted_product x y x' y' : 0 < x -> 0 < y -> 0 < x' -> 0 < y' ->
  tilted (x * x') (y * y') = tilted x y * tilted x' y'.
Proof.
intros. unfold tilted. rewrite !ln_mult by assumption.
replace (lam * (ln x + ln x' - (ln y + ln y'))) with (lam * (ln x - ln y) + lam * (ln x' - ln y')) by ring.
rewrite exp_plus; ring.
Qed.

Lemma tilted_same x : tilted x x = x.
Proof. unfold tilted. rewrite Rminus_diag_eq, Rmult_0_r, exp_0 by reflexivity. ring. Qed.

(* The largest (1 - t) t^lam. *)
Definition best_share := exp (lam * ln (lam / (1 + lam)) + ln (/ (1 + lam))).

Lemma ln_below x y : 0 < x -> 0 < y -> ln x <= x / y - 1 + ln y.
Proof.
intros Hx Hy. assert (Q : 0 < x / y) by now apply Rdiv_lt_0_compat.
assert (E := exp_ineq1_le (ln (x / y))). rewrite exp_ln in E by exact Q.
unfold Rdiv in E at 1. rewrite ln_mult, ln_Rinv in E; auto using Rinv_0_lt_compat. lra.
Qed.

Lemma share t : 0 < t < 1 -> (1 - t) * exp (lam * ln t) <= best_share.
Proof.
intros [H0 H1]. set (top := lam / (1 + lam)). set (rest := / (1 + lam)).
assert (T0 : 0 < top) by (apply Rdiv_lt_0_compat; lra).
assert (R0 : 0 < rest) by (apply Rinv_0_lt_compat; lra).
assert (A := ln_below t top H0 T0). assert (B := ln_below (1 - t) rest ltac:(lra) R0).
rewrite <- (exp_ln (1 - t)) at 1 by lra. rewrite <- exp_plus. unfold best_share; fold top rest.
assert (L : ln (1 - t) + lam * ln t <= lam * ln top + ln rest).
{ assert (C : lam * (t / top) = t * (1 + lam)) by (unfold top; field; lra).
  assert (D : (1 - t) / rest = (1 - t) * (1 + lam)) by (unfold rest; field; lra).
  assert (M := Rmult_le_compat_l lam _ _ (Rlt_le _ _ lam_positive) A). rewrite D in B. nra. }
destruct L as [L|L]; [left; now apply exp_increasing|rewrite L; lra].
Qed.

(* What exceeds e^eps y is a small part of the tilted chance. *)
Lemma excess eps x y : 0 < x -> 0 < y ->
  x - exp eps * y <= best_share * exp (- (lam * eps)) * tilted x y.
Proof.
intros Hx Hy. set (t := exp eps * y / x).
assert (T0 : 0 < t) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply exp_pos|]|]; assumption).
assert (E : x - exp eps * y = x * (1 - t)) by (unfold t; field; lra).
assert (P := tilted_positive x y Hx). assert (W : 0 < best_share) by apply exp_pos.
destruct (Rlt_le_dec t 1) as [L|L].
- assert (S := share t (conj T0 L)).
  assert (X : tilted x y * exp (- (lam * eps)) = x * exp (- (lam * ln t))).
  { unfold tilted, t. unfold Rdiv. rewrite !ln_mult, ln_Rinv, ln_exp; auto using exp_pos, Rinv_0_lt_compat.
    - rewrite Rmult_assoc, <- exp_plus. do 2 f_equal; ring.
    - apply Rmult_lt_0_compat; [apply exp_pos|exact Hy]. }
  rewrite E. replace (best_share * exp (- (lam * eps)) * tilted x y) with
    (best_share * (tilted x y * exp (- (lam * eps)))) by ring.
  rewrite X. assert (Z := exp_pos (- (lam * ln t))).
  apply Rle_trans with (x * ((1 - t) * exp (lam * ln t) * exp (- (lam * ln t)))).
  + rewrite Rmult_assoc, <- exp_plus. replace (lam * ln t + - (lam * ln t)) with 0 by ring. rewrite exp_0; lra.
  + replace (best_share * (x * exp (- (lam * ln t)))) with (x * (best_share * exp (- (lam * ln t)))) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra.
- assert (0 <= best_share * exp (- (lam * eps)) * tilted x y); [|rewrite E; nra].
  assert (Z := exp_pos (- (lam * eps))). apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
Qed.

(** * The moment of a policy *)
Fixpoint moment (p q : law) (k : nat) (h : releases) : R :=
  match k with
  | O => 1
  | S k' => tilted (p h true) (q h true) * moment p q k' (true :: h)
            + tilted (p h false) (q h false) * moment p q k' (false :: h)
  end.

Definition positive_law (p : law) := forall h a, 0 < p h a.

Section Laws.
Variables p q : law.
Hypotheses (p_positive : positive_law p) (q_positive : positive_law q).

Lemma excess_of_event eps event k h x y : 0 < x -> 0 < y ->
  x * chance p k h event - exp eps * (y * chance q k h event)
    <= best_share * exp (- (lam * eps)) * (tilted x y * moment p q k h).
Proof.
revert h x y; induction k as [|k IH]; intros h x y Hx Hy; simpl.
- destruct (event h); [generalize (excess eps x y Hx Hy); lra|].
  assert (P := tilted_positive x y Hx). assert (Z := exp_pos (- (lam * eps))).
  assert (W : 0 < best_share) by apply exp_pos.
  assert (0 <= best_share * exp (- (lam * eps)) * (tilted x y * 1)); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
- assert (step : forall a, x * (p h a * chance p k (a :: h) event) - exp eps * (y * (q h a * chance q k (a :: h) event))
    <= best_share * exp (- (lam * eps)) * (tilted x y * (tilted (p h a) (q h a) * moment p q k (a :: h)))).
  { intros a. assert (A := p_positive h a). assert (B := q_positive h a).
    generalize (IH (a :: h) (x * p h a) (y * q h a) ltac:(now apply Rmult_lt_0_compat) ltac:(now apply Rmult_lt_0_compat)).
    rewrite tilted_product by assumption. rewrite !Rmult_assoc; auto. }
  generalize (step true) (step false). rewrite !Rmult_plus_distr_l. lra.
Qed.

Theorem private_by_moment eps delta k event : best_share * exp (- (lam * eps)) * moment p q k [] <= delta ->
  chance p k [] event <= exp eps * chance q k [] event + delta.
Proof.
intros H. generalize (excess_of_event eps event k [] 1 1 Rlt_0_1 Rlt_0_1). rewrite tilted_same. lra.
Qed.

(** * The potential: a price for every round, and one for every pull *)
Variables (j : bool) (price : R) (left : nat -> R). (* what the pulls from the n-th on may cost *)
Variables (pulls : releases -> nat) (begun : releases -> bool). (* of arm j; has the changed reward been read? *)
Hypotheses (price_positive : 0 <= price) (left_falls : forall n, 0 <= left (S n) <= left n).
Hypothesis begun_stays : forall h a, begun h = true -> begun (a :: h) = true.
Hypothesis begun_pulled : forall h, begun h = true -> (1 <= pulls h)%nat.
Hypothesis pulls_j : forall h, pulls (j :: h) = S (pulls h).
Hypothesis pulls_other : forall h, pulls (negb j :: h) = pulls h.
Hypothesis before : forall h, begun h = false -> (forall a, p h a = q h a) /\ p h true + p h false = 1.
Hypothesis after : forall h, begun h = true ->
  exp (left (S (pulls h)) - left (pulls h)) * tilted (p h j) (q h j) + tilted (p h (negb j)) (q h (negb j))
    <= exp price.

Lemma left_le n n' : (n <= n')%nat -> left n' <= left n.
Proof. induction 1 as [|n' _ IH]; [lra|]. generalize (left_falls n'); lra. Qed.

Lemma left_positive n : 0 <= left n.
Proof. generalize (left_falls n); lra. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; now apply exp_increasing|lra]. Qed.

Lemma moment_after k h : begun h = true -> moment p q k h <= exp (INR k * price + left (pulls h)).
Proof.
revert h; induction k as [|k IH]; intros h Hb.
- simpl moment. rewrite <- exp_0. apply exp_le. generalize (left_positive (pulls h)). simpl; lra.
- assert (A := IH (j :: h) (begun_stays _ _ Hb)). assert (B := IH (negb j :: h) (begun_stays _ _ Hb)).
  rewrite pulls_j in A. rewrite pulls_other in B. set (n := pulls h) in *.
  assert (Tj := tilted_positive (p h j) (q h j) (p_positive h j)).
  assert (To := tilted_positive (p h (negb j)) (q h (negb j)) (p_positive h (negb j))).
  assert (E : moment p q (S k) h = tilted (p h j) (q h j) * moment p q k (j :: h)
    + tilted (p h (negb j)) (q h (negb j)) * moment p q k (negb j :: h)) by (destruct j; simpl; ring).
  rewrite E. set (base := exp (INR k * price + left n)).
  assert (F : exp (INR k * price + left (S n)) = exp (left (S n) - left n) * base).
  { unfold base. rewrite <- exp_plus. f_equal; ring. }
  apply Rle_trans with (exp price * base).
  + apply Rle_trans with ((exp (left (S n) - left n) * tilted (p h j) (q h j) + tilted (p h (negb j)) (q h (negb j))) * base).
    * rewrite F in A. fold base in B. rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
      -- apply Rle_trans with (tilted (p h j) (q h j) * (exp (left (S n) - left n) * base)); [|lra].
         apply Rmult_le_compat_l; lra.
      -- apply Rmult_le_compat_l; lra.
    * apply Rmult_le_compat_r; [left; apply exp_pos|]. now apply after.
  + unfold base. rewrite <- exp_plus. apply exp_le. rewrite S_INR; lra.
Qed.

(* The round that reads the changed reward costs nothing. *)
Lemma moment_before k h : begun h = false -> moment p q k h <= exp (INR (pred k) * price + left 1).
Proof.
revert h; induction k as [|k IH]; intros h Hb.
- simpl moment. rewrite <- exp_0. apply exp_le. generalize (left_positive 1). simpl; lra.
- destruct (before h Hb) as [E one]. simpl pred.
  assert (M : forall a, moment p q k (a :: h) <= exp (INR k * price + left 1)).
  { intros a. destruct (begun (a :: h)) eqn:Ea.
    - eapply Rle_trans; [apply moment_after, Ea|]. apply exp_le. generalize (left_le _ _ (begun_pulled _ Ea)); lra.
    - eapply Rle_trans; [apply IH, Ea|]. apply exp_le.
      assert (INR (pred k) <= INR k) by apply le_INR, le_pred_n. nra. }
  simpl. rewrite <- !E, !tilted_same. assert (A := p_positive h true). assert (B := p_positive h false).
  apply Rle_trans with (p h true * exp (INR k * price + left 1) + p h false * exp (INR k * price + left 1)).
  + apply Rplus_le_compat; apply Rmult_le_compat_l; auto; lra.
  + rewrite <- Rmult_plus_distr_r, one; lra.
Qed.

Theorem private_by_potential eps delta k event : begun [] = false ->
  ln best_share + INR (pred k) * price + left 1 - lam * eps <= ln delta -> 0 < delta ->
  chance p k [] event <= exp eps * chance q k [] event + delta.
Proof.
intros H0 H Hd. apply private_by_moment. rewrite <- (exp_ln delta) by exact Hd.
apply Rle_trans with (best_share * exp (- (lam * eps)) * exp (INR (pred k) * price + left 1)).
- apply Rmult_le_compat_l; [|now apply moment_before]. apply Rmult_le_pos; left; apply exp_pos.
- rewrite <- (exp_ln best_share) by apply exp_pos. rewrite <- !exp_plus. apply exp_le; lra.
Qed.
End Laws.
End Tilted.
