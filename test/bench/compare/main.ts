/**
 * Compares the CPU time for each response and each probe in this checkout with that in another commit.
 * docs/performance.md explains the method.
 *
 * npm run bench:compare -- <commit or folder> [fetch|grpc|probe]... [--rounds N] [--seconds S] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { GrpcLoad, GrpcLoadResult } from '../grpc-load.ts';
import { LoadGenerator } from '../load-generator.ts';
import { describeMachine, thisMachine } from '../machine.ts';
import { renderTable } from '../table.ts';
import { Worker } from '../worker.ts';
import { type Callers, measureAnswers } from './answers.ts';
import { otherCheckout, thisCheckout } from './checkout.ts';
import { both, type Cost, type Pair } from './pair.ts';
import { measureProbes } from './probes.ts';
import { compared } from './report.ts';
import { steadyPath } from './steady-node.ts';

const sections = ['fetch', 'grpc', 'probe'];

function usage(message: string): never {
  process.stderr.write(
    `bench:compare: ${message}\nUsage: npm run bench:compare -- <commit or folder> [${sections.join('|')}]... [--rounds N] [--seconds S] [--json FILE]\n`,
  );
  process.exit(2);
}

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '15' },
        seconds: { type: 'string', default: '2' },
        json: { type: 'string' },
      },
    });
    const [against, ...names] = positionals;
    const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
    if (against === undefined) usage('name the commit or folder to compare with');
    if (!Number.isInteger(rounds) || rounds < 2) usage('--rounds takes a whole number above 1');
    if (!(seconds > 0)) usage('--seconds takes a number above 0');
    for (const name of names) if (!sections.includes(name)) usage(`there is no section "${name}"`);
    return { against, chosen: names.length > 0 ? names : sections, rounds, seconds, json: values.json };
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

async function startCallers(): Promise<Callers> {
  return {
    http: await LoadGenerator.start(),
    grpc: await Worker.start<GrpcLoad, GrpcLoadResult>(new URL('../grpc-load.ts', import.meta.url)),
  };
}

// A signal would end Node without running the exit handlers, which remove the temporary worktree. `process.exit` runs
// the exit handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { against, chosen, rounds, seconds, json } = options();
const machine = thisMachine();
const path = steadyPath();
const checkouts = [otherCheckout(against, path), thisCheckout(path)] as const;
const callers = await both([undefined, undefined], startCallers);
const found: Record<string, Pair<Cost>[]> = {};
try {
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    // Swaps the order of the two checkouts in each round, so that the order gives neither checkout an advantage.
    const swapped = round % 2 === 1;
    const turned = <T>([one, other]: Pair<T>): Pair<T> => (swapped ? [other, one] : [one, other]);
    const add = (row: string, costs: Pair<Cost>): void => {
      found[row] = [...(found[row] ?? []), turned(costs)];
    };
    const sides = turned(checkouts);
    if (chosen.some(name => name !== 'probe')) await measureAnswers(sides, callers, chosen, seconds, add);
    if (chosen.includes('probe')) await measureProbes(sides, callers, seconds, add);
    const minutes = (performance.now() - startedAt) / 60_000;
    process.stderr.write(`round ${round + 1} of ${rounds}, ${minutes.toFixed(1)} min\n`);
    if (json !== undefined) {
      const all = { machine, against, seconds, rows: found };
      writeFileSync(json, `${JSON.stringify(all, null, 2)}\n`);
    }
  }
  console.log(`${describeMachine(machine)}; load: ${callers[0].http.name}\n`);
  console.log(renderTable(compared(against, seconds, found)));
} finally {
  await both(callers, ({ http, grpc }) => Promise.all([http.stop(), grpc.stop()]));
}
