#!/bin/sh
# Runs a command in a network that has only a loopback interface, so that no packet can leave this machine. Requires
# Linux and root. Usage: scripts/without-route.sh <command> [<argument>]...
set -eu
exec unshare --net sh -euc 'ip link set lo up; exec "$@"' sh "$@"
