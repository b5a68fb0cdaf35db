import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/streams/fetch-service.ts';
import type { Logger } from '../runtime/log.ts';
import { grpcTls } from '../runtime/public-tls.ts';
import { TlsTerminator } from '../runtime/tls-terminator.ts';
import type { CoreConfig } from './core-settings.ts';
import type { CoreServices } from './open-services.ts';
import {
  historyDependencies,
  logDefects,
  type Port,
  portCallers,
  portOf,
  serverDependencies,
  webhookDependencies,
} from './port.ts';
import { gameService } from './rpc/game-service.ts';
import { listen, PublicServer } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { historyService } from './rpc/history-service.ts';
import { LeadProxy } from './rpc/lead-proxy.ts';
import { addReflection } from './rpc/reflection.ts';
import { serverService } from './rpc/server-service.ts';
import { UnservedCalls } from './rpc/unserved-calls.ts';
import { webhookService } from './rpc/webhook-service.ts';

const SERVICES = [
  'gsq.v1.GameService',
  'gsq.v1.ServerService',
  'gsq.v1.HistoryService',
  'gsq.v1.WebhookService',
];

/**
 * Creates the gRPC port for public callers (GSQ_GRPC_ADDR), with the services for games, servers, health and
 * reflection. Throws ConfigError if a TLS file cannot be used.
 */
export function publicPort(services: CoreServices, config: CoreConfig, log: Logger, now: () => number): Port {
  const { catalog, journals, accessLogs, closing } = services;
  const proxied = config.GSQ_TRUST_PROXY > 0;
  const handlers = new Handlers(() => {}, logDefects(log), journals.public);
  const callers = portCallers(services, { trusted: false, proxied, now });
  const health = new Health(SERVICES, { byAddress: !proxied });
  const files = grpcTls(config);
  const tls = files && new TlsTerminator({ name: 'the public gRPC port', protocol: 'h2', files, log, now });
  const unserved = new UnservedCalls(accessLogs.public);
  const server = new PublicServer({ byAddress: !proxied, tls, unserved });
  server.addService(gsqV1.GameService.service, gameService(catalog, handlers, now));
  server.addService(serverServiceDefinition, serverService(serverDependencies(services, callers), handlers));
  server.addService(
    gsqV1.HistoryService.service,
    historyService(historyDependencies(services, callers), handlers),
  );
  const proxy = new LeadProxy(services.cluster?.lead, { trusted: false, proxied }, handlers);
  server.addService(
    gsqV1.WebhookService.service,
    proxy.passOn(
      gsqV1.WebhookService.service,
      webhookService(webhookDependencies(services, callers), handlers),
    ),
  );
  health.addTo(server, unserved);
  addReflection(server, [...SERVICES, 'grpc.health.v1.Health'], handlers, closing.signal);
  return portOf(server, health, () => listen(server, 'GSQ_GRPC_ADDR', config.GSQ_GRPC_ADDR));
}
