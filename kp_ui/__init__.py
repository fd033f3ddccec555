"""Arrange the dashboard: navigation, sidebar, session state, cached calls, and ways to show results."""
