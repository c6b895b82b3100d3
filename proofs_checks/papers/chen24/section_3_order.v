(* The number of phases of DP-BAI: (4) to (8) as they are printed, and repaired. *)
From Coq Require Import Reals Lra Lia Arith.
From Dpbandits Require Import moments satisfiable.
Open Scope R_scope.

(* ceil(d^2/4). *)
Definition quarter (d : nat) : nat := ((d * d + 3) / 4)%nat.
(* The least n from `start` on with this property. *)
Definition least_from (start : nat) (P : nat -> Prop) (n : nat) : Prop :=
  (start <= n)%nat /\ P n /\ forall i, (start <= i < n)%nat -> ~ P i.

(* lam is a solution of (4), such as the least one. (5): g, halved and rounded up. (6): h + 1 = ceil((h' + 1)/lam), where h'
   is the number before h. (8): as printed, N begins with 1; repaired, N begins with 0, and no 1 is subtracted. *)
Definition number_of_phases (printed : bool) (K d : nat) (lam : R) (h g : nat -> nat) (M : nat) : Prop :=
  2 <= lam /\ INR K - INR (quarter d) <= Rpower lam (ln (INR d)) /\
  h 0%nat = (K - quarter d)%nat /\ (forall i, INR (h (S i)) < (INR (h i) + 1) / lam <= INR (h (S i)) + 1) /\
  g 0%nat = Nat.min K (quarter d) /\ (forall i, g (S i) = ((g i + 1) / 2)%nat) /\
  let start := if printed then 1%nat else 0%nat in exists first second : nat,
    least_from start (fun i => h i = 0%nat) first /\ least_from start (fun i => g i = 1%nat) second /\
    M = (first + second - start)%nat.

Lemma least_before start P n m : least_from start P n -> (start <= m)%nat -> P m -> (n <= m)%nat.
Proof.
intros (_ & _ & L) S H. destruct (le_lt_dec n m) as [G|G]; [exact G|]. exfalso. now apply (L m).
Qed.

Section Phases.
Variables (K d : nat) (lam : R) (h g : nat -> nat).
Hypotheses (lam_range : 2 <= lam) (d_range : (2 <= d)%nat) (K_range : (2 <= K)%nat).
Hypotheses (solves : INR K - INR (quarter d) <= Rpower lam (ln (INR d))) (h_first : h 0%nat = (K - quarter d)%nat).
Hypotheses (h_next : forall i, INR (h (S i)) < (INR (h i) + 1) / lam <= INR (h (S i)) + 1).
Hypotheses (g_first : g 0%nat = Nat.min K (quarter d)) (g_next : forall i, g (S i) = ((g i + 1) / 2)%nat).

Lemma quarter_enough : (1 <= quarter d)%nat /\ ((3 <= d)%nat -> (d <= quarter d)%nat).
Proof. clear -d_range.
unfold quarter. assert (D := Nat.div_mod (d * d + 3) 4 ltac:(lia)). assert (B := Nat.mod_upper_bound (d * d + 3) 4 ltac:(lia)).
split; [nia|intros; nia].
Qed.

Lemma h_small i : INR (h (S i)) < INR (h 0%nat) / lam ^ (S i) + 1.
Proof. clear -lam_range h_next.
assert (I := Rinv_0_lt_compat lam ltac:(lra)). assert (H2 : 2 / lam <= 1).
{ apply Rmult_le_reg_r with lam; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
induction i as [|i IH].
- destruct (h_next 0) as [H _]. simpl. rewrite Rmult_1_r. unfold Rdiv in *. lra.
- destruct (h_next (S i)) as [H _]. apply Rlt_le_trans with (1 := H). apply Rlt_le in IH.
  assert (P : 0 < lam ^ S i) by (apply pow_lt; lra).
  apply Rle_trans with ((INR (h 0%nat) / lam ^ S i + 2) / lam).
  + unfold Rdiv. apply Rmult_le_compat_r; [lra|]. unfold Rdiv in IH. lra.
  + change (lam ^ S (S i)) with (lam * lam ^ S i). set (power := lam ^ S i) in *.
    replace ((INR (h 0%nat) / power + 2) / lam) with (INR (h 0%nat) / (lam * power) + 2 / lam) by (field; lra). lra.
Qed.

(* c is ceil(ln d). *)
Lemma first_stage_ends c : INR c - 1 < ln (INR d) <= INR c -> h (S c) = 0%nat.
Proof. clear -lam_range d_range solves h_first h_next.
intros C. assert (d2 : 2 <= INR d) by (apply (le_INR 2) in d_range; exact d_range).
assert (l0 : 0 < ln (INR d)) by (rewrite <- ln_1; apply ln_increasing; lra).
destruct c as [|c]; [simpl in C; lra|]. assert (H := h_small c). assert (P : 0 < lam ^ S c) by (apply pow_lt; lra).
assert (Top : INR (h 0%nat) <= lam ^ S c).
{ rewrite h_first. destruct (le_lt_dec (quarter d) K) as [L|L].
  - rewrite minus_INR by exact L. apply Rle_trans with (1 := solves). rewrite <- Rpower_pow by lra.
    apply Rle_Rpower; lra.
  - replace (K - quarter d)%nat with 0%nat by lia. simpl INR. lra. }
assert (h1 : INR (h (S c)) < 2).
{ apply Rlt_le_trans with (1 := H). assert (INR (h 0%nat) / lam ^ S c <= 1); [|lra].
  apply Rmult_le_reg_r with (lam ^ S c); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
apply (INR_lt _ 2) in h1. destruct (h_next (S c)) as [N _].
assert (INR (h (S (S c))) < 1); [|apply (INR_lt _ 1) in H0; lia].
apply Rlt_le_trans with (1 := N). apply Rmult_le_reg_r with lam; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
assert (INR (h (S c)) <= 1) by (apply (le_INR _ 1); lia). lra.
Qed.

Lemma half_up a : (2 * ((a + 1) / 2) <= a + 1 /\ a <= 2 * ((a + 1) / 2))%nat.
Proof. clear. assert (D := Nat.div_mod (a + 1) 2 ltac:(lia)). assert (B := Nat.mod_upper_bound (a + 1) 2 ltac:(lia)). lia. Qed.

Lemma g_positive i : (1 <= g i)%nat.
Proof. clear -d_range K_range g_first g_next.
induction i as [|i IH]; [rewrite g_first; generalize quarter_enough; lia|].
rewrite g_next. generalize (half_up (g i)). lia.
Qed.

Lemma g_falls k i : (g 0%nat <= 2 ^ k)%nat -> (i <= k)%nat -> (g i <= 2 ^ (k - i))%nat.
Proof. clear -g_next.
intros H. induction i as [|i IH]; intros L; [now rewrite Nat.sub_0_r|]. specialize (IH ltac:(lia)).
rewrite g_next. replace (k - i)%nat with (S (k - S i)) in IH by lia. rewrite Nat.pow_succ_r' in IH.
set (p := (2 ^ (k - S i))%nat) in *. generalize (half_up (g i)). lia.
Qed.

Lemma g_stays i j : g i = 1%nat -> g (i + j)%nat = 1%nat.
Proof. clear -g_next.
intros H. induction j as [|j IH]; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r, g_next, IH. reflexivity.
Qed.

Lemma g_large i : (g 0%nat <= 2 ^ i * g i)%nat.
Proof. clear -g_next.
induction i as [|i IH]; [simpl; lia|]. apply Nat.le_trans with (1 := IH). rewrite g_next, Nat.pow_succ_r'.
replace (2 * 2 ^ i * ((g i + 1) / 2))%nat with (2 ^ i * (2 * ((g i + 1) / 2)))%nat by ring.
apply Nat.mul_le_mono_l. apply half_up.
Qed.

Lemma second_stage_ends : g (Nat.log2_up (quarter d)) = 1%nat.
Proof. clear -d_range K_range g_first g_next.
set (k := Nat.log2_up (quarter d)). destruct quarter_enough as [Q _].
assert (H : (g 0%nat <= 2 ^ k)%nat).
{ rewrite g_first. apply Nat.le_trans with (quarter d); [apply Nat.le_min_r|].
  destruct (Nat.eq_dec (quarter d) 1) as [E|N]; [rewrite E; generalize (Nat.pow_nonzero 2 k); lia|].
  apply Nat.log2_up_spec. lia. }
assert (G := g_falls k k H (le_n k)). rewrite Nat.sub_diag in G. generalize (g_positive k). simpl in G. lia.
Qed.
End Phases.

(* c is ceil(log d), and Nat.log2_up is ceil(log_2). *)
Theorem phases_order printed K d lam h g M c : (2 <= K)%nat -> (2 <= d)%nat ->
  number_of_phases printed K d lam h g M -> INR c - 1 < ln (INR d) <= INR c ->
  (M <= c + Nat.log2_up (quarter d) + 2)%nat.
Proof.
intros K2 d2 (L & S0 & H0 & H & G0 & G & first & second & A & B & E) C. set (start := if printed then 1%nat else 0%nat) in *.
assert (s1 : (start <= 1)%nat) by (unfold start; destruct printed; lia).
assert (F1 : (first <= S c)%nat).
{ apply (least_before _ _ _ _ A); [lia|]. now apply (first_stage_ends K d lam h). }
set (k := Nat.log2_up (quarter d)).
assert (F2 : (second <= k + 1)%nat).
{ apply (least_before _ _ _ _ B); [lia|]. apply (g_stays g G). now apply (second_stage_ends K d g). }
unfold k in *. lia.
Qed.

(* 2^M >= d, which is M >= log_2 d. *)
Theorem phases_theta printed K d lam h g M : (2 <= d)%nat -> (d <= K)%nat -> number_of_phases printed K d lam h g M ->
  (d <= 2 ^ M)%nat.
Proof.
intros d2 dK (L & S0 & H0 & H & G0 & G & first & second & A & B & E).
destruct A as (A1 & A2 & _), B as (B1 & B2 & _). destruct (quarter_enough d d2) as [Q1 Q3].
assert (M1 : (1 <= M /\ second <= M)%nat).
{ destruct printed; [lia|]. destruct (Nat.eq_dec first 0) as [Z|Z]; [|lia]. subst first. rewrite H0 in A2.
  destruct (Nat.eq_dec second 0) as [Z'|Z']; [|lia]. subst second. exfalso. rewrite G0 in B2.
  destruct (le_lt_dec 3 d) as [D|D]; [specialize (Q3 D); lia|].
  assert (d = 2)%nat by lia. subst d. unfold quarter in *. simpl in *. lia. }
assert (Big := g_large g G second). rewrite B2, G0, Nat.mul_1_r in Big.
destruct (le_lt_dec 3 d) as [D|D].
- specialize (Q3 D). apply Nat.le_trans with (2 ^ second)%nat; [lia|]. apply Nat.pow_le_mono_r; lia.
- apply Nat.le_trans with (2 ^ 1)%nat; [simpl; lia|]. apply Nat.pow_le_mono_r; lia.
Qed.

(** * The hypotheses can hold together *)

Lemma two_arms_phases : number_of_phases false 2 2 2 (fun i => match i with O => 1 | _ => 0 end)%nat (fun _ => 1%nat) 1.
Proof.
split; [lra|]. split.
{ change (quarter 2) with 1%nat. simpl INR. apply Rle_trans with (Rpower 2 0); [rewrite Rpower_O by lra; lra|].
  apply Rle_Rpower; [lra|]. rewrite <- ln_1. left. apply ln_increasing; lra. }
split; [reflexivity|]. split; [intros [|i]; simpl; lra|]. split; [reflexivity|]. split; [reflexivity|].
exists 1%nat, 0%nat. split; [|split; [|reflexivity]].
- split; [lia|]. split; [reflexivity|]. intros [|i] I; [discriminate|lia].
- split; [lia|]. split; [reflexivity|]. intros i I. lia.
Qed.

Lemma phases_order_witness : satisfiable phases_order.
Proof.
exists false, 2%nat, 2%nat, 2, (fun i => match i with O => 1 | _ => 0 end)%nat, (fun _ => 1%nat), 1%nat, 1%nat.
split; [lia|]. split; [lia|]. split; [exact two_arms_phases|]. simpl INR.
assert (0 < ln (1 + 1)) by (rewrite <- ln_1; apply ln_increasing; lra).
assert (X := exp_ineq1_le 1). assert (ln (1 + 1) <= 1); [|lra].
apply Rle_trans with (ln (exp 1)); [|rewrite ln_exp; lra].
destruct X as [X|X]; [left; apply ln_increasing; lra|rewrite X; lra].
Qed.

Lemma phases_theta_witness : satisfiable phases_theta.
Proof.
exists false, 2%nat, 2%nat, 2, (fun i => match i with O => 1 | _ => 0 end)%nat, (fun _ => 1%nat), 1%nat.
split; [lia|]. split; [lia|exact two_arms_phases].
Qed.
