import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RestAnswer } from '../../../core/render/rest-answer.ts';
import type { FetchedPair } from '../../../core/servers/fetch-request.ts';
import { unknownGame } from '../../../core/servers/pair-check.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { viewOf } from '../../../core/servers/server-view.ts';
import { MemoryFragmentCache } from '../../../core/store/memory/fragment-cache.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';

const at = Date.UTC(2026, 0, 1);
const rules = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };
const ADDRESS = '1.2.3.4:27015';

const pendingOf = (gameId: string): ServerRecord => newRecord(gameId, ADDRESS, 'tok_1', at, 60_000);
const onlineOf = (gameId: string): ServerRecord =>
  onlineRecord(pendingOf(gameId), at, { payload: payloadOf({ name: gameId }) });
const pairOf = (gameId: string, record: ServerRecord, server = ADDRESS): FetchedPair => ({
  gameId,
  server,
  record,
  inserted: false,
});
const invalidOf = (gameId: string, server = ADDRESS): FetchedPair => ({
  gameId,
  server,
  invalid: unknownGame,
  inserted: false,
});

interface Shown {
  server: string;
  payload: {
    name?: string;
    message?: string;
    _updater: { status: string };
    _stale?: { age_seconds: number };
  };
}

/** Returns the text of the answer for these pairs. */
function textOf(pairs: FetchedPair[], now: number): string {
  const out = new ByteWriter();
  out.text('before');
  const { gzipped } = new RestAnswer(out, now, rules).pairs(pairs);
  assert.equal(gzipped, false);
  return out.take().toString('utf8', 'before'.length);
}

const answerTo = (...pairs: FetchedPair[]) => answerAt(at, pairs);

function answerAt(now: number, pairs: FetchedPair[]): { servers: Shown[]; meta: Record<string, unknown[]> } {
  const text = textOf(pairs, now);
  const { _meta: meta, ...servers } = JSON.parse(text);
  assert.equal(Object.keys(JSON.parse(text)).at(-1), '_meta');
  return {
    servers: Object.entries(servers).map(([server, payload]) => ({ server, payload }) as Shown),
    meta,
  };
}

test('a REST answer contains the addresses as the caller wrote them, in the order of their first appearance', () => {
  const record = onlineOf('csgo');
  const { servers, meta } = answerTo(
    pairOf('csgo', record, 'B:1'),
    pairOf('csgo', record, 'a:1'),
    invalidOf('nope', 'c'),
  );
  assert.deepEqual(
    servers.map(({ server }) => server),
    ['B:1', 'a:1', 'c'],
  );
  assert.equal(servers[0]?.payload.name, 'csgo');
  assert.deepEqual(meta, {
    auto_inserted: 0,
    inserted_servers: [],
    invalid_servers: [{ game_id: 'nope', server: 'c', ...unknownGame }],
  });
});

test('_meta of a REST answer lists and counts the servers that the request inserted', () => {
  const { meta } = answerTo(
    { ...pairOf('csgo', pendingOf('csgo')), inserted: true },
    pairOf('css', onlineOf('css'), 'x:1'),
    { ...pairOf('tf2', pendingOf('tf2'), 'y:1'), inserted: true },
  );
  assert.deepEqual(meta, {
    auto_inserted: 2,
    inserted_servers: [
      { game_id: 'csgo', server: ADDRESS },
      { game_id: 'tf2', server: 'y:1' },
    ],
    invalid_servers: [],
  });
});

test('an invalid pair of game and address has an error message and the status invalid', () => {
  const [shown] = answerTo(invalidOf('nope')).servers;
  assert.equal(shown?.payload.message, unknownGame.message);
  assert.equal(shown?.payload._updater.status, 'invalid');
});

test('if an address is requested under two games, the online server is shown and the other pair is listed as a duplicate', () => {
  const pending = pairOf('csgo', pendingOf('csgo'));
  const online = pairOf('css', onlineOf('css'));
  for (const pairs of [
    [pending, online],
    [online, pending],
  ]) {
    const { servers, meta } = answerTo(...pairs);
    assert.deepEqual(
      servers.map(({ payload }) => payload.name),
      ['css'],
    );
    assert.deepEqual(meta.duplicate_servers, [{ game_id: 'csgo', server: ADDRESS }]);
  }
});

test('if an address is requested under several games with equal status, the first pair is shown', () => {
  const { servers, meta } = answerTo(
    pairOf('css', onlineOf('css')),
    pairOf('csgo', onlineOf('csgo')),
    pairOf('tf2', pendingOf('tf2')),
  );
  assert.equal(servers[0]?.payload.name, 'css');
  assert.deepEqual(meta.duplicate_servers, [
    { game_id: 'csgo', server: ADDRESS },
    { game_id: 'tf2', server: ADDRESS },
  ]);
});

test('if an address is requested under two games, an online server whose data is stale does not take precedence', () => {
  const offline = pairOf('csgo', offlineRecord(onlineOf('csgo'), at));
  const online = pairOf('css', onlineOf('css'));
  const shownAt = (now: number) =>
    answerAt(now, [offline, online]).servers.map(({ payload }) => payload.name);
  assert.deepEqual(shownAt(at + 600_000), ['css']);
  assert.deepEqual(shownAt(at + 600_001), ['csgo']);
});

test('if an address is valid under only one of its games, this game is shown and no duplicate is listed', () => {
  const valid = pairOf('csgo', pendingOf('csgo'));
  for (const pairs of [
    [valid, invalidOf('nope')],
    [invalidOf('nope'), valid],
  ]) {
    const { servers, meta } = answerTo(...pairs);
    assert.deepEqual(
      servers.map(({ payload }) => payload._updater.status),
      ['pending'],
    );
    assert.equal(meta.duplicate_servers, undefined);
    assert.equal(meta.invalid_servers?.length, 1);
  }
});

test('if a server is requested under the id and the alias of its game, it is not listed as a duplicate', () => {
  const record = onlineOf('csgo');
  const { servers, meta } = answerTo(pairOf('csgo', record), pairOf('oldcsgo', record));
  assert.equal(servers.length, 1);
  assert.equal('duplicate_servers' in meta, false);
});

test('the address "_meta" is listed as invalid and gets no entry of its own', () => {
  const { servers, meta } = answerTo(invalidOf('csgo', '_meta'), pairOf('csgo', onlineOf('csgo')));
  assert.deepEqual(
    servers.map(({ server }) => server),
    [ADDRESS],
  );
  assert.deepEqual(meta.invalid_servers, [{ game_id: 'csgo', server: '_meta', ...unknownGame }]);
});

test('addresses such as __proto__ are ordinary keys of a REST answer', () => {
  const names = ['__proto__', 'constructor', 'toString', ''];
  const { servers, meta } = answerTo(...names.map(name => invalidOf('csgo', name)));
  assert.deepEqual(
    servers.map(({ server }) => server),
    names,
  );
  assert.equal(meta.invalid_servers?.length, 4);
});

test('if a server is removed before the answer is written, its entry has a message that explains this', () => {
  const [shown] = answerTo({ gameId: 'csgo', server: ADDRESS, inserted: false }).servers;
  assert.match(shown?.payload.message ?? '', /removed/);
});

test('the entry of a server with stale data contains _stale', () => {
  const answer = JSON.parse(textOf([pairOf('csgo', onlineOf('csgo'))], at + 700_000));
  assert.equal(answer[ADDRESS]._stale.age_seconds, 700);
});

test('a gzip answer from fragments has the same text and tag as plain JSON; if too many fragments are missing, it fails', () => {
  const parts = new MemoryFragmentCache();
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
    kept: MemoryFragmentCache | undefined,
    write: (answer: RestAnswer) => void,
  ) => {
    const out = new ByteWriter();
    const answer = new RestAnswer(out, now, rules, kept);
    write(answer);
    const notes = answer.end();
    return notes && { body: out.take(), gzipped: notes.gzipped, tag: Buffer.from(notes.tag) };
  };
  assert.equal(written(at, parts, known), undefined, 'no part was asked for before');
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
    // A server with stale data is not shown with its stored status. Therefore its cached fragment is not used, and the
    // fragment for the changed status is not cached.
    [at + 700_000, some],
    [at + 701_000, some],
    [at + 600_000, known],
  ] as const) {
    const plain = written(now, undefined, write);
    const joined = written(now, parts, write);
    assert.ok(plain && joined);
    assert.deepEqual([plain.gzipped, joined.gzipped], [false, true]);
    assert.equal(gunzipSync(joined.body).toString(), plain.body.toString());
    assert.deepEqual(joined.tag, plain.tag);
    tags.add(plain.tag.toString('hex'));
  }
  assert.equal(tags.size, 6, 'at 600 s the answer is still the first');
  assert.equal(written(at + 700_000, parts, known), undefined, 'so many parts are not made for one answer');
});

test('a plain JSON fragment is cached when it is used for the second time, and copied from then on', () => {
  const texts = new MemoryFragmentCache();
  const server = Buffer.from(ADDRESS);
  const written = (slot: number, now = at): string => {
    const out = new ByteWriter();
    const answer = new RestAnswer(out, now, rules, undefined, texts);
    answer.known('csgo', server, 0, server.length, { ...viewOf(onlineOf('csgo')), slot });
    assert.ok(answer.end());
    return out.take().toString();
  };
  const plain = written(-1);
  assert.equal(written(5), plain);
  assert.equal(texts.findFragment(5), false, 'once is not enough');
  assert.equal(written(5), plain);
  assert.ok(texts.findFragment(5));
  assert.equal(written(5), plain);
  texts.bytes.write('"NAME":', texts.bytes.indexOf('"name":'));
  assert.equal(written(5), plain.replace('"name":', '"NAME":'), 'what is kept is copied');
  // Beyond the threshold, the server is shown with another status than stored, so the cached fragment is not used.
  assert.doesNotMatch(written(5, at + 700_000), /"NAME":/);
});
