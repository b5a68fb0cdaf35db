import { isIP } from 'node:net';
import {
  createClient,
  DisconnectsClientError,
  ErrorReply,
  RESP_TYPES,
  SocketClosedUnexpectedlyError,
} from '@redis/client';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { SCRIPTS } from './scripts.ts';

/** A reply of the engine. Values of entries and other bulk strings are Buffers. */
export type Reply = Buffer | string | number | null | readonly Reply[];

/** Error if a connection to a node could not be opened or was lost. A command without a reply may have been executed. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
}

/** Error reply of the engine. `code` is the first word of the message, for example MOVED or OOM. */
export class EngineReplyError extends Error {
  override name = 'EngineReplyError';
  readonly code: string;

  constructor(message: string) {
    super(message);
    this.code = message.split(' ', 1)[0] ?? '';
  }
}

/** User, password and TLS files of all connections. */
export interface ConnectionOptions {
  username: string | undefined;
  password: string | undefined;
  /** Contents of the PEM files; undefined for connections without TLS. */
  tls: { ca: Buffer | undefined; cert: Buffer | undefined; key: Buffer | undefined } | undefined;
}

/** Names a connection for CLIENT KILL. */
export interface ConnectionIdentity {
  id: string;
  /** Address and port of this process, as the node sees them. */
  address: string;
}

const CONNECT_MS = 1_000;
/** Longest time that opening a connection can take, including the authentication, in milliseconds. */
const OPEN_MS = 2_000;
/**
 * A connection with unanswered commands is closed if no reply arrives for STALL_TICKS ticks. It must be longer than the
 * longest WAIT command, which blocks its connection.
 */
const TICK_MS = 500;
const STALL_TICKS = 4;

type Client = ReturnType<typeof createTemplate>;

/**
 * Never connected, only duplicated. `createClient` builds a new class for each address, which takes 45 ms of CPU time. A
 * duplicate shares the class, and takes 0.03 ms.
 */
let template: Client | undefined;

function createTemplate() {
  return createClient({
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // With a timeout, the library would reject a command that the node still executes.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
}

function newClient({ host, port }: NodeAddress, { username, password, tls }: ConnectionOptions): Client {
  template ??= createTemplate();
  const common = { host, port, connectTimeout: CONNECT_MS, reconnectStrategy: false } as const;
  return template.duplicate({
    ...(password === undefined ? {} : { password, ...(username === undefined ? {} : { username }) }),
    socket: tls ? { ...common, tls: true, ...tlsOptions(host, tls) } : common,
  });
}

function tlsOptions(host: string, { ca, cert, key }: NonNullable<ConnectionOptions['tls']>) {
  return {
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
  };
}

/** Converts an error of the library. `node`: address of the node, for the message. */
function asError(error: unknown, node: string): Error {
  if (error instanceof ConnectionLost || error instanceof EngineReplyError) return error;
  if (error instanceof ErrorReply) return new EngineReplyError(error.message);
  if (error instanceof DisconnectsClientError) return new ConnectionLost(`${node} does not answer`);
  if (error instanceof SocketClosedUnexpectedlyError)
    return new ConnectionLost(`${node} closed the connection`);
  if (!(error instanceof Error)) return new ConnectionLost(String(error));
  // The error for a host name with several addresses has only a code, and no message.
  const cause = error.message || ('code' in error ? String(error.code) : error.name);
  return new ConnectionLost(cause.includes(node) ? cause : `${node}: ${cause}`);
}

/**
 * One connection to one node of the engine, without automatic reconnection. The node executes commands in the order in
 * which they were sent. Only this file knows the client library.
 */
export class EngineConnection {
  readonly #client: Client;
  /** Address of the node, for error messages. */
  readonly #node: string;
  /** Identity of the connection for CLIENT KILL; undefined if the node did not tell it. */
  identity: ConnectionIdentity | undefined;
  #pending = 0;
  #wasUnanswered = false;
  #replies = 0;
  /** Value of `#replies` at the last tick. */
  #seenReplies = 0;
  /** Number of ticks without a reply while commands were unanswered. */
  #silentTicks = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(client: Client, node: string) {
    this.#client = client;
    this.#node = node;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    client.on('error', () => {});
  }

  /** Connects to a node and loads the scripts. Rejects with ConnectionLost or EngineReplyError. */
  static async open(address: NodeAddress, options: ConnectionOptions): Promise<EngineConnection> {
    const client = newClient(address, options);
    const connection = new EngineConnection(client, showAddress(address));
    // A node that hangs accepts connections, but never answers the AUTH command that `connect` sends.
    const limit = setTimeout(() => client.destroy(), OPEN_MS);
    try {
      await client.connect();
      const [info] = await Promise.all([
        connection.send(['CLIENT', 'INFO']).catch(ignoreReplyError),
        connection.loadScripts().catch(ignoreReplyError),
      ]);
      connection.identity = readIdentity(String(info));
      return connection;
    } catch (error) {
      connection.close();
      throw asError(error, connection.#node);
    } finally {
      clearTimeout(limit);
    }
  }

  /** False if the connection is closed or lost. */
  get isOpen(): boolean {
    return this.#client.isReady;
  }

  /** True if commands got no reply. After the connection was lost, the node may still execute them. */
  get hasUnanswered(): boolean {
    return this.#pending > 0 || this.#wasUnanswered;
  }

  /** Sends a command. Rejects with EngineReplyError or ConnectionLost. */
  send(command: readonly (string | Buffer)[]): Promise<Reply> {
    this.#pending++;
    return this.#client.sendCommand<Reply>(command).then(this.#onReply, this.#onError);
  }

  /** Loads the scripts into the node. Rejects with EngineReplyError or ConnectionLost. */
  async loadScripts(): Promise<void> {
    await Promise.all(SCRIPTS.map(({ source }) => this.send(['SCRIPT', 'LOAD', source])));
  }

  /** Closes the connection. Commands without a reply are rejected with ConnectionLost. */
  close(): void {
    clearInterval(this.#timer);
    if (this.#client.isOpen) this.#client.destroy();
  }

  readonly #onReply = (reply: Reply): Reply => {
    this.#pending--;
    this.#replies++;
    return reply;
  };

  readonly #onError = (error: unknown): never => {
    this.#pending--;
    this.#replies++;
    if (!(error instanceof ErrorReply)) this.#wasUnanswered = true;
    throw asError(error, this.#node);
  };

  /**
   * Counts a tick without a reply. If this process was blocked, the timer can fire before the replies that have already
   * arrived are read. Therefore the method looks at the replies one turn of the event loop later.
   */
  #tick(): void {
    setImmediate(() => {
      const isSilent = this.#pending > 0 && this.#replies === this.#seenReplies;
      this.#silentTicks = isSilent ? this.#silentTicks + 1 : 0;
      this.#seenReplies = this.#replies;
      if (this.#silentTicks >= STALL_TICKS) this.close();
    });
  }
}

function ignoreReplyError(error: unknown): undefined {
  if (!(error instanceof EngineReplyError)) throw error;
}

/** Reads the reply of CLIENT INFO. */
function readIdentity(info: string): ConnectionIdentity | undefined {
  const id = /(?:^| )id=(\d+) /.exec(info)?.[1];
  const address = / addr=(\S+) /.exec(info)?.[1];
  return id && address ? { id, address } : undefined;
}
