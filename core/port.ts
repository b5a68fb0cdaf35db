import type { Server } from '@grpc/grpc-js';
import type { Endpoint } from '../runtime/endpoint.ts';
import type { Logger } from '../runtime/log.ts';
import type { CoreServices } from './open-services.ts';
import { serviceStatus } from './ops/service-stats.ts';
import { drain } from './rpc/grpc-server.ts';
import type { DefectLog } from './rpc/handler.ts';
import type { Health } from './rpc/health.ts';
import type { HistoryServiceDependencies } from './rpc/history-service.ts';
import { Readers } from './rpc/readers.ts';
import type { ServerServiceDependencies } from './rpc/server-dependencies.ts';
import type { WebhookServiceDependencies } from './rpc/webhook-service.ts';

/** One gRPC port of the core with its services. */
export interface Port {
  /**
   * Opens the gRPC port. Resolves to the address and port that were bound. Rejects with ConfigError if the port cannot
   * be bound.
   */
  listen(): Promise<Endpoint>;
  /** Makes the health service of the gRPC port report NOT_SERVING. */
  stopServing(): void;
  /** Waits for calls in flight to end, up to a time limit. Then closes the port. */
  drain(): Promise<void>;
}

/** Makes a `Port` from a gRPC server, its health service, and the function that binds the server. */
export function portOf(server: Server, health: Health, listen: () => Promise<Endpoint>): Port {
  return { listen, stopServing: () => health.stopServing(), drain: () => drain(server) };
}

/**
 * Returns a function that logs unexpected errors, which are bugs in gsq. Callers see only INTERNAL_1 for such an error.
 */
export function logDefects(log: Logger): DefectLog {
  return (error, method, origin) => log.error({ ...origin, err: error, method }, 'defect');
}

/** How a gRPC port identifies and admits its callers. */
export interface PortCallers {
  readers: Readers;
  /**
   * True on the internal port. A call on the internal port can name the caller for which it is made, and the core
   * trusts this information.
   */
  trusted: boolean;
  /**
   * True if callers can connect through a proxy. All callers behind the proxy have its address, so an address does not
   * identify one caller.
   */
  proxied: boolean;
  now: () => number;
}

/**
 * Creates the `PortCallers` of a gRPC port: how the port identifies and admits its callers. `PortCallers` explains the
 * parameters.
 */
export function portCallers(
  { authenticator, strangers }: CoreServices,
  { trusted, proxied, now }: Omit<PortCallers, 'readers'>,
): PortCallers {
  return { readers: new Readers(authenticator, proxied, strangers, trusted), trusted, proxied, now };
}

/**
 * Returns the dependencies of the gRPC service ServerService on one port. `services`: the stores and services of the
 * core. `callers`: how the port identifies and admits its callers.
 */
export function serverDependencies(services: CoreServices, callers: PortCallers): ServerServiceDependencies {
  const { authenticator, catalog, store, records, search, fetch, source, freshness, cluster } = services;
  const { dispatcher, clusterStats, closing } = services;
  return {
    status: () => clusterStats?.readStatus() ?? serviceStatus(store, dispatcher),
    authenticator,
    catalog,
    store,
    records,
    search,
    clusterSearch: cluster?.search,
    fetch,
    source,
    freshness,
    ...callers,
    closing: closing.signal,
  };
}

/**
 * Collects the dependencies of the gRPC service WebhookService: services of the core, and the object that admits the
 * callers of the port.
 */
export function webhookDependencies(
  { policy, catalog, source, hooks, tokenService }: CoreServices,
  { readers }: PortCallers,
): WebhookServiceDependencies {
  return { policy, catalog, source, hooks, tokenService, readers };
}

/**
 * Collects the dependencies of the gRPC service HistoryService: services of the core, and the object that admits the
 * callers of the port.
 */
export function historyDependencies(
  { catalog, records, historyReader }: CoreServices,
  { readers, now }: PortCallers,
): HistoryServiceDependencies {
  return { readers, catalog, records, history: historyReader, now };
}
