import type { GrpcFloor } from './grpc-floor.ts';
import type { HttpFloor } from './http-floor.ts';
import { Worker } from './worker.ts';

/** A process that is told what to answer, and tells its address, `host:port`. */
export type Floor<Told extends object> = Worker<Told, string>;

/** A bare node:http server. */
export function startHttpFloor(): Promise<Floor<HttpFloor>> {
  return Worker.start(new URL('./http-floor.ts', import.meta.url));
}

/** A plain grpc-js server. */
export function startGrpcFloor(): Promise<Floor<GrpcFloor>> {
  return Worker.start(new URL('./grpc-floor.ts', import.meta.url));
}
