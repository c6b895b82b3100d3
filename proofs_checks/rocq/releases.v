(* The kind "release" of certificates: steps one after another, each of which releases the largest of independent noisy
   values, whose means are made of the rewards of a table. *)
From Coq Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal formulas noisy_maximum.
Import ListNotations.
Open Scope R_scope.

(* A table stands in runs: how many rewards they have, and what each row pays for each of them. The sum of a row's
   rewards number first, ..., last - 1, from 0; the first run begins at number `begin`. *)
Fixpoint paid (lengths : list Z) (row : list R) (begin first last : Z) : R :=
  match lengths, row with
  | n :: lengths', x :: row' =>
      IZR (Z.max 0 (Z.min (begin + n) last - Z.max begin first)) * x + paid lengths' row' (begin + n) first last
  | _, _ => 0
  end.

(* A window: of which option it is a part, of which row, and from where to where. A release: the largest option, and
   how many steps after the next one it leads to; None for an end, which is a part of the event. *)
Definition window := (nat * nat * (Z * Z))%type.
Record selection := { noise_of : noise; scales : list R; divisors : list R; windows : list window;
  released : list (nat * option nat) }.

Definition summed (lengths : list Z) (table : list (list R)) (s : selection) (option : nat) : R :=
  fold_right Rplus 0 (map (fun w : window => let '(i, row, (first, last)) := w in
    if Nat.eqb i option then paid lengths (nth row table []) 0 first last else 0) (windows s)).
Definition means (lengths : list Z) (table : list (list R)) (s : selection) : list R :=
  map (fun i => summed lengths table s i / nth i (divisors s) 1) (seq 0 (length (scales s))).

(* Of each step, and all after it: that every release leads on, or to an end. *)
Fixpoint chances_from (lengths : list Z) (table : list (list R)) (steps : list selection) : list R :=
  match steps with
  | [] => []
  | s :: rest =>
      let after := chances_from lengths table rest in
      fold_right Rplus 0 (map (fun r : nat * option nat =>
        noisy_maximum (noise_of s) (scales s) (means lengths table s) [fst r] *
        match snd r with None => 1 | Some k => nth k after 0 end) (released s)) :: after
  end.
Definition release_chance (lengths : list Z) (steps : list selection) (table : list (list R)) : R :=
  hd 0 (chances_from lengths table steps).

(* What is asked of a step and of tables. *)
Fixpoint sound (steps : list selection) : Prop :=
  match steps with
  | [] => True
  | s :: rest =>
      (length (divisors s) = length (scales s) /\ List.Forall (fun x => 0 < x) (scales s ++ divisors s) /\
      NoDup (map fst (released s)) /\ List.Forall (fun r => (fst r < length (scales s))%nat /\
        match snd r with None => True | Some k => (k < length rest)%nat end) (released s)) /\ sound rest
  end.
Definition table_of (lengths : list Z) (rows : nat) (least most : R) (table : list (list R)) : Prop :=
  length table = rows /\
  List.Forall (fun row => length row = length lengths /\ List.Forall (fun x => least <= x /\ x <= most) row) table.

(* Rows that differ in one reward at most, the n-th, which is a run of its own. *)
Fixpoint differ_at (n : nat) (lengths : list Z) (x y : list R) : Prop :=
  match n, lengths, x, y with
  | O, k :: _, _ :: x', _ :: y' => k = 1%Z /\ x' = y'
  | S n', _ :: lengths', a :: x', b :: y' => a = b /\ differ_at n' lengths' x' y'
  | _, _, _, _ => False
  end.
Inductive relation := pull | round.
Fixpoint one_row (P : list R -> list R -> Prop) (left right : list (list R)) : Prop :=
  match left, right with
  | x :: left', y :: right' => P x y /\ left' = right' \/ x = y /\ one_row P left' right'
  | _, _ => False
  end.
Definition neighbouring_tables (r : relation) (lengths : list Z) (left right : list (list R)) : Prop :=
  exists n, match r with
  | pull => one_row (differ_at n lengths) left right
  | round => Forall2 (differ_at n lengths) left right
  end.

(** * Decisions *)
Ltac decide_release n :=
  spell_out;
  repeat match goal with |- _ /\ _ => split end;
  match goal with
  | |- sound _ =>
      cbn [sound scales divisors released map fst snd length app];
      repeat split; repeat constructor; cbn; (lra || lia || intuition lia)
  | |- List.Forall _ _ => repeat constructor; lia
  | |- table_of _ _ _ _ _ => split; [reflexivity|repeat constructor; lra]
  | |- neighbouring_tables _ _ _ _ =>
      exists n; cbn [one_row differ_at];
      first [solve [repeat first [left; solve [repeat split; reflexivity]|right; split; [reflexivity|]]]|
        solve [repeat constructor; cbn [differ_at]; repeat split; reflexivity]]
  | |- _ => idtac
  end;
  cbv [release_chance chances_from hd nth map fold_right fst snd noise_of scales divisors windows released means summed
    paid seq length Nat.eqb noisy_maximum winning combine firstn skipn app
    Z.max Z.min Z.add Z.sub Z.opp Z.compare Z.pos_sub Z.double Z.succ_double Z.pred_double CompOpp Pos.add Pos.add_carry
    Pos.succ Pos.compare Pos.compare_cont Pos.pred_double];
  rewrite ?two_normals by lra;
  decide_at_point.
