(* Rows of values on a grid of ratios, in whole numbers of 63 bits: what is read off between grid points, added up and
   compared is at least what it should be. *)
From Coq Require Import Reals Lra Lia List ZArith Uint63.
Import ListNotations.
Open Scope R_scope.

(* Values in units of 2^-58, weights in units of 2^-63. *)
Definition whole : int := 288230376151711744%uint63.
Definition val (u : int) : R := IZR (to_Z u) / 288230376151711744.
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
Fixpoint under (g : Z -> R) (i : Z) (row : list int) : Prop :=
  match row with [] => True | u :: row' => g i <= val u /\ under g (i + 1)%Z row' end.

Definition falling (g : Z -> R) := (forall i, 0 <= g i <= 1) /\ forall i, g (i + 1)%Z <= g i.

Lemma falling_from g : falling g -> forall i n, g (i + Z.of_nat n)%Z <= g i.
Proof.
intros [_ F] i n. induction n as [|n IH]; [rewrite Z.add_0_r; lra|].
rewrite Nat2Z.inj_succ. replace (i + Z.succ (Z.of_nat n))%Z with (i + Z.of_nat n + 1)%Z by lia.
apply Rle_trans with (2 := IH). apply F.
Qed.

Lemma under_ext f g i row : (forall j, f j = g j) -> under f i row -> under g i row.
Proof. intros E; revert i; induction row as [|u row IH]; intros i; simpl; [auto|]. rewrite E. intros [A B]. auto. Qed.

Lemma under_shifted g k i row : under g (i + k)%Z row -> under (fun j => g (j + k)%Z) i row.
Proof.
revert i; induction row as [|u row IH]; intros i; simpl; [auto|]. intros [A B]. split; [exact A|].
apply IH. now replace (i + 1 + k)%Z with (i + k + 1)%Z by lia.
Qed.

(* Beyond its end a row keeps its last value; before its beginning it is 1. *)
Fixpoint skip (n : nat) (cur : int) (rest : list int) : list int :=
  match n, rest with S n', next :: rest' => skip n' next rest' | _, _ => cur :: rest end.
Fixpoint pad (n : nat) (row : list int) : list int := match n with O => row | S n' => whole :: pad n' row end.

Lemma skip_ok g : falling g -> forall n i cur rest, under g i (cur :: rest) -> under g (i + Z.of_nat n)%Z (skip n cur rest).
Proof.
intros F n; induction n as [|n IH]; intros i cur rest [A B].
- rewrite Z.add_0_r. destruct rest; now split.
- destruct rest as [|next rest].
  + split; [|exact Logic.I]. apply Rle_trans with (2 := A). now apply falling_from.
  + cbn [skip]. replace (i + Z.of_nat (S n))%Z with (i + 1 + Z.of_nat n)%Z by lia. now apply IH.
Qed.

Lemma whole_val : val whole = 1.
Proof. unfold val. change (to_Z whole) with 288230376151711744%Z. field. Qed.

Lemma pad_ok g : falling g -> forall n i row, under g i row -> under g (i - Z.of_nat n)%Z (pad n row).
Proof.
intros F n; induction n as [|n IH]; intros i row H; [now rewrite Z.sub_0_r|]. cbn [pad under].
split; [rewrite whole_val; apply F|]. replace (i - Z.of_nat (S n) + 1)%Z with (i - Z.of_nat n)%Z by lia. now apply IH.
Qed.

(* Of two neighbours, weighted, for as many places as there are in `fuel`. *)
Fixpoint walk (a b : int) (fuel : list int) (cur : int) (rest : list int) : list int :=
  match fuel with
  | [] => []
  | _ :: fuel' => match rest with
    | [] => plus (times a cur) (times b cur) :: walk a b fuel' cur []
    | next :: rest' => plus (times a cur) (times b next) :: walk a b fuel' next rest'
    end
  end.

Lemma walk_ok g h a b : falling g -> (forall i, h i <= weight a * g i + weight b * g (i + 1)%Z) ->
  forall fuel i cur rest, under g i (cur :: rest) -> under h i (walk a b fuel cur rest).
Proof.
intros [G01 F] H fuel; induction fuel as [|f fuel IH]; intros i cur rest [A B]; [exact Logic.I|].
assert (Wa := weight_range a). assert (Wb := weight_range b).
assert (G0 := G01 i). assert (G1 := G01 (i + 1)%Z).
assert (P : forall next, g (i + 1)%Z <= val next -> h i <= val (plus (times a cur) (times b next))).
{ intros next N. apply Rle_trans with (1 := H i). apply plus_ok.
  - apply Rle_trans with (2 := times_ok a cur). now apply Rmult_le_compat_l.
  - apply Rle_trans with (2 := times_ok b next). now apply Rmult_le_compat_l.
  - nra. }
destruct rest as [|next rest]; cbn [walk under].
- split; [apply P, Rle_trans with (2 := A), F|]. apply IH. split; [apply Rle_trans with (2 := A), F|exact Logic.I].
- destruct B as [B C]. split; [now apply P|]. apply IH. now split.
Qed.

Fixpoint sums (x y : list int) : list int := match x, y with u :: x', v :: y' => plus u v :: sums x' y' | _, _ => [] end.
Fixpoint larger (x y : list int) : list int := match x, y with u :: x', v :: y' => most u v :: larger x' y' | _, _ => [] end.

Lemma sums_ok g h : (forall i, g i + h i <= 31) -> forall i x y, under g i x -> under h i y ->
  under (fun j => g j + h j) i (sums x y).
Proof.
intros B i x; revert i; induction x as [|u x IH]; intros i [|v y]; simpl; auto. intros [G1 G2] [H1 H2].
split; [now apply plus_ok|auto].
Qed.

Lemma larger_ok g : forall i x y, under g i x -> under g i (larger x y).
Proof.
intros i x; revert i; induction x as [|u x IH]; intros i [|v y]; simpl; auto. intros [G1 G2].
split; [apply Rle_trans with (1 := G1), most_ok|auto].
Qed.

Lemma larger_ok' g : forall i x y, under g i y -> under g i (larger x y).
Proof.
intros i x; revert i; induction x as [|u x IH]; intros i [|v y]; simpl; auto. intros [G1 G2].
split; [apply Rle_trans with (1 := G1), most_ok|auto].
Qed.

(* A tap: the row moved by o, two neighbours weighted; or the same value everywhere. *)
Inductive tap := At (o : Z) (a b : int) | Same (u : int).
Definition tapped (t : tap) (fuel row : list int) : list int :=
  match t, row with
  | Same u, _ => List.map (fun _ => u) fuel
  | At o a b, cur :: rest =>
    match o with
    | Zneg n => match pad (Pos.to_nat n) row with cur' :: rest' => walk a b fuel cur' rest' | [] => [] end
    | _ => match skip (Z.to_nat o) cur rest with cur' :: rest' => walk a b fuel cur' rest' | [] => [] end
    end
  | At _ _ _, [] => []
  end.

Definition tap_good (g h : Z -> R) (t : tap) := match t with
  | At o a b => forall i, h i <= weight a * g (i + o)%Z + weight b * g (i + o + 1)%Z
  | Same u => forall i, h i <= val u end.

Lemma tapped_ok g h t fuel i row : falling g -> tap_good g h t -> under g i row -> under h i (tapped t fuel row).
Proof.
intros F T U. destruct t as [o a b|u]; simpl in T.
- assert (F' : falling (fun j => g (j + o)%Z)).
  { split; [intros; apply F|]. intros j. replace (j + 1 + o)%Z with (j + o + 1)%Z by lia. apply F. }
  assert (W : forall row', under g (i + o)%Z row' ->
    under h i (match row' with cur' :: rest' => walk a b fuel cur' rest' | [] => [] end)).
  { intros [|cur' rest'] U'; [exact Logic.I|]. apply (walk_ok (fun j => g (j + o)%Z)); [exact F'| |now apply under_shifted].
    intros j. apply Rle_trans with (1 := T j). replace (j + 1 + o)%Z with (j + o + 1)%Z by lia. lra. }
  destruct row as [|cur rest]; [exact Logic.I|]. destruct o as [|n|n]; cbn [tapped]; apply W.
  + rewrite Z.add_0_r. exact U.
  + replace (i + Z.pos n)%Z with (i + Z.of_nat (Z.to_nat (Z.pos n)))%Z by lia. now apply skip_ok.
  + replace (i + Z.neg n)%Z with (i - Z.of_nat (Pos.to_nat n))%Z by lia. now apply pad_ok.
- assert (A : forall k, under h k (List.map (fun _ => u) fuel)).
  { clear U. induction fuel as [|f fuel IH]; intros k; simpl; auto. }
  destruct row; apply A.
Qed.

(* The best of several outcomes, each the sum of two taps. *)
Definition outcome (fuel more same : list int) (t : tap * tap) : list int :=
  sums (tapped (fst t) fuel more) (tapped (snd t) fuel same).
Fixpoint best (fuel more same : list int) (l : list (tap * tap)) : list int :=
  match l with
  | [] => List.map (fun _ => 0%uint63) fuel
  | [t] => outcome fuel more same t
  | t :: l' => larger (outcome fuel more same t) (best fuel more same l')
  end.

Lemma best_ok g i fuel more same l t : In t l -> under g i (outcome fuel more same t) -> under g i (best fuel more same l).
Proof.
induction l as [|t0 l IH]; intros I H; [destruct I|]. destruct l as [|t1 l].
- destruct I as [<-|[]]. exact H.
- change (best fuel more same (t0 :: t1 :: l)) with
    (larger (outcome fuel more same t0) (best fuel more same (t1 :: l))).
  destruct I as [<-|I]; [now apply larger_ok|]. apply larger_ok'. now apply IH.
Qed.

(* A function is below a row if at every place one of those is at least as large of which all are below it. *)
Lemma under_some {T} g (h : T -> Z -> R) l i row : (forall j, exists t, In t l /\ g j <= h t j) ->
  (forall t, In t l -> under (h t) i row) -> under g i row.
Proof.
intros E; revert i; induction row as [|u row IH]; intros i H; [exact Logic.I|]. split.
- destruct (E i) as (t & I & L). apply Rle_trans with (1 := L). now apply (H t I).
- apply IH. intros t I. now apply (H t I).
Qed.
