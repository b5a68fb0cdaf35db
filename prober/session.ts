import type { ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceClient } from '../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionRequest } from '../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse__Output } from '../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../proto/generated/gsq/v1/StatusReport.ts';
import { sessionMethod } from '../proto/probe-service.ts';
import { TargetPolicy } from '../proto/targets.ts';
import { interfaceAddresses } from '../runtime/interface-addresses.ts';
import type { Logger } from '../runtime/log.ts';

/** Reports gather this long, or until there are this many, and travel in one message. */
const GATHER_MS = 20;
const GATHER_REPORTS = 100;
/** A core that is frozen does not end its half. */
const END_LIMIT_MS = 1_000;
const BACKOFF_MS = { first: 100, last: 1_000 };

/** Probes one leased server, under the policy of the core. Never rejects. */
export type ProbeLease = (lease: Lease__Output, policy: TargetPolicy) => Promise<StatusReport>;

export interface SessionOptions {
  client: ProbeServiceClient;
  metadata: Metadata;
  /** Name for the core's log. */
  prober: string;
  maxInFlight: number;
  probe: ProbeLease;
  log: Logger;
}

/** One stream to the core: leases come down, reports go up. */
class Stream {
  readonly #call: ClientDuplexStream<SessionRequest, SessionResponse__Output>;
  readonly #probe: ProbeLease;
  #policy: TargetPolicy | undefined;
  #reports: StatusReport[] = [];
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #blocked = false;
  #ended = false;
  /** Resolves, with why, when the stream is over. */
  readonly over: Promise<string>;

  constructor({ client, metadata, prober, maxInFlight, probe }: SessionOptions, onWelcome: () => void) {
    const { path, serialize, deserialize } = sessionMethod;
    this.#call = client.makeBidiStreamRequest(path, serialize, deserialize, metadata);
    this.#probe = probe;
    this.#call.write({ hello: { prober, maxInFlight } });
    this.#call.on('drain', () => {
      this.#blocked = false;
      this.#send();
    });
    this.over = new Promise(resolve => {
      this.#call.on('error', error => resolve(error.message));
      this.#call.on('end', () => resolve('ended by the core'));
    });
    this.over.then(() => {
      this.#ended = true;
      clearTimeout(this.#timer);
    });
    this.#call.on('data', ({ welcome, leases }: SessionResponse__Output) => {
      if (welcome) {
        // Our own addresses: the core may run on another machine.
        const refusals = { denied: welcome.denyTargets, interfaces: interfaceAddresses() };
        this.#policy = new TargetPolicy(welcome.allowTargets, refusals);
        onWelcome();
      }
      if (!leases || !this.#policy) return;
      for (const lease of leases.leases) this.#run(lease, this.#policy);
    });
  }

  async #run(lease: Lease__Output, policy: TargetPolicy): Promise<void> {
    // In two steps: `#reports` is another array after the wait.
    const report = await this.#probe(lease, policy);
    this.#reports.push(report);
    if (this.#reports.length >= GATHER_REPORTS) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  /** While the core does not read, reports wait here; they are at most as many as the leases held. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What a lost stream's leases found out is dropped: the core has given them out again.
    if (this.#ended || this.#blocked || this.#reports.length === 0) return;
    const reports = this.#reports;
    this.#reports = [];
    this.#blocked = !this.#call.write({ reports: { seq: ++this.#seq, reports } });
  }

  /** Sends what is gathered and ends the stream; the core gives out again what was not reported. */
  async end(): Promise<void> {
    this.#send();
    this.#call.end();
    const limit = setTimeout(() => this.#call.cancel(), END_LIMIT_MS);
    await this.over;
    clearTimeout(limit);
  }
}

/** Keeps one stream to the core open, reconnecting with a short jittered backoff. */
export class Session {
  readonly #options: SessionOptions;
  #stream: Stream | undefined;
  #connected = false;
  #closing = false;
  #retry: NodeJS.Timeout | undefined;
  #backoffMs = BACKOFF_MS.first;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#open();
  }

  /** Whether the core has welcomed this prober. */
  get connected(): boolean {
    return this.#connected;
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#retry);
    await this.#stream?.end();
  }

  #open(): void {
    const stream = new Stream(this.#options, () => {
      this.#connected = true;
      this.#backoffMs = BACKOFF_MS.first;
      this.#options.log.info('in session with the core');
    });
    this.#stream = stream;
    stream.over.then(why => {
      this.#stream = undefined;
      this.#connected = false;
      if (this.#closing) return;
      this.#options.log.warn({ why }, 'session with the core is over, reconnecting');
      this.#retry = setTimeout(() => this.#open(), this.#backoffMs * (0.5 + Math.random() / 2));
      this.#backoffMs = Math.min(this.#backoffMs * 2, BACKOFF_MS.last);
    });
  }
}
