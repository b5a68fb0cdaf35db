import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { hearHttp } from './hearing.ts';
import { until } from './until.ts';

/** An event of GET /v1/events. */
export interface StreamEvent {
  event: string;
  id: string;
  data: EventData;
}

/**
 * A game server, as it appears in an event. Before the first answer of the game server, only `game_id` and `server` are
 * set.
 */
export interface EventServer {
  game_id: string;
  server: string;
  name?: string;
  map?: string;
  players?: number;
}

/** Data of an event. A snapshot has the fields `servers` and `more`. A change has the fields of the changed server. */
export type EventData = Partial<EventServer> & { servers?: EventServer[]; more?: boolean };

/** Options of `EventClient.open`, which opens a stream of events at the gateway. */
export interface EventClientOptions {
  headers?: Record<string, string>;
  /** Local IP address from which the client connects to the gateway. */
  localAddress?: string;
  /** If true, the client of the event stream reads nothing from its connection until `resume` is called. */
  isPaused?: boolean;
  /** Called with each event of the stream. By default, the client collects the events in `events`. */
  onEvent?: (event: StreamEvent) => void;
}

/**
 * A client of GET /v1/events. It reads server-sent events, or lines of JSON if the Accept header of its request asks
 * for JSON.
 */
export class EventClient {
  readonly status: number;
  readonly events: StreamEvent[] = [];
  /**
   * Value of the newest field `retry` in the event stream, in milliseconds: how long the gateway tells the client to
   * wait before it reconnects.
   */
  retryMs: number | undefined;
  /**
   * How the answer of the gateway ended: `clean` if the answer was complete, `broken` if the connection was lost.
   * Undefined while the answer continues.
   */
  ending: 'clean' | 'broken' | undefined;
  /** The body of the gateway's answer, if the answer is not a stream of events. */
  text = '';
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #onEvent: (event: StreamEvent) => void;

  private constructor(outgoing: ClientRequest, response: IncomingMessage, options: EventClientOptions) {
    this.#request = outgoing;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.#onEvent = options.onEvent ?? (event => this.events.push(event));
    response.on('end', () => {
      this.ending ??= 'clean';
      hearHttp(this.status, response.headers, this.text);
    });
    response.on('error', () => {
      this.ending ??= 'broken';
    });
    if (!options.isPaused) this.resume();
  }

  /**
   * Sends a request for an event stream to the gateway at `address`. Resolves when the head of the answer has arrived.
   */
  static open(address: string, path: string, options: EventClientOptions = {}): Promise<EventClient> {
    const [host, port] = address.split(':');
    const { headers = {}, localAddress } = options;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host,
          port,
          path,
          headers: { 'Accept-Encoding': 'identity', ...headers },
          agent: false,
          ...(localAddress !== undefined && { localAddress }),
        },
        response => resolve(new EventClient(outgoing, response, options)),
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** Id of the last received event that had an id. A client sends this id as `Last-Event-ID` when it reconnects. */
  get lastId(): string {
    return this.events.findLast(({ id }) => id !== '')?.id ?? '';
  }

  /**
   * Returns the game maps of a server in all snapshots and changes received so far. Leaves out each game map that
   * equals the previous one.
   */
  mapsOf(server: string): string[] {
    const states = this.events.flatMap(({ event, data }): readonly Partial<EventServer>[] =>
      event === 'change' ? [data] : (data.servers ?? []),
    );
    const maps = states.flatMap(state => (state.server === server && state.map ? [state.map] : []));
    return maps.filter((map, i) => map !== maps[i - 1]);
  }

  /** Resolves when the newest received state of a game server contains this game map. */
  async untilMap(server: string, map: string): Promise<void> {
    await until(
      `${server} with the map ${map}`,
      () => this.mapsOf(server).at(-1),
      newest => newest === map,
    );
  }

  /** Resolves when the answer of the gateway has ended. */
  async untilEnded(deadlineMs?: number): Promise<void> {
    await until(
      'the end of the stream',
      () => this.ending,
      ending => ending !== undefined,
      deadlineMs,
    );
  }

  /** Starts to read the gateway's answer, which is a stream of events or an error. */
  resume(): void {
    const isStream = this.status === 200;
    const isLines = this.#response.headers['content-type'] === 'application/x-ndjson';
    const separator = isLines ? '\n' : '\n\n';
    let rest = '';
    this.#response.setEncoding('utf8').on('data', (chunk: string) => {
      if (!isStream) {
        this.text += chunk;
        return;
      }
      const blocks = (rest + chunk).split(separator);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (isLines) this.#onEvent(JSON.parse(block) as StreamEvent);
        else this.#readBlock(block);
      }
    });
  }

  close(): void {
    this.ending ??= 'broken';
    this.#request.destroy();
  }

  #readBlock(block: string): void {
    const fields = new Map(block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line]));
    const field = (name: string): string | undefined => fields.get(name)?.slice(name.length + 1);
    const retry = field('retry');
    if (retry !== undefined) this.retryMs = Number(retry);
    const data = field('data');
    if (data !== undefined)
      this.#onEvent({ event: field('event') ?? '', id: field('id') ?? '', data: JSON.parse(data) });
  }
}
