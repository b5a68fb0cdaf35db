import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import { INTERNAL_SECRET_KEY } from '../../proto/clients.ts';
import { grpcHealthV1, gsqV1 } from '../../proto/descriptors.ts';
import type { HealthCheckResponse } from '../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import type { FetchCall__Output } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamRequest__Output } from '../../proto/generated/gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse } from '../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import type { GameServiceHandlers } from '../../proto/generated/gsq/v1/GameService.ts';
import type { ListGamesResponse } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { ServerServiceHandlers } from '../../proto/generated/gsq/v1/ServerService.ts';
import type { AnnouncedMembers } from '../proto/cluster/announced-members.ts';
import { agreeable, type Script } from './core-scripts.ts';
import { ScriptedJson } from './scripted-json.ts';

type Stream = ServerDuplexStream<FetchStreamRequest__Output, FetchStreamResponse>;

/** A fake core: a gRPC server on loopback with the services of the internal port. The test defines its replies. */
export class ScriptedCore {
  script: Script = agreeable;
  games: ListGamesResponse = { games: [] };
  /** The error that ListGames returns. If it is undefined, ListGames succeeds. */
  gamesError: Partial<StatusObject> | undefined;
  /**
   * If true, ListGames does not answer immediately. Instead, each call adds a function to `heldGames`, and is answered
   * when the test calls this function.
   */
  holdGames = false;
  readonly heldGames: (() => void)[] = [];
  listGamesCalls = 0;
  /** If false, the core never answers a health check. */
  answersHealth = true;
  healthChecks = 0;
  /**
   * Implements the gRPC method WatchMembers of the fake core. If undefined, the fake core does not have this method,
   * like an old core.
   */
  members: AnnouncedMembers | undefined;
  /** The methods of this fake core that return JSON texts. The test sets their results. */
  readonly json = new ScriptedJson(() => this.#changed());
  readonly messages: FetchStreamRequest__Output[] = [];
  readonly secrets: unknown[] = [];
  readonly #streams = new Set<Stream>();
  readonly #watchers: { met: () => boolean; resolve: () => void }[] = [];
  #server = new Server();
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get calls(): FetchCall__Output[] {
    return this.messages.flatMap(message => message.calls);
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** Starts to listen on a free port. A start after `stop` uses the same port again. */
  async start(): Promise<void> {
    this.#server = new Server();
    const game: GameServiceHandlers = {
      ListGames: (_call, answer) => {
        this.listGamesCalls++;
        const { games, gamesError = null } = this;
        const say = (): void => answer(gamesError, games);
        if (this.holdGames) this.heldGames.push(say);
        else say();
        this.#changed();
      },
      ListGamesJson: (_call, answer) => answer({ code: status.UNIMPLEMENTED }),
    };
    const server: Pick<ServerServiceHandlers, 'FetchServers' | 'WatchServers' | 'FetchStream'> = {
      FetchServers: (_call, answer) => answer({ code: status.UNIMPLEMENTED }),
      WatchServers: call => call.destroy(),
      FetchStream: stream => this.#serve(stream),
    };
    this.#server.addService(grpcHealthV1.Health.service, {
      Check: (_call: unknown, answer: (error: null, health: HealthCheckResponse) => void) => {
        this.healthChecks++;
        if (this.answersHealth) answer(null, { status: 'SERVING' });
        this.#changed();
      },
    });
    this.#server.addService(gsqV1.GameService.service, game);
    this.#server.addService(gsqV1.ServerService.service, {
      ...this.json.handlersOf('ServerService'),
      ...server,
    });
    this.#server.addService(gsqV1.HistoryService.service, this.json.handlersOf('HistoryService'));
    this.#server.addService(gsqV1.WebhookService.service, this.json.handlersOf('WebhookService'));
    if (this.members) this.#server.addService(gsqV1.ClusterService.service, { ...this.members.handlers });
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(this.address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  /** Closes all connections without a clean end, as if the core had been killed. */
  stop(): void {
    this.#server.forceShutdown();
    this.#streams.clear();
  }

  /** Ends every stream with a gRPC status. The server continues to run. */
  endStreams(code: status): void {
    for (const stream of this.#streams) endWith(stream, code);
  }

  /** Ends only the oldest open stream, with a gRPC status. */
  endOneStream(code: status): void {
    for (const stream of [...this.#streams].slice(0, 1)) endWith(stream, code);
  }

  /** Sends a reply on every stream, even if the reply belongs to no open call. */
  say(reply: FetchReply): void {
    for (const stream of this.#streams) stream.write({ replies: [reply] });
  }

  /**
   * Sends one message on each open stream. `repliesOf` gets the index of a stream, and returns the replies for its
   * message.
   */
  sayOnEach(repliesOf: (stream: number) => FetchReply[]): void {
    for (const [i, stream] of [...this.#streams].entries()) stream.write({ replies: repliesOf(i) });
  }

  /** Stops reading from all gRPC streams of the gateway. */
  pauseReading(): void {
    for (const stream of this.#streams) stream.pause();
  }

  resumeReading(): void {
    for (const stream of this.#streams) stream.resume();
  }

  /** Waits until `met` returns true. Calls `met` when a stream opens or ends, and when a message arrives. */
  until(met: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#watchers.push({ met, resolve });
      this.#changed();
    });
  }

  #serve(stream: Stream): void {
    this.#streams.add(stream);
    this.secrets.push(stream.metadata.get(INTERNAL_SECRET_KEY)[0]);
    stream.on('data', (message: FetchStreamRequest__Output) => {
      this.messages.push(message);
      const replies = message.calls.flatMap(call => {
        const reply = this.script(call);
        return reply ? [{ ...reply, id: call.id }] : [];
      });
      if (replies.length > 0) stream.write({ replies });
      this.#changed();
    });
    const gone = (): void => {
      this.#streams.delete(stream);
      this.#changed();
    };
    stream.on('end', () => stream.end());
    stream.on('error', gone);
    stream.on('close', gone);
    stream.on('cancelled', gone);
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) {
      if (watcher.met()) watcher.resolve();
      else this.#watchers.push(watcher);
    }
  }
}

function endWith(stream: Stream, code: status): void {
  if (code === status.OK) stream.end();
  else stream.emit('error', { code, details: 'ended by the test', metadata: new Metadata() });
}
