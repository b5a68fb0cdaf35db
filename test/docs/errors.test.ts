import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { reasons as statusReasons } from '../../core/servers/server-record.ts';
import { reasons } from '../../proto/reasons.ts';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** Returns the first cell of each row in the table under a heading, without the header row. */
function wordsUnder(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| ([a-z_]+) \| (?=\S)/gm)].map(([, word = '']) => word);
}

test('docs/errors.md lists exactly the reasons that gsq can report for a server that is not online', () => {
  assert.deepEqual(wordsUnder('Why a server is not online'), [...statusReasons]);
});

test('docs/errors.md lists exactly the error codes of the source code, with their HTTP and gRPC statuses', () => {
  const listed = [...page.matchAll(/^\| ([A-Z]+_\d) \| (.*) \|$/gm)].map(
    match => `${match[1]} | ${match[2]}`,
  );
  const expected = Object.entries(reasons).map(
    ([code, reason]) => `${code} | ${reason.http} | ${status[reason.grpc]} | ${reason.when}`,
  );
  assert.deepEqual(listed, expected);
});
