(* Thompson sampling with normal samples and any number of arms. Whose samples are not changed set a threshold to the
   changed arm's sample, so that a round is a mixture of coins: a linear function of the chances of all arms is at most
   what it is at the best coin, and the moment of a mixture is at most the coins'. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins rewards thompson largest.
Import ListNotations.
Open Scope R_scope.

Section Mixtures.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}).
Notation samples := (samples A).
Notation regular := (regular A).
Notation winner := (winner A same).
Notation all_below := (all_below A).
Notation piece := (piece A same).
Notation largest := (largest A same).

(** * Two laws that differ in arm j's sample *)
Section Two.
Variables (s t : samples) (arms : list A) (j i : A).
Hypotheses (good : regular s) (good' : regular t) (different : NoDup arms) (j_in : In j arms) (i_in : In i arms).
Hypotheses (i_other : i <> j) (unmoved : forall a, a <> j -> below s a = below t a /\ at_ s a = at_ t a).
(* What a pull of each arm is worth on the two sides; if arm j is not pulled, any other arm may be. *)
Variables (up down : A -> R) (m : R).
Hypotheses (up_positive : forall a, 0 <= up a) (down_positive : forall a, 0 <= down a) (m_positive : 0 <= m).
Hypothesis coins : forall x a, In a arms -> a <> j ->
  up j * (1 - below s j x) - down j * (1 - below t j x) + (up a * below s j x - down a * below t j x) <= m.

(* The others alone: who of them is the largest at x, and whether all are below x. *)
Definition others := {| below := fun a x => if same j a then 1 else below s a x;
  at_ := fun a x => if same j a then 0 else at_ s a x |}.
Definition reached (a : A) (x : R) := winner others arms a x.
Definition quiet (x : R) := all_below others arms x.

Lemma quiet_derive x : is_derive quiet x (sum (fun a => reached a x) arms).
Proof.
apply all_below_derive; [|exact different]. intros a. simpl. destruct (same j a) as [_|_]; [apply @is_derive_const|].
apply (good a).
Qed.

Lemma reached_j x : reached j x = 0.
Proof.
unfold reached, winner. rewrite (prod_split A same j) by assumption. simpl.
destruct (same j j) as [_|E]; [ring|now destruct E].
Qed.

Lemma reached_positive a x : 0 <= reached a x.
Proof.
destruct (same j a) as [<-|N]; [rewrite reached_j; lra|]. left. apply prod_positive. intros c _. simpl.
destruct (good c) as (_ & _ & P & Q & _). destruct (same a c) as [<-|_].
- destruct (same j a) as [E|_]; [now destruct N|apply P].
- destruct (same j c) as [_|_]; [lra|apply Q].
Qed.

Lemma winner_factor u a x : (forall c, c <> j -> below s c = below u c /\ at_ s c = at_ u c) -> a <> j ->
  winner u arms a x = below u j x * reached a x.
Proof.
intros U N. unfold winner. rewrite (prod_split A same j) by assumption.
destruct (same a j) as [E|_]; [now destruct N|]. f_equal. apply prod_eq. intros c _. simpl.
destruct (same j c) as [<-|E].
- destruct (same a j) as [E|_]; [now destruct N|reflexivity].
- destruct (U c (fun H => E (eq_sym H))) as [-> ->]. reflexivity.
Qed.

Lemma winner_j u x : (forall c, c <> j -> below s c = below u c /\ at_ s c = at_ u c) ->
  winner u arms j x = at_ u j x * quiet x.
Proof.
intros U. unfold winner. rewrite (prod_split A same j) by assumption.
destruct (same j j) as [_|E]; [|now destruct E]. f_equal. apply prod_eq. intros c _. simpl.
destruct (same j c) as [<-|E]; [reflexivity|]. now destruct (U c (fun H => E (eq_sym H))) as [-> _].
Qed.

Lemma quiet_inside x : 0 < quiet x <= 1 /\ quiet x <= below s i x.
Proof.
assert (P : forall c, In c arms -> 0 < below others c x <= 1).
{ intros c _. simpl. destruct (good c) as (_ & _ & _ & Q & _). destruct (same j c); [lra|]. generalize (Q x); lra. }
assert (I : quiet x <= below s i x).
{ assert (Q := prod_at_most A (fun c => below others c x) arms i P i_in). simpl in Q.
  destruct (same j i) as [E|_]; [now destruct i_other|exact Q]. }
split; [|exact I]. split; [apply prod_positive; intros c J; now apply P|].
destruct (good i) as (_ & _ & _ & Q & _). generalize (Q x); lra.
Qed.

(* What is lost between -n and n, and at the ends; it falls. *)
Definition spare x := up j * (1 - below s j x) - down j * (1 - below t j x).
Definition account x := sum (fun a => up a * piece s arms a x - down a * piece t arms a x) arms
  + (spare x * quiet x - m * quiet x).

Lemma account_falls x y : x <= y -> account y <= account x.
Proof.
apply (falls account (fun x =>
  sum (fun a => up a * winner s arms a x - down a * winner t arms a x) arms
  + (((down j * at_ t j x - up j * at_ s j x) * quiet x + spare x * sum (fun a => reached a x) arms)
     - m * sum (fun a => reached a x) arms))).
- intros z. unfold account. evar_last.
  + apply (is_derive_plus (fun x =>
    sum (fun a => up a * piece s arms a x - down a * piece t arms a x) arms)
      (fun x => spare x * quiet x - m * quiet x)).
    * apply derive_sum. intros a _.
      apply (is_derive_minus (fun x => up a * piece s arms a x) (fun x => down a * piece t arms a x));
        apply is_derive_scal; now apply piece_derive.
    * apply (is_derive_minus (fun x => spare x * quiet x) (fun x => m * quiet x)).
      -- apply (is_derive_mult spare quiet); [|apply quiet_derive|intros; apply Rmult_comm].
         unfold spare.
         apply (is_derive_minus (fun x => up j * (1 - below s j x)) (fun x => down j * (1 - below t j x)));
           apply is_derive_scal; [apply (is_derive_minus (fun _ => 1) (below s j));
             [apply @is_derive_const|apply (good j)]|
           apply (is_derive_minus (fun _ => 1) (below t j)); [apply @is_derive_const|apply (good' j)]].
      -- apply is_derive_scal, quiet_derive.
  + unfold minus, plus, opp, mult, zero; simpl. unfold Rminus. ring.
- intros z. set (K := spare z). set (F := quiet z).
  destruct (good j) as (_ & _ & _ & B & _). destruct (good' j) as (_ & _ & _ & B' & _).
  specialize (B z). specialize (B' z).
  assert (S : sum (fun a => up a * winner s arms a z - down a * winner t arms a z) arms <=
    sum (fun a => reached a z * (m - K) +
      (if same j a then (up j * at_ s j z - down j * at_ t j z) * F else 0)) arms).
  { apply sum_le. intros a I. destruct (same j a) as [<-|N].
    - rewrite reached_j, (winner_j s), (winner_j t) by (auto || (intros; split; reflexivity)). fold F. right. ring.
    - assert (N' : a <> j) by (intros E; now apply N).
      rewrite (winner_factor s a), (winner_factor t a) by (auto || (intros; split; reflexivity)).
      assert (R0 := reached_positive a z). assert (C := coins z a I N').
      assert (up a * below s j z - down a * below t j z <= m - K) by (unfold K, spare; lra).
      apply (Rmult_le_compat_l (reached a z)) in H; [|exact R0]. lra. }
  rewrite sum_plus, sum_at, sum_scaled in S by assumption. lra.
Qed.

(* Between -n and n. *)
Lemma mixture_between n : sum (fun a =>
  up a * RInt (winner s arms a) (- INR n) (INR n) - down a * RInt (winner t arms a) (- INR n) (INR n)) arms
  <= m + (down j * (1 - below t j (INR n)) + up j * below s i (- INR n)).
Proof.
destruct (good i) as (_ & _ & _ & Bi & _). destruct (good' j) as (_ & _ & _ & B' & _).
destruct (good j) as (_ & _ & _ & B & _). assert (Cu := up_positive j). assert (Cd := down_positive j).
assert (L : - INR n <= INR n) by (generalize (pos_INR n); lra).
assert (H := account_falls _ _ L). unfold account in H.
rewrite (sum_eq _ _ (fun a => 1 * (up a * piece s arms a (INR n) - down a * piece t arms a (INR n))
  - 1 * (up a * piece s arms a (- INR n) - down a * piece t arms a (- INR n))))
  by (intros a _; rewrite !pieces by assumption; ring).
rewrite sum_linear, !Rmult_1_l.
destruct (quiet_inside (INR n)) as [F _]. destruct (quiet_inside (- INR n)) as [F' Fi].
set (f := quiet (INR n)) in *. set (f' := quiet (- INR n)) in *.
assert (S1 : - (down j * (1 - below t j (INR n))) <= spare (INR n) * f).
{ unfold spare. assert (X := B (INR n)). assert (X' := B' (INR n)).
  assert (0 <= up j * (1 - below s j (INR n)) * f) by (repeat apply Rmult_le_pos; lra).
  assert (down j * (1 - below t j (INR n)) * f <= down j * (1 - below t j (INR n)) * 1)
    by (apply Rmult_le_compat_l; [repeat apply Rmult_le_pos|]; lra). lra. }
assert (S2 : spare (- INR n) * f' <= up j * below s i (- INR n)).
{ unfold spare. assert (X := B (- INR n)). assert (X' := B' (- INR n)).
  assert (0 <= down j * (1 - below t j (- INR n)) * f') by (repeat apply Rmult_le_pos; lra).
  assert (up j * ((1 - below s j (- INR n)) * f') <= up j * below s i (- INR n)); [|lra].
  apply Rmult_le_compat_l; [exact Cu|]. nra. }
assert (m * f <= m * 1) by (apply Rmult_le_compat_l; lra).
assert (0 <= m * f') by (apply Rmult_le_pos; lra). lra.
Qed.
End Two.

(* A linear function of the chances of a pull of each arm. *)
Theorem mixture_linear s t arms j i (up down : A -> R) m : regular s -> regular t -> NoDup arms -> In j arms -> In i arms ->
  i <> j -> (forall a, a <> j -> below s a = below t a /\ at_ s a = at_ t a) ->
  (forall a, 0 <= up a) -> (forall a, 0 <= down a) -> 0 <= m ->
  (forall x a, In a arms -> a <> j ->
    up j * (1 - below s j x) - down j * (1 - below t j x) + (up a * below s j x - down a * below t j x) <= m) ->
  sum (fun a => up a * largest s arms a - down a * largest t arms a) arms <= m.
Proof.
intros good good' different j_in i_in i_other unmoved U0 D0 M0 coins.
assert (H := mixture_between s t arms j i good good' different j_in i_in i_other unmoved up down m U0 D0 M0 coins).
destruct (good i) as (_ & _ & _ & _ & Li & _). destruct (good' j) as (_ & _ & _ & _ & _ & L').
assert (V : is_lim_seq (fun n => m + (down j * (1 - below t j (INR n)) + up j * below s i (- INR n)))
  (m + (down j * (1 - 1) + up j * 0))).
{ apply is_lim_seq_plus'; [apply is_lim_seq_const|]. apply is_lim_seq_plus'.
  - apply (is_lim_seq_scal_l _ _ (Finite (1 - 1))). apply is_lim_seq_minus'; [apply is_lim_seq_const|exact L'].
  - apply (is_lim_seq_scal_l _ _ (Finite 0)). exact Li. }
assert (U : is_lim_seq (fun n => sum (fun a =>
  up a * RInt (winner s arms a) (- INR n) (INR n) - down a * RInt (winner t arms a) (- INR n) (INR n)) arms)
  (sum (fun a => up a * largest s arms a - down a * largest t arms a) arms)).
{ apply (lim_sum (fun n a =>
    up a * RInt (winner s arms a) (- INR n) (INR n) - down a * RInt (winner t arms a) (- INR n) (INR n))
    (fun a => up a * largest s arms a - down a * largest t arms a)). intros a I.
  apply is_lim_seq_minus'.
  - apply (is_lim_seq_scal_l _ (up a) (Finite (largest s arms a))). now apply largest_limit.
  - apply (is_lim_seq_scal_l _ (down a) (Finite (largest t arms a))). now apply largest_limit. }
replace (m + (down j * (1 - 1) + up j * 0)) with m in V by ring.
exact (is_lim_seq_le _ _ (Finite _) (Finite _) H U V).
Qed.

(* The round's moment, of which a pull of arm j is worth b. *)
Theorem mixture_paid s t arms j i lam b m : regular s -> regular t -> NoDup arms -> In j arms -> In i arms -> i <> j ->
  (forall a, a <> j -> below s a = below t a /\ at_ s a = at_ t a) -> 0 < lam -> 0 <= m ->
  (forall x, cost lam b (1 - below s j x) (1 - below t j x) <= m) ->
  sum (fun a => (if same j a then exp (- b) else 1) *
    tilted lam (largest s arms a) (largest t arms a)) arms <= m.
Proof.
intros good good' different j_in i_in i_other unmoved L0 M0 coins.
set (P := largest s arms). set (Q := largest t arms).
set (weight := fun a => if same j a then exp (- b) else 1).
(* Coefficients of tangents below the tilted chances. *)
set (up := fun a => (1 + lam) * exp (lam * ln (P a / Q a))).
set (down := fun a => lam * exp ((1 + lam) * ln (P a / Q a))).
assert (p : forall a, In a arms -> 0 < P a) by (intros; now apply largest_positive).
assert (q : forall a, In a arms -> 0 < Q a) by (intros; now apply largest_positive).
assert (W0 : forall a, 0 < weight a) by (intros a; unfold weight; destruct (same j a); [apply exp_pos|lra]).
assert (U0 : forall a, 0 < up a) by (intros a; apply Rmult_lt_0_compat; [lra|apply exp_pos]).
assert (D0 : forall a, 0 < down a) by (intros a; apply Rmult_lt_0_compat; [exact L0|apply exp_pos]).
assert (Both : forall a u v, In a arms -> 0 < u -> 0 < v -> up a * u - down a * v <= tilted lam u v).
{ intros a u v I Hu Hv. exact (young lam L0 u v (P a / Q a) Hu Hv (Rdiv_lt_0_compat _ _ (p a I) (q a I))). }
apply Rle_trans with (sum (fun a => weight a * up a * P a - weight a * down a * Q a) arms).
- right. apply sum_eq. intros a I. fold (weight a).
  replace (tilted lam (P a) (Q a)) with (up a * P a - down a * Q a) by (symmetry; apply young_equal; auto). ring.
- refine (mixture_linear s t arms j i (fun a => weight a * up a) (fun a => weight a * down a) m good good' different
    j_in i_in i_other unmoved _ _ M0 _); try (intros a; left; now apply Rmult_lt_0_compat).
  intros x a I N. assert (C := coins x). unfold cost in C.
  destruct (good j) as (_ & _ & _ & B & _). destruct (good' j) as (_ & _ & _ & B' & _). specialize (B x). specialize (B' x).
  replace (1 - (1 - below s j x)) with (below s j x) in C by ring.
  replace (1 - (1 - below t j x)) with (below t j x) in C by ring.
  assert (Y := Both a (below s j x) (below t j x) I (proj1 B) (proj1 B')).
  assert (Z := Both j (1 - below s j x) (1 - below t j x) j_in ltac:(lra) ltac:(lra)).
  unfold weight. destruct (same j j) as [_|E]; [|now destruct E]. destruct (same j a) as [E|_]; [now destruct N|].
  assert (0 < exp (- b)) by apply exp_pos. nra.
Qed.

(** * Thompson sampling *)
Section Sampler.
Variables (arms : list A) (variance : R).
Hypotheses (variance_positive : 0 < variance) (different : NoDup arms) (two : (2 <= length arms)%nat).
Notation releases := (releases A).
Notation rewards := (rewards A).
Notation pulls := (pulls A same).
Notation mean := (mean A same).

(* Arm a's sample is N(mean, variance/(n + 1)); the arm with the largest is pulled. *)
Definition spread (a : A) (h : releases) := sqrt (variance / (INR (pulls a h) + 1)).
Definition normal_samples (x : rewards) (h : releases) : samples :=
  {| below := fun a u => Phi ((u - mean x a h) / spread a h);
     at_ := fun a u => density ((u - mean x a h) / spread a h) / spread a h |}.
Definition gaussian_thompson (x : rewards) : law A := fun h a => largest (normal_samples x h) arms a.

Lemma spread_positive a h : 0 < spread a h.
Proof. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact variance_positive|]. generalize (pos_INR (pulls a h)); lra. Qed.

(* In deviations of an arm's sample, a change of its mean by 1/(n + 1) is the shift. *)
Lemma moved_by_shift a h : / ((INR (pulls a h) + 1) * spread a h) = shift variance (pulls a h).
Proof.
assert (N := pos_INR (pulls a h)). unfold shift. f_equal. unfold spread. set (n := INR (pulls a h)) in *.
apply Rsqr_inj; [apply Rmult_le_pos; [lra|apply sqrt_pos]|apply sqrt_pos|]. unfold Rsqr.
replace ((n + 1) * sqrt (variance / (n + 1)) * ((n + 1) * sqrt (variance / (n + 1)))) with
  ((n + 1) * (n + 1) * (sqrt (variance / (n + 1)) * sqrt (variance / (n + 1)))) by ring.
rewrite !sqrt_sqrt; [field; lra|apply Rmult_le_pos; lra|apply Rle_mult_inv_pos; lra].
Qed.

Lemma samples_regular x h : regular (normal_samples x h).
Proof.
intros a. assert (D := spread_positive a h). set (m := mean x a h). set (d := spread a h) in *. simpl. fold m d.
assert (V : forall u, is_derive (fun z => (z - m) / d) u (/ d)) by (intros u; auto_derive; [auto|field; lra]).
split; [|split; [|split; [|split; [|split]]]].
- intros u. evar_last; [apply (is_derive_comp Phi (fun z => (z - m) / d)); [apply Phi_derive|apply V]|].
  unfold scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
- intros u. apply (continuous_mult (K := R_AbsRing) (fun z => density ((z - m) / d)) (fun _ => / d));
    [|apply continuous_const].
  apply (continuous_comp (fun z => (z - m) / d) density); [|apply density_continuous].
  apply (ex_derive_continuous (V := R_NormedModule)). eexists; apply V.
- intros u. apply Rdiv_lt_0_compat; [apply density_positive|exact D].
- intros u. apply Phi_inside.
- now apply Phi_limit.
- apply (is_lim_seq_ext (fun n => 1 - Phi ((- INR n - - m) / d))).
  + intros n. rewrite <- Phi_opp. f_equal. field; lra.
  + replace (Finite 1) with (Finite (1 - 0)) by (f_equal; ring).
    apply is_lim_seq_minus'; [apply is_lim_seq_const|now apply Phi_limit].
Qed.

Definition anywhere (n : nat) (x : R) := True.

Lemma another j : In j arms -> exists i, In i arms /\ i <> j.
Proof.
intros _. destruct arms as [|a [|b l]]; simpl in two; try lia. destruct (same a j) as [->|N].
- exists b. split; [right; now left|]. intros ->. inversion different as [|? ? N _]; subst. apply N; now left.
- exists a. split; [now left|exact N].
Qed.

(* Any number of arms, two at least, either relation. *)
Theorem any_arms_potential r eps delta T many kept before c c' : 0 < delta -> (forall a, In a arms) ->
  prepulled same T many before -> enough_after (shifted variance anywhere) eps delta T many before true c ->
  enough_after (shifted variance anywhere) eps delta T many before false c' ->
  private_after same arms gaussian_thompson r eps delta T kept before.
Proof.
intros Hd all Pre C C'.
apply private_by_prices with (many := many) (coins := shifted variance anywhere) (c := c) (c' := c'); try assumption.
- intros x h a I. change (0 < largest (normal_samples x h) arms a).
  apply (largest_positive A same); [apply samples_regular|exact different|exact I].
- intros x h. change (sum (largest (normal_samples x h) arms) arms = 1).
  apply (largest_whole A same); [apply samples_regular|exact different|]. intros E; rewrite E in two; simpl in two; lia.
- intros hit x y h B change a _. unfold gaussian_thompson, largest. f_equal. apply Lim_seq_ext. intros n.
  apply RInt_ext. intros u _. apply prod_eq. intros b _. simpl. now rewrite (mean_before A same hit x y change b h B).
- intros hit x y j d h change Hx Hy D M HT N1. cbv zeta.
  set (l := if Rle_dec 0 d then c else c'). set (n := pulls j h) in *.
  destruct (another j (all j)) as (i & i_in & i_other). assert (D1 := spread_positive j h). assert (N0 := pos_INR n).
  set (k := / ((INR n + 1) * spread j h)).
  assert (K : 0 < k <= shift variance n).
  { unfold k. split; [apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra|]. right. apply moved_by_shift. }
  assert (L : 0 < lam l /\ 0 <= exp (price l)).
  { split; [|left; apply exp_pos]. unfold l. destruct (Rle_dec 0 d); [apply C|apply C']. }
  assert (G := mixture_paid (normal_samples x h) (normal_samples y h) arms j i (lam l)
    (left l n - left l (S n)) (exp (price l))).
  replace (left l (S n) - left l n) with (- (left l n - left l (S n))) by ring.
  unfold gaussian_thompson. apply G; try assumption; try apply samples_regular; try apply L; try apply all; clear G.
  + intros a N. simpl. now rewrite (mean_unmoved A same hit x y j d a h M N).
  + intros u. simpl. rewrite (mean_moved A same hit x y j d h M). fold n.
    assert (Q := coin_paid variance anywhere eps delta _ _ _ c c' n d k (- ((u - mean x j h) / spread j h)) K D
      N1 C C' Logic.I Logic.I).
        cbv zeta in Q. fold l in Q.
    rewrite <- !Phi_opp.
    replace (- ((u - (mean x j h + d / (INR n + 1))) / spread j h)) with (- ((u - mean x j h) / spread j h) + d * k)
      by (unfold k; field; lra). exact Q.
Qed.
End Sampler.
End Mixtures.
