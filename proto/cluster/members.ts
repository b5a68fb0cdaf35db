import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { Logger } from '../../runtime/log.ts';
import { type ChannelSecurity, clients, internalMetadata } from '../clients.ts';
import type { WatchMembersResponse__Output } from '../generated/gsq/v1/WatchMembersResponse.ts';

/** Time limits and waiting times of `Members` when it gets the list of cores from a core, in milliseconds. */
export interface MemberTimes {
  /** Longest time for a core to send its first list of cores. After this time, `Members` asks the next core. */
  firstListMs: number;
  /**
   * Shortest and longest backoff before `Members` asks the next core for the list of cores. Each core that sends no
   * list doubles the backoff. The actual wait is 50 to 100 % of the backoff (jitter).
   */
  minBackoffMs: number;
  maxBackoffMs: number;
  /**
   * Time to wait after a core refused to send the list of cores, for example because the core is older than this
   * process.
   */
  refusedMs: number;
}

/** Options of `Members`, the list of the cores of a cluster. */
export interface MembersOptions {
  /** The configured address of the cores, `host:port`. The host name may resolve to the addresses of several cores. */
  address: string;
  secret: string;
  security: (address: string) => ChannelSecurity;
  log: Logger;
  times?: Partial<MemberTimes>;
}

const TIMES: MemberTimes = { firstListMs: 3_000, minBackoffMs: 100, maxBackoffMs: 2_000, refusedMs: 5_000 };
/**
 * gRPC statuses with which a core refuses to send the list of cores. A new attempt shortly afterwards would be refused
 * too.
 */
const REFUSALS: ReadonlySet<status> = new Set([
  status.UNIMPLEMENTED,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
]);
/**
 * gRPC load balancing: if a host name resolves to several cores, connects to them in random order, so that not all
 * clients ask the same core.
 */
const SHUFFLED = JSON.stringify({ loadBalancingConfig: [{ pick_first: { shuffleAddressList: true } }] });

/**
 * Keeps the list of the cores of a cluster. One core sends the list (WatchMembers); if this core fails, the next core
 * is asked. Without a cluster, the list contains only the configured address.
 */
export class Members {
  readonly #options: MembersOptions;
  readonly #times: MemberTimes;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  #addresses: readonly string[];
  readonly #over: Promise<void>;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#addresses = [options.address];
    this.#over = this.#run();
  }

  /** Addresses of the internal ports of all cores, `host:port`, sorted and without duplicates; never empty. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** Calls `listener` after each change of `addresses`. Returns a function that removes the listener. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stops the updates of the list: ends the call to the core that sends the list of cores. Resolves when the call has
   * ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#over;
  }

  async #run(): Promise<void> {
    const { minBackoffMs, maxBackoffMs, refusedMs } = this.#times;
    const { signal } = this.#closing;
    let address = this.#options.address;
    let backoff = minBackoffMs;
    while (!signal.aborted) {
      const { code, isAnswered } = await this.#follow(address);
      if (signal.aborted) return;
      this.#options.log.debug({ core: address, code: status[code] }, 'the list of the cores ended');
      // A core that does not support the method WatchMembers is too old for a cluster. So this core is the only one,
      // and the list contains only the configured address.
      if (code === status.UNIMPLEMENTED) this.#setAddresses([]);
      backoff = isAnswered ? minBackoffMs : Math.min(backoff * 2, maxBackoffMs);
      address = this.#nextAfter(address);
      const wait = REFUSALS.has(code) ? refusedMs : backoff * (0.5 + Math.random() / 2);
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Returns the address of the next core to ask. `address`: the core that was asked last. Candidates are the configured
   * address and all known cores.
   */
  #nextAfter(address: string): string {
    const candidates = [...new Set([this.#options.address, ...this.#addresses])];
    return candidates[(candidates.indexOf(address) + 1) % candidates.length] ?? this.#options.address;
  }

  /**
   * Asks one core for the list of cores, and stores each list that the core sends. Resolves when the call has ended.
   */
  #follow(address: string): Promise<{ code: status; isAnswered: boolean }> {
    const { secret, security } = this.#options;
    const { credentials, options } = security(address);
    const client = clients.cluster(address, {
      credentials,
      options: { ...options, 'grpc.service_config': SHUFFLED },
    });
    const call = client.watchMembers({}, internalMetadata(secret));
    const cancel = (): void => call.cancel();
    this.#closing.signal.addEventListener('abort', cancel);
    const limit = setTimeout(cancel, this.#times.firstListMs);
    let isAnswered = false;
    return new Promise(resolve => {
      call.on('data', ({ members }: WatchMembersResponse__Output) => {
        isAnswered = true;
        clearTimeout(limit);
        this.#setAddresses(members.map(({ address }) => address));
      });
      // Without a listener for `error`, Node would throw the error of a failed call. The listener for `status` handles
      // failed calls.
      call.on('error', () => {});
      call.on('status', ({ code }) => {
        clearTimeout(limit);
        this.#closing.signal.removeEventListener('abort', cancel);
        client.close();
        resolve({ code, isAnswered });
      });
    });
  }

  #setAddresses(listed: readonly string[]): void {
    const given = listed.length > 0 ? listed : [this.#options.address];
    const addresses = [...new Set(given)].sort();
    if (addresses.join() === this.#addresses.join()) return;
    this.#addresses = addresses;
    this.#options.log.info({ cores: addresses }, 'the cores of the cluster changed');
    for (const listener of this.#listeners) listener();
  }
}
