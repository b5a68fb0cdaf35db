/**
 * `npm run fuzz` tests the parsers of the prober with random replies (`--replies`). It sends random HTTP requests to
 * the gateway (`--http`) and random gRPC calls to the core (`--grpc`). It also compares the two HTTP readers of the
 * gateway (`--readers`). N is the number of inputs of a part. Without options, all four parts run.
 *
 * npm run fuzz -- [protocol]... [--replies N] [--http N] [--grpc N] [--readers N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { protocols } from '../../prober/protocols/registry.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { fuzzEdges } from './fuzz-edges.ts';
import { fuzzReaders } from './fuzz-readers.ts';
import { fuzzReplies } from './fuzz-replies.ts';

const ALL = { replies: 1_000_000, http: 100_000, grpc: 20_000, readers: 50_000 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    replies: { type: 'string' },
    http: { type: 'string' },
    grpc: { type: 'string' },
    readers: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = [...protocols.keys()].filter(name => positionals.length === 0 || positionals.includes(name));
const named = Object.keys(ALL).some(part => values[part as keyof typeof ALL] !== undefined);
const numberOf = (part: keyof typeof ALL): number => {
  if (values[part] !== undefined) return Number(values[part]);
  // If options such as --http choose parts of the fuzz test, only these parts run. If no option chooses a part, but
  // the arguments name protocols, only the parsers of these protocols are fuzzed.
  return named || (positionals.length > 0 && part !== 'replies') ? 0 : ALL[part];
};
const [replies, http, grpc] = [numberOf('replies'), numberOf('http'), numberOf('grpc')];
const readers = numberOf('readers');
if (
  names.length === 0 ||
  ![replies, http, grpc, readers].every(count => count >= 0) ||
  !Number.isInteger(seed)
) {
  const options = '[--replies N] [--http N] [--grpc N] [--readers N] [--seed N]';
  console.error(`fuzz: [protocol]... ${options}; protocols: ${[...protocols.keys()].join(', ')}`);
  process.exit(2);
}

console.log(`seed ${seed}`);
let well = true;
if (replies > 0) well = fuzzReplies(names, replies, seed) && well;
if (http > 0 || grpc > 0) well = (await fuzzEdges({ http, grpc, seed })) && well;
if (readers > 0) console.log('readers:', JSON.stringify(await fuzzReaders(randomNumbers(seed), readers)));
process.exitCode = well ? 0 : 1;
