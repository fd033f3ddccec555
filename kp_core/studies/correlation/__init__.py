"""Compute correlations of measures with human scores of phrase pairs, and their uncertainty."""
