import type { Metadata } from '@grpc/grpc-js';
import { clients, withFlowControlWindow } from '../../proto/clients.ts';
import type { ServerResult__Output } from '../../proto/generated/gsq/v1/ServerResult.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { patientSecurity } from './changing-servers.ts';
import { EventClient, type StreamEvent } from './event-client.ts';
import { until } from './until.ts';

/** Flow-control window of a gRPC stream: number of bytes that can arrive before the client reads them. */
const SMALL_WINDOW = 64 * 1024;

/** Options of a client that reads a stream of changes. */
export interface ReaderOptions {
  /** If true, the client reads nothing from the stream of changes until `resume` is called. */
  isPaused?: boolean;
}

/**
 * Reads a stream of changes, and counts gaps (missing changes). In the tests, each change of a server adds one player,
 * so any other number of players shows a gap.
 */
export abstract class ChangeReader {
  /** Newest received number of players of each server, keyed by server address. */
  readonly players = new Map<string, number>();
  changes = 0;
  /**
   * Number of received changes that did not add exactly one player. Such a change shows that an earlier change is
   * missing.
   */
  gaps = 0;
  /**
   * Number of received states that have fewer players than an earlier state of the same server. In the test, each
   * change adds a player, so fewer players show an old state.
   */
  setbacks = 0;
  /** How the stream of changes ended. Undefined while the stream is open. */
  abstract readonly ending: string | undefined;
  #hasSnapshot = false;

  abstract resume(): void;
  abstract close(): void;

  /** Resolves when the snapshot at the start of the stream has arrived. */
  async untilSnapshot(deadlineMs: number): Promise<void> {
    await until(
      'a snapshot',
      () => [this.#hasSnapshot, this.ending],
      ([hasSnapshot, ending]) => hasSnapshot === true || ending !== undefined,
      deadlineMs,
    );
    if (!this.#hasSnapshot) throw new Error(`the stream ended without a snapshot: ${this.ending}`);
  }

  /** True if the whole snapshot at the start of the stream has arrived. */
  get hasSnapshot(): boolean {
    return this.#hasSnapshot;
  }

  /** Resolves when the stream of changes has ended. */
  async untilEnded(deadlineMs: number): Promise<void> {
    await until(
      'the end of a stream',
      () => this.ending,
      ending => ending !== undefined,
      deadlineMs,
    );
  }

  /**
   * Records a part of the snapshot: the states of the servers when the stream began. `isWhole` is false if further
   * parts of the snapshot follow.
   */
  protected noteSnapshot(
    isWhole: boolean,
    states: readonly (readonly [server: string, players: number])[],
  ): void {
    for (const [server, players] of states) this.#note(server, players);
    this.#hasSnapshot ||= isWhole;
  }

  protected noteChange(server: string, players: number): void {
    this.changes++;
    if (players !== (this.players.get(server) ?? 0) + 1) this.gaps++;
    this.#note(server, players);
  }

  #note(server: string, players: number): void {
    if (players < (this.players.get(server) ?? 0)) this.setbacks++;
    this.players.set(server, players);
  }
}

/** Reads the server-sent events of a stream of the gateway. */
export class EventsReader extends ChangeReader {
  #client: EventClient | undefined;

  static async open(
    address: string,
    path: string,
    headers: Record<string, string>,
    { isPaused = false }: ReaderOptions = {},
  ): Promise<EventsReader> {
    const reader = new EventsReader();
    const onEvent = (event: StreamEvent): void => reader.#read(event);
    const client = await EventClient.open(address, path, { headers, isPaused, onEvent });
    if (client.status !== 200) throw new Error(`the gateway answered ${client.status}`);
    reader.#client = client;
    return reader;
  }

  get ending(): string | undefined {
    return this.#client?.ending;
  }

  resume(): void {
    this.#client?.resume();
  }

  close(): void {
    this.#client?.close();
  }

  #read({ event, data }: StreamEvent): void {
    if (event === 'snapshot')
      this.noteSnapshot(
        data.more !== true,
        (data.servers ?? []).map(({ server, players = 0 }) => [server, players] as const),
      );
    else if (event === 'change') this.noteChange(data.server ?? '', data.players ?? 0);
  }
}

/** Opens WatchServers streams on one gRPC connection. */
export class WatchConnection {
  readonly #client;

  constructor(address: string) {
    const security = withFlowControlWindow(patientSecurity, SMALL_WINDOW);
    // Gives this client a connection of its own. By default, gRPC clients share a connection, which carries at most 256
    // calls.
    security.options['grpc.use_local_subchannel_pool'] = 1;
    this.#client = clients.server(address, security);
  }

  open(gameId: string, servers: readonly string[], metadata: Metadata, options?: ReaderOptions): WatchReader {
    const request = { servers: [{ gameId, servers: [...servers] }], onlyChanges: true };
    return new WatchReader(this.#client.watchServers(request, metadata), options);
  }

  close(): void {
    this.#client.close();
  }
}

interface WatchCall {
  on(event: 'data', listener: (message: WatchServersResponse__Output) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  cancel(): void;
}

/** Reads a gRPC stream of WatchServers whose request has `only_changes`: a snapshot, and then each change. */
export class WatchReader extends ChangeReader {
  readonly #call: WatchCall;
  ending: string | undefined;

  constructor(call: WatchCall, { isPaused = false }: ReaderOptions = {}) {
    super();
    this.#call = call;
    call.on('error', ({ message }) => {
      this.ending ??= message;
    });
    // Pauses the stream only when its first message arrives. Until then grpc-js reads all messages, so an earlier pause
    // has no effect.
    let pausesNext = isPaused;
    call.on('data', ({ snapshot, change }) => {
      if (pausesNext) call.pause();
      pausesNext = false;
      if (snapshot) this.noteSnapshot(true, snapshot.results.map(stateOf));
      else if (change) this.noteChange(...stateOf(change));
    });
  }

  resume(): void {
    this.#call.resume();
  }

  close(): void {
    this.ending ??= 'closed';
    this.#call.cancel();
  }
}

function stateOf({ server, payload }: ServerResult__Output): [server: string, players: number] {
  return [server, payload?.players ?? 0];
}
