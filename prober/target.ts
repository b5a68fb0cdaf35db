import { isIPv6, SocketAddress } from 'node:net';
import { addressKey } from '../net/address-key.ts';
import type { Resolver } from '../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../net/targets.ts';
import { givenQueryPort } from '../proto/game-access.ts';
import type { Lease__Output } from '../proto/generated/gsq/v1/Lease.ts';
import type { ProbeTarget } from './probes/probe-target.ts';

/**
 * A server that the prober has to probe for a lease (an order of the core) or for a command line. The host of the
 * server is not yet resolved to an address.
 */
export interface NamedTarget {
  /** An IPv4 address, an IPv6 address without brackets, or a host name. */
  host: string;
  port: number;
  /** Ports to query, in this order. */
  queryPorts: readonly number[];
  protocol: string;
  gamedigId: string;
  confirm: boolean;
  /** Longest time to wait for each reply over UDP, ms; 0 means the default of the prober. */
  timeoutMs?: number;
  /** True if a caller waits for the status of this server, so the probe must be fast. */
  urgent?: boolean;
  /** Password, key or token that the server or the public server list of its game requires. */
  secret?: string;
  /** Options that the operator set for this server. The option `query_port` replaces all query ports. */
  options?: ReadonlyMap<string, string>;
}

/**
 * Converts a lease (the core's order to probe a server) into the server to probe. The options of the server become a
 * map keyed by name.
 */
export function namedTarget(lease: Lease__Output): NamedTarget {
  const { host, port, queryPorts, protocol, gamedigId, confirm, timeoutMs, urgent, secret } = lease;
  const target: NamedTarget = {
    host,
    port,
    queryPorts,
    protocol,
    gamedigId,
    confirm,
    timeoutMs,
    urgent,
    secret,
  };
  if (lease.options.length > 0)
    target.options = new Map(lease.options.map(({ name, value }) => [name, value]));
  return target;
}

/** The reason why the prober cannot or must not send packets to a server. */
export interface Unreachable {
  outcome: 'PROBE_OUTCOME_UNRESOLVABLE' | 'PROBE_OUTCOME_BLOCKED' | 'PROBE_OUTCOME_PROBER_FAULT';
  detail: string;
}

/** Default port of Minecraft. Minecraft clients look up SRV records for this port only, and so does gsq. */
const MINECRAFT_PORT = 25565;

/**
 * Resolves the host of a server to an address that the target policy allows. The probe uses only this address, which
 * prevents DNS rebinding. If the host is already an address, returns the result directly and not as a promise.
 */
export function resolveTarget(
  named: NamedTarget,
  policy: TargetPolicy,
  resolver: Resolver,
): ProbeTarget | Unreachable | Promise<ProbeTarget | Unreachable> {
  const { host } = named;
  return isLiteral(host)
    ? targetAt(named, host, [host], portsOf(named), policy)
    : lookedUpTarget(named, policy, resolver);
}

async function lookedUpTarget(
  named: NamedTarget,
  policy: TargetPolicy,
  resolver: Resolver,
): Promise<ProbeTarget | Unreachable> {
  let name = named.host;
  let queryPorts = portsOf(named);
  const isFixed = givenQueryPort(named.options) !== undefined;
  if (named.protocol === 'minecraft' && named.port === MINECRAFT_PORT && !isFixed) {
    const service = await resolver.service(`_minecraft._tcp.${name}`);
    if (service.kind === 'failed') return lookupFailed(`the SRV record of ${name}`, service.reason);
    if (service.kind === 'target') {
      if (!isGamePort(service.port)) {
        return {
          outcome: 'PROBE_OUTCOME_BLOCKED',
          detail: `the SRV record of ${name} names port ${service.port}, which is none of game servers`,
        };
      }
      name = service.host;
      queryPorts = [service.port];
    }
  }
  if (isLiteral(name)) return targetAt(named, name, [name], queryPorts, policy);
  const resolution = await resolver.resolve(name);
  if (resolution.kind === 'failed') return lookupFailed(name, resolution.reason);
  if (resolution.kind === 'absent') {
    return { outcome: 'PROBE_OUTCOME_UNRESOLVABLE', detail: `${name} has no address` };
  }
  return targetAt(named, name, resolution.addresses, queryPorts, policy);
}

/** A DNS failure is a fault of the prober's environment: it proves nothing about the game server. */
function lookupFailed(what: string, reason: string): Unreachable {
  return { outcome: 'PROBE_OUTCOME_PROBER_FAULT', detail: `look-up of ${what} failed: ${reason}` };
}

/** Returns the ports to query: the port that the operator set, or else the query ports of the game. */
function portsOf({ queryPorts, options }: NamedTarget): readonly number[] {
  const given = givenQueryPort(options);
  return given === undefined ? queryPorts : [given];
}

/**
 * Selects the first of `addresses` that the target policy allows, and returns the probe target with this address. If no
 * address or no port is allowed, returns the outcome `PROBE_OUTCOME_BLOCKED`.
 */
function targetAt(
  named: NamedTarget,
  name: string,
  addresses: readonly string[],
  queryPorts: readonly number[],
  policy: TargetPolicy,
): ProbeTarget | Unreachable {
  const { host } = named;
  // Drops query ports that the prober must not query. A query port is often the join port plus a fixed number, so it
  // can be forbidden even if the join port is allowed.
  const ports = queryPorts.every(isGamePort) ? queryPorts : queryPorts.filter(isGamePort);
  if (ports.length === 0)
    return { outcome: 'PROBE_OUTCOME_BLOCKED', detail: 'no port that game servers use' };
  for (const ip of addresses) {
    const reach = policy.reach(ip);
    if (reach === 'refused') continue;
    const address = kernelNotation(ip);
    const own = reach === 'own';
    const { protocol, gamedigId, confirm, timeoutMs = 0, urgent = false, secret, options } = named;
    return {
      address,
      own,
      policy,
      host,
      ports,
      joinPort: named.port,
      protocol,
      gamedigId,
      confirm,
      timeoutMs,
      urgent,
      secret,
      options,
    };
  }
  return { outcome: 'PROBE_OUTCOME_BLOCKED', detail: `${name} has no address that may be probed` };
}

function isLiteral(host: string): boolean {
  return typeof addressKey(host) === 'number' || isIPv6(host);
}

/**
 * Returns an address in the notation of the kernel. An IPv6 address has several notations, and gsq compares addresses
 * as text.
 */
function kernelNotation(ip: string): string {
  return ip.includes(':') ? new SocketAddress({ address: ip, family: 'ipv6' }).address : ip;
}
