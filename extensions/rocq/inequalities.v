(* Inequalities of ordered fields that versions of mathcomp name differently. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Inequalities.
Variable R : realFieldType.
Implicit Types x y z : R.

Lemma le_times x y z : 0 < x -> (x * y <= x * z) = (y <= z).
Proof. by move=> x0; rewrite -subr_ge0 -mulrBr pmulr_rge0 // subr_ge0. Qed.

Lemma times_le x y z : 0 <= x -> y <= z -> x * y <= x * z.
Proof. by move=> x0 yz; rewrite -subr_ge0 -mulrBr mulr_ge0 // subr_ge0. Qed.

Lemma minus_le x y z : (x - y <= z) = (x <= y + z).
Proof. by rewrite -subr_ge0 -[RHS]subr_ge0 opprB addrCA addrA. Qed.

Lemma minus_le_minus x y z t : x <= y -> t <= z -> x - z <= y - t.
Proof. by move=> xy tz; rewrite -subr_ge0 opprB [z - x]addrC addrACA [- t + z]addrC addr_ge0 ?subr_ge0. Qed.

Lemma max_ge0 x : 0 <= Num.max x 0.
Proof. by case: (lerP x 0) => // /ltW. Qed.
End Inequalities.
