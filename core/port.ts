import type { Server } from '@grpc/grpc-js';
import type { Endpoint } from '../runtime/endpoint.ts';
import type { Logger } from '../runtime/log.ts';
import type { CoreServices } from './open-services.ts';
import { drain } from './rpc/grpc-server.ts';
import type { DefectLog } from './rpc/handler.ts';
import type { Health } from './rpc/health.ts';
import { Readers } from './rpc/readers.ts';
import type { ServerServiceDependencies } from './rpc/server-dependencies.ts';
import type { WebhookServiceDependencies } from './rpc/webhook-service.ts';

/** One gRPC port of the core with its services. */
export interface Port {
  /**
   * Opens the port. Resolves to the address and port that were bound. Rejects with ConfigError if the port cannot be
   * bound.
   */
  listen(): Promise<Endpoint>;
  /** Makes the health service report NOT_SERVING. */
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

/**
 * Returns the dependencies of ServerService on one gRPC port of the core. `ServerServiceDependencies` explains the
 * parameters `trusted` and `proxied`.
 */
export function serverDependencies(
  {
    authenticator,
    strangers,
    catalog,
    store,
    search,
    fetch,
    changes,
    feed,
    freshness,
    closing,
  }: CoreServices,
  trusted: boolean,
  proxied: boolean,
  now: () => number,
): ServerServiceDependencies {
  return {
    authenticator,
    readers: new Readers(authenticator, proxied, strangers, trusted),
    catalog,
    store,
    search,
    fetch,
    changes,
    feed,
    freshness,
    now,
    trusted,
    proxied,
    closing: closing.signal,
  };
}

/** Returns the dependencies of WebhookService on one gRPC port, whose callers are admitted like those of ServerService. */
export function webhookDependencies(
  services: CoreServices,
  trusted: boolean,
  proxied: boolean,
  now: () => number,
): WebhookServiceDependencies {
  const { policy, catalog, store, hooks, tokenService } = services;
  const { readers } = serverDependencies(services, trusted, proxied, now);
  return { policy, catalog, store, hooks, tokenService, readers };
}
