# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Every command for users and developers. "make help" lists them.

# The kernel to build for; default: the running one, else the newest with headers.
KDIR ?= $(shell . scripts/lib/common.sh && default_kdir)
KREL = $(shell . scripts/lib/common.sh && release_of "$(KDIR)")
BUILD ?= $(or $(SRNIC_BUILD),$(CURDIR)/build)
DESTDIR ?=
MODDIR = $(DESTDIR)/lib/modules/$(KREL)/updates

export SRNIC_BUILD := $(BUILD)
SHELL := /bin/bash
PROVIDER = $(MAKE) -C userspace-provider BUILD=$(BUILD)/provider

.PHONY: all module provider install uninstall clean setup run check bench style help

all: module provider ## build srnic.ko and the provider (KDIR=, BUILD=)

module: ## build srnic.ko only
	scripts/module --kdir "$(KDIR)"

provider: ## build the provider only
	$(PROVIDER)

install: all ## install both (DESTDIR=)
	install -D -m 644 $(BUILD)/$(KREL)/srnic.ko $(MODDIR)/srnic.ko
	$(if $(DESTDIR),,depmod $(KREL))
	$(PROVIDER) install DESTDIR=$(DESTDIR)

uninstall: ## remove what install installed (DESTDIR=)
	rm -f $(MODDIR)/srnic.ko
	-rmdir $(MODDIR) 2>/dev/null
	$(if $(DESTDIR),,depmod $(KREL))
	$(PROVIDER) uninstall DESTDIR=$(DESTDIR)

clean: ## remove what was built; the cache of kernels stays
	rm -rf $(BUILD)

setup: ## install missing Debian packages, as root
	scripts/setup --check

run: ## two guests exchange data through srnic
	scripts/run

check: ## every test
	scripts/check

bench: ## srnic and rdma_rxe side by side
	scripts/bench

style: ## style checks only
	scripts/check style

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
