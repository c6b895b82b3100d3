(* The law in T of two arms with sharp numbers, theorem-3/law/two-arms/explicit: eps = ln^2(T)/2 + 2.5 ln(1/delta) - 2.09 for
   every T from 3 to 10^7. The static potential of order 7/5; the kernel computes the prices of all pulls. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Interval.Real Require Import Xreal.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments coins rewards thompson thompson_samples drawn_thompson.
From Dpbandits Require Import game_numbers normal_series pull_prices witnesses drawn_witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_game_law section_3_game_law_two_arms.
Import ListNotations.
Open Scope R_scope.

(** * A price of a round, for many numbers of rounds *)
(* All numbers of rounds up to `last_T`, and more than in the range before. round_price: lam times the price of a round, in
   units of 1/u. round_factor: 1 plus this price, which is at most its exponential. *)
Record horizon_range := { last_T : Z; round_price : Z }.
Definition most_pulls (k : horizon_range) : Z := (last_T k - 1)%Z.
Definition round_factor (k : horizon_range) : Z := (two64_Z + round_price k)%Z.

(* For the fewest rounds of the range, `first`, all prices together are at most lam ln^2(first)/2. t: groups of pull counts. *)
Definition range_right (t : list group) (first : Z) (k : horizon_range) : bool :=
  match group_prices (round_factor k) (most_pulls k) 0 t with
  | Some l => (two64_Z <=? 10000000 * round_price k)%Z && is_at_most bits (part (5 * (round_price k * most_pulls k +
    total_price 0 (most_pulls k) l)) two64_Z)
      (let i := I.ln bits (I.fromZ bits first) in I.mul bits i i)
  | None => false end.
Fixpoint ranges_right (t : list group) (first : Z) (l : list horizon_range) : bool :=
  match l with [] => true | k :: rest => (first <=? last_T k)%Z && range_right t first k && ranges_right t (last_T k +
    1) rest end.

Lemma added_same f g n k : (forall m, (n <= m < n + k)%nat -> f m = g m) -> added f n k = added g n k.
Proof. revert n. induction k as [|k IH]; intros n H; simpl; [reflexivity|]. rewrite (H n) by lia. f_equal. apply IH. intros m M.
apply H. lia. Qed.

Lemma added_constant a n k : added (fun _ => a) n k = INR k * a.
Proof. revert n. induction k as [|k IH]; intros n; [simpl; ring|]. rewrite S_INR. simpl added. rewrite IH. ring. Qed.

Definition price_of_pull (l : list (Z * Z)) (n : nat) := IZR (price_at l (Z.of_nat n)) / u.

Lemma prices_at_most m most t : forall lo l, table_good (Z.of_nat lo) t -> group_prices m most (Z.of_nat lo) t = Some l ->
  (0 <= total_price (Z.of_nat lo) most l)%Z /\ forall k, (Z.of_nat (lo + k) <= most)%Z -> added (price_of_pull l) (S lo) k <=
    IZR (total_price (Z.of_nat lo) most l) / u.
Proof.
assert (U := u_positive). induction t as [|[last costs] t IH]; intros lo l G H; cbn [group_prices] in H;
  destruct (Z.leb_spec most (Z.of_nat lo)) as [Q|Q].
1, 3: apply some_is in H; subst l; cbn [total_price]; split; [lia|]; intros k K; replace k with 0%nat by lia; simpl;
  unfold Rdiv; lra.
- discriminate.
- destruct (group_price m costs) as [b|] eqn:B; [|discriminate].
  destruct (group_prices m most last t) as [l'|] eqn:P; [|discriminate].
  apply some_is in H. subst l. destruct G as (L & _ & G). destruct (group_price_ok _ _ _ B) as [B0 _]. cbn [total_price].
  set (e := Z.to_nat last). assert (Le : Z.of_nat e = last) by (unfold e; lia). rewrite <- Le in *.
  destruct (IH e l' G P) as [T0 Sum]. assert (W : forall n, (n <= e)%nat -> price_of_pull ((Z.of_nat e, b) :: l') n = IZR b / u).
  { intros n N. unfold price_of_pull. cbn [price_at]. destruct (Z.leb_spec (Z.of_nat n) (Z.of_nat e)); [reflexivity|lia]. }
  assert (W' : forall n, (e < n)%nat -> price_of_pull ((Z.of_nat e, b) :: l') n = price_of_pull l' n).
  { intros n N. unfold price_of_pull. cbn [price_at]. destruct (Z.leb_spec (Z.of_nat n) (Z.of_nat e)); [lia|reflexivity]. }
  split; [nia|]. intros k K. set (j := Nat.min k (e - lo)). replace k with (j + (k - j))%nat by (unfold j; lia).
  rewrite added_apart.
  rewrite (added_same _ (fun _ => IZR b / u) (S lo) j) by (intros n N; apply W; unfold j in N; lia). rewrite added_constant.
  rewrite plus_IZR, mult_IZR, Rdiv_plus_distr. apply Rplus_le_compat.
  + assert (J : INR j <= IZR (Z.min (Z.of_nat e) most - Z.of_nat lo)) by (rewrite INR_IZR_INZ; apply IZR_le; unfold j; lia).
    apply (Rmult_le_compat_r (IZR b / u)) in J; [|apply Rle_mult_inv_pos; [now apply IZR_le|exact U]].
    apply Rle_trans with (1 := J). right. field. lra.
  + destruct (Nat.le_gt_cases k (e - lo)) as [C|C].
    * replace (k - j)%nat with 0%nat by (unfold j; lia). simpl. apply Rle_mult_inv_pos; [now apply IZR_le|exact U].
    * replace (S lo + j)%nat with (S e) by (unfold j; lia).
      rewrite (added_same _ (price_of_pull l')) by (intros n N; apply W'; lia).
      apply Sum. unfold j. lia.
Qed.

(* The part of the loss that depends on the order only. *)
Lemma gain : (lam * ln lam - (1 + lam) * ln (1 + lam)) / lam <= - (2093 / 1000).
Proof. unfold lam. interval with (i_prec 40). Qed.

Definition explicit_loss (delta : R) (T : nat) := ln (INR T) * ln (INR T) / 2 + 5 / 2 * ln (1 / delta) - 209 / 100.

Lemma range_enough t first k r delta eps T : table_good 0 t -> range_right t first k = true -> (1 <= T)%nat -> (0 < first)%Z ->
  (first <= Z.of_nat T <= last_T k)%Z -> 0 < delta -> explicit_loss delta T <= eps ->
  pulls_private bool_dec both_arms [] 1 T r true eps delta.
Proof.
intros G C T1 F0 Range D E. unfold range_right in C. destruct (group_prices _ _ _ t) as [l|] eqn:P; [|discriminate].
apply andb_prop in C.
destruct C as [Sure C]. apply Z.leb_le, IZR_le in Sure. rewrite mult_IZR in Sure. change (IZR two64_Z) with u in Sure.
set (price := IZR (round_price k)) in *. assert (U := u_positive). assert (Pp : 0 <= price) by lra.
assert (W : IZR (round_factor k) / u = 1 + price / u) by (unfold round_factor; rewrite plus_IZR; fold price;
  change (IZR two64_Z) with u; field;
  lra).
assert (Sp : least_round_factor <= IZR (round_factor k) / u).
{ rewrite W. unfold least_round_factor. apply Rplus_le_compat_l. apply Rmult_le_reg_r with u; [exact U|]. unfold Rdiv at 2.
  rewrite Rmult_assoc, Rinv_l by lra. lra. }
set (own := Build_numbers lam (price / u / lam) (price_of_pull l)).
assert (Worth0 : forall n, 0 <= price_of_pull l n) by (intros n; apply Rle_mult_inv_pos;
  [apply IZR_le; apply (price_at_positive _ _ _ _ _ P)|exact U]).
assert (Lp := lam_positive). assert (Pays : forall rises, pays (round_coin 1 T) rises T own).
{ intros rises. split; [exact Lp|split; [apply Rle_mult_inv_pos; [apply Rle_mult_inv_pos; lra|exact Lp]|split; [exact Worth0|]]].
  intros n p q [N1 N2] Coin. destruct (round_coin_shifted 1 Rlt_0_1 T n p q Coin) as (s & x & Hs & Hx & _ & -> & ->).
  destruct (group_prices_pay _ _ t Sp 0 l G P n s x ltac:(unfold most_pulls; lia) Hs Hx) as [Right Left].
  assert (M : IZR (round_factor k) / u <= exp (lam * (price / u / lam))).
  { rewrite W. replace (lam * (price / u / lam)) with (price / u) by (field; lra). apply exp_ineq1_le. }
  unfold own. cbn [order c b]. unfold cost in Right, Left.
  destruct rises; eapply Rle_trans; [exact Right|exact M|exact Left|exact M]. }
assert (Loss : loss T delta own <= eps).
{ apply Rle_trans with (2 := E). unfold loss, loss_between, own, explicit_loss. cbn [order c b].
  destruct (prices_at_most _ _ t 0%nat l G P) as [_ Sum]. specialize (Sum (T - 1)%nat ltac:(unfold most_pulls; lia)).
  change (Z.of_nat 0) with 0%Z in Sum. set (total := IZR (total_price 0 (most_pulls k) l)) in *.
  assert (A := is_at_most_ok bits _ _ _ _ C (part_holds _ two64_Z) (in_mul bits _ _ _ _ (in_ln bits _ _ (in_whole bits first))
    (in_ln bits _ _ (in_whole bits first)))).
  rewrite mult_IZR, plus_IZR, mult_IZR in A. fold price total in A. change (IZR two64_Z) with u in A.
  assert (Ln : 0 <= ln (IZR first) <= ln (INR T)).
  { assert (F1 : 1 <= IZR first) by (apply IZR_le; lia). assert (FT : IZR first <= INR T) by (rewrite INR_IZR_INZ; apply IZR_le;
      lia). split.
    - rewrite <- ln_1. destruct F1 as [F1|F1]; [left; apply ln_increasing; lra|rewrite <- F1; lra].
    - destruct FT as [FT|FT]; [left; apply ln_increasing; lra|rewrite FT; lra]. }
  assert (Sq : ln (IZR first) * ln (IZR first) <= ln (INR T) * ln (INR T)) by (apply Rmult_le_compat; lra).
  assert (R0 : INR (T - 1) <= IZR (most_pulls k)) by (rewrite INR_IZR_INZ; apply IZR_le; unfold most_pulls; lia).
  assert (Gn := gain). set (lg := ln (1 / delta)). set (own_sum := added (price_of_pull l) 1 (T - 1)) in *.
  assert (Split : (own_sum + lg + lam * ln lam - (1 + lam) * ln (1 + lam)) / lam =
    own_sum * (5 / 2) + 5 / 2 * lg + (lam * ln lam - (1 + lam) * ln (1 + lam)) / lam) by (unfold lam; field).
  rewrite Split. assert (Q : price / u / lam * INR (T - 1) <= 5 / 2 * (price / u) * IZR (most_pulls k)).
  { replace (price / u / lam) with (5 / 2 * (price / u)) by (unfold lam; field; lra). apply Rmult_le_compat_l; [|exact R0].
    assert (0 <= price / u) by (apply Rle_mult_inv_pos; lra). lra. }
  assert (A' : 5 * (price * IZR (most_pulls k) + total) / u = 2 * (5 / 2 * (price / u) * IZR (most_pulls k) + total / u *
    (5 / 2))) by (field; lra).
  rewrite A' in A. lra. }
destruct (potential 1 r eps delta T own own Rlt_0_1 D Loss Loss) as [Two _]. exact (Two (Pays true) (Pays false)).
Qed.

Lemma ranges_enough t r delta eps T : table_good 0 t -> (1 <= T)%nat -> 0 < delta -> explicit_loss delta T <= eps ->
  forall l first,
  (0 < first)%Z -> ranges_right t first l = true -> (first <= Z.of_nat T)%Z -> (exists k, In k l /\ (Z.of_nat T <= last_T k)%Z) ->
  pulls_private bool_dec both_arms [] 1 T r true eps delta.
Proof.
intros G T1 D E. induction l as [|k l IH]; intros first F C Low (k' & I & High); [destruct I|]. cbn [ranges_right] in C.
apply andb_prop in C.
destruct C as [C C']. apply andb_prop in C. destruct C as [C0 C]. apply Z.leb_le in C0.
destruct (Z.le_gt_cases (Z.of_nat T) (last_T k)) as [Q|Q].
- now apply (range_enough t first k r delta eps T).
- apply (IH (last_T k + 1)%Z); [lia|exact C'|lia|]. exists k'. split; [|exact High]. destruct I as [->|I]; [lia|exact I].
Qed.

(** * From 3 to 10^7 rounds *)
Definition tangent_sixteenths : list Z := (List.map (fun k => -88 + 8 * Z.of_nat k) (seq 0 9) ++ List.map (fun k => -16 + 2 *
  Z.of_nat k) (seq 0 56))%Z.
(* The largest pull count of each group. *)
Definition last_counts : list Z := [
1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26; 27; 28; 29; 30; 31; 32;
33; 34; 35; 36; 37; 38; 39; 41; 43; 45; 47; 49; 51; 53; 55; 57; 59; 61; 63; 65; 67; 70; 73; 76; 79; 82; 85; 88; 91;
94; 97; 100; 104; 108; 112; 116; 120; 124; 128; 132; 136; 141; 146; 151; 156; 161; 166; 172; 178; 184; 190; 196; 202;
209; 216; 223; 230; 237; 245; 253; 261; 269; 278; 287; 296; 305; 318; 331; 345; 359; 374; 390; 406; 423; 440; 458;
477; 497; 517; 538; 560; 583; 607; 632; 658; 685; 713; 742; 772; 803; 836; 870; 905; 942; 980; 1020; 1061; 1104; 1149;
1196; 1244; 1294; 1346; 1400; 1457; 1516; 1577; 1641; 1707; 1776; 1848; 1922; 1999; 2080; 2164; 2251; 2342; 2436;
2534; 2636; 2742; 2852; 2967; 3086; 3272; 3469; 3678; 3899; 4134; 4383; 4647; 4926; 5222; 5536; 5869; 6222; 6596;
6992; 7412; 7857; 8329; 8829; 9359; 9921; 10517; 11149; 11819; 12529; 13281; 14078; 14923; 15819; 16769; 17776; 18843;
19974; 21173; 22444; 23791; 25219; 26733; 28338; 30039; 31842; 33753; 35779; 37926; 40202; 42615; 45172; 47883; 50757;
56848; 63670; 71311; 79869; 89454; 100189; 112212; 125678; 140760; 157652; 176571; 197760; 221492; 248072; 277841;
311183; 348526; 390350; 437193; 489657; 548416; 712942; 926825; 1204873; 1566336; 2036238; 2647110; 3441244; 4473618;
5815704; 7560416; 9828542; 9999999]%Z.
(* The largest number of rounds of each range, and its price of a round. *)
Definition horizon_ranges : list horizon_range := List.map (fun k => Build_horizon_range (fst k) (snd k)) [
(3, 1652828269004376064); (5, 1227931034180546048); (9, 1043608913791036800); (18, 734909600982229376); (37,
558353253102487168); (73, 383132247850084928); (141, 237738580400798080); (250, 166224057590544288); (414,
109546627623635504); (640, 75985569240880080); (945, 54564950712514744); (1342, 40390147628248664); (1851,
30590904160498612); (2500, 23554358059337288); (3327, 18345883690036312); (4361, 14463103156153032); (5688,
11440401174216192); (7383, 9079779808441984); (9487, 7265012077290424); (12190, 5808856190755871); (15585,
4662117996873853); (19827, 3756037296582794); (25096, 3038118482382697); (31606, 2467267906743378); (39806,
2002626730506073); (49882, 1632148005957340); (62508, 1329637679919126); (77939, 1087690730606165); (96692,
893519873540427); (119958, 733748233957619); (148079, 605109673266523); (181877, 501170141019238); (223391,
414961525878193); (271642, 346671422726100); (330315, 289548973679367); (399653, 242901966790724); (478721,
205621127997438); (573432, 174029013138480); (683444, 147948780122678); (806434, 126929337633687); (946798,
109387458461787); (1106032, 94696874405082); (1285584, 82351664646688); (1486809, 71942291346876); (1710931,
63135904273407); (1958989, 55661447917355); (2231792, 49297341255076); (2517213, 44067458615968); (2824935,
39574435278554); (3154417, 35704059764840); (3504708, 32361622121047); (3893900, 29330640895628); (4304671,
26707125467375); (4734971, 24431501943414); (5182234, 22453980125910); (5643376, 20732867263561); (6116159,
19229203778268); (6604522, 17894866282192); (7115633, 16688331668651); (7624873, 15642000923462); (8159705,
14679267711596); (8695132, 13830362631040); (9233543, 13072880403654); (9772130, 12396036473673); (10000000,
12130916525495)]%Z.

Lemma last_in {A} (l : list A) d : l <> [] -> In (List.last l d) l.
Proof. induction l as [|a [|b l] IH]; [easy|now left|]. intros _. right. apply IH. discriminate. Qed.

Definition groups (root : I.type) : option (list group) :=
  table_of root (List.map (threshold_at root) tangent_sixteenths) 0 last_counts.
Definition groups_right (t : option (list group)) : bool := match t with Some t => ranges_right t 3 horizon_ranges | None =>
  false end.
(* The kernel's virtual machine computes all groups, prices and sums. *)
Lemma computed : groups_right (groups root_2pi) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma groups_good t : groups root_2pi = Some t -> table_good 0 t.
Proof.
unfold groups. apply table_of_ok. apply List.Forall_forall. intros d I. apply List.in_map_iff in I. destruct I as (k & <- & _).
apply threshold_at_good.
Qed.

Lemma groups_right_of t : groups_right (Some t) = true -> ranges_right t 3 horizon_ranges = true.
Proof. unfold groups_right. trivial. Qed.

Lemma ranges_reach : exists k, In k horizon_ranges /\ (10000000 <= last_T k)%Z.
Proof. exists (List.last horizon_ranges (Build_horizon_range 0 0)). split; [apply last_in; discriminate|]. apply Z.leb_le.
vm_compute.
reflexivity. Qed.

Theorem explicit_law r delta eps T : (3 <= Z.of_nat T <= 10000000)%Z -> 0 < delta -> explicit_loss delta T <= eps ->
  pulls_private bool_dec both_arms [] 1 T r true eps delta.
Proof.
intros Range D E. destruct (groups root_2pi) as [t|] eqn:Groups.
- assert (H := computed). rewrite Groups in H. apply groups_right_of in H. destruct ranges_reach as (k & In_k & Last).
  apply (ranges_enough t r delta eps T (groups_good t Groups) ltac:(lia) D E horizon_ranges 3); [lia|exact H|lia|]. exists k.
  split; [exact In_k|lia].
- assert (H := computed). rewrite Groups in H. discriminate.
Qed.

Lemma explicit_law_witness : satisfiable explicit_law.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists pull, (1 / 2), (explicit_loss (1 / 2) 3), 3%nat. split; [lia|split; [lra|split; [lra|]]].
now exists x, y, (fun _ => true), 4%nat.
Qed.
