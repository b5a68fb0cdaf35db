import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { isAboutCredentials, notListed, senseless, UnknowableError } from '../answers/unknowable-error.ts';
import type { Directory, DirectoryDependencies, LookUp } from './directory.ts';
import { listKeys, onlyHost } from './directory.ts';
import type { DirectoryHost, HostFetch, Kept } from './directory-host.ts';
import { statusOf } from './entry-values.ts';
import { WINDOW_MS } from './request-rate-limit.ts';
import { ShrinkGuard } from './shrink-guard.ts';

/** How long a list is reused, ms: the time in which no new one may be fetched. */
const FRESH_MS = WINDOW_MS;
/**
 * Most servers of a list; the largest known one has some thousands. A longer list is rejected as a whole,
 * because servers in the cut part would seem absent.
 */
const MAX_SERVERS = 100_000;

/** Servers of a list by `listKey`. An entry is parsed only when its server is looked up. */
type Entries = ReadonlyMap<string, unknown>;

export interface ListSource {
  /** Path of the list, with its query. */
  path: string;
  /** Returns each server of a body with its key. Throws if the body is not a list. */
  entries: (body: Buffer) => Iterable<readonly [string, unknown]>;
  /** Reads the status of an entry. Throws if it is not one. */
  read: (entry: unknown) => RawStatus;
}

/** What a request for a list needs beside its path. */
export interface ListRequest extends Pick<HostFetch<Entries>, 'headers' | 'explain'> {
  /** The account whose log-in the request carries; empty if it carries none. */
  account?: string;
}

/** A list of all servers of a game. It is fetched at most once a minute, for all look-ups. */
export class ServerList {
  readonly #directory: string;
  readonly #host: DirectoryHost;
  readonly #source: ListSource;
  readonly #now: Now;
  readonly #judge = new ShrinkGuard();
  #kept: Kept<Entries> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: { account: string; done: Promise<void> } | undefined;
  /** The reason why absence from the list proves nothing; undefined if it does. */
  #doubt: string | undefined;

  constructor(directory: string, host: DirectoryHost, source: ListSource, now: Now) {
    this.#directory = directory;
    this.#host = host;
    this.#source = source;
    this.#now = now;
  }

  /** Finds the first of the keys. `request` is used if a fetch is due. Rejects with `UnknowableError`. */
  async find(keys: readonly string[], request: ListRequest = {}): Promise<RawStatus> {
    while (this.#now() >= this.#fetchedAt + FRESH_MS) await this.#refresh(request);
    for (const key of keys) {
      const entry = this.#kept?.value.get(key);
      if (entry === undefined) continue;
      const status = statusOf(() => this.#source.read(entry));
      if (!status) throw senseless(this.#directory);
      return status;
    }
    if (this.#doubt !== undefined) {
      throw new UnknowableError('directory-unavailable', `${this.#directory}: ${this.#doubt}`);
    }
    throw notListed(this.#directory);
  }

  /**
   * Fetches the list, or waits for a fetch under way. Resolves without a list if another account was refused.
   */
  async #refresh({ account = '', ...more }: ListRequest): Promise<void> {
    if (!this.#fetching) {
      const done = this.#fetch(more).finally(() => {
        this.#fetching = undefined;
      });
      this.#fetching = { account, done };
    }
    const { account: asker, done } = this.#fetching;
    try {
      await done;
    } catch (error) {
      if (asker === account || !isAboutCredentials(error)) throw error;
    }
  }

  async #fetch(more: Omit<ListRequest, 'account'>): Promise<void> {
    const asked = this.#now();
    const read = (body: Buffer) => this.#read(body);
    this.#kept = await this.#host.fetch({ ...more, path: this.#source.path, last: this.#kept, read });
    this.#fetchedAt = asked;
    this.#doubt = this.#judge.doubt(this.#kept.value.size, asked);
  }

  #read(body: Buffer): Entries {
    const entries = new Map<string, unknown>();
    for (const [key, entry] of this.#source.entries(body)) {
      if (entries.size >= MAX_SERVERS) throw new RangeError(`more than ${MAX_SERVERS} servers`);
      if (!entries.has(key)) entries.set(key, entry);
    }
    return entries;
  }
}

/** Makes a directory that publishes all its servers in one list. */
export function listDirectory(
  about: Pick<Directory, 'name' | 'protocols' | 'objection'> & { origin: string },
  source: ListSource,
): Directory {
  const { origin, ...named } = about;
  return {
    ...named,
    kind: 'list',
    origins: [origin],
    perMinute: 1,
    open: (parts: DirectoryDependencies): LookUp => {
      const servers = new ServerList(about.name, onlyHost(parts), source, parts.now);
      return question => servers.find(listKeys(question));
    },
  };
}
