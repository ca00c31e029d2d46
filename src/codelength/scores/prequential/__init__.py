from .clustering import FixedClustering, class_as_column
from .model import SequentialModel
from .naive_bayes import naive_bayes_sequence
