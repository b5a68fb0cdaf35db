import assert from 'node:assert/strict';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { Lease } from '../../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceHandlers } from '../../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionRequest__Output } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse } from '../../proto/generated/gsq/v1/SessionResponse.ts';

type Stream = ServerDuplexStream<SessionRequest__Output, SessionResponse>;

/** A fake core that the test controls. The prober under test connects to it with real gRPC. */
export class Core {
  /** If true, the fake core hangs: it does not end a stream after the prober has ended its half of the stream. */
  frozen = false;
  /** Session streams that the prober has opened to the fake core, oldest first. */
  readonly streams: Stream[] = [];
  /** Messages that the prober sent to the fake core on any stream, oldest first. */
  readonly messages: SessionRequest__Output[] = [];
  readonly #watchers: { met: () => boolean; resolve: () => void }[] = [];
  #server = new Server();
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Session stream that the prober opened last. */
  get newest(): Stream {
    const stream = this.streams.at(-1);
    assert.ok(stream);
    return stream;
  }

  /**
   * All received messages with reports, in the order of arrival. For each message: the sequence number, and the lease
   * ids of the reports.
   */
  get reports(): { seq: number; leaseIds: number[] }[] {
    return this.messages.flatMap(({ reports }) =>
      reports ? [{ seq: reports.seq, leaseIds: reports.reports.map(({ leaseId }) => leaseId) }] : [],
    );
  }

  /** Starts the fake core. A second start uses the same port as the first start. */
  async start(): Promise<void> {
    this.#server = new Server();
    const handlers: ProbeServiceHandlers = {
      Session: stream => {
        this.streams.push(stream);
        stream.on('data', (message: SessionRequest__Output) => {
          this.messages.push(message);
          this.#changed();
        });
        stream.on('end', () => {
          if (!this.frozen) stream.end();
        });
        stream.on('error', () => {});
        this.#changed();
      },
    };
    this.#server.addService(gsqV1.ProbeService.service, handlers);
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(this.address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  /** Stops the fake core like a killed process: without ending its streams cleanly. */
  stop(): void {
    this.#server.forceShutdown();
  }

  /** Sends the prober a Welcome message that contains the target policy of the core. */
  welcome(allowTargets: string[] = [], denyTargets: string[] = []): void {
    this.newest.write({ welcome: { allowTargets, denyTargets } });
  }

  /**
   * Sends a Welcome message to the prober. The message contains a session id and the sequence number of the newest
   * message that the core has recorded.
   */
  seat(session: string, lastSeq = 0): void {
    this.newest.write({ welcome: { session, lastSeq } });
  }

  /** Sends the prober an acknowledgement of the message with this sequence number. */
  acknowledge(seq: number): void {
    this.newest.write({ ack: { seq } });
  }

  /** Sends leases with these ids to the prober. All of these leases are orders to probe the same game server. */
  lease(...ids: number[]): void {
    const leases = ids.map((leaseId): Lease => ({ leaseId, host: '1.2.3.4', port: 27015 }));
    this.newest.write({ leases: { leases } });
  }

  /**
   * Resolves as soon as `met` returns true. Calls `met` each time the prober opens a stream, and each time a message
   * from the prober arrives.
   */
  until(met: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#watchers.push({ met, resolve });
      this.#changed();
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) {
      if (watcher.met()) watcher.resolve();
      else this.#watchers.push(watcher);
    }
  }
}
