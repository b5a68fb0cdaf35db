import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import {
  decodeFetchCalls,
  decodeFetchReplies,
  decodeFetchRequest,
  encodeFetchCall,
  type FetchCall,
  openReply,
  writeChecked,
  writeError,
  writeFetched,
  writeGroups,
  writeWait,
} from '../../../proto/codec/fetch-messages.ts';
import { WireError } from '../../../proto/codec/wire-reader.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { FetchCall as FetchCallMessage } from '../../../proto/generated/gsq/v1/FetchCall.ts';
import { ServiceError, toRpcStatus } from '../../../proto/service-error.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const TEXTS = [
  '',
  'a',
  '1.2.3.4:27015',
  '[2001:db8::1]:1',
  'ü☃.example:1',
  '😀',
  'x'.repeat(200),
  '"\\\u0000',
];
const ids = [0, 1, 127, 128, 0xffff_ffff];

const below = randomNumbers(3);
function pick<T>(choices: readonly T[]): T {
  const picked = choices[below(choices.length)];
  assert.ok(picked !== undefined);
  return picked;
}
const text = (): string => pick(TEXTS);
const some = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);

function randomCall() {
  return {
    id: pick(ids),
    credentials: { token: text(), tier: text(), email: text() },
    caller: { address: text(), domain: text() },
    requestId: text(),
    fetch:
      below(5) === 0
        ? undefined
        : {
            groups: some(3, () => ({ gameId: text(), servers: some(4, text) })),
            waitMs: pick([0, 1, 5000]),
          },
    acceptGzip: below(2) === 1,
    held: below(2) === 1,
    traceparent: text(),
  };
}

function requestOf({ groups, waitMs }: { groups: { gameId: string; servers: string[] }[]; waitMs: number }) {
  const writer = new ByteWriter();
  writeGroups(writer, groups);
  writeWait(writer, waitMs);
  return writer;
}

/** A decoded call with its addresses as text, in the shape that the other codec reads. */
function asMessage(call: FetchCall) {
  const { fetch, ...rest } = call;
  return {
    ...rest,
    fetch: fetch
      ? {
          servers: fetch.groups.map(({ gameId, bytes, spans }) => ({
            gameId,
            servers: Array.from({ length: spans.length / 2 }, (_, i) =>
              bytes.toString('utf8', spans[2 * i], spans[2 * i + 1]),
            ),
          })),
          waitMs: fetch.waitMs,
        }
      : undefined,
  };
}

test('calls are written as proto-loader reads them', () => {
  for (let round = 0; round < 300; round++) {
    const calls = some(4, randomCall);
    const bytes = Buffer.concat(
      calls.map(call =>
        encodeFetchCall(call.id, { ...call, fetch: call.fetch && requestOf(call.fetch) }, call.held),
      ),
    );
    const read = gsqV1.FetchStreamRequest.deserialize(bytes).calls;
    assert.deepEqual(
      read.map(({ id, credentials, caller, requestId, action, fetch, acceptGzip, held, traceparent }) => ({
        id,
        credentials: { ...credentials },
        caller: { ...caller },
        requestId,
        acceptGzip,
        held,
        traceparent,
        action,
        groups: fetch?.servers.map(group => ({ ...group })),
        waitMs: fetch?.waitMs,
      })),
      calls.map(({ fetch, ...call }) => ({
        ...call,
        action: fetch ? 'fetch' : 'check',
        groups: fetch?.groups,
        waitMs: fetch?.waitMs,
      })),
    );
  }
});

test('calls of proto-loader are read as it meant them', () => {
  for (let round = 0; round < 300; round++) {
    const calls = some(4, () => {
      const { fetch, ...rest } = randomCall();
      const message: FetchCallMessage & typeof rest = { ...rest };
      if (fetch) message.fetch = { servers: fetch.groups, waitMs: fetch.waitMs };
      else message.check = {};
      return message;
    });
    const bytes = gsqV1.FetchStreamRequest.serialize({ calls });
    assert.deepEqual(
      decodeFetchCalls(bytes).map(asMessage),
      calls.map(({ check, ...call }) => ({ ...call, fetch: check ? undefined : call.fetch })),
    );
    for (const call of calls) {
      if (!call.fetch) continue;
      const request = decodeFetchRequest(gsqV1.FetchServersRequest.serialize(call.fetch));
      assert.deepEqual(request.waitMs, call.fetch.waitMs);
      assert.deepEqual(
        request.groups.map(({ gameId }) => gameId),
        call.fetch.servers?.map(({ gameId }) => gameId),
      );
    }
  }
});

test('a call without credentials or caller has none', () => {
  const bytes = gsqV1.FetchStreamRequest.serialize({ calls: [{ id: 7, check: {} }] });
  assert.deepEqual(decodeFetchCalls(bytes), [
    {
      id: 7,
      credentials: undefined,
      caller: undefined,
      requestId: '',
      fetch: undefined,
      acceptGzip: false,
      held: false,
      traceparent: '',
    },
  ]);
});

test('replies are written as proto-loader reads them, and read as they were written', () => {
  const allowance = {
    policy: 'day',
    limit: 1440,
    remaining: 0,
    windowSeconds: 86_400,
    resetSeconds: 4_294_967_295,
  };
  const burst = { policy: 'burst', limit: 0, remaining: 1, windowSeconds: 1, resetSeconds: 1 };
  const status = toRpcStatus(
    new ServiceError('QUOTA_1', 'über', { retryAfterSeconds: 3, facts: { used: '1' } }),
  );
  const writer = new ByteWriter(16);
  const whole = (start: number): void => writer.close(start);

  const body = Buffer.alloc(300_001, 'x');
  const tag = Buffer.from([0, 255, 62, 63]);
  let reply = openReply(writer, 0xffff_ffff, [allowance, burst]);
  writeFetched(writer, () => {
    writer.copy(body);
    return { tag, gzipped: true };
  });
  whole(reply);
  reply = openReply(writer, 2, []);
  writeFetched(writer, () => ({ tag: Buffer.alloc(0), gzipped: false }));
  whole(reply);
  reply = openReply(writer, 0, [burst]);
  writeChecked(writer);
  whole(reply);
  reply = openReply(writer, 4, [allowance]);
  writeError(writer, status);
  whole(reply);

  const bytes = writer.take();
  const { replies } = gsqV1.FetchStreamResponse.deserialize(bytes);
  assert.deepEqual(
    replies.map(({ id, outcome }) => [id, outcome]),
    [
      [0xffff_ffff, 'fetched'],
      [2, 'fetched'],
      [0, 'checked'],
      [4, 'error'],
    ],
  );
  assert.deepEqual(
    replies[0]?.allowances.map(each => ({ ...each })),
    [allowance, burst],
  );
  assert.ok(replies[0]?.fetched?.body.equals(body));
  assert.deepEqual(
    replies.map(({ fetched }) => fetched?.gzipped),
    [true, false, undefined, undefined],
  );
  assert.deepEqual(replies[0]?.fetched?.tag, tag);
  assert.equal(replies[3]?.error?.message, 'über');

  for (const form of [bytes, gsqV1.FetchStreamResponse.serialize({ replies })]) {
    const [fetched, empty, checked, error] = decodeFetchReplies(form);
    assert.deepEqual(
      { ...fetched, body: undefined },
      {
        id: 0xffff_ffff,
        allowances: [allowance, burst],
        body: undefined,
        gzipped: true,
        tag: 'AP8-Pw',
        error: undefined,
      },
    );
    assert.ok(fetched?.body?.equals(body));
    assert.deepEqual(
      [empty?.id, empty?.body?.length, empty?.gzipped, checked?.gzipped],
      [2, 0, false, false],
    );
    assert.deepEqual([checked?.body, checked?.error, checked?.allowances], [undefined, undefined, [burst]]);
    assert.deepEqual(error?.error?.details, status.details);
    assert.equal(error?.body, undefined);
  }
  assert.equal(writer.length, 0);
});

test('bytes that are no message are refused, whatever they are, and nothing else happens', () => {
  const whole = encodeFetchCall(5, {
    credentials: { token: 'secret', tier: 'FREE', email: 'a@b' },
    caller: { address: '1.2.3.4', domain: 'example.com' },
    requestId: 'r',
    fetch: requestOf({ groups: [{ gameId: 'csgo', servers: ['1.2.3.4:1', '[::1]:2'] }], waitMs: 5 }),
    acceptGzip: true,
  });
  let refused = 0;
  const read = (bytes: Buffer): void => {
    for (const decode of [decodeFetchCalls, decodeFetchRequest, decodeFetchReplies]) {
      try {
        decode(bytes);
      } catch (error) {
        // A Status within is read by proto-loader, which has errors of its own.
        if (decode !== decodeFetchReplies) assert.ok(error instanceof WireError, String(error));
        refused++;
      }
    }
  };
  for (let length = 1; length < whole.length; length++) {
    assert.throws(() => decodeFetchCalls(whole.subarray(0, length)), WireError);
    read(whole.subarray(length));
  }
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(whole);
    for (let i = below(4); i >= 0; i--) bytes[below(bytes.length)] = below(256);
    read(bytes);
  }
  assert.ok(refused > 1000);
  assert.throws(() => decodeFetchCalls(Buffer.alloc(12, 0xff)), WireError);
});

test('unknown fields of every wire type are passed over', () => {
  const unknown = Buffer.from([0x78, 0x01, 0x7d, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 1, 9]);
  const calls = gsqV1.FetchStreamRequest.serialize({ calls: [{ id: 3, check: {} }] });
  assert.deepEqual(
    decodeFetchCalls(Buffer.concat([unknown, calls, unknown])).map(({ id }) => id),
    [3],
  );
  assert.throws(() => decodeFetchCalls(Buffer.from([0x7b, 0x7c])), /wire type 3/);
});
