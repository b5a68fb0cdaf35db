#!/usr/bin/env bash
# Rebuilds the generated files of the .proto sources: the descriptor image, the TypeScript types and the codecs.
set -euo pipefail
cd "$(dirname "$0")/../proto"
buf build --as-file-descriptor-set -o gsq.binpb
rm -rf generated
proto-loader-gen-types --longs=Number --enums=String --defaults --oneofs --includeComments \
  --grpcLib=@grpc/grpc-js --importFileExtension=.ts --includeDirs=. --outDir=generated \
  gsq/v1/game.proto gsq/v1/server.proto gsq/v1/history.proto gsq/v1/webhook.proto gsq/v1/notify.proto gsq/v1/probe.proto \
  gsq/v1/admin.proto gsq/v1/cluster.proto \
  google/rpc/error_details.proto grpc/health/v1/health.proto grpc/reflection/v1/reflection.proto
cd ..
node --import ./runtime/typescript.mjs scripts/generate-codecs.ts
