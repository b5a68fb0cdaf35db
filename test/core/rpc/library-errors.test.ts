import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReasonCode } from '../../../proto/reasons.ts';
import { EMPTY, framed, headers, LIST_GAMES, outcome, publicServer } from './public-server.ts';

const MIB = 1024 * 1024;

interface Fault {
  name: string;
  path?: string;
  metadata?: Record<string, string>;
  body: Buffer;
  status: string;
  code: ReasonCode;
  message: RegExp;
}

const faults: Fault[] = [
  {
    name: 'a message is larger than 1 MiB',
    body: framed(Buffer.alloc(0), 0, MIB + 1),
    status: 'RESOURCE_EXHAUSTED',
    code: 'POST_5',
    message: /over 1 MiB/,
  },
  {
    name: 'the message does not fit the method',
    body: framed(Buffer.from([0x0a, 0xff])),
    status: 'INVALID_ARGUMENT',
    code: 'GRPC_1',
    message: /does not fit the method/,
  },
  {
    name: 'the call has no message',
    body: Buffer.alloc(0),
    status: 'INVALID_ARGUMENT',
    code: 'GRPC_1',
    message: /exactly one message/,
  },
  {
    name: 'the call has two messages',
    body: Buffer.concat([EMPTY, EMPTY]),
    status: 'INVALID_ARGUMENT',
    code: 'GRPC_1',
    message: /exactly one message/,
  },
  {
    name: 'grpc-timeout is not valid',
    metadata: { 'grpc-timeout': 'soon' },
    body: EMPTY,
    status: 'INVALID_ARGUMENT',
    code: 'GRPC_1',
    message: /grpc-timeout must be digits and a unit/,
  },
  {
    name: 'the deadline of the call is over',
    metadata: { 'grpc-timeout': '1m' },
    body: EMPTY,
    status: 'DEADLINE_EXCEEDED',
    code: 'CORE_2',
    message: /before its deadline/,
  },
  {
    name: 'the messages are compressed',
    metadata: { 'grpc-encoding': 'gzip' },
    body: EMPTY,
    status: 'UNIMPLEMENTED',
    code: 'GRPC_2',
    message: /must not be compressed/,
  },
  ...[
    '/gsq.v1.ServerService/Nothing',
    '/gsq.v1.AdminService/CreateToken',
    '/%ff%00',
    '/Deadline%20exceeded',
  ].map(
    (path): Fault => ({
      name: `no method has the path ${path}`,
      path,
      body: EMPTY,
      status: 'UNIMPLEMENTED',
      code: 'ROUTE_1',
      message: /no such method on this port/,
    }),
  ),
];

for (const { name, path = LIST_GAMES, metadata = {}, body, status, code, message } of faults) {
  test(`if ${name}, the call on the public port ends with ${status}, error code ${code} and its request id`, async t => {
    const { session } = await publicServer(t);
    const stream = session().request(headers(path, { 'x-request-id': 'an-id', ...metadata }));
    const end = await outcome(stream.end(body));
    assert.deepEqual([end.code, end.error?.code, end.requestId], [status, code, 'an-id']);
    assert.match(end.message, message);
    assert.equal(end.error?.message, end.message);
  });
}

test('if grpc-js refuses a message that is too large, the ErrorInfo of the error contains the maximum message size', async t => {
  const { session } = await publicServer(t);
  const stream = session()
    .request(headers(LIST_GAMES))
    .end(framed(Buffer.alloc(0), 0, MIB + 1));
  const { error, requestId } = await outcome(stream);
  assert.deepEqual(error?.details.facts, { max_message_bytes: '1048576' });
  assert.equal(requestId, undefined);
});
