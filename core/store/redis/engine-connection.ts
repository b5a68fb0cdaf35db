import { isIP } from 'node:net';
import { Mutex } from '../../../runtime/mutex.ts';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { SCRIPTS } from './loaded-scripts.ts';

/** A reply of Redis or Valkey to a command. Values of entries and other bulk strings are Buffers. */
export type Reply = Buffer | string | number | null | readonly Reply[];

/**
 * Error if a connection to a node of the storage engine could not be opened or was lost. The node may have executed a
 * command that got no reply.
 */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
}

/** Error reply of Redis or Valkey to a command. `code` is the first word of the message, for example MOVED or OOM. */
export class EngineReplyError extends Error {
  override name = 'EngineReplyError';
  readonly code: string;

  constructor(message: string) {
    super(message);
    this.code = message.split(' ', 1)[0] ?? '';
  }
}

/** User, password and TLS files of all connections to the storage engine. */
export interface ConnectionOptions {
  username: string | undefined;
  password: string | undefined;
  /** Contents of the PEM files for TLS; undefined for connections without TLS. */
  tls: { ca: Buffer | undefined; cert: Buffer | undefined; key: Buffer | undefined } | undefined;
}

/** The id and the address with which the command CLIENT KILL can close a connection of this process. */
export interface ConnectionIdentity {
  id: string;
  /** Address and port of this process on the connection, as the node of the storage engine sees them. */
  address: string;
}

const CONNECT_MS = 1_000;
/**
 * Longest time for opening a connection to a node of the storage engine, including the authentication, in milliseconds.
 */
const OPEN_MS = 2_000;
/**
 * Limit for a silent connection to the storage engine: STALL_TICKS ticks of TICK_MS ms each. If commands wait and no
 * reply arrives during this time, the connection is closed. The limit must be longer than a WAIT command, because no
 * reply arrives while the node executes WAIT.
 */
const TICK_MS = 500;
const STALL_TICKS = 4;

type Redis = typeof import('@redis/client');
type Client = ReturnType<typeof createTemplate>;

/** The library @redis/client, and a template for its clients. */
interface Library {
  redis: Redis;
  /**
   * A client that never connects. Each new client is a duplicate of this client: this takes 0.03 ms of CPU time, but a
   * call of `createClient` takes 45 ms.
   */
  template: Client;
}

let library: Promise<Library> | undefined;

/**
 * Loads the library @redis/client when it is first needed. Loading takes 180 ms of CPU time, and a core with an
 * embedded store does not need it.
 */
function loadLibrary(): Promise<Library> {
  library ??= import('@redis/client').then(redis => ({ redis, template: createTemplate(redis) }));
  return library;
}

function createTemplate({ createClient, RESP_TYPES }: Redis) {
  return createClient({
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The timeout 0 means that commands have no timeout. A timeout would reject a command that the node still executes.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
}

function newClient(
  template: Client,
  { host, port }: NodeAddress,
  { username, password, tls }: ConnectionOptions,
): Client {
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

/**
 * Converts an error of the library @redis/client to ConnectionLost or EngineReplyError. `node`: address of the node,
 * for the message.
 */
function asError(redis: Redis, error: unknown, node: string): Error {
  if (error instanceof ConnectionLost || error instanceof EngineReplyError) return error;
  if (error instanceof redis.ErrorReply) return new EngineReplyError(error.message);
  if (error instanceof redis.DisconnectsClientError) return new ConnectionLost(`${node} does not answer`);
  if (error instanceof redis.SocketClosedUnexpectedlyError)
    return new ConnectionLost(`${node} closed the connection`);
  if (!(error instanceof Error)) return new ConnectionLost(String(error));
  // If none of the addresses of a host name can be reached, Node's error has only a code, and no message.
  const cause = error.message || ('code' in error ? String(error.code) : error.name);
  return new ConnectionLost(cause.includes(node) ? cause : `${node}: ${cause}`);
}

/**
 * A connection to a node of the storage engine. The node executes its commands in the order in which they were sent. A
 * lost connection is not opened again. Only this file uses the library @redis/client.
 */
export class EngineConnection {
  readonly #redis: Redis;
  readonly #client: Client;
  /** Address of the node, for error messages. */
  readonly #node: string;
  /**
   * The identity with which the command CLIENT KILL can close this connection. Undefined if the node did not report it.
   */
  identity: ConnectionIdentity | undefined;
  /**
   * Mutex for the transactions of this connection, held from WATCH until EXEC is sent: an EXEC ends every WATCH of the
   * connection.
   */
  readonly transactions = new Mutex();
  /** True if the user of this connection has the right to run transactions (ACL category `@transaction`). */
  mayRunTransactions = false;
  #pending = 0;
  #wasUnanswered = false;
  #replies = 0;
  /** Number of received replies (`#replies`) at the last tick of the timer. */
  #seenReplies = 0;
  /** Number of consecutive ticks in which commands were waiting for replies, but no reply arrived. */
  #silentTicks = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(redis: Redis, client: Client, node: string) {
    this.#redis = redis;
    this.#client = client;
    this.#node = node;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    client.on('error', () => {});
    // Stops the timer of a lost connection, because a lost connection is not opened again. If it were not stopped, the
    // timer would run until the process ends.
    client.on('terminated', () => clearInterval(this.#timer));
  }

  /**
   * Connects to a node of the storage engine and loads the Lua scripts into it. Rejects with ConnectionLost or
   * EngineReplyError.
   */
  static async open(address: NodeAddress, options: ConnectionOptions): Promise<EngineConnection> {
    const { redis, template } = await loadLibrary();
    const client = newClient(template, address, options);
    const connection = new EngineConnection(redis, client, showAddress(address));
    // `connect` needs a time limit: a node that hangs accepts connections, but never answers the AUTH command.
    const limit = setTimeout(() => client.destroy(), OPEN_MS);
    try {
      await client.connect();
      // Runs an empty transaction, to test whether the user may run transactions. Uses EXEC and not DISCARD: if the
      // user has no right to EXEC, Redis refuses the EXEC, but still ends the transaction.
      const empty = [['MULTI'], ['EXEC']].map(command => connection.send(command));
      const [info, , executed] = await Promise.all([
        connection.send(['CLIENT', 'INFO']).catch(ignoreReplyError),
        connection.loadScripts().catch(ignoreReplyError),
        Promise.all(empty).catch(ignoreReplyError),
      ]);
      connection.mayRunTransactions = executed !== undefined;
      connection.identity = readIdentity(String(info));
      return connection;
    } catch (error) {
      connection.close();
      throw asError(redis, error, connection.#node);
    } finally {
      clearTimeout(limit);
    }
  }

  /** False if the connection to the node is closed or lost. */
  get isOpen(): boolean {
    return this.#client.isReady;
  }

  /**
   * True if the node has not answered all commands of this connection. The node may execute unanswered commands even
   * after the connection was lost.
   */
  get hasUnanswered(): boolean {
    return this.#pending > 0 || this.#wasUnanswered;
  }

  /** Sends a command to the node. Resolves with the reply. Rejects with EngineReplyError or ConnectionLost. */
  send(command: readonly (string | Buffer)[]): Promise<Reply> {
    this.#pending++;
    return this.#client.sendCommand<Reply>(command).then(this.#onReply, this.#onError);
  }

  /** Loads the Lua scripts (SCRIPTS) into the node. Rejects with EngineReplyError or ConnectionLost. */
  async loadScripts(): Promise<void> {
    await Promise.all(SCRIPTS.map(({ source }) => this.send(['SCRIPT', 'LOAD', source])));
  }

  /** Closes the connection to the node. Commands without a reply are rejected with ConnectionLost. */
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
    if (!(error instanceof this.#redis.ErrorReply)) this.#wasUnanswered = true;
    throw asError(this.#redis, error, this.#node);
  };

  /** Called every TICK_MS. Closes the connection if commands wait and no reply has arrived for STALL_TICKS ticks. */
  #tick(): void {
    // Looks for replies only after the event loop has read the data that has arrived. Without this delay, the
    // connection could seem silent if this process was blocked: the timer then fires before the arrived replies are
    // read.
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

/**
 * Reads the id and the address of a connection from the reply of CLIENT INFO. Returns undefined if the reply has an
 * unexpected form.
 */
function readIdentity(info: string): ConnectionIdentity | undefined {
  const id = /(?:^| )id=(\d+) /.exec(info)?.[1];
  const address = / addr=(\S+) /.exec(info)?.[1];
  return id && address ? { id, address } : undefined;
}
