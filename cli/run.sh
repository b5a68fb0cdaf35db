#!/bin/sh
# Replaces this shell with a process of gsq. Usage: cli/run.sh core|gateway|prober|notifier [--<setting> <value>]...
# The Node options come from the file node.options in the folder of the process.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
name=${1-}
case $name in
core | gateway | prober | notifier) shift ;;
*)
  echo 'Usage: cli/run.sh core|gateway|prober|notifier [--<setting> <value>]...' >&2
  exit 2
  ;;
esac
options=$(grep '^--' "$root/$name/node.options")
# shellcheck disable=SC2086 # The options must be split into words; no option contains a blank.
exec node $options --import "$root/runtime/typescript.mjs" "$root/$name/main.ts" "$@"
