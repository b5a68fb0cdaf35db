import {
  type ChannelSecurity,
  clients,
  withFlowControlWindow,
  withKeepaliveTimeout,
} from '../../proto/clients.ts';
import { CoreClients } from '../../proto/cluster/core-clients.ts';
import { coreSecurity } from '../../proto/cluster/core-security.ts';
import { Members } from '../../proto/cluster/members.ts';
import type { GameServiceClient } from '../../proto/generated/gsq/v1/GameService.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { InternalRoute } from '../../runtime/internal-port.ts';
import type { Logger } from '../../runtime/log.ts';
import type { AdmissionLimits } from './call-admission.ts';
import { CoreLinks } from './core-links.ts';
import { JsonCalls } from './json-calls.ts';
import { JsonClient } from './json-client.ts';
import { listGames } from './list-games.ts';

/**
 * Options of `CoreConnections` (the connections of the gateway to the cores). Each limit applies separately to the
 * connection to each core.
 */
export interface CoreConnectionsOptions extends AdmissionLimits {
  route: InternalRoute;
  secret: string;
  /** Longest time for a core to reply to a call, in milliseconds. */
  timeoutMs: number;
  /**
   * While no core responds, new calls wait for a core. After `parkMs` milliseconds without a core, new calls fail
   * immediately. Default: `timeoutMs`.
   */
  parkMs?: number;
  log: Logger;
}

// The keepalive timeout of a connection to a core is this much longer than the request timeout, in milliseconds. So a
// connection to a silent core is closed only after all its calls have reached their deadlines.
const KEEPALIVE_MARGIN_MS = 1_000;

// Flow-control window of each event stream from a core, in bytes. It limits the data that is buffered for a client that
// does not read.
const EVENT_WINDOW_BYTES = 65_535;

/** All connections of the gateway to the cores of the cluster. */
export class CoreConnections {
  readonly link: CoreLinks;
  /** Makes calls to the cores. The replies to these calls contain JSON. */
  readonly calls: JsonCalls;
  /** Opens the event streams from the cores, on separate connections. */
  readonly streamCalls: JsonCalls;
  readonly #members: Members;
  readonly #clients: CoreClients<JsonClient>;
  readonly #streamClients: CoreClients<JsonClient>;
  readonly #games: CoreClients<GameServiceClient>;
  readonly #secret: string;
  readonly #timeoutMs: number;

  constructor({ route, secret, timeoutMs, log, ...limits }: CoreConnectionsOptions) {
    this.#secret = secret;
    this.#timeoutMs = timeoutMs;
    const plainSecurity = coreSecurity(route);
    // If a core does not respond, its connection stays open until all calls on it have reached their deadlines.
    const security = (address: string) =>
      withKeepaliveTimeout(plainSecurity(address), timeoutMs + KEEPALIVE_MARGIN_MS);
    // One core sends the list of all cores. The gateway must soon notice if this core freezes, so the connection for
    // the list keeps the short default keepalive timeout.
    this.#members = new Members({ address: route.address, secret, security: plainSecurity, log });
    // While no core responds, the gateway keeps calls until a core is back (parking). If all cores are absent for
    // longer than the request timeout, new calls fail immediately.
    this.link = new CoreLinks({
      ...{ members: this.#members, secret, security, log, parkMs: timeoutMs, leaveMs: timeoutMs },
      ...limits,
    });
    const { cores } = this.link;
    // A core that has left the cluster still answers the calls that it has already received. Therefore the gateway
    // closes its gRPC client for that core only after this delay, in milliseconds.
    const leaveMs = timeoutMs + KEEPALIVE_MARGIN_MS;
    this.#games = new CoreClients(cores, address => clients.game(address, security(address)));
    const clientOf = (address: string, of: ChannelSecurity) =>
      new JsonClient(clients.any(address, of), secret);
    this.#clients = new CoreClients(cores, address => clientOf(address, security(address)), leaveMs);
    this.#streamClients = new CoreClients(cores, address =>
      clientOf(address, withFlowControlWindow(security(address), EVENT_WINDOW_BYTES)),
    );
    this.calls = new JsonCalls({ cores, clients: this.#clients, timeoutMs });
    this.streamCalls = new JsonCalls({ cores, clients: this.#streamClients, timeoutMs });
  }

  /** Loads the game catalog from a core with the function `listGames`. */
  listGames(): Promise<ListGamesResponse__Output> {
    const { cores } = this.link;
    return listGames({ cores, clients: this.#games, secret: this.#secret, timeoutMs: this.#timeoutMs });
  }

  /** Closes all connections to the cores. First waits at most `limitMs` milliseconds for the results of fetches. */
  async close(limitMs: number): Promise<void> {
    this.#streamClients.close();
    this.#clients.close();
    await this.link.close(limitMs);
    this.#games.close();
    await this.#members.close();
  }
}
