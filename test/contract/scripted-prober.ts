import type { ClientDuplexStream } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { SessionRequest } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse__Output } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import type { Welcome__Output } from '../../proto/generated/gsq/v1/Welcome.ts';
import { INTERNAL_SECRET } from '../system/stack.ts';

/** What a probe of a lease finds. */
export type Finding = Omit<StatusReport, 'leaseId'>;

/** A server that answers, with as many players as are given. */
export function online(players = 0): Finding {
  const payload = { name: 'A server of the tests', map: 'de_dust2', players, maxplayers: 16, connect: '' };
  return { outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015, payload };
}

/** One that does not. */
export const noReply: Finding = { outcome: 'PROBE_OUTCOME_NO_REPLY', detail: 'no reply' };

/** A prober that speaks ProbeService.Session as the real one does and finds what the test tells it to. */
export class ScriptedProber {
  /** By `game_id address`; what is not in it is still being probed. */
  readonly findings = new Map<string, Finding>();
  readonly leases: Lease__Output[] = [];
  /** Sequence numbers the core acknowledged, in order. */
  readonly acks: number[] = [];
  welcome: Welcome__Output | undefined;
  readonly #stream: ClientDuplexStream<SessionRequest, SessionResponse__Output>;
  readonly #close: () => void;
  readonly #held: Lease__Output[] = [];
  #seq = 0;

  /** Joins the core behind this internal port. */
  constructor(internal: string, secret = INTERNAL_SECRET) {
    const client = clients.probe(internal);
    this.#close = () => client.close();
    this.#stream = client.session(internalMetadata(secret));
    this.#stream.on('data', message => this.#receive(message));
    // A core that goes away ends the session with an error, which is no concern of a test's.
    this.#stream.on('error', () => {});
    this.#stream.write({ hello: { prober: 'scripted', maxInFlight: 1000 } });
  }

  /** From now on probes of this server find this. */
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
    this.#held.push(...(leases?.leases ?? []));
    this.#reportAll();
  }

  #reportAll(): void {
    const reports: StatusReport[] = [];
    for (const lease of this.#held.splice(0)) {
      const finding = this.findings.get(`${lease.gameId} ${lease.host}:${lease.port}`);
      if (finding) reports.push({ ...finding, leaseId: lease.leaseId });
      else this.#held.push(lease);
    }
    if (reports.length > 0) this.#stream.write({ reports: { seq: ++this.#seq, reports } });
  }
}
