import type { CatalogGame } from '../../proto/catalog.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { againAt } from '../servers/probe-interval.ts';
import { putOff } from '../servers/record-status.ts';
import type { Lease, ServerStore } from '../servers/server-store.ts';
import { DirectoryOwners } from './directory-owner.ts';
import { type AccessLookup, planLease } from './lease-plan.ts';
import { freeCapacity, type ProberSession } from './prober-session.ts';
import type { ProberSessions } from './prober-sessions.ts';
import { RecentLag } from './recent-lag.ts';
import type { ReportRecorder } from './report-recorder.ts';

/**
 * Delay before a server is leased again, ms. Used if the server is probed through a public server list, and the prober
 * that owns this list cannot accept a lease.
 */
const OWNED_MS = 1_000;

/** Dependencies of `LeaseHandout`. */
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
 * Sends leases to probers. Only one prober at a time sends requests to a public server list. This prober gets all
 * leases of servers that are probed through the list.
 */
export class LeaseHandout {
  readonly #dependencies: LeaseHandoutDependencies;
  readonly #sessions: ProberSessions;
  readonly #directories: DirectoryOwners<ProberSession>;
  readonly recentLag = new RecentLag();
  /** Called with the lag of each lease. The lag is the time from the due time of a server to its lease, in seconds. */
  onLag: (seconds: number) => void = () => {};

  constructor(dependencies: LeaseHandoutDependencies, sessions: ProberSessions) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    this.#directories = new DirectoryOwners(dependencies.now());
  }

  /**
   * Releases the public server lists to which only this prober session sent requests. Other sessions can then own these
   * lists. Call this method when the session has ended.
   */
  endSession(session: ProberSession): void {
    this.#directories.end(session, this.#dependencies.now());
  }

  /**
   * Sends leases to the prober of `session`. If a server is probed through a public server list, its lease goes to the
   * prober that owns this list. Returns false if a prober that got a lease accepts no more leases at the moment.
   */
  sendLeases(leases: readonly Lease[], session: ProberSession): boolean {
    const { store, recorder, credentials } = this.#dependencies;
    const now = this.#dependencies.now();
    const catalog = this.#dependencies.catalog.current();
    const own: LeaseMessage[] = [];
    const others = new Map<ProberSession, LeaseMessage[]>();
    for (const lease of leases) {
      const seconds = Math.max(0, now - lease.server.nextProbeAt) / 1000;
      this.recentLag.note(seconds, now);
      this.onLag(seconds);
      const game = catalog.find(lease.server.gameId);
      const prober =
        game?.directory === undefined ? session : this.#directoryProber(game.directory, session, now);
      if (!game || !prober) {
        const server = store.leased(lease.id);
        if (server) store.apply(lease.id, putOff(server, this.#dueAgainAt(game, session, now)));
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
   * Returns the session of the prober that sends the requests to a public server list. Returns undefined if no prober
   * can send requests to the list at the moment.
   */
  #directoryProber(directory: string, session: ProberSession, now: number): ProberSession | undefined {
    const claim = this.#directories.claim(session, directory, now);
    if (claim.kind === 'granted') return session;
    if (claim.kind === 'quiet') return undefined;
    const owner = claim.by;
    return this.#sessions.isConnected(owner) && freeCapacity(owner) > 0 ? owner : undefined;
  }

  /** Returns the time when a server is due again, Unix ms. Used for a server that no prober can query at the moment. */
  #dueAgainAt(game: CatalogGame | undefined, session: ProberSession, now: number): number {
    // The game is no longer in the catalog. The server is due again after a short delay.
    if (game?.directory === undefined) return againAt(now, this.#dependencies.probeIntervalMs);
    const claim = this.#directories.claim(session, game.directory, now);
    return now + (claim.kind === 'quiet' ? claim.ms : OWNED_MS);
  }
}
