import type { LeaseReport } from '../../core/schedule/lease-report.ts';
import type { ServerRecord, Status } from '../../core/servers/server-record.ts';
import { payloadObject } from '../../proto/codec/payload-object.ts';
import type { SimulatedServer } from './simulated-host.ts';
import { emptyTally, type SetDigest } from './tally.ts';

/** Of a server that has not been told of by the end of a run, this long is too long. */
const LONGEST_VERDICT_MS = 600_000;
const LONGEST_RETURN_MS = 300_000;
/** Told one by one; the rest are counted. */
const MOST_WRONGS = 20;

/** A server that was called offline and was up. Times in ms of the virtual clock. */
export interface Wrong {
  server: string;
  /** Servers on its host. */
  size: number;
  at: number;
  silentSince: number;
  mode: string;
}

interface Watched {
  readonly server: SimulatedServer;
  readonly tally: SetDigest;
  status: Status;
}

/** Compares what the core records of each server with what is true of it. */
export class Judge {
  /** The first of them. */
  readonly wrongs: Wrong[] = [];
  /** By servers on a host. */
  readonly tallies = new Map<number, SetDigest>();
  readonly #intervalMs: number;
  readonly #trace: string;
  readonly #watched = new Map<string, Watched>();

  /** `trace`: every record of the servers whose addresses begin so is printed; empty: none. */
  constructor(intervalMs: number, trace: string) {
    this.#intervalMs = intervalMs;
    this.#trace = trace;
  }

  /** Watches a server that is tracked under a key. */
  watch(key: string, server: SimulatedServer): void {
    const tally = this.#tallyOf(server);
    tally.servers++;
    this.#watched.set(key, { server, tally, status: 'pending' });
  }

  /** A probe of a server has ended. */
  probed(server: SimulatedServer): void {
    this.#tallyOf(server).probes++;
  }

  recorded(report: LeaseReport, before: ServerRecord, after: ServerRecord, now: number): void {
    const watched = this.#watched.get(after.key);
    if (!watched) throw new Error(`${after.key} was not tracked`);
    const { server, tally } = watched;
    watched.status = after.status;
    if (this.#trace !== '' && server.address.startsWith(this.#trace))
      tell(server, report, before, after, now);
    if (after.label === 'rate_limited' && before.label !== 'rate_limited') tally.rateLimited++;
    if (after.status === 'offline' && before.status !== 'offline') this.#calledOffline(watched, now);
    const { returnedAt } = server;
    if (returnedAt !== undefined && after.status === 'online' && mapIn(report) === server.map) {
      tally.returns.push((now - returnedAt) / this.#intervalMs);
      server.returnedAt = undefined;
    }
  }

  #calledOffline({ server, tally }: Watched, now: number): void {
    const silentSince = server.silentSince ?? now;
    if (server.downUntil < silentSince) {
      tally.falseOffline++;
      if (this.wrongs.length < MOST_WRONGS)
        this.wrongs.push({
          server: server.address,
          size: server.host.servers.length,
          at: now,
          silentSince,
          mode: server.mode,
        });
    }
    if (server.endedAt === undefined) return;
    tally.verdicts.push((now - server.endedAt) / this.#intervalMs);
    server.endedAt = undefined;
  }

  /** At the end of a run: what is still not told never will be. */
  close(now: number): void {
    for (const { server, tally, status } of this.#watched.values()) {
      const { endedAt, returnedAt } = server;
      // Of a server that was offline already nobody is told that it went.
      const toBeTold = endedAt !== undefined && status !== 'offline';
      if (toBeTold && now - endedAt > LONGEST_VERDICT_MS) tally.verdicts.push(Number.POSITIVE_INFINITY);
      if (returnedAt !== undefined && now - returnedAt > LONGEST_RETURN_MS)
        tally.returns.push(Number.POSITIVE_INFINITY);
    }
    const hosts = new Set([...this.#watched.values()].map(({ server }) => server.host));
    for (const host of hosts) {
      const [first] = host.servers;
      if (!first) continue;
      const tally = this.#tallyOf(first);
      tally.packets += host.packets;
      tally.hostSeconds += now / 1000;
      tally.mostToAddress = Math.max(tally.mostToAddress, host.rate.most);
      tally.mostToNetwork = Math.max(tally.mostToNetwork, host.network.rate.most);
    }
  }

  #tallyOf({ host }: SimulatedServer): SetDigest {
    const size = host.servers.length;
    const tally = this.tallies.get(size) ?? emptyTally();
    this.tallies.set(size, tally);
    return tally;
  }
}

/** The map that a report tells. */
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
