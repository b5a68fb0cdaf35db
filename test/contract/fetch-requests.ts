import { type Answer, ask } from '../gateway/ask.ts';
import { type Credentials, credentialHeaders, FETCH, type Group } from './rest.ts';

/** The array `servers` of a valid fetch request, with one game server. */
export const oneServer: Group[] = [{ game_id: 'csgo', servers: ['127.0.0.1:27015'] }];

/** Body of a valid fetch request for one game server. */
export const validBody = JSON.stringify({ servers: oneServer });

/** Returns the body of a valid fetch request with exactly this number of bytes. */
export function bodyOf(bytes: number): string {
  return validBody.padEnd(bytes, ' ');
}

/** Returns `count` different game server addresses (`127.0.0.1:<port>`) for a fetch request. */
export function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.0.0.1:${20000 + i}`);
}

/**
 * Sends a fetch with the credentials `token`. `changes` replaces headers; a header with the value `undefined` is
 * removed.
 */
export function fetchWithHeaders(
  http: string,
  token: Credentials,
  changes: Record<string, string | undefined>,
  body = validBody,
): Promise<Answer> {
  const all = { 'Content-Type': 'application/json', ...credentialHeaders(token), ...changes };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return ask(http, { method: 'POST', path: FETCH, headers, body });
}
