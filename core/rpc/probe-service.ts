import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { TargetPolicy } from '../../net/targets.ts';
import type { SessionRequest } from '../../proto/generated/codec/probe.ts';
import type { Hello__Output } from '../../proto/generated/gsq/v1/Hello.ts';
import type { Lease } from '../../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceHandlers } from '../../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionResponse } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Dispatcher } from '../schedule/dispatcher.ts';
import type { ProberStream } from '../schedule/prober-session.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

type Stream = ServerDuplexStream<SessionRequest, SessionResponse>;

/**
 * Maximum capacity that a prober is allowed to announce. The capacity is the number of leases (orders to probe) that
 * the prober can take.
 */
const MAX_CAPACITY = 100_000;
const MAX_PORT = 65_535;

/** Dependencies of `probeService`. */
export interface ProbeServiceDependencies {
  dispatcher: Dispatcher;
  /**
   * Networks that the operator allowed or forbade to probe. The core sends both lists to probers, so probers do not
   * need these settings.
   */
  policy: Pick<TargetPolicy, 'opened' | 'denied'>;
  log: Logger;
  closing: AbortSignal;
}

/**
 * The gRPC stream of a prober. While the prober reads too slowly, `capacity` is 0, so the core sends no more leases.
 */
class GrpcProberStream implements ProberStream {
  readonly #stream: Stream;
  readonly prober: string;
  readonly announced: number;
  #blocked = false;

  /**
   * True if a missing count in a payload means that the server does not report this count. False for probers of release
   * 0.1.0, because they also omit a count that is 0.
   */
  readonly absentCounts: boolean;

  constructor(stream: Stream, { prober, maxInFlight, absentCounts }: Hello__Output) {
    this.#stream = stream;
    this.prober = prober;
    this.announced = Math.min(maxInFlight, MAX_CAPACITY);
    this.absentCounts = absentCounts;
  }

  get capacity(): number {
    return this.#blocked ? 0 : this.announced;
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

/**
 * Creates the handlers of ProbeService. The service sends leases to probers. It records each message of reports once,
 * and then acknowledges the message.
 */
export function probeService(dependencies: ProbeServiceDependencies, handlers: Handlers) {
  const { dispatcher, policy, log, closing } = dependencies;
  return {
    Session: handlers.bidi(async (stream: Stream) => {
      let session: GrpcProberStream | undefined;
      const join = (hello: Hello__Output): GrpcProberStream => {
        const joined = new GrpcProberStream(stream, hello);
        const back = hello.session === '' ? undefined : { ...hello, id: hello.session };
        const { id, lastSeq } = dispatcher.join(joined, back);
        const targets = { allowTargets: [...policy.opened], denyTargets: [...policy.denied] };
        // The prober must get this welcome message before its first leases. This order is certain, because `join` sends
        // leases only in a later turn of the event loop.
        stream.write({ welcome: { ...targets, session: id, lastSeq } });
        const returned = id === back?.id;
        log.info({ prober: hello.prober, capacity: joined.capacity, returned }, 'prober joined');
        return joined;
      };
      stream.on('data', ({ hello, reports }: SessionRequest) => {
        if (hello) session ??= join(hello);
        if (!reports || !session) return;
        for (const report of reports.reports) {
          if (report.queryPort > MAX_PORT) report.queryPort = 0;
          if (report.payload && !session.absentCounts) report.payload.fillInCounts();
        }
        const recorded = dispatcher.report(session, reports.reports, reports.seq);
        // `report` returns undefined if the prober has opened a newer stream for its session. The prober repeats its
        // reports on the newer stream, so the old stream must not acknowledge these reports.
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
