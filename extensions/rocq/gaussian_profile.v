(* The profile of Gaussian differential privacy: no threshold shows more, and it grows with the parameter. Two laws are
   mu-GDP if and only if they are (eps, delta(eps))-DP for every eps. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal half_planes gaussian.
Open Scope R_scope.

(* What a test for values above t shows at eps, where a normal value moves by mu deviations. *)
Definition threshold_delta (mu eps t : R) := Phi (mu - t) - exp eps * Phi (- t).

Lemma excess_is_delta mu eps : 0 < mu -> excess_at mu 1 (exp eps) = gaussian_delta mu eps.
Proof.
intros M. unfold excess_at, best_line, gaussian_delta. rewrite ln_1, ln_exp.
replace (mu / 2 + (0 - eps) / mu) with (- eps / mu + mu / 2) by (field; lra).
replace (- eps / mu + mu / 2 - mu) with (- eps / mu - mu / 2) by (field; lra). lra.
Qed.

Theorem threshold_below eps mu t : 0 <= eps -> 0 < mu -> threshold_delta mu eps t <= gaussian_delta mu eps.
Proof.
intros _ M. unfold threshold_delta. rewrite <- excess_is_delta by exact M.
assert (H := no_line_exceeds 1 (exp eps) Rlt_0_1 (exp_pos eps) mu (mu - t) M).
replace (mu - t - mu) with (- t) in H by ring. lra.
Qed.

Theorem delta_grows eps mu more : 0 <= eps -> 0 < mu -> 0 <= more ->
  gaussian_delta mu eps <= gaussian_delta (mu + more) eps.
Proof.
intros E M N. set (t := eps / mu + mu / 2). apply Rle_trans with (threshold_delta (mu + more) eps t).
- unfold threshold_delta, gaussian_delta.
  replace (- eps / mu + mu / 2) with (mu - t) by (unfold t; field; lra).
  replace (- eps / mu - mu / 2) with (- t) by (unfold t; field; lra).
  assert (Phi (mu - t) <= Phi (mu + more - t)) by (apply Phi_le; lra). lra.
- apply threshold_below; lra.
Qed.

Lemma delta_rises eps mu mu' : 0 <= eps -> 0 < mu -> mu <= mu' -> gaussian_delta mu eps <= gaussian_delta mu' eps.
Proof.
intros E M L. replace mu' with (mu + (mu' - mu)) by ring. apply delta_grows; lra.
Qed.

(** * Gaussian differential privacy is (eps, delta(eps)) for all eps *)
Lemma tail_reaches e : 0 < e -> exists t, Phi t < e.
Proof.
intros E. assert (L := tail_limit 1 0 Rlt_0_1). apply is_lim_seq_spec in L. destruct (L (mkposreal e E)) as (n & N).
exists (0 - 1 * INR n). specialize (N n (le_n n)). simpl in N. rewrite Rminus_0_r in N. apply Rabs_def2 in N. apply N.
Qed.

Lemma Phi_reaches a e : 0 <= a < 1 -> 0 < e -> exists t, a <= Phi t <= a + e.
Proof.
intros A E. set (y := a + Rmin e (1 - a) / 2). assert (Y : a < y < 1 /\ y <= a + e).
{ unfold y, Rmin. destruct (Rle_dec e (1 - a)); lra. }
destruct (tail_reaches y ltac:(lra)) as (lo & Lo). destruct (tail_reaches (1 - y) ltac:(lra)) as (hi & Hi).
rewrite <- (Ropp_involutive hi), Phi_opp in Hi.
destruct (IVT_gen Phi lo (- hi) y) as (t & _ & T).
- intros x. apply continuity_pt_filterlim, Phi_continuous.
- unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
- exists t. lra.
Qed.

(* Two laws, by the probability with which each test rejects; a test is an event, or one that draws as well. *)
Section Tests.
Variables (test : Type) (opposite : test -> test) (P Q : test -> R).
Hypotheses (P_inside : forall f, 0 <= P f <= 1) (Q_inside : forall f, 0 <= Q f <= 1).
Hypotheses (P_opposite : forall f, P (opposite f) = 1 - P f) (Q_opposite : forall f, Q (opposite f) = 1 - Q f).

(* No test has less error of the second kind, 1 - Q, at an error P of the first kind than the threshold test of N(0, 1)
   against N(mu, 1): that one rejects with Phi t under the first law, and with Phi(t + mu) under the second. *)
Definition gdp (mu : R) := forall f t, P f <= Phi t -> Q f <= Phi (t + mu).
Definition dp (eps delta : R) := forall f, Q f <= exp eps * P f + delta /\ P f <= exp eps * Q f + delta.

Lemma gdp_forward mu eps f : 0 < mu -> 0 <= eps -> gdp mu -> Q f <= exp eps * P f + gaussian_delta mu eps.
Proof.
intros M E G. assert (X := exp_pos eps). destruct (P_inside f) as [A [B|B]].
- apply le_epsilon. intros e Pe. destruct (Phi_reaches (P f) (e / exp eps) (conj A B)) as (t & T1 & T2).
  { now apply Rdiv_lt_0_compat. }
  assert (H := G f t T1). assert (D := threshold_below eps mu (- t) E M). unfold threshold_delta in D.
  rewrite Ropp_involutive in D. replace (mu - - t) with (t + mu) in D by ring.
  apply (Rmult_le_compat_l (exp eps)) in T2; [|lra].
  replace (exp eps * (P f + e / exp eps)) with (exp eps * P f + e) in T2 by (field; lra). lra.
- rewrite B. assert (D : 0 <= gaussian_delta mu eps).
  { rewrite <- excess_is_delta by exact M. apply excess_positive; [lra|exact X|exact M]. }
  assert (1 <= exp eps) by (rewrite <- exp_0; destruct E as [E|<-]; [left; now apply exp_increasing|apply Rle_refl]).
  generalize (Q_inside f). lra.
Qed.

Lemma gdp_backward mu eps f : 0 < mu -> 0 <= eps -> gdp mu -> P f <= exp eps * Q f + gaussian_delta mu eps.
Proof.
intros M E G. assert (X := exp_pos eps). assert (Pf := P_opposite f). assert (Qf := Q_opposite f).
assert (D0 : 0 <= gaussian_delta mu eps).
{ rewrite <- excess_is_delta by exact M. apply excess_positive; [lra|exact X|exact M]. }
destruct (P_inside (opposite f)) as [A [B|B]].
- apply le_epsilon. intros e Pe. destruct (Phi_reaches (P (opposite f)) e (conj A B) Pe) as (t & T1 & T2).
  assert (H := G (opposite f) t T1). assert (D := threshold_below eps mu (t + mu) E M). unfold threshold_delta in D.
  replace (mu - (t + mu)) with (- t) in D by ring. rewrite !Phi_opp in D.
  assert (exp eps * (1 - Phi (t + mu)) <= exp eps * Q f) by (apply Rmult_le_compat_l; lra). lra.
- generalize (Rmult_le_pos _ _ (Rlt_le _ _ X) (proj1 (Q_inside f))). lra.
Qed.

Theorem gdp_is_dp mu : 0 < mu -> (gdp mu <-> forall eps, 0 <= eps -> dp eps (gaussian_delta mu eps)).
Proof.
intros M. split.
- intros G eps E f. split; [now apply gdp_forward|now apply gdp_backward].
- intros D f t T. destruct (Rle_lt_dec t (- (mu / 2))) as [L|L].
  + set (eps := mu * (- t - mu / 2)). assert (E : 0 <= eps) by (apply Rmult_le_pos; lra).
    destruct (D eps E f) as [H _]. unfold gaussian_delta in H.
    replace (- eps / mu + mu / 2) with (t + mu) in H by (unfold eps; field; lra).
    replace (- eps / mu - mu / 2) with t in H by (unfold eps; field; lra).
    assert (X := exp_pos eps). apply (Rmult_le_compat_l (exp eps)) in T; lra.
  + set (eps := mu * (t + mu / 2)). assert (E : 0 <= eps) by (apply Rmult_le_pos; lra).
    destruct (D eps E (opposite f)) as [_ H]. unfold gaussian_delta in H. rewrite P_opposite, Q_opposite in H.
    replace (- eps / mu + mu / 2) with (- t) in H by (unfold eps; field; lra).
    replace (- eps / mu - mu / 2) with (- (t + mu)) in H by (unfold eps; field; lra).
    rewrite !Phi_opp in H. assert (X := exp_pos eps).
    apply Rmult_le_reg_l with (exp eps); [exact X|]. lra.
Qed.
End Tests.

(* The two normal laws themselves, tested by thresholds and their opposites. *)
Lemma gdp_witness mu : 0 < mu -> exists (test : Type) (opposite : test -> test) (P Q : test -> R),
  (forall f, 0 <= P f <= 1) /\ (forall f, 0 <= Q f <= 1) /\ (forall f, P (opposite f) = 1 - P f) /\
  (forall f, Q (opposite f) = 1 - Q f) /\ gdp test P Q mu.
Proof.
intros M. exists (bool * R)%type, (fun f : bool * R => (negb (fst f), snd f)).
exists (fun f : bool * R => if fst f then Phi (snd f) else 1 - Phi (snd f)).
exists (fun f : bool * R => if fst f then Phi (snd f + mu) else 1 - Phi (snd f + mu)).
split; [intros [[|] u]; simpl; generalize (Phi_inside u); lra|].
split; [intros [[|] u]; simpl; generalize (Phi_inside (u + mu)); lra|].
split; [intros [[|] u]; simpl; ring|]. split; [intros [[|] u]; simpl; ring|].
intros [[|] u] t H; simpl in *; rewrite <- ?Phi_opp in *; apply Phi_le.
- destruct (Rle_lt_dec u t) as [L|L]; [lra|]. apply Phi_increases in L. lra.
- destruct (Rle_lt_dec (- u) t) as [L|L]; [lra|]. apply Phi_increases in L. lra.
Qed.
