/**
 * `npm run fuzz` fuzzes three parts of gsq: the parsers of the prober with mutated replies, the gateway with invalid
 * requests, and the core with invalid calls. The gateway and the core run in processes of their own, which the fuzzer
 * reaches over sockets. Without the options --replies, --http and --grpc, all three parts are fuzzed.
 *
 * npm run fuzz -- [protocol]... [--replies N] [--http N] [--grpc N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { protocols } from '../../prober/protocols/registry.ts';
import { fuzzEdges } from './fuzz-edges.ts';
import { fuzzReplies } from './fuzz-replies.ts';

const ALL = { replies: 1_000_000, http: 100_000, grpc: 20_000 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    replies: { type: 'string' },
    http: { type: 'string' },
    grpc: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = [...protocols.keys()].filter(name => positionals.length === 0 || positionals.includes(name));
const named = values.replies !== undefined || values.http !== undefined || values.grpc !== undefined;
const numberOf = (part: keyof typeof ALL): number => {
  if (values[part] !== undefined) return Number(values[part]);
  // If the command line lists protocols, only their parsers are fuzzed. The options --http and --grpc add the gateway
  // and the core.
  return named || (positionals.length > 0 && part !== 'replies') ? 0 : ALL[part];
};
const [replies, http, grpc] = [numberOf('replies'), numberOf('http'), numberOf('grpc')];
if (names.length === 0 || ![replies, http, grpc].every(count => count >= 0) || !Number.isInteger(seed)) {
  console.error(
    `fuzz: [protocol]... [--replies N] [--http N] [--grpc N] [--seed N]; protocols: ${[...protocols.keys()].join(', ')}`,
  );
  process.exit(2);
}

console.log(`seed ${seed}`);
let well = true;
if (replies > 0) well = fuzzReplies(names, replies, seed) && well;
if (http > 0 || grpc > 0) well = (await fuzzEdges({ http, grpc, seed })) && well;
process.exitCode = well ? 0 : 1;
