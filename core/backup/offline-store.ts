import { constants, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { storedUsage } from '../access/day-quota.ts';
import { storedLastUse } from '../access/last-use.ts';
import type { Token } from '../access/token.ts';
import { readTokenKey } from '../access/token-key.ts';
import { storedToken } from '../access/tokens.ts';
import { storedCredentials } from '../credentials/server-credentials.ts';
import { CorruptRecordError, checkRecord } from '../servers/record-codec.ts';
import { upgradeRecord } from '../servers/record-upgrade.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { LevelDbStore } from '../store/leveldb/leveldb-store.ts';
import { ServerTable } from '../store/memory/server-table.ts';
import { digestOf, SetDigest } from '../store/set-digest.ts';
import { StoreDamage } from '../store/store-damage.ts';
import type { BackupParts } from './backup.ts';

/** A copy of a store that no core uses, opened: reading LevelDB changes its files, and these are not to be changed. */
export class OfflineStore {
  readonly level: LevelDbStore;
  readonly #copy: string;
  readonly #dataDirectory: string;
  /** What is wrong with it, one line each. */
  readonly faults: string[] = [];

  private constructor(level: LevelDbStore, copy: string, dataDirectory: string) {
    this.level = level;
    this.#copy = copy;
    this.#dataDirectory = dataDirectory;
  }

  /**
   * Copies and opens the store of a data directory; where it is damaged, what can be read of it. Rejects where a core
   * uses it, or nothing can be read.
   */
  static async open(dataDirectory: string): Promise<OfflineStore> {
    const directory = join(dataDirectory, 'leveldb');
    await LevelDbStore.checkUnused(directory);
    const found = join(directory, 'found');
    const copy = join(dataDirectory, `offline-copy-${process.pid}`);
    const from = existsSync(found) ? found : directory;
    const takeCopy = (): void => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(from, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
      for (const name of ['found', 'opening', 'LOCK']) {
        rmSync(join(copy, name), { recursive: true, force: true });
      }
    };
    takeCopy();
    try {
      const level = await LevelDbStore.open(copy, () => {});
      const store = new OfflineStore(level, copy, dataDirectory);
      await store.#compare();
      return store;
    } catch (error) {
      if (!(error instanceof StoreDamage)) {
        rmSync(copy, { recursive: true, force: true });
        throw error;
      }
      takeCopy();
      const store = new OfflineStore(await LevelDbStore.salvage(copy), copy, dataDirectory);
      store.faults.push(error.what);
      return store;
    }
  }

  /** Whether all that was counted is there. */
  async #compare(): Promise<void> {
    const servers = new SetDigest();
    const tokens = new SetDigest();
    const credentials = new SetDigest();
    try {
      await this.level.each('s/', key => servers.add(digestOf(key.slice(2))));
      await this.level.each('t/', (key, value) => tokens.add(storedToken(key, value)?.mark ?? 0));
      await this.level.each('c/', (key, value) => credentials.add(storedCredentials(key, value)?.mark ?? 0));
      this.level.expect('s/', servers);
      this.level.expect('t/', tokens);
      this.level.expect('c/', credentials);
    } catch (error) {
      await this.level.close();
      throw error;
    }
  }

  /** What is whole, as a backup takes it; entries that are not are named in `faults`. */
  async parts(now: () => number): Promise<BackupParts> {
    const { level, faults } = this;
    const table = new ServerTable();
    async function* servers(): AsyncGenerator<ServerRecord> {
      for await (const [storedKey, value] of level.entries('s/')) {
        const key = storedKey.slice(2);
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
    const encrypted = await this.#credentials();
    const tokens: Token[] = [];
    for await (const [key, value] of level.entries('t/')) {
      const stored = storedToken(key, value);
      if (stored) tokens.push(stored.token);
      else faults.push(`the stored token "${key.slice(2)}" cannot be read`);
    }
    const usages: [string, number, number][] = [];
    for await (const [key, value] of level.entries('q/')) {
      const usage = storedUsage(key, value);
      if (usage) usages.push([usage.tokenId, usage.minute, usage.count]);
      else faults.push(`the stored usage ${key} cannot be read`);
    }
    const times: [string, number][] = [];
    for await (const [key, value] of level.entries('u/')) {
      const use = storedLastUse(key, value);
      if (use) times.push([use.tokenId, use.at]);
      else faults.push(`the stored last use ${key} cannot be read`);
    }
    return {
      servers,
      credentials: { encryptedOf: key => encrypted.get(key) },
      tokens: () => tokens,
      quota: { usages: () => usages.values() },
      lastUse: { times: () => times.values() },
      tokenKey: () => readTokenKey(this.#dataDirectory),
      now,
    };
  }

  /** What servers are asked with, encrypted, by server key; what is not whole is named in `faults`. */
  async #credentials(): Promise<Map<string, Buffer>> {
    const encrypted = new Map<string, Buffer>();
    for await (const [key, value] of this.level.entries('c/')) {
      const stored = storedCredentials(key, value);
      if (stored) encrypted.set(stored.serverKey, stored.encrypted);
      else this.faults.push(`the stored credentials of "${key.slice(2)}" cannot be read`);
    }
    return encrypted;
  }

  async close(): Promise<void> {
    await this.level.close();
    rmSync(this.#copy, { recursive: true, force: true });
  }
}
