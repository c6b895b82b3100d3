(* Options that share one or two noisy values: which of them are the largest, and enclosures of the chances. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpbandits Require Import normal formulas integral laplace half_planes noisy_maximum.
Import ListNotations.
Open Scope R_scope.

(** * What a certificate says *)
(* An option's value: the sum of the noisy values in its weights. *)
Fixpoint valued (weights z : list R) : R :=
  match weights, z with w :: weights', x :: z' => w * x + valued weights' z' | _, _ => 0 end.

(* Option i comes before option j: it is larger, or they are equal and it is listed first. *)
Definition before (weights : list (list R)) (z : list R) (i j : nat) : bool :=
  let x := valued (nth i weights []) z in let y := valued (nth j weights []) z in
  if Rlt_dec y x then true else if Rlt_dec x y then false else Nat.ltb i j.

(* The kept ones are the largest: each of them comes before all that are not kept. *)
Definition largest_are (weights : list (list R)) (kept : list nat) (z : list R) : bool :=
  forallb (fun i => forallb (fun j => (existsb (Nat.eqb j) kept || before weights z i j)%bool) (seq 0 (length weights))) kept.

(* The chance that independent noisy values, each with a mean and a scale, are such. *)
Fixpoint drawn_chance (N : noise) (values : list (R * R)) (event : list R -> bool) : R :=
  match values with
  | [] => if event [] then 1 else 0
  | (m, s) :: rest => integral (fun u => noise_density N u * drawn_chance N rest (fun z => event (m + s * u :: z)))
  end.

(** * Laws *)
Section Law.
Variable N : noise.

Lemma noise_limit : is_lim_seq (fun n => RInt (noise_density N) (- INR n) (INR n)) 1.
Proof.
destruct N; [|apply laplace_limit; lra].
apply (is_lim_seq_ext (fun n => 1 - 2 * Phi (0 - 1 * INR n))).
- intros n. rewrite (noise_between gaussian). change (noise_below gaussian) with Phi.
  assert (E := Phi_opp (INR n)). replace (0 - 1 * INR n) with (- INR n) by ring. lra.
- replace (Finite 1) with (Finite (1 - 2 * 0)) by (f_equal; ring).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply (is_lim_seq_scal_l _ 2 (Finite 0)), tail_limit; lra.
Qed.

Lemma noise_bounds : bounds (noise_density N) 1.
Proof. apply continuous_bounds; [apply noise_continuous|apply noise_positive|apply noise_limit]. Qed.

Lemma noise_whole : integral (noise_density N) = 1.
Proof. apply integral_continuous; [apply noise_continuous|apply noise_positive|apply noise_limit]. Qed.

Lemma noise_half u : noise_density N u <= 1 / 2.
Proof.
destruct N; simpl.
- unfold density. assert (P := PI2_3_2). assert (2 < sqrt (2 * PI)).
  { rewrite <- (sqrt_square 2) at 1 by lra. apply sqrt_lt_1; lra. }
  apply Rle_trans with (1 / sqrt (2 * PI)).
  + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- exp_0. apply Raux.exp_le. nra.
  + apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
- unfold laplace. assert (E : exp (- (Rabs (u - 0) / 1)) <= exp 0).
  { apply Raux.exp_le. generalize (Rabs_pos (u - 0)). lra. }
  rewrite exp_0 in E. lra.
Qed.

Lemma noise_below_rises a b : a <= b -> noise_below N b - noise_below N a <= (b - a) / 2.
Proof.
intros H. rewrite <- noise_between. replace ((b - a) / 2) with (RInt (fun _ => 1 / 2) a b).
- apply RInt_le; [exact H|apply noise_integrable|apply ex_RInt_const|]. intros; apply noise_half.
- rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. field.
Qed.

(** * Between two ends *)
(* None: there is no end. *)
Definition after (lo : option R) (u : R) := match lo with None => True | Some a => a <= u end.
Definition until (hi : option R) (u : R) := match hi with None => True | Some b => u <= b end.
Definition below (lo : option R) := match lo with None => 0 | Some a => noise_below N a end.
Definition reached (hi : option R) := match hi with None => 1 | Some b => noise_below N b end.
Definition ordered (lo hi : option R) := match lo, hi with Some a, Some b => a <= b | _, _ => True end.

(* A continuous function above f, whose integrals are at most v. *)
Definition majorised (f : R -> R) (v : R) := exists h : R -> R, (forall u, continuous h u) /\ (forall u, 0 <= h u) /\
  (forall u, f u <= h u) /\ forall n, RInt h (- INR n) (INR n) <= v.

Lemma majorised_bounds f v : majorised f v -> bounds f v.
Proof.
intros (h & C & P & L & V). exists (fun _ => h). split; [|split].
- intros n u. split; [apply C|]. generalize (P u); lra.
- intros u c H. exists 0%nat. generalize (L u); lra.
- exact V.
Qed.

Lemma majorised_sum f g h v w : (forall u, f u <= g u + h u) -> majorised g v -> majorised h w -> majorised f (v + w).
Proof.
intros F (g' & Cg & Pg & Lg & Vg) (h' & Ch & Ph & Lh & Vh). exists (fun u => plus (g' u) (h' u)). split; [|split; [|split]].
- intros u. now apply (continuous_plus (V := R_NormedModule) g' h').
- intros u. unfold plus; simpl. generalize (Pg u) (Ph u); lra.
- intros u. unfold plus; simpl. generalize (F u) (Lg u) (Lh u); lra.
- intros n. rewrite (RInt_plus (V := R_CompleteNormedModule) g' h') by now apply continuous_integrable.
  unfold plus; simpl. generalize (Vg n) (Vh n); lra.
Qed.

Section Piece.
Variables (lo hi : option R) (e : R).
Hypotheses (e_positive : 0 < e) (lo_hi : ordered lo hi).
Definition rise (u : R) := match lo with None => 1 | Some a => Rmin 1 (Rmax 0 (1 + (u - a) / e)) end.
Definition fall (u : R) := match hi with None => 1 | Some b => Rmin 1 (Rmax 0 (1 + (b - u) / e)) end.
Definition clamped (u : R) :=
  let v := match lo with None => u | Some a => Rmax (a - e) u end in match hi with None => v | Some b => Rmin (b + e) v end.
Definition smoothed (u : R) := noise_density N u * (rise u * fall u).

Lemma ramp_inside x : 0 <= Rmin 1 (Rmax 0 x) <= 1.
Proof. unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra. Qed.

Lemma ramp_continuous (f : R -> R) u : continuous f u -> continuous (fun u => Rmin 1 (Rmax 0 (f u))) u.
Proof.
intros C. apply (continuous_ext (fun u => (1 + (Rabs (f u) + f u) / 2 - Rabs (1 - (Rabs (f u) + f u) / 2)) / 2)).
- intros v. unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); split_Rabs; lra.
- assert (A : forall g : R -> R, continuous g u -> continuous (fun u => Rabs (g u)) u).
  { intros g G. apply (continuous_comp g Rabs); [exact G|apply continuous_Rabs]. }
  assert (H : forall g : R -> R, continuous g u -> continuous (fun u => g u / 2) u).
  { intros g G. apply (continuous_mult (K := R_AbsRing) g (fun _ => / 2)); [exact G|apply continuous_const]. }
  assert (P : continuous (fun u => (Rabs (f u) + f u) / 2) u).
  { apply (H (fun u => Rabs (f u) + f u)). apply (continuous_plus (V := R_NormedModule) (fun u => Rabs (f u)) f); auto. }
  apply (H (fun u => 1 + (Rabs (f u) + f u) / 2 - Rabs (1 - (Rabs (f u) + f u) / 2))).
  apply (continuous_minus (V := R_NormedModule) (fun u => 1 + (Rabs (f u) + f u) / 2)).
  + apply (continuous_plus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|exact P].
  + apply A. apply (continuous_minus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|exact P].
Qed.

Lemma rise_fall_inside u : 0 <= rise u * fall u <= 1.
Proof.
assert (A : 0 <= rise u <= 1) by (unfold rise; destruct lo; [apply ramp_inside|lra]).
assert (B : 0 <= fall u <= 1) by (unfold fall; destruct hi; [apply ramp_inside|lra]). nra.
Qed.

Lemma smoothed_continuous u : continuous smoothed u.
Proof.
apply (continuous_mult (K := R_AbsRing) (noise_density N) (fun u => rise u * fall u)); [apply noise_continuous|].
apply (continuous_mult (K := R_AbsRing) rise fall).
- unfold rise. destruct lo as [a|]; [|apply continuous_const]. apply ramp_continuous.
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
- unfold fall. destruct hi as [b|]; [|apply continuous_const]. apply ramp_continuous.
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
Qed.

Lemma smoothed_inside u : 0 <= smoothed u <= noise_density N u.
Proof. unfold smoothed. generalize (noise_positive N u) (rise_fall_inside u). nra. Qed.

Lemma smoothed_whole u : after lo u -> until hi u -> smoothed u = noise_density N u.
Proof.
assert (One : forall x, 0 <= x -> Rmin 1 (Rmax 0 (1 + x / e)) = 1).
{ intros x X. assert (0 <= x / e) by (apply Rle_mult_inv_pos; lra). rewrite Rmax_right, Rmin_left; lra. }
intros A B. unfold smoothed, rise, fall. destruct lo as [a|], hi as [b|]; simpl in A, B; rewrite ?One by lra; lra.
Qed.

(* Outside of what is reached nothing is left. *)
Lemma smoothed_gone u : (exists a, lo = Some a /\ u <= a - e) \/ (exists b, hi = Some b /\ b + e <= u) -> smoothed u = 0.
Proof.
assert (Zero : forall x, x <= - e -> Rmin 1 (Rmax 0 (1 + x / e)) = 0).
{ intros x X. assert (x / e <= - 1). { apply Rmult_le_reg_r with e; [exact e_positive|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite Rmax_left, Rmin_right; lra. }
intros [(a & E & H)|(b & E & H)]; unfold smoothed, rise, fall; rewrite E, Zero by lra; ring.
Qed.

Lemma smoothed_to_clamped u : RInt smoothed u (clamped u) = 0.
Proof.
transitivity (RInt (fun _ => 0) u (clamped u)).
- apply RInt_ext. intros x X. apply smoothed_gone. revert X. unfold clamped.
  destruct lo as [a|], hi as [b|]; simpl in lo_hi; unfold Rmin, Rmax; repeat destruct (Rle_dec _ _); intros X; try lra;
    first [left; exists a; split; [reflexivity|lra]|right; exists b; split; [reflexivity|lra]].
- rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring.
Qed.

Lemma smoothed_at_most n : RInt smoothed (- INR n) (INR n) <= reached hi - below lo + e.
Proof.
assert (I : forall x y, ex_RInt smoothed x y) by (intros; apply continuous_integrable, smoothed_continuous).
set (x := - INR n). set (y := INR n). assert (L : x <= y) by apply symmetric.
assert (C : clamped x <= clamped y).
{ unfold clamped. destruct lo, hi; unfold Rmin, Rmax; repeat destruct (Rle_dec _ _); lra. }
rewrite <- (RInt_Chasles smoothed x (clamped x) y), <- (RInt_Chasles smoothed (clamped x) (clamped y) y) by apply I.
rewrite smoothed_to_clamped. replace (RInt smoothed (clamped y) y) with 0.
2:{ rewrite <- (opp_RInt_swap smoothed) by apply I. rewrite smoothed_to_clamped. unfold opp; simpl. ring. }
assert (M : RInt smoothed (clamped x) (clamped y) <= noise_below N (clamped y) - noise_below N (clamped x)).
{ rewrite <- noise_between. apply RInt_le; auto using noise_integrable. intros; apply smoothed_inside. }
assert (Y : noise_below N (clamped y) <= reached hi + e / 2).
{ destruct hi as [b|] eqn:E; simpl; [|generalize (noise_inside N (clamped y)); lra].
  assert (clamped y <= b + e) by (unfold clamped; rewrite E; apply Rmin_l).
  apply Rle_trans with (noise_below N (b + e)); [now apply noise_below_le|].
  generalize (noise_below_rises b (b + e) ltac:(lra)). lra. }
assert (X : below lo - e / 2 <= noise_below N (clamped x)).
{ destruct lo as [a|] eqn:E; simpl; [|generalize (noise_inside N (clamped x)); lra].
  assert (a - e <= clamped x).
  { unfold clamped. rewrite E. destruct hi as [b|]; [simpl in lo_hi; apply Rmin_glb; [lra|]|]; apply Rmax_l. }
  apply Rle_trans with (noise_below N (a - e)); [|now apply noise_below_le].
  generalize (noise_below_rises (a - e) a ltac:(lra)). lra. }
unfold plus; simpl. lra.
Qed.

Lemma piece_majorised f c : 0 <= c -> (forall u, f u <= c * noise_density N u) ->
  (forall u, ~ (after lo u /\ until hi u) -> f u <= 0) -> majorised f (c * (reached hi - below lo + e)).
Proof.
intros P Whole Outside. exists (fun u => c * smoothed u). split; [|split; [|split]].
- intros u. apply (continuous_scal_r (V := R_NormedModule) c smoothed), smoothed_continuous.
- intros u. generalize (smoothed_inside u). nra.
- intros u. destruct (Classical_Prop.classic (after lo u /\ until hi u)) as [[A B]|O].
  + rewrite smoothed_whole by assumption. apply Whole.
  + generalize (Outside u O) (smoothed_inside u). nra.
- intros n. rewrite (RInt_scal (V := R_CompleteNormedModule) smoothed) by apply continuous_integrable, smoothed_continuous.
  unfold scal; simpl; unfold mult; simpl. apply Rmult_le_compat_l; [exact P|apply smoothed_at_most].
Qed.
End Piece.

Lemma majorised_more f v w : majorised f v -> v <= w -> majorised f w.
Proof. intros (h & C & P & L & V) H. exists h. repeat split; auto. intros n. generalize (V n); lra. Qed.

Lemma majorised_zero : majorised (fun _ => 0) 0.
Proof.
exists (fun _ => 0). split; [intros; apply continuous_const|split; [intros; lra|split; [intros; lra|]]].
intros n. rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. lra.
Qed.

Lemma majorised_integral f v : (forall e, 0 < e -> majorised f (v + e)) -> integral f <= v.
Proof. intros M. apply le_epsilon. intros e E. apply integral_at_most, majorised_bounds, M, E. Qed.

Section Mean.
Variable G : R -> R.
Hypothesis inside : forall u, 0 <= G u <= 1.

Lemma mean_bounds : bounds (fun u => noise_density N u * G u) 1.
Proof.
rewrite <- (Rmult_1_l 1). apply (bounds_scaled _ (noise_density N)); [lra| |apply noise_bounds].
intros u. generalize (noise_positive N u) (inside u). nra.
Qed.

Lemma mean_inside : 0 <= integral (fun u => noise_density N u * G u) <= 1.
Proof. split; [apply (integral_positive _ 1)|apply integral_at_most]; apply mean_bounds. Qed.

(* At least what is left by all that is missed. *)
Lemma mean_at_least v : (forall e, 0 < e -> majorised (fun u => noise_density N u * (1 - G u)) (v + e)) ->
  1 - v <= integral (fun u => noise_density N u * G u).
Proof.
intros M. assert (H := majorised_integral _ _ M).
assert (S := integral_sum (noise_density N) (fun u => noise_density N u * G u) (fun u => noise_density N u * (1 - G u)) 1 1 1
  Rlt_0_1 Rlt_0_1). rewrite noise_whole in S.
assert (1 * 1 <= 1 * integral (fun u => noise_density N u * G u) + integral (fun u => noise_density N u * (1 - G u))); [|lra].
apply S; [intros u; right; ring|apply mean_bounds|]. exists (v + 1). apply majorised_bounds, M. lra.
Qed.
End Mean.

(** * Where an event is an interval, nearly *)
Definition chance_of_event (event : R -> bool) := integral (fun u => noise_density N u * (if event u then 1 else 0)).

Theorem event_at_most (event : R -> bool) lo hi : ordered lo hi ->
  (forall a u, lo = Some a -> u <= a -> event u = false) -> (forall b u, hi = Some b -> b <= u -> event u = false) ->
  chance_of_event event <= reached hi - below lo.
Proof.
intros O L H. apply majorised_integral. intros e E. rewrite <- (Rmult_1_l (_ + e)). apply piece_majorised; try assumption; [lra| |].
- intros u. generalize (noise_positive N u). destruct (event u); lra.
- intros u Out. destruct (event u) eqn:T; [|lra]. exfalso. apply Out. split.
  + destruct lo as [a|]; [|exact I]. apply Rnot_lt_le. intros Q. rewrite (L a u) in T; [discriminate|reflexivity|lra].
  + destruct hi as [b|]; [|exact I]. apply Rnot_lt_le. intros Q. rewrite (H b u) in T; [discriminate|reflexivity|lra].
Qed.

Lemma tail_majorised_left (G : R -> R) lo e : 0 < e -> (forall u, 0 <= G u <= 1) ->
  majorised (fun u => match lo with None => 0 | Some a => if Rle_dec u a then noise_density N u * G u else 0 end) (below lo + e).
Proof.
intros E Gi. destruct lo as [a|]; [|apply (majorised_more _ 0); [apply majorised_zero|simpl; lra]].
replace (below (Some a) + e) with (1 * (reached (Some a) - below None + e)) by (simpl; ring).
apply piece_majorised; [exact E|exact I|lra| |].
- intros u. generalize (noise_positive N u) (Gi u). destruct (Rle_dec u a); nra.
- intros u Out. destruct (Rle_dec u a) as [Q|Q]; [|lra]. exfalso. now apply Out.
Qed.

Lemma tail_majorised_right (G : R -> R) hi e : 0 < e -> (forall u, 0 <= G u <= 1) ->
  majorised (fun u => match hi with None => 0 | Some b => if Rle_dec b u then noise_density N u * G u else 0 end)
    (1 - reached hi + e).
Proof.
intros E Gi. destruct hi as [b|]; [|apply (majorised_more _ 0); [apply majorised_zero|simpl; lra]].
replace (1 - reached (Some b) + e) with (1 * (reached None - below (Some b) + e)) by (simpl; ring).
apply piece_majorised; [exact E|exact I|lra| |].
- intros u. generalize (noise_positive N u) (Gi u). destruct (Rle_dec b u); nra.
- intros u Out. destruct (Rle_dec b u) as [Q|Q]; [|lra]. exfalso. now apply Out.
Qed.

Theorem event_at_least (event : R -> bool) lo hi : (forall u, after lo u -> until hi u -> event u = true) ->
  reached hi - below lo <= chance_of_event event.
Proof.
intros T. assert (Gi : forall u, 0 <= (if event u then 1 else 0) <= 1) by (intros u; destruct (event u); lra).
replace (reached hi - below lo) with (1 - (below lo + (1 - reached hi))) by ring.
apply mean_at_least; [exact Gi|]. intros e E.
apply (majorised_more _ (below lo + e / 2 + (1 - reached hi + e / 2))); [|lra].
apply (majorised_sum _ (fun u => match lo with None => 0 | Some a => if Rle_dec u a then noise_density N u * 1 else 0 end)
  (fun u => match hi with None => 0 | Some b => if Rle_dec b u then noise_density N u * 1 else 0 end)).
- intros u. assert (D := noise_positive N u).
  assert (A : 0 <= match lo with None => 0 | Some a => if Rle_dec u a then noise_density N u * 1 else 0 end).
  { destruct lo as [a|]; [destruct (Rle_dec u a)|]; lra. }
  assert (B : 0 <= match hi with None => 0 | Some b => if Rle_dec b u then noise_density N u * 1 else 0 end).
  { destruct hi as [b|]; [destruct (Rle_dec b u)|]; lra. }
  destruct (event u) eqn:V; [lra|]. destruct (Classical_Prop.classic (after lo u /\ until hi u)) as [[Q R]|Q].
  + rewrite T in V by assumption. discriminate.
  + destruct lo as [a|]; [destruct (Rle_dec u a); [lra|]|];
      (destruct hi as [b|]; [destruct (Rle_dec b u); [lra|]|]); exfalso; apply Q; simpl; split; try exact I; lra.
- apply (tail_majorised_left (fun _ => 1)); intros; lra.
- apply (tail_majorised_right (fun _ => 1)); intros; lra.
Qed.

(** * Strips, on each of which a chance is enclosed *)
Section Strips.
Fixpoint covered (G : R -> R) (a : R) (strips : list (R * R)) : Prop :=
  match strips with
  | [] => True
  | (b, c) :: rest => (a <= b /\ 0 <= c <= 1 /\ (forall u, a <= u -> u <= b -> G u <= c)) /\ covered G b rest
  end.
Fixpoint most_of_strips (a : R) (strips : list (R * R)) : R :=
  match strips with
  | [] => 1 - noise_below N a
  | (b, c) :: rest => c * (noise_below N b - noise_below N a) + most_of_strips b rest
  end.

Lemma strips_majorised G a strips e : (forall u, 0 <= G u <= 1) -> covered G a strips -> 0 < e ->
  majorised (fun u => noise_density N u * G u) (noise_below N a + most_of_strips a strips + e).
Proof.
intros Gi C E.
assert (Right : forall strips a e, covered G a strips -> 0 < e ->
  majorised (fun u => if Rle_dec a u then noise_density N u * G u else 0) (most_of_strips a strips + e)).
{ clear a strips e C E. induction strips as [|[b c] rest IH]; intros a e C E; simpl.
  - apply (tail_majorised_right G (Some a)); assumption.
  - destruct C as ((L & P & H) & C).
    apply (majorised_more _ (c * (reached (Some b) - below (Some a) + e / 2) + (most_of_strips b rest + e / 2)));
      [|simpl; nra].
    apply (majorised_sum _ (fun u => if Rle_dec a u then if Rle_dec u b then c * noise_density N u else 0 else 0)
      (fun u => if Rle_dec b u then noise_density N u * G u else 0)).
    + intros u. assert (D := noise_positive N u). assert (Gu := Gi u).
      assert (0 <= noise_density N u * G u) by nra. assert (0 <= c * noise_density N u) by nra.
      destruct (Rle_dec a u) as [A|A], (Rle_dec u b) as [B|B], (Rle_dec b u) as [B'|B']; try lra;
        generalize (H u A B); nra.
    + apply piece_majorised; [lra|exact L|lra| |].
      * intros u. generalize (noise_positive N u). destruct (Rle_dec a u), (Rle_dec u b); nra.
      * intros u Out. destruct (Rle_dec a u) as [A|A], (Rle_dec u b) as [B|B]; try lra. exfalso. now apply Out.
    + apply IH; [exact C|lra]. }
apply (majorised_more _ (below (Some a) + e / 2 + (most_of_strips a strips + e / 2))); [|simpl; lra].
apply (majorised_sum _ (fun u => if Rle_dec u a then noise_density N u * G u else 0)
  (fun u => if Rle_dec a u then noise_density N u * G u else 0)).
- intros u. assert (0 <= noise_density N u * G u) by (generalize (noise_positive N u) (Gi u); nra).
  destruct (Rle_dec u a), (Rle_dec a u); lra.
- apply (tail_majorised_left G (Some a)); [lra|exact Gi].
- apply Right; [exact C|lra].
Qed.

(* Where a strip ends, and enclosures of a chance there. *)
Definition strip := (R * (R * R))%type.
Fixpoint enclosed_on (G : R -> R) (a : R) (strips : list strip) : Prop :=
  match strips with
  | [] => True
  | (b, (c0, c1)) :: rest =>
      (a <= b /\ 0 <= c0 /\ c1 <= 1) /\ (forall u, a <= u -> u <= b -> c0 <= G u <= c1) /\ enclosed_on G b rest
  end.
Fixpoint least_on (a : R) (strips : list strip) : R :=
  match strips with
  | [] => 0
  | (b, (c0, _)) :: rest => c0 * (noise_below N b - noise_below N a) + least_on b rest
  end.
Fixpoint most_on (a : R) (strips : list strip) : R :=
  match strips with
  | [] => 1 - noise_below N a
  | (b, (_, c1)) :: rest => c1 * (noise_below N b - noise_below N a) + most_on b rest
  end.

Theorem mean_enclosed G a strips : (forall u, 0 <= G u <= 1) -> enclosed_on G a strips ->
  least_on a strips <= integral (fun u => noise_density N u * G u) <= noise_below N a + most_on a strips.
Proof.
intros Gi S. split.
- set (missed := map (fun s : strip => (fst s, 1 - fst (snd s))) strips).
  assert (E : least_on a strips = 1 - (noise_below N a + most_of_strips a missed)).
  { unfold missed. clear. revert a. induction strips as [|[b [c0 c1]] rest IH]; intros a; simpl; [ring|]. rewrite IH. ring. }
  rewrite E. apply mean_at_least; [exact Gi|]. intros e P. apply (strips_majorised (fun u => 1 - G u)); [| |exact P].
  + intros u. generalize (Gi u); lra.
  + unfold missed. clear E P missed. revert a S. induction strips as [|[b [c0 c1]] rest IH]; intros a S; simpl; [exact I|].
    destruct S as ((L & P & Q) & H & S). split; [|now apply IH]. assert (Ha := H a (Rle_refl a) L).
    split; [exact L|split; [lra|]]. intros u A B. generalize (H u A B); lra.
- assert (E : most_on a strips = most_of_strips a (map (fun s : strip => (fst s, snd (snd s))) strips)).
  { clear. revert a. induction strips as [|[b [c0 c1]] rest IH]; intros a; simpl; [reflexivity|]. now rewrite IH. }
  rewrite E. apply majorised_integral. intros e P. apply strips_majorised; [exact Gi| |exact P].
  clear E e P. revert a S. induction strips as [|[b [c0 c1]] rest IH]; intros a S; simpl; [exact I|].
  destruct S as ((L & P & Q) & H & S). split; [|now apply IH]. assert (Ha := H a (Rle_refl a) L).
  split; [exact L|split; [lra|]]. intros u A B. generalize (H u A B); lra.
Qed.
End Strips.

(* Something comes out. *)
Theorem drawn_whole values : drawn_chance N values (fun _ => true) = 1.
Proof.
induction values as [|[m s] rest IH]; simpl; [reflexivity|]. rewrite IH.
transitivity (integral (noise_density N)); [f_equal|apply noise_whole].
apply FunctionalExtensionality.functional_extensionality. intros u. ring.
Qed.

Lemma drawn_inside values event : 0 <= drawn_chance N values event <= 1.
Proof.
revert event. induction values as [|[m s] rest IH]; intros event; simpl; [destruct (event []); lra|].
apply (mean_inside (fun u => drawn_chance N rest (fun z => event (m + s * u :: z)))). intros u. apply IH.
Qed.
End Law.

(** * In the words of a certificate *)
Lemma drawn_at_most N m s event lo hi : ordered lo hi ->
  (forall a u, lo = Some a -> u <= a -> event [m + s * u] = false) ->
  (forall b u, hi = Some b -> b <= u -> event [m + s * u] = false) ->
  drawn_chance N [(m, s)] event <= reached N hi - below N lo.
Proof. intros O L H. now apply (event_at_most N (fun u => event [m + s * u])). Qed.

Lemma drawn_at_least N m s event lo hi : (forall u, after lo u -> until hi u -> event [m + s * u] = true) ->
  reached N hi - below N lo <= drawn_chance N [(m, s)] event.
Proof. apply (event_at_least N (fun u => event [m + s * u])). Qed.

Lemma drawn_enclosed N m s rest event a strips :
  enclosed_on (fun u => drawn_chance N rest (fun z => event (m + s * u :: z))) a strips ->
  least_on N a strips <= drawn_chance N ((m, s) :: rest) event <= noise_below N a + most_on N a strips.
Proof. intros E. apply mean_enclosed; [|exact E]. intros u. apply drawn_inside. Qed.

(* By how much an option is ahead, where every noisy value stands once. *)
Fixpoint lead (x y z : list R) : R :=
  match x, y, z with a :: x', b :: y', t :: z' => (a - b) * t + lead x' y' z' | _, _, _ => 0 end.

Lemma lead_is x y z : length x = length z -> length y = length z -> lead x y z = valued x z - valued y z.
Proof.
revert x y. induction z as [|t z IH]; intros [|a x] [|b y] X Y; simpl in *; try discriminate; [ring|].
rewrite IH by congruence. ring.
Qed.

Lemma is_before weights z i j : length (nth i weights []) = length z -> length (nth j weights []) = length z ->
  0 < lead (nth i weights []) (nth j weights []) z -> before weights z i j = true.
Proof. intros I J L. rewrite lead_is in L by assumption. unfold before. destruct (Rlt_dec _ _); [reflexivity|lra]. Qed.

Lemma is_not_before weights z i j : length (nth i weights []) = length z -> length (nth j weights []) = length z ->
  lead (nth i weights []) (nth j weights []) z < 0 -> before weights z i j = false.
Proof. intros I J L. rewrite lead_is in L by assumption. unfold before. repeat destruct (Rlt_dec _ _); lra || reflexivity. Qed.

(** * Decisions *)
(* An event, in whole boxes of noise. *)
Ltac compared := cbn [length nth]; first [reflexivity|cbn [lead nth]; interval with (i_prec 60)].
Ltac decide_event :=
  cbn [largest_are forallb existsb seq length Nat.eqb orb];
  match goal with
  | |- _ = true => repeat rewrite is_before by compared; reflexivity
  | |- _ = false =>
      match goal with |- context [before ?w ?z ?i ?j] => rewrite (is_not_before w z i j) by compared end;
      rewrite ?Bool.andb_false_r; reflexivity
  end.

(* One noisy value, which has to lie between two ends: `outer` ones, beyond which it surely does not, and `inner` ones,
   between which it surely does. *)
Ltac enclose_line outer inner :=
  cbv beta;
  match goal with |- _ <= drawn_chance ?N _ _ <= _ =>
    match constr:((outer, inner)) with ((?lo, ?hi), (?lo', ?hi')) =>
      split;
      [first [now apply drawn_inside|
        apply Rle_trans with (reached N hi' - below N lo');
          [clear; cbn [reached below]; decide_noise|apply drawn_at_least; intros ? ? ?; cbn [after until] in *; decide_event]]|
      first [now apply drawn_inside|
        apply Rle_trans with (reached N hi - below N lo);
          [apply drawn_at_most;
            [cbn [ordered]; first [exact I|lra]|
              intros ? ? Is ?; first [discriminate Is|injection Is as <-; decide_event]..]|
            clear; cbn [reached below]; decide_noise]]]
    end
  end.

Ltac enclose_strips hints :=
  match hints with
  | [] => exact I
  | (_, (?outer, ?inner)) :: ?rest =>
      split; [lra|split; [intros ? ? ?; enclose_line outer inner|enclose_strips rest]]
  end.
