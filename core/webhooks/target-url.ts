import { parseAddress } from '../../net/address.ts';
import { isGamePort, type TargetPolicy } from '../../net/targets.ts';

const HTTPS_PORT = 443;
const MAX_URL = 2048;

/** A URL that is allowed as the target of a webhook. */
export interface TargetUrl {
  readonly url: string;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? HTTPS_PORT : 80) : Number(port);
}

/**
 * Checks the URL of a new webhook. Returns a message for people if the URL is refused. The addresses of a host name are
 * not checked here: the notifier resolves and checks them at each delivery.
 */
export function checkTargetUrl(text: string, policy: TargetPolicy): TargetUrl | string {
  if (text.length > MAX_URL) return `The URL is longer than ${MAX_URL} characters.`;
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text))
    return 'This is not a URL; write it like https://example.com/hook.';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must begin with https://.';
  if (url.username !== '' || url.password !== '')
    return 'The URL must not contain a user or a password; put a secret into its path or query.';
  if (url.hash !== '') return 'The URL must not contain a fragment (#).';
  const port = portOf(url);
  if (port !== HTTPS_PORT && !isGamePort(port))
    return 'The port must be 443, or a port above 1023 that no other known service uses.';
  const address = parseAddress(`${url.hostname}:${port}`);
  if (address.kind === 'malformed') return 'The URL has no valid host.';
  if (address.kind === 'name') {
    if (url.protocol === 'http:' && policy.opened.length === 0) return HTTP_REFUSED;
  } else {
    const reach = policy.reach(address.host);
    if (reach === 'refused')
      return 'Nothing is sent to this address: it is not a public one, or its network is left alone.';
    if (url.protocol === 'http:' && reach !== 'own') return HTTP_REFUSED;
  }
  // Registers an IPv4-mapped IPv6 address as the IPv4 address, because the notifier refuses the mapped form.
  if (address.kind === 'ipv4') url.hostname = address.host;
  return { url: url.href };
}

const HTTP_REFUSED =
  'The URL must begin with https://; http is only for networks of the operator (GSQ_ALLOW_TARGETS).';

/** Returns a URL with its path and its query hidden, because they can be secret. */
export function hiddenUrl(url: string): string {
  return `${new URL(url).origin}/…`;
}

/** Returns the canonical host of a checked URL, without its port, because all ports of a host share one rate limit. */
export function hostOf(url: string): string {
  const parsed = new URL(url);
  const address = parseAddress(`${parsed.hostname}:${portOf(parsed)}`);
  return address.kind === 'malformed' ? parsed.hostname : address.host;
}
