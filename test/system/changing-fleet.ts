import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import type { CreateTokenResponse__Output } from '../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { ChangingServers, patientSecurity } from './changing-servers.ts';
import { EventsReader, type ReaderOptions, type WatchConnection, type WatchReader } from './event-readers.ts';
import { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET } from './stack-settings.ts';
import { until } from './until.ts';

export const GAME = 'csgo';
const ADDED_AT_ONCE = 1_000;
/** Time after which a test fails if not all servers of the fleet are online, in milliseconds. */
const ONLINE_MS = 300_000;

/** Credentials of a token, for use as headers of REST and as metadata of gRPC. */
export type Credentials = Record<string, string>;

/**
 * Options of a fleet of simulated servers. `servers` is the number of servers, and `interval` is their probe interval.
 */
export interface FleetSize {
  readonly servers: number;
  readonly interval: string;
}

/**
 * A core and a gateway with tracked servers of one game. The prober is simulated: it sends no packets, and reports
 * invented changes of the servers.
 */
export class ChangingFleet {
  readonly stack: Stack;
  readonly prober: ChangingServers;
  readonly #servers: number;

  private constructor(stack: Stack, servers: number) {
    this.stack = stack;
    this.prober = new ChangingServers(stack.internal);
    this.#servers = servers;
  }

  /**
   * Starts the processes. Resolves when all servers of the fleet are online. After that, `perSecond` servers change
   * each second.
   */
  static async start({ servers, interval }: FleetSize, perSecond: number): Promise<ChangingFleet> {
    const stack = await Stack.start({
      env: { GSQ_PROBE_INTERVAL: interval },
      processes: ['core', 'gateway'],
    });
    const fleet = new ChangingFleet(stack, servers);
    try {
      await fleet.#addServers();
      await until(
        'all servers online',
        () => fleet.prober.failure ?? fleet.prober.players.size,
        count => count === servers,
        ONLINE_MS,
      );
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    fleet.prober.limit(perSecond);
    return fleet;
  }

  async stop(): Promise<void> {
    this.prober.close();
    await this.stack.stop();
  }

  /** Returns the addresses of the `count` servers that the stream with the number `stream` follows. */
  followedBy(stream: number, count: number): string[] {
    return Array.from({ length: count }, (_, i) => addressOf((stream * 7_919 + i * 1_049) % this.#servers));
  }

  async createTokens(count: number): Promise<Credentials[]> {
    const admin = clients.admin(this.stack.internal, patientSecurity);
    const metadata = internalMetadata(INTERNAL_SECRET);
    const { tier, email } = bootstrap;
    const created: Credentials[] = [];
    for (let i = 0; i < count; i++) {
      const { secret } = await unary<CreateTokenResponse__Output>(done =>
        admin.createToken({ tier, email }, metadata, done),
      );
      const { token, tier: type, email: address } = credentialKeys;
      created.push({ [token]: secret, [type]: tier, [address]: email });
    }
    admin.close();
    return created;
  }

  /** Opens a stream of events at the gateway. `query`: the query string of GET /v1/events. */
  openEvents(query: string, credentials: Credentials, options?: ReaderOptions): Promise<EventsReader> {
    return EventsReader.open(this.stack.http, `/v1/events?${query}`, credentials, options);
  }

  openWatch(
    connection: WatchConnection,
    servers: readonly string[],
    credentials: Credentials,
    options?: ReaderOptions,
  ): WatchReader {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(credentials)) metadata.set(key, value);
    return connection.open(GAME, servers, metadata, options);
  }

  async #addServers(): Promise<void> {
    const admin = clients.admin(this.stack.internal, patientSecurity);
    const metadata = internalMetadata(INTERNAL_SECRET);
    for (let first = 0; first < this.#servers; first += ADDED_AT_ONCE) {
      const group = Array.from({ length: ADDED_AT_ONCE }, (_, i) => addressOf(first + i));
      const request = { servers: [{ gameId: GAME, servers: group }] };
      await unary(done => admin.addServers(request, metadata, done));
    }
    admin.close();
  }
}

function addressOf(i: number): string {
  return `127.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}:27015`;
}
