import { randomUUID } from 'node:crypto';
import type { CatalogGame } from '../../proto/catalog.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { Lines } from '../detector/line.ts';
import { LeaseNumbers } from '../servers/lease-numbers.ts';
import { againAt } from '../servers/probe-interval.ts';
import { putOff } from '../servers/record-status.ts';
import type { Lease, ServerStore } from '../servers/server-store.ts';
import { DirectoryOwners } from './directory-owner.ts';
import { type AccessLookup, planLease } from './lease-plan.ts';
import { RecentLag } from './recent-lag.ts';
import type { LeaseReport, ReportRecorder } from './report-recorder.ts';

/** Due times are looked at this often. */
const TICK_MS = 50;
/** Leases given to one prober at once: large enough to be cheap, small enough to share work between probers. */
const BATCH = 200;
/** A prober whose stream broke has so long to come back with what it found; then another is given its leases. */
const RETURN_MS = 2_000;
const MAX_BROKEN = 1_000;
/** A server whose directory another prober asks is offered again after this, ms. */
const OWNED_MS = 1_000;

/** One prober, as the dispatcher sees it. */
export interface ProberSession {
  /** Leases it can hold at once. */
  readonly capacity: number;
  /** Hands leases over; false where the prober takes no more for now. */
  send(leases: readonly LeaseMessage[]): boolean;
}

/** How the dispatcher waits. A simulation hands in its own; the core waits by the event loop. */
export interface DispatcherTiming {
  /** Calls `tick` every `ms` milliseconds until the function it returns is called. */
  every(ms: number, tick: () => void): () => void;
  /** Calls once, after what runs now. */
  soon(call: () => void): void;
}

const EVENT_LOOP: DispatcherTiming = {
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  },
  soon: call => void setImmediate(call),
};

export interface DispatcherParts {
  store: ServerStore;
  catalog: { current(): CatalogSnapshot };
  /** What servers are asked with beside their address. */
  credentials?: AccessLookup;
  recorder: ReportRecorder;
  now: () => number;
  timing?: DispatcherTiming;
  probeIntervalMs: number;
  /** Called when failures begin to be ignored (true), and when they count again. */
  onOutage?: (open: boolean) => void;
}

/** What is kept of a prober while it is in session. */
interface Seat {
  /** Its stream, or the last one it had. */
  session: ProberSession;
  /** Names the session to its prober; nobody else can guess it. */
  readonly id: string;
  /** The leases it has not reported, each with how many were given in the session up to it. */
  readonly held: LeaseNumbers;
  given: number;
  /** The newest report message that is recorded. */
  lastSeq: number;
  readonly lines: Lines;
  /** Where its stream broke: until when it may come back. */
  returnsUntil: number;
}

/** What a prober whose stream broke knows of its session. */
export interface Return {
  /** Its session. */
  id: string;
  /** Leases that reached it. */
  leasesReceived: number;
}

/** What a prober is told of its session. */
export interface Seated {
  id: string;
  /** Report messages up to this one are recorded; of a new session none. */
  lastSeq: number;
}

/** Hands due servers to probers and takes their reports: the core's half of road 2. Probers hold leases, never schedules. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #sessions = new Map<ProberSession, Seat>();
  /** Sessions whose stream broke lately, by id. */
  readonly #broken = new Map<string, Seat>();
  readonly #timing: DispatcherTiming;
  readonly #directories: DirectoryOwners<Seat>;
  readonly #stopTicking: () => void;
  #woken = false;
  /** Whose turn it is among the sessions. */
  #turn = 0;
  #unleased = 0;
  readonly #reports = new Map<ProbeOutcome, number>([['PROBE_OUTCOME_ONLINE', 0]]);
  readonly #recentLag = new RecentLag();
  #onLag: (seconds: number) => void = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? EVENT_LOOP;
    this.#directories = new DirectoryOwners(parts.now());
    this.#stopTicking = this.#timing.every(TICK_MS, () => this.#tick());
  }

  get probers(): number {
    return this.#sessions.size;
  }

  /** Whether silence says nothing now, because a prober's own line seems to be out. */
  get outage(): boolean {
    for (const { lines } of this.#sessions.values()) if (lines.areOut) return true;
    return false;
  }

  /** Reports taken so far, by outcome. */
  get reports(): ReadonlyMap<ProbeOutcome, number> {
    return this.#reports;
  }

  /** Reports dropped so far, because their lease had run out or was another prober's. */
  get unleased(): number {
    return this.#unleased;
  }

  /** How late the latest of the leases of the last ten seconds was given, in seconds. */
  get recentLagSeconds(): number {
    return this.#recentLag.worst(this.#parts.now());
  }

  /** From now on `told` hears how late each lease is given, in seconds after its server was due. */
  watchLag(told: (seconds: number) => void): void {
    this.#onLag = told;
  }

  /**
   * Begins a session, or goes on with an earlier one whose stream broke: its leases hold, but for those that never reached
   * the prober. What is unknown here, of an earlier core or gone for too long, begins anew.
   */
  join(session: ProberSession, back?: Return): Seated {
    const seat = (back && this.#seatOf(back.id)) ?? {
      session,
      id: randomUUID(),
      held: new LeaseNumbers(),
      given: 0,
      lastSeq: 0,
      lines: new Lines(this.#parts.now()),
      returnsUntil: 0,
    };
    if (back?.id === seat.id) this.#release(seat, back.leasesReceived);
    seat.session = session;
    this.#sessions.set(session, seat);
    this.wake();
    return seat;
  }

  /** Takes a session from the stream that had it, which may be broken and nobody noticed yet. */
  #seatOf(id: string): Seat | undefined {
    for (const [session, seat] of this.#sessions) {
      if (seat.id !== id) continue;
      this.#sessions.delete(session);
      return seat;
    }
    const seat = this.#broken.get(id);
    this.#broken.delete(id);
    return seat;
  }

  /** Makes the leases that were given after so many others due again. */
  #release({ held }: Seat, after: number): void {
    const lost = [...held.ids()].filter(id => held.get(id) > after);
    for (const id of lost) held.take(id);
    this.#parts.store.release(lost);
  }

  /** Ends a session; what it held is due again at once. */
  leave(session: ProberSession): void {
    const seat = this.#sessions.get(session);
    if (!seat) return;
    this.#sessions.delete(session);
    this.#end(seat);
  }

  /** Keeps a session whose stream broke for a while. */
  lose(session: ProberSession): void {
    const seat = this.#sessions.get(session);
    if (!seat) return;
    this.#sessions.delete(session);
    if (this.#broken.size >= MAX_BROKEN) {
      this.#end(seat);
      return;
    }
    seat.returnsUntil = this.#parts.now() + RETURN_MS;
    this.#broken.set(seat.id, seat);
  }

  #end(seat: Seat): void {
    this.#release(seat, 0);
    this.#directories.end(seat, this.#parts.now());
    if (seat.lines.areOut) this.#parts.onOutage?.(false);
    this.wake();
  }

  /** Looks for due servers now rather than at the next tick. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#timing.soon(() => this.#dispatch());
  }

  /**
   * Records a message of reports of a session: once, however often it comes. A report without a lease of that session is
   * dropped. `seq` numbers the message, and is the next number where it is absent. Returns the number of the newest one
   * that is recorded; undefined where the session is not here.
   */
  report(session: ProberSession, reports: readonly LeaseReport[], seq?: number): number | undefined {
    const { store } = this.#parts;
    const seat = this.#sessions.get(session);
    if (!seat) return undefined;
    if (seq !== undefined && seq <= seat.lastSeq) return seat.lastSeq;
    const now = this.#parts.now();
    seat.lastSeq = seq ?? seat.lastSeq + 1;
    const { lines } = seat;
    const wasOut = lines.areOut;
    for (const report of reports) {
      const server = seat.held.take(report.leaseId) < 0 ? undefined : store.leased(report.leaseId);
      if (!server) {
        this.#unleased++;
        continue;
      }
      this.#reports.set(report.outcome, (this.#reports.get(report.outcome) ?? 0) + 1);
      this.#parts.recorder.record(report, server, lines, now);
    }
    if (lines.areOut !== wasOut) this.#parts.onOutage?.(!wasOut);
    this.wake();
    return seat.lastSeq;
  }

  close(): void {
    this.#stopTicking();
  }

  #tick(): void {
    // Leases that ran out are the store's again; what a prober still says of them is too late. The oldest run out first,
    // and thousands are held: looking at each took 4 % of the core's CPU.
    for (const { held } of this.#sessions.values()) {
      while (held.size > 0 && !this.#parts.store.leased(held.oldest)) held.take(held.oldest);
    }
    const now = this.#parts.now();
    for (const [id, seat] of this.#broken) {
      if (now < seat.returnsUntil && seat.returnsUntil <= now + RETURN_MS) continue;
      this.#broken.delete(id);
      this.#end(seat);
    }
    this.#dispatch();
  }

  /** Which prober asks servers of a directory; undefined if none can ask them now. */
  #directoryAsker(directory: string, seat: Seat, now: number): Seat | undefined {
    const claim = this.#directories.claim(seat, directory, now);
    if (claim.kind === 'granted') return seat;
    if (claim.kind === 'quiet') return undefined;
    const owner = claim.by;
    return this.#sessions.has(owner.session) && roomOf(owner) > 0 ? owner : undefined;
  }

  /** When a server that nobody can ask now is due again. */
  #dueAgainAt(game: CatalogGame | undefined, seat: Seat, now: number): number {
    // A game that the catalog has lost is no fault of the server.
    if (game?.directory === undefined) return againAt(now, this.#parts.probeIntervalMs);
    const claim = this.#directories.claim(seat, game.directory, now);
    return now + (claim.kind === 'quiet' ? claim.ms : OWNED_MS);
  }

  /** The probers, each of them first in turn, so that few due servers are shared too. One whose line is out comes last. */
  #inTurn(): Seat[] {
    const seats = [...this.#sessions.values()];
    if (seats.length === 1) return seats;
    this.#turn = (this.#turn + 1) % Math.max(1, seats.length);
    const turned = [...seats.slice(this.#turn), ...seats.slice(0, this.#turn)];
    return turned.sort((a, b) => Number(a.lines.areOut) - Number(b.lines.areOut));
  }

  #dispatch(): void {
    this.#woken = false;
    for (const seat of this.#inTurn()) {
      const room = Math.min(BATCH, roomOf(seat));
      if (room <= 0) continue;
      const leases = this.#parts.store.leaseDue(room);
      if (leases.length === 0) continue;
      const isFlowing = this.#hand(leases, seat);
      if (isFlowing && leases.length === room) this.wake();
    }
  }

  /** Hands due servers to a prober, but those that another one has to ask to that one. False if one of them takes no more. */
  #hand(leases: readonly Lease[], seat: Seat): boolean {
    const { store, recorder, credentials } = this.#parts;
    const now = this.#parts.now();
    const catalog = this.#parts.catalog.current();
    const own: LeaseMessage[] = [];
    const others = new Map<Seat, LeaseMessage[]>();
    for (const lease of leases) {
      const seconds = Math.max(0, now - lease.server.nextProbeAt) / 1000;
      this.#recentLag.note(seconds, now);
      this.#onLag(seconds);
      const game = catalog.find(lease.server.gameId);
      const asker = game?.directory === undefined ? seat : this.#directoryAsker(game.directory, seat, now);
      if (!game || !asker) {
        const server = store.leased(lease.id);
        if (server) store.apply(lease.id, putOff(server, this.#dueAgainAt(game, seat, now)));
        continue;
      }
      const plan = planLease(lease, game, recorder.leaseTerms(lease.server, now), credentials);
      if (asker === seat) own.push(plan);
      else if (!others.get(asker)?.push(plan)) others.set(asker, [plan]);
      asker.held.add(lease.id, ++asker.given);
    }
    let isFlowing = own.length === 0 || seat.session.send(own);
    for (const [asker, plans] of others) isFlowing = asker.session.send(plans) && isFlowing;
    return isFlowing;
  }
}

/** Leases that a prober can take beside those it holds. */
function roomOf({ session, held }: Seat): number {
  return session.capacity - held.size;
}
