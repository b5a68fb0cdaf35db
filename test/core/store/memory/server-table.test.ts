import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { dataLengthAt, dataStartAt, newPointer } from '../../../../core/servers/record-pointer.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import { type ServerRecord, serverKey } from '../../../../core/servers/server-record.ts';
import { ServerTable } from '../../../../core/store/memory/server-table.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

const GAMES = ['csgo', 'css', 'cs', 'rust', 'минецрафт'];
const now = Date.UTC(2026, 0, 1);

/** Returns a random record of one of `count` servers, with `dataLength` bytes of data. */
function recordOf(random: (below: number) => number, count: number, dataLength: number): ServerRecord {
  const i = random(count);
  const address =
    i % 7 === 0 ? `[2001:db8::${i.toString(16)}]:27015` : `1.2.${i >> 8}.${i & 255}:${27015 + (i % 3)}`;
  const record = newRecord(GAMES[i % GAMES.length] ?? '', address, 'tok_1', now + i, 60_000);
  const openHour = Buffer.alloc(random(2) * random(256), 97 + (i % 26));
  return { ...record, version: 1 + random(1000), data: Buffer.alloc(dataLength, 65 + (i % 26)), openHour };
}

test('the server table contains the same records as a Map after random inserts, replacements and removals', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = randomNumbers(seed);
    const table = new ServerTable();
    const model = new Map<string, { record: ServerRecord; slot: number }>();
    const place = newPointer();
    for (let step = 0; step < 30_000; step++) {
      // The test alternates between few and many servers, so that the hash index of the server table is sometimes
      // nearly empty and sometimes full.
      const count = 200 + (Math.floor(step / 5000) % 2) * 5000;
      const record = recordOf(random, count, random(40) === 0 ? random(40_000) : random(900));
      const { key, gameId, address } = record;
      const known = model.get(key);
      assert.equal(table.slotOf(key), known ? known.slot : -1, `seed ${seed}, step ${step}: ${key}`);
      if (!known) {
        const slot = table.insert(key, encodeRecord(record));
        model.set(key, { record, slot });
      } else if (random(3) === 0) {
        table.remove(known.slot);
        model.delete(key);
      } else {
        table.replace(known.slot, record);
        known.record = record;
      }
      const text = Buffer.from(`x${address}`);
      const expected = model.get(key)?.record;
      assert.equal(table.find(gameId, text, 1, text.length, place), expected !== undefined);
      if (expected) {
        const start = dataStartAt(place);
        assert.ok(expected.data.equals(place.bytes.subarray(start, start + dataLengthAt(place))));
      }
      assert.equal(table.size, model.size);
    }
    for (const { record, slot } of model.values()) assert.deepEqual(table.record(slot), record);
    assert.deepEqual(
      [...table.slots()].sort((a, b) => a - b),
      [...model.values()].map(({ slot }) => slot).sort((a, b) => a - b),
    );
  }
});

test('the server table reuses the indexes of removed servers, even for servers of a different game', () => {
  const random = randomNumbers(1);
  const table = new ServerTable();
  for (let round = 0; round < 20; round++) {
    const slots: number[] = [];
    for (let i = 0; i < 500; i++) {
      const record = { ...recordOf(random, 1, 10), gameId: `game${round}`, address: `h${i}:1` };
      slots.push(table.insert(serverKey(record.gameId, record.address), encodeRecord(record)));
    }
    assert.deepEqual(
      slots.sort((a, b) => a - b),
      Array.from({ length: 500 }, (_, i) => i),
    );
    assert.equal(table.record(slots[7] ?? -1).gameId, `game${round}`);
    for (const slot of slots) table.remove(slot);
    assert.equal(table.size, 0);
  }
});

test('an iteration over the server table visits each remaining server exactly once, even if it removes and inserts other servers', () => {
  const random = randomNumbers(1);
  const table = new ServerTable();
  const insert = (name: string): number => {
    const record = newRecord('csgo', `${name}:1`, 'tok_1', now, 60_000);
    return table.insert(record.key, encodeRecord(record));
  };
  const staying = Array.from({ length: 3_000 }, (_, i) => insert(`stays${i}`));
  const leaving = Array.from({ length: 3_000 }, (_, i) => insert(`leaves${i}`));
  const seen: number[] = [];
  const removed = new Set<number>();
  let inserted = 0;
  for (const slot of table.slots()) {
    assert.equal(removed.has(slot), false);
    assert.ok(table.record(slot).key.startsWith('csgo '));
    seen.push(slot);
    const gone = leaving.pop();
    if (gone === undefined) continue;
    table.remove(gone);
    removed.add(gone);
    // After about every third removal, inserts a new server, which reuses the table index of a removed server.
    if (random(3) === 0) removed.delete(insert(`new${inserted++}`));
  }
  const stays = new Set(staying);
  assert.deepEqual(
    seen.filter(slot => stays.has(slot)),
    staying,
  );
});

test('the server table finds no server for a malformed or too long key, and refuses to insert a too long key', () => {
  const table = new ServerTable();
  const record = newRecord('csgo', 'a'.repeat(2000), 'tok_1', now, 60_000);
  for (const key of [record.key, 'csgo', '', ' 1.2.3.4:1']) assert.equal(table.slotOf(key), -1);
  assert.throws(() => table.insert(record.key, encodeRecord(record)), RangeError);
  assert.equal(table.size, 0);
});

test('the server table uses at most about 10 % more memory than its records need, even after many replacements', () => {
  const random = randomNumbers(1);
  const table = new ServerTable();
  const count = 30_000;
  const lengths = new Int32Array(count);
  let live = 0;
  const next = (slot: number): ServerRecord => {
    const length = 250 + random(900);
    live += length - (lengths[slot] ?? 0);
    lengths[slot] = length;
    return { ...newRecord('csgo', `h${slot}:1`, 'tok_1', now, 60_000), data: Buffer.alloc(length) };
  };
  for (let slot = 0; slot < count; slot++) {
    const record = next(slot);
    const value = encodeRecord(record);
    live += value.length - record.data.length;
    assert.equal(table.insert(record.key, value), slot);
  }
  for (let i = 0; i < 10 * count; i++) {
    const slot = random(count);
    table.replace(slot, next(slot));
  }
  // The limit of this test includes 8 MB (8e6) for memory pages of the server table that are only partly filled.
  const bound = (live + count * 8) * 1.1 + 8e6;
  assert.ok(table.recordBytes < bound, `${table.recordBytes} bytes, at most ${bound}`);
});
