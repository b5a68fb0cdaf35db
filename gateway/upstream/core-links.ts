import type { ChannelSecurity } from '../../proto/clients.ts';
import type { Members } from '../../proto/cluster/members.ts';
import type { OutgoingFetchCall } from '../../proto/generated/codec/fetch.ts';
import { CoreLink } from './core-link.ts';
import type { CallHolder, CoreLinkOptions } from './core-link-options.ts';
import { CoreSet } from './core-set.ts';
import type { CallOutcome, PendingCall } from './pending-call.ts';
import { placementKey } from './rendezvous.ts';

/** Options of `CoreLinks`. The connection (link) to each core gets these options. */
export interface CoreLinksOptions extends Omit<CoreLinkOptions, 'address' | 'security' | 'siblings'> {
  members: Pick<Members, 'addresses' | 'watch'>;
  security: (address: string) => ChannelSecurity;
  /**
   * Time for which the gateway waits for the results of calls to a core that has left the cluster, in milliseconds.
   * Calls that have no result after this time fail.
   */
  leaveMs: number;
}

/**
 * The links (connections) from the gateway to all cores. `CoreSet` chooses one core for each caller. If the chosen core
 * does not respond, its calls go to another core. Calls wait only if no core responds.
 */
export class CoreLinks {
  readonly #options: CoreLinksOptions;
  readonly #cores: CoreSet;
  readonly #links = new Map<string, CoreLink>();
  /**
   * Links (connections) to cores that have left the cluster. The gateway closes them as soon as it is connected to a
   * core that is still in the cluster.
   */
  readonly #leaving = new Set<CoreLink>();
  /** Links (connections) that are being closed, because their cores have left the cluster. */
  readonly #closing = new Map<CoreLink, Promise<void>>();
  /** The link (connection) to the only core. Undefined if there are links to several cores. */
  #only: CoreLink | undefined;
  /**
   * Number of calls that were refused by links (connections to cores) that are now closed. `refusals` includes this
   * number.
   */
  #pastRefusals = 0;
  #parksNothing = false;
  readonly #unwatch: () => void;

  constructor(options: CoreLinksOptions) {
    this.#options = options;
    const { members } = options;
    const [first = ''] = members.addresses;
    this.#cores = new CoreSet(first, address => this.#links.get(address)?.checkCore());
    this.#unwatch = members.watch(() => this.#followMembers());
    this.#followMembers();
  }

  /** The cores of the cluster, and whether each core responds. */
  get cores(): CoreSet {
    return this.#cores;
  }

  /** True if at least one core is connected and responds. */
  get connected(): boolean {
    return [...this.#links.values(), ...this.#leaving].some(({ connected }) => connected);
  }

  /** Number of calls that have no result yet, for all cores together. */
  get inFlight(): number {
    return this.#all().reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  /** Number of calls that the gateway has refused so far, for all cores together. */
  get refusals(): number {
    return this.#all().reduce((sum, { refusals }) => sum + refusals, this.#pastRefusals);
  }

  /** Sends one call, like `CoreLink.sendCall`, to the core that `CoreSet` chooses for the caller. */
  sendCall(call: OutgoingFetchCall, timeoutMs: number, outcome: CallOutcome, waitsForProbe = false): void {
    const link = this.#only ?? this.#linkFor(call.credentials?.token ?? '', call.caller?.address ?? '');
    link.sendCall(call, timeoutMs, outcome, waitsForProbe);
  }

  /** Ends the waiting (parking) of calls: from now on, each call fails immediately if no core responds. */
  stopParking(): void {
    this.#parksNothing = true;
    for (const link of this.#all()) link.stopParking();
  }

  /**
   * Refuses new calls, waits at most `limitMs` for the results of earlier calls, and closes the links (connections) to
   * all cores.
   */
  async close(limitMs?: number): Promise<void> {
    this.#unwatch();
    const links = [...this.#links.values(), ...this.#leaving];
    await Promise.all([...links.map(link => link.close(limitMs)), ...this.#closing.values()]);
  }

  #all(): CoreLink[] {
    return [...this.#links.values(), ...this.#leaving, ...this.#closing.keys()];
  }

  #followMembers(): void {
    const addresses = new Set(this.#options.members.addresses);
    for (const [address, link] of this.#links) {
      if (addresses.has(address)) continue;
      this.#links.delete(address);
      this.#leaving.add(link);
    }
    for (const address of addresses) {
      if (!this.#links.has(address)) this.#links.set(address, this.#openLink(address));
    }
    this.#refresh();
  }

  #openLink(address: string): CoreLink {
    const { members, security, leaveMs, ...options } = this.#options;
    const link = new CoreLink({
      ...options,
      address,
      security: security(address),
      siblings: {
        onChange: () => this.#refresh(),
        heirOf: (call, from) => this.#heirOf(call, from),
      },
    });
    if (this.#parksNothing) link.stopParking();
    return link;
  }

  /** Tells the `CoreSet` which cores respond, and moves calls away from the cores that do not respond. */
  #refresh(): void {
    const links = [...this.#links];
    const isConnected = links.some(([, { connected }]) => connected);
    this.#cores.update(links.map(([address, link]) => ({ address, responds: !link.isLost })));
    if (isConnected) for (const link of this.#leaving) this.#closeLeaving(link);
    this.#only = links.length === 1 && this.#leaving.size === 0 ? links[0]?.[1] : undefined;
    if (isConnected) for (const [, link] of links) if (link.isLost) link.moveCalls();
  }

  #closeLeaving(link: CoreLink): void {
    this.#leaving.delete(link);
    const closed = link.close(this.#options.leaveMs).then(() => {
      this.#pastRefusals += link.refusals;
      this.#closing.delete(link);
    });
    this.#closing.set(link, closed);
  }

  #linkFor(token: string, address: string): CoreLink {
    const link = this.#links.get(this.#cores.pickCore(placementKey(token, address)));
    if (link && !link.isLost) return link;
    const links = [...this.#leaving].filter(({ connected }) => connected);
    if (link) links.push(link);
    links.push(...this.#links.values());
    const found = links.find(({ parks }) => parks) ?? links[0];
    if (!found) throw new Error('a gateway always has a link to a core');
    return found;
  }

  /**
   * Returns the link (connection) that takes over a call from the link `from`, because the core of `from` does not
   * respond. Returns undefined if no other core responds. The call then stays at the link `from`, and waits.
   */
  #heirOf({ caller }: PendingCall, from: CallHolder): CoreLink | undefined {
    const heir = this.#links.get(this.#cores.pickCore(placementKey('', caller)));
    if (heir === from || !heir) return undefined;
    // A call moves to the connection `heir` if the core of `heir` responds. If the connection `from` is being closed,
    // its calls move in any case, because its core has left the cluster.
    return heir.connected || [...this.#closing.keys()].some(link => link === from) ? heir : undefined;
  }
}
