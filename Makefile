# `make help` lists the targets. Everything needs Go, git and make only; `make race` also needs a C compiler, `make conformance`, `make site` and `make console` node and npm, `make packaging` what its line says.

GO       ?= go
BIN      := bin
EXAMPLE  ?= cluster
DATA     ?= ./$(EXAMPLE)-data
KUBECTL_VERSION := v1.37.2
VERSION_PKG     := k8s.io/component-base/version

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Generate, build and start the example (EXAMPLE=cluster) with embedded etcd; Ctrl-C stops it.
	@hack/stage.sh "1 of 3: generate code, if files of examples/$(EXAMPLE) have changed" hack/update-codegen.sh --if-changed ./examples/$(EXAMPLE)/...
	@hack/stage.sh "2 of 3: build $(EXAMPLE)" $(GO) build -o $(BIN)/$(EXAMPLE) ./examples/$(EXAMPLE)
	@echo "==> 3 of 3: start $(EXAMPLE), with its data in $(DATA); Ctrl-C stops it"
	@exec $(BIN)/$(EXAMPLE) --data-dir $(DATA) $(ARGS)

.PHONY: generate
generate: ## Bring all generated files up to date.
	hack/update-codegen.sh

.PHONY: verify
verify: ## Fail, and say which, if a generated file is not up to date.
	hack/verify-codegen.sh

.PHONY: build
build: ## Build every package, and gen and the examples into bin/.
	$(GO) build ./...
	$(GO) build -o $(BIN)/ ./cmd/... ./examples/...

.PHONY: image
image: EXAMPLE = library
image: ## Write an OCI image of EXAMPLE (library) for amd64 and arm64 into bin/, with its SBOM; it needs no container engine and no network.
	$(GO) run ./cmd/image --output $(BIN)/$(EXAMPLE).oci.tar --sbom $(BIN)/$(EXAMPLE).spdx.json ./examples/$(EXAMPLE)

.PHONY: packaging
packaging: $(BIN)/kubectl $(BIN)/helm $(BIN)/etcd ## The image, the chart, the unit, the alerts and the dashboard, each judged by its own tool (minutes; it also needs podman, prometheus, promtool, qemu-aarch64-static and systemd-analyze).
	cd test/packaging && ETCD=$(CURDIR)/$(BIN)/etcd KUBECTL=$(CURDIR)/$(BIN)/kubectl HELM=$(CURDIR)/$(BIN)/helm $(GO) test -count=1 -timeout 60m ./...

.PHONY: release
release: ## Make the release VERSION in bin/release: programs for six platforms, built twice and compared, checksums, licences, image and chart; no tags without RELEASE=--tag.
	$(GO) run ./hack/release --version '$(VERSION)' $(RELEASE)

.PHONY: ship
ship: VERSION ?= v0.1.0
ship: ## All of image, packaging, operations, aggregator, site and release, from a clean clone, listed with sizes and times in docs/releasing.md (an hour; LOOK=1 looks at the site, too).
	hack/ship.sh '$(VERSION)'

.PHONY: licenses
licenses: build ## Which modules are linked into gen and examples/library, and what their licences are (bin/LICENSES.md).
	cd hack/licenses && $(GO) run . --into $(CURDIR)/$(BIN) $(CURDIR)/$(BIN)/gen $(CURDIR)/$(BIN)/library

TESTS := lint verify unit codebench e2e kubectl-scripts encryption storesuite tracing cel policy clients clientgen controller promises cluster-faults dropin peer console-smoke

.PHONY: test
test: export TYPEPLANE_DRILL_FIGURES = $(FIGURES)
test: DROPIN = -short
test: FAULTS = -short
test: CLIENTS = -short
test: CONTROLLER = -short
test: CLIENTGEN = -short
test: say-tests $(TESTS) scorecard ## Everything that CI runs (half an hour on two cores with empty caches, most of it to compile; 15 to 20 minutes again).

.PHONY: say-tests
say-tests:
	@mkdir -p $(BIN) && rm -f $(FIGURES)
	@echo "Runs $(words $(TESTS)) targets: $(TESTS)."
	@echo "That takes about half an hour on two cores with empty caches (32 minutes were measured, beside other work), and 15 to 20 minutes when it is run again. Each target can be run alone; make help says what it is for."

# What the tests of make test measure for the scorecard.
FIGURES := $(CURDIR)/$(BIN)/drills-test.jsonl

.PHONY: scorecard
scorecard: ## The scorecard of docs/reliability.md, of what the last make test has measured.
	$(GO) run ./hack/drills -from $(FIGURES)

.PHONY: drills
drills: $(BIN)/kubectl $(BIN)/etcd ## Run what measures each row of the scorecard, for hours, and print it into docs/reliability.md (DRILLS=-short: minutes; DRILLS='-rows 9,10': some).
	$(GO) run ./hack/drills $(DRILLS)

.PHONY: check
check: ## What a change is tried with before it is committed: gofmt, prose, vet, and the tests of the packages that it touches (under three minutes; the others are cached).
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata)); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) run ./hack/prose
	$(GO) vet ./...
	$(GO) test -vet=off ./...
	cd runtime && $(GO) vet ./... && $(GO) test -vet=off ./...

.PHONY: unit
unit: ## The tests of the modules that users import, but for cel, policy and tracing, which have targets of their own; lint has vetted them.
	$(GO) test -vet=off -timeout 30m ./...
	cd runtime && $(GO) test -vet=off -timeout 30m ./...

.PHONY: e2e
e2e: $(BIN)/kubectl $(BIN)/etcdctl $(BIN)/etcd $(BIN)/etcd-cluster ## Drive a built server with a stock kubectl, kill it, start it again.
	cd test/e2e && KUBECTL=$(CURDIR)/$(BIN)/kubectl $(GO) test -count=1 -timeout 30m ./...

.PHONY: operations
operations: $(BIN)/kubectl $(BIN)/etcd $(BIN)/etcd-cluster ## The commands of docs/operations.md and docs/upgrading.md, and whether a server has the metrics of alerts and dashboard (a minute; e2e has them, too).
	cd test/e2e && KUBECTL=$(CURDIR)/$(BIN)/kubectl $(GO) test -count=1 -timeout 30m -run '^Test(Operations|Upgrade|Monitoring)$$' .

.PHONY: kubectl-scripts
kubectl-scripts: $(BIN)/kubectl $(if $(OLDER),$(BIN)/kubectl-1.27) ## Transcripts of every command of kubectl: exact output, masked only where it differs from run to run (OLDER=1: with kubectl 1.27 too).
	cd test/kubectl && KUBECTL=$(CURDIR)/$(BIN)/kubectl $(GO) test -count=1 -timeout 30m . $(if $(OLDER),-older $(CURDIR)/$(BIN)/kubectl-1.27)

.PHONY: kubectl-peer
kubectl-peer: $(BIN)/kubectl ## The same transcripts, and 9,000 raw requests, against the same kinds on k8s.io/apiserver; every difference is listed in test/kubectl/testdata/peer, with its reason.
	cd test/peer && $(GO) build -o $(CURDIR)/$(BIN)/peer .
	cd test/kubectl && KUBECTL=$(CURDIR)/$(BIN)/kubectl $(GO) test -count=1 -run '^(TestPeer|TestMatrix)$$' . -peer $(CURDIR)/$(BIN)/peer

.PHONY: amplify
amplify: ## What bodies of 3 MiB of one thing cost a server: each list, map and string of each kind, in each form and type of patch; what answers cost; what 100,000 fields cost to own.
	$(GO) test -count=1 -timeout 120m -v -run '^TestAmplification$$' ./examples/library ./examples/cluster -amplify
	cd runtime && $(GO) test -count=1 -run '^TestGrowth$$' ./fieldset -growth 10000

.PHONY: crash
crash: ## Kill the server 20 times in the middle of 1,000 creates, 50 times under 500 watches that go on afterwards, and time its starts.
	cd test/e2e && $(GO) test -count=1 -timeout 30m -v -run 'Killed|OutliveKills|StartTime' ./... -kills 20 -starts 10 -objects 10000 -watch-kills 50 -informers 500

.PHONY: patient
patient: $(BIN)/kubectl ## Clients that read or write too slowly, for as long as the server bears it (minutes).
	cd test/e2e && $(GO) test -count=1 -timeout 30m -v -run 'SlowWatchers|BadConnections' ./... -patient

.PHONY: cost
cost: ## What the watch cache costs with 100,000 entries: memory, time to fill it, time to check it (a minute).
	$(GO) test -count=1 -v -run '^TestCost$$' ./storage/cacher -cost 100000
	$(GO) test -count=1 -v -run '^TestFillCost$$' ./examples/cluster -cost 100000

.PHONY: dropin
dropin: ## Regenerate modules of Kubernetes and of others with gen, build them, and run their own tests (minutes; DROPIN=-short for k8s.io/api and two generators' tests only).
	cd test/dropin && $(GO) test -count=1 -timeout 90m $(DROPIN) ./...

.PHONY: lift
lift: ## The APIs of other projects, unchanged, built into servers and held against their CustomResourceDefinitions (minutes).
	cd test/lift && $(GO) test -count=1 -timeout 60m ./...

.PHONY: crd
crd: ## The CustomResourceDefinitions of generators/internal/crd/testdata beside those of controller-gen (a minute, most of it to build that).
	cd test/crd && $(GO) test -count=1 -timeout 30m ./...

.PHONY: variants
VARIANTS ?= 200
variants: ## What gen lets through is built, started and sent objects: VARIANTS (200) changes of the examples' types (an hour or less; 10 are in unit). Before that, every tag at every place, every layout of every case and of the modules of dropin, every marker taken away, every basic type named.
	$(GO) test -count=1 -timeout 60m -run '^(TestTagsPage|TestLayouts|TestLayoutsOfModules|TestDeletions|TestNamed)$$' ./generators/internal/gen -every
	$(GO) test -count=1 -timeout 120m -v -run '^TestVariants$$' ./generators/internal/gen -variants $(VARIANTS)

.PHONY: transcode
TRANSCODE ?= 1h
transcode: ## JSON out of bytes is that of the decoded object, for random objects and damaged bytes: of the kinds of the cluster, then of all of k8s.io/api (TRANSCODE, 1h each).
	TRANSCODE=$(TRANSCODE) $(GO) test -count=1 -timeout 24h -run TestTranscoded -v ./examples/cluster
	cd test/dropin && TRANSCODE=$(TRANSCODE) $(GO) test -count=1 -timeout 24h -run TestTranscoded -v .

.PHONY: codebench
codebench: ## Generated code does what that of k8s.io/api does (BENCH='-bench .' to see how much faster).
	cd test/codebench && $(GO) test -count=1 -timeout 30m $(BENCH) ./...

.PHONY: etcd-cluster
etcd-cluster: $(BIN)/etcd $(BIN)/etcd-cluster ## Start an etcd of three members on loopback and print the flags for a server (ARGS=--tls); Ctrl-C stops it.
	exec $(BIN)/etcd-cluster --etcd $(BIN)/etcd $(ARGS)

.PHONY: cluster-faults
FAULTS ?= -rounds 3
cluster-faults: $(BIN)/etcd ## A server over three members of etcd, which are killed, frozen and cut off (ten minutes; FAULTS=-short for a minute).
	cd test/cluster && ETCD=$(CURDIR)/$(BIN)/etcd $(GO) test -count=1 -timeout 90m -v ./... $(FAULTS)

.PHONY: kine
kine: $(BIN)/kine ## What kine over a PostgreSQL does as an etcd would, and why it is refused (building kine takes minutes; then one).
	KINE=$(CURDIR)/$(BIN)/kine $(GO) test -count=1 -run '^TestKine' -v ./storage/etcd3

.PHONY: engines
engines: $(BIN)/etcd-3.5 $(BIN)/etcd-3.6 $(BIN)/etcd ## What may stand behind --etcd-servers: our tests of storage, the suites of k8s.io/apiserver and the oracle over etcd 3.5, 3.6 and 3.7 (a quarter of an hour; ENGINES=3.5: one).
	for v in $(or $(ENGINES),3.5 3.6 3.7); do hack/engine.sh $(CURDIR)/$(BIN)/etcd$$(test $$v = 3.7 || echo -$$v) || exit 1; done

.PHONY: quota
quota: $(BIN)/etcd ## 64 writers against a quota of 1,000 on two servers, one of which is killed; every revision is looked at (minutes).
	cd test/cluster && ETCD=$(CURDIR)/$(BIN)/etcd $(GO) test -count=1 -timeout 60m -v -run '^TestQuota$$' . -quota-attempts 10000 -quota-limit 1000

.PHONY: replicas
replicas: $(BIN)/etcd ## Three servers behind a TCP balancer, of which one is killed every five seconds (ten minutes; 15 seconds in cluster-faults).
	cd test/cluster && ETCD=$(CURDIR)/$(BIN)/etcd $(GO) test -count=1 -timeout 60m -v -run '^TestReplicas$$' . -replicas-for 10m

.PHONY: encryption
encryption: ## Encryption at rest beside that of k8s.io/apiserver: each reads what the other wrote.
	cd test/encryption && $(GO) test -count=1 -timeout 30m ./...

.PHONY: storesuite
storesuite: ## The storage suites of k8s.io/apiserver, unchanged, over our etcd3 and our cache.
	cd test/storesuite && $(GO) test -count=1 -timeout 30m ./...

.PHONY: clients
CLIENTS ?= -kills 50 -attack 30s -worst 5s
clients: ## client-go and controller-runtime against our servers, killed under them 50 times and attacked (ten minutes; CLIENTS=-short for one).
	cd test/clients && $(GO) test -count=1 -timeout 60m ./... $(CLIENTS)

.PHONY: peer
peer: ## Which users share what, decided by us and by k8s.io/apiserver, for objects and requests at random (seconds).
	cd test/peer && $(GO) test -count=1 ./...

.PHONY: fairness
FAIRNESS ?= -fairapart -fair 4s -fairrounds 5 -fairtimes 2
fairness: peer ## The same, and a quiet user beside a noisy one, whose p99 is wanted within twice of alone (five minutes; FAIRNESS= for a short form without times).
	cd test/clients && $(GO) test -count=1 -v -run TestFairness . $(FAIRNESS)

.PHONY: clientgen
clientgen: ## The typed clients that gen prints, against those of code-generator in whole modules, and at work (minutes; CLIENTGEN=-short for half of one).
	cd test/clientgen && $(GO) test -count=1 -timeout 90m $(CLIENTGEN) ./...

.PHONY: conformance
CONFORMANCE ?= -update
conformance: ## Controllers of Kubernetes, helm, python3-kubernetes and client-node against a server; prints docs/clients.md (twenty minutes the first time, then five; CONFORMANCE= only compares).
	cd test/conformance && $(GO) test -count=1 . && $(GO) run . $(CONFORMANCE)

.PHONY: controller
CONTROLLER ?= -restarts 20
controller: ## The controller of examples/cluster, killed with its server 20 times while people change things (minutes; CONTROLLER=-short for half of one).
	cd examples/cluster/controller && $(GO) test -count=1 -timeout 60m ./... $(CONTROLLER)

.PHONY: promises
promises: ## What clients see under faults, compared with every revision of etcd (a minute).
	cd test/oracle && $(GO) test -count=1 -timeout 30m -short ./...

.PHONY: oracle
oracle: ORACLE ?= 5m
oracle: ## The same for ORACLE (5m) in all shapes of servers and faults, and each planted bug must be found (minutes more). SHAPE=replicas: three servers behind a balancer only.
	cd test/oracle && $(GO) test -count=1 -timeout 60m ./... $(if $(SHAPE),-shape $(SHAPE))
	cd test/oracle && $(GO) run . -for $(ORACLE) $(if $(SHAPE),-shape $(SHAPE))

.PHONY: kube-rules
kube-rules: ## Every field of every kind of examples/cluster made wrong, and random objects by the tags of k8s.io/api, judged by ours and by k8s.io/kubernetes; every field of every kind of examples/kubernetes changed, and random objects, as both answer them (half an hour).
	cd test/kuberules && $(GO) test -count=1 -timeout 60m ./...

.PHONY: kubernetes
KUBERNETES ?= -nodes 50 -pods 500
OLDER_KUBERNETES := v1.36.3 v1.35.4
kubernetes: $(BIN)/kubectl $(BIN)/kube-scheduler $(BIN)/kwok $(if $(OLDER),$(OLDER_KUBERNETES:%=$(BIN)/kubernetes-%/kubectl)) ## kube-scheduler, kube-controller-manager and KWOK at work on examples/kubernetes (minutes, builds not counted; KUBERNETES= for ten nodes; OLDER=1: also those of the two minor releases before).
	$(GO) test -count=1 ./examples/kubernetes -every
	cd examples/kubernetes/server && $(GO) build -o $(CURDIR)/$(BIN)/kubernetes .
	cd test/kubernetes && $(GO) run . -bin $(CURDIR)/$(BIN) $(KUBERNETES)
	$(if $(OLDER),cd test/kubernetes && for v in $(OLDER_KUBERNETES); do $(GO) run . -bin $(CURDIR)/$(BIN) -programs $(CURDIR)/$(BIN)/kubernetes-$$v $(KUBERNETES) || exit 1; done)

.PHONY: beside
BESIDE ?= -nodes 50 -pods 500
beside: $(BIN)/etcd $(BIN)/kube-scheduler $(BIN)/kube-apiserver $(BIN)/kwok ## One workload on kube-apiserver and on examples/kubernetes, by turns; prints tables into docs/kubernetes.md (three minutes, builds not counted; BESIDE='-nodes 200 -pods 2000 -deployments 40' for seven, BESIDE='-nodes 1000 -pods 10000 -deployments 200 -heartbeats 10m' for an hour).
	cd examples/kubernetes/server && $(GO) build -o $(CURDIR)/$(BIN)/kubernetes .
	cd test/kubernetes && $(GO) run . -beside -bin $(CURDIR)/$(BIN) -page ../../docs/kubernetes.md -patience 20m $(BESIDE)

.PHONY: beside-profiles
beside-profiles: $(BIN)/etcd $(BIN)/kube-scheduler $(BIN)/kwok ## What examples/kubernetes does in each state of make beside: CPU profiles, requests and a profile of the memory, in bin/profiles (two minutes, builds not counted).
	cd examples/kubernetes/server && $(GO) build -tags profiled -o $(CURDIR)/$(BIN)/kubernetes .
	cd test/kubernetes && $(GO) run . -beside -profiles $(CURDIR)/$(BIN)/profiles -bin $(CURDIR)/$(BIN) -patience 20m $(BESIDE)

.PHONY: kubernetes-e2e
kubernetes-e2e: $(BIN)/kubectl $(BIN)/etcd $(BIN)/kube-scheduler $(BIN)/kube-apiserver $(BIN)/kwok ## Kubernetes' own tests of API machinery and auth on kube-apiserver and on examples/kubernetes; prints into docs/kubernetes.md which pass where (half an hour, builds not counted; E2E='a regexp' for some).
	cd test/kubernetes/e2e && $(GO) test -c -p 2 -o $(CURDIR)/$(BIN)/e2e.test .
	cd examples/kubernetes/server && $(GO) build -o $(CURDIR)/$(BIN)/kubernetes .
	cd test/kubernetes && $(GO) run . -bin $(CURDIR)/$(BIN) $(if $(E2E),-e2e '$(E2E)',-e2e all -page ../../docs/kubernetes.md)

.PHONY: aggregator
aggregator: $(BIN)/kubectl $(BIN)/etcd $(BIN)/kube-scheduler $(BIN)/kube-apiserver ## examples/library behind kube-apiserver's aggregator, driven by kubectl; and its objects as custom resources there (minutes, builds not counted).
	$(GO) build -o $(BIN)/library ./examples/library
	cd test/kubernetes && $(GO) test -count=1 -v -timeout 30m -run '^Test(Aggregator|Leave)$$' . -bin $(CURDIR)/$(BIN)

.PHONY: tracing
tracing: ## The module that sends traces to a collector of OpenTelemetry.
	cd tracing && $(GO) test -count=1 -timeout 30m ./...

.PHONY: cel
cel: ## The module that evaluates rules in CEL which are not compiled, and what the compiler makes of the others, beside cel-go.
	cd cel && $(GO) test -count=1 -timeout 30m ./...

.PHONY: policy
policy: ## The module with admission policies, whose expressions are in CEL.
	cd policy && $(GO) test -count=1 -timeout 30m ./...

.PHONY: race
race: ## The tests of all modules that users import, under the race detector (needs a C compiler).
	CGO_ENABLED=1 hack/each-module.sh released $(GO) test -race ./...

.PHONY: bench
bench: ## Our server beside one built from k8s.io/apiserver, and the budgets (half an hour without the part objects, which takes 24 minutes more in one round; BENCH=-short for a quick one).
	cd test/bench && $(GO) run . $(BENCH)

.PHONY: bench-guard
bench-guard: ## Compare the CPU time of six kinds of requests with a build of BASE; fail above +5 %.
	@test -n "$(BASE)" || { echo "bench-guard: name a commit, as in BASE=HEAD~10"; exit 1; }
	cd test/bench && $(GO) run . -parts guard -rounds 9 -base '$(BASE)' $(BENCH)

.PHONY: staircase
staircase: ## What each step of a get costs, from a bare net/http server to ours (five minutes).
	cd test/bench && $(GO) run . -parts staircase $(BENCH)

.PHONY: scale
scale: ## How a server grows: 10 to 500 kinds, a million objects, 64 lists at once, three servers on one etcd (twenty minutes; SCALE=-short for a quick one).
	cd test/bench && $(GO) run . -parts kinds,lists,million,servers $(SCALE)

.PHONY: genbench
genbench: ## gen beside Kubernetes' own generators (ten minutes; BENCH=-short for a quick one).
	cd test/genbench && $(GO) run . $(BENCH)

.PHONY: stages
stages: ## Benchmarks of the hot stages, in-process.
	cd runtime && $(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) test -run '^$$' -bench . -benchmem ./registry/... ./storage/... ./examples/...

.PHONY: fuzz
fuzz: ## Each fuzz target for FUZZTIME (10s).
	hack/fuzz.sh

.PHONY: unsafe
unsafe: ## Tests of what uses unsafe, with the checks of the race detector and of the compiler, and built for 386 (needs a C compiler).
	cd runtime && CGO_ENABLED=1 $(GO) test -count=1 -race ./protobuf/... ./json/... ./wire/...
	cd runtime && $(GO) test -count=1 -gcflags=all=-d=checkptr=2 ./protobuf/... ./json/... ./wire/...
	cd runtime && CGO_ENABLED=0 GOARCH=386 $(GO) test -count=1 ./protobuf/... ./json/... ./wire/...

.PHONY: lint
lint: $(BIN)/staticcheck ## gofmt, prose, vet and staticcheck (staticcheck.conf says what is off, and why).
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata)); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) run ./hack/prose
	hack/each-module.sh released $(GO) vet ./...
	hack/each-module.sh released $(CURDIR)/$(BIN)/staticcheck ./...

.PHONY: vuln
vuln: ## Known vulnerabilities of what we link; says loudly when the database can't be reached.
	hack/vuln.sh

.PHONY: site
site: SITE_BASE ?= /
site: $(BIN)/site/node_modules/.package-lock.json ## Build the site of docs/ into bin/site/dist, and check its links (needs node and npm; SITE_BASE=/path/ where it is not at the root of a host; LOOK=1: look at it in Debian's chromium, in light and dark, on a screen and a phone).
	cp -r hack/site/vitepress/. $(BIN)/site
	$(GO) run ./hack/site pages $(BIN)/site
	cd $(BIN)/site && SITE_BASE=$(SITE_BASE) npx vitepress build
	SITE_BASE=$(SITE_BASE) $(GO) run ./hack/site check $(BIN)/site/dist
	$(if $(LOOK),cd $(BIN)/site && node look.mjs)

.PHONY: console
console: $(BIN)/console/node_modules/.package-lock.json ## Build the page of the console into internal/console/page (needs node and npm).
	rm -rf $(BIN)/console/src && cp -r internal/console/web/. $(BIN)/console
	cd $(BIN)/console && npx tsc -p . && node build.mjs
	rm -rf internal/console/page && cp -r $(BIN)/console/page internal/console/page

.PHONY: console-test
console-test: $(BIN)/console/node_modules/.package-lock.json ## Build the page of the console again and compare it, then use it in Debian's chromium, in light and dark, on a screen and a phone (minutes; needs node and npm).
	rm -rf $(BIN)/console/src && cp -r internal/console/web/. $(BIN)/console
	cd $(BIN)/console && npx tsc -p . && node build.mjs
	diff -r $(BIN)/console/page internal/console/page
	$(GO) build -p 2 -o $(BIN)/library ./examples/library
	cd $(BIN)/console && node look.mjs $(CURDIR)/$(BIN)/library

.PHONY: console-smoke
console-smoke: ## The console in Chromium, for seconds: look, see a change, edit, delete, sign in, search a long list, lose the server (a machine without Chromium skips it, and says so).
	cd test/console && $(GO) test -count=1 -timeout 10m -v -run '^Test(Smoke|SignIn|Partial|ExpiredPages|Away|DeletedUnseen|OwnGroups)$$' .

CONSOLE_KUBERNETES ?= cluster
.PHONY: console-kubernetes
console-kubernetes: ## The console's forms and views of Kubernetes' own kinds, with examples/cluster, or with the server of CONSOLE_KUBERNETES=kubeconfig (it makes a namespace there).
	cd test/console && $(GO) test -count=1 -timeout 10m -v -run '^TestKubernetes$$' . -kubernetes $(CONSOLE_KUBERNETES)

.PHONY: console-lighthouse
console-lighthouse: $(BIN)/lighthouse/node_modules/.package-lock.json ## Scores of Lighthouse for views of the console (two minutes; needs Debian's chromium, node and npm).
	$(GO) build -p 2 -o $(BIN)/library ./examples/library
	cp test/console/lighthouse/figures.mjs $(BIN)/lighthouse && cd $(BIN)/lighthouse && node figures.mjs $(CURDIR)/$(BIN)/library

.PHONY: console-pictures
console-pictures: ## The pictures of the console in the README, made anew in docs/pictures.
	cd test/console && $(GO) test -count=1 -timeout 10m -run '^TestPictures$$' . -pictures $(CURDIR)/docs/pictures

.PHONY: console-scale
CONSOLE_SCALE ?= -objects 100000 -changing 10000 -for 1m
console-scale: ## The console with 100,000 objects, then with 10,000 of which 100 change in a second (four minutes; CONSOLE_SCALE='-objects 5000 -changing 1000 -for 5s' for half of one).
	cd test/console && $(GO) test -count=1 -timeout 30m -v -run '^Test(Many|Live)$$' . $(CONSOLE_SCALE)

.PHONY: clean
clean: ## Remove what the other targets made.
	rm -rf $(BIN) *-data

# kubectl, etcdctl, etcd and staticcheck are built from their modules, so that no machine needs them installed.
$(BIN)/kubectl: test/kubectl/go.mod test/kubectl/main.go
	cd test/kubectl && $(GO) build -o $(CURDIR)/$@ -ldflags "-X $(VERSION_PKG).gitVersion=$(KUBECTL_VERSION) -X $(VERSION_PKG).gitMajor=1 -X $(VERSION_PKG).gitMinor=37" .

$(BIN)/kube-scheduler: test/kubernetes/programs/go.mod
	cd test/kubernetes/programs && $(GO) build -p 2 -o $(CURDIR)/$(BIN)/ -ldflags "-X $(VERSION_PKG).gitVersion=$(KUBECTL_VERSION) -X $(VERSION_PKG).gitMajor=1 -X $(VERSION_PKG).gitMinor=37" k8s.io/kubernetes/cmd/kube-scheduler k8s.io/kubernetes/cmd/kube-controller-manager
	dir=$$(cd test/kubernetes/programs && $(GO) list -m -f '{{.Dir}}' k8s.io/kubernetes)/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata && for part in cluster-roles cluster-role-bindings controller-roles controller-role-bindings namespace-roles namespace-role-bindings; do echo ---; cat $$dir/$$part.yaml; done > $(BIN)/kube-roles.yaml

$(BIN)/kube-apiserver: test/kubernetes/programs/go.mod
	cd test/kubernetes/programs && $(GO) build -p 2 -o $(CURDIR)/$@ -ldflags "-X $(VERSION_PKG).gitVersion=$(KUBECTL_VERSION) -X $(VERSION_PKG).gitMajor=1 -X $(VERSION_PKG).gitMinor=37" k8s.io/kubernetes/cmd/kube-apiserver

KWOK_STAGES := node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease pod/fast/pod-complete pod/fast/pod-delete pod/fast/pod-ready
$(BIN)/kwok: test/kubernetes/kwok/go.mod
	cd test/kubernetes/kwok && $(GO) build -p 2 -o $(CURDIR)/$@ sigs.k8s.io/kwok/cmd/kwok
	dir=$$(cd test/kubernetes/kwok && $(GO) list -m -f '{{.Dir}}' sigs.k8s.io/kwok) && for stage in $(KWOK_STAGES); do echo ---; cat $$dir/kustomize/stage/$$stage.yaml; done > $@.yaml && cp $$dir/kustomize/rbac/role.yaml $@-role.yaml && chmod u+w $@-role.yaml

$(BIN)/kubernetes-%/kubectl: hack/kubernetes-programs.sh
	hack/kubernetes-programs.sh $* $(BIN)/kubernetes-$*

$(BIN)/kubectl-1.27: test/kubectl/v1.27/go.mod test/kubectl/v1.27/main.go
	cd test/kubectl/v1.27 && $(GO) build -o $(CURDIR)/$@ -ldflags "-X $(VERSION_PKG).gitVersion=v1.27.16 -X $(VERSION_PKG).gitMajor=1 -X $(VERSION_PKG).gitMinor=27" .

$(BIN)/etcdctl: test/etcdctl/go.mod
	cd test/etcdctl && $(GO) build -o $(CURDIR)/$@ go.etcd.io/etcd/etcdctl/v3

$(BIN)/helm: test/conformance/helm/go.mod
	cd test/conformance/helm && $(GO) build -p 2 -o $(CURDIR)/$@ helm.sh/helm/v4/cmd/helm

$(BIN)/etcd: test/etcd/go.mod
	cd test/etcd && $(GO) build -o $(CURDIR)/$@ go.etcd.io/etcd/server/v3

$(BIN)/etcd-%: test/etcd/v%/go.mod
	cd test/etcd/v$* && $(GO) build -o $(CURDIR)/$@ go.etcd.io/etcd/server/v3

$(BIN)/kine: test/kine/go.mod test/kine/main.go
	cd test/kine && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/$@ .

$(BIN)/etcd-cluster: $(wildcard test/cluster/etcd-cluster/*.go internal/etcdproc/*.go)
	cd test/cluster && $(GO) build -o $(CURDIR)/$@ ./etcd-cluster

# What builds the site is pinned by the lock file.
$(BIN)/site/node_modules/.package-lock.json: hack/site/vitepress/package-lock.json
	mkdir -p $(BIN)/site && cp hack/site/vitepress/package*.json $(BIN)/site
	cd $(BIN)/site && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

# What builds the page of the console is pinned by the lock file.
$(BIN)/console/node_modules/.package-lock.json: internal/console/web/package-lock.json
	mkdir -p $(BIN)/console && cp internal/console/web/package*.json $(BIN)/console
	cd $(BIN)/console && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/.package-lock.json

$(BIN)/lighthouse/node_modules/.package-lock.json: test/console/lighthouse/package-lock.json
	mkdir -p $(BIN)/lighthouse && cp test/console/lighthouse/package*.json $(BIN)/lighthouse
	cd $(BIN)/lighthouse && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/.package-lock.json

$(BIN)/staticcheck: test/lint/go.mod
	cd test/lint && $(GO) build -o $(CURDIR)/$@ honnef.co/go/tools/cmd/staticcheck
