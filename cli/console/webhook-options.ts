import { readSecretText, SecretFileError } from '../../runtime/secret-file.ts';
import { type Arguments, UsageError } from './command.ts';
import { didYouMean, nearest } from './suggestion.ts';

/** Events for which a webhook can be registered, as in gsq/v1/webhook.proto. */
export const EVENTS = ['online', 'offline', 'full', 'empty', 'map', 'players_over'] as const;
/** Forms of the request bodies that gsq sends to webhooks. */
export const FORMS = ['json', 'discord'] as const;

/** An event for which a webhook gets deliveries, as parsed from `--event`. */
interface RequestedEvent {
  event: string;
  /** For the event `players_over`: the server must have more players than this number. 0 for all other events. */
  players: number;
  /**
   * How long the condition of the event must stay true before gsq sends a delivery, such as `3m`. An empty text means
   * no delay.
   */
  for: string;
}

/**
 * Parses one value of `--event`, such as `offline:3m` or `players_over=20:5m`. Throws UsageError if the value is
 * malformed or names an unknown event. The core checks the duration.
 */
export function readEvent(text: string): RequestedEvent {
  const [, event = '', players, held = ''] = /^([^=:]*)(?:=(\d{1,9}))?(?::(\S+))?$/.exec(text) ?? [];
  if (!EVENTS.some(known => known === event)) {
    const word = /^[^=:]*/.exec(text)?.[0] ?? '';
    const meant = EVENTS.some(known => known === word) ? [] : nearest(word, EVENTS);
    throw new UsageError(
      meant.length > 0
        ? `--event: there is no event "${word}"${didYouMean(meant)}`
        : `--event: "${text}" is not valid; write one of ${EVENTS.join(', ')}, for example offline:3m or players_over=20:5m`,
    );
  }
  if ((event === 'players_over') !== (players !== undefined))
    throw new UsageError(
      event === 'players_over'
        ? '--event: players_over needs a number, for example players_over=20'
        : `--event: ${event} takes no number`,
    );
  return { event, players: Number(players ?? 0), for: held };
}

/**
 * Groups the values of `--server`, such as `csgo/203.0.113.7:27015`, by game. Throws UsageError if a value is
 * malformed.
 */
export function readServers(texts: readonly string[]): { gameId: string; servers: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const [, gameId, address] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
    if (gameId === undefined || address === undefined)
      throw new UsageError(
        `--server: "${text}" is not valid; write the game, a slash and the address, for example csgo/203.0.113.7:27015`,
      );
    groups.set(gameId, [...(groups.get(gameId) ?? []), address]);
  }
  return [...groups].map(([gameId, servers]) => ({ gameId, servers }));
}

/**
 * Returns the value of the option `--form`: the form of the request bodies for a webhook. Throws UsageError if the form
 * is unknown.
 */
export function readForm(text: string): string {
  if (FORMS.some(known => known === text)) return text;
  throw new UsageError(`--form must be ${FORMS.join(' or ')}${didYouMean(nearest(text, FORMS))}`);
}

/**
 * Reads the URL of a webhook from `--url` or `--url-file`. Throws UsageError if none or both of these options are
 * given, or if other users can read the file. No message contains the URL, because it can be secret.
 */
export function readUrl(read: Arguments): string {
  const url = read.value('url');
  const file = read.value('url-file');
  if ((url === undefined) === (file === undefined)) throw new UsageError('give either --url or --url-file');
  if (file === undefined) return url ?? '';
  try {
    return readSecretText(file);
  } catch (error) {
    throw error instanceof SecretFileError ? new UsageError(`--url-file: ${error.message}`) : error;
  }
}
