import type { GrpcFloor } from './grpc-floor.ts';
import type { HttpFloor } from './http-floor.ts';
import { Worker } from './worker.ts';

/**
 * A worker process with a minimal reference server. The worker receives a message that says how the server must answer
 * all requests, and replies with the `host:port` of the server.
 */
export type Floor<Told extends object> = Worker<Told, string>;

/** Starts a minimal node:http server in a worker process. */
export function startHttpFloor(): Promise<Floor<HttpFloor>> {
  return Worker.start(new URL('./http-floor.ts', import.meta.url));
}

/** Starts a minimal grpc-js server in a worker process. */
export function startGrpcFloor(): Promise<Floor<GrpcFloor>> {
  return Worker.start(new URL('./grpc-floor.ts', import.meta.url));
}
