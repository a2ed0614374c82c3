# The suite's commands. `make demo` does the main job, `make test` proves it,
# `make quick` is for after each change, `make check` is what CI runs.

GO      ?= go
BIN     ?= bin
VERSION ?= $(shell git describe --tags --match 'v*' --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X github.com/agit-suite/agit/shared/cli.Version=$(VERSION)
# The programs are the folders BINARY and BINARY/cmd/NAME that hold a main.go:
# a new one is built, installed, released and packaged by being there. Those
# named fake… serve the demo, the sandbox and the tests, and are not installed.
MAINS    := $(patsubst %/main.go,./%,$(sort $(wildcard */main.go */cmd/*/main.go)))
FAKES    := $(foreach main,$(MAINS),$(if $(filter fake%,$(notdir $(main))),$(main)))
PROGRAMS := $(filter-out $(FAKES),$(MAINS))
SERVERS  := $(filter %-mcp,$(PROGRAMS))
MODULES := $(shell sed -n 's|^	\./||p' go.work)
TOOLS   := $(CURDIR)/.cache/tools
FUZZTIME ?= 20s
# The programs as tests and checks run them: built once for all, as released.
TESTED  := $(CURDIR)/.cache/programs
TIMES   := $(CURDIR)/.cache/test-times

export CGO_ENABLED ?= 0
# Builds, tests and checks share what they compile only when all are told the same.
export GOFLAGS += -trimpath

.PHONY: bench-table bench-day bench-team help build install demo pictures sandbox test check fix bench soak power faults fuzz docs rename-module clean
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 18

build: ## build every binary into bin/
	@mkdir -p "$(BIN)"
	@echo "building the programs into $(BIN)/ (the first time compiles SQLite too, which takes some minutes)"
	@GO="$(GO)" scripts/build "$(BIN)" '$(LDFLAGS)' $(PROGRAMS) $(FAKES)

install: ## install the programs into GOBIN
	@echo "installing the programs (the first time compiles SQLite too, which takes some minutes)"
	@$(GO) install -trimpath -ldflags '$(LDFLAGS)' $(PROGRAMS)
	@dir=$$($(GO) env GOBIN); dir=$${dir:-$$($(GO) env GOPATH)/bin}; echo "installed into $$dir"; \
	  case ":$$PATH:" in *":$$dir:"*) ;; *) echo "it is not on your PATH yet: export PATH=\"\$$PATH:$$dir\"" ;; esac

demo: build ## run the main jobs on a clone of this repository (REPO=path for yours)
	@scripts/demo "$(BIN)" "$(or $(REPO),.)"

pictures: build ## draw the README's pictures from an example that the programs fill (needs tmux)
	scripts/pictures "$(BIN)"
	scripts/moving-picture "$(BIN)"
	@scripts/page-picture "$(BIN)"

sandbox: build ## a shell with its own HOME, registry, repository and trackers to try things in
	@scripts/sandbox "$(BIN)"

quick: $(TOOLS) ## after each change: format, vet, lint and short tests of the packages that changed and of their importers (BASE=revision)
	@scripts/quick $(TOOLS)/golangci-lint $(BASE)

test: ## every test of the workspace; every half minute it prints which ones run
	@$(MAKE) --no-print-directory test-part PART=all

# The runners of a workflow share the tests by PART. The integration module begins
# first, since its tests wait most of the time. Of a result in its cache go test knows
# the tests, not the programs that they ran: AGIT_PROGRAMS_ARE tells it.
PARTS := all units scripts-a-l scripts-m-z processes
all         = ./integration $$($(GO) list work | grep -v '/integration$$')
units       = $$($(GO) list work | grep -v '/integration$$')
scripts-a-l = -run 'TestScripts/^[a-l]|TestDocs|TestDemo' ./integration
scripts-m-z = -run 'TestScripts/^[m-z]|TestTrackers' ./integration
processes   = -skip 'TestScripts|TestDocs|TestDemo|TestTrackers$$' ./integration
test-part: tested-programs
	@test -n "$(filter $(PART),$(PARTS))" || { echo "usage: make test-part PART=NAME, which is one of: $(PARTS)"; exit 2; }
	@AGIT_PROGRAMS="$(TESTED)" AGIT_PROGRAMS_ARE="$$(cat "$(TESTED)"/* | cksum)" \
	  $(GO) run ./integration/testrun -save "$(TIMES)" -- -timeout 60m $($(PART))

# For systems on which the scripts do not run, as Windows: what needs no built program.
test-short:
	@$(GO) run ./integration/testrun -- -short -timeout 30m $$($(GO) list work | grep -vE '/(integration|integration/conformance|agit/webtest)$$')

tested-programs:
	@mkdir -p "$(TESTED)"
	@echo "building the programs for the tests (the first time compiles SQLite too, which takes some minutes)"
	@$(GO) build -ldflags '-s -w' -o "$(TESTED)/" $(MAINS)

bench: build ## measure speed and size as ratios (BENCH=pattern)
	scripts/bench '$(or $(BENCH),.)'

bench-day: build ## sixty tasks of five scripted agents in a clone of this repository, with plain worktrees and with the suite
	AGIT_PROGRAMS="$(abspath $(BIN))" $(GO) test -run '^$$' -bench 'BenchmarkDay$$' -benchtime 1x -timeout 60m ./integration

bench-team: ## 200 simulated agents against one PostgreSQL server on this machine: claims a second, p95, what saturates
	$(GO) test -run '^$$' -bench 'BenchmarkTeam$$|BenchmarkClaims32$$|BenchmarkEngines$$' -benchtime 1x -timeout 60m ./agit/internal/task

bench-table: build ## run every benchmark and write docs/performance.md (takes 20 minutes; BENCH=pattern for some)
	AGIT_PROGRAMS="$(abspath $(BIN))" $(GO) run ./integration/performance docs/performance.md '$(or $(BENCH),.)'

soak: ## a server under load for ten minutes, 16 processes over 5,000 tasks, many landings at once and killed, five agents for a day, clients that write while their sessions are read
	AGIT_SOAK=10m AGIT_RACE_TASKS=5000 AGIT_WORK_DAY=1 $(GO) test -count 1 -timeout 120m -v ./integration \
	  -run 'TestSoak|TestNextRace|TestClaimsRace|TestMergesAtOnce|TestLandings$$|TestKilledLandings|TestDayWithoutAPerson|TestWorkersKilled'
	AGIT_SOAK=10m $(GO) test -count 1 -timeout 30m -run TestClientsThatWriteMeanwhile ./shared/sessions/index

power: ## cut the power after every acknowledging command (needs root, to mount file systems)
	AGIT_POWER=1 $(GO) test -count 1 -run TestPowerCut -v ./integration

faults: ## let every call to the disk fail once, in the suite and in git (needs strace)
	AGIT_FAULTS=all $(GO) test -count 1 -timeout 60m -run TestDiskFailsAnywhere -v ./integration

simulate: ## edit both sides of each tracker at random through faults, storms and kills, by the hundred
	AGIT_SIM_SEEDS=100 $(GO) test -count 1 -timeout 60m -run TestSimulation ./pmsync/internal/sync

check-clients: ## install agents' clients from npm, ask them what agit setup wrote, compare their command lines with their help, and let them work
	AGIT_CLIENTS=$(or $(AGIT_CLIENTS),1) $(GO) test -count 1 -timeout 30m -run TestRealCommandLines -v ./agit/internal/run/worker
	AGIT_CLIENTS=$(or $(AGIT_CLIENTS),1) AGIT_CLIENTS_PAGE=$(if $(AGIT_CLIENTS_PAGE),$(abspath $(AGIT_CLIENTS_PAGE))) $(GO) test -count 1 -timeout 90m -run 'TestRealClients|TestRealNight|TestRealSession' -v ./integration

fuzz: ## run every fuzz target for FUZZTIME
	scripts/fuzz $(FUZZTIME)

docs: ## write docs/cli and docs/mcp from help texts and tool schemas, the plugins of clients from setup's recipes, .goreleaser.yaml, flake.nix and the feature for dev containers from the programs
	scripts/docs docs
	$(GO) test -count 1 ./agit/internal/setup -run TestPluginsAreCurrent -update
	$(GO) run ./integration/release goreleaser > .goreleaser.yaml.new && mv .goreleaser.yaml.new .goreleaser.yaml
	$(GO) run ./integration/release flake > flake.nix.new && mv flake.nix.new flake.nix
	$(GO) run ./integration/release feature devcontainer

# What archives and packages hold beside the programs.
pages: build ## write man pages and completions into .cache/pages
	@rm -rf .cache/pages && mkdir -p .cache/pages/completions
	@for p in $(patsubst %-mcp,%,$(notdir $(SERVERS))); do $(BIN)/$$p docs .cache/pages/man --format man || exit 1; \
	  for shell in bash zsh fish; do $(BIN)/$$p completion $$shell > .cache/pages/completions/$$p.$$shell || exit 1; done; done

# `make tag` leaves branches, index and files alone: it makes a commit that only
# the tags lead to, and says what to push. goreleaser then runs on that tag.
.PHONY: pages tag dist packages
tag: ## make the commit and the tags of a release (RELEASE=v1.2.3)
	@test -n "$(RELEASE)" || { echo "usage: make tag RELEASE=v1.2.3"; exit 2; }
	$(GO) run ./integration/release tag $(RELEASE)

dist: check-goreleaser ## build archives, deb, rpm, apk and MCP bundles of every platform into dist/, with server.json of each server (installs goreleaser)
	GORELEASER_CURRENT_TAG=$(RELEASE) $(GORELEASER) release --clean --skip=publish $(if $(RELEASE),,--snapshot)
	$(GO) run ./integration/release bundles dist

packages: ## make packages for npm and wheels for pip of the archives in dist/ (RELEASE=v1.2.3)
	@test -n "$(RELEASE)" || { echo "usage: make packages RELEASE=v1.2.3"; exit 2; }
	$(GO) run ./integration/release npm $(RELEASE) dist dist/npm
	$(GO) run ./integration/release pip $(RELEASE) dist dist/pip

# What CI runs, the quick ones first. check-lint finds what check-vet does.
CHECKS := check-format check-tidy check-words check-workflows test check-lint check-dead check-docs check-cross check-sql \
  check-race check-mutants check-upgrade check-mcp check-vuln
# What runs at night, and why CI does not wait for it:
#   check-race-all   the race detector makes each test some five times slower; CI asks it about the packages that start goroutines
#   check-cross-all  links 72 programs, which fails where compiling does not once in a year
#   check-release    compiles goreleaser with its hundreds of dependencies, and the suite once without a cache
#   soak             is half an hour of load; CI runs the same tests for a moment each
#   faults           fails each of some 1,500 calls to the disk; CI fails five of each command
#   power            cuts the power after every command; CI leaves out those that write rows as others do
#   check-postgres   runs the tests of stores, scripts, races and kills once more, on a PostgreSQL server
#   check-clients    installs agents' clients from npm: a release of theirs says nothing about a change here
NIGHTLY := check-race-all check-cross-all check-release soak faults power simulate check-postgres check-clients

.PHONY: $(CHECKS) $(NIGHTLY) check nightly quick tested-programs test-part test-short check-vet check-goreleaser
check: ## what CI runs, with the time of each step and the slowest tests
	@scripts/steps $(CHECKS)

nightly: ## what takes too long for CI: races everywhere, hours of load, every fault and power cut, releases, clients
	@scripts/steps $(NIGHTLY)

check-format:
	@files=$$(gofmt -l $(MODULES)); [ -z "$$files" ] || { echo "not formatted (make fix):"; echo "$$files"; exit 1; }

check-tidy:
	@for m in $(MODULES); do (cd $$m && $(GO) mod tidy -diff) || { echo "$$m/go.mod is not tidy (make fix)"; exit 1; }; done

check-vet:
	$(GO) vet work

check-lint: $(TOOLS)
	$(TOOLS)/golangci-lint run --allow-serial-runners $$($(GO) list -m -f '{{.Dir}}/...')

check-dead: $(TOOLS)
	@scripts/dead $(TOOLS)/deadcode $(MODULES)

# SQLite's own code is left out: it is a translation that works on memory the
# detector does not know, and watching it makes tests five times slower. So are
# the tests that start programs, which are built without the detector, and those
# that hold what providers send against schemas, which take long and run nothing at once.
# These tests run in `test` too: the detector sees a race only in what runs under it.
RACE = CGO_ENABLED=1 $(GO) run ./integration/testrun -- -race -short -gcflags='modernc.org/...=-race=false' -timeout 60m
check-race: # of the packages whose own code starts goroutines
	@if command -v cc >/dev/null; then $(RACE) $$(scripts/concurrent); else echo "no C compiler: the race detector cannot run here"; fi

check-race-all:
	@if command -v cc >/dev/null; then $(RACE) $(foreach m,$(filter-out integration agit/webtest pmsync/schematest,$(MODULES)),./$(m)/...); else echo "no C compiler: the race detector cannot run here"; fi

# How many mutants of what a change adds do its tests notice? A sample of three minutes.
check-mutants:
	@scripts/mutate --change $(BASE)

check-words:
	@$(GO) run ./integration/words $(BASE)

check-workflows: $(TOOLS)
	@$(TOOLS)/actionlint

# Where no PostgreSQL server is installed this says so and passes.
check-sql:
	AGIT_SQL=1 $(GO) test -count 1 -timeout 30m -run TestStatementsPrepareOnPostgreSQL ./integration

# The same tests with every registry in a database: each test process starts a server of its own in a
# temporary folder. Where none is installed each says so and is skipped.
check-postgres: tested-programs
	AGIT_TEST_DB=postgres $(GO) test -timeout 60m $$(grep -rl 'registrytest"' --include='*_test.go' $(filter-out integration,$(MODULES)) | xargs -n1 dirname | sort -u | sed 's|^|./|')
	AGIT_TEST_DB=postgres AGIT_PROGRAMS="$(TESTED)" $(GO) test -timeout 60m -run 'TestScripts|TestKilled|TestRace|Claim|Registry' ./integration

check-docs: tested-programs
	@out=$$(mktemp -d); s=0; AGIT_PROGRAMS="$(TESTED)" scripts/docs $$out && for d in cli mcp; do diff -r docs/$$d $$out/$$d || { echo "docs/$$d is not current (make docs)"; s=1; }; done || s=1; rm -rf $$out; exit $$s
	@$(GO) run ./integration/release goreleaser | diff .goreleaser.yaml - || { echo ".goreleaser.yaml is not current (make docs)"; exit 1; }
	@$(GO) run ./integration/release flake | diff flake.nix - || { echo "flake.nix is not current (make docs)"; exit 1; }

# Compiled and not linked: `go list -export` compiles what it lists. One architecture
# of each foreign system is enough; those of a system differ in a few lines.
check-cross:
	@for target in darwin/arm64 windows/amd64; do echo "compile for $$target"; \
	  GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) list -export $(PROGRAMS) > /dev/null || exit 1; done

check-cross-all:
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "build $$os/$$arch"; out=$$(mktemp -d); GOOS=$$os GOARCH=$$arch $(GO) build -o $$out $(PROGRAMS) || exit 1; rm -rf $$out; done; done

check-mcp: tested-programs
	integration/conformance/run
	@home=$$(mktemp -d); AGIT_HOME=$$home integration/conformance/lint $(patsubst %-mcp,"$(TESTED)/% serve",$(notdir $(SERVERS))); s=$$?; rm -rf $$home; exit $$s

# An upgrade beside programs of the release before guards data, so CI runs it.
check-upgrade: tested-programs
	@AGIT_RELEASE=1 AGIT_PROGRAMS="$(TESTED)" $(GO) test -count 1 -timeout 40m -run UpgradeOf ./integration

# What people install without this clone: `go install` of each program from the
# modules of a release, and builds that are the same bytes everywhere.
check-release: check-goreleaser
	AGIT_RELEASE=1 $(GO) test -count 1 -timeout 40m -run 'Release|Install|Reproducible|Packages' ./integration/release

# goreleaser is pinned here and not in tools/go.mod: it has hundreds of dependencies,
# which lint would wait for. Where the registry does not answer this says so and passes.
GORELEASER_VERSION := v2.16.0
GORELEASER := $(CURDIR)/.cache/goreleaser/$(GORELEASER_VERSION)/goreleaser
check-goreleaser:
	@[ -x $(GORELEASER) ] || GOBIN=$(dir $(GORELEASER)) GOWORK=off $(GO) install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) > .goreleaser.log 2>&1 || { \
	  echo "goreleaser cannot be installed here, so its configuration is not checked: $$(tail -n 1 .goreleaser.log)"; }; rm -f .goreleaser.log
	@[ ! -x $(GORELEASER) ] || $(GORELEASER) check

# The vulnerability database is out of reach on some machines: that is said, and is no failure.
check-vuln: $(TOOLS)
	@for m in $(MODULES); do (cd $$m && $(TOOLS)/govulncheck ./... > $(CURDIR)/.vuln.log 2>&1); s=$$?; \
	  if [ $$s -eq 3 ]; then cat .vuln.log; rm -f .vuln.log; exit 1; fi; \
	  if [ $$s -ne 0 ]; then echo "govulncheck could not run for $$m: $$(tail -n 1 .vuln.log)"; rm -f .vuln.log; exit 0; fi; done; rm -f .vuln.log

# The tools are pinned in tools/go.mod, which is outside the workspace. actionlint has
# a module of its own: it needs an older YAML library than the others.
$(TOOLS): tools/go.mod tools/actionlint/go.mod
	cd tools && GOWORK=off $(GO) build -o $(TOOLS)/ tool
	cd tools/actionlint && GOWORK=off $(GO) build -o $(TOOLS)/ tool
	@touch $(TOOLS)

fix: $(TOOLS) ## format, tidy, repair what lint can, write the generated docs
	gofmt -w $(MODULES)
	for m in $(MODULES); do (cd $$m && $(GO) mod tidy); done
	$(TOOLS)/golangci-lint run --fix $$($(GO) list -m -f '{{.Dir}}/...')
	$(MAKE) docs

rename-module: ## make rename-module TO=example.com/new/home
	@test -n "$(TO)" || { echo "usage: make rename-module TO=example.com/new/home"; exit 2; }
	grep -rlF github.com/agit-suite/agit --include=*.go --include=go.mod --include=Makefile --include=.golangci.yml . | xargs sed -i 's#github.com/agit-suite/agit#$(TO)#g'

clean: ## remove what was built
	rm -rf $(BIN) dist coverage .cache
