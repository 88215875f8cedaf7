"""Turn a fault that nobody knew into a rule: propose, show, check, confirm."""
