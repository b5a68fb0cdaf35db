import { isIP } from 'node:net';
import type { Resolver } from '../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../net/targets.ts';

/** The address to which a notifier connects for one webhook request. */
export interface DeliveryTarget {
  url: URL;
  /** IP address that `TargetPolicy` allows, without brackets. */
  address: string;
}

/**
 * Error for a webhook request that must not be sent to its URL. The message tells the owner of the webhook the reason.
 */
export class ForbiddenTarget extends Error {
  override name = 'ForbiddenTarget';
}

/** Error for a host name without an address. This error counts as a failure of the receiver of the webhook. */
export class AbsentName extends Error {
  override name = 'AbsentName';
}

const HTTPS_PORT = 443;

/**
 * Resolves the host of a webhook's URL to the first allowed address. The caller must connect to this address and not
 * resolve the name again. Rejects with ForbiddenTarget (the URL breaks a rule), AbsentName (no address) or another
 * Error (DNS failure).
 */
export async function deliveryTarget(
  text: string,
  policy: TargetPolicy,
  resolver: Pick<Resolver, 'resolve'>,
): Promise<DeliveryTarget> {
  const url = new URL(text);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') throw new ForbiddenTarget(`${url.protocol} is not https:`);
  const port = url.port === '' ? (isPlain ? 80 : HTTPS_PORT) : Number(url.port);
  if (port !== HTTPS_PORT && !isGamePort(port)) {
    throw new ForbiddenTarget(`port ${port} is not allowed; use 443 or a port of game servers`);
  }
  // An http URL is allowed only for addresses inside GSQ_ALLOW_TARGETS. An https URL is allowed for all addresses that
  // `policy` allows.
  const allowed = (await addressesOf(url, resolver)).find(ip => {
    const reach = policy.reach(ip);
    return reach === 'own' || (reach === 'public' && !isPlain);
  });
  if (allowed === undefined) {
    throw new ForbiddenTarget(
      isPlain
        ? `http is allowed only for addresses in GSQ_ALLOW_TARGETS, and ${url.hostname} has none`
        : `${url.hostname} has no address to which gsq is allowed to connect`,
    );
  }
  return { url, address: allowed };
}

async function addressesOf({ hostname }: URL, resolver: Pick<Resolver, 'resolve'>): Promise<string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return [literal];
  const found = await resolver.resolve(hostname);
  if (found.kind === 'addresses') return found.addresses;
  if (found.kind === 'absent') throw new AbsentName(`the name ${hostname} has no address`);
  throw new Error(`the name ${hostname} cannot be resolved: ${found.reason}`);
}
