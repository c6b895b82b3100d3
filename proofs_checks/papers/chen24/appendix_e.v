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
