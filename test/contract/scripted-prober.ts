import type { ClientDuplexStream } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { SessionRequest } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse__Output } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import type { Welcome__Output } from '../../proto/generated/gsq/v1/Welcome.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/** The result that a test prescribes for a probe: a StatusReport without the lease id. */
export type Finding = Omit<StatusReport, 'leaseId'>;

/** Returns the probe result of a server that answered with this number of players. */
export function online(players = 0): Finding {
  const payload = { name: 'A server of the tests', map: 'de_dust2', players, maxplayers: 16, connect: '' };
  return { outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015, payload };
}

/** The probe result of a server that did not answer. */
export const noReply: Finding = { outcome: 'PROBE_OUTCOME_NO_REPLY', detail: 'no reply' };

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
  /** Sequence numbers of the reports that the core acknowledged, in the order of the acknowledgements. */
  readonly acks: number[] = [];
  welcome: Welcome__Output | undefined;
  readonly #stream: ClientDuplexStream<SessionRequest, SessionResponse__Output>;
  readonly #close: () => void;
  readonly #openLeases: Lease__Output[] = [];
  #seq = 0;

  /** Opens the session of the prober (ProbeService.Session) at the internal port of the core. */
  constructor(internal: string, secret = INTERNAL_SECRET) {
    const client = clients.probe(internal);
    this.#close = () => client.close();
    this.#stream = client.session(internalMetadata(secret));
    this.#stream.on('data', message => this.#receive(message));
    // The session fails when the core stops. Tests stop the core on purpose, so the error is ignored.
    this.#stream.on('error', () => {});
    this.#stream.write({ hello: { prober: 'scripted', maxInFlight: 1000 } });
  }

  /**
   * Prescribes the result of all probes of a server. Reports it immediately if the core is already waiting for a result
   * of this server.
   */
  find(gameId: string, address: string, finding: Finding): void {
    this.findings.set(`${gameId} ${address}`, finding);
    this.#reportAll();
  }

  leave(): void {
    this.#stream.cancel();
    this.#close();
  }

  #receive({ welcome, leases, ack }: SessionResponse__Output): void {
    if (welcome) this.welcome = welcome;
    if (ack) this.acks.push(ack.seq);
    this.leases.push(...(leases?.leases ?? []));
    this.#openLeases.push(...(leases?.leases ?? []));
    this.#reportAll();
  }

  #reportAll(): void {
    const reports: StatusReport[] = [];
    for (const lease of this.#openLeases.splice(0)) {
      const finding = this.findings.get(`${lease.gameId} ${lease.host}:${lease.port}`);
      if (finding) reports.push({ ...finding, leaseId: lease.leaseId });
      else this.#openLeases.push(lease);
    }
    if (reports.length > 0) this.#stream.write({ reports: { seq: ++this.#seq, reports } });
  }
}
