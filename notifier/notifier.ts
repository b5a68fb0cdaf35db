import { performance } from 'node:perf_hooks';
import { Resolver } from '../net/resolver.ts';
import { clients, internalMetadata } from '../proto/clients.ts';
import { coreSecurity } from '../proto/cluster/core-security.ts';
import { Members } from '../proto/cluster/members.ts';
import type { Config } from '../runtime/config.ts';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { internalRoute, internalSecret } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler, type Readiness } from '../runtime/ops-server.ts';
import { processMetrics } from '../runtime/process-metrics.ts';
import type { settings } from '../runtime/settings.ts';
import { sendDelivery } from './delivery-sender.ts';
import { LeaseLoop } from './lease-loop.ts';
import { MemberCores } from './member-cores.ts';
import { registerDeliveryMetrics } from './metrics.ts';

/**
 * Maximum time to wait for deliveries in flight at shutdown, ms. It is shorter than ten seconds, because the process is
 * killed ten seconds after the shutdown begins.
 */
const DRAIN_MS = 8_000;

/**
 * Checks the settings that can be checked before the notifier opens a file or a socket. Throws ConfigError if a setting
 * is not valid.
 */
export function checkAlone(config: Config<typeof settings>): void {
  internalRoute(config);
  new Resolver(config.GSQ_DNS_SERVERS, Date.now);
}

/**
 * Creates the notifier and starts it. Rejects with ConfigError if a setting is not valid, for example if TLS is missing
 * for a connection to a core on another machine.
 */
export async function startNotifier(config: Config<typeof settings>, log: Logger): Promise<Running> {
  const metrics = processMetrics();
  const route = internalRoute(config);
  const secret = internalSecret(config);
  const resolver = new Resolver(config.GSQ_DNS_SERVERS, Date.now);
  const elapsed = (): number => performance.now();
  const onSent = registerDeliveryMetrics(metrics, () => loop);
  const security = coreSecurity(route);
  const members = new Members({ address: route.address, secret, security, log });
  const loop = new LeaseLoop({
    cores: new MemberCores(members, address => clients.notify(address, security(address))),
    metadata: internalMetadata(secret),
    send: (delivery, policy) => sendDelivery(delivery, policy, { resolver, elapsed }),
    onSent,
    log,
  });
  let draining = false;
  const ready = (): Readiness => {
    if (draining) return { ready: false, reason: 'draining' };
    return loop.connected ? { ready: true } : { ready: false, reason: 'the core cannot be reached' };
  };
  const ops = await listenOps(
    'GSQ_NOTIFIER_OPS_ADDR',
    config.GSQ_NOTIFIER_OPS_ADDR,
    opsHandler({ metrics, ready }),
  );
  return {
    addresses: { GSQ_NOTIFIER_OPS_ADDR: formatEndpoint(ops.endpoint) },
    async drain() {
      draining = true;
      await members.close();
      await loop.close(DRAIN_MS);
      await ops.close();
    },
  };
}
