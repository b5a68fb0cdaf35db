import assert from 'node:assert/strict';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { boot } from './booted.ts';

const FIXTURE = join(import.meta.dirname, 'first-release');

/** What the code that wrote the fixture said of it: records, tokens with their usage, secrets by token id. */
interface Holds {
  at: number;
  servers: { key: string }[];
  tokens: { id: string; used: number; lastUsedAt: number }[];
  secrets: Record<string, string>;
}

/** A copy of the data directory that a core of the first format left when it was killed. */
function fixture(): { directory: string; holds: Holds } {
  const directory = join(scratchDirectory(), 'data');
  cpSync(FIXTURE, directory, { recursive: true });
  // What a checkout does not keep.
  chmodSync(join(directory, 'token.key'), 0o600);
  return { directory, holds: JSON.parse(readFileSync(join(directory, 'holds.json'), 'utf8')) as Holds };
}

test('a data directory of the first format opens, and holds all it held', async () => {
  const { directory, holds } = fixture();
  const { now } = clockAt(holds.at);
  // As it was left, and twice as this code left it, which then counts and compares.
  for (const round of ['found', 'written', 'compared']) {
    const booted = await boot(join(directory, 'leveldb'), now, undefined, directory);
    const { store, tokens, quota, lastUse } = booted;
    const servers = await store.list('', '', 1000);
    assert.deepEqual(
      servers.map(record => ({ ...record, data: record.data.toString() })),
      holds.servers,
      round,
    );
    assert.deepEqual(
      tokens
        .list()
        .map(token => ({ ...token, used: quota.used(token.id), lastUsedAt: lastUse.at(token.id) }))
        .sort((a, b) => a.id.localeCompare(b.id)),
      [...holds.tokens].sort((a, b) => a.id.localeCompare(b.id)),
      round,
    );
    for (const [id, secret] of Object.entries(holds.secrets)) {
      assert.equal(tokens.findBySecret(secret)?.id, id.split(' ')[0], round);
    }
    assert.deepEqual(booted.corrupt, []);
    await booted.close();
  }
});
