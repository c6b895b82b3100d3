(* The value of the threshold game for any number of arms, as one computation of the kernel: what it accepts is private.
   theorem-3/law/thousand/any-arms gives it the numbers for T = 1000. *)
From Coq Require Import Reals Lra Lia List ZArith Bool Uint63.
From Bignums Require Import BigZ.
From Dpbandits.ou24 Require Import section_3_game.
From Dpbandits Require Import normal moments coins rewards thompson thompson_samples drawn_thompson.
From Dpbandits Require Import game game_rows game_numbers game_polygon game_table game_run.
From Dpbandits Require Import witnesses drawn_witnesses.
Import ListNotations.
Open Scope R_scope.

(** * Trees of coins come near the value *)
Section Trees.
Variables (variance : R) (rises : bool) (last : nat).

(* The coins of a state, at any threshold. The state `last` has those of all larger numbers of pulls. *)
Definition threshold_coin (k i : nat) (p q : R) := exists n x, i = Nat.min n last /\
  p = chance_p variance rises n x /\ q = chance_q variance rises n x.

Lemma threshold_chances k i p q : threshold_coin k i p q -> 0 <= p <= 1 /\ 0 <= q <= 1.
Proof. intros (n & x & _ & -> & ->). apply chances_inside. Qed.

Notation value := (value last threshold_coin).
Notation game_value := (game_value variance rises).

(* A value above all coins but one part c of it. *)
Lemma near_supremum k n P Q c : 0 <= P -> 0 <= Q -> 0 < c -> exists x,
  game_value (S k) n P Q <= section_3_game.worth (game_value k (S n)) (game_value k n)
    (chance_p variance rises n x) (chance_q variance rises n x) P Q + c.
Proof.
intros HP HQ C. apply Classical_Pred_Type.not_all_not_ex. intros N.
assert (B := proj2 (value_bounds variance rises k n P Q HP HQ) (game_value (S k) n P Q - c)).
assert (L : game_value (S k) n P Q <= game_value (S k) n P Q - c); [|lra].
apply B. intros x. generalize (N x). lra.
Qed.

Lemma tree_near_value k : forall n P Q c, 0 <= P -> 0 <= Q -> 0 < c -> exists v, value k (Nat.min n last) v /\
  game_value k n P Q <= v P Q + c.
Proof.
induction k as [|k IH]; intros n P Q c HP HQ C.
- exists (fun P Q => Rmax (P - Q) 0). split; [now constructor|simpl; lra].
- destruct (near_supremum k n P Q (c / 3) HP HQ ltac:(lra)) as (x & X). unfold section_3_game.worth in X.
  set (p := chance_p variance rises n x) in *. set (q := chance_q variance rises n x) in *.
  assert (pq : 0 <= p <= 1 /\ 0 <= q <= 1) by apply chances_inside. destruct pq as [p01 q01].
  destruct (IH (S n) (p * P) (q * Q) (c / 3)) as (f & F & Ff); [nra|nra|lra|].
  destruct (IH n ((1 - p) * P) ((1 - q) * Q) (c / 3)) as (g & G & Gg); [nra|nra|lra|].
  exists (fun P Q => f (p * P) (q * Q) + g ((1 - p) * P) ((1 - q) * Q)). split; [|lra].
  apply value_round with (p := p) (q := q) (f := f) (g := g); [now exists n, x| |exact G|reflexivity].
  now replace (Nat.min (S (Nat.min n last)) last) with (Nat.min (S n) last) by lia.
Qed.

(* What is at least every tree is at least the value. *)
Theorem value_at_most_trees k n P Q b : 0 <= P -> 0 <= Q ->
  (forall v, value k (Nat.min n last) v -> v P Q <= b) -> game_value k n P Q <= b.
Proof.
intros HP HQ B. apply le_epsilon. intros c C. destruct (tree_near_value k n P Q c HP HQ C) as (v & V & H).
generalize (B v V). lra.
Qed.
End Trees.

Lemma holds_all_threshold_coins table num den rises last k i g p q f : tabled 0 table -> 0 < real num -> 0 < real den ->
  polygon_good table g = true -> holds_all num den i g = true -> (i <= last)%nat ->
  threshold_coin (variance_of num den) rises last k i p q -> convex_square f ->
  exists c, In c (corners_of g) /\ f p q <= f (in58 (fst (swapped rises c))) (in58 (snd (swapped rises c))).
Proof.
intros Tab Np Dp Po H Li (n & x & E & -> & ->) Cx. assert (V : 0 < variance_of num den) by (now apply Rdiv_lt_0_compat).
assert (S : 0 <= shift (variance_of num den) n <= shift (variance_of num den) n).
{ split; [left; now apply shift_positive|apply Rle_refl]. }
unfold chance_p, chance_q, swapped. destruct rises; cbn [fst snd].
- exact (holds_all_ok table Tab num den Np Dp i g n _ x f Po H ltac:(lia) S Cx).
- assert (Cx' : convex_square (fun q' p' => f p' q')).
  { intros a p1 q1 p2 q2 A [S1 S1'] [S2 S2']. apply Cx; [exact A|split; assumption|split; assumption]. }
  exact (holds_all_ok table Tab num den Np Dp i g n _ x _ Po H ltac:(lia) S Cx').
Qed.

(** * The computation *)
(* A round with these polygons, whose taps are known where every theta is 1. *)
Notation step := (list shape -> list (list (tap * tap)) -> list state -> option (list state)).
Fixpoint repeated (step : step) (shapes : list shape) (known : list (list (tap * tap))) (n : nat) (states : list state) :
  option (list state) :=
  match n with
  | O => Some states
  | S n' => match step shapes known states with Some states' => repeated step shapes known n' states' | None => None end
  end.
(* The states after all these rounds, the last ones first. *)
Fixpoint played (step : step) (taps : shape -> list (tap * tap)) (spans : list (nat * list shape)) (states : list state) :
  option (list state) :=
  match spans with
  | [] => Some states
  | (n, shapes) :: rest =>
    match repeated step shapes (List.map taps shapes) n states with
    | Some states' => played step taps rest states'
    | None => None
    end
  end.
(* Rounds from the state `least` on, and taps, for one side of the change. *)
Definition step_of (num den : bigZ) (last least : nat) (rises : bool) (d : choices) : step :=
  next_states d last rises (fun _ => holds_all num den) 0 least.
Definition taps_of_side (rises : bool) (d : choices) : shape -> list (tap * tap) :=
  taps_at_one (ratio_of d) (ups_of d) (downs_of d) rises.

(* Whether the game for one side of the change, of so many rounds from the state `least` on, is worth at most `most` at
   Q = e^eps, in units of 2^-44. *)
Definition side_within (table : list entry) (rounds last least : nat) (num den e : bigZ) (rises : bool) (d : choices)
  (most : int) : bool :=
  Nat.leb least last && (two20 + 1 <=? ratio_of d)%bigZ && (1 <=? one_of d)%bigZ && polygons_good table d &&
  Nat.eqb (length (rounds_of d)) rounds &&
  match played (step_of num den last least rises d) (taps_of_side rises d) (spans_of d)
    (repeat (end_of d) (S last - least)) with
  | Some (s :: _) => (worth (ratio_of d) (ups_of d) (downs_of d) e (one_of d) s <=? most)%uint63
  | _ => false
  end.
(* The rounds after `many` pre-pulls of each of two arms, or of more of them, or after the first round. *)
Definition any_arms_within (table : list entry) (T last many : nat) (num den e : bigZ) (d d' : choices) (most : int) :=
  (1 <=? num)%bigZ && (1 <=? den)%bigZ && (0 <=? e)%bigZ &&
  let rounds := (T - Nat.max (2 * many) 1)%nat in let least := Nat.max many 1 in
  side_within table rounds last least num den e true d most &&
  side_within table rounds last least num den e false d' most.

Section Side.
Variables (table : list entry) (num den : bigZ) (last least : nat) (rises : bool) (d : choices).
Hypotheses (table_good : tabled 0 table) (num_positive : 0 < real num) (den_positive : 0 < real den).
Notation coin := (threshold_coin (variance_of num den) rises last).

Hypothesis ratio_good : (two20 + 1 <=? ratio_of d)%bigZ = true.

Lemma step_ok k shapes states l : forallb (polygon_good table) shapes = true ->
  all_kept (ratio_of d) (base_of d) last coin k least states ->
  step_of num den last least rises d shapes (List.map (taps_of_side rises d) shapes) states = Some l ->
  all_kept (ratio_of d) (base_of d) last coin (S k) least l.
Proof.
intros Good K E.
apply (next_ok _ ratio_good _ _ (ups_ok d ratio_good) (downs_ok d ratio_good) (base_of d) (growth_of d) (cut_of d)
  table 0 last rises coin (threshold_chances _ rises last) (fun _ => holds_all num den))
  with (states := states) (shapes := shapes) (known := List.map (taps_of_side rises d) shapes).
- intros k0 i g p q f. now apply holds_all_threshold_coins.
- exact Good.
- now right.
- exact K.
- exact E.
Qed.

Lemma repeated_ok shapes n : forallb (polygon_good table) shapes = true -> forall k states l,
  all_kept (ratio_of d) (base_of d) last coin k least states ->
  repeated (step_of num den last least rises d) shapes (List.map (taps_of_side rises d) shapes) n states = Some l ->
  all_kept (ratio_of d) (base_of d) last coin (n + k) least l.
Proof.
intros Good. induction n as [|n IH]; intros k states l K E; cbn [repeated] in E; [now injection E as <-|].
destruct (step_of _ _ _ _ _ _ _ _ _) as [states'|] eqn:N; [|discriminate].
replace (S n + k)%nat with (n + S k)%nat by lia. apply (IH (S k) states' l); [|exact E].
now apply (step_ok k shapes states).
Qed.

Lemma played_ok : forall spans k states l,
  forallb (fun s => forallb (polygon_good table) (snd s)) spans = true ->
  all_kept (ratio_of d) (base_of d) last coin k least states ->
  played (step_of num den last least rises d) (taps_of_side rises d) spans states = Some l ->
  all_kept (ratio_of d) (base_of d) last coin
    (length (flat_map (fun s => repeat (snd s) (fst s)) spans) + k) least l.
Proof.
induction spans as [|[n shapes] spans IH]; intros k states l Good K E; cbn [played] in E; [now injection E as <-|].
cbn [forallb snd] in Good. apply andb_prop in Good. destruct Good as [G Good].
destruct (repeated _ _ _ _ _) as [states'|] eqn:N; [|discriminate].
cbn [flat_map fst snd]. rewrite app_length, repeat_length.
replace (n + length (flat_map (fun s => repeat (snd s) (fst s)) spans) + k)%nat
  with (length (flat_map (fun s : nat * list shape => repeat (snd s) (fst s)) spans) + (n + k))%nat by lia.
apply (IH (n + k)%nat states' l Good); [|exact E]. now apply (repeated_ok shapes n G k states).
Qed.
End Side.

Section Whole.
Variables (table : list entry) (num den e : bigZ) (eps : R) (last least : nat) (rises : bool) (d : choices).
Hypotheses (table_good : tabled 0 table) (num_positive : 0 < real num) (den_positive : 0 < real den).
Hypotheses (e_positive : 0 <= real e) (below_exp : in58 e <= exp eps).
Notation coin := (threshold_coin (variance_of num den) rises last).

Theorem side_within_ok rounds most : side_within table rounds last least num den e rises d most = true ->
  game_value (variance_of num den) rises rounds least 1 (exp eps) <= val most.
Proof.
intros H. unfold side_within in H. apply andb_prop in H. destruct H as [H W].
apply andb_prop in H. destruct H as [H Ln].
apply andb_prop in H. destruct H as [H Po]. apply andb_prop in H. destruct H as [H O]. apply andb_prop in H.
destruct H as [Ll Rg]. apply Nat.leb_le in Ll. apply Nat.eqb_eq in Ln. destruct (one_of_ok d Rg O) as [Op Og].
destruct (played _ _ _ _) as [[|s l]|] eqn:E; [discriminate| |discriminate].
apply (played_ok table num den last least rises d table_good num_positive den_positive Rg) with (k := 0%nat) in E;
  [|exact Po|].
- fold (rounds_of d) in E. rewrite Nat.add_0_r, Ln in E. destruct E as [K _]. apply (value_at_most_trees (variance_of num den) rises last);
    [lra|left; apply exp_pos|].
  replace (Nat.min least last) with least by lia. intros v V. apply leb_spec in W. apply IZR_le in W.
  apply Rle_trans with (val (worth (ratio_of d) (ups_of d) (downs_of d) e (one_of d) s)); [|unfold val; lra].
  now apply (worth_ok _ Rg _ _ (ups_ok d Rg) (downs_ok d Rg) (base_of d) last coin (threshold_chances _ rises last) eps
    e (one_of d) e_positive below_exp Op Og rounds least).
- apply all_kept_repeat. intros i. now apply end_kept.
Qed.
End Whole.

(** * What it accepts is private *)
Lemma prepulls_of_two {A} same T many (first : releases A) (i j : A) : i <> j -> prepulled same T many first ->
  (2 * many <= length first)%nat.
Proof.
intros N [_ C]. rewrite <- (C i) at 1.
assert (E : (moments.pulls A same i first + moments.pulls A same j first <= length first)%nat).
{ clear C. induction first as [|a h IH]; simpl; [lia|]. destruct (same i a), (same j a); (congruence || lia). }
rewrite (C i), (C j) in E. rewrite (C i). lia.
Qed.

(* Thompson sampling with any finite number of arms, T rounds, after `many` pre-pulls of each arm in any order, whether
   their rewards are kept or forgotten: private for either relation if the game is worth little enough. *)
Theorem any_arms_game table T last many num den variance eps delta e d d' most : tabled 0 table ->
  variance = variance_of num den -> 0 <= eps -> in58 e <= exp eps -> val most <= delta ->
  any_arms_within table T last many num den e d d' most = true ->
  forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
  NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) ->
  forall r kept first, prepulled same T many first -> pulls_private same arms first variance T r kept eps delta.
Proof.
intros Tab -> E0 Hexp Hd H A same arms different two all r kept before Pre. unfold any_arms_within in H. cbv zeta in H.
apply andb_prop in H. destruct H as [H Sides]. apply andb_prop in H. destruct H as [H Ep]. apply andb_prop in H.
destruct H as [Np Dp]. apply real_le in Np, Dp, Ep. change (real 1) with 1 in Np, Dp. change (real 0) with 0 in Ep.
apply andb_prop in Sides. destruct Sides as [Right Left].
assert (N0 : 0 < real num) by lra. assert (D0 : 0 < real den) by lra.
assert (V : 0 < variance_of num den) by (now apply Rdiv_lt_0_compat).
apply (side_within_ok table num den e eps last _ true d Tab N0 D0 Ep Hexp) in Right.
apply (side_within_ok table num den e eps last _ false d' Tab N0 D0 Ep Hexp) in Left.
destruct arms as [|i [|j arms]]; try (simpl in two; lia).
assert (I : i <> j). { inversion different as [|? ? Ni _]; subst. intros ->. apply Ni. now left. }
assert (More := prepulls_of_two same T many before i j I Pre).
apply drawn_private; [exact V|exact different|discriminate|apply Pre|].
intros x y near X Y event.
apply Rle_trans with (1 := game_private (variance_of num den) V A same _ different two all r eps T many kept before E0
  Pre x y near X Y event). apply Rplus_le_compat_l.
assert (Fewer : forall rises b,
  let value rounds := game_value (variance_of num den) rises rounds (Nat.max many 1) 1 (exp eps) in
  value (T - Nat.max (2 * many) 1)%nat <= b -> value (T - Nat.max (length before) 1)%nat <= b).
{ intros rises b value B. apply Rle_trans with (2 := B). apply value_at_start; [exact V|lra|left; apply exp_pos|lia|lia]. }
apply Rmax_lub; [apply Rle_trans with (1 := Fewer true _ Right)|apply Rle_trans with (1 := Fewer false _ Left)]; exact Hd.
Qed.

(* What a theorem with numbers says after pre-pulls; `any_arms_private` is the same without them. *)
Definition any_arms_private_after (variance eps delta : R) (T many : nat) :=
  forall (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
  NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) ->
  forall r kept first, prepulled same T many first -> pulls_private same arms first variance T r kept eps delta.

Lemma any_arms_after_witness T many : (many + many <= T)%nat ->
  exists (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A),
  NoDup arms /\ (2 <= length arms)%nat /\ (forall a, In a arms) /\
  exists (r : relation) (kept : bool) (first : releases A), prepulled same T many first /\
  exists (x y : rewards A) (_ : list A -> bool) (_ : nat), neighbours A same r x y /\ in_range A x /\ in_range A y.
Proof.
intros L. exists bool, bool_dec, both_arms. split; [exact both_different|split; [apply le_n|]].
split; [intros [|]; simpl; tauto|]. exists pull. now apply prepulled_witness.
Qed.
