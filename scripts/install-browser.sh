#!/usr/bin/env bash
# Installs the browser that test/browser drives. Requires Debian 12 and root rights. Does nothing if it is installed.
set -euo pipefail

if ! command -v chromium >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install --yes --no-install-recommends chromium fonts-dejavu-core
fi
chromium --version
