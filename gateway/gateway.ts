import { AddressCap } from '../net/address-cap.ts';
import { clients, mutualTls } from '../proto/clients.ts';
import { descriptorImage } from '../proto/descriptors.ts';
import type { Now } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { internalRoute, internalSecret } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler } from '../runtime/ops-server.ts';
import { MemoryRelease } from '../runtime/release-memory.ts';
import type { settings } from '../runtime/settings.ts';
import { createApp, type Mounted } from './app.ts';
import { FetchEndpoint } from './fetch/fetch-endpoint.ts';
import { CatalogCache } from './games/catalog-cache.ts';
import { GamesEndpoint } from './games/games-endpoint.ts';
import { Cors } from './http/cors.ts';
import type { Endpoint } from './http/listener.ts';
import { RestingConnections } from './http/overload.ts';
import { type HttpLimits, httpLimits, listenHttp } from './http-server.ts';
import { Metrics } from './ops/metrics.ts';
import { opsProxy } from './ops/ops-proxy.ts';
import { bindRoutes, readRoutes } from './routes.ts';
import { CoreLink } from './upstream/core-link.ts';
import { listGames } from './upstream/list-games.ts';

/** Bounds that are no settings; absent ones have the defaults of the classes that keep them. */
export interface GatewayLimits {
  maxInFlight?: number;
  maxHeld?: number;
  holdMs?: number;
  maxHeldBytes?: number;
}

// An office behind one address has fewer, and it takes 40 addresses to have all of the 10,000.
const MAX_PER_ADDRESS = 256;

/** Memory that is no longer used is given back this often. */
const RELEASE_MS = 60_000;
// Below the ten seconds after which a draining process is ended by force.
const DRAIN_MS = 8_000;
// Nobody waits for what is left then.
const LINK_CLOSE_MS = 500;

/** Checks the settings that can be judged before anything is opened for them. Throws ConfigError. */
export function checkAlone(config: Config<typeof settings>): void {
  internalRoute(config);
  new Cors(config.GSQ_CORS_ORIGINS);
}

/**
 * Starts the gateway. Rejects where an address cannot be bound, an origin is none, the internal port may not be used
 * as it is set, or an annotated path has nothing to serve it.
 */
export async function startGateway(
  config: Config<typeof settings>,
  log: Logger,
  now: Now = Date.now,
  limits: GatewayLimits = {},
): Promise<Running> {
  const { address, host, tls } = internalRoute(config);
  const security = tls && mutualTls(host, tls);
  const secret = internalSecret(config);
  const timeoutMs = config.GSQ_REQUEST_TIMEOUT;
  const { maxHeldBytes, ...linkLimits } = limits;
  const cors = new Cors(config.GSQ_CORS_ORIGINS);

  const routes = bindRoutes<(method: string) => Endpoint>(readRoutes(descriptorImage), {
    'gsq.v1.GameService.ListGames': method => new GamesEndpoint(method, catalog, now),
    'gsq.v1.ServerService.FetchServers': method =>
      new FetchEndpoint(method, {
        link,
        timeoutMs,
        trustedProxies: config.GSQ_TRUST_PROXY,
        ...(maxHeldBytes !== undefined && { maxHeldBytes }),
      }),
  });

  const closing: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };

  // Who has waited for so long is told that the core is away; who asks then should not wait for the same.
  const link = new CoreLink({ address, secret, security, log, holdMs: timeoutMs, ...linkLimits });
  const games = clients.game(address, security);
  const catalog = new CatalogCache({ load: () => listGames(games, secret, timeoutMs), now, log });
  // The connections of a proxy are those of many callers.
  const perAddress = config.GSQ_TRUST_PROXY === 0 ? new AddressCap(MAX_PER_ADDRESS) : undefined;
  const metrics = new Metrics();
  metrics.watch(link);
  metrics.watchConnections(perAddress);

  let draining = false;
  const mounted: Mounted[] = routes.map(({ route, handler }) => ({ route, endpoint: handler(route.method) }));
  // The connections of a proxy carry the requests of many callers.
  const maxRest = config.GSQ_TRUST_PROXY > 0 ? 1 : undefined;
  const memory = new MemoryRelease();
  const releaseNoMore = memory.every(RELEASE_MS);
  closing.push(async () => releaseNoMore());
  const resting = new RestingConnections(maxRest, () => void memory.soon());
  const app = createApp(mounted, { log, metrics, cors, resting, draining: () => draining });
  const ready = (): { ready: boolean; reason?: string } => {
    if (draining) return { ready: false, reason: 'draining' };
    return link.connected ? { ready: true } : { ready: false, reason: 'the core cannot be reached' };
  };
  const proxy = opsProxy({ core: config.GSQ_CORE_OPS_ADDR, prober: config.GSQ_PROBER_OPS_ADDR }, log);

  try {
    closing.push(async () => games.close());
    closing.push(() => link.close(LINK_CLOSE_MS));
    const ops = await listenOps(
      'GSQ_GATEWAY_OPS_ADDR',
      config.GSQ_GATEWAY_OPS_ADDR,
      opsHandler({ metrics: metrics.registry, ready }, proxy),
    );
    // Health and metrics tell of the drain to its end.
    closing.unshift(() => ops.close());
    const limits = limitsOf(config, perAddress);
    const http = await listenHttp(config.GSQ_HTTP_ADDR, app.listener, limits, app.plain);
    closing.push(() => http.close(DRAIN_MS));
    return {
      addresses: {
        GSQ_HTTP_ADDR: formatEndpoint(http.endpoint),
        GSQ_GATEWAY_OPS_ADDR: formatEndpoint(ops.endpoint),
      },
      drain: () => {
        draining = true;
        // A core that is away now may be ending as well.
        link.holdNoMore();
        return closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function limitsOf(
  { GSQ_REQUEST_TIMEOUT }: Config<typeof settings>,
  perAddress: AddressCap | undefined,
): HttpLimits {
  return {
    ...httpLimits,
    // Nothing moves while the core works.
    timeout: Math.max(httpLimits.timeout, GSQ_REQUEST_TIMEOUT * 2),
    ...(perAddress && { perAddress }),
  };
}
