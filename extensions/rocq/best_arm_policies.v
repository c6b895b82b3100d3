(* Policies that pull arms and then recommend one. *)
From Coq Require Import Reals.
From Dpbandits Require Import expectation interaction.

(* pick h a, recommend h a: the probability that arm a is pulled, or recommended, after the pulls and rewards h. *)
Record bai_policy (W : sample_space) (K : nat) := {
  pick : seen W -> nat -> R;
  pick_chooses : chooses W K pick;
  recommend : seen W -> nat -> R;
  recommend_chooses : chooses W K recommend
}.
Arguments pick {W K}.
Arguments pick_chooses {W K}.
Arguments recommend {W K}.
Arguments recommend_chooses {W K}.
