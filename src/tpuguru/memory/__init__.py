"""Analytic memory budgets where no compiler can answer."""
