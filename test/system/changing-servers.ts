import type { ClientDuplexStream } from '@grpc/grpc-js';
import { clients, insecure, internalMetadata, withKeepaliveTimeout } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { SessionRequest } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import { INTERNAL_SECRET } from './stack-settings.ts';

const TICK_MS = 20;
/** Maximum number of reports in one message from the simulated prober to the core. */
const GATHER_REPORTS = 100;
const MAX_IN_FLIGHT = 2_000;
/**
 * Options of a connection to the core, with a timeout of two minutes. With the default of one second, a busy machine
 * could lose the connection.
 */
export const patientSecurity = withKeepaliveTimeout(insecure, 120_000);
/**
 * Player list of each simulated server. With 20 players, each change has about the size of a real change: 1.5 kB of
 * JSON.
 */
const PLAYER_LIST = Array.from({ length: 20 }, (_, i) => ({
  name: `A player with the number ${i}`,
  score: i,
  time: i,
}));

/**
 * A prober that sends no packets and invents its reports. Each report adds one player to a server, so a client notices
 * a missing change.
 */
export class ChangingServers {
  /** The last reported number of players of each server, keyed by server address. */
  readonly players = new Map<string, number>();
  /** Why the session of the simulated prober with the core ended. Undefined while the session is open. */
  failure: string | undefined;
  /** Number of probe reports that the simulated prober has sent to the core. */
  reports = 0;
  readonly #stream: ClientDuplexStream<SessionRequest, unknown>;
  readonly #close: () => void;
  readonly #leases: Lease__Output[] = [];
  readonly #timer: NodeJS.Timeout;
  #perSecond = Number.POSITIVE_INFINITY;
  #budget = 0;
  #beganAt = performance.now();
  #seq = 0;
  #acknowledged = 0;

  /**
   * Opens a prober session at the internal port of a core. Answers each order to probe a server with an invented
   * report, at the rate that `limit` has set. By default, the rate has no limit.
   */
  constructor(internal: string) {
    const client = clients.probe(internal, patientSecurity);
    const stream = client.session(internalMetadata(INTERNAL_SECRET));
    this.#close = () => client.close();
    stream.on('data', ({ leases, ack }) => {
      for (const lease of leases?.leases ?? []) this.#leases.push(lease);
      if (ack) this.#acknowledged = Number(ack.seq);
    });
    stream.on('error', ({ message }) => {
      this.failure = message;
    });
    stream.write({ hello: { prober: 'changing', maxInFlight: MAX_IN_FLIGHT } });
    this.#stream = stream;
    this.#timer = setInterval(() => this.#report(), TICK_MS);
  }

  /** Limits the number of probe reports that the simulated prober sends per second. 0 stops the reports. */
  limit(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#budget = 0;
    this.#beganAt = performance.now();
  }

  /** True if the core has recorded all probe reports that the simulated prober has sent. */
  get isRecorded(): boolean {
    return this.#acknowledged === this.#seq;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stream.cancel();
    this.#close();
  }

  #report(): void {
    const now = performance.now();
    // A token bucket limits the number of reports per second. Each report takes one token. The bucket gets `#perSecond`
    // tokens in each second, and never holds more tokens than that.
    const earned = this.#perSecond * ((now - this.#beganAt) / 1_000);
    this.#budget = Math.min(this.#budget + earned, this.#perSecond);
    this.#beganAt = now;
    while (this.#leases.length > 0 && this.#budget >= 1) {
      const leases = this.#leases.splice(0, Math.min(GATHER_REPORTS, this.#budget));
      this.#budget -= leases.length;
      this.reports += leases.length;
      const reports = leases.map(lease => this.#reportOf(lease));
      this.#stream.write({ reports: { seq: ++this.#seq, reports } });
    }
  }

  #reportOf({ leaseId, host, port }: Lease__Output) {
    const address = `${host}:${port}`;
    const players = (this.players.get(address) ?? 0) + 1;
    this.players.set(address, players);
    return {
      leaseId,
      outcome: 'PROBE_OUTCOME_ONLINE' as const,
      queryPort: port,
      payload: {
        name: `Server ${address}`,
        map: 'de_dust2',
        players,
        maxplayers: 64,
        connect: '',
        playerList: PLAYER_LIST,
      },
    };
  }
}
