"""Tests in Chromium; a package, so that its fixtures of that scope end with its last test."""
