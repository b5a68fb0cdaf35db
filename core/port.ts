import type { Server } from '@grpc/grpc-js';
import type { Endpoint } from '../runtime/endpoint.ts';
import type { Logger } from '../runtime/log.ts';
import type { CoreServices } from './open-services.ts';
import { drain } from './rpc/grpc-server.ts';
import type { DefectLog } from './rpc/handler.ts';
import type { Health } from './rpc/health.ts';
import type { ServerServiceDependencies } from './rpc/server-dependencies.ts';

/** One gRPC port of the core, its services added. */
export interface Port {
  /** Resolves to the endpoint as bound. Rejects with ConfigError. */
  listen(): Promise<Endpoint>;
  /** Reports NOT_SERVING to health checks. */
  stopServing(): void;
  /** Lets calls in flight end, then closes the port. */
  drain(): Promise<void>;
}

/** A port of a server, of its health service, and of a function that binds it. */
export function portOf(server: Server, health: Health, listen: () => Promise<Endpoint>): Port {
  return { listen, stopServing: () => health.stopServing(), drain: () => drain(server) };
}

/** Logs errors that are bugs rather than refusals; their callers only see INTERNAL_1. */
export function logDefects(log: Logger): DefectLog {
  return (error, method, origin) => log.error({ ...origin, err: error, method }, 'defect');
}

/** The dependencies of ServerService on one port. `trusted`: as in `ServerServiceDependencies`. */
export function serverDependencies(
  { authenticator, fetch, changes, freshness, closing }: CoreServices,
  trusted: boolean,
  proxied: boolean,
  now: () => number,
): ServerServiceDependencies {
  return { authenticator, fetch, changes, freshness, now, trusted, proxied, closing: closing.signal };
}
