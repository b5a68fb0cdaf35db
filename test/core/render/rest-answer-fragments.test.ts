import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RestAnswer } from '../../../core/render/rest-answer.ts';
import { unknownGame } from '../../../core/servers/pair-check.ts';
import { viewOf } from '../../../core/servers/server-view.ts';
import { MemoryFragmentCache } from '../../../core/store/memory/fragment-cache.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { ADDRESS, at, onlineOf, rules } from './decoded-answer.ts';

test('a gzip answer made of cached payloads has the same text and entity tag as the plain JSON answer', () => {
  const fragments = new MemoryFragmentCache();
  const names = Array.from({ length: 9 }, (_, i) => `1.2.3.4:${i + 1}`);
  const knownOf =
    (count: number) =>
    (answer: RestAnswer): void => {
      for (const [slot, name] of names.slice(0, count).entries()) {
        const text = Buffer.from(name);
        answer.known('csgo', text, 0, text.length, { ...viewOf(onlineOf('csgo')), slot });
      }
    };
  const known = knownOf(names.length);
  const some = knownOf(8);
  const written = (
    now: number,
    cache: MemoryFragmentCache | undefined,
    write: (answer: RestAnswer) => void,
  ) => {
    const out = new ByteWriter();
    const answer = new RestAnswer(out, now, rules, cache);
    write(answer);
    const notes = answer.end();
    return notes && { body: out.takeBytes(), gzipped: notes.gzipped, tag: Buffer.from(notes.tag) };
  };
  assert.equal(written(at, fragments, known), undefined, 'no fragment was used before');
  const mixed = (answer: RestAnswer): void => {
    known(answer);
    answer.invalid('nope', 'x', unknownGame);
  };
  const empty = (): void => {};
  const tags = new Set<string>();
  for (const [now, write] of [
    [at, known],
    [at, mixed],
    [at, empty],
    [at, some],
    // The next two answers are created at least 700 s after the last reply of the servers. They must show the status
    // pending. The cache still contains compressed JSON with the old status, which the answers must not use.
    [at + 700_000, some],
    [at + 701_000, some],
    [at + 600_000, known],
  ] as const) {
    const plain = written(now, undefined, write);
    const fromFragments = written(now, fragments, write);
    assert.ok(plain && fromFragments);
    assert.deepEqual([plain.gzipped, fromFragments.gzipped], [false, true]);
    assert.equal(gunzipSync(fromFragments.body).toString(), plain.body.toString());
    assert.deepEqual(fromFragments.tag, plain.tag);
    tags.add(plain.tag.toString('hex'));
  }
  assert.equal(tags.size, 6, 'the answer at 600 s equals the first answer');
  assert.equal(written(at + 700_000, fragments, known), undefined, 'too many fragments are missing');
});

test('the plain JSON of a payload is cached at its second use, and later answers copy it from the cache', () => {
  const texts = new MemoryFragmentCache();
  const server = Buffer.from(ADDRESS);
  const written = (slot: number, now = at): string => {
    const out = new ByteWriter();
    const answer = new RestAnswer(out, now, rules, undefined, texts);
    answer.known('csgo', server, 0, server.length, { ...viewOf(onlineOf('csgo')), slot });
    assert.ok(answer.end());
    return out.takeBytes().toString();
  };
  const plain = written(-1);
  assert.equal(written(5), plain);
  assert.equal(texts.findFragment(5), false, 'once is not enough');
  assert.equal(written(5), plain);
  assert.ok(texts.findFragment(5));
  assert.equal(written(5), plain);
  texts.bytes.write('"NAME":', texts.bytes.indexOf('"name":'));
  assert.equal(written(5), plain.replace('"name":', '"NAME":'), 'the cached fragment is copied');
  // 700 s after its last answer, the status of the server is pending. Its cached JSON still contains the old status, so
  // it must not be used.
  assert.doesNotMatch(written(5, at + 700_000), /"NAME":/);
});
