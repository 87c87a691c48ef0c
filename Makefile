# CallBridge: real WebRTC calls on Linux, as a Swift library and a command.
SHELL := /bin/bash
# Debug builds of all targets are the tests' (Package.swift): no target rebuilds what another has built.
export CALLBRIDGE_OPTIMIZED_TESTS ?= 1
.PHONY: call story c-library man docs build test libssl examples interop peers scenarios bench bench-networks lint fuzz bootstrap format clean help

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 16

call: build      ## build, then run a real four-party call and print what everybody heard and saw
	.build/release/callagent call --participants 4 --duration 15

story: build    ## a whole conversation: push, locked answer, calls by two dialects, files, a shared screen, a chat (CLIENTS=n at once)
	.build/release/callagent story --clients $(or $(CLIENTS),1)

c-library: bootstrap ## libcallbridge.so and its examples in C, into .build/c
	Scripts/c-library

man: bootstrap   ## manual pages of callagent and its subcommands, into .build/man
	swift package generate-manual --configuration debug --multi-page
	rm -rf .build/man
	cp -r .build/plugins/GenerateManual/outputs/callagent .build/man

docs: bootstrap  ## DocC archives of the library products, into .build/docs
	Scripts/docs

build: bootstrap ## release build of callagent
	swift build -c release --product callagent

test: bootstrap  ## unit, virtual-time and loopback tests
	Scripts/test

examples: bootstrap ## the package Examples: a provider of one's own, applications with and without providers
	Scripts/examples

interop: build peers ## tests against real peers that this project did not write
	.venv-peers/bin/python Tests/Interop/run.py

peers:           ## what those tests need besides: real clients, in .venv-peers
	Scripts/bootstrap --interop

libssl: bootstrap ## DTLS tests and a call under attack, with the oldest and the newest libssl3 that apt offers
	swift build --build-tests
	Scripts/test-libssl

scenarios: build ## the worked examples of Examples/Scenarios, in virtual time and over sockets
	Scripts/scenarios

bench: bootstrap ## the rows of docs/benchmarks.md, as ratios from one run
	Benchmarks/run

bench-networks: build peers ## calls through bad networks beside libwebrtc's, the Q rows of docs/quality.md (NETWORKS="--rows Q2 --seeds 2")
	.venv-peers/bin/python Benchmarks/networks/run.py $(NETWORKS)

lint:            ## formatting and house rules
	Scripts/lint

fuzz: bootstrap  ## 20 seconds for every fuzz target (SECONDS_PER_TARGET=n for more)
	Scripts/fuzz $(or $(SECONDS_PER_TARGET),20)

bootstrap:
	@Scripts/bootstrap

format:          ## format all sources in place
	swift format -i --parallel $$(git ls-files '*.swift' | grep -v /Generated/)

clean:           ## remove what builds left
	rm -rf .build Fuzz/.build Benchmarks/.build Examples/.build
