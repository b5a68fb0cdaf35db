import { Registry } from 'prom-client';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { internalTls } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, type OpsServer, opsHandler } from '../runtime/ops-server.ts';
import { grpcTls } from '../runtime/public-tls.ts';
import { coreMetrics } from './core-metrics.ts';
import { type CoreConfig, checkSettings } from './core-settings.ts';
import { internalPort } from './internal-port.ts';
import { openServices } from './open-services.ts';
import { serverSeries } from './ops/server-series.ts';
import { publicPort } from './public-port.ts';
import { shutDown } from './shutdown.ts';

/**
 * Starts the core process. The ops endpoint of the core listens first. Its `/readyz` reports "starting" until the store
 * is loaded, or "standby" while another core owns the store.
 */
export async function startCore(config: CoreConfig, log: Logger, now: () => number): Promise<Running> {
  let reason = 'starting';
  const starting = { metrics: new Registry(), ready: () => ({ ready: false, reason }) };
  const ops = await listenOps('GSQ_CORE_OPS_ADDR', config.GSQ_CORE_OPS_ADDR, opsHandler(starting));
  try {
    return await startServices(config, log, now, ops, owner => {
      reason = 'standby';
      log.info({ owner }, 'store: another core owns the store; this core waits to take over');
    });
  } catch (error) {
    await ops.close();
    throw error;
  }
}

async function startServices(
  config: CoreConfig,
  log: Logger,
  now: () => number,
  ops: OpsServer,
  onStandby: (owner: string) => void,
): Promise<Running> {
  const policy = checkSettings(config);
  const tls = internalTls(config);
  // Refuses wrong TLS files before the store is loaded, because loading the store can take a while.
  grpcTls(config);
  const services = await openServices(policy, config, log, now, onStandby);
  const { store, freshness, closing } = services;
  const ports = {
    public: publicPort(services, config, log, now),
    internal: internalPort(services, tls, config, log, now),
  };
  const metrics = coreMetrics(services, config.GSQ_MAX_SERVERS);
  const internalEndpoint = await ports.internal.listen();
  const publicEndpoint = await ports.public.listen();
  // The core still answers fetches while the store accepts no writes. Therefore `/readyz` reports ready in this case.
  const ready = () => (closing.signal.aborted ? { ready: false, reason: 'draining' } : { ready: true });
  ops.handle(
    opsHandler({ metrics, ready }, serverSeries(store, config.GSQ_SERVER_SERIES, { now, freshness })),
  );
  return {
    addresses: {
      GSQ_GRPC_ADDR: formatEndpoint(publicEndpoint),
      GSQ_INTERNAL_ADDR: formatEndpoint(internalEndpoint),
      GSQ_CORE_OPS_ADDR: formatEndpoint(ops.endpoint),
    },
    drain: () => shutDown(services, Object.values(ports), ops),
  };
}
