"""Widgets drawn as lines."""
