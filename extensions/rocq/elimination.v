(* Successive elimination: epochs of fresh rewards, whose noisy means decide who is left. What a mean reads of a table of
   pulls, and of a table of timesteps. *)
From Coq Require Import Reals Lra Lia List.
From Dpbandits Require Import moments rewards densities laplace noisy_means.
Import ListNotations.
Open Scope R_scope.

Section Elimination.
Variables (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) (T : nat).
(* In epoch e, from 1 on, with s active arms: the pulls of each of them, and how far below the best an arm may be. *)
Variables (rounds : nat -> nat -> nat) (width : nat -> nat -> R).
Hypothesis rounds_positive : forall e s, (1 <= rounds e s)%nat.

(* Between two draws: the epoch, its arms, the noisy means drawn in it, the last first, and the pulls before it. *)
Record state := { epoch : nat; active : list A; drawn : list (A * R); pulled : list A }.
Definition first_state := {| epoch := 1; active := arms; drawn := []; pulled := [] |}.

Definition each (s : state) : nat := rounds (epoch s) (length (active s)).
Definition in_turns (n : nat) (l : list A) : list A := concat (repeat l n).
Definition undrawn (s : state) : list A := skipn (length (drawn s)) (active s).

(* Who is left: an arm goes if it is farther below the best. *)
Definition best (l : list (A * R)) : R :=
  match l with [] => 0 | (_, z) :: l' => fold_right (fun one => Rmax (snd one)) z l' end.
Definition kept (far : R) (l : list (A * R)) : list A :=
  map fst (filter (fun one => if Rle_dec (best l - snd one) far then true else false) (rev l)).

(* A noisy mean z is drawn; after the last one of the epoch the next epoch begins. *)
Definition after (s : state) (z : R) : state :=
  match undrawn s with
  | [] => s
  | [a] => {| epoch := S (epoch s); active := kept (width (epoch s) (length (active s))) ((a, z) :: drawn s);
      drawn := []; pulled := pulled s ++ in_turns (each s) (active s) |}
  | a :: _ => {| epoch := epoch s; active := active s; drawn := (a, z) :: drawn s; pulled := pulled s |}
  end.
Fixpoint state_after (h : outcomes) : state := match h with [] => first_state | z :: h' => after (state_after h') z end.

(* The next rewards of the next arm. Without any arm what comes next has no effect. *)
Definition elimination (h : outcomes) : step A :=
  match undrawn (state_after h) with [] => Coin A (laplace 1 0) | a :: _ => Mean A a (each (state_after h)) end.
(* One arm is left, or T ends the epoch. *)
Definition elimination_ended (h : outcomes) : bool :=
  let s := state_after h in
  Nat.leb (length (active s)) 1 || Nat.leb T (length (pulled s) + each s * length (active s)).
(* The arms of all T pulls: of epochs, of one that T cuts short, or of the survivor. A mean takes a pull
   at least: T draws are enough, and more change nothing. *)
Definition eliminated_pulls (h : outcomes) : list A :=
  let s := state_after h in firstn T (pulled s ++ in_turns T (active s)).

Lemma elimination_sound : sound A elimination.
Proof.
intros h. unfold elimination. destruct (undrawn (state_after h)); [|apply rounds_positive].
split; [intros z; apply laplace_positive; lra|apply laplace_whole; lra].
Qed.

(** * Timesteps *)
(* In an epoch the arms are pulled in turns. So of s active arms the p-th one, p from 0, is pulled at every s-th timestep,
   the first time after the pulls before the epoch and p more. Its rewards there, added up: *)
Fixpoint turns_sum (x : nat -> R) (first_time step n : nat) : R :=
  match n with O => 0 | S n' => x (first_time + n' * step)%nat + turns_sum x first_time step n' end.
Definition first_time (s : state) : nat := length (pulled s) + length (drawn s).

(* A table says what each arm pays at each timestep, from 0 on. noise: the density around a mean of n. *)
Definition timed (noise : nat -> R -> R -> R) (t : table A) : densities := fun h =>
  let s := state_after h in
  match undrawn s with
  | [] => laplace 1 0
  | a :: _ => noise (each s) (turns_sum (t a) (first_time s) (length (active s)) (each s) / INR (each s))
  end.

(* Whether the next mean reads the rewards of timestep m. *)
Definition reads_time (m : nat) (h : outcomes) : bool :=
  let s := state_after h in
  match undrawn s with
  | [] => false
  | _ => existsb (fun i => Nat.eqb (first_time s + i * length (active s)) m) (seq 0 (each s))
  end.

Lemma active_some s a l : undrawn s = a :: l -> (length (drawn s) < length (active s))%nat.
Proof.
intros U. destruct (Nat.lt_ge_cases (length (drawn s)) (length (active s))) as [L|G]; [exact L|].
unfold undrawn in U. rewrite skipn_all2 in U by exact G. discriminate.
Qed.

Lemma in_turns_length n l : length (in_turns n l) = (n * length l)%nat.
Proof. unfold in_turns. induction n as [|n IH]; simpl; [reflexivity|]. rewrite app_length, IH. reflexivity. Qed.

Lemma skipn_next {B} n (l : list B) a k : skipn n l = a :: k -> skipn (S n) l = k.
Proof. revert l. induction n as [|n IH]; intros [|b l] E; simpl in *; try discriminate; [now injection E|now apply IH]. Qed.

(* These are the timesteps at which the arm is pulled. *)
Lemma in_turns_nth n l p i : (p < length l)%nat -> (i < n)%nat -> nth_error (in_turns n l) (p + i * length l) = nth_error l p.
Proof.
intros P. unfold in_turns. revert i. induction n as [|n IH]; intros i I; [lia|]. simpl repeat. simpl concat. destruct i as [|i].
- rewrite Nat.mul_0_l, Nat.add_0_r. now apply nth_error_app1.
- rewrite nth_error_app2 by (simpl; lia). replace (p + S i * length l - length l)%nat with (p + i * length l)%nat by (simpl; lia).
  apply IH. lia.
Qed.

Theorem timesteps_of_pulls s a l i : undrawn s = a :: l -> (i < each s)%nat ->
  nth_error (pulled s ++ in_turns (each s) (active s)) (first_time s + i * length (active s)) = Some a.
Proof.
intros U I. unfold first_time. rewrite nth_error_app2 by lia.
replace (length (pulled s) + length (drawn s) + i * length (active s) - length (pulled s))%nat with
  (length (drawn s) + i * length (active s))%nat by lia.
rewrite in_turns_nth by (exact I || exact (active_some s a l U)). rewrite <- (firstn_skipn (length (drawn s)) (active s)).
fold (undrawn s). rewrite U, nth_error_app2, firstn_length_le; rewrite ?firstn_length_le; try apply Nat.lt_le_incl, (active_some s a l U); auto.
now rewrite Nat.sub_diag.
Qed.

(* Later on it is the same epoch, with more means drawn, or all pulls of the epoch have been made. *)
Lemma later h z : undrawn (state_after h) <> [] -> let s := state_after h in let s' := state_after (z ++ h) in
  (epoch s' = epoch s /\ active s' = active s /\ pulled s' = pulled s /\ undrawn s' <> [] /\
     length (drawn s') = (length (drawn s) + length z)%nat) \/
  (length (pulled s) + each s * length (active s) <= length (pulled s'))%nat.
Proof.
intros U s s'. unfold s'. clear s'. fold s in U. induction z as [|x z IH]; [left; simpl; rewrite Nat.add_0_r; auto|].
simpl state_after.
unfold after. assert (Next := fun a k => skipn_next (length (drawn (state_after (z ++ h)))) (active (state_after (z ++ h))) a k).
fold (undrawn (state_after (z ++ h))) in Next.
destruct (undrawn (state_after (z ++ h))) as [|a [|b k]] eqn:E.
- destruct IH as [(_ & _ & _ & F & _)|IH]; [now destruct F|right; exact IH].
- right. simpl pulled. rewrite app_length, in_turns_length.
  destruct IH as [(Ee & Ea & Ep & _)|IH]; [|lia]. unfold each. rewrite Ee, Ea, Ep. apply Nat.le_refl.
- destruct IH as [(Ee & Ea & Ep & _ & Ed)|IH]; [left|right; exact IH]. simpl. repeat split; auto.
  + unfold undrawn. simpl drawn. simpl active. simpl length. rewrite (Next a (b :: k) eq_refl). discriminate.
  + rewrite Ed. lia.
Qed.

Lemma time_read_once m h z : reads_time m h = true -> reads_time m (z ++ h) = true -> z = [].
Proof.
intros H K. unfold reads_time in H, K. assert (L := later h z). cbv zeta in *.
destruct (undrawn (state_after h)) as [|a l] eqn:U; [discriminate|]. specialize (L ltac:(discriminate)).
destruct (undrawn (state_after (z ++ h))) as [|a' l'] eqn:U'; [discriminate|].
assert (D := active_some _ _ _ U). assert (D' := active_some _ _ _ U').
apply existsb_exists in H, K. destruct H as (i & I & H), K as (i' & I' & K). apply in_seq in I, I'. apply Nat.eqb_eq in H, K.
unfold first_time in *. destruct L as [(Ee & Ea & Ep & _ & Ed)|L].
- unfold each in I'. rewrite Ea, Ep, Ed in *. destruct z as [|x z]; [reflexivity|]. exfalso. simpl length in *.
  set (n := length (active (state_after h))) in *. assert (i < i' \/ i = i' \/ i' < i)%nat as [Q|[Q|Q]] by lia; nia.
- exfalso. set (n := length (active (state_after h))) in *. nia.
Qed.

Section Changed.
Variables (m : nat) (w : R).

Lemma turns_same x y f step n : (forall i, i <> m -> x i = y i) ->
  existsb (fun i => Nat.eqb (f + i * step) m) (seq 0 n) = false -> turns_sum x f step n = turns_sum y f step n.
Proof.
intros E. induction n as [|n IH]; intros F; [reflexivity|]. rewrite seq_S, existsb_app in F. simpl in F.
apply Bool.orb_false_elim in F. destruct F as [F G]. apply Bool.orb_false_elim in G. destruct G as [G _].
apply Nat.eqb_neq in G. simpl. now rewrite (E _ G), IH.
Qed.

Lemma turns_moved x y f step n : (1 <= step)%nat -> (forall i, i <> m -> x i = y i) -> Rabs (x m - y m) <= w ->
  Rabs (turns_sum x f step n - turns_sum y f step n) <= w.
Proof.
intros P E W. induction n as [|n IH]; simpl.
- rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rle_trans with (2 := W), Rabs_pos.
- destruct (Nat.eq_dec (f + n * step) m) as [Q|Q].
  + rewrite (turns_same x y f step n E).
    * rewrite Q. set (v := turns_sum y f step n). now replace (x m + v - (y m + v)) with (x m - y m) by ring.
    * destruct (existsb _ _) eqn:F; [|reflexivity]. apply existsb_exists in F. destruct F as (i & I & F).
      apply in_seq in I. apply Nat.eqb_eq in F. exfalso. nia.
  + rewrite (E _ Q). set (v := y (f + n * step)%nat).
    now replace (v + turns_sum x f step n - (v + turns_sum y f step n)) with (turns_sum x f step n - turns_sum y f step n) by ring.
Qed.
End Changed.
End Elimination.
