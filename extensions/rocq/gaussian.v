(* Numbers that are drawn from normal laws, whose means the changed datum moves: their losses add up to that of one
   Gaussian mechanism, whatever each of them depends on. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins largest integral densities half_planes.
Import ListNotations.
Open Scope R_scope.

(** * What a test of one number loses *)
Section Tests.
Variables P Q : R.
Hypotheses (P_positive : 0 < P) (Q_positive : 0 < Q).

(* P Phi(t) - Q Phi(t - r) at the best t. *)
Definition best_line (r P Q : R) := r / 2 + (ln P - ln Q) / r.
Definition excess_at (r P Q : R) := P * Phi (best_line r P Q) - Q * Phi (best_line r P Q - r).

Lemma no_line_exceeds r t : 0 < r -> P * Phi t - Q * Phi (t - r) <= excess_at r P Q.
Proof.
intros H. set (u := best_line r P Q). assert (T := below_tangent r (r - t) (r - u) ltac:(lra)).
replace (r - (r - t)) with t in T by ring. replace (r - (r - u)) with u in T by ring.
replace (- (r - t)) with (t - r) in T by ring. replace (- (r - u)) with (u - r) in T by ring.
assert (S : slope r (r - u) = Q / P).
{ unfold slope, u, best_line. replace (r * (r - (r / 2 + (ln P - ln Q) / r)) - r * r / 2) with (ln Q + - ln P)
    by (field; lra). rewrite exp_plus, exp_Ropp, !exp_ln by assumption. reflexivity. }
rewrite S in T. apply (Rmult_le_compat_l P) in T; [|lra].
replace (P * (Phi u + Q / P * (Phi (t - r) - Phi (u - r)))) with (P * Phi u + Q * (Phi (t - r) - Phi (u - r))) in T
  by (field; lra).
unfold excess_at. fold u. lra.
Qed.

Lemma excess_positive r : 0 < r -> 0 <= excess_at r P Q.
Proof.
intros H.
assert (E := is_lim_seq_le (fun n => P * Phi (0 - 1 * INR n) - Q * Phi (- r - 1 * INR n)) (fun _ => excess_at r P Q)
  (Finite (P * 0 - Q * 0)) (Finite (excess_at r P Q))). simpl in E.
assert (P * 0 - Q * 0 <= excess_at r P Q); [|lra]. apply E.
- intros n. replace (- r - 1 * INR n) with (0 - 1 * INR n - r) by ring. now apply no_line_exceeds.
- apply is_lim_seq_minus'; [apply (is_lim_seq_scal_l _ P (Finite 0))|apply (is_lim_seq_scal_l _ Q (Finite 0))];
    apply tail_limit; lra.
- apply is_lim_seq_const.
Qed.

Lemma excess_whole r : 0 < r -> P - Q <= excess_at r P Q.
Proof.
intros H.
assert (E := is_lim_seq_le (fun n => P * (1 - Phi (0 - 1 * INR n)) - Q * (1 - Phi (r - 1 * INR n)))
  (fun _ => excess_at r P Q) (Finite (P * (1 - 0) - Q * (1 - 0))) (Finite (excess_at r P Q))). simpl in E.
assert (P * (1 - 0) - Q * (1 - 0) <= excess_at r P Q); [|lra]. apply E.
- intros n. rewrite <- !Phi_opp. replace (- (r - 1 * INR n)) with (- (0 - 1 * INR n) - r) by ring.
  now apply no_line_exceeds.
- apply is_lim_seq_minus'; [apply (is_lim_seq_scal_l _ P (Finite (1 - 0)))|
    apply (is_lim_seq_scal_l _ Q (Finite (1 - 0)))];
    (apply is_lim_seq_minus'; [apply is_lim_seq_const|apply tail_limit; lra]).
- apply is_lim_seq_const.
Qed.
End Tests.

(* One number is drawn first, whose mean moves by mu deviations, and then one is tested that moves by nu. *)
Definition drawn_first (nu mu P Q x : R) := excess_at nu (P * density (x - mu)) (Q * density x).

Lemma log_density x : ln (density x) = - (x * x) / 2 - ln (sqrt (2 * PI)).
Proof.
unfold density, Rdiv. rewrite ln_mult, ln_exp, ln_Rinv; [ring|apply root_two_pi|apply exp_pos|].
apply Rinv_0_lt_compat, root_two_pi.
Qed.

Lemma drawn_first_bounds nu mu r P Q : 0 < nu -> 0 < P -> 0 < Q -> 0 < r -> r * r = mu * mu + nu * nu ->
  bounds (drawn_first nu mu P Q) (excess_at r P Q).
Proof.
intros N HP HQ Hr Sq. set (b := mu / nu). set (a := nu / 2 + (ln P - ln Q - mu * mu / 2) / nu).
assert (W : width b = r / nu).
{ unfold width. replace (1 + b * b) with (r / nu * (r / nu)).
  - apply sqrt_square. apply Rle_mult_inv_pos; lra.
  - unfold b. replace (r / nu * (r / nu)) with (r * r / (nu * nu)) by (field; lra). rewrite Sq. field; lra. }
assert (Form : forall x, drawn_first nu mu P Q x = P * below_line b (a + b * mu) (x - mu) - Q * below_line b (a - nu) x).
{ intros x. unfold drawn_first, excess_at, below_line.
  assert (L : best_line nu (P * density (x - mu)) (Q * density x) = a + b * x).
  { unfold best_line. rewrite !ln_mult, !log_density by (assumption || apply density_positive). unfold a, b. field; lra. }
  rewrite L. replace (a + b * mu + b * (x - mu)) with (a + b * x) by ring.
  replace (a - nu + b * x) with (a + b * x - nu) by ring. ring. }
exists (fun _ => drawn_first nu mu P Q).
assert (C : forall x, continuous (drawn_first nu mu P Q) x).
{ intros x. apply (continuous_ext (fun x => minus (P * below_line b (a + b * mu) (x - mu)) (Q * below_line b (a - nu) x))).
  - intros y. rewrite Form. reflexivity.
  - apply (continuous_minus (V := R_NormedModule)).
    + apply (continuous_scal_r (V := R_NormedModule) P (fun x => below_line b (a + b * mu) (x - mu))).
      apply (continuous_comp (fun x => x - mu) (below_line b (a + b * mu))); [|apply below_line_continuous].
      apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    + apply (continuous_scal_r (V := R_NormedModule) Q (below_line b (a - nu))), below_line_continuous. }
assert (Pos : forall x, 0 <= drawn_first nu mu P Q x).
{ intros x. apply excess_positive; [| |exact N]; apply Rmult_lt_0_compat; (assumption || apply density_positive). }
split; [|split].
- intros n x. split; [apply C|]. generalize (Pos x); lra.
- intros x c H. now exists 0%nat.
- intros n.
  assert (U : forall k, RInt (drawn_first nu mu P Q) (- INR k) (INR k) <=
    P * Phi ((a + b * mu) / width b) - Q * part b (a - nu) k).
  { intros k. assert (K := symmetric k).
    apply Rle_trans with (RInt (fun x => minus (scal P (below_line b (a + b * mu) (1 * x + - mu))) (scal Q (below_line b (a - nu) x)))
      (- INR k) (INR k)).
    - right. apply RInt_ext. intros x _. rewrite Form. unfold minus, plus, opp, scal; simpl; unfold mult; simpl.
      replace (1 * x + - mu) with (x - mu) by ring. reflexivity.
    - assert (I1 : ex_RInt (fun x => below_line b (a + b * mu) (1 * x + - mu)) (- INR k) (INR k)).
      { apply continuous_integrable. intros x.
        apply (continuous_comp (fun x => 1 * x + - mu) (below_line b (a + b * mu))); [|apply below_line_continuous].
        apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
      assert (I2 : ex_RInt (below_line b (a - nu)) (- INR k) (INR k)) by apply below_line_integrable.
      rewrite (RInt_minus (V := R_CompleteNormedModule)), !(RInt_scal (V := R_CompleteNormedModule))
        by (assumption || (apply (ex_RInt_scal (V := R_NormedModule)); assumption)).
      assert (E : RInt (fun x => scal 1 (below_line b (a + b * mu) (1 * x + - mu))) (- INR k) (INR k) =
        RInt (below_line b (a + b * mu)) (1 * - INR k + - mu) (1 * INR k + - mu)).
      { apply (RInt_comp_lin (below_line b (a + b * mu))). apply below_line_integrable. }
      assert (E' : RInt (fun x => below_line b (a + b * mu) (1 * x + - mu)) (- INR k) (INR k) =
        RInt (below_line b (a + b * mu)) (1 * - INR k + - mu) (1 * INR k + - mu)).
      { rewrite <- E. apply RInt_ext. intros x _. unfold scal; simpl; unfold mult; simpl. ring. }
      rewrite E'. assert (B := part_at_most b (a + b * mu) (1 * - INR k + - mu) (1 * INR k + - mu) ltac:(lra)).
      apply (Rmult_le_compat_l P) in B; [|lra]. unfold part, minus, plus, opp, scal; simpl; unfold mult; simpl. lra. }
  assert (T : P * Phi ((a + b * mu) / width b) - Q * Phi ((a - nu) / width b) <= excess_at r P Q).
  { replace ((a - nu) / width b) with ((a + b * mu) / width b - r); [now apply no_line_exceeds|].
    rewrite W. unfold b. replace r with (r * r / r) at 2 by (field; lra). rewrite Sq. field; lra. }
  eapply Rle_trans; [|exact T].
  assert (Rise : forall i k, (i <= k)%nat -> RInt (drawn_first nu mu P Q) (- INR i) (INR i) <=
    RInt (drawn_first nu mu P Q) (- INR k) (INR k)).
  { intros i k H. apply le_INR in H. assert (K := symmetric i). assert (K' := symmetric k).
    assert (I : forall x y, ex_RInt (drawn_first nu mu P Q) x y) by (intros; apply continuous_integrable, C).
    rewrite <- (RInt_Chasles (drawn_first nu mu P Q) (- INR k) (- INR i) (INR k)),
      <- (RInt_Chasles (drawn_first nu mu P Q) (- INR i) (INR i) (INR k)) by apply I.
    assert (0 <= RInt (drawn_first nu mu P Q) (- INR k) (- INR i)) by (apply RInt_ge_0; auto; lra).
    assert (0 <= RInt (drawn_first nu mu P Q) (INR i) (INR k)) by (apply RInt_ge_0; auto; lra).
    unfold plus; simpl. lra. }
  apply (is_lim_seq_le_loc (fun _ => RInt (drawn_first nu mu P Q) (- INR n) (INR n))
    (fun k => P * Phi ((a + b * mu) / width b) - Q * part b (a - nu) k)
    (Finite (RInt (drawn_first nu mu P Q) (- INR n) (INR n)))
    (Finite (P * Phi ((a + b * mu) / width b) - Q * Phi ((a - nu) / width b)))).
  + exists n. intros k H. eapply Rle_trans; [apply (Rise n k H)|apply U].
  + apply is_lim_seq_const.
  + apply is_lim_seq_minus'; [apply is_lim_seq_const|].
    apply (is_lim_seq_scal_l _ Q (Finite (Phi ((a - nu) / width b)))), part_limit.
Qed.

(** * Adaptive composition *)
(* Mean m, deviation s. *)
Definition normal_density (s m z : R) := density ((z - m) / s) / s.

Lemma normal_density_positive s m z : 0 < s -> 0 < normal_density s m z.
Proof. intros S. apply Rdiv_lt_0_compat; [apply density_positive|exact S]. Qed.

Lemma normal_density_proper s m : 0 < s -> proper (normal_density s m).
Proof.
intros S. split; [intros z; left; now apply normal_density_positive|]. apply integral_continuous.
- intros z. apply (continuous_mult (K := R_AbsRing) (fun z => density ((z - m) / s)) (fun _ => / s)); [|apply continuous_const].
  apply (continuous_comp (fun z => (z - m) / s) density); [|apply density_continuous].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
- intros z. left. now apply normal_density_positive.
- apply (is_lim_seq_ext (fun n => 1 - Phi ((- INR n - - m) / s) - Phi ((- INR n - m) / s))).
  + intros n. replace ((- INR n - - m) / s) with (- ((INR n - m) / s)) by (field; lra). rewrite Phi_opp.
    symmetry. apply is_RInt_unique. evar_last.
    * apply (is_RInt_derive (fun z => Phi ((z - m) / s)) (normal_density s m)).
      -- intros z _. evar_last; [apply (is_derive_comp Phi (fun z => (z - m) / s)); [apply Phi_derive|
           auto_derive; [auto|reflexivity]]|]. unfold scal; simpl; unfold mult; simpl. unfold normal_density. field; lra.
      -- intros z _. apply (continuous_mult (K := R_AbsRing) (fun z => density ((z - m) / s)) (fun _ => / s));
           [|apply continuous_const].
         apply (continuous_comp (fun z => (z - m) / s) density); [|apply density_continuous].
         apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    * unfold minus, plus, opp; simpl. ring.
  + replace (Finite 1) with (Finite (1 - 0 - 0)) by (f_equal; ring).
    apply is_lim_seq_minus'; [apply is_lim_seq_minus'; [apply is_lim_seq_const|]|]; now apply Phi_limit.
Qed.

Lemma excess_scaled r c P Q : 0 < c -> 0 < P -> 0 < Q -> excess_at r (c * P) (c * Q) = c * excess_at r P Q.
Proof.
intros C HP HQ. unfold excess_at, best_line. rewrite !ln_mult by assumption.
replace (ln c + ln P - (ln c + ln Q)) with (ln P - ln Q) by ring. ring.
Qed.

(* The same density on both sides, or normal ones with a distance whose square, in deviations, is `cost` at most. *)
Definition moves (d e : R -> R) (cost : R) := (forall z, d z = e z) \/ exists s m m', 0 < s /\
  (forall z, d z = normal_density s m z) /\ (forall z, e z = normal_density s m' z) /\
  (m - m') / s * ((m - m') / s) <= cost.

Section Rounds.
Variables (p q : densities) (ended event : outcomes -> bool).
Hypotheses (p_proper : forall h, proper (p h)) (q_proper : forall h, proper (q h)).
(* What the numbers from here on may cost, in squares. *)
Variable budget : outcomes -> R -> Prop.
Hypothesis paid : forall h left, budget h left -> ended h = false -> exists cost, 0 <= cost <= left /\
  moves (p h) (q h) cost /\ forall z, budget (z :: h) (left - cost).
Hypothesis budget_positive : forall h left, budget h left -> 0 <= left.

Lemma excess_of_rounds k h left r P Q : budget h left -> 0 < r -> left < r * r -> 0 < P -> 0 < Q ->
  P * chance_of p ended event k h <= Q * chance_of q ended event k h + excess_at r P Q.
Proof.
revert h left r P Q. induction k as [|k IH]; intros h left r P Q B Hr L HP HQ;
  assert (E0 := excess_positive P Q HP HQ r Hr); assert (E1 := excess_whole P Q HP HQ r Hr).
- simpl. destruct (event h); lra.
- simpl. destruct (ended h) eqn:En; [destruct (event h); lra|].
  destruct (paid h left B En) as (cost & C & Moves & Next).
  set (cp := fun z => chance_of p ended event k (z :: h)). set (cq := fun z => chance_of q ended event k (z :: h)).
  assert (CP : forall z, 0 <= cp z <= 1) by (intros; now apply chance_inside).
  assert (CQ : forall z, 0 <= cq z <= 1) by (intros; now apply chance_inside).
  destruct (q_proper h) as [Q0 Q1]. destruct (integral_finite (q h)) as (v & V); [lra|].
  assert (Vq : bounds (fun z => q h z * cq z) (1 * v)).
  { apply (bounds_scaled _ (q h)); [lra| |exact V]. intros z. generalize (Q0 z) (CQ z). nra. }
  change (P * integral (fun z => p h z * cp z) <= Q * integral (fun z => q h z * cq z) + excess_at r P Q).
  destruct Moves as [Same|(s & m & m' & S & D & D' & M)].
  + apply le_epsilon. intros e E. set (x := excess_at r P Q + e).
    assert (W : exists w, bounds (fun z => x * q h z) w).
    { exists (x * v). apply (bounds_scaled _ (q h)); [unfold x; lra|intros; lra|exact V]. }
    assert (J := integral_sum (fun z => p h z * cp z) (fun z => q h z * cq z) (fun z => x * q h z) P Q (1 * v) HP HQ).
    assert (Y : integral (fun z => x * q h z) <= x * integral (q h)).
    { apply (integral_scaled _ _ _ v); [unfold x; lra|intros; lra|exact V]. }
    rewrite Q1 in Y. eapply Rle_trans; [apply J; [|exact Vq|exact W]|unfold x in *; lra].
    intros z. rewrite Same. assert (I := IH (z :: h) (left - cost) r P Q (Next z) Hr ltac:(lra) HP HQ).
    fold (cp z) (cq z) in I. apply (Rmult_le_compat_l (q h z)) in I; [|apply Q0]. generalize (Q0 z).
    unfold x. nra.
  + set (mu := (m - m') / s) in *. set (nu := sqrt (r * r - mu * mu)).
    assert (NN : 0 < r * r - mu * mu) by (generalize (budget_positive _ _ (Next 0)); lra).
    assert (N : 0 < nu) by now apply sqrt_lt_R0.
    assert (N2 : nu * nu = r * r - mu * mu) by (apply sqrt_sqrt; lra).
    set (g := fun z => excess_at nu (P * p h z) (Q * q h z)).
    assert (G : bounds g (excess_at r P Q)).
    { assert (B0 := bounds_moved _ m' s _ S (drawn_first_bounds nu mu r P Q N HP HQ Hr ltac:(lra))).
      replace (excess_at r P Q) with (1 * excess_at r P Q) by ring.
      apply (bounds_scaled _ (fun z => drawn_first nu mu P Q ((z - m') / s) / s)); [lra| |exact B0].
      intros z. right. unfold g. rewrite D, D'. unfold drawn_first, normal_density.
      replace ((z - m) / s) with ((z - m') / s - mu) by (unfold mu; field; lra). set (y := (z - m') / s).
      replace (P * (density (y - mu) / s)) with (/ s * (P * density (y - mu))) by (field; lra).
      replace (Q * (density y / s)) with (/ s * (Q * density y)) by (field; lra).
      rewrite excess_scaled; [unfold Rdiv; ring|now apply Rinv_0_lt_compat| |];
        apply Rmult_lt_0_compat; (assumption || apply density_positive). }
    assert (J := integral_sum (fun z => p h z * cp z) (fun z => q h z * cq z) g P Q (1 * v) HP HQ).
    eapply Rle_trans; [apply J; [|exact Vq|now exists (excess_at r P Q)]|].
    * intros z. assert (Dp : 0 < p h z) by (rewrite D; now apply normal_density_positive).
      assert (Dq : 0 < q h z) by (rewrite D'; now apply normal_density_positive).
      assert (I := IH (z :: h) (left - cost) nu (P * p h z) (Q * q h z) (Next z) N ltac:(lra)
        ltac:(now apply Rmult_lt_0_compat) ltac:(now apply Rmult_lt_0_compat)).
      fold (cp z) (cq z) in I. unfold g. lra.
    * generalize (integral_at_most _ _ G). lra.
Qed.

(* delta at eps of a Gaussian mechanism that moves by mu deviations. *)
Definition gaussian_delta (mu eps : R) := Phi (- eps / mu + mu / 2) - exp eps * Phi (- eps / mu - mu / 2).

Theorem gaussian_rounds mu eps k : 0 < mu -> budget [] (mu * mu) ->
  chance_of p ended event k [] <= exp eps * chance_of q ended event k [] + gaussian_delta mu eps.
Proof.
intros M B. set (x := chance_of p ended event k []). set (y := chance_of q ended event k []).
assert (D : forall r, mu < r -> x <= exp eps * y + gaussian_delta r eps).
{ intros r R0. assert (E := excess_of_rounds k [] (mu * mu) r 1 (exp eps) B ltac:(lra) ltac:(nra) Rlt_0_1 (exp_pos eps)).
  fold x y in E. unfold excess_at, best_line in E. rewrite ln_1, ln_exp in E. unfold gaussian_delta.
  replace (- eps / r + r / 2) with (r / 2 + (0 - eps) / r) by (field; lra).
  replace (- eps / r - r / 2) with (r / 2 + (0 - eps) / r - r) by (field; lra). lra. }
assert (C : is_lim_seq (fun n => gaussian_delta (mu + / (INR n + 1)) eps) (gaussian_delta mu eps)).
{ apply (is_lim_seq_continuous (fun r => gaussian_delta r eps) (fun n => mu + / (INR n + 1)) mu).
  - apply continuity_pt_filterlim. unfold gaussian_delta.
    apply (continuous_minus (V := R_NormedModule) (fun r => Phi (- eps / r + r / 2)) (fun r => exp eps * Phi (- eps / r - r / 2))).
    + apply (continuous_comp (fun r => - eps / r + r / 2) Phi); [|apply Phi_continuous].
      apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; lra.
    + apply (continuous_scal_r (V := R_NormedModule) (exp eps) (fun r => Phi (- eps / r - r / 2))).
      apply (continuous_comp (fun r => - eps / r - r / 2) Phi); [|apply Phi_continuous].
      apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; lra.
  - replace (Finite mu) with (Finite (mu + 0)) by (f_equal; ring).
    apply is_lim_seq_plus'; [apply is_lim_seq_const|].
    apply (is_lim_seq_inv _ p_infty); [|discriminate].
    apply is_lim_seq_plus with p_infty 1; [apply is_lim_seq_INR|apply is_lim_seq_const|reflexivity]. }
apply (is_lim_seq_le (fun _ => x) (fun n => exp eps * y + gaussian_delta (mu + / (INR n + 1)) eps) x
  (exp eps * y + gaussian_delta mu eps)).
- intros n. apply D. assert (0 < / (INR n + 1)) by (apply Rinv_0_lt_compat; generalize (pos_INR n); lra). lra.
- apply is_lim_seq_const.
- apply is_lim_seq_plus'; [apply is_lim_seq_const|exact C].
Qed.
End Rounds.
