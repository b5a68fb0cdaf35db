import type {
  Server,
  ServiceDefinition,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/streams/fetch-service.ts';
import { probeServiceDefinition } from '../proto/streams/probe-service.ts';
import { clusterServiceDefinition } from '../proto/streams/render-service.ts';
import type { Endpoint } from '../runtime/endpoint.ts';
import { FailedHandshakes } from '../runtime/failed-handshakes.ts';
import type { TlsIdentity } from '../runtime/internal-port.ts';
import type { Logger } from '../runtime/log.ts';
import { readTokenKey } from './access/token-key.ts';
import { backupChunks } from './backup/backup.ts';
import type { CoreConfig } from './core-settings.ts';
import { lockFileOf } from './engine.ts';
import type { CoreServices } from './open-services.ts';
import { serviceStatus } from './ops/service-stats.ts';
import {
  historyDependencies,
  logDefects,
  type Port,
  portCallers,
  portOf,
  serverDependencies,
  webhookDependencies,
} from './port.ts';
import { accountMethods } from './rpc/account-methods.ts';
import { type AdminServiceDependencies, adminService, LEAD_METHODS } from './rpc/admin-service.ts';
import { AuditLog } from './rpc/audit-log.ts';
import { followChanges } from './rpc/follow-changes.ts';
import { gameService } from './rpc/game-service.ts';
import { createInternalServer, listen, mutualTls } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { historyService } from './rpc/history-service.ts';
import { internalGuard } from './rpc/internal-guard.ts';
import { jsonMethods, jsonStream } from './rpc/json-stream.ts';
import { LeadProxy } from './rpc/lead-proxy.ts';
import { moveStore } from './rpc/move-store.ts';
import { notifyService } from './rpc/notify-service.ts';
import { partMethods } from './rpc/part-service.ts';
import { probeService } from './rpc/probe-service.ts';
import { renderServers } from './rpc/render-service.ts';
import { searchParts } from './rpc/search-parts.ts';
import { serverService } from './rpc/server-service.ts';
import { statsPart } from './rpc/stats-part.ts';
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
 * Creates the port for gateways, probers and the command line (GSQ_INTERNAL_ADDR). Calls to the gsq services must carry
 * the internal secret. `endpoint`: where the port listens.
 */
export function internalPort(
  services: CoreServices,
  endpoint: Endpoint,
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
  const proxy = new LeadProxy(services.cluster?.lead, { trusted: true, proxied }, handlers);
  const health = new Health(SERVICES);
  const server = createInternalServer(new FailedHandshakes('the internal port', log, now));
  const { GameService, HistoryService, WebhookService, NotifyService, AdminService } = gsqV1;
  const webhooks = webhookService(webhookDependencies(services, callers), handlers);
  const withJson: [ServiceDefinition, UntypedServiceImplementation][] = [
    [GameService.service, gameService(catalog, handlers, now)],
    [serverServiceDefinition, serverService(serverDependencies(services, callers), handlers)],
    [HistoryService.service, historyService(historyDependencies(services, callers), handlers)],
    [WebhookService.service, proxy.passOn(WebhookService.service, webhooks)],
  ];
  for (const [definition, implementation] of withJson) server.addService(definition, implementation);
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
  const streamed = jsonStream(jsonMethods(withJson), closing.signal, handlers);
  addClusterService(server, services, handlers, streamed, { config, log, now });
  health.addTo(server);
  return portOf(server, health, () => listen(server, 'GSQ_INTERNAL_ADDR', endpoint, tls && mutualTls(tls)));
}

/**
 * Adds ClusterService to the internal port. Without a cluster, it has only the methods JsonStream, MoveStore and
 * WatchMembers, and WatchMembers sends no members. `streamed`: handler of JsonStream.
 */
function addClusterService(
  server: Server,
  services: CoreServices,
  handlers: Handlers,
  streamed: UntypedHandleCall,
  { config, log, now }: { config: CoreConfig; log: Logger; now: () => number },
): void {
  const {
    cluster,
    search,
    store,
    dispatcher,
    feed,
    changes,
    stats,
    freshness,
    beginHandOver: begin,
  } = services;
  const closing = services.closing.signal;
  const members = watchMembers({ ownership: cluster?.ownership, closing }, handlers);
  if (!cluster) {
    const lockFile = (): string => lockFileOf(config.GSQ_DATA_DIR);
    server.addService(clusterServiceDefinition, {
      WatchMembers: members,
      JsonStream: streamed,
      ...(begin && { MoveStore: moveStore({ begin, lockFile, log, closing }, handlers) }),
    });
    return;
  }
  const { ownership, owned, parts, accounts } = cluster;
  server.addService(clusterServiceDefinition, {
    WatchMembers: members,
    JsonStream: streamed,
    RenderServers: renderServers({ store, ownership, freshness, now, closing }, handlers),
    ...partMethods({ parts, closing }, handlers),
    ...searchParts({ search, store, owned }, handlers),
    ...statsPart({ stats, status: () => serviceStatus(store, dispatcher) }, handlers),
    ...accountMethods(accounts, handlers),
    FollowChanges: followChanges({ feed, changes, closing }, handlers),
  });
}

function adminDependencies(
  services: CoreServices,
  config: CoreConfig,
  now: () => number,
): AdminServiceDependencies {
  const { store, records, credentials, tokenService, quota, lastUse, catalog, fetch, givenUp } = services;
  const { freshness, cluster, stats, clusterStats } = services;
  return {
    backup: withoutHistory => backup(services, config, withoutHistory, now),
    stats: clusterStats ?? stats,
    cluster: cluster?.servers,
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

/** Yields the lines of a backup of this core or, in a cluster, of all cores. */
async function* backup(
  services: CoreServices,
  config: CoreConfig,
  withoutHistory: boolean,
  now: () => number,
): AsyncGenerator<Buffer> {
  const { records, credentials, tokenService, quota, lastUse, hooks, history, cluster } = services;
  yield* backupChunks({
    servers: () => records.all(),
    credentials: cluster ? await credentials.readAll() : credentials,
    tokens: () => tokenService.list(),
    quota,
    lastUse,
    webhooks: () => hooks.webhooks.stored(),
    tokenKey: () => readTokenKey(config.GSQ_DATA_DIR),
    history: withoutHistory ? undefined : () => history.backupLines(),
    now,
  });
}
