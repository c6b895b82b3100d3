(* DP-OD is eps-differentially private: a reward is in the moment vector of one round, and moves it by no more than the
   1-norm of its arm's feature. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means witnesses satisfiable.
Import ListNotations.
Open Scope R_scope.

Section Rounds.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (M : nat).
(* From the noisy moment vectors of the rounds so far, the last first: the pulls of the next round, one after another,
   the features in its coordinates and how many these are, L, and the recommendation. *)
Variables (block : list (list R) -> list A) (feature : list (list R) -> A -> nat -> R).
Variables (dimension : list (list R) -> nat) (longest : list (list R) -> R) (recommended : list (list R) -> A).

Fixpoint one_norm (c : nat -> R) (i n : nat) : R := match n with O => 0 | S n' => Rabs (c i) + one_norm c (S i) n' end.
Hypothesis longest_positive : forall w, 0 < longest w.
Hypothesis is_longest : forall w a, In a (block w) -> one_norm (feature w a) 0 (dimension w) <= longest w.

(* How often an arm was pulled in these rounds; the sum of reward times coordinate over the pulls of a round, where the
   next reward of an arm is the one that `next` names. *)
Fixpoint taken (a : A) (w : list (list R)) : nat :=
  match w with [] => 0 | _ :: w' => taken a w' + count_occ same (block w') a end.
Fixpoint moment (t : table A) (next : A -> nat) (c : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | a :: l' => t a (next a) * c a + moment t (fun b => if same b a then S (next b) else next b) c l'
  end.

(* The vectors of the rounds that have ended, and the coordinates of this one's so far. *)
Record state := { vectors : list (list R); drawn : list R }.
Definition after (s : state) (z : R) : state :=
  let l := drawn s ++ [z] in
  if Nat.eqb (length l) (dimension (vectors s)) then {| vectors := l :: vectors s; drawn := [] |}
  else {| vectors := vectors s; drawn := l |}.
Fixpoint state_after (h : outcomes) : state :=
  match h with [] => {| vectors := []; drawn := [] |} | z :: h' => after (state_after h') z end.

(* Lap(L/eps) is added to each coordinate; what comes in a round without coordinates has no effect. *)
Definition noisy_moments (eps : R) (t : table A) : densities := fun h =>
  let s := state_after h in let w := vectors s in let i := length (drawn s) in
  if Nat.ltb i (dimension w) then
    laplace (longest w / eps) (moment t (fun a => taken a w) (fun a => feature w a i) (block w))
  else laplace 1 0.
Definition rounds_ended (h : outcomes) : bool := Nat.leb M (length (vectors (state_after h))).

(* What is released: the pulls of each round, and the recommendation. *)
Fixpoint pulled (w : list (list R)) : list (list A) := match w with [] => [] | _ :: w' => pulled w' ++ [block w'] end.
Definition told (h : outcomes) : list (list A) * A :=
  let w := vectors (state_after h) in (pulled w, recommended w).
Definition rounds_chance (eps : R) (t : table A) (event : list (list A) * A -> bool) (draws : nat) : R :=
  chance_of (noisy_moments eps t) rounds_ended (fun h => event (told h)) draws [].

Section Pair.
Variables (eps : R) (t u : table A) (j : A) (m : nat).
Hypotheses (eps_positive : 0 < eps) (t_bounded : bounded A t) (u_bounded : bounded A u).
Hypothesis apart : forall a n, ~ (a = j /\ n = m) -> t a n = u a n.

Lemma scale_positive w : 0 < longest w / eps.
Proof. now apply Rdiv_lt_0_compat. Qed.

Lemma moments_proper x h : proper (noisy_moments eps x h).
Proof.
unfold noisy_moments. assert (S0 := scale_positive (vectors (state_after h))).
destruct (Nat.ltb _ _); (split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra]).
Qed.

Definition reads (s n : nat) : bool := Nat.leb s m && Nat.ltb m (s + n).

Lemma moment_unread next c l : reads (next j) (count_occ same l j) = false -> moment t next c l = moment u next c l.
Proof.
unfold reads. revert next. induction l as [|a l IH]; intros next H; simpl; [reflexivity|]. simpl in H.
destruct (same a j) as [->|F].
- destruct (Nat.leb_spec (next j) m), (Nat.ltb_spec m (next j + S (count_occ same l j))); try discriminate;
    (rewrite IH; [rewrite (apart j (next j)) by lia; reflexivity|]);
    (destruct (same j j) as [_|N]; [|now destruct N]);
    destruct (Nat.leb_spec (S (next j)) m), (Nat.ltb_spec m (S (next j) + count_occ same l j)); try reflexivity; lia.
- rewrite (apart a (next a)) by tauto. rewrite IH; [reflexivity|].
  destruct (same j a) as [->|_]; [now destruct F|exact H].
Qed.

Lemma moment_moved next c l : Rabs (moment t next c l - moment u next c l) <= Rabs (c j).
Proof.
revert next. induction l as [|a l IH]; intros next; simpl.
{ rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rabs_pos. }
set (next' := fun b => if same b a then S (next b) else next b).
destruct (same a j) as [->|F]; [destruct (Nat.eq_dec (next j) m) as [E|N]|].
- rewrite (moment_unread next' c l).
  + replace (t j (next j) * c j + moment u next' c l - (u j (next j) * c j + moment u next' c l)) with
      ((t j (next j) - u j (next j)) * c j) by ring.
    rewrite Rabs_mult. apply Rle_trans with (1 * Rabs (c j)); [|lra]. apply Rmult_le_compat_r; [apply Rabs_pos|].
    generalize (t_bounded j (next j)) (u_bounded j (next j)). split_Rabs; lra.
  + unfold reads, next'. destruct (same j j) as [_|N]; [|now destruct N].
    destruct (Nat.leb_spec (S (next j)) m); [lia|reflexivity].
- rewrite (apart j (next j)) by lia. replace (u j (next j) * c j + moment t next' c l - (u j (next j) * c j +
    moment u next' c l)) with (moment t next' c l - moment u next' c l) by ring. apply IH.
- rewrite (apart a (next a)) by tauto. replace (u a (next a) * c a + moment t next' c l - (u a (next a) * c a +
    moment u next' c l)) with (moment t next' c l - moment u next' c l) by ring. apply IH.
Qed.

(* What the next coordinate may cost, and all from it on. *)
Definition now (w : list (list R)) : bool := reads (taken j w) (count_occ same (block w) j).
Definition cost (h : outcomes) : R :=
  let s := state_after h in let w := vectors s in let i := length (drawn s) in
  if Nat.ltb i (dimension w) then if now w then Rabs (feature w j i) / (longest w / eps) else 0 else 0.
Definition owed_at (w : list (list R)) (i : nat) : R :=
  if Nat.ltb m (taken j w) then 0
  else if now w then one_norm (feature w j) i (dimension w - i) / (longest w / eps) else eps.
Definition owed (h : outcomes) : R := owed_at (vectors (state_after h)) (length (drawn (state_after h))).

Lemma one_norm_positive c i n : 0 <= one_norm c i n.
Proof. revert i. induction n as [|n IH]; intros i; simpl; [lra|]. generalize (Rabs_pos (c i)) (IH (S i)). lra. Qed.

Lemma owed_positive w i : 0 <= owed_at w i.
Proof.
unfold owed_at. destruct (Nat.ltb _ _); [lra|]. destruct (now w); [|lra].
apply Rle_mult_inv_pos; [apply one_norm_positive|apply scale_positive].
Qed.

Lemma owed_first w : owed_at w 0 <= eps.
Proof.
unfold owed_at. destruct (Nat.ltb _ _); [lra|]. destruct (now w) eqn:N; [|lra]. rewrite Nat.sub_0_r.
assert (I : In j (block w)).
{ apply (count_occ_In same). unfold now, reads in N. apply andb_prop in N. destruct N as [N1 N2].
  apply Nat.leb_le in N1. apply Nat.ltb_lt in N2. lia. }
assert (L := longest_positive w). apply Rmult_le_reg_r with (longest w / eps); [apply scale_positive|].
unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, scale_positive).
replace (eps * (longest w / eps)) with (longest w) by (field; lra). now apply is_longest.
Qed.

Lemma moments_paid h z : noisy_moments eps t h z <= exp (cost h) * noisy_moments eps u h z.
Proof.
unfold noisy_moments, cost. set (w := vectors (state_after h)). set (i := length (drawn (state_after h))).
destruct (Nat.ltb i (dimension w)).
- destruct (now w) eqn:N.
  + apply laplace_moved; [apply scale_positive|]. apply (moment_moved (fun a => taken a w) (fun a => feature w a i)).
  + rewrite (moment_unread (fun a => taken a w) (fun a => feature w a i) (block w) N), exp_0. lra.
- rewrite exp_0. lra.
Qed.

Lemma moments_pay h z : cost h + owed (z :: h) <= owed h.
Proof.
unfold cost, owed. simpl state_after. set (s := state_after h). unfold after. rewrite app_length.
change (length (drawn s) + length [z])%nat with (length (drawn s) + 1)%nat. rewrite Nat.add_1_r.
set (i := length (drawn s)). set (w := vectors s).
assert (Later : forall x, owed_at (x :: w) 0 <= (if Nat.ltb m (taken j w) then 0 else if now w then 0 else eps)).
{ intros x. assert (F := owed_first (x :: w)). unfold owed_at, now, reads in *. simpl taken in *.
  destruct (Nat.ltb_spec m (taken j w)), (Nat.leb_spec (taken j w) m),
    (Nat.ltb_spec m (taken j w + count_occ same (block w) j)); simpl in *; lra || lia. }
destruct (Nat.eqb_spec (S i) (dimension w)) as [E|N]; cbn [vectors drawn].
- specialize (Later (drawn s ++ [z])). destruct (Nat.ltb_spec i (dimension w)) as [_|F]; [|lia]. simpl length.
  unfold owed_at at 2. replace (dimension w - i)%nat with 1%nat by lia. simpl one_norm.
  assert (P : 0 <= Rabs (feature w j i) / (longest w / eps)).
  { apply Rle_mult_inv_pos; [apply Rabs_pos|apply scale_positive]. }
  destruct (Nat.ltb_spec m (taken j w)) as [K|K].
  + assert (Q : now w = false) by (unfold now, reads; destruct (Nat.leb_spec (taken j w) m); [lia|reflexivity]).
    rewrite Q. lra.
  + destruct (now w); [rewrite Rplus_0_r|]; lra.
- rewrite app_length. simpl length. rewrite Nat.add_1_r. fold i. unfold owed_at.
  destruct (Nat.ltb_spec i (dimension w)) as [L|L].
  + destruct (Nat.ltb_spec m (taken j w)) as [K|K].
    * assert (Q : now w = false) by (unfold now, reads; destruct (Nat.leb_spec (taken j w) m); [lia|reflexivity]).
      rewrite Q. lra.
    * destruct (now w); [|lra]. replace (dimension w - i)%nat with (S (dimension w - S i)) by lia. simpl one_norm.
      unfold Rdiv. lra.
  + replace (dimension w - S i)%nat with 0%nat by lia. replace (dimension w - i)%nat with 0%nat by lia. simpl. lra.
Qed.
End Pair.

Theorem dp_od_private eps t u event draws : 0 < eps -> bounded A t -> bounded A u -> near A pull t u ->
  rounds_chance eps t event draws <= exp eps * rounds_chance eps u event draws.
Proof.
intros E T U (j & m & D). unfold rounds_chance. set (seen := fun h => event (told h)).
assert (D' : forall a n, ~ (a = j /\ n = m) -> t a n = u a n).
{ intros a n N. apply D. unfold differs. tauto. }
apply Rle_trans with (exp (owed eps j m []) * chance_of (noisy_moments eps u) rounds_ended seen draws []).
- apply (density_composition _ _ rounds_ended seen (moments_proper eps E t) (moments_proper eps E u) (cost eps j m)).
  + intros h. now apply owed_positive.
  + intros h z _. now apply moments_paid.
  + intros h z _. now apply moments_pay.
- apply Rmult_le_compat_r; [now apply chance_inside, moments_proper|]. apply exp_le. now apply owed_first.
Qed.
End Rounds.

Lemma dp_od_private_witness : satisfiable dp_od_private.
Proof.
destruct (different_tables bool Bool.bool_dec true 0 pull) as (t & u & B & B' & N & _).
exists bool, Bool.bool_dec, 2%nat, (fun _ => [true; false]), (fun _ (a : bool) _ => if a then 1 else 0), (fun _ => 1%nat),
  (fun _ => 1), (fun _ => true).
split; [intros; lra|]. split; [intros _ [|] _; simpl; rewrite ?Rabs_R1, ?Rabs_R0; lra|].
exists 1, t, u, (fun _ => true), 2%nat. hold.
Qed.

(** * Two orthogonal arms *)

(* DP-OD with K arms in d dimensions: the number of rounds, ceil(log2 d), and m. *)
Definition od_rounds (d : nat) : nat := Nat.log2_up d.
Fixpoint halvings (d r : nat) : nat := (* the sum of ceil(d/2^j) over j = 1, ..., r *)
  match r with O => O | S k => halvings d k + (d + 2 ^ S k - 1) / 2 ^ S k end%nat.
Definition od_share (K d T : nat) : R :=
  (INR T - INR (Nat.min K (d * (d + 1) / 2) + halvings d (od_rounds d - 1))) / INR (od_rounds d).

(* A design on two arms in the plane: the weights w and 1 - w. V = w a a' + (1 - w) b b' for the features a and b, and
   the larger one of a' V^-1 a and b' V^-1 b, which a G-optimal design makes as small as possible. *)
Section Design.
Variables (a1 a2 b1 b2 : R).
Definition V_11 (w : R) := w * a1 * a1 + (1 - w) * b1 * b1.
Definition V_12 (w : R) := w * a1 * a2 + (1 - w) * b1 * b2.
Definition V_22 (w : R) := w * a2 * a2 + (1 - w) * b2 * b2.
Definition determinant (w : R) := V_11 w * V_22 w - V_12 w * V_12 w.
Definition variance (w u1 u2 : R) := (u1 * u1 * V_22 w - 2 * u1 * u2 * V_12 w + u2 * u2 * V_11 w) / determinant w.
Definition largest_variance (w : R) := Rmax (variance w a1 a2) (variance w b1 b2).
Definition g_optimal (w : R) := 0 <= w <= 1 /\ determinant w <> 0 /\
  forall w', 0 <= w' <= 1 -> determinant w' <> 0 -> largest_variance w <= largest_variance w'.
End Design.

Definition ceiling (z : R) (n : Z) := IZR n - 1 < z <= IZR n.

Theorem two_orthogonal_arms x y w T n1 n2 : 0 < x -> 0 < y -> (3 <= T)%nat -> g_optimal x 0 0 y w ->
  ceiling (w * od_share 2 2 T) n1 -> ceiling ((1 - w) * od_share 2 2 T) n2 ->
  od_rounds 2 = 1%nat /\ w = 1 / 2 /\ n1 = n2 /\ ceiling ((INR T - 2) / 2) n1.
Proof.
intros X Y T3 (W & D & Best) C1 C2. split; [reflexivity|].
assert (xy : 0 < x * x * (y * y)) by (repeat apply Rmult_lt_0_compat; assumption).
assert (Det : forall v, determinant x 0 0 y v = v * (1 - v) * (x * x * (y * y))) by (intros; unfold determinant, V_11, V_12, V_22; ring).
assert (Var : forall v, 0 < v < 1 -> largest_variance x 0 0 y v = Rmax (/ v) (/ (1 - v))).
{ intros v I. unfold largest_variance, variance. rewrite Det. unfold V_11, V_12, V_22. f_equal; field; repeat split; lra. }
assert (w01 : 0 < w < 1).
{ rewrite Det in D. assert (w <> 0) by (intros ->; apply D; ring). assert (w <> 1) by (intros ->; apply D; ring). lra. }
assert (half : w = 1 / 2).
{ assert (B := Best (1 / 2) ltac:(lra)). rewrite Det in B. specialize (B ltac:(apply Rgt_not_eq; lra)). rewrite !Var in B by lra.
  assert (Two : Rmax (/ (1 / 2)) (/ (1 - 1 / 2)) = 2).
  { replace (/ (1 - 1 / 2)) with (/ (1 / 2)) by field. rewrite Rmax_left by lra. field. }
  rewrite Two in B.
  assert (A1 := Rle_trans _ _ _ (Rmax_l _ _) B). assert (A2 := Rle_trans _ _ _ (Rmax_r _ _) B).
  apply (Rmult_le_compat_l w) in A1; [|lra]. rewrite Rinv_r in A1 by lra.
  apply (Rmult_le_compat_l (1 - w)) in A2; [|lra]. rewrite Rinv_r in A2 by lra. lra. }
assert (Share : od_share 2 2 T = INR T - 2) by (unfold od_share; simpl; field).
rewrite Share, half in *. unfold ceiling in *. split; [reflexivity|]. split.
- assert (IZR n1 < IZR n2 + 1) by lra. assert (IZR n2 < IZR n1 + 1) by lra.
  rewrite <- plus_IZR in *. apply lt_IZR in H, H0. lia.
- lra.
Qed.

Lemma two_orthogonal_arms_witness : satisfiable two_orthogonal_arms.
Proof.
exists 1, 2, (1 / 2), 4%nat, 1%Z, 1%Z. split; [lra|]. split; [lra|]. split; [lia|].
assert (Share : od_share 2 2 4 = 2) by (unfold od_share; simpl; field). unfold ceiling. rewrite Share.
split; [|split; lra]. split; [lra|]. unfold determinant, largest_variance, variance, determinant, V_11, V_12, V_22.
split; [lra|]. intros w' I N.
assert (w' <> 0) by (intros ->; apply N; ring). assert (w' <> 1) by (intros ->; apply N; ring).
assert (L : Rmax (/ w') (/ (1 - w')) >= 2).
{ destruct (Rle_lt_dec w' (1 / 2)) as [H1|H1]; apply Rle_ge.
  - apply Rle_trans with (2 := Rmax_l _ _). replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra.
  - apply Rle_trans with (2 := Rmax_r _ _). replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra. }
match goal with |- _ <= Rmax ?p ?q => replace p with (/ w') by (field; lra); replace q with (/ (1 - w')) by (field; lra) end.
apply Rle_trans with 2; [|lra]. right. rewrite Rmax_left; field_simplify; lra.
Qed.
