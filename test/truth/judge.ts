import type { LeaseReport } from '../../core/schedule/lease-report.ts';
import type { ServerRecord, Status } from '../../core/servers/server-record.ts';
import { payloadObject } from '../../proto/codec/payload-object.ts';
import { type CellCounters, emptyCounters } from './counters.ts';
import type { SimulatedServer } from './simulated-host.ts';

/** Time within which the core must report a stopped or unreachable simulated server offline, in milliseconds. */
const LONGEST_VERDICT_MS = 600_000;
const LONGEST_RETURN_MS = 300_000;
/**
 * Maximum number of false offline reports that `falseOfflines` describes. Further false offline reports are only
 * counted.
 */
const MOST_LISTED = 20;

/** A case in which the core reported a running server offline. Times are in milliseconds of the virtual clock. */
export interface FalseOffline {
  server: string;
  /** Number of game servers on the host of the server that was falsely reported offline. */
  size: number;
  at: number;
  silentSince: number;
  mode: string;
}

interface Watched {
  readonly server: SimulatedServer;
  readonly counters: CellCounters;
  status: Status;
}

/** Compares the status of each server in the core with the true state of the simulated server. */
export class Judge {
  /** The first cases in which the core reported a running server offline, at most MOST_LISTED. */
  readonly falseOfflines: FalseOffline[] = [];
  /** Results of the simulation, keyed by the number of game servers per host. */
  readonly countersBySize = new Map<number, CellCounters>();
  readonly #intervalMs: number;
  readonly #trace: string;
  readonly #watched = new Map<string, Watched>();

  /**
   * `trace`: prefix of server addresses. Prints each recorded probe of a server whose address begins with this prefix.
   * If the prefix is empty, prints nothing.
   */
  constructor(intervalMs: number, trace: string) {
    this.#intervalMs = intervalMs;
    this.#trace = trace;
  }

  /**
   * Starts to compare the status of a server in the core with the true state of the simulated server. `key` identifies
   * the server in the core.
   */
  watch(key: string, server: SimulatedServer): void {
    const counters = this.#countersOf(server);
    counters.servers++;
    this.#watched.set(key, { server, counters, status: 'pending' });
  }

  /** Counts one finished probe of a simulated server. */
  probed(server: SimulatedServer): void {
    this.#countersOf(server).probes++;
  }

  recorded(report: LeaseReport, before: ServerRecord, after: ServerRecord, now: number): void {
    const watched = this.#watched.get(after.key);
    if (!watched) throw new Error(`${after.key} was not tracked`);
    const { server, counters } = watched;
    watched.status = after.status;
    if (this.#trace !== '' && server.address.startsWith(this.#trace))
      tell(server, report, before, after, now);
    if (after.label === 'rate_limited' && before.label !== 'rate_limited') counters.rateLimited++;
    if (after.status === 'offline' && before.status !== 'offline') this.#calledOffline(watched, now);
    const { returnedAt } = server;
    if (returnedAt !== undefined && after.status === 'online' && mapIn(report) === server.map) {
      counters.returns.push((now - returnedAt) / this.#intervalMs);
      server.returnedAt = undefined;
    }
  }

  #calledOffline({ server, counters }: Watched, now: number): void {
    const silentSince = server.silentSince ?? now;
    if (server.downUntil < silentSince) {
      counters.falseOffline++;
      if (this.falseOfflines.length < MOST_LISTED)
        this.falseOfflines.push({
          server: server.address,
          size: server.host.servers.length,
          at: now,
          silentSince,
          mode: server.mode,
        });
    }
    if (server.endedAt === undefined) return;
    counters.verdicts.push((now - server.endedAt) / this.#intervalMs);
    server.endedAt = undefined;
  }

  /**
   * Ends the comparison of the core's statuses with the true states. If the core did not notice the stop or the restart
   * of a server in time, records an infinite delay. Then adds to the results how many packets each host received.
   */
  close(now: number): void {
    for (const { server, counters, status } of this.#watched.values()) {
      const { endedAt, returnedAt } = server;
      // True if the server has stopped, but the core does not show it as offline. If the core showed the server as
      // offline by mistake even before the stop, the value is false: the core then has nothing new to report.
      const isUnreported = endedAt !== undefined && status !== 'offline';
      if (isUnreported && now - endedAt > LONGEST_VERDICT_MS)
        counters.verdicts.push(Number.POSITIVE_INFINITY);
      if (returnedAt !== undefined && now - returnedAt > LONGEST_RETURN_MS)
        counters.returns.push(Number.POSITIVE_INFINITY);
    }
    const hosts = new Set([...this.#watched.values()].map(({ server }) => server.host));
    for (const host of hosts) {
      const [first] = host.servers;
      if (!first) continue;
      const counters = this.#countersOf(first);
      counters.packets += host.packets;
      counters.hostSeconds += now / 1000;
      counters.mostToAddress = Math.max(counters.mostToAddress, host.rate.most);
      counters.mostToNetwork = Math.max(counters.mostToNetwork, host.network.rate.most);
    }
  }

  #countersOf({ host }: SimulatedServer): CellCounters {
    const size = host.servers.length;
    const counters = this.countersBySize.get(size) ?? emptyCounters();
    this.countersBySize.set(size, counters);
    return counters;
  }
}

/** Returns the name of the map in the report of a probe. Returns undefined if the report contains no payload. */
function mapIn({ payload }: LeaseReport): string | undefined {
  return payload ? payloadObject(payload.data()).map : undefined;
}

function tell(
  { address, mode }: SimulatedServer,
  { outcome, signals }: LeaseReport,
  before: ServerRecord,
  after: ServerRecord,
  now: number,
): void {
  const { packetsSent = 0, packetsLost = 0, challenged = false } = signals ?? {};
  const packets = `${packetsSent} sent, ${packetsLost} lost${challenged ? ', challenged' : ''}`;
  const next = `next in ${((after.nextProbeAt - after.lastProbeAt) / 1000).toFixed(1)} s`;
  console.log(
    `${(now / 1000).toFixed(2).padStart(8)} ${address} ${mode}: ${String(outcome).replace('PROBE_OUTCOME_', '')}, ${packets}; ${before.status} -> ${after.status}, ${after.label}, ${next}`,
  );
}
