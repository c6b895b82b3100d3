(* Infinitely many independent tosses of a fair coin, as a probability measure: its random variables are the functions of
   finitely many tosses. Witnesses draw their rewards from it. *)
From Coq Require Import Reals Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import moments expectation concentration.
Open Scope R_scope.

(* f depends on the first n tosses alone. *)
Definition settled (n : nat) (f : (nat -> bool) -> R) : Prop :=
  forall w w', (forall i, (i < n)%nat -> w i = w' i) -> f w = f w'.

(* The toss b before the tosses w. *)
Definition first_then (b : bool) (w : nat -> bool) (i : nat) : bool := match i with O => b | S j => w j end.
(* The average over the first n tosses; all others show false. *)
Fixpoint average_tosses (n : nat) (f : (nat -> bool) -> R) : R :=
  match n with
  | O => f (fun _ => false)
  | S k => (average_tosses k (fun w => f (first_then true w)) + average_tosses k (fun w => f (first_then false w))) / 2
  end.

Lemma settled_more n m f : (n <= m)%nat -> settled n f -> settled m f.
Proof. intros L S w w' E. apply S. intros i I. apply E. lia. Qed.

Lemma settled_first b n f : settled (S n) f -> settled n (fun w => f (first_then b w)).
Proof. intros H w w' E. apply H. intros [|i] I; [reflexivity|]. apply E. lia. Qed.

Lemma average_const n c : average_tosses n (fun _ => c) = c.
Proof. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; field]. Qed.

Lemma average_same n f g : (forall w, f w = g w) -> average_tosses n f = average_tosses n g.
Proof. intros E. f_equal. same_function. exact E. Qed.

(* More tosses than f depends on change nothing. *)
Lemma average_settled n f : settled n f -> forall m, (n <= m)%nat -> average_tosses m f = average_tosses n f.
Proof.
revert f. induction n as [|n IH]; intros f H m L.
- rewrite (average_same m f (fun _ => f (fun _ => false))) by (intros w; apply H; lia). apply average_const.
- destruct m as [|m]; [lia|]. simpl. rewrite !(IH _ (settled_first _ _ _ H) m) by lia. reflexivity.
Qed.

Lemma average_linear n a b f g :
  average_tosses n (fun w => a * f w + b * g w) = a * average_tosses n f + b * average_tosses n g.
Proof. revert f g. induction n as [|n IH]; intros f g; simpl; [reflexivity|]. rewrite !IH. field. Qed.

Lemma average_le n f g : (forall w, f w <= g w) -> average_tosses n f <= average_tosses n g.
Proof.
revert f g. induction n as [|n IH]; intros f g H; simpl; [apply H|].
assert (A := IH (fun w => f (first_then true w)) (fun w => g (first_then true w)) (fun w => H _)).
assert (B := IH (fun w => f (first_then false w)) (fun w => g (first_then false w)) (fun w => H _)). lra.
Qed.

Definition tosses : sample_space.
Proof.
exists (nat -> bool) (fun f => exists n, settled n f).
- intros c. exists 0%nat. now intros w w' _.
- intros f g (n & F) (m & G). exists (Nat.max n m). intros w w' E.
  rewrite (F w w'), (G w w') by (intros; apply E; lia). reflexivity.
- intros f g (n & F) (m & G). exists (Nat.max n m). intros w w' E.
  rewrite (F w w'), (G w w') by (intros; apply E; lia). reflexivity.
- intros h f _ (n & F). exists n. intros w w' E. now rewrite (F w w' E).
- intros c f (n & F). exists n. intros w w' E. now rewrite (F w w' E).
Defined.

Definition mean_of_tosses (f : (nat -> bool) -> R) : R := real (Lim_seq (fun n => average_tosses n f)).

Lemma mean_of_settled n f : settled n f -> mean_of_tosses f = average_tosses n f.
Proof.
intros H. unfold mean_of_tosses. rewrite (Lim_seq_ext_loc _ (fun _ => average_tosses n f)).
- now rewrite Lim_seq_const.
- exists n. intros m L. now apply average_settled.
Qed.

Definition fair_tosses : probability_measure tosses.
Proof.
exists (fun f => exists n, settled n f) mean_of_tosses.
- intros f F. exact F.
- intros f g F _ _. exact F.
- intros c. exists 0%nat. now intros w w' _.
- intros a b f g (n & F) (m & G). exists (Nat.max n m). intros w w' E.
  rewrite (F w w'), (G w w') by (intros; apply E; lia). reflexivity.
- intros c. rewrite (mean_of_settled 0) by (now intros w w' _). reflexivity.
- intros a b f g (n & F) (m & G). set (k := Nat.max n m).
  assert (F' := settled_more n k f ltac:(unfold k; lia) F). assert (G' := settled_more m k g ltac:(unfold k; lia) G).
  rewrite (mean_of_settled k f F'), (mean_of_settled k g G'), <- average_linear. apply mean_of_settled.
  intros w w' E. now rewrite (F' w w' E), (G' w w' E).
- intros f g (n & F) (m & G) H. set (k := Nat.max n m).
  rewrite (mean_of_settled k f (settled_more n k f ltac:(unfold k; lia) F)),
    (mean_of_settled k g (settled_more m k g ltac:(unfold k; lia) G)). now apply average_le.
Defined.

(* x k is what the k-th toss pays: a if it shows true, and else b. *)
Definition pays_by_toss (a b : R) (k : nat) (w : nat -> bool) : R := if w k then a else b.

Lemma toss_settled a b k : settled (S k) (pays_by_toss a b k).
Proof. intros w w' E. unfold pays_by_toss. now rewrite (E k) by lia. Qed.

Lemma average_toss a b k : average_tosses (S k) (pays_by_toss a b k) = (a + b) / 2.
Proof.
induction k as [|k IH]; [simpl; unfold pays_by_toss; simpl; field|].
change (average_tosses (S (S k)) (pays_by_toss a b (S k))) with
  ((average_tosses (S k) (pays_by_toss a b k) + average_tosses (S k) (pays_by_toss a b k)) / 2). rewrite IH. field.
Qed.

Lemma mean_toss a b k : mean fair_tosses (pays_by_toss a b k) = (a + b) / 2.
Proof. change (mean_of_tosses (pays_by_toss a b k) = (a + b) / 2). rewrite (mean_of_settled (S k)) by apply toss_settled. apply average_toss. Qed.

(* From the first factor on. *)
Lemma product_from_first n x : product_to (S n) x = x 0%nat * product_to n (fun i => x (S i)).
Proof. induction n as [|n IH]; [simpl; ring|]. change (product_to (S (S n)) x) with (product_to (S n) x * x (S n)). rewrite IH. simpl. ring. Qed.

Lemma average_product n (u v : nat -> R) :
  average_tosses n (fun w => product_to n (fun i => if w i then u i else v i)) = product_to n (fun i => (u i + v i) / 2).
Proof.
revert u v. induction n as [|n IH]; intros u v; [reflexivity|]. rewrite product_from_first. cbn [average_tosses].
assert (E : forall b, average_tosses n (fun w => product_to (S n) (fun i => if first_then b w i then u i else v i)) =
  (if b then u 0%nat else v 0%nat) * product_to n (fun i => (u (S i) + v (S i)) / 2)).
{ intros b. rewrite <- (IH (fun i => u (S i)) (fun i => v (S i))).
  set (c := if b then u 0%nat else v 0%nat).
  rewrite (average_same n _ (fun w => c * product_to n (fun i => if w i then u (S i) else v (S i)) + 0 * 0)).
  - rewrite average_linear. ring.
  - intros w. rewrite product_from_first. simpl. unfold c. ring. }
rewrite !E. field.
Qed.

Lemma pays_independent a b n : independent fair_tosses (pays_by_toss a b) n.
Proof.
intros h _ _. assert (S' : settled n (fun w => product_to n (fun i => h i (pays_by_toss a b i w)))).
{ intros w w' E. apply product_to_same. intros i I. unfold pays_by_toss. now rewrite (E i I). }
split; [now exists n|]. change (mean_of_tosses (fun w => product_to n (fun i => h i (pays_by_toss a b i w))) =
  product_to n (fun i => mean fair_tosses (fun w => h i (pays_by_toss a b i w)))).
rewrite (mean_of_settled n _ S').
rewrite (average_same n _ (fun w => product_to n (fun i => if w i then h i a else h i b))).
- rewrite average_product. apply product_to_same. intros i _.
  rewrite <- (mean_toss (h i a) (h i b) i). apply mean_same. intros w. unfold pays_by_toss. now destruct (w i).
- intros w. apply product_to_same. intros i _. unfold pays_by_toss. now destruct (w i).
Qed.
