"""Analytic memory budgets, for launches that no compiler can be asked about."""
