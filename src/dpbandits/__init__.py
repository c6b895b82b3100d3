"""The place where claims about differentially private bandits are checked.

What people use is imported from here, and from nowhere below: the names in `__init__.pyi`, each of which is loaded when
it is first asked for. Beside them `dpbandits.papers` has the policies of the papers, `dpbandits.laws` what a policy may
say about itself, `dpbandits.games` certified bounds on Thompson sampling's privacy, `dpbandits.pages` what the
author of a page needs, and `dpbandits.proofs` what the author of a proof does. Everything else may move without a word.
"""

import lazy_loader

__version__ = "0.9.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
