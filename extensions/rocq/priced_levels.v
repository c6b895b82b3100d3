(* Prices of the static potential for given numbers, checked by computation. A level is a range of pull counts, with a
   polygon around its coins and the price of a pull. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Interval.Real Require Import Xreal.
From Dpbandits Require Import normal moments coins rewards thompson arms thompson_samples drawn_thompson.
From Dpbandits Require Import normal_series normal_table.
Import ListNotations.
Open Scope R_scope.

Definition corner_unit : Z := 17592186044416.
Definition worth_unit : Z := 1000000.

(* Rounds after `first` to `last` pulls of the changed arm (None: any larger number). In units of 1/64: the largest shift
   of a sample, the farthest threshold inside the polygon, and the x at which its edges touch the curve of coins
   (Phi(x), Phi(shift + x)). Corners are in units of 1/corner_unit, the price of a pull in units of 1/worth_unit. *)
Record level := Build_level {
  first : Z; last : option Z; largest_shift : Z; farthest : Z; tangents : list Z; corners : list (Z * Z); worth : Z }.

Lemma shift_at_most n m s : (m <= n)%nat -> 0 < s -> 1 <= s * s * (INR m + 1) -> shift 1 n <= s.
Proof.
intros L S H. unfold shift. apply le_INR in L. assert (M := pos_INR m).
assert (R0 : 0 < sqrt (1 * (INR n + 1))) by (apply sqrt_lt_R0; lra).
apply Rmult_le_reg_r with (sqrt (1 * (INR n + 1))); [exact R0|]. rewrite Rinv_l by lra.
apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
replace (s * sqrt (1 * (INR n + 1)) * (s * sqrt (1 * (INR n + 1)))) with
  (s * s * (sqrt (1 * (INR n + 1)) * sqrt (1 * (INR n + 1)))) by ring.
rewrite sqrt_sqrt by lra. assert (0 < s * s) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma reach_at_most n m r : (n <= m)%nat -> 0 <= r -> INR m + 1 <= r * r -> reach 1 n <= r.
Proof.
intros L S H. unfold reach. apply le_INR in L. assert (N := pos_INR n).
apply Rsqr_incr_0_var; [|exact S]. unfold Rsqr. rewrite sqrt_sqrt by (apply Rle_mult_inv_pos; lra). lra.
Qed.

(** * Edges of a polygon *)
Definition point (c : Z * Z) : R * R := (IZR (fst c) / IZR corner_unit, IZR (snd c) / IZR corner_unit).

(* The tangent at -x/64: its slope, and its height at p = 0. *)
Definition line_right (t : list I.type) (shift x : Z) (c d : Z * Z) : bool :=
  let slope := I.exp bits (part (- (shift * (2 * x + shift))) 8192) in
  let height := I.sub bits (tabled_Phi t (shift + x)) (I.mul bits slope (tabled_Phi t x)) in
  let above c := is_at_most bits (I.add bits (I.mul bits slope (part (fst c) corner_unit)) height) (part (snd c) corner_unit) in
  (fst c <? fst d)%Z && above c && above d.
Fixpoint edges_right (t : list I.type) (shift : Z) (c : Z * Z) (tangents : list Z) (rest : list (Z * Z)) : bool :=
  match tangents, rest with
  | [], [] => true
  | x :: tangents', d :: rest' => line_right t shift x c d && edges_right t shift d tangents' rest'
  | _, _ => false end.

Lemma line_ok t k x c d : Phi_table_good t -> line_right t k x c d = true -> edge (IZR k / 64) (point c) (point d).
Proof.
intros G H. unfold line_right in H. apply andb_prop in H. destruct H as [H D]. apply andb_prop in H. destruct H as [Order C].
set (s := IZR k / 64). set (y := - (IZR x / 64)).
set (i := I.exp bits _) in *. assert (S : holds i (slope s y)).
{ unfold slope. apply in_exp. replace (s * y - s * s / 2) with (IZR (- (k * (2 * x + k))) / IZR 8192); [apply part_holds|].
  rewrite opp_IZR, mult_IZR, plus_IZR, mult_IZR. unfold s, y. field. }
assert (Hi : holds (I.sub bits (tabled_Phi t (k + x)) (I.mul bits i (tabled_Phi t x))) (Phi (s - y) - slope s y * Phi (- y))).
{ replace (s - y) with (IZR (k + x) / 64) by (rewrite plus_IZR; unfold s, y; field).
  replace (- y) with (IZR x / 64) by (unfold y; ring).
  apply in_sub; [|apply in_mul; [exact S|]]; now apply tabled_Phi_ok. }
assert (Above : forall e, is_at_most bits (I.add bits (I.mul bits i (part (fst e) corner_unit))
    (I.sub bits (tabled_Phi t (k + x)) (I.mul bits i (tabled_Phi t x)))) (part (snd e) corner_unit) = true ->
      above s y (point e)).
{ intros e E. assert (A := is_at_most_ok bits _ _ _ _ E (in_add bits _ _ _ _ (in_mul bits _ _ _ _ S (part_holds _ _)) Hi) (part_holds _ _)).
  unfold above, point. cbn [fst snd]. lra. }
split; [|exists y; split; now apply Above].
apply Z.ltb_lt, IZR_lt in Order. unfold point. cbn [fst]. apply Rmult_lt_compat_r; [|exact Order].
apply Rinv_0_lt_compat, IZR_lt. reflexivity.
Qed.

Lemma edges_ok t k : Phi_table_good t -> forall rest c tangents, edges_right t k c tangents rest = true ->
  polygon (IZR k / 64) (point c) (List.map point rest).
Proof.
intros G. induction rest as [|d rest IH]; intros c [|x tangents] H; try discriminate; [exact Logic.I|].
cbn [edges_right] in H. apply andb_prop in H. destruct H as [E H]. split; [now apply (line_ok t k x)|now apply (IH d tangents)].
Qed.

(** * The prices of a level *)
Section Level.
(* lam = a/b, and intervals around it and around m = exp(price). *)
Variables (a b : Z) (price : R) (lam_in m_in : I.type) (table : list I.type).
Definition lam := IZR a / IZR b.
Hypotheses (a_positive : (0 < a)%Z) (b_positive : (0 < b)%Z) (price_positive : 0 <= price).
Hypotheses (lam_holds : holds lam_in lam) (m_holds : holds m_in (exp price)) (table_good : Phi_table_good table).

Lemma lam_positive : 0 < lam.
Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

(* pull: an interval around exp(- price of a pull). Every number comes with its logarithm, which is used twice. *)
Definition with_log (x : Z) : I.type * I.type := let i := part x corner_unit in (i, I.ln bits i).
Definition tilted_in (x y : I.type * I.type) : I.type :=
  I.mul bits (fst x) (I.exp bits (I.mul bits lam_in (I.sub bits (snd x) (snd y)))).
Definition cost_right (pull : I.type) (p q none_p none_q : I.type * I.type) : bool :=
  is_at_most bits (I.add bits (I.mul bits pull (tilted_in p q)) (tilted_in none_p none_q)) m_in.
Definition corner_right (pull : I.type) (c : Z * Z) : bool := let '(p, q) := c in
  ((0 <? p) && (p <? corner_unit) && (0 <? q) && (q <? corner_unit))%Z &&
  let x := with_log p in let y := with_log q in
  let none_x := with_log (corner_unit - p) in let none_y := with_log (corner_unit - q) in
  cost_right pull x y none_x none_y && cost_right pull y x none_y none_x.

Lemma unit_positive : 0 < IZR corner_unit. Proof. apply IZR_lt. reflexivity. Qed.

Lemma rest_of p : 1 - IZR p / IZR corner_unit = IZR (corner_unit - p) / IZR corner_unit.
Proof. rewrite minus_IZR. field. generalize unit_positive; lra. Qed.

Lemma tilted_holds x y :
  holds (tilted_in (with_log x) (with_log y)) (tilted lam (IZR x / IZR corner_unit) (IZR y / IZR corner_unit)).
Proof.
apply in_mul; [apply part_holds|]. apply in_exp, in_mul; [exact lam_holds|].
apply in_sub; apply in_ln, part_holds.
Qed.

Lemma cost_ok pull w p q : holds pull (exp (- w)) ->
  cost_right pull (with_log p) (with_log q) (with_log (corner_unit - p)) (with_log (corner_unit - q)) = true ->
  cost lam w (IZR p / IZR corner_unit) (IZR q / IZR corner_unit) <= exp price.
Proof.
intros P H. unfold cost. rewrite !rest_of.
exact (is_at_most_ok bits _ _ _ _ H (in_add bits _ _ _ _ (in_mul bits _ _ _ _ P (tilted_holds _ _)) (tilted_holds _ _)) m_holds).
Qed.

Lemma corner_ok pull w c : holds pull (exp (- w)) -> corner_right pull c = true ->
  inside (point c) /\ both_at_most lam (exp price) w (fst (point c)) (snd (point c)).
Proof.
intros P H. destruct c as [p q]. unfold corner_right in H. apply andb_prop in H. destruct H as [H C].
apply andb_prop in C. destruct C as [C C']. apply andb_prop in H. destruct H as [H Q1]. apply andb_prop in H.
destruct H as [H Q0].
apply andb_prop in H. destruct H as [P0 P1]. apply Z.ltb_lt, IZR_lt in P0, P1, Q0, Q1. assert (U := unit_positive).
assert (In : forall z, 0 < IZR z < IZR corner_unit -> 0 < IZR z / IZR corner_unit < 1).
{ intros z Z. split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (IZR corner_unit); [exact U|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
unfold point, inside. cbn [fst snd]. split; [split; apply In; lra|]. split; now apply (cost_ok pull).
Qed.

(* Thresholds beyond `far`, with shifts of at most k/64. *)
Definition times_up (x d k : Z) : Z := (- ((- (x * k)) / d))%Z.
Definition power_in (k : Z) : I.type :=
  I.exp bits (I.sub bits (I.fromZ bits 0) (I.mul bits lam_in (I.ln bits (tabled_Phi table k)))).
Definition tails_right (k far : Z) : bool :=
  let s := part k 64 in let one := I.fromZ bits 1 in let lowest := tabled_Phi table (- far) in
  let factor := I.exp bits (I.div bits (I.mul bits (I.mul bits (I.add bits one lam_in) lam_in) (I.mul bits s s))
    (I.fromZ bits 2)) in
  is_at_most bits (I.add bits one (I.mul bits factor (tabled_Phi table (times_up a b k - far)))) m_in &&
  is_at_most bits (I.add bits (power_in far) lowest) m_in &&
  is_at_most bits (I.add bits lowest (power_in (far - k))) m_in &&
  is_at_most bits (I.add bits (I.mul bits factor (tabled_Phi table (times_up (a + b) b k - far))) one) m_in.

Lemma times_up_ok x d k : (0 < d)%Z -> IZR x / IZR d * IZR k <= IZR (times_up x d k).
Proof.
intros D. unfold times_up. assert (H := Z.mul_div_le (- (x * k)) d D). apply IZR_le in H. assert (D0 := IZR_lt _ _ D).
rewrite mult_IZR in H. rewrite !opp_IZR in *. rewrite mult_IZR in H.
apply Rmult_le_reg_r with (IZR d); [exact D0|]. replace (IZR x / IZR d * IZR k * IZR d) with (IZR x * IZR k) by (field; lra).
lra.
Qed.

Lemma power_holds k : holds (power_in k) (exp (- (lam * ln (Phi (IZR k / 64))))).
Proof.
apply in_exp. replace (- (lam * ln (Phi (IZR k / 64)))) with (0 - lam * ln (Phi (IZR k / 64))) by ring.
apply in_sub; [apply (in_whole bits 0)|]. apply in_mul; [exact lam_holds|]. now apply in_ln, tabled_Phi_ok.
Qed.

Lemma tails_ok k far w s x : tails_right k far = true -> 0 <= w -> 0 <= s <= IZR k / 64 ->
  IZR far / 64 <= x \/ x <= - (IZR far / 64) -> both_at_most lam (exp price) w (Phi (- x)) (Phi (s - x)).
Proof.
intros H W S X. unfold tails_right in H. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H.
destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2]. assert (L := lam_positive).
assert (B := IZR_lt _ _ b_positive). set (r := IZR k / 64) in *. set (f := IZR far / 64) in *.
assert (One := in_whole bits 1). assert (Low : holds (tabled_Phi table (- far)) (Phi (- f))).
{ replace (- f) with (IZR (- far) / 64) by (unfold f; rewrite opp_IZR; field). now apply tabled_Phi_ok. }
assert (Factor : holds (I.exp bits (I.div bits (I.mul bits (I.mul bits (I.add bits (I.fromZ bits 1) lam_in) lam_in)
  (I.mul bits (part k 64) (part k 64))) (I.fromZ bits 2))) (tail lam r)).
{ unfold tail. apply in_exp, in_div; [|apply (in_whole bits 2)]. assert (K := part_holds k 64).
  apply in_mul; apply in_mul; try assumption. now apply in_add. }
assert (T0 : 0 < tail lam r) by apply exp_pos.
assert (Lower : forall y d, y <= IZR (d - far) / 64 -> tail lam r * Phi y <= tail lam r * Phi (IZR (d - far) / 64)).
{ intros y d Y. apply Rmult_le_compat_l; [lra|]. now apply Phi_le. }
destruct X as [X|X].
- apply (rare_pulls lam L (exp price) w r f s x W S X).
  + replace (f - r) with (IZR (far - k) / 64) by (unfold f, r; rewrite minus_IZR; field).
    exact (is_at_most_ok bits _ _ _ _ H3 (in_add bits _ _ _ _ Low (power_holds _)) m_holds).
  + assert (A := is_at_most_ok bits _ _ _ _ H4 (in_add bits _ _ _ _ (in_mul bits _ _ _ _ Factor
      (tabled_Phi_ok _ _ table_good)) One) m_holds).
    assert (U := times_up_ok (a + b) b k b_positive). rewrite plus_IZR in U.
    assert (Y : (1 + lam) * r - f <= IZR (times_up (a + b) b k - far) / 64).
    { rewrite minus_IZR. unfold f, r, lam. replace ((1 + IZR a / IZR b) * (IZR k / 64) - IZR far / 64) with
        (((IZR a + IZR b) / IZR b * IZR k - IZR far) * / 64) by (field; lra). apply Rmult_le_compat_r; lra. }
    assert (Q := Lower _ _ Y). lra.
- apply (rare_others lam L (exp price) w r f s x W S X).
  + assert (A := is_at_most_ok bits _ _ _ _ H1 (in_add bits _ _ _ _ One (in_mul bits _ _ _ _ Factor
      (tabled_Phi_ok _ _ table_good))) m_holds).
    assert (U := times_up_ok a b k b_positive).
    assert (Y : lam * r - f <= IZR (times_up a b k - far) / 64).
    { rewrite minus_IZR. unfold f, r, lam. replace (IZR a / IZR b * (IZR k / 64) - IZR far / 64) with
        ((IZR a / IZR b * IZR k - IZR far) * / 64) by (field; lra). apply Rmult_le_compat_r; lra. }
    assert (Q := Lower _ _ Y). lra.
  + exact (is_at_most_ok bits _ _ _ _ H2 (in_add bits _ _ _ _ (power_holds _) Low) m_holds).
Qed.

(* two: whether there are two arms, so that thresholds have a limit; else any number of arms. *)
Variable two : bool.
Definition thresholds : nat -> R -> Prop := if two then within 1 else anywhere.
Definition reached (l : level) : bool :=
  match last l with Some n => two && (4096 * (n + 1) <=? farthest l * farthest l)%Z | None => false end.
Definition level_right (l : level) : bool :=
  match corners l with
  | [] => false
  | c :: rest => let k := largest_shift l in let far := farthest l in
      let pull := I.exp bits (part (- worth l) worth_unit) in
      ((0 <=? first l) && (0 <? k) && (4096 <=? k * k * (first l + 1)) && (0 <=? far) && (0 <=? worth l))%Z &&
      edges_right table k c (tangents l) rest && forallb (corner_right pull) (c :: rest) &&
      is_less bits (part (fst c) corner_unit) (tabled_Phi table (- far)) &&
      is_at_most bits (tabled_Phi table far) (part (fst (List.last rest c)) corner_unit) &&
      (reached l || tails_right k far)
  end.
Definition has (l : level) (n : nat) :=
  (first l <= Z.of_nat n)%Z /\ match last l with Some e => (Z.of_nat n <= e)%Z | None => True end.

Lemma level_ok l n s x : level_right l = true -> has l n -> 0 <= s <= shift 1 n -> thresholds n (- x) ->
  both_at_most lam (exp price) (IZR (worth l) / IZR worth_unit) (Phi (- x)) (Phi (s - x)).
Proof.
unfold level_right. destruct (corners l) as [|c rest] eqn:Corners; [discriminate|]. intros H [N1 N2] S X.
apply andb_prop in H. destruct H as [H Far]. apply andb_prop in H. destruct H as [H High]. apply andb_prop in H.
destruct H as [H Low]. apply andb_prop in H. destruct H as [H Paid]. apply andb_prop in H. destruct H as [H Edges].
apply andb_prop in H. destruct H as [H W0]. apply andb_prop in H. destruct H as [H F0]. apply andb_prop in H.
destruct H as [H K2]. apply andb_prop in H. destruct H as [First K0].
apply Z.leb_le in First, K2, F0, W0. apply Z.ltb_lt in K0. set (k := largest_shift l) in *. set (far := farthest l) in *.
assert (Unit : 0 < IZR worth_unit) by (apply IZR_lt; reflexivity).
assert (W : 0 <= IZR (worth l) / IZR worth_unit) by (apply Rle_mult_inv_pos; [now apply IZR_le|exact Unit]).
assert (Sk : 0 <= s <= IZR k / 64).
{ split; [apply S|]. apply Rle_trans with (1 := proj2 S). apply IZR_lt in K0.
  apply (shift_at_most n (Z.to_nat (first l))); [lia|lra|]. rewrite INR_IZR_INZ, Z2Nat.id by exact First.
  apply IZR_le in K2. rewrite !mult_IZR, plus_IZR in K2. lra. }
assert (Pull : holds (I.exp bits (part (- worth l) worth_unit)) (exp (- (IZR (worth l) / IZR worth_unit)))).
{ apply in_exp. replace (- (IZR (worth l) / IZR worth_unit)) with (IZR (- worth l) / IZR worth_unit); [apply part_holds|].
  rewrite opp_IZR. field. lra. }
assert (One : 1 <= exp price) by (rewrite <- exp_0; now apply exp_le).
set (f := IZR far / 64). apply IZR_le in F0.
assert (Inner : - f <= x <= f -> both_at_most lam (exp price) (IZR (worth l) / IZR worth_unit) (Phi (- x)) (Phi (s - x))).
{ intros Xf. apply (near_coins lam lam_positive (exp price) _ (IZR k / 64) (- f) f (point c) (List.map point rest) s x W One).
  - split; [now apply (edges_ok table k table_good rest c (tangents l))|].
    apply List.Forall_forall. intros d I. change (point c :: List.map point rest) with (List.map point (c :: rest)) in I.
    apply List.in_map_iff in I. destruct I as (e & <- & I). apply (corner_ok _ _ e Pull).
    exact (proj1 (List.forallb_forall _ _) Paid e I).
  - replace (- f) with (IZR (- far) / 64) by (unfold f; rewrite opp_IZR; field).
    exact (is_less_ok bits _ _ _ _ Low (part_holds _ _) (tabled_Phi_ok _ _ table_good)).
  - rewrite (last_of_map point). exact (is_at_most_ok bits _ _ _ _ High (tabled_Phi_ok _ _ table_good) (part_holds _ _)).
  - exact Sk.
  - lra. }
apply orb_prop in Far. destruct Far as [Far|Far].
- apply Inner. unfold reached in Far. destruct (last l) as [e|]; [|discriminate]. apply andb_prop in Far.
  destruct Far as [Two Far]. unfold thresholds in X. rewrite Two in X. unfold within in X.
  apply Z.leb_le, IZR_le in Far. rewrite !mult_IZR, plus_IZR in Far. fold far in Far.
  assert (R0 : reach 1 n <= f); [|lra]. apply (reach_at_most n (Z.to_nat e)); [lia|unfold f; lra|].
  rewrite INR_IZR_INZ, Z2Nat.id by lia. unfold f. lra.
- destruct (Rle_dec x f) as [U|U]; [destruct (Rle_dec (- f) x) as [V|V]; [now apply Inner|]|];
    apply (tails_ok k far _ s x Far W Sk); fold f; lra.
Qed.

(** * All levels *)
(* The levels follow each other from n pulls on; the last one has no end and the price 0. *)
Fixpoint levels_right (n : Z) (l : list level) : bool :=
  match l with
  | [] => false
  | v :: rest => (first v =? n)%Z && level_right v &&
      match last v with
      | Some e => (n <=? e)%Z && levels_right (e + 1) rest
      | None => (worth v =? 0)%Z && match rest with [] => true | _ => false end
      end
  end.
Fixpoint worth_at (l : list level) (n : Z) : Z :=
  match l with
  | [] => 0%Z
  | v :: rest => match last v with Some e => if (n <=? e)%Z then worth v else worth_at rest n | None => 0%Z end
  end.
(* From so many pulls on, the price of a pull is 0. *)
Fixpoint free_from (l : list level) : Z :=
  match l with [] => 0%Z | v :: rest => match last v with Some _ => free_from rest | None => first v end end.

Lemma worth_at_positive l : forall n k, levels_right n l = true -> (0 <= worth_at l k)%Z.
Proof.
induction l as [|v l IH]; intros n k H; [discriminate|]. cbn [levels_right] in H. apply andb_prop in H. destruct H as [H Rest].
apply andb_prop in H. destruct H as [_ H]. cbn [worth_at]. destruct (last v) as [e|]; [|apply Z.le_refl].
apply andb_prop in Rest. destruct Rest as [_ Rest]. destruct (k <=? e)%Z; [|now apply (IH (e + 1)%Z)].
unfold level_right in H. destruct (corners v); [discriminate|]. do 6 (apply andb_prop in H; destruct H as [H ?]).
now apply Z.leb_le.
Qed.

Lemma free_after l : forall n, levels_right n l = true ->
  (n <= free_from l)%Z /\ forall k, (free_from l <= k)%Z -> worth_at l k = 0%Z.
Proof.
induction l as [|v l IH]; intros n H; [discriminate|]. cbn [levels_right] in H. apply andb_prop in H. destruct H as [H Rest].
apply andb_prop in H. destruct H as [First _]. apply Z.eqb_eq in First. cbn [worth_at free_from].
destruct (last v) as [e|]; [|split; [lia|reflexivity]]. apply andb_prop in Rest. destruct Rest as [N Rest]. apply Z.leb_le in N.
destruct (IH _ Rest) as [F Z0]. split; [lia|]. intros k K. destruct (Z.leb_spec k e); [lia|now apply Z0].
Qed.

Lemma levels_ok l : forall n k s x, levels_right n l = true -> (n <= Z.of_nat k)%Z -> 0 <= s <= shift 1 k ->
  thresholds k (- x) ->
  both_at_most lam (exp price) (IZR (worth_at l (Z.of_nat k)) / IZR worth_unit) (Phi (- x)) (Phi (s - x)).
Proof.
induction l as [|v l IH]; intros n k s x H N S X; [discriminate|]. cbn [levels_right] in H. apply andb_prop in H.
destruct H as [H Rest]. apply andb_prop in H. destruct H as [First H]. apply Z.eqb_eq in First. cbn [worth_at].
assert (Here := level_ok v k s x H). unfold has in Here. destruct (last v) as [e|].
- apply andb_prop in Rest. destruct Rest as [_ Rest]. destruct (Z.leb_spec (Z.of_nat k) e) as [K|K].
  + apply Here; [lia|exact S|exact X].
  + apply (IH (e + 1)%Z); [exact Rest|lia|exact S|exact X].
- apply andb_prop in Rest. destruct Rest as [W _]. apply Z.eqb_eq in W. rewrite W in Here. apply Here; [lia|exact S|exact X].
Qed.

Definition level_prices (l : list level) : prices :=
  Build_prices lam price (left_over worth_unit (fun n => worth_at l (Z.of_nat n)) (Z.to_nat (free_from l))).
Definition all_worth (l : list level) : Z :=
  summed (fun n => worth_at l (Z.of_nat n)) 1 (Z.to_nat (free_from l) - 1).

Lemma levels_enough l eps delta T rises : levels_right 1 l = true ->
  ln (best_share lam) + INR (pred T) * price + IZR (all_worth l) / IZR worth_unit - lam * eps <= ln delta ->
  enough (shifted 1 thresholds) eps delta T rises (level_prices l).
Proof.
intros H E. unfold enough, enough_from, level_prices. cbn [thompson.lam thompson.price thompson.left].
destruct (free_after l 1 H) as [F Free]. split; [exact lam_positive|split; [exact price_positive|split]].
- intros n. apply left_over_falls; [reflexivity|]. intros m. now apply (worth_at_positive l 1).
- split; [exact E|]. intros n p q [N _] (s & x & Hs & Hx & _ & -> & ->). rewrite left_over_step by reflexivity.
  assert (G := levels_ok l 1 n s x H ltac:(lia) Hs Hx).
  replace (if Nat.ltb n (Z.to_nat (free_from l)) then IZR (worth_at l (Z.of_nat n)) / IZR worth_unit else 0) with
    (IZR (worth_at l (Z.of_nat n)) / IZR worth_unit).
  + destruct G. now destruct rises.
  + destruct (Nat.ltb_spec n (Z.to_nat (free_from l))) as [L|L]; [reflexivity|]. rewrite Free by lia. unfold Rdiv. ring.
Qed.
End Level.

(** * Theorems with numbers *)
(* T rounds with two arms, or with any number of them; lam, lam times the price of a round, eps and delta as fractions. *)
Record priced_run := Build_priced_run {
  two_arms : bool; rounds : nat; order_fraction : Z * Z; price_fraction : Z * Z; eps_fraction : Z * Z;
  delta_fraction : Z * Z; levels : list level }.
Definition fraction (q : Z * Z) : R := IZR (fst q) / IZR (snd q).
Definition fraction_in (q : Z * Z) : I.type := part (fst q) (snd q).

(* Whether the prices pay for every coin, and lam eps + ln(delta) for all prices. *)
Definition run_right (N : priced_run) : bool :=
  let '(a, b) := order_fraction N in let lam := fraction_in (order_fraction N) in let price := fraction_in (price_fraction N) in
  let one := I.fromZ bits 1 in let more := I.add bits one lam in
  let share := I.add bits (I.mul bits lam (I.ln bits (I.div bits lam more))) (I.ln bits (I.div bits one more)) in
  let spent := I.add bits (I.mul bits (I.fromZ bits (Z.of_nat (pred (rounds N)))) price)
    (part (all_worth (levels N)) worth_unit) in
  ((0 <? a) && (0 <? b) && (0 <=? fst (price_fraction N)) && (0 <? snd (price_fraction N)) &&
    (0 <? fst (delta_fraction N)) && (0 <? snd (delta_fraction N)))%Z &&
  levels_right a b lam (I.exp bits price) Phi_places (two_arms N) 1 (levels N) &&
  is_at_most bits (I.sub bits (I.add bits share spent) (I.mul bits lam (fraction_in (eps_fraction N))))
    (I.ln bits (fraction_in (delta_fraction N))).

Lemma run_enough N : run_right N = true ->
  0 < fraction (delta_fraction N) /\ forall rises, exists c,
    enough (shifted 1 (thresholds (two_arms N))) (fraction (eps_fraction N)) (fraction (delta_fraction N)) (rounds N) rises c.
Proof.
intros H. unfold run_right in H. destruct (order_fraction N) as [a b] eqn:Order. apply andb_prop in H. destruct H as [H Loss].
apply andb_prop in H. destruct H as [H Levels]. do 5 (apply andb_prop in H; destruct H as [H ?]).
repeat match goal with E : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in E | E : (_ <=? _)%Z = true |- _ => apply Z.leb_le in E end.
assert (D : 0 < fraction (delta_fraction N)) by (apply Rdiv_lt_0_compat; now apply IZR_lt). split; [exact D|]. intros rises.
assert (P : 0 <= fraction (price_fraction N)) by (apply Rle_mult_inv_pos; [now apply IZR_le|now apply IZR_lt]).
assert (Lam : holds (fraction_in (a, b)) (lam a b)) by apply part_holds.
assert (Price : holds (fraction_in (price_fraction N)) (fraction (price_fraction N))) by apply part_holds.
assert (L0 := lam_positive a b ltac:(assumption) ltac:(assumption)).
exists (level_prices a b (fraction (price_fraction N)) (levels N)).
apply (levels_enough a b (fraction (price_fraction N)) (fraction_in (a, b)) (I.exp bits (fraction_in (price_fraction N)))
  Phi_places); try assumption; [now apply in_exp|exact Phi_places_ok|].
unfold best_share. rewrite ln_exp. rewrite (INR_IZR_INZ (pred (rounds N))).
refine (is_at_most_ok bits _ _ _ _ Loss _ (in_ln bits _ _ (part_holds _ _))).
assert (One := in_whole bits 1). assert (More := in_add bits _ _ _ _ One Lam).
replace (lam a b * ln (lam a b / (1 + lam a b)) + ln (/ (1 + lam a b)) + IZR (Z.of_nat (pred (rounds N))) *
  fraction (price_fraction N) + IZR (all_worth (levels N)) / IZR worth_unit - lam a b * fraction (eps_fraction N)) with
  (lam a b * ln (lam a b / (1 + lam a b)) + ln (1 / (1 + lam a b)) + (IZR (Z.of_nat (pred (rounds N))) *
  fraction (price_fraction N) + IZR (all_worth (levels N)) / IZR worth_unit) - lam a b * fraction (eps_fraction N)).
- apply in_sub; [|apply in_mul; [exact Lam|apply part_holds]].
  apply in_add; apply in_add.
  + apply in_mul; [exact Lam|]. now apply in_ln, in_div.
  + now apply in_ln, in_div.
  + apply in_mul; [apply in_whole|exact Price].
  + apply part_holds.
- unfold Rdiv at 2. rewrite Rmult_1_l. ring.
Qed.

Theorem two_arms_run N : run_right N = true -> two_arms N = true ->
  thompson_private 1 (fraction (eps_fraction N)) (fraction (delta_fraction N)) (rounds N).
Proof.
intros H Two r. destruct (run_enough N H) as [D E]. rewrite Two in E. destruct (E true) as [c C]. destruct (E false) as [c' C'].
now apply (two_arms_close 1) with (c := c) (c' := c'); [lra| | |].
Qed.

Theorem any_arms_run N : run_right N = true -> two_arms N = false ->
  any_arms_private 1 (fraction (eps_fraction N)) (fraction (delta_fraction N)) (rounds N).
Proof.
intros H Any A same arms different two all r. destruct (run_enough N H) as [D E]. rewrite Any in E.
destruct (E true) as [c C]. destruct (E false) as [c' C'].
now apply (any_arms_close A same arms 1) with (c := c) (c' := c'); [lra| | | | | |].
Qed.
