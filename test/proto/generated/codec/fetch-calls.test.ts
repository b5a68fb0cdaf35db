import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../../proto/descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  type FetchCall,
} from '../../../../proto/generated/codec/fetch.ts';
import type { FetchCall as FetchCallMessage } from '../../../../proto/generated/gsq/v1/FetchCall.ts';
import { writeGroups, writeWait } from '../../../../proto/streams/fetch-replies.ts';
import { encodeFetchCall, withHeld } from '../../../../proto/streams/fetch-service.ts';
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
    wantsAccount: below(2) === 1,
  };
}

function requestOf({ groups, waitMs }: { groups: { gameId: string; servers: string[] }[]; waitMs: number }) {
  const writer = new ByteWriter();
  writeGroups(writer, groups);
  writeWait(writer, waitMs);
  return writer;
}

/** Converts a call of the generated decoder to the form of proto-loader, in which addresses are strings. */
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

test('proto-loader can read fetch calls that encodeFetchCall() wrote', () => {
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
      read.map(
        ({
          id,
          credentials,
          caller,
          requestId,
          action,
          fetch,
          acceptGzip,
          held,
          traceparent,
          wantsAccount,
        }) => ({
          id,
          credentials: { ...credentials },
          caller: { ...caller },
          requestId,
          acceptGzip,
          held,
          traceparent,
          wantsAccount,
          action,
          groups: fetch?.servers.map(group => ({ ...group })),
          waitMs: fetch?.waitMs,
        }),
      ),
      calls.map(({ fetch, ...call }) => ({
        ...call,
        action: fetch ? 'fetch' : 'check',
        groups: fetch?.groups,
        waitMs: fetch?.waitMs,
      })),
    );
  }
});

test('the generated decoders can read fetch calls that proto-loader wrote', () => {
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

test('decodeFetchStreamRequest() returns null for absent credentials and for an absent caller', () => {
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
      wantsAccount: false,
    },
  ]);
});

test('withHeld() sets the field `held` of an encoded fetch call, and changes no other field', () => {
  for (let round = 0; round < 300; round++) {
    const { fetch, ...call } = randomCall();
    const encoded = encodeFetchCall({
      ...call,
      fetch: fetch ? requestOf(fetch) : null,
      check: fetch ? null : {},
    });
    const [original] = gsqV1.FetchStreamRequest.deserialize(encoded).calls;
    for (const bytes of [withHeld(encoded), withHeld(withHeld(encoded))]) {
      assert.deepEqual(gsqV1.FetchStreamRequest.deserialize(bytes).calls, [{ ...original, held: true }]);
    }
  }
});
