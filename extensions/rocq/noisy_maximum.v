(* The kind "step" of certificates: which of several noisy values is the largest, and enclosures of the chances. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal formulas integral laplace half_planes.
Import ListNotations.
Open Scope R_scope.

(** * What a certificate says *)
(* Noise of scale 1, and the chance that it is at most x. *)
Inductive noise := gaussian | laplacian.
Definition noise_density (N : noise) : R -> R := match N with gaussian => density | laplacian => laplace 1 0 end.
Definition noise_below (N : noise) (x : R) := 1 / 2 + RInt (noise_density N) 0 x.

(* An option is a mean and a scale. The chance that all of these are at most x. *)
Fixpoint all_at_most (N : noise) (x : R) (options : list (R * R)) : R :=
  match options with [] => 1 | (m, s) :: rest => noise_below N ((x - m) / s) * all_at_most N x rest end.

(* The integral over the line: m + s u comes out, and the others are at most that. *)
Definition wins (N : noise) (option : R * R) (others : list (R * R)) : R := let (m, s) := option in
  real (Lim_seq (fun n => RInt (fun u => noise_density N u * all_at_most N (m + s * u) others) (- INR n) (INR n))).

(* Independent noise on every mean: the winner is in the event, a list of places. *)
Definition winning (N : noise) (options : list (R * R)) (i : nat) : R :=
  wins N (nth i options (0, 1)) (firstn i options ++ skipn (S i) options).
Definition noisy_maximum (N : noise) (scales means : list R) (event : list nat) : R :=
  fold_right Rplus 0 (map (winning N (combine means scales)) event).

(* Every mean moves by its sensitivity at most, and all of them may, or one. *)
Inductive changed := one | all.
Fixpoint moved_within (left right sensitivities : list R) : Prop :=
  match left, right, sensitivities with
  | [], [], [] => True
  | x :: left', y :: right', d :: rest => Rabs (x - y) <= d /\ moved_within left' right' rest
  | _, _, _ => False
  end.
Fixpoint one_differs (left right : list R) : Prop :=
  match left, right with
  | x :: left', y :: right' => left' = right' \/ x = y /\ one_differs left' right'
  | _, _ => left = right
  end.
Definition neighbouring_means (c : changed) (scales left right sensitivities : list R) : Prop :=
  length scales = length left /\ List.Forall (fun s => 0 < s) scales /\ moved_within left right sensitivities /\
  match c with one => one_differs left right | all => True end.
Definition places (event : list nat) (options : nat) : Prop := NoDup event /\ List.Forall (fun i => (i < options)%nat) event.

(** * Laws *)
Section Law.
Variable N : noise.

Lemma noise_continuous x : continuous (noise_density N) x.
Proof. destruct N; [apply density_continuous|apply laplace_continuous; lra]. Qed.

Lemma noise_positive x : 0 <= noise_density N x.
Proof. destruct N; [left; apply density_positive|apply laplace_positive; lra]. Qed.

Lemma noise_integrable a b : ex_RInt (noise_density N) a b.
Proof. apply continuous_integrable, noise_continuous. Qed.

Lemma noise_between a b : RInt (noise_density N) a b = noise_below N b - noise_below N a.
Proof.
assert (E := RInt_Chasles (noise_density N) 0 a b (noise_integrable 0 a) (noise_integrable a b)).
unfold noise_below, plus in *; simpl in E. lra.
Qed.

Lemma noise_below_le x y : x <= y -> noise_below N x <= noise_below N y.
Proof.
intros H. generalize (noise_between x y).
assert (0 <= RInt (noise_density N) x y) by (apply RInt_ge_0; auto using noise_integrable, noise_positive). lra.
Qed.

Lemma noise_below_derive x : is_derive (noise_below N) x (noise_density N x).
Proof.
unfold noise_below. replace (noise_density N x) with (0 + noise_density N x) by ring.
apply (is_derive_plus (V := R_NormedModule) (fun _ => 1 / 2)); [apply (is_derive_const (V := R_NormedModule))|].
apply (is_derive_RInt _ _ 0 x); [|apply noise_continuous]. apply filter_forall. intros y.
exact (RInt_correct (V := R_CompleteNormedModule) _ _ _ (noise_integrable 0 y)).
Qed.
End Law.

Lemma Laplace_left x : x <= 0 -> noise_below laplacian x = exp x / 2.
Proof.
intros H. unfold noise_below, noise_density. rewrite <- (opp_RInt_swap (V := R_CompleteNormedModule)).
- rewrite (laplace_between 1) by lra. replace ((x - 0) / 1) with x by field. replace ((0 - 0) / 1) with 0 by field.
  rewrite exp_0. unfold opp; simpl. field.
- apply continuous_integrable, laplace_continuous; lra.
Qed.

Lemma Laplace_right x : 0 <= x -> noise_below laplacian x = 1 - exp (- x) / 2.
Proof.
intros H. unfold noise_below, noise_density. rewrite (laplace_between 1) by lra.
replace ((0 - 0) / 1) with 0 by field. replace ((0 - x) / 1) with (- x) by field. rewrite exp_0. field.
Qed.

Lemma noise_inside N x : 0 <= noise_below N x <= 1.
Proof.
destruct N; [generalize (Phi_inside x); unfold Phi, noise_below, noise_density; lra|].
destruct (Rle_lt_dec x 0) as [H|H].
- rewrite Laplace_left by exact H. assert (E := exp_pos x). assert (exp x <= exp 0) by now apply Raux.exp_le.
  rewrite exp_0 in *. lra.
- rewrite Laplace_right by lra. assert (E := exp_pos (- x)). assert (exp (- x) <= exp 0) by (apply Raux.exp_le; lra).
  rewrite exp_0 in *. lra.
Qed.

(** * Enclosures by cells *)
Section Cells.
Variables (N : noise) (m s : R) (others : list (R * R)).
Hypotheses (s_positive : 0 < s) (scales_positive : List.Forall (fun o => 0 < snd o) others).
Definition all_behind (u : R) := all_at_most N (m + s * u) others.
Definition won (u : R) := noise_density N u * all_behind u.

Lemma behind_inside u : 0 <= all_behind u <= 1.
Proof.
unfold all_behind. clear scales_positive. induction others as [|[m' s'] l IH]; simpl; [lra|].
generalize (noise_inside N ((m + s * u - m') / s')). nra.
Qed.

Lemma behind_le u v : u <= v -> all_behind u <= all_behind v.
Proof.
intros H. assert (Inside := behind_inside). unfold all_behind in *. clear Inside.
revert scales_positive. induction others as [|[m' s'] l IH]; intros P; simpl; [lra|].
inversion_clear P as [|? ? P0 Pl]. simpl in P0.
assert (A := noise_inside N ((m + s * u - m') / s')).
assert (B : forall l x, 0 <= all_at_most N x l).
{ intros l' x. induction l' as [|[m1 s1] l1 IH1]; simpl; [lra|]. generalize (noise_inside N ((x - m1) / s1)). nra. }
assert (C : noise_below N ((m + s * u - m') / s') <= noise_below N ((m + s * v - m') / s')).
{ apply noise_below_le. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|nra]. }
apply Rmult_le_compat; [apply A|apply B|exact C|exact (IH Pl)].
Qed.

Lemma won_continuous u : continuous won u.
Proof.
apply (continuous_mult (K := R_AbsRing) (noise_density N) all_behind); [apply noise_continuous|].
unfold all_behind. clear scales_positive. induction others as [|[m' s'] l IH]; simpl; [apply continuous_const|].
apply (continuous_mult (K := R_AbsRing) (fun u => noise_below N ((m + s * u - m') / s'))); [|exact IH].
apply (continuous_comp (fun u => (m + s * u - m') / s') (noise_below N)).
- apply (continuous_mult (K := R_AbsRing) (fun u => m + s * u - m') (fun _ => / s')); [|apply continuous_const].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
- apply (ex_derive_continuous (V := R_NormedModule)). eexists; apply noise_below_derive.
Qed.

Lemma won_integrable a b : ex_RInt won a b.
Proof. apply continuous_integrable, won_continuous. Qed.

Lemma won_positive u : 0 <= won u.
Proof. apply Rmult_le_pos; [apply noise_positive|apply behind_inside]. Qed.

Lemma won_between_positive a b : a <= b -> 0 <= RInt won a b.
Proof. intros H. apply RInt_ge_0; auto using won_integrable, won_positive. Qed.

Lemma cell a b : a <= b -> (noise_below N b - noise_below N a) * all_behind a <= RInt won a b <=
  (noise_below N b - noise_below N a) * all_behind b.
Proof.
intros H. rewrite <- noise_between, !(Rmult_comm (RInt _ _ _)).
rewrite <- !(RInt_scal (V := R_CompleteNormedModule) (noise_density N)) by apply noise_integrable.
assert (I : forall c, ex_RInt (fun u => scal c (noise_density N u)) a b).
{ intros c. apply (ex_RInt_scal (V := R_NormedModule)), noise_integrable. }
split; apply RInt_le; auto using won_integrable; intros u U; unfold won, scal; simpl; unfold mult; simpl.
- rewrite Rmult_comm. apply Rmult_le_compat_l; [apply noise_positive|apply behind_le; lra].
- rewrite (Rmult_comm (all_behind b)). apply Rmult_le_compat_l; [apply noise_positive|apply behind_le; lra].
Qed.

Lemma won_chasles a b c : RInt won a c = RInt won a b + RInt won b c.
Proof. rewrite <- (RInt_Chasles won a b c) by apply won_integrable. reflexivity. Qed.

Definition upto (n : nat) := RInt won (- INR n) (INR n).

Lemma upto_rises n : upto n <= upto (S n).
Proof.
unfold upto. rewrite S_INR. assert (P := pos_INR n).
rewrite (won_chasles (- (INR n + 1)) (- INR n)), (won_chasles (- INR n) (INR n) (INR n + 1)).
generalize (won_between_positive (- (INR n + 1)) (- INR n) ltac:(lra)) (won_between_positive (INR n) (INR n + 1) ltac:(lra)). lra.
Qed.

(* What lies between two points, and what lies beyond them. *)
Lemma wins_beyond a b : a <= b -> RInt won a b <= wins N (m, s) others <=
  noise_below N a * all_behind a + RInt won a b + (1 - noise_below N b).
Proof.
intros H. assert (Above : exists n0, forall n, (n0 <= n)%nat -> - INR n <= a /\ b <= INR n).
{ destruct (nfloor_ex (Rabs a + Rabs b)) as (k & _ & K); [generalize (Rabs_pos a) (Rabs_pos b); lra|].
  exists (S k). intros n L. apply le_INR in L. rewrite S_INR in L. split_Rabs; lra. }
destruct Above as (n0 & Above).
assert (E : forall n, (n0 <= n)%nat -> RInt won a b <= upto n <=
  noise_below N a * all_behind a + RInt won a b + (1 - noise_below N b)).
{ intros n L. destruct (Above n L) as [A B]. unfold upto.
  rewrite (won_chasles (- INR n) a), (won_chasles a b (INR n)).
  generalize (won_between_positive _ _ A) (won_between_positive _ _ B). destruct (cell _ _ A) as [_ L1].
  destruct (cell _ _ B) as [_ L2]. assert (I := behind_inside (INR n)). assert (J := behind_inside a).
  assert (F := noise_inside N (- INR n)). assert (G := noise_inside N (INR n)). assert (K := noise_below_le N _ _ B).
  assert ((noise_below N a - noise_below N (- INR n)) * all_behind a <= noise_below N a * all_behind a) by nra.
  assert ((noise_below N (INR n) - noise_below N b) * all_behind (INR n) <= 1 - noise_below N b) by nra. lra. }
assert (Lim : ex_finite_lim_seq upto).
{ apply (ex_finite_lim_seq_incr upto (noise_below N a * all_behind a + RInt won a b + (1 - noise_below N b))).
  - exact upto_rises.
  - intros n. apply Rle_trans with (upto (max n n0)); [|apply E; lia].
    assert (R : forall k, upto n <= upto (n + k)).
    { induction k as [|k IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. generalize (upto_rises (n + k)); lra. }
    replace (max n n0) with (n + (max n n0 - n))%nat by lia. apply R. }
destruct Lim as (v & V). change (wins N (m, s) others) with (real (Lim_seq upto)).
rewrite (is_lim_seq_unique _ _ V). simpl. split.
- apply (is_lim_seq_le_loc (fun _ => RInt won a b) upto (RInt won a b) v); [|apply is_lim_seq_const|exact V].
  exists n0. intros n L. apply E, L.
- apply (is_lim_seq_le_loc upto (fun _ => noise_below N a * all_behind a + RInt won a b + (1 - noise_below N b)) v
    (noise_below N a * all_behind a + RInt won a b + (1 - noise_below N b))); [|exact V|apply is_lim_seq_const].
  exists n0. intros n L. apply E, L.
Qed.

(* Equal options that stand side by side are one factor. *)
Fixpoint grouped (x : R) (groups : list (R * R * nat)) : R :=
  match groups with [] => 1 | (m', s', n) :: rest => noise_below N ((x - m') / s') ^ n * grouped x rest end.
Definition ungrouped (groups : list (R * R * nat)) := flat_map (fun g => repeat (fst g) (snd g)) groups.

Lemma all_grouped x groups : all_at_most N x (ungrouped groups) = grouped x groups.
Proof.
unfold ungrouped. induction groups as [|[[m' s'] n] rest IH]; simpl; [reflexivity|]. rewrite <- IH.
induction n as [|n IHn]; simpl; [ring|]. rewrite IHn. ring.
Qed.

Variable groups : list (R * R * nat).
Hypothesis others_grouped : others = ungrouped groups.
Fixpoint rising (a : R) (points : list R) : Prop := match points with [] => True | b :: rest => a <= b /\ rising b rest end.
Fixpoint least (a : R) (points : list R) : R :=
  match points with
  | [] => 0
  | b :: rest => (noise_below N b - noise_below N a) * grouped (m + s * a) groups + least b rest
  end.
Fixpoint most (a : R) (points : list R) : R :=
  match points with
  | [] => 1 - noise_below N a
  | b :: rest => (noise_below N b - noise_below N a) * grouped (m + s * b) groups + most b rest
  end.

Theorem wins_between a points : rising a points ->
  least a points <= wins N (m, s) others <= noise_below N a * grouped (m + s * a) groups + most a points.
Proof.
intros Rises. assert (G : forall u, all_behind u = grouped (m + s * u) groups).
{ intros u. unfold all_behind. rewrite others_grouped. apply all_grouped. }
assert (E : forall points a, rising a points -> a <= last points a /\ least a points <= RInt won a (last points a) /\
  RInt won a (last points a) + (1 - noise_below N (last points a)) <= most a points).
{ clear a points Rises. induction points as [|b rest IH]; intros a H.
  - simpl. rewrite RInt_point. unfold zero; simpl. lra.
  - destruct H as [H Hr]. destruct (IH b Hr) as (L & Low & High). destruct (cell a b H) as [C1 C2].
    replace (last (b :: rest) a) with (last rest b).
    + simpl. rewrite <- !G. rewrite (won_chasles a b). lra.
    + clear. revert a b. induction rest as [|c rest IH]; intros a b; [reflexivity|].
      change (last (b :: c :: rest) a) with (last (c :: rest) a). generalize (IH a c) (IH b c). congruence. }
destruct (E points a Rises) as (L & Low & High). destruct (wins_beyond a _ L) as [B1 B2]. rewrite <- G. lra.
Qed.

(* Points, with enclosures of the chance that the noise is at most that, and that the others are behind. *)
Definition point := (R * (R * R) * (R * R))%type.
Fixpoint enclosed (points : list point) : Prop :=
  match points with
  | [] => True
  | (u, (f0, f1), (g0, g1)) :: rest =>
      (f0 <= noise_below N u /\ noise_below N u <= f1) /\
      (0 <= g0 /\ g0 <= grouped (m + s * u) groups /\ grouped (m + s * u) groups <= g1) /\ enclosed rest
  end.
Definition place (p : point) : R := fst (fst p).
Fixpoint least_of (f1 g0 : R) (points : list point) : R :=
  match points with [] => 0 | (_, (f0, f1'), (g0', _)) :: rest => (f0 - f1) * g0 + least_of f1' g0' rest end.
Fixpoint most_of (f0 : R) (points : list point) : R :=
  match points with [] => 1 - f0 | (_, (f0', f1), (_, g1)) :: rest => (f1 - f0) * g1 + most_of f0' rest end.

Theorem wins_enclosed u f0 f1 g0 g1 points :
  enclosed ((u, (f0, f1), (g0, g1)) :: points) -> rising u (map place points) ->
  least_of f1 g0 points <= wins N (m, s) others <= f1 * g1 + most_of f0 points.
Proof.
intros Known Rises. assert (B := wins_between u (map place points) Rises).
assert (E : least_of f1 g0 points <= least u (map place points) /\ most u (map place points) <= most_of f0 points).
{ clear B. revert u f0 f1 g0 g1 Known Rises. induction points as [|[[v [f0' f1']] [g0' g1']] rest IH];
    intros u f0 f1 g0 g1 ((F0 & F1) & (G & G0 & G1) & Rest) Rises; simpl; [lra|].
  destruct Rises as [L Rises]. destruct (IH v f0' f1' g0' g1' Rest Rises) as [Low High].
  destruct Rest as ((F0' & F1') & (G' & G0' & G1') & _). change (place (v, (f0', f1'), (g0', g1'))) with v.
  assert (M := noise_below_le N u v L). split; nra. }
destruct Known as ((F0 & F1) & (G & G0 & G1) & _).
assert (noise_below N u * grouped (m + s * u) groups <= f1 * g1).
{ apply Rmult_le_compat; try assumption; [apply noise_inside|lra]. }
lra.
Qed.
End Cells.

(** * Two normal values *)
Theorem two_normals m s m' s' : 0 < s -> 0 < s' ->
  wins gaussian (m, s) [(m', s')] = Phi ((m - m') / sqrt (s ^ 2 + s' ^ 2)).
Proof.
intros S S'. unfold wins. rewrite (Lim_seq_ext _ (part (s / s') ((m - m') / s'))).
- rewrite (is_lim_seq_unique _ _ (part_limit (s / s') ((m - m') / s'))). simpl. f_equal. unfold width.
  assert (Q : 0 < s ^ 2 + s' ^ 2) by nra. replace (1 + s / s' * (s / s')) with ((s ^ 2 + s' ^ 2) / (s' * s')) by (field; lra).
  rewrite sqrt_div_alt by nra. rewrite sqrt_square by lra. assert (W := sqrt_lt_R0 _ Q). simpl in *. field; lra.
- intros n. unfold part. apply RInt_ext. intros u _. unfold below_line. simpl. change (noise_below gaussian) with Phi.
  rewrite Rmult_1_r. f_equal. f_equal. field; lra.
Qed.

(** * Decisions *)
Ltac spell_out := repeat match goal with x := _ : _ |- _ => subst x end.
