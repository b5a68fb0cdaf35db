import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/streams/fetch-service.ts';
import { probeServiceDefinition } from '../proto/streams/probe-service.ts';
import { FailedHandshakes } from '../runtime/failed-handshakes.ts';
import type { TlsIdentity } from '../runtime/internal-port.ts';
import type { Logger } from '../runtime/log.ts';
import { readTokenKey } from './access/token-key.ts';
import { backupChunks } from './backup/backup.ts';
import type { CoreConfig } from './core-settings.ts';
import type { CoreServices } from './open-services.ts';
import { ServiceStats } from './ops/service-stats.ts';
import { historyDependencies, logDefects, type Port, portOf, serverDependencies } from './port.ts';
import { type AdminServiceDependencies, adminService } from './rpc/admin-service.ts';
import { AuditLog } from './rpc/audit-log.ts';
import { gameService } from './rpc/game-service.ts';
import { createInternalServer, listen, mutualTls } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { historyService } from './rpc/history-service.ts';
import { internalGuard } from './rpc/internal-guard.ts';
import { probeService } from './rpc/probe-service.ts';
import { serverService } from './rpc/server-service.ts';

const SERVICES = [
  'gsq.v1.GameService',
  'gsq.v1.ServerService',
  'gsq.v1.HistoryService',
  'gsq.v1.ProbeService',
  'gsq.v1.AdminService',
];

/**
 * Creates the port for gateways, probers and the command line (GSQ_INTERNAL_ADDR). The port offers all services. Calls
 * to the gsq services must carry the internal secret.
 */
export function internalPort(
  services: CoreServices,
  tls: TlsIdentity | undefined,
  config: CoreConfig,
  log: Logger,
  now: () => number,
): Port {
  const { catalog, dispatcher, policy, journals, closing, internalSecret } = services;
  const handlers = new Handlers(
    internalGuard(internalSecret),
    logDefects(log),
    journals.internal,
    new AuditLog(log),
  );
  const health = new Health(SERVICES);
  const server = createInternalServer(new FailedHandshakes('the internal port', log, now));
  server.addService(gsqV1.GameService.service, gameService(catalog, handlers, now));
  server.addService(
    serverServiceDefinition,
    serverService(serverDependencies(services, true, config.GSQ_TRUST_PROXY > 0, now), handlers),
  );
  server.addService(
    gsqV1.HistoryService.service,
    historyService(historyDependencies(services, config.GSQ_TRUST_PROXY > 0, now), handlers),
  );
  server.addService(
    probeServiceDefinition,
    probeService({ dispatcher, policy, log, closing: closing.signal }, handlers),
  );
  server.addService(
    gsqV1.AdminService.service,
    adminService(adminDependencies(services, config, now), handlers),
  );
  health.addTo(server);
  return portOf(server, health, () =>
    listen(server, 'GSQ_INTERNAL_ADDR', config.GSQ_INTERNAL_ADDR, tls && mutualTls(tls)),
  );
}

function adminDependencies(
  services: CoreServices,
  config: CoreConfig,
  now: () => number,
): AdminServiceDependencies {
  const { store, credentials, tokenService, quota, lastUse, catalog, fetch, givenUp, freshness } = services;
  const { dispatcher, unconfirmed, data, journals } = services;
  return {
    backup: () =>
      backupChunks({
        servers: () => store.records(),
        credentials,
        tokens: () => tokenService.list(),
        quota,
        lastUse,
        tokenKey: () => readTokenKey(config.GSQ_DATA_DIR),
        now,
      }),
    stats: new ServiceStats({
      store,
      dispatcher,
      unconfirmed,
      data,
      journals: Object.values(journals),
      liveTokens: () => tokenService.countLive(),
      startedAt: now(),
    }),
    tokenService,
    quota,
    lastUse,
    catalog,
    fetch,
    store,
    credentials,
    givenUp,
    freshness,
    now,
  };
}
