import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena, type ArenaPointer, NOWHERE } from '../../../../core/store/memory/arena.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

interface Held {
  position: number;
  length: number;
}

/**
 * An arena (memory for byte strings), and the content that the test expects. Each string of the test consists of an id,
 * followed by repetitions of one byte.
 */
class Pieces {
  readonly held = new Map<number, Held>();
  readonly arena = new Arena((from, to, place) => {
    const piece = this.held.get(place.bytes.readUInt32LE(place.at));
    assert.equal(piece?.position, from, 'something moved that was not there');
    if (piece) piece.position = to;
  });
  live = 0;
  readonly #place: ArenaPointer = { bytes: Buffer.alloc(0), view: new DataView(new ArrayBuffer(0)), at: 0 };

  put(id: number, length: number): void {
    const piece = this.held.get(id);
    if (piece) this.live -= piece.length;
    this.live += length;
    if (piece && this.arena.fits(piece.position, length)) {
      piece.length = length;
      this.#fill(id, piece);
      return;
    }
    const next = { position: this.arena.allocate(length), length };
    assert.notEqual(next.position, NOWHERE);
    this.#fill(id, next);
    this.held.set(id, next);
    if (piece) this.arena.free(piece.position);
  }

  remove(id: number): void {
    const piece = this.held.get(id);
    if (!piece) return;
    this.held.delete(id);
    this.live -= piece.length;
    this.arena.free(piece.position);
  }

  #fill(id: number, { position, length }: Held): void {
    this.arena.locate(position, this.#place);
    const { bytes, at } = this.#place;
    bytes.fill(id & 0xff, at, at + length);
    bytes.writeUInt32LE(id, at);
  }

  check(): void {
    for (const [id, { position, length }] of this.held) {
      this.arena.locate(position, this.#place);
      const { bytes, view, at } = this.#place;
      assert.equal(at % 16, 0);
      assert.equal(bytes.readUInt32LE(at), id);
      assert.ok(
        bytes.subarray(at + 4, at + length).every(byte => byte === (id & 0xff)),
        `piece ${id} of ${length}`,
      );
      assert.equal(Object.is(view.getFloat64(at, true), bytes.readDoubleLE(at)), true);
    }
  }
}

test('a byte string in an arena (memory for byte strings) does not change while other byte strings are added, replaced and removed', () => {
  for (let seed = 1; seed <= 2; seed++) {
    const random = randomNumbers(seed);
    const pieces = new Pieces();
    const length = (): number => 80 + random(random(50) === 0 ? 60_000 : 600);
    for (let step = 0; step < 40_000; step++) {
      const id = random(4000);
      if (random(5) === 0) pieces.remove(id);
      else pieces.put(id, length());
      if (step % 10_000 === 0) pieces.check();
    }
    pieces.check();
  }
});

test('an arena (memory for byte strings) allocates at most 1.25 times the bytes of its strings plus 16 MB', () => {
  const random = randomNumbers(1);
  const pieces = new Pieces();
  const count = 40_000;
  let worst = 0;
  // Each round writes new byte strings under random ids. A new string replaces the old string that had the same id.
  // `mean`: mean length of the new strings, in bytes. `part`: share of all ids from which the round chooses.
  for (const [mean, part] of [
    [400, 1],
    [1200, 1],
    [300, 1],
    [2500, 1],
    [500, 1],
    [2500, 0.5],
    [300, 0.5],
  ] as const) {
    for (let step = 0; step < count * 2; step++) {
      pieces.put(random(Math.floor(count * part)), Math.floor(mean / 2) + random(mean));
      // The test does not count 16 MB (16e6 bytes) of the arena's memory. The arena is allowed this much for memory
      // pages that are only partly filled.
      if (pieces.held.size > count / 2) worst = Math.max(worst, (pieces.arena.bytes - 16e6) / pieces.live);
    }
  }
  assert.ok(worst < 1.25, `${worst} times what was in use`);
  pieces.check();
});

test('an arena (memory for byte strings) releases 90 % of its memory when 99 % of its strings are freed', () => {
  const pieces = new Pieces();
  for (let id = 0; id < 40_000; id++) pieces.put(id, 1000);
  for (let id = 0; id < 100; id++) pieces.put(1_000_000 + id, 50_000);
  const most = pieces.arena.bytes;
  for (let id = 0; id < 40_000; id++) if (id % 100 > 0) pieces.remove(id);
  for (let id = 0; id < 100; id++) pieces.remove(1_000_000 + id);
  assert.ok(pieces.arena.bytes < most / 10, `${pieces.arena.bytes} of ${most}`);
  pieces.check();
});
