import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Resolver } from '../net/resolver.ts';
import { clients, internalMetadata } from '../proto/clients.ts';
import { coreSecurity } from '../proto/cluster/core-security.ts';
import { Members } from '../proto/cluster/members.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { StatusReport } from '../proto/generated/gsq/v1/StatusReport.ts';
import type { Config } from '../runtime/config.ts';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { internalRoute, internalSecret } from '../runtime/internal-port.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler, type Readiness } from '../runtime/ops-server.ts';
import { processMetrics, ReadMetrics } from '../runtime/process-metrics.ts';
import type { settings } from '../runtime/settings.ts';
import { checkOptIn } from './directories/directories.ts';
import { userAgent } from './directories/user-agent.ts';
import { type ProbeCounters, registerProbeMetrics } from './metrics.ts';
import type { ProbeTarget } from './probes/probe-target.ts';
import { Probes } from './probes/probes.ts';
import type { ProbeLease } from './session.ts';
import { Sessions } from './sessions.ts';
import { namedTarget, resolveTarget, type Unreachable } from './target.ts';

/**
 * Checks the settings that can be checked before the prober opens a file or a socket. Throws ConfigError if a setting
 * is not valid.
 */
export function checkAlone(config: Config<typeof settings>): void {
  internalRoute(config);
  new Resolver(config.GSQ_DNS_SERVERS, Date.now);
  userAgent(config.GSQ_CONTACT);
  checkOptIn(config.GSQ_DIRECTORY_OPT_IN);
}

function logProbe(log: Logger, lease: Lease__Output, report: StatusReport): void {
  log.debug(
    {
      game_id: lease.gameId,
      server: formatEndpoint(lease),
      lease_id: lease.leaseId,
      protocol: lease.protocol,
      outcome: report.outcome,
      detail: report.detail,
      query_port: report.queryPort,
      signals: report.signals,
    },
    'probed',
  );
}

/**
 * Returns the function that carries out a lease. A lease is an order of the core to probe a server. The returned
 * function resolves the address of the server, probes the server, and counts and logs the report.
 */
function leaseProber(probes: Probes, resolver: Resolver, counters: ProbeCounters, log: Logger): ProbeLease {
  const logsProbes = log.isLevelEnabled('debug');
  // The functions here that are created for each probe must be anonymous. For a named function, the compiler tsx adds a
  // call that sets the name, which took 5 % of the CPU time of a probe.
  const end = (lease: Lease__Output, report: StatusReport, began: number): StatusReport => {
    report.leaseId = lease.leaseId;
    counters.end(lease.protocol, report.outcome, (performance.now() - began) / 1000);
    if (logsProbes) logProbe(log, lease, report);
    return report;
  };
  const ask = (
    lease: Lease__Output,
    target: ProbeTarget | Unreachable,
    began: number,
    probed: (report: StatusReport) => void,
  ): void => {
    if ('outcome' in target) probed(end(lease, { ...target }, began));
    else probes.begin(target, report => probed(end(lease, report, began)));
  };
  return (lease, policy, probed) => {
    const began = performance.now();
    counters.begin();
    const target = resolveTarget(namedTarget(lease), policy, resolver);
    if (target instanceof Promise) target.then(found => ask(lease, found, began, probed));
    else ask(lease, target, began, probed);
  };
}

/**
 * Creates the prober and starts it. Rejects with ConfigError if a setting is not valid, for example if TLS is missing
 * for a connection to a core on another machine.
 */
export async function startProber(config: Config<typeof settings>, log: Logger): Promise<Running> {
  const metrics = processMetrics();
  const route = internalRoute(config);
  const secret = internalSecret(config);
  const probes = await Probes.open({
    rateLimits: { packetsInAll: config.GSQ_PACKETS_PER_SECOND },
    // Allows one TCP connection per concurrent probe. With fewer connections, probes would wait for silent servers,
    // which occupy a connection for seconds.
    tcpConnections: config.GSQ_MAX_IN_FLIGHT,
    directories: {
      userAgent: userAgent(config.GSQ_CONTACT),
      optIn: config.GSQ_DIRECTORY_OPT_IN,
      dnsServers: config.GSQ_DNS_SERVERS,
    },
    warn: message => log.warn(message),
  });
  const resolver = new Resolver(config.GSQ_DNS_SERVERS, Date.now);
  const probe = leaseProber(probes, resolver, registerProbeMetrics(metrics, probes), log);
  const security = coreSecurity(route);
  const members = new Members({ address: route.address, secret, security, log });
  const sessions = new Sessions({
    members,
    clientOf: address => clients.probe(address, security(address)),
    metadata: internalMetadata(secret),
    // The core needs a different name for each prober. The random number is necessary, because two containers can have
    // the same host name and process id.
    prober: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
    maxInFlight: config.GSQ_MAX_IN_FLIGHT,
    probe,
    log,
  });
  new ReadMetrics(metrics).gauge(
    'gsq_prober_connected',
    '1 while the prober has a session with a core, else 0.',
    () => (sessions.connected ? 1 : 0),
  );
  let draining = false;
  const ready = (): Readiness => {
    if (draining) return { ready: false, reason: 'draining' };
    return sessions.connected ? { ready: true } : { ready: false, reason: 'not in session with the core' };
  };
  const ops = await listenOps(
    'GSQ_PROBER_OPS_ADDR',
    config.GSQ_PROBER_OPS_ADDR,
    opsHandler({ metrics, ready }),
  );
  return {
    addresses: { GSQ_PROBER_OPS_ADDR: formatEndpoint(ops.endpoint) },
    async drain() {
      draining = true;
      await members.close();
      await sessions.close();
      await probes.close();
      await ops.close();
    },
  };
}
