import type { ClientDuplexStream } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { SessionRequest } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse__Output } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import type { Welcome__Output } from '../../proto/generated/gsq/v1/Welcome.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/** The result that a test prescribes for a probe: a StatusReport without the id of the lease (order to probe). */
export type Finding = Omit<StatusReport, 'leaseId'>;

/** Returns the probe result of a server that answered with this number of players. */
export function online(players = 0): Finding {
  const payload = { name: 'A server of the tests', map: 'de_dust2', players, maxplayers: 16, connect: '' };
  return { outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015, payload };
}

/** The probe result of a server that did not answer. */
export const noReply: Finding = { outcome: 'PROBE_OUTCOME_NO_REPLY', detail: 'no reply' };

type Session = ClientDuplexStream<SessionRequest, SessionResponse__Output>;

/**
 * A prober for tests. It uses ProbeService.Session like the real prober, but sends no packets to game servers. It
 * reports the results that the test sets.
 */
export class ScriptedProber {
  /**
   * Results that the test prescribes for probes, keyed by game id and address. If a server has no result here, the
   * prober does not report on it.
   */
  readonly findings = new Map<string, Finding>();
  readonly leases: Lease__Output[] = [];
  /** Sequence numbers of the reports that a core acknowledged, in the order of the acknowledgements. */
  readonly acks: number[] = [];
  welcome: Welcome__Output | undefined;
  readonly #clients: { close(): void }[] = [];
  /**
   * The prober sessions, one with each core, and the sequence number of the newest report that was sent on each
   * session.
   */
  readonly #sessions = new Map<Session, number>();
  readonly #openLeases: { session: Session; lease: Lease__Output }[] = [];

  /** Opens one ProbeService.Session with each core. `internal`: addresses of the internal ports of the cores. */
  constructor(internal: string | readonly string[], secret = INTERNAL_SECRET) {
    for (const address of [internal].flat()) {
      const client = clients.probe(address);
      this.#clients.push(client);
      const session = client.session(internalMetadata(secret));
      this.#sessions.set(session, 0);
      session.on('data', message => this.#receive(session, message));
      // The session fails when the core stops. Tests stop the core on purpose, so the error is ignored.
      session.on('error', () => {});
      session.write({ hello: { prober: 'scripted', maxInFlight: 1000 } });
    }
  }

  /**
   * Sets the result that this prober reports for all probes of a game server. Reports it immediately if a core is
   * already waiting for a result for this server.
   */
  find(gameId: string, address: string, finding: Finding): void {
    this.findings.set(`${gameId} ${address}`, finding);
    this.#reportAll();
  }

  leave(): void {
    for (const session of this.#sessions.keys()) session.cancel();
    for (const client of this.#clients) client.close();
  }

  #receive(session: Session, { welcome, leases, ack }: SessionResponse__Output): void {
    if (welcome) this.welcome = welcome;
    if (ack) this.acks.push(ack.seq);
    for (const lease of leases?.leases ?? []) {
      this.leases.push(lease);
      this.#openLeases.push({ session, lease });
    }
    this.#reportAll();
  }

  #reportAll(): void {
    const reports = new Map<Session, StatusReport[]>();
    for (const open of this.#openLeases.splice(0)) {
      const { session, lease } = open;
      const finding = this.findings.get(`${lease.gameId} ${lease.host}:${lease.port}`);
      if (!finding) {
        this.#openLeases.push(open);
        continue;
      }
      const ofSession = reports.get(session) ?? [];
      reports.set(session, [...ofSession, { ...finding, leaseId: lease.leaseId }]);
    }
    for (const [session, ofSession] of reports) {
      const seq = (this.#sessions.get(session) ?? 0) + 1;
      this.#sessions.set(session, seq);
      session.write({ reports: { seq, reports: ofSession } });
    }
  }
}
