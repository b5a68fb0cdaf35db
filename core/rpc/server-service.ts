import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { FetchCall } from '../../proto/generated/codec/fetch.ts';
import { CallMemories } from './call-memory.ts';
import { serveFetchStream } from './fetch-stream.ts';
import type { Handlers } from './handler.ts';
import type { LengthPrefixed } from './length-prefixed.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { serviceStatusMethods } from './service-status.ts';
import { trackedServerMethods } from './tracked-servers.ts';
import { jsonFormat, typedFormat, unaryFetch } from './unary-fetch.ts';
import { watchServers } from './watch-servers.ts';
import { watchServersJson } from './watch-servers-json.ts';
import { WatchSlots } from './watch-slots.ts';

/** Creates the handlers of ServerService for `serverServiceDefinition`. */
export function serverService(dependencies: ServerServiceDependencies, handlers: Handlers) {
  const slots = new WatchSlots();
  const memories = new CallMemories();

  return {
    FetchServers: unaryFetch(dependencies, handlers, typedFormat(dependencies)),

    FetchServersJson: unaryFetch(dependencies, handlers, jsonFormat(dependencies)),

    FetchStream: handlers.bidi((call: ServerDuplexStream<FetchCall[], LengthPrefixed>) =>
      serveFetchStream(call, dependencies, handlers, memories),
    ),

    WatchServers: handlers.serverStream(watchServers(dependencies, slots)),

    WatchServersJson: handlers.serverStream(watchServersJson(dependencies, slots)),

    ...trackedServerMethods(dependencies, handlers),

    ...serviceStatusMethods(dependencies, handlers),
  };
}
