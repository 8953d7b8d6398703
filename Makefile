# What a user and the CI call. `make` alone lists the targets.
.PHONY: help demo test soak lint doc install clean

help:
	@echo "make demo     build the command and compare controllers over a lossy path"
	@echo "make test     everything: format, lints, tests, documents; prints the time of each part"
	@echo "make soak     the two engines over 10,000 random networks; writes docs/soak.md"
	@echo "make lint     format and lints only"
	@echo "make doc      the API's documentation, in target/doc"
	@echo "make install  put the command westwood into cargo's bin folder"

demo:
	@cargo build --quiet --release -p westwood-cli
	@./target/release/westwood compare

test:
	@bash scripts/test

soak:
	@bash scripts/soak

lint:
	git ls-files '*.rs' | xargs rustfmt --edition 2024 --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

install:
	cargo install --path crates/cli

clean:
	cargo clean
