(* Thompson sampling with normal samples is modelled twice. `thompson_samples.v` draws the samples one after another, and
   the arm with the largest is pulled. `arms.v` and `thompson.v` define the probability of the next arm: an improper
   integral, and for two arms Phi(gap/deviation). Here the two models are shown to have the same law of all pulls, so that
   what is proved of the second one holds for samples that are drawn. *)
From Coq Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins rewards integral densities largest half_planes gaussian lazy_doubling.
From Dpbandits Require Import thompson arms thompson_samples thresholds largest_in_turn.
Import ListNotations.
Open Scope R_scope.

(** * Laws of the next arm *)
Section Laws.
Variables (A : Type) (arms : list A) (p : law A).
Hypotheses (positive : forall h a, In a arms -> 0 <= p h a) (whole : forall h, sum (p h) arms = 1).

Lemma law_inside event k : forall h, 0 <= chance A arms p k h event <= 1.
Proof.
induction k as [|k IH]; intros h; simpl; [destruct (event h); lra|]. split.
- rewrite <- (Rmult_0_r (sum (p h) arms)), <- sum_scaled. apply sum_le. intros a I.
  apply Rmult_le_compat_l; [now apply positive|apply IH].
- rewrite <- (whole h). apply sum_le. intros a I. rewrite <- (Rmult_1_r (p h a)) at 2.
  apply Rmult_le_compat_l; [now apply positive|apply IH].
Qed.

Lemma law_decided event b k : forall h, (forall z, length z = k -> event (z ++ h) = b) ->
  chance A arms p k h event = if b then 1 else 0.
Proof.
induction k as [|k IH]; intros h E; simpl; [now rewrite <- (E [] eq_refl)|].
transitivity (sum (fun a => p h a * (if b then 1 else 0)) arms).
- apply sum_eq. intros a _. f_equal. apply IH. intros z L. specialize (E (z ++ [a])). rewrite <- app_assoc in E.
  apply E. rewrite app_length, L. simpl. lia.
- rewrite sum_scaled, whole. ring.
Qed.

(* The pulls of fewer rounds are those of all rounds without the last ones. *)
Lemma law_of_fewer event m k : forall h,
  chance A arms p (k + m) h (fun z => event (skipn m z)) = chance A arms p k h event.
Proof.
induction k as [|k IH]; intros h; [|simpl; apply sum_eq; intros a _; now rewrite IH].
apply law_decided. intros z L. simpl in L. now rewrite <- L, skipn_app, skipn_all, Nat.sub_diag.
Qed.
End Laws.

Lemma same_law A arms (p q : law A) event k : (forall h a, In a arms -> p h a = q h a) ->
  forall h, chance A arms p k h event = chance A arms q k h event.
Proof.
intros E. induction k as [|k IH]; intros h; simpl; [reflexivity|]. apply sum_eq. intros a I. now rewrite (E h a I), IH.
Qed.

(** * The first of the largest samples *)
Lemma argmax_last {B} (f : B -> R) c l : forall a,
  argmax f a (l ++ [c]) = if Rlt_dec (f (argmax f a l)) (f c) then c else argmax f a l.
Proof. induction l as [|b l IH]; intros a; simpl; [reflexivity|]. destruct (Rlt_dec (f a) (f b)); apply IH. Qed.

(* Of these samples, the last one first, arm b's is the largest, and it is z; among ties it is the first. *)
Definition leads {A} (b : A) (z : R) (l : list (A * R)) :=
  exists one rest, rev l = one :: rest /\ argmax (fun one => snd one) one rest = (b, z).

Lemma leads_alone {A} (a : A) z : leads a z [(a, z)].
Proof. now exists (a, z), []. Qed.

Lemma leads_next {A} (a b : A) y z l : leads b z l ->
  if Rlt_dec z y then leads a y ((a, y) :: l) else leads b z ((a, y) :: l).
Proof.
intros (one & rest & E & M). assert (L := argmax_last (fun one : A * R => snd one) (a, y) rest one). rewrite M in L.
simpl in L. destruct (Rlt_dec z y); exists one, (rest ++ [(a, y)]); simpl; now rewrite E.
Qed.

Lemma leader_wins A (a b : A) y z l : leads b z l -> winner A a y l = if Rlt_dec z y then a else b.
Proof.
intros (one & rest & E & M). unfold winner. simpl. rewrite E. simpl. rewrite argmax_last, M. simpl.
now destruct (Rlt_dec z y).
Qed.

(** * A run *)
Section Run.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms first : list A) (variance : R) (T : nat).
Variable x : rewards A.
Hypotheses (variance_positive : 0 < variance) (different : NoDup arms) (some : arms <> []).
Notation state_after := (state_after A arms first).
Notation drawn := (sampled A same arms first variance 1 x).
Notation ended := (sampled_ended A arms first T).
Notation next_arm := (gaussian_thompson A same arms variance x).
Notation samples_at := (normal_samples A same variance x).
Notation between p l w := {| pulled := p; samples := l; waiting := w |}.

Lemma regular_at p : regular A (samples_at p).
Proof. now apply samples_regular. Qed.

Lemma next_sample h p l a w : state_after h = between p l (a :: w) -> forall z, drawn h z = at_ (samples_at p) a z.
Proof. intros At z. unfold sampled. now rewrite At. Qed.

Lemma still_running h p l w : state_after h = between p l w -> (length p < T)%nat -> ended h = false.
Proof. intros At L. unfold sampled_ended. rewrite At. now apply Nat.leb_gt. Qed.

Section Round.
(* After a round with these pulls before it, the arm that is pulled is worth so much. *)
Variables (event : outcomes -> bool) (p : list A) (n : nat) (worth : A -> R).
Hypotheses (more : (length p < T)%nat) (inside : forall a, 0 <= worth a <= 1).
Hypothesis then_ : forall a h, state_after h = between (a :: p) [] arms -> chance_of drawn ended event n h = worth a.

Lemma rest_of_round w : forall a h l b z, state_after h = between p l (a :: w) -> leads b z l ->
  chance_of drawn ended event (length (a :: w) + n) h = kept_worth A (samples_at p) worth b z (a :: w).
Proof.
induction w as [|c w IH]; intros a h l b z At Leads; simpl; rewrite (still_running h p l _ At more); f_equal;
  apply FunctionalExtensionality.functional_extensionality; intros y; rewrite (next_sample h p l a _ At); f_equal.
- rewrite (then_ (winner A a y l)) by (simpl; now rewrite At). rewrite (leader_wins A a b y z l Leads).
  now destruct (Rlt_dec z y).
- assert (Next : state_after (y :: h) = between p ((a, y) :: l) (c :: w)) by (simpl; now rewrite At).
  assert (N := leads_next a b y z l Leads). destruct (Rlt_dec z y); exact (IH c (y :: h) _ _ _ Next N).
Qed.

Lemma whole_round l h : l <> [] -> state_after h = between p [] l ->
  chance_of drawn ended event (length l + n) h = drawn_worth A (samples_at p) worth l.
Proof.
intros N At. destruct l as [|a [|c w]]; [now destruct N| |]; simpl; rewrite (still_running h p [] _ At more); f_equal;
  apply FunctionalExtensionality.functional_extensionality; intros y; rewrite (next_sample h p [] a _ At); f_equal.
- apply then_. simpl. now rewrite At.
- assert (Next : state_after (y :: h) = between p [(a, y)] (c :: w)) by (simpl; now rewrite At).
  exact (rest_of_round w c (y :: h) _ a y Next (leads_alone a y)).
Qed.
End Round.

(* Samples of a round that is not finished pull no arm. *)
Lemma unfinished_round event n : forall h p l w, state_after h = between p l w -> (n < length w)%nat ->
  chance_of drawn ended (fun h => event (pulled A (state_after h))) n h = if event p then 1 else 0.
Proof.
induction n as [|n IH]; intros h p l w At L; [simpl; now rewrite At|].
destruct w as [|a [|b w]]; [simpl in L; lia|simpl in L; lia|]. cbn [chance_of].
destruct (ended h); [now rewrite At|]. set (c := if event p then 1 else 0).
transitivity (integral (fun z => at_ (samples_at p) a z * c)).
- f_equal. apply FunctionalExtensionality.functional_extensionality; intros z. rewrite (next_sample h p l a _ At).
  f_equal. apply (IH _ p ((a, z) :: l) (b :: w)); [simpl; now rewrite At|simpl in *; lia].
- assert (C : 0 <= c) by (unfold c; destruct (event p); lra).
  rewrite (whole_area _ _ _ _ (antiderivative_scaled c _ _ _ _ C (sample_antiderivative A _ (regular_at p) a))). ring.
Qed.

(* Between two rounds, with k whole rounds to come: the samples that are drawn pull as the law of the next arm does. *)
Theorem drawn_pulls event k : forall m h p, state_after h = between p [] arms -> (length p + k <= T)%nat ->
  (m < length arms)%nat \/ (length p + k = T)%nat ->
  chance_of drawn ended (fun h => event (pulled A (state_after h))) (length arms * k + m) h =
    chance A arms next_arm k p event.
Proof.
assert (Inside : forall k h, 0 <= chance A arms next_arm k h event <= 1).
{ intros j h. apply law_inside.
  - intros g a I. left. now apply (largest_positive A same _ arms (regular_at g) different).
  - intros g. now apply (largest_whole A same _ arms (regular_at g) different). }
induction k as [|k IH]; intros m h p At L E.
- rewrite Nat.mul_0_r. simpl. destruct E as [E|E]; [now apply (unfinished_round event m h p [] arms)|].
  assert (D : ended h = true) by (unfold sampled_ended; rewrite At; simpl; apply Nat.leb_le; lia).
  destruct m; simpl; rewrite ?D, At; reflexivity.
- replace (length arms * S k + m)%nat with (length arms + (length arms * k + m))%nat by lia.
  assert (Round : chance_of drawn ended (fun h => event (pulled A (state_after h))) (length arms + (length arms * k + m)) h
    = drawn_worth A (samples_at p) (fun a => chance A arms next_arm k (a :: p) event) arms).
  { apply (whole_round _ p _ (fun a => chance A arms next_arm k (a :: p) event)); [lia| |exact some|exact At].
    intros a g G. apply IH; simpl; [exact G|lia|lia]. }
  rewrite Round, (drawn_worth_is A same); [|apply regular_at|intros; apply Inside|exact different].
  simpl. apply sum_eq. intros a _. apply Rmult_comm.
Qed.
End Run.

(** * Privacy of samples that are drawn *)
Section Private.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms first : list A) (variance : R) (T : nat).
Hypotheses (variance_positive : 0 < variance) (different : NoDup arms) (some : arms <> []).
Hypothesis short : (length first <= T)%nat.
Notation next_arm := (gaussian_thompson A same arms variance).

(* However many samples are drawn: so many rounds are whole, and their pulls have the defined law. *)
Theorem any_draws draws : exists k, (k <= T - length first)%nat /\ forall x event,
  pulls_chance A same arms first variance 1 T x event draws =
    chance A arms (next_arm x) k first (fun p => event (rev p)).
Proof.
assert (K : length arms <> 0%nat) by (destruct arms; [now destruct some|discriminate]).
assert (Start : forall k m, draws = (length arms * k + m)%nat -> (length first + k <= T)%nat ->
  (m < length arms)%nat \/ (length first + k = T)%nat -> forall x event,
  pulls_chance A same arms first variance 1 T x event draws =
    chance A arms (next_arm x) k first (fun p => event (rev p))).
{ intros k m -> L E x event. unfold pulls_chance, samples_chance, released_pulls.
  now apply (drawn_pulls A same arms first variance T x variance_positive different some (fun p => event (rev p))). }
destruct (Nat.le_gt_cases (draws / length arms) (T - length first)) as [L|G].
- exists (draws / length arms)%nat. split; [exact L|]. apply (Start _ (draws mod length arms)); [|lia|left].
  + now apply Nat.div_mod.
  + now apply Nat.mod_upper_bound.
- exists (T - length first)%nat. split; [lia|]. apply (Start _ (draws - length arms * (T - length first))%nat); [|lia|right; lia].
  assert (length arms * (T - length first) <= draws)%nat; [|lia].
  apply Nat.le_trans with (length arms * (draws / length arms))%nat; [apply Nat.mul_le_mono_l; lia|].
  now apply Nat.mul_div_le.
Qed.

(* All rounds of a run. *)
Corollary all_rounds_drawn x event more :
  pulls_chance A same arms first variance 1 T x event (length arms * (T - length first) + more) =
    chance A arms (next_arm x) (T - length first) first (fun p => event (rev p)).
Proof.
unfold pulls_chance, samples_chance, released_pulls.
apply (drawn_pulls A same arms first variance T x variance_positive different some (fun p => event (rev p)));
  [reflexivity|lia|right; lia].
Qed.

Theorem drawn_private r kept eps delta : private_after same arms next_arm r eps delta T kept first ->
  pulls_private same arms first variance T r kept eps delta.
Proof.
intros P x y event draws near X Y. destruct (any_draws draws) as (k & K & E). rewrite !E.
assert (Whole : forall z h, sum (next_arm z h) arms = 1).
{ intros z h. apply (largest_whole A same); [now apply samples_regular|exact different|exact some]. }
assert (Fewer := fun z => law_of_fewer A arms (next_arm z) (Whole z) (fun p : releases A => event (rev p)) (T - length first - k) k first).
replace (k + (T - length first - k))%nat with (T - length first)%nat in Fewer by lia.
rewrite <- (Fewer (heard kept first x)), <- (Fewer (heard kept first y)). now apply P.
Qed.
End Private.

(** * Two arms *)
Notation gaussian_two := (gaussian_thompson bool bool_dec both_arms).

(* The integral of one arm's density times the probability that the other sample is smaller. *)
Lemma first_is_larger m s m' s' : 0 < s -> 0 < s' ->
  integral (fun u => normal_density s m u * Phi ((u - m') / s')) = Phi ((m - m') / sqrt (s * s + s' * s')).
Proof.
intros S S'. set (a := (m - m') / s'). set (b := s / s').
assert (W0 := width_positive b). assert (W : width b * s' = sqrt (s * s + s' * s')).
{ symmetry. apply sqrt_lem_1; [nra|apply Rmult_le_pos; lra|].
  replace (width b * s' * (width b * s')) with (width b * width b * (s' * s')) by ring.
  rewrite width_squared. unfold b. field; lra. }
replace ((m - m') / sqrt (s * s + s' * s')) with (a / width b) by (rewrite <- W; unfold a; field; lra).
rewrite <- (integral_continuous (below_line b a) (Phi (a / width b)) (below_line_continuous b a)
  (below_line_positive b a) (part_limit b a)), <- (integral_moved (below_line b a) m s S).
f_equal. apply FunctionalExtensionality.functional_extensionality; intros u. unfold below_line, normal_density.
replace (a + b * ((u - m) / s)) with ((u - m') / s') by (unfold a, b; field; lra). unfold Rdiv; ring.
Qed.

Lemma two_arms_law variance x h a : 0 < variance -> gaussian_two variance x h a = thompson variance x h a.
Proof.
intros V. set (s := normal_samples bool bool_dec variance x h).
assert (good : regular bool s) by now apply samples_regular.
assert (different : NoDup both_arms) by (repeat constructor; simpl; intuition discriminate).
assert (I : In a both_arms) by (destruct a; simpl; auto).
assert (D := fun a => spread_positive bool bool_dec variance V a h).
change (largest bool bool_dec s both_arms a = thompson variance x h a).
rewrite <- (integral_continuous _ _ (winner_continuous bool bool_dec s good both_arms a)
  (fun u => Rlt_le _ _ (winner_positive bool bool_dec s good both_arms a u))
  (largest_limit bool bool_dec s both_arms good different a I)).
transitivity (integral (fun u => normal_density (spread bool bool_dec variance a h) (mean bool bool_dec x a h) u *
  Phi ((u - mean bool bool_dec x (negb a) h) / spread bool bool_dec variance (negb a) h))).
- f_equal. apply FunctionalExtensionality.functional_extensionality; intros u. unfold normal_density.
  destruct a; unfold largest.winner; simpl; ring.
- rewrite first_is_larger by apply D. unfold thompson, deviation. do 2 f_equal. f_equal.
  assert (Sq : forall a, spread bool bool_dec variance a h * spread bool bool_dec variance a h =
    variance / (INR (pulls bool bool_dec a h) + 1)).
  { intros c. apply sqrt_sqrt. left. apply Rdiv_lt_0_compat; [exact V|]. generalize (pos_INR (pulls bool bool_dec c h)); lra. }
  rewrite !Sq. destruct a; simpl; ring.
Qed.

(* A run that draws the samples pulls each arm with the probability Phi(gap/deviation). *)
Theorem two_arms_drawn variance x first T event more : 0 < variance -> (length first <= T)%nat ->
  pulls_chance bool bool_dec both_arms first variance 1 T x event (2 * (T - length first) + more) =
    chance bool both_arms (thompson variance x) (T - length first) first (fun p => event (rev p)).
Proof.
intros V L. rewrite (all_rounds_drawn bool bool_dec both_arms first variance T V); try assumption.
- apply same_law. intros h a _. now apply two_arms_law.
- repeat constructor; simpl; intuition discriminate.
- discriminate.
Qed.

Theorem two_arms_drawn_private variance first r eps delta T kept : 0 < variance -> (length first <= T)%nat ->
  private_after bool_dec both_arms (thompson variance) r eps delta T kept first ->
  pulls_private bool_dec both_arms first variance T r kept eps delta.
Proof.
intros V L P. apply (drawn_private bool bool_dec both_arms first variance T V); try assumption.
- repeat constructor; simpl; intuition discriminate.
- discriminate.
- intros x y near X Y event. assert (Same := fun z => same_law bool both_arms (gaussian_two variance z) (thompson variance z)
    event (T - length first) (fun h a _ => two_arms_law variance z h a V) first).
  rewrite !Same. now apply P.
Qed.

(** * Prices that pay for every coin *)
Theorem any_arms_close A same (arms : list A) variance r eps delta T c c' : 0 < variance -> 0 < delta -> NoDup arms ->
  (2 <= length arms)%nat -> (forall a, In a arms) ->
  enough (shifted variance anywhere) eps delta T true c -> enough (shifted variance anywhere) eps delta T false c' ->
  pulls_private same arms [] variance T r true eps delta.
Proof.
intros V D different two all C C'. apply drawn_private; [exact V|exact different| |apply le_0_n|].
- intros E. rewrite E in two. simpl in two. lia.
- apply (any_arms_potential A same arms variance V different two r eps delta T 0 true [] c c' D all);
    [split; [apply le_0_n|reflexivity]| |]; now apply enough_without.
Qed.

Theorem two_arms_close variance r eps delta T c c' : 0 < variance -> 0 < delta ->
  enough (shifted variance (within variance)) eps delta T true c ->
  enough (shifted variance (within variance)) eps delta T false c' ->
  pulls_private bool_dec both_arms [] variance T r true eps delta.
Proof.
intros V D C C'. apply two_arms_drawn_private; [exact V|apply le_0_n|].
apply (two_arms_potential variance r eps delta T 0 true [] c c' D); [split; [apply le_0_n|reflexivity]| |];
  apply enough_without, (enough_for_fewer (shifted variance (within variance))); try assumption;
  intros n p q; now apply round_coin_shifted.
Qed.

(* What an instance says, from samples that are drawn in turn: T rounds, either relation; two arms, or any finite number
   of them, two at least. *)
Definition thompson_private (variance eps delta : R) (T : nat) :=
  forall r, pulls_private bool_dec both_arms [] variance T r true eps delta.
Definition any_arms_private (variance eps delta : R) (T : nat) :=
  forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
  NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) ->
  forall r, pulls_private same arms [] variance T r true eps delta.
