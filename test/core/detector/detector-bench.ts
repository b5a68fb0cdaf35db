import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import type { AnsweredProbe, Judgement, SilentProbe } from '../../../core/detector/judgement.ts';
import { type Uplink, Uplinks } from '../../../core/detector/uplink.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const ADDRESS = '9.9.9.9:27015';
/** Two other servers at the same IP address as the server ADDRESS. */
export const SIBLINGS = ['9.9.9.9:27016', '9.9.9.9:27017'] as const;
export const OTHER = '5.5.5.5:27015';
const start = Date.UTC(2026, 0, 1);
const SILENT: SilentProbe = { challenged: false, heard: false, delisted: false, address: '' };
const ANSWERED: AnsweredProbe = { sent: 1, lost: 0, ping: 40, address: '' };

/**
 * Test fixture: a failure detector with simulated servers. It passes probe results to the detector, and updates the
 * server records as the core does.
 */
export class DetectorBench {
  now = start;
  readonly detector = new FailureDetector(600_000);
  #uplinks = new Uplinks(start);
  readonly #servers = new Map<string, ServerRecord>();

  /** The uplink (internet connection) of the current prober. */
  get uplink(): Uplink {
    return this.#uplinks.uplinkTo({ isLocal: false, isV6: false });
  }

  /**
   * Replaces the simulated prober by a new one with the network connections `uplinks`. Returns the network connections
   * of the old prober.
   */
  join(uplinks = new Uplinks(this.now)): Uplinks {
    const before = this.#uplinks;
    this.#uplinks = uplinks;
    return before;
  }

  server(address = ADDRESS): ServerRecord {
    return this.#servers.get(address) ?? newRecord('csgo', address, 'tok_1', this.now, MINUTE);
  }

  set(server: ServerRecord): void {
    this.#servers.set(server.address, server);
  }

  /** Returns the reply timeout of a prober for this server, in ms. Assumes that the server answered its last probe. */
  timeoutMs(address: string): number {
    return this.detector.timeoutMs(this.server(address).key, address, false);
  }

  answer(address = ADDRESS, change: Partial<AnsweredProbe> = {}) {
    const server = this.server(address);
    const recovery = this.detector.recordAnswer(this.#uplinks, server, { ...ANSWERED, ...change }, this.now);
    this.set(onlineRecord(server, this.now, { sent: change.sent ?? 1, lost: change.lost ?? 0 }));
    return recovery;
  }

  miss(address = ADDRESS, change: Partial<SilentProbe> = {}): Judgement {
    const server = this.server(address);
    const judgement = this.detector.judgeSilence(this.#uplinks, server, { ...SILENT, ...change }, this.now);
    const { verdict, ...rest } = judgement;
    const seen = change.delisted ? { ...rest, reason: 'not_listed' as const } : rest;
    if (verdict !== 'ignored')
      this.set((verdict === 'offline' ? offlineRecord : silentRecord)(server, this.now, seen));
    return judgement;
  }

  /**
   * Lets each server answer once a minute for 20 minutes. Afterwards the detector knows the packet loss of the servers'
   * hosts.
   */
  acquaint(...addresses: readonly string[]): this {
    for (let minute = 0; minute < 20; minute++, this.now += MINUTE)
      for (const each of addresses) this.answer(each);
    return this;
  }

  /**
   * Simulates probes until the server ADDRESS is offline, but for at most `seconds` seconds. Every `every` seconds,
   * OTHER answers a probe and ADDRESS does not. Returns the last judgement about ADDRESS, and the elapsed seconds.
   */
  missFor(seconds: number, change: Partial<SilentProbe> = {}, every = 1): Judgement & { seconds: number } {
    for (let passed = every; ; passed += every) {
      this.answer(OTHER);
      const judgement = this.miss(ADDRESS, change);
      if (judgement.verdict === 'offline' || passed >= seconds) return { ...judgement, seconds: passed };
      this.now += every * SECOND;
    }
  }
}

/**
 * Returns a fixture with the two servers ADDRESS and OTHER, which are in different networks. Both have answered all
 * probes for 20 minutes.
 */
export const known = (): DetectorBench => new DetectorBench().acquaint(ADDRESS, OTHER);
