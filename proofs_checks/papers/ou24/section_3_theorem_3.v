(* Theorem 3: Lemma 3, in numbers eps and delta. *)
From Coq Require Import Reals Lra List.
From Dpbandits Require Import normal moments rewards thompson densities gaussian thompson_samples.
From Dpbandits.ou24 Require Import section_3_lemmas.
Import ListNotations.
Open Scope R_scope.

(* The formula of Theorems 3 and 4, as it is printed. *)
Definition printed_delta (m eps : R) := Phi (- eps / m + 1 / 2 * m) - exp eps * Phi (- eps / m - 1 / 2 * m).

Lemma printed_delta_is_gaussian m eps : printed_delta m eps = gaussian_delta m eps.
Proof. unfold printed_delta, gaussian_delta. now replace (1 / 2 * m) with (m / 2) by field. Qed.

Theorem theorem_3 A same (arms : list A) T r eps : NoDup arms -> (1 <= T)%nat -> 0 <= eps ->
  pulls_private same arms [] 1 T r true eps (printed_delta (sqrt (INR T / 2)) eps).
Proof. intros D N _ x y event draws near X Y. rewrite printed_delta_is_gaussian. now apply lemma_3 with (r := r). Qed.
