import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TokenService } from '../../../../core/access/token-service.ts';
import { currentManifest, dataFiles, unlistedTables } from '../../../../core/store/leveldb/data-files.ts';
import type { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { type Booted, boot } from './booted.ts';

/**
 * Clock with which this file creates its two example stores, `ended` and `killed`. `now` always returns the time `at`
 * (Unix ms).
 */
export const { now, at } = clockAt();
const SERVERS = 400;
const wish = { tier: 'FREE', email: 'ann@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
/** Returns the address of the server with the number `n`. */
export const address = (n: number): string => `203.0.${n >> 8}.${n & 255}:27015`;

/** Copies a store directory into a new temporary directory. Returns the path of the copy. */
export const copyOf = (directory: string): string => {
  const copy = join(scratchDirectory(), 'store');
  cpSync(directory, copy, { recursive: true });
  return copy;
};

/**
 * True if the directory of a store contains an obsolete log file, or a table file that is not in LevelDB's manifest.
 */
const isCompacting = (directory: string): boolean => {
  const manifest = currentManifest(directory);
  const logs = dataFiles(directory).filter(name => name.endsWith('.log'));
  return (
    unlistedTables(directory, manifest).length > 0 ||
    logs.some(name => Number.parseInt(name, 10) < (manifest?.logNumber ?? 0))
  );
};

/**
 * Copies the directory of an open store. Repeats the copy if LevelDB changed files meanwhile, or if the copy contains
 * obsolete files or files that LevelDB has not listed yet.
 */
export const settledCopyOf = (directory: string): string => {
  for (;;) {
    try {
      const before = readdirSync(directory).join();
      const copy = copyOf(directory);
      if (readdirSync(directory).join() === before && !isCompacting(copy)) return copy;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
};

/** Returns the complete content of a store as text. */
export async function contents({ store, credentials, tokens, quota, lastUse }: Booted): Promise<string> {
  const servers = await store.list('', '', 1_000_000);
  const used = tokens.list().map(token => [token, quota.used(token.id), lastUse.at(token.id)]);
  const access = servers.map(({ key }) => [credentials.get(key)?.secret, credentials.namesOf(key)]);
  return JSON.stringify([servers, access, used]);
}

async function insert(store: EmbeddedServerStore, from: number, to: number): Promise<void> {
  const servers = Array.from({ length: to - from }, (_, i) => ({
    gameId: i % 2 === 0 ? 'csgo' : 'css',
    address: address(from + i),
    insertedBy: 'tok_1',
  }));
  await store.insertIfAbsent(servers);
}

async function writeTemplates(): Promise<{ ended: string; killed: string; whole: string }> {
  const directory = scratchDirectory();
  for (let round = 0; round < 3; round++) {
    const booted = await boot(directory, now);
    const { store, credentials, tokens, quota, lastUse } = booted;
    await insert(store, (round * SERVERS) / 4, ((round + 1) * SERVERS) / 4);
    const { token } = await new TokenService(tokens, now).create(wish);
    quota.charge(token.id);
    lastUse.note(token.id);
    const servers = Array.from({ length: 20 }, (_, i) => `csgo ${address((round * SERVERS) / 4 + 2 * i)}`);
    await credentials.changeAccess(servers, { secret: `secret ${round}`, options: new Map() });
    await booted.close();
  }
  const last = await boot(directory, now);
  await insert(last.store, (3 * SERVERS) / 4, SERVERS);
  const [token] = last.tokens.list();
  assert.ok(token);
  await new TokenService(last.tokens, now).revoke(token.id);
  await last.store.remove(['csgo 203.0.0.0:27015']);
  const whole = await contents(last);
  const killed = settledCopyOf(directory);
  await last.close();
  // In the closed store, LevelDB has already moved the older writes from the log file to table files.
  return { ended: copyOf(directory), killed, whole };
}

/**
 * Two example stores with the same content. `ended`: directory of a closed store. `killed`: directory of a store whose
 * process was killed. `whole`: the content of both stores, as text. Tests change only copies of the directories.
 */
export const { ended, killed, whole } = await writeTemplates();

/** Returns a check for assert.rejects. The error must be a StoreDamage, match `what`, and give advice. */
export const isDamage = (what: RegExp) => (error: Error) => {
  assert.equal(error.name, 'StoreDamage', error.stack);
  assert.match(error.message, what);
  assert.match(error.message, /gsq restore <file> --data-dir <directory>/);
  return true;
};
