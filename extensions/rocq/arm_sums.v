(* Sums over arms: their expectations, and the sum over suboptimal arms, which bounds a regret. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import moments expectation.
Import ListNotations.
Open Scope R_scope.

(* A sum over the suboptimal arms. one is an arm with the largest mean. *)
Definition over_suboptimal {A : Type} (arms : list A) (mu : A -> R) (one : A) (f : R -> R) : R :=
  sum (fun a => if Rlt_dec (mu a) (mu one) then f (mu one - mu a) else 0) arms.

Lemma sum_const {A : Type} c (l : list A) : sum (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|a l IH]; [simpl; ring|]. cbn [sum length]. rewrite IH, S_INR. ring. Qed.

Lemma mean_of_arms {A : Type} {W : sample_space} (P : probability_measure W) (X : A -> W -> R) l :
  (forall a, In a l -> has_mean P (X a)) ->
  has_mean P (fun w => sum (fun a => X a w) l) /\ mean P (fun w => sum (fun a => X a w) l) = sum (fun a => mean P (X a)) l.
Proof.
induction l as [|a l IH]; intros H; cbn [sum]; [split; [apply has_mean_const|apply mean_const]|].
destruct IH as [F E]; [intros b I; apply H; now right|]. assert (Fa := H a (or_introl eq_refl)).
split; [now apply has_mean_plus|]. now rewrite mean_plus, E.
Qed.
