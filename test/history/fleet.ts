import { OPERATOR } from '../../core/admission/insert-guard.ts';
import type { SealedHour } from '../../core/history/history-store.ts';
import { decodeHour, sealedHour } from '../../core/history/hour-coding.ts';
import { isUnknowable, type ServerRecord } from '../../core/servers/server-record.ts';
import type { Answers } from './answers.ts';
import { type Counts, PATTERNS, type Pattern, probed } from './patterns.ts';
import type { RecordedCore } from './recorded-core.ts';
import { codingFault, type RecordedProbe } from './recorded-probe.ts';
import { ReferenceHistory } from './reference.ts';

const GAME = 'csgo';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Server {
  readonly key: string;
  readonly address: string;
  readonly seed: number;
  readonly pattern: Pattern;
  /**
   * Reference history of the simulated server: all samples of finished hours since the last insertion of the server.
   * Undefined while the server is removed.
   */
  reference: ReferenceHistory | undefined;
  /** The probes of the simulated server in the current hour, which has not ended yet. */
  probes: RecordedProbe[];
  /** Next time at which the simulated server is removed or inserted, Unix ms. */
  changesAt: number;
}

/**
 * Returns the sample that the history must contain for a probe. Returns undefined if the history must contain no sample
 * for this probe. `record`: the server record after the probe.
 */
function recordedProbe(
  record: ServerRecord,
  counts: Counts | undefined,
  at: number,
): RecordedProbe | undefined {
  const { status, reason, intervalMs, lastProbeAt } = record;
  // No sample: the core ignored the failed probe, because the network connection of the prober seemed to be down.
  if (lastProbeAt !== at) return undefined;
  if (counts) return { at, state: 'online', counts, intervalMs };
  // No sample: the server did not answer, but it counts as offline only after several failed probes.
  if (status !== 'offline') return undefined;
  return { at, state: isUnknowable(reason) ? 'unknown' : 'offline', counts, intervalMs };
}

/** The simulated servers. Each server has a reference history: a simple list of all its samples. */
export class Fleet {
  /** One line of text for each hour whose decoded samples differ from the probes of this hour. */
  readonly faults: string[] = [];
  /**
   * Counters of the simulation. `probes`: all probes. `hours`: finished hours of history, summed over all servers.
   * `samples`: samples in these hours.
   */
  readonly counts = { probes: 0, samples: 0, hours: 0 };
  readonly #servers: ReadonlyMap<string, Server>;
  readonly #random: (below: number) => number;
  readonly #bornAt: number;

  /** `bornAt`: start of the simulation, Unix ms. */
  constructor(servers: number, bornAt: number, random: (below: number) => number) {
    this.#random = random;
    this.#bornAt = bornAt;
    this.#servers = new Map(
      Array.from({ length: servers }, (_, seed): [string, Server] => {
        const pattern = PATTERNS[seed % PATTERNS.length] ?? 'steady';
        const address = `9.${seed >> 8}.${seed & 255}.7:27015`;
        const key = `${GAME} ${address}`;
        const changesAt = pattern === 'removed' ? bornAt + random(72 * HOUR) : Number.POSITIVE_INFINITY;
        return [key, { key, address, seed, pattern, reference: undefined, probes: [], changesAt }];
      }),
    );
  }

  /** Inserts all simulated servers. */
  async insertAll(core: RecordedCore, at: number): Promise<void> {
    for (const server of this.#servers.values()) await this.#insert(core, server, at);
  }

  /**
   * Inserts or removes simulated servers whose next change (`changesAt`) is due at the time `at`. A removed server is
   * inserted, and any other server is removed.
   */
  async insertAndRemove(core: RecordedCore, at: number): Promise<void> {
    for (const server of this.#servers.values()) {
      if (server.changesAt > at) continue;
      server.changesAt =
        at + (server.reference ? 10 * MINUTE + this.#random(20 * HOUR) : this.#random(90 * HOUR));
      if (!server.reference) await this.#insert(core, server, at);
      else {
        server.reference = undefined;
        server.probes = [];
        await core.store.remove([server.key]);
      }
    }
  }

  /** Probes all simulated servers whose next probe is due. */
  probeDue(core: RecordedCore, at: number): void {
    const found: [Server, Counts | undefined][] = [];
    core.probeDue(
      key => {
        const server = this.#server(key);
        const { report, counts } = probed(server.pattern, server.seed, at, this.#bornAt);
        found.push([server, counts]);
        return report;
      },
      key => {
        const [server, counts] = found.pop() ?? [];
        const [record] = core.store.getMany([key]);
        const probe = record && recordedProbe(record, counts, at);
        if (server && probe) server.probes.push(probe);
        this.counts.probes++;
      },
    );
  }

  /**
   * Adds the samples of a finished hour to the reference history of the simulated server. Compares these samples with
   * the probes of the server in this hour.
   */
  addHour(key: string, hour: SealedHour): void {
    const server = this.#server(key);
    const decoded = decodeHour(hour);
    this.counts.hours++;
    this.counts.samples += decoded.length;
    server.reference?.add(decoded);
    this.#checkCoding(server, decoded);
    server.probes = [];
  }

  /** Compares gsq's history of each simulated server with the reference history of the server. */
  async compare(core: RecordedCore, answers: Answers, at: number): Promise<void> {
    for (const { key, reference } of this.#servers.values()) {
      const [record] = core.store.getMany([key]);
      if (!record || !reference) continue;
      const { count } = reference;
      if (record.openHour.length > 0) reference.add(decodeHour(sealedHour(record.openHour)));
      await answers.compare(core.reader, record, reference, at);
      reference.truncate(count);
    }
  }

  async #insert(core: RecordedCore, server: Server, at: number): Promise<void> {
    server.reference = new ReferenceHistory(at);
    await core.store.insertIfAbsent([{ gameId: GAME, address: server.address, insertedBy: OPERATOR }]);
  }

  #checkCoding({ key, probes }: Server, decoded: ReturnType<typeof decodeHour>): void {
    const fault = codingFault(probes, decoded);
    if (fault !== undefined) this.faults.push(`${key}: ${fault}`);
  }

  #server(key: string): Server {
    const server = this.#servers.get(key);
    if (!server) throw new Error(`${key} is not a simulated server`);
    return server;
  }
}
