(* Comparisons of certificates, decided by computation: formulas are read as terms, and enclosed in interval arithmetic that
   the kernel's virtual machine runs. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Raux.
From Interval.Float Require Import Basic.
From Interval.Interval Require Import Interval.
From Interval.Real Require Import Xreal.
From Dpbandits Require Import normal formulas laplace half_planes normal_tails normal_series noisy_maximum.
Import ListNotations.
Open Scope R_scope.

(** * Terms and comparisons *)
(* Below N a: the chance that noise is at most a. Is n: the n-th variable. *)
Inductive term :=
| Int (z : Z) | Pi | Is (n : nat)
| Opp (a : term) | Size (a : term) | Inv (a : term) | Exp (a : term) | Ln (a : term) | Root (a : term)
| Floor (a : term) | Ceil (a : term) | Below (N : noise) (a : term) | Power (a : term) (n : nat)
| Add (a b : term) | Sub (a b : term) | Mul (a b : term) | Div (a b : term) | Larger (a b : term) | Smaller (a b : term).

Fixpoint meant (v : list R) (t : term) : R :=
  match t with
  | Int z => IZR z | Pi => PI | Is n => nth n v 0
  | Opp a => - meant v a | Size a => Rabs (meant v a) | Inv a => / meant v a | Exp a => exp (meant v a)
  | Ln a => ln (meant v a) | Root a => sqrt (meant v a) | Floor a => floor (meant v a) | Ceil a => ceil (meant v a)
  | Below N a => noise_below N (meant v a) | Power a n => meant v a ^ n
  | Add a b => meant v a + meant v b | Sub a b => meant v a - meant v b | Mul a b => meant v a * meant v b
  | Div a b => meant v a / meant v b | Larger a b => Rmax (meant v a) (meant v b)
  | Smaller a b => Rmin (meant v a) (meant v b)
  end.

Inductive comparison := Le (a b : term) | Lt (a b : term) | Eq (a b : term) | Not (c : comparison) | And (c d : comparison).
Fixpoint says (v : list R) (c : comparison) : Prop :=
  match c with
  | Le a b => meant v a <= meant v b | Lt a b => meant v a < meant v b | Eq a b => meant v a = meant v b
  | Not c => ~ says v c | And c d => says v c /\ says v d
  end.

(* Numerator and denominator. A hint: a value of the noise, and bounds on the two chances there. *)
Definition worth (q : Z * Z) : R := IZR (fst q) / IZR (snd q).
Definition hint := ((Z * Z) * ((Z * Z) * (Z * Z)) * ((Z * Z) * (Z * Z)))%type.
Definition point_of (h : hint) : point :=
  let '(u, (f0, f1), (g0, g1)) := h in (worth u, (worth f0, worth f1), (worth g0, worth g1)).
Definition group_of (g : term * term * nat) : R * R * nat := let '(m, s, n) := g in (meant [] m, meant [] s, n).

(** * Intervals around them *)
Lemma noise_between_0_1 N x : holds (I.join (I.fromZ bits 0) (I.fromZ bits 1)) (noise_below N x).
Proof.
set (i := I.join _ _).
assert (A : holds i 0) by (apply I.join_correct; left; apply (in_whole bits 0)).
assert (B : holds i 1) by (apply I.join_correct; right; apply (in_whole bits 1)).
assert (H := noise_inside N x). unfold holds, contains in *. destruct (I.convert i) as [|[|l] [|u]]; lra.
Qed.

Section Precision.
Variable p : F.precision.
Notation whole := (whole p).
Notation is_at_most := (is_at_most p).
Notation is_less := (is_less p).

Lemma in_floor i x : holds i x -> holds (I.nearbyint rnd_DN i) (floor x).
Proof. exact (I.nearbyint_correct rnd_DN i (Xreal x)). Qed.
Lemma in_ceil i x : holds i x -> holds (I.nearbyint rnd_UP i) (ceil x).
Proof. exact (I.nearbyint_correct rnd_UP i (Xreal x)). Qed.

(* Phi: by its series, with n terms, or far out by the tail's bound. root: sqrt(2 pi), computed once. *)
(* How many terms leave a rest below 2^-p: p and three times x^2 or more. *)
Fixpoint terms_for (tries n : nat) (x2 : I.type) : nat :=
  match tries with
  | O => O
  | S tries' => if is_at_most (I.mul p (whole 3) x2) (whole (Z.of_nat n)) then n else terms_for tries' (n + n) x2
  end.
Definition Phi_right_of (root : I.type) (least_terms : nat) (i : I.type) : I.type :=
  let x2 := I.mul p i i in let bell := I.exp p (I.neg (I.div p x2 (whole 2))) in let n := terms_for 7 least_terms x2 in
  if is_at_most (I.mul p (whole 2) x2) (whole (1 + 2 * Z.of_nat n)) then
    I.add p (I.div p (whole 1) (whole 2)) (I.mul p (I.div p bell root) (I.mul p i (series_in p n 3 x2)))
  else I.join (I.sub p (whole 1) bell) (whole 1).

Lemma in_Phi_right n i x : 0 <= x -> holds i x -> holds (Phi_right_of (root_of_2pi p) n i) (Phi x).
Proof.
intros X H. unfold Phi_right_of. cbv zeta. assert (H2 := in_mul p i i x x H H).
assert (E : holds (I.exp p (I.neg (I.div p (I.mul p i i) (whole 2)))) (exp (- (x * x) / 2))).
{ replace (- (x * x) / 2) with (- (x * x / 2)) by field. apply in_exp, in_neg, in_div; [exact H2|apply (in_whole p 2)]. }
set (m := terms_for _ _ _). destruct (is_at_most _ _) eqn:Few.
- assert (Far := is_at_most_ok p _ _ _ _ Few (in_mul p _ _ _ _ (in_whole p 2) H2) (in_whole p _)).
  destruct (series_between m x X) as (t & T & ->).
  { rewrite INR_IZR_INZ, Nat2Z.inj_add, Nat2Z.inj_mul. exact Far. }
  rewrite (series_nested t m 1 3 x) by reflexivity.
  apply in_add; [apply in_div; [apply (in_whole p 1)|apply (in_whole p 2)]|].
  apply in_mul; [unfold density; apply in_div; [exact E|apply in_root_of_2pi]|].
  apply in_mul; [now rewrite pow_1|now apply in_series].
- assert (T := half_tail x X). assert (P := Phi_inside (- x)). rewrite Phi_opp in T, P.
  set (e := exp (- (x * x) / 2)) in *. assert (0 < e) by apply exp_pos.
  assert (A := in_left (I.sub p (whole 1) (I.exp p (I.neg (I.div p (I.mul p i i) (whole 2))))) (whole 1) (1 - e)
    (in_sub p _ _ _ _ (in_whole p 1) E)).
  assert (B := in_right (I.sub p (whole 1) (I.exp p (I.neg (I.div p (I.mul p i i) (whole 2))))) (whole 1) 1 (in_whole p 1)).
  unfold holds, contains in *. destruct (I.convert (I.join _ _)) as [|[|l] [|u]]; lra.
Qed.

Section Root.
Variables (root : I.type) (least_terms : nat).
Hypothesis root_right : root = root_of_2pi p.
Definition left_side (N : noise) (i : I.type) : I.type :=
  match N with
  | gaussian => I.sub p (whole 1) (Phi_right_of root least_terms (I.neg i))
  | laplacian => I.div p (I.exp p i) (whole 2)
  end.
Definition right_side (N : noise) (i : I.type) : I.type :=
  match N with
  | gaussian => Phi_right_of root least_terms i
  | laplacian => I.sub p (whole 1) (I.div p (I.exp p (I.neg i)) (whole 2))
  end.
Definition below_in (N : noise) (i : I.type) : I.type :=
  if is_at_most (whole 0) i then right_side N i else if is_at_most i (whole 0) then left_side N i
  else I.join (left_side N i) (right_side N i).

Lemma in_left_side N i x : x <= 0 -> holds i x -> holds (left_side N i) (noise_below N x).
Proof.
intros X H. destruct N; cbn [left_side].
- change (noise_below gaussian x) with (Phi x). replace x with (- (- x)) by ring. rewrite Phi_opp, root_right.
  apply in_sub; [apply (in_whole p 1)|]. apply in_Phi_right; [lra|now apply in_neg].
- rewrite Laplace_left by exact X. apply in_div; [now apply in_exp|apply (in_whole p 2)].
Qed.
Lemma in_right_side N i x : 0 <= x -> holds i x -> holds (right_side N i) (noise_below N x).
Proof.
intros X H. destruct N; cbn [right_side].
- rewrite root_right. now apply in_Phi_right.
- rewrite Laplace_right by exact X. apply in_sub; [apply (in_whole p 1)|]. apply in_div; [now apply in_exp, in_neg|apply (in_whole p 2)].
Qed.
Lemma in_below N i x : holds i x -> holds (below_in N i) (noise_below N x).
Proof.
intros H. unfold below_in. destruct (is_at_most (whole 0) i) eqn:A; [|destruct (is_at_most i (whole 0)) eqn:B].
- apply in_right_side; [|exact H]. exact (is_at_most_ok p _ _ _ _ A (in_whole p 0) H).
- apply in_left_side; [|exact H]. exact (is_at_most_ok p _ _ _ _ B H (in_whole p 0)).
- destruct (Rle_lt_dec x 0) as [L|L]; [apply in_left, in_left_side|apply in_right, in_right_side]; try assumption; lra.
Qed.

Fixpoint enclosed_in (boxes : list I.type) (t : term) : I.type :=
  match t with
  | Int z => whole z | Pi => I.pi p | Is n => nth n boxes (whole 0)
  | Opp a => I.neg (enclosed_in boxes a) | Size a => I.abs (enclosed_in boxes a) | Inv a => I.inv p (enclosed_in boxes a)
  | Exp a => I.exp p (enclosed_in boxes a) | Ln a => I.ln p (enclosed_in boxes a) | Root a => I.sqrt p (enclosed_in boxes a)
  | Floor a => I.nearbyint rnd_DN (enclosed_in boxes a) | Ceil a => I.nearbyint rnd_UP (enclosed_in boxes a)
  | Below N a => below_in N (enclosed_in boxes a) | Power a n => I.power_int p (enclosed_in boxes a) (Z.of_nat n)
  | Add a b => I.add p (enclosed_in boxes a) (enclosed_in boxes b)
  | Sub a b => I.sub p (enclosed_in boxes a) (enclosed_in boxes b)
  | Mul a b => I.mul p (enclosed_in boxes a) (enclosed_in boxes b)
  | Div a b => I.div p (enclosed_in boxes a) (enclosed_in boxes b)
  | Larger a b => let i := enclosed_in boxes a in let j := enclosed_in boxes b in
      if is_at_most i j then j else if is_at_most j i then i else I.join i j
  | Smaller a b => let i := enclosed_in boxes a in let j := enclosed_in boxes b in
      if is_at_most i j then i else if is_at_most j i then j else I.join i j
  end.

Lemma nth_in boxes v : Forall2 holds boxes v -> forall n, holds (nth n boxes (whole 0)) (nth n v 0).
Proof. induction 1 as [|i x boxes v H _ IH]; intros [|n]; simpl; try apply (in_whole p 0); auto. Qed.

Lemma is_enclosed boxes v t : Forall2 holds boxes v -> holds (enclosed_in boxes t) (meant v t).
Proof.
intros H. induction t; cbn [enclosed_in meant];
  auto using in_whole, nth_in, in_neg, in_abs, in_inv, in_exp, in_ln, in_root, in_floor, in_ceil, in_below, in_power, in_add,
    in_sub, in_mul, in_div.
- apply I.pi_correct.
- destruct (is_at_most _ _) eqn:A; [|destruct (is_at_most (enclosed_in boxes t2) _) eqn:B].
  + rewrite Rmax_right; [assumption|]. eapply is_at_most_ok; eassumption.
  + rewrite Rmax_left; [assumption|]. eapply is_at_most_ok; eassumption.
  + unfold Rmax. destruct (Rle_dec _ _); [now apply in_right|now apply in_left].
- destruct (is_at_most _ _) eqn:A; [|destruct (is_at_most (enclosed_in boxes t2) _) eqn:B].
  + rewrite Rmin_left; [assumption|]. eapply is_at_most_ok; eassumption.
  + rewrite Rmin_right; [assumption|]. eapply is_at_most_ok; eassumption.
  + unfold Rmin. destruct (Rle_dec _ _); [now apply in_left|now apply in_right].
Qed.

(* None: the intervals are too wide. *)
Fixpoint decided (boxes : list I.type) (c : comparison) : option bool :=
  match c with
  | Le a b => let i := enclosed_in boxes a in let j := enclosed_in boxes b in
      if is_at_most i j then Some true else if is_less j i then Some false else None
  | Lt a b => let i := enclosed_in boxes a in let j := enclosed_in boxes b in
      if is_less i j then Some true else if is_at_most j i then Some false else None
  | Eq a b => let i := enclosed_in boxes a in let j := enclosed_in boxes b in
      if is_at_most i j && is_at_most j i then Some true else if is_less i j || is_less j i then Some false else None
  | Not c => option_map negb (decided boxes c)
  | And c d =>
      match decided boxes c with
      | Some false => Some false
      | Some true => decided boxes d
      | None => match decided boxes d with Some false => Some false | _ => None end
      end
  end.

Lemma decided_ok boxes v c : Forall2 holds boxes v -> forall b, decided boxes c = Some b -> if b then says v c else ~ says v c.
Proof.
intros H. assert (E := fun t => is_enclosed boxes v t H).
induction c as [a b|a b|a b|c IH|c IHc d IHd]; cbn [decided says]; cbv zeta; intros r.
- destruct (is_at_most _ _) eqn:A; [intros [= <-]; exact (is_at_most_ok p _ _ _ _ A (E a) (E b))|].
  destruct (is_less _ _) eqn:B; [|discriminate]. intros [= <-]. generalize (is_less_ok p _ _ _ _ B (E b) (E a)). lra.
- destruct (is_less _ _) eqn:A; [intros [= <-]; exact (is_less_ok p _ _ _ _ A (E a) (E b))|].
  destruct (is_at_most _ _) eqn:B; [|discriminate]. intros [= <-]. generalize (is_at_most_ok p _ _ _ _ B (E b) (E a)). lra.
- destruct (_ && _) eqn:A.
  { apply andb_prop in A. destruct A as [A B]. intros [= <-].
    apply Rle_antisym; [exact (is_at_most_ok p _ _ _ _ A (E a) (E b))|exact (is_at_most_ok p _ _ _ _ B (E b) (E a))]. }
  destruct (_ || _) eqn:B; [|discriminate]. apply orb_prop in B. intros [= <-].
  destruct B as [B|B]; [generalize (is_less_ok p _ _ _ _ B (E a) (E b))|generalize (is_less_ok p _ _ _ _ B (E b) (E a))]; lra.
- destruct (decided boxes c) as [b|]; [|discriminate]. intros [= <-]. specialize (IH b eq_refl). destruct b; simpl in *; tauto.
- destruct (decided boxes c) as [[|]|].
  + specialize (IHc true eq_refl). intros D. specialize (IHd r D). destruct r; simpl in *; tauto.
  + specialize (IHc false eq_refl). intros [= <-]. simpl in *. tauto.
  + destruct (decided boxes d) as [[|]|]; try discriminate. specialize (IHd false eq_refl). intros [= <-]. simpl in *. tauto.
Qed.

(* Where variables lie: between two terms without variables. *)
Definition from_to (lo hi : I.type) : I.type := I.meet (I.upper_extent lo) (I.lower_extent hi).
Lemma in_from_to i j a x b : holds i a -> holds j b -> a <= x <= b -> holds (from_to i j) x.
Proof.
intros A B H. apply I.meet_correct; [now apply (I.upper_extent_correct i x a)|now apply (I.lower_extent_correct j x b)].
Qed.
Fixpoint between_ends (v : list R) (ends : list (term * term)) : Prop :=
  match v, ends with
  | [], [] => True
  | x :: v', (lo, hi) :: ends' => meant [] lo <= x <= meant [] hi /\ between_ends v' ends'
  | _, _ => False
  end.
Definition boxes_of (ends : list (term * term)) : list I.type :=
  map (fun e => from_to (enclosed_in [] (fst e)) (enclosed_in [] (snd e))) ends.
Lemma in_boxes v ends : between_ends v ends -> Forall2 holds (boxes_of ends) v.
Proof.
revert ends. induction v as [|x v IH]; intros [|[lo hi] ends] H; try contradiction; [constructor|].
destruct H as [H Rest]. constructor; [|now apply IH].
apply (in_from_to _ _ (meant [] lo) _ (meant [] hi)); [apply is_enclosed; constructor..|exact H].
Qed.

(** ** An option's chance, by cells between points *)
Definition fraction_in (q : Z * Z) : I.type := I.div p (whole (fst q)) (whole (snd q)).
Lemma in_fraction q : holds (fraction_in q) (worth q).
Proof. apply in_div; apply in_whole. Qed.
Lemma in_term t : holds (enclosed_in [] t) (meant [] t).
Proof. apply is_enclosed. constructor. Qed.

Fixpoint grouped_in (N : noise) (x : I.type) (groups : list (term * term * nat)) : I.type :=
  match groups with
  | [] => whole 1
  | (m, s, n) :: rest =>
      I.mul p (I.power_int p (below_in N (I.div p (I.sub p x (enclosed_in [] m)) (enclosed_in [] s))) (Z.of_nat n))
        (grouped_in N x rest)
  end.
Lemma in_grouped N i x groups : holds i x -> holds (grouped_in N i groups) (grouped N x (map group_of groups)).
Proof.
intros H. induction groups as [|[[m s] n] rest IH]; cbn [grouped_in map group_of grouped]; [apply (in_whole p 1)|].
apply in_mul; [|exact IH]. apply in_power, in_below, in_div; [apply in_sub; [exact H|]|]; apply in_term.
Qed.

Definition at_most_in (q r : Z * Z) : bool := is_at_most (fraction_in q) (fraction_in r).
Lemma at_most_in_ok q r : at_most_in q r = true -> worth q <= worth r.
Proof. intros H. exact (is_at_most_ok p _ _ _ _ H (in_fraction q) (in_fraction r)). Qed.

Definition point_right (N : noise) (m s : term) (groups : list (term * term * nat)) (h : hint) : bool :=
  let '(u, (f0, f1), (g0, g1)) := h in
  let f := below_in N (fraction_in u) in
  let g := grouped_in N (I.add p (enclosed_in [] m) (I.mul p (enclosed_in [] s) (fraction_in u))) groups in
  (is_at_most (fraction_in f0) f && is_at_most f (fraction_in f1) && at_most_in (0, 1)%Z g0 &&
   is_at_most (fraction_in g0) g && is_at_most g (fraction_in g1)).
Lemma points_right_ok N m s groups points : forallb (point_right N m s groups) points = true ->
  enclosed N (meant [] m) (meant [] s) (map group_of groups) (map point_of points).
Proof.
induction points as [|[[u [f0 f1]] [g0 g1]] rest IH]; cbn [forallb map point_of enclosed]; intros H; [exact Logic.I|].
apply andb_prop in H. destruct H as [H Rest]. unfold point_right in H. repeat rewrite andb_true_iff in H.
destruct H as ((((F0 & F1) & G) & G0) & G1). assert (F := in_below N _ _ (in_fraction u)).
assert (K := in_grouped N _ _ groups (in_add p _ _ _ _ (in_term m) (in_mul p _ _ _ _ (in_term s) (in_fraction u)))).
apply at_most_in_ok in G. replace (worth (0, 1)%Z) with 0 in G by (unfold worth; simpl; field).
split; [split|split; [split; [|split]|now apply IH]].
- exact (is_at_most_ok p _ _ _ _ F0 (in_fraction f0) F).
- exact (is_at_most_ok p _ _ _ _ F1 F (in_fraction f1)).
- exact G.
- exact (is_at_most_ok p _ _ _ _ G0 (in_fraction g0) K).
- exact (is_at_most_ok p _ _ _ _ G1 K (in_fraction g1)).
Qed.

Fixpoint rising_in (u : Z * Z) (points : list hint) : bool :=
  match points with [] => true | (v, _, _) :: rest => at_most_in u v && rising_in v rest end.
Lemma rising_in_ok points : forall u, rising_in u points = true -> rising (worth u) (map place (map point_of points)).
Proof.
induction points as [|[[v [f0 f1]] [g0 g1]] rest IH]; cbn [rising_in]; intros u H; [exact Logic.I|].
apply andb_prop in H. split; [now apply at_most_in_ok|now apply IH].
Qed.

Fixpoint least_in (f1 g0 : Z * Z) (points : list hint) : I.type :=
  match points with
  | [] => whole 0
  | (_, (f0, f1'), (g0', _)) :: rest =>
      I.add p (I.mul p (I.sub p (fraction_in f0) (fraction_in f1)) (fraction_in g0)) (least_in f1' g0' rest)
  end.
Fixpoint most_in (f0 : Z * Z) (points : list hint) : I.type :=
  match points with
  | [] => I.sub p (whole 1) (fraction_in f0)
  | (_, (f0', f1), (_, g1)) :: rest =>
      I.add p (I.mul p (I.sub p (fraction_in f1) (fraction_in f0)) (fraction_in g1)) (most_in f0' rest)
  end.
Lemma in_least points : forall f1 g0, holds (least_in f1 g0 points) (least_of (worth f1) (worth g0) (map point_of points)).
Proof.
induction points as [|[[v [f0 f1']] [g0' g1]] rest IH]; intros f1 g0; cbn [least_in map point_of least_of]; [apply (in_whole p 0)|].
apply in_add; [|apply IH]. apply in_mul; [apply in_sub|]; apply in_fraction.
Qed.
Lemma in_most points : forall f0, holds (most_in f0 points) (most_of (worth f0) (map point_of points)).
Proof.
induction points as [|[[v [f0' f1]] [g0 g1]] rest IH]; intros f0; cbn [most_in map point_of most_of].
- apply in_sub; [apply (in_whole p 1)|apply in_fraction].
- apply in_add; [|apply IH]. apply in_mul; [apply in_sub|]; apply in_fraction.
Qed.

Definition scale_right (s : term) : bool := is_less (whole 0) (enclosed_in [] s).
Lemma scale_right_ok s : scale_right s = true -> 0 < meant [] s.
Proof. intros H. exact (is_less_ok p _ _ _ _ H (in_whole p 0) (in_term s)). Qed.
Lemma scales_right_ok groups : forallb (fun g => scale_right (snd (fst g))) groups = true ->
  List.Forall (fun o => 0 < snd o) (ungrouped (map group_of groups)).
Proof.
induction groups as [|[[m s] n] rest IH]; cbn [forallb]; intros H; [constructor|]. apply andb_prop in H. destruct H as [S H].
unfold ungrouped. cbn [map flat_map group_of fst snd]. apply Forall_app. split; [|now apply IH].
apply Forall_forall. intros o Is. apply repeat_spec in Is. rewrite Is. now apply scale_right_ok.
Qed.

Definition chance_right (N : noise) (m s : term) (groups : list (term * term * nat)) (first : hint) (later : list hint)
    (lo hi : term) : bool :=
  let '(u, (f0, f1), (g0, g1)) := first in
  (scale_right s && forallb (fun g => scale_right (snd (fst g))) groups &&
   forallb (point_right N m s groups) (first :: later) && rising_in u later &&
   is_at_most (enclosed_in [] lo) (least_in f1 g0 later) &&
   is_at_most (I.add p (I.mul p (fraction_in f1) (fraction_in g1)) (most_in f0 later)) (enclosed_in [] hi)).
Lemma chance_right_ok N m s groups first later lo hi : chance_right N m s groups first later lo hi = true ->
  meant [] lo <= wins N (meant [] m, meant [] s) (ungrouped (map group_of groups)) <= meant [] hi.
Proof.
destruct first as [[u [f0 f1]] [g0 g1]]. unfold chance_right. intros H. repeat rewrite andb_true_iff in H.
destruct H as (((((S & Ss) & Points) & Rises) & Lo) & Hi).
assert (K := wins_enclosed N (meant [] m) (meant [] s) _ (scale_right_ok s S) (scales_right_ok groups Ss) (map group_of groups)
  eq_refl (worth u) (worth f0) (worth f1) (worth g0) (worth g1) (map point_of later)
  (points_right_ok N m s groups ((u, (f0, f1), (g0, g1)) :: later) Points) (rising_in_ok later u Rises)).
assert (A := is_at_most_ok p _ _ _ _ Lo (in_term lo) (in_least later f1 g0)).
assert (B := is_at_most_ok p _ _ _ _ Hi (in_add p _ _ _ _ (in_mul p _ _ _ _ (in_fraction f1) (in_fraction g1)) (in_most later f0))
  (in_term hi)).
lra.
Qed.
End Root.
End Precision.

(* To so many bits. *)
Definition decision (p : positive) (ends : list (term * term)) (c : comparison) : option bool :=
  let q := F.PtoP p in let root := root_of_2pi q in let n := Pos.to_nat p in
  decided q root n (boxes_of q root n ends) c.
Theorem decision_ok p ends v c : between_ends v ends -> decision p ends c = Some true -> says v c.
Proof.
intros B D. exact (decided_ok _ _ _ eq_refl _ v c (in_boxes _ _ _ eq_refl v ends B) true D).
Qed.

Definition chance_at (p : positive) N m s groups first later lo hi : bool :=
  let q := F.PtoP p in chance_right q (root_of_2pi q) (Pos.to_nat p) N m s groups first later lo hi.
Theorem chance_at_ok p N m s groups first later lo hi : chance_at p N m s groups first later lo hi = true ->
  meant [] lo <= wins N (meant [] m, meant [] s) (ungrouped (map group_of groups)) <= meant [] hi.
Proof. exact (chance_right_ok _ _ _ eq_refl N m s groups first later lo hi). Qed.

(** * Reading *)
Ltac place_in variables x :=
  lazymatch variables with
  | x :: _ => constr:(O)
  | _ :: ?rest => let n := place_in rest x in constr:(S n)
  end.
Ltac term_of variables e :=
  let one make a := (let t := term_of variables a in constr:(make t)) in
  let two make a b := (let s := term_of variables a in let t := term_of variables b in constr:(make s t)) in
  lazymatch e with
  | IZR ?z => constr:(Int z)
  | PI => constr:(Pi)
  | - ?a => one Opp a | Rabs ?a => one Size a | / ?a => one Inv a | exp ?a => one Exp a | ln ?a => one Ln a
  | sqrt ?a => one Root a | floor ?a => one Floor a | ceil ?a => one Ceil a
  | Phi ?a => let t := term_of variables a in constr:(Below gaussian t)
  | noise_below ?N ?a => let t := term_of variables a in constr:(Below N t)
  | ?a ^ ?n => let t := term_of variables a in constr:(Power t n)
  | Rpower ?a ?b => let s := term_of variables a in let t := term_of variables b in constr:(Exp (Mul t (Ln s)))
  | ?a + ?b => two Add a b | ?a - ?b => two Sub a b | ?a * ?b => two Mul a b | ?a / ?b => two Div a b
  | Rmax ?a ?b => two Larger a b | Rmin ?a ?b => two Smaller a b
  | _ => let n := place_in variables e in constr:(Is n)
  end.
Ltac comparison_of variables P :=
  let two make a b := (let s := term_of variables a in let t := term_of variables b in constr:(make s t)) in
  lazymatch P with
  | ?A /\ ?B => let c := comparison_of variables A in let d := comparison_of variables B in constr:(And c d)
  | ~ ?A => let c := comparison_of variables A in constr:(Not c)
  | ?a <= ?b => two Le a b | ?a < ?b => two Lt a b | @eq R ?a ?b => two Eq a b
  end.

(* The variables that hypotheses place between two ends, and these ends. *)
Ltac variables_beside found :=
  match goal with
  | _ : _ <= ?x <= _ |- _ =>
      let _ := match goal with _ => is_var x end in
      lazymatch found with context [x] => fail | _ => variables_beside (x :: found) end
  | _ => found
  end.
Ltac ends_of variables :=
  lazymatch variables with
  | ?x :: ?rest => match goal with _ : ?lo <= x <= ?hi |- _ =>
      let s := term_of (@nil R) lo in let t := term_of (@nil R) hi in let ends := ends_of rest in constr:((s, t) :: ends) end
  | _ => constr:(@nil (term * term))
  end.

Ltac first_decision precisions ends c :=
  lazymatch precisions with
  | ?p :: ?rest =>
      let answer := eval vm_compute in (decision p ends c) in
      lazymatch answer with Some ?b => constr:((p, b)) | None => first_decision rest ends c end
  | _ => constr:(tt)
  end.
Ltac read_and_decide precisions :=
  match goal with
  | |- ?P =>
      let variables := variables_beside (@nil R) in let ends := ends_of variables in let c := comparison_of variables P in
      let d := first_decision precisions ends c in constr:((variables, ends, c, d))
  | _ => constr:(tt)
  end.

(* The opposite of what is found to be false is true: no other proof is looked for. *)
Ltac settle_at precisions otherwise :=
  let found := read_and_decide precisions in
  lazymatch found with
  | (?variables, ?ends, ?c, (?p, true)) =>
      refine (decision_ok p ends variables c _ _);
        [cbn [between_ends meant nth]; repeat (split; [assumption|]); exact Logic.I|vm_cast_no_check (eq_refl (Some true))]
  | (_, _, _, (_, false)) => fail "the opposite is true"
  | _ => otherwise
  end.
(* A tail whose digits the series loses: one integral keeps them, and is all that is known afterwards. *)
Ltac far_left e :=
  let t := term_of (@nil R) e in
  let answer := eval vm_compute in (decision 64 [] (Lt t (Int (-4)))) in
  lazymatch answer with Some true => idtac end.
Ltac enclose_far_tails prec bits := repeat match goal with |- context [Phi ?e] => far_left e; enclose_Phi e prec bits end.

Ltac settle_apart := settle_at [256%positive] ltac:(first [lra|intro; lra|decide_at_point]).
Ltac settle_in_parts :=
  lazymatch goal with |- _ /\ _ => split; settle_in_parts | |- _ => settle_at [64%positive] settle_apart end.
(* First with few digits of far tails, and then, if these do not decide, with many. *)
Ltac settle :=
  cbv zeta;
  settle_at [64%positive] ltac:(
    first [enclose_far_tails 50%positive 16%positive; settle_at [64%positive] ltac:(fail)
      |enclose_far_tails 90%positive 45%positive; settle_at [128%positive] settle_in_parts]).

(* An enclosure of one option's chance, by cells between points: the others in groups, the first point, all later ones. *)
Ltac groups_of groups :=
  lazymatch groups with
  | (?m, ?s, ?n) :: ?rest =>
      let a := term_of (@nil R) m in let b := term_of (@nil R) s in let c := groups_of rest in constr:((a, b, n) :: c)
  | _ => constr:(@nil (term * term * nat))
  end.
(* The kernel computes again when the proof is complete. *)
Ltac by_virtual_machine :=
  lazymatch goal with |- ?b = true =>
    let answer := eval vm_compute in b in lazymatch answer with true => vm_cast_no_check (eq_refl true) end
  end.
Ltac enclose_winning groups first_point later :=
  spell_out; cbv [winning combine nth firstn skipn app];
  match goal with |- ?lo <= wins ?N (?m, ?s) ?others <= ?hi =>
    let a := term_of (@nil R) lo in let b := term_of (@nil R) hi in let mean := term_of (@nil R) m in
    let scale := term_of (@nil R) s in let g := groups_of groups in
    first [refine (chance_at_ok 64 N mean scale g first_point later a b _); by_virtual_machine
      |refine (chance_at_ok 256 N mean scale g first_point later a b _); by_virtual_machine]
  end.

Ltac settle_step :=
  spell_out;
  repeat match goal with |- _ /\ _ => split end;
  match goal with
  | |- neighbouring_means _ _ _ _ _ =>
      split; [reflexivity|split; [repeat constructor; lra|split; [repeat split; apply Rabs_le; lra|]]];
      first [exact Logic.I|cbn [one_differs]; repeat first [reflexivity|left; reflexivity|right; split; [reflexivity|]]]
  | |- places _ _ => split; repeat constructor; simpl; intuition lia
  | |- _ => idtac
  end;
  unfold noisy_maximum; cbn [map fold_right];
  repeat match goal with known : _ <= winning ?N ?options ?i <= _ |- context [winning ?N ?options ?i] =>
    revert known; generalize (winning N options i); intros ? known
  end;
  cbv [winning combine nth firstn skipn app]; rewrite ?two_normals by lra;
  settle.
