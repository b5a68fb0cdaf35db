import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { addReflection } from '../../../core/rpc/reflection.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { Inbox } from './answer.ts';

interface Answer {
  listServicesResponse?: { service: { name: string }[] };
  fileDescriptorResponse?: { fileDescriptorProto: Buffer[] };
  errorResponse?: { errorCode: number };
}

const SERVICES = ['gsq.v1.GameService', 'gsq.v1.ServerService', 'grpc.health.v1.Health'];
const library = dirname(createRequire(import.meta.url).resolve('@grpc/reflection'));

for (const version of ['v1', 'v1alpha']) {
  test(`gRPC reflection ${version} lists the services and returns every file that is needed to describe them`, async t => {
    const server = new Server();
    addReflection(server, SERVICES);
    const address = formatEndpoint(await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 }));
    const client = new Client(address, credentials.createInsecure());
    t.after(() => {
      client.close();
      server.forceShutdown();
    });
    const definitions = loadSync(join(library, `../proto/grpc/reflection/${version}/reflection.proto`));
    const service = definitions[`grpc.reflection.${version}.ServerReflection`];
    assert.ok(service && 'ServerReflectionInfo' in service);
    const { path, requestSerialize, responseDeserialize } = service.ServerReflectionInfo;
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const inbox = new Inbox<object>(stream);
    const ask = async (question: object): Promise<Answer> => {
      const before = inbox.messages.length;
      stream.write(question);
      await inbox.until(messages => messages.length > before);
      return inbox.messages[before] ?? {};
    };

    const { listServicesResponse } = await ask({ listServices: '*' });
    const names = listServicesResponse?.service.map(({ name }) => name) ?? [];
    for (const name of SERVICES) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('gsq.v1.AdminService') && !names.includes('gsq.v1.ProbeService'));

    const filesOf = async (question: object) => {
      const { fileDescriptorResponse } = await ask(question);
      assert.ok(fileDescriptorResponse, JSON.stringify(question));
      return fileDescriptorResponse.fileDescriptorProto.map(bytes =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      );
    };
    for (const symbol of [...SERVICES, 'gsq.v1.ServerResult', 'google.rpc.Status']) {
      const held = new Map((await filesOf({ fileContainingSymbol: symbol })).map(file => [file.name, file]));
      // Requests imported .proto files until none is missing, as clients of gRPC reflection do.
      const missing = () =>
        [...held.values()].flatMap(file => file.dependency).filter(name => !held.has(name));
      for (let names = missing(); names.length > 0; names = missing()) {
        const [first] = names;
        for (const file of await filesOf({ fileByFilename: first })) held.set(file.name, file);
        assert.ok(first !== undefined && held.has(first), `${first}, imported for ${symbol}`);
      }
      const [packageName, message] = [symbol.slice(0, symbol.lastIndexOf('.')), symbol.split('.').at(-1)];
      const defines = [...held.values()].some(
        file =>
          file.package === packageName &&
          [...file.service, ...file.messageType].some(({ name }) => name === message),
      );
      assert.ok(defines, symbol);
    }
    const { errorResponse } = await ask({ fileContainingSymbol: 'gsq.v1.Nothing' });
    assert.equal(errorResponse?.errorCode, 5);
    stream.end();
    await inbox.over;
  });
}
