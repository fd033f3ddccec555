"""Recognize and read formats other than tables: lines, folders, annotations, TREC."""
