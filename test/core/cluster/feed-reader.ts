import { Writable } from 'node:stream';
import type { ClusterFeed } from '../../../core/cluster/cluster-feed.ts';
import { GameReader, KeysReader } from '../../../core/feed/feed-reader.ts';
import { ChangeStream } from '../../../core/rpc/change-stream.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadObject } from '../../../proto/codec/payload-object.ts';

/**
 * State of a game server in a change stream: the number of its players, `-` before its first successful probe, or
 * undefined if it is not tracked.
 */
export type State = number | '-' | undefined;

/** Returns the state of a game server that has this record. If `record` is undefined, the server is not tracked. */
export function stateOf(record: ServerRecord | undefined): State {
  if (!record) return undefined;
  return record.lastOnlineAt === 0 ? '-' : (payloadObject(record.data).players ?? '-');
}

interface Message {
  kind: 'snapshot' | 'change' | 'heartbeat';
  states: [string, State][];
  token: string;
}

/** Reads a change stream of a core like a caller of gsq: first the snapshot, and then each change. */
export class StreamReader {
  /** The newest received state of each tracked game server, keyed by `serverKey`. */
  readonly states = new Map<string, State>();
  /** All messages that the reader has received from the change stream. */
  readonly messages: Message[] = [];
  /** Resume token in the newest message of the change stream. */
  token = '';
  /** Error that ended the change stream. Undefined if there was none. */
  error: unknown;
  readonly over: Promise<void>;
  #end: () => void = () => {};

  /** `servers`: the keys of the game servers to follow, or the id of a game to follow all its servers. */
  constructor(
    feed: ClusterFeed,
    servers: readonly string[] | string,
    resumeToken = '',
    known = new Map<string, State>(),
  ) {
    this.states = new Map(known);
    this.over = this.#run(feed, servers, resumeToken).catch((error: unknown) => {
      this.error = error;
    });
  }

  get changes(): [string, State][] {
    return this.messages.filter(({ kind }) => kind === 'change').flatMap(({ states }) => states);
  }

  async end(): Promise<void> {
    this.#end();
    await this.over;
  }

  async #run(source: ClusterFeed, servers: readonly string[] | string, resumeToken: string): Promise<void> {
    const over = new Promise<void>(resolve => {
      this.#end = resolve;
    });
    const close = await source.open();
    const { feed } = source;
    try {
      await new ChangeStream<Message>({
        call: new Writable({
          objectMode: true,
          write: (message: Message, _, sent) => {
            this.#receive(message);
            setImmediate(sent);
          },
        }),
        over,
        feed,
        follow: (since, wake) =>
          typeof servers === 'string'
            ? new GameReader(feed, servers, () => true, since, wake)
            : new KeysReader(feed, servers, since, wake),
        messages: {
          async *snapshot(token) {
            if (typeof servers !== 'string') {
              const recordOf = await source.lookUp(servers);
              const states = servers.map((key): [string, State] => [key, stateOf(recordOf(key))]);
              yield [{ kind: 'snapshot', states, token: token() }];
              return;
            }
            for await (const { records, isLast } of source.pages(`${servers} `, 10)) {
              const states = records.map((record): [string, State] => [record.key, stateOf(record)]);
              yield [{ kind: 'snapshot', states, token: isLast ? token() : '' }];
            }
          },
          change(key, token) {
            const made = (record: ServerRecord | undefined): Message[] => [
              { kind: 'change', states: [[key, stateOf(record)]], token },
            ];
            const record = source.recordOf(key);
            return record instanceof Promise ? record.then(made) : made(record);
          },
          heartbeat: token => ({ kind: 'heartbeat', states: [], token }),
        },
        resumeToken,
        heartbeatMs: 60_000,
      }).run();
    } finally {
      close();
    }
  }

  #receive(message: Message): void {
    // The first message of a snapshot replaces all server states that the reader has received before.
    if (message.kind === 'snapshot' && !this.messages.some(({ kind }) => kind === 'snapshot'))
      this.states.clear();
    this.messages.push(message);
    for (const [key, state] of message.states) {
      if (state === undefined) this.states.delete(key);
      else this.states.set(key, state);
    }
    this.token = message.token || this.token;
  }
}
