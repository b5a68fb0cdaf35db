import { type AddressInfo, createServer } from 'node:net';
import { Registry } from 'prom-client';
import { type Endpoint, formatEndpoint } from '../runtime/endpoint.ts';
import { internalTls } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, type OpsServer, opsHandler } from '../runtime/ops-server.ts';
import { grpcTls } from '../runtime/public-tls.ts';
import { OwnCharges } from './access/own-charges.ts';
import { coreMetrics } from './core-metrics.ts';
import { type CoreConfig, checkSettings, memberAddress } from './core-settings.ts';
import { EMBEDDED } from './engine.ts';
import { internalPort } from './internal-port.ts';
import { openServices } from './open-services.ts';
import { serverSeries } from './ops/server-series.ts';
import { publicPort } from './public-port.ts';
import { shutDown } from './shutdown.ts';

/**
 * Starts the core process. Opens the ops endpoint first. Until the store is loaded, the path `/readyz` of the ops
 * endpoint reports "starting". If `gsq migrate` uses the store, `/readyz` reports "migration" instead.
 */
export async function startCore(config: CoreConfig, log: Logger, now: () => number): Promise<Running> {
  let reason = 'starting';
  const starting = { metrics: new Registry(), ready: () => ({ ready: false, reason }) };
  const ops = await listenOps('GSQ_CORE_OPS_ADDR', config.GSQ_CORE_OPS_ADDR, opsHandler(starting));
  try {
    return await startServices(config, log, now, ops, user => {
      reason = 'migration';
      log.info({ user }, 'store: gsq migrate uses the store; this core waits until it has ended');
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
  onWait: (user: string) => void,
): Promise<Running> {
  const policy = checkSettings(config);
  const tls = internalTls(config);
  // Refuses wrong TLS files before the store is loaded, because loading the store can take a while.
  grpcTls(config);
  const internal = await internalAddress(config);
  const member =
    config.GSQ_STORE === EMBEDDED
      ? undefined
      : { address: memberAddress(config, internal), own: new OwnCharges(), onWait };
  const services = await openServices({ policy, config, log, now, member });
  const { store, freshness, cluster, closing } = services;
  const ports = {
    public: publicPort(services, config, log, now),
    internal: internalPort(services, internal, tls, config, log, now),
  };
  const metrics = coreMetrics(services, config.GSQ_MAX_SERVERS);
  const internalEndpoint = await ports.internal.listen();
  const publicEndpoint = await ports.public.listen();
  cluster?.start();
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

/**
 * Returns the address of the internal port of this core: host and port number. In a cluster, the setting can contain
 * port 0. The function then chooses a free port itself, because the other cores learn the port before it opens.
 */
async function internalAddress({ GSQ_STORE, GSQ_INTERNAL_ADDR }: CoreConfig): Promise<Endpoint> {
  const { host, port } = GSQ_INTERNAL_ADDR;
  return GSQ_STORE === EMBEDDED || port !== 0 ? GSQ_INTERNAL_ADDR : { host, port: await freePort(host) };
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
