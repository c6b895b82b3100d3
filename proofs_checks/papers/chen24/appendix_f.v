(* Appendices F and I: the chance of (113)'s gamma^-; and Proposition D.2 up to eps = 3.7, for the whole policy. *)
From Coq Require Import Reals Lra Lia List Bool Classical.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments rewards integral densities gaussian laplace noisy_means normal_tails.
From Dpbandits Require Import witnesses satisfiable.
From Dpbandits.chen24 Require Import section_4 appendix_d.
Import ListNotations.
Open Scope R_scope.

Theorem eq_113_repaired eps s : 0 <= eps <= 18 / 10 -> 668 / 1000 < s ->
  Phi (- (s - eps / (2 * s))) <= 125 / 100 * exp (- s * s / 2).
Proof.
intros E S. assert (I : 0 < / s) by (apply Rinv_0_lt_compat; lra). set (z := s - 9 / 10 * / s).
apply Rle_trans with (Phi (- z)).
- apply Phi_le. unfold z. replace (eps / (2 * s)) with (eps / 2 * / s) by (field; lra).
  assert (eps / 2 * / s <= 9 / 10 * / s) by (apply Rmult_le_compat_r; lra). lra.
- destruct (Rle_lt_dec 0 z) as [Z|Z].
  + apply Rle_trans with (1 := half_tail z Z). assert (Q : - (z * z) / 2 <= 9 / 10 + - s * s / 2).
    { replace (- (z * z) / 2) with (9 / 10 + - s * s / 2 - 9 / 10 * / s * (9 / 10 * / s) / 2) by (unfold z; field; lra).
      nra. }
    apply exp_le in Q. rewrite exp_plus in Q. assert (C : exp (9 / 10) <= 2 * (125 / 100)) by interval with (i_prec 60).
    generalize (exp_pos (- s * s / 2)). nra.
  + assert (N := Phi_near (- z) ltac:(lra)). assert (L : s <= 1).
    { apply Rnot_lt_le. intros H. unfold z in Z.
      assert (/ s < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra. }
    assert (1 / 2 + - z / 2 - 125 / 100 * exp (- s * s / 2) <= 0); [|lra]. unfold z.
    interval with (i_bisect s, i_prec 60).
Qed.

(** * Means with normal noise *)
Section Means.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (B : Type) (released : outcomes -> B).

(* mu n times the noise of a mean of n has deviation 1. *)
Definition normal_noise (mu : R) (n : nat) : R -> R -> R := normal_density (/ (mu * INR n)).

Theorem normal_means_private r next mu eps ended k t u event :
  0 < mu -> sound A next -> bounded A t -> bounded A u -> near A r t u ->
  chance_of (noised A same (normal_noise mu) r next t) ended (fun h => event (released h)) k [] <=
    exp eps * chance_of (noised A same (normal_noise mu) r next u) ended (fun h => event (released h)) k [] +
    gaussian_delta mu eps.
Proof.
intros M G T U (j & m & D).
assert (N : forall n, (1 <= n)%nat -> 0 < mu * INR n).
{ intros. apply Rmult_lt_0_compat; [exact M|apply lt_0_INR; lia]. }
assert (P : forall x h, proper (noised A same (normal_noise mu) r next x h)).
{ intros x h. apply noised_proper; [exact G|]. intros n c L. now apply normal_density_proper, Rinv_0_lt_compat, N. }
set (reads := reads_it A same r next j m).
assert (Once := reads_once A same r next t u j m D).
apply (gaussian_rounds _ _ ended (fun h => event (released h)) (P t) (P u)
  (fun h left => 0 <= left /\ (was_read reads h = false -> mu * mu <= left))); [| |exact M|].
- intros h left [L O] _. destruct (reads h) eqn:R0.
  + exists (mu * mu). assert (W : was_read reads h = false).
    { destruct (was_read reads h) eqn:W; [|reflexivity]. now rewrite (read_before reads Once h W) in R0. }
    specialize (O W). split; [nra|]. split; [|intros z; simpl; rewrite R0; split; [lra|discriminate]].
    right. unfold noised, reads, reads_it in *. specialize (G h). destruct (next h) as [a n|]; [|discriminate].
    set (s := start A same r next a h). exists (/ (mu * INR n)), (block A t a s n / INR n), (block A u a s n / INR n).
    split; [now apply Rinv_0_lt_compat, N|]. split; [reflexivity|]. split; [reflexivity|].
    assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). set (d := block A t a s n - block A u a s n).
    replace ((block A t a s n / INR n - block A u a s n / INR n) / / (mu * INR n)) with (mu * d)
      by (unfold d; field; lra).
    assert (V := block_moved A r t u j m D 1 a s n (one_moved A t u T U)). fold d in V.
    assert (d * d <= 1) by (revert V; split_Rabs; nra). nra.
  + exists 0. split; [lra|]. rewrite Rminus_0_r. split; [|intros z; simpl; rewrite R0; now split].
    left. intros z. now apply (noised_unread A same r next t u j m).
- intros h left [L _]. exact L.
- split; [nra|]. intros _. lra.
Qed.
End Means.

(** * DP-BAI-Gauss *)
Section Phases.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (M : nat).
Variables (block : list (list R) -> list A) (each : list (list R) -> nat) (recommended : list (list R) -> A).

(* Lines 10 and 16: the variance of the noise of a mean of n is 2 log(1.25/delta)/(eps n)^2. *)
Definition gauss_chance (eps delta : R) (t : table A) (event : list (list A * nat) * A -> bool) (draws : nat) : R :=
  let noise n := normal_density (sqrt (2 * ln (125 / 100 / delta) / (eps * INR n) ^ 2)) in
  chance_of (noised A same noise pull (phase_means A block each) t) (phases_ended A M block)
    (fun h => event (told A block each recommended h)) draws [].

Theorem proposition_d_2_policy eps delta t u event draws : 0 < eps <= 37 / 10 -> 0 < delta < 1 ->
  (forall w, (1 <= each w)%nat) -> bounded A t -> bounded A u -> near A pull t u ->
  gauss_chance eps delta t event draws <= exp eps * gauss_chance eps delta u event draws + delta.
Proof.
intros E D P T U N. set (l := ln (125 / 100 / delta)).
assert (L : ln (125 / 100) < l).
{ apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|].
  replace (125 / 100 / delta * delta) with (125 / 100) by (field; lra). lra. }
assert (L' : 668 / 1000 * (668 / 1000) / 2 < ln (125 / 100)) by interval with (i_prec 60).
set (s := sqrt (2 * l)). assert (s2 : s * s = 2 * l) by (apply sqrt_sqrt; lra).
assert (S : 668 / 1000 < s).
{ unfold s. rewrite <- (sqrt_square (668 / 1000)) by lra. apply sqrt_lt_1; lra. }
assert (Del : 125 / 100 * exp (- s * s / 2) = delta).
{ replace (- s * s / 2) with (- l) by lra. unfold l.
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra. }
assert (H := proposition_d_2_repaired eps s ltac:(lra) S). rewrite Del in H.
assert (Noise : forall n, (1 <= n)%nat -> sqrt (2 * l / (eps * INR n) ^ 2) = / (eps / s * INR n)).
{ intros n n1. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (K : 0 < s / (eps * INR n)).
  { apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra. }
  rewrite <- (sqrt_square (/ (eps / s * INR n))).
  - f_equal. rewrite <- s2. field. lra.
  - replace (/ (eps / s * INR n)) with (s / (eps * INR n)) by (field; lra). lra. }
assert (Same : forall x, noised A same (fun n => normal_density (sqrt (2 * l / (eps * INR n) ^ 2))) pull
  (phase_means A block each) x = noised A same (normal_noise (eps / s)) pull (phase_means A block each) x).
{ intros x. apply FunctionalExtensionality.functional_extensionality. intros h. unfold noised.
  assert (G := phase_means_sound A block each P h). destruct (phase_means A block each h) as [a n|]; [|reflexivity].
  unfold normal_noise. now rewrite Noise. }
unfold gauss_chance. fold l. cbv zeta. rewrite !Same.
apply Rle_trans with (2 := Rplus_le_compat_l _ _ _ H).
apply normal_means_private; auto; [apply Rdiv_lt_0_compat; lra|]. apply phase_means_sound, P.
Qed.
End Phases.

(** * The hypotheses can hold together *)

Lemma eq_113_repaired_witness : satisfiable eq_113_repaired.
Proof. exists 1, 1. lra. Qed.

Lemma proposition_d_2_policy_witness : satisfiable proposition_d_2_policy.
Proof.
destruct (different_tables bool bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, bool_dec, 2%nat, (fun _ => [true; false]), (fun _ => 1%nat), (fun _ => true), 1, (1 / 2), t, u, (fun _ => true),
  4%nat.
hold.
Qed.

(** * From products of sets to all sets *)

Section Products.
(* Outcomes have n coordinates, with values in X i; sets i are the measurable sets of coordinate i. *)
Variables (n : nat) (X : nat -> Type) (sets : forall i, (X i -> Prop) -> Prop).
Definition outcome : Type := forall i, X i.

Definition sigma_algebra {Y : Type} (S : (Y -> Prop) -> Prop) := S (fun _ => True) /\
  (forall A, S A -> S (fun y => ~ A y)) /\
  (forall A : nat -> Y -> Prop, (forall k, S (A k)) -> S (fun y => exists k, A k y)) /\
  forall A B, (forall y, A y <-> B y) -> S A -> S B.

(* The products of measurable sets, and the sets that belong to every sigma-algebra that has all of these. *)
Definition product_of (A : forall i, X i -> Prop) (w : outcome) : Prop := forall i, (i < n)%nat -> A i (w i).
Definition measurable_family (A : forall i, X i -> Prop) := forall i, (i < n)%nat -> sets i (A i).
Definition measurable_set (E : outcome -> Prop) := forall S : (outcome -> Prop) -> Prop, sigma_algebra S ->
  (forall A, measurable_family A -> S (product_of A)) -> S E.

(* A probability measure on these sets: additive and continuous from below, that is, countably additive. *)
Definition probability_on (P : (outcome -> Prop) -> R) :=
  (forall A B, (forall w, A w <-> B w) -> P A = P B) /\ P (fun _ => True) = 1 /\
  (forall A, measurable_set A -> 0 <= P A) /\
  (forall A B, measurable_set A -> measurable_set B -> (forall w, A w -> ~ B w) -> P (fun w => A w \/ B w) = P A + P B) /\
  forall A : nat -> outcome -> Prop, (forall k, measurable_set (A k)) -> (forall k w, A k w -> A (S k) w) ->
  Un_cv (fun k => P (A k)) (P (fun w => exists k, A k w)).

Hypothesis algebras : forall i, (i < n)%nat -> sigma_algebra (sets i).

Lemma sigma_both {Y} (S : (Y -> Prop) -> Prop) A B : sigma_algebra S -> S A -> S B -> S (fun y => A y /\ B y).
Proof.
intros (_ & C & U & E) HA HB.
apply (E (fun y => ~ exists k : nat, (match k with O => fun y => ~ A y | _ => fun y => ~ B y end) y)).
- intros y. split.
  + intros N. split; apply NNPP; intros H; apply N; [now exists 0%nat|now exists 1%nat].
  + intros [H1 H2] ([|k] & H); contradiction.
- apply C, U. intros [|k]; now apply C.
Qed.

Lemma sigma_either {Y} (S : (Y -> Prop) -> Prop) A B : sigma_algebra S -> S A -> S B -> S (fun y => A y \/ B y).
Proof.
intros (_ & _ & U & E) HA HB.
apply (E (fun y => exists k : nat, (match k with O => A | _ => B end) y)).
- intros y. split; [intros ([|k] & H); auto|intros [H|H]; [now exists 0%nat|now exists 1%nat]].
- apply U. intros [|k]; assumption.
Qed.

Lemma measurable_sigma : sigma_algebra measurable_set.
Proof.
split; [|split; [|split]].
- intros S H _. apply H.
- intros A M S H B. apply H, M; assumption.
- intros A M S H B. apply H. intros k. now apply M.
- intros A B E M S H G. destruct H as (H1 & H2 & H3 & H4). apply (H4 A B E). apply M; [split; auto|assumption].
Qed.

Lemma product_measurable A : measurable_family A -> measurable_set (product_of A).
Proof. intros M S _ B. now apply B. Qed.

(* Disjoint unions of finitely many products. *)
Inductive parts : (outcome -> Prop) -> Prop :=
  | no_part E : (forall w, ~ E w) -> parts E
  | one_more A E F : measurable_family A -> parts E -> (forall w, product_of A w -> ~ E w) ->
      (forall w, F w <-> product_of A w \/ E w) -> parts F.

Lemma parts_same E F : parts E -> (forall w, E w <-> F w) -> parts F.
Proof.
intros [G N|A G E' M P D Q] H; [apply no_part; intros w W; apply (N w), H, W|].
apply (one_more A G); auto. intros w. rewrite <- H. apply Q.
Qed.

Lemma parts_measurable E : parts E -> measurable_set E.
Proof.
assert (S := measurable_sigma). induction 1 as [E N|A E F M P IH D Q].
- destruct S as (T & C & _ & Ext). apply (Ext (fun w => ~ True)); [intros w; split; [tauto|intros H; now apply N in H]|]. now apply C.
- destruct S as (T & C & U & Ext). apply (Ext (fun w => product_of A w \/ E w)); [intros w; symmetry; apply Q|].
  apply sigma_either; [exact measurable_sigma|now apply product_measurable|exact IH].
Qed.

Lemma parts_of_product A : measurable_family A -> parts (product_of A).
Proof. intros M. apply (one_more A (fun _ => False)); [exact M|now apply no_part|tauto|tauto]. Qed.

Lemma parts_with_product E B : measurable_family B -> parts E -> parts (fun w => E w /\ product_of B w).
Proof.
intros M. induction 1 as [E N|A E F MA P IH D Q]; [apply no_part; intros w [H _]; now apply N in H|].
apply (one_more (fun i x => A i x /\ B i x) (fun w => E w /\ product_of B w)); [|exact IH| |].
- intros i L. apply sigma_both; [now apply algebras|now apply MA|now apply M].
- intros w H [HE _]. apply (D w); [intros i L; now apply H|exact HE].
- intros w. rewrite Q. unfold product_of. firstorder.
Qed.

Lemma parts_union E F : parts E -> parts F -> (forall w, E w -> ~ F w) -> parts (fun w => E w \/ F w).
Proof.
intros PE PF. induction PE as [E N|A E G M P IH D Q]; intros H.
- apply (parts_same F); [exact PF|]. intros w. split; [auto|intros [X1|X1]; [now apply N in X1|exact X1]].
- apply (one_more A (fun w => E w \/ F w)); [exact M|apply IH; intros w W; apply H, Q; auto| |].
  + intros w W [X1|X1]; [now apply (D w)|apply (H w); [apply Q; auto|exact X1]].
  + intros w. rewrite Q. tauto.
Qed.

Lemma parts_both E F : parts E -> parts F -> parts (fun w => E w /\ F w).
Proof.
intros PE PF. induction PF as [F N|B F G M P IH D Q]; [apply no_part; intros w [_ H]; now apply N in H|].
apply (parts_same (fun w => (E w /\ product_of B w) \/ (E w /\ F w))).
- apply parts_union; [now apply parts_with_product|exact IH|]. intros w [_ H] [_ H']. now apply (D w).
- intros w. rewrite Q. tauto.
Qed.

(* The coordinates from 0 on, and the first one that leaves the product. *)
Lemma parts_outside A : measurable_family A -> parts (fun w => ~ product_of A w).
Proof.
intros M.
assert (Step : forall m, (m <= n)%nat -> parts (fun w => exists i, (i < m)%nat /\ (forall j, (j < i)%nat -> A j (w j)) /\ ~ A i (w i))).
{ induction m as [|m IH]; intros L; [apply no_part; intros w (i & H & _); lia|].
  apply (one_more (fun j x => ((j < m)%nat -> A j x) /\ (j = m -> ~ A j x))
    (fun w => exists i, (i < m)%nat /\ (forall j, (j < i)%nat -> A j (w j)) /\ ~ A i (w i))).
  - intros j Lj. destruct (algebras j Lj) as (T & C & _ & Ext). destruct (Nat.lt_trichotomy j m) as [H|[H|H]].
    + apply (Ext (A j)); [intros x; split; [intros Ax; split; [auto|lia]|intros [Ax _]; auto]|]. now apply M.
    + apply (Ext (fun x => ~ A j x)); [intros x; split; [intros Ax; split; [lia|auto]|intros [_ Ax]; auto]|]. now apply C, M.
    + apply (Ext (fun _ => True)); [intros x; split; [intros _; split; lia|auto]|exact T].
  - apply IH. lia.
  - intros w W (i & Li & _ & N). apply N. apply (W i ltac:(lia)). exact Li.
  - intros w. split.
    + intros (i & Li & B & N). destruct (Nat.eq_dec i m) as [->|Ni]; [left|right; exists i; split; [lia|auto]].
      intros j Lj. split; [intros Lm; now apply B|intros ->; exact N].
    + intros [W|(i & Li & B)]; [|exists i; split; [lia|exact B]]. exists m. split; [lia|]. split.
      * intros j Lj. apply (W j ltac:(lia)). exact Lj.
      * apply (W m ltac:(lia)). reflexivity. }
apply (parts_same _ _ (Step n (Nat.le_refl n))). intros w. split.
- intros (i & Li & _ & N) H. now apply N, H.
- intros N. apply NNPP. intros No. apply N. intros i. induction i as [i IH] using lt_wf_ind. intros L.
  apply NNPP. intros NA. apply No. exists i. split; [exact L|]. split; [intros j Lj; apply IH; lia|exact NA].
Qed.

Lemma parts_complement E : parts E -> parts (fun w => ~ E w).
Proof.
induction 1 as [E N|A E F M P IH D Q].
- apply (parts_same (product_of (fun _ _ => True))).
  + apply parts_of_product. intros i L. apply (algebras i L).
  + intros w. split; [intros _; apply N|intros _ i _; exact I].
- apply (parts_same (fun w => ~ product_of A w /\ ~ E w)); [apply parts_both; [now apply parts_outside|exact IH]|].
  intros w. rewrite Q. tauto.
Qed.

Lemma parts_either E F : parts E -> parts F -> parts (fun w => E w \/ F w).
Proof.
intros PE PF. apply (parts_same (fun w => ~ (~ E w /\ ~ F w))).
- apply parts_complement, parts_both; now apply parts_complement.
- intros w. split; [intros H; apply NNPP; tauto|tauto].
Qed.

Section Measures.
Variables (P P' : (outcome -> Prop) -> R) (c : R).
Hypotheses (HP : probability_on P) (HP' : probability_on P') (c0 : 0 <= c).
Hypothesis products : forall A, measurable_family A -> P (product_of A) <= c * P' (product_of A).

Lemma measure_none Q E : probability_on Q -> (forall w, ~ E w) -> Q E = 0.
Proof.
intros (Ext & _ & _ & Add & _) N. destruct measurable_sigma as (T & C & _ & MExt).
assert (ME : measurable_set E).
{ apply (MExt (fun w => ~ True)); [intros w; split; [tauto|intros H; now apply N in H]|now apply C]. }
assert (H := Add E E ME ME ltac:(intros w W; now apply N in W)).
rewrite (Ext (fun w => E w \/ E w) E) in H by tauto. lra.
Qed.

Lemma on_parts E : parts E -> P E <= c * P' E.
Proof.
induction 1 as [E N|A E F M PE IH D Q]; [rewrite (measure_none P E HP N), (measure_none P' E HP' N); lra|].
assert (G : forall R0, probability_on R0 -> R0 F = R0 (product_of A) + R0 E).
{ intros R0 (Ext & _ & _ & Add & _). rewrite (Ext F (fun w => product_of A w \/ E w) Q).
  apply Add; [now apply product_measurable|now apply parts_measurable|exact D]. }
rewrite (G P HP), (G P' HP'). assert (H := products A M). lra.
Qed.

Lemma measure_below Q A B : probability_on Q -> measurable_set A -> measurable_set B -> (forall w, A w -> B w) -> Q A <= Q B.
Proof.
intros (Ext & _ & Pos & Add & _) MA MB L. assert (S := measurable_sigma).
assert (MC : measurable_set (fun w => B w /\ ~ A w)) by (apply sigma_both; [exact S|exact MB|now apply S]).
rewrite (Ext B (fun w => A w \/ (B w /\ ~ A w))); [|intros w; split; [intros H; destruct (classic (A w)); tauto|intros [H|[H _]]; auto]].
rewrite Add; [|assumption|assumption|tauto]. assert (H := Pos _ MC). lra.
Qed.

Lemma measure_union Q A B : probability_on Q -> measurable_set A -> measurable_set B -> Q (fun w => A w \/ B w) <= Q A + Q B.
Proof.
intros HQ MA MB. assert (S := measurable_sigma). assert (HQ' := HQ). destruct HQ' as (Ext & _ & Pos & Add & _).
assert (MC : measurable_set (fun w => B w /\ ~ A w)) by (apply sigma_both; [exact S|exact MB|now apply S]).
rewrite (Ext (fun w => A w \/ B w) (fun w => A w \/ (B w /\ ~ A w))); [|intros w; destruct (classic (A w)); tauto].
rewrite Add; [|assumption|assumption|tauto].
assert (H := measure_below Q (fun w => B w /\ ~ A w) B HQ MC MB (fun w W => proj1 W)). lra.
Qed.

(* E is near a disjoint union of products, in both measures. *)
Definition apart (E F : outcome -> Prop) (w : outcome) := (E w /\ ~ F w) \/ (F w /\ ~ E w).
Definition near_parts (E : outcome -> Prop) := measurable_set E /\
  forall e, 0 < e -> exists F, parts F /\ P (apart E F) < e /\ P' (apart E F) < e.

Lemma apart_measurable E F : measurable_set E -> measurable_set F -> measurable_set (apart E F).
Proof.
intros ME MF. assert (S := measurable_sigma). unfold apart.
apply (sigma_either measurable_set); [exact S| |]; apply (sigma_both measurable_set); auto; now apply S.
Qed.

Lemma near_either E F : near_parts E -> near_parts F -> near_parts (fun w => E w \/ F w).
Proof.
intros (ME & HE) (MF & HF). assert (S := measurable_sigma). split; [now apply sigma_either|]. intros e E0.
destruct (HE (e / 2) ltac:(lra)) as (E' & PE & A1 & A2). destruct (HF (e / 2) ltac:(lra)) as (F' & PF & B1 & B2).
assert (ME' := parts_measurable _ PE). assert (MF' := parts_measurable _ PF).
exists (fun w => E' w \/ F' w). split; [now apply parts_either|].
assert (Bound : forall Q, probability_on Q -> Q (apart (fun w => E w \/ F w) (fun w => E' w \/ F' w)) <= Q (apart E E') + Q (apart F F')).
{ intros Q HQ. apply Rle_trans with (Q (fun w => apart E E' w \/ apart F F' w)).
  - apply measure_below; [exact HQ| | |unfold apart; intros w; tauto].
    + apply apart_measurable; now apply sigma_either.
    + apply sigma_either; [exact S| |]; now apply apart_measurable.
  - apply measure_union; [exact HQ| |]; now apply apart_measurable. }
assert (X1 := Bound P HP). assert (X2 := Bound P' HP'). lra.
Qed.

Lemma near_complement E : near_parts E -> near_parts (fun w => ~ E w).
Proof.
intros (ME & HE). split; [now apply measurable_sigma|]. intros e E0. destruct (HE e E0) as (F & PF & A1 & A2).
exists (fun w => ~ F w). split; [now apply parts_complement|].
assert (Same : forall w, apart (fun w => ~ E w) (fun w => ~ F w) w <-> apart E F w).
{ intros w. unfold apart. split; [intros [[H1 H2]|[H1 H2]]; [right|left]; split; auto; now apply NNPP|tauto]. }
destruct HP as (Ext & _). destruct HP' as (Ext' & _). now rewrite (Ext _ _ Same), (Ext' _ _ Same).
Qed.

Lemma near_union (E : nat -> outcome -> Prop) : (forall k, near_parts (E k)) -> near_parts (fun w => exists k, E k w).
Proof.
intros H. assert (Sg := measurable_sigma).
set (U := fix U m w := match m with O => E O w | S m' => U m' w \/ E (S m') w end : Prop).
assert (NU : forall m, near_parts (U m)).
{ induction m as [|m IH]; [apply H|]. exact (near_either (U m) (E (S m)) IH (H (S m))). }
assert (Whole : forall w, (exists m, U m w) <-> exists k, E k w).
{ intros w. split.
  - intros (m & Um). induction m as [|m IH]; [now exists 0%nat|]. destruct Um as [Um|Em]; [auto|now exists (S m)].
  - intros (k & Ek). exists k. destruct k; [exact Ek|right; exact Ek]. }
assert (MW : measurable_set (fun w => exists k, E k w)) by (apply Sg; intros k; apply H).
split; [exact MW|]. intros e E0.
assert (Late : forall Q, probability_on Q -> exists N, forall m, (N <= m)%nat -> Q (fun w => (exists k, E k w) /\ ~ U m w) < e / 2).
{ intros Q HQ. assert (HQ' := HQ). destruct HQ' as (Ext & _ & _ & Add & Lim).
  assert (L := Lim U (fun k => proj1 (NU k)) ltac:(intros k w W; now left)). rewrite (Ext _ _ Whole) in L.
  destruct (L (e / 2) ltac:(lra)) as (N & HN). exists N. intros m Lm. specialize (HN m Lm). unfold R_dist in HN.
  assert (MC : measurable_set (fun w => (exists k, E k w) /\ ~ U m w)) by (apply sigma_both; [exact Sg|exact MW|apply Sg, (NU m)]).
  assert (Split : Q (fun w => exists k, E k w) = Q (U m) + Q (fun w => (exists k, E k w) /\ ~ U m w)).
  { rewrite <- Add; [|apply (NU m)|exact MC|tauto]. apply Ext. intros w. split.
    - intros W. destruct (classic (U m w)); tauto.
    - intros [W|[W _]]; [apply Whole; now exists m|exact W]. }
  rewrite Split in HN. assert (Pos := proj1 (proj2 (proj2 HQ)) _ MC). rewrite Rabs_left1 in HN; lra. }
destruct (Late P HP) as (N1 & L1), (Late P' HP') as (N2 & L2). set (m := Nat.max N1 N2).
destruct (proj2 (NU m) (e / 2) ltac:(lra)) as (F & PF & A1 & A2). exists F. split; [exact PF|].
assert (MF := parts_measurable _ PF). assert (MU := proj1 (NU m)).
assert (MC : measurable_set (fun w => (exists k, E k w) /\ ~ U m w)) by (apply sigma_both; [exact Sg|exact MW|now apply Sg]).
assert (Bound : forall Q, probability_on Q -> Q (apart (fun w => exists k, E k w) F) <=
  Q (fun w => (exists k, E k w) /\ ~ U m w) + Q (apart (U m) F)).
{ intros Q HQ. apply Rle_trans with (Q (fun w => ((exists k, E k w) /\ ~ U m w) \/ apart (U m) F w)).
  - apply measure_below; [exact HQ|now apply apart_measurable| |].
    + apply sigma_either; [exact Sg|exact MC|now apply apart_measurable].
    + intros w [[W N]|[W N]]; unfold apart.
      * destruct (classic (U m w)); [right; left|left]; tauto.
      * right. right. split; [exact W|]. intros Um. apply N, Whole. now exists m.
  - apply measure_union; [exact HQ|exact MC|now apply apart_measurable]. }
assert (X1 := Bound P HP). assert (X2 := Bound P' HP').
specialize (L1 m (Nat.le_max_l _ _)). specialize (L2 m (Nat.le_max_r _ _)). split; lra.
Qed.

Lemma all_near E : measurable_set E -> near_parts E.
Proof.
intros M. apply (M near_parts).
- split; [|split; [|split]].
  + split; [apply measurable_sigma|]. intros e E0. exists (product_of (fun _ _ => True)).
    split; [apply parts_of_product; intros i L; apply (algebras i L)|].
    assert (N : forall w, ~ apart (fun _ => True) (product_of (fun _ _ => True)) w).
    { intros w [[_ H]|[_ H]]; [apply H; intros i _; exact I|tauto]. }
    rewrite (measure_none P _ HP N), (measure_none P' _ HP' N). lra.
  + apply near_complement.
  + apply near_union.
  + intros A B H (MA & HA). split; [now apply measurable_sigma with A|]. intros e E0. destruct (HA e E0) as (F & PF & A1 & A2).
    exists F. split; [exact PF|]. assert (Same : forall w, apart B F w <-> apart A F w) by (intros w; unfold apart; rewrite (H w); tauto).
    destruct HP as (Ext & _), HP' as (Ext' & _). now rewrite (Ext _ _ Same), (Ext' _ _ Same).
- intros A MA. split; [now apply product_measurable|]. intros e E0. exists (product_of A). split; [now apply parts_of_product|].
  assert (N : forall w, ~ apart (product_of A) (product_of A) w) by (unfold apart; intros w; tauto).
  rewrite (measure_none P _ HP N), (measure_none P' _ HP' N). lra.
Qed.

Lemma on_all E : measurable_set E -> P E <= c * P' E.
Proof.
intros M. apply le_epsilon. intros e E0. set (d := e / (c + 1)). assert (d0 : 0 < d) by (apply Rdiv_lt_0_compat; lra).
destruct (proj2 (all_near E M) d d0) as (F & PF & A1 & A2). assert (MF := parts_measurable F PF).
assert (MA := apart_measurable E F M MF). assert (H := on_parts F PF).
assert (Swap : forall Q (A B : outcome -> Prop), probability_on Q -> measurable_set A -> measurable_set B ->
  (forall w, A w -> B w \/ apart E F w) -> Q A <= Q B + Q (apart E F)).
{ intros Q A B HQ HA HB L. apply Rle_trans with (Q (fun w => B w \/ apart E F w)); [|now apply measure_union].
  apply measure_below; auto. now apply (sigma_either measurable_set); [exact measurable_sigma|..]. }
assert (X1 := Swap P E F HP M MF ltac:(unfold apart; intros w W; destruct (classic (F w)); tauto)).
assert (X2 := Swap P' F E HP' MF M ltac:(unfold apart; intros w W; destruct (classic (E w)); tauto)).
apply (Rmult_le_compat_l c) in X2; [|exact c0].
assert (D : c * d + d = e) by (unfold d; field; lra). assert (c * P' (apart E F) <= c * d) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Measures.
End Products.

Theorem products_suffice (n : nat) (X : nat -> Type) (sets : forall i, (X i -> Prop) -> Prop)
  (P P' : (outcome X -> Prop) -> R) eps :
  (forall i, (i < n)%nat -> sigma_algebra (sets i)) -> probability_on n X sets P -> probability_on n X sets P' ->
  (forall A, measurable_family n X sets A -> P (product_of n X A) <= exp eps * P' (product_of n X A)) ->
  forall E, measurable_set n X sets E -> P E <= exp eps * P' E.
Proof. intros S HP HP' H E M. apply (on_all n X sets S P P' (exp eps) HP HP'); auto. left. apply exp_pos. Qed.

(* One outcome that is certain. *)
Definition certain (E : outcome (fun _ => bool) -> Prop) : R :=
  if ClassicalDedekindReals.sig_not_dec (E (fun _ => true)) then 1 else 0.

Lemma certain_in (E : outcome (fun _ => bool) -> Prop) : E (fun _ => true) -> certain E = 1.
Proof. intros H. unfold certain. destruct (ClassicalDedekindReals.sig_not_dec _); [reflexivity|contradiction]. Qed.

Lemma certain_out (E : outcome (fun _ => bool) -> Prop) : ~ E (fun _ => true) -> certain E = 0.
Proof. intros H. unfold certain. destruct (ClassicalDedekindReals.sig_not_dec _); [contradiction|reflexivity]. Qed.

Lemma all_sets (Y : Type) : sigma_algebra (fun _ : Y -> Prop => True).
Proof. repeat split. Qed.

Lemma certain_probability n : probability_on n (fun _ => bool) (fun _ _ => True) certain.
Proof.
split; [|split; [|split; [|split]]].
- intros A B H. specialize (H (fun _ => true)). destruct (classic (A (fun _ => true))) as [HA|HA].
  + rewrite !certain_in; tauto.
  + rewrite !certain_out; tauto.
- now apply certain_in.
- intros A _. unfold certain. destruct (ClassicalDedekindReals.sig_not_dec _); lra.
- intros A B _ _ D. specialize (D (fun _ => true)). destruct (classic (A (fun _ => true))) as [HA|HA], (classic (B (fun _ => true))) as [HB|HB].
  + tauto.
  + rewrite (certain_in A HA), (certain_out B HB), certain_in by tauto. lra.
  + rewrite (certain_out A HA), (certain_in B HB), certain_in by tauto. lra.
  + rewrite (certain_out A HA), (certain_out B HB), certain_out by tauto. lra.
- intros A _ Up e E. destruct (classic (exists k, A k (fun _ => true))) as [(k & Ak)|N].
  + exists k. intros m L. unfold R_dist. rewrite (certain_in (A m)), certain_in.
    * rewrite Rminus_eq_0, Rabs_R0. exact E.
    * now exists k.
    * induction L as [|m L IH]; [exact Ak|now apply Up].
  + exists 0%nat. intros m _. unfold R_dist. rewrite (certain_out (A m)), certain_out by (intros H; apply N; eauto).
    rewrite Rminus_eq_0, Rabs_R0. exact E.
Qed.

Lemma products_suffice_witness : satisfiable products_suffice.
Proof.
exists 2%nat, (fun _ => bool), (fun _ _ => True), certain, certain, 1. split; [intros; apply all_sets|].
split; [apply certain_probability|]. split; [apply certain_probability|]. split.
- intros A _. assert (1 <= exp 1) by (rewrite <- exp_0 at 1; left; apply exp_increasing; lra). unfold certain.
  destruct (ClassicalDedekindReals.sig_not_dec _); lra.
- exists (fun _ => True). intros S H _. apply H.
Qed.

(** * The event D'_p of (52) *)

Section BeforeReading.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).
Variables (block : list (list R) -> list A) (each : list (list R) -> nat).
Notation state_after := (state_after A block).
Notation next := (phase_means A block each).

(* N_j^(q): how many rewards of arm j the phases with the noisy means w take. *)
Fixpoint pulls_in (j : A) (w : list (list R)) : nat :=
  match w with [] => 0 | _ :: w' => pulls_in j w' + count_occ same (block w') j * each w' end%nat.
Definition pulls_before (j : A) (s : state) : nat :=
  (pulls_in j (ended_phases s) + count_occ same (firstn (length (drawn s)) (block (ended_phases s))) j * each (ended_phases s))%nat.

Lemma firstn_next (l : list A) n a : nth_error l n = Some a -> firstn (S n) l = firstn n l ++ [a].
Proof. revert n. induction l as [|b l IH]; intros [|n] H; try discriminate; simpl in *; [now injection H as ->|]. now rewrite (IH n H). Qed.

Lemma firstn_beyond (l : list A) n : nth_error l n = None -> firstn n l = l /\ firstn (S n) l = l.
Proof. intros H. apply nth_error_None in H. split; apply firstn_all2; lia. Qed.

Lemma start_is j h : start A same pull next j h = pulls_before j (state_after h).
Proof.
induction h as [|z h IH]; [reflexivity|]. simpl start. rewrite IH. clear IH. simpl section_4.state_after.
set (s := state_after h). unfold phase_means. fold s. unfold after, pulls_before.
set (b := block (ended_phases s)). set (n := length (drawn s)).
assert (Len : length (drawn s ++ [z]) = S n) by (rewrite app_length; simpl; unfold n; lia). rewrite Len.
destruct (nth_error b n) as [a|] eqn:E.
- assert (F := firstn_next b n a E).
  assert (C : count_occ same (firstn (S n) b) j = (count_occ same (firstn n b) j + if same j a then 1 else 0)%nat).
  { rewrite F, count_occ_app. simpl. destruct (same a j), (same j a); congruence || lia. }
  destruct (Nat.eqb_spec (S n) (length b)) as [Q|Q].
  + simpl. fold b. rewrite Q, firstn_all in C. rewrite C. destruct (same j a); lia.
  + simpl ended_phases. simpl drawn. fold b. rewrite Len, C. destruct (same j a); lia.
- destruct (firstn_beyond b n E) as [F1 F2]. apply nth_error_None in E.
  destruct (Nat.eqb_spec (S n) (length b)) as [Q|Q]; [lia|].
  simpl ended_phases. simpl drawn. fold b. rewrite Len, F1, F2. lia.
Qed.

Variables (M : nat) (eps : R) (t u : table A) (j : A) (m : nat).
Notation ended := (phases_ended A M block).
Notation reads := (reads_it A same pull next j m).
Hypothesis one_reward : forall a n, ~ (a = j /\ n = m) -> t a n = u a n.
Variable event : list (list R) -> bool.
Hypothesis before : forall w, event w = true -> (pulls_in j w <= m)%nat.
Definition in_event (h : outcomes) : bool := ended h && event (ended_phases (state_after h)).

Lemma read_below h : was_read reads h = true -> (m < start A same pull next j h)%nat.
Proof.
induction h as [|z h IH]; [discriminate|]. simpl was_read. simpl start. destruct (reads h) eqn:R0.
- intros _. unfold reads_it in R0. destruct (next h) as [a n|]; [|discriminate].
  apply andb_prop in R0. destruct R0 as [R1 R2]. apply andb_prop in R1. destruct R1 as [R0 _]. apply Nat.ltb_lt in R2.
  unfold within in R0. destruct (same a j) as [->|]; [|discriminate]. destruct (same j j); [lia|easy].
- intros H. specialize (IH H). lia.
Qed.

(* The run is at its start, or went on. *)
Definition reached (h : outcomes) := match h with [] => True | _ :: h' => ended h' = false end.

Lemma not_read h : reached h -> in_event h = true -> was_read reads h = false.
Proof.
intros Rh H. apply andb_prop in H. destruct H as [E V]. destruct (was_read reads h) eqn:W; [|reflexivity]. exfalso.
apply read_below in W. rewrite start_is in W. apply before in V. unfold pulls_before in W.
assert (D : drawn (state_after h) = []).
{ destruct h as [|z h]; [reflexivity|]. simpl in Rh. unfold phases_ended in E, Rh. simpl in E |- *. unfold after in E |- *.
  destruct (Nat.eqb _ _); [reflexivity|]. simpl in E. rewrite E in Rh. discriminate. }
rewrite D in W. simpl in W. lia.
Qed.

Lemma integral_zero : integral (fun _ => 0) = 0.
Proof.
apply Rle_antisym.
- replace 0 with (0 * integral (laplace 1 0)) at 2 by ring.
  assert (L := laplace_whole 1 ltac:(lra) 0). destruct (integral_finite (laplace 1 0)) as (v & B); [rewrite L; lra|].
  apply le_epsilon. intros e E. apply Rle_trans with (e * integral (laplace 1 0)); [|rewrite L; lra].
  apply (integral_scaled _ _ e v E); [|exact B]. intros x. apply Rmult_le_pos; [lra|]. apply laplace_positive. lra.
- destruct (integral_finite (laplace 1 0)) as (v & B); [rewrite laplace_whole; lra|].
  apply (integral_positive _ (1 * v)), (bounds_scaled _ (laplace 1 0)); [lra| |exact B].
  intros x. rewrite Rmult_1_l. apply laplace_positive. lra.
Qed.

Lemma zero_after (r : densities) k h : reached h -> was_read reads h = true -> chance_of r ended in_event k h = 0.
Proof.
revert h. induction k as [|k IH]; intros h Rh W.
- simpl. destruct (in_event h) eqn:E; [|reflexivity]. rewrite (not_read h Rh E) in W. discriminate.
- simpl. destruct (ended h) eqn:En.
  + destruct (in_event h) eqn:E; [|reflexivity]. rewrite (not_read h Rh E) in W. discriminate.
  + rewrite <- integral_zero. f_equal. apply FunctionalExtensionality.functional_extensionality. intros z.
    rewrite IH; [ring|exact En|]. simpl. destruct (reads h); [reflexivity|exact W].
Qed.

Lemma same_chance k h : reached h -> chance_of (noisy A same pull next eps t) ended in_event k h =
  chance_of (noisy A same pull next eps u) ended in_event k h.
Proof.
revert h. induction k as [|k IH]; intros h Rh; [reflexivity|]. simpl. destruct (ended h) eqn:En; [reflexivity|].
f_equal. apply FunctionalExtensionality.functional_extensionality. intros z. destruct (reads h) eqn:R0.
- assert (W : was_read reads (z :: h) = true) by (simpl; now rewrite R0).
  rewrite !zero_after by assumption. ring.
- rewrite IH by exact En. f_equal. apply (noised_unread A same pull next t u j m); [|exact R0].
  intros a n N. apply one_reward. intros [-> ->]. apply N. split; reflexivity.
Qed.
End BeforeReading.

(* Phase M + 1 is the one whose mean of arm j has the changed reward: so phases 1, ..., M take at most m rewards of it. *)
Theorem eq_52 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (block : list (list R) -> list A)
  (each : list (list R) -> nat) M eps (t u : table A) j m event draws :
  0 < eps -> (forall w, (1 <= each w)%nat) -> bounded A t -> bounded A u ->
  (forall a n, ~ (a = j /\ n = m) -> t a n = u a n) ->
  (forall w, event w = true -> (pulls_in A same block each j w <= m)%nat) ->
  chance_of (noisy A same pull (phase_means A block each) eps t) (phases_ended A M block) (in_event A block M event) draws [] =
  chance_of (noisy A same pull (phase_means A block each) eps u) (phases_ended A M block) (in_event A block M event) draws [].
Proof. intros _ _ _ _ D B. apply (same_chance A same block each M eps t u j m D event B). exact I. Qed.

Lemma eq_52_witness : satisfiable eq_52.
Proof.
exists bool, Bool.bool_dec, (fun _ => [true; false]), (fun _ => 1%nat), 1%nat, 1, (fun _ _ => 0),
  (fun a n => if Bool.bool_dec a true then if Nat.eqb n 1 then 1 else 0 else 0), true, 1%nat, (fun w => Nat.leb (length w) 1), 4%nat.
split; [lra|]. split; [auto|]. split; [intros a n; lra|]. split.
{ intros a n. destruct (Bool.bool_dec a true), (Nat.eqb n 1); lra. }
split.
- intros a n N. destruct (Bool.bool_dec a true) as [->|]; [|reflexivity]. destruct (Nat.eqb_spec n 1) as [->|]; [|reflexivity].
  exfalso. now apply N.
- intros [|l [|l' w]] H; simpl; [lia|lia|discriminate].
Qed.
