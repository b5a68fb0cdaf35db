/**
 * Measures the search index: bytes for each server, and the times to fill, change and query it. Also measures a plain
 * search through all names, for comparison.
 *
 *   node --import ./runtime/typescript.mjs test/bench/search.ts [servers]    (20,000 if absent)
 */
import { Buffer } from 'node:buffer';
import { ChangeBatch, readChanges } from '../../core/search/change-batch.ts';
import { foldWords } from '../../core/search/folded-text.ts';
import { countRows, searchRows } from '../../core/search/row-scan.ts';
import type { SearchQuery } from '../../core/search/search-query.ts';
import { ServerRows } from '../../core/search/server-rows.ts';
import type { ServerRecord } from '../../core/servers/server-record.ts';
import { queryOf, recordWith } from '../core/search/search-fleet.ts';

const count = Number(process.argv[2] ?? 20_000);
const WORDS =
  'eu us ger pvp pve zombie escape survival vanilla modded rust minecraft server official community public casual competitive only dust2 mirage high tickrate 128 noob friendly active admins fast loot kits skyblock factions creative bedwars roleplay hardcore weekly wipe solo duo trio max best new classic deathmatch awp surf bhop jail break prop hunt ttt murder gungame retakes'.split(
    ' ',
  );
const GAMES = ['counterstrike2', 'minecraft', 'rust', 'garrysmod', 'css', 'tf2', 'arma3', 'unturned'];

let state = 1;
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;

function serverAt(i: number): ServerRecord {
  const name = `[${pick(WORDS)}] ${Array.from({ length: 2 + random(4) }, () => pick(WORDS)).join(' ')} #${random(1000)}`;
  return recordWith({
    gameId: pick(GAMES),
    address: `${1 + (i >> 16)}.${random(223)}.${(i >> 8) & 255}.${i & 255}:${27_000 + random(99)}`,
    insertedBy: `token${random(500)}`,
    status: random(10) < 7 ? 'online' : 'offline',
    name,
    map: `de_${pick(WORDS)}`,
    version: `1.${random(20)}.${random(4)}`,
    players: random(10) < 6 ? 0 : random(64),
    password: random(10) === 0,
  });
}

function milliseconds(work: () => unknown): number {
  const began = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - began) / 1e6;
}

/**
 * Returns the CPU time that `work` takes, in milliseconds. Other programs on the machine influence the CPU time less
 * than the elapsed time.
 */
function cpuMilliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

/**
 * Runs `work` several times. Prints the median and the 99th percentile of the elapsed time and of the CPU time, in
 * milliseconds.
 */
function report(name: string, work: () => unknown, rounds = 60): void {
  const cpu: number[] = [];
  const times = Array.from({ length: rounds }, () =>
    milliseconds(() => {
      cpu.push(cpuMilliseconds(work));
    }),
  );
  const at = (values: number[], share: number): string =>
    (values.sort((a, b) => a - b)[Math.floor(share * (rounds - 1))] ?? 0).toFixed(1).padStart(8);
  console.log(`${name.padEnd(48)}${at(times, 0.5)}${at(times, 0.99)}${at(cpu, 0.5)}${at(cpu, 0.99)}`);
}

/**
 * Searches all names without an index, for comparison. Returns the number of names in which `word` stands at the
 * beginning of a word.
 */
function plainSearch(names: Buffer, word: string): number {
  const wanted = Buffer.from(word);
  let found = 0;
  for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at)) {
    const before = names[at - 1];
    if (before === 0x20 || before === 0x0a) {
      found++;
      at = names.indexOf(0x0a, at);
    } else at++;
  }
  return found;
}

const rows = new ServerRows(count);
const batch = new ChangeBatch();
const texts: string[] = [''];
let [packMs, applyMs] = [0, 0];
for (let i = 0; i < count; ) {
  const servers = Array.from({ length: Math.min(2_000, count - i) }, (_, j) => serverAt(i + j));
  i += servers.length;
  packMs += milliseconds(() => {
    for (const server of servers) batch.addServer(server);
  });
  const bytes = batch.takeBytes();
  applyMs += milliseconds(() => readChanges(bytes, rows));
}
for (let row = 0; row < rows.size; row++) texts.push(rows.wordsOf(row));
const names = Buffer.from(`${texts.join('\n')}\n`);
const nameBytes = names.length / rows.size - 1;
console.log(
  `${rows.size} servers; ${(rows.bytes / rows.size).toFixed(1)} bytes a server, of which ${nameBytes.toFixed(1)} are the words of the name`,
);
console.log(
  `pack ${((packMs / count) * 1000).toFixed(2)} µs a server in the core; apply ${((applyMs / count) * 1000).toFixed(2)} µs in the thread`,
);
const facts = Array.from({ length: Math.min(count, 20_000) }, (_, i) => serverAt(i));
packMs = milliseconds(() => {
  for (const server of facts) batch.addFacts(server);
});
const factBytes = batch.takeBytes();
applyMs = milliseconds(() => readChanges(factBytes, rows));
console.log(
  `change of players: pack ${((packMs / facts.length) * 1000).toFixed(2)} µs, apply ${((applyMs / facts.length) * 1000).toFixed(2)} µs\n`,
);
console.log(`${'query'.padEnd(48)}     p50     p99 CPU p50 CPU p99  (ms)`);
const query = (change: Partial<SearchQuery>) => () => searchRows(rows, queryOf(change));
report('all, most players first', query({}));
report('all, fewest players first', query({ sort: '-players' }));
report('all, by name', query({ sort: 'name' }));
report('all, by name, page of 1000', query({ sort: 'name', limit: 1000 }));
report('game', query({ gameId: 'minecraft' }));
report('map', query({ map: 'de_surf' }));
report('version and password', query({ version: '1.3.2', password: true }));
for (const words of ['zombie', 'zom', 's', 'zombie escape eu', 'nothing']) {
  report(`words "${words}", signatures`, query({ words }));
  if (!words.includes(' '))
    report(`word "${words}", plain search in the bytes`, () => plainSearch(names, foldWords(words)));
}
report('words "su", by name', query({ words: 'su', sort: 'name' }));
const half = searchRows(rows, queryOf({ limit: 1000, sort: '-players' }));
report('all, fewest players first, second page', query({ sort: '-players', after: half.next }));
report('summary', () => countRows(rows, { gameId: '', scope: 'all' }));
