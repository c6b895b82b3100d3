"""The policies of the papers, a module a paper: `from dpbandits.papers.ou24 import ThompsonSampling`.

Each paper is loaded alone, when it is asked for. `bernoulli` is no paper's: Thompson sampling with Beta priors.
"""
