"""Reproduces the papers' figures, and measures deltawave compared with other tools; the commands are one folder up."""
