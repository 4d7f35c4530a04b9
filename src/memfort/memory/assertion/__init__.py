"""Assertion files: what a policy must allow and deny, written for people and put to the engine."""
