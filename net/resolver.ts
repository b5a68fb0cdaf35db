import { Resolver as DnsResolver } from 'node:dns/promises';
import type { Now } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/config.ts';

/** Result of a DNS lookup of a host name. */
export type Resolution =
  /** Result of a DNS lookup: the addresses of the name, IPv4 first. */
  | { kind: 'addresses'; addresses: string[] }
  /** Result of a DNS lookup: the name has no address. */
  | { kind: 'absent' }
  /** Result of a DNS lookup: no name server gave a valid answer, or too many lookups are in progress. */
  | { kind: 'failed'; reason: string };

/** Result of a lookup of the SRV records of a name. */
export type Service =
  /** The host and port in the SRV record. */
  | { kind: 'target'; host: string; port: number }
  /** Result of an SRV lookup: the name has no SRV record, or its record names no host. */
  | { kind: 'absent' }
  /** Result of an SRV lookup: no name server answered, or too many lookups are in progress. */
  | { kind: 'failed'; reason: string };

interface Cached<T> {
  value: Promise<T>;
  expiresAt: number;
}

/** Result of a lookup. `isCertain`: true if a name server gave a valid answer. The cache keeps such results longer. */
interface LookedUp<T> {
  value: T;
  isCertain: boolean;
}

const KEEP_MS = 60_000;
const KEEP_UNCERTAIN_MS = 5_000;
const MAX_CACHED = 50_000;
/** Maximum number of lookups in progress. A lookup beyond this limit fails; the caller can repeat it later. */
const MAX_IN_FLIGHT = 2_000;
const TIMEOUT_MS = 2_000;
/** Errors of Node that say: the name, or a record of the requested type, does not exist. */
const NO_DATA = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
/**
 * Errors of Node that say: a name server answered, but could not say whether the record exists. Some name servers
 * answer every SRV query with such an error. gsq then assumes that there is no record, unless it found one earlier.
 */
const NO_HELP = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR', 'EBADRESP']);
const TOO_MANY = 'too many look-ups';

/**
 * Resolves host names by querying name servers directly, without the hosts file and the thread pool. Concurrent lookups
 * of the same name share one query. Names that end in `localhost` or `invalid` need no query (RFC 6761).
 */
export class Resolver {
  readonly #dns: DnsResolver;
  readonly #now: Now;
  readonly #addresses = new Map<string, Cached<LookedUp<Resolution>>>();
  #inFlight = 0;
  readonly #services = new Map<string, Cached<LookedUp<Service>>>();

  /**
   * `servers`: the name servers, each `ip` or `ip:port`. An empty list means the name servers of the system. Throws
   * ConfigError if an entry is not valid.
   */
  constructor(servers: readonly string[], now: Now) {
    this.#dns = new DnsResolver({ timeout: TIMEOUT_MS, tries: 2 });
    try {
      if (servers.length > 0) this.#dns.setServers(servers);
    } catch {
      throw new ConfigError(
        `GSQ_DNS_SERVERS: "${servers.join(',')}" is not understood; write ip or ip:port, comma-separated`,
      );
    }
    this.#now = now;
  }

  /** Resolves a host name to its IP addresses. Never rejects. */
  async resolve(name: string): Promise<Resolution> {
    const { value } = await this.#cachedLookup(this.#addresses, name, () => this.#resolve(name));
    return value;
  }

  /**
   * Looks up the SRV records of a name. Resolves to the target with the lowest priority number and then the highest
   * weight. If the lookup fails, resolves to the last known result for this name, because a game server must not be
   * queried at a wrong port. Never rejects.
   */
  async service(name: string): Promise<Service> {
    const known = this.#services.get(name)?.value;
    const { value } = await this.#cachedLookup(this.#services, name, () => this.#service(name, known));
    return value;
  }

  #cachedLookup<T>(
    cache: Map<string, Cached<LookedUp<T>>>,
    name: string,
    lookUp: () => Promise<LookedUp<T>>,
  ): Promise<LookedUp<T>> {
    const now = this.#now();
    const known = cache.get(name);
    // If a cached DNS result expires more than KEEP_MS from now, the clock was set back after the lookup. Ignores such
    // a result.
    if (known && known.expiresAt > now && known.expiresAt <= now + KEEP_MS) return known.value;
    const entry = { value: lookUp(), expiresAt: now + KEEP_MS };
    entry.value.then(({ isCertain }) => {
      if (!isCertain) entry.expiresAt = this.#now() + KEEP_UNCERTAIN_MS;
    });
    cache.delete(name);
    cache.set(name, entry);
    if (cache.size > MAX_CACHED) {
      const oldest = cache.keys().next();
      if (!oldest.done) cache.delete(oldest.value);
    }
    return entry.value;
  }

  async #resolve(name: string): Promise<LookedUp<Resolution>> {
    const last = name.slice(name.lastIndexOf('.') + 1);
    if (last === 'localhost') return certain({ kind: 'addresses', addresses: ['127.0.0.1', '::1'] });
    // A name with a null byte does not exist in DNS, and Node must not look it up: some releases throw for such a name,
    // and others ignore the part after the null byte.
    if (last === 'invalid' || name.includes('\0')) return certain({ kind: 'absent' });
    if (this.#inFlight >= MAX_IN_FLIGHT) return uncertain({ kind: 'failed', reason: TOO_MANY });
    this.#inFlight++;
    const answers = await Promise.allSettled([this.#dns.resolve4(name), this.#dns.resolve6(name)]);
    this.#inFlight--;
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return certain({ kind: 'addresses', addresses });
    for (const answer of answers) {
      if (answer.status === 'rejected' && !NO_DATA.has(errorCode(answer.reason))) {
        return uncertain({ kind: 'failed', reason: errorCode(answer.reason) });
      }
    }
    return certain({ kind: 'absent' });
  }

  /** `known`: the result of the last lookup of this name. */
  async #service(name: string, known?: Promise<LookedUp<Service>>): Promise<LookedUp<Service>> {
    if (/(^|\.)(localhost|invalid)$/.test(name) || name.includes('\0')) return certain({ kind: 'absent' });
    const found = await this.#serviceNow(name);
    const earlier = await known;
    if (found.isCertain || !earlier || earlier.value.kind === 'failed') return found;
    return uncertain(earlier.value);
  }

  async #serviceNow(name: string): Promise<LookedUp<Service>> {
    if (this.#inFlight >= MAX_IN_FLIGHT) return uncertain({ kind: 'failed', reason: TOO_MANY });
    this.#inFlight++;
    try {
      const records = await this.#dns.resolveSrv(name);
      records.sort((a, b) => a.priority - b.priority || b.weight - a.weight);
      const [first] = records;
      if (!first || first.name === '') return certain({ kind: 'absent' });
      return certain({ kind: 'target', host: first.name.toLowerCase(), port: first.port });
    } catch (error) {
      const reason = errorCode(error);
      if (NO_DATA.has(reason)) return certain({ kind: 'absent' });
      return uncertain(NO_HELP.has(reason) ? { kind: 'absent' } : { kind: 'failed', reason });
    } finally {
      this.#inFlight--;
    }
  }
}

const certain = <T>(value: T): LookedUp<T> => ({ value, isCertain: true });

const uncertain = <T>(value: T): LookedUp<T> => ({ value, isCertain: false });

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
