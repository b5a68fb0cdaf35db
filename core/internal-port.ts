import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/streams/fetch-service.ts';
import { probeServiceDefinition } from '../proto/streams/probe-service.ts';
import { FailedHandshakes } from '../runtime/failed-handshakes.ts';
import type { TlsIdentity } from '../runtime/internal-port.ts';
import type { Logger } from '../runtime/log.ts';
import { readTokenKey } from './access/token-key.ts';
import { backupChunks } from './backup/backup.ts';
import { listedServers } from './backup/listed-servers.ts';
import type { CoreConfig } from './core-settings.ts';
import type { CoreServices } from './open-services.ts';
import { ServiceStats } from './ops/service-stats.ts';
import {
  historyDependencies,
  logDefects,
  type Port,
  portCallers,
  portOf,
  serverDependencies,
  webhookDependencies,
} from './port.ts';
import { type AdminServiceDependencies, adminService, LEAD_METHODS } from './rpc/admin-service.ts';
import { AuditLog } from './rpc/audit-log.ts';
import { gameService } from './rpc/game-service.ts';
import { createInternalServer, listen, mutualTls } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { historyService } from './rpc/history-service.ts';
import { internalGuard } from './rpc/internal-guard.ts';
import { LeadProxy } from './rpc/lead-proxy.ts';
import { notifyService } from './rpc/notify-service.ts';
import { probeService } from './rpc/probe-service.ts';
import { serverService } from './rpc/server-service.ts';
import { watchMembers } from './rpc/watch-members.ts';
import { webhookService } from './rpc/webhook-service.ts';

const SERVICES = [
  'gsq.v1.GameService',
  'gsq.v1.ServerService',
  'gsq.v1.HistoryService',
  'gsq.v1.WebhookService',
  'gsq.v1.ProbeService',
  'gsq.v1.NotifyService',
  'gsq.v1.AdminService',
  'gsq.v1.ClusterService',
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
  const { catalog, dispatcher, hooks, policy, journals, closing, internalSecret } = services;
  const handlers = new Handlers(
    internalGuard(internalSecret),
    logDefects(log),
    journals.internal,
    new AuditLog(log),
  );
  const callers = portCallers(services, { trusted: true, proxied: config.GSQ_TRUST_PROXY > 0, now });
  const { proxied } = callers;
  const proxy = new LeadProxy(services.leadAccess, { trusted: true, proxied }, handlers);
  const health = new Health(SERVICES);
  const server = createInternalServer(new FailedHandshakes('the internal port', log, now));
  server.addService(gsqV1.GameService.service, gameService(catalog, handlers, now));
  server.addService(serverServiceDefinition, serverService(serverDependencies(services, callers), handlers));
  server.addService(
    gsqV1.HistoryService.service,
    historyService(historyDependencies(services, callers), handlers),
  );
  const { WebhookService, NotifyService, AdminService } = gsqV1;
  server.addService(
    WebhookService.service,
    proxy.passOn(WebhookService.service, webhookService(webhookDependencies(services, callers), handlers)),
  );
  server.addService(
    NotifyService.service,
    proxy.passOn(NotifyService.service, notifyService({ hooks, policy, closing: closing.signal }, handlers)),
  );
  server.addService(
    probeServiceDefinition,
    probeService({ dispatcher, policy, log, closing: closing.signal }, handlers),
  );
  const admin = adminService(adminDependencies(services, config, now), handlers);
  server.addService(AdminService.service, proxy.passOn(AdminService.service, admin, LEAD_METHODS));
  server.addService(gsqV1.ClusterService.service, {
    WatchMembers: watchMembers({ ownership: undefined, closing: closing.signal }, handlers),
  });
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
  const { store, records, credentials, tokenService, quota, lastUse, catalog, fetch, givenUp } = services;
  const { dispatcher, unconfirmed, data, journals, history, hooks, freshness } = services;
  return {
    backup: withoutHistory =>
      backupChunks({
        servers: () => listedServers(store),
        credentials,
        tokens: () => tokenService.list(),
        quota,
        lastUse,
        webhooks: () => hooks.webhooks.stored(),
        tokenKey: () => readTokenKey(config.GSQ_DATA_DIR),
        history: withoutHistory ? undefined : () => history.backupLines(),
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
    records,
    store,
    credentials,
    givenUp,
    freshness,
    now,
  };
}
