import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../../proto/descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  decodeFetchStreamResponse,
  type FetchCall,
} from '../../../../proto/generated/codec/fetch.ts';
import type { FetchCall as FetchCallMessage } from '../../../../proto/generated/gsq/v1/FetchCall.ts';
import { ServiceError, toRpcStatus } from '../../../../proto/service-error.ts';
import {
  openReply,
  writeChecked,
  writeError,
  writeFetched,
  writeGroups,
  writeWait,
} from '../../../../proto/streams/fetch-replies.ts';
import { encodeFetchCall } from '../../../../proto/streams/fetch-service.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

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
  const { fetch, check, ...rest } = call;
  assert.equal(check === null, fetch !== null);
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

test('writes calls that proto-loader reads back', () => {
  for (let round = 0; round < 300; round++) {
    const calls = some(4, randomCall);
    const bytes = Buffer.concat(
      calls.map(call =>
        encodeFetchCall({
          ...call,
          fetch: call.fetch ? requestOf(call.fetch) : null,
          check: call.fetch ? null : {},
        }),
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

test('reads calls that proto-loader wrote', () => {
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
      decodeFetchStreamRequest(bytes).calls.map(asMessage),
      calls.map(({ check, ...call }) => ({ ...call, fetch: check ? undefined : call.fetch })),
    );
    for (const call of calls) {
      if (!call.fetch) continue;
      const request = decodeFetchServersRequest(gsqV1.FetchServersRequest.serialize(call.fetch));
      assert.deepEqual(request.waitMs, call.fetch.waitMs);
      assert.deepEqual(
        request.groups.map(({ gameId }) => gameId),
        call.fetch.servers?.map(({ gameId }) => gameId),
      );
    }
  }
});

test('reads absent credentials and an absent caller as null', () => {
  const bytes = gsqV1.FetchStreamRequest.serialize({ calls: [{ id: 7, check: {} }] });
  assert.deepEqual(decodeFetchStreamRequest(bytes).calls, [
    {
      id: 7,
      credentials: null,
      caller: null,
      requestId: '',
      fetch: null,
      check: {},
      acceptGzip: false,
      held: false,
      traceparent: '',
    },
  ]);
});

test('writes replies that proto-loader reads back, and reads them from both writers', () => {
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
    const [fetched, empty, checked, error] = decodeFetchStreamResponse(form).replies;
    assert.deepEqual(
      { ...fetched, fetched: { ...fetched?.fetched, body: undefined } },
      {
        id: 0xffff_ffff,
        allowances: [allowance, burst],
        fetched: { body: undefined, gzipped: true, tag: 'AP8-Pw' },
        checked: null,
        error: null,
      },
    );
    assert.ok(fetched?.fetched?.body.equals(body));
    assert.equal(fetched?.fetched?.body.buffer, form.buffer, 'the body is not copied');
    assert.equal(empty?.id, 2);
    assert.deepEqual(
      { ...empty?.fetched, body: empty?.fetched?.body.length },
      { body: 0, gzipped: false, tag: '' },
    );
    assert.deepEqual([checked?.fetched, checked?.checked, checked?.allowances], [null, {}, [burst]]);
    assert.deepEqual(error?.error, status);
    assert.equal(error?.fetched, null);
  }
  assert.equal(writer.length, 0);
});
