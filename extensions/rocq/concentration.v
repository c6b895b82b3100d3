(* Sums of independent random variables: Chernoff's bound and Hoeffding's inequality. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments half_planes expectation.
Open Scope R_scope.

(* Of x 0, ..., x (n-1). *)
Fixpoint sum_to (n : nat) (x : nat -> R) : R := match n with O => 0 | S k => sum_to k x + x k end.
Fixpoint product_to (n : nat) (x : nat -> R) : R := match n with O => 1 | S k => product_to k x * x k end.

(* X 0, ..., X (n-1) are independent: the mean of a product of functions of them is the product of the means. Asked for
   continuous functions alone. *)
Definition independent {W : sample_space} (P : probability_measure W) (X : nat -> W -> R) (n : nat) :=
  forall h : nat -> R -> R, (forall i x, continuous (h i) x) ->
  (forall i, (i < n)%nat -> has_mean P (fun w => h i (X i w))) ->
  has_mean P (fun w => product_to n (fun i => h i (X i w))) /\
  mean P (fun w => product_to n (fun i => h i (X i w))) = product_to n (fun i => mean P (fun w => h i (X i w))).

Lemma sum_to_same n x y : (forall i, (i < n)%nat -> x i = y i) -> sum_to n x = sum_to n y.
Proof. induction n as [|n IH]; simpl; intros E; [reflexivity|]. rewrite IH, (E n); auto. Qed.

Lemma sum_to_le n x y : (forall i, (i < n)%nat -> x i <= y i) -> sum_to n x <= sum_to n y.
Proof. induction n as [|n IH]; simpl; intros H; [lra|]. apply Rplus_le_compat; [apply IH; auto|apply H; auto]. Qed.

Lemma sum_to_const n c : sum_to n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring. Qed.

Lemma sum_to_scaled n c x : sum_to n (fun i => c * x i) = c * sum_to n x.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_to_plus n x y : sum_to n (fun i => x i + y i) = sum_to n x + sum_to n y.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_to_minus n x y : sum_to n (fun i => x i - y i) = sum_to n x - sum_to n y.
Proof. induction n as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_to_term n x k : (forall i, (i < n)%nat -> 0 <= x i) -> (k < n)%nat -> x k <= sum_to n x.
Proof.
induction n as [|n IH]; intros P L; [lia|]. simpl. assert (A := P n (Nat.lt_succ_diag_r n)). destruct (Nat.eq_dec k n) as [->|N].
- assert (0 <= sum_to n x); [|lra]. rewrite <- (Rmult_0_r (INR n)), <- sum_to_const. apply sum_to_le. auto.
- assert (x k <= sum_to n x); [apply IH; [auto|lia]|lra].
Qed.

Lemma product_to_same n x y : (forall i, (i < n)%nat -> x i = y i) -> product_to n x = product_to n y.
Proof. induction n as [|n IH]; simpl; intros E; [reflexivity|]. rewrite IH, (E n); auto. Qed.

Lemma exp_sum_to n x : exp (sum_to n x) = product_to n (fun i => exp (x i)).
Proof. induction n as [|n IH]; simpl; [apply exp_0|]. now rewrite exp_plus, IH. Qed.

Lemma product_to_exp n x y : (forall i, (i < n)%nat -> 0 <= x i <= exp (y i)) -> 0 <= product_to n x <= exp (sum_to n y).
Proof.
induction n as [|n IH]; simpl; intros H; [rewrite exp_0; lra|]. rewrite exp_plus.
assert (A := IH (fun i L => H i (Nat.lt_lt_succ_r _ _ L))). assert (B := H n (Nat.lt_succ_diag_r n)).
split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
Qed.

(* A bound that holds with the exponent - (1 - e) d for every e in (0, 1] holds with - d. *)
Lemma exp_limit p d : 0 <= d -> (forall e, 0 < e <= 1 -> p <= exp (- d + e * d)) -> p <= exp (- d).
Proof.
intros D H. destruct (Rle_lt_dec p 0) as [P0|P0]; [apply Rle_trans with (1 := P0); left; apply exp_pos|].
rewrite <- (exp_ln p) by exact P0. apply exp_le. apply le_epsilon. intros e E.
set (e' := Rmin 1 (e / (d + 1))). assert (E0 : 0 < e / (d + 1)) by (apply Rdiv_lt_0_compat; lra).
assert (E' : 0 < e' <= 1) by (split; [apply Rmin_glb_lt; lra|apply Rmin_l]).
specialize (H e' E'). rewrite <- (exp_ln p) in H by exact P0. apply Rle_trans with (- d + e' * d).
- destruct (Rle_lt_dec (ln p) (- d + e' * d)) as [G|G]; [exact G|]. apply exp_increasing in G. lra.
- assert (e' * d <= e); [|lra]. apply Rle_trans with (e / (d + 1) * d); [apply Rmult_le_compat_r; [exact D|apply Rmin_r]|].
  apply Rmult_le_reg_r with (d + 1); [lra|]. unfold Rdiv.
  replace (e * / (d + 1) * d * (d + 1)) with (e * d) by (field; lra). nra.
Qed.

Section Sums.
Variables (W : sample_space) (P : probability_measure W).

Lemma variable_sum (X : nat -> W -> R) n : (forall i, (i < n)%nat -> random_variable (X i)) ->
  random_variable (fun w => sum_to n (fun i => X i w)).
Proof.
induction n as [|n IH]; simpl; intros H; [apply variable_const|]. apply variable_plus; [apply IH|apply H]; auto.
Qed.

Lemma mean_sum (X : nat -> W -> R) n : (forall i, (i < n)%nat -> has_mean P (X i)) ->
  has_mean P (fun w => sum_to n (fun i => X i w)) /\
  mean P (fun w => sum_to n (fun i => X i w)) = sum_to n (fun i => mean P (X i)).
Proof.
induction n as [|n IH]; simpl; intros H; [split; [apply has_mean_const|apply mean_const]|].
destruct IH as [I M]; [auto|]. split; [apply has_mean_plus|rewrite mean_plus, M]; auto.
Qed.

Lemma exp_continuous c x : continuous (fun x => exp (c * x)) x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. Qed.

(* The exponential moment of a sum, where each term has its own factor. *)
Lemma moment_of_sum (X : nat -> W -> R) n (c bound : nat -> R) : independent P X n ->
  (forall i, (i < n)%nat -> has_mean P (fun w => exp (c i * X i w)) /\ mean P (fun w => exp (c i * X i w)) <= exp (bound i)) ->
  has_mean P (fun w => exp (sum_to n (fun i => c i * X i w))) /\
  mean P (fun w => exp (sum_to n (fun i => c i * X i w))) <= exp (sum_to n bound).
Proof.
intros I H. destruct (I (fun i x => exp (c i * x))) as [F M]; [intros; apply exp_continuous|intros i L; now apply H|].
assert (E : (fun w => exp (sum_to n (fun i => c i * X i w))) = (fun w => product_to n (fun i => exp (c i * X i w)))).
{ same_function. intros w. apply exp_sum_to. }
rewrite E. split; [exact F|]. rewrite M. apply product_to_exp. intros i L. destruct (H i L) as [F' M'].
split; [apply mean_positive; [exact F'|intros; left; apply exp_pos]|exact M'].
Qed.

(* Chernoff's bound for the sum of X i - m i. *)
Lemma tail_of_sum (X : nat -> W -> R) n (m bound : nat -> R) lam t : 0 <= lam -> independent P X n ->
  (forall i, (i < n)%nat -> random_variable (X i)) ->
  (forall i, (i < n)%nat -> has_mean P (fun w => exp (lam * X i w)) /\
    mean P (fun w => exp (lam * X i w)) <= exp (lam * m i + bound i)) ->
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n m) t <= exp (sum_to n bound - lam * t).
Proof.
intros L I V H. destruct (moment_of_sum X n (fun _ => lam) (fun i => lam * m i + bound i) I H) as [F M].
set (Z := fun w => sum_to n (fun i => X i w) - sum_to n m).
assert (E : forall w, exp (- (lam * sum_to n m)) * exp (sum_to n (fun i => lam * X i w)) = exp (lam * Z w)).
{ intros w. rewrite <- exp_plus, sum_to_scaled. unfold Z. f_equal. ring. }
assert (F' : has_mean P (fun w => exp (lam * Z w))).
{ apply (has_mean_same W P (fun w => exp (- (lam * sum_to n m)) * exp (sum_to n (fun i => lam * X i w))) _ E).
  now apply has_mean_scaled. }
apply Rle_trans with (exp (- (lam * t)) * exp (sum_to n bound)); [|rewrite <- exp_plus; right; f_equal; ring].
apply chernoff; [exact L| |exact F'|].
- apply variable_minus; [now apply variable_sum|apply variable_const].
- rewrite <- (mean_same W P _ _ E), mean_scaled by exact F.
  apply Rle_trans with (exp (- (lam * sum_to n m)) * exp (sum_to n (fun i => lam * m i + bound i))).
  + apply Rmult_le_compat_l; [left; apply exp_pos|exact M].
  + rewrite <- exp_plus. right. f_equal.
    rewrite sum_to_plus, sum_to_scaled. ring.
Qed.

(* Both tails. *)
Definition far_from (Z : W -> R) (m t : R) := mean P (fun w => if Rle_dec t (Rabs (Z w - m)) then 1 else 0).

Lemma both_tails (Z : W -> R) m t p : random_variable Z -> 0 <= t -> upper_tail P (fun w => Z w - m) t <= p ->
  upper_tail P (fun w => - 1 * Z w - - m) t <= p -> far_from Z m t <= 2 * p.
Proof.
intros V T A B. assert (V1 : random_variable (fun w => Z w - m)) by (apply variable_minus; [exact V|apply variable_const]).
assert (V2 : random_variable (fun w => - 1 * Z w - - m)).
{ apply variable_minus; [now apply variable_scaled|apply variable_const]. }
apply Rle_trans with (upper_tail P (fun w => Z w - m) t + upper_tail P (fun w => - 1 * Z w - - m) t); [|lra].
unfold upper_tail, far_from. rewrite <- mean_plus by now apply has_mean_from. apply mean_le.
- apply has_mean_from. apply (variable_continuous W Rabs); [intros; apply continuous_Rabs|exact V1].
- apply has_mean_plus; now apply has_mean_from.
- intros w. destruct (Rle_dec t (Rabs (Z w - m))), (Rle_dec t (Z w - m)), (Rle_dec t (- 1 * Z w - - m)); try lra.
  exfalso. split_Rabs; lra.
Qed.

(** * Hoeffding's lemma *)

(* For a coin. *)
Lemma coin_moment mu t : 0 <= mu <= 1 -> 0 <= t -> mu * exp (- t) + (1 - mu) <= exp (t * t / 8 - mu * t).
Proof.
intros M T. set (sum x := mu * exp (- x) + (1 - mu)).
assert (P0 : forall x, 0 < sum x).
{ intros x. unfold sum. assert (E := exp_pos (- x)). destruct (Rle_lt_dec mu (1 / 2)); nra. }
set (f x := x * x / 8 - mu * x - ln (sum x)). set (g x := x / 4 - mu + mu * exp (- x) / sum x).
assert (G : forall x, 0 <= x -> 0 <= g x).
{ intros x X. assert (Z : g 0 = 0) by (unfold g, sum; rewrite Ropp_0, exp_0; field; lra). rewrite <- Z.
  apply (rises_between g (fun x => 1 / 4 - mu * exp (- x) * (1 - mu) / (sum x * sum x))); [| |exact X].
  - intros y. specialize (P0 y). unfold g, sum in *. auto_derive; [lra|]. field. lra.
  - intros y _. specialize (P0 y). assert (H : mu * exp (- y) * (1 - mu) / (sum y * sum y) <= 1 / 4); [|lra].
    apply Rmult_le_reg_r with (sum y * sum y); [nra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra.
    generalize (Rle_0_sqr (mu * exp (- y) - (1 - mu))). unfold Rsqr, sum. lra. }
assert (F : f 0 <= f t).
{ apply (rises_between f g); [|intros; apply G; lra|exact T]. intros y. specialize (P0 y). unfold f, g, sum in *.
  auto_derive; [lra|]. field. lra. }
assert (F0 : f 0 = 0).
{ unfold f, sum. rewrite Ropp_0, exp_0. replace (mu * 1 + (1 - mu)) with 1 by ring. rewrite ln_1. field. }
rewrite F0 in F. unfold f in F. change (sum t <= exp (t * t / 8 - mu * t)).
rewrite <- (exp_ln (sum t)) by apply P0. apply exp_le. lra.
Qed.

Lemma bounded_has_mean (X : W -> R) a b : random_variable X -> (forall w, a <= X w <= b) -> has_mean P X.
Proof.
intros V B. apply (has_mean_bounded W P (Rmax (Rabs a) (Rabs b))); [exact V|]. intros w. specialize (B w).
unfold Rmax. destruct (Rle_dec _ _); split_Rabs; lra.
Qed.

Lemma bounded_exp (X : W -> R) a b lam : random_variable X -> (forall w, a <= X w <= b) ->
  has_mean P (fun w => exp (lam * X w)).
Proof.
intros V B. apply (bounded_has_mean _ 0 (exp (Rabs lam * Rmax (Rabs a) (Rabs b)))).
- apply (variable_continuous W (fun x => exp (lam * x))); [intros; apply exp_continuous|exact V].
- intros w. split; [left; apply exp_pos|]. apply exp_le. apply Rle_trans with (1 := Rle_abs _). rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|]. specialize (B w).
  unfold Rmax. destruct (Rle_dec _ _); split_Rabs; lra.
Qed.

Lemma hoeffding_moment (X : W -> R) a b lam : 0 <= lam -> random_variable X -> (forall w, a <= X w <= b) ->
  mean P (fun w => exp (lam * X w)) <= exp (lam * mean P X + lam * lam * ((b - a) * (b - a)) / 8).
Proof.
intros L V B. assert (I := bounded_has_mean X a b V B).
assert (am : a <= mean P X <= b).
{ split; [rewrite <- (mean_const W P a)|rewrite <- (mean_const W P b)]; apply mean_le;
    try apply has_mean_const; try exact I; intros w; apply B. }
destruct (Req_dec a b) as [->|N].
- (* X is constant *)
  assert (E : mean P (fun w => exp (lam * X w)) = exp (lam * b)).
  { rewrite <- (mean_const W P (exp (lam * b))). apply mean_same. intros w. do 2 f_equal. specialize (B w). lra. }
  rewrite E. apply exp_le. replace (mean P X) with b by lra. right. field.
- set (t := lam * (b - a)). set (U x := (b - x) / (b - a)). assert (D : 0 < b - a) by lra.
  assert (T : 0 <= t) by (unfold t; nra).
  assert (m : U (mean P X) = mean P (fun w => - / (b - a) * X w + b / (b - a))).
  { rewrite mean_affine by exact I. unfold U. field. lra. }
  assert (Um : 0 <= U (mean P X) <= 1).
  { unfold U. split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (b - a); [exact D|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Line : forall w, exp (lam * X w) <=
    exp (lam * b) * ((exp (- t) - 1) * (- / (b - a) * X w + b / (b - a)) + 1)).
  { intros w. specialize (B w). assert (u : 0 <= U (X w) <= 1).
    { unfold U. split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (b - a); [exact D|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (C := exp_chord (U (X w)) (- t) u).
    replace (lam * X w) with (lam * b + U (X w) * - t) by (unfold U, t; field; lra). rewrite exp_plus.
    apply Rmult_le_compat_l; [left; apply exp_pos|].
    replace (- / (b - a) * X w + b / (b - a)) with (U (X w)) by (unfold U; field; lra). lra. }
  assert (J : has_mean P (fun w => - / (b - a) * X w + b / (b - a))) by now apply has_mean_affine.
  apply Rle_trans with (mean P (fun w => exp (lam * b) * ((exp (- t) - 1) * (- / (b - a) * X w + b / (b - a)) + 1))).
  + apply mean_le; [now apply (bounded_exp X a b)|now apply has_mean_scaled, has_mean_affine|exact Line].
  + rewrite mean_scaled by now apply has_mean_affine. rewrite mean_affine by exact J. rewrite <- m.
    apply Rle_trans with (exp (lam * b) * exp (t * t / 8 - U (mean P X) * t)).
    * apply Rmult_le_compat_l; [left; apply exp_pos|]. assert (C := coin_moment (U (mean P X)) t Um T). lra.
    * rewrite <- exp_plus. apply exp_le. right. unfold t, U. field. lra.
Qed.

(* n independent variables, each in a range of its own. *)
Theorem hoeffding (X : nat -> W -> R) (a b : nat -> R) n t : independent P X n ->
  (forall i, (i < n)%nat -> random_variable (X i)) -> (forall i w, (i < n)%nat -> a i <= X i w <= b i) -> 0 <= t ->
  0 < sum_to n (fun i => (b i - a i) ^ 2) ->
  upper_tail P (fun w => sum_to n (fun i => X i w) - sum_to n (fun i => mean P (X i))) t <=
    exp (- 2 * t ^ 2 / sum_to n (fun i => (b i - a i) ^ 2)).
Proof.
intros I V B T D. set (d := sum_to n (fun i => (b i - a i) ^ 2)) in *. set (lam := 4 * t / d).
assert (L : 0 <= lam) by (apply Rle_mult_inv_pos; lra).
apply Rle_trans with (exp (sum_to n (fun i => lam * lam / 8 * (b i - a i) ^ 2) - lam * t)).
- apply tail_of_sum; [exact L|exact I|exact V|]. intros i H. split; [apply (bounded_exp _ (a i) (b i)); auto|].
  apply Rle_trans with (1 := hoeffding_moment (X i) (a i) (b i) lam L (V i H) (fun w => B i w H)).
  apply exp_le. right. field.
- rewrite sum_to_scaled. fold d. apply exp_le. right. unfold lam. field. lra.
Qed.

Lemma independent_scaled (X : nat -> W -> R) c n : independent P X n -> independent P (fun i w => c * X i w) n.
Proof.
intros I h C F. apply (I (fun i x => h i (c * x))); [|exact F]. intros i x.
apply (continuous_comp (fun x => c * x) (h i)); [|apply C]. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
Qed.

Theorem hoeffding_both (X : nat -> W -> R) (a b : nat -> R) n t : independent P X n ->
  (forall i, (i < n)%nat -> random_variable (X i)) -> (forall i w, (i < n)%nat -> a i <= X i w <= b i) -> 0 <= t ->
  0 < sum_to n (fun i => (b i - a i) ^ 2) ->
  far_from (fun w => sum_to n (fun i => X i w)) (sum_to n (fun i => mean P (X i))) t <=
    2 * exp (- 2 * t ^ 2 / sum_to n (fun i => (b i - a i) ^ 2)).
Proof.
intros I V B T D. apply both_tails; [now apply variable_sum|exact T|now apply hoeffding|].
assert (V' : forall i, (i < n)%nat -> random_variable (fun w => - 1 * X i w)) by (intros i L; apply variable_scaled, V, L).
assert (H := hoeffding (fun i w => - 1 * X i w) (fun i => - b i) (fun i => - a i) n t (independent_scaled X (- 1) n I)).
cbv beta in H.
assert (E : sum_to n (fun i => (- a i - - b i) ^ 2) = sum_to n (fun i => (b i - a i) ^ 2)).
{ apply sum_to_same. intros i _. ring. }
rewrite E in H. assert (M : sum_to n (fun i => mean P (fun w => - 1 * X i w)) = - sum_to n (fun i => mean P (X i))).
{ rewrite (sum_to_same n _ (fun i => - 1 * mean P (X i))); [rewrite sum_to_scaled; ring|]. intros i L. apply mean_scaled.
  apply (bounded_has_mean _ (a i) (b i)); auto. }
rewrite M in H.
assert (B' : forall i w, (i < n)%nat -> - b i <= - 1 * X i w <= - a i) by (intros i w L; specialize (B i w L); lra).
apply Rle_trans with (2 := H V' B' T D). right. apply mean_same. intros w. now rewrite sum_to_scaled.
Qed.
End Sums.

(** * Two tosses of a fair coin *)

(* a for one side, b for the other. *)
Definition toss (a b : R) (i : nat) (w : two_tosses) : R := if (if Nat.eqb i 0 then fst w else snd w) then a else b.

Lemma tosses_independent a b : independent fair (toss a b) 2.
Proof. intros h _ _. split; [exact I|]. simpl. unfold toss. simpl. field. Qed.

Lemma toss_mean a b i : mean fair (toss a b i) = (a + b) / 2.
Proof. unfold toss. destruct i; simpl; field. Qed.

Lemma toss_inside a b i w : a <= b -> a <= toss b a i w <= b.
Proof. intros H. unfold toss. destruct (if Nat.eqb i 0 then fst w else snd w); lra. Qed.
