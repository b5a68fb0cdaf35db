import type { CatalogGame } from '../../proto/catalog.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { againAt } from '../servers/probe-interval.ts';
import { putOff } from '../servers/record-status.ts';
import type { Lease, ServerStore } from '../servers/server-store.ts';
import { DirectoryOwners } from './directory-owner.ts';
import { type AccessLookup, planLease } from './lease-plan.ts';
import { PlacedProbers, ServerNetworks } from './placement.ts';
import { freeCapacity, type ProberSession } from './prober-session.ts';
import type { ProberSessions } from './prober-sessions.ts';
import { RecentLag } from './recent-lag.ts';
import type { ReportRecorder } from './report-recorder.ts';

/**
 * Delay until the next try to lease a server (give it to a prober for a probe), ms. Used if the only prober that may
 * probe the server cannot accept a lease at the moment.
 */
const BUSY_MS = 250;

/** What `LeaseHandout` needs to send leases (orders to probe a server) to probers. */
export interface LeaseHandoutDependencies {
  store: ServerStore;
  catalog: { current(): CatalogSnapshot };
  /** Secrets and options that the operator set for servers. */
  credentials?: AccessLookup;
  recorder: ReportRecorder;
  now: () => number;
  probeIntervalMs: number;
}

/**
 * Sends leases to probers. All servers of one network (IPv4 /24 or IPv6 /48) go to one prober, because the rate limits
 * for an IP address and for a network are counted in each prober. For the same reason, only one prober at a time sends
 * requests to a public server list, and gets all servers that are probed through the list.
 *
 * If a prober joins or leaves, some networks move to another prober. While the last probes of the previous prober are
 * running, these networks can get packets from two probers.
 */
export class LeaseHandout {
  readonly #dependencies: LeaseHandoutDependencies;
  readonly #sessions: ProberSessions;
  readonly #directories: DirectoryOwners<ProberSession>;
  readonly networks = new ServerNetworks();
  #probers = new PlacedProbers([]);
  readonly recentLag = new RecentLag();
  /**
   * Called for each lease (the order to probe a server) with its delay: the time from the due time of the server until
   * the lease, in seconds.
   */
  onLag: (seconds: number) => void = () => {};

  constructor(dependencies: LeaseHandoutDependencies, sessions: ProberSessions) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    this.#directories = new DirectoryOwners(dependencies.now());
  }

  /**
   * Releases the public server lists to which only this prober session sent requests. The core can then assign these
   * lists to other sessions. Call this method when the session has ended.
   */
  endSession(session: ProberSession): void {
    this.#directories.end(session, this.#dependencies.now());
  }

  /**
   * Sends each lease (the order to probe one server) to the prober that may probe this server. If every prober may
   * probe the server, sends the lease to the prober of `session`. This prober must have free capacity for all leases.
   * Returns false if a prober that got leases cannot accept more at the moment.
   */
  sendLeases(leases: readonly Lease[], session: ProberSession): boolean {
    const { store, recorder, credentials } = this.#dependencies;
    const now = this.#dependencies.now();
    const catalog = this.#dependencies.catalog.current();
    this.#probers = new PlacedProbers(this.#sessions.all());
    const own: LeaseMessage[] = [];
    const others = new Map<ProberSession, LeaseMessage[]>();
    for (const lease of leases) {
      const seconds = Math.max(0, now - lease.server.nextProbeAt) / 1000;
      this.recentLag.note(seconds, now);
      this.onLag(seconds);
      const game = catalog.find(lease.server.gameId);
      const waitMs = this.#waitMs(game, now);
      if (!game || waitMs > 0) {
        const server = store.leased(lease.id);
        if (server) store.apply(lease.id, putOff(server, now + waitMs));
        continue;
      }
      const prober = this.#proberOf(lease.server.address, game, session);
      if (!prober) {
        store.release([lease.id], BUSY_MS);
        continue;
      }
      const plan = planLease(lease, game, recorder.leaseTerms(lease.server, now), credentials);
      if (prober === session) own.push(plan);
      else if (!others.get(prober)?.push(plan)) others.set(prober, [plan]);
      prober.leases.addLease(lease.id, ++prober.given);
    }
    let isFlowing = own.length === 0 || session.stream.send(own);
    for (const [prober, plans] of others) isFlowing = prober.stream.send(plans) && isFlowing;
    return isFlowing;
  }

  /**
   * Returns how long servers of this game must wait before they can be leased (given to a prober for a probe), ms; 0 if
   * they can be leased now. They must wait if the game is no longer in the catalog, or if its public server list may
   * get no requests yet.
   */
  #waitMs(game: CatalogGame | undefined, now: number): number {
    if (!game) return againAt(now, this.#dependencies.probeIntervalMs) - now;
    if (game.directory === undefined) return 0;
    const owner = this.#probers.ofDirectory(game.directory);
    return owner ? this.#directories.claim(owner, game.directory, now) : 0;
  }

  /**
   * Returns the prober that may probe a server now. Returns undefined if this prober cannot accept a lease (order to
   * probe a server) at the moment.
   */
  #proberOf(address: string, { directory }: CatalogGame, session: ProberSession): ProberSession | undefined {
    if (this.#probers.isAlone) return session;
    if (directory !== undefined) return this.#withRoom(this.#probers.ofDirectory(directory));
    const network = this.networks.find(address);
    if (network === undefined) return session;
    // A prober whose network connection is down gets a lease (order to probe a server) only if the other probers cannot
    // accept it.
    return (
      this.#withRoom(this.#probers.ofNetwork(network)) ??
      this.#withRoom(this.#probers.ofNetwork(network, true))
    );
  }

  #withRoom(prober: ProberSession | undefined): ProberSession | undefined {
    return prober && this.#sessions.isConnected(prober) && freeCapacity(prober) > 0 ? prober : undefined;
  }
}
