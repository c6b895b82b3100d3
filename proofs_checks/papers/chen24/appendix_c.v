(* chen24, Appendix C: a policy is eps-DP exactly when its dual is eps-table-DP (Propositions C.4 and C.5, Corollary
   C.6), and Corollary C.3 with suffixes given their prefix. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Dpbandits Require Import inequalities policies satisfiable.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Along.
Variables (R : realFieldType) (A : finType) (X : Type) (pi : policy R A X).

(* The chance of releasing z next. *)
Fixpoint along (shown : history A X -> A -> X) (past : history A X) (z : seq A) : R :=
  if z is a :: z' then pi past a * along shown (rcons past (a, shown past a)) z' else 1.

(* What has been released, z, and paid. *)
Fixpoint after (shown : history A X -> A -> X) (past : history A X) (z : seq A) : history A X :=
  if z is a :: z' then after shown (rcons past (a, shown past a)) z' else past.

Lemma along_cat shown past z1 z2 :
  along shown past (z1 ++ z2) = along shown past z1 * along shown (after shown past z1) z2.
Proof. by elim: z1 past => [|a z1 IH] past /=; rewrite ?mul1r // IH mulrA. Qed.

Lemma sum_tuple k (F : k.+1.-tuple A -> R) : \sum_z F z = \sum_a \sum_(z : k.-tuple A) F [tuple of a :: z].
Proof.
rewrite pair_big /= (reindex (fun p : A * k.-tuple A => [tuple of p.1 :: p.2])) //=.
exists (fun z => (thead z, [tuple of behead z])) => [[a z] _|z _] /=.
  by congr pair; apply: val_inj.
by rewrite -tuple_eta.
Qed.

Lemma expected_along shown k past f :
  expected pi (paid shown) k past f = \sum_(z : k.-tuple A) along shown past z * f z.
Proof.
elim: k past f => [|k IH] past f /=.
  by rewrite (big_pred1 [tuple]) ?mul1r // => z; apply/esym/eqP; exact: tuple0.
rewrite sum_tuple; apply: eq_bigr => a _; rewrite /paid IH mulr_sumr.
by apply: eq_bigr => z _; rewrite mulrA.
Qed.

Lemma expected_one shown k past z : size z = k ->
  expected pi (paid shown) k past (fun s => (pred1 z s)%:R) = along shown past z.
Proof.
move=> zk; rewrite expected_along (bigD1 (Tuple (introT eqP zk))) //= eqxx mulr1 big1 ?addr0 // => s.
by rewrite -val_eqE /= => /negbTE ->; rewrite mulr0.
Qed.

(* Pure DP is a matter of single transcripts. *)
Lemma expected_le (e : R) shown shown' k past past' :
  (forall z, size z = k -> along shown past z <= e * along shown' past' z) -> forall event : pred (seq A),
  expected pi (paid shown) k past (fun z => (event z)%:R) <=
  e * expected pi (paid shown') k past' (fun z => (event z)%:R).
Proof.
move=> le event; rewrite !expected_along mulr_sumr; apply: ler_sum => z _.
by rewrite mulrA mulrC [leRHS]mulrC times_le ?ler0n // le // size_tuple.
Qed.

Lemma along_ge0 (pi0 : positive pi) shown past z : 0 <= along shown past z.
Proof. by elim: z past => [|a z IH] past /=; rewrite ?ler01 // mulr_ge0. Qed.
End Along.

Section Dual.
Variables (R : realFieldType) (A : finType) (X : Type) (nothing : X) (pi : policy R A X).

(* The n-th pull of arm a, n from 0, in a transcript z: when it is; size z if it is never. *)
Definition is_pull (z : seq A) (a : A) (n t : nat) : bool :=
  (t < size z)%N && (nth a z t == a) && (count_mem a (take t z) == n).
Definition time_of (z : seq A) (a : A) (n : nat) : nat := find (is_pull z a n) (iota 0 (size z)).

Lemma is_pull_unique z a n t t' : is_pull z a n t -> is_pull z a n t' -> t = t'.
Proof.
wlog lt : t t' / (t < t')%N.
  by move=> H p p'; case: (ltngtP t t') => // tt; [apply: H | symmetry; apply: H].
move=> /andP [/andP [sz /eqP za] /eqP cz] /andP [/andP [_ _] /eqP cz'].
have : (count_mem a (take t.+1 z) <= count_mem a (take t' z))%N.
  by rewrite -(subnKC lt) takeD count_cat leq_addr.
by rewrite (take_nth a sz) -cats1 count_cat /= za eqxx cz cz' addn0 addn1 ltnn.
Qed.

Lemma time_of_pull z a n t : is_pull z a n t -> time_of z a n = t.
Proof.
move=> pt; have tz : t \in iota 0 (size z) by rewrite mem_iota /=; case/andP: pt => /andP [].
have some : has (is_pull z a n) (iota 0 (size z)) by apply/hasP; exists t.
apply: is_pull_unique pt; have := nth_find 0%N some.
by rewrite nth_iota // -[X in (_ < X)%N](size_iota 0) -has_find.
Qed.

(* The entries of x where pi, or its dual, is shown the same on z; all other entries pay nothing. *)
Definition to_pulls (z : seq A) (x : table A X) : table A X := fun a n =>
  if is_pull z a n (time_of z a n) then x a (time_of z a n) else nothing.
Definition to_times (z : seq A) (x : table A X) : table A X := fun a t =>
  if (t < size z)%N && (nth a z t == a) then x a (count_mem a (take t z)) else nothing.

Lemma next_is_pull done a rest : is_pull (done ++ a :: rest) a (count_mem a done) (size done).
Proof.
rewrite /is_pull size_cat /= addnS ltnS leq_addr nth_cat ltnn subnn /= eqxx /=.
by rewrite take_size_cat.
Qed.

Lemma along_to_pulls z x : along pi (by_time x) [::] z = along pi (by_pull (to_pulls z x)) [::] z.
Proof.
suff H done rest past : released past = done -> done ++ rest = z ->
    along pi (by_time x) past rest = along pi (by_pull (to_pulls z x)) past rest by exact: (H [::] z [::]).
elim: rest done past => [|a rest IH] done past rel zE //=; congr (_ * _).
have -> : by_pull (to_pulls z x) past a = by_time x past a.
  rewrite /by_pull /to_pulls /by_time rel -zE; have p := next_is_pull done a rest.
  by rewrite (time_of_pull p) p -rel /released size_map.
apply: (IH (rcons done a)); first by rewrite /released map_rcons -rel.
by rewrite cat_rcons.
Qed.

Lemma along_to_times z x : along pi (by_pull x) [::] z = along pi (by_time (to_times z x)) [::] z.
Proof.
suff H done rest past : released past = done -> done ++ rest = z ->
    along pi (by_pull x) past rest = along pi (by_time (to_times z x)) past rest by exact: (H [::] z [::]).
elim: rest done past => [|a rest IH] done past rel zE //=; congr (_ * _).
have -> : by_time (to_times z x) past a = by_pull x past a.
  rewrite /by_pull /to_times /by_time -zE; have := next_is_pull done a rest.
  have -> : size past = size done by rewrite -rel /released size_map.
  by rewrite /is_pull => /andP [-> _]; rewrite take_size_cat // rel.
apply: (IH (rcons done a)); first by rewrite /released map_rcons -rel.
by rewrite cat_rcons.
Qed.

Variables (a0 : A) (e : R) (k : nat). (* there is an arm *)

Lemma one_entry_moved z x y : one_column x y -> one_entry (to_pulls z x) (to_pulls z y).
Proof.
move=> [m xy]; exists (nth a0 z m), (count_mem (nth a0 z m) (take m z)) => a n other; rewrite /to_pulls.
case: ifP => // pull; apply: xy; apply: contraNneq other => tm; rewrite tm in pull.
case/andP: pull => /andP [small /eqP za] /eqP <-.
by rewrite (set_nth_default a) // za.
Qed.

Lemma one_column_moved z x y : one_entry x y -> one_column (to_times z x) (to_times z y).
Proof.
move=> [i [m xy]]; exists (time_of z i m) => a t other; rewrite /to_times.
case: ifP => // shown; apply: xy; apply: contraNneq other => -[ai cm]; subst i m.
by rewrite (@time_of_pull z a _ t) // /is_pull shown eqxx.
Qed.

Theorem proposition_c_4 : private e pi k -> table_private e pi k.
Proof.
move=> dp x y xy event; apply: expected_le => z zk; rewrite !along_to_pulls.
by rewrite -!(expected_one _ _ _ zk); apply: dp; apply: one_entry_moved.
Qed.

Theorem proposition_c_5 : table_private e pi k -> private e pi k.
Proof.
move=> dp x y xy event; apply: expected_le => z zk; rewrite !along_to_times.
by rewrite -!(expected_one _ _ _ zk); apply: dp; apply: one_column_moved.
Qed.

Theorem corollary_c_6 : private e pi k <-> table_private e pi k.
Proof. split; [exact: proposition_c_4 | exact: proposition_c_5]. Qed.

(** Corollary C.3, repaired: what is released after time m + 1, given what was released up to then. *)
Section Suffixes.
Hypotheses (pi0 : positive pi) (e1 : 1 <= e).

Definition suffixes_private := forall x y m, (forall a n, n != m -> x a n = y a n) ->
  forall prefix, size prefix = m.+1 -> (m < k)%N -> 0 < along pi (by_time x) [::] prefix ->
  forall event : pred (seq A),
    expected pi (paid (by_time x)) (k - m.+1) (after (by_time x) [::] prefix) (fun z => (event z)%:R) <=
    e * expected pi (paid (by_time y)) (k - m.+1) (after (by_time y) [::] prefix) (fun z => (event z)%:R).

(* What is released up to time m + 1 reads the columns before m alone. *)
Lemma same_prefix x y m z past : (forall a n, n != m -> x a n = y a n) ->
  (size past + size z <= m.+1)%N -> along pi (by_time x) past z = along pi (by_time y) past z.
Proof.
move=> xy; elim: z past => [|a z IH] past sz //=; congr (_ * _).
case: z IH sz => [|b z] // IH sz; have -> : by_time x past a = by_time y past a.
  apply: xy; rewrite neq_ltn; apply/orP; left.
  by move: sz; rewrite /= !addnS !ltnS; apply: leq_trans; rewrite leq_addr.
by apply: IH; rewrite size_rcons addSnnS.
Qed.

Theorem corollary_c_3_repaired : table_private e pi k <-> suffixes_private.
Proof.
split=> [dp x y m xy prefix sp mk pos event|dp x y [m xy] event]; apply: expected_le => z zk.
  have sz : size (prefix ++ z) = k by rewrite size_cat sp zk subnKC.
  rewrite -(le_times _ _ pos) -along_cat mulrCA.
  rewrite [along _ _ _ prefix](same_prefix xy) ?add0n ?sp // -along_cat -!(expected_one _ _ _ sz); apply: dp; by exists m.
have [small|big] := leqP k m.
  rewrite (same_prefix xy) ?zk //; last exact: leq_trans small (leqnSn m).
  by rewrite -[leLHS]mul1r mulrC [leRHS]mulrC times_le ?along_ge0.
rewrite -(cat_take_drop m.+1 z) !along_cat.
have sp : size (take m.+1 z) = m.+1 by rewrite size_takel // zk.
rewrite -(same_prefix xy) ?add0n ?sp // mulrCA.
have := along_ge0 pi0 (by_time x) [::] (take m.+1 z); rewrite le_eqVlt => /orP [/eqP <-|pos]; first by rewrite !mul0r.
rewrite le_times // -!(@expected_one _ _ _ _ _ (k - m.+1)); try by rewrite size_drop zk.
by apply: dp.
Qed.
End Suffixes.
End Dual.

(** * The hypotheses can hold together *)

Lemma proposition_c_4_witness : satisfiable proposition_c_4.
Proof.
exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, true, (@uniform bool), true, 1, 3%N; split; first exact: uniform_private.
by exists without_rewards, one_reward; split; [exact: one_column_differs | exists xpredT].
Qed.

Lemma proposition_c_5_witness : satisfiable proposition_c_5.
Proof.
exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, true, (@uniform bool), 1, 3%N; split; first exact: uniform_table_private.
by exists without_rewards, one_reward; split; [exact: one_entry_differs | exists xpredT].
Qed.

Lemma corollary_c_6_witness : satisfiable corollary_c_6.
Proof. by exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, true, (@uniform bool), true, 1, 3%N. Qed.

Lemma corollary_c_3_repaired_witness : satisfiable corollary_c_3_repaired.
Proof.
by exists [the realFieldType of rat : Type], [the finType of bool : Type], bool, (@uniform bool), 1, 3%N; split; first exact: uniform_positive.
Qed.
