(* Prices of pulls in the static potential of order 7/5 (lam = 2/5) for two arms, computed by a proof. A coin is the pair (p, q)
   of the probabilities of a pull on the two inputs. Pull counts are put into a few hundred groups. For each group, a polygon
   around its coins is computed once for all numbers of rounds (`group_costs`). For a price of a round, `group_prices` then
   computes the price of a pull in each group, and `group_prices_pay` states that these prices pay for every coin. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Interval.Float Require Import Basic Sig.
From Interval.Real Require Import Xreal.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins half_planes normal_tails thompson game_numbers normal_series.
Import ListNotations.
Open Scope R_scope.

Lemma some_is {A} (x y : A) : Some x = Some y -> y = x. Proof. congruence. Qed.

Definition lam := 2 / 5.
Lemma lam_positive : 0 < lam. Proof. unfold lam; lra. Qed.

(* Probabilities and prices are integers in units of 1/u, where u = 2^64: as a real number, a bigZ and a Z. *)
Definition u := 18446744073709551616.
Definition two64 : bigZ := 18446744073709551616.
Definition two64_Z : Z := 18446744073709551616.
Lemma real_two64 : real two64 = u. Proof. reflexivity. Qed.
Lemma u_positive : 0 < u. Proof. unfold u; lra. Qed.

(** * What a corner costs *)
(* `power` proposes, by Newton's method, an integer y with y/u >= (x/z)^lam for x, z > 0; `power_enough` checks y^5 >= (x/z)^2. *)
Definition two320 : bigZ := 2135987035920910082395021706169552114602704522356652769947041607822219725780640550022962086936576.
Fixpoint newton (n : nat) (w y : bigZ) : bigZ :=
  match n with O => y | S n' => newton n' w ((4 * y + w / (y * y * (y * y))) / 5)%bigZ end.
Definition power (x z : bigZ) : bigZ := (newton 7 (x * x * two320 / (z * z)) ((2 * (x * two64 / z) + 3 * two64) / 5) + 2)%bigZ.
Definition power_enough (x z y : bigZ) : bool := (1 <=? y)%bigZ && (x * x * two320 <=? y * y * (y * y) * y * (z * z))%bigZ.

Lemma power_ok x z y : 0 < real x -> 0 < real z -> power_enough x z y = true -> tilted lam (real x / u) (real z / u) <= real x /
  u * (real y / u).
Proof.
intros X Z H. apply andb_prop in H. destruct H as [Y H]. apply real_le in Y, H. change (real 1) with 1 in Y.
rewrite !real_mul in H. set (a := real x) in *. set (b := real z) in *. set (c := real y) in *. assert (U := u_positive).
replace (real two320) with (u * u * u * u * u) in H by (unfold real, u; rewrite <- !mult_IZR; apply f_equal; vm_compute;
  reflexivity).
unfold moments.tilted. apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; lra|].
assert (C : 0 < c / u) by (apply Rdiv_lt_0_compat; lra).
rewrite <- (exp_ln (c / u)) by exact C. apply exp_le.
assert (L : ln (a / u * (a / u)) <= ln (c / u * (c / u) * (c / u * (c / u)) * (c / u) * (b / u * (b / u)))).
{ assert (I : 0 < / u) by (now apply Rinv_0_lt_compat).
  assert (A0 : 0 < a / u * (a / u)) by (apply Rmult_lt_0_compat; apply Rdiv_lt_0_compat; lra).
  assert (G : a / u * (a / u) <= c / u * (c / u) * (c / u * (c / u)) * (c / u) * (b / u * (b / u))).
  { apply Rmult_le_reg_r with (u * u * (u * u * u * u * u)); [repeat apply Rmult_lt_0_compat; lra|].
    replace (a / u * (a / u) * (u * u * (u * u * u * u * u))) with (a * a * (u * u * u * u * u)) by (field; lra).
    replace (c / u * (c / u) * (c / u * (c / u)) * (c / u) * (b / u * (b / u)) * (u * u * (u * u * u * u * u))) with
      (c * c * (c * c) * c * (b * b)) by (field; lra). exact H. }
  destruct G as [G|G]; [left; now apply ln_increasing|rewrite G; lra]. }
assert (A : 0 < a / u) by (apply Rdiv_lt_0_compat; lra). assert (B : 0 < b / u) by (apply Rdiv_lt_0_compat; lra).
rewrite !ln_mult in L by (repeat (assumption || apply Rmult_lt_0_compat)). unfold lam. lra.
Qed.

(* (a, b) in units: a corner is paid for by the price b_n of a pull if e^(-b_n) a + b is at most m = e^(lam c), the factor of a
   round with the price c. *)
Definition cost_pair := (bigZ * bigZ)%type.
Definition cost_paid (m price : R) (k : cost_pair) := exp (- price) * (real (fst k) / u) + real (snd k) / u <= m.

Definition times_up (x y : bigZ) : bigZ := (x * y / two64 + 1)%bigZ.
Lemma times_up_ok x y : real x / u * (real y / u) <= real (times_up x y) / u.
Proof.
unfold times_up. rewrite real_add. change (real 1) with 1. assert (D := real_div (x * y) two64).
rewrite real_two64, real_mul in D. assert (U := u_positive). specialize (D U).
apply Rmult_le_reg_r with (u * u); [now apply Rmult_lt_0_compat|].
replace (real x / u * (real y / u) * (u * u)) with (real x * real y) by (field; lra).
replace ((real (x * y / two64)%bigZ + 1) / u * (u * u)) with ((real (x * y / two64)%bigZ + 1) * u) by (field; lra). lra.
Qed.

(* The cost of a coin whose pull has the probability p/u on one input, and q/u on the other. *)
Definition side_cost (p q : bigZ) : option cost_pair :=
  let none_p := (two64 - p)%bigZ in let none_q := (two64 - q)%bigZ in let y := power p q in let z := power none_p none_q in
  if power_enough p q y && power_enough none_p none_q z then Some (times_up p y, times_up none_p z) else None.

Definition corner := (Z * Z)%type.
Definition point (c : corner) : R * R := (IZR (fst c) / u, IZR (snd c) / u).
Definition corner_cost (c : corner) : option (list cost_pair) := let '(p, q) := c in
  if ((0 <? p) && (p <? two64_Z) && (0 <? q) && (q <? two64_Z))%Z then
    match side_cost (BigZ.of_Z p) (BigZ.of_Z q), side_cost (BigZ.of_Z q) (BigZ.of_Z p) with
    | Some k, Some l => Some [k; l] | _, _ => None end
  else None.

Lemma real_of z : real (BigZ.of_Z z) = IZR z.
Proof. unfold real. now rewrite BigZ.spec_of_Z. Qed.

Lemma side_cost_ok p q k m b : side_cost p q = Some k -> 0 < real p < u -> 0 < real q < u -> cost_paid m b k ->
  cost lam b (real p / u) (real q / u) <= m.
Proof.
unfold side_cost. intros H P Q. destruct (_ && _) eqn:E; [|discriminate]. apply some_is in H. subst k. apply andb_prop in E.
destruct E as [E E']. intros K. apply Rle_trans with (2 := K). unfold cost. cbn [fst snd].
assert (A := power_ok _ _ _ (proj1 P) (proj1 Q) E).
assert (NP : real (two64 - p)%bigZ = u - real p) by (rewrite real_sub, real_two64; reflexivity).
assert (NQ : real (two64 - q)%bigZ = u - real q) by (rewrite real_sub, real_two64; reflexivity).
assert (B := power_ok (two64 - p) (two64 - q) _ ltac:(rewrite NP; lra) ltac:(rewrite NQ; lra) E').
assert (U := u_positive). replace (1 - real p / u) with (real (two64 - p)%bigZ / u) by (rewrite NP; field; lra).
replace (1 - real q / u) with (real (two64 - q)%bigZ / u) by (rewrite NQ; field; lra).
apply Rplus_le_compat.
- apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Rle_trans with (1 := A), times_up_ok.
- apply Rle_trans with (1 := B), times_up_ok.
Qed.

Lemma corner_cost_ok c ks m b : corner_cost c = Some ks -> List.Forall (cost_paid m b) ks ->
  inside (point c) /\ both_at_most lam m b (fst (point c)) (snd (point c)).
Proof.
destruct c as [p q]. unfold corner_cost. destruct (_ && _ && _ && _) eqn:R0; [|discriminate].
apply andb_prop in R0. destruct R0 as [R0 Q1]. apply andb_prop in R0. destruct R0 as [R0 Q0]. apply andb_prop in R0.
destruct R0 as [P0 P1]. apply Z.ltb_lt, IZR_lt in P0, P1, Q0, Q1. change (IZR two64_Z) with u in P1, Q1.
destruct (side_cost _ _) as [k|] eqn:K; [|discriminate]. destruct (side_cost (BigZ.of_Z q) _) as [l|] eqn:L; [|discriminate].
intros H F. apply some_is in H. subst ks. inversion F as [|? ? F1 F']; subst. inversion F' as [|? ? F2 _]; subst.
assert (U := u_positive). assert (In : forall z, 0 < IZR z < u -> 0 < IZR z / u < 1).
{ intros z Z. split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with u; [exact U|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra. }
unfold point, inside. cbn [fst snd]. split; [split; apply In; lra|].
split; [apply (side_cost_ok _ _ _ m b) in K|apply (side_cost_ok _ _ _ m b) in L]; rewrite ?real_of in *; try assumption; lra.
Qed.

Definition corner_costs (l : list corner) : option (list cost_pair) :=
  fold_right (fun c found => match corner_cost c, found with Some k, Some f => Some (k ++ f) | _, _ => None end) (Some []) l.

Lemma corner_costs_ok l ks m b : corner_costs l = Some ks -> List.Forall (cost_paid m b) ks ->
  List.Forall (fun d => inside d /\ both_at_most lam m b (fst d) (snd d)) (List.map point l).
Proof.
revert ks. induction l as [|c l IH]; intros ks H F; [constructor|]. unfold corner_costs in H. cbn [fold_right] in H.
fold (corner_costs l) in H.
destruct (corner_cost c) as [k|] eqn:K; [|discriminate]. destruct (corner_costs l) as [f|] eqn:L; [|discriminate].
apply some_is in H. subst ks. apply List.Forall_app in F. destruct F as [F1 F2].
constructor; [now apply (corner_cost_ok c k)|now apply (IH f)].
Qed.

(** * The tangents of a group *)
(* Thresholds are multiples of 1/16, shifts are multiples of 1/fine. `sixteenth` is 1/16 in units of 1/fine. *)
Definition sixteenth : Z := 68719476736.
(* A threshold x = sixteenths/16, with intervals around exp(- x^2/2) and Phi(- x). *)
Record threshold := { sixteenths : Z; bell_in : I.type; tail_in : I.type }.
Definition threshold_good (d : threshold) := let x := IZR (sixteenths d) / 16 in holds (bell_in d) (exp (- (x * x) / 2)) /\
  holds (tail_in d) (Phi (- x)).

Definition threshold_at (root : I.type) (k : Z) : threshold := let e := bell_at (k * sixteenth)
  in Build_threshold k e (Phi_at root e (- (k * sixteenth))).

Lemma in_sixteenths k : IZR (k * sixteenth) / IZR fine = IZR k / 16.
Proof. rewrite mult_IZR. unfold fine, sixteenth. field. Qed.

Lemma threshold_at_good k : threshold_good (threshold_at root_2pi k).
Proof.
unfold threshold_good, threshold_at. cbn [sixteenths bell_in tail_in]. assert (B := bell_at_ok (k * sixteenth)).
rewrite in_sixteenths in B.
split; [exact B|].
assert (F := fine_positive).
assert (E : IZR (- (k * sixteenth)) / IZR fine = - (IZR k / 16)) by (rewrite <- in_sixteenths, opp_IZR;
  field; lra).
rewrite <- E. apply Phi_at_ok. rewrite E.
replace (- (IZR k / 16) * - (IZR k / 16)) with (IZR k / 16 * (IZR k / 16)) by ring. exact B.
Qed.

(* The tangent of the curve of coins at a threshold: intervals around its slope, and around its height at p = 0. *)
Record line := { touches_at : Z; slope_in : I.type; height_in : I.type }.
Definition line_good (s : R) (l : line) := let x := IZR (touches_at l) / 16 in
  holds (slope_in l) (slope s x) /\ holds (height_in l) (Phi (s - x) - slope s x * Phi (- x)).

(* s is shift/fine. slope: an interval around the slope of the tangent at d. *)
Definition line_at (root : I.type) (shift : Z) (slope : I.type) (d : threshold) : line :=
  let Q := Phi_at root (I.mul bits (bell_in d) slope) (shift - sixteenths d * sixteenth) in
  Build_line (sixteenths d) slope (I.sub bits Q (I.mul bits slope (tail_in d))).

Lemma line_at_good shift i d : let s := IZR shift / IZR fine in threshold_good d -> holds i (slope s (IZR (sixteenths d) / 16)) ->
  line_good s (line_at root_2pi shift i d).
Proof.
intros s [B P] H. unfold line_good, line_at. cbn [touches_at slope_in height_in]. split; [exact H|].
set (x := IZR (sixteenths d) / 16) in *.
apply in_sub; [|now apply in_mul]. assert (F := fine_positive).
assert (E : IZR (shift - sixteenths d * sixteenth) / IZR fine = s - x).
{ unfold x. rewrite <- in_sixteenths, minus_IZR. unfold s. field. lra. }
rewrite <- E. apply Phi_at_ok. rewrite E. assert (M := in_mul bits _ _ _ _ B H). unfold slope in M. rewrite <- exp_plus in M.
replace (- ((s - x) * (s - x)) / 2) with (- (x * x) / 2 + (s * x - s * s / 2)) by field. exact M.
Qed.

(* The tangents at these thresholds, in rising order, before those already found. Most steps from the threshold `previous` are of
   2 or 8 sixteenths: then the slope is multiplied by g2 = exp(2 s/16) or g8 = exp(8 s/16). *)
Definition rise (shift k : Z) : I.type := I.exp bits (part (shift * k) (16 * fine)).
Fixpoint lines_from (root : I.type) (shift : Z) (g2 g8 : I.type) (slope : I.type) (previous : Z) (thresholds : list threshold)
  (found : list line) : list line :=
  match thresholds with
  | [] => found
  | d :: rest => let step := (sixteenths d - previous)%Z in
      let i := if (step =? 0)%Z then slope else if (step =? 2)%Z then I.mul bits slope g2 else if (step =? 8)%Z
        then I.mul bits slope g8
        else I.exp bits (part (shift * (2 * (sixteenths d * sixteenth) - shift)) (2 * (fine * fine))) in
      lines_from root shift g2 g8 i (sixteenths d) rest (line_at root shift i d :: found)
  end.

Lemma rise_holds shift k : holds (rise shift k) (exp (IZR shift / IZR fine * (IZR k / 16))).
Proof.
apply in_exp. assert (F := fine_positive). assert (H := part_holds (shift * k) (16 * fine)). rewrite !mult_IZR in H.
replace (IZR shift / IZR fine * (IZR k / 16)) with (IZR shift * IZR k / (16 * IZR fine)) by (field; lra). exact H.
Qed.

Lemma steeper s x k previous i g : holds i (slope s (IZR previous / 16)) -> (x - previous = k)%Z ->
  holds g (exp (s * (IZR k / 16))) ->
  holds (I.mul bits i g) (slope s (IZR x / 16)).
Proof.
intros H E G. assert (M := in_mul bits _ _ _ _ H G). unfold slope in *. rewrite <- exp_plus in M.
replace (s * (IZR x / 16) - s * s / 2) with (s * (IZR previous / 16) - s * s / 2 + s * (IZR k / 16)); [exact M|].
rewrite <- E, minus_IZR. field.
Qed.

Lemma lines_good shift g2 g8 thresholds : let s := IZR shift / IZR fine in holds g2 (exp (s * (2 / 16))) ->
  holds g8 (exp (s * (8 / 16))) ->
  List.Forall threshold_good thresholds -> forall i previous found, holds i (slope s (IZR previous / 16)) ->
    List.Forall (line_good s) found ->
  List.Forall (line_good s) (lines_from root_2pi shift g2 g8 i previous thresholds found).
Proof.
intros s G2 G8 P. induction P as [|d rest D _ IH]; intros i previous found H F; [exact F|]. cbn [lines_from].
match goal with |- context [lines_from _ _ _ _ ?j _ _ _] => set (i' := j) end.
assert (H' : holds i' (slope s (IZR (sixteenths d) / 16))).
{ unfold i'. destruct (Z.eqb_spec (sixteenths d - previous) 0) as [E|_].
  - replace (sixteenths d) with previous by lia. exact H.
  - destruct (Z.eqb_spec (sixteenths d - previous) 2) as [E|_]; [now apply (steeper s _ 2 previous)|].
    destruct (Z.eqb_spec (sixteenths d - previous) 8) as [E|_]; [now apply (steeper s _ 8 previous)|].
    apply in_exp. assert (Fp := fine_positive).
    assert (Q := part_holds (shift * (2 * (sixteenths d * sixteenth) - shift)) (2 * (fine * fine))).
    replace (s * (IZR (sixteenths d) / 16) - s * s / 2) with (IZR (shift * (2 * (sixteenths d * sixteenth) - shift)) /
      IZR (2 * (fine * fine))); [exact Q|].
    rewrite <- in_sixteenths, !mult_IZR, minus_IZR, !mult_IZR. unfold s. field. lra. }
apply IH; [exact H'|]. constructor; [now apply line_at_good|exact F].
Qed.

(** * The polygon of a group *)
(* The upper end of an interval in units of 1/u, rounded up. Corners are proposed by it, and checked by `edges_right`. *)
Definition upper_end (i : I.type) : Z :=
  match F.toF (I.upper i) with
  | Basic.Float s m e => let z := if (0 <=? e + 64)%Z then Z.shiftl (Zpos m) (e + 64) else Z.shiftr (Zpos m) (- (e + 64)) in
      if s then (- z)%Z else (z + 1)%Z
  | _ => 0%Z end.
Definition height_at (l : line) (p : Z) : I.type := I.add bits (I.mul bits (slope_in l) (part p two64_Z)) (height_in l).
Definition corner_between (l k : line) : corner :=
  let p := upper_end (I.div bits (I.sub bits (height_in l) (height_in k)) (I.sub bits (slope_in k) (slope_in l))) in
  (p, Z.max (upper_end (height_at l p)) (upper_end (height_at k p)) + 1)%Z.
Definition corner_on (l : line) (p : Z) : corner := (p, upper_end (height_at l p) + 1)%Z.

(* Corners of the polygon: where one tangent crosses the next one, whose threshold is lower, and one on the last tangent. *)
Fixpoint corners_along (l : line) (rest : list line) (last : Z) : list corner :=
  match rest with [] => corner_on l last :: nil | k :: rest' => corner_between l k :: corners_along k rest' last end.

Definition below_corner (l : line) (c : corner) : bool := is_at_most bits (height_at l (fst c)) (part (snd c) two64_Z).
Lemma below_corner_ok s l c : line_good s l -> below_corner l c = true -> above s (IZR (touches_at l) / 16) (point c).
Proof.
intros [S H] O. assert (A := in_add bits _ _ _ _ (in_mul bits _ _ _ _ S (part_holds (fst c) two64_Z)) H).
assert (B := is_at_most_ok bits _ _ _ _ O A (part_holds (snd c) two64_Z)). change (IZR two64_Z) with u in B.
unfold above, point. cbn [fst snd]. lra.
Qed.

Fixpoint edges_right (c : corner) (lines : list line) (rest : list corner) : bool :=
  match rest, lines with
  | [], [] => true
  | d :: rest', l :: lines' => (fst c <? fst d)%Z && below_corner l c && below_corner l d && edges_right d lines' rest'
  | _, _ => false end.

Lemma edges_right_ok s lines : List.Forall (line_good s) lines -> forall c rest, edges_right c lines rest = true ->
  polygon s (point c) (List.map point rest).
Proof.
intros F. induction F as [|l lines L _ IH]; intros c [|d rest] H; try discriminate; [exact Logic.I|]. cbn [edges_right] in H.
apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H H2]. apply andb_prop in H.
destruct H as [H0 H1].
split; [|now apply IH]. split.
- apply Z.ltb_lt, IZR_lt in H0. unfold point. cbn [fst snd].
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, u_positive|exact H0].
- exists (IZR (touches_at l) / 16). split; now apply below_corner_ok.
Qed.

(** * A group of pull counts *)
(* A group: pulls after more than `lo` and at most `last` of them. *)
Definition group := (Z * list cost_pair)%type.
(* Thresholds beyond 6 are paid for if the factor of a round is at least this. *)
Definition least_round_factor := 1 + 1 / 10000000.
Definition group_paid (least last : Z) (costs : list cost_pair) := forall m b n s x, least_round_factor <= m -> 0 <= b ->
  List.Forall (cost_paid m b) costs -> (least < Z.of_nat n <= last)%Z -> 0 <= s <= shift 1 n -> within 1 n (- x) ->
  both_at_most lam m b (Phi (- x)) (Phi (s - x)).

Definition sqrt_above (z : Z) : Z := (Z.sqrt z + 1)%Z.
Definition six_deviations : Z := (6 * fine)%Z.

(* Tangents are close to each other where coins cost most. far: the farthest threshold inside the polygon. *)
Definition tangent_wanted (lo far : Z) (d : threshold) : bool := (Z.abs (sixteenths d * sixteenth) <? far)%Z &&
  ((sixteenths d mod 8 =? 0) || ((- 16 <=? sixteenths d) && (sixteenths d <=? (if lo <? 62 then 96 else 93 - 4 *
    Z.log2 (lo + 2)))))%Z.

(* The costs of all corners of a group, if the computation shows that its polygon contains all coins. shift: an upper bound on the
   shifts. far: the largest threshold of these pulls; after more than 36 pulls, 6. *)
Definition group_costs (root : I.type) (thresholds : list threshold) (lo last : Z) : option (list cost_pair) :=
  let shift := sqrt_above (fine * fine / (lo + 2)) in let free := (36 <? last + 1)%Z in
  let far := if free then six_deviations else sqrt_above (fine * fine * (last + 1)) in
  let tangents := filter (tangent_wanted lo far) thresholds in
  match tangents with
  | [] => None
  | d :: _ => let g2 := rise shift 2 in let g4 := I.mul bits g2 g2 in
      let lines := lines_from root shift g2 (I.mul bits g4 g4)
        (I.exp bits (part (shift * (2 * (sixteenths d * sixteenth) - shift)) (2 * (fine * fine)))) (sixteenths d) tangents [] in
      match lines with
      | [] => None
      | l :: rest =>
          let outer := Phi_at root (bell_at far) (- far) in let out := upper_end outer in
          let first := corner_on l (out * 4095 / 4096) in let last_p := (two64_Z - out * 4092 / 4096)%Z in
          let corners := corners_along l rest last_p in
          if ((0 <? lo + 2) && (lo <? last) && (fine * fine <=? shift * shift * (lo + 2))
              && (if free then shift * 6 <=? fine else fine * fine * (last + 1) <=? far * far))%Z
             && is_less bits (part (fst first) two64_Z) outer && is_at_most bits (I.sub bits (I.fromZ bits 1) outer)
               (part (fst (List.last corners first)) two64_Z)
             && edges_right first lines corners
          then corner_costs (first :: corners) else None
      end
  end.

Lemma tails_paid m b s' x s : least_round_factor <= m -> 0 <= b -> 0 <= s' <= s -> s <= 1 / 6 -> 6 < x \/ x < - 6 ->
  both_at_most lam m b (Phi (- x)) (Phi (s' - x)).
Proof.
unfold least_round_factor. intros M B S S6 X. assert (F := fun y Y => half_tail y Y). assert (L := lam_positive).
assert (Far : forall y, 0 <= y -> 57 / 10 <= y -> Phi (- y) <= 5 / 100000000).
{ intros y Y0 Y. apply Rle_trans with (1 := F y Y0). apply Rle_trans with (exp (- (57 / 10 * (57 / 10)) / 2) / 2).
  - apply Rmult_le_compat_r; [lra|]. apply exp_le. nra.
  - interval with (i_prec 60). }
assert (Near : forall y, 0 <= y -> 58 / 10 <= y -> exp (- (lam * ln (Phi y))) <= 1 + 3 / 100000000).
{ intros y Y0 Y. assert (Q : 1 - 5 / 100000000 <= Phi y) by (generalize (Far y Y0 ltac:(lra)); rewrite Phi_opp; lra).
  apply Rle_trans with (exp (- (lam * ln (1 - 5 / 100000000)))); [|unfold lam; interval with (i_prec 60)].
  apply exp_le.
  assert (ln (1 - 5 / 100000000) <= ln (Phi y)) by (destruct Q as [Q|Q]; [left; apply ln_increasing; lra|rewrite Q; lra]).
  nra. }
assert (T : tail lam s <= 101 / 100).
{ unfold tail. apply Rle_trans with (exp ((1 + lam) * lam * (1 / 36) / 2)); [|unfold lam; interval with (i_prec 60)].
  apply exp_le.
  assert (s * s <= 1 / 36) by nra. unfold lam. lra. }
assert (T0 : 0 < tail lam s) by apply exp_pos.
assert (Tilt : forall y, 57 / 10 <= y -> tail lam s * Phi (- y) <= 101 / 100 * (5 / 100000000)).
{ intros y Y. apply Rmult_le_compat; [lra|left; apply Phi_inside|exact T|apply Far; lra]. }
destruct X as [X|X].
- apply (rare_pulls lam L m b s 6); try lra.
  + generalize (Far 6 ltac:(lra) ltac:(lra)) (Near (6 - s) ltac:(lra) ltac:(lra)). lra.
  + replace ((1 + lam) * s - 6) with (- (6 - (1 + lam) * s)) by ring.
    assert (Q := Tilt (6 - (1 + lam) * s) ltac:(unfold lam; lra)). lra.
- apply (rare_others lam L m b s 6); try lra.
  + replace (lam * s - 6) with (- (6 - lam * s)) by ring. assert (Q := Tilt (6 - lam * s) ltac:(unfold lam; lra)). lra.
  + generalize (Far 6 ltac:(lra) ltac:(lra)) (Near 6 ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma group_costs_ok thresholds lo last costs : List.Forall threshold_good thresholds ->
  group_costs root_2pi thresholds lo last = Some costs ->
  group_paid lo last costs /\ (lo < last)%Z.
Proof.
intros Good. unfold group_costs. set (sh := sqrt_above (fine * fine / (lo + 2))). set (free := (36 <? last + 1)%Z).
set (far := if free then six_deviations else sqrt_above (fine * fine * (last + 1))).
destruct (filter _ thresholds) as [|d tangents] eqn:Fl; [discriminate|].
assert (Near : List.Forall threshold_good (d :: tangents)).
{ rewrite <- Fl. apply List.Forall_forall. intros y Y. apply List.filter_In in Y.
  exact (proj1 (List.Forall_forall _ _) Good y (proj1 Y)). }
set (s := IZR sh / IZR fine). assert (Fp := fine_positive).
assert (G2 := rise_holds sh 2). fold s in G2. set (g2 := rise sh 2) in *.
assert (G8 : holds (I.mul bits (I.mul bits g2 g2) (I.mul bits g2 g2)) (exp (s * (8 / 16)))).
{ replace (s * (8 / 16)) with (s * (2 / 16) + s * (2 / 16) + (s * (2 / 16) + s * (2 / 16))) by field. rewrite !exp_plus.
  apply in_mul; now apply in_mul. }
assert (H0 : holds (I.exp bits (part (sh * (2 * (sixteenths d * sixteenth) - sh)) (2 * (fine * fine))))
  (slope s (IZR (sixteenths d) / 16))).
{ apply in_exp. assert (Q := part_holds (sh * (2 * (sixteenths d * sixteenth) - sh)) (2 * (fine * fine))).
  replace (s * (IZR (sixteenths d) / 16) - s * s / 2) with (IZR (sh * (2 * (sixteenths d * sixteenth) - sh)) /
    IZR (2 * (fine * fine)));
    [exact Q|].
  rewrite <- in_sixteenths, !mult_IZR, minus_IZR, !mult_IZR. unfold s. field. lra. }
assert (Lines := lines_good sh _ _ (d :: tangents) G2 G8 Near _ _ [] H0 (List.Forall_nil _)).
cbv zeta. fold s in Lines. set (lines := lines_from _ _ _ _ _ _ _ _) in *. clearbody lines.
destruct lines as [|l rest]; [discriminate|]. set (outer := Phi_at root_2pi (bell_at far) (- far)).
set (first := corner_on l (upper_end outer * 4095 / 4096)).
set (corners := corners_along l rest (two64_Z - upper_end outer * 4092 / 4096)).
destruct (_ && _ && _ && _ && _ && _ && _) eqn:E; [|discriminate]. intros C.
repeat match type of E with (_ && _ = true) => let h := fresh "E" in apply andb_prop in E; destruct E as [E h] end.
apply Z.ltb_lt in E. apply Z.ltb_lt in E5. apply Z.leb_le in E4. split; [|exact E5].
intros m b n s' x M B F N S X. assert (Nn : (lo + 2 <= Z.of_nat n + 1)%Z) by lia.
assert (In : INR n + 1 = IZR (Z.of_nat n + 1)) by (rewrite plus_IZR, INR_IZR_INZ; reflexivity).
assert (L2 : IZR (lo + 2) <= INR n + 1) by (rewrite In; now apply IZR_le).
assert (S1 : 1 <= s * s * IZR (lo + 2)).
{ apply IZR_le in E4. rewrite !mult_IZR in E4. unfold s.
  apply Rmult_le_reg_r with (IZR fine * IZR fine); [now apply Rmult_lt_0_compat|].
  replace (IZR sh / IZR fine * (IZR sh / IZR fine) * IZR (lo + 2) * (IZR fine * IZR fine)) with (IZR sh * IZR sh * IZR (lo + 2))
    by (field; lra). lra. }
assert (Sh0 : 0 <= s) by (apply Rle_mult_inv_pos; [apply IZR_le; unfold sh, sqrt_above;
  generalize (Z.sqrt_nonneg (fine * fine / (lo + 2))); lia|exact Fp]).
assert (Lp : 0 < IZR (lo + 2)) by (apply IZR_lt; exact E).
assert (Sp : 0 < s) by (destruct Sh0 as [Sh0|Sh0]; [exact Sh0|rewrite <- Sh0 in S1; lra]).
assert (S' : 0 <= s' <= s).
{ split; [lra|]. apply Rle_trans with (1 := proj2 S). unfold shift. rewrite Rmult_1_l.
  assert (R0 : 0 < sqrt (INR n + 1)) by (apply sqrt_lt_R0; lra).
  apply Rmult_le_reg_r with (sqrt (INR n + 1)); [exact R0|]. rewrite Rinv_l by lra.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
  replace (s * sqrt (INR n + 1) * (s * sqrt (INR n + 1))) with (s * s * (sqrt (INR n + 1) * sqrt (INR n + 1))) by ring.
  rewrite sqrt_sqrt by lra.
  assert (s * s * IZR (lo + 2) <= s * s * (INR n + 1)) by (apply Rmult_le_compat_l; [apply (Rle_0_sqr s)|lra]). lra. }
assert (One : 1 <= m) by (unfold least_round_factor in M; lra). set (f := IZR far / IZR fine).
assert (Of : holds outer (Phi (- f))).
{ assert (Q : - f = IZR (- far) / IZR fine) by (unfold f; rewrite opp_IZR; field; lra). rewrite Q. apply Phi_at_ok.
  rewrite <- Q. replace (- f * - f) with (f * f) by ring. apply bell_at_ok. }
assert (Inner : - f <= x <= f -> both_at_most lam m b (Phi (- x)) (Phi (s' - x))).
{ intros Xf. assert (P := edges_right_ok s _ Lines first corners E0).
  assert (K := corner_costs_ok (first :: corners) costs m b C F). cbn [List.map] in K.
  apply (near_coins lam lam_positive m b s (- f) f (point first) (List.map point corners) s' x B One (conj P K));
    [| |exact S'|lra].
  - assert (A := is_less_ok bits _ _ _ _ E2 (part_holds _ _) Of). exact A.
  - rewrite (last_of_map point). assert (A := is_at_most_ok bits _ _ _ _ E1 (in_sub bits _ _ _ _ (in_whole bits 1) Of) (part_holds _ _)).
    rewrite Phi_opp in A. unfold point. cbn [fst]. change (IZR two64_Z) with u in A. lra. }
destruct free.
- apply Z.leb_le, IZR_le in E3. rewrite mult_IZR in E3.
  assert (S6 : s <= 1 / 6) by (unfold s; apply Rmult_le_reg_r with (IZR fine); [exact Fp|]; unfold Rdiv;
    rewrite Rmult_assoc, Rinv_l; lra).
  assert (F6 : f = 6) by (unfold f, far, six_deviations; rewrite mult_IZR; field; lra).
  destruct (Rle_lt_dec x 6) as [U1|U1]; [destruct (Rle_lt_dec (- 6) x) as [U2|U2]; [apply Inner; lra|]|];
    apply (tails_paid m b s' x s M B S' S6); lra.
- apply Z.leb_le, IZR_le in E3. rewrite !mult_IZR in E3. apply Inner. unfold within in X.
  assert (Rf : reach 1 n <= f); [|lra]. unfold reach. assert (f0 : 0 <= f).
  { apply Rle_mult_inv_pos; [|exact Fp]. apply IZR_le. unfold far,
      sqrt_above. generalize (Z.sqrt_nonneg (fine * fine * (last + 1))). lia. }
  assert (Nl : INR n + 1 <= IZR (last + 1)) by (rewrite In; apply IZR_le; lia).
  apply Rsqr_incr_0_var; [|exact f0]. unfold Rsqr. assert (N0 := pos_INR n). rewrite sqrt_sqrt by lra. unfold Rdiv.
  rewrite Rinv_1, Rmult_1_r.
  apply Rle_trans with (1 := Nl). unfold f. apply Rmult_le_reg_r with (IZR fine * IZR fine); [now apply Rmult_lt_0_compat|].
  replace (IZR far / IZR fine * (IZR far / IZR fine) * (IZR fine * IZR fine)) with (IZR far * IZR far) by (field; lra). lra.
Qed.

(** * All groups *)
Fixpoint table_good (lo : Z) (t : list group) : Prop :=
  match t with [] => True | (last, costs) :: rest => (lo < last)%Z /\ group_paid lo last costs /\ table_good last rest end.
Fixpoint table_of (root : I.type) (thresholds : list threshold) (lo : Z) (lasts : list Z) : option (list group) :=
  match lasts with
  | [] => Some []
  | last :: rest => match group_costs root thresholds lo last with
      | Some costs => match table_of root thresholds last rest with Some t => Some ((last, costs) :: t) | None => None end
      | None => None end
  end.

Lemma table_of_ok thresholds lasts : List.Forall threshold_good thresholds ->
  forall lo t, table_of root_2pi thresholds lo lasts = Some t ->
  table_good lo t.
Proof.
intros G. induction lasts as [|e lasts IH]; intros lo t H; cbn [table_of] in H; [apply some_is in H; subst t; exact Logic.I|].
destruct (group_costs root_2pi thresholds lo e) as [costs|] eqn:C; [|discriminate].
destruct (table_of _ _ e lasts) as [t'|] eqn:R0; [|discriminate].
apply some_is in H. subst t. destruct (group_costs_ok thresholds lo e costs G C) as [A B]. cbn [table_good].
split; [exact B|split; [exact A|now apply IH]].
Qed.

(** * The price of a pull, for a price of a round *)
(* m: the factor e^(lam c) of a round, in units. pull_factor: the largest e with e a + b <= m for all costs (a, b). The price of a
   pull is then - ln(e/u). For e near u it is bounded by a polynomial (`log_above_1`), otherwise in interval arithmetic. *)
Definition eighth : bigZ := 2305843009213693952.
Definition three_u_squared : bigZ := 1020847100762815390390123822295304634368.
Definition pull_factor (m : bigZ) (costs : list cost_pair) : bigZ :=
  fold_left (fun e k => BigZ.min e ((m - snd k) * two64 / fst k)%bigZ) costs two64.
Definition log_above_1 (v : bigZ) : bigZ := (v - v * v / (2 * two64) + v * v * v / three_u_squared + 1)%bigZ.
Definition group_price (m : Z) (costs : list cost_pair) : option Z := let m' := BigZ.of_Z m in let e := pull_factor m' costs in
  if (1 <=? e)%bigZ && forallb (fun k => (0 <=? fst k)%bigZ && (e * fst k <=? (m' - snd k) * two64)%bigZ) costs then
    if (two64 <=? e)%bigZ then Some 0%Z else
    let v := (two64 * two64 / e - two64 + 1)%bigZ in
    if (0 <=? v)%bigZ && (v <=? eighth)%bigZ then Some (Z.max 0 (BigZ.to_Z (log_above_1 v)))
    else let i := I.ln bits (part two64_Z (BigZ.to_Z e)) in let b := Z.max 0 (upper_end i + 1) in
      if is_at_most bits i (part b two64_Z) then Some b else None
  else None.

Lemma log_above v : 0 <= v -> ln (1 + v) <= v - v * v / 2 + v * v * v / 3.
Proof.
intros V. assert (L : forall w, 0 <= w -> 1 <= (1 + w) * (1 - w + w * w)) by (intros w W;
  assert (0 <= w * w * w) by (repeat apply Rmult_le_pos; lra); lra).
set (f := fun w => (1 + w) * exp (- (w - w * w * / 2 + w * w * w * / 3))).
assert (G : - f 0 <= - f v).
{ apply (rises_between (fun w => - f w) (fun w => - (exp (- (w - w * w * / 2 + w * w * w * / 3)) *
    (1 - (1 + w) * (1 - w + w * w))))); [| |exact V].
  - intros w. unfold f. auto_derive; [auto|unfold Rminus; field].
  - intros w W. assert (E := exp_pos (- (w - w * w * / 2 + w * w * w * / 3))). assert (K := L w (proj1 W)). nra. }
unfold f in G. replace (- (0 - 0 * 0 * / 2 + 0 * 0 * 0 * / 3)) with 0 in G by field.
change (v * v * / 2) with (v * v / 2) in G. change (v * v * v * / 3) with (v * v * v / 3) in G. rewrite exp_0 in G.
assert (P : 0 < 1 + v) by lra. assert (E := exp_pos (- (v - v * v / 2 + v * v * v / 3))).
assert (K : ln ((1 + v) * exp (- (v - v * v / 2 + v * v * v / 3))) <= ln 1).
{ assert (Q : (1 + v) * exp (- (v - v * v / 2 + v * v * v / 3)) <= 1) by lra.
  destruct Q as [Q|Q]; [left; apply ln_increasing; [now apply Rmult_lt_0_compat|exact Q]|rewrite Q; lra]. }
rewrite ln_mult, ln_exp, ln_1 in K by assumption. lra.
Qed.

Lemma log_above_1_ok v : 0 <= real v -> ln (1 + real v / u) <= real (log_above_1 v) / u.
Proof.
intros V. assert (U := u_positive). assert (V' : 0 <= real v / u) by (apply Rle_mult_inv_pos; lra).
apply Rle_trans with (1 := log_above _ V').
unfold log_above_1. rewrite !real_add, real_sub. change (real 1) with 1.
assert (D := real_div (v * v) (2 * two64)). assert (D' := real_div (v * v * v) three_u_squared).
rewrite !real_mul in D, D'. rewrite real_two64 in D. change (real 2) with 2 in D.
replace (real three_u_squared) with (3 * (u * u)) in D' by (unfold real, u; rewrite <- !mult_IZR; apply f_equal; vm_compute;
  reflexivity).
specialize (D ltac:(lra)). specialize (D' ltac:(assert (0 < u * u) by (now apply Rmult_lt_0_compat); lra)).
set (a := real (v * v / (2 * two64))%bigZ) in *. set (b := real (v * v * v / three_u_squared)%bigZ) in *. set (w := real v) in *.
assert (A : a <= w * w / (2 * u)).
{ apply Rmult_le_reg_r with (2 * u); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
assert (B : w * w * w / (3 * (u * u)) <= b + 1).
{ apply Rmult_le_reg_r with (3 * (u * u)); [assert (0 < u * u) by (now apply Rmult_lt_0_compat); lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by (assert (0 < u * u) by (now apply Rmult_lt_0_compat); lra). lra. }
replace (w / u - w / u * (w / u) / 2 + w / u * (w / u) * (w / u) / 3) with ((w - w * w / (2 * u) + w * w * w / (3 * (u * u))) /
  u) by (field; lra).
apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
Qed.

Lemma group_price_ok m costs b : group_price m costs = Some b -> (0 <= b)%Z /\
  List.Forall (cost_paid (IZR m / u) (IZR b / u)) costs.
Proof.
unfold group_price. set (e := pull_factor (BigZ.of_Z m) costs). destruct (_ && _) eqn:E; [|discriminate].
apply andb_prop in E. destruct E as [E1 E2]. apply real_le in E1. change (real 1) with 1 in E1. assert (U := u_positive).
assert (E0 : 0 < real e / u) by (apply Rdiv_lt_0_compat; lra). intros H.
assert (Enough : (0 <= b)%Z /\ - ln (real e / u) <= IZR b / u).
{ destruct (two64 <=? e)%bigZ eqn:Big.
  - apply some_is in H. subst b. split; [lia|]. apply real_le in Big. rewrite real_two64 in Big. unfold Rdiv at 2.
    rewrite Rmult_0_l.
    assert (1 <= real e / u) by (apply Rmult_le_reg_r with u; [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    assert (0 <= ln (real e / u)); [|lra]. rewrite <- ln_1.
    destruct H as [H|H]; [left; apply ln_increasing; lra|rewrite <- H; lra].
  - set (v := (two64 * two64 / e - two64 + 1)%bigZ) in *. destruct (_ && _) eqn:V.
    + apply some_is in H. subst b. split; [lia|]. apply andb_prop in V. destruct V as [V _]. apply real_le in V.
      change (real 0) with 0 in V.
      apply Rle_trans with (ln (1 + real v / u)).
      * rewrite <- ln_Rinv by exact E0. assert (G : / (real e / u) <= 1 + real v / u).
        { unfold v. rewrite real_add, real_sub, real_two64. change (real 1) with 1. assert (D :=
            real_div (two64 * two64) e ltac:(lra)).
          rewrite real_mul, real_two64 in D. apply Rmult_le_reg_r with (real e * u); [apply Rmult_lt_0_compat; lra|].
          replace (/ (real e / u) * (real e * u)) with (u * u) by (field; lra).
          replace ((1 + (real (two64 * two64 / e)%bigZ - u + 1) / u) * (real e * u)) with ((real (two64 * two64 / e)%bigZ + 1) *
            real e) by (field; lra). lra. }
        destruct G as [G|G]; [left; apply ln_increasing; [now apply Rinv_0_lt_compat|exact G]|rewrite G; lra].
      * apply Rle_trans with (1 := log_above_1_ok v V). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
        unfold real. apply IZR_le. lia.
    + destruct (is_at_most bits _ _) eqn:A; [|discriminate]. apply some_is in H. subst b. split; [lia|].
      rewrite <- ln_Rinv by exact E0. assert (P := in_ln bits _ _ (part_holds two64_Z (BigZ.to_Z e))).
      assert (G := is_at_most_ok bits _ _ _ _ A P (part_holds _ two64_Z)). change (IZR two64_Z) with u in G.
      change (IZR (BigZ.to_Z e)) with (real e) in G.
      replace (/ (real e / u)) with (u / real e) by (field; lra). exact G. }
destruct Enough as [B0 B]. split; [exact B0|]. assert (X : exp (- (IZR b / u)) <= real e / u).
{ rewrite <- (exp_ln (real e / u)) by exact E0. apply exp_le. lra. }
apply List.Forall_forall. intros k K. apply (proj1 (List.forallb_forall _ _) E2) in K. apply andb_prop in K.
destruct K as [K1 K2].
apply real_le in K1, K2. rewrite !real_mul, real_sub, real_two64, real_of in K2. change (real 0) with 0 in K1.
unfold cost_paid. apply Rle_trans with (real e / u * (real (fst k) / u) + real (snd k) / u).
- apply Rplus_le_compat_r, Rmult_le_compat_r; [apply Rle_mult_inv_pos; [exact K1|exact U]|exact X].
- apply Rmult_le_reg_r with (u * u); [now apply Rmult_lt_0_compat|].
  replace ((real e / u * (real (fst k) / u) + real (snd k) / u) * (u * u)) with (real e * real (fst k) + real (snd k) * u)
    by (field; lra).
  replace (IZR m / u * (u * u)) with (IZR m * u) by (field; lra).
  apply Rle_trans with ((IZR m - real (snd k)) * u + real (snd k) * u); [apply Rplus_le_compat_r; exact K2|right; ring].
Qed.

(** * The prices of all pulls *)
(* A list of (last, b): the price is b/u after at most `last` pulls, and more than the `last` of the pair before. *)
Fixpoint price_at (l : list (Z * Z)) (n : Z) : Z := match l with [] => 0%Z | (last, b) :: rest => if (n <=? last)%Z then b
  else price_at rest n end.
Fixpoint group_prices (m most lo : Z) (t : list group) : option (list (Z * Z)) :=
  if (most <=? lo)%Z then Some [] else
  match t with
  | [] => None
  | (last, costs) :: rest => match group_price m costs with
      | Some b => match group_prices m most last rest with Some l => Some ((last, b) :: l) | None => None end
      | None => None end
  end.
Fixpoint total_price (lo most : Z) (l : list (Z * Z)) : Z :=
  match l with [] => 0%Z | (last, b) :: rest => (b * (Z.min last most - lo) + total_price last most rest)%Z end.

Lemma price_at_positive m most t : forall lo l, group_prices m most lo t = Some l -> forall n, (0 <= price_at l n)%Z.
Proof.
induction t as [|[last costs] t IH]; intros lo l H n; cbn [group_prices] in H; destruct (most <=? lo)%Z; try discriminate.
1, 2: apply some_is in H; subst l; simpl; lia.
destruct (group_price m costs) as [b|] eqn:B; [|discriminate].
destruct (group_prices m most last t) as [l'|] eqn:P; [|discriminate].
apply some_is in H. subst l. cbn [price_at]. destruct (n <=? last)%Z; [exact (proj1 (group_price_ok _ _ _ B))|now apply (IH last)].
Qed.

Lemma group_prices_pay m most t : least_round_factor <= IZR m / u -> forall lo l, table_good lo t -> group_prices m most lo t =
  Some l ->
  forall n s x, (lo < Z.of_nat n <= most)%Z -> 0 <= s <= shift 1 n -> within 1 n (- x) ->
  both_at_most lam (IZR m / u) (IZR (price_at l (Z.of_nat n)) / u) (Phi (- x)) (Phi (s - x)).
Proof.
intros M. induction t as [|[last costs] t IH]; intros lo l G H n s x N S X; cbn [group_prices] in H;
  destruct (Z.leb_spec most lo) as [Q|Q]; try lia; [discriminate|].
destruct (group_price m costs) as [b|] eqn:B; [|discriminate].
destruct (group_prices m most last t) as [l'|] eqn:P; [|discriminate].
apply some_is in H. subst l. destruct G as (L & A & G). destruct (group_price_ok _ _ _ B) as [B0 Paid]. cbn [price_at].
destruct (Z.leb_spec (Z.of_nat n) last) as [W|W].
- apply (A (IZR m / u) (IZR b / u) n s x M); auto; [|lia]. apply Rle_mult_inv_pos; [now apply IZR_le|apply u_positive].
- apply (IH last l' G P n s x); auto. lia.
Qed.
