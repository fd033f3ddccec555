"""Recognize and read formats with a grammar of their own: lines, folders, annotations, TREC."""
