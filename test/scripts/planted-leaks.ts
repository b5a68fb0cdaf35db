/**
 * Program that secret-leaks.test.ts starts. It leaks secrets on purpose, in its metrics, in HTTP errors, in a gRPC
 * error and in a successful HTTP response.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { googleRpc } from '../../proto/descriptors.ts';
import { failure } from '../core/rpc/answer.ts';
import { ask } from '../gateway/ask.ts';
import { hearMetrics } from '../system/hearing.ts';

/**
 * Secrets that this program leaks on purpose, keyed by the place of the leak. The key `body` means the body of an HTTP
 * response.
 */
const secrets: Record<string, string> = JSON.parse(process.argv[2] ?? '');
const server = createServer((request, response) => {
  if (request.url === '/metrics') response.end(`gsq_things{of="${secrets.metrics}"} 1\n`);
  else if (request.url === '/body') response.writeHead(403).end(JSON.stringify({ message: secrets.body }));
  else if (request.url === '/header') response.writeHead(401, { 'x-reason': secrets.header }).end('{}');
  else if (request.url === '/made') response.writeHead(201).end(JSON.stringify({ secret: secrets.made }));
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const address = `127.0.0.1:${port}`;
await hearMetrics('prober', address);
for (const path of ['/body', '/header', '/made']) await ask(address, { path });
server.close();

const metadata = new Metadata();
const reason = { reason: secrets.details ?? '', domain: '', metadata: {} };
const info = {
  type_url: 'type.googleapis.com/google.rpc.ErrorInfo',
  value: googleRpc.ErrorInfo.serialize(reason),
};
const refusal = { code: status.PERMISSION_DENIED, message: 'no', details: [info] };
metadata.set('grpc-status-details-bin', googleRpc.Status.serialize(refusal));
const error: ServiceError = Object.assign(new Error('no'), {
  code: status.PERMISSION_DENIED,
  details: 'no',
  metadata,
});
const { code } = await failure(done => done(error));
assert.equal(code, status.PERMISSION_DENIED);
