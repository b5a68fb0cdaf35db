import type { ClientDuplexStream, ServiceError as RpcError } from '@grpc/grpc-js';
import { type ChannelSecurity, clients, internalMetadata } from '../../proto/clients.ts';
import type { MoveStoreRequest } from '../../proto/generated/gsq/v1/MoveStoreRequest.ts';
import type { MoveStoreResponse__Output } from '../../proto/generated/gsq/v1/MoveStoreResponse.ts';
import type { StoreEntry__Output } from '../../proto/generated/gsq/v1/StoreEntry.ts';
import type { StoreState__Output } from '../../proto/generated/gsq/v1/StoreState.ts';
import { fromGrpcStatus } from '../../proto/service-error.ts';
import { reasonOf } from '../../runtime/error-words.ts';
import type { Counted } from '../store/counted-prefixes.ts';
import type { MovedStore } from '../store/migration-marker.ts';
import { SetDigest } from '../store/set-digest.ts';
import type { StoredEntry } from '../store/storage-engine.ts';
import type { HistorySource } from './copy-history.ts';
import { CoreHistory } from './core-history.ts';
import type { Changes, MigrationSource } from './source.ts';

/**
 * Maximum number of store keys in one request to a core. If a request contains more keys, the core ignores the rest.
 */
const KEYS_AT_ONCE = 1_000;

/** How this process reaches the internal port of a core. */
export interface CoreAccess {
  address: string;
  security: ChannelSecurity;
  secret: string;
}

/** Error if a core refuses to give its store to a migration, or if the connection to the core breaks. */
export class CoreLost extends Error {
  override name = 'CoreLost';
}

interface Waiter {
  resolve(response: MoveStoreResponse__Output): void;
  reject(error: Error): void;
}

/**
 * The embedded store of a running core as the source of a migration. The store is read through the internal port of the
 * core.
 */
export class CoreSource implements MigrationSource {
  readonly name: string;
  readonly isLive = true;
  /** The history of the game servers in the core's store. */
  readonly history: HistorySource = new CoreHistory(request => this.#send(request));
  readonly #client: ReturnType<typeof clients.cluster>;
  readonly #stream: ClientDuplexStream<MoveStoreRequest, MoveStoreResponse__Output>;
  /** The requests to the core that have no response yet, in the order in which they were sent. */
  readonly #waiting: Waiter[] = [];
  #failure: Error | undefined;

  constructor(name: string, { address, security, secret }: CoreAccess) {
    this.name = name;
    this.#client = clients.cluster(address, security);
    this.#stream = this.#client.moveStore(internalMetadata(secret));
    this.#stream.on('data', (response: MoveStoreResponse__Output) =>
      this.#waiting.shift()?.resolve(response),
    );
    this.#stream.on('error', error =>
      this.#end(fromGrpcStatus(error as RpcError)?.message ?? reasonOf(error), address),
    );
    this.#stream.on('end', () => this.#end('it has ended', address));
  }

  /**
   * Returns an id of the lock file of the core's store. The migration compares this id with the lock file in the
   * expected data directory, to check that the core uses this directory.
   */
  async lockFile(): Promise<string> {
    return (await this.#state()).lockFile;
  }

  async moved(): Promise<MovedStore | undefined> {
    return (await this.#state()).moved ?? undefined;
  }

  async *pieces(): AsyncGenerator<readonly StoredEntry[], undefined> {
    let page = this.#send({ readAfter: '' });
    for (;;) {
      const entries = toEntries((await page).entries);
      const last = entries.at(-1)?.[0];
      if (last === undefined) return;
      page = this.#send({ readAfter: last });
      page.catch(() => {});
      yield entries;
    }
  }

  async getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    const values = new Map<string, Buffer>();
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      const { entries } = await this.#send({ read: { keys: keys.slice(from, from + KEYS_AT_ONCE) } });
      for (const [key, value] of toEntries(entries)) values.set(key, value);
    }
    return values;
  }

  async settle(): Promise<void> {
    await this.#send({ settle: true });
  }

  async changes(): Promise<Changes> {
    const { entries, removed, left } = await this.#send({ readChanges: true });
    return { entries: toEntries(entries), removed, left };
  }

  async hold(): Promise<void> {
    await this.#send({ hold: true });
  }

  async digests(): Promise<ReadonlyMap<Counted, SetDigest>> {
    const { digests } = await this.#state();
    return new Map(
      digests.map(({ prefix, entries, sum }) => [prefix as Counted, new SetDigest(entries, sum)]),
    );
  }

  async commit(moved: MovedStore): Promise<void> {
    await this.#send({ commit: moved });
  }

  async release(): Promise<void> {
    await this.#send({ release: true });
  }

  async close(): Promise<void> {
    this.#failure ??= new CoreLost('the migration has ended');
    this.#stream.end();
    this.#client.close();
  }

  async #state(): Promise<StoreState__Output> {
    const { state } = await this.#send({ look: true });
    if (!state) throw new CoreLost('the core does not describe its store');
    return state;
  }

  #send(request: MoveStoreRequest): Promise<MoveStoreResponse__Output> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#stream.write(request);
    });
  }

  #end(reason: string, address: string): void {
    this.#failure ??= new CoreLost(`the core at ${address} does not hand over its store: ${reason}`);
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#failure);
  }
}

function toEntries(entries: readonly StoreEntry__Output[]): StoredEntry[] {
  return entries.map(({ key, value }) => [key, value]);
}
