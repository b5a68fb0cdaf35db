import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  intervalMinutes,
  renderInvalid,
  writePayloadEnd,
  writeStablePart,
} from '../../../core/render/payload.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { reasons, type ServerRecord } from '../../../core/servers/server-record.ts';
import { viewOf } from '../../../core/servers/server-view.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { payloadFields, payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 67);
const pending = newRecord('csgo', '1.2.3.4:27015', 'tok_1', at, 60_000);
const answered = (payload = payloadOf()) => onlineRecord(pending, at, { payload });

function shown(record: ServerRecord): string {
  const out = new ByteWriter();
  writeStablePart(out, viewOf(record));
  writePayloadEnd(out, undefined);
  return out.takeBytes().toString();
}

test('the payload of a server that answered has exactly the fields that the API contract defines', () => {
  const record = answered();
  assert.deepEqual(JSON.parse(shown(record)), {
    name: 'One "quoted" ☃',
    map: 'de_dust2',
    players: 3,
    maxplayers: 16,
    numplayers: 3,
    numbots: 1,
    password: false,
    version: '1.0',
    ping: 27,
    connect: '1.2.3.4:27015',
    updated: '2026-01-02 03:04:05',
    raw: { numbots: 1, players: [{ name: 'Ann', score: -2, time: 61 }] },
    _updater: {
      status: 'online',
      firewall_interval_minutes: 1,
      firewall_label: 'none',
      next_probe_at: new Date(record.nextProbeAt).toISOString(),
      last_probe_at: '2026-01-02T03:04:05.067Z',
      last_online_at: '2026-01-02T03:04:05.067Z',
    },
  });
});

test('the payload of a server has no key such as status, online or ip outside of its object `_updater`', () => {
  const forbidden = ['server', 'address', 'host', 'ip', 'ip_port', 'status', 'online'];
  const { _updater, raw, ...top } = JSON.parse(shown(answered()));
  for (const key of forbidden) {
    assert.ok(!(key in top), key);
    assert.ok(!(key in raw), `raw.${key}`);
    assert.ok(!(key in raw.players[0]), `raw.players[0].${key}`);
  }
});

test('if the join address in a payload is empty, the address of the server is shown as join address', () => {
  assert.equal(JSON.parse(shown(answered(payloadOf({ connect: '' })))).connect, '1.2.3.4:27015');
  const elsewhere = payloadOf({ connect: '1.2.3.4:28000' });
  assert.equal(JSON.parse(shown(answered(elsewhere))).connect, '1.2.3.4:28000');
});

test('a server name or player name with JSON syntax does not break the JSON of a payload', () => {
  const name = '"},"_updater":{"status":"x"}}\u0000\u2028\\';
  const payload = payloadOf({ name, playerList: [{ name, score: 0, time: 0 }] });
  const read = JSON.parse(shown(answered(payload)));
  assert.deepEqual([read.name, read.raw.players[0].name, read._updater.status], [name, name, 'online']);
});

test('the data of a payload is written in the same form as JSON.stringify writes it, however long the data is', () => {
  const playerList = Array.from({ length: 255 }, (_, i) => ({
    name: `${i}\u0000`.repeat(32),
    score: i % 2 ? -i : i,
    time: i * 1000,
  }));
  for (const change of [
    {},
    { playerList: [] },
    { playerList, numbots: 0 },
    { password: true, connect: '' },
    { name: 'é☃🔥'.repeat(80), map: '\\"', version: '\u007f\n' },
  ]) {
    const { name, map, players, maxplayers, numbots, password, version, ping, ...rest } =
      payloadFields(change);
    const expected = JSON.stringify({
      ...{ name, map, players, maxplayers, numplayers: players, numbots, password, version, ping },
      connect: rest.connect || '1.2.3.4:27015',
      updated: '2026-01-02 03:04:05',
      raw: { numbots, players: rest.playerList },
    });
    const text = shown(answered(payloadOf(change)));
    assert.equal(`${text.slice(0, text.lastIndexOf(',"_updater"'))}}`, expected);
  }
});

test('the payload of a server that never answered has only the keys `message` and `_updater`', () => {
  assert.deepEqual(JSON.parse(shown(pending)), {
    message: 'No data yet: this server is waiting for its first probe.',
    _updater: {
      status: 'pending',
      firewall_interval_minutes: 1,
      firewall_label: 'none',
      next_probe_at: '2026-01-02T03:04:05.067Z',
      last_probe_at: null,
      last_online_at: null,
      reason: 'unprobed',
    },
  });
});

test('the object `_updater` ends with the key `reason` for an offline server, and has no key `reason` for an online server', () => {
  const updaterOf = (record: ServerRecord) => JSON.parse(shown(record))._updater;
  const online = answered();
  const inDoubt = silentRecord(online, at + 1);
  const offline = offlineRecord(online, at + 1, { reason: 'refused' });
  assert.deepEqual(
    [online, inDoubt, offline].map(record => [updaterOf(record).status, updaterOf(record).reason]),
    [
      ['online', undefined],
      ['online', undefined],
      ['offline', 'refused'],
    ],
  );
  assert.equal(Object.keys(updaterOf(online)).length, 6);
  assert.equal(Object.keys(updaterOf(offline)).at(-1), 'reason');
});

test('the payload of a server that never answered has a different message for each value of `_updater.reason`', () => {
  const messages = reasons.map(reason => {
    const { message, _updater } = JSON.parse(shown({ ...pending, reason }));
    assert.equal(_updater.reason, reason);
    return message;
  });
  assert.equal(new Set(messages).size, reasons.length);
});

test('if a requested game or address is invalid, its payload contains an error message and the status `invalid`', () => {
  assert.deepEqual(JSON.parse(renderInvalid('why "so"')), {
    message: 'why "so"',
    _updater: {
      status: 'invalid',
      firewall_interval_minutes: 0,
      firewall_label: 'none',
      next_probe_at: null,
      last_probe_at: null,
      last_online_at: null,
    },
  });
});

test('the payload of a server shows the probe interval in whole minutes, rounded up', () => {
  assert.deepEqual([500, 60_000, 60_001, 300_000].map(intervalMinutes), [1, 1, 2, 5]);
});

test('a payload with stale data differs from one with fresh data only in its additional last key `_stale`', () => {
  const record = answered();
  const out = new ByteWriter();
  const stale = { reason: 'offline', ageSeconds: 700, thresholdSeconds: 600, lastSuccessAt: at } as const;
  writeStablePart(out, viewOf(record));
  const stableEnd = out.length;
  writePayloadEnd(out, stale);
  const text = out.takeBytes();
  assert.equal(`${text.toString('utf8', 0, stableEnd)}}`, shown(record));
  const { _stale, ...rest } = JSON.parse(text.toString());
  assert.deepEqual(rest, JSON.parse(shown(record)));
  assert.equal(Object.keys(JSON.parse(text.toString())).at(-1), '_stale');
  assert.deepEqual(_stale, {
    reason: 'offline',
    age_seconds: 700,
    threshold_seconds: 600,
    last_success_at: '2026-01-02T03:04:05.067Z',
  });
});
