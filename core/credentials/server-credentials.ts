import type { ServerAccess } from '../../proto/game-access.ts';
import { ConfigError } from '../../runtime/config.ts';
import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { LevelDbStore, Operation } from '../store/leveldb/leveldb-store.ts';
import { digestOf, SetDigest } from '../store/set-digest.ts';
import { named } from '../store/store-damage.ts';
import { CredentialsKey, credentialsKeyPath, isEncrypted } from './credentials-key.ts';

const PREFIX = 'c/';

/** What changes of what a server is asked with; what is absent stays as it was. */
export interface AccessChange {
  /** Empty: the server has none any more. */
  readonly secret?: string;
  /** By name; an empty value takes the option away. */
  readonly options: ReadonlyMap<string, string>;
}

/** What is set of a server, without any value. */
export interface AccessNames {
  readonly secret: boolean;
  /** In alphabetical order. */
  readonly options: readonly string[];
}

/** What one server is asked with, while changes of it are being written. */
interface Unwritten {
  /** As it was stored last, encrypted; undefined if nothing was. */
  durable: Buffer | undefined;
  /** Changes that are being written. */
  writes: number;
}

/** An entry as it is stored, and its mark. `encrypted` is as `CredentialsKey.encrypt` returns it. */
export function credentialsEntry(
  serverKey: string,
  encrypted: Buffer,
): { key: string; value: Buffer; adds: number } {
  const key = PREFIX + serverKey;
  return { key, value: addChecksum(key, encrypted), adds: digestOf(key, encrypted) };
}

/** What an entry holds, still encrypted, and its mark; undefined if it is not what was written. */
export function storedCredentials(
  key: string,
  value: Buffer,
): { serverKey: string; encrypted: Buffer; mark: number } | undefined {
  const encrypted = checkedContent(key, value);
  if (!encrypted || !isEncrypted(encrypted)) return undefined;
  return { serverKey: key.slice(PREFIX.length), encrypted, mark: digestOf(key, encrypted) };
}

function changed(before: ServerAccess | undefined, { secret, options }: AccessChange): ServerAccess {
  const merged = new Map([...(before?.options ?? []), ...options]);
  return {
    secret: secret ?? before?.secret ?? '',
    options: new Map([...merged].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Checks that a key is the one that all of these were encrypted with, and that each is of its server. Throws ConfigError
 * if the key is missing or another; returns the servers whose credentials cannot be decrypted.
 */
export function checkDecryptable(
  key: CredentialsKey | undefined,
  encrypted: ReadonlyMap<string, Buffer>,
  directory: string,
): string[] {
  if (encrypted.size === 0) return [];
  const all = [...encrypted];
  if (!key || !all.every(([, each]) => key.didEncrypt(each))) {
    const path = credentialsKeyPath(directory);
    throw new ConfigError(
      `GSQ_DATA_DIR: ${key ? `${path} is not the key that encrypted` : `${path} is gone, which encrypted`} the stored credentials of ${all.length} servers; ` +
        'restore the file from where you keep it. If it is lost for good, leave the credentials behind: ' +
        'gsq backup <file> --offline, then gsq restore <file> --no-credentials --data-dir <new directory>',
    );
  }
  return all.filter(([serverKey, each]) => !key.decrypt(each, serverKey)).map(([serverKey]) => serverKey);
}

/**
 * What servers are asked with beside their address, by server key: in memory and in the store encrypted, decrypted for
 * a lease alone. As many as were stored, each of a tracked server.
 */
export class ServerCredentials {
  readonly #level: LevelDbStore;
  readonly #directory: string;
  #key: CredentialsKey | undefined;
  readonly #encrypted: Map<string, Buffer>;
  readonly #unwritten = new Map<string, Unwritten>();

  private constructor(
    level: LevelDbStore,
    directory: string,
    key: CredentialsKey | undefined,
    encrypted: Map<string, Buffer>,
  ) {
    this.#level = level;
    this.#directory = directory;
    this.#key = key;
    this.#encrypted = encrypted;
  }

  /**
   * Reads all credentials and the key of the data directory. Rejects with ConfigError if that key cannot be used, is
   * gone or is another, with StoreDamage if the credentials are not what was written.
   */
  static async load(level: LevelDbStore, directory: string): Promise<ServerCredentials> {
    const key = CredentialsKey.read(directory);
    const encrypted = new Map<string, Buffer>();
    const tally = new SetDigest();
    const faults: string[] = [];
    const fault = (serverKey: string): void =>
      void faults.push(`the stored credentials of "${serverKey}" are not what was written`);
    for await (const [storedKey, value] of level.entries(PREFIX)) {
      const stored = storedCredentials(storedKey, value);
      if (stored) {
        tally.add(stored.mark);
        encrypted.set(stored.serverKey, stored.encrypted);
      } else fault(storedKey.slice(PREFIX.length));
    }
    if (faults.length === 0) for (const each of checkDecryptable(key, encrypted, directory)) fault(each);
    if (faults.length > 0) throw level.damage(named(faults));
    level.expect(PREFIX, tally);
    return new ServerCredentials(level, directory, key, encrypted);
  }

  /** Servers that have any. */
  get size(): number {
    return this.#encrypted.size;
  }

  /** What a server is asked with; undefined if nothing is stored of it. */
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

  /** What is stored of a server, encrypted: for backups. */
  encryptedOf(serverKey: string): Buffer | undefined {
    return this.#encrypted.get(serverKey);
  }

  /** Forgets what servers are asked with at once; returns what has to be written in the same batch as their removal. */
  dropAccess(serverKeys: readonly string[]): Operation[] {
    return serverKeys.flatMap(serverKey => {
      // Whatever becomes of its changes, the server is gone.
      this.#unwritten.delete(serverKey);
      return this.#put(serverKey, undefined);
    });
  }

  /**
   * Changes what servers are asked with; resolves when it is durable. Leases have it from the call on, so that a server
   * that was inserted just before is asked with it at once. Rejects with NoWrites; when no change of a server is being
   * written any more, it is asked with what was stored last.
   */
  async changeAccess(serverKeys: readonly string[], change: AccessChange): Promise<void> {
    if (this.#level.refusal) throw this.#level.refusal;
    const distinct = [...new Set(serverKeys)];
    const unwritten = distinct.map(serverKey => this.#beginWrite(serverKey));
    let written: (Buffer | undefined)[] | undefined;
    try {
      const operations = distinct.flatMap(serverKey =>
        this.#put(serverKey, changed(this.get(serverKey), change)),
      );
      if (operations.length === 0) return;
      const values = distinct.map(serverKey => this.#encrypted.get(serverKey));
      await this.#level.commit(operations);
      written = values;
    } finally {
      for (const [i, record] of unwritten.entries()) {
        if (written) record.durable = written[i];
        this.#endWrite(distinct[i] ?? '', record);
      }
    }
  }

  #beginWrite(serverKey: string): Unwritten {
    const record = this.#unwritten.get(serverKey) ?? { durable: this.#encrypted.get(serverKey), writes: 0 };
    record.writes++;
    this.#unwritten.set(serverKey, record);
    return record;
  }

  #endWrite(serverKey: string, record: Unwritten): void {
    if (--record.writes > 0 || this.#unwritten.get(serverKey) !== record) return;
    this.#unwritten.delete(serverKey);
    this.#hold(serverKey, record.durable);
  }

  /** Changes what is in memory; returns how the store has to follow. */
  #put(serverKey: string, access: ServerAccess | undefined): Operation[] {
    const before = this.#encrypted.get(serverKey);
    const takes = before && digestOf(PREFIX + serverKey, before);
    if (!access || (access.secret === '' && access.options.size === 0)) {
      this.#encrypted.delete(serverKey);
      return takes === undefined ? [] : [{ type: 'del', key: PREFIX + serverKey, takes }];
    }
    this.#key ??= CredentialsKey.make(this.#directory);
    const plain = Buffer.from(JSON.stringify([access.secret, [...access.options]]));
    const encrypted = this.#key.encrypt(plain, serverKey);
    this.#encrypted.set(serverKey, encrypted);
    return [
      { type: 'put', ...credentialsEntry(serverKey, encrypted), ...(takes !== undefined && { takes }) },
    ];
  }

  #hold(serverKey: string, encrypted: Buffer | undefined): void {
    if (encrypted) this.#encrypted.set(serverKey, encrypted);
    else this.#encrypted.delete(serverKey);
  }

  /**
   * Compares what the engine holds after a write failed with what is in memory, which is what was acknowledged. Returns
   * what to write so that both are the same.
   */
  async compare(): Promise<Operation[]> {
    const operations: Operation[] = [];
    const there = new Map<string, number | undefined>();
    for await (const [key, value] of this.#level.entries(PREFIX)) {
      if (this.#encrypted.has(key.slice(PREFIX.length))) there.set(key, storedCredentials(key, value)?.mark);
      else operations.push({ type: 'del', key });
    }
    const tally = new SetDigest();
    for (const [serverKey, encrypted] of this.#encrypted) {
      const { key, value, adds } = credentialsEntry(serverKey, encrypted);
      tally.add(adds);
      if (there.get(key) !== adds) operations.push({ type: 'put', key, value });
    }
    this.#level.recount(PREFIX, tally);
    return operations;
  }
}
