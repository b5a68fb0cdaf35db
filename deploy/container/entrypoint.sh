#!/bin/sh
# The entry point of the container image: replaces this shell with a process of gsq, or with a gsq command.
# Usage: entrypoint.sh core|gateway|prober|notifier [--<setting> <value>]...
#        entrypoint.sh keys <data directory>...
#        entrypoint.sh <gsq command> [<option>]...
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
case ${1-} in
core | gateway | prober | notifier) exec "$root/cli/run.sh" "$@" ;;
keys) shift && exec node --import "$root/runtime/typescript.mjs" "$root/deploy/container/keys.ts" "$@" ;;
*) exec node "$root/cli/gsq.mjs" "$@" ;;
esac
