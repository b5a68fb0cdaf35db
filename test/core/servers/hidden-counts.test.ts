import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeStablePart } from '../../../core/render/payload.ts';
import { TypedAnswer } from '../../../core/render/typed-answer.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { viewOf } from '../../../core/servers/server-view.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ServerPayload__Output } from '../../../proto/generated/gsq/v1/ServerPayload.ts';
import { payloadFields, reported } from '../payload-of.ts';

const ADDRESS = '1.2.3.4:25565';
const NOW = Date.UTC(2026, 0, 2);
const { players: _, maxplayers: __, ...hidden } = payloadFields({ playerList: [] });

function recordOf(payload: ServerPayload__Output) {
  const record = newRecord('minecraft', ADDRESS, '', NOW, 60_000);
  return { ...record, lastOnlineAt: NOW, data: reported(payload).data() };
}

function restOf(payload: ServerPayload__Output) {
  const out = new ByteWriter();
  writeStablePart(out, viewOf(recordOf(payload)));
  return JSON.parse(`${out.takeBytes()}}`);
}

function typedOf(payload: ServerPayload__Output) {
  const out = new ByteWriter();
  const record = recordOf(payload);
  const address = Buffer.from(ADDRESS);
  const answer = new TypedAnswer(out, NOW, { staleAfterMs: 600_000, probeIntervalMs: 60_000 });
  answer.known('minecraft', address, 0, address.length, viewOf(record));
  answer.end();
  const { results } = gsqV1.FetchServersResponse.deserialize(out.takeBytes());
  return results[0]?.payload;
}

test('if a server does not report its player counts, REST and gRPC answers omit these counts', () => {
  const rest = restOf(hidden);
  for (const key of ['players', 'maxplayers', 'numplayers']) assert.ok(!(key in rest), key);
  assert.deepEqual([rest.name, rest.numbots, rest.raw.players], [hidden.name, 1, []]);
  const typed = typedOf(hidden);
  assert.deepEqual([typed?.name, typed?.players, typed?.maxplayers], [hidden.name, undefined, undefined]);
});

test('REST and gRPC answers contain the player count and the player maximum even if they are 0', () => {
  const uncapped = restOf({ ...hidden, players: 0 });
  assert.deepEqual([uncapped.players, uncapped.numplayers, 'maxplayers' in uncapped], [0, 0, false]);
  const typed = typedOf({ ...hidden, players: 0 });
  assert.deepEqual([typed?.players, typed?.maxplayers], [0, undefined]);
  const uncounted = restOf({ ...hidden, maxplayers: 0 });
  assert.deepEqual(['players' in uncounted, uncounted.maxplayers], [false, 0]);
  assert.equal(typedOf({ ...hidden, maxplayers: 0 })?.maxplayers, 0);
});
