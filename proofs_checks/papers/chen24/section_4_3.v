(* chen24, Section 4.3: early stopping, and what it keeps (Lemma 4.3, Corollary 4.4); Lemma 4.5 with its
   exact factor. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Dpbandits Require Import inequalities policies satisfiable.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma sum_option (R : ringType) (A : finType) (F : option A -> R) :
  \sum_b F b = F None + \sum_a F (Some a).
Proof.
rewrite (bigD1 None) //=; congr (_ + _).
rewrite (reindex_omap Some id) /=; last by case.
by apply: eq_bigl => a; rewrite eqxx.
Qed.

Section EarlyStopping.
Variables (R : realFieldType) (A : finType) (X : Type) (nothing : X).
Variables (T n : nat) (iota : A).
Notation with_0 := [the finType of option A : Type]. (* None is the auxiliary arm 0 *)

(* (18): stopped once arm iota was pulled n times; the recommendation is arm 0 where arm 0 was pulled. *)
Definition stopped (z : seq with_0) : bool :=
  if (size z < T)%N then (n <= count_mem (Some iota) z)%N else None \in z.

Definition real (h : history with_0 X) : history A X :=
  pmap (fun pull => omap (fun a => (a, pull.2)) pull.1) h.
Definition lifted (h : history A X) : history with_0 X := [seq (Some pull.1, pull.2) | pull <- h].

(* ES(pi, n, iota). *)
Definition early_stopping (pi : policy R A X) : policy R with_0 X := fun h b =>
  if stopped (released h) then (b == None)%:R else if b is Some a then pi (real h) a else 0.

(* Arm 0 pays nothing, the others pay what they pay. *)
Definition with_arm_0 (pays : rewards R A X) : rewards R with_0 X := fun h b f =>
  if b is Some a then pays (real h) a f else f nothing.

Lemma real_lifted h : real (lifted h) = h.
Proof. by elim: h => // [[a x] h IH] /=; rewrite -[in RHS]IH. Qed.

Lemma released_lifted h : released (lifted h) = map Some (released h).
Proof. by rewrite /released -!map_comp. Qed.

Lemma lifted_rcons h a x : rcons (lifted h) (Some a, x) = lifted (rcons h (a, x)).
Proof. by rewrite /lifted map_rcons. Qed.

Lemma with_arm_0_extensional pays : extensional pays -> extensional (with_arm_0 pays).
Proof. by move=> ext h [a|] f g fg /=; [apply: ext | apply: fg]. Qed.

(* One step of ES before it has stopped is one of pi. *)
Lemma step_running pi pays k h f : extensional pays -> ~~ stopped (released (lifted h)) ->
  expected (early_stopping pi) (with_arm_0 pays) k.+1 (lifted h) f =
  \sum_a pi h a * pays h a (fun x =>
    expected (early_stopping pi) (with_arm_0 pays) k (lifted (rcons h (a, x))) (fun z => f (Some a :: z))).
Proof.
move=> ext /negbTE running; rewrite /= sum_option /early_stopping running mul0r add0r.
apply: eq_bigr => a _; rewrite {1}/with_arm_0 real_lifted; congr (_ * _).
by apply: ext => x; rewrite lifted_rcons.
Qed.

(** Lemma 4.3 *)
Section Lemma43.
Variables (pi : policy R A X) (pays : rewards R A X).
Hypotheses (ext : extensional pays) (zero : null pays).

(* {the recommendation is in S} and {N_{iota,T} < n}: of T pulls and a recommendation, by ES and by pi. *)
Definition few (S : pred A) (z : seq with_0) : bool :=
  (count_mem (Some iota) (take T z) < n)%N && (if last None z is Some a then S a else false).
Definition few_of_pi (S : pred A) (z : seq A) : bool :=
  (count_mem iota (take T z) < n)%N && (if z is a :: z' then S (last a z') else false).

Lemma few_lifted S z : few S (map Some z) = few_of_pi S z.
Proof.
rewrite /few /few_of_pi -map_take count_map; congr ((_ < n)%N && _).
by case: z => //= a z; rewrite last_map.
Qed.

Lemma few_stopped S h z : stopped (map Some h) -> few S (map Some h ++ z) = false.
Proof.
rewrite /stopped /few; have -> : None \in [seq Some a | a <- h] = false by apply/negP => /mapP [].
case: ltnP => // small many; have -> s : take T (map Some h ++ s) = map Some h ++ take (T - size (map Some h)) s.
  by rewrite take_cat ltnNge (ltnW small).
by rewrite count_cat ltnNge (leq_trans many (leq_addr _ _)).
Qed.

Lemma stopped_null S k h : stopped (released (lifted h)) ->
  expected (early_stopping pi) (with_arm_0 pays) k.+1 (lifted h)
    (fun z => (few S (released (lifted h) ++ z))%:R) = 0 /\
  expected pi pays k.+1 h (fun z => (few S (released (lifted h) ++ map Some z))%:R) = 0.
Proof.
rewrite released_lifted => stop; split; apply: expected_null => //.
- by move=> past [a|] /=; [apply: zero |].
- exact: with_arm_0_extensional.
- by move=> z _; rewrite few_stopped.
- by move=> z _; rewrite few_stopped.
Qed.

Lemma expected_early_stopping S k h : 
  expected (early_stopping pi) (with_arm_0 pays) k (lifted h)
    (fun z => (few S (released (lifted h) ++ z))%:R) =
  expected pi pays k h (fun z => (few S (released (lifted h) ++ map Some z))%:R).
Proof.
elim: k h => [|k IH] h //.
have [stop|running] := boolP (stopped (released (lifted h))).
  by have [-> ->] := stopped_null S k stop.
rewrite step_running //=; apply: eq_bigr => a _; congr (_ * _); apply: ext => x.
have E z : few S (released (lifted h) ++ Some a :: z) = few S (released (lifted (rcons h (a, x))) ++ z).
  by rewrite !released_lifted /released map_rcons map_rcons cat_rcons.
transitivity (expected (early_stopping pi) (with_arm_0 pays) k (lifted (rcons h (a, x)))
  (fun z => (few S (released (lifted (rcons h (a, x))) ++ z))%:R)).
  by apply: expected_eq => [|z _]; [apply: with_arm_0_extensional | rewrite E].
by rewrite IH; apply: expected_eq => // z _; rewrite /= E.
Qed.

Theorem lemma_4_3 S :
  chance pi pays T.+1 (few_of_pi S) = chance (early_stopping pi) (with_arm_0 pays) T.+1 (few S).
Proof.
rewrite /chance -[[::] in RHS]/(lifted [::]) (expected_early_stopping S T.+1 [::]).
by apply: expected_eq => // z _; rewrite /= few_lifted.
Qed.
End Lemma43.

(** Corollary 4.4 *)
Section Corollary44.
Variables (pi : policy R A X).
Hypothesis one : whole pi.

(* What ES releases where pi releases z. *)
Fixpoint stopping (past : seq with_0) (z : seq A) : seq with_0 :=
  if z is a :: z' then let b := if stopped past then None else Some a in b :: stopping (rcons past b) z' else [::].

Lemma stopped_stays z : stopped z -> stopped (rcons z None).
Proof.
rewrite /stopped size_rcons -cats1 count_cat mem_cat mem_head orbT /= !addn0.
case: ltnP => [_ many|big _]; case: ifP => // small.
by move: (ltnW small); rewrite ltnNge big.
Qed.

Lemma stopping_stopped past z : stopped past -> stopping past z = nseq (size z) None.
Proof.
by elim: z past => // a z IH past stop /=; rewrite stop IH // stopped_stays.
Qed.

Lemma expected_stopped shown k h f : stopped (released h) ->
  expected (early_stopping pi) (with_arm_0 (paid shown)) k h f = f (nseq k None).
Proof.
elim: k h f => [|k IH] h f stop //=; rewrite sum_option big1 ?addr0.
  rewrite /early_stopping stop eqxx mul1r /= IH //.
  by rewrite /released map_rcons stopped_stays.
by move=> a _; rewrite /early_stopping stop mul0r.
Qed.

Lemma post_processing shown k h f :
  expected (early_stopping pi) (with_arm_0 (paid shown)) k (lifted h) f =
  expected pi (paid shown) k h (fun z => f (stopping (released (lifted h)) z)).
Proof.
have ext := @paid_extensional R A X shown.
elim: k h f => [|k IH] h f //.
have [stop|running] := boolP (stopped (released (lifted h))).
  rewrite expected_stopped // -[LHS](expected_constant shown one k.+1 h).
  by apply: expected_eq => // z <-; rewrite stopping_stopped.
rewrite step_running //=; apply: eq_bigr => a _; congr (_ * _); rewrite /paid IH.
apply: expected_eq => // z _; rewrite (negbTE running).
by rewrite !released_lifted /released map_rcons map_rcons.
Qed.

Theorem corollary_4_4 (e : R) : private e pi T.+1 -> forall x y, one_entry x y -> forall event,
  chance (early_stopping pi) (with_arm_0 (paid (by_pull x))) T.+1 event <=
  e * chance (early_stopping pi) (with_arm_0 (paid (by_pull y))) T.+1 event.
Proof.
move=> dp x y xy event; rewrite /chance -[[::]]/(lifted [::]) !post_processing.
exact: dp xy (fun z => event (stopping [::] z)).
Qed.

(* ES reads no reward of arm iota beyond the n-th: its inputs are the tables of X^(n, iota). *)
Theorem reads_n_rewards (x y : table A X) : (forall a m, (a != iota) || (m < n)%N -> x a m = y a m) ->
  forall event, chance (early_stopping pi) (with_arm_0 (paid (by_pull x))) T.+1 event =
                chance (early_stopping pi) (with_arm_0 (paid (by_pull y))) T.+1 event.
Proof.
move=> xy event; rewrite /chance -[[::]]/(lifted [::]).
move: (fun z => _) => f; have : (size (Nil (A * X)) + T.+1 = T.+1)%N by [].
elim: {1 3 4}T.+1 [::] f => [|k IH] h f sz //.
have [stop|running] := boolP (stopped (released (lifted h))); first by rewrite !expected_stopped.
rewrite !(step_running _ _ _ (@paid_extensional _ _ _ _) running).
apply: eq_bigr => a _; congr (_ * _); rewrite /paid.
case: k IH sz => [|k] IH sz //.
have small : (size h < T)%N by move: sz; rewrite !addnS => [[<-]]; rewrite ltnS leq_addr.
have -> : by_pull x h a = by_pull y h a.
  apply: xy; have [->|//] := eqVneq a iota; move: running.
  rewrite /stopped released_lifted size_map /released size_map small count_map -ltnNge.
  by [].
by apply: IH; rewrite size_rcons addSnnS.
Qed.
End Corollary44.
End EarlyStopping.

(** Lemma 4.5, with its exact factor: one reward of arm iota after the other. *)
Section Coordinate.
Variables (R : realFieldType) (X : finType) (e : R) (v w : X -> R).
Hypotheses (v0 : forall x, 0 <= v x) (w0 : forall x, 0 <= w x).
Hypotheses (v1 : \sum_x v x = 1) (w1 : \sum_x w x = 1) (e1 : 1 <= e).

(* The largest difference of probabilities. *)
Definition total_variation := \sum_x Num.max (v x - w x) 0.

Lemma total_variation_ge0 : 0 <= total_variation.
Proof. by apply: sumr_ge0 => x _; apply: max_ge0. Qed.

Lemma total_variation_sym : total_variation = \sum_x Num.max (w x - v x) 0.
Proof.
apply/eqP; rewrite -subr_eq0 /total_variation -sumrB.
have E x : Num.max (v x - w x) 0 - Num.max (w x - v x) 0 = v x - w x.
  rewrite -[w x - v x]opprB; case: (lerP (v x - w x) 0) => [neg|pos].
    by rewrite max_l ?oppr_ge0 // sub0r opprK.
  by rewrite max_r ?subr0 // oppr_le0 ltW.
by under eq_bigr do rewrite E; rewrite sumrB v1 w1 subrr.
Qed.

Lemma positive_parts x : v x - w x = Num.max (v x - w x) 0 - Num.max (w x - v x) 0.
Proof.
rewrite -[w x - v x]opprB; case: (lerP (v x - w x) 0) => [neg|pos].
  by rewrite max_l ?oppr_ge0 // sub0r opprK.
by rewrite max_r ?subr0 // oppr_le0 ltW.
Qed.

(* One coordinate: where g varies by a factor e at most, its expectations do by 1 + TV (e - 1). *)
Lemma one_coordinate g : (forall x, 0 <= g x) -> (forall x y, g x <= e * g y) ->
  \sum_x v x * g x <= (1 + total_variation * (e - 1)) * \sum_x w x * g x.
Proof.
move=> g0 ge; have [x0 _|none] := pickP (fun _ : X => true); last first.
  by move: v1; rewrite big_pred0 // => /eqP; rewrite eq_sym oner_eq0.
have [m _ least] := @arg_minP _ _ _ x0 predT g isT.
have mean : g m <= \sum_x w x * g x.
  rewrite -[leLHS]mul1r -w1 mulr_suml.
  by apply: ler_sum => x _; apply: times_le; rewrite ?least.
rewrite mulrDl mul1r -minus_le -sumrB.
apply: (@le_trans _ _ (total_variation * (e - 1) * g m)); last first.
  by apply: times_le => //; rewrite mulr_ge0 ?total_variation_ge0 ?subr_ge0.
rewrite -mulrA mulrBl mul1r mulrBr {2}total_variation_sym {1}/total_variation !mulr_suml -!sumrB.
apply: ler_sum => x _; rewrite -mulrBl {1}positive_parts mulrBl; apply: minus_le_minus.
  by apply: times_le; rewrite ?ge // max_ge0.
by apply: times_le; rewrite ?least // max_ge0.
Qed.
End Coordinate.

(* Rewards that are drawn when they are paid, and a table that is drawn before, entry by entry of a list. *)
Section Drawn.
Variables (R : realFieldType) (A : finType) (X : finType) (nothing : X).
Variables (T n : nat) (iota : A).

Definition drawn (v : A -> X -> R) : rewards R A X := fun past a f => \sum_x v a x * f x.
Definition put (x : table A X) (entry : A * nat) (y : X) : table A X :=
  fun a m => if (a, m) == entry then y else x a m.
Fixpoint over (v : A -> X -> R) (entries : seq (A * nat)) (G : table A X -> R) (x : table A X) : R :=
  if entries is entry :: rest then \sum_y v entry.1 y * over v rest G (put x entry y) else G x.

Definition same (x y : table A X) := forall a m, x a m = y a m.
Definition respects (G : table A X -> R) := forall x y, same x y -> G x = G y.
Definition law_of (v : A -> X -> R) := (forall a x, 0 <= v a x) /\ (forall a, \sum_x v a x = 1).

Section One.
Variable v : A -> X -> R.
Hypothesis law : law_of v.

Lemma over_respects entries G : respects G -> respects (over v entries G).
Proof.
move=> ext; elim: entries => [|entry rest IH] x y xy /=; first exact: ext.
apply: eq_bigr => z _; congr (_ * _); apply: IH => a m; rewrite /put; case: ifP => // _; exact: xy.
Qed.

Lemma over_sum entries I (r : seq I) (c : I -> R) (G : I -> table A X -> R) x :
  over v entries (fun x => \sum_(i <- r) c i * G i x) x = \sum_(i <- r) c i * over v entries (G i) x.
Proof.
elim: entries x => [|entry rest IH] x //=.
under eq_bigr do rewrite IH mulr_sumr; rewrite exchange_big; apply: eq_bigr => i _.
by rewrite mulr_sumr; apply: eq_bigr => y _; rewrite mulrCA.
Qed.

Lemma over_eq entries G G' x : (forall y, (forall a m, (a, m) \notin entries -> y a m = x a m) -> G y = G' y) ->
  over v entries G x = over v entries G' x.
Proof.
elim: entries x => [|entry rest IH] x eq /=; first exact: eq.
apply: eq_bigr => y _; congr (_ * _); apply: IH => z outside; apply: eq => a m.
rewrite inE negb_or => /andP [other rest_]; rewrite outside // /put.
by rewrite (negbTE other).
Qed.

Lemma over_constant entries c x : over v entries (fun=> c) x = c.
Proof.
elim: entries x => [|entry rest IH] x //=.
by under eq_bigr do rewrite IH; rewrite -mulr_suml (proj2 law) mul1r.
Qed.

Lemma over_ignored entries G x : (forall y, (forall a m, (a, m) \notin entries -> y a m = x a m) -> G y = G x) ->
  over v entries G x = G x.
Proof. by move=> alike; rewrite -[RHS](over_constant entries _ x); apply: over_eq. Qed.

Lemma over_rem entries entry G x : respects G -> uniq entries -> entry \in entries ->
  over v entries G x = \sum_y v entry.1 y * over v (rem entry entries) G (put x entry y).
Proof.
move=> ext; elim: entries x => [|first rest IH] x //= /andP [new once].
rewrite inE [first == entry]eq_sym; have [->|other] := eqVneq entry first => //= inside.
under eq_bigr do rewrite (IH _ once inside) mulr_sumr.
rewrite exchange_big; apply: eq_bigr => y _; rewrite mulr_sumr; apply: eq_bigr => z _.
rewrite mulrCA; congr (_ * (_ * _)); apply: over_respects ext _ _ _ => a m; rewrite /put.
by have [->|//] := eqVneq (a, m) entry; rewrite (negbTE other).
Qed.

Lemma over_le entries G G' x : (forall y, G y <= G' y) -> over v entries G x <= over v entries G' x.
Proof.
move=> le; elim: entries x => [|entry rest IH] x //=; apply: ler_sum => y _.
by apply: times_le; [apply: (proj1 law)|].
Qed.

Lemma over_scale entries c G x : over v entries (fun x => c * G x) x = c * over v entries G x.
Proof.
elim: entries x => [|entry rest IH] x //=; rewrite mulr_sumr.
by apply: eq_bigr => y _; rewrite IH mulrCA.
Qed.

Lemma over_ge0 entries G x : (forall y, 0 <= G y) -> 0 <= over v entries G x.
Proof.
move=> ge; elim: entries x => [|entry rest IH] x //=; apply: sumr_ge0 => y _.
by rewrite mulr_ge0 ?(proj1 law).
Qed.
End One.

(* A policy that also has arm 0: to draw when it pulls, or all of the table before, is the same. *)
Notation with_0 := [the finType of option A : Type].
Variable P : policy R with_0 X.

Definition by_table (x : table A X) : rewards R with_0 X := with_arm_0 nothing (paid (by_pull x)).

Lemma real_rcons h b y : real (rcons h (b, y)) = if b is Some a then rcons (real h) (a, y) else @real A X h.
Proof. by rewrite /real -cats1 pmap_cat /=; case: b => [a|] /=; rewrite ?cats1 ?cats0. Qed.

Lemma expected_respects k h f : respects (fun x => expected P (by_table x) k h f).
Proof.
elim: k h f => [|k IH] h f x y xy //=; apply: eq_bigr => b _; congr (_ * _).
by case: b => [a|]; rewrite /by_table /with_arm_0 /paid /by_pull ?xy; apply: IH.
Qed.

Definition enough (entries : seq (A * nat)) (h : history with_0 X) (k : nat) := forall a m,
  (count_mem a (released (real h)) <= m < count_mem a (released (real h)) + k)%N -> (a, m) \in entries.

Theorem drawn_before v : law_of v -> forall k entries h f x, uniq entries -> enough entries h k ->
  over v entries (fun x => expected P (by_table x) k h f) x = expected P (with_arm_0 nothing (drawn v)) k h f.
Proof.
move=> law; elim=> [|k IH] entries h f x once all; first by rewrite over_ignored.
rewrite /= over_sum; apply: eq_bigr => -[a|] _; congr (_ * _); last first.
  apply: (IH entries (rcons h (None, nothing)) (fun z => f (None :: z)) x once) => a m.
  by rewrite real_rcons => /andP [low high]; apply: all; rewrite low addnS ltnS ltnW.
transitivity (\sum_y v a y *
  expected P (with_arm_0 nothing (drawn v)) k (rcons h (Some a, y)) (fun z => f (Some a :: z))); last by [].
set c := count_mem a (released (real h)); have entry : (a, c) \in entries.
  by apply: all; rewrite leqnn addnS ltnS leq_addr.
rewrite (over_rem v _ _ once entry) /=; last first.
  by move=> y z yz; rewrite /by_table /with_arm_0 /paid /by_pull yz; apply: expected_respects.
apply: eq_bigr => y _; congr (_ * _).
rewrite -(IH (rem (a, c) entries) (rcons h (Some a, y)) _ (put x (a, c) y)) ?rem_uniq //.
  apply: over_eq => z outside; rewrite /by_table /with_arm_0 /paid /by_pull -/c.
  by rewrite outside ?mem_rem_uniq ?inE ?eqxx // /put eqxx.
move=> b m; rewrite real_rcons /released map_rcons -cats1 count_cat /= addn0 -/(released _) => /andP [low high].
rewrite mem_rem_uniq // inE; apply/andP; split.
  apply/eqP => -[ba mc]; subst b m; move: low; rewrite eqxx addn1 -/c ltnn. done.
apply: all; apply/andP; split; first exact: leq_trans (leq_addr _ _) low.
apply: leq_trans high _; rewrite -addnA leq_add2l.
by case: (_ == _); rewrite ?add0n ?add1n ?leqnSn.
Qed.
End Drawn.

(** Lemma 4.5 *)
Section Lemma45.
Variables (R : realFieldType) (A : finType) (X : finType) (nothing : X).
Variables (T n : nat) (iota : A) (pi : policy R A X) (e : R) (v w : A -> X -> R).
Hypotheses (pi0 : positive pi) (one : whole pi) (e1 : 1 <= e).
Hypotheses (lawv : law_of v) (laww : law_of w) (others_same : forall a, a != iota -> v a = w a).

Notation ES := (early_stopping T n iota pi).
Notation chance_of x event := (chance ES (by_table nothing x) T.+1 event).
(* M = ES(pi, n, iota) satisfies the eps-DP constraint, e = exp(eps). *)
Hypothesis private_ES : forall x y, one_entry x y -> forall event, chance_of x event <= e * chance_of y event.

Variable event : pred (seq [the finType of option A : Type]).
Let G (x : table A X) := chance_of x event.

Lemma expected_ge0 x k h f : (forall z, 0 <= f z) -> 0 <= expected ES (by_table nothing x) k h f.
Proof.
elim: k h f => [|k IH] h f f0 /=; first exact: f0.
apply: sumr_ge0 => b _; apply: mulr_ge0.
  by rewrite /early_stopping; case: ifP => _; [apply: ler0n | case: b].
by case: b => [a|]; rewrite /by_table /with_arm_0 /paid; apply: IH => z; apply: f0.
Qed.

Lemma chance_ge0 x : 0 <= G x.
Proof. by apply: expected_ge0 => z; apply: ler0n. Qed.

Lemma over_one_entry entries x y : one_entry x y -> over w entries G x <= e * over w entries G y.
Proof.
elim: entries x y => [|entry rest IH] x y xy /=; first exact: private_ES.
rewrite mulr_sumr; apply: ler_sum => z _; rewrite mulrCA; apply: times_le; first exact: (proj1 laww).
by apply: IH; case: xy => i [m xy]; exists i, m => a k other; rewrite /put; case: ifP => // _; apply: xy.
Qed.

Let factor := 1 + total_variation (v iota) (w iota) * (e - 1).

Lemma factor_ge0 : 0 <= factor.
Proof. by rewrite addr_ge0 ?ler01 // mulr_ge0 ?total_variation_ge0 ?subr_ge0. Qed.

(* Each reward of arm iota costs a factor. *)
Lemma over_rewards places x : over v [seq (iota, m) | m <- places] G x <=
  factor ^+ size places * over w [seq (iota, m) | m <- places] G x.
Proof.
elim: places x => [|m places IH] x /=; first by rewrite expr0 mul1r.
set rest := map _ places in IH *.
apply: (@le_trans _ _ (\sum_y v iota y * (factor ^+ size places * over w rest G (put x (iota, m) y)))).
  by apply: ler_sum => y _; apply: times_le; [apply: (proj1 lawv) | apply: IH].
under eq_bigr do rewrite mulrCA; rewrite -mulr_sumr exprSr -mulrA.
apply: times_le; first by rewrite exprn_ge0 ?factor_ge0.
apply: one_coordinate => //; try (by move=> y; apply: (proj1 lawv) || apply: (proj1 laww)).
- exact: (proj2 lawv).
- exact: (proj2 laww).
- by move=> y; apply: over_ge0 => // z; apply: chance_ge0.
- move=> y z; apply: over_one_entry; exists iota, m => a k other; rewrite /put.
  by rewrite (negbTE other).
Qed.

Definition agree (x y : table A X) := forall a m, (a != iota) || (m < n)%N -> x a m = y a m.

Lemma over_agree entries x y : agree x y -> over w entries G x = over w entries G y.
Proof.
elim: entries x y => [|entry rest IH] x y xy /=; first exact: reads_n_rewards.
apply: eq_bigr => z _; congr (_ * _); apply: IH => a m few_; rewrite /put.
by case: ifP => // _; apply: xy.
Qed.

Lemma over_cat u entries entries' x : over u (entries ++ entries') G x = over u entries (over u entries' G) x.
Proof. by elim: entries x => [|entry rest IH] x //=; apply: eq_bigr => y _; rewrite IH. Qed.

Lemma over_others entries H x : (forall entry, entry \in entries -> entry.1 != iota) ->
  over v entries H x = over w entries H x.
Proof.
elim: entries x => [|entry rest IH] x other //=; rewrite others_same ?other ?mem_head //.
apply: eq_bigr => y _; congr (_ * _); apply: IH => each inside; apply: other.
by rewrite inE inside orbT.
Qed.

Let others := [seq (a, m) | a <- rem iota (enum A), m <- seq.iota 0 T.+1].
Let late := [seq (iota, m) | m <- seq.iota n (T.+1 - n)].
Let read := [seq (iota, m) | m <- seq.iota 0 n].

Lemma other_arm entry : entry \in others -> entry.1 != iota.
Proof.
case/allpairsP => -[a m] [/= inside _ ->]; move: inside.
by rewrite mem_rem_uniq ?enum_uniq // inE => /andP [].
Qed.

Lemma entries_once : uniq (others ++ late ++ read).
Proof.
have once places : uniq places -> uniq [seq (iota, m) | m <- places] by move=> u; rewrite map_inj_uniq // => x y [].
rewrite !cat_uniq !once ?iota_uniq // andbT allpairs_uniq ?rem_uniq ?enum_uniq ?iota_uniq //=; last first.
  by move=> [? ?] [? ?] _ _ [-> ->].
apply/andP; split; apply/hasPn => entry.
  rewrite mem_cat => inside; apply: contraTN inside => /other_arm far.
  by apply/negP => /orP [] /mapP [m _ it]; rewrite it eqxx in far.
case/mapP => m; rewrite mem_iota => /andP [_ small] ->; apply/negP => /mapP [k].
by rewrite mem_iota => /andP [big _] [mk]; rewrite mk add0n ltnNge big in small.
Qed.

Lemma entries_enough : enough (others ++ late ++ read) ([::] : history [the finType of option A : Type] X) T.+1.
Proof.
move=> a m; rewrite /= add0n => small; rewrite !mem_cat; have [->|other] := eqVneq a iota.
  apply/orP; right; have [few_|many] := ltnP m n; apply/orP; [right|left]; apply/mapP; exists m => //.
    by rewrite mem_iota.
  by rewrite mem_iota many /= subnKC // (leq_trans many) // ltnW.
apply/orP; left; apply/allpairsP; exists (a, m); split; last by [].
  by rewrite mem_rem_uniq ?enum_uniq // inE /= other mem_enum.
by rewrite mem_iota.
Qed.

Lemma instance_chance u : law_of u ->
  over u others (over u late (over u read G)) (fun _ _ => nothing) =
  chance ES (with_arm_0 nothing (drawn u)) T.+1 event.
Proof.
move=> law; rewrite [RHS]/chance.
rewrite -(drawn_before nothing ES law (fun z => (event z)%:R) (fun _ _ => nothing) entries_once entries_enough).
by elim: others (fun _ _ => nothing) => [|entry rest IH] x /=; [rewrite -over_cat | apply: eq_bigr => y _; rewrite IH].
Qed.

Theorem lemma_4_5 : chance ES (with_arm_0 nothing (drawn v)) T.+1 event <=
  (1 + total_variation (v iota) (w iota) * (e - 1)) ^+ n * chance ES (with_arm_0 nothing (drawn w)) T.+1 event.
Proof.
rewrite -!instance_chance // -/factor; set x := fun _ _ => nothing.
have late_read (u : A -> X -> R) (H : table A X -> R) : 
    law_of u -> (forall y z, agree y z -> H y = H z) -> forall y, over u late H y = H y.
  move=> law alike y; apply: over_ignored => // z outside; apply: alike => a m far; apply: outside.
  by apply/mapP => -[k]; rewrite mem_iota => /andP [big _] [ai mk]; move: far; rewrite ai mk eqxx ltnNge big.
apply: (@le_trans _ _ (over v others (fun y => factor ^+ n * over w late (over w read G) y) x)).
  apply: over_le => // y; rewrite (late_read w _ laww); last by move=> *; apply: over_agree.
  apply: (@le_trans _ _ (over v late (fun z => factor ^+ n * over w read G z) y)).
    apply: over_le => // z; have := over_rewards (seq.iota 0 n) z; by rewrite size_iota.
  by rewrite (late_read v _ lawv) // => z z' /over_agree ->.
by rewrite over_scale over_others // => entry; apply: other_arm.
Qed.
End Lemma45.

(** * The hypotheses can hold together *)

Lemma lemma_4_3_witness : satisfiable lemma_4_3.
Proof.
exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, false, 3%N, 1%N, true, (@uniform bool), (paid (by_pull one_reward)).
by split; [exact: paid_extensional | split; last exists xpredT].
Qed.

Lemma corollary_4_4_witness : satisfiable corollary_4_4.
Proof.
exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, false, 3%N, 1%N, true, (@uniform bool); split; first exact: uniform_whole.
exists 1; split; first exact: uniform_private.
by exists without_rewards, one_reward; split; [exact: one_entry_differs | exists xpredT].
Qed.

(* The arm iota pays a fair coin, or 1. *)
Definition fair (a x : bool) : rat := 2%:R^-1.
Definition sure (a : bool) : bool -> rat := if a == true then fun x : bool => x%:R else fair a.

Lemma fair_law : @law_of [the realFieldType of rat : Type] [the finType of bool : Type] [the finType of bool : Type] fair.
Proof. by split=> [a x|a]; [rewrite invr_ge0 ler0n | exact: (@uniform_whole bool [::])]. Qed.

Lemma sure_law : @law_of [the realFieldType of rat : Type] [the finType of bool : Type] [the finType of bool : Type] sure.
Proof.
split=> [[] x|[]]; rewrite /sure /=; first exact: ler0n; first by rewrite invr_ge0 ler0n.
  by rewrite big_bool /= mulr0n addr0.
exact: (@uniform_whole bool [::]).
Qed.

Lemma lemma_4_5_witness : satisfiable lemma_4_5.
Proof.
exists [the realFieldType of rat : Type], [the finType of bool : Type], [the finType of bool : Type], false, 3%N, 1%N, true, (@uniform bool), 1, fair, sure.
split; first exact: uniform_positive. split=> //. split; first exact: fair_law. split; first exact: sure_law.
split; first by move=> a other; rewrite /sure (negbTE other).
split; last by exists xpredT.
move=> x y xy event; exact: corollary_4_4 (@uniform_whole bool) _ (@uniform_private bool 4) _ _ xy event.
Qed.
