#!/usr/bin/env bash
# Copies Swagger UI, which the page /docs shows, into gateway/docs/swagger-ui. The npm package is not a dependency,
# because it depends on a package that reports every install to a server (docs/decisions/0032-openapi.md).
set -euo pipefail
cd "$(dirname "$0")/.."

version=5.35.0
target=$PWD/gateway/docs/swagger-ui
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent "swagger-ui-dist@$version" >/dev/null
tar -xzf "swagger-ui-dist-$version.tgz"
for file in swagger-ui-bundle.js swagger-ui.css; do
  sed '/^\/[/*]# sourceMappingURL=/d' "package/$file" | gzip -9n >"$target/$file.gz"
done
cp package/LICENSE package/NOTICE "$target/"
echo "$version" >"$target/VERSION"
