# The targets that a user and the CI call. `make` alone lists them.
.PHONY: help demo test wheel page site soak conclusions lint doc book fidelity install uninstall bench bench-parts bench-instructions bench-emulation ready-scenarios clean

help:
	@echo "make demo     build the command quickly and compare controllers over a lossy path"
	@echo "make test     everything: format, lints, tests, documents; prints the time of each part"
	@echo "make wheel    the Python package, into target/wheels"
	@echo "make page     the playground and the report's page, built anew into web/dist"
	@echo "make site     the book, the playground and the pages that exist, as one static folder: target/site"
	@echo "make soak     the two engines over 10,000 random networks; writes results/soak.md"
	@echo "make conclusions  how often conclusions of compare are wrong; writes results/conclusions.md"
	@echo "make lint     format and lints only"
	@echo "make fidelity every number of ns-2 and Linux beside ours: docs/evidence/fidelity.md"
	@echo "make ready-scenarios  what every ready scenario prints: results/ready-scenarios.md; ONLY=NAME shortens"
	@echo "make doc      the API's documentation, in target/doc"
	@echo "make book     the documents as a book, in target/book (installs mdBook there first)"
	@echo "make bench    whole runs beside ns-2 and ns-3; ROWS=\"P1 P3\" chooses, ROUNDS=3 shortens"
	@echo "make bench-parts          the time of each part"
	@echo "make bench-instructions   instructions a packet by component; needs valgrind"
	@echo "make bench-emulation      lateness and throughput of emulated paths on this kernel, beside its tc"
	@echo "make install  the command, completions and manual pages into PREFIX (~/.local); make uninstall"

# Built for being built fast, and not for the next time; `make install` gives everything.
demo:
	@CARGO_INCREMENTAL=0 cargo run --quiet -p westwood-cli --no-default-features -- compare

test:
	@bash scripts/test

wheel:
	@bash scripts/wheel

page:
	@bash scripts/web build

# PAPERS and CARDS are what `reproduce --html` and `evaluate --html` wrote.
site: book page
	@bash scripts/site "$(or $(PAPERS),target/papers)" "$(or $(CARDS),target/cards)"

soak:
	@bash scripts/soak

# Minutes of processor time.
conclusions:
	@bash scripts/conclusions $(RUNS) $(DRAWS)

lint:
	files=$$(git ls-files '*.rs') && rustfmt --edition 2024 --check $$files
	cargo clippy --workspace --all-targets --quiet -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

MDBOOK = target/tools/bin/mdbook
book: $(MDBOOK)
	$(MDBOOK) build

$(MDBOOK):
	cargo install mdbook --version 0.5.4 --locked --root target/tools

# Every path under every sender: minutes. Only what has no result yet: MISSING=--missing.
fidelity:
	cargo run --release --quiet -p westwood-fidelity -- $(MISSING)

# Minutes of processor time. The heads of scenarios/ that then say other numbers are mended by hand.
ready-scenarios:
	WESTWOOD_WRITE=$(or $(ONLY),all) cargo test --release --quiet -p westwood-cli --test heads what_is_kept \
		-- --nocapture

# The command, its completions and its manual pages. BINARY is one that is built already.
install:
	$(if $(BINARY),,cargo build --release -p westwood-cli)
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" bash scripts/install \
		"$(or $(BINARY),$(or $(CARGO_TARGET_DIR),target)/release/westwood)"

uninstall:
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" bash scripts/install --remove

# The benchmarks measure the build that users get: an incremental one would be slower. Chosen rows are
# printed only: the page that is kept has them all.
bench bench-parts bench-instructions: export CARGO_INCREMENTAL = 0
bench:
	@cargo build --quiet --release -p westwood-cli -p westwood-bench
	@$$(scripts/built)/release/westwood-bench whole $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(or $(ROWS),--output results/bench.md)

bench-parts:
	cargo bench -p westwood-bench --bench parts

bench-instructions:
	cargo run --profile instructions -p westwood-bench -- instructions
	cargo run --profile instructions -p westwood-bench -- instructions --parts

bench-emulation:
	cargo run --release --quiet -p westwood-emu --example speed
	cargo build --release --quiet -p westwood-cli
	scripts/bench-tc

clean:
	cargo clean
