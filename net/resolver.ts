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

/** The host and port in an SRV record. */
export interface ServiceTarget {
  host: string;
  port: number;
}

interface Cached<T> {
  value: Promise<T>;
  expiresAt: number;
}

const KEEP_MS = 60_000;
const KEEP_FAILURE_MS = 5_000;
const MAX_CACHED = 50_000;
/**
 * Maximum number of lookups of IP addresses in progress. A lookup beyond this limit fails; the caller can repeat it
 * later. Lookups of SRV records are not limited.
 */
const MAX_IN_FLIGHT = 2_000;
const TIMEOUT_MS = 2_000;
const NO_DATA = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Resolves host names by querying name servers directly, without the hosts file and the thread pool. Concurrent lookups
 * of the same name share one query. Names that end in `localhost` or `invalid` need no query (RFC 6761).
 */
export class Resolver {
  readonly #dns: DnsResolver;
  readonly #now: Now;
  readonly #addresses = new Map<string, Cached<Resolution>>();
  #inFlight = 0;
  readonly #services = new Map<string, Cached<ServiceTarget | null>>();

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
  resolve(name: string): Promise<Resolution> {
    return this.#cachedLookup(
      this.#addresses,
      name,
      () => this.#resolve(name),
      r => r.kind !== 'failed',
    );
  }

  /**
   * Looks up the SRV records of a name. Resolves to the target with the lowest priority number and then the highest
   * weight. Resolves to null if there is no target. Never rejects.
   */
  service(name: string): Promise<ServiceTarget | null> {
    return this.#cachedLookup(
      this.#services,
      name,
      () => this.#service(name),
      () => true,
    );
  }

  #cachedLookup<T>(
    cache: Map<string, Cached<T>>,
    name: string,
    lookUp: () => Promise<T>,
    keeps: (value: T) => boolean,
  ): Promise<T> {
    const now = this.#now();
    const known = cache.get(name);
    // Ignores a cached DNS result that expires more than KEEP_MS from now, because the clock was set back since the
    // lookup.
    if (known && known.expiresAt > now && known.expiresAt <= now + KEEP_MS) return known.value;
    const entry: Cached<T> = { value: lookUp(), expiresAt: now + KEEP_MS };
    entry.value.then(value => {
      if (!keeps(value)) entry.expiresAt = this.#now() + KEEP_FAILURE_MS;
    });
    cache.delete(name);
    cache.set(name, entry);
    if (cache.size > MAX_CACHED) {
      const oldest = cache.keys().next();
      if (!oldest.done) cache.delete(oldest.value);
    }
    return entry.value;
  }

  async #resolve(name: string): Promise<Resolution> {
    const last = name.slice(name.lastIndexOf('.') + 1);
    if (last === 'localhost') return { kind: 'addresses', addresses: ['127.0.0.1', '::1'] };
    // A name with a null byte does not exist in DNS, and Node must not look it up: some releases throw for such a name,
    // and others ignore the part after the null byte.
    if (last === 'invalid' || name.includes('\0')) return { kind: 'absent' };
    if (this.#inFlight >= MAX_IN_FLIGHT) return { kind: 'failed', reason: 'too many look-ups' };
    this.#inFlight++;
    const answers = await Promise.allSettled([this.#dns.resolve4(name), this.#dns.resolve6(name)]);
    this.#inFlight--;
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return { kind: 'addresses', addresses };
    for (const answer of answers) {
      if (answer.status === 'rejected' && !NO_DATA.has(errorCode(answer.reason))) {
        return { kind: 'failed', reason: errorCode(answer.reason) };
      }
    }
    return { kind: 'absent' };
  }

  async #service(name: string): Promise<ServiceTarget | null> {
    if (/(^|\.)(localhost|invalid)$/.test(name) || name.includes('\0')) return null;
    try {
      const records = await this.#dns.resolveSrv(name);
      records.sort((a, b) => a.priority - b.priority || b.weight - a.weight);
      const [first] = records;
      return first && first.name !== '' ? { host: first.name.toLowerCase(), port: first.port } : null;
    } catch {
      // Returns null if there are no SRV records or the query fails. The caller then resolves the host name without
      // SRV.
      return null;
    }
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
