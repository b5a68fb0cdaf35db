import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { reasons } from '../../proto/reasons.ts';

test('docs/errors.md lists every error code as the code has it, and no other', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| ([A-Z]+_\d) \| (.*) \|$/gm)].map(
    match => `${match[1]} | ${match[2]}`,
  );
  const expected = Object.entries(reasons).map(
    ([code, reason]) => `${code} | ${reason.http} | ${status[reason.grpc]} | ${reason.when}`,
  );
  assert.deepEqual(listed, expected);
});
