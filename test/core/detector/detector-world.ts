import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { Uplinks } from '../../../core/detector/uplink.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { isInDoubt, type ServerRecord } from '../../../core/servers/server-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const INTERVAL_MS = 60_000;
const PING_MS = 40;
/** Time in milliseconds for which a prober waits for a reply if the round-trip time of the host is unknown. */
const TIMEOUT_MS = 2_000;

/**
 * Five replies, each with a different player count. If a server always sent the same reply, the core would give the
 * server the label `cached`.
 */
const SAID = [3, 4, 5, 6, 7].map(players => payloadOf({ players }));

/** One change of a server's status: the new status, and the time of the change (Unix ms). */
export interface Found {
  key: string;
  at: number;
  status: 'online' | 'offline';
}

/** Simulates an internet with game servers, and a core that tracks and probes them. The test moves the clock. */
export class DetectorWorld {
  now = Date.UTC(2026, 0, 1);
  detector = new FailureDetector(600_000);
  uplinks = new Uplinks(this.now);
  /** Returns true if the simulated server at this address is running at the time `now`. */
  up: (address: string, now: number) => boolean = () => true;
  /** Returns the share of packets that are lost on the path to the server at this address and back. */
  loss: (address: string) => number = () => 0;
  /** All status changes of simulated servers so far. */
  readonly found: Found[] = [];
  /** Number of probes that the simulated core has sent so far. */
  probes = 0;
  readonly #servers = new Map<string, ServerRecord>();
  #underWay: { at: number; key: string; answered: boolean }[] = [];
  readonly #below = randomNumbers(20_260);

  /** Makes the simulated core track servers with these addresses. */
  add(...addresses: readonly string[]): this {
    for (const address of addresses) {
      const record = newRecord('csgo', address, 'tok_1', this.now, INTERVAL_MS);
      this.#servers.set(record.key, record);
    }
    return this;
  }

  server(address: string): ServerRecord {
    const record = this.#servers.get(`csgo ${address}`);
    if (!record) throw new RangeError(`${address} is not tracked`);
    return record;
  }

  /** Addresses of the simulated servers that the core regards as offline now. */
  get offline(): string[] {
    return [...this.#servers.values()]
      .filter(({ status }) => status === 'offline')
      .map(({ address }) => address);
  }

  /**
   * Returns the seconds from `from` to the last time at which the core gave this server the status offline. NaN if the
   * server never got this status.
   */
  offlineAfter(address: string, from: number): number {
    const found = this.found.findLast(({ key, status }) => key === `csgo ${address}` && status === 'offline');
    return ((found?.at ?? Number.NaN) - from) / 1000;
  }

  /**
   * Simulates a restart of the core. The failure detector and the counts of answered probes start again from zero. The
   * rest of the server records is kept.
   */
  restartCore(): void {
    this.detector = new FailureDetector(600_000);
    this.uplinks = new Uplinks(this.now);
    this.#underWay = [];
    for (const [key, record] of this.#servers)
      this.#servers.set(key, { ...record, history: { ...record.history, answers: 0 } });
  }

  /**
   * Advances the clock by `ms`, and probes every server when it becomes due. The failure detector receives the results
   * of these probes in the order of their times.
   */
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = this.#earliestDue();
      const report = this.#underWay.reduce((a, b) => (b.at < a.at ? b : a), {
        at: Infinity,
        key: '',
        answered: false,
      });
      const at = Math.max(this.now, Math.min(due?.nextProbeAt ?? Infinity, report.at));
      if (at > end) break;
      this.now = at;
      if (report.at <= at) this.#report(report.key, report.answered);
      else if (due) this.#probe(due);
    }
    this.now = end;
  }

  #earliestDue(): ServerRecord | undefined {
    const leased = new Set(this.#underWay.map(({ key }) => key));
    let earliest: ServerRecord | undefined;
    for (const server of this.#servers.values())
      if (!leased.has(server.key) && !(earliest && earliest.nextProbeAt <= server.nextProbeAt))
        earliest = server;
    return earliest;
  }

  #probe(server: ServerRecord): void {
    const { key, address } = server;
    this.probes++;
    const answered = this.up(address, this.now) && this.#below(1e6) >= this.loss(address) * 1e6;
    const wait = answered ? PING_MS : this.detector.timeoutMs(key, address, isInDoubt(server)) || TIMEOUT_MS;
    this.#underWay.push({ at: this.now + wait, key, answered });
  }

  #report(key: string, answered: boolean): void {
    this.#underWay = this.#underWay.filter(each => each.key !== key);
    const server = this.#servers.get(key);
    if (!server) return;
    const next = answered ? this.#answered(server) : this.#silent(server);
    this.#servers.set(key, next);
    const { status } = next;
    if (status !== server.status && status !== 'pending') this.found.push({ key, at: this.now, status });
  }

  #answered(server: ServerRecord): ServerRecord {
    const probe = { sent: 1, lost: 0, ping: PING_MS, address: '' };
    const { uplinkLoss, lostBefore, wakes } = this.detector.recordAnswer(
      this.uplinks,
      server,
      probe,
      this.now,
    );
    for (const key of wakes) this.#hasten(key);
    const payload = SAID[this.probes % SAID.length] ?? payloadOf();
    return onlineRecord(server, this.now, { payload, lostBefore, uplinkLoss });
  }

  #silent(server: ServerRecord): ServerRecord {
    const probe = { challenged: false, heard: false, delisted: false, address: '' };
    const { verdict, witness, ...seen } = this.detector.judgeSilence(this.uplinks, server, probe, this.now);
    if (verdict === 'ignored') return { ...server, nextProbeAt: this.now + INTERVAL_MS };
    this.#hasten(witness);
    return (verdict === 'offline' ? offlineRecord : silentRecord)(server, this.now, seen);
  }

  #hasten(key: string): void {
    const server = this.#servers.get(key);
    if (server && server.nextProbeAt > this.now) this.#servers.set(key, { ...server, nextProbeAt: this.now });
  }
}

/** Returns the addresses of `count` servers that share one IPv4 address. */
export function onHost(address: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${address}:${27_000 + i}`);
}

/** Returns the addresses of `count` servers. Each server is in a different network. */
export function elsewhere(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `5.${i >> 8}.${i & 255}.9:27015`);
}
