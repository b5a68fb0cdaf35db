import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { TargetPolicy } from '../../net/targets.ts';
import type { ReceivedRequest } from '../../proto/codec/probe-messages.ts';
import type { Hello__Output } from '../../proto/generated/gsq/v1/Hello.ts';
import type { Lease } from '../../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceHandlers } from '../../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionResponse } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Dispatcher, ProberSession } from '../schedule/dispatcher.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

type Stream = ServerDuplexStream<ReceivedRequest, SessionResponse>;

/** Leases one prober may hold, whatever it asks for. */
const MAX_CAPACITY = 100_000;
const MAX_PORT = 65_535;

export interface ProbeServiceParts {
  dispatcher: Dispatcher;
  /** What the operator opened and denied; handed to probers, so that they need no configuration. */
  policy: Pick<TargetPolicy, 'opened' | 'denied'>;
  log: Logger;
  closing: AbortSignal;
}

/** A prober's stream as the dispatcher sees it: takes nothing more while the prober does not read. */
class StreamSession implements ProberSession {
  readonly #stream: Stream;
  readonly #capacity: number;
  #blocked = false;

  /** A count that is absent from a payload is one the server does not tell. */
  readonly absentCounts: boolean;

  constructor(stream: Stream, { maxInFlight, absentCounts }: Hello__Output) {
    this.#stream = stream;
    this.#capacity = Math.min(maxInFlight, MAX_CAPACITY);
    this.absentCounts = absentCounts;
  }

  get capacity(): number {
    return this.#blocked ? 0 : this.#capacity;
  }

  send(leases: readonly Lease[]): boolean {
    const flowing = this.#stream.write({ leases: { leases: [...leases] } });
    if (!flowing) {
      this.#blocked = true;
      this.#stream.once('drain', () => {
        this.#blocked = false;
      });
    }
    return flowing;
  }
}

/** ProbeService: leases down, reports up, each report message acknowledged once it is recorded, and recorded once. */
export function probeService(parts: ProbeServiceParts, handlers: Handlers) {
  const { dispatcher, policy, log, closing } = parts;
  return {
    Session: handlers.bidi(async (stream: Stream) => {
      let session: StreamSession | undefined;
      const join = (hello: Hello__Output): StreamSession => {
        const joined = new StreamSession(stream, hello);
        const back = hello.session === '' ? undefined : { ...hello, id: hello.session };
        const { id, lastSeq } = dispatcher.join(joined, back);
        const targets = { allowTargets: [...policy.opened], denyTargets: [...policy.denied] };
        // Leases follow in a later turn.
        stream.write({ welcome: { ...targets, session: id, lastSeq } });
        const returned = id === back?.id;
        log.info({ prober: hello.prober, capacity: joined.capacity, returned }, 'prober joined');
        return joined;
      };
      stream.on('data', ({ hello, reports }: ReceivedRequest) => {
        if (hello) session ??= join(hello);
        if (!reports || !session) return;
        for (const report of reports.reports) {
          if (report.queryPort > MAX_PORT) report.queryPort = 0;
          if (report.payload && !session.absentCounts) report.payload.fillInCounts();
        }
        const recorded = dispatcher.report(session, reports.reports, reports.seq);
        // Where the session went on with another stream, that one has to bring them.
        if (recorded !== undefined) stream.write({ ack: { seq: recorded } });
      });
      const end = await streamEnd(stream, closing);
      if (!session) return;
      if (end === 'lost') dispatcher.lose(session);
      else dispatcher.leave(session);
      log.info({ probers: dispatcher.probers }, 'prober left');
    }),
  } satisfies ProbeServiceHandlers;
}
