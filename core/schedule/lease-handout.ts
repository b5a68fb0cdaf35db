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
 * Delay until the core tries again to give a due server to a prober, ms. Used if the only prober that may probe the
 * server cannot accept a lease at the moment.
 */
const BUSY_MS = 250;
/**
 * Interval at which a prober whose internet connection is down gets one server to probe, ms. The prober gets it even if
 * another prober can probe the server. Without such tests, nothing would show that the connection works again.
 */
const TEST_MS = 60_000;

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
 * Sends leases to probers. All servers of a network go to the same prober, and so do all servers of a public server
 * list. The reason is that each prober applies rate limits on its own.
 */
export class LeaseHandout {
  readonly #dependencies: LeaseHandoutDependencies;
  readonly #sessions: ProberSessions;
  readonly #directories: DirectoryOwners<ProberSession>;
  readonly networks = new ServerNetworks();
  #probers = new PlacedProbers([]);
  readonly recentLag = new RecentLag();
  /** Called for each lease with its delay: the time from the due time of the server until the lease, in seconds. */
  onLag: (seconds: number) => void = () => {};

  constructor(dependencies: LeaseHandoutDependencies, sessions: ProberSessions) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    this.#directories = new DirectoryOwners(dependencies.now());
  }

  /**
   * Releases the public server lists that belong to a prober session. Only one session at a time sends requests to a
   * list. After the release, the core can assign the lists to other sessions. Call this method when the session has
   * ended.
   */
  endSession(session: ProberSession): void {
    this.#directories.end(session, this.#dependencies.now());
  }

  /**
   * Sends leases, each to the prober that must probe the server. If it does not matter which prober probes the server,
   * `session` gets the lease. Therefore `session` must have room for all leases. Postpones leases that cannot be sent
   * now. Returns false if a prober reads its leases too slowly.
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
      const prober = this.#proberOf(lease.server.address, game, session, now);
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
   * Returns how long the due servers of a game must wait before the core gives them to a prober, ms. Returns 0 if they
   * need not wait. They must wait if the catalog does not contain the game any more. They must also wait if the public
   * server list of the game cannot be assigned to a prober yet.
   */
  #waitMs(game: CatalogGame | undefined, now: number): number {
    if (!game) return againAt(now, this.#dependencies.probeIntervalMs) - now;
    if (game.directory === undefined) return 0;
    const owner = this.#probers.ofDirectory(game.directory);
    return owner ? this.#directories.claim(owner, game.directory, now) : 0;
  }

  /** Returns the prober that must probe a server, or undefined if it cannot accept a lease at the moment. */
  #proberOf(
    address: string,
    { directory }: CatalogGame,
    session: ProberSession,
    now: number,
  ): ProberSession | undefined {
    if (this.#probers.isAlone) return session;
    if (directory !== undefined) return this.#withRoom(this.#probers.ofDirectory(directory));
    const network = this.networks.find(address);
    if (network === undefined) return session;
    const tested = this.#withRoom(this.#probers.cutOffFrom(network));
    if (tested && Math.abs(now - tested.testedAt) >= TEST_MS) {
      tested.testedAt = now;
      return tested;
    }
    // Prefers a prober whose network connection works. If this prober cannot accept the lease, a prober whose
    // connection is down gets the lease.
    return (
      this.#withRoom(this.#probers.ofNetwork(network)) ??
      this.#withRoom(this.#probers.ofNetwork(network, true))
    );
  }

  #withRoom(prober: ProberSession | undefined): ProberSession | undefined {
    return prober && this.#sessions.isConnected(prober) && freeCapacity(prober) > 0 ? prober : undefined;
  }
}
