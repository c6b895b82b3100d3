(* The game as a computation: rows of values of all states, from the last round back. It holds for any coins that the
   polygons of the rounds contain. Nothing that it is given has to be right. *)
From Coq Require Import Reals Lra Lia List ZArith Bool Uint63.
From Bignums Require Import BigZ.
From Dpbandits Require Import normal moments coins game game_rows game_numbers game_polygon.
Import ListNotations.
Open Scope R_scope.

(** * Large whole numbers in 63 bits *)
Definition two18 : bigZ := 262144. Definition two52 : bigZ := 4503599627370496.
Definition two63 : bigZ := 9223372036854775808. Definition two90 : bigZ := 1237940039285380274899124224.
Definition fits (x : bigZ) : bool := (0 <=? x)%bigZ && (x + 1 <=? two63)%bigZ.
Definition small_int (x : bigZ) : int := Uint63.of_Z (BigZ.to_Z x).

Lemma small_int_is x : fits x = true -> IZR (Uint63.to_Z (small_int x)) = real x.
Proof.
unfold fits, small_int, real. intros H. apply andb_prop in H. destruct H as [A B].
rewrite BigZ.spec_leb in A, B. rewrite BigZ.spec_add in B. apply Z.leb_le in A, B.
change (BigZ.to_Z 0) with 0%Z in A. change (BigZ.to_Z 1) with 1%Z in B. change (BigZ.to_Z two63) with wB in B.
rewrite of_Z_spec, Z.mod_small by lia. reflexivity.
Qed.

(** * The grid: ratios theta rho^i *)
Section Grid.
Variable ratio : bigZ. (* rho, in units of 2^-20 *)
Hypothesis ratio_good : (two20 + 1 <=? ratio)%bigZ = true.
Definition rho := real ratio / 1048576.

Lemma ratio_range : 1048577 <= real ratio.
Proof. apply real_le in ratio_good. rewrite real_add, real_two20 in ratio_good. change (real 1) with 1 in ratio_good. lra. Qed.
Lemma rho_range : 1 < rho.
Proof. assert (R := ratio_range). unfold rho. lra. Qed.
Lemma rho_positive i : 0 < powerRZ rho i.
Proof. apply powerRZ_lt. generalize rho_range; lra. Qed.
Lemma rho_next i : powerRZ rho (i + 1) = powerRZ rho i * rho.
Proof. rewrite powerRZ_add by (generalize rho_range; lra). simpl. ring. Qed.
Lemma rho_sum i o : powerRZ rho (i + o) = powerRZ rho i * powerRZ rho o.
Proof. apply powerRZ_add. generalize rho_range; lra. Qed.

(* Powers of rho from above, in units of 2^-90: from rho^0 on, or from rho^-1 down. *)
Definition up_power (x : bigZ) : bigZ := (x * ratio / two20 + 1)%bigZ.
Definition down_power (x : bigZ) : bigZ := (x * two20 / ratio + 1)%bigZ.
Fixpoint powers (next : bigZ -> bigZ) (n : nat) (x : bigZ) : list bigZ :=
  match n with O => [] | S n' => x :: powers next n' (next x) end.
Definition above_power (o : Z) (x : bigZ) := powerRZ rho o * 1237940039285380274899124224 <= real x.

Lemma above_0 : above_power 0 two90.
Proof. unfold above_power. simpl. change (real two90) with 1237940039285380274899124224. lra. Qed.
Lemma up_power_ok o x : above_power o x -> above_power (o + 1) (up_power x).
Proof.
unfold above_power, up_power. intros H. rewrite rho_next, real_add. change (real 1) with 1.
assert (D := real_div (x * ratio) two20 ltac:(rewrite real_two20; lra)). rewrite real_two20, real_mul in D.
assert (R := ratio_range). assert (powerRZ rho o * 1237940039285380274899124224 * rho <= real x * rho).
{ apply Rmult_le_compat_r; [generalize rho_range; lra|exact H]. }
unfold rho in *. lra.
Qed.
Lemma down_power_ok o x : above_power o x -> above_power (o - 1) (down_power x).
Proof.
unfold above_power, down_power. intros H. rewrite real_add. change (real 1) with 1.
assert (R := ratio_range). assert (D := real_div (x * two20) ratio ltac:(lra)). rewrite real_mul, real_two20 in D.
assert (E := rho_next (o - 1)). replace (o - 1 + 1)%Z with o in E by lia. rewrite E in H. unfold rho in H at 2.
set (w := powerRZ rho (o - 1)) in *. set (d := real (x * two20 / ratio)%bigZ) in *.
apply Rmult_le_reg_r with (real ratio); lra.
Qed.

Definition all_above (d : Z) := fix all (o : Z) (l : list bigZ) : Prop :=
  match l with [] => True | x :: l' => above_power o x /\ all (o + d)%Z l' end.
Lemma powers_up n o x : above_power o x -> all_above 1 o (powers up_power n x).
Proof. revert o x; induction n as [|n IH]; intros o x H; simpl; [exact Logic.I|]. split; [exact H|]. now apply IH, up_power_ok. Qed.
Lemma powers_down n o x : above_power o x -> all_above (-1) o (powers down_power n x).
Proof. revert o x; induction n as [|n IH]; intros o x H; simpl; [exact Logic.I|]. split; [exact H|]. now apply IH, down_power_ok. Qed.

Variables ups downs : list bigZ. (* from rho^1 on, and from rho^-1 down *)
Hypotheses (ups_good : all_above 1 1 ups) (downs_good : all_above (-1) (-1) downs).

(** * Taps *)
Fixpoint climb (z : bigZ) (o : Z) (x : bigZ) (l : list bigZ) : Z * bigZ :=
  match l with y :: l' => if (y <=? z)%bigZ then climb z (o + 1) y l' else (o, x) | [] => (o, x) end.
Fixpoint descend (z : bigZ) (o : Z) (l : list bigZ) : option (Z * bigZ) :=
  match l with x :: l' => if (x <=? z)%bigZ then Some (o, x) else descend z (o - 1) l' | [] => None end.
Definition place_of (z : bigZ) : option (Z * bigZ) :=
  if (two90 <=? z)%bigZ then Some (climb z 0 two90 ups) else descend z (-1) downs.

Lemma climb_ok z : forall l o x, above_power o x -> all_above 1 (o + 1) l -> let c := climb z o x l in above_power (fst c) (snd c).
Proof.
induction l as [|y l IH]; intros o x H A; simpl; [exact H|]. destruct A as [Y A].
destruct (y <=? z)%bigZ; [now apply IH|exact H].
Qed.
Lemma descend_ok z : forall l o c, all_above (-1) o l -> descend z o l = Some c -> above_power (fst c) (snd c).
Proof.
induction l as [|x l IH]; intros o c A E; simpl in *; [discriminate|]. destruct A as [X A].
destruct (x <=? z)%bigZ; [now injection E as <-|]. now apply (IH (o - 1)%Z).
Qed.
Lemma place_ok z c : place_of z = Some c -> above_power (fst c) (snd c).
Proof.
unfold place_of. destruct (two90 <=? z)%bigZ; intros E.
- injection E as <-. apply climb_ok; [exact above_0|exact ups_good].
- now apply (descend_ok z downs (-1)).
Qed.

(* Up to the unit of values. *)
Definition value_up (p : bigZ) : int := small_int (p / two14 + 1).
(* Mass p <= a + b, and a rho^o + b rho^(o + 1) at theta `there` is at most q at theta `here`. p and q in units of 2^-58,
   weights in those of 2^-s, 18 bits of them. What cannot be had counts p whole. *)
Definition tap_checked (p q here there : bigZ) (o : Z) (x a b s : bigZ) : tap :=
  let scale := BigZ.shiftl 1 s in
  if fits a && fits b && fits s && (a + b <=? two18)%bigZ && (17 <=? s)%bigZ && (p * scale <=? (a + b) * two58)%bigZ &&
    (x * there * (a * two20 + b * ratio) * two58 <=? q * here * (two90 * two20) * scale)%bigZ
  then At o (small_int a) (small_int b) (small_int s) else Same (value_up p).
Definition tap_of (p q here there : bigZ) : tap :=
  if (p =? 0)%bigZ then Same 0%uint63 else
  match place_of (q * here * two90 / (p * there))%bigZ with
  | None => Same (value_up p)
  | Some (o, x) =>
    let s := (75 - BigZ.log2 p)%bigZ in let scale := BigZ.shiftl 1 s in
    let m := ((p * scale + two58 - 1) / two58)%bigZ in
    let b x := ((q * here * two52 * scale / (x * there) - m * two20) / (ratio - two20))%bigZ in
    let ahead := b x in
    if (0 <=? ahead)%bigZ then let b := BigZ.min ahead m in tap_checked p q here there o x (m - b) b s
    else let x := down_power x in let b := BigZ.min (b x) m in tap_checked p q here there (o - 1) x (m - b) b s
  end.

Definition theta_at (t : bigZ) (i : Z) := in58 t * powerRZ rho i.
Lemma theta_positive t i : 0 < real t -> 0 < theta_at t i.
Proof. intros H. apply Rmult_lt_0_compat; [unfold in58; lra|apply rho_positive]. Qed.

Section Tap.
Variables (v : R -> R -> R) (p q here there : bigZ).
Hypotheses (v_fair : fair v) (p_range : 0 <= real p <= 288230376151711744) (q_range : 0 <= real q).
Hypotheses (here_positive : 0 < real here) (there_positive : 0 < real there).
Definition seen (i : Z) := v 1 (theta_at there i).
Definition wanted (i : Z) := v (in58 p) (in58 q * theta_at here i).

Lemma seen_falls : falling seen.
Proof.
destruct v_fair as (_ & _ & B & M). assert (T := fun i => theta_positive there i there_positive). split; intros i.
- apply B; [lra|left; apply T].
- apply M; [lra|]. split; [left; apply T|]. unfold theta_at. rewrite rho_next.
  assert (X := T i). unfold theta_at in X. generalize rho_range. nra.
Qed.

Lemma wanted_at_most i : 0 <= wanted i <= in58 p.
Proof.
destruct v_fair as (_ & _ & B & _). apply B; [unfold in58; lra|]. apply Rmult_le_pos; [unfold in58; lra|].
left. now apply theta_positive.
Qed.

Lemma value_up_ok x : 0 <= real x <= 288230376151711744 -> in58 x <= val (value_up x) <= 2.
Proof.
intros H. unfold value_up, val. assert (D := real_div x two14 ltac:(rewrite real_two14; lra)). rewrite real_two14 in D.
assert (F : fits (x / two14 + 1) = true).
{ unfold fits. apply andb_true_intro. rewrite !BigZ.spec_leb, !BigZ.spec_add. change (BigZ.to_Z 0) with 0%Z.
  change (BigZ.to_Z 1) with 1%Z. change (BigZ.to_Z two63) with 9223372036854775808%Z.
  assert (L : -1 < real (x / two14)%bigZ <= 17592186044416) by lra. unfold real in L. destruct L as [L M].
  apply lt_IZR in L. apply le_IZR in M. split; apply Z.leb_le; lia. }
rewrite (small_int_is _ F), real_add. change (real 1) with 1. unfold in58. lra.
Qed.

Lemma tap_same : tap_good seen wanted (Same (value_up p)).
Proof.
assert (V := value_up_ok p p_range). split; [apply V|]. intros i. apply Rle_trans with (1 := proj2 (wanted_at_most i)), V.
Qed.

Lemma tap_checked_ok o x a b s : above_power o x -> tap_good seen wanted (tap_checked p q here there o x a b s).
Proof.
intros X. unfold tap_checked. destruct (_ && _) eqn:C; [|apply tap_same].
apply andb_prop in C. destruct C as [C D]. apply andb_prop in C. destruct C as [C M]. apply andb_prop in C. destruct C as [C Sm].
apply andb_prop in C. destruct C as [C L]. apply andb_prop in C. destruct C as [C Fs].
apply andb_prop in C. destruct C as [A B]. set (scale := BigZ.shiftl 1 s) in *.
apply small_int_is in A, B. assert (Es := small_int_is s Fs).
assert (Ez : Uint63.to_Z (small_int s) = BigZ.to_Z s) by (now apply eq_IZR).
apply real_le in D, M, L, Sm. rewrite real_add in L. change (real two18) with 262144 in L. change (real 17) with 17 in Sm.
assert (Lt : light (small_int a) (small_int b) (small_int s)).
{ split; apply le_IZR; [rewrite plus_IZR, A, B; exact L|rewrite Es; exact Sm]. }
split; [exact Lt|]. destruct Lt as [_ S17].
assert (Sc : IZR (2 ^ Uint63.to_Z (small_int s)) = real scale).
{ unfold scale, real. rewrite BigZ.spec_shiftl, Ez. change (BigZ.to_Z 1) with 1%Z. now rewrite Z.shiftl_1_l. }
assert (P : 0 < real scale) by (rewrite <- Sc; apply IZR_lt, Z.pow_pos_nonneg; lia).
rewrite !real_mul, !real_add, !real_mul, real_two20, real_two58 in D. rewrite !real_mul, real_add, real_two58 in M.
change (real two90) with 1237940039285380274899124224 in D.
assert (A0 : 0 <= real a) by (rewrite <- A; apply IZR_le, Uint63.to_Z_bounded).
assert (B0 : 0 <= real b) by (rewrite <- B; apply IZR_le, Uint63.to_Z_bounded).
intros i. rewrite A, B, Sc. unfold above_power in X. unfold wanted, seen.
destruct v_fair as (H1 & H2 & H3 & H4). set (d := real scale) in *. clearbody d.
set (wa := real a / d). set (wb := real b / d).
assert (Ew : real a = wa * d) by (unfold wa; field; lra). assert (Eb : real b = wb * d) by (unfold wb; field; lra).
assert (Wa : 0 <= wa) by (apply Rle_mult_inv_pos; lra). assert (Wb : 0 <= wb) by (apply Rle_mult_inv_pos; lra).
assert (Ti := theta_positive there (i + o) there_positive). assert (Tn := theta_positive there (i + o + 1) there_positive).
assert (Hq : wa * theta_at there (i + o) + wb * theta_at there (i + o + 1) <= in58 q * theta_at here i).
{ unfold theta_at. rewrite rho_next, rho_sum. assert (Pi := rho_positive i). assert (Po := rho_positive o).
  set (w := powerRZ rho i) in *. set (r := powerRZ rho o) in *.
  replace (wa * (in58 there * (w * r)) + wb * (in58 there * (w * r * rho))) with
    (w * (in58 there * (r * (wa + wb * rho)))) by ring.
  replace (in58 q * (in58 here * w)) with (w * (in58 q * in58 here)) by ring.
  apply Rmult_le_compat_l; [lra|].
  assert (K : 0 <= wa + wb * rho) by (generalize rho_range; nra).
  assert (G : r * 1237940039285380274899124224 * (real there * (wa + wb * rho)) <= real x * (real there * (wa + wb * rho))).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact X]. }
  rewrite Ew, Eb in D.
  assert (Dd : real x * real there * (wa * 1048576 + wb * real ratio) * 288230376151711744 <=
    real q * real here * (1237940039285380274899124224 * 1048576)).
  { apply Rmult_le_reg_r with d; [exact P|]. lra. }
  unfold in58, rho in *. lra. }
assert (Hp : in58 p <= wa + wb).
{ rewrite Ew, Eb in M. apply Rmult_le_reg_r with d; [exact P|]. unfold in58. lra. }
replace ((real a * v 1 (theta_at there (i + o)) + real b * v 1 (theta_at there (i + o + 1))) / d) with
  (wa * v 1 (theta_at there (i + o)) + wb * v 1 (theta_at there (i + o + 1))) by (rewrite Ew, Eb; field; lra).
apply Rle_trans with (v (wa * 1 + wb * 1) (wa * theta_at there (i + o) + wb * theta_at there (i + o + 1))).
- apply H4; split; try lra; [unfold in58; lra|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
- rewrite <- !H1 by lra. apply H2; try lra; apply Rmult_le_pos; lra.
Qed.

Lemma tap_of_ok : tap_good seen wanted (tap_of p q here there).
Proof.
unfold tap_of. destruct (p =? 0)%bigZ eqn:P0.
- assert (Z0 : val 0 = 0) by (unfold val; change (Uint63.to_Z 0) with 0%Z; lra). split; [lra|].
  intros i. assert (W := wanted_at_most i). assert (E : in58 p = 0).
  { rewrite BigZ.spec_eqb in P0. apply Z.eqb_eq in P0. unfold in58, real. rewrite P0. change (BigZ.to_Z 0) with 0%Z. lra. }
  lra.
- destruct (place_of _) as [[o x]|] eqn:E; [|apply tap_same]. apply place_ok in E. simpl in E. cbv zeta.
  destruct (0 <=? _)%bigZ; apply tap_checked_ok; [exact E|now apply down_power_ok].
Qed.
End Tap.

(** * One state, one round *)
Variable base : Z. (* of the first place in a row *)
Variables (growth : nat) (cut : int). (* By how many places a row may grow in a round, and what is cut off its end. *)
Variable table : list entry.
Record state := { theta : bigZ; row : list int }.

Section Rounds.
Variables (T last : nat) (rises : bool) (coin : nat -> nat -> R -> R -> Prop).
Hypothesis chances : forall k n p q, coin k n p q -> 0 <= p <= 1 /\ 0 <= q <= 1.
Notation value := (value last coin).
Definition kept (k i : nat) (s : state) := 0 < real (theta s) /\
  forall v, value k i v -> under (fun j => v 1 (theta_at (theta s) j)) base (row s).

Definition swapped (c : corner) : bigZ * bigZ := if rises then (p_of c, q_of c) else (q_of c, p_of c).
(* Whether a polygon is large enough for the i-th state after N rounds: then a convex function is at a corner at least
   what it is at a coin. *)
Variable large_enough : nat -> nat -> shape -> bool.
Hypothesis large_enough_ok : forall k i g p q f, polygon_good table g = true -> large_enough (T - S k) i g = true ->
  (i <= last)%nat -> coin (S k) i p q -> convex_square f ->
  exists c, In c (corners_of g) /\ f p q <= f (in58 (fst (swapped c))) (in58 (snd (swapped c))).

(* Of a corner, at the theta of this round and at those of the states after it. *)
Definition taps_of (here more same : bigZ) (c : corner) : tap * tap :=
  let '(p, q) := swapped c in (tap_of p q here more, tap_of (two58 - p) (two58 - q) here same).
Definition by_taps (here : bigZ) (more same : list int) (taps : list (tap * tap)) : state :=
  let found := best (List.map (fun _ => 0%uint63) same ++ repeat 0%uint63 growth) more same taps in
  {| theta := here; row := settled (List.last found 0%uint63 + cut)%uint63 found |}.
Definition outcomes (here : bigZ) (more same : state) (g : shape) : state :=
  by_taps here (row more) (row same) (List.map (taps_of here (theta more) (theta same)) (corners_of g)).
(* Taps are dear. Where every theta is 1, those of a polygon are the same in all rounds. *)
Definition taps_at_one (g : shape) : list (tap * tap) := List.map (taps_of two58 two58 two58) (corners_of g).
Definition outcomes_known (here : bigZ) (more same : state) (g : shape) (taps : list (tap * tap)) : state :=
  if (here =? two58)%bigZ && (theta more =? two58)%bigZ && (theta same =? two58)%bigZ
  then by_taps two58 (row more) (row same) taps else outcomes here more same g.

(* Any theta will do; it is kept within a step of 1, also where a round drifts by many steps. *)
Definition most_folds : nat := 32 * 32.
Fixpoint folded (n : nat) (t : bigZ) : bigZ :=
  match n with O => t | S n' =>
    if (two58 * ratio <=? t * two20)%bigZ then folded n' (t * two20 / ratio)%bigZ
    else if (t * ratio <=? two58 * two20)%bigZ then folded n' (t * ratio / two20)%bigZ else t end.

Lemma corners_square g c : polygon_good table g = true -> In c (corners_of g) -> square (in58 (p_of c)) (in58 (q_of c)).
Proof.
intros H I. unfold polygon_good in H. cbv zeta in H. apply andb_prop in H.
destruct H as [H _]. apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
destruct I as [<-|I].
- assert (Q := in_square_ok _ (H (first g) (or_introl eq_refl))). destruct (first g) as [[x p] q].
  cbn [p_of q_of point fst snd] in *. split; apply Q.
- assert (Q := in_square_ok _ (H c I)). destruct c as [[x p] q]. exact Q.
Qed.

Lemma outcomes_ok k i here more same g : 0 < real here ->
  polygon_good table g = true -> large_enough (T - S k) i g = true -> (i <= last)%nat ->
  kept k (Nat.min (S i) last) more -> kept k i same -> kept (S k) i (outcomes here more same g).
Proof.
intros Hh G Enough Li [Mt Mk] [St Sk]. split; [exact Hh|]. intros v V. cbn [outcomes by_taps theta row].
inversion V as [|k' i' p q f f' v' C F F' E]; subst. clear V.
assert (Ff := value_fair last coin chances _ _ _ F).
assert (Fg := value_fair last coin chances _ _ _ F').
specialize (Mk f F). specialize (Sk f' F').
set (at_ := fun (c : corner) j => let '(a, b) := swapped c in
  f (in58 a) (in58 b * theta_at here j) + f' (in58 (two58 - a)%bigZ) (in58 (two58 - b)%bigZ * theta_at here j)).
apply settled_ok.
{ intros j. destruct (value_fair last coin chances _ _ _
    (value_round last coin _ _ _ _ _ _ _ C F F' E)) as (_ & _ & B & _).
  apply B; [lra|left; now apply theta_positive]. }
apply (over_some _ at_ (corners_of g)).
- intros j. assert (Z0 := theta_positive here j Hh). set (z := theta_at here j) in *.
  set (h := fun p q => f (p * 1) (q * z) + f' ((1 - p) * 1) ((1 - q) * z)).
  assert (Cx : convex_square h).
  { destruct Ff as (F1 & F2 & _ & _), Fg as (B1 & B2 & _ & _). intros a p1 q1 p2 q2 A [S1 S1'] [S2 S2']. unfold h.
    assert (W : forall (e : R -> R -> R) x y x' y',
      (forall c P Q, 0 <= c -> 0 <= P -> 0 <= Q -> e (c * P) (c * Q) = c * e P Q) ->
      (forall P Q P' Q', 0 <= P -> 0 <= Q -> 0 <= P' -> 0 <= Q' -> e (P + P') (Q + Q') <= e P Q + e P' Q') ->
      0 <= x -> 0 <= y -> 0 <= x' -> 0 <= y' ->
      e ((a * x + (1 - a) * x') * 1) ((a * y + (1 - a) * y') * z) <= a * e (x * 1) (y * z) + (1 - a) * e (x' * 1) (y' * z)).
    { intros e x y x' y' E1 E2 X Y X' Y'.
      replace ((a * x + (1 - a) * x') * 1) with (a * (x * 1) + (1 - a) * (x' * 1)) by ring.
      replace ((a * y + (1 - a) * y') * z) with (a * (y * z) + (1 - a) * (y' * z)) by ring.
      assert (N : forall u w, 0 <= u -> 0 <= w -> 0 <= u * w) by (intros; now apply Rmult_le_pos).
      assert (Z1 : 0 <= z) by lra. assert (A1 : 0 <= a) by lra. assert (A2 : 0 <= 1 - a) by lra.
      assert (O : 0 <= 1) by lra.
      rewrite <- (E1 a (x * 1) (y * z)), <- (E1 (1 - a) (x' * 1) (y' * z)) by auto. apply E2; auto. }
    assert (P1 := W f p1 q1 p2 q2 F1 F2 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
    assert (P2 := W f' (1 - p1) (1 - q1) (1 - p2) (1 - q2) B1 B2 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
    replace (1 - (a * p1 + (1 - a) * p2)) with (a * (1 - p1) + (1 - a) * (1 - p2)) by ring.
    replace (1 - (a * q1 + (1 - a) * q2)) with (a * (1 - q1) + (1 - a) * (1 - q2)) by ring. lra. }
  assert (M58 : forall x, in58 (two58 - x)%bigZ = 1 - in58 x).
  { intros x. unfold in58. rewrite real_sub, real_two58. lra. }
  rewrite E. destruct (large_enough_ok k i g p q h G Enough Li C Cx) as (c & I & H). exists c. split; [exact I|].
  unfold at_. destruct (swapped c) as [a b]. unfold h in H. cbn [fst snd] in H. rewrite !M58, !Rmult_1_r in *. exact H.
- intros c I. apply best_ok with (t := taps_of here (theta more) (theta same) c); [|now apply in_map]. intros done.
  assert (Q := corners_square _ _ G I). destruct Q as [Qp Qq].
  unfold taps_of, at_, swapped.
  assert (Rng : forall x, 0 <= in58 x <= 1 -> (0 <= real x <= 288230376151711744) /\ (0 <= real (two58 - x)%bigZ <= 288230376151711744)).
  { intros x X. unfold in58 in X. rewrite real_sub, real_two58. lra. }
  assert (Both : forall a b, 0 <= in58 a <= 1 -> 0 <= in58 b <= 1 ->
    over (fun j => f (in58 a) (in58 b * theta_at here j) + f' (in58 (two58 - a)%bigZ) (in58 (two58 - b)%bigZ * theta_at here j))
      base (outcome done (row more) (row same)
        (tap_of a b here (theta more), tap_of (two58 - a) (two58 - b) here (theta same)))).
  { intros a b Ha Hb. destruct (Rng a Ha) as [Ra Ra'], (Rng b Hb) as [Rb Rb'].
    apply (outcome_ok (seen f (theta more)) (seen f' (theta same)) (wanted f a b here) (wanted f' (two58 - a) (two58 - b) here));
      [now apply seen_falls|now apply seen_falls|now apply tap_of_ok|now apply tap_of_ok|exact Mk|exact Sk]. }
  destruct rises; apply Both; assumption.
Qed.

Lemma kept_at_one k i s : kept k i s -> (theta s =? two58)%bigZ = true -> kept k i {| theta := two58; row := row s |}.
Proof.
intros [_ K] H. rewrite BigZ.spec_eqb in H. apply Z.eqb_eq in H.
assert (E : in58 (theta s) = in58 two58) by (unfold in58, real; now rewrite H).
split; [cbn [theta]; rewrite real_two58; lra|]. intros v V. specialize (K v V). unfold theta_at in *. cbn [theta row].
now rewrite E in K.
Qed.

Lemma outcomes_known_ok k i here more same g : 0 < real here ->
  polygon_good table g = true -> large_enough (T - S k) i g = true -> (i <= last)%nat ->
  kept k (Nat.min (S i) last) more -> kept k i same ->
  kept (S k) i (outcomes_known here more same g (taps_at_one g)).
Proof.
intros Hh G Enough Li Km Ks. unfold outcomes_known. destruct (_ && _) eqn:C; [|now apply outcomes_ok].
apply andb_prop in C. destruct C as [C Es]. apply andb_prop in C. destruct C as [_ Em].
apply (outcomes_ok k i two58 {| theta := two58; row := row more |} {| theta := two58; row := row same |} g);
  [rewrite real_two58; lra|exact G|exact Enough|exact Li|now apply kept_at_one|now apply kept_at_one].
Qed.

(* All states of a round, from the i-th on. known: the taps of the polygons where every theta is 1, or nothing. *)
Fixpoint next (N i : nat) (shapes : list shape) (known : list (list (tap * tap))) (states : list state) :
  option (list state) :=
  match shapes, states with
  | [], _ => Some []
  | _ :: _, [] => None
  | g :: shapes', same :: rest =>
    let here := folded most_folds (theta same * drift g / two20)%bigZ in
    match (if Nat.eqb i last then Some same else hd_error rest) with
    | None => None
    | Some more =>
      if (1 <=? here)%bigZ && Nat.leb i last && large_enough N i g then
        match next N (S i) shapes' (tl known) rest with
        | Some l =>
          Some (match known with [] => outcomes here more same g | t :: _ => outcomes_known here more same g t end :: l)
        | None => None
        end
      else None
    end
  end.

Fixpoint all_kept (k i : nat) (l : list state) : Prop :=
  match l with [] => True | s :: l' => kept k i s /\ all_kept k (S i) l' end.

Lemma next_ok k : forall shapes known i states l, forallb (polygon_good table) shapes = true ->
  known = [] \/ known = List.map taps_at_one shapes -> all_kept k i states ->
  next (T - S k) i shapes known states = Some l -> all_kept (S k) i l /\ length l = length shapes.
Proof.
induction shapes as [|g shapes IH]; intros known i states l Po Kn A E; cbn [next] in E; [injection E as <-; now split|].
cbn [forallb] in Po. apply andb_prop in Po. destruct Po as [Pg Po].
destruct states as [|same rest]; [discriminate|]. destruct A as [A B].
set (here := folded most_folds _) in E. clearbody here. cbv zeta in E.
destruct (if Nat.eqb i last then Some same else hd_error rest) as [more|] eqn:M; [|discriminate].
destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C G]. apply andb_prop in C.
destruct C as [H0 Li]. apply Nat.leb_le in Li. apply real_le in H0. change (real 1) with 1 in H0.
destruct (next _ _ _ _ _) as [l'|] eqn:E'; [|discriminate]. injection E as <-.
assert (Kn' : tl known = [] \/ tl known = List.map taps_at_one shapes) by (destruct Kn as [->| ->]; [now left|now right]).
destruct (IH _ _ _ _ Po Kn' B E') as [K L]. split; [|cbn [length]; now rewrite L]. split; [|exact K].
assert (Km : kept k (Nat.min (S i) last) more); [|destruct Kn as [->| ->];
  [apply outcomes_ok|apply outcomes_known_ok]; (assumption || lra)].
destruct (Nat.eqb_spec i last) as [->|N].
- injection M as <-. now replace (Nat.min (S last) last) with last by lia.
- destruct rest as [|m rest]; [discriminate|]. injection M as ->. replace (Nat.min (S i) last) with (S i) by lia. apply B.
Qed.

(* What a state is worth at Q = e^eps: e at most that, in units of 2^-58, and `one` at most rho^-base. *)
Variables (eps : R) (e one : bigZ).
Hypotheses (e_range : 0 <= real e) (e_good : in58 e <= exp eps).
Hypotheses (one_positive : 0 < real one) (one_good : theta_at one base <= 1).
Definition worth (s : state) : int :=
  match outcome [0%uint63] (row s) (row s) (tap_of two58 e one (theta s), Same 0%uint63) with u :: _ => capped u | [] => whole end.

Lemma worth_ok k i s v : kept k i s -> value k i v -> v 1 (exp eps) <= val (worth s).
Proof.
intros [Ht K] V. assert (Fv := value_fair last coin chances _ _ _ V).
assert (Two : 0 <= real two58 <= 288230376151711744) by (rewrite real_two58; lra).
assert (Fl := seen_falls v (theta s) Fv Ht).
assert (Zero : tap_good (seen v (theta s)) (fun _ => 0) (Same 0)).
{ assert (Z0 : val 0 = 0) by (unfold val; change (Uint63.to_Z 0) with 0%Z; lra). split; [lra|]. intros i0. lra. }
assert (U := outcome_ok (seen v (theta s)) (seen v (theta s)) (wanted v two58 e one) (fun _ => 0) base [0%uint63] (row s) (row s)
  (tap_of two58 e one (theta s), Same 0) Fl Fl (tap_of_ok v two58 e one (theta s) Fv Two e_range one_positive Ht) Zero
  (K v V) (K v V)).
destruct Fv as (_ & _ & B & M). unfold worth. assert (P := exp_pos eps).
assert (One : v 1 (exp eps) <= 1) by (apply B; lra).
destruct (outcome _ _ _ _) as [|u l]; [rewrite whole_val; exact One|]. destruct U as [U _].
apply capped_ok; [|exact One]. apply Rle_trans with (2 := U). rewrite Rplus_0_r. unfold wanted.
apply M; [unfold in58; rewrite real_two58; lra|].
assert (T0 := theta_positive one base one_positive). assert (E0 : 0 <= in58 e) by (unfold in58; lra). split; nra.
Qed.
End Rounds.

(** * The end, and the whole run *)
(* (1 - rho^i)_+ from above, for i from -n on. *)
Fixpoint ending (n : nat) (x : bigZ) (done : list int) : list int :=
  match n with O => done | S n' => let y := (x * two20 / ratio)%bigZ in ending n' y (capped (value_up (two58 - y)) :: done) end.

Lemma ending_ok last coin : forall n x o done,
  0 <= real x <= powerRZ rho o * 288230376151711744 -> (o <= 0)%Z ->
  (forall i v, value last coin 0 i v -> under (fun j => v 1 (theta_at two58 j)) o done) ->
  forall i v, value last coin 0 i v ->
    under (fun j => v 1 (theta_at two58 j)) (o - Z.of_nat n) (ending n x done).
Proof.
induction n as [|n IH]; intros x o done X O D i v V; [rewrite Z.sub_0_r; now apply (D i)|].
cbn [ending]. replace (o - Z.of_nat (S n))%Z with (o - 1 - Z.of_nat n)%Z by lia.
set (y := (x * two20 / ratio)%bigZ). assert (R := ratio_range).
assert (Q := real_div (x * two20) ratio ltac:(lra)). rewrite real_mul, real_two20 in Q. fold y in Q.
assert (E := rho_next (o - 1)). replace (o - 1 + 1)%Z with o in E by lia. rewrite E in X.
assert (Y0 : 0 <= real y).
{ assert (Y : -1 < real y) by nra. unfold real in *. apply lt_IZR in Y. apply IZR_le. lia. }
assert (Y1 : real y <= powerRZ rho (o - 1) * 288230376151711744).
{ unfold rho in X at 2. apply Rmult_le_reg_r with (real ratio); lra. }
assert (W : powerRZ rho (o - 1) <= 1).
{ assert (Hr := rho_range). destruct o as [|n0|n0]; try lia.
  - simpl. rewrite Rmult_1_r. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - replace (Z.neg n0 - 1)%Z with (- Z.pos (n0 + 1))%Z by lia. simpl. rewrite <- Rinv_1.
    apply Rinv_le_contravar; [lra|]. apply pow_R1_Rle. lra. }
apply IH with (i := i); try assumption; [lra|lia|]. clear i v V. intros i v V. split.
- inversion V as [n' v' Ev|]; subst. rewrite Ev. unfold theta_at. assert (Pr : 0 < powerRZ rho (o - 1)) by apply rho_positive.
  assert (T1 : in58 two58 = 1) by (unfold in58; rewrite real_two58; lra). rewrite T1, Rmult_1_l.
  assert (Y2 : real y <= 288230376151711744) by nra.
  assert (U := value_up_ok (two58 - y)). rewrite real_sub, real_two58 in U. specialize (U ltac:(lra)).
  unfold in58 in U. rewrite real_sub, real_two58 in U.
  apply capped_ok; apply Rmax_lub; lra.
- replace (o - 1 + 1)%Z with o by lia. now apply (D i).
Qed.

Lemma zeros_ok last coin i v n : value last coin 0 i v ->
  forall o, (0 <= o)%Z -> under (fun j => v 1 (theta_at two58 j)) o (repeat 0%uint63 n).
Proof.
intros V. inversion V as [n' v' Ev|]; subst. induction n as [|n IH]; intros o O; simpl; [exact Logic.I|].
split; [|apply IH; lia]. rewrite Ev. unfold theta_at, val, in58. rewrite real_two58. change (Uint63.to_Z 0) with 0%Z.
split; [|lra].
assert (1 <= powerRZ rho o).
{ destruct o as [|n0|n0]; try lia; simpl; [lra|]. apply pow_R1_Rle. generalize rho_range; lra. }
apply Rmax_lub; lra.
Qed.

Lemma all_kept_repeat last coin k s :
  (forall i, kept last coin k i s) -> forall n i, all_kept last coin k i (repeat s n).
Proof. intros H n; induction n as [|n IH]; intros i; simpl; [exact Logic.I|]. split; [apply H|apply IH]. Qed.
End Grid.
