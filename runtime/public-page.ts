import { type Config, ConfigError } from './config.ts';
import type { settings } from './settings.ts';

type PageConfig = Pick<Config<typeof settings>, 'GSQ_PAGE' | 'GSQ_PUBLIC_URL'>;
type VisibilityConfig = Pick<Config<typeof settings>, 'GSQ_PAGE_SERVERS' | 'GSQ_PAGE_PLAYERS'>;

/**
 * Returns true if callers without a token may read the tracked servers (GSQ_PAGE=on). Throws ConfigError if the setting
 * is neither `on` nor `off`.
 */
export function isPageOn({ GSQ_PAGE: page }: PageConfig): boolean {
  if (page !== 'on' && page !== 'off')
    throw new ConfigError(`GSQ_PAGE: "${page}" is neither on nor off; write on or off`);
  return page === 'on';
}

/**
 * Returns which servers callers without a token see (GSQ_PAGE_SERVERS): all, or only those that the operator listed
 * publicly. Throws ConfigError if the setting is neither `all` nor `listed`.
 */
export function shownServers({ GSQ_PAGE_SERVERS: servers }: VisibilityConfig): 'all' | 'public' {
  if (servers !== 'all' && servers !== 'listed')
    throw new ConfigError(`GSQ_PAGE_SERVERS: "${servers}" is neither all nor listed; write all or listed`);
  return servers === 'all' ? 'all' : 'public';
}

/**
 * Returns true if callers without a token see the names of players (GSQ_PAGE_PLAYERS). Throws ConfigError if the
 * setting is neither `on` nor `off`.
 */
export function showsPlayers({ GSQ_PAGE_PLAYERS: players }: VisibilityConfig): boolean {
  if (players !== 'on' && players !== 'off')
    throw new ConfigError(`GSQ_PAGE_PLAYERS: "${players}" is neither on nor off; write on or off`);
  return players === 'on';
}

/**
 * Returns the public URL of the gateway (GSQ_PUBLIC_URL) without a slash at its end, or undefined if it is not set.
 * Throws ConfigError if it is not http or https, or has a user, query or fragment.
 */
export function publicUrl({ GSQ_PUBLIC_URL: text }: PageConfig): URL | undefined {
  if (text === undefined) return undefined;
  const isUrl = /^https?:\/\/[^?#@\s]+$/i.test(text) && URL.canParse(text);
  if (!isUrl) {
    throw new ConfigError(
      `GSQ_PUBLIC_URL: "${text}" is not the URL of a gateway; write http:// or https://, a host, and perhaps a port and a path`,
    );
  }
  const url = new URL(text);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}
