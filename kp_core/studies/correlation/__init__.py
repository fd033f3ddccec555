"""Turn human scores of phrase pairs and values of measures into correlations with their uncertainty."""
