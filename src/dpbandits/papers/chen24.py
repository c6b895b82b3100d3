"""Chen, Karthik, Chee, Tan: Fixed-Budget Differentially Private Best Arm Identification (ICLR 2024)"""

from dpbandits.reference.papers.chen24 import EarlyStopping as EarlyStopping
from dpbandits.reference.papers.chen24 import baseline as baseline
from dpbandits.reference.papers.chen24 import dp_bai as dp_bai
from dpbandits.reference.papers.chen24 import dp_bai_gauss as dp_bai_gauss
from dpbandits.reference.papers.chen24 import dp_bai_printed as dp_bai_printed
from dpbandits.reference.papers.chen24 import dp_od as dp_od
from dpbandits.reference.papers.chen24 import od_linbai as od_linbai
