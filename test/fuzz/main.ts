/**
 * `npm run fuzz`: mutated replies for every parser of the prober, until there were a million.
 *
 * npm run fuzz -- [protocol]... [--replies N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { protocols } from '../../prober/protocols/registry.ts';
import { responders } from '../fleet/responders.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { type FuzzResult, fuzzCuts, fuzzMonsters, fuzzProtocol, MOST_MS } from './fuzz-protocol.ts';

/** What a parser may leave behind, whatever it was told. */
const MOST_GROWTH = 8 * 2 ** 20;
/** So many of a protocol's replies come first, so that code is compiled when memory is looked at. */
const WARM_UP = 2000;
const CUT_SERVERS = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { replies: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = [...protocols].filter(([name]) => positionals.length === 0 || positionals.includes(name));
const each = Math.ceil(Number(values.replies) / chosen.length);
if (chosen.length === 0 || !(each > 0) || !Number.isInteger(seed)) {
  console.error(
    `fuzz: [protocol]... [--replies N] [--seed N]; protocols: ${[...protocols.keys()].join(', ')}`,
  );
  process.exit(2);
}

function heapUsed(): number {
  if (!globalThis.gc) throw new Error('start it as npm run fuzz does, with --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

console.log(`seed ${seed}`);
let replies = 0;
let failed = false;
for (const [name, protocol] of chosen) {
  const responder = responders.get(name);
  if (!responder) throw new Error(`no made-up server speaks ${name}`);
  const random = randomNumbers(seed);
  const parts = { name, protocol, responder, random };
  fuzzProtocol({ ...parts, replies: WARM_UP });
  const before = heapUsed();
  const results: FuzzResult[] = [fuzzProtocol({ ...parts, replies: each }), fuzzMonsters(parts)];
  for (let i = 0; i < CUT_SERVERS; i++) results.push(fuzzCuts(parts));
  const growth = heapUsed() - before;
  const sum = (figure: (result: FuzzResult) => number) =>
    results.reduce((all, result) => all + figure(result), 0);
  const slowestMs = Math.max(...results.map(result => result.slowestMs));
  const bad = slowestMs > MOST_MS || growth > MOST_GROWTH;
  failed ||= bad;
  replies += sum(result => result.replies);
  console.log(
    `${name}: ${sum(result => result.replies)} replies, ${sum(result => result.online)} online, ` +
      `${sum(result => result.malformed)} malformed, ${sum(result => result.waiting)} waiting; ` +
      `slowest ${slowestMs.toFixed(1)} ms, heap ${(growth / 1024).toFixed(0)} KiB${bad ? ' FAILED' : ''}`,
  );
}
console.log(`${replies} replies${failed ? '; FAILED' : ''}`);
process.exitCode = failed ? 1 : 0;
