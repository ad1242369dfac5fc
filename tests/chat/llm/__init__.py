"""Tests of what reaches a language model."""
