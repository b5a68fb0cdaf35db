import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { reasons as statusReasons } from '../../core/servers/server-record.ts';
import { reasons } from '../../proto/reasons.ts';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** The first cells of the table under a heading, without its header. */
function wordsUnder(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| ([a-z_]+) \| (?=\S)/gm)].map(([, word = '']) => word);
}

test('docs/errors.md explains every reason of a status, and no other', () => {
  assert.deepEqual(wordsUnder('Why a server is not online'), [...statusReasons]);
});

test('docs/errors.md lists every error code as the code defines it, and no other', () => {
  const listed = [...page.matchAll(/^\| ([A-Z]+_\d) \| (.*) \|$/gm)].map(
    match => `${match[1]} | ${match[2]}`,
  );
  const expected = Object.entries(reasons).map(
    ([code, reason]) => `${code} | ${reason.http} | ${status[reason.grpc]} | ${reason.when}`,
  );
  assert.deepEqual(listed, expected);
});
