import { protocols } from '../../prober/protocols/registry.ts';
import { responders } from '../fleet/responders.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import {
  type FuzzResult,
  fuzzCuts,
  fuzzExtremeServers,
  fuzzProtocol,
  fuzzRuns,
  MOST_MS,
} from './fuzz-protocol.ts';

/** Maximum growth of the heap during the fuzz run of one protocol, in bytes. */
const MOST_GROWTH = 8 * 2 ** 20;
/** Number of mutated replies for each protocol before memory is measured. They warm up the JIT compiler. */
const WARM_UP = 2000;
const CUT_SERVERS = 20;

function heapUsed(): number {
  if (!globalThis.gc) throw new Error('start it as npm run fuzz does, with --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/**
 * Fuzzes the parsers of these protocols with mutated replies, about `replies` replies in total. Prints the results.
 * Returns true if all checks passed.
 */
export function fuzzReplies(names: readonly string[], replies: number, seed: number): boolean {
  const each = Math.ceil(replies / names.length);
  let total = 0;
  let well = true;
  for (const name of names) {
    const protocol = protocols.get(name);
    const responder = responders.get(name);
    if (!protocol || !responder) throw new Error(`no made-up server speaks ${name}`);
    const fields = { name, protocol, responder, random: randomNumbers(seed) };
    fuzzProtocol({ ...fields, replies: WARM_UP });
    const before = heapUsed();
    const results: FuzzResult[] = [
      fuzzProtocol({ ...fields, replies: each }),
      fuzzExtremeServers(fields),
      fuzzRuns(fields),
    ];
    for (let i = 0; i < CUT_SERVERS; i++) results.push(fuzzCuts(fields));
    const growth = heapUsed() - before;
    const sum = (figure: (result: FuzzResult) => number) =>
      results.reduce((all, result) => all + figure(result), 0);
    const slowestMs = Math.max(...results.map(result => result.slowestMs));
    const bad = slowestMs > MOST_MS || growth > MOST_GROWTH;
    if (bad) well = false;
    total += sum(result => result.replies);
    console.log(
      `${name}: ${sum(result => result.replies)} replies, ${sum(result => result.online)} online, ` +
        `${sum(result => result.malformed)} malformed, ${sum(result => result.waiting)} waiting; ` +
        `slowest ${slowestMs.toFixed(1)} ms, heap ${(growth / 1024).toFixed(0)} KiB${bad ? ' FAILED' : ''}`,
    );
  }
  console.log(`${total} replies${well ? '' : '; FAILED'}`);
  return well;
}
