import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { bindRoutes, readRoutes } from '../../gateway/http/routes.ts';
import { descriptorImage } from '../../proto/descriptors.ts';
import { ask } from '../gateway/ask.ts';
import { startInProcess } from './in-process.ts';
import { post } from './rest.ts';

const annotated = [
  'GET /v1/events',
  'GET /v1/get/games',
  'GET /v1/servers',
  'GET /v1/servers/{game_id}/{server}',
  'GET /v1/servers/{game_id}/{server}/history',
  'GET /v1/servers/{game_id}/{server}/incidents',
  'GET /v1/servers/{game_id}/{server}/uptime',
  'GET /v1/status',
  'GET /v1/summary',
  'GET /v1/trends',
  'GET /v1/webhooks',
  'GET /v1/webhooks/{id}',
  'GET /v1/webhooks/{id}/deliveries',
  'DELETE /v1/webhooks/{id}',
  'POST /v1/post/fetch',
  'POST /v1/webhooks',
  'POST /v1/webhooks/{id}/test',
];

describe('the google.api.http annotations in the proto files', () => {
  it('define exactly the REST paths that this test lists', () => {
    const routes = readRoutes(descriptorImage).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(routes.sort(), annotated.toSorted());
  });

  it('belong to methods that return google.api.HttpBody, so that a transcoder passes the JSON on unchanged', () => {
    for (const { rpc, rpcMethod } of readRoutes(descriptorImage))
      assert.equal(rpcMethod.output.typeName, 'google.api.HttpBody', rpc);
  });

  it('define the paths that the gateway serves', async () => {
    const service = await startInProcess();
    try {
      for (const { method, path } of readRoutes(descriptorImage)) {
        if (path === '/v1/events') continue;
        const question = { method, path: path.replaceAll('{', '%7B').replaceAll('}', '%7D') };
        const { json } =
          method === 'POST'
            ? await post(service.http, { ...question, body: '{"servers":[]}' })
            : await ask(service.http, question);
        const { error = 'none', message } = json;
        assert.ok(error !== 'ROUTE_1' || /too old/.test(String(message)), `${method} ${path}: ${message}`);
        assert.notEqual(error, 'ROUTE_2', path);
      }
    } finally {
      await service.stop();
    }
  });

  it('are required: without the annotation of ListGamesJson, the gateway cannot build its routes', () => {
    const image = fromBinary(FileDescriptorSetSchema, descriptorImage);
    const methods = image.file.flatMap(file => file.service.flatMap(service => service.method));
    const listGames = methods.find(({ name }) => name === 'ListGamesJson');
    assert.ok(listGames?.options);
    delete listGames.options;
    const routes = readRoutes(toBinary(FileDescriptorSetSchema, image));
    assert.throws(
      () => bindRoutes(routes, { 'gsq.v1.GameService.ListGamesJson': 1 }, 2),
      /gsq\.v1\.GameService\.ListGamesJson .*annotation/,
    );
  });
});
