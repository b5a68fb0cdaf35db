import type { ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { interfaceAddresses } from '../net/interface-addresses.ts';
import { TargetPolicy } from '../net/targets.ts';
import type { Hello } from '../proto/generated/gsq/v1/Hello.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceClient } from '../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionRequest } from '../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse__Output } from '../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../proto/generated/gsq/v1/StatusReport.ts';
import type { Welcome__Output } from '../proto/generated/gsq/v1/Welcome.ts';
import { sessionMethod } from '../proto/streams/probe-service.ts';
import type { Logger } from '../runtime/log.ts';

/**
 * Longest time that a probe report waits before it is sent, in ms. Meanwhile, further reports can join the same
 * message.
 */
const GATHER_MS = 20;
/** Number of probe reports in a full message. A full message is sent immediately. */
const GATHER_REPORTS = 100;
/** Time limit for the end of a stream that the prober closes, ms. After this time, the prober cancels the stream. */
const END_LIMIT_MS = 1_000;
const BACKOFF_MS = { first: 100, last: 1_000 };

/**
 * Probes the server of a lease (an order of the core to probe a server), if `policy` allows the address of the server.
 * Calls `probed` exactly once with the report, possibly before this function returns.
 */
export type ProbeLease = (
  lease: Lease__Output,
  policy: TargetPolicy,
  probed: (report: StatusReport) => void,
) => void;

export interface SessionOptions {
  client: ProbeServiceClient;
  metadata: Metadata;
  /** Name of this prober in the log of the core. */
  prober: string;
  maxInFlight: number;
  probe: ProbeLease;
  log: Logger;
}

/** A message with probe reports for the core. The prober keeps the message until the core acknowledges it. */
interface Message {
  seq: number;
  reports: StatusReport[];
}

/**
 * State of the session of a prober with a core. If the stream breaks, the state is kept, and a new stream continues
 * the session. Stored reports need no limit: the core has at most one lease (order to probe) for a server at a time.
 */
class SessionState {
  /** Session id that the core chose; empty before the first Welcome message of the core. */
  readonly session: string;
  readonly #probe: ProbeLease;
  readonly #onReport: () => void;
  /** Number of leases (orders to probe a server) that the prober received in this session. */
  received = 0;
  #gathered: StatusReport[] = [];
  #seq = 0;
  /** Messages that the core has not acknowledged, sorted by sequence number. Their sequence numbers have no gaps. */
  readonly #unacknowledged: Message[] = [];
  /** Number of unacknowledged messages already sent on the current stream. */
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onReport` is called when probe reports must be sent to the core. */
  constructor(session: string, probe: ProbeLease, onReport: () => void) {
    this.session = session;
    this.#probe = probe;
    this.#onReport = onReport;
  }

  run(lease: Lease__Output, policy: TargetPolicy): void {
    this.received++;
    this.#probe(lease, policy, this.#probed);
  }

  readonly #probed = (report: StatusReport): void => {
    this.#gathered.push(report);
    if (this.#gathered.length >= GATHER_REPORTS) this.#onReport();
    else this.#timer ??= setTimeout(this.#onReport, GATHER_MS);
  };

  /** Drops the messages that the core acknowledged: all messages up to the sequence number `seq`. */
  acknowledged(seq: number): void {
    const [oldest] = this.#unacknowledged;
    if (!oldest) return;
    const count = Math.min(Math.max(seq - oldest.seq + 1, 0), this.#unacknowledged.length);
    this.#unacknowledged.splice(0, count);
    this.#sent = Math.max(0, this.#sent - count);
  }

  /** Marks all unacknowledged messages as unsent, so that they are sent again on a new stream. */
  resend(): void {
    this.#sent = 0;
  }

  /**
   * Returns the next message to send to the core. If all messages have been sent, creates a message from the new
   * reports. Returns undefined if there are no new reports either.
   */
  next(): Message | undefined {
    if (this.#sent === this.#unacknowledged.length) this.#close();
    const message = this.#unacknowledged[this.#sent];
    if (message) this.#sent++;
    return message;
  }

  #close(): void {
    this.stop();
    if (this.#gathered.length === 0) return;
    this.#unacknowledged.push({ seq: ++this.#seq, reports: this.#gathered });
    this.#gathered = [];
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** One gRPC stream: the core sends leases (orders to probe), and the prober sends reports. */
class Stream {
  readonly #call: ClientDuplexStream<SessionRequest, SessionResponse__Output>;
  #blocked = false;
  /** Resolves when the stream has ended, with the reason as text. */
  readonly over: Promise<string>;

  constructor({ client, metadata }: SessionOptions, hello: Hello, onMessage: StreamEvents) {
    const { path, serialize, deserialize } = sessionMethod;
    this.#call = client.makeBidiStreamRequest(path, serialize, deserialize, metadata);
    this.#call.write({ hello });
    this.#call.on('drain', () => {
      this.#blocked = false;
      onMessage.drained();
    });
    this.over = new Promise(resolve => {
      this.#call.on('error', error => resolve(error.message));
      this.#call.on('end', () => resolve('ended by the core'));
    });
    this.#call.on('data', onMessage.received);
  }

  /**
   * False while the send buffer of the stream is full (backpressure). `drained` is called when the buffer is empty
   * again.
   */
  get writable(): boolean {
    return !this.#blocked;
  }

  send(reports: Message): void {
    this.#blocked = !this.#call.write({ reports });
  }

  /** Cancels the stream. The core keeps the session for a while, so the prober can resume it on a new stream. */
  cancel(): void {
    this.#call.cancel();
  }

  /**
   * Ends the stream and waits for its end. The core repeats each lease (order to probe a server) for which it got no
   * report.
   */
  async end(): Promise<void> {
    this.#call.end();
    const limit = setTimeout(() => this.#call.cancel(), END_LIMIT_MS);
    await this.over;
    clearTimeout(limit);
  }
}

interface StreamEvents {
  received(message: SessionResponse__Output): void;
  drained(): void;
}

/**
 * The session of a prober with a core. If the stream breaks, the prober reconnects after a short backoff and sends its
 * unacknowledged messages again. If the core has started a new session, the prober drops these messages instead.
 */
export class Session {
  readonly #options: SessionOptions;
  #stream: Stream | undefined;
  #work: SessionState;
  #policy: TargetPolicy | undefined;
  /** True after the core has sent a Welcome message on the current stream. */
  #connected = false;
  #closing = false;
  #maxInFlight: number;
  /** True if the prober itself cancelled the stream, to open a new one with a new maximum number of leases. */
  #isReopening = false;
  #retry: NodeJS.Timeout | undefined;
  #backoffMs = BACKOFF_MS.first;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#maxInFlight = options.maxInFlight;
    this.#work = this.#newWork('');
    this.#open();
  }

  /** True while the prober has an open stream on which the core has sent its Welcome message. */
  get connected(): boolean {
    return this.#connected;
  }

  /**
   * Tells the core how many leases (orders to probe) the prober accepts at a time. Only the first message of a stream
   * can contain this number, so the session continues on a new stream.
   */
  announceCapacity(maxInFlight: number): void {
    if (maxInFlight === this.#maxInFlight) return;
    this.#maxInFlight = maxInFlight;
    if (this.#closing || !this.#stream) return;
    this.#isReopening = true;
    this.#stream.cancel();
  }

  /** Sends the unsent reports to the core, and then ends the stream. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#retry);
    this.#send();
    this.#work.stop();
    await this.#stream?.end();
  }

  #newWork(session: string): SessionState {
    const work = new SessionState(session, this.#options.probe, () => {
      if (work === this.#work) this.#send();
    });
    return work;
  }

  #open(): void {
    const { prober, log } = this.#options;
    const { session, received: leasesReceived } = this.#work;
    const hello = { prober, maxInFlight: this.#maxInFlight, session, leasesReceived, absentCounts: true };
    const stream = new Stream(this.#options, hello, {
      received: message => this.#received(message),
      drained: () => this.#send(),
    });
    this.#stream = stream;
    stream.over.then(why => {
      this.#stream = undefined;
      this.#connected = false;
      if (this.#closing) return;
      if (this.#isReopening) {
        this.#isReopening = false;
        return this.#open();
      }
      log.warn({ why }, 'the session with the core ended, reconnecting');
      this.#retry = setTimeout(() => this.#open(), this.#backoffMs * (0.5 + Math.random() / 2));
      this.#backoffMs = Math.min(this.#backoffMs * 2, BACKOFF_MS.last);
    });
  }

  #received({ welcome, leases, ack }: SessionResponse__Output): void {
    if (welcome) this.#welcomed(welcome);
    if (ack) this.#work.acknowledged(ack.seq);
    if (!leases || !this.#policy || !this.#connected) return;
    for (const lease of leases.leases) this.#work.run(lease, this.#policy);
  }

  #welcomed({ allowTargets, denyTargets, session, lastSeq }: Welcome__Output): void {
    // The core sends the addresses that must not be probed. The prober adds the addresses of its own machine, because
    // a core on a different machine does not know them.
    const refusals = { denied: denyTargets, interfaces: interfaceAddresses() };
    this.#policy = new TargetPolicy(allowTargets, refusals);
    const returned = session !== '' && session === this.#work.session;
    if (returned) {
      this.#work.acknowledged(lastSeq);
      this.#work.resend();
    } else {
      this.#work.stop();
      this.#work = this.#newWork(session);
    }
    this.#connected = true;
    this.#backoffMs = BACKOFF_MS.first;
    this.#options.log.info({ returned }, 'session with the core opened');
    this.#send();
  }

  /**
   * Sends all messages that are ready. While the stream is closed or its send buffer is full, unsent messages stay in
   * `#work`.
   */
  #send(): void {
    while (this.#connected && this.#stream?.writable) {
      const message = this.#work.next();
      if (!message) return;
      this.#stream.send(message);
    }
  }
}
