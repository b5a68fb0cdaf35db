import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { openEngine } from '../scratch-store.ts';

/** Key (game and address) of the server for which the tests store credentials. */
export const KEY = 'palworld 203.0.113.1:8212';
/** Key (game and address) of a second server. */
export const OTHER = 'palworld 203.0.113.2:8212';
/** Secret in the credentials that the tests store for a server. */
export const SECRET = 'a secret of this test';
/** Returns credential options as a map. Each argument is a pair: the name of an option and its value. */
export const options = (...entries: [string, string][]) => new Map(entries);

/** Creates an empty data directory, and opens its store and its credentials. */
export async function openCredentials(t: TestContext) {
  const directory = scratchDirectory();
  const engine = await openEngine(t, join(directory, 'leveldb'));
  return { directory, engine, credentials: await ServerCredentials.load(engine, directory) };
}

/** Returns the stored encrypted credentials of all servers, keyed by their database keys. */
export async function stored(engine: LevelDbStore): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for await (const [key, value] of engine.entries('c/')) all.set(key, value);
  return all;
}
