(* All rounds of the game for two arms, who waits for the changed pull among them: one computation, and the theorem that
   what it accepts is private. *)
From Coq Require Import Reals Lra Lia List ZArith Bool Uint63.
From Bignums Require Import BigZ.
From Dpbandits Require Import normal moments coins rewards thompson thompson_samples drawn_thompson.
From Dpbandits Require Import game game_rows game_numbers game_polygon game_table.
Import ListNotations.
Open Scope R_scope.

(** * Waiting *)
(* An arm is pulled with chance t: then it is worth `more`, else `same`, and neither is more than 1. None: no chance. *)
Definition mixed (t : bigZ) (more same : int) : option int :=
  if (two58 <=? t)%bigZ then Some more
  else if (t =? 0)%bigZ then Some same
  else if fits (32 * t) && fits (two63 - 32 * t) then
    Some (plus (times (small_int (32 * t)) more) (times (small_int (two63 - 32 * t)) same))
  else None.
(* With any chance from lo to hi. *)
Definition wait (lo hi : bigZ) (more same : int) : option int :=
  if (more <=? whole)%uint63 && (same <=? whole)%uint63 && (hi <=? two58)%bigZ then
    match mixed lo more same, mixed hi more same with Some x, Some y => Some (most x y) | _, _ => None end
  else None.

Lemma inside_some {A} (x y : A) : Some x = Some y -> x = y.
Proof. intros E. now injection E. Qed.

Lemma at_most_1 u : (u <=? whole)%uint63 = true -> 0 <= val u <= 1.
Proof.
intros H. split; [apply val_positive|]. apply leb_spec in H. change (Uint63.to_Z whole) with 17592186044416%Z in H.
apply IZR_le in H. unfold val. lra.
Qed.

Lemma mixed_ok t more same w : mixed t more same = Some w -> in58 t <= 1 -> 0 <= val more <= 1 -> 0 <= val same <= 1 ->
  in58 t * val more + (1 - in58 t) * val same <= val w.
Proof.
unfold mixed. intros E T1 M S. destruct (two58 <=? t)%bigZ eqn:B.
- apply inside_some in E. subst w. apply in58_le in B. replace (in58 two58) with 1 in B by (unfold in58; rewrite real_two58; lra).
  replace (in58 t) with 1 by lra. lra.
- destruct (t =? 0)%bigZ eqn:Z0.
  + apply inside_some in E. subst w. rewrite (in58_eq _ _ Z0). unfold in58. change (real 0) with 0. lra.
  + destruct (_ && _) eqn:F; [|discriminate]. apply andb_prop in F. destruct F as [F1 F2].
    apply inside_some in E. subst w.
    assert (W1 : weight (small_int (32 * t)) = in58 t).
    { unfold weight. rewrite (small_int_is _ F1), real_mul. change (real 32) with 32. unfold in58. field. }
    assert (W2 : weight (small_int (two63 - 32 * t)) = 1 - in58 t).
    { unfold weight. rewrite (small_int_is _ F2), real_sub, real_mul. change (real 32) with 32.
      change (real two63) with 9223372036854775808. unfold in58. field. }
    assert (T1' := times_ok (small_int (32 * t)) more). assert (T2 := times_ok (small_int (two63 - 32 * t)) same).
    assert (R1 := weight_range (small_int (32 * t))). rewrite W1 in *. rewrite W2 in *.
    apply (plus_ok _ _ _ _ T1' T2). nra.
Qed.

Lemma wait_ok lo hi more same w a : wait lo hi more same = Some w -> in58 lo <= a <= in58 hi ->
  a * val more + (1 - a) * val same <= val w.
Proof.
unfold wait. destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C Hi].
apply andb_prop in C. destruct C as [M S]. apply at_most_1 in M, S. apply in58_le in Hi.
replace (in58 two58) with 1 in Hi by (unfold in58; rewrite real_two58; lra). intros E A.
destruct (mixed lo more same) as [x|] eqn:X; [|discriminate]. destruct (mixed hi more same) as [y|] eqn:Y; [|discriminate].
apply inside_some in E. subst w. apply mixed_ok in X; try assumption; [|lra]. apply mixed_ok in Y; try assumption.
destruct (most_ok x y) as [B1 B2]. set (m := val (most x y)) in *. set (l := in58 lo) in *. set (h := in58 hi) in *.
destruct (Rle_dec (val same) (val more)) as [L|L]; nra.
Qed.

Section Run.
Variables (num den : bigZ) (T last many : nat) (eps : R) (ratio ratio' : bigZ) (base base' : Z).
(* The pulls that an arm has when a changed reward counts first: its pre-pulls, which are `many`, or one. *)
Notation fewest := (Nat.max many 1).
Hypotheses (variance_positive : 0 < variance_of num den) (last_enough : (fewest <= last)%nat).
Notation variance := (variance_of num den).
Notation right := (all_kept ratio base last (game_coin variance true T last)).
Notation left := (all_kept ratio' base' last (game_coin variance false T last)).
Variables (next_right next_left : nat -> list shape -> list state -> option (list state)).
Variables (worth_right worth_left : state -> int).
Variable sound : list shape -> Prop.
Hypothesis next_right_ok : forall k shapes states l, sound shapes -> right k fewest states ->
  next_right (T - S k) shapes states = Some l -> right (S k) fewest l /\ length l = length shapes.
Hypothesis next_left_ok : forall k shapes states l, sound shapes -> left k fewest states ->
  next_left (T - S k) shapes states = Some l -> left (S k) fewest l /\ length l = length shapes.
Hypothesis worth_right_ok : forall k i s v, kept ratio base last (game_coin variance true T last) k i s ->
  value last (game_coin variance true T last) k i v -> v 1 (exp eps) <= val (worth_right s).
Hypothesis worth_left_ok : forall k i s v, kept ratio' base' last (game_coin variance false T last) k i s ->
  value last (game_coin variance false T last) k i v -> v 1 (exp eps) <= val (worth_left s).
(* The least and the largest chances of corners bound those of who waits. *)
Hypothesis ends : forall k shapes states l, sound shapes -> next_right (T - S k) shapes states = Some l ->
  forall i g n, nth_error shapes i = Some g -> Nat.min n last = (fewest + i)%nat -> (n <= T - S k)%nat ->
  in58 (p_of (first g)) <= Phi (- high variance (T - S k) n) /\ Phi (low variance (T - S k) n) <= in58 (top_of g).
Variable least : nat -> bigZ -> bigZ. (* chances of an arm without pulls *)
Hypothesis least_ok : forall N x, in58 (least N x) <= Phi (- high variance N 0).
Notation shown := (shows_at_most variance eps T last).
Notation waiting := (waiting_at_most variance eps T last).

Fixpoint all_shown (k i : nat) (l : list int) : Prop :=
  match l with [] => True | u :: l' => shown k i (val u) /\ all_shown k (S i) l' end.
Fixpoint all_waiting (k i : nat) (l : list int) : Prop :=
  match l with [] => True | u :: l' => waiting k i (val u) /\ all_waiting k (S i) l' end.

Definition values (a b : list state) : list int := larger (List.map worth_right a) (List.map worth_left b).

Lemma values_ok k : forall a b i, right k i a -> left k i b -> all_shown k i (values a b).
Proof.
induction a as [|s a IH]; intros b i A B; [exact Logic.I|]. destruct b as [|t b]; [exact Logic.I|].
destruct A as [A A'], B as [B B']. split; [|now apply IH].
intros rises v V. destruct (most_ok (worth_right s) (worth_left t)) as [M1 M2]. destruct rises.
- apply Rle_trans with (2 := M1). now apply (worth_right_ok k i).
- apply Rle_trans with (2 := M2). now apply (worth_left_ok k i).
Qed.

Lemma values_length a b : length (values a b) = Nat.min (length a) (length b).
Proof. unfold values. revert b; induction a as [|s a IH]; intros [|t b]; simpl; auto. Qed.

(* What it is worth to have started or to wait. *)
Lemma all_shown_nth k : forall l i n w, all_shown k i l -> nth_error l n = Some w -> shown k (i + n) (val w).
Proof.
induction l as [|u l IH]; intros i [|n] w H E; try discriminate; destruct H as [H H'].
- injection E as <-. now rewrite Nat.add_0_r.
- replace (i + S n)%nat with (S i + n)%nat by lia. now apply IH.
Qed.

(* From the state i on; `started` and `waits` are of the states from i on. *)
Fixpoint waited (i : nat) (shapes : list shape) (started waits : list int) : list int :=
  match shapes, started, waits with
  | g :: shapes', s :: started', w :: waits' =>
    match (if Nat.eqb i last then Some s else hd_error started') with
    | Some more => match wait (p_of (first g)) (top_of g) more w with Some u => u :: waited (S i) shapes' started' waits' | None => [] end
    | None => []
    end
  | _, _, _ => []
  end.

Lemma one_waits k i n0 lo hi more same w : wait lo hi more same = Some w ->
  (forall n, Nat.min n last = i -> (n <= T - S k)%nat ->
    in58 lo <= Phi (- high variance (T - S k) n) /\ Phi (low variance (T - S k) n) <= in58 hi) ->
  n0 = Nat.min (S i) last -> (i <= last)%nat -> shown k n0 (val more) ->
  (exists u, val u <= val more /\ waiting k n0 (val u)) -> waiting k i (val same) -> waiting (S k) i (val w).
Proof.
intros E Low N0 Li Sh (u & Lu & Wu) Ws. apply (waiting_round variance variance_positive). intros n a In Ln [Wn Wa].
assert (Q : Nat.min (S n) last = n0) by lia.
exists (val more), (val u), (val same). rewrite Q. repeat split; try assumption.
apply (wait_ok lo hi); [exact E|]. specialize (Low n In Wn). lra.
Qed.

Lemma waited_ok k : forall shapes i vals waits,
  (forall j g n, nth_error shapes j = Some g -> Nat.min n last = (i + j)%nat -> (n <= T - S k)%nat ->
    in58 (p_of (first g)) <= Phi (- high variance (T - S k) n) /\ Phi (low variance (T - S k) n) <= in58 (top_of g)) -> (i <= last)%nat ->
  all_shown k i vals -> all_waiting k i waits -> all_waiting (S k) i (waited i shapes (larger vals waits) waits).
Proof.
induction shapes as [|g shapes IH]; intros i vals waits Low Li V W; [exact Logic.I|].
destruct vals as [|v vals], waits as [|w waits]; try exact Logic.I. cbn [larger waited].
destruct V as [V V'], W as [W W'].
destruct (if Nat.eqb i last then Some (most v w) else hd_error (larger vals waits)) as [more|] eqn:M; [|exact Logic.I].
destruct (wait (p_of (first g)) (top_of g) more w) as [u|] eqn:E; [|exact Logic.I].
assert (L0 : forall n, Nat.min n last = i -> (n <= T - S k)%nat ->
  in58 (p_of (first g)) <= Phi (- high variance (T - S k) n) /\ Phi (low variance (T - S k) n) <= in58 (top_of g)).
{ intros n N Ln. apply (Low O g n); [reflexivity|lia|exact Ln]. }
destruct (Nat.eqb_spec i last) as [->|N].
- injection M as <-. split.
  + apply (one_waits k last last (p_of (first g)) (top_of g) (most v w) w); try assumption; [lia| |exists w; split; [apply most_ok|exact W]].
    intros rises f F. apply Rle_trans with (val v); [now apply (V rises)|apply most_ok].
  + (* no number of pulls is a state beyond the last *)
    assert (None_ : forall l' j, (last < j)%nat -> all_waiting (S k) j l').
    { induction l' as [|x l' IHl]; intros j J; [exact Logic.I|]. split; [|apply IHl; lia].
      intros x0 y0 j0 m0 h0 ev _ _ _ _ _ F. exfalso. lia. }
    apply None_. lia.
- split.
  + destruct vals as [|v1 vals], waits as [|w1 waits]; try discriminate. injection M as <-.
    destruct V' as [V1 _], W' as [W1 _].
    apply (one_waits k i (S i) (p_of (first g)) (top_of g) (most v1 w1) w); try assumption; [lia| |exists w1; split; [apply most_ok|exact W1]].
    intros rises f F. apply Rle_trans with (val v1); [now apply (V1 rises)|apply most_ok].
  + apply IH; [|lia|exact V'|exact W']. intros j g' n J N' Ln. apply (Low (S j) g' n); [exact J|lia|exact Ln].
Qed.

Fixpoint most_of (l : list int) (m : int) : int := match l with [] => m | u :: l' => most_of l' (most u m) end.
Lemma most_of_ok l : forall m, val m <= val (most_of l m) /\ forall n u, nth_error l n = Some u -> val u <= val (most_of l m).
Proof.
induction l as [|u l IH]; intros m; simpl; [split; [lra|intros [|n]; discriminate]|].
destruct (IH (most u m)) as [A B], (most_ok u m) as [C D]. split; [lra|].
intros [|n] w E; simpl in E; [injection E as <-; lra|now apply (B n)].
Qed.

(* The game comes to the fewest pulls from the first pull of an arm that had none, whose chance is at most a half; after
   pre-pulls surely. *)
Definition half : bigZ := 144115188075855872.
Definition lowest (N : nat) (x : bigZ) : bigZ := match many with O => least N x | S _ => two58 end.
Definition highest : bigZ := match many with O => half | S _ => two58 end.
Definition enough (N : nat) (shapes : list shape) : bool :=
  Nat.leb (Nat.min last (N - many)) (Nat.pred fewest + length shapes).

(* What the start is worth to who waits, and what the best start of all is. The first of `waits` is of an arm without
   pulls. *)
Fixpoint run (rounds : list (bigZ * (list shape * list shape))) (N : nat) (a b : list state) (waits : list int) (worst : int)
  : option (int * int) :=
  let vals := values a b in
  let worst := most_of vals worst in
  match waits with
  | [] => None
  | w :: rest =>
    match larger vals rest with
    | [] => None
    | (more :: _) as started =>
      match wait (lowest N match rounds with [] => 0%bigZ | (x, _) :: _ => x end) highest more w, rounds with
      | None, _ => None
      | Some w', [] => if Nat.eqb N (Nat.pred (2 * many)) then Some (w', worst) else None
      | Some w', (_, (ga, gb)) :: rounds' =>
        if Nat.leb 1 N && enough N ga && enough N gb then
          match next_right N ga a, next_left N gb b with
          | Some a', Some b' => run rounds' (Nat.pred N) a' b' (w' :: waited fewest ga started rest) worst
          | _, _ => None
          end
        else None
      end
    end
  end.

(* What the first of `waits` is at least, before the last k rounds: of an arm without pulls, or after the pre-pulls. *)
Definition entered (k : nat) (w : R) : Prop :=
  match many with O => waiting (S k) 0 w | S _ => shown k fewest w /\ waiting k fewest w end.

Lemma first_started k vals rest more started : larger vals rest = more :: started ->
  all_shown k fewest vals -> all_waiting k fewest rest ->
  shown k fewest (val more) /\ exists u, val u <= val more /\ waiting k fewest (val u).
Proof.
destruct vals as [|v vals], rest as [|u rest]; try discriminate. intros E [V _] [W _]. injection E as <- _.
destruct (most_ok v u) as [Mv Mu]. split; [|now exists u].
intros rises f F. apply Rle_trans with (2 := Mv). now apply (V rises).
Qed.

Lemma entered_ok k x more w0 w : wait (lowest (T - S k) x) highest more w0 = Some w -> shown k fewest (val more) ->
  (exists u, val u <= val more /\ waiting k fewest (val u)) -> (many = 0%nat -> waiting k 0 (val w0)) ->
  entered k (val w).
Proof.
assert (Li := last_enough). revert Li. unfold lowest, highest, entered. case_eq many.
- intros E Li Ew Sh W W0. specialize (W0 eq_refl).
  apply (one_waits k 0 1 (least (T - S k) x) half more w0); try assumption; try lia.
  intros n Hn _. assert (n = 0%nat) by lia. subst n. split; [apply least_ok|]. unfold low. simpl INR.
  replace (0 / (0 + 1) / deviation_of variance (T - S k) 0) with 0 by (unfold Rdiv; ring).
  unfold in58. change (real half) with 144115188075855872. generalize (Phi_opp 0). rewrite Ropp_0. lra.
- intros m E Li Ew Sh (u & Lu & Wu) _.
  assert (One : in58 two58 = 1) by (unfold in58; rewrite real_two58; lra).
  assert (Q := wait_ok _ _ _ _ _ 1 Ew ltac:(lra)). split.
  + intros rises f F. generalize (Sh rises f F). lra.
  + intros x0 y0 j m0 h event C X Y L P I. generalize (Wu x0 y0 j m0 h event C X Y L P I). lra.
Qed.

Theorem run_ok : forall rounds k a b waits worst w m,
  (forall r, In r rounds -> sound (fst (snd r)) /\ sound (snd (snd r))) -> (S k <= T)%nat ->
  right k fewest a -> left k fewest b ->
  (Nat.min last (T - k - many) <= Nat.pred fewest + length a)%nat ->
  (Nat.min last (T - k - many) <= Nat.pred fewest + length b)%nat ->
  match waits with
  | [] => True
  | w0 :: rest => (many = 0%nat -> waiting k 0 (val w0)) /\ all_waiting k fewest rest
  end ->
  (forall k' n, (k' < k)%nat -> (fewest <= n)%nat -> (n + many + k' <= T)%nat -> shown k' (Nat.min n last) (val worst)) ->
  run rounds (T - S k) a b waits worst = Some (w, m) ->
  entered (T - Nat.max (2 * many) 1) (val w) /\
  forall k n, (fewest <= n)%nat -> (n + many + k <= T)%nat -> shown k (Nat.min n last) (val m).
Proof.
induction rounds as [|[x0 [ga gb]] rounds IH]; intros k a b waits worst w m So K A B La Lb W Old E; cbn [run] in E; cbv zeta in E;
  (destruct waits as [|w0 rest]; [discriminate|]); destruct W as [W0 W1]; assert (V := values_ok k a b fewest A B);
  assert (Ml := most_of_ok (values a b) worst); assert (Lv := values_length a b);
  set (vals := values a b) in *; set (worst' := most_of vals worst) in *;
  assert (New : forall k' n, (k' < S k)%nat -> (fewest <= n)%nat -> (n + many + k' <= T)%nat ->
    shown k' (Nat.min n last) (val worst')) by
   (intros k' n Hk Hn Hl rises f F; destruct (Nat.eq_dec k' k) as [->|Nk];
    [destruct (nth_error vals (Nat.min n last - fewest)) as [u|] eqn:En;
      [apply Rle_trans with (val u); [|now apply (proj2 Ml _ _ En)];
       apply (all_shown_nth k vals fewest _ u V En rises); now replace (fewest + (Nat.min n last - fewest))%nat with (Nat.min n last) by lia
      |apply nth_error_None in En; lia]
    |apply Rle_trans with (val worst); [apply (Old k' n) with (rises := rises); try assumption; lia|apply Ml]]);
  (destruct (larger vals rest) as [|more started] eqn:Es; [discriminate|]); rewrite <- ?Es in E;
  (match type of E with context [wait ?l ?h more w0] => destruct (wait l h more w0) as [w'|] eqn:Ew; [|discriminate] end);
  destruct (first_started k vals rest more started Es V W1) as [Sh Wu]; assert (Zero := entered_ok k _ more w0 w' Ew Sh Wu W0).
- destruct (Nat.eqb_spec (T - S k) (Nat.pred (2 * many))) as [N|_]; [|discriminate]. injection E as <- <-.
  replace (T - Nat.max (2 * many) 1)%nat with k by lia. split; [exact Zero|]. intros k' n Hn Hl. apply New; lia.
- destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C C2]. apply andb_prop in C. destruct C as [C0 C1].
  apply Nat.leb_le in C0, C1, C2.
  destruct (next_right (T - S k) ga a) as [a'|] eqn:Ea; [|discriminate].
  destruct (next_left (T - S k) gb b) as [b'|] eqn:Eb; [|discriminate].
  destruct (So _ (or_introl eq_refl)) as [Sa Sb]. cbn [fst snd] in Sa, Sb.
  destruct (next_right_ok k ga a a' Sa A Ea) as [A' La']. destruct (next_left_ok k gb b b' Sb B Eb) as [B' Lb'].
  replace (Nat.pred (T - S k)) with (T - S (S k))%nat in E by lia.
  apply (IH (S k) a' b' (w' :: waited fewest ga (larger vals rest) rest) worst' w m); try assumption; try lia; [intros r Ir; apply So; now right|].
  split; [revert Zero; unfold entered; case_eq many; [auto|discriminate]|].
  apply waited_ok; [|exact last_enough|exact V|exact W1].
  intros j g n J N' Ln. apply (ends k ga a a' Sa Ea j g n J); [lia|exact Ln].
Qed.

(* In the words of `pull_game`. *)
Lemma entered_start w : (1 <= T)%nat -> entered (T - Nat.max (2 * many) 1) w ->
  ((1 <= many)%nat -> shown (T - 2 * many) (Nat.min many last) w) /\ waiting (T - 2 * many) (Nat.min many last) w.
Proof.
assert (Li := last_enough). revert Li. unfold entered. case_eq many.
- intros _ _ L. change (2 * 0)%nat with 0%nat. rewrite Nat.sub_0_r. replace (S (T - Nat.max 0 1)) with T by (simpl; lia).
  intros H. split; [lia|exact H].
- intros m _ Li _. replace (Nat.max (2 * S m) 1) with (2 * S m)%nat by lia. replace (Nat.min (S m) last) with (Nat.max (S m) 1) by lia.
  intros [Sh W]. now split.
Qed.
End Run.

(** * The whole computation *)
(* For one side of the change: the grid of ratios, by how much rows may grow, behind which value they end, and corners
   for each number of pulls in so many rounds, the last ones first. *)
Record choices := { ratio_of : bigZ; below_of : nat; above_of : nat; growth_of : nat; cut_of : int;
  spans_of : list (nat * list shape) }.
Definition rounds_of (d : choices) : list (list shape) := flat_map (fun s => repeat (snd s) (fst s)) (spans_of d).
Definition polygons_good (table : list entry) (d : choices) : bool :=
  forallb (fun s => forallb (polygon_good table) (snd s)) (spans_of d).
(* With them, for each round, how far thresholds go for an arm without pulls, in units of 2^-20. *)

Fixpoint fallen (ratio : bigZ) (n : nat) (x : bigZ) : bigZ :=
  match n with O => x | S n' => fallen ratio n' (down_power ratio x) end.
Definition reach_of (d : choices) : nat := (below_of d + above_of d + 2)%nat.
Definition ups_of (d : choices) := powers (up_power (ratio_of d)) (reach_of d) (up_power (ratio_of d) two90).
Definition downs_of (d : choices) := powers (down_power (ratio_of d)) (reach_of d) (down_power (ratio_of d) two90).
Definition one_of (d : choices) : bigZ := (two58 * two90 / fallen (ratio_of d) (below_of d) two90)%bigZ.
Definition end_of (d : choices) : state :=
  {| theta := two58; row := ending (ratio_of d) (below_of d) two58 (repeat 0%uint63 (S (above_of d))) |}.
Definition base_of (d : choices) : Z := (0 - Z.of_nat (below_of d))%Z.

Definition next_states (d : choices) := next (ratio_of d) (ups_of d) (downs_of d) (growth_of d) (cut_of d).
(* Whether a polygon reaches far enough for the i-th state of two arms after N rounds. *)
Definition reaches_state (num den : bigZ) (last N i : nat) : shape -> bool := reaches_all num den N i (Nat.eqb i last).

Definition game (table : list entry) (T last many : nat) (num den e : bigZ) (highs : list bigZ) (d d' : choices) : option (int * int) :=
  let next_right := next_states d last true (reaches_state num den last) in
  let next_left := next_states d' last false (reaches_state num den last) in
  let worth_right := worth (ratio_of d) (ups_of d) (downs_of d) e (one_of d) in
  let worth_left := worth (ratio_of d') (ups_of d') (downs_of d') e (one_of d') in
  let fewest := Nat.max many 1 in let size := (S last - fewest)%nat in
  run last many (fun N shapes => next_right N fewest shapes []) (fun N shapes => next_left N fewest shapes []) worth_right worth_left (first_pull table num den)
    (combine highs (combine (rounds_of d) (rounds_of d'))) (T - 1) (repeat (end_of d) size) (repeat (end_of d') size)
    (repeat 0%uint63 (S size)) 0%uint63.

Definition possible (T last many : nat) (num den e : bigZ) (d d' : choices) : bool :=
  (1 <=? num)%bigZ && (1 <=? den)%bigZ && Nat.leb (Nat.max many 1) last && Nat.leb last T && (0 <=? e)%bigZ && (two20 + 1 <=? ratio_of d)%bigZ && (two20 + 1 <=? ratio_of d')%bigZ &&
  (1 <=? one_of d)%bigZ && (1 <=? one_of d')%bigZ.
(* No more than `most_pull` and `most_round`, in units of 2^-44. *)
Definition game_within (table : list entry) (T last many : nat) (num den e : bigZ) (highs : list bigZ) (d d' : choices)
  (most_pull most_round : int) : bool :=
  possible T last many num den e d d' && polygons_good table d && polygons_good table d' &&
  match game table T last many num den e highs d d' with Some (w, m) => (w <=? most_pull)%uint63 && (m <=? most_round)%uint63 | None => false end.

Lemma fallen_ok ratio (good : (two20 + 1 <=? ratio)%bigZ = true) n : forall o x,
  above_power ratio o x -> above_power ratio (o - Z.of_nat n) (fallen ratio n x).
Proof.
induction n as [|n IH]; intros o x H; [now rewrite Z.sub_0_r|]. cbn [fallen].
replace (o - Z.of_nat (S n))%Z with (o - 1 - Z.of_nat n)%Z by lia. now apply IH, down_power_ok.
Qed.

Lemma one_of_ok d : (two20 + 1 <=? ratio_of d)%bigZ = true -> (1 <=? one_of d)%bigZ = true ->
  0 < real (one_of d) /\ theta_at (ratio_of d) (one_of d) (base_of d) <= 1.
Proof.
intros Rg O. apply real_le in O. change (real 1) with 1 in O. split; [lra|].
assert (F := fallen_ok _ Rg (below_of d) 0 two90 (above_0 _)). fold (base_of d) in F. unfold above_power in F.
assert (P := rho_positive _ Rg (base_of d)). unfold one_of in *. set (x := fallen _ _ _) in *.
set (w := powerRZ (rho (ratio_of d)) (base_of d)) in *.
assert (D := real_div (two58 * two90) x ltac:(nra)). rewrite real_mul, real_two58 in D.
change (real two90) with 1237940039285380274899124224 in D. set (y := real (two58 * two90 / x)%bigZ) in *.
unfold theta_at, in58. fold w y.
assert (y * (w * 1237940039285380274899124224) <= y * real x) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma ups_ok d : (two20 + 1 <=? ratio_of d)%bigZ = true -> all_above (ratio_of d) 1 1 (ups_of d).
Proof. intros Rg. apply (powers_up _ Rg), (up_power_ok _ Rg 0), above_0. Qed.
Lemma downs_ok d : (two20 + 1 <=? ratio_of d)%bigZ = true -> all_above (ratio_of d) (-1) (-1) (downs_of d).
Proof. intros Rg. apply (powers_down _ Rg), (down_power_ok _ Rg 0), above_0. Qed.

Lemma end_kept d last coin i : (two20 + 1 <=? ratio_of d)%bigZ = true ->
  kept (ratio_of d) (base_of d) last coin 0 i (end_of d).
Proof.
intros Rg. split; [unfold end_of; cbn [theta]; rewrite real_two58; lra|]. intros v V. unfold end_of. cbn [theta row].
apply (ending_ok _ Rg last coin (below_of d) two58 0) with (i := i); [rewrite real_two58; simpl; lra|lia| |exact V].
intros j w W. apply (zeros_ok _ Rg last coin j w _ W). lia.
Qed.

Lemma rounds_sound table d l : polygons_good table d = true -> In l (rounds_of d) -> forallb (polygon_good table) l = true.
Proof.
intros H I. apply in_flat_map in I. destruct I as (s & I & J). apply repeat_spec in J. subst l.
unfold polygons_good in H. rewrite forallb_forall in H. now apply H.
Qed.

Lemma next_large_enough d last rises large_enough N : forall shapes known i states l,
  next_states d last rises large_enough N i shapes known states = Some l ->
  forall j g, nth_error shapes j = Some g -> large_enough N (i + j)%nat g = true.
Proof.
unfold next_states. induction shapes as [|g shapes IH]; intros known i states l E j g' J; [destruct j; discriminate|].
cbn [next] in E. destruct states as [|same rest]; [discriminate|]. set (here := folded _ most_folds _) in E.
clearbody here. cbv zeta in E.
destruct (if Nat.eqb i last then Some same else hd_error rest) as [more|]; [|discriminate].
destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [_ G].
destruct (next _ _ _ _ _ _ _ _ _ _ _ _) as [l'|] eqn:E'; [|discriminate].
destruct j as [|j]; simpl in J.
- apply inside_some in J. subst g'. now rewrite Nat.add_0_r.
- replace (i + S j)%nat with (S i + j)%nat by lia. now apply (IH _ _ _ _ E').
Qed.

Lemma shape_of_state table num den last N i g :
  polygon_good table g = true -> reaches_state num den last N i g = true ->
  shape_good table num den N i (Nat.eqb i last) g = true.
Proof. unfold reaches_state, shape_good. now intros -> ->. Qed.

Lemma reaches_state_ok table num den T last rises k i g p q f : tabled 0 table -> 0 < real num -> 0 < real den ->
  polygon_good table g = true -> reaches_state num den last (T - S k) i g = true -> (i <= last)%nat ->
  game_coin (variance_of num den) rises T last (S k) i p q -> convex_square f ->
  exists c, In c (corners_of g) /\ f p q <= f (in58 (fst (swapped rises c))) (in58 (snd (swapped rises c))).
Proof.
intros Tab Np Dp Po Re Li (m & Ei & C) Cx. assert (G := shape_of_state _ _ _ _ _ _ _ Po Re).
assert (F : Nat.eqb i last = false -> m = i) by (intros N; apply Nat.eqb_neq in N; lia).
unfold swapped. destruct rises; cbn [fst snd].
- exact (shape_good_ok table Tab num den Np Dp (T - S k) i _ g m p q f G ltac:(lia) F C Cx).
- assert (Cx' : convex_square (fun q' p' => f p' q')).
  { intros a p1 q1 p2 q2 A [S1 S1'] [S2 S2']. apply Cx; [exact A|split; assumption|split; assumption]. }
  exact (shape_good_ok table Tab num den Np Dp (T - S k) i _ g m q p _ G ltac:(lia) F C Cx').
Qed.

(* Thompson sampling with two arms, whose samples are drawn in turn, T rounds, is private for either relation if the
   game's value is small enough: after `many` pre-pulls of each arm, in any order, whether their rewards are kept or
   forgotten. *)
Theorem two_arms_game table T last many num den variance eps delta delta' e highs d d' most_pull most_round : tabled 0 table -> variance = variance_of num den ->
  0 <= eps ->
  in58 e <= exp eps -> val most_pull <= delta -> val most_round <= delta' ->
  game_within table T last many num den e highs d d' most_pull most_round = true ->
  forall kept first, prepulled bool_dec T many first ->
  pulls_private bool_dec both_arms first variance T pull kept eps delta /\
  pulls_private bool_dec both_arms first variance T round kept eps delta'.
Proof.
intros Tab -> He Hexp Hd Hd' H kept before Pre. unfold game_within in H. apply andb_prop in H. destruct H as [P G]. apply andb_prop in P. destruct P as [P Gd'].
apply andb_prop in P. destruct P as [P Gd]. unfold possible in P.
apply andb_prop in P. destruct P as [P O']. apply andb_prop in P. destruct P as [P O].
apply andb_prop in P. destruct P as [P R']. apply andb_prop in P. destruct P as [P R0].
apply andb_prop in P. destruct P as [P E0]. apply andb_prop in P. destruct P as [P LT]. apply andb_prop in P. destruct P as [P L1].
apply andb_prop in P. destruct P as [N0 D0]. apply Nat.leb_le in L1, LT. apply real_le in N0, D0. change (real 1) with 1 in N0, D0.
assert (Np : 0 < real num) by lra. assert (Dp : 0 < real den) by lra.
assert (Vp : 0 < variance_of num den) by (now apply Rdiv_lt_0_compat).
apply real_le in E0. change (real 0) with 0 in E0.
destruct (one_of_ok d R0 O) as [Op Og], (one_of_ok d' R' O') as [Op' Og'].
destruct (game table T last many num den e highs d d') as [[w m]|] eqn:Run; [|discriminate]. apply andb_prop in G. destruct G as [Gw Gm].
assert (Le : forall u u' : int, (u <=? u')%uint63 = true -> val u <= val u').
{ intros u u' Q. apply leb_spec in Q. apply IZR_le in Q. unfold val. lra. }
apply Le in Gw, Gm. unfold game in Run.
set (fewest := Nat.max many 1) in *. set (size := (S last - fewest)%nat) in *.
assert (Q := run_ok num den T last many eps (ratio_of d) (ratio_of d') (base_of d) (base_of d') Vp L1
  (fun N shapes => next_states d last true (reaches_state num den last) N fewest shapes [])
  (fun N shapes => next_states d' last false (reaches_state num den last) N fewest shapes [])
  (worth (ratio_of d) (ups_of d) (downs_of d) e (one_of d)) (worth (ratio_of d') (ups_of d') (downs_of d') e (one_of d'))).
destruct Q with (k := 0%nat) (sound := fun l => forallb (polygon_good table) l = true) (least := first_pull table num den) (rounds := combine highs (combine (rounds_of d) (rounds_of d'))) (a := repeat (end_of d) size)
  (b := repeat (end_of d') size) (waits := repeat 0%uint63 (S size)) (worst := 0%uint63) (w := w) (m := m) as [Pull Round].
- intros k shapes states l So K E.
  apply (next_ok _ R0 _ _ (ups_ok d R0) (downs_ok d R0) (base_of d) (growth_of d) (cut_of d) table T last true _
    (game_chances (variance_of num den) true T last) (reaches_state num den last))
    with (i := fewest) (known := []) (states := states); try assumption; [|now left].
  intros k0 i g p q f. now apply reaches_state_ok.
- intros k shapes states l So K E.
  apply (next_ok _ R' _ _ (ups_ok d' R') (downs_ok d' R') (base_of d') (growth_of d') (cut_of d') table T last false _
    (game_chances (variance_of num den) false T last) (reaches_state num den last))
    with (i := fewest) (known := []) (states := states); try assumption; [|now left].
  intros k0 i g p q f. now apply reaches_state_ok.
- intros k i s v K V. now apply (worth_ok _ R0 _ _ (ups_ok d R0) (downs_ok d R0) (base_of d) last _
    (game_chances (variance_of num den) true T last) eps e (one_of d) E0 Hexp Op Og k i).
- intros k i s v K V. now apply (worth_ok _ R' _ _ (ups_ok d' R') (downs_ok d' R') (base_of d') last _
    (game_chances (variance_of num den) false T last) eps e (one_of d') E0 Hexp Op' Og' k i).
- intros k shapes states l So E i g n J N Ln.
  assert (G := shape_of_state table _ _ _ _ _ _ (proj1 (forallb_forall _ _) So g (nth_error_In _ _ J))
    (next_large_enough d last true _ _ shapes [] fewest states l E i g J)).
  assert (F : Nat.eqb (fewest + i) last = false -> n = (fewest + i)%nat) by (intros F; apply Nat.eqb_neq in F; lia).
  split; [now apply (bottom_enough table Tab num den Np Dp _ _ _ g n G)|now apply (top_enough table Tab num den Np Dp _ _ _ g n G)].
- intros N x. now apply (first_pull_ok table Tab num den Np Dp).
- intros [x [ga gb]] I. apply in_combine_r in I. split; cbn [fst snd]; [apply (rounds_sound table d _ Gd), (in_combine_l _ _ _ _ I)|apply (rounds_sound table d' _ Gd'), (in_combine_r _ _ _ _ I)].
- lia.
- apply all_kept_repeat. intros i. now apply end_kept.
- apply all_kept_repeat. intros i. now apply end_kept.
- rewrite repeat_length. unfold size. lia.
- rewrite repeat_length. unfold size. lia.
- assert (Zeros : forall n i, all_waiting num den T last eps 0 i (repeat 0%uint63 n)).
  { intros n; induction n as [|n IH]; intros i; simpl; [exact Logic.I|]. split; [|apply IH].
    apply waiting_end; [exact He|apply val_positive]. }
  cbn [repeat]. split; [intros _; apply (Zeros 1%nat 0%nat)|apply Zeros].
- intros k' n K. lia.
- exact Run.
- apply entered_start in Pull; [|exact L1|lia]. destruct Pull as [Started Waited].
  split; apply two_arms_drawn_private; [exact Vp|apply Pre| |exact Vp|apply Pre|].
  + apply (pull_game (variance_of num den) Vp eps delta T last many kept before Pre).
    * intros M rises v V. apply Rle_trans with (val w); [now apply (Started M rises)|lra].
    * intros x y j m0 h event C X Y K Lp In. apply Rle_trans with (val w); [now apply (Waited x y j m0)|lra].
  + apply (round_game (variance_of num den) Vp eps delta' T last many kept before He); [generalize (val_positive most_round); lra|exact Pre|].
    intros k n N1 Nk rises v V. apply Rle_trans with (val m); [now apply (Round k n N1 Nk rises)|lra].
Qed.
