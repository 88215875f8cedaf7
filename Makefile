# The two promises of the README, and what they are made of.
.PHONY: demo test lint format lock clean

demo:  ## set up tpuguru and the MaxText toolchain, then check a real published launch end to end
	@scripts/demo

test:  ## set up the development environment, then run every check and test that CI runs
	@scripts/test

lint:
	@scripts/test --static

format:
	@environment=$$(scripts/bootstrap dev) && "$$environment/bin/ruff" format . && "$$environment/bin/ruff" check --fix . && \
	"$$environment/bin/clang-format" --style=file:native/.clang-format -i native/*/*.cc native/*/*.h tests/native/*.cc tests/native/unit/*

lock:  ## refresh the hash-pinned requirement files
	@scripts/lock
