(* Theorem 4.6: Theorem 4.4 in numbers eps and delta, with a larger parameter. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import normal moments rewards densities gaussian gaussian_profile witnesses satisfiable.
From Dpbandits.hu25 Require Import section_4_3_theorem_4_4.
Open Scope R_scope.

(* The formula, as it is printed. *)
Definition profile_of (phi eps : R) :=
  Phi (- eps / sqrt (2 * phi) + sqrt (2 * phi) / 2) - exp eps * Phi (- eps / sqrt (2 * phi) - sqrt (2 * phi) / 2).

Lemma log_at_least_1 T : (3 <= T)%nat -> 1 <= ln (INR T).
Proof.
intros H. apply le_INR in H. replace (INR 3) with 3 in H by (simpl; ring).
assert (E : exp 1 <= INR T) by (generalize exp_le_3; lra). rewrite <- (ln_exp 1).
destruct E as [E|<-]; [left; apply ln_increasing; [apply exp_pos|exact E]|apply Rle_refl].
Qed.

Lemma printed_mu_below T alpha : (3 <= T)%nat -> 0 <= alpha ->
  0 < printed_mu (INR T) alpha <= sqrt (2 * printed_phi (INR T) alpha).
Proof.
intros H A. assert (C := c_0_positive). assert (L := log_at_least_1 T H).
assert (M : 0 < printed_mu (INR T) alpha).
{ apply sqrt_lt_R0. repeat apply Rmult_lt_0_compat; (exact C || apply exp_pos || lra). }
split; [exact M|]. rewrite <- (sqrt_square (printed_mu (INR T) alpha)) by lra. apply sqrt_le_1_alt.
rewrite printed_square. assert (P : 0 < printed_phi (INR T) alpha).
{ unfold printed_phi. repeat apply Rmult_lt_0_compat; (exact C || apply exp_pos). }
assert (V : 1 <= printed_variance (INR T) alpha).
{ unfold printed_variance. rewrite <- (Rpower_O (ln (INR T))) by lra. now apply Rle_Rpower. }
assert (I : / printed_variance (INR T) alpha <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
unfold Rdiv. apply (Rmult_le_compat_l (printed_phi (INR T) alpha)) in I; lra.
Qed.

Theorem theorem_4_6 (A : Type) (same : forall a b : A, {a = b} + {a <> b}) (arms : list A) T alpha floor r eps x y
  draws event : (3 <= T)%nat -> 0 <= alpha -> 0 <= eps -> NoDup arms ->
  neighbours A same r x y -> in_range A x -> in_range A y ->
  let v := printed_variance (INR T) alpha in let phi := printed_phi (INR T) alpha in
  pulls_chance A same arms T v phi floor x event draws <=
    exp eps * pulls_chance A same arms T v phi floor y event draws + profile_of phi eps.
Proof.
intros H N E D near X Y v phi. destruct (printed_mu_below T alpha H N) as [M L].
assert (G := delta_rises eps _ _ E M L).
destruct (theorem_4_4 A same arms T alpha floor r eps x y draws D near X Y) as [_ P]. specialize (P event).
change (profile_of phi eps) with (gaussian_delta (sqrt (2 * phi)) eps). fold v phi in P. fold phi in G. lra.
Qed.

Lemma theorem_4_6_witness : satisfiable theorem_4_6.
Proof.
destruct (different_rewards bool Bool.bool_dec true 0 pull) as (x & y & N & X & Y).
exists bool, Bool.bool_dec, (true :: false :: nil), 3%nat, 0, 0, pull, 1, x, y, 6%nat, (fun _ => true). hold.
Qed.
