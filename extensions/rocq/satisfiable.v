(* Whether the hypotheses of a theorem can hold together: a theorem with a contradiction among them says nothing.

   `satisfiable name` is a proposition that is written from the theorem's own statement, so that neither can change without
   the other: there are values of all its variables with which all its premises hold. Where the conclusion has premises,
   such as a definition that begins with "for all neighbours x and y", these are premises too. A lemma NAME_witness in the
   theorem's file proves it. *)

(* Of a statement P: `exists` for each variable, `/\` for each premise; True where there is neither. *)
Ltac hypotheses_of P :=
  lazymatch P with
  | not _ => constr:(True)
  | iff _ _ => constr:(True)
  | _ =>
      let P := eval hnf in P in
      lazymatch P with
      | ?A -> ?B =>
          let rest := hypotheses_of B in
          let sort := type of A in
          lazymatch sort with
          | Prop => lazymatch rest with True => A | _ => constr:(A /\ rest) end
          | _ => constr:(exists _ : A, rest)
          end
      | forall x : ?A, @?B x =>
          let rest := constr:(fun x : A => ltac:(let C := eval cbv beta in (B x) in
            let rest := hypotheses_of C in exact rest) : Prop) in
          constr:(ex rest)
      | ?A /\ ?B =>
          let a := hypotheses_of A in
          let b := hypotheses_of B in
          lazymatch a with
          | True => b
          | _ => lazymatch b with True => a | _ => constr:(a /\ b) end
          end
      | _ => constr:(True)
      end
  end.

Notation satisfiable theorem :=
  (ltac:(let P := type of theorem in let H := hypotheses_of P in let H := eval cbv beta in H in exact H)) (only parsing).
