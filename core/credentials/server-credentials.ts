import type { ServerAccess } from '../../proto/game-access.ts';
import type { SharedBuckets } from '../store/bucket-reader.ts';
import { compareEntries } from '../store/compare-entries.ts';
import { visitInTurns } from '../store/in-turns.ts';
import { NoWrites } from '../store/no-writes.ts';
import { PendingChanges } from '../store/pending-changes.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { CREDENTIALS, credentialsEntry, storedCredentials } from './credentials-entry.ts';
import { KeptKey } from './kept-key.ts';
import { loadCredentials, type ReadCredentials, readCredentials } from './load-credentials.ts';

/** Maximum number of servers whose buckets are computed in one turn of the event loop. This takes about 2 ms. */
const KEYS_A_TURN = 5_000;

/** Change of the secret and the options of a server. Absent values stay unchanged. */
export interface AccessChange {
  /** New secret; an empty string removes the secret. */
  readonly secret?: string;
  /** New values of options, keyed by option name. An empty value removes the option. */
  readonly options: ReadonlyMap<string, string>;
}

/** Summary of the credentials of a server, without their values. */
export interface AccessNames {
  readonly secret: boolean;
  /** Names of the options that the operator set for the server, in alphabetical order. */
  readonly options: readonly string[];
}

/**
 * Credentials of one server, while changes of these credentials are being written. Memory already contains the changes,
 * but a write can fail. Therefore, when the last of these writes has ended, `durable` (the credentials as stored)
 * replaces the credentials in memory.
 */
interface PendingChange {
  /** Encrypted credentials as last stored; undefined if none were stored. */
  durable: Buffer | undefined;
  /** Number of changes of this server's credentials that are being written to the storage engine. */
  writes: number;
}

/**
 * Applies a change to the secret and the options of a server, and returns the result. `before`: secret and options
 * before the change.
 */
function changed(before: ServerAccess | undefined, { secret, options }: AccessChange): ServerAccess {
  const merged = new Map([...(before?.options ?? []), ...options]);
  return {
    secret: secret ?? before?.secret ?? '',
    options: new Map([...merged].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Credentials of tracked servers: the secrets and options that probers need for some servers, keyed by `serverKey`.
 * They are encrypted in memory and in the storage engine. `get` decrypts them when they are needed, such as for a
 * probe.
 */
export class ServerCredentials {
  readonly #engine: StorageEngine;
  readonly #key: KeptKey;
  readonly #encrypted: Map<string, Buffer>;
  readonly #pending = new Map<string, PendingChange>();
  /** The buckets of a storage engine that several cores share. Undefined if only this core uses the engine. */
  readonly #shared: SharedBuckets | undefined;
  /**
   * The buckets of servers whose credentials this core has loaded and may change. Used only if several cores
   * share the storage engine.
   */
  readonly #held = new Set<number>();
  /** Changes of credentials that are not durable yet. Used only if several cores share the storage engine. */
  readonly #changes = new PendingChanges();

  private constructor(
    engine: StorageEngine,
    key: KeptKey,
    encrypted: Map<string, Buffer>,
    shared?: SharedBuckets,
  ) {
    this.#engine = engine;
    this.#key = key;
    this.#encrypted = encrypted;
    this.#shared = shared;
  }

  /**
   * Loads the credentials key and all credentials. If several cores share the engine (`shared`), loads only the key.
   * Rejects with ConfigError if the key is unusable, missing or wrong. Rejects with StoreDamage if credentials are
   * damaged or missing.
   */
  static async load(
    engine: StorageEngine,
    directory: string,
    key = new KeptKey(directory),
    shared?: SharedBuckets,
  ): Promise<ServerCredentials> {
    if (shared) return new ServerCredentials(engine, key, new Map(), shared);
    return new ServerCredentials(engine, key, await loadCredentials(engine, key.current, directory));
  }

  /**
   * Loads the credentials of the servers in buckets that this core has acquired. Rejects with ConfigError or
   * StoreDamage in the same cases as `load`, or with the error of the storage engine.
   */
  async takeBuckets(buckets: readonly number[]): Promise<void> {
    const { reader } = this.#shared ?? {};
    if (!reader) return;
    const { current, directory } = this.#key;
    const read = (visit: (storedKey: string, value: Buffer) => void): Promise<void> =>
      reader.readBuckets(buckets, CREDENTIALS, visit);
    const found = await readCredentials(read, this.#engine, current, directory);
    for (const [serverKey, encrypted] of found) this.#encrypted.set(serverKey, encrypted);
    for (const bucket of buckets) this.#held.add(bucket);
  }

  /**
   * Forgets the credentials in buckets that this core gives to other cores. From then on, `changeAccess` rejects
   * changes of these credentials with NoWrites. Resolves when all earlier changes are durable or have failed.
   */
  async giveBuckets(buckets: readonly number[]): Promise<void> {
    const { bucketOf } = this.#shared ?? {};
    if (!bucketOf) return;
    for (const bucket of buckets) this.#held.delete(bucket);
    await this.#changes.settle();
    const given = new Set(buckets);
    await visitInTurns(this.#encrypted.keys(), KEYS_A_TURN, serverKey => {
      if (given.has(bucketOf(serverKey))) this.#encrypted.delete(serverKey);
    });
  }

  /** Number of servers that have credentials. */
  get size(): number {
    return this.#encrypted.size;
  }

  /** Returns the decrypted secret and options of a server; undefined if none are stored. */
  get(serverKey: string): ServerAccess | undefined {
    const encrypted = this.#encrypted.get(serverKey);
    if (!encrypted) return undefined;
    const plain = this.#key.current?.decrypt(encrypted, serverKey);
    if (!plain) throw new Error(`the credentials of "${serverKey}" cannot be decrypted any more`);
    const [secret, options] = JSON.parse(plain.toString()) as [string, [string, string][]];
    return { secret, options: new Map(options) };
  }

  /** Returns a summary of the credentials of a server, for callers who must not see the values. */
  namesOf(serverKey: string): AccessNames | undefined {
    const access = this.get(serverKey);
    return access && { secret: access.secret !== '', options: [...access.options.keys()] };
  }

  /**
   * Reads the encrypted credentials of the servers of all cores from the storage engine, for backups. Rejects with
   * StoreDamage if credentials are damaged.
   */
  async readAll(): Promise<Pick<ServerCredentials, 'encryptedOf'>> {
    const { current, directory } = this.#key;
    const read: ReadCredentials = async visit => {
      for await (const [storedKey, value] of this.#engine.entries(CREDENTIALS)) visit(storedKey, value);
    };
    const encrypted = await readCredentials(read, this.#engine, current, directory);
    return { encryptedOf: serverKey => encrypted.get(serverKey) };
  }

  /** Returns the encrypted credentials of a server, for backups. */
  encryptedOf(serverKey: string): Buffer | undefined {
    return this.#encrypted.get(serverKey);
  }

  /**
   * Removes the credentials of removed servers from memory. Returns the operations that delete them from the storage
   * engine. The caller writes these operations in the same batch as the removal of the servers.
   */
  dropAccess(serverKeys: readonly string[]): Operation[] {
    return serverKeys.flatMap(serverKey => {
      // Forgets unfinished writes of the removed credentials. Otherwise the end of such a write would put the
      // credentials into memory again.
      this.#pending.delete(serverKey);
      return this.#apply(serverKey, undefined);
    });
  }

  /**
   * Changes the credentials of servers, and resolves when the change is durable. Probes use the new credentials
   * immediately. Rejects with NoWrites if the storage engine refuses the change; memory then returns to the stored
   * credentials.
   */
  changeAccess(serverKeys: readonly string[], change: AccessChange): Promise<void> {
    const changing = this.#changeAccess(serverKeys, change);
    return this.#shared ? this.#changes.add(changing) : changing;
  }

  async #changeAccess(serverKeys: readonly string[], change: AccessChange): Promise<void> {
    if (this.#engine.refusal) throw this.#engine.refusal;
    const { bucketOf } = this.#shared ?? {};
    if (bucketOf && !serverKeys.every(serverKey => this.#held.has(bucketOf(serverKey))))
      throw new NoWrites('this core does not have a server any more');
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
   * Returns the operations that make the stored credentials equal to the credentials in memory. They are needed after a
   * failed write, because a part of this write may be stored. The credentials in memory are right: they contain exactly
   * the changes that the storage engine has confirmed.
   */
  compare(): Promise<Operation[]> {
    const reader = this.#shared?.reader;
    return compareEntries(
      {
        readAll: (prefix, visit) =>
          reader ? reader.readBuckets([...this.#held], prefix, visit) : this.#engine.readAll(prefix, visit),
        resetDigest: (prefix, digest) => this.#engine.resetDigest(prefix, digest),
      },
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

  /**
   * Changes the credentials of a server in memory. Returns the operations that make the same change in the storage
   * engine. `access`: the new secret and options; undefined removes the credentials.
   */
  #apply(serverKey: string, access: ServerAccess | undefined): Operation[] {
    const key = CREDENTIALS + serverKey;
    const before = this.#encrypted.get(serverKey);
    const removes = before && checksumOf(key, before);
    if (!access || (access.secret === '' && access.options.size === 0)) {
      this.#encrypted.delete(serverKey);
      return removes === undefined ? [] : [{ type: 'del', key, removes }];
    }
    const plain = Buffer.from(JSON.stringify([access.secret, [...access.options]]));
    const encrypted = this.#key.needed().encrypt(plain, serverKey);
    this.#encrypted.set(serverKey, encrypted);
    return [{ ...credentialsEntry(serverKey, encrypted), ...(removes !== undefined && { removes }) }];
  }
}
