import type { TestContext } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { KeptKey } from '../../../core/credentials/kept-key.ts';
import { LEAD_METHODS } from '../../../core/rpc/admin-service.ts';
import { listen, PublicServer } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { LeadProxy } from '../../../core/rpc/lead-proxy.ts';
import { notifyService } from '../../../core/rpc/notify-service.ts';
import { Readers } from '../../../core/rpc/readers.ts';
import { writeAndWait } from '../../../core/rpc/stream-writer.ts';
import { tokenMethods } from '../../../core/rpc/token-methods.ts';
import { webhookService } from '../../../core/rpc/webhook-service.ts';
import { WebhookEngine } from '../../../core/webhooks/webhook-engine.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { clients, credentialKeys, internalMetadata } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { BackupRequest__Output } from '../../../proto/generated/gsq/v1/BackupRequest.ts';
import type { BackupResponse } from '../../../proto/generated/gsq/v1/BackupResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { catalogOf } from '../catalog-of.ts';
import { type AccountCluster, type AccountCore, SECRET } from './account-cluster.ts';

const ENDPOINT = { host: '127.0.0.1', port: 0 };

/** A function that yields the chunks of a backup. */
export type BackupSource = () => AsyncIterable<Buffer>;

/**
 * Adds services to a test core. The services pass calls on to the lead (the core that writes tokens and webhooks).
 * Returns the core, together with gRPC clients for its internal and its public port. `proxied`: true if public callers
 * send their calls through a proxy.
 */
export async function passingCore(t: TestContext, world: AccountCluster, core: AccountCore, proxied = false) {
  const { clock, directory } = world;
  const { tokens, quota, lastUse, tokenService, authenticator, accounts, ownership, peers, engine } = core;
  const received: Metadata[] = [];
  const guard = internalGuard(SECRET);
  const defects: unknown[] = [];
  const internal = new Handlers(
    metadata => {
      received.push(metadata);
      guard(metadata);
    },
    error => defects.push(error),
  );
  const open = new Handlers(
    () => {},
    error => defects.push(error),
  );
  const hooks = new WebhookEngine({
    ...{ engine, key: new KeptKey(directory), now: clock.now },
    liveToken: id => tokens.get(id),
    recordOf: () => undefined,
    statusOf: () => 'pending',
    payloadOf: () => 'null',
    gameName: id => id,
    onCorrupt() {},
    onDisabled() {},
  });
  t.after(() => hooks.close());
  const backup: { source: BackupSource } = { source: async function* () {} };
  const policy = new TargetPolicy(['127.0.0.0/8']);
  const catalog = await catalogOf(clock.now, 'csgo');
  const access = { ownership, peers, isLead: () => accounts.isLead, secret: SECRET };
  const source = { lookUp: async () => () => undefined };
  const webhooks = (readers: Readers, handlers: Handlers) =>
    webhookService({ readers, hooks, tokenService, policy, catalog, source }, handlers);
  const { WebhookService, NotifyService, AdminService } = gsqV1;
  const proxy = new LeadProxy(access, { trusted: true, proxied: false }, internal);
  const trusted = new Readers(authenticator, false, undefined, true);
  core.server.addService(
    WebhookService.service,
    proxy.passOn(WebhookService.service, webhooks(trusted, internal)),
  );
  const closing = core.closing.signal;
  core.server.addService(
    NotifyService.service,
    proxy.passOn(NotifyService.service, notifyService({ hooks, policy, closing }, internal)),
  );
  const admin = {
    ...tokenMethods({ tokenService, quota, lastUse, now: clock.now }, internal),
    Backup: internal.serverStream<BackupRequest__Output, BackupResponse>(async call => {
      for await (const lines of backup.source()) {
        if (call.cancelled) return;
        await writeAndWait(call, { lines });
      }
    }),
  };
  core.server.addService(AdminService.service, proxy.passOn(AdminService.service, admin, LEAD_METHODS));

  const server = new PublicServer({ byAddress: false });
  const publicProxy = new LeadProxy(access, { trusted: false, proxied }, open);
  server.addService(
    WebhookService.service,
    publicProxy.passOn(WebhookService.service, webhooks(new Readers(authenticator, proxied), open)),
  );
  const publicAddress = formatEndpoint(await listen(server, 'GSQ_GRPC_ADDR', ENDPOINT));
  const { address } = core.self;
  const client = {
    admin: clients.admin(address),
    webhook: clients.webhook(address),
    notify: clients.notify(address),
    public: clients.webhook(publicAddress),
  };
  t.after(() => {
    for (const each of Object.values(client)) each.close();
    server.tryShutdown(() => {});
  });
  return { ...core, client, hooks, received, defects, internal, backup };
}

/** Starts two cores: the lead of a cluster, and a core that passes calls on to the lead. */
export async function passingPair(t: TestContext, world: AccountCluster, proxied = false) {
  const lead = await passingCore(t, world, await world.join('a'), proxied);
  const entry = await passingCore(t, world, await world.join('b'), proxied);
  const core = world.cores[0];
  if (core) await world.lead(core);
  await lead.hooks.load();
  return { lead, entry };
}

/** Returns the metadata of a call by an operator on the internal port. */
export const asOperator = (): Metadata => internalMetadata(SECRET);

/**
 * Adds the credentials of a caller to the metadata of a call. For the internal port, `metadata` must already contain
 * the internal secret.
 */
export function withCredentials(
  credentials: { token: string; tier: string; email: string },
  metadata = new Metadata(),
): Metadata {
  metadata.set(credentialKeys.token, credentials.token);
  metadata.set(credentialKeys.tier, credentials.tier);
  metadata.set(credentialKeys.email, credentials.email);
  return metadata;
}
