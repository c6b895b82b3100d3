(* The kind "release" of certificates: steps one after another, each of which releases the largest of noisy options, whose
   means are made of the rewards of a table. *)
From Coq Require Import Reals Lra Lia List ZArith Sorted.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal formulas noisy_maximum decisions shared_values.
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

(* A window: of which noisy value it is a part, of which row, and from where to where; each is paid times its factor. Of
   weights, a row for each option: how much it has of every value; without any, the values are the options, and the
   largest alone is kept. off: what factors and weights may be off by, as a share of the largest, and scales of
   themselves. A release: the kept options, and how many steps after the next one it leads to; None for an end, which is
   a part of the event. *)
Definition window := (nat * nat * (Z * Z))%type.
Record selection := { noise_of : noise; scales : list R; divisors : list R; windows : list window; factors : list R;
  weights : list (list R); off : R; size : nat; released : list (list nat * option nat) }.

Definition summed (lengths : list Z) (table : list (list R)) (s : selection) (value : nat) : R :=
  fold_right Rplus 0 (map (fun w : window * R => let '(i, row, (first, last), factor) := w in
    if Nat.eqb i value then factor * paid lengths (nth row table []) 0 first last else 0)
    (combine (windows s) (factors s))).
Definition means (lengths : list Z) (table : list (list R)) (s : selection) : list R :=
  map (fun i => summed lengths table s i / nth i (divisors s) 1) (seq 0 (length (scales s))).
Definition kept_chance (lengths : list Z) (table : list (list R)) (s : selection) (kept : list nat) : R :=
  match weights s with
  | [] => noisy_maximum (noise_of s) (scales s) (means lengths table s) kept
  | rows => drawn_chance (noise_of s) (combine (means lengths table s) (scales s)) (largest_are rows kept)
  end.

(* Of each step, and all after it: that every release leads on, or to an end. *)
Fixpoint chances_from (lengths : list Z) (table : list (list R)) (steps : list selection) : list R :=
  match steps with
  | [] => []
  | s :: rest =>
      let after := chances_from lengths table rest in
      fold_right Rplus 0 (map (fun r : list nat * option nat =>
        kept_chance lengths table s (fst r) * match snd r with None => 1 | Some k => nth k after 0 end) (released s)) :: after
  end.
Definition release_chance (lengths : list Z) (steps : list selection) (table : list (list R)) : R :=
  hd 0 (chances_from lengths table steps).

(* The mechanisms of which a step speaks. *)
Definition close (e x x' : R) : Prop := Rabs (x' - x) <= e.
Definition greatest (l : list R) : R := fold_right (fun x => Rmax (Rabs x)) 0 l.
Definition alike (s s' : selection) : Prop := exists scales' factors' weights',
  s' = {| noise_of := noise_of s; scales := scales'; divisors := divisors s; windows := windows s; factors := factors';
    weights := weights'; off := off s; size := size s; released := released s |} /\
  Forall2 (fun x => close (off s * x) x) (scales s) scales' /\
  Forall2 (close (off s * greatest (factors s))) (factors s) factors' /\
  Forall2 (Forall2 (close (off s * greatest (concat (weights s))))) (weights s) weights'.

(* What is asked of a step and of tables. *)
Definition options (s : selection) : nat := match weights s with [] => length (scales s) | rows => length rows end.
Fixpoint sound (steps : list selection) : Prop :=
  match steps with
  | [] => True
  | s :: rest =>
      (length (divisors s) = length (scales s) /\ length (factors s) = length (windows s) /\
      List.Forall (fun x => 0 < x) (scales s ++ divisors s) /\ 0 <= off s /\
      List.Forall (fun row => length row = length (scales s)) (weights s) /\ (weights s = [] -> size s = 1%nat) /\
      NoDup (map fst (released s)) /\ List.Forall (fun r => Sorted lt (fst r) /\ length (fst r) = size s /\
        List.Forall (fun i => (i < options s)%nat) (fst r) /\
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
Ltac in_parts := repeat match goal with |- _ /\ _ => split end.
(* Of equal texts: whether two numbers are equal otherwise is not asked. *)
Ltac same := in_parts; match goal with |- ?x = ?x => reflexivity end.
Ltac for_each shown := repeat (apply List.Forall_cons; [shown|]); apply List.Forall_nil.

Ltac sound_step :=
  match goal with
  | |- True => exact I
  | |- _ <= _ => lra
  | |- _ -> _ => first [discriminate|reflexivity]
  | |- List.Forall (fun x => 0 < x) _ => for_each ltac:(lra)
  | |- List.Forall (fun row => length row = _) _ => for_each ltac:(reflexivity)
  | |- List.Forall _ _ => for_each ltac:(in_parts; first [exact I|reflexivity|for_each ltac:(lia)|lia|repeat constructor])
  | |- NoDup _ => repeat constructor; simpl; intuition discriminate
  | |- _ => reflexivity
  end.

Ltac about_tables n :=
  spell_out;
  in_parts;
  match goal with
  | |- sound _ =>
      cbn [sound scales divisors windows factors weights off size options released map fst snd length app];
      in_parts; sound_step
  | |- List.Forall _ _ => for_each ltac:(lia)
  | |- table_of _ _ _ _ _ => split; [reflexivity|for_each ltac:(split; [reflexivity|for_each ltac:(split; lra)])]
  | |- neighbouring_tables _ _ _ _ =>
      exists n; cbn [one_row differ_at];
      first [solve [repeat first [left; solve [same]|right; split; [same|]]]|
        solve [repeat constructor; cbn [differ_at]; same]]
  | |- _ => idtac
  end.

Ltac read_off :=
  cbv [kept_chance map fold_right fst snd noise_of scales divisors windows factors weights off means summed combine
    paid seq length nth Nat.eqb
    Z.max Z.min Z.add Z.sub Z.opp Z.compare Z.pos_sub Z.double Z.succ_double Z.pred_double CompOpp Pos.add Pos.add_carry
    Pos.succ Pos.compare Pos.compare_cont Pos.pred_double].

Ltac settle_release n :=
  about_tables n;
  cbv [release_chance chances_from hd nth map fold_right fst snd released];
  read_off; cbv [noisy_maximum winning map fold_right combine nth firstn skipn app];
  rewrite ?two_normals by lra;
  settle.

(* An option's chance in all mechanisms that a step speaks of: every number becomes a variable between its ends. *)
Lemma nearer e e' l l' : e <= e' -> Forall2 (close e) l l' -> Forall2 (close e') l l'.
Proof. intros L. induction 1; constructor; [unfold close in *; lra|assumption]. Qed.

Lemma all_nearer e e' l l' : e <= e' -> Forall2 (Forall2 (close e)) l l' -> Forall2 (Forall2 (close e')) l l'.
Proof. intros L. induction 1; constructor; [now apply (nearer e)|assumption]. Qed.

Lemma close_between e x x' : close e x x' -> x - e <= x' <= x + e.
Proof. unfold close. split_Rabs; lra. Qed.

Lemma head_of {A B} (P : A -> B -> Prop) x l l' : Forall2 P (x :: l) l' ->
  exists y rest, l' = y :: rest /\ P x y /\ Forall2 P l rest.
Proof. intros F. inversion_clear F. eauto. Qed.

Lemma end_of {A B} (P : A -> B -> Prop) l' : Forall2 P [] l' -> l' = [].
Proof. intros F. now inversion_clear F. Qed.

Lemma alike_released s s' : alike s s' -> released s' = released s.
Proof. now intros (? & ? & ? & -> & _). Qed.

Ltac one_by_one :=
  repeat match goal with
  | known : Forall2 _ [] _ |- _ => apply end_of in known; subst
  | known : Forall2 _ (_ :: _) _ |- _ => apply head_of in known; destruct known as (? & ? & -> & ? & known)
  end;
  repeat match goal with known : close _ _ _ |- _ => apply close_between in known end.

Ltac at_most_greatest := apply Rmult_le_compat_l; [lra|]; cbn; repeat apply Rmax_lub; try apply Rabs_le; lra.

(* Ends of few digits: all numbers are read again and again. *)
Ltac in_few_digits :=
  repeat match goal with known : _ <= ?x <= _ |- _ =>
    let few := fresh in interval_intro x with (i_prec 40) as few; clear known; revert few
  end;
  intros;
  repeat match goal with |- context [(?m, _) :: _] =>
    tryif is_var m then fail else
      (let few := fresh in interval_intro m with (i_prec 40) as few; revert few; generalize m; intros ? ?)
  end.

(* most_factor, most_weight: the largest of each. *)
Ltac enclose_kept most_factor most_weight :=
  intros s (scales' & factors' & weights' & -> & of_scales & of_factors & of_weights);
  spell_out; cbn [scales factors weights off concat app] in of_scales, of_factors, of_weights;
  match type of of_factors with Forall2 (close (?e * _)) _ _ =>
    apply (nearer _ (e * most_factor)) in of_factors; [|at_most_greatest];
    apply (all_nearer _ (e * most_weight)) in of_weights; [|at_most_greatest]
  end;
  one_by_one; read_off; in_few_digits; cbv beta.

Ltac settle_alike n :=
  about_tables n;
  match goal with
  | |- forall _, _ =>
      intros made known;
      one_by_one;
      cbv [release_chance chances_from hd];
      repeat match goal with is : alike _ ?s |- context [released ?s] => rewrite (alike_released _ _ is) end;
      cbv [released map fold_right fst snd nth];
      repeat match goal with
      | is : alike ?s ?s', known : forall s, alike ?s s -> _ <= kept_chance ?l ?t s ?k <= _ |-
          context [kept_chance ?l ?t ?s' ?k] =>
          generalize (known s' is); generalize (kept_chance l t s' k); intros ? ?
      end;
      settle
  | |- _ => settle
  end.
