import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BackupCheck, footerOf, readBackup } from '../../../proto/codec/backup-lines.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

const header = '{"gsq":"backup","format":4,"made_at":"2026-01-01T00:00:00.000Z","token_key":null}';
const lines = [
  '{"server":{"game_id":"csgo"}}',
  '{"server":{"game_id":"css"}}',
  '{"token":{"id":"tok_1"}}',
  '{"usage":{"token":"tok_1","minute":1,"count":2}}',
  '{"last_use":{"token":"tok_1","at":3}}',
];
const counts = { servers: 2, credentials: 0, tokens: 1, usage: 1, last_uses: 1, webhooks: 0, history: 0 };
const hashOf = (all: readonly string[]): string =>
  createHash('sha256')
    .update(all.map(line => `${line}\n`).join(''))
    .digest('hex');
const footer = JSON.stringify(footerOf(counts, hashOf([header, ...lines])));
const whole = [header, ...lines, footer];

function check(all: readonly string[]) {
  const checking = new BackupCheck();
  const held = all.flatMap(line => checking.line(line) ?? []);
  return { header: checking.finish(), counts: checking.counts, held };
}

test('reading a backup returns and counts all lines between its first line (header) and its last line (footer)', () => {
  const read = check(whole);
  assert.deepEqual(
    read.held.map(line => JSON.stringify(line)),
    lines,
  );
  assert.deepEqual([read.counts, read.header.token_key], [counts, null]);
});

test('a backup in format 1 can be read', () => {
  const first = header.replace('"format":4', '"format":1');
  const end = JSON.stringify(footerOf(counts, hashOf([first, ...lines])));
  const read = check([first, ...lines, end]);
  assert.deepEqual([read.header.format, read.counts], [1, counts]);
});

const damaged: Record<string, [readonly string[], RegExp]> = {
  'it is empty': [[], /is incomplete, it ends after line 0/],
  'the footer is missing': [whole.slice(0, -1), /is incomplete, it ends after line 6/],
  'a line is truncated': [
    whole.with(2, lines[1]?.slice(0, 9) ?? ''),
    /line 3 of the backup is not a JSON object/,
  ],
  'a line is not a JSON object': [whole.with(2, '7'), /line 3 of the backup is not a JSON object/],
  'a line is missing': [
    whole.toSpliced(2, 1),
    /line 6 of the backup says 2 servers, but the backup contains 1/,
  ],
  'a line occurs twice': [
    whole.toSpliced(2, 0, lines[1] ?? ''),
    /line 8 of the backup says 2 servers, but the backup contains 3/,
  ],
  'a line was changed': [
    whole.with(1, '{"server":{"game_id":"xsgo"}}'),
    /line 7 .* does not match the checksum/,
  ],
  'two lines were swapped': [
    whole.with(1, lines[1] ?? '').with(2, lines[0] ?? ''),
    /does not match the checksum/,
  ],
  'the header was changed': [whole.with(0, header.replace('2026', '2027')), /does not match the checksum/],
  'a line has an unknown kind': [whole.with(2, '{"cat":1}'), /line 3 of the backup has an unknown kind/],
  'a line follows the footer': [[...whole, lines[0] ?? ''], /line 8 of the backup follows the footer/],
  'the header is missing': [whole.slice(1), /line 1 of the backup is not the header of a gsq backup/],
  'its format is later than 4': [
    whole.with(0, header.replace('"format":4', '"format":5')),
    /format 5, but the newest format of this release is 4/,
  ],
};

for (const [what, [all, message]] of Object.entries(damaged)) {
  test(`a backup cannot be read if ${what}`, () => {
    assert.throws(() => check(all), { name: 'BackupError', message });
  });
}

test('a backup line ends only at a line feed, not at a Unicode line separator or at the end of a file chunk', async () => {
  const path = join(scratchDirectory(), 'backup');
  // The Unicode line separators in this name must not end a line of the backup file. The name is longer than one read
  // of the file (64 KiB), so a read can end inside a character.
  const name = '\u0085\u2028\u2029☃'.repeat(50_000);
  const servers = ['x', 'xx', 'xxx'].map(id => ({ server: { game_id: `${id}${name}` } }));
  const body = [header, ...servers.map(server => JSON.stringify(server))];
  const end = JSON.stringify(
    footerOf({ ...counts, servers: 3, tokens: 0, usage: 0, last_uses: 0 }, hashOf(body)),
  );
  writeFileSync(path, [...body, end, ''].join('\n'));
  const read: unknown[] = [];
  await readBackup(path, line => void read.push(line));
  assert.deepEqual(read, servers);
});
