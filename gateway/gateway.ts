import { AddressCap } from '../net/address-cap.ts';
import { limitKeyOf } from '../net/network.ts';
import { descriptorImage } from '../proto/descriptors.ts';
import { AccessLog } from '../runtime/access-log.ts';
import type { Now } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { type InternalRoute, internalRoute, internalSecret } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler, type Readiness } from '../runtime/ops-server.ts';
import { isPageOn, publicUrl } from '../runtime/public-page.ts';
import { httpTls } from '../runtime/public-tls.ts';
import { MemoryRelease } from '../runtime/release-memory.ts';
import type { settings } from '../runtime/settings.ts';
import { TlsTerminator } from '../runtime/tls-terminator.ts';
import { type App, createApp } from './app.ts';
import { endpointsOf } from './endpoints.ts';
import type { EventsEndpoint } from './events/events-endpoint.ts';
import { FetchCalls } from './fetch/fetch-calls.ts';
import { BodyMemory } from './fetch/read-body.ts';
import { CatalogCache } from './games/catalog-cache.ts';
import { AnswerLog } from './http/answer-log.ts';
import { Cors } from './http/cors.ts';
import { PausedConnections } from './http/paused-connections.ts';
import { readRoutes } from './http/routes.ts';
import { type HttpLimits, httpLimits, listenHttp } from './http-server.ts';
import { BaseUrl } from './json/base-url.ts';
import { PublicPaths } from './json/public-paths.ts';
import { Metrics } from './ops/metrics.ts';
import { opsProxy } from './ops/ops-proxy.ts';
import { PageBudget } from './page-thread/page-budget.ts';
import { PageThread } from './page-thread/page-thread.ts';
import type { PageSetup } from './page-thread/thread-messages.ts';
import { CoreConnections } from './upstream/core-connections.ts';

/**
 * Limits of a gateway that no setting can change. If a limit is absent, the class that applies it uses its own default.
 */
export interface GatewayLimits {
  maxInFlight?: number;
  maxParked?: number;
  parkMs?: number;
  maxBodyMemory?: number;
}

// Maximum number of open connections from one address. It is high enough for an office whose users share one address,
// but so low that one address cannot use up the 10,000 connections of a gateway.
const MAX_CONNECTIONS_PER_ADDRESS = 256;

/** Time between two releases of the gateway's unused memory to the operating system, in milliseconds. */
const RELEASE_MS = 60_000;
// Longest time in which the HTTP server finishes its requests at shutdown, in milliseconds. It is shorter than ten
// seconds, because the process is killed ten seconds after the shutdown begins.
const DRAIN_MS = 8_000;
// Longest time to wait for calls to the core at shutdown, in milliseconds. All HTTP connections are already closed at
// that point, so no caller waits for these calls.
const LINK_CLOSE_MS = 500;

/**
 * Checks the settings that can be checked without opening a port or a connection. Throws ConfigError if one is invalid.
 */
export function checkAlone(config: Config<typeof settings>): void {
  internalRoute(config);
  httpTls(config);
  new Cors(config.GSQ_CORS_ORIGINS);
  isPageOn(config);
  publicUrl(config);
}

/**
 * Starts the gateway. Rejects with ConfigError if a setting is invalid or an address cannot be bound. Rejects with an
 * Error if a REST route in the proto files has no handler.
 */
export async function startGateway(
  config: Config<typeof settings>,
  log: Logger,
  now: Now = Date.now,
  limits: GatewayLimits = {},
): Promise<Running> {
  const gateway = new Gateway(config, log, now, limits);
  try {
    const addresses = await gateway.listen();
    return { addresses, drain: () => gateway.drain() };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/**
 * Returns what the gateway needs to serve requests without a token:
 * - `isOn`: true if requests without a token may read the tracked servers (GSQ_PAGE=on)
 * - `publicPaths`: protects against DNS rebinding by a check of the Host header
 * - `baseUrl`: the URL with which links to the gateway begin
 */
function publicAccess(config: Config<typeof settings>) {
  const [isOn, url] = [isPageOn(config), publicUrl(config)];
  return {
    isOn,
    publicPaths: new PublicPaths(isOn, url),
    baseUrl: new BaseUrl(url, httpTls(config) !== undefined),
  };
}

/**
 * Returns the settings with which the gateway starts the page thread (the worker thread that builds pages and images).
 */
function pageSetup(config: Config<typeof settings>, route: InternalRoute, secret: string): PageSetup {
  return {
    route,
    secret,
    timeoutMs: config.GSQ_REQUEST_TIMEOUT,
    isOn: isPageOn(config),
    publicUrl: publicUrl(config)?.href,
    isTls: httpTls(config) !== undefined,
    contact: config.GSQ_CONTACT,
    logLevel: config.GSQ_LOG_LEVEL,
    logFormat: config.GSQ_LOG_FORMAT,
  };
}

class Gateway {
  readonly #config: Config<typeof settings>;
  readonly #log: Logger;
  readonly #upstream: CoreConnections;
  readonly #metrics = new Metrics();
  /**
   * Limits the number of connections from each remote address. Undefined (no limit) if the gateway is behind a proxy,
   * because all callers then have the address of the proxy.
   */
  readonly #perAddress: AddressCap | undefined;
  readonly #pages: PageThread;
  readonly #app: App;
  readonly #answers: AnswerLog;
  readonly #tls: TlsTerminator | undefined;
  #events: EventsEndpoint | undefined;
  /** Functions that release the resources of the gateway at shutdown. They are called in reverse order. */
  readonly #closers: (() => Promise<void>)[] = [];
  #draining = false;

  constructor(config: Config<typeof settings>, log: Logger, now: Now, limits: GatewayLimits) {
    this.#config = config;
    this.#log = log;
    const access = new AccessLog(log, config.GSQ_LOG_SAMPLE, limitKeyOf);
    this.#answers = new AnswerLog(access, config.GSQ_TRUST_PROXY);
    this.#closers.push(async () => access.close());
    const files = httpTls(config);
    this.#tls = files && new TlsTerminator({ name: 'the REST port', protocol: 'http/1.1', files, log, now });
    const route = internalRoute(config);
    const secret = internalSecret(config);
    const timeoutMs = config.GSQ_REQUEST_TIMEOUT;
    const cors = new Cors(config.GSQ_CORS_ORIGINS);
    const { maxBodyMemory, ...linkLimits } = limits;

    const upstream = new CoreConnections({ route, secret, timeoutMs, log, ...linkLimits });
    this.#upstream = upstream;
    const catalog = new CatalogCache({ load: () => upstream.listGames(), now, log });
    const memory = new MemoryRelease();
    const stopReleases = memory.releaseEvery(RELEASE_MS);
    this.#closers.push(async () => stopReleases());
    this.#closers.push(() => upstream.close(LINK_CLOSE_MS));

    const isProxied = config.GSQ_TRUST_PROXY > 0;
    this.#perAddress = isProxied ? undefined : new AddressCap(MAX_CONNECTIONS_PER_ADDRESS);
    this.#metrics.watchLink(upstream.link);
    this.#metrics.watchConnections(this.#perAddress);
    // A proxy sends the requests of many callers over one connection, so a pause of this connection delays all of them.
    // Therefore an overloaded gateway pauses it for at most one second.
    const paused = new PausedConnections(isProxied ? 1 : undefined, () => void memory.releaseSoon());
    const trustedProxies = config.GSQ_TRUST_PROXY;
    this.#pages = new PageThread({
      setup: pageSetup(config, route, secret),
      budget: new PageBudget(),
      log,
      cores: upstream.link.cores,
    });
    this.#closers.push(() => this.#pages.close());
    const mounted = endpointsOf(readRoutes(descriptorImage), {
      ...publicAccess(config),
      calls: upstream.calls,
      streamCalls: upstream.streamCalls,
      onEvents: events => {
        this.#events = events;
        this.#metrics.watchEvents(events);
      },
      fetchCalls: new FetchCalls({ link: upstream.link, timeoutMs, trustedProxies }),
      bodyMemory: new BodyMemory(maxBodyMemory),
      ...{ secret, trustedProxies, catalog, now, pages: this.#pages },
    });
    this.#app = createApp(mounted, {
      log,
      answers: this.#answers,
      metrics: this.#metrics,
      cors,
      paused,
      draining: () => this.#draining,
    });
  }

  /**
   * Starts to listen on the ops port (health checks and metrics), then on the REST port. Resolves with the bound
   * addresses, keyed by the name of their setting.
   */
  async listen(): Promise<Record<string, string>> {
    const { GSQ_CORE_OPS_ADDR, GSQ_PROBER_OPS_ADDR, GSQ_NOTIFIER_OPS_ADDR } = this.#config;
    const { GSQ_GATEWAY_OPS_ADDR, GSQ_HTTP_ADDR } = this.#config;
    const proxy = opsProxy(
      { core: GSQ_CORE_OPS_ADDR, prober: GSQ_PROBER_OPS_ADDR, notifier: GSQ_NOTIFIER_OPS_ADDR },
      this.#log,
    );
    const handler = opsHandler({ metrics: this.#metrics.registry, ready: () => this.#readiness() }, proxy);
    const ops = await listenOps('GSQ_GATEWAY_OPS_ADDR', GSQ_GATEWAY_OPS_ADDR, handler);
    // The ops server closes last, so that operators can read its health and metrics during the whole shutdown.
    this.#closers.unshift(() => ops.close());
    const { listener, plain } = this.#app;
    const http = await listenHttp(
      GSQ_HTTP_ADDR,
      listener,
      this.#httpLimits(),
      plain,
      this.#tls,
      this.#answers,
    );
    if (isPageOn(this.#config)) {
      this.#log.info({ setting: 'GSQ_PAGE' }, 'anybody who reaches this port can read the tracked servers');
      this.#pages.start();
    }
    this.#closers.push(() => http.close(DRAIN_MS));
    // At shutdown, ends the event streams before the HTTP server closes. The server waits for the end of each answer,
    // and event streams never end by themselves.
    this.#closers.push(async () => this.#events?.close());
    return {
      GSQ_HTTP_ADDR: formatEndpoint(http.endpoint),
      GSQ_GATEWAY_OPS_ADDR: formatEndpoint(ops.endpoint),
    };
  }

  drain(): Promise<void> {
    this.#draining = true;
    // While the gateway shuts down, new calls fail immediately if the core cannot be reached. Waiting for the core
    // would be useless, because it is perhaps shutting down as well.
    this.#upstream.link.stopParking();
    return this.close();
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  #readiness(): Readiness {
    if (this.#draining) return { ready: false, reason: 'draining' };
    return this.#upstream.link.connected
      ? { ready: true }
      : { ready: false, reason: 'the core cannot be reached' };
  }

  #httpLimits(): HttpLimits {
    const perAddress = this.#perAddress;
    return {
      ...httpLimits,
      // The socket timeout must be longer than the request timeout. While the core works on a request, no bytes pass
      // over the caller's HTTP connection. A shorter socket timeout would close this connection before the answer.
      timeout: Math.max(httpLimits.timeout, this.#config.GSQ_REQUEST_TIMEOUT * 2),
      ...(perAddress && { perAddress }),
    };
  }
}
