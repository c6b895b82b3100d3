(* chen24, Section 4.3: early stopping, and what it keeps (Lemma 4.3, Corollary 4.4); Lemma 4.5 with its exact factor. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Dpbandits Require Import policies.
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
Notation with_0 := (option_finType A). (* None is the auxiliary arm 0 *)

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

Lemma none_lifted h : None \in released (lifted h) = false.
Proof. by apply/negP; rewrite released_lifted => /mapP [a]. Qed.

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

(** Lemma 4.5, with its exact factor: one coordinate of the input after the other. *)
Section Lemma45.
Variables (R : realFieldType) (X : finType) (e : R) (v w : X -> R).
Hypotheses (v0 : forall x, 0 <= v x) (w0 : forall x, 0 <= w x).
Hypotheses (v1 : \sum_x v x = 1) (w1 : \sum_x w x = 1) (e1 : 1 <= e).

(* The largest difference of probabilities. *)
Definition total_variation := \sum_x Num.max (v x - w x) 0.

(* The expectation of f(rewards), of k independent rewards with this law. *)
Fixpoint drawn (law : X -> R) (k : nat) (f : seq X -> R) : R :=
  if k is k'.+1 then \sum_x law x * drawn law k' (fun xs => f (x :: xs)) else f [::].

(* f is the chance of an event, given the rewards: one reward of k changed, and it is at most e times as large. *)
Definition one_reward (k : nat) (f : seq X -> R) := forall xs ys, size xs = k -> size ys = k ->
  (exists i, forall j d, j != i -> nth d xs j = nth d ys j) -> f xs <= e * f ys.

Lemma total_variation_ge0 : 0 <= total_variation.
Proof. by apply: sumr_ge0 => x _; rewrite le_maxr lexx orbT. Qed.

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
  by apply: ler_sum => x _; apply: ler_wpmul2l; rewrite ?least.
rewrite mulrDl mul1r -ler_subl_addl -sumrB.
apply: (@le_trans _ _ (total_variation * (e - 1) * g m)); last first.
  by apply: ler_wpmul2l => //; rewrite mulr_ge0 ?total_variation_ge0 ?subr_ge0.
rewrite -mulrA mulrBl mul1r mulrBr {2}total_variation_sym {1}/total_variation !mulr_suml -!sumrB.
apply: ler_sum => x _; rewrite -mulrBl {1}positive_parts mulrBl; apply: ler_sub.
  by apply: ler_wpmul2l; rewrite ?ge // le_maxr lexx orbT.
by apply: ler_wpmul2l; rewrite ?least // le_maxr lexx orbT.
Qed.

Lemma drawn_le law k f g : (forall x, 0 <= law x) -> (forall xs, size xs = k -> f xs <= g xs) ->
  drawn law k f <= drawn law k g.
Proof.
move=> law0; elim: k f g => [|k IH] f g fg /=; first exact: fg.
apply: ler_sum => x _; rewrite ler_wpmul2l //; apply: IH => xs xsk; apply: fg; by rewrite /= xsk.
Qed.

Lemma drawn_scale law k c f : drawn law k (fun xs => c * f xs) = c * drawn law k f.
Proof.
elim: k f => [|k IH] f //=; rewrite mulr_sumr.
by apply: eq_bigr => x _; rewrite (IH (fun xs => f (x :: xs))) mulrCA.
Qed.

Lemma drawn_ge0 law k f : (forall x, 0 <= law x) -> (forall xs, 0 <= f xs) -> 0 <= drawn law k f.
Proof.
move=> law0; elim: k f => [|k IH] f f0 /=; first exact: f0.
by apply: sumr_ge0 => x _; rewrite mulr_ge0 // IH.
Qed.

Theorem lemma_4_5_coordinates k f : (forall xs, 0 <= f xs) -> one_reward k f ->
  drawn v k f <= (1 + total_variation * (e - 1)) ^+ k * drawn w k f.
Proof.
have c0 : 0 <= 1 + total_variation * (e - 1).
  by rewrite addr_ge0 ?ler01 // mulr_ge0 ?total_variation_ge0 ?subr_ge0.
elim: k f => [|k IH] f f0 one /=; first by rewrite expr0 mul1r.
apply: (@le_trans _ _ (\sum_x v x * ((1 + total_variation * (e - 1)) ^+ k * drawn w k (fun xs => f (x :: xs))))).
  apply: ler_sum => x _; rewrite ler_wpmul2l //; apply: IH => // xs ys sx sy [i same].
  apply: one; rewrite /= ?sx ?sy //; exists i.+1 => -[|j] d //; rewrite eqSS => /= ji; exact: same.
rewrite exprSr -mulrA; under eq_bigr do rewrite mulrCA; rewrite -mulr_sumr ler_wpmul2l ?exprn_ge0 //.
apply: one_coordinate => [x|x y]; first exact: drawn_ge0.
rewrite -drawn_scale; apply: drawn_le => // xs sx; apply: one; rewrite /= ?sx //.
by exists 0%N => -[|j].
Qed.
End Lemma45.
