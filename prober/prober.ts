import { hostname } from 'node:os';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { clients, internalMetadata } from '../proto/clients.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { StatusReport } from '../proto/generated/gsq/v1/StatusReport.ts';
import type { settings } from '../proto/settings.ts';
import type { TargetPolicy } from '../proto/targets.ts';
import { type Config, formatEndpoint } from '../runtime/config.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler } from '../runtime/ops-server.ts';
import { Resolver } from '../runtime/resolver.ts';
import { countProbes } from './metrics.ts';
import { Probes } from './probe.ts';
import { Session } from './session.ts';
import { resolveTarget } from './target.ts';

/** Puts the prober together and starts it. */
export async function startProber(config: Config<typeof settings>, log: Logger): Promise<Running> {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const probes = await Probes.open({
    budgets: { packetsInAll: config.GSQ_PACKETS_PER_SECOND },
    warn: message => log.warn(message),
  });
  const resolver = new Resolver(config.GSQ_DNS_SERVERS, Date.now);
  const tally = countProbes(metrics, probes);

  const probe = async (lease: Lease__Output, policy: TargetPolicy): Promise<StatusReport> => {
    tally.begin();
    const resolved = resolveTarget(lease, policy, resolver);
    const target = resolved instanceof Promise ? await resolved : resolved;
    const report: StatusReport = 'outcome' in target ? { ...target } : await probes.probe(target);
    report.leaseId = lease.leaseId;
    tally.end(lease.protocol, report.outcome);
    if (log.isLevelEnabled('debug')) {
      log.debug(
        { game: lease.gameId, host: lease.host, port: lease.port, ...report, payload: undefined },
        'probed',
      );
    }
    return report;
  };

  const session = new Session({
    client: clients.probe(formatEndpoint(config.GSQ_INTERNAL_ADDR)),
    metadata: internalMetadata(config.GSQ_INTERNAL_SECRET),
    prober: `${hostname()}/${process.pid}`,
    maxInFlight: config.GSQ_MAX_IN_FLIGHT,
    probe,
    log,
  });
  const ops = await listenOps(
    'GSQ_PROBER_OPS_ADDR',
    config.GSQ_PROBER_OPS_ADDR,
    opsHandler({
      metrics,
      ready: () =>
        session.connected ? { ready: true } : { ready: false, reason: 'not in session with the core' },
    }),
  );
  return {
    addresses: { GSQ_PROBER_OPS_ADDR: formatEndpoint(ops.endpoint) },
    async drain() {
      await session.close();
      await probes.close();
      await ops.close();
    },
  };
}
