import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { Client, credentials, status } from '@grpc/grpc-js';
import { descriptorImage, grpcReflectionV1 } from '../../../proto/descriptors.ts';
import type { ServerReflectionRequest } from '../../../proto/generated/grpc/reflection/v1/ServerReflectionRequest.ts';
import type { ServerReflectionResponse__Output } from '../../../proto/generated/grpc/reflection/v1/ServerReflectionResponse.ts';
import { Inbox } from './answer.ts';
import { publicServer } from './public-server.ts';

const SERVICES = [
  'gsq.v1.GameService',
  'gsq.v1.ServerService',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];

/** Field number of the extension `google.api.http` of google.protobuf.MethodOptions. */
const HTTP = 72295728;

const image = fromBinary(FileDescriptorSetSchema, descriptorImage);

/** Opens a reflection stream. Returns functions that send one request and resolve to its reply. */
async function reflection(t: TestContext, version: string) {
  const { port } = await publicServer(t);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.after(() => client.close());
  const { ServerReflectionInfo: method } = grpcReflectionV1.ServerReflection.service;
  const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  const stream = client.makeBidiStreamRequest(path, method.requestSerialize, method.responseDeserialize);
  t.after(() => stream.cancel());
  const inbox = new Inbox<ServerReflectionResponse__Output>(stream);
  const ask = async (question: ServerReflectionRequest): Promise<ServerReflectionResponse__Output> => {
    const before = inbox.messages.length;
    stream.write(question);
    await inbox.until(messages => messages.length > before);
    const [reply] = inbox.messages.slice(before);
    assert.ok(reply);
    return reply;
  };
  const filesOf = async (question: ServerReflectionRequest): Promise<FileDescriptorProto[]> => {
    const { fileDescriptorResponse } = await ask(question);
    assert.ok(fileDescriptorResponse, JSON.stringify(question));
    return fileDescriptorResponse.fileDescriptorProto.map(bytes =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    );
  };
  return { stream, inbox, ask, filesOf };
}

for (const version of ['v1', 'v1alpha']) {
  test(`gRPC reflection ${version} lists the public services, including the reflection services`, async t => {
    const { stream, inbox, ask } = await reflection(t, version);
    const { listServicesResponse, validHost, originalRequest } = await ask({ host: 'h', listServices: '*' });
    assert.deepEqual(listServicesResponse?.service.map(({ name }) => name).sort(), [...SERVICES].sort());
    assert.deepEqual([validHost, originalRequest?.listServices], ['h', '*']);
    stream.end();
    assert.equal(await inbox.over, undefined);
  });

  test(`gRPC reflection ${version} returns the unchanged file that defines a symbol, and all files that it imports`, async t => {
    for (const symbol of [
      ...SERVICES,
      'gsq.v1.ServerResult',
      'gsq.v1.ServerService.FetchServers',
      'gsq.v1.ServerResult.payload',
      'google.api.http',
      'google.rpc.Status',
      'google.rpc.QuotaFailure.Violation',
    ]) {
      const { filesOf } = await reflection(t, version);
      const files = await filesOf({ fileContainingSymbol: symbol });
      const names = new Set(files.map(({ name }) => name));
      for (const file of files) {
        for (const needed of file.dependency)
          assert.ok(names.has(needed), `${needed}, imported for ${symbol}`);
        assert.deepEqual(
          file,
          image.file.find(({ name }) => name === file.name),
          file.name,
        );
      }
      const [first] = files;
      assert.ok(first && symbol.startsWith(`${first.package}.`), symbol);
    }
  });
}

test('gRPC reflection keeps the google.api.http options of the methods', async t => {
  const { filesOf } = await reflection(t, 'v1');
  const [file] = await filesOf({ fileContainingSymbol: 'gsq.v1.GameService' });
  const method = file?.service[0]?.method.find(({ name }) => name === 'ListGamesJson');
  const [option] = method?.options?.$unknown ?? [];
  assert.equal(option?.no, HTTP);
  assert.match(Buffer.from(option?.data ?? []).toString(), /\/v1\/get\/games/);
});

test('gRPC reflection finds the extensions of a message, and the file that defines an extension', async t => {
  const { ask, filesOf } = await reflection(t, 'v1');
  const containingType = 'google.protobuf.MethodOptions';
  const [file] = await filesOf({ fileContainingExtension: { containingType, extensionNumber: HTTP } });
  assert.equal(file?.name, 'google/api/annotations.proto');
  const { allExtensionNumbersResponse } = await ask({ allExtensionNumbersOfType: containingType });
  assert.deepEqual(allExtensionNumbersResponse, { baseTypeName: containingType, extensionNumber: [HTTP] });
});

test('gRPC reflection sends an imported file only once in a stream, but sends a requested file for every request', async t => {
  const { filesOf } = await reflection(t, 'v1');
  const ask = async () => (await filesOf({ fileByFilename: 'gsq/v1/game.proto' })).map(({ name }) => name);
  assert.ok((await ask()).includes('google/api/annotations.proto'));
  assert.deepEqual(await ask(), ['gsq/v1/game.proto']);
});

test('gRPC reflection reports NOT_FOUND for unknown symbols and files, and for the internal services and their files', async t => {
  const { ask } = await reflection(t, 'v1');
  for (const question of [
    { fileContainingSymbol: 'gsq.v1.Nothing' },
    { fileContainingSymbol: 'gsq.v1.GameService.Nothing' },
    { fileContainingSymbol: 'gsq.v1.ServerStatus.Nothing' },
    { fileContainingSymbol: '' },
    { fileContainingSymbol: '__proto__' },
    { fileContainingSymbol: 'gsq.v1.AdminService' },
    { fileContainingSymbol: 'gsq.v1.AdminService.CreateToken' },
    { fileContainingSymbol: 'gsq.v1.ProbeService' },
    { fileContainingSymbol: 'gsq.v1.Lease' },
    { fileByFilename: 'gsq/v1/admin.proto' },
    { fileByFilename: 'gsq/v1/probe.proto' },
    { fileByFilename: 'gsq/v1/nothing.proto' },
    { fileContainingExtension: { containingType: 'google.protobuf.MethodOptions', extensionNumber: 1 } },
    { fileContainingExtension: { containingType: 'gsq.v1.Nothing', extensionNumber: HTTP } },
    { allExtensionNumbersOfType: 'gsq.v1.Lease' },
  ]) {
    const { errorResponse } = await ask(question);
    assert.equal(errorResponse?.errorCode, status.NOT_FOUND, JSON.stringify(question));
  }
  const { errorResponse } = await ask({});
  assert.equal(errorResponse?.errorCode, status.INVALID_ARGUMENT);
});
