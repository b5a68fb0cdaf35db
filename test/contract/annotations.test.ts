import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { bindRoutes, readRoutes } from '../../gateway/routes.ts';
import { descriptorImage } from '../../proto/descriptors.ts';
import { ask } from '../gateway/ask.ts';
import { startInProcess } from './in-process.ts';
import { post } from './rest.ts';

const annotated = [
  { rpc: 'gsq.v1.GameService.ListGamesJson', method: 'GET', path: '/v1/get/games' },
  { rpc: 'gsq.v1.ServerService.FetchServersJson', method: 'POST', path: '/v1/post/fetch' },
];

const handlers = Object.fromEntries(annotated.map(({ rpc }) => [rpc, rpc]));

describe('the google.api.http annotations in the proto files', () => {
  it('define exactly the two paths of the REST service', () => {
    const routes = readRoutes(descriptorImage).toSorted((a, b) => a.path.localeCompare(b.path));
    assert.deepEqual(routes, annotated);
  });

  it('belong to methods that return google.api.HttpBody, so that a transcoder passes the JSON on unchanged', () => {
    const { file } = fromBinary(FileDescriptorSetSchema, descriptorImage);
    const methods = file.flatMap(({ package: name, service }) =>
      service.flatMap(each =>
        each.method.map(method => ({ ...method, rpc: `${name}.${each.name}.${method.name}` })),
      ),
    );
    const returned = annotated.map(({ rpc }) => methods.find(method => method.rpc === rpc)?.outputType);
    assert.deepEqual(returned, ['.google.api.HttpBody', '.google.api.HttpBody']);
  });

  it('define the paths that the gateway serves', async () => {
    const service = await startInProcess();
    try {
      for (const { method, path } of readRoutes(descriptorImage)) {
        const question = { method, path, ...(method === 'POST' ? { body: '{"servers":[]}' } : {}) };
        const { status, text } = await (method === 'POST' ? post : ask)(service.http, question);
        assert.equal(status, 200, text);
      }
    } finally {
      await service.stop();
    }
  });

  it('must exist: the gateway cannot build its routes if the annotation of ListGamesJson is missing', () => {
    const image = fromBinary(FileDescriptorSetSchema, descriptorImage);
    const methods = image.file.flatMap(file => file.service.flatMap(service => service.method));
    const listGames = methods.find(({ name }) => name === 'ListGamesJson');
    assert.ok(listGames?.options);
    delete listGames.options;
    const routes = readRoutes(toBinary(FileDescriptorSetSchema, image));
    assert.throws(() => bindRoutes(routes, handlers), /gsq\.v1\.GameService\.ListGamesJson .*annotation/);
  });
});
