"""Interfaces for people and programs. A surface parses, authenticates and renders; policy decisions and store access
never come in."""
