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

/** Delay before a server is offered again whose directory another prober queries, ms. */
const OWNED_MS = 1_000;

export interface LeaseHandoutDependencies {
  store: ServerStore;
  catalog: { current(): CatalogSnapshot };
  /** Secrets and options of servers, if the operator set any. */
  credentials?: AccessLookup;
  recorder: ReportRecorder;
  now: () => number;
  probeIntervalMs: number;
}

/** Sends leases to probers. Leases of a directory's servers go to the one prober that queries this directory. */
export class LeaseHandout {
  readonly #dependencies: LeaseHandoutDependencies;
  readonly #sessions: ProberSessions;
  readonly #directories: DirectoryOwners<ProberSession>;
  readonly recentLag = new RecentLag();
  /** Called with the lag of each lease: seconds from its server's due time. */
  onLag: (seconds: number) => void = () => {};

  constructor(dependencies: LeaseHandoutDependencies, sessions: ProberSessions) {
    this.#dependencies = dependencies;
    this.#sessions = sessions;
    this.#directories = new DirectoryOwners(dependencies.now());
  }

  /** Frees the directories of a session that has ended. */
  endSession(session: ProberSession): void {
    this.#directories.end(session, this.#dependencies.now());
  }

  /** Sends leases to the prober of a session, or to the owner of their directory. False if a prober takes no more. */
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
      prober.leases.add(lease.id, ++prober.given);
    }
    let isFlowing = own.length === 0 || session.stream.send(own);
    for (const [prober, plans] of others) isFlowing = prober.stream.send(plans) && isFlowing;
    return isFlowing;
  }

  /** The prober that queries a directory; undefined if none can at the moment. */
  #directoryProber(directory: string, session: ProberSession, now: number): ProberSession | undefined {
    const claim = this.#directories.claim(session, directory, now);
    if (claim.kind === 'granted') return session;
    if (claim.kind === 'quiet') return undefined;
    const owner = claim.by;
    return this.#sessions.isConnected(owner) && freeCapacity(owner) > 0 ? owner : undefined;
  }

  /** New due time of a server that no prober can query at the moment. */
  #dueAgainAt(game: CatalogGame | undefined, session: ProberSession, now: number): number {
    // The server's game has left the catalog, or has no directory.
    if (game?.directory === undefined) return againAt(now, this.#dependencies.probeIntervalMs);
    const claim = this.#directories.claim(session, game.directory, now);
    return now + (claim.kind === 'quiet' ? claim.ms : OWNED_MS);
  }
}
