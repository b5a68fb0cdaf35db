import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ListFormat, listFormats } from '../../../cli/server-list/list-format.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { gsq } from '../gsq-command.ts';
import { MISTAKES, mistakenList } from './mistaken-list.ts';

/** The output of `gsq servers import --json`. */
interface ImportJson {
  refused_lines: {
    line: number;
    game_id: string | null;
    server: string | null;
    reason: string;
    message: string;
  }[];
  read: number;
  inserted: number;
  already_tracked: number;
  refused: number;
  dry_run: boolean;
  complete: boolean;
}

async function importJson(env: Record<string, string>, ...args: string[]) {
  const { status, out, talk } = await gsq(env, 'servers', 'import', ...args, '--json');
  return { status, talk, json: JSON.parse(out) as ImportJson };
}

/**
 * Imports a list with mistakes, and checks that gsq reports the line number of each mistake. Then exports the servers
 * to a file and imports this file. Checks that this second import changes nothing. `env`: settings of an empty core.
 * Returns the path of the exported file.
 */
export async function importAndExport(
  env: Record<string, string>,
  format: ListFormat,
  servers: number,
): Promise<string> {
  const list = mistakenList(format, servers);
  const [extension = ''] = listFormats[format].extensions;
  const directory = scratchDirectory();
  const [file, exported] = [join(directory, `list${extension}`), join(directory, `exported${extension}`)];
  writeFileSync(file, list.bytes);

  const dry = await importJson(env, file, '--dry-run');
  assert.equal(dry.status, 1, dry.talk);
  assert.deepEqual([dry.json.dry_run, dry.json.refused], [true, MISTAKES]);
  assert.equal(dry.json.inserted + dry.json.already_tracked, list.read - MISTAKES);
  const empty = await gsq(env, 'servers', 'export', '--format', format);
  assert.equal(empty.out.replace(listFormats[format].header, ''), '', 'a dry run inserts nothing');

  const { status, json, talk } = await importJson(env, file);
  assert.equal(status, 1, talk);
  assert.equal(talk, '');
  assert.deepEqual(
    json.refused_lines.map(({ line, reason }) => ({ line, reason })),
    list.mistakes,
  );
  assert.deepEqual(json.refused_lines, dry.json.refused_lines);
  for (const { message } of json.refused_lines) assert.match(message, /^[A-Z].{20,}/);
  const { read, inserted, already_tracked: already, refused, complete } = json;
  assert.deepEqual(
    { read, inserted, already, refused, complete },
    {
      read: list.read,
      inserted: servers,
      already: list.read - servers - MISTAKES,
      refused: MISTAKES,
      complete: true,
    },
  );

  const out = await gsq(env, 'servers', 'export', exported);
  assert.deepEqual([out.status, out.out, out.talk], [0, '', `${exported}: ${servers} servers\n`]);
  const { header, line } = listFormats[format];
  assert.equal(readFileSync(exported, 'utf8'), header + list.tracked.map(line).join(''));
  const again = await importJson(env, exported);
  assert.equal(again.status, 0, again.talk);
  assert.deepEqual([again.json.already_tracked, again.json.inserted], [servers, 0]);
  assert.equal((await gsq(env, 'servers', 'export', '--format', format)).out, readFileSync(exported, 'utf8'));
  return exported;
}
