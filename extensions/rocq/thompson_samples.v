(* Thompson sampling with normal samples, drawn one after another: all samples of a run are as private as those of one
   Gaussian mechanism. The prior count is what an arm's pulls are divided by more than their number: 1, or none. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import normal moments rewards thompson densities gaussian lazy_doubling.
Import ListNotations.
Open Scope R_scope.

Section Sampling.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms first : list A) (variance prior : R) (T B : nat).
Hypotheses (variance_positive : 0 < variance) (different : NoDup arms).
Notation pulls := (pulls A same).

(* Arms pulled so far, the last first, the pre-pulls before them; the samples of this round, the last first, and the arms
   that are still to be sampled in it. *)
Record state := { pulled : list A; samples : list (A * R); waiting : list A }.
Definition first_state := {| pulled := first; samples := []; waiting := arms |}.

(* After the last sample of a round the arm with the largest is pulled. *)
Definition winner (a : A) (z : R) (l : list (A * R)) : A :=
  match rev ((a, z) :: l) with [] => a | one :: rest => fst (argmax (fun one => snd one) one rest) end.
Definition after (s : state) (z : R) : state :=
  match waiting s with
  | [] => s
  | [a] => {| pulled := winner a z (samples s) :: pulled s; samples := []; waiting := arms |}
  | a :: rest => {| pulled := pulled s; samples := (a, z) :: samples s; waiting := rest |}
  end.
Fixpoint state_after (h : outcomes) : state := match h with [] => first_state | z :: h' => after (state_after h') z end.

(* A sample is N(total/(n + prior), variance/(n + prior)); without arms what comes has no effect. *)
Definition centre (x : rewards A) (a : A) (p : list A) : R := total A same x a p / (INR (pulls a p) + prior).
Definition deviation_of (a : A) (p : list A) : R := sqrt (variance / (INR (pulls a p) + prior)).
Definition sampled (x : rewards A) : densities := fun h =>
  match waiting (state_after h) with
  | [] => normal_density 1 0
  | a :: _ => normal_density (deviation_of a (pulled (state_after h))) (centre x a (pulled (state_after h)))
  end.
Definition sampled_ended (h : outcomes) : bool := Nat.leb T (length (pulled (state_after h))).

Hypotheses (prepulls : prepulled same T B first) (counts : 0 < INR B + prior).
Definition least := Nat.max B 1.
(* The most that one sample costs, in squares. *)
Definition share := / (variance * (INR least + prior)).

Lemma share_positive : 0 < share.
Proof.
apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact variance_positive|].
assert (INR B <= INR least) by (apply le_INR; unfold least; lia). lra.
Qed.

Lemma counted h a : (B <= pulls a (pulled (state_after h)))%nat.
Proof.
induction h as [|z h IH]; simpl; [destruct prepulls as [_ C]; rewrite (C a); lia|].
unfold after. destruct (waiting (state_after h)) as [|b [|c l]]; simpl; try exact IH. destruct (same a _); lia.
Qed.

Lemma counted_positive h a : 0 < INR (pulls a (pulled (state_after h))) + prior.
Proof. generalize (le_INR _ _ (counted h a)). lra. Qed.

Lemma deviation_of_positive h a : 0 < deviation_of a (pulled (state_after h)).
Proof. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact variance_positive|apply counted_positive]. Qed.

Lemma sampled_proper x h : proper (sampled x h).
Proof.
unfold sampled. destruct (waiting (state_after h)) as [|a l]; apply normal_density_proper; [lra|apply deviation_of_positive].
Qed.

Lemma waiting_different h : NoDup (waiting (state_after h)).
Proof.
induction h as [|z h IH]; simpl; [exact different|]. unfold after.
destruct (waiting (state_after h)) as [|b [|c l]] eqn:W; simpl; [now rewrite W|exact different|].
now inversion IH.
Qed.

(* A round takes a sample of every arm. *)
Lemma run_ends h : arms <> [] -> (length arms * (T - length first) <= length h)%nat -> sampled_ended h = true.
Proof.
intros some L. set (K := length arms). assert (K1 : (1 <= K)%nat).
{ unfold K. destruct arms; [now destruct some|simpl; lia]. }
assert (G : forall h, let s := state_after h in (T <= length (pulled s))%nat \/ (1 <= length (waiting s))%nat /\
  (length (pulled s) < T)%nat /\
  (length h + length (waiting s) + K * (T - S (length (pulled s))) = K * (T - length first))%nat).
{ clear h L. induction h as [|z h IH]; simpl.
  - destruct (Nat.le_gt_cases T (length first)) as [F|F]; [now left|]. right. fold K.
    split; [exact K1|split; [exact F|]].
    replace (T - length first)%nat with (S (T - S (length first))) by lia. rewrite Nat.mul_succ_r. lia.
  - unfold after. destruct (state_after h) as [p l w]. cbn [pulled samples waiting] in *.
    destruct w as [|a [|b w]]; cbn [pulled samples waiting length] in *.
    + destruct IH as [IH|(IH & _)]; [now left|lia].
    + destruct IH as [IH|(_ & _ & E)]; [left; lia|].
      destruct (Nat.le_gt_cases T (S (length p))) as [F|F]; [now left|]. right. fold K.
      split; [exact K1|split; [exact F|]].
      replace (T - S (length p))%nat with (S (T - S (S (length p)))) in E by lia. rewrite Nat.mul_succ_r in E. lia.
    + destruct IH as [IH|(_ & F & E)]; [now left|]. right. split; [lia|split; [exact F|lia]]. }
unfold sampled_ended. apply Nat.leb_le. destruct (G h) as [E|(W & F & E)]; [exact E|]. exfalso.
fold K in L. cbv zeta in *. revert W L E.
generalize (K * (T - length first))%nat, (K * (T - S (length (pulled (state_after h)))))%nat. intros. lia.
Qed.

Section Pair.
Variables (hit : list A -> A -> bool) (x y : rewards A).
Hypotheses (change : once A hit x y) (x_range : in_range A x) (y_range : in_range A y).

(* Rounds after this one; and this one's sample of the changed arm, where it is still to come. *)
Definition rounds_left (s : state) : R := INR (T - S (length (pulled s))).
Definition to_come (j : A) (s : state) : R :=
  if Nat.leb T (length (pulled s)) then 0 else if in_dec same j (waiting s) then 1 else 0.
Definition owed (s : state) (left : R) : Prop :=
  (begun A hit (pulled s) = false /\ share * rounds_left s <= left) \/
  exists j d, -1 <= d <= 1 /\ moved A same hit x y j d (pulled s) /\
    share * (rounds_left s + to_come j s) <= left.

Lemma to_come_inside j s : 0 <= to_come j s <= 1.
Proof. unfold to_come. destruct (Nat.leb _ _); [lra|]. destruct (in_dec _ _ _); lra. Qed.

Lemma owed_positive s left : owed s left -> 0 <= left.
Proof.
assert (P := share_positive). assert (N : 0 <= rounds_left s) by apply pos_INR.
intros [[_ H]|(j & d & _ & _ & H)]; [|assert (Q := to_come_inside j s)]; nra.
Qed.

(* A round ends without a debt of its own. *)
Lemma owed_next a p left : (length p < T)%nat -> let s := {| pulled := a :: p; samples := []; waiting := arms |} in
  share * INR (T - S (length p)) <= left ->
  (begun A hit p = true -> exists j d, -1 <= d <= 1 /\ moved A same hit x y j d p) -> owed s left.
Proof.
intros L s H M. assert (P := share_positive).
assert (R0 : forall j, rounds_left s + to_come j s <= INR (T - S (length p))).
{ intros j. unfold rounds_left, to_come, s. simpl length. destruct (Nat.leb_spec T (S (length p))) as [E|E].
  - replace (T - S (S (length p)))%nat with 0%nat by lia. simpl. generalize (pos_INR (T - S (length p))). lra.
  - replace (T - S (length p))%nat with (S (T - S (S (length p)))) by lia. rewrite S_INR.
    destruct (in_dec same j _); lra. }
destruct (begun A hit (a :: p)) eqn:E.
- right. destruct (change_moves A same hit x y change x_range y_range (a :: p) E) as (j & d & D & V).
  exists j, d. split; [exact D|]. split; [exact V|]. generalize (R0 j). intros. nra.
- left. split; [exact E|]. assert (rounds_left s <= INR (T - S (length p))).
  { apply le_INR. simpl. lia. } nra.
Qed.

Lemma centre_before a p : begun A hit p = false -> centre y a p = centre x a p.
Proof.
intros H. assert (E := mean_before A same hit x y change a p H). unfold mean, centre in *. f_equal.
apply Rmult_eq_reg_r with (/ (INR (pulls a p) + 1)); [exact E|].
apply Rinv_neq_0_compat. generalize (pos_INR (pulls a p)); lra.
Qed.

Lemma centre_unmoved j d a p : moved A same hit x y j d p -> a <> j -> centre y a p = centre x a p.
Proof. intros (_ & _ & _ & E) N. unfold centre. now rewrite (E a N). Qed.

Lemma moved_cost j d p : -1 <= d <= 1 -> moved A same hit x y j d p -> (least <= pulls j p)%nat ->
  0 < deviation_of j p ->
  (centre x j p - centre y j p) / deviation_of j p * ((centre x j p - centre y j p) / deviation_of j p) <= share.
Proof.
intros D M L S0. destruct M as (_ & _ & E & _). unfold centre. rewrite E. set (n := INR (pulls j p)).
assert (N : INR least <= n) by now apply le_INR.
assert (N0 : 0 < INR least + prior).
{ assert (INR B <= INR least) by (apply le_INR; unfold least; lia). lra. }
assert (S2 : deviation_of j p * deviation_of j p = variance / (n + prior)).
{ apply sqrt_sqrt. apply Rle_mult_inv_pos; fold n; lra. }
set (s := deviation_of j p) in *. set (t := total A same x j p).
replace ((t / (n + prior) - (t + d) / (n + prior)) / s * ((t / (n + prior) - (t + d) / (n + prior)) / s)) with
  (d * d / ((n + prior) * (n + prior)) / (s * s)) by (field; lra).
rewrite S2. replace (d * d / ((n + prior) * (n + prior)) / (variance / (n + prior))) with
  (d * d * / (variance * (n + prior))) by (field; lra).
assert (I : / (variance * (n + prior)) <= share).
{ apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_l; lra. }
assert (I0 : 0 < / (variance * (n + prior))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
assert (D2 : d * d <= 1) by nra. apply (Rmult_le_compat_r (/ (variance * (n + prior)))) in D2; lra.
Qed.

Lemma owed_paid h left : owed (state_after h) left -> sampled_ended h = false -> exists cost, 0 <= cost <= left /\
  moves (sampled x h) (sampled y h) cost /\ forall z, owed (state_after (z :: h)) (left - cost).
Proof.
intros O E. apply Nat.leb_gt in E. assert (P := share_positive). assert (Pos := owed_positive _ _ O).
assert (W := waiting_different h). assert (C := counted h). assert (S0 := deviation_of_positive h). simpl state_after. unfold sampled. unfold after.
destruct (state_after h) as [p l w]. simpl in *.
destruct O as [[Bf H]|(j & d & D & M & H)].
- simpl in Bf. exists 0. split; [lra|]. rewrite Rminus_0_r. split.
  + left. intros z. destruct w as [|a w]; [reflexivity|]. now rewrite (centre_before a p Bf).
  + intros z. destruct w as [|a [|b w]]; [now left|apply owed_next; auto|now left].
    rewrite Bf. discriminate.
- simpl in M. assert (Mv : begun A hit p = true -> exists j d, -1 <= d <= 1 /\ moved A same hit x y j d p) by (now exists j, d).
  assert (R0 : 0 <= rounds_left {| pulled := p; samples := l; waiting := w |}) by apply pos_INR.
  unfold rounds_left, to_come in *; cbn [pulled waiting] in *. destruct (Nat.leb_spec T (length p)) as [F|_]; [lia|].
  destruct w as [|a w].
  { exists 0. split; [lra|]. rewrite Rminus_0_r. split; [now left|]. intros z. right. exists j, d.
    split; [exact D|split; [exact M|]]. unfold rounds_left, to_come; cbn [pulled waiting].
    destruct (Nat.leb_spec T (length p)) as [F|_]; [lia|exact H]. }
  destruct (same a j) as [->|N].
  + destruct (in_dec same j (j :: w)) as [_|F]; [|exfalso; apply F; now left].
    exists share. split; [nra|]. split.
    * right. exists (deviation_of j p), (centre x j p), (centre y j p). split; [apply S0|].
      split; [reflexivity|split; [reflexivity|]]. apply (moved_cost j d p D M); [|apply S0].
      generalize (C j) (proj1 (proj2 M)). unfold least. lia.
    * intros z. destruct w as [|b w]; [apply owed_next; auto; lra|]. right. exists j, d.
      split; [exact D|split; [exact M|]]. unfold rounds_left, to_come; cbn [pulled waiting].
      destruct (Nat.leb_spec T (length p)) as [F|_]; [lia|].
      destruct (in_dec same j (b :: w)) as [F|_]; [inversion W; contradiction|]. lra.
  + exists 0. split; [lra|]. rewrite Rminus_0_r. split.
    * left. intros z. now rewrite (centre_unmoved j d a p M N).
    * intros z. destruct w as [|b w].
      -- apply owed_next; auto. destruct (in_dec same j [a]); nra.
      -- right. exists j, d. split; [exact D|split; [exact M|]]. unfold rounds_left, to_come; cbn [pulled waiting].
         destruct (Nat.leb_spec T (length p)) as [F|_]; [lia|].
         destruct (in_dec same j (a :: b :: w)) as [I|I], (in_dec same j (b :: w)) as [I'|I']; try exact H.
         ++ exfalso. destruct I as [I|I]; [now apply N|contradiction].
         ++ exfalso. apply I. now right.
Qed.
End Pair.

(* Any event of all samples, and so of all pulls. More draws than K a round change nothing (samples_enough). *)
Definition samples_chance (x : rewards A) (event : outcomes -> bool) (draws : nat) : R :=
  chance_of (sampled x) sampled_ended event draws [].

Theorem samples_enough x event more : arms <> [] -> let draws := (length arms * (T - length first))%nat in
  samples_chance x event (draws + more) = samples_chance x event draws.
Proof. intros some draws. apply draws_enough. intros h H. now apply run_ends. Qed.

(* mu-GDP once mu^2 is R/(variance (m + prior)) at least, for R rounds after the first one that may read a reward, and m
   pulls of an arm that has been read. *)
Theorem samples_private r kept mu eps x y event draws : 0 < mu ->
  INR (T - Nat.max (length first) 1) / (variance * (INR (Nat.max B 1) + prior)) <= mu * mu ->
  neighbours A same r x y -> in_range A x -> in_range A y ->
  samples_chance (heard kept first x) event draws <=
    exp eps * samples_chance (heard kept first y) event draws + gaussian_delta mu eps.
Proof.
intros M H near Hx' Hy'. destruct (neighbours_once _ _ _ _ _ near) as (hit & change').
assert (change : once A hit (heard kept first x) (heard kept first y)).
{ split; [|apply change']. intros h a N. unfold heard. now rewrite (proj1 change' h a N). }
assert (Range : forall z, in_range A z -> in_range A (heard kept first z)).
{ intros z N h a. unfold heard. destruct kept; [apply N|]. destruct (Nat.ltb _ _); [lra|apply N]. }
assert (Hx := Range x Hx'). assert (Hy := Range y Hy').
set (x' := heard kept first x) in *. set (y' := heard kept first y) in *. assert (P := share_positive).
apply (gaussian_rounds (sampled x') (sampled y') sampled_ended event (sampled_proper x') (sampled_proper y')
  (fun h left => owed hit x' y' (state_after h) left)); [| |exact M|].
- intros h left O E. now apply owed_paid.
- intros h left O. now apply owed_positive in O.
- simpl. unfold Rdiv in H. fold least in H. fold share in H.
  destruct (begun A hit first) eqn:Bg.
  + right. destruct (change_moves A same hit x' y' change Hx Hy first Bg) as (j & d & D & V). exists j, d.
    split; [exact D|split; [exact V|]]. unfold rounds_left, to_come. simpl.
    assert (L : (1 <= length first)%nat) by (destruct first; [discriminate|simpl; lia]).
    assert (INR (T - S (length first)) + (if Nat.leb T (length first) then 0 else if in_dec same j arms then 1 else 0)
      <= INR (T - Nat.max (length first) 1)).
    { destruct (Nat.leb_spec T (length first)) as [E|E].
      - replace (T - S (length first))%nat with 0%nat by lia. simpl. rewrite Rplus_0_l. apply pos_INR.
      - replace (T - Nat.max (length first) 1)%nat with (S (T - S (length first))) by lia. rewrite S_INR.
        destruct (in_dec same j arms); lra. }
    nra.
  + left. split; [exact Bg|]. unfold rounds_left. simpl.
    assert (INR (T - S (length first)) <= INR (T - Nat.max (length first) 1)) by (apply le_INR; lia). nra.
Qed.

(** * The pulls, which follow from the samples *)
(* All pulls of a run, those before its first round included. *)
Definition released_pulls (h : outcomes) : list A := rev (pulled (state_after h)).
Definition pulls_chance (x : rewards A) (event : list A -> bool) (draws : nat) : R :=
  samples_chance x (fun h => event (released_pulls h)) draws.

(* The pulls are mu-GDP: (eps, delta(eps))-DP for all eps, for neighbours of the relation and rewards in [0, 1]. *)
Definition pulls_gdp r kept mu := forall eps x y event draws,
  neighbours A same r x y -> in_range A x -> in_range A y ->
  pulls_chance (heard kept first x) event draws <=
    exp eps * pulls_chance (heard kept first y) event draws + gaussian_delta mu eps.

(* For every parameter whose square is what all rounds that may read a reward cost, or more. *)
Lemma pulls_gdp_above r kept mu : 0 < mu ->
  INR (T - Nat.max (length first) 1) / (variance * (INR (Nat.max B 1) + prior)) <= mu * mu -> pulls_gdp r kept mu.
Proof. intros M H eps x y event draws near X Y. unfold pulls_chance. now apply (samples_private r). Qed.
End Sampling.

(* With the prior count 1: (eps, delta)-DP of all pulls of a run, for neighbours of the relation and rewards in [0, 1]. *)
Definition pulls_private {A} same (arms first : list A) variance T r kept eps delta := forall x y event draws,
  neighbours A same r x y -> in_range A x -> in_range A y ->
  pulls_chance A same arms first variance 1 T (heard kept first x) event draws <=
    exp eps * pulls_chance A same arms first variance 1 T (heard kept first y) event draws + delta.

(* The rounds that may read a reward, R of them, and m pulls at least of an arm that has been read. *)
Theorem all_pulls_private A same arms first variance prior T B r kept :
  0 < variance -> NoDup arms -> prepulled same T B first -> 0 < INR B + prior ->
  let rounds := (T - Nat.max (length first) 1)%nat in let m := Nat.max B 1 in (1 <= rounds)%nat ->
  pulls_gdp A same arms first variance prior T r kept (sqrt (INR rounds / (variance * (INR m + prior)))).
Proof.
intros V D P C rounds m N. assert (L := lt_0_INR rounds N).
assert (M : INR B <= INR m) by (apply le_INR; unfold m; lia).
assert (Q : 0 < INR rounds / (variance * (INR m + prior))).
{ apply Rdiv_lt_0_compat; [exact L|]. apply Rmult_lt_0_compat; lra. }
apply (pulls_gdp_above A same arms first variance prior T B V D P C); [now apply sqrt_lt_R0|].
rewrite sqrt_sqrt by lra. apply Rle_refl.
Qed.
