(* The abstract: Thompson sampling is already private. By another route than theirs, Theorem 3 of ou24. Without a delta its
   loss grows like T. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal moments rewards noisy_means thompson densities gaussian thompson_samples drawn_thompson.
From Dpbandits Require Import formulas witnesses satisfiable.
From Dpbandits.ou24 Require Import section_3_lemmas section_3_theorem_3.
Import ListNotations.
Open Scope R_scope.

Theorem already_private A same (arms : list A) T r : NoDup arms -> (1 <= T)%nat ->
  pulls_gdp A same arms [] 1 1 T r true (sqrt (INR T / 2)) /\
  (forall eps, 0 <= eps -> printed_delta (sqrt (INR T / 2)) eps < 1 /\
     pulls_private same arms [] 1 T r true eps (printed_delta (sqrt (INR T / 2)) eps)).
Proof. intros D N. split; [now apply lemma_3|]. intros eps E. now apply theorem_1. Qed.

(** * The pure loss *)

(* Arm true in the first round, and arm false in all m later ones; the last pull first. *)
Definition stays_away (m : nat) : releases bool := repeat false m ++ [true].
Definition stayed_away (h : releases bool) : bool := Nat.eqb (moments.pulls bool bool_dec true h) 1 && last h false.

Lemma pulls_away m : moments.pulls bool bool_dec true (stays_away m) = 1%nat /\
  moments.pulls bool bool_dec false (stays_away m) = m.
Proof.
induction m as [|m [A B]]; [split; reflexivity|]. change (stays_away (S m)) with (false :: stays_away m).
cbn [moments.pulls]. rewrite A, B. split; reflexivity.
Qed.

Lemma pulls_more z h : (moments.pulls bool bool_dec true h <= moments.pulls bool bool_dec true (z ++ h))%nat.
Proof.
induction z as [|c z IH]; [apply le_n|]. cbn [app moments.pulls]. destruct (bool_dec true c); [|exact IH].
apply Nat.le_trans with (1 := IH). apply Nat.le_succ_diag_r.
Qed.

Section Transcript.
Variable p : law bool.
Hypotheses (positive : forall h a, In a both_arms -> 0 <= p h a) (whole : forall h, sum (p h) both_arms = 1).

Fixpoint all_away (m k : nat) : R := match k with O => 1 | S k' => p (stays_away m) false * all_away (S m) k' end.

Lemma chance_away k m : chance bool both_arms p k (stays_away m) stayed_away = all_away m k.
Proof.
revert m. induction k as [|k IH]; intros m.
- cbn [chance all_away]. unfold stayed_away. rewrite (proj1 (pulls_away m)). unfold stays_away. now rewrite last_last.
- change (chance bool both_arms p (S k) (stays_away m) stayed_away) with
    (p (stays_away m) true * chance bool both_arms p k (true :: stays_away m) stayed_away +
     (p (stays_away m) false * chance bool both_arms p k (stays_away (S m)) stayed_away + 0)).
  rewrite IH, (law_decided bool both_arms p whole stayed_away false); [simpl; ring|].
  intros z _. unfold stayed_away. assert (M := pulls_more z (true :: stays_away m)). cbn [moments.pulls] in M.
  rewrite (proj1 (pulls_away m)) in M. simpl in M. destruct (Nat.eqb_spec (moments.pulls bool bool_dec true (z ++ true :: stays_away m)) 1); [lia|reflexivity].
Qed.

Lemma chance_of_transcript k : chance bool both_arms p (S k) [] stayed_away = p [] true * all_away 0 k.
Proof.
change (chance bool both_arms p (S k) [] stayed_away) with
  (p [] true * chance bool both_arms p k (stays_away 0) stayed_away + (p [] false * chance bool both_arms p k [false] stayed_away + 0)).
rewrite chance_away, (law_decided bool both_arms p whole stayed_away false); [ring|].
intros z _. unfold stayed_away. rewrite last_last. apply andb_false_r.
Qed.
End Transcript.

Definition paid_first : rewards bool := by_pull bool bool_dec (one_reward bool bool_dec true 0).
Definition paid_nothing : rewards bool := by_pull bool bool_dec (nothing bool).

Lemma total_nothing a h : total bool bool_dec paid_nothing a h = 0.
Proof. induction h as [|b h IH]; simpl; [reflexivity|]. rewrite IH. unfold paid_nothing, by_pull, nothing. destruct (bool_dec a b); ring. Qed.

Lemma total_paid m : total bool bool_dec paid_first true (stays_away m) = 1 /\ total bool bool_dec paid_first false (stays_away m) = 0.
Proof.
induction m as [|m [A B]]; [unfold paid_first, by_pull, one_reward; simpl; split; ring|].
change (stays_away (S m)) with (false :: stays_away m). cbn [total]. rewrite A, B.
unfold paid_first, by_pull, one_reward. simpl. split; ring.
Qed.

Lemma away_unpaid m : thompson 1 paid_nothing (stays_away m) false = 1 / 2.
Proof.
unfold thompson, mean. rewrite !total_nothing. unfold Rdiv. rewrite !Rmult_0_l, Rminus_0_r, Rmult_0_l.
assert (Z := Phi_opp 0). rewrite Ropp_0 in Z. lra.
Qed.

(* 408/1000 is less than 1/sqrt 6. *)
Lemma tail_408 : Phi (- (408 / 1000)) <= exp (- (38 / 100)) / 2.
Proof. decide_at_point. Qed.

Lemma away_paid m : thompson 1 paid_first (stays_away m) false <= exp (- (38 / 100)) / 2.
Proof.
apply Rle_trans with (2 := tail_408). unfold thompson, mean. cbn [negb].
destruct (total_paid m) as [-> ->], (pulls_away m) as [P1 P0].
apply Phi_le. rewrite P1, P0. set (d := deviation 1 (stays_away m)). assert (D := deviation_positive 1 Rlt_0_1 (stays_away m)).
fold d in D. assert (N := pos_INR m).
assert (S : d * d <= 3 / 2).
{ unfold d, deviation. rewrite P1, P0. assert (I : / (INR m + 1) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (I0 : 0 < / (INR m + 1)) by (apply Rinv_0_lt_compat; lra). simpl (INR 1). rewrite sqrt_sqrt; unfold Rdiv; lra. }
replace ((0 / (INR m + 1) - 1 / (INR 1 + 1)) / d) with (- (/ 2 * / d)) by (simpl (INR 1); field; lra).
assert (I : 408 / 1000 * 2 <= / d); [|lra].
apply Rmult_le_reg_r with d; [exact D|]. rewrite Rinv_l by lra. nra.
Qed.

Theorem pure_loss T eps : (1 <= T)%nat -> eps < 38 / 100 * (INR T - 1) ->
  ~ pulls_private bool_dec both_arms [] 1 T pull true eps 0.
Proof.
intros N L H. destruct T as [|k]; [lia|]. rewrite S_INR in L.
specialize (H paid_nothing paid_first (fun z => stayed_away (rev z)) (2 * (S k - 0) + 0)%nat).
assert (Near : neighbours bool bool_dec pull paid_nothing paid_first).
{ exists (nothing bool), (one_reward bool bool_dec true 0), true, 0%nat. split; [|split; reflexivity].
  intros a n D. apply one_reward_elsewhere. destruct (bool_dec a true), (Nat.eq_dec n 0); tauto. }
assert (X : in_range bool paid_nothing) by (intros h a; unfold paid_nothing, by_pull, nothing; lra).
assert (Y : in_range bool paid_first) by (intros h a; apply one_reward_inside).
specialize (H Near X Y).
change (heard true [] paid_nothing) with paid_nothing in H. change (heard true [] paid_first) with paid_first in H.
assert (Law : forall x, pulls_chance bool bool_dec both_arms [] 1 1 (S k) x (fun z => stayed_away (rev z)) (2 * (S k - 0) + 0) =
  thompson 1 x [] true * all_away (thompson 1 x) 0 k).
{ intros x. assert (D := two_arms_drawn 1 x [] (S k) (fun z => stayed_away (rev z)) 0 Rlt_0_1 ltac:(simpl; lia)).
  cbv beta in D. simpl length in D. rewrite D, Nat.sub_0_r.
  assert (Twice : (fun z : releases bool => stayed_away (rev (rev z))) = stayed_away).
  { apply FunctionalExtensionality.functional_extensionality. intros z. now rewrite rev_involutive. }
  rewrite Twice.
  apply chance_of_transcript. intros h. simpl. generalize (thompson_other 1 x h true). simpl. lra. }
rewrite !Law, Rplus_0_r in H. clear Law.
assert (First : forall x, thompson 1 x [] true = 1 / 2).
{ intros x. unfold thompson, mean. simpl. unfold Rdiv. rewrite !Rmult_0_l, Rminus_0_r, Rmult_0_l.
  assert (Z := Phi_opp 0). rewrite Ropp_0 in Z. lra. }
rewrite !First in H.
assert (Unpaid : forall j m, all_away (thompson 1 paid_nothing) m j = (1 / 2) ^ j).
{ induction j as [|j IH]; intros m; [reflexivity|]. cbn [all_away pow]. now rewrite IH, away_unpaid. }
assert (Paid : forall j m, 0 <= all_away (thompson 1 paid_first) m j <= (1 / 2) ^ j * exp (- (38 / 100) * INR j)).
{ induction j as [|j IH]; intros m; [simpl; rewrite Rmult_0_r, exp_0; lra|]. cbn [all_away]. rewrite S_INR. cbn [pow].
  replace (1 / 2 * (1 / 2) ^ j * exp (- (38 / 100) * (INR j + 1)))
    with (exp (- (38 / 100)) / 2 * ((1 / 2) ^ j * exp (- (38 / 100) * INR j)))
    by (rewrite Rmult_plus_distr_l, Rmult_1_r, exp_plus; field).
  assert (P0 : 0 < thompson 1 paid_first (stays_away m) false) by apply Phi_inside.
  specialize (IH (S m)). split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; [lra|lra|apply away_paid|apply IH]. }
rewrite Unpaid in H. destruct (Paid k 0%nat) as [P0 P1]. assert (W : 0 < (1 / 2) ^ k) by (apply pow_lt; lra).
assert (E := exp_pos eps).
assert (Q : (1 / 2) ^ k <= exp eps * ((1 / 2) ^ k * exp (- (38 / 100) * INR k))) by nra.
replace (exp eps * ((1 / 2) ^ k * exp (- (38 / 100) * INR k))) with ((1 / 2) ^ k * exp (eps + - (38 / 100) * INR k)) in Q
  by (rewrite exp_plus; ring).
assert (Small : exp (eps + - (38 / 100) * INR k) < 1) by (rewrite <- exp_0; apply exp_increasing; lra). nra.
Qed.

(** * The hypotheses can hold together *)
Lemma pure_loss_witness : satisfiable pure_loss.
Proof. exists 3%nat, 0. split; [lia|simpl; lra]. Qed.

Lemma already_private_witness : satisfiable already_private.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, both_arms, 2%nat, pull. hold; [now exists 1, x, y, (fun _ => true), 4%nat|].
exists 1. hold. now exists x, y, (fun _ => true), 4%nat.
Qed.
