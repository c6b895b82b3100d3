(* Two laws of released arms: if their moments are bounded round by round, by a price for each round and one for each
   pull of the changed arm, then the releases are (eps, delta)-private. Any finite number of arms. *)
From Coq Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

(** * Sums and products over arms *)
Section Arms.
Variable A : Type.

Fixpoint sum (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => f a + sum f l' end.

Lemma sum_le f g l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof.
induction l as [|a l IH]; simpl; intros H; [lra|]. assert (H0 := H a (or_introl eq_refl)).
assert (sum f l <= sum g l) by auto. lra.
Qed.

Lemma sum_eq f g l : (forall a, In a l -> f a = g a) -> sum f l = sum g l.
Proof. intros H. apply Rle_antisym; apply sum_le; intros a Ha; rewrite (H a Ha); lra. Qed.

Lemma sum_scaled f c l : sum (fun a => f a * c) l = sum f l * c.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_linear f g c d l : sum (fun a => c * f a - d * g a) l = c * sum f l - d * sum g l.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

(* What has been released, the last arm first; the chance of the next arm. *)
Definition releases := list A.
Definition law := releases -> A -> R.

(* The chance of an event of the releases, k rounds later. *)
Variable arms : list A.
Fixpoint chance (p : law) (k : nat) (h : releases) (event : releases -> bool) : R :=
  match k with
  | O => if event h then 1 else 0
  | S k' => sum (fun a => p h a * chance p k' (a :: h) event) arms
  end.
End Arms.
Arguments sum {A}.

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
Section Laws.
Variables (A : Type) (arms : list A).
Notation releases := (releases A).

Fixpoint moment (p q : law A) (k : nat) (h : releases) : R :=
  match k with
  | O => 1
  | S k' => sum (fun a => tilted (p h a) (q h a) * moment p q k' (a :: h)) arms
  end.

Definition positive_law (p : law A) := forall h a, In a arms -> 0 < p h a.

Variables p q : law A.
Hypotheses (p_positive : positive_law p) (q_positive : positive_law q).

Lemma excess_of_event eps event k h x y : 0 < x -> 0 < y ->
  x * chance A arms p k h event - exp eps * (y * chance A arms q k h event)
    <= best_share * exp (- (lam * eps)) * (tilted x y * moment p q k h).
Proof.
revert h x y; induction k as [|k IH]; intros h x y Hx Hy.
- simpl. destruct (event h); [generalize (excess eps x y Hx Hy); lra|].
  assert (P := tilted_positive x y Hx). assert (Z := exp_pos (- (lam * eps))).
  assert (W : 0 < best_share) by apply exp_pos.
  assert (0 <= best_share * exp (- (lam * eps)) * (tilted x y * 1)); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
- set (c := best_share * exp (- (lam * eps)) * tilted x y).
  replace (best_share * exp (- (lam * eps)) * (tilted x y * moment p q (S k) h)) with (c * moment p q (S k) h)
    by (unfold c; ring).
  apply Rle_trans with (sum (fun a => (tilted (p h a) (q h a) * moment p q k (a :: h)) * c) arms);
    [|simpl; rewrite sum_scaled; lra].
  simpl. rewrite <- Rmult_assoc, <- sum_linear. apply sum_le. intros a Ha.
  assert (P := p_positive h a Ha). assert (Q := q_positive h a Ha).
  generalize (IH (a :: h) (x * p h a) (y * q h a) ltac:(now apply Rmult_lt_0_compat)
    ltac:(now apply Rmult_lt_0_compat)).
  rewrite tilted_product by assumption. unfold c. intros H.
  eapply Rle_trans; [|eapply Rle_trans; [exact H|]]; right; ring.
Qed.

Theorem private_by_moment eps delta k h event : best_share * exp (- (lam * eps)) * moment p q k h <= delta ->
  chance A arms p k h event <= exp eps * chance A arms q k h event + delta.
Proof.
intros H. generalize (excess_of_event eps event k h 1 1 Rlt_0_1 Rlt_0_1). rewrite tilted_same. lra.
Qed.

(** * The potential: a price for every round, and one for every pull *)
Variables (same : forall a b : A, {a = b} + {a <> b}).
Fixpoint pulls (a : A) (h : releases) : nat :=
  match h with [] => 0 | b :: h' => if same a b then S (pulls a h') else pulls a h' end.

Variables (T : nat) (j : A) (price : R) (left : nat -> R). (* what the pulls of arm j from the n-th on may cost *)
Variable after : releases -> Prop. (* the changed reward, one of arm j, has been read *)
Hypotheses (price_positive : 0 <= price) (left_falls : forall n, 0 <= left (S n) <= left n).
Hypothesis after_stays : forall h a, after h -> after (a :: h).
Hypothesis paid_for : forall h, after h -> (length h < T)%nat ->
  sum (fun a => (if same j a then exp (left (S (pulls j h)) - left (pulls j h)) else 1) * tilted (p h a) (q h a)) arms
    <= exp price.

Lemma left_le n n' : (n <= n')%nat -> left n' <= left n.
Proof. induction 1 as [|n' _ IH]; [lra|]. generalize (left_falls n'); lra. Qed.

Lemma left_positive n : 0 <= left n.
Proof. generalize (left_falls n); lra. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; now apply exp_increasing|lra]. Qed.

Lemma exp_chord u x : 0 <= u <= 1 -> exp (u * x) <= u * exp x + (1 - u).
Proof.
intros U. generalize (exp_ineq1_le ((1 - u) * x)) (exp_ineq1_le (- (u * x))). intros right_of left_of.
assert (G : exp (u * x) * 1 <= exp (u * x) * (u * exp ((1 - u) * x) + (1 - u) * exp (- (u * x)))).
{ apply Rmult_le_compat_l; [left; apply exp_pos|nra]. }
replace (exp (u * x) * (u * exp ((1 - u) * x) + (1 - u) * exp (- (u * x)))) with
  (u * (exp (u * x) * exp ((1 - u) * x)) + (1 - u) * (exp (u * x) * exp (- (u * x)))) in G by ring.
rewrite <- !exp_plus in G. replace (u * x + (1 - u) * x) with x in G by ring.
replace (u * x + - (u * x)) with 0 in G by ring. rewrite exp_0 in G. lra.
Qed.

Lemma pulls_at_most a h : (pulls a h <= length h)%nat.
Proof. induction h as [|b h IH]; simpl; [lia|]. destruct (same a b); lia. Qed.

Lemma moment_after k h : after h -> (length h + k <= T)%nat -> moment p q k h <= exp (INR k * price + left (pulls j h)).
Proof.
revert h; induction k as [|k IH]; intros h Hb HT.
- simpl moment. rewrite <- exp_0. apply exp_le. generalize (left_positive (pulls j h)). simpl; lra.
- set (n := pulls j h). set (base := exp (INR k * price + left n)).
  assert (B0 : 0 < base) by apply exp_pos.
  apply Rle_trans with (sum (fun a =>
    ((if same j a then exp (left (S n) - left n) else 1) * tilted (p h a) (q h a)) * base) arms).
  + simpl. apply sum_le. intros a Ha. assert (TP := tilted_positive (p h a) (q h a) (p_positive h a Ha)).
    assert (M := IH (a :: h) (after_stays h a Hb) ltac:(simpl; lia)). simpl pulls in M. destruct (same j a) as [->|N].
    * fold n in M. replace (exp (INR k * price + left (S n))) with (exp (left (S n) - left n) * base) in M
        by (unfold base; rewrite <- exp_plus; f_equal; ring).
      apply (Rmult_le_compat_l (tilted (p h a) (q h a))) in M; lra.
    * fold n base in M. apply (Rmult_le_compat_l (tilted (p h a) (q h a))) in M; lra.
  + rewrite sum_scaled. apply Rle_trans with (exp price * base).
    * apply Rmult_le_compat_r; [lra|]. apply (paid_for h Hb). lia.
    * unfold base. rewrite <- exp_plus. apply exp_le. rewrite S_INR; lra.
Qed.

(* `rounds` of them are left at most, and arm j has `least` pulls at least. *)
Definition cost_at_most (least rounds : nat) (eps delta : R) :=
  ln best_share + INR rounds * price + left least - lam * eps <= ln delta.

Lemma close_after least rounds eps delta k h event : 0 < delta -> cost_at_most least rounds eps delta ->
  (length h + k <= T)%nat -> (k <= rounds)%nat -> after h -> (least <= pulls j h)%nat ->
  chance A arms p k h event <= exp eps * chance A arms q k h event + delta.
Proof.
intros Hd H Hk K Hh Hp. apply private_by_moment. rewrite <- (exp_ln delta) by exact Hd.
apply Rle_trans with (best_share * exp (- (lam * eps)) * exp (INR k * price + left (pulls j h))).
- apply Rmult_le_compat_l; [|now apply moment_after]. apply Rmult_le_pos; left; apply exp_pos.
- rewrite <- (exp_ln best_share) by apply exp_pos. rewrite <- !exp_plus. apply exp_le. unfold cost_at_most in H.
  assert (L := left_le least (pulls j h) Hp). apply le_INR in K. nra.
Qed.
End Laws.

(* Before the changed reward was read both laws are the same; the round that reads it costs nothing. *)
Section Before.
Variables (A : Type) (arms : list A) (p q : law A) (begun : releases A -> bool).
Hypothesis before : forall h, begun h = false ->
  (forall a, In a arms -> p h a = q h a /\ 0 <= p h a) /\ sum (p h) arms = 1.

Theorem close_before eps delta T k h event : 1 - exp eps <= delta -> 0 <= delta -> (length h + k = T)%nat ->
  begun h = false -> (forall z k, let h' := z ++ h in begun h' = true -> (length h' + k <= T)%nat ->
    chance A arms p k h' event <= exp eps * chance A arms q k h' event + delta) ->
  chance A arms p k h event <= exp eps * chance A arms q k h event + delta.
Proof.
intros H0 Hd HT Hb After. assert (E0 := exp_pos eps). revert h HT Hb After.
induction k as [|k IH]; intros h HT Hb After; simpl.
- destruct (event h); lra.
- destruct (before h Hb) as [E one].
  assert (S : sum (fun a => 1 * (p h a * chance A arms p k (a :: h) event)
    - exp eps * (q h a * chance A arms q k (a :: h) event)) arms <= sum (fun a => p h a * delta) arms).
  { apply sum_le. intros a Ha. destruct (E a Ha) as [<- P].
    assert (M : chance A arms p k (a :: h) event <= exp eps * chance A arms q k (a :: h) event + delta).
    { destruct (begun (a :: h)) eqn:Ea; [apply (After [a]); [exact Ea|simpl; lia]|].
      apply IH; [simpl; lia|exact Ea|]. intros z k'. assert (L := After (z ++ [a]) k').
      rewrite <- app_assoc in L. exact L. }
    apply (Rmult_le_compat_l (p h a)) in M; lra. }
  rewrite sum_linear, sum_scaled, one in S. lra.
Qed.
End Before.

Lemma enough_at_start eps delta : ln best_share - lam * eps <= ln delta -> 0 < delta -> 1 - exp eps <= delta.
Proof.
intros H Hd. generalize (excess eps 1 1 Rlt_0_1 Rlt_0_1). rewrite tilted_same.
assert (best_share * exp (- (lam * eps)) <= delta); [|lra].
rewrite <- (exp_ln delta), <- (exp_ln best_share), <- exp_plus by (exact Hd || apply exp_pos).
destruct (Rle_lt_or_eq_dec _ _ H) as [L|L]; [left; apply exp_increasing|right; f_equal]; lra.
Qed.
End Tilted.
