/**
 * Generates code and docs from the table of payload fields (proto/payload-fields.ts). A payload is the status data of a
 * game server.
 */

/*
 * Usage:
 * npm run payload               write the files
 * npm run payload -- --check    write nothing; exit with 1 if a file is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { payloadFields, playerFields } from '../proto/payload-fields.ts';
import { codecSource } from './payload/codec-source.ts';
import { differences } from './payload/declared-fields.ts';
import { jsonSource } from './payload/json-source.ts';
import { normaliserSource } from './payload/normaliser-source.ts';
import { docsTable } from './payload/pages.ts';

const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const HEAD = '// Written by npm run payload from proto/payload-fields.ts.\n';
const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(pathOf(name), 'utf8');

/**
 * Replaces the text between the marker lines `start` and `end` of a file. Returns the name of the file and its new
 * text. Throws if the file does not contain the two marker lines in this order.
 */
function marked(name: string, start: string, end: string, lines: readonly string[]): [string, string] {
  const page = read(name);
  const from = page.indexOf(`${start}\n`) + start.length + 1;
  const to = page.indexOf(end);
  if (from <= start.length || to < from)
    throw new Error(`${name}: no lines "${start}" and "${end.trim()}" in this order`);
  return [name, page.slice(0, from) + lines.map(line => `${line}\n`).join('') + page.slice(to)];
}

const wrong = [...differences('ServerPayload', payloadFields), ...differences('Player', playerFields)];
if (wrong.length > 0)
  throw new Error(`server.proto and proto/payload-fields.ts differ:\n${wrong.join('\n')}`);

const pageMarks = ['<!-- payload: written by npm run payload -->', '<!-- payload: end -->'] as const;
const outputs: [string, string][] = [
  ['proto/codec/payload.generated.ts', HEAD + codecSource()],
  ['core/render/payload-json.generated.ts', HEAD + jsonSource()],
  ['prober/answers/status-fields.generated.ts', HEAD + normaliserSource()],
  marked('docs/rest.md', ...pageMarks, docsTable('rest')),
  marked('docs/grpc.md', ...pageMarks, docsTable('grpc')),
];
for (const [name, text] of outputs) {
  let present = '';
  try {
    present = read(name);
  } catch {
    // A generated file that does not exist yet counts as out of date.
  }
  if (present === text) continue;
  if (flags.check) {
    console.error(`${name}: not what the table gives; run npm run payload`);
    process.exitCode = 1;
  } else {
    writeFileSync(pathOf(name), text);
    console.log(`${name}: written`);
  }
}
if (flags.check && process.exitCode !== 1) console.log(`${outputs.length} files are what the table gives`);
