(* The threshold game, theorem-3/game/bound: its value bounds what the pulls of a run reveal, for any number of arms and
   either relation. The run draws its samples in turn. *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments coins rewards thompson largest arms thompson_samples drawn_thompson game.
From Dpbandits Require Import drawn_witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

(** * The game *)
(* The probabilities of a pull of the changed arm after n of its pulls, at the threshold x: for P and for Q. rises: the
   arm pays more on the side of Q. *)
Definition chance_p (variance : R) (rises : bool) (n : nat) (x : R) : R :=
  if rises then Phi (- x) else Phi (shift variance n - x).
Definition chance_q (variance : R) (rises : bool) (n : nat) (x : R) : R :=
  if rises then Phi (shift variance n - x) else Phi (- x).

(* The value with k rounds to come, after n pulls of the changed arm: a supremum over all thresholds in each round. *)
Fixpoint game_value (variance : R) (rises : bool) (k n : nat) (P Q : R) : R :=
  match k with
  | O => Rmax (P - Q) 0
  | S k' => real (Lub_Rbar (fun v => exists x,
      let p := chance_p variance rises n x in let q := chance_q variance rises n x in
      v = game_value variance rises k' (S n) (p * P) (q * Q) + game_value variance rises k' n ((1 - p) * P) ((1 - q) * Q)))
  end.

(** * Suprema *)
Lemma real_lub (E : R -> Prop) v0 M : E v0 -> (forall v, E v -> v <= M) ->
  (forall v, E v -> v <= real (Lub_Rbar E)) /\ forall b, (forall v, E v -> v <= b) -> real (Lub_Rbar E) <= b.
Proof.
intros E0 B. destruct (Lub_Rbar_correct E) as [U L]. assert (H1 := L (Finite M) B). assert (H0 := U v0 E0).
destruct (Lub_Rbar E) as [l| |]; simpl in *; try contradiction. split; [exact U|]. intros b Hb. exact (L (Finite b) Hb).
Qed.

Section Supremum.
Variable W : R -> R -> R -> R.
Hypothesis all_fair : forall x, fair (W x).
Definition best_of (P Q : R) : R := real (Lub_Rbar (fun v => exists x, v = W x P Q)).

Lemma best_bounds P Q : 0 <= P -> 0 <= Q -> (forall x, W x P Q <= best_of P Q) /\
  forall b, (forall x, W x P Q <= b) -> best_of P Q <= b.
Proof.
intros HP HQ. destruct (real_lub (fun v => exists x, v = W x P Q) (W 0 P Q) P) as [U L].
- now exists 0.
- intros v (x & ->). now apply (all_fair x).
- split; [intros x; apply U; now exists x|]. intros b B. apply L. intros v (x & ->). apply B.
Qed.

Lemma best_fair : fair best_of.
Proof.
assert (Pos : forall x P Q, 0 <= P -> 0 <= Q -> 0 <= W x P Q <= P) by (intros x; apply (all_fair x)).
split; [|split; [|split]].
- intros c P Q Hc HP HQ. assert (HcP := Rmult_le_pos _ _ Hc HP). assert (HcQ := Rmult_le_pos _ _ Hc HQ).
  destruct (best_bounds _ _ HP HQ) as [U L], (best_bounds _ _ HcP HcQ) as [U' L'].
  assert (H : forall x, W x (c * P) (c * Q) = c * W x P Q) by (intros x; now apply (all_fair x)).
  apply Rle_antisym; [apply L'; intros x; rewrite H; now apply Rmult_le_compat_l|].
  destruct Hc as [Hc|<-]; [|generalize (Pos 0 _ _ HcP HcQ) (U' 0); lra].
  apply Rmult_le_reg_l with (/ c); [now apply Rinv_0_lt_compat|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
  apply L. intros x. apply Rmult_le_reg_l with c; [exact Hc|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  rewrite <- H. apply U'.
- intros P Q P' Q' H1 H2 H3 H4. apply (best_bounds (P + P') (Q + Q')); [lra|lra|]. intros x.
  apply Rle_trans with (W x P Q + W x P' Q'); [now apply (all_fair x)|].
  apply Rplus_le_compat; now apply best_bounds.
- intros P Q HP HQ. destruct (best_bounds _ _ HP HQ) as [U L]. split; [generalize (Pos 0 _ _ HP HQ) (U 0); lra|].
  apply L. intros x. now apply Pos.
- intros P Q P' Q' [H1 H2] [H3 H4]. apply (best_bounds P Q); [lra|lra|]. intros x.
  apply Rle_trans with (W x P' Q'); [now apply (all_fair x)|]. apply best_bounds; lra.
Qed.
End Supremum.

(** * A round *)
Section Game.
Variable variance : R.
Hypothesis variance_positive : 0 < variance.
Notation p_at := (chance_p variance).
Notation q_at := (chance_q variance).
Notation value := (game_value variance).

(* The coin (p, q): then F is seen after a pull, and G after no pull. *)
Definition worth (F G : R -> R -> R) (p q P Q : R) : R := F (p * P) (q * Q) + G ((1 - p) * P) ((1 - q) * Q).

Lemma shift_positive n : 0 < shift variance n.
Proof. apply Rinv_0_lt_compat, sqrt_lt_R0, Rmult_lt_0_compat; [exact variance_positive|]. generalize (pos_INR n); lra. Qed.

Lemma shift_falls n : shift variance (S n) <= shift variance n.
Proof.
assert (N := pos_INR n). unfold shift. apply Rinv_le_contravar.
- apply sqrt_lt_R0, Rmult_lt_0_compat; lra.
- apply sqrt_le_1_alt, Rmult_le_compat_l; [lra|]. rewrite S_INR. lra.
Qed.

Lemma chances_inside rises n x : 0 <= p_at rises n x <= 1 /\ 0 <= q_at rises n x <= 1.
Proof. unfold chance_p, chance_q. generalize (Phi_inside (- x)) (Phi_inside (shift variance n - x)). destruct rises; lra. Qed.

(* Both chances come near 0 and near 1. *)
Lemma seldom rises n e : 0 < e -> exists x, p_at rises n x <= e.
Proof.
intros E. assert (U := Rinv_0_lt_compat _ E). assert (F := Phi_far _ U). rewrite Rinv_inv in F. unfold chance_p. destruct rises.
- now exists (/ e).
- exists (shift variance n + / e). now replace (shift variance n - (shift variance n + / e)) with (- / e) by ring.
Qed.

Lemma nearly_sure rises n e : 0 < e -> exists x, 1 - p_at rises n x <= e.
Proof.
intros E. assert (U := Rinv_0_lt_compat _ E). assert (F := Phi_far _ U). rewrite Rinv_inv, Phi_opp in F.
unfold chance_p. destruct rises.
- exists (- / e). now rewrite Ropp_involutive.
- exists (shift variance n - / e). now replace (shift variance n - (shift variance n - / e)) with (/ e) by ring.
Qed.

Section Round.
Variables (rises : bool) (n : nat) (F G : R -> R -> R) (P Q V : R).
Hypotheses (F_fair : fair F) (G_fair : fair G) (P0 : 0 <= P) (Q0 : 0 <= Q).
Hypothesis bounded : forall x, worth F G (p_at rises n x) (q_at rises n x) P Q <= V.

Lemma small_part c : 0 < c -> exists e, 0 < e /\ e * P <= c.
Proof.
intros C. exists (c / (P + 1)). split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (P + 1); [lra|].
replace (c / (P + 1) * P * (P + 1)) with (c * P) by (field; lra). nra.
Qed.

Lemma products_positive c x : 0 <= c <= 1 -> 0 <= x -> 0 <= c * x /\ 0 <= (1 - c) * x.
Proof. intros; split; nra. Qed.

(* H is seen with a probability near 1, and K otherwise. *)
Lemma seen_at_last (H K : R -> R -> R) : fair H -> fair K ->
  (forall e, 0 < e -> exists p q, p <= e /\ 0 <= p <= 1 /\ 0 <= q <= 1 /\ worth K H p q P Q <= V) -> H P Q <= V.
Proof.
intros (_ & Hs & Hb & _) (_ & _ & Kb & _) near. apply le_epsilon. intros c C. destruct (small_part c C) as (e & E & Ep).
destruct (near e E) as (p & q & pe & p01 & q01 & W). unfold worth in W.
destruct (products_positive p P p01 P0) as [A A'], (products_positive q Q q01 Q0) as [B B'].
assert (S : H P Q <= H (p * P) (q * Q) + H ((1 - p) * P) ((1 - q) * Q)).
{ apply Rle_trans with (2 := Hs _ _ _ _ A B A' B'). right. f_equal; ring. }
assert (X := Hb _ _ A B). assert (Y := Kb _ _ A B). nra.
Qed.

(* Thresholds near infinity: the arm is not pulled. *)
Lemma without_pull : G P Q <= V.
Proof.
apply (seen_at_last G F G_fair F_fair). intros e E. destruct (seldom rises n e E) as (x & Hx).
exists (p_at rises n x), (q_at rises n x). split; [exact Hx|]. split; [apply chances_inside|]. split; [apply chances_inside|apply bounded].
Qed.

(* And near minus infinity: it is pulled. *)
Lemma with_pull : F P Q <= V.
Proof.
apply (seen_at_last F G F_fair G_fair). intros e E. destruct (nearly_sure rises n e E) as (x & Hx).
destruct (chances_inside rises n x) as [p01 q01]. exists (1 - p_at rises n x), (1 - q_at rises n x).
split; [exact Hx|]. split; [lra|]. split; [lra|]. apply Rle_trans with (2 := bounded x). right. unfold worth. rewrite Rplus_comm.
do 2 f_equal; ring.
Qed.

Lemma part_of (H : R -> R -> R) t u v u' v' : fair H -> 0 <= t <= 1 -> 0 <= u -> 0 <= v -> 0 <= u' -> 0 <= v' ->
  H (t * u + (1 - t) * u') (t * v + (1 - t) * v') <= t * H u v + (1 - t) * H u' v'.
Proof.
intros (Hh & Hs & _) T U V0 U' V'. rewrite <- !Hh by lra. apply Hs; apply Rmult_le_pos; lra.
Qed.

(* Lemma 4: a smaller shift. *)
Lemma smaller_shift s x : 0 <= s <= shift variance n ->
  worth F G (if rises then Phi (- x) else Phi (s - x)) (if rises then Phi (s - x) else Phi (- x)) P Q <= V.
Proof.
intros S. set (c := Phi (- x)). set (m := Phi (s - x)). set (d := Phi (shift variance n - x)).
assert (c01 := Phi_inside (- x)). fold c in c01. assert (d01 := Phi_inside (shift variance n - x)). fold d in d01.
assert (cm : c <= m) by (apply Phi_le; lra). assert (md : m <= d) by (apply Phi_le; lra).
assert (T : exists t, 0 <= t <= 1 /\ m = t * d + (1 - t) * c).
{ destruct (Req_dec c d) as [E|N]; [exists 0; split; lra|]. exists ((m - c) / (d - c)). split.
  - split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (d - c); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - field. lra. }
destruct T as (t & T & M).
assert (Line : worth F G c c P Q <= V).
{ unfold worth. rewrite (proj1 F_fair), (proj1 G_fair) by lra. assert (A := with_pull). assert (B := without_pull). nra. }
assert (Whole : forall p q p' q', 0 <= p <= 1 -> 0 <= q <= 1 -> 0 <= p' <= 1 -> 0 <= q' <= 1 ->
  worth F G (t * p + (1 - t) * p') (t * q + (1 - t) * q') P Q <= t * worth F G p q P Q + (1 - t) * worth F G p' q' P Q).
{ intros p q p' q' Hp Hq Hp' Hq'. unfold worth.
  replace ((t * p + (1 - t) * p') * P) with (t * (p * P) + (1 - t) * (p' * P)) by ring.
  replace ((t * q + (1 - t) * q') * Q) with (t * (q * Q) + (1 - t) * (q' * Q)) by ring.
  replace ((1 - (t * p + (1 - t) * p')) * P) with (t * ((1 - p) * P) + (1 - t) * ((1 - p') * P)) by ring.
  replace ((1 - (t * q + (1 - t) * q')) * Q) with (t * ((1 - q) * Q) + (1 - t) * ((1 - q') * Q)) by ring.
  assert (A := part_of F t (p * P) (q * Q) (p' * P) (q' * Q) F_fair T ltac:(nra) ltac:(nra) ltac:(nra) ltac:(nra)).
  assert (B := part_of G t ((1 - p) * P) ((1 - q) * Q) ((1 - p') * P) ((1 - q') * Q) G_fair T ltac:(nra) ltac:(nra) ltac:(nra) ltac:(nra)).
  lra. }
assert (At := bounded x). unfold chance_p, chance_q in At. fold c d in At.
assert (C : c = t * c + (1 - t) * c) by ring. destruct rises.
- rewrite M. rewrite C at 1. apply Rle_trans with (1 := Whole c d c c ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). nra.
- rewrite M. rewrite C at 2. apply Rle_trans with (1 := Whole d c c c ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). nra.
Qed.
End Round.

(** * The value *)
Lemma value_is_fair rises k : forall n, fair (value rises k n).
Proof.
induction k as [|k IH]; intros n; [exact end_fair|].
apply (best_fair (fun x P Q => worth (value rises k (S n)) (value rises k n) (p_at rises n x) (q_at rises n x) P Q)).
intros x. apply round_fair; [apply IH|apply IH|apply chances_inside|apply chances_inside].
Qed.

Lemma value_bounds rises k n P Q : 0 <= P -> 0 <= Q ->
  (forall x, worth (value rises k (S n)) (value rises k n) (p_at rises n x) (q_at rises n x) P Q <= value rises (S k) n P Q) /\
  forall b, (forall x, worth (value rises k (S n)) (value rises k n) (p_at rises n x) (q_at rises n x) P Q <= b) ->
    value rises (S k) n P Q <= b.
Proof.
intros HP HQ. apply (best_bounds (fun x P Q => worth (value rises k (S n)) (value rises k n) (p_at rises n x) (q_at rises n x) P Q)).
- intros x. apply round_fair; [apply value_is_fair|apply value_is_fair|apply chances_inside|apply chances_inside].
- exact HP.
- exact HQ.
Qed.

(* Lemma 5: more pulls of the changed arm, and fewer rounds to come. *)
Lemma value_more_pulls rises k : forall n P Q, 0 <= P -> 0 <= Q -> value rises k (S n) P Q <= value rises k n P Q.
Proof.
induction k as [|k IH]; intros n P Q HP HQ; [simpl; lra|]. apply (value_bounds rises k (S n) P Q HP HQ). intros x.
apply Rle_trans with (worth (value rises k (S n)) (value rises k n) (p_at rises (S n) x) (q_at rises (S n) x) P Q).
- destruct (chances_inside rises (S n) x) as [p01 q01]. apply Rplus_le_compat; apply IH; apply Rmult_le_pos; lra.
- apply (smaller_shift rises n _ _ P Q _ (value_is_fair rises k (S n)) (value_is_fair rises k n) HP HQ
    (proj1 (value_bounds rises k n P Q HP HQ)) (shift variance (S n)) x).
  generalize (shift_positive (S n)) (shift_falls n). lra.
Qed.

Lemma value_fewer_rounds rises k n P Q : 0 <= P -> 0 <= Q -> value rises k n P Q <= value rises (S k) n P Q.
Proof.
intros HP HQ. exact (without_pull rises n _ _ P Q _ (value_is_fair rises k (S n)) (value_is_fair rises k n) HP HQ
  (proj1 (value_bounds rises k n P Q HP HQ))).
Qed.

Lemma value_at_start rises k n k' n' P Q : 0 <= P -> 0 <= Q -> (k <= k')%nat -> (n' <= n)%nat ->
  value rises k n P Q <= value rises k' n' P Q.
Proof.
intros HP HQ K N. apply Rle_trans with (value rises k n' P Q).
- induction N as [|n N IH]; [lra|]. apply Rle_trans with (2 := IH). now apply value_more_pulls.
- induction K as [|k' K IH]; [lra|]. apply Rle_trans with (1 := IH). now apply value_fewer_rounds.
Qed.

(** * Runs *)
Section Runs.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A).
Hypotheses (different : NoDup arms) (two : (2 <= length arms)%nat) (all : forall a, In a arms).
Notation policy := (gaussian_thompson A same arms variance).

Lemma chance_inside x event k h : 0 <= chance A arms (policy x) k h event <= 1.
Proof.
apply law_inside.
- intros g a I. left. apply (largest_positive A same); [now apply samples_regular|exact different|exact I].
- intros g. apply (largest_whole A same); [now apply samples_regular|exact different|].
  intros E. rewrite E in two. simpl in two. lia.
Qed.

(* Once the changed reward has been read. *)
Lemma after_the_change hit x y j d : once A hit x y -> in_range A x -> in_range A y -> -1 <= d <= 1 ->
  let rises := if Rle_dec 0 d then true else false in
  forall k h, moved A same hit x y j d h -> forall event P Q, 0 <= P -> 0 <= Q ->
  P * chance A arms (policy x) k h event - Q * chance A arms (policy y) k h event <= value rises k (pulls A same j h) P Q.
Proof.
intros change Hx Hy D rises k. induction k as [|k IH]; intros h M event P Q HP HQ.
- simpl. unfold Rmax. destruct (event h), (Rle_dec (P - Q) 0); lra.
- set (n := pulls A same j h). destruct (value_bounds rises k n P Q HP HQ) as [Up _].
  set (u a := P * chance A arms (policy x) k (a :: h) event). set (v a := Q * chance A arms (policy y) k (a :: h) event).
  apply Rle_trans with (sum (fun a => u a * policy x h a - v a * policy y h a) arms).
  { right. cbn [chance]. rewrite <- sum_linear. apply sum_eq. intros a _. unfold u, v. ring. }
  destruct (another A same arms different two j (all j)) as (i & i_in & i_other).
  assert (D1 := spread_positive A same variance variance_positive j h). assert (N0 := pos_INR n).
  set (s := / ((INR n + 1) * spread A same variance j h)).
  assert (Es : s = shift variance n) by (apply moved_by_shift; exact variance_positive).
  assert (S0 := shift_positive n).
  apply (mixture_linear A same (normal_samples A same variance x h) (normal_samples A same variance y h) arms j i u v);
    try assumption; try (now apply samples_regular); try apply all.
  + intros a N. simpl. now rewrite (mean_unmoved A same hit x y j d a h M N).
  + intros a. apply Rmult_le_pos; [exact HP|apply chance_inside].
  + intros a. apply Rmult_le_pos; [exact HQ|apply chance_inside].
  + apply (value_is_fair rises (S k) n); assumption.
  + intros z a Ia N. simpl. rewrite (mean_moved A same hit x y j d h M). fold n.
    set (X := (z - mean A same x j h) / spread A same variance j h).
    replace ((z - (mean A same x j h + d / (INR n + 1))) / spread A same variance j h) with (X - d * s)
      by (unfold X, s; field; lra).
    set (p := 1 - Phi X). set (q := 1 - Phi (X - d * s)).
    assert (p01 : 0 <= p <= 1) by (unfold p; generalize (Phi_inside X); lra).
    assert (q01 : 0 <= q <= 1) by (unfold q; generalize (Phi_inside (X - d * s)); lra).
    assert (Small : worth (value rises k (S n)) (value rises k n) p q P Q <= value rises (S k) n P Q).
    { assert (E : forall w, 1 - Phi w = Phi (- w)) by (intros w; rewrite Phi_opp; ring).
      unfold p, q. rewrite !E. unfold rises in *. destruct (Rle_dec 0 d) as [L|L].
      - assert (H := smaller_shift true n _ _ P Q _ (value_is_fair true k (S n)) (value_is_fair true k n) HP HQ Up (d * s) X
          ltac:(rewrite Es; split; nra)). cbv iota in H. replace (- (X - d * s)) with (d * s - X) by ring. exact H.
      - assert (H := smaller_shift false n _ _ P Q _ (value_is_fair false k (S n)) (value_is_fair false k n) HP HQ Up (- d * s)
          (X - d * s) ltac:(rewrite Es; split; nra)). cbv iota in H.
        replace (- d * s - (X - d * s)) with (- X) in H by ring. exact H. }
    apply Rle_trans with (2 := Small). unfold worth. replace (Phi X) with (1 - p) by (unfold p; ring).
    replace (Phi (X - d * s)) with (1 - q) by (unfold q; ring).
    assert (Mj := IH (j :: h) (moved_stays A same hit x y change j d h j M) event (p * P) (q * Q) ltac:(nra) ltac:(nra)).
    assert (Ma := IH (a :: h) (moved_stays A same hit x y change j d h a M) event ((1 - p) * P) ((1 - q) * Q) ltac:(nra) ltac:(nra)).
    cbn [pulls] in Mj, Ma. destruct (same j j) as [_|B]; [|now destruct B]. destruct (same j a) as [B|_]; [now destruct N|].
    fold n in Mj, Ma. unfold u, v. lra.
Qed.

Theorem game_private r eps T many kept first : 0 <= eps -> prepulled same T many first ->
  let rounds := (T - Nat.max (length first) 1)%nat in let least := Nat.max many 1 in
  private_after same arms policy r eps
    (Rmax (value true rounds least 1 (exp eps)) (value false rounds least 1 (exp eps))) T kept first.
Proof.
intros E0 [short counts] rounds least x' y' near Hx' Hy' event. assert (E : 1 <= exp eps) by (rewrite <- exp_0; now apply exp_le).
set (delta := Rmax _ _).
assert (Best : forall rises, value rises rounds least 1 (exp eps) <= delta) by (intros []; [apply Rmax_l|apply Rmax_r]).
assert (D0 : 0 <= delta).
{ apply Rle_trans with (2 := Best true). apply (value_is_fair true rounds least); lra. }
destruct (heard_change same r kept first x' y' near Hx' Hy') as (hit & change & Hx & Hy).
set (x := heard kept first x') in *. set (y := heard kept first y') in *.
assert (Afterwards : forall z k, let h := z ++ first in begun A hit h = true -> (length h + k <= T)%nat ->
  chance A arms (policy x) k h event <= exp eps * chance A arms (policy y) k h event + delta).
{ intros z k h B K. destruct (change_moves A same hit x y change Hx Hy h B) as (j & d & D & M).
  assert (H := after_the_change hit x y j d change Hx Hy D k h M event 1 (exp eps) ltac:(lra) ltac:(lra)). cbv zeta in H.
  set (rises := if Rle_dec 0 d then true else false) in H.
  assert (L := pulls_at_most A same j h). assert (One := proj1 (proj2 M)). assert (Many := pulls_after_first same many first counts j z). fold h in Many.
  assert (Len : length h = (length z + length first)%nat) by apply app_length.
  assert (S := value_at_start rises k (pulls A same j h) rounds least 1 (exp eps) ltac:(lra) ltac:(lra)
    ltac:(unfold rounds; lia) ltac:(unfold least; lia)). generalize (Best rises). lra. }
destruct (begun A hit first) eqn:B0; [apply (Afterwards []); [exact B0|simpl; lia]|].
apply (close_before A arms (policy x) (policy y) (begun A hit)) with (T := T); [|lra|exact D0|lia|exact B0|exact Afterwards].
intros h B. split.
- intros a Ia. split.
  + unfold gaussian_thompson, largest.largest. f_equal. apply Lim_seq_ext. intros n. f_equal.
    apply FunctionalExtensionality.functional_extensionality. intros u.
    assert (Same : forall b, mean A same y b h = mean A same x b h) by (intros b; exact (mean_before A same hit x y change b h B)).
    unfold winner. apply prod_eq. intros b _. simpl. now rewrite Same.
  + left. apply (largest_positive A same); [now apply samples_regular|exact different|exact Ia].
- apply (largest_whole A same); [now apply samples_regular|exact different|]. intros N. rewrite N in two. simpl in two. lia.
Qed.
End Runs.
End Game.

(* The larger value of the two games, with T - 1 rounds to come after one pull: T rounds of Algorithm 1, for variance 1. *)
Definition game_delta (variance : R) (T : nat) (eps : R) : R :=
  Rmax (game_value variance true (T - 1) 1 1 (exp eps)) (game_value variance false (T - 1) 1 1 (exp eps)).

Theorem game_bound (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) variance r eps T :
  0 < variance -> NoDup arms -> (2 <= length arms)%nat -> (forall a, In a arms) -> 0 <= eps ->
  pulls_private same arms [] variance T r true eps (game_delta variance T eps).
Proof.
intros V different two all E. apply drawn_private; [exact V|exact different| |apply le_0_n|].
- intros N. rewrite N in two. simpl in two. lia.
- apply (game_private variance V A same arms different two all r eps T 0 true [] E). split; [apply le_0_n|reflexivity].
Qed.

Lemma game_bound_witness : satisfiable game_bound.
Proof.
exists bool, bool_dec, both_arms, 1, pull, 1, 3%nat. split; [lra|]. split; [exact witnesses.both_different|]. split; [apply le_n|].
split; [intros [|]; simpl; tauto|]. split; [lra|]. apply neighbours_exist.
Qed.
