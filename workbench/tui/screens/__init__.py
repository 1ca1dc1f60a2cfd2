"""Screens: home, workbench, report, help and the small editors."""
