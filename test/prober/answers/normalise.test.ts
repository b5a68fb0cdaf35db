import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalise, type ProbeFacts } from '../../../prober/answers/normalise.ts';
import type { RawStatus } from '../../../prober/answers/raw-status.ts';

const FACTS: ProbeFacts = { host: 'play.example', joinPort: 27015, colours: 'none', ping: 41.6 };
const RAW: RawStatus = { name: 'A server', players: 1, maxplayers: 16 };
const of = (raw: Partial<RawStatus>, facts: Partial<ProbeFacts> = {}) =>
  normalise({ ...RAW, ...raw }, { ...FACTS, ...facts });

test('normalising a status that has only a name and player counts fills all other fields with defaults', () => {
  assert.deepEqual(of({}), {
    name: 'A server',
    map: '',
    players: 1,
    maxplayers: 16,
    numbots: 0,
    password: false,
    version: '',
    ping: 42,
    connect: '',
    playerList: [],
  });
});

test('normalising a text removes control characters, direction marks, lone surrogates and extra spaces', () => {
  assert.equal(of({ name: ' \u0001\u202eevil\u2066\ufeff \t\n\u200e name\ud800\u0007  ' }).name, 'evil name');
  assert.equal(of({ map: 'a\u0000b\u009fc\u2028d' }).map, 'abc d');
});

test('normalising a name removes colour codes only in protocols that have colour codes', () => {
  const name = '^1Red^xF00^X00ff00 ^^7x §cGreen§l!';
  assert.equal(of({ name }, { colours: 'caret' }).name, 'Red ^x §cGreen§l!');
  assert.equal(of({ name: '^#ff0000Red^#00Ff7f Team^#12^xF0a' }, { colours: 'caret' }).name, 'Red Team12');
  assert.equal(of({ name: '^🎮^1Red' }, { colours: 'caret' }).name, 'Red', 'a code point is removed whole');
  assert.equal(of({ name }, { colours: 'section' }).name, '^1Red^xF00^X00ff00 ^^7x Green!');
  assert.equal(of({ name }).name, name);
  assert.equal(of({ playerList: [{ name: '§4Ann' }] }, { colours: 'section' }).playerList[0]?.name, 'Ann');
});

test('normalising a text that is too long truncates it between two code points, never inside a code point', () => {
  assert.equal(of({ name: '🎮'.repeat(300) }).name, '🎮'.repeat(256));
  assert.equal(of({ map: 'm'.repeat(5000) }).map.length, 128);
  assert.equal(of({ version: '1.'.repeat(500) }).version.length, 64);
  assert.equal(of({ playerList: [{ name: 'é'.repeat(99) }] }).playerList[0]?.name, 'é'.repeat(64));
});

test('normalising a status replaces an empty server name with the address of the server', () => {
  assert.equal(of({ name: ' ^1 ' }, { colours: 'caret' }).name, 'play.example:27015');
  assert.equal(of({ name: '', connectPort: 7777 }, { host: '2001:db8::1' }).name, '[2001:db8::1]:7777');
});

test('normalising a status replaces or omits counts that are negative, above a million or not a number', () => {
  const { players, maxplayers, numbots, ping } = of(
    { players: 2e9, maxplayers: Number.NaN, numbots: -4 },
    { ping: Number.NaN },
  );
  assert.deepEqual([players, maxplayers, numbots, ping], [1_000_000, undefined, 0, 0]);
  assert.equal(of({ maxplayers: -1 }).maxplayers, undefined);
  assert.equal(of({ players: 0 }).players, 0);
  assert.equal(of({ players: 25, maxplayers: 20 }).maxplayers, 20);
});

test('normalising a status omits player counts that the server does not report', () => {
  const hidden = normalise({ name: 'A server' }, FACTS);
  assert.deepEqual(['players' in hidden, 'maxplayers' in hidden], [false, false]);
});

test('normalising a status limits the score of a player to 32 bits and rounds the play time to whole seconds', () => {
  const list = [
    { name: 'a', score: 1e12, time: 3.6 },
    { name: 'b', score: -1e12, time: -1 },
    { name: 'c', score: Number.NaN, time: Number.POSITIVE_INFINITY },
  ];
  assert.deepEqual(of({ playerList: list }).playerList, [
    { name: 'a', score: 2147483647, time: 4 },
    { name: 'b', score: -2147483648, time: 0 },
    { name: 'c', score: 0, time: 0 },
  ]);
});

test('normalising a status limits the player list to a maximum number of entries and of bytes', () => {
  const list = (name: string) => Array.from({ length: 400 }, () => ({ name }));
  assert.equal(of({ playerList: list('x') }).playerList.length, 255);
  const long = of({ playerList: list('🎮'.repeat(64)) }).playerList;
  assert.ok(long.length > 50 && Buffer.byteLength(JSON.stringify(long)) <= 40 * 1024, `${long.length}`);
});

test('normalising a status limits the size of the player list as JSON, including the escape characters in names', () => {
  const quotes = of({ playerList: Array.from({ length: 255 }, () => ({ name: '"'.repeat(64) })) }).playerList;
  const size = Buffer.byteLength(JSON.stringify(quotes));
  assert.ok(quotes.length > 0 && size <= 24 * 1024, `${quotes.length} players, ${size} bytes`);
});

test('the player list contains as many players as fit into its byte limit, whatever characters their names contain', () => {
  for (const letter of ['x', 'é', '☃', '🎮', '"', '\\']) {
    const name = letter.repeat(64);
    for (const count of [1, 54, 76, 77, 78, 79, 80, 255]) {
      const playerList = Array.from({ length: count }, () => ({ name }));
      const kept = of({ playerList }, { colours: 'caret' }).playerList;
      const [first] = kept;
      const each = Buffer.byteLength(JSON.stringify(first?.name)) + 56;
      assert.equal(kept.length, Math.min(count, Math.floor((24 * 1024) / each)), `${count} of ${letter}`);
    }
  }
});

test('the status field `connect` (address for players) is set only if the server reports a valid join port that differs from the tracked port', () => {
  for (const connectPort of [undefined, 0, 27015, 65_536, -1]) {
    assert.equal(of(connectPort === undefined ? {} : { connectPort }).connect, '');
  }
  assert.equal(of({ connectPort: 27016 }).connect, 'play.example:27016');
  assert.equal(of({ connectPort: 1 }, { host: '2001:db8::1' }).connect, '[2001:db8::1]:1');
});
