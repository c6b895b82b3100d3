(* Phi and exp in large whole numbers, from below and from above. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Bignums Require Import BigZ.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal moments.
Import ListNotations.
Open Scope R_scope.

(** * Large whole numbers as real ones *)
Definition real (x : bigZ) : R := IZR (BigZ.to_Z x).
Lemma real_mul x y : real (x * y)%bigZ = real x * real y.
Proof. unfold real. now rewrite BigZ.spec_mul, mult_IZR. Qed.
Lemma real_add x y : real (x + y)%bigZ = real x + real y.
Proof. unfold real. now rewrite BigZ.spec_add, plus_IZR. Qed.
Lemma real_sub x y : real (x - y)%bigZ = real x - real y.
Proof. unfold real. now rewrite BigZ.spec_sub, minus_IZR. Qed.
Lemma real_le x y : (x <=? y)%bigZ = true -> real x <= real y.
Proof. rewrite BigZ.spec_leb. intros H. apply IZR_le. now apply Z.leb_le. Qed.
Lemma real_lt x y : (x <=? y)%bigZ = false -> real y < real x.
Proof. rewrite BigZ.spec_leb. intros H. apply IZR_lt. now apply Z.leb_gt. Qed.
Lemma real_div x d : 0 < real d -> real (x / d)%bigZ * real d <= real x < (real (x / d)%bigZ + 1) * real d.
Proof.
unfold real. rewrite BigZ.spec_div. intros H. apply lt_IZR in H. generalize (BigZ.to_Z x) (BigZ.to_Z d) H. intros a b B.
assert (E := Z.div_mod a b ltac:(lia)). assert (M := Z.mod_pos_bound a b B).
rewrite <- (plus_IZR _ 1), <- !mult_IZR. split; [apply IZR_le|apply IZR_lt]; nia.
Qed.

Definition two14 : bigZ := 16384. Definition two20 : bigZ := 1048576. Definition two48 : bigZ := 281474976710656.
Definition two58 : bigZ := 288230376151711744. Definition two60 : bigZ := 1152921504606846976.
Lemma real_two14 : real two14 = 16384. Proof. reflexivity. Qed.
Lemma real_two20 : real two20 = 1048576. Proof. reflexivity. Qed.
Lemma real_two48 : real two48 = 281474976710656. Proof. reflexivity. Qed.
Lemma real_two58 : real two58 = 288230376151711744. Proof. reflexivity. Qed.
Lemma real_two60 : real two60 = 1152921504606846976. Proof. reflexivity. Qed.

(** * exp, by 26 squarings *)
Lemma exp_above r : Rabs r <= 1 / 2 -> exp r <= 1 + r + 2 * (r * r).
Proof.
intros H. apply Rabs_le_between in H. assert (E := exp_ineq1_le (- r)). rewrite exp_Ropp in E.
assert (P := exp_pos r). apply Rmult_le_reg_r with (/ exp r); [now apply Rinv_0_lt_compat|]. rewrite Rinv_r by lra.
assert (1 <= (1 + r + 2 * (r * r)) * (1 - r)) by nra.
apply Rle_trans with ((1 + r + 2 * (r * r)) * (1 - r)); [exact H0|].
apply Rmult_le_compat_l; [nra|lra].
Qed.

Fixpoint squared_up (n : nat) (x : bigZ) : bigZ :=
  match n with O => x | S n' => squared_up n' (x * x / two60 + 1)%bigZ end.
Fixpoint squared_down (n : nat) (x : bigZ) : bigZ :=
  match n with O => x | S n' => squared_down n' (x * x / two60)%bigZ end.

Definition in60 (x : bigZ) : R := real x / 1152921504606846976.

Lemma squared_up_ok n : forall x r, exp r <= in60 x -> exp (2 ^ n * r) <= in60 (squared_up n x).
Proof.
induction n as [|n IH]; intros x r H; simpl squared_up; [now rewrite Rmult_1_l|].
replace (2 ^ S n * r) with (2 ^ n * (r + r)) by (simpl; ring). apply IH. rewrite exp_plus.
assert (D := real_div (x * x) two60). rewrite real_two60, real_mul in D. unfold in60 in *.
rewrite real_add. change (real 1) with 1. assert (P := exp_pos r).
assert (exp r * exp r <= real x / 1152921504606846976 * (real x / 1152921504606846976)) by nra. lra.
Qed.

Lemma squared_down_ok n : forall x r, 0 <= in60 x <= exp r -> 0 <= in60 (squared_down n x) <= exp (2 ^ n * r).
Proof.
induction n as [|n IH]; intros x r H; simpl squared_down; [now rewrite Rmult_1_l|].
replace (2 ^ S n * r) with (2 ^ n * (r + r)) by (simpl; ring). apply IH. rewrite exp_plus.
assert (D := real_div (x * x) two60). rewrite real_two60, real_mul in D. unfold in60 in *.
assert (P := exp_pos r).
assert (real x / 1152921504606846976 * (real x / 1152921504606846976) <= exp r * exp r) by nra.
split; [|lra]. assert (0 <= real x * real x) by nra.
assert (Q : -1 < real (x * x / two60)%bigZ) by lra.
assert (Q' : 0 <= real (x * x / two60)%bigZ); [|lra].
unfold real in *. apply lt_IZR in Q. apply IZR_le. lia.
Qed.

(* exp(a / 2^41), in units of 2^-60, for |a| up to 2^50. *)
Definition c7 : bigZ := 128. Definition c73 : bigZ := 9444732965739290427392. Definition c50 : bigZ := 1125899906842624.
Definition small (a : bigZ) : bool := (a <=? c50)%bigZ && (0 - c50 <=? a)%bigZ.
Definition exp_up (a : bigZ) : bigZ := squared_up 26 (two60 + a / c7 + 2 + a * a / c73)%bigZ.
Definition exp_down (a : bigZ) : bigZ := squared_down 26 (two60 + a / c7)%bigZ.

Lemma small_range a : small a = true -> - 1125899906842624 <= real a <= 1125899906842624.
Proof.
unfold small. intros H. apply andb_prop in H. destruct H as [A B]. apply real_le in A, B.
rewrite real_sub in B. change (real c50) with 1125899906842624 in *. change (real 0) with 0 in B. lra.
Qed.

Lemma power_26 r : 2 ^ 26 * (r / 147573952589676412928) = r / 2199023255552.
Proof. simpl. field. Qed.

Lemma exp_up_ok a : small a = true -> exp (real a / 2199023255552) <= in60 (exp_up a).
Proof.
intros H. apply small_range in H. unfold exp_up. rewrite <- power_26. apply (squared_up_ok 26).
set (r := real a / 147573952589676412928). apply Rle_trans with (1 + r + 2 * (r * r)).
- apply exp_above. unfold r. apply Rabs_le. lra.
- assert (A := real_div a c7 ltac:(unfold real; apply IZR_lt; vm_compute; reflexivity)).
  assert (B := real_div (a * a) c73 ltac:(unfold real; apply IZR_lt; vm_compute; reflexivity)).
  change (real c7) with 128 in A. change (real c73) with 9444732965739290427392 in B. rewrite real_mul in B.
  unfold in60. rewrite !real_add, real_two60. change (real 2) with 2. unfold r. lra.
Qed.

Lemma exp_down_ok a : small a = true -> 0 <= in60 (exp_down a) <= exp (real a / 2199023255552).
Proof.
intros H. apply small_range in H. unfold exp_down. rewrite <- power_26. apply (squared_down_ok 26).
set (r := real a / 147573952589676412928). assert (A := real_div a c7 ltac:(unfold real; apply IZR_lt; vm_compute; reflexivity)).
change (real c7) with 128 in A. unfold in60. rewrite !real_add, real_two60. split; [lra|].
apply Rle_trans with (2 := exp_ineq1_le r). unfold r. lra.
Qed.

(** * Phi between multiples of 1/64 *)
Lemma exp_small w : -1 / 6 <= w -> w <= 1 / 2 -> 1 - w <= exp (- w) <= 1 - w + 6 / 5 * (w * w).
Proof.
intros L H. split; [generalize (exp_ineq1_le (- w)); lra|]. assert (E := exp_ineq1_le w). rewrite exp_Ropp.
assert (P := exp_pos w). apply Rmult_le_reg_l with (exp w); [exact P|]. rewrite Rinv_r by lra.
apply Rle_trans with ((1 + w) * (1 - w + 6 / 5 * (w * w))); [nra|]. apply Rmult_le_compat_r; nra.
Qed.

Lemma density_near y t : density (y + t) = density y * exp (- (y * t + t * t / 2)).
Proof.
unfold density, Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ sqrt (2 * PI))), <- Rmult_assoc, <- exp_plus.
do 2 f_equal. field.
Qed.

Lemma increases f f' h : 0 <= h -> (forall t, is_derive f t (f' t)) -> (forall t, 0 <= t <= h -> 0 <= f' t) -> f 0 <= f h.
Proof.
intros H D P. destruct (MVT_gen f 0 h f') as (z & Hz & E).
- intros; apply D.
- intros t _. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists; apply D.
- rewrite Rmin_left, Rmax_right in Hz by lra. assert (Q := P z Hz). nra.
Qed.

Lemma Phi_from_derive y t : is_derive (fun t => Phi (y + t)) t (density (y + t)).
Proof.
evar_last; [apply (is_derive_comp Phi (fun t => y + t)); [apply Phi_derive|auto_derive; [auto|reflexivity]]|].
unfold scal; simpl; unfold mult; simpl; ring.
Qed.

Lemma Phi_step y h : Rabs y <= 7 -> 0 <= h <= 1 / 64 ->
  Phi y + density y * (h * (1 - y * h / 2 - 1 / 16384)) <= Phi (y + h) <=
  Phi y + density y * (h * (1 - y * h / 2 + 2 / 5 * (y * h * (y * h)))).
Proof.
intros Y H. apply Rabs_le_between in Y. assert (P := density_positive y).
assert (W : forall t, 0 <= t <= h -> 1 - (y * t + t * t / 2) <= exp (- (y * t + t * t / 2)) <=
  1 - (y * t + t * t / 2) + 6 / 5 * ((y * t + t * t / 2) * (y * t + t * t / 2))).
{ intros t Ht. apply exp_small; nra. }
split.
- set (f := fun t => Phi (y + t) - density y * (t - y * (t * t) / 2 - t * t * t / 6)).
  assert (F : f 0 <= f h).
  { apply (increases f (fun t => density (y + t) - density y * (1 - y * t - t * t / 2))); [lra| |].
    - intros t. unfold f. apply (is_derive_minus (fun t => Phi (y + t))); [apply Phi_from_derive|].
      auto_derive; [auto|field].
    - intros t Ht. rewrite density_near. assert (X := W t Ht). nra. }
  unfold f in F. rewrite Rplus_0_r in F.
  assert (density y * (h * (1 - y * h / 2 - 1 / 16384)) <= density y * (h - y * (h * h) / 2 - h * h * h / 6)); [|lra].
  apply Rmult_le_compat_l; [lra|]. assert (h * h <= 1 / 64 * (1 / 64)) by nra. nra.
- set (f := fun t => density y * (t - y * (t * t) / 2 + 2 / 5 * (y * y) * (t * t * t)) - Phi (y + t)).
  assert (F : f 0 <= f h).
  { apply (increases f (fun t => density y * (1 - y * t + 6 / 5 * (y * y) * (t * t)) - density (y + t))); [lra| |].
    - intros t. unfold f. apply (is_derive_minus (fun t => density y * (t - y * (t * t) / 2 + 2 / 5 * (y * y) * (t * t * t)))
        (fun t => Phi (y + t))); [|apply Phi_from_derive]. auto_derive; [auto|field].
    - intros t Ht. rewrite density_near. assert (X := W t Ht).
      assert (6 / 5 * ((y * t + t * t / 2) * (y * t + t * t / 2)) - t * t / 2 <= 6 / 5 * (y * y) * (t * t)).
      { assert (A : y * t <= 7 / 64) by nra. assert (B : 0 <= t * t <= 1 / 64) by nra.
        assert (C : t * t * (6 / 5 * (y * t + t * t / 4) - 1 / 2) <= 0); [|lra].
        rewrite <- (Rmult_0_r (t * t)). apply Rmult_le_compat_l; lra. }
      assert (Q : exp (- (y * t + t * t / 2)) <= 1 - y * t + 6 / 5 * (y * y) * (t * t)) by lra.
      apply (Rmult_le_compat_l (density y)) in Q; lra. }
  unfold f in F. rewrite Rplus_0_r in F.
  replace (h * (1 - y * h / 2 + 2 / 5 * (y * h * (y * h)))) with (h - y * (h * h) / 2 + 2 / 5 * (y * y) * (h * h * h))
    by field. lra.
Qed.

(* The k-th entry: Phi(k/64) from below and above, and the density, in units of 2^-48. *)
Definition entry := (bigZ * bigZ * bigZ * bigZ)%type.
Definition good_entry (x : R) (e : entry) := let '(lo, hi, dlo, dhi) := e in
  real lo <= Phi x * 281474976710656 <= real hi /\
  0 <= real dlo /\ real dlo <= density x * 281474976710656 <= real dhi.
Fixpoint tabled (k : Z) (l : list entry) := match l with
  | [] => True | e :: l' => good_entry (IZR k / 64) e /\ tabled (k + 1) l' end.

Definition unknown : entry := (0, two48, 0, two48)%bigZ.
Lemma density_at_most x : density x <= 1.
Proof.
unfold density. assert (P := PI_RGT_0). assert (R0 := root_two_pi).
assert (1 <= sqrt (2 * PI)). { rewrite <- sqrt_1. apply sqrt_le_1_alt. generalize PI2_3_2; lra. }
assert (exp (- (x * x) / 2) <= 1). { rewrite <- exp_0. apply exp_le. nra. }
apply Rmult_le_reg_r with (sqrt (2 * PI)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma unknown_good x : good_entry x unknown.
Proof.
unfold good_entry, unknown. rewrite real_two48. change (real 0) with 0.
generalize (Phi_inside x) (density_positive x) (density_at_most x). lra.
Qed.

Lemma nth_good l n : forall k, tabled k l -> good_entry (IZR (k + Z.of_nat n) / 64) (nth n l unknown).
Proof.
revert l; induction n as [|n IH]; intros [|e l] k H; try apply unknown_good.
- rewrite Z.add_0_r. apply H.
- cbn [nth]. replace (k + Z.of_nat (S n))%Z with (k + 1 + Z.of_nat n)%Z by lia. apply IH, H.
Qed.

Section Table.
Variable table : list entry.
Hypothesis table_good : tabled 0 table.

Definition entry_at (k : bigZ) : entry :=
  if (0 <=? k)%bigZ then nth (Z.to_nat (BigZ.to_Z k)) table unknown
  else let '(lo, hi, dlo, dhi) := nth (Z.to_nat (- BigZ.to_Z k)) table unknown in (two48 - hi, two48 - lo, dlo, dhi)%bigZ.

Lemma entry_at_good k : good_entry (real k / 64) (entry_at k).
Proof.
unfold entry_at, real. destruct (0 <=? k)%bigZ eqn:E; rewrite BigZ.spec_leb in E; change (BigZ.to_Z 0) with 0%Z in E.
- apply Z.leb_le in E. assert (G := nth_good table (Z.to_nat (BigZ.to_Z k)) 0 table_good).
  rewrite Z2Nat.id in G by exact E. exact G.
- apply Z.leb_gt in E. assert (G := nth_good table (Z.to_nat (- BigZ.to_Z k)) 0 table_good).
  rewrite Z2Nat.id, Z.add_0_l in G by lia. destruct (nth _ table unknown) as [[[lo hi] dlo] dhi].
  unfold good_entry in *. rewrite !real_sub, !real_two48. rewrite opp_IZR in G.
  replace (- IZR (BigZ.to_Z k) / 64) with (- (IZR (BigZ.to_Z k) / 64)) in G by field.
  rewrite Phi_opp in G.
  assert (D : density (- (IZR (BigZ.to_Z k) / 64)) = density (IZR (BigZ.to_Z k) / 64)).
  { unfold density. do 3 f_equal. ring. }
  rewrite D in G. lra.
Qed.

(* Phi(y / 2^20) in units of 2^-48, for |y / 2^20| up to 398/64, where the table ends; beyond, the trivial bounds. *)
Definition table_end : bigZ := 6520832. Definition c27 : bigZ := 134217728.
Definition c26 : bigZ := 67108864. Definition scale_up : bigZ := 47223664828696452136960. Definition scale_down : bigZ := 140737488355328.
Definition near (y : bigZ) : bool := (y <=? table_end)%bigZ && (0 - table_end <=? y)%bigZ.

Definition Phi_up (y : bigZ) : bigZ :=
  if near y then
    let k := (y / two14)%bigZ in let h := (y - k * two14)%bigZ in let '(_, hi, _, dhi) := entry_at k in
    let u := (k * h)%bigZ in (hi + 1 + dhi * h * (10 * (c26 * c26) - 5 * u * c26 + 4 * (u * u)) / scale_up)%bigZ
  else two48.
Definition Phi_down (y : bigZ) : bigZ :=
  if near y then
    let k := (y / two14)%bigZ in let h := (y - k * two14)%bigZ in let '(lo, _, dlo, _) := entry_at k in
    (lo + dlo * h * (c27 - k * h - 8192) / scale_down)%bigZ
  else 0%bigZ.

Lemma split_place y : near y = true -> let k := (y / two14)%bigZ in let h := real (y - k * two14)%bigZ / 1048576 in
  real y / 1048576 = real k / 64 + h /\ 0 <= h <= 1 / 64 /\ -7 <= real k / 64 <= 7.
Proof.
unfold near. intros H. apply andb_prop in H. destruct H as [A B]. apply real_le in A, B. rewrite real_sub in B.
change (real table_end) with 6520832 in *. change (real 0) with 0 in B. cbv zeta. rewrite real_sub, real_mul, real_two14.
assert (D := real_div y two14). rewrite real_two14 in D. set (k := real (y / two14)%bigZ) in *.
assert (K : -449 < k) by lra. assert (K' : -448 <= k).
{ unfold k, real in *. apply lt_IZR in K. apply IZR_le. lia. }
repeat split; try lra. 
Qed.

Lemma Phi_up_ok y : Phi (real y / 1048576) * 281474976710656 <= real (Phi_up y).
Proof.
unfold Phi_up. destruct (near y) eqn:N; [|rewrite real_two48; generalize (Phi_inside (real y / 1048576)); lra].
destruct (split_place y N) as (E & Hh & Hk). cbv zeta in *. set (k := (y / two14)%bigZ) in *.
assert (G := entry_at_good k). destruct (entry_at k) as [[[lo hi] dlo] dhi]. destruct G as [[_ G1] [_ [_ G2]]].
set (hh := (y - k * two14)%bigZ) in *. set (h := real hh / 1048576) in *. set (x := real k / 64) in *.
assert (S := proj2 (Phi_step x h ltac:(apply Rabs_le; lra) Hh)). rewrite <- E in S.
assert (D := real_div (dhi * hh * (10 * (c26 * c26) - 5 * (k * hh) * c26 + 4 * (k * hh * (k * hh)))) scale_up
  ltac:(unfold real; apply IZR_lt; vm_compute; reflexivity)).
set (q := (_ / scale_up)%bigZ) in *. change (real scale_up) with 47223664828696452136960 in D.
rewrite !real_add, !real_mul, real_add, real_sub, !real_mul in *. change (real c26) with 67108864 in D.
change (real 10) with 10 in D. change (real 5) with 5 in D. change (real 4) with 4 in D. change (real 1) with 1.
set (u := x * h) in *.
assert (U : real k * real hh = u * 67108864) by (unfold u, x, h; field).
assert (HH : real hh = h * 1048576) by (unfold h; field).
replace (real dhi * real hh * (10 * (67108864 * 67108864) - 5 * (real k * real hh) * 67108864 +
  4 * (real k * real hh * (real k * real hh)))) with
  (real dhi * (h * (1 - u / 2 + 2 / 5 * (u * u))) * 47223664828696452136960) in D by (rewrite U, HH; field).
assert (Pos : 0 <= h * (1 - u / 2 + 2 / 5 * (u * u))) by (apply Rmult_le_pos; [lra|nra]).
assert (M : density x * 281474976710656 * (h * (1 - u / 2 + 2 / 5 * (u * u))) <=
  real dhi * (h * (1 - u / 2 + 2 / 5 * (u * u)))) by (apply Rmult_le_compat_r; lra).
lra.
Qed.

Lemma Phi_down_ok y : real (Phi_down y) <= Phi (real y / 1048576) * 281474976710656.
Proof.
unfold Phi_down. destruct (near y) eqn:N; [|change (real 0) with 0; generalize (Phi_inside (real y / 1048576)); lra].
destruct (split_place y N) as (E & Hh & Hk). cbv zeta in *. set (k := (y / two14)%bigZ) in *.
assert (G := entry_at_good k). destruct (entry_at k) as [[[lo hi] dlo] dhi]. destruct G as [[G1 _] [G0 [G2 _]]].
set (hh := (y - k * two14)%bigZ) in *. set (h := real hh / 1048576) in *. set (x := real k / 64) in *.
assert (S := proj1 (Phi_step x h ltac:(apply Rabs_le; lra) Hh)). rewrite <- E in S.
assert (D := real_div (dlo * hh * (c27 - k * hh - 8192)) scale_down ltac:(unfold real; apply IZR_lt; vm_compute; reflexivity)).
set (q := (_ / scale_down)%bigZ) in *. change (real scale_down) with 140737488355328 in D.
rewrite real_add, !real_mul, !real_sub, !real_mul in *. change (real c27) with 134217728 in D.
change (real 8192) with 8192 in D. 
set (u := x * h) in *.
assert (U : real k * real hh = u * 67108864) by (unfold u, x, h; field).
assert (HH : real hh = h * 1048576) by (unfold h; field).
replace (real dlo * real hh * (134217728 - real k * real hh - 8192)) with
  (real dlo * (h * (1 - u / 2 - 1 / 16384)) * 140737488355328) in D by (rewrite U, HH; field).
assert (Pos : 0 <= h * (1 - u / 2 - 1 / 16384)) by (apply Rmult_le_pos; [lra|unfold u; nra]).
assert (M : real dlo * (h * (1 - u / 2 - 1 / 16384)) <=
  density x * 281474976710656 * (h * (1 - u / 2 - 1 / 16384))) by (apply Rmult_le_compat_r; lra).
lra.
Qed.
End Table.
