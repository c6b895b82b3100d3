(* Functions of several rewards that are measurable together, and what Fubini's theorem says of them: the mean over one
   reward is a measurable function of the others. So all averages of the run of a measurable policy exist. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration interaction.
Import ListNotations.
Open Scope R_scope.

(* In every measurable space, a limit of measurable functions is measurable; every probability measure is countably
   additive, and so has this property of bounded functions (Lebesgue). *)
Definition closed_under_limits (W : sample_space) := forall (f : nat -> W -> R) (g : W -> R),
  (forall m, random_variable (f m)) -> (forall x, is_lim_seq (fun m => f m x) (g x)) -> random_variable g.
Definition bounded_convergence {W : sample_space} (P : probability_measure W) := forall (f : nat -> W -> R) (g : W -> R) c,
  (forall m, random_variable (f m)) -> (forall m x, Rabs (f m x) <= c) ->
  (forall x, is_lim_seq (fun m => f m x) (g x)) -> is_lim_seq (fun m => mean P (f m)) (mean P g).

(* The product of the values of functions of one reward each. *)
Fixpoint product_of {X : Type} (fs : list (X -> R)) (xs : list X) : R :=
  match fs, xs with f :: fs', x :: xs' => f x * product_of fs' xs' | _, _ => 1 end.

(* The bounded functions of k rewards that are measurable for the product of their sigma-algebras: the smallest class with
   all products of functions of one reward each that contains sums and bounded limits (the monotone class theorem). *)
Inductive bounded_measurable (W : sample_space) (k : nat) : (list W -> R) -> Prop :=
| measurable_product fs c : length fs = k -> (forall f, In f fs -> random_variable f /\ forall x, Rabs (f x) <= c) ->
    bounded_measurable W k (product_of fs)
| measurable_sum a b f g : bounded_measurable W k f -> bounded_measurable W k g ->
    bounded_measurable W k (fun xs => a * f xs + b * g xs)
| measurable_limit (f : nat -> list W -> R) (g : list W -> R) c : (forall m, bounded_measurable W k (f m)) ->
    (forall m xs, length xs = k -> Rabs (f m xs) <= c) ->
    (forall xs, length xs = k -> is_lim_seq (fun m => f m xs) (g xs)) -> bounded_measurable W k g.

Section Class.
Variables (W : sample_space) (k : nat).
Notation measurable := (bounded_measurable W k).

Lemma product_bound (fs : list (W -> R)) c xs : (forall f, In f fs -> forall x, Rabs (f x) <= c) ->
  Rabs (product_of fs xs) <= Rmax 1 c ^ length fs.
Proof.
assert (M := Rmax_l 1 c). assert (M' := Rmax_r 1 c). revert xs. induction fs as [|f fs IH]; intros xs B.
- simpl. rewrite Rabs_R1. lra.
- assert (P := pow_R1_Rle (Rmax 1 c) (length (f :: fs)) M). destruct xs as [|x xs]; [simpl product_of; rewrite Rabs_R1; lra|].
  simpl. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos.
  + apply Rle_trans with (2 := M'). apply B. now left.
  + apply IH. intros g G. apply B. now right.
Qed.

Lemma limit_bound (u : nat -> R) (l c : R) : (forall m, Rabs (u m) <= c) -> is_lim_seq u l -> Rabs l <= c.
Proof.
intros B L. apply (is_lim_seq_le (fun m => Rabs (u m)) (fun _ => c) (Rabs l) c B); [|apply is_lim_seq_const].
exact (is_lim_seq_abs u l L).
Qed.

Lemma measurable_bounded f : measurable f -> exists c, forall xs, length xs = k -> Rabs (f xs) <= c.
Proof.
induction 1 as [fs c L F|a b f g _ (c & C) _ (c' & C')|f g c _ _ B L].
- exists (Rmax 1 c ^ length fs). intros xs _. apply product_bound. intros f I. now apply F.
- exists (Rabs a * c + Rabs b * c'). intros xs Lx. apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [apply Rabs_pos|auto]).
- exists c. intros xs Lx. apply (limit_bound (fun m => f m xs)); [intros m; now apply B|now apply L].
Qed.

Lemma measurable_same f g : (forall xs, length xs = k -> f xs = g xs) -> measurable f -> measurable g.
Proof.
intros E M. destruct (measurable_bounded f M) as (c & C). apply measurable_limit with (fun _ => f) c; auto.
intros xs L. rewrite <- (E xs L). apply is_lim_seq_const.
Qed.

Lemma measurable_const c : measurable (fun _ => c).
Proof.
assert (One : measurable (product_of (repeat (fun _ => 1) k))).
{ apply measurable_product with 1; [apply repeat_length|]. intros f I. rewrite (repeat_spec _ _ _ I).
  split; [apply variable_const|]. intros _. rewrite Rabs_R1. lra. }
apply measurable_same with (2 := measurable_sum W k c 0 _ _ One One). intros xs _.
assert (E : forall m (ys : list W), product_of (repeat (fun _ => 1) m) ys = 1).
{ induction m as [|m IH]; intros [|y ys]; simpl; auto. rewrite IH. ring. }
rewrite E. ring.
Qed.

Fixpoint products (fs gs : list (W -> R)) : list (W -> R) :=
  match fs, gs with f :: fs', g :: gs' => (fun x => f x * g x) :: products fs' gs' | _, _ => [] end.

Lemma measurable_times_product f gs c : measurable f -> length gs = k ->
  (forall g, In g gs -> random_variable g /\ forall x, Rabs (g x) <= c) -> measurable (fun xs => f xs * product_of gs xs).
Proof.
intros M L G. induction M as [fs c' L' F|a b f g _ IH _ IH'|f g c' _ IH B C].
- apply measurable_same with (product_of (products fs gs)).
  + clear F G. intros xs Lx. rewrite <- Lx in L, L'. clear Lx. revert gs xs L L'. induction fs as [|f fs IH]; intros [|g gs] [|x xs] L L';
      simpl in *; try discriminate; try ring. rewrite IH by lia. ring.
  + apply measurable_product with (c' * c).
    * rewrite <- L in L'. rewrite <- L. clear L F G. revert gs L'. induction fs as [|f fs IH]; intros [|g gs] E; simpl in *; try discriminate; auto.
    * intros h I. assert (Ex : exists f g, In f fs /\ In g gs /\ h = fun x => f x * g x).
      { clear L L' F G. revert gs I. induction fs as [|f fs IH]; intros [|g gs] I; simpl in I; try tauto. destruct I as [<-|I].
        - exists f, g. simpl. tauto.
        - destruct (IH gs I) as (f' & g' & A & B & E). exists f', g'. simpl. tauto. }
      destruct Ex as (f & g & If & Ig & ->). destruct (F f If) as [V B], (G g Ig) as [V' B'].
      split; [now apply variable_times|]. intros x. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
- apply measurable_same with (2 := measurable_sum W k a b _ _ IH IH'). intros xs _. ring.
- apply measurable_limit with (fun m xs => f m xs * product_of gs xs) (c' * Rmax 1 c ^ length gs); auto.
  + intros m xs Lx. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. apply product_bound. intros g' I. now apply G.
  + intros xs Lx. exact (is_lim_seq_scal_r _ (product_of gs xs) (g xs) (C xs Lx)).
Qed.

Lemma measurable_times f g : measurable f -> measurable g -> measurable (fun xs => f xs * g xs).
Proof.
intros F. destruct (measurable_bounded f F) as (c & B). induction 1 as [gs c' L G|a b g h _ IH _ IH'|g h c' _ IH B' C].
- now apply measurable_times_product with c'.
- apply measurable_same with (2 := measurable_sum W k a b _ _ IH IH'). intros xs _. ring.
- apply measurable_limit with (fun m xs => f xs * g m xs) (c * c'); auto.
  + intros m xs Lx. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
  + intros xs Lx. exact (is_lim_seq_scal_l _ (f xs) (h xs) (C xs Lx)).
Qed.

Lemma measurable_sum_to n (f : nat -> list W -> R) : (forall i, (i < n)%nat -> measurable (f i)) ->
  measurable (fun xs => sum_to n (fun i => f i xs)).
Proof.
induction n as [|n IH]; intros M; [apply (measurable_const 0)|].
apply measurable_same with (2 := measurable_sum W k 1 1 _ _ (IH (fun i L => M i (Nat.lt_lt_succ_r i n L))) (M n (Nat.lt_succ_diag_r n))).
intros xs _. simpl. ring.
Qed.
End Class.

(* The mean over the first of k + 1 rewards. *)
Section Fubini.
Variables (W : sample_space) (P : probability_measure W) (k : nat).
Hypotheses (limits : closed_under_limits W) (convergence : bounded_convergence P).

Lemma fubini f : bounded_measurable W (S k) f ->
  (forall xs, length xs = k -> random_variable (fun x => f (x :: xs))) /\
  bounded_measurable W k (fun xs => mean P (fun x => f (x :: xs))).
Proof.
assert (Mean : forall g, bounded_measurable W (S k) g -> (forall xs, length xs = k -> random_variable (fun x => g (x :: xs))) ->
  forall xs, length xs = k -> has_mean P (fun x => g (x :: xs))).
{ intros g M V xs L. destruct (measurable_bounded W (S k) g M) as (c & C). apply (has_mean_bounded W P c); [now apply V|].
  intros x. apply C. simpl. now rewrite L. }
induction 1 as [[|f fs] c L F|a b f g M [V IH] M' [V' IH']|f g c M IH B C]; [discriminate| | |].
- destruct (F f (or_introl eq_refl)) as [V Bf]. simpl. split.
  + intros xs _. apply variable_same with (fun x => product_of fs xs * f x); [intros; ring|now apply variable_scaled].
  + assert (Rest : bounded_measurable W k (product_of fs)).
    { apply measurable_product with c; [simpl in L; lia|]. intros g I. apply F. now right. }
    apply measurable_same with (2 := measurable_sum W k (mean P f) 0 _ _ Rest Rest). intros xs _.
    transitivity (mean P (fun x => product_of fs xs * f x)); [|apply mean_same; intros; ring].
    rewrite mean_scaled by now apply (has_mean_bounded W P c). ring.
- split.
  + intros xs L. apply variable_plus; apply variable_scaled; auto.
  + apply measurable_same with (2 := measurable_sum W k a b _ _ IH IH'). intros xs L. symmetry.
    apply (mean_linear W P a b (fun x => f (x :: xs)) (fun x => g (x :: xs))); apply Mean; auto.
- assert (Bx : forall m xs, length xs = k -> forall x, Rabs (f m (x :: xs)) <= c).
  { intros m xs L x. apply B. simpl. now rewrite L. }
  assert (Cx : forall xs, length xs = k -> forall x, is_lim_seq (fun m => f m (x :: xs)) (g (x :: xs))).
  { intros xs L x. apply C. simpl. now rewrite L. }
  split.
  + intros xs L. apply (limits (fun m x => f m (x :: xs))); [intros m; now apply IH|now apply Cx].
  + apply measurable_limit with (fun m xs => mean P (fun x => f m (x :: xs))) c.
    * intros m. apply IH.
    * intros m xs L. assert (H : has_mean P (fun x => f m (x :: xs))) by (apply Mean; [apply M|apply IH|exact L]).
      assert (Bm := Bx m xs L). apply Rabs_le. split.
      -- rewrite <- (mean_const W P (- c)). apply mean_le; [apply has_mean_const|exact H|]. intros x. specialize (Bm x). split_Rabs; lra.
      -- rewrite <- (mean_const W P c). apply mean_le; [exact H|apply has_mean_const|]. intros x. specialize (Bm x). split_Rabs; lra.
    * intros xs L. apply (convergence (fun m x => f m (x :: xs)) (fun x => g (x :: xs)) c); auto. intros m. now apply IH.
Qed.
End Fubini.

(* A policy is measurable if it is so on all histories with the same arms; likewise any function of the history. *)
Definition measurable_on_histories {W : sample_space} (f : seen W -> R) :=
  forall arms, bounded_measurable W (length arms) (fun xs => f (combine arms xs)).

Section Runs.
Variables (W : sample_space) (K : nat) (choose : seen W -> nat -> R) (D : nat -> probability_measure W).
Hypotheses (limits : closed_under_limits W) (convergence : forall a, (a < K)%nat -> bounded_convergence (D a)).
Hypothesis choose_measurable : forall a, (a < K)%nat -> measurable_on_histories (fun h => choose h a).

Lemma run_is_measurable k f arms : measurable_on_histories f ->
  bounded_measurable W (length arms) (fun xs => run W K choose (fun _ a => D a) k (combine arms xs) f) /\
  forall xs, length xs = length arms -> run_measurable W K choose (fun _ a => D a) k (combine arms xs) f.
Proof.
intros M. revert arms. induction k as [|k IH]; intros arms; [split; [apply M|intros; exact I]|].
assert (Next : forall a, (a < K)%nat -> (forall xs, length xs = length arms ->
    random_variable (fun x => run W K choose (fun _ a => D a) k (combine (a :: arms) (x :: xs)) f)) /\
  bounded_measurable W (length arms) (fun xs => mean (D a) (fun x => run W K choose (fun _ a => D a) k (combine (a :: arms) (x :: xs)) f))).
{ intros a L. apply (fubini W (D a) (length arms) limits (convergence a L)
    (fun ys => run W K choose (fun _ a => D a) k (combine (a :: arms) ys) f)). apply (IH (a :: arms)). }
split.
- cbn [run]. apply measurable_sum_to. intros a L. apply measurable_times; [now apply choose_measurable|now apply Next].
- intros xs Lx a L. split; [now apply Next|]. intros x. apply (proj2 (IH (a :: arms)) (x :: xs)). simpl. now rewrite Lx.
Qed.
End Runs.
