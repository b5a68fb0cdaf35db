import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { payloadFields, playerFields } from '../../proto/payload-fields.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { differences } from '../../scripts/payload/declared-fields.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('npm run payload -- --check succeeds, because the generated code and docs match the table of payload fields', () => {
  const argv = [...scriptArguments('scripts/generate-payload.ts'), '--check'];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^5 files are what the table gives\n$/);
});

test('the table of payload fields and server.proto declare the same fields', () => {
  assert.deepEqual(differences('ServerPayload', payloadFields), []);
  assert.deepEqual(differences('Player', playerFields), []);
});

test('`differences` lists each field that the payload field table and server.proto declare differently', () => {
  const other = payloadFields.map(field =>
    field.name === 'map' ? { ...field, optional: true as const } : field,
  );
  assert.deepEqual(differences('ServerPayload', other), [
    'only in the table: ServerPayload: optional string map = 2',
    'only in server.proto: ServerPayload: string map = 2',
  ]);
  assert.deepEqual(differences('Player', playerFields.slice(1)), [
    'only in server.proto: Player: string name = 1',
  ]);
});
