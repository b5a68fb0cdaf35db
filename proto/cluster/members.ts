import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { Logger } from '../../runtime/log.ts';
import { type ChannelSecurity, clients, internalMetadata } from '../clients.ts';
import type { WatchMembersResponse__Output } from '../generated/gsq/v1/WatchMembersResponse.ts';

/** Time limits of `Members`, in milliseconds. */
export interface MemberTimes {
  /** Longest time for a core to send the first list. After this time, the next core is asked. */
  firstListMs: number;
  /** Shortest and longest wait before the next core is asked. */
  minBackoffMs: number;
  maxBackoffMs: number;
  /** Wait after a core refused the call, for example because it is older than this process. */
  refusedMs: number;
}

/** Options of `Members`. */
export interface MembersOptions {
  /** The configured address, `host:port`. Its name may resolve to several cores. */
  address: string;
  secret: string;
  security: (address: string) => ChannelSecurity;
  log: Logger;
  times?: Partial<MemberTimes>;
}

const TIMES: MemberTimes = { firstListMs: 3_000, minBackoffMs: 100, maxBackoffMs: 2_000, refusedMs: 5_000 };
/** gRPC statuses with which a core refuses the call. Another attempt soon would have the same result. */
const REFUSALS: ReadonlySet<status> = new Set([
  status.UNIMPLEMENTED,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
]);
/** If a name resolves to several cores, connects to them in random order, so that not all clients ask the same core. */
const SHUFFLED = JSON.stringify({ loadBalancingConfig: [{ pick_first: { shuffleAddressList: true } }] });

/**
 * The cores of a cluster, as one of them reports them (WatchMembers). If the asked core dies or freezes, the next one of
 * the list is asked. Keepalive pings notice a frozen core within two seconds. A core without a cluster, or a core that
 * is too old for WatchMembers, is the only member, at the configured address.
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

  /** Calls `listener` after each change of `addresses`. Returns a function that ends this. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the call to the core. Resolves when the call has ended. */
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
      // A core without the method is older than clusters, so it is the only core.
      if (code === status.UNIMPLEMENTED) this.#setAddresses([]);
      backoff = isAnswered ? minBackoffMs : Math.min(backoff * 2, maxBackoffMs);
      address = this.#nextAfter(address);
      const wait = REFUSALS.has(code) ? refusedMs : backoff * (0.5 + Math.random() / 2);
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** Returns the core to ask after the core at `address`. The configured address is one of those that are asked. */
  #nextAfter(address: string): string {
    const candidates = [...new Set([this.#options.address, ...this.#addresses])];
    return candidates[(candidates.indexOf(address) + 1) % candidates.length] ?? this.#options.address;
  }

  /** Asks one core for the list, and takes over each list that it sends. Resolves when the call has ended. */
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
      // Without a listener for `error`, Node would throw the error. The listener for `status` handles the end.
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
