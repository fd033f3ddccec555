"""One file a format family; each is found by its place here and touches nothing else."""
