import type { HttpReply } from './http-client.ts';

/** Maximum number of redirects in a row that the prober follows. */
export const MAX_REDIRECTS = 3;

const STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the URL that a reply redirects to. Returns undefined if the reply is not a redirect. Throws if the redirect
 * leads to another host, port or protocol, except from http to https on the default ports.
 */
export function redirectOf({ status, headers }: HttpReply, from: URL): URL | undefined {
  const { location } = headers;
  if (!STATUSES.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href)) throw new Error('redirects to what is no URL');
  const to = new URL(location, from);
  const upgraded =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  if (to.hostname !== from.hostname || (to.origin !== from.origin && !upgraded)) {
    throw new Error(`redirects to ${to.origin}, which is not followed`);
  }
  return to;
}
