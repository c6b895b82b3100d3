"""The judge of privacy: policies, one-shot mechanisms, the finding and its certificate.

Every audit has the same four beats, whatever the exhibit is (runs of a policy, the values that it samples, a step whose
law is known, a black box; `audit.mechanism` is one more):

    search    neighbours that tell much: audit.search, audit.rounds, the places of a step
    draw      trials of either side, from addresses of their own
    score     a number a trial, large where the right side is likelier: by the law, by what search trials taught, or
              given; and the tests of it that are worth certifying (tradeoff.events.scored_by_law, scored_by_search)
    certify   fresh trials, in which nothing was chosen (tradeoff.events.certify)

The first two differ because exhibits do; the last two are the same functions for all, and an `Outcome` comes out.
"""
