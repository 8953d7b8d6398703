# What a user and the CI call. `make` alone lists the targets.
.PHONY: help demo test lint doc fidelity install clean

help:
	@echo "make demo     build the command and compare controllers over a lossy path"
	@echo "make test     everything: format, lints, tests, documents; prints the time of each part"
	@echo "make lint     format and lints only"
	@echo "make fidelity every number of ns-2 and Linux beside ours: docs/fidelity.md"
	@echo "make doc      the API's documentation, in target/doc"
	@echo "make install  put the command westwood into cargo's bin folder"

demo:
	@cargo build --quiet --release -p westwood-cli
	@./target/release/westwood compare

test:
	@bash scripts/test

lint:
	git ls-files '*.rs' | xargs rustfmt --edition 2024 --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every path under every sender: minutes. Only what has no result yet: MISSING=--missing.
fidelity:
	cargo run --release --quiet -p westwood-fidelity -- $(MISSING)

install:
	cargo install --path crates/cli

clean:
	cargo clean
