import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { create, createFileRegistry, fromBinary, setExtension, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';
import { bindRoutes, readRoutes } from '../../../gateway/http/routes.ts';
import { descriptorImage } from '../../../proto/descriptors.ts';

const LIST = 'gsq.v1.GameService.ListGamesJson';
const FETCH = 'gsq.v1.ServerService.FetchServersJson';
const WATCH = 'gsq.v1.ServerService.WatchServersJson';
const HISTORY = 'gsq.v1.HistoryService.GetHistoryJson';

/**
 * Returns a copy of the compiled .proto files of gsq, with other options for one gRPC method. `rpc`: full name of the
 * method. `change` returns the new options, encoded. If it returns undefined, the method has no options in the copy.
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
  test('have the HTTP method, the path and the body of their google.api.http annotation', () => {
    const routes = readRoutes(descriptorImage).map(({ rpcMethod, ...route }) => [route, rpcMethod.name]);
    const expected = [
      [{ rpc: LIST, method: 'GET', path: '/v1/get/games', hasBody: false }, 'ListGamesJson'],
      [{ rpc: FETCH, method: 'POST', path: '/v1/post/fetch', hasBody: true }, 'FetchServersJson'],
      [
        { rpc: HISTORY, method: 'GET', path: '/v1/servers/{game_id}/{server}/history', hasBody: false },
        'GetHistoryJson',
      ],
    ];
    for (const route of expected)
      assert.ok(
        routes.some(each => isDeepStrictEqual(each, route)),
        String(route),
      );
  });

  test('get their path from the google.api.http annotation of the gRPC method', () => {
    const image = imageWith(LIST, annotated({ pattern: { case: 'get', value: '/v2/games' } }));
    const route = readRoutes(image).find(({ rpc }) => rpc === LIST);
    assert.equal(route?.path, '/v2/games');
  });

  test('must include a route for each handler', () => {
    const routes = readRoutes(imageWith(LIST, () => undefined));
    assert.throws(
      () => bindRoutes(routes, { [LIST]: 1, [FETCH]: 2, [WATCH]: 3 }, 4),
      /gsq\.v1\.GameService\.ListGamesJson has a handler but no/,
    );
  });

  test('need a separate handler for each gRPC method that returns a stream', () => {
    assert.throws(
      () => bindRoutes(readRoutes(descriptorImage), { [LIST]: 1 }, 2),
      /WatchServersJson is annotated with GET \/v1\/events but has no handler/,
    );
  });

  test('use the handler of their gRPC method if it exists, otherwise the common handler', () => {
    const bound = bindRoutes(readRoutes(descriptorImage), { [LIST]: 'list', [WATCH]: 'watch' }, 'any');
    const handlers = new Map(bound.map(({ route, handler }) => [route.rpc, handler]));
    assert.deepEqual(
      [handlers.get(LIST), handlers.get(WATCH), handlers.get(HISTORY)],
      ['list', 'watch', 'any'],
    );
  });

  test('can only have path variables that are string fields of the request message', () => {
    const image = imageWith(LIST, annotated({ pattern: { case: 'get', value: '/v1/games/{id}' } }));
    assert.throws(
      () => readRoutes(image),
      /ListGamesJson: \{id\} in its path is not a string field of gsq\.v1\.ListGamesRequest/,
    );
  });

  test('allow a path variable only as a whole path segment, such as {id}', () => {
    for (const value of ['/v1/{id=games/*}', '/v1/a{id}', '/v1/**', 'v1', '/v1/']) {
      const image = imageWith(LIST, annotated({ pattern: { case: 'get', value } }));
      assert.throws(() => readRoutes(image), /ListGamesJson: .* must name one path/, value);
    }
  });

  test('must map the HTTP body to the whole gRPC request message, not to one field', () => {
    const rule = { pattern: { case: 'post', value: '/v1/post/fetch' }, body: 'servers' };
    assert.throws(
      () => readRoutes(imageWith(FETCH, annotated(rule))),
      /FetchServersJson: the body .* must be "\*"/,
    );
  });

  test('must each have a path in the google.api.http annotation', () => {
    const image = imageWith(LIST, annotated({ body: '*' }));
    assert.throws(
      () => readRoutes(image),
      /ListGamesJson: its google\.api\.http annotation must name one path/,
    );
  });
});
