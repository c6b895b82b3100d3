(* Theorem 9 and what its proof gives: for every algorithm and every T there is a hard instance. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration total_variation interaction private_channels.
From Dpbandits Require Import private_bandits satisfiable.
From Dpbandits.tao22 Require Import appendix_c_theorem_11.
Open Scope R_scope.

(* Each arm pays one amount with some probability, and else 0. *)
Definition simple (D : nat -> probability_measure real_numbers) : Prop :=
  forall a, exists p x, 0 <= p <= 1 /\ two_valued (D a) p x.

Section Simple.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).

Lemma pays_simple p x inside : exists p' x', 0 <= p' <= 1 /\ two_valued (pays p x inside) p' x'.
Proof. exists p, x. split; [exact inside|apply pays_two_valued]. Qed.

Lemma usual_simple : simple (usual v gap v01 g01).
Proof. intros a. unfold usual. destruct (Nat.eqb a 0); apply pays_simple. Qed.

Lemma raised_simple i : simple (raised v gap v01 g01 i).
Proof. intros a. unfold raised. destruct (Nat.eqb a i); [apply pays_simple|apply usual_simple]. Qed.
End Simple.

Section Instances.
Variables v gap : R.
Hypotheses (v01 : 0 < v <= 1) (g01 : 0 < gap < 1 / 5).
Variables (Z : sample_space) (K : nat) (eps : R) (alg : local_algorithm real_numbers Z K eps).
Hypotheses (K2 : (2 <= K)%nat) (e01 : 0 < eps <= 1) (V : forall D, simple D -> pulls_measurable alg D).

Let usual := usual v gap v01 g01.
Let raised := raised v gap v01 g01.
Let Vu : pulls_measurable alg usual := V _ (usual_simple v gap v01 g01).
Let Vr i : pulls_measurable alg (raised i) := V _ (raised_simple v gap v01 g01 i).

(* Some arm but the first one is pulled at most T/(K-1) times. *)
Lemma few_pulls (x : nat -> R) t : (forall a, 0 <= x a) -> sum_to K x = t ->
  exists i, (0 < i < K)%nat /\ (INR K - 1) * x i <= t.
Proof.
intros P Total. destruct K as [|k]; [lia|]. rewrite S_INR. replace (INR k + 1 - 1) with (INR k) by ring.
assert (H : forall n, (S n <= k)%nat -> (exists i, (0 < i < S k)%nat /\ INR k * x i <= t) \/
  INR (S n) * t + INR k * x 0%nat < INR k * sum_to (S (S n)) x).
{ induction n as [|n IH]; intros L.
  - destruct (Rle_lt_dec (INR k * x 1%nat) t) as [Y|Y]; [left; exists 1%nat; split; [lia|exact Y]|right]. simpl. lra.
  - destruct (IH ltac:(lia)) as [X|X]; [now left|].
    destruct (Rle_lt_dec (INR k * x (S (S n))) t) as [Y|Y]; [left; exists (S (S n)); split; [lia|exact Y]|right].
    rewrite S_INR. change (sum_to (S (S (S n))) x) with (sum_to (S (S n)) x + x (S (S n))). lra. }
destruct (H (k - 1)%nat ltac:(lia)) as [X|X]; [exact X|exfalso].
replace (S (k - 1)) with k in X by lia. rewrite Total in X. assert (P0 := P 0%nat).
assert (0 <= INR k * x 0%nat) by (apply Rmult_le_pos; [apply pos_INR|exact P0]). lra.
Qed.

Lemma hard_pair T : exists i, (0 < i < K)%nat /\
  INR T * gap / 4 * exp (- (16 * Rpower 25 (/ v) * (eps ^ 2 * INR T * Rpower gap (2 + 2 / v)) / (INR K - 1))) <=
  regret alg usual T + regret alg (raised i) T.
Proof.
assert (K1 : 0 < INR K - 1).
{ assert (H : 2 <= INR K) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR). lra. }
destruct (few_pulls (fun a => expected alg usual T (pulls_of Z a)) (INR T)) as (i & I & F).
{ intros a. apply expected_pulls, Vu. }
{ apply all_pulls, Vu. }
exists i. split; [exact I|].
assert (H := regrets Z K eps alg usual (raised i) ltac:(lra) Vu (Vr i) i gap (2 * gap * gamma v gap) T ltac:(lia) ltac:(lra)).
specialize (H (fun a _ N => raised_elsewhere v gap v01 g01 i a N) (raised_here v gap v01 g01 i (proj1 I))
  (Req_le _ _ (eq_sym (usual_gap v gap v01 g01 K i I))) (fun a L N => raised_gap v gap v01 g01 K i a I L N)).
apply Rle_trans with (2 := H). apply Rmult_le_compat_l.
{ assert (X := pos_INR T). assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). lra. }
apply exp_le, Ropp_le_contravar. set (n := expected alg usual T (pulls_of Z i)) in *.
assert (P := expected_pulls Z K eps alg usual i T Vu). fold n in P.
replace ((exp eps - 1) * (2 * gap * gamma v gap) * ((exp eps - 1) * (2 * gap * gamma v gap)) * n) with
  ((exp eps - 1) * (exp eps - 1) * ((2 * gap * gamma v gap) * (2 * gap * gamma v gap)) * n) by ring.
rewrite variation_power by assumption.
assert (P25 : Rpower 25 (/ v) = Rpower 5 (2 / v)).
{ replace 25 with (5 * 5) by ring. rewrite <- Rpower_mult_distr by lra. replace (2 / v) with (/ v + / v) by (field; lra).
  now rewrite Rpower_plus. }
rewrite P25. assert (X := exp_twice eps ltac:(lra)).
assert (A : 0 < Rpower 5 (2 / v)) by apply exp_pos. assert (B : 0 < Rpower gap (2 + 2 / v)) by apply exp_pos.
set (x := Rpower 5 (2 / v)) in *. set (y := Rpower gap (2 + 2 / v)) in *.
assert (n' : n <= INR T / (INR K - 1)).
{ apply Rmult_le_reg_l with (INR K - 1); [exact K1|]. apply Rle_trans with (1 := F). right. field. lra. }
replace (16 * x * (eps ^ 2 * INR T * y) / (INR K - 1)) with (2 * eps * (2 * eps) * (4 * x * y) * (INR T / (INR K - 1)))
  by (field; lra).
assert (0 < 4 * x * y) by (repeat apply Rmult_lt_0_compat; lra).
apply Rmult_le_compat; [|lra| |exact n'].
- apply Rmult_le_pos; [nra|lra].
- apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; lra.
Qed.
End Instances.

(** * Delta = (K/(T eps^2))^q, q = v/(2(1+v)) *)

Section Choice.
Variables v eps k t : R.
Hypotheses (v01 : 0 < v <= 1) (e01 : 0 < eps) (k0 : 0 < k) (t0 : Rpower 25 ((1 + v) / v) * (k / eps ^ 2) < t).
Let q := v / (2 * (1 + v)).
Let gap := Rpower (k / (t * eps ^ 2)) q.

Lemma choice_facts : 0 < t /\ 0 < gap < 1 / 5 /\ eps ^ 2 * t * Rpower gap (2 + 2 / v) = k /\
  t * gap = Rpower (k / eps ^ 2) q * Rpower t (1 - q).
Proof.
assert (e2 : 0 < eps ^ 2) by now apply pow_lt.
assert (ke : 0 < k / eps ^ 2) by now apply Rdiv_lt_0_compat.
assert (P : 0 < Rpower 25 ((1 + v) / v)) by apply exp_pos.
assert (T0 : 0 < t) by (apply Rlt_trans with (2 := t0); now apply Rmult_lt_0_compat).
assert (te : 0 < t * eps ^ 2) by now apply Rmult_lt_0_compat.
assert (r0 : 0 < k / (t * eps ^ 2)) by now apply Rdiv_lt_0_compat.
assert (q0 : 0 < q) by (unfold q; apply Rdiv_lt_0_compat; lra).
split; [exact T0|]. split; [split; [apply exp_pos|]|split].
- assert (X : ln (k / (t * eps ^ 2)) < - ((1 + v) / v * ln 25)).
  { rewrite <- (ln_exp (- ((1 + v) / v * ln 25))), exp_Ropp. apply ln_increasing; [exact r0|].
    fold (Rpower 25 ((1 + v) / v)). apply Rmult_lt_reg_r with (Rpower 25 ((1 + v) / v) * t); [now apply Rmult_lt_0_compat|].
    replace (/ Rpower 25 ((1 + v) / v) * (Rpower 25 ((1 + v) / v) * t)) with t by (field; lra).
    replace (k / (t * eps ^ 2) * (Rpower 25 ((1 + v) / v) * t)) with (Rpower 25 ((1 + v) / v) * (k / eps ^ 2))
      by (field; split; lra). exact t0. }
  unfold gap, Rpower. rewrite <- (exp_ln (1 / 5)) by lra. apply exp_increasing.
  apply (Rmult_lt_compat_l q) in X; [|exact q0]. apply Rlt_le_trans with (1 := X). right.
  replace 25 with (5 * 5) by ring. replace (1 / 5) with (/ 5) by field. rewrite ln_mult, ln_Rinv by lra. unfold q. field. lra.
- unfold gap. rewrite Rpower_mult. replace (q * (2 + 2 / v)) with 1 by (unfold q; field; lra). rewrite Rpower_1 by exact r0.
  field. split; lra.
- unfold gap. assert (E : k / (t * eps ^ 2) = k / eps ^ 2 * / t) by (field; split; lra). rewrite E.
  rewrite <- Rpower_mult_distr by (auto using Rinv_0_lt_compat).
  unfold Rminus. rewrite Rpower_plus, Rpower_1 by exact T0. unfold Rpower at 2 4. rewrite ln_Rinv by exact T0.
  replace (q * - ln t) with (- q * ln t) by ring. ring.
Qed.
End Choice.

Theorem theorem_9_raised v eps (Z : sample_space) K T (alg : local_algorithm real_numbers Z K eps) :
  0 < v <= 1 -> 0 < eps <= 1 -> (2 <= K)%nat -> Rpower 25 ((1 + v) / v) * (INR K / eps ^ 2) < INR T ->
  (forall D, simple D -> pulls_measurable alg D) ->
  let q := v / (2 * (1 + v)) in
  exists D : nat -> probability_measure real_numbers, simple D /\ (forall a, (a < K)%nat -> moment_at_most_1 v (D a)) /\
    exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) q * Rpower (INR T) (1 - q) <= regret alg D T.
Proof.
intros v01 e01 K2 T0 V q.
assert (K2' : 2 <= INR K) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
destruct (choice_facts v eps (INR K) (INR T) v01 ltac:(lra) ltac:(lra) T0) as (T1 & G & E & TG). fold q in G, E, TG.
set (gap := Rpower (INR K / (INR T * eps ^ 2)) q) in *.
destruct (hard_pair v gap v01 G Z K eps alg K2 e01 V T) as (i & I & H). rewrite E in H.
assert (P : 0 < Rpower 25 (/ v)) by apply exp_pos.
assert (X : exp (- (32 * Rpower 25 (1 / v))) <= exp (- (16 * Rpower 25 (/ v) * INR K / (INR K - 1)))).
{ apply exp_le, Ropp_le_contravar. replace (1 / v) with (/ v) by (field; lra).
  apply Rmult_le_reg_r with (INR K - 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
assert (Y : INR T * gap / 4 * exp (- (32 * Rpower 25 (1 / v))) <=
  regret alg (usual v gap v01 G) T + regret alg (raised v gap v01 G i) T).
{ apply Rle_trans with (2 := H). apply Rmult_le_compat_l; [|exact X].
  assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). lra. }
assert (Goal : exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) q * Rpower (INR T) (1 - q) =
  INR T * gap / 4 * exp (- (32 * Rpower 25 (1 / v))) / 2).
{ replace (exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) q * Rpower (INR T) (1 - q)) with
    (exp (- (32 * Rpower 25 (1 / v))) / 8 * (Rpower (INR K / eps ^ 2) q * Rpower (INR T) (1 - q))) by ring.
  rewrite <- TG. field. }
rewrite Goal. destruct (Rle_lt_dec (INR T * gap / 4 * exp (- (32 * Rpower 25 (1 / v))) / 2) (regret alg (usual v gap v01 G) T)) as [L|L].
- exists (usual v gap v01 G). split; [apply usual_simple|split; [intros; apply usual_moment|exact L]].
- exists (raised v gap v01 G i). split; [apply raised_simple|split; [intros; apply raised_moment|lra]].
Qed.

Theorem theorem_9 v eps (Z : sample_space) K T (alg : local_algorithm real_numbers Z K eps) :
  0 < v <= 1 -> 0 < eps <= 1 -> (2 <= K)%nat -> Rpower 25 ((1 + v) / v) * (INR K / eps ^ 2) < INR T ->
  (forall D, simple D -> pulls_measurable alg D) ->
  exists D : nat -> probability_measure real_numbers, simple D /\ (forall a, (a < K)%nat -> moment_at_most_1 v (D a)) /\
    exp (- (32 * Rpower 25 (1 / v))) / 8 * Rpower (INR K / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v)) <=
    regret alg D T.
Proof.
intros v01 e01 K2 T0 V.
assert (K2' : 2 <= INR K) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
destruct (choice_facts v eps (INR K) (INR T) v01 ltac:(lra) ltac:(lra) T0) as (T1 & G & _ & TG).
destruct (theorem_9_raised v eps Z K T alg v01 e01 K2 T0 V) as (D & S & B & H).
exists D. split; [exact S|]. split; [exact B|]. apply Rle_trans with (2 := H). set (q := v / (2 * (1 + v))) in *.
set (gap := Rpower (INR K / (INR T * eps ^ 2)) q) in *.
assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra). assert (C := exp_pos (- (32 * Rpower 25 (1 / v)))).
assert (ke : 0 < INR K / eps ^ 2) by (apply Rdiv_lt_0_compat; lra).
rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite <- TG.
assert (Small : Rpower (INR K / eps ^ 2) (v / (1 + v)) * Rpower (INR T) (1 / (1 + v)) = INR T * gap * gap).
{ rewrite TG. replace (v / (1 + v)) with (q + q) by (unfold q; field; lra).
  assert (Egap : gap = Rpower (INR K / eps ^ 2) q * Rpower (INR T) (- q)).
  { apply Rmult_eq_reg_l with (INR T); [|lra]. rewrite TG. replace (1 - q) with (- q + 1) by ring.
    rewrite (Rpower_plus (- q) 1), Rpower_1 by exact T1. ring. }
  rewrite Egap. replace (1 / (1 + v)) with ((1 - q) + - q) by (unfold q; field; lra). rewrite !Rpower_plus. ring. }
rewrite Small. assert (0 <= INR T * gap) by (apply Rmult_le_pos; lra). nra.
Qed.

(** * The hypotheses can hold together *)

Lemma long_run : Rpower 25 ((1 + 1) / 1) * (INR 2 / 1 ^ 2) < INR 1300.
Proof.
replace ((1 + 1) / 1) with (INR 2) by (simpl; field). rewrite Rpower_pow by lra. rewrite !INR_IZR_INZ. simpl. lra.
Qed.

Lemma theorem_9_raised_witness : satisfiable theorem_9_raised.
Proof.
exists 1, 1, one_toss, 2%nat, 1300%nat, (silent real_numbers 1 Rle_0_1).
split; [lra|]. split; [lra|]. split; [lia|]. split; [exact long_run|]. intros D _ T f. apply bits_measurable.
Qed.

Lemma theorem_9_witness : satisfiable theorem_9.
Proof.
exists 1, 1, one_toss, 2%nat, 1300%nat, (silent real_numbers 1 Rle_0_1).
split; [lra|]. split; [lra|]. split; [lia|]. split; [exact long_run|]. intros D _ T f. apply bits_measurable.
Qed.
