#!/bin/sh
# Checks the health of the process of this container. Usage: healthcheck.sh [core|gateway|prober|notifier|start]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
exec node --import "$root/runtime/typescript.mjs" "$root/deploy/container/healthcheck.ts" "$@"
