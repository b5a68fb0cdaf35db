import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { isAboutCredentials, notListed, senseless, UnknowableError } from '../answers/unknowable-error.ts';
import type { Directory, DirectoryDependencies, LookUp } from './directory.ts';
import { listKeys, onlyHost } from './directory.ts';
import type { DirectoryHost, HostFetch, Kept } from './directory-host.ts';
import { statusOf } from './entry-values.ts';
import { WINDOW_MS } from './request-rate-limit.ts';
import { ShrinkGuard } from './shrink-guard.ts';

/**
 * Time for which gsq reuses a fetched public server list, ms. It is as long as the window of the rate limit, because
 * the rate limit of most lists allows only one fetch in this window.
 */
const FRESH_MS = WINDOW_MS;
/**
 * Maximum number of servers in a public server list. The largest known list has some thousand servers. A longer list is
 * rejected as a whole, because in a truncated list the missing servers would seem offline.
 */
const MAX_SERVERS = 100_000;

/**
 * The servers of a public server list as raw data, keyed by id or by host and port. The data of a server is parsed only
 * when the server is looked up.
 */
type Entries = ReadonlyMap<string, unknown>;

export interface ListSource {
  /** URL path of the public server list, including the query string. */
  path: string;
  /**
   * Parses the body of a reply with a server list. Returns the raw data of each server with its key. Throws if the body
   * is not a server list.
   */
  entries: (body: Buffer) => Iterable<readonly [string, unknown]>;
  /**
   * Reads the status of a game server from `entry`, its raw data in a public server list. Throws if the data is not
   * valid.
   */
  read: (entry: unknown) => RawStatus;
}

/**
 * The parts of a request for a server list: its headers, the account for the log-in, and the function that explains an
 * error reply.
 */
export interface ListRequest extends Pick<HostFetch<Entries>, 'headers' | 'explain'> {
  /** Account with which the request for a server list logs in; empty if the request needs no log-in. */
  account?: string;
}

/** A list of all servers of a game. All look-ups share the list, so it is fetched at most once a minute. */
export class ServerList {
  readonly #directory: string;
  readonly #host: DirectoryHost;
  readonly #source: ListSource;
  readonly #now: Now;
  readonly #judge = new ShrinkGuard();
  #kept: Kept<Entries> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: { account: string; done: Promise<void> } | undefined;
  /** Reason why the fetched server list is perhaps incomplete; undefined if the list counts as complete. */
  #doubt: string | undefined;

  constructor(directory: string, host: DirectoryHost, source: ListSource, now: Now) {
    this.#directory = directory;
    this.#host = host;
    this.#source = source;
    this.#now = now;
  }

  /**
   * Looks up a server in the list, and returns its status. Tries the `keys` one after another, and uses the first that
   * is in the list. If the list is too old, fetches it first, with `request`. Rejects with `UnknowableError` if the
   * fetch fails or the list contains none of the keys.
   */
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
   * Fetches the server list. If another look-up is already fetching it, waits for that fetch instead. If that fetch
   * fails because a different account is refused, resolves without a new list. The caller must then try again.
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

/**
 * Creates the `Directory` (definition of a public server list) of a game whose list is one document with all servers.
 */
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
