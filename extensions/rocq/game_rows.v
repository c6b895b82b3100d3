(* Rows of values on a grid of ratios, in whole numbers of 63 bits: what is read off between grid points, added up and
   compared is at least what it should be. *)
From Coq Require Import Reals Lra Lia List ZArith Uint63.
Import ListNotations.
Open Scope R_scope.

(* Values in units of 2^-44, so that 18 bits of weights times two values fit into 63; chances of who waits in units of
   2^-63. *)
Definition whole : int := 17592186044416%uint63.
Definition val (u : int) : R := IZR (to_Z u) / 17592186044416.
Definition weight (a : int) : R := IZR (to_Z a) / 9223372036854775808.

Definition times (a u : int) : int := (fst (mulc a u) + 1)%uint63.
Definition plus (x y : int) : int := let s := (x + y)%uint63 in if (s <? x)%uint63 then max_int else s.
Definition most (x y : int) : int := if (x <? y)%uint63 then y else x.

Lemma wB_is : wB = 9223372036854775808%Z. Proof. reflexivity. Qed.

Lemma weight_range a : 0 <= weight a <= 1.
Proof.
assert (B := to_Z_bounded a). rewrite wB_is in B. unfold weight. destruct B as [B1 B2].
apply IZR_le in B1. apply IZR_lt in B2. split; lra.
Qed.

Lemma val_positive u : 0 <= val u.
Proof. destruct (to_Z_bounded u) as [B _]. apply IZR_le in B. unfold val. lra. Qed.

Lemma times_ok a u : weight a * val u <= val (times a u).
Proof.
assert (A := to_Z_bounded a). assert (U := to_Z_bounded u). assert (S := mulc_spec a u).
assert (L := to_Z_bounded (snd (mulc a u))). assert (H0 := to_Z_bounded (fst (mulc a u))).
set (hi := to_Z (fst (mulc a u))) in *. set (lo := to_Z (snd (mulc a u))) in *.
assert (Hi : (hi + 1 < wB)%Z) by (rewrite wB_is in *; nia).
assert (E : to_Z (times a u) = (hi + 1)%Z).
{ unfold times. rewrite add_spec. fold hi. change (to_Z 1) with 1%Z. apply Z.mod_small. lia. }
unfold weight, val. rewrite E, plus_IZR.
assert (R0 : IZR (to_Z a) * IZR (to_Z u) <= (IZR hi + 1) * 9223372036854775808).
{ rewrite <- mult_IZR, S, wB_is. rewrite <- (plus_IZR hi 1), <- mult_IZR. apply IZR_le. rewrite wB_is in L. lia. }
lra.
Qed.

Lemma plus_ok g h x y : g <= val x -> h <= val y -> g + h <= 31 -> g + h <= val (plus x y).
Proof.
intros G H B. unfold plus. assert (X := to_Z_bounded x). assert (Y := to_Z_bounded y). assert (S := add_spec x y).
rewrite wB_is in *. destruct (ltb_spec (x + y) x) as [L1 L2].
destruct (x + y <? x)%uint63 eqn:E.
- apply Rle_trans with (1 := B). unfold val. change (to_Z max_int) with 9223372036854775807%Z. lra.
- assert (N : ~ (to_Z (x + y) < to_Z x)%Z) by (intros N; apply L2 in N; congruence).
  assert (F : to_Z (x + y)%uint63 = (to_Z x + to_Z y)%Z).
  { destruct (Z.lt_ge_cases (to_Z x + to_Z y) 9223372036854775808) as [C|C]; [rewrite S; apply Z.mod_small; lia|].
    exfalso; apply N. rewrite S, <- (Z.mod_add _ (-1)) by lia. rewrite Z.mod_small by lia. lia. }
  unfold val in *. rewrite F, plus_IZR. lra.
Qed.

Lemma most_ok x y : val x <= val (most x y) /\ val y <= val (most x y).
Proof.
unfold most, val. destruct (ltb_spec x y) as [L1 L2]. destruct (x <? y)%uint63.
- assert (L := L1 eq_refl). apply IZR_lt in L. lra.
- assert (N : (to_Z y <= to_Z x)%Z) by (apply Z.nlt_ge; intros N; apply L2 in N; discriminate). apply IZR_le in N. lra.
Qed.

(** * Rows: upper bounds of a function of whole numbers, from i on *)
Fixpoint over (g : Z -> R) (i : Z) (row : list int) : Prop :=
  match row with [] => True | u :: row' => g i <= val u /\ over g (i + 1)%Z row' end.
(* No value more than 1. *)
Fixpoint under (g : Z -> R) (i : Z) (row : list int) : Prop :=
  match row with [] => True | u :: row' => g i <= val u <= 1 /\ under g (i + 1)%Z row' end.

Definition falling (g : Z -> R) := (forall i, 0 <= g i <= 1) /\ forall i, g (i + 1)%Z <= g i.

Lemma falling_from g : falling g -> forall i n, g (i + Z.of_nat n)%Z <= g i.
Proof.
intros [_ F] i n. induction n as [|n IH]; [rewrite Z.add_0_r; lra|].
rewrite Nat2Z.inj_succ. replace (i + Z.succ (Z.of_nat n))%Z with (i + Z.of_nat n + 1)%Z by lia.
apply Rle_trans with (2 := IH). apply F.
Qed.

Lemma under_shifted g k i row : under g (i + k)%Z row -> under (fun j => g (j + k)%Z) i row.
Proof.
revert i; induction row as [|u row IH]; intros i; simpl; [auto|]. intros [A B]. split; [exact A|].
apply IH. now replace (i + 1 + k)%Z with (i + k + 1)%Z by lia.
Qed.

(* Beyond its end a row keeps its last value; before its beginning it is 1. *)
Fixpoint skip (n : nat) (cur : int) (rest : list int) : list int :=
  match n, rest with S n', next :: rest' => skip n' next rest' | _, _ => cur :: rest end.
Fixpoint pad (n : nat) (row : list int) : list int := match n with O => row | S n' => whole :: pad n' row end.
Definition from (o : Z) (row : list int) : list int :=
  match o, row with Zneg n, _ => pad (Pos.to_nat n) row | _, cur :: rest => skip (Z.to_nat o) cur rest | _, [] => [] end.

Lemma skip_ok g : falling g -> forall n i cur rest, under g i (cur :: rest) -> under g (i + Z.of_nat n)%Z (skip n cur rest).
Proof.
intros F n; induction n as [|n IH]; intros i cur rest [A B].
- rewrite Z.add_0_r. destruct rest; now split.
- destruct rest as [|next rest].
  + split; [|exact Logic.I]. split; [|apply A]. apply Rle_trans with (2 := proj1 A). now apply falling_from.
  + cbn [skip]. replace (i + Z.of_nat (S n))%Z with (i + 1 + Z.of_nat n)%Z by lia. now apply IH.
Qed.

Lemma whole_val : val whole = 1.
Proof. unfold val. change (to_Z whole) with 17592186044416%Z. field. Qed.

Lemma pad_ok g : falling g -> forall n i row, under g i row -> under g (i - Z.of_nat n)%Z (pad n row).
Proof.
intros F n; induction n as [|n IH]; intros i row H; [now rewrite Z.sub_0_r|]. cbn [pad under].
split; [rewrite whole_val; split; [apply F|lra]|].
replace (i - Z.of_nat (S n) + 1)%Z with (i - Z.of_nat n)%Z by lia. now apply IH.
Qed.

Lemma from_ok g o i row : falling g -> under g i row -> under (fun j => g (j + o)%Z) i (from o row).
Proof.
intros F U. apply under_shifted. destruct o as [|n|n]; cbn [from]; [| |now apply (pad_ok g F (Pos.to_nat n)) in U;
  replace (i + Z.neg n)%Z with (i - Z.of_nat (Pos.to_nat n))%Z by lia].
- destruct row as [|cur rest]; [exact Logic.I|]. rewrite Z.add_0_r. change (Z.to_nat 0) with 0%nat.
  rewrite <- (Z.add_0_r i). exact (skip_ok g F 0 i cur rest U).
- destruct row as [|cur rest]; [exact Logic.I|].
  replace (i + Z.pos n)%Z with (i + Z.of_nat (Z.to_nat (Z.pos n)))%Z by lia. now apply skip_ok.
Qed.

(** * Taps *)
(* A tap: the row moved by o, two neighbours weighted with a/2^s and b/2^s; or the same value everywhere. *)
Inductive tap := At (o : Z) (a b s : int) | Same (u : int).
(* No more than 2^18 in all, and shifted by 17 at least. *)
Definition light (a b s : int) := (to_Z a + to_Z b <= 262144)%Z /\ (17 <= to_Z s)%Z.
Definition tap_good (g h : Z -> R) (t : tap) := match t with
  | At o a b s => light a b s /\
      forall i, h i <= (IZR (to_Z a) * g (i + o)%Z + IZR (to_Z b) * g (i + o + 1)%Z) / IZR (2 ^ to_Z s)
  | Same u => val u <= 2 /\ forall i, h i <= val u end.

Section Pair.
Variables a b s a' b' s' c : int. (* two taps, and what is added *)
Definition both (cur next cur' next' : int) : int :=
  (((a * cur + b * next) >> s) + ((a' * cur' + b' * next') >> s') + c)%uint63.
Definition next_of (cur : int) (rest : list int) : int := match rest with [] => cur | y :: _ => y end.

(* The larger of each value in `done` and of what both taps give there; the first goes past the end of a row, too. *)
Fixpoint slow (done : list int) (cur : int) (rest : list int) (cur' : int) (rest' : list int) : list int :=
  match done with
  | [] => []
  | m :: done' => let next := next_of cur rest in let next' := next_of cur' rest' in
    most m (both cur next cur' next') :: slow done' next (tl rest) next' (tl rest')
  end.
Fixpoint walk (done : list int) (cur : int) (rest : list int) (cur' : int) (rest' : list int) : list int :=
  match done with
  | [] => []
  | m :: done' =>
    match rest with
    | next :: r =>
      match rest' with
      | next' :: r' =>
        let x := (((a * cur + b * next) >> s) + ((a' * cur' + b' * next') >> s') + c)%uint63 in
        (if (m <? x)%uint63 then x else m) :: walk done' next r next' r'
      | [] => slow done cur rest cur' rest'
      end
    | [] => slow done cur rest cur' rest'
    end
  end.

Lemma walk_slow : forall done cur rest cur' rest', walk done cur rest cur' rest' = slow done cur rest cur' rest'.
Proof.
induction done as [|m done IH]; intros cur rest cur' rest'; [reflexivity|].
destruct rest as [|next r]; [reflexivity|]. destruct rest' as [|next' r']; [reflexivity|]. cbn [walk slow]. now rewrite IH.
Qed.

Lemma slow_keeps f : forall done i cur rest cur' rest', over f i done -> over f i (slow done cur rest cur' rest').
Proof.
induction done as [|m done IH]; intros i cur rest cur' rest'; [auto|]. intros [A B].
split; [apply Rle_trans with (1 := A), most_ok|now apply IH].
Qed.

Hypotheses (light_1 : light a b s) (light_2 : light a' b' s') (c_small : val c <= 4).

Lemma val_bound u : val u <= 1 -> (0 <= to_Z u <= 17592186044416)%Z.
Proof.
intros H. split; [apply to_Z_bounded|]. apply le_IZR. unfold val in H. lra.
Qed.

(* One tap: shifted, it is less by less than one unit. *)
Lemma shifted_ok x y t u v : light x y t -> val u <= 1 -> val v <= 1 ->
  (0 <= to_Z ((x * u + y * v) >> t)%uint63 <= 35184372088832)%Z /\
  (IZR (to_Z x) * val u + IZR (to_Z y) * val v) / IZR (2 ^ to_Z t) <=
    (IZR (to_Z ((x * u + y * v) >> t)%uint63) + 1) / 17592186044416.
Proof.
intros [L T0] U V. apply val_bound in U, V. destruct (to_Z_bounded x) as [X _], (to_Z_bounded y) as [Y _].
assert (E : to_Z (x * u + y * v)%uint63 = (to_Z x * to_Z u + to_Z y * to_Z v)%Z).
{ rewrite add_spec, !mul_spec, wB_is.
  rewrite (Z.mod_small (to_Z x * to_Z u)), (Z.mod_small (to_Z y * to_Z v)) by nia. rewrite Z.mod_small; nia. }
rewrite lsr_spec, E. set (m := (to_Z x * to_Z u + to_Z y * to_Z v)%Z).
assert (M : (0 <= m <= 4611686018427387904)%Z) by (unfold m; nia).
assert (P : (131072 <= 2 ^ to_Z t)%Z) by (change 131072%Z with (2 ^ 17)%Z; apply Z.pow_le_mono_r; lia).
set (d := (2 ^ to_Z t)%Z) in *. clearbody d.
assert (Q := Z.div_mod m d ltac:(lia)). assert (R := Z.mod_pos_bound m d ltac:(lia)). set (z := (m / d)%Z) in *. clearbody z.
split; [nia|]. assert (I : (m <= d * (z + 1))%Z) by lia. apply IZR_le in I. rewrite mult_IZR, plus_IZR in I.
replace (IZR (to_Z x) * val u + IZR (to_Z y) * val v) with (IZR m / 17592186044416).
- apply IZR_le in P. apply Rmult_le_reg_r with (IZR d); [lra|].
  unfold Rdiv. rewrite (Rmult_assoc _ (/ IZR d)), Rinv_l by lra. lra.
- unfold m, val. rewrite plus_IZR, !mult_IZR. field.
Qed.

Lemma both_is cur next cur' next' : val cur <= 1 -> val next <= 1 -> val cur' <= 1 -> val next' <= 1 ->
  val (both cur next cur' next') = IZR (to_Z ((a * cur + b * next) >> s)%uint63) / 17592186044416 +
    IZR (to_Z ((a' * cur' + b' * next') >> s')%uint63) / 17592186044416 + val c.
Proof.
intros H1 H2 H3 H4. destruct (shifted_ok a b s cur next light_1 H1 H2) as [B _].
destruct (shifted_ok a' b' s' cur' next' light_2 H3 H4) as [B' _]. unfold both.
assert (C0 := to_Z_bounded c). assert (C : (to_Z c <= 70368744177664)%Z) by (apply le_IZR; unfold val in c_small; lra).
set (x := ((a * cur + b * next) >> s)%uint63) in *. set (x' := ((a' * cur' + b' * next') >> s')%uint63) in *.
unfold val. rewrite !add_spec, wB_is. rewrite (Z.mod_small (to_Z x + to_Z x')) by lia. rewrite Z.mod_small by lia.
rewrite !plus_IZR. field.
Qed.

(* What both taps give is above f wherever it is above f by the rows' own bounds. *)
Lemma slow_ok f g g' : falling g -> falling g' ->
  (forall i cur next cur' next', g i <= val cur <= 1 -> g (i + 1)%Z <= val next <= 1 ->
    g' i <= val cur' <= 1 -> g' (i + 1)%Z <= val next' <= 1 -> f i <= val (both cur next cur' next')) ->
  forall done i cur rest cur' rest', under g i (cur :: rest) -> under g' i (cur' :: rest') ->
    over f i (slow done cur rest cur' rest').
Proof.
intros G G' F done. induction done as [|m done IH]; intros i cur rest cur' rest' [A B] [A' B']; [exact Logic.I|].
assert (N : forall h x l, falling h -> h i <= val x <= 1 -> under h (i + 1)%Z l ->
  h (i + 1)%Z <= val (next_of x l) <= 1 /\ under h (i + 1)%Z (next_of x l :: tl l)).
{ intros h x [|y l] [_ H] X L; cbn [next_of tl under] in *.
  - assert (h (i + 1)%Z <= val x <= 1) by (generalize (H i); lra). split; [assumption|now split].
  - destruct L as [L L']. split; [exact L|now split]. }
destruct (N g cur rest G A B) as [C D]. destruct (N g' cur' rest' G' A' B') as [C' D']. cbn [slow over]. cbv zeta.
split; [|now apply IH]. apply Rle_trans with (2 := proj2 (most_ok _ _)). now apply F.
Qed.
End Pair.

(** * The best of several outcomes, each the sum of two taps *)
Definition read_of (t : tap) : Z * int * int * int * int :=
  match t with At o a b s => (o, a, b, s, 1%uint63) | Same u => (0%Z, 0%uint63, 0%uint63, 17%uint63, u) end.
Definition outcome (done more same : list int) (t : tap * tap) : list int :=
  let '(o, a, b, s, c) := read_of (fst t) in let '(o', a', b', s', c') := read_of (snd t) in
  match from o more, from o' same with
  | cur :: rest, cur' :: rest' => walk a b s a' b' s' (c + c')%uint63 done cur rest cur' rest'
  | _, _ => []
  end.
Fixpoint best (done more same : list int) (l : list (tap * tap)) : list int :=
  match l with [] => done | t :: l' => best (outcome done more same t) more same l' end.

Lemma read_ok g h t : falling g -> tap_good g h t -> let '(o, a, b, s, c) := read_of t in
  light a b s /\ (to_Z c <= 35184372088832)%Z /\ forall i cur next, g (i + o)%Z <= val cur <= 1 ->
    g (i + o + 1)%Z <= val next <= 1 ->
    h i <= IZR (to_Z ((a * cur + b * next) >> s)%uint63) / 17592186044416 + val c.
Proof.
intros [G01 _] H. destruct t as [o a b s|u]; cbn [read_of tap_good] in *.
- destruct H as [L H]. split; [exact L|]. split; [now apply Z.leb_le|]. intros i cur next C N.
  destruct (shifted_ok a b s cur next L (proj2 C) (proj2 N)) as [_ S]. apply Rle_trans with (1 := H i).
  replace (val 1) with (1 / 17592186044416) by (unfold val; change (to_Z 1) with 1%Z; lra).
  apply Rle_trans with ((IZR (to_Z a) * val cur + IZR (to_Z b) * val next) / IZR (2 ^ to_Z s)); [|lra].
  assert (P : 0 < IZR (2 ^ to_Z s)) by (apply IZR_lt, Z.pow_pos_nonneg; [lia|apply to_Z_bounded]).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  assert (A0 : 0 <= IZR (to_Z a)) by (apply IZR_le, to_Z_bounded). assert (B0 : 0 <= IZR (to_Z b)) by (apply IZR_le, to_Z_bounded).
  apply Rplus_le_compat; now apply Rmult_le_compat_l.
- destruct H as [U H]. split; [split; now apply Z.leb_le|]. split; [apply le_IZR; unfold val in U; lra|].
  intros i cur next C N. apply Rle_trans with (1 := H i).
  assert (L0 : light 0 0 17) by (split; now apply Z.leb_le).
  destruct (shifted_ok 0 0 17 cur next L0 (proj2 C) (proj2 N)) as [[S _] _]. apply IZR_le in S. lra.
Qed.

Lemma outcome_keeps f i done more same t : over f i done -> over f i (outcome done more same t).
Proof.
intros H. unfold outcome. destruct (read_of (fst t)) as [[[[o a] b] s] c], (read_of (snd t)) as [[[[o' a'] b'] s'] c'].
destruct (from o more); [exact Logic.I|]. destruct (from o' same); [exact Logic.I|]. rewrite walk_slow. now apply slow_keeps.
Qed.

Lemma outcome_ok g g' h h' i done more same t : falling g -> falling g' -> tap_good g h (fst t) -> tap_good g' h' (snd t) ->
  under g i more -> under g' i same -> over (fun j => h j + h' j) i (outcome done more same t).
Proof.
intros G G' H H' U U'. unfold outcome. apply (read_ok g h _ G) in H. apply (read_ok g' h' _ G') in H'.
destruct (read_of (fst t)) as [[[[o a] b] s] c], (read_of (snd t)) as [[[[o' a'] b'] s'] c'].
destruct H as (L & C & H), H' as (L' & C' & H').
assert (F := from_ok g o i more G U). assert (F' := from_ok g' o' i same G' U').
destruct (from o more) as [|cur rest]; [exact Logic.I|]. destruct (from o' same) as [|cur' rest']; [exact Logic.I|].
assert (E : to_Z (c + c')%uint63 = (to_Z c + to_Z c')%Z).
{ assert (C0 := to_Z_bounded c). assert (C1 := to_Z_bounded c'). rewrite add_spec, wB_is. apply Z.mod_small. lia. }
assert (V : val (c + c') = val c + val c') by (unfold val; rewrite E, plus_IZR; lra).
assert (V4 : val (c + c') <= 4) by (rewrite V; apply IZR_le in C, C'; unfold val; lra).
rewrite walk_slow. apply slow_ok with (g := fun j => g (j + o)%Z) (g' := fun j => g' (j + o')%Z); try assumption.
- split; [intros; apply G|]. intros j. replace (j + 1 + o)%Z with (j + o + 1)%Z by lia. apply G.
- split; [intros; apply G'|]. intros j. replace (j + 1 + o')%Z with (j + o' + 1)%Z by lia. apply G'.
- intros j x y x' y' X Y X' Y'. rewrite (both_is a b s a' b' s' (c + c') L L' V4) by lra. rewrite V.
  replace (j + 1 + o)%Z with (j + o + 1)%Z in Y by lia. replace (j + 1 + o')%Z with (j + o' + 1)%Z in Y' by lia.
  generalize (H j x y X Y) (H' j x' y' X' Y'). lra.
Qed.

Lemma best_keeps f i more same l : forall done, over f i done -> over f i (best done more same l).
Proof. induction l as [|t l IH]; intros done H; [exact H|]. now apply IH, outcome_keeps. Qed.

Lemma best_ok f i more same l t : (forall done, over f i (outcome done more same t)) -> In t l ->
  forall done, over f i (best done more same l).
Proof.
intros H. induction l as [|t0 l IH]; intros I done; [destruct I|]. cbn [best]. destruct I as [->|I]; [apply best_keeps, H|now apply IH].
Qed.

(* No value needs to be more than 1, and after one of at most `least` none is needed. *)
Definition capped (u : int) : int := if (u <=? whole)%uint63 then u else whole.
Fixpoint settled (least : int) (row : list int) : list int :=
  match row with
  | [] => []
  | u :: row' => if (u <=? least)%uint63 then [capped u] else capped u :: settled least row'
  end.

Lemma capped_ok x u : x <= val u -> x <= 1 -> x <= val (capped u) <= 1.
Proof.
intros H L. unfold capped. destruct (leb_spec u whole) as [A B]. destruct (u <=? whole)%uint63; [|rewrite whole_val; lra].
split; [exact H|]. assert (C := A eq_refl). change (to_Z whole) with 17592186044416%Z in C. apply IZR_le in C. unfold val. lra.
Qed.

Lemma settled_ok f least : (forall i, f i <= 1) -> forall row i, over f i row -> under f i (settled least row).
Proof.
intros F row; induction row as [|u row IH]; intros i H; [exact Logic.I|]. destruct H as [A B]. cbn [settled].
destruct (u <=? least)%uint63; (split; [now apply capped_ok|]); [exact Logic.I|now apply IH].
Qed.

Fixpoint larger (x y : list int) : list int := match x, y with u :: x', v :: y' => most u v :: larger x' y' | _, _ => [] end.

(* A function is below a row if at every place one of those is at least as large of which all are below it. *)
Lemma over_some {T} g (h : T -> Z -> R) l i row : (forall j, exists t, In t l /\ g j <= h t j) ->
  (forall t, In t l -> over (h t) i row) -> over g i row.
Proof.
intros E; revert i; induction row as [|u row IH]; intros i H; [exact Logic.I|]. split.
- destruct (E i) as (t & I & L). apply Rle_trans with (1 := L). now apply (H t I).
- apply IH. intros t I. now apply (H t I).
Qed.
