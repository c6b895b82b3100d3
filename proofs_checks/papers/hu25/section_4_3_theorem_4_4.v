(* Theorem 4.4 and its sharp reading: all samples of a run of DP-TS-UCB are as private as those of one Gaussian
   mechanism, of which floor(phi) samples are drawn at most, and so are its pulls. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments rewards densities gaussian lazy_doubling witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(* Pulls, the last one first: those with more before them. *)
Definition suffix {A} (h p : list A) := exists z, p = z ++ h.

Lemma suffix_refl {A} (h : list A) : suffix h h.
Proof. now exists []. Qed.

Lemma suffix_cons {A} (a : A) h p : suffix h p -> suffix h (a :: p).
Proof. intros (z & ->). now exists (a :: z). Qed.

Section Policy.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat) (variance phi floor : R).
Notation pulls := (pulls A same).
Notation total := (total A same).

(** * Algorithm 1, line by line *)
(* What is kept of an arm: the pulls when its last epoch ended, and when that one began; r, h and MAX. *)
Record kept := { ended_at : list A; begun_at : list A; epoch : nat; left : R; best : R }.
Definition memory := A -> kept.
Definition set (d : memory) (a : A) (k : kept) : memory := fun b => if same a b then k else d b.

(* Lines 12 to 16, arm a pulled after p: O is the number of its pulls since its last epoch ended. *)
Definition observe (a : A) (p : list A) (d : memory) : memory :=
  if Nat.leb (2 ^ epoch (d a)) (pulls a (a :: p) - pulls a (ended_at (d a))) then
    set d a {| ended_at := a :: p; begun_at := ended_at (d a); epoch := S (epoch (d a)); left := phi; best := floor |}
  else d.

(* Pulls so far; the scores theta of this round, the last first, and the arms that have none yet in it. *)
Record state := { pulled : list A; known : memory; scores : list (A * R); waiting : list A }.

(* Line 2. *)
Definition unknown : memory := fun _ => {| ended_at := []; begun_at := []; epoch := 0; left := phi; best := floor |}.
Fixpoint pulled_once (l : list A) (p : list A) (d : memory) : list A * memory :=
  match l with [] => (p, d) | a :: l' => pulled_once l' (a :: p) (observe a p d) end.
Definition first_state : state :=
  let (p, d) := pulled_once arms [] unknown in {| pulled := p; known := d; scores := []; waiting := arms |}.

(* Lines 6 to 9: z is the sample where one is drawn, h >= 1; else it has no effect, and MAX is the score. *)
Definition score (k : kept) (z : R) : R := if Rle_dec 1 (left k) then z else best k.
Definition scored (k : kept) (z : R) : kept :=
  if Rle_dec 1 (left k) then
    {| ended_at := ended_at k; begun_at := begun_at k; epoch := epoch k; left := left k - 1; best := Rmax (best k) z |}
  else k.
(* Line 11; among ties the first one. *)
Definition winner (a : A) (z : R) (l : list (A * R)) : A :=
  match rev ((a, z) :: l) with [] => a | one :: rest => fst (argmax (fun one => snd one) one rest) end.
Definition after (s : state) (z : R) : state :=
  match waiting s with
  | [] => s
  | a :: rest => let d := set (known s) a (scored (known s a) z) in let theta := score (known s a) z in
      match rest with
      | [] => let b := winner a theta (scores s) in
          {| pulled := b :: pulled s; known := observe b (pulled s) d; scores := []; waiting := arms |}
      | _ => {| pulled := pulled s; known := d; scores := (a, theta) :: scores s; waiting := rest |}
      end
  end.
Fixpoint state_after (h : outcomes) : state := match h with [] => first_state | z :: h' => after (state_after h') z end.

(* Line 14: how many observations a mean is made of, and the mean of those. *)
Definition used (a : A) (k : kept) : R := INR (pulls a (ended_at k) - pulls a (begun_at k)).
Definition mean (x : rewards A) (a : A) (k : kept) : R := (total x a (ended_at k) - total x a (begun_at k)) / used a k.
Definition sampled (x : rewards A) : densities := fun h =>
  match waiting (state_after h) with
  | [] => normal_density 1 0
  | a :: _ => let k := known (state_after h) a in
      if Rle_dec 1 (left k) then normal_density (sqrt (variance / used a k)) (mean x a k) else normal_density 1 0
  end.
Definition sampled_ended (h : outcomes) : bool := Nat.leb T (length (pulled (state_after h))).

(** * What the pulls determine *)
Hypotheses (variance_positive : 0 < variance) (different : NoDup arms).

Definition sane (p : list A) (d : memory) := forall a,
  suffix (ended_at (d a)) p /\ suffix (begun_at (d a)) (ended_at (d a)).
Definition has_mean (d : memory) (a : A) := (pulls a (begun_at (d a)) < pulls a (ended_at (d a)))%nat.

Lemma observe_cases a p d (P : memory -> Prop) :
  P d ->
  ((1 <= pulls a (a :: p) - pulls a (ended_at (d a)))%nat ->
    P (set d a {| ended_at := a :: p; begun_at := ended_at (d a); epoch := S (epoch (d a)); left := phi;
      best := floor |})) ->
  P (observe a p d).
Proof.
intros H K. unfold observe. destruct (Nat.leb_spec (2 ^ epoch (d a)) (pulls a (a :: p) - pulls a (ended_at (d a))));
  [|exact H]. apply K. assert (E := Nat.pow_nonzero 2 (epoch (d a)) ltac:(lia)). lia.
Qed.

Lemma observe_sane a p d : sane p d -> sane (a :: p) (observe a p d).
Proof.
intros S. apply observe_cases.
- intros b. destruct (S b) as [S1 S2]. split; [now apply suffix_cons|exact S2].
- intros _ b. unfold set. destruct (same a b) as [->|_]; simpl.
  + split; [apply suffix_refl|]. apply suffix_cons, S.
  + destruct (S b) as [S1 S2]. split; [now apply suffix_cons|exact S2].
Qed.

Lemma observe_has_mean a p d b : has_mean d b -> has_mean (observe a p d) b.
Proof.
intros H. apply (observe_cases a p d (fun d => has_mean d b)); [exact H|]. intros L. unfold has_mean, set in *.
destruct (same a b) as [<-|_]; simpl ended_at; simpl begun_at; lia.
Qed.

Lemma scored_memory d a z b : ended_at (set d a (scored (d a) z) b) = ended_at (d b) /\
  begun_at (set d a (scored (d a) z) b) = begun_at (d b).
Proof. unfold set, scored. destruct (same a b) as [<-|_]; [|easy]. now destruct (Rle_dec _ _). Qed.

Lemma pulled_once_facts l p d : NoDup l -> sane p d -> (forall a, In a l -> d a = unknown a) ->
  let (p', d') := pulled_once l p d in sane p' d' /\ length p' = (length l + length p)%nat /\
    (forall a, In a l \/ has_mean d a -> has_mean d' a).
Proof.
revert p d. induction l as [|b l IH]; intros p d D S U; simpl.
{ split; [exact S|split; [reflexivity|]]. intros a [[]|H]; exact H. }
inversion D as [|? ? N D']; subst.
assert (Fresh : has_mean (observe b p d) b).
{ unfold observe. rewrite (U b (or_introl eq_refl)). simpl pulls. destruct (same b b) as [_|F]; [|now destruct F].
  simpl. unfold has_mean, set. destruct (same b b) as [_|F]; [|now destruct F]. simpl.
  destruct (same b b) as [_|F]; [lia|now destruct F]. }
assert (I := IH (b :: p) (observe b p d) D' (observe_sane b p d S)).
destruct (pulled_once l (b :: p) (observe b p d)) as [p' d']. destruct I as (S' & L & M).
- intros a I. rewrite <- (U a (or_intror I)). apply (observe_cases b p d (fun e => e a = d a)); [reflexivity|].
  intros _.
  unfold set. destruct (same b a) as [->|_]; [contradiction|reflexivity].
- split; [exact S'|split; [rewrite L; simpl; lia|]]. intros a [[<-|I]|I]; apply M;
    [now right|now left|right; now apply observe_has_mean].
Qed.

Record fine (s : state) : Prop := {
  fine_sane : sane (pulled s) (known s);
  fine_mean : forall a, In a arms -> has_mean (known s) a;
  fine_waiting : NoDup (waiting s) /\ forall a, In a (waiting s) -> In a arms;
  fine_length : (length arms <= length (pulled s))%nat }.

Lemma first_fine : fine first_state.
Proof.
unfold first_state. assert (F := pulled_once_facts arms [] unknown different).
destruct (pulled_once arms [] unknown) as [p d]. destruct F as (S & L & M).
- intros a. split; apply suffix_refl.
- reflexivity.
- split; simpl; [exact S|intros; apply M; now left|now split|rewrite L; simpl; lia].
Qed.

Lemma always_fine h : fine (state_after h).
Proof.
induction h as [|z h IH]; [apply first_fine|]. simpl. destruct IH as [S M [W I] L]. unfold after.
destruct (waiting (state_after h)) as [|a rest] eqn:E; [split; rewrite ?E; auto|].
set (d := known (state_after h)) in *. set (d' := set d a (scored (d a) z)).
assert (S' : sane (pulled (state_after h)) d').
{ intros b. unfold d'. destruct (scored_memory d a z b) as [-> ->]. apply S. }
assert (M' : forall b, In b arms -> has_mean d' b).
{ intros b B. unfold has_mean, d'. destruct (scored_memory d a z b) as [-> ->]. now apply M. }
inversion W; subst. destruct rest as [|b rest]; split; simpl; auto.
- now apply observe_sane.
- intros b B. apply observe_has_mean. now apply M'.
- split; [assumption|]. intros c C. apply I. now right.
Qed.

Lemma used_positive h a l : waiting (state_after h) = a :: l -> 1 <= used a (known (state_after h) a).
Proof.
intros W. destruct (always_fine h) as [_ M [_ I] _]. rewrite W in I.
assert (H := M a (I a (or_introl eq_refl))). unfold has_mean in H. unfold used. apply (le_INR 1). lia.
Qed.

Lemma deviation_positive h a l : waiting (state_after h) = a :: l ->
  0 < sqrt (variance / used a (known (state_after h) a)).
Proof.
intros W. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact variance_positive|]. generalize (used_positive h a l W). lra.
Qed.

Lemma sampled_proper x h : proper (sampled x h).
Proof.
unfold sampled. destruct (waiting (state_after h)) as [|a l] eqn:W; [apply normal_density_proper; lra|].
destruct (Rle_dec _ _); apply normal_density_proper; [now apply (deviation_positive h a l)|lra].
Qed.

(** * What a change moves *)
Section Pair.
Variables (hit : list A -> A -> bool) (x y : rewards A).
Hypotheses (change : once A hit x y) (x_range : in_range A x) (y_range : in_range A y).

(* Whether the changed reward is one of arm a, among these pulls. *)
Fixpoint touched (a : A) (h : list A) : bool :=
  match h with [] => false | b :: h' => if hit h' b then (if same a b then true else false) else touched a h' end.

Lemma touched_begun a h : touched a h = true -> begun A hit h = true.
Proof. induction h as [|b h IH]; simpl; [discriminate|]. now destruct (hit h b). Qed.

Lemma touched_one a b h : touched a h = true -> touched b h = true -> a = b.
Proof.
induction h as [|c h IH]; simpl; [discriminate|]. destruct (hit h c); [|exact IH].
destruct (same a c) as [->|_]; [|discriminate]. now destruct (same b c) as [->|_].
Qed.

Lemma touched_stays a h p : suffix h p -> touched a h = true -> touched a p = true.
Proof.
intros (z & ->) H. induction z as [|b z IH]; simpl; [exact H|].
now rewrite (proj2 change _ b (touched_begun a _ IH)).
Qed.

Lemma hit_first h b : hit h b = true -> begun A hit h = false.
Proof.
intros H. destruct (begun A hit h) eqn:B; [|reflexivity]. rewrite (proj2 change h b B) in H. discriminate.
Qed.

Lemma untouched a h : touched a h = false -> total y a h = total x a h.
Proof.
assert (U : forall h, begun A hit h = false -> forall a, touched a h = false).
{ intros g B c. destruct (touched c g) eqn:F; [|reflexivity]. rewrite (touched_begun c g F) in B. discriminate. }
induction h as [|b h IH]; simpl; [reflexivity|]. destruct (hit h b) eqn:H.
- destruct (same a b) as [_|_]; [discriminate|]. intros _. now rewrite (IH (U h (hit_first h b H) a)).
- intros N. rewrite (IH N). destruct (same a b) as [->|_]; [|reflexivity]. now rewrite (proj1 change h b H).
Qed.

Lemma total_moved a h : -1 <= total y a h - total x a h <= 1.
Proof.
induction h as [|b h IH]; simpl; [lra|]. destruct (hit h b) eqn:H.
- rewrite (untouched a h).
  + destruct (same a b); [generalize (x_range h a) (y_range h a)|]; lra.
  + destruct (touched a h) eqn:F; [|reflexivity].
    assert (B := hit_first h b H). rewrite (touched_begun a h F) in B. discriminate.
- destruct (same a b) as [->|_]; [rewrite (proj1 change h b H)|]; lra.
Qed.

Lemma total_kept a z h : touched a h = true ->
  total y a (z ++ h) - total y a h = total x a (z ++ h) - total x a h.
Proof.
intros F. induction z as [|b z IH]; simpl; [ring|].
assert (S := touched_stays a h (z ++ h) (ex_intro _ z eq_refl) F).
rewrite (proj1 change _ _ (proj2 change (z ++ h) a (touched_begun a _ S))). destruct (same a b); lra.
Qed.

(* A mean that depends on the changed reward. *)
Definition moving (a : A) (k : kept) : bool := andb (touched a (ended_at k)) (negb (touched a (begun_at k))).

Lemma still a k : suffix (begun_at k) (ended_at k) -> moving a k = false -> mean y a k = mean x a k.
Proof.
intros (z & E) M. unfold mean. f_equal. unfold moving in M. rewrite E in *.
destruct (touched a (begun_at k)) eqn:B; [now apply total_kept|].
rewrite Bool.andb_true_r in M. now rewrite (untouched _ _ M), (untouched _ _ B).
Qed.

Definition share := / variance.
Lemma moving_cost a k : moving a k = true -> 1 <= used a k ->
  (mean x a k - mean y a k) / sqrt (variance / used a k) *
  ((mean x a k - mean y a k) / sqrt (variance / used a k)) <= share.
Proof.
intros M N. unfold moving in M. apply andb_prop in M. destruct M as [_ M]. apply Bool.negb_true_iff in M.
unfold mean. rewrite (untouched _ _ M). assert (D := total_moved a (ended_at k)).
set (n := used a k) in *. set (d := total y a (ended_at k) - total x a (ended_at k)) in *.
assert (S0 : 0 < sqrt (variance / n)) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
assert (S2 : sqrt (variance / n) * sqrt (variance / n) = variance / n) by (apply sqrt_sqrt, Rle_mult_inv_pos; lra).
set (s := sqrt (variance / n)) in *. set (b := total x a (begun_at k)).
replace (((total x a (ended_at k) - b) / n - (total y a (ended_at k) - b) / n) / s) with (- d / n / s)
  by (unfold d; field; lra).
replace (- d / n / s * (- d / n / s)) with (d * d / (n * n) / (s * s)) by (field; lra). rewrite S2.
replace (d * d / (n * n) / (variance / n)) with (d * d * / n * / variance) by (field; lra).
assert (I := Rinv_0_lt_compat _ variance_positive). unfold share.
assert (d * d <= 1) by nra. assert (0 < / n <= 1).
{ split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
rewrite <- (Rmult_1_l (/ variance)) at 2. apply Rmult_le_compat_r; [lra|]. nra.
Qed.

(** * What is left to pay *)
(* most: samples around one mean, for N >= floor(phi), none of them before round K + 1. *)
Variable N : nat.
Hypothesis enough : phi < INR N + 1.
Definition most := Nat.min N (T - length arms).

(* How many samples may still depend on the change, where arm j is sampled in so many rounds more at most. *)
Inductive debt (d : memory) (rounds : A -> nat) (n : nat) : Prop :=
  | Unread : (forall a, touched a (ended_at (d a)) = false) -> (most <= n)%nat -> debt d rounds n
  | Served j k : touched j (ended_at (d j)) = true -> touched j (begun_at (d j)) = false -> left (d j) < INR k + 1 ->
      (Nat.min k (rounds j) <= n)%nat -> debt d rounds n
  | Forgotten j : touched j (begun_at (d j)) = true -> debt d rounds n.

Lemma debt_less d (rounds rounds' : A -> nat) n : (forall j, (rounds' j <= rounds j)%nat) ->
  debt d rounds n -> debt d rounds' n.
Proof.
intros L [U M|j k E B F M|j B]; [now apply Unread| |now apply (Forgotten _ _ _ j)].
apply (Served _ _ _ j k); auto. generalize (L j). lia.
Qed.

Lemma debt_observed a p d rounds r n : sane p d -> (forall j, (rounds j <= r)%nat) -> (r <= T - length arms)%nat ->
  debt d (fun _ => r) n -> debt (observe a p d) rounds n.
Proof.
intros Sane L R D. apply (debt_less d (fun _ => r) rounds n L) in D.
apply (observe_cases a p d (fun d => debt d rounds n)); [exact D|]. intros _.
set (k' := {| ended_at := a :: p; begun_at := ended_at (d a); epoch := S (epoch (d a)); left := phi; best := floor |}).
assert (Own : set d a k' a = k') by (unfold set; destruct (same a a) as [_|F]; [reflexivity|now destruct F]).
assert (Other : forall b, b <> a -> set d a k' b = d b).
{ intros b F. unfold set. destruct (same a b) as [->|_]; [now destruct F|reflexivity]. }
destruct D as [U M|j k E B F M|j B].
- destruct (touched a (a :: p)) eqn:Now.
  + apply (Served _ _ _ a N); rewrite ?Own; simpl; auto. generalize (L a). unfold most in M. lia.
  + apply Unread; [|exact M]. intros b. destruct (same b a) as [->|F]; [now rewrite Own|now rewrite Other].
- destruct (same j a) as [->|F']; [apply (Forgotten _ _ _ a); now rewrite Own|].
  apply (Served _ _ _ j k); rewrite ?Other; auto.
- apply (Forgotten _ _ _ j). destruct (same j a) as [->|F']; [|now rewrite Other].
  rewrite Own. simpl. now apply (touched_stays a (begun_at (d a))); [apply Sane|].
Qed.

Lemma debt_initial l p d : sane p d -> NoDup l -> debt d (fun _ => T - length arms)%nat most ->
  let (p', d') := pulled_once l p d in debt d' (fun _ => T - length arms)%nat most.
Proof.
revert p d. induction l as [|b l IH]; intros p d S D H; simpl; [exact H|]. apply IH.
- now apply observe_sane.
- now inversion D.
- apply (debt_observed b p d _ (T - length arms)); auto.
Qed.

(* Rounds in which arm j may still be sampled, this one among them where its sample is still to come. *)
Definition rounds_left (s : state) (j : A) : nat :=
  if Nat.leb T (length (pulled s)) then 0%nat
  else (T - S (length (pulled s)) + if in_dec same j (waiting s) then 1 else 0)%nat.

Definition owed (s : state) (b : R) : Prop := exists n, debt (known s) (rounds_left s) n /\ share * INR n <= b.

Lemma share_positive : 0 < share.
Proof. now apply Rinv_0_lt_compat. Qed.

Lemma owed_positive s b : owed s b -> 0 <= b.
Proof. intros (n & _ & H). generalize share_positive (pos_INR n). nra. Qed.

Lemma set_own d a k : set d a k a = k.
Proof. unfold set. destruct (same a a) as [_|F]; [reflexivity|now destruct F]. Qed.

Lemma set_other d a k b : b <> a -> set d a k b = d b.
Proof. intros F. unfold set. destruct (same a b) as [->|_]; [now destruct F|reflexivity]. Qed.

Lemma rounds_fall s s' a l j : pulled s' = pulled s -> waiting s = a :: l -> waiting s' = l ->
  (rounds_left s' j <= rounds_left s j)%nat.
Proof.
intros P W W'. unfold rounds_left. rewrite P, W, W'. destruct (Nat.leb _ _); [lia|].
destruct (in_dec same j l) as [I|_]; [|lia]. destruct (in_dec same j (a :: l)) as [_|F]; [lia|].
exfalso. apply F. now right.
Qed.

(* No sample, or one around a mean that does not move: nothing is paid. *)
Lemma debt_still s s' a l z n : pulled s' = pulled s -> waiting s = a :: l -> waiting s' = l ->
  known s' = set (known s) a (scored (known s a) z) -> left (known s a) < 1 \/ moving a (known s a) = false ->
  debt (known s) (rounds_left s) n -> debt (known s') (rounds_left s') n.
Proof.
intros P W W' K Free D. apply (debt_less _ _ (rounds_left s') n (fun j => rounds_fall s s' a l j P W W')) in D.
rewrite K. set (d' := set (known s) a (scored (known s a) z)).
assert (E := fun b => proj1 (scored_memory (known s) a z b)).
assert (B := fun b => proj2 (scored_memory (known s) a z b)).
fold d' in E, B. destruct D as [U M|j k Ej Bj F M|j Bj].
- apply Unread; [intros b; now rewrite E|exact M].
- apply (Served _ _ _ j k); rewrite ?E, ?B; auto. unfold d'. destruct (same j a) as [->|O]; [|now rewrite set_other].
  rewrite set_own. destruct Free as [Free|Free].
  + unfold scored. destruct (Rle_dec 1 (left (known s a))); [lra|exact F].
  + unfold moving in Free. rewrite Ej, Bj in Free. discriminate.
- apply (Forgotten _ _ _ j). now rewrite B.
Qed.

(* A sample around a mean that moves: one of them is paid. *)
Lemma debt_paid s a l n : fine s -> (length (pulled s) < T)%nat -> waiting s = a :: l -> 1 <= left (known s a) ->
  moving a (known s a) = true -> debt (known s) (rounds_left s) n ->
  exists m, n = S m /\ forall s' z, pulled s' = pulled s -> waiting s' = l ->
    known s' = set (known s) a (scored (known s a) z) -> debt (known s') (rounds_left s') m.
Proof.
intros F L W Fresh M D. unfold moving in M. apply andb_prop in M. destruct M as [Ea Ba].
apply Bool.negb_true_iff in Ba. destruct (fine_sane s F a) as [Sa _].
assert (One : forall j, touched j (ended_at (known s j)) = true -> j = a).
{ intros j Ej. apply (touched_one j a (pulled s)); [|now apply (touched_stays a (ended_at (known s a)))].
  apply (touched_stays j (ended_at (known s j))); [apply (fine_sane s F j)|exact Ej]. }
destruct D as [U _|j k Ej Bj H R|j Bj].
- rewrite U in Ea. discriminate.
- assert (E := One j Ej). subst j. destruct k as [|k]; [simpl in H; lra|].
  assert (Now : rounds_left s a = S (T - S (length (pulled s)))).
  { unfold rounds_left. destruct (Nat.leb_spec T (length (pulled s))); [lia|]. rewrite W.
    destruct (in_dec same a (a :: l)) as [_|X]; [lia|exfalso; apply X; now left]. }
  rewrite Now in R. destruct n as [|m]; [simpl in R; lia|]. exists m. split; [reflexivity|]. intros s' z P W' K.
  assert (Later : rounds_left s' a = (T - S (length (pulled s)))%nat).
  { unfold rounds_left. rewrite P, W'. destruct (Nat.leb_spec T (length (pulled s))); [lia|].
    destruct (in_dec same a l) as [X|_]; [|lia]. destruct (fine_waiting s F) as [X' _]. rewrite W in X'.
    inversion X'; contradiction. }
  rewrite K. destruct (scored_memory (known s) a z a) as [E B].
  apply (Served _ _ _ a k); rewrite ?E, ?B; auto; [|rewrite Later; simpl in R; lia].
  rewrite set_own. unfold scored. destruct (Rle_dec 1 (left (known s a))); [|lra]. simpl left.
  rewrite S_INR in H. lra.
- assert (E := One j (touched_stays j _ _ (proj2 (fine_sane s F j)) Bj)). subst j. rewrite Ba in Bj. discriminate.
Qed.

(* After a sample, and after a whole round. *)
Lemma owed_after s z a l n b : fine s -> (length (pulled s) < T)%nat -> waiting s = a :: l ->
  (forall s', pulled s' = pulled s -> waiting s' = l -> known s' = set (known s) a (scored (known s a) z) ->
    debt (known s') (rounds_left s') n) -> share * INR n <= b -> owed (after s z) b.
Proof.
intros F L W D H. exists n. split; [|exact H]. unfold after. rewrite W.
set (d := set (known s) a (scored (known s a) z)) in *.
destruct l as [|c l].
- set (e := winner a (score (known s a) z) (scores s)). simpl known.
  specialize (D {| pulled := pulled s; known := d; scores := []; waiting := [] |} eq_refl eq_refl eq_refl).
  simpl known in D. apply (debt_observed e (pulled s) d _ (T - S (length (pulled s)))).
  + intros c. destruct (scored_memory (known s) a z c) as [E B]. unfold d. rewrite E, B. apply (fine_sane s F).
  + intros j. unfold rounds_left. cbn [pulled waiting]. simpl length.
    destruct (Nat.leb_spec T (S (length (pulled s)))); [lia|]. destruct (in_dec same j arms); lia.
  + generalize (fine_length s F). lia.
  + apply (debt_less _ _ (fun _ => (T - S (length (pulled s)))%nat) n) in D; [exact D|]. intros j. unfold rounds_left.
    cbn [pulled waiting]. destruct (Nat.leb_spec T (length (pulled s))); [lia|]. destruct (in_dec same j []); lia.
- now apply D.
Qed.

Lemma owed_paid h b : owed (state_after h) b -> sampled_ended h = false -> exists cost, 0 <= cost <= b /\
  moves (sampled x h) (sampled y h) cost /\ forall z, owed (state_after (z :: h)) (b - cost).
Proof.
intros O E. apply Nat.leb_gt in E. assert (Pos := owed_positive _ _ O). assert (Fine := always_fine h).
assert (Used := used_positive h). assert (Dev := deviation_positive h). assert (P := share_positive).
simpl state_after. unfold sampled. destruct O as (n & D & H). set (s := state_after h) in *.
destruct (waiting s) as [|a l] eqn:W.
{ exists 0. split; [lra|split; [now left|]]. intros z. exists n. unfold after. rewrite W, Rminus_0_r. now split. }
specialize (Used a l eq_refl). specialize (Dev a l eq_refl).
assert (Free : left (known s a) < 1 \/ moving a (known s a) = false ->
  forall z, owed (after s z) (b - 0)).
{ intros F z. apply (owed_after s z a l n); auto; [|lra]. intros s' P' W' K. now apply (debt_still s s' a l z). }
destruct (Rle_dec 1 (left (known s a))) as [Fresh|Out].
- destruct (moving a (known s a)) eqn:M.
  + destruct (debt_paid s a l n Fine E W Fresh M D) as (m & -> & After). rewrite S_INR in H. assert (M0 := pos_INR m).
    exists share. split; [nra|split].
    * right. exists (sqrt (variance / used a (known s a))), (mean x a (known s a)), (mean y a (known s a)).
      split; [exact Dev|split; [reflexivity|split; [reflexivity|]]]. now apply moving_cost.
    * intros z. apply (owed_after s z a l m); auto; [|nra]. intros s' P' W' K. now apply (After s' z).
  + exists 0. split; [lra|split; [left|now apply Free; right]]. intros z.
    now rewrite (still a (known s a) (proj2 (fine_sane s Fine a)) M).
- exists 0. split; [lra|split; [now left|]]. apply Free. left. lra.
Qed.

(** * One round, given all samples before it *)

(* h: the samples of this round so far, the last first. past: all samples before it. *)
Definition round_over (past h : outcomes) : bool :=
  Nat.ltb (length (pulled (state_after past))) (length (pulled (state_after (h ++ past)))).

Lemma pulled_grows past h : (length (pulled (state_after past)) <= length (pulled (state_after (h ++ past))))%nat.
Proof.
induction h as [|z h IH]; [apply Nat.le_refl|]. simpl. apply (Nat.le_trans _ _ _ IH). unfold after.
destruct (waiting (state_after (h ++ past))) as [|a [|b l]]; simpl; lia.
Qed.

(* No sample that is still to come in this round depends on the change. *)
Definition quiet (s : state) := forall a, In a (waiting s) -> moving a (known s a) = false.

Lemma quiet_after past h z a l : waiting (state_after (h ++ past)) = a :: l ->
  (forall b, In b l -> moving b (known (state_after (h ++ past)) b) = false) ->
  round_over past (z :: h) = true \/ quiet (state_after ((z :: h) ++ past)).
Proof.
intros W Q. unfold round_over, quiet. simpl state_after. assert (G := pulled_grows past h).
set (s := state_after (h ++ past)) in *. unfold after. rewrite W. destruct l as [|c l].
- left. apply Nat.ltb_lt. simpl. lia.
- right. intros b I. cbn [waiting known] in *. destruct (scored_memory (known s) a z b) as [E B].
  unfold moving. rewrite E, B. now apply Q.
Qed.

Lemma one_moves s a l b : fine s -> waiting s = a :: l -> moving a (known s a) = true -> In b l ->
  moving b (known s b) = false.
Proof.
intros F W M I. destruct (moving b (known s b)) eqn:M'; [|reflexivity]. exfalso.
destruct (fine_waiting s F) as [D _]. rewrite W in D. inversion D as [|? ? H _]; subst. apply H.
unfold moving in M, M'. apply andb_prop in M, M'.
now rewrite (touched_one a b (pulled s)); [|apply (touched_stays a _ _ (proj1 (fine_sane s F a)))|
  apply (touched_stays b _ _ (proj1 (fine_sane s F b)))].
Qed.

(* Before the one sample that moves, its share is there; after it, nothing moves in this round. *)
Definition round_owed (past h : outcomes) (b : R) : Prop :=
  0 <= b /\ (round_over past h = true \/ share <= b \/ quiet (state_after (h ++ past))).

Lemma round_paid past h b : round_owed past h b -> round_over past h = false -> exists cost, 0 <= cost <= b /\
  moves (sampled x (h ++ past)) (sampled y (h ++ past)) cost /\ forall z, round_owed past (z :: h) (b - cost).
Proof.
intros [Pos O] E. destruct O as [O|O]; [congruence|]. assert (Fine := always_fine (h ++ past)).
assert (Used := used_positive (h ++ past)). assert (Dev := deviation_positive (h ++ past)).
assert (P := share_positive).
assert (After := fun z => quiet_after past h z). unfold sampled. set (s := state_after (h ++ past)) in *.
destruct (waiting s) as [|a l] eqn:W.
{ exists 0. split; [lra|split; [now left|]]. intros z. split; [lra|]. right. right.
  change (quiet (after s z)). unfold after, quiet. rewrite W. intros a I. rewrite W in I. destruct I. }
specialize (Used a l eq_refl). specialize (Dev a l eq_refl). specialize (fun z => After z a l eq_refl).
assert (Free : moving a (known s a) = false \/ share <= b -> forall z, round_owed past (z :: h) (b - 0)).
{ intros F z. split; [lra|]. destruct O as [O|Q]; [right; left; lra|].
  destruct (After z) as [T'|T']; [intros c I; apply Q; rewrite W; now right|now left|right; now right]. }
assert (Small : moving a (known s a) = false \/ share <= b).
{ destruct O as [O|Q]; [now right|left]. apply Q. rewrite W. now left. }
destruct (Rle_dec 1 (left (known s a))) as [Fresh|Out].
- destruct (moving a (known s a)) eqn:M.
  + destruct Small as [F|Small]; [discriminate|]. exists share. split; [lra|split].
    * right. exists (sqrt (variance / used a (known s a))), (mean x a (known s a)), (mean y a (known s a)).
      split; [exact Dev|split; [reflexivity|split; [reflexivity|]]]. now apply moving_cost.
    * intros z. split; [lra|].
      destruct (After z) as [T'|T']; [intros c; now apply (one_moves s a l c)|now left|right; now right].
  + exists 0. split; [lra|split; [left|now apply Free; left]]. intros z.
    now rewrite (still a (known s a) (proj2 (fine_sane s Fine a)) M).
- exists 0. split; [lra|split; [now left|now apply Free]].
Qed.
End Pair.

(* Any event of all samples, K a round at most: K T draws are enough, and more change nothing. Where no sample is
   drawn a number comes that has no effect. *)
Definition samples_chance (x : rewards A) (event : outcomes -> bool) (draws : nat) : R :=
  chance_of (sampled x) sampled_ended event draws [].
(* And of the pulls, round after round. *)
Definition pulls_chance (x : rewards A) (event : list A -> bool) (draws : nat) : R :=
  samples_chance x (fun h => event (rev (pulled (state_after h)))) draws.

(* N is at least floor(phi). *)
Theorem samples_private r N mu eps x y event draws : 0 < mu -> phi < INR N + 1 ->
  INR (Nat.min N (T - length arms)) / variance <= mu * mu ->
  neighbours A same r x y -> in_range A x -> in_range A y ->
  samples_chance x event draws <= exp eps * samples_chance y event draws + gaussian_delta mu eps.
Proof.
intros M E H near X Y. destruct (neighbours_once _ _ _ _ _ near) as (hit & change).
apply (gaussian_rounds (sampled x) (sampled y) sampled_ended event (sampled_proper x) (sampled_proper y)
  (fun h b => owed hit N (state_after h) b)); [| |exact M|].
- intros h b O En. now apply owed_paid.
- intros h b O. now apply owed_positive in O.
- exists (most N). split; [|unfold share, most; unfold Rdiv in H; lra]. simpl state_after.
  assert (F := pulled_once_facts arms [] unknown different).
  assert (I := debt_initial hit x y change N E arms [] unknown).
  unfold first_state. destruct (pulled_once arms [] unknown) as [p d].
  destruct F as (S & L & _); [intros a; split; apply suffix_refl|reflexivity|]. simpl known.
  apply (debt_less hit N d (fun _ => (T - length arms)%nat)).
  + intros j. unfold rounds_left. cbn [pulled waiting]. simpl in L. rewrite Nat.add_0_r in L. rewrite L.
    destruct (Nat.leb_spec T (length arms)); [lia|]. destruct (in_dec same j arms); lia.
  + apply I; [intros a; split; apply suffix_refl|exact different|]. apply Unread; [reflexivity|lia].
Qed.

(* The probability of an event of the samples of one round, given all samples before it, `past`. Where no sample is
   drawn a number comes that has no effect. *)
Definition round_chance (x : rewards A) (past : outcomes) (event : outcomes -> bool) (draws : nat) : R :=
  chance_of (fun h => sampled x (h ++ past)) (round_over past) event draws [].

Theorem round_private r eps x y past event draws : neighbours A same r x y -> in_range A x -> in_range A y ->
  round_chance x past event draws <=
    exp eps * round_chance y past event draws + gaussian_delta (sqrt (1 / variance)) eps.
Proof.
intros near X Y. destruct (neighbours_once _ _ _ _ _ near) as (hit & change).
assert (I := Rinv_0_lt_compat variance variance_positive). assert (S0 : 0 < 1 / variance) by lra.
apply (gaussian_rounds (fun h => sampled x (h ++ past)) (fun h => sampled y (h ++ past)) (round_over past) event
  (fun h => sampled_proper x (h ++ past)) (fun h => sampled_proper y (h ++ past))
  (fun h b => round_owed hit past h b)).
- intros h b O En. now apply round_paid.
- now intros h b [O _].
- now apply sqrt_lt_R0.
- rewrite sqrt_sqrt by lra. split; [lra|]. right. left. unfold share. lra.
Qed.
End Policy.

(** * As printed *)
Definition c_0 : R := sqrt (2 * PI * exp 1).
Definition printed_variance (T alpha : R) : R := Rpower (ln T) alpha.
Definition printed_phi (T alpha : R) : R := c_0 * Rpower T ((1 - alpha) / 2) * Rpower (ln T) ((3 - alpha) / 2).
Definition printed_mu (T alpha : R) : R :=
  sqrt (2 * c_0 * Rpower T (1 / 2 * (1 - alpha)) * Rpower (ln T) (3 / 2 * (1 - alpha))).

Lemma c_0_positive : 0 < c_0.
Proof. apply sqrt_lt_R0. apply Rmult_lt_0_compat; [generalize PI_RGT_0; lra|apply exp_pos]. Qed.

Lemma printed_square T alpha :
  printed_mu T alpha * printed_mu T alpha = 2 * (printed_phi T alpha / printed_variance T alpha).
Proof.
unfold printed_mu. assert (C := c_0_positive). rewrite sqrt_sqrt.
- unfold printed_phi, printed_variance.
  replace (Rpower (ln T) ((3 - alpha) / 2)) with (Rpower (ln T) (3 / 2 * (1 - alpha)) * Rpower (ln T) alpha)
    by (rewrite <- Rpower_plus; f_equal; lra).
  replace (1 / 2 * (1 - alpha)) with ((1 - alpha) / 2) by lra.
  assert (0 < Rpower (ln T) alpha) by apply exp_pos. field; lra.
- left. repeat apply Rmult_lt_0_compat; (exact C || apply exp_pos || lra).
Qed.

Theorem theorem_4_4 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) T alpha floor r eps x y
  draws : NoDup arms -> neighbours A same r x y -> in_range A x -> in_range A y ->
  let v := printed_variance (INR T) alpha in let phi := printed_phi (INR T) alpha in
  let delta := gaussian_delta (printed_mu (INR T) alpha) eps in
  (forall event, samples_chance A same arms T v phi floor x event draws <=
    exp eps * samples_chance A same arms T v phi floor y event draws + delta) /\
  (forall event, pulls_chance A same arms T v phi floor x event draws <=
    exp eps * pulls_chance A same arms T v phi floor y event draws + delta).
Proof.
intros D near X Y v phi delta. assert (V : 0 < v) by apply exp_pos. assert (C := c_0_positive).
assert (P : 0 < phi) by (unfold phi, printed_phi; repeat apply Rmult_lt_0_compat; (exact C || apply exp_pos)).
destruct (nfloor_ex phi) as (N & N0 & N1); [lra|]. assert (I := Rinv_0_lt_compat v V).
assert (S : forall event, samples_chance A same arms T v phi floor x event draws <=
  exp eps * samples_chance A same arms T v phi floor y event draws + delta).
{ intros event. apply (samples_private A same arms T v phi floor V D r N); try assumption.
  - apply sqrt_lt_R0. repeat apply Rmult_lt_0_compat; (exact C || apply exp_pos || lra).
  - rewrite printed_square. fold v phi.
    apply Rle_trans with (INR N / v); [apply Rmult_le_compat_r; [lra|apply le_INR, Nat.le_min_l]|].
    unfold Rdiv. nra. }
split; [exact S|]. intros event. apply S.
Qed.

(* The samples of any one round, given all samples before it, and all pulls up to its end. *)
Theorem one_round (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) T alpha phi floor r eps x y
  past draws : NoDup arms -> neighbours A same r x y -> in_range A x -> in_range A y ->
  let v := printed_variance (INR T) alpha in
  let delta := gaussian_delta (sqrt (1 / v)) eps in
  let chance x event := round_chance A same arms v phi floor x past event draws in
  let pulls_after h := pulled A (state_after A same arms phi floor (h ++ past)) in
  (forall event, chance x event <= exp eps * chance y event + delta) /\
  (forall event : list A -> bool,
    chance x (fun h => event (pulls_after h)) <= exp eps * chance y (fun h => event (pulls_after h)) + delta).
Proof.
intros D near X Y v delta chance pulls_after. assert (V : 0 < v) by apply exp_pos.
assert (S : forall event, chance x event <= exp eps * chance y event + delta).
{ intros event. now apply (round_private A same arms v phi floor V D r). }
split; [exact S|]. intros event. apply S.
Qed.

(** * The hypotheses can hold together *)

Lemma one_round_witness : satisfiable one_round.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, 0, 1, 0, pull, 1, x, y, [], 2%nat. hold; now exists (fun _ => true).
Qed.

Lemma samples_private_witness : satisfiable samples_private.
Proof.
destruct (different_rewards bool bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, 1, 1, 0. hold.
exists pull, 1%nat, 1, 0, x, y, (fun _ => true), 6%nat. hold.
Qed.

Lemma theorem_4_4_witness : satisfiable theorem_4_4.
Proof.
destruct (different_rewards bool bool_dec true 0 round) as (x & y & N & X & Y).
exists bool, bool_dec, [true; false], 3%nat, 0, 0, round, 1, x, y, 6%nat. hold; now exists (fun _ => true).
Qed.
