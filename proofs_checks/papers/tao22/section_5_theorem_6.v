(* Theorem 6: Algorithm 4 is eps-locally private. *)
From Coq Require Import Reals Lra.
From Dpbandits Require Import integral densities laplace satisfiable.
From Dpbandits.tao22 Require Import section_4_theorem_3 appendix_c_1.
Open Scope R_scope.

(* Epochs' bounds are made of the messages before: any function of them. *)
Theorem theorem_6 eps (bound : outcomes -> R) h x y (event : R -> bool) : 0 < eps -> (forall h, 0 < bound h) ->
  let chance x := integral (fun z => if event z then message eps (bound h) x z else 0) in
  chance x <= exp eps * chance y.
Proof.
intros E B chance. specialize (B h). assert (S : 0 < 2 * bound h / eps) by (apply Rdiv_lt_0_compat; lra).
destruct (integral_finite (message eps (bound h) y)) as (v & V).
{ unfold message. rewrite laplace_whole by exact S. lra. }
destruct (theorem_6_range eps (bound h) E B) as [L _]. apply (integral_scaled _ _ _ (1 * v)); [apply exp_pos| |].
- intros z. destruct (event z); [apply L|lra].
- apply (bounds_scaled _ (message eps (bound h) y)); [lra| |exact V]. intros z. destruct (event z); [lra|].
  rewrite Rmult_1_l. now apply laplace_positive.
Qed.

Lemma theorem_6_witness : satisfiable theorem_6.
Proof. exists 1, (fun _ => 1), nil, 0, 1, (fun _ => true). split; [lra|intros; lra]. Qed.
