#!/bin/sh
# Runs one process of gsq in place of this shell: cli/run.sh core|gateway|prober [--<setting> <value>]...
# The options of Node are those of its file node.options.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
name=${1-}
case $name in
core | gateway | prober) shift ;;
*)
  echo 'Usage: cli/run.sh core|gateway|prober [--<setting> <value>]...' >&2
  exit 2
  ;;
esac
options=$(grep '^--' "$root/$name/node.options")
# shellcheck disable=SC2086 # No option holds a blank.
exec node $options --import "$root/runtime/typescript.mjs" "$root/$name/main.ts" "$@"
