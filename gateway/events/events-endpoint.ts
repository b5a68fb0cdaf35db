import { callerKeys } from '../../proto/clients.ts';
import { callerOf } from '../fetch/caller.ts';
import type { FetchCalls } from '../fetch/fetch-calls.ts';
import { type Exchange, incomingOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { Route } from '../http/routes.ts';
import { callMetadata, readAccount } from '../json/call-metadata.ts';
import type { PublicPaths } from '../json/public-paths.ts';
import { RequestMessages } from '../json/request-message.ts';
import { coreAway } from '../upstream/core-errors.ts';
import { type JsonCalls, jsonIn } from '../upstream/json-calls.ts';
import { formatFor } from './event-format.ts';
import { EventStream, type EventTimes } from './event-stream.ts';

/** Dependencies of the endpoint of the event streams. */
export interface EventsContext {
  /**
   * Makes the gRPC calls for event streams, over a separate connection with a small flow-control window. The window
   * limits the events that are buffered for a client that does not read.
   */
  calls: JsonCalls;
  /** Authenticates a caller whose query parameters are wrong, so that only an allowed caller learns what is wrong. */
  fetchCalls: Pick<FetchCalls, 'authenticate'>;
  publicPaths: PublicPaths;
  secret: string;
  trustedProxies: number;
  times?: Partial<EventTimes>;
}

const TIMES: EventTimes = { acceptMs: 1_000, absenceMs: 45_000 };
/** Query parameter that replaces the header Last-Event-ID for clients that cannot set headers. */
const LAST_ID = 'last_event_id';

/** Serves `GET /v1/events`: the changes of servers, as server-sent events or as lines of JSON. */
export class EventsEndpoint implements Endpoint {
  readonly name = 'events';
  readonly method: string;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = true;
  readonly #route: Route;
  readonly #context: EventsContext;
  readonly #messages: RequestMessages;
  readonly #streams = new Set<EventStream>();
  #closing = false;

  constructor(route: Route, context: EventsContext) {
    this.method = route.method;
    this.#route = route;
    this.#context = context;
    this.#messages = new RequestMessages(route);
  }

  /** Number of open event streams of clients. */
  get streams(): number {
    return this.#streams.size;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    const request = incomingOf(exchange);
    this.#context.publicPaths.checkHost(request);
    if (this.#closing) throw coreAway();
    const format = formatFor(request.headers.accept ?? '');
    const stream = await this.#createStream(exchange, format);
    const { socket } = request;
    const onClose = (): void => stream.abandon();
    const onEnd = (): void => stream.end();
    socket.once('close', onClose);
    this.#streams.add(stream);
    stream.over.addEventListener('abort', () => {
      this.#streams.delete(stream);
      socket.off('close', onClose).off('end', onEnd);
    });
    await stream.open();
    // When the user leaves the page, the browser closes only its sending half of the connection. The gateway then ends
    // the event stream, but not before the core has accepted the stream. If the core refuses the stream, a caller that
    // has closed its sending half still gets the answer.
    if (socket.readableEnded) stream.end();
    else if (!stream.over.aborted) socket.once('end', onEnd);
    return {
      status: 200,
      headers: {
        'Content-Type': format.contentType,
        // Headers that keep proxies from changing, compressing or buffering the events.
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
        Vary: `${exchange.headers.Vary}, Accept`,
      },
      stream: response => stream.startWriting(response),
    };
  }

  /**
   * From now on, refuses new event streams, and those that are not completely open yet. Ends all open streams, and
   * tells the clients when to open them again.
   */
  close(): void {
    this.#closing = true;
    for (const stream of this.#streams) stream.drain();
  }

  /** Creates the event stream. Errors in the query are reported only to callers who may open event streams. */
  async #createStream(exchange: Exchange, format: ReturnType<typeof formatFor>): Promise<EventStream> {
    try {
      return this.#streamOf(exchange, format);
    } catch (error) {
      const { publicPaths, fetchCalls } = this.#context;
      if (!publicPaths.isPublic(exchange.request)) await fetchCalls.authenticate(exchange);
      throw error;
    }
  }

  #streamOf(exchange: Exchange, format: ReturnType<typeof formatFor>): EventStream {
    const { calls, secret, trustedProxies, times } = this.#context;
    const { target } = exchange;
    const query = new URLSearchParams(target.query);
    const last = incomingOf(exchange).headers['last-event-id'];
    // Prefers the header Last-Event-ID to the query parameter. When a browser opens a stream again, it repeats the old
    // URL, but sends the newest id in the header.
    const given =
      (typeof last === 'string' ? last : '') || (query.get(LAST_ID) ?? query.get('resume_token') ?? '');
    query.delete(LAST_ID);
    const messageFor = (resumeToken: string) =>
      this.#messages.fromTarget({ ...target, query }, { resume_token: resumeToken });
    // Checks the query parameters before the event stream is opened. Throws QUERY_1 if one of them is wrong.
    messageFor(given);
    return new EventStream(
      {
        open: (resumeToken, isRepeated, ready) => {
          const metadata = callMetadata(exchange, secret, trustedProxies);
          if (isRepeated) metadata.set(callerKeys.repeated, '1');
          const caller = callerOf(exchange.request, trustedProxies).address;
          const message = messageFor(resumeToken);
          const call = calls.openStream({ method: this.#route.rpcMethod, message, metadata, caller }, ready);
          // Reads the data about the caller's token from the gRPC metadata. The metadata arrives before the first event
          // or a refusal, so before the gateway sends its answer.
          call.on('metadata', received => readAccount(exchange, received));
          return call;
        },
        lineIn: message => jsonIn(this.#route.rpcMethod, message),
        translateError: ended => calls.translateError(ended),
      },
      format,
      { ...TIMES, ...times },
      given,
    );
  }
}
