(* Options that share one or two noisy values: which of them are the largest, and enclosures of the chances. *)
From Coq Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal formulas integral laplace half_planes noisy_maximum normal_series decisions.
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
Lemma same_length {A B} {P : A -> B -> Prop} {l l'} : Forall2 P l l' -> length l = length l'.
Proof. induction 1; simpl; congruence. Qed.

(* Where the numbers of a step lie, its options' leads, and the chance of a release, in interval arithmetic. *)
Section Boxes.
Variables (p : F.precision) (root : I.type) (terms : nat) (N : noise).
Hypothesis root_right : root = root_of_2pi p.

Fixpoint lead_in (x y z : list I.type) : I.type :=
  match x, y, z with
  | a :: x', b :: y', t :: z' => I.add p (I.mul p (I.sub p a b) t) (lead_in x' y' z')
  | _, _, _ => whole p 0
  end.
Lemma in_lead x y z x' y' z' : Forall2 holds x x' -> Forall2 holds y y' -> Forall2 holds z z' ->
  holds (lead_in x y z) (lead x' y' z').
Proof.
intros X Y Z. revert x x' y y' X Y. induction Z as [|t t' z z' T _ IH]; intros x x' y y' X Y;
  destruct X, Y; cbn [lead_in lead]; try apply (in_whole p 0).
apply in_add; [apply in_mul; [now apply in_sub|exact T]|now apply IH].
Qed.

Lemma rows_in W w : Forall2 (Forall2 holds) W w -> forall i, Forall2 holds (nth i W []) (nth i w []).
Proof. induction 1 as [|r r' W w R _ IH]; intros [|i]; simpl; auto. Qed.

Definition ahead (W : list (list I.type)) (z : list I.type) (i j : nat) : bool :=
  let x := nth i W [] in let y := nth j W [] in
  Nat.eqb (length x) (length z) && Nat.eqb (length y) (length z) && is_less p (whole p 0) (lead_in x y z).
Lemma ahead_ok W w z z' i j : Forall2 (Forall2 holds) W w -> Forall2 holds z z' -> ahead W z i j = true ->
  length (nth i w []) = length z' /\ length (nth j w []) = length z' /\ 0 < lead (nth i w []) (nth j w []) z'.
Proof.
intros R Z H. unfold ahead in H. repeat rewrite andb_true_iff in H. destruct H as ((X & Y) & L).
apply Nat.eqb_eq in X, Y. assert (A := rows_in W w R i). assert (B := rows_in W w R j).
rewrite (same_length A), (same_length Z) in X. rewrite (same_length B), (same_length Z) in Y.
split; [exact X|split; [exact Y|]]. exact (is_less_ok p _ _ _ _ L (in_whole p 0) (in_lead _ _ _ _ _ _ A B Z)).
Qed.

Lemma lead_opp x y z : lead y x z = - lead x y z.
Proof. revert x y. induction z as [|t z IH]; intros [|a x] [|b y]; simpl; try ring. rewrite IH. ring. Qed.

(* The selected options are surely the largest, or surely not. *)
Definition surely (W : list (list I.type)) (kept : list nat) (z : list I.type) : bool :=
  forallb (fun i => forallb (fun j => existsb (Nat.eqb j) kept || ahead W z i j) (seq 0 (length W))) kept.
Definition surely_not (W : list (list I.type)) (kept : list nat) (z : list I.type) : bool :=
  existsb (fun i => existsb (fun j => negb (existsb (Nat.eqb j) kept) && ahead W z j i) (seq 0 (length W))) kept.

Lemma surely_ok W w kept z z' : Forall2 (Forall2 holds) W w -> Forall2 holds z z' -> surely W kept z = true ->
  largest_are w kept z' = true.
Proof.
intros R Z H. unfold surely in H. unfold largest_are. rewrite forallb_forall in *. intros i Hi. specialize (H i Hi).
rewrite forallb_forall in *. intros j Hj. rewrite <- (same_length R) in Hj. specialize (H j Hj).
apply orb_prop in H. destruct H as [->|H]; [reflexivity|]. destruct (ahead_ok _ _ _ _ _ _ R Z H) as (X & Y & L).
rewrite is_before by assumption. apply orb_true_r.
Qed.

Lemma surely_not_ok W w kept z z' : Forall2 (Forall2 holds) W w -> Forall2 holds z z' -> surely_not W kept z = true ->
  largest_are w kept z' = false.
Proof.
intros R Z H. destruct (largest_are w kept z') eqn:E; [|reflexivity]. exfalso.
unfold surely_not in H. apply existsb_exists in H. destruct H as (i & Hi & H). apply existsb_exists in H.
destruct H as (j & Hj & H). apply andb_prop in H. destruct H as [Kept H]. apply negb_true_iff in Kept.
destruct (ahead_ok _ _ _ _ _ _ R Z H) as (X & Y & L). unfold largest_are in E. rewrite forallb_forall in E.
specialize (E i Hi). rewrite forallb_forall in E. rewrite (same_length R) in Hj. specialize (E j Hj).
rewrite Kept, is_not_before in E; [discriminate|assumption|assumption|]. rewrite lead_opp. lra.
Qed.

(* Ends: None where there is no end. *)
Definition ends := (option (Z * Z) * option (Z * Z))%type.
Definition at_end (e : option (Z * Z)) : option R := option_map worth e.
Definition between_in (lo hi : option (Z * Z)) : I.type :=
  I.meet (match lo with None => I.whole | Some a => I.upper_extent (fraction_in p a) end)
    (match hi with None => I.whole | Some b => I.lower_extent (fraction_in p b) end).
Lemma in_between lo hi u : after (at_end lo) u -> until (at_end hi) u -> holds (between_in lo hi) u.
Proof.
intros A B. apply I.meet_correct.
- destruct lo as [a|]; [|apply I.whole_correct]. exact (I.upper_extent_correct _ u _ (in_fraction p a) A).
- destruct hi as [b|]; [|apply I.whole_correct]. exact (I.lower_extent_correct _ u _ (in_fraction p b) B).
Qed.
Definition below_end (lo : option (Z * Z)) : I.type :=
  match lo with None => whole p 0 | Some a => below_in p root terms N (fraction_in p a) end.
Definition reached_end (hi : option (Z * Z)) : I.type :=
  match hi with None => whole p 1 | Some b => below_in p root terms N (fraction_in p b) end.
Lemma in_below_end lo : holds (below_end lo) (below N (at_end lo)).
Proof. destruct lo; [apply in_below; [exact root_right|apply in_fraction]|apply (in_whole p 0)]. Qed.
Lemma in_reached_end hi : holds (reached_end hi) (reached N (at_end hi)).
Proof. destruct hi; [apply in_below; [exact root_right|apply in_fraction]|apply (in_whole p 1)]. Qed.

Definition same_end (lo hi : option (Z * Z)) : bool :=
  match lo, hi with Some a, Some b => Z.eqb (fst a) (fst b) && Z.eqb (snd a) (snd b) | _, _ => false end.

Section Step.
Variables (W : list (list I.type)) (w : list (list R)) (kept : list nat).
Hypothesis weights_in : Forall2 (Forall2 holds) W w.

(* The last noisy value, after those of `before`: beyond the outer ends its noise surely is none of the event's, and
   between the inner ends it surely is. *)
Definition noisy_in (M S u : I.type) : I.type := I.add p M (I.mul p S u).
Definition line_right (before : list I.type) (M S : I.type) (c0 c1 : Z * Z) (outer inner : ends) : bool :=
  let '(lo, hi) := outer in let '(lo', hi') := inner in
  (at_most_in p c0 (0, 1)%Z ||
    surely W kept (before ++ [noisy_in M S (between_in lo' hi')]) &&
    is_at_most p (fraction_in p c0) (I.sub p (reached_end hi') (below_end lo'))) &&
  (at_most_in p (1, 1)%Z c1 ||
    (same_end lo hi || match lo, hi with Some a, Some b => at_most_in p a b | _, _ => true end) &&
    match lo with None => true | Some a => surely_not W kept (before ++ [noisy_in M S (between_in None (Some a))]) end &&
    match hi with None => true | Some b => surely_not W kept (before ++ [noisy_in M S (between_in (Some b) None)]) end &&
    is_at_most p (if same_end lo hi then whole p 0 else I.sub p (reached_end hi) (below_end lo)) (fraction_in p c1)).

Lemma in_end_difference lo hi : holds (if same_end lo hi then whole p 0 else I.sub p (reached_end hi) (below_end lo))
  (reached N (at_end hi) - below N (at_end lo)).
Proof.
destruct (same_end lo hi) eqn:E; [|apply in_sub; [apply in_reached_end|apply in_below_end]].
destruct lo as [[a d]|], hi as [[b e]|]; try discriminate. cbn [same_end fst snd] in E. apply andb_prop in E. destruct E as [A D].
apply Z.eqb_eq in A, D. subst. cbn. rewrite Rminus_diag_eq by reflexivity. apply (in_whole p 0).
Qed.

Lemma worth_whole z : worth (z, 1%Z) = IZR z.
Proof. unfold worth. simpl. field. Qed.

Lemma line_right_ok before before' M m S s c0 c1 outer inner : Forall2 holds before before' -> holds M m -> holds S s ->
  line_right before M S c0 c1 outer inner = true ->
  worth c0 <= drawn_chance N [(m, s)] (fun z => largest_are w kept (before' ++ z)) <= worth c1.
Proof.
intros B Hm Hs H. destruct outer as [lo hi], inner as [lo' hi']. unfold line_right in H.
assert (Z : forall i u, holds i u -> Forall2 holds (before ++ [noisy_in M S i]) (before' ++ [m + s * u])).
{ intros i u U. apply Forall2_app; [exact B|]. constructor; [|constructor]. apply in_add; [exact Hm|now apply in_mul]. }
assert (I01 := drawn_inside N [(m, s)] (fun z => largest_are w kept (before' ++ z))).
apply andb_prop in H. destruct H as [Low High]. split.
- apply orb_prop in Low. destruct Low as [Low|Low].
  { apply at_most_in_ok in Low. rewrite (worth_whole 0) in Low. lra. }
  apply andb_prop in Low. destruct Low as [Sure Low].
  apply Rle_trans with (reached N (at_end hi') - below N (at_end lo')).
  + exact (is_at_most_ok p _ _ _ _ Low (in_fraction p c0) (in_sub p _ _ _ _ (in_reached_end hi') (in_below_end lo'))).
  + apply drawn_at_least. intros u A U.
    exact (surely_ok _ _ _ _ _ weights_in (Z _ u (in_between lo' hi' u A U)) Sure).
- apply orb_prop in High. destruct High as [High|High].
  { apply at_most_in_ok in High. rewrite (worth_whole 1) in High. lra. }
  repeat rewrite andb_true_iff in High. destruct High as (((Ordered & Lo) & Hi) & High).
  apply Rle_trans with (reached N (at_end hi) - below N (at_end lo)).
  + apply drawn_at_most.
    * apply orb_prop in Ordered. destruct Ordered as [Same|Ordered].
      { destruct lo as [[a d]|], hi as [[b e]|]; try exact Logic.I. cbn [same_end fst snd] in Same.
        apply andb_prop in Same. destruct Same as [A D]. apply Z.eqb_eq in A, D. subst. apply Rle_refl. }
      destruct lo as [a|], hi as [b|]; try exact Logic.I. now apply at_most_in_ok in Ordered.
    * intros a u Is U. destruct lo as [a'|]; [|discriminate Is]. injection Is as <-.
      exact (surely_not_ok _ _ _ _ _ weights_in (Z _ u (in_between None (Some a') u Logic.I U)) Lo).
    * intros b u Is U. destruct hi as [b'|]; [|discriminate Is]. injection Is as <-.
      exact (surely_not_ok _ _ _ _ _ weights_in (Z _ u (in_between (Some b') None u U Logic.I)) Hi).
  + exact (is_at_most_ok p _ _ _ _ High (in_end_difference lo hi) (in_fraction p c1)).
Qed.

(* Strips of the first value's noise: where one ends, bounds on the chance there, and the ends of the second value. *)
Definition strip_hint := ((Z * Z) * ((Z * Z) * (Z * Z)) * (ends * ends))%type.
Definition strip_of (h : strip_hint) : strip := let '(b, (c0, c1), _) := h in (worth b, (worth c0, worth c1)).
Section Two.
Variables (M1 S1 M2 S2 : I.type) (m1 s1 m2 s2 : R).
Hypotheses (Hm1 : holds M1 m1) (Hs1 : holds S1 s1) (Hm2 : holds M2 m2) (Hs2 : holds S2 s2).
Fixpoint strips_right (a : Z * Z) (hints : list strip_hint) : bool :=
  match hints with
  | [] => true
  | (b, (c0, c1), (outer, inner)) :: rest =>
      at_most_in p a b && at_most_in p (0, 1)%Z c0 && at_most_in p c1 (1, 1)%Z &&
      line_right [noisy_in M1 S1 (between_in (Some a) (Some b))] M2 S2 c0 c1 outer inner && strips_right b rest
  end.
Lemma strips_right_ok hints : forall a, strips_right a hints = true ->
  enclosed_on (fun u => drawn_chance N [(m2, s2)] (fun z => largest_are w kept (m1 + s1 * u :: z))) (worth a)
    (map strip_of hints).
Proof.
induction hints as [|[[b [c0 c1]] [outer inner]] rest IH]; intros a; cbn [strips_right]; intros H; [exact Logic.I|].
repeat rewrite andb_true_iff in H. destruct H as ((((L & C0) & C1) & Line) & Rest).
apply at_most_in_ok in L, C0, C1. rewrite worth_whole in C0, C1. cbn [map strip_of enclosed_on].
split; [auto|split; [|now apply IH]]. intros u A B.
apply (line_right_ok [noisy_in M1 S1 (between_in (Some a) (Some b))] [m1 + s1 * u] M2 m2 S2 s2 c0 c1 outer inner);
  [|exact Hm2|exact Hs2|exact Line].
constructor; [|constructor]. apply in_add; [exact Hm1|]. apply in_mul; [exact Hs1|]. now apply in_between.
Qed.

Definition chance_between (a b : Z * Z) : I.type :=
  I.sub p (below_in p root terms N (fraction_in p b)) (below_in p root terms N (fraction_in p a)).
Fixpoint least_strips (a : Z * Z) (hints : list strip_hint) : I.type :=
  match hints with
  | [] => whole p 0
  | (b, (c0, _), _) :: rest => I.add p (I.mul p (fraction_in p c0) (chance_between a b)) (least_strips b rest)
  end.
Fixpoint most_strips (a : Z * Z) (hints : list strip_hint) : I.type :=
  match hints with
  | [] => I.sub p (whole p 1) (below_in p root terms N (fraction_in p a))
  | (b, (_, c1), _) :: rest => I.add p (I.mul p (fraction_in p c1) (chance_between a b)) (most_strips b rest)
  end.
Lemma in_chance_between a b : holds (chance_between a b) (noise_below N (worth b) - noise_below N (worth a)).
Proof. apply in_sub; apply in_below; try exact root_right; apply in_fraction. Qed.
Lemma in_least_strips hints : forall a, holds (least_strips a hints) (least_on N (worth a) (map strip_of hints)).
Proof.
induction hints as [|[[b [c0 c1]] e] rest IH]; intros a; cbn [least_strips map strip_of least_on]; [apply (in_whole p 0)|].
apply in_add; [apply in_mul; [apply in_fraction|apply in_chance_between]|apply IH].
Qed.
Lemma in_most_strips hints : forall a, holds (most_strips a hints) (most_on N (worth a) (map strip_of hints)).
Proof.
induction hints as [|[[b [c0 c1]] e] rest IH]; intros a; cbn [most_strips map strip_of most_on].
- apply in_sub; [apply (in_whole p 1)|]. apply in_below; [exact root_right|apply in_fraction].
- apply in_add; [apply in_mul; [apply in_fraction|apply in_chance_between]|apply IH].
Qed.

Definition two_values_right (first : Z * Z) (hints : list strip_hint) (lo hi : Z * Z) : bool :=
  strips_right first hints && is_at_most p (fraction_in p lo) (least_strips first hints) &&
  is_at_most p (I.add p (below_in p root terms N (fraction_in p first)) (most_strips first hints)) (fraction_in p hi).
Lemma two_values_ok first hints lo hi : two_values_right first hints lo hi = true ->
  worth lo <= drawn_chance N [(m1, s1); (m2, s2)] (largest_are w kept) <= worth hi.
Proof.
unfold two_values_right. intros H. repeat rewrite andb_true_iff in H. destruct H as ((Strips & Lo) & Hi).
assert (K := drawn_enclosed N m1 s1 [(m2, s2)] (largest_are w kept) (worth first) (map strip_of hints)
  (strips_right_ok hints first Strips)).
assert (A := is_at_most_ok p _ _ _ _ Lo (in_fraction p lo) (in_least_strips hints first)).
assert (B := is_at_most_ok p _ _ _ _ Hi (in_add p _ _ _ _ (in_below p root terms root_right N _ _ (in_fraction p first))
  (in_most_strips hints first)) (in_fraction p hi)).
lra.
Qed.
End Two.
End Step.
End Boxes.

(* A number between two others. *)
Definition box := (term * term)%type.
Definition within (b : box) (x : R) : Prop := meant [] (fst b) <= x <= meant [] (snd b).
Definition boxed p root terms (b : box) : I.type := from_to (enclosed_in p root terms [] (fst b)) (enclosed_in p root terms [] (snd b)).
Lemma in_boxed p root terms b x : root = root_of_2pi p -> within b x -> holds (boxed p root terms b) x.
Proof.
intros R H. apply (in_from_to _ _ (meant [] (fst b)) _ (meant [] (snd b))); [apply is_enclosed; [exact R|constructor]..|exact H].
Qed.
Lemma all_boxed p root terms bs xs : root = root_of_2pi p -> Forall2 within bs xs -> Forall2 holds (map (boxed p root terms) bs) xs.
Proof. intros R. induction 1; constructor; [now apply in_boxed|assumption]. Qed.
Lemma rows_boxed p root terms bs xs : root = root_of_2pi p -> Forall2 (Forall2 within) bs xs ->
  Forall2 (Forall2 holds) (map (map (boxed p root terms)) bs) xs.
Proof. intros R. induction 1; constructor; [now apply all_boxed|assumption]. Qed.

(* One or two noisy values, each with a mean and a scale. *)
Definition one_right (bits : positive) N (weights : list (list box)) kept (m s : box) outer inner lo hi : bool :=
  let p := F.PtoP bits in let root := root_of_2pi p in let terms := Pos.to_nat bits in let b := boxed p root terms in
  line_right p root terms N (map (map b) weights) kept [] (b m) (b s) lo hi outer inner.
Theorem one_right_ok bits N weights w kept m' m s' s outer inner lo hi :
  one_right bits N weights kept m' s' outer inner lo hi = true -> Forall2 (Forall2 within) weights w ->
  within m' m -> within s' s -> worth lo <= drawn_chance N [(m, s)] (largest_are w kept) <= worth hi.
Proof.
intros H W M S.
exact (line_right_ok _ _ _ N eq_refl _ w kept (rows_boxed _ _ _ _ _ eq_refl W) [] [] _ m _ s lo hi outer inner
  (Forall2_nil _) (in_boxed _ _ _ _ _ eq_refl M) (in_boxed _ _ _ _ _ eq_refl S) H).
Qed.

Definition two_right (bits : positive) N (weights : list (list box)) kept (m1 s1 m2 s2 : box) first hints lo hi : bool :=
  let p := F.PtoP bits in let root := root_of_2pi p in let terms := Pos.to_nat bits in let b := boxed p root terms in
  two_values_right p root terms N (map (map b) weights) kept (b m1) (b s1) (b m2) (b s2) first hints lo hi.
Theorem two_right_ok bits N weights w kept m1' m1 s1' s1 m2' m2 s2' s2 first hints lo hi :
  two_right bits N weights kept m1' s1' m2' s2' first hints lo hi = true -> Forall2 (Forall2 within) weights w ->
  within m1' m1 -> within s1' s1 -> within m2' m2 -> within s2' s2 ->
  worth lo <= drawn_chance N [(m1, s1); (m2, s2)] (largest_are w kept) <= worth hi.
Proof.
intros H W M1 S1 M2 S2.
exact (two_values_ok _ _ _ N eq_refl _ w kept (rows_boxed _ _ _ _ _ eq_refl W) _ _ _ _ m1 s1 m2 s2
  (in_boxed _ _ _ _ _ eq_refl M1) (in_boxed _ _ _ _ _ eq_refl S1) (in_boxed _ _ _ _ _ eq_refl M2)
  (in_boxed _ _ _ _ _ eq_refl S2) first hints lo hi H).
Qed.

(* The box of a number, from the hypothesis about it. *)
Ltac box_of x :=
  match goal with _ : ?lo <= x <= ?hi |- _ =>
    let a := term_of (@nil R) lo in let b := term_of (@nil R) hi in constr:((a, b) : box) end.
Ltac boxes_in row :=
  lazymatch row with
  | ?x :: ?rest => let b := box_of x in let bs := boxes_in rest in constr:(b :: bs)
  | _ => constr:(@nil box)
  end.
Ltac rows_of rows :=
  lazymatch rows with
  | ?row :: ?rest => let b := boxes_in row in let bs := rows_of rest in constr:(b :: bs)
  | _ => constr:(@nil (list box))
  end.
Ltac all_within := repeat first [apply Forall2_nil|apply Forall2_cons]; unfold within; cbn [fst snd meant]; assumption.
(* The ends are fractions, which the statement may write as whole numbers. *)
Ltac with_these_ends proof :=
  let known := fresh in
  assert (known := proof); unfold worth in known; cbn [fst snd] in known;
  match type of known with _ <= ?chance <= _ => revert known; generalize chance; intros ? ?; lra end.
Ltac by_line_to bits lo hi outer inner :=
  match goal with |- _ <= drawn_chance ?N [(?m, ?s)] (largest_are ?w ?kept) <= _ =>
    let rows := rows_of w in let a := box_of m in let b := box_of s in
    with_these_ends (one_right_ok bits N rows w kept a m b s outer inner lo hi ltac:(by_virtual_machine) ltac:(all_within)
      ltac:(all_within) ltac:(all_within))
  end.
Ltac by_strips_to bits lo hi first hints :=
  match goal with |- _ <= drawn_chance ?N [(?m1, ?s1); (?m2, ?s2)] (largest_are ?w ?kept) <= _ =>
    let rows := rows_of w in let a := box_of m1 in let b := box_of s1 in let c := box_of m2 in let d := box_of s2 in
    with_these_ends (two_right_ok bits N rows w kept a m1 b s1 c m2 d s2 first hints lo hi ltac:(by_virtual_machine)
      ltac:(all_within) ltac:(all_within) ltac:(all_within) ltac:(all_within) ltac:(all_within))
  end.
Ltac by_line lo hi outer inner := first [by_line_to 64%positive lo hi outer inner|by_line_to 256%positive lo hi outer inner].
Ltac by_strips lo hi first_end hints :=
  first [by_strips_to 64%positive lo hi first_end hints|by_strips_to 256%positive lo hi first_end hints].
