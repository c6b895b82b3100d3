(* Table 1: the GDP guarantees of DP-TS-UCB, all three rows. *)
From Coq Require Import Reals List Bool.
From Dpbandits Require Import moments rewards witnesses satisfiable.
From Dpbandits.hu25 Require Import section_4_3_theorem_4_4 section_4_3_corollary_4_5.
Import ListNotations.
Open Scope R_scope.

Theorem table_1_rows A same (arms : list A) T alpha floor r : NoDup arms ->
  dp_ts_ucb_gdp same arms T alpha floor r (row_mu (INR T) alpha).
Proof. apply table_1_dp_ts_ucb. Qed.

Lemma table_1_rows_witness : satisfiable table_1_rows.
Proof. exact table_1_dp_ts_ucb_witness. Qed.
