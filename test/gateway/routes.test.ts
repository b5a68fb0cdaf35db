import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { create, createFileRegistry, fromBinary, setExtension, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';
import { bindRoutes, readRoutes } from '../../gateway/routes.ts';
import { descriptorImage } from '../../proto/descriptors.ts';

const LIST = 'gsq.v1.GameService.ListGamesJson';
const FETCH = 'gsq.v1.ServerService.FetchServersJson';

/**
 * Changes the options of the gRPC method `rpc` in the compiled .proto files of gsq. Returns the changed files in
 * compiled form. `change` returns the new options, or undefined to remove them.
 */
function imageWith(rpc: string, change: (set: FileDescriptorSet) => Uint8Array | undefined): Uint8Array {
  const set = fromBinary(FileDescriptorSetSchema, descriptorImage);
  const options = change(set);
  for (const file of set.file) {
    for (const service of file.service) {
      for (const method of service.method) {
        if (`${file.package}.${service.name}.${method.name}` !== rpc) continue;
        if (options) method.options = fromBinary(MethodOptionsSchema, options);
        else delete method.options;
      }
    }
  }
  return toBinary(FileDescriptorSetSchema, set);
}

function annotated(rule: Record<string, unknown>): (set: FileDescriptorSet) => Uint8Array {
  return set => {
    const extension = createFileRegistry(set).getExtension('google.api.http');
    assert.ok(extension?.message);
    const options = create(MethodOptionsSchema);
    setExtension(options, extension, create(extension.message, rule));
    return toBinary(MethodOptionsSchema, options);
  };
}

describe('the REST routes of the gateway', () => {
  test('are GET /v1/get/games and POST /v1/post/fetch', () => {
    const routes = readRoutes(descriptorImage).sort((a, b) => a.rpc.localeCompare(b.rpc));
    assert.deepEqual(routes, [
      { rpc: LIST, method: 'GET', path: '/v1/get/games' },
      { rpc: FETCH, method: 'POST', path: '/v1/post/fetch' },
    ]);
  });

  test('take their path from the google.api.http annotation of the gRPC method', () => {
    const image = imageWith(LIST, annotated({ pattern: { case: 'get', value: '/v2/games' } }));
    const route = readRoutes(image).find(({ rpc }) => rpc === LIST);
    assert.deepEqual(route, { rpc: LIST, method: 'GET', path: '/v2/games' });
  });

  test('are required for each handler, and the error contains the gRPC method of a handler without a route', () => {
    const routes = readRoutes(imageWith(LIST, () => undefined));
    assert.throws(
      () => bindRoutes(routes, { [LIST]: 1, [FETCH]: 2 }),
      /gsq\.v1\.GameService\.ListGamesJson has a handler but no/,
    );
  });

  test('must each have a handler, and the error contains the gRPC method of a route without a handler', () => {
    assert.throws(
      () => bindRoutes(readRoutes(descriptorImage), { [LIST]: 1 }),
      /FetchServersJson is annotated with POST \/v1\/post\/fetch but has no handler/,
    );
  });

  test('get the handler that belongs to their gRPC method', () => {
    const bound = bindRoutes(readRoutes(descriptorImage), { [LIST]: 'list', [FETCH]: 'fetch' });
    const pairs = bound.map(({ route, handler }) => `${route.path} ${handler}`).sort();
    assert.deepEqual(pairs, ['/v1/get/games list', '/v1/post/fetch fetch']);
  });

  test('cannot have a variable in their path', () => {
    const image = imageWith(LIST, annotated({ pattern: { case: 'get', value: '/v1/games/{id}' } }));
    assert.throws(
      () => readRoutes(image),
      /ListGamesJson: its google\.api\.http annotation must name one fixed path/,
    );
  });

  test('must each have a path in the google.api.http annotation', () => {
    const image = imageWith(LIST, annotated({ body: '*' }));
    assert.throws(
      () => readRoutes(image),
      /ListGamesJson: its google\.api\.http annotation must name one fixed path/,
    );
  });
});
