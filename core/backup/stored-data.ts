import { storedUsage } from '../access/day-quota.ts';
import { storedLastUse } from '../access/last-use.ts';
import type { Token } from '../access/token.ts';
import { storedToken } from '../access/token-entry.ts';
import { storedCredentials } from '../credentials/credentials-entry.ts';
import { CorruptRecordError, checkRecord } from '../servers/record-codec.ts';
import { upgradeRecord } from '../servers/record-upgrade.ts';
import { SERVERS } from '../servers/server-entry.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ServerTable } from '../store/memory/server-table.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { storedWebhook, WEBHOOKS } from '../webhooks/webhook-entry.ts';
import type { BackupSource } from './backup.ts';

/**
 * Reads all store entries whose key starts with `prefix`, and returns the results of `read`. If `read` returns
 * undefined, adds a message to `faults`; `describe` names the entry.
 */
async function readable<T>(
  engine: StorageEngine,
  prefix: string,
  read: (key: string, value: Buffer) => T | undefined,
  describe: (key: string) => string,
  faults: string[],
): Promise<T[]> {
  const found: T[] = [];
  await engine.readAll(prefix, (key, value) => {
    const entry = read(key, value);
    if (entry === undefined) faults.push(`the stored ${describe(key)} cannot be read`);
    else found.push(entry);
  });
  return found;
}

/** Yields the servers with an undamaged record, sorted by key. Adds a message to `faults` for each damaged record. */
async function* readableServers(engine: StorageEngine, faults: string[]): AsyncGenerator<ServerRecord> {
  const table = new ServerTable();
  for await (const [storedKey, value] of engine.entries(SERVERS)) {
    const key = storedKey.slice(SERVERS.length);
    let record: Buffer;
    try {
      checkRecord(key, value);
      record = upgradeRecord(key, value);
    } catch (error) {
      if (!(error instanceof CorruptRecordError)) throw error;
      faults.push(error.message);
      continue;
    }
    const slot = table.insert(key, record);
    yield table.record(slot);
    table.remove(slot);
  }
}

/**
 * Reads the data for a backup from a store that no running core uses. Adds a message to `faults` for each unreadable
 * entry.
 */
export async function readableData(
  engine: StorageEngine,
  tokenKey: () => Buffer | undefined,
  now: () => number,
  faults: string[],
): Promise<BackupSource> {
  const credentials = await readable(
    engine,
    'c/',
    storedCredentials,
    key => `credentials of "${key.slice(2)}"`,
    faults,
  );
  const encrypted = new Map(credentials.map(({ serverKey, encrypted }) => [serverKey, encrypted]));
  const readToken = (key: string, value: Buffer): Token | undefined => storedToken(key, value)?.token;
  const tokens = await readable(engine, 't/', readToken, key => `token "${key.slice(2)}"`, faults);
  const usages = await readable(engine, 'q/', storedUsage, key => `usage ${key}`, faults);
  const hooks = await readable(engine, WEBHOOKS, storedWebhook, key => `webhook ${key.slice(2)}`, faults);
  const uses = await readable(engine, 'u/', storedLastUse, key => `last use ${key}`, faults);
  return {
    servers: () => readableServers(engine, faults),
    credentials: { encryptedOf: key => encrypted.get(key) },
    tokens: () => tokens,
    quota: {
      *usages() {
        for (const { tokenId, minute, count } of usages) yield [tokenId, minute, count];
      },
    },
    lastUse: { times: () => new Map(uses.map(({ tokenId, at }) => [tokenId, at])).entries() },
    webhooks: () => hooks,
    tokenKey,
    now,
  };
}
