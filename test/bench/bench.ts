/**
 * `npm run bench` measures gsq and minimal reference servers. Only the ratio of their results is valid for other
 * machines. docs/performance.md explains the method.
 */

/*
 * Usage:
 * npm run bench -- [fetch|grpc|insert|scale|overload|probe|minute|credentials|search|page|start]... [--rounds N]
 * [--seconds S] [--overload-seconds S] [--servers N] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LoadGenerator } from './load-generator.ts';
import { describeMachine, thisMachine } from './machine.ts';
import type { Section } from './section.ts';
import { credentialsSection } from './sections/credentials.ts';
import { fetchSection } from './sections/fetch.ts';
import { grpcSection } from './sections/grpc.ts';
import { insertSection } from './sections/insert.ts';
import { minuteSection } from './sections/minute.ts';
import { overloadSection } from './sections/overload.ts';
import { pageSection } from './sections/page.ts';
import { probeSection } from './sections/probe.ts';
import { scaleSection } from './sections/scale.ts';
import { searchSection } from './sections/search.ts';
import { startSection } from './sections/start.ts';
import { renderTable, type Table } from './table.ts';

const sections = new Map<string, Section>([
  ['fetch', fetchSection],
  ['grpc', grpcSection],
  ['insert', insertSection],
  ['scale', scaleSection],
  ['overload', overloadSection],
  ['probe', probeSection],
  ['minute', minuteSection],
  ['credentials', credentialsSection],
  ['search', searchSection],
  ['page', pageSection],
  ['start', startSection],
]);

function usage(message: string): never {
  process.stderr.write(`bench: ${message}\nsections: ${[...sections.keys()].join(', ')}\n`);
  process.exit(2);
}

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '1' },
        'overload-seconds': { type: 'string', default: '10' },
        servers: { type: 'string', default: '100000' },
        json: { type: 'string' },
      },
    });
    const whole = (name: 'rounds' | 'seconds' | 'overload-seconds' | 'servers'): number => {
      const number = Number(values[name]);
      return Number.isInteger(number) && number > 0
        ? number
        : usage(`--${name} takes a whole number above 0`);
    };
    for (const name of positionals) if (!sections.has(name)) usage(`there is no section "${name}"`);
    return {
      chosen: positionals.length > 0 ? positionals : [...sections.keys()],
      rounds: whole('rounds'),
      seconds: whole('seconds'),
      overloadSeconds: whole('overload-seconds'),
      servers: whole('servers'),
      json: values.json,
    };
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

// A signal would end Node without its exit handlers, which delete the temporary files. `process.exit` runs them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { chosen, json, ...lengths } = options();
const load = await LoadGenerator.start();
const machine = thisMachine();
const found: Record<string, Table[]> = {};
try {
  console.log(`${describeMachine(machine)}; load: ${load.name}`);
  console.log(
    `Medians of ${lengths.rounds} rounds of ${lengths.seconds} s, the sides of each comparison in turn.`,
  );
  for (const [name, section] of sections) {
    if (!chosen.includes(name)) continue;
    const startedAt = performance.now();
    const tables = await section({ load, ...lengths });
    found[name] = tables;
    if (json !== undefined) {
      const all = { machine, load: load.name, ...lengths, sections: found };
      writeFileSync(json, `${JSON.stringify(all, null, 2)}\n`);
    }
    for (const table of tables) console.log(`\n${renderTable(table)}`);
    console.log(`\n(${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
  }
} finally {
  await load.stop();
}
