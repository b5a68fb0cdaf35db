import type { ServerAccess } from '../../proto/game-access.ts';
import { compareEntries } from '../store/compare-entries.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { CREDENTIALS, credentialsEntry, storedCredentials } from './credentials-entry.ts';
import { CredentialsKey } from './credentials-key.ts';
import { loadCredentials } from './load-credentials.ts';

/** A change of the secret and options of a server; what is absent stays as it was. */
export interface AccessChange {
  /** An empty one removes the secret. */
  readonly secret?: string;
  /** By name; an empty value removes the option. */
  readonly options: ReadonlyMap<string, string>;
}

/** What is set of a server, without any value. */
export interface AccessNames {
  readonly secret: boolean;
  /** In alphabetical order. */
  readonly options: readonly string[];
}

/** The credentials of a server while changes of them are being written. */
interface PendingChange {
  /** As they were stored last, encrypted; undefined if nothing was. */
  durable: Buffer | undefined;
  /** How many changes are being written. */
  writes: number;
}

/** The access of a server after a change. */
function changed(before: ServerAccess | undefined, { secret, options }: AccessChange): ServerAccess {
  const merged = new Map([...(before?.options ?? []), ...options]);
  return {
    secret: secret ?? before?.secret ?? '',
    options: new Map([...merged].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Secrets and options that servers are probed with, by `serverKey`: encrypted in memory and in the storage engine, and
 * decrypted only for a lease. Only tracked servers have any.
 */
export class ServerCredentials {
  readonly #engine: StorageEngine;
  readonly #directory: string;
  #key: CredentialsKey | undefined;
  readonly #encrypted: Map<string, Buffer>;
  readonly #pending = new Map<string, PendingChange>();

  private constructor(
    engine: StorageEngine,
    directory: string,
    key: CredentialsKey | undefined,
    encrypted: Map<string, Buffer>,
  ) {
    this.#engine = engine;
    this.#directory = directory;
    this.#key = key;
    this.#encrypted = encrypted;
  }

  /**
   * Reads all credentials and the key of the data directory. Rejects with ConfigError if the key cannot be used, is missing
   * or another; with StoreDamage if the credentials are not what was written.
   */
  static async load(engine: StorageEngine, directory: string): Promise<ServerCredentials> {
    const key = CredentialsKey.read(directory);
    return new ServerCredentials(engine, directory, key, await loadCredentials(engine, key, directory));
  }

  /** How many servers have credentials. */
  get size(): number {
    return this.#encrypted.size;
  }

  /** Secret and options of a server; undefined if none are stored. */
  get(serverKey: string): ServerAccess | undefined {
    const encrypted = this.#encrypted.get(serverKey);
    if (!encrypted) return undefined;
    const plain = this.#key?.decrypt(encrypted, serverKey);
    if (!plain) throw new Error(`the credentials of "${serverKey}" cannot be decrypted any more`);
    const [secret, options] = JSON.parse(plain.toString()) as [string, [string, string][]];
    return { secret, options: new Map(options) };
  }

  /** What is set of a server, for those who may not see values. */
  namesOf(serverKey: string): AccessNames | undefined {
    const access = this.get(serverKey);
    return access && { secret: access.secret !== '', options: [...access.options.keys()] };
  }

  /** The credentials of a server, encrypted: for backups. */
  encryptedOf(serverKey: string): Buffer | undefined {
    return this.#encrypted.get(serverKey);
  }

  /** Forgets the credentials of removed servers at once; returns what has to be written in the same batch as the removal. */
  dropAccess(serverKeys: readonly string[]): Operation[] {
    return serverKeys.flatMap(serverKey => {
      // The server is removed: changes that are being written have nothing to restore.
      this.#pending.delete(serverKey);
      return this.#apply(serverKey, undefined);
    });
  }

  /**
   * Changes the credentials of servers; resolves when that is durable. Leases get them at once, so that a server that was
   * just inserted is probed with them. Rejects with NoWrites; once no change of a server is being written, its credentials
   * are those that were stored last.
   */
  async changeAccess(serverKeys: readonly string[], change: AccessChange): Promise<void> {
    if (this.#engine.refusal) throw this.#engine.refusal;
    const distinct = [...new Set(serverKeys)];
    const pending = distinct.map(serverKey => this.#beginWrite(serverKey));
    let written: (Buffer | undefined)[] | undefined;
    try {
      const operations = distinct.flatMap(serverKey =>
        this.#apply(serverKey, changed(this.get(serverKey), change)),
      );
      if (operations.length === 0) return;
      const values = distinct.map(serverKey => this.#encrypted.get(serverKey));
      await this.#engine.commit(operations);
      written = values;
    } finally {
      for (const [i, record] of pending.entries()) {
        if (written) record.durable = written[i];
        this.#endWrite(distinct[i] ?? '', record);
      }
    }
  }

  /**
   * Compares what the engine holds after a failed write with what is in memory, which is what was acknowledged. Returns
   * what to write so that both are the same.
   */
  compare(): Promise<Operation[]> {
    return compareEntries(
      this.#engine,
      CREDENTIALS,
      [...this.#encrypted].map(([serverKey, encrypted]) => credentialsEntry(serverKey, encrypted)),
      (key, value) => storedCredentials(key, value)?.checksum,
    );
  }

  #beginWrite(serverKey: string): PendingChange {
    const record = this.#pending.get(serverKey) ?? { durable: this.#encrypted.get(serverKey), writes: 0 };
    record.writes++;
    this.#pending.set(serverKey, record);
    return record;
  }

  #endWrite(serverKey: string, record: PendingChange): void {
    if (--record.writes > 0 || this.#pending.get(serverKey) !== record) return;
    this.#pending.delete(serverKey);
    if (record.durable) this.#encrypted.set(serverKey, record.durable);
    else this.#encrypted.delete(serverKey);
  }

  /** Changes the credentials in memory; returns what to write. `access`: undefined if there are none any more. */
  #apply(serverKey: string, access: ServerAccess | undefined): Operation[] {
    const key = CREDENTIALS + serverKey;
    const before = this.#encrypted.get(serverKey);
    const removes = before && checksumOf(key, before);
    if (!access || (access.secret === '' && access.options.size === 0)) {
      this.#encrypted.delete(serverKey);
      return removes === undefined ? [] : [{ type: 'del', key, removes }];
    }
    this.#key ??= CredentialsKey.make(this.#directory);
    const plain = Buffer.from(JSON.stringify([access.secret, [...access.options]]));
    const encrypted = this.#key.encrypt(plain, serverKey);
    this.#encrypted.set(serverKey, encrypted);
    return [{ ...credentialsEntry(serverKey, encrypted), ...(removes !== undefined && { removes }) }];
  }
}
