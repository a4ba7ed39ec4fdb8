"""The cost models of the papers, and the figures that are drawn from them. No Spark."""
