"""Rules: one class each, found by walking this package."""
